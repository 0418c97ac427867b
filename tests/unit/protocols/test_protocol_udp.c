/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The socket by itself: what arrives, whatever its size, with the bell and by system calls only. */
#define _GNU_SOURCE /* syscall numbers, seccomp */
#include "protocols/network/bell.h"
#include "protocols/network/udp.h"
#include "protocols/network/ways.h"
#include "protocols/queue/process.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/unit/unit.h"
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tests/unit/children.h"
#ifdef __linux__
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

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
#ifdef __linux__
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
#else
    assert_false(clump_udp_spread(c.from, both, 2));
    (void)nowhere, (void)many;
#endif
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

/* ---- a socket for each peer */

/** Look until something comes. @return its size; `*from` says from where */
static size_t look_once(const clump_datagram_link *link, clump_address *from)
{
    static clump_datagram in;
    AWAIT(link->receive(link->context, &in, 1) == 1, (void)0);
    *from = in.address;
    return in.size;
}

static void assert_same_address(const clump_address *a, const clump_address *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, sizeof a->bytes);
}

static void send_through(const clump_datagram_link *link, const clump_address *to, unsigned way,
                         size_t size)
{
    static clump_datagram out;
    out.address = *to;
    out.way = way;
    out.size = size;
    memset(out.bytes, 'w', size);
    link->send(link->context, &out, 1);
}

enum { PEERS = CLUMP_WAYS + 4 };

/** One that all talk to, and those. */
struct crowd {
    clump_udp *udp, *peers[PEERS];
    clump_datagram_link link, links[PEERS];
    clump_address address, addresses[PEERS];
    unsigned ways[PEERS];
};

static struct crowd open_crowd(bool bell, unsigned peers)
{
    struct crowd c = {0};
    char text[CLUMP_UDP_TEXT], message[CLUMP_UDP_MESSAGE];
    c.udp = open_socket(bell, text);
    c.link = clump_udp_link(c.udp);
    assert_int_equal(clump_udp_resolve(c.udp, text, &c.address, message), CLUMP_PROTOCOL_OK);
    for (unsigned i = 0; i < peers; i++) {
        c.peers[i] = open_socket(false, text);
        c.links[i] = clump_udp_link(c.peers[i]);
        assert_int_equal(clump_udp_resolve(c.udp, text, &c.addresses[i], message),
                         CLUMP_PROTOCOL_OK);
    }
    return c;
}

static void close_crowd(struct crowd *c)
{
    clump_udp_close(c->udp);
    for (unsigned i = 0; i < PEERS; i++)
        clump_udp_close(c->peers[i]);
}

/** Size 100 + i from each peer i; each arrives once, from its address, and an answer finds back. */
static void all_talk(struct crowd *c, unsigned peers)
{
    clump_address from;
    bool seen[PEERS] = {false};
    for (unsigned i = 0; i < peers; i++)
        send_through(&c->links[i], &c->address, 0, 100 + i);
    for (unsigned n = 0; n < peers; n++) {
        const size_t size = look_once(&c->link, &from);
        assert_in_range(size, 100, 100 + peers - 1);
        assert_false(seen[size - 100]);
        seen[size - 100] = true;
        assert_same_address(&from, &c->addresses[size - 100]);
    }
    for (unsigned i = 0; i < peers; i++) {
        send_through(&c->link, &c->addresses[i], c->ways[i], 7 + i);
        assert_int_equal(look_once(&c->links[i], &from), 7 + i);
        assert_same_address(&from, &c->address);
    }
}

/* More peers than sockets: all are served, before they have one, with it, when it is taken back and
 * given to others. */
TEST(test_ways)
{
    for (int bell = 0; bell < 2; bell++) {
        struct crowd c = open_crowd(bell, PEERS);
        unsigned own = 0;
        all_talk(&c, PEERS);
        for (unsigned i = 0; i < PEERS; i++) {
            c.ways[i] = c.link.join(c.link.context, &c.addresses[i]);
            own += c.ways[i] > 0;
        }
#ifdef __linux__
        assert_int_equal(own, CLUMP_WAYS - 1);
#endif
        for (unsigned round = 0; round < 5; round++)
            all_talk(&c, PEERS);
        /* A second join is the same way, and stays when the first is left. */
        assert_int_equal(c.link.join(c.link.context, &c.addresses[0]), c.ways[0]);
        for (unsigned i = 0; i < PEERS; i += 2)
            if (c.ways[i] > 0)
                c.link.leave(c.link.context, c.ways[i]);
        all_talk(&c, PEERS); /* with ways that are not ours any more, but for the first */
        for (unsigned i = 1; i < PEERS; i++)
            if (i % 2 == 0 || c.ways[i] == 0)
                c.ways[i] = c.link.join(c.link.context, &c.addresses[i]);
        for (unsigned round = 0; round < 5; round++)
            all_talk(&c, PEERS);
        close_crowd(&c);
    }
}

/* Nobody else, not even of this user, gets at the address while its peers have sockets. */
TEST(test_ways_are_ours)
{
    struct crowd c = open_crowd(false, 2);
    char text[CLUMP_UDP_TEXT], message[CLUMP_UDP_MESSAGE];
    clump_udp *second;
    clump_udp_name(c.udp, text);
    for (unsigned i = 0; i < 2; i++) {
        c.ways[i] = c.link.join(c.link.context, &c.addresses[i]);
        assert_int_equal(clump_udp_open(text, false, &second, message), CLUMP_PROTOCOL_IN_USE);
        const int options[] = {SO_REUSEADDR, SO_REUSEPORT}, one = 1;
        for (unsigned k = 0; k < 2; k++) {
            const int intruder = socket(AF_INET, SOCK_DGRAM, 0);
            assert_int_equal(setsockopt(intruder, SOL_SOCKET, options[k], &one, sizeof one), 0);
            assert_int_not_equal(bind(intruder,
                                      (const struct sockaddr *)(const void *)c.address.bytes,
                                      c.address.size),
                                 0);
            close(intruder);
        }
    }
    all_talk(&c, 2);
    close_crowd(&c);
}

/* What came before the socket of its sender was there is not lost, and what came to that when it
 * was left is not either. A process that holds a copy of it does not take what comes afterwards. */
TEST(test_leaving)
{
    struct crowd c = open_crowd(true, 2);
    clump_address from;
    send_through(&c.links[0], &c.address, 0, 20);
    c.ways[0] = c.link.join(c.link.context, &c.addresses[0]);
    send_through(&c.links[0], &c.address, 0, 21);
    const size_t one = look_once(&c.link, &from), two = look_once(&c.link, &from);
    assert_int_equal(one + two, 41);
    const pid_t holder = fork_child();
    if (holder == 0)
        for (;;)
            pause();
    send_through(&c.links[0], &c.address, 0, 22);
    if (c.ways[0] > 0)
        c.link.leave(c.link.context, c.ways[0]);
    assert_int_equal(look_once(&c.link, &from), 22);
    assert_same_address(&from, &c.addresses[0]);
    /* Whoever goes on sending there does not keep it open. */
    for (unsigned i = 0; i < 100; i++) {
        send_through(&c.links[0], &c.address, 0, 23);
        assert_int_equal(look_once(&c.link, &from), 23);
        assert_same_address(&from, &c.addresses[0]);
    }
    c.ways[1] = c.link.join(c.link.context, &c.addresses[1]);
    all_talk(&c, 2);
    kill_child(holder);
    all_talk(&c, 2);
    close_crowd(&c);
}

/* A peer that is gone: the system says so of a connected socket, once for each datagram; the first
 * one to a new process at that address arrives all the same. */
TEST(test_refused)
{
    struct crowd c = open_crowd(false, 2);
    clump_address from;
    char text[CLUMP_UDP_TEXT], message[CLUMP_UDP_MESSAGE];
    clump_udp_name(c.peers[0], text);
    for (unsigned i = 0; i < 2; i++)
        c.ways[i] = c.link.join(c.link.context, &c.addresses[i]);
    for (unsigned round = 0; round < 5; round++) {
        clump_udp_close(c.peers[0]);
        send_through(&c.link, &c.addresses[0], c.ways[0], 30);
        AWAIT(clump_udp_open(text, false, &c.peers[0], message) == CLUMP_PROTOCOL_OK, (void)0);
        c.links[0] = clump_udp_link(c.peers[0]);
        send_through(&c.link, &c.addresses[0], c.ways[0], 31 + round);
        assert_int_equal(look_once(&c.links[0], &from), 31 + round);
        all_talk(&c, 2);
    }
    close_crowd(&c);
}

/* That the system tells of a refusal does not hide what has come before it. */
TEST(test_refused_and_left)
{
    struct crowd c = open_crowd(false, 1);
    c.ways[0] = c.link.join(c.link.context, &c.addresses[0]);
    send_through(&c.links[0], &c.address, 0, 60);
    clump_udp_close(c.peers[0]);
    c.peers[0] = NULL;
    send_through(&c.link, &c.addresses[0], c.ways[0], 61);
    if (c.ways[0] > 0)
        c.link.leave(c.link.context, c.ways[0]);
    static clump_datagram in;
    unsigned count = 0;
    for (unsigned look = 0; look < 10 && count == 0; look++)
        count = c.link.receive(c.link.context, &in, 1);
    assert_int_equal(count, 1);
    assert_int_equal(in.size, 60);
    assert_same_address(&in.address, &c.addresses[0]);
    close_crowd(&c);
}

/* A thread that has gone to another network namespace still reaches its peers. */
TEST(test_other_network)
{
#if defined(__linux__) && defined(SO_NETNS_COOKIE)
    struct crowd c = open_crowd(false, 1);
    const pid_t child = fork_child();
    if (child == 0) {
        struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
        if (unshare(CLONE_NEWNET) != 0)
            _exit(77);
        const int any = socket(AF_INET, SOCK_DGRAM, 0);
        ioctl(any, SIOCSIFFLAGS, &loopback);
        const unsigned way = c.link.join(c.link.context, &c.addresses[0]);
        send_through(&c.link, &c.addresses[0], way, 70);
        _exit(0);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 77) {
        close_crowd(&c);
        skip(); /* that needs privileges */
    }
    static clump_datagram in;
    unsigned count = 0;
    for (unsigned look = 0; look < 10 && count == 0; look++)
        count = c.links[0].receive(c.links[0].context, &in, 1);
    assert_int_equal(count, 1);
    assert_int_equal(in.size, 70);
    close_crowd(&c);
#else
    skip();
#endif
}

/* Whoever sends all the time does not keep others from being seen: neither one with a socket of its
 * own, nor strangers. */
TEST(test_ways_are_fair)
{
    enum { LOOKS = 64, MOST = 4 };
    static clump_datagram in[MOST];
    for (unsigned busy = 0; busy < 2; busy++) {
        struct crowd c = open_crowd(busy == 1, 3);
        for (unsigned i = 0; i < 2; i++)
            c.ways[i] = c.link.join(c.link.context, &c.addresses[i]);
        const unsigned noisy = busy == 0 ? 0 : 2;
        for (unsigned round = 0; round < 20; round++) {
            const unsigned other = noisy == 0 ? 1 + round % 2 : 1;
            unsigned quiet = 0;
            for (unsigned look = 0; look < LOOKS; look++) {
                for (unsigned i = 0; i < 2 * MOST; i++)
                    send_through(&c.links[noisy], &c.address, 0, 50);
                if (look == LOOKS / 2)
                    send_through(&c.links[other], &c.address, 0, 51);
                const unsigned count = c.link.receive(c.link.context, in, MOST);
                for (unsigned i = 0; i < count; i++)
                    quiet += in[i].size == 51;
            }
            assert_int_equal(quiet, 1); /* within 32 looks, though more wait than are read */
        }
        close_crowd(&c);
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
#if defined(__linux__) && defined(SYS_io_uring_setup)
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
#else
    skip();
#endif
}

UNIT_MAIN(NULL, NULL)
