/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/reliability.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static clump_status require(const char *what, double value, double least, bool above,
                            clump_error *error)
{
    if (isfinite(value) && (above ? value > least : value >= least))
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s is %g, expected %s %g", what, value,
                      above ? "more than" : "at least", least);
}

static clump_status require_loss(double loss, clump_error *error)
{
    if (loss >= 0 && loss < 1)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "loss is %g, expected from 0 to less than 1",
                      loss);
}

size_t clump_credit_window(size_t buffers, size_t nodes)
{
    const size_t window = nodes >= 2 ? buffers / (nodes - 1) : buffers;
    return window > 0 ? window : 1;
}

clump_status clump_window_rate(double gap_us, double burst_gap_us, double round_trip_us,
                               size_t window, size_t per_acknowledgement, double *rate_per_us,
                               clump_error *error)
{
    clump_status status = require("the gap", gap_us, 0, true, error);
    if (status == CLUMP_OK)
        status = require("the round trip", round_trip_us, 0, false, error);
    if (status != CLUMP_OK)
        return status;
    if (!(burst_gap_us >= 0 && burst_gap_us <= gap_us))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the gap in a burst is %g, expected from 0 to the gap, %g", burst_gap_us,
                          gap_us);
    if (window < 1 || per_acknowledgement < 1 || per_acknowledgement > window)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "%zu packets an acknowledgement in a window of %zu, expected from 1 to the "
            "window",
            per_acknowledgement, window);
    /* Only whole groups are acknowledged: what is left of the window goes ahead of the next one. */
    const size_t left = window % per_acknowledgement;
    const double wait = (double)(per_acknowledgement - 1) - (double)left;
    const double turn = fmax(round_trip_us + wait * burst_gap_us, 0);
    const double most = 1 / gap_us, windowed = (double)(window - left) / turn;
    *rate_per_us = turn > 0 && windowed < most ? windowed : most;
    return CLUMP_OK;
}

clump_status clump_go_back_n_rate(double rate_per_us, double timeout_us, double loss,
                                  double *lossy_per_us, clump_error *error)
{
    clump_status status = require("the rate", rate_per_us, 0, true, error);
    if (status == CLUMP_OK)
        status = require("the timeout", timeout_us, 0, false, error);
    if (status == CLUMP_OK)
        status = require_loss(loss, error);
    if (status == CLUMP_OK)
        *lossy_per_us = 1 / (1 / rate_per_us + timeout_us * loss / (1 - loss));
    return status;
}

clump_status clump_selective_rate(double rate_per_us, double round_trip_us, double timeout_us,
                                  double loss, size_t window, double *lossy_per_us,
                                  clump_error *error)
{
    clump_status status = require("the rate", rate_per_us, 0, true, error);
    if (status == CLUMP_OK)
        status = require("the round trip", round_trip_us, 0, false, error);
    if (status == CLUMP_OK)
        status = require("the timeout", timeout_us, round_trip_us, false, error);
    if (status == CLUMP_OK)
        status = require_loss(loss, error);
    if (status != CLUMP_OK)
        return status;
    if (window < 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the window is 0, expected at least 1");
    const double q = loss * (2 - loss); /* request or answer */
    if (!(q > 0)) {
        *lossy_per_us = rate_per_us;
        return CLUMP_OK;
    }
    /* Timeouts until the oldest request and all others of the window that were lost are answered:
     * P(at most k) = (1 - q^k) (1 - q^(k+1))^(w-1). */
    double timeouts = 0, power = 1; /* q^k */
    for (int k = 0; k < 100000; k++) {
        const double more = 1 - (1 - power) * pow(1 - power * q, (double)(window - 1));
        timeouts += more;
        power *= q;
        if (more < 1e-15)
            break;
    }
    const double good = (1 / q - 1) / rate_per_us;
    *lossy_per_us = (1 / q + (double)(window - 1)) / (good + timeouts * timeout_us + round_trip_us);
    return CLUMP_OK;
}

/* Most children that a rank can have is that of rank 0. */
static void send_to(double *arrival, size_t nodes, size_t child, double begin, size_t *number,
                    double child_us)
{
    if (child < nodes)
        arrival[child] = begin + (double)(*number)++ * child_us;
}

clump_status clump_multicast_latency(clump_multicast_tree tree, size_t nodes, double first_us,
                                     double hop_us, double child_us, double last_us,
                                     double *latency_us, clump_error *error)
{
    const double times[] = {first_us, hop_us, child_us, last_us};
    static const char *const names[] = {"the first hop", "a hop", "the time between children",
                                        "the last step"};
    for (size_t i = 0; i < 4; i++) {
        const clump_status status = require(names[i], times[i], 0, false, error);
        if (status != CLUMP_OK)
            return status;
    }
    if (nodes < 1 || nodes > 1u << 24)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%zu nodes, expected from 1 to 2^24", nodes);
    double *arrival = calloc(nodes, sizeof *arrival), latest = 0;
    if (arrival == NULL)
        return clump_fail_memory(error, "arrival times");
    for (size_t rank = 0; rank < nodes; rank++) { /* children come after their parents */
        const double begin = arrival[rank] + (rank == 0 ? first_us : hop_us);
        size_t number = 0;
        if (tree == CLUMP_MULTICAST_BINARY) {
            send_to(arrival, nodes, 2 * rank + 1, begin, &number, child_us);
            send_to(arrival, nodes, 2 * rank + 2, begin, &number, child_us);
        } else {
            size_t step = rank == 0 ? (size_t)1 << 24 : rank & (~rank + 1);
            for (step >>= 1; step > 0; step >>= 1)
                send_to(arrival, nodes, rank + step, begin, &number, child_us);
        }
        if (arrival[rank] > latest)
            latest = arrival[rank];
    }
    free(arrival);
    *latency_us = nodes > 1 ? latest + last_us : 0;
    return CLUMP_OK;
}

clump_status clump_multicast_rate(size_t fan_out, double link_us_per_byte, double *bytes_per_us,
                                  clump_error *error)
{
    const clump_status status = require("the time per byte", link_us_per_byte, 0, true, error);
    if (status != CLUMP_OK)
        return status;
    if (fan_out < 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the fan-out is 0, expected at least 1");
    *bytes_per_us = 1 / (link_us_per_byte * (double)fan_out);
    return CLUMP_OK;
}

clump_status clump_transfer_crossover(double pio_us, double pio_us_per_byte, double dma_us,
                                      double dma_us_per_byte, double *bytes, clump_error *error)
{
    const double costs[] = {pio_us, pio_us_per_byte, dma_us, dma_us_per_byte};
    for (size_t i = 0; i < 4; i++) {
        const clump_status status = require("a cost of transfer", costs[i], 0, false, error);
        if (status != CLUMP_OK)
            return status;
    }
    const double start = dma_us - pio_us, slope = pio_us_per_byte - dma_us_per_byte;
    if (start <= 0)
        *bytes = slope >= 0 ? 0 : INFINITY;
    else
        *bytes = slope > 0 ? start / slope : INFINITY;
    return CLUMP_OK;
}
