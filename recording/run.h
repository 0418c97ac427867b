/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_RUN_H
#define CLUMP_RECORDING_RUN_H

/*
 * A run of a program as its reader knows it, of which facts are made (facts.h): accounts of ranks, and calls that can be read again.
 */

#include "data/sha256.h"
#include "data/store/recorded_facts.h"
#include "recording/account.h"
#include "recording/matching.h"
#include "recording/recording.h"

#include <stdbool.h>
#include <stddef.h>

#define CLUMP_FACTS_MESSAGE 1024

typedef enum clump_facts_status {
    CLUMP_FACTS_OK,
    CLUMP_FACTS_INPUT,     /**< the folder or file is of no use; the message says where and why */
    CLUMP_FACTS_FAILED,    /**< no memory, or the system failed */
    CLUMP_FACTS_NO_LIBRARY /**< built without what reads it; the message names the package */
} clump_facts_status;

typedef struct clump_run_rank {
    size_t node;
    const clump_account *account; /**< NULL: nothing is known of it */
    bool ended;                   /**< properly */
} clump_run_rank;

typedef struct clump_run clump_run;

struct clump_run {
    const char *origin;                                /**< "recording", "otf2" or "goal" */
    const char *program, *command, *library, *started; /**< may be NULL, or not printable */
    size_t ranks, nodes;
    const clump_run_rank *rank;
    const char *const *host; /**< of each node */
    size_t communicators;    /**< 0 is the world */
    /** Members of a communicator, ranks of the world. */
    clump_recording_members (*members)(const clump_run *run, uint32_t number);
    /** Adds all traced calls; it may be asked more than once. Anything but OK ends it; the message is there. */
    clump_facts_status (*pass)(const clump_run *run, clump_matching *matching,
                               char message[CLUMP_FACTS_MESSAGE]);
    void *source; /**< the reader's own */
};

/** What all ranks have between MPI_Init and MPI_Finalize, s; false: nothing. */
bool clump_run_common(const clump_run *run, double *begin, double *end);

/** Adds all traced calls of a recording, those of all ranks in the order of time. */
clump_facts_status clump_recording_match(clump_recording *recording, clump_matching *matching,
                                         char message[CLUMP_FACTS_MESSAGE]);

/** Adds a note, if there is memory. */
void clump_facts_say(clump_facts *facts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Adds a file with its SHA-256. @param cut_at  byte at which it was cut off; -1: it is whole */
clump_facts_status clump_facts_add_file(clump_facts *facts, const char *path, int64_t cut_at,
                                        char message[CLUMP_FACTS_MESSAGE]);

/** One SHA-256 of all its files: of their digests and names, as sha256sum prints them. */
void clump_facts_digest(const clump_facts *facts, char text[CLUMP_SHA256_TEXT]);

#endif
