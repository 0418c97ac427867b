/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Barnes (cluster-protocols.txt, section 7): N bodies attract each other, by Barnes and Hut's method:
 * all stand in an oct-tree, and for each body a subtree that is small beside its distance counts as one
 * body. Bodies and cells of the tree are shared regions of 88 to 96 bytes; each processor owns bodies
 * that are neighbours in space, and the cells that it had to make for them.
 *
 * Which cells there are does not depend on the order in which bodies are put into the tree, and sums
 * are taken in the order of a cell's eight parts: so all positions are those of a sequential run, to the
 * last bit.
 */
#include "reproductions/applications/application.h"

#include "reproductions/systems/regions.h"
#include "reproductions/virtual/splitmix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES, STEPS, OPENING };
enum { PARTS = 8, LEVELS_MOST = 50, CELLS_MOST = 1 << 20 };

/* What the article leaves open: as usual for this method. */
static const double STEP = 0.025, SOFTENING = 0.05;

static const clump_application_size sizes[] = {
    {"bodies", "of all processors", 16384, 1, 1e6, true},
    {"steps", "of time", 10, 1, 1000, true},
    {"opening", "a cell this many times smaller than its distance counts as one body", 1, 0.1, 10,
     false},
    {NULL, NULL, 0, 0, 0, false}};

typedef struct vector {
    double x[3];
} vector;

typedef struct body {
    vector at, speed, force;
    double mass;
    uint64_t number;
} body;

/* What stands in a part of a cell: nothing, a body, or a cell. */
typedef struct place {
    uint32_t kind : 2, home : 10, number : 20;
} place;
enum { NOTHING, A_BODY, A_CELL };

typedef struct cell {
    vector at; /* centre of mass */
    double mass;
    place parts[PARTS];
    double side; /* of the cube */
    vector corner;
} cell;

/* ---- the method, the same on one processor as on many */

/* Part of the cube where a point lies; its corner. */
static unsigned part_of(const vector *corner, double side, const vector *at, vector *part_corner)
{
    unsigned part = 0;
    for (int i = 0; i < 3; i++) {
        const double middle = corner->x[i] + side / 2;
        const bool upper = at->x[i] >= middle;
        part |= (unsigned)upper << i;
        part_corner->x[i] = upper ? middle : corner->x[i];
    }
    return part;
}

static cell empty_cell(const vector *corner, double side)
{
    return (cell){.side = side, .corner = *corner};
}

/* Count a part in a cell's centre of mass, which is a sum until end_centre(). */
static void add_part(cell *c, const vector *at, double mass)
{
    for (int i = 0; i < 3; i++)
        c->at.x[i] += at->x[i] * mass;
    c->mass += mass;
}

static void end_centre(cell *c)
{
    for (int i = 0; i < 3; i++)
        c->at.x[i] /= c->mass;
}

static double square_of_distance(const vector *a, const vector *b)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (a->x[i] - b->x[i]) * (a->x[i] - b->x[i]);
    return sum;
}

static bool is_small(const vector *from, const vector *centre, double side, double opening)
{
    const double sides = side * opening;
    return square_of_distance(from, centre) > sides * sides;
}

static void attract(vector *force, const vector *from, const vector *at, double mass)
{
    const double square = square_of_distance(from, at) + SOFTENING * SOFTENING;
    const double strength = mass / (square * sqrt(square));
    for (int i = 0; i < 3; i++)
        force->x[i] += (at->x[i] - from->x[i]) * strength;
}

static void move_body(body *b)
{
    for (int i = 0; i < 3; i++) {
        b->speed.x[i] += b->force.x[i] * STEP;
        b->at.x[i] += b->speed.x[i] * STEP;
    }
}

/* The cube of all, from the least and greatest coordinates. A little larger, so that all are in. */
static void cube_of(const double least[3], const double greatest[3], vector *corner, double *side)
{
    double widest = 0;
    for (int i = 0; i < 3; i++) {
        const double wide = greatest[i] - least[i];
        widest = wide > widest ? wide : widest;
        corner->x[i] = least[i];
    }
    *side = widest * 1.000001 + 1e-9;
}

/* ---- the input: Plummer's model of a galaxy, cut at the radius that has 90% of its mass, in the order
 * of a curve that keeps neighbours together (Morton) */

static double uniform(uint64_t *state)
{
    return clump_splitmix_real(state);
}

static vector on_sphere(uint64_t *state, double radius)
{
    const double z = 2 * uniform(state) - 1, angle = 2 * 3.14159265358979323846 * uniform(state),
                 r = sqrt(1 - z * z);
    return (vector){{radius * r * cos(angle), radius * r * sin(angle), radius * z}};
}

static body body_of(const clump_application_input *input, uint32_t number)
{
    uint64_t state = clump_application_seed(input->seed, 1, number);
    const double share = 0.9 * uniform(&state) + 1e-6, radius = 1 / sqrt(pow(share, -2.0 / 3) - 1);
    double speed, height;
    do { /* its distribution, by rejection */
        speed = uniform(&state);
        height = 0.1 * uniform(&state);
    } while (height > speed * speed * pow(1 - speed * speed, 3.5));
    body b = {.number = number, .mass = 1 / input->sizes[BODIES]};
    b.at = on_sphere(&state, radius);
    b.speed = on_sphere(&state, speed * sqrt(2) * pow(1 + radius * radius, -0.25));
    return b;
}

typedef struct ordered_body {
    uint64_t key;
    body body;
} ordered_body;

static uint64_t key_of(const vector *at)
{
    uint64_t key = 0, scaled[3];
    for (int i = 0; i < 3; i++) {
        const double share = (at->x[i] + 16) / 32;
        scaled[i] = (uint64_t)((share < 0 ? 0 : share > 0.999999 ? 0.999999 : share) * 1048576);
    }
    for (int bit = 19; bit >= 0; bit--)
        for (int i = 2; i >= 0; i--)
            key = key << 1 | (scaled[i] >> bit & 1);
    return key;
}

static int compare(const void *a, const void *b)
{
    const ordered_body *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->body.number > y->body.number) - (x->body.number < y->body.number);
}

static void make_bodies(const clump_application_input *input, ordered_body *bodies)
{
    const uint32_t count = (uint32_t)input->sizes[BODIES];
    for (uint32_t i = 0; i < count; i++) {
        bodies[i].body = body_of(input, i);
        bodies[i].key = key_of(&bodies[i].body.at);
    }
    qsort(bodies, count, sizeof *bodies, compare);
}

static uint32_t first_of(const clump_application_input *input, uint32_t worker)
{
    return (uint32_t)((uint64_t)input->sizes[BODIES] * worker / input->workers);
}

static bool check(const clump_application_input *input, char message[CLUMP_APPLICATION_MESSAGE])
{
    if (input->workers > 1024) {
        snprintf(message, CLUMP_APPLICATION_MESSAGE,
                 "found %u processors, expected at most 1024, which share regions", input->workers);
        return false;
    }
    return true;
}

static void add_body(clump_application_result *result, const body *b)
{
    uint64_t digest = b->number;
    for (int i = 0; i < 3; i++) {
        uint64_t bits;
        memcpy(&bits, &b->at.x[i], sizeof bits);
        digest = clump_application_mix(digest, bits);
    }
    result->digest += digest;
    result->items++;
}

/* ---- on all processors */

/* Regions of a worker: its bodies, and then cells, of which the first `used` are in this step's tree.
 * Cell 0 of worker 0 is the root. */
typedef struct galaxy {
    const clump_application_input *input;
    clump_worker *worker;
    clump_regions *regions;
    uint32_t bodies; /* own */
    uint32_t cells, used, room;
    uint8_t *levels; /* of own cells */
    place *stack;
    uint32_t stack_room;
    vector *forces; /* on own bodies */
} galaxy;

static const place root = {.kind = A_CELL};

static uint32_t bodies_of(const galaxy *g, uint32_t worker)
{
    return first_of(g->input, worker + 1) - first_of(g->input, worker);
}

static clump_region *region_of(const galaxy *g, place p)
{
    const bool is_cell = p.kind == A_CELL;
    return clump_regions_map(
        g->regions, (clump_region_name){p.home, p.number + (is_cell ? bodies_of(g, p.home) : 0)},
        is_cell ? sizeof(cell) : sizeof(body));
}

static place own_body(const galaxy *g, uint32_t number)
{
    return (place){.kind = A_BODY, .home = g->worker->rank & 1023, .number = number & 1048575};
}

static void look_at_cell(const galaxy *g, place p, cell *c)
{
    clump_region *r = region_of(g, p);
    memcpy(c, clump_region_start_read(r), sizeof *c);
    clump_region_end_read(r);
}

static void look_at_body(const galaxy *g, place p, body *b)
{
    clump_region *r = region_of(g, p);
    memcpy(b, clump_region_start_read(r), sizeof *b);
    clump_region_end_read(r);
}

static void put_body(const galaxy *g, place p, const body *b)
{
    clump_region *r = region_of(g, p);
    memcpy(clump_region_start_write(r), b, sizeof *b);
    clump_region_end_write(r);
}

/* A cell of one's own: one of an earlier step, or a new region. */
static place make_cell(galaxy *g, const cell *c, unsigned level)
{
    if (g->used == CELLS_MOST)
        clump_worker_fail(g->worker, "more than 2^20 cells of one processor");
    if (g->used == g->room) {
        const uint32_t room = g->room > 0 ? 2 * g->room : 256;
        uint8_t *levels = clump_worker_borrow(g->worker, room);
        if (g->room > 0)
            memcpy(levels, g->levels, g->room);
        clump_worker_give_back(g->worker, g->levels);
        g->levels = levels;
        g->room = room;
    }
    if (g->used == g->cells) {
        clump_regions_create(g->regions, sizeof *c);
        g->cells++;
    }
    const place p = {.kind = A_CELL, .home = g->worker->rank & 1023, .number = g->used & 1048575};
    g->levels[g->used++] = (uint8_t)level;
    clump_region *r = region_of(g, p);
    memcpy(clump_region_start_write(r), c, sizeof *c);
    clump_region_end_write(r);
    return p;
}

/* Where a body belongs in a cell: there is nothing or another body, which a new cell takes in, which
 * is gone down to; or a cell. @return where to go on; kind NOTHING: it stands where it belongs */
static place enter_cell(galaxy *g, place at, unsigned level, place p, const body *b)
{
    cell c;
    vector corner;
    look_at_cell(g, at, &c);
    const unsigned part = part_of(&c.corner, c.side, &b->at, &corner);
    if (c.parts[part].kind == A_CELL)
        return c.parts[part];
    clump_region *r = region_of(g, at);
    cell *there = clump_region_start_write(r);
    place next = there->parts[part]; /* somebody may have been quicker */
    if (next.kind == NOTHING) {
        there->parts[part] = p;
    } else if (next.kind == A_BODY) {
        body other;
        vector part_corner;
        look_at_body(g, next, &other);
        cell new = empty_cell(&corner, c.side / 2);
        new.parts[part_of(&new.corner, new.side, &other.at, &part_corner)] = next;
        next = there->parts[part] = make_cell(g, &new, level + 1);
    }
    clump_region_end_write(r);
    return next;
}

static void insert(galaxy *g, uint32_t number)
{
    const place p = own_body(g, number);
    body b;
    look_at_body(g, p, &b);
    unsigned level = 0;
    for (place at = root; at.kind == A_CELL; level++) {
        if (level == LEVELS_MOST)
            clump_worker_fail(g->worker, "bodies at the same place");
        clump_worker_compute(g->worker, 1);
        at = enter_cell(g, at, level, p, &b);
    }
}

/* The tree of all bodies. @return its deepest level */
static unsigned build(galaxy *g)
{
    double least[6] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    for (uint32_t i = 0; i < g->bodies; i++) {
        body b;
        look_at_body(g, own_body(g, i), &b);
        for (int k = 0; k < 3; k++) {
            least[k] = fmin(least[k], b.at.x[k]);
            least[3 + k] = fmin(least[3 + k], -b.at.x[k]);
        }
    }
    clump_regions_reduce(g->regions, CLUMP_REGION_LEAST, least, 6);
    g->used = 0;
    if (g->worker->rank == 0) {
        const double greatest[3] = {-least[3], -least[4], -least[5]};
        vector corner;
        double side;
        cube_of(least, greatest, &corner, &side);
        const cell c = empty_cell(&corner, side);
        make_cell(g, &c, 0);
    }
    clump_regions_barrier(g->regions);
    for (uint32_t i = 0; i < g->bodies; i++)
        insert(g, i);
    double deepest = 0;
    for (uint32_t i = 0; i < g->used; i++)
        deepest = fmax(deepest, g->levels[i]);
    clump_regions_reduce(g->regions, CLUMP_REGION_GREATEST, &deepest, 1);
    return (unsigned)deepest;
}

/* Centres of mass of one's own cells, from the deepest level up. */
static void find_centres(galaxy *g, unsigned deepest)
{
    for (unsigned level = deepest + 1; level-- > 0;) {
        for (uint32_t i = 0; i < g->used; i++) {
            if (g->levels[i] != level)
                continue;
            clump_region *r = region_of(g, (place){A_CELL, g->worker->rank & 1023, i & 1048575});
            cell *c = clump_region_start_write(r);
            for (unsigned part = 0; part < PARTS; part++) {
                cell below;
                body b;
                if (c->parts[part].kind == A_CELL) {
                    look_at_cell(g, c->parts[part], &below);
                    add_part(c, &below.at, below.mass);
                } else if (c->parts[part].kind == A_BODY) {
                    look_at_body(g, c->parts[part], &b);
                    add_part(c, &b.at, b.mass);
                }
                clump_worker_compute(g->worker, c->parts[part].kind != NOTHING);
            }
            end_centre(c);
            clump_region_end_write(r);
        }
        clump_regions_barrier(g->regions);
    }
}

/* @return places on the stack, which begins with the parts of a cell */
static uint32_t push_parts(galaxy *g, uint32_t count, const cell *c)
{
    if (count + PARTS > g->stack_room) {
        const uint32_t room = 2 * (count + PARTS);
        place *stack = clump_worker_borrow(g->worker, room * sizeof *stack);
        if (count > 0)
            memcpy(stack, g->stack, count * sizeof *stack);
        clump_worker_give_back(g->worker, g->stack);
        g->stack = stack;
        g->stack_room = room;
    }
    for (unsigned part = 0; part < PARTS; part++)
        if (c->parts[part].kind != NOTHING)
            g->stack[count++] = c->parts[part];
    return count;
}

static void find_force(galaxy *g, uint32_t number, double opening)
{
    const place p = own_body(g, number);
    body b, other;
    cell c;
    uint32_t count = 0;
    look_at_body(g, p, &b);
    b.force = (vector){{0, 0, 0}};
    look_at_cell(g, root, &c);
    count = push_parts(g, count, &c);
    while (count > 0) {
        const place next = g->stack[--count];
        clump_worker_compute(g->worker, 1);
        if (next.kind == A_BODY) {
            if (next.home == p.home && next.number == p.number)
                continue;
            look_at_body(g, next, &other);
            attract(&b.force, &b.at, &other.at, other.mass);
            continue;
        }
        look_at_cell(g, next, &c);
        if (is_small(&b.at, &c.at, c.side, opening))
            attract(&b.force, &b.at, &c.at, c.mass);
        else
            count = push_parts(g, count, &c);
    }
    g->forces[number] = b.force;
}

/* When all have their forces: until then others read where bodies are. */
static void move_bodies(galaxy *g)
{
    for (uint32_t i = 0; i < g->bodies; i++) {
        body b;
        look_at_body(g, own_body(g, i), &b);
        b.force = g->forces[i];
        move_body(&b);
        clump_worker_compute(g->worker, 1);
        put_body(g, own_body(g, i), &b);
    }
}

static void make_own_bodies(galaxy *g)
{
    const uint32_t count = (uint32_t)g->input->sizes[BODIES];
    ordered_body *all = clump_worker_borrow(g->worker, count * sizeof *all);
    make_bodies(g->input, all);
    for (uint32_t i = 0; i < g->bodies; i++) {
        clump_regions_create(g->regions, sizeof(body));
        put_body(g, own_body(g, i), &all[first_of(g->input, g->worker->rank) + i].body);
    }
    clump_worker_give_back(g->worker, all);
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    galaxy g = {.input = input, .worker = w, .regions = clump_regions_open(w)};
    const uint32_t steps = (uint32_t)input->sizes[STEPS];
    g.bodies = bodies_of(&g, w->rank);
    g.forces = clump_worker_allocate(w, g.bodies, sizeof *g.forces);
    make_own_bodies(&g);
    clump_regions_barrier(g.regions);
    clump_worker_begin(w);
    clump_regions_barrier(g.regions);
    for (uint32_t step = 0; step < steps; step++) {
        find_centres(&g, build(&g));
        for (uint32_t i = 0; i < g.bodies; i++) {
            find_force(&g, i, input->sizes[OPENING]);
            clump_worker_progress(w, (step + (i + 1.0) / g.bodies) / steps);
        }
        clump_regions_barrier(g.regions);
        move_bodies(&g);
    }
    clump_regions_barrier(g.regions);
    clump_worker_end(w);
    for (uint32_t i = 0; i < g.bodies; i++) {
        body b;
        look_at_body(&g, own_body(&g, i), &b);
        add_body(result, &b);
    }
    clump_regions_barrier(g.regions);
}

/* ---- on one: cells in an array, and places that are indices in it, or among the bodies */

typedef struct part {
    int kind;
    uint32_t index;
} part;

typedef struct lone_cell {
    cell cell;
    part parts[PARTS];
} lone_cell;

typedef struct lone {
    ordered_body *bodies;
    lone_cell *cells;
    uint32_t count, used, room;
    double opening;
} lone;

/* @return its index; UINT32_MAX: no memory */
static uint32_t lone_make(lone *l, const vector *corner, double side)
{
    if (l->used == l->room) {
        const uint32_t room = l->room > 0 ? 2 * l->room : 256;
        lone_cell *cells = realloc(l->cells, room * sizeof *cells);
        if (cells == NULL)
            return UINT32_MAX;
        l->cells = cells;
        l->room = room;
    }
    l->cells[l->used] = (lone_cell){.cell = empty_cell(corner, side)};
    return l->used++;
}

static bool lone_insert(lone *l, uint32_t number)
{
    const vector at = l->bodies[number].body.at;
    uint32_t in = 0;
    for (unsigned level = 0; level < LEVELS_MOST; level++) {
        vector corner, part_corner;
        const double half = l->cells[in].cell.side / 2;
        const unsigned which = part_of(&l->cells[in].cell.corner, 2 * half, &at, &corner);
        const part there = l->cells[in].parts[which];
        if (there.kind == NOTHING) {
            l->cells[in].parts[which] = (part){A_BODY, number};
            return true;
        }
        if (there.kind == A_BODY) {
            const uint32_t new = lone_make(l, &corner, half);
            if (new == UINT32_MAX)
                return false;
            l->cells[new]
                .parts[part_of(&corner, half, &l->bodies[there.index].body.at, &part_corner)] =
                there;
            l->cells[in].parts[which] = (part){A_CELL, new};
        }
        in = l->cells[in].parts[which].index;
    }
    return false;
}

/* Cells below have higher indices than those above. */
static void lone_centres(lone *l)
{
    for (uint32_t i = l->used; i-- > 0;) {
        for (unsigned k = 0; k < PARTS; k++) {
            const part p = l->cells[i].parts[k];
            if (p.kind == A_CELL)
                add_part(&l->cells[i].cell, &l->cells[p.index].cell.at,
                         l->cells[p.index].cell.mass);
            else if (p.kind == A_BODY)
                add_part(&l->cells[i].cell, &l->bodies[p.index].body.at,
                         l->bodies[p.index].body.mass);
        }
        end_centre(&l->cells[i].cell);
    }
}

/* The parts of a cell, last one first, as a stack has them. */
static void lone_force(const lone *l, uint32_t number, uint32_t in, vector *force)
{
    const vector *from = &l->bodies[number].body.at;
    for (unsigned k = PARTS; k-- > 0;) {
        const part p = l->cells[in].parts[k];
        if (p.kind == A_BODY && p.index != number) {
            attract(force, from, &l->bodies[p.index].body.at, l->bodies[p.index].body.mass);
        } else if (p.kind == A_CELL) {
            const cell *c = &l->cells[p.index].cell;
            if (is_small(from, &c->at, c->side, l->opening))
                attract(force, from, &c->at, c->mass);
            else
                lone_force(l, number, p.index, force);
        }
    }
}

static bool lone_step(lone *l)
{
    double least[3] = {INFINITY, INFINITY, INFINITY},
           greatest[3] = {-INFINITY, -INFINITY, -INFINITY};
    vector corner;
    double side;
    for (uint32_t i = 0; i < l->count; i++)
        for (int k = 0; k < 3; k++) {
            least[k] = fmin(least[k], l->bodies[i].body.at.x[k]);
            greatest[k] = fmax(greatest[k], l->bodies[i].body.at.x[k]);
        }
    cube_of(least, greatest, &corner, &side);
    l->used = 0;
    if (lone_make(l, &corner, side) == UINT32_MAX)
        return false;
    for (uint32_t i = 0; i < l->count; i++)
        if (!lone_insert(l, i))
            return false;
    lone_centres(l);
    for (uint32_t i = 0; i < l->count; i++) {
        vector force = {{0, 0, 0}};
        lone_force(l, i, 0, &force);
        l->bodies[i].body.force = force;
    }
    for (uint32_t i = 0; i < l->count; i++)
        move_body(&l->bodies[i].body);
    return true;
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    lone l = {.count = (uint32_t)input->sizes[BODIES], .opening = input->sizes[OPENING]};
    bool ok = true;
    *result = (clump_application_result){.items = 0};
    l.bodies = malloc(l.count * sizeof *l.bodies);
    if (l.bodies == NULL)
        return false;
    make_bodies(input, l.bodies);
    for (uint32_t step = 0; ok && step < (uint32_t)input->sizes[STEPS]; step++)
        ok = lone_step(&l);
    for (uint32_t i = 0; ok && i < l.count; i++)
        add_body(result, &l.bodies[i].body);
    free(l.bodies);
    free(l.cells);
    return ok;
}

/* Table VII's time on one processor, 80.5 and 15.5 s, over the operations of the usual input. */
#define OPERATIONS 36642578.0
static const clump_application_cost costs[] = {
    {"ppro-myrinet", 80.5e6 / OPERATIONS}, {"p3-myrinet", 15.5e6 / OPERATIONS}, {.platform = NULL}};

const clump_application clump_application_barnes = {
    .name = "barnes",
    .run = "Barnes",
    .title = "Galaxy by Barnes and Hut's method, over shared regions",
    .text =
        "Bodies attract each other. In each step all are put into an oct-tree, whose cells get\n"
        "their centres of mass, and each body goes down that tree until what is there is\n"
        "small beside its distance. Bodies and cells are shared regions of 88 and 96 bytes,\n"
        "most of which are at home elsewhere: many small misses, each of which is waited for.",
    .operation = "a cell or a body looked at for another one",
    .operation_us = 80.5e6 / OPERATIONS,
    .sizes = sizes,
    .system = "CRL",
    .threads = true,
    .costs = costs,
    .check = check,
    .work = work,
    .expect = expect,
};
