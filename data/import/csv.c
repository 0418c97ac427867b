/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CSV with a line of names; lines that begin with '#' are comments. Two formats:
 *
 *   csv         what anybody writes. Columns "value" and "unit" must be there; "size", "quantity",
 *               "statistic", "benchmark", "variant", "window", "processes", "run", "iterations",
 *               "delay_us", "half_width" and "std_dev" can be. Sizes do not go backwards within a
 *               run.
 *   clumpmodel  our own: what `data export` writes, that of calibration runs among it (man
 *               clumpmodel, "data export"). Each row is a sample with its platform, application,
 *               transport, series and source; columns that describe these may be missing.
 *               Rows of the reference data are left out: they ship with the program.
 */
#include "data/csv.h"
#include "data/import/import_format.h"
#include "data/store/export_columns.h"
#include "data/units.h"

#include <stdlib.h>
#include <string.h>

#define PLACE(called, name) called,
typedef enum place { CLUMP_EXPORT_COLUMNS(PLACE) PLACES } place;

typedef struct reader {
    clump_import_log *log;
    const clump_import_text *text;
    clump_csv csv;
    int column[PLACES]; /* -1: not there */
    int64_t run;        /* csv: of the last row; 0: none */
    bool told;          /* csv: what the quantity is taken for */
    size_t reference;   /* clumpmodel: rows left out */
} reader;

/* The first line that is no comment. */
static const char *first_line(const clump_import_text *text)
{
    const char *line = text->bytes;
    while (*line == '#' || *line == '\n') {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return line;
}

static clump_csv_status next_row(reader *r)
{
    const clump_csv_status status = clump_csv_next(&r->csv);
    r->log->at = r->csv.line;
    return status;
}

/* NULL: empty, or no such column. */
static const char *field(const reader *r, place which)
{
    return clump_csv_value(&r->csv, r->column[which]);
}

static bool read_whole(reader *r, place which, const char *what, int64_t *value)
{
    const char *text = field(r, which);
    return text == NULL || clump_import_whole(r->log, text, what, value);
}

static bool read_amount(reader *r, place which, const char *what, double *value)
{
    const char *text = field(r, which);
    return text == NULL || clump_import_amount(r->log, text, what, value);
}

static bool read_truth(reader *r, place which, bool *value)
{
    const char *text = field(r, which);
    *value = text != NULL && strcmp(text, "1") == 0;
    return text == NULL || *value || strcmp(text, "0") == 0 ||
           clump_import_fail(r->log, "found '%.20s', expected 0 or 1", text);
}

static bool read_numbers(reader *r, clump_import_key *key, clump_import_sample *sample)
{
    const char *value = field(r, VALUE);
    return clump_import_number(r->log, value != NULL ? value : "", "a number", &sample->value) &&
           read_whole(r, SIZE, "a size in bytes", &sample->size_bytes) &&
           read_whole(r, WINDOW, "a window", &key->window) &&
           read_whole(r, PROCESSES, "a number of processes", &key->processes) &&
           read_whole(r, RUN, "the number of a run", &sample->run) &&
           read_whole(r, ITERATIONS, "a number of iterations", &sample->iterations) &&
           read_amount(r, DELAY, "a delay", &sample->delay_us) &&
           read_amount(r, HALF_WIDTH, "a half-width", &sample->half_width) &&
           read_amount(r, STD_DEV, "a standard deviation", &sample->std_dev) &&
           read_truth(r, DOUBTFUL, &sample->doubtful);
}

static bool is_unit(const char *unit)
{
    double unused;
    return unit != NULL && clump_unit_convert(1, unit, unit, &unused) == CLUMP_UNIT_OK;
}

static bool fail_unit(const reader *r, const char *unit)
{
    return clump_import_fail(r->log, "found unit '%.40s', expected one of %s",
                             unit != NULL ? unit : "", clump_unit_names());
}

static bool parse(clump_import_text *text, clump_import_log *log, bool read_all(reader *r))
{
    reader *r = malloc(sizeof *r);
    if (r == NULL)
        return clump_import_fail_memory(log);
    r->log = log;
    r->text = text;
    r->run = 0;
    r->told = false;
    r->reference = 0;
    for (size_t i = 0; i < PLACES; i++)
        r->column[i] = -1;
    log->tool = NULL;
    clump_csv_start(&r->csv, text->bytes, text->size, true);
    const bool good = read_all(r);
    text->line = r->csv.line;
    free(r);
    return good;
}

/* The first line: which column is what. */
static bool read_names(reader *r, const clump_csv_name *names)
{
    const clump_csv_status status = next_row(r);
    clump_csv_naming named;
    if (status != CLUMP_CSV_ROW)
        return clump_import_fail(r->log, "found no line of names, expected one%s%s",
                                 r->csv.message[0] != '\0' ? ": " : "", r->csv.message);
    for (size_t next = 0;
         (named = clump_csv_name_columns(&r->csv, names, r->column, &next)) != CLUMP_CSV_NAMED;) {
        const char *name = r->csv.field[next - 1].text;
        if (named == CLUMP_CSV_TWICE)
            return clump_import_fail(r->log,
                                     "found two columns of names like '%.40s', expected one", name);
        if (!clump_import_notice(r->log, "column '%.40s' is not imported", name))
            return false;
    }
    return true;
}

/* ---- csv */

static const clump_csv_name csv_names[] = {{"value", VALUE},         {"unit", UNIT},
                                           {"size", SIZE},           {"size_bytes", SIZE},
                                           {"bytes", SIZE},          {"quantity", QUANTITY},
                                           {"statistic", STATISTIC}, {"benchmark", BENCHMARK},
                                           {"variant", VARIANT},     {"window", WINDOW},
                                           {"processes", PROCESSES}, {"run", RUN},
                                           {"repetition", RUN},      {"iterations", ITERATIONS},
                                           {"delay_us", DELAY},      {"half_width", HALF_WIDTH},
                                           {"std_dev", STD_DEV},     {NULL, 0}};

/* The first line that is no comment names a column "value", of several: a word of a sentence is none. */
static bool recognize_csv(const clump_import_text *text)
{
    static const char between[] = ",;\t\n";
    const char *line = first_line(text), *field = line;
    const char *const end = line + strcspn(line, "\n");
    for (; field < end; field += strcspn(field, between) + 1) {
        const char *from = field + strspn(field, " \"");
        const size_t size = strcspn(from, ",;\t\n \"");
        const char *after = from + size;
        after += strspn(after, " \"");
        if (size == 5 && memcmp(from, "value", 5) == 0 && strchr(between, *after) != NULL)
            return field > line || after < end;
    }
    return false;
}

static bool read_csv_names(reader *r)
{
    static const char *const of_file[] = {"platform", "application", "transport"};
    if (!read_names(r, csv_names))
        return false;
    for (size_t i = 0; i < sizeof of_file / sizeof *of_file; i++)
        if (clump_csv_find(&r->csv, of_file[i]) >= 0)
            return clump_import_fail(r->log,
                                     "found a column '%s', expected none: a file is of one %s, "
                                     "which --%s says",
                                     of_file[i], of_file[i], of_file[i]);
    if (r->column[VALUE] < 0 || r->column[UNIT] < 0) {
        const bool semicolons = strchr(r->csv.field[0].text, ';') != NULL;
        return clump_import_fail(r->log,
                                 "found no column '%s', expected at least 'value' and 'unit'%s",
                                 r->column[VALUE] < 0 ? "value" : "unit",
                                 semicolons ? ", separated by commas, not by semicolons" : "");
    }
    return true;
}

/* What a value in this unit most likely is. */
static const char *guess_quantity(const char *unit)
{
    static const char *const guesses[][2] = {
        {"us", "half_round_trip"}, {"B/us", "transfer_rate"}, {"1/us", "message_rate"}};
    double unused;
    for (size_t i = 0; i < 3; i++)
        if (clump_unit_convert(1, unit, guesses[i][0], &unused) == CLUMP_UNIT_OK)
            return guesses[i][1];
    return NULL;
}

static bool find_quantity(reader *r, clump_import_key *key)
{
    const clump_import_series *last = r->log->last; /* its unit is one */
    if (!(last != NULL && key->unit != NULL && strcmp(last->key.unit, key->unit) == 0) &&
        !is_unit(key->unit))
        return fail_unit(r, key->unit);
    key->quantity = field(r, QUANTITY) != NULL ? field(r, QUANTITY) : r->text->hints.quantity;
    if (key->quantity != NULL)
        return true;
    key->quantity = guess_quantity(key->unit);
    if (key->quantity == NULL) {
        return clump_import_fail(r->log,
                                 "found no quantity, expected a column 'quantity' or --quantity");
    }
    if (!r->told) {
        r->told = true;
        return clump_import_notice(r->log,
                                   "values in %.20s are taken for %s; say "
                                   "otherwise with --quantity",
                                   key->unit, key->quantity);
    }
    return true;
}

static bool read_csv_row(reader *r)
{
    clump_import_sample sample = clump_import_sample_of(0, -1, 0);
    clump_import_key key = {.statistic = field(r, STATISTIC),
                            .benchmark = field(r, BENCHMARK),
                            .variant = field(r, VARIANT),
                            .unit = field(r, UNIT),
                            .window = r->text->hints.window,
                            .of_application = r->text->hints.of_application};
    if (!find_quantity(r, &key) || !read_numbers(r, &key, &sample))
        return false;
    if (sample.run != r->run) {
        clump_import_log_begin(r->log);
        r->run = sample.run;
    }
    if (sample.value < 0 && sample.size_bytes >= 0 && strcmp(key.quantity, "latency") != 0) {
        double unused;
        if (clump_unit_convert(1, key.unit, "us", &unused) == CLUMP_UNIT_OK &&
            strncmp(key.quantity, "fitted_", 7) != 0) {
            return clump_import_fail(r->log, "found %.40s, expected a time of 0 or more",
                                     field(r, VALUE));
        }
    }
    return clump_import_log_add(r->log, &key, &sample);
}

static bool read_csv(reader *r)
{
    if (!read_csv_names(r))
        return false;
    clump_import_log_begin(r->log);
    clump_csv_status status;
    while ((status = next_row(r)) == CLUMP_CSV_ROW)
        if (!read_csv_row(r))
            return false;
    return status == CLUMP_CSV_END ||
           clump_import_fail(r->log,
                             "%s (a decimal comma, or a line that is cut off, looks like this)",
                             r->csv.message);
}

static bool parse_csv(clump_import_text *text, clump_import_log *log)
{
    log->repeats = true;
    return parse(text, log, read_csv);
}

const clump_import_format clump_import_csv = {"csv", "CSV", .marks = {{.also = recognize_csv}},
                                              .may_have_crlf = true, .parse = parse_csv};

/* ---- clumpmodel */

#define NAMED(called, name) {#name, called},
static const clump_csv_name own_names[] = {CLUMP_EXPORT_COLUMNS(NAMED){NULL, 0}};

/* The line of names begins as that of an export and has a source. */
static bool recognize_own(const clump_import_text *text)
{
    static const char begin[] = "platform,application,transport,";
    const char *line = first_line(text);
    const char *source = strstr(line, ",source,");
    return strncmp(line, begin, sizeof begin - 1) == 0 && source != NULL &&
           (size_t)(source - line) < strcspn(line, "\n");
}

static bool read_own_names(reader *r)
{
    static const place needed[] = {PLATFORM, APPLICATION, QUANTITY, VALUE, UNIT, SOURCE};
    if (!read_names(r, own_names))
        return false;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (r->column[needed[i]] < 0) {
            return clump_import_fail(r->log,
                                     "found no column for %s, expected what 'clumpmodel data "
                                     "export' writes",
                                     needed[i] == QUANTITY ? "the quantity"
                                     : needed[i] == VALUE  ? "the value"
                                     : needed[i] == UNIT   ? "the unit"
                                                           : "platform, application and source");
        }
    }
    return true;
}

static bool read_origin(reader *r, size_t *origin)
{
    const char *name = field(r, SOURCE), *kind = field(r, KIND), *title = field(r, SOURCE_TITLE);
    const clump_store_source made = {.name = name,
                                     .kind = kind != NULL ? kind : "inline",
                                     .title = title != NULL ? title : name,
                                     .table_label = field(r, TABLE),
                                     .section = field(r, SECTION),
                                     .page = field(r, PAGE),
                                     .file = field(r, FILE_NAME),
                                     .sha256 = field(r, SHA256),
                                     .tool = field(r, TOOL),
                                     .tool_version = field(r, TOOL_VERSION),
                                     .command = field(r, COMMAND),
                                     .note = field(r, SOURCE_NOTE)};
    return name == NULL ? clump_import_fail(r->log, "found no source, expected its name")
                        : clump_import_log_record(r->log, CLUMP_STORE_SOURCE, &made, 0, origin);
}

static bool read_platform(reader *r, size_t origin)
{
    clump_store_platform made = {.name = field(r, PLATFORM),
                                 .title = field(r, TITLE),
                                 .nodes = -1,
                                 .processors = -1,
                                 .nics = -1,
                                 .mapping = field(r, MAPPING),
                                 .part_of = field(r, PART_OF),
                                 .counterpart = field(r, COUNTERPART),
                                 .source = field(r, PLATFORM_SOURCE),
                                 .note = field(r, PLATFORM_NOTE)};
    if (made.name == NULL)
        return true;
    if (made.mapping != NULL && strcmp(made.mapping, "pooled") != 0 &&
        strcmp(made.mapping, "static") != 0)
        return clump_import_fail(r->log, "found mapping '%.20s', expected pooled or static",
                                 made.mapping);
    return read_whole(r, NODES, "a number of nodes", &made.nodes) &&
           read_whole(r, PROCESSORS, "a number of processors", &made.processors) &&
           read_whole(r, NICS, "a number of NICs", &made.nics) &&
           clump_import_log_record(r->log, CLUMP_STORE_PLATFORM, &made, origin, NULL);
}

static bool read_application(reader *r, size_t origin)
{
    const clump_store_application made = {.name = field(r, APPLICATION),
                                          .title = field(r, APPLICATION_TITLE),
                                          .style = field(r, STYLE),
                                          .source = field(r, APPLICATION_SOURCE),
                                          .note = field(r, APPLICATION_NOTE)};
    if (made.name == NULL)
        return true;
    if (made.style != NULL && strcmp(made.style, "streaming") != 0 &&
        strcmp(made.style, "blocking") != 0)
        return clump_import_fail(r->log, "found style '%.20s', expected streaming or blocking",
                                 made.style);
    return clump_import_log_record(r->log, CLUMP_STORE_APPLICATION, &made, origin, NULL);
}

static bool check_names(reader *r, const clump_import_key *key)
{
    if (key->platform == NULL && key->application == NULL) {
        return clump_import_fail(r->log,
                                 "found neither platform nor application, expected one of them");
    }
    if (key->quantity == NULL)
        return clump_import_fail(r->log, "found no quantity, expected its name");
    return is_unit(key->unit) || fail_unit(r, key->unit);
}

static bool read_own_row(reader *r)
{
    bool reference = false;
    clump_import_sample sample = clump_import_sample_of(0, -1, 0);
    clump_import_key key = {.platform = field(r, PLATFORM),
                            .application = field(r, APPLICATION),
                            .transport = field(r, TRANSPORT),
                            .variant = field(r, VARIANT),
                            .quantity = field(r, QUANTITY),
                            .statistic = field(r, STATISTIC),
                            .benchmark = field(r, BENCHMARK),
                            .unit = field(r, UNIT)};
    const char *note = field(r, NOTE);
    key.of_application = key.application != NULL;
    /* Without a sample: what the database knows of a platform or an application by itself. */
    const bool bare = key.quantity == NULL && key.unit == NULL && field(r, VALUE) == NULL &&
                      (key.platform != NULL || key.application != NULL);
    if (!read_truth(r, REFERENCE, &reference) ||
        (!bare && (!check_names(r, &key) || !read_numbers(r, &key, &sample))))
        return false;
    if (reference) {
        r->reference++;
        return true;
    }
    if (!read_origin(r, &key.origin) || !read_platform(r, key.origin) ||
        !read_application(r, key.origin))
        return false;
    if (bare)
        return true;
    if (note != NULL && (sample.note = strdup(note)) == NULL)
        return clump_import_fail_memory(r->log);
    if (!clump_import_log_add(r->log, &key, &sample)) {
        free(sample.note);
        return false;
    }
    return true;
}

static bool read_own(reader *r)
{
    clump_csv_status status;
    if (!read_own_names(r))
        return false;
    while ((status = next_row(r)) == CLUMP_CSV_ROW)
        if (!read_own_row(r))
            return false;
    if (status != CLUMP_CSV_END)
        return clump_import_fail(r->log, "%s", r->csv.message);
    if (r->reference > 0 && clump_import_log_is_empty(r->log)) {
        return clump_import_fail_at(r->log, 0,
                                    "found reference data only, which ship with the program, "
                                    "expected others");
    }
    if (r->reference > 0 &&
        !clump_import_notice_at(r->log, 0,
                                "skipped %zu samples of the reference data, which ship with the "
                                "program",
                                r->reference))
        return false;
    return clump_import_text_is_whole(r->text, r->log);
}

static bool parse_own(clump_import_text *text, clump_import_log *log)
{
    log->own = true;
    log->any_order = true;
    return parse(text, log, read_own);
}

const clump_import_format clump_import_own = {"clumpmodel", "clumpmodel",
                                              .marks = {{.also = recognize_own}},
                                              .may_have_crlf = true, .parse = parse_own};
