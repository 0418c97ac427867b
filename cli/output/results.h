/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_RESULTS_H
#define CLUMP_CLI_OUTPUT_RESULTS_H

/*
 * The fields of a result, one entry each: from these take tables, JSON, CSV, the page, pictures,
 * and the columns and conditions of `explore` what a field is called, its unit, its format and its
 * value. To add one: a line in results.c.
 */

#include "cli/output/cells.h"
#include "model/result.h"

/** Rows for any format; `results` must outlive them. */
table_rows result_rows(const clump_result *results, size_t count);

/** The column with that key; NULL: there is none. */
const table_column *result_column(const char *key);

/** How many of these results, from the first on, are of one scenario. */
size_t result_scenario_length(const clump_result *results, size_t count);

/**
 * Interval in which 90% of measured slowdowns lie (of measured ratios, where two platforms are compared),
 * going by the errors of the model where it was judged (model/model_error.h).
 *
 * @param input_low, input_high  of the same, from uncertain inputs; NAN: they are exact
 * @return false where there is none: of single processors, simulations, a node that is the NOW
 */
bool result_interval(const clump_result *result, double input_low, double input_high, double *low,
                     double *high);

/** Data sets from which the errors of the model are known that this interval goes by. */
size_t result_judged_sets(const clump_result *result);

/** What a row is judged by, and pictures show: clump_result_relative_time; of a single processor its own slowdown. */
double result_judged(const clump_result *result);

/** Mean of |error| over the rows that have one; NAN if none has. */
double result_mean_error(const clump_result *results, size_t count);

/**
 * Why rows could not be predicted: a line for each reason, the same one only once. "" if all were.
 * @param records  begin with a clump_result each
 * @return on the heap, unescaped; NULL: no memory
 */
char *result_refusals(const void *records, size_t record_size, size_t count);

/** A slowdown in words, to follow "takes": "0.2% longer than the NOW", "as long as the NOW".
 *  @param than  "the NOW", or what else it is compared with */
enum { SLOWDOWN_WORDS_SIZE = 140 };
const char *slowdown_words(double slowdown, const char *than, char text[SLOWDOWN_WORDS_SIZE]);

#endif
