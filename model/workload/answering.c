/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/workload/answering.h"

#include <math.h>

/* What is left of the overheads once a negative latency is taken from them. */
static clump_loggp without_overlap(const clump_loggp *protocol)
{
    clump_loggp p = *protocol;
    if (p.latency_us < 0) {
        const double from_receive = fmin(-p.latency_us, p.receive_overhead_us);
        p.receive_overhead_us -= from_receive;
        p.send_overhead_us = fmax(p.send_overhead_us + p.latency_us + from_receive, 0);
        p.latency_us = 0;
    }
    return p;
}

/* Time of a cycle whose steps meet what there is in cycles of length R. Falls with R. */
static double cycle(const clump_loggp *p, double R)
{
    const double o_s = p->send_overhead_us, o_r = p->receive_overhead_us;
    const double h = o_s + o_r; /* to handle a request: take it, send the answer */
    const double U = h / R;
    const double handling = U * h / 2;                    /* rest of a request in hand */
    const double own = (o_s * o_s + o_r * o_r) / (2 * R); /* ... of the receiver's own message */
    const double waiting = (handling + own) / (1 - U);    /* Little: U waiting/h stand before */
    const double request = waiting + h, answer = handling + U * waiting + o_r;
    return o_s + 2 * p->latency_us + request + answer;
}

double clump_answering_round_trip_us(const clump_loggp *protocol)
{
    const clump_loggp p = without_overlap(protocol);
    const double alone = clump_loggp_round_trip_us(&p);
    double low = alone, high = alone + 1.75 * (p.send_overhead_us + p.receive_overhead_us);
    for (int i = 0; i < 60 && high - low > 1e-15 * high; i++) {
        const double R = low + (high - low) / 2;
        if (cycle(&p, R) > R)
            low = R;
        else
            high = R;
    }
    return high;
}

clump_loggp clump_answering_protocol(const clump_loggp *protocol)
{
    clump_loggp p = *protocol;
    p.latency_us +=
        (clump_answering_round_trip_us(protocol) - clump_loggp_round_trip_us(protocol)) / 2;
    return p;
}
