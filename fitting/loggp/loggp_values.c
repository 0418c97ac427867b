/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/loggp_values.h"

#include "model/statistics.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *symbol, *quantity, *remedy;
} names[CLUMP_LOGGP_NAMES] = {
    [CLUMP_LOGGP_L] = {"L", "latency", ""},
    [CLUMP_LOGGP_O_S] = {"o_s", "send_overhead",
                         "run netgauge (-x loggp) or logp_mpi and import what they write"},
    [CLUMP_LOGGP_O_R] = {"o_r", "receive_overhead",
                         "run netgauge (-x loggp) or logp_mpi and import what they write"},
    [CLUMP_LOGGP_GAP] = {"g", "gap", "run osu_mbw_mr, osu_bw or IMB Uniband from 1 byte on"},
    [CLUMP_LOGGP_GAP_PER_BYTE] = {"G", "gap_per_byte",
                                  "run osu_bw or osu_latency up to 1 MB or more"},
    [CLUMP_LOGGP_ONE_WAY] = {"L+o_s+o_r", NULL, "run osu_latency, IMB PingPong or NetPIPE"},
};

const char *clump_loggp_symbol(clump_loggp_name name)
{
    return names[name].symbol;
}

const char *clump_loggp_quantity(clump_loggp_name name)
{
    return names[name].quantity;
}

const char *clump_curve_name(clump_curve_kind kind)
{
    static const char *const curves[CLUMP_CURVE_KINDS] = {"one way", "stream", "send", "receive"};
    return curves[kind];
}

static void set_unknown(clump_loggp_fit *fit, clump_loggp_name name, const char *reason)
{
    clump_loggp_value *v = &fit->values[name];
    *v = (clump_loggp_value){
        .value = NAN, .interval = {NAN, NAN, NAN, CLUMP_INTERVAL_NONE}, .most = v->most};
    snprintf(v->reason, sizeof v->reason, "%s", reason);
    snprintf(v->remedy, sizeof v->remedy, "%s", names[name].remedy);
}

static double *draws_of(const clump_loggp_fit *fit, clump_loggp_name name)
{
    return fit->draws != NULL ? fit->draws + (size_t)name * fit->resamples : NULL;
}

static void draw_constant(clump_loggp_fit *fit, clump_loggp_name name, double value)
{
    double *draws = draws_of(fit, name);
    for (size_t b = 0; draws != NULL && b < fit->resamples; b++)
        draws[b] = value;
}

/* Step in which the shortest messages of a piece were printed. */
static double resolution_of(const clump_curve *curve, const clump_piece *piece)
{
    double least = INFINITY;
    for (size_t i = piece->first; i < piece->first + piece->count && i < piece->first + 3; i++)
        least = fmin(least, curve->points[i].resolution_us);
    return isfinite(least) ? least : 0;
}

/* All that a printed value says is that it is within half a step: no bootstrap sees that. */
static void widen(clump_interval *interval, double value, double step, double scale)
{
    const double half = step * scale / 2;
    if (!(half > 0))
        return;
    if (interval->source == CLUMP_INTERVAL_NONE)
        *interval = (clump_interval){value, value, NAN, CLUMP_INTERVAL_NONE};
    interval->low = fmax(fmin(interval->low, value - half), 0);
    interval->high = fmax(interval->high, value + half);
}

/* Parameter j of a piece, times `scale`. */
static void set_from_piece(clump_loggp_fit *fit, clump_loggp_name name, clump_curve_kind kind,
                           size_t k, size_t j, double scale)
{
    const clump_piece *piece = &fit->curves[kind].pieces[k];
    clump_loggp_value *v = &fit->values[name];
    double *draws = draws_of(fit, name);
    *v = (clump_loggp_value){.known = true,
                             .value = scale * piece->theta[j],
                             .interval = piece->interval[j],
                             .most = NAN,
                             .samples = piece->count,
                             .runs = piece->runs,
                             .from = kind};
    v->interval.low *= scale;
    v->interval.high *= scale;
    if (j == 0)
        widen(&v->interval, v->value, resolution_of(&fit->samples.curves[kind], piece), scale);
    for (size_t b = 0; draws != NULL && b < fit->resamples; b++)
        draws[b] = scale * (piece->theta[j] +
                            (piece->draws != NULL ? piece->draws[b * piece->parameters + j] : 0));
    snprintf(v->reason, sizeof v->reason, "%s, %.0f to %.0f B", clump_curve_name(kind),
             piece->first_size, piece->last_size);
}

/* Short messages are what the first piece begins with. */
static bool set_short(clump_loggp_fit *fit, clump_loggp_name name, clump_curve_kind kind)
{
    char reason[160];
    if (fit->curves[kind].piece_count == 0)
        return false;
    const clump_piece *first = &fit->curves[kind].pieces[0];
    if (first->theta[0] > 0) {
        set_from_piece(fit, name, kind, 0, 0, 1);
        return true;
    }
    snprintf(reason, sizeof reason, "the shortest message has %.0f B, too far from 1 B",
             first->first_size);
    set_unknown(fit, name, reason);
    fit->values[name].most = clump_curve_fit_time(&fit->curves[kind], first->first_size);
    return true;
}

static void set_one_way(clump_loggp_fit *fit)
{
    const clump_curve_fit *stream = &fit->curves[CLUMP_CURVE_STREAM];
    if (set_short(fit, CLUMP_LOGGP_ONE_WAY, CLUMP_CURVE_ONE_WAY))
        return;
    if (stream->piece_count > 0 && stream->pieces[0].parameters > 2 &&
        stream->pieces[0].theta[2] > 0) /* windows tell it, too */
        set_from_piece(fit, CLUMP_LOGGP_ONE_WAY, CLUMP_CURVE_STREAM, 0, 2, 0.5);
    else
        set_unknown(fit, CLUMP_LOGGP_ONE_WAY, "no half round trips");
}

/* What netgauge fitted itself: all there is if only its log was kept. */
static bool set_ready(clump_loggp_fit *fit, clump_loggp_name name, const clump_loggp_ready *ready)
{
    char reason[160];
    if (ready->count == 0)
        return false;
    double *values = malloc(ready->count * sizeof *values);
    if (values == NULL)
        return false;
    memcpy(values, ready->values, ready->count * sizeof *values);
    const double median = clump_median(values, ready->count);
    const double least = values[0], most = values[ready->count - 1];
    free(values);
    if (!(least > 0)) {
        snprintf(reason, sizeof reason, "the benchmark's own fit gives %.4g", least);
        set_unknown(fit, name, reason);
        return true;
    }
    clump_loggp_value *v = &fit->values[name];
    *v = (clump_loggp_value){.known = true,
                             .value = median,
                             .interval = {NAN, NAN, NAN, CLUMP_INTERVAL_NONE},
                             .most = NAN,
                             .samples = ready->count,
                             .runs = ready->count,
                             .from = CLUMP_CURVE_STREAM};
    if (ready->count > 1)
        v->interval =
            (clump_interval){least, most, 1 - ldexp(1, 1 - (int)fmin(1000, (double)ready->count)),
                             CLUMP_INTERVAL_SPAN};
    snprintf(v->reason, sizeof v->reason, "the benchmark's own line through all sizes");
    draw_constant(fit, name, median);
    return true;
}

static void set_gap(clump_loggp_fit *fit)
{
    const clump_curve_fit *stream = &fit->curves[CLUMP_CURVE_STREAM];
    const clump_curve *curve = &fit->samples.curves[CLUMP_CURVE_STREAM];
    double least = INFINITY;
    bool free_of_window = false;
    if (!set_short(fit, CLUMP_LOGGP_GAP, CLUMP_CURVE_STREAM)) {
        if (!set_ready(fit, CLUMP_LOGGP_GAP, &fit->samples.gap))
            set_unknown(fit, CLUMP_LOGGP_GAP, "no messages that follow each other");
        return;
    }
    const clump_piece *piece = &stream->pieces[0];
    clump_loggp_value *v = &fit->values[CLUMP_LOGGP_GAP];
    for (size_t i = piece->first; i < piece->first + piece->count; i++) {
        double gradient[CLUMP_MESSAGE_MOST_PARAMETERS];
        clump_message_time(piece->parameters, piece->theta, &curve->points[i], gradient);
        free_of_window = free_of_window || (gradient[0] > 0 && (v->known || i == piece->first));
        least = fmin(least, curve->points[i].time_us);
    }
    if (piece->outpaced) {
        set_unknown(fit, CLUMP_LOGGP_GAP,
                    "short messages are faster than window and round trip allow");
        snprintf(v->remedy, sizeof v->remedy,
                 "run latency and rates in one go, and tell the window (--window)");
        v->most = isnan(piece->interval[0].high) ? least : piece->interval[0].high;
    } else if (!free_of_window) {
        set_unknown(fit, CLUMP_LOGGP_GAP, "the window, not g, limits all rates of short messages");
        snprintf(v->remedy, sizeof v->remedy, "run with a larger window");
        v->most = least;
    }
}

/* The time per byte of the longest messages of a curve, if it is more than noise. */
static bool set_slope(clump_loggp_fit *fit, clump_curve_kind kind)
{
    const clump_curve_fit *curve = &fit->curves[kind];
    clump_loggp_value *v = &fit->values[CLUMP_LOGGP_GAP_PER_BYTE];
    char reason[160];
    if (curve->piece_count == 0)
        return false;
    const size_t last = curve->piece_count - 1;
    const clump_piece *piece = &curve->pieces[last];
    if (piece->parameters < 2)
        return false;
    if (piece->theta[1] > 0 && !(piece->interval[1].low <= 0)) {
        set_from_piece(fit, CLUMP_LOGGP_GAP_PER_BYTE, kind, last, 1, 1);
        return true;
    }
    v->most = piece->interval[1].high;
    snprintf(reason, sizeof reason, "messages up to %.0f B do not take longer for their size",
             piece->last_size);
    set_unknown(fit, CLUMP_LOGGP_GAP_PER_BYTE, reason);
    return false;
}

static void set_gap_per_byte(clump_loggp_fit *fit)
{
    set_unknown(fit, CLUMP_LOGGP_GAP_PER_BYTE, "no times of messages of several sizes");
    fit->values[CLUMP_LOGGP_GAP_PER_BYTE].most = NAN;
    if (!set_slope(fit, CLUMP_CURVE_STREAM) && !set_slope(fit, CLUMP_CURVE_ONE_WAY))
        set_ready(fit, CLUMP_LOGGP_GAP_PER_BYTE, &fit->samples.gap_per_byte);
}

/* L is what is left of half a round trip when both overheads are gone. */
static void set_latency(clump_loggp_fit *fit, double *scratch)
{
    const clump_loggp_value *sum = &fit->values[CLUMP_LOGGP_ONE_WAY];
    const clump_loggp_value *o_s = &fit->values[CLUMP_LOGGP_O_S];
    const clump_loggp_value *o_r = &fit->values[CLUMP_LOGGP_O_R];
    clump_loggp_value *L = &fit->values[CLUMP_LOGGP_L];
    double *draws = draws_of(fit, CLUMP_LOGGP_L);
    if (!sum->known || !o_s->known || !o_r->known) {
        set_unknown(fit, CLUMP_LOGGP_L,
                    sum->known ? "only its sum with o_s and o_r is known"
                               : "it takes half a round trip, o_s and o_r");
        L->most = sum->known ? sum->interval.high : NAN;
        snprintf(L->remedy, sizeof L->remedy, "%s",
                 sum->known ? o_s->known ? o_r->remedy : o_s->remedy : sum->remedy);
        return;
    }
    *L = (clump_loggp_value){.known = true,
                             .value = sum->value - o_s->value - o_r->value,
                             .interval = {NAN, NAN, NAN, CLUMP_INTERVAL_NONE},
                             .most = NAN,
                             .samples = sum->samples + o_s->samples + o_r->samples,
                             .runs = sum->runs};
    snprintf(L->reason, sizeof L->reason, "half a round trip less o_s and o_r");
    if (draws == NULL || isnan(sum->interval.low) || isnan(o_s->interval.low) ||
        isnan(o_r->interval.low))
        return;
    const double *a = draws_of(fit, CLUMP_LOGGP_ONE_WAY), *b = draws_of(fit, CLUMP_LOGGP_O_S),
                 *c = draws_of(fit, CLUMP_LOGGP_O_R);
    for (size_t i = 0; i < fit->resamples; i++)
        scratch[i] = draws[i] = a[i] - b[i] - c[i];
    gsl_sort(scratch, 1, fit->resamples);
    L->interval.low = clump_quantile(scratch, fit->resamples, 0.025);
    L->interval.high = clump_quantile(scratch, fit->resamples, 0.975);
    L->interval.confidence =
        fmin(fmin(sum->interval.confidence, o_s->interval.confidence), o_r->interval.confidence);
    L->interval.source =
        sum->interval.source > o_s->interval.source ? sum->interval.source : o_s->interval.source;
    /* Rounding adds up, too. */
    const clump_loggp_name parts[] = {CLUMP_LOGGP_ONE_WAY, CLUMP_LOGGP_O_S, CLUMP_LOGGP_O_R};
    double least = 0;
    for (size_t i = 0; i < 3; i++) {
        const clump_loggp_value *part = &fit->values[parts[i]];
        const clump_curve_fit *curve = &fit->curves[part->from];
        if (curve->piece_count > 0)
            least += resolution_of(&fit->samples.curves[part->from], &curve->pieces[0]) / 2;
    }
    L->interval.low = fmin(L->interval.low, L->value - least);
    L->interval.high = fmax(L->interval.high, L->value + least);
}

static double covariance(const double *x, const double *y, size_t n, double *variance_x,
                         double *variance_y)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        const double dx = x[i] - mx, dy = y[i] - my;
        mx += dx / (double)(i + 1);
        my += dy / (double)(i + 1);
        xx += dx * (x[i] - mx);
        yy += dy * (y[i] - my);
        xy += dx * (y[i] - my);
    }
    *variance_x = xx;
    *variance_y = yy;
    return xy;
}

static void set_correlations(clump_loggp_fit *fit)
{
    for (size_t i = 0; i < CLUMP_LOGGP_NAMES; i++)
        for (size_t j = 0; j < CLUMP_LOGGP_NAMES; j++) {
            double xx, yy;
            fit->correlation[i][j] = NAN;
            if (fit->draws == NULL || !fit->values[i].known || !fit->values[j].known)
                continue;
            const double xy =
                covariance(draws_of(fit, (clump_loggp_name)i), draws_of(fit, (clump_loggp_name)j),
                           fit->resamples, &xx, &yy);
            if (xx > 0 && yy > 0)
                fit->correlation[i][j] = xy / sqrt(xx * yy);
        }
}

clump_status clump_loggp_values_set(clump_loggp_fit *fit, clump_error *error)
{
    double *scratch = malloc((fit->resamples + 1) * sizeof *scratch);
    if (scratch == NULL)
        return clump_fail_memory(error, "intervals");
    for (size_t i = 0; i < CLUMP_LOGGP_NAMES; i++)
        fit->values[i].most = NAN;
    set_one_way(fit);
    if (!set_short(fit, CLUMP_LOGGP_O_S, CLUMP_CURVE_SEND))
        set_unknown(fit, CLUMP_LOGGP_O_S, "no times of sending alone");
    if (!set_short(fit, CLUMP_LOGGP_O_R, CLUMP_CURVE_RECEIVE))
        set_unknown(fit, CLUMP_LOGGP_O_R, "no times of receiving alone");
    set_gap(fit);
    set_gap_per_byte(fit);
    set_latency(fit, scratch);
    set_correlations(fit);
    free(scratch);
    return CLUMP_OK;
}
