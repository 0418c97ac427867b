/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/account.h"

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
    clump_table_clear(&account->traffic_places);
    clump_table_clear(&account->collective_places);
    account->traffic = NULL;
    account->collectives = NULL;
    account->q_seconds = NULL;
    account->traffic_count = account->collective_count = account->q_count = 0;
    account->traffic_room = account->collective_room = 0;
}

/* ---- rows that are found by what they are about */

/* The row that `places` has for a and b, or a new one with what is in `key`; NULL: too many, or no memory. */
static void *row_of(clump_table *places, uint64_t a, uint64_t b, void **rows, size_t *count,
                    size_t *room, const void *key, size_t size)
{
    uint32_t at = clump_table_get(places, a, b);
    if (at == CLUMP_TABLE_NONE) {
        void *grown = *count < ROWS_MOST ? clump_list_grow(*rows, *count, room, size) : NULL;
        if (grown == NULL)
            return NULL;
        *rows = grown;
        at = (uint32_t)*count;
        if (!clump_table_put(places, a, b, at))
            return NULL;
        memcpy((char *)grown + at * size, key, size);
        ++*count;
    }
    return (char *)*rows + at * size;
}

static clump_account_traffic *traffic_row(clump_account *account, const clump_account_traffic *key)
{
    void *rows = account->traffic;
    clump_account_traffic *row =
        row_of(&account->traffic_places,
               (uint64_t)(uint32_t)key->peer << 32 | (uint64_t)key->kind << 8 | key->size_class, 0,
               &rows, &account->traffic_count, &account->traffic_room, key, sizeof *key);
    account->traffic = rows;
    return row;
}

static clump_account_collective *collective_row(clump_account *account,
                                                const clump_account_collective *key)
{
    void *rows = account->collectives;
    clump_account_collective *row =
        row_of(&account->collective_places, (uint64_t)key->communicator << 32 | (uint32_t)key->root,
               (uint64_t)key->kind << 16 | (uint64_t)key->size_class << 1 | key->nonblocking, &rows,
               &account->collective_count, &account->collective_room, key, sizeof *key);
    account->collectives = rows;
    return row;
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
        account->requests_now += call->requests;
        if (account->requests_now > account->requests_most)
            account->requests_most = account->requests_now;
        return;
    }
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
