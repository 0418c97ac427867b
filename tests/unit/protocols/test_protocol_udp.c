/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The socket by itself: what arrives, whatever its size, with the bell and by system calls only. */
#define _GNU_SOURCE /* syscall numbers, seccomp */
#include "protocols/network/bell.h"
#include "protocols/network/udp.h"
#include "protocols/queue/process.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/unit.h"
#include <net/if.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/unit/children.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static clump_udp *open_socket(bool bell, char text[CLUMP_UDP_TEXT])
{
    char message[CLUMP_UDP_MESSAGE];
    clump_udp *udp;
    assert_int_equal(clump_udp_open(NULL, bell, &udp, message), CLUMP_PROTOCOL_OK);
    clump_udp_name(udp, text);
    return udp;
}

struct couple {
    clump_udp *from, *to;
    clump_datagram_link out, in;
    clump_address address;
};

static struct couple open_couple(bool bell)
{
    char text[CLUMP_UDP_TEXT], message[CLUMP_UDP_MESSAGE];
    struct couple c;
    c.from = open_socket(false, text);
    c.to = open_socket(bell, text);
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

static void exchange(bool bell)
{
    struct couple c = open_couple(bell);
    const bool works = clump_udp_count(c.to).bell;
    assert_true(bell || !works);
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
    const uint64_t before = clump_udp_count(c.to).silent;
    look_in_vain(&c, 10000);
    const uint64_t silent = clump_udp_count(c.to).silent - before;
    if (works)
        assert_in_range(silent, 9900, 10000);
    else
        assert_int_equal(silent, 0);
    send_some(&c, 100, 1); /* sleeping sees it before any look does */
    assert_true(clump_udp_wait(c.to, UINT64_C(1000000000) * PATIENCE));
    assert_true(clump_udp_wait(c.to, UINT64_C(1000000000) * PATIENCE));
    look_for(&c, 1);
    close_couple(&c);
}

TEST(test_with_bell)
{
    exchange(true);
}

TEST(test_without_bell)
{
    exchange(false);
}

/** Datagrams of mixed sizes to two sockets in one batch: some of them pass the system as one, and
 *  must come apart where they were put together, in order. */
TEST(test_trains)
{
    enum { LARGE = 1420, MOST = 4352, COUNT = 96 };
    static const size_t sizes[] = {LARGE, LARGE, LARGE, 300, LARGE, LARGE, 0,    1,  1,
                                   1,     2,     1,     60,  59,    MOST,  MOST, 60, LARGE};
    static clump_datagram out[COUNT], in[COUNT];
    struct couple a = open_couple(false), b = open_couple(false);
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
    struct couple c = open_couple(false);
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
    for (int bell = 0; bell < 2; bell++) {
        struct couple c = open_couple(bell);
        static const unsigned char large[9000];
        const int plain = socket(AF_INET, SOCK_DGRAM, 0);
        assert_int_equal(sendto(plain, large, sizeof large, 0,
                                (const struct sockaddr *)(const void *)c.address.bytes,
                                c.address.size),
                         sizeof large);
        close(plain);
        send_some(&c, 17, 1); /* what comes after it is not lost */
        assert_int_equal(look_for(&c, 1), 17);
        assert_int_equal(clump_udp_count(c.to).oversized, 1);
        close_couple(&c);
    }
}

/* Nobody reads: what the buffers cannot hold is lost, and sending never waits. */
TEST(test_full_socket)
{
    struct couple c = open_couple(true);
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
            if (clump_udp_open(NULL, true, &udp, message) == CLUMP_PROTOCOL_OK) {
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
            /* On a busy machine the system takes its time to let go of it. */
            clump_protocol_status opened = CLUMP_PROTOCOL_IN_USE;
            const time_t last = time(NULL) + 120;
            while (opened == CLUMP_PROTOCOL_IN_USE && time(NULL) < last)
                opened = clump_udp_open(text, true, &udp, message);
            if (opened != CLUMP_PROTOCOL_OK)
                fail_msg("%s", message);
            clump_udp *second;
            assert_int_equal(clump_udp_open(text, true, &second, message), CLUMP_PROTOCOL_IN_USE);
            clump_udp_close(udp);
        }
    }
}

static void *look_from_thread(void *context)
{
    struct couple *c = context;
    for (unsigned i = 0; i < 20; i++) {
        look_in_vain(c, 50);
        send_some(c, 60 + i, 3);
        look_for(c, 3);
    }
    return NULL;
}

/* Whoever uses it after the thread that opened it sees everything: while that one lives, when it
 * has ended. */
TEST(test_other_threads)
{
    struct couple c = open_couple(true);
    look_from_thread(&c);
    pthread_t thread;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&thread, NULL, look_from_thread, &c), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    look_from_thread(&c);
    close_couple(&c);
}

static void *open_from_thread(void *context)
{
    *(struct couple *)context = open_couple(true);
    look_from_thread(context);
    return NULL;
}

TEST(test_opener_ends)
{
    struct couple c;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, open_from_thread, &c), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    look_from_thread(&c);
    close_couple(&c);
}

/* A container that forbids io_uring: no bell, and everything else as it was. */
TEST(test_forbidden)
{
    const pid_t child = fork_child();
    if (child == 0) {
        struct sock_filter program[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
        const struct sock_fprog filter = {4, program};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
            _exit(77);
        struct couple c = open_couple(true);
        const bool works = clump_udp_count(c.to).bell;
        look_from_thread(&c);
        _exit(works ? 1 : 0);
    }
    const int status = end_of(child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

UNIT_MAIN(NULL, NULL)
