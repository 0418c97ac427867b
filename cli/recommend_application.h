/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_APPLICATION_H
#define CLUMP_CLI_RECOMMEND_APPLICATION_H

/* `recommend --application`: a program whose messages were counted, such as by `run --name`. */

#include "cli/command.h"
#include "model/result.h"

/** What scenarios take it for, on the NOW of that platform. */
typedef struct recommend_application {
    const char *name, *platform; /**< as they were given */
    size_t processors;           /**< of a node */
    bool as_platform;            /**< as many as those of the platform have: nobody said */
    double now_s;                /**< on the NOW */
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    double memory_penalty; /**< of its computation in the node */
} recommend_application;

/**
 * @param name        of an application of the store
 * @param platform    on which its messages were counted
 * @param processors  of a node; 0: those of the platform
 * Complains itself. @return exit code
 */
int recommend_application_read(const command_invocation *invocation, const char *name,
                               const char *platform, size_t processors, recommend_application *a);

/** Paragraphs: what is known of it, and what is assumed. */
void recommend_application_print(const recommend_application *a, bool demand_given);

#endif
