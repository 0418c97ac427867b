/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/overlap_facts.h"

#include <stdlib.h>

enum { EVERY_SIZE_TO = 16 };

static size_t largest_node(const clump_facts *facts)
{
    size_t most = 0;
    size_t *counts = calloc(facts->node_count + 1, sizeof *counts);
    for (size_t i = 0; i < facts->rank_count && counts != NULL; i++) {
        const size_t node = (size_t)facts->ranks[i].node;
        if (node < facts->node_count && ++counts[node] > most)
            most = counts[node];
    }
    free(counts);
    return most;
}

static clump_status add_size(clump_facts *facts, const char *doing, const clump_overlap *overlap,
                             double begin, double end, size_t processors, clump_error *error)
{
    clump_overlap_window windows[CLUMP_OVERLAP_WINDOWS];
    const double width = (end - begin) / CLUMP_OVERLAP_WINDOWS;
    const clump_status status = clump_overlap_count(overlap, processors, begin, end, windows,
                                                    CLUMP_OVERLAP_WINDOWS, NULL, error);
    for (size_t i = 0; i < CLUMP_OVERLAP_WINDOWS && status == CLUMP_OK; i++) {
        const clump_facts_overlap row = {
            .doing = doing,
            .processors = (int64_t)processors,
            .start = begin + (double)i * width,
            .stop = begin + (double)(i + 1) * width,
            .seconds = windows[i].seconds,
            .active = windows[i].active,
            .squared = windows[i].squared,
        };
        if (!clump_facts_add(facts, CLUMP_FACTS_OVERLAP, &row))
            return clump_fail_memory(error, "who communicates together");
    }
    return status;
}

clump_status clump_overlap_facts_add(clump_facts *facts, const char *doing,
                                     const clump_overlap *overlap, double begin, double end,
                                     clump_error *error)
{
    const size_t ranks = facts->rank_count, node = largest_node(facts);
    clump_status status = CLUMP_OK;
    if (ranks < 2 || !(end > begin))
        return CLUMP_OK;
    bool node_done = node < 2, all_done = false;
    for (size_t P = 2; P <= ranks && status == CLUMP_OK; P = P < EVERY_SIZE_TO ? P + 1 : 2 * P) {
        status = add_size(facts, doing, overlap, begin, end, P, error);
        node_done = node_done || P == node;
        all_done = all_done || P == ranks;
    }
    if (status == CLUMP_OK && !node_done)
        status = add_size(facts, doing, overlap, begin, end, node, error);
    if (status == CLUMP_OK && !all_done && ranks != node)
        status = add_size(facts, doing, overlap, begin, end, ranks, error);
    return status;
}
