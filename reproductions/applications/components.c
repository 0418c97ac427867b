/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Connected components of a random graph on a lattice (thesis, 5.3.3): each edge between two lattice
 * neighbours is there with a given probability, and the lattice has no border. Each processor has a
 * block of it, and finds the components of its block by itself. The thesis describes what follows as an
 * iterative parallel algorithm of several phases on these, the reduced graph; the article about the
 * program that it refers to (S. Lumetta, A. Krishnamurthy and D. Culler, Towards modeling the performance
 * of a fast connected components algorithm on parallel machines, 1995) calls it a variant of Shiloach and
 * Vishkin's. So it is here (Y. Shiloach and U. Vishkin, An O(log n) parallel connectivity algorithm, J.
 * Algorithms 3, 1982), with lists of edges that move to the roots of trees.
 *
 * A tree's root has a list of all edges across block borders at the tree's components. In a round, all
 * together:
 *
 *   hook       each root goes through its list until an edge leads to a tree with a smaller root, and
 *              points to that. A root that neither does so nor is pointed to hangs on to the tree at the
 *              end of its first edge: all its neighbours did hook, so that no cycle comes about
 *   follow     each component follows its pointers to the root
 *   remove     edges whose other end has the same root are taken from the lists
 *   join       roots get the lists of those that they have just got
 *
 * until no root has an edge. In the end each node gets the number of its root. What the rounds send is
 * compared with the thesis's tables in docs/reproductions.md.
 */
#include "reproductions/applications/application.h"
#include "reproductions/applications/costs.h"
#include "reproductions/applications/lattice.h"
#include "reproductions/systems/global_space.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES, EDGES, WAIT, TOUCHED }; /* sizes */
enum { MARK, HANG, LEAST };           /* functions that are called */

static clump_lattice lattice_of(const clump_application_input *input)
{
    clump_lattice l;
    clump_lattice_make((uint32_t)input->application->variant, (uint32_t)input->sizes[NODES],
                       input->workers, input->sizes[EDGES], input->seed, &l);
    return l;
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

/* Where an edge lies: in the global memory of the block that it leaves. */
typedef struct edge_place {
    uint32_t rank, place;
} edge_place;

/* An edge across a border: the component that it leads to, and the next one of the list. */
typedef struct edge {
    uint32_t other;
    edge_place next; /* nothing behind the last one of a list */
} edge;

/* Of a component: 16 bytes, which its root's processor fetches. */
typedef struct edge_list {
    edge_place first, last; /* first.rank is NOWHERE if it is empty */
} edge_list;

enum { WORDS_OF_EDGE = sizeof(edge) / sizeof(uint32_t) };
#define NOWHERE UINT32_MAX

/* A list that came to a root of mine. */
typedef struct arrival {
    uint32_t root; /* place of the root */
    uint32_t rank, list;
} arrival;

typedef struct worker_state {
    const clump_application_input *input;
    clump_lattice l;
    clump_space *space;
    clump_worker *w;
    uint32_t *local;              /* of each node: place of its component's representative */
    uint32_t *label;              /* of each node, in the end: number of its root */
    uint32_t *root, root_place;   /* of each representative: its parent's number, or its own */
    uint32_t *heard, heard_place; /* from neighbours: their representatives, by axis, side, place */
    uint32_t *asked, asked_place; /* what gets bring, by component */
    edge *edges;                  /* that leave this block */
    uint32_t edges_place;
    edge *fetched; /* edges of others, by component */
    uint32_t fetched_place;
    edge_list *lists, *joining; /* by component, and the one that is joined */
    uint32_t lists_place, joining_place;
    /* Components that edges leave, by place of their representatives. */
    uint32_t *components;
    size_t count;
    uint32_t *first, *target; /* roots at the first edge, and at the one along which to hook */
    uint8_t *marked;          /* somebody hooked to it */
    edge_place *cursor, *kept;
    uint32_t *pending;  /* components that are not done with a phase */
    edge_place *linked; /* what comes next in the list, as it is written */
    uint32_t *least;    /* of each root: number of the first node in its tree */
    arrival *arrivals;
    size_t arrival_count, arrival_room;
} worker_state;

static uint32_t place_of_layer(const clump_lattice *l, uint32_t axis, bool behind)
{
    return (axis * 2 + behind) * clump_lattice_layer(l);
}

/* So many walks over all nodes, which change them. */
static void walk_nodes(const worker_state *c, double operations, double walks)
{
    const double bytes = c->l.nodes * c->input->sizes[TOUCHED];
    clump_worker_walk(c->w, operations, (size_t)bytes, walks * bytes, walks * bytes);
}

static void find_local(worker_state *c)
{
    const clump_lattice *l = &c->l;
    const uint32_t rank = c->w->rank;
    for (uint32_t i = 0; i < l->nodes; i++)
        c->local[i] = i;
    for (uint32_t i = 0; i < l->nodes; i++)
        for (uint32_t axis = 0; axis < l->axes; axis++) {
            uint32_t there;
            if (clump_lattice_next_node(l, rank, i, axis, &there) == rank &&
                clump_lattice_has_edge(l, rank * l->nodes + i, axis))
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
    const clump_lattice *l = &c->l;
    const uint32_t stride = clump_lattice_stride(l, axis), rank = c->w->rank,
                   first = k % stride + k / stride * stride * l->side,
                   last = first + (l->side - 1) * stride;
    x->to = clump_lattice_next_block(l, rank, axis, forward);
    x->node = forward ? last : first;
    x->mine = place_of_layer(l, axis, forward) + k;
    x->theirs = place_of_layer(l, axis, !forward) + k;
    return x->to != rank &&
           clump_lattice_has_edge(l, (forward ? rank : x->to) * l->nodes + last, axis);
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Which component of mine has its representative there; `count` if none that an edge leaves. */
static size_t component_at(const worker_state *c, uint32_t place)
{
    const uint32_t *found =
        c->count > 0 ? bsearch(&place, c->components, c->count, sizeof place, compare_numbers)
                     : NULL;
    return found == NULL ? c->count : (size_t)(found - c->components);
}

static uint32_t number_of(const worker_state *c, size_t i)
{
    return c->w->rank * c->l.nodes + c->components[i];
}

/* Of component i, as far as known: the parent's number, its own if it is a root. */
static uint32_t *parent_of(const worker_state *c, size_t i)
{
    return &c->root[c->components[i]];
}

static bool has_edges(const worker_state *c, size_t i)
{
    return c->lists[i].first.rank != NOWHERE;
}

static bool same_place(edge_place a, edge_place b)
{
    return a.rank == b.rank && a.place == b.place;
}

static void list_components(worker_state *c)
{
    const clump_lattice *l = &c->l;
    crossing x;
    for (uint32_t side = 0; side < 2 * l->axes; side++)
        for (uint32_t k = 0; k < clump_lattice_layer(l); k++)
            if (cross(c, side / 2, side % 2, k, &x))
                c->components[c->count++] = c->local[x.node];
    qsort(c->components, c->count, sizeof *c->components, compare_numbers);
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++)
        if (kept == 0 || c->components[kept - 1] != c->components[i])
            c->components[kept++] = c->components[i];
    c->count = kept;
    for (size_t i = 0; i < c->count; i++)
        c->lists[i].first.rank = NOWHERE;
}

/* Tell neighbours whom their edges lead to, and learn it; then each component has its list. */
static void meet_neighbours(worker_state *c)
{
    const clump_lattice *l = &c->l;
    crossing x;
    uint32_t edges = 0;
    for (uint32_t side = 0; side < 2 * l->axes; side++)
        for (uint32_t k = 0; k < clump_lattice_layer(l); k++)
            if (cross(c, side / 2, side % 2, k, &x)) {
                const uint32_t number = c->w->rank * l->nodes + c->local[x.node];
                clump_space_store(c->space, x.to, c->heard_place + x.theirs, &number, 1);
                edges++;
            }
    clump_space_store_sync(c->space, edges * sizeof(uint32_t));
    list_components(c);
    edges = 0;
    for (uint32_t side = 0; side < 2 * l->axes; side++)
        for (uint32_t k = 0; k < clump_lattice_layer(l); k++)
            if (cross(c, side / 2, side % 2, k, &x)) {
                edge_list *list = &c->lists[component_at(c, c->local[x.node])];
                const edge_place here = {c->w->rank, c->edges_place + edges * WORDS_OF_EDGE};
                c->edges[edges].other = c->heard[x.mine];
                if (list->first.rank == NOWHERE)
                    list->first = here;
                else
                    c->edges[(list->last.place - c->edges_place) / WORDS_OF_EDGE].next = here;
                list->last = here;
                edges++;
            }
    clump_worker_compute(c->w, 2.0 * l->axes * clump_lattice_layer(l) + (double)edges);
}

/* What was asked has been answered, if this run waits for each answer. */
static void wait_for_answer(worker_state *c)
{
    if (c->input->sizes[WAIT] > 0)
        clump_space_sync(c->space);
}

/* Ask the owner of representative `number` for its parent; the answer is `asked[i]` after a sync. */
static void ask(worker_state *c, uint32_t number, size_t i)
{
    clump_space_get(c->space, number / c->l.nodes, c->root_place + number % c->l.nodes,
                    c->asked_place + (uint32_t)i, 1);
    wait_for_answer(c);
}

/* `fetched[i]` is the edge at the cursor of component i, after a sync. */
static void fetch_edge(worker_state *c, size_t i)
{
    clump_space_get(c->space, c->cursor[i].rank, c->cursor[i].place,
                    c->fetched_place + (uint32_t)i * WORDS_OF_EDGE, WORDS_OF_EDGE);
    if (c->cursor[i].rank != c->w->rank)
        wait_for_answer(c);
}

/* The edges at the cursors of all pending components, and the parents at their other ends. */
static void look_at_edges(worker_state *c, size_t pending)
{
    for (size_t p = 0; p < pending; p++)
        fetch_edge(c, c->pending[p]);
    clump_space_sync(c->space);
    for (size_t p = 0; p < pending; p++)
        ask(c, c->fetched[c->pending[p]].other, c->pending[p]);
    clump_space_sync(c->space);
    clump_worker_compute(c->w, (double)pending);
}

/* All components that have edges, each at its first one. @return how many */
static size_t begin_lists(worker_state *c)
{
    size_t pending = 0;
    for (size_t i = 0; i < c->count; i++)
        if (has_edges(c, i)) {
            c->cursor[i] = c->lists[i].first;
            c->pending[pending++] = (uint32_t)i;
        }
    return pending;
}

/* Go on to the next edge. @return whether there is one */
static bool next_edge(worker_state *c, size_t i)
{
    if (same_place(c->cursor[i], c->lists[i].last))
        return false;
    c->cursor[i] = c->fetched[i].next;
    return true;
}

static size_t checked_component(const worker_state *c, clump_space *space, unsigned expected,
                                unsigned count, uint32_t place)
{
    const size_t i = count == expected ? component_at(c, place) : c->count;
    if (i == c->count)
        clump_worker_fail(clump_space_worker(space), "a hook of what is no component");
    return i;
}

static void on_mark(clump_space *space, const uint32_t *words, unsigned count, void *context)
{
    worker_state *c = context;
    c->marked[checked_component(c, space, 1, count, words[0])] = 1;
}

/* Who is a root points to a smaller one that its tree touches, or, if nobody pointed to it either, to
 * that at the end of its first edge. Nobody changes a pointer before all have decided. */
static void hook(worker_state *c)
{
    size_t pending = begin_lists(c);
    for (size_t p = 0; p < pending; p++)
        c->first[c->pending[p]] = c->target[c->pending[p]] = NOWHERE;
    while (pending > 0) {
        size_t left = 0;
        look_at_edges(c, pending);
        for (size_t p = 0; p < pending; p++) {
            const uint32_t i = c->pending[p], other = c->asked[i];
            if (c->first[i] == NOWHERE)
                c->first[i] = other;
            if (other < number_of(c, i)) {
                c->target[i] = other;
                clump_space_call(c->space, other / c->l.nodes, MARK,
                                 (uint32_t[]){other % c->l.nodes}, 1);
                wait_for_answer(c);
            } else if (next_edge(c, i))
                c->pending[left++] = i;
        }
        pending = left;
    }
    clump_space_sync(c->space);
    clump_space_barrier(c->space);
    for (size_t i = 0; i < c->count; i++)
        if (has_edges(c, i)) {
            if (c->target[i] != NOWHERE)
                *parent_of(c, i) = c->target[i];
            else if (!c->marked[i])
                *parent_of(c, i) = c->first[i];
            c->marked[i] = 0;
        }
    clump_space_barrier(c->space);
}

/* All components follow their pointers to the root; nobody hooks meanwhile. */
static void follow(worker_state *c)
{
    size_t pending = 0;
    for (size_t i = 0; i < c->count; i++)
        if (*parent_of(c, i) != number_of(c, i))
            c->pending[pending++] = (uint32_t)i;
    while (pending > 0) {
        size_t left = 0;
        for (size_t p = 0; p < pending; p++)
            ask(c, *parent_of(c, c->pending[p]), c->pending[p]);
        clump_space_sync(c->space);
        for (size_t p = 0; p < pending; p++) {
            const uint32_t i = c->pending[p];
            if (c->asked[i] != *parent_of(c, i)) {
                *parent_of(c, i) = c->asked[i];
                c->pending[left++] = i;
            }
        }
        clump_worker_compute(c->w, (double)pending);
        pending = left;
    }
    clump_space_barrier(c->space);
}

/* Of an edge: what comes next in its list. */
static void link_edges(worker_state *c, edge_place before, edge_place next)
{
    const uint32_t place = before.place + offsetof(edge, next) / sizeof(uint32_t);
    clump_space_put(c->space, before.rank, place, &next, sizeof next / sizeof(uint32_t));
    if (before.rank != c->w->rank)
        wait_for_answer(c);
}

/* Take edges within a tree from the lists. Both roots and those that have just hooked have one. */
static void remove_loops(worker_state *c)
{
    size_t pending = begin_lists(c);
    for (size_t p = 0; p < pending; p++)
        c->kept[c->pending[p]].rank = NOWHERE;
    while (pending > 0) {
        size_t left = 0;
        look_at_edges(c, pending);
        for (size_t p = 0; p < pending; p++) {
            const uint32_t i = c->pending[p];
            edge_list *list = &c->lists[i];
            const edge_place here = c->cursor[i];
            if (c->asked[i] != *parent_of(c, i)) {
                if (c->kept[i].rank == NOWHERE)
                    list->first = here;
                else if (!same_place(c->linked[i], here))
                    link_edges(c, c->kept[i], here);
                c->kept[i] = here;
                c->linked[i] = c->fetched[i].next;
            }
            if (next_edge(c, i))
                c->pending[left++] = i;
            else if (c->kept[i].rank == NOWHERE)
                list->first.rank = NOWHERE;
            else
                list->last = c->kept[i];
        }
        pending = left;
    }
}

static void on_hang(clump_space *space, const uint32_t *words, unsigned count, void *context)
{
    worker_state *c = context;
    checked_component(c, space, 3, count, words[0]);
    if (c->arrival_count == c->arrival_room) {
        const size_t room = 2 * c->arrival_room + 16;
        arrival *more = clump_worker_borrow(c->w, room * sizeof *more);
        for (size_t i = 0; i < c->arrival_count; i++)
            more[i] = c->arrivals[i];
        if (c->arrivals != NULL)
            clump_worker_give_back(c->w, c->arrivals);
        c->arrivals = more;
        c->arrival_room = room;
    }
    c->arrivals[c->arrival_count++] = (arrival){words[0], words[1], words[2]};
}

/* The same order, whoever comes first. */
static int compare_arrivals(const void *a, const void *b)
{
    const arrival *x = a, *y = b;
    const int by_rank = compare_numbers(&x->rank, &y->rank);
    return by_rank != 0 ? by_rank : compare_numbers(&x->list, &y->list);
}

/* Roots get the lists of those that have just hooked. */
static void join_lists(worker_state *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (has_edges(c, i) && *parent_of(c, i) != number_of(c, i)) {
            const uint32_t root = *parent_of(c, i);
            clump_space_call(
                c->space, root / c->l.nodes, HANG,
                (uint32_t[]){root % c->l.nodes, c->w->rank,
                             c->lists_place + (uint32_t)(i * sizeof(edge_list) / sizeof(uint32_t))},
                3);
            wait_for_answer(c);
        }
    clump_space_sync(c->space);
    clump_space_barrier(c->space);
    if (c->arrival_count > 0)
        qsort(c->arrivals, c->arrival_count, sizeof *c->arrivals, compare_arrivals);
    for (size_t k = 0; k < c->arrival_count; k++) {
        const arrival *a = &c->arrivals[k];
        edge_list *list = &c->lists[component_at(c, a->root)];
        clump_space_get_bulk(c->space, a->rank, a->list, c->joining_place, sizeof(edge_list));
        clump_space_sync(c->space);
        if (list->first.rank == NOWHERE)
            list->first = c->joining->first;
        else
            link_edges(c, list->last, c->joining->first);
        list->last = c->joining->last;
    }
    c->arrival_count = 0;
    clump_space_sync(c->space);
}

/* All together. @return roots that have edges, of everybody */
static uint64_t count_open_roots(worker_state *c)
{
    uint64_t open = 0;
    for (size_t i = 0; i < c->count; i++)
        open += has_edges(c, i) && *parent_of(c, i) == number_of(c, i);
    open = clump_space_reduce(c->space, open, CLUMP_SPACE_SUM);
    for (size_t i = 0; i < c->count; i++) /* their roots have them */
        if (*parent_of(c, i) != number_of(c, i))
            c->lists[i].first.rank = NOWHERE;
    return open;
}

/* ---- the result: which root a tree has is the algorithm's choice, its first node is not */

static void on_least(clump_space *space, const uint32_t *words, unsigned count, void *context)
{
    worker_state *c = context;
    const size_t i = checked_component(c, space, 2, count, words[0]);
    if (words[1] < c->least[i])
        c->least[i] = words[1];
}

/* `root` becomes the number of the first node in the tree, of each component whose label says which
 * tree it is in. */
static void find_least(worker_state *c)
{
    for (size_t i = 0; i < c->count; i++)
        c->least[i] = number_of(c, i);
    clump_space_barrier(c->space);
    for (size_t i = 0; i < c->count; i++) {
        const uint32_t root = c->label[c->components[i]];
        clump_space_call(c->space, root / c->l.nodes, LEAST,
                         (uint32_t[]){root % c->l.nodes, number_of(c, i)}, 2);
    }
    clump_space_sync(c->space);
    clump_space_barrier(c->space);
    for (size_t i = 0; i < c->count; i++)
        if (c->label[c->components[i]] == number_of(c, i))
            *parent_of(c, i) = c->least[i];
    clump_space_barrier(c->space);
    for (size_t i = 0; i < c->count; i++)
        ask(c, c->label[c->components[i]], i);
    clump_space_sync(c->space);
    clump_space_barrier(c->space);
    for (size_t i = 0; i < c->count; i++)
        *parent_of(c, i) = c->asked[i];
}

static worker_state open_worker(clump_worker *w, const clump_application_input *input)
{
    worker_state c = {.input = input, .l = lattice_of(input), .w = w};
    const size_t nodes = c.l.nodes,
                 border = (size_t)2 * c.l.axes *
                          clump_lattice_layer(&c.l); /* edges across it, at most */
    const size_t bytes = nodes * sizeof(uint32_t) +
                         border * (2 * sizeof(uint32_t) + 2 * sizeof(edge) + sizeof(edge_list));
    c.space = clump_space_open(w, bytes + sizeof(edge_list) + 512);
    c.root_place = clump_space_allocate(c.space, nodes * sizeof(uint32_t));
    c.heard_place = clump_space_allocate(c.space, border * sizeof(uint32_t));
    c.asked_place = clump_space_allocate(c.space, border * sizeof(uint32_t));
    c.edges_place = clump_space_allocate(c.space, border * sizeof(edge));
    c.fetched_place = clump_space_allocate(c.space, border * sizeof(edge));
    c.lists_place = clump_space_allocate(c.space, border * sizeof(edge_list));
    c.joining_place = clump_space_allocate(c.space, sizeof(edge_list));
    c.root = clump_space_at(c.space, c.root_place);
    c.heard = clump_space_at(c.space, c.heard_place);
    c.asked = clump_space_at(c.space, c.asked_place);
    c.edges = clump_space_at(c.space, c.edges_place);
    c.fetched = clump_space_at(c.space, c.fetched_place);
    c.lists = clump_space_at(c.space, c.lists_place);
    c.joining = clump_space_at(c.space, c.joining_place);
    c.local = clump_worker_allocate(w, nodes, sizeof *c.local);
    c.label = clump_worker_allocate(w, nodes, sizeof *c.label);
    c.components = clump_worker_allocate(w, border, sizeof *c.components);
    c.first = clump_worker_allocate(w, border, sizeof *c.first);
    c.target = clump_worker_allocate(w, border, sizeof *c.target);
    c.least = clump_worker_allocate(w, border, sizeof *c.least);
    c.pending = clump_worker_allocate(w, border, sizeof *c.pending);
    c.marked = clump_worker_allocate(w, border, sizeof *c.marked);
    c.cursor = clump_worker_allocate(w, border, sizeof *c.cursor);
    c.kept = clump_worker_allocate(w, border, sizeof *c.kept);
    c.linked = clump_worker_allocate(w, border, sizeof *c.linked);
    return c;
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    worker_state c = open_worker(w, input);
    const uint32_t first = w->rank * c.l.nodes;
    clump_space_define(c.space, MARK, on_mark, &c);
    clump_space_define(c.space, HANG, on_hang, &c);
    clump_space_define(c.space, LEAST, on_least, &c);
    clump_space_barrier(c.space);

    clump_worker_begin(w);
    clump_space_barrier(c.space);
    find_local(&c);
    clump_worker_progress(w, 0.3);
    clump_space_barrier(c.space); /* what neighbours ask for is there */
    meet_neighbours(&c);
    while (count_open_roots(&c) > 0) {
        hook(&c);
        follow(&c);
        remove_loops(&c);
        join_lists(&c);
        clump_worker_progress(w, 0.6);
    }
    for (uint32_t i = 0; i < c.l.nodes; i++)
        c.label[i] = c.root[c.local[i]];
    walk_nodes(&c, c.l.nodes, 1);
    clump_space_barrier(c.space);
    clump_worker_end(w);

    find_least(&c);
    result->items = c.l.nodes;
    for (uint32_t i = 0; i < c.l.nodes; i++) {
        const uint32_t component = c.local[i];
        result->digest += clump_application_mix(
            first + i, c.label[i] == c.label[component] ? c.root[component] : NOWHERE);
    }
    if (c.arrivals != NULL)
        clump_worker_give_back(w, c.arrivals);
}

/* ---- one processor: all edges, one after the other */

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const clump_lattice l = lattice_of(input);
    const uint32_t all = l.nodes * input->workers;
    uint32_t *parent = malloc(all * sizeof *parent);
    if (parent == NULL)
        return false;
    for (uint32_t n = 0; n < all; n++)
        parent[n] = n;
    for (uint32_t n = 0; n < all; n++)
        for (uint32_t axis = 0; axis < l.axes; axis++) {
            uint32_t there;
            const uint32_t block =
                clump_lattice_next_node(&l, n / l.nodes, n % l.nodes, axis, &there);
            if (clump_lattice_has_edge(&l, n, axis))
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
    const clump_lattice l = lattice_of(input);
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
        .cost_run = "CON/comp",                                                                    \
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
