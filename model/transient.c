/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/transient.h"
#include "model/constants.h"

#include "model/distribution.h"
#include "model/sum.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The birth-death chain on the number q of processors that communicate, and two
 * ways to follow it in time. Times are in cycles, R + S = 1.
 *
 *   up_q   = nu(P-q)/R              down_q = mu(q)/S          nu(k) = k without memory
 *   rho_q  = (nu(P-q) + mu(q))/P    service that a processor gains per time in state q
 *   r(t)   = E[rho] at time t, from q = 0 at t = 0;  A(t) = integral_0^t r
 */

typedef struct model_chain {
    size_t processors;
    double computation, communication; /* R, S */
    double *rate;                      /* mu(0..P) */
    const double *computing;           /* nu(0..P), or NULL */
} model_chain;

/* nu(P-q) */
static double computed(const model_chain *c, size_t q)
{
    return c->computing == NULL ? (double)(c->processors - q) : c->computing[c->processors - q];
}

static double rate_up(const model_chain *c, size_t q)
{
    return computed(c, q) / c->computation;
}

static double rate_down(const model_chain *c, size_t q)
{
    return c->rate[q] / c->communication;
}

static double service_rate(const model_chain *c, size_t q)
{
    return (computed(c, q) + c->rate[q]) / (double)c->processors;
}

/* Prepare; release `rate` with free(). Utilization above the least and below 1. */
static clump_status prepare_chain(model_chain *chain, size_t processors, double utilization,
                                  const clump_station *station, clump_error *error)
{
    const clump_status status = clump_station_check(station, processors, error);
    if (status != CLUMP_OK)
        return status;
    *chain = (model_chain){processors, 1 - utilization, utilization,
                           malloc((processors + 1) * sizeof *chain->rate), station->computing};
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
 * for large P before the first processors have to wait. Both are NAN if it is stopped. Cost: O(P
 * nodes).
 */
static void follow_by_transform(const model_chain *chain, double t, int nodes,
                                const clump_watch *watch, double *rate, double *served)
{
    const double pi = 3.14159265358979323846;
    double complex sum_rate = 0, sum_served = 0;
    for (int k = 0; k < nodes / 2; k++) {
        if (chain->processors > MODEL_MANY_STATES && clump_watch_stops(watch, NAN)) {
            *rate = *served = NAN;
            return;
        }
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

/* ---- by jumps */

/*
 * Uniformization, piece by piece. In a piece of time the chain jumps at the points of a Poisson
 * process of rate Lambda, at least the greatest rate of leaving a state that it can be in: in state
 * q it goes up with probability up_q/Lambda, down with down_q/Lambda, and else stays. With p_n the
 * distribution after n jumps and g_n its mean of rho, a piece of length t ends with
 *     p = sum_n p_n P(Poisson(Lambda t) = n),   A = 1/Lambda sum_n g_n P(Poisson(Lambda t) > n).
 * All terms are positive, whatever the shape of r. States that are too unlikely are left out, and
 * each piece has the Lambda of its own states: filling up takes as many jumps as there are, and not
 * the rate of the first moment all along. In equilibrium (the distance to it, the sum of |p - pi|,
 * can only fall) the rest follows at the rate of equilibrium.
 */

/* A piece has as many jumps as there are states, or few enough for the rates to change little. */

typedef struct walk {
    const model_chain *chain;
    const clump_watch *watch;
    double *memory;
    /* Each from -1 to P+1. */
    double *p, *next, *sum;  /* 0 outside low..high */
    double *go_up, *go_down; /* probabilities of a jump in the piece in hand, where it can be */
    double *equilibrium;     /* pi */
    double final_rate;       /* r in equilibrium */
    size_t low, high;
    double time, served; /* t and A(t) so far */
    double jumps;        /* so far */
    double work;         /* ns, about */
    double work_asked;   /* at the last question whether to go on */
    /* The piece in hand. */
    double Lambda;
    double *g;       /* g_0, g_1, ... */
    double *weights; /* of a Poisson distribution; as many */
    size_t g_count, g_room;
} walk;

static void walk_free(walk *w)
{
    free(w->memory);
    free(w->g);
}

/* pi, by its ratios. */
static void find_equilibrium(walk *w)
{
    const model_chain *c = w->chain;
    model_sum rate = {0, 0};
    for (size_t q = 0; q < c->processors; q++)
        w->next[q] = rate_up(c, q) / rate_down(c, q + 1);
    model_distribution_from_ratios(w->next, c->processors, 0, w->equilibrium);
    memset(w->next, 0, c->processors * sizeof *w->next);
    for (size_t q = 0; q <= c->processors; q++)
        model_sum_add(&rate, w->equilibrium[q] * service_rate(c, q));
    w->final_rate = model_sum_total(rate);
}

/* Sum of |p - pi| over all states. */
static double distance(const walk *w)
{
    double sum = 0, within = 0;
    for (size_t q = w->low; q <= w->high; q++) {
        sum += fabs(w->p[q] - w->equilibrium[q]);
        within += w->equilibrium[q];
    }
    return sum + fmax(1 - within, 0);
}

static clump_status walk_prepare(walk *w, const model_chain *c, const clump_watch *watch,
                                 clump_error *error)
{
    const size_t states = c->processors + 3;
    *w = (walk){.chain = c, .watch = watch, .memory = calloc(6 * states, sizeof(double))};
    if (w->memory == NULL)
        return clump_fail_memory(error, "the transient");
    w->p = w->memory + 1;
    w->next = w->p + states;
    w->sum = w->next + states;
    w->go_up = w->sum + states;
    w->go_down = w->go_up + states;
    w->equilibrium = w->go_down + states;
    w->p[0] = 1;
    find_equilibrium(w);
    return CLUMP_OK;
}

/* How many jumps the next piece may have, and the Lambda of the states that they can reach. */
static clump_status begin_piece(walk *w, size_t *jumps, clump_error *error)
{
    const model_chain *c = w->chain;
    const size_t P = c->processors, states = w->high - w->low + 1;
    const size_t most = states > MODEL_LEAST_JUMPS ? states : MODEL_LEAST_JUMPS;
    const size_t from = w->low > most ? w->low - most : 0;
    const size_t to = P - w->high > most ? w->high + most : P;
    w->Lambda = 0;
    for (size_t q = from; q <= to; q++)
        w->Lambda = fmax(w->Lambda, rate_up(c, q) + rate_down(c, q));
    for (size_t q = from; q <= to; q++) {
        w->go_up[q] = rate_up(c, q) / w->Lambda;
        w->go_down[q] = rate_down(c, q) / w->Lambda;
    }
    if (most + 1 > w->g_room) {
        const size_t room = 2 * (most + 1);
        double *larger = realloc(w->g, 2 * room * sizeof *larger);
        if (larger == NULL)
            return clump_fail_memory(error, "the transient");
        w->g = larger;
        w->weights = larger + room;
        w->g_room = room;
    }
    w->g_count = 0;
    *jumps = most;
    return CLUMP_OK;
}

/* Means of how likely a jump up and one down are. Sums in four parts, which do not wait for each other. */
static void mean_jumps(const walk *w, double *up, double *down)
{
    const double *p = w->p, *go_up = w->go_up, *go_down = w->go_down;
    double ups[4] = {0}, downs[4] = {0};
    size_t q = w->low;
    for (; q + 3 <= w->high; q += 4)
        for (size_t i = 0; i < 4; i++) {
            ups[i] += p[q + i] * go_up[q + i];
            downs[i] += p[q + i] * go_down[q + i];
        }
    for (; q <= w->high; q++) {
        ups[0] += p[q] * go_up[q];
        downs[0] += p[q] * go_down[q];
    }
    *up = (ups[0] + ups[1]) + (ups[2] + ups[3]);
    *down = (downs[0] + downs[1]) + (downs[2] + downs[3]);
}

/* Note the mean service of the present distribution, add it with its weight to the sum, and jump. */
static void jump(walk *w, double weight)
{
    const model_chain *c = w->chain;
    const size_t P = c->processors, low = w->low, high = w->high;
    double *restrict next = w->next, *restrict sum = w->sum;
    const double *restrict p = w->p, *restrict go_up = w->go_up, *restrict go_down = w->go_down;
    double up, down;
    mean_jumps(w, &up, &down);
    w->g[w->g_count++] = (up * c->computation + down * c->communication) * w->Lambda / (double)P;
    if (weight > 0)
        for (size_t q = low; q <= high; q++)
            sum[q] += weight * p[q];
    w->low = low > 0 ? low - 1 : 0;
    w->high = high < P ? high + 1 : P;
    const ptrdiff_t first = (ptrdiff_t)w->low, last = (ptrdiff_t)w->high;
    for (ptrdiff_t q = first; q <= last; q++) {
        /* What stays is what does not leave; both probabilities are at most 1 together. */
        const double stays = 1 - (go_up[q] + go_down[q]);
        next[q] =
            p[q] * (stays > 0 ? stays : 0) + p[q - 1] * go_up[q - 1] + p[q + 1] * go_down[q + 1];
    }
    while (w->low < w->high && next[w->low] < MODEL_UNLIKELY_JUMP)
        next[w->low++] = 0;
    while (w->high > w->low && next[w->high] < MODEL_UNLIKELY_JUMP)
        next[w->high--] = 0;
    /* Outside the new window the old row may still hold numbers; clear both. */
    memset(w->p + low, 0, (high - low + 1) * sizeof *w->p);
    w->next = w->p;
    w->p = next;
    w->work += MODEL_NS_PER_STATE * (double)(high - low + 1);
}

/* A Poisson distribution where it is anything, as weights that add up to 1. */
typedef struct poisson {
    size_t from, to;
    const double *weights; /* of from..to */
} poisson;

/* From the mode outward, into `weights`: `most` at least its `to`. */
static poisson poisson_make(double mean, size_t most, double *weights)
{
    const double spread = MODEL_POISSON_SPREAD * sqrt(mean) + MODEL_POISSON_LEAST;
    poisson d = {mean > spread ? (size_t)(mean - spread) : 0, (size_t)(mean + spread), weights};
    if (d.to > most)
        d.to = most;
    const size_t mode = mean < (double)d.to ? (size_t)mean : d.to;
    model_sum sum = {1, 0};
    weights[mode - d.from] = 1;
    for (size_t n = mode; n < d.to; n++) {
        weights[n + 1 - d.from] = weights[n - d.from] * mean / (double)(n + 1);
        model_sum_add(&sum, weights[n + 1 - d.from]);
    }
    for (size_t n = mode; n > d.from; n--) {
        weights[n - 1 - d.from] = weights[n - d.from] * (double)n / mean;
        model_sum_add(&sum, weights[n - 1 - d.from]);
    }
    for (size_t n = d.from; n <= d.to; n++)
        weights[n - d.from] /= model_sum_total(sum);
    return d;
}

/* The greatest mean whose distribution ends within so many jumps. */
static double mean_within(size_t jumps)
{
    const double half = MODEL_POISSON_SPREAD / 2;
    const double root = sqrt((double)jumps - MODEL_POISSON_LEAST + half * half) - half;
    return root * root;
}

/* A(t) and r(t) at a time t after the beginning of the piece, t Lambda within its jumps. */
static void evaluate(const walk *w, double t, double *rate, double *served)
{
    const poisson d = poisson_make(w->Lambda * t, w->g_count - 1, w->weights);
    model_sum sum = {0, 0}, now = {0, 0};
    double tail = 1; /* P(Poisson > n-1) */
    for (size_t n = 0; n < d.from; n++)
        model_sum_add(&sum, w->g[n]);
    for (size_t n = d.from; n <= d.to; n++) {
        model_sum_add(&now, d.weights[n - d.from] * w->g[n]);
        tail = fmax(tail - d.weights[n - d.from], 0);
        model_sum_add(&sum, tail * w->g[n]);
    }
    *rate = model_sum_total(now);
    *served = model_sum_total(sum) / w->Lambda;
}

/* The time within the piece, of length `most`, at which `left` is served. */
static double find_end(const walk *w, double left, double most)
{
    double t = most / 2, low = 0, high = most;
    for (int i = 0; i < 200; i++) {
        double r, served;
        evaluate(w, t, &r, &served);
        if (served > left)
            high = t;
        else
            low = t;
        const double step = (served - left) / r, next = t - step;
        if (fabs(step) <= 1e-13 * (w->time + t))
            return next;
        t = next > low && next < high ? next : (low + high) / 2;
    }
    return t;
}

/* One piece, or the end of the phase if that lies in it. */
static clump_status follow_piece(walk *w, double T, int *ended, clump_error *error)
{
    size_t jumps = 0;
    const clump_status status = begin_piece(w, &jumps, error);
    if (status != CLUMP_OK)
        return status;
    const size_t low = w->low, high = w->high;
    const double mean = mean_within(jumps);
    const poisson d = poisson_make(mean, jumps, w->weights);
    double tail = 1;
    model_sum served = {0, 0};
    size_t least = low, greatest = high;
    for (size_t n = 0; n <= d.to; n++) {
        const double weight = n >= d.from ? d.weights[n - d.from] : 0;
        least = w->low < least ? w->low : least;
        greatest = w->high > greatest ? w->high : greatest;
        jump(w, weight);
        tail = fmax(tail - weight, 0);
        model_sum_add(&served, tail * w->g[n]);
        if (w->work - w->work_asked > MODEL_NS_UNASKED) {
            w->work_asked = w->work;
            const clump_status asked = clump_watch_ask(w->watch, NAN, error);
            if (asked != CLUMP_OK)
                return asked;
        }
    }
    const double length = mean / w->Lambda, gained = model_sum_total(served) / w->Lambda;
    w->jumps += (double)w->g_count;
    if (w->served + gained >= T) {
        w->time += find_end(w, T - w->served, length);
        *ended = 1;
        return CLUMP_OK;
    }
    w->time += length;
    w->served += gained;
    /* The sum becomes the distribution, the old one room for the next sum. */
    memset(w->p + w->low, 0, (w->high - w->low + 1) * sizeof *w->p);
    double *p = w->sum;
    w->sum = w->p;
    w->p = p;
    double all = 0;
    for (size_t q = least; q <= greatest; q++)
        all += p[q];
    for (size_t q = least; q <= greatest; q++)
        p[q] = p[q] < MODEL_UNLIKELY_JUMP ? 0 : p[q] / all;
    for (w->low = least; w->low < greatest && p[w->low] == 0;)
        w->low++;
    for (w->high = greatest; w->high > w->low && p[w->high] == 0;)
        w->high--;
    return CLUMP_OK;
}

/*
 * The t at which A(t) = T, jump by jump.
 *
 * Cost: O(sqrt(P)) for each jump until equilibrium is reached.
 */
static clump_status follow_by_jumps(const model_chain *chain, double T, const clump_watch *watch,
                                    double *t, clump_error *error)
{
    walk w;
    int ended = 0;
    clump_status status = walk_prepare(&w, chain, watch, error);
    while (status == CLUMP_OK && !ended) {
        status = follow_piece(&w, T, &ended, error);
        if (status == CLUMP_OK)
            status = clump_watch_ask(watch, w.served / T, error);
        if (status == CLUMP_OK && !ended &&
            distance(&w) <= MODEL_ARRIVED + MODEL_NOISE_PER_JUMP * w.jumps) {
            w.time += (T - w.served) / w.final_rate;
            ended = 1;
        }
    }
    if (status == CLUMP_OK)
        *t = w.time;
    walk_free(&w);
    return status;
}

/* ---- the time that a phase takes */

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
static int end_by_transform(const model_chain *c, double T, const clump_watch *watch, double *t)
{
    bracket b = bracket_end(c, T);
    *t = fmin(fmax(T, b.low), b.high);
    const int most =
        c->processors > MODEL_MANY_STATES ? MODEL_FEWER_INVERSIONS : MODEL_MOST_INVERSIONS;
    for (int i = 0; i < most; i++) {
        if (clump_watch_stops(watch, fmin((double)i / MODEL_USUAL_INVERSIONS, 0.99)))
            return 0;
        double r, served, confirmed;
        follow_by_transform(c, *t, MODEL_FEW_NODES, watch, &r, &served);
        if (!isfinite(r) || !isfinite(served) || !(r > 0))
            return 0;
        const double step = (served - T) / r;
        if (fabs(step) <= 0.05 * MODEL_TRANSIENT_ACCURACY(c->processors) * *t ||
            b.high - b.low <= 4e-16 * *t) {
            follow_by_transform(c, *t, MODEL_MORE_NODES, watch, &r, &confirmed);
            *t -= step;
            return fabs(confirmed - served) <= MODEL_TRANSIENT_ACCURACY(c->processors) * T &&
                   fabs(step * r) <= MODEL_TRANSIENT_ACCURACY(c->processors) * T;
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

static clump_status end_of_phase(const model_chain *c, double T, const clump_watch *watch,
                                 double *end, clump_error *error)
{
    double t;
    if (end_by_transform(c, T, watch, &t)) {
        *end = t;
        return CLUMP_OK;
    }
    const clump_status status = clump_watch_ask(watch, NAN, error);
    return status == CLUMP_OK ? follow_by_jumps(c, T, watch, end, error) : status;
}

clump_status clump_transient_slowdown(size_t processors, double utilization,
                                      const clump_station *station, double phase_cycles,
                                      const clump_watch *watch, double *slowdown,
                                      clump_error *error)
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
    else if (U < MODEL_LEAST_TRANSIENT_UTILIZATION)
        end = c.computing == NULL ? T : T * (double)processors / computed(&c, 0);
    else
        status = end_of_phase(&c, T, watch, &end, error);
    if (status == CLUMP_OK)
        *slowdown = end / T;
    free(c.rate);
    return status;
}
