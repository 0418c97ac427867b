/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a message over UDP costs beside a plain datagram of its size, one step after the other: what
 * the system is asked for, the socket, sessions with what makes them reliable, endpoints. Both ends
 * are in one process on one processor, with real-time priority where that is allowed, and turn
 * by turn, so that nobody waits and every cost counts. BENCH_ROUNDS=N (default 15); medians of
 * rounds in which each step has its turn.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include "model/statistics.h"
#include "protocols/endpoint/endpoint.h"
#include "protocols/network/network.h"
#include "protocols/network/udp.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { TRIPS = 4000, MOST = 100, SIZE = 92 /* of a request with 8 arguments, on the wire */ };

static void require(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- plain sockets */

struct plain {
    int file[2];
    struct sockaddr_in at[2];
};

static struct plain open_plain(bool connected)
{
    struct plain p;
    socklen_t size = sizeof *p.at;
    for (int i = 0; i < 2; i++) {
        p.at[i] =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        p.file[i] = socket(AF_INET, SOCK_DGRAM, 0);
        require(p.file[i] >= 0 && bind(p.file[i], (struct sockaddr *)&p.at[i], size) == 0 &&
                    getsockname(p.file[i], (struct sockaddr *)&p.at[i], &size) == 0,
                "a socket");
    }
    for (int i = 0; i < 2 && connected; i++)
        require(connect(p.file[i], (struct sockaddr *)&p.at[1 - i], size) == 0, "connect");
    return p;
}

/** @return us a message */
static double plainly(const struct plain *p, bool name, bool connected)
{
    unsigned char bytes[2048] = {0};
    const double began = seconds();
    for (int n = 0; n < 2 * TRIPS; n++) {
        const int from = n % 2, to = 1 - from;
        struct sockaddr_storage sender;
        socklen_t room = sizeof sender;
        const ssize_t sent = connected
                                 ? send(p->file[from], bytes, SIZE, MSG_DONTWAIT)
                                 : sendto(p->file[from], bytes, SIZE, MSG_DONTWAIT,
                                          (const struct sockaddr *)&p->at[to], sizeof p->at[to]);
        const ssize_t came =
            recvfrom(p->file[to], bytes, sizeof bytes, MSG_DONTWAIT,
                     name ? (struct sockaddr *)&sender : NULL, name ? &room : NULL);
        require(sent == SIZE && came == SIZE, "a datagram is lost");
    }
    return (seconds() - began) / (2 * TRIPS) * 1e6;
}

/* ---- the link */

struct links {
    clump_datagram_link link[2];
    clump_address at[2];
};

static struct links open_links(void)
{
    struct links l;
    char text[CLUMP_UDP_TEXT], message[CLUMP_UDP_MESSAGE];
    for (int i = 0; i < 2; i++) {
        clump_udp *udp;
        require(clump_udp_open(NULL, true, &udp, message) == CLUMP_PROTOCOL_OK, message);
        clump_udp_name(udp, text);
        require(clump_udp_resolve(udp, text, &l.at[i], message) == CLUMP_PROTOCOL_OK, message);
        l.link[i] = clump_udp_link(udp);
    }
    return l;
}

static double by_links(const struct links *l)
{
    static clump_datagram out = {.size = SIZE}, in[32];
    const double began = seconds();
    for (int n = 0; n < 2 * TRIPS; n++) {
        const int from = n % 2, to = 1 - from;
        out.address = l->at[to];
        l->link[from].send(l->link[from].context, &out, 1);
        while (l->link[to].receive(l->link[to].context, in, 32) == 0)
            continue;
    }
    return (seconds() - began) / (2 * TRIPS) * 1e6;
}

/* ---- sessions, over sockets or over memory */

/** A link to the other end of a pair, in memory. */
struct wire {
    clump_datagram waiting[32];
    unsigned count;
    struct wire *other;
    clump_address at;
};

static unsigned take(void *context, clump_datagram *datagrams, unsigned most)
{
    struct wire *w = context;
    const unsigned count = w->count < most ? w->count : most;
    for (unsigned i = 0; i < count; i++) {
        datagrams[i].address = w->waiting[i].address;
        datagrams[i].size = w->waiting[i].size;
        memcpy(datagrams[i].bytes, w->waiting[i].bytes, w->waiting[i].size);
    }
    w->count -= count; /* never more than fit */
    return count;
}

static void give(void *context, const clump_datagram *datagrams, unsigned count)
{
    struct wire *w = context, *o = w->other;
    for (unsigned i = 0; i < count && o->count < 32; i++) {
        clump_datagram *d = &o->waiting[o->count++];
        d->address = w->at;
        d->size = datagrams[i].size;
        memcpy(d->bytes, datagrams[i].bytes, d->size);
    }
}

struct sessions {
    clump_network *network[2];
    unsigned session;
    uint64_t now_ns;
};

static void step(struct sessions *s, int end)
{
    clump_network_poll(s->network[end], s->now_ns);
    clump_network_flush(s->network[end], s->now_ns);
}

static struct sessions open_sessions(const clump_datagram_link link[2], const clump_address *there)
{
    struct sessions s = {.now_ns = 1000000000};
    for (int i = 0; i < 2; i++) {
        clump_network_options options = {.link = link[i], .secret = {(unsigned char)(i + 1)}};
        require(clump_network_open(&options, &s.network[i]) == CLUMP_PROTOCOL_OK, "a network");
        clump_network_set_tag(s.network[i], CLUMP_TAG_ACCEPT_ALL);
    }
    require(clump_network_connect(s.network[0], there, 1, s.now_ns, &s.session) ==
                CLUMP_PROTOCOL_OK,
            "a session");
    for (int n = 0; n < 1000; n++) {
        step(&s, 1);
        step(&s, 0);
        s.now_ns += 100000;
    }
    require(clump_network_state(s.network[0], s.session, NULL) == CLUMP_SESSION_OPEN, "no session");
    return s;
}

static double by_sessions(struct sessions *s)
{
    const uint32_t arguments[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const clump_exchange_message m = {.handler = 1, .tag = 1, .count = 8, .arguments = arguments};
    const double began = seconds();
    for (int n = 0; n < TRIPS; n++) {
        s->now_ns += 5000;
        require(clump_network_request(s->network[0], s->session, &m) == CLUMP_PROTOCOL_OK,
                "a request");
        clump_network_flush(s->network[0], s->now_ns);
        for (int end = 1; end >= 0; end--) {
            unsigned session;
            clump_exchange_delivery d;
            while (!clump_network_next(s->network[end], true, &session, &d))
                if (clump_network_poll(s->network[end], s->now_ns) == 0) {
                    step(s, 1 - end); /* only while they agree, before the first message */
                    step(s, end);
                }
            if (d.request)
                clump_network_reply(s->network[end], session, d.place, &m);
            clump_network_finish(s->network[end], session, &d);
            clump_network_flush(s->network[end], s->now_ns);
        }
    }
    return (seconds() - began) / (2 * TRIPS) * 1e6;
}

/* ---- endpoints */

static unsigned answers;
static atomic_bool mapped;

static void answer(clump_token *token, const clump_message *m, void *context)
{
    (void)context;
    clump_endpoint_reply(token, 1, m->arguments, m->count);
}

static void count(clump_token *token, const clump_message *m, void *context)
{
    (void)token, (void)m, (void)context;
    answers++;
}

static clump_endpoint *open_endpoint(int number)
{
    char name[40];
    clump_endpoint *e;
    const clump_endpoint_options options = {
        .listen = "127.0.0.1:0", .polling = "always", .silence_ms = 600000};
    snprintf(name, sizeof name, "bench-%d-%ld", number, (long)getpid());
    require(clump_endpoint_open(name, &options, &e) == CLUMP_PROTOCOL_OK, "an endpoint");
    clump_endpoint_set_tag(e, 1);
    clump_endpoint_set_handler(e, 1, number == 0 ? count : answer, NULL);
    return e;
}

static void *serve(void *endpoint)
{
    while (!atomic_load(&mapped))
        clump_endpoint_poll(endpoint, 4, NULL);
    return NULL;
}

static void map(clump_endpoint *e[2])
{
    pthread_t server;
    char where[CLUMP_ADDRESS_TEXT + 1];
    snprintf(where, sizeof where, "@%s", clump_endpoint_address(e[1]));
    require(pthread_create(&server, NULL, serve, e[1]) == 0, "a thread");
    require(clump_endpoint_map(e[0], 0, where, 1) == CLUMP_PROTOCOL_OK, "map");
    atomic_store(&mapped, true);
    pthread_join(server, NULL);
}

static double by_endpoints(clump_endpoint *e[2])
{
    const uint32_t arguments[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const double began = seconds();
    for (int n = 0; n < TRIPS; n++) {
        const unsigned before = answers;
        require(clump_endpoint_request(e[0], 0, 1, arguments, 8) == CLUMP_PROTOCOL_OK, "request");
        while (answers == before) {
            clump_endpoint_poll(e[1], 4, NULL);
            clump_endpoint_poll(e[0], 4, NULL);
        }
    }
    return (seconds() - began) / (2 * TRIPS) * 1e6;
}

int main(void)
{
    static const char *const names[] = {"connected sockets: send, recv",
                                        "the sender's address as well: recvfrom",
                                        "not connected: sendto, recvfrom",
                                        "the link",
                                        "sessions (am2), in memory",
                                        "sessions (am2)",
                                        "endpoints"};
    enum { STEPS = sizeof names / sizeof *names };
    static double values[STEPS][MOST];
    static struct wire wires[2];
    const char *wanted = getenv("BENCH_ROUNDS");
    const int asked = wanted != NULL ? atoi(wanted) : 15;
    const unsigned rounds = asked < 1 ? 1 : asked > MOST ? MOST : (unsigned)asked;
    const struct plain connected = open_plain(true), alone = open_plain(false);
    const struct links links = open_links(), under = open_links();
    for (unsigned i = 0; i < 2; i++) {
        wires[i].other = &wires[1 - i];
        wires[i].at = (clump_address){.size = 4, .bytes = {(unsigned char)i}};
    }
    const clump_datagram_link in_memory[2] = {
        {.context = &wires[0], .receive = take, .send = give},
        {.context = &wires[1], .receive = take, .send = give}};
    struct sessions memory = open_sessions(in_memory, &wires[1].at);
    struct sessions sessions = open_sessions(under.link, &under.at[1]);
    clump_endpoint *e[2] = {open_endpoint(0), open_endpoint(1)};
    map(e);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    sched_setaffinity(0, sizeof one, &one);
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 10});
    for (unsigned r = 0; r < rounds; r++) {
        unsigned s = 0;
        values[s++][r] = plainly(&connected, false, true);
        values[s++][r] = plainly(&connected, true, true);
        values[s++][r] = plainly(&alone, true, false);
        values[s++][r] = by_links(&links);
        values[s++][r] = by_sessions(&memory);
        values[s++][r] = by_sessions(&sessions);
        values[s++][r] = by_endpoints(e);
    }
    printf(
        "A message of %d bytes over loopback, step by step, medians of %u rounds\n%-44s%12s%12s\n",
        SIZE, rounds, "", "us", "of plain");
    for (unsigned s = 0; s < STEPS; s++)
        printf("%-44s%12.2f%12.2f\n", names[s], clump_median(values[s], rounds),
               clump_median(values[s], rounds) / clump_median(values[0], rounds));
    for (unsigned i = 0; i < 2; i++)
        clump_endpoint_close(e[i]);
    return 0;
}
