/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/clusters/nic_exchange.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>

double clump_nic_carried(const clump_nic_rates *rates, double processes, double size_bytes)
{
    const double rate = clump_nic_rate(rates, processes, size_bytes);
    const double more = processes / clump_nic_rates_pairs(rates);
    return more > 1 ? fmin(rate * more, fmax(rate, clump_nic_rates_best(rates))) : rate;
}

double clump_nic_exchange_change(const clump_nic_exchange *exchange, const clump_nic_change *nics)
{
    const double before = clump_nic_carried(nics->from, exchange->sharing, exchange->message_bytes);
    const double after = clump_nic_carried(nics->to, exchange->sharing, exchange->message_bytes);
    double nic_s = fmax(0, exchange->seconds - exchange->local_seconds);
    if (isfinite(exchange->bytes))
        nic_s = fmin(nic_s, exchange->bytes / before / 1e6);
    return nic_s * (before / after - 1);
}

double clump_nic_exchange_torus_share(double processes, double each)
{
    double columns = floor(sqrt(processes) + 1e-9);
    while (columns > 1 && fmod(processes, columns) != 0)
        columns--;
    /* Of a node's processes those of its last row (or all, if a row is longer) pass on to another one. */
    const double along = columns > each ? 1 / each : 0, across = fmin(1, columns / each);
    return (along + across) / 2;
}

double clump_mean_positive_part(double mean, double std_dev)
{
    if (!(std_dev > 0))
        return fmax(mean, 0);
    const double z = mean / std_dev;
    return mean * gsl_cdf_ugaussian_P(z) + std_dev * gsl_ran_ugaussian_pdf(z);
}

double clump_std_dev_of_positive_part(double mean, double part)
{
    if (part <= clump_mean_positive_part(mean, 0) || !isfinite(part))
        return 0;
    /* E[D^+] grows with the deviation, and is at least its share of 1/sqrt(2 pi) less |mean|/2. */
    double low = 0, high = 8 * (part + fabs(mean));
    for (int i = 0; i < 200 && high > low; i++) {
        const double middle = 0.5 * (low + high);
        if (clump_mean_positive_part(mean, middle) < part)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}
