/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/loggp/loggp_fit.h"

#include <math.h>
#include <stdio.h>

static fitted_value value_of(const clump_loggp_fit *fit, clump_loggp_name name)
{
    const clump_loggp_value *v = &fit->values[name];
    fitted_value made = {.quantity = clump_loggp_quantity(name),
                         .value = v->known ? v->value : NAN,
                         .low = v->interval.low,
                         .high = v->interval.high};
    if (isnan(v->interval.low))
        snprintf(made.note, sizeof made.note, "%s; no interval", v->reason);
    else
        snprintf(made.note, sizeof made.note, "%s; between %.6g and %.6g%s", v->reason,
                 v->interval.low, v->interval.high,
                 v->interval.source == CLUMP_INTERVAL_SPAN ? ", the span of the runs" : "");
    return made;
}

clump_store_status clump_loggp_fit_store(clump_store *store, const clump_loggp_fit *fit,
                                         const clump_fitted_record *record, bool *made,
                                         clump_error *error)
{
    char source[FITTED_NAME + 64], title[FITTED_NAME + 160];
    fitted_value values[CLUMP_LOGGP_ONE_WAY];
    const clump_loggp_samples *samples = &fit->samples;
    snprintf(source, sizeof source, "fit-%.*s-%s", FITTED_NAME - 1, record->name,
             record->transport);
    snprintf(title, sizeof title, "LogGP fitted to %zu samples of platform %.100s%s%.40s",
             samples->used.count, record->platform,
             samples->transport[0] != '\0' ? ", transport " : "", samples->transport);
    for (size_t i = 0; i < CLUMP_LOGGP_ONE_WAY; i++)
        values[i] = value_of(fit, (clump_loggp_name)i);
    const fitted_platform fitted = {.record = record,
                                    .tool = "clumpmodel fit loggp",
                                    .source = source,
                                    .title = title,
                                    .what = "LogGP",
                                    .samples = samples->sources,
                                    .sample_count = samples->source_count,
                                    .values = values,
                                    .value_count = CLUMP_LOGGP_ONE_WAY,
                                    .may_exist = true};
    return fitted_store(store, &fitted, made, error);
}
