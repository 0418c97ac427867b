/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of messages: by hand, and rings that compute beside their messages against times found by another method. */
#include "model/simulation/mpi_transport.h"
#include "model/simulation/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static double time_of(const char *text, const clump_loggp *network, const clump_mpi_transport *t)
{
    const clump_cluster machine = {.nodes = 1,
                                   .node = {.processors = 1, .nics = 1},
                                   .network = *network,
                                   .shared_memory = *network,
                                   .memory_penalty = 1};
    const clump_mpi_transports both = {*t, *t, true, true};
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    clump_schedule_result result;
    clump_schedule *schedule = NULL;
    clump_error error;
    clump_schedule_as_library(&rules, &both, false, true);
    rules.window_bytes =
        1000000; /* a NIC takes messages when they are ready, one after the other */
    if (clump_schedule_parse(text, strlen(text), &schedule, &error) != CLUMP_OK ||
        clump_schedule_run(schedule, &machine, &rules, &result, &error) != CLUMP_OK)
        fail_msg("%s\n%s", error.message, text);
    clump_schedule_free(schedule);
    return result.time_us;
}

/* What a recording says of its library. */
TEST(test_table)
{
    clump_mpi_transports t = clump_mpi_transports_of("Open MPI v4.1.4");
    assert_true(!t.noted && t.remote.eager_most == 65472 && t.local.eager_most == 4032);
    assert_true(t.remote.turns && t.remote.sender_moves && !t.local.sender_moves);
    t = clump_mpi_transports_of("MPICH 4.0.2");
    assert_true(!t.noted && t.remote.eager_most == 8191 && t.remote.confirms);
    t = clump_mpi_transports_of("Open MPI v4.1.4 (ob1: tcp 32768, vader 8192)");
    assert_true(t.noted && t.remote.eager_most == 32704 && t.local.eager_most == 8128);
    t = clump_mpi_transports_of("Open MPI v4.1.4 (ucx: ib, shm)");
    assert_true(t.noted && !t.remote.sender_moves && strcmp(t.remote.name, "ib") == 0);
    t = clump_mpi_transports_of("MPICH 4.2 (ofi: cxi 30000)");
    assert_true(t.noted && t.remote.hardware && t.remote.eager_most == 30000);
    t = clump_mpi_transports_of("MPICH 4.2 (ofi: ");
    assert_true(!t.noted && strcmp(t.remote.pml, "ofi") == 0);
    t = clump_mpi_transports_of("Open MPI v5.0 (cm: mtl)");
    assert_true(!t.noted && strcmp(t.remote.pml, "ob1") == 0);
    assert_true(!clump_mpi_transports_of(NULL).noted && !clump_mpi_transports_of(NULL).known);
    assert_true(clump_mpi_transports_of("MPICH 4.0.2").known &&
                !clump_mpi_transports_of("Spectrum MPI").known);
}

/* Alone, and with a receiver that computes for 500 us: each word takes o_s + L + o_r, the one that is sent when a receive is posted L alone. */
TEST(test_alone_and_late)
{
    static const char alone[] =
        "num_ranks 2\nrank 0 {\na: send 10000b to 1\n}\nrank 1 {\nb: recv 10000b from 0\n}\n",
                      late[] = "num_ranks 2\nrank 0 {\na: send 10000b to 1\n}\n"
                               "rank 1 {\na: calc 500000\nb: recv 10000b from 0\nb requires a\n}\n";
    const clump_loggp p = {5, 1, 1.5, 4, 0.01};
    const double data = 9999 * 0.01, handled = 2.5, word = 1 + 5 + 1.5;
    const struct {
        clump_mpi_transport transport;
        double alone, late;
    } cases[] = {
        {{.eager_most = 9999, .sender_moves = true, .buffer = 10000},
         3 * word + data,
         500 + handled + 5 + handled + 5 + data + 1.5},
        /* Asked, moved, confirmed. */
        {{.eager_most = 9999, .confirms = true},
         word + 1 + 5 + 5 + data + 5,
         500 + handled + 5 + 5 + data + 5},
        /* The NIC had found the announcement before. */
        {{.eager_most = 9999, .confirms = true, .hardware = true},
         word + 1 + 5 + 5 + data + 5,
         500 + 5 + 5 + data + 5},
        {{.eager_most = 10000}, word + data, 500 + 1.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double a = time_of(alone, &p, &cases[i].transport),
                     l = time_of(late, &p, &cases[i].transport);
        if (fabs(a - cases[i].alone) > 1e-6 || fabs(l - cases[i].late) > 1e-6)
            fail_msg("case %zu: found %.9g and %.9g us, expected %.9g and %.9g", i, a, l,
                     cases[i].alone, cases[i].late);
    }
}

/* ---- rings: each step of a rank begins a receive and a send, computes, and waits for both. Words take L, and o whoever sends one, and no time of NICs;
 * a NIC sends one message after the other. Times by iteration, without events: each follows from others until nothing changes. */

enum { RANKS = 6, STEPS = 6 };

typedef struct ring {
    unsigned ranks, steps;
    double L, o, G, compute[RANKS][STEPS], bytes[RANKS][STEPS];
    clump_mpi_transport t;
    double begin[RANKS][STEPS + 1], wait[RANKS][STEPS], end[RANKS][STEPS];
    double moves[RANKS][STEPS]; /* data of the rank begin to leave */
    bool tied; /* what leaves first, or whether a rank looks, is not told by times */
} ring;

static bool announces(const ring *g, unsigned r, unsigned s)
{
    return g->bytes[r][s] > (double)g->t.eager_most;
}

/* From when on the rank looks at what came at `t`. */
static double looks(const ring *g, unsigned r, double t)
{
    double first = INFINITY;
    if (g->t.hardware || t >= g->end[r][g->steps - 1])
        return t;
    for (unsigned s = 0; s < g->steps; s++) {
        if (g->wait[r][s] <= t && t <= g->end[r][s])
            return t;
        if (g->wait[r][s] >= t)
            first = fmin(first, g->wait[r][s]);
    }
    return isinf(first) ? t : first;
}

/* When what is ready at `t` leaves: not while data do, other than those of step `own`. */
static double leaves(ring *g, unsigned r, unsigned own, double t)
{
    for (unsigned s = 0; s < g->steps; s++) {
        const double until = g->moves[r][s] + (g->bytes[r][s] - 1) * g->G;
        g->tied = g->tied || (s != own && fabs(g->moves[r][s] - t) < 1e-9);
        if (g->moves[r][s] < t && t < until)
            t = until;
    }
    return t;
}

/* When a word that comes at `t` is there: not while data of the rank before come. */
static double comes(ring *g, unsigned r, double t)
{
    const unsigned from = (r + g->ranks - 1) % g->ranks;
    for (unsigned s = 0; s < g->steps; s++) {
        const double begin = g->moves[from][s] + g->L;
        const double until = begin + (g->bytes[from][s] - 1) * g->G;
        if (begin < t && t < until)
            t = until;
        g->tied = g->tied || fabs(t - until) < 1e-9; /* with what comes behind the data */
    }
    return t;
}

static void message(ring *g, unsigned r, unsigned s, double *sent, double *received)
{
    const unsigned to = (r + 1) % g->ranks;
    const double posted = g->begin[to][s], time = (g->bytes[r][s] - 1) * g->G;
    const double sends = g->begin[r][s] + g->o;
    if (!announces(g, r, s)) {
        g->moves[r][s] = leaves(g, r, s, sends);
        *sent = sends;
        *received = fmax(posted, looks(g, to, g->moves[r][s] + g->L + time));
        return;
    }
    const double found = looks(g, to, comes(g, to, leaves(g, r, s, sends) + g->L)),
                 asked = comes(g, r,
                               leaves(g, to, STEPS, found > posted ? found + g->o : posted) + g->L);
    g->moves[r][s] = leaves(g, r, s, g->t.sender_moves ? looks(g, r, asked) + g->o : asked);
    *received = looks(g, to, g->moves[r][s] + g->L + time);
    *sent = looks(g, r, comes(g, r, leaves(g, to, STEPS, *received) + g->L));
}

static double ring_time(ring *g)
{
    double sent[RANKS][STEPS], received[RANKS][STEPS], last = -1, sum = 0, time = 0;
    for (int i = 0; i < 2000 && sum != last; i++) {
        last = sum;
        sum = time = 0;
        g->tied = false;
        for (unsigned s = 0; s < g->steps; s++)
            for (unsigned r = 0; r < g->ranks; r++)
                message(g, r, s, &sent[r][s], &received[(r + 1) % g->ranks][s]);
        for (unsigned r = 0; r < g->ranks; r++)
            for (unsigned s = 0; s < g->steps; s++) {
                g->wait[r][s] = g->begin[r][s] + g->o + g->compute[r][s];
                g->end[r][s] = fmax(g->wait[r][s], fmax(sent[r][s], received[r][s]));
                /* Who has nothing to wait for does not look. */
                g->tied = g->tied || fmax(sent[r][s], received[r][s]) < g->wait[r][s];
                g->begin[r][s + 1] = g->end[r][s];
                sum += g->end[r][s] + g->moves[r][s];
                time = fmax(time, g->end[r][s]);
            }
    }
    assert_true(sum == last);
    return time;
}

static double draw(void)
{
    return (double)rand() / RAND_MAX;
}

static void ring_text(const ring *g, char *text, size_t room)
{
    size_t used = (size_t)snprintf(text, room, "num_ranks %u\n", g->ranks);
    for (unsigned r = 0; r < g->ranks; r++) {
        used += (size_t)snprintf(text + used, room - used, "rank %u {\n", r);
        for (unsigned s = 0; s < g->steps; s++) {
            used +=
                (size_t)snprintf(text + used, room - used,
                                 "r%u: recv 1b from %u\ns%u: send %.0fb to %u\nc%u: calc %.0f\n", s,
                                 (r + g->ranks - 1) % g->ranks, s, g->bytes[r][s],
                                 (r + 1) % g->ranks, s, g->compute[r][s] * 1e3);
            /* A joint that takes no time, on a CPU of its own, stands for the end of the wait. */
            used += (size_t)snprintf(
                text + used, room - used,
                "w%u: calc 0\nw%u requires r%u\nw%u requires s%u\nw%u requires c%u\n", s, s, s, s,
                s, s, s);
            if (s > 0)
                used += (size_t)snprintf(text + used, room - used,
                                         "r%u requires w%u\ns%u requires w%u\nc%u requires w%u\n",
                                         s, s - 1, s, s - 1, s, s - 1);
        }
        used += (size_t)snprintf(text + used, room - used, "}\n");
    }
}

TEST(test_rings)
{
    static char text[1 << 16];
    int tied = 0;
    srand(4);
    for (int i = 0; i < 8000; i++) {
        ring g = {.ranks = 2 + (unsigned)(draw() * (RANKS - 1)) % (RANKS - 1),
                  .steps = 1 + (unsigned)(draw() * STEPS) % STEPS,
                  .L = 1 + 20 * draw(),
                  .o = 0.01 + 0.1 * draw(),
                  .G = 0.001 + 0.01 * draw()};
        g.t = (clump_mpi_transport){.eager_most = draw() < 0.2 ? 0 : 10000,
                                    .confirms = true,
                                    .sender_moves = i % 3 == 0,
                                    .hardware = i % 3 == 2};
        for (unsigned r = 0; r < g.ranks; r++)
            for (unsigned s = 0; s < g.steps; s++) {
                g.compute[r][s] = floor(draw() * 300e3) / 1e3;
                g.bytes[r][s] = 1 + floor(draw() * 25000);
            }
        const clump_loggp p = {g.L, g.o, 0, 1e-9, g.G};
        ring_text(&g, text, sizeof text);
        const double expected = ring_time(&g), found = time_of(text, &p, &g.t);
        tied += g.tied;
        if (!g.tied && fabs(found - expected) > 1e-6 * expected + 1e-6)
            fail_msg("ring %d (%u ranks, %u steps): found %.9g us, expected %.9g", i, g.ranks,
                     g.steps, found, expected);
    }
    assert_true(tied < 7800);
}

UNIT_MAIN(NULL, NULL)
