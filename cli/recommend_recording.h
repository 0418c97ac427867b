/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_RECORDING_H
#define CLUMP_CLI_RECOMMEND_RECORDING_H

/* `recommend --recording`: a program that was recorded, and the network that is to carry its messages. */

#include "cli/command.h"
#include "scenarios/recorded/recorded.h"

typedef struct recommend_recording {
    clump_facts *facts;
    clump_arena *arena;
    clump_recorded program;
    clump_recorded_placed placed;
    size_t processors; /**< of a node: as asked for, or those of the platform */
} recommend_recording;

/**
 * @param name        a folder that was recorded into, or an application of the store
 * @param platform    whose network it is, or NULL: that of the recording itself, if it tells
 * @param recorded_here  on the NOW of that platform
 * @param order       which ranks are on a node
 * @param stripe_bytes  pieces of messages that take different NICs; 0: as its MPI library is known for
 * @param processors  of a node; 0: those of the platform
 * Complains itself. @return exit code; close in any case
 */
int recommend_recording_open(const command_invocation *invocation, const char *name,
                             const char *platform, bool recorded_here, clump_rank_order order,
                             double stripe_bytes, size_t processors, recommend_recording *r);
/** Greatest mean size of the messages of a pair of ranks and a class of sizes, bytes. */
double recommend_recording_longest(const recommend_recording *r);

void recommend_recording_close(recommend_recording *r);

/** Paragraphs: what was recorded, and what cannot be known. */
void recommend_recording_print(const recommend_recording *r);

#endif
