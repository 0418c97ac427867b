/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/reference.h"

#include "data/csv.h"
#include "data/number.h"
#include "data/store/handle.h"
#include "data/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- records */

enum { COLUMNS = 13 };

/* A record: the values of the columns of its kind, in that order; NULL where it is empty. */
typedef struct row {
    clump_store *store;
    const char *value[COLUMNS];
} row;

typedef struct kind {
    const char *file;             /* name of the file; NULL: any other name, with samples */
    const char *columns[COLUMNS]; /* NULL after the last */
    clump_store_status (*add)(const row *row); /* message in the store */
} kind;

static clump_store_status whole(const row *at, int column, const char *what, int64_t *number)
{
    const char *text = at->value[column] != NULL ? at->value[column] : "";
    const clump_number_status status = clump_number_parse_whole(text, strlen(text), number);
    if (status != CLUMP_NUMBER_OK) {
        return clump_store_fail(at->store, CLUMP_STORE_BAD_INPUT,
                                "%s is '%.40s', expected a whole number", what, text);
    }
    return CLUMP_STORE_OK;
}

static clump_store_status flag(const row *at, int column, const char *what, bool *value)
{
    const char *text = at->value[column] != NULL ? at->value[column] : "";
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        return clump_store_fail(at->store, CLUMP_STORE_BAD_INPUT, "%s is '%.40s', expected 0 or 1",
                                what, text);
    }
    *value = text[0] == '1';
    return CLUMP_STORE_OK;
}

static clump_store_status add_source(const row *at)
{
    const clump_store_source source = {
        .name = at->value[0],
        .kind = at->value[1],
        .title = at->value[2],
        .table_label = at->value[3],
        .section = at->value[4],
        .page = at->value[5],
        .note = at->value[6],
    };
    return clump_store_add_source(at->store, &source);
}

static clump_store_status add_quantity(const row *at)
{
    clump_store_quantity quantity = {
        .name = at->value[0], .unit = at->value[1], .meaning = at->value[2]};
    clump_store_status status = flag(at, 3, "may_be_negative", &quantity.may_be_negative);
    return status == CLUMP_STORE_OK ? clump_store_add_quantity(at->store, &quantity) : status;
}

static clump_store_status add_platform(const row *at)
{
    clump_store_platform platform = {
        .name = at->value[0],
        .title = at->value[1],
        .mapping = at->value[5],
        .part_of = at->value[6],
        .counterpart = at->value[7],
        .source = at->value[8],
        .note = at->value[9],
    };
    clump_store_status status = whole(at, 2, "nodes", &platform.nodes);
    if (status == CLUMP_STORE_OK)
        status = whole(at, 3, "processors", &platform.processors);
    if (status == CLUMP_STORE_OK)
        status = whole(at, 4, "nics", &platform.nics);
    return status == CLUMP_STORE_OK ? clump_store_add_platform(at->store, &platform) : status;
}

static clump_store_status add_application(const row *at)
{
    const clump_store_application application = {
        .name = at->value[0],
        .title = at->value[1],
        .style = at->value[2],
        .source = at->value[3],
        .note = at->value[4],
    };
    return clump_store_add_application(at->store, &application);
}

/* A number of a sample in the canonical unit; an empty optional one is NAN. */
static clump_store_status number(const row *at, int column, const char *what, const char *canonical,
                                 double *value)
{
    const char *text = at->value[column];
    const char *unit = at->value[9] != NULL ? at->value[9] : "";
    double printed = NAN;
    if (text != NULL) {
        const clump_number_status status = clump_number_parse(text, strlen(text), &printed);
        if (status != CLUMP_NUMBER_OK) {
            return clump_store_fail(at->store, CLUMP_STORE_BAD_INPUT, "%s '%.40s' is %s", what,
                                    text, clump_number_reason(status));
        }
    }
    switch (clump_unit_convert(printed, unit, canonical, value)) {
    case CLUMP_UNIT_OK:
        return CLUMP_STORE_OK;
    case CLUMP_UNIT_UNKNOWN_FROM:
        return clump_store_fail(at->store, CLUMP_STORE_BAD_INPUT,
                                "unit '%.40s' is not known; there are %s", unit,
                                clump_unit_names());
    case CLUMP_UNIT_UNKNOWN_TO:
    case CLUMP_UNIT_MISMATCH:
        break;
    }
    return clump_store_fail(at->store, CLUMP_STORE_BAD_INPUT,
                            "unit '%.40s' does not convert to %s, in which the quantity is kept",
                            unit, canonical);
}

static clump_store_status measure(const row *at, clump_store_measurement *measured)
{
    const char *name = at->value[4] != NULL ? at->value[4] : "";
    clump_store_quantity *quantity = NULL;
    clump_store_status status = clump_store_find_quantity(at->store, name, &quantity);
    if (status != CLUMP_STORE_OK)
        return status;
    status = number(at, 6, "value", quantity->unit, &measured->value);
    if (status == CLUMP_STORE_OK)
        status = number(at, 7, "half_width", quantity->unit, &measured->half_width);
    if (status == CLUMP_STORE_OK)
        status = number(at, 8, "std_dev", quantity->unit, &measured->std_dev);
    if (status == CLUMP_STORE_OK)
        status = flag(at, 11, "doubtful", &measured->doubtful);
    if (status == CLUMP_STORE_OK && measured->doubtful && measured->note == NULL) {
        status = clump_store_fail(at->store, CLUMP_STORE_BAD_INPUT,
                                  "the sample is doubtful and no note says why");
    }
    clump_store_free(quantity);
    return status;
}

static clump_store_status add_sample(const row *at)
{
    const clump_store_series series = {
        .platform = at->value[0],
        .application = at->value[1],
        .transport = at->value[2],
        .variant = at->value[3],
        .quantity = at->value[4],
        .statistic = at->value[5],
        .source = at->value[10],
    };
    clump_store_measurement measured = {.size_bytes = -1, .note = at->value[12]};
    int64_t id = 0;
    clump_store_status status = measure(at, &measured);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_series(at->store, &series, &id);
    return status == CLUMP_STORE_OK ? clump_store_add_sample(at->store, id, &measured) : status;
}

/* In the order in which one refers to the other. */
static const kind kinds[] = {
    {"sources.csv", {"name", "kind", "title", "table", "section", "page", "note"}, add_source},
    {"quantities.csv", {"name", "unit", "meaning", "may_be_negative"}, add_quantity},
    {"platforms.csv",
     {"name", "title", "nodes", "processors", "nics", "mapping", "part_of", "counterpart", "source",
      "note"},
     add_platform},
    {"applications.csv", {"name", "title", "style", "source", "note"}, add_application},
    {NULL,
     {"platform", "application", "transport", "variant", "quantity", "statistic", "value",
      "half_width", "std_dev", "unit", "source", "doubtful", "note"},
     add_sample},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The kind of a file by its name; kinds of lower rank must be loaded before. */
static const kind *kind_of(const char *file, size_t *rank)
{
    size_t i = 0;
    while (i + 1 < KINDS && strcmp(kinds[i].file, base_name(file)) != 0)
        i++;
    *rank = i;
    return &kinds[i];
}

/* ---- files */

typedef struct loader {
    row row;
    clump_csv *csv;
    clump_reference_report_fn *report;
    void *context;
    const char *file;
    size_t errors;
} loader;

static void report(loader *at, const char *what)
{
    char line[1400];
    snprintf(line, sizeof line, "%.300s:%zu: %s", at->file, at->csv->line, what);
    at->report(line, at->context);
    at->errors++;
}

/* Where each column of the kind is in the file; false after reporting what is wrong. */
static bool read_header(loader *at, const kind *of, size_t place[COLUMNS])
{
    char what[CLUMP_CSV_MESSAGE + 100];
    const clump_csv_status status = clump_csv_next(at->csv);
    if (status != CLUMP_CSV_ROW) {
        report(at, status == CLUMP_CSV_END ? "the header line is missing" : at->csv->message);
        return false;
    }
    size_t expected = 0;
    for (size_t i = 0; i < COLUMNS && of->columns[i] != NULL; i++) {
        const int found = clump_csv_find(at->csv, of->columns[i]);
        if (found < 0) {
            snprintf(what, sizeof what, "the header lacks the column '%s'", of->columns[i]);
            report(at, what);
            return false;
        }
        place[i] = (size_t)found;
        expected++;
    }
    if (at->csv->fields != expected) {
        snprintf(what, sizeof what, "the header has %zu columns, expected %zu", at->csv->fields,
                 expected);
        report(at, what);
        return false;
    }
    return true;
}

static void load_file(loader *at, const clump_reference_text *text, const kind *of)
{
    size_t place[COLUMNS] = {0};
    at->file = text->name;
    clump_csv_start(at->csv, text->bytes, text->size, true);
    if (!read_header(at, of, place))
        return;
    clump_csv_status status;
    while ((status = clump_csv_next(at->csv)) == CLUMP_CSV_ROW) {
        for (size_t i = 0; i < COLUMNS && of->columns[i] != NULL; i++) {
            const clump_csv_field *field = &at->csv->field[place[i]];
            at->row.value[i] = field->size > 0 ? field->text : NULL;
        }
        if (of->add(&at->row) != CLUMP_STORE_OK)
            report(at, clump_store_message(at->row.store));
    }
    if (status == CLUMP_CSV_BAD)
        report(at, at->csv->message);
}

/* By kind, then by name, so that the same files always give the same rows. */
static int compare(const void *a, const void *b)
{
    const char *first = (*(const clump_reference_text *const *)a)->name;
    const char *second = (*(const clump_reference_text *const *)b)->name;
    size_t i = 0;
    size_t j = 0;
    kind_of(first, &i);
    kind_of(second, &j);
    return i != j ? (i < j ? -1 : 1) : strcmp(base_name(first), base_name(second));
}

static clump_store_status load_all(loader *at, const clump_reference_text **files, size_t count)
{
    clump_store_status status = clump_store_begin(at->row.store);
    if (status != CLUMP_STORE_OK)
        return status;
    qsort(files, count, sizeof *files, compare);
    for (size_t i = 0; i < count; i++) {
        size_t rank = 0;
        load_file(at, files[i], kind_of(files[i]->name, &rank));
    }
    if (at->errors > 0) {
        clump_store_rollback(at->row.store);
        return clump_store_fail(at->row.store, CLUMP_STORE_BAD_INPUT,
                                "%zu error%s in the files; nothing was stored", at->errors,
                                at->errors == 1 ? "" : "s");
    }
    return clump_store_commit(at->row.store);
}

clump_store_status clump_reference_load(clump_store *store, const clump_reference_text *files,
                                        size_t count, clump_reference_report_fn *report_error,
                                        void *context)
{
    loader at = {.row = {.store = store}, .report = report_error, .context = context};
    const clump_reference_text **sorted = calloc(count + 1, sizeof *sorted);
    at.csv = malloc(sizeof *at.csv);
    clump_store_status status;
    if (sorted == NULL || at.csv == NULL) {
        status = clump_store_fail_memory(store);
    } else {
        for (size_t i = 0; i < count; i++)
            sorted[i] = &files[i];
        status = load_all(&at, sorted, count);
    }
    free(at.csv);
    free(sorted);
    return status;
}
