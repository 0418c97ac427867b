/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What a client at a server times (5.3.1, figure 5.6): microseconds a message. Internal. */
#ifndef CLUMP_CALIBRATION_CALIBRATION_MEASURES_H
#define CLUMP_CALIBRATION_CALIBRATION_MEASURES_H

#include "calibration/calibration_stage.h"
#include "calibration/calibration_visit.h"

/** A measurement on its way. */
struct clump_measure {
    struct clump_visit *visit;
    unsigned run, size, trips;
    unsigned handler; /**< that is asked to answer */
    double delay_us;  /**< of apart(): about so long; receives how long it was, mean */
    double hold_us;   /**< a burst takes about so long */
    uint64_t longest_ns;
    uint64_t messages;    /**< receives how many were sent */
    uint64_t clock_began; /**< private, as is: */
    bool slow;
};

typedef double clump_measurement(struct clump_measure *measure);

/** Each message after the answer to the one before. */
clump_measurement clump_measure_round_trips;
/** One after the other, as fast as credits come back: as many as there are credits are on their
 *  way. Until the last answer. */
clump_measurement clump_measure_stream;
/** As many as there are credits, while the server looks away; `trips` times. */
clump_measurement clump_measure_bursts;
/**
 * Send, compute for longer than a round trip, accept the answer with one poll. Where it was not
 * there yet (lost and sent again, or somebody had the processor) the message does not count, unless
 * that is so for most of them. The delay is timed in each of them: against what is done before and
 * after it, it is long.
 */
clump_measurement clump_measure_apart;
/** Polls of an endpoint to which nothing comes. */
clump_measurement clump_measure_polls;
/** A long message of `size` bytes in pieces of 8 kB, us for the whole. */
clump_measurement clump_measure_pieces;

#endif
