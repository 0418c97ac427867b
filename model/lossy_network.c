/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/lossy_network.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* ---- protocols */

enum choice { TRANSFER, RELIABILITY, MULTICAST, MTU, TREE, CHOICES };
enum { ON_NIC = 1, ON_HOST };

static const struct word {
    const char *text;
    enum choice choice;
    int value;
} words[] = {
    {"sdma", TRANSFER, 0},
    {"pio", TRANSFER, 0},
    {"rcpy", TRANSFER, 8}, /* bytes of addresses */
    {"nirx", RELIABILITY, ON_NIC},
    {"hrx", RELIABILITY, ON_HOST},
    {"hmc", MULTICAST, 0},
    {"1k", MTU, 1024},
    {"2k", MTU, 2048},
    {"4k", MTU, 4096},
    {"binary", TREE, 0},
    {"binomial", TREE, 0},
};

const char clump_lossy_protocol_names[] =
    "\"l-nirx\" (the NIC sends again), \"l-hrx\" (the host does), \"ssam\", or \"l-sdma\", "
    "\"l-pio\", \"l-rcpy\" where nothing is lost";

clump_status clump_lossy_protocol_parse(const char *name, clump_lossy_protocol *protocol,
                                        clump_error *error)
{
    static const clump_lossy_protocol ssam = {CLUMP_RECOVERY_SELECTIVE, 1, 40, 32};
    int value[CHOICES] = {[MTU] = 2048}, given[CHOICES] = {0};
    const char *at = strncmp(name, "l-", 2) == 0 ? name + 1 : "";
    if (strcmp(name, "ssam") == 0) {
        *protocol = ssam;
        return CLUMP_OK;
    }
    if (*at == '\0')
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found '%.40s', expected %s", name,
                          clump_lossy_protocol_names);
    while (*at == '-') {
        const char *text = ++at;
        const size_t length = strcspn(text, "-");
        const struct word *found = NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strlen(words[i].text) == length && strncmp(words[i].text, text, length) == 0)
                found = &words[i];
        if (found == NULL)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "found '%.*s' in '%.40s', expected sdma, pio or rcpy, nirx or hrx, "
                              "hmc, 1k, 2k or 4k, binary or binomial",
                              (int)(length < 20 ? length : 20), text, name);
        if (given[found->choice])
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "'%s' in '%.40s' contradicts a word before it", found->text, name);
        given[found->choice] = 1;
        value[found->choice] = found->value;
        if (value[TRANSFER] != 0 && value[RELIABILITY] == ON_HOST)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "rcpy and hrx in '%.40s', expected one of them: the NIC would write "
                              "to memory before the host knows whether it is the packet's turn",
                              name);
        at = text + length;
    }
    *protocol = (clump_lossy_protocol){
        .recovery = value[RELIABILITY] != 0 ? CLUMP_RECOVERY_GO_BACK_N : CLUMP_RECOVERY_NONE,
        .on_host = value[RELIABILITY] == ON_HOST,
        .packet_bytes = (double)(value[MTU] - value[TRANSFER]),
        .window = 32,
    };
    return CLUMP_OK;
}

/* ---- networks */

enum { WINDOW_MOST = 65536 };

/* Time per packet of a message, and until the acknowledgement of one is there. */
static double packet_gap(const clump_loggp *p, double bytes, double packets)
{
    return (p->gap_us + fmax(bytes - 1, 0) * p->gap_us_per_byte) / packets;
}

static double packet_trip(const clump_loggp *p, double bytes)
{
    return clump_loggp_round_trip_us(p) + fmax(bytes - 1, 0) * p->gap_us_per_byte;
}

static clump_status check(const clump_lossy_network *n, clump_error *error)
{
    if (!(n->window >= 0 && n->window <= WINDOW_MOST))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the window is %g, expected 1 to %d packets",
                          n->window, WINDOW_MOST);
    if (!(n->timeout_us >= 0 && n->timeout_us <= 1e12))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "the timeout is %g us, expected up to 1e12",
                          n->timeout_us);
    if (!(n->protocol.packet_bytes >= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "a packet of %g bytes, expected at least 1",
                          n->protocol.packet_bytes);
    return CLUMP_OK;
}

/* With the window that g was measured with the sender never waited: half of it goes out while the
 * acknowledgement of the other half is on its way. */
static clump_lossy_stream stream_of(const clump_lossy_network *n, double gap, double trip)
{
    const double most = n->protocol.recovery == CLUMP_RECOVERY_SELECTIVE
                            ? CLUMP_SELECTIVE_WINDOW_MOST
                            : WINDOW_MOST;
    double window = n->window;
    if (!(window > 0))
        window = fmin(fmax(n->protocol.window, 2 * ceil(trip / gap)), most);
    const double full = fmax(trip, trip + (window / 2 - 1) * gap);
    return (clump_lossy_stream){
        .recovery = n->protocol.recovery,
        .loss = n->loss,
        .window = (size_t)window,
        .gap_us = gap,
        .round_trip_us = trip,
        .timeout_us = n->timeout_us > 0 ? n->timeout_us : fmax(CLUMP_LOSSY_TIMEOUT_US, 2 * full),
        .acknowledge_us = n->acknowledge_us,
    };
}

clump_status clump_lossy_message_cost(const clump_lossy_network *n, const clump_loggp *loggp,
                                      double bytes, clump_lossy_message *message,
                                      clump_error *error)
{
    clump_lossy_cost cost;
    clump_status status = check(n, error);
    if (status == CLUMP_OK && !(bytes >= 1 && bytes <= 1e30))
        status = clump_fail(error, CLUMP_BAD_ARGUMENT, "a message of %g bytes, expected 1 to 1e30",
                            bytes);
    if (status != CLUMP_OK)
        return status;
    const double packets = ceil(bytes / n->protocol.packet_bytes);
    const double gap = packet_gap(loggp, bytes, packets);
    const clump_lossy_stream stream =
        stream_of(n, gap, packet_trip(loggp, fmin(bytes, n->protocol.packet_bytes)));
    status = clump_lossy_stream_cost(&stream, &cost, error);
    if (status != CLUMP_OK)
        return status;
    const double more = fmax(cost.packet_us - cost.clean_us, 0);
    const double again = (cost.transmissions - 1) * gap;
    const double lone = (cost.lone_transmissions - 1) * gap;
    *message = (clump_lossy_message){
        .packets = packets,
        .stream_us = packets * more,
        .occupancy_us = packets * fmin(again, more),
        .sent = cost.transmissions,
        .delay_us = packets * cost.delay_us,
        .delay_occupancy_us = packets * fmin(lone, cost.delay_us),
    };
    return CLUMP_OK;
}

clump_status clump_lossy_network_loggp(const clump_lossy_network *n, const clump_loggp *loggp,
                                       clump_lossy_loggp *effective, clump_error *error)
{
    const double full = fmax(n->protocol.packet_bytes, 2);
    clump_lossy_message one, packet;
    clump_status status = clump_loggp_check(loggp, "network", error);
    if (status == CLUMP_OK)
        status = clump_lossy_message_cost(n, loggp, 1, &one, error);
    if (status == CLUMP_OK)
        status = clump_lossy_message_cost(n, loggp, full, &packet, error);
    if (status != CLUMP_OK)
        return status;
    const clump_lossy_stream stream = stream_of(n, loggp->gap_us, packet_trip(loggp, 1));
    clump_lossy_loggp e = {.loggp = *loggp,
                           .window = stream.window,
                           .timeout_us = stream.timeout_us,
                           .round_trip_us = stream.round_trip_us,
                           .sent = one.sent};
    if (n->loss > 0) {
        e.loggp.latency_us += one.delay_us;
        e.loggp.gap_us += one.stream_us;
        /* A long message of many packets: what each of them costs more, over its bytes. */
        e.loggp.gap_us_per_byte += packet.stream_us / full;
        if (n->protocol.on_host) {
            e.loggp.send_overhead_us *= one.sent;
            e.loggp.receive_overhead_us *= fmax(one.sent * (1 - n->loss), 1);
        }
    }
    *effective = e;
    return CLUMP_OK;
}
