/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_SCENARIOS_UTF8_H
#define CLUMP_SCENARIOS_UTF8_H

#include <stddef.h>

/** Length of the UTF-8 character at `text`, 0 if there is none within `size` bytes. */
size_t scenario_utf8_length(const char *text, size_t size);

/** Replace everything that is not UTF-8, and control characters but tabs, by '?'. */
void scenario_utf8_clean(char *text, size_t size);

#endif
