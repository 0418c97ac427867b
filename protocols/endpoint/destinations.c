/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of destinations: which endpoint each stands for, and which protocol leads there. */
#include "protocols/endpoint/endpoint_private.h"

#include <string.h>

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
