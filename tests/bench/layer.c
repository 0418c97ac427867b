/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/layer.h"
#include "protocols/endpoint/endpoint.h"
#include "tests/bench/pair.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TAG UINT64_C(42)
enum { BULK = 8192, OWN = 64, PARTS = 100 };

struct layer {
    const char *algorithm;
    unsigned count;
    char server[40], client[40];
};

struct counter {
    uint64_t messages;
    unsigned char *own;
};

static const uint32_t arguments[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void answer(clump_token *token, const clump_message *message, void *context)
{
    struct counter *counter = context;
    counter->messages++;
    clump_endpoint_reply(token, 1, message->arguments, message->count);
}

static void count(clump_token *token, const clump_message *message, void *context)
{
    struct counter *counter = context;
    (void)token, (void)message;
    counter->messages++;
}

static void copy(clump_token *token, const clump_message *message, void *context)
{
    struct counter *counter = context;
    (void)token;
    memcpy(counter->own + counter->messages++ % OWN * BULK, message->data, message->size);
}

static clump_endpoint *open_as(const char *name, const struct layer *layer)
{
    const clump_endpoint_options options = {.algorithm = layer->algorithm};
    clump_endpoint *e;
    if (clump_endpoint_open(name, &options, &e) != CLUMP_PROTOCOL_OK) {
        fprintf(stderr, "bench: %s\n", clump_endpoint_message(e));
        _exit(1);
    }
    clump_endpoint_set_tag(e, TAG);
    return e;
}

static void serve(struct pair *pair, void *context)
{
    const struct layer *layer = context;
    struct counter counter = {.own = malloc(OWN * BULK)};
    clump_endpoint *e = open_as(layer->server, layer);
    clump_endpoint_set_handler(e, 1, answer, &counter);
    clump_endpoint_set_handler(e, 2, count, &counter);
    clump_endpoint_set_handler(e, 3, copy, &counter);
    if (counter.own == NULL)
        _exit(1);
    memset(counter.own, 1, OWN * BULK);
    atomic_store(&pair->ready, 1);
    while (atomic_load_explicit(&pair->stop, memory_order_relaxed) == 0)
        clump_endpoint_poll(e, 16, NULL);
    clump_endpoint_close(e);
    free(counter.own);
}

/** What differs: send `messages`, be done when all have been handled. */
struct test {
    struct layer layer;
    uint64_t messages;
    clump_protocol_status (*send)(clump_endpoint *e, const struct test *test);
    bool wait_each, wait_all;
    unsigned char *data;
};

static clump_protocol_status send_short(clump_endpoint *e, const struct test *test)
{
    return clump_endpoint_request(e, 0, 1, arguments, test->layer.count);
}

static clump_protocol_status send_unanswered(clump_endpoint *e, const struct test *test)
{
    return clump_endpoint_request(e, 0, 2, arguments, test->layer.count);
}

static clump_protocol_status send_bulk(clump_endpoint *e, const struct test *test)
{
    return clump_endpoint_request_bulk(e, 0, 3, NULL, 0, test->data, BULK);
}

static double measure(struct pair *pair, void *context)
{
    struct test *test = context;
    struct counter replies = {0};
    clump_endpoint *e = open_as(test->layer.client, &test->layer);
    clump_endpoint_set_handler(e, 1, count, &replies);
    while (atomic_load(&pair->ready) == 0)
        ;
    clump_protocol_status status = clump_endpoint_map(e, 0, test->layer.server, TAG);
    struct pair_parts parts = {.count = 0};
    const uint64_t part = test->messages / PARTS;
    pair_part_begin(&parts);
    for (uint64_t n = 0; n < test->messages && status == CLUMP_PROTOCOL_OK; n++) {
        if (n % part == 0 && n > 0)
            pair_part_end(&parts);
        status = test->send(e, test);
        while (test->wait_each && replies.messages <= n)
            clump_endpoint_poll(e, 1, NULL);
    }
    /* The last one is answered and, queues being FIFO without overflow, was behind all others. */
    if (!test->wait_each && !test->wait_all && status == CLUMP_PROTOCOL_OK)
        status = clump_endpoint_request(e, 0, 1, NULL, 0);
    const uint64_t expected = test->wait_each || test->wait_all ? test->messages : 1;
    while (status == CLUMP_PROTOCOL_OK && replies.messages < expected)
        clump_endpoint_poll(e, 16, NULL);
    if (status != CLUMP_PROTOCOL_OK)
        fprintf(stderr, "bench: %s\n", clump_endpoint_message(e));
    clump_endpoint_close(e);
    return status == CLUMP_PROTOCOL_OK ? (double)part / pair_median(parts.times, parts.count) : NAN;
}

static double run(struct test test, const char *algorithm, unsigned count_of, bool swap)
{
    test.layer.algorithm = algorithm;
    test.layer.count = count_of;
    snprintf(test.layer.server, sizeof test.layer.server, "bench-%ld.server", (long)getpid());
    snprintf(test.layer.client, sizeof test.layer.client, "bench-%ld.client", (long)getpid());
    test.data = malloc(BULK);
    if (test.data == NULL)
        return NAN;
    memset(test.data, 7, BULK);
    const double rate = pair_run(serve, measure, &test, swap);
    free(test.data);
    return rate;
}

double layer_latency(const char *algorithm, unsigned count_of, bool swap)
{
    return 0.5e9 / run((struct test){.messages = 100000, .send = send_short, .wait_each = true},
                       algorithm, count_of, swap);
}

double layer_pairs(const char *algorithm, bool swap)
{
    return run((struct test){.messages = 300000, .send = send_short, .wait_all = true}, algorithm,
               8, swap);
}

double layer_one_way(const char *algorithm, bool swap)
{
    return run((struct test){.messages = 500000, .send = send_unanswered}, algorithm, 8, swap);
}

double layer_bulk(const char *algorithm, bool swap)
{
    return run((struct test){.messages = 20000, .send = send_bulk}, algorithm, 0, swap) * BULK;
}
