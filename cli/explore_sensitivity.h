/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_SENSITIVITY_H
#define CLUMP_CLI_EXPLORE_SENSITIVITY_H

#include "cli/explorer.h"

/** --sensitivity: derivatives at the medians, and Sobol indices over the whole range, of every
 *  uncertain number. @return exit code; complains itself */
int clump_cli_sensitivity(clump_cli_explorer *explorer);

#endif
