/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE
#include "calibration/calibration_visit.h"
#include "protocols/queue/process.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SERVER = 0 };

void clump_visit_fail(struct clump_visit *v, clump_protocol_status status, const char *format, ...)
{
    if (v->status != CLUMP_PROTOCOL_OK)
        return;
    v->status = status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->message, CLUMP_CALIBRATION_MESSAGE_BYTES, format, arguments);
    va_end(arguments);
}

static uint64_t patience_ns(const struct clump_visit *v)
{
    return (uint64_t)(v->plan->patience_ms > 0 ? v->plan->patience_ms : 5000) * 1000000u;
}

bool clump_visit_goes_on(struct clump_visit *v)
{
    enum { WATCH_NS = 50000000 };
    const uint64_t now = clump_time_ns();
    if (v->status == CLUMP_PROTOCOL_OK && now - v->watched_ns >= WATCH_NS) {
        v->watched_ns = now;
        if (v->plan->watch != NULL && v->plan->watch(v->share, v->plan->context))
            clump_visit_fail(v, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
    }
    return v->status == CLUMP_PROTOCOL_OK;
}

/* ---- messages */

static void gone(struct clump_visit *v)
{
    clump_visit_fail(v, CLUMP_PROTOCOL_PEER_DEAD,
                     "the server at %.80s is gone: it ended, or the way to it is cut",
                     v->plan->peer);
}

static void on_done(clump_token *token, const clump_message *m, void *context)
{
    struct clump_visit *v = context;
    (void)token, (void)m;
    v->replies++;
}

static void on_answer(clump_token *token, const clump_message *m, void *context)
{
    struct clump_visit *v = context;
    (void)token;
    v->answers++;
    v->welcome_good = clump_calibration_welcome_read(m, &v->welcome);
    v->counts_good = clump_calibration_counts_read(m, &v->counts);
}

static void on_returned(clump_token *token, const clump_message *m, void *context)
{
    struct clump_visit *v = context;
    (void)token;
    if (m->returned == CLUMP_PROTOCOL_NO_HANDLER || m->returned == CLUMP_PROTOCOL_BAD_TAG)
        clump_visit_fail(v, CLUMP_PROTOCOL_FAILED,
                         "the endpoint at %.80s is no server of clumpmodel calibrate udp",
                         v->plan->peer);
    else
        gone(v);
}

void clump_visit_send(struct clump_visit *v, unsigned handler, const uint32_t *arguments,
                      unsigned count, const void *data, size_t size)
{
    if (v->status != CLUMP_PROTOCOL_OK)
        return;
    const clump_protocol_status status =
        size > 0 ? clump_endpoint_request_bulk(v->endpoint, SERVER, handler, arguments, count, data,
                                               size)
                 : clump_endpoint_request(v->endpoint, SERVER, handler, arguments, count);
    if (status == CLUMP_PROTOCOL_PEER_DEAD)
        gone(v);
    else if (status != CLUMP_PROTOCOL_OK)
        clump_visit_fail(v, status, "%.80s: %.150s", v->plan->peer,
                         clump_endpoint_message(v->endpoint));
}

/** Poll until the counter is there. */
static void await(struct clump_visit *v, const uint64_t *counter, uint64_t least)
{
    enum { OFTEN = 1024 };
    uint64_t since = 0, seen = *counter;
    for (uint32_t idle = 1; *counter < least && v->status == CLUMP_PROTOCOL_OK; idle++) {
        clump_endpoint_poll(v->endpoint, 1, NULL);
        if (idle % OFTEN != 0 || !clump_visit_goes_on(v))
            continue;
        sched_yield(); /* the server may be on this processor */
        const uint64_t now = clump_time_ns();
        if (since == 0 || *counter != seen) {
            since = now;
            seen = *counter;
        } else if (now - since > 2 * patience_ns(v)) {
            clump_visit_fail(v, CLUMP_PROTOCOL_TIMED_OUT,
                             "the server at %.80s is there, but has not answered for %.0f s",
                             v->plan->peer, (double)(now - since) * 1e-9);
        }
    }
}

void clump_visit_await(struct clump_visit *v, uint64_t least)
{
    await(v, &v->replies, least);
}

void clump_visit_ask(struct clump_visit *v, const clump_calibration_request *request)
{
    uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS];
    const unsigned count = clump_calibration_request_write(request, arguments);
    const uint64_t before = v->answers;
    clump_visit_send(v, request->kind, arguments, count, NULL, 0);
    await(v, &v->answers, before + 1);
}

void clump_visit_count(struct clump_visit *v)
{
    clump_visit_ask(v, &(clump_calibration_request){.kind = CLUMP_CALIBRATION_COUNT});
    if (!v->counts_good)
        clump_visit_fail(v, CLUMP_PROTOCOL_FAILED,
                         "the server at %.80s does not answer as a server of this version does",
                         v->plan->peer);
}

void clump_visit_settle(struct clump_visit *v)
{
    enum { QUIET_NS = 3000000 };
    const uint64_t began = clump_time_ns();
    while (v->status == CLUMP_PROTOCOL_OK && clump_time_ns() - began < QUIET_NS)
        clump_endpoint_poll(v->endpoint, 1, NULL);
}

/* ---- coming and going */

/** Where our own socket has to be for this peer: on loopback only if that is where the peer is. */
static const char *own_place(const clump_network_plan *plan)
{
    static const char *const local[] = {"127.", "localhost:"};
    if (plan->listen != NULL)
        return plan->listen;
    for (unsigned i = 0; i < 2; i++)
        if (strncmp(plan->peer, local[i], strlen(local[i])) == 0)
            return "127.0.0.1:0";
    if (strncmp(plan->peer, "[::1]", 5) == 0)
        return "[::1]:0";
    return plan->peer[0] == '[' ? "[::]:0" : "0.0.0.0:0";
}

static void open_endpoint(struct clump_visit *v)
{
    char name[40], path[48], where[120];
    const clump_endpoint_options options = {.length = 2,
                                            .bulk_length = 1,
                                            .listen = own_place(v->plan),
                                            .carrier = v->plan->carrier,
                                            .polling = "always",
                                            .silence_ms = v->plan->patience_ms};
    snprintf(name, sizeof name, "visit-%ld", (long)getpid());
    snprintf(path, sizeof path, "/clump-%s", name);
    clump_protocol_status status = clump_endpoint_open(name, &options, &v->endpoint);
    shm_unlink(path); /* nobody comes that way, and nothing stays behind when we are killed */
    if (status == CLUMP_PROTOCOL_OK) {
        /* Our tag stays the one that rejects all: nobody begins a session with us. */
        clump_endpoint_set_handler(v->endpoint, 0, on_returned, v);
        clump_endpoint_set_handler(v->endpoint, CLUMP_CALIBRATION_DONE, on_done, v);
        clump_endpoint_set_handler(v->endpoint, CLUMP_CALIBRATION_ANSWER, on_answer, v);
        snprintf(where, sizeof where, "@%s", v->plan->peer);
        status = clump_endpoint_map(v->endpoint, SERVER, where, v->plan->tag);
    }
    if (status != CLUMP_PROTOCOL_OK)
        clump_visit_fail(v, status, "%.250s", clump_endpoint_message(v->endpoint));
}

void clump_visit_enter(struct clump_visit *v)
{
    const struct timespec pause = {.tv_nsec = 100000000};
    memset(v->memory, 'v', sizeof v->memory);
    open_endpoint(v);
    const uint64_t until = clump_time_ns() + 2 * patience_ns(v);
    while (clump_visit_goes_on(v)) {
        clump_visit_ask(v, &(clump_calibration_request){.kind = CLUMP_CALIBRATION_BEGIN,
                                                        .version = CLUMP_CALIBRATION_VERSION});
        if (v->status != CLUMP_PROTOCOL_OK)
            return;
        if (!v->welcome_good)
            clump_visit_fail(v, CLUMP_PROTOCOL_FAILED,
                             "what the endpoint at %.80s says is not "
                             "what a server of clumpmodel calibrate udp does",
                             v->plan->peer);
        else if (v->welcome.status == CLUMP_CALIBRATION_WELCOME)
            break;
        else if (v->welcome.status == CLUMP_CALIBRATION_OTHER_VERSION)
            clump_visit_fail(v, CLUMP_PROTOCOL_BAD_VERSION,
                             "the server at %.80s speaks version %u of calibrations, this program "
                             "version %d: use the same program on both sides",
                             v->plan->peer, (unsigned)v->welcome.version,
                             (int)CLUMP_CALIBRATION_VERSION);
        else if (clump_time_ns() >= until)
            clump_visit_fail(v, CLUMP_PROTOCOL_IN_USE,
                             "the server at %.80s is busy with another client", v->plan->peer);
        nanosleep(&pause, NULL);
    }
    clump_visit_settle(v);
    if (v->status == CLUMP_PROTOCOL_OK && v->plan->welcome != NULL &&
        v->plan->welcome(&v->welcome, v->plan->context))
        clump_visit_fail(v, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
}

void clump_visit_leave(struct clump_visit *v)
{
    if (v->status == CLUMP_PROTOCOL_OK) {
        clump_visit_ask(v, &(clump_calibration_request){.kind = CLUMP_CALIBRATION_END});
        v->status = CLUMP_PROTOCOL_OK; /* everything is measured: who is gone now may be gone */
        v->message[0] = '\0';
    }
    clump_endpoint_close(v->endpoint);
    v->endpoint = NULL;
}
