/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/loggp_fit.h"

#include "model/statistics.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- from curves to the five parameters */

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

/* The same where there is no curve; the reason tells if there are samples, but none that can be trusted. */
static void set_missing(clump_loggp_fit *fit, clump_loggp_name name, clump_curve_kind kind,
                        const char *reason)
{
    const size_t doubtful =
        fit->samples.curves[kind].count == 0 ? fit->samples.doubtful_of[kind] : 0;
    char text[160];
    snprintf(text, sizeof text, "%s but doubtful ones (%zu)", reason, doubtful);
    set_unknown(fit, name, doubtful > 0 ? text : reason);
    if (doubtful > 0)
        snprintf(fit->values[name].remedy, sizeof fit->values[name].remedy,
                 "measure again when the machine has nothing else to do");
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
        set_missing(fit, CLUMP_LOGGP_ONE_WAY, CLUMP_CURVE_ONE_WAY, "no half round trips");
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
            set_missing(fit, CLUMP_LOGGP_GAP, CLUMP_CURVE_STREAM,
                        "no messages that follow each other");
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
    set_missing(fit, CLUMP_LOGGP_GAP_PER_BYTE,
                fit->samples.doubtful_of[CLUMP_CURVE_STREAM] > 0 ? CLUMP_CURVE_STREAM
                                                                 : CLUMP_CURVE_ONE_WAY,
                "no times of messages of several sizes");
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

/* Set the values, their intervals and correlations from the fitted curves. */
static clump_status set_values(clump_loggp_fit *fit, clump_error *error)
{
    double *scratch = malloc((fit->resamples + 1) * sizeof *scratch);
    if (scratch == NULL)
        return clump_fail_memory(error, "intervals");
    for (size_t i = 0; i < CLUMP_LOGGP_NAMES; i++)
        fit->values[i].most = NAN;
    set_one_way(fit);
    if (!set_short(fit, CLUMP_LOGGP_O_S, CLUMP_CURVE_SEND))
        set_missing(fit, CLUMP_LOGGP_O_S, CLUMP_CURVE_SEND, "no times of sending alone");
    if (!set_short(fit, CLUMP_LOGGP_O_R, CLUMP_CURVE_RECEIVE))
        set_missing(fit, CLUMP_LOGGP_O_R, CLUMP_CURVE_RECEIVE, "no times of receiving alone");
    set_gap(fit);
    set_gap_per_byte(fit);
    set_latency(fit, scratch);
    set_correlations(fit);
    free(scratch);
    return CLUMP_OK;
}

/* ---- what to beware of */

/* Runs of which the one is this much slower are told apart by eye. */
#define DIFFERENT 1.25
#define STRONG 0.9
#define LONG_BYTES 1024

/* Source of the first point of a run. */
static const char *source_of_run(const clump_loggp_fit *fit, clump_curve_kind kind, size_t run)
{
    const clump_curve *curve = &fit->samples.curves[kind];
    for (size_t i = 0; i < curve->count; i++)
        if (curve->points[i].run == run)
            return fit->samples.used.items[curve->points[i].sample].source;
    return "?";
}

/* The largest of the steps that single runs show. */
static void note_change(clump_loggp_fit *fit, clump_curve_kind kind)
{
    const clump_curve_fit *c = &fit->curves[kind];
    const clump_speed_change *most = &c->changes[0];
    for (size_t i = 1; i < c->change_count; i++)
        if (fabs(log(c->changes[i].step)) > fabs(log(most->step)))
            most = &c->changes[i];
    clump_note(&fit->notes,
               "%s: runs change their speed where others do not (places: %zu), most of all "
               "%.80s, by a factor of %.2f between %.0f and %.0f B: the machine's doing, no "
               "protocol's",
               clump_curve_name(kind), c->change_count, source_of_run(fit, kind, most->run),
               most->step, most->below, most->above);
}

static void note_curve(clump_loggp_fit *fit, clump_curve_kind kind)
{
    const clump_curve_fit *c = &fit->curves[kind];
    const char *name = clump_curve_name(kind);
    if (c->piece_count == 0)
        return;
    if (c->runs == 1 && c->pieces[0].draws != NULL)
        clump_note(&fit->notes,
                   "%s: one run only, so the intervals are those of its scatter around the lines; "
                   "what differs from run to run is not in them",
                   name);
    size_t unsure = 0;
    for (size_t k = 0; k + 1 < c->piece_count; k++)
        unsure += !c->breaks[k].confirmed;
    if (unsure > 0)
        clump_note(
            &fit->notes,
            "%s: %zu of %zu breaks are seen in one run only: a protocol, or the machine that "
            "changed its speed while it ran; another run would tell",
            name, unsure, c->piece_count - 1);
    if (c->change_count > 0)
        note_change(fit, kind);
    for (size_t k = 0; k < c->piece_count; k++)
        if (c->pieces[k].differences > DIFFERENT)
            clump_note(&fit->notes, "%s, %.0f to %.0f B: runs differ by up to a factor of %.2f",
                       name, c->pieces[k].first_size, c->pieces[k].last_size,
                       c->pieces[k].differences);
    for (size_t k = 0; k < c->piece_count; k++)
        if (c->pieces[k].outpaced)
            clump_note(&fit->notes,
                       "%s, %.0f to %.0f B: messages are faster than their window and the half "
                       "round trips allow: the two were measured at different speeds, or the "
                       "window was another (--window); the line is through the times as they are",
                       name, c->pieces[k].first_size, c->pieces[k].last_size);
    if (c->pieces[0].first_size > LONG_BYTES)
        clump_note(&fit->notes,
                   "%s: the shortest message has %.0f B; what is said of short ones is drawn "
                   "out from there",
                   name, c->pieces[0].first_size);
    if (c->waiting_guessed)
        clump_note(&fit->notes,
                   "%s: the samples do not tell how the sender waits for its window; taken is "
                   "max(g + (n-1) G, RTT/W)",
                   name);
}

/* Values that do not go together, or that invite a wrong reading. */
static void note_values(clump_loggp_fit *fit)
{
    const clump_loggp_value *v = fit->values;
    const clump_loggp_value *L = &v[CLUMP_LOGGP_L], *sum = &v[CLUMP_LOGGP_ONE_WAY];
    const clump_loggp_value *G = &v[CLUMP_LOGGP_GAP_PER_BYTE];
    const double longer = fmax(v[CLUMP_LOGGP_O_S].value, v[CLUMP_LOGGP_O_R].value);
    if (L->known && sum->value < longer)
        clump_note(&fit->notes,
                   "half a round trip (%.4g us) is shorter than one of the overheads (%.4g "
                   "us): they were measured at different speeds of the machine, and L is "
                   "not to be trusted",
                   sum->value, longer);
    else if (L->known && L->value < 0)
        clump_note(&fit->notes, "L is below 0: sending and receiving overlap by %.4g us",
                   -L->value);
    if (v[CLUMP_LOGGP_GAP].known && v[CLUMP_LOGGP_O_S].known &&
        v[CLUMP_LOGGP_GAP].interval.high < v[CLUMP_LOGGP_O_S].interval.low)
        clump_note(&fit->notes,
                   "g is below o_s: a message cannot follow sooner than the processor is done "
                   "with the one before; the two were measured in different ways or at "
                   "different speeds");
    if (G->known && G->from == CLUMP_CURVE_ONE_WAY)
        clump_note(&fit->notes,
                   "G is from half round trips, where sender and receiver may handle a "
                   "message one after the other: with bandwidths (osu_bw) it may be less");
    if (G->known && fit->curves[G->from].piece_count > 0) {
        const clump_curve_fit *c = &fit->curves[G->from];
        const clump_piece *last = &c->pieces[c->piece_count - 1];
        if (G->value * last->last_size < last->theta[0])
            clump_note(&fit->notes,
                       "the longest message has %.0f B, most of whose time is not its bytes': "
                       "G of long messages may be another",
                       last->last_size);
    }
}

static void note_correlations(clump_loggp_fit *fit)
{
    for (size_t i = 0; i < CLUMP_LOGGP_ONE_WAY; i++)
        for (size_t j = i + 1; j < CLUMP_LOGGP_ONE_WAY; j++)
            if (fabs(fit->correlation[i][j]) > STRONG)
                clump_note(&fit->notes, "%s and %s trade off against each other (correlation %.2f)",
                           clump_loggp_symbol((clump_loggp_name)i),
                           clump_loggp_symbol((clump_loggp_name)j), fit->correlation[i][j]);
}

static void note_samples(clump_loggp_fit *fit)
{
    const clump_curve *stream = &fit->samples.curves[CLUMP_CURVE_STREAM];
    int64_t most = 0;
    for (size_t i = 0; i < stream->count; i++)
        most = stream->points[i].sample < fit->samples.used.count &&
                       fit->samples.used.items[stream->points[i].sample].processes > most
                   ? fit->samples.used.items[stream->points[i].sample].processes
                   : most;
    if (most > 2)
        clump_note(&fit->notes,
                   "rates are of %lld processes at once, and g and G those of one pair among "
                   "them: a pair alone may be faster",
                   (long long)most);
    if (fit->samples.window_assumed)
        clump_note(&fit->notes,
                   "the logs do not say the window of osu_bw or IMB Uniband: 64 is assumed, "
                   "which is their default (--window)");
    if (fit->samples.unusable > 0)
        clump_note(&fit->notes, "%zu samples tell no time above 0 and are left out",
                   fit->samples.unusable);
    if (fit->samples.doubtful > 0)
        clump_note(&fit->notes, "%zu samples are marked doubtful and are left out",
                   fit->samples.doubtful);
    if (fit->samples.not_used > 0)
        clump_note(&fit->notes,
                   "%zu samples are of statistics, variants or quantities that tell nothing of "
                   "LogGP",
                   fit->samples.not_used);
}

/* Say what to beware of. */
static clump_status write_notes(clump_loggp_fit *fit, clump_error *error)
{
    fit->notes.arena = fit->samples.arena;
    note_values(fit);
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        note_curve(fit, (clump_curve_kind)k);
    note_correlations(fit);
    note_samples(fit);
    return fit->notes.no_memory ? clump_fail_memory(error, "notes") : CLUMP_OK;
}

/* ---- the fit */

/* Does a curve have samples beside a break from a source from which the other curve has none? One run of a benchmark
 * that measures both curves is one witness, not two. */
static bool has_other_source(const clump_loggp_samples *set, clump_curve_kind kind,
                             const clump_break *b, clump_curve_kind than, const clump_break *known)
{
    const clump_curve *mine = &set->curves[kind], *other = &set->curves[than];
    for (size_t i = 0; i < mine->count; i++) {
        const clump_curve_point *p = &mine->points[i];
        bool shared = false;
        if (p->size_bytes < b->below || p->size_bytes > b->above)
            continue;
        for (size_t j = 0; j < other->count && !shared; j++) {
            const clump_curve_point *q = &other->points[j];
            shared =
                q->size_bytes >= known->below && q->size_bytes <= known->above &&
                strcmp(set->used.items[q->sample].source, set->used.items[p->sample].source) == 0;
        }
        if (!shared)
            return true;
    }
    return false;
}

static bool same_place(const clump_break *a, const clump_break *b)
{
    return a->below < b->high && b->below < a->high && a->above > b->low && b->above > a->low;
}

/* A break that one run of each of two benchmarks shows is as good as one in two runs. */
static void confirm_across(clump_loggp_fit *fit)
{
    for (size_t i = 0; i < CLUMP_CURVE_KINDS; i++)
        for (size_t k = 0; k + 1 < fit->curves[i].piece_count; k++) {
            clump_break *b = &fit->curves[i].breaks[k];
            for (size_t j = 0; j < CLUMP_CURVE_KINDS && !b->confirmed; j++)
                for (size_t m = 0; j != i && m + 1 < fit->curves[j].piece_count; m++) {
                    const clump_break *other = &fit->curves[j].breaks[m];
                    b->confirmed =
                        b->confirmed || (same_place(b, other) &&
                                         has_other_source(&fit->samples, (clump_curve_kind)j, other,
                                                          (clump_curve_kind)i, b));
                }
        }
}

/* The round trips that windows wait for: of a message and a short reply after a burst, of a
 * message and its like where each waits. */
static void set_round_trips(clump_loggp_fit *fit)
{
    const clump_curve_fit *one_way = &fit->curves[CLUMP_CURVE_ONE_WAY];
    clump_curve *stream = &fit->samples.curves[CLUMP_CURVE_STREAM];
    for (size_t i = 0; i < stream->count; i++) {
        clump_curve_point *p = &stream->points[i];
        const double there = clump_curve_fit_time(one_way, p->size_bytes);
        const double back = clump_curve_fit_time(one_way, 1);
        p->round_trip_us = there + (p->waiting == CLUMP_WAITS_FOR_BURST ? back : there);
    }
}

static bool has_nothing(const clump_loggp_samples *samples)
{
    size_t count = samples->gap.count + samples->gap_per_byte.count;
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        count += samples->curves[k].count;
    return count == 0;
}

static clump_status fit_all(clump_loggp_fit *fit, const clump_loggp_filter *filter,
                            const clump_fit_options *options, clump_error *error)
{
    clump_status status = CLUMP_OK;
    if (has_nothing(&fit->samples) && fit->samples.doubtful > 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "platform '%.60s' has doubtful times of messages only (%zu); expected "
                          "some that were measured when the machine had nothing else to do",
                          filter->platform, fit->samples.doubtful);
    if (has_nothing(&fit->samples))
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "platform '%.60s' has no times of messages%s%.40s%s, expected some from a "
            "benchmark ('clumpmodel import')",
            filter->platform, filter->transport != NULL ? " of transport '" : "",
            filter->transport != NULL ? filter->transport : "",
            filter->transport != NULL ? "'" : "");
    for (size_t k = 0; k < CLUMP_CURVE_KINDS && status == CLUMP_OK; k++) {
        status = clump_curve_fit_run(&fit->samples.curves[k], options, k, &fit->curves[k], error);
        if (k == CLUMP_CURVE_ONE_WAY && status == CLUMP_OK)
            set_round_trips(fit);
    }
    if (status == CLUMP_OK && options->resamples > 0) {
        fit->draws = calloc(options->resamples, CLUMP_LOGGP_NAMES * sizeof *fit->draws);
        fit->resamples = options->resamples;
        if (fit->draws == NULL)
            status = clump_fail_memory(error, "intervals");
    }
    if (status == CLUMP_OK) {
        confirm_across(fit);
        status = set_values(fit, error);
    }
    return status == CLUMP_OK ? write_notes(fit, error) : status;
}

clump_status clump_loggp_fit_run(clump_store *store, const clump_loggp_filter *filter,
                                 const clump_fit_options *options, clump_loggp_fit *fit,
                                 clump_error *error)
{
    clump_loggp_fit result = {.resamples = 0};
    clump_store_platform *platform = NULL;
    const clump_store_status found = clump_store_find_platform(store, filter->platform, &platform);
    clump_store_free(platform);
    if (found != CLUMP_STORE_OK)
        return clump_fail(error,
                          found == CLUMP_STORE_FAILED ? CLUMP_INCONSISTENT : CLUMP_BAD_ARGUMENT,
                          "%.240s", clump_store_message(store));
    clump_status status = clump_loggp_samples_read(store, filter, &result.samples, error);
    if (status == CLUMP_OK)
        status = fit_all(&result, filter, options, error);
    if (status == CLUMP_OK)
        *fit = result;
    else
        clump_loggp_fit_free(&result);
    return status;
}

void clump_loggp_fit_free(clump_loggp_fit *fit)
{
    clump_loggp_samples_free(&fit->samples);
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        clump_curve_fit_free(&fit->curves[k]);
    free(fit->draws);
    *fit = (clump_loggp_fit){.resamples = 0};
}
