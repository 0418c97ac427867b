/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_PROVENANCE_H
#define CLUMP_DATA_PROVENANCE_H

/*
 * What a result was made from: the program, the script, files that it names, and what the database answered, each with
 * the SHA-256 of its content; and one digest of them all. Parts of a sweep keep the list, so that who joins them finds
 * out what is another; JSON and pages keep the digest. It is a set: in which order inputs are met, how often, and by
 * which thread does not matter.
 */

#include "data/sha256.h"

#include <stdbool.h>

typedef struct clump_provenance clump_provenance;

enum { CLUMP_PROVENANCE_NAME = 300 };

/** NULL: no memory. */
clump_provenance *clump_provenance_new(void);
void clump_provenance_free(clump_provenance *provenance);

/** Add an input, such as "file 'node.xml'"; longer names are cut. From any thread. Does nothing where `provenance` is
 *  NULL: nobody asks. */
void clump_provenance_add(clump_provenance *provenance, const char *name, const void *bytes,
                          size_t size);

/** The same of one whose digest is known: 64 lower-case hexadecimal digits. */
void clump_provenance_add_known(clump_provenance *provenance, const char *name, const char *sha256);

/** Add those of such a list as clump_provenance_list() made, whoever wrote it. @return false: it is none */
bool clump_provenance_add_list(clump_provenance *provenance, const char *list);

/** A line "SHA-256 NAME" for each, in the order of the names; on the heap. NULL: no memory, now or when one was added. */
char *clump_provenance_list(clump_provenance *provenance);

/** The digest of that list; false: no memory. */
bool clump_provenance_digest(clump_provenance *provenance, char sha256[CLUMP_SHA256_TEXT]);

/** What was met with two contents, for a message; NULL: nothing. As long as the provenance. */
const char *clump_provenance_conflict(clump_provenance *provenance);

/** With it the names of the database's answers begin. */
#define CLUMP_PROVENANCE_ANSWER "answer "

#endif
