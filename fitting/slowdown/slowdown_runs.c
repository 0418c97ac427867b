/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/slowdown/slowdown_runs.h"

#include "data/csv.h"
#include "data/number.h"
#include "data/units.h"
#include "model/uncertain.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

clump_slowdown_record clump_slowdown_record_default(void)
{
    return (clump_slowdown_record){
        .run = {.processors = 1,
                .nics = 1,
                .utilization = NAN,
                .remote_fraction = NAN,
                .cost_ratio = NAN,
                .waiting_fraction = NAN,
                .time_s = NAN,
                .relative_error = NAN},
        .half_width = NAN,
        .std_dev = NAN,
        .repetitions = NAN,
    };
}

void clump_slowdown_runs_free(clump_slowdown_runs *runs)
{
    free(runs->records);
    free(runs->runs);
    free(runs->record_of);
    free(runs->repetitions);
    *runs = (clump_slowdown_runs){.records = NULL};
}

void clump_slowdown_runs_notice(clump_slowdown_runs *runs, const char *format, ...)
{
    const size_t used = strlen(runs->notices), room = sizeof runs->notices - used;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(runs->notices + used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length + 1 >= room)
        runs->notices[used] = '\0';
    else
        strcat(runs->notices + used, "\n");
}

clump_status clump_slowdown_runs_add(clump_slowdown_runs *runs, const clump_slowdown_record *record,
                                     clump_error *error)
{
    if (runs->record_count == runs->record_room) {
        const size_t room = runs->record_room > 0 ? 2 * runs->record_room : 16;
        clump_slowdown_record *larger = realloc(runs->records, room * sizeof *larger);
        if (larger == NULL)
            return clump_fail_memory(error, "the runs");
        runs->records = larger;
        runs->record_room = room;
    }
    runs->records[runs->record_count++] = *record;
    return CLUMP_OK;
}

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(a < b || a > b || isnan(a) || isnan(b));
}

static bool is_same_configuration(const clump_slowdown_record *a, const clump_slowdown_record *b)
{
    const clump_slowdown_run *x = &a->run, *y = &b->run;
    return strcmp(a->base, b->base) == 0 && strcmp(a->platform, b->platform) == 0 &&
           x->processors == y->processors && x->nics == y->nics && x->mapping == y->mapping &&
           same_number(x->max_nics_per_processor, y->max_nics_per_processor) &&
           same_number(x->utilization, y->utilization) &&
           same_number(x->remote_fraction, y->remote_fraction) &&
           same_number(x->cost_ratio, y->cost_ratio) &&
           same_number(x->waiting_fraction, y->waiting_fraction);
}

static clump_status find_base(clump_slowdown_runs *runs, size_t record, size_t *base,
                              clump_error *error)
{
    for (size_t b = 0; b < runs->base_count; b++)
        if (strcmp(runs->records[runs->base_of[b]].base, runs->records[record].base) == 0) {
            *base = b;
            return CLUMP_OK;
        }
    if (runs->base_count == CLUMP_SLOWDOWN_BASES)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the runs are compared with more than %d different NOWs",
                          CLUMP_SLOWDOWN_BASES);
    runs->base_of[runs->base_count] = record;
    *base = runs->base_count++;
    return CLUMP_OK;
}

/* Standard deviations that are known from a few runs each. */
typedef struct few_runs {
    double deviation; /* relative, of a single time, by all of them; NAN: each has its own */
    double freedom;   /* behind the deviations; INFINITY: there are none of few runs */
} few_runs;

/* Of n runs: n - 1. INFINITY: the record brings no deviation, or it is not said of how many runs. */
static double freedom_of(const clump_slowdown_record *r)
{
    const bool counts = !(r->half_width > 0) && r->std_dev > 0 && r->repetitions >= 2;
    return counts ? r->repetitions - 1 : INFINITY;
}

/*
 * A deviation of five runs is hardly known, and those of all configurations together much better, if they are
 * alike but for chance: Bartlett's test (Proc. R. Soc. A 160, 1937). If they are not, none is known better than by its own runs.
 */
static few_runs find_deviation(const clump_slowdown_runs *runs)
{
    const double unlike = 0.01;
    double freedom = 0, squares = 0, logs = 0, inverse = 0, least = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < runs->record_count; i++) {
        const clump_slowdown_record *r = &runs->records[i];
        const double nu = freedom_of(r), deviation = r->std_dev / r->run.time_s;
        if (!isfinite(nu))
            continue;
        count++;
        freedom += nu;
        squares += nu * deviation * deviation;
        logs += nu * 2 * log(deviation);
        inverse += 1 / nu;
        least = fmin(least, nu);
    }
    if (count == 0)
        return (few_runs){NAN, INFINITY};
    const double variance = squares / freedom;
    const double apart = (freedom * log(variance) - logs) /
                         (1 + (inverse - 1 / freedom) / (3 * fmax((double)count - 1, 1)));
    if (count > 1 && gsl_cdf_chisq_Q(fmax(apart, 0), (double)count - 1) < unlike)
        return (few_runs){NAN, least};
    return (few_runs){sqrt(variance), freedom};
}

/* Relative standard error that a record brings with it, or NAN. */
static double own_error(const clump_slowdown_record *r, const few_runs *few)
{
    const double times = r->repetitions >= 1 ? r->repetitions : 1;
    if (isfinite(freedom_of(r)) && !isnan(few->deviation))
        return few->deviation / sqrt(times);
    if (r->half_width > 0)
        return r->half_width / CLUMP_UNCERTAIN_95 / r->run.time_s;
    if (r->std_dev > 0)
        return r->std_dev / sqrt(times) / r->run.time_s;
    return NAN;
}

/* What the records of one run say. */
typedef struct merged {
    double log_sum, squares; /* of logarithms of times */
    double weighted, weight; /* the same with their own errors */
    size_t count, with_error;
} merged;

static void count_record(merged *m, const clump_slowdown_record *r, const few_runs *few)
{
    const double value = log(r->run.time_s), error = own_error(r, few);
    const double mean = m->count > 0 ? m->log_sum / (double)m->count : 0;
    if (m->count > 0)
        m->squares += (value - mean) * (value - mean) * (double)m->count / (double)(m->count + 1);
    m->log_sum += value;
    m->count++;
    if (!isnan(error)) {
        m->weighted += value / (error * error);
        m->weight += 1 / (error * error);
        m->with_error++;
    }
}

static void set_errors(clump_slowdown_runs *runs, const merged *all, const few_runs *few)
{
    double squares = 0, freedom = 0, greatest = 0;
    size_t known = 0;
    bool pooled = false;
    for (size_t i = 0; i < runs->run_count; i++) {
        squares += all[i].squares;
        freedom += (double)(all[i].count - 1);
    }
    const double spread = freedom > 0 && squares > 0 ? sqrt(squares / freedom) : NAN;
    for (size_t i = 0; i < runs->run_count; i++) {
        clump_slowdown_run *run = &runs->runs[i];
        const merged *m = &all[i];
        if (m->with_error == m->count) {
            run->time_s = exp(m->weighted / m->weight);
            run->relative_error = 1 / sqrt(m->weight);
        } else {
            run->time_s = exp(m->log_sum / (double)m->count);
            run->relative_error = spread / sqrt((double)m->count);
            pooled = pooled || !isnan(spread);
        }
        if (m->count == 1) /* not rounded by the logarithm */
            run->time_s = runs->records[runs->record_of[i]].run.time_s;
        known += !isnan(run->relative_error);
        greatest = fmax(greatest, run->relative_error);
    }
    runs->error_freedom = fmin(pooled ? freedom : INFINITY, few->freedom);
    if (known == 0 || known == runs->run_count)
        return;
    for (size_t i = 0; i < runs->run_count; i++)
        if (isnan(runs->runs[i].relative_error))
            runs->runs[i].relative_error = greatest;
    clump_slowdown_runs_notice(runs,
                               "%zu of %zu configurations come without a spread; taken as %.2g%%, "
                               "the greatest of the others",
                               runs->run_count - known, runs->run_count, 100 * greatest);
}

static clump_status merge_into(clump_slowdown_runs *runs, const few_runs *few, merged *all,
                               clump_error *error)
{
    for (size_t r = 0; r < runs->record_count; r++) {
        const clump_slowdown_record *record = &runs->records[r];
        size_t i = 0;
        if (!(record->run.time_s > 0 && isfinite(record->run.time_s)))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "found a time of %g, expected above 0",
                              record->run.time_s);
        while (i < runs->run_count &&
               !is_same_configuration(record, &runs->records[runs->record_of[i]]))
            i++;
        if (i == runs->run_count) {
            runs->runs[i] = record->run;
            runs->record_of[i] = r;
            runs->repetitions[i] = 0;
            all[i] = (merged){.count = 0};
            const clump_status status = find_base(runs, r, &runs->runs[i].base, error);
            if (status != CLUMP_OK)
                return status;
            runs->run_count++;
        }
        runs->repetitions[i]++;
        count_record(&all[i], record, few);
    }
    return CLUMP_OK;
}

clump_status clump_slowdown_runs_merge(clump_slowdown_runs *runs, clump_error *error)
{
    const size_t room = runs->record_count > 0 ? runs->record_count : 1;
    merged *all = malloc(room * sizeof *all);
    free(runs->runs);
    free(runs->record_of);
    free(runs->repetitions);
    runs->runs = malloc(room * sizeof *runs->runs);
    runs->record_of = malloc(room * sizeof *runs->record_of);
    runs->repetitions = malloc(room * sizeof *runs->repetitions);
    runs->run_count = runs->base_count = 0;
    if (all == NULL || runs->runs == NULL || runs->record_of == NULL || runs->repetitions == NULL) {
        free(all);
        return clump_fail_memory(error, "the runs");
    }
    const few_runs few = find_deviation(runs);
    const clump_status status = merge_into(runs, &few, all, error);
    if (status == CLUMP_OK)
        set_errors(runs, all, &few);
    free(all);
    return status;
}

/* ---- runs from a CSV file */

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
