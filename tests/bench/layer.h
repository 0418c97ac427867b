/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The shared-memory protocol between two pinned processes, as a program uses it. */
#ifndef CLUMP_TESTS_BENCH_LAYER_H
#define CLUMP_TESTS_BENCH_LAYER_H

#include <stdbool.h>

/** Request with `count` arguments, handler, reply, handler: half of the round trip, ns. */
double layer_latency(const char *algorithm, unsigned count, bool swap);
/** Requests as fast as they go, each answered: pairs a second. */
double layer_pairs(const char *algorithm, bool swap);
/** Requests that are not answered: messages a second. */
double layer_one_way(const char *algorithm, bool swap);
/** Requests with 8 kB that the handler copies out: bytes a second. */
double layer_bulk(const char *algorithm, bool swap);

#endif
