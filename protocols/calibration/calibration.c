/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/calibration.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what goes wrong */

clump_calibration_status clump_calibration_fail(clump_calibration *c,
                                                clump_calibration_status status, const char *format,
                                                ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(c->message, sizeof c->message, format, values);
    va_end(values);
    return status;
}

clump_calibration_status clump_calibration_fail_memory(clump_calibration *c)
{
    return clump_calibration_fail(c, CLUMP_CALIBRATION_FAILED, "out of memory");
}

clump_calibration_status clump_calibration_fail_store(clump_calibration *c,
                                                      clump_store_status status)
{
    if (status == CLUMP_STORE_STOPPED) /* no memory for what was read or is to be written */
        return clump_calibration_fail_memory(c);
    return clump_calibration_fail(c,
                                  status == CLUMP_STORE_NOT_FOUND || status == CLUMP_STORE_BAD_INPUT
                                      ? CLUMP_CALIBRATION_BAD_INPUT
                                      : CLUMP_CALIBRATION_FAILED,
                                  "%s", clump_store_message(c->store.store));
}

void clump_calibration_warn(clump_calibration *c, const char *format, ...)
{
    char text[CLUMP_CALIBRATION_TEXT];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    c->warn(text, c->context);
}

void clump_calibration_warn_host(clump_calibration *c, unsigned wanted)
{
    char text[CLUMP_HOST_DOUBT];
    for (unsigned next = 0; clump_host_doubt(&c->host, wanted, &next, text);)
        c->warn(text, c->context);
}

/* Kinds of samples that have no mean, because all of their runs are doubtful. */
static void warn_about_means(clump_calibration *c)
{
    size_t count = 0, without = 0;
    clump_calibration_mean *means = clump_calibration_means(&c->samples, &count);
    for (size_t i = 0; means != NULL && i < count; i++)
        without += means[i].runs == 0;
    free(means);
    if (without > 0)
        clump_calibration_warn(c,
                               "%zu of %zu kinds of samples have doubtful runs only: they have no "
                               "mean; measure again when the machine has nothing else to do",
                               without, count);
}

void clump_calibration_warn_samples(clump_calibration *c)
{
    const clump_calibration_speed *s = &c->speed;
    if (s->disturbed > 0)
        clump_calibration_warn(
            c,
            "other programs took a processor away from %zu of %zu samples, each time they were "
            "tried; they are stored as doubtful",
            s->disturbed, c->samples.count);
    if (s->other > 0)
        clump_calibration_warn(
            c,
            "in %zu of %zu runs a bare cache line took %.0f ns instead of %.0f: the machine "
            "changed "
            "its speed or was busy; those runs are stored as doubtful and not in the means",
            s->other, s->runs, 1000 * s->other_us, 1000 * s->usual_us);
    warn_about_means(c);
}

/* ---- measuring */

static bool take_sample(const clump_calibration_sample *sample, void *context)
{
    clump_calibration *c = context;
    clump_calibration_sample own = *sample;
    if (own.variant == NULL)
        own.variant = c->plan.algorithm != NULL ? c->plan.algorithm : "";
    c->no_memory = !clump_calibration_add(&c->samples, &own);
    return c->no_memory;
}

bool clump_calibration_watch(double share, void *context)
{
    clump_calibration *c = context;
    return c->watch((c->done + share * c->weight) / c->estimate, c->note, c->context);
}

clump_calibration_status clump_calibration_run(clump_calibration *c)
{
    c->plan.sample = take_sample;
    c->plan.watch = clump_calibration_watch;
    c->plan.context = c;
    c->speed = (clump_calibration_speed){.usual_us = NAN, .other_us = NAN};
    clump_host_look(&c->host, clump_team_processors());
    return c->kind->run(c);
}

clump_calibration_status clump_calibration_open(clump_calibration *c)
{
    const clump_host *h = &c->host;
    if (!c->open(&c->store.store, c->context))
        return CLUMP_CALIBRATION_FAILED;
    snprintf(c->title, sizeof c->title, "%.100s on %s", c->kind->title, h->slug);
    snprintf(c->platform_title, sizeof c->platform_title, "%.100s, %u processors",
             h->model[0] != '\0' ? h->model : "One machine", h->processors);
    c->store.source =
        (clump_calibration_source){.platform = c->platform != NULL ? c->platform : h->slug,
                                   .platform_title = c->platform_title,
                                   .processors = h->processors,
                                   .transport = c->kind->transport,
                                   .title = c->title,
                                   .command = c->command,
                                   .note = h->facts,
                                   .version = c->version,
                                   .kind = c->kind->name};
    return CLUMP_CALIBRATION_OK;
}

clump_calibration_status clump_calibration_keep(clump_calibration *c)
{
    clump_calibration_doubt(&c->samples, c->kept, &c->speed);
    const clump_store_status status = clump_calibration_write(&c->store, &c->samples, c->kept);
    c->kept = c->samples.count;
    c->store_failed = status != CLUMP_STORE_OK;
    return c->store_failed ? clump_calibration_fail_store(c, status) : CLUMP_CALIBRATION_OK;
}

clump_calibration_status
clump_calibration_stage(clump_calibration *c, const char *name, double seconds,
                        clump_protocol_status (*run)(const clump_calibration_plan *plan,
                                                     const void *context, char *message),
                        const void *context)
{
    char why[CLUMP_CALIBRATION_MESSAGE_BYTES];
    c->weight = seconds;
    const clump_protocol_status ran = run(&c->plan, context, why);
    c->done += seconds;
    if (c->no_memory)
        return clump_calibration_fail_memory(c);
    if (ran == CLUMP_PROTOCOL_OK) {
        c->stages++;
        return clump_calibration_keep(c);
    }
    c->samples.count = c->kept;
    c->weight = 0;
    if (!clump_calibration_watch(0, c))
        return clump_calibration_fail(c, CLUMP_CALIBRATION_FAILED, "stage %s: %s", name, why);
    return clump_calibration_fail(c, CLUMP_CALIBRATION_INTERRUPTED,
                                  "stopped in stage %s; %zu of %zu stages are complete%s", name,
                                  c->stages, c->stages_all, c->stages > 0 ? " and stored" : "");
}

/* ---- what follows from it */

bool clump_calibration_has_results(const clump_calibration *c)
{
    return c->samples.count > 0 && c->store.name[0] != '\0' && !c->store_failed;
}

bool clump_calibration_add_parameter(clump_calibration *c, clump_calibration_parameter parameter)
{
    clump_calibration_parameter *more =
        realloc(c->parameters, (c->parameter_count + 1) * sizeof *more);
    if (more == NULL)
        return false;
    c->parameters = more;
    c->parameters[c->parameter_count++] = parameter;
    return true;
}

/* "lock-free: latency, gap: not known, ..." */
static void warn_about_parameters(clump_calibration *c)
{
    char list[200] = "";
    size_t used = 0;
    const char *variant = NULL;
    for (size_t i = 0; i <= c->results.count; i++) {
        const clump_calibration_row *row = i < c->results.count ? &c->results.rows[i] : NULL;
        if (variant != NULL && (row == NULL || strcmp(row->variant, variant) != 0)) {
            clump_calibration_warn(c, "%s: %s not known: all runs that tell of it are doubtful",
                                   variant, list);
            variant = NULL;
        }
        if (row == NULL || !clump_calibration_is_parameter(row) || !isnan(row->mean))
            continue;
        used = variant == NULL ? 0 : used;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                                     clump_quantity_name(row->quantity));
        variant = row->variant;
    }
}

clump_calibration_status clump_calibration_derive_loggp(clump_calibration *c)
{
    clump_calibration_summarize(&c->samples, &c->results);
    warn_about_parameters(c);
    for (size_t i = 0; i < c->results.count && !c->results.failed; i++)
        if (clump_calibration_is_parameter(&c->results.rows[i]) && !isnan(c->results.rows[i].mean))
            c->results.failed = !clump_calibration_add_parameter(
                c, (clump_calibration_parameter){.variant = c->results.rows[i].variant,
                                                 .quantity = c->results.rows[i].quantity,
                                                 .value = c->results.rows[i].mean,
                                                 .half_width = c->results.rows[i].half_width});
    return c->results.failed ? clump_calibration_fail_memory(c) : CLUMP_CALIBRATION_OK;
}

clump_calibration_status clump_calibration_conclude(clump_calibration *c)
{
    const clump_calibration_status status =
        c->kind->derive != NULL ? c->kind->derive(c) : CLUMP_CALIBRATION_OK;
    if (status != CLUMP_CALIBRATION_OK)
        return status;
    const clump_store_status stored =
        clump_calibration_write_parameters(&c->store, c->parameters, c->parameter_count);
    return stored == CLUMP_STORE_OK ? CLUMP_CALIBRATION_OK
                                    : clump_calibration_fail_store(c, stored);
}

void clump_calibration_close(clump_calibration *c)
{
    clump_store_close(c->store.store);
    free(c->store.series);
    free(c->parameters);
    clump_calibration_free(&c->samples);
    clump_calibration_results_free(&c->results);
    if (c->kind->free != NULL)
        c->kind->free(c->own);
}
