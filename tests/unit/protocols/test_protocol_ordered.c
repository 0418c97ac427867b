/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Totally ordered broadcast over lossy networks: all nodes see the same messages in the same order.
 * And the polling watchdog. */
#include "tests/unit/virtual_nodes.h"

#include "reproductions/virtual/ordered.h"
#include "reproductions/virtual/watchdog.h"

enum { COUNT = 9, PLACES = 1024, ASKED_MOST = 4 };

/* Each node asks for a number, multicasts it with a message, and passes messages on in the order of
 * the numbers; until its own has come by, it keeps few others under way. */
struct orca {
    uint32_t each; /* messages of each node */
    clump_ordered *ordered[COUNT];
    uint32_t asked[COUNT], sent[COUNT], back[COUNT];
    uint32_t ticket[COUNT][ASKED_MOST], tickets[COUNT]; /* fetched, as many as `tickets` */
    uint32_t seen[COUNT], next[COUNT][COUNT];           /* in all; of each sender */
    uint64_t hash[COUNT];                               /* of the order */
};

static void drain(struct orca *o, unsigned node)
{
    const unsigned char *data;
    size_t size;
    while (clump_ordered_next(o->ordered[node], &data, &size)) {
        uint32_t message[3];
        assert_int_equal(size, sizeof message);
        memcpy(message, data, sizeof message);
        assert_int_equal(message[0], o->seen[node]++);
        assert_int_equal(message[2], o->next[node][message[1]]++); /* once, in its sender's order */
        o->back[node] += message[1] == node;
        o->hash[node] = (o->hash[node] ^ message[1]) * UINT64_C(0x100000001b3);
    }
}

static void feed(struct nodes *n, unsigned node)
{
    struct orca *o = n->context;
    while (o->asked[node] < o->each && o->asked[node] - o->back[node] < ASKED_MOST) {
        if (node == 0) /* it keeps the variable */
            o->ticket[0][o->tickets[0]++ % ASKED_MOST] = clump_lci_fetch_add_here(n->node[0]);
        else if (clump_lci_fetch_add(n->node[node], 0, 0) != CLUMP_PROTOCOL_OK)
            break;
        o->asked[node]++;
    }
    while (o->sent[node] < o->tickets[node]) {
        const uint32_t number = o->ticket[node][o->sent[node] % ASKED_MOST];
        const uint32_t data[3] = {number, node, o->sent[node]};
        const clump_lci_message m = {.size = sizeof data, .data = data};
        if (clump_lci_multicast(n->node[node], &m) != CLUMP_PROTOCOL_OK)
            break;
        assert_int_equal(clump_ordered_put(o->ordered[node], number, data, sizeof data),
                         CLUMP_PROTOCOL_OK);
        o->sent[node]++;
        drain(o, node);
    }
}

static bool take(struct nodes *n, unsigned node, const clump_lci_delivery *d)
{
    struct orca *o = n->context;
    uint32_t number;
    if (d->content == CLUMP_CONTENT_FETCHED) {
        o->ticket[node][o->tickets[node]++ % ASKED_MOST] = (uint32_t)d->data[0] << 24 |
                                                           (uint32_t)d->data[1] << 16 |
                                                           (uint32_t)d->data[2] << 8 | d->data[3];
        return true;
    }
    memcpy(&number, d->data, 4);
    assert_int_equal(clump_ordered_put(o->ordered[node], number, d->data, d->size),
                     CLUMP_PROTOCOL_OK);
    drain(o, node);
    return true;
}

static void run_orca(unsigned count, uint32_t each, int scheme, clump_tree tree,
                     const clump_wire_faults *faults, unsigned check_every)
{
    static struct nodes n;
    static struct orca o;
    const clump_lci_options options = {.mtu = 64,
                                       .window = 4,
                                       .retransmit = scheme > 0,
                                       .request_again = scheme == 2,
                                       .forward = true,
                                       .tree = tree,
                                       .send_buffers = 16,
                                       .receive_buffers = 64,
                                       .timeout_ns = 50000,
                                       .timeout_most_ns = 50000,
                                       .acknowledge_ns = 10000,
                                       .incarnation = 1};
    o = (struct orca){.each = each};
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(clump_ordered_open(PLACES, 64, 0, &o.ordered[i]), CLUMP_PROTOCOL_OK);
    n = (struct nodes){.feed = feed, .take = take, .context = &o, .check_every = check_every};
    nodes_open(&n, count, &options, faults);
    nodes_start(&n);
    while (nodes_step(&n))
        ;
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(o.seen[i], count * each);
        assert_true(o.hash[i] == o.hash[0]); /* the same order everywhere */
        clump_ordered_close(o.ordered[i]);
    }
    nodes_close(&n);
}

static const clump_wire_faults good = {.delay_ps = 1000 * NS}, bad = {.loss = 0.05,
                                                                      .duplication = 0.02,
                                                                      .reordering = 0.1,
                                                                      .damage = 0.001,
                                                                      .delay_ps = 2000 * NS,
                                                                      .jitter_ps = 6000 * NS,
                                                                      .seed = 3};

/* CLUMP_TEST_LONG: a million deliveries in each case. */
TEST(test_total_order)
{
    const uint32_t each = nodes_long() ? 1000000 / (COUNT * COUNT) : 60;
    for (int scheme = 0; scheme < 3; scheme++)
        for (int tree = 0; tree < 2; tree++)
            run_orca(COUNT, each, scheme, tree ? CLUMP_TREE_BINOMIAL : CLUMP_TREE_BINARY,
                     scheme > 0 ? &bad : &good, 1);
}

/* Fetch-and-add, answers and multicasts of three nodes: every packet lost in turn, and every pair.
 */
TEST(test_every_loss)
{
    const uint64_t packets = nodes_long() ? 80 : 36;
    for (int scheme = 1; scheme < 3; scheme++)
        for (uint64_t one = 0; one < packets; one++)
            for (uint64_t other = one; other < packets; other++) {
                struct nodes_losses l = {one, other};
                const clump_wire_faults faults = {
                    .delay_ps = 1000 * NS, .lose = nodes_lose_chosen, .context = &l};
                run_orca(3, 2, scheme, CLUMP_TREE_BINARY, &faults, 1);
            }
}

TEST(test_places)
{
    clump_ordered *o;
    const unsigned char *data;
    size_t size;
    assert_int_equal(clump_ordered_open(0, 1, 0, &o), CLUMP_PROTOCOL_BAD_INPUT);
    /* Across the end of the numbers, with a number of places that does not divide 2^32. */
    assert_int_equal(clump_ordered_open(3, 4, UINT32_MAX - 1, &o), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_ordered_put(o, 0, "two", 4), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_ordered_put(o, 1, "far", 4), CLUMP_PROTOCOL_BLOCKED);
    assert_int_equal(clump_ordered_put(o, UINT32_MAX, "one", 4), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_ordered_put(o, UINT32_MAX, "one", 4), CLUMP_PROTOCOL_BAD_PACKET);
    assert_int_equal(clump_ordered_put(o, UINT32_MAX - 2, "old", 4), CLUMP_PROTOCOL_BAD_PACKET);
    assert_int_equal(clump_ordered_put(o, 0, "large", 5), CLUMP_PROTOCOL_BAD_INPUT);
    assert_false(clump_ordered_next(o, &data, &size));
    assert_int_equal(clump_ordered_put(o, UINT32_MAX - 1, "zip", 4), CLUMP_PROTOCOL_OK);
    static const char *const expected[] = {"zip", "one", "two"};
    for (int i = 0; i < 3; i++) {
        assert_true(clump_ordered_next(o, &data, &size));
        assert_string_equal((const char *)data, expected[i]);
    }
    assert_false(clump_ordered_next(o, &data, &size));
    assert_int_equal(clump_ordered_put(o, 1, "far", 4), CLUMP_PROTOCOL_OK);
    assert_true(clump_ordered_next(o, &data, &size));
    clump_ordered_close(o);
}

TEST(test_watchdog)
{
    clump_watchdog dog = clump_watchdog_make(70000);
    assert_false(clump_watchdog_expired(&dog, 1000000));
    clump_watchdog_arrival(&dog, 1000);
    clump_watchdog_arrival(&dog, 50000); /* does not start it anew */
    assert_false(clump_watchdog_expired(&dog, 70999));
    assert_true(clump_watchdog_expired(&dog, 71000));
    assert_false(clump_watchdog_expired(&dog, 72000)); /* one interrupt for both */
    clump_watchdog_arrival(&dog, 80000);
    clump_watchdog_polled(&dog); /* in time: none */
    assert_false(clump_watchdog_expired(&dog, 200000));
    dog.enabled = false;
    clump_watchdog_arrival(&dog, 300000);
    assert_false(clump_watchdog_expired(&dog, 900000));
    assert_int_equal(dog.interrupts, 1);
}

UNIT_MAIN(NULL, NULL)
