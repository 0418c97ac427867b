/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECORDING_RUN_STREAM_H
#define CLUMP_CLI_RECORDING_RUN_STREAM_H

/*
 * How clumpmodel-record, which alone knows the files of recordings and archives, hands a run to the commands that predict from it: started
 * as `clumpmodel-record give-run FORMAT PATH wall|processor whole|sample digest|none OPERATIONS BUDGET`, it writes one answer to standard output. Both are of one version, so the format is
 * theirs alone: fields that end with NUL.
 */

#include "data/budget.h"
#include "data/store/recorded_run.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define RUN_STREAM_COMMAND "give-run"
enum { RUN_STREAM_WORDS = 9 };

/** What is asked for: read_run.h of recording/ tells what it means. */
typedef struct run_choices {
    bool wall; /**< gaps are wall time, not processor time */
    bool whole;
    bool digest;
    uint64_t most_operations;   /**< 0: as many as a database keeps */
    const clump_budget *budget; /**< NULL: the usual one */
} run_choices;

typedef enum run_status { RUN_OK, RUN_INPUT, RUN_NO_MEMORY, RUN_FAILED } run_status;

enum { RUN_MESSAGE = 600 };

/** @param run  NULL where the status is not RUN_OK; @return whether all of it was written */
bool run_stream_write(FILE *file, run_status status, const char *message,
                      const clump_recorded_run *run);

/**
 * The answer.
 * @param message  what is wrong; "" where the other program ended before it was through
 * @param run      to be freed with free(); NULL if it is not RUN_OK
 */
run_status run_stream_read(FILE *file, char message[RUN_MESSAGE], clump_recorded_run **run);

#endif
