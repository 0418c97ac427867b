/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A primal-dual interior-point method. The unknowns of a class are coupled to those of others only
 * by the tau_j and by the sums over the classes, so that Newton's equations are solved class by
 * class (block elimination), with a small system for tau_j and the prices y_j of the sums left.
 *
 *   b = tau - a,  c = q tau - sum n a,  i = 1 - sum h a (h_kj = 1 + g_j C_k/D_k),  tau_0 = 1 - sum tau
 *
 * are kept as variables of their own, all above 0, with multipliers beta, y, iota, lambda; alpha is
 * that of a. The last state, if it is exact and has everybody active, is called forced: a_kj is
 * tau_j there, which gets a multiplier (theta) of its own.
 */
#include "model/time_shares.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 200, MOST_IDLE = 10 };

/* How far the result may be from the optimum: what is aimed at, and what is accepted when rounding
 * lets no step come nearer. */
static const double wanted = 2e-11, accepted = 1e-7;
/* No other state is tried to come nearer than this. */
static const double near_enough = 1e-9;
/* The gap is made no smaller than this: beyond it rounding takes more than a step gives. */
static const double least_gap = 1e-11;

/* K M^3 beyond which it would take longer than some ten seconds, and the same for K J. */
static const double most_work = 5e7, most_offers = 1e8;

typedef struct shares {
    const clump_need *needs;
    const model_share_state *states;
    size_t K, J;
    size_t F; /* states that are not forced: J, or J - 1 */
    double processors, target;
    double *a, *b, *alpha, *beta;  /* K F each; index k F + j */
    double *da, *db;               /* steps */
    double *i, *iota, *di, *diota; /* K each */
    double *X;                     /* K: the slowdowns */
    double *tau, *dtau;            /* J each */
    double *c, *y, *dc, *dy;       /* F each */
    double *dalpha, *dbeta;        /* K F each */
    double tau0, lambda, dtau0, dlambda, theta, dtheta;
    double *block, *coupling, *right; /* of one class: (F+1)^2, (F+1) (J+F), F+1 */
    double *schur, *z;                /* (J+F)^2 and J+F */
    void *memory;
} shares;

static double h_of(const shares *s, size_t k, size_t j)
{
    return 1 + s->states[j].rate * (s->needs[k].computation / s->needs[k].communication);
}

static double service(const shares *s, size_t k)
{
    double sum = s->F < s->J ? s->states[s->F].rate * s->tau[s->F] : 0;
    for (size_t j = 0; j < s->F; j++)
        sum += s->states[j].rate * s->a[k * s->F + j];
    return sum;
}

static clump_status acquire(shares *s, clump_error *error)
{
    const size_t K = s->K, J = s->J, F = s->F, Z = J + F;
    const size_t count = 8 * K * F + 5 * K + 2 * J + 4 * F + (F + 1) * (F + 1 + Z + 1) + Z * Z + Z;
    double *next = s->memory = malloc(count * sizeof(double));
    if (next == NULL)
        return clump_fail_memory(error, "scheduled demand");
    double **const large[] = {&s->a,  &s->b,  &s->alpha,  &s->beta,
                              &s->da, &s->db, &s->dalpha, &s->dbeta};
    double **const classes[] = {&s->i, &s->iota, &s->di, &s->diota, &s->X};
    double **const few[] = {&s->c, &s->y, &s->dc, &s->dy};
    for (size_t n = 0; n < 8; n++, next += K * F)
        *large[n] = next;
    for (size_t n = 0; n < 5; n++, next += K)
        *classes[n] = next;
    for (size_t n = 0; n < 4; n++, next += F)
        *few[n] = next;
    s->tau = next;
    s->dtau = s->tau + J;
    s->block = s->dtau + J;
    s->coupling = s->block + (F + 1) * (F + 1);
    s->right = s->coupling + (F + 1) * Z;
    s->schur = s->right + F + 1;
    s->z = s->schur + Z * Z;
    return CLUMP_OK;
}

/* Inside of all bounds; the equations need not hold yet. */
static void start(shares *s)
{
    const size_t F = s->F, J = s->J;
    const double share = 1 / ((double)J + 1);
    double total = 0, sum = 0;
    for (size_t j = 0; j < J; j++)
        s->tau[j] = share;
    for (size_t k = 0; k < s->K && F < J; k++)
        s->tau[F] = fmin(s->tau[F], 0.25 / h_of(s, k, F));
    for (size_t j = 0; j < J; j++)
        total += s->tau[j];
    s->tau0 = 1 - total;
    for (size_t k = 0; k < s->K; k++) {
        double used = 0;
        for (size_t j = 0; j < F; j++)
            used += h_of(s, k, j) * s->tau[j];
        for (size_t j = 0; j < F; j++) {
            const double part = 0.5 * fmin(s->states[j].active / s->processors, 1);
            s->a[k * F + j] = s->tau[j] * part / fmax(used, 1);
            s->b[k * F + j] = s->tau[j] - s->a[k * F + j];
        }
        used = F < J ? h_of(s, k, F) * s->tau[F] : 0;
        for (size_t j = 0; j < F; j++)
            used += h_of(s, k, j) * s->a[k * F + j];
        s->i[k] = 1 - used;
        sum += (double)s->needs[k].processors * s->needs[k].communication / service(s, k);
    }
    const double mu = sum / (double)(2 * s->K * F + s->K + F + 2);
    for (size_t n = 0; n < s->K * F; n++) {
        s->alpha[n] = mu / s->a[n];
        s->beta[n] = mu / s->b[n];
    }
    for (size_t k = 0; k < s->K; k++)
        s->iota[k] = mu / s->i[k];
    /* What service is worth, about: prices that start far too low rise slowly. */
    double served = 0;
    for (size_t k = 0; k < s->K; k++)
        served += (double)s->needs[k].processors * service(s, k);
    for (size_t j = 0; j < F; j++) {
        double used = 0;
        for (size_t k = 0; k < s->K; k++)
            used += (double)s->needs[k].processors * s->a[k * F + j];
        s->c[j] = s->states[j].exact ? 0 : s->states[j].active * s->tau[j] - used;
        const double worth = fmin(sum / served * s->states[j].rate, sum / s->states[j].active);
        s->y[j] = s->states[j].exact ? 0 : fmax(mu / s->c[j], worth);
    }
    s->lambda = mu / s->tau0;
    s->theta = F < J ? mu / s->tau[F] : 0;
}

/* Sum of all products that are 0 at the optimum. */
static double gap_of(const shares *s)
{
    double sum = s->tau0 * s->lambda + (s->F < s->J ? s->tau[s->F] * s->theta : 0);
    for (size_t n = 0; n < s->K * s->F; n++)
        sum += s->a[n] * s->alpha[n] + s->b[n] * s->beta[n];
    for (size_t k = 0; k < s->K; k++)
        sum += s->i[k] * s->iota[k];
    for (size_t j = 0; j < s->F; j++)
        sum += s->c[j] * s->y[j];
    return sum;
}

static double objective(const shares *s)
{
    double sum = 0;
    for (size_t k = 0; k < s->K; k++)
        sum += (double)s->needs[k].processors * s->needs[k].communication / service(s, k);
    return sum;
}

/* What is missing from an equation. */
static double miss_b(const shares *s, size_t k, size_t j)
{
    return s->tau[j] - s->a[k * s->F + j] - s->b[k * s->F + j];
}

static double miss_i(const shares *s, size_t k)
{
    double rest = 1 - s->i[k] - (s->F < s->J ? h_of(s, k, s->F) * s->tau[s->F] : 0);
    for (size_t j = 0; j < s->F; j++)
        rest -= h_of(s, k, j) * s->a[k * s->F + j];
    return rest;
}

static double miss_c(const shares *s, size_t j)
{
    double rest = s->states[j].active * s->tau[j] - s->c[j];
    for (size_t k = 0; k < s->K; k++)
        rest -= (double)s->needs[k].processors * s->a[k * s->F + j];
    return rest;
}

static double miss_tau(const shares *s)
{
    double rest = 1 - s->tau0;
    for (size_t j = 0; j < s->J; j++)
        rest -= s->tau[j];
    return rest;
}

/* Whether the unknown of a class and state is a, and not b = tau - a: the smaller of the two, so that
 * the other, which is tau minus it, does not take its digits. */
static bool is_direct(const shares *s, size_t kj)
{
    return s->a[kj] <= s->b[kj];
}

/* The weight with which the other of the two ties the unknown to tau. */
static double tie(const shares *s, size_t kj)
{
    return is_direct(s, kj) ? s->beta[kj] / s->b[kj] : s->alpha[kj] / s->a[kj];
}

/*
 * The equations of class k for its steps x, of the F unknowns and of iota: block x + coupling z =
 * right, with z the steps of tau_0 .. tau_{J-1} and y_0 .. y_{F-1}. The block, positive but for its
 * last row, is left as its factor L S L', S the signs. What a class adds to the equations of z
 * directly goes there.
 */
static bool make_block(shares *s, size_t k, bool add)
{
    const size_t F = s->F, J = s->J, Z = J + F, B = F + 1;
    const clump_need *need = &s->needs[k];
    const double n = (double)need->processors, given = service(s, k);
    const double slope = n * need->communication / (given * given), bend = 2 * slope / given;
    double missed = 0, missed_time = 0; /* of service and of time, by those that are not direct */
    memset(s->coupling, 0, B * Z * sizeof(double));
    for (size_t l = 0; l < J; l++) {
        const bool forced = l == F;
        if (!forced && is_direct(s, k * F + l))
            continue;
        const double g = s->states[l].rate, h = h_of(s, k, l);
        const double miss = forced ? 0 : miss_b(s, k, l);
        missed += g * miss;
        missed_time += h * miss;
        for (size_t j = 0; j < F; j++)
            s->coupling[j * Z + l] = bend * g * s->states[j].rate;
        s->coupling[F * Z + l] = h;
    }
    for (size_t j = 0; j < F; j++) {
        const size_t kj = k * F + j;
        const double sign = is_direct(s, kj) ? 1 : -1, g = sign * s->states[j].rate;
        const double own = s->alpha[kj] / s->a[kj] + s->beta[kj] / s->b[kj];
        double *row = &s->block[j * B];
        for (size_t l = 0; l <= j; l++) {
            const double other = is_direct(s, k * F + l) ? s->states[l].rate : -s->states[l].rate;
            double sum = bend * g * other + (l == j ? own : 0);
            for (size_t m = 0; m < l; m++)
                sum -= row[m] * s->block[l * B + m];
            /* In exact arithmetic it is no smaller than `own`. */
            row[l] = l < j ? sum / s->block[l * B + l] : sqrt(fmax(sum, own));
        }
        for (size_t l = 0; l < J; l++)
            s->coupling[j * Z + l] *= sign;
        s->coupling[j * Z + j] -= tie(s, kj);
        s->coupling[j * Z + J + j] = sign * n;
        s->right[j] = sign * (slope * s->states[j].rate - s->iota[k] * h_of(s, k, j) - n * s->y[j] +
                              s->target / s->a[kj] - s->target / s->b[kj]) +
                      tie(s, kj) * miss_b(s, k, j) - bend * g * missed;
    }
    double *last = &s->block[F * B], sum = s->i[k] / s->iota[k];
    for (size_t l = 0; l < F; l++) {
        last[l] = is_direct(s, k * F + l) ? h_of(s, k, l) : -h_of(s, k, l);
        for (size_t m = 0; m < l; m++)
            last[l] -= last[m] * s->block[l * B + m];
        last[l] /= s->block[l * B + l];
        sum += last[l] * last[l];
    }
    last[F] = sqrt(sum);
    s->right[F] = miss_i(s, k) - s->target / s->iota[k] + s->i[k] - missed_time;
    for (size_t j = 0; j < J && add; j++) {
        const bool forced = j == F;
        const size_t kj = k * F + j;
        const double g = s->states[j].rate;
        if (!forced) {
            s->schur[j * Z + j] += tie(s, kj);
            s->z[j] -= tie(s, kj) * miss_b(s, k, j);
        }
        if (!forced && is_direct(s, kj)) {
            s->z[j] += s->target / s->b[kj];
            continue;
        }
        for (size_t l = 0; l < J; l++)
            if (l == F || !is_direct(s, k * F + l))
                s->schur[j * Z + l] += bend * g * s->states[l].rate;
        s->z[j] += slope * g - s->iota[k] * h_of(s, k, j) - bend * g * missed;
        if (forced)
            continue;
        s->schur[j * Z + J + j] += n;
        s->schur[(J + j) * Z + j] += n;
        s->z[j] += s->target / s->a[kj] - n * s->y[j];
        s->z[J + j] -= n * miss_b(s, k, j);
    }
    return isfinite(sum) && sum > 0;
}

/* Multiply a column, entries `stride` apart, by the inverse of L. */
static void solve_lower(const shares *s, double *column, size_t stride)
{
    const size_t B = s->F + 1;
    for (size_t j = 0; j < B; j++) {
        double sum = column[j * stride];
        for (size_t l = 0; l < j; l++)
            sum -= s->block[j * B + l] * column[l * stride];
        column[j * stride] = sum / s->block[j * B + j];
    }
}

/* The same with L'. */
static void solve_upper(const shares *s, double *column)
{
    const size_t B = s->F + 1;
    for (size_t j = B; j-- > 0;) {
        double sum = column[j];
        for (size_t l = j + 1; l < B; l++)
            sum -= s->block[l * B + j] * column[l];
        column[j] = sum / s->block[j * B + j];
    }
}

/* The part of the small system that does not come from the classes, or from all of them at once. */
static void begin_schur(shares *s)
{
    const size_t F = s->F, J = s->J, Z = J + F;
    const double idle = s->lambda / s->tau0;
    memset(s->schur, 0, Z * Z * sizeof(double));
    for (size_t j = 0; j < J; j++) {
        for (size_t l = 0; l < J; l++)
            s->schur[j * Z + l] = idle;
        s->z[j] = idle * miss_tau(s) - s->target / s->tau0;
    }
    for (size_t j = 0; j < F; j++) {
        const bool exact = s->states[j].exact;
        const double q = s->states[j].active;
        s->schur[j * Z + J + j] = s->schur[(J + j) * Z + j] = -q;
        s->schur[(J + j) * Z + J + j] = exact ? 0 : -s->c[j] / s->y[j];
        s->z[j] += q * s->y[j];
        s->z[J + j] = miss_c(s, j) - (exact ? 0 : s->target / s->y[j] - s->c[j]);
    }
    if (F == J)
        return;
    s->schur[F * Z + F] += s->theta / s->tau[F];
    s->z[F] += s->target / s->tau[F];
}

/* Gaussian elimination; the solution replaces z. */
static bool solve_schur(shares *s)
{
    const size_t Z = s->J + s->F;
    double *m = s->schur, *z = s->z;
    for (size_t p = 0; p < Z; p++) {
        size_t best = p;
        for (size_t r = p + 1; r < Z; r++)
            if (fabs(m[r * Z + p]) > fabs(m[best * Z + p]))
                best = r;
        if (!(fabs(m[best * Z + p]) > 0) || !isfinite(m[best * Z + p]))
            return false;
        for (size_t l = 0; best != p && l < Z; l++) {
            const double swapped = m[p * Z + l];
            m[p * Z + l] = m[best * Z + l];
            m[best * Z + l] = swapped;
        }
        const double swapped = z[p];
        z[p] = z[best];
        z[best] = swapped;
        for (size_t r = p + 1; r < Z; r++) {
            const double by = m[r * Z + p] / m[p * Z + p];
            if (by == 0)
                continue;
            for (size_t l = p; l < Z; l++)
                m[r * Z + l] -= by * m[p * Z + l];
            z[r] -= by * z[p];
        }
    }
    for (size_t p = Z; p-- > 0;) {
        for (size_t l = p + 1; l < Z; l++)
            z[p] -= m[p * Z + l] * z[l];
        z[p] /= m[p * Z + p];
    }
    return true;
}

/* The step towards the point where all products are s->target. */
static bool make_step(shares *s)
{
    const size_t F = s->F, J = s->J, Z = J + F;
    begin_schur(s);
    for (size_t k = 0; k < s->K; k++) {
        if (!make_block(s, k, true))
            return false;
        solve_lower(s, s->right, 1);
        for (size_t l = 0; l < Z; l++)
            solve_lower(s, s->coupling + l, Z);
        for (size_t j = 0; j <= F; j++)
            for (size_t l = 0; l < Z; l++) {
                const double v = j < F ? s->coupling[j * Z + l] : -s->coupling[j * Z + l];
                if (v == 0)
                    continue;
                s->z[l] -= v * s->right[j];
                for (size_t m = 0; m < Z; m++)
                    s->schur[l * Z + m] -= v * s->coupling[j * Z + m];
            }
    }
    /* Where several mixtures of states serve equally well, nothing but rounding would say how far to
     * go between them. */
    double largest = 0;
    for (size_t n = 0; n < Z * Z; n++)
        largest = fmax(largest, fabs(s->schur[n]));
    for (size_t j = 0; j < J; j++)
        s->schur[j * Z + j] += 1e-15 * largest;
    if (!solve_schur(s))
        return false;
    memcpy(s->dtau, s->z, J * sizeof(double));
    memcpy(s->dy, s->z + J, F * sizeof(double));
    for (size_t k = 0; k < s->K; k++) {
        double *x = s->right, *da = s->da + k * F;
        make_block(s, k, false);
        for (size_t j = 0; j <= F; j++)
            for (size_t l = 0; l < Z; l++)
                x[j] -= s->coupling[j * Z + l] * s->z[l];
        solve_lower(s, x, 1);
        x[F] = -x[F];
        solve_upper(s, x);
        for (size_t j = 0; j < F; j++) {
            const size_t kj = k * F + j;
            const double other = s->dtau[j] - x[j] + miss_b(s, k, j);
            s->da[kj] = is_direct(s, kj) ? x[j] : other;
            s->db[kj] = is_direct(s, kj) ? other : x[j];
        }
        s->diota[k] = x[F];
        s->di[k] = miss_i(s, k) - (F < J ? h_of(s, k, F) * s->dtau[F] : 0);
        for (size_t j = 0; j < F; j++) {
            const size_t kj = k * F + j;
            s->dalpha[kj] = (s->target - s->alpha[kj] * da[j]) / s->a[kj] - s->alpha[kj];
            s->dbeta[kj] = (s->target - s->beta[kj] * s->db[kj]) / s->b[kj] - s->beta[kj];
            s->di[k] -= h_of(s, k, j) * da[j];
        }
    }
    for (size_t j = 0; j < F; j++)
        s->dc[j] = s->states[j].exact ? 0 : (s->target - s->c[j] * s->dy[j]) / s->y[j] - s->c[j];
    s->dtau0 = miss_tau(s);
    for (size_t j = 0; j < J; j++)
        s->dtau0 -= s->dtau[j];
    s->dlambda = (s->target - s->lambda * s->dtau0) / s->tau0 - s->lambda;
    s->dtheta = F < J ? (s->target - s->theta * s->dtau[F]) / s->tau[F] - s->theta : 0;
    return true;
}

/* The longest step, at most 1, that leaves `value` above 0. */
static void limit(double *step, double value, double change)
{
    if (value + *step * change <= 0)
        *step = -value / change;
}

static double longest_step(const shares *s)
{
    double step = 1 / 0.995;
    for (size_t n = 0; n < s->K * s->F; n++) {
        limit(&step, s->a[n], s->da[n]);
        limit(&step, s->b[n], s->db[n]);
        limit(&step, s->alpha[n], s->dalpha[n]);
        limit(&step, s->beta[n], s->dbeta[n]);
    }
    for (size_t k = 0; k < s->K; k++) {
        limit(&step, s->i[k], s->di[k]);
        limit(&step, s->iota[k], s->diota[k]);
    }
    for (size_t j = 0; j < s->F; j++)
        if (!s->states[j].exact) {
            limit(&step, s->c[j], s->dc[j]);
            limit(&step, s->y[j], s->dy[j]);
        }
    limit(&step, s->tau0, s->dtau0);
    limit(&step, s->lambda, s->dlambda);
    if (s->F < s->J) {
        limit(&step, s->tau[s->F], s->dtau[s->F]);
        limit(&step, s->theta, s->dtheta);
    }
    return 0.995 * step;
}

static void move(double *values, const double *changes, size_t count, double step)
{
    for (size_t n = 0; n < count; n++)
        values[n] += step * changes[n];
}

static void take_step(shares *s, double step)
{
    const size_t KF = s->K * s->F;
    move(s->a, s->da, KF, step);
    move(s->b, s->db, KF, step);
    move(s->alpha, s->dalpha, KF, step);
    move(s->beta, s->dbeta, KF, step);
    move(s->i, s->di, s->K, step);
    move(s->iota, s->diota, s->K, step);
    move(s->tau, s->dtau, s->J, step);
    move(s->c, s->dc, s->F, step);
    move(s->y, s->dy, s->F, step);
    s->tau0 += step * s->dtau0;
    s->lambda += step * s->dlambda;
    s->theta += step * s->dtheta;
}

typedef struct offer {
    double value, processors;
} offer;

static int compare_offers(const void *a, const void *b)
{
    const double x = ((const offer *)a)->value, y = ((const offer *)b)->value;
    return (x < y) - (x > y);
}

/*
 * What a set of processors offers for the time in `state`, at most, with slowdowns X and prices iota
 * of the processors' own time: each offers what its service is worth, slope g with the slope of the
 * objective n D/s^2 = n X^2/D, less the price of the time that the work with it takes.
 */
static double most_offered(const clump_need *needs, size_t count, const model_share_state *state,
                           const double *X, const double *prices, offer *offers)
{
    double left = state->active, value = 0;
    for (size_t k = 0; k < count; k++) {
        const double C = needs[k].computation, D = needs[k].communication;
        const double n = (double)needs[k].processors, h = 1 + state->rate * (C / D);
        offers[k] = (offer){X[k] * X[k] / D * state->rate - prices[k] / n * h, n};
    }
    qsort(offers, count, sizeof *offers, compare_offers);
    for (size_t k = 0; k < count && left > 0; k++) {
        const double taken = fmin(left, offers[k].processors);
        if (offers[k].value <= 0 && !state->exact)
            break;
        value += taken * offers[k].value;
        left -= taken;
    }
    return value;
}

/*
 * How far the point can be from the optimum, relative to it: the objective is convex, so that it
 * falls by no more than its slope allows in what is the best of all schedules for that slope. That
 * best is bounded by prices for the time of the processors, and by the most that is offered for a
 * share of all time. Leaves the slowdowns in `X`.
 */
static double distance(const shares *s, double *X, offer *offers)
{
    double reached = 0, most = 0, sum = 0;
    for (size_t k = 0; k < s->K; k++) {
        X[k] = s->needs[k].communication / service(s, k);
        reached += (double)s->needs[k].processors * X[k];
        sum += s->iota[k];
    }
    for (size_t j = 0; j < s->J; j++)
        most = fmax(most, most_offered(s->needs, s->K, &s->states[j], X, s->iota, offers));
    return (sum + most - reached) / reached;
}

/* How much more than it has the point takes: of the time of a state, and of all time. */
static double excess(const shares *s)
{
    double worst = fabs(miss_tau(s));
    for (size_t k = 0; k < s->K; k++) {
        worst = fmax(worst, fabs(miss_i(s, k)));
        for (size_t j = 0; j < s->F; j++)
            worst = fmax(worst, fabs(miss_b(s, k, j)));
    }
    for (size_t j = 0; j < s->F; j++)
        worst = fmax(worst, fabs(miss_c(s, j)) / s->states[j].active);
    return worst;
}

/* The optimum with these states, and the prices that prove it. */
static clump_status solve_some(const clump_need *needs, size_t count,
                               const model_share_state *states, size_t state_count,
                               const clump_watch *watch, double *slowdowns, double *prices,
                               offer *offers, clump_error *error)
{
    shares s = {.needs = needs, .states = states, .K = count, .J = state_count};
    for (size_t k = 0; k < count; k++)
        s.processors += (double)needs[k].processors;
    const model_share_state *last = &states[state_count - 1];
    s.F = state_count - (last->exact && last->active >= s.processors);
    clump_status status = acquire(&s, error);
    if (status != CLUMP_OK)
        return status;
    start(&s);
    const double products = (double)(2 * s.K * s.F + s.K + s.F + 2);
    double step = 0.2, nearest = HUGE_VAL;
    int idle = 0; /* rounds in which rounding was all that changed */
    for (int round = 0; round < MOST_ITERATIONS && nearest > wanted; round++) {
        status = clump_watch_ask(watch, NAN, error);
        if (status != CLUMP_OK)
            break;
        const double gap = gap_of(&s);
        if (gap <= 1e-6 * objective(&s)) {
            const double off = fmax(distance(&s, s.X, offers), excess(&s));
            if (off < nearest) {
                memcpy(slowdowns, s.X, count * sizeof *slowdowns);
                memcpy(prices, s.iota, count * sizeof *prices);
            }
            idle = off < 0.5 * nearest ? 0 : idle + 1;
            nearest = fmin(nearest, off);
            if (nearest <= accepted && idle >= MOST_IDLE)
                break;
        }
        const double centre = step > 0.9 ? 0.02 : step > 0.5 ? 0.1 : step > 0.1 ? 0.3 : 1;
        s.target = fmax(centre * gap, least_gap * objective(&s)) / products;
        if (!make_step(&s))
            break;
        step = longest_step(&s);
        if (!(step > 1e-8))
            break;
        take_step(&s, step);
    }
    free(s.memory);
    if (status != CLUMP_OK || nearest <= accepted)
        return status;
    return clump_fail(error, CLUMP_NO_CONVERGENCE,
                      "scheduled demand: the best schedule was found to %g only, expected %g",
                      nearest, accepted);
}

/* ---- which states to try */

typedef struct search {
    const clump_need *needs;
    size_t count;
    const model_share_state *states;
    size_t state_count;
    bool *chosen;
    model_share_state *some;
    double *slowdowns, *prices;
    offer *offers;
    const clump_watch *watch;
} search;

static double offered(const search *s, size_t j)
{
    return most_offered(s->needs, s->count, &s->states[j], s->slowdowns, s->prices, s->offers);
}

/* The state with the greatest offer out of every `stride`-th one, and then of those beside it. */
static size_t best_state(const search *s, size_t stride, double *value)
{
    size_t best = 0;
    *value = -HUGE_VAL;
    for (size_t j = 0; j < s->state_count; j += stride) {
        const double found = offered(s, j);
        if (found > *value) {
            *value = found;
            best = j;
        }
    }
    while (stride > 1) {
        stride = (stride + 1) / 2;
        const size_t middle = best, first = middle > stride ? middle - stride : 0;
        for (size_t j = first; j <= middle + stride && j < s->state_count; j += stride) {
            const double found = offered(s, j);
            if (found > *value) {
                *value = found;
                best = j;
            }
        }
    }
    return best;
}

static void choose(search *s, size_t j, size_t beside)
{
    for (size_t i = j > beside ? j - beside : 0; i <= j + beside && i < s->state_count; i++)
        s->chosen[i] = true;
}

/*
 * The optimum has few states in use. Begin with some, and add the one for which most is offered, and
 * its neighbours, until none of all is worth more than those that there are.
 */
static clump_status solve_all(search *s, clump_error *error)
{
    const size_t coarse = s->state_count / 64 + 1;
    s->chosen[0] = true;
    for (size_t i = 1; i <= 4; i++)
        s->chosen[(s->state_count - 1) * i / 4] = true;
    for (size_t round = 1;; round++) {
        size_t count = 0;
        for (size_t j = 0; j < s->state_count; j++)
            if (s->chosen[j])
                s->some[count++] = s->states[j];
        const double n = (double)count;
        if ((double)s->count * n * n * n > most_work ||
            (double)s->count * (double)s->state_count > most_offers)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "scheduled demand: %zu kinds of processors and %zu rates of service "
                              "take too long to solve, expected fewer of either",
                              s->count, s->state_count);
        clump_status status = solve_some(s->needs, s->count, s->some, count, s->watch, s->slowdowns,
                                         s->prices, s->offers, error);
        if (status != CLUMP_OK)
            return status;
        double most = 0, reached = 0, prices = 0, value;
        for (size_t j = 0; j < count; j++)
            most = fmax(most, most_offered(s->needs, s->count, &s->some[j], s->slowdowns, s->prices,
                                           s->offers));
        for (size_t k = 0; k < s->count; k++) {
            reached += (double)s->needs[k].processors * s->slowdowns[k];
            prices += s->prices[k];
        }
        /* The distance that is proved, which may be more than what rounding allows. */
        const double enough = fmax(reached - prices + near_enough * reached, most);
        size_t best = best_state(s, coarse, &value);
        status = clump_watch_ask(s->watch, NAN, error);
        if (status != CLUMP_OK)
            return status;
        if (coarse > 1 && value <= enough)
            best = best_state(s, 1, &value);
        if (value <= enough || s->chosen[best])
            return CLUMP_OK;
        choose(s, best, round);
    }
}

clump_status model_time_shares_solve(const clump_need *needs, size_t count,
                                     const model_share_state *states, size_t state_count,
                                     const clump_watch *watch, double *slowdowns,
                                     clump_error *error)
{
    search s = {.needs = needs,
                .count = count,
                .states = states,
                .state_count = state_count,
                .watch = watch,
                .chosen = malloc(state_count * sizeof *s.chosen),
                .some = malloc(state_count * sizeof *s.some),
                .slowdowns = malloc(count * sizeof *s.slowdowns),
                .prices = malloc(count * sizeof *s.prices),
                .offers = malloc(count * sizeof *s.offers)};
    clump_status status;
    if (s.chosen && s.some && s.slowdowns && s.prices && s.offers) {
        memset(s.chosen, 0, state_count * sizeof *s.chosen);
        status = solve_all(&s, error);
    } else {
        status = clump_fail_memory(error, "scheduled demand");
    }
    if (status == CLUMP_OK)
        memcpy(slowdowns, s.slowdowns, count * sizeof *slowdowns);
    free(s.chosen);
    free(s.some);
    free(s.slowdowns);
    free(s.prices);
    free(s.offers);
    return status;
}
