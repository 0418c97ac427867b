/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FITTING_FIT_REPORT_H
#define CLUMP_CLI_FITTING_FIT_REPORT_H

/* What the commands that fit print and keep in the same way. */

#include "cli/command.h"
#include "cli/output/output.h"
#include "data/store/store.h"
#include "fitting/notes.h"
#include "model/status.h"

enum { FIT_TABLES = 8 };

/** A fit as tables; the fit must outlive them. */
typedef struct fit_tables {
    table_rows all[FIT_TABLES]; /**< as JSON has them; CSV is the first */
    size_t count;
    void *records; /**< of some of them, for free(); NULL: there was no memory */
} fit_tables;

/** Append the tables of sources and of notes, which are the last two then. */
void fit_tables_add_lists(fit_tables *tables, const char *const *sources, size_t count,
                          const clump_notes *notes);

/** Print JSON, with these fields before the tables, or CSV, or what `for_eyes` prints; and free the records.
 *  @return the exit code */
int fit_print(const command_invocation *invocation, fit_tables *tables, const output_field *fields,
              size_t field_count, int (*for_eyes)(const void *fit, const fit_tables *tables),
              const void *fit);

/** For eyes: tables from `first` on and before `end` with a blank line between them, without those that are empty.
 *  @param follows  something was printed before: a blank line comes first, too
 *  @return the exit code */
int fit_print_tables(const fit_tables *tables, size_t first, size_t end, bool follows);

/** For eyes: what fit_tables_add_lists has added. */
void fit_print_lists(const fit_tables *tables);

/** Append " --OPTION 'VALUE'" to the text of a command; nothing if the value is "". */
void fit_command_add(char *text, size_t size, const char *option, const char *value);

/** Complain unless the fit was stored under the name of --name. @return the exit code */
int fit_check_stored(const char *command, clump_store_status status, const clump_error *error);

#endif
