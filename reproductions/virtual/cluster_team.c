/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/virtual/cluster_team.h"

#include "reproductions/virtual/fiber.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_BYTES = 256 * 1024, WATCH_EVERY = 4096 /* turns */ };

/* What a program is about when its fiber does not run. */
enum state { READY, WAITS, DONE };

/* A packet that the host has yet to send. */
typedef struct parcel {
    struct parcel *next;
    clump_virtual_cluster_kind kind;
    uint16_t to, size;
    bool far;
    unsigned char data[];
} parcel;

struct clump_cluster_member {
    struct team *team;
    clump_fiber *fiber;
    enum state state;
    uint16_t node;
    parcel *first, *last; /* to be sent */
    parcel *given;        /* to the host, which copies its data before it asks again */
    double work_us;       /* to be computed before the program goes on */
    double charged_us;    /* within the present callback */
    double computed_us;
    uint64_t handled, seen; /* packets; and of them before the last wait or poll */
};

typedef struct team {
    const clump_cluster_team_options *options;
    clump_cluster_team_result *result;
    clump_virtual_cluster *cluster;
    clump_cluster_member *members;
    clump_fiber *thread;
    clump_fiber *server; /* on which handlers run: one that fails never returns */
    clump_cluster_member *serving;
    const clump_lci_delivery *delivery;
    uint32_t left;
    clump_protocol_status status;
} team;

/* ---- the end, good or bad */

static void give_up(team *t, clump_protocol_status status, const char *reason)
{
    if (t->status != CLUMP_PROTOCOL_OK)
        return;
    t->status = status;
    snprintf(t->result->message, sizeof t->result->message, "%s", reason);
    clump_virtual_cluster_stop(t->cluster);
}

void clump_cluster_member_fail(clump_cluster_member *m, const char *reason)
{
    char text[CLUMP_CLUSTER_TEAM_MESSAGE];
    team *t = m->team;
    snprintf(text, sizeof text, "node %u of %u: %.200s", m->node + 1u, t->options->cluster.nodes,
             reason);
    give_up(t, CLUMP_PROTOCOL_FAILED, text);
    clump_fiber *here = t->serving == m ? t->server : m->fiber;
    for (;;)
        clump_fiber_switch(here, t->thread);
}

/* ---- programs: they run when the host has nothing else to do */

/* Let the program go on until it needs the host. */
static void advance(clump_cluster_member *m)
{
    team *t = m->team;
    if (t->status != CLUMP_PROTOCOL_OK || m->state == DONE || m->first != NULL || m->work_us > 0 ||
        (m->state == WAITS && m->handled == m->seen))
        return;
    m->state = READY;
    m->charged_us = 0;
    clump_fiber_switch(t->thread, m->fiber);
}

/* Back to the host. */
static void yield(clump_cluster_member *m)
{
    clump_fiber_switch(m->fiber, m->team->thread);
}

/* What was computed has taken its time. */
static void settle(clump_cluster_member *m)
{
    while (m->work_us > 0)
        yield(m);
}

static void be_member(void *context)
{
    clump_cluster_member *m = context;
    team *t = m->team;
    t->options->work(m, t->options->context);
    clump_cluster_member_flush(m);
    const double now = clump_cluster_member_now_us(m);
    if (now > t->result->time_us)
        t->result->time_us = now;
    m->state = DONE;
    if (--t->left == 0)
        clump_virtual_cluster_stop(t->cluster);
    for (;;)
        yield(m);
}

/* ---- what the host asks */

static bool want(void *context, clump_virtual_cluster *cluster, uint16_t node,
                 clump_virtual_cluster_order *order)
{
    team *t = context;
    clump_cluster_member *m = &t->members[node];
    if (++t->result->turns % WATCH_EVERY == 0 && t->options->watch != NULL &&
        t->options->watch(t->options->context))
        give_up(t, CLUMP_PROTOCOL_TIMED_OUT, "stopped");
    free(m->given);
    m->given = NULL;
    if (m->first == NULL && !clump_virtual_cluster_interrupted(cluster, node))
        advance(m);
    if (m->first == NULL || t->status != CLUMP_PROTOCOL_OK)
        return false;
    parcel *p = m->first;
    m->first = p->next;
    m->given = p;
    *order = (clump_virtual_cluster_order){
        .kind = p->kind, .to = p->to, .size = p->size, .data = p->data, .far = p->far};
    return true;
}

/* It may not have been asked what it wants: there was no room to send. Computation lasts a picosecond at least, the
 * resolution of time: the host does not come back to a program after none. */
static double compute(void *context, clump_virtual_cluster *cluster, uint16_t node)
{
    const double least_us = 1e-6;
    team *t = context;
    clump_cluster_member *m = &t->members[node];
    (void)cluster;
    advance(m);
    const double us = m->work_us;
    m->work_us = 0;
    m->computed_us += us;
    return us > 0 ? fmax(us, least_us) : 0;
}

static void got(void *context, clump_virtual_cluster *cluster, uint16_t node,
                const clump_lci_delivery *delivery)
{
    team *t = context;
    (void)cluster;
    if (t->status != CLUMP_PROTOCOL_OK)
        return;
    t->serving = &t->members[node];
    t->serving->charged_us = 0;
    t->delivery = delivery;
    clump_fiber_switch(t->thread, t->server);
    t->members[node].handled++;
    t->serving = NULL;
}

static void serve(void *context)
{
    team *t = context;
    for (;;) {
        t->options->handle(t->serving, t->delivery, t->options->context);
        clump_fiber_switch(t->server, t->thread);
    }
}

/* ---- what members do */

uint16_t clump_cluster_member_rank(const clump_cluster_member *m)
{
    return m->node;
}

void clump_cluster_member_send(clump_cluster_member *m, clump_virtual_cluster_kind kind,
                               uint16_t to, const void *data, uint16_t size, bool far)
{
    parcel *p = malloc(sizeof *p + size);
    if (p == NULL)
        clump_cluster_member_fail(m, "no memory for packets");
    p->next = NULL;
    p->kind = kind;
    p->to = to;
    p->size = size;
    p->far = far;
    if (size > 0)
        memcpy(p->data, data, size);
    if (m->first == NULL)
        m->first = p;
    else
        m->last->next = p;
    m->last = p;
}

uint32_t clump_cluster_member_fetch_add_here(clump_cluster_member *m)
{
    return clump_virtual_cluster_fetch_add_here(m->team->cluster, m->node);
}

void clump_cluster_member_charge(clump_cluster_member *m, double us)
{
    if (!(us > 0))
        return;
    m->charged_us += us;
    clump_virtual_cluster_charge(m->team->cluster, m->node, us);
}

void clump_cluster_member_work(clump_cluster_member *m, double us)
{
    if (us > 0)
        m->work_us += us;
}

void clump_cluster_member_flush(clump_cluster_member *m)
{
    settle(m);
    while (m->first != NULL)
        yield(m);
}

/* The host handles what has come before it asks what the program wants, once this has taken its
 * time; if it takes none, nothing new can have come. */
void clump_cluster_member_poll(clump_cluster_member *m)
{
    enum { POLL = 2 }; /* words: the flag at the head of the queue, and which buffer that is */
    const double us = POLL * m->team->options->cluster.hardware.host_word_us;
    clump_cluster_member_flush(m);
    clump_cluster_member_charge(m, us);
    if (clump_virtual_cluster_charged(m->team->cluster, m->node))
        yield(m);
    m->seen = m->handled;
}

void clump_cluster_member_wait(clump_cluster_member *m)
{
    clump_cluster_member_flush(m);
    if (m->handled == m->seen) {
        m->state = WAITS;
        yield(m);
    }
    m->seen = m->handled;
}

double clump_cluster_member_now_us(clump_cluster_member *m)
{
    if (m->team->serving != m) /* a handler takes no time until it ends */
        settle(m);
    return (double)clump_virtual_cluster_now_ps(m->team->cluster) / 1e6 + m->charged_us;
}

clump_time_parts clump_cluster_member_parts(clump_cluster_member *m)
{
    const double now = clump_cluster_member_now_us(m);
    const clump_virtual_cluster_use use = clump_virtual_cluster_used(m->team->cluster, m->node);
    clump_time_parts parts = {.compute_us = m->computed_us,
                              .send_us = (double)use.send_ps / 1e6 + m->charged_us,
                              .receive_us = (double)use.receive_ps / 1e6};
    parts.wait_us = now - parts.compute_us - parts.send_us - parts.receive_us;
    return parts;
}

/* ---- the team */

static void count(team *t, uint16_t nodes)
{
    clump_lci_counters *all = &t->result->counters;
    double busy_ps = 0;
    for (uint16_t i = 0; i < nodes; i++) {
        const clump_lci_counters c = clump_virtual_cluster_count(t->cluster, i);
        all->sent += c.sent;
        all->resent += c.resent;
        all->acknowledged += c.acknowledged;
        all->again += c.again;
        all->accepted += c.accepted;
        all->multicasts += c.multicasts;
        all->bytes += c.bytes;
        all->no_buffer += c.no_buffer;
        all->timeouts += c.timeouts;
        all->broken += c.broken;
        busy_ps += (double)clump_virtual_cluster_used(t->cluster, i).nic_ps;
    }
    if (t->result->time_us > 0)
        t->result->nic_utilization = busy_ps / 1e6 / t->result->time_us / nodes;
}

static bool make(team *t, uint16_t nodes)
{
    t->members = calloc(nodes, sizeof *t->members);
    t->thread = clump_fiber_of_thread();
    t->server = clump_fiber_open(STACK_BYTES, serve, t);
    if (t->members == NULL || t->thread == NULL || t->server == NULL)
        return false;
    for (uint16_t i = 0; i < nodes; i++) {
        clump_cluster_member *m = &t->members[i];
        m->team = t;
        m->node = i;
        m->fiber = clump_fiber_open(STACK_BYTES, be_member, m);
        if (m->fiber == NULL)
            return false;
    }
    return true;
}

static void release(team *t, uint16_t nodes)
{
    for (uint16_t i = 0; t->members != NULL && i < nodes; i++) {
        clump_cluster_member *m = &t->members[i];
        clump_fiber_close(m->fiber);
        free(m->given);
        for (parcel *p = m->first, *next; p != NULL; p = next) {
            next = p->next;
            free(p);
        }
    }
    clump_fiber_close(t->server);
    clump_fiber_close(t->thread);
    free(t->members);
}

/* Why nothing happens any more. */
static void explain(team *t)
{
    give_up(t, CLUMP_PROTOCOL_FAILED,
            t->result->counters.broken > 0
                ? "a packet was lost, and this protocol relies on links that lose nothing; l-nirx "
                  "and l-hrx send again what is lost"
                : "all nodes wait for messages, and none is under way: the program never ends");
}

clump_protocol_status clump_cluster_team_run(const clump_cluster_team_options *options,
                                             clump_cluster_team_result *result)
{
    enum { FOREVER_US = 1000000000 };
    const uint16_t nodes = options->cluster.nodes;
    team t = {.options = options, .result = result, .left = nodes};
    const clump_virtual_cluster_program program = {
        .want = want, .got = got, .compute = compute, .context = &t};
    *result = (clump_cluster_team_result){.time_us = 0};
    t.status = clump_virtual_cluster_open(&options->cluster, &program, &t.cluster);
    if (t.status != CLUMP_PROTOCOL_OK) {
        snprintf(result->message, sizeof result->message, "%s",
                 t.status == CLUMP_PROTOCOL_BAD_INPUT
                     ? "hardware, protocol or nodes cannot be used: found costs that are negative "
                       "or not finite, no room for a packet, or not 2 to 1024 nodes"
                     : "no memory for nodes");
        return t.status;
    }
    if (!make(&t, nodes))
        give_up(&t, CLUMP_PROTOCOL_FAILED, "no memory for programs");
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    while (t.status == CLUMP_PROTOCOL_OK && t.left > 0 && status == CLUMP_PROTOCOL_OK) {
        status = clump_virtual_cluster_run(t.cluster, FOREVER_US);
        if (status != CLUMP_PROTOCOL_OK) {
            give_up(&t, status,
                    status == CLUMP_PROTOCOL_FAILED ? "no memory for packets"
                                                    : "it takes more than 1000 virtual seconds");
        } else if (t.left > 0 && t.status == CLUMP_PROTOCOL_OK) {
            count(&t, nodes);
            explain(&t);
        }
    }
    if (t.status == CLUMP_PROTOCOL_OK)
        count(&t, nodes);
    release(&t, nodes);
    clump_virtual_cluster_close(t.cluster);
    return t.status;
}
