/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_QUESTION_H
#define CLUMP_CLI_RECOMMEND_QUESTION_H

/*
 * The options of `clumpmodel recommend`, and the question that they make.
 */

#include "cli/options.h"
#include "model/prediction.h"

enum {
    CLUMP_CLI_RECOMMEND_PROCESSORS,
    CLUMP_CLI_RECOMMEND_UTILIZATION,
    CLUMP_CLI_RECOMMEND_NICS,
    CLUMP_CLI_RECOMMEND_MAX_SLOWDOWN,
    CLUMP_CLI_RECOMMEND_DEMAND,
    CLUMP_CLI_RECOMMEND_MAX_NICS,
    CLUMP_CLI_RECOMMEND_REMOTE_FRACTION,
    CLUMP_CLI_RECOMMEND_COST_RATIO,
    CLUMP_CLI_RECOMMEND_DOMAINS,
    CLUMP_CLI_RECOMMEND_NEAR,
    CLUMP_CLI_RECOMMEND_FAR,
    CLUMP_CLI_RECOMMEND_PORTS,
    CLUMP_CLI_RECOMMEND_SLOT_BANDWIDTH,
    CLUMP_CLI_RECOMMEND_PACKED,
    CLUMP_CLI_RECOMMEND_NODE_PRICE,
    CLUMP_CLI_RECOMMEND_NIC_PRICE,
    CLUMP_CLI_RECOMMEND_PORT_PRICE,
    CLUMP_CLI_RECOMMEND_OPTION_COUNT
};

extern const clump_cli_option clump_cli_recommend_options[CLUMP_CLI_RECOMMEND_OPTION_COUNT];

/** How processors may reach the NICs; the answer compares them. */
enum {
    CLUMP_CLI_POOLED,  /**< every processor uses all NICs */
    CLUMP_CLI_LIMITED, /**< pooled, but a processor keeps at most m busy */
    CLUMP_CLI_TIED,    /**< every processor is tied to one */
    CLUMP_CLI_ARRANGEMENTS
};

typedef struct clump_cli_recommend_question {
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
} clump_cli_recommend_question;

/** Read and check the options; complains itself. Free the question in any case. */
int clump_cli_recommend_question_read(const clump_cli_arguments *arguments,
                                      clump_cli_recommend_question *question);
void clump_cli_recommend_question_free(clump_cli_recommend_question *question);

/** A node of the question: its arrangement and number of NICs. */
clump_node clump_cli_recommend_node(const clump_cli_recommend_question *question,
                                    size_t arrangement, size_t nics);

/** What its processors do. `question` must stay where it is. */
clump_load clump_cli_recommend_load(const clump_cli_recommend_question *question);

#endif
