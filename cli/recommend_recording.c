/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recommend_parts.h"

#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/paragraph.h"
#include "cli/recording/recording_open.h"

#include <stdio.h>
#include <stdlib.h>

static int read_stored(const command_invocation *invocation, clump_store *store, const char *name,
                       clump_recorded_run **run)
{
    const clump_store_status status = clump_store_find_run(store, name, run);
    if (status == CLUMP_STORE_FAILED)
        return error_failed(invocation->command->name, "%s", clump_store_message(store));
    if (status == CLUMP_STORE_OK && *run != NULL)
        return EXIT_DONE;
    return error_usage(invocation->command->name,
                       "--recording: found '%s', expected a folder that was recorded into, or an "
                       "application of which a recording was imported",
                       name);
}

/* As scenarios read it: of the layer for both protocols, else the only one. */
static bool read_protocol(clump_store *store, const char *platform, const char *transport,
                          clump_loggp *loggp)
{
    double values[CLUMP_LOGGP_QUANTITIES];
    for (size_t i = 0; i < CLUMP_LOGGP_QUANTITIES; i++) {
        clump_store_filter filter = {.platform = platform,
                                     .application = "",
                                     .transport = transport,
                                     .quantity = clump_loggp_quantities[i],
                                     .variant = CLUMP_STORE_PREFERRED_VARIANT,
                                     .sure = true};
        clump_store_measurement measured;
        clump_store_status status = clump_store_value(store, &filter, &measured);
        filter.variant = NULL;
        if (status == CLUMP_STORE_NOT_FOUND)
            status = clump_store_value(store, &filter, &measured);
        if (status != CLUMP_STORE_OK)
            return false;
        values[i] = measured.value;
    }
    *loggp = clump_loggp_of(values);
    return true;
}

/* Its two protocols, and the processors of its nodes. */
static int read_platform(const command_invocation *invocation, clump_store *store,
                         const char *platform, size_t *processors, clump_loggp protocols[2],
                         clump_recorded_options *options)
{
    clump_store_platform *record = NULL;
    const char *command = invocation->command->name;
    const clump_store_status status = clump_store_find_platform(store, platform, &record);
    if (status != CLUMP_STORE_OK)
        return status == CLUMP_STORE_FAILED
                   ? error_failed(command, "%s", clump_store_message(store))
                   : error_usage(command, "--platform: %s", clump_store_message(store));
    if (*processors == 0)
        *processors = (size_t)record->processors;
    clump_store_free(record);
    if (!read_protocol(store, platform, "network", &protocols[0]))
        return error_usage(
            command,
            "--platform: the LogGP parameters of the network of '%s' are needed: %s. "
            "'clumpmodel fit loggp --name NAME' makes a platform that has them",
            platform, clump_store_message(store));
    options->network = &protocols[0];
    if (read_protocol(store, platform, "shared-memory", &protocols[1]))
        options->shared_memory = &protocols[1];
    return EXIT_DONE;
}

static int make(const command_invocation *invocation, const recommend_recording_question *q,
                const clump_recorded_options *options, size_t processors, recommend_recording *r)
{
    const char *command = invocation->command->name;
    clump_error error;
    clump_status made = clump_recorded_make(r->kept, options, r->arena, &r->program, &error);
    if (made == CLUMP_OK && q->processors == 0)
        clump_recorded_note(&r->program, r->arena,
                            "Nodes are taken to have %zu processor%s, as those of '%.200s' "
                            "(--processors).",
                            processors, processors == 1 ? "" : "s", q->platform);
    if (made == CLUMP_OK)
        made = clump_recorded_place(&r->program, processors, &r->placed, &error);
    if (made == CLUMP_OK)
        return EXIT_DONE;
    return made == CLUMP_NO_MEMORY ? error_failed(command, "%s", error.message)
                                   : error_usage(command, "%s", error.message);
}

int recommend_recording_open(const command_invocation *invocation,
                             const recommend_recording_question *q, recommend_recording *r)
{
    clump_store *store = NULL;
    clump_recorded_run *run = NULL;
    clump_loggp protocols[2];
    clump_recorded_options options = {.stripe_bytes = q->stripe_bytes};
    const run_choices folder = {.most_operations = q->most_operations};
    size_t processors = q->processors;
    const char *command = invocation->command->name;
    *r = (recommend_recording){.arena = clump_arena_new()};
    if (r->arena == NULL)
        return error_memory(command);
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = recording_is_folder(q->name)
                     ? recording_read_run(command, "recording", q->name, &folder, &run)
                     : read_stored(invocation, store, q->name, &run);
    if (status == EXIT_DONE && clump_recorded_kept_add(&r->kept, run) == NULL)
        status = error_memory(command);
    if (status == EXIT_DONE)
        status = read_platform(invocation, store, q->platform, &processors, protocols, &options);
    clump_store_close(store);
    return status == EXIT_DONE ? make(invocation, q, &options, processors, r) : status;
}

void recommend_recording_close(recommend_recording *r)
{
    clump_recorded_kept_free(r->kept);
    clump_arena_free(r->arena);
    *r = (recommend_recording){.kept = NULL};
}

/* ---- in words */

void recommend_recording_print(const recommend_recording *r)
{
    const clump_recorded *p = &r->program;
    const clump_recorded_run *run = p->kept->run;
    char wall[60] = "";
    puts("\nWhat was recorded");
    if (run->wall > 0)
        snprintf(wall, sizeof wall, " for %.4g s", run->wall);
    paragraph_item(
        "%.200s: %zu rank%s on %lld node%s%s. With a NIC for each rank it takes %.4g s on this "
        "network; %.0f%% of its bytes leave a node of %zu processor%s.",
        run->program != NULL ? run->program : "A program", p->ranks, p->ranks == 1 ? "" : "s",
        (long long)run->nodes, run->nodes == 1 ? "" : "s", wall, clump_recorded_now_s(p),
        100 * r->placed.remote_fraction, r->placed.processors,
        r->placed.processors == 1 ? "" : "s");
    for (size_t i = 0; i < p->note_count; i++)
        paragraph_item("%s", p->notes[i]);
}
