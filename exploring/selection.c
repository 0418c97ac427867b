/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/selection.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* ---- conditions and keys */

static clump_explore_status compile(clump_selection *s, const char *option, const char *text,
                                    size_t most, clump_formula **formula)
{
    char message[400];
    const int threads = s->explorer->settings.threads;
    if (text == NULL || clump_formula_make(text, most, &s->settings.columns, threads, formula,
                                           message, sizeof message))
        return CLUMP_EXPLORE_OK;
    return clump_explorer_fail(s->explorer, CLUMP_EXPLORE_BAD_SETTING, "--%s: '%.120s': %s", option,
                               text, message);
}

clump_explore_status clump_selection_open(clump_explorer *explorer,
                                          const clump_selection_settings *settings,
                                          clump_selection *s)
{
    *s = (clump_selection){.settings = *settings, .explorer = explorer};
    const clump_explore_status status = compile(s, "where", settings->where, 1, &s->where);
    return status == CLUMP_EXPLORE_OK
               ? compile(s, "by", settings->by, CLUMP_EXPLORE_MOST_KEYS, &s->by)
               : status;
}

static bool passes(const clump_selection *s, const clump_explore_row *row)
{
    double truth = 1;
    if (s->where != NULL)
        clump_formula_evaluate(s->where, row, true, &truth);
    return !isnan(truth) && truth != 0;
}

/* Its keys, and where it stands towards the Pareto set: by the first two keys, or the usual ones. */
static void look_at(const clump_selection *s, clump_explore_row *row)
{
    row->front[0] = clump_result_relative_time(&row->result);
    row->front[1] = s->explorer->priced ? row->price : (double)row->result.nics;
    if (s->by != NULL)
        clump_formula_evaluate(s->by, row, false, row->keys);
    if (s->by == NULL)
        memcpy(row->keys, row->front, sizeof row->front);
    else if (clump_formula_count(s->by) >= 2)
        memcpy(row->front, row->keys, sizeof row->front);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

void clump_selection_release(clump_selection *s)
{
    clump_formula_free(s->where);
    clump_formula_free(s->by);
    while (s->names != NULL) {
        char *name = *(char **)s->names;
        tdelete(name, &s->names, compare_names);
        free(name);
    }
    free(s->front);
    free(s->rows);
}

/* Texts of a row go with its scenario: replace one by the copy that stands for all of its kind. */
static bool keep_name(clump_selection *s, const char **text)
{
    if (*text == NULL)
        return true;
    const char **found = tsearch(*text, &s->names, compare_names);
    if (found == NULL)
        return false;
    if (*found == *text) { /* the first of its kind */
        char *copy = strdup(*text);
        if (copy == NULL) {
            tdelete(*text, &s->names, compare_names);
            return false;
        }
        *found = copy;
    }
    *text = *found;
    return true;
}

/* ---- the Pareto set */

/* First point of the front whose x is not below. */
static size_t front_place(const clump_selection *s, double x)
{
    size_t low = 0, high = s->front_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->front[middle].x < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether one of them is at least as good; `at` is the place of the point. */
static bool front_has(const clump_selection *s, clump_selection_point p, size_t at)
{
    return (at > 0 && s->front[at - 1].y <= p.y) ||
           (at < s->front_count && s->front[at].x == p.x && s->front[at].y <= p.y);
}

static bool front_add(clump_selection *s, clump_selection_point p)
{
    if (isnan(p.x) || isnan(p.y))
        return true;
    const size_t at = front_place(s, p.x);
    if (front_has(s, p, at))
        return true;
    size_t last = at; /* those from here on that the new one beats */
    while (last < s->front_count && s->front[last].y >= p.y)
        last++;
    if (last == at && s->front_count == s->front_room) {
        const size_t room = s->front_room > 0 ? 2 * s->front_room : 64;
        clump_selection_point *front = realloc(s->front, room * sizeof *front);
        if (front == NULL)
            return false;
        s->front = front;
        s->front_room = room;
    }
    memmove(s->front + at + 1, s->front + last, (s->front_count - last) * sizeof *s->front);
    s->front[at] = p;
    s->front_count = s->front_count - (last - at) + 1;
    return true;
}

static bool is_pareto(const clump_selection *s, const clump_explore_row *row)
{
    const size_t at = front_place(s, row->front[0]);
    return at < s->front_count && s->front[at].x == row->front[0] &&
           s->front[at].y == row->front[1];
}

/* ---- keeping rows */

/* The smaller first; what has no number last. */
static int compare_keys(const clump_explore_row *p, const clump_explore_row *q)
{
    for (size_t i = 0; i < CLUMP_EXPLORE_MOST_KEYS; i++) {
        const double x = p->keys[i], y = q->keys[i];
        if (isnan(x) != isnan(y))
            return isnan(x) ? 1 : -1;
        if (x < y || x > y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* Equal ones in their order. */
static int compare(const void *a, const void *b)
{
    const clump_explore_row *p = a, *q = b;
    const int by_keys = compare_keys(p, q);
    return by_keys != 0 ? by_keys : (p->index > q->index) - (p->index < q->index);
}

static void sort(clump_selection *s)
{
    if (s->count > 0)
        qsort(s->rows, s->count, sizeof *s->rows, compare);
}

static void keep_pareto(clump_selection *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (is_pareto(s, &s->rows[i]))
            s->rows[kept++] = s->rows[i];
    s->count = kept;
}

/* Drop what cannot be wanted any more, when there is no room left. */
static void shrink(clump_selection *s)
{
    if (s->settings.pareto) {
        keep_pareto(s); /* the best of these are known at the end only */
    } else if (s->settings.best > 0 && s->count > s->settings.best) {
        sort(s);
        s->count = s->settings.best;
        memcpy(s->limit.keys, s->rows[s->count - 1].keys, sizeof s->limit.keys);
        s->limited = true;
    }
}

/* As many as are wanted are better, or as good and came before. */
static bool is_beyond_limit(const clump_selection *s, const clump_explore_row *row)
{
    return s->limited && compare_keys(row, &s->limit) >= 0;
}

/* All are wanted, and no more can be kept. */
static bool is_full(const clump_selection *s)
{
    return s->count == CLUMP_SELECTION_MOST_KEPT && s->settings.best == 0 && !s->settings.pareto;
}

static bool make_room(clump_selection *s)
{
    if (s->count < s->room)
        return true;
    if (s->room > 64 || s->settings.best > 0)
        shrink(s);
    if (2 * s->count < s->room)
        return true;
    const size_t room = s->room > 0 ? 2 * s->room : 64;
    clump_explore_row *rows = realloc(s->rows, room * sizeof *rows);
    if (rows == NULL)
        return false;
    s->rows = rows;
    s->room = room;
    return true;
}

/* Rows that are still to be handed over will only make the selection stricter: what it refuses now it would refuse
 * then. */
static bool is_wanted(const clump_selection *s, const clump_explore_row *row)
{
    const clump_selection_point p = {row->front[0], row->front[1]};
    return (!isnan(p.x) && !isnan(p.y) && !front_has(s, p, front_place(s, p.x))) ||
           (s->settings.pareto       ? is_pareto(s, row)
            : s->settings.best > 0   ? !is_beyond_limit(s, row)
            : s->settings.by != NULL ? true /* to be told that they are too many */
                                     : !is_full(s));
}

static bool glance(clump_explore_row *row, clump_explore_tally *tally, const void *context)
{
    const clump_selection *s = context;
    if (!passes(s, row))
        return false;
    look_at(s, row);
    tally->passed++;
    return is_wanted(s, row);
}

static clump_explore_status keep(const clump_explore_row *row, void *context)
{
    clump_selection *s = context;
    if (!front_add(s, (clump_selection_point){row->front[0], row->front[1]}))
        return clump_explorer_fail_memory(s->explorer);
    if ((s->settings.pareto && !is_pareto(s, row)) || is_beyond_limit(s, row))
        return CLUMP_EXPLORE_OK;
    if (is_full(s) && s->settings.by == NULL)
        return CLUMP_EXPLORE_OK;
    if (is_full(s))
        return clump_explorer_fail(s->explorer, CLUMP_EXPLORE_BAD_SETTING,
                                   "--by: found more than %zu rows to sort, expected --best COUNT "
                                   "or --where CONDITION",
                                   CLUMP_SELECTION_MOST_KEPT);
    clump_explore_row copy = *row;
    bool kept = make_room(s);
    copy.result.network = NULL; /* gone with the scenario, and nobody asks */
    for (size_t i = 0; i < CLUMP_EXPLORE_TEXTS && kept; i++)
        kept = keep_name(s, clump_explore_text(&copy, i));
    if (!kept)
        return clump_explorer_fail_memory(s->explorer);
    s->rows[s->count++] = copy;
    return CLUMP_EXPLORE_OK;
}

clump_explore_taker clump_selection_taker(clump_selection *selection)
{
    return (clump_explore_taker){
        .take = keep, .glance = glance, .tally = &selection->tally, .context = selection};
}

bool clump_selection_has(const clump_selection *s, clump_explore_row *row)
{
    if (!passes(s, row))
        return false;
    look_at(s, row);
    row->pareto = is_pareto(s, row);
    return true;
}

/* Where nothing could be predicted there is nothing to choose among. */
static clump_explore_status check_refused(clump_selection *s)
{
    if (s->tally.refused == 0 || s->tally.refused < s->tally.all)
        return CLUMP_EXPLORE_OK;
    clump_explorer *e = s->explorer;
    clump_scenario *scenario = NULL;
    clump_result *rows = NULL;
    clump_scenario_status found =
        clump_explorer_prepare(e, 0, NULL, NULL, 0, &scenario, e->message);
    if (found == CLUMP_SCENARIO_OK) {
        rows = calloc(clump_scenario_most_applications(scenario), sizeof *rows);
        if (rows != NULL) /* the first says where */
            found = clump_scenario_compute(scenario, 0, &CLUMP_SCENARIO_UNCHANGED, rows, e->message,
                                           sizeof e->message);
    }
    const clump_explore_status status =
        found == CLUMP_SCENARIO_OK
            ? clump_explorer_fail(e, CLUMP_EXPLORE_FAILED, "no row could be predicted")
            : clump_explorer_explain(e, found, e->message);
    free(rows);
    clump_scenario_free(scenario);
    return status;
}

/* A key that no row has a number of sorts nothing, and the answer would not say so. */
static clump_explore_status check_keys(clump_selection *s)
{
    const char *by = s->settings.by;
    for (size_t k = 0; by != NULL && k < clump_formula_count(s->by) && s->count > 0; k++) {
        size_t i = 0;
        while (i < s->count && isnan(s->rows[i].keys[k]))
            i++;
        if (i == s->count)
            return clump_explorer_fail(
                s->explorer, CLUMP_EXPLORE_BAD_SETTING,
                "--by: found '%s', key %zu of which has no number in any row%s", by, k + 1,
                strstr(by, "price") != NULL
                    ? ", expected prices = { } in the scenario or --nic-price"
                    : "");
    }
    return CLUMP_EXPLORE_OK;
}

clump_explore_status clump_selection_finish(clump_selection *s)
{
    const clump_selection_settings *wanted = &s->settings;
    clump_explore_status status = check_refused(s);
    s->overflow = wanted->best == 0 && !wanted->pareto && s->tally.passed > s->count;
    if (status == CLUMP_EXPLORE_OK)
        status = check_keys(s);
    if (status != CLUMP_EXPLORE_OK)
        return status;
    if (wanted->pareto)
        keep_pareto(s);
    if (wanted->by != NULL || wanted->best > 0 || wanted->pareto)
        sort(s);
    if (wanted->best > 0 && s->count > wanted->best)
        s->count = wanted->best;
    for (size_t i = 0; i < s->count; i++)
        s->rows[i].pareto = is_pareto(s, &s->rows[i]);
    return CLUMP_EXPLORE_OK;
}
