/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/validation/validation_lookup.h"

#include "data/store/repeated.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the store says */

validation_answer validation_answer_of(validation_reader *reader, clump_store_status status,
                                       clump_error *error)
{
    if (status == CLUMP_STORE_OK)
        return VALIDATION_KNOWN;
    clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", clump_store_message(reader->store));
    return status == CLUMP_STORE_FAILED ? VALIDATION_FAILED : VALIDATION_UNKNOWN;
}

validation_answer validation_number(validation_reader *reader, const clump_store_filter *filter,
                                    double *value, clump_error *error)
{
    clump_store_measurement measured = {.value = NAN, .half_width = NAN};
    clump_store_filter sure = *filter;
    sure.sure = true;
    const validation_answer found =
        validation_answer_of(reader, clump_store_value(reader->store, &sure, &measured), error);
    reader->number_half_width = measured.half_width;
    if (found == VALIDATION_KNOWN)
        *value = measured.value;
    return found;
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

static validation_answer read_time(validation_reader *reader, const clump_store_filter *filter,
                                   times *t, clump_error *error)
{
    clump_store_filter sure = *filter;
    sure.sure = true;
    const clump_store_status status = clump_store_each_sample(reader->store, &sure, take_time, t);
    return validation_answer_of(reader, status == CLUMP_STORE_STOPPED ? CLUMP_STORE_OK : status,
                                error);
}

validation_answer validation_time(validation_reader *reader, const char *platform,
                                  const char *application, const char *layer, const char *source,
                                  double *time, double *half_width,
                                  char found[VALIDATION_LAYER_SIZE], clump_error *error)
{
    const clump_store_filter filter = {.platform = platform,
                                       .application = application,
                                       .quantity = "execution_time",
                                       .source = source};
    times t = {.layer = layer != NULL ? layer : CLUMP_STORE_PREFERRED_VARIANT};
    validation_answer known = read_time(reader, &filter, &t, error);
    if (known == VALIDATION_KNOWN && layer == NULL && !t.has_mean && t.single.count == 0) {
        t = (times){.layer = NULL};
        known = read_time(reader, &filter, &t, error);
    }
    if (known != VALIDATION_KNOWN)
        return known;
    if (!t.has_mean && t.single.count == 0) {
        clump_fail(error, CLUMP_BAD_ARGUMENT, "no execution time of '%.60s' on '%.60s'",
                   application, platform);
        return VALIDATION_UNKNOWN;
    }
    if (found != NULL)
        snprintf(found, VALIDATION_LAYER_SIZE, "%s", t.layer);
    *time = clump_store_repeated_mean(&t.single, half_width);
    if (t.has_mean) {
        *time = t.mean;
        *half_width = t.half_width;
    }
    return VALIDATION_KNOWN;
}

/* ---- costs of messages */

static validation_answer loggp_of(validation_reader *reader, const char *platform,
                                  const char *transport, const char *layer, clump_loggp *loggp,
                                  clump_error *error)
{
    double values[CLUMP_LOGGP_QUANTITIES], half_widths[CLUMP_LOGGP_QUANTITIES];
    for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++) {
        const clump_store_filter filter = {.platform = platform,
                                           .application = "",
                                           .transport = transport,
                                           .quantity = clump_loggp_quantities[i],
                                           .variant = layer};
        const validation_answer known = validation_number(reader, &filter, &values[i], error);
        if (known != VALIDATION_KNOWN)
            return known;
        half_widths[i] = reader->number_half_width;
    }
    reader->loggp_half_widths = clump_loggp_of(half_widths);
    *loggp = clump_loggp_of(values);
    return clump_loggp_check(loggp, transport, error) == CLUMP_OK ? VALIDATION_KNOWN
                                                                  : VALIDATION_UNKNOWN;
}

validation_answer validation_loggp(validation_reader *reader, const char *platform,
                                   const char *transport, const char *layer, bool any,
                                   clump_loggp *loggp, clump_error *error)
{
    const char *const layers[] = {layer, "", CLUMP_STORE_PREFERRED_VARIANT, NULL};
    validation_answer known = VALIDATION_UNKNOWN;
    clump_error why = {CLUMP_OK, ""};
    for (size_t i = 0; i < (any ? 4 : 2) && known == VALIDATION_UNKNOWN; i++)
        known = loggp_of(reader, platform, transport, layers[i], loggp, &why);
    if (known == VALIDATION_FAILED || (known == VALIDATION_UNKNOWN && any))
        clump_fail(error, CLUMP_BAD_ARGUMENT, "LogGP parameters: %.200s", why.message);
    else if (known == VALIDATION_UNKNOWN)
        clump_fail(error, CLUMP_BAD_ARGUMENT,
                   "no LogGP parameters of platform '%.60s', transport '%.20s', variant '%.40s'",
                   platform, transport, layer);
    return known;
}

/* ---- traffic */

static validation_answer mean_of(validation_reader *reader, const clump_store_filter *wanted,
                                 const char *quantity, double *value, clump_error *error)
{
    static const char *const statistics[] = {"mean", "single"};
    validation_answer known = VALIDATION_UNKNOWN;
    for (size_t i = 0; i < 2 && known == VALIDATION_UNKNOWN; i++) {
        clump_store_filter filter = *wanted;
        filter.quantity = quantity;
        filter.statistic = statistics[i];
        known = validation_number(reader, &filter, value, error);
    }
    return known;
}

validation_answer validation_traffic(validation_reader *reader, const char *platform,
                                     const char *application, const char *transport,
                                     clump_traffic *traffic, clump_error *error)
{
    const clump_store_filter filter = {
        .platform = platform, .application = application, .transport = transport};
    clump_traffic *half = &reader->traffic_half_widths;
    double size = 0;
    *traffic = (clump_traffic){0, 0, 0};
    *half = (clump_traffic){NAN, NAN, NAN};
    const validation_answer some =
        mean_of(reader, &filter, "short_messages", &traffic->short_messages, error);
    if (some == VALIDATION_FAILED)
        return some;
    if (some == VALIDATION_KNOWN)
        half->short_messages = reader->number_half_width;
    const validation_answer bulk =
        mean_of(reader, &filter, "bulk_messages", &traffic->bulk_messages, error);
    if (bulk == VALIDATION_FAILED)
        return bulk;
    if (bulk == VALIDATION_KNOWN)
        half->bulk_messages = reader->number_half_width;
    if (traffic->bulk_messages > 0) {
        const validation_answer sized = mean_of(reader, &filter, "bulk_message_size", &size, error);
        if (sized != VALIDATION_KNOWN)
            return sized;
        traffic->bulk_bytes = traffic->bulk_messages * size;
        half->bulk_bytes = traffic->bulk_messages * reader->number_half_width;
    }
    return some == VALIDATION_KNOWN || bulk == VALIDATION_KNOWN ? VALIDATION_KNOWN
                                                                : VALIDATION_UNKNOWN;
}

validation_answer validation_waited_share(validation_reader *reader, const char *application,
                                          double *waited_share, clump_error *error)
{
    clump_store_application *record = NULL;
    const clump_store_status status =
        clump_store_find_application(reader->store, application, &record);
    if (status == CLUMP_STORE_OK) /* where the style is not known, messages follow each other */
        *waited_share = record->style != NULL && strcmp(record->style, "blocking") == 0;
    clump_store_free(record);
    return validation_answer_of(reader, status, error);
}

validation_answer validation_has(validation_reader *reader, const char *application,
                                 const char *quantity, bool *yes, clump_error *error)
{
    double value = 0;
    const clump_store_filter filter = {
        .platform = "", .application = application, .quantity = quantity};
    const validation_answer known = validation_number(reader, &filter, &value, error);
    *yes = known == VALIDATION_KNOWN && value > 0;
    return known == VALIDATION_UNKNOWN ? VALIDATION_KNOWN : known;
}

clump_store_status validation_misses(validation_reader *reader, const char *platform,
                                     const char *counterpart, clump_misses *misses)
{
    clump_store_misses known;
    const clump_store_status status =
        clump_store_find_misses(reader->store, platform, counterpart, &known);
    if (status == CLUMP_STORE_OK)
        *misses = (clump_misses){.now_us = known.now_us,
                                 .node_us = known.node_us,
                                 .line_bytes = known.line_bytes,
                                 .bytes_per_us = known.bytes_per_us};
    return status;
}
