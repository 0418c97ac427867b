/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_LOGGP_LOGGP_VALUES_H
#define CLUMP_FITTING_LOGGP_LOGGP_VALUES_H

/* From curves to the five parameters. Internal to fitting/. */

#include "fitting/loggp/loggp_fit.h"

/** Set the values, their intervals and correlations from the fitted curves. */
clump_status clump_loggp_values_set(clump_loggp_fit *fit, clump_error *error);

/** Say what to beware of. */
clump_status clump_loggp_notes_write(clump_loggp_fit *fit, clump_error *error);

#endif
