/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All-to-all schedules in GOAL, read and run, beside the goal of 4,096 ranks: 20 s, and 1.5 GB beside the text. Each case is a
 * process of its own, which makes its peak its own; the text is part of that.
 *
 * BENCH_RANKS=N adds a case of N ranks: 4096 takes some 12 s of a processor and 1.9 GB.
 */
#include "model/simulation/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Every rank sends to all others, and receives from them; 64 bytes are enough for two statements. */
static char *make_text(unsigned n, size_t *size)
{
    char *text = malloc((size_t)n * n * 64 + 64);
    if (text == NULL)
        return NULL;
    size_t used = (size_t)sprintf(text, "num_ranks %u\n", n);
    for (unsigned r = 0; r < n; r++) {
        used += (size_t)sprintf(text + used, "rank %u {\n", r);
        for (unsigned d = 1; d < n; d++)
            used += (size_t)sprintf(text + used, "send 1b to %u\nrecv 1b from %u\n", (r + d) % n,
                                    (r + n - d) % n);
        used += (size_t)sprintf(text + used, "}\n");
    }
    *size = used;
    return text;
}

static double now_s(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int run_one(unsigned ranks)
{
    const clump_cluster machine = {.nodes = 1,
                                   .node = {.processors = 1, .nics = 1},
                                   .network = {5, 1, 1.5, 4, 0.01},
                                   .shared_memory = {1, 0.5, 0.5, 1, 0.001},
                                   .memory_penalty = 1};
    size_t size = 0;
    char *text = make_text(ranks, &size);
    clump_schedule *schedule = NULL;
    clump_schedule_result result;
    clump_error error;
    struct rusage usage;
    if (text == NULL) {
        fprintf(stderr, "bench: out of memory for the text\n");
        return 1;
    }
    const double start = now_s(CLOCK_MONOTONIC), made = now_s(CLOCK_PROCESS_CPUTIME_ID);
    if (clump_schedule_parse(text, size, &schedule, &error) != CLUMP_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 1;
    }
    free(text);
    const double reading = now_s(CLOCK_PROCESS_CPUTIME_ID) - made;
    if (clump_schedule_run(schedule, &machine, NULL, &result, &error) != CLUMP_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 1;
    }
    const double all = now_s(CLOCK_PROCESS_CPUTIME_ID) - made,
                 took = now_s(CLOCK_MONOTONIC) - start;
    getrusage(RUSAGE_SELF, &usage);
    clump_schedule_free(schedule);
    /* The work grows with the pairs of ranks, and so do the goals. */
    const double share = (double)ranks * ranks / (4096.0 * 4096);
    printf("%6u ranks %8.1f %7.2f %9.2f %9.2f %9.2f %9.0f %9.0f %9.0f\n", ranks,
           result.messages / 1e6, 20 * share, took, all, reading, 1500 * share + (double)size / 1e6,
           (double)usage.ru_maxrss / 1e3, (double)size / 1e6);
    return 0;
}

int main(void)
{
    const char *wanted = getenv("BENCH_RANKS");
    const unsigned ranks[] = {1024, 2048, wanted != NULL ? (unsigned)atoi(wanted) : 0};
    printf("All-to-all schedules, read and run; goals: those of 4,096 ranks, by pairs "
           "of ranks\n");
    printf("%12s %8s %7s %9s %9s %9s %9s %9s %9s\n", "", "millions", "goal", "measured",
           "processor", "of it for", "goal", "measured", "text");
    printf("%12s %8s %7s %9s %9s %9s %9s %9s %9s\n", "", "messages", "s", "s", "s", "the text",
           "MB", "MB", "MB");
    for (unsigned i = 0; i < 3; i++) {
        int how = 0;
        if (ranks[i] < 2)
            continue;
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0)
            exit(run_one(ranks[i]));
        if (child < 0 || waitpid(child, &how, 0) != child || how != 0)
            return 1;
    }
    return 0;
}
