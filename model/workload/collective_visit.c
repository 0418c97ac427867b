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

/* A bit for each algorithm. */
#define HAS(algorithm) (UINT32_C(1) << CLUMP_COLLECTIVE_##algorithm)
static const uint32_t known[CLUMP_COLLECTIVE_KINDS] = {
    [CLUMP_COLLECTIVE_BARRIER] = HAS(LINEAR) | HAS(BINOMIAL) | HAS(RECURSIVE_DOUBLING) |
                                 HAS(DISSEMINATION) | HAS(HIERARCHICAL),
    [CLUMP_COLLECTIVE_BROADCAST] = HAS(LINEAR) | HAS(CHAIN) | HAS(BINOMIAL) |
                                   HAS(BINOMIAL_DOUBLING) | HAS(KNOMIAL) | HAS(BINARY) |
                                   HAS(SCATTER_ALLGATHER) | HAS(SCATTER_RING) | HAS(HIERARCHICAL),
    [CLUMP_COLLECTIVE_REDUCE] = HAS(LINEAR) | HAS(CHAIN) | HAS(BINOMIAL) | HAS(KNOMIAL) |
                                HAS(BINARY) | HAS(RABENSEIFNER) | HAS(HIERARCHICAL),
    [CLUMP_COLLECTIVE_ALLREDUCE] = HAS(REDUCE_FIRST) | HAS(RECURSIVE_DOUBLING) | HAS(RING) |
                                   HAS(RABENSEIFNER) | HAS(HIERARCHICAL) | HAS(RAILS),
    [CLUMP_COLLECTIVE_GATHER] = HAS(LINEAR) | HAS(BINOMIAL),
    [CLUMP_COLLECTIVE_SCATTER] = HAS(LINEAR) | HAS(BINOMIAL),
    [CLUMP_COLLECTIVE_ALLGATHER] = HAS(LINEAR) | HAS(RING) | HAS(RECURSIVE_DOUBLING) | HAS(BRUCK) |
                                   HAS(NEIGHBOUR) | HAS(GATHER_FIRST) | HAS(HIERARCHICAL),
    [CLUMP_COLLECTIVE_ALLTOALL] = HAS(LINEAR) | HAS(PAIRWISE) | HAS(BRUCK),
    [CLUMP_COLLECTIVE_REDUCE_SCATTER] =
        HAS(REDUCE_FIRST) | HAS(RING) | HAS(PAIRWISE) | HAS(RECURSIVE_HALVING) | HAS(HIERARCHICAL),
    [CLUMP_COLLECTIVE_SCAN] = HAS(CHAIN) | HAS(RECURSIVE_DOUBLING),
};

bool clump_collective_has(clump_collective_kind kind, clump_collective_algorithm algorithm)
{
    return kind < CLUMP_COLLECTIVE_KINDS && algorithm < CLUMP_COLLECTIVE_ALGORITHMS &&
           (known[kind] >> algorithm & 1) != 0;
}

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

static bool has_root(clump_collective_kind kind)
{
    return kind == CLUMP_COLLECTIVE_BROADCAST || kind == CLUMP_COLLECTIVE_REDUCE ||
           kind == CLUMP_COLLECTIVE_GATHER || kind == CLUMP_COLLECTIVE_SCATTER;
}

static bool has_parts(clump_collective_kind kind)
{
    return kind == CLUMP_COLLECTIVE_GATHER || kind == CLUMP_COLLECTIVE_SCATTER ||
           kind == CLUMP_COLLECTIVE_ALLGATHER || kind == CLUMP_COLLECTIVE_ALLTOALL ||
           kind == CLUMP_COLLECTIVE_REDUCE_SCATTER;
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
    if (has_root(o->kind) && o->root >= o->ranks)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: found root %u, expected a rank below %u",
                          kinds[o->kind], o->root, o->ranks);
    if (o->bytes > UINT64_MAX / 4 / o->ranks)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s: too many bytes", kinds[o->kind]);
    if (o->algorithm == CLUMP_COLLECTIVE_HIERARCHICAL || o->algorithm == CLUMP_COLLECTIVE_RAILS) {
        const clump_status status = check_places(o, error);
        if (status != CLUMP_OK)
            return status;
    }
    return o->parts != NULL ? check_parts(o, error) : CLUMP_OK;
}

/* ---- alltoall: no vector to be split */

/* How many numbers below `count` have bit k set. */
static uint64_t with_bit(uint32_t count, uint32_t k)
{
    const uint64_t unit = UINT64_C(1) << k, rest = count % (2 * unit);
    return count / (2 * unit) * unit + (rest > unit ? rest - unit : 0);
}

static uint64_t to_each(const operation *o, uint32_t rank)
{
    return o->parts != NULL ? o->parts[rank + 1] - o->parts[rank] : o->bytes;
}

static void alltoall(const collective_group *g, const operation *o)
{
    const uint32_t P = g->count, me = g->me;
    if (o->algorithm == CLUMP_COLLECTIVE_BRUCK) {
        for (uint32_t k = 0; UINT64_C(1) << k < P; k++) {
            const uint32_t distance = UINT32_C(1) << k;
            const uint64_t bytes = with_bit(P, k) * o->bytes;
            collective_pass(g, k, me, (me + distance) % P, 0, bytes, false);
            collective_pass(g, k, (me + P - distance) % P, me, 0, bytes, false);
        }
        return;
    }
    for (uint32_t k = 1; k < P; k++) {
        const uint32_t step = o->algorithm == CLUMP_COLLECTIVE_PAIRWISE ? k - 1 : 0;
        const uint32_t to = (me + k) % P, from = (me + P - k) % P;
        collective_pass(g, step, me, to, 0, to_each(o, me), false);
        collective_pass(g, step, from, me, 0, to_each(o, from), false);
    }
}

/* ---- in each node, and between nodes */

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

static collective_group node_of(const operation *o, const collective_group *g)
{
    const clump_collective_places *p = o->places;
    const uint32_t node = p->node[g->me];
    return (collective_group){.walk = g->walk,
                              .members = p->members,
                              .first = p->first[node],
                              .stride = 1,
                              .count = p->first[node + 1] - p->first[node],
                              .me = p->number[g->me]};
}

/* Between the first ranks of all nodes. */
static uint32_t between_nodes(const operation *o, const collective_group *nodes, uint32_t step)
{
    const collective_vector v = {0, whole(o)};
    operation among = *o;
    among.ranks = nodes->count;
    among.places = NULL;
    if (has_root(o->kind))
        return collective_knomial(nodes, step, o->kind == CLUMP_COLLECTIVE_REDUCE, 2, v);
    if (o->kind == CLUMP_COLLECTIVE_BARRIER)
        return collective_dissemination(nodes, step);
    return clump_collective_choose(CLUMP_MPI_MPICH, &among) == CLUMP_COLLECTIVE_RABENSEIFNER
               ? collective_rabenseifner(nodes, step, v, false)
               : collective_doubling(nodes, step, v);
}

/* A root that is not the first of its node has that one act for it. */
static void hierarchical(const operation *o, const collective_group *g)
{
    const clump_collective_places *p = o->places;
    const collective_vector v = {0, whole(o)};
    const collective_group node = node_of(o, g);
    const uint32_t local = local_steps(p), root = has_root(o->kind) ? o->root : 0;
    const uint32_t home = p->node[root];
    const bool at_home = has_root(o->kind) && p->node[g->me] == home;
    const bool down = o->kind == CLUMP_COLLECTIVE_BROADCAST,
               up = o->kind == CLUMP_COLLECTIVE_REDUCE;
    collective_walk nobody = {.stopped = 1}; /* counts the steps for who takes no part */
    const collective_group nodes = {.walk = p->number[g->me] == 0 ? g->walk : &nobody,
                                    .members = p->leaders,
                                    .stride = 1,
                                    .count = p->nodes,
                                    .shift = home,
                                    .me = (p->node[g->me] + p->nodes - home) % p->nodes};
    uint32_t step = 0;
    if (down) {
        if (at_home)
            collective_pass(&node, step, p->number[root], 0, v.offset, v.bytes, false);
        step++;
    } else {
        collective_knomial(&node, step, true, 2, v);
        step += local;
    }
    step = between_nodes(o, &nodes, step);
    if (!up)
        collective_knomial(&node, step, false, 2, v);
    else if (at_home)
        collective_pass(&node, step, 0, p->number[root], v.offset, v.bytes, false);
}

/* The parts of a node lie together, so that they go on as one. */
static void hierarchical_parts(const operation *o, const collective_group *g)
{
    const clump_collective_places *p = o->places;
    const collective_vector all = {0, whole(o)};
    const collective_group node = node_of(o, g);
    const collective_blocks in_node = {.bytes = all.bytes,
                                       .count = p->each,
                                       .parts = o->parts,
                                       .of = o->ranks,
                                       .unit = 1,
                                       .first = p->node[g->me] * p->each};
    const collective_blocks of_nodes = {
        .bytes = all.bytes, .count = p->nodes, .parts = o->parts, .of = o->ranks, .unit = p->each};
    const bool gathers = o->kind == CLUMP_COLLECTIVE_ALLGATHER;
    const operation among = {
        .kind = o->kind, .ranks = p->nodes, .bytes = gathers ? all.bytes / p->nodes : all.bytes};
    collective_walk nobody = {.stopped = 1}; /* counts the steps for who takes no part */
    const collective_group nodes = {.walk = p->number[g->me] == 0 ? g->walk : &nobody,
                                    .members = p->leaders,
                                    .stride = 1,
                                    .count = p->nodes,
                                    .me = p->node[g->me]};
    uint32_t step = 0;
    if (gathers)
        step = collective_binomial_blocks(&node, step, true, &in_node);
    else
        step = collective_knomial(&node, step, true, 2, all);
    switch (clump_collective_choose(CLUMP_MPI_MPICH, &among)) {
    case CLUMP_COLLECTIVE_RECURSIVE_DOUBLING:
        step = collective_doubling_gather(&nodes, step, &of_nodes);
        break;
    case CLUMP_COLLECTIVE_BRUCK:
        step = collective_bruck_gather(&nodes, step, &of_nodes);
        break;
    case CLUMP_COLLECTIVE_RECURSIVE_HALVING:
        step = collective_halving(&nodes, step, &of_nodes);
        break;
    case CLUMP_COLLECTIVE_PAIRWISE:
        step = collective_pairwise_reduce(&nodes, step, &of_nodes);
        break;
    default:
        step = collective_ring_gather(&nodes, step, &of_nodes, 0);
    }
    if (gathers)
        collective_knomial(&node, step, false, 2, all);
    else
        collective_binomial_blocks(&node, step, false, &in_node);
}

static void rails(const operation *o, const collective_group *g)
{
    const clump_collective_places *p = o->places;
    const collective_group node = node_of(o, g);
    const collective_group rail = {.walk = g->walk,
                                   .members = p->members,
                                   .first = node.me,
                                   .stride = p->each,
                                   .count = p->nodes,
                                   .me = p->node[g->me]};
    const collective_blocks in_node = collective_blocks_of(0, whole(o), p->each);
    const uint64_t small = in_node.bytes / p->each, rest = in_node.bytes % p->each;
    const collective_blocks in_rail = collective_blocks_of(
        small * node.me + (node.me < rest ? node.me : rest), small + (node.me < rest), p->nodes);
    uint32_t step = collective_ring_reduce(&node, 0, &in_node);
    step = collective_ring_reduce(&rail, step, &in_rail);
    step = collective_ring_gather(&rail, step, &in_rail, 0);
    collective_ring_gather(&node, step, &in_node, 0);
}

/* ---- one level */

static void rooted(const operation *o, const collective_group *g, const collective_blocks *blocks)
{
    const collective_vector v = {0, whole(o)};
    const bool up = o->kind == CLUMP_COLLECTIVE_REDUCE || o->kind == CLUMP_COLLECTIVE_GATHER;
    const bool in_blocks =
        o->kind == CLUMP_COLLECTIVE_GATHER || o->kind == CLUMP_COLLECTIVE_SCATTER;
    uint32_t step = 0;
    switch (o->algorithm) {
    case CLUMP_COLLECTIVE_LINEAR:
        if (in_blocks)
            collective_star_blocks(g, 0, up, blocks);
        else
            collective_star(g, 0, up, v);
        break;
    case CLUMP_COLLECTIVE_BINOMIAL:
        if (in_blocks)
            collective_binomial_blocks(g, 0, up, blocks);
        else
            collective_knomial(g, 0, up, 2, v);
        break;
    case CLUMP_COLLECTIVE_CHAIN:
        collective_chain(g, 0, up, v);
        break;
    case CLUMP_COLLECTIVE_BINOMIAL_DOUBLING:
        collective_doubling_tree(g, 0, v);
        break;
    case CLUMP_COLLECTIVE_KNOMIAL:
        collective_knomial(g, 0, up, 4, v);
        break;
    case CLUMP_COLLECTIVE_BINARY:
        collective_binary(g, 0, up, v);
        break;
    case CLUMP_COLLECTIVE_RABENSEIFNER:
        collective_rabenseifner(g, 0, v, true);
        break;
    default: /* scatter, then allgather */
        step = collective_binomial_blocks(g, 0, false, blocks);
        if (o->algorithm == CLUMP_COLLECTIVE_SCATTER_ALLGATHER && (g->count & (g->count - 1)) == 0)
            collective_doubling_gather(g, step, blocks);
        else
            collective_ring_gather(g, step, blocks, 0);
    }
}

static void allreduce(const operation *o, const collective_group *g,
                      const collective_blocks *blocks)
{
    const collective_vector v = {0, whole(o)};
    switch (o->algorithm) {
    case CLUMP_COLLECTIVE_RING:
        collective_ring_gather(g, collective_ring_reduce(g, 0, blocks), blocks, 0);
        break;
    case CLUMP_COLLECTIVE_RECURSIVE_DOUBLING:
        collective_doubling(g, 0, v);
        break;
    case CLUMP_COLLECTIVE_RABENSEIFNER:
        collective_rabenseifner(g, 0, v, false);
        break;
    default:
        collective_knomial(g, collective_knomial(g, 0, true, 2, v), false, 2, v);
    }
}

static void barrier(const operation *o, const collective_group *g)
{
    const collective_vector nothing = {0, 0};
    switch (o->algorithm) {
    case CLUMP_COLLECTIVE_LINEAR:
        collective_star(g, collective_star(g, 0, true, nothing), false, nothing);
        break;
    case CLUMP_COLLECTIVE_RECURSIVE_DOUBLING:
        collective_doubling(g, 0, nothing);
        break;
    case CLUMP_COLLECTIVE_DISSEMINATION:
        collective_dissemination(g, 0);
        break;
    default:
        collective_knomial(g, collective_knomial(g, 0, true, 2, nothing), false, 2, nothing);
    }
}

static void allgather(const operation *o, const collective_group *g,
                      const collective_blocks *blocks)
{
    const collective_vector all = {0, whole(o)};
    switch (o->algorithm) {
    case CLUMP_COLLECTIVE_LINEAR:
        collective_direct_gather(g, 0, blocks);
        return;
    case CLUMP_COLLECTIVE_GATHER_FIRST:
        collective_knomial(g, collective_binomial_blocks(g, 0, true, blocks), false, 2, all);
        return;
    case CLUMP_COLLECTIVE_NEIGHBOUR:
        if (g->count % 2 == 0) {
            collective_neighbour_gather(g, 0, blocks);
            return;
        }
        break; /* the ring */
    case CLUMP_COLLECTIVE_RECURSIVE_DOUBLING:
        if ((g->count & (g->count - 1)) == 0) {
            collective_doubling_gather(g, 0, blocks);
            return;
        }
        collective_bruck_gather(g, 0, blocks);
        return;
    case CLUMP_COLLECTIVE_BRUCK:
        collective_bruck_gather(g, 0, blocks);
        return;
    default:
        break;
    }
    collective_ring_gather(g, 0, blocks, 0);
}

static void reduce_scatter(const operation *o, const collective_group *g,
                           const collective_blocks *blocks)
{
    const collective_vector v = {0, whole(o)};
    switch (o->algorithm) {
    case CLUMP_COLLECTIVE_RING:
        collective_ring_reduce(g, 0, blocks);
        break;
    case CLUMP_COLLECTIVE_PAIRWISE:
        collective_pairwise_reduce(g, 0, blocks);
        break;
    case CLUMP_COLLECTIVE_RECURSIVE_HALVING:
        collective_halving(g, 0, blocks);
        break;
    default:
        collective_binomial_blocks(g, collective_knomial(g, 0, true, 2, v), false, blocks);
    }
}

/* What a rank has of the ranks up to it; by doubling also of all of its 2^k neighbours. */
static void scan(const operation *o, const collective_group *g)
{
    const uint64_t bytes = whole(o);
    const uint32_t me = g->me;
    if (o->algorithm == CLUMP_COLLECTIVE_CHAIN) {
        if (me > 0)
            collective_pass(g, me - 1, me - 1, me, 0, bytes, true);
        if (me + 1 < g->count)
            collective_pass(g, me, me, me + 1, 0, bytes, true);
        return;
    }
    for (uint32_t k = 0; UINT64_C(1) << k < g->count; k++) {
        const uint32_t other = me ^ UINT32_C(1) << k;
        if (other >= g->count)
            continue;
        collective_pass(g, k, me, other, 0, bytes, true);
        collective_pass(g, k, other, me, 0, bytes, true);
    }
}

/* ---- */

int clump_collective_visit(const operation *o, uint32_t rank, clump_collective_visitor *visitor,
                           void *context)
{
    collective_walk walk = {visitor, context, 0};
    const uint32_t P = o->ranks, root = has_root(o->kind) ? o->root : 0;
    const bool by_part = has_parts(o->kind);
    const bool levels =
        o->algorithm == CLUMP_COLLECTIVE_HIERARCHICAL || o->algorithm == CLUMP_COLLECTIVE_RAILS;
    collective_group g = {.walk = &walk, .stride = 1, .count = P, .me = rank};
    if (P == 1)
        return 0;
    if (!levels) { /* numbers are counted from the root */
        g.shift = root;
        g.me = (rank + P - root) % P;
    }
    const collective_blocks blocks = {
        .bytes = whole(o), .count = P, .shift = root, .parts = by_part ? o->parts : NULL};
    if (levels)
        (o->algorithm == CLUMP_COLLECTIVE_RAILS ? rails
         : by_part                              ? hierarchical_parts
                                                : hierarchical)(o, &g);
    else
        switch (o->kind) {
        case CLUMP_COLLECTIVE_BARRIER:
            barrier(o, &g);
            break;
        case CLUMP_COLLECTIVE_ALLREDUCE:
            allreduce(o, &g, &blocks);
            break;
        case CLUMP_COLLECTIVE_ALLGATHER:
            allgather(o, &g, &blocks);
            break;
        case CLUMP_COLLECTIVE_ALLTOALL:
            alltoall(&g, o);
            break;
        case CLUMP_COLLECTIVE_REDUCE_SCATTER:
            reduce_scatter(o, &g, &blocks);
            break;
        case CLUMP_COLLECTIVE_SCAN:
            scan(o, &g);
            break;
        default:
            rooted(o, &g, &blocks);
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
