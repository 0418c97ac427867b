/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/selection.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* ---- conditions and keys */

static clump_explore_status compile(clump_selection *s, const char *option, const char *text,
                                    clump_expression **expression)
{
    char message[200];
    if (clump_expression_compile(text, &s->settings.columns, expression, message, sizeof message))
        return CLUMP_EXPLORE_OK;
    return clump_explorer_fail(s->explorer, CLUMP_EXPLORE_BAD_SETTING, "--%s: '%.120s': %s", option,
                               text, message);
}

/* Keys are separated by commas that are not within parentheses. */
static clump_explore_status read_keys(clump_selection *s, const char *text)
{
    char key[400];
    size_t used = 0;
    int depth = 0;
    for (;; text++) {
        if (*text != '\0' && (*text != ',' || depth > 0)) {
            depth += (*text == '(') - (*text == ')');
            if (used + 1 == sizeof key)
                return clump_explorer_fail(s->explorer, CLUMP_EXPLORE_BAD_SETTING,
                                           "--by: found a key of more than %zu characters",
                                           sizeof key - 1);
            key[used++] = *text;
            continue;
        }
        key[used] = '\0';
        used = 0;
        if (s->key_count == CLUMP_EXPLORE_MOST_KEYS)
            return clump_explorer_fail(s->explorer, CLUMP_EXPLORE_BAD_SETTING,
                                       "--by: found more keys than the %d allowed",
                                       CLUMP_EXPLORE_MOST_KEYS);
        const clump_explore_status status = compile(s, "by", key, &s->keys[s->key_count]);
        if (status != CLUMP_EXPLORE_OK)
            return status;
        s->key_count++;
        if (*text == '\0')
            return CLUMP_EXPLORE_OK;
    }
}

clump_explore_status clump_selection_open(clump_explorer *explorer,
                                          const clump_selection_settings *settings,
                                          clump_selection *s)
{
    *s = (clump_selection){.settings = *settings, .explorer = explorer};
    clump_explore_status status = CLUMP_EXPLORE_OK;
    const char *const usual[] = {"pace", explorer->priced ? "price" : "nics"};
    if (settings->where != NULL)
        status = compile(s, "where", settings->where, &s->where);
    if (status == CLUMP_EXPLORE_OK)
        status = read_keys(s, settings->by != NULL ? settings->by
                              : explorer->priced   ? "pace,price"
                                                   : "pace,nics");
    for (size_t i = 0; i < 2 && status == CLUMP_EXPLORE_OK; i++)
        if (s->key_count >= 2)
            s->front_keys[i] = s->keys[i];
        else
            status = compile(s, "by", usual[i], &s->front_keys[i]);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

void clump_selection_release(clump_selection *s)
{
    clump_expression_free(s->where);
    for (size_t i = 0; i < 2 && s->key_count < 2; i++)
        clump_expression_free(s->front_keys[i]);
    for (size_t i = 0; i < s->key_count; i++)
        clump_expression_free(s->keys[i]);
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

/* What is evaluated of a row. */
static void look_at(const clump_selection *s, clump_explore_row *row)
{
    const bool same = s->key_count >= 2; /* the keys of the front are those of the order */
    for (size_t i = 0; i < s->key_count; i++)
        row->keys[i] = clump_expression_evaluate(s->keys[i], row);
    for (size_t i = 0; i < 2; i++)
        row->front[i] = same ? row->keys[i] : clump_expression_evaluate(s->front_keys[i], row);
    row->seen = true;
}

static clump_selection_point point_of(const clump_selection *s, const clump_explore_row *row)
{
    if (row->seen)
        return (clump_selection_point){row->front[0], row->front[1]};
    return (clump_selection_point){clump_expression_evaluate(s->front_keys[0], row),
                                   clump_expression_evaluate(s->front_keys[1], row)};
}

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

bool clump_selection_is_pareto(const clump_selection *s, const clump_explore_row *row)
{
    const clump_selection_point p = point_of(s, row);
    const size_t at = front_place(s, p.x);
    return at < s->front_count && s->front[at].x == p.x && s->front[at].y == p.y;
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
        if (clump_selection_is_pareto(s, &s->rows[i]))
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

bool clump_selection_passes(const clump_selection *s, const clump_explore_row *row)
{
    const double truth = s->where != NULL ? clump_expression_evaluate(s->where, row) : 1;
    return truth != 0 && !isnan(truth);
}

/* Rows that are still to be handed over will only make the selection stricter: what it refuses now it would refuse
 * then. */
static unsigned glance(clump_explore_row *row, const void *context)
{
    const clump_selection *s = context;
    const unsigned refused = row->result.refused != NULL ? CLUMP_EXPLORE_REFUSED : 0;
    if (!clump_selection_passes(s, row))
        return refused;
    look_at(s, row);
    const clump_selection_point p = point_of(s, row);
    const bool is_point = !isnan(p.x) && !isnan(p.y);
    const bool wanted = (is_point && !front_has(s, p, front_place(s, p.x))) ||
                        (s->settings.pareto       ? clump_selection_is_pareto(s, row)
                         : s->settings.best > 0   ? !is_beyond_limit(s, row)
                         : s->settings.by != NULL ? true /* to be told that they are too many */
                                                  : !is_full(s));
    return refused | CLUMP_EXPLORE_PASSED | (wanted ? CLUMP_EXPLORE_TAKE : 0);
}

static void pass_by(const clump_explore_tally *rows, void *context)
{
    clump_selection *s = context;
    s->seen += rows->all;
    s->passed += rows->passed;
    s->refused += rows->refused;
    s->overflow = s->overflow || (rows->passed > 0 && is_full(s));
}

/* Look at one row, and keep it or not. */
static clump_explore_status add(const clump_explore_row *row, void *context)
{
    clump_selection *s = context;
    s->seen++;
    s->refused += row->result.refused != NULL;
    if (!row->seen && !clump_selection_passes(s, row))
        return CLUMP_EXPLORE_OK;
    s->passed++;
    if (!front_add(s, point_of(s, row)))
        return clump_explorer_fail_memory(s->explorer);
    if (s->settings.pareto && !clump_selection_is_pareto(s, row))
        return CLUMP_EXPLORE_OK;
    if (is_full(s)) {
        s->overflow = true;
        if (s->settings.by == NULL)
            return CLUMP_EXPLORE_OK;
        return clump_explorer_fail(s->explorer, CLUMP_EXPLORE_BAD_SETTING,
                                   "--by: found more than %zu rows to sort, expected --best COUNT "
                                   "or --where CONDITION",
                                   CLUMP_SELECTION_MOST_KEPT);
    }
    clump_explore_row copy = *row;
    copy.result.network = NULL; /* gone with the scenario, and nobody asks */
    if (!copy.seen)
        look_at(s, &copy);
    if (is_beyond_limit(s, &copy))
        return CLUMP_EXPLORE_OK;
    if (!make_room(s) || !keep_name(s, &copy.result.scenario) ||
        !keep_name(s, &copy.result.application) || !keep_name(s, &copy.result.platform) ||
        !keep_name(s, &copy.result.protocol) || !keep_name(s, &copy.result.compared_with) ||
        !keep_name(s, &copy.result.refused) || !keep_name(s, &copy.result.memory_law) ||
        !keep_name(s, &copy.worst_application))
        return clump_explorer_fail_memory(s->explorer);
    s->rows[s->count++] = copy;
    return CLUMP_EXPLORE_OK;
}

clump_explore_taker clump_selection_taker(clump_selection *selection)
{
    return (clump_explore_taker){
        .take = add, .glance = glance, .pass_by = pass_by, .context = selection};
}

/* Where nothing could be predicted there is nothing to choose among. */
static clump_explore_status check_refused(clump_selection *s)
{
    if (s->refused == 0 || s->refused < s->seen)
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
    for (size_t k = 0; k < s->key_count && by != NULL && s->count > 0; k++) {
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
        s->rows[i].pareto = clump_selection_is_pareto(s, &s->rows[i]);
    return CLUMP_EXPLORE_OK;
}
