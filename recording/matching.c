/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/matching.h"

#include "recording/clocks.h"
#include "recording/open_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE CLUMP_TABLE_NONE /* more than an enumerator holds */
enum { MOST_COMMUNICATORS = 1 << 22 };

/* An end of a message, or a member of a collective. */
typedef struct side {
    uint32_t next; /* in its queue, or of its collective */
    uint32_t rank, partner_rank;
    uint32_t thread, partner_thread;
    uint32_t communicator;
    uint32_t interval; /* of the call that ends it; NONE: not ended yet */
    clump_request_kind kind;
    bool used, queued, matched, dead,
        orphan;             /* dead: ended without a message; orphan: nobody ends it */
    double posted, partner; /* when it and its partner began, clock of the first node */
} side;

/* A call that may wait, until all of its ends have met their partners. */
typedef struct interval {
    uint32_t rank, thread;
    uint32_t pending; /* ends that have no partner yet */
    clump_call_kind kind;
    bool used, unknown;
    double begin, end; /* clock of the first node */
    double waiting, low, high;
} interval;

typedef struct queue {
    uint32_t first[2], last[2]; /* sends, receives: mostly one of them is empty */
} queue;

typedef struct gathering { /* a collective whose members arrive */
    uint32_t first, arrived, communicator;
    int root;
    clump_call_kind kind;
} gathering;

typedef struct member {
    uint32_t rank, place;
    uint32_t called; /* collectives */
} member;

typedef struct group {
    member *members; /* by rank */
    size_t count;
    bool unlike; /* its members called different collectives: order means nothing from then on */
} group;

struct clump_matching {
    size_t ranks, nodes;
    uint32_t *node;
    group *groups;
    size_t group_count;
    clump_pool sides, intervals, queues, gatherings;
    clump_table by_message, by_request, by_collective;
    clump_clocks *clocks;
    clump_matched *totals;          /* ranks times kinds */
    double *first_end, *last_begin; /* of nodes in a collective; NAN: none */
    clump_matching_summary sum;
    bool full, heeds_clocks;
    clump_matching_listener listener;
};

static side *side_at(const clump_matching *m, uint32_t i)
{
    return (side *)m->sides.items + i;
}

static interval *interval_at(const clump_matching *m, uint32_t i)
{
    return (interval *)m->intervals.items + i;
}

static queue *queue_at(const clump_matching *m, uint32_t i)
{
    return (queue *)m->queues.items + i;
}

static gathering *gathering_at(const clump_matching *m, uint32_t i)
{
    return (gathering *)m->gatherings.items + i;
}

/* ---- making and freeing */

/* All that is open, and its memory. */
static void forget_open(clump_matching *m)
{
    clump_pool_clear(&m->sides);
    clump_pool_clear(&m->intervals);
    clump_pool_clear(&m->queues);
    clump_pool_clear(&m->gatherings);
    clump_table_clear(&m->by_message);
    clump_table_clear(&m->by_request);
    clump_table_clear(&m->by_collective);
}

static void clear(clump_matching *m)
{
    forget_open(m);
    memset(m->totals, 0, m->ranks * CLUMP_CALL_KINDS * sizeof *m->totals);
    m->sum = (clump_matching_summary){0};
    m->full = false;
    for (size_t i = 0; i < m->group_count; i++) {
        m->groups[i].unlike = false;
        for (size_t j = 0; j < m->groups[i].count; j++)
            m->groups[i].members[j].called = 0;
    }
}

void clump_matching_free(clump_matching *m)
{
    if (m == NULL)
        return;
    forget_open(m);
    for (size_t i = 0; i < m->group_count; i++)
        free(m->groups[i].members);
    free(m->groups);
    free(m->node);
    free(m->totals);
    free(m->first_end);
    free(m->last_begin);
    clump_clocks_free(m->clocks);
    free(m);
}

clump_matching *clump_matching_new(size_t ranks, const size_t *node, size_t nodes)
{
    clump_matching *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->ranks = ranks;
    m->nodes = nodes;
    m->sides.size = sizeof(side);
    m->intervals.size = sizeof(interval);
    m->queues.size = sizeof(queue);
    m->gatherings.size = sizeof(gathering);
    m->node = malloc((ranks + 1) * sizeof *m->node);
    m->totals = calloc(ranks + 1, CLUMP_CALL_KINDS * sizeof *m->totals);
    m->first_end = malloc((nodes + 1) * sizeof *m->first_end);
    m->last_begin = malloc((nodes + 1) * sizeof *m->last_begin);
    m->clocks = clump_clocks_new(nodes);
    uint32_t *world = malloc((ranks + 1) * sizeof *world);
    bool good = m->node != NULL && m->totals != NULL && m->first_end != NULL &&
                m->last_begin != NULL && m->clocks != NULL && world != NULL;
    for (size_t i = 0; good && i < ranks; i++) {
        m->node[i] = node[i] < nodes ? (uint32_t)node[i] : 0;
        world[i] = (uint32_t)i;
    }
    for (size_t i = 0; good && i < nodes; i++)
        m->first_end[i] = NAN;
    good = good && clump_matching_communicator(m, 0, world, ranks);
    free(world);
    if (good)
        return m;
    clump_matching_free(m);
    return NULL;
}

static int by_rank(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

bool clump_matching_communicator(clump_matching *m, uint32_t number, const uint32_t *ranks,
                                 size_t count)
{
    if (number >= MOST_COMMUNICATORS)
        return false;
    if (number >= m->group_count) {
        group *larger = realloc(m->groups, ((size_t)number + 1) * sizeof *larger);
        if (larger == NULL)
            return false;
        memset(larger + m->group_count, 0, (number + 1 - m->group_count) * sizeof *larger);
        m->groups = larger;
        m->group_count = (size_t)number + 1;
    }
    group *g = &m->groups[number];
    free(g->members);
    g->count = 0;
    g->members = malloc((count + 1) * sizeof *g->members);
    if (g->members == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        g->members[i] = (member){.rank = ranks[i], .place = (uint32_t)i};
    qsort(g->members, count, sizeof *g->members, by_rank);
    g->count = count;
    return true;
}

static member *find_member(const clump_matching *m, uint32_t communicator, size_t rank)
{
    if (communicator >= m->group_count)
        return NULL;
    const group *g = &m->groups[communicator];
    const member wanted = {.rank = (uint32_t)rank};
    return g->count > 0 ? bsearch(&wanted, g->members, g->count, sizeof *g->members, by_rank)
                        : NULL;
}

void clump_matching_tell(clump_matching *m, const clump_matching_listener *listener)
{
    m->listener = *listener;
}

/* ---- memory: when it is used up nothing more is matched */

static bool has_room(clump_matching *m)
{
    const size_t open =
        m->sides.in_use + m->intervals.in_use + m->queues.in_use + m->gatherings.in_use;
    m->full = m->full || open >= CLUMP_MATCHING_MOST;
    return !m->full;
}

static uint32_t take(clump_matching *m, clump_pool *pool)
{
    const uint32_t taken = has_room(m) ? clump_pool_take(pool) : NONE;
    m->full = m->full || taken == NONE;
    return taken;
}

static bool put(clump_matching *m, clump_table *table, uint64_t a, uint64_t b, uint32_t value)
{
    m->full = m->full || !clump_table_put(table, a, b, value);
    return !m->full;
}

/* ---- calls that are done */

static clump_matched *total_of(clump_matching *m, size_t rank, clump_call_kind kind)
{
    return &m->totals[rank * CLUMP_CALL_KINDS + (size_t)kind];
}

static void tell(clump_matching *m, const interval *i, double waiting)
{
    const clump_matched_call call = {
        .rank = i->rank, .kind = i->kind, .begin = i->begin, .end = i->end, .waiting = waiting};
    if (m->listener.call != NULL)
        m->listener.call(&call, m->listener.context);
}

/* By which times of a node are corrected. */
static double offset_of(const clump_matching *m, size_t rank)
{
    return m->heeds_clocks ? clump_clocks_of(m->clocks, m->node[rank]).used : 0;
}

static void tell_message(clump_matching *m, const side *receive, const interval *i)
{
    const double here = offset_of(m, receive->rank);
    const clump_matched_message message = {.from = receive->partner_rank,
                                           .to = receive->rank,
                                           .from_thread = receive->partner_thread,
                                           .to_thread = i->thread,
                                           .sent = receive->partner +
                                                   offset_of(m, receive->partner_rank),
                                           .begin = i->begin + here,
                                           .end = i->end + here};
    if (m->listener.message != NULL)
        m->listener.message(&message, m->listener.context);
}

static void divide(clump_matching *m, const interval *i)
{
    clump_matched *total = total_of(m, i->rank, i->kind);
    total->divided += i->end - i->begin;
    total->waiting += i->waiting;
    total->waiting_low += i->low;
    total->waiting_high += i->high;
    tell(m, i, i->waiting);
}

static void close_interval(clump_matching *m, uint32_t index)
{
    interval *i = interval_at(m, index);
    if (i->unknown || i->pending > 0)
        tell(m, i, NAN);
    else
        divide(m, i);
    i->used = false;
    clump_pool_give(&m->intervals, index);
}

static void free_side(clump_matching *m, uint32_t index)
{
    side_at(m, index)->used = false;
    clump_pool_give(&m->sides, index);
}

/* How long a call waits for a partner that begins at `partner`. A send that is over before its receive began was
 * buffered. */
static double wait_for(const interval *i, const side *s, double partner)
{
    if (!(partner > i->begin))
        return 0;
    if (partner > i->end)
        return s->kind == CLUMP_REQUEST_SEND ? 0 : i->end - i->begin;
    return partner - i->begin;
}

/* It ended in a call, and its partner is known: the call waited as long as for the latest of all. */
static void settle(clump_matching *m, uint32_t index)
{
    const side *s = side_at(m, index);
    const uint32_t at = s->interval;
    interval *i = interval_at(m, at);
    double low = 0, high = 0;
    if (isfinite(s->partner))
        clump_clocks_doubt(m->clocks, m->node[s->rank], m->node[s->partner_rank], &low, &high);
    const double waiting = wait_for(i, s, s->partner);
    double least = wait_for(i, s, s->partner + low), most = wait_for(i, s, s->partner + high);
    if (s->kind == CLUMP_REQUEST_SEND && s->partner + high > i->end && s->partner + low <= i->end)
        least = 0, most = i->end - i->begin;
    i->waiting = fmax(i->waiting, waiting);
    i->low = fmax(i->low, fmin(least, waiting));
    i->high = fmax(i->high, fmax(most, waiting));
    i->pending--;
    if (s->kind == CLUMP_REQUEST_RECEIVE)
        tell_message(m, s, i);
    free_side(m, index);
    if (i->pending == 0)
        close_interval(m, at);
}

static void know_partner(clump_matching *m, uint32_t index, double partner, uint32_t partner_rank,
                         uint32_t partner_thread)
{
    side *s = side_at(m, index);
    s->partner = partner;
    s->partner_rank = partner_rank;
    s->partner_thread = partner_thread;
    s->matched = true;
    if (s->orphan)
        free_side(m, index);
    else if (s->interval != NONE)
        settle(m, index);
}

/* A message arrived after it was sent: that bounds the offset of the clocks. */
static void compare_clocks(clump_matching *m, const side *receive, double sent, uint32_t sender)
{
    if (!m->heeds_clocks && receive->interval != NONE && m->node[sender] != m->node[receive->rank])
        clump_clocks_bound(m->clocks, m->node[sender], m->node[receive->rank],
                           interval_at(m, receive->interval)->end - sent);
}

/* ---- messages */

static void match(clump_matching *m, uint32_t send, uint32_t receive)
{
    const side s = *side_at(m, send), r = *side_at(m, receive);
    m->sum.messages++;
    side_at(m, send)->queued = side_at(m, receive)->queued = false;
    compare_clocks(m, &r, s.posted, s.rank);
    know_partner(m, send, r.posted, r.rank, r.thread);
    know_partner(m, receive, s.posted, s.rank, s.thread);
}

static uint64_t pair_of(uint64_t high, uint64_t low)
{
    return high << 32 | (low & UINT32_MAX);
}

/* The oldest that is not dead; NONE: there is none. */
static uint32_t pop(clump_matching *m, queue *q, size_t which)
{
    while (q->first[which] != NONE) {
        const uint32_t index = q->first[which];
        side *s = side_at(m, index);
        q->first[which] = s->next;
        if (!s->dead)
            return index;
        free_side(m, index);
    }
    return NONE;
}

/* An end with all that tells its partner: it meets the oldest one that is open, or stands in line. */
static void line_up(clump_matching *m, uint32_t index, uint32_t sender, uint32_t receiver, int tag)
{
    side *s = side_at(m, index);
    const size_t own = s->kind == CLUMP_REQUEST_SEND ? 0 : 1;
    const uint64_t a = pair_of(s->communicator, (uint32_t)tag), b = pair_of(sender, receiver);
    uint32_t at = clump_table_get(&m->by_message, a, b);
    if (at != NONE) {
        queue *q = queue_at(m, at);
        const uint32_t partner = pop(m, q, 1 - own);
        if (partner != NONE && q->first[0] == NONE && q->first[1] == NONE) {
            clump_table_remove(&m->by_message, a, b);
            clump_pool_give(&m->queues, at);
        }
        if (partner != NONE) {
            match(m, own == 0 ? index : partner, own == 0 ? partner : index);
            return;
        }
    } else {
        at = take(m, &m->queues);
        if (at == NONE || !put(m, &m->by_message, a, b, at))
            return;
        *queue_at(m, at) = (queue){{NONE, NONE}, {NONE, NONE}};
    }
    queue *q = queue_at(m, at);
    s = side_at(m, index);
    s->queued = true;
    s->next = NONE;
    if (q->first[own] == NONE)
        q->first[own] = index;
    else
        side_at(m, q->last[own])->next = index;
    q->last[own] = index;
}

/* ---- collectives */

/* Whom a member waits for: all others, the root, or (at the root) all others. */
typedef enum awaited { AWAITS_ALL, AWAITS_ROOT, ROOT_AWAITS, AWAITS_BEFORE } awaited;

static awaited awaited_by(clump_call_kind kind)
{
    switch (kind) {
    case CLUMP_CALL_BROADCAST:
    case CLUMP_CALL_SCATTER:
        return AWAITS_ROOT;
    case CLUMP_CALL_REDUCE:
    case CLUMP_CALL_GATHER:
        return ROOT_AWAITS;
    case CLUMP_CALL_SCAN:
        return AWAITS_BEFORE;
    default:
        return AWAITS_ALL;
    }
}

/* Nobody leaves before everybody came: bounds between the lowest node and all others. */
static void compare_clocks_of_all(clump_matching *m, uint32_t first)
{
    uint32_t home = UINT32_MAX;
    bool ended = true;
    for (uint32_t i = first; i != NONE && ended; i = side_at(m, i)->next) {
        const uint32_t n = m->node[side_at(m, i)->rank];
        home = n < home ? n : home;
        ended = side_at(m, i)->interval != NONE;
    }
    if (!ended || m->heeds_clocks || m->nodes < 2)
        return;
    for (uint32_t i = first; i != NONE; i = side_at(m, i)->next) {
        const side *s = side_at(m, i);
        const uint32_t n = m->node[s->rank];
        const double end = interval_at(m, s->interval)->end;
        m->last_begin[n] = isnan(m->first_end[n]) ? s->posted : fmax(m->last_begin[n], s->posted);
        m->first_end[n] = fmin(m->first_end[n], end);
    }
    const double home_end = m->first_end[home], home_begin = m->last_begin[home];
    for (uint32_t i = first; i != NONE; i = side_at(m, i)->next) {
        const uint32_t n = m->node[side_at(m, i)->rank];
        if (isnan(m->first_end[n]) || n == home)
            continue;
        clump_clocks_bound(m->clocks, home, n, m->first_end[n] - home_begin);
        clump_clocks_bound(m->clocks, n, home, home_end - m->last_begin[n]);
        m->first_end[n] = NAN;
    }
    m->first_end[home] = NAN;
}

/* The latest of all members, or the root; false: the root is not among them. */
static bool find_latest(const clump_matching *m, const gathering *g, uint32_t *latest)
{
    const bool root = awaited_by(g->kind) == AWAITS_ROOT;
    *latest = NONE;
    for (uint32_t i = g->first; i != NONE; i = side_at(m, i)->next)
        if (root ? side_at(m, i)->rank == (uint32_t)g->root
                 : *latest == NONE || side_at(m, i)->posted > side_at(m, *latest)->posted)
            *latest = i;
    return *latest != NONE;
}

typedef struct arrival {
    uint32_t index, place;
} arrival;

static int by_place(const void *a, const void *b)
{
    const arrival *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

/* Of a scan: the latest of those with a lower number. False without memory. */
static bool resolve_scan(clump_matching *m, const gathering *g)
{
    arrival *all = malloc(((size_t)g->arrived + 1) * sizeof *all);
    size_t count = 0;
    if (all == NULL)
        return false;
    for (uint32_t i = g->first; i != NONE; i = side_at(m, i)->next) {
        const member *found = find_member(m, g->communicator, side_at(m, i)->rank);
        all[count++] = (arrival){i, found != NULL ? found->place : 0};
    }
    qsort(all, count, sizeof *all, by_place);
    double latest = -INFINITY;
    uint32_t rank = 0;
    for (size_t i = 0; i < count; i++) {
        const side s = *side_at(m, all[i].index);
        know_partner(m, all[i].index, latest, rank, 0);
        if (s.posted > latest) {
            latest = s.posted;
            rank = s.rank;
        }
    }
    free(all);
    return true;
}

static void resolve(clump_matching *m, const gathering *g)
{
    const awaited whom = awaited_by(g->kind);
    uint32_t latest;
    if (whom == AWAITS_ALL)
        compare_clocks_of_all(m, g->first);
    if (whom == AWAITS_BEFORE && resolve_scan(m, g))
        return;
    if (!find_latest(m, g, &latest))
        return;
    const double time = side_at(m, latest)->posted;
    const uint32_t rank = side_at(m, latest)->rank;
    for (uint32_t i = g->first, next; i != NONE; i = next) {
        const side *s = side_at(m, i);
        next = s->next;
        const bool waits = i != latest && (whom != ROOT_AWAITS || s->rank == (uint32_t)g->root);
        if (whom == AWAITS_ROOT && i != latest)
            compare_clocks(m, s, time, rank);
        know_partner(m, i, waits ? time : -INFINITY, rank, 0);
    }
}

/* False: it cannot be matched. */
static bool arrive(clump_matching *m, uint32_t index, const clump_recorded_call *call)
{
    side *s = side_at(m, index);
    member *self = find_member(m, call->communicator, s->rank);
    if (self == NULL)
        return false;
    group *g = &m->groups[call->communicator];
    if (g->unlike) {
        m->sum.collectives_unlike++;
        return false;
    }
    const uint64_t ordinal = self->called++;
    uint32_t at = clump_table_get(&m->by_collective, call->communicator, ordinal);
    if (at == NONE) {
        at = take(m, &m->gatherings);
        if (at == NONE || !put(m, &m->by_collective, call->communicator, ordinal, at))
            return false;
        *gathering_at(m, at) = (gathering){.first = NONE,
                                           .communicator = call->communicator,
                                           .root = call->peer,
                                           .kind = call->kind};
    }
    gathering *to = gathering_at(m, at);
    if (to->kind != call->kind) {
        m->sum.collectives_unlike++;
        g->unlike = true;
        return false;
    }
    if (to->root < 0)
        to->root = call->peer;
    s->next = to->first;
    s->queued = true;
    to->first = index;
    if (++to->arrived == g->count) {
        const gathering done = *to;
        clump_table_remove(&m->by_collective, call->communicator, ordinal);
        clump_pool_give(&m->gatherings, at);
        m->sum.collectives++;
        resolve(m, &done);
    }
    return true;
}

/* ---- calls */

static uint32_t new_interval(clump_matching *m, size_t rank, const clump_recorded_call *call)
{
    const uint32_t at = take(m, &m->intervals);
    if (at != NONE)
        *interval_at(m, at) = (interval){.rank = (uint32_t)rank,
                                         .thread = call->thread,
                                         .kind = call->kind,
                                         .used = true,
                                         .pending = 1, /* until all is added */
                                         .begin = call->begin,
                                         .end = call->end};
    return at;
}

static void end_interval(clump_matching *m, uint32_t at)
{
    if (at != NONE && --interval_at(m, at)->pending == 0)
        close_interval(m, at);
}

/* An end that begins; it is over with the call itself if there is an interval. */
static uint32_t new_side(clump_matching *m, size_t rank, const clump_recorded_call *call,
                         clump_request_kind kind, uint32_t at)
{
    const uint32_t index = take(m, &m->sides);
    if (index == NONE)
        return NONE;
    *side_at(m, index) = (side){.next = NONE,
                                .rank = (uint32_t)rank,
                                .thread = call->thread,
                                .communicator = call->communicator,
                                .interval = at,
                                .kind = kind,
                                .used = true,
                                .posted = call->begin,
                                .partner = NAN};
    if (at != NONE)
        interval_at(m, at)->pending++;
    return index;
}

static bool is_rank(const clump_matching *m, int peer)
{
    return peer >= 0 && (size_t)peer < m->ranks;
}

static void send_to(clump_matching *m, size_t rank, const clump_recorded_call *call, uint32_t at)
{
    if (!is_rank(m, call->peer))
        return;
    const uint32_t index = new_side(m, rank, call, CLUMP_REQUEST_SEND, at);
    if (index != NONE)
        line_up(m, index, (uint32_t)rank, (uint32_t)call->peer, call->tag);
}

static void receive_from(clump_matching *m, size_t rank, const clump_recorded_call *call, int peer,
                         int tag, uint32_t at)
{
    if (!is_rank(m, peer))
        return;
    const uint32_t index = new_side(m, rank, call, CLUMP_REQUEST_RECEIVE, at);
    if (index != NONE)
        line_up(m, index, (uint32_t)peer, (uint32_t)rank, tag);
}

/* What a request will end. A receive of any source or tag stands in line when it is known which it was. */
static void start_request(clump_matching *m, size_t rank, const clump_recorded_call *call)
{
    const bool sends = call->kind == CLUMP_CALL_ISEND;
    const bool receives = call->kind == CLUMP_CALL_IRECEIVE;
    if (!is_rank(m, call->peer) && (sends || (receives && call->requests == 0)))
        return; /* to or from nobody */
    const uint32_t index = new_side(m, rank, call,
                                    sends      ? CLUMP_REQUEST_SEND
                                    : receives ? CLUMP_REQUEST_RECEIVE
                                               : CLUMP_REQUEST_COLLECTIVE,
                                    NONE);
    if (index == NONE)
        return;
    const bool followed = call->requests > 0;
    side_at(m, index)->orphan = !followed;
    if (followed && !put(m, &m->by_request, rank, call->request[0].number, index))
        return;
    if (sends)
        line_up(m, index, (uint32_t)rank, (uint32_t)call->peer, call->tag);
    else if (receives && is_rank(m, call->peer) &&
             (call->tag >= 0 || call->tag == CLUMP_CALL_TAG_NEIGHBOUR))
        line_up(m, index, (uint32_t)call->peer, (uint32_t)rank, call->tag);
    else if (!receives && !arrive(m, index, call))
        side_at(m, index)->dead = true;
}

static void end_request(clump_matching *m, size_t rank, const clump_call_request *request,
                        uint32_t at)
{
    const uint32_t index = clump_table_get(&m->by_request, rank, request->number);
    if (index == NONE) {
        /* To nobody, or begun where it was not followed. */
        const bool alone = request->kind == CLUMP_REQUEST_SEND ||
                           (request->kind == CLUMP_REQUEST_RECEIVE && request->peer < 0);
        interval_at(m, at)->unknown = interval_at(m, at)->unknown || !alone;
        return;
    }
    clump_table_remove(&m->by_request, rank, request->number);
    side *s = side_at(m, index);
    if (request->kind == CLUMP_REQUEST_OTHER) { /* freed: whoever is its partner may still come */
        s->orphan = true;
        if (!s->queued)
            free_side(m, index);
        return;
    }
    const bool empty = s->kind == CLUMP_REQUEST_RECEIVE && request->peer < 0;
    if (s->dead || (empty && !s->matched)) {
        /* Cancelled, from nobody, or of a collective that cannot be matched. */
        interval_at(m, at)->unknown = interval_at(m, at)->unknown || s->dead;
        s->dead = true;
        s->orphan = true;
        if (!s->queued)
            free_side(m, index);
        return;
    }
    s->interval = at;
    interval_at(m, at)->pending++;
    if (s->matched) {
        if (s->kind == CLUMP_REQUEST_RECEIVE)
            compare_clocks(m, s, s->partner, s->partner_rank);
        settle(m, index);
    } else if (!s->queued && s->kind == CLUMP_REQUEST_RECEIVE && is_rank(m, request->peer)) {
        line_up(m, index, (uint32_t)request->peer, (uint32_t)rank, request->tag);
    }
}

/* A call without partners, or of which nothing is known. */
static void add_alone(clump_matching *m, size_t rank, const clump_recorded_call *call, bool known)
{
    const interval i = {
        .rank = (uint32_t)rank, .kind = call->kind, .begin = call->begin, .end = call->end};
    if (known)
        divide(m, &i);
    else
        tell(m, &i, NAN);
}

static void add_collective(clump_matching *m, size_t rank, const clump_recorded_call *call)
{
    if (call->nonblocking) {
        add_alone(m, rank, call, true);
        start_request(m, rank, call);
        return;
    }
    const uint32_t at = new_interval(m, rank, call);
    const uint32_t index =
        at != NONE ? new_side(m, rank, call, CLUMP_REQUEST_COLLECTIVE, at) : NONE;
    if (index != NONE && !arrive(m, index, call)) {
        interval *i = interval_at(m, at);
        i->pending--;
        i->unknown = true;
        free_side(m, index);
    }
    end_interval(m, at);
}

static void add_ends(clump_matching *m, size_t rank, const clump_recorded_call *call)
{
    const uint32_t at = new_interval(m, rank, call);
    if (at == NONE)
        return;
    if (call->kind == CLUMP_CALL_SEND || call->kind == CLUMP_CALL_SENDRECV)
        send_to(m, rank, call, at);
    if (call->kind == CLUMP_CALL_RECEIVE)
        receive_from(m, rank, call, call->peer, call->tag, at);
    if (call->kind == CLUMP_CALL_SENDRECV)
        receive_from(m, rank, call, call->peer_receive, call->tag_receive, at);
    if (clump_call_completes(call))
        for (uint32_t i = 0; i < call->requests && !m->full; i++)
            end_request(m, rank, &call->request[i], at);
    end_interval(m, at);
}

/* A call in the clock of the first node. */
static void add_shifted(clump_matching *m, size_t rank, const clump_recorded_call *call)
{
    switch (call->kind) {
    case CLUMP_CALL_SEND:
    case CLUMP_CALL_RECEIVE:
    case CLUMP_CALL_SENDRECV:
    case CLUMP_CALL_WAIT:
        add_ends(m, rank, call);
        break;
    case CLUMP_CALL_TEST:
        if (call->requests > 0)
            add_ends(m, rank, call);
        else
            add_alone(m, rank, call, false);
        break;
    case CLUMP_CALL_ISEND:
    case CLUMP_CALL_IRECEIVE:
        add_alone(m, rank, call, true);
        start_request(m, rank, call);
        break;
    case CLUMP_CALL_PUT:
    case CLUMP_CALL_GET:
    case CLUMP_CALL_ACCUMULATE:
        add_alone(m, rank, call, true);
        break;
    case CLUMP_CALL_NEIGHBOUR:
        if (call->requests > 0 && !call->nonblocking)
            add_ends(m, rank, call);
        else
            add_alone(m, rank, call, !clump_call_hides_messages(call));
        break;
    default:
        if (clump_call_is_collective(call->kind))
            add_collective(m, rank, call);
        else
            add_alone(m, rank, call, false);
    }
}

void clump_matching_add(clump_matching *m, size_t rank, const clump_recorded_call *call)
{
    if (rank >= m->ranks || (unsigned)call->kind >= CLUMP_CALL_KINDS || !isfinite(call->begin) ||
        !isfinite(call->end))
        return;
    clump_recorded_call shifted = *call;
    shifted.begin -= offset_of(m, rank);
    shifted.end -= offset_of(m, rank);
    shifted.end = fmax(shifted.begin, shifted.end);
    clump_matched *total = total_of(m, rank, call->kind);
    total->calls += call->calls;
    total->seconds += shifted.end - shifted.begin;
    if (has_room(m)) {
        add_shifted(m, rank, &shifted);
        if (m->full) /* in the middle of this one */
            m->sum.beyond++;
    } else {
        m->sum.beyond++;
        add_alone(m, rank, &shifted, false);
    }
}

void clump_matching_finish(clump_matching *m)
{
    for (uint32_t i = 0; i < m->sides.count; i++) {
        const side *s = side_at(m, i);
        if (!s->used || s->matched || s->dead)
            continue;
        if (s->kind == CLUMP_REQUEST_COLLECTIVE)
            m->sum.collectives_open++;
        else if (!s->queued) /* a receive that never ended, of whom nobody knows the source */
            m->sum.receives++;
        else if (s->kind == CLUMP_REQUEST_SEND)
            m->sum.sends++;
        else
            m->sum.receives++;
    }
    for (uint32_t i = 0; i < m->intervals.count; i++)
        if (interval_at(m, i)->used)
            close_interval(m, i);
    if (!m->heeds_clocks)
        clump_clocks_compare(m->clocks);
}

void clump_matching_again(clump_matching *m)
{
    clear(m);
    m->heeds_clocks = true;
}

clump_matched clump_matching_of(const clump_matching *m, size_t rank, clump_call_kind kind)
{
    return m->totals[rank * CLUMP_CALL_KINDS + (size_t)kind];
}

clump_clock_offset clump_matching_clock_of(const clump_matching *m, size_t node)
{
    return clump_clocks_of(m->clocks, (uint32_t)node);
}

clump_matching_summary clump_matching_sum(const clump_matching *m)
{
    return m->sum;
}
