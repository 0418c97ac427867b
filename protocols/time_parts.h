/* SPDX-License-Identifier: GPL-3.0-or-later */
/** What a processor of a parallel program spends its time with. */
#ifndef CLUMP_PROTOCOLS_TIME_PARTS_H
#define CLUMP_PROTOCOLS_TIME_PARTS_H

/** In microseconds; together they are all of its time. */
typedef struct clump_time_parts {
    double compute_us;
    double send_us;    /**< overhead of messages sent, answers included */
    double receive_us; /**< of messages received */
    double wait_us;    /**< nothing else to do: for messages, for credit, at barriers */
} clump_time_parts;

#endif
