/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * EM3D (thesis, 5.3.3): electric and magnetic field nodes of a random mesh, a bipartite graph. In a
 * step each electric node becomes a weighted sum of the magnetic nodes that it is coupled with; a
 * magnetic value that is needed on another processor is sent there first, once, however many need
 * it. Only the electric half is timed, and only that half communicates here; the magnetic values
 * change by a rule of their own between steps.
 *
 * The graph: processors are blocks of space. Each magnetic node has `degree` edges, each to a random
 * electric node: of a neighbouring block with the given probability, shared equally by the
 * directions that a block in the middle has, else of its own. Beyond the border of space there is
 * nothing: what would go there stays at home. Tables 5.6 to 5.8 fix what the text leaves open
 * (docs/reproductions.md): which end has the fixed degree, the border, and 20 steps.
 */
#include "reproductions/applications/application.h"
#include "reproductions/applications/blocks.h"
#include "reproductions/applications/costs.h"
#include "reproductions/systems/global_space.h"
#include "reproductions/virtual/splitmix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES, DEGREE, REMOTE, STEPS, WAIT }; /* sizes */

/* An edge of an electric node: where the magnetic value lies, and its weight. */
typedef struct edge {
    uint32_t electric, value;
    double weight;
} edge;

/* A magnetic value that goes to a neighbour. */
typedef struct parcel {
    uint32_t magnetic;
    uint32_t direction;
} parcel;

/* Magnetic nodes of a block and electric ones: as many. */
static uint32_t half_of(const clump_application_input *input)
{
    return (uint32_t)input->sizes[NODES] / 2;
}

static double first_value(const clump_application_input *input, uint32_t rank, uint32_t node)
{
    uint64_t state = clump_application_seed(input->seed, 1 + (uint64_t)rank, node);
    return clump_splitmix_real(&state);
}

static double next_value(double value)
{
    return 0.75 * value + 0.125;
}

/* ---- the graph */

/* Edges of magnetic node `node` of block `rank`, one after the other. */
typedef struct edge_stream {
    uint64_t state;
    uint32_t half, directions;
    double remote;
} edge_stream;

static edge_stream edges_of(const clump_application_input *input, const clump_blocks *blocks,
                            uint32_t rank, uint32_t node)
{
    return (edge_stream){.state =
                             clump_application_seed(input->seed, (UINT64_C(1) << 32) + rank, node),
                         .half = half_of(input),
                         .directions = clump_blocks_directions(blocks),
                         .remote = input->sizes[REMOTE]};
}

typedef struct drawn {
    uint32_t block, electric;
    uint32_t direction; /* CLUMP_BLOCKS_HERE: the block itself */
    double weight;
} drawn;

static drawn draw_edge(edge_stream *s, const clump_blocks *blocks, uint32_t rank)
{
    drawn d = {.block = rank, .direction = CLUMP_BLOCKS_HERE};
    const double chance = clump_splitmix_real(&s->state);
    if (chance < s->remote && s->directions > 0) {
        const uint32_t place = (uint32_t)(chance / s->remote * s->directions);
        const uint32_t direction = place < s->directions ? place : s->directions - 1;
        const uint32_t there = clump_blocks_neighbour(blocks, rank, direction);
        if (there != CLUMP_BLOCKS_NONE) {
            d.block = there;
            d.direction = direction;
        }
    }
    d.electric = (uint32_t)(clump_splitmix_next(&s->state) % s->half);
    d.weight = 0.5 + clump_splitmix_real(&s->state);
    return d;
}

/* ---- a worker */

typedef struct mesh {
    const clump_application_input *input;
    clump_blocks blocks;
    clump_space *space;
    uint32_t half, degree;
    double *magnetic; /* in global memory: own values, then a row of values for each direction */
    uint32_t magnetic_place;
    double *electric;
    edge *edges;
    size_t edge_count;
    parcel *parcels;
    size_t parcel_count;
    uint64_t due; /* bytes that neighbours send in a step */
} mesh;

/* Where block `rank` keeps the value of its neighbour in a direction. */
static uint32_t row_of(const mesh *m, uint32_t direction, uint32_t node)
{
    return (1 + direction) * m->half + node;
}

static void add_edge(mesh *m, uint32_t electric, uint32_t value, double weight)
{
    m->edges[m->edge_count++] = (edge){electric, value, weight};
}

/* My own magnetic nodes: edges here, and parcels for neighbours, one for each that needs it. */
static void make_own(mesh *m, uint32_t rank)
{
    for (uint32_t node = 0; node < m->half; node++) {
        edge_stream stream = edges_of(m->input, &m->blocks, rank, node);
        bool sent[CLUMP_BLOCKS_DIRECTIONS] = {false};
        for (uint32_t i = 0; i < m->degree; i++) {
            const drawn d = draw_edge(&stream, &m->blocks, rank);
            if (d.direction == CLUMP_BLOCKS_HERE)
                add_edge(m, d.electric, node, d.weight);
            else if (!sent[d.direction]) {
                sent[d.direction] = true;
                m->parcels[m->parcel_count++] = (parcel){node, d.direction};
            }
        }
    }
}

/* Those of a neighbour, as far as they concern me: everybody can draw them. */
static void make_neighbours(mesh *m, uint32_t rank, uint32_t direction)
{
    const uint32_t there = clump_blocks_neighbour(&m->blocks, rank, direction);
    if (there == CLUMP_BLOCKS_NONE)
        return;
    for (uint32_t node = 0; node < m->half; node++) {
        edge_stream stream = edges_of(m->input, &m->blocks, there, node);
        bool needed = false;
        for (uint32_t i = 0; i < m->degree; i++) {
            const drawn d = draw_edge(&stream, &m->blocks, there);
            if (d.block != rank || d.direction == CLUMP_BLOCKS_HERE)
                continue;
            add_edge(m, d.electric, row_of(m, direction, node), d.weight);
            needed = true;
        }
        m->due += needed ? sizeof(double) : 0;
    }
}

static mesh make_mesh(clump_worker *w, const clump_application_input *input)
{
    mesh m = {.input = input, .half = half_of(input), .degree = (uint32_t)input->sizes[DEGREE]};
    clump_blocks_make(input->workers, input->per_node, input->application->variant, &m.blocks);
    const size_t directions = clump_blocks_directions(&m.blocks),
                 values = (1 + directions) * m.half;
    m.space = clump_space_open(w, values * sizeof(double) + 64);
    m.magnetic_place = clump_space_allocate(m.space, values * sizeof(double));
    m.magnetic = clump_space_at(m.space, m.magnetic_place);
    m.electric = clump_worker_allocate(w, m.half, sizeof(double));
    /* At most all edges of this block and of its neighbours. */
    m.edges = clump_worker_allocate(w, (1 + directions) * m.half * m.degree, sizeof *m.edges);
    m.parcels = clump_worker_allocate(w, directions * m.half, sizeof *m.parcels);
    make_own(&m, w->rank);
    for (uint32_t d = 0; d < directions; d++)
        make_neighbours(&m, w->rank, d);
    for (uint32_t i = 0; i < m.half; i++)
        m.magnetic[i] = first_value(input, w->rank, i);
    return m;
}

static void send_values(const mesh *m)
{
    const clump_worker *w = clump_space_worker(m->space);
    for (size_t i = 0; i < m->parcel_count; i++) {
        const parcel *p = &m->parcels[i];
        const uint32_t to = clump_blocks_neighbour(&m->blocks, w->rank, p->direction);
        /* There I am the neighbour in the direction that leads back. */
        const uint32_t row =
            row_of(m, clump_blocks_opposite(&m->blocks, p->direction), p->magnetic);
        clump_space_store(m->space, to,
                          m->magnetic_place + row * (uint32_t)(sizeof(double) / sizeof(uint32_t)),
                          &m->magnetic[p->magnetic], sizeof(double) / sizeof(uint32_t));
        if (m->input->sizes[WAIT] > 0)
            clump_space_quiet(m->space);
    }
}

static void compute_electric(const mesh *m)
{
    memset(m->electric, 0, m->half * sizeof *m->electric);
    for (size_t i = 0; i < m->edge_count; i++) {
        const edge *e = &m->edges[i];
        m->electric[e->electric] += e->weight * m->magnetic[e->value];
    }
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void add_digest(const mesh *m, uint32_t rank, clump_application_result *result)
{
    for (uint32_t i = 0; i < m->half; i++)
        result->digest +=
            clump_application_mix((uint64_t)rank * m->half + i, bits_of(m->electric[i]));
    result->items += m->half;
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    const mesh m = make_mesh(w, input);
    const uint32_t steps = (uint32_t)input->sizes[STEPS];
    clump_space_barrier(m.space);
    clump_worker_begin(w);
    clump_space_barrier(m.space);
    for (uint32_t step = 0; step < steps; step++) {
        clump_worker_phase_begin(w);
        send_values(&m);
        clump_worker_phase_end(w);
        clump_space_store_sync(m.space, m.due);
        compute_electric(&m);
        /* The magnetic half, which is not timed, has its edges in the cache in between. */
        const size_t bytes = m.edge_count * sizeof *m.edges;
        clump_worker_walk(w, (double)m.edge_count, 2 * bytes, (double)bytes, 0);
        for (uint32_t i = 0; i < m.half; i++)
            m.magnetic[i] = next_value(m.magnetic[i]);
        clump_space_barrier(m.space);
        clump_worker_progress(w, (double)(step + 1) / steps);
    }
    clump_worker_end(w);
    add_digest(&m, w->rank, result);
}

/* ---- one processor: all magnetic values of the last step, then all edges of each electric node in
 * the order in which its block has them */

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const uint32_t half = half_of(input), degree = (uint32_t)input->sizes[DEGREE];
    const size_t all = (size_t)half * input->workers;
    double *magnetic = malloc((all + 1) * sizeof *magnetic);
    double *electric = calloc(all + 1, sizeof *electric);
    clump_blocks blocks;
    clump_blocks_make(input->workers, input->per_node, input->application->variant, &blocks);
    for (size_t i = 0; magnetic != NULL && i < all; i++) {
        magnetic[i] = first_value(input, (uint32_t)(i / half), (uint32_t)(i % half));
        for (uint32_t step = 1; step < (uint32_t)input->sizes[STEPS]; step++)
            magnetic[i] = next_value(magnetic[i]);
    }
    /* Sums depend on the order of their terms: own edges first, then direction by direction. */
    for (uint32_t turn = 0;
         magnetic != NULL && electric != NULL && turn <= clump_blocks_directions(&blocks); turn++)
        for (uint32_t rank = 0; rank < input->workers; rank++)
            for (uint32_t node = 0; node < half; node++) {
                edge_stream stream = edges_of(input, &blocks, rank, node);
                for (uint32_t i = 0; i < degree; i++) {
                    const drawn d = draw_edge(&stream, &blocks, rank);
                    const uint32_t own_turn = d.direction == CLUMP_BLOCKS_HERE
                                                  ? 0
                                                  : 1 + clump_blocks_opposite(&blocks, d.direction);
                    if (own_turn == turn)
                        electric[(size_t)d.block * half + d.electric] +=
                            d.weight * magnetic[(size_t)rank * half + node];
                }
            }
    const bool done = magnetic != NULL && electric != NULL;
    *result = (clump_application_result){.items = done ? all : 0};
    for (size_t i = 0; done && i < all; i++)
        result->digest += clump_application_mix(i, bits_of(electric[i]));
    free(magnetic);
    free(electric);
    return done;
}

static bool check(const clump_application_input *input, char message[CLUMP_APPLICATION_MESSAGE])
{
    if (input->sizes[NODES] * input->sizes[DEGREE] * input->workers <= 1e9)
        return true;
    snprintf(
        message, CLUMP_APPLICATION_MESSAGE,
        "found %.0f nodes of degree %.0f on each of %u processors, expected at most 10^9 edges "
        "in all",
        input->sizes[NODES], input->sizes[DEGREE], input->workers);
    return false;
}

static const clump_application_size sizes[] = {
    {"nodes", "electric and magnetic nodes of a processor, half each", 2500, 2, 1e8, true},
    {"degree", "edges of a magnetic node", 20, 1, 1e4, true},
    {"remote", "share of edges between two processors, away from the border", 0.4, 0, 1, false},
    {"steps", "time steps", 20, 1, 1e6, true},
    {"wait", "1: each value is sent when the one before is answered; 0: at once", 1, 0, 1, true},
    {.name = NULL}};

#define EM3D(which, word, name_of_run, title_of_run, layout)                                       \
    const clump_application clump_application_##which = {                                          \
        .name = word,                                                                              \
        .run = name_of_run,                                                                        \
        .title = title_of_run,                                                                     \
        .text =                                                                                    \
            "Field nodes of a random mesh, a block of space on each processor. In a step each\n"   \
            "processor sends its magnetic values to the neighbours that need them, a short\n"      \
            "message each that it waits for, computes its electric ones when all have come, and "  \
            "waits for all.",                                                                      \
        .operation = "an edge",                                                                    \
        .operation_us = CLUMP_PRICE_EM3D_US,                                                       \
        .beside_memory_us = CLUMP_PRICE_EM3D_BESIDE_MEMORY_US,                                     \
        .style = "blocking",                                                                       \
        .exchange = true,                                                                          \
        .cost_run = "EM3D",                                                                        \
        .sizes = sizes,                                                                            \
        .variant = layout,                                                                         \
        .check = check,                                                                            \
        .work = work,                                                                              \
        .expect = expect,                                                                          \
    }

EM3D(em3d, "em3d", "EM3D", "Electromagnetic waves on an irregular mesh, layout of one SMP",
     CLUMP_BLOCKS_COMPACT);
EM3D(em3d_naive, "em3d-naive", "EM3D/naive",
     "Electromagnetic waves on an irregular mesh, nodes of the Clump as flat slices",
     CLUMP_BLOCKS_FLAT);
EM3D(em3d_good, "em3d-good", "EM3D/good",
     "Electromagnetic waves on an irregular mesh, nodes of the Clump as cubes",
     CLUMP_BLOCKS_COMPACT);
