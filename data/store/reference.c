/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/reference.h"

#include "data/csv.h"
#include "data/store/handle.h"
#include "data/store/reference_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct loader {
    clump_reference_row row;
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
static bool read_header(loader *at, const clump_reference_kind *of,
                        size_t place[CLUMP_REFERENCE_COLUMNS])
{
    char what[CLUMP_CSV_MESSAGE + 100];
    const clump_csv_status status = clump_csv_next(at->csv);
    if (status != CLUMP_CSV_ROW) {
        report(at, status == CLUMP_CSV_END ? "the header line is missing" : at->csv->message);
        return false;
    }
    size_t expected = 0;
    for (size_t i = 0; i < CLUMP_REFERENCE_COLUMNS && of->columns[i] != NULL; i++) {
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

static void load_file(loader *at, const clump_reference_text *text, const clump_reference_kind *of)
{
    size_t place[CLUMP_REFERENCE_COLUMNS] = {0};
    at->file = text->name;
    clump_csv_start(at->csv, text->bytes, text->size, true);
    if (!read_header(at, of, place))
        return;
    clump_csv_status status;
    while ((status = clump_csv_next(at->csv)) == CLUMP_CSV_ROW) {
        for (size_t i = 0; i < CLUMP_REFERENCE_COLUMNS && of->columns[i] != NULL; i++) {
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
    clump_reference_kind_of(first, &i);
    clump_reference_kind_of(second, &j);
    return i != j ? (i < j ? -1 : 1)
                  : strcmp(clump_reference_base_name(first), clump_reference_base_name(second));
}

static clump_store_status load_all(loader *at, const clump_reference_text **files, size_t count)
{
    clump_store_status status = clump_store_begin(at->row.store);
    if (status != CLUMP_STORE_OK)
        return status;
    qsort(files, count, sizeof *files, compare);
    for (size_t i = 0; i < count; i++) {
        size_t rank = 0;
        load_file(at, files[i], clump_reference_kind_of(files[i]->name, &rank));
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
        status = clump_store_fail(store, CLUMP_STORE_FAILED, "out of memory");
    } else {
        for (size_t i = 0; i < count; i++)
            sorted[i] = &files[i];
        status = load_all(&at, sorted, count);
    }
    free(at.csv);
    free(sorted);
    return status;
}
