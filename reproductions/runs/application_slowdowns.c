/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/runs/application_slowdowns.h"

#include <stdio.h>

/* Where the work stands. */
struct course {
    clump_application_comparison *comparison;
    size_t done, total; /* runs */
    char what[32];
};

static bool watch(double share, void *context)
{
    const struct course *course = context;
    const clump_application_comparison *c = course->comparison;
    return c->watch(((double)course->done + share) / (double)course->total, course->what,
                    c->context);
}

static clump_protocol_status next_run(struct course *course, bool now, unsigned nics,
                                      clump_emulated_runs *runs, char *message)
{
    clump_application_comparison *c = course->comparison;
    clump_application_machine machine = c->machine;
    clump_emulated_outcome how;
    machine.now = now;
    machine.nics = nics;
    if (now)
        snprintf(course->what, sizeof course->what, "NOW");
    else
        snprintf(course->what, sizeof course->what, "N=%u", nics);
    c->run->watch = c->watch != NULL ? watch : NULL;
    c->run->context = course;
    const clump_protocol_status status =
        clump_application_run_emulated(c->run, &machine, &how, message);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    if (c->check != NULL && !c->check(c->run, c->context, message))
        return CLUMP_PROTOCOL_FAILED;
    clump_emulated_add(runs, &how);
    course->done++;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_application_compare(clump_application_comparison *c,
                                                char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    struct course course = {.comparison = c, .total = c->repetitions * (c->result_count + 1)};
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    if (c->repetitions < 1 || c->repetitions > CLUMP_EMULATED_MOST_RUNS) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "repetitions: expected 1 to %d",
                 (int)CLUMP_EMULATED_MOST_RUNS);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    c->now = (clump_emulated_runs){.count = 0};
    for (size_t r = 0; r < c->result_count; r++)
        c->results[r] = (clump_emulated_result){.nics = c->results[r].nics};
    for (size_t i = 0; i < c->repetitions && status == CLUMP_PROTOCOL_OK; i++) {
        for (size_t r = 0; r < c->result_count && status == CLUMP_PROTOCOL_OK; r++)
            status = next_run(&course, false, c->results[r].nics, &c->results[r].clump, message);
        if (status == CLUMP_PROTOCOL_OK) /* last: the caller finds its traffic in `run` */
            status = next_run(&course, true, 1, &c->now, message);
    }
    for (size_t r = 0; r < c->result_count && status == CLUMP_PROTOCOL_OK; r++) {
        clump_emulated_result *result = &c->results[r];
        clump_emulated_ratio(result->clump.seconds, c->now.seconds, c->repetitions,
                             &result->slowdown, &result->half_width);
        clump_emulated_judge(&result->clump.worst, false, "Clump", c->machine.dilation,
                             result->doubt);
        clump_emulated_judge(&c->now.worst, false, "NOW", c->machine.dilation, result->doubt);
    }
    return status;
}
