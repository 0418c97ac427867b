/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What the records of an emulation say: slowdown, and whether the NICs were the bottleneck.
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_SUMMARY_H
#define CLUMP_PROTOCOLS_EMULATION_SUMMARY_H

#include "protocols/emulation/emulation_plan.h"

/** Batches of neighbouring cycles, for the interval. */
enum { CLUMP_EMULATION_BATCHES = 10, CLUMP_EMULATION_DEGREES = CLUMP_EMULATION_BATCHES - 2 };

/** Cycles at the beginning that are not measured: a tenth of them, two at least. */
size_t clump_emulation_warm_up(size_t cycles);

/** The least number of cycles of which a summary can be made. */
enum { CLUMP_EMULATION_LEAST_CYCLES = 2 + 2 * CLUMP_EMULATION_BATCHES };

/** Some processors, or one, on both machines, after the warm-up. */
typedef struct clump_emulation_ratio {
    double clump_us[CLUMP_EMULATION_BATCHES]; /**< mean time of a cycle */
    double now_us[CLUMP_EMULATION_BATCHES];
    size_t batch_cycles[CLUMP_EMULATION_BATCHES];
    double slowdown;       /**< time on the Clump over time on the NOW */
    double utilization;    /**< share of its time that a processor of the NOW communicates */
    double standard_error; /**< of the slowdown at that utilization, CLUMP_EMULATION_DEGREES */
} clump_emulation_ratio;

typedef struct clump_emulation_summary {
    clump_emulation_ratio all;
    clump_emulation_ratio each[CLUMP_EMULATION_MOST_PROCESSORS];
    double message_ratio; /**< a message on the NOW: time that it took over that which was set */
    double late_us;       /**< from when computing was to end until it did, mean of both machines */
    double latest_us;     /**< the most */
    double clump_rate;    /**< of the Clump's NICs while they are in use: share of what was set */
    double now_rate;
    double starved;       /**< share of messages, of both machines */
    double lost;          /**< share of packets */
    double processor_use; /**< processors that our processes used, mean */
} clump_emulation_summary;

/** @param plan  with at least CLUMP_EMULATION_LEAST_CYCLES cycles. Cost: P log P a cycle. False:
 * out of memory */
bool clump_emulation_summarize(const clump_emulation_plan *plan,
                               const clump_emulation_outcome *outcome,
                               clump_emulation_summary *summary);

#endif
