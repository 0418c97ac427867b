/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What the stages of a calibration share. */
#ifndef CLUMP_CALIBRATION_CALIBRATION_STAGE_H
#define CLUMP_CALIBRATION_CALIBRATION_STAGE_H

#include "calibration/calibration.h"
#include "calibration/team.h"
#include "protocols/queue/process.h"

/** A short message of the calibration: eight arguments. */
enum { CLUMP_CALIBRATION_ARGUMENTS = 8, CLUMP_CALIBRATION_SHORT_BYTES = 32 };

/** A stage that runs: the plan, and what the callback has said. */
struct clump_calibration {
    const clump_calibration_plan *plan;
    char *message;
    bool stopped;
    double done, weight; /**< shares of the stage: before the team at work, and of that team */
};

/** Run a team of the plan's algorithm; `share` of the stage is its part. */
clump_protocol_status clump_calibration_team(struct clump_calibration *c,
                                             struct clump_team_options *options, double share,
                                             void (*work)(struct clump_team_member *member),
                                             double *results);

/** Hand out one sample; after the callback has said stop, nothing happens. */
void clump_calibration_give(struct clump_calibration *c, clump_calibration_sample sample);

/* The stages. */
clump_protocol_status clump_calibrate_loggp(struct clump_calibration *c);
clump_protocol_status clump_calibrate_sizes(struct clump_calibration *c);
clump_protocol_status clump_calibrate_breakdown(struct clump_calibration *c);
clump_protocol_status clump_calibrate_stress(struct clump_calibration *c);
clump_protocol_status clump_calibrate_lengths(struct clump_calibration *c);
clump_protocol_status clump_calibrate_backoff(struct clump_calibration *c);
clump_protocol_status clump_calibrate_jobs(struct clump_calibration *c);

/* ---- measuring, in a member */

/** Microseconds since `began_ns`, minus what reading the clock takes, a message. */
double clump_calibration_per_message(uint64_t began_ns, double clock_ns, uint64_t messages);
/** One reading of the clock, ns: what an empty measurement takes (5.3.1). */
double clump_calibration_clock_ns(void);
/** Turns of an empty loop: of about `us` microseconds. */
uint64_t clump_calibration_turns(double us);
void clump_calibration_delay(uint64_t turns);

#endif
