/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPLORE_BREAK_EVEN_H
#define EXPLORE_BREAK_EVEN_H

#include "exploring/explorer.h"

/** --break-even: the utilizations at which two configurations, or one and the NOW, take equally
 *  long. @return exit code; complains itself */
int clump_break_even(clump_explorer *explorer);

#endif
