/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Two pinned processes that do something together, and the time it takes. */
#ifndef CLUMP_TESTS_BENCH_PAIR_H
#define CLUMP_TESTS_BENCH_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What the two share; zero to begin with. */
struct pair {
    _Alignas(64) _Atomic uint64_t ready, stop, failed;
    double result;
    _Alignas(64) unsigned char memory[64 * 8192 + 8192];
};

/**
 * Run `serve` in a child on processor 1 and `measure` here on processor 0 (the other way round if
 * `swap`). Returns what `measure` returns, NAN if either failed; the child is gone afterwards.
 */
double pair_run(void (*serve)(struct pair *, void *), double (*measure)(struct pair *, void *),
                void *context, bool swap);

/** The calling process on processor number `index` of those that it may use (modulo their number).
 */
void pair_pin(unsigned index);

/** Seconds, monotonic. */
double pair_seconds(void);

/** Sorts; the middle, NAN of nothing. */
double pair_median(double *values, size_t count);

/**
 * Times of many equal parts of a measurement: their median does not see a part during which another
 * program had the processor, as the peers' median does not.
 */
struct pair_parts {
    double times[200], last;
    size_t count;
};

void pair_part_begin(struct pair_parts *parts);
/** A part has ended, the next one begins. */
void pair_part_end(struct pair_parts *parts);

/** One cache line that goes to and fro by plain stores: one way, ns. Also tells the two speeds of a
 *  virtual machine apart. */
double pair_floor(bool swap);
/** A line of 56 bytes of payload and a flag, filled anew and read at each turn: one way, ns. */
double pair_payload_line(bool swap);
/** Copies 8 kB blocks into `blocks` shared blocks and out of them: bytes a second. */
double pair_copy(unsigned blocks, bool swap);

#endif
