/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/curve_fit.h"

#include "fitting/loggp/piece_fit.h"
#include "fitting/loggp/robust_line.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- breaks */

/* Runs that are asked one by one; more would not change the answer. */
enum { EFFORT = 20, RUNS_MOST = 64, WITNESSES_MOST = 1000 };

/* 99% of chi-square with two degrees: a line of its own on each side, where the place is given. */
#define SHOWN 9.21

/* By so many standard errors no mean of runs is off by chance, in whichever of the places that are looked at. */
#define FAR 4.0

/* Steps smaller than this are not worth a word: caches and schedulers do as much. */
#define STEP_LEAST 1.2

typedef struct run_points {
    double *x, *time, *scale, *size;
    size_t count, sizes;
} run_points;

/* The sizes that are searched for breaks: all, or evenly thinned out. */
typedef struct search {
    clump_curve_size *sizes;
    size_t size_count;
    size_t picked[CLUMP_SEGMENT_MOST_SIZES];
    double x[CLUMP_SEGMENT_MOST_SIZES], time[CLUMP_SEGMENT_MOST_SIZES];
    double scale[CLUMP_SEGMENT_MOST_SIZES];
    bool allowed[CLUMP_SEGMENT_MOST_SIZES];
    size_t count;
    double scatter;
    clump_segmentation found;
    run_points run;  /* with room for all points; of one run at a time */
    double *scratch; /* 4 numbers for each point */
    clump_segment_space space;
} search;

/* Points of one run in a range of the curve; those with small windows say little about lines. */
static void gather(run_points *r, const clump_curve *curve, size_t first, size_t end, size_t run,
                   double scatter)
{
    double widest = 0;
    r->count = r->sizes = 0;
    for (size_t i = first; i < end; i++)
        if (curve->points[i].run == run)
            widest = fmax(widest, curve->points[i].window);
    for (size_t i = first; i < end; i++) {
        const clump_curve_point *p = &curve->points[i];
        if (p->run != run || 2 * p->window < widest)
            continue;
        const size_t n = r->count++;
        r->size[n] = p->size_bytes;
        r->x[n] = clump_curve_extra_bytes(p->size_bytes);
        r->time[n] = p->time_us;
        r->scale[n] = clump_point_scale(scatter, p->resolution_us / p->time_us);
        r->sizes += n == 0 || p->size_bytes > r->size[n - 1];
    }
}

static clump_line_points all_of(const run_points *r)
{
    return (clump_line_points){r->x, r->time, r->scale, r->count};
}

static clump_robust_line line_of(const clump_line_points *p, size_t first, size_t end)
{
    const clump_line_points part = {p->x + first, p->time + first, p->scale + first, end - first};
    return clump_robust_line_fit(&part, NULL, EFFORT);
}

static double time_at(const clump_robust_line *line, double x)
{
    return line->at_zero + line->slope * x;
}

/* How much longer the messages from a break on take than the line before it has them, by the lines on both sides. */
static double step_at(const clump_line_points *p, const clump_segmentation *s, size_t k)
{
    const size_t at = s->breaks[k].at, begin = k > 0 ? s->breaks[k - 1].at : 0;
    const size_t end = k + 2 < s->pieces ? s->breaks[k + 1].at : p->count;
    const clump_robust_line left = line_of(p, begin, at), right = line_of(p, at, end);
    return time_at(&right, p->x[at]) / time_at(&left, p->x[at]);
}

static size_t first_above(const run_points *r, double size)
{
    size_t i = 0;
    while (i < r->count && r->size[i] < size)
        i++;
    return i;
}

static size_t sizes_between(const run_points *r, size_t first, size_t end)
{
    size_t n = 0;
    for (size_t i = first; i < end; i++)
        n += i == first || r->size[i] > r->size[i - 1];
    return n;
}

/* What the runs say of a step, each by itself. */
typedef struct witnesses {
    size_t count;
    double mean, square; /* of the logarithms of their steps */
} witnesses;

/* A run shows a break if two lines are better, and if its step goes the way that all runs' does. */
static bool shows(const run_points *r, size_t at, double step, witnesses *w)
{
    const clump_line_points all = all_of(r);
    const clump_robust_line left = line_of(&all, 0, at), right = line_of(&all, at, r->count);
    const double own = log(time_at(&right, r->x[at]) / time_at(&left, r->x[at]));
    const double off = own - w->mean;
    w->mean += off / (double)++w->count;
    w->square += off * (own - w->mean);
    const bool gains = line_of(&all, 0, r->count).loss - left.loss - right.loss > SHOWN;
    return gains && (fabs(step) < log(STEP_LEAST) || own / step > 1.0 / 3);
}

/* Half of the runs show the break, and two at least; or there are many runs that each show too little, but the same. */
static bool agree(const clump_break *b, const witnesses *w)
{
    const double n = (double)w->count;
    if (b->showing >= 2 && 2 * b->showing >= b->covering)
        return true;
    return w->count >= CLUMP_RUNS_TO_RESAMPLE &&
           fabs(w->mean) > FAR * sqrt(w->square / (n - 1) / n);
}

/*
 * Counts the runs that show a break by themselves, and those that could; decides whether it is
 * confirmed. `found->step` is that of all runs together.
 * @param before, after  the pieces on its sides
 */
static void count_witnesses(const clump_curve *curve, search *s, const clump_piece *before,
                            const clump_piece *after, clump_break *found)
{
    run_points *r = &s->run;
    witnesses w = {0};
    found->showing = found->covering = found->present = 0;
    for (size_t run = 0; run < curve->runs && run < WITNESSES_MOST; run++) {
        gather(r, curve, before->first, after->first + after->count, run, s->scatter);
        const size_t at = first_above(r, found->above);
        found->present += r->count > 0;
        if (sizes_between(r, 0, at) < 2 || sizes_between(r, at, r->count) < 2 || r->sizes < 5)
            continue;
        found->covering++;
        found->showing += shows(r, at, log(found->step), &w);
    }
    found->confirmed = agree(found, &w);
}

static bool is_known(const clump_curve_fit *fit, double size)
{
    for (size_t k = 0; k + 1 < fit->piece_count; k++)
        if (size > fit->breaks[k].low && size <= fit->breaks[k].high)
            return true;
    return false;
}

static void note_steps(const run_points *r, size_t run, const clump_segmentation *s,
                       clump_curve_fit *fit)
{
    const clump_line_points all = all_of(r);
    for (size_t k = 0; k + 1 < s->pieces; k++) {
        const size_t at = s->breaks[k].at;
        const double step = step_at(&all, s, k);
        if (fabs(log(step)) < log(STEP_LEAST) || is_known(fit, r->size[at]) ||
            fit->change_count == CLUMP_SPEED_CHANGES_MOST)
            continue;
        fit->changes[fit->change_count++] =
            (clump_speed_change){run, r->size[at - 1], r->size[at], step};
    }
}

/* One point a size: the segmentation wants it so. */
static void merge_sizes(run_points *r)
{
    size_t n = 0;
    for (size_t i = 0, end; i < r->count; i = end) {
        for (end = i; end < r->count && !(r->size[end] > r->size[i]); end++)
            ;
        r->size[n] = r->size[i];
        r->x[n] = r->x[i];
        r->scale[n] = r->scale[i];
        r->time[n] = r->time[i + (end - i) / 2];
        n++;
    }
    r->count = n;
}

/* Steps within a single run, at sizes where the fit has no break and other runs have none. */
static void find_speed_changes(const clump_curve *curve, search *s, clump_curve_fit *fit)
{
    run_points *r = &s->run;
    if (curve->runs < 2)
        return; /* any step is a break then, and marked as one run's */
    for (size_t run = 0; run < curve->runs && run < RUNS_MOST; run++) {
        gather(r, curve, 0, curve->count, run, s->scatter);
        merge_sizes(r);
        if (r->count < (size_t)3 * CLUMP_PIECE_LEAST_SIZES || r->count > CLUMP_SEGMENT_MOST_SIZES)
            continue;
        const clump_line_points points = all_of(r);
        const clump_segmentation found = clump_segmentation_find(&points, NULL, &s->space);
        note_steps(r, run, &found, fit);
    }
}

/* ---- curves */

/* No clock of a benchmark is better than this for a reason that a protocol would have. */
static const double least_scatter = 1e-3;

/* Medians over the runs with the largest windows: small windows bend a curve although the protocol stays the same. */
static clump_status group_widest(const clump_curve *curve, search *s, clump_error *error)
{
    double widest = 0;
    clump_curve narrow = {.kind = curve->kind};
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < curve->count; i++)
        widest = fmax(widest, curve->points[i].window);
    for (size_t i = 0; i < curve->count && status == CLUMP_OK; i++) {
        const clump_curve_point *p = &curve->points[i];
        if (!(p->window > 0) || 2 * p->window >= widest)
            status = clump_curve_add(&narrow, p, error);
    }
    if (status == CLUMP_OK)
        status = clump_curve_group(&narrow, &s->sizes, &s->size_count, error);
    clump_curve_free(&narrow);
    return status;
}

static void prepare(search *s)
{
    const size_t n = s->size_count;
    double scratch[CLUMP_SEGMENT_MOST_SIZES];
    s->count = n < CLUMP_SEGMENT_MOST_SIZES ? n : CLUMP_SEGMENT_MOST_SIZES;
    for (size_t i = 0; i < s->count; i++) {
        s->picked[i] = i * n / s->count;
        s->x[i] = clump_curve_extra_bytes(s->sizes[s->picked[i]].size_bytes);
        s->time[i] = s->sizes[s->picked[i]].time_us;
        s->allowed[i] = true;
    }
    s->scatter = fmax(clump_segment_roughness(s->x, s->time, s->count, scratch), least_scatter);
    for (size_t i = 0; i < s->count; i++)
        s->scale[i] = clump_point_scale(s->scatter, s->sizes[s->picked[i]].resolution);
}

static void set_pieces(const clump_curve *curve, const search *s, clump_curve_fit *fit)
{
    const clump_curve_size *sizes = s->sizes;
    size_t begin = 0;
    fit->piece_count = s->found.pieces;
    for (size_t k = 0; k < s->found.pieces; k++) {
        clump_piece *piece = &fit->pieces[k];
        const bool last = k + 1 == s->found.pieces;
        const double above = last ? INFINITY : sizes[s->picked[s->found.breaks[k].at]].size_bytes;
        *piece = (clump_piece){.first = begin, .differences = 1};
        for (; begin < curve->count && curve->points[begin].size_bytes < above; begin++) {
            piece->count++;
            piece->sizes += begin == piece->first ||
                            curve->points[begin].size_bytes > curve->points[begin - 1].size_bytes;
        }
        piece->first_size = curve->points[piece->first].size_bytes;
        piece->last_size = curve->points[begin - 1].size_bytes;
    }
    for (size_t k = 0; k + 1 < s->found.pieces; k++) {
        const clump_segment_break *b = &s->found.breaks[k];
        fit->breaks[k] = (clump_break){.below = fit->pieces[k].last_size,
                                       .above = fit->pieces[k + 1].first_size,
                                       .low = sizes[s->picked[b->low] - 1].size_bytes,
                                       .high = sizes[s->picked[b->high]].size_bytes};
    }
}

/* Where there are several runs a break that only one of them shows is none: forbid it. Whether there was one. */
static bool refuse_breaks(const clump_curve *curve, search *s, clump_curve_fit *fit)
{
    const clump_line_points points = {s->x, s->time, s->scale, s->count};
    bool refused = false;
    for (size_t k = 0; k + 1 < fit->piece_count; k++) {
        clump_break *b = &fit->breaks[k];
        b->step = step_at(&points, &s->found, k); /* of the medians */
        count_witnesses(curve, s, &fit->pieces[k], &fit->pieces[k + 1], b);
        if (b->present >= 2 && !b->confirmed) {
            for (size_t i = s->found.breaks[k].low; i <= s->found.breaks[k].high; i++)
                s->allowed[i] = false;
            refused = true;
        }
    }
    return refused;
}

static void find_pieces(const clump_curve *curve, search *s, clump_curve_fit *fit)
{
    const clump_line_points points = {s->x, s->time, s->scale, s->count};
    do { /* each round forbids a place at least, so that this ends */
        s->found = clump_segmentation_find(&points, s->allowed, &s->space);
        set_pieces(curve, s, fit);
    } while (refuse_breaks(curve, s, fit));
}

/* The shortest sizes, as many as are all far off the first piece on the same side of it. To a robust line what is far
 * off counts no more than what is a little off, so that two or three sizes do not become a piece of their own; but
 * most parameters are those of short messages. */
static size_t count_short_ones(const search *s)
{
    const size_t end = s->found.pieces > 1 ? s->found.breaks[0].at : s->count;
    const clump_line_points points = {s->x, s->time, s->scale, s->count};
    const clump_robust_line line = line_of(&points, 0, end);
    double side = 0;
    size_t n = 0;
    for (; n < end; n++) {
        const double u = log(s->time[n] / time_at(&line, s->x[n])) / s->scale[n];
        if (fabs(u) < CLUMP_BISQUARE_END || side * u < 0)
            break;
        side = u;
    }
    const bool apart = n >= 2 && end - n >= CLUMP_PIECE_LEAST_SIZES && s->allowed[n];
    return apart && s->found.pieces < CLUMP_PIECES_MOST ? n : 0;
}

static void part_short_ones(const clump_curve *curve, search *s, clump_curve_fit *fit)
{
    const clump_segmentation before = s->found;
    const size_t n = count_short_ones(s);
    if (n == 0)
        return;
    memmove(s->found.breaks + 1, s->found.breaks, (s->found.pieces - 1) * sizeof *s->found.breaks);
    s->found.breaks[0] = (clump_segment_break){n, n, n};
    s->found.pieces++;
    set_pieces(curve, s, fit);
    if (refuse_breaks(curve, s, fit)) {
        s->found = before;
        set_pieces(curve, s, fit);
        refuse_breaks(curve, s, fit);
    }
}

static clump_status fit_pieces(clump_curve *curve, search *s, clump_curve_fit *fit,
                               clump_error *error)
{
    return clump_pieces_fit(curve, fit->pieces, fit->piece_count, s->scatter, s->scratch, error);
}

static void wait_as(clump_curve *curve, const bool *unsure, clump_curve_waiting waiting)
{
    for (size_t i = 0; i < curve->count; i++)
        if (unsure[i])
            curve->points[i].waiting = waiting;
}

/* Which of two ways to wait do the data want? The difference has to be more than chance. */
static clump_status fit_waiting(clump_curve *curve, search *s, clump_curve_fit *fit,
                                clump_error *error)
{
    bool any = false, *unsure = malloc((curve->count + 1) * sizeof *unsure);
    if (unsure == NULL)
        return clump_fail_memory(error, "a curve");
    for (size_t i = 0; i < curve->count; i++) {
        unsure[i] = curve->points[i].waiting == CLUMP_WAITS_SOMEHOW;
        any = any || unsure[i];
    }
    clump_status status = CLUMP_OK;
    if (any) {
        wait_as(curve, unsure, CLUMP_WAITS_FOR_BURST);
        status = fit_pieces(curve, s, fit, error);
        const double scatter = fit->pieces[0].scatter;
        wait_as(curve, unsure, CLUMP_WAITS_FOR_EACH);
        if (status == CLUMP_OK)
            status = fit_pieces(curve, s, fit, error);
        const double gain = 2 * (double)curve->count * log(fit->pieces[0].scatter / scatter);
        fit->waiting_guessed = fabs(gain) < 3.84;
        if (gain >= 3.84)
            wait_as(curve, unsure, CLUMP_WAITS_FOR_BURST);
    }
    free(unsure);
    return status == CLUMP_OK ? fit_pieces(curve, s, fit, error) : status;
}

static double time_on(const clump_piece *piece, double size)
{
    const double slope = piece->parameters > 1 ? piece->theta[1] : 0;
    return piece->theta[0] + slope * clump_curve_extra_bytes(size);
}

/* If messages follow each other faster than a window of them in each measured round trip allows, then that round trip
 * was of another speed of the machine, or the window was another one: windows are left out, and times are taken as
 * they are. */
static clump_status drop_windows(clump_curve *curve, search *s, clump_curve_fit *fit,
                                 clump_error *error)
{
    bool any = false;
    for (size_t k = 0; k < fit->piece_count; k++) {
        clump_piece *piece = &fit->pieces[k];
        if (time_on(piece, piece->first_size) > 0)
            continue;
        for (size_t i = piece->first; i < piece->first + piece->count; i++)
            if (curve->points[i].window > 0 && curve->points[i].waiting == CLUMP_WAITS_FOR_BURST) {
                curve->points[i].waiting = CLUMP_WAITS_NEVER;
                any = piece->outpaced = true;
            }
    }
    return any ? fit_pieces(curve, s, fit, error) : CLUMP_OK;
}

static void set_totals(const clump_curve *curve, const search *s, clump_curve_fit *fit)
{
    fit->sizes = s->size_count;
    fit->runs = curve->runs;
    fit->outliers = 0;
    for (size_t k = 0; k < fit->piece_count; k++)
        fit->outliers += fit->pieces[k].outliers;
    for (size_t k = 0; k + 1 < fit->piece_count; k++)
        fit->breaks[k].step = time_on(&fit->pieces[k + 1], fit->breaks[k].above) /
                              time_on(&fit->pieces[k], fit->breaks[k].above);
}

static clump_status fit_sorted(clump_curve *curve, search *s, const clump_fit_options *options,
                               uint64_t stream, clump_curve_fit *fit, clump_error *error)
{
    prepare(s);
    find_pieces(curve, s, fit);
    part_short_ones(curve, s, fit);
    clump_status status = fit_waiting(curve, s, fit, error);
    if (status == CLUMP_OK)
        status = drop_windows(curve, s, fit, error);
    if (status == CLUMP_OK)
        find_speed_changes(curve, s, fit);
    if (status == CLUMP_OK && options->resamples > 0)
        status =
            clump_pieces_resample(curve, fit->pieces, fit->piece_count, options, stream, error);
    if (status == CLUMP_OK)
        set_totals(curve, s, fit);
    return status;
}

clump_status clump_curve_fit_run(clump_curve *curve, const clump_fit_options *options,
                                 uint64_t stream, clump_curve_fit *fit, clump_error *error)
{
    clump_curve_fit result = {.piece_count = 0};
    const size_t n = curve->count;
    clump_status status = clump_curve_number_runs(curve, error);
    search *s = calloc(1, sizeof *s);
    double *numbers = malloc((8 * n + 1) * sizeof *numbers);
    clump_curve_sort(curve);
    if (status == CLUMP_OK && (s == NULL || numbers == NULL))
        status = clump_fail_memory(error, "a curve");
    if (status == CLUMP_OK && n > 0) {
        s->run = (run_points){numbers, numbers + n, numbers + 2 * n, numbers + 3 * n, 0, 0};
        s->scratch = numbers + 4 * n;
        status = group_widest(curve, s, error);
        if (status == CLUMP_OK)
            status = fit_sorted(curve, s, options, stream, &result, error);
    }
    if (s != NULL)
        free(s->sizes);
    free(s);
    free(numbers);
    if (status == CLUMP_OK)
        *fit = result;
    else
        clump_curve_fit_free(&result);
    return status;
}

void clump_curve_fit_free(clump_curve_fit *fit)
{
    for (size_t k = 0; k < CLUMP_PIECES_MOST; k++) {
        free(fit->pieces[k].draws);
        fit->pieces[k].draws = NULL;
    }
    fit->piece_count = 0;
}

double clump_curve_fit_time(const clump_curve_fit *fit, double size_bytes)
{
    size_t k = 0;
    if (fit->piece_count == 0)
        return NAN;
    while (k + 1 < fit->piece_count && size_bytes >= fit->breaks[k].above)
        k++;
    return time_on(&fit->pieces[k], size_bytes);
}
