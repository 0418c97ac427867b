/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/loggp_values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs of which the one is this much slower are told apart by eye. */
#define DIFFERENT 1.25
#define STRONG 0.9
#define LONG_BYTES 1024

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
note(clump_loggp_fit *fit, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char **notes = realloc(fit->notes, (fit->note_count + 1) * sizeof *notes);
    if (notes == NULL)
        return false;
    fit->notes = notes;
    notes[fit->note_count] = strdup(text);
    if (notes[fit->note_count] == NULL)
        return false;
    fit->note_count++;
    return true;
}

/* Source of the first point of a run. */
static const char *source_of_run(const clump_loggp_fit *fit, clump_curve_kind kind, size_t run)
{
    const clump_curve *curve = &fit->samples.curves[kind];
    for (size_t i = 0; i < curve->count; i++)
        if (curve->points[i].run == run)
            return fit->samples.items[curve->points[i].sample].source;
    return "?";
}

/* The largest of the steps that single runs show. */
static bool note_change(clump_loggp_fit *fit, clump_curve_kind kind)
{
    const clump_curve_fit *c = &fit->curves[kind];
    const clump_speed_change *most = &c->changes[0];
    for (size_t i = 1; i < c->change_count; i++)
        if (fabs(log(c->changes[i].step)) > fabs(log(most->step)))
            most = &c->changes[i];
    return note(fit,
                "%s: runs change their speed where others do not (places: %zu), most of all "
                "%.80s, by a factor of %.2f between %.0f and %.0f B: the machine's doing, no "
                "protocol's",
                clump_curve_name(kind), c->change_count, source_of_run(fit, kind, most->run),
                most->step, most->below, most->above);
}

static bool note_curve(clump_loggp_fit *fit, clump_curve_kind kind)
{
    const clump_curve_fit *c = &fit->curves[kind];
    const char *name = clump_curve_name(kind);
    bool good = true;
    if (c->piece_count == 0)
        return true;
    if (c->runs == 1 && c->pieces[0].draws != NULL)
        good = note(fit,
                    "%s: one run only, so the intervals are those of its scatter around the lines; "
                    "what differs from run to run is not in them",
                    name);
    size_t unsure = 0;
    for (size_t k = 0; k + 1 < c->piece_count; k++)
        unsure += !c->breaks[k].confirmed;
    if (good && unsure > 0)
        good =
            note(fit,
                 "%s: %zu of %zu breaks are seen in one run only: a protocol, or the machine that "
                 "changed its speed while it ran; another run would tell",
                 name, unsure, c->piece_count - 1);
    if (good && c->change_count > 0)
        good = note_change(fit, kind);
    for (size_t k = 0; k < c->piece_count && good; k++)
        if (c->pieces[k].differences > DIFFERENT)
            good = note(fit, "%s, %.0f to %.0f B: runs differ by up to a factor of %.2f", name,
                        c->pieces[k].first_size, c->pieces[k].last_size, c->pieces[k].differences);
    for (size_t k = 0; k < c->piece_count && good; k++)
        if (c->pieces[k].outpaced)
            good = note(fit,
                        "%s, %.0f to %.0f B: messages are faster than their window and the half "
                        "round trips allow: the two were measured at different speeds, or the "
                        "window was another (--window); the line is through the times as they are",
                        name, c->pieces[k].first_size, c->pieces[k].last_size);
    if (good && c->pieces[0].first_size > LONG_BYTES)
        good = note(fit,
                    "%s: the shortest message has %.0f B; what is said of short ones is drawn "
                    "out from there",
                    name, c->pieces[0].first_size);
    if (good && c->waiting_guessed)
        good = note(fit,
                    "%s: the samples do not tell how the sender waits for its window; taken is "
                    "max(g + (n-1) G, RTT/W)",
                    name);
    return good;
}

/* Values that do not go together, or that invite a wrong reading. */
static bool note_values(clump_loggp_fit *fit)
{
    const clump_loggp_value *v = fit->values;
    const clump_loggp_value *L = &v[CLUMP_LOGGP_L], *sum = &v[CLUMP_LOGGP_ONE_WAY];
    const clump_loggp_value *G = &v[CLUMP_LOGGP_GAP_PER_BYTE];
    const double longer = fmax(v[CLUMP_LOGGP_O_S].value, v[CLUMP_LOGGP_O_R].value);
    bool good = true;
    if (L->known && sum->value < longer)
        good = note(fit,
                    "half a round trip (%.4g us) is shorter than one of the overheads (%.4g "
                    "us): they were measured at different speeds of the machine, and L is "
                    "not to be trusted",
                    sum->value, longer);
    else if (L->known && L->value < 0)
        good = note(fit, "L is below 0: sending and receiving overlap by %.4g us", -L->value);
    if (good && v[CLUMP_LOGGP_GAP].known && v[CLUMP_LOGGP_O_S].known &&
        v[CLUMP_LOGGP_GAP].interval.high < v[CLUMP_LOGGP_O_S].interval.low)
        good =
            note(fit, "g is below o_s: a message cannot follow sooner than the processor is done "
                      "with the one before; the two were measured in different ways or at "
                      "different speeds");
    if (good && G->known && G->from == CLUMP_CURVE_ONE_WAY)
        good = note(fit, "G is from half round trips, where sender and receiver may handle a "
                         "message one after the other: with bandwidths (osu_bw) it may be less");
    if (good && G->known && fit->curves[G->from].piece_count > 0) {
        const clump_curve_fit *c = &fit->curves[G->from];
        const clump_piece *last = &c->pieces[c->piece_count - 1];
        if (G->value * last->last_size < last->theta[0])
            good = note(fit,
                        "the longest message has %.0f B, most of whose time is not its bytes': "
                        "G of long messages may be another",
                        last->last_size);
    }
    return good;
}

static bool note_correlations(clump_loggp_fit *fit)
{
    for (size_t i = 0; i < CLUMP_LOGGP_ONE_WAY; i++)
        for (size_t j = i + 1; j < CLUMP_LOGGP_ONE_WAY; j++)
            if (fabs(fit->correlation[i][j]) > STRONG &&
                !note(fit, "%s and %s trade off against each other (correlation %.2f)",
                      clump_loggp_symbol((clump_loggp_name)i),
                      clump_loggp_symbol((clump_loggp_name)j), fit->correlation[i][j]))
                return false;
    return true;
}

static bool note_samples(clump_loggp_fit *fit)
{
    const clump_curve *stream = &fit->samples.curves[CLUMP_CURVE_STREAM];
    int64_t most = 0;
    bool good = true;
    for (size_t i = 0; i < stream->count; i++)
        most = stream->points[i].sample < fit->samples.count &&
                       fit->samples.items[stream->points[i].sample].processes > most
                   ? fit->samples.items[stream->points[i].sample].processes
                   : most;
    if (most > 2)
        good = note(fit,
                    "rates are of %lld processes at once, and g and G those of one pair among "
                    "them: a pair alone may be faster",
                    (long long)most);
    if (good && fit->samples.window_assumed)
        good = note(fit, "the logs do not say the window of osu_bw or IMB Uniband: 64 is assumed, "
                         "which is their default (--window)");
    if (good && fit->samples.unusable > 0)
        good =
            note(fit, "%zu samples tell no time above 0 and are left out", fit->samples.unusable);
    if (good && fit->samples.doubtful > 0)
        good = note(fit, "%zu samples are marked doubtful and are left out", fit->samples.doubtful);
    if (good && fit->samples.not_used > 0)
        good = note(fit,
                    "%zu samples are of statistics, variants or quantities that tell nothing of "
                    "LogGP",
                    fit->samples.not_used);
    return good;
}

clump_status clump_loggp_notes_write(clump_loggp_fit *fit, clump_error *error)
{
    bool good = note_values(fit);
    for (size_t k = 0; k < CLUMP_CURVE_KINDS && good; k++)
        good = note_curve(fit, (clump_curve_kind)k);
    good = good && note_correlations(fit) && note_samples(fit);
    return good ? CLUMP_OK : clump_fail_memory(error, "notes");
}
