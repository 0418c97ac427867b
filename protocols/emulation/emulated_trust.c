/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/emulation/emulated_trust.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

void clump_emulated_judge(const clump_emulated_trust *t, const char *machine, double dilation,
                          char doubt[CLUMP_EMULATED_DOUBT])
{
    const double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    doubt[0] = '\0';
    if (t->again > CLUMP_EMULATED_MOST_AGAIN)
        snprintf(doubt, CLUMP_EMULATED_DOUBT, "%s: %.2g%% of the %s were sent again", machine,
                 100 * t->again, t->pieces);
    else if (t->processor_use > CLUMP_EMULATED_MOST_USE * processors)
        snprintf(
            doubt, CLUMP_EMULATED_DOUBT,
            "%s: the %s used %.2g of %.0f processors: a --dilation above %.0f leaves them room",
            machine, t->processes, t->processor_use, processors,
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
