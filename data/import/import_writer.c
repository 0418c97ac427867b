/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import_writer.h"

#include "data/units.h"

#include <stdio.h>
#include <string.h>

clump_store_status clump_import_writer_fail(clump_import_writer *to, clump_store_status status)
{
    if (to->file == NULL)
        return clump_import_fail_with(to->import, status, "%s", clump_store_message(to->store));
    return clump_import_fail_with(to->import, status, "%.300s: %s", to->file->path,
                                  clump_store_message(to->store));
}

clump_store_status clump_import_writer_check(clump_import_writer *to, clump_store_status status)
{
    return status == CLUMP_STORE_OK ? status : clump_import_writer_fail(to, status);
}

/* clump_import_writer_check about a line of the file. */
static clump_store_status check_line(clump_import_writer *to, size_t line,
                                     clump_store_status status)
{
    return status == CLUMP_STORE_OK
               ? status
               : clump_import_fail_with(to->import, status, "%.300s:%zu: %s", to->file->path, line,
                                        clump_store_message(to->store));
}

const char *clump_import_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

void clump_import_writer_tell(const clump_import_writer *to)
{
    const clump_import_options *o = &to->import->options;
    if (o->progress != NULL)
        o->progress(to->import->done, to->import->total, o->context);
}

/* Values of the file's unit in that of the quantity. */
static clump_store_status convert(clump_import_writer *to, const clump_import_series *series,
                                  const char *unit, clump_import_sample *sample)
{
    const char *from = series->key.unit;
    if (from[0] == '\0' || strcmp(from, unit) == 0)
        return CLUMP_STORE_OK;
    double *numbers[] = {&sample->value, &sample->half_width, &sample->std_dev};
    for (size_t i = 0; i < 3; i++) {
        if (clump_unit_convert(*numbers[i], from, unit, numbers[i]) != CLUMP_UNIT_OK) {
            return clump_import_fail_with(to->import, CLUMP_STORE_BAD_INPUT,
                                          "%.300s:%zu: found unit '%.20s', expected one of %.60s, "
                                          "which is kept in %.20s",
                                          to->file->path, sample->line, from, series->key.quantity,
                                          unit);
        }
    }
    return CLUMP_STORE_OK;
}

static clump_store_status add_sample(clump_import_writer *to, int64_t id,
                                     const clump_import_series *series, size_t index,
                                     const char *unit)
{
    enum { TELL = 4096 };
    clump_import_sample sample = series->samples[index];
    char note[40]; /* of those that have a task */
    clump_store_status status = convert(to, series, unit, &sample);
    if (status != CLUMP_STORE_OK)
        return status;
    if (sample.task >= 0)
        snprintf(note, sizeof note, "task %lld", (long long)sample.task);
    const clump_store_measurement measured = {.value = sample.value,
                                              .half_width = sample.half_width,
                                              .std_dev = sample.std_dev,
                                              .size_bytes = sample.size_bytes,
                                              .run = sample.run,
                                              .iterations = sample.iterations,
                                              .delay_us = sample.delay_us,
                                              .doubtful = sample.doubtful,
                                              .note = sample.task >= 0 ? note : sample.note};
    if (++to->import->done % TELL == 0)
        clump_import_writer_tell(to);
    return check_line(to, sample.line, clump_store_add_sample(to->store, id, &measured));
}

clump_store_status clump_import_writer_add(clump_import_writer *to,
                                           const clump_import_series *series,
                                           const clump_store_series *as)
{
    clump_store_quantity *quantity = NULL;
    int64_t id = 0;
    const size_t line = series->count > 0 ? series->samples[0].line : 1;
    clump_store_status status =
        check_line(to, line, clump_store_find_quantity(to->store, series->key.quantity, &quantity));
    if (status == CLUMP_STORE_OK)
        status = check_line(to, line, clump_store_add_series(to->store, as, &id));
    for (size_t i = 0; i < series->count && status == CLUMP_STORE_OK; i++)
        status = add_sample(to, id, series, i, quantity->unit);
    clump_store_free(quantity);
    return status;
}
