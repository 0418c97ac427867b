/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DATA_FIT_H
#define DATA_FIT_H

/* What describes a fitted application, as rows. The fit must outlive them. */

#include "cli/output/cells.h"
#include "data/store/store.h"

/** Rows with key "parameters": those that were found, and those that were given. */
table_rows fit_parameter_rows(const clump_store_fit *fit);

/** Rows with key "fitted_times": what they were found from. */
table_rows fit_time_rows(const clump_store_fit *fit);

#endif
