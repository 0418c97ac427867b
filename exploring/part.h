/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_EXPLORING_PART_H
#define CLUMP_EXPLORING_PART_H

/*
 * A sweep that is too large for one machine, in parts. Each part is a SQLite database with what one
 * share of the work computed: rows, of which each has all of its draws. All parts together, which SQLite attaches one by one and merges, give the same rows, in the same order and to
 * the last bit, as one sweep of everything.
 *
 *     part_begin -> sweep with share, clump_explore_part_row -> part_end
 *     parts_open -> sweep with settings.parts -> parts_close
 *
 * A part is known by its question: lines such as "sweep N=1:8", which all parts and who joins them
 * have in common, and by its inputs: their digests are compared, one by one. Files are read as if a stranger had written them: their schema, sizes, numbers of
 * enumerations, order and checksums (zlib's) are checked. Merged parts are in a temporary database
 * on the disk, and memory is that of one block.
 */

#include "data/provenance.h"
#include "exploring/rows.h"

enum { CLUMP_EXPLORE_MOST_PARTS = 1000 };

/** A part that is being written. */
typedef struct clump_explore_part clump_explore_part;

/**
 * Begin a part in an empty file.
 *
 * @param question  lines, each ended by a line feed
 * @param inputs    what the rows are computed from, until the part is ended, which keeps it
 * @param part      end it in any case
 * @param message   room for CLUMP_EXPLORE_MESSAGE
 */
clump_explore_status clump_explore_part_begin(const char *path, clump_explore_share share,
                                              const char *question, clump_provenance *inputs,
                                              clump_explore_part **part, char *message);

/** A visitor of clump_explore_sweep (`part` as its context). What cannot be written tells the end. */
clump_explore_status clump_explore_part_row(const clump_explore_row *row, void *part);

/**
 * End a part, and free it; NULL is allowed.
 *
 * @param complete  the last row was there; false: what is in the file is of no use
 * @param records   receives how many it has; may be NULL
 */
clump_explore_status clump_explore_part_end(clump_explore_part *part, bool complete,
                                            uint64_t *records, char *message);

/**
 * Open the parts of a sweep, in any order.
 *
 * @param question  what is asked now; a part that answers another is refused
 * @param inputs    those known here; receives those of the parts. A part of which one is another is refused
 * @param message   room for CLUMP_EXPLORE_MESSAGE
 * @return CLUMP_EXPLORE_OK; CLUMP_EXPLORE_BAD_INPUT: a file is no part, damaged, of another question,
 *         there twice, or one is missing
 */
clump_explore_status clump_explore_parts_open(const char *const *paths, size_t count,
                                              const char *question, clump_provenance *inputs,
                                              clump_explore_parts **parts, char *message);

/** NULL is allowed. */
void clump_explore_parts_close(clump_explore_parts *parts);

/** Begin with the first row again; it does not fail. */
void clump_explore_parts_rewind(clump_explore_parts *parts);

/** The next row in order of cases and configurations; its texts are valid until the next one is
 *  read. `end`: there was none. */
clump_explore_status clump_explore_parts_row(clump_explore_parts *parts, clump_explore_row *row,
                                             bool *end, char *message);

#endif
