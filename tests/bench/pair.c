/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* sched_setaffinity, MAP_ANONYMOUS */
#include "tests/bench/pair.h"

#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double pair_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double pair_median(double *values, size_t count)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

void pair_part_begin(struct pair_parts *parts)
{
    parts->last = pair_seconds();
}

void pair_part_end(struct pair_parts *parts)
{
    const double now = pair_seconds();
    if (parts->count < sizeof parts->times / sizeof *parts->times)
        parts->times[parts->count++] = now - parts->last;
    parts->last = now;
}

void pair_pin(unsigned index)
{
    static cpu_set_t allowed; /* before the first pinning, which children inherit */
    static int count;
    if (count == 0) {
        sched_getaffinity(0, sizeof allowed, &allowed);
        count = CPU_COUNT(&allowed);
    }
    index %= (unsigned)count;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && index-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

double pair_run(void (*serve)(struct pair *, void *), double (*measure)(struct pair *, void *),
                void *context, bool swap)
{
    struct pair *pair =
        mmap(NULL, sizeof *pair, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pair == MAP_FAILED)
        return NAN;
    /* The child begins where it belongs and we go away: with real-time priority it would never get
     * our processor to leave it. */
    pair_pin(swap ? 0 : 1);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(pair, context);
        _exit(0);
    }
    pair_pin(swap ? 1 : 0);
    double result = child > 0 ? measure(pair, context) : NAN;
    atomic_store(&pair->stop, 1);
    if (child > 0)
        waitpid(child, NULL, 0);
    if (atomic_load(&pair->failed) != 0)
        result = NAN;
    munmap(pair, sizeof *pair);
    return result;
}

/* ---- the floors */

enum { BOUNCES = 100000, PART = 1000, BLOCK = 8192 };

static void bounce_back(struct pair *p, void *context)
{
    (void)context;
    _Atomic uint64_t *line = (_Atomic uint64_t *)(void *)p->memory;
    for (uint64_t n = 1; n <= BOUNCES; n++) {
        while (atomic_load_explicit(line, memory_order_acquire) != 2 * n - 1)
            ;
        atomic_store_explicit(line, 2 * n, memory_order_release);
    }
}

static double bounce(struct pair *p, void *context)
{
    (void)context;
    _Atomic uint64_t *line = (_Atomic uint64_t *)(void *)p->memory;
    struct pair_parts parts = {.count = 0};
    for (uint64_t n = 1; n <= BOUNCES; n++) {
        if (n % PART == 1 && n > 1)
            pair_part_end(&parts);
        if (n == 1)
            pair_part_begin(&parts);
        atomic_store_explicit(line, 2 * n - 1, memory_order_release);
        while (atomic_load_explicit(line, memory_order_acquire) != 2 * n)
            ;
    }
    return pair_median(parts.times, parts.count) / PART / 2 * 1e9;
}

double pair_floor(bool swap)
{
    return pair_run(bounce_back, bounce, NULL, swap);
}

struct line {
    _Alignas(64) uint64_t payload[7];
    _Atomic uint64_t flag;
};

static uint64_t pass(struct line *line, uint64_t turn)
{
    for (int i = 0; i < 7; i++)
        line->payload[i] = turn + (uint64_t)i;
    atomic_store_explicit(&line->flag, turn, memory_order_release);
    return turn;
}

static bool take(struct line *line, uint64_t turn)
{
    while (atomic_load_explicit(&line->flag, memory_order_acquire) != turn)
        ;
    uint64_t sum = 0;
    for (int i = 0; i < 7; i++)
        sum += line->payload[i] - (uint64_t)i;
    return sum == 7 * turn;
}

static void payload_back(struct pair *p, void *context)
{
    (void)context;
    struct line *there = (struct line *)(void *)p->memory, *back = there + 2;
    for (uint64_t n = 1; n <= BOUNCES; n++) {
        if (!take(there, n))
            atomic_store(&p->failed, 1);
        pass(back, n);
    }
}

static double payload_line(struct pair *p, void *context)
{
    (void)context;
    struct line *there = (struct line *)(void *)p->memory, *back = there + 2;
    struct pair_parts parts = {.count = 0};
    for (uint64_t n = 1; n <= BOUNCES; n++) {
        if (n % PART == 1 && n > 1)
            pair_part_end(&parts);
        if (n == 1)
            pair_part_begin(&parts);
        pass(there, n);
        if (!take(back, n))
            atomic_store(&p->failed, 1);
    }
    return pair_median(parts.times, parts.count) / PART / 2 * 1e9;
}

double pair_payload_line(bool swap)
{
    return pair_run(payload_back, payload_line, NULL, swap);
}

/* ---- copying through shared blocks: flags on lines of their own, behind the blocks */

enum { COPIES = 20000, COPY_PART = 200 };

static _Atomic uint64_t *flag_of(struct pair *p, unsigned blocks, uint64_t n)
{
    return (_Atomic uint64_t *)(void *)(p->memory + 64 * BLOCK + 64 * (n % blocks));
}

static void copy_out(struct pair *p, void *context)
{
    const unsigned blocks = *(const unsigned *)context;
    unsigned char *own = malloc(64 * BLOCK);
    if (own == NULL)
        _exit(1);
    memset(own, 1, 64 * BLOCK);
    for (uint64_t n = 0; n < COPIES; n++) {
        _Atomic uint64_t *flag = flag_of(p, blocks, n);
        while (atomic_load_explicit(flag, memory_order_acquire) != 2 * (n / blocks) + 1)
            ;
        memcpy(own + n % 64 * BLOCK, p->memory + n % blocks * BLOCK, BLOCK);
        atomic_store_explicit(flag, 2 * (n / blocks) + 2, memory_order_release);
    }
    free(own);
}

static double copy_in(struct pair *p, void *context)
{
    const unsigned blocks = *(const unsigned *)context;
    unsigned char *own = malloc(64 * BLOCK);
    if (own == NULL)
        _exit(1);
    memset(own, 2, 64 * BLOCK);
    struct pair_parts parts = {.count = 0};
    pair_part_begin(&parts);
    for (uint64_t n = 0; n < COPIES; n++) {
        if (n % COPY_PART == 0 && n > 0)
            pair_part_end(&parts);
        _Atomic uint64_t *flag = flag_of(p, blocks, n);
        while (atomic_load_explicit(flag, memory_order_acquire) != 2 * (n / blocks))
            ;
        memcpy(p->memory + n % blocks * BLOCK, own + n % 64 * BLOCK, BLOCK);
        atomic_store_explicit(flag, 2 * (n / blocks) + 1, memory_order_release);
    }
    for (unsigned b = 0; b < blocks; b++) { /* until the last one is out */
        const uint64_t last = COPIES - 1 - (COPIES - 1 - b) % blocks;
        while (atomic_load_explicit(flag_of(p, blocks, last), memory_order_acquire) !=
               2 * (last / blocks) + 2)
            ;
    }
    free(own);
    return (double)COPY_PART * BLOCK / pair_median(parts.times, parts.count);
}

double pair_copy(unsigned blocks, bool swap)
{
    return pair_run(copy_out, copy_in, &blocks, swap);
}
