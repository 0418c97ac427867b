/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What a calibration of one protocol says in the end: LogGP by the formulae of section 5.3.1, and
 * the means of everything else; beside them the thesis's figures, if they are wanted.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_LOGGP_RESULTS_H
#define CLUMP_PROTOCOLS_CALIBRATION_LOGGP_RESULTS_H

#include "protocols/calibration/sample_store.h"

/** The tables, in the order in which they are shown. */
typedef enum clump_calibration_table {
    CLUMP_TABLE_LOGGP,
    CLUMP_TABLE_COMPONENTS, /**< of a send */
    CLUMP_TABLE_SIZES,
    CLUMP_TABLE_SIZES_BACK,
    CLUMP_TABLE_PIECES,
    CLUMP_TABLE_PIECES_BACK,
    CLUMP_TABLE_LOSSES,
    CLUMP_TABLE_STRESS,
    CLUMP_TABLE_LENGTHS,
    CLUMP_TABLE_BACKOFF,
    CLUMP_TABLE_JOBS,
    CLUMP_TABLES
} clump_calibration_table;

/** "Message sizes". */
const char *clump_calibration_table_title(clump_calibration_table table);

typedef struct clump_calibration_row {
    clump_calibration_table table; /**< rows of one follow each other */
    const char *variant;
    clump_quantity quantity;
    char setting[48];
    int64_t size_bytes; /**< -1: none */
    unsigned processes; /**< 0: does not matter */
    double mean;        /**< NAN: all runs that would tell it are doubtful */
    double half_width, std_dev;
    size_t runs;                      /**< 0: derived from others */
    size_t doubtful;                  /**< runs that are left out; derived: those that are missed */
    double thesis, thesis_half_width; /**< NAN: none */
} clump_calibration_row;

typedef struct clump_calibration_results {
    clump_calibration_row *rows;
    size_t count, room;
    bool failed; /**< out of memory */
} clump_calibration_results;

/** Rows of all samples. Check `failed`; free in any case. */
void clump_calibration_summarize(const clump_calibration_samples *samples,
                                 clump_calibration_results *results);
void clump_calibration_results_free(clump_calibration_results *results);

/** Fill in the thesis's figures from the reference data. */
clump_store_status clump_calibration_compare(clump_store *store,
                                             clump_calibration_results *results);

/** Whether a row is a parameter of LogGP that is stored beside the samples, if it is known. Those that are a sample, or
 *  twice a sample, are not: the samples tell them. */
bool clump_calibration_is_parameter(const clump_calibration_row *row);

#endif
