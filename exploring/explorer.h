/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_EXPLORER_H
#define CLUMP_EXPLORING_EXPLORER_H

/*
 * A scenario that is explored: what is varied in it, and how its script runs.
 *
 *   case           one combination of the swept variables of the script: the script runs once
 *   configuration  one combination of what its scenarios vary, fields that are swept included
 *   row            a configuration with the mix of its applications, or each of them on its own
 *
 * Read the settings, open, then compute rows (rows.h), all of them in order (sweep.h) and choose
 * among them (selection.h), or ask for break-evens (break_even.h) or what the slowdown hangs on
 * (sensitivity.h).
 *
 * Functions that can fail leave a sentence in `message`. It calls settings as the options of
 * `clumpmodel explore` are called.
 */

#include "exploring/inputs.h"
#include "exploring/variable.h"
#include "scenarios/scenario.h"

#include <stdint.h>

enum {
    CLUMP_EXPLORE_MESSAGE = 2048,
    CLUMP_EXPLORE_TOGETHER = 1024 /**< neighbouring configurations that one share has at most */
};

typedef enum clump_explore_status {
    CLUMP_EXPLORE_OK = 0,
    CLUMP_EXPLORE_BAD_SETTING, /**< a setting that says nothing, or does not fit the others */
    CLUMP_EXPLORE_BAD_INPUT,   /**< the scenario, or data that it names */
    CLUMP_EXPLORE_NO_MEMORY,   /**< the system refused memory */
    CLUMP_EXPLORE_FAILED,      /**< ran but failed otherwise: self-check */
    CLUMP_EXPLORE_STOPPED,     /**< by who took the rows */
    CLUMP_EXPLORE_INTERRUPTED  /**< by the watch of `scenario`; rows that were complete are taken */
} clump_explore_status;

/** A share of the rows: the part `number` of `count`, from 1; count 0: all of them. */
typedef struct clump_explore_share {
    uint32_t number, count;
} clump_explore_share;

/** What draws found in one case: draw `k` of row `r` is at [r * draws + k]. Of a share only its own
 *  rows are there. */
typedef struct clump_explore_drawn {
    size_t case_index, rows, draws;
    double *slowdowns; /**< NAN: could not be predicted */
    size_t *least;     /**< NICs that are enough; SIZE_MAX: none; 0: as above. NULL: not asked */
    bool predicted;    /**< all must be: a draw that cannot be predicted is a failure */
} clump_explore_drawn;

typedef struct clump_explore_parts clump_explore_parts; /* part.h */

/** What is asked for. All that it points to must outlive the explorer. */
typedef struct clump_explore_settings {
    clump_scenario_options scenario; /**< path, text, definitions and limits */
    clump_explore_variable *sweeps;
    size_t sweep_count;
    clump_explore_variable *uncertain;
    size_t uncertain_count;
    bool drawn;          /**< uncertain numbers are drawn: `uncertain`, those of the script, and
                              measured intervals */
    size_t draws;        /**< at least 2 if drawn, else 0 */
    double percentile;   /**< 0 to 100 */
    uint64_t seed;       /**< of the draws */
    clump_prices prices; /**< instead of those of the scenario; NAN: not given */
    double limit;        /**< slowdown within which the least number of NICs keeps; 0: not asked */
    bool of_mean;        /**< the limit is that of the mean, not of the slowest application */
    bool each;           /**< a row for each application */
    clump_inputs_choice inputs; /**< whether intervals of inputs are put into rows, without draws */
    clump_explore_share share;  /**< only this part of the sweep is computed */
    clump_explore_parts *parts; /**< or nothing is: all of it comes from these; NULL: computed */
    int threads;                /**< at least 1 */
    clump_store **stores;       /**< one a thread */
    /** Now and then, from the calling thread; may be NULL. */
    void (*progress)(size_t done, size_t total, void *context);
    void *progress_context;
} clump_explore_settings;

typedef struct clump_explorer {
    clump_explore_settings settings; /**< variables have got their `is_field` */
    clump_scenario_cache **caches;   /**< one a thread */
    clump_inputs parameters;         /**< what is drawn, as the first run met it */
    size_t cases;
    double rows_expected;
    bool priced; /**< there are prices, of the scenario or of the settings */
    char message[CLUMP_EXPLORE_MESSAGE];
} clump_explorer;

/** Run the script once or twice: which names it reads, what is uncertain, how many rows there will
 *  be. Close in any case. */
clump_explore_status clump_explorer_open(const clump_explore_settings *settings,
                                         clump_explorer *explorer);
void clump_explorer_close(clump_explorer *explorer);

/** Find out whether the script reads a variable of that name, or it is a field; fails if it is
 *  neither. `option` names the setting in the message. */
clump_explore_status clump_explorer_look_up(clump_explorer *explorer, const char *option,
                                            clump_explore_variable *variable);

/** Whether a configuration of a case is one of the explorer's share: whole cases are dealt out if there are plenty, else
 *  configurations of every case.
 *  @param configurations  how many the case has; 0, before that is known: whether any of it may be in the share */
bool clump_explorer_has(const clump_explorer *explorer, size_t case_index, size_t configuration,
                        size_t configurations);

/** The value that a swept variable of the script has in a case. */
const char *clump_explorer_value(const clump_explorer *explorer, size_t sweep, size_t case_index);

/** How uncertain numbers are drawn in one run of the script. */
typedef struct clump_explore_draw {
    uint64_t index; /**< which draw */
    bool other;     /**< from the second of two independent matrices */
    int swapped;    /**< the one parameter that comes from the other matrix; -1: none */
    int fixed;      /**< the one parameter that has `value`; -1: none */
    double value;
    bool nominal;         /**< all others are at their medians */
    double seconds_limit; /**< in place of that of the settings; 0: that */
    double *seconds;      /**< receives those that were taken; may be NULL */
    /** Instead of all this: clump_scenario_options.draw, and its context. */
    double (*number)(const char *name, const clump_uncertain *distribution, void *context);
    void *context;
} clump_explore_draw;

/**
 * Run the script for a case; from any thread, with the store of that thread.
 *
 * @param draw     or NULL: medians, and of what was measured its value
 * @param extra    variables besides, with the values that they have; `extra_count` of them
 * @param message  room for CLUMP_EXPLORE_MESSAGE
 */
clump_scenario_status clump_explorer_prepare(const clump_explorer *explorer, size_t case_index,
                                             const clump_explore_draw *draw,
                                             const clump_explore_variable *extra,
                                             size_t extra_count, clump_scenario **scenario,
                                             char *message);

/** Tell who listens how far it is; from the calling thread. */
void clump_explorer_progress(const clump_explorer *explorer, size_t done, size_t total);

/** Leave a message, and return the status. */
__attribute__((format(printf, 3, 4))) clump_explore_status
clump_explorer_fail(clump_explorer *explorer, clump_explore_status status, const char *format, ...);
clump_explore_status clump_explorer_fail_memory(clump_explorer *explorer);

/** A failure among threads: that of the lowest number is the one that is told. */
typedef struct clump_explore_failure {
    clump_scenario_status status;
    size_t number;
    char message[CLUMP_EXPLORE_MESSAGE];
} clump_explore_failure;

void clump_explore_note_failure(clump_explore_failure *failure, clump_scenario_status status,
                                size_t number, const char *message);

/** Say in `message` that there is none. */
clump_scenario_status clump_explore_no_memory(char *message);

/** The same of what a scenario said; `message` may be that of the explorer. */
clump_explore_status clump_explorer_explain(clump_explorer *explorer, clump_scenario_status status,
                                            const char *message);

#endif
