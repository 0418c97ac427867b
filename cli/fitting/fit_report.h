/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FITTING_FIT_REPORT_H
#define CLUMP_CLI_FITTING_FIT_REPORT_H

/* What the commands that fit print and keep in the same way. */

#include "cli/output/output.h"
#include "data/store/store.h"
#include "model/status.h"

/** Print tables with a blank line between them, without those that are empty.
 *  @param follows  something was printed before: a blank line comes first, too
 *  @return the exit code */
int fit_print_tables(const table_rows *const *tables, size_t count, bool follows);

/** Print the texts of the first column as a list below a title; nothing if there are none. */
void fit_print_list(const char *title, const table_rows *rows);

/** Append " --OPTION 'VALUE'" to the text of a command; nothing if the value is "". */
void fit_command_add(char *text, size_t size, const char *option, const char *value);

/** Complain unless the fit was stored under the name of --name. @return the exit code */
int fit_check_stored(const char *command, clump_store_status status, const clump_error *error);

#endif
