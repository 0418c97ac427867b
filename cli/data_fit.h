/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_DATA_FIT_H
#define CLUMP_CLI_DATA_FIT_H

/* What describes a fitted application, as rows. The fit must outlive them. */

#include "cli/cells.h"
#include "data/store.h"

/** Rows with key "parameters": those that were found, and those that were given. */
clump_cli_rows clump_cli_fit_parameter_rows(const clump_store_fit *fit);

/** Rows with key "fitted_times": what they were found from. */
clump_cli_rows clump_cli_fit_time_rows(const clump_store_fit *fit);

#endif
