/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* unshare, sethostname, pipe2 */
#include "protocols/emulation/nodes.h"
#include "data/owned.h"
#include "protocols/emulation/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

/*
 * Small packets make token buckets exact: a bucket that was idle lets its burst and one packet more
 * through at once. And no larger ones are made for a moment, as the kernel likes to.
 */
enum { MESSAGE = 256, MTU = 1500, FRAME = MTU + 14, QUEUE = 100000 };
#define LATE_SECONDS 0.0003 /* that a bucket makes good when the kernel looks at it late */

/** What a node tells who makes it. */
struct word {
    clump_protocol_status status;
    char message[MESSAGE];
};

void clump_nodes_name(unsigned node, char name[CLUMP_NODES_NAME])
{
    snprintf(name, CLUMP_NODES_NAME, "node%u", node + 1);
}

void clump_nodes_address(unsigned node, char address[CLUMP_NODES_NAME])
{
    snprintf(address, CLUMP_NODES_NAME, "10.98.0.%u", (node + 1) % 256);
}

void clump_nodes_nic(unsigned nic, char name[CLUMP_NODES_NAME])
{
    snprintf(name, CLUMP_NODES_NAME, "nic%u", nic);
}

bool clump_nodes_enter(const struct clump_nodes *nodes, unsigned node)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/ns/net", (long)nodes->holder[node]);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool entered = file >= 0 && setns(file, CLONE_NEWNET) == 0;
    if (file >= 0)
        close(file);
    return entered;
}

/* ---- links, network 0 being that which starts programs */

static void name_link(unsigned network, char name[16])
{
    if (network == 0)
        snprintf(name, 16, "starter");
    else
        clump_nodes_nic(network - 1, name);
}

/* The bucket takes the headers that do not count off each packet. */
static void add_rate(struct clump_emulation_batch *batch, const char *name,
                     const struct clump_nodes_plan *plan)
{
    const double least = plan->datagrams ? 1 : FRAME + 100;
    double burst = plan->bits_per_second / 8 * LATE_SECONDS;
    burst = burst < least ? least : burst;
    clump_emulation_batch_add(batch,
                              "qdisc add dev %s root handle 1: stab overhead -%u linklayer "
                              "ethernet htb default 1",
                              name, plan->datagrams ? 0u : CLUMP_NODES_TCP_HEADERS);
    clump_emulation_batch_add(batch,
                              "class add dev %s parent 1: classid 1:1 htb rate %.0fbit ceil "
                              "%.0fbit burst %.0f cburst %.0f quantum %d",
                              name, plan->bits_per_second, plan->bits_per_second, burst, burst,
                              FRAME);
    clump_emulation_batch_add(batch, "qdisc add dev %s parent 1:1 pfifo limit %d", name, QUEUE);
}

static clump_protocol_status make_network(const struct clump_nodes_plan *plan, char *message)
{
    struct clump_emulation_batch batch = {.used = 0};
    clump_emulation_batch_add(&batch, "link set lo up");
    for (unsigned network = 0; network <= plan->nics; network++) {
        clump_emulation_batch_add(&batch, "link add net%u type bridge", network);
        clump_emulation_batch_add(&batch, "link set net%u up", network);
    }
    clump_emulation_batch_add(&batch, "addr add 10.99.255.254/16 dev net0");
    return clump_emulation_tool_run("ip", &batch, message);
}

static void name_far(unsigned node, unsigned network, char name[16])
{
    snprintf(name, 16, "far%u.%u", node % 1000, network % 100);
}

/* The ends that stay with us; what comes out of them goes to the node, at the rate of its NIC. */
static clump_protocol_status join_networks(const struct clump_nodes_plan *plan, unsigned node,
                                           char *message)
{
    struct clump_emulation_batch batch = {.used = 0}, rates = {.used = 0};
    for (unsigned network = 0; network <= plan->nics; network++) {
        char far[16];
        name_far(node, network, far);
        clump_emulation_batch_add(&batch, "link set %s gso_max_size %d gso_max_segs 1", far, FRAME);
        clump_emulation_batch_add(&batch, "link set %s master net%u up", far, network);
        if (network > 0)
            add_rate(&rates, far, plan);
    }
    const clump_protocol_status status = clump_emulation_tool_run("ip", &batch, message);
    return status == CLUMP_PROTOCOL_OK ? clump_emulation_tool_run("tc", &rates, message) : status;
}

/* ---- a node */

static void set(const char *name, const char *value)
{
    char path[128];
    snprintf(path, sizeof path, "/proc/sys/net/%s", name);
    clump_emulation_write(path, value); /* another kernel: then it is as it is */
}

/* `here`: the network where the bridges are. */
static clump_protocol_status make_links(const struct clump_nodes_plan *plan, unsigned node,
                                        int here, char *message)
{
    struct clump_emulation_batch batch = {.used = 0}, rates = {.used = 0};
    set("ipv6/conf/all/disable_ipv6", "1");
    set("ipv6/conf/default/disable_ipv6", "1");
    /* Nothing is lost here: what takes long is only slow. */
    set("ipv4/tcp_congestion_control", "reno");
    set("ipv4/tcp_slow_start_after_idle", "0");
    set("ipv4/tcp_early_retrans", "0");
    /* An answer may come by another NIC than the question took. */
    set("ipv4/conf/all/rp_filter", "0");
    set("ipv4/conf/default/rp_filter", "0");
    char address[CLUMP_NODES_NAME];
    clump_nodes_address(node, address);
    clump_emulation_batch_add(&batch, "link set lo up");
    if (plan->datagrams)
        clump_emulation_batch_add(&batch, "addr add %s/32 dev lo", address);
    for (unsigned network = 0; network <= plan->nics; network++) {
        char name[16], far[16];
        name_link(network, name);
        name_far(node, network, far);
        clump_emulation_batch_add(
            &batch, "link add %s type veth peer name %s netns /proc/self/fd/%d", name, far, here);
        clump_emulation_batch_add(&batch, "link set %s gso_max_size %d gso_max_segs 1", name,
                                  FRAME);
        clump_emulation_batch_add(&batch, "link set %s mtu %d up", name, MTU);
        clump_emulation_batch_add(&batch, "addr add 10.%u.0.%u/16 dev %s", 99 + network, node + 1,
                                  name);
        clump_emulation_batch_add(&batch,
                                  "route replace 10.%u.0.0/16 dev %s src 10.%u.0.%u rto_min 5s "
                                  "initcwnd 64",
                                  99 + network, name, 99 + network, node + 1);
        if (network > 0 && plan->datagrams)
            clump_emulation_batch_add(&batch, "route add 10.98.0.0/24 dev %s src %s metric %u",
                                      name, address, network);
        if (network > 0)
            add_rate(&rates, name, plan);
    }
    const clump_protocol_status status = clump_emulation_tool_run("ip", &batch, message);
    return status == CLUMP_PROTOCOL_OK ? clump_emulation_tool_run("tc", &rates, message) : status;
}

static clump_protocol_status open_node(unsigned node, char *message)
{
    char name[CLUMP_NODES_NAME];
    clump_nodes_name(node, name);
    if (unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWNS) != 0 ||
        sethostname(name, strlen(name)) != 0) {
        snprintf(message, MESSAGE, "no namespaces for node %u: %s", node + 1, strerror(errno));
        return CLUMP_PROTOCOL_BLOCKED;
    }
    /* MPICH looks there which NICs it has. Where the system forbids it, Open MPI still works. */
    mount("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    return CLUMP_PROTOCOL_OK;
}

/* It makes itself, says how that went, and then only is. */
static void be_node(const struct clump_nodes_plan *plan, unsigned node, int here, int line)
{
    struct word word = {.message = ""};
    word.status = open_node(node, word.message);
    if (word.status == CLUMP_PROTOCOL_OK)
        word.status = make_links(plan, node, here, word.message);
    if (write(line, &word, sizeof word) != (ssize_t)sizeof word)
        _exit(1);
    close(line);
    for (;;)
        pause();
}

static clump_protocol_status start_nodes(struct clump_nodes *nodes,
                                         const struct clump_nodes_plan *plan, int here,
                                         const int line[2], char *message)
{
    for (unsigned n = 0; n < plan->nodes; n++) {
        const pid_t child = clump_child_fork(SIGKILL);
        if (child == 0)
            be_node(plan, n, here, line[1]);
        if (child < 0) {
            snprintf(message, MESSAGE, "no more processes: %s", strerror(errno));
            return CLUMP_PROTOCOL_FAILED;
        }
        nodes->holder[nodes->count++] = child;
    }
    return CLUMP_PROTOCOL_OK;
}

/* Of any node. */
static clump_protocol_status hear(int line, char *message)
{
    struct word word;
    ssize_t got;
    while ((got = read(line, &word, sizeof word)) < 0 && errno == EINTR)
        continue;
    if (got != (ssize_t)sizeof word) {
        snprintf(message, MESSAGE, "a node ended while it was made");
        return CLUMP_PROTOCOL_FAILED;
    }
    if (word.status != CLUMP_PROTOCOL_OK)
        snprintf(message, MESSAGE, "%.*s", MESSAGE - 1, word.message);
    return word.status;
}

clump_protocol_status clump_nodes_make(struct clump_nodes *nodes,
                                       const struct clump_nodes_plan *plan, char *message)
{
    int line[2]; /* a word is short enough to be written at once */
    nodes->count = 0;
    const int here = open("/proc/self/ns/net", O_RDONLY); /* `ip` inherits it */
    if (here < 0 || pipe2(line, O_CLOEXEC) != 0) {
        snprintf(message, MESSAGE, "no descriptors: %s", strerror(errno));
        if (here >= 0)
            close(here);
        return CLUMP_PROTOCOL_FAILED;
    }
    clump_protocol_status status = make_network(plan, message);
    if (status == CLUMP_PROTOCOL_OK)
        status = start_nodes(nodes, plan, here, line, message);
    close(line[1]);
    for (unsigned n = 0; n < plan->nodes && status == CLUMP_PROTOCOL_OK; n++)
        status = hear(line[0], message);
    for (unsigned n = 0; n < plan->nodes && status == CLUMP_PROTOCOL_OK; n++)
        status = join_networks(plan, n, message);
    close(line[0]);
    close(here);
    return status;
}

/* ---- what its NICs did */

static void read_file(const char *path, char *text, size_t size)
{
    size_t used = 0;
    ssize_t got;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    while (file >= 0 && used + 1 < size && (got = read(file, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    if (file >= 0)
        close(file);
    text[used] = '\0';
}

/* "Tcp: RtoAlgorithm ... RetransSegs ..." and below it the numbers. */
static uint64_t retransmitted(const char *text)
{
    const char *names = strstr(text, "Tcp:");
    const char *numbers = names != NULL ? strstr(names + 1, "Tcp:") : NULL;
    const char *wanted = names != NULL ? strstr(names, " RetransSegs") : NULL;
    unsigned long long number = 0;
    if (numbers == NULL || wanted == NULL || wanted > numbers)
        return 0;
    for (; names <= wanted; names++)
        if (*names == ' ')
            numbers += 1 + strcspn(numbers + 1, " ");
    return sscanf(numbers, " %llu", &number) == 1 ? number : 0;
}

static void read_devices(const char *path, struct clump_nodes_traffic *traffic)
{
    char text[8192];
    *traffic = (struct clump_nodes_traffic){.retransmitted = 0};
    read_file(path, text, sizeof text);
    for (const char *at = text; (at = strstr(at, "nic")) != NULL; at++) {
        unsigned nic;
        unsigned long long bytes, packets;
        if (sscanf(at, "nic%u: %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &nic, &bytes,
                   &packets) == 3 &&
            nic < CLUMP_NODES_MOST_NICS) {
            traffic->bytes[nic] = bytes;
            traffic->packets[nic] = packets;
        }
    }
}

void clump_nodes_read_own_traffic(struct clump_nodes_traffic *traffic)
{
    read_devices("/proc/self/net/dev", traffic);
}

void clump_nodes_read_traffic(const struct clump_nodes *nodes, unsigned node,
                              struct clump_nodes_traffic *traffic)
{
    char text[8192], path[64];
    snprintf(path, sizeof path, "/proc/%ld/net/dev", (long)nodes->holder[node]);
    read_devices(path, traffic);
    snprintf(path, sizeof path, "/proc/%ld/net/snmp", (long)nodes->holder[node]);
    read_file(path, text, sizeof text);
    traffic->retransmitted = retransmitted(text);
}
