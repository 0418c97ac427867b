/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EXPLORE_BREAK_EVEN_H
#define CLUMP_CLI_EXPLORE_BREAK_EVEN_H

#include "cli/explorer.h"

/** --break-even: the utilizations at which two configurations, or one and the NOW, take equally
 *  long. @return exit code; complains itself */
int clump_cli_break_even(clump_cli_explorer *explorer);

#endif
