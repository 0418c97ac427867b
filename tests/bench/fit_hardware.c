/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the fitted costs of data/reference/hardware-lci.csv come from: the columns l-sdma and l-pio
 * of tables III and IV (cluster-protocols.txt), and nothing else, for both platforms at once.
 * Shared by both, because table I says so: a word costs the same number of cycles on both hosts
 * (200 MHz, 1 GHz) and on both NICs (33, 133 MHz), and starting a DMA transfer the same time on
 * both buses (33 MHz).
 *
 * Minimizes the squares of the logarithms of predicted over printed, each divided by what rounding
 * to 0.1 us and a model of this kind (5%) leave open; pattern search from ten starts.
 *
 * fit_hardware [all]: also with more freedom, to see what that would identify.
 * make fit-hardware
 */
#include "pattern_search.h"

#include "reproductions/measure/measure.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PLATFORMS = 2, PARAMETERS_MOST = 12, STARTS = 10, ROUNDS = 100, FIGURES = 18 };

static clump_hardware platform[PLATFORMS] = {
    {.host_miss_us = 0.236,
     .host_copy_us = 1 / 52.0,
     .host_fill_us = 2 / (4 * 200.0), /* load and store of 4 bytes, a cycle each */
     .pio_word_us = 0.05,
     .pio_byte_us = 0.01397, /* l-pio: 2048 bytes at 68 MB/s (table V) take o_s and this */
     .dma_byte_us = 1 / 127.2,
     .link_byte_us = 1 / 160.0,
     .hop_us = 0.1,
     .hops = 4.81, /* mean of 4 x 4 x 4 switches, of which 10 are the most */
     .receive_buffer_bytes = 256 * 2048,
     .send_buffer_bytes = 256 * 2048},
    {.host_miss_us = 0.113,
     .host_copy_us = 1 / 300.0,
     .host_fill_us = 2 / (4 * 1000.0),
     .pio_word_us = 0.05,
     .pio_byte_us = 1 / 120.0,
     .dma_byte_us = 1 / 254.3,
     .link_byte_us = 1 / 240.0,
     .hop_us = 0.1,
     .hops = 3,
     .network_us = 1,
     .receive_buffer_bytes = 512 * 2048,
     .send_buffer_bytes = 512 * 2048},
};
static const double host_mhz[PLATFORMS] = {200, 1000}, nic_mhz[PLATFORMS] = {33, 133};

static const struct column {
    int platform;
    const char *protocol;
    double printed[5]; /* o_s, o_r, L, g, fetch-and-add; 0: not printed */
} columns[] = {{0, "l-sdma", {1.8, 2.6, 10.7, 11.1, 18.0}},
               {0, "l-pio", {1.5, 2.3, 6.7, 6.7, 0}},
               {1, "l-sdma", {0.5, 0.5, 7.8, 4.5, 7.4}},
               {1, "l-pio", {0.5, 0.4, 5.2, 2.8, 0}}};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* By platform; [1] counts only where they are allowed to differ. */
static double host_cycles[2], nic_cycles[2], dma_read[2], dma_write[2];
static struct freedom {
    const char *name;
    bool hosts, nics, buses;
} freedoms[] = {{"as table I has it", false, false, false},
                {"two speeds of hosts", true, false, false},
                {"two speeds of NICs", false, true, false},
                {"two buses", false, false, true}};
static struct freedom freedom;

static size_t parameters(double *parameter[PARAMETERS_MOST], const char *names[PARAMETERS_MOST])
{
    size_t n = 0;
    const struct {
        bool used;
        double *value;
        const char *name;
    } all[] = {{true, &host_cycles[0], "host cycles"},
               {freedom.hosts, &host_cycles[1], "host cycles (p3)"},
               {true, &platform[0].pio_word_us, "ppro pio_word"},
               {true, &platform[1].pio_word_us, "p3 pio_word"},
               {true, &nic_cycles[0], "NIC cycles"},
               {freedom.nics, &nic_cycles[1], "NIC cycles (p3)"},
               {true, &dma_read[0], "dma_read"},
               {freedom.buses, &dma_read[1], "dma_read (p3)"},
               {true, &dma_write[0], "dma_write"},
               {freedom.buses, &dma_write[1], "dma_write (p3)"},
               {true, &platform[1].network_us, "p3 network"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i].used)
            continue;
        parameter[n] = all[i].value;
        names[n++] = all[i].name;
    }
    return n;
}

static void start(void)
{
    host_cycles[0] = host_cycles[1] = 30;
    nic_cycles[0] = nic_cycles[1] = 4;
    dma_read[0] = dma_read[1] = dma_write[0] = dma_write[1] = 2;
    platform[0].pio_word_us = platform[1].pio_word_us = 0.05;
    platform[1].network_us = 1;
}

/* Logarithms of predicted over printed, weighed. False: a protocol does not run. */
static bool residuals(double residual[FIGURES], double found[COLUMNS][5])
{
    size_t n = 0;
    for (int p = 0; p < PLATFORMS; p++) {
        platform[p].host_word_us = host_cycles[p && freedom.hosts] / host_mhz[p];
        platform[p].nic_word_us = nic_cycles[p && freedom.nics] / nic_mhz[p];
        platform[p].dma_read_us = dma_read[p && freedom.buses];
        platform[p].dma_write_us = dma_write[p && freedom.buses];
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct column *c = &columns[i];
        clump_virtual_cluster_options o = {.hardware = platform[c->platform], .nodes = 64};
        clump_logp_measured m;
        if (clump_lci_protocol_parse(c->protocol, &o.protocol, NULL) != CLUMP_PROTOCOL_OK ||
            clump_measure_logp(&o, 16, ROUNDS, &m) != CLUMP_PROTOCOL_OK)
            return false;
        const double all[5] = {m.send_overhead_us, m.receive_overhead_us, m.latency_us, m.gap_us,
                               m.fetch_add_us};
        for (int k = 0; k < 5; k++) {
            const double rounding = 0.1 / sqrt(12) / c->printed[k], model = 0.05;
            found[i][k] = all[k];
            if (c->printed[k] > 0)
                residual[n++] =
                    log(all[k] / c->printed[k]) / sqrt(1 + rounding * rounding / (model * model));
        }
    }
    return true;
}

static double misfit(void)
{
    double residual[FIGURES], found[COLUMNS][5], sum = 0;
    if (!residuals(residual, found))
        return INFINITY;
    for (int i = 0; i < FIGURES; i++)
        sum += residual[i] * residual[i];
    return sum;
}

/* Up to a factor of 3 around the first start, always the same ones. */
static double search_often(double **parameter, size_t count)
{
    double winner[PARAMETERS_MOST] = {0}, best = INFINITY;
    uint64_t random = 1;
    for (int trial = 0; trial < STARTS; trial++) {
        start();
        for (size_t i = 0; i < count && trial > 0; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            *parameter[i] *= exp(2.2 * ((double)(random >> 11) * 0x1p-53 - 0.5));
        }
        const double sum = pattern_search(parameter, count, misfit);
        if (sum < best) {
            best = sum;
            for (size_t i = 0; i < count; i++)
                winner[i] = *parameter[i];
        }
    }
    for (size_t i = 0; i < count; i++)
        *parameter[i] = winner[i];
    return best;
}

/* How well the figures tell the costs apart: derivatives by logarithms, their singular values. */
static void identify(double **parameter, const char **names, size_t count, double best)
{
    const double step = 0.05, s = sqrt(best / (double)(FIGURES - count));
    double low[FIGURES], high[FIGURES], found[COLUMNS][5];
    gsl_matrix *a = gsl_matrix_alloc(FIGURES, count), *v = gsl_matrix_alloc(count, count);
    gsl_vector *values = gsl_vector_alloc(count), *work = gsl_vector_alloc(count);
    for (size_t j = 0; j < count; j++) {
        const double before = *parameter[j];
        *parameter[j] = before * exp(-step);
        residuals(low, found);
        *parameter[j] = before * exp(step);
        residuals(high, found);
        *parameter[j] = before;
        for (size_t i = 0; i < FIGURES; i++)
            gsl_matrix_set(a, i, j, (high[i] - low[i]) / (2 * step));
    }
    gsl_linalg_SV_decomp(a, v, values, work);
    for (size_t j = 0; j < count; j++) {
        double variance = 0;
        for (size_t k = 0; k < count; k++) {
            const double d = gsl_matrix_get(v, j, k) / gsl_vector_get(values, k);
            variance += d * d;
        }
        printf("  %-18s %9.5f  +/- %.0f%%\n", names[j], *parameter[j], 100 * s * sqrt(variance));
    }
    printf("  condition %.1f\n", gsl_vector_get(values, 0) / gsl_vector_get(values, count - 1));
    gsl_matrix_free(a);
    gsl_matrix_free(v);
    gsl_vector_free(values);
    gsl_vector_free(work);
}

static void fit(struct freedom with)
{
    double *parameter[PARAMETERS_MOST], residual[FIGURES], found[COLUMNS][5];
    const char *names[PARAMETERS_MOST];
    freedom = with;
    const size_t count = parameters(parameter, names);
    const double best = search_often(parameter, count);
    printf("%s: %zu costs to %d figures, root mean square %.4f\n", with.name, count, FIGURES,
           sqrt(best / FIGURES));
    identify(parameter, names, count, best);
    residuals(residual, found);
    for (size_t i = 0; i < COLUMNS; i++) {
        printf("  %-5s%-7s", columns[i].platform == 0 ? "ppro" : "p3", columns[i].protocol);
        for (int k = 0; k < 5; k++)
            if (columns[i].printed[k] > 0)
                printf(" %6.2f %+3.0f%%", found[i][k],
                       100 * (found[i][k] / columns[i].printed[k] - 1));
        printf("\n");
    }
    for (int i = 0; i < PLATFORMS; i++)
        printf("  %s host_word %.5f pio_word %.5f nic_word %.5f dma_read %.4f dma_write %.4f "
               "network %.4f\n",
               i == 0 ? "ppro" : "p3", platform[i].host_word_us, platform[i].pio_word_us,
               platform[i].nic_word_us, platform[i].dma_read_us, platform[i].dma_write_us,
               platform[i].network_us);
}

int main(int argc, char **argv)
{
    const size_t count =
        argc > 1 && strcmp(argv[1], "all") == 0 ? sizeof freedoms / sizeof *freedoms : 1;
    for (size_t i = 0; i < count; i++)
        fit(freedoms[i]);
    return 0;
}
