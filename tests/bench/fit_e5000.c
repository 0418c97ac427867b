/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fitted costs of data/reference/hardware-e5000.csv: the four figures of Myrinet in isolation
 * (thesis, table 7.6) with l-pio-nirx-4k in place of a protocol that the thesis does not describe
 * to its words. Four costs to four figures, yet they are not met: see docs/protocols.md.
 *
 * make fit-hardware
 */
#include "pattern_search.h"

#include "reproductions/measure/measure.h"

#include <stdio.h>

static clump_hardware e5000 = {.host_word_us = 0.3,
                               .host_miss_us = 4,
                               .host_copy_us = 0.005183,
                               .pio_word_us = 0.318,
                               .pio_byte_us = 0.0465,
                               .nic_word_us = 0.1,
                               .dma_byte_us = 0.0307636,
                               .link_byte_us = 0.00625,
                               .hop_us = 0.1,
                               .hops = 3,
                               .receive_buffer_bytes = 262144,
                               .send_buffer_bytes = 262144};
static double dma_us = 0.4;
static const double printed[4] = {5.424, 10.51, 8.16, 14.802};

static bool measure(double found[4])
{
    clump_virtual_cluster_options o = {.hardware = e5000, .nodes = 2};
    clump_logp_measured m;
    o.hardware.dma_read_us = o.hardware.dma_write_us = dma_us;
    if (clump_lci_protocol_parse("l-pio-nirx-4k", &o.protocol, NULL) != CLUMP_PROTOCOL_OK ||
        clump_measure_logp(&o, 16, 100, &m) != CLUMP_PROTOCOL_OK)
        return false;
    found[0] = m.send_overhead_us;
    found[1] = m.receive_overhead_us;
    found[2] = m.latency_us;
    found[3] = m.gap_us;
    return true;
}

static double misfit(void)
{
    double found[4], sum = 0;
    if (!measure(found))
        return INFINITY;
    for (int k = 0; k < 4; k++)
        sum += pow(log(found[k] / printed[k]), 2);
    return sum;
}

int main(void)
{
    static const char *const names[4] = {"o_s", "o_r", "L", "g"};
    double *parameter[] = {&e5000.host_word_us, &e5000.host_miss_us, &e5000.nic_word_us, &dma_us};
    double found[4];
    const double best = pattern_search(parameter, 4, misfit);
    printf("e5000: root mean square of 4 logarithms %.4f\n  host_word %.4f host_miss %.4f nic_word "
           "%.4f dma %.4f\n",
           sqrt(best / 4), e5000.host_word_us, e5000.host_miss_us, e5000.nic_word_us, dma_us);
    if (!measure(found))
        return 1;
    for (int k = 0; k < 4; k++)
        printf("  %-3s %6.2f %+3.0f%%\n", names[k], found[k], 100 * (found[k] / printed[k] - 1));
    return 0;
}
