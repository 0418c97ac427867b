/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/break_even.h"

#include "exploring/rows.h"
#include "model/limit.h"
#include "model/root.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 1000 };

typedef struct found_crossings {
    clump_break_even_point *list;
    size_t count;
    bool equal; /* at every utilization */
    bool complete;
} found_crossings;

typedef struct comparison {
    clump_explorer *explorer;
    const clump_explore_variable *compared; /* NULL: against the NOW */
    clump_scenario *sides[2];
    clump_break_even *answer;
    size_t room; /* for points */
} comparison;

/* ---- one configuration */

typedef struct difference {
    const comparison *c;
    size_t configuration;
    clump_result *scratch;
    double noise; /* a difference this small is rounding; of the utilization computed last */
    char message[CLUMP_EXPLORE_MESSAGE];
    clump_scenario_status failed;
} difference;

/* What is compared: with another configuration the time over what rows are compared with, with the NOW that over it. */
static clump_scenario_status find_mix(difference *d, const clump_scenario *side, double U,
                                      clump_result *mix, double *relative_time)
{
    const clump_scenario_change change = {0, U};
    const double *weights = clump_scenario_weights(side, d->configuration);
    const size_t count = clump_scenario_applications(side, d->configuration);
    const clump_scenario_status status = clump_scenario_compute(
        side, d->configuration, &change, d->scratch, d->message, sizeof d->message);
    *mix = (clump_result){.slowdown = 0};
    *relative_time = NAN;
    if (status != CLUMP_SCENARIO_OK)
        return status;
    *mix = clump_explore_mix(d->scratch, count, weights);
    *relative_time =
        d->c->compared != NULL ? clump_result_relative_time(mix) : clump_result_slowdown(mix);
    double accuracy = 0;
    for (size_t a = 0; a < count; a++)
        accuracy = fmax(accuracy, clump_slowdown_accuracy(d->scratch[a].processors,
                                                          d->scratch[a].phase_cycles));
    d->noise += *relative_time * accuracy;
    return status;
}

/* X of the first minus X of the second, or minus 1; 0 where that is rounding. */
static clump_status difference_at(double U, double *value, void *context, clump_error *error)
{
    difference *d = context;
    clump_result mix;
    double first, second = 1;
    d->noise = 0;
    d->failed = find_mix(d, d->c->sides[0], U, &mix, &first);
    if (d->failed == CLUMP_SCENARIO_OK && d->c->compared != NULL)
        d->failed = find_mix(d, d->c->sides[1], U, &mix, &second);
    if (d->failed != CLUMP_SCENARIO_OK)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the scenario");
    *value = fabs(first - second) > d->noise ? first - second : 0;
    return CLUMP_OK;
}

static const char *faster(const comparison *c, double by)
{
    static const char *const now[] = {"Clump", "NOW"};
    return c->compared != NULL ? c->compared->values[by > 0] : now[by > 0];
}

static clump_status add_crossing(difference *d, const clump_root *root, found_crossings *found)
{
    double relative_time;
    clump_result mix;
    d->failed = find_mix(d, d->c->sides[0], root->x, &mix, &relative_time);
    if (d->failed != CLUMP_SCENARIO_OK)
        return CLUMP_BAD_ARGUMENT;
    clump_break_even_point *k = &found->list[found->count++];
    k->result = mix;
    k->result.slowdown = clump_result_slowdown(&mix);
    k->result.utilization = root->x;
    k->below = faster(d->c, root->before);
    k->above = faster(d->c, root->after);
    return CLUMP_OK;
}

/* Where they only meet neither side becomes the faster one. */
static clump_status find_crossings(difference *d, found_crossings *found)
{
    clump_root roots[CLUMP_MOST_ROOTS];
    size_t count = 0;
    clump_status status =
        clump_roots_find(difference_at, d, 0, 1, GRID, 1e-14, roots, &count, NULL);
    if (status == CLUMP_OK && count > 0 &&
        (found->list = calloc(count, sizeof *found->list)) == NULL)
        return CLUMP_NO_MEMORY;
    for (size_t i = 0; i < count && status == CLUMP_OK; i++) {
        found->equal |= !(fabs(roots[i].before) > 0) && !(fabs(roots[i].after) > 0);
        if (roots[i].before * roots[i].after < 0)
            status = add_crossing(d, &roots[i], found);
    }
    return status;
}

/* ---- all of them */

static bool add_all(comparison *c, const found_crossings *found)
{
    clump_break_even *answer = c->answer;
    answer->complete++;
    answer->equal += found->equal;
    answer->none += found->count == 0 && !found->equal;
    if (answer->count + found->count > c->room) {
        const size_t room = 2 * c->room + CLUMP_MOST_ROOTS;
        clump_break_even_point *points = realloc(answer->points, room * sizeof *points);
        if (points == NULL)
            return false;
        answer->points = points;
        c->room = room;
    }
    if (found->count > 0)
        memcpy(answer->points + answer->count, found->list, found->count * sizeof *found->list);
    answer->count += found->count;
    return true;
}

static clump_status compare_one(const comparison *c, size_t configuration, size_t room,
                                found_crossings *found, difference *d)
{
    *d = (difference){.c = c, .configuration = configuration};
    d->scratch = calloc(room, sizeof *d->scratch);
    const clump_status status = d->scratch != NULL ? find_crossings(d, found) : CLUMP_NO_MEMORY;
    free(d->scratch);
    found->complete = status == CLUMP_OK;
    return status;
}

/* All configurations of a case; `found` has room for them. */
static clump_explore_status compare_all(comparison *c, size_t count, size_t room,
                                        found_crossings *found)
{
    clump_explorer *e = c->explorer;
    clump_explore_failure failed = {.status = CLUMP_SCENARIO_OK};
#pragma omp parallel for schedule(monotonic : dynamic, 1) num_threads(e->settings.threads)
    for (size_t i = 0; i < count; i++) {
        difference d;
        const clump_status status = compare_one(c, i, room, &found[i], &d);
        if (omp_get_thread_num() == 0)
            clump_explorer_progress(e, c->answer->complete + i, c->answer->expected);
        if (status == CLUMP_OK)
            continue;
        if (d.failed == CLUMP_SCENARIO_OK && status == CLUMP_NO_MEMORY)
            d.failed = clump_explore_no_memory(d.message);
        else if (d.failed == CLUMP_SCENARIO_OK) {
            d.failed = CLUMP_SCENARIO_FAILED;
            snprintf(d.message, sizeof d.message, "no crossing could be found");
        }
        clump_explore_note_failure(&failed, d.failed, i, d.message);
    }
    clump_explore_status status = clump_explorer_explain(e, failed.status, failed.message);
    for (size_t i = 0; i < count; i++) {
        if (found[i].complete && !add_all(c, &found[i]))
            status = clump_explorer_fail_memory(e);
        free(found[i].list);
    }
    return status;
}

static clump_explore_status compare_case(comparison *c)
{
    clump_explorer *e = c->explorer;
    const size_t count = clump_scenario_configurations(c->sides[0]);
    size_t room = clump_scenario_most_applications(c->sides[0]);
    if (c->compared != NULL) {
        const size_t others = clump_scenario_configurations(c->sides[1]);
        room += clump_scenario_most_applications(c->sides[1]);
        if (others != count)
            return clump_explorer_fail(e, CLUMP_EXPLORE_BAD_INPUT,
                                       "--break-even: found %zu configurations on one side and %zu "
                                       "on the other, expected as many",
                                       count, others);
    }
    found_crossings *found = calloc(count, sizeof *found);
    c->answer->expected = e->cases * count;
    const clump_explore_status status =
        found != NULL ? compare_all(c, count, room, found) : clump_explorer_fail_memory(e);
    free(found);
    return status;
}

/* Both sides of a case: the compared variable has one of its values. */
static clump_explore_status prepare_sides(comparison *c, size_t case_index)
{
    char *middle[] = {"0.5"};
    clump_explorer *e = c->explorer;
    c->sides[0] = c->sides[1] = NULL;
    for (size_t side = 0; side < (c->compared != NULL ? 2u : 1u); side++) {
        clump_explore_variable extra[2];
        size_t count = 0;
        if (c->compared != NULL) {
            extra[count] = *c->compared;
            extra[count].values += side;
            extra[count++].count = 1;
        }
        extra[count++] = (clump_explore_variable){.field = "utilization",
                                                  .is_field = true,
                                                  .is_decided = true,
                                                  .values = middle,
                                                  .count = 1};
        const clump_scenario_status found =
            clump_explorer_prepare(e, case_index, NULL, extra, count, &c->sides[side], e->message);
        if (found != CLUMP_SCENARIO_OK)
            return clump_explorer_explain(e, found, e->message);
        c->answer->scenarios[c->answer->scenario_count++] = c->sides[side];
    }
    return CLUMP_EXPLORE_OK;
}

clump_explore_status clump_break_even_find(clump_explorer *e, clump_explore_variable *compared,
                                           clump_break_even *answer)
{
    comparison c = {.explorer = e, .compared = compared, .answer = answer};
    clump_explore_status status = CLUMP_EXPLORE_OK;
    *answer = (clump_break_even){.scenarios = calloc(2 * e->cases, sizeof(clump_scenario *))};
    if (answer->scenarios == NULL)
        return clump_explorer_fail_memory(e);
    if (compared != NULL)
        status = clump_explorer_look_up(e, "break-even", compared);
    for (size_t i = 0; i < e->cases && status == CLUMP_EXPLORE_OK; i++) {
        status = prepare_sides(&c, i);
        if (status == CLUMP_EXPLORE_OK)
            status = compare_case(&c);
    }
    return status;
}

void clump_break_even_release(clump_break_even *answer)
{
    for (size_t i = 0; i < answer->scenario_count; i++)
        clump_scenario_free(answer->scenarios[i]);
    free(answer->scenarios);
    free(answer->points);
}
