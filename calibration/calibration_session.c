/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/calibration_session.h"

#include "cli/database.h"
#include "cli/output/errors.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ^C and the like end a stage in order */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[SIGNALS];
static volatile sig_atomic_t stop_wanted;

static void on_signal(int number)
{
    (void)number;
    stop_wanted = 1;
}

void calibration_show_command(const command_invocation *invocation, bool (*skip)(size_t option),
                              char *text, size_t size)
{
    const command_line *a = &invocation->arguments;
    size_t used = (size_t)snprintf(text, size, "clumpmodel %s", invocation->command->name);
    for (size_t i = 0; i < a->given_count && used < size; i++) {
        const given_option *given = &a->given[i];
        if (!skip(given->option))
            used += (size_t)snprintf(text + used, size - used, " --%s%s%.100s",
                                     invocation->command->options[given->option].name,
                                     given->value[0] != '\0' ? " " : "", given->value);
    }
}

/* ---- measuring */

static bool take_sample(const clump_calibration_sample *sample, void *context)
{
    clump_calibration_session *s = context;
    clump_measured_sample own = {.variant = sample->variant != NULL ? sample->variant : s->variant,
                                 .transport = sample->transport,
                                 .benchmark = sample->benchmark,
                                 .quantity = sample->quantity,
                                 .value = sample->value,
                                 .disturbed = sample->disturbed,
                                 .line_us = sample->line_us,
                                 .delay_us = sample->delay_us,
                                 .size_bytes = sample->size_bytes,
                                 .run = sample->run,
                                 .iterations = sample->iterations,
                                 .window = sample->window,
                                 .processes = sample->processes};
    snprintf(own.setting, sizeof own.setting, "%s", sample->setting);
    s->no_memory = !clump_calibration_add(&s->samples, &own);
    return s->no_memory;
}

static bool watch(double share, void *context)
{
    clump_calibration_session *s = context;
    progress_update(&s->progress, (size_t)(1000 * (s->done + share * s->weight)),
                    (size_t)(1000 * s->estimate) + 1);
    return stop_wanted != 0;
}

int clump_calibration_open(clump_calibration_session *s, const char *platform, const char *what,
                           const char *kind, bool (*skip)(size_t option))
{
    const measured_machine *m = &s->machine;
    const int status = database_create(s->invocation, &s->store.store);
    if (status != EXIT_DONE)
        return status;
    calibration_show_command(s->invocation, skip, s->shown, sizeof s->shown);
    snprintf(s->title, sizeof s->title, "%.60s on %s", what, m->slug);
    snprintf(s->platform_title, sizeof s->platform_title, "%.100s, %u processors",
             m->model[0] != '\0' ? m->model : "One machine", m->processors);
    s->store.source = (clump_calibration_source){.platform = platform != NULL ? platform : m->slug,
                                                 .platform_title = s->platform_title,
                                                 .processors = m->processors,
                                                 .transport = "shared-memory",
                                                 .title = s->title,
                                                 .command = s->shown,
                                                 .note = m->facts,
                                                 .kind = kind};
    if (!s->invocation->quiet)
        machine_warn(m, s->command, s->plan.processes);
    return EXIT_DONE;
}

void clump_calibration_begin(clump_calibration_session *s)
{
    struct sigaction now = {.sa_handler = on_signal};
    sigemptyset(&now.sa_mask);
    stop_wanted = 0;
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &now, &before[i]);
    s->plan.sample = take_sample;
    s->plan.watch = watch;
    s->plan.context = s;
    progress_start(&s->progress, s->invocation->quiet);
}

static int store_stage(clump_calibration_session *s, size_t first)
{
    clump_calibration_doubt(&s->samples, first, &s->speed);
    const clump_store_status status = clump_calibration_write(&s->store, &s->samples, first);
    if (status == CLUMP_STORE_OK)
        return EXIT_DONE;
    progress_clear(&s->progress);
    s->store_failed = true;
    return status == CLUMP_STORE_STOPPED ? error_memory(s->command)
                                         : error_store(s->command, s->store.store, status);
}

int clump_calibration_session_stage(clump_calibration_session *s, const char *name, double seconds,
                                    clump_protocol_status (*run)(const clump_calibration_plan *plan,
                                                                 const void *context,
                                                                 char *message),
                                    const void *context)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    const size_t first = s->samples.count;
    s->weight = seconds;
    const clump_protocol_status ran = run(&s->plan, context, message);
    s->done += s->weight;
    if (s->no_memory)
        return error_memory(s->command);
    if (ran == CLUMP_PROTOCOL_OK) {
        s->stages++;
        return store_stage(s, first);
    }
    s->samples.count = first;
    progress_clear(&s->progress);
    if (stop_wanted)
        return error_failed(s->command, "stopped in stage %s; %zu of %zu stages are complete%s",
                            name, s->stages, s->stages_all, s->stages > 0 ? " and stored" : "");
    return error_failed(s->command, "stage %s: %s", name, message);
}

void clump_calibration_end(clump_calibration_session *s)
{
    progress_clear(&s->progress);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
    if (s->invocation->quiet)
        return;
    if (s->speed.disturbed > 0)
        note_print(s->command,
                   "other programs took a processor away from %zu of %zu samples, each time they "
                   "were tried; they are stored as doubtful",
                   s->speed.disturbed, s->samples.count);
    if (s->speed.other > 0)
        note_print(
            s->command,
            "in %zu of %zu runs a bare cache line took %.0f ns instead of %.0f: the "
            "machine changed its speed or was busy; those runs are stored as doubtful and not in "
            "the means",
            s->speed.other, s->speed.runs, 1000 * s->speed.other_us, 1000 * s->speed.usual_us);
}

void clump_calibration_finish(clump_calibration_session *s)
{
    clump_store_close(s->store.store);
    free(s->store.series);
    clump_calibration_free(&s->samples);
}
