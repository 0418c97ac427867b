/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SSAM's cells as a transport: each packet is a request whose handler number is the packet's size;
 * there are no replies, only acknowledgements. */
#include "protocols/network/transport.h"
#include "protocols/reliability/ssam.h"

#include <stdlib.h>

struct end {
    clump_ssam *ssam;
    clump_transport_sink *sink; /**< during deliver() */
    void *context;
    bool refused;
};

static bool take(void *context, uint32_t handler, const unsigned char data[CLUMP_CELL_DATA],
                 uint32_t *reply_handler, unsigned char reply[CLUMP_CELL_DATA])
{
    (void)reply_handler, (void)reply;
    struct end *end = context;
    if (handler == 0 || handler > CLUMP_CELL_DATA || !end->sink(end->context, data, handler))
        end->refused = true;
    return false;
}

static clump_protocol_status open_end(const struct clump_transport_options *o,
                                      struct clump_transport *transport)
{
    struct end *end = calloc(1, sizeof *end);
    if (end == NULL)
        return CLUMP_PROTOCOL_FAILED;
    const clump_ssam_options options = {.window = o->window,
                                        .timeout_ns = o->timeout_ns,
                                        .incarnation = 1, /* the session's keys tell them apart */
                                        .request = take,
                                        .context = end};
    const clump_protocol_status status = clump_ssam_open(&options, &end->ssam);
    if (status != CLUMP_PROTOCOL_OK) {
        free(end);
        return status;
    }
    *transport = (struct clump_transport){&clump_transport_ssam, end, CLUMP_CELL_DATA};
    return CLUMP_PROTOCOL_OK;
}

static void close_end(struct clump_transport *transport)
{
    struct end *end = transport->state;
    clump_ssam_close(end->ssam);
    free(end);
}

static bool send_cell(struct clump_transport *transport, const unsigned char *bytes, size_t size)
{
    struct end *end = transport->state;
    return clump_ssam_request(end->ssam, (uint32_t)size, bytes, size, NULL) == CLUMP_PROTOCOL_OK;
}

static void receive(struct clump_transport *transport, uint64_t now_ns, const unsigned char *bytes,
                    size_t size)
{
    (void)now_ns;
    if (size == CLUMP_CELL_SIZE)
        clump_ssam_arrive(((struct end *)transport->state)->ssam, bytes);
}

static bool deliver(struct clump_transport *transport, uint64_t now_ns, clump_transport_sink *sink,
                    void *context)
{
    (void)now_ns;
    struct end *end = transport->state;
    end->sink = sink;
    end->context = context;
    clump_ssam_poll(end->ssam);
    return !end->refused;
}

static size_t transmit(struct clump_transport *transport, uint64_t now_ns, unsigned char *bytes)
{
    return clump_ssam_transmit(((struct end *)transport->state)->ssam, now_ns, bytes)
               ? CLUMP_CELL_SIZE
               : 0;
}

static uint64_t deadline(const struct clump_transport *transport)
{
    return clump_ssam_deadline(((const struct end *)transport->state)->ssam);
}

static bool idle(const struct clump_transport *transport)
{
    return clump_ssam_idle(((const struct end *)transport->state)->ssam);
}

static uint64_t resent(const struct clump_transport *transport)
{
    return clump_ssam_count(((const struct end *)transport->state)->ssam).resent;
}

const struct clump_transport_protocol clump_transport_ssam = {
    open_end, close_end, send_cell, receive, deliver, transmit, deadline, idle, resent};
