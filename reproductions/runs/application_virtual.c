/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers in virtual time: processors whose messages cost what LogGP says, or nodes whose packets an LCI protocol carries. */
#include "reproductions/runs/application_run.h"

#include <stdio.h>
#include <stdlib.h>

/* Of both machines with packets (cluster-protocols.txt, table I). */
enum { L2_BYTES = 256 * 1024 };

/* A run, and a worker of it. */
typedef struct setting {
    clump_application_run *run;
    const clump_hardware *hardware; /* of nodes with packets */
    double share;
    struct virtual_worker *workers; /* of all jobs */
} setting;

typedef struct virtual_worker {
    clump_worker worker;
    clump_virtual_member *member; /* a processor, or */
    clump_cluster_member *node;
    setting *setting;
} virtual_worker;

/* ---- both */

static void progress(clump_worker *w, double share)
{
    if (w->rank == 0)
        ((virtual_worker *)w->own)->setting->share = share;
}

static bool watch(void *context)
{
    const setting *s = context;
    return s->run->watch(s->share, s->run->context);
}

/* @param like  what all workers have in common. False: no memory */
static bool open_workers(setting *s, const clump_worker *like,
                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const clump_application_input *input = s->run->input;
    const uint32_t count = clump_application_run_workers(s->run);
    s->workers = calloc(count, sizeof *s->workers);
    if (s->workers == NULL)
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "no memory for workers");
    for (uint32_t r = 0; s->workers != NULL && r < count; r++) {
        virtual_worker *v = &s->workers[r];
        v->setting = s;
        v->worker = *like;
        v->worker.rank = r % input->workers;
        v->worker.count = input->workers;
        v->worker.per_node = input->per_node;
        v->worker.own = v;
        clump_worker_open(&v->worker);
        s->run->workers[r] = (clump_application_worker){.time_us = 0};
    }
    return s->workers != NULL;
}

/* Run the program. @return what it did */
static clump_application_worker *be_worker(virtual_worker *v)
{
    const clump_application_input *input = v->setting->run->input;
    clump_application_worker *told = &v->setting->run->workers[v - v->setting->workers];
    input->application->work(&v->worker, input, &told->result);
    clump_worker_settle(&v->worker);
    told->time_us = v->worker.time_us;
    told->phase_us = v->worker.phase_us;
    told->parts = v->worker.parts;
    told->traffic = v->worker.counted;
    return told;
}

/* What came of it, of all workers, which are closed. */
static clump_protocol_status conclude(setting *s, clump_protocol_status status, const char *why,
                                      char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const bool same = clump_application_run_add(s->run);
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "%s",
             same || status != CLUMP_PROTOCOL_OK ? why : "jobs found different results");
    for (uint32_t r = 0; r < clump_application_run_workers(s->run); r++)
        clump_worker_close(&s->workers[r].worker);
    free(s->workers);
    return same || status != CLUMP_PROTOCOL_OK ? status : CLUMP_PROTOCOL_FAILED;
}

/* ---- messages that cost what LogGP says */

static clump_virtual_member *member_of(const clump_worker *w)
{
    return ((const virtual_worker *)w->own)->member;
}

static void request(clump_worker *w, uint32_t to, unsigned handler, const uint32_t *arguments,
                    unsigned count, const void *data, size_t size)
{
    clump_virtual_member_request(member_of(w), to, handler, arguments, count, data, size);
}

static void reply(clump_worker *w, void *token, unsigned handler, const uint32_t *arguments,
                  unsigned count, const void *data, size_t size)
{
    (void)token; /* the member knows whom it answers */
    clump_virtual_member_reply(member_of(w), handler, arguments, count, data, size);
}

static void member_wait(clump_worker *w)
{
    clump_virtual_member_wait(member_of(w));
}

static void member_poll(clump_worker *w)
{
    enum { MOST = 16 };
    clump_virtual_member_poll(member_of(w), MOST);
}

static void member_work(clump_worker *w, double us)
{
    clump_virtual_member_work(member_of(w), us);
}

static void member_walk(clump_worker *w, double us, double loaded, double written)
{
    clump_virtual_member_walk(member_of(w), us, loaded, written);
}

static double member_now_us(clump_worker *w)
{
    return (double)clump_virtual_member_now_ps(member_of(w)) / 1e6;
}

static clump_time_parts member_parts(clump_worker *w)
{
    return clump_virtual_member_parts(member_of(w));
}

static void member_fail(clump_worker *w, const char *reason)
{
    clump_virtual_member_fail(member_of(w), reason);
}

static const clump_worker_ways member_ways = {.request = request,
                                              .reply = reply,
                                              .wait = member_wait,
                                              .poll = member_poll,
                                              .work = member_work,
                                              .walk = member_walk,
                                              .now_us = member_now_us,
                                              .parts = member_parts,
                                              .fail = member_fail,
                                              .progress = progress};

static virtual_worker *worker_of(const setting *s, const clump_virtual_member *m)
{
    return &s->workers[clump_virtual_member_job(m) * s->run->input->workers +
                       clump_virtual_member_rank(m)];
}

static void be_member(clump_virtual_member *member, void *context)
{
    virtual_worker *v = worker_of(context, member);
    v->member = member;
    clump_application_worker *told = be_worker(v);
    told->longest_queue = clump_virtual_member_longest_queue(member);
    told->memory_bytes = v->worker.most_memory_bytes;
}

static void handle(clump_virtual_member *member, const clump_virtual_arrival *arrival,
                   void *context)
{
    clump_worker *w = &worker_of(context, member)->worker;
    clump_worker_take(w, &(clump_worker_arrival){.message = &arrival->message,
                                                 .token = arrival->reply ? NULL : member,
                                                 .local = clump_worker_is_local(w, arrival->from)});
}

clump_protocol_status clump_application_run_virtual(clump_application_run *run,
                                                    const clump_virtual_team_options *machine,
                                                    double operation_us,
                                                    char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const clump_application_input *input = run->input;
    setting s = {.run = run};
    clump_virtual_team_options options = *machine;
    clump_virtual_team_result result;
    if (!open_workers(&s,
                      &(clump_worker){.operation_us = operation_us > 0
                                                          ? operation_us
                                                          : input->application->operation_us,
                                      .cache_bytes = run->cache_bytes,
                                      .ways = &member_ways},
                      message))
        return CLUMP_PROTOCOL_FAILED;
    options.processors = input->per_node;
    options.nodes = input->workers / input->per_node;
    options.work = be_member;
    options.handle = handle;
    options.watch = run->watch != NULL ? watch : NULL;
    options.context = &s;
    const clump_protocol_status status = clump_virtual_team_run(&options, &result, NULL);
    run->events = result.events;
    run->nic_utilization = result.nic_utilization;
    return conclude(&s, status, result.message, message);
}

/* ---- packets that an LCI protocol carries */

static clump_cluster_member *node_of(const clump_worker *w)
{
    return ((const virtual_worker *)w->own)->node;
}

static void node_wait(clump_worker *w)
{
    clump_cluster_member_wait(node_of(w));
}

static void node_poll(clump_worker *w)
{
    clump_cluster_member_poll(node_of(w));
}

static void node_work(clump_worker *w, double us)
{
    clump_cluster_member_work(node_of(w), us);
}

static double node_now_us(clump_worker *w)
{
    return clump_cluster_member_now_us(node_of(w));
}

static clump_time_parts node_parts(clump_worker *w)
{
    return clump_cluster_member_parts(node_of(w));
}

static void node_fail(clump_worker *w, const char *reason)
{
    clump_cluster_member_fail(node_of(w), reason);
}

static const clump_worker_ways node_ways = {.wait = node_wait,
                                            .poll = node_poll,
                                            .work = node_work,
                                            .now_us = node_now_us,
                                            .parts = node_parts,
                                            .fail = node_fail,
                                            .progress = progress};

static void send(clump_worker *w, bool all, uint32_t to, const void *data, size_t size)
{
    clump_cluster_member_send(node_of(w), all ? CLUMP_VIRTUAL_MULTICAST : CLUMP_VIRTUAL_SEND,
                              (uint16_t)to, data, (uint16_t)size, w->far);
}

static void flush(clump_worker *w)
{
    clump_cluster_member_flush(node_of(w));
}

/* Its own NIC's variable costs the host as much as one packet more each way would: it asks, and is
 * answered, but nothing crosses the network. */
static void fetch_add(clump_worker *w, uint32_t at)
{
    const virtual_worker *v = w->own;
    if (at != w->rank) {
        clump_cluster_member_send(v->node, CLUMP_VIRTUAL_FETCH_ADD, (uint16_t)at, NULL, 0, false);
        clump_cluster_member_flush(v->node);
        return;
    }
    const clump_hardware *h = v->setting->hardware;
    enum { WORDS = 20, STORES = 6 }; /* as of a packet sent and one received */
    if (w->count > 1)
        clump_cluster_member_charge(v->node, WORDS * h->host_word_us + STORES * h->pio_word_us +
                                                 h->dma_write_us);
    w->take_packet(&(clump_worker_packet){.from = at,
                                          .fetched = true,
                                          .value = clump_cluster_member_fetch_add_here(v->node)},
                   w->packet_context);
}

static void charge(clump_worker *w, double words, size_t copied, size_t near)
{
    const virtual_worker *v = w->own;
    const clump_hardware *h = v->setting->hardware;
    clump_cluster_member_charge(v->node, words * h->host_word_us +
                                             (double)copied * h->host_copy_us +
                                             (double)near * h->host_fill_us);
}

static const clump_worker_packet_ways packet_ways = {
    .send = send, .flush = flush, .fetch_add = fetch_add, .charge = charge};

static void be_node(clump_cluster_member *node, void *context)
{
    virtual_worker *v = &((setting *)context)->workers[clump_cluster_member_rank(node)];
    v->node = node;
    be_worker(v);
}

static uint32_t value_of(const clump_lci_delivery *d)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4 && i < d->size; i++)
        value = value << 8 | d->data[i];
    return value;
}

static void take(clump_cluster_member *node, const clump_lci_delivery *d, void *context)
{
    virtual_worker *v = &((setting *)context)->workers[clump_cluster_member_rank(node)];
    const clump_worker_packet packet = {.from = d->origin,
                                        .all = (d->flags & CLUMP_PACKET_MULTICAST) != 0,
                                        .fetched = d->content == CLUMP_CONTENT_FETCHED,
                                        .value = value_of(d),
                                        .data = d->data,
                                        .size = d->size};
    v->node = node;
    if (v->worker.take_packet == NULL)
        clump_cluster_member_fail(node, "a packet for which there is no system");
    v->worker.take_packet(&packet, v->worker.packet_context);
}

clump_protocol_status clump_application_run_cluster(clump_application_run *run,
                                                    const clump_virtual_cluster_options *machine,
                                                    double operation_us,
                                                    char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const clump_application_input *input = run->input;
    if (input->per_node != 1 || input->workers < 2 || input->workers > 1024) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                 "found %u nodes of %u processors, expected 2 to 1024 nodes of one",
                 input->workers / input->per_node, input->per_node);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    setting s = {.run = run, .hardware = &machine->hardware};
    clump_cluster_team_options options = {.cluster = *machine,
                                          .work = be_node,
                                          .handle = take,
                                          .watch = run->watch != NULL ? watch : NULL,
                                          .context = &s};
    clump_cluster_team_result result;
    if (!open_workers(&s,
                      &(clump_worker){.operation_us = operation_us,
                                      .l2_bytes = L2_BYTES,
                                      .ways = &node_ways,
                                      .packet_ways = &packet_ways,
                                      .packet_bytes = machine->protocol.mtu},
                      message))
        return CLUMP_PROTOCOL_FAILED;
    options.cluster.nodes = (uint16_t)input->workers;
    options.cluster.interrupts = input->application->threads;
    const clump_protocol_status status = clump_cluster_team_run(&options, &result);
    run->events = result.turns;
    run->nic_utilization = result.nic_utilization;
    run->counters = result.counters;
    run->packets_us = result.time_us;
    return conclude(&s, status, result.message, message);
}
