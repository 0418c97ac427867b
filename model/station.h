/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_STATION_H
#define CLUMP_MODEL_STATION_H

#include "model/placement.h"
#include "model/status.h"

#include <stddef.h>

/*
 * The communication station: what the NICs of a node serve while q processors communicate.
 *
 *   q      processors (or gangs) that communicate now
 *   N      NICs pooled in the station
 *   m      NICs that one processor can drive at once
 *   E(q)   service efficiency with q processors active (8.2.4); E(1) = 1
 *   C(k)   what k NICs move that share slots (placement.h); C(k) = k where they do not
 *   mu(q)  total service rate, in units of one NIC that works for one processor:
 *              mu(q) = C(min(q m, N)) E(q)
 *          which is (8.7) with m, C and E left out, (8.5) with E. Every active processor receives
 *          mu(q)/q (processor sharing, 8.2).
 */

/** E as a function of the number of active processors; must be finite and positive. */
typedef double (*clump_efficiency_function)(double active, void *context);

/**
 * Service efficiency. All zero: E(q) = 1. A table gives E(1), E(2), ...; its last entry holds for
 * all larger q, and between whole q it is interpolated linearly (gangs of real size need that).
 * A function is asked for every q. Table and function belong to the caller.
 */
typedef struct clump_efficiency {
    const double *table;
    size_t table_length;
    clump_efficiency_function function;
    void *context;
} clump_efficiency;

typedef struct clump_station {
    double nics;                   /**< N; whole for a node, real for a station of gangs */
    double max_nics_per_processor; /**< m >= 1, or 0 for no limit */
    clump_efficiency efficiency;
    double gang_size;  /**< processors that one customer stands for; 0 is taken as 1 */
    clump_slots slots; /**< all zero: no NICs share a slot */
    /**
     * Rates of the other station, shared memory, which serves the processors that use no NIC:
     * nu(0), nu(1), ..., nu(computing_count - 1) for every number k of processors that can compute
     * at once (memory.h). NULL: nu(k) = k. Belongs to the caller.
     */
    const double *computing;
    size_t computing_count;
    double computing_step; /**< processors by which k grows from one rate to the next; 0 is taken
                                as 1 */
} clump_station;

/** Largest number of processors in one station that the exact solvers accept. */
#define CLUMP_MAX_PROCESSORS ((size_t)100000000)

/** Limits of N. The lower one is below 1 because gangs of s processors see N/s. */
#define CLUMP_LEAST_NICS 1e-9
#define CLUMP_MOST_NICS 1e15

/**
 * Check a station for `customers` processors or gangs: N, m, and E in the whole table, or the
 * function at every q that can occur (finite, 1e-50 to 1e50), and E(1) = 1; nu(k) for every k likewise.
 * Cost: O(customers) if E is a function or nu is given, O(table) otherwise.
 */
clump_status clump_station_check(const clump_station *station, size_t customers,
                                 clump_error *error);

/** mu(q) in NICs, seen by customers of `gang_size` processors: mu(q s)/s. 0 for q = 0. */
double clump_station_rate(const clump_station *station, size_t customers);

/** nu(k) for customers of s = `gang_size` processors: nu(k s)/s, interpolated linearly between
 *  whole numbers of processors. k where there is no `computing`. */
double clump_station_computing(const clump_station *station, size_t customers);

/** Whether mu(q) is the same for every q >= 1. The closed forms of erlang.h need this, and
 *  nu(k) = k. */
int clump_station_is_constant(const clump_station *station);

/*
 * Service efficiency with one number (8.2.4 leaves its form open): E(q) with q processors active
 * falls from E(1) = 1 by a coefficient e >= 0; e = 0 is E = 1.
 */

typedef enum clump_efficiency_form {
    CLUMP_EFFICIENCY_INVERSE = 0, /**< 1/(1 + e (q-1)): each more costs the same time */
    CLUMP_EFFICIENCY_POWER,       /**< q^-e */
    CLUMP_EFFICIENCY_EXPONENTIAL  /**< exp(-e (q-1)): each more costs the same share */
} clump_efficiency_form;

/** E(q). @param coefficient e >= 0  @param active q; below 1 counts as 1 */
double clump_efficiency_at(clump_efficiency_form form, double coefficient, double active);

/** "inverse", "power", "exponential". */
const char *clump_efficiency_form_name(clump_efficiency_form form);

/** By name; 0 if it is none of these. */
int clump_efficiency_form_parse(const char *name, clump_efficiency_form *form);

/** An efficiency by its form and coefficient, the input of clump_efficiency_by_law. */
typedef struct clump_efficiency_law {
    clump_efficiency_form form;
    double coefficient;
} clump_efficiency_law;

/** The efficiency of a station by a law; `law` must outlive the station. */
clump_efficiency clump_efficiency_by_law(clump_efficiency_law *law);

#endif
