/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks sent, from their accounts: each its own messages, those of collectives by the algorithms of its library. */
#include "recording/report_traffic.h"

#include "recording/recorded_collectives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITSELF, SAME_NODE, OTHER_NODE, PLACES, POINT_TO_POINT = CLUMP_CALL_KINDS, PUT, GET, KINDS };

typedef struct adder {
    const clump_recording *recording;
    clump_mpi_library library;
    size_t *node; /* of each rank */
    size_t ranks;
    struct {
        double messages, bytes;
    } sums[KINDS][PLACES];
    double left_out; /* calls that are not taken apart */
    /* the collective in hand */
    const uint32_t *members;
    unsigned kind;
    uint32_t index;
    double calls;
} adder;

static void add(adder *a, unsigned kind, size_t from, size_t to, double messages, double bytes)
{
    const int where = from == to ? ITSELF : a->node[from] == a->node[to] ? SAME_NODE : OTHER_NODE;
    a->sums[kind][where].messages += messages;
    a->sums[kind][where].bytes += bytes;
}

/* Messages are counted by their senders; those of a sender of which nothing is known by their receivers. */
static void add_own(adder *a, size_t rank, const clump_account_traffic *t)
{
    static const unsigned kinds[CLUMP_TRAFFIC_KINDS] = {[CLUMP_TRAFFIC_SENT] = POINT_TO_POINT,
                                                        [CLUMP_TRAFFIC_RECEIVED] = POINT_TO_POINT,
                                                        [CLUMP_TRAFFIC_PUT] = PUT,
                                                        [CLUMP_TRAFFIC_GOT] = GET};
    if (t->peer < 0 || (size_t)t->peer >= a->ranks || t->kind >= CLUMP_TRAFFIC_KINDS)
        return;
    const size_t peer = (size_t)t->peer;
    if (t->kind == CLUMP_TRAFFIC_RECEIVED && !clump_recording_rank_of(a->recording, peer).missing)
        return;
    add(a, kinds[t->kind], rank, peer, (double)t->messages, (double)t->bytes);
}

/* Of all calls as a clump_collective_operation has them, as this rank sees them. */
static double bytes_of(const clump_account_collective *c, double members)
{
    const double bytes = (double)c->bytes, received = (double)c->bytes_received;
    switch (c->kind) {
    case CLUMP_CALL_BARRIER:
        return 0;
    case CLUMP_CALL_GATHER:
        return received > 0 ? received / members : bytes;
    case CLUMP_CALL_SCATTER:
        return bytes > 0 ? bytes / members : received;
    case CLUMP_CALL_ALLGATHER:
        return received / members;
    case CLUMP_CALL_ALLTOALL:
        return bytes / members;
    default:
        return fmax(bytes, c->kind == CLUMP_CALL_BROADCAST ? received : 0);
    }
}

static int take_message(void *context, const clump_collective_message *message)
{
    adder *a = context;
    if (message->from == a->index)
        add(a, a->kind, a->members[message->from], a->members[message->to], a->calls,
            a->calls * (double)message->bytes);
    return 0;
}

static uint32_t index_in(clump_recording_members members, uint32_t rank)
{
    uint32_t i = 0;
    while (i < members.count && members.ranks[i] != rank)
        i++;
    return i;
}

static bool add_collective(adder *a, size_t rank, const clump_account_collective *c)
{
    clump_recording_members members = {NULL, 0, 0};
    if (c->communicator < clump_recording_describe(a->recording).communicators)
        members = clump_recording_communicator(a->recording, c->communicator);
    const double each = c->calls > 0 && members.count > 0
                            ? bytes_of(c, (double)members.count) / (double)c->calls
                            : 0;
    clump_collective_operation o = {.kind = recorded_collective_kind(c->kind),
                                    .ranks = (uint32_t)members.count,
                                    .root = c->root >= 0 ? index_in(members, (uint32_t)c->root) : 0,
                                    .bytes = each < 9e18 ? (uint64_t)llround(each) : UINT64_MAX};
    a->members = members.ranks;
    a->index = index_in(members, (uint32_t)rank);
    a->kind = c->kind;
    a->calls = (double)c->calls;
    if (o.kind == CLUMP_COLLECTIVE_KINDS || a->index == members.count || o.root >= o.ranks) {
        a->left_out += a->calls;
        return true;
    }
    uint32_t *node = malloc((members.count + 1) * sizeof *node);
    clump_collective_places *places = NULL;
    for (size_t i = 0; node != NULL && i < members.count; i++)
        node[i] = (uint32_t)a->node[members.ranks[i]];
    const bool made =
        node != NULL && clump_collective_places_make(o.ranks, node, &places, NULL) == CLUMP_OK;
    free(node);
    if (!made)
        return false;
    o.places = places;
    o.algorithm = clump_collective_choose(a->library, &o);
    if (clump_collective_check(&o, NULL) == CLUMP_OK)
        clump_collective_visit(&o, a->index, take_message, a);
    else
        a->left_out += a->calls;
    clump_collective_places_free(places);
    return true;
}

static int by_bytes(const void *a, const void *b)
{
    const clump_report_traffic *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes) - (x->bytes > y->bytes)
                                : strcmp(x->kind, y->kind);
}

static bool make_rows(const adder *a, clump_arena *arena, clump_report_traffic **rows,
                      size_t *count)
{
    static const char *const places[PLACES] = {"itself", "the same node", "another node"};
    static const char *const own[] = {"point-to-point", "put", "get"};
    clump_report_traffic *all = clump_arena_take(arena, KINDS * PLACES * sizeof *all);
    double total = 0;
    size_t used = 0;
    if (all == NULL)
        return false;
    for (unsigned k = 0; k < KINDS; k++)
        for (int w = 0; w < PLACES; w++) {
            const double messages = a->sums[k][w].messages, bytes = a->sums[k][w].bytes;
            total += bytes;
            if (messages > 0)
                all[used++] = (clump_report_traffic){
                    .kind = k < CLUMP_CALL_KINDS ? clump_call_name((clump_call_kind)k)
                                                 : own[k - CLUMP_CALL_KINDS],
                    .where = places[w],
                    .messages = messages,
                    .bytes = bytes,
                    .size = bytes / messages};
        }
    for (size_t i = 0; i < used; i++)
        all[i].share = total > 0 ? all[i].bytes / total : (double)NAN;
    qsort(all, used, sizeof *all, by_bytes);
    *rows = all;
    *count = used;
    return true;
}

bool clump_report_traffic_make(const clump_recording *recording, const char *library,
                               clump_arena *arena, clump_report_traffic **rows, size_t *count,
                               double *left_out)
{
    const size_t ranks = clump_recording_describe(recording).ranks;
    adder a = {.recording = recording,
               .library = clump_mpi_library_of(library),
               .ranks = ranks,
               .node = calloc(ranks + 1, sizeof *a.node)};
    bool good = a.node != NULL;
    for (size_t i = 0; good && i < ranks; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        a.node[i] = rank.missing ? 0 : rank.node;
    }
    for (size_t i = 0; i < ranks && good; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        for (size_t k = 0; !rank.missing && k < rank.account->traffic_count; k++)
            add_own(&a, i, &rank.account->traffic[k]);
        for (size_t k = 0; good && !rank.missing && k < rank.account->collective_count; k++)
            if (clump_call_is_collective(rank.account->collectives[k].kind))
                good = add_collective(&a, i, &rank.account->collectives[k]);
    }
    free(a.node);
    *left_out = a.left_out;
    return good && make_rows(&a, arena, rows, count);
}
