/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_SCENARIO_H
#define CLUMP_SCENARIOS_SCENARIO_H

#include "data/store/store.h"
#include "model/result.h"
#include "model/uncertain.h"
#include "model/watch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A scenario is a Lua program of somebody else: it runs in a sandbox, returns tables that say what
 * to compute, and is then evaluated on the exact engine, or simulated.
 *
 *     clump_scenario_run -> results -> clump_scenario_results_free
 *
 * The language is described in clumpmodel-scenario(5).
 */

/* Who simulates includes their headers, below model/simulation. */
struct clump_schedule;
struct clump_schedule_rules;
struct clump_simulation_options;
struct clump_simulation_progress;
/* data/provenance.h */
struct clump_provenance;

typedef enum clump_scenario_status {
    CLUMP_SCENARIO_OK = 0,
    CLUMP_SCENARIO_BAD_INPUT, /**< the scenario, a definition, or data it names; exit code 2 */
    CLUMP_SCENARIO_NO_MEMORY, /**< the system refused memory; exit code 1, or 2 with a limit */
    CLUMP_SCENARIO_FAILED,    /**< ran but failed otherwise (self-check); exit code 1 */
    CLUMP_SCENARIO_STOPPED,   /**< by `watch` of the options */
    CLUMP_SCENARIO_INVALID    /**< of clump_scenario_compute: a row cannot be predicted */
} clump_scenario_status;

/** `-D name=value`: sets the global `name` to a number, true, false, or else a string. */
typedef struct clump_scenario_definition {
    const char *name;
    const char *value;
} clump_scenario_definition;

/** A field of scenario { ... } that is replaced in all scenarios of the script. */
typedef struct clump_scenario_override {
    const char *field;
    const char *const *values; /**< numbers, or else strings */
    size_t count;
} clump_scenario_override;

/** What a store answered, kept from one run of a script to the next. It serves one thread. */
typedef struct clump_scenario_cache clump_scenario_cache;
clump_scenario_cache *clump_scenario_cache_new(void); /**< NULL: no memory */
void clump_scenario_cache_free(clump_scenario_cache *cache);

typedef struct clump_scenario_options {
    const char *path; /**< file to read; "-" is standard input */
    const char *text; /**< if not NULL: what the file holds, so that it is not read */
    size_t text_size;
    clump_store *store;          /**< platforms and applications; reference data at least */
    clump_scenario_cache *cache; /**< of this store, which must not change; NULL: none */
    const clump_scenario_definition *definitions;
    size_t definition_count;
    bool *definitions_read; /**< if not NULL: receives which of them the script reads; otherwise one
                               that is not read is an error */
    const clump_scenario_override *overrides;
    size_t override_count;
    /** The value of an uncertain number, named by the script or by platform and quantity; NULL: its
     *  median, and of what was measured its value. */
    double (*draw)(const char *name, const clump_uncertain *distribution, void *context);
    void *draw_context;
    double seconds_limit; /**< processor time of script and rows, or of a row alone; 0: default */
    double *seconds;      /**< if not NULL: receives what was taken, however it ends */
    size_t memory_limit;  /**< bytes the Lua state may hold; 0: default */
    size_t result_limit;  /**< rows a scenario may ask for; 0: default */
    /** How to simulate instead: seed, precision, confidence, events and threads are read, the rest
     *  is the scenario's; NULL: the exact engine. */
    const struct clump_simulation_options *simulation;
    bool by_message; /**< simulate every message, not chapter 8 */
    /** Simulate this in place of applications, by message; NULL: the applications of the script. */
    const struct clump_schedule *schedule;
    const char *schedule_name;
    /** If not NULL, the schedule for nodes of so many processors is asked for before it is simulated, and `schedule` only says
     *  that there is one. It stays valid until another one was asked for. */
    clump_status (*schedule_for)(void *context, size_t processors,
                                 const struct clump_schedule **schedule, clump_error *error);
    void *schedule_context;
    const struct clump_schedule_rules *schedule_rules; /**< NULL: the defaults */
    /** The row that is being simulated; may be NULL. */
    void (*simulating)(const struct clump_simulation_progress *progress, size_t done, size_t total,
                       void *context);
    /** Asked while the script runs and while rows are computed; what is complete then is handed over.
     *  NULL: nobody stops it. */
    const clump_watch *watch;
    /** Receives what the script is, reads, and is answered by the store; may be that of several threads. NULL: nobody asks. */
    struct clump_provenance *provenance;
    /** Called every few milliseconds and at the end, with rows done and rows in all; may be NULL.
     *  Callbacks run in the caller's locale; all else is done in the C locale. */
    void (*progress)(size_t done, size_t total, void *context);
    /** What the script prints, a line at a time without its end; NULL: dropped. */
    void (*print)(const char *line, void *context);
    void *context;
} clump_scenario_options;

#define CLUMP_SCENARIO_DEFAULT_SECONDS 60.0
#define CLUMP_SCENARIO_DEFAULT_MEMORY ((size_t)256 << 20)
#define CLUMP_SCENARIO_DEFAULT_RESULTS ((size_t)10000000)

typedef struct clump_scenario_results {
    char *title; /**< of the first scenario returned; the name of the file if it has none */
    /** In the order of the scenarios; within one, every combination of its lists, the first of
     *  these changing slowest: application, platform, compare_with, mapping, demand,
     *  max_nics_per_processor, memory_penalty, phase_cycles, remote_fraction, cost_ratio,
     *  waiting_fraction, communication_ratio, memory_share, memory_feeds, processors, nics, utilization, processor. */
    clump_result *rows;
    size_t count;
    size_t expected; /**< rows; more than there are if it was stopped */
    bool uncertain;  /**< as clump_scenario_is_uncertain has it */
    void *strings;   /**< owns the strings of the rows */
} clump_scenario_results;

/**
 * Run a scenario file and evaluate what it returns. A row that cannot be predicted, because what the
 * scenario or the store says of it does not fit together, is empty and says why (clump_result.refused);
 * where that is all of them, the first one's reason is the failure.
 *
 * @param results  filled in on CLUMP_SCENARIO_OK, and on CLUMP_SCENARIO_STOPPED with the rows that are
 *                 complete, perhaps none; release with clump_scenario_results_free
 * @param message  receives a sentence with file and line (on failure); never NULL, size > 0
 */
clump_scenario_status clump_scenario_run(const clump_scenario_options *options,
                                         clump_scenario_results *results, char *message,
                                         size_t message_size);

void clump_scenario_results_free(clump_scenario_results *results);

/*
 * A scenario whose script has run, and whose rows are computed one by one, in any order and from
 * several threads: for sweeps of millions of points, of which only a few are kept.
 *
 * What the script varies makes configurations: every combination of all its lists but that of
 * applications. The applications of a configuration are its workload.
 */

typedef struct clump_scenario clump_scenario;

/** What nodes cost; NAN: not given. */
typedef struct clump_prices {
    double node, nic, port;
} clump_prices;

/**
 * Run the script. One store serves one thread at a time.
 *
 * @param scenario  set on CLUMP_SCENARIO_OK only; release with clump_scenario_free
 * @param message   as in clump_scenario_run
 */
clump_scenario_status clump_scenario_prepare(const clump_scenario_options *options,
                                             clump_scenario **scenario, char *message,
                                             size_t message_size);
void clump_scenario_free(clump_scenario *scenario);

/** That of the first scenario returned; the name of the file if it has none. Belongs to the scenario. */
const char *clump_scenario_title(const clump_scenario *scenario);

/** Whether its script met anything that a draw might move: a number that it calls uncertain, or one that was measured with
 *  an interval. */
bool clump_scenario_is_uncertain(const clump_scenario *scenario);

size_t clump_scenario_configurations(const clump_scenario *scenario);

/** Applications of a configuration, at least 1, and the greatest number of any. */
size_t clump_scenario_applications(const clump_scenario *scenario, size_t configuration);
size_t clump_scenario_most_applications(const clump_scenario *scenario);

/** Processor time that the rows of all configurations take, s: of a few of them, which are computed, times their share. Stops
 *  where it is more than `most`. */
double clump_scenario_seconds(const clump_scenario *scenario, double most);

/** Which row of clump_scenario_run that of an application in a configuration is; SIZE_MAX: there is one for each processor. */
size_t clump_scenario_row_place(const clump_scenario *scenario, size_t configuration,
                                size_t application);

/** Weights of the applications, which add up to 1 (equal ones if the script gives none). */
const double *clump_scenario_weights(const clump_scenario *scenario, size_t configuration);

clump_prices clump_scenario_prices(const clump_scenario *scenario, size_t configuration);

/** What may be changed of a configuration while it is computed; all zero and NAN: nothing. */
typedef struct clump_scenario_change {
    size_t nics;        /**< 0: as it is */
    double utilization; /**< NAN: as it is */
} clump_scenario_change;

#define CLUMP_SCENARIO_UNCHANGED ((clump_scenario_change){0, CLUMP_RESULT_NONE})

/**
 * Compute a configuration: a row for each of its applications, always one for the whole node. May
 * be called from several threads at a time.
 *
 * @param rows  receives clump_scenario_applications rows; their strings belong to the scenario.
 *              Also on CLUMP_SCENARIO_INVALID: invalid ones say why, and the message does
 *              for the last of them
 */
clump_scenario_status clump_scenario_compute(const clump_scenario *scenario, size_t configuration,
                                             const clump_scenario_change *change,
                                             clump_result *rows, char *message,
                                             size_t message_size);

/** Whether it is known that no slowdown rises when NICs are added (model/least_nics.h). */
int clump_scenario_is_monotonic(const clump_scenario *scenario, size_t configuration);

/**
 * The real number of NICs at which the slowdown is `limit`, where the closed form has one and there
 * is one application; NAN elsewhere.
 */
double clump_scenario_real_nics(const clump_scenario *scenario, size_t configuration, double limit);

#endif
