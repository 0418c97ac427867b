/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_NOTES_H
#define CLUMP_FITTING_NOTES_H

/* Sentences that come with a fit: what the data cannot tell, and what to beware of. */

#include "data/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct clump_notes {
    clump_arena *arena; /**< in which they live */
    const char **items;
    size_t count;
    bool no_memory; /**< some are missing */
} clump_notes;

/** One more, as printf makes it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void
clump_note(clump_notes *notes, const char *format, ...);

#endif
