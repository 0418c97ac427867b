/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/preload/requests.h"
#include "recording/preload/members.h"

#include <stdlib.h>
#include <string.h>

static size_t place(const clump_requests *requests, uintptr_t handle)
{
    const uint64_t bits = (uint64_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(bits >> 32) & (requests->size - 1);
}

clump_followed_request *clump_requests_find(clump_requests *requests, uintptr_t handle)
{
    if (requests->count == 0)
        return NULL;
    for (size_t i = place(requests, handle); requests->slot[i].handle != 0;
         i = (i + 1) & (requests->size - 1))
        if (requests->slot[i].handle == handle)
            return &requests->slot[i];
    return NULL;
}

clump_followed_request *clump_requests_last(clump_requests *requests, uintptr_t handle)
{
    clump_followed_request *first = clump_requests_find(requests, handle);
    return first != NULL && first->next != NULL ? first->last : first;
}

clump_followed_request *clump_requests_numbered(clump_requests *requests, uintptr_t handle,
                                                uint64_t number)
{
    clump_followed_request *first = clump_requests_find(requests, handle);
    for (clump_followed_request *each = first; each != NULL; each = each->next)
        if (each->number == number)
            return each;
    return first;
}

static clump_followed_request *put(clump_requests *requests, uintptr_t handle)
{
    size_t i = place(requests, handle);
    while (requests->slot[i].handle != 0)
        i = (i + 1) & (requests->size - 1);
    return &requests->slot[i];
}

static bool grow(clump_requests *requests)
{
    clump_requests larger = {.size = requests->size > 0 ? 2 * requests->size : 256,
                             .count = requests->count,
                             .most_messages = requests->most_messages};
    if (larger.size > 2 * (size_t)CLUMP_REQUESTS_MOST)
        return false;
    larger.slot = calloc(larger.size, sizeof *larger.slot);
    if (larger.slot == NULL)
        return false;
    for (size_t i = 0; i < requests->size; i++)
        if (requests->slot[i].handle != 0)
            *put(&larger, requests->slot[i].handle) = requests->slot[i];
    free(requests->slot);
    *requests = larger;
    return true;
}

/* What `members` of a request refers to goes with it. */
static void release(clump_followed_request *request)
{
    if (request->members != NULL)
        clump_members_drop(request->members);
    free((void *)request->neighbours.each);
}

static void drop_followers(clump_requests *requests, clump_followed_request *request)
{
    while (request->next != NULL) {
        clump_followed_request *next = request->next;
        request->next = next->next;
        release(next);
        free(next);
        requests->count--;
    }
}

static clump_followed_request *append(clump_requests *requests, clump_followed_request *first)
{
    if (requests->count >= CLUMP_REQUESTS_MOST)
        return NULL;
    clump_followed_request *request = malloc(sizeof *request);
    if (request == NULL)
        return NULL;
    if (first->next == NULL)
        first->next = request;
    else
        first->last->next = request;
    first->last = request;
    requests->count++;
    return request;
}

clump_followed_request *clump_requests_add(clump_requests *requests, uintptr_t handle, bool behind)
{
    if (handle == 0)
        return NULL;
    clump_followed_request *request = clump_requests_find(requests, handle);
    if (request != NULL && behind)
        request = append(requests, request);
    else if (request != NULL) {
        drop_followers(requests, request);
        release(request);
    } else {
        if (requests->count >= CLUMP_REQUESTS_MOST ||
            (2 * (requests->count + 1) > requests->size && !grow(requests)))
            return NULL;
        request = put(requests, handle);
        requests->count++;
    }
    if (request == NULL)
        return NULL;
    memset(request, 0, sizeof *request);
    request->handle = handle;
    request->peer = request->tag = -1;
    return request;
}

/* One behind the first of its handle. */
static void unlink_follower(clump_requests *requests, clump_followed_request *first,
                            clump_followed_request *request)
{
    clump_followed_request *before = first;
    while (before->next != request)
        before = before->next;
    before->next = request->next;
    if (first->last == request)
        first->last = before;
    release(request);
    free(request);
    requests->count--;
}

/* Those behind it that would be found no more move up: no marks of what was removed pile up. */
void clump_requests_remove(clump_requests *requests, clump_followed_request *request)
{
    const size_t mask = requests->size - 1;
    clump_followed_request *first = clump_requests_find(requests, request->handle);
    if (first != request) {
        unlink_follower(requests, first, request);
        return;
    }
    size_t hole = (size_t)(request - requests->slot);
    release(request);
    requests->count--;
    if (request->next != NULL) {
        clump_followed_request *next = request->next, *last = request->last;
        *request = *next;
        request->last = last;
        free(next);
        return;
    }
    for (size_t i = (hole + 1) & mask; requests->slot[i].handle != 0; i = (i + 1) & mask) {
        const size_t home = place(requests, requests->slot[i].handle);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            requests->slot[hole] = requests->slot[i];
            hole = i;
        }
    }
    requests->slot[hole].handle = 0;
}

void clump_requests_free(clump_requests *requests)
{
    for (size_t i = 0; i < requests->size; i++)
        if (requests->slot[i].handle != 0) {
            drop_followers(requests, &requests->slot[i]);
            release(&requests->slot[i]);
        }
    free(requests->slot);
    memset(requests, 0, sizeof *requests);
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
