/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CALIBRATION_SESSION_H
#define CALIBRATION_SESSION_H

/*
 * A calibration from its first stage to its last: progress, ^C, samples into memory and, a complete
 * stage at a time, into the store.
 *
 *   begin -> stage* -> end
 */

#include "calibration/calibration.h"
#include "calibration/calibration_samples.h"
#include "calibration/calibration_store.h"
#include "calibration/machine.h"
#include "cli/command.h"
#include "cli/output/progress.h"

typedef struct clump_calibration_session {
    const command_invocation *invocation;
    const char *command; /**< for messages */
    const char *variant; /**< of samples that do not say so themselves */
    measured_machine machine;
    clump_calibration_plan plan; /**< its callbacks are set by begin */
    clump_calibration_samples samples;
    clump_calibration_speed speed;
    clump_calibration_store store;
    progress_bar progress;
    double estimate;           /**< seconds of all stages */
    double done, weight;       /**< seconds: before this stage, and of it */
    size_t stages, stages_all; /**< complete, and in all */
    bool no_memory, store_failed;
    char shown[400], title[200], platform_title[160]; /**< texts of the store's source */
} clump_calibration_session;

/** The command as one could type it again, without the options for which `skip` says so. */
void calibration_show_command(const command_invocation *invocation, bool (*skip)(size_t option),
                              char *text, size_t size);

/**
 * Open the store for what is measured between processes of this machine, and say in it where that
 * comes from. Set `invocation`, `command`, `machine` and the plan's processes before.
 * @param platform  of --platform; NULL: named after the machine
 * @param what      the beginning of the title, such as "Shared-memory protocol"
 * @param kind      such as "calibrate shm"
 * @return an exit code, after a complaint
 */
int clump_calibration_open(clump_calibration_session *session, const char *platform,
                           const char *what, const char *kind, bool (*skip)(size_t option));

void clump_calibration_begin(clump_calibration_session *session);

/** Measure one stage by calling `run` and keep what it gives. Returns the exit code. */
int clump_calibration_session_stage(clump_calibration_session *session, const char *name,
                                    double seconds,
                                    clump_protocol_status (*run)(const clump_calibration_plan *plan,
                                                                 const void *context,
                                                                 char *message),
                                    const void *context);

/** No more stages: warns about a machine that was busy or changed its speed. */
void clump_calibration_end(clump_calibration_session *session);

/** Close the store and free all; also without begin. */
void clump_calibration_finish(clump_calibration_session *session);

#endif
