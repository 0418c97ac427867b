/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What text may enter the store. Internal to data/. */
#ifndef CLUMP_DATA_TEXT_H
#define CLUMP_DATA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/** Well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF). */
bool clump_text_is_utf8(const char *text, size_t size);

/** Well-formed UTF-8 on one line that a terminal shows as it is: no control characters, no line
 *  or paragraph separators, nothing that changes the direction of writing. */
bool clump_text_is_printable(const char *text, size_t size);

#endif
