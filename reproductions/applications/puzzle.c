/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Puzzle (cluster-protocols.txt, sections 6.2 and 7): the 15-puzzle, searched by IDA* whose
 * transposition table is partitioned among the processors. A position is a job for the owner of its
 * entry; jobs go one way, up to 4 or 64 of them together.
 *
 * Each iteration has a threshold of moves. A position is expanded if its entry does not have it with as
 * few moves yet. What is in the tables when an iteration has ended does not depend on the order of
 * jobs: the positions that can be reached without a moment at which moves made and moves still
 * needed at least are more than the threshold, and the fewest moves to each that way.
 */
#include "reproductions/applications/application.h"

#include "reproductions/systems/jobs.h"
#include "reproductions/virtual/splitmix.h"

#include <stdlib.h>
#include <string.h>

enum { WALK };
enum { SIDE = 4, FIELDS = SIDE * SIDE, JOB_BYTES = 32, MOVES_MOST = 80 };

static const clump_application_size sizes[] = {
    {"walk", "random moves away from the goal that the search begins with", 70, 0, 200, true},
    {NULL, NULL, 0, 0, 0, false}};

/* ---- positions: four bits for each field, tile 0 is the empty one; the goal is 0, 1, .., 15 */

static const uint64_t GOAL = UINT64_C(0xfedcba9876543210);

typedef struct job {
    uint64_t position;
    uint8_t empty, came_from; /* fields; came_from: FIELDS if from nowhere */
    uint8_t moves, least;     /* made, and still needed at least */
    uint8_t threshold;
    bool solved;                           /* not a position: the goal was reached */
    unsigned char rest[JOB_BYTES - 8 - 6]; /* as large as the article's */
} job;

static unsigned tile_at(uint64_t position, unsigned field)
{
    return (unsigned)(position >> 4 * field & 15);
}

static unsigned distance(unsigned tile, unsigned field)
{
    const int rows = (int)(tile / SIDE) - (int)(field / SIDE),
              columns = (int)(tile % SIDE) - (int)(field % SIDE);
    return (unsigned)(abs(rows) + abs(columns));
}

static unsigned least_moves(uint64_t position)
{
    unsigned sum = 0;
    for (unsigned f = 0; f < FIELDS; f++)
        if (tile_at(position, f) != 0)
            sum += distance(tile_at(position, f), f);
    return sum;
}

/* Fields beside a field. @return how many */
static unsigned beside(unsigned field, unsigned fields[4])
{
    unsigned count = 0;
    if (field >= SIDE)
        fields[count++] = field - SIDE;
    if (field % SIDE > 0)
        fields[count++] = field - 1;
    if (field % SIDE < SIDE - 1)
        fields[count++] = field + 1;
    if (field < FIELDS - SIDE)
        fields[count++] = field + SIDE;
    return count;
}

/* The tile of a field beside the empty one goes there. */
static job moved(const job *from, unsigned field)
{
    const uint64_t tile = tile_at(from->position, field);
    job to = *from;
    to.position = (from->position & ~(UINT64_C(15) << 4 * field)) | tile << 4 * from->empty;
    to.came_from = from->empty;
    to.empty = (uint8_t)field;
    to.moves++;
    to.least = (uint8_t)(from->least + distance((unsigned)tile, from->empty) -
                         distance((unsigned)tile, field));
    return to;
}

static job start_of(const clump_application_input *input)
{
    uint64_t random = clump_application_seed(input->seed, 1, 0);
    job at = {.position = GOAL, .came_from = FIELDS};
    for (uint32_t i = 0; i < (uint32_t)input->sizes[WALK]; i++) {
        unsigned fields[4];
        const unsigned count = beside(at.empty, fields);
        unsigned next;
        do
            next = fields[clump_splitmix_next(&random) % count];
        while (next == at.came_from);
        at = moved(&at, next);
    }
    return (job){.position = at.position,
                 .empty = at.empty,
                 .came_from = FIELDS,
                 .least = (uint8_t)least_moves(at.position)};
}

static uint64_t hash_of(uint64_t position)
{
    return clump_application_mix(1, position);
}

/* ---- a table: fewest moves by position */

typedef struct table {
    uint64_t *positions; /* 0: free. No position is 0 */
    uint8_t *moves;
    uint64_t size, count; /* a power of 2 */
} table;

static uint64_t place_in(const table *t, uint64_t position)
{
    uint64_t at = hash_of(position) >> 20 & (t->size - 1);
    while (t->positions[at] != 0 && t->positions[at] != position)
        at = (at + 1) & (t->size - 1);
    return at;
}

/* Twice as large, into memory that the caller has. */
static void rehash(table *t, uint64_t *positions, uint8_t *moves, uint64_t size)
{
    const table before = *t;
    *t = (table){positions, moves, size, before.count};
    for (uint64_t i = 0; i < before.size; i++)
        if (before.positions[i] != 0) {
            const uint64_t at = place_in(t, before.positions[i]);
            t->positions[at] = before.positions[i];
            t->moves[at] = before.moves[i];
        }
}

/* @return whether this is news: the position is new, or reached by fewer moves. There is room. */
static bool enter(table *t, const job *j)
{
    const uint64_t at = place_in(t, j->position);
    if (t->positions[at] != 0 && t->moves[at] <= j->moves)
        return false;
    t->count += t->positions[at] == 0;
    t->positions[at] = j->position;
    t->moves[at] = j->moves;
    return true;
}

static bool is_full(const table *t)
{
    return t->count >= t->size / 4 * 3;
}

static void clear(table *t)
{
    if (t->size > 0)
        memset(t->positions, 0, t->size * sizeof *t->positions);
    t->count = 0;
}

static void add_table(clump_application_result *result, const table *t)
{
    for (uint64_t i = 0; i < t->size; i++)
        if (t->positions[i] != 0) {
            result->digest += clump_application_mix(t->positions[i], t->moves[i]);
            result->items++;
        }
}

/* ---- on all processors */

typedef struct searcher {
    clump_worker *worker;
    table table;
    bool solved;
} searcher;

enum { TABLE_FIRST = 1024 };

static void grow(searcher *s)
{
    table *t = &s->table;
    const uint64_t size = t->size > 0 ? 2 * t->size : TABLE_FIRST;
    uint64_t *positions = clump_worker_borrow(s->worker, size * sizeof *positions);
    uint8_t *moves = clump_worker_borrow(s->worker, size);
    const table before = *t;
    memset(positions, 0, size * sizeof *positions);
    rehash(t, positions, moves, size);
    clump_worker_give_back(s->worker, before.positions);
    clump_worker_give_back(s->worker, before.moves);
}

static void tell_solved(clump_jobs *jobs, const searcher *s)
{
    const job told = {.solved = true};
    for (uint32_t i = 0; i < s->worker->count; i++)
        if (i != s->worker->rank)
            clump_jobs_push(jobs, i, &told);
}

static void do_job(clump_jobs *jobs, const void *bytes, void *context)
{
    searcher *s = context;
    unsigned fields[4];
    job j;
    memcpy(&j, bytes, sizeof j);
    if (j.solved) {
        s->solved = true;
        return;
    }
    clump_worker_compute(s->worker, 1);
    if (is_full(&s->table))
        grow(s);
    if (!enter(&s->table, &j))
        return;
    if (j.position == GOAL && !s->solved) {
        s->solved = true;
        tell_solved(jobs, s);
    }
    const unsigned count = beside(j.empty, fields);
    for (unsigned i = 0; i < count; i++) {
        const job next = moved(&j, fields[i]);
        if (fields[i] == j.came_from || next.moves + next.least > j.threshold)
            continue;
        clump_jobs_push(jobs, (uint32_t)(hash_of(next.position) % s->worker->count), &next);
    }
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    searcher s = {.worker = w};
    clump_jobs *jobs =
        clump_jobs_open(w, sizeof(job), (uint32_t)input->application->variant, do_job, &s);
    job start = start_of(input);
    clump_jobs_run(jobs); /* all are there */
    clump_worker_begin(w);
    for (start.threshold = start.least; !s.solved && start.threshold <= MOVES_MOST;
         start.threshold = (uint8_t)(start.threshold + 2)) {
        clear(&s.table);
        if (hash_of(start.position) % w->count == w->rank)
            clump_jobs_push(jobs, w->rank, &start);
        clump_jobs_run(jobs);
    }
    clump_worker_end(w);
    add_table(result, &s.table);
    clump_jobs_run(jobs);
}

/* ---- on one */

static bool grow_alone(table *t)
{
    const uint64_t size = t->size > 0 ? 2 * t->size : TABLE_FIRST;
    uint64_t *positions = calloc(size, sizeof *positions);
    uint8_t *moves = malloc(size);
    const table before = *t;
    if (positions == NULL || moves == NULL) {
        free(positions);
        free(moves);
        return false;
    }
    rehash(t, positions, moves, size);
    free(before.positions);
    free(before.moves);
    return true;
}

/* Depth first, by its own stack of moves; recursion ends at the threshold. */
static bool search(table *t, const job *j, bool *solved)
{
    unsigned fields[4];
    if (is_full(t) && !grow_alone(t))
        return false;
    if (!enter(t, j))
        return true;
    *solved |= j->position == GOAL;
    const unsigned count = beside(j->empty, fields);
    for (unsigned i = 0; i < count; i++) {
        const job next = moved(j, fields[i]);
        if (next.moves + next.least <= j->threshold && !search(t, &next, solved))
            return false;
    }
    return true;
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    table t = {.size = 0};
    job start = start_of(input);
    bool solved = false, ok = true;
    *result = (clump_application_result){.items = 0};
    for (start.threshold = start.least; ok && !solved && start.threshold <= MOVES_MOST;
         start.threshold = (uint8_t)(start.threshold + 2)) {
        clear(&t);
        ok = search(&t, &start, &solved);
    }
    if (ok)
        add_table(result, &t);
    free(t.positions);
    free(t.moves);
    return ok;
}

static const clump_application_cost costs[] = {
    {"ppro-myrinet", 10}, {"p3-myrinet", 10 * 39.4 / 209.0}, {.platform = NULL}};

#define PUZZLE(name_, run_, combine)                                                               \
    {                                                                                              \
        .name = name_, .run = run_,                                                                \
        .title = "15-puzzle by IDA*, jobs sent in packets of up to " #combine,                     \
        .text = "Positions of the 15-puzzle are searched with growing thresholds of moves. Each\n" \
                "position belongs to the processor that its hash says, which has its entry of\n"   \
                "the transposition table: a position to be looked at is a job of 32 bytes that\n"  \
                "is sent there, of which nothing comes back. Up to " #combine                      \
                " jobs for the same\nprocessor are sent together.",                                \
        .operation = "a position looked up and, if that is news, its moves made",                  \
        .operation_us = 10, .sizes = sizes, .variant = combine, .system = "Multigame",             \
        .costs = costs, .work = work, .expect = expect,                                            \
    }

const clump_application clump_application_puzzle_4 = PUZZLE("puzzle-4", "Puzzle-4", 4);
const clump_application clump_application_puzzle_64 = PUZZLE("puzzle-64", "Puzzle-64", 64);
