/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_PROFILE_H
#define CLUMP_SCENARIOS_PROFILE_H

#include "scenarios/objects.h"
#include "scenarios/recorded/recorded.h"

/** An application on a platform, in the terms of the model. NAN: not known. */
typedef struct scenario_profile {
    const scenario_application *application; /**< may be NULL */
    const scenario_platform *platform;       /**< may be NULL */
    scenario_numbers utilizations;           /**< none, one, or one a processor */
    double remote_fraction, cost_ratio, waiting_fraction;
    double stalled_fraction; /**< of the time without communication: waits, does not compute */
    bool has_traffic;        /**< these three hold */
    clump_traffic remote, local;
    double waited_share;
    double loss_factor; /**< communication on the NOW over that without loss; 1: nothing is lost */
    double occupancy_factor; /**< the same of the time in which it occupies NICs */
    double memory_penalty;   /**< that the script gives, or with all processors of the platform */
    clump_misses misses;     /**< which tell it for any number of them; now_us NAN: they do not */
    const struct scenario_uneven
        *uneven;               /**< NULL: all have the same traffic, or it is not known */
    scenario_bandwidth memory; /**< of the platform */
    scenario_memory_demand memory_demand;
    double phase_cycles;            /**< 0: equilibrium */
    double automatic_nics;          /**< max_nics_per_processor = "auto"; 0: not known */
    size_t split_processors;        /**< remote_fraction holds for nodes of this size; 0: any */
    scenario_efficiency efficiency; /**< of the platform */
    double now_time, measured_time; /**< s */
    double computation;             /**< s on the NOW; NAN: not known */
    /** Computation that does not fit into a time beside communication overlaps with it. */
    bool overlaps;
    double clean_time; /**< s; what now_time would be without loss */
    /** now_time over the time on the NOW with that NOW's own network; 1: it is the same network. */
    double now_factor;
    double now_utilization; /**< U on that NOW; NAN where it has no network of its own */
    const struct scenario_profile *other; /**< on the platform that it is compared with, or NULL */
    double measured_slowdown, measured_half_width;
    const clump_recorded *program; /**< what was recorded; NULL: nothing */
    const char *invalid;           /**< why nothing can be predicted; NULL: it can */
} scenario_profile;

/** What the scenario gives itself. */
typedef struct scenario_wanted {
    bool utilization;
    bool memory; /**< a share of it */
} scenario_wanted;

/**
 * Fill in the profile; both may be NULL. Raises an error if the script leaves out what is needed.
 * Where data do not fit together (traffic takes longer than the time, the store does not know
 * enough) the profile is invalid: its rows will say why.
 */
void scenario_profile_make(lua_State *L, const scenario_application *application,
                           const scenario_platform *platform, scenario_wanted wanted,
                           scenario_profile *profile);

/**
 * The same of an application on a platform that is compared with another one, and on that; what
 * depends on the time on the NOW is left to scenario_compare_set_up (compare.h).
 */
void scenario_profile_compare(lua_State *L, const scenario_application *application,
                              const scenario_platform *platform,
                              const scenario_platform *other_platform, scenario_wanted wanted,
                              scenario_profile *profile, scenario_profile *other);

/** Refuse it: its rows will say why they are empty. Formats as lua_pushfstring does. */
void scenario_profile_invalid(lua_State *L, scenario_profile *profile, const char *format, ...);

/** The same, behind the name of the application. */
void scenario_application_invalid(lua_State *L, scenario_profile *profile, const char *format, ...);

/** Whether the platform has these LogGP parameters. If the store lacks them the profile is invalid; a script that leaves them
 *  out (the field `key`) has made a mistake, which raises an error. */
bool scenario_profile_has(lua_State *L, scenario_profile *profile,
                          const scenario_protocol *protocol, const char *key);

/** Take the time that was measured on the platform, as the script says. */
void scenario_profile_measured(scenario_profile *profile);

/**
 * Everything that follows from the traffic of a profile that has some.
 *
 * @param now_time     s on the NOW without loss; NAN: computation and communication
 * @param computation  s; NAN: what is not communication
 * @param utilization  receives U; the profile points to it
 * Errors: those of clump_traffic_profile.
 */
clump_status scenario_profile_time(scenario_profile *profile, double now_time, double computation,
                                   double *utilization, clump_error *error);

/** What that takes on a NOW that loses nothing: communication, s. */
clump_status scenario_profile_communication(const scenario_profile *profile, double *time,
                                            clump_error *error);

/**
 * What becomes of values without loss that the script gives itself (each may be NULL): more
 * utilization, communication within the node that costs less beside the other, more waiting.
 * @return the time on the NOW over that without loss, by the utilization
 */
double scenario_profile_lose(const scenario_profile *profile, double *utilization,
                             double *cost_ratio, double *waiting_fraction);

#endif
