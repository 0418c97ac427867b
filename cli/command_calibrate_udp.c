/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/udp_calibration.h"
#include "cli/udp_server.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- measuring */

/* What is stored with the samples, as soon as it is known who serves. */
static void name_source(udp_calibration *c)
{
    const measured_machine *m = &c->session.machine;
    const bool remote = c->remote && c->server.machine[0] != '\0';
    const char *model = m->model[0] != '\0' ? m->model : "One machine";
    calibration_show_command(c->session.invocation, udp_not_shown, c->session.shown,
                             sizeof c->session.shown - 20);
    if (remote)
        strcat(c->session.shown, " --peer HOST:PORT");
    snprintf(c->session.title, sizeof c->session.title, "Network protocol %s, %s", c->plan.carrier,
             remote ? "two machines" : "loopback");
    snprintf(c->name, sizeof c->name, "%.60s%s%.60s", m->slug, remote ? "-to-" : "",
             remote ? c->server.machine : "");
    snprintf(c->name_title, sizeof c->name_title, "%.100s, %u processors%s%.60s", model,
             m->processors, remote ? ", and " : "", remote ? c->server.machine : "");
    snprintf(c->note, sizeof c->note, "%.300s; %s%.60s", m->facts,
             remote ? "the server on " : "over loopback", remote ? c->server.machine : "");
    c->session.store.source =
        (clump_calibration_source){.platform = c->platform != NULL ? c->platform : c->name,
                                   .platform_title = c->name_title,
                                   .nodes = remote ? 2 : 1,
                                   .processors = m->processors,
                                   .transport = "udp",
                                   .title = c->session.title,
                                   .command = c->session.shown,
                                   .note = c->note,
                                   .kind = "calibrate udp"};
}

/* Before anything is measured: whether it can be stored. Not earlier: a peer that is not there
 * leaves no database behind. */
static bool on_welcome(const clump_calibration_welcome *welcome, void *context)
{
    udp_calibration *c = context;
    c->server = *welcome;
    name_source(c);
    c->database_status = database_create(c->session.invocation, &c->session.store.store);
    return c->database_status != EXIT_DONE;
}

/* Store what is there: a part of a run, too, if no more of it will come. */
static bool store_samples(udp_calibration *c)
{
    clump_calibration_session *s = &c->session;
    clump_calibration_doubt(&s->samples, c->stored, &s->speed);
    const clump_store_status status = clump_calibration_write(&s->store, &s->samples, c->stored);
    if (status != CLUMP_STORE_OK) {
        progress_clear(&s->progress);
        s->store_failed = true;
        (void)(status == CLUMP_STORE_STOPPED ? error_memory(s->command)
                                             : error_store(s->command, s->store.store, status));
    }
    c->stored = s->samples.count;
    return !s->store_failed;
}

static bool on_run_end(unsigned run, void *context)
{
    udp_calibration *c = context;
    c->runs = run;
    return !store_samples(c);
}

static int tell_failure(udp_calibration *c, clump_protocol_status status, const char *message)
{
    const char *command = c->session.command;
    char kept[80] = "";
    if (c->database_status != EXIT_DONE)
        return c->database_status;
    if (c->session.store_failed)
        return EXIT_FAILED;
    if (c->session.no_memory)
        return error_memory(command);
    if (c->session.samples.count > 0)
        snprintf(kept, sizeof kept, "; %u of %u runs are complete, %zu samples are kept", c->runs,
                 c->plan.runs, c->session.samples.count);
    if (status == CLUMP_PROTOCOL_BAD_INPUT)
        return error_input(command, "%s", message);
    return error_failed(
        command, "%s%s%s", message,
        status == CLUMP_PROTOCOL_NOT_FOUND && c->remote
            ? "; is 'clumpmodel calibrate udp --listen' running there, and does a firewall let UDP "
              "pass?"
        : status == CLUMP_PROTOCOL_BAD_TAG ? "; give both sides the same --tag"
                                           : "",
        kept);
}

static int measure(udp_calibration *c)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_calibration_session *s = &c->session;
    clump_calibration_begin(s);
    s->estimate = s->weight = 1; /* the share is all that is known */
    c->plan.welcome = on_welcome;
    c->plan.sample = s->plan.sample;
    c->plan.run_ends = on_run_end;
    c->plan.watch = s->plan.watch;
    c->plan.context = s;
    const clump_protocol_status status = clump_network_calibrate(&c->plan, &c->losses, message);
    if (!s->store_failed && !s->no_memory && s->samples.count > c->stored)
        store_samples(c);
    clump_calibration_end(s);
    return status == CLUMP_PROTOCOL_OK && !s->store_failed ? EXIT_DONE
                                                           : tell_failure(c, status, message);
}

/* ---- */

static int run_client(udp_calibration *c)
{
    const command_invocation *invocation = c->session.invocation;
    udp_child child = {.process = 0};
    int status = EXIT_DONE;
    if (!c->remote)
        status = udp_start(&(clump_service_options){.tag = c->plan.tag,
                                                    .machine = c->session.machine.slug,
                                                    .patience_ms = c->plan.patience_ms},
                           c->session.command, &child);
    if (status == EXIT_DONE) {
        if (!invocation->quiet && (!c->remote || c->session.machine.processors > 1))
            machine_warn(&c->session.machine, c->session.command, c->remote ? 1 : 2);
        if (!c->remote)
            c->plan.peer = child.address;
        status = measure(c);
        udp_stop(&child);
        udp_warn(c);
        const int answered = c->session.samples.count > 0 && c->session.store.name[0] != '\0' &&
                                     !c->session.store_failed
                                 ? udp_answer(c)
                                 : EXIT_DONE;
        status = status != EXIT_DONE ? status : answered;
    }
    udp_stop(&child);
    return status;
}

static int run(const command_invocation *invocation)
{
    udp_calibration c = {.session = {.invocation = invocation,
                                     .command = invocation->arguments.command,
                                     .speed = {.usual_us = NAN, .other_us = NAN}}};
    int status = udp_read(&c);
    machine_look(&c.session.machine, clump_calibration_processors());
    if (status == EXIT_DONE && c.listen != NULL)
        status = udp_serve(&(clump_service_options){.listen = c.listen,
                                                    .tag = c.plan.tag,
                                                    .machine = c.session.machine.slug,
                                                    .patience_ms = c.plan.patience_ms},
                           c.session.command, c.once, invocation->quiet);
    else if (status == EXIT_DONE)
        status = run_client(&c);
    clump_calibration_finish(&c.session);
    return status;
}

const command_entry command_calibrate_udp = {
    .name = "calibrate udp",
    .operands = "",
    .summary = "Measure the network protocol over UDP, to a server or over loopback",
    .text = "Sends Active Messages (which name their handler) over UDP to a "
            "server: 'calibrate udp\n"
            "--listen' on another machine, or one started on this machine. "
            "Measures LogGP by the\n"
            "method of S. S. Lumetta's thesis (1998): latency L from round "
            "trips, overhead o_s from\n"
            "bursts of 16 while the server looks away, o_r through a known "
            "delay, gap g over long\n"
            "bursts, gap per byte G from 512 kB in pieces of 8 kB. Then "
            "round trips and rates in both\n"
            "directions against message size, and how many datagrams were "
            "lost and packets sent\n"
            "again. Samples are stored after each run; when the server "
            "vanishes or after ^C, what was\n"
            "measured is stored and printed, and the exit status is 1.",
    .examples = "clumpmodel calibrate udp --quick\n"
                "clumpmodel calibrate udp --listen 0.0.0.0:5000\n"
                "clumpmodel calibrate udp --peer node7:5000 --protocol ssam --format json",
    .options = udp_options,
    .option_count = UDP_OPTIONS,
    .creates_database = true,
    .run = run,
};
