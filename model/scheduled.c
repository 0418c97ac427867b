/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scheduled demand: the least mean slowdown that a schedule can reach (MODEL.md 5). */
#include "model/demand_solvers.h"

#include "model/constants.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- the numbers of active processors that matter */

/* Whether mu can bend at any q: without efficiency and shared slots there are few. */
static int bends_anywhere(const clump_station *station)
{
    return station->efficiency.function != NULL || station->efficiency.table_length > 0 ||
           station->slots.ports > 1;
}

/* The next q at which mu can bend: all of them, or the few of min(q m, N). */
static size_t next_corner(const clump_station *station, size_t q, size_t processors)
{
    if (bends_anywhere(station))
        return q + 1;
    const double corner =
        station->max_nics_per_processor > 0 ? station->nics / station->max_nics_per_processor : 1;
    if (q == 0 && corner < 1)
        return 1;
    if ((double)q < floor(corner))
        return floor(corner) < (double)processors ? (size_t)floor(corner) : processors;
    if ((double)q < ceil(corner))
        return ceil(corner) < (double)processors ? (size_t)ceil(corner) : processors;
    return processors;
}

/* ---- equal processors */

typedef struct point {
    double x, y;
} point;

/* Whether b lies on or below the line from a to c, so that the hull does not need it. */
static int is_below(point a, point b, point c)
{
    return (b.y - a.y) * (c.x - a.x) <= (c.y - a.y) * (b.x - a.x);
}

/* Add a point to the upper hull of points that arrive with ascending x. */
static size_t hull_add(point *hull, size_t count, point next)
{
    while (count >= 2 && is_below(hull[count - 2], hull[count - 1], next))
        count--;
    hull[count] = next;
    return count + 1;
}

static clump_status schedule_equal(const clump_need *need, const clump_station *station,
                                   double *slowdown, clump_error *error)
{
    const size_t processors = need->processors;
    const double P = (double)processors, C = need->computation, D = need->communication;
    point *hull = malloc((bends_anywhere(station) ? processors + 1 : 8) * sizeof *hull);
    if (hull == NULL)
        return clump_fail_memory(error, "scheduled demand");
    size_t count = hull_add(hull, 0, (point){0, 0});
    double X = 0, peak = 0;
    for (size_t q = 0; q < processors;) {
        q = next_corner(station, q, processors);
        count = hull_add(hull, count, (point){(double)q, clump_station_rate(station, q)});
    }
    for (size_t i = 1; i < count; i++) {
        const double b = (hull[i].y - hull[i - 1].y) / (hull[i].x - hull[i - 1].x);
        if (b <= 0)
            break;
        /* The first edge passes through 0: what a processor needs alone. */
        const double a = hull[i].y - b * hull[i].x;
        X = fmax(X, i == 1 ? C + D / b : P * (D + b * C) / (a + b * P));
        peak = hull[i].y;
    }
    *slowdown = fmax(X, P * D / peak);
    free(hull);
    return CLUMP_OK;
}

/*
 * The same with memory: q communicate, and of the others as many compute as do most together. The shares of
 * the time have to reach (P D/X, P C/X) within the hull of the points (mu(q), that most).
 */
static clump_status schedule_with_memory(const clump_need *need, const clump_station *station,
                                         double *slowdown, clump_error *error)
{
    const size_t processors = need->processors;
    const double P = (double)processors, C = need->computation, D = need->communication;
    point *hull = malloc((processors + 1) * sizeof *hull);
    double *most = malloc((processors + 1) * sizeof *most);
    if (hull == NULL || most == NULL) {
        free(hull);
        free(most);
        return clump_fail_memory(error, "scheduled demand");
    }
    most[0] = 0;
    for (size_t k = 1; k <= processors; k++)
        most[k] = fmax(most[k - 1], clump_station_computing(station, k));
    size_t count = hull_add(hull, 0, (point){0, most[processors]});
    double peak = 0;
    for (size_t q = 1; q <= processors; q++) {
        const double mu = clump_station_rate(station, q);
        if (mu > peak) /* else fewer that communicate are as good, and leave more to compute */
            count = hull_add(hull, count, (point){mu, most[processors - q]});
        peak = fmax(peak, mu);
    }
    double X = fmax(P * D / peak, P * C / most[processors]);
    for (size_t i = 1; i < count; i++) {
        const double a = hull[i - 1].y - hull[i].y, b = hull[i].x - hull[i - 1].x;
        X = fmax(X, P * (a * D + b * C) / (a * hull[i].x + b * hull[i].y));
    }
    *slowdown = X;
    free(hull);
    free(most);
    return CLUMP_OK;
}

/* ---- processors that differ */

/* What a processor is served while few others are, and what the station serves at most. */
typedef struct service {
    double rate; /* of each, as long as no more than `together` communicate */
    double together;
    double best; /* rate of each at any number */
    double most; /* mu, at any number */
    bool alike;  /* `most` is reached at `rate` each: any number up to it is served as well */
} service;

/* A q with no greater mu than a smaller one is not needed: let its processors take turns. */
static service find_service(const clump_station *station, size_t processors)
{
    service s = {.alike = true};
    double worst = HUGE_VAL;
    for (size_t q = 0; q < processors;) {
        q = next_corner(station, q, processors);
        const double mu = clump_station_rate(station, q), rate = mu / (double)q;
        if (worst == HUGE_VAL)
            s.rate = worst = rate;
        worst = fmin(worst, rate);
        s.best = fmax(s.best, rate);
        if (worst * MODEL_SAME_RATE >= s.rate && rate <= s.rate * MODEL_SAME_RATE)
            s.together = (double)q;
        if (mu > s.most * MODEL_SAME_RATE) {
            s.alike = s.alike && s.together == (double)q;
            s.most = mu;
        }
    }
    return s;
}

typedef struct rank {
    double ratio; /* alone/sqrt(D) */
    double later; /* service per time of those that come later, if they need not wait */
    size_t need;
} rank;

static int compare_ranks(const void *a, const void *b)
{
    const double x = ((const rank *)a)->ratio, y = ((const rank *)b)->ratio;
    return (x > y) - (x < y);
}

/*
 * One state serves both each processor and all of them best: at most `most` in all, and nobody is
 * done before `alone` = C + D/rate. Then sum n X is least with X = max(alone, v sqrt(D)), where v is
 * 0, or such that the station is never idle: sum n D/X = most.
 */
static clump_status share_one_rate(const clump_need *needs, size_t count, double rate, double most,
                                   double *slowdowns, clump_error *error)
{
    rank *ranks = malloc(count * sizeof *ranks);
    if (ranks == NULL)
        return clump_fail_memory(error, "scheduled demand");
    for (size_t k = 0; k < count; k++) {
        const double D = needs[k].communication, alone = needs[k].computation + D / rate;
        slowdowns[k] = alone;
        ranks[k] = (rank){alone / sqrt(D), 0, k};
    }
    qsort(ranks, count, sizeof *ranks, compare_ranks);
    double served = 0;
    for (size_t i = count; i-- > 0;) {
        const size_t k = ranks[i].need;
        ranks[i].later = served;
        served += (double)needs[k].processors * needs[k].communication / slowdowns[k];
    }
    /* Those up to i wait for their turns; whether the next one has to, too. */
    double v = 0, waiting = 0;
    for (size_t i = 0; i < count && served > most * MODEL_SAME_RATE; i++) {
        const clump_need *need = &needs[ranks[i].need];
        waiting += (double)need->processors * sqrt(need->communication);
        v = waiting / (most - ranks[i].later);
        if (ranks[i].later < most && (i + 1 == count || v <= ranks[i + 1].ratio))
            break;
    }
    for (size_t k = 0; k < count; k++)
        slowdowns[k] = fmax(slowdowns[k], v * sqrt(needs[k].communication));
    free(ranks);
    return CLUMP_OK;
}

/* Whether everybody can be served at the greatest rate without waiting; the slowdowns, if so. */
static bool share_alone(const clump_need *needs, size_t count, const service *s, double *slowdowns)
{
    double active = 0;
    if (s->best > s->rate)
        return false;
    for (size_t k = 0; k < count; k++) {
        const double alone = needs[k].communication / s->rate;
        slowdowns[k] = needs[k].computation + alone;
        active += (double)needs[k].processors * (alone / slowdowns[k]);
    }
    return active <= s->together;
}

static clump_status refuse(size_t kinds, clump_error *error)
{
    return clump_fail(
        error, CLUMP_BAD_ARGUMENT,
        "scheduled demand: %zu kinds of processors at NICs that serve each at another "
        "rate when more communicate (max NICs per processor that does not divide the "
        "NICs, efficiency, shared slots), expected equal processors (or independent "
        "or correlated demand)",
        kinds);
}

/* All of them communicate, and at least two needs differ. */
static clump_status schedule_different(const clump_need *needs, size_t count,
                                       const clump_station *station, size_t processors,
                                       double *slowdowns, clump_error *error)
{
    const service s = find_service(station, processors);
    if (s.alike)
        return share_one_rate(needs, count, s.rate, s.most, slowdowns, error);
    if (share_alone(needs, count, &s, slowdowns))
        return CLUMP_OK;
    return refuse(count, error);
}

static int communicates(const clump_need *need)
{
    return need->processors > 0 &&
           need->communication > MODEL_LEAST_COMMUNICATION * need->computation;
}

/* All have to need the same. */
static clump_status schedule_memory(const clump_need *needs, size_t count,
                                    const clump_station *station, double *slowdowns,
                                    clump_error *error)
{
    size_t kinds = 0, kind = 0;
    for (size_t k = 0; k < count; k++)
        if (needs[k].processors > 0) {
            kinds++;
            kind = k;
        }
    if (kinds > 1)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "scheduled demand: %zu kinds of processors that share memory, expected equal "
            "ones (or independent or correlated demand)",
            kinds);
    double X = 0;
    const clump_status status = schedule_with_memory(&needs[kind], station, &X, error);
    for (size_t k = 0; k < count && status == CLUMP_OK; k++)
        slowdowns[k] = X;
    return status;
}

clump_status clump_scheduled_slowdown(const clump_need *needs, size_t count,
                                      const clump_station *station, double *slowdowns,
                                      clump_error *error)
{
    size_t processors;
    clump_status status = model_needs_check(needs, count, &processors, error);
    if (status == CLUMP_OK)
        status = clump_station_check(station, processors, error);
    if (status != CLUMP_OK)
        return status;
    if (station->computing != NULL)
        return schedule_memory(needs, count, station, slowdowns, error);
    clump_need own_need;
    double own_found;
    clump_need *some = count == 1 ? &own_need : malloc(count * sizeof *some);
    double *found = count == 1 ? &own_found : malloc(count * sizeof *found);
    size_t kinds = 0, communicating = 0;
    if (some == NULL || found == NULL)
        status = clump_fail_memory(error, "scheduled demand");
    for (size_t k = 0; k < count && status == CLUMP_OK; k++)
        if (communicates(&needs[k])) {
            communicating += needs[k].processors;
            some[kinds++] = needs[k];
        }
    if (status == CLUMP_OK && kinds == 1)
        status = schedule_equal(&some[0], station, found, error);
    else if (status == CLUMP_OK && kinds > 1)
        status = schedule_different(some, kinds, station, communicating, found, error);
    for (size_t k = 0, i = 0; k < count && status == CLUMP_OK; k++) {
        const double alone = needs[k].communication / clump_station_rate(station, 1);
        slowdowns[k] = communicates(&needs[k]) ? found[i++] : needs[k].computation + alone;
    }
    if (count != 1) {
        free(some);
        free(found);
    }
    return status;
}

clump_status model_scheduled_last(const double *C, const double *D, size_t processors,
                                  const clump_station *station, double *time, clump_error *error)
{
    size_t senders = 0;
    double sum = 0, last = 0;
    const clump_status status = clump_station_check(station, processors, error);
    if (status != CLUMP_OK)
        return status;
    for (size_t p = 0; p < processors; p++)
        senders += D[p] > MODEL_LEAST_COMMUNICATION * C[p];
    const service s = find_service(station, senders > 0 ? senders : 1);
    for (size_t p = 0; p < processors; p++) {
        last = fmax(last, C[p] + D[p] / s.rate);
        sum += D[p];
    }
    const double turns = sum / (s.rate * s.together);
    if (!s.alike && (s.best > s.rate || turns > last * MODEL_SAME_RATE))
        return refuse(senders, error);
    *time = fmax(last, s.alike ? sum / s.most : turns);
    return CLUMP_OK;
}
