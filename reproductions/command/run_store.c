/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/command/run_store.h"

#include "cli/output/errors.h"
#include "clumpmodel.h"
#include "reproductions/command/run_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 400, SOURCE = 201 };

typedef struct storing {
    const command_invocation *invocation;
    clump_store *store;
    const char *name;
    char input[TEXT]; /* what is run: the same for all runs of a name */
} storing;

/* "em3d-good nodes=2500 degree=20 remote=0.4 steps=20 wait=1, seed 1, 0.3877 us an operation" */
static void write_input(const clump_application_input *input, double operation_us, char text[TEXT])
{
    const clump_application *a = input->application;
    size_t used = (size_t)snprintf(text, TEXT, "%s", a->name);
    for (size_t i = 0; a->sizes[i].name != NULL && used < TEXT; i++)
        used += (size_t)snprintf(text + used, TEXT - used, " %s=%.9g", a->sizes[i].name,
                                 input->sizes[i]);
    if (used < TEXT)
        snprintf(text + used, TEXT - used, ", seed %llu, %.9g us an operation",
                 (unsigned long long)input->seed, operation_us);
}

static clump_store_status add_value(storing *s, const char *platform, const char *source,
                                    const char *transport, const char *quantity,
                                    const char *statistic, double value)
{
    int64_t id;
    clump_store_status status = clump_store_add_series(s->store,
                                                       &(clump_store_series){.platform = platform,
                                                                             .application = s->name,
                                                                             .quantity = quantity,
                                                                             .transport = transport,
                                                                             .statistic = statistic,
                                                                             .source = source},
                                                       &id);
    if (status == CLUMP_STORE_OK)
        status = clump_store_add_sample(
            s->store, id,
            &(clump_store_measurement){
                .value = value, .half_width = NAN, .std_dev = NAN, .size_bytes = -1});
    return status;
}

/* Least and greatest number of short messages to other nodes. */
static void find_ends(const clump_application_run *run, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (uint32_t r = 0; r < run->input->workers; r++) {
        const double count = (double)run->workers[r].traffic.short_remote.messages;
        *least = fmin(*least, count);
        *most = fmax(*most, count);
    }
}

static clump_store_status add_traffic(storing *s, const run_stored *r, const char *source,
                                      bool remote)
{
    const clump_traffic t = run_traffic(r->run, remote);
    const char *transport = remote ? "network" : "shared-memory";
    clump_store_status status =
        add_value(s, r->platform, source, transport, "short_messages", "mean", t.short_messages);
    if (status == CLUMP_STORE_OK && t.bulk_messages > 0)
        status =
            add_value(s, r->platform, source, transport, "bulk_messages", "mean", t.bulk_messages);
    if (status == CLUMP_STORE_OK && t.bulk_messages > 0)
        status = add_value(s, r->platform, source, transport, "bulk_message_size", "mean",
                           t.bulk_bytes / t.bulk_messages);
    if (status == CLUMP_STORE_OK && remote && t.short_messages > 0) {
        double least, most;
        find_ends(r->run, &least, &most);
        status = add_value(s, r->platform, source, transport, "short_messages", "min", least);
        if (status == CLUMP_STORE_OK)
            status = add_value(s, r->platform, source, transport, "short_messages", "max", most);
    }
    return status;
}

static clump_store_status add_run(storing *s, const run_stored *r, const char *source)
{
    clump_store_status status =
        add_value(s, r->platform, source, NULL, "execution_time", "mean", r->run->time_us / 1e6);
    if (status == CLUMP_STORE_OK)
        status = add_traffic(s, r, source, true);
    if (status == CLUMP_STORE_OK)
        status = add_traffic(s, r, source, false);
    return status;
}

/* The application, and what is known of how it waits. */
static clump_store_status add_application(storing *s, const clump_application_run *run,
                                          const char *source)
{
    char title[TEXT];
    const run_style style = run_style_of(run->input);
    snprintf(title, sizeof title, "%.200s, run in virtual time", run->input->application->title);
    clump_store_status status =
        clump_store_add_application(s->store, &(clump_store_application){.name = s->name,
                                                                         .title = title,
                                                                         .style = style.name,
                                                                         .source = source,
                                                                         .note = s->input});
    if (status == CLUMP_STORE_OK && style.exchange)
        status = add_value(s, NULL, source, NULL, "mutual_exchange", "single", 1);
    if (status == CLUMP_STORE_OK && style.lockstep)
        status = add_value(s, NULL, source, NULL, "lockstep_exchange", "single", 1);
    return status;
}

typedef struct earlier {
    bool found;
    double time_s;
} earlier;

static int take_earlier(const clump_store_sample *sample, void *context)
{
    earlier *e = context;
    e->found = true;
    e->time_s = sample->measured.value;
    return 1;
}

/* Whether this run is there; with another time it is not the same run. */
static int find_earlier(storing *s, const run_stored *r, bool *there)
{
    const char *command = s->invocation->arguments.command;
    earlier e = {.found = false};
    const clump_store_filter filter = {
        .platform = r->platform, .application = s->name, .quantity = "execution_time"};
    const clump_store_status status = clump_store_each_sample(s->store, &filter, take_earlier, &e);
    *there = e.found;
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_STOPPED &&
        status != CLUMP_STORE_NOT_FOUND)
        return error_store(command, s->store, status);
    if (e.found && fabs(e.time_s - r->run->time_us / 1e6) > 1e-9 * e.time_s)
        return error_input(command,
                           "--name: found application '%.100s' on %.80s with %.6g s, expected a "
                           "new name for a run with %.6g s, or 'data remove' first",
                           s->name, r->platform, e.time_s, r->run->time_us / 1e6);
    return EXIT_DONE;
}

/* Whether the application is there already, with the same input. */
static int find_application(storing *s, bool *there)
{
    const char *command = s->invocation->arguments.command;
    clump_store_application *found = NULL;
    const clump_store_status status = clump_store_find_application(s->store, s->name, &found);
    *there = status == CLUMP_STORE_OK;
    if (status == CLUMP_STORE_NOT_FOUND)
        return EXIT_DONE;
    if (status != CLUMP_STORE_OK)
        return error_store(command, s->store, status);
    const bool same = found->note != NULL && strcmp(found->note, s->input) == 0;
    clump_store_free(found);
    return same ? EXIT_DONE
                : error_input(command,
                              "--name: found application '%.100s', which is not '%.200s', expected "
                              "a new name, or 'data remove' first",
                              s->name, s->input);
}

/* A name that no source has: what was run, and where. */
static int add_source(storing *s, const run_stored *r, char name[SOURCE])
{
    const char *command = s->invocation->arguments.command;
    char title[TEXT + 100];
    for (int i = 1; i < 1000; i++) {
        clump_store_source *found = NULL;
        snprintf(name, SOURCE, i == 1 ? "run %.90s on %.80s" : "run %.90s on %.80s (%d)", s->name,
                 r->platform, i);
        const clump_store_status status = clump_store_find_source(s->store, name, &found);
        clump_store_free(found);
        if (status == CLUMP_STORE_NOT_FOUND)
            break;
        if (status != CLUMP_STORE_OK)
            return error_store(command, s->store, status);
    }
    snprintf(title, sizeof title, "A run of %.300s on %.80s in virtual time", s->input,
             r->platform);
    const clump_store_status status =
        clump_store_add_source(s->store, &(clump_store_source){.name = name,
                                                               .kind = "calibration",
                                                               .title = title,
                                                               .tool = "clumpmodel run",
                                                               .tool_version = CLUMPMODEL_VERSION});
    return status == CLUMP_STORE_OK ? EXIT_DONE : error_store(command, s->store, status);
}

static int store_one(storing *s, const run_stored *r)
{
    const char *command = s->invocation->arguments.command;
    char source[SOURCE];
    bool known, there = false;
    int code = find_application(s, &known);
    if (code == EXIT_DONE && known)
        code = find_earlier(s, r, &there);
    if (code != EXIT_DONE)
        return code;
    if (there) {
        if (!s->invocation->quiet)
            note_print(command, "application '%.100s' has this run on %.80s already", s->name,
                       r->platform);
        return EXIT_DONE;
    }
    code = add_source(s, r, source);
    if (code != EXIT_DONE)
        return code;
    clump_store_status status = known ? CLUMP_STORE_OK : add_application(s, r->run, source);
    if (status == CLUMP_STORE_OK)
        status = add_run(s, r, source);
    if (status != CLUMP_STORE_OK)
        return error_store(command, s->store, status);
    if (!s->invocation->quiet)
        note_print(command, "stored as application '%.100s' on %.80s", s->name, r->platform);
    return EXIT_DONE;
}

int run_store(const command_invocation *invocation, clump_store *store, const char *name,
              double operation_us, const run_stored *runs, size_t count)
{
    const char *command = invocation->arguments.command;
    storing s = {.invocation = invocation, .store = store, .name = name};
    write_input(runs[0].run->input, operation_us, s.input);
    const clump_store_status begun = clump_store_begin(store);
    int code = begun == CLUMP_STORE_OK ? EXIT_DONE : error_store(command, store, begun);
    for (size_t i = 0; i < count && code == EXIT_DONE; i++)
        code = store_one(&s, &runs[i]);
    if (code != EXIT_DONE) {
        clump_store_rollback(store);
        return code;
    }
    const clump_store_status done = clump_store_commit(store);
    return done == CLUMP_STORE_OK ? EXIT_DONE : error_store(command, store, done);
}
