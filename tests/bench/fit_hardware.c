/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the fitted costs of data/reference/hardware-*.csv come from: the columns l-sdma and l-pio
 * of tables III and IV (cluster-protocols.txt), and nothing else, for both platforms at once. The
 * words that a NIC touches take the same number of its cycles on both (33 and 133 MHz). Minimizes
 * the sum of squared logarithms of predicted over printed, by pattern search.
 *
 * make fit-hardware
 */
#include "protocols/virtual/measure.h"

#include <math.h>
#include <stdio.h>

enum { PLATFORMS = 2, PARAMETERS = 11 };

static clump_hardware platform[PLATFORMS] = {
    {.host_word_us = 0.15,
     .host_miss_us = 0.236,
     .host_copy_us = 1 / 52.0,
     .pio_word_us = 0.05,
     .pio_byte_us = 0.01397, /* l-pio: 2048 bytes at 68 MB/s (table V) take o_s and this */
     .dma_read_us = 3,
     .dma_write_us = 2,
     .dma_byte_us = 1 / 127.2,
     .link_byte_us = 1 / 160.0,
     .hop_us = 0.1,
     .hops = 3,
     .network_us = 0.05,
     .receive_buffer_bytes = 256 * 2048,
     .send_buffer_bytes = 256 * 2048,
     .watchdog_us = 70},
    {.host_word_us = 0.013,
     .host_miss_us = 0.113,
     .host_copy_us = 1 / 300.0,
     .pio_word_us = 0.05,
     .pio_byte_us = 1 / 120.0,
     .dma_read_us = 2,
     .dma_write_us = 2,
     .dma_byte_us = 1 / 254.3,
     .link_byte_us = 1 / 240.0,
     .hop_us = 0.1,
     .hops = 3,
     .network_us = 1,
     .receive_buffer_bytes = 512 * 2048,
     .send_buffer_bytes = 512 * 2048,
     .watchdog_us = 30},
};

static const struct column {
    int platform;
    const char *protocol;
    double o_s, o_r, latency, gap, fetch_add; /* 0: not printed */
} printed[] = {{0, "l-sdma", 1.8, 2.6, 10.7, 11.1, 18.0},
               {0, "l-pio", 1.5, 2.3, 6.7, 6.7, 0},
               {1, "l-sdma", 0.5, 0.5, 7.8, 4.5, 7.4},
               {1, "l-pio", 0.5, 0.4, 5.2, 2.8, 0}};

static double cycles = 4; /* of a NIC, per word */

static double square(double predicted, double value)
{
    const double error = value > 0 ? log(predicted / value) : 0;
    return error * error;
}

static double misfit(void)
{
    double sum = 0;
    platform[0].nic_word_us = cycles / 33;
    platform[1].nic_word_us = cycles / 133;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        const struct column *c = &printed[i];
        clump_machine_options o = {.hardware = platform[c->platform], .nodes = 64};
        clump_logp_measured m;
        if (clump_lci_protocol_parse(c->protocol, &o.protocol, NULL) != CLUMP_PROTOCOL_OK ||
            clump_measure_logp(&o, 16, 100, &m) != CLUMP_PROTOCOL_OK)
            return INFINITY;
        sum += square(m.send_overhead_us, c->o_s) + square(m.receive_overhead_us, c->o_r) +
               square(m.latency_us, c->latency) + square(m.gap_us, c->gap) +
               square(m.fetch_add_us, c->fetch_add);
    }
    return sum;
}

int main(void)
{
    clump_hardware *a = &platform[0], *b = &platform[1];
    double *parameter[PARAMETERS] = {&a->host_word_us, &a->pio_word_us, &a->dma_read_us,
                                     &a->dma_write_us, &a->network_us,  &b->host_word_us,
                                     &b->pio_word_us,  &b->dma_read_us, &b->dma_write_us,
                                     &b->network_us,   &cycles};
    double step[PARAMETERS], best = misfit(), longest = 0.3;
    for (int i = 0; i < PARAMETERS; i++)
        step[i] = longest;
    while (longest > 1e-4) {
        bool better = false;
        for (int i = 0; i < PARAMETERS; i++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                const double before = *parameter[i];
                *parameter[i] = before * exp(sign * step[i]);
                const double sum = misfit();
                if (sum < best) {
                    best = sum;
                    better = true;
                    step[i] *= 1.3;
                } else {
                    *parameter[i] = before;
                }
            }
        }
        longest = 0;
        for (int i = 0; i < PARAMETERS; i++) {
            step[i] *= better ? 1 : 0.5;
            longest = step[i] > longest ? step[i] : longest;
        }
    }
    (void)misfit();
    printf("root mean square of 18 logarithms: %.4f; NIC cycles per word: %.3f\n", sqrt(best / 18),
           cycles);
    for (int i = 0; i < PLATFORMS; i++)
        printf("%s host_word %.5f pio_word %.5f nic_word %.5f dma_read %.4f dma_write %.4f network "
               "%.4f\n",
               i == 0 ? "ppro" : "p3", platform[i].host_word_us, platform[i].pio_word_us,
               platform[i].nic_word_us, platform[i].dma_read_us, platform[i].dma_write_us,
               platform[i].network_us);
    return 0;
}
