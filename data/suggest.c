/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/suggest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
    LONGEST = CLUMP_SUGGEST_NAME - 1,
    LONGEST_RECORD = 60 /* bytes of a record's name that are shown */
};

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char fold(clump_suggest_kind kind, char c)
{
    if (kind != CLUMP_SUGGEST_FIELD && c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return kind == CLUMP_SUGGEST_WORD && c == '_' ? '-' : c;
}

static bool is_same(clump_suggest_kind kind, char a, char b)
{
    return fold(kind, a) == fold(kind, b);
}

size_t clump_suggest_distance(clump_suggest_kind kind, const char *a, const char *b)
{
    const size_t row_count = least_of(strlen(a), LONGEST);
    const size_t columns = least_of(strlen(b), LONGEST);
    size_t rows[3][LONGEST + 1] = {{0}};
    size_t *before = rows[0]; /* two rows above */
    size_t *above = rows[1];
    size_t *row = rows[2];
    for (size_t j = 0; j <= columns; j++)
        above[j] = j;
    for (size_t i = 1; i <= row_count; i++) {
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const size_t replace = above[j - 1] + (is_same(kind, a[i - 1], b[j - 1]) ? 0 : 1);
            row[j] = least_of(replace, least_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && is_same(kind, a[i - 1], b[j - 2]) &&
                is_same(kind, a[i - 2], b[j - 1]))
                row[j] = least_of(row[j], before[j - 2] + 1);
        }
        size_t *const oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[columns];
}

/* Do the first `size` characters, which both have, say the same? */
static bool begins_alike(const char *a, const char *b, size_t size)
{
    size_t same = 0;
    while (same < size && is_same(CLUMP_SUGGEST_RECORD, a[same], b[same]))
        same++;
    return same == size;
}

/* Edits up to which a name is similar: a share of the letters, and one in short names. */
static size_t allowed_edits(clump_suggest_kind kind, size_t wanted, size_t name)
{
    switch (kind) {
    case CLUMP_SUGGEST_WORD:
        return wanted < 3 ? 0 : least_of(wanted, name) / 3 + 1;
    case CLUMP_SUGGEST_FIELD:
        return wanted / 3 + 1;
    case CLUMP_SUGGEST_RECORD:
        break;
    }
    return wanted > 0 ? wanted / 4 + 1 : 0;
}

/* Part of a long name is as good as a single edit: the beginning, or of fields also the end, as
 * in "max_nics" or "penalty". */
static bool is_part(clump_suggest_kind kind, const char *wanted, size_t wanted_size,
                    const char *name, size_t size)
{
    if (kind == CLUMP_SUGGEST_WORD)
        return wanted_size >= 3 && strncmp(name, wanted, wanted_size) == 0;
    return kind == CLUMP_SUGGEST_FIELD && wanted_size >= 4 && size > wanted_size &&
           (strncmp(name, wanted, wanted_size) == 0 ||
            strcmp(name + size - wanted_size, wanted) == 0);
}

/* Records are similar too if one name begins with the other, but rank by their distance: many
 * have the same beginning. */
static bool judge(const clump_suggestion *suggestion, const char *name, size_t *distance)
{
    const clump_suggest_kind kind = suggestion->kind;
    const char *wanted = suggestion->wanted;
    const size_t wanted_size = strlen(wanted);
    const size_t size = strlen(name);
    if (kind != CLUMP_SUGGEST_RECORD && (wanted_size > LONGEST || size > LONGEST))
        return false;
    *distance = is_part(kind, wanted, wanted_size, name, size)
                    ? 1
                    : clump_suggest_distance(kind, wanted, name);
    const size_t common = least_of(wanted_size, size);
    return *distance <= allowed_edits(kind, wanted_size, size) ||
           (kind == CLUMP_SUGGEST_RECORD && common >= 3 && begins_alike(wanted, name, common));
}

clump_suggestion clump_suggest_start(clump_suggest_kind kind, const char *wanted)
{
    return (clump_suggestion){.kind = kind, .wanted = wanted};
}

void clump_suggest_offer(clump_suggestion *suggestion, const char *name)
{
    const size_t most = suggestion->kind == CLUMP_SUGGEST_RECORD ? CLUMP_SUGGEST_MOST : 1;
    const int shown = suggestion->kind == CLUMP_SUGGEST_RECORD ? LONGEST_RECORD : LONGEST;
    size_t distance = 0;
    if (!judge(suggestion, name, &distance))
        return;
    clump_similar_name one = {.distance = distance};
    snprintf(one.name, sizeof one.name, "%.*s", shown, name);
    for (size_t i = 0; i < most; i++) { /* insertion, most similar first */
        if (i >= suggestion->count) {
            suggestion->similar[suggestion->count++] = one;
            return;
        }
        if (one.distance < suggestion->similar[i].distance) {
            const clump_similar_name moved = suggestion->similar[i];
            suggestion->similar[i] = one;
            one = moved;
        }
    }
}

const char *clump_suggest_text(const clump_suggestion *suggestion, const char *prefix,
                               char text[CLUMP_SUGGEST_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < suggestion->count && used < CLUMP_SUGGEST_TEXT; i++) {
        used += (size_t)snprintf(text + used, CLUMP_SUGGEST_TEXT - used, "%s'%s%s'",
                                 i == 0 ? "; did you mean " : " or ", prefix,
                                 suggestion->similar[i].name);
    }
    if (used > 0 && used < CLUMP_SUGGEST_TEXT)
        snprintf(text + used, CLUMP_SUGGEST_TEXT - used, "?");
    return text;
}

const char *clump_suggest_among(clump_suggest_kind kind, const char *wanted,
                                const char *const *names)
{
    const clump_suggestion start = clump_suggest_start(kind, wanted);
    const char *best = NULL;
    size_t least = 0;
    for (; *names != NULL; names++) {
        size_t distance = 0;
        if (judge(&start, *names, &distance) && (best == NULL || distance < least)) {
            best = *names;
            least = distance;
        }
    }
    return best;
}
