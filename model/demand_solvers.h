/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_DEMAND_SOLVERS_H
#define CLUMP_MODEL_DEMAND_SOLVERS_H

/* Internal to model/: slowdowns under the demands of demand.h that are not independent. */

#include "model/needs.h"
#include "model/station.h"
#include "model/status.h"

#include <stddef.h>

/**
 * Correlated demand. All start to communicate together and share the station as always; those with
 * the least to send finish first: X = C + t with t the time until D has been sent. For equal
 * processors X = 1 - U + U P/mu(P), which is (8.9) when mu = N; with several needs new, MODEL.md 5.
 * Memory is not read: where processors that have sent compute beside others see model_compute_together.
 *
 * @param needs      in ascending order of communication, as model_needs_make leaves them
 * @param slowdowns  receives one value a need, without the wait for the slowest before the next
 *                   common start: the greatest of them is the time from start to start
 * Cost: O(count).
 */
clump_status clump_correlated_slowdown(const clump_need *needs, size_t count,
                                       const clump_station *station, double *slowdowns,
                                       clump_error *error);

/**
 * Scheduled demand: the least mean slowdown of all processors that any schedule of their
 * communication can reach, and the slowdowns in that schedule.
 *
 * A schedule says at every moment who communicates; those q share the station as always, mu(q)/q
 * each, and nobody communicates and computes at once. Communication can be divided and moved at
 * will, and each processor goes on with its next cycle without waiting for others. Where all are
 * equal this is also the schedule with the least slowest processor, and (8.10) when mu = N. Exact;
 * new, MODEL.md 5. With memory a schedule also says who computes, and all have to be equal (MODEL.md 27).
 *
 * @param needs      in ascending order of communication, as model_needs_make leaves them
 * @param slowdowns  receives one value a need
 * Errors: CLUMP_BAD_ARGUMENT also where processors differ and a number of them up to which the station serves
 *         each at its greatest rate does not also serve most in all (N/m not whole, an efficiency, shared
 *         slots), unless all of them find room below it.
 * Cost: O(1) for equal processors, O(P) where efficiency is given or slots are shared; for K needs O(K log K) more.
 */
clump_status clump_scheduled_slowdown(const clump_need *needs, size_t count,
                                      const clump_station *station, double *slowdowns,
                                      clump_error *error);

/**
 * The least time in which a schedule lets all processors be done with the work of one cycle (MODEL.md 25). With
 * `rate` what the station serves each as long as no more than q communicate, and those q most in all: max(max(C + D/rate),
 * sum D/(q rate)), which McNaughton's rule reaches (Management Science 6, 1959).
 *
 * @param computation, communication  C and D of each processor
 * Errors: those of clump_scheduled_slowdown. Memory is not read. Cost: as there.
 */
clump_status model_scheduled_last(const double *computation, const double *communication,
                                  size_t processors, const clump_station *station, double *time,
                                  clump_error *error);

/**
 * Gangs of `gang_size` processors with equal utilization: X(P/s, N/s, U).
 *
 * Real s: exact through the closed form of erlang.h when mu is constant. Otherwise P/s is taken as
 * the nearest whole numbers of (equal) gangs below and above, and X interpolated linearly in s.
 *
 * @param station    of the node, seen by single processors (its gang_size is not used)
 * @param gang_size  s, 1 to P
 * @param active     receives the share of its time in which a processor communicates, or NULL
 * Cost: O(P/s).
 */
clump_status clump_gang_slowdown(size_t processors, double utilization,
                                 const clump_station *station, double gang_size, double *slowdown,
                                 double *active, clump_error *error);

/** Whole numbers of equal gangs next to P/s: X = X(more) + part (X(fewer) - X(more)). */
typedef struct model_gang_counts {
    size_t fewer, more;
    double part; /**< 1: `fewer` it is */
} model_gang_counts;

model_gang_counts model_gangs_of(size_t processors, double gang_size);

/** Processors that begin to compute at the same time, with the same work to do. */
typedef struct model_arrival {
    double time, work; /**< when they begin; C, the time that the work takes one processor alone */
    size_t processors; /**< may be 0 */
    double until;      /**< workspace of model_compute_together */
    size_t place;      /**< likewise */
} model_arrival;

/**
 * When the processors of each arrival have done their work, if memory is shared: while k processors
 * compute, each of them goes on at nu(k)/k of its speed alone.
 *
 * @param arrivals  in ascending order of time
 * @param ends      receives one time an arrival
 * Cost: O(count log count), no memory.
 */
void model_compute_together(model_arrival *arrivals, size_t count, const clump_station *station,
                            double *ends);

#endif
