/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/preload/requests.h"
#include "recording/preload/members.h"

#include <stdlib.h>
#include <string.h>

#define NONE CLUMP_TABLE_NONE

static clump_followed_request *at(const clump_requests *requests, uint32_t place)
{
    return place != NONE ? (clump_followed_request *)requests->all.items + place : NULL;
}

clump_followed_request *clump_requests_find(const clump_requests *requests, uintptr_t handle)
{
    return at(requests, clump_table_get(&requests->by_handle, handle, 0));
}

clump_followed_request *clump_requests_last(clump_requests *requests, uintptr_t handle)
{
    clump_followed_request *first = clump_requests_find(requests, handle);
    return first != NULL ? at(requests, first->last) : NULL;
}

clump_followed_request *clump_requests_numbered(clump_requests *requests, uintptr_t handle,
                                                uint64_t number)
{
    clump_followed_request *first = clump_requests_find(requests, handle);
    for (clump_followed_request *each = first; each != NULL; each = at(requests, each->next))
        if (each->number == number)
            return each;
    return first;
}

/* What `members` of a request refers to goes with it. */
static void release(clump_followed_request *request)
{
    clump_members_drop(request->members);
    free((void *)request->neighbours.each);
}

static void give(clump_requests *requests, uint32_t place)
{
    at(requests, place)->used = false;
    clump_pool_give(&requests->all, place);
}

static void forget_all(clump_requests *requests, uintptr_t handle)
{
    uint32_t place = clump_table_get(&requests->by_handle, handle, 0);
    while (place != NONE) {
        clump_followed_request *request = at(requests, place);
        const uint32_t next = request->next;
        release(request);
        give(requests, place);
        place = next;
    }
    clump_table_remove(&requests->by_handle, handle, 0);
}

clump_followed_request *clump_requests_add(clump_requests *requests, uintptr_t handle, bool behind)
{
    if (handle == 0)
        return NULL;
    if (!behind)
        forget_all(requests, handle);
    requests->all.size = sizeof(clump_followed_request);
    const uint32_t first = clump_table_get(&requests->by_handle, handle, 0),
                   place = requests->all.in_use < CLUMP_REQUESTS_MOST
                               ? clump_pool_take(&requests->all)
                               : NONE;
    if (place == NONE)
        return NULL;
    clump_followed_request *request = at(requests, place);
    *request = (clump_followed_request){
        .handle = handle, .peer = -1, .tag = -1, .used = true, .next = NONE, .last = place};
    if (first != NONE) {
        at(requests, at(requests, first)->last)->next = place;
        at(requests, first)->last = place;
    } else if (!clump_table_put(&requests->by_handle, handle, 0, place)) {
        give(requests, place);
        return NULL;
    }
    return request;
}

void clump_requests_remove(clump_requests *requests, clump_followed_request *request)
{
    const uint32_t first = clump_table_get(&requests->by_handle, request->handle, 0);
    uint32_t place = (uint32_t)(request - at(requests, 0));
    const uint32_t next = request->next;
    release(request);
    if (place != first) {
        uint32_t before = first;
        while (at(requests, before)->next != place)
            before = at(requests, before)->next;
        at(requests, before)->next = next;
        if (next == NONE)
            at(requests, first)->last = before;
    } else if (next == NONE) {
        clump_table_remove(&requests->by_handle, request->handle, 0);
    } else { /* the next one takes its place, which stands in the table */
        const uint32_t last = request->last;
        *request = *at(requests, next);
        request->last = last == next ? first : last;
        place = next;
    }
    give(requests, place);
}

void clump_requests_free(clump_requests *requests)
{
    for (uint32_t i = 0; i < requests->all.count; i++)
        if (at(requests, i)->used)
            release(at(requests, i));
    clump_pool_clear(&requests->all);
    clump_table_clear(&requests->by_handle);
}

bool clump_requests_keep_messages(clump_requests *requests, clump_followed_request *request,
                                  const clump_neighbour_messages *messages)
{
    const size_t count = messages->sends + messages->receives;
    clump_neighbour_message *each = malloc((count + 1) * sizeof *each);
    if (each == NULL)
        return false;
    if (count > 0)
        memcpy(each, messages->each, count * sizeof *each);
    request->neighbours = (clump_neighbour_messages){messages->sends, messages->receives, each};
    if (count > requests->most_messages)
        requests->most_messages = count;
    return true;
}
