/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/errors.h"
#include "cli/output/interrupt.h"
#include "protocols/calibration/udp_calibration.h"
#include "protocols/calibration/udp_server.h"
#include "protocols/command/calibrate_run.h"
#include "protocols/command/calibrate_tables.h"
#include "protocols/command/commands.h"
#include "protocols/network/transport.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
    const char *peer, *listen, *protocol, *platform;
    bool once, quick, full;
    bool stages[2]; /* loggp, sizes */
    unsigned runs;
    uint64_t tag;
    double patience;
} settings;

static const option_entry entries[] = {
    {.name = "peer",
     .argument = "HOST:PORT",
     .help = "measure to the server that listens there",
     OPTION_OF(settings, peer)},
    {.name = "listen",
     .argument = "[HOST:]PORT",
     .help = "be the server, until ^C (HOST is 127.0.0.1 unless given;\n"
             "port 0 is any free one, shown on stderr)",
     OPTION_OF(settings, listen)},
    {.name = "once", .help = "with --listen: end after one client", OPTION_OF(settings, once)},
    {.name = "protocol",
     .argument = CLUMP_TRANSPORT_WORDS,
     .help = "transport, which makes messages arrive (default {})",
     OPTION_AS(WORD, settings, protocol),
     .preset = "am2"},
    {.name = "quick",
     .help = "10 short runs: takes seconds, wide intervals",
     OPTION_OF(settings, quick)},
    {.name = "full", .help = "100 long runs: takes minutes", OPTION_OF(settings, full)},
    {.name = "runs",
     .help = "number of runs, 2 to 1000, instead of 30, 10 or 100",
     OPTION_OF(settings, runs),
     .from = 2,
     .to = 1000},
    {.name = "stages",
     .argument = "LIST",
     .help = "what to measure: loggp, sizes (default: both)",
     .values = "loggp|sizes",
     OPTION_READ(calibrate_read_list, settings, stages)},
    {.name = "tag",
     .help = "whole number above 0; must be the same at client and server",
     OPTION_OF(settings, tag),
     .from = 1,
     .to = UINT64_MAX - 1},
    {.name = "patience",
     .argument = "SECONDS",
     .help = "silence after which the other end counts as gone\n"
             "(default 5; 60 for a server started here)",
     OPTION_OF(settings, patience),
     .least = 0.1,
     .most = 3600,
     .expected = "a number of seconds from 0.1 to 3600"},
    PLATFORM_ENTRY(settings, "name in the database for this machine, or for it and the\n"
                             "server's (default: from their processors)"),
    {0},
};

static const option_table tables[] = {{entries, 0}, {0}};

/* The tag of calibrations, unless the user chooses another. */
static const settings initial = {.tag = UINT64_C(0x43616c6962)};

/* Client or server; whether the rest suits it. */
static int check_role(const command_line *line, const settings *s)
{
    static const char *const for_clients[] = {"protocol", "quick", "full", "runs", "platform"};
    if (s->peer != NULL && s->listen != NULL)
        return error_usage(line->command, "found --peer and --listen, expected one of them");
    if (s->peer != NULL && strchr(s->peer, ':') == NULL)
        return option_wrong(line, "peer", s->peer, "HOST:PORT of a server");
    if (s->once && s->listen == NULL)
        return error_usage(line->command, "found --once without --listen, expected both");
    for (size_t i = 0; i < sizeof for_clients / sizeof *for_clients && s->listen != NULL; i++)
        if (option_is_given(line, for_clients[i]))
            return error_usage(line->command,
                               "found --%s with --listen, expected it on the side that measures",
                               for_clients[i]);
    return calibrate_check_effort(line, s->quick, s->full);
}

/* ---- a server that people talk to */

static void tell_end(const char *command, const clump_service_view *v)
{
    note_print(command, "%s %s; %" PRIu64 " requests", v->client,
               v->end == CLUMP_SERVICE_DONE ? "is done" : "was gone before it was done",
               v->requests);
}

/* Who came and went since `last`. */
static void tell(const char *command, const clump_service_view *last, const clump_service_view *now)
{
    if (now->begun > last->begun && now->ended > last->ended && !now->busy && !last->busy) {
        tell_end(command, now); /* came and went */
        return;
    }
    if (now->ended > last->ended && last->busy)
        tell_end(command, now->busy ? last : now);
    if (now->begun > last->begun && now->busy)
        note_print(command, "serving %s", now->client);
}

static int serve_clients(clump_service *service, const char *command, bool once, bool quiet)
{
    enum { TURN_US = 50000 };
    clump_service_view last, now;
    clump_service_look(service, &last);
    while (!interrupt_wanted() && !(once && last.ended > 0)) {
        clump_service_turn(service, TURN_US);
        clump_service_look(service, &now);
        if (!quiet)
            tell(command, &last, &now);
        last = now;
    }
    if (!quiet && (last.refused > 0 || last.uninvited > 0 || last.turned_away > 0))
        note_print(command,
                   "not served: %" PRIu64 " messages that were no requests, %" PRIu64
                   " requests from clients that had not begun, %" PRIu64 " attempts of clients "
                   "while another was served, or with another version",
                   last.refused, last.uninvited, last.turned_away);
    if (!once)
        return EXIT_DONE; /* ^C is how it ends */
    return last.ended > 0 && last.end == CLUMP_SERVICE_DONE ? EXIT_DONE : EXIT_FAILED;
}

/* On one machine the other end is only held up, on a busy machine for long. */
static uint32_t patience_ms(const settings *s)
{
    const double seconds = s->patience > 0                        ? s->patience
                           : s->peer != NULL || s->listen != NULL ? 5
                                                                  : 60;
    return (uint32_t)(1000 * seconds);
}

/* Until ^C, or for one client: then the exit code is that of its way of leaving. */
static int serve(const command_invocation *invocation, const settings *s)
{
    const char *command = invocation->arguments.command;
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES], where[300];
    clump_service *service = NULL;
    clump_host host;
    const bool port_only =
        s->listen[0] != '\0' && strspn(s->listen, "0123456789") == strlen(s->listen);
    snprintf(where, sizeof where, "%s%.250s", port_only ? "127.0.0.1:" : "", s->listen);
    if (strchr(where, ':') == NULL)
        return option_wrong(&invocation->arguments, "listen", s->listen, "PORT or HOST:PORT");
    clump_host_look(&host, clump_team_processors());
    const clump_protocol_status opened = clump_service_open(
        &(clump_service_options){
            .listen = where, .tag = s->tag, .machine = host.slug, .patience_ms = patience_ms(s)},
        &service, message);
    if (opened != CLUMP_PROTOCOL_OK)
        return error_told(command, opened == CLUMP_PROTOCOL_BAD_INPUT, message);
    interrupt_catch();
    /* Also with --quiet: with port 0 nobody could know it otherwise. */
    note_print(command, "listening on %s", clump_service_address(service));
    const int status = serve_clients(service, command, s->once, invocation->quiet);
    interrupt_release();
    clump_service_close(service);
    return status;
}

/* ---- a client */

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static int show(const command_invocation *invocation, clump_calibration *c)
{
    const clump_udp_question *q = c->own;
    const clump_udp_losses *l = &q->losses;
    if (c->results.count == 0)
        return EXIT_DONE;
    const output_field fields[] = {field_text("platform", c->store.source.platform),
                                   field_text("source", c->store.name),
                                   field_text("machine", c->host.facts),
                                   field_text("server", q->server.machine),
                                   field_size("samples", c->samples.count),
                                   field_size("doubtful_samples", c->speed.doubtful),
                                   field_size("disturbed_samples", c->speed.disturbed),
                                   field_size("runs_complete", q->runs),
                                   field_size("datagrams_sent", l->sent),
                                   field_size("datagrams_sent_lost", l->sent_lost),
                                   field_size("datagrams_back", l->returned),
                                   field_size("datagrams_back_lost", l->returned_lost),
                                   field_size("packets_resent", l->resent)};
    const int status = calibrate_print(invocation->format, &c->results,
                                       (calibrate_variant){"protocol", "Protocol"}, fields,
                                       sizeof fields / sizeof *fields);
    if (status != EXIT_DONE)
        return status;
    if (invocation->format == FORMAT_TABLE && l->sent > 0)
        printf("\n%" PRIu64 " of %" PRIu64 " datagrams to the server were lost (%.3g%%), "
               "%" PRIu64 " of %" PRIu64 " on the way back (%.3g%%); %" PRIu64
               " packets were sent again.\n",
               l->sent_lost, l->sent, 100 * share(l->sent_lost, l->sent), l->returned_lost,
               l->returned, 100 * share(l->returned_lost, l->returned), l->resent);
    if (invocation->format == FORMAT_TABLE)
        calibrate_tell_stored(c, l->sent > 0 ? "" : "\n");
    return EXIT_DONE;
}

static int run(const command_invocation *invocation)
{
    const settings *s = invocation->settings;
    int status = check_role(&invocation->arguments, s);
    if (status != EXIT_DONE)
        return status;
    if (s->listen != NULL)
        return serve(invocation, s);
    const bool all = !option_is_given(&invocation->arguments, "stages");
    clump_udp_question question = {
        .plan = {.peer = s->peer,
                 .transport = s->protocol,
                 .tag = s->tag,
                 .loggp = s->stages[0] || all,
                 .sizes = s->stages[1] || all,
                 .runs = s->runs > 0 ? s->runs : calibrate_choose(s->quick, s->full, 10, 100, 30),
                 .effort = calibrate_choose(s->quick, s->full, 1, 10, 4),
                 .patience_ms = patience_ms(s)}};
    clump_calibration c = {
        .kind = &clump_calibration_udp, .own = &question, .platform = s->platform};
    return calibrate(invocation, &c, show);
}

const command_entry command_calibrate_udp = {
    .name = "calibrate udp",
    .operands = "",
    .summary = "Measure the network protocol over UDP, to a server or over loopback",
    .text =
        "Sends Active Messages (which name their handler) over UDP to a server: 'calibrate udp\n"
        "--listen' on another machine, or one started on this machine. Measures LogGP by the\n"
        "method of S. S. Lumetta's thesis (1998): latency L from round trips, overhead o_s from\n"
        "bursts of 16 while the server looks away, o_r through a known delay, gap g over long\n"
        "bursts, gap per byte G from 512 kB in pieces of 8 kB. Then round trips and rates in both\n"
        "directions against message size, and how many datagrams were lost and packets sent\n"
        "again. Samples are stored after each run; when the server vanishes or after ^C, what was\n"
        "measured is stored and printed; the exit status is 1, after ^C 130.",
    .examples = "clumpmodel calibrate udp --quick\n"
                "clumpmodel calibrate udp --listen 0.0.0.0:5000\n"
                "clumpmodel calibrate udp --peer node7:5000 --protocol ssam --format json",
    .tables = tables,
    .settings_size = sizeof(settings),
    .initial = &initial,
    .creates_database = true,
    .run = run,
};
