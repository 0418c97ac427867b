/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/gangs/gang_fit.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- gangs in equilibrium */

/* Shares of the time in which j of n gangs are active: p_{j+1}/p_j = (n-j) w/mu(j+1), in units of a gang's
 * demand; mu(j) = j where nobody slows anybody down. Summed from the top down of the mode on, so that nothing
 * overflows. */
static void fill_states(size_t n, double rate, double w, double *p)
{
    double most = 0, sum = 0, log_p = 0;
    for (size_t pass = 0; pass < 2; pass++) {
        log_p = 0;
        for (size_t j = 0; j <= n; j++) {
            if (pass == 0 && log_p > most)
                most = log_p;
            if (pass == 1)
                sum += p[j] = exp(log_p - most);
            log_p += log((double)(n - j) * w / (rate > 0 ? rate : (double)(j + 1)));
        }
    }
    for (size_t j = 0; j <= n; j++)
        p[j] /= sum;
}

static double mean_of(size_t n, const double *p)
{
    double mean = 0;
    for (size_t j = 0; j <= n; j++)
        mean += (double)j * p[j];
    return mean;
}

/* The states of n gangs that have the mean `active`, of n; it grows with w. */
static void find_states(size_t n, double rate, double active, double *p)
{
    double low = -700, high = 700; /* of log w */
    const double share = active / (double)n;
    if (!(rate > 0)) {
        fill_states(n, rate, share / (1 - share), p);
        return;
    }
    for (int i = 0; i < 80 && high - low > 1e-13; i++) {
        const double middle = (low + high) / 2;
        fill_states(n, rate, exp(middle), p);
        if (mean_of(n, p) < active)
            low = middle;
        else
            high = middle;
    }
}

/* Variance of q where n gangs, each P/n processors, have the mean `mean`. */
static double variance_of(size_t processors, size_t n, double nics, double mean, double *p)
{
    const double s = (double)processors / (double)n, active = mean / s;
    double variance = 0;
    if (!(nics > 0) || n == 1)
        return s * mean * (1 - mean / (double)processors);
    find_states(n, nics / s, active, p);
    for (size_t j = 0; j <= n; j++)
        variance += ((double)j - active) * ((double)j - active) * p[j];
    return s * s * variance;
}

/* s by the variance of q. Between whole numbers of gangs it is interpolated. */
static double gang_size_of(size_t processors, double nics, double mean, double variance, double *p)
{
    const double P = (double)processors;
    size_t few = 1, many = processors; /* gangs: the variance falls with their number */
    if (!(nics > 0))
        return variance / (mean * (1 - mean / P));
    double of_few = variance_of(processors, few, nics, mean, p),
           of_many = variance_of(processors, many, nics, mean, p);
    if (variance <= of_many)
        return variance / of_many;
    if (variance >= of_few)
        return P * variance / of_few;
    while (many - few > 1) {
        const size_t middle = few + (many - few) / 2;
        const double v = variance_of(processors, middle, nics, mean, p);
        if (v >= variance) {
            few = middle;
            of_few = v;
        } else {
            many = middle;
            of_many = v;
        }
    }
    const double share = of_few > of_many ? (variance - of_many) / (of_few - of_many) : 0;
    return P / (double)many + share * (P / (double)few - P / (double)many);
}

/* ---- the recording */

/* What one value of s is made of: some of the windows. */
typedef struct moments {
    double seconds, active, squared;
} moments;

typedef struct work {
    const clump_gang_question *question;
    double unevenness; /* sum U_p (1-U_p) over P U (1-U) */
    double between;    /* variance of the means of nodes */
    double *states;
    /* If NICs were shared: log s of the whole recording, and its derivatives by log mean and log variance, from which
     * those of batches follow. To solve for each of these would take long. */
    double mean, variance, size, by_mean, by_variance;
} work;

static moments sum_of(const clump_overlap_window *windows, size_t first, size_t end)
{
    moments m = {0, 0, 0};
    for (size_t i = first; i < end; i++) {
        m.seconds += windows[i].seconds;
        m.active += windows[i].active;
        m.squared += windows[i].squared;
    }
    return m;
}

static moments without(moments all, moments some)
{
    return (moments){all.seconds - some.seconds, all.active - some.active,
                     all.squared - some.squared};
}

/* Around the mean of each node. */
static double variance_in(const work *w, moments m)
{
    const double mean = m.active / m.seconds;
    return fmax(m.squared / m.seconds - mean * mean - w->between, 0);
}

static double log_size(const work *w, double mean, double variance)
{
    return log(gang_size_of(w->question->processors, w->question->nics, mean, variance, w->states));
}

/* q varies less with processors that differ than with as many equal ones: that much does not mean that they avoid
 * each other. */
static double size_in(const work *w, moments m)
{
    const double mean = m.active / m.seconds, variance = variance_in(w, m) / w->unevenness;
    if (!(w->question->nics > 0))
        return log_size(w, mean, variance);
    return w->size + w->by_mean * log(mean / w->mean) +
           w->by_variance * log(variance / w->variance);
}

static void linearize(work *w, moments all)
{
    const double P = (double)w->question->processors, step = 1e-3;
    w->mean = all.active / all.seconds;
    w->variance = variance_in(w, all) / w->unevenness;
    w->size = log_size(w, w->mean, w->variance);
    const double up = fmin(w->mean * (1 + step), (w->mean + P) / 2), down = w->mean * (1 - step);
    w->by_mean = (log_size(w, up, w->variance) - log_size(w, down, w->variance)) / log(up / down);
    w->by_variance = (log_size(w, w->mean, w->variance * (1 + step)) -
                      log_size(w, w->mean, w->variance * (1 - step))) /
                     log((1 + step) / (1 - step));
}

/* Shares that count: those of whole nodes. */
static size_t counted(const clump_gang_question *question)
{
    const size_t P = question->processors, count = question->share_count;
    return question->by_node && count >= P ? count - count % P : count;
}

static double share_of(const clump_gang_question *question, size_t i)
{
    return fmin(fmax(question->shares[i], 0), 1);
}

static double find_unevenness(const clump_gang_question *question)
{
    double sum = 0, squares = 0;
    const size_t count = counted(question);
    for (size_t i = 0; i < count; i++) {
        const double U = share_of(question, i);
        sum += U;
        squares += U * U;
    }
    const double equal = sum * (1 - sum / (double)count), apart = sum - squares;
    return count > 0 && equal > 0 && apart > 0 ? apart / equal : 1;
}

static double find_between(const clump_gang_question *question)
{
    const size_t P = question->processors, nodes = counted(question) / P;
    double sum = 0, squares = 0;
    if (!question->by_node || nodes < 2)
        return 0;
    for (size_t n = 0; n < nodes; n++) {
        double mean = 0;
        for (size_t i = n * P; i < (n + 1) * P; i++)
            mean += share_of(question, i);
        sum += mean;
        squares += mean * mean;
    }
    const double mean = sum / (double)nodes;
    return fmax(squares / (double)nodes - mean * mean, 0);
}

static clump_status check(const clump_gang_question *question, clump_error *error)
{
    const double P = (double)question->processors;
    if (question->processors < 2)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "processors: %zu, expected at least 2 to see whether they communicate "
                          "together",
                          question->processors);
    if (!(question->nics >= 0) || !isfinite(question->nics))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "NICs: %g, expected 0 or more",
                          question->nics);
    if (!(question->confidence > 0 && question->confidence < 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "confidence: %g, expected 0 to 1",
                          question->confidence);
    for (size_t i = 0; i < question->window_count; i++) {
        const clump_overlap_window *w = &question->windows[i];
        const double least = w->seconds > 0 ? w->active * w->active / w->seconds : 0;
        /* Clocks that count nanoseconds round each of the three. */
        const double rounding = 1e-6 * P * P * w->seconds;
        if (!(w->seconds >= 0 && w->active >= 0 && w->active <= P * w->seconds + rounding &&
              w->squared >= least - rounding && w->squared <= P * w->active + rounding) ||
            !isfinite(w->seconds))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "window %zu: %g s, in which the integrals of q and q^2 are %g and "
                              "%g s; expected what 0 to %zu processors can do",
                              i + 1, w->seconds, w->active, w->squared, question->processors);
    }
    return CLUMP_OK;
}

/* ---- the interval */

/* Jackknife over `n` batches of the windows, of the logarithm of s. */
typedef struct jackknife {
    size_t batches;
    double middle, error; /* of log s; error NAN: there is none */
    double correlation;   /* of batches that follow each other */
    double mean_error;    /* standard error of the mean of q */
} jackknife;

static void resample(const work *w, moments all, size_t n, double *values, jackknife *j)
{
    const clump_gang_question *question = w->question;
    const double whole = size_in(w, all), mean = all.active / all.seconds;
    double sum = 0, squares = 0, products = 0, means = 0;
    for (size_t i = 0; i < n; i++) {
        const moments batch = sum_of(question->windows, question->window_count * i / n,
                                     question->window_count * (i + 1) / n);
        const moments rest = without(all, batch);
        values[i] = (double)n * whole - (double)(n - 1) * size_in(w, rest);
        sum += values[i];
        const double off = (batch.active - mean * batch.seconds) / all.seconds;
        means += off * off;
    }
    *j = (jackknife){.batches = n, .middle = sum / (double)n};
    for (size_t i = 0; i < n; i++) {
        const double off = values[i] - j->middle;
        squares += off * off;
        if (i > 0)
            products += off * (values[i - 1] - j->middle);
    }
    j->error = sqrt(squares / (double)(n - 1) / (double)n);
    j->correlation = squares > 0 ? products / squares : 0;
    j->mean_error = sqrt(means * (double)n / (double)(n - 1));
}

/* Longer batches until neighbours have nothing to do with each other, as far as that can be seen. */
static void choose_batches(const work *w, moments all, double *values, jackknife *j)
{
    enum { ENOUGH = 16 };
    size_t n = w->question->window_count;
    resample(w, all, n, values, j);
    while (n / 2 >= ENOUGH && j->correlation > 1 / sqrt((double)n)) {
        n /= 2;
        resample(w, all, n, values, j);
    }
    /* What is left of it widens the interval, as for an autoregressive series. */
    if (j->correlation > 0) {
        const double widening = sqrt((1 + j->correlation) / (1 - fmin(j->correlation, 0.9)));
        j->error *= widening;
        j->mean_error *= widening;
    }
}

static double within(double s, double P)
{
    return fmin(fmax(s, 1), P);
}

static void add_interval(const work *w, moments all, double *values, clump_gang_fit *fit)
{
    const clump_gang_question *question = w->question;
    const double P = (double)question->processors;
    jackknife j;
    choose_batches(w, all, values, &j);
    if (!isfinite(j.error) || !isfinite(j.middle))
        return;
    const double half =
        gsl_cdf_tdist_Pinv((1 + question->confidence) / 2, (double)(j.batches - 1)) * j.error;
    fit->batches = j.batches;
    fit->ratio_low = exp(j.middle - half);
    fit->ratio_high = exp(j.middle + half);
    fit->low = within(fit->ratio_low, P);
    fit->high = within(fit->ratio_high, P);
    fit->observations =
        j.mean_error > 0 ? fit->variance / (j.mean_error * j.mean_error) : (double)NAN;
    fit->rejects_independent = fit->ratio_low > 1 || fit->ratio_high < 1;
    fit->rejects_correlated = fit->ratio_high < P;
}

clump_status clump_gang_fit_compute(const clump_gang_question *question, clump_gang_fit *fit,
                                    clump_error *error)
{
    const clump_status status = check(question, error);
    if (status != CLUMP_OK)
        return status;
    const moments all = sum_of(question->windows, 0, question->window_count);
    const double P = (double)question->processors, mean = all.active / all.seconds;
    if (!(all.seconds > 0) || !(mean > 0) || !(mean < P))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "nothing tells whether processors communicate together: %s",
                          !(all.seconds > 0) ? "no time was recorded"
                          : !(mean > 0)      ? "none of them communicates"
                                             : "all of them communicate all the time");
    const size_t count = question->window_count;
    double *values = malloc((count + 1) * sizeof *values);
    work w = {.question = question,
              .unevenness = find_unevenness(question),
              .between = find_between(question),
              .states = malloc((question->processors + 1) * sizeof(double))};
    if (values == NULL || w.states == NULL) {
        free(values);
        free(w.states);
        return clump_fail_memory(error, "the fit of gangs");
    }
    linearize(&w, all);
    const double ratio = exp(w.size);
    *fit = (clump_gang_fit){.utilization = mean / P,
                            .variance = variance_in(&w, all),
                            .gang_size = within(ratio, P),
                            .low = NAN,
                            .high = NAN,
                            .ratio = ratio,
                            .ratio_low = NAN,
                            .ratio_high = NAN,
                            .observations = NAN};
    if (count >= CLUMP_GANG_LEAST_BATCHES && ratio > 0)
        add_interval(&w, all, values, fit);
    free(values);
    free(w.states);
    return CLUMP_OK;
}

/* ---- distributions */

/* Add that of n gangs with the weight `share`. */
static void add_gangs(size_t processors, size_t n, double nics, double mean, double share,
                      double *p, double *distribution)
{
    const double s = (double)processors / (double)n;
    find_states(n, n == 1 ? 0 : nics / s, mean / s, p);
    for (size_t j = 0; j <= n; j++) {
        const double at = fmin((double)j * s, (double)processors);
        const size_t below = (size_t)at;
        const double rest = at - (double)below;
        distribution[below] += share * (1 - rest) * p[j];
        if (rest > 0)
            distribution[below + 1] += share * rest * p[j];
    }
}

clump_status clump_gang_distribution(size_t processors, double nics, double mean, double gang_size,
                                     double *distribution, clump_error *error)
{
    const double P = (double)processors;
    if (processors < 1 || !(nics >= 0) || !(mean > 0 && mean < P) ||
        !(gang_size >= 1 && gang_size <= P))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "gangs of %g of %zu processors with %g communicating: expected a size "
                          "from 1 to all, and a mean between 0 and all",
                          gang_size, processors, mean);
    const size_t few = (size_t)fmax(floor(P / gang_size * (1 + 1e-12)), 1);
    const size_t many =
        few < processors && P / gang_size > (double)few * (1 + 1e-9) ? few + 1 : few;
    const double longest = P / (double)few, shortest = P / (double)many;
    const double share = many > few ? (gang_size - shortest) / (longest - shortest) : 1;
    double *p = malloc((processors + 1) * sizeof *p);
    if (p == NULL)
        return clump_fail_memory(error, "the distribution of gangs");
    memset(distribution, 0, (processors + 1) * sizeof *distribution);
    add_gangs(processors, few, nics, mean, share, p, distribution);
    if (many > few)
        add_gangs(processors, many, nics, mean, 1 - share, p, distribution);
    free(p);
    return CLUMP_OK;
}

double clump_gang_distance(const double *distribution, const double *other, size_t processors)
{
    double sum = 0;
    for (size_t q = 0; q <= processors; q++)
        sum += fabs(distribution[q] - other[q]);
    return sum / 2;
}
