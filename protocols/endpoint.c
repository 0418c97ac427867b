/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Making, setting up and closing endpoints; messages.c moves what they send. */
#include "protocols/endpoint_private.h"
#include "protocols/process.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const char *clump_protocol_status_text(clump_protocol_status status)
{
    static const char *const text[] = {"ok",      "bad input",  "not found",  "in use",
                                       "bad tag", "no handler", "timed out",  "peer dead",
                                       "failed",  "blocked",    "bad packet", "bad version"};
    return (unsigned)status < sizeof text / sizeof *text ? text[status] : "unknown status";
}

clump_protocol_status clump_endpoint_fail(struct clump_endpoint *endpoint,
                                          clump_protocol_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(endpoint->message, sizeof endpoint->message, format, arguments);
    va_end(arguments);
    return status;
}

const char *clump_endpoint_algorithm(unsigned index)
{
    const struct clump_queue_algorithm *algorithm = clump_queue_algorithm_at(index);
    return algorithm != NULL ? algorithm->name : NULL;
}

const char *clump_endpoint_message(const clump_endpoint *endpoint)
{
    return endpoint != NULL ? endpoint->message : "no memory for an endpoint";
}

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
    if (status != CLUMP_PROTOCOL_OK)
        close_block(e);
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
    free(e);
}

/** What every call checks first. */
static clump_protocol_status check_open(struct clump_endpoint *e)
{
    if (e->block.header == NULL)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "the endpoint is not open: clump_endpoint_open failed");
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_endpoint_set_tag(clump_endpoint *e, uint64_t tag)
{
    clump_protocol_status status = check_open(e);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    e->tag = tag;
    /* Release: what the receiver set up before it admits senders; pairs with map and request. */
    atomic_store_explicit(&e->block.header->tag, tag, memory_order_release);
    if (e->remote != NULL)
        clump_remote_set_tag(e, tag);
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_endpoint_set_handler(clump_endpoint *e, unsigned index,
                                                 clump_handler handler, void *context)
{
    if (index >= CLUMP_HANDLERS)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT, "handler %u: expected 0 to %d",
                                   index, CLUMP_HANDLERS - 1);
    e->handlers[index].call = handler;
    e->handlers[index].context = context;
    return CLUMP_PROTOCOL_OK;
}

static clump_protocol_status check_table(struct clump_endpoint *e, unsigned index)
{
    clump_protocol_status status = check_open(e);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    if (e->handling > 0)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "a handler cannot change the table of destinations");
    if (index >= CLUMP_DESTINATIONS)
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT, "destination %u: expected 0 to %d",
                                   index, CLUMP_DESTINATIONS - 1);
    return CLUMP_PROTOCOL_OK;
}

/** What the destination stood for, it no longer does. */
static void release(struct clump_endpoint *e, struct clump_destination *destination)
{
    if (destination->peer != NULL)
        clump_peer_put(e, destination->peer);
    if (destination->remote)
        clump_remote_unmap(e, destination->session);
    *destination = (struct clump_destination){.peer = NULL};
}

clump_protocol_status clump_endpoint_unmap(clump_endpoint *e, unsigned index)
{
    clump_protocol_status status = check_table(e, index);
    if (status == CLUMP_PROTOCOL_OK)
        release(e, &e->destinations[index]);
    return status;
}

static clump_protocol_status map_local(struct clump_endpoint *e, const char *name, uint64_t tag,
                                       struct clump_destination *destination)
{
    if (!clump_segment_name_is_good(name))
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_INPUT,
                                   "endpoint name \"%.60s\": expected 1 to %d letters, digits, "
                                   "'.', '_' or '-', and @HOST:PORT if it is on another machine",
                                   name != NULL ? name : "", CLUMP_NAME_BYTES - 1);
    struct clump_peer *peer;
    clump_protocol_status status = clump_peer_get(e, name, &peer);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    /* Acquire: pairs with clump_endpoint_set_tag. */
    uint64_t theirs = atomic_load_explicit(&peer->block.header->tag, memory_order_acquire);
    if (theirs != CLUMP_TAG_ACCEPT_ALL && (theirs != tag || tag == CLUMP_TAG_REJECT_ALL)) {
        clump_peer_put(e, peer);
        return clump_endpoint_fail(e, CLUMP_PROTOCOL_BAD_TAG,
                                   theirs == CLUMP_TAG_REJECT_ALL
                                       ? "endpoint %s rejects all messages (has it set its tag?)"
                                       : "endpoint %s does not accept this tag",
                                   name);
    }
    *destination = (struct clump_destination){.peer = peer, .tag = tag};
    return CLUMP_PROTOCOL_OK;
}

/** "NAME@HOST:PORT": who answers there decides which protocol it will be. */
static clump_protocol_status map_remote(struct clump_endpoint *e, const char *name, uint64_t tag,
                                        struct clump_destination *destination)
{
    const char *at = strrchr(name, '@');
    unsigned session;
    bool same_machine;
    clump_protocol_status status = clump_remote_map(e, at + 1, tag, &session, &same_machine);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    char local[CLUMP_NAME_BYTES] = "";
    if (at - name < CLUMP_NAME_BYTES)
        memcpy(local, name, (size_t)(at - name));
    if (same_machine && local[0] != '\0' &&
        map_local(e, local, tag, destination) == CLUMP_PROTOCOL_OK) {
        clump_remote_unmap(e, session);
        return CLUMP_PROTOCOL_OK;
    }
    *destination = (struct clump_destination){.remote = true, .session = session, .tag = tag};
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_endpoint_map(clump_endpoint *e, unsigned index, const char *name,
                                         uint64_t tag)
{
    clump_protocol_status status = check_table(e, index);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    struct clump_destination destination;
    status = name != NULL && strchr(name, '@') != NULL ? map_remote(e, name, tag, &destination)
                                                       : map_local(e, name, tag, &destination);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    release(e, &e->destinations[index]);
    e->destinations[index] = destination;
    return CLUMP_PROTOCOL_OK;
}

bool clump_endpoint_is_local(const clump_endpoint *e, unsigned destination)
{
    return destination < CLUMP_DESTINATIONS && e->destinations[destination].peer != NULL;
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
