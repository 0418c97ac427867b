/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RESULT_PAGE_H
#define RESULT_PAGE_H

/*
 * --html FILE: results of a scenario as a page (page.h), with what the database knows of their
 * platforms and applications, and the scenario itself.
 */

#include "cli/options/options.h"
#include "cli/pictures/page.h"
#include "cli/pictures/result_plot.h"
#include "data/store/store.h"
#include "scenarios/scenario.h"

typedef struct result_page {
    const char *command; /**< for messages */
    const char *path;    /**< of the page */
    const char *title;
    const clump_result *results;
    const result_band *bands; /**< one a result, or NULL */
    size_t count;
    result_plot_kind kind;
    clump_store *store;                     /**< for provenance */
    const clump_scenario_options *scenario; /**< what was run, or NULL */
    const command_line *arguments;          /**< how it was asked for, or NULL */
    const page_table *tables;               /**< in place of those of the results, or NULL */
    size_t table_count;
    const plot_picture *plots; /**< above those of the results, or NULL */
    size_t plot_count;
    const char *answer; /**< a sentence, or NULL: the range of slowdowns */
} result_page;

/** Write the page; complains itself. Results that make no picture (result_plot.h) make a page
 *  without. @return exit code */
int result_page_write(const result_page *request);

#endif
