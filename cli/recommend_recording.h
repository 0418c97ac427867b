/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_RECORDING_H
#define CLUMP_CLI_RECOMMEND_RECORDING_H

/* `recommend --recording`: a program that was recorded, and the network that is to carry its messages. */

#include "cli/command.h"
#include "scenarios/recorded/recorded.h"

typedef struct recommend_recording_question {
    const char *name;     /**< a folder that was recorded into, or an application of the store */
    const char *platform; /**< whose network it is */
    double stripe_bytes;      /**< as in clump_recorded_options */
    size_t processors;        /**< of a node; 0: those of the platform */
    uint64_t most_operations; /**< of a play */
} recommend_recording_question;

typedef struct recommend_recording {
    clump_recorded_kept *kept;
    clump_arena *arena;
    clump_recorded program;
    clump_recorded_placed placed;
} recommend_recording;

/** Complains itself. @return exit code; close in any case */
int recommend_recording_open(const command_invocation *invocation,
                             const recommend_recording_question *question, recommend_recording *r);
void recommend_recording_close(recommend_recording *r);

/** Paragraphs: what was recorded, and what cannot be known. */
void recommend_recording_print(const recommend_recording *r);

#endif
