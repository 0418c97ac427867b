/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages that are cut into parts: parts in any order, parts that do not belong, and messages of
 * any size over the packet layer on networks that lose, repeat and reorder. */
#include "tests/unit/virtual_nodes.h"

#include "protocols/reliability/fragments.h"
#include "protocols/reliability/lci_message.h"

enum { ROOM = 5000 };

static clump_assembly_step put(clump_assembly *a, unsigned char *bytes, const unsigned char *from,
                               uint32_t offset, uint32_t whole, uint32_t size)
{
    return clump_assembly_add(a, bytes, ROOM, false, offset, whole, from + offset % ROOM, size);
}

/* Every order: parts are shuffled by seed, some come twice. */
TEST(test_any_order)
{
    static unsigned char from[ROOM], to[ROOM];
    uint64_t random = 1;
    clump_assembly a = {0};
    for (unsigned round = 0; round < 3000; round++) {
        const uint32_t whole = 1 + (uint32_t)(clump_splitmix_next(&random) % ROOM),
                       least = whole / CLUMP_FRAGMENTS_MOST + 1,
                       most = least + (uint32_t)(clump_splitmix_next(&random) % (2 * whole));
        uint32_t order[CLUMP_FRAGMENTS_MOST], parts = 0, done = 0, there = 0;
        for (uint32_t i = 0; i < whole; i++) {
            from[i] = (unsigned char)clump_splitmix_next(&random);
            to[i] = (unsigned char)~from[i]; /* what a hole would show */
        }
        for (uint32_t size; (size = clump_fragment_size(whole, done, most)) > 0; done += size)
            order[parts++] = done;
        for (uint32_t i = parts; i-- > 1;) {
            const uint32_t k = (uint32_t)(clump_splitmix_next(&random) % (i + 1)), swap = order[i];
            order[i] = order[k];
            order[k] = swap;
        }
        for (uint32_t i = 0; i < parts; i++) {
            const uint32_t size = clump_fragment_size(whole, order[i], most);
            there += size;
            assert_int_equal(put(&a, to, from, order[i], whole, size),
                             there == whole ? CLUMP_ASSEMBLY_WHOLE : CLUMP_ASSEMBLY_MORE);
            if (there < whole && i % 3 == 0) /* again: refused, and nothing changes */
                assert_int_equal(put(&a, to, from, order[i], whole, size), CLUMP_ASSEMBLY_REFUSED);
        }
        assert_memory_equal(from, to, whole);
    }
}

TEST(test_refused)
{
    static unsigned char from[ROOM + 100], to[ROOM];
    clump_assembly a = {0};
    assert_int_equal(put(&a, to, from, 0, ROOM + 1, 100), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 0, 100, 0), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 100, 100, 1), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 90, 100, 11), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, UINT32_MAX, 100, 2), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 7, 100, 10), CLUMP_ASSEMBLY_REFUSED);    /* not at 10 k */
    assert_int_equal(put(&a, to, from, 1000, 3000, 1), CLUMP_ASSEMBLY_REFUSED); /* too many parts */
    assert_int_equal(put(&a, to, from, 30, 100, 30), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 0, 101, 30), CLUMP_ASSEMBLY_REFUSED);  /* another message */
    assert_int_equal(put(&a, to, from, 60, 100, 20), CLUMP_ASSEMBLY_REFUSED); /* another size */
    assert_int_equal(put(&a, to, from, 45, 100, 30), CLUMP_ASSEMBLY_REFUSED); /* across two */
    assert_int_equal(put(&a, to, from, 80, 100, 20), CLUMP_ASSEMBLY_REFUSED); /* last, misplaced */
    assert_int_equal(put(&a, to, from, 0, 100, 100), CLUMP_ASSEMBLY_REFUSED); /* all of it */
    assert_int_equal(put(&a, to, from, 90, 100, 10), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 90, 100, 10), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 0, 100, 30), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 60, 100, 30), CLUMP_ASSEMBLY_WHOLE);
    /* The last part first: the others must fit to it. */
    assert_int_equal(put(&a, to, from, 90, 100, 10), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 0, 100, 40), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(put(&a, to, from, 0, 100, 5), CLUMP_ASSEMBLY_REFUSED); /* last is larger */
    assert_int_equal(put(&a, to, from, 45, 100, 45), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(put(&a, to, from, 0, 100, 45), CLUMP_ASSEMBLY_WHOLE);
    clump_assembly_restart(&a);
    assert_int_equal(clump_assembly_add(&a, to, ROOM, true, 3, 9, from, 3), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(clump_assembly_add(&a, to, ROOM, true, 0, 9, from, 3), CLUMP_ASSEMBLY_MORE);
    assert_int_equal(clump_assembly_add(&a, to, ROOM, true, 0, 9, from, 3), CLUMP_ASSEMBLY_REFUSED);
    assert_int_equal(clump_assembly_add(&a, to, ROOM, true, 3, 9, from, 6), CLUMP_ASSEMBLY_WHOLE);
}

/* ---- over the packet layer */

enum { COUNT = 4, LARGEST = 20000, MTU = 256 };

struct letters {
    uint32_t each; /* messages of a stream */
    clump_lci_inbox *inbox[COUNT];
    clump_lci_outgoing outgoing[COUNT][COUNT]; /* [from][to]; to itself: the multicasts */
    unsigned char data[COUNT][COUNT][LARGEST];
    uint32_t sent[COUNT][COUNT], got[COUNT][COUNT][2];
};

/* Message k of a stream: its size and bytes follow from the stream and k. */
static uint32_t compose(unsigned from, unsigned to, uint32_t k, unsigned char *data)
{
    uint64_t random = (uint64_t)from << 40 | (uint64_t)to << 32 | k;
    static const uint32_t sizes[] = {0, 1, MTU - 5, MTU - 4, MTU - 3, 2 * MTU - 4, LARGEST};
    const uint64_t any = clump_splitmix_next(&random) % LARGEST;
    const uint32_t size = k < 7 ? sizes[k] : (uint32_t)any;
    for (uint32_t i = 0; i < size; i++)
        data[i] = (unsigned char)clump_splitmix_next(&random);
    return size;
}

static void feed(struct nodes *n, unsigned from)
{
    struct letters *l = n->context;
    for (unsigned to = 0; to < COUNT; to++) {
        clump_lci_outgoing *o = &l->outgoing[from][to];
        while (l->sent[from][to] < l->each) {
            if (o->data == NULL) {
                *o = (clump_lci_outgoing){.multicast = from == to,
                                          .to = (uint16_t)to,
                                          .tag = (uint16_t)l->sent[from][to],
                                          .data = l->data[from][to]};
                o->size = compose(from, to, l->sent[from][to], l->data[from][to]);
            }
            if (clump_lci_message_send(n->node[from], MTU, o) != CLUMP_PROTOCOL_OK)
                break;
            o->data = NULL;
            l->sent[from][to]++;
        }
    }
}

static bool take(struct nodes *n, unsigned to, const clump_lci_delivery *d)
{
    struct letters *l = n->context;
    static unsigned char expected[LARGEST];
    clump_lci_arrived m;
    const clump_protocol_status status = clump_lci_inbox_take(l->inbox[to], d, &m);
    if (status == CLUMP_PROTOCOL_BLOCKED)
        return true;
    assert_int_equal(status, CLUMP_PROTOCOL_OK);
    const uint32_t k = l->got[m.origin][to][m.multicast]++;
    assert_int_equal(m.tag, k);
    assert_int_equal(m.size, compose(m.origin, m.multicast ? m.origin : to, k, expected));
    assert_memory_equal(m.data, expected, m.size);
    return true;
}

TEST(test_messages)
{
    for (int scheme = 0; scheme < 3; scheme++) {
        static struct nodes n;
        static struct letters l;
        const clump_wire_faults good = {.delay_ps = 1000 * NS}, bad = {.loss = 0.05,
                                                                       .duplication = 0.02,
                                                                       .damage = 0.001,
                                                                       .reordering = 0.1,
                                                                       .delay_ps = 2000 * NS,
                                                                       .jitter_ps = 6000 * NS,
                                                                       .seed = 3};
        const clump_lci_options o = {.mtu = MTU,
                                     .window = 8,
                                     .retransmit = scheme > 0,
                                     .request_again = scheme == 2,
                                     .forward = true,
                                     .send_buffers = 16,
                                     .receive_buffers = 32,
                                     .timeout_ns = 50000,
                                     .timeout_most_ns = 400000,
                                     .acknowledge_ns = 10000,
                                     .incarnation = 1};
        memset(&l, 0, sizeof l);
        l.each = nodes_long() ? 3000 : 30;
        for (unsigned i = 0; i < COUNT; i++)
            assert_int_equal(clump_lci_inbox_open(COUNT, LARGEST, &l.inbox[i]), CLUMP_PROTOCOL_OK);
        n = (struct nodes){.feed = feed, .take = take, .context = &l, .check_every = 5};
        nodes_open(&n, COUNT, &o, scheme > 0 ? &bad : &good);
        nodes_start(&n);
        while (nodes_step(&n))
            ;
        for (unsigned to = 0; to < COUNT; to++) {
            const clump_lci_inbox_counters c = clump_lci_inbox_count(l.inbox[to]);
            for (unsigned from = 0; from < COUNT; from++)
                for (int kind = 0; kind < 2 && from != to; kind++)
                    assert_int_equal(l.got[from][to][kind], l.each);
            assert_int_equal(c.messages, 2 * l.each * (COUNT - 1));
            assert_int_equal(c.refused + c.abandoned, 0);
            assert_int_equal(c.bytes, 2 * (COUNT - 1) * LARGEST);
            clump_lci_inbox_close(l.inbox[to]);
        }
        nodes_close(&n);
    }
}

/* What a wrong or restarted sender can do: nothing but to be refused. */
TEST(test_wrong_sender)
{
    clump_lci_inbox *inbox;
    clump_lci_arrived m;
    const unsigned char eight[] = {0, 0, 0, 8, 'a', 'b', 'c', 'd'}, large[] = {0, 1, 0, 0, 'x'};
    clump_lci_delivery p = {.origin = 1, .data = eight, .size = 8};
    assert_int_equal(clump_lci_inbox_open(2, 65535, &inbox), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_BAD_PACKET); /* no begin */
    p.flags = CLUMP_PACKET_FIRST;
    p.size = 3;
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_BAD_PACKET);
    p.size = 8;
    p.origin = 2;
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_BAD_PACKET);
    p.origin = 1;
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_BLOCKED);
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_BLOCKED); /* begins anew */
    p.flags = 0;
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_BAD_PACKET); /* too much */
    p.flags = CLUMP_PACKET_FIRST | CLUMP_PACKET_LAST; /* says last, and is not */
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_BAD_PACKET);
    p.data = large;
    p.size = 5;
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_BAD_PACKET);
    p.data = eight;
    p.size = 8;
    p.flags = CLUMP_PACKET_FIRST;
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_BLOCKED);
    p.size = 4;
    p.flags = CLUMP_PACKET_LAST;
    assert_int_equal(clump_lci_inbox_take(inbox, &p, &m), CLUMP_PROTOCOL_OK);
    assert_int_equal(m.size, 8);
    assert_memory_equal(m.data, "abcd\0\0\0\10", 8);
    const clump_lci_inbox_counters c = clump_lci_inbox_count(inbox);
    assert_int_equal(c.messages, 1);
    assert_int_equal(c.refused, 6);
    assert_int_equal(c.abandoned, 3);
    assert_int_equal(c.bytes, 65535);
    clump_lci_inbox_close(inbox);
    clump_lci_inbox_close(NULL);
    assert_int_equal(clump_lci_inbox_open(1, 9, &inbox), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_lci_inbox_open(2, 0, &inbox), CLUMP_PROTOCOL_BAD_INPUT);
}

UNIT_MAIN(NULL, NULL)
