/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The socket by itself: what arrives, whatever its size. */
#include "protocols/network/udp.h"

#include <string.h>

#include "tests/unit/unit.h"
#include <net/if.h>
#include <sys/socket.h>

#include "tests/unit/children.h"

static clump_udp *open_socket(char text[CLUMP_UDP_TEXT])
{
    char message[CLUMP_UDP_MESSAGE];
    clump_udp *udp;
    assert_int_equal(clump_udp_open(NULL, &udp, message), CLUMP_PROTOCOL_OK);
    clump_udp_name(udp, text);
    return udp;
}

struct couple {
    clump_udp *from, *to;
    clump_datagram_link out, in;
    clump_address address;
};

static struct couple open_couple(void)
{
    char text[CLUMP_UDP_TEXT], message[CLUMP_UDP_MESSAGE];
    struct couple c;
    c.from = open_socket(text);
    c.to = open_socket(text);
    c.out = clump_udp_link(c.from);
    c.in = clump_udp_link(c.to);
    assert_int_equal(clump_udp_resolve(c.from, text, &c.address, message), CLUMP_PROTOCOL_OK);
    return c;
}

static void close_couple(struct couple *c)
{
    clump_udp_close(c->from);
    clump_udp_close(c->to);
}

/** Receive `count` datagrams, by looks only. @return the sum of their sizes */
static size_t look_for(const struct couple *c, unsigned count)
{
    static clump_datagram in[40];
    size_t sum = 0;
    unsigned got = 0;
    for (const double until = seconds() + PATIENCE; got < count && seconds() < until;) {
        const unsigned now = c->in.receive(c->in.context, in, 40);
        assert_in_range(now, 0, count - got);
        for (unsigned i = 0; i < now; i++) {
            sum += in[i].size;
            for (size_t k = 0; k < in[i].size; k++)
                assert_int_equal(in[i].bytes[k], (unsigned char)(in[i].size + k));
        }
        got += now;
    }
    assert_int_equal(got, count);
    return sum;
}

static void send_some(const struct couple *c, size_t size, unsigned count)
{
    static clump_datagram out[100];
    for (unsigned i = 0; i < count; i++) {
        out[i].address = c->address;
        out[i].size = size;
        for (size_t k = 0; k < size; k++)
            out[i].bytes[k] = (unsigned char)(size + k);
    }
    c->out.send(c->out.context, out, count);
}

static void look_in_vain(const struct couple *c, unsigned looks)
{
    static clump_datagram in[1];
    for (unsigned i = 0; i < looks; i++)
        assert_int_equal(c->in.receive(c->in.context, in, 1), 0);
}

TEST(test_exchange)
{
    struct couple c = open_couple();
    /* Alone, in bursts larger than a batch, after little silence and after much; of one byte, too,
     * and as many as there may be. */
    for (unsigned round = 0; round < 40; round++) {
        const size_t size = round % 4 == 0 ? 1 : round % 4 == 1 ? 4352 : round * 31;
        const unsigned count = round % 5 == 0 ? 50 : 1 + round % 3;
        look_in_vain(&c, round * 7);
        send_some(&c, size, count);
        assert_int_equal(look_for(&c, count), count * size);
    }
    send_some(&c, 0, 3); /* these only wake */
    assert_true(clump_udp_wait(c.to, UINT64_C(1000000000) * PATIENCE));
    while (clump_udp_count(c.to).empty < 3)
        look_in_vain(&c, 1);
    assert_false(clump_udp_wait(c.to, 1000));
    send_some(&c, 100, 1); /* sleeping sees it before any look does */
    assert_true(clump_udp_wait(c.to, UINT64_C(1000000000) * PATIENCE));
    assert_true(clump_udp_wait(c.to, UINT64_C(1000000000) * PATIENCE));
    look_for(&c, 1);
    close_couple(&c);
}

/** Datagrams of mixed sizes to two sockets in one batch: some of them pass the system as one, and
 *  must come apart where they were put together, in order. */
TEST(test_trains)
{
    enum { LARGE = 1420, MOST = 4352, COUNT = 96 };
    static const size_t sizes[] = {LARGE, LARGE, LARGE, 300, LARGE, LARGE, 0,    1,  1,
                                   1,     2,     1,     60,  59,    MOST,  MOST, 60, LARGE};
    static clump_datagram out[COUNT], in[COUNT];
    struct couple a = open_couple(), b = open_couple();
    for (unsigned run = 1; run <= 9; run++) { /* so many in a row to one of them */
        size_t expected[2][COUNT];
        unsigned counts[2] = {0, 0};
        for (unsigned i = 0; i < COUNT; i++) {
            const unsigned to = i / run % 2;
            out[i].address = to == 0 ? a.address : b.address;
            out[i].size = sizes[(i + run) % (sizeof sizes / sizeof *sizes)];
            for (size_t k = 0; k < out[i].size; k++)
                out[i].bytes[k] = (unsigned char)(i + k);
            if (out[i].size > 0)
                expected[to][counts[to]++] = i;
        }
        a.out.send(a.out.context, out, COUNT);
        for (unsigned to = 0; to < 2; to++) {
            const struct couple *c = to == 0 ? &a : &b;
            unsigned got = 0;
            for (const double until = seconds() + PATIENCE; got < counts[to] && seconds() < until;)
                got += c->in.receive(c->in.context, in + got, counts[to] - got);
            assert_int_equal(got, counts[to]);
            for (unsigned n = 0; n < got; n++) {
                const unsigned i = (unsigned)expected[to][n];
                assert_int_equal(in[n].size, out[i].size);
                assert_memory_equal(in[n].bytes, out[i].bytes, out[i].size);
            }
        }
    }
    close_couple(&a);
    close_couple(&b);
}

/* Through two interfaces by turn, which here are the same: all arrives, and one by one. */
TEST(test_spread)
{
    enum { COUNT = 40 };
    static clump_datagram out[COUNT], in[COUNT];
    const unsigned both[] = {if_nametoindex("lo"), if_nametoindex("lo")},
                   nowhere[] = {if_nametoindex("lo"), 2147483647};
    unsigned many[CLUMP_UDP_INTERFACES + 1] = {0};
    struct couple c = open_couple();
    assert_false(clump_udp_spread(c.from, many, CLUMP_UDP_INTERFACES + 1));
    assert_true(clump_udp_spread(c.from, both, 2));
    for (int i = 0; i < COUNT; i++) {
        out[i].address = c.address;
        out[i].size = (size_t)(1 + i % 3 * 700);
        memset(out[i].bytes, i, out[i].size);
    }
    c.out.send(c.out.context, out, COUNT);
    for (unsigned got = 0; got < COUNT;)
        got += c.in.receive(c.in.context, in + got, COUNT - got);
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(in[i].size, out[i].size);
        assert_memory_equal(in[i].bytes, out[i].bytes, out[i].size);
    }
    /* Each second one goes through an interface that is not there, and is lost. */
    assert_true(clump_udp_spread(c.from, nowhere, 2));
    c.out.send(c.out.context, out, COUNT);
    unsigned got = 0;
    for (int look = 0; look < 100 && got < COUNT / 2; look++)
        got += c.in.receive(c.in.context, in + got, COUNT - got);
    assert_int_equal(got, COUNT / 2);
    assert_true(clump_udp_spread(c.from, NULL, 0));
    c.out.send(c.out.context, out, 1);
    while (c.in.receive(c.in.context, in, 1) == 0)
        continue;
    assert_int_equal(in[0].size, out[0].size);
    close_couple(&c);
}

TEST(test_oversized)
{
    struct couple c = open_couple();
    static const unsigned char large[9000];
    const int plain = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(sendto(plain, large, sizeof large, 0,
                            (const struct sockaddr *)(const void *)c.address.bytes, c.address.size),
                     sizeof large);
    close(plain);
    send_some(&c, 17, 1); /* what comes after it is not lost */
    assert_int_equal(look_for(&c, 1), 17);
    assert_int_equal(clump_udp_count(c.to).oversized, 1);
    close_couple(&c);
}

/* Nobody reads: what the buffers cannot hold is lost, and sending never waits. */
TEST(test_full_socket)
{
    struct couple c = open_couple();
    alarm(PATIENCE);
    for (int i = 0; i < 50; i++)
        send_some(&c, 4352, 100);
    alarm(0);
    close_couple(&c);
}

/* The port of a process that was killed, and one that was closed a moment ago, can be had again. */
TEST(test_port_again)
{
    for (int i = 0; i < 2; i++) {
        char text[CLUMP_UDP_TEXT], message[CLUMP_UDP_MESSAGE];
        int ends[2];
        clump_udp *udp;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork_child();
        if (child == 0) {
            if (clump_udp_open(NULL, &udp, message) == CLUMP_PROTOCOL_OK) {
                clump_udp_name(udp, text);
                if (write(ends[1], text, sizeof text) == sizeof text)
                    pause();
            }
            _exit(1);
        }
        assert_int_equal(read(ends[0], text, sizeof text), sizeof text);
        kill_child(child);
        close(ends[0]);
        close(ends[1]);
        for (int k = 0; k < 2; k++) {
            if (clump_udp_open(text, &udp, message) != CLUMP_PROTOCOL_OK)
                fail_msg("%s", message);
            clump_udp *second;
            assert_int_equal(clump_udp_open(text, &second, message), CLUMP_PROTOCOL_IN_USE);
            clump_udp_close(udp);
        }
    }
}

UNIT_MAIN(NULL, NULL)
