/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The documents' programs on emulated nodes (protocols/emulation/nodes.h): a Clump, whose workers of
 * a node share its NICs and talk to each other through shared memory, and its NOW, where each worker
 * has a node and a NIC of its own.
 *
 * Datagrams leave a node through its NICs by turn, each of which carries so many bits a second in each
 * direction, with all headers. Computation is slept for (application_pace.h), at the program's cost
 * of an operation. Time passes slower, so that what this machine needs for a message and for waking up
 * is short against both: a second of the program lasts `dilation` seconds, and NICs are slower by as much.
 */
#ifndef CLUMP_REPRODUCTIONS_RUNS_APPLICATION_EMULATED_H
#define CLUMP_REPRODUCTIONS_RUNS_APPLICATION_EMULATED_H

#include "protocols/emulation/emulated_trust.h"
#include "reproductions/runs/application_run.h"

/** Times and rates are those of the program. */
typedef struct clump_application_machine {
    bool now;             /**< each worker has a node and a NIC; else as the input says */
    unsigned nics;        /**< of a node of the Clump, 1 to 16 */
    double rate_mbit;     /**< of a NIC in each direction */
    double dilation;      /**< 1 to 100,000 */
    double operation_us;  /**< what an operation costs */
    double limit_seconds; /**< of real time */
    bool real_time;       /**< priority of the workers, if the system grants it */
} clump_application_machine;

/**
 * @param run  as for clump_application_run_live(). Traffic is local or not by the nodes of the input, on
 *             the NOW, too, where all of it passes NICs.
 * @return BAD_INPUT, NOT_FOUND, BLOCKED (what is missing), TIMED_OUT or FAILED with a message. Nothing
 *         remains in any case, kill -9 of the caller included.
 */
clump_protocol_status clump_application_run_emulated(clump_application_run *run,
                                                     const clump_application_machine *machine,
                                                     clump_emulated_outcome *how,
                                                     char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

#endif
