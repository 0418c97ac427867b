/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/runs/application_slowdowns.h"

#include <math.h>
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

static void add_run(clump_application_runs *runs, size_t before, double seconds,
                    const clump_application_emulated *how)
{
    const clump_application_emulated old = runs->worst;
    clump_application_emulated *worst = &runs->worst;
    *worst = *how;
    worst->late = fmax(how->late, old.late);
    worst->latest = fmax(how->latest, old.latest);
    worst->busiest_nic = fmax(how->busiest_nic, old.busiest_nic);
    worst->processor_use = fmax(how->processor_use, old.processor_use);
    worst->resent = fmax(how->resent, old.resent);
    worst->machine_busy = fmax(how->machine_busy, old.machine_busy);
    worst->machine_taken = fmax(how->machine_taken, old.machine_taken);
    worst->real_time = how->real_time && (before == 0 || old.real_time);
    runs->seconds[before] = seconds;
    runs->mean += (seconds - runs->mean) / (double)(before + 1);
}

static clump_protocol_status next_run(struct course *course, bool now, unsigned nics,
                                      size_t repetition, clump_application_runs *runs,
                                      char *message)
{
    clump_application_comparison *c = course->comparison;
    clump_application_machine machine = c->machine;
    clump_application_emulated how;
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
    add_run(runs, repetition, c->run->time_us / 1e6, &how);
    course->done++;
    return CLUMP_PROTOCOL_OK;
}

static void judge(const clump_application_runs *runs, const char *machine, double dilation,
                  char doubt[CLUMP_EMULATED_DOUBT])
{
    const clump_application_emulated *o = &runs->worst;
    clump_emulated_judge(&(clump_emulated_trust){.processes = "workers",
                                                 .pieces = "datagrams",
                                                 .late = o->late,
                                                 .again = o->resent,
                                                 .processor_use = o->processor_use,
                                                 .machine_busy = o->machine_busy,
                                                 .machine_taken = o->machine_taken},
                         machine, dilation, doubt);
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
    c->now = (clump_application_runs){.mean = 0};
    for (size_t i = 0; i < c->repetitions && status == CLUMP_PROTOCOL_OK; i++) {
        for (size_t r = 0; r < c->result_count && status == CLUMP_PROTOCOL_OK; r++)
            status = next_run(&course, false, c->results[r].nics, i, &c->results[r].clump, message);
        if (status == CLUMP_PROTOCOL_OK) /* last: the caller finds its traffic in `run` */
            status = next_run(&course, true, 1, i, &c->now, message);
    }
    for (size_t r = 0; r < c->result_count && status == CLUMP_PROTOCOL_OK; r++) {
        clump_application_slowdown *result = &c->results[r];
        clump_emulated_ratio(result->clump.seconds, c->now.seconds, c->repetitions,
                             &result->slowdown, &result->half_width);
        judge(&result->clump, "Clump", c->machine.dilation, result->doubt);
        if (result->doubt[0] == '\0')
            judge(&c->now, "NOW", c->machine.dilation, result->doubt);
    }
    return status;
}
