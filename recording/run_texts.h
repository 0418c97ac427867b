/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_RUN_TEXTS_H
#define CLUMP_RECORDING_RUN_TEXTS_H

/* Internal to recording/. What a recording says of itself in words, printable and in one line each. */

#include "recording/recording.h"

enum { RUN_TEXT = 2000 };

typedef struct run_texts {
    const char *origin;                                /**< "recording" or "otf2" */
    const char *program, *command, *library, *started; /**< NULL: not known */
    char room[4][RUN_TEXT];
} run_texts;

/** @param archive  OTF2 archive of which it was made; NULL: none */
void run_texts_make(const clump_recording *recording, const char *archive, run_texts *texts);

#endif
