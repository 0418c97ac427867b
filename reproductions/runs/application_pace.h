/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Computation that is slept for, so that more processes than processors compute at the same time.
 *
 * Work adds up until something depends on the time: then the process sleeps until all of it is over,
 * counted from when it was last free to compute. What it wakes up late shortens the work that follows,
 * and what is too short to sleep for lengthens it; who has to wait for others forgets both.
 */
#ifndef CLUMP_REPRODUCTIONS_RUNS_APPLICATION_PACE_H
#define CLUMP_REPRODUCTIONS_RUNS_APPLICATION_PACE_H

#include <stdint.h>

/** Zero to begin with. Times are those of clump_time_ns(). */
struct clump_application_pace {
    uint64_t free_ns;            /**< since when it may compute */
    double owed_ns;              /**< work since then */
    double ahead_ns;             /**< by which it was late; negative: what is owed from before */
    uint64_t late_ns, latest_ns; /**< in all what was not made good; the most at a time */
};

void clump_application_pace_work(struct clump_application_pace *pace, double ns);
/** Sleep until the work is over. */
void clump_application_pace_wait(struct clump_application_pace *pace);
/** It has sent, handled or waited since then, and may compute now. */
void clump_application_pace_free(struct clump_application_pace *pace, uint64_t since_ns,
                                 uint64_t now_ns);

#endif
