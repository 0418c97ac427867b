/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A hostile sender: it maps the queue block of the receiver, as any sender does, and writes garbage
 * all over it while the receiver works; `make check` runs this with the address sanitizer. Messages
 * may be rejected or lost; the receiver must not read or write outside its block, must not hand a
 * handler more than 8 arguments or 8192 bytes, and must come back from every call.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <fcntl.h>
#include <sys/mman.h>

#include "tests/unit/children.h"

#define TAG UINT64_C(7)

static char server_name[40], client_name[40];
static volatile uint64_t sink;
static unsigned handled, out_of_range;

static int names(void **state)
{
    (void)state;
    snprintf(server_name, sizeof server_name, "hostile-%ld.server", (long)getpid());
    snprintf(client_name, sizeof client_name, "hostile-%ld.client", (long)getpid());
    return 0;
}

static void on_any(clump_token *token, const clump_message *message, void *context)
{
    (void)context;
    handled++;
    if (message->count > 8 || message->size > 8192 || message->handler > 255 ||
        (message->data == NULL) != (message->size == 0))
        out_of_range++;
    for (unsigned i = 0; i < message->count; i++)
        sink += message->arguments[i];
    for (size_t i = 0; i < message->size; i++)
        sink += ((const unsigned char *)message->data)[i];
    if (token != NULL && handled % 3 == 0)
        clump_endpoint_reply(token, 1, message->arguments, message->count);
}

static uint64_t random_state;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/** A word that is likely to do harm: a state, a link, a small or huge number. */
static uint64_t evil(void)
{
    uint64_t r = next_random();
    switch (r % 6) {
    case 0:
        return r;
    case 1:
        return r >> 20 & 0xff;
    case 2: /* ready, from some sender's place */
        return 2 + (r >> 8 & 1) + (r >> 9 & 1 ? 0x10000u | (r >> 12 & 0xf) << 4 : (r & 0xffff0));
    case 3:
        return UINT64_MAX - (r >> 30 & 0xf);
    case 4:
        return 0;
    default:
        return r & UINT64_C(0x1ff000001ff);
    }
}

static void scribble(struct clump_block *block)
{
    random_state = 88172645463325252u + (uint64_t)getpid();
    /* The queue data more often than the bulk data, which are only bytes. */
    uint64_t *words = (uint64_t *)block->header;
    size_t count = block->size / 8;
    for (;;) {
        for (int i = 0; i < 50; i++) {
            struct clump_queue *q = &block->queues[next_random() & 1];
            switch (next_random() % 6) {
            case 0:
                ((volatile uint64_t *)words)[next_random() % count] = evil();
                break;
            case 1:
                atomic_store(&q->packets[next_random() & q->mask].word, evil());
                break;
            case 2:
                ((volatile uint64_t *)&q->packets[next_random() & q->mask])[next_random() % 8] =
                    evil();
                break;
            case 3:
                ((volatile uint64_t *)&q->bulks[next_random() & q->bulk_mask])[next_random() & 1] =
                    evil();
                break;
            case 4:
                atomic_store(&q->claims[next_random() & q->mask], evil());
                break;
            default:
                ((volatile uint64_t *)q->tails)[next_random() % 2] = evil();
                break;
            }
        }
        if (next_random() % 8 == 0)
            pause_us(50);
    }
}

static void attack(const char *algorithm, double duration)
{
    clump_endpoint_options options = {.algorithm = algorithm,
                                      .length = 16,
                                      .bulk_length = 4,
                                      .recovery_ms = 2,
                                      .send_timeout_ms = 5};
    clump_endpoint *server, *client;
    assert_int_equal(clump_endpoint_open(server_name, &options, &server), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_endpoint_open(client_name, &options, &client), CLUMP_PROTOCOL_OK);
    clump_endpoint_set_tag(server, CLUMP_TAG_ACCEPT_ALL);
    clump_endpoint_set_tag(client, TAG);
    for (unsigned i = 0; i < 256; i += i < 4 ? 1 : 7) {
        clump_endpoint_set_handler(server, i, on_any, NULL);
        clump_endpoint_set_handler(client, i, on_any, NULL);
    }
    assert_int_equal(clump_endpoint_map(client, 0, server_name, TAG), CLUMP_PROTOCOL_OK);
    const pid_t child = fork_child();
    if (child == 0)
        scribble(&server->block); /* the mapping is shared over fork */
    handled = out_of_range = 0;
    const double began = seconds();
    clump_endpoint_statistics statistics = {0};
    double slowest = 0;
    unsigned char data[300] = {1};
    uint32_t arguments[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    /* For so long, and until some of it has been seen: that one may not have come to work. */
    for (unsigned i = 0; seconds() < began + duration || statistics.rejected == 0; i++) {
        assert_true(seconds() < began + PATIENCE);
        const double before = seconds();
        clump_endpoint_poll(server, 4, NULL);
        slowest = seconds() - before > slowest ? seconds() - before : slowest;
        clump_endpoint_count(server, &statistics);
        /* A sender that is honest suffers, but comes back, too. */
        if (i % 64 == 0)
            clump_endpoint_request(client, 0, 1, arguments, 8);
        if (i % 256 == 0)
            clump_endpoint_request_bulk(client, 0, 1, arguments, 3, data, sizeof data);
        clump_endpoint_poll(client, 1, NULL);
    }
    kill_child(child);
    assert_int_equal(out_of_range, 0);
    print_message("%s: %u handled, %lu rejected, slowest poll %.1f ms\n", algorithm, handled,
                  (unsigned long)statistics.rejected, slowest * 1e3);
    char path[60];
    clump_endpoint_close(client);
    clump_endpoint_close(server);
    snprintf(path, sizeof path, "/clump-%s", server_name);
    shm_unlink(path); /* the owner may have been scribbled over */
}

TEST(scribbles)
{
    for (unsigned i = 0; clump_endpoint_algorithm(i) != NULL; i++)
        /* A robust mutex is for senders that trust each other: see queue_locks.c. */
        if (strcmp(clump_endpoint_algorithm(i), "mutex") != 0)
            attack(clump_endpoint_algorithm(i), 0.3);
}

/* A packet that refers to the block of somebody else, or to none, is rejected; the block stays. */
static void refer_to_foreign_blocks(const char *algorithm)
{
    clump_endpoint_options options = {.algorithm = algorithm, .length = 4, .bulk_length = 2};
    clump_endpoint *server, *client;
    assert_int_equal(clump_endpoint_open(server_name, &options, &server), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_endpoint_open(client_name, &options, &client), CLUMP_PROTOCOL_OK);
    clump_endpoint_set_tag(server, TAG);
    clump_endpoint_set_handler(server, 1, on_any, NULL);
    assert_int_equal(clump_endpoint_map(client, 0, server_name, TAG), CLUMP_PROTOCOL_OK);
    struct clump_queue *q = &server->block.queues[CLUMP_REQUESTS];
    unsigned char data[10] = {1};
    static const uint16_t bad_blocks[] = {1, 2, UINT16_MAX};
    for (unsigned i = 0; i < 3; i++) {
        handled = 0;
        clump_endpoint_request_bulk(client, 0, 1, NULL, 0, data, sizeof data);
        q->packets[i].block = bad_blocks[i] == 1 ? q->packets[i].block ^ 1 : bad_blocks[i];
        clump_endpoint_poll(server, 1, NULL);
        assert_int_equal(handled, 0);
        assert_int_equal(q->rejected, i + 1);
        /* Its block is in the hands of a living sender: free it, as that sender never will. */
        clump_bulk_release(q, i & 1);
    }
    static const uint16_t bad_sizes[] = {0, 8193, UINT16_MAX};
    for (unsigned i = 0; i < 3; i++) {
        clump_endpoint_request_bulk(client, 0, 1, NULL, 0, data, sizeof data);
        q->packets[(i + 3) & 3].size = bad_sizes[i];
        clump_endpoint_poll(server, 1, NULL);
        assert_int_equal(handled, 0);
        assert_int_equal(q->rejected, i + 4);
    }
    assert_int_equal(clump_endpoint_request_bulk(client, 0, 1, NULL, 0, data, sizeof data),
                     CLUMP_PROTOCOL_OK);
    clump_endpoint_poll(server, 1, NULL);
    assert_int_equal(handled, 1);
    clump_endpoint_close(client);
    clump_endpoint_close(server);
}

TEST(foreign_blocks)
{
    refer_to_foreign_blocks("lock-free");
    refer_to_foreign_blocks("test-set");
}

UNIT_MAIN(names, NULL)
