/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/loggp_samples.h"
#include "fitting/clusters/cluster_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples as stored, on their way to curves */

typedef struct loggp_row {
    clump_loggp_sample sample;
    const char *transport, *variant;
    int quantity, rank;
    bool doubtful; /* as it was marked when it was measured or written down */
    size_t order;  /* as read */
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

static const char *const quantities[QUANTITIES] = {
    "half_round_trip", "round_trip_time", "send_time",          "receive_time",
    "message_gap",     "message_rate",    "transfer_rate",      "burst_round_trip",
    "plogp_latency",   "fitted_gap",      "fitted_gap_per_byte"};

/* Of gaps the mean comes before the median: n messages in a row take n times their mean gap. */
static const char *const statistics[2][4] = {{"median", "single", "mean", "min"},
                                             {"mean", "single", "median", "min"}};

enum { DEFAULT_WINDOW = 64 };

/* Place of a quantity among those that are of use; -1: it is not. */
static int quantity_of(const char *name)
{
    for (int i = 0; i < QUANTITIES; i++)
        if (strcmp(quantities[i], name) == 0)
            return i;
    return -1;
}

/* 0 for the best statistic of this quantity; -1 for one that is not used. */
static int rank_of(int quantity, const char *statistic)
{
    for (int i = 0; i < 4; i++)
        if (strcmp(statistics[quantity == GAP][i], statistic) == 0)
            return i;
    return -1;
}

static int compare_whole(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Of one measurement: everything but statistic and size. */
static int compare_group(const loggp_row *x, const loggp_row *y)
{
    int c = strcmp(x->sample.source, y->sample.source);
    if (c == 0)
        c = compare_whole(x->sample.run, y->sample.run);
    if (c == 0)
        c = x->quantity - y->quantity;
    if (c == 0)
        c = strcmp(x->sample.benchmark, y->sample.benchmark);
    if (c == 0)
        c = compare_whole(x->sample.window, y->sample.window);
    return c != 0 ? c : compare_whole(x->sample.processes, y->sample.processes);
}

static int compare_rows(const void *a, const void *b)
{
    const loggp_row *x = a, *y = b;
    int c = compare_group(x, y);
    if (c == 0)
        c = x->rank - y->rank;
    if (c == 0)
        c = compare_whole(x->sample.size_bytes, y->sample.size_bytes);
    return c != 0 ? c : (x->order > y->order) - (x->order < y->order);
}

/* Rows of one quantity of one run of a benchmark, best statistic only, by size. */
typedef struct group {
    const loggp_row *rows;
    size_t count;
    size_t run;
    double step; /* in which values are printed; 0: finer */
} group;

typedef struct converter {
    clump_loggp_samples *set;
    const loggp_row *rows;
    size_t row_count;
    group run[QUANTITIES]; /* of the run that is looked at, the last of each quantity */
    group single;          /* burst_round_trip of one message */
    int64_t window;
    clump_error *error;
} converter;

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

static clump_status keep_sample(converter *c, const loggp_row *row, size_t *index)
{
    clump_loggp_samples *set = c->set;
    if (set->count == set->room) {
        const size_t room = set->room > 0 ? 2 * set->room : 256;
        clump_loggp_sample *items = realloc(set->items, room * sizeof *items);
        if (items == NULL)
            return clump_fail_memory(c->error, "samples");
        set->items = items;
        set->room = room;
    }
    *index = set->count;
    set->items[set->count++] = row->sample;
    return CLUMP_OK;
}

/* A time of the curve; `resolution` is that of the time. */
static clump_status add(converter *c, clump_curve_kind kind, const group *g, const loggp_row *row,
                        double time, double resolution)
{
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
        c->set->unusable++;
        return CLUMP_OK;
    }
    const clump_status status = keep_sample(c, row, &point.sample);
    return status == CLUMP_OK ? clump_curve_add(&c->set->curves[kind], &point, c->error) : status;
}

static clump_status add_times(converter *c, clump_curve_kind kind, const group *g, double factor)
{
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < g->count && status == CLUMP_OK; i++) {
        const clump_loggp_sample *s = &g->rows[i].sample;
        /* A round trip with a pause in it is no round trip; overheads are what is left of one. */
        if (s->delay_us > 0 && kind == CLUMP_CURVE_ONE_WAY)
            c->set->not_used++;
        else
            status = add(c, kind, g, &g->rows[i], factor * s->value, factor * g->step);
    }
    return status;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* How the benchmark waits, and for how many messages. */
static void set_window(converter *c, const clump_loggp_sample *s, clump_curve_point *point)
{
    const bool burst = begins(s->benchmark, "osu_") || begins(s->benchmark, "IMB ");
    const bool never = begins(s->benchmark, "ucx_") || begins(s->benchmark, "NetPIPE") ||
                       begins(s->benchmark, "logp_mpi") || begins(s->benchmark, "netgauge");
    const bool each = begins(s->benchmark, "mpi-bench ");
    int64_t window = s->window > 0 ? s->window : c->window;
    if (burst && window == 0) {
        window = DEFAULT_WINDOW;
        c->set->window_assumed = true;
    }
    point->window = never ? 0 : (double)window;
    point->waiting = never || window == 0 ? CLUMP_WAITS_NEVER
                     : burst              ? CLUMP_WAITS_FOR_BURST
                     : each               ? CLUMP_WAITS_FOR_EACH
                                          : CLUMP_WAITS_SOMEHOW;
}

/* A rate of several pairs of processes is that many times the rate of one. */
static double pairs_of(const clump_loggp_sample *s)
{
    const bool all = begins(s->benchmark, "osu_mbw_mr") || begins(s->benchmark, "mpi-bench ");
    return all && s->processes > 2 ? (double)s->processes / 2 : 1;
}

static clump_status add_stream(converter *c, const group *g)
{
    clump_curve *curve = &c->set->curves[CLUMP_CURVE_STREAM];
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < g->count && status == CLUMP_OK; i++) {
        const loggp_row *row = &g->rows[i];
        const clump_loggp_sample *s = &row->sample;
        const double units = row->quantity == TRANSFER_RATE ? (double)s->size_bytes : 1;
        const double time = row->quantity == GAP ? s->value : pairs_of(s) * units / s->value;
        const double step = row->quantity == GAP ? g->step : time * g->step / s->value;
        const size_t before = curve->count;
        if (s->delay_us > 0 || (row->quantity == TRANSFER_RATE && s->size_bytes <= 0)) {
            c->set->not_used++;
            continue;
        }
        if (!(s->value > 0) && row->quantity != GAP) {
            c->set->unusable++;
            continue;
        }
        status = add(c, CLUMP_CURVE_STREAM, g, row, time, step);
        if (curve->count > before)
            set_window(c, s, &curve->points[before]);
    }
    return status;
}

/* Whether another quantity tells of the same run of the benchmark, window and processes. */
static bool is_told_by(const converter *c, const group *g, int quantity)
{
    loggp_row wanted = *g->rows;
    size_t low = 0, high = c->row_count;
    wanted.quantity = quantity;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_group(&c->rows[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->row_count && compare_group(&c->rows[low], &wanted) == 0;
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
static clump_status add_bursts(converter *c, const group *g)
{
    clump_status status = CLUMP_OK;
    const bool has_send = c->run[SEND].count > 0;
    if (g->rows->sample.window == 1) {
        c->single = *g;
        return add_times(c, CLUMP_CURVE_ONE_WAY, g, 0.5);
    }
    for (size_t i = 0; i < g->count && status == CLUMP_OK; i++) {
        const clump_loggp_sample *s = &g->rows[i].sample;
        const loggp_row *one = c->single.count > 0 ? find_size(&c->single, s->size_bytes) : NULL;
        if (one == NULL || s->window < 2 || (s->delay_us > 0 && has_send)) {
            c->set->not_used++;
            continue;
        }
        const double more = (double)(s->window - 1);
        const double time = (s->value - one->sample.value) / more - s->delay_us;
        const clump_curve_kind kind = s->delay_us > 0 ? CLUMP_CURVE_SEND : CLUMP_CURVE_STREAM;
        if (time > 0)
            status = add(c, kind, g, &g->rows[i], time, g->step / more);
        else
            c->set->unusable++;
    }
    return status;
}

/* Its L is RTT/2 - g of an empty message (Kielmann, Bal, Verstoep, 2000). */
static clump_status add_plogp(converter *c, const group *g)
{
    const group *gaps = &c->run[GAP];
    if (gaps->count == 0 || gaps->rows->sample.size_bytes > 1) {
        c->set->not_used += g->count;
        return CLUMP_OK;
    }
    return add(c, CLUMP_CURVE_ONE_WAY, g, g->rows, g->rows->sample.value + gaps->rows->sample.value,
               gaps->step);
}

/* The last row is the fit to all sizes. */
static clump_status add_ready(converter *c, const group *g, clump_loggp_ready *ready)
{
    const size_t n = ready->count;
    double *values = realloc(ready->values, (n + 1) * sizeof *values);
    if (values != NULL)
        ready->values = values;
    size_t *samples = realloc(ready->samples, (n + 1) * sizeof *samples);
    if (samples != NULL)
        ready->samples = samples;
    if (values == NULL || samples == NULL)
        return clump_fail_memory(c->error, "samples");
    const loggp_row *last = &g->rows[g->count - 1];
    const clump_status status = keep_sample(c, last, &samples[n]);
    values[n] = last->sample.value;
    ready->count += status == CLUMP_OK;
    return status;
}

/* Means that a source gives beside the samples themselves would count them twice. */
static bool has_half_round_trips(const converter *c, const group *g)
{
    const loggp_row *end = c->rows + c->row_count;
    for (const loggp_row *row = c->rows; row < end; row++)
        if (row->quantity == HALF_ROUND_TRIP &&
            strcmp(row->sample.source, g->rows->sample.source) == 0)
            return true;
    return false;
}

static clump_status add_group(converter *c, const group *g)
{
    const int quantity = g->rows->quantity;
    const bool told_already =
        (quantity == RATE || quantity == TRANSFER_RATE) &&
        (is_told_by(c, g, GAP) || (quantity == TRANSFER_RATE && is_told_by(c, g, RATE)));
    switch (quantity) {
    case HALF_ROUND_TRIP:
        return add_times(c, CLUMP_CURVE_ONE_WAY, g, 1);
    case ROUND_TRIP:
        if (has_half_round_trips(c, g)) {
            c->set->not_used += g->count;
            return CLUMP_OK;
        }
        return add_times(c, CLUMP_CURVE_ONE_WAY, g, 0.5);
    case SEND:
        return add_times(c, CLUMP_CURVE_SEND, g, 1);
    case RECEIVE:
        return add_times(c, CLUMP_CURVE_RECEIVE, g, 1);
    case BURST:
        return add_bursts(c, g);
    case PLOGP:
        return add_plogp(c, g);
    case FITTED_GAP:
        return add_ready(c, g, &c->set->gap);
    case FITTED_GAP_PER_BYTE:
        return add_ready(c, g, &c->set->gap_per_byte);
    default:
        return told_already ? CLUMP_OK : add_stream(c, g);
    }
}

/* Fill the curves of the set. Sorts the rows. `window` as in clump_loggp_filter. */
static clump_status convert_rows(loggp_row *rows, size_t count, int64_t window,
                                 clump_loggp_samples *set, clump_error *error)
{
    converter c = {.set = set, .rows = rows, .row_count = count, .window = window, .error = error};
    clump_status status = CLUMP_OK;
    size_t run = 0;
    if (count > 0)
        qsort(rows, count, sizeof *rows, compare_rows);
    for (size_t i = 0, end; i < count && status == CLUMP_OK; i = end) {
        const loggp_row *first = &rows[i];
        size_t best = i;
        if (i > 0 && (strcmp(first->sample.source, rows[i - 1].sample.source) != 0 ||
                      first->sample.run != rows[i - 1].sample.run)) {
            memset(c.run, 0, sizeof c.run);
            c.single.count = 0;
            run++;
        }
        for (end = i; end < count && compare_group(first, &rows[end]) == 0; end++)
            if (rows[end].rank == first->rank)
                best = end + 1;
        set->not_used += end - best;
        const group g = {first, best - i, run, printed_step(first, best - i)};
        status = add_group(&c, &g);
        c.run[first->quantity] = g;
    }
    return status;
}

/* ---- the set */

typedef struct reader {
    clump_loggp_samples *set;
    loggp_row *rows;
    size_t count;
} reader;

static void take(const clump_cluster_sample *s, reader *r)
{
    const int quantity = quantity_of(s->quantity);
    const int rank = rank_of(quantity, s->statistic);
    if (quantity < 0 || rank < 0) {
        r->set->not_used++;
        return;
    }
    const bool delayed = s->delay_us > 0 && strcmp(s->variant, "delayed") == 0;
    r->rows[r->count] = (loggp_row){
        .sample = {.quantity = quantities[quantity],
                   .benchmark = s->benchmark,
                   .source = s->source,
                   .value = s->value,
                   .size_bytes = s->size_bytes,
                   .window = s->window,
                   .processes = s->processes,
                   .run = s->run,
                   .delay_us = s->delay_us},
        .transport = s->transport,
        .variant = delayed ? "" : s->variant,
        .quantity = quantity,
        .rank = rank,
        .doubtful = s->doubtful,
        .order = r->count,
    };
    r->count++;
}

/* The distinct texts of a field, for a message: "'a', 'b' and 2 more". */
static void list_choices(const reader *r, bool variants, char text[200])
{
    const char *seen[5];
    size_t count = 0, used = 0, more = 0;
    text[0] = '\0';
    for (size_t i = 0; i < r->count; i++) {
        const char *one = variants ? r->rows[i].variant : r->rows[i].transport;
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
static clump_status choose(reader *r, const char *wanted, bool variants, const char **chosen,
                           clump_error *error)
{
    const char *name = wanted;
    size_t kept = 0;
    bool several = false, plain = false;
    for (size_t i = 0; i < r->count; i++) {
        const char *one = variants ? r->rows[i].variant : r->rows[i].transport;
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
        const char *one = variants ? r->rows[i].variant : r->rows[i].transport;
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
    static const clump_curve_kind kinds[QUANTITIES] = {[HALF_ROUND_TRIP] = CLUMP_CURVE_ONE_WAY,
                                                       [ROUND_TRIP] = CLUMP_CURVE_ONE_WAY,
                                                       [SEND] = CLUMP_CURVE_SEND,
                                                       [RECEIVE] = CLUMP_CURVE_RECEIVE,
                                                       [GAP] = CLUMP_CURVE_STREAM,
                                                       [RATE] = CLUMP_CURVE_STREAM,
                                                       [TRANSFER_RATE] = CLUMP_CURVE_STREAM,
                                                       [BURST] = CLUMP_CURVE_STREAM,
                                                       [PLOGP] = CLUMP_CURVE_ONE_WAY,
                                                       [FITTED_GAP] = CLUMP_CURVE_STREAM,
                                                       [FITTED_GAP_PER_BYTE] = CLUMP_CURVE_STREAM};
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].doubtful)
            r->set->doubtful_of[kinds[r->rows[i].quantity]]++;
        else
            r->rows[kept++] = r->rows[i];
    r->set->doubtful = r->count - kept;
    r->count = kept;
}

static clump_status read_rows(clump_store *store, const clump_loggp_filter *filter, reader *r,
                              clump_error *error)
{
    const clump_store_filter wanted = {
        .platform = filter->platform, .application = "", .transport = filter->transport};
    clump_cluster_samples all = {0};
    r->set->arena = clump_arena_new();
    if (r->set->arena == NULL)
        return clump_fail_memory(error, "samples");
    clump_cluster_work work = {.store = store, .arena = r->set->arena, .error = error};
    clump_cluster_samples_load(&work, &wanted, &all);
    r->rows = clump_cluster_take(&work, (all.count + 1) * sizeof *r->rows);
    if (r->rows == NULL)
        return work.status;
    for (size_t i = 0; i < all.count; i++)
        take(&all.items[i], r);
    clump_status status = choose(r, filter->transport, false, &r->set->transport, error);
    if (status == CLUMP_OK)
        status = choose(r, filter->variant, true, &r->set->variant, error);
    if (status == CLUMP_OK)
        drop_doubtful(r);
    return status;
}

/* Rates of many pairs say less about one: they go where there are others. */
static void drop_crowds(clump_loggp_samples *set, clump_curve *curve)
{
    bool pair = false;
    size_t kept = 0;
    for (size_t i = 0; i < curve->count; i++)
        pair = pair || set->items[curve->points[i].sample].processes <= 2;
    for (size_t i = 0; pair && i < curve->count; i++)
        if (set->items[curve->points[i].sample].processes <= 2)
            curve->points[kept++] = curve->points[i];
    if (pair) {
        set->not_used += curve->count - kept;
        curve->count = kept;
    }
}

static clump_status list_sources(clump_loggp_samples *set, clump_error *error)
{
    set->sources = malloc((set->count + 1) * sizeof *set->sources);
    if (set->sources == NULL)
        return clump_fail_memory(error, "sources");
    for (size_t i = 0; i < set->count; i++)
        set->sources[i] = set->items[i].source;
    set->source_count = clump_cluster_unique(set->sources, set->count);
    return CLUMP_OK;
}

clump_status clump_loggp_samples_read(clump_store *store, const clump_loggp_filter *filter,
                                      clump_loggp_samples *samples, clump_error *error)
{
    reader r = {.set = samples};
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        samples->curves[k].kind = (clump_curve_kind)k;
    clump_status status = read_rows(store, filter, &r, error);
    if (status == CLUMP_OK)
        status = convert_rows(r.rows, r.count, filter->window, samples, error);
    for (size_t k = 0; k < CLUMP_CURVE_KINDS && status == CLUMP_OK; k++)
        drop_crowds(samples, &samples->curves[k]);
    return status == CLUMP_OK ? list_sources(samples, error) : status;
}

void clump_loggp_samples_free(clump_loggp_samples *samples)
{
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        clump_curve_free(&samples->curves[k]);
    free(samples->sources);
    free(samples->items);
    free(samples->gap.values);
    free(samples->gap.samples);
    free(samples->gap_per_byte.values);
    free(samples->gap_per_byte.samples);
    clump_arena_free(samples->arena);
    *samples = (clump_loggp_samples){.count = 0};
}
