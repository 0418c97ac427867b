/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_CALIBRATION_SESSION_H
#define CLUMP_CLI_CALIBRATION_SESSION_H

/*
 * A calibration from its first stage to its last: progress, ^C, samples into memory and, a complete
 * stage at a time, into the store.
 *
 *   begin -> stage* -> end
 */

#include "cli/calibration_samples.h"
#include "cli/calibration_store.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "protocols/calibration.h"

typedef struct clump_cli_calibration_session {
    const clump_cli_invocation *invocation;
    const char *command; /**< for messages */
    const char *variant; /**< of samples that do not say so themselves */
    clump_cli_machine machine;
    clump_calibration_plan plan; /**< its callbacks are set by begin */
    clump_cli_calibration_samples samples;
    clump_cli_calibration_speed speed;
    clump_cli_calibration_store store;
    clump_cli_progress progress;
    double estimate;           /**< seconds of all stages */
    double done, weight;       /**< seconds: before this stage, and of it */
    size_t stages, stages_all; /**< complete, and in all */
    bool no_memory, store_failed;
    char shown[400], title[200], platform_title[160]; /**< texts of the store's source */
} clump_cli_calibration_session;

/** The command as one could type it again, without the options for which `skip` says so. */
void clump_cli_calibration_show_command(const clump_cli_invocation *invocation,
                                        bool (*skip)(size_t option), char *text, size_t size);

/**
 * Open the store for what is measured between processes of this machine, and say in it where that
 * comes from. Set `invocation`, `command`, `machine` and the plan's processes before.
 * @param platform  of --platform; NULL: named after the machine
 * @param what      the beginning of the title, such as "Shared-memory protocol"
 * @param kind      such as "calibrate shm"
 * @return an exit code, after a complaint
 */
int clump_cli_calibration_open(clump_cli_calibration_session *session, const char *platform,
                               const char *what, const char *kind, bool (*skip)(size_t option));

void clump_cli_calibration_begin(clump_cli_calibration_session *session);

/** Measure one stage by calling `run` and keep what it gives. Returns the exit code. */
int clump_cli_calibration_stage(clump_cli_calibration_session *session, const char *name,
                                double seconds,
                                clump_protocol_status (*run)(const clump_calibration_plan *plan,
                                                             const void *context, char *message),
                                const void *context);

/** No more stages: warns about a machine that was busy or changed its speed. */
void clump_cli_calibration_end(clump_cli_calibration_session *session);

/** Close the store and free all; also without begin. */
void clump_cli_calibration_finish(clump_cli_calibration_session *session);

#endif
