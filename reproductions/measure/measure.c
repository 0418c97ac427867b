/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/measure/measure.h"

#include "reproductions/virtual/splitmix.h"
#include "reproductions/virtual/translation.h"

/* ---- the program that runs on all hosts, and its books */

enum benchmark_pattern { PING_PONG, STREAM, FETCH_ADD, MULTICAST, MULTICAST_STREAM, BUSY };

typedef struct benchmark {
    enum benchmark_pattern pattern;
    uint16_t nodes, size;
    uint32_t message; /* bytes of a message that is cut into packets */
    uint32_t left;    /* of the message that is being sent */
    uint32_t rounds;  /* to be measured */
    uint32_t pages;   /* remote copy: each node sends from so many, and receives into so many */
    uint64_t at[2];   /* bytes that nodes 0 and 1 have copied */
    uint64_t received;
    uint32_t outstanding;
    uint32_t turn; /* ping-pong: whose */
    uint64_t bytes, begun_ps, begin_ps, end_ps, total_ps;
    uint64_t begin_bytes;
    clump_virtual_cluster_copies copies; /* since measuring began, of both nodes */
    double compute_us;                   /* busy */
    uint64_t random;
    bool thought;      /* busy: node 0 has waited for its moment */
    uint64_t warm;     /* rounds before measuring */
    uint64_t buffered; /* stream: packets buffered at once by then */
    bool measured;
} benchmark;

/* Rounds before measuring: an echo has to open the windows, a stream has to fill all buffers. */
enum { WARM_STREAM = 512, WARM_ECHO = 32, WARM_STREAM_MOST = 1 << 17 };

static bool is_stream(const benchmark *b)
{
    return b->pattern == STREAM || b->pattern == MULTICAST_STREAM;
}

static uint64_t warm_at_first(const benchmark *b)
{
    /* And every page has been there before, or its translation is missing for that alone. */
    return (is_stream(b) ? WARM_STREAM : WARM_ECHO) + (b->pages > 1 ? 2 * (uint64_t)b->pages : 0);
}

/* While packets pile up in front of the slowest part of the way, the others set the pace: a stream
 * is in its steady state when its queues have not grown for a while. */
static bool still_growing(benchmark *b, const clump_virtual_cluster *m)
{
    uint64_t now = 0;
    if (!is_stream(b) || b->warm >= WARM_STREAM_MOST)
        return false;
    for (uint16_t i = 0; i < b->nodes; i++) {
        const clump_lci_counters c = clump_virtual_cluster_count(m, i);
        now += c.most_send_buffers + c.most_receive_buffers;
    }
    const bool grown = now > b->buffered;
    b->buffered = now;
    return grown;
}

/* Every message begins with a page of its own. */
static void next_page(benchmark *b, uint16_t node)
{
    b->at[node] = (b->at[node] + CLUMP_PAGE_SIZE - 1) / CLUMP_PAGE_SIZE * CLUMP_PAGE_SIZE;
}

static void copy_from(benchmark *b, uint16_t node, clump_virtual_cluster_order *order)
{
    const uint64_t all = (uint64_t)b->pages * CLUMP_PAGE_SIZE;
    if (all == 0)
        return;
    order->source = b->at[node] % all;
    order->copy = all + order->source; /* pages behind those that are sent from */
    b->at[node] += order->size > 0 ? order->size : 1;
}

/* Node 0 asks, at any moment of the other's computation; node 1 answers, or computes. */
static bool want_busy(benchmark *b, clump_virtual_cluster *m, uint16_t node,
                      clump_virtual_cluster_order *order)
{
    if (node != b->turn || (node == 0 && !b->thought))
        return false;
    order->to = (uint16_t)(1 - node);
    b->turn = 2; /* under way */
    b->thought = false;
    if (node == 0)
        b->begun_ps = clump_virtual_cluster_now_ps(m);
    return true;
}

static double compute_busy(void *context, clump_virtual_cluster *m, uint16_t node)
{
    benchmark *b = context;
    (void)m;
    if (node > 1 || b->measured || (node == 0 && b->turn != 0))
        return 0;
    if (node == 1)
        return b->compute_us;
    b->thought = true;
    return b->compute_us * clump_splitmix_real(&b->random) + 1e-6;
}

static bool want(void *context, clump_virtual_cluster *m, uint16_t node,
                 clump_virtual_cluster_order *order)
{
    benchmark *b = context;
    *order = (clump_virtual_cluster_order){.to = 1, .size = b->size};
    switch (b->pattern) {
    case PING_PONG:
        if (b->turn != node || node > 1)
            return false;
        order->to = (uint16_t)(1 - node);
        b->turn = 2; /* under way */
        next_page(b, node);
        copy_from(b, node, order);
        return true;
    case STREAM: {
        if (node != 0 || b->measured)
            return false;
        if (b->left == 0) {
            b->left = b->message;
            next_page(b, node);
        }
        uint32_t part = b->left < b->size ? b->left : b->size;
        const uint32_t page = CLUMP_PAGE_SIZE - (uint32_t)(b->at[node] % CLUMP_PAGE_SIZE);
        if (b->pages > 0 && page < part)
            part = page;
        order->size = (uint16_t)part;
        b->left -= part;
        copy_from(b, node, order);
        return true;
    }
    case BUSY:
        return want_busy(b, m, node, order);
    case FETCH_ADD:
        order->kind = CLUMP_VIRTUAL_FETCH_ADD;
        break;
    default:
        order->kind = CLUMP_VIRTUAL_MULTICAST;
        break;
    }
    if (node != 0 || b->measured || (b->pattern != MULTICAST_STREAM && b->outstanding > 0))
        return false;
    b->outstanding = b->pattern == FETCH_ADD ? 1 : b->nodes - 1u;
    b->begun_ps = clump_virtual_cluster_now_ps(m);
    return true;
}

static void count_copies(benchmark *b, const clump_virtual_cluster *m, bool end)
{
    clump_virtual_cluster_copies all = {0};
    for (uint16_t i = 0; i < 2; i++) {
        const clump_virtual_cluster_copies c = clump_virtual_cluster_copied(m, i);
        all.source_hits += c.source_hits;
        all.source_misses += c.source_misses;
        all.destination_hits += c.destination_hits;
        all.destination_misses += c.destination_misses;
    }
    if (end) {
        all.source_hits -= b->copies.source_hits;
        all.source_misses -= b->copies.source_misses;
        all.destination_hits -= b->copies.destination_hits;
        all.destination_misses -= b->copies.destination_misses;
    }
    b->copies = all;
}

/* A round is over. */
static void count(benchmark *b, clump_virtual_cluster *m)
{
    const uint64_t now = clump_virtual_cluster_now_ps(m);
    b->received++;
    if (b->received == b->warm && still_growing(b, m)) {
        b->warm += WARM_STREAM;
    } else if (b->received == b->warm) {
        clump_virtual_cluster_reset_use(m);
        count_copies(b, m, false);
        b->begin_ps = now;
        b->begin_bytes = b->bytes;
        b->total_ps = 0;
    } else if (b->received == b->warm + b->rounds) {
        b->end_ps = now;
        b->measured = true;
        count_copies(b, m, true);
        clump_virtual_cluster_stop(m);
    }
}

static void got(void *context, clump_virtual_cluster *m, uint16_t node,
                const clump_lci_delivery *delivery)
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
    case BUSY:
        b->turn = node;
        if (node == 0) {
            b->total_ps += clump_virtual_cluster_now_ps(m) - b->begun_ps;
            count(b, m);
        }
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
            b->total_ps += clump_virtual_cluster_now_ps(m) - b->begun_ps;
            count(b, m);
            if (!b->measured)
                clump_virtual_cluster_stop(m); /* the next one when all is quiet */
        }
        break;
    }
}

/** Run one, on a machine of its own, until `rounds` are measured. `use` (of node 0; if busy of node
 * 1) may be NULL.  @return as clump_measure_logp() */
static clump_protocol_status run(const clump_virtual_cluster_options *options, benchmark *b,
                                 double copy_us_per_byte, clump_virtual_cluster_use *use)
{
    const clump_virtual_cluster_program program = {.want = want,
                                                   .got = got,
                                                   .context = b,
                                                   .copy_us_per_byte = copy_us_per_byte,
                                                   .compute =
                                                       b->pattern == BUSY ? compute_busy : NULL};
    clump_virtual_cluster *m = NULL;
    b->nodes = options->nodes;
    if (options->protocol.transfer == CLUMP_TRANSFER_COPY)
        b->pages = options->copy_pages > 0 ? options->copy_pages : 1;
    b->warm = warm_at_first(b);
    const double rounds = b->rounds + (double)(is_stream(b) ? WARM_STREAM_MOST : b->warm);
    const double limit_us = (1e5 + 2 * b->compute_us) * rounds;
    if (b->rounds == 0 || b->rounds > 1000000 || b->size > options->protocol.mtu)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_protocol_status status = clump_virtual_cluster_open(options, &program, &m);
    while (status == CLUMP_PROTOCOL_OK && !b->measured) {
        const uint64_t before = b->received;
        status = clump_virtual_cluster_run(m, limit_us < 1e12 ? limit_us : 1e12);
        if (status == CLUMP_PROTOCOL_OK && !b->measured && b->received == before)
            status = CLUMP_PROTOCOL_TIMED_OUT; /* nothing happens any more */
    }
    if (status == CLUMP_PROTOCOL_OK && use != NULL)
        *use = clump_virtual_cluster_used(m, b->pattern == BUSY);
    clump_virtual_cluster_close(m);
    return status;
}

/* ---- measurements */

/* Packets of a stream come in groups, as the window opens: so many that one group more or less does
 * not matter (of 32 packets at most: less than 2%). */
enum { STREAM_LEAST = 2048, MULTICASTS_LEAST = 64 };

static uint32_t in_stream(uint32_t rounds, uint32_t least)
{
    return rounds > 0 && rounds < least ? least : rounds;
}

/* Two nodes of a larger system: only the windows know how many there are. */
static clump_virtual_cluster_options pair(const clump_virtual_cluster_options *options)
{
    clump_virtual_cluster_options two = *options;
    if (options->nodes >= 2)
        two.window = clump_virtual_cluster_window(options);
    two.nodes = 2;
    return two;
}

static double us(uint64_t ps)
{
    return (double)ps * 1e-6;
}

static double share(uint64_t part, uint64_t rest)
{
    return part > 0 ? (double)part / ((double)part + (double)rest) : 0;
}

clump_protocol_status clump_measure_logp(const clump_virtual_cluster_options *options,
                                         uint16_t size, uint32_t rounds,
                                         clump_logp_measured *measured)
{
    benchmark echo = {.pattern = PING_PONG, .size = size, .rounds = rounds};
    const uint32_t packets = in_stream(rounds, STREAM_LEAST);
    benchmark stream = {.pattern = STREAM, .size = size, .message = size, .rounds = packets};
    benchmark fetch = {.pattern = FETCH_ADD, .size = size, .rounds = rounds};
    clump_virtual_cluster_use use = {0};
    if (options->nodes < 2)
        return CLUMP_PROTOCOL_BAD_INPUT;
    const clump_virtual_cluster_options two = pair(options);
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
    *measured = (clump_logp_measured){
        .send_overhead_us = send,
        .receive_overhead_us = receive,
        .latency_us = half - send - receive,
        .gap_us = us(stream.end_ps - stream.begin_ps) / packets,
        .half_round_trip_us = half,
        .fetch_add_us = us(fetch.total_ps) / rounds,
        .source_miss_rate = share(echo.copies.source_misses, echo.copies.source_hits),
        .destination_miss_rate =
            share(echo.copies.destination_misses, echo.copies.destination_hits)};
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_measure_busy(const clump_virtual_cluster_options *options,
                                         uint16_t size, double compute_us, uint32_t rounds,
                                         clump_busy_measured *measured)
{
    benchmark b = {.pattern = BUSY,
                   .size = size,
                   .rounds = rounds,
                   .compute_us = compute_us,
                   .random = options->faults.seed};
    clump_virtual_cluster_use use = {0};
    if (options->nodes < 2 || !(compute_us >= 1 && compute_us <= 1e6))
        return CLUMP_PROTOCOL_BAD_INPUT;
    const clump_virtual_cluster_options two = pair(options);
    const clump_protocol_status status = run(&two, &b, 0, &use);
    if (status == CLUMP_PROTOCOL_OK)
        *measured = (clump_busy_measured){.round_trip_us = us(b.total_ps) / rounds,
                                          .interrupts = (double)use.interrupts / rounds};
    return status;
}

/* How much later a message arrives by DMA than by programmed I/O. */
static clump_protocol_status lateness(const clump_virtual_cluster_options *options, uint16_t size,
                                      uint32_t rounds, double *late_us)
{
    clump_virtual_cluster_options two = pair(options);
    benchmark dma = {.pattern = PING_PONG, .size = size, .rounds = rounds}, pio = dma;
    clump_protocol_status status = run(&two, &dma, 0, NULL);
    two.protocol.transfer = CLUMP_TRANSFER_PIO;
    if (status == CLUMP_PROTOCOL_OK)
        status = run(&two, &pio, 0, NULL);
    *late_us = us(dma.end_ps - dma.begin_ps) - us(pio.end_ps - pio.begin_ps);
    return status;
}

clump_protocol_status clump_measure_crossover(const clump_virtual_cluster_options *options,
                                              uint32_t rounds, uint16_t *bytes)
{
    uint16_t low = 1, high = options->protocol.mtu;
    double late_low, late_high;
    if (options->nodes < 2 || options->protocol.transfer != CLUMP_TRANSFER_DMA)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_protocol_status status = lateness(options, low, rounds, &late_low);
    if (status == CLUMP_PROTOCOL_OK)
        status = lateness(options, high, rounds, &late_high);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    if (late_low <= 0 || late_high > 0)
        return CLUMP_PROTOCOL_NOT_FOUND;
    while (high - low > 1) {
        const uint16_t middle = (uint16_t)((low + high) / 2);
        status = lateness(options, middle, rounds, &late_low);
        if (status != CLUMP_PROTOCOL_OK)
            return status;
        if (late_low <= 0)
            high = middle;
        else
            low = middle;
    }
    *bytes = high;
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_measure_throughput(const clump_virtual_cluster_options *options,
                                               uint32_t message_size, bool copy, uint32_t rounds,
                                               double *bytes_per_us)
{
    benchmark b = {.pattern = STREAM,
                   .size = options->protocol.mtu,
                   .message = message_size,
                   .rounds = in_stream(rounds, STREAM_LEAST)};
    const bool copies = copy && options->protocol.transfer != CLUMP_TRANSFER_COPY;
    if (message_size == 0 || options->nodes < 2)
        return CLUMP_PROTOCOL_BAD_INPUT;
    const clump_virtual_cluster_options two = pair(options);
    const clump_protocol_status status =
        run(&two, &b, copies ? options->hardware.host_copy_us : 0, NULL);
    if (status == CLUMP_PROTOCOL_OK) {
        const uint64_t header = options->protocol.transfer == CLUMP_TRANSFER_COPY
                                    ? CLUMP_PACKET_ADDRESS * (uint64_t)b.rounds
                                    : 0;
        *bytes_per_us = (double)(b.bytes - b.begin_bytes - header) / us(b.end_ps - b.begin_ps);
    }
    return status;
}

clump_protocol_status clump_measure_multicast(const clump_virtual_cluster_options *options,
                                              uint16_t size, uint32_t rounds, double *latency_us)
{
    benchmark b = {.pattern = MULTICAST, .size = size, .rounds = rounds};
    const clump_protocol_status status = run(options, &b, 0, NULL);
    if (status == CLUMP_PROTOCOL_OK)
        *latency_us = us(b.total_ps) / rounds;
    return status;
}

clump_protocol_status
clump_measure_multicast_throughput(const clump_virtual_cluster_options *options, uint16_t size,
                                   bool copy, uint32_t rounds, double *bytes_per_us)
{
    benchmark b = {
        .pattern = MULTICAST_STREAM, .size = size, .rounds = in_stream(rounds, MULTICASTS_LEAST)};
    const clump_protocol_status status =
        run(options, &b, copy ? options->hardware.host_copy_us : 0, NULL);
    if (status == CLUMP_PROTOCOL_OK)
        *bytes_per_us = (double)(b.bytes - b.begin_bytes) / us(b.end_ps - b.begin_ps);
    return status;
}
