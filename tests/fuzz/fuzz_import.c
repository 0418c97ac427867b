/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any bytes as a log. The environment chooses the format (CLUMP_FUZZ_FORMAT, a name; "auto":
 * recognize it; "list": print those that there are, and end), the first byte what the user knows beside it. What is accepted keeps
 * the promises of a log in memory. */

#include "data/import/import.h"
#include "data/import/import_format.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static const clump_import_format *format; /* NULL: recognize */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("CLUMP_FUZZ_FORMAT");
    (void)argc;
    (void)argv;
    if (name != NULL && strcmp(name, "list") == 0) {
        for (size_t i = 0; clump_import_format_name(i) != NULL; i++)
            puts(clump_import_format_name(i));
        exit(0);
    }
    format = name != NULL ? clump_import_format_find(name) : NULL;
    if (name != NULL && format == NULL && strcmp(name, "auto") != 0)
        abort();
    return 0;
}

static void check(const clump_import_log *log)
{
    size_t samples = 0;
    for (size_t i = 0; i < log->count; i++) {
        const clump_import_series *series = log->series[i];
        if (series->count == 0 || series->key.window < 0 || series->key.processes < 0)
            abort();
        for (size_t j = 0; j < series->count; j++) {
            const clump_import_sample *sample = &series->samples[j];
            if (log->own && series->key.origin >= log->records[CLUMP_STORE_SOURCE].count)
                abort();
            if (!isfinite(sample->value) || sample->size_bytes < -1 || sample->iterations < 0 ||
                sample->run < 0 || !(sample->delay_us >= 0) || sample->line == 0)
                abort();
        }
        samples += series->count;
    }
    if (samples != log->samples || samples == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    static const char *const quantities[] = {NULL, "half_round_trip", "message_gap", "clock"};
    const clump_import_hints hints = {.window = data[0] & 0x40 ? 64 : 0,
                                      .size_bytes = data[0] & 0x80 ? 8 : -1,
                                      .quantity = quantities[data[0] >> 4 & 3],
                                      .name = data[0] & 1 ? "ucp_am_lat.txt" : "log"};
    char *bytes = malloc(size); /* the format byte gives room for the NUL */
    if (bytes == NULL)
        return 0;
    memcpy(bytes, data + 1, size - 1);
    clump_import_log log = {.format = NULL};
    if (clump_import_parse(format, bytes, size - 1, &hints, &log))
        check(&log);
    else if (log.message[0] == '\0' || strncmp(log.message, "the importer itself", 19) == 0)
        abort();
    clump_import_log_free(&log);
    free(bytes);
    return 0;
}
