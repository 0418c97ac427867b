/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/fitting/node_tables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parameters */

typedef struct parameter {
    const char *platform, *transport, *variant, *benchmark, *key, *heading, *unit;
    clump_node_value value;
    /* For eyes: */
    const char *shown_unit;
    char shown[32];
    double low, high;
} parameter;

static void show_value(const clump_node_value *v, parameter *p)
{
    const bool bytes = strcmp(p->unit, "B/us") == 0;
    const double factor = bytes ? 1e-3 : 1;
    p->shown_unit = bytes ? "GB/s" : p->unit;
    p->low = factor * v->low;
    p->high = factor * v->high;
    if (v->known)
        snprintf(p->shown, sizeof p->shown, "%.4g", factor * v->value);
    else if (!isnan(v->at_least))
        snprintf(p->shown, sizeof p->shown, ">= %.4g", factor * v->at_least);
    else if (!isnan(v->at_most))
        snprintf(p->shown, sizeof p->shown, "<= %.4g", factor * v->at_most);
    else
        strcpy(p->shown, "?");
}

#define PARAMETER(member) FIELD(parameter, member)

static const table_column parameter_columns[] = {
    {"platform", "Platform", PARAMETER(platform), .folding = FOLD_ALWAYS},
    {"transport", "Transport", PARAMETER(transport), .folding = FOLD_ALWAYS},
    {"variant", "Variant", PARAMETER(variant), .folding = FOLD_ALWAYS},
    {"benchmark", "Benchmark", PARAMETER(benchmark), .folding = FOLD_ALWAYS},
    {"parameter", NULL, PARAMETER(key)},
    {NULL, "Of the node", PARAMETER(heading)},
    {NULL, "Value", FIELD_ARRAY(parameter, shown), .layout = COLUMN_RIGHT},
    {NULL, "Unit", PARAMETER(shown_unit)},
    {NULL, "From", PARAMETER(low)},
    {NULL, "To", PARAMETER(high)},
    {"value", NULL, PARAMETER(value.value)},
    {"unit", NULL, PARAMETER(unit)},
    {"low", NULL, PARAMETER(value.low)},
    {"high", NULL, PARAMETER(value.high)},
    {"at_least", NULL, PARAMETER(value.at_least)},
    {"at_most", NULL, PARAMETER(value.at_most)},
    {"from", "What it is from", FIELD_ARRAY(parameter, value.reason)},
};

/* ---- pairs, sizes, laws */

/* For eyes; programs get the unit of the database. */
static void make_gigabytes(const table_column *column, const void *record, table_cell *cell)
{
    cell_real(cell, *(const double *)((const char *)record + column->offset) / 1000);
}

#define GIGABYTES(structure, member)                                                               \
    .offset = offsetof(structure, member), .make_with = make_gigabytes, .layout = COLUMN_RIGHT
#define PAIR(member) FIELD(clump_node_pair_row, member)
#define PAIR_GIGABYTES(member) GIGABYTES(clump_node_pair_row, member)

static void make_residual(const void *record, table_cell *cell)
{
    const clump_node_pair_row *r = record;
    cell_real(cell, r->measured / r->fitted - 1);
}

static const table_column pair_columns[] = {
    {"pairs", "Pairs", PAIR(pairs)},
    {"runs", "Runs", PAIR(runs)},
    {NULL, "GB/s", PAIR_GIGABYTES(measured)},
    {NULL, "From", PAIR_GIGABYTES(low)},
    {NULL, "To", PAIR_GIGABYTES(high)},
    {NULL, "Fitted", PAIR_GIGABYTES(fitted)},
    {"measured", NULL, PAIR(measured)},
    {"low", NULL, PAIR(low)},
    {"high", NULL, PAIR(high)},
    {"fitted", NULL, PAIR(fitted)},
    {"residual", "Off by", NUMBER_SIGNED, .make = make_residual, .layout = COLUMN_RIGHT},
    {"share", "Of the best", NUMBER_PERCENT, PAIR(share)},
    {"efficiency", "E(q)", PAIR(efficiency)},
    {"limit", "Limit", PAIR(limit)},
};

#define SIZE(member) FIELD(clump_node_size_row, member)

static void make_use(const void *record, table_cell *cell)
{
    const clump_node_size_row *r = record;
    cell_text(cell, r->is_long ? "long" : r->is_short ? "short" : NULL);
}

static const table_column size_columns[] = {
    {"size_bytes", "Bytes", SIZE(size_bytes)},
    {NULL, "One process GB/s", GIGABYTES(clump_node_size_row, process)},
    {NULL, "Best GB/s", GIGABYTES(clump_node_size_row, best)},
    {"process", NULL, SIZE(process)},
    {"best", NULL, SIZE(best)},
    {"best_pairs", "With pairs", SIZE(pairs)},
    {"filling", "Best over one", SIZE(filling)},
    {"nics_per_process", "NICs a process", SIZE(per_process)},
    {"used_as", "Used as", .make = make_use, .layout = COLUMN_LEFT},
};

typedef struct law {
    const char *sharing;
    double nics, filling, loss, squares;
    bool used, allowed;
} law;

static const table_column law_columns[] = {
    {"assignment", "Assignment", FIELD(law, sharing)},
    {"nics", "NICs", FIELD(law, nics)},
    {"filling", "Processes that fill them", FIELD(law, filling)},
    {"loss", "e", FIELD(law, loss)},
    {"squares", "Sum of squares", FIELD(law, squares)},
    {"used", "Used", FIELD(law, used)},
    {"allowed", "Allowed", FIELD(law, allowed)},
};

typedef struct feed {
    size_t processes;
    clump_store_memory_point point;
} feed;

static const table_column memory_columns[] = {
    {"processes", "Processes", FIELD(feed, processes)},
    {"bandwidth", "Memory B/us", FIELD(feed, point.bandwidth)},
    {"half_width", "+-", FIELD(feed, point.half_width)},
    {"runs", "Runs", FIELD(feed, point.runs)},
};

/* ---- */

typedef struct records {
    parameter parameters[CLUMP_NODE_NAMES];
    law laws[CLUMP_NODE_HYPOTHESES];
    size_t law_count;
    feed feeds[];
} records;

static void add_parameters(const clump_node_fit *fit, const char *platform, records *r)
{
    for (size_t i = 0; i < CLUMP_NODE_NAMES; i++) {
        const clump_node_name name = (clump_node_name)i;
        r->parameters[i] = (parameter){.platform = platform,
                                       .transport = fit->samples.transport,
                                       .variant = fit->samples.variant,
                                       .benchmark = fit->samples.one_way.benchmark,
                                       .key = clump_node_key(name),
                                       .heading = clump_node_heading(name),
                                       .unit = clump_node_unit(name),
                                       .value = fit->values[i]};
        show_value(&fit->values[i], &r->parameters[i]);
    }
}

static void add_laws(const clump_node_fit *fit, records *r)
{
    const clump_node_curve *c = &fit->curve;
    for (size_t i = 0; i < c->hypothesis_count; i++) {
        const clump_node_hypothesis *h = &c->hypotheses[i];
        const bool pooled = h->sharing == CLUMP_NODE_POOLED;
        r->laws[r->law_count++] = (law){.sharing = clump_node_sharing_name(h->sharing),
                                        .nics = pooled ? NAN : h->nics,
                                        .filling = h->ratio,
                                        .loss = h->loss,
                                        .squares = h->squares,
                                        .used = i == c->best,
                                        .allowed = clump_node_curve_allows(c, i)};
    }
}

fit_tables node_tables_make(const clump_node_fit *fit, const char *platform)
{
    const size_t feeds = fit->memory != NULL ? fit->memory->processes : 0;
    records *r = calloc(1, sizeof *r + feeds * sizeof *r->feeds);
    if (r == NULL)
        return (fit_tables){.records = NULL};
    add_parameters(fit, platform, r);
    add_laws(fit, r);
    for (size_t i = 0; i < feeds; i++)
        r->feeds[i] = (feed){i + 1, fit->memory->points[i]};
    fit_tables tables = {
        .all = {[NODE_PARAMETERS] = {"parameters", COLUMNS(parameter_columns),
                                     RECORDS(r->parameters, CLUMP_NODE_NAMES)},
                [NODE_PAIRS] = {"pairs", COLUMNS(pair_columns),
                                RECORDS(fit->pairs, fit->pair_count)},
                [NODE_SIZES] = {"sizes", COLUMNS(size_columns),
                                RECORDS(fit->sizes, fit->size_count)},
                [NODE_LAWS] = {"laws", COLUMNS(law_columns), RECORDS(r->laws, r->law_count)},
                [NODE_MEMORY] = {"memory", COLUMNS(memory_columns), RECORDS(r->feeds, feeds)}},
        .count = NODE_MEMORY + 1,
        .records = r};
    fit_tables_add_lists(&tables, fit->samples.sources, fit->samples.source_count, &fit->notes);
    return tables;
}
