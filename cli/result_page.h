/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RESULT_PAGE_H
#define CLUMP_CLI_RESULT_PAGE_H

/*
 * --html FILE: results of a scenario as a page (page.h), with what the data base knows of their
 * platforms and applications, and the scenario itself.
 */

#include "cli/options.h"
#include "cli/page.h"
#include "cli/result_plot.h"
#include "data/store.h"
#include "scenarios/scenario.h"

#define CLUMP_CLI_HTML_OPTION                                                                      \
    {                                                                                              \
        .name = "html", .argument = "FILE",                                                        \
        .help = "write a page that holds inputs, results, pictures and sliders,\n"                 \
                "and needs no network"                                                             \
    }

typedef struct clump_cli_result_page {
    const char *command; /**< for messages */
    const char *path;    /**< of the page */
    const char *title;
    const clump_result *results;
    const clump_cli_result_band *bands; /**< one a result, or NULL */
    size_t count;
    clump_cli_result_plot_kind kind;
    clump_store *store;                     /**< for provenance */
    const clump_scenario_options *scenario; /**< what was run, or NULL */
    const clump_cli_arguments *arguments;   /**< how it was asked for, or NULL */
    const clump_cli_page_table *tables;     /**< in place of those of the results, or NULL */
    size_t table_count;
    const clump_cli_plot *plots; /**< above those of the results, or NULL */
    size_t plot_count;
    const char *answer; /**< a sentence, or NULL: the range of slowdowns */
} clump_cli_result_page;

/** Write the page; complains itself. Results that make no picture (result_plot.h) make a page
 *  without. @return exit code */
int clump_cli_result_page_write(const clump_cli_result_page *request);

#endif
