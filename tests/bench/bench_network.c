/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The network of an endpoint over loopback, two pinned processes: what a poll costs that finds
 * nothing, round trips and throughput, with the bell (protocols/network/bell.h) and by system calls
 * only. In turns, so that both meet the same machine. BENCH_ROUNDS=N (default 5).
 */
#define _DEFAULT_SOURCE /* usleep */
#include "protocols/endpoint/endpoint.h"
#include "tests/bench/pair.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TAG UINT64_C(42)
enum { POLLS = 100000, TRIPS = 3000, MESSAGES = 20000, BULKS = 3000, BULK = 8192, MOST = 50 };

enum { EMPTY_LOCAL, EMPTY, LOCAL_TRIP, TRIP, RATE, BULK_RATE, FIGURES };

static const struct {
    const char *name, *unit;
    double scale;
} figures[FIGURES] = {
    [EMPTY_LOCAL] = {"poll that finds nothing, shared memory only", "ns", 1e9},
    [EMPTY] = {"poll that finds nothing, and looks at the network", "ns", 1e9},
    [LOCAL_TRIP] = {"round trip over shared memory beside the network", "us", 1e6},
    [TRIP] = {"round trip over the network", "us", 1e6},
    [RATE] = {"requests and replies over the network", "k/s", 1e-3},
    [BULK_RATE] = {"8 kB requests over the network, answered", "MB/s", BULK * 1e-6},
};

struct setup {
    bool no_bell, listens;
    const char *polling;
    bool local; /**< destination 0 is reached through shared memory */
    int figure;
    char name[40], address[100];
};

static struct shared_address {
    _Atomic uint64_t ready;
    char text[100];
} * there; /**< in the pair's memory */

static uint64_t answers;

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

static void require(clump_endpoint *e, clump_protocol_status status)
{
    if (status == CLUMP_PROTOCOL_OK)
        return;
    fprintf(stderr, "bench: %s\n", clump_endpoint_message(e));
    _exit(1);
}

static clump_endpoint *open_as(const char *what, const struct setup *s)
{
    char name[40];
    snprintf(name, sizeof name, "bench-%s-%ld", what, (long)getpid());
    const clump_endpoint_options o = {
        .listen = s->listens ? "127.0.0.1:0" : NULL, .polling = s->polling, .no_bell = s->no_bell};
    clump_endpoint *e;
    require(e, clump_endpoint_open(name, &o, &e));
    clump_endpoint_set_tag(e, TAG);
    return e;
}

static void serve(struct pair *pair, void *context)
{
    const struct setup *s = context;
    clump_endpoint *e = open_as("server", s);
    there = (struct shared_address *)(void *)pair->memory;
    clump_endpoint_set_handler(e, 1, answer, NULL);
    snprintf(there->text, sizeof there->text, "bench-server-%ld%s%s", (long)getpid(),
             s->listens ? "@" : "", clump_endpoint_address(e));
    atomic_store(&there->ready, 1);
    atomic_store(&pair->ready, 1);
    while (atomic_load_explicit(&pair->stop, memory_order_relaxed) == 0)
        clump_endpoint_poll(e, 4, NULL);
    clump_endpoint_close(e);
}

static void send_and_wait(clump_endpoint *e, unsigned count, unsigned window, bool bulk)
{
    static const unsigned char data[BULK];
    const uint64_t before = answers;
    for (unsigned sent = 0; answers < before + count;) {
        if (sent < count && before + sent < answers + window) {
            require(e, bulk ? clump_endpoint_request_bulk(e, 0, 1, NULL, 0, data, BULK)
                            : clump_endpoint_request(e, 0, 1, (uint32_t[]){1, 2, 3, 4}, 4));
            sent++;
        }
        clump_endpoint_poll(e, 4, NULL);
    }
}

static double measure(struct pair *pair, void *context)
{
    struct setup *s = context;
    there = (struct shared_address *)(void *)pair->memory;
    while (atomic_load(&there->ready) == 0)
        usleep(100);
    clump_endpoint *e = open_as("client", s);
    clump_endpoint_set_handler(e, 1, count, NULL);
    char *at = strchr(there->text, '@');
    require(e, clump_endpoint_map(e, 0, s->local || !s->listens ? there->text : at, TAG));
    if (s->local && s->listens) /* and a session that is open beside */
        require(e, clump_endpoint_map(e, 1, at, TAG));
    answers = 0;
    send_and_wait(e, 50, 1, false);
    double times[MOST], parts = 20;
    for (int part = 0; part < parts; part++) { /* the median does not see who disturbed one */
        const double began = pair_seconds();
        switch (s->figure) {
        case EMPTY_LOCAL:
        case EMPTY:
            for (int i = 0; i < POLLS / parts; i++)
                clump_endpoint_poll(e, 4, NULL);
            times[part] = (pair_seconds() - began) / (POLLS / parts);
            break;
        case LOCAL_TRIP:
        case TRIP:
            send_and_wait(e, (unsigned)(TRIPS / parts), 1, false);
            times[part] = (pair_seconds() - began) / (TRIPS / parts);
            break;
        case RATE:
            send_and_wait(e, (unsigned)(MESSAGES / parts), 16, false);
            times[part] = MESSAGES / parts / (pair_seconds() - began);
            break;
        default:
            send_and_wait(e, (unsigned)(BULKS / parts), 16, true);
            times[part] = BULKS / parts / (pair_seconds() - began);
        }
    }
    clump_endpoint_close(e);
    return pair_median(times, (size_t)parts);
}

int main(void)
{
    static const struct {
        const char *name, *polling;
        bool no_bell;
    } ways[] = {{"bell, always", "always", false},
                {"calls, always", "always", true},
                {"bell, adaptive", "adaptive", false},
                {"calls, adaptive", "adaptive", true}};
    enum { WAYS = sizeof ways / sizeof *ways };
    static double values[FIGURES][WAYS][MOST];
    const char *wanted = getenv("BENCH_ROUNDS");
    int rounds = wanted != NULL ? atoi(wanted) : 5;
    rounds = rounds < 1 ? 1 : rounds > MOST ? MOST : rounds;
    for (int r = 0; r < rounds; r++)
        for (int f = 0; f < FIGURES; f++)
            for (int w = 0; w < WAYS; w++) {
                struct setup s = {.no_bell = ways[w].no_bell,
                                  .polling = ways[w].polling,
                                  .listens = f != EMPTY_LOCAL,
                                  .local = f == LOCAL_TRIP || f == EMPTY_LOCAL,
                                  .figure = f};
                values[f][w][r] = pair_run(serve, measure, &s, r % 2 != 0);
            }
    printf("The network over loopback, medians of %d rounds\n%-52s", rounds, "");
    for (int w = 0; w < WAYS; w++)
        printf("%16s", ways[w].name);
    printf("\n");
    for (int f = 0; f < FIGURES; f++) {
        printf("%-52s", figures[f].name);
        for (int w = 0; w < WAYS; w++)
            printf("%16.1f", pair_median(values[f][w], (size_t)rounds) * figures[f].scale);
        printf("  %s\n", figures[f].unit);
    }
    return 0;
}
