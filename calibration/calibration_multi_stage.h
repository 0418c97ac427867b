/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What the measurements of two protocols share. */
#ifndef CLUMP_CALIBRATION_CALIBRATION_MULTI_STAGE_H
#define CLUMP_CALIBRATION_CALIBRATION_MULTI_STAGE_H

#include "calibration/calibration_stage.h"

enum {
    CLUMP_MULTI_REMOTE = 64, /**< destination 64 + r is rank r over the network, r through memory */
    CLUMP_MULTI_LENGTH = 1024
};

/** What a poll looks at: one protocol as if there were no other, or both by a strategy. */
struct clump_multi_mode {
    bool local, network;
    clump_polling_parameters parameters;
};

/** Map all others over the network, too. All members call it first. */
void clump_multi_join(struct clump_team_member *m);

/** From now on poll so; the estimates begin anew. */
void clump_multi_poll_as(struct clump_team_member *m, const struct clump_multi_mode *mode);

struct clump_multi_polls {
    unsigned polls;
    double clock_ns;
};
/** A measurement: polls that find nothing, us each. Of such a setup. */
clump_team_measurement clump_multi_empty_polls;

/** Check the plan and run a team that writes so many numbers; `*results` is to be given to
 * clump_multi_end(). */
clump_protocol_status clump_multi_run(const clump_calibration_plan *plan, size_t numbers,
                                      const void *work, uint64_t steps, unsigned processes,
                                      void (*function)(struct clump_team_member *member),
                                      struct clump_calibration *c, double **results);
/** Free the results. @return `status`, or TIMED_OUT if the callback said stop */
clump_protocol_status clump_multi_end(struct clump_calibration *c, clump_protocol_status status,
                                      double *results);

#endif
