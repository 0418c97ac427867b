/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Text in UTF-8: what may enter the store, and what a terminal may be shown. */
#ifndef CLUMP_DATA_TEXT_H
#define CLUMP_DATA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** Length of the character at `text`, 0 if there is none within `size` bytes: no overlong forms, no
 *  surrogates, nothing above U+10FFFF. */
size_t clump_text_character(const char *text, size_t size);

/** Replace everything that is not UTF-8, and control characters but tabs, by '?'. */
void clump_text_clean(char *text, size_t size);

/** Well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF). */
bool clump_text_is_utf8(const char *text, size_t size);

/** Well-formed UTF-8 on one line that a terminal shows as it is: no control characters, no line
 *  or paragraph separators, nothing that changes the direction of writing. */
bool clump_text_is_printable(const char *text, size_t size);

#endif
