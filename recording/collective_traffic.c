/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/collective_traffic.h"

#include "model/workload/collective.h"
#include "recording/open_table.h"
#include "recording/recorded_collectives.h"
#include "recording/recorded_schedule.h"

#include <math.h>
#include <stdlib.h>

/* ---- rows of traffic, sums by their key */

/* Of a collective of one communicator, root and size. */
typedef struct called {
    clump_call_kind kind;
    uint32_t communicator;
    int root;
    unsigned size_class;
    double calls, bytes, received; /* sums over those that tell of it */
    double tellers; /* members that were asked: calls / tellers are those of the communicator */
} called;

typedef struct adder {
    const clump_run *run;
    clump_facts *facts;
    clump_pool called;
    clump_table by_call, by_pair;
    clump_collective_places *places;
    clump_mpi_library library;
    double visited, left_out;
    double calls; /* of what is being taken apart */
    clump_call_kind kind;
    const uint32_t *members;
    bool no_memory;
} adder;

static const char point_to_point[] = "point-to-point";

/* A message, or many alike: to the row of its sender, receiver, kind and class. */
static bool add_traffic(adder *a, const char *kind, unsigned key, size_t sender, size_t receiver,
                        unsigned size_class, double messages, double bytes)
{
    const uint64_t x = (uint64_t)sender << 32 | receiver, y = (uint64_t)key << 8 | size_class;
    uint32_t at = clump_table_get(&a->by_pair, x, y);
    if (at == CLUMP_TABLE_NONE) {
        const uint64_t limit = clump_size_class_limit(size_class);
        const clump_facts_traffic row = {.sender = (int64_t)sender,
                                         .receiver = (int64_t)receiver,
                                         .kind = kind,
                                         .size_limit =
                                             limit > INT64_MAX ? INT64_MAX : (int64_t)limit};
        at = (uint32_t)a->facts->traffic_count;
        if (!clump_facts_add(a->facts, CLUMP_FACTS_TRAFFIC, &row) ||
            !clump_table_put(&a->by_pair, x, y, at)) {
            a->no_memory = true;
            return false;
        }
    }
    clump_facts_traffic *row = clump_facts_row(a->facts, CLUMP_FACTS_TRAFFIC, at);
    row->messages += messages;
    row->bytes += bytes;
    return true;
}

/* ---- what programs send themselves */

/* Messages are counted by their senders; those of a sender of which nothing is known by their receivers. */
static bool add_own(adder *a, size_t rank, const clump_account_traffic *t)
{
    static const char *const names[CLUMP_TRAFFIC_KINDS] = {
        [CLUMP_TRAFFIC_SENT] = point_to_point,
        [CLUMP_TRAFFIC_RECEIVED] = point_to_point,
        [CLUMP_TRAFFIC_PUT] = "put",
        [CLUMP_TRAFFIC_GOT] = "get",
    };
    if (t->peer < 0 || (size_t)t->peer >= a->run->ranks || t->kind >= CLUMP_TRAFFIC_KINDS)
        return true;
    const size_t peer = (size_t)t->peer;
    const bool arrives = t->kind == CLUMP_TRAFFIC_RECEIVED || t->kind == CLUMP_TRAFFIC_GOT;
    if (t->kind == CLUMP_TRAFFIC_RECEIVED && a->run->rank[peer].account != NULL)
        return true;
    return add_traffic(a, names[t->kind], CLUMP_CALL_KINDS + (unsigned)t->kind % 4u,
                       arrives ? peer : rank, arrives ? rank : peer, t->size_class,
                       (double)t->messages, (double)t->bytes);
}

/* ---- collectives as they were called */

static bool has_root(clump_call_kind kind)
{
    return kind == CLUMP_CALL_BROADCAST || kind == CLUMP_CALL_REDUCE || kind == CLUMP_CALL_GATHER ||
           kind == CLUMP_CALL_SCATTER;
}

/* Of a collective with a root only the root tells, if there is anything known of it: the others see another size. */
static bool tells(const adder *a, size_t rank, const clump_account_collective *c)
{
    if (!has_root(c->kind) || c->root < 0)
        return true;
    const size_t root = (size_t)c->root;
    return root == rank || root >= a->run->ranks || a->run->rank[root].account == NULL;
}

static bool add_call(adder *a, size_t rank, const clump_account_collective *c)
{
    if (!tells(a, rank, c) || !clump_call_is_collective(c->kind))
        return true;
    const bool alone = has_root(c->kind) && c->root == (int)rank;
    const int root = has_root(c->kind) ? c->root : -1;
    const uint64_t x = (uint64_t)c->communicator << 32 | (uint32_t)root;
    const uint64_t y = (uint64_t)c->kind << 8 | c->size_class;
    uint32_t at = clump_table_get(&a->by_call, x, y);
    if (at == CLUMP_TABLE_NONE) {
        at = clump_pool_take(&a->called);
        if (at == CLUMP_TABLE_NONE || !clump_table_put(&a->by_call, x, y, at)) {
            a->no_memory = true;
            return false;
        }
        ((called *)a->called.items)[at] = (called){.kind = c->kind,
                                                   .communicator = c->communicator,
                                                   .root = root,
                                                   .size_class = c->size_class,
                                                   .tellers = alone ? 1 : NAN};
    }
    called *to = (called *)a->called.items + at;
    to->calls += (double)c->calls;
    to->bytes += (double)c->bytes;
    to->received += (double)c->bytes_received;
    return true;
}

/* Members that should have told: those of which anything is known. */
static double count_tellers(const adder *a, clump_recording_members members)
{
    double count = 0;
    for (size_t i = 0; i < members.count; i++)
        count += members.ranks[i] < a->run->ranks && a->run->rank[members.ranks[i]].account != NULL;
    return fmax(count, 1);
}

/* ---- taken apart */

/* Bytes of all calls as a clump_collective_operation has them: the mean over the members that tell them. */
static double bytes_of(const called *c, double members)
{
    const bool root = c->root >= 0;
    switch (c->kind) {
    case CLUMP_CALL_BARRIER:
        return 0;
    case CLUMP_CALL_GATHER:
        return root && c->received > 0 ? c->received / members : c->bytes;
    case CLUMP_CALL_SCATTER:
        return c->bytes > 0 ? c->bytes / members : c->received;
    case CLUMP_CALL_ALLGATHER:
        return c->received / members;
    case CLUMP_CALL_ALLTOALL:
        return c->bytes / members;
    default:
        return fmax(c->bytes, c->kind == CLUMP_CALL_BROADCAST ? c->received : 0);
    }
}

static int count_message(void *context, const clump_collective_message *message)
{
    adder *a = context;
    (void)message;
    return ++a->visited > CLUMP_TRAFFIC_MOST;
}

static int take_message(void *context, const clump_collective_message *message)
{
    adder *a = context;
    return !add_traffic(a, clump_call_name(a->kind), (unsigned)a->kind, a->members[message->from],
                        a->members[message->to], clump_size_class(message->bytes), a->calls,
                        a->calls * (double)message->bytes);
}

static bool find_root(clump_recording_members members, int root, uint32_t *place)
{
    *place = 0;
    if (root < 0)
        return true;
    for (size_t i = 0; i < members.count; i++)
        if (members.ranks[i] == (uint32_t)root) {
            *place = (uint32_t)i;
            return true;
        }
    return false;
}

static bool are_ranks(const adder *a, clump_recording_members members)
{
    for (size_t i = 0; i < members.count; i++)
        if (members.ranks[i] >= a->run->ranks)
            return false;
    return true;
}

/* Nodes of a communicator's members, which MPICH looks at. NULL: no memory. */
static clump_collective_places *make_places(const adder *a, clump_recording_members members)
{
    clump_collective_places *places = NULL;
    uint32_t *node = malloc((members.count + 1) * sizeof *node);
    if (node == NULL)
        return NULL;
    for (size_t i = 0; i < members.count; i++)
        node[i] = (uint32_t)a->run->rank[members.ranks[i]].node;
    clump_collective_places_make((uint32_t)members.count, node, &places, NULL);
    free(node);
    return places;
}

static bool take_apart(adder *a, const called *c, clump_recording_members members, double calls,
                       double bytes)
{
    clump_collective_operation operation = {.kind = recorded_collective_kind(c->kind),
                                            .ranks = (uint32_t)members.count};
    const double each = calls > 0 ? bytes / calls : 0;
    if (operation.kind == CLUMP_COLLECTIVE_KINDS || !are_ranks(a, members) ||
        !find_root(members, c->root, &operation.root) || !(each < 9e18)) {
        a->left_out += calls;
        return true;
    }
    operation.bytes = (uint64_t)llround(each);
    clump_collective_places *places = make_places(a, members);
    if (places == NULL)
        return false;
    operation.places = places;
    operation.algorithm = clump_collective_choose(a->library, &operation);
    if (clump_collective_check(&operation, NULL) == CLUMP_OK &&
        clump_collective_visit_all(&operation, count_message, a) == 0) {
        a->calls = calls;
        a->kind = c->kind;
        a->members = members.ranks;
        clump_collective_visit_all(&operation, take_message, a);
    } else {
        a->left_out += calls;
    }
    clump_collective_places_free(places);
    return !a->no_memory;
}

static bool add_collective(adder *a, const called *c)
{
    clump_recording_members members = {NULL, 0, 0};
    if (c->communicator < a->run->communicators)
        members = a->run->members(a->run, c->communicator);
    if (members.count == 0 || members.count > UINT32_MAX) {
        a->left_out += c->calls;
        return true;
    }
    const double tellers = isnan(c->tellers) ? count_tellers(a, members) : c->tellers;
    const double calls = c->calls / tellers;
    const double bytes = bytes_of(c, (double)members.count) / tellers;
    const uint64_t limit = clump_size_class_limit(c->size_class);
    const clump_facts_collective row = {.kind = clump_call_name(c->kind),
                                        .communicator = c->communicator,
                                        .members = (int64_t)members.count,
                                        .root = c->root,
                                        .size_limit =
                                            limit > INT64_MAX ? INT64_MAX : (int64_t)limit,
                                        .calls = calls,
                                        .bytes = bytes};
    if ((size_t)row.members > a->run->ranks) {
        a->left_out += calls;
        return true;
    }
    return clump_facts_add(a->facts, CLUMP_FACTS_COLLECTIVE, &row) &&
           take_apart(a, c, members, calls, bytes);
}

/* ---- */

static bool add_all(adder *a)
{
    for (size_t i = 0; i < a->run->ranks; i++) {
        const clump_account *account = a->run->rank[i].account;
        for (size_t j = 0; account != NULL && j < account->traffic_count; j++)
            if (!add_own(a, i, &account->traffic[j]))
                return false;
        for (size_t j = 0; account != NULL && j < account->collective_count; j++)
            if (!add_call(a, i, &account->collectives[j]))
                return false;
    }
    for (uint32_t i = 0; i < a->called.count; i++)
        if (!add_collective(a, (const called *)a->called.items + i))
            return false;
    return true;
}

bool clump_collective_traffic_add(const clump_run *run, clump_facts *facts)
{
    adder a = {.run = run, .facts = facts, .called = {.size = sizeof(called)}};
    a.library = clump_mpi_library_of(run->library);
    const bool good = add_all(&a);
    clump_table_clear(&a.by_call);
    clump_table_clear(&a.by_pair);
    clump_pool_clear(&a.called);
    if (good && a.left_out > 0)
        clump_facts_say(
            facts,
            "collectives: %.6g call%s are " CLUMP_FACTS_NOT_TAKEN_APART
            ": among neighbours, of communicators that are not known, or too many ranks",
            a.left_out, a.left_out > 1 ? "s" : "");
    return good;
}
