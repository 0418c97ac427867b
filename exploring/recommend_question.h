/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RECOMMEND_QUESTION_H
#define RECOMMEND_QUESTION_H

/*
 * The options of `clumpmodel recommend`, and the question that they make.
 */

#include "cli/options/options.h"
#include "model/prediction.h"

enum {
    RECOMMEND_PROCESSORS,
    RECOMMEND_UTILIZATION,
    RECOMMEND_NICS,
    RECOMMEND_MAX_SLOWDOWN,
    RECOMMEND_DEMAND,
    RECOMMEND_MAX_NICS,
    RECOMMEND_REMOTE_FRACTION,
    RECOMMEND_COST_RATIO,
    RECOMMEND_DOMAINS,
    RECOMMEND_NEAR,
    RECOMMEND_FAR,
    RECOMMEND_PORTS,
    RECOMMEND_SLOT_BANDWIDTH,
    RECOMMEND_PACKED,
    RECOMMEND_NODE_PRICE,
    RECOMMEND_NIC_PRICE,
    RECOMMEND_PORT_PRICE,
    RECOMMEND_OPTION_COUNT
};

extern const option_entry clump_recommend_options[RECOMMEND_OPTION_COUNT];

/** How processors may reach the NICs; the answer compares them. */
enum {
    CLUMP_RECOMMEND_POOLED,  /**< every processor uses all NICs */
    CLUMP_RECOMMEND_LIMITED, /**< pooled, but a processor keeps at most m busy */
    CLUMP_RECOMMEND_TIED,    /**< every processor is tied to one */
    CLUMP_RECOMMEND_ARRANGEMENTS
};

typedef struct clump_recommend_question {
    size_t processors;
    size_t *nics; /**< owned; ascending, no two equal */
    size_t nic_counts;
    double utilization;
    double limit; /**< of the slowdown */
    clump_demand demand;
    double gang_size;
    clump_coupling coupling;
    clump_placement placement;
    double max_nics_per_processor; /**< m */
    bool limited;                  /**< m was given: the verdict is that of the limited pool */
    bool priced;
    double node_price, nic_price; /**< that of a NIC with its switch port */
} clump_recommend_question;

/** Read and check the options; complains itself. Free the question in any case. */
int clump_recommend_question_read(const command_line *arguments,
                                  clump_recommend_question *question);
void clump_recommend_question_free(clump_recommend_question *question);

/** A node of the question: its arrangement and number of NICs. */
clump_node clump_recommend_node(const clump_recommend_question *question, size_t arrangement,
                                size_t nics);

/** What its processors do. `question` must stay where it is. */
clump_load clump_recommend_load(const clump_recommend_question *question);

#endif
