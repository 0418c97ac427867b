/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fit_slowdown_run.h"

#include "cli/fit_slowdown_question.h"
#include "cli/options/numbers.h"
#include "cli/output/errors.h"
#include "data/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char expected_run[] =
    "P,N,SECONDS, and perhaps pooled or static, sd=, hw=, runs=, f=, V=, h=, U=, m=, now=";

/* A word or KEY=VALUE behind the three numbers. */
static bool read_extra(const char *item, clump_slowdown_record *record)
{
    clump_slowdown_run *run = &record->run;
    const struct {
        const char *key;
        double least, most;
        double *value;
    } numbers[] = {
        {"sd=", 0, 1e12, &record->std_dev},      {"hw=", 0, 1e12, &record->half_width},
        {"runs=", 1, 1e9, &record->repetitions}, {"f=", 0, 1, &run->remote_fraction},
        {"V=", 0, 1000, &run->cost_ratio},       {"h=", 0, 1, &run->waiting_fraction},
        {"U=", 0, 1, &run->utilization},         {"m=", 1, 1e9, &run->max_nics_per_processor},
    };
    if (clump_mapping_parse(item, &run->mapping))
        return true;
    if (strncmp(item, "now=", 4) == 0) {
        snprintf(record->base, sizeof record->base, "%s", item + 4);
        return true;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const size_t length = strlen(numbers[i].key);
        double value;
        if (strncmp(item, numbers[i].key, length) != 0)
            continue;
        if (!real_parse(item + length, &value) || value < numbers[i].least ||
            value > numbers[i].most)
            return false;
        *numbers[i].value = value;
        return true;
    }
    return false;
}

int fit_slowdown_run_read(const command_line *arguments, const char *text, clump_mapping mapping,
                          clump_slowdown_runs *runs)
{
    clump_slowdown_record record = clump_slowdown_record_default();
    const char *next = text;
    record.run.mapping = mapping;
    for (size_t i = 0; next != NULL; i++) {
        char item[ITEM_SIZE];
        uint64_t count = 0;
        bool good;
        next = list_next(next, item, sizeof item);
        if (i == 0) {
            good = whole_parse(item, 1, CLUMP_SLOWDOWN_PROCESSORS, &count) && next != NULL;
            record.run.processors = (size_t)count;
        } else if (i == 1) {
            good = whole_parse(item, 0, CLUMP_SLOWDOWN_PROCESSORS, &count) && next != NULL;
            record.run.nics = (size_t)count;
        } else if (i == 2) {
            good = real_parse(item, &record.run.time_s) && record.run.time_s > 0;
        } else {
            good = read_extra(item, &record);
        }
        if (!good)
            return option_refuse(arguments, FIT_RUN, text, expected_run);
    }
    clump_error error;
    return clump_slowdown_runs_add(runs, &record, &error) == CLUMP_OK
               ? EXIT_DONE
               : error_memory(arguments->command);
}

enum { LARGEST = 1 << 24 };

static int load(const command_line *arguments, const char *path, FILE *file, char **bytes,
                size_t *size)
{
    char *buffer = malloc(LARGEST + 1);
    if (buffer == NULL)
        return error_memory(arguments->command);
    *size = fread(buffer, 1, LARGEST + 1, file);
    if (ferror(file) != 0 || *size > LARGEST) {
        const int reason = errno;
        free(buffer);
        if (ferror(file) != 0)
            return error_input(arguments->command, "--file: cannot read '%.200s': %s", path,
                               strerror(reason));
        return error_input(arguments->command,
                           "--file: '%.200s' has more than %d MiB, expected the times of "
                           "some runs",
                           path, LARGEST >> 20);
    }
    *bytes = buffer;
    return EXIT_DONE;
}

int fit_slowdown_file_read(const command_line *arguments, const char *path, clump_mapping mapping,
                           clump_slowdown_runs *runs, char *sha256)
{
    const bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    char *bytes = NULL;
    size_t size = 0;
    if (file == NULL)
        return error_input(arguments->command, "--file: cannot open '%.200s': %s", path,
                           strerror(errno));
    int status = load(arguments, standard ? "standard input" : path, file, &bytes, &size);
    if (!standard)
        fclose(file);
    if (status != EXIT_DONE)
        return status;
    clump_error error;
    clump_sha256(bytes, size, sha256);
    const clump_status read =
        clump_slowdown_runs_read(runs, standard ? "stdin" : path, bytes, size, mapping, &error);
    free(bytes);
    if (read == CLUMP_BAD_ARGUMENT)
        status = error_input(arguments->command, "%s", error.message);
    else if (read != CLUMP_OK)
        status = error_failed(arguments->command, "%s", error.message);
    return status;
}
