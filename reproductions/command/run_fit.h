/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_FIT_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_FIT_H

/* What an operation must cost for a run in virtual time to last as long as a given time. */

#include "reproductions/runs/application_run.h"

/** Runs with a cost of an operation, in microseconds. */
typedef clump_protocol_status run_with_price(double operation_us, void *context,
                                             char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/**
 * Find the cost of an operation with which the run takes `time_s` seconds: by false position, as the
 * time hardly bends, to a millionth of it or as near as it comes in 40 runs. Where messages alone take
 * longer there is none.
 *
 * @param run          what `with_price` runs; in the end it is the run with that cost
 * @param operation_us receives the cost
 * @return OK; FAILED: there is no such cost, and `message` says why, or as `with_price` returns
 */
clump_protocol_status run_fit(clump_application_run *run, run_with_price *with_price, void *context,
                              double time_s, double *operation_us,
                              char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

#endif
