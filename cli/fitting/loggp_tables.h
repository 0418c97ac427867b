/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FITTING_LOGGP_TABLES_H
#define CLUMP_CLI_FITTING_LOGGP_TABLES_H

#include "cli/output/cells.h"
#include "fitting/loggp/loggp_fit.h"

/** A fit of LogGP as tables; the fit must outlive them. */
typedef struct loggp_tables {
    table_rows parameters, correlations, pieces, breaks, points, sources, notes;
    void *records; /* of the first five */
} loggp_tables;

/** False: no memory. Free them in any case. */
bool loggp_tables_make(const clump_loggp_fit *fit, const char *platform, loggp_tables *tables);

void loggp_tables_free(loggp_tables *tables);

#endif
