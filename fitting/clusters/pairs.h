/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_PAIRS_H
#define CLUMP_FITTING_CLUSTERS_PAIRS_H

/*
 * k processes of a node send to k processes of another, each to its own, many messages on their way
 * (osu_mbw_mr, IMB Uniband and Biband). Either the processes or the NICs that they share are the limit
 * (MODEL.md, "Pairs that share a NIC"):
 *
 *     rate(k, n) = min(k r(n), 1/(g + n G))   messages of n bytes a microsecond
 *
 * (with static mapping min(k, N)/(g + n G)), r(n) of one pair, G from the greatest bandwidth that one pair reached with this NIC, g from the most
 * pairs at one size, the smallest from 8 bytes on.
 */

#include "fitting/clusters/cluster_samples.h"

/** What the NICs of a node take for a message: a station with two constants. */
typedef struct clump_nic_station {
    double gap_us;          /**< g: a message, whatever its size */
    double gap_us_per_byte; /**< G */
    double nics;            /**< of this kind; a process uses one of them. 1: all NICs together */
} clump_nic_station;

/**
 * @param bandwidth   B/us, the greatest that was seen of one pair, more than 0
 * @param size_bytes  of the messages of the most pairs
 * @param rate        B/us, of the most pairs together, more than 0
 * @param nics        1 where a process uses all NICs, else their number
 */
clump_nic_station clump_nic_station_of(double bandwidth, double size_bytes, double rate,
                                       double nics);

/** Messages a microsecond that the NICs of a node carry for that many processes. */
double clump_nic_station_rate(const clump_nic_station *station, double size_bytes,
                              double processes);

#endif
