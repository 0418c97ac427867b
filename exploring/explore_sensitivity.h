/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EXPLORE_SENSITIVITY_H
#define EXPLORE_SENSITIVITY_H

#include "exploring/explorer.h"

/** --sensitivity: derivatives at the medians, and Sobol indices over the whole range, of every
 *  uncertain number. @return exit code; complains itself */
int clump_sensitivity(clump_explorer *explorer);

#endif
