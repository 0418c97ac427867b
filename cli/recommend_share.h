/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_SHARE_H
#define CLUMP_CLI_RECOMMEND_SHARE_H

/* `recommend --mpi-share`: what people know of a program is its share of MPI behind the NICs that are there. */

#include "cli/command.h"
#include "model/node.h"

/** 0 where something was not given. */
typedef struct recommend_share {
    double share, waiting; /**< of the time: in MPI; of that waiting for partners that are late */
    size_t measured_nics;  /**< of a node, when it was measured */
    double nic_speed;      /**< bytes a microsecond */
    double busy, bytes_per_us; /**< of the line rate of these NICs; of a node */
    const size_t *nics;        /**< numbers that are possible */
    size_t nic_counts;
    bool priced;
    double node_price, nic_price;
} recommend_share;

/** Complains itself. @return exit code */
int recommend_share_answer(const command_invocation *invocation, const recommend_share *asked,
                           const clump_node *node);

/** The numbers of NICs that are compared, in order: those asked for, or half, twice and four times as many as were
 *  measured; and these. `nics` has room for all asked for and four more. @return how many */
size_t recommend_share_nics(const recommend_share *asked, size_t *nics);

/** Decimals with which a price has four digits, such as one by the hour: 2 of 21.45; from 1000 none, at most 6. */
int recommend_price_digits(double price);

#endif
