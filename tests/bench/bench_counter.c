/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What fetch-and-increment costs in shared memory: the instruction, the loop of figure 3.7, and the
 * wait-free counter of figure 9.3. Alone, for so many processes as could come, and among processes
 * that all increment at once: time for each increment, and how often one failed in a row at most.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "reproductions/systems/wait_free.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8, AT_ONCE = 256 };
static const double LONG_NS = 1e8;
enum way { INSTRUCTION, LOOP, WAIT_FREE, WAYS };
static const char *const names[WAYS] = {"instruction", "figure 3.7", "figure 9.3"};

struct shared {
    _Alignas(64) unsigned char counter[65536];
    _Alignas(64) _Atomic uint64_t plain;
    _Alignas(64) _Atomic uint32_t begun;
    uint64_t count[MOST], in_a_row[MOST], helped[MOST];
};

/* Of the processor, if nobody else is to be met. */
static double now_ns(bool alone)
{
    struct timespec t;
    clock_gettime(alone ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void increment(struct shared *s, enum way way, uint32_t processes, uint32_t place,
                      bool alone)
{
    struct clump_wait_free_user u = {.tries = 0};
    uint64_t most = 0;
    if (way == WAIT_FREE)
        clump_wait_free_join(&u, s->counter, processes, place);
    const double end = now_ns(alone) + LONG_NS;
    uint64_t count = 0;
    while (count % AT_ONCE != 0 || now_ns(alone) < end) {
        count++;
        uint64_t failures = 0;
        if (way == INSTRUCTION) {
            atomic_fetch_add(&s->plain, 1);
        } else if (way == LOOP) {
            clump_compare_swap_increment(&s->plain, &failures);
        } else {
            const uint64_t tries = u.tries, helped = u.helped;
            clump_wait_free_increment(&u);
            failures = u.tries - tries - 1 + (u.helped - helped);
        }
        most = failures > most ? failures : most;
    }
    s->count[place] = count;
    s->in_a_row[place] = most;
    s->helped[place] = u.helped;
}

static void measure(struct shared *s, enum way way, uint32_t processes)
{
    pid_t pids[MOST];
    uint64_t most = 0, count = 0, helped = 0;
    s->begun = 0;
    clump_wait_free_open(s->counter, processes, 0);
    for (uint32_t p = 0; p < processes; p++) {
        pids[p] = fork();
        if (pids[p] == 0) {
            s->begun++;
            while (s->begun < processes)
                ;
            increment(s, way, processes, p, false);
            _exit(0);
        }
        if (pids[p] < 0)
            exit(1);
    }
    for (uint32_t p = 0; p < processes; p++) {
        waitpid(pids[p], NULL, 0);
        count += s->count[p];
        helped += s->helped[p];
        most = s->in_a_row[p] > most ? s->in_a_row[p] : most;
    }
    printf("%-12s %9u %12.1f %14llu %9.1f%%\n", names[way], (unsigned)processes,
           LONG_NS / (double)count, (unsigned long long)most, 100 * (double)helped / (double)count);
}

int main(void)
{
    struct shared *s =
        mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED)
        return 1;
    printf("One process, counter for   ns/increment\n");
    for (uint32_t processes = 1; processes <= 64; processes *= 2) {
        clump_wait_free_open(s->counter, processes, 0);
        increment(s, WAIT_FREE, processes, 0, true);
        printf("%25u %14.1f\n", (unsigned)processes, LONG_NS / (double)s->count[0]);
    }
    printf("\nCounter      Processes ns/increment Failed in a row    Helped\n");
    fflush(stdout);
    for (enum way way = 0; way < WAYS; way++)
        for (uint32_t processes = 1; processes <= MOST; processes *= 2) {
            measure(s, way, processes);
            fflush(stdout);
        }
    return 0;
}
