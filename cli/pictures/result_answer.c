/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/result_answer.h"

#include "cli/output/results.h"
#include "cli/pictures/result_dimensions.h"
#include "data/arena.h"
#include "model/limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More groups than this are not listed one by one. */
enum { MOST_LISTED = 10 };

typedef struct question {
    const clump_result *results;
    size_t count;
    bool varies[DIMENSION_COUNT];
    const char *than; /* what it is compared with */
    clump_arena *arena;
    FILE *text;
} question;

/* As `recommend` and `explore` decide; sums of simulated times round more. */
static bool is_as_fast(const clump_result *r)
{
    const double accuracy =
        r->events > 0 ? 1e-9 : clump_slowdown_accuracy(r->processors, r->phase_cycles);
    return clump_is_within(result_judged(r), 1, accuracy);
}

/* Groups of the rows that differ in nothing but `dimension`; 0: too many, or no memory. */
static size_t make_groups(const question *q, result_dimension dimension, result_groups *groups)
{
    char problem[RESULT_PROBLEM_SIZE];
    *groups = (result_groups){.count = 0};
    memcpy(groups->keys, q->varies, sizeof q->varies);
    groups->keys[dimension] = false;
    const int status = result_groups_make(problem, q->results, q->count, q->arena, groups);
    return status == EXIT_DONE && groups->count <= MOST_LISTED ? groups->count : 0;
}

/* " (independent)": of which group something is said. */
static void print_group(const question *q, const result_groups *groups, size_t group)
{
    const char *name = result_groups_name(groups, group, q->arena);
    if (name != NULL && *name != '\0')
        fprintf(q->text, " (%s)", name);
}

/* ---- the best and the worst */

static void say_extremes(const question *q)
{
    char words[SLOWDOWN_WORDS_SIZE];
    const clump_result *best = q->results, *worst = q->results;
    size_t fast = 0;
    for (size_t i = 0; i < q->count; i++) {
        const clump_result *r = &q->results[i];
        best = result_judged(r) < result_judged(best) ? r : best;
        worst = result_judged(r) > result_judged(worst) ? r : worst;
        fast += is_as_fast(r);
    }
    fprintf(q->text, "The %s takes %s", q->results->compared_with != NULL ? "platform" : "Clump",
            slowdown_words(result_judged(worst), q->than, words));
    if (!(result_judged(best) < result_judged(worst))) {
        fputs(".", q->text);
        return;
    }
    result_groups one = {.first = {worst}, .count = 1};
    memcpy(one.keys, q->varies, sizeof q->varies);
    print_group(q, &one, 0);
    fputs(" at worst, ", q->text);
    fputs(slowdown_words(result_judged(best), q->than, words), q->text);
    one.first[0] = best;
    print_group(q, &one, 0);
    fputs(" at best", q->text);
    if (fast > 0)
        fprintf(q->text, "; in %zu of %zu cases it is as fast as %s or faster", fast, q->count,
                q->than);
    fputs(".", q->text);
}

/* ---- how many NICs are enough */

/* Among the numbers tried; rows are NULL if there is none. */
typedef struct least {
    const clump_result *enough; /**< with the least number that is enough */
    const clump_result *below;  /**< with the greatest number below that */
    const clump_result *most;   /**< with the greatest number of all */
} least;

static least find_least(const question *q, const result_groups *groups, size_t group)
{
    least found = {NULL, NULL, NULL};
    for (size_t i = 0; i < q->count; i++) {
        const clump_result *r = &q->results[i];
        if (groups->group_of[i] != group)
            continue;
        if (found.most == NULL || r->nics > found.most->nics)
            found.most = r;
        if (is_as_fast(r) && (found.enough == NULL || r->nics < found.enough->nics))
            found.enough = r;
    }
    for (size_t i = 0; i < q->count && found.enough != NULL; i++) {
        const clump_result *r = &q->results[i];
        if (groups->group_of[i] == group && r->nics < found.enough->nics &&
            (found.below == NULL || r->nics > found.below->nics))
            found.below = r;
    }
    return found;
}

static void print_nics(const question *q, size_t nics)
{
    fprintf(q->text, "%zu NIC%s", nics, nics == 1 ? "" : "s");
}

static void say_for_one(const question *q, const result_groups *groups)
{
    char words[SLOWDOWN_WORDS_SIZE];
    const least found = find_least(q, groups, 0);
    if (found.enough == NULL) {
        fprintf(q->text, "No number of NICs that was tried makes a node as fast as %s: with ",
                q->than);
        print_nics(q, found.most->nics);
        fprintf(q->text, " it takes %s.",
                slowdown_words(result_judged(found.most), q->than, words));
        return;
    }
    print_nics(q, found.enough->nics);
    fprintf(q->text, " %s enough for a node to be as fast as %s: %s %.4f",
            found.enough->nics == 1 ? "is" : "are", q->than,
            q->results->compared_with != NULL ? "ratio" : "slowdown", result_judged(found.enough));
    if (found.below != NULL) {
        fputs("; with ", q->text);
        print_nics(q, found.below->nics);
        fprintf(q->text, " it takes %s",
                slowdown_words(result_judged(found.below), q->than, words));
    }
    fputs(".", q->text);
}

static bool is_any_enough(const question *q)
{
    for (size_t i = 0; i < q->count; i++)
        if (is_as_fast(&q->results[i]))
            return true;
    return false;
}

static bool say_nics(const question *q)
{
    result_groups groups;
    if (!q->varies[DIMENSION_NICS] || make_groups(q, DIMENSION_NICS, &groups) == 0)
        return false;
    if (groups.count == 1) {
        say_for_one(q, &groups);
        return true;
    }
    if (!is_any_enough(q)) {
        fprintf(q->text, "No number of NICs that was tried makes a node as fast as %s. ", q->than);
        say_extremes(q);
        return true;
    }
    fprintf(q->text, "To be as fast as %s a node needs", q->than);
    for (size_t g = 0; g < groups.count; g++) {
        const least found = find_least(q, &groups, g);
        fputs(g > 0 ? ", " : " ", q->text);
        if (found.below != NULL && found.below->nics + 1 < found.enough->nics)
            fputs("at most ", q->text);
        if (found.enough != NULL)
            print_nics(q, found.enough->nics);
        else
            fprintf(q->text, "more than the %zu tried", found.most->nics);
        print_group(q, &groups, g);
    }
    fputs(".", q->text);
    return true;
}

/* ---- up to which utilization */

static void print_reach(const question *q, const result_groups *groups, size_t group)
{
    double slower = INFINITY, reached = NAN;
    for (size_t i = 0; i < q->count; i++)
        if (groups->group_of[i] == group && !is_as_fast(&q->results[i]))
            slower = fmin(slower, q->results[i].utilization);
    for (size_t i = 0; i < q->count; i++)
        if (groups->group_of[i] == group && q->results[i].utilization < slower)
            reached = fmax(reached, q->results[i].utilization);
    if (isnan(reached))
        fputs("none that was tried", q->text);
    else
        fprintf(q->text, isinf(slower) ? "all up to %.4g" : "%.4g", reached);
    print_group(q, groups, group);
}

static bool say_utilization(const question *q)
{
    result_groups groups;
    if (!q->varies[DIMENSION_UTILIZATION] || q->varies[DIMENSION_PROCESSOR] ||
        make_groups(q, DIMENSION_UTILIZATION, &groups) == 0)
        return false;
    fprintf(q->text,
            "A node is as fast as %s as long as its processors communicate at most a share U of "
            "their time: U =",
            q->than);
    for (size_t g = 0; g < groups.count; g++) {
        fputs(g > 0 ? ", " : " ", q->text);
        print_reach(q, &groups, g);
    }
    fputs(".", q->text);
    return true;
}

/* Of the rows that could be predicted. */
static void say_all(question *q, bool chosen)
{
    q->than = q->results->compared_with != NULL ? q->results->compared_with : "the NOW";
    for (size_t i = 1; i < q->count && q->results->compared_with != NULL; i++)
        if (q->results[i].compared_with == NULL ||
            strcmp(q->results[i].compared_with, q->than) != 0)
            q->than = "what it is compared with";
    result_dimensions_vary(q->results, q->count, q->varies);
    if (chosen || (!say_nics(q) && (q->results->compared_with != NULL || !say_utilization(q))))
        say_extremes(q);
    const double error = result_mean_error(q->results, q->count);
    if (isfinite(error))
        fprintf(q->text, " On average the predictions are %.1f%% off what was measured.",
                100 * error);
}

char *result_answer(const clump_result *results, size_t count, bool chosen)
{
    char *text = NULL;
    size_t size = 0;
    question q = {.arena = clump_arena_new()};
    q.text = open_memstream(&text, &size);
    clump_result *predicted =
        q.arena != NULL ? clump_arena_take(q.arena, (count + 1) * sizeof *predicted) : NULL;
    if (predicted != NULL && q.text != NULL && count > 0) {
        q.results = predicted;
        for (size_t i = 0; i < count; i++)
            if (results[i].refused == NULL)
                predicted[q.count++] = results[i];
        if (q.count > 0)
            say_all(&q, chosen);
        if (q.count < count)
            fprintf(q.text, "%s%zu of %zu cases could not be predicted.", q.count > 0 ? " " : "",
                    count - q.count, count);
    }
    const bool failed = predicted == NULL || q.text == NULL || ferror(q.text) != 0;
    clump_arena_free(q.arena);
    if (q.text != NULL && fclose(q.text) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}
