/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/node/node_fit.h"

#include "fitting/fitted_record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    clump_store *store;
    const clump_node_fit *fit;
    const clump_node_record *record;
    clump_error *error;
    char source[FITTED_NAME + 16];
} writer;

static clump_store_status add_source(writer *w)
{
    char title[FITTED_NAME + 100];
    snprintf(w->source, sizeof w->source, "fit-node-%.*s", FITTED_NAME - 1, w->record->name);
    snprintf(title, sizeof title, "NICs of a node, fitted to pairs of processes of platform %.100s",
             w->record->platform);
    const clump_store_source source = {.name = w->source,
                                       .title = title,
                                       .tool = "clumpmodel fit node",
                                       .tool_version = w->record->version,
                                       .command = w->record->command};
    return fitted_add_source(w->store, &source, w->fit->samples.sources,
                             w->fit->samples.source_count, w->error);
}

static clump_store_status add_platform(writer *w)
{
    const clump_node_curve *c = &w->fit->curve;
    const bool pooled = c->hypotheses[c->best].sharing == CLUMP_NODE_POOLED;
    const clump_store_platform own = {.name = w->record->name,
                                      .source = w->source,
                                      .nics = (int64_t)w->fit->values[CLUMP_NODE_NICS].value,
                                      .mapping = pooled ? "pooled" : "static"};
    return fitted_add_platform(w->store, w->record->platform, &own, "NICs", w->error);
}

static clump_store_status add_value(writer *w, clump_node_name name)
{
    const clump_node_value *v = &w->fit->values[name];
    const double half = fmax(v->high - v->value, v->value - v->low);
    if (!v->known)
        return CLUMP_STORE_OK;
    const clump_store_series series = {.platform = w->record->name,
                                       .quantity = clump_node_key(name),
                                       .statistic = "median",
                                       .source = w->source};
    return fitted_add(w->store, &series, v->value, half, v->reason, w->error);
}

/* How many NICs one process keeps busy is kept only if it was a limit: with a single NIC, or where one process fills
 * all that there are, it might keep more of them busy. */
static bool tells(const clump_node_fit *fit, clump_node_name name)
{
    const clump_node_value *m = &fit->values[CLUMP_NODE_PER_PROCESS];
    const double nics = fit->values[CLUMP_NODE_NICS].value;
    return name != CLUMP_NODE_PER_PROCESS || (m->known && nics > 1 && m->value < 0.95 * nics);
}

static clump_store_status write_all(void *context)
{
    writer *w = context;
    static const clump_node_name kept[] = {CLUMP_NODE_PER_PROCESS, CLUMP_NODE_LOSS,
                                           CLUMP_NODE_DUPLEX, CLUMP_NODE_NIC_RATE,
                                           CLUMP_NODE_NIC_MESSAGES};
    clump_store_status status = add_source(w);
    if (status == CLUMP_STORE_OK)
        status = add_platform(w);
    for (size_t i = 0; i < sizeof kept / sizeof *kept && status == CLUMP_STORE_OK; i++)
        if (tells(w->fit, kept[i]))
            status = add_value(w, kept[i]);
    return status;
}

clump_store_status clump_node_fit_store(clump_store *store, const clump_node_fit *fit,
                                        const clump_node_record *record, clump_error *error)
{
    writer w = {.store = store, .fit = fit, .record = record, .error = error};
    if (!fit->values[CLUMP_NODE_NICS].known) {
        clump_fail(error, CLUMP_BAD_ARGUMENT,
                   "the number of NICs is not known (%.150s), expected --nics with it",
                   fit->values[CLUMP_NODE_NICS].reason);
        return CLUMP_STORE_BAD_INPUT;
    }
    return fitted_store(store, write_all, &w, error);
}
