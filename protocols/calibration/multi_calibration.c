/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/multi_calibration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void clump_multi_add_strategy(clump_multi_question *q, const char *label,
                              const clump_polling_parameters *p)
{
    clump_multi_strategy *s = &q->strategies[q->strategy_count];
    s->parameters = *p;
    if (strcmp(label, "always") == 0 || strncmp(label, "fractional", 10) == 0)
        snprintf(s->name, sizeof s->name, "%s", label);
    else
        clump_polling_write(p, s->name); /* what it is, whatever it is called */
    q->labels[q->strategy_count++] = label;
}

bool clump_multi_is_tuned(const clump_multi_question *q)
{
    bool told = false;
    for (unsigned i = 0; i < q->scan_count; i++)
        told = told || !q->scans[i].unsure;
    return told && q->scan_count == CLUMP_TUNING_SCANS;
}

/* ---- measuring */

static clump_protocol_status run_polls(const clump_calibration_plan *plan, const void *context,
                                       char *message)
{
    (void)context;
    return clump_multi_polls(plan, message);
}

static clump_protocol_status run_scan(const clump_calibration_plan *plan, const void *context,
                                      char *message)
{
    const clump_tuning_scan *scan = context;
    return clump_multi_scan(plan, scan->strategies, scan->count, message);
}

static clump_protocol_status run_loggp(const clump_calibration_plan *plan, const void *context,
                                       char *message)
{
    const clump_multi_question *q = context;
    return clump_multi_loggp(plan, q->strategies, q->strategy_count, message);
}

/* What an endpoint takes that is not told how to poll. */
static clump_calibration_status measure_polls(clump_calibration *c)
{
    const clump_calibration_status status =
        clump_calibration_stage(c, "polls", clump_multi_polls_seconds(&c->plan), run_polls, NULL);
    size_t count = 0;
    if (status != CLUMP_CALIBRATION_OK)
        return status;
    clump_calibration_mean *means = clump_calibration_means(&c->samples, &count);
    if (means == NULL)
        return clump_calibration_fail_memory(c);
    const clump_calibration_mean *local = clump_calibration_find(means, count, CLUMP_MULTI_ALONE,
                                                                 false, CLUMP_BENCHMARK_EMPTY_POLL,
                                                                 CLUMP_QUANTITY_POLL_COST),
                                 *network = clump_calibration_find(means, count, CLUMP_MULTI_ALONE,
                                                                   true, CLUMP_BENCHMARK_EMPTY_POLL,
                                                                   CLUMP_QUANTITY_POLL_COST);
    if (local != NULL && network != NULL && local->runs > 0 && network->runs > 0) {
        const clump_polling_parameters p = clump_polling_for(network->mean / local->mean);
        clump_multi_add_strategy(c->own, "measured", &p);
    }
    free(means);
    return status;
}

static clump_calibration_status measure_scans(clump_calibration *c)
{
    clump_multi_question *q = c->own;
    q->tuned = clump_polling_defaults();
    while (q->scan_count < CLUMP_TUNING_SCANS) {
        clump_tuning_scan *scan = &q->scans[q->scan_count];
        clump_tuning_scan_plan((clump_tuning_parameter)q->scan_count, &q->tuned, q->few, scan);
        scan->first = c->samples.count;
        const clump_calibration_status status = clump_calibration_stage(
            c, scan->name, clump_multi_scan_seconds(&c->plan, scan->count), run_scan, scan);
        scan->end = c->samples.count;
        if (status != CLUMP_CALIBRATION_OK)
            return status;
        q->scan_count++;
        if (!clump_tuning_scan_judge(scan, &c->samples, &q->tuned))
            return clump_calibration_fail_memory(c);
    }
    if (clump_multi_is_tuned(q))
        clump_multi_add_strategy(q, "recommended", &q->tuned);
    return CLUMP_CALIBRATION_OK;
}

static clump_calibration_status run(clump_calibration *c)
{
    clump_multi_question *q = c->own;
    clump_calibration_status status = clump_calibration_open(c);
    if (status != CLUMP_CALIBRATION_OK)
        return status;
    clump_calibration_warn_host(c, c->plan.processes);
    if (q->parts[CLUMP_MULTI_POLLS])
        c->estimate += clump_multi_polls_seconds(&c->plan);
    if (q->parts[CLUMP_MULTI_SCAN]) /* 33 values in all, about */
        c->estimate += clump_multi_scan_seconds(&c->plan, q->few ? 18 : 33);
    if (q->parts[CLUMP_MULTI_LOGGP])
        c->estimate += clump_multi_loggp_seconds(&c->plan, q->strategy_count + 2);
    c->stages_all = (size_t)q->parts[CLUMP_MULTI_POLLS] +
                    (q->parts[CLUMP_MULTI_SCAN] ? CLUMP_TUNING_SCANS : 0) +
                    (size_t)q->parts[CLUMP_MULTI_LOGGP];
    if (q->parts[CLUMP_MULTI_POLLS])
        status = measure_polls(c);
    if (status == CLUMP_CALIBRATION_OK && q->parts[CLUMP_MULTI_SCAN])
        status = measure_scans(c);
    q->loggp_first = c->samples.count;
    if (status == CLUMP_CALIBRATION_OK && q->parts[CLUMP_MULTI_LOGGP])
        status = clump_calibration_stage(
            c, "loggp", clump_multi_loggp_seconds(&c->plan, q->strategy_count), run_loggp, q);
    return status;
}

/* ---- what follows */

/* The settings, as table 4.1 is stored in the reference data; what a scan could not tell is no
 * parameter. */
static bool add_settings(clump_calibration *c, const clump_multi_question *q)
{
    const clump_polling_parameters *p = &q->tuned;
    const clump_tuning_scan *scans = q->scans;
    const struct {
        clump_quantity quantity;
        uint32_t value;
        bool unsure;
    } all[] = {
        {CLUMP_QUANTITY_POLL_ACCEPTANCE, p->acceptance, false},
        {CLUMP_QUANTITY_POLL_ACCURACY, p->accuracy, scans[CLUMP_TUNING_DAMPING].unsure},
        {CLUMP_QUANTITY_POLL_DAMPING, p->damping, scans[CLUMP_TUNING_DAMPING].unsure},
        {CLUMP_QUANTITY_POLL_EQUALITY, p->equality, scans[CLUMP_TUNING_EQUALITY].unsure},
        {CLUMP_QUANTITY_POLL_MINIMUM_SKIP, p->minimum_skip, scans[CLUMP_TUNING_S_MIN].unsure},
        {CLUMP_QUANTITY_POLL_MAXIMUM_SKIP, p->maximum_skip, scans[CLUMP_TUNING_S_MAX].unsure}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!all[i].unsure && !clump_calibration_add_parameter(
                                  c, (clump_calibration_parameter){.variant = "recommended",
                                                                   .quantity = all[i].quantity,
                                                                   .value = all[i].value,
                                                                   .half_width = NAN}))
            return false;
    return true;
}

static void warn_about_scans(clump_calibration *c)
{
    const clump_multi_question *q = c->own;
    for (unsigned i = 0; i < q->scan_count; i++) {
        const clump_tuning_scan *s = &q->scans[i];
        char why[80] = "runs are doubtful";
        bool known = !isnan(s->uncertainty);
        for (unsigned v = 0; v < s->count; v++)
            known = known && !isnan(s->worst[v]);
        if (known)
            snprintf(why, sizeof why, "runs differ so much that a ratio may be off by %.0f%%",
                     100 * s->uncertainty);
        if (s->unsure)
            clump_calibration_warn(c, "%s: cannot tell which value is best, since %s; it stays %u",
                                   s->symbol, why, (unsigned)s->values[s->chosen]);
    }
}

static clump_calibration_status derive(clump_calibration *c)
{
    clump_multi_question *q = c->own;
    warn_about_scans(c);
    q->samples = &c->samples;
    clump_multi_summarize(q);
    if (q->results.failed || (clump_multi_is_tuned(q) && !add_settings(c, q)))
        return clump_calibration_fail_memory(c);
    return CLUMP_CALIBRATION_OK;
}

static void release(void *own)
{
    clump_multi_results_free(&((clump_multi_question *)own)->results);
}

const clump_calibration_kind clump_calibration_multi = {
    .name = "calibrate multi",
    .title = "Shared memory beside UDP",
    .transport = "shared-memory",
    .keeps_parts = true,
    .run = run,
    .derive = derive,
    .free = release,
};
