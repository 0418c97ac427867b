/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/collective.h"

#include "model/workload/collective_group.h"
#include "model/workload/collective_places.h"

typedef clump_collective_operation operation;

static const char *const kinds[CLUMP_COLLECTIVE_KINDS] = {
    "barrier", "broadcast", "reduce",   "allreduce",      "gather",
    "scatter", "allgather", "alltoall", "reduce-scatter", "scan"};

static const char *const algorithms[CLUMP_COLLECTIVE_ALGORITHMS] = {"linear",
                                                                    "chain",
                                                                    "binomial",
                                                                    "binomial-doubling",
                                                                    "knomial",
                                                                    "binary",
                                                                    "recursive-doubling",
                                                                    "recursive-halving",
                                                                    "ring",
                                                                    "rabenseifner",
                                                                    "scatter-allgather",
                                                                    "scatter-ring",
                                                                    "bruck",
                                                                    "neighbour",
                                                                    "pairwise",
                                                                    "dissemination",
                                                                    "reduce-first",
                                                                    "hierarchical",
                                                                    "rails",
                                                                    "gather-first"};

/* ---- what is asked for */

static uint64_t whole(const operation *o)
{
    switch (o->kind) {
    case CLUMP_COLLECTIVE_BARRIER:
        return 0;
    case CLUMP_COLLECTIVE_GATHER:
    case CLUMP_COLLECTIVE_SCATTER:
    case CLUMP_COLLECTIVE_ALLGATHER:
        return o->parts != NULL ? o->parts[o->ranks] : o->bytes * o->ranks;
    default:
        return o->parts != NULL ? o->parts[o->ranks] : o->bytes;
    }
}

static bool has_parts(clump_collective_kind kind)
{
    return kind == CLUMP_COLLECTIVE_GATHER || kind == CLUMP_COLLECTIVE_SCATTER ||
           kind == CLUMP_COLLECTIVE_ALLGATHER || kind == CLUMP_COLLECTIVE_ALLTOALL ||
           kind == CLUMP_COLLECTIVE_REDUCE_SCATTER;
}

static bool has_levels(const operation *o)
{
    return o->algorithm == CLUMP_COLLECTIVE_HIERARCHICAL || o->algorithm == CLUMP_COLLECTIVE_RAILS;
}

static clump_status check_parts(const operation *o, clump_error *error)
{
    if (!has_parts(o->kind))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: found unequal parts, expected none",
                          kinds[o->kind]);
    if (o->kind == CLUMP_COLLECTIVE_ALLTOALL && o->algorithm == CLUMP_COLLECTIVE_BRUCK)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "alltoall: found unequal parts with bruck, expected linear or pairwise");
    for (uint32_t r = 0; r < o->ranks; r++)
        if (o->parts[r] > o->parts[r + 1])
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s: the part of rank %u ends before it begins", kinds[o->kind], r);
    return o->parts[0] == 0 ? CLUMP_OK
                            : clump_fail(error, CLUMP_BAD_ARGUMENT,
                                         "%s: the parts have to begin at 0", kinds[o->kind]);
}

static clump_status check_places(const operation *o, clump_error *error)
{
    const char *name = algorithms[o->algorithm];
    if (o->places == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s %s: expected to know which ranks share a node", name, kinds[o->kind]);
    if (o->places->ranks != o->ranks)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s %s: found places of %u ranks, expected %u",
                          name, kinds[o->kind], o->places->ranks, o->ranks);
    if (o->algorithm == CLUMP_COLLECTIVE_RAILS && o->places->each == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%s %s: found nodes of different numbers of ranks, expected equal ones",
                          name, kinds[o->kind]);
    const bool in_parts =
        o->kind == CLUMP_COLLECTIVE_ALLGATHER || o->kind == CLUMP_COLLECTIVE_REDUCE_SCATTER;
    const uint32_t each = o->places->each;
    for (uint32_t r = 0; in_parts && r < o->ranks; r++)
        if (each == 0 || o->places->node[r] != r / each)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "%s %s: found nodes whose ranks do not follow each other, or "
                              "different numbers of them, expected blocks of equal numbers",
                              name, kinds[o->kind]);
    return CLUMP_OK;
}

clump_status clump_collective_check(const operation *o, clump_error *error)
{
    if ((unsigned)o->kind >= CLUMP_COLLECTIVE_KINDS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "collective: found kind %d, expected 0 to %d",
                          (int)o->kind, CLUMP_COLLECTIVE_KINDS - 1);
    if (!clump_collective_has(o->kind, o->algorithm)) {
        const char *name = clump_collective_algorithm_name(o->algorithm);
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: there is no algorithm '%s'",
                          kinds[o->kind], name != NULL ? name : "?");
    }
    if (o->ranks == 0 || o->ranks > UINT32_C(1) << 30)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: found %u ranks, expected 1 to 2^30",
                          kinds[o->kind], o->ranks);
    if (collective_has_root(o->kind) && o->root >= o->ranks)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: found root %u, expected a rank below %u",
                          kinds[o->kind], o->root, o->ranks);
    if (o->bytes > UINT64_MAX / 4 / o->ranks)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: too many bytes", kinds[o->kind]);
    if (has_levels(o)) {
        const clump_status status = check_places(o, error);
        if (status != CLUMP_OK)
            return status;
    }
    return o->parts != NULL ? check_parts(o, error) : CLUMP_OK;
}

/* ---- the groups of each phase */

/* Steps of the trees in nodes: as many for all, whatever their numbers of ranks. */
static uint32_t local_steps(const clump_collective_places *p)
{
    uint32_t most = 1, steps = 0;
    for (uint32_t k = 0; k < p->nodes; k++)
        if (p->first[k + 1] - p->first[k] > most)
            most = p->first[k + 1] - p->first[k];
    while (UINT64_C(1) << steps < most)
        steps++;
    return steps;
}

/*
 * Who takes part in a phase, and what there is to share among them: the vector is given, blocks and offsets may be
 * others. Without levels numbers are counted from the root.
 */
static collective_group of_all(const operation *o, const collective_group *g, collective_content *c)
{
    const uint32_t root = collective_has_root(o->kind) ? o->root : 0;
    collective_group all = *g;
    all.shift = root;
    all.me = (g->me + o->ranks - root) % o->ranks;
    c->blocks = (collective_blocks){.bytes = c->bytes,
                                    .count = o->ranks,
                                    .shift = root,
                                    .parts = has_parts(o->kind) ? o->parts : NULL};
    return all;
}

/* The parts of a node lie together, so that they go on as one. */
static collective_group of_node(const operation *o, const collective_group *g,
                                collective_content *c)
{
    const clump_collective_places *p = o->places;
    const uint32_t node = p->node[g->me];
    c->blocks = collective_blocks_of(0, c->bytes, p->each);
    if (has_parts(o->kind)) {
        c->blocks.parts = o->parts;
        c->blocks.of = o->ranks;
        c->blocks.unit = 1;
        c->blocks.first = node * p->each;
    }
    return (collective_group){.walk = g->walk,
                              .members = p->members,
                              .first = p->first[node],
                              .stride = 1,
                              .count = p->first[node + 1] - p->first[node],
                              .me = p->number[g->me]};
}

static collective_group of_leaders(const operation *o, const collective_group *g,
                                   collective_content *c)
{
    static collective_walk nobody = {.stopped = 1}; /* counts the steps for who takes no part */
    const clump_collective_places *p = o->places;
    const uint32_t home = p->node[collective_has_root(o->kind) ? o->root : 0];
    c->blocks = (collective_blocks){
        .bytes = c->bytes, .count = p->nodes, .parts = o->parts, .of = o->ranks, .unit = p->each};
    return (collective_group){.walk = p->number[g->me] == 0 ? g->walk : &nobody,
                              .members = p->leaders,
                              .stride = 1,
                              .count = p->nodes,
                              .shift = home,
                              .me = (p->node[g->me] + p->nodes - home) % p->nodes};
}

/* Each rail has a block of a node. */
static collective_group of_rail(const operation *o, const collective_group *g,
                                collective_content *c)
{
    const clump_collective_places *p = o->places;
    const uint32_t number = p->number[g->me];
    const uint64_t small = c->bytes / p->each, rest = c->bytes % p->each;
    c->offset = small * number + (number < rest ? number : rest);
    c->bytes = small + (number < rest);
    c->blocks = collective_blocks_of(c->offset, c->bytes, p->nodes);
    return (collective_group){.walk = g->walk,
                              .members = p->members,
                              .first = number,
                              .stride = p->each,
                              .count = p->nodes,
                              .me = p->node[g->me]};
}

/* A root that is not the first of its node has that one act for it. */
static uint32_t hand_over(const operation *o, const collective_group *g, uint32_t step, bool up)
{
    const clump_collective_places *p = o->places;
    const uint32_t root = p->number[o->root];
    collective_content unread = {.bytes = 0};
    const collective_group node = of_node(o, g, &unread);
    if (p->node[g->me] == p->node[o->root])
        collective_pass(&node, step, up ? root : 0, up ? 0 : root, 0, whole(o), false);
    return step + 1;
}

int clump_collective_visit(const operation *o, uint32_t rank, clump_collective_visitor *visitor,
                           void *context)
{
    collective_walk walk = {visitor, context, 0};
    const collective_group g = {.walk = &walk, .stride = 1, .count = o->ranks, .me = rank};
    const collective_plan plan = collective_plan_make(
        o->kind, o->algorithm, o->ranks, has_levels(o) ? o->places->nodes : 1, whole(o));
    static collective_group (*const groups[])(const operation *, const collective_group *,
                                              collective_content *) = {[AMONG_ALL] = of_all,
                                                                       [AMONG_NODE] = of_node,
                                                                       [AMONG_LEADERS] = of_leaders,
                                                                       [AMONG_RAIL] = of_rail};
    uint32_t step = 0;
    for (uint32_t i = 0; i < plan.count && o->ranks > 1; i++) {
        const collective_phase *phase = &plan.phases[i];
        if (phase->pattern == PATTERN_HAND_OVER) {
            step = hand_over(o, &g, step, phase->up);
            continue;
        }
        collective_content content = {
            .bytes = whole(o), .operation = o, .pattern = phase->pattern, .up = phase->up};
        const collective_group group = groups[phase->among](o, &g, &content);
        const uint32_t next = collective_visit_pattern(&group, step, &content);
        const bool tree = phase->among == AMONG_NODE && o->algorithm != CLUMP_COLLECTIVE_RAILS;
        step = tree ? step + local_steps(o->places) : next;
    }
    return walk.stopped;
}

/* ---- names */

const char *clump_collective_kind_name(clump_collective_kind kind)
{
    return (unsigned)kind < CLUMP_COLLECTIVE_KINDS ? kinds[kind] : NULL;
}

const char *clump_collective_algorithm_name(clump_collective_algorithm algorithm)
{
    return (unsigned)algorithm < CLUMP_COLLECTIVE_ALGORITHMS ? algorithms[algorithm] : NULL;
}
