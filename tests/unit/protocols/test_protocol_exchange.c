/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "protocols/network/exchange.h"
#include "protocols/network/siphash.h"

/* The vectors of the SipHash paper: key 00 01 .. 0f, messages 00 01 .. of each length. */
TEST(test_siphash)
{
    unsigned char key[16], message[15];
    for (unsigned i = 0; i < 16; i++)
        key[i] = (unsigned char)i;
    for (unsigned i = 0; i < 15; i++)
        message[i] = (unsigned char)i;
    assert_true(clump_siphash(key, message, 0) == UINT64_C(0x726fdb47dd0e0e31));
    assert_true(clump_siphash(key, message, 8) == UINT64_C(0x93f5f5799a932462));
    assert_true(clump_siphash(key, message, 15) == UINT64_C(0xa129ca6149be45e5));
}

enum { CREDITS = 5, SLOTS = 512, FRAGMENT = 700 };

/** Fragments on their way, delivered in any order, each once. */
struct channel {
    unsigned count;
    size_t size[SLOTS];
    unsigned char bytes[SLOTS][FRAGMENT];
};

static void carry(clump_exchange *from, struct channel *c, size_t most)
{
    while (c->count < SLOTS) {
        const size_t size = clump_exchange_fragment(from, c->bytes[c->count], most);
        if (size == 0)
            return;
        assert_in_range(size, CLUMP_FRAGMENT_HEADER, most);
        c->size[c->count++] = size;
    }
}

static void hand_over(struct channel *c, clump_exchange *to)
{
    const unsigned i = (unsigned)rand() % c->count;
    assert_true(clump_exchange_arrive(to, c->bytes[i], c->size[i]));
    c->count--;
    memmove(c->bytes[i], c->bytes[c->count], FRAGMENT);
    c->size[i] = c->size[c->count];
}

/** A message whose every byte follows from its number. */
static void make(uint32_t number, clump_exchange_message *m, uint32_t arguments[8],
                 unsigned char data[CLUMP_MESSAGE_BULK_BYTES])
{
    *m = (clump_exchange_message){.handler = (uint8_t)(1 + number % 255),
                                  .tag = number * UINT64_C(0x9e3779b97f4a7c15),
                                  .count = 1 + number % 8,
                                  .arguments = arguments};
    for (unsigned i = 0; i < 8; i++)
        arguments[i] = i == 0 ? number : number * 2654435761u + i;
    if (number % 3 == 0) {
        m->size = number % 7 == 0 ? CLUMP_MESSAGE_BULK_BYTES : 1 + number % 3000;
        m->data = data;
        for (size_t i = 0; i < m->size; i++)
            data[i] = (unsigned char)(number * 31 + i * 7 + (i >> 8));
    }
}

static void expect(const clump_exchange_delivery *d, uint32_t number, bool tag)
{
    static unsigned char data[CLUMP_MESSAGE_BULK_BYTES];
    uint32_t arguments[8];
    clump_exchange_message m;
    make(number, &m, arguments, data);
    assert_int_equal(d->message.handler, m.handler);
    assert_int_equal(d->message.count, m.count);
    assert_memory_equal(d->message.arguments, arguments, 4 * m.count);
    if (tag)
        assert_true(d->tag == m.tag);
    if (d->message.returned == CLUMP_PROTOCOL_OK) {
        assert_int_equal(d->message.size, m.size);
        if (m.size > 0)
            assert_memory_equal(d->message.data, data, m.size);
    } else {
        assert_int_equal(d->message.size, 0);
    }
}

/* Requests in both directions, a third answered, a third not, a third returned, through a channel
 * that keeps no order: each is handled once, with every byte, and each ends as it should. */
TEST(test_both_ways)
{
    enum { MESSAGES = 3000 };
    static unsigned char data[CLUMP_MESSAGE_BULK_BYTES], handled[2][MESSAGES], ended[2][MESSAGES];
    static struct channel channels[2];
    memset(handled, 0, sizeof handled);
    memset(ended, 0, sizeof ended);
    clump_exchange *ends[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(clump_exchange_open(CREDITS, &ends[i]), CLUMP_PROTOCOL_OK);
    srand(11);
    uint32_t sent[2] = {0, 0}, notices = 0;
    uint32_t arguments[8];
    clump_exchange_message m;
    for (int turns = 0; turns < 2000000; turns++) {
        const int end = rand() % 2;
        clump_exchange *x = ends[end];
        if (sent[end] < MESSAGES && rand() % 2 == 0) {
            make(sent[end], &m, arguments, data);
            const bool credit = clump_exchange_has_credit(x);
            assert_int_equal(clump_exchange_request(x, &m), credit);
            sent[end] += credit;
        }
        carry(x, &channels[end], CLUMP_FRAGMENT_LEAST + (size_t)rand() % (FRAGMENT - 39));
        if (channels[end].count > 0 && rand() % 4 != 0)
            hand_over(&channels[end], ends[1 - end]);
        clump_exchange_delivery d;
        if (rand() % 3 != 0 || !clump_exchange_next(x, rand() % 4 != 0, &d))
            continue;
        const uint32_t number = d.arguments[0];
        assert_in_range(number, 0, MESSAGES - 1);
        if (!d.request) { /* the answer to our request bears its number */
            assert_int_equal(ended[end][number]++, 0);
            assert_int_equal(d.message.returned,
                             number % 4 == 2 ? CLUMP_PROTOCOL_BAD_TAG : CLUMP_PROTOCOL_OK);
            expect(&d, number, false);
        } else {
            assert_int_equal(handled[end][number]++, 0);
            expect(&d, number, true);
            make(number, &m, arguments, data);
            if (number % 4 < 2)
                clump_exchange_reply(x, d.place, &m);
            else if (number % 4 == 2)
                clump_exchange_give_back(x, d.place, CLUMP_PROTOCOL_BAD_TAG);
            else
                notices++;
        }
        clump_exchange_finish(x, &d);
        if (sent[0] == MESSAGES && sent[1] == MESSAGES && clump_exchange_idle(ends[0]) &&
            clump_exchange_idle(ends[1]))
            break;
    }
    for (int i = 0; i < 2; i++) {
        assert_true(clump_exchange_idle(ends[i]));
        for (uint32_t n = 0; n < MESSAGES; n++) {
            assert_int_equal(handled[i][n], 1);
            assert_int_equal(ended[i][n], n % 4 == 3 ? 0 : 1);
        }
        clump_exchange_close(ends[i]);
    }
    assert_int_equal(notices, 2 * MESSAGES / 4);
}

TEST(test_failure_returns_everything)
{
    static unsigned char data[CLUMP_MESSAGE_BULK_BYTES];
    static struct channel there, back;
    there.count = back.count = 0;
    uint32_t arguments[8];
    clump_exchange_message m;
    clump_exchange *a, *b;
    assert_int_equal(clump_exchange_open(4, &a), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_exchange_open(4, &b), CLUMP_PROTOCOL_OK);
    for (uint32_t n = 0; n < 4; n++) { /* 0 answered, 1 delivered, 2 and 3 not yet sent */
        make(n, &m, arguments, data);
        assert_true(clump_exchange_request(a, &m));
    }
    clump_exchange_delivery d, handling = {0};
    for (uint32_t whole = 0; whole < 2;) { /* until the last fragment of 1 */
        const unsigned i = there.count++;
        there.size[i] = clump_exchange_fragment(a, there.bytes[i], FRAGMENT);
        whole += there.size[i] < FRAGMENT;
    }
    while (there.count > 0)
        hand_over(&there, b);
    for (int i = 0; i < 2; i++) {
        assert_true(clump_exchange_next(b, true, &d));
        if (d.arguments[0] == 1) {
            handling = d;
            continue;
        }
        make(0, &m, arguments, data);
        m.data = NULL;
        clump_exchange_reply(b, d.place, &m);
        clump_exchange_finish(b, &d);
    }
    carry(b, &back, FRAGMENT);
    while (back.count > 0)
        hand_over(&back, a);

    clump_exchange_fail(a, CLUMP_PROTOCOL_PEER_DEAD);
    assert_false(clump_exchange_has_credit(a));
    bool seen[4] = {false};
    for (int i = 0; i < 4; i++) {
        assert_true(clump_exchange_next(a, false, &d));
        const uint32_t n = d.arguments[0];
        assert_false(seen[n]);
        seen[n] = true;
        assert_int_equal(d.message.returned, n == 0 ? CLUMP_PROTOCOL_OK : CLUMP_PROTOCOL_PEER_DEAD);
        if (n > 0)
            expect(&d, n, true);
        clump_exchange_finish(a, &d);
    }
    assert_false(clump_exchange_next(a, true, &d));
    assert_true(clump_exchange_idle(a));

    /* The other end fails while it handles a request. */
    clump_exchange_fail(b, CLUMP_PROTOCOL_PEER_DEAD);
    clump_exchange_reply(b, handling.place, &m); /* m: that of 0 */
    clump_exchange_finish(b, &handling);
    assert_true(clump_exchange_idle(b));
    assert_int_equal(clump_exchange_fragment(b, back.bytes[0], FRAGMENT), 0);
    clump_exchange_close(a);
    clump_exchange_close(b);
}

/* Whatever arrives, nothing is read or written outside, and no delivery exceeds its limits. */
TEST(test_hostile_fragments)
{
    srand(5);
    clump_exchange *x;
    assert_int_equal(clump_exchange_open(3, &x), CLUMP_PROTOCOL_OK);
    unsigned accepted = 0, delivered = 0;
    for (int i = 0; i < 300000; i++) {
        unsigned char bytes[FRAGMENT];
        const size_t size = (size_t)rand() % (i % 2 == 0 ? 40 : sizeof bytes);
        for (size_t j = 0; j < size; j++)
            bytes[j] = (unsigned char)(rand() % (j > 8 && i % 3 == 0 ? 256 : 5));
        if (size > 20 && i % 4 != 0) { /* a whole message, but for its contents */
            bytes[4] = bytes[5] = 0;
            bytes[6] = (unsigned char)((size - 8) >> 8);
            bytes[7] = (unsigned char)(size - 8);
        }
        accepted += clump_exchange_arrive(x, bytes, size);
        const clump_exchange_message m = {.handler = 1};
        if (rand() % 8 == 0)
            clump_exchange_request(x, &m);
        clump_exchange_fragment(x, bytes, sizeof bytes);
        clump_exchange_delivery d;
        if (clump_exchange_next(x, true, &d)) {
            delivered++;
            assert_in_range(d.message.count, 0, 8);
            assert_in_range(d.message.size, 0, CLUMP_MESSAGE_BULK_BYTES);
            assert_in_range(d.message.handler, 1, 255);
            unsigned sum = 0;
            for (size_t j = 0; j < d.message.size; j++)
                sum += ((const unsigned char *)d.message.data)[j];
            assert_in_range(sum, 0, 255u * CLUMP_MESSAGE_BULK_BYTES);
            clump_exchange_finish(x, &d);
        }
        if (i % 1000 == 999)
            clump_exchange_fail(x, CLUMP_PROTOCOL_FAILED);
    }
    assert_true(accepted > 1000 && delivered > 1000);
    clump_exchange_close(x);
}

TEST(test_credits)
{
    clump_exchange *x = NULL;
    assert_int_equal(clump_exchange_open(0, &x), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_exchange_open(129, &x), CLUMP_PROTOCOL_BAD_INPUT);
    assert_null(x);
    assert_int_equal(clump_exchange_open(128, &x), CLUMP_PROTOCOL_OK);
    const clump_exchange_message m = {.handler = 7};
    for (int i = 0; i < 128; i++)
        assert_true(clump_exchange_request(x, &m));
    assert_false(clump_exchange_request(x, &m));
    clump_exchange_close(x);
    clump_exchange_close(NULL);
}

UNIT_MAIN(NULL, NULL)
