/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_ANSWERING_H
#define CLUMP_MODEL_WORKLOAD_ANSWERING_H

/*
 * Requests that busy processors answer (new; MODEL.md 24).
 *
 * In an exchange all processors send requests at once, each waits for its answer before it sends the
 * next, and answers what arrives meanwhile. The round trip of LogGP is that of a request whose
 * receiver has nothing else to do. Here a request waits for what its receiver is doing: sending,
 * taking an answer, handling other requests; and so does the answer.
 *
 * The idea is that of LoPC: M. I. Frank, A. Agarwal, M. K. Vernon, "LoPC: Modeling Contention in
 * Parallel Algorithms", PPoPP 1997. Approximate mean value analysis; an event-by-event simulation
 * with constant times (tests/unit/model/test_answering.c) is 2 to 10% slower.
 */

#include "model/loggp.h"

/**
 * Round trip in an exchange without computation between the messages, microseconds. At least
 * clump_loggp_round_trip_us(), at most 1.75 (o_s + o_r) more, and next to it where latency is long
 * against overheads.
 *
 * A negative L means that overheads overlap: it is taken from o_r, and what is more from o_s.
 *
 * @param protocol  one that clump_loggp_check() accepts
 * Cost: some 50 evaluations of a rational function.
 */
double clump_answering_round_trip_us(const clump_loggp *protocol);

/** The protocol with a latency such that its round trip is that. */
clump_loggp clump_answering_protocol(const clump_loggp *protocol);

#endif
