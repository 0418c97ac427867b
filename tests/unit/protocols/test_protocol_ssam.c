/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SSAM between two ends, over a network that loses, repeats, damages and reorders cells. Every
 * request must be handled exactly once, and its answer must come back exactly once.
 */
#include "tests/unit/virtual_nodes.h"

#include "protocols/reliability/ssam.h"

enum { MOST = 1 << 20 };

struct end {
    clump_ssam *ssam;
    clump_ssam_options options;
    uint64_t alarm_ns;
    uint32_t heard_life;    /* of whom the last request was */
    uint32_t to_ask, asked; /* requests to send, and sent, in this life */
    unsigned char *handled; /* by number: requests of the other end */
    unsigned char *answered;
    struct pair *pair;
};

struct pair {
    clump_calendar queue;
    clump_wire *wire;
    struct end end[2];
    uint64_t steps;
    unsigned check_every;
};

/* Every third request gets no reply. A request carries its number; a reply three times that. */
static bool on_request(void *context, uint32_t handler, const unsigned char *data,
                       uint32_t *reply_handler, unsigned char *reply)
{
    struct end *e = context;
    uint32_t life, number;
    memcpy(&life, data, 4);
    memcpy(&number, data + 36, 4);
    assert_int_equal(handler, number ^ 0xabcd);
    const struct end *asker = &e->pair->end[e == &e->pair->end[0]];
    assert_true(number < MOST);
    assert_true(life >= e->heard_life); /* once a new process is heard, never the old one again */
    e->heard_life = life;
    if (life == asker->options.incarnation) /* else a cell that its sender did not survive */
        assert_int_equal(e->handled[number]++, 0);
    if (number % 3 == 0)
        return false;
    number *= 3;
    *reply_handler = 77;
    memcpy(reply + 8, &number, 4);
    return true;
}

static void on_reply(void *context, uint64_t request, bool has_reply, uint32_t handler,
                     const unsigned char *data)
{
    struct end *e = context;
    assert_true(request < MOST);
    assert_int_equal(has_reply, request % 3 != 0);
    if (has_reply) {
        uint32_t number;
        memcpy(&number, data + 8, 4);
        assert_int_equal(number, 3 * request);
        assert_int_equal(handler, 77);
    } else {
        assert_null(data);
    }
    assert_int_equal(e->answered[request]++, 0);
}

static void end_open(struct end *e)
{
    assert_int_equal(clump_ssam_open(&e->options, &e->ssam), CLUMP_PROTOCOL_OK);
    memset(e->handled, 0, MOST);
    memset(e->answered, 0, MOST);
    e->asked = e->heard_life = 0;
    e->alarm_ns = UINT64_MAX;
}

static void end_run(struct pair *p, unsigned i)
{
    struct end *e = &p->end[i];
    const uint64_t now = p->queue.now_ps / NS;
    unsigned char cell[CLUMP_CELL_SIZE];
    clump_ssam_poll(e->ssam);
    while (e->asked < e->to_ask) {
        unsigned char data[CLUMP_CELL_DATA] = {0};
        uint64_t number;
        memcpy(data, &e->options.incarnation, 4);
        memcpy(data + 36, &e->asked, 4);
        if (clump_ssam_request(e->ssam, e->asked ^ 0xabcd, data, sizeof data, &number) !=
            CLUMP_PROTOCOL_OK)
            break;
        assert_int_equal(number, e->asked);
        e->asked++;
    }
    while (clump_ssam_transmit(e->ssam, now, cell))
        assert_true(clump_wire_send(p->wire, p->queue.now_ps, i, 1 - i, cell, sizeof cell));
    if (p->check_every > 0 && ++p->steps % p->check_every == 0)
        assert_null(clump_ssam_check(e->ssam));
    const uint64_t deadline = clump_ssam_deadline(e->ssam);
    if (deadline != CLUMP_TIME_NEVER && deadline < e->alarm_ns) {
        e->alarm_ns = deadline > now ? deadline : now;
        clump_calendar_add(&p->queue,
                           (clump_event){.time_ps = e->alarm_ns * NS, .kind = ALARM, .node = i});
    }
}

static bool step(struct pair *p)
{
    clump_event event;
    if (!clump_calendar_take(&p->queue, &event))
        return false;
    struct end *e = &p->end[event.node];
    if (event.kind == ARRIVAL) {
        size_t size;
        clump_ssam_arrive(e->ssam, clump_wire_packet(p->wire, event.value, &size));
        clump_wire_release(p->wire, event.value);
    } else if (event.time_ps != e->alarm_ns * NS) {
        return true;
    } else {
        e->alarm_ns = UINT64_MAX;
    }
    end_run(p, event.node);
    return true;
}

static void pair_open(struct pair *p, uint16_t window, uint16_t first,
                      const clump_wire_faults *faults, uint32_t asks_0, uint32_t asks_1)
{
    static unsigned char marks[4][MOST];
    *p = (struct pair){.check_every = 1};
    p->wire = clump_wire_open(faults, &p->queue, ARRIVAL, CLUMP_CELL_SIZE);
    assert_non_null(p->wire);
    for (unsigned i = 0; i < 2; i++) {
        struct end *e = &p->end[i];
        e->pair = p;
        e->to_ask = i == 0 ? asks_0 : asks_1;
        e->handled = marks[2 * i];
        e->answered = marks[2 * i + 1];
        e->options = (clump_ssam_options){.window = window,
                                          .timeout_ns = 20000,
                                          .incarnation = 5,
                                          .first_sequence = first,
                                          .request = on_request,
                                          .reply = on_reply,
                                          .context = e};
        end_open(e);
    }
}

static void pair_close(struct pair *p)
{
    clump_ssam_close(p->end[0].ssam);
    clump_ssam_close(p->end[1].ssam);
    clump_wire_close(p->wire);
    clump_calendar_free(&p->queue);
}

static void run_to_quiet(struct pair *p)
{
    end_run(p, 0);
    end_run(p, 1);
    while (step(p))
        ;
}

static void expect_all(struct pair *p)
{
    for (unsigned i = 0; i < 2; i++) {
        struct end *e = &p->end[i];
        assert_int_equal(e->asked, e->to_ask);
        assert_true(clump_ssam_idle(e->ssam));
        for (uint32_t k = 0; k < e->to_ask; k++) {
            if (e->answered[k] != 1 || p->end[1 - i].handled[k] != 1)
                fail_msg("request %u of end %u: handled %u times, answered %u times", k, i,
                         p->end[1 - i].handled[k], e->answered[k]);
        }
        assert_null(clump_ssam_check(e->ssam));
    }
    assert_int_equal(clump_wire_under_way(p->wire), 0);
}

static const clump_wire_faults bad = {.loss = 0.05,
                                      .duplication = 0.02,
                                      .damage = 0.001,
                                      .reordering = 0.1,
                                      .delay_ps = 1000 * NS,
                                      .jitter_ps = 5000 * NS,
                                      .seed = 1};

TEST(test_lossy)
{
    static struct pair p;
    const uint32_t total = (uint32_t)nodes_long_run();
    pair_open(&p, 32, 0, &bad, total, total / 10);
    p.check_every = nodes_long() ? 1 : 64;
    run_to_quiet(&p);
    expect_all(&p);
    const clump_ssam_counters c = clump_ssam_count(p.end[0].ssam);
    assert_int_equal(c.requests, total);
    assert_int_equal(c.answered, total);
    assert_int_equal(c.handled, total / 10);
    assert_true(c.resent > total / 20);
    assert_true(c.most_buffers <= 4 * 32);
    assert_int_equal(c.lost, 0);
    pair_close(&p);
}

TEST(test_windows)
{
    const uint16_t windows[] = {1, 2, 3, 5, 31, 32, 100, 128};
    for (unsigned w = 0; w < sizeof windows / sizeof *windows; w++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            static struct pair p;
            clump_wire_faults faults = bad;
            faults.seed = seed;
            faults.loss = 0.2;
            /* The sequence passes 1023 several times. */
            pair_open(&p, windows[w], (uint16_t)(1020 + seed % 4), &faults, 2500, 300);
            run_to_quiet(&p);
            expect_all(&p);
            pair_close(&p);
        }
    }
}

TEST(test_every_loss)
{
    for (uint64_t one = 0; one < 45; one++) {
        for (uint64_t other = one; other < 45; other++) {
            static struct pair p;
            struct nodes_losses l = {one, other};
            const clump_wire_faults faults = {
                .delay_ps = 1000 * NS, .lose = nodes_lose_chosen, .context = &l};
            pair_open(&p, 4, 0, &faults, 9, 9);
            run_to_quiet(&p);
            assert_true(clump_wire_sent(p.wire) >= 39); /* 2 hellos at least, 36 cells, the lost */
            expect_all(&p);
            pair_close(&p);
        }
    }
}

/* A lost reply: the request is not handled again, and the same reply comes. */
TEST(test_lost_reply)
{
    static struct pair p;
    struct nodes_losses l = {UINT64_MAX, UINT64_MAX};
    const clump_wire_faults faults = {
        .delay_ps = 1000 * NS, .lose = nodes_lose_chosen, .context = &l};
    pair_open(&p, 4, 0, &faults, 1, 0);
    run_to_quiet(&p); /* number 0: an acknowledgement */
    p.end[0].to_ask = 2;
    l.one = clump_wire_sent(p.wire) + 1; /* the request, then the reply */
    run_to_quiet(&p);
    expect_all(&p);
    const clump_ssam_counters asker = clump_ssam_count(p.end[0].ssam),
                              server = clump_ssam_count(p.end[1].ssam);
    assert_int_equal(asker.resent, 1);
    assert_int_equal(server.duplicates, 1);
    assert_int_equal(server.resent, 1);
    assert_int_equal(server.handled, 2);
    pair_close(&p);
}

/* New processes at any moment, at one end or both. */
static void restart_at(clump_wire_faults faults, uint64_t first, uint64_t second)
{
    static struct pair p;
    pair_open(&p, 4, 0, &faults, 12, 12);
    end_run(&p, 0);
    end_run(&p, 1);
    uint64_t steps = 0;
    do {
        for (unsigned i = 0; i < 2; i++) {
            if (steps == (i == 0 ? first : second)) {
                struct end *e = &p.end[i], *other = &p.end[1 - i];
                clump_ssam_close(e->ssam);
                e->options.incarnation++;
                end_open(e);
                memset(other->handled, 0, MOST); /* what the new process asks is new */
                end_run(&p, i);
            }
        }
        steps++;
    } while (step(&p));
    /* All is answered or given up, and both can talk on. */
    uint64_t lost = 0;
    for (unsigned i = 0; i < 2; i++) {
        const clump_ssam_counters c = clump_ssam_count(p.end[i].ssam);
        assert_true(clump_ssam_idle(p.end[i].ssam));
        assert_int_equal(c.answered + c.lost, c.requests);
        assert_true(c.restarts <= 1);
        lost += c.lost;
        p.end[i].to_ask += 12;
    }
    assert_true(lost <= 8); /* no more than the windows held */
    run_to_quiet(&p);
    for (unsigned i = 0; i < 2; i++)
        for (uint32_t k = 12; k < 24; k++) {
            assert_int_equal(p.end[i].answered[k], 1);
            assert_int_equal(p.end[1 - i].handled[k], 1);
        }
    pair_close(&p);
}

TEST(test_restarts)
{
    const clump_wire_faults good = {.delay_ps = 1000 * NS};
    const uint64_t step = nodes_long() ? 1 : 4;
    for (uint64_t first = 0; first < 40; first += 1) {
        restart_at(good, first, UINT64_MAX);
        for (uint64_t second = first % step; second < 40; second += step)
            restart_at(good, first, second);
    }
    for (uint64_t seed = 1; seed < (nodes_long() ? 1000 : 40); seed++) {
        clump_wire_faults faults = bad;
        faults.seed = seed;
        faults.damage = 0;
        restart_at(faults, seed % 29, seed % 13);
    }
}

/* The process does not run: cells wait in 2w buffers, what exceeds them is refused and repeated. */
TEST(test_sleeper)
{
    static struct pair p;
    const clump_wire_faults faults = {.delay_ps = 1000 * NS, .duplication = 1};
    pair_open(&p, 8, 0, &faults, 8, 0);
    end_run(&p, 0);
    end_run(&p, 1);
    while (!clump_ssam_idle(p.end[0].ssam)) /* both ends know each other */
        assert_true(step(&p));
    p.end[0].to_ask = 200;
    unsigned char cell[CLUMP_CELL_SIZE];
    memset(cell, 0x55, sizeof cell);
    for (int i = 0; i < 16; i++)
        assert_int_equal(clump_ssam_arrive(p.end[1].ssam, cell), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_ssam_arrive(p.end[1].ssam, cell), CLUMP_PROTOCOL_BAD_PACKET);
    assert_int_equal(clump_ssam_poll(p.end[1].ssam), 16);
    run_to_quiet(&p);
    expect_all(&p);
    pair_close(&p);
}

/* 63 peers ask one process at the same time. Its interface holds 292 cells (section 3.2), and what
 * finds it full is lost; the process reads it only now and then. */
enum { PEERS = 63, INPUT = 292, ASKED = 40 };

struct server {
    clump_calendar queue;
    clump_wire *wire;
    clump_ssam *end[PEERS], *peer[PEERS];
    unsigned char fifo[INPUT][CLUMP_CELL_SIZE];
    unsigned from[INPUT], waiting;
    uint64_t dropped, peer_alarm_ns[PEERS], server_alarm_ns;
    uint32_t asked[PEERS];
    unsigned char handled[PEERS][ASKED], answered[PEERS][ASKED];
};

struct place {
    struct server *server;
    unsigned peer;
};

static bool on_burst(void *context, uint32_t handler, const unsigned char *data,
                     uint32_t *reply_handler, unsigned char *reply)
{
    const struct place *at = context;
    assert_int_equal(data[0], at->peer);
    assert_true(handler < ASKED);
    at->server->handled[at->peer][handler]++;
    *reply_handler = handler;
    reply[0] = data[0];
    return true;
}

static void on_burst_reply(void *context, uint64_t request, bool has_reply, uint32_t handler,
                           const unsigned char *data)
{
    const struct place *at = context;
    assert_true(has_reply && handler == request && data[0] == at->peer);
    at->server->answered[at->peer][handler]++;
}

/* Transmit what one end has, and remember when it wants to be asked again. */
static uint64_t burst_sends(struct server *s, clump_ssam *end, unsigned node, unsigned to,
                            uint64_t alarm_ns)
{
    const uint64_t now = s->queue.now_ps / NS;
    unsigned char cell[CLUMP_CELL_SIZE];
    while (clump_ssam_transmit(end, now, cell))
        assert_true(clump_wire_send(s->wire, s->queue.now_ps, node, to, cell, sizeof cell));
    const char *wrong = clump_ssam_check(end);
    assert_null(wrong);
    const uint64_t deadline = clump_ssam_deadline(end);
    if (deadline == CLUMP_TIME_NEVER || deadline >= alarm_ns)
        return alarm_ns;
    clump_calendar_add(&s->queue, (clump_event){.time_ps = (deadline > now ? deadline : now) * NS,
                                                .kind = ALARM,
                                                .node = node});
    return deadline > now ? deadline : now;
}

static void burst_peer(struct server *s, unsigned i)
{
    unsigned char data[CLUMP_CELL_DATA] = {(unsigned char)i};
    clump_ssam_poll(s->peer[i]);
    while (s->asked[i] < ASKED && clump_ssam_request(s->peer[i], s->asked[i], data, sizeof data,
                                                     NULL) == CLUMP_PROTOCOL_OK)
        s->asked[i]++;
    s->peer_alarm_ns[i] = burst_sends(s, s->peer[i], i, PEERS, s->peer_alarm_ns[i]);
}

static void burst_serve(struct server *s)
{
    for (unsigned i = 0; i < s->waiting; i++)
        clump_ssam_arrive(s->end[s->from[i]], s->fifo[i]);
    s->waiting = 0;
    for (unsigned i = 0; i < PEERS; i++) {
        clump_ssam_poll(s->end[i]);
        s->server_alarm_ns = burst_sends(s, s->end[i], PEERS, i, s->server_alarm_ns);
    }
}

TEST(test_burst)
{
    static struct server s;
    static struct place places[PEERS];
    const clump_wire_faults faults = {.delay_ps = 1000 * NS, .loss = 0.01, .seed = 9};
    clump_event event;
    size_t memory = 0;
    s = (struct server){.server_alarm_ns = UINT64_MAX};
    s.wire = clump_wire_open(&faults, &s.queue, ARRIVAL, CLUMP_CELL_SIZE);
    assert_non_null(s.wire);
    for (unsigned i = 0; i < PEERS; i++) {
        places[i] = (struct place){&s, i};
        const clump_ssam_options o = {.window = 32,
                                      .timeout_ns = 100000,
                                      .incarnation = 1,
                                      .request = on_burst,
                                      .reply = on_burst_reply,
                                      .context = &places[i]};
        assert_int_equal(clump_ssam_open(&o, &s.peer[i]), CLUMP_PROTOCOL_OK);
        assert_int_equal(clump_ssam_open(&o, &s.end[i]), CLUMP_PROTOCOL_OK);
        s.peer_alarm_ns[i] = UINT64_MAX;
        memory += clump_ssam_buffer_bytes(o.window);
    }
    assert_int_equal(memory, PEERS * 8192);
    for (unsigned i = 0; i < PEERS; i++)
        burst_peer(&s, i);
    while (clump_calendar_take(&s.queue, &event)) {
        const uint64_t now = s.queue.now_ps / NS;
        if (event.kind == ALARM && event.node == PEERS) {
            s.server_alarm_ns = UINT64_MAX;
            burst_serve(&s);
        } else if (event.kind == ALARM) {
            if (now == s.peer_alarm_ns[event.node])
                s.peer_alarm_ns[event.node] = UINT64_MAX;
            burst_peer(&s, event.node);
        } else {
            size_t size;
            const unsigned char *cell = clump_wire_packet(s.wire, event.value, &size);
            if (event.node < PEERS) {
                clump_ssam_arrive(s.peer[event.node], cell);
                burst_peer(&s, event.node);
            } else if (s.waiting < INPUT) {
                memcpy(s.fifo[s.waiting], cell, CLUMP_CELL_SIZE);
                s.from[s.waiting++] = event.other;
            } else {
                s.dropped++;
            }
            clump_wire_release(s.wire, event.value);
            if (event.node == PEERS && s.waiting == 1) /* it comes by 20 us later */
                clump_calendar_add(
                    &s.queue,
                    (clump_event){.time_ps = (now + 20000) * NS, .kind = ALARM, .node = PEERS});
        }
    }
    assert_true(s.dropped > 0);
    for (unsigned i = 0; i < PEERS; i++) {
        for (unsigned k = 0; k < ASKED; k++)
            assert_true(s.handled[i][k] == 1 && s.answered[i][k] == 1);
        assert_true(clump_ssam_count(s.end[i]).most_buffers <= 4 * 32);
        clump_ssam_close(s.peer[i]);
        clump_ssam_close(s.end[i]);
    }
    clump_wire_close(s.wire);
    clump_calendar_free(&s.queue);
}

/* Acknowledgements that wait together share cells, 21 in each: one in its header and 20 in the
 * data. A lost cell of them makes all these requests come again, none is handled twice. */
struct asked {
    uint32_t handled, answered;
};

static bool without_reply(void *context, uint32_t handler, const unsigned char *data,
                          uint32_t *reply_handler, unsigned char *reply)
{
    (void)handler, (void)data, (void)reply_handler, (void)reply;
    ((struct asked *)context)->handled++;
    return false;
}

static void acknowledged(void *context, uint64_t request, bool has_reply, uint32_t handler,
                         const unsigned char *data)
{
    struct asked *a = context;
    (void)handler;
    assert_true(!has_reply && data == NULL);
    assert_int_equal(request, a->answered++); /* in the order in which they were handled */
}

/* All that one end has to send, at once. @return how many cells; `lose` of them the other
 * misses */
static unsigned carry(clump_ssam *from, clump_ssam *to, uint64_t now_ns, unsigned lose)
{
    unsigned char cell[CLUMP_CELL_SIZE];
    unsigned count = 0;
    while (clump_ssam_transmit(from, now_ns, cell))
        if (count++ >= lose)
            assert_int_equal(clump_ssam_arrive(to, cell), CLUMP_PROTOCOL_OK);
    assert_null(clump_ssam_check(from));
    clump_ssam_poll(to);
    assert_null(clump_ssam_check(to));
    return count;
}

TEST(test_shared_acknowledgements)
{
    struct asked a = {0, 0}, b = {0, 0};
    clump_ssam_options o = {.window = 64,
                            .timeout_ns = 1000,
                            .incarnation = 1,
                            .first_sequence = 1000, /* it wraps among them */
                            .request = without_reply,
                            .reply = acknowledged,
                            .context = &a};
    clump_ssam *end[2];
    assert_int_equal(clump_ssam_open(&o, &end[0]), CLUMP_PROTOCOL_OK);
    o.context = &b;
    assert_int_equal(clump_ssam_open(&o, &end[1]), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_ssam_request(end[0], 1, NULL, 0, NULL), CLUMP_PROTOCOL_OK);
    while (a.answered < 1) { /* they greet */
        carry(end[0], end[1], 0, 0);
        carry(end[1], end[0], 0, 0);
    }
    for (int i = 0; i < 63; i++)
        assert_int_equal(clump_ssam_request(end[0], 1, NULL, 0, NULL), CLUMP_PROTOCOL_OK);
    assert_int_equal(carry(end[0], end[1], 10, 0), 63);
    assert_int_equal(b.handled, 64);
    assert_int_equal(carry(end[1], end[0], 10, 3), 3); /* 63 = 3 x 21; all are lost */
    assert_int_equal(a.answered, 1);
    assert_int_equal(carry(end[0], end[1], 2000, 0), 63);
    assert_int_equal(b.handled, 64);
    assert_int_equal(carry(end[1], end[0], 2000, 0), 3);
    assert_int_equal(a.answered, 64);
    assert_true(clump_ssam_idle(end[0]));
    clump_ssam_close(end[0]);
    clump_ssam_close(end[1]);
}

TEST(test_memory)
{
    assert_int_equal(clump_ssam_buffer_bytes(32), 8 * 1024); /* section 3.5 */
    /* 64 nodes, 10 applications: "5Mb of memory per processor". */
    const double all = 10.0 * 63 * (double)clump_ssam_buffer_bytes(32);
    assert_true(all > 4.9e6 && all < 5.3e6);
}

TEST(test_arguments)
{
    clump_ssam *s = NULL;
    const clump_ssam_options good = {
        .window = 4, .timeout_ns = 1, .incarnation = 1, .request = on_request};
    clump_ssam_options o = good;
    o.window = 0;
    assert_int_equal(clump_ssam_open(&o, &s), CLUMP_PROTOCOL_BAD_INPUT);
    o.window = 129;
    assert_int_equal(clump_ssam_open(&o, &s), CLUMP_PROTOCOL_BAD_INPUT);
    o = good;
    o.incarnation = 0;
    assert_int_equal(clump_ssam_open(&o, &s), CLUMP_PROTOCOL_BAD_INPUT);
    o = good;
    o.first_sequence = 1024;
    assert_int_equal(clump_ssam_open(&o, &s), CLUMP_PROTOCOL_BAD_INPUT);
    o = good;
    o.request = NULL;
    assert_int_equal(clump_ssam_open(&o, &s), CLUMP_PROTOCOL_BAD_INPUT);
    assert_null(s);
    assert_int_equal(clump_ssam_open(&good, &s), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_ssam_request(s, 0, "", 41, NULL), CLUMP_PROTOCOL_BAD_INPUT);
    for (int i = 0; i < 4; i++)
        assert_int_equal(clump_ssam_request(s, 0, NULL, 0, NULL), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_ssam_request(s, 0, NULL, 0, NULL), CLUMP_PROTOCOL_BLOCKED);
    clump_ssam_close(s);
    clump_ssam_close(NULL);
}

/* CRC-10: the check value of the catalogue of parametrised CRC algorithms for "123456789"
 * (CRC-10/ATM), and every damaged bit of a cell is found. */
TEST(test_cells)
{
    assert_int_equal(clump_crc10((const unsigned char *)"123456789", 9), 0x199);
    const clump_cell cell = {.kind = CLUMP_CELL_REPLY,
                             .epoch = 5,
                             .sequence = 777,
                             .handler = 0xdeadbeef,
                             .size = 40,
                             .data = "forty bytes of data, or so they say...."};
    unsigned char bytes[CLUMP_CELL_SIZE];
    clump_cell back;
    clump_cell_encode(&cell, bytes);
    assert_true(clump_cell_decode(bytes, &back));
    assert_int_equal(back.kind, cell.kind);
    assert_int_equal(back.epoch, cell.epoch);
    assert_int_equal(back.sequence, cell.sequence);
    assert_int_equal(back.handler, cell.handler);
    assert_int_equal(back.size, cell.size);
    assert_memory_equal(back.data, cell.data, sizeof cell.data);
    for (int one = 0; one < 384; one++) {
        bytes[one / 8] ^= (unsigned char)(1 << one % 8);
        assert_false(clump_cell_decode(bytes, &back));
        for (int other = one + 1; other < 384; other++) { /* CRC-10 finds two errors, too */
            bytes[other / 8] ^= (unsigned char)(1 << other % 8);
            assert_false(clump_cell_decode(bytes, &back));
            bytes[other / 8] ^= (unsigned char)(1 << other % 8);
        }
        bytes[one / 8] ^= (unsigned char)(1 << one % 8);
    }
}

UNIT_MAIN(NULL, NULL)
