/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/calibration_plot.h"
#include "cli/calibration_results.h"
#include "cli/calibration_session.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/errors.h"
#include "cli/udp_server.h"
#include "protocols/calibration_network.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of calibrations, unless the user chooses another. */
#define DEFAULT_TAG UINT64_C(0x43616c6962)
#define MOST_LOSS 0.001 /* that can be in a mean without a warning */

enum {
    PEER,
    LOCAL,
    LISTEN,
    ONCE,
    PROTOCOL,
    QUICK,
    FULL,
    RUNS,
    STAGES,
    TAG,
    PATIENCE,
    PLATFORM,
    PLOT,
    PLOT_SCRIPT,
    OPTION_COUNT
};

static const clump_cli_option options[OPTION_COUNT] = {
    [PEER] = {.name = "peer",
              .argument = "HOST:PORT",
              .help = "measure to the server that listens there"},
    [LOCAL] = {.name = "local",
               .help = "measure over loopback, with a server of its own (default)"},
    [LISTEN] = {.name = "listen",
                .argument = "[HOST:]PORT",
                .help = "be the server, until ^C (HOST is 127.0.0.1 unless given;\n"
                        "port 0: any, which is told on stderr)"},
    [ONCE] = {.name = "once", .help = "with --listen: end after one client"},
    [PROTOCOL] = {.name = "protocol",
                  .argument = "am2|l-hrx|ssam",
                  .help = "what makes messages arrive (default am2)"},
    [QUICK] = {.name = "quick", .help = "10 short runs: seconds, wide intervals"},
    [FULL] = {.name = "full", .help = "100 long runs: minutes"},
    [RUNS] = {.name = "runs", .argument = "NUMBER", .help = "2 to 1000 instead of 30, 10 or 100"},
    [STAGES] = {.name = "stages", .argument = "LIST", .help = "of loggp, sizes (default: both)"},
    [TAG] = {.name = "tag",
             .argument = "NUMBER",
             .help = "whole, above 0; a server serves those that give its own"},
    [PATIENCE] = {.name = "patience",
                  .argument = "SECONDS",
                  .help = "silence after which the other end counts as gone\n"
                          "(default 5)"},
    [PLATFORM] = {.name = "platform",
                  .argument = "NAME",
                  .help = "name in the data base for this machine, or for it and the\n"
                          "server's (default: from their processors)"},
    [PLOT] = CLUMP_CLI_PLOT_OPTION,
    [PLOT_SCRIPT] = CLUMP_CLI_PLOT_SCRIPT_OPTION,
};

typedef struct calibration {
    clump_cli_calibration_session session; /* first: callbacks get its address */
    clump_network_plan plan;
    clump_network_losses losses;
    const char *listen, *platform;
    char listen_text[300];
    size_t stored; /* samples */
    int database_status;
    bool remote;   /* the server is not ours */
    unsigned runs; /* that are complete */
    clump_calibration_welcome server;
    char shown[400], name[140], name_title[300], note[500], title[100];
    clump_cli_plot_request plot;
} calibration;

/* ---- what the user wants */

static int read_role(calibration *c, const clump_cli_arguments *a)
{
    const unsigned roles = (unsigned)clump_cli_option_given(a, PEER) +
                           (unsigned)clump_cli_option_given(a, LOCAL) +
                           (unsigned)clump_cli_option_given(a, LISTEN);
    const char *listen = clump_cli_option_value(a, LISTEN);
    c->plan.peer = clump_cli_option_value(a, PEER);
    c->remote = c->plan.peer != NULL;
    if (roles > 1)
        return clump_cli_error_usage(a->command,
                                     "found %u of --peer, --local and --listen, "
                                     "expected one of them",
                                     roles);
    if (c->plan.peer != NULL && strchr(c->plan.peer, ':') == NULL)
        return clump_cli_option_refuse(a, PEER, c->plan.peer, "HOST:PORT of a server");
    if (clump_cli_option_given(a, ONCE) && listen == NULL)
        return clump_cli_error_usage(a->command, "found --once without --listen, expected both");
    if (listen == NULL)
        return CLUMP_CLI_DONE;
    static const size_t not_for_servers[] = {PROTOCOL, QUICK, FULL,       RUNS,
                                             PLATFORM, PLOT,  PLOT_SCRIPT};
    for (size_t i = 0; i < sizeof not_for_servers / sizeof *not_for_servers; i++)
        if (clump_cli_option_given(a, not_for_servers[i]))
            return clump_cli_error_usage(a->command,
                                         "found --%s with --listen, expected it on the side that "
                                         "measures",
                                         options[not_for_servers[i]].name);
    const bool port_only = listen[0] != '\0' && strspn(listen, "0123456789") == strlen(listen);
    (void)snprintf(c->listen_text, sizeof c->listen_text, "%s%.250s", port_only ? "127.0.0.1:" : "",
                   listen);
    c->listen = c->listen_text;
    return strchr(c->listen, ':') != NULL
               ? CLUMP_CLI_DONE
               : clump_cli_option_refuse(a, LISTEN, listen, "PORT or HOST:PORT");
}

static int read_protocol(calibration *c, const clump_cli_arguments *a)
{
    static const char *const protocols[] = {"am2", "l-hrx", "ssam"};
    const char *wanted = clump_cli_option_value(a, PROTOCOL);
    c->plan.carrier = protocols[0];
    for (size_t i = 0; i < 3 && wanted != NULL; i++)
        if (strcmp(wanted, protocols[i]) == 0) {
            c->plan.carrier = protocols[i];
            return CLUMP_CLI_DONE;
        }
    return wanted == NULL ? CLUMP_CLI_DONE
                          : clump_cli_option_refuse(a, PROTOCOL, wanted, "am2, l-hrx or ssam");
}

static int read_stages(calibration *c, const clump_cli_arguments *a)
{
    const char *list = clump_cli_option_value(a, STAGES);
    c->plan.loggp = c->plan.sizes = list == NULL;
    for (const char *at = list; at != NULL; at = *at == ',' ? at + 1 : NULL) {
        const size_t size = strcspn(at, ",");
        const bool loggp = size == 5 && strncmp(at, "loggp", 5) == 0;
        if (!loggp && !(size == 5 && strncmp(at, "sizes", 5) == 0))
            return clump_cli_option_refuse(a, STAGES, list, "loggp, sizes or both with a comma");
        c->plan.loggp |= loggp;
        c->plan.sizes |= !loggp;
        at += size;
    }
    return CLUMP_CLI_DONE;
}

static int read_options(calibration *c)
{
    const clump_cli_arguments *a = &c->session.invocation->arguments;
    const bool quick = clump_cli_option_given(a, QUICK), full = clump_cli_option_given(a, FULL);
    static const clump_cli_range seconds = {
        .least = 0.1, .most = 3600, .expected = "a number of seconds from 0.1 to 3600"};
    uint64_t runs = quick ? 10 : full ? 100 : 30, tag = DEFAULT_TAG;
    double patience = 5;
    if (quick && full)
        return clump_cli_error_usage(a->command, "found --quick and --full, expected one of them");
    int status = read_role(c, a);
    if (status == CLUMP_CLI_DONE)
        status = read_protocol(c, a);
    if (status == CLUMP_CLI_DONE)
        status = read_stages(c, a);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_whole(a, RUNS, 2, 1000, "a whole number from 2 to 1000", &runs);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_whole(a, TAG, 1, UINT64_MAX - 1,
                                        "a whole number from 1 to 18446744073709551614", &tag);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_real(a, PATIENCE, &seconds, &patience);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_plot_request_read(a, PLOT, PLOT_SCRIPT, &c->plot);
    c->platform = clump_cli_option_value(a, PLATFORM);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_calibration_platform(a->command, c->platform);
    c->plan.runs = (unsigned)runs;
    c->plan.effort = quick ? 1 : full ? 10 : 4;
    c->plan.tag = tag;
    c->plan.patience_ms = (uint32_t)(1000 * patience);
    return status;
}

/* Figures do not depend on these, and addresses are nobody's business. */
static bool not_shown(size_t option)
{
    return option == PEER || option == TAG || option == PLATFORM || option == PLOT ||
           option == PLOT_SCRIPT;
}

/* ---- measuring */

/* What is stored with the samples, as soon as it is known who serves. */
static void name_source(calibration *c)
{
    const clump_cli_machine *m = &c->session.machine;
    const bool remote = c->remote && c->server.machine[0] != '\0';
    const char *model = m->model[0] != '\0' ? m->model : "One machine";
    clump_cli_calibration_show_command(c->session.invocation, not_shown, c->shown,
                                       sizeof c->shown - 20);
    if (remote)
        strcat(c->shown, " --peer HOST:PORT");
    (void)snprintf(c->title, sizeof c->title, "Network protocol %s, %s", c->plan.carrier,
                   remote ? "two machines" : "loopback");
    (void)snprintf(c->name, sizeof c->name, "%.60s%s%.60s", m->slug, remote ? "-to-" : "",
                   remote ? c->server.machine : "");
    (void)snprintf(c->name_title, sizeof c->name_title, "%.100s, %u processors%s%.60s", model,
                   m->processors, remote ? ", and " : "", remote ? c->server.machine : "");
    (void)snprintf(c->note, sizeof c->note, "%.300s; %s%.60s", m->facts,
                   remote ? "the server on " : "over loopback", remote ? c->server.machine : "");
    c->session.store.source =
        (clump_cli_calibration_source){.platform = c->platform != NULL ? c->platform : c->name,
                                       .platform_title = c->name_title,
                                       .nodes = remote ? 2 : 1,
                                       .processors = m->processors,
                                       .transport = "udp",
                                       .title = c->title,
                                       .command = c->shown,
                                       .note = c->note,
                                       .kind = "calibrate udp"};
}

/* Before anything is measured: whether it can be stored. Not earlier: a peer that is not there
 * leaves no data base behind. */
static bool on_welcome(const clump_calibration_welcome *welcome, void *context)
{
    calibration *c = context;
    c->server = *welcome;
    name_source(c);
    c->database_status = clump_cli_database_create(c->session.invocation, &c->session.store.store);
    return c->database_status != CLUMP_CLI_DONE;
}

/* Store what is there: a part of a run, too, if no more of it will come. */
static bool store_samples(calibration *c)
{
    clump_cli_calibration_session *s = &c->session;
    clump_cli_calibration_doubt(&s->samples, c->stored, &s->speed);
    const clump_store_status status =
        clump_cli_calibration_write(&s->store, &s->samples, c->stored);
    if (status != CLUMP_STORE_OK) {
        clump_cli_progress_clear(&s->progress);
        s->store_failed = true;
        (void)(status == CLUMP_STORE_STOPPED
                   ? clump_cli_error_memory(s->command)
                   : clump_cli_error_store(s->command, s->store.store, status));
    }
    c->stored = s->samples.count;
    return !s->store_failed;
}

static bool on_run_end(unsigned run, void *context)
{
    calibration *c = context;
    c->runs = run;
    return !store_samples(c);
}

static int tell_failure(calibration *c, clump_protocol_status status, const char *message)
{
    const char *command = c->session.command;
    char kept[80] = "";
    if (c->database_status != CLUMP_CLI_DONE)
        return c->database_status;
    if (c->session.store_failed)
        return CLUMP_CLI_FAILED;
    if (c->session.no_memory)
        return clump_cli_error_memory(command);
    if (c->session.samples.count > 0)
        (void)snprintf(kept, sizeof kept, "; %u of %u runs are complete, %zu samples are kept",
                       c->runs, c->plan.runs, c->session.samples.count);
    if (status == CLUMP_PROTOCOL_BAD_INPUT)
        return clump_cli_error_input(command, "%s", message);
    return clump_cli_error_failed(
        command, "%s%s%s", message,
        status == CLUMP_PROTOCOL_NOT_FOUND && c->remote
            ? "; is 'clumpmodel calibrate udp --listen' running there, and does a firewall let UDP "
              "pass?"
        : status == CLUMP_PROTOCOL_BAD_TAG ? "; give both sides the same --tag"
                                           : "",
        kept);
}

static int measure(calibration *c)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_cli_calibration_session *s = &c->session;
    clump_cli_calibration_begin(s);
    s->estimate = s->weight = 1; /* the share is all that is known */
    c->plan.welcome = on_welcome;
    c->plan.sample = s->plan.sample;
    c->plan.run_ends = on_run_end;
    c->plan.watch = s->plan.watch;
    c->plan.context = s;
    const clump_protocol_status status = clump_network_calibrate(&c->plan, &c->losses, message);
    if (!s->store_failed && !s->no_memory && s->samples.count > c->stored)
        (void)store_samples(c);
    clump_cli_calibration_end(s);
    return status == CLUMP_PROTOCOL_OK && !s->store_failed ? CLUMP_CLI_DONE
                                                           : tell_failure(c, status, message);
}

/* ---- the answer */

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void warn_about_loss(const calibration *c)
{
    const clump_network_losses *l = &c->losses;
    const double lost = share(l->sent_lost + l->returned_lost, l->sent + l->returned);
    if (!c->session.invocation->quiet && lost > MOST_LOSS)
        (void)clump_cli_error_failed(c->session.command,
                                     "warning: %.2g%% of the datagrams were lost: the times are "
                                     "means that contain waiting until packets were sent again",
                                     100 * lost);
}

static int print(calibration *c, const clump_cli_calibration_results *results)
{
    const clump_cli_invocation *invocation = c->session.invocation;
    const clump_network_losses *l = &c->losses;
    clump_cli_field fields[] = {{.key = "platform"},
                                {.key = "source"},
                                {.key = "machine"},
                                {.key = "server"},
                                {.key = "samples"},
                                {.key = "disturbed_samples"},
                                {.key = "runs_complete"},
                                {.key = "datagrams_sent"},
                                {.key = "datagrams_sent_lost"},
                                {.key = "datagrams_back"},
                                {.key = "datagrams_back_lost"},
                                {.key = "packets_resent"}};
    clump_cli_cell_text(&fields[0].value, c->session.store.source.platform);
    clump_cli_cell_text(&fields[1].value, c->session.store.name);
    clump_cli_cell_text(&fields[2].value, c->session.machine.facts);
    clump_cli_cell_text(&fields[3].value, c->server.machine);
    const size_t numbers[] = {c->session.samples.count,
                              c->session.speed.disturbed,
                              c->runs,
                              l->sent,
                              l->sent_lost,
                              l->returned,
                              l->returned_lost,
                              l->resent};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        clump_cli_cell_size(&fields[4 + i].value, numbers[i]);
    const int status = clump_cli_calibration_print(invocation->format, results, fields,
                                                   sizeof fields / sizeof *fields);
    if (status != CLUMP_CLI_DONE || invocation->format != CLUMP_CLI_TABLE)
        return status;
    if (l->sent > 0)
        (void)printf("\n%" PRIu64 " of %" PRIu64 " datagrams to the server were lost (%.3g%%), "
                     "%" PRIu64 " of %" PRIu64 " on the way back (%.3g%%); %" PRIu64
                     " packets were sent again.\n",
                     l->sent_lost, l->sent, 100 * share(l->sent_lost, l->sent), l->returned_lost,
                     l->returned, 100 * share(l->returned_lost, l->returned), l->resent);
    (void)printf("%s%zu samples are stored as platform '%s', source '%s'.\n",
                 l->sent > 0 ? "" : "\n", c->session.samples.count,
                 c->session.store.source.platform, c->session.store.name);
    return status;
}

static int answer(calibration *c)
{
    clump_cli_calibration_results results;
    clump_cli_calibration_parameter parameters[8];
    clump_cli_calibration_summarize(&c->session.samples, &results);
    results.variant_key = "protocol";
    results.variant_title = "Protocol";
    int status = results.failed ? clump_cli_error_memory(c->session.command) : CLUMP_CLI_DONE;
    if (status == CLUMP_CLI_DONE) {
        const size_t count = clump_cli_calibration_parameters(
            &results, parameters, sizeof parameters / sizeof *parameters);
        const clump_store_status stored =
            clump_cli_calibration_write_parameters(&c->session.store, parameters, count);
        if (stored != CLUMP_STORE_OK)
            status = clump_cli_error_store(c->session.command, c->session.store.store, stored);
    }
    if (status == CLUMP_CLI_DONE && results.count > 0)
        status = print(c, &results);
    if (status == CLUMP_CLI_DONE && results.count > 0 && clump_cli_plot_request_is_made(&c->plot))
        status = clump_cli_calibration_draw(&c->plot, c->session.invocation->format, &results,
                                            c->session.store.source.platform);
    clump_cli_calibration_results_free(&results);
    return status;
}

/* ---- */

static int run_client(calibration *c)
{
    const clump_cli_invocation *invocation = c->session.invocation;
    clump_cli_udp_child child = {.process = 0};
    int status = CLUMP_CLI_DONE;
    if (!c->remote)
        status = clump_cli_udp_start(&(clump_service_options){.tag = c->plan.tag,
                                                              .machine = c->session.machine.slug,
                                                              .patience_ms = c->plan.patience_ms},
                                     c->session.command, &child);
    if (status == CLUMP_CLI_DONE) {
        if (!invocation->quiet && (!c->remote || c->session.machine.processors > 1))
            clump_cli_machine_warn(&c->session.machine, c->session.command, c->remote ? 1 : 2);
        if (!c->remote)
            c->plan.peer = child.address;
        status = measure(c);
        clump_cli_udp_stop(&child);
        warn_about_loss(c);
        const int answered = c->session.samples.count > 0 && c->session.store.name[0] != '\0' &&
                                     !c->session.store_failed
                                 ? answer(c)
                                 : CLUMP_CLI_DONE;
        status = status != CLUMP_CLI_DONE ? status : answered;
    }
    clump_cli_udp_stop(&child);
    return status;
}

static int run(const clump_cli_invocation *invocation)
{
    calibration c = {.session = {.invocation = invocation,
                                 .command = invocation->arguments.command,
                                 .speed = {.usual_us = NAN, .other_us = NAN}}};
    int status = read_options(&c);
    clump_cli_machine_look(&c.session.machine, clump_calibration_processors());
    if (status == CLUMP_CLI_DONE && c.listen != NULL)
        status = clump_cli_udp_serve(&(clump_service_options){.listen = c.listen,
                                                              .tag = c.plan.tag,
                                                              .machine = c.session.machine.slug,
                                                              .patience_ms = c.plan.patience_ms},
                                     c.session.command,
                                     clump_cli_option_given(&invocation->arguments, ONCE),
                                     invocation->quiet);
    else if (status == CLUMP_CLI_DONE)
        status = run_client(&c);
    clump_cli_calibration_finish(&c.session);
    return status;
}

const clump_cli_command clump_cli_command_calibrate_udp = {
    .name = "calibrate udp",
    .operands = "",
    .summary = "Measure the network protocol over UDP, to a server or over loopback",
    .text =
        "Sends Active Messages over UDP to a server, 'calibrate udp --listen' on another\n"
        "machine or one of its own, and derives LogGP as the thesis does: round trips, bursts\n"
        "of 16 for o_s while the server looks away, o_r through a known delay, the gap over\n"
        "long bursts, G from 512 kB in pieces of 8 kB. Then round trips and rates in both\n"
        "directions over message sizes, and how many datagrams were lost and packets sent\n"
        "again. Samples are stored a run at a time; when the server vanishes or after ^C, what\n"
        "was measured is kept and printed, and the exit code is 1.",
    .examples = "clumpmodel calibrate udp --quick\n"
                "clumpmodel calibrate udp --listen 0.0.0.0:5000\n"
                "clumpmodel calibrate udp --peer node7:5000 --protocol ssam --format json",
    .options = options,
    .option_count = OPTION_COUNT,
    .creates_database = true,
    .run = run,
};
