/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/account.h"
#include "recording/pack.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Most rows of traffic, and of collectives; an account that has no room for more says that it is incomplete. */
enum { ROWS_MOST = 1 << 21 };

void clump_account_start(clump_account *account, double begin)
{
    memset(account, 0, sizeof *account);
    account->begin = account->end = account->requests_since = begin;
}

void clump_account_free(clump_account *account)
{
    free(account->traffic);
    free(account->collectives);
    free(account->q_seconds);
    free(account->traffic_index);
    free(account->collective_index);
    account->traffic = NULL;
    account->collectives = NULL;
    account->q_seconds = NULL;
    account->traffic_index = account->collective_index = NULL;
    account->traffic_count = account->collective_count = account->q_count = 0;
    account->traffic_slots = account->collective_slots = 0;
}

/* ---- rows that are found by what they are about */

static uint64_t mix(uint64_t bits)
{
    bits ^= bits >> 31;
    bits *= UINT64_C(0x9e3779b97f4a7c15);
    return bits ^ bits >> 29;
}

static uint64_t traffic_hash(const clump_account_traffic *row)
{
    return mix((uint64_t)(uint32_t)row->peer << 16 | (uint64_t)row->size_class << 4 |
               (uint64_t)row->kind);
}

static bool traffic_same(const clump_account_traffic *a, const clump_account_traffic *b)
{
    return a->peer == b->peer && a->kind == b->kind && a->size_class == b->size_class;
}

static uint64_t collective_hash(const clump_account_collective *row)
{
    return mix(mix((uint64_t)row->communicator << 32 | (uint32_t)row->root) ^
               ((uint64_t)row->kind << 16 | (uint64_t)row->size_class << 1 | row->nonblocking));
}

static bool collective_same(const clump_account_collective *a, const clump_account_collective *b)
{
    return a->kind == b->kind && a->nonblocking == b->nonblocking &&
           a->communicator == b->communicator && a->root == b->root &&
           a->size_class == b->size_class;
}

/* Room for one more row, and a hash table that is at most half full. Rows grow to twice as many, so
 * that both are made anew at the same time. */
static bool make_room(void **rows, size_t size, size_t count, uint32_t **table, size_t *slots)
{
    if (count < *slots / 2)
        return true;
    const size_t more = *slots > 0 ? *slots * 2 : 64;
    if (more / 2 > ROWS_MOST)
        return false;
    void *grown = realloc(*rows, more / 2 * size);
    if (grown == NULL)
        return false;
    *rows = grown;
    uint32_t *fresh = calloc(more, sizeof *fresh);
    if (fresh == NULL)
        return false;
    free(*table);
    *table = fresh;
    *slots = more;
    return true;
}

static clump_account_traffic *traffic_row(clump_account *account, const clump_account_traffic *key)
{
    const uint64_t hash = traffic_hash(key);
    for (;;) {
        const size_t mask = account->traffic_slots - 1;
        size_t slot = 0;
        if (account->traffic_slots > 0)
            for (slot = hash & mask; account->traffic_index[slot] != 0; slot = (slot + 1) & mask)
                if (traffic_same(&account->traffic[account->traffic_index[slot] - 1], key))
                    return &account->traffic[account->traffic_index[slot] - 1];
        const size_t before = account->traffic_slots;
        void *rows = account->traffic;
        const bool room = make_room(&rows, sizeof *key, account->traffic_count,
                                    &account->traffic_index, &account->traffic_slots);
        account->traffic = rows;
        if (!room)
            return NULL;
        if (account->traffic_slots == before) {
            account->traffic[account->traffic_count] = *key;
            account->traffic_index[slot] = (uint32_t)++account->traffic_count;
            return &account->traffic[account->traffic_count - 1];
        }
        for (size_t i = 0; i < account->traffic_count; i++) {
            size_t place = traffic_hash(&account->traffic[i]) & (account->traffic_slots - 1);
            while (account->traffic_index[place] != 0)
                place = (place + 1) & (account->traffic_slots - 1);
            account->traffic_index[place] = (uint32_t)i + 1;
        }
    }
}

static clump_account_collective *collective_row(clump_account *account,
                                                const clump_account_collective *key)
{
    const uint64_t hash = collective_hash(key);
    for (;;) {
        const size_t mask = account->collective_slots - 1;
        size_t slot = 0;
        if (account->collective_slots > 0)
            for (slot = hash & mask; account->collective_index[slot] != 0; slot = (slot + 1) & mask)
                if (collective_same(&account->collectives[account->collective_index[slot] - 1],
                                    key))
                    return &account->collectives[account->collective_index[slot] - 1];
        const size_t before = account->collective_slots;
        void *rows = account->collectives;
        const bool room = make_room(&rows, sizeof *key, account->collective_count,
                                    &account->collective_index, &account->collective_slots);
        account->collectives = rows;
        if (!room)
            return NULL;
        if (account->collective_slots == before) {
            account->collectives[account->collective_count] = *key;
            account->collective_index[slot] = (uint32_t)++account->collective_count;
            return &account->collectives[account->collective_count - 1];
        }
        for (size_t i = 0; i < account->collective_count; i++) {
            size_t place =
                collective_hash(&account->collectives[i]) & (account->collective_slots - 1);
            while (account->collective_index[place] != 0)
                place = (place + 1) & (account->collective_slots - 1);
            account->collective_index[place] = (uint32_t)i + 1;
        }
    }
}

/* ---- adding */

static void add_traffic(clump_account *account, clump_traffic_kind kind, int peer, uint64_t bytes)
{
    const clump_account_traffic key = {
        .peer = peer, .kind = kind, .size_class = clump_size_class(bytes)};
    clump_account_traffic *row = traffic_row(account, &key);
    if (row == NULL) {
        account->lost++;
        return;
    }
    row->messages++;
    row->bytes += bytes;
}

static void add_collective(clump_account *account, const clump_recorded_call *call, double seconds)
{
    const uint64_t most = call->bytes > call->bytes_received ? call->bytes : call->bytes_received;
    const clump_account_collective key = {.kind = call->kind,
                                          .nonblocking = call->nonblocking,
                                          .communicator = call->communicator,
                                          .root = call->peer,
                                          .size_class = clump_size_class(most)};
    clump_account_collective *row = collective_row(account, &key);
    if (row == NULL) {
        account->lost++;
        return;
    }
    row->calls += call->calls;
    row->bytes += call->bytes;
    row->bytes_received += call->bytes_received;
    row->seconds += seconds;
}

/* Time that was inside MPI and is not counted yet. */
static void add_inside(clump_account *account, double begin, double end)
{
    if (end > begin)
        account->inside += end - begin;
}

/*
 * Add [begin, end], which ends no earlier than what came before, to the stretches of time inside MPI: those that it covers go, and
 * one that reaches into it becomes part of it. Only what no other stretch covered is counted.
 */
static void add_stretch(clump_account *account, double begin, double end)
{
    double from = end;
    size_t n = account->stretches;
    while (n > 0 && account->stretch[n - 1].end > begin) {
        if (account->stretch[n - 1].end < from)
            add_inside(account, account->stretch[n - 1].end, from);
        if (account->stretch[n - 1].begin < from)
            from = account->stretch[n - 1].begin;
        n--;
    }
    if (from > begin)
        add_inside(account, begin, from);
    else
        begin = from;
    if (n == CLUMP_ACCOUNT_STRETCHES) {
        /* The oldest one is forgotten; a call that began before it still counts what lies behind. */
        memmove(account->stretch, account->stretch + 1, (--n) * sizeof *account->stretch);
    }
    account->stretch[n].begin = begin;
    account->stretch[n].end = end;
    account->stretches = n + 1;
}

/* Requests in flight, and what completed receives brought. */
static void add_requests(clump_account *account, const clump_recorded_call *call)
{
    account->requests_integral +=
        (double)account->requests_now * (account->end - account->requests_since);
    account->requests_since = account->end;
    if (!clump_call_completes(call)) {
        account->requests_started += call->requests;
        account->requests_now += call->requests;
        if (account->requests_now > account->requests_most)
            account->requests_most = account->requests_now;
        return;
    }
    account->requests_completed += call->requests;
    account->requests_now -=
        call->requests < account->requests_now ? call->requests : account->requests_now;
    for (uint32_t i = 0; i < call->requests; i++)
        if (call->request[i].kind == CLUMP_REQUEST_RECEIVE) {
            if (call->kind != CLUMP_CALL_NEIGHBOUR)
                account->kinds[call->kind].bytes_received += call->request[i].bytes;
            if (call->request[i].peer >= 0)
                add_traffic(account, CLUMP_TRAFFIC_RECEIVED, call->request[i].peer,
                            call->request[i].bytes);
        }
}

static void add_messages(clump_account *account, const clump_recorded_call *call)
{
    switch (call->kind) {
    case CLUMP_CALL_SEND:
    case CLUMP_CALL_ISEND:
    case CLUMP_CALL_SENDRECV:
    case CLUMP_CALL_PUT:
    case CLUMP_CALL_ACCUMULATE:
        if (call->peer >= 0) {
            const bool one_sided =
                call->kind == CLUMP_CALL_PUT || call->kind == CLUMP_CALL_ACCUMULATE;
            add_traffic(account, one_sided ? CLUMP_TRAFFIC_PUT : CLUMP_TRAFFIC_SENT, call->peer,
                        call->bytes);
            if (call->kind == CLUMP_CALL_ACCUMULATE && call->bytes_received > 0)
                add_traffic(account, CLUMP_TRAFFIC_GOT, call->peer, call->bytes_received);
        }
        if (call->kind == CLUMP_CALL_SENDRECV && call->peer_receive >= 0)
            add_traffic(account, CLUMP_TRAFFIC_RECEIVED, call->peer_receive, call->bytes_received);
        break;
    case CLUMP_CALL_RECEIVE:
        if (call->peer >= 0)
            add_traffic(account, CLUMP_TRAFFIC_RECEIVED, call->peer, call->bytes_received);
        break;
    case CLUMP_CALL_GET:
        if (call->peer >= 0)
            add_traffic(account, CLUMP_TRAFFIC_GOT, call->peer, call->bytes_received);
        break;
    default:
        break;
    }
}

void clump_account_add(clump_account *account, const clump_recorded_call *call)
{
    const double begin = call->begin > account->begin ? call->begin : account->begin;
    const double end = call->end > begin ? call->end : begin;
    clump_account_kind *kind = &account->kinds[call->kind];
    kind->calls += call->calls;
    kind->seconds += end - begin;
    /* What goes to neighbours counts with the call that sends it. */
    if (call->calls > 0 || call->tag != CLUMP_CALL_TAG_NEIGHBOUR)
        kind->bytes += call->bytes;
    kind->bytes_received += call->bytes_received;
    account->calls += call->calls;
    account->entries++;
    if (call->thread >= account->threads)
        account->threads = call->thread + 1;
    if (account->threads == 1 && begin >= account->stretch[0].end && account->stretches < 2) {
        /* One thread: nothing overlaps what comes later. */
        add_inside(account, begin, end);
        account->stretches = 1;
        account->stretch[0].begin = begin;
        account->stretch[0].end = end;
    } else
        add_stretch(account, begin, end);
    if (end > account->end)
        account->end = end;

    account->processor += call->processor;
    if (clump_call_is_collective(call->kind) &&
        (call->kind != CLUMP_CALL_NEIGHBOUR || clump_call_hides_messages(call)))
        add_collective(account, call, end - begin);
    add_messages(account, call);
    if (call->requests > 0)
        add_requests(account, call);
}

bool clump_account_count_q(clump_account *account, size_t ranks)
{
    double *seconds = calloc(ranks + 1, sizeof *seconds);
    if (seconds == NULL)
        return false;
    free(account->q_seconds);
    account->q_seconds = seconds;
    account->q_count = ranks + 1;
    return true;
}

void clump_account_q(clump_account *account, size_t q, double seconds)
{
    account->q_seconds[q] += seconds;
}
