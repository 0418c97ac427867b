/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void clump_note(clump_notes *notes, const char *format, ...)
{
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *copy = clump_arena_take(notes->arena, strlen(text) + 1);
    const char **items = clump_arena_more(notes->arena, notes->items, notes->count, sizeof *items);
    notes->no_memory = notes->no_memory || copy == NULL || items == NULL;
    if (notes->no_memory)
        return;
    notes->items = items;
    items[notes->count++] = strcpy(copy, text);
}
