/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/virtual/measure.h"

/* Rounds before measuring: a stream has to fill all buffers, an echo only the windows. */
enum { WARM_STREAM = 512, WARM_ECHO = 32 };

enum pattern { PING_PONG, STREAM, FETCH_ADD, MULTICAST, MULTICAST_STREAM };

/* The program on all hosts, and its books. */
typedef struct benchmark {
    enum pattern pattern;
    uint16_t nodes, size;
    uint32_t message; /* bytes of a message that is cut into packets */
    uint32_t left;    /* of the message that is being sent */
    uint32_t rounds;  /* to be measured */
    uint32_t sent, received, outstanding;
    uint32_t turn; /* ping-pong: whose */
    uint64_t bytes, begun_ps, begin_ps, end_ps, total_ps;
    uint64_t begin_bytes;
    bool measured;
} benchmark;

static uint32_t warm(const benchmark *b)
{
    return b->pattern == STREAM || b->pattern == MULTICAST_STREAM ? WARM_STREAM : WARM_ECHO;
}

/* Two nodes of a larger system: only the windows know how many there are. */
static clump_machine_options pair(const clump_machine_options *options)
{
    clump_machine_options two = *options;
    if (options->nodes >= 2)
        two.window = clump_machine_window(options);
    two.nodes = 2;
    return two;
}

static bool want(void *context, clump_machine *m, uint16_t node, clump_machine_order *order)
{
    benchmark *b = context;
    *order = (clump_machine_order){.to = 1, .size = b->size};
    switch (b->pattern) {
    case PING_PONG:
        if (b->turn != node || node > 1)
            return false;
        order->to = (uint16_t)(1 - node);
        b->turn = 2; /* under way */
        return true;
    case STREAM: {
        if (node != 0 || b->measured)
            return false;
        if (b->left == 0)
            b->left = b->message;
        const uint32_t part = b->left < b->size ? b->left : b->size;
        order->size = (uint16_t)part;
        b->left -= part;
        return true;
    }
    case FETCH_ADD:
        order->kind = CLUMP_MACHINE_FETCH_ADD;
        break;
    default:
        order->kind = CLUMP_MACHINE_MULTICAST;
        break;
    }
    if (node != 0 || b->measured || (b->pattern != MULTICAST_STREAM && b->outstanding > 0))
        return false;
    b->outstanding = b->pattern == FETCH_ADD ? 1 : b->nodes - 1u;
    b->begun_ps = clump_machine_now_ps(m);
    return true;
}

/* A round is over. */
static void count(benchmark *b, clump_machine *m)
{
    const uint64_t now = clump_machine_now_ps(m);
    b->received++;
    if (b->received == warm(b)) {
        clump_machine_reset_use(m);
        b->begin_ps = now;
        b->begin_bytes = b->bytes;
        b->total_ps = 0;
    } else if (b->received == warm(b) + b->rounds) {
        b->end_ps = now;
        b->measured = true;
        clump_machine_stop(m);
    }
}

static void got(void *context, clump_machine *m, uint16_t node, const clump_lci_delivery *delivery)
{
    benchmark *b = context;
    if (b->measured)
        return;
    switch (b->pattern) {
    case PING_PONG:
        b->turn = node;
        if (node == 0)
            count(b, m);
        break;
    case STREAM:
        b->bytes += delivery->size;
        count(b, m);
        break;
    case MULTICAST_STREAM:
        if (node == b->nodes - 1) { /* all nodes see the same stream */
            b->bytes += delivery->size;
            count(b, m);
        }
        break;
    default:
        if (--b->outstanding == 0) {
            b->total_ps += clump_machine_now_ps(m) - b->begun_ps;
            count(b, m);
            if (!b->measured)
                clump_machine_stop(m); /* the next one when all is quiet */
        }
        break;
    }
}

/* Run one benchmark. `use` may be NULL. */
static clump_protocol_status run(const clump_machine_options *options, benchmark *b, double copy,
                                 clump_machine_use *use)
{
    const clump_machine_program program = {
        .want = want, .got = got, .context = b, .copy_us_per_byte = copy};
    const double limit_us = 1e4 * (b->rounds + warm(b)) * (b->message > 0 ? 1 : 10);
    clump_machine *m = NULL;
    b->nodes = options->nodes;
    if (b->rounds == 0 || b->rounds > 1000000 || b->size > options->protocol.mtu)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_protocol_status status = clump_machine_open(options, &program, &m);
    while (status == CLUMP_PROTOCOL_OK && !b->measured) {
        const uint32_t before = b->received;
        status = clump_machine_run(m, limit_us);
        if (status == CLUMP_PROTOCOL_OK && !b->measured && b->received == before)
            status = CLUMP_PROTOCOL_TIMED_OUT; /* nothing happens any more */
    }
    if (status == CLUMP_PROTOCOL_OK && use != NULL)
        *use = clump_machine_used(m, 0);
    clump_machine_close(m);
    return status;
}

static double us(uint64_t ps)
{
    return (double)ps * 1e-6;
}

clump_protocol_status clump_measure_logp(const clump_machine_options *options, uint16_t size,
                                         uint32_t rounds, clump_logp_measured *measured)
{
    benchmark echo = {.pattern = PING_PONG, .size = size, .rounds = rounds};
    benchmark stream = {.pattern = STREAM, .size = size, .message = size, .rounds = rounds};
    benchmark fetch = {.pattern = FETCH_ADD, .size = size, .rounds = rounds};
    clump_machine_use use = {0};
    if (options->nodes < 2)
        return CLUMP_PROTOCOL_BAD_INPUT;
    const clump_machine_options two = pair(options);
    if (size == 0)
        stream.message = 1;
    clump_protocol_status status = run(&two, &echo, 0, &use);
    if (status == CLUMP_PROTOCOL_OK)
        status = run(&two, &stream, 0, NULL);
    if (status == CLUMP_PROTOCOL_OK)
        status = run(&two, &fetch, 0, NULL);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const double half = us(echo.end_ps - echo.begin_ps) / rounds / 2;
    const double send = use.sends > 0 ? us(use.send_ps) / (double)use.sends : 0;
    const double receive = use.receives > 0 ? us(use.receive_ps) / (double)use.receives : 0;
    *measured = (clump_logp_measured){.send_overhead_us = send,
                                      .receive_overhead_us = receive,
                                      .latency_us = half - send - receive,
                                      .gap_us = us(stream.end_ps - stream.begin_ps) / rounds,
                                      .half_round_trip_us = half,
                                      .fetch_add_us = us(fetch.total_ps) / rounds};
    return CLUMP_PROTOCOL_OK;
}

static uint16_t payload(const clump_machine_options *o, bool unicast)
{
    const bool copy = unicast && o->protocol.transfer == CLUMP_TRANSFER_COPY;
    return (uint16_t)(o->protocol.mtu - (copy ? 8 : 0));
}

clump_protocol_status clump_measure_throughput(const clump_machine_options *options,
                                               uint32_t message_size, bool copy, uint32_t rounds,
                                               double *bytes_per_us)
{
    benchmark b = {.pattern = STREAM,
                   .size = payload(options, true),
                   .message = message_size,
                   .rounds = rounds};
    const bool copies = copy && options->protocol.transfer != CLUMP_TRANSFER_COPY;
    if (message_size == 0 || options->nodes < 2)
        return CLUMP_PROTOCOL_BAD_INPUT;
    const clump_machine_options two = pair(options);
    const clump_protocol_status status =
        run(&two, &b, copies ? options->hardware.host_copy_us : 0, NULL);
    if (status == CLUMP_PROTOCOL_OK) {
        const uint64_t header =
            options->protocol.transfer == CLUMP_TRANSFER_COPY ? (uint64_t)8 * rounds : 0;
        *bytes_per_us = (double)(b.bytes - b.begin_bytes - header) / us(b.end_ps - b.begin_ps);
    }
    return status;
}

clump_protocol_status clump_measure_multicast(const clump_machine_options *options, uint16_t size,
                                              uint32_t rounds, double *latency_us)
{
    benchmark b = {.pattern = MULTICAST, .size = size, .rounds = rounds};
    const clump_protocol_status status = run(options, &b, 0, NULL);
    if (status == CLUMP_PROTOCOL_OK)
        *latency_us = us(b.total_ps) / rounds;
    return status;
}

clump_protocol_status clump_measure_multicast_throughput(const clump_machine_options *options,
                                                         uint16_t size, bool copy, uint32_t rounds,
                                                         double *bytes_per_us)
{
    benchmark b = {.pattern = MULTICAST_STREAM, .size = size, .rounds = rounds};
    const clump_protocol_status status =
        run(options, &b, copy ? options->hardware.host_copy_us : 0, NULL);
    if (status == CLUMP_PROTOCOL_OK)
        *bytes_per_us = (double)(b.bytes - b.begin_bytes) / us(b.end_ps - b.begin_ps);
    return status;
}
