/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_KIND_H
#define CLUMP_SCENARIOS_KIND_H

/*
 * The ways in which an application can be described. What only one of them has is in its file, kind_NAME.c, and is
 * reached through its scenario_kind; the rest of the walk from a script to its rows is the same for all:
 *
 *   read      application { ... }                    application.c
 *   profile   an application on a platform           profile.c
 *   complete  what the whole scenario says           plan.c
 *   set_up    a combination in terms of the model    setup.c
 *   predict   its slowdown                           setup.c
 *   describe  its row                                evaluate.c
 *
 * A member that is NULL: nothing is to be done, or what is done for a load with one utilization.
 */

#include "model/result.h"
#include "scenarios/objects.h"

struct scenario_profile;
struct scenario_plan;
struct scenario_point;
struct scenario_setup;
struct scenario_basis;

struct scenario_kind {
    const char *fields; /**< of application { ... } that only this kind has, with a space between */
    /** Fields of scenario { ... } that applications of the kind have of their own, as bits of dimensions; 0: none. */
    unsigned own;
    const char *own_words; /**< why, after "found FIELD, but "; with one %s for the name */
    bool is_of_messages;   /**< its messages were counted: so do cache misses */
    enum {
        SCENARIO_LOSSES_UNKNOWN,         /**< what a loss costs depends on its messages */
        SCENARIO_LOSSES_OF_FULL_PACKETS, /**< which a loss costs least */
        SCENARIO_LOSSES_OF_KIND          /**< the kind takes them into account, or is invalid */
    } losses;
    bool needs_time;  /**< of computation, on the NOW, or as measured somewhere */
    bool tells_times; /**< on every platform, from computation and what it sends */

    void (*read)(scenario_table table, scenario_application *application);
    /** Fill in what the application does on the platform, or make it invalid. */
    void (*profile)(lua_State *L, struct scenario_profile *profile);
    /** The same on a platform and on the one that it is compared with, where the times on one follow from those on the other. */
    void (*profile_both)(lua_State *L, struct scenario_profile *profile,
                         struct scenario_profile *other);
    void (*complete)(lua_State *L, const struct scenario_plan *plan,
                     struct scenario_profile *profile);
    /** Node and load are set. */
    clump_status (*set_up)(const struct scenario_point *point, struct scenario_setup *setup,
                           clump_error *error);
    clump_status (*predict)(const struct scenario_setup *setup, const struct scenario_point *point,
                            clump_prediction *prediction, clump_error *error);
    void (*describe)(const struct scenario_setup *setup, const struct scenario_point *point,
                     clump_result *row);
    /** Whether it is known that no slowdown rises with the number of NICs. */
    bool (*is_monotonic)(const struct scenario_setup *setup, const struct scenario_point *point);
    /** Compare with the basis where the kind tells the times on both platforms by itself. */
    clump_status (*compare)(const struct scenario_point *point, struct scenario_basis *basis,
                            clump_error *error);
};

extern const scenario_kind scenario_by_utilization, scenario_by_traffic, scenario_by_phases,
    scenario_by_collectives, scenario_by_recording;            /**< of application { ... } */
extern const scenario_kind scenario_by_store, scenario_by_fit; /**< of application "NAME" */

#define SCENARIO_OWN(dimension) (1U << (dimension))

/** Of applications whose times are told by more than a utilization. */
#define SCENARIO_OWN_ALL                                                                           \
    (SCENARIO_OWN(SCENARIO_REMOTE_FRACTION) | SCENARIO_OWN(SCENARIO_COST_RATIO) |                  \
     SCENARIO_OWN(SCENARIO_WAITING_FRACTION) | SCENARIO_OWN(SCENARIO_PHASE_CYCLES) |               \
     SCENARIO_OWN(SCENARIO_COMMUNICATION_RATIO) | SCENARIO_OWN(SCENARIO_UTILIZATION))

/* ---- what some of them share with others */

/** What the profile's application does on its platform with this traffic; or it is invalid. */
void scenario_traffic_use(lua_State *L, struct scenario_profile *profile,
                          const clump_traffic *remote, const clump_traffic *local);

/** The traffic itself, on a platform that is compared: in nodes of one processor all of it is remote.
 *  @param split  processors of the nodes for which it is known what leaves them; 0: any
 *  @return false: it is invalid */
bool scenario_traffic_set(lua_State *L, struct scenario_profile *profile,
                          const clump_traffic *remote, const clump_traffic *local, size_t split);

/** What follows for both, once they have their traffic. */
void scenario_traffic_compare(lua_State *L, struct scenario_profile *profile,
                              struct scenario_profile *other);

/** Make the application one by fit, if the store has one of it. */
void scenario_fit_find(lua_State *L, scenario_application *application);

enum { SCENARIO_MOST_FITTED = 16 };

/** Rows beyond what their application was fitted to; start with all zero. */
typedef struct scenario_fitted_rows {
    const scenario_application *applications[SCENARIO_MOST_FITTED];
    size_t outside[SCENARIO_MOST_FITTED];
    size_t count;
} scenario_fitted_rows;

/** Note a row of an application by fit, if it is one. */
void scenario_fitted_note(scenario_fitted_rows *rows, const struct scenario_point *point,
                          const struct scenario_setup *setup);

/** Tell how many there are, as a script prints. */
void scenario_fitted_tell(const scenario_fitted_rows *rows, const scenario_sandbox *sandbox);

/** Make the application one by recording, if the store has one of that name. */
void scenario_recording_find(lua_State *L, const char *name, scenario_application *application);

#endif
