/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_MESSAGE_OPTIONS_H
#define CLUMP_SCENARIOS_MESSAGE_OPTIONS_H

#include "model/simulation/messages.h"
#include "scenarios/field.h"

/** What a scenario says about messages, for simulations that follow each of them. */
typedef struct scenario_message_options {
    clump_pattern pattern;
    const double *matrix;
    size_t matrix_ranks;
    bool answered; /**< half of the short messages are answers to the others */
    size_t window, send_queue, receive_queue;
    bool half_duplex;
    double barriers; /**< in the whole run */
    double burst;
    double poll_interval;
    double in_a_row;
    scenario_numbers imbalance; /**< one a processor of a node; count 0: all alike */
    clump_message_polling polling;
    double most; /**< messages of a rank that are simulated, at most */
} scenario_message_options;

/** The table `messages` of a scenario, which may be absent; fields that it does not have get their defaults. */
scenario_message_options scenario_message_options_read(scenario_table table);

#endif
