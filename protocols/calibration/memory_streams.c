/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* sched_setaffinity, MAP_ANONYMOUS */
#include "protocols/calibration/memory_streams.h"
#include "protocols/calibration/memory_system.h"
#include "protocols/queue/backoff.h"
#include "protocols/queue/process.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum {
    ELEMENTS = CLUMP_MEMORY_BLOCK / sizeof(double), /* of a block */
    SHIFT =
        1088, /* bytes between arrays beyond their size: stores do not look like loads of another
                     array to processors that compare addresses within a page */
    WARM_NS = 2000000,
    PATIENCE_NS = 20000000, /* after which who waits for others lets them have its processor */
    TRIES = 4,
    LINE_TURNS = 1000,
    LINE_NS = 100000000
};

/* A process had its processor for as much of the window at least, or it was disturbed. */
static const double least_had = 0.98;

/* Others may use as much of one processor for each process that streams, beyond what a step of the
 * system's clock is: they draw memory bandwidth as well. */
static const double most_others = 0.1;

const char *clump_memory_kernel_name(clump_memory_kernel kernel)
{
    static const char *const names[CLUMP_MEMORY_KERNELS] = {"read", "copy", "triad"};
    return names[kernel];
}

#define GIVEN_UP UINT64_MAX /* instead of a turn of the line */

/* ---- what processes share with their parent */

typedef enum task { TOUCH, STREAM, BOUNCE } task;

/* What one process has to say. */
typedef struct place {
    _Alignas(128) sem_t go; /* posted by the parent: there is something to do */
    double rate;            /* B/us */
    double had;             /* share of the window in which it had its processor; 0: it was moved */
    int64_t blocks;
} place;

typedef struct board {
    sem_t done; /* posted by each process that has done it */
    task task;
    clump_memory_kernel kernel;
    unsigned count; /* that take part */
    uint64_t window_ns;
    double line_us;
    _Alignas(128) _Atomic uint32_t arrived;
    _Alignas(128) _Atomic uint64_t begin; /* of the window; 0: not all have come */
    _Alignas(128) _Atomic uint64_t line;
    _Alignas(128) _Atomic uint32_t failed; /* rank + 1 of the first that failed */
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    place places[];
} board;

struct clump_memory_streams {
    clump_memory_options options;
    uint64_t array_bytes; /* rounded */
    board *board;
    size_t board_size;
    clump_workers workers;
    /* Tries that the next measurement does without: earlier ones were all disturbed. */
    unsigned in_vain;
    int *cpus;
};

/* ---- kernels: whole blocks. No compiler makes calls of memcpy of them, which would write around
 * the cache or not as it likes. */

#define KEEP __asm__ volatile("" ::: "memory")

/* Eight sums, which do not wait for each other. */
static double read_block(const double *a)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    for (size_t i = 0; i < ELEMENTS; i += 8) {
        s0 += a[i];
        s1 += a[i + 1];
        s2 += a[i + 2];
        s3 += a[i + 3];
        s4 += a[i + 4];
        s5 += a[i + 5];
        s6 += a[i + 6];
        s7 += a[i + 7];
    }
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
}

static void copy_block(double *restrict a, const double *restrict b)
{
    for (size_t i = 0; i < ELEMENTS; i += 8) {
        for (size_t j = 0; j < 8; j++)
            a[i + j] = b[i + j];
        KEEP;
    }
}

static void triad_block(double *restrict a, const double *restrict b, const double *restrict c)
{
    for (size_t i = 0; i < ELEMENTS; i += 8) {
        for (size_t j = 0; j < 8; j++)
            a[i + j] = b[i + j] + 3 * c[i + j];
        KEEP;
    }
}

/* ---- a process */

typedef struct streamer {
    board *board;
    place *own;
    const struct clump_memory_streams *streams;
    unsigned rank;
    double *a, *b, *c;
    uint64_t blocks, at; /* of an array; the next one to be worked on */
    volatile double sum;
} streamer;

static void fail(streamer *s, const char *what, int number)
{
    uint32_t nobody = 0;
    if (atomic_compare_exchange_strong(&s->board->failed, &nobody, s->rank + 1))
        snprintf(s->board->message, sizeof s->board->message, "process %u of %u %.120s: %.80s",
                 s->rank + 1, s->streams->options.count, what, strerror(number));
    _exit(1);
}

/* Put this process where it belongs; processors may have gone away since. */
static void pin(streamer *s)
{
    const int cpu = s->streams->cpus[s->rank];
    char what[80];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    snprintf(what, sizeof what, "cannot be put on processor %d", cpu);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        fail(s, what, errno);
}

static bool is_in_place(const streamer *s)
{
    return sched_getcpu() == s->streams->cpus[s->rank];
}

static void touch(streamer *s)
{
    const uint64_t bytes = s->streams->array_bytes;
    char what[80];
    char *memory =
        mmap(NULL, 3 * (bytes + SHIFT), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    snprintf(what, sizeof what, "cannot have 3 arrays of %llu MiB",
             (unsigned long long)(bytes >> 20));
    if (memory == MAP_FAILED)
        fail(s, what, errno);
    s->a = (double *)(void *)memory;
    s->b = (double *)(void *)(memory + bytes + SHIFT);
    s->c = (double *)(void *)(memory + 2 * (bytes + SHIFT));
    s->blocks = bytes / CLUMP_MEMORY_BLOCK;
    for (uint64_t i = 0; i < bytes / sizeof(double); i++) {
        s->a[i] = 0;
        s->b[i] = 1;
        s->c[i] = 2;
    }
}

/* One block; returns the bytes that were read and written. */
static double work(streamer *s)
{
    const uint64_t at = s->at * ELEMENTS;
    double bytes = CLUMP_MEMORY_BLOCK;
    switch (s->board->kernel) {
    case CLUMP_MEMORY_READ: /* of the same memory as the others: block i of a, b and c in turn */
        s->sum = read_block(s->a + at);
        s->sum += read_block(s->b + at);
        s->sum += read_block(s->c + at);
        bytes *= 3;
        break;
    case CLUMP_MEMORY_COPY:
        copy_block(s->a + at, s->b + at);
        bytes *= 2;
        break;
    default:
        triad_block(s->a + at, s->b + at, s->c + at);
        bytes *= 3;
        break;
    }
    s->at = (s->at + 1) % s->blocks;
    return bytes;
}

static uint64_t processor_time_ns(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0
               ? (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec
               : 0;
}

/*
 * Stream until all others do, too, then through the window, which has the same ends for all: a
 * process counts the whole blocks within it, and the time that these took. At least one block is
 * counted, also if it ends outside.
 */
static void stream(streamer *s)
{
    board *b = s->board;
    uint64_t first = 0, last = 0, processor = 0;
    double bytes = 0;
    int64_t blocks = 0;
    bool late = false;
    if (!is_in_place(s))
        pin(s);
    const uint64_t came = clump_time_ns();
    if (atomic_fetch_add(&b->arrived, 1) + 1 == b->count)
        atomic_store(&b->begin, clump_time_ns() + WARM_NS);
    for (;;) {
        const double done = work(s);
        const uint64_t now = clump_time_ns();
        const uint64_t begin = atomic_load_explicit(&b->begin, memory_order_acquire);
        /* Whoever was moved to this processor could never come: with real-time priority none is taken
         * away. */
        if (begin == 0 && now > came + PATIENCE_NS)
            sched_yield();
        if (begin == 0 || now < begin)
            continue;
        const uint64_t end = begin + b->window_ns;
        if (first == 0) {
            late = now > end; /* slept through all of it */
            first = now;
            processor = processor_time_ns();
        } else if (now <= end || blocks == 0) {
            late |= now > end;
            last = now;
            bytes += done;
            blocks++;
        }
        if (now > end && blocks > 0) {
            const double wall = (double)(now - first);
            s->own->had = (double)(processor_time_ns() - processor) / wall;
            break;
        }
    }
    s->own->rate = 1000 * bytes / (double)(last - first);
    s->own->blocks = blocks;
    if (late || !is_in_place(s))
        s->own->had = 0;
}

/* A cache line to and fro between the first two: the shortest of three tries, since another program
 * makes one longer. Where both have a processor at the same time too seldom, they give up. */
static void bounce(streamer *s)
{
    board *b = s->board;
    uint64_t shortest = UINT64_MAX;
    const uint64_t last = clump_time_ns() + LINE_NS;
    for (uint64_t n = 0, began = 0, line = 0; n <= 3 * 2 * LINE_TURNS && line != GIVEN_UP; n += 2) {
        const uint64_t expected = n + s->rank;
        for (uint32_t spins = 1;; spins++) {
            line = atomic_load_explicit(&b->line, memory_order_acquire);
            if (line == expected || line == GIVEN_UP)
                break;
            clump_relax();
            if (spins % 0x1000 != 0)
                continue;
            if (clump_time_ns() > last)
                atomic_store(&b->line, GIVEN_UP);
            sched_yield();
        }
        const uint64_t now = n % (2 * LINE_TURNS) == 0 ? clump_time_ns() : 0;
        if (now != 0 && n > 0 && line != GIVEN_UP && now - began < shortest)
            shortest = now - began;
        began = now != 0 ? now : began;
        if (line != GIVEN_UP && !atomic_compare_exchange_strong(&b->line, &line, expected + 1))
            line = GIVEN_UP;
    }
    if (s->rank == 0)
        b->line_us = shortest < UINT64_MAX ? (double)shortest / LINE_TURNS / 2 / 1000 : 0;
}

static void be_streamer(unsigned rank, void *context)
{
    const struct clump_memory_streams *of = context;
    streamer s = {.board = of->board, .own = &of->board->places[rank], .streams = of, .rank = rank};
    pin(&s);
    for (;;) {
        while (sem_wait(&s.own->go) != 0)
            ;
        if (s.board->task == TOUCH)
            touch(&s);
        else if (s.board->task == STREAM)
            stream(&s);
        else
            bounce(&s);
        sem_post(&s.board->done);
    }
}

/* ---- their parent */

/* Have the first `count` processes do something, and wait for them. */
static clump_protocol_status command(clump_memory_streams *s, task what, unsigned count,
                                     char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    board *b = s->board;
    b->task = what;
    b->count = count;
    atomic_store(&b->arrived, 0);
    atomic_store(&b->begin, 0);
    atomic_store(&b->line, 0);
    for (unsigned i = 0; i < count; i++)
        sem_post(&b->places[i].go);
    for (unsigned done = 0; done < count;) {
        /* Nobody is woken for nothing: it would take a processor from one that is measured. */
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        unsigned rank;
        if (sem_timedwait(&b->done, &until) == 0) {
            done++;
            continue;
        }
        if (!clump_workers_look(&s->workers, &rank, message)) {
            const size_t used = strlen(message);
            if (atomic_load(&b->failed) != 0)
                snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "%.255s", b->message);
            else if (s->workers.signal == SIGKILL && used < CLUMP_CALIBRATION_MESSAGE_BYTES)
                snprintf(message + used, CLUMP_CALIBRATION_MESSAGE_BYTES - used,
                         ": by somebody, or by the system, which ran out of memory");
            return CLUMP_PROTOCOL_FAILED;
        }
        if (s->options.watch(s->options.context)) {
            snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "stopped");
            return CLUMP_PROTOCOL_TIMED_OUT;
        }
    }
    return CLUMP_PROTOCOL_OK;
}

clump_memory_streams *clump_memory_start(const clump_memory_options *options,
                                         clump_protocol_status *status,
                                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const unsigned count = options->count;
    const size_t size = sizeof(board) + count * sizeof(place);
    clump_memory_streams *s = calloc(1, sizeof *s);
    *status = CLUMP_PROTOCOL_FAILED;
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "out of memory");
    if (s == NULL)
        return NULL;
    s->options = *options;
    s->array_bytes =
        (options->array_bytes + CLUMP_MEMORY_BLOCK - 1) / CLUMP_MEMORY_BLOCK * CLUMP_MEMORY_BLOCK;
    s->workers =
        (clump_workers){.count = count, .children = calloc(count, sizeof *s->workers.children)};
    s->cpus = malloc(count * sizeof *s->cpus);
    void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    s->board = shared != MAP_FAILED ? shared : NULL;
    s->board_size = size;
    bool ok = s->board != NULL && s->workers.children != NULL && s->cpus != NULL;
    if (ok) {
        memcpy(s->cpus, options->cpus, count * sizeof *s->cpus);
        s->board->window_ns = (uint64_t)(1e6 * options->window_ms);
        ok = sem_init(&s->board->done, 1, 0) == 0;
        for (unsigned i = 0; i < count && ok; i++)
            ok = sem_init(&s->board->places[i].go, 1, 0) == 0;
    }
    if (ok && clump_workers_start(&s->workers, SIGKILL, be_streamer, s, message))
        *status = command(s, TOUCH, count, message);
    if (*status == CLUMP_PROTOCOL_OK)
        return s;
    clump_memory_end(s);
    return NULL;
}

/* Stream, and see how much of the other processors was in use meanwhile. */
static clump_protocol_status stream_once(clump_memory_streams *s, unsigned count, bool *crowded,
                                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const double before = clump_memory_others("/proc", s->cpus, count);
    const uint64_t began = clump_time_ns();
    const clump_protocol_status status = command(s, STREAM, count, message);
    const double elapsed = 1e-9 * (double)(clump_time_ns() - began), /* s */
        step = 1 / (double)sysconf(_SC_CLK_TCK),
                 others = clump_memory_others("/proc", s->cpus, count) - before;
    *crowded = others > 1.5 * step + most_others * count * elapsed;
    return status;
}

/* What all together did in the last window. */
static void gather(const clump_memory_streams *s, unsigned count, clump_memory_measured *measured)
{
    *measured = (clump_memory_measured){.slowest = s->board->places[0].rate,
                                        .blocks = s->board->places[0].blocks};
    for (unsigned i = 0; i < count; i++) {
        const place *p = &s->board->places[i];
        measured->total += p->rate;
        measured->disturbed |= !(p->had >= least_had);
        if (p->rate < measured->slowest) {
            measured->slowest = p->rate;
            measured->blocks = p->blocks;
        }
    }
}

clump_protocol_status clump_memory_measure(clump_memory_streams *s, clump_memory_kernel kernel,
                                           unsigned count, clump_memory_measured *measured,
                                           char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const unsigned tries = TRIES - s->in_vain;
    s->board->kernel = kernel;
    for (unsigned i = 0; i < tries; i++) {
        bool crowded;
        const clump_protocol_status status = stream_once(s, count, &crowded, message);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        gather(s, count, measured);
        measured->crowded = crowded;
        measured->disturbed |= crowded;
        if (!measured->disturbed) {
            s->in_vain = 0;
            return CLUMP_PROTOCOL_OK;
        }
    }
    /* Who is always disturbed gains nothing by trying each measurement four times. */
    if (s->in_vain < TRIES - 1)
        s->in_vain++;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_memory_line(clump_memory_streams *s, double *line_us,
                                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    *line_us = 0;
    if (s->options.count < 2)
        return CLUMP_PROTOCOL_OK;
    const clump_protocol_status status = command(s, BOUNCE, 2, message);
    if (status == CLUMP_PROTOCOL_OK)
        *line_us = s->board->line_us;
    return status;
}

void clump_memory_end(clump_memory_streams *s)
{
    if (s == NULL)
        return;
    if (s->workers.children != NULL)
        clump_workers_end(&s->workers);
    if (s->board != NULL)
        munmap(s->board, s->board_size);
    free(s->workers.children);
    free(s->cpus);
    free(s);
}
