/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Connected components of a random graph on a lattice (thesis, 5.3.3): each edge between two lattice
 * neighbours is there with a given probability, and the lattice has no border. Each processor has a
 * block of it. It finds the components of its block by itself; of these it keeps a representative, the
 * node with the least number, and which others it touches across the border. Then, in rounds, all
 * together: whoever's tree touches one with a smaller root hooks its root to that, and all find their new
 * roots. In the end each node gets the number of its root.
 *
 * The thesis describes the second part as an iterative parallel algorithm of several phases, no
 * further: it is ours, and so is the number of messages (docs/reproductions.md).
 */
#include "programs/applications/application.h"
#include "programs/applications/prices.h"
#include "programs/systems/global_space.h"
#include "protocols/virtual/splitmix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES, EDGES, WAIT, TOUCHED }; /* sizes */
enum { HOOK };                        /* function that is called */
enum { AXES = 3 };

/* The lattice and its blocks. A node's number is rank * nodes + place in the block. */
typedef struct lattice {
    const clump_application_input *input;
    uint32_t axes, side, nodes; /* of a block */
    uint32_t extent[AXES];      /* blocks along each axis */
    uint64_t likely;            /* an edge is there if its random number is below */
} lattice;

static lattice lattice_of(const clump_application_input *input)
{
    lattice l = {.input = input,
                 .axes = (uint32_t)input->application->variant,
                 .nodes = (uint32_t)input->sizes[NODES],
                 .extent = {1, 1, 1},
                 .likely = (uint64_t)(input->sizes[EDGES] * 4294967296.0)};
    l.side = (uint32_t)lround(pow(l.nodes, 1.0 / l.axes));
    /* Factors to the axis with the fewest blocks, x first. */
    for (uint32_t left = input->workers; left > 1;) {
        uint32_t factor = 2, axis = 0;
        while (left % factor != 0)
            factor++;
        for (uint32_t a = 1; a < l.axes; a++)
            if (l.extent[a] < l.extent[axis])
                axis = a;
        l.extent[axis] *= factor;
        left /= factor;
    }
    return l;
}

/* Of the edge from a node to the next one along an axis. */
static bool has_edge(const lattice *l, uint32_t number, uint32_t axis)
{
    uint64_t state = l->input->seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)number * AXES + axis;
    return clump_splitmix_next(&state) >> 32 < l->likely;
}

static uint32_t stride_of(const lattice *l, uint32_t axis)
{
    return axis == 0 ? 1 : axis == 1 ? l->side : l->side * l->side;
}

/* The block before or behind another along an axis, which may be itself. */
static uint32_t next_block(const lattice *l, uint32_t rank, uint32_t axis, bool forward)
{
    uint32_t stride = 1;
    for (uint32_t a = 0; a < axis; a++)
        stride *= l->extent[a];
    const uint32_t at = rank / stride % l->extent[axis], n = l->extent[axis],
                   to = (at + (forward ? 1 : n - 1)) % n;
    return rank + to * stride - at * stride;
}

/* The node next to `place` of a block along an axis: its block, and its place there. */
static uint32_t next_node(const lattice *l, uint32_t rank, uint32_t place, uint32_t axis,
                          uint32_t *there)
{
    const uint32_t stride = stride_of(l, axis);
    if (place / stride % l->side + 1 < l->side) {
        *there = place + stride;
        return rank;
    }
    *there = place - (l->side - 1) * stride;
    return next_block(l, rank, axis, true);
}

/* ---- trees of nodes that know a smaller one */

static uint32_t find_root(uint32_t *parent, uint32_t node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* ---- a worker */

/* A component of mine touches one of another block. */
typedef struct contact {
    uint32_t mine;   /* place of its representative */
    uint32_t theirs; /* number of the other's */
} contact;

typedef struct worker_state {
    lattice l;
    clump_space *space;
    clump_worker *w;
    uint32_t *local;              /* of each node: place of its representative */
    uint32_t *root, root_place;   /* of each representative: number of its root, as far as known */
    uint32_t *heard, heard_place; /* from neighbours: their representatives, by axis, side, place */
    uint32_t *asked, asked_place; /* what gets bring */
    uint32_t *before;             /* of each contact: my root before hooks */
    uint32_t *places;             /* of representatives that are followed */
    uint8_t *listed;
    contact *contacts;
    size_t contact_count;
} worker_state;

static uint32_t layer_size(const lattice *l)
{
    return l->nodes / l->side;
}

static uint32_t place_of_layer(const lattice *l, uint32_t axis, bool behind)
{
    return (axis * 2 + behind) * layer_size(l);
}

/* So many walks over all nodes, which change them. */
static void walk_nodes(const worker_state *c, double operations, double walks)
{
    const double bytes = c->l.nodes * c->l.input->sizes[TOUCHED];
    clump_worker_walk(c->w, operations, (size_t)bytes, walks * bytes, walks * bytes);
}

static void find_local(worker_state *c)
{
    const lattice *l = &c->l;
    const uint32_t rank = c->w->rank;
    for (uint32_t i = 0; i < l->nodes; i++)
        c->local[i] = i;
    for (uint32_t i = 0; i < l->nodes; i++)
        for (uint32_t axis = 0; axis < l->axes; axis++) {
            uint32_t there;
            if (next_node(l, rank, i, axis, &there) == rank &&
                has_edge(l, rank * l->nodes + i, axis))
                join(c->local, i, there);
        }
    for (uint32_t i = 0; i < l->nodes; i++) {
        c->local[i] = find_root(c->local, i);
        c->root[i] = rank * l->nodes + i;
    }
    walk_nodes(c, (double)l->nodes * (1 + l->axes), 3);
}

/* Each edge across a border, from either end: whom it leads to, the node at this end, and where the
 * other end's word about it goes. */
typedef struct crossing {
    uint32_t to, node;
    uint32_t mine, theirs; /* places in `heard`, here and there */
} crossing;

/* Node `k` of a layer, and the edge that leaves the block there. @return whether there is one */
static bool cross(const worker_state *c, uint32_t axis, bool forward, uint32_t k, crossing *x)
{
    const lattice *l = &c->l;
    const uint32_t stride = stride_of(l, axis), rank = c->w->rank,
                   first = k % stride + k / stride * stride * l->side,
                   last = first + (l->side - 1) * stride;
    x->to = next_block(l, rank, axis, forward);
    x->node = forward ? last : first;
    x->mine = place_of_layer(l, axis, forward) + k;
    x->theirs = place_of_layer(l, axis, !forward) + k;
    return x->to != rank && has_edge(l, (forward ? rank : x->to) * l->nodes + last, axis);
}

static int compare_contacts(const void *a, const void *b)
{
    const contact *x = a, *y = b;
    if (x->theirs != y->theirs)
        return x->theirs < y->theirs ? -1 : 1;
    return x->mine < y->mine ? -1 : x->mine > y->mine;
}

/* Tell neighbours whom their edges lead to, and learn it; then each pair once. */
static void meet_neighbours(worker_state *c)
{
    const lattice *l = &c->l;
    crossing x;
    uint64_t edges = 0;
    for (uint32_t side = 0; side < 2 * l->axes; side++)
        for (uint32_t k = 0; k < layer_size(l); k++)
            if (cross(c, side / 2, side % 2, k, &x)) {
                const uint32_t number = c->w->rank * l->nodes + c->local[x.node];
                clump_space_store(c->space, x.to, c->heard_place + x.theirs, &number, 1);
                edges++;
            }
    clump_space_store_sync(c->space, edges * sizeof(uint32_t));
    c->contacts = clump_worker_allocate(c->w, edges, sizeof *c->contacts);
    for (uint32_t side = 0; side < 2 * l->axes; side++)
        for (uint32_t k = 0; k < layer_size(l); k++)
            if (cross(c, side / 2, side % 2, k, &x))
                c->contacts[c->contact_count++] = (contact){c->local[x.node], c->heard[x.mine]};
    qsort(c->contacts, c->contact_count, sizeof *c->contacts, compare_contacts);
    size_t kept = 0;
    for (size_t i = 0; i < c->contact_count; i++)
        if (kept == 0 || compare_contacts(&c->contacts[kept - 1], &c->contacts[i]) != 0)
            c->contacts[kept++] = c->contacts[i];
    c->contact_count = kept;
    clump_worker_compute(c->w, 2.0 * l->axes * layer_size(l) + (double)edges);
}

/* What was asked has been answered, if this run waits for each answer. */
static void wait_for_answer(worker_state *c)
{
    if (c->l.input->sizes[WAIT] > 0)
        clump_space_sync(c->space);
}

/* Ask the owner of representative `number` for its root; the answer is `asked[i]` after a sync. */
static void ask(worker_state *c, uint32_t number, size_t i)
{
    clump_space_get(c->space, number / c->l.nodes, c->root_place + number % c->l.nodes,
                    c->asked_place + (uint32_t)i, 1);
    wait_for_answer(c);
}

static void on_hook(clump_space *space, const uint32_t *words, unsigned count, void *context)
{
    worker_state *c = context;
    if (count != 2 || words[0] >= c->l.nodes)
        clump_worker_fail(clump_space_worker(space), "a hook of what is no node");
    if (words[1] < c->root[words[0]])
        c->root[words[0]] = words[1];
}

/* Hook roots to smaller ones that their trees touch; forget contacts within a tree. Who touches whom
 * is as it was before the first hook: a root that is hooked twice keeps one of the two only, and
 * contacts have to remember the other. @return hooks */
static uint64_t hook(worker_state *c)
{
    size_t kept = 0;
    uint64_t hooks = 0;
    for (size_t i = 0; i < c->contact_count; i++) {
        c->before[i] = c->root[c->contacts[i].mine];
        if (i == 0 || c->contacts[i].theirs != c->contacts[i - 1].theirs)
            ask(c, c->contacts[i].theirs, i);
    }
    clump_space_sync(c->space);
    clump_space_barrier(c->space); /* all have asked, before anything changes */
    for (size_t i = 1; i < c->contact_count; i++)
        if (c->contacts[i].theirs == c->contacts[i - 1].theirs)
            c->asked[i] = c->asked[i - 1];
    for (size_t i = 0; i < c->contact_count; i++) {
        const uint32_t root = c->before[i], other = c->asked[i];
        if (other == root)
            continue;
        c->contacts[kept++] = c->contacts[i];
        if (other < root) {
            clump_space_call(c->space, root / c->l.nodes, HOOK,
                             (uint32_t[]){root % c->l.nodes, other}, 2);
            wait_for_answer(c);
            hooks++;
        }
    }
    clump_worker_compute(c->w, (double)c->contact_count);
    c->contact_count = kept;
    clump_space_all_store_sync(c->space);
    return hooks;
}

/* Follow roots to their roots, of so many representatives; nobody hooks meanwhile. */
static void follow(worker_state *c, uint32_t *places, size_t count)
{
    const uint32_t first = c->w->rank * c->l.nodes;
    size_t left = 0;
    for (size_t i = 0; i < count; i++)
        if (c->root[places[i]] != first + places[i])
            places[left++] = places[i];
    while (left > 0) {
        size_t kept = 0;
        for (size_t i = 0; i < left; i++)
            ask(c, c->root[places[i]], i);
        clump_space_sync(c->space);
        for (size_t i = 0; i < left; i++)
            if (c->asked[i] != c->root[places[i]]) {
                c->root[places[i]] = c->asked[i];
                places[kept++] = places[i];
            }
        clump_worker_compute(c->w, (double)left);
        left = kept;
    }
}

/* Representatives of the contacts that are left, each once. @return how many */
static size_t list_representatives(worker_state *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->contact_count; i++)
        if (!c->listed[c->contacts[i].mine]) {
            c->listed[c->contacts[i].mine] = 1;
            c->places[count++] = c->contacts[i].mine;
        }
    for (size_t i = 0; i < count; i++)
        c->listed[c->places[i]] = 0;
    return count;
}

static worker_state open_worker(clump_worker *w, const clump_application_input *input)
{
    worker_state c = {.l = lattice_of(input), .w = w};
    const size_t nodes = c.l.nodes,
                 border = (size_t)2 * c.l.axes * layer_size(&c.l); /* edges across it, at most */
    c.space = clump_space_open(w, (nodes + 2 * border) * sizeof(uint32_t) + 256);
    c.root_place = clump_space_allocate(c.space, nodes * sizeof(uint32_t));
    c.heard_place = clump_space_allocate(c.space, border * sizeof(uint32_t));
    c.asked_place = clump_space_allocate(c.space, border * sizeof(uint32_t));
    c.root = clump_space_at(c.space, c.root_place);
    c.heard = clump_space_at(c.space, c.heard_place);
    c.asked = clump_space_at(c.space, c.asked_place);
    c.local = clump_worker_allocate(w, nodes, sizeof *c.local);
    c.listed = clump_worker_allocate(w, nodes, sizeof *c.listed);
    c.before = clump_worker_allocate(w, border, sizeof *c.before);
    c.places = clump_worker_allocate(w, border, sizeof *c.places);
    return c;
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    worker_state c = open_worker(w, input);
    const uint32_t first = w->rank * c.l.nodes;
    clump_space_define(c.space, HOOK, on_hook, &c);
    clump_space_barrier(c.space);

    clump_worker_begin(w);
    clump_space_barrier(c.space);
    find_local(&c);
    clump_worker_progress(w, 0.3);
    clump_space_barrier(c.space); /* what neighbours ask for is there */
    meet_neighbours(&c);
    uint32_t *border = clump_worker_allocate(w, c.contact_count, sizeof *border);
    const size_t border_count = list_representatives(&c);
    for (size_t i = 0; i < border_count; i++)
        border[i] = c.places[i];
    while (clump_space_reduce(c.space, hook(&c), CLUMP_SPACE_SUM) > 0) {
        follow(&c, c.places, list_representatives(&c));
        clump_space_barrier(c.space);
        clump_worker_progress(w, 0.6);
    }
    follow(&c, border, border_count);
    clump_space_barrier(c.space); /* who goes on does not answer any more */
    for (uint32_t i = 0; i < c.l.nodes; i++)
        c.local[i] = c.root[c.local[i]];
    walk_nodes(&c, c.l.nodes, 1);
    clump_space_barrier(c.space);
    clump_worker_end(w);

    result->items = c.l.nodes;
    for (uint32_t i = 0; i < c.l.nodes; i++)
        result->digest += clump_application_mix(first + i, c.local[i]);
}

/* ---- one processor: all edges, one after the other */

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const lattice l = lattice_of(input);
    const uint32_t all = l.nodes * input->workers;
    uint32_t *parent = malloc(all * sizeof *parent);
    if (parent == NULL)
        return false;
    for (uint32_t n = 0; n < all; n++)
        parent[n] = n;
    for (uint32_t n = 0; n < all; n++)
        for (uint32_t axis = 0; axis < l.axes; axis++) {
            uint32_t there;
            const uint32_t block = next_node(&l, n / l.nodes, n % l.nodes, axis, &there);
            if (has_edge(&l, n, axis))
                join(parent, n, block * l.nodes + there);
        }
    *result = (clump_application_result){.items = all};
    for (uint32_t n = 0; n < all; n++)
        result->digest += clump_application_mix(n, find_root(parent, n));
    free(parent);
    return true;
}

static bool check(const clump_application_input *input, char message[CLUMP_APPLICATION_MESSAGE])
{
    const lattice l = lattice_of(input);
    const double power = pow(l.side, l.axes);
    if (power == l.nodes && input->sizes[NODES] * input->workers < 4294967295.0)
        return true;
    snprintf(
        message, CLUMP_APPLICATION_MESSAGE,
        "found %u nodes on each of %u processors, expected the %s of a whole number, and less than "
        "2^32 nodes in all",
        l.nodes, input->workers, l.axes == 2 ? "square" : "cube");
    return false;
}

#define CON(which, word, name_of_run, title_of_run, dimensions, nodes_preset, edges_preset)        \
    static const clump_application_size which##_sizes[] = {                                        \
        {"nodes", "lattice nodes of a processor, a square or cube", nodes_preset, 1, 1e8, true},   \
        {"edges", "share of the lattice's edges that are there", edges_preset, 0, 1, false},       \
        {"wait", "1: each question waits for its answer before the next; 0: many at once", 1, 0,   \
         1, true},                                                                                 \
        {"touched", "bytes of a node that a walk over all of them changes, with --memory", 8, 4,   \
         1024, true},                                                                              \
        {.name = NULL}};                                                                           \
    const clump_application clump_application_##which = {                                          \
        .name = word,                                                                              \
        .run = name_of_run,                                                                        \
        .title = title_of_run,                                                                     \
        .text = "A random part of a lattice's edges is there; which nodes hang together? Each\n"   \
                "processor has a block, whose components it finds by itself; then all join\n"      \
                "them across borders, in rounds, by short messages that ask, answer and hook.",    \
        .operation = "a lattice node or edge that is looked at",                                   \
        .operation_us = CLUMP_PRICE_CON_US,                                                        \
        .beside_memory_us = CLUMP_PRICE_CON_BESIDE_MEMORY_US,                                      \
        .style = "blocking",                                                                       \
        .price_run = "CON/comp",                                                                   \
        .sizes = which##_sizes,                                                                    \
        .variant = dimensions,                                                                     \
        .check = check,                                                                            \
        .work = work,                                                                              \
        .expect = expect,                                                                          \
    }

CON(con_comp, "con-comp", "CON/comp",
    "Connected components, two-dimensional lattice, bound by computation", 2, 640000, 0.4);
CON(con_comm, "con-comm", "CON/comm",
    "Connected components, three-dimensional lattice, bound by communication", 3, 512000, 0.25);
