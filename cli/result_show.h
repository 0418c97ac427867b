/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_SHOW_H
#define CLUMP_CLI_RESULT_SHOW_H

/*
 * What results of scenarios can become beside text: --plot, --plot-kind, --html, for
 * every command that has such results: its settings hold a show_options. The page (page.h) has what
 * the database knows of their platforms and applications, and the scenario itself.
 */

#include "cli/output/output.h"
#include "cli/pictures/page.h"
#include "cli/pictures/plot_options.h"
#include "cli/pictures/result_plot.h"
#include "data/provenance.h"
#include "scenarios/scenario.h"

typedef struct show_options {
    plot_request plot;
    result_plot_kind kind;
    const char *html; /**< file, or NULL */
} show_options;

/** What there is to show. */
typedef struct result_page {
    const char *command; /**< for messages */
    const char *path;    /**< of the page */
    const char *title;
    const clump_result *results; /**< pictures leave out those that could not be predicted */
    const result_band *bands;    /**< one a result, or NULL */
    size_t count;
    bool chosen; /**< there are others: what they say together answers no question */
    result_plot_kind kind;
    clump_store *store;                     /**< for provenance */
    const clump_scenario_options *scenario; /**< what was run */
    const command_line *arguments;          /**< how it was asked for */
    const page_table *tables;               /**< in place of those of the results, or NULL */
    size_t table_count;
    const plot_picture *plots; /**< above those of the results, or NULL */
    size_t plot_count;
} result_page;

/** How results came about: the program, the command line that makes them again, and the digest of all that they were made
 *  from (data/provenance.h). */
typedef struct result_origin {
    char *command; /**< on the heap */
    char inputs[CLUMP_SHA256_TEXT];
} result_origin;

enum { ORIGIN_FIELDS = 3 };

/** Let a scenario note its inputs, to be released with clump_provenance_free(); the first is the program. @return exit code */
int origin_begin(const char *command, clump_scenario_options *scenario);

/** When all results are there; complains itself. Free `command` in any case. @return exit code */
int origin_make(const command_line *arguments, const clump_scenario_options *scenario,
                result_origin *origin);

/** "version", "command" and "inputs", for JSON. @return ORIGIN_FIELDS */
size_t origin_fields(const result_origin *origin, output_field fields[ORIGIN_FIELDS]);

/** All three, into a show_options. */
extern const option_entry result_show_options[];

/** Whether there is something to be drawn as --plot-kind says; complains itself. @return exit code */
int show_check(const command_line *line);

/**
 * Draw and write what was asked for, if anything, after the results are printed; complains itself.
 * Results that make no picture (result_plot.h) make a page without.
 *
 * @param page  the results; command, path and kind are filled in here
 * @return exit code
 */
int show_results(const show_options *show, result_page page);

#endif
