/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/result_networks.h"

#include "cli/output/errors.h"
#include "cli/output/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    PLATFORM,
    PROTOCOL,
    RECOVERY,
    PACKET,
    LOSS,
    WINDOW,
    TIMEOUT,
    ROUND_TRIP,
    SENT,
    LATENCY,
    SEND_OVERHEAD,
    RECEIVE_OVERHEAD,
    GAP,
    GAP_PER_BYTE,
    COLUMN_COUNT
};

static const table_column columns[COLUMN_COUNT] = {
    [PLATFORM] = {NULL, "Platform", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PROTOCOL] = {NULL, "Protocol", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [RECOVERY] = {NULL, "Recovery", 0, FOLD_ALWAYS, COLUMN_LEFT},
    [PACKET] = {NULL, "Packet B", NUMBER_EXACT, FOLD_ALWAYS, COLUMN_RIGHT},
    [LOSS] = {NULL, "Loss", 0, FOLD_NEVER, COLUMN_RIGHT},
    [WINDOW] = {NULL, "Window", 0, FOLD_ALWAYS, COLUMN_RIGHT},
    [TIMEOUT] = {NULL, "Timeout us", NUMBER_EXACT, FOLD_ALWAYS, COLUMN_RIGHT},
    [ROUND_TRIP] = {NULL, "Round trip us", 0, FOLD_ALWAYS, COLUMN_RIGHT},
    [SENT] = {NULL, "Sent", 0, FOLD_NEVER, COLUMN_RIGHT},
    [LATENCY] = {NULL, "L us", 0, FOLD_NEVER, COLUMN_RIGHT},
    [SEND_OVERHEAD] = {NULL, "o_s us", 0, FOLD_NEVER, COLUMN_RIGHT},
    [RECEIVE_OVERHEAD] = {NULL, "o_r us", 0, FOLD_NEVER, COLUMN_RIGHT},
    [GAP] = {NULL, "g us", 0, FOLD_NEVER, COLUMN_RIGHT},
    [GAP_PER_BYTE] = {NULL, "G us/B", 0, FOLD_NEVER, COLUMN_RIGHT},
};

static const char *recovery_of(const clump_lossy_protocol *protocol)
{
    if (protocol->recovery == CLUMP_RECOVERY_NONE)
        return "none: nothing may be lost";
    if (protocol->recovery == CLUMP_RECOVERY_SELECTIVE)
        return "the host sends again what is lost";
    return protocol->on_host ? "the host sends again what is lost and all after it"
                             : "the NIC sends again what is lost and all after it";
}

static void set_cell(const void *context, size_t row, size_t column, table_cell *cell)
{
    const clump_result_network *n = ((const clump_result_network *const *)context)[row];
    switch (column) {
    case PLATFORM:
        cell_text(cell, n->platform);
        break;
    case PROTOCOL:
        cell_text(cell, n->protocol);
        break;
    case RECOVERY:
        cell_text(cell, recovery_of(&n->network.protocol));
        break;
    case WINDOW:
        cell_size(cell, n->lossy.window);
        break;
    default: {
        const clump_loggp *p = &n->lossy.loggp;
        const double values[COLUMN_COUNT] = {[PACKET] = n->network.protocol.packet_bytes,
                                             [LOSS] = n->network.loss,
                                             [TIMEOUT] = n->lossy.timeout_us,
                                             [ROUND_TRIP] = n->lossy.round_trip_us,
                                             [SENT] = n->lossy.sent,
                                             [LATENCY] = p->latency_us,
                                             [SEND_OVERHEAD] = p->send_overhead_us,
                                             [RECEIVE_OVERHEAD] = p->receive_overhead_us,
                                             [GAP] = p->gap_us,
                                             [GAP_PER_BYTE] = p->gap_us_per_byte};
        cell_real(cell, values[column]);
        break;
    }
    }
}

static bool is_there(const clump_result_network *const *networks, size_t count,
                     const clump_result_network *network)
{
    for (size_t i = 0; i < count; i++)
        if (networks[i] == network)
            return true;
    return false;
}

enum { MOST = 100 }; /* more fill pages */

/* Different ones; MOST + 1 if there are more. */
static size_t find(const clump_result *results, size_t count,
                   const clump_result_network *networks[MOST])
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (results[i].network != NULL && !is_there(networks, found, results[i].network)) {
            if (found == MOST)
                return MOST + 1;
            networks[found++] = results[i].network;
        }
    return found;
}

int result_networks_check(const char *command, const clump_result *results, size_t count)
{
    const clump_result_network *networks[MOST];
    if (find(results, count, networks) > 0)
        return EXIT_DONE;
    return error_input(command, "--explain: no network of the scenario has a protocol, expected "
                                "one, such as network = { ..., protocol = \"l-nirx\", loss = 0.001 "
                                "}");
}

int result_networks_print(const clump_result *results, size_t count)
{
    const clump_result_network *networks[MOST];
    const size_t found = find(results, count, networks);
    const table_rows rows = {.columns = columns,
                             .column_count = COLUMN_COUNT,
                             .row_count = found > MOST ? MOST : found,
                             .cell = set_cell,
                             .context = networks};
    puts("\nLogGP parameters with what is lost, for streams: g of short messages, G of full "
         "packets");
    const int status = table_print(&rows);
    if (found > MOST)
        printf("... and more: these are the first %d.\n", MOST);
    return status;
}
