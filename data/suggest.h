/* SPDX-License-Identifier: GPL-3.0-or-later */
/** "Did you mean": offer every name that exists, ask for what is most like the name written. */
#ifndef CLUMP_DATA_SUGGEST_H
#define CLUMP_DATA_SUGGEST_H

#include <stddef.h>

/** What kind of name it is: that decides which mistakes are likely. */
typedef enum clump_suggest_kind {
    CLUMP_SUGGEST_WORD = 0, /**< typed on the command line: neither case nor '_' for '-' counts */
    CLUMP_SUGGEST_FIELD,    /**< of a script: every character counts */
    CLUMP_SUGGEST_RECORD    /**< of the store: case does not count; up to three suggestions */
} clump_suggest_kind;

enum {
    CLUMP_SUGGEST_NAME = 64, /**< bytes, with the NUL; longer words and fields are not suggested */
    CLUMP_SUGGEST_MOST = 3,
    CLUMP_SUGGEST_TEXT = 256
};

typedef struct clump_similar_name {
    char name[CLUMP_SUGGEST_NAME];
    size_t distance;
} clump_similar_name;

typedef struct clump_suggestion {
    clump_suggest_kind kind;
    const char *wanted;
    size_t count; /**< similar names found, most similar first */
    clump_similar_name similar[CLUMP_SUGGEST_MOST];
} clump_suggestion;

/** `wanted` must outlive the suggestion. */
clump_suggestion clump_suggest_start(clump_suggest_kind kind, const char *wanted);

/** Copies the name if it is similar. Cost: product of the lengths, at most 63 by 63. */
void clump_suggest_offer(clump_suggestion *suggestion, const char *name);

/** "; did you mean '--nics'?" with `prefix` "--", or "" if nothing is similar. */
const char *clump_suggest_text(const clump_suggestion *suggestion, const char *prefix,
                               char text[CLUMP_SUGGEST_TEXT]);

/** The most similar of a list that ends with NULL, or NULL. */
const char *clump_suggest_among(clump_suggest_kind kind, const char *wanted,
                                const char *const *names);

/** Number of insertions, deletions, replacements and swaps of neighbours that lead from a to b;
 *  bytes after the 63rd do not count. */
size_t clump_suggest_distance(clump_suggest_kind kind, const char *a, const char *b);

#endif
