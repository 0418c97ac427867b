/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_SLOWDOWN_SLOWDOWN_TRAFFIC_H
#define CLUMP_FITTING_SLOWDOWN_SLOWDOWN_TRAFFIC_H

/* Internal to fitting/slowdown*. */

#include "data/store/store.h"
#include "model/traffic.h"

#include <stdbool.h>

/**
 * U, f, V and h of an application on a platform, from the traffic and LogGP parameters in the
 * store.
 * @param now_time_s  its time on the NOW; NAN: not known
 * @param known  false if the store lacks one of these, or they contradict the time (then `reason`
 *               says how, and is "" otherwise); nothing is written to `profile` then
 * Errors: a store that failed.
 */
clump_status slowdown_traffic_find(clump_store *store, const char *application,
                                   const char *platform, double now_time_s,
                                   clump_demand_profile *profile, bool *known, clump_error *reason,
                                   clump_error *error);

#endif
