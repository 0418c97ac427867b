/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accounts as bytes of a file. */
#include "recording/account.h"
#include "recording/pack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Least bytes of a row, which bound how many there can be. */
enum { TRAFFIC_LEAST = 5, COLLECTIVE_LEAST = 16 };

size_t clump_account_pack(const clump_account *account, unsigned char *bytes, size_t capacity)
{
    const clump_account *a = account;
    clump_packer p = {.bytes = bytes, .capacity = capacity};
    clump_pack_real(&p, a->begin);
    clump_pack_real(&p, a->end);
    clump_pack_real(&p, a->inside);
    clump_pack_real(&p, a->processor);
    clump_pack_number(&p, a->calls);
    clump_pack_number(&p, a->entries);
    clump_pack_number(&p, a->threads);
    clump_pack_number(&p, CLUMP_CALL_KINDS);
    for (size_t i = 0; i < CLUMP_CALL_KINDS; i++) {
        clump_pack_number(&p, a->kinds[i].calls);
        clump_pack_real(&p, a->kinds[i].seconds);
        clump_pack_number(&p, a->kinds[i].bytes);
        clump_pack_number(&p, a->kinds[i].bytes_received);
    }
    clump_pack_number(&p, a->traffic_count);
    for (size_t i = 0; i < a->traffic_count; i++) {
        const clump_account_traffic *row = &a->traffic[i];
        clump_pack_signed(&p, row->peer);
        clump_pack_byte(&p, row->kind);
        clump_pack_byte(&p, row->size_class);
        clump_pack_number(&p, row->messages);
        clump_pack_number(&p, row->bytes);
    }
    clump_pack_number(&p, a->collective_count);
    for (size_t i = 0; i < a->collective_count; i++) {
        const clump_account_collective *row = &a->collectives[i];
        clump_pack_byte(&p, row->kind);
        clump_pack_byte(&p, row->nonblocking);
        clump_pack_number(&p, row->communicator);
        clump_pack_signed(&p, row->root);
        clump_pack_byte(&p, row->size_class);
        clump_pack_number(&p, row->calls);
        clump_pack_number(&p, row->bytes);
        clump_pack_number(&p, row->bytes_received);
        clump_pack_real(&p, row->seconds);
    }
    clump_pack_number(&p, a->q_count);
    for (size_t i = 0; i < a->q_count; i++)
        clump_pack_real(&p, a->q_seconds[i]);
    clump_pack_number(&p, a->q_dead);
    clump_pack_number(&p, a->q_mistrusted);
    for (int i = 0; i < 2; i++) /* no requests started and completed, which earlier versions had */
        clump_pack_number(&p, 0);
    clump_pack_number(&p, a->requests_lost);
    clump_pack_number(&p, a->requests_most);
    clump_pack_real(&p, a->requests_integral);
    clump_pack_real(&p, 0); /* no series of windows, and no marks, which earlier versions had */
    for (int i = 0; i < 3; i++)
        clump_pack_number(&p, 0);
    clump_pack_number(&p, a->traced_entries);
    clump_pack_number(&p, a->traced_calls);
    clump_pack_real(&p, a->trace_end);
    clump_pack_number(&p, (uint64_t)a->write_error);
    clump_pack_number(&p, a->lost);
    clump_pack_real(&p, a->elsewhere);
    clump_pack_real(&p, a->delayed);
    return p.length;
}

/* A number of rows of which each takes at least so many bytes. */
static size_t rows(clump_unpacker *u, size_t least)
{
    return (size_t)clump_unpack_limited(u, (u->length - u->at) / least);
}

static void unpack_totals(clump_account *a, clump_unpacker *u)
{
    a->begin = clump_unpack_real(u);
    a->end = clump_unpack_real(u);
    a->inside = clump_unpack_real(u);
    a->processor = clump_unpack_real(u);
    a->calls = clump_unpack_number(u);
    a->entries = clump_unpack_number(u);
    a->threads = (uint32_t)clump_unpack_limited(u, UINT32_MAX);
    const size_t kinds = (size_t)clump_unpack_limited(u, CLUMP_CALL_KINDS);
    for (size_t i = 0; i < kinds; i++) {
        a->kinds[i].calls = clump_unpack_number(u);
        a->kinds[i].seconds = clump_unpack_real(u);
        a->kinds[i].bytes = clump_unpack_number(u);
        a->kinds[i].bytes_received = clump_unpack_number(u);
    }
}

static bool unpack_traffic(clump_account *a, clump_unpacker *u)
{
    const size_t count = rows(u, TRAFFIC_LEAST);
    a->traffic = calloc(count + 1, sizeof *a->traffic);
    if (a->traffic == NULL)
        return false;
    for (a->traffic_count = 0; a->traffic_count < count && !u->bad; a->traffic_count++) {
        clump_account_traffic *row = &a->traffic[a->traffic_count];
        row->peer = clump_unpack_int(u, -1);
        row->kind = clump_unpack_limited(u, CLUMP_TRAFFIC_KINDS - 1);
        row->size_class = (unsigned)clump_unpack_limited(u, CLUMP_SIZE_CLASSES - 1);
        row->messages = clump_unpack_number(u);
        row->bytes = clump_unpack_number(u);
    }
    return true;
}

static bool unpack_collectives(clump_account *a, clump_unpacker *u)
{
    const size_t count = rows(u, COLLECTIVE_LEAST);
    a->collectives = calloc(count + 1, sizeof *a->collectives);
    if (a->collectives == NULL)
        return false;
    for (a->collective_count = 0; a->collective_count < count && !u->bad; a->collective_count++) {
        clump_account_collective *row = &a->collectives[a->collective_count];
        row->kind = clump_unpack_limited(u, CLUMP_CALL_NEIGHBOUR);
        if (row->kind < CLUMP_CALL_BARRIER && !u->bad) {
            u->bad = true;
            u->bad_at = u->at - 1;
        }
        row->nonblocking = clump_unpack_limited(u, 1) != 0;
        row->communicator = (uint32_t)clump_unpack_limited(u, UINT32_MAX);
        row->root = clump_unpack_int(u, -1);
        row->size_class = (unsigned)clump_unpack_limited(u, CLUMP_SIZE_CLASSES - 1);
        row->calls = clump_unpack_number(u);
        row->bytes = clump_unpack_number(u);
        row->bytes_received = clump_unpack_number(u);
        row->seconds = clump_unpack_real(u);
    }
    return true;
}

static bool unpack_histogram(clump_account *a, clump_unpacker *u)
{
    const size_t count = rows(u, sizeof(double));
    if (count > 0 && !clump_account_count_q(a, count - 1))
        return false;
    for (size_t i = 0; i < count; i++)
        a->q_seconds[i] = clump_unpack_real(u);
    a->q_dead = (uint32_t)clump_unpack_limited(u, UINT32_MAX);
    a->q_mistrusted = (uint32_t)clump_unpack_limited(u, UINT32_MAX);
    return true;
}

static void unpack_requests(clump_account *a, clump_unpacker *u)
{
    for (int i = 0; i < 2; i++)
        clump_unpack_number(u);
    a->requests_lost = clump_unpack_number(u);
    a->requests_most = clump_unpack_number(u);
    a->requests_integral = clump_unpack_real(u);
}

/* Of earlier versions: a series of windows, three times and three numbers each, and marks of the program. */
static void skip_series(clump_unpacker *u)
{
    enum { WINDOWS = 512, MARKS = 4096 };
    clump_unpack_real(u);
    for (uint64_t left = clump_unpack_limited(u, WINDOWS); left > 0; left--) {
        for (int i = 0; i < 3; i++)
            clump_unpack_real(u);
        for (int i = 0; i < 3; i++)
            clump_unpack_number(u);
    }
    clump_unpack_number(u);
    for (uint64_t left = clump_unpack_limited(u, MARKS); left > 0; left--) {
        clump_unpack_real(u);
        clump_unpack_int(u, INT_MIN);
    }
}

static void unpack_trace(clump_account *a, clump_unpacker *u)
{
    a->traced_entries = clump_unpack_number(u);
    a->traced_calls = clump_unpack_number(u);
    a->trace_end = clump_unpack_real(u);
    a->write_error = (int)clump_unpack_limited(u, INT_MAX);
    a->lost = clump_unpack_number(u);
    if (u->at < u->length) { /* earlier versions end here, or are padded with zeroes */
        a->elsewhere = clump_unpack_real(u);
        a->delayed = clump_unpack_real(u);
    }
}

size_t clump_account_unpack(clump_account *account, const unsigned char *bytes, size_t length)
{
    clump_unpacker u = {.bytes = bytes, .length = length};
    clump_account_start(account, 0);
    unpack_totals(account, &u);
    if (!unpack_traffic(account, &u) || !unpack_collectives(account, &u) ||
        !unpack_histogram(account, &u)) {
        clump_account_free(account);
        return SIZE_MAX;
    }
    unpack_requests(account, &u);
    skip_series(&u);
    unpack_trace(account, &u);
    if (!u.bad)
        return 0;
    clump_account_free(account);
    return u.bad_at + 1;
}
