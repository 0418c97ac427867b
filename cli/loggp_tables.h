/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LOGGP_TABLES_H
#define LOGGP_TABLES_H

/*
 * A fit of LogGP as rows: parameters, pieces, breaks, measured and fitted points, correlations,
 * sources, notes. The fit must outlive them.
 */

#include "cli/output/cells.h"
#include "fitting/loggp/loggp_fit.h"

typedef struct loggp_answer {
    const clump_loggp_fit *fit;
    const char *platform;
} loggp_answer;

table_rows loggp_parameters(const loggp_answer *fit);
table_rows loggp_pieces(const loggp_answer *fit);
table_rows loggp_breaks(const loggp_answer *fit);
table_rows loggp_points(const loggp_answer *fit);
table_rows loggp_correlations(const loggp_answer *fit);
table_rows loggp_sources(const loggp_answer *fit);
table_rows loggp_notes(const loggp_answer *fit);

#endif
