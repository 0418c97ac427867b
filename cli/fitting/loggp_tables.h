/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_FITTING_LOGGP_TABLES_H
#define CLUMP_CLI_FITTING_LOGGP_TABLES_H

#include "cli/fitting/fit_report.h"
#include "fitting/loggp/loggp_fit.h"

/** Places among the tables. */
enum { LOGGP_PARAMETERS, LOGGP_CORRELATIONS, LOGGP_PIECES, LOGGP_BREAKS, LOGGP_POINTS };

fit_tables loggp_tables_make(const clump_loggp_fit *fit, const char *platform);

#endif
