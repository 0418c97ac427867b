/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/node/node_fit.h"

#include <math.h>
#include <stdio.h>

/* How many NICs one process keeps busy is kept only if it was a limit: with a single NIC, or where one process fills
 * all that there are, it might keep more of them busy. */
static bool tells(const clump_node_fit *fit, clump_node_name name)
{
    const clump_node_value *m = &fit->values[CLUMP_NODE_PER_PROCESS];
    const double nics = fit->values[CLUMP_NODE_NICS].value;
    return name != CLUMP_NODE_PER_PROCESS || (m->known && nics > 1 && m->value < 0.95 * nics);
}

clump_store_status clump_node_fit_store(clump_store *store, const clump_node_fit *fit,
                                        const clump_fitted_record *record, clump_error *error)
{
    static const clump_node_name kept[] = {CLUMP_NODE_PER_PROCESS, CLUMP_NODE_LOSS,
                                           CLUMP_NODE_DUPLEX, CLUMP_NODE_NIC_RATE,
                                           CLUMP_NODE_NIC_MESSAGES};
    enum { KEPT = sizeof kept / sizeof *kept };
    char source[FITTED_NAME + 16], title[FITTED_NAME + 100];
    fitted_value values[KEPT];
    const clump_node_value *nics = &fit->values[CLUMP_NODE_NICS];
    if (!nics->known) {
        clump_fail(error, CLUMP_BAD_ARGUMENT,
                   "the number of NICs is not known (%.150s), expected --nics with it",
                   nics->reason);
        return CLUMP_STORE_BAD_INPUT;
    }
    snprintf(source, sizeof source, "fit-node-%.*s", FITTED_NAME - 1, record->name);
    snprintf(title, sizeof title, "NICs of a node, fitted to pairs of processes of platform %.100s",
             record->platform);
    for (size_t i = 0; i < KEPT; i++) {
        const clump_node_value *v = &fit->values[kept[i]];
        values[i] = (fitted_value){.quantity = clump_node_key(kept[i]),
                                   .value = v->known && tells(fit, kept[i]) ? v->value : NAN,
                                   .low = v->low,
                                   .high = v->high};
        snprintf(values[i].note, sizeof values[i].note, "%s", v->reason);
    }
    const bool pooled = fit->curve.hypotheses[fit->curve.best].sharing == CLUMP_NODE_POOLED;
    const fitted_platform fitted = {.record = record,
                                    .tool = "clumpmodel fit node",
                                    .source = source,
                                    .title = title,
                                    .what = "NICs",
                                    .samples = fit->samples.sources,
                                    .sample_count = fit->samples.source_count,
                                    .nics = (int64_t)nics->value,
                                    .mapping = pooled ? "pooled" : "static",
                                    .values = values,
                                    .value_count = KEPT};
    return fitted_store(store, &fitted, NULL, error);
}
