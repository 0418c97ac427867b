/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_selection.h"

#include "cli/errors.h"
#include "cli/explore_options.h"
#include "cli/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const clump_cli_arguments *arguments_of(const clump_cli_selection *s)
{
    return &s->explorer->invocation->arguments;
}

/* ---- reading the options */

static int compile(clump_cli_selection *s, size_t option, const char *text,
                   clump_cli_expression **expression)
{
    char message[200];
    const clump_cli_expression_names names = clump_cli_explore_names(s->explorer);
    if (clump_cli_expression_compile(text, &names, expression, message, sizeof message))
        return CLUMP_CLI_DONE;
    return clump_cli_error_usage(arguments_of(s)->command, "--%s: '%.120s': %s",
                                 arguments_of(s)->table[option].name, text, message);
}

/* Keys are separated by commas that are not within parentheses. */
static int read_keys(clump_cli_selection *s, const char *text)
{
    char key[400];
    size_t used = 0;
    int depth = 0;
    for (;; text++) {
        if (*text != '\0' && (*text != ',' || depth > 0)) {
            depth += (*text == '(') - (*text == ')');
            if (used + 1 < sizeof key)
                key[used++] = *text;
            continue;
        }
        key[used] = '\0';
        used = 0;
        if (s->key_count == CLUMP_CLI_MOST_KEYS)
            return clump_cli_error_usage(arguments_of(s)->command,
                                         "--by: found more keys than the %d allowed",
                                         CLUMP_CLI_MOST_KEYS);
        const int status = compile(s, CLUMP_CLI_EXPLORE_BY, key, &s->keys[s->key_count]);
        if (status != CLUMP_CLI_DONE)
            return status;
        s->key_count++;
        if (*text == '\0')
            return CLUMP_CLI_DONE;
    }
}

int clump_cli_selection_open(const clump_cli_explorer *explorer, clump_cli_selection *s)
{
    *s = (clump_cli_selection){.explorer = explorer};
    const clump_cli_arguments *arguments = arguments_of(s);
    const char *where = clump_cli_option_value(arguments, CLUMP_CLI_EXPLORE_WHERE);
    const char *by = clump_cli_option_value(arguments, CLUMP_CLI_EXPLORE_BY);
    uint64_t best = 0;
    int status = clump_cli_option_whole(arguments, CLUMP_CLI_EXPLORE_BEST, 1, 1000000,
                                        "a whole number of rows, 1 to 1000000", &best);
    if (status == CLUMP_CLI_DONE && where != NULL)
        status = compile(s, CLUMP_CLI_EXPLORE_WHERE, where, &s->where);
    if (status == CLUMP_CLI_DONE)
        status = read_keys(s, by != NULL         ? by
                              : explorer->priced ? "slowdown,price"
                                                 : "slowdown,nics");
    for (size_t i = 0; i < 2 && status == CLUMP_CLI_DONE; i++) {
        static const char *const usual[] = {"slowdown", "price", "slowdown", "nics"};
        if (s->key_count >= 2)
            s->front_keys[i] = s->keys[i];
        else
            status = compile(s, CLUMP_CLI_EXPLORE_BY, usual[(explorer->priced ? 0 : 2) + i],
                             &s->front_keys[i]);
    }
    s->best = (size_t)best;
    s->sorted = by != NULL || best > 0;
    s->pareto = clump_cli_option_given(arguments, CLUMP_CLI_EXPLORE_PARETO);
    return status;
}

void clump_cli_selection_free(clump_cli_selection *s)
{
    clump_cli_expression_free(s->where);
    for (size_t i = 0; i < 2 && s->key_count < 2; i++)
        clump_cli_expression_free(s->front_keys[i]);
    for (size_t i = 0; i < s->key_count; i++)
        clump_cli_expression_free(s->keys[i]);
    for (size_t i = 0; i < s->name_room; i++)
        free(s->names[i]);
    free(s->names);
    free(s->front);
    free(s->rows);
}

/* ---- copies of strings */

static size_t hash(const char *text)
{
    uint64_t h = UINT64_C(1469598103934665603); /* FNV-1a */
    for (; *text != '\0'; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return (size_t)h;
}

static bool grow_names(clump_cli_selection *s)
{
    const size_t room = s->name_room > 0 ? 2 * s->name_room : 64;
    char **names = calloc(room, sizeof *names);
    if (names == NULL)
        return false;
    for (size_t i = 0; i < s->name_room; i++) {
        if (s->names[i] == NULL)
            continue;
        size_t at = hash(s->names[i]) % room;
        while (names[at] != NULL)
            at = (at + 1) % room;
        names[at] = s->names[i];
    }
    free(s->names);
    s->names = names;
    s->name_room = room;
    return true;
}

/* The copy that stands for this text. */
static bool keep_name(clump_cli_selection *s, const char **text)
{
    if (*text == NULL)
        return true;
    if (2 * s->name_count >= s->name_room && !grow_names(s))
        return false;
    size_t at = hash(*text) % s->name_room;
    while (s->names[at] != NULL && strcmp(s->names[at], *text) != 0)
        at = (at + 1) % s->name_room;
    if (s->names[at] == NULL) {
        s->names[at] = strdup(*text);
        s->name_count++;
    }
    *text = s->names[at];
    return *text != NULL;
}

/* ---- the Pareto set */

static clump_cli_point point_of(const clump_cli_selection *s, const clump_cli_row *row)
{
    return (clump_cli_point){
        clump_cli_expression_evaluate(s->front_keys[0], clump_cli_explore_value, row),
        clump_cli_expression_evaluate(s->front_keys[1], clump_cli_explore_value, row)};
}

/* First point of the front whose x is not below. */
static size_t front_place(const clump_cli_selection *s, double x)
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

static bool front_add(clump_cli_selection *s, clump_cli_point p)
{
    if (isnan(p.x) || isnan(p.y))
        return true;
    const size_t at = front_place(s, p.x);
    if ((at > 0 && s->front[at - 1].y <= p.y) ||
        (at < s->front_count && s->front[at].x == p.x && s->front[at].y <= p.y))
        return true;  /* there is one at least as good */
    size_t last = at; /* those from here on that the new one beats */
    while (last < s->front_count && s->front[last].y >= p.y)
        last++;
    if (last == at && s->front_count == s->front_room) {
        const size_t room = s->front_room > 0 ? 2 * s->front_room : 64;
        clump_cli_point *front = realloc(s->front, room * sizeof *front);
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

bool clump_cli_selection_is_pareto(const clump_cli_selection *s, const clump_cli_row *row)
{
    const clump_cli_point p = point_of(s, row);
    const size_t at = front_place(s, p.x);
    return at < s->front_count && s->front[at].x == p.x && s->front[at].y == p.y;
}

/* ---- keeping rows */

/* The smaller first; what has no number last; equal ones in their order. */
static int compare(const clump_cli_selection *s, const clump_cli_row *a, const clump_cli_row *b)
{
    for (size_t i = 0; i < s->key_count; i++) {
        const double x = clump_cli_expression_evaluate(s->keys[i], clump_cli_explore_value, a);
        const double y = clump_cli_expression_evaluate(s->keys[i], clump_cli_explore_value, b);
        if (isnan(x) != isnan(y))
            return isnan(x) ? 1 : -1;
        if (x < y || x > y)
            return x < y ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static void sift_down(clump_cli_selection *s, size_t at, size_t count)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && compare(s, &s->rows[child], &s->rows[child + 1]) < 0)
            child++;
        if (compare(s, &s->rows[at], &s->rows[child]) >= 0)
            return;
        const clump_cli_row row = s->rows[at];
        s->rows[at] = s->rows[child];
        s->rows[child] = row;
        at = child;
    }
}

/* Heap sort: qsort has no way to tell the keys to its function. */
static void sort(clump_cli_selection *s)
{
    for (size_t i = s->count / 2; i-- > 0;)
        sift_down(s, i, s->count);
    for (size_t end = s->count; end > 1; end--) {
        const clump_cli_row row = s->rows[0];
        s->rows[0] = s->rows[end - 1];
        s->rows[end - 1] = row;
        sift_down(s, 0, end - 1);
    }
}

static void keep_pareto(clump_cli_selection *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (clump_cli_selection_is_pareto(s, &s->rows[i]))
            s->rows[kept++] = s->rows[i];
    s->count = kept;
}

/* Drop what cannot be wanted any more, when there is no room left. */
static void shrink(clump_cli_selection *s)
{
    if (s->pareto)
        keep_pareto(s); /* the best of these are known at the end only */
    else if (s->best > 0 && s->count > s->best) {
        sort(s);
        s->count = s->best;
    }
}

static bool make_room(clump_cli_selection *s)
{
    if (s->count < s->room)
        return true;
    if (s->room > 64 || s->best > 0)
        shrink(s);
    if (2 * s->count < s->room)
        return true;
    const size_t room = s->room > 0 ? 2 * s->room : 64;
    clump_cli_row *rows = realloc(s->rows, room * sizeof *rows);
    if (rows == NULL)
        return false;
    s->rows = rows;
    s->room = room;
    return true;
}

bool clump_cli_selection_passes(const clump_cli_selection *s, const clump_cli_row *row)
{
    const double truth = s->where != NULL
                             ? clump_cli_expression_evaluate(s->where, clump_cli_explore_value, row)
                             : 1;
    return truth != 0 && !isnan(truth);
}

int clump_cli_selection_add(const clump_cli_row *row, void *context)
{
    clump_cli_selection *s = context;
    const char *command = arguments_of(s)->command;
    if (!clump_cli_selection_passes(s, row))
        return CLUMP_CLI_DONE;
    s->passed++;
    if (!front_add(s, point_of(s, row)))
        return clump_cli_error_memory(command);
    if (s->pareto && !clump_cli_selection_is_pareto(s, row))
        return CLUMP_CLI_DONE;
    if (s->count == CLUMP_CLI_MOST_KEPT && s->best == 0 && !s->pareto) {
        s->overflow = true;
        if (!s->sorted)
            return CLUMP_CLI_DONE;
        return clump_cli_error_usage(
            command,
            "--by: found more than %zu rows to sort, expected --best COUNT "
            "or --where CONDITION",
            CLUMP_CLI_MOST_KEPT);
    }
    clump_cli_row copy = *row;
    copy.result.network = NULL; /* gone with the scenario, and nobody asks */
    if (!make_room(s) || !keep_name(s, &copy.result.scenario) ||
        !keep_name(s, &copy.result.application) || !keep_name(s, &copy.result.platform) ||
        !keep_name(s, &copy.result.protocol) || !keep_name(s, &copy.worst_application))
        return clump_cli_error_memory(command);
    s->rows[s->count++] = copy;
    return CLUMP_CLI_DONE;
}

/* A key that no row has a number of sorts nothing, and the answer would not say so. */
static int check_keys(const clump_cli_selection *s)
{
    const char *by = clump_cli_option_value(arguments_of(s), CLUMP_CLI_EXPLORE_BY);
    for (size_t k = 0; k < s->key_count && by != NULL && s->count > 0; k++) {
        size_t i = 0;
        while (i < s->count && isnan(clump_cli_expression_evaluate(
                                   s->keys[k], clump_cli_explore_value, &s->rows[i])))
            i++;
        if (i == s->count)
            return clump_cli_error_usage(
                arguments_of(s)->command,
                "--by: found '%s', key %zu of which has no number in any row%s", by, k + 1,
                strstr(by, "price") != NULL
                    ? ", expected prices = { } in the scenario or --nic-price"
                    : "");
    }
    return CLUMP_CLI_DONE;
}

int clump_cli_selection_finish(clump_cli_selection *s)
{
    const int status = check_keys(s);
    if (status != CLUMP_CLI_DONE)
        return status;
    if (s->pareto)
        keep_pareto(s);
    if (s->sorted || s->pareto)
        sort(s);
    if (s->best > 0 && s->count > s->best)
        s->count = s->best;
    for (size_t i = 0; i < s->count; i++)
        s->rows[i].pareto = clump_cli_selection_is_pareto(s, &s->rows[i]);
    return CLUMP_CLI_DONE;
}
