/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/virtual/measure.h"

#include "calibration/virtual/benchmark_private.h"

/* Packets of a stream come in groups, as the window opens: so many that one group more or less does
 * not matter (of 32 packets at most: less than 2%). */
enum { STREAM_LEAST = 2048, MULTICASTS_LEAST = 64 };

static uint32_t in_stream(uint32_t rounds, uint32_t least)
{
    return rounds > 0 && rounds < least ? least : rounds;
}

/* Two nodes of a larger system: only the windows know how many there are. */
static clump_virtual_cluster_options pair(const clump_virtual_cluster_options *options)
{
    clump_virtual_cluster_options two = *options;
    if (options->nodes >= 2)
        two.window = clump_virtual_cluster_window(options);
    two.nodes = 2;
    return two;
}

static double us(uint64_t ps)
{
    return (double)ps * 1e-6;
}

static double share(uint64_t part, uint64_t rest)
{
    return part > 0 ? (double)part / ((double)part + (double)rest) : 0;
}

clump_protocol_status clump_measure_logp(const clump_virtual_cluster_options *options,
                                         uint16_t size, uint32_t rounds,
                                         clump_logp_measured *measured)
{
    benchmark echo = {.pattern = PING_PONG, .size = size, .rounds = rounds};
    const uint32_t packets = in_stream(rounds, STREAM_LEAST);
    benchmark stream = {.pattern = STREAM, .size = size, .message = size, .rounds = packets};
    benchmark fetch = {.pattern = FETCH_ADD, .size = size, .rounds = rounds};
    clump_virtual_cluster_use use = {0};
    if (options->nodes < 2)
        return CLUMP_PROTOCOL_BAD_INPUT;
    const clump_virtual_cluster_options two = pair(options);
    if (size == 0)
        stream.message = 1;
    clump_protocol_status status = clump_benchmark_run(&two, &echo, 0, &use);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_benchmark_run(&two, &stream, 0, NULL);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_benchmark_run(&two, &fetch, 0, NULL);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const double half = us(echo.end_ps - echo.begin_ps) / rounds / 2;
    const double send = use.sends > 0 ? us(use.send_ps) / (double)use.sends : 0;
    const double receive = use.receives > 0 ? us(use.receive_ps) / (double)use.receives : 0;
    *measured = (clump_logp_measured){
        .send_overhead_us = send,
        .receive_overhead_us = receive,
        .latency_us = half - send - receive,
        .gap_us = us(stream.end_ps - stream.begin_ps) / packets,
        .half_round_trip_us = half,
        .fetch_add_us = us(fetch.total_ps) / rounds,
        .source_miss_rate = share(echo.copies.source_misses, echo.copies.source_hits),
        .destination_miss_rate =
            share(echo.copies.destination_misses, echo.copies.destination_hits)};
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_measure_busy(const clump_virtual_cluster_options *options,
                                         uint16_t size, double compute_us, uint32_t rounds,
                                         clump_busy_measured *measured)
{
    benchmark b = {.pattern = BUSY,
                   .size = size,
                   .rounds = rounds,
                   .compute_us = compute_us,
                   .random = options->faults.seed};
    clump_virtual_cluster_use use = {0};
    if (options->nodes < 2 || !(compute_us >= 1 && compute_us <= 1e6))
        return CLUMP_PROTOCOL_BAD_INPUT;
    const clump_virtual_cluster_options two = pair(options);
    const clump_protocol_status status = clump_benchmark_run(&two, &b, 0, &use);
    if (status == CLUMP_PROTOCOL_OK)
        *measured = (clump_busy_measured){.round_trip_us = us(b.total_ps) / rounds,
                                          .interrupts = (double)use.interrupts / rounds};
    return status;
}

/* How much later a message arrives by DMA than by programmed I/O. */
static clump_protocol_status lateness(const clump_virtual_cluster_options *options, uint16_t size,
                                      uint32_t rounds, double *late_us)
{
    clump_virtual_cluster_options two = pair(options);
    benchmark dma = {.pattern = PING_PONG, .size = size, .rounds = rounds}, pio = dma;
    clump_protocol_status status = clump_benchmark_run(&two, &dma, 0, NULL);
    two.protocol.transfer = CLUMP_TRANSFER_PIO;
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_benchmark_run(&two, &pio, 0, NULL);
    *late_us = us(dma.end_ps - dma.begin_ps) - us(pio.end_ps - pio.begin_ps);
    return status;
}

clump_protocol_status clump_measure_crossover(const clump_virtual_cluster_options *options,
                                              uint32_t rounds, uint16_t *bytes)
{
    uint16_t low = 1, high = options->protocol.mtu;
    double late_low, late_high;
    if (options->nodes < 2 || options->protocol.transfer != CLUMP_TRANSFER_DMA)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_protocol_status status = lateness(options, low, rounds, &late_low);
    if (status == CLUMP_PROTOCOL_OK)
        status = lateness(options, high, rounds, &late_high);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    if (late_low <= 0 || late_high > 0)
        return CLUMP_PROTOCOL_NOT_FOUND;
    while (high - low > 1) {
        const uint16_t middle = (uint16_t)((low + high) / 2);
        status = lateness(options, middle, rounds, &late_low);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        if (late_low <= 0)
            high = middle;
        else
            low = middle;
    }
    *bytes = high;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_measure_throughput(const clump_virtual_cluster_options *options,
                                               uint32_t message_size, bool copy, uint32_t rounds,
                                               double *bytes_per_us)
{
    benchmark b = {.pattern = STREAM,
                   .size = options->protocol.mtu,
                   .message = message_size,
                   .rounds = in_stream(rounds, STREAM_LEAST)};
    const bool copies = copy && options->protocol.transfer != CLUMP_TRANSFER_COPY;
    if (message_size == 0 || options->nodes < 2)
        return CLUMP_PROTOCOL_BAD_INPUT;
    const clump_virtual_cluster_options two = pair(options);
    const clump_protocol_status status =
        clump_benchmark_run(&two, &b, copies ? options->hardware.host_copy_us : 0, NULL);
    if (status == CLUMP_PROTOCOL_OK) {
        const uint64_t header = options->protocol.transfer == CLUMP_TRANSFER_COPY
                                    ? CLUMP_PACKET_ADDRESS * (uint64_t)b.rounds
                                    : 0;
        *bytes_per_us = (double)(b.bytes - b.begin_bytes - header) / us(b.end_ps - b.begin_ps);
    }
    return status;
}

clump_protocol_status clump_measure_multicast(const clump_virtual_cluster_options *options,
                                              uint16_t size, uint32_t rounds, double *latency_us)
{
    benchmark b = {.pattern = MULTICAST, .size = size, .rounds = rounds};
    const clump_protocol_status status = clump_benchmark_run(options, &b, 0, NULL);
    if (status == CLUMP_PROTOCOL_OK)
        *latency_us = us(b.total_ps) / rounds;
    return status;
}

clump_protocol_status
clump_measure_multicast_throughput(const clump_virtual_cluster_options *options, uint16_t size,
                                   bool copy, uint32_t rounds, double *bytes_per_us)
{
    benchmark b = {
        .pattern = MULTICAST_STREAM, .size = size, .rounds = in_stream(rounds, MULTICASTS_LEAST)};
    const clump_protocol_status status =
        clump_benchmark_run(options, &b, copy ? options->hardware.host_copy_us : 0, NULL);
    if (status == CLUMP_PROTOCOL_OK)
        *bytes_per_us = (double)(b.bytes - b.begin_bytes) / us(b.end_ps - b.begin_ps);
    return status;
}
