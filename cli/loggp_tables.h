/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_LOGGP_TABLES_H
#define CLUMP_CLI_LOGGP_TABLES_H

/*
 * A fit of LogGP as rows: parameters, pieces, breaks, measured and fitted points, correlations,
 * sources, notes. The fit must outlive them.
 */

#include "cli/cells.h"
#include "fitting/loggp_fit.h"

typedef struct clump_cli_loggp {
    const clump_loggp_fit *fit;
    const char *platform;
} clump_cli_loggp;

clump_cli_rows clump_cli_loggp_parameters(const clump_cli_loggp *fit);
clump_cli_rows clump_cli_loggp_pieces(const clump_cli_loggp *fit);
clump_cli_rows clump_cli_loggp_breaks(const clump_cli_loggp *fit);
clump_cli_rows clump_cli_loggp_points(const clump_cli_loggp *fit);
clump_cli_rows clump_cli_loggp_correlations(const clump_cli_loggp *fit);
clump_cli_rows clump_cli_loggp_sources(const clump_cli_loggp *fit);
clump_cli_rows clump_cli_loggp_notes(const clump_cli_loggp *fit);

#endif
