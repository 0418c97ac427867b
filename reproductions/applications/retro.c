/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Retrograde analysis of a game, as Awari does it (cluster-protocols.txt, section 7): begin with the
 * end positions, which are lost for whoever has to move, and go backwards. A board from which a lost
 * one can be reached is won; one from which only won ones can be reached is lost; the others are
 * draws. Boards are dealt out to workers at random, so that most ancestors of a board are somewhere
 * else: updates for them are collected for each worker, and shipped by a remote procedure call when
 * enough are there, or nothing else is left to do.
 *
 * The game is made up: a board's ancestors are drawn from the seed. Awari's own rules, and how many
 * updates it collects, are not in the article. What a board costs is (docs/reproductions.md).
 */
#include "reproductions/applications/application.h"
#include "reproductions/systems/orca.h"
#include "reproductions/virtual/splitmix.h"

#include <stdlib.h>
#include <string.h>

enum { BOARDS, ANCESTORS, TOGETHER }; /* sizes */
enum value { UNKNOWN, LOST, WON };
enum { UPDATE_MOST = 256 };

/* Some of the boards of a game: every `step`th from `first`. */
typedef struct boards {
    const clump_application_input *input;
    uint32_t all, ancestors, first, step, count;
    unsigned char *values;
    uint16_t *moves;                /* to boards that are not known to be won */
    uint32_t *queue, queued, taken; /* places of boards whose value is new */
} boards;

static uint32_t count_of(uint32_t all, uint32_t first, uint32_t step)
{
    return all > first ? (all - first + step - 1) / step : 0;
}

static uint32_t ancestor_of(const boards *b, uint32_t board, uint32_t which)
{
    return (uint32_t)(clump_application_seed(b->input->seed, board, which) % b->all);
}

static void settle(boards *b, uint32_t place, enum value value)
{
    b->values[place] = (unsigned char)value;
    b->queue[b->queued++] = place;
}

/* Each board draws its ancestors; whoever has these counts their moves. */
static void make(boards *b)
{
    for (uint32_t board = 0; board < b->all; board++)
        for (uint32_t i = 0; i < b->ancestors; i++) {
            const uint32_t a = ancestor_of(b, board, i);
            if (a % b->step == b->first)
                b->moves[a / b->step]++;
        }
    for (uint32_t p = 0; p < b->count; p++)
        if (b->moves[p] == 0)
            settle(b, p, LOST);
}

/* One can be reached from `place` that has now this value. */
static void update(boards *b, uint32_t place, enum value value)
{
    if (b->values[place] != UNKNOWN)
        return;
    if (value == LOST)
        settle(b, place, WON);
    else if (--b->moves[place] == 0)
        settle(b, place, LOST);
}

static void add_result(const boards *b, clump_application_result *result)
{
    for (uint32_t p = 0; p < b->count; p++) {
        result->digest += clump_application_mix(b->first + (uint64_t)p * b->step, b->values[p]);
        result->items++;
    }
}

/* ---- a worker */

/* Whether anything was done in a round: each worker calls an object of worker 0 to say so, which then tells
 * all by a replicated object. */
typedef struct votes {
    uint32_t workers, here, busy;
} votes;

static size_t cast(void *state, uint32_t by, const void *arguments, size_t size, void *answer)
{
    votes *v = state;
    uint32_t busy;
    (void)by, (void)size, (void)answer;
    memcpy(&busy, arguments, sizeof busy);
    v->here++;
    v->busy += busy;
    return 0;
}

typedef struct outcome {
    uint32_t round, busy;
} outcome;

static size_t announce(void *state, uint32_t by, const void *arguments, size_t size, void *answer)
{
    (void)by, (void)size, (void)answer;
    memcpy(state, arguments, sizeof(outcome));
    return 0;
}

/* An operation on the boards of one worker: updates, each a place and, in the highest bit, whether
 * the board was lost. */
static const uint32_t IS_LOST = UINT32_C(1) << 31;

static size_t take_updates(void *state, uint32_t by, const void *arguments, size_t size,
                           void *answer)
{
    boards *b = state;
    (void)by, (void)answer;
    for (size_t i = 0; i < size / sizeof(uint32_t); i++) {
        uint32_t word;
        memcpy(&word, (const char *)arguments + i * sizeof word, sizeof word);
        const uint32_t place = word & ~IS_LOST;
        if (place < b->count)
            update(b, place, word & IS_LOST ? LOST : WON);
    }
    return 0;
}

typedef struct player {
    clump_worker *worker;
    clump_orca *orca;
    boards boards;
    unsigned *objects; /* of each worker */
    uint32_t *waiting; /* updates, `together` for each worker */
    uint32_t *count, together;
} player;

static void ship(player *p, uint32_t to)
{
    uint32_t *updates = p->waiting + (size_t)to * p->together;
    const uint32_t count = p->count[to];
    if (count == 0)
        return;
    p->count[to] = 0; /* the call waits, and what comes meanwhile adds nothing here */
    clump_orca_invoke(p->orca, p->objects[to], 0, updates, count * sizeof *updates, NULL, 0);
}

static void tell_ancestors(player *p, uint32_t place)
{
    boards *b = &p->boards;
    const enum value value = (enum value)b->values[place];
    const uint32_t board = b->first + place * b->step;
    for (uint32_t i = 0; i < b->ancestors; i++) {
        const uint32_t a = ancestor_of(b, board, i), to = a % b->step;
        if (to == p->worker->rank) {
            update(b, a / b->step, value);
            continue;
        }
        p->waiting[(size_t)to * p->together + p->count[to]++] =
            a / b->step | (value == LOST ? IS_LOST : 0);
        if (p->count[to] == p->together)
            ship(p, to);
    }
}

/* Until nothing is left here. @return whether anything was */
static bool play(player *p)
{
    boards *b = &p->boards;
    bool any = false;
    for (;;) {
        while (b->taken < b->queued) {
            tell_ancestors(p, b->queue[b->taken++]);
            clump_worker_compute(p->worker, 1);
            any = true;
        }
        /* Beginning behind its own rank, so that not all go to the same. */
        for (uint32_t i = 1; i < p->worker->count; i++)
            ship(p, (p->worker->rank + i) % p->worker->count);
        if (b->taken == b->queued)
            return any;
    }
}

static bool have_voted(const void *state, void *context)
{
    const votes *v = state;
    (void)context;
    return v->here == v->workers;
}

static bool is_known(const void *state, void *context)
{
    const outcome *o = state;
    return o->round == *(const uint32_t *)context;
}

/* The end of a round. */
typedef struct tally {
    votes votes; /* of worker 0 */
    outcome outcome;
    unsigned on_votes, on_outcome; /* the objects */
} tally;

static bool any_busy(player *p, tally *t, uint32_t round, bool busy)
{
    const uint32_t mine = busy;
    clump_orca_invoke(p->orca, t->on_votes, 0, &mine, sizeof mine, NULL, 0);
    if (p->worker->rank == 0) {
        clump_orca_await(p->orca, t->on_votes, have_voted, NULL);
        const outcome o = {round, t->votes.busy};
        t->votes.here = t->votes.busy = 0; /* who hears it votes again */
        clump_orca_invoke(p->orca, t->on_outcome, 0, &o, sizeof o, NULL, 0);
    }
    clump_orca_await(p->orca, t->on_outcome, is_known, &round);
    return t->outcome.busy > 0;
}

static void make_player(player *p, const clump_application_input *input)
{
    clump_worker *w = p->worker;
    boards *b = &p->boards;
    *b = (boards){.input = input,
                  .all = (uint32_t)input->sizes[BOARDS],
                  .ancestors = (uint32_t)input->sizes[ANCESTORS],
                  .first = w->rank,
                  .step = w->count};
    b->count = count_of(b->all, b->first, b->step);
    b->values = clump_worker_allocate(w, b->count, sizeof *b->values);
    b->moves = clump_worker_allocate(w, b->count, sizeof *b->moves);
    b->queue = clump_worker_allocate(w, b->count, sizeof *b->queue);
    p->together = (uint32_t)input->sizes[TOGETHER];
    p->waiting = clump_worker_allocate(w, (size_t)w->count * p->together, sizeof *p->waiting);
    p->count = clump_worker_allocate(w, w->count, sizeof *p->count);
    make(b);
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    static clump_orca_operation *const on_boards[] = {take_updates, NULL},
                                       *const on_votes[] = {cast, NULL},
                                       *const on_outcome[] = {announce, NULL};
    player p = {.worker = w, .orca = clump_orca_open(w)};
    tally t = {.votes = {.workers = w->count}, .outcome = {.round = UINT32_MAX}};
    make_player(&p, input);
    p.objects = clump_worker_allocate(w, w->count, sizeof *p.objects);
    t.on_votes = clump_orca_object(p.orca, 0, &t.votes, on_votes);
    t.on_outcome = clump_orca_object(p.orca, CLUMP_ORCA_REPLICATED, &t.outcome, on_outcome);
    for (uint32_t r = 0; r < w->count; r++)
        p.objects[r] = clump_orca_object(p.orca, r, &p.boards, on_boards);
    any_busy(&p, &t, 0, true);
    clump_worker_begin(w);
    uint32_t round = 1;
    while (any_busy(&p, &t, round, play(&p))) {
        round++;
        clump_worker_progress(w, (double)p.boards.taken / (p.boards.count + 1.0));
    }
    clump_worker_end(w);
    add_result(&p.boards, result);
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    boards b = {.input = input,
                .all = (uint32_t)input->sizes[BOARDS],
                .ancestors = (uint32_t)input->sizes[ANCESTORS],
                .step = 1};
    b.count = b.all;
    b.values = calloc(b.all, sizeof *b.values);
    b.moves = calloc(b.all, sizeof *b.moves);
    b.queue = malloc(b.all * sizeof *b.queue);
    const bool room = b.values != NULL && b.moves != NULL && b.queue != NULL;
    *result = (clump_application_result){.items = 0};
    if (room) {
        make(&b);
        while (b.taken < b.queued) {
            const uint32_t board = b.queue[b.taken++];
            for (uint32_t i = 0; i < b.ancestors; i++)
                update(&b, ancestor_of(&b, board, i), (enum value)b.values[board]);
        }
        add_result(&b, result);
    }
    free(b.values);
    free(b.moves);
    free(b.queue);
    return room;
}

static const clump_application_size sizes[] = {
    {"boards", "of the game", 65536, 1, 16777216, true},
    {"ancestors", "of a board: moves that lead to it", 4, 1, 64, true},
    {"together", "updates for a processor in a call, at most", 32, 1, UPDATE_MOST, true},
    {NULL, NULL, 0, 0, 0, false}};

/* Table VII: 452.4 and 85.8 s on one processor. 13 stones in 12 pits: 2,496,144 boards. */
static const clump_application_cost costs[] = {
    {"ppro-myrinet", 452.4e6 / 2496144}, {"p3-myrinet", 85.8e6 / 2496144}, {NULL, 0}};

const clump_application clump_application_retro = {
    .name = "retro",
    .run = "Awari",
    .title = "Retrograde analysis of a made-up game, in place of Awari",
    .text = "Values of all boards of a game, backwards from those where it ends. Boards are dealt\n"
            "out to processors at random; updates for those of others are collected, and shipped\n"
            "by remote procedure calls that wait for their answers.",
    .operation = "a board whose value has been found, with its ancestors",
    .operation_us = 452.4e6 / 2496144,
    .sizes = sizes,
    .system = "Orca",
    .threads = true,
    .costs = costs,
    .work = work,
    .expect = expect,
};
