/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "protocols/network/network.h"

/* A wire in virtual time: each datagram takes 1 to `delay` us, is lost or doubled by chance. */
enum { NODES = 3, FLYING = 4096 };

struct wire {
    uint64_t now, random;
    double loss, doubling;
    uint64_t delay_us;
    unsigned count;
    struct flying {
        uint64_t arrival;
        int to;
        clump_datagram datagram;
    } flying[FLYING];
    uint64_t bytes_to[NODES], bytes_from[NODES];
    bool cut[NODES]; /* nothing arrives any more */
};

struct port {
    struct wire *wire;
    int node;
    clump_network *network;
};

static double chance(struct wire *w)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (double)(w->random >> 11) * 0x1p-53;
}

static clump_address address_of(int node)
{
    clump_address address = {.size = 1};
    address.bytes[0] = (unsigned char)(node + 1);
    return address;
}

static void put_on_wire(struct wire *w, int from, int to, const clump_datagram *d)
{
    if (w->count == FLYING)
        return;
    struct flying *f = &w->flying[w->count++];
    f->arrival = w->now + 1000 + (uint64_t)(chance(w) * (double)w->delay_us * 1000);
    f->to = to;
    f->datagram = *d;
    f->datagram.address = address_of(from);
}

static void port_send(void *context, const clump_datagram *d, unsigned count)
{
    struct port *p = context;
    for (; count > 0; count--, d++) {
        const int to = d->address.bytes[0] - 1;
        p->wire->bytes_from[p->node] += d->size;
        if (chance(p->wire) >= p->wire->loss)
            put_on_wire(p->wire, p->node, to, d);
        if (chance(p->wire) < p->wire->doubling)
            put_on_wire(p->wire, p->node, to, d);
    }
}

static unsigned port_receive(void *context, clump_datagram *d, unsigned most)
{
    struct port *p = context;
    struct wire *w = p->wire;
    unsigned count = 0;
    for (unsigned i = 0; i < w->count && count < most;) {
        if (w->flying[i].to != p->node || w->flying[i].arrival > w->now) {
            i++;
            continue;
        }
        if (!w->cut[p->node]) {
            d[count++] = w->flying[i].datagram;
            w->bytes_to[p->node] += w->flying[i].datagram.size;
        }
        w->flying[i] = w->flying[--w->count];
    }
    return count;
}

static struct wire wire;
static bool any_order; /* of nodes that are opened */
static struct port ports[NODES];

static void open_node(int node, const char *transport)
{
    clump_network_options o = {
        .link = {.context = &ports[node], .receive = port_receive, .send = port_send},
        .transport = transport,
        .mtu = 500,
        .any_order = any_order,
        .silence_ns = 2000000000};
    static unsigned char start;
    for (int i = 0; i < 16; i++) {
        o.secret[i] = (unsigned char)(node * 16 + i + ++start);
        o.machine[i] = (unsigned char)(node / 2);
    }
    ports[node] = (struct port){&wire, node, NULL};
    assert_int_equal(clump_network_open(&o, &ports[node].network), CLUMP_PROTOCOL_OK);
    clump_network_set_tag(ports[node].network, 77);
}

static void start_wire(double loss, const char *transport)
{
    memset(&wire, 0, sizeof wire);
    wire.random = 88172645463325252u;
    wire.now = 1000000000;
    wire.loss = loss;
    wire.doubling = loss / 2;
    wire.delay_us = 300;
    for (int i = 0; i < NODES; i++)
        open_node(i, transport);
}

static void close_nodes(void)
{
    for (int i = 0; i < NODES; i++)
        clump_network_close(ports[i].network);
}

static void turn(int node)
{
    clump_network_poll(ports[node].network, wire.now);
    clump_network_flush(ports[node].network, wire.now);
}

static unsigned connect_to(int from, int to, uint64_t tag, clump_session_state expected)
{
    unsigned session;
    const clump_address address = address_of(to);
    assert_int_equal(clump_network_connect(ports[from].network, &address, tag, wire.now, &session),
                     CLUMP_PROTOCOL_OK);
    for (int i = 0; i < 200000 && clump_network_state(ports[from].network, session, NULL) ==
                                      CLUMP_SESSION_HANDSHAKE;
         i++) {
        wire.now += 50000;
        for (int node = 0; node < NODES; node++)
            turn(node);
    }
    assert_int_equal(clump_network_state(ports[from].network, session, NULL), expected);
    return session;
}

/** Handle what is there: requests are answered (number % 3 == 0), not answered, or returned. */
struct tally {
    uint8_t *handled, *ended;
    unsigned messages;
};

static void handle(int node, struct tally *requests, struct tally *answers)
{
    clump_network *n = ports[node].network;
    clump_exchange_delivery d;
    unsigned session;
    while (clump_network_next(n, true, &session, &d)) {
        const uint32_t number = d.arguments[0];
        if (d.request) {
            assert_in_range(number, 0, requests->messages - 1);
            assert_int_equal(requests->handled[number]++, 0);
            assert_int_equal(d.message.size, number % 5 == 0 ? 1 + number % 8192 : 0);
            for (size_t i = 0; i < d.message.size; i++)
                assert_int_equal(((const unsigned char *)d.message.data)[i],
                                 (unsigned char)(number + i));
            const uint32_t arguments[2] = {number, d.arguments[1]};
            const clump_exchange_message reply = {.handler = 9,
                                                  .count = 2,
                                                  .arguments = arguments,
                                                  .data = d.message.data,
                                                  .size = d.message.size};
            if (number % 3 == 0)
                clump_network_reply(n, session, d.place, &reply);
            else if (number % 3 == 1)
                clump_network_give_back(n, session, d.place, CLUMP_PROTOCOL_NO_HANDLER);
        } else {
            assert_in_range(number, 0, answers->messages - 1);
            assert_int_equal(answers->ended[number]++, 0);
            assert_int_equal(d.message.returned,
                             number % 3 == 1 ? CLUMP_PROTOCOL_NO_HANDLER : CLUMP_PROTOCOL_OK);
            assert_int_equal(d.arguments[1], number ^ 0xabcdef);
        }
        clump_network_finish(n, session, &d);
    }
}

static void exchange_everything(const char *transport, double loss, unsigned messages)
{
    start_wire(loss, transport);
    static unsigned char data[8192];
    struct tally tally[2];
    uint32_t sent[2] = {0, 0};
    const unsigned sessions[2] = {connect_to(0, 1, 77, CLUMP_SESSION_OPEN),
                                  connect_to(1, 0, 77, CLUMP_SESSION_OPEN)};
    assert_true(clump_network_same_machine(ports[0].network, sessions[0]));
    for (int i = 0; i < 2; i++)
        tally[i] = (struct tally){calloc(messages, 1), calloc(messages, 1), messages};
    const uint64_t until = wire.now + 400000000000u;
    while (wire.now < until) {
        wire.now += 20000;
        for (int node = 0; node < 2; node++) {
            while (sent[node] < messages) {
                const uint32_t number = sent[node];
                const uint32_t arguments[2] = {number, number ^ 0xabcdef};
                clump_exchange_message m = {.handler = 3, .count = 2, .arguments = arguments};
                if (number % 5 == 0) {
                    m.data = data;
                    m.size = 1 + number % 8192;
                    for (size_t i = 0; i < m.size; i++)
                        data[i] = (unsigned char)(number + i);
                }
                const clump_protocol_status status =
                    clump_network_request(ports[node].network, sessions[node], &m);
                if (status == CLUMP_PROTOCOL_BLOCKED)
                    break;
                assert_int_equal(status, CLUMP_PROTOCOL_OK);
                sent[node]++;
            }
            clump_network_poll(ports[node].network, wire.now);
            handle(node, &tally[1 - node], &tally[node]);
            clump_network_flush(ports[node].network, wire.now);
        }
        if (sent[0] + sent[1] == 2 * messages && clump_network_idle(ports[0].network) &&
            clump_network_idle(ports[1].network))
            break;
    }
    assert_true(wire.now < until);
    for (int i = 0; i < 2; i++) {
        for (unsigned k = 0; k < messages; k++) {
            assert_int_equal(tally[i].handled[k], 1);
            assert_int_equal(tally[i].ended[k], k % 3 != 2);
        }
        free(tally[i].handled);
        free(tally[i].ended);
        const clump_network_counters c = clump_network_count(ports[i].network);
        assert_int_equal(c.malformed + c.hostile, 0);
        /* Without loss it is because datagrams overtake each other. */
        assert_int_equal(c.resent > 0, loss > 0 || !any_order);
    }
    close_nodes();
}

TEST(test_am2)
{
    exchange_everything("am2", 0, 2000);
    exchange_everything("am2", 0.05, 2000);
}

TEST(test_l_hrx)
{
    exchange_everything("l-hrx", 0.05, 2000);
}

/* What overtakes others is kept, and nothing is sent again that was not lost. */
TEST(test_any_order)
{
    any_order = true;
    exchange_everything("am2", 0, 400);
    exchange_everything("l-hrx", 0, 400);
    exchange_everything("am2", 0.05, 400);
    any_order = false;
}

/* Who has no credit has nothing to send: he may sleep until something comes. */
TEST(test_blocked_may_sleep)
{
    const uint32_t argument = 0;
    const clump_exchange_message m = {.handler = 3, .count = 1, .arguments = &argument};
    start_wire(0, NULL);
    const unsigned session = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
    clump_network *n = ports[0].network;
    clump_protocol_status status = CLUMP_PROTOCOL_OK;
    while (status == CLUMP_PROTOCOL_OK) {
        status = clump_network_request(n, session, &m);
        clump_network_flush(n, wire.now);
    }
    assert_int_equal(status, CLUMP_PROTOCOL_BLOCKED);
    assert_int_equal(clump_network_request(n, session, &m), CLUMP_PROTOCOL_BLOCKED);
    assert_true(clump_network_deadline(n) > wire.now);
    close_nodes();
}

TEST(test_ssam)
{
    exchange_everything("ssam", 0.05, 300);
}

TEST(test_refused_handshakes)
{
    start_wire(0, NULL);
    clump_protocol_status reason;
    unsigned s = connect_to(0, 1, 78, CLUMP_SESSION_ENDED);
    clump_network_state(ports[0].network, s, &reason);
    assert_int_equal(reason, CLUMP_PROTOCOL_BAD_TAG);
    clump_network_disconnect(ports[0].network, s);
    assert_int_equal(clump_network_state(ports[0].network, s, NULL), CLUMP_SESSION_NONE);

    clump_network_set_tag(ports[1].network, CLUMP_TAG_REJECT_ALL);
    s = connect_to(0, 1, CLUMP_TAG_REJECT_ALL, CLUMP_SESSION_ENDED);
    clump_network_set_tag(ports[1].network, CLUMP_TAG_ACCEPT_ALL);
    s = connect_to(0, 1, 1234, CLUMP_SESSION_OPEN);

    wire.cut[2] = true; /* nobody there: the handshake is given up */
    const uint64_t before = wire.now;
    s = connect_to(0, 2, 77, CLUMP_SESSION_ENDED);
    clump_network_state(ports[0].network, s, &reason);
    assert_int_equal(reason, CLUMP_PROTOCOL_NOT_FOUND);
    assert_in_range(wire.now - before, 2000000000, 2100000000);
    close_nodes();
}

/** Requests 0 to 9 from node 0 to node 1; lets `ms` pass. */
static void send_ten(unsigned session)
{
    for (uint32_t i = 0; i < 10; i++) {
        const clump_exchange_message m = {.handler = 3, .count = 1, .arguments = &i};
        assert_int_equal(clump_network_request(ports[0].network, session, &m), CLUMP_PROTOCOL_OK);
    }
}

static void pass_in_steps(int steps, uint64_t ns, const int *nodes, int count)
{
    for (int i = 0; i < steps; i++) {
        wire.now += ns;
        for (int k = 0; k < count; k++)
            turn(nodes[k]);
    }
}

static void pass(int ms, const int *nodes, int count)
{
    pass_in_steps(ms * 10, 100000, nodes, count);
}

/* Where only what takes seconds is asked for. */
static void pass_seconds(int seconds, const int *nodes, int count)
{
    pass_in_steps(seconds * 200, 5000000, nodes, count);
}

/* A HELLO of another version is answered by ours, in fewer bytes than it has; that answer ends the
 * handshake if it bears the caller's key, and nothing else does. */
TEST(test_other_version)
{
    for (int honest = 0; honest < 2; honest++) {
        unsigned session;
        clump_protocol_status reason;
        const clump_address address = address_of(1);
        start_wire(0, NULL);
        assert_int_equal(clump_network_connect(ports[0].network, &address, 77, wire.now, &session),
                         CLUMP_PROTOCOL_OK);
        assert_int_equal(wire.count, 1);
        unsigned char *bytes = wire.flying[0].datagram.bytes;
        const size_t asked = wire.flying[0].datagram.size;
        assert_int_equal(bytes[1], 1);
        bytes[1] = 2; /* as a later program would say it */
        wire.now += 1000000;
        turn(1);
        assert_int_equal(wire.count, 1);
        bytes = wire.flying[0].datagram.bytes;
        assert_int_equal(wire.flying[0].to, 0);
        assert_int_equal(bytes[1], 1);
        assert_true(wire.flying[0].datagram.size < asked);
        bytes[1] = 2; /* and as it would answer */
        bytes[11] ^= honest ? 0 : 1;
        wire.now += 1000000;
        clump_network_poll(ports[0].network, wire.now);
        assert_int_equal(clump_network_state(ports[0].network, session, &reason),
                         honest ? CLUMP_SESSION_ENDED : CLUMP_SESSION_HANDSHAKE);
        if (honest)
            assert_int_equal(reason, CLUMP_PROTOCOL_BAD_VERSION);
        assert_int_equal(clump_network_count(ports[0].network).malformed, 1);
        close_nodes();
    }
}

/* What a session counts as sent is, less what the wire loses, what the other end counts. */
TEST(test_session_counts)
{
    start_wire(0, NULL);
    const unsigned s = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
    const int both[] = {0, 1};
    clump_session_view here, there;
    for (int round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 10; i++) {
            const clump_exchange_message m = {.handler = 3, .count = 1, .arguments = &i};
            clump_network_request(ports[0].network, s, &m);
        }
        for (int i = 0; i < 20; i++) {
            clump_exchange_delivery d;
            unsigned session;
            pass(1, both, 2);
            for (int node = 0; node < 2; node++)
                while (clump_network_next(ports[node].network, true, &session, &d))
                    clump_network_finish(ports[node].network, session, &d);
        }
    }
    assert_true(clump_network_view(ports[0].network, s, &here));
    assert_true(clump_network_view(ports[1].network, 0, &there));
    assert_true(here.open && there.open && here.sent >= 20);
    assert_int_equal(here.sent, there.arrived);
    assert_int_equal(there.sent, here.arrived);
    /* Nothing of the other end reaches us. */
    const uint64_t arrived = here.arrived, sent = there.sent;
    wire.cut[0] = true;
    for (uint32_t i = 0; i < 10; i++) {
        const clump_exchange_message m = {.handler = 3, .count = 1, .arguments = &i};
        clump_network_request(ports[0].network, s, &m);
    }
    pass(300, both, 2);
    assert_true(clump_network_view(ports[0].network, s, &here));
    assert_true(clump_network_view(ports[1].network, 0, &there));
    assert_int_equal(here.arrived, arrived);
    assert_true(there.sent > sent);
    assert_true(here.resent > 0);
    assert_int_equal(here.sent, there.arrived);
    assert_false(clump_network_view(ports[1].network, 1, &there));
    close_nodes();
}

static unsigned count_returned(int node, clump_protocol_status reason)
{
    unsigned session, returned = 0;
    clump_exchange_delivery d;
    while (clump_network_next(ports[node].network, true, &session, &d)) {
        assert_false(d.request);
        assert_int_equal(d.message.returned, reason);
        assert_int_equal(d.message.handler, 3);
        returned++;
        clump_network_finish(ports[node].network, session, &d);
    }
    return returned;
}

/* The other process vanishes: what waits for it comes back, within the silence. */
TEST(test_silence)
{
    start_wire(0, NULL);
    const unsigned s = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
    wire.cut[1] = true;
    send_ten(s);
    const int zero[] = {0};
    pass(1900, zero, 1);
    assert_int_equal(count_returned(0, CLUMP_PROTOCOL_PEER_DEAD), 0);
    pass(200, zero, 1);
    assert_int_equal(clump_network_state(ports[0].network, s, NULL), CLUMP_SESSION_ENDED);
    assert_int_equal(count_returned(0, CLUMP_PROTOCOL_PEER_DEAD), 10);
    const clump_exchange_message m = {.handler = 3};
    assert_int_equal(clump_network_request(ports[0].network, s, &m), CLUMP_PROTOCOL_PEER_DEAD);
    close_nodes();
}

/* A slow handler is no silence: the other end answers pings as long as it polls. */
TEST(test_pings)
{
    start_wire(0, NULL);
    const unsigned s = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
    send_ten(s);
    const int both[] = {0, 1};
    pass(10000, both, 2); /* five times the silence; the requests are not handled meanwhile */
    assert_int_equal(clump_network_state(ports[0].network, s, NULL), CLUMP_SESSION_OPEN);
    close_nodes();
}

/* Whoever computes for longer than the silence, and then sends before it polls, has not listened:
 * the session is alive if the other end is, and ends within two looks if it is not. */
TEST(test_back_from_computing)
{
    const int both[] = {0, 1}, one[] = {1};
    for (int dead = 0; dead < 2; dead++) {
        start_wire(0, NULL);
        const unsigned s = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
        send_ten(s);
        turn(0);
        wire.cut[1] = dead == 1;
        pass(6000, one, 1 - dead); /* three times the silence: only the other end polls */
        clump_network_flush(ports[0].network, wire.now);
        assert_int_equal(clump_network_state(ports[0].network, s, NULL), CLUMP_SESSION_OPEN);
        pass(1000, both, 2 - dead);
        assert_int_equal(clump_network_state(ports[0].network, s, NULL),
                         dead == 1 ? CLUMP_SESSION_ENDED : CLUMP_SESSION_OPEN);
        assert_int_equal(count_returned(0, CLUMP_PROTOCOL_PEER_DEAD), dead == 1 ? 10 : 0);
        close_nodes();
    }
    /* One that looks seldom learns it, too. */
    start_wire(0, NULL);
    const unsigned s = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
    wire.cut[1] = true;
    send_ten(s);
    for (int looks = 0; looks < 5; looks++) {
        wire.now += 1500000000;
        turn(0);
    }
    assert_int_equal(clump_network_state(ports[0].network, s, NULL), CLUMP_SESSION_ENDED);
    close_nodes();
}

/* It ends in order: at once. It starts anew under the same address: its reset ends the session. */
TEST(test_restarts)
{
    const int both[] = {0, 1};
    for (int killed = 0; killed < 2; killed++) {
        start_wire(0, NULL);
        unsigned s = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
        send_ten(s);
        pass(5, both, 2);
        wire.cut[0] = killed == 1; /* killed: its farewell is lost */
        clump_network_close(ports[1].network);
        wire.now += 10000000;
        turn(0);
        wire.cut[0] = false;
        open_node(1, NULL);
        if (killed) {
            const uint32_t zero = 0;
            const clump_exchange_message m = {.handler = 3, .count = 1, .arguments = &zero};
            assert_int_equal(clump_network_request(ports[0].network, s, &m), CLUMP_PROTOCOL_OK);
            pass(20, both, 2);
        }
        assert_int_equal(clump_network_state(ports[0].network, s, NULL), CLUMP_SESSION_ENDED);
        assert_int_equal(count_returned(0, CLUMP_PROTOCOL_PEER_DEAD), 10 + killed);
        s = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
        close_nodes();
    }
}

/* Strangers: random, cut, altered, replayed datagrams from other addresses change nothing, and no
 * answer to an address is larger than what came from it. */
TEST(test_strangers)
{
    enum { KEPT = 64 };
    static clump_datagram kept[KEPT];
    start_wire(0, NULL);
    wire.delay_us = 1;
    const unsigned s = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
    const int all[] = {0, 1};
    unsigned count = 0;
    for (int round = 0; round < 8; round++) { /* record what node 0 sends */
        send_ten(s);
        clump_network_flush(ports[0].network, wire.now);
        for (unsigned i = 0; i < wire.count && count < KEPT; i++)
            if (wire.flying[i].to == 1)
                kept[count++] = wire.flying[i].datagram;
        for (int i = 0; i < 50; i++) {
            pass(1, all, 2);
            clump_exchange_delivery d;
            unsigned session;
            for (int node = 0; node < 2; node++)
                while (clump_network_next(ports[node].network, true, &session, &d))
                    clump_network_finish(ports[node].network, session, &d);
        }
        assert_true(clump_network_idle(ports[0].network));
    }
    assert_true(count > 8);
    const clump_network_counters before = clump_network_count(ports[1].network);
    srand(3);
    uint64_t in = 0;
    wire.bytes_from[1] = 0;
    for (int i = 0; i < 50000; i++) {
        clump_datagram d = kept[(unsigned)rand() % count];
        const int from = i % 2 == 0 ? 2 : 0; /* even the right address needs the right key */
        switch (rand() % 4) {
        case 0: /* as it was: from 0 a replay, which is known already */
            break;
        case 1:
            d.size = (size_t)rand() % (d.size + 1);
            break;
        case 2: /* another kind, or another key */
            d.bytes[rand() % 12] ^= (unsigned char)(1 + rand() % 255);
            break;
        default:
            for (size_t k = 0; k < 70; k++)
                d.bytes[k] = (unsigned char)rand();
            d.bytes[0] = 0xA2, d.bytes[1] = 1, d.bytes[2] = 1, d.bytes[3] = 0;
            d.size = 64;
        }
        if (d.bytes[2] == 7 && from == 0)
            continue; /* a farewell with the right key is one */
        in += d.size;
        put_on_wire(&wire, from, 1, &d);
        wire.now += 5000;
        clump_network_poll(ports[1].network, wire.now);
        clump_exchange_delivery delivery;
        unsigned session;
        assert_false(clump_network_next(ports[1].network, true, &session, &delivery));
        clump_network_flush(ports[1].network, wire.now);
        assert_true(wire.bytes_from[1] <= in);
        for (unsigned k = 0; k < wire.count; k++) /* answers go nowhere */
            if (wire.flying[k].to != 1)
                wire.flying[k--] = wire.flying[--wire.count];
    }
    const clump_network_counters after = clump_network_count(ports[1].network);
    assert_true(after.strangers > before.strangers + 1000);
    assert_true(after.malformed > before.malformed + 1000);
    assert_true(after.cookies > before.cookies + 1000);
    assert_int_equal(after.handshakes, before.handshakes); /* no session was begun */
    assert_int_equal(after.hostile, 0);

    send_ten(s);       /* and the session lives */
    pass(200, all, 2); /* reordered packets wait for a timeout */
    clump_exchange_delivery d;
    unsigned session, requests = 0;
    while (clump_network_next(ports[1].network, true, &session, &d)) {
        requests += d.request;
        clump_network_finish(ports[1].network, session, &d);
    }
    assert_int_equal(requests, 10);
    close_nodes();
}

/* Before the deadline a flush sends nothing, at the deadline it does; and a silence has few of
 * them. */
TEST(test_deadline)
{
    const char *transport;
    for (unsigned c = 0; (transport = clump_network_transport(c)) != NULL; c++) {
        start_wire(0, transport);
        wire.delay_us = 1;
        const unsigned s = connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
        const int all[] = {0, 1};
        clump_network *n = ports[0].network;
        send_ten(s);
        for (int i = 0; i < 50; i++) {
            pass(1, all, 2);
            clump_exchange_delivery d;
            unsigned session;
            while (clump_network_next(ports[1].network, true, &session, &d))
                clump_network_finish(ports[1].network, session, &d);
        }
        assert_true(clump_network_deadline(n) == UINT64_MAX); /* ours, and nothing is owed */
        wire.cut[1] = true;
        send_ten(s);
        assert_true(clump_network_deadline(n) == 0);
        const uint64_t began = wire.now;
        clump_network_flush(n, wire.now);
        unsigned steps = 0;
        while (clump_network_state(n, s, NULL) == CLUMP_SESSION_OPEN) {
            const uint64_t due = clump_network_deadline(n), sent = wire.bytes_from[0];
            assert_in_range(due, wire.now + 1, began + 2000000000);
            wire.now = due - 1;
            clump_network_flush(n, wire.now);
            assert_int_equal(wire.bytes_from[0], sent);
            wire.now = due;
            clump_network_poll(n, wire.now);
            clump_network_flush(n, wire.now);
            assert_true(wire.bytes_from[0] > sent || wire.now == began + 2000000000 ||
                        clump_network_deadline(n) > due);
            assert_in_range(++steps, 1, c == 2 ? 5000 : 200); /* ssam repeats every 5 ms */
            wire.count = 0;
        }
        assert_int_equal(wire.now, began + 2000000000);
        assert_int_equal(count_returned(0, CLUMP_PROTOCOL_PEER_DEAD), 10);
        close_nodes();
    }
}

/* Callers that vanish while nothing is owed take no room for ever, and are asked a dozen times
 * before; one that answers stays, as long as it likes. */
TEST(test_forgotten)
{
    start_wire(0, NULL);
    const unsigned stays = connect_to(2, 0, 77, CLUMP_SESSION_OPEN);
    for (int i = 0; i < CLUMP_SESSIONS - 1; i++)
        connect_to(1, 0, 77, CLUMP_SESSION_OPEN);
    const int living[] = {0, 2};
    wire.cut[1] = true; /* and what it sent is gone */
    for (unsigned i = 0; i < wire.count; i++)
        wire.flying[i--] = wire.flying[--wire.count];
    const uint64_t before = wire.bytes_from[0];
    pass_seconds(2 * 11, living, 2);
    clump_protocol_status reason;
    const unsigned full = connect_to(2, 0, 77, CLUMP_SESSION_ENDED);
    clump_network_state(ports[2].network, full, &reason);
    assert_int_equal(reason, CLUMP_PROTOCOL_IN_USE);
    pass_seconds(2 * 3, living, 2);
    assert_in_range(wire.bytes_from[0] - before, 255 * 12 * 12, 257 * 12 * 14);
    for (int i = 0; i < 10; i++)
        connect_to(2, 0, 77, CLUMP_SESSION_OPEN);
    pass_seconds(2 * 40, living, 2);
    assert_int_equal(clump_network_state(ports[2].network, stays, NULL), CLUMP_SESSION_OPEN);
    const clump_exchange_message m = {.handler = 3};
    assert_int_equal(clump_network_request(ports[2].network, stays, &m), CLUMP_PROTOCOL_OK);
    pass(5, living, 2);
    clump_exchange_delivery d;
    unsigned session;
    assert_true(clump_network_next(ports[0].network, true, &session, &d) && d.request);
    clump_network_finish(ports[0].network, session, &d);
    close_nodes();
}

/* All places taken: the next is told so; one that ends makes room. */
TEST(test_full_table)
{
    start_wire(0, NULL);
    for (int i = 0; i < CLUMP_SESSIONS / 2; i++) { /* each end holds one */
        connect_to(0, 1, 77, CLUMP_SESSION_OPEN);
        connect_to(1, 0, 77, CLUMP_SESSION_OPEN);
    }
    const clump_address one = address_of(1);
    unsigned s;
    assert_int_equal(clump_network_connect(ports[0].network, &one, 77, wire.now, &s),
                     CLUMP_PROTOCOL_IN_USE);
    clump_protocol_status reason;
    s = connect_to(2, 0, 77, CLUMP_SESSION_ENDED);
    clump_network_state(ports[2].network, s, &reason);
    assert_int_equal(reason, CLUMP_PROTOCOL_IN_USE);
    clump_network_disconnect(ports[2].network, s);
    clump_network_disconnect(ports[0].network, 0);
    connect_to(2, 0, 77, CLUMP_SESSION_OPEN);
    close_nodes();
}

TEST(test_options)
{
    clump_network *n = NULL;
    const clump_network_options wrong[] = {{.transport = "tcp"}, {.credits = 129}, {.mtu = 63},
                                           {.mtu = 4097},        {.window = 1},    {.window = 129}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(clump_network_open(&wrong[i], &n), CLUMP_PROTOCOL_BAD_INPUT);
    assert_null(n);
}

UNIT_MAIN(NULL, NULL)
