/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/reference_row.h"

#include "data/number.h"
#include "data/store/handle.h"
#include "data/units.h"

#include <math.h>
#include <string.h>

static clump_store_status whole(const clump_reference_row *at, int column, const char *what,
                                int64_t *number)
{
    const char *text = at->value[column] != NULL ? at->value[column] : "";
    const clump_number_status status = clump_number_parse_whole(text, strlen(text), number);
    if (status != CLUMP_NUMBER_OK) {
        return clump_store_fail(at->store, CLUMP_STORE_BAD_INPUT,
                                "%s is '%.40s', expected a whole number", what, text);
    }
    return CLUMP_STORE_OK;
}

static clump_store_status flag(const clump_reference_row *at, int column, const char *what,
                               bool *value)
{
    const char *text = at->value[column] != NULL ? at->value[column] : "";
    if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        return clump_store_fail(at->store, CLUMP_STORE_BAD_INPUT, "%s is '%.40s', expected 0 or 1",
                                what, text);
    }
    *value = text[0] == '1';
    return CLUMP_STORE_OK;
}

static clump_store_status add_source(const clump_reference_row *at)
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

static clump_store_status add_quantity(const clump_reference_row *at)
{
    clump_store_quantity quantity = {
        .name = at->value[0], .unit = at->value[1], .meaning = at->value[2]};
    clump_store_status status = flag(at, 3, "may_be_negative", &quantity.may_be_negative);
    return status == CLUMP_STORE_OK ? clump_store_add_quantity(at->store, &quantity) : status;
}

static clump_store_status add_platform(const clump_reference_row *at)
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

static clump_store_status add_application(const clump_reference_row *at)
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
static clump_store_status number(const clump_reference_row *at, int column, const char *what,
                                 const char *canonical, double *value)
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

static clump_store_status measure(const clump_reference_row *at, clump_store_measurement *measured)
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

static clump_store_status add_sample(const clump_reference_row *at)
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
static const clump_reference_kind kinds[] = {
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

const char *clump_reference_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const clump_reference_kind *clump_reference_kind_of(const char *file, size_t *rank)
{
    size_t i = 0;
    while (i + 1 < KINDS && strcmp(kinds[i].file, clump_reference_base_name(file)) != 0)
        i++;
    *rank = i;
    return &kinds[i];
}
