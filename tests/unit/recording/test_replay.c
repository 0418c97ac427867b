/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recorded calls replay again, against programs that run: a simulator of its own, for programs that decide while they run
 * what they do next, runs them on the NOW, where their calls are recorded, and on nodes, whose time the play has to find.
 */
#include "recording/recorded_calls.h"
#include "recording/recording.h"
#include "scenarios/recorded/recorded.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "tests/unit/recorded_ranks.h"

static const clump_loggp network = {.latency_us = 5,
                                    .send_overhead_us = 2,
                                    .receive_overhead_us = 2,
                                    .gap_us = 2.5,
                                    .gap_us_per_byte = 0.008};
static const clump_loggp shared_memory = {.latency_us = 0.5,
                                          .send_overhead_us = 0.5,
                                          .receive_overhead_us = 0.5,
                                          .gap_us = 0.4,
                                          .gap_us_per_byte = 0.0005};

enum { RANKS = 16, SIDE = 4, MOST_PENDING = 4096, MOST_NICS = 4, ANYBODY = -1 };

/* ---- programs: what a rank does next, by what it has done */

typedef enum step_kind { COMPUTE, SEND, RECEIVE, FINISH } step_kind;

typedef struct action {
    step_kind what;
    double us; /* COMPUTE */
    int peer;  /* RECEIVE: ANYBODY is whoever comes first */
    unsigned bytes;
} action;

typedef struct rank_state {
    int rank, at; /* actions that it was asked for */
    int source;   /* of what it received last */
    unsigned bytes;
} rank_state;

typedef action program(rank_state *s);

static const action finish = {.what = FINISH};

static action compute(double us)
{
    return (action){.what = COMPUTE, .us = us};
}

static action send_to(int peer, unsigned bytes)
{
    return (action){.what = SEND, .peer = peer, .bytes = bytes};
}

static action receive_from(int peer)
{
    return (action){.what = RECEIVE, .peer = peer};
}

/* Exponential with the mean 1, the same for the same numbers. */
static double chance(unsigned a, unsigned b)
{
    uint64_t z = ((uint64_t)a << 32) + b + UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return -log(((double)(z >> 11) + 0.5) * 0x1p-53);
}

/* Half of the ranks send, and the others answer. */
static action ping_pong(rank_state *s)
{
    const int k = s->at % 3, peer = (s->rank + RANKS / 2) % RANKS;
    const bool first = s->rank < RANKS / 2;
    if (s->at == 3 * 60)
        return finish;
    if (first)
        return k == 0 ? compute(60) : k == 1 ? send_to(peer, 8000) : receive_from(peer);
    return k == 0 ? receive_from(peer) : k == 1 ? compute(60) : send_to(peer, 8000);
}

/* Sweeps over a grid, from its first corner. */
static action wavefront(rank_state *s)
{
    const int x = s->rank % SIDE, y = s->rank / SIDE;
    if (s->at == 5 * 60)
        return finish;
    switch (s->at % 5) {
    case 0:
        return x > 0 ? receive_from(s->rank - 1) : compute(0);
    case 1:
        return y > 0 ? receive_from(s->rank - SIDE) : compute(0);
    case 2:
        return compute(60 * chance((unsigned)s->rank, (unsigned)s->at));
    case 3:
        return x < SIDE - 1 ? send_to(s->rank + 1, 4000) : compute(0);
    default:
        return y < SIDE - 1 ? send_to(s->rank + SIDE, 4000) : compute(0);
    }
}

/* In each step the first rank gathers from all, and answers all. */
static action gather(rank_state *s)
{
    const int others = RANKS - 1, k = s->rank == 0 ? s->at % (1 + 2 * others) : s->at % 3;
    if (s->at == 30 * (s->rank == 0 ? 1 + 2 * others : 3))
        return finish;
    if (k == 0)
        return compute(500 * chance((unsigned)s->rank, (unsigned)s->at));
    if (s->rank > 0)
        return k == 1 ? send_to(0, 3000) : receive_from(0);
    return k <= others ? receive_from(k) : send_to(k - others, 3000);
}

/* ---- the simulator */

typedef enum event_kind { GOES_ON, AT_NIC, AT_RECEIVER, ARRIVED } event_kind;

typedef struct event {
    double time;
    unsigned number; /* of what happens at the same time the first */
    event_kind kind;
    int from, to;
    unsigned bytes;
} event;

typedef struct arrival {
    int from;
    unsigned bytes;
} arrival;

typedef struct simulator {
    program *program;
    int processors, nics;
    double send_free[RANKS][MOST_NICS], receive_free[RANKS][MOST_NICS]; /* of nodes */
    double out_free[RANKS], in_free[RANKS];                             /* within nodes */
    event pending[MOST_PENDING];
    size_t count;
    unsigned numbers;
    rank_state state[RANKS];
    action waits[RANKS]; /* for what a rank waits; else FINISH */
    arrival there[RANKS][64];
    size_t there_count[RANKS];
    double began[RANKS], ended[RANKS]; /* of the present call, and of the one before */
    double last;
    clump_recording_writer *writers; /* NULL: it is not recorded */
} simulator;

static void schedule(simulator *s, double time, event_kind kind, int from, int to, unsigned bytes)
{
    assert_true(s->count < MOST_PENDING);
    s->pending[s->count++] = (event){time, s->numbers++, kind, from, to, bytes};
}

static event next_event(simulator *s)
{
    size_t best = 0;
    for (size_t i = 1; i < s->count; i++) {
        const event *a = &s->pending[i], *b = &s->pending[best];
        if (a->time < b->time || (!(a->time > b->time) && a->number < b->number))
            best = i;
    }
    const event found = s->pending[best];
    s->pending[best] = s->pending[--s->count];
    return found;
}

static const clump_loggp *way(const simulator *s, int from, int to)
{
    return from / s->processors == to / s->processors ? &shared_memory : &network;
}

/* When it passes the first of these that is free: it begins then, and keeps it for g and its bytes. */
static double pass_by(double *free_at, int count, double now, const clump_loggp *p, unsigned bytes)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (free_at[i] < free_at[best])
            best = i;
    const double begin = fmax(now, free_at[best]);
    free_at[best] = begin + p->gap_us + (bytes - 1) * p->gap_us_per_byte;
    return begin;
}

static void record(simulator *s, int rank, clump_call_kind kind, int peer, unsigned bytes,
                   double end)
{
    const double start = 1e-3, us = 1e-6; /* MPI_Init takes a millisecond */
    clump_recorded_call call = clump_call_of(kind, start + us * s->began[rank], start + us * end);
    call.peer = peer;
    call.tag = 0;
    if (kind == CLUMP_CALL_RECEIVE)
        call.bytes_received = bytes;
    else if (kind == CLUMP_CALL_SEND)
        call.bytes = bytes;
    call.processor = us * (s->began[rank] - s->ended[rank]);
    if (s->writers != NULL)
        clump_writer_add(&s->writers[rank], &call);
    s->ended[rank] = end;
}

static bool take(simulator *s, int rank, double now)
{
    for (size_t i = 0; i < s->there_count[rank]; i++) {
        const arrival a = s->there[rank][i];
        if (s->waits[rank].peer != ANYBODY && s->waits[rank].peer != a.from)
            continue;
        const double end = now + way(s, a.from, rank)->receive_overhead_us;
        memmove(&s->there[rank][i], &s->there[rank][i + 1],
                (s->there_count[rank] - i - 1) * sizeof a);
        s->there_count[rank]--;
        s->waits[rank] = finish;
        s->state[rank].source = a.from;
        s->state[rank].bytes = a.bytes;
        record(s, rank, CLUMP_CALL_RECEIVE, a.from, a.bytes, end);
        schedule(s, end, GOES_ON, rank, 0, 0);
        return true;
    }
    return false;
}

static void go_on(simulator *s, int rank, double now)
{
    const action a = s->program(&s->state[rank]);
    s->state[rank].at++;
    s->began[rank] = now;
    s->last = fmax(s->last, now);
    switch (a.what) {
    case COMPUTE:
        schedule(s, now + a.us, GOES_ON, rank, 0, 0);
        break;
    case SEND: {
        const double end = now + way(s, rank, a.peer)->send_overhead_us;
        record(s, rank, CLUMP_CALL_SEND, a.peer, a.bytes, end);
        schedule(s, end, AT_NIC, rank, a.peer, a.bytes);
        schedule(s, end, GOES_ON, rank, 0, 0);
        break;
    }
    case RECEIVE:
        s->waits[rank] = a;
        take(s, rank, now);
        break;
    case FINISH:
        record(s, rank, CLUMP_CALL_FINALIZE, -1, 0, now);
        break;
    }
}

static void happen(simulator *s, const event *e)
{
    const clump_loggp *p = way(s, e->from, e->to);
    const bool local = p == &shared_memory;
    double begin;
    switch (e->kind) {
    case GOES_ON:
        go_on(s, e->from, e->time);
        break;
    case AT_NIC:
        begin = pass_by(local ? &s->out_free[e->from] : s->send_free[e->from / s->processors],
                        local ? 1 : s->nics, e->time, p, e->bytes);
        schedule(s, begin + p->latency_us, AT_RECEIVER, e->from, e->to, e->bytes);
        break;
    case AT_RECEIVER:
        begin = pass_by(local ? &s->in_free[e->to] : s->receive_free[e->to / s->processors],
                        local ? 1 : s->nics, e->time, p, e->bytes);
        schedule(s, begin + (e->bytes - 1) * p->gap_us_per_byte, ARRIVED, e->from, e->to, e->bytes);
        break;
    case ARRIVED:
        assert_true(s->there_count[e->to] < 64);
        s->there[e->to][s->there_count[e->to]++] = (arrival){e->from, e->bytes};
        if (s->waits[e->to].what == RECEIVE)
            take(s, e->to, e->time);
        break;
    }
}

/* Time of the program, us. */
static double simulate(program *what, int processors, int nics, clump_recording_writer *writers)
{
    simulator *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->program = what;
    s->processors = processors;
    s->nics = nics;
    s->writers = writers;
    for (int r = 0; r < RANKS; r++) {
        s->state[r].rank = r;
        s->waits[r] = finish;
        schedule(s, 0, GOES_ON, r, 0, 0);
    }
    while (s->count > 0) {
        const event e = next_event(s);
        happen(s, &e);
    }
    const double time = s->last;
    free(s);
    return time;
}

/* ---- recordings of it */

static clump_recording_writer writers[RANKS];

static double record_program(program *what)
{
    make_folder();
    for (unsigned rank = 0; rank < RANKS; rank++) {
        char host[16];
        clump_rank_header header = header_of(rank, RANKS, "some MPI");
        snprintf(host, sizeof host, "n%u", rank);
        header.host = host;
        header.boot = 1 + rank;
        header.error_ns = 1;
        header.node_ranks = 1;
        open_rank(&writers[rank], &header, 1 << 24);
        const clump_recorded_call init = clump_call_of(CLUMP_CALL_INIT, 0, 1e-3);
        clump_writer_add(&writers[rank], &init);
    }
    const double now = simulate(what, 1, 1, writers);
    for (unsigned rank = 0; rank < RANKS; rank++)
        clump_writer_close(&writers[rank], CLUMP_RECORDING_FINALIZED);
    return now;
}

typedef struct replay {
    clump_recorded_kept *kept;
    clump_arena *arena;
    clump_recorded program;
    recorded_calls_report report;
} replay;

static void open_replay(replay *p, double from, double until, double share)
{
    char why[CLUMP_RECORDING_TEXT] = "", *calls;
    clump_error error = {CLUMP_OK, ""};
    clump_recording *recording = NULL;
    const clump_recorded_options options = {.network = &network, .shared_memory = &shared_memory};
    const recorded_calls_options what = {.gaps = CLUMP_GAPS_PROCESSOR,
                                         .most_operations = 1000000,
                                         .from = from,
                                         .until = until,
                                         .share = share,
                                         .parts = 12};
    *p = (replay){.arena = clump_arena_new()};
    assert_int_equal(clump_recording_open(folder, &recording), CLUMP_RECORDING_OK);
    if (recorded_calls_read(recording, &what, &calls, &p->report, why) != CLUMP_RECORDING_OK)
        fail_msg("%s", why);
    clump_recording_close(recording);
    const clump_recorded_run run = {.origin = "recording",
                                    .library = "some MPI",
                                    .ranks = RANKS,
                                    .nodes = RANKS,
                                    .seconds = 0.25,
                                    .run = 1,
                                    .calls = calls};
    assert_non_null(clump_recorded_kept_add(&p->kept, clump_recorded_run_copy(&run)));
    free(calls);
    if (clump_recorded_make(p->kept, &options, p->arena, &p->program, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
}

static void close_replay(replay *p)
{
    clump_recorded_kept_free(p->kept);
    clump_arena_free(p->arena);
}

static double replay_on(replay *p, size_t P, size_t N)
{
    const clump_node node = {.processors = P, .nics = N};
    clump_recorded_placed placed;
    clump_prediction found;
    clump_error error = {CLUMP_OK, ""};
    if (clump_recorded_place(&p->program, P, &placed, &error) != CLUMP_OK ||
        clump_recorded_predict(&placed, &node, 1, &found, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    assert_true(found.nic_utilization >= 0 && found.nic_utilization <= 1);
    return found.slowdown;
}

static void check(const char *name, size_t P, size_t N, double found, double wanted,
                  double tolerance)
{
    if (fabs(found / wanted - 1) > tolerance)
        fail_msg("%s, P = %zu, N = %zu: slowdown %.4f, simulated %.4f", name, P, N, found, wanted);
}

static const struct {
    const char *name;
    program *what;
    double
        tolerance; /* NICs here take one message after the other, replay ones packets as they come; and of who is
                              served as he comes one order was recorded */
    double part_tolerance; /* of three fifths of the run, from its middle */
} programs[] = {
    {"ping-pong", ping_pong, 0.05, 0.05},
    {"wavefront", wavefront, 0.05, 0.15},
    {"gather", gather, 0.05, 0.05},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

TEST(whole)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        const double now = record_program(programs[i].what);
        replay p;
        open_replay(&p, 0, 0, 0);
        check(programs[i].name, 1, 1, p.program.now_us, now, 1e-3);
        for (size_t P = 2; P <= 8; P *= 2)
            for (size_t N = 1; N <= 2; N++)
                check(programs[i].name, P, N, replay_on(&p, P, N),
                      simulate(programs[i].what, (int)P, (int)N, NULL) / now,
                      programs[i].tolerance);
        close_replay(&p);
        remove_folder(RANKS);
    }
}

/* Of a stretch nothing waits for what was before it. */
TEST(stretch)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        const double now = record_program(programs[i].what);
        replay p;
        open_replay(&p, 1e-3 + 0.2e-6 * now, 1e-3 + 0.8e-6 * now, 0);
        assert_true(p.report.cut);
        check(programs[i].name, 1, 1, p.program.now_us, 0.6 * now, 0.1);
        check(programs[i].name, 4, 1, replay_on(&p, 4, 1),
              simulate(programs[i].what, 4, 1, NULL) / now, programs[i].part_tolerance);
        close_replay(&p);
        remove_folder(RANKS);
    }
}

/* Computes much in the first and the last third of its steps, and little between. */
static action phases(rank_state *s)
{
    enum { STEPS = 600 };
    const int k = s->at % 3, step = s->at / 3;
    const double us = step % STEPS < STEPS / 3 || step >= 2 * STEPS / 3 ? 150 : 10;
    if (step == STEPS)
        return finish;
    return k == 0   ? compute(us * chance((unsigned)s->rank, (unsigned)s->at))
           : k == 1 ? send_to((s->rank + SIDE) % RANKS, 8000)
                    : receive_from((s->rank + RANKS - SIDE) % RANKS);
}

/* The same share of each part, so that phases count as long as they are. */
TEST(sampled)
{
    const double now = record_program(phases);
    const double wanted = simulate(phases, 8, 1, NULL) / now;
    replay p;
    open_replay(&p, 1e-3, 1e-3 + 1e-6 * now, 0.4);
    check("phases", 1, 1, p.program.now_us, 0.4 * now, 0.1);
    check("phases", 8, 1, replay_on(&p, 8, 1), wanted, 0.05);
    close_replay(&p);
    open_replay(&p, 1e-3 + 0.45e-6 * now, 1e-3 + 0.55e-6 * now,
                0); /* the middle alone is another program */
    assert_true(fabs(replay_on(&p, 8, 1) / wanted - 1) > 0.1);
    close_replay(&p);
    remove_folder(RANKS);
}

static clump_status predict(const clump_recorded *made, size_t P, const clump_node *node,
                            clump_error *error)
{
    clump_recorded_placed placed;
    clump_prediction found;
    const clump_status status = clump_recorded_place(made, P, &placed, error);
    return status == CLUMP_OK ? clump_recorded_predict(&placed, node, 1, &found, error) : status;
}

TEST(refused)
{
    record_program(ping_pong);
    replay p;
    clump_error error = {CLUMP_OK, ""};
    clump_recorded made;
    open_replay(&p, 0, 0, 0);
    const clump_node other = {.processors = 2, .nics = 1};
    assert_int_equal(predict(&p.program, 1, &other, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "expected the 1"));
    const clump_node memory = {.processors = 1, .nics = 1, .memory = {.share = 0.5, .feeds = 1}};
    assert_int_equal(predict(&p.program, 1, &memory, &error), CLUMP_BAD_ARGUMENT);
    assert_int_equal(predict(&p.program, RANKS + 1, &other, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "what a program does with more ranks is not known"));
    /* The longest message would be cut. */
    clump_recorded_options options = {.network = &network, .stripe_bytes = 7999};
    assert_int_equal(clump_recorded_make(p.kept, &options, p.arena, &made, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "found 7999, expected at least the 8000"));
    options.stripe_bytes = 8000;
    assert_int_equal(clump_recorded_make(p.kept, &options, p.arena, &made, &error), CLUMP_OK);
    /* Without shared memory ranks may be alone on their nodes. */
    assert_int_equal(predict(&made, 1, &(clump_node){.processors = 1, .nics = 1}, &error),
                     CLUMP_OK);
    assert_int_equal(predict(&made, RANKS, &(clump_node){.processors = RANKS, .nics = 1}, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "LogGP parameters of shared memory"));
    close_replay(&p);
    remove_folder(RANKS);
}

/* Who sends to the rank half of all away is on its node where ranks go to nodes in turn. */
TEST(rank_order)
{
    record_program(ping_pong);
    replay p;
    clump_error error = {CLUMP_OK, ""};
    clump_recorded turns;
    clump_recorded_placed placed;
    clump_recorded_options options = {.network = &network, .shared_memory = &shared_memory};
    open_replay(&p, 0, 0, 0);
    assert_int_equal(clump_recorded_place(&p.program, 2, &placed, &error), CLUMP_OK);
    assert_true(placed.remote_fraction >= 1);
    options.order = CLUMP_RANKS_ROUND_ROBIN;
    assert_int_equal(clump_recorded_make(p.kept, &options, p.arena, &turns, &error), CLUMP_OK);
    assert_int_equal(clump_recorded_place(&turns, 2, &placed, &error), CLUMP_OK);
    assert_true(placed.remote_fraction <= 0);
    assert_int_equal(clump_recorded_place(&turns, 3, &placed, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "not full"));
    close_replay(&p);
    remove_folder(RANKS);
}

/* A schedule is made once, but where the library looks at nodes: then for each number of processors. */
TEST(schedules_are_made_once)
{
    static const char calls[] = "m0-3\nrc9a64.0:allreduce:\nrc9a64.0:allreduce:\n"
                                "rc9a64.0:allreduce:\nrc9a64.0:allreduce:\n";
    for (int mpich = 0; mpich < 2; mpich++) {
        const clump_recorded_run run = {.origin = "recording",
                                        .library = mpich ? "MPICH 4.0.2" : "Open MPI v4.1.4",
                                        .ranks = 4,
                                        .nodes = 4,
                                        .seconds = 10,
                                        .run = 20,
                                        .calls = calls};
        const clump_recorded_options options = {.network = &network,
                                                .shared_memory = &shared_memory};
        clump_recorded_kept *kept = NULL;
        clump_arena *arena = clump_arena_new();
        clump_recorded made, again;
        clump_recorded_placed two, four, later;
        assert_true(clump_recorded_kept_bytes(&run) > sizeof calls);
        clump_recorded_kept_add(&kept, clump_recorded_run_copy(&run));
        assert_int_equal(clump_recorded_make(kept, &options, arena, &made, NULL), CLUMP_OK);
        assert_int_equal(clump_recorded_place(&made, 2, &two, NULL), CLUMP_OK);
        assert_int_equal(clump_recorded_place(&made, 4, &four, NULL), CLUMP_OK);
        assert_true((two.schedule != four.schedule) == (mpich == 1));
        assert_int_equal(clump_recorded_make(kept, &options, arena, &again, NULL), CLUMP_OK);
        assert_int_equal(clump_recorded_place(&again, 2, &later, NULL), CLUMP_OK);
        assert_ptr_equal(later.schedule, two.schedule);
        assert_true(fabs(clump_recorded_now_s(&again) - 2e-6 * again.now_us) < 1e-12);
        assert_non_null(strstr(again.notes[again.note_count - 1], "a sample, 10 s of 20 s"));
        clump_recorded_kept_free(kept);
        clump_arena_free(arena);
    }
}

/* What GOAL has is replay as its format has it. */
TEST(goal)
{
    const clump_recorded_run run = {.origin = "goal",
                                    .ranks = 2,
                                    .nodes = 2,
                                    .wall = NAN,
                                    .seconds = NAN,
                                    .run = NAN,
                                    .calls = "num_ranks 2\nrank 0 {\nl1: calc 1000\n"
                                             "l2: send 1000b to 1\nl2 requires l1\n}\n"
                                             "rank 1 {\nrecv 1000b from -1\n}\n"},
                             nothing = {.origin = "recording", .ranks = 1, .nodes = 1};
    const clump_recorded_options options = {.network = &network};
    clump_recorded_kept *kept = NULL;
    clump_arena *arena = clump_arena_new();
    clump_recorded made;
    clump_error error;
    clump_recorded_kept_add(&kept, clump_recorded_run_copy(&run));
    assert_int_equal(clump_recorded_make(kept, &options, arena, &made, &error), CLUMP_OK);
    /* calc, o_s, L, G for all bytes but the first, o_r */
    assert_true(fabs(made.now_us - (1 + 2 + 5 + 999 * 0.008 + 2)) < 1e-6);
    assert_true(fabs(clump_recorded_share(&made) - 1) < 1e-12);
    clump_recorded_kept_add(&kept, clump_recorded_run_copy(&nothing));
    assert_int_equal(clump_recorded_make(kept, &options, arena, &made, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "imported without its calls"));
    clump_recorded_kept_free(kept);
    clump_arena_free(arena);
}

static int stop(double share, void *context)
{
    (void)share;
    (void)context;
    return 1;
}

/* By the watch of the options, which is forgotten afterwards. */
TEST(play_on_the_now_can_be_stopped)
{
    enum { MANY = 200000, SIZE = 8 };
    static char calls[MANY * SIZE + 100] = "num_ranks 1\nrank 0 {\n";
    char *end = calls + strlen(calls);
    for (size_t i = 0; i < MANY; i++)
        end += snprintf(end, SIZE, "calc 1\n");
    strcpy(end, "}\n");
    const clump_recorded_run run = {.origin = "goal",
                                    .ranks = 1,
                                    .nodes = 1,
                                    .wall = NAN,
                                    .seconds = NAN,
                                    .run = NAN,
                                    .calls = calls};
    const clump_watch stops = {.look = stop};
    clump_recorded_options options = {.network = &network, .watch = &stops};
    clump_recorded_kept *kept = NULL;
    clump_arena *arena = clump_arena_new();
    clump_recorded made;
    clump_recorded_kept_add(&kept, clump_recorded_run_copy(&run));
    assert_int_equal(clump_recorded_make(kept, &options, arena, &made, NULL), CLUMP_STOPPED);
    options.watch = NULL;
    assert_int_equal(clump_recorded_make(kept, &options, arena, &made, NULL), CLUMP_OK);
    assert_null(made.options.watch);
    clump_recorded_kept_free(kept);
    clump_arena_free(arena);
}

UNIT_MAIN(NULL, NULL)
