/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_OBJECTS_H
#define CLUMP_SCENARIOS_OBJECTS_H

#include "model/loggp.h"
#include "model/lossy_network.h"
#include "model/station.h"
#include "model/workload/misses.h"
#include "model/workload/traffic.h"
#include "scenarios/bandwidth.h"
#include "scenarios/collective_calls.h"
#include "scenarios/field.h"
#include "scenarios/recorded/recorded.h"

/** LogGP parameters of one protocol, if they are known. */
typedef struct scenario_protocol {
    bool known;
    bool part[CLUMP_LOGGP_QUANTITIES]; /**< which of them the store has, where it has not all */
    clump_loggp loggp;
    const char *problem; /**< why not; NULL if nobody gave them */
} scenario_protocol;

/** How the network between nodes keeps its messages, and what it loses. */
typedef struct scenario_reliability {
    const char *protocol; /**< NULL: not named; then nothing is lost */
    clump_lossy_network network;
} scenario_reliability;

typedef struct scenario_platform {
    const char *name; /**< may be NULL */
    bool stored;
    size_t nodes, processors, nics;
    bool has_mapping;
    clump_mapping mapping;
    scenario_protocol network, shared_memory;
    scenario_protocol now_network;    /**< that of the NOW, if it is another one; else not known */
    scenario_reliability reliability; /**< of the network */
    const struct clump_result_network
        *explained;        /**< `reliability` for results; NULL: no protocol is named */
    double memory_penalty; /**< 1 unless given */
    /** What the store says, for applications with traffic; now_us NAN: nothing, or the script gives
     *  memory_penalty. */
    clump_misses misses;
    scenario_bandwidth memory;     /**< of a stored one it is read where somebody wants it */
    bool half_duplex;              /**< the I/O bus of a NIC moves one direction at a time */
    double max_nics_per_processor; /**< 0: no limit */
    clump_placement placement;
    const clump_nccl_node *nccl; /**< by its topology; NULL: not known */
    scenario_efficiency efficiency;
    bool efficiency_function; /**< user value 1 holds the function */
    const char *counterpart;  /**< of a stored platform; may be NULL */
    const char *origin;       /**< the stored platform that it is, or is like; NULL: none */
    size_t origin_processors; /**< of that */
} scenario_platform;

/** platform "name" and platform { ... }: returns an object. */
int scenario_platform_new(lua_State *L);

/**
 * platform { topology = ... }: fill in what a description of its node says (topology/read_topology.h), if the table has the field:
 * unless the script gives them processors, nics, max_nics_per_processor, placement, and the G of both networks; and what NCCL runs
 * on (nccl_node.h). Other links that limit what processors send are no station of the engine: a line tells how much they take.
 */
void scenario_node_file_field(scenario_table table, const char *key, scenario_platform *platform);

/** Whether the database has a platform of that name, as a function of library.lua; true if there is none. */
int scenario_platform_exists(lua_State *L);

static inline bool scenario_is_lossy(const scenario_platform *platform)
{
    return platform != NULL && platform->reliability.network.loss > 0;
}

/** The platform at `index`, or NULL if it is something else. */
const scenario_platform *scenario_platform_at(lua_State *L, int index);

/** What a scenario asks for in place of a platform's protocol and loss: of each nothing (NULL, count 1), one, or a list. */
typedef struct scenario_reliabilities {
    const scenario_reliability *protocols; /**< by name; only protocol and network.protocol */
    size_t protocol_count;
    scenario_numbers losses;
} scenario_reliabilities;
scenario_reliabilities scenario_reliabilities_read(scenario_table scenario);

/** Variants of a platform: protocols times losses. */
size_t scenario_reliability_count(const scenario_reliabilities *wanted);

/** Put variant `i` into the platform, and what it does to LogGP parameters; raises an error if it
 *  cannot be. */
void scenario_reliability_apply(lua_State *L, const scenario_reliabilities *wanted, size_t i,
                                scenario_platform *platform);

/** How an application is described (kind.h). */
typedef struct scenario_kind scenario_kind;

/** NAN in a number: not given. */
typedef struct scenario_phase {
    double time; /**< on the NOW, any unit */
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    double phase_cycles;
    bool has_demand;
    scenario_demand demand;
} scenario_phase;

/** One time of the fit. NAN: that of the fit. */
typedef struct scenario_fitted_run {
    const char *platform; /**< "" for none */
    size_t processors, nics;
    clump_mapping mapping;
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    double now_time, measured_time, relative_error;
} scenario_fitted_run;

/** What `clumpmodel fit slowdown` found; used wherever the script does not say otherwise. */
typedef struct scenario_fitted {
    double utilization, remote_fraction, cost_ratio, waiting_fraction; /**< NAN: those of runs */
    scenario_demand demand;
    clump_efficiency_law law;
    const scenario_fitted_run *runs;
    size_t run_count;
} scenario_fitted;

/** Seconds that an application took on the platform of that name. */
typedef struct scenario_time {
    const char *platform;
    double time;
} scenario_time;

typedef struct scenario_application {
    const char *name; /**< may be NULL */
    const scenario_kind *kind;
    scenario_numbers utilizations; /**< one, or one a processor */
    double remote_fraction, cost_ratio, waiting_fraction;
    clump_traffic remote, local;
    double waited_share;
    bool lockstep;      /**< barriers separate the steps of its exchange */
    bool exchange;      /**< all processors ask at once, and answer each other while they wait */
    double now_time;    /**< s; NAN if not given */
    double computation; /**< s on the NOW; NAN if not given */
    double node_computation; /**< s in a node, with its memory penalty; NAN if not given */
    const scenario_phase *phases;
    size_t phase_count;
    double memory_penalty;                /**< NAN: that of the platform */
    scenario_memory_demand memory_demand; /**< for memory that processors share */
    double phase_cycles;                  /**< 0: equilibrium */
    const scenario_fitted *fitted;        /**< NULL unless by fit */
    clump_recorded_kept *recording;       /**< NULL unless by recording */
    scenario_collectives collectives;     /**< count 0 unless by collectives */
    double stripe_bytes;                  /**< as in clump_recorded_options */
    clump_rank_order rank_order;          /**< likewise */
    const struct scenario_uneven *uneven; /**< where traffic differs from processor to processor */
    bool synchronized;             /**< barriers: it takes as long as its slowest processor */
    const scenario_time *measured; /**< on platforms, as the script says */
    size_t measured_count;
} scenario_application;

/** application "name" and application { ... }: returns an object. */
int scenario_application_new(lua_State *L);

/** What follows for a processor from training_step { ... }, as a table; library.lua makes an application of it. */
int scenario_training_work(lua_State *L);

/** The application at `index`, or NULL if it is something else. */
const scenario_application *scenario_application_at(lua_State *L, int index);

/** scenario { ... }: returns an object. */
int scenario_plan_new(lua_State *L);

/** Turn what the script returned, at `index`, into the sandbox's list of plans. */
void scenario_plan_collect(lua_State *L, int index);

/* ---- functions that make no objects (functions.c) */

/** clump.slowdown { ... } */
int scenario_model_slowdown(lua_State *L);

/** uncertain { ... }: returns a number. */
int scenario_uncertain_new(lua_State *L);

#endif
