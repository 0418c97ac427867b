/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_NODE_NODE_FIT_H
#define CLUMP_FITTING_NODE_NODE_FIT_H

/*
 * What the NICs of a node are, from what 1, 2, ... pairs of processes of two nodes reached together: their
 * number N, how many of them one process keeps busy (m), rates, E(q), both directions, short messages; and
 * what memory feeds, where that was measured. MODEL.md, "A node from its pairs".
 */

#include "fitting/fitted_record.h"
#include "fitting/node/node_answers.h"

/**
 * @param error may be NULL
 * @return CLUMP_BAD_ARGUMENT: no such platform, nothing to fit, a choice is missing
 * Release with clump_node_fit_free() after CLUMP_OK.
 */
clump_status clump_node_fit_run(clump_store *store, const clump_node_filter *filter,
                                const clump_node_known *known, clump_node_fit *fit,
                                clump_error *error);

void clump_node_fit_free(clump_node_fit *fit);

/**
 * A platform as the one that was fitted, and part of it, with its NICs: number, mapping, m, E(q), duplex,
 * rates. In one transaction; the source names the samples' sources.
 * @return BAD_INPUT if N is not known, or the name is taken
 */
clump_store_status clump_node_fit_store(clump_store *store, const clump_node_fit *fit,
                                        const clump_fitted_record *record, clump_error *error);

#endif
