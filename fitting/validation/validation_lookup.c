/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_lookup.h"

#include "data/store/repeated.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- what the store says */

bool validation_ok(validation_reader *reader, clump_store_status status)
{
    if (reader->failed || status == CLUMP_STORE_OK)
        return !reader->failed;
    reader->failed = status == CLUMP_STORE_FAILED;
    clump_fail(&reader->why, CLUMP_BAD_ARGUMENT, "%s", clump_store_message(reader->store));
    return false;
}

bool validation_lacks(validation_reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!reader->failed)
        vsnprintf(reader->why.message, sizeof reader->why.message, format, arguments);
    va_end(arguments);
    return false;
}

clump_status validation_fail(const validation_reader *reader, clump_error *error)
{
    return clump_fail(error, CLUMP_INCONSISTENT, "%s", reader->why.message);
}

bool validation_number(validation_reader *reader, const clump_store_filter *filter, double *value)
{
    clump_store_measurement measured = {.value = NAN, .half_width = NAN};
    clump_store_filter sure = *filter;
    sure.sure = true;
    const bool known = !reader->failed &&
                       validation_ok(reader, clump_store_value(reader->store, &sure, &measured));
    reader->number_half_width = measured.half_width;
    if (known)
        *value = measured.value;
    return known;
}

bool validation_has(validation_reader *reader, const char *application, const char *quantity)
{
    const clump_store_filter filter = {
        .platform = "", .application = application, .quantity = quantity};
    double value;
    return validation_number(reader, &filter, &value) && value > 0;
}

/* ---- times */

typedef struct times {
    const char *layer; /* NULL: the first that comes */
    char first[VALIDATION_LAYER_SIZE];
    double mean, half_width; /* of the first sample that is a mean or median itself */
    bool has_mean;
    clump_store_repeated single;
} times;

static int take_time(const clump_store_sample *sample, void *context)
{
    times *t = context;
    const double value = sample->measured.value;
    const bool single = strcmp(sample->statistic, "single") == 0;
    if (!single && strcmp(sample->statistic, "mean") != 0 &&
        strcmp(sample->statistic, "median") != 0)
        return 0;
    if (t->layer == NULL) {
        snprintf(t->first, sizeof t->first, "%s", sample->variant);
        t->layer = t->first;
    }
    if (strcmp(sample->variant, t->layer) != 0 || !(value > 0))
        return 0;
    if (!single) {
        t->mean = value;
        t->half_width = sample->measured.half_width;
        t->has_mean = true;
        return 1;
    }
    clump_store_repeated_add(&t->single, &sample->measured);
    return 0;
}

/* Whether there is one. */
static bool read_time(validation_reader *reader, const clump_store_filter *filter, times *t)
{
    const clump_store_status status = clump_store_each_sample(reader->store, filter, take_time, t);
    return (status == CLUMP_STORE_STOPPED || validation_ok(reader, status)) &&
           (t->has_mean || t->single.count > 0);
}

bool validation_time(validation_reader *reader, const char *platform, const char *application,
                     const char *layer, const char *source, double *time, double *half_width,
                     char found[VALIDATION_LAYER_SIZE])
{
    const clump_store_filter filter = {.platform = platform,
                                       .application = application,
                                       .quantity = "execution_time",
                                       .source = source,
                                       .sure = true};
    times t = {.layer = layer != NULL ? layer : CLUMP_STORE_PREFERRED_VARIANT};
    if (reader->failed)
        return false;
    validation_lacks(reader, "no execution time of '%.60s' on '%.60s'", application, platform);
    bool known = read_time(reader, &filter, &t);
    if (!known && layer == NULL) {
        t = (times){.layer = NULL};
        known = read_time(reader, &filter, &t);
    }
    if (!known)
        return false;
    if (found != NULL)
        snprintf(found, VALIDATION_LAYER_SIZE, "%s", t.layer);
    *time = clump_store_repeated_mean(&t.single, half_width);
    if (t.has_mean) {
        *time = t.mean;
        *half_width = t.half_width;
    }
    return true;
}

/* ---- costs of messages */

static bool loggp_of(validation_reader *reader, const char *platform, const char *transport,
                     const char *layer, clump_loggp *loggp)
{
    double values[CLUMP_LOGGP_QUANTITIES], half_widths[CLUMP_LOGGP_QUANTITIES];
    for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++) {
        const clump_store_filter filter = {.platform = platform,
                                           .application = "",
                                           .transport = transport,
                                           .quantity = clump_loggp_quantities[i],
                                           .variant = layer};
        if (!validation_number(reader, &filter, &values[i]))
            return false;
        half_widths[i] = reader->number_half_width;
    }
    reader->loggp_half_widths = clump_loggp_of(half_widths);
    *loggp = clump_loggp_of(values);
    return clump_loggp_check(loggp, transport, &reader->why) == CLUMP_OK;
}

bool validation_loggp(validation_reader *reader, const char *platform, const char *transport,
                      const char *layer, bool any, clump_loggp *loggp)
{
    const char *const layers[] = {layer, "", CLUMP_STORE_PREFERRED_VARIANT, NULL};
    for (size_t i = 0; i < (any ? 4 : 2); i++)
        if (loggp_of(reader, platform, transport, layers[i], loggp))
            return true;
    const clump_error why = reader->why;
    return any ? validation_lacks(reader, "LogGP parameters: %.200s", why.message)
               : validation_lacks(
                     reader,
                     "no LogGP parameters of platform '%.60s', transport '%.20s', variant '%.40s'",
                     platform, transport, layer);
}

/* ---- traffic */

static bool mean_of(validation_reader *reader, const clump_store_filter *wanted,
                    const char *quantity, double *value, double *half_width)
{
    clump_store_filter filter = *wanted;
    filter.quantity = quantity;
    filter.statistic = "mean";
    bool known = validation_number(reader, &filter, value);
    filter.statistic = "single";
    known = known || validation_number(reader, &filter, value);
    if (known)
        *half_width = reader->number_half_width;
    return known;
}

bool validation_traffic(validation_reader *reader, const char *platform, const char *application,
                        const char *transport, clump_traffic *traffic)
{
    const clump_store_filter filter = {
        .platform = platform, .application = application, .transport = transport};
    clump_traffic *half = &reader->traffic_half_widths;
    *traffic = (clump_traffic){0, 0, 0};
    *half = (clump_traffic){NAN, NAN, NAN};
    const bool some =
        mean_of(reader, &filter, "short_messages", &traffic->short_messages, &half->short_messages);
    const bool bulk =
        mean_of(reader, &filter, "bulk_messages", &traffic->bulk_messages, &half->bulk_messages);
    if (traffic->bulk_messages > 0) {
        if (!mean_of(reader, &filter, "bulk_message_size", &traffic->bulk_bytes, &half->bulk_bytes))
            return false;
        traffic->bulk_bytes *= traffic->bulk_messages;
        half->bulk_bytes *= traffic->bulk_messages;
    }
    return some || bulk;
}

bool validation_waited_share(validation_reader *reader, const char *application,
                             double *waited_share)
{
    clump_store_application *record = NULL;
    const bool known =
        validation_ok(reader, clump_store_find_application(reader->store, application, &record));
    if (known) /* where the style is not known, messages follow each other */
        *waited_share = record->style != NULL && strcmp(record->style, "blocking") == 0;
    clump_store_free(record);
    return known;
}

bool validation_misses(validation_reader *reader, const char *platform, const char *counterpart,
                       clump_misses *misses)
{
    clump_store_misses known;
    if (!validation_ok(reader,
                       clump_store_find_misses(reader->store, platform, counterpart, &known)))
        return false;
    if (known.lacks != NULL) /* not as if it were not there */
        return validation_lacks(reader,
                                "found sustained_memory_bandwidth of '%.60s', but no %s, expected "
                                "both: one does not say what a miss moves, or how long it takes",
                                platform, known.lacks);
    *misses = (clump_misses){.now_us = known.now_us,
                             .node_us = known.node_us,
                             .line_bytes = known.line_bytes,
                             .bytes_per_us = known.bytes_per_us};
    return true;
}
