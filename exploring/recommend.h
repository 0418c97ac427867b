/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_RECOMMEND_H
#define CLUMP_EXPLORING_RECOMMEND_H

/* How many NICs a node needs, what each further one buys, and how far the answer can be trusted. */

#include "model/least_nics.h"
#include "model/prediction.h"
#include "scenarios/recorded/recorded.h"

#include <stdbool.h>

/** How processors may reach the NICs; the answer compares them. */
enum {
    CLUMP_RECOMMEND_POOLED,  /**< every processor uses all NICs */
    CLUMP_RECOMMEND_LIMITED, /**< pooled, but a processor keeps at most m busy */
    CLUMP_RECOMMEND_TIED,    /**< every processor is tied to one */
    CLUMP_RECOMMEND_ARRANGEMENTS
};

typedef struct clump_recommend_question {
    /** Its processors, placement, memory and watch, which may stop the search; and m: NICs that a processor keeps busy. */
    clump_node node;
    clump_load load;               /**< with one utilization */
    double utilization_half_width; /**< of its 95% interval; 0: not known */
    const size_t *nics;            /**< numbers to compare, in any order */
    size_t nic_counts;             /**< 0: all numbers are possible, up to 4 P */
    double limit;                  /**< of the slowdown */
    bool limited;                  /**< the verdict is that of the limited pool */
    /** A program that was recorded, on nodes of `processors`: its calls are played again message by message, in place of
     *  utilization and demand. With `limited` a processor keeps at most m NICs busy; otherwise the calls tell, and both pooled
     *  arrangements are the same. NULL: equal processors. */
    const clump_recorded_placed *recorded;
    bool priced;
    double node_price, nic_price; /**< that of a NIC with its switch port */
} clump_recommend_question;

/** One number of NICs in one arrangement. */
typedef struct clump_recommend_option {
    size_t nics;
    size_t arrangement;
    double most_nics; /**< that one processor can keep busy; NAN: no limit */
    double slowdown;  /**< with the demand that was asked for; NAN: `tied_refused` */
    double independent, correlated,
        scheduled; /**< NAN: the model has none for this arrangement, or calls were played */
    double nic_utilization;
    double lower_bound, upper_bound; /**< as in clump_result; NAN where calls were played */
    /** In which 90% of measured slowdowns lie, going by the model's errors (model/model_error.h) and
     *  the interval of the utilization; NAN if there are none to go by. */
    double low, high;
    double input_low, input_high; /**< the same if nothing but the utilization were uncertain; NAN:
                                       nothing is known of that */
    bool enough;
    double saved;             /**< share of the time that each NIC more than in the count before
                                   saves; NAN for the first */
    double price, work_price; /**< of the node; for the work of one NOW machine. NAN: no prices */
} clump_recommend_option;

/** Without a list of numbers these are compared: all up to this many processors, ... */
#define CLUMP_RECOMMEND_ALL_UP_TO 16
/** ... else 1, 2, 4, ... P, with those of the answer and the one before the recommended one. */

#define CLUMP_RECOMMEND_STEP 0.01

/** NAN and 0 where there is none. */
typedef struct clump_recommend_answer {
    clump_recommend_option *options; /**< all arrangements of the first count, of the second ... */
    size_t count;
    size_t *nics; /**< the numbers compared; `nic_counts` of them */
    size_t nic_counts;
    size_t nics_asked; /**< if it was stopped: how many there should have been */
    size_t enough[CLUMP_RECOMMEND_ARRANGEMENTS]; /**< least of the numbers compared */
    /** Of all counts up to 4 P and those asked for. */
    clump_least_nics least[CLUMP_RECOMMEND_ARRANGEMENTS];
    size_t verdict; /**< arrangement that decides: pooled, or limited if m was given */
    size_t chosen;  /**< index of the option to take: the least that is enough, or the
                             best there is */
    /** Utilizations at which `chosen` is enough, as of clump_utilizations_within; none for a recording. */
    double within[2 * CLUMP_MOST_RANGES];
    size_t ranges;
    double
        holds_up_to; /**< the end of that range of them in which the utilization is; NAN: it is in none */
    /** Slowdown of `chosen` where the utilization is CLUMP_RECOMMEND_STEP less, and more: true steps, as X has kinks where a schedule
     *  is just full. NAN beyond 0 and 1, and for a recording. */
    double slowdown_less, slowdown_more;
    size_t least_correlated; /**< NICs that are enough if all communicate at once */
    /**
     * NICs that are enough if all communicate at once and each processor uses one NIC, both one that
     * it is tied to and any: least of all numbers, and of those asked for.
     */
    size_t cautious, cautious_enough;
    /**
     * Why the tied processors of some number of NICs are not predicted (the model has no groups of several
     * sizes that share memory for every demand, and a limit of their number); "": all are. `least` of them
     * is not known then, nor `cautious` where it is for correlated demand.
     */
    clump_error tied_refused;
    /** Also where calls were played, which say themselves when they communicate. */
    bool cautious_refused;
    double cautious_slowdown; /**< the greater of both, with `cautious_enough`, or `cautious` */
    bool can_rise;            /**< more NICs may make it slower in one of the arrangements ... */
    size_t unit;              /**< ... and multiples of this were tried, ... */
    size_t most;              /**< ... up to this */
    size_t greatest;          /**< number that is considered, a multiple or not */
    size_t cheapest;          /**< index of the option with the lowest work_price */
} clump_recommend_answer;

/**
 * Answer the question.
 *
 * Where calls are played `least` is that of the numbers compared, and `least_correlated` and `cautious` are 0.
 *
 * @param answer  release in any case
 * CLUMP_STOPPED by the watch: the first nic_counts numbers of `options` are complete, and nothing else is.
 * Errors: those of clump_predict, clump_least_nics_find and clump_recorded_predict.
 */
clump_status clump_recommend(const clump_recommend_question *question,
                             clump_recommend_answer *answer, clump_error *error);
void clump_recommend_answer_release(clump_recommend_answer *answer);

#endif
