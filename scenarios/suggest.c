/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/suggest.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits that turn one name into the other; two letters that changed places are one edit. */
static size_t edits(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t rows[3][LONGEST + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_size; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            const size_t replace = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replace, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_size];
}

scenario_suggestion scenario_suggest_start(const char *wanted)
{
    const size_t size = strlen(wanted);
    return (scenario_suggestion){wanted, NULL, size < 3 ? 1 : size / 3 + 1};
}

void scenario_suggest_offer(scenario_suggestion *s, const char *name)
{
    const size_t wanted_size = strlen(s->wanted), size = strlen(name);
    if (wanted_size > LONGEST || size > LONGEST)
        return;
    size_t distance = edits(s->wanted, wanted_size, name, size);
    /* the beginning or the end of a long name, as in "max_nics" or "penalty" */
    if (wanted_size >= 4 && size > wanted_size &&
        (strncmp(name, s->wanted, wanted_size) == 0 ||
         strcmp(name + size - wanted_size, s->wanted) == 0))
        distance = 1;
    if (distance < s->distance || (distance == s->distance && s->best == NULL)) {
        s->distance = distance;
        s->best = name;
    }
}

const char *scenario_suggest(const char *wanted, const char *const *names)
{
    scenario_suggestion suggestion = scenario_suggest_start(wanted);
    for (; *names != NULL; names++)
        scenario_suggest_offer(&suggestion, *names);
    return suggestion.best;
}
