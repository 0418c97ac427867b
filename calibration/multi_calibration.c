/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/multi_calibration.h"

#include "calibration/multi_results.h"
#include "cli/output/errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct clump_multi_calibration calibration;

void clump_multi_add_strategy(calibration *c, const char *label, const clump_polling_parameters *p)
{
    clump_multi_strategy *s = &c->strategies[c->strategy_count];
    s->parameters = *p;
    if (strncmp(label, "adaptive", 8) == 0 || strcmp(label, "measured") == 0 ||
        strcmp(label, "recommended") == 0)
        clump_polling_write(p, s->name); /* what it is, whatever it is called */
    else
        snprintf(s->name, sizeof s->name, "%s", label);
    c->labels[c->strategy_count++] = label;
}

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
    const calibration *c = context;
    return clump_multi_loggp(plan, c->strategies, c->strategy_count, message);
}

/* What an endpoint takes that is not told how to poll. */
static int measure_polls(calibration *c)
{
    clump_calibration_session *s = &c->session;
    const int status = clump_calibration_session_stage(
        s, "polls", clump_multi_polls_seconds(&s->plan), run_polls, NULL);
    size_t count = 0;
    if (status != EXIT_DONE)
        return status;
    clump_calibration_mean *means = clump_calibration_means(&s->samples, &count);
    if (means == NULL)
        return error_memory(s->command);
    const clump_calibration_mean *local = clump_multi_find(means, count, CLUMP_MULTI_ALONE, NULL,
                                                           "empty poll", "poll_cost"),
                                 *network = clump_multi_find(means, count, CLUMP_MULTI_ALONE, "udp",
                                                             "empty poll", "poll_cost");
    if (local != NULL && network != NULL) {
        const clump_polling_parameters p = clump_polling_for(network->mean / local->mean);
        clump_multi_add_strategy(c, "measured", &p);
    }
    free(means);
    return status;
}

static int measure_scans(calibration *c)
{
    clump_calibration_session *s = &c->session;
    int status = EXIT_DONE;
    c->tuned = clump_polling_defaults();
    for (unsigned i = 0; i < CLUMP_MULTI_SCANS && status == EXIT_DONE; i++) {
        clump_tuning_scan *scan = &c->scans[i];
        clump_tuning_scan_plan(i, &c->tuned, c->few, scan);
        scan->first = s->samples.count;
        status = clump_calibration_session_stage(
            s, scan->name, clump_multi_scan_seconds(&s->plan, scan->count), run_scan, scan);
        scan->end = s->samples.count;
        if (status != EXIT_DONE)
            break;
        c->scan_count++;
        if (!clump_tuning_scan_judge(scan, &s->samples, &c->tuned))
            status = error_memory(s->command);
    }
    if (status == EXIT_DONE)
        clump_multi_add_strategy(c, "recommended", &c->tuned);
    return status;
}

int clump_multi_measure(calibration *c)
{
    clump_calibration_session *s = &c->session;
    int status = EXIT_DONE;
    if (c->parts[CLUMP_MULTI_POLLS])
        s->estimate += clump_multi_polls_seconds(&s->plan);
    if (c->parts[CLUMP_MULTI_SCAN]) /* 33 values in all, about */
        s->estimate += clump_multi_scan_seconds(&s->plan, c->few ? 18 : 33);
    if (c->parts[CLUMP_MULTI_LOGGP])
        s->estimate += clump_multi_loggp_seconds(&s->plan, c->strategy_count + 2);
    s->stages_all = (size_t)c->parts[CLUMP_MULTI_POLLS] +
                    (c->parts[CLUMP_MULTI_SCAN] ? CLUMP_MULTI_SCANS : 0) +
                    (size_t)c->parts[CLUMP_MULTI_LOGGP];
    clump_calibration_begin(s);
    if (c->parts[CLUMP_MULTI_POLLS])
        status = measure_polls(c);
    if (status == EXIT_DONE && c->parts[CLUMP_MULTI_SCAN])
        status = measure_scans(c);
    c->loggp_first = s->samples.count;
    if (status == EXIT_DONE && c->parts[CLUMP_MULTI_LOGGP])
        status = clump_calibration_session_stage(
            s, "loggp", clump_multi_loggp_seconds(&s->plan, c->strategy_count), run_loggp, c);
    clump_calibration_end(s);
    return status;
}

bool clump_multi_is_tuned(const calibration *c)
{
    return c->scan_count == CLUMP_MULTI_SCANS;
}
