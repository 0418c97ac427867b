/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_VALIDATION_VALIDATE_CLUSTERS_H
#define CLUMP_CLI_VALIDATION_VALIDATE_CLUSTERS_H

/* validate --kind: what benchmarks and programs do on clusters of today (fitting/clusters/). */

#include "cli/command.h"
#include "data/store/store.h"
#include "fitting/validation/validation.h"

#include <stdbool.h>

/** Of the options below. */
typedef struct cluster_settings {
    int kind; /**< 0: slowdowns, which are not judged here; else 1 + clump_cluster_kind */
    const char *platform, *from, *transport, *topology;
    bool rows;
} cluster_settings;

extern const option_entry cluster_options[];

/** Complain if options were given that belong to the other kind; returns the exit code. */
int cluster_options_check(const command_line *line, const cluster_settings *settings);

/**
 * Predict, judge and print.
 * @param max_mean_error  percent, of a set; INFINITY: no limit
 * @param max_error       percent, of a row
 * @return the exit code
 */
int validate_clusters(const command_invocation *invocation, const cluster_settings *settings,
                      clump_store *store, double max_error, double max_mean_error);

/** Add what is judged of programs behind other NICs to the errors by kind of change; if the store
 *  has none of them, those of the documents stand for them. Complains; returns the exit code. */
int clusters_add_judged(const char *command, clump_store *store, clump_validation *validation);

#endif
