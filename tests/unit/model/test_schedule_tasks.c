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

UNIT_MAIN(NULL, NULL)
