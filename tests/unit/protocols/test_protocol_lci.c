/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The packet layer of the LCI family over networks that lose, repeat, damage and reorder. What has
 * to arrive follows from what was sent: each message carries who sent it and its number.
 *
 * CLUMP_VIRTUAL_MESSAGES=N: messages of the long runs. CLUMP_TEST_LONG: all of the rest as long,
 * and invariants after every step.
 */
#include "tests/unit/virtual_nodes.h"

static clump_lci_options options(uint16_t window, bool retransmit, bool request_again)
{
    return (clump_lci_options){.mtu = 64,
                               .window = window,
                               .retransmit = retransmit,
                               .request_again = request_again,
                               .forward = true,
                               .send_buffers = 64,
                               .receive_buffers = retransmit ? 16 : window * 63u,
                               .timeout_ns = 50000,
                               .timeout_most_ns = 400000,
                               .acknowledge_ns = 10000,
                               .incarnation = 1};
}

/* Every node sends `total` messages to each of its targets; each must come once and in order. */
struct plan {
    uint32_t total, sent[NODES_MOST][NODES_MOST], got[NODES_MOST][NODES_MOST];
    bool (*sends)(unsigned from, unsigned to);
    unsigned turn[NODES_MOST];
};

static bool first_to_second(unsigned from, unsigned to)
{
    return from == 0 && to == 1;
}

static bool both_ways(unsigned from, unsigned to)
{
    return from != to;
}

static bool all_to_first(unsigned from, unsigned to)
{
    return from != 0 && to == 0;
}

static void compose(unsigned from, unsigned to, uint32_t number, unsigned char message[24])
{
    uint64_t key = (uint64_t)from << 48 | (uint64_t)to << 32 | number;
    memcpy(message, &key, sizeof key);
    for (int i = 1; i < 3; i++) {
        const uint64_t word = clump_splitmix_next(&key);
        memcpy(message + 8 * i, &word, sizeof word);
    }
}

static void feed(struct nodes *n, unsigned from)
{
    struct plan *p = n->context;
    for (unsigned tried = 0; tried < n->count; tried++) {
        const unsigned to = (p->turn[from] + tried) % n->count;
        while (p->sends(from, to) && p->sent[from][to] < p->total) {
            unsigned char data[24];
            compose(from, to, p->sent[from][to], data);
            const clump_lci_message m = {.size = sizeof data, .data = data};
            if (clump_lci_send(n->node[from], (uint16_t)to, &m) != CLUMP_PROTOCOL_OK) {
                p->turn[from] = to + 1;
                return;
            }
            p->sent[from][to]++;
        }
    }
}

static bool take(struct nodes *n, unsigned to, const clump_lci_delivery *d)
{
    struct plan *p = n->context;
    unsigned char expected[24];
    compose(d->source, to, p->got[d->source][to]++, expected);
    assert_int_equal(d->size, sizeof expected);
    assert_memory_equal(d->data, expected, sizeof expected);
    return true;
}

static void expect_all(const struct nodes *n, const struct plan *p)
{
    for (unsigned from = 0; from < n->count; from++)
        for (unsigned to = 0; to < n->count; to++)
            assert_int_equal(p->got[from][to], p->sends(from, to) ? p->total : 0);
}

static clump_lci_counters run_plan(unsigned count, clump_lci_options like, clump_wire_faults faults,
                                   struct plan *p, unsigned check_every)
{
    static struct nodes n;
    n = (struct nodes){.feed = feed, .take = take, .context = p, .check_every = check_every};
    nodes_open(&n, count, &like, &faults);
    nodes_start(&n);
    while (nodes_step(&n))
        ;
    expect_all(&n, p);
    for (unsigned i = 0; i < count; i++) {
        assert_null(clump_lci_check(n.node[i]));
        assert_true(clump_lci_idle(n.node[i]));
    }
    assert_int_equal(clump_wire_under_way(n.wire), 0);
    const clump_lci_counters counters = clump_lci_count(n.node[0]);
    nodes_close(&n);
    return counters;
}

static const clump_wire_faults bad = {.loss = 0.05,
                                      .duplication = 0.02,
                                      .reordering = 0.1,
                                      .damage = 0.001,
                                      .delay_ps = 2000 * NS,
                                      .jitter_ps = 6000 * NS,
                                      .seed = 1};

TEST(test_lossy)
{
    for (unsigned scheme = 0; scheme < 2; scheme++) {
        for (uint64_t seed = 1; seed <= 2; seed++) {
            static struct plan p;
            clump_wire_faults faults = bad;
            faults.seed = seed;
            p = (struct plan){.sends = seed == 1 ? first_to_second : both_ways,
                              .total = (uint32_t)nodes_long_run() / (seed == 1 ? 1 : 4)};
            const clump_lci_options o = options(scheme ? 32 : 8, true, scheme == 1);
            const clump_lci_counters c = run_plan(2, o, faults, &p, nodes_long() ? 1 : 64);
            assert_int_equal(c.sent, p.total);
            assert_true(c.resent > p.total / 20); /* 5% were lost */
            assert_true(c.most_send_buffers <= o.send_buffers);
        }
    }
}

TEST(test_steps)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static struct plan p;
        clump_wire_faults faults = bad;
        faults.seed = seed;
        faults.loss = 0.2;
        p = (struct plan){.sends = both_ways, .total = 200};
        clump_lci_options o = options((uint16_t)(1 + seed % 9), true, seed % 2);
        o.receive_buffers = 1 + (uint32_t)seed % 4;
        o.send_buffers = (uint16_t)(1 + seed % 7);
        run_plan(2 + seed % 3, o, faults, &p, 1);
    }
}

/* Credits on links that keep their promise: nothing is dropped, whatever the pattern. */
TEST(test_credits)
{
    static struct plan p;
    p = (struct plan){.sends = both_ways, .total = 300};
    const clump_wire_faults good = {.delay_ps = 1000 * NS};
    const clump_lci_counters c = run_plan(16, options(4, false, false), good, &p, 1);
    assert_int_equal(c.no_buffer + c.resent + c.timeouts + c.broken + c.out_of_order, 0);
    /* Packets that only acknowledge: at most one for two packets (half a window). */
    assert_true(c.acknowledged <= c.accepted / 2);
    p = (struct plan){.sends = first_to_second, .total = (uint32_t)nodes_long_run()};
    run_plan(2, options(8, false, false), good, &p, 64);
}

/* 63 senders, and a receiver that releases its 16 buffers only now and then. */
struct hoard {
    struct plan plan;
    uint32_t kept[16], count, calls;
};

static bool take_late(struct nodes *n, unsigned to, const clump_lci_delivery *d)
{
    struct hoard *h = n->context;
    take(n, to, d);
    if (to != 0)
        return true;
    h->kept[h->count++] = d->buffer;
    return false;
}

static void feed_late(struct nodes *n, unsigned from)
{
    struct hoard *h = n->context;
    feed(n, from);
    if (from == 0 && ++h->calls % 40 == 0) /* in the opposite order */
        while (h->count > 0)
            clump_lci_release(n->node[0], nodes_now(n), h->kept[--h->count]);
}

static void burst(clump_lci_options o, bool late, clump_wire_faults faults)
{
    static struct nodes n;
    static struct hoard h;
    h = (struct hoard){.plan = {.sends = all_to_first, .total = 96}};
    n = (struct nodes){
        .feed = feed_late, .take = late ? take_late : take, .context = &h, .check_every = 7};
    nodes_open(&n, 64, &o, &faults);
    nodes_start(&n);
    while (nodes_step(&n))
        ;
    expect_all(&n, &h.plan);
    const clump_lci_counters c = clump_lci_count(n.node[0]);
    if (o.retransmit)
        assert_true(c.no_buffer > 0); /* it was a burst */
    else
        assert_int_equal(c.no_buffer, 0);
    if (o.request_again)
        assert_true(c.again > 0);
    assert_true(c.most_receive_buffers <= o.receive_buffers);
    nodes_close(&n);
}

TEST(test_burst)
{
    const clump_wire_faults good = {.delay_ps = 1000 * NS};
    clump_lci_options o = options(8, true, true);
    burst(o, true, good);
    o.request_again = false;
    burst(o, true, good);
    burst(o, true, bad);
    burst(options(4, false, false), false, good);
}

/* Sequence numbers pass 65535 -> 0 many times. */
TEST(test_wrap)
{
    for (int scheme = 0; scheme < 2; scheme++) {
        static struct plan p;
        p = (struct plan){.sends = first_to_second, .total = 70000};
        clump_lci_options o = options(32, scheme, scheme);
        o.first_sequence = 65530;
        o.mtu = 64;
        clump_wire_faults faults = scheme ? bad : (clump_wire_faults){.delay_ps = 1000 * NS};
        run_plan(2, o, faults, &p, 256);
    }
}

/* A short exchange in both directions, in which chosen packets are lost. */
TEST(test_every_loss)
{
    for (int again = 0; again < 2; again++) {
        const clump_lci_options o = options(4, true, again);
        uint64_t packets = 40; /* of the exchange without loss, with room for what comes after */
        for (uint64_t one = 0; one < packets; one++) {
            for (uint64_t other = one; other < packets; other++) {
                static struct plan p;
                struct nodes_losses l = {one, other};
                const clump_wire_faults faults = {
                    .delay_ps = 1000 * NS, .lose = nodes_lose_chosen, .context = &l};
                p = (struct plan){.sends = both_ways, .total = 9};
                run_plan(2, o, faults, &p, 1);
            }
        }
    }
}

/* With credits a lost packet cannot be repaired. It must be noticed, and nothing wrong delivered.
 */
TEST(test_broken)
{
    for (uint64_t lost = 4; lost < 18; lost++) {
        static struct nodes n;
        static struct plan p;
        struct nodes_losses l = {lost, lost};
        const clump_wire_faults faults = {
            .delay_ps = 1000 * NS, .lose = nodes_lose_chosen, .context = &l};
        const clump_lci_options o = options(32, false, false);
        p = (struct plan){.sends = first_to_second, .total = 30};
        n = (struct nodes){.feed = feed, .take = take, .context = &p, .check_every = 1};
        nodes_open(&n, 2, &o, &faults);
        nodes_start(&n);
        while (nodes_step(&n))
            ;
        assert_int_equal(clump_lci_count(n.node[1]).broken, 1);
        assert_true(p.got[0][1] < 30);
        nodes_close(&n);
    }
}

/* Links that rely on credits, on a network that does not keep its promise: what comes, comes once
 * and in order; a link that is broken or comes to a stop is known to be, and a new process at both
 * ends goes on. So a million messages get through in the end. */
struct stubborn {
    uint32_t life, sent, heard; /* of this life */
    uint64_t total, got, lives;
};

static void feed_stubborn(struct nodes *n, unsigned from)
{
    struct stubborn *s = n->context;
    while (from == 0 && s->got + s->sent - s->heard < s->total) {
        const uint32_t data[2] = {s->life, s->sent};
        const clump_lci_message m = {.size = sizeof data, .data = data};
        if (clump_lci_send(n->node[0], 1, &m) != CLUMP_PROTOCOL_OK)
            return;
        s->sent++;
    }
}

static bool take_stubborn(struct nodes *n, unsigned to, const clump_lci_delivery *d)
{
    struct stubborn *s = n->context;
    uint32_t data[2];
    (void)to;
    memcpy(data, d->data, sizeof data);
    assert_int_equal(data[0], s->life); /* nothing of an earlier life */
    assert_int_equal(data[1], s->heard++);
    s->got++;
    return true;
}

TEST(test_credits_with_loss)
{
    static struct nodes n;
    struct stubborn s = {.life = 1, .total = nodes_long() ? 1000000 : 4000};
    clump_lci_options o = options(32, false, false);
    uint64_t broken = 0;
    o.receive_buffers = 32; /* there is one peer */
    o.send_buffers = 8;
    n = (struct nodes){
        .feed = feed_stubborn, .take = take_stubborn, .context = &s, .check_every = 1};
    nodes_open(&n, 2, &o, &bad);
    nodes_start(&n);
    while (s.got < s.total) {
        while (s.got < s.total && clump_lci_count(n.node[1]).broken == 0 && nodes_step(&n))
            ;
        if (s.got == s.total)
            break;
        /* or the last packet was lost, and all is quiet */
        broken += clump_lci_count(n.node[1]).broken;
        s.life++;
        s.sent = s.heard = 0;
        s.lives++;
        nodes_restart(&n, 0);
        nodes_restart(&n, 1);
        nodes_run(&n, 0);
        nodes_run(&n, 1);
    }
    assert_true(broken > s.lives / 2);
    assert_true(s.lives > s.total / 100); /* a packet in 15 is lost or late */
    nodes_close(&n);
}

/* Processes that end and start again at any moment. A message is the number of its sender's
 * incarnation and its own: within one life of both ends they come once and in order. */
struct lives {
    uint32_t sent[2], incarnation[2]; /* of the living process */
    uint32_t heard_from[2], heard[2]; /* incarnation of the other, and its next message */
    uint32_t gaps, total;
};

static void feed_lives(struct nodes *n, unsigned from)
{
    struct lives *v = n->context;
    while (v->sent[from] < v->total) {
        const uint32_t data[2] = {v->incarnation[from], v->sent[from]};
        const clump_lci_message m = {.size = sizeof data, .data = data};
        if (clump_lci_send(n->node[from], (uint16_t)(1 - from), &m) != CLUMP_PROTOCOL_OK)
            return;
        v->sent[from]++;
    }
}

static bool take_lives(struct nodes *n, unsigned to, const clump_lci_delivery *d)
{
    struct lives *v = n->context;
    uint32_t data[2];
    memcpy(data, d->data, sizeof data);
    if (data[0] != v->heard_from[to]) { /* a new process, never an old one again */
        assert_true(data[0] > v->heard_from[to]);
        v->heard_from[to] = data[0];
        v->heard[to] = 0;
    }
    assert_true(data[1] >= v->heard[to]); /* never twice, never out of order */
    v->gaps += data[1] != v->heard[to];
    v->heard[to] = data[1] + 1;
    return true;
}

static void restart_at(clump_lci_options o, clump_wire_faults faults, uint64_t first,
                       uint64_t second)
{
    static struct nodes n;
    struct lives v = {.incarnation = {1, 1}, .total = 40};
    n = (struct nodes){.feed = feed_lives, .take = take_lives, .context = &v, .check_every = 1};
    nodes_open(&n, 2, &o, &faults);
    nodes_start(&n);
    uint64_t step = 0;
    do {
        for (unsigned end = 0; end < 2; end++) {
            if (step == (end == 0 ? first : second)) {
                nodes_restart(&n, end);
                v.incarnation[end]++;
                v.sent[end] = 0;
                v.heard_from[end] = v.heard[end] = 0;
                nodes_run(&n, end);
            }
        }
        step++;
    } while (nodes_step(&n));
    /* Whoever started last has heard nothing of what was meant for its predecessor, but its own
     * messages all arrive; afterwards both can talk: the other sends forty more. */
    for (unsigned end = 0; end < 2; end++) {
        const unsigned peer = 1 - end;
        const bool restarted_last = end == 0 ? first >= second : second >= first;
        const uint64_t mine = end == 0 ? first : second;
        if (mine < step && restarted_last) {
            assert_int_equal(v.heard_from[peer], v.incarnation[end]);
            assert_int_equal(v.heard[peer], v.total);
        }
    }
    v.total += 40;
    nodes_start(&n);
    while (nodes_step(&n))
        ;
    for (unsigned end = 0; end < 2; end++) {
        assert_int_equal(v.heard_from[1 - end], v.incarnation[end]);
        assert_int_equal(v.heard[1 - end], v.total);
        assert_true(clump_lci_idle(n.node[end]));
    }
    nodes_close(&n);
}

TEST(test_restarts)
{
    const clump_wire_faults good = {.delay_ps = 1000 * NS};
    for (int scheme = 0; scheme < 3; scheme++) {
        const clump_lci_options o = options(8, scheme > 0, scheme == 2);
        const uint64_t most = nodes_long() ? 120 : 60, step = nodes_long() ? 1 : 7;
        for (uint64_t first = 0; first < most; first++) {
            restart_at(o, good, first, UINT64_MAX);
            for (uint64_t second = 0; second < most; second += step)
                restart_at(o, good, first, second);
        }
        if (scheme > 0)
            for (uint64_t seed = 1; seed < (nodes_long() ? 5000 : 200); seed++) {
                clump_wire_faults faults = bad;
                faults.seed = seed;
                restart_at(o, faults, seed % 97, seed % 61);
            }
    }
}

/* Multicasts from every node to all others, on both trees: each once, in order of its origin. */
struct news {
    uint32_t sent[NODES_MOST], got[NODES_MOST][NODES_MOST], total;
    bool by_host;
};

static void feed_news(struct nodes *n, unsigned from)
{
    struct news *w = n->context;
    while (w->sent[from] < w->total) {
        const uint32_t data[2] = {from, w->sent[from]};
        const clump_lci_message m = {.size = sizeof data, .data = data};
        if (clump_lci_multicast(n->node[from], &m) != CLUMP_PROTOCOL_OK)
            return;
        w->sent[from]++;
    }
}

static bool take_news(struct nodes *n, unsigned to, const clump_lci_delivery *d)
{
    struct news *w = n->context;
    uint32_t data[2];
    memcpy(data, d->data, sizeof data);
    assert_int_equal(data[0], d->origin);
    assert_int_equal(data[1], w->got[d->origin][to]);
    w->got[d->origin][to]++;
    if (w->by_host)
        assert_int_equal(clump_lci_forward(n->node[to], d->buffer), CLUMP_PROTOCOL_OK);
    return true;
}

static void multicasts(int variant, uint32_t total, uint64_t seed)
{
    const clump_wire_faults good = {.delay_ps = 1000 * NS};
    static struct nodes n;
    static struct news w;
    clump_wire_faults faults = bad;
    clump_lci_options o = options(variant & 1 ? 8 : 2, variant & 1, variant & 1);
    faults.seed = seed;
    o.tree = variant & 2 ? CLUMP_TREE_BINOMIAL : CLUMP_TREE_BINARY;
    o.forward = (variant & 4) == 0;
    /* With one pool for all senders: as many as are under way, or nodes whose buffers are all held
     * for their children may wait for each other for ever. Credits keep buffers for each sender. */
    o.receive_buffers = variant & 1 ? 33 * total : 300;
    w = (struct news){.total = total, .by_host = (variant & 4) != 0};
    n = (struct nodes){.feed = feed_news,
                       .take = take_news,
                       .context = &w,
                       .check_every = nodes_long() ? 1000 : 17};
    nodes_open(&n, variant & 1 ? 33 : 64, &o, variant & 1 ? &faults : &good);
    nodes_start(&n);
    while (nodes_step(&n))
        ;
    for (unsigned from = 0; from < n.count; from++)
        for (unsigned to = 0; to < n.count; to++)
            assert_int_equal(w.got[from][to], from == to ? 0 : w.total);
    nodes_close(&n);
}

/* Long: 64 * 63 or 33 * 32 deliveries of each message, in four variants: a million. */
TEST(test_multicast)
{
    for (int variant = 0; variant < 8; variant++)
        for (uint64_t seed = 1; seed <= (nodes_long() && variant & 1 ? 24 : 1); seed++)
            multicasts(variant, nodes_long() && !(variant & 1) ? 64 : 10, seed);
}

/* Fetch-and-add at node 0 by all others: the answers are 0, 1, 2... each once. */
struct tickets {
    uint32_t asked[NODES_MOST], total;
    unsigned char seen[1 << 21];
};

static void feed_tickets(struct nodes *n, unsigned from)
{
    struct tickets *t = n->context;
    while (from != 0 && t->asked[from] < t->total &&
           clump_lci_fetch_add(n->node[from], 0, (uint16_t)t->asked[from]) == CLUMP_PROTOCOL_OK)
        t->asked[from]++;
}

static bool take_ticket(struct nodes *n, unsigned to, const clump_lci_delivery *d)
{
    struct tickets *t = n->context;
    assert_int_not_equal(to, 0);
    assert_int_equal(d->content, CLUMP_CONTENT_FETCHED);
    const uint32_t value = (uint32_t)d->data[0] << 24 | (uint32_t)d->data[1] << 16 |
                           (uint32_t)d->data[2] << 8 | d->data[3];
    assert_true(value < sizeof t->seen);
    assert_int_equal(t->seen[value]++, 0);
    return true;
}

TEST(test_fetch_add)
{
    const clump_wire_faults good = {.delay_ps = 1000 * NS};
    for (int scheme = 0; scheme < 3; scheme++) {
        static struct nodes n;
        static struct tickets t;
        clump_lci_options o = options(4, scheme > 0, scheme == 2);
        o.send_buffers = 3; /* answers have to wait for buffers */
        memset(&t, 0, sizeof t);
        t.total = nodes_long() ? 1000000 / 19 + 1 : 30;
        n = (struct nodes){.feed = feed_tickets,
                           .take = take_ticket,
                           .context = &t,
                           .check_every = nodes_long() ? 16 : 1};
        nodes_open(&n, 20, &o, scheme > 0 ? &bad : &good);
        nodes_start(&n);
        while (nodes_step(&n))
            ;
        for (uint32_t i = 0; i < 19 * t.total; i++)
            assert_int_equal(t.seen[i], 1);
        assert_int_equal(clump_lci_fetch_add_here(n.node[0]), 19 * t.total);
        nodes_close(&n);
    }
}

TEST(test_arguments)
{
    clump_lci *lci = NULL;
    clump_lci_options o = options(8, true, true);
    o.nodes = 2;
    const clump_lci_options good = o;
#define REFUSED(change)                                                                            \
    do {                                                                                           \
        o = good;                                                                                  \
        change;                                                                                    \
        assert_int_equal(clump_lci_open(&o, &lci), CLUMP_PROTOCOL_BAD_INPUT);                      \
        assert_null(lci);                                                                          \
    } while (0)
    REFUSED(o.nodes = 1);
    REFUSED(o.nodes = 1025);
    REFUSED(o.self = 2);
    REFUSED(o.mtu = 63);
    REFUSED(o.mtu = 4105);
    REFUSED(o.window = 0);
    REFUSED(o.send_buffers = 0);
    REFUSED(o.receive_buffers = 0);
    REFUSED(o.incarnation = 0);
    REFUSED(o.timeout_ns = 0);
    REFUSED(o.timeout_most_ns = 1);
    REFUSED((o.retransmit = false, o.request_again = false, o.receive_buffers = 7));
    REFUSED(o.retransmit = false);
    o = good;
    assert_int_equal(clump_lci_open(&o, &lci), CLUMP_PROTOCOL_OK);
    unsigned char data[65] = {0};
    clump_lci_message m = {.size = 65, .data = data};
    assert_int_equal(clump_lci_send(lci, 1, &m), CLUMP_PROTOCOL_BAD_INPUT);
    m.size = 64;
    assert_int_equal(clump_lci_send(lci, 0, &m), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_lci_send(lci, 2, &m), CLUMP_PROTOCOL_BAD_INPUT);
    m.content = CLUMP_CONTENT_FETCHED;
    assert_int_equal(clump_lci_send(lci, 1, &m), CLUMP_PROTOCOL_BAD_INPUT);
    m.content = CLUMP_CONTENT_USER;
    for (int i = 0; i < 64; i++)
        assert_int_equal(clump_lci_send(lci, 1, &m), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_lci_send(lci, 1, &m), CLUMP_PROTOCOL_BLOCKED);
    clump_lci_close(lci);
}

UNIT_MAIN(NULL, NULL)
