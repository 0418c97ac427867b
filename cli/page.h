/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PAGE_H
#define CLUMP_CLI_PAGE_H

/*
 * A page to hand to a colleague: one HTML file that holds the question, inputs, tables, pictures
 * and the engine itself, and needs neither network nor server. Its policy allows no script but its
 * own, by digest, so that no text of strangers could run even if it got through as markup.
 */

#include "cli/cells.h"
#include "cli/plot.h"
#include "scenarios/result.h"

#include <stdbool.h>
#include <stdio.h>

/** Rows with a heading. */
typedef struct clump_cli_page_table {
    const char *heading;
    const char *note; /**< below it, or NULL */
    const clump_cli_rows *rows;
    bool folded; /**< only the heading shows until somebody opens it */
} clump_cli_page_table;

/** Text as it is, such as the scenario. */
typedef struct clump_cli_page_text {
    const char *heading;
    const char *text;
} clump_cli_page_text;

typedef struct clump_cli_page {
    const char *title;           /**< the question */
    const char *answer;          /**< a sentence, or NULL */
    const clump_result *results; /**< where the sliders can start; may be empty */
    size_t result_count;
    const clump_cli_plot *plots;
    size_t plot_count;
    const clump_cli_page_table *tables; /**< the answer in numbers */
    size_t table_count;
    const clump_cli_page_table *inputs; /**< with their provenance */
    size_t input_count;
    const clump_cli_page_text *texts;
    size_t text_count;
} clump_cli_page;

/** Write the page. Failed writes are found by ferror(file). */
void clump_cli_page_print(const clump_cli_page *page, FILE *file);

/** What the pages are made of, part of the program. */
typedef struct clump_cli_asset {
    const unsigned char *bytes;
    size_t size;
} clump_cli_asset;

clump_cli_asset clump_cli_asset_style(void);
clump_cli_asset clump_cli_asset_script(void);
clump_cli_asset clump_cli_asset_controls(void);
clump_cli_asset clump_cli_asset_engine(void);

#endif
