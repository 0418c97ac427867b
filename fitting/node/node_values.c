/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/node/node_values.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
    const char *key, *heading, *unit;
} names[CLUMP_NODE_NAMES] = {
    [CLUMP_NODE_NICS] = {"nics", "NICs (N)", ""},
    [CLUMP_NODE_PER_PROCESS] = {"nics_per_process", "NICs a process (m)", ""},
    [CLUMP_NODE_NIC_RATE] = {"nic_bandwidth", "rate of a NIC", "B/us"},
    [CLUMP_NODE_BEST_RATE] = {"best_rate", "best of all pairs", "B/us"},
    [CLUMP_NODE_PROCESS_RATE] = {"process_rate", "one process", "B/us"},
    [CLUMP_NODE_FILLING] = {"filling", "processes that fill them", ""},
    [CLUMP_NODE_LOSS] = {"nic_efficiency_loss", "loss of efficiency (e)", ""},
    [CLUMP_NODE_DUPLEX] = {"nic_duplex", "both ways over one", ""},
    [CLUMP_NODE_PROCESS_MESSAGES] = {"process_message_rate", "messages of a process", "1/us"},
    [CLUMP_NODE_NIC_MESSAGES] = {"nic_message_rate", "messages of a NIC", "1/us"},
    [CLUMP_NODE_GAP] = {"gap", "g of a NIC", "us"},
    [CLUMP_NODE_GAP_PER_BYTE] = {"gap_per_byte", "G of a NIC", "us/B"},
    [CLUMP_NODE_MEMORY_ONE] = {"memory_one", "memory, one process", "B/us"},
    [CLUMP_NODE_MEMORY_ALL] = {"memory_all", "memory, greatest", "B/us"},
    [CLUMP_NODE_MEMORY_FEEDS] = {"memory_feeds", "processes memory feeds", ""},
};

const char *clump_node_key(clump_node_name name)
{
    return names[name].key;
}

const char *clump_node_heading(clump_node_name name)
{
    return names[name].heading;
}

const char *clump_node_unit(clump_node_name name)
{
    return names[name].unit;
}

void clump_node_say(clump_node_value *value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value->reason, sizeof value->reason, format, arguments);
    va_end(arguments);
}
