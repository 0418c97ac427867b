/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/sample_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "calibrate shm 2026-11-21 14:40:05", with a number if that is taken. */
static clump_store_status name_source(clump_calibration_store *to)
{
    char when[32] = "";
    const time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL)
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &parts);
    clump_store_status status = CLUMP_STORE_OK;
    for (int i = 1; status == CLUMP_STORE_OK && i < 1000; i++) {
        char number[16] = "";
        if (i > 1)
            snprintf(number, sizeof number, " (%d)", i);
        snprintf(to->name, sizeof to->name, "%.50s %s%s", to->source.kind, when, number);
        clump_store_source *found = NULL;
        status = clump_store_find_source(to->store, to->name, &found);
        clump_store_free(found);
    }
    return status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : status;
}

static clump_store_status add_source(clump_calibration_store *to)
{
    const clump_calibration_source *s = &to->source;
    clump_store_status status = name_source(to);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_source(to->store, &(clump_store_source){.name = to->name,
                                                                         .kind = "calibration",
                                                                         .title = s->title,
                                                                         .tool = "clumpmodel",
                                                                         .tool_version = s->version,
                                                                         .command = s->command,
                                                                         .note = s->note});
    if (status != CLUMP_STORE_OK)
        return status;
    clump_store_platform *found = NULL;
    status = clump_store_find_platform(to->store, s->platform, &found);
    clump_store_free(found);
    if (status == CLUMP_STORE_NOT_FOUND)
        status = clump_store_add_platform(
            to->store, &(clump_store_platform){.name = s->platform,
                                               .title = s->platform_title,
                                               .nodes = s->nodes > 0 ? s->nodes : 1,
                                               .processors = s->processors,
                                               .nics = 0,
                                               .source = to->name});
    return status;
}

/* The series of a sample: that of an earlier one, or a new one. */
static clump_store_status find_series(clump_calibration_store *to,
                                      const clump_calibration_sample *of, int64_t *id)
{
    char variant[120];
    for (size_t i = 0; i < to->series_count; i++)
        if (clump_calibration_same_series(&to->series[i].of, of)) {
            *id = to->series[i].id;
            return CLUMP_STORE_OK;
        }
    void *more = realloc(to->series, (to->series_count + 1) * sizeof *to->series);
    if (more == NULL)
        return CLUMP_STORE_STOPPED;
    to->series = more;
    snprintf(variant, sizeof variant, "%s%s%s", of->variant, of->setting[0] != '\0' ? ", " : "",
             of->setting);
    const clump_store_status status = clump_store_add_series(
        to->store,
        &(clump_store_series){.platform = to->source.platform,
                              .quantity = clump_quantity_name(of->quantity),
                              .transport = of->network ? "udp" : to->source.transport,
                              .variant = variant,
                              .statistic = "single",
                              .source = to->name,
                              .benchmark = clump_benchmark_name(of->benchmark),
                              .window = of->window,
                              .processes = of->processes},
        id);
    if (status == CLUMP_STORE_OK) {
        to->series[to->series_count].of = *of;
        to->series[to->series_count++].id = *id;
    }
    return status;
}

static clump_store_status add_sample(clump_calibration_store *to, int64_t series,
                                     const clump_calibration_sample *s)
{
    char line[80] = "the processor was taken away";
    if (s->line_us > 0)
        snprintf(line, sizeof line, "%sa cache line took %.3f us",
                 s->disturbed ? "the processor was taken away; " : "", s->line_us);
    const char *note = s->doubt != NULL ? s->doubt : line;
    return clump_store_add_sample(to->store, series,
                                  &(clump_store_measurement){.value = s->value,
                                                             .half_width = NAN,
                                                             .std_dev = NAN,
                                                             .size_bytes = s->size_bytes,
                                                             .run = s->run,
                                                             .iterations = s->iterations,
                                                             .delay_us = s->delay_us,
                                                             .doubtful = s->doubtful,
                                                             .note = s->doubtful ? note : NULL});
}

static clump_store_status add_all(clump_calibration_store *to,
                                  const clump_calibration_samples *samples, size_t first,
                                  bool *stored)
{
    clump_store_status status = CLUMP_STORE_OK;
    for (size_t i = first; i < samples->count && status == CLUMP_STORE_OK; i++) {
        int64_t id = 0;
        if (stored[i - first])
            continue;
        status = find_series(to, &samples->items[i], &id);
        for (size_t j = i; j < samples->count && status == CLUMP_STORE_OK; j++)
            if (!stored[j - first] &&
                clump_calibration_same_series(&samples->items[i], &samples->items[j])) {
                status = add_sample(to, id, &samples->items[j]);
                stored[j - first] = true;
            }
    }
    return status;
}

clump_store_status clump_calibration_write(clump_calibration_store *to,
                                           const clump_calibration_samples *samples, size_t first)
{
    if (first >= samples->count)
        return CLUMP_STORE_OK;
    const bool fresh = to->name[0] == '\0';
    bool *stored = calloc(samples->count - first, sizeof *stored);
    if (stored == NULL)
        return CLUMP_STORE_STOPPED;
    clump_store_status status = clump_store_begin(to->store);
    if (status == CLUMP_STORE_OK && fresh)
        status = add_source(to);
    if (status == CLUMP_STORE_OK)
        status = add_all(to, samples, first, stored);
    if (status == CLUMP_STORE_OK)
        status = clump_store_commit(to->store);
    if (status != CLUMP_STORE_OK && fresh)
        to->name[0] = '\0'; /* goes with the transaction, which closing the store undoes */
    free(stored);
    return status;
}

clump_store_status clump_calibration_write_parameters(clump_calibration_store *to,
                                                      const clump_calibration_parameter *parameters,
                                                      size_t count)
{
    if (count == 0 || to->name[0] == '\0')
        return CLUMP_STORE_OK;
    clump_store_status status = clump_store_begin(to->store);
    for (size_t i = 0; i < count && status == CLUMP_STORE_OK; i++) {
        const clump_calibration_parameter *p = &parameters[i];
        int64_t id = 0;
        status = clump_store_add_series(
            to->store,
            &(clump_store_series){.platform = to->source.platform,
                                  .quantity = clump_quantity_name(p->quantity),
                                  .transport = to->source.transport,
                                  .variant = p->variant,
                                  .statistic = "mean",
                                  .source = to->name},
            &id);
        if (status == CLUMP_STORE_OK)
            status = clump_store_add_sample(to->store, id,
                                            &(clump_store_measurement){.value = p->value,
                                                                       .half_width = p->half_width,
                                                                       .std_dev = NAN,
                                                                       .size_bytes = -1});
    }
    return status == CLUMP_STORE_OK ? clump_store_commit(to->store) : status;
}
