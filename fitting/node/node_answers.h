/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_NODE_NODE_ANSWERS_H
#define CLUMP_FITTING_NODE_NODE_ANSWERS_H

/* What is found of a node: from fitted curves to what they say, and what they do not. */

#include "data/store/memory_curve.h"
#include "fitting/node/node_curve.h"
#include "fitting/node/node_samples.h"
#include "fitting/node/node_sizes.h"
#include "fitting/notes.h"

/** sqrt(2): both directions together below it are nearer to one at a time than to both at once. */
#define CLUMP_NODE_HALF_DUPLEX 1.41421356237309505

/** More NICs than this are more likely a rate in another unit than the NICs of a node. */
#define CLUMP_NODE_MANY_NICS 32

/** What is known beside the samples. */
typedef struct clump_node_known {
    double nics;     /**< N; 0: not known */
    double nic_rate; /**< B/us that the link of one NIC can carry; 0: not known */
    /** How many NICs the platform has was never said: the stored number is a default. */
    bool unsaid;
} clump_node_known;

/** Where N is from. */
typedef enum clump_node_source {
    CLUMP_NODE_BY_SHAPE,    /**< only this many explain the curve */
    CLUMP_NODE_GIVEN,       /**< it was given */
    CLUMP_NODE_BY_LINK,     /**< so many links of the given rate are needed */
    CLUMP_NODE_BY_PLATFORM, /**< the platform is described so, and the data allow it */
    CLUMP_NODE_ACTING       /**< as many equal servers act like this; the data do not tell */
} clump_node_source;

typedef enum clump_node_name {
    CLUMP_NODE_NICS = 0,
    CLUMP_NODE_PER_PROCESS,      /**< m */
    CLUMP_NODE_NIC_RATE,         /**< B/us */
    CLUMP_NODE_BEST_RATE,        /**< B/us, of the number of pairs with most */
    CLUMP_NODE_PROCESS_RATE,     /**< B/us */
    CLUMP_NODE_FILLING,          /**< processes that fill the NICs, r = N/m */
    CLUMP_NODE_LOSS,             /**< e of E(q) = 1/(1 + e (q-1)) */
    CLUMP_NODE_DUPLEX,           /**< both directions over one: 2 full, 1 half duplex */
    CLUMP_NODE_PROCESS_MESSAGES, /**< 1/us */
    CLUMP_NODE_NIC_MESSAGES,     /**< 1/us */
    CLUMP_NODE_GAP,              /**< g of a NIC, us */
    CLUMP_NODE_GAP_PER_BYTE,     /**< G of a NIC, us/B */
    CLUMP_NODE_MEMORY_ONE,       /**< B/us of one process */
    CLUMP_NODE_MEMORY_ALL,       /**< B/us, the greatest */
    CLUMP_NODE_MEMORY_FEEDS,     /**< their ratio */
    CLUMP_NODE_NAMES
} clump_node_name;

typedef struct clump_node_value {
    bool known;
    double value; /**< NAN if not known */
    double low,
        high; /**< of the 95% interval, of N what the data allow; NAN: not known; HUGE_VAL: no limit */
    double at_least;  /**< if not known: it is not less; NAN */
    double at_most;   /**< if not known: it is not more; NAN */
    char reason[200]; /**< what it is from, or why it is not known */
} clump_node_value;

/** One number of pairs, long messages. */
typedef struct clump_node_pair_row {
    double pairs, runs;
    double measured, low, high; /**< B/us, mean of logarithms, and its 95% interval */
    double fitted, efficiency;  /**< E(q) of the law */
    double share;               /**< measured over the best of all */
    const char *limit;          /**< "processes", "NICs", or "not known" */
} clump_node_pair_row;

typedef struct clump_node_fit {
    clump_node_samples samples;
    clump_node_value values[CLUMP_NODE_NAMES];
    clump_node_source source;  /**< of N */
    clump_node_curve curve;    /**< of long messages */
    clump_node_curve messages; /**< of short ones: messages a us */
    bool has_messages;
    clump_node_range long_sizes, short_sizes;
    clump_node_pair_row *pairs;
    size_t pair_count;
    clump_node_size_row *sizes;
    size_t size_count;
    clump_store_memory_curve *memory; /**< NULL: none */
    clump_notes notes;
} clump_node_fit;

/** "nics", "nics_per_process"...: keys of tables. */
const char *clump_node_key(clump_node_name name);
/** "NICs, N"... */
const char *clump_node_heading(clump_node_name name);
/** "B/us"...; "" for numbers of things. */
const char *clump_node_unit(clump_node_name name);

/** The reason of a value, as printf makes it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void clump_node_say(clump_node_value *value, const char *format, ...);

/** From fitted curves to what they say of a node, and what they do not: N and all that follows from it, memory, and the
 *  notes. */
clump_status clump_node_answer(clump_node_fit *fit, const clump_node_known *known,
                               const clump_store_platform *platform, clump_error *error);

#endif
