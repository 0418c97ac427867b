/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "reproductions/runs/application_emulated.h"
#include "protocols/emulation/nodes_run.h"
#include "reproductions/runs/application_live.h"

#include <math.h>
#include <net/if.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

_Static_assert((int)CLUMP_CALIBRATION_MESSAGE_BYTES == (int)CLUMP_NODES_MESSAGE,
               "a message of one fits the other");
_Static_assert((int)CLUMP_APPLICATION_NICS == (int)CLUMP_NODES_MOST_NICS, "all have room");

enum {
    MESSAGE = CLUMP_CALIBRATION_MESSAGE_BYTES,
    PRIORITY = 40,
    /* Queues before NICs are long, and nothing is lost: what is late is not sent again. */
    RESEND_MS = 5000
};

/* What the process on the nodes, and its children, hand back. */
struct shared {
    _Atomic double share;
    clump_application_told told[];
};

struct course {
    clump_application_run *run;
    const clump_application_machine *machine;
    struct clump_nodes_run on_nodes;
    struct shared *shared;
    const struct clump_nodes *nodes; /* on them */
    const struct clump_nodes_permit *permit;
    char *stopped; /* why it was */
    bool out_of_time;
};

static unsigned workers_of_a_node(const struct course *c)
{
    return c->machine->now ? 1 : c->run->input->per_node;
}

static unsigned nics_of_a_node(const struct course *c)
{
    return c->machine->now ? 1 : c->machine->nics;
}

/* ---- a worker */

/* What it did before what is timed, and until its end; of this process. */
static struct {
    unsigned count;
    struct clump_nodes_traffic traffic[2];
    double processor_s[2];
    uint64_t late_ns[2];
    bool real_time;
} marks;

static bool settle(unsigned rank, clump_endpoint_options *endpoint, const void *context,
                   char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    static char address[CLUMP_NODES_NAME + 3];
    static unsigned interfaces[CLUMP_NODES_MOST_NICS];
    const struct course *c = ((const clump_application_site *)context)->own;
    const unsigned node = rank / workers_of_a_node(c);
    char name[CLUMP_NODES_NAME];
    clump_team_unpin(); /* it mostly sleeps, and is to wake up where there is room */
    if (!clump_nodes_enter(c->nodes, node)) {
        snprintf(message, MESSAGE, "it could not enter the network of its node");
        return false;
    }
    clump_nodes_address(node, name);
    snprintf(address, sizeof address, "%s:0", name);
    for (unsigned n = 0; n < nics_of_a_node(c); n++) {
        clump_nodes_nic(n, name);
        interfaces[n] = if_nametoindex(name);
    }
    endpoint->listen = address;
    endpoint->interfaces = interfaces;
    endpoint->interface_count = nics_of_a_node(c);
    return true;
}

static void enter(const clump_application_site *site)
{
    const struct course *c = site->own;
    const struct sched_param priority = {.sched_priority = PRIORITY};
    marks.real_time = c->machine->real_time && sched_setscheduler(0, SCHED_RR, &priority) == 0;
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); /* the usual 50 us would be late */
}

static double processor_seconds(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void mark(const clump_application_site *site, uint32_t rank, uint64_t late_ns)
{
    const struct course *c = site->own;
    const unsigned which = marks.count++ > 0; /* the last one is the end */
    if (rank % workers_of_a_node(c) == 0)
        clump_nodes_read_own_traffic(&marks.traffic[which]);
    marks.processor_s[which] = processor_seconds();
    marks.late_ns[which] = late_ns;
}

static void leave(const clump_application_site *site, const struct clump_team_member *member,
                  const struct clump_application_pace *pace, clump_application_told *told)
{
    const struct course *c = site->own;
    const struct sched_param priority = {.sched_priority = 0};
    clump_endpoint_traffic traffic;
    clump_endpoint_count_traffic(member->endpoint, &traffic);
    sched_setscheduler(0, SCHED_OTHER, &priority);
    *told = (clump_application_told){
        .sent = traffic.sent,
        .resent = traffic.resent,
        .processor_s = marks.processor_s[1] - marks.processor_s[0],
        .late_s = 1e-9 * (double)(marks.late_ns[1] - marks.late_ns[0]) / c->machine->dilation,
        .latest_s = 1e-9 * (double)pace->latest_ns / c->machine->dilation,
        .real_time = marks.real_time};
    for (unsigned n = 0; n < nics_of_a_node(c); n++) {
        told->nic_bytes[n] = marks.traffic[1].bytes[n] - marks.traffic[0].bytes[n];
        told->nic_packets[n] = marks.traffic[1].packets[n] - marks.traffic[0].packets[n];
    }
}

/* ---- the process that starts them */

static bool attend(double share, void *context)
{
    struct course *c = context;
    atomic_store(&c->shared->share, share);
    c->out_of_time = clump_nodes_wait(c->permit, 0, c->stopped) != CLUMP_PROTOCOL_OK;
    return c->out_of_time;
}

static clump_protocol_status run_team(const struct clump_nodes *nodes,
                                      const struct clump_nodes_permit *permit, void *context,
                                      char *message)
{
    struct course *c = context;
    const clump_application_machine *machine = c->machine;
    char why[MESSAGE] = "";
    c->nodes = nodes;
    c->permit = permit;
    c->stopped = message;
    const clump_application_site site = {.input = c->run->input,
                                         .endpoint = {.bulk_length = 64,
                                                      .backoff_limit_us = 1,
                                                      .events = true,
                                                      .polling = "always",
                                                      .resend_ms = RESEND_MS},
                                         .per_machine = workers_of_a_node(c),
                                         .operation_us = machine->operation_us,
                                         .dilation = machine->dilation,
                                         .own = c,
                                         .settle = settle,
                                         .enter = enter,
                                         .mark = mark,
                                         .leave = leave};
    const clump_protocol_status status =
        clump_application_run_team(&site, c->shared->told, attend, c, why);
    if (status != CLUMP_PROTOCOL_OK && !c->out_of_time)
        snprintf(message, MESSAGE, "%s", why);
    return status;
}

/* ---- the caller */

static bool watch(void *context)
{
    const struct course *c = context;
    return c->run->watch(atomic_load(&c->shared->share), c->run->context);
}

static bool is_good(double value, double least, double most)
{
    return value >= least && value <= most; /* and no NAN */
}

static const char *find_fault(const struct course *c)
{
    const clump_application_machine *m = c->machine;
    const clump_application_input *input = c->run->input;
    if (input->workers / workers_of_a_node(c) > CLUMP_NODES_MOST)
        return "nodes: expected 1 to 64";
    if (m->nics < 1 || m->nics > CLUMP_NODES_MOST_NICS)
        return "NICs: expected 1 to 16";
    if (!is_good(m->dilation, 1, 100000))
        return "dilation: expected 1 to 100000";
    if (!is_good(m->rate_mbit / m->dilation, 0.01, 10000))
        return "rate: expected 0.01 to 10000 Mbit/s when divided by the dilation";
    if (!is_good(m->operation_us, 0, 1e6))
        return "operation: expected a cost of 0 to 1000000 us";
    return NULL;
}

static void collect(const struct course *c, clump_emulated_outcome *how)
{
    clump_application_run *run = c->run;
    const clump_application_machine *m = c->machine;
    const unsigned nics = nics_of_a_node(c), nodes = c->on_nodes.plan.nodes;
    double sent = 0, resent = 0, processor_s = 0;
    for (uint32_t r = 0; r < run->input->workers; r++)
        run->workers[r] = c->shared->told[r].worker;
    clump_application_run_add(run);
    const double time_s = run->time_us / 1e6, able = 1e6 * m->rate_mbit / 8 * time_s;
    *how = (clump_emulated_outcome){.seconds = time_s,
                                    .machine_busy = c->on_nodes.machine_busy,
                                    .machine_taken = c->on_nodes.machine_taken,
                                    .real_time = true};
    for (uint32_t r = 0; r < run->input->workers; r++) {
        const clump_application_told *told = &c->shared->told[r];
        sent += (double)told->sent;
        resent += (double)told->resent;
        processor_s += told->processor_s;
        how->late = fmax(how->late, time_s > 0 ? told->late_s / time_s : 0);
        how->latest = fmax(how->latest, told->latest_s);
        how->real_time = how->real_time && told->real_time;
        for (unsigned n = 0; n < nics; n++) { /* of the first of a node; 0 of the others */
            how->bytes += (double)told->nic_bytes[n];
            how->packets += (double)told->nic_packets[n];
            how->busiest_nic =
                fmax(how->busiest_nic, able > 0 ? (double)told->nic_bytes[n] / able : 0);
        }
    }
    how->nic_use = able > 0 ? how->bytes / (nodes * nics * able) : 0;
    how->again = sent > 0 ? resent / sent : 0;
    how->processor_use = time_s > 0 ? processor_s / (time_s * m->dilation) : 0;
    run->nic_utilization = how->nic_use;
    run->events = 0;
}

clump_protocol_status clump_application_run_emulated(clump_application_run *run,
                                                     const clump_application_machine *machine,
                                                     clump_emulated_outcome *how,
                                                     char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    struct course c = {.run = run, .machine = machine};
    const uint32_t workers = run->input->workers;
    const size_t size = sizeof *c.shared + workers * sizeof c.shared->told[0];
    const char *fault = find_fault(&c);
    clump_protocol_status status = clump_application_check_live(run->input, message);
    if (status == CLUMP_PROTOCOL_OK && fault != NULL) {
        snprintf(message, MESSAGE, "%s", fault);
        status = CLUMP_PROTOCOL_BAD_INPUT;
    }
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_nodes_probe(true, message);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    c.shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (c.shared == MAP_FAILED) {
        snprintf(message, MESSAGE, "no memory for results");
        return CLUMP_PROTOCOL_FAILED;
    }
    c.on_nodes = (struct clump_nodes_run){
        .plan = {.nodes = workers / workers_of_a_node(&c),
                 .nics = nics_of_a_node(&c),
                 .bits_per_second = 1e6 * machine->rate_mbit / machine->dilation,
                 .datagrams = true},
        .limit_seconds = machine->limit_seconds,
        .work = run_team,
        .context = &c,
        .watch = run->watch != NULL ? watch : NULL};
    status = clump_nodes_run(&c.on_nodes, message);
    if (status == CLUMP_PROTOCOL_OK)
        collect(&c, how);
    munmap(c.shared, size);
    return status;
}
