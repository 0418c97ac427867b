/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making, setting up and closing endpoints. */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *clump_endpoint_algorithm(unsigned index)
{
    const struct clump_queue_algorithm *algorithm = clump_queue_algorithm_at(index);
    return algorithm != NULL ? algorithm->name : NULL;
}

/* ---- how often polls look at the network (chapter 4) */

clump_protocol_status clump_endpoint_set_polling(clump_endpoint *e, const char *strategy,
                                                 const clump_polling_parameters *wanted)
{
    if (e->block.header == NULL || e->remote == NULL)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "this endpoint has no network to poll: it was opened without "
                                   "`listen`");
    const bool measured = strategy != NULL ? strcmp(strategy, "measured") == 0 : wanted == NULL;
    clump_polling_parameters p = measured         ? clump_polling_for(e->looks.cost)
                                 : wanted != NULL ? *wanted
                                                  : clump_polling_defaults();
    const char *wrong = clump_polling_check(&p);
    if (wrong == NULL && strategy != NULL && !measured &&
        clump_polling_parse(strategy, &p) != CLUMP_PROTOCOL_OK)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "polling \"%.60s\": expected measured, adaptive, always, "
                                   "fractional:K with K from 1 to %u, or adaptive:NAME=NUMBER,... "
                                   "with acceptance, a, d, k, s_min or s_max",
                                   strategy, p.damping);
    if (wrong == NULL)
        wrong = clump_polling_check(&p);
    if (wrong != NULL)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT, "polling: %s", wrong);
    clump_polling_start(&e->looks.polling, &p);
    return CLUMP_PROTOCOL_OK;
}

void clump_endpoint_isolate(struct clump_endpoint *e, bool local, bool network)
{
    if (!network && e->remote != NULL) {
        e->set_aside = e->remote;
        e->remote = NULL;
    } else if (network && e->set_aside != NULL) {
        e->remote = e->set_aside;
        e->set_aside = NULL;
    }
    e->network_only = !local && e->remote != NULL;
}

/** How many polls of shared memory a look at the network costs, while nothing can come yet: the
 * best of a few, for the system may take the processor away. */
static double measure(struct clump_endpoint *e)
{
    enum { TRIES = 8, POLLS = 64, LOOKS = 4 };
    uint64_t polls = UINT64_MAX, looks = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        clump_endpoint_isolate(e, true, false);
        const uint64_t began = clump_time_ns();
        for (int j = 0; j < POLLS; j++)
            clump_endpoint_accept(e, true, 1);
        const uint64_t middle = clump_time_ns();
        clump_endpoint_isolate(e, true, true);
        for (int j = 0; j < LOOKS; j++)
            clump_remote_poll_alone(e, true, 1);
        const uint64_t end = clump_time_ns();
        polls = middle - began < polls ? middle - began : polls;
        looks = end - middle < looks ? end - middle : looks;
    }
    return polls > 0 ? (double)looks / LOOKS * POLLS / (double)polls : 0;
}

/** Measure what a look costs, for endpoints that are not told how often to look; and poll as the
 *  options say. */
static clump_protocol_status fit_polling(struct clump_endpoint *e)
{
    e->looks.cost = measure(e);
    e->looks.count = 0;
    const clump_protocol_status status =
        clump_endpoint_set_polling(e, e->options.polling, e->options.polling_parameters);
    e->options.polling = NULL; /* the caller's memory */
    e->options.polling_parameters = NULL;
    return status;
}

/* ---- opening and closing */

static clump_protocol_status check_options(struct clump_endpoint *e,
                                           const struct clump_queue_algorithm **algorithm)
{
    clump_endpoint_options *o = &e->options;
    if (o->algorithm == NULL)
        o->algorithm = clump_queue_lock_free.name;
    if (o->length == 0)
        o->length = 4096;
    if (o->bulk_length == 0)
        o->bulk_length = 16;
    if (o->mode == 0)
        o->mode = 0600;
    if (o->backoff_first_us == 0)
        o->backoff_first_us = 1;
    if (o->backoff_limit_us == 0)
        o->backoff_limit_us = 15;
    if (o->send_timeout_ms == 0)
        o->send_timeout_ms = 5000;
    else if (o->send_timeout_ms == UINT32_MAX)
        o->send_timeout_ms = 0; /* as struct clump_waiter says "never" */
    if (o->recovery_ms == 0)
        o->recovery_ms = 100;
    if (o->patience_us == 0)
        o->patience_us = 20;
    *algorithm = clump_queue_algorithm_named(o->algorithm);
    if (*algorithm == NULL) {
        char names[160] = "";
        for (unsigned i = 0; clump_endpoint_algorithm(i) != NULL; i++) {
            strcat(names, i > 0 ? ", " : "");
            strcat(names, clump_endpoint_algorithm(i));
        }
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "there is no queue algorithm \"%.30s\"; there are %s",
                                   o->algorithm, names);
    }
    if (clump_block_bytes(o->length, o->bulk_length) == 0)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "queue lengths %u and %u: expected powers of two, 2 to 1048576 "
                                   "packets and 1 to 65536 bulk blocks",
                                   o->length, o->bulk_length);
    if (o->mode > 0777)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "mode 0%o: expected permissions, 0600 to 0777", o->mode);
    if (o->backoff_limit_us < o->backoff_first_us)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "backoff from %u to %u us: expected a limit that is not below "
                                   "the first delay",
                                   o->backoff_first_us, o->backoff_limit_us);
    return CLUMP_PROTOCOL_OK;
}

static void close_block(struct clump_endpoint *e)
{
    if (e->block.header == NULL)
        return;
    clump_segment_unlink_own(e->name, e->block.header);
    /* Release: pairs with clump_peer_alive. */
    atomic_store_explicit(&e->block.header->owner, 0, memory_order_release);
    munmap(e->block.header, e->block.size);
    e->block.header = NULL;
}

clump_protocol_status clump_endpoint_open(const char *name, const clump_endpoint_options *options,
                                          clump_endpoint **endpoint)
{
    struct clump_endpoint *e = calloc(1, sizeof *e);
    *endpoint = e;
    if (e == NULL)
        return CLUMP_PROTOCOL_FAILED;
    if (!clump_segment_name_is_good(name))
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "endpoint name \"%.60s\": expected 1 to %d letters, digits, "
                                   "'.', '_' or '-'",
                                   name != NULL ? name : "", CLUMP_NAME_BYTES - 1);
    memcpy(e->name, name, strlen(name) + 1);
    if (options != NULL)
        e->options = *options;
    const struct clump_queue_algorithm *algorithm;
    clump_protocol_status status = check_options(e, &algorithm);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    clump_endpoint_remove_stale(); /* else what killed processes leave would pile up */
    struct clump_block_header *header;
    size_t size = clump_block_bytes(e->options.length, e->options.bulk_length);
    status = clump_segment_create(name, size, e->options.mode, &header, e->message);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    header->space = clump_process_space();
    /* The owner first, so that a death from here on leaves a segment that can be told as stale. */
    atomic_store_explicit(&header->owner, clump_process_self(), memory_order_release);
    header->size = size;
    header->length = e->options.length;
    header->bulk_length = e->options.bulk_length;
    header->events = e->options.events;
    strncpy(header->algorithm, algorithm->name, sizeof header->algorithm - 1);
    e->options.algorithm = algorithm->name;
    clump_block_attach(&e->block, header, size, algorithm, header->length, header->bulk_length);
    clump_queue_initialise(&e->block.queues[CLUMP_REQUESTS]);
    clump_queue_initialise(&e->block.queues[CLUMP_REPLIES]);
    /* Zero memory: packets and blocks FREE, tag rejects all. Release: the block before its magic.
     */
    atomic_store_explicit(&header->magic, CLUMP_BLOCK_MAGIC, memory_order_release);
    if (e->options.listen == NULL)
        return CLUMP_PROTOCOL_OK;
    status = clump_remote_open(e);
    if (status == CLUMP_PROTOCOL_OK)
        status = fit_polling(e);
    if (status != CLUMP_PROTOCOL_OK) {
        clump_remote_close(e);
        close_block(e);
    }
    return status;
}

void clump_endpoint_close(clump_endpoint *e)
{
    if (e == NULL)
        return;
    for (unsigned i = 0; i < CLUMP_DESTINATIONS; i++)
        if (e->destinations[i].peer != NULL)
            clump_peer_put(e, e->destinations[i].peer);
    for (unsigned i = 0; i < CLUMP_SENDERS; i++)
        if (e->ways[i].peer != NULL)
            clump_peer_put(e, e->ways[i].peer);
    clump_endpoint_isolate(e, true, true);
    clump_remote_close(e);
    close_block(e);
    if (e->doorbell > 0)
        close(e->doorbell);
    free(e);
}

clump_protocol_status clump_endpoint_set_tag(clump_endpoint *e, uint64_t tag)
{
    clump_protocol_status status = clump_endpoint_check_open(e);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    e->tag = tag;
    /* Release: what the receiver set up before it admits senders; pairs with map and request. */
    atomic_store_explicit(&e->block.header->tag, tag, memory_order_release);
    if (e->remote != NULL)
        clump_remote_set_tag(e, tag);
    return CLUMP_PROTOCOL_OK;
}

void clump_endpoint_count(const clump_endpoint *e, clump_endpoint_statistics *statistics)
{
    const struct clump_queue *q = e->block.queues;
    *statistics = (clump_endpoint_statistics){.received = e->received,
                                              .refused = e->refused,
                                              .rejected = q[0].rejected + q[1].rejected,
                                              .recovered = q[0].recovered + q[1].recovered};
}

unsigned clump_endpoint_remove_stale(void)
{
    unsigned removed = 0;
    DIR *folder =
        opendir("/dev/shm"); /* Linux; elsewhere a name is cleaned when it is used again */
    if (folder == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strncmp(entry->d_name, "clump-", 6) == 0 &&
            clump_segment_name_is_good(entry->d_name + 6))
            removed += clump_segment_remove_stale(entry->d_name + 6);
    closedir(folder);
    return removed;
}
