/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_MODEL_ERROR_TABLE_H
#define CLUMP_MODEL_MODEL_ERROR_TABLE_H

/* Made by `make model-error` from what `clumpmodel validate` finds. For model_error.c alone. */

static const clump_model_error model_error_table[CLUMP_CHANGE_COUNT] = {
    [CLUMP_CHANGE_ONE_NODE] =
        {.basis = CLUMP_ERROR_OWN, .datasets = 2, .rows = 62, .scale = 0.26709, .freedom = 2},
    [CLUMP_CHANGE_SHARED_NICS] =
        {.basis = CLUMP_ERROR_CLUSTERS, .datasets = 2, .rows = 10, .scale = 0.069433, .freedom = 2},
    [CLUMP_CHANGE_NIC_EACH] =
        {.basis = CLUMP_ERROR_CLUSTERS, .datasets = 2, .rows = 10, .scale = 0.069433, .freedom = 2},
    [CLUMP_CHANGE_OTHER_NIC] =
        {.basis = CLUMP_ERROR_OWN, .datasets = 5, .rows = 84, .scale = 0.070982, .freedom = 5},
};

static const double model_error_miss_share = 0.680646372;

#endif
