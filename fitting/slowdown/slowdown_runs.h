/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_SLOWDOWN_SLOWDOWN_RUNS_H
#define CLUMP_FITTING_SLOWDOWN_SLOWDOWN_RUNS_H

/*
 * Measured times on their way to a fit: from a file, the store, or one by one; repetitions of a
 * configuration become one run with the spread they show.
 */

#include "data/store/store.h"
#include "fitting/slowdown/slowdown.h"

enum { CLUMP_SLOWDOWN_LABEL = 201, CLUMP_SLOWDOWN_NOTICES = 1024, CLUMP_SLOWDOWN_WHY = 256 };

/** One time as it was measured, or the mean of several. */
typedef struct clump_slowdown_record {
    clump_slowdown_run run;              /**< base and relative_error are not read */
    char platform[CLUMP_SLOWDOWN_LABEL]; /**< or what the runs are called; "": none */
    char source[CLUMP_SLOWDOWN_LABEL];   /**< in the store; "": none */
    char base[CLUMP_SLOWDOWN_LABEL];     /**< the NOW it is compared with; "": the only one */
    double half_width, std_dev;          /**< of the 95% interval; of single times; NAN: unknown */
    double repetitions;                  /**< behind time_s, 1 or more; NAN: unknown */
    char unknown[CLUMP_SLOWDOWN_WHY]; /**< why its utilization is not; "": nobody asked the store */
} clump_slowdown_record;

typedef struct clump_slowdown_runs {
    clump_slowdown_record *records;
    size_t record_count, record_room;
    /* What clump_slowdown_runs_merge leaves: */
    clump_slowdown_run *runs;
    size_t *record_of;   /**< first record of each run */
    size_t *repetitions; /**< records of each run */
    size_t run_count;
    size_t base_of[CLUMP_SLOWDOWN_BASES]; /**< a record of each base, for its name */
    size_t base_count;
    double error_freedom;
    bool slowdowns;                       /**< times are slowdowns: those of the bases are 1 */
    char notices[CLUMP_SLOWDOWN_NOTICES]; /**< lines for the user */
} clump_slowdown_runs;

/** A record with everything unknown. */
clump_slowdown_record clump_slowdown_record_default(void);

void clump_slowdown_runs_free(clump_slowdown_runs *runs);

/** Copies a record. */
clump_status clump_slowdown_runs_add(clump_slowdown_runs *runs, const clump_slowdown_record *record,
                                     clump_error *error);

/**
 * Add the records of a CSV file: a line of names, among them processors, nics and time (or time_s,
 * seconds, value with a column unit, slowdown), perhaps mapping, now, platform, remote_fraction,
 * cost_ratio, waiting_fraction, utilization, max_nics_per_processor, half_width, std_dev, runs.
 *
 * @param name     of the file, for messages
 * @param mapping  of rows that do not say
 * Errors: CLUMP_BAD_ARGUMENT with file and line.
 */
clump_status clump_slowdown_runs_read(clump_slowdown_runs *runs, const char *name,
                                      const char *bytes, size_t size, clump_mapping mapping,
                                      clump_error *error);

/** Which times of the store. */
typedef struct clump_slowdown_selection {
    const char *application;
    const char *quantity;         /**< NULL: execution_time */
    const char *variant;          /**< NULL: multi-protocol, or else the only one */
    const char *const *platforms; /**< NULL: all; their NOWs are taken along */
    size_t platform_count;
    clump_mapping mapping; /**< of platforms that do not say */
} clump_slowdown_selection;

/**
 * Add what the store has: times on platforms, and where it knows the traffic and the LogGP
 * parameters, utilization, remote fraction, cost ratio and waiting fraction on each (MODEL.md 7).
 * Errors: CLUMP_BAD_ARGUMENT; CLUMP_NO_MEMORY; CLUMP_INCONSISTENT for a store that failed.
 */
clump_status clump_slowdown_runs_load(clump_slowdown_runs *runs, clump_store *store,
                                      const clump_slowdown_selection *selection,
                                      clump_error *error);

/** Make runs of the records: bases numbered, repetitions merged, errors found. */
clump_status clump_slowdown_runs_merge(clump_slowdown_runs *runs, clump_error *error);

/** As what the result of a fit is kept. */
typedef struct clump_slowdown_keeping {
    const char *name;        /**< of the application that it becomes */
    const char *application; /**< whose times these are; may be NULL */
    const char *file;        /**< that times were read from, "-": standard input; may be NULL */
    const char *sha256;      /**< of it */
    const char *command;     /**< for the source; may be NULL */
    const char *version;     /**< of this program; may be NULL */
} clump_slowdown_keeping;

/**
 * Keep the result, all of it or nothing, in one transaction.
 * @param taken  receives whether the name is that of an application that is there: nothing is kept
 * @param error  CLUMP_NO_MEMORY, or CLUMP_OK: the message of a failure is the store's
 */
clump_store_status clump_slowdown_fit_store(clump_store *store, const clump_slowdown_runs *runs,
                                            const clump_slowdown_question *question,
                                            const clump_slowdown_fit *fit,
                                            const clump_slowdown_keeping *how, bool *taken,
                                            clump_error *error);

/** Add a line to the notices, as printf would; what does not fit is dropped. */
__attribute__((format(printf, 2, 3))) void clump_slowdown_runs_notice(clump_slowdown_runs *runs,
                                                                      const char *format, ...);

#endif
