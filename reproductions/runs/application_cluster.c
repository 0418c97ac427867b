/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/runs/application_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of both machines (cluster-protocols.txt, table I). */
enum { L2_BYTES = 256 * 1024 };

/* A run, and a worker of it: a node whose packets an LCI protocol carries. */
typedef struct setting {
    clump_application_run *run;
    const clump_virtual_cluster_options *machine;
    double share;
    struct cluster_worker *workers;
} setting;

typedef struct cluster_worker {
    clump_worker worker;
    clump_cluster_member *member;
    setting *setting;
} cluster_worker;

static clump_cluster_member *member_of(const clump_worker *w)
{
    return ((const cluster_worker *)w->own)->member;
}

/* ---- what systems need */

static void wait_for_packet(clump_worker *w)
{
    clump_cluster_member_wait(member_of(w));
}

static void poll(clump_worker *w)
{
    clump_cluster_member_poll(member_of(w));
}

static void work(clump_worker *w, double us)
{
    clump_cluster_member_work(member_of(w), us);
}

static double now_us(clump_worker *w)
{
    return clump_cluster_member_now_us(member_of(w));
}

static clump_time_parts parts(clump_worker *w)
{
    return clump_cluster_member_parts(member_of(w));
}

static void fail(clump_worker *w, const char *reason)
{
    clump_cluster_member_fail(member_of(w), reason);
}

static void progress(clump_worker *w, double share)
{
    if (w->rank == 0)
        ((cluster_worker *)w->own)->setting->share = share;
}

static const clump_worker_ways ways = {.wait = wait_for_packet,
                                       .poll = poll,
                                       .work = work,
                                       .now_us = now_us,
                                       .parts = parts,
                                       .fail = fail,
                                       .progress = progress};

static void send(clump_worker *w, bool all, uint32_t to, const void *data, size_t size)
{
    clump_cluster_member_send(member_of(w), all ? CLUMP_VIRTUAL_MULTICAST : CLUMP_VIRTUAL_SEND,
                              (uint16_t)to, data, (uint16_t)size, w->far);
}

static void flush(clump_worker *w)
{
    clump_cluster_member_flush(member_of(w));
}

/* Its own NIC's variable costs the host as much as one packet more each way would: it asks, and is
 * answered, but nothing crosses the network. */
static void fetch_add(clump_worker *w, uint32_t at)
{
    const cluster_worker *c = w->own;
    if (at != w->rank) {
        clump_cluster_member_send(c->member, CLUMP_VIRTUAL_FETCH_ADD, (uint16_t)at, NULL, 0, false);
        clump_cluster_member_flush(c->member);
        return;
    }
    const clump_hardware *h = &c->setting->machine->hardware;
    enum { WORDS = 20, STORES = 6 }; /* as of a packet sent and one received */
    if (w->count > 1)
        clump_cluster_member_charge(c->member, WORDS * h->host_word_us + STORES * h->pio_word_us +
                                                   h->dma_write_us);
    w->take_packet(&(clump_worker_packet){.from = at,
                                          .fetched = true,
                                          .value = clump_cluster_member_fetch_add_here(c->member)},
                   w->packet_context);
}

static void charge(clump_worker *w, double words, size_t copied, size_t near)
{
    const cluster_worker *c = w->own;
    const clump_hardware *h = &c->setting->machine->hardware;
    clump_cluster_member_charge(c->member, words * h->host_word_us +
                                               (double)copied * h->host_copy_us +
                                               (double)near * h->host_fill_us);
}

static const clump_worker_packet_ways packet_ways = {
    .send = send, .flush = flush, .fetch_add = fetch_add, .charge = charge};

/* ---- a node, and all of them */

static void be_worker(clump_cluster_member *member, void *context)
{
    setting *s = context;
    const clump_application_input *input = s->run->input;
    const uint16_t rank = clump_cluster_member_rank(member);
    cluster_worker *c = &s->workers[rank];
    clump_application_worker *told = &s->run->workers[rank];
    c->member = member;
    input->application->work(&c->worker, input, &told->result);
    told->time_us = c->worker.time_us;
    told->phase_us = c->worker.phase_us;
    told->parts = c->worker.parts;
    told->traffic = c->worker.counted;
}

static uint32_t value_of(const clump_lci_delivery *d)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4 && i < d->size; i++)
        value = value << 8 | d->data[i];
    return value;
}

static void handle(clump_cluster_member *member, const clump_lci_delivery *d, void *context)
{
    setting *s = context;
    cluster_worker *c = &s->workers[clump_cluster_member_rank(member)];
    const clump_worker_packet packet = {.from = d->origin,
                                        .all = (d->flags & CLUMP_PACKET_MULTICAST) != 0,
                                        .fetched = d->content == CLUMP_CONTENT_FETCHED,
                                        .value = value_of(d),
                                        .data = d->data,
                                        .size = d->size};
    c->member = member;
    if (c->worker.take_packet == NULL)
        clump_cluster_member_fail(member, "a packet for which there is no system");
    c->worker.take_packet(&packet, c->worker.packet_context);
}

static bool watch(void *context)
{
    const setting *s = context;
    return s->run->watch(s->share, s->run->context);
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
    setting s = {
        .run = run, .machine = machine, .workers = calloc(input->workers, sizeof *s.workers)};
    clump_cluster_team_options options = {.cluster = *machine,
                                          .work = be_worker,
                                          .handle = handle,
                                          .watch = run->watch != NULL ? watch : NULL,
                                          .context = &s};
    clump_cluster_team_result result;
    if (s.workers == NULL) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "no memory for workers");
        return CLUMP_PROTOCOL_FAILED;
    }
    options.cluster.nodes = (uint16_t)input->workers;
    options.cluster.interrupts = input->application->threads;
    for (uint32_t r = 0; r < input->workers; r++) {
        cluster_worker *c = &s.workers[r];
        *c = (cluster_worker){.worker = {.rank = r,
                                         .count = input->workers,
                                         .per_node = 1,
                                         .operation_us = operation_us,
                                         .l2_bytes = L2_BYTES,
                                         .ways = &ways,
                                         .packet_ways = &packet_ways,
                                         .packet_bytes = machine->protocol.mtu,
                                         .own = c},
                              .setting = &s};
        clump_worker_open(&c->worker);
        run->workers[r] = (clump_application_worker){.time_us = 0};
    }
    const clump_protocol_status status = clump_cluster_team_run(&options, &result);
    snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "%s", result.message);
    clump_application_run_add(run);
    run->events = result.turns;
    run->nic_utilization = result.nic_utilization;
    run->counters = result.counters;
    run->packets_us = result.time_us;
    for (uint32_t r = 0; r < input->workers; r++)
        clump_worker_close(&s.workers[r].worker);
    free(s.workers);
    return status;
}
