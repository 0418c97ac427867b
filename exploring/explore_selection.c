/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/explore_selection.h"

#include "cli/explore_options.h"
#include "cli/options/numbers.h"
#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const command_line *arguments_of(const clump_selection *s)
{
    return &s->explorer->invocation->arguments;
}

/* ---- reading the options */

static int compile(clump_selection *s, size_t option, const char *text,
                   clump_expression **expression)
{
    char message[200];
    const clump_expression_names names = clump_explore_names(s->explorer);
    if (clump_expression_compile(text, &names, expression, message, sizeof message))
        return EXIT_DONE;
    return error_usage(arguments_of(s)->command, "--%s: '%.120s': %s",
                       arguments_of(s)->table[option].name, text, message);
}

/* Keys are separated by commas that are not within parentheses. */
static int read_keys(clump_selection *s, const char *text)
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
        if (s->key_count == CLUMP_SELECTION_MOST_KEYS)
            return error_usage(arguments_of(s)->command,
                               "--by: found more keys than the %d allowed",
                               CLUMP_SELECTION_MOST_KEYS);
        const int status = compile(s, EXPLORE_BY, key, &s->keys[s->key_count]);
        if (status != EXIT_DONE)
            return status;
        s->key_count++;
        if (*text == '\0')
            return EXIT_DONE;
    }
}

int clump_selection_open(const clump_explorer *explorer, clump_selection *s)
{
    *s = (clump_selection){.explorer = explorer};
    const command_line *arguments = arguments_of(s);
    const char *where = option_value(arguments, EXPLORE_WHERE);
    const char *by = option_value(arguments, EXPLORE_BY);
    uint64_t best = 0;
    int status = option_whole(arguments, EXPLORE_BEST, 1, 1000000,
                              "a whole number of rows, 1 to 1000000", &best);
    if (status == EXIT_DONE && where != NULL)
        status = compile(s, EXPLORE_WHERE, where, &s->where);
    if (status == EXIT_DONE)
        status = read_keys(s, by != NULL         ? by
                              : explorer->priced ? "slowdown,price"
                                                 : "slowdown,nics");
    for (size_t i = 0; i < 2 && status == EXIT_DONE; i++) {
        static const char *const usual[] = {"slowdown", "price", "slowdown", "nics"};
        if (s->key_count >= 2)
            s->front_keys[i] = s->keys[i];
        else
            status =
                compile(s, EXPLORE_BY, usual[(explorer->priced ? 0 : 2) + i], &s->front_keys[i]);
    }
    s->best = (size_t)best;
    s->sorted = by != NULL || best > 0;
    s->pareto = option_given(arguments, EXPLORE_PARETO);
    return status;
}

void clump_selection_free(clump_selection *s)
{
    clump_expression_free(s->where);
    for (size_t i = 0; i < 2 && s->key_count < 2; i++)
        clump_expression_free(s->front_keys[i]);
    for (size_t i = 0; i < s->key_count; i++)
        clump_expression_free(s->keys[i]);
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

static bool grow_names(clump_selection *s)
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
static bool keep_name(clump_selection *s, const char **text)
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

static clump_selection_point point_of(const clump_selection *s, const clump_explorer_row *row)
{
    return (clump_selection_point){
        clump_expression_evaluate(s->front_keys[0], clump_explore_value, row),
        clump_expression_evaluate(s->front_keys[1], clump_explore_value, row)};
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

static bool front_add(clump_selection *s, clump_selection_point p)
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

bool clump_selection_is_pareto(const clump_selection *s, const clump_explorer_row *row)
{
    const clump_selection_point p = point_of(s, row);
    const size_t at = front_place(s, p.x);
    return at < s->front_count && s->front[at].x == p.x && s->front[at].y == p.y;
}

/* ---- keeping rows */

/* The smaller first; what has no number last; equal ones in their order. */
static int compare(const clump_selection *s, const clump_explorer_row *a,
                   const clump_explorer_row *b)
{
    for (size_t i = 0; i < s->key_count; i++) {
        const double x = clump_expression_evaluate(s->keys[i], clump_explore_value, a);
        const double y = clump_expression_evaluate(s->keys[i], clump_explore_value, b);
        if (isnan(x) != isnan(y))
            return isnan(x) ? 1 : -1;
        if (x < y || x > y)
            return x < y ? -1 : 1;
    }
    return (a->index > b->index) - (a->index < b->index);
}

static void sift_down(clump_selection *s, size_t at, size_t count)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && compare(s, &s->rows[child], &s->rows[child + 1]) < 0)
            child++;
        if (compare(s, &s->rows[at], &s->rows[child]) >= 0)
            return;
        const clump_explorer_row row = s->rows[at];
        s->rows[at] = s->rows[child];
        s->rows[child] = row;
        at = child;
    }
}

/* Heap sort: qsort has no way to tell the keys to its function. */
static void sort(clump_selection *s)
{
    for (size_t i = s->count / 2; i-- > 0;)
        sift_down(s, i, s->count);
    for (size_t end = s->count; end > 1; end--) {
        const clump_explorer_row row = s->rows[0];
        s->rows[0] = s->rows[end - 1];
        s->rows[end - 1] = row;
        sift_down(s, 0, end - 1);
    }
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
    if (s->pareto)
        keep_pareto(s); /* the best of these are known at the end only */
    else if (s->best > 0 && s->count > s->best) {
        sort(s);
        s->count = s->best;
    }
}

static bool make_room(clump_selection *s)
{
    if (s->count < s->room)
        return true;
    if (s->room > 64 || s->best > 0)
        shrink(s);
    if (2 * s->count < s->room)
        return true;
    const size_t room = s->room > 0 ? 2 * s->room : 64;
    clump_explorer_row *rows = realloc(s->rows, room * sizeof *rows);
    if (rows == NULL)
        return false;
    s->rows = rows;
    s->room = room;
    return true;
}

bool clump_selection_passes(const clump_selection *s, const clump_explorer_row *row)
{
    const double truth =
        s->where != NULL ? clump_expression_evaluate(s->where, clump_explore_value, row) : 1;
    return truth != 0 && !isnan(truth);
}

int clump_selection_add(const clump_explorer_row *row, void *context)
{
    clump_selection *s = context;
    const char *command = arguments_of(s)->command;
    if (!clump_selection_passes(s, row))
        return EXIT_DONE;
    s->passed++;
    if (!front_add(s, point_of(s, row)))
        return error_memory(command);
    if (s->pareto && !clump_selection_is_pareto(s, row))
        return EXIT_DONE;
    if (s->count == CLUMP_SELECTION_MOST_KEPT && s->best == 0 && !s->pareto) {
        s->overflow = true;
        if (!s->sorted)
            return EXIT_DONE;
        return error_usage(command,
                           "--by: found more than %zu rows to sort, expected --best COUNT "
                           "or --where CONDITION",
                           CLUMP_SELECTION_MOST_KEPT);
    }
    clump_explorer_row copy = *row;
    copy.result.network = NULL; /* gone with the scenario, and nobody asks */
    if (!make_room(s) || !keep_name(s, &copy.result.scenario) ||
        !keep_name(s, &copy.result.application) || !keep_name(s, &copy.result.platform) ||
        !keep_name(s, &copy.result.protocol) || !keep_name(s, &copy.worst_application))
        return error_memory(command);
    s->rows[s->count++] = copy;
    return EXIT_DONE;
}

/* A key that no row has a number of sorts nothing, and the answer would not say so. */
static int check_keys(const clump_selection *s)
{
    const char *by = option_value(arguments_of(s), EXPLORE_BY);
    for (size_t k = 0; k < s->key_count && by != NULL && s->count > 0; k++) {
        size_t i = 0;
        while (i < s->count &&
               isnan(clump_expression_evaluate(s->keys[k], clump_explore_value, &s->rows[i])))
            i++;
        if (i == s->count)
            return error_usage(arguments_of(s)->command,
                               "--by: found '%s', key %zu of which has no number in any row%s", by,
                               k + 1,
                               strstr(by, "price") != NULL
                                   ? ", expected prices = { } in the scenario or --nic-price"
                                   : "");
    }
    return EXIT_DONE;
}

int clump_selection_finish(clump_selection *s)
{
    const int status = check_keys(s);
    if (status != EXIT_DONE)
        return status;
    if (s->pareto)
        keep_pareto(s);
    if (s->sorted || s->pareto)
        sort(s);
    if (s->best > 0 && s->count > s->best)
        s->count = s->best;
    for (size_t i = 0; i < s->count; i++)
        s->rows[i].pareto = clump_selection_is_pareto(s, &s->rows[i]);
    return EXIT_DONE;
}
