/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_STORED_VALUES_H
#define CLUMP_SCENARIOS_STORED_VALUES_H

/*
 * Single values and records of the store: kept (store_cache.h), and drawn from their intervals where the
 * caller of the scenario draws. All of these raise Lua errors with the store's message.
 */

#include "scenarios/sandbox.h"

/** The store, if there is time for a look into it. */
clump_store *scenario_store_of(lua_State *L);

/** Raise the error for a status of the store; `what` was looked for. */
_Noreturn void scenario_store_fail(lua_State *L, clump_store_status status, const char *what);

/** Free a record and raise an error about it. What the store promises of its records is checked again: a file that somebody
 *  damaged would be counted wrongly in silence. */
_Noreturn void scenario_store_invalid(lua_State *L, void *record, const char *what,
                                      const char *name, const char *reason);

enum { SCENARIO_DRAWN_NAME = 160 }; /**< bytes for the name of what is drawn */

/** A number from a normal distribution that is cut off at `least` and `most`, or its median where nobody draws. */
double scenario_draw_normal(lua_State *L, const char *name, double median, double deviation,
                            double least, double most);

/** A number that was measured, with the half width of its 95% interval (NAN: not known): as it is, or
 *  drawn. It stays 0 or above. */
double scenario_draw_measured(lua_State *L, const char *name, double value, double half_width);

/** Half of the 95% interval; for a mean without one, from the deviation of single values. NAN: not known. */
double scenario_half_width(const clump_store_measurement *measured);

/**
 * A measurement, of the preferred variant or else of the only one.
 * @param why  receives the reason if there is none, valid until the store is asked again; NULL: nobody
 *             wants to know
 */
clump_store_status scenario_store_value(lua_State *L, const clump_store_filter *filter,
                                        const char **why, clump_store_measurement *measured);

/** Whether anything was measured of a transport of the platform, or of what it is part of: where nothing was, no quantity
 *  need be asked for. True also where the database cannot tell: the question about a quantity says why. */
bool scenario_store_has_transport(lua_State *L, const char *platform, const char *transport);

/** The number alone, drawn if it has an interval; false if there is none. */
bool scenario_store_number(lua_State *L, const clump_store_filter *filter, double *value);

/** The record of a platform, to be freed with clump_store_free(). */
clump_store_platform *scenario_store_platform(lua_State *L, const char *name);

#endif
