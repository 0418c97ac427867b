/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* getrusage */
#include "protocols/calibration/udp_server.h"
#include "protocols/calibration/team.h"
#include "protocols/queue/process.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

struct clump_service {
    clump_endpoint *endpoint;
    clump_calibration_welcome welcome;
    uint64_t patience_ns;
    uint64_t client;   /**< its session; 0: none */
    uint64_t heard_ns; /**< of it */
    bool heard;        /**< in this poll */
    uint32_t hold_us;  /**< asked for in this poll */
    clump_service_view view;
    unsigned char memory[CLUMP_MESSAGE_BULK_BYTES]; /**< where data are put, and given from */
};

static void nap(uint64_t us)
{
    const struct timespec time = {.tv_sec = (time_t)(us / 1000000),
                                  .tv_nsec = (long)(us % 1000000) * 1000};
    nanosleep(&time, NULL);
}

static void client_ends(struct clump_service *s, clump_service_end how)
{
    s->client = 0;
    s->view.busy = false;
    s->view.ended++;
    s->view.end = how;
}

/** Forget a client that is gone. One that owes nothing may be storing what it has measured. */
static void check_client(struct clump_service *s, uint64_t now_ns)
{
    enum { IDLE = 4 };
    if (s->client == 0)
        return;
    if (!clump_endpoint_has_session(s->endpoint, s->client) ||
        (now_ns > s->heard_ns && now_ns - s->heard_ns > IDLE * s->patience_ns))
        client_ends(s, CLUMP_SERVICE_GONE);
}

/* ---- requests; a reply fails only if the client is gone, and then does not matter */

static void on_begin(struct clump_service *s, clump_token *token, uint32_t version)
{
    uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS];
    clump_calibration_welcome answer = s->welcome;
    const uint64_t session = clump_token_session(token);
    check_client(s, clump_time_ns());
    if (version != CLUMP_CALIBRATION_VERSION) {
        answer.status = CLUMP_CALIBRATION_OTHER_VERSION;
    } else if (session == 0 || (s->client != 0 && s->client != session)) {
        answer.status = CLUMP_CALIBRATION_BUSY;
    } else if (s->client == 0) {
        s->client = session;
        s->view.busy = true;
        s->view.begun++;
        s->view.requests = 0;
        clump_token_address(token, s->view.client);
    }
    s->view.turned_away += answer.status != CLUMP_CALIBRATION_WELCOME;
    s->heard |= answer.status == CLUMP_CALIBRATION_WELCOME;
    const unsigned count = clump_calibration_welcome_write(&answer, arguments);
    if (answer.machine[0] != '\0')
        clump_endpoint_reply_bulk(token, CLUMP_CALIBRATION_ANSWER, arguments, count, answer.machine,
                                  strlen(answer.machine));
    else
        clump_endpoint_reply(token, CLUMP_CALIBRATION_ANSWER, arguments, count);
}

static void on_echo(clump_token *token, const clump_message *m)
{
    if (m->size > 0)
        clump_endpoint_reply_bulk(token, CLUMP_CALIBRATION_DONE, m->arguments, m->count, m->data,
                                  m->size);
    else
        clump_endpoint_reply(token, CLUMP_CALIBRATION_DONE, m->arguments, m->count);
}

static void on_give(struct clump_service *s, clump_token *token, uint32_t size)
{
    const uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS] = {1, 2, 3, 4, 5, 6, 7, 8};
    if (size % 4 == 0 && size <= sizeof arguments)
        clump_endpoint_reply(token, CLUMP_CALIBRATION_DONE, arguments, size / 4);
    else
        clump_endpoint_reply_bulk(token, CLUMP_CALIBRATION_DONE, NULL, 0, s->memory, size);
}

static void on_count(clump_token *token)
{
    uint32_t arguments[CLUMP_MESSAGE_ARGUMENTS];
    clump_endpoint_session session;
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    clump_token_view(token, &session);
    const clump_calibration_counts counts = {.sent = session.sent,
                                             .arrived = session.arrived,
                                             .resent = session.resent,
                                             .interruptions = (uint32_t)usage.ru_nivcsw};
    clump_endpoint_reply(token, CLUMP_CALIBRATION_ANSWER, arguments,
                         clump_calibration_counts_write(&counts, arguments));
}

static void on_request(clump_token *token, const clump_message *m, void *context)
{
    struct clump_service *s = context;
    clump_calibration_request request;
    if (!clump_calibration_request_read(m, &request)) {
        s->view.refused++;
        return;
    }
    if (request.kind == CLUMP_CALIBRATION_BEGIN) {
        on_begin(s, token, request.version);
        return;
    }
    if (s->client == 0 || clump_token_session(token) != s->client) {
        s->view.uninvited++;
        return;
    }
    s->heard = true;
    s->view.requests++;
    switch (request.kind) {
    case CLUMP_CALIBRATION_ECHO:
        on_echo(token, m);
        return;
    case CLUMP_CALIBRATION_TAKE:
        if (m->size > 0)
            memcpy(s->memory, m->data, m->size);
        clump_endpoint_reply(token, CLUMP_CALIBRATION_DONE, NULL, 0);
        return;
    case CLUMP_CALIBRATION_GIVE:
        on_give(s, token, request.size);
        return;
    case CLUMP_CALIBRATION_COUNT:
        on_count(token);
        return;
    case CLUMP_CALIBRATION_HOLD:
        s->hold_us = request.hold_us;
        break;
    default:
        client_ends(s, CLUMP_SERVICE_DONE);
    }
    clump_endpoint_reply(token, CLUMP_CALIBRATION_ANSWER, NULL, 0);
}

/* ---- */

clump_protocol_status clump_service_open(const clump_service_options *options,
                                         clump_service **service,
                                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    char name[40], path[48];
    const uint32_t patience_ms = options->patience_ms > 0 ? options->patience_ms : 5000;
    const clump_endpoint_options own = {.length = 2,
                                        .bulk_length = 1,
                                        .listen = options->listen != NULL ? options->listen
                                                                          : "127.0.0.1:0",
                                        .polling = "always",
                                        .silence_ms = patience_ms};
    struct clump_service *s = calloc(1, sizeof *s);
    if (s == NULL) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "no memory for a server");
        return CLUMP_PROTOCOL_FAILED;
    }
    snprintf(name, sizeof name, "serve-%ld", (long)getpid());
    snprintf(path, sizeof path, "/clump-%s", name);
    clump_protocol_status status = clump_endpoint_open(name, &own, &s->endpoint);
    if (status != CLUMP_PROTOCOL_OK) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "%.200s",
                 clump_endpoint_message(s->endpoint));
        clump_service_close(s);
        return status;
    }
    shm_unlink(path); /* nobody comes that way, and nothing stays behind when we are killed */
    s->patience_ns = (uint64_t)patience_ms * 1000000u;
    s->welcome = (clump_calibration_welcome){.version = CLUMP_CALIBRATION_VERSION,
                                             .processors = clump_team_processors()};
    snprintf(s->welcome.machine, sizeof s->welcome.machine, "%s",
             options->machine != NULL ? options->machine : "");
    memset(s->memory, 'c', sizeof s->memory);
    for (unsigned i = 1; i < CLUMP_CALIBRATION_HANDLERS; i++)
        clump_endpoint_set_handler(s->endpoint, i, on_request, s);
    clump_endpoint_set_tag(s->endpoint, options->tag);
    *service = s;
    return CLUMP_PROTOCOL_OK;
}

void clump_service_close(clump_service *s)
{
    if (s == NULL)
        return;
    clump_endpoint_close(s->endpoint);
    free(s);
}

const char *clump_service_address(const clump_service *s)
{
    return clump_endpoint_address(s->endpoint);
}

void clump_service_look(const clump_service *s, clump_service_view *view)
{
    *view = s->view;
}

void clump_service_turn(clump_service *s, uint64_t us)
{
    enum { OFTEN = 1024, NAP_US = 500 };
    uint64_t now = clump_time_ns();
    const uint64_t until = now + us * 1000;
    s->heard_ns = s->heard_ns > 0 ? s->heard_ns : now;
    for (uint32_t idle = 0; now < until; now = clump_time_ns()) {
        clump_endpoint_poll(s->endpoint, 16, NULL);
        if (s->hold_us > 0)
            nap(s->hold_us);
        if (s->heard) {
            s->heard_ns = now;
            idle = 0;
        } else if (++idle % OFTEN == 0 || s->client == 0) {
            check_client(s, now);
            if (s->client == 0)
                nap(NAP_US);
            else
                sched_yield(); /* the client may be on this processor */
        }
        s->heard = false;
        s->hold_us = 0;
    }
}

/* ---- a server beside the client */

/* What both know of it. */
struct beside {
    const clump_service_options *options;
    _Atomic bool opened; /**< or not: then there is a message */
    char address[CLUMP_ADDRESS_TEXT], message[CLUMP_CALIBRATION_MESSAGE_BYTES];
};

static void be_server(unsigned rank, void *context)
{
    struct beside *b = context;
    clump_service *service = NULL;
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
    clump_team_pin(rank + 1);
    if (clump_service_open(b->options, &service, b->message) != CLUMP_PROTOCOL_OK)
        _exit(1);
    memcpy(b->address, clump_service_address(service), sizeof b->address);
    atomic_store(&b->opened, true);
    for (;;)
        clump_service_turn(service, 1000000);
}

bool clump_service_start(const clump_service_options *options, clump_service_child *child,
                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    char why[CLUMP_CALIBRATION_MESSAGE_BYTES] = "no memory";
    unsigned rank;
    *child = (clump_service_child){.address = ""};
    clump_workers workers = {.count = 1, .children = &child->process};
    struct beside *b =
        mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b != MAP_FAILED) {
        b->options = options;
        clump_team_processors(); /* remembers those that both may use */
        fflush(NULL);
        bool lives = clump_workers_start(&workers, SIGKILL, be_server, b, why);
        while (lives && !atomic_load(&b->opened)) {
            nap(200);
            lives = clump_workers_look(&workers, &rank, why);
        }
        if (lives)
            memcpy(child->address, b->address, sizeof child->address);
        else if (b->message[0] != '\0')
            memcpy(why, b->message, sizeof why);
        munmap(b, sizeof *b);
    }
    if (child->address[0] != '\0')
        return true;
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "cannot start a server: %.200s", why);
    return false;
}

void clump_service_stop(clump_service_child *child)
{
    clump_workers_end(&(clump_workers){.count = 1, .children = &child->process});
    child->process = 0;
}
