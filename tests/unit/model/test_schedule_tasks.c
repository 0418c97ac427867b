/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Masters that were recorded with one order of results, on nodes where others come first: against a master who hands out in turn, by hand. */
#include "model/simulation/kept_calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { MOST_WORKERS = 9, MOST_TASKS = 200 };

typedef struct farm {
    unsigned workers, tasks;
    double near, far, us[MOST_TASKS];
} farm;

static double latency(const farm *f, unsigned worker)
{
    return worker == 1 ? f->near : f->far; /* ranks 0 and 1 are on a node */
}

/* The master looks at one result after the other, and words of no bytes take their latency alone. */
static double by_hand(const farm *f)
{
    double comes[MOST_WORKERS + 1], now = 0, end = 0;
    unsigned next = 0;
    for (unsigned w = 1; w <= f->workers; w++, next++)
        comes[w] = 2 * latency(f, w) + f->us[next];
    for (unsigned done = 0; done < f->tasks; done++) {
        unsigned first = 1;
        for (unsigned w = 2; w <= f->workers; w++)
            if (comes[w] < comes[first])
                first = w;
        now = fmax(now, comes[first]);
        comes[first] = next < f->tasks ? now + 2 * latency(f, first) + f->us[next] : INFINITY;
        next++;
        end = now;
    }
    return end;
}

/* As it was recorded: task i went to worker i modulo their number, and so did results come. */
static char *recorded(const farm *f, bool any)
{
    clump_kept_writer *w = clump_kept_writer_new();
    uint32_t last = 0;
    assert_non_null(w);
    for (unsigned i = 0; i < f->workers; i++) {
        const uint32_t o = clump_kept_add_send(w, 0, i + 1, 1, 1);
        if (i > 0)
            clump_kept_require(w, last);
        last = o;
    }
    for (unsigned i = 0; i < f->tasks; i++) {
        uint32_t o = clump_kept_add_receive(w, 0, i % f->workers + 1, 2, 1);
        if (any)
            clump_kept_any_source(w, o);
        clump_kept_require(w, last);
        last = o;
        if (i + f->workers >= f->tasks)
            continue;
        o = clump_kept_add_send(w, 0, i % f->workers + 1, 1, 1);
        clump_kept_require(w, last);
        last = o;
    }
    clump_kept_end_rank(w);
    for (unsigned k = 0; k < f->workers; k++) {
        for (unsigned i = k; i < f->tasks; i += f->workers) {
            uint32_t o = clump_kept_add_receive(w, 0, 0, 1, 1);
            if (i > k)
                clump_kept_require(w, last);
            last = o;
            o = clump_kept_add_calc(w, 0, (uint64_t)(f->us[i] * 1e3));
            clump_kept_require(w, last);
            last = o;
            o = clump_kept_add_send(w, 0, 0, 2, 1);
            clump_kept_require(w, last);
            last = o;
        }
        clump_kept_end_rank(w);
    }
    char *text = clump_kept_finish(w);
    assert_non_null(text);
    return text;
}

static double played(const farm *f, bool any)
{
    const clump_cluster machine = {.nodes = 1,
                                   .node = {.processors = 2, .nics = 1},
                                   .network = {f->far, 1e-6, 1e-6, 1e-6, 1e-9},
                                   .shared_memory = {f->near, 1e-6, 1e-6, 1e-6, 1e-9},
                                   .memory_penalty = 1};
    const clump_mpi_transports transports = clump_mpi_transports_of("Open MPI v4.1.4");
    const clump_kept_machine kept = {
        .library = CLUMP_MPI_OPEN_MPI, .processors = 2, .most_operations = 1000000};
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    clump_schedule_result result;
    clump_schedule *schedule = NULL;
    clump_error error;
    char *text = recorded(f, any);
    clump_schedule_as_library(&rules, &transports, false, true);
    if (clump_kept_schedule(text, f->workers + 1, &kept, &schedule, NULL, &error) != CLUMP_OK ||
        clump_schedule_run(schedule, &machine, &rules, &result, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    clump_schedule_free(schedule);
    free(text);
    return result.time_us;
}

static double draw(void)
{
    return (double)rand() / RAND_MAX;
}

TEST(test_farms)
{
    double other = 0;
    srand(3);
    for (int i = 0; i < 300; i++) {
        farm f = {.workers = 1 + (unsigned)(draw() * MOST_WORKERS) % MOST_WORKERS,
                  .near = 1 + draw(),
                  .far = 1 + 50 * draw()};
        f.tasks = f.workers + (unsigned)(draw() * (MOST_TASKS - f.workers));
        for (unsigned k = 0; k < f.tasks; k++)
            f.us[k] = floor(draw() * draw() * 200e3) / 1e3;
        const double expected = by_hand(&f), found = played(&f, true);
        if (fabs(found / expected - 1) > 1e-4)
            fail_msg("farm %d: %u workers, %u tasks: found %.9g us, expected %.9g", i, f.workers,
                     f.tasks, found, expected);
        other = fmax(other, played(&f, false) / expected);
    }
    assert_true(other > 1.2); /* handed out as recorded it would take longer */
}

/* Workers that ask each other before they answer do no tasks: what the master sends them goes to whom it went, whoever it took a result of. Each
 * message is received before the next one is sent where that is written, so that the program can end whatever waits. */
TEST(test_masters_that_know_their_workers)
{
    enum { RANKS = 5, ROOM = 4000 };
    static const char *const libraries[] = {"Open MPI v4.1.4", "MPICH 4.0.2 (ucx: tcp)",
                                            "MPICH 4.0.2 (ofi: cxi)",
                                            "Open MPI (ob1: tcp 1, sm 1)"};
    static char ranks[RANKS][ROOM], text[RANKS * ROOM];
    const clump_kept_machine kept = {.most_operations = 1000000};
    srand(4);
    for (int i = 0; i < 400; i++) {
        const unsigned bytes[] = {1, 5000, 100000};
        size_t used[RANKS] = {0}, length = 0;
        for (unsigned step = 0; step < 6 * RANKS; step++) {
            const bool begins = step < RANKS - 1;
            const bool ends = step >= 5 * RANKS;
            const unsigned w = 1 + (begins ? step : (unsigned)rand() % (RANKS - 1));
            const unsigned other = w % (RANKS - 1) + 1, size = bytes[rand() % 3];
            if (!begins && rand() % 4 == 0) {
                used[w] += (size_t)sprintf(ranks[w] + used[w], "s%u.%ut0", size, other);
                used[other] += (size_t)sprintf(ranks[other] + used[other], "r%u.%ut0", size, w);
            }
            if (!begins) {
                used[w] += (size_t)sprintf(ranks[w] + used[w], "s%u.0t2", size);
                used[0] += (size_t)sprintf(ranks[0] + used[0], "r%u.%ut2n", size, w);
            }
            if (!ends) {
                used[0] += (size_t)sprintf(ranks[0] + used[0], "s%u.%ut1", size, w);
                used[w] += (size_t)sprintf(ranks[w] + used[w], "r%u.0t1c%d", size, rand() % 100000);
            }
        }
        for (int r = 0; r < RANKS; r++)
            length += (size_t)sprintf(text + length, "r%s\n", ranks[r]);
        const clump_cluster machine = {.nodes = 1,
                                       .node = {.processors = 2, .nics = 1},
                                       .network = {5, 1, 1, 1, 1e-3},
                                       .shared_memory = {1, 1, 1, 1, 1e-3},
                                       .memory_penalty = 1};
        const clump_mpi_transports transports = clump_mpi_transports_of(libraries[i % 4]);
        clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
        clump_schedule_result result;
        clump_schedule *schedule = NULL;
        clump_error error;
        clump_schedule_as_library(&rules, &transports, false, true);
        if (clump_kept_schedule(text, RANKS, &kept, &schedule, NULL, &error) != CLUMP_OK ||
            clump_schedule_run(schedule, &machine, &rules, &result, &error) != CLUMP_OK)
            fail_msg("program %d: %s\n%s", i, error.message, text);
        clump_schedule_free(schedule);
    }
}

UNIT_MAIN(NULL, NULL)
