/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_PAGE_H
#define CLUMP_CLI_PICTURES_PAGE_H

/*
 * A page to hand to a colleague: one HTML file that holds the question, inputs, tables, pictures
 * and the engine itself, and needs neither network nor server. Its policy allows no script but its
 * own, by digest, so that no text of strangers could run even if it got through as markup.
 */

#include "cli/output/cells.h"
#include "cli/pictures/plot.h"
#include "model/result.h"

#include <stdbool.h>
#include <stdio.h>

/** Rows with a heading. */
typedef struct page_table {
    const char *heading;
    const char *answer; /**< what it says, above it, or NULL */
    const char *note;   /**< below it, or NULL */
    const table_rows *rows;
    bool folded; /**< only the heading shows until somebody opens it */
} page_table;

/** Text as it is, such as the scenario. */
typedef struct page_text {
    const char *heading;
    const char *text;
} page_text;

typedef struct html_page {
    const char *version;         /**< of the program */
    const char *title;           /**< the question */
    const char *answer;          /**< a sentence, or NULL */
    const clump_result *results; /**< where the sliders can start; may be empty */
    size_t result_count;
    const plot_picture *plots;
    size_t plot_count;
    const page_table *tables; /**< the answer in numbers */
    size_t table_count;
    const page_table *inputs; /**< with their provenance */
    size_t input_count;
    const page_text *texts;
    size_t text_count;
    /** Draws what stands above the tables; then the page is to be printed, without sliders, engine and script. NULL: it has them. */
    void (*draw)(const void *context, FILE *file);
    const void *context;
} html_page;

/** Write the page; false: no memory. Failed writes are found by ferror(file). */
bool page_print(const html_page *page, FILE *file);

#endif
