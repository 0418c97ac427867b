/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_GRADIENTS_H
#define CLUMP_CLI_RECOMMEND_GRADIENTS_H

/* `recommend --gradients`: a step of training in parallel on nodes of GPUs, by the bytes that it adds up. */

#include "cli/recommend_share.h"

/** 0 where something was not given. */
typedef struct recommend_gradients {
    double bytes;           /**< of a step, that every GPU has */
    double step_s, alone_s; /**< with the NICs that were measured, on all nodes and on one */
    double overlap;         /**< share of the exchange that computation hides */
    bool overlap_known;
    size_t nodes;
} recommend_gradients;

/**
 * @param shared  NICs that are possible and were measured, their speed, prices
 * @param gpus    of a node
 * Complains itself. @return exit code
 */
int recommend_gradients_answer(const command_invocation *invocation,
                               const recommend_gradients *asked, const recommend_share *shared,
                               size_t gpus);

#endif
