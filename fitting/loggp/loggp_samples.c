/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/loggp_samples.h"

#include "fitting/loggp/loggp_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts of the store last as long as the callback: each is kept once. */
static const char *keep(clump_loggp_samples *set, const char *text, const char *last)
{
    if (text == NULL)
        text = "";
    if (last != NULL && strcmp(text, last) == 0)
        return last;
    for (size_t i = 0; i < set->text_count; i++)
        if (strcmp(set->texts[i], text) == 0)
            return set->texts[i];
    char **texts = realloc(set->texts, (set->text_count + 1) * sizeof *texts);
    if (texts == NULL)
        return NULL;
    set->texts = texts;
    char *copy = strdup(text);
    if (copy == NULL)
        return NULL;
    return texts[set->text_count++] = copy;
}

typedef struct reader {
    clump_loggp_samples *set;
    clump_loggp_row *rows;
    size_t count, room;
    bool no_memory;
} reader;

static int take(const clump_store_sample *s, void *context)
{
    reader *r = context;
    static const clump_loggp_row none;
    const int quantity = clump_loggp_row_quantity(s->quantity);
    const int rank = clump_loggp_row_rank(quantity, s->statistic);
    if (quantity < 0 || rank < 0) {
        r->set->not_used++;
        return 0;
    }
    if (r->count == r->room) {
        const size_t room = r->room > 0 ? 2 * r->room : 256;
        clump_loggp_row *rows = realloc(r->rows, room * sizeof *rows);
        r->no_memory = rows == NULL;
        if (rows == NULL)
            return 1;
        r->rows = rows;
        r->room = room;
    }
    const clump_loggp_row *last = r->count > 0 ? &r->rows[r->count - 1] : &none;
    clump_loggp_row *row = &r->rows[r->count];
    const bool delayed = s->measured.delay_us > 0 && strcmp(s->variant, "delayed") == 0;
    *row = (clump_loggp_row){
        .sample = {.quantity = keep(r->set, s->quantity, last->sample.quantity),
                   .benchmark = keep(r->set, s->benchmark, last->sample.benchmark),
                   .source = keep(r->set, s->source->name, last->sample.source),
                   .value = s->measured.value,
                   .size_bytes = s->measured.size_bytes,
                   .window = s->window,
                   .processes = s->processes,
                   .run = s->measured.run,
                   .delay_us = s->measured.delay_us},
        .transport = keep(r->set, s->transport, last->transport),
        .variant = keep(r->set, delayed ? "" : s->variant, last->variant),
        .quantity = quantity,
        .rank = rank,
        .doubtful = s->measured.doubtful,
        .order = r->count,
    };
    r->no_memory = row->sample.quantity == NULL || row->sample.benchmark == NULL ||
                   row->sample.source == NULL || row->transport == NULL || row->variant == NULL;
    r->count += !r->no_memory;
    return r->no_memory;
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
            known = known || seen[k] == one;
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
static clump_status choose(reader *r, const char *wanted, bool variants, char **chosen,
                           clump_error *error)
{
    const char *name = wanted;
    size_t kept = 0;
    bool several = false, plain = false;
    for (size_t i = 0; i < r->count; i++) {
        const char *one = variants ? r->rows[i].variant : r->rows[i].transport;
        several = several || (name != NULL && one != name && wanted == NULL);
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
    *chosen = strdup(name != NULL ? name : "");
    return *chosen != NULL ? CLUMP_OK : clump_fail_memory(error, "samples");
}

/* What was marked doubtful (another program took the processor away, a cell of a table is hard to
 * read) is taken only where a quantity has nothing else. */
static void drop_doubtful(reader *r)
{
    bool sure[CLUMP_LOGGP_ROW_QUANTITIES] = {false};
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++)
        sure[r->rows[i].quantity] = sure[r->rows[i].quantity] || !r->rows[i].doubtful;
    for (size_t i = 0; i < r->count; i++)
        if (!r->rows[i].doubtful || !sure[r->rows[i].quantity])
            r->rows[kept++] = r->rows[i];
    r->set->doubtful = r->count - kept;
    r->count = kept;
}

static clump_status read_rows(clump_store *store, const clump_loggp_filter *filter, reader *r,
                              clump_error *error)
{
    const clump_store_filter wanted = {
        .platform = filter->platform, .application = "", .transport = filter->transport};
    const clump_store_status read = clump_store_each_sample(store, &wanted, take, r);
    if (r->no_memory)
        return clump_fail_memory(error, "samples");
    if (read == CLUMP_STORE_FAILED)
        return clump_fail(error, CLUMP_INCONSISTENT, "%.240s", clump_store_message(store));
    if (read != CLUMP_STORE_OK)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%.240s", clump_store_message(store));
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

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static clump_status list_sources(clump_loggp_samples *set, clump_error *error)
{
    set->sources = malloc((set->count + 1) * sizeof *set->sources);
    if (set->sources == NULL)
        return clump_fail_memory(error, "sources");
    for (size_t i = 0; i < set->count; i++)
        if (i == 0 || set->items[i].source != set->items[i - 1].source)
            set->sources[set->source_count++] = set->items[i].source;
    qsort(set->sources, set->source_count, sizeof *set->sources, compare_texts);
    size_t kept = 0;
    for (size_t i = 0; i < set->source_count; i++)
        if (kept == 0 || set->sources[kept - 1] != set->sources[i])
            set->sources[kept++] = set->sources[i];
    set->source_count = kept;
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
        status = clump_loggp_rows_convert(r.rows, r.count, filter->window, samples, error);
    free(r.rows);
    for (size_t k = 0; k < CLUMP_CURVE_KINDS && status == CLUMP_OK; k++)
        drop_crowds(samples, &samples->curves[k]);
    return status == CLUMP_OK ? list_sources(samples, error) : status;
}

void clump_loggp_samples_free(clump_loggp_samples *samples)
{
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++)
        clump_curve_free(&samples->curves[k]);
    for (size_t i = 0; i < samples->text_count; i++)
        free(samples->texts[i]);
    free(samples->texts);
    free(samples->sources);
    free(samples->items);
    free(samples->gap.values);
    free(samples->gap.samples);
    free(samples->gap_per_byte.values);
    free(samples->gap_per_byte.samples);
    free(samples->transport);
    free(samples->variant);
    *samples = (clump_loggp_samples){.count = 0};
}
