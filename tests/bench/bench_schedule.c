/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All-to-all schedules in GOAL, read and run, beside the goal of 4,096 ranks: 10 s and 500 MB. The text is made part
 * by part as it is read, so it takes no memory; each case is a process of its own, which makes its peak its own.
 *
 * BENCH_RANKS=N adds a case of N ranks: 4096 takes some 10 s of a processor and 330 MB.
 */
#include "model/simulation/schedule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE = 64
}; /* bytes of the longest pair of statements, and of what begins and ends a rank */

struct text {
    unsigned ranks, rank, next; /**< of the pair that comes next; 0: the rank begins */
    bool begun;
    double written;
};

static size_t more(void *context, char *into, size_t room)
{
    struct text *t = context;
    size_t used = 0;
    if (!t->begun && room > LINE) {
        used = (size_t)sprintf(into, "num_ranks %u\n", t->ranks);
        t->begun = true;
    }
    while (t->rank < t->ranks && room - used > LINE) {
        const unsigned r = t->rank, d = t->next++, n = t->ranks;
        if (d == 0)
            used += (size_t)sprintf(into + used, "rank %u {\n", r);
        else if (d < n)
            used += (size_t)sprintf(into + used, "send 1b to %u\nrecv 1b from %u\n", (r + d) % n,
                                    (r + n - d) % n);
        else
            used += (size_t)sprintf(into + used, "}\n"), t->rank++, t->next = 0;
    }
    t->written += (double)used;
    return used;
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
                                   .processors = 1,
                                   .nics = 1,
                                   .network = {5, 1, 1.5, 4, 0.01},
                                   .shared_memory = {1, 0.5, 0.5, 1, 0.001},
                                   .memory_penalty = 1};
    struct text text = {.ranks = ranks};
    clump_schedule *schedule = NULL;
    clump_schedule_result result;
    clump_error error;
    struct rusage usage;
    const double start = now_s(CLOCK_MONOTONIC);
    if (clump_schedule_read(more, &text, &schedule, &error) != CLUMP_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 1;
    }
    const double reading = now_s(CLOCK_PROCESS_CPUTIME_ID);
    if (clump_schedule_run(schedule, &machine, NULL, &result, &error) != CLUMP_OK) {
        fprintf(stderr, "bench: %s\n", error.message);
        return 1;
    }
    const double all = now_s(CLOCK_PROCESS_CPUTIME_ID), took = now_s(CLOCK_MONOTONIC) - start;
    getrusage(RUSAGE_SELF, &usage);
    clump_schedule_free(schedule);
    /* The work grows with the pairs of ranks, and so do the goals. */
    const double share = (double)ranks * ranks / (4096.0 * 4096);
    printf("%6u ranks %8.1f %7.2f %9.2f %9.2f %9.2f %9.0f %9.0f %9.0f\n", ranks,
           result.messages / 1e6, 10 * share, took, all, reading, 500 * share,
           (double)usage.ru_maxrss / 1e3, text.written / 1e6);
    return 0;
}

int main(void)
{
    const char *wanted = getenv("BENCH_RANKS");
    const unsigned ranks[] = {1024, 2048, wanted != NULL ? (unsigned)atoi(wanted) : 0};
    printf("All-to-all schedules, text made, read and run; goals: those of 4,096 ranks, by pairs "
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
