/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* unshare, setns */
#include "protocols/emulation/testbed.h"
#include "protocols/emulation/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE = CLUMP_EMULATION_MESSAGE_BYTES, FIRST_CLASS = 0x10 };

/* ---- addresses: 10.77.x.y, a network of four for each NIC */

static uint32_t link_number(unsigned node, unsigned nic)
{
    return node == 0 ? nic : CLUMP_EMULATION_MOST_NICS + node - 1;
}

static uint32_t far_host(unsigned node, unsigned nic)
{
    return (UINT32_C(10) << 24) + (UINT32_C(77) << 16) + 4 * link_number(node, nic) + 2;
}

struct sockaddr_in clump_emulation_far_address(unsigned node, unsigned nic, uint16_t port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr.s_addr = htonl(far_host(node, nic))};
}

static void show_address(uint32_t host, char text[16])
{
    snprintf(text, 16, "%u.%u.%u.%u", (host >> 24) & 255, (host >> 16) & 255, (host >> 8) & 255,
             host & 255);
}

int clump_emulation_class(const clump_emulation_plan *plan, unsigned processor)
{
    return 0x10000 + FIRST_CLASS + (plan->fifo ? 0 : (int)processor);
}

/* ---- namespaces */

/* The one we are in, as a descriptor. Nothing there shall speak by itself. */
static int hold(void)
{
    clump_emulation_write("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
    clump_emulation_write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    return open("/proc/self/ns/net", O_RDONLY); /* `ip` inherits it */
}

/* ---- NICs */

static void add_link(struct clump_emulation_batch *batch, int far, unsigned node, unsigned nic,
                     const clump_emulation_plan *plan)
{
    const uint32_t number = link_number(node, nic);
    char near_text[16], far_text[16];
    show_address(far_host(node, nic) - 1, near_text);
    show_address(far_host(node, nic), far_text);
    /* Known addresses on both sides: no ARP, which would need the NIC. */
    clump_emulation_batch_add(
        batch,
        "link add nic%u address 02:00:00:00:01:%02x type veth peer name far%u "
        "address 02:00:00:00:02:%02x netns /proc/self/fd/%d",
        nic, number, number, number, far);
    clump_emulation_batch_add(batch, "link set nic%u mtu %u txqueuelen 100000 up", nic,
                              plan->packet > 1514 ? plan->packet - 14 : 1500);
    clump_emulation_batch_add(batch, "addr add %s/30 dev nic%u", near_text, nic);
    clump_emulation_batch_add(batch,
                              "neigh add %s lladdr 02:00:00:00:02:%02x dev nic%u nud permanent",
                              far_text, number, nic);
}

/*
 * One class at the top has the rate; those of the processors own nothing and borrow all of it, a
 * quantum of one packet in turn. What nobody claims is not limited, as nothing but ours is sent.
 */
static void add_rate(struct clump_emulation_batch *batch, unsigned nic, unsigned classes,
                     const clump_emulation_plan *plan)
{
    const double bits = 8e6 * plan->bytes_per_us;
    clump_emulation_batch_add(batch, "qdisc add dev nic%u root handle 1: htb default 0", nic);
    clump_emulation_batch_add(batch,
                              "class add dev nic%u parent 1: classid 1:1 htb rate %.0fbit ceil "
                              "%.0fbit burst %u cburst %u quantum %u",
                              nic, bits, bits, plan->burst, plan->burst, plan->packet);
    for (unsigned c = 0; c < classes; c++)
        clump_emulation_batch_add(batch,
                                  "class add dev nic%u parent 1:1 classid 1:%x htb rate 8bit ceil "
                                  "%.0fbit burst 1 cburst %u quantum %u",
                                  nic, FIRST_CLASS + c, 1000 * bits, 100 * plan->packet,
                                  plan->packet);
}

static clump_protocol_status make_node(const struct clump_emulation_testbed *testbed, unsigned node,
                                       const clump_emulation_plan *plan, char *message)
{
    const unsigned nics = node == 0 ? plan->nics : 1;
    const unsigned classes = plan->fifo ? 1 : plan->processors;
    struct clump_emulation_batch batch = {.used = 0}, rates = {.used = 0};
    for (unsigned n = 0; n < nics; n++) {
        add_link(&batch, testbed->far, node, n, plan);
        add_rate(&rates, n, classes, plan);
    }
    clump_protocol_status status = clump_emulation_tool_run("ip", &batch, message);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_emulation_tool_run("tc", &rates, message);
    return status;
}

static clump_protocol_status make_far(const clump_emulation_plan *plan, char *message)
{
    struct clump_emulation_batch batch = {.used = 0};
    for (unsigned node = 0; node <= plan->processors; node++)
        for (unsigned nic = 0; nic < (node == 0 ? plan->nics : 1); nic++) {
            char text[16];
            const uint32_t number = link_number(node, nic);
            show_address(far_host(node, nic), text);
            clump_emulation_batch_add(&batch, "link set far%u up", number);
            clump_emulation_batch_add(&batch, "addr add %s/30 dev far%u", text, number);
        }
    return clump_emulation_tool_run("ip", &batch, message);
}

clump_protocol_status clump_emulation_testbed_make(struct clump_emulation_testbed *testbed,
                                                   const clump_emulation_plan *plan, char *message)
{
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    *testbed = (struct clump_emulation_testbed){.far = hold()};
    for (unsigned n = 0; n <= plan->processors && status == CLUMP_PROTOCOL_OK; n++) {
        if (testbed->far < 0 || unshare(CLONE_NEWNET) != 0 || (testbed->nodes[n] = hold()) < 0) {
            snprintf(message, MESSAGE, "no more network namespaces: %s", strerror(errno));
            return CLUMP_PROTOCOL_FAILED;
        }
        testbed->node_count = n + 1;
        status = make_node(testbed, n, plan, message);
    }
    if (status == CLUMP_PROTOCOL_OK && setns(testbed->far, CLONE_NEWNET) != 0) {
        snprintf(message, MESSAGE, "setns: %s", strerror(errno));
        status = CLUMP_PROTOCOL_FAILED;
    }
    return status == CLUMP_PROTOCOL_OK ? make_far(plan, message) : status;
}
