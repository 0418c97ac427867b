/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs from a CSV file. */
#include "data/csv.h"
#include "data/number.h"
#include "data/units.h"
#include "fitting/slowdown/slowdown_runs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum place {
    PROCESSORS,
    NICS,
    TIME,
    UNIT,
    MAPPING,
    BASE,
    PLATFORM,
    UTILIZATION,
    REMOTE,
    COST_RATIO,
    WAITING,
    MAX_NICS,
    HALF_WIDTH,
    STD_DEV,
    REPETITIONS,
    PLACES
} place;

static const clump_csv_name names[] = {{"processors", PROCESSORS},
                                       {"P", PROCESSORS},
                                       {"nics", NICS},
                                       {"N", NICS},
                                       {"time", TIME},
                                       {"time_s", TIME},
                                       {"seconds", TIME},
                                       {"value", TIME},
                                       {"slowdown", TIME},
                                       {"unit", UNIT},
                                       {"mapping", MAPPING},
                                       {"now", BASE},
                                       {"base", BASE},
                                       {"platform", PLATFORM},
                                       {"name", PLATFORM},
                                       {"utilization", UTILIZATION},
                                       {"remote_fraction", REMOTE},
                                       {"cost_ratio", COST_RATIO},
                                       {"waiting_fraction", WAITING},
                                       {"max_nics_per_processor", MAX_NICS},
                                       {"half_width", HALF_WIDTH},
                                       {"std_dev", STD_DEV},
                                       {"runs", REPETITIONS},
                                       {"repetitions", REPETITIONS},
                                       {NULL, 0}};

typedef struct reader {
    clump_slowdown_runs *runs;
    const char *name;
    clump_csv csv;
    int column[PLACES];    /* -1: not there */
    clump_mapping mapping; /* of rows that do not say */
    clump_error *error;
} reader;

static const char *field(const reader *r, place which)
{
    return clump_csv_value(&r->csv, r->column[which]);
}

static clump_status refuse(const reader *r, const char *found, const char *expected)
{
    return clump_fail(r->error, CLUMP_BAD_ARGUMENT, "%.60s:%zu: found '%.40s', expected %s",
                      r->name, r->csv.line, found, expected);
}

static clump_status read_names(reader *r)
{
    if (clump_csv_next(&r->csv) != CLUMP_CSV_ROW)
        return clump_fail(r->error, CLUMP_BAD_ARGUMENT,
                          "%.60s:%zu: found no line of names, expected one with processors, nics "
                          "and time %s",
                          r->name, r->csv.line, r->csv.message);
    for (size_t i = 0; i < PLACES; i++)
        r->column[i] = -1;
    size_t next = 0;
    const clump_csv_naming named = clump_csv_name_columns(&r->csv, names, r->column, &next);
    if (named != CLUMP_CSV_NAMED)
        return refuse(r, r->csv.field[next - 1].text,
                      named == CLUMP_CSV_TWICE
                          ? "one column of this kind"
                          : "processors, nics, time, mapping, now, platform, std_dev, half_width, "
                            "runs... (man clumpmodel-fit-slowdown)");
    r->runs->slowdowns = r->runs->slowdowns || clump_csv_find(&r->csv, "slowdown") >= 0;
    static const place needed[] = {PROCESSORS, NICS, TIME};
    static const char *const needed_names[] = {"processors", "nics", "time"};
    for (size_t i = 0; i < 3; i++)
        if (r->column[needed[i]] < 0)
            return clump_fail(r->error, CLUMP_BAD_ARGUMENT,
                              "%.60s:%zu: found no column '%s', expected processors, nics and "
                              "time%s",
                              r->name, r->csv.line, needed_names[i],
                              strchr(r->csv.field[0].text, ';') != NULL
                                  ? ", separated by commas, not by semicolons"
                                  : "");
    return CLUMP_OK;
}

static clump_status read_real(const reader *r, place which, double least, double most,
                              const char *expected, double *value)
{
    const char *text = field(r, which);
    double number;
    if (text == NULL)
        return CLUMP_OK;
    if (clump_number_parse(text, strlen(text), &number) != CLUMP_NUMBER_OK || number < least ||
        number > most)
        return refuse(r, text, expected);
    *value = number;
    return CLUMP_OK;
}

static clump_status read_count(const reader *r, place which, uint64_t least, const char *expected,
                               size_t *value)
{
    const char *text = field(r, which);
    uint64_t number;
    if (text == NULL || clump_number_parse_digits(text, strlen(text), &number) != CLUMP_NUMBER_OK ||
        number < least || number > CLUMP_SLOWDOWN_PROCESSORS)
        return refuse(r, text != NULL ? text : "", expected);
    *value = (size_t)number;
    return CLUMP_OK;
}

static clump_status read_mapping(const reader *r, clump_mapping *mapping)
{
    const char *text = field(r, MAPPING);
    *mapping = r->mapping;
    return text == NULL || clump_mapping_parse(text, mapping) ? CLUMP_OK
                                                              : refuse(r, text, "pooled or static");
}

static clump_status read_numbers(const reader *r, clump_slowdown_record *record)
{
    static const char share[] = "a number from 0 to 1", amount[] = "a number above 0";
    clump_slowdown_run *run = &record->run;
    const struct {
        place place;
        double least, most;
        const char *expected;
        double *value;
    } numbers[] = {
        {TIME, 1e-12, 1e12, amount, &run->time_s},
        {UTILIZATION, 0, 1, share, &run->utilization},
        {REMOTE, 0, 1, share, &run->remote_fraction},
        {COST_RATIO, 0, 1000, "a number from 0 to 1000", &run->cost_ratio},
        {WAITING, 0, 1, share, &run->waiting_fraction},
        {MAX_NICS, 1, 1e9, "a number of NICs, 1 or more", &run->max_nics_per_processor},
        {HALF_WIDTH, 0, 1e12, "a number of 0 or more", &record->half_width},
        {STD_DEV, 0, 1e12, "a number of 0 or more", &record->std_dev},
        {REPETITIONS, 1, 1e9, "a number of runs, 1 or more", &record->repetitions},
    };
    if (field(r, TIME) == NULL)
        return refuse(r, "", "a time");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const clump_status status =
            read_real(r, numbers[i].place, numbers[i].least, numbers[i].most, numbers[i].expected,
                      numbers[i].value);
        if (status != CLUMP_OK)
            return status;
    }
    return CLUMP_OK;
}

/* Times in seconds, whatever they are given in. */
static clump_status convert(const reader *r, clump_slowdown_record *record)
{
    const char *unit = field(r, UNIT);
    double factor;
    if (unit == NULL)
        return CLUMP_OK;
    if (r->runs->slowdowns)
        return refuse(r, unit, "no unit beside slowdowns");
    if (clump_unit_convert(1, unit, "s", &factor) != CLUMP_UNIT_OK)
        return refuse(r, unit, "a unit of time: s, ms, us or ns");
    record->run.time_s *= factor;
    record->half_width *= factor;
    record->std_dev *= factor;
    return CLUMP_OK;
}

static clump_status read_row(reader *r)
{
    clump_slowdown_record record = clump_slowdown_record_default();
    const char *platform = field(r, PLATFORM), *base = field(r, BASE);
    clump_status status =
        read_count(r, PROCESSORS, 1, "a number of processors, 1 or more", &record.run.processors);
    if (status == CLUMP_OK)
        status = read_count(r, NICS, 0, "a number of NICs", &record.run.nics);
    if (status == CLUMP_OK)
        status = read_mapping(r, &record.run.mapping);
    if (status == CLUMP_OK)
        status = read_numbers(r, &record);
    if (status == CLUMP_OK)
        status = convert(r, &record);
    if (status != CLUMP_OK)
        return status;
    snprintf(record.platform, sizeof record.platform, "%s", platform != NULL ? platform : "");
    snprintf(record.base, sizeof record.base, "%s", base != NULL ? base : "");
    return clump_slowdown_runs_add(r->runs, &record, r->error);
}

clump_status clump_slowdown_runs_read(clump_slowdown_runs *runs, const char *name,
                                      const char *bytes, size_t size, clump_mapping mapping,
                                      clump_error *error)
{
    reader *r = malloc(sizeof *r);
    if (r == NULL)
        return clump_fail_memory(error, "the file");
    r->runs = runs;
    r->name = name;
    r->error = error;
    r->mapping = mapping;
    clump_csv_start(&r->csv, bytes, size, true);
    clump_status status = read_names(r);
    clump_csv_status row = CLUMP_CSV_ROW;
    while (status == CLUMP_OK && (row = clump_csv_next(&r->csv)) == CLUMP_CSV_ROW)
        status = read_row(r);
    if (status == CLUMP_OK && row == CLUMP_CSV_BAD)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT, "%.60s:%zu: %s", name, r->csv.line,
                            r->csv.message);
    free(r);
    return status;
}
