/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/measure/measure_cells.h"

#include "protocols/reliability/ssam.h"
#include "reproductions/virtual/calendar.h"

#include <string.h>

enum {
    FIFO = 292, /* cells of the input FIFO (section 3.2) */
    BATCH = 16, /* cells that one read trap takes */
    MOVED = 56, /* bytes of a cell that loads and stores move (3.2) */
    DATA = 32,  /* bytes that a remote read or write carries, behind two addresses (figure 2) */
    POLL = 1,
    CELL = 2
};

/* READ: a request that is answered with data. WRITE: both ends write in turn, so that one clock
 * sees how long a way takes. BLOCK: writes as fast as the window allows. */
enum pattern { READ, WRITE, BLOCK };

/* A workstation: its processor does everything, one thing after the other. */
typedef struct station {
    clump_ssam *ssam;
    unsigned char fifo[FIFO][CLUMP_CELL_SIZE]; /* of the interface */
    uint32_t first, arrived, under_way;
    uint64_t free_ps, link_free_ps;
    enum pattern pattern;
    uint32_t to_ask, asked, replies, handled;
    bool may_write;
} station;

/* How the processor moves cells. */
typedef struct way {
    const clump_cell_hardware *h;
    bool calls; /* system calls, one cell each; else traps */
} way;

typedef struct cells {
    way way;
    clump_calendar queue;
    station end[2];
    unsigned char under_way[2 * FIFO][CLUMP_CELL_SIZE];
    bool failed;
} cells;

static uint64_t ps(double us)
{
    return (uint64_t)(us * 1e6 + 0.5);
}

static double write_cost(const way *w)
{
    const clump_cell_hardware *h = w->h;
    if (w->calls)
        return h->call_write_us + h->call_check_us + h->call_push_us;
    return h->trap_us + h->check_us + h->send_kernel_us + h->load_us + h->push_us;
}

static double read_cost(const way *w, uint32_t count)
{
    const clump_cell_hardware *h = w->h;
    if (w->calls)
        return h->call_read_us + h->call_ready_us + count * (h->call_pull_us + h->call_move_us);
    return h->trap_us + h->count_us + h->receive_kernel_us +
           count * (h->pull_us + h->demux_us + h->store_us);
}

/* The write-read trap shares the trap, and sees at once how many cells there are. There is no such
 * call. */
static double write_read_cost(const way *w, uint32_t count)
{
    return write_cost(w) + read_cost(w, count) - (w->calls ? 0 : w->h->trap_us);
}

static bool on_request(void *context, uint32_t handler, const unsigned char *data,
                       uint32_t *reply_handler, unsigned char *reply)
{
    station *s = context;
    (void)data, (void)reply;
    *reply_handler = 1;
    s->handled++;
    s->may_write = true;
    return handler == READ;
}

static void on_reply(void *context, uint64_t request, bool has_reply, uint32_t handler,
                     const unsigned char *data)
{
    station *s = context;
    (void)request, (void)has_reply, (void)handler, (void)data;
    s->replies++;
}

/* Put one cell on the link at `time_ps`. */
static void inject(cells *c, unsigned from, uint64_t time_ps, const unsigned char *cell)
{
    station *s = &c->end[from];
    const uint64_t begin = time_ps > s->link_free_ps ? time_ps : s->link_free_ps;
    s->link_free_ps = begin + ps(c->way.h->cell_us);
    const uint32_t place = from * FIFO + s->under_way++ % FIFO;
    memcpy(c->under_way[place], cell, CLUMP_CELL_SIZE);
    c->failed |= !clump_calendar_add(
        &c->queue,
        (clump_event){.time_ps = s->link_free_ps, .kind = CELL, .node = 1 - from, .value = place});
}

/* The data of one cell, between the cell and where they belong, at the rate of whole cells. */
static double copy_cost(const clump_cell_hardware *h)
{
    return (h->load_us + h->store_us) * DATA / MOVED;
}

/* Read what has arrived and handle it: the trap, then flow control and dispatch for each cell.
 * @return microseconds */
static double receive(station *s, const way *w, uint32_t *count)
{
    const clump_cell_hardware *h = w->h;
    const uint32_t most = w->calls ? 1 : BATCH;
    *count = s->arrived < most ? s->arrived : most;
    for (uint32_t i = 0; i < *count; i++) {
        clump_ssam_arrive(s->ssam, s->fifo[s->first]);
        s->first = (s->first + 1) % FIFO;
        s->arrived--;
    }
    const clump_ssam_counters before = clump_ssam_count(s->ssam);
    clump_ssam_poll(s->ssam);
    const clump_ssam_counters after = clump_ssam_count(s->ssam);
    /* Every cell has its flow control; a request or a reply runs a handler, which moves data. */
    double handlers = (double)(after.handled - before.handled);
    if (s->pattern == READ)
        handlers += (double)(after.answered - before.answered);
    return *count * h->flow_us + handlers * (h->flow_us + copy_cost(h));
}

static bool may_ask(const station *s)
{
    return s->asked < s->to_ask &&
           (s->pattern == BLOCK || (s->pattern == WRITE ? s->may_write : s->replies == s->asked));
}

/* One turn of a processor: send a request if the window is open, else poll; then answer. */
static void turn(cells *c, unsigned node)
{
    station *s = &c->end[node];
    const way *w = &c->way;
    unsigned char cell[CLUMP_CELL_SIZE], data[CLUMP_CELL_DATA] = {0};
    uint64_t at = c->queue.now_ps;
    uint32_t count = 0;
    if (may_ask(s) &&
        clump_ssam_request(s->ssam, s->pattern, data, sizeof data, NULL) == CLUMP_PROTOCOL_OK) {
        s->asked++;
        s->may_write = false;
        if (clump_ssam_transmit(s->ssam, at / 1000, cell)) {
            if (s->pattern != READ)
                at += ps(copy_cost(w->h));
            at += ps(2 * w->h->flow_us + write_cost(w));
            inject(c, node, at, cell);
        }
        const double handling = receive(s, w, &count);
        at += ps(write_read_cost(w, count) - write_cost(w) + handling);
    } else {
        const double handling = receive(s, w, &count);
        at += ps(read_cost(w, count) + handling);
    }
    while (clump_ssam_transmit(s->ssam, at / 1000, cell)) {
        at += ps(write_cost(w));
        inject(c, node, at, cell);
    }
    s->free_ps = at;
    c->failed |=
        !clump_calendar_add(&c->queue, (clump_event){.time_ps = at, .kind = POLL, .node = node});
}

/* What end 0 counts its rounds by. */
static uint32_t rounds_of(const station *s)
{
    return s->pattern == WRITE ? s->handled : s->replies;
}

/* Run until end 0 has had its rounds. */
static clump_protocol_status run(const way *w, uint16_t window, uint32_t rounds,
                                 enum pattern pattern, uint64_t *total_ps)
{
    static const uint64_t endless_ns = UINT64_C(1000000000000);
    cells c = {.way = *w};
    clump_event event;
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    uint64_t begun_ps = 0;
    for (unsigned i = 0; i < 2 && status == CLUMP_PROTOCOL_OK; i++) {
        const clump_ssam_options o = {.window = window,
                                      .timeout_ns = endless_ns, /* nothing is lost here */
                                      .incarnation = 1,
                                      .request = on_request,
                                      .reply = on_reply,
                                      .context = &c.end[i]};
        c.end[i].pattern = pattern;
        c.end[i].may_write = i == 0;
        c.end[i].to_ask = i == 0 || pattern == WRITE ? rounds + 2 : 0;
        status = clump_ssam_open(&o, &c.end[i].ssam);
        c.failed |= !clump_calendar_add(&c.queue, (clump_event){.kind = POLL, .node = i});
    }
    while (status == CLUMP_PROTOCOL_OK && !c.failed && rounds_of(&c.end[0]) < rounds + 1 &&
           clump_calendar_take(&c.queue, &event)) {
        station *s = &c.end[event.node];
        if (event.kind == POLL) {
            turn(&c, event.node);
        } else if (s->arrived < FIFO) {
            memcpy(s->fifo[(s->first + s->arrived++) % FIFO], c.under_way[event.value],
                   CLUMP_CELL_SIZE);
        }
        if (begun_ps == 0 && rounds_of(&c.end[0]) >= 1) /* the first one has greeted */
            begun_ps = c.end[0].free_ps;
    }
    *total_ps = c.end[0].free_ps - begun_ps;
    if (c.failed)
        status = CLUMP_PROTOCOL_FAILED;
    clump_ssam_close(c.end[0].ssam);
    clump_ssam_close(c.end[1].ssam);
    clump_calendar_free(&c.queue);
    return status;
}

/* Answers come in batches: fewer cells say nothing of the rate of a stream. */
enum { STREAM_LEAST = 2048 };

/* What messages take: the same code, whichever way the cells go. */
static clump_protocol_status measure(const way *w, uint16_t window, uint32_t rounds,
                                     clump_cell_messages *measured)
{
    uint64_t read_ps = 0, write_ps = 0, block_ps = 0;
    if (!clump_cell_hardware_is_usable(w->h) || rounds == 0 || rounds > 1000000)
        return CLUMP_PROTOCOL_BAD_INPUT;
    const uint32_t streamed = rounds > STREAM_LEAST ? rounds : STREAM_LEAST;
    clump_protocol_status status = run(w, window, rounds, READ, &read_ps);
    if (status == CLUMP_PROTOCOL_OK)
        status = run(w, window, rounds, WRITE, &write_ps);
    if (status == CLUMP_PROTOCOL_OK)
        status = run(w, window, streamed, BLOCK, &block_ps);
    if (status == CLUMP_PROTOCOL_OK)
        *measured = (clump_cell_messages){.round_trip_us = (double)read_ps * 1e-6 / rounds,
                                          .one_way_us = (double)write_ps * 1e-6 / rounds / 2,
                                          .bytes_per_us =
                                              DATA * (double)streamed / ((double)block_ps * 1e-6)};
    return status;
}

clump_protocol_status clump_measure_cells(const clump_cell_hardware *h, uint16_t window,
                                          uint32_t rounds, clump_cells_measured *measured)
{
    const way w = {.h = h};
    clump_cell_messages messages;
    const clump_protocol_status status = measure(&w, window, rounds, &messages);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    const double batch = read_cost(&w, BATCH) / BATCH;
    *measured =
        (clump_cells_measured){.write_trap_us = write_cost(&w),
                               .read_trap_us = read_cost(&w, 1),
                               .read_cell_us = batch,
                               .write_read_trap_us = write_read_cost(&w, 0),
                               .send_request_us = write_read_cost(&w, 0) + 2 * h->flow_us,
                               .handle_request_us = batch + 2 * h->flow_us,
                               .handle_request_reply_us = batch + 2 * h->flow_us + write_cost(&w),
                               .handle_acknowledge_us = batch + h->flow_us,
                               .handle_reply_us = batch + 2 * h->flow_us,
                               .messages = messages};
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_measure_cell_calls(const clump_cell_hardware *h, uint16_t window,
                                               uint32_t rounds, clump_cell_calls_measured *measured)
{
    const way w = {.h = h, .calls = true};
    clump_cell_messages messages;
    const clump_protocol_status status = measure(&w, window, rounds, &messages);
    if (status == CLUMP_PROTOCOL_OK)
        *measured = (clump_cell_calls_measured){.write_us = write_cost(&w),
                                                .read_us = read_cost(&w, 1),
                                                .read_empty_us = read_cost(&w, 0),
                                                .messages = messages};
    return status;
}
