/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/transient.h"

#include "model/sum.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The birth-death chain on the number q of processors that communicate, and two
 * ways to follow it in time. Times are in cycles, R + S = 1.
 *
 *   up_q   = (P-q)/R              down_q = mu(q)/S
 *   rho_q  = ((P-q) + mu(q))/P    service that a processor gains per time in state q
 *   r(t)   = E[rho] at time t, from q = 0 at t = 0;  A(t) = integral_0^t r
 */

typedef struct model_chain {
    size_t processors;
    double computation, communication; /* R, S */
    double *rate;                      /* mu(0..P) */
} model_chain;

/* Utilizations below this are nothing to the chain, and their reciprocals would overflow. */
#define LEAST_UTILIZATION 1e-280

static double rate_up(const model_chain *c, size_t q)
{
    return (double)(c->processors - q) / c->computation;
}

static double rate_down(const model_chain *c, size_t q)
{
    return c->rate[q] / c->communication;
}

static double service_rate(const model_chain *c, size_t q)
{
    return ((double)(c->processors - q) + c->rate[q]) / (double)c->processors;
}

/* Prepare; release `rate` with free(). Utilization above the least and below 1. */
static clump_status prepare_chain(model_chain *chain, size_t processors, double utilization,
                                  const clump_station *station, clump_error *error)
{
    const clump_status status = clump_station_check(station, processors, error);
    if (status != CLUMP_OK)
        return status;
    *chain = (model_chain){processors, 1 - utilization, utilization,
                           malloc((processors + 1) * sizeof *chain->rate)};
    if (chain->rate == NULL)
        return clump_fail_memory(error, "the transient");
    for (size_t q = 0; q <= processors; q++)
        chain->rate[q] = clump_station_rate(station, q);
    return CLUMP_OK;
}

/* ---- by the Laplace transform */

/*
 * Letters: s the Laplace variable; v_q the transform of r for a start in state q,
 *     (s + up_q + down_q) v_q - up_q v_{q+1} - down_q v_{q-1} = rho_q.
 * Eliminated from q = P down, v_q = alpha_q + (1 - gamma_q) v_{q-1}; v_0 = alpha_0. Writing gamma
 * for 1 - down/(...) avoids the subtraction that would cancel for small s.
 */

/* CMPLX of the standard, which not every compiler's headers have. All parts are finite here. */
static double complex complex_of(double real, double imaginary)
{
    return real + imaginary * I;
}

/* 1/b without the checks for infinities that the language asks of complex division. The larger part
   is divided out first, so that no square leaves the range of double. */
static double complex reciprocal(double complex b)
{
    const double scale = fmax(fabs(creal(b)), fabs(cimag(b)));
    const double real = creal(b) / scale, imaginary = cimag(b) / scale;
    const double norm = (real * real + imaginary * imaginary) * scale;
    return complex_of(real / norm, -imaginary / norm);
}

/* Transform of r(t) at s. */
static double complex transform(const model_chain *c, double complex s)
{
    double complex alpha = 0, gamma = 0;
    for (size_t q = c->processors + 1; q-- > 0;) {
        const double birth = rate_up(c, q);
        const double complex gain = s + birth * gamma;
        const double complex inverse = reciprocal(gain + rate_down(c, q));
        alpha = (service_rate(c, q) + birth * alpha) * inverse;
        gamma = gain * inverse;
    }
    return alpha;
}

/* The contour of Talbot in the form of Weideman (2006): z(angle) and its derivative. */
static void contour(double angle, int nodes, double complex *z, double complex *slope)
{
    const double cotangent = 1 / tan(0.6407 * angle), sine = sin(0.6407 * angle);
    *z = nodes * complex_of(0.5017 * angle * cotangent - 0.6122, 0.2645 * angle);
    *slope = nodes * complex_of(0.5017 * (cotangent - 0.6407 * angle / (sine * sine)), 0.2645);
}

/*
 * r(t) and A(t) by inversion of the Laplace transform on a contour of `nodes` points (even).
 * Accurate when two numbers of nodes agree; it fails where r has a nearly sharp bend, as it does
 * for large P before the first processors have to wait. Cost: O(P nodes).
 */
static void follow_by_transform(const model_chain *chain, double t, int nodes, double *rate,
                                double *served)
{
    const double pi = 3.14159265358979323846;
    double complex sum_rate = 0, sum_served = 0;
    for (int k = 0; k < nodes / 2; k++) {
        double complex z, slope;
        contour((2 * k + 1) * pi / nodes, nodes, &z, &slope);
        const double complex value = cexp(z) * slope * transform(chain, z / t);
        sum_rate += value;
        sum_served += value * reciprocal(z); /* 1/s integrates */
    }
    /* The conjugate nodes double the imaginary part; 1/t comes from ds = dz/t. */
    *rate = 2 * cimag(sum_rate) / nodes / t;
    *served = 2 * cimag(sum_served) / nodes;
}

/* ---- by steps */

/*
 * Uniformization: the chain jumps at the points of a Poisson process of rate Lambda, at least the
 * greatest rate of leaving a state; in state q it goes up with probability up_q/Lambda, down with
 * down_q/Lambda, and else stays. With g_n the mean of rho after n jumps,
 *     A(t) = 1/Lambda sum_n g_n P(Poisson(Lambda t) > n).
 * The g_n do not depend on t: they are computed once, as far as the t looked for can need them.
 */

/* States less likely than this are left out; a million steps then lose some 1e-18. */
static const double negligible = 1e-24;

/* States that may be visited in all steps together: some ten seconds. */
static const double most_work = 4e9;

typedef struct walk {
    const model_chain *chain;
    double Lambda;
    double *go_up, *go_down; /* probabilities of a jump, 0..P */
    double *p, *next;        /* distribution after n jumps, 0..P; 0 outside low..high */
    size_t low, high;
    double *g; /* g_0, g_1, ... */
    size_t g_count, g_capacity;
    double work;
} walk;

static void walk_free(walk *w)
{
    free(w->go_up);
    free(w->go_down);
    free(w->p);
    free(w->next);
    free(w->g);
}

static clump_status walk_prepare(walk *w, const model_chain *c, clump_error *error)
{
    const size_t states = c->processors + 1;
    *w = (walk){.chain = c, .g_capacity = 1024};
    w->go_up = malloc(states * sizeof(double));
    w->go_down = malloc(states * sizeof(double));
    w->p = calloc(states + 1, sizeof(double));
    w->next = calloc(states + 1, sizeof(double));
    w->g = malloc(w->g_capacity * sizeof(double));
    if (!w->go_up || !w->go_down || !w->p || !w->next || !w->g) {
        walk_free(w);
        return clump_fail_memory(error, "the transient");
    }
    for (size_t q = 0; q < states; q++)
        w->Lambda = fmax(w->Lambda, rate_up(c, q) + rate_down(c, q));
    for (size_t q = 0; q < states; q++) {
        w->go_up[q] = rate_up(c, q) / w->Lambda;
        w->go_down[q] = rate_down(c, q) / w->Lambda;
    }
    w->p[0] = 1;
    return CLUMP_OK;
}

/* Append the mean service of the present distribution, and jump once. */
static clump_status walk_step(walk *w, clump_error *error)
{
    const size_t P = w->chain->processors, low = w->low, high = w->high;
    double g = 0;
    for (size_t q = low; q <= high; q++)
        g += w->p[q] * service_rate(w->chain, q);
    if (w->g_count == w->g_capacity) {
        double *larger = realloc(w->g, 2 * w->g_capacity * sizeof *larger);
        if (larger == NULL)
            return clump_fail_memory(error, "the transient");
        w->g = larger;
        w->g_capacity *= 2;
    }
    w->g[w->g_count++] = g;
    w->low = low > 0 ? low - 1 : 0;
    w->high = high < P ? high + 1 : P;
    for (size_t q = w->low; q <= w->high; q++) {
        /* What stays is what does not leave; both probabilities are at most 1 together. */
        double sum = w->p[q] * fmax(1 - w->go_up[q] - w->go_down[q], 0);
        if (q > 0)
            sum += w->p[q - 1] * w->go_up[q - 1];
        if (q < P)
            sum += w->p[q + 1] * w->go_down[q + 1];
        w->next[q] = sum;
    }
    while (w->low < w->high && w->next[w->low] < negligible)
        w->next[w->low++] = 0;
    while (w->high > w->low && w->next[w->high] < negligible)
        w->next[w->high--] = 0;
    /* Outside the new window the old row may still hold numbers; clear both. */
    memset(w->p + low, 0, (high - low + 1) * sizeof *w->p);
    double *old = w->p;
    w->p = w->next;
    w->next = old;
    w->work += (double)(high - low + 1);
    return CLUMP_OK;
}

/* A(t), and r(t) for Newton's method, from the g of enough steps. */
static void evaluate(const walk *w, double t, double *rate, double *served)
{
    const double mean = w->Lambda * t;
    const double spread = 12 * sqrt(mean) + 40;
    const size_t from = mean > spread ? (size_t)(mean - spread) : 0;
    const size_t to = (size_t)fmin(mean + spread, (double)(w->g_count - 1));
    model_sum sum = {0, 0}, now = {0, 0}, weights = {0, 0};
    /* Poisson weights relative to the one at the mode, from there outward. */
    const size_t mode = (size_t)mean < from ? from : (size_t)mean > to ? to : (size_t)mean;
    double weight = 1;
    for (size_t n = mode; n <= to; n++, weight *= mean / (double)n)
        model_sum_add(&weights, weight);
    weight = 1;
    for (size_t n = mode; n > from; n--) {
        weight *= (double)n / mean;
        model_sum_add(&weights, weight);
    }
    const double norm = 1 / model_sum_total(weights);
    const double first = weight * norm; /* P(Poisson = from) */
    double tail = 1;                    /* P(Poisson > n-1) */
    for (size_t n = 0; n < from; n++)
        model_sum_add(&sum, w->g[n]);
    weight = first;
    for (size_t n = from; n <= to; n++) {
        model_sum_add(&now, weight * w->g[n]);
        tail = fmax(tail - weight, 0);
        model_sum_add(&sum, tail * w->g[n]);
        weight *= mean / (double)(n + 1);
    }
    *rate = model_sum_total(now);
    *served = model_sum_total(sum) / w->Lambda;
}

static clump_status find_end(const walk *w, double T, double guess, double *end, clump_error *error)
{
    double t = guess, low = 0, high = INFINITY;
    for (int i = 0; i < 200; i++) {
        double r, served;
        evaluate(w, t, &r, &served);
        if (served > T)
            high = t;
        else
            low = t;
        const double step = (served - T) / r;
        if (fabs(step) <= 1e-13 * t) {
            *end = t - step;
            return CLUMP_OK;
        }
        const double next = t - step;
        t = next > low && next < high ? next : high < INFINITY ? (low + high) / 2 : 2 * t;
    }
    return clump_fail(error, CLUMP_NO_CONVERGENCE,
                      "transient: no end of a phase of %g cycles between %g and %g cycles", T, low,
                      high);
}

/*
 * The t at which A(t) = T, by uniformization: positive terms only, whatever the shape of r.
 *
 * Errors: CLUMP_NO_CONVERGENCE when the chain would have to be followed for too many steps.
 * Cost: O(steps sqrt(P)), steps = greatest rate times t.
 */
static clump_status follow_by_steps(const model_chain *chain, double T, double *t,
                                    clump_error *error)
{
    walk w;
    clump_status status = walk_prepare(&w, chain, error);
    if (status != CLUMP_OK)
        return status;
    /* sum g/Lambda passes T about when Lambda t jumps have happened; the spread is a margin. */
    double served = 0, enough = INFINITY, guess = 0;
    while (status == CLUMP_OK && (double)w.g_count < enough) {
        status = walk_step(&w, error);
        if (status != CLUMP_OK)
            break;
        served += w.g[w.g_count - 1] / w.Lambda;
        if (enough == INFINITY && served > T) {
            const double crossing = (double)w.g_count;
            guess = crossing / w.Lambda;
            enough = crossing * (1 + 1e-3) + 30 * sqrt(crossing) + 200;
        }
        if (w.work > most_work)
            status = clump_fail(error, CLUMP_NO_CONVERGENCE,
                                "transient: a phase of %g cycles of %zu processors takes more than "
                                "the %g steps that can be followed",
                                T, chain->processors, (double)w.g_count);
    }
    if (status == CLUMP_OK)
        status = find_end(&w, T, guess, t, error);
    walk_free(&w);
    return status;
}

/* ---- the time that a phase takes */

/* The error of a contour falls with its nodes, that of the arithmetic grows with them: where both
   numbers give the same result, neither matters. */
enum { few_nodes = 26, more_nodes = 36 };

/* What counts as the same: the elimination carries some rounding from every state. */
static double agreement(const model_chain *c)
{
    return 2e-12 + 1e-16 * (double)c->processors;
}

typedef struct bracket {
    double low, high;
} bracket;

/* r lies between the least and the greatest service, hence the end between T over these. */
static bracket bracket_end(const model_chain *c, double T)
{
    double fastest = 0, slowest = INFINITY;
    for (size_t q = 0; q <= c->processors; q++) {
        fastest = fmax(fastest, service_rate(c, q));
        slowest = fmin(slowest, service_rate(c, q));
    }
    return (bracket){T / fastest, T / slowest};
}

/*
 * A(t) = T by Newton steps kept inside the bracket, on the transform.
 *
 * @return 1 if another contour confirms the end found, else 0
 */
static int end_by_transform(const model_chain *c, double T, double *t)
{
    bracket b = bracket_end(c, T);
    *t = fmin(fmax(T, b.low), b.high);
    for (int i = 0; i < 60; i++) {
        double r, served, confirmed;
        follow_by_transform(c, *t, few_nodes, &r, &served);
        if (!isfinite(r) || !isfinite(served) || !(r > 0))
            return 0;
        const double step = (served - T) / r;
        if (fabs(step) <= 0.05 * agreement(c) * *t || b.high - b.low <= 4e-16 * *t) {
            follow_by_transform(c, *t, more_nodes, &r, &confirmed);
            *t -= step;
            return fabs(confirmed - served) <= agreement(c) * T &&
                   fabs(step * r) <= agreement(c) * T;
        }
        if (served > T)
            b.high = *t;
        else
            b.low = *t;
        const double next = *t - step;
        *t = next > b.low && next < b.high ? next : b.low + (b.high - b.low) / 2;
    }
    return 0;
}

static clump_status end_of_phase(const model_chain *c, double T, double *end, clump_error *error)
{
    double t;
    if (end_by_transform(c, T, &t)) {
        *end = t;
        return CLUMP_OK;
    }
    return follow_by_steps(c, T, end, error);
}

clump_status clump_transient_slowdown(size_t processors, double utilization,
                                      const clump_station *station, double phase_cycles,
                                      double *slowdown, clump_error *error)
{
    const double U = utilization, T = phase_cycles;
    if (!(U >= 0 && U <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization: %g, expected 0 to 1", U);
    if (!(T >= 1e-100 && T <= 1e100))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "phase length: %g cycles, expected 1e-100 to 1e100", T);
    model_chain c;
    clump_status status = prepare_chain(&c, processors, U, station, error);
    if (status != CLUMP_OK)
        return status;
    double end = T;
    if (U == 1)
        end = T * (double)processors / c.rate[processors];
    else if (U >= LEAST_UTILIZATION)
        status = end_of_phase(&c, T, &end, error);
    if (status == CLUMP_OK)
        *slowdown = end / T;
    free(c.rate);
    return status;
}

/* ---- how long the beginning is felt */

/*
 * Whether an eigenvalue of -Q other than 0 lies below x. Symmetrized, -Q = M^T M with M bidiagonal
 * (squares up_q and down_{q+1}); M M^T has the same eigenvalues without the 0. d are the pivots of
 * M M^T - x; carrying t = d - down instead of d keeps full relative accuracy for tiny x.
 */
static int has_eigenvalue_below(const model_chain *c, double x)
{
    double t = rate_up(c, 0) - x;
    for (size_t q = 0; q < c->processors; q++) {
        const double d = t + rate_down(c, q + 1);
        if (d <= 0)
            return 1;
        t = rate_up(c, q + 1) * (t / d) - x;
    }
    return 0;
}

static clump_status smallest_eigenvalue(const model_chain *c, double *gap, clump_error *error)
{
    /* The least diagonal element of M M^T is an upper bound; rounding may need a little more. */
    double high = 2 * (rate_up(c, 0) + rate_down(c, 1));
    double low = high;
    /* Divide before halving: the gap can be many orders below the rates. */
    while (has_eigenvalue_below(c, low)) {
        high = low;
        low /= 1024;
        if (low < 1e-290)
            return clump_fail(error, CLUMP_NO_CONVERGENCE,
                              "relaxation time: beyond 1e290 cycles, the node never changes over");
    }
    while (high - low > 1e-15 * high) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (has_eigenvalue_below(c, middle))
            high = middle;
        else
            low = middle;
    }
    *gap = low + (high - low) / 2;
    return CLUMP_OK;
}

clump_status clump_relaxation_time(size_t processors, double utilization,
                                   const clump_station *station, double *cycles, clump_error *error)
{
    model_chain c;
    double gap = 1;
    if (!(utilization >= LEAST_UTILIZATION && utilization < 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "utilization: %g, expected %g or more, and less than 1", utilization,
                          LEAST_UTILIZATION);
    clump_status status = prepare_chain(&c, processors, utilization, station, error);
    if (status != CLUMP_OK)
        return status;
    status = smallest_eigenvalue(&c, &gap, error);
    if (status == CLUMP_OK)
        *cycles = 1 / gap;
    free(c.rate);
    return status;
}
