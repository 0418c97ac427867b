/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recommend_recording.h"

#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/paragraph.h"
#include "recording/facts.h"

#include <sys/stat.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_folder(const char *name)
{
    struct stat about;
    return stat(name, &about) == 0 && S_ISDIR(about.st_mode);
}

static int read_folder(const command_invocation *invocation, const char *name,
                       recommend_recording *r)
{
    char message[CLUMP_FACTS_MESSAGE];
    const clump_facts_status status = clump_facts_of_recording(name, false, &r->facts, message);
    if (status == CLUMP_FACTS_OK)
        return EXIT_DONE;
    return status == CLUMP_FACTS_INPUT ? error_input(invocation->command->name, "%s", message)
                                       : error_failed(invocation->command->name, "%s", message);
}

static int read_stored(const command_invocation *invocation, clump_store *store, const char *name,
                       recommend_recording *r)
{
    const clump_store_status status = clump_store_find_facts(store, name, &r->facts);
    if (status == CLUMP_STORE_FAILED)
        return error_failed(invocation->command->name, "%s", clump_store_message(store));
    if (status == CLUMP_STORE_OK && r->facts != NULL)
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
                         const char *platform, recommend_recording *r, clump_loggp protocols[2],
                         clump_recorded_options *options)
{
    clump_store_platform *record = NULL;
    const char *command = invocation->command->name;
    const clump_store_status status = clump_store_find_platform(store, platform, &record);
    if (status != CLUMP_STORE_OK)
        return status == CLUMP_STORE_FAILED
                   ? error_failed(command, "%s", clump_store_message(store))
                   : error_usage(command, "--platform: %s", clump_store_message(store));
    if (r->processors == 0)
        r->processors = (size_t)record->processors;
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

/* A network on which the messages take as long as they took, by their bytes. */
static int guess_network(const command_invocation *invocation, recommend_recording *r,
                         clump_loggp protocols[2], clump_recorded_options *options)
{
    const char *command = invocation->command->name;
    const clump_facts *facts = r->facts;
    double transferring = 0, unit = 0;
    clump_error error;
    const size_t missing = clump_facts_missing_ranks(facts);
    for (size_t i = 0; i < facts->rank_count; i++)
        transferring += 1e6 * facts->ranks[i].transferring;
    if (missing > 0)
        return error_usage(command,
                           "--platform is missing, expected --platform NAME with the LogGP "
                           "parameters of the network: nothing was recorded of %zu of %zu ranks, "
                           "and what the others took does not tell the network's time",
                           missing, facts->rank_count);
    if (facts->node_count < facts->rank_count || facts->rank_count < 2 || !(transferring > 0))
        return error_usage(
            command,
            "--platform is missing, expected --platform NAME with the LogGP parameters of the "
            "network: a recording %s",
            facts->node_count == 1 ? "on one node knows no network"
            : transferring > 0 ? "whose ranks shared nodes does not tell the network's time alone"
                               : "without a trace does not tell what transfers take");
    protocols[0] = (clump_loggp){.latency_us = 1e-9, .gap_us = 1e-9, .gap_us_per_byte = 1};
    options->network = options->shared_memory = &protocols[0];
    options->recorded_here = false;
    clump_recorded program;
    clump_placed_style *styles = malloc(facts->rank_count * sizeof *styles);
    clump_placed_rank *ranks = malloc(facts->rank_count * sizeof *ranks);
    clump_status status = styles != NULL && ranks != NULL
                              ? clump_recorded_make(facts, options, r->arena, &program, &error)
                              : clump_fail_memory(&error, "the ranks of a recording");
    for (size_t i = 0; i < facts->rank_count && status == CLUMP_OK; i++)
        styles[i] = program.rank[i].style;
    if (status == CLUMP_OK)
        status = clump_placed_compute(program.messages, program.message_count, program.ranks, 1,
                                      &protocols[0], NULL, styles, ranks, &error);
    for (size_t i = 0; i < facts->rank_count && status == CLUMP_OK; i++)
        unit += ranks[i].now_us;
    free(styles);
    free(ranks);
    if (status != CLUMP_OK)
        return status == CLUMP_NO_MEMORY ? error_failed(command, "%s", error.message)
                                         : error_input(command, "%s", error.message);
    if (!(unit > 0))
        return error_input(command, "the recording has no messages, expected some");
    protocols[0].gap_us_per_byte = transferring / unit;
    protocols[1] = protocols[0];
    options->shared_memory = &protocols[1];
    options->recorded_here = true;
    return EXIT_DONE;
}

int recommend_recording_open(const command_invocation *invocation, const char *name,
                             const char *platform, bool recorded_here, clump_rank_order order,
                             double stripe_bytes, size_t processors, recommend_recording *r)
{
    clump_store *store = NULL;
    clump_loggp protocols[2];
    clump_recorded_options options = {.network = NULL,
                                      .recorded_here = recorded_here,
                                      .stripe_bytes = stripe_bytes,
                                      .order = order};
    clump_error error;
    const char *command = invocation->command->name;
    *r = (recommend_recording){.arena = clump_arena_new(), .processors = processors};
    if (r->arena == NULL)
        return error_failed(command, "out of memory");
    const bool folder = is_folder(name);
    int status = folder ? read_folder(invocation, name, r) : EXIT_DONE;
    if (status == EXIT_DONE && (!folder || platform != NULL))
        status = database_open(invocation, &store);
    if (status == EXIT_DONE && !folder)
        status = read_stored(invocation, store, name, r);
    if (status == EXIT_DONE)
        status = platform != NULL
                     ? read_platform(invocation, store, platform, r, protocols, &options)
                     : guess_network(invocation, r, protocols, &options);
    clump_store_close(store);
    if (status != EXIT_DONE)
        return status;
    if (r->processors == 0)
        return error_usage(command, "--processors is missing, expected --processors P");
    clump_status made = clump_recorded_make(r->facts, &options, r->arena, &r->program, &error);
    if (made == CLUMP_OK && platform == NULL)
        clump_recorded_note(&r->program, r->arena,
                            "No platform was named: the network is that of the recording, %.4g "
                            "MB/s for each rank, and messages within a node are taken to cost as "
                            "much.",
                            1 / protocols[0].gap_us_per_byte);
    if (made == CLUMP_OK && processors == 0)
        clump_recorded_note(&r->program, r->arena,
                            "Nodes are taken to have %zu processor%s, as those of '%.200s' "
                            "(--processors).",
                            r->processors, r->processors == 1 ? "" : "s", platform);
    if (made == CLUMP_OK)
        made = clump_recorded_place(&r->program, r->processors, r->arena, &r->placed, &error);
    if (made == CLUMP_OK)
        return EXIT_DONE;
    return made == CLUMP_NO_MEMORY ? error_failed(command, "%s", error.message)
                                   : error_usage(command, "%s", error.message);
}

double recommend_recording_longest(const recommend_recording *r)
{
    double longest = 0;
    for (size_t i = 0; i < r->program.message_count; i++) {
        const clump_placed_messages *m = &r->program.messages[i];
        longest = m->messages > 0 ? fmax(longest, m->bytes / m->messages) : longest;
    }
    return longest;
}

void recommend_recording_close(recommend_recording *r)
{
    clump_facts_free(r->facts);
    clump_arena_free(r->arena);
    r->facts = NULL;
    r->arena = NULL;
}

/* ---- in words */

static void print_sentence(const char *text)
{
    printf("  ");
    paragraph_print(text, 2, 4, 80);
}

static void print_gangs(const recommend_recording *r)
{
    const clump_recorded_gangs *g = &r->placed.gangs;
    char text[700], verdict[160] = "";
    if (r->processors < 2)
        return;
    if (!g->known) {
        print_sentence("Who communicates together is not known. All are taken to do so at once, as "
                       "measured programs did that synchronize; the intervals below reach down to "
                       "independent demand.");
        return;
    }
    if (isnan(g->low))
        snprintf(
            text, sizeof text,
            "Ranks communicate together like gangs of %.3g of %zu; without a trace there is no "
            "interval for it.",
            g->size, r->processors);
    else {
        if (g->ratio < 1 && g->rejects_independent)
            snprintf(verdict, sizeof verdict,
                     ": less than chance brings together, as if they took turns");
        else
            snprintf(verdict, sizeof verdict, ": %s",
                     g->rejects_independent && g->rejects_correlated
                         ? "neither independent nor all at once"
                     : g->rejects_independent ? "not independent, but perhaps all at once"
                     : g->rejects_correlated  ? "perhaps independent, but not all at once"
                                              : "too little was recorded to tell");
        snprintf(text, sizeof text,
                 "Ranks communicate together like gangs of %.3g of %zu, 90%% between %.3g and %.3g "
                 "by some %.0f independent observations%s%s.",
                 g->size, r->processors, g->low, g->high, fmax(g->observations, 0),
                 strcmp(g->doing, "transferring") == 0
                     ? ""
                     : " of ranks inside MPI, waiting for partners included",
                 verdict);
    }
    print_sentence(text);
}

void recommend_recording_print(const recommend_recording *r)
{
    const clump_recorded_placed *p = &r->placed;
    const clump_facts *facts = r->facts;
    char text[700];
    puts("\nWhat was recorded");
    snprintf(
        text, sizeof text,
        "%s%zu rank%s on %zu node%s for %.4g s. With a NIC for each rank it takes %.4g s on "
        "this network; on the node of the rank that is last ranks communicate %.1f%% of that, and "
        "%.0f%% of the communication leaves the node.",
        facts->program != NULL ? "" : "A program: ", facts->rank_count,
        facts->rank_count == 1 ? "" : "s", facts->node_count, facts->node_count == 1 ? "" : "s",
        facts->wall, p->now_s, 100 * p->utilization, 100 * p->remote_fraction);
    char named[1000];
    snprintf(named, sizeof named, "%.200s%s%s", facts->program != NULL ? facts->program : "",
             facts->program != NULL ? ": " : "", text);
    print_sentence(named);
    snprintf(text, sizeof text,
             "A rank keeps %.3g NIC%s busy at a time, by the messages that it has on their way.",
             p->most_nics, p->most_nics > 1 ? "s" : "");
    print_sentence(text);
    print_gangs(r);
    if (p->left_over > 0) {
        snprintf(text, sizeof text,
                 "%zu rank%s %s left over on a node that is not full, which is not predicted.",
                 p->left_over, p->left_over == 1 ? "" : "s", p->left_over == 1 ? "is" : "are");
        print_sentence(text);
    }
    for (size_t i = 0; i < r->program.note_count; i++)
        print_sentence(r->program.notes[i]);
}
