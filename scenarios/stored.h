/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_STORED_H
#define CLUMP_SCENARIOS_STORED_H

/* Platforms of the store, whose memory is in bandwidth.h, and what it knows of applications on them. Raises Lua errors with the
 * store's message. */

#include "scenarios/objects.h"
#include "scenarios/store_answers.h"

/** Nodes, mapping, LogGP of both protocols and the counterpart of a stored platform. */
void scenario_stored_platform(lua_State *L, const char *name, scenario_platform *platform);

/* ---- what is known of an application on a platform, or follows from runs elsewhere (stored_runs.c) */

/** Traffic of an application on a platform (tables 5.6 to 5.8); false if there is none. */
bool scenario_stored_traffic(lua_State *L, const char *application, const char *platform,
                             clump_traffic *remote, clump_traffic *local);

/** The same of a platform where it was not counted, from the runs that the store names (traffic_from,
 *  traffic_per_time_from; MODEL.md 18). */
bool scenario_stored_scaled_traffic(lua_State *L, const char *application,
                                    const scenario_platform *platform, clump_traffic *remote,
                                    clump_traffic *local);

/**
 * Its execution time, in seconds, with the multi-protocol layer if there are several.
 * @param half_width  of the 95% interval; NAN if not known
 * @return false if there is none; the message of the store tells more
 */
bool scenario_stored_time(lua_State *L, const char *application, const char *platform, double *time,
                          double *half_width);

/**
 * In how many short messages to other nodes its processors differ (table 5.7).
 * @param remote, local  of the mean
 * @return NULL if the store does not have the least and the greatest
 */
const struct scenario_uneven *scenario_stored_uneven(lua_State *L, const char *application,
                                                     const scenario_platform *platform,
                                                     const clump_traffic *remote,
                                                     const clump_traffic *local);

/**
 * What a processor computes, s on the NOW: as the store says (computation_time), or from the time of a
 * run within one node of the same machine that the store names (computation_from), without what its
 * messages cost there, and over what computation costs there (misses.h). NAN: not known.
 */
double scenario_stored_computation(lua_State *L, const scenario_application *application,
                                   const scenario_platform *platform);

#endif
