/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/emulation/emulated_trust.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

void clump_emulated_add(clump_emulated_runs *runs, const clump_emulated_outcome *outcome)
{
    const clump_emulated_outcome before = runs->worst;
    clump_emulated_outcome *worst = &runs->worst;
    *worst = *outcome;
    worst->late = fmax(outcome->late, before.late);
    worst->latest = fmax(outcome->latest, before.latest);
    worst->processor_use = fmax(outcome->processor_use, before.processor_use);
    worst->busiest_nic = fmax(outcome->busiest_nic, before.busiest_nic);
    worst->again = fmax(outcome->again, before.again);
    worst->machine_busy = fmax(outcome->machine_busy, before.machine_busy);
    worst->machine_taken = fmax(outcome->machine_taken, before.machine_taken);
    worst->real_time = outcome->real_time && (runs->count == 0 || before.real_time);
    worst->finalized = outcome->finalized && (runs->count == 0 || before.finalized);
    runs->seconds[runs->count++] = outcome->seconds;
    runs->mean += (outcome->seconds - runs->mean) / (double)runs->count;
}

void clump_emulated_judge(const clump_emulated_outcome *t, bool mpi, const char *machine,
                          double dilation, char doubt[CLUMP_EMULATED_DOUBT])
{
    const double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    if (doubt[0] != '\0')
        return;
    if (t->again > CLUMP_EMULATED_MOST_AGAIN)
        snprintf(doubt, CLUMP_EMULATED_DOUBT, "%s: %.2g%% of the %s were sent again", machine,
                 100 * t->again, mpi ? "packets" : "datagrams");
    else if (t->processor_use > CLUMP_EMULATED_MOST_USE * processors)
        snprintf(
            doubt, CLUMP_EMULATED_DOUBT,
            "%s: the %s used %.2g of %.0f processors: a --dilation above %.0f leaves them room",
            machine, mpi ? "ranks" : "workers", t->processor_use, processors,
            ceil(1.5 * dilation * t->processor_use / (CLUMP_EMULATED_MOST_USE * processors)));
    else if (t->late > CLUMP_EMULATED_MOST_LATE)
        snprintf(doubt, CLUMP_EMULATED_DOUBT,
                 "%s: computations ended late by %.1f%% of the time (other programs or the host "
                 "had the machine: %.0f%% in use, %.0f%% taken by the host): try --dilation %.0f",
                 machine, 100 * t->late, 100 * t->machine_busy, 100 * t->machine_taken,
                 2 * dilation);
}

void clump_emulated_ratio(const double *clump, const double *now, size_t count, double *mean,
                          double *half_width)
{
    double square = 0;
    *mean = 0;
    for (size_t i = 0; i < count; i++) {
        const double ratio = clump[i] / now[i];
        const double step = ratio - *mean;
        *mean += step / (double)(i + 1);
        square += step * (ratio - *mean);
    }
    *half_width = count > 1 ? gsl_cdf_tdist_Pinv(0.975, (double)(count - 1)) *
                                  sqrt(square / (double)(count - 1) / (double)count)
                            : NAN;
}
