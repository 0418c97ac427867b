/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static char fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '_' ? '-' : c;
}

/* Edits (insert, delete, replace, swap neighbours) from a to b, by rows of the edit matrix. */
static size_t count_edits(const char *a, const char *b)
{
    size_t rows[3][CLUMP_CLI_SUGGEST_LENGTH];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    const size_t n = strlen(b);
    for (size_t j = 0; j <= n; j++)
        above[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            const int same = fold(a[i]) == fold(b[j]);
            row[j + 1] = least(least(above[j + 1], row[j]) + 1, above[j] + !same);
            if (i > 0 && j > 0 && fold(a[i]) == fold(b[j - 1]) && fold(a[i - 1]) == fold(b[j]))
                row[j + 1] = least(row[j + 1], before[j - 1] + 1);
        }
        size_t *const free_row = before;
        before = above;
        above = row;
        row = free_row;
    }
    return above[n];
}

clump_cli_suggestion clump_cli_suggest_start(const char *wanted)
{
    return (clump_cli_suggestion){.wanted = wanted};
}

void clump_cli_suggest_offer(clump_cli_suggestion *suggestion, const char *name)
{
    const size_t wanted = strlen(suggestion->wanted), length = strlen(name);
    if (wanted == 0 || wanted >= CLUMP_CLI_SUGGEST_LENGTH || length >= CLUMP_CLI_SUGGEST_LENGTH)
        return;
    size_t edits = count_edits(suggestion->wanted, name);
    if (wanted >= 3 && strncmp(suggestion->wanted, name, wanted) == 0)
        edits = 1; /* the beginning of a name */
    /* A third of the letters may be wrong, and one in short names, but not all of them. */
    const size_t allowed = (wanted < length ? wanted : length) / 3 + (wanted < 3 ? 0 : 1);
    if (edits > allowed || (suggestion->best[0] != '\0' && edits >= suggestion->distance))
        return;
    suggestion->distance = edits;
    memcpy(suggestion->best, name, length + 1);
}

const char *clump_cli_suggest_text(const clump_cli_suggestion *suggestion, const char *prefix,
                                   char text[CLUMP_CLI_SUGGEST_TEXT_SIZE])
{
    text[0] = '\0';
    if (suggestion->best[0] != '\0')
        (void)snprintf(text, CLUMP_CLI_SUGGEST_TEXT_SIZE, "; did you mean '%s%s'?", prefix,
                       suggestion->best);
    return text;
}
