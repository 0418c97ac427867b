/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets a second that one core carries through each protocol: encoded, checked, taken, delivered
 * and acknowledged, without a network between; and in virtual time, with all of the hardware.
 * The goal is a million.
 */
#include "model/statistics.h"
#include "protocols/reliability/ssam.h"
#include "reproductions/measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 5 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void require(bool good)
{
    if (!good) {
        fprintf(stderr, "bench: a protocol failed\n");
        exit(1);
    }
}

static double lci(bool retransmit, bool request_again, double messages)
{
    clump_lci *node[2];
    unsigned char bytes[CLUMP_PACKET_MOST];
    double packets = 0, got = 0;
    uint64_t now = 0;
    for (uint16_t i = 0; i < 2; i++) {
        const clump_lci_options o = {.nodes = 2,
                                     .self = i,
                                     .mtu = 1024,
                                     .window = 32,
                                     .retransmit = retransmit,
                                     .request_again = request_again,
                                     .send_buffers = 64,
                                     .receive_buffers = 64,
                                     .timeout_ns = 1000000,
                                     .timeout_most_ns = 1000000,
                                     .acknowledge_ns = 1000,
                                     .incarnation = 1};
        require(clump_lci_open(&o, &node[i]) == CLUMP_PROTOCOL_OK);
    }
    const clump_lci_message m = {.size = 16, .data = "sixteen bytes..."};
    const double start = now_s();
    while (got < messages) {
        while (clump_lci_send(node[0], 1, &m) == CLUMP_PROTOCOL_OK)
            ;
        for (int i = 0; i < 2; i++) {
            size_t size;
            uint16_t to;
            clump_lci_delivery d;
            while (clump_lci_transmit(node[i], now, bytes, &size, &to)) {
                packets++;
                clump_lci_receive(node[to], now, bytes, size);
            }
            while (clump_lci_next(node[1 - i], &d)) {
                got++;
                clump_lci_release(node[1 - i], now, d.buffer);
            }
        }
        now += 2000;
    }
    const double rate = packets / (now_s() - start);
    clump_lci_close(node[0]);
    clump_lci_close(node[1]);
    return rate;
}

static bool on_request(void *context, uint32_t handler, const unsigned char *data,
                       uint32_t *reply_handler, unsigned char *reply)
{
    (void)context, (void)handler, (void)data, (void)reply_handler, (void)reply;
    return true;
}

static double ssam(double requests)
{
    const clump_ssam_options o = {
        .window = 32, .timeout_ns = UINT64_C(1) << 60, .incarnation = 1, .request = on_request};
    clump_ssam *end[2];
    unsigned char cell[CLUMP_CELL_SIZE], data[CLUMP_CELL_DATA] = {0};
    double cells = 0;
    require(clump_ssam_open(&o, &end[0]) == CLUMP_PROTOCOL_OK);
    require(clump_ssam_open(&o, &end[1]) == CLUMP_PROTOCOL_OK);
    const double start = now_s();
    while ((double)clump_ssam_count(end[0]).answered < requests) {
        while (clump_ssam_request(end[0], 1, data, sizeof data, NULL) == CLUMP_PROTOCOL_OK)
            ;
        for (int i = 0; i < 2; i++) {
            while (clump_ssam_transmit(end[i], 0, cell)) {
                cells++;
                clump_ssam_arrive(end[1 - i], cell);
            }
            clump_ssam_poll(end[1 - i]);
        }
    }
    const double rate = cells / (now_s() - start);
    clump_ssam_close(end[0]);
    clump_ssam_close(end[1]);
    return rate;
}

static double credits(void)
{
    return lci(false, false, 300000);
}
static double nirx(void)
{
    return lci(true, true, 300000);
}
static double hrx(void)
{
    return lci(true, false, 300000);
}
static double cells(void)
{
    return ssam(300000);
}

/* Virtual time: a stream on modelled hardware, packets with data only. */
static double virtual_time(void)
{
    clump_virtual_cluster_options o = {.hardware = {.host_word_us = 0.1,
                                                    .pio_word_us = 0.1,
                                                    .pio_byte_us = 0.01,
                                                    .nic_word_us = 0.1,
                                                    .dma_write_us = 1,
                                                    .dma_byte_us = 0.01,
                                                    .link_byte_us = 0.01,
                                                    .receive_buffer_bytes = 65536,
                                                    .send_buffer_bytes = 65536},
                                       .nodes = 2};
    double rate;
    require(clump_lci_protocol_parse("l-pio", &o.protocol, NULL) == CLUMP_PROTOCOL_OK);
    const double start = now_s();
    require(clump_measure_throughput(&o, 16, false, 100000, &rate) == CLUMP_PROTOCOL_OK);
    return 100000 / (now_s() - start);
}

int main(void)
{
    const struct {
        const char *name;
        double (*run)(void);
    } all[] = {{"ssam", cells},
               {"l-sdma, l-pio, l-rcpy (credits)", credits},
               {"l-nirx", nirx},
               {"l-hrx", hrx},
               {"l-pio in virtual time", virtual_time}};
    printf("%-40s %12s %12s %10s\n", "protocol, 16 bytes", "goal 1/s", "median 1/s", "of goal");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double rates[RUNS];
        for (int k = 0; k < RUNS; k++)
            rates[k] = all[i].run();
        const double median = clump_median(rates, RUNS);
        printf("%-40s %12.3g %12.3g %9.0f%%\n", all[i].name, 1e6, median, median / 1e4);
    }
    return 0;
}
