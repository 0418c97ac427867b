/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/collective_places.h"

#include <stdlib.h>

typedef struct placed {
    uint32_t node, rank;
} placed;

static int compare(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Nodes as they are met first, in place of the caller's numbers; ranks ordered by them. */
static uint32_t renumber(placed *all, uint32_t ranks, uint32_t *node)
{
    uint32_t nodes = 0, leader = 0;
    for (uint32_t i = 0; i < ranks; i++)
        all[i].rank = i;
    qsort(all, ranks, sizeof *all, compare);
    for (uint32_t i = 0; i < ranks; i++) { /* the first rank of its node stands for the node */
        if (i == 0 || all[i].node != all[i - 1].node)
            leader = all[i].rank;
        node[all[i].rank] = leader;
    }
    for (uint32_t r = 0; r < ranks; r++) /* leaders precede the others of their nodes */
        node[r] = node[r] == r ? nodes++ : node[node[r]];
    for (uint32_t r = 0; r < ranks; r++)
        all[r] = (placed){node[r], r};
    qsort(all, ranks, sizeof *all, compare);
    return nodes;
}

static void fill(clump_collective_places *p, const placed *all)
{
    for (uint32_t i = 0; i < p->ranks; i++) {
        const uint32_t node = all[i].node, rank = all[i].rank;
        p->members[i] = rank;
        if (i == 0 || node != all[i - 1].node) {
            p->first[node] = i;
            p->leaders[node] = rank;
        }
        p->number[rank] = i - p->first[node];
    }
    p->first[p->nodes] = p->ranks;
    p->each = p->ranks / p->nodes;
    for (uint32_t k = 0; k < p->nodes; k++)
        if (p->first[k + 1] - p->first[k] != p->each) {
            p->each = 0;
            return;
        }
}

clump_status clump_collective_places_make(uint32_t ranks, const uint32_t *node,
                                          clump_collective_places **places, clump_error *error)
{
    if (ranks == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "ranks: found 0, expected 1 at least");
    placed *all = malloc(ranks * sizeof *all);
    clump_collective_places *p = calloc(1, sizeof *p);
    if (p != NULL) {
        p->ranks = ranks;
        p->members = malloc(ranks * sizeof *p->members);
        p->node = malloc(ranks * sizeof *p->node);
        p->number = malloc(ranks * sizeof *p->number);
    }
    bool made =
        all != NULL && p != NULL && p->members != NULL && p->node != NULL && p->number != NULL;
    if (made) {
        for (uint32_t r = 0; r < ranks; r++)
            all[r].node = node[r];
        p->nodes = renumber(all, ranks, p->node);
        p->first = malloc(((size_t)p->nodes + 1) * sizeof *p->first);
        p->leaders = malloc(p->nodes * sizeof *p->leaders);
        made = p->first != NULL && p->leaders != NULL;
    }
    if (made)
        fill(p, all);
    free(all);
    if (!made) {
        clump_collective_places_free(p);
        return clump_fail_memory(error, "the places of ranks");
    }
    *places = p;
    return CLUMP_OK;
}

void clump_collective_places_free(clump_collective_places *places)
{
    if (places == NULL)
        return;
    free(places->members);
    free(places->node);
    free(places->number);
    free(places->first);
    free(places->leaders);
    free(places);
}
