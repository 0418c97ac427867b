/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What a stream of packets between two ends costs when the network loses some of them (MODEL.md,
 * section "Protocols"): time, transmissions, and the delay of a packet that somebody waits for.
 * Times in microseconds.
 */
#ifndef CLUMP_MODEL_LOSSY_STREAM_H
#define CLUMP_MODEL_LOSSY_STREAM_H

#include "model/status.h"

#include <stddef.h>

/**
 * Rate of a stream through a window of which an acknowledgement comes for every
 * `per_acknowledgement` packets: min(1/g, w/(RTT + (a-1) b)); where a does not divide w the l
 * packets that are left go ahead: (w-l)/(RTT + (a-1-l) b).
 * @param gap_us  g, time between packets when nothing else limits, > 0
 * @param burst_gap_us  b, time between packets that have waited, ready, for the window to open: at
 *                      most g, and less where the sender limits g
 * @param round_trip_us  from the start of a packet until its acknowledgement is there, >= 0
 * @param window  w, at least 1  @param per_acknowledgement  a, 1 to w (half a window: w/2)
 */
clump_status clump_window_rate(double gap_us, double burst_gap_us, double round_trip_us,
                               size_t window, size_t per_acknowledgement, double *rate_per_us,
                               clump_error *error);

/** What a protocol does about a packet that is lost. */
typedef enum clump_recovery {
    CLUMP_RECOVERY_NONE = 0,  /**< credits: the network must lose nothing */
    CLUMP_RECOVERY_GO_BACK_N, /**< one timer; the lost packet and all after it are sent again */
    CLUMP_RECOVERY_SELECTIVE  /**< a timer for each packet, which alone is sent again (SSAM) */
} clump_recovery;

/** Largest window with selective repetition, where each packet has a timer: the chain of states
 *  that is solved for it grows with the window. */
enum { CLUMP_SELECTIVE_WINDOW_MOST = 1024 };

/** One direction between two ends. */
typedef struct clump_lossy_stream {
    clump_recovery recovery;
    double loss;   /**< p, of each packet in either direction, from 0; below 1 */
    size_t window; /**< w, packets that may be without acknowledgement, 1 to 65536 */
    double gap_us; /**< g, between packets when nothing else limits, > 0 */
    /** b, between packets that were ready and waited for the window to open; at most g, and 0 means
     * g. It is less than g where whatever limits g comes before the window and goes on while the
     * window is closed. */
    double burst_gap_us;
    double burst_packets;      /**< how many packets can wait so (buffers); 0: any number */
    double acknowledgement_us; /**< what one acknowledgement adds to the gaps of its a packets */
    double round_trip_us;      /**< R, from the start of a packet until its acknowledgement, >= 0 */
    double timeout_us;         /**< T, until a packet is sent again, >= R */
    /** After this time the receiver acknowledges although less than half a window has arrived; only
     *  windows of odd size ever wait for it. >= 0 */
    double acknowledge_us;
} clump_lossy_stream;

/** Means over a long stream. */
typedef struct clump_lossy_cost {
    double clean_us;           /**< time per packet without loss, at least g */
    double packet_us;          /**< time per packet delivered */
    double transmissions;      /**< how often a packet is sent until it is delivered */
    double delay_us;           /**< by how much a packet that no other follows arrives later */
    double lone_transmissions; /**< how often such a packet is sent */
} clump_lossy_cost;

/**
 * What the stream costs per packet. With go-back-N the window opens by halves: an acknowledgement
 * comes for every a = max(1, floor(w/2)) packets. With selective repetition each packet has its
 * answer, a = 1.
 * Cost: O(w) for go-back-N; for selective repetition some w^3 steps up to w = 64 and w^2 above,
 * milliseconds at most.
 * Errors: CLUMP_BAD_ARGUMENT, also for a loss without recovery; CLUMP_NO_MEMORY.
 */
clump_status clump_lossy_stream_cost(const clump_lossy_stream *stream, clump_lossy_cost *cost,
                                     clump_error *error);

#endif
