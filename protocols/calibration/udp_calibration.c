/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/udp_calibration.h"
#include "protocols/calibration/udp_server.h"

#include <stdio.h>

#define MOST_LOSS 0.001 /* that can be in a mean without a warning */

/* Before anything is measured: whether it can be stored. Not earlier: a peer that is not there
 * leaves no database behind. */
static bool on_welcome(const clump_calibration_welcome *welcome, void *context)
{
    clump_calibration *c = context;
    clump_udp_question *q = c->own;
    const clump_host *h = &c->host;
    q->server = *welcome;
    q->opened = clump_calibration_open(c);
    if (q->opened != CLUMP_CALIBRATION_OK)
        return true;
    clump_calibration_source *s = &c->store.source;
    const bool remote = q->remote && welcome->machine[0] != '\0';
    snprintf(c->title, sizeof c->title, "Network protocol %s, %s", q->plan.transport,
             remote ? "two machines" : "loopback");
    snprintf(q->note, sizeof q->note, "%.300s; %s%.60s", h->facts,
             remote ? "the server on " : "over loopback", remote ? welcome->machine : "");
    s->note = q->note;
    if (!remote)
        return false;
    snprintf(q->name, sizeof q->name, "%.60s-to-%.60s", h->slug, welcome->machine);
    snprintf(q->command, sizeof q->command, "%.380s --peer HOST:PORT", c->command);
    snprintf(c->platform_title, sizeof c->platform_title, "%.100s, %u processors, and %.60s",
             h->model[0] != '\0' ? h->model : "One machine", h->processors, welcome->machine);
    s->platform = c->platform != NULL ? c->platform : q->name;
    s->command = q->command;
    s->nodes = 2;
    return false;
}

static bool on_run_end(unsigned run, void *context)
{
    clump_calibration *c = context;
    ((clump_udp_question *)c->own)->runs = run;
    return clump_calibration_keep(c) != CLUMP_CALIBRATION_OK;
}

static clump_calibration_status explain(clump_calibration *c, clump_protocol_status status,
                                        const char *why)
{
    const clump_udp_question *q = c->own;
    char kept[80] = "";
    if (q->opened != CLUMP_CALIBRATION_OK || c->store_failed)
        return CLUMP_CALIBRATION_FAILED; /* which has been told, or is in the message */
    if (c->no_memory)
        return clump_calibration_fail_memory(c);
    if (c->samples.count > 0)
        snprintf(kept, sizeof kept, "; %u of %u runs are complete, %zu samples are kept", q->runs,
                 q->plan.runs, c->samples.count);
    if (status == CLUMP_PROTOCOL_BAD_INPUT)
        return clump_calibration_fail(c, CLUMP_CALIBRATION_BAD_INPUT, "%s", why);
    return clump_calibration_fail(
        c, CLUMP_CALIBRATION_FAILED, "%s%s%s", why,
        status == CLUMP_PROTOCOL_NOT_FOUND && q->remote
            ? "; is 'clumpmodel calibrate udp --listen' running there, and does a firewall let UDP "
              "pass?"
        : status == CLUMP_PROTOCOL_BAD_TAG ? "; give both sides the same --tag"
                                           : "",
        kept);
}

static clump_calibration_status measure(clump_calibration *c, const char *peer)
{
    clump_udp_question *q = c->own;
    char why[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_udp_plan plan = q->plan;
    plan.peer = peer;
    plan.welcome = on_welcome;
    plan.sample = c->plan.sample;
    plan.run_ends = on_run_end;
    plan.watch = c->plan.watch;
    plan.context = c;
    c->estimate = c->weight = 1; /* the share is all that is known */
    const clump_protocol_status status = clump_udp_measure(&plan, &q->losses, why);
    /* A part of a run, too, if no more of it will come. */
    if (!c->store_failed && !c->no_memory && c->samples.count > c->kept &&
        clump_calibration_keep(c) != CLUMP_CALIBRATION_OK)
        return CLUMP_CALIBRATION_FAILED;
    return status == CLUMP_PROTOCOL_OK && !c->store_failed ? CLUMP_CALIBRATION_OK
                                                           : explain(c, status, why);
}

static clump_calibration_status run(clump_calibration *c)
{
    clump_udp_question *q = c->own;
    clump_service_child child = {.process = 0};
    q->remote = q->plan.peer != NULL;
    if (!q->remote &&
        !clump_service_start(&(clump_service_options){.tag = q->plan.tag,
                                                      .machine = c->host.slug,
                                                      .patience_ms = q->plan.patience_ms},
                             &child, c->message))
        return CLUMP_CALIBRATION_FAILED;
    if (!q->remote || c->host.processors > 1)
        clump_calibration_warn_host(c, q->remote ? 1 : 2);
    const clump_calibration_status status = measure(c, q->remote ? q->plan.peer : child.address);
    clump_service_stop(&child);
    return status;
}

static clump_calibration_status derive(clump_calibration *c)
{
    const clump_udp_losses *l = &((clump_udp_question *)c->own)->losses;
    const double all = (double)(l->sent + l->returned),
                 lost = (double)(l->sent_lost + l->returned_lost) / all;
    if (all > 0 && lost > MOST_LOSS)
        clump_calibration_warn(c,
                               "%.2g%% of the datagrams were lost: the times are means that "
                               "contain waiting until packets were sent again",
                               100 * lost);
    return clump_calibration_derive_loggp(c);
}

const clump_calibration_kind clump_calibration_udp = {
    .name = "calibrate udp",
    .title = "Network protocol",
    .transport = "udp",
    .keeps_parts = true,
    .run = run,
    .derive = derive,
};
