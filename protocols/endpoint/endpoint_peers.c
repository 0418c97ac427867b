/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whom an endpoint can reach: blocks of other endpoints, mapped once and shared by destinations and
 * ways of return; and the table of destinations, which protocol leads to each.
 */
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void clump_block_attach(struct clump_block *block, struct clump_block_header *header, size_t size,
                        const struct clump_queue_algorithm *algorithm, uint32_t length,
                        uint32_t bulk_length)
{
    unsigned char *at = (unsigned char *)header + sizeof *header;
    block->header = header;
    block->size = size;
    block->places = (struct clump_sender_place *)at;
    at += CLUMP_SENDERS * sizeof *block->places;
    for (unsigned which = 0; which < 2; which++) {
        clump_queue_attach(&block->queues[which], algorithm, at, length, bulk_length, block->places,
                           which);
        at += clump_queue_bytes(length, bulk_length);
    }
}

bool clump_peer_alive(struct clump_peer *peer)
{
    if (peer->dead)
        return false;
    /* Acquire: pairs with the release in clump_endpoint_close. */
    uint64_t owner = atomic_load_explicit(&peer->block.header->owner, memory_order_acquire);
    if (owner == peer->owner && clump_process_alive(owner))
        return true;
    peer->dead = true;
    clump_segment_remove_stale(peer->name);
    return false;
}

void clump_peers_check(struct clump_endpoint *endpoint)
{
    for (struct clump_peer *peer = endpoint->peers; peer != NULL; peer = peer->next) {
        if (peer->fresh)
            clump_peer_alive(peer);
        peer->fresh = false;
    }
}

clump_protocol_status clump_peer_get(struct clump_endpoint *endpoint, const char *name,
                                     struct clump_peer **result)
{
    struct clump_peer *peer;
    for (peer = endpoint->peers; peer != NULL; peer = peer->next)
        if (strcmp(peer->name, name) == 0 && clump_peer_alive(peer)) {
            peer->uses++;
            *result = peer;
            return CLUMP_PROTOCOL_OK;
        }
    struct clump_block_header *header = NULL;
    size_t size = 0;
    clump_protocol_status status = clump_segment_map(name, &header, &size, endpoint->message);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    /* Read once: clump_segment_map has checked a copy; what counts is that ours fits the size. */
    uint32_t length = header->length, bulk_length = header->bulk_length;
    char algorithm_name[sizeof header->algorithm];
    memcpy(algorithm_name, header->algorithm, sizeof algorithm_name);
    algorithm_name[sizeof algorithm_name - 1] = '\0';
    const struct clump_queue_algorithm *algorithm = clump_queue_algorithm_named(algorithm_name);
    if (algorithm == NULL || clump_block_bytes(length, bulk_length) != size) {
        munmap(header, size);
        return clump_endpoint_fail(
            endpoint, CLUMP_PROTOCOL_FAILED,
            "endpoint %s uses the queue algorithm \"%s\", which this version does not know", name,
            algorithm_name);
    }
    peer = calloc(1, sizeof *peer);
    if (peer == NULL) {
        munmap(header, size);
        return clump_endpoint_fail(endpoint, CLUMP_PROTOCOL_FAILED, "no memory to map endpoint %s",
                                   name);
    }
    clump_block_attach(&peer->block, header, size, algorithm, length, bulk_length);
    peer->owner = atomic_load_explicit(&header->owner, memory_order_acquire);
    peer->events = header->events != 0;
    memcpy(peer->name, name, strlen(name) + 1);
    status = clump_sender_join(peer->block.places, endpoint->name, &peer->sender);
    if (status != CLUMP_PROTOCOL_OK) {
        munmap(header, size);
        free(peer);
        return clump_endpoint_fail(endpoint, status,
                                   "%d endpoints send to endpoint %s already: unmap one of them",
                                   CLUMP_SENDERS, name);
    }
    peer->uses = 1;
    peer->next = endpoint->peers;
    endpoint->peers = peer;
    *result = peer;
    return CLUMP_PROTOCOL_OK;
}

void clump_peer_put(struct clump_endpoint *endpoint, struct clump_peer *peer)
{
    if (--peer->uses > 0)
        return;
    for (struct clump_peer **at = &endpoint->peers; *at != NULL; at = &(*at)->next)
        if (*at == peer) {
            *at = peer->next;
            break;
        }
    clump_sender_leave(&peer->sender);
    munmap(peer->block.header, peer->block.size);
    free(peer);
}

/* ---- destinations */

static clump_protocol_status check_table(struct clump_endpoint *e, unsigned index)
{
    clump_protocol_status status = clump_endpoint_check_open(e);
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
