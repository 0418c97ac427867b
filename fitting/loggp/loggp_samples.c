/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/loggp_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples as stored, on their way to curves */

typedef struct loggp_row {
    clump_cluster_sample sample;
    int quantity, rank;
    size_t order; /* as read */
} loggp_row;

/* In the order in which they are looked at: what tells the same better comes first. */
enum {
    HALF_ROUND_TRIP,
    ROUND_TRIP,
    SEND,
    RECEIVE,
    GAP,
    RATE,
    TRANSFER_RATE,
    BURST,
    PLOGP,
    FITTED_GAP,
    FITTED_GAP_PER_BYTE,
    QUANTITIES
};

static const struct {
    const char *name;
    clump_curve_kind kind; /* that they tell of */
} quantities[QUANTITIES] = {
    [HALF_ROUND_TRIP] = {"half_round_trip", CLUMP_CURVE_ONE_WAY},
    [ROUND_TRIP] = {"round_trip_time", CLUMP_CURVE_ONE_WAY},
    [SEND] = {"send_time", CLUMP_CURVE_SEND},
    [RECEIVE] = {"receive_time", CLUMP_CURVE_RECEIVE},
    [GAP] = {"message_gap", CLUMP_CURVE_STREAM},
    [RATE] = {"message_rate", CLUMP_CURVE_STREAM},
    [TRANSFER_RATE] = {"transfer_rate", CLUMP_CURVE_STREAM},
    [BURST] = {"burst_round_trip", CLUMP_CURVE_STREAM},
    [PLOGP] = {"plogp_latency", CLUMP_CURVE_ONE_WAY},
    [FITTED_GAP] = {"fitted_gap", CLUMP_CURVE_STREAM},
    [FITTED_GAP_PER_BYTE] = {"fitted_gap_per_byte", CLUMP_CURVE_STREAM},
};

/* Of gaps the mean comes before the median: n messages in a row take n times their mean gap. */
static const char *const statistics[2][4] = {{"median", "single", "mean", "min"},
                                             {"mean", "single", "median", "min"}};

enum { DEFAULT_WINDOW = 64 };

static int compare_whole(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Of one measurement: everything but statistic and size. */
static int compare_group(const loggp_row *x, const loggp_row *y)
{
    int c = strcmp(x->sample.source, y->sample.source);
    c = c != 0 ? c : compare_whole(x->sample.run, y->sample.run);
    c = c != 0 ? c : x->quantity - y->quantity;
    c = c != 0 ? c : strcmp(x->sample.benchmark, y->sample.benchmark);
    c = c != 0 ? c : compare_whole(x->sample.window, y->sample.window);
    return c != 0 ? c : compare_whole(x->sample.processes, y->sample.processes);
}

static int compare_rows(const void *a, const void *b)
{
    const loggp_row *x = a, *y = b;
    int c = compare_group(x, y);
    c = c != 0 ? c : x->rank - y->rank;
    c = c != 0 ? c : compare_whole(x->sample.size_bytes, y->sample.size_bytes);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

/* Rows of one quantity of one run of a benchmark, best statistic only, by size. */
typedef struct group {
    const loggp_row *rows;
    size_t count;
    size_t run;
    double step; /* in which values are printed; 0: finer */
} group;

typedef struct reader {
    clump_cluster_work work;
    clump_loggp_samples *set;
    loggp_row *rows;
    size_t count;
    group run[QUANTITIES]; /* of the run that is looked at, the last of each quantity */
    group single;          /* burst_round_trip of one message */
    int64_t window;        /* as in clump_loggp_filter */
} reader;

/* Decimals that all values need: benchmarks print one to three. */
static double printed_step(const loggp_row *rows, size_t count)
{
    double step = 1;
    for (int decimals = 0; decimals <= 3; decimals++, step /= 10) {
        bool fits = count > 0;
        for (size_t i = 0; i < count && fits; i++) {
            const double units = rows[i].sample.value / step;
            fits = fabs(units - nearbyint(units)) <= 1e-7 * fmax(1, fabs(units));
        }
        if (fits)
            return step;
    }
    return 0;
}

/* Returns its place among those that are used. */
static size_t keep_sample(reader *r, const loggp_row *row)
{
    clump_cluster_samples *used = &r->set->used;
    clump_cluster_sample *items =
        clump_arena_more(r->set->arena, used->items, used->count, sizeof *items);
    if (items == NULL) {
        r->work.status = clump_fail_memory(r->work.error, "samples");
        return 0;
    }
    used->items = items;
    items[used->count] = row->sample;
    return used->count++;
}

/* A time of the curve; `resolution` is that of the time. NULL: it tells nothing. */
static clump_curve_point *add(reader *r, clump_curve_kind kind, const group *g,
                              const loggp_row *row, double time, double resolution)
{
    clump_curve *curve = &r->set->curves[kind];
    clump_curve_point point = {.size_bytes = fmax((double)row->sample.size_bytes, 0),
                               .time_us = time,
                               .resolution_us = resolution,
                               .round_trip_us = NAN,
                               .run = g->run};
    if (row->sample.size_bytes < 0)
        point.size_bytes = 1; /* of a short message */
    /* What was rounded to 0 is below half a step. */
    if (!(point.time_us > 0) && resolution > 0)
        point.time_us = resolution / 4;
    if (!(point.time_us > 0) || !isfinite(point.time_us)) {
        r->set->unusable++;
        return NULL;
    }
    point.sample = keep_sample(r, row);
    if (r->work.status == CLUMP_OK)
        r->work.status = clump_curve_add(curve, &point, r->work.error);
    return r->work.status == CLUMP_OK ? &curve->points[curve->count - 1] : NULL;
}

static void add_times(reader *r, clump_curve_kind kind, const group *g, double factor)
{
    for (size_t i = 0; i < g->count; i++) {
        const clump_cluster_sample *s = &g->rows[i].sample;
        /* A round trip with a pause in it is no round trip; overheads are what is left of one. */
        if (s->delay_us > 0 && kind == CLUMP_CURVE_ONE_WAY)
            r->set->not_used++;
        else
            add(r, kind, g, &g->rows[i], factor * s->value, factor * g->step);
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* How the benchmark waits, and for how many messages. */
static void set_window(reader *r, const clump_cluster_sample *s, clump_curve_point *point)
{
    const bool burst = begins(s->benchmark, "osu_") || begins(s->benchmark, "IMB ");
    const bool never = begins(s->benchmark, "ucx_") || begins(s->benchmark, "NetPIPE") ||
                       begins(s->benchmark, "logp_mpi") || begins(s->benchmark, "netgauge");
    const bool each = begins(s->benchmark, "mpi-bench ");
    int64_t window = s->window > 0 ? s->window : r->window;
    if (burst && window == 0) {
        window = DEFAULT_WINDOW;
        r->set->window_assumed = true;
    }
    point->window = never ? 0 : (double)window;
    point->waiting = never || window == 0 ? CLUMP_WAITS_NEVER
                     : burst              ? CLUMP_WAITS_FOR_BURST
                     : each               ? CLUMP_WAITS_FOR_EACH
                                          : CLUMP_WAITS_SOMEHOW;
}

/* A rate of several pairs of processes is that many times the rate of one. */
static double pairs_of(const clump_cluster_sample *s)
{
    const bool all = begins(s->benchmark, "osu_mbw_mr") || begins(s->benchmark, "mpi-bench ");
    return all && s->processes > 2 ? (double)s->processes / 2 : 1;
}

static void add_stream(reader *r, const group *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const loggp_row *row = &g->rows[i];
        const clump_cluster_sample *s = &row->sample;
        const double units = row->quantity == TRANSFER_RATE ? (double)s->size_bytes : 1;
        const double time = row->quantity == GAP ? s->value : pairs_of(s) * units / s->value;
        const double step = row->quantity == GAP ? g->step : time * g->step / s->value;
        if (s->delay_us > 0 || (row->quantity == TRANSFER_RATE && s->size_bytes <= 0)) {
            r->set->not_used++;
            continue;
        }
        if (!(s->value > 0) && row->quantity != GAP) {
            r->set->unusable++;
            continue;
        }
        clump_curve_point *point = add(r, CLUMP_CURVE_STREAM, g, row, time, step);
        if (point != NULL)
            set_window(r, s, point);
    }
}

/* Whether another quantity tells of the same run of the benchmark, window and processes. */
static bool is_told_by(const reader *r, const group *g, int quantity)
{
    loggp_row wanted = *g->rows;
    wanted.quantity = quantity;
    size_t low = 0, high = r->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_group(&r->rows[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->count && compare_group(&r->rows[low], &wanted) == 0;
}

static const loggp_row *find_size(const group *g, int64_t size)
{
    size_t low = 0, high = g->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (g->rows[middle].sample.size_bytes < size)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->count && g->rows[low].sample.size_bytes == size ? &g->rows[low] : NULL;
}

/* PRTT(1,0,s) is a round trip; (PRTT(n,0,s) - PRTT(1,0,s))/(n-1) the time per message of a burst;
 * (PRTT(n,d,s) - PRTT(1,0,s))/(n-1) - d the time to send, if d is long enough for the message to
 * be gone (Hoefler, Lichei, Rehm, "Low-Overhead LogGP Parameter Assessment", 2007). */
static void add_bursts(reader *r, const group *g)
{
    const bool has_send = r->run[SEND].count > 0;
    if (g->rows->sample.window == 1) {
        r->single = *g;
        add_times(r, CLUMP_CURVE_ONE_WAY, g, 0.5);
        return;
    }
    for (size_t i = 0; i < g->count; i++) {
        const clump_cluster_sample *s = &g->rows[i].sample;
        const loggp_row *one = find_size(&r->single, s->size_bytes);
        if (one == NULL || s->window < 2 || (s->delay_us > 0 && has_send)) {
            r->set->not_used++;
            continue;
        }
        const double more = (double)(s->window - 1);
        const double time = (s->value - one->sample.value) / more - s->delay_us;
        const clump_curve_kind kind = s->delay_us > 0 ? CLUMP_CURVE_SEND : CLUMP_CURVE_STREAM;
        if (time > 0)
            add(r, kind, g, &g->rows[i], time, g->step / more);
        else
            r->set->unusable++;
    }
}

/* Its L is RTT/2 - g of an empty message (Kielmann, Bal, Verstoep, 2000). */
static void add_plogp(reader *r, const group *g)
{
    const group *gaps = &r->run[GAP];
    if (gaps->count == 0 || gaps->rows->sample.size_bytes > 1)
        r->set->not_used += g->count;
    else
        add(r, CLUMP_CURVE_ONE_WAY, g, g->rows, g->rows->sample.value + gaps->rows->sample.value,
            gaps->step);
}

/* The last row is the fit to all sizes. */
static void add_ready(reader *r, const group *g, clump_loggp_ready *ready)
{
    const loggp_row *last = &g->rows[g->count - 1];
    double *values = clump_arena_more(r->set->arena, ready->values, ready->count, sizeof *values);
    keep_sample(r, last);
    if (values == NULL) {
        r->work.status = clump_fail_memory(r->work.error, "samples");
        return;
    }
    ready->values = values;
    values[ready->count++] = last->sample.value;
}

/* Means that a source gives beside the samples themselves would count them twice. */
static bool has_half_round_trips(const reader *r, const group *g)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].quantity == HALF_ROUND_TRIP &&
            strcmp(r->rows[i].sample.source, g->rows->sample.source) == 0)
            return true;
    return false;
}

static void add_group(reader *r, const group *g)
{
    const int quantity = g->rows->quantity;
    switch (quantity) {
    case HALF_ROUND_TRIP:
    case SEND:
    case RECEIVE:
        add_times(r, quantities[quantity].kind, g, 1);
        break;
    case ROUND_TRIP:
        if (has_half_round_trips(r, g))
            r->set->not_used += g->count;
        else
            add_times(r, CLUMP_CURVE_ONE_WAY, g, 0.5);
        break;
    case BURST:
        add_bursts(r, g);
        break;
    case PLOGP:
        add_plogp(r, g);
        break;
    case FITTED_GAP:
        add_ready(r, g, &r->set->gap);
        break;
    case FITTED_GAP_PER_BYTE:
        add_ready(r, g, &r->set->gap_per_byte);
        break;
    default: /* of a gap, its inverse, and that times the size the first tells all */
        if (quantity == GAP ||
            !(is_told_by(r, g, GAP) || (quantity == TRANSFER_RATE && is_told_by(r, g, RATE))))
            add_stream(r, g);
    }
}

/* Fill the curves of the set. Sorts the rows. */
static void convert_rows(reader *r)
{
    loggp_row *rows = r->rows;
    size_t run = 0;
    if (r->count > 0)
        qsort(rows, r->count, sizeof *rows, compare_rows);
    for (size_t i = 0, end; i < r->count && r->work.status == CLUMP_OK; i = end) {
        const loggp_row *first = &rows[i];
        size_t best = i;
        if (i > 0 && (strcmp(first->sample.source, rows[i - 1].sample.source) != 0 ||
                      first->sample.run != rows[i - 1].sample.run)) {
            memset(r->run, 0, sizeof r->run);
            r->single.count = 0;
            run++;
        }
        for (end = i; end < r->count && compare_group(first, &rows[end]) == 0; end++)
            if (rows[end].rank == first->rank)
                best = end + 1;
        r->set->not_used += end - best;
        const group g = {first, best - i, run, printed_step(first, best - i)};
        add_group(r, &g);
        r->run[first->quantity] = g;
    }
}

/* ---- the set */

static void take(const clump_cluster_sample *s, reader *r)
{
    loggp_row *row = &r->rows[r->count];
    int quantity = 0, rank = 0;
    while (quantity < QUANTITIES && strcmp(quantities[quantity].name, s->quantity) != 0)
        quantity++;
    while (rank < 4 && strcmp(statistics[quantity == GAP][rank], s->statistic) != 0)
        rank++;
    if (quantity == QUANTITIES || rank == 4) {
        r->set->not_used++;
        return;
    }
    *row = (loggp_row){*s, quantity, rank, r->count++};
    if (s->delay_us > 0 && strcmp(s->variant, "delayed") == 0)
        row->sample.variant = "";
}

static const char *text_of(const loggp_row *row, bool variant)
{
    return variant ? row->sample.variant : row->sample.transport;
}

/* The distinct texts of a field, for a message: "'a', 'b' and 2 more". */
static void list_choices(const reader *r, bool variants, char text[200])
{
    const char *seen[5];
    size_t count = 0, used = 0, more = 0;
    text[0] = '\0';
    for (size_t i = 0; i < r->count; i++) {
        const char *one = text_of(&r->rows[i], variants);
        bool known = false;
        for (size_t k = 0; k < count && k < 5; k++)
            known = known || strcmp(seen[k], one) == 0;
        if (known)
            continue;
        if (count == 5) {
            more++;
            continue;
        }
        seen[count++] = one;
        if (used < 150)
            used +=
                (size_t)snprintf(text + used, 200 - used, "%s'%.40s'", count > 1 ? ", " : "", one);
    }
    if (more > 0 && used < 195)
        snprintf(text + used, 200 - used, "...");
}

/* Keep the rows of one transport or variant: what was asked for, "" if preferred, the only one. */
static clump_status choose(reader *r, const char *wanted, bool variants, const char **chosen)
{
    clump_error *error = r->work.error;
    const char *name = wanted;
    size_t kept = 0;
    bool several = false, plain = false;
    for (size_t i = 0; i < r->count; i++) {
        const char *one = text_of(&r->rows[i], variants);
        several = several || (name != NULL && wanted == NULL && strcmp(one, name) != 0);
        plain = plain || *one == '\0';
        name = wanted != NULL ? wanted : one;
    }
    if (several && variants && plain)
        name = "";
    else if (several) {
        char choices[200];
        list_choices(r, variants, choices);
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found samples of the %s %s, expected --%s",
                          variants ? "variants" : "transports", choices,
                          variants ? "variant" : "transport");
    }
    for (size_t i = 0; i < r->count; i++) {
        const char *one = text_of(&r->rows[i], variants);
        if (strcmp(one, name) == 0)
            r->rows[kept++] = r->rows[i];
    }
    r->set->not_used += r->count - kept;
    if (kept == 0 && r->count > 0) {
        char choices[200];
        list_choices(r, variants, choices);
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "found no sample of the %s '%.40s'; there is %s",
                          variants ? "variant" : "transport", name, choices);
    }
    r->count = kept;
    *chosen = name != NULL ? name : "";
    return CLUMP_OK;
}

/* What was marked doubtful (another program took the processor away, a cell of a table is hard to
 * read) is no ground for a parameter, also where there is nothing else. */
static void drop_doubtful(reader *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].sample.doubtful)
            r->set->doubtful_of[quantities[r->rows[i].quantity].kind]++;
        else
            r->rows[kept++] = r->rows[i];
    r->set->doubtful = r->count - kept;
    r->count = kept;
}

/* Rates of many pairs say less about one: they go where there are others. */
static void drop_crowds(clump_loggp_samples *set, clump_curve *curve)
{
    bool pair = false;
    size_t kept = 0;
    for (size_t i = 0; i < curve->count; i++)
        pair = pair || set->used.items[curve->points[i].sample].processes <= 2;
    for (size_t i = 0; pair && i < curve->count; i++)
        if (set->used.items[curve->points[i].sample].processes <= 2)
            curve->points[kept++] = curve->points[i];
    if (pair) {
        set->not_used += curve->count - kept;
        curve->count = kept;
    }
}

clump_status clump_loggp_samples_read(clump_store *store, const clump_loggp_filter *filter,
                                      clump_loggp_samples *samples, clump_error *error)
{
    const clump_store_filter wanted = {
        .platform = filter->platform, .application = "", .transport = filter->transport};
    clump_cluster_samples all = {0};
    reader r = {.set = samples, .window = filter->window};
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        samples->curves[k].kind = (clump_curve_kind)k;
    samples->arena = clump_arena_new();
    if (samples->arena == NULL)
        return clump_fail_memory(error, "samples");
    r.work = (clump_cluster_work){.store = store, .arena = samples->arena, .error = error};
    clump_cluster_samples_load(&r.work, &wanted, &all);
    r.rows = clump_cluster_take(&r.work, (all.count + 1) * sizeof *r.rows);
    for (size_t i = 0; i < all.count && r.rows != NULL; i++)
        take(&all.items[i], &r);
    if (r.work.status == CLUMP_OK)
        r.work.status = choose(&r, filter->transport, false, &samples->transport);
    if (r.work.status == CLUMP_OK)
        r.work.status = choose(&r, filter->variant, true, &samples->variant);
    if (r.work.status != CLUMP_OK)
        return r.work.status;
    drop_doubtful(&r);
    convert_rows(&r);
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        drop_crowds(samples, &samples->curves[k]);
    const size_t count = samples->used.count;
    samples->sources = clump_cluster_take(&r.work, (count + 1) * sizeof *samples->sources);
    for (size_t i = 0; i < count && samples->sources != NULL; i++)
        samples->sources[i] = samples->used.items[i].source;
    if (samples->sources != NULL)
        samples->source_count = clump_cluster_unique(samples->sources, count);
    return r.work.status;
}

void clump_loggp_samples_free(clump_loggp_samples *samples)
{
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        clump_curve_free(&samples->curves[k]);
    clump_arena_free(samples->arena);
    *samples = (clump_loggp_samples){.source_count = 0};
}
