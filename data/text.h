/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What text may enter the store, and how alike two names are. Internal to data/. */
#ifndef CLUMP_DATA_TEXT_H
#define CLUMP_DATA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** Well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF). */
bool clump_text_is_utf8(const char *text, size_t size);

/** Well-formed UTF-8 on one line that a terminal shows as it is: no control characters, no line
 *  or paragraph separators, nothing that changes the direction of writing. */
bool clump_text_is_printable(const char *text, size_t size);

/** Number of insertions, deletions, replacements and swaps of neighbours (ASCII letter case is
 *  ignored) that lead from a to b; bytes after the 63rd do not count. */
size_t clump_text_distance(const char *a, const char *b);

/** Are the names alike enough for "did you mean"? */
bool clump_text_is_similar(const char *wanted, const char *name);

#endif
