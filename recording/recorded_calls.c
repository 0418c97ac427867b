/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Twice through all traces: first what collectives were and who is written to from outside, then operations, rank by rank. A
 * thread is a chain of operations on a CPU of its own. What a non-blocking call starts stands beside the chain, and what
 * completes it joins the chain again.
 */
#include "recording/recorded_calls.h"

#include "model/simulation/kept_calls.h"
#include "recording/open_table.h"
#include "recording/recorded_collectives.h"
#include "recording/recorded_samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum {
    MOST_TAILS =
        4, /* operations that the next one waits for, before one is made that stands for them */
    MOST_THREADS = 63,
    COLLECTIVE_TAGS = 64 /* that non-blocking collectives of a communicator take in turn */
};

/* In place of tags of MPI, which are not negative, as CLUMP_CALL_TAG_NEIGHBOUR is. */
enum { TAG_COLLECTIVE = -2, TAG_PUT = -3, TAG_BACK = -4, TAG_FIRST_NONBLOCKING = -100 };

/** The last operations of a chain. */
typedef struct chain {
    uint32_t tail[MOST_TAILS];
    unsigned tails;
    bool begun;
    double end;         /* of the call before */
    uint32_t unpaid;    /* a computation whose processor time comes with a later call; NONE: none */
    double unpaid_most; /* s: at most so much */
    uint32_t *
        tested; /* operations that tests found complete: the next call that is no test waits for them */
    size_t tested_count, tested_room;
} chain;

/** What a request waits for. */
typedef struct open_request {
    uint32_t free_next; /* of the pool */
    uint32_t operation; /* NONE: nothing, or a receive that stands from before what is wanted on */
    uint32_t communicator;
    bool receives, sends;
} open_request;

/** One-sided: to a rank, from another. */
typedef struct visit_of {
    uint32_t target, origin;
    uint64_t bytes, back;
} visit_of;

typedef struct maker {
    clump_recording *recording;
    const recorded_calls_options *options;
    recorded_calls_report *report;
    clump_kept_writer *writer;
    clump_mpi_library library;
    uint64_t operations; /* with collectives taken apart, on nodes of one rank */
    recorded_collectives collectives;
    recorded_sample sample;
    clump_table tags; /* communicator and tag to a tag of the schedule */
    uint32_t tag_count;
    visit_of *visits; /* sorted by target in the end */
    size_t visit_count, visit_room;
    size_t ranks;
    uint32_t threads; /* the most of any rank */
    char *message;
    bool no_memory, too_many;
    /* the rank in hand */
    uint32_t rank, call;
    uint64_t wanted, added; /* calls of all ranks: in the stretch, and of them so far */
    int begins_in,
        ends_in; /* the part of the sample in which the call in hand begins, and ends; RECORDED_OUTSIDE: none */
    bool inside; /* it does one of both in some part */
    chain chains[MOST_THREADS];
    clump_pool requests;
    clump_table request_of;
    uint32_t *back; /* one-sided operations that are on their way */
    size_t back_count, back_room;
    double first, last; /* s: MPI_Init has ended, MPI_Finalize begins */
} maker;

/* ---- lists, tags, requests */

static bool append(maker *m, uint32_t **list, size_t *count, size_t *room, uint32_t item)
{
    uint32_t *items = clump_list_grow(*list, *count, room, sizeof *items);
    if (items == NULL) {
        m->no_memory = true;
        return false;
    }
    *list = items;
    (*list)[(*count)++] = item;
    return true;
}

static uint32_t tag_of(maker *m, uint32_t communicator, int tag)
{
    uint32_t found = clump_table_get(&m->tags, communicator, (uint32_t)tag);
    if (found == CLUMP_TABLE_NONE) {
        found = m->tag_count++;
        m->no_memory =
            !clump_table_put(&m->tags, communicator, (uint32_t)tag, found) || m->no_memory;
    }
    return found;
}

static int part_of(const maker *m, double time)
{
    return recorded_sample_part(&m->sample, time);
}

/* The part in which a message was sent that the call in hand received, if it is to be waited for. */
static int awaited_from(maker *m, int peer, uint32_t tag)
{
    int part;
    if (!recorded_sample_receive(&m->sample, (uint32_t)peer, m->rank, tag, m->ends_in, &part))
        m->no_memory = true;
    return part;
}

static uint32_t tag_in(const maker *m, uint32_t tag, int part)
{
    return recorded_sample_tag(&m->sample, tag, part);
}

static void start_request(maker *m, const clump_call_request *r, uint32_t operation,
                          uint32_t communicator, bool receives)
{
    const uint32_t place = clump_pool_take(&m->requests);
    if (place == CLUMP_TABLE_NONE || !clump_table_put(&m->request_of, r->number, 0, place)) {
        m->no_memory = true;
        return;
    }
    ((open_request *)m->requests.items)[place] =
        (open_request){.operation = operation,
                       .communicator = communicator,
                       .receives = receives,
                       .sends = r->kind == CLUMP_REQUEST_SEND};
}

/* ---- chains */

static bool is_full(maker *m)
{
    m->too_many = m->too_many || m->operations > m->options->most_operations;
    return m->too_many;
}

static uint8_t cpu_of(const chain *c, const maker *m)
{
    return (uint8_t)(c - m->chains);
}

static chain *chain_of(maker *m, uint32_t thread)
{
    return &m->chains[thread < MOST_THREADS ? thread : MOST_THREADS - 1];
}

/* The operation that was added last waits for the chain, which goes on beside it. */
static uint32_t follow(maker *m, const chain *c, uint32_t operation)
{
    for (unsigned i = 0; i < c->tails; i++)
        clump_kept_require(m->writer, c->tail[i]);
    return operation;
}

/* The chain goes on behind the operation. */
static void go_on(chain *c, uint32_t operation)
{
    c->tail[0] = operation;
    c->tails = 1;
}

static void advance(maker *m, chain *c, uint64_t nanoseconds)
{
    m->operations++;
    go_on(c, follow(m, c, clump_kept_add_calc(m->writer, cpu_of(c, m), nanoseconds)));
}

/* The chain waits for one more operation. */
static void wait_for(maker *m, chain *c, uint32_t operation)
{
    for (unsigned i = 0; i < c->tails; i++)
        if (c->tail[i] == operation)
            return;
    if (c->tails == MOST_TAILS)
        advance(m, c, 0);
    c->tail[c->tails++] = operation;
}

static uint64_t nanoseconds(double seconds)
{
    return seconds > 0 ? (uint64_t)fmin(round(seconds * 1e9), 1e15) : 0;
}

/*
 * Computation between the call before of the thread and this one. What of it was before the stretch is not its. Older recordings say
 * of calls that begin together (those of length zero of MPI_Startall, or of a collective among neighbours, and the one that they are beside) with
 * the last one how much processor time it was, the gap being before the first.
 */
static void compute(maker *m, chain *c, const clump_recorded_call *call)
{
    const double all = fmax(call->begin - c->end, 0),
                 gap = recorded_sample_time(&m->sample, c->end, call->begin),
                 share = all > gap ? gap / all : 1, processor = fmax(call->processor, 0) * share;
    const bool wall = m->options->gaps == CLUMP_GAPS_WALL, together = all <= 0;
    if (together && c->unpaid != NONE && call->processor > 0) {
        const double paid = fmin(call->processor, c->unpaid_most);
        clump_kept_set_calc(m->writer, c->unpaid, nanoseconds(paid));
        m->report->processor += paid;
    }
    if (!together || call->processor > 0)
        c->unpaid = NONE;
    const uint64_t ns = nanoseconds(wall ? gap : fmin(processor, gap));
    const bool later =
        !wall && gap > 0 && call->processor <= 0 && call->end <= call->begin &&
        (call->kind == CLUMP_CALL_ISEND || call->kind == CLUMP_CALL_IRECEIVE || call->nonblocking);
    m->report->gaps += gap;
    m->report->processor += fmin(processor, gap);
    if (ns > 0 || later)
        advance(m, c, ns);
    if (later) {
        c->unpaid = c->tail[0];
        c->unpaid_most = gap;
    }
}

/* A thread that has not been seen begins where the first one is. */
static void begin_thread(maker *m, chain *c)
{
    const chain *first = &m->chains[0];
    if (c->begun)
        return;
    c->begun = true;
    if (c == first || !first->begun)
        return;
    for (unsigned i = 0; i < first->tails; i++)
        wait_for(m, c, first->tail[i]);
    c->end = first->end;
}

/* ---- messages */

static bool is_rank(const maker *m, int peer)
{
    return peer >= 0 && (size_t)peer < m->ranks;
}

/* A petabyte: a schedule takes no greater messages (schedule_builder.h), and a recording that has them is not of any machine. */
static const uint64_t most_bytes = UINT64_C(1000000000000000);

static uint32_t add_send(maker *m, const chain *c, int peer, uint32_t tag, uint64_t bytes)
{
    m->operations++;
    return follow(m, c, clump_kept_add_send(m->writer, cpu_of(c, m), (uint32_t)peer, tag, bytes));
}

static uint32_t add_receive(maker *m, const chain *c, int peer, uint32_t tag, uint64_t bytes)
{
    m->operations++;
    return clump_kept_add_receive(m->writer, cpu_of(c, m), (uint32_t)peer, tag, bytes);
}

/* What the call in hand sends; NONE: nothing that is wanted. */
static uint32_t send_message(maker *m, const chain *c, const clump_recorded_call *call)
{
    if (!is_rank(m, call->peer) || m->begins_in == RECORDED_OUTSIDE || call->bytes > most_bytes)
        return NONE;
    const uint32_t tag = tag_of(m, call->communicator, call->tag);
    return add_send(m, c, call->peer, tag_in(m, tag, m->begins_in), call->bytes);
}

/* A message that the call in hand received, which waits for nothing yet; NONE: nothing that is to be waited for. */
static uint32_t receive_message(maker *m, const chain *c, int peer, uint32_t communicator, int tag,
                                uint64_t bytes)
{
    if (!is_rank(m, peer))
        return NONE;
    const uint32_t known = tag_of(m, communicator, tag);
    const int part = awaited_from(m, peer, known);
    return part != RECORDED_OUTSIDE && bytes <= most_bytes
               ? add_receive(m, c, peer, tag_in(m, known, part), bytes)
               : NONE;
}

/* From whom, is known when it is completed. One that stands from before what is wanted on is made then. */
static void start_receive(maker *m, chain *c, const clump_recorded_call *call)
{
    if (call->requests == 0)
        return;
    const uint32_t posted = m->inside ? follow(m, c, add_receive(m, c, (int)m->rank, 0, 0)) : NONE;
    if (posted != NONE && (call->any || call->peer < 0))
        clump_kept_any_source(m->writer, posted);
    start_request(m, &call->request[0], posted, call->communicator, true);
}

/* Sends, receives, or both at once. */
static void exchange(maker *m, chain *c, const clump_recorded_call *call)
{
    const chain before = *c;
    uint32_t sent = NONE, received = NONE;
    if (call->kind != CLUMP_CALL_RECEIVE && (sent = send_message(m, c, call)) != NONE)
        go_on(c, sent);
    if (call->kind == CLUMP_CALL_RECEIVE)
        received =
            receive_message(m, c, call->peer, call->communicator, call->tag, call->bytes_received);
    else if (call->kind == CLUMP_CALL_SENDRECV)
        received = receive_message(m, c, call->peer_receive, call->communicator, call->tag_receive,
                                   call->bytes_received);
    if (received == NONE)
        return;
    if (call->any)
        clump_kept_any_source(m->writer, received);
    follow(m, &before, received);
    if (sent != NONE)
        wait_for(m, c, received);
    else
        go_on(c, received);
}

/*
 * What a test finds complete is not waited for there: on another machine it may come later, and what was computed between tests would be
 * computed meanwhile. The next call that is no test is taken to need it.
 */
static void wait_or_test(maker *m, chain *c, uint32_t operation, bool tests)
{
    if (!tests)
        wait_for(m, c, operation);
    else if (append(m, &c->tested, &c->tested_count, &c->tested_room, operation))
        m->report->tested++;
}

static void complete(maker *m, chain *c, const clump_call_request *r, bool tests)
{
    const uint32_t place = clump_table_get(&m->request_of, r->number, 0);
    if (place == CLUMP_TABLE_NONE)
        return;
    const open_request found = ((open_request *)m->requests.items)[place];
    ((open_request *)m->requests.items)[place].operation = NONE;
    clump_table_remove(&m->request_of, r->number, 0);
    clump_pool_give(&m->requests, place);
    if (found.receives && found.operation == NONE) {
        const uint32_t came = receive_message(m, c, r->peer, found.communicator, r->tag, r->bytes);
        if (came != NONE)
            wait_or_test(m, c, came, tests);
        return;
    }
    if (found.operation == NONE || (found.sends && r->kind == CLUMP_REQUEST_OTHER))
        return; /* freed: nobody waits for it */
    if (found.receives) {
        if (!is_rank(m, r->peer)) { /* cancelled, or from nobody */
            clump_kept_drop_receive(m->writer, found.operation);
            return;
        }
        const uint32_t tag = tag_of(m, found.communicator, r->tag);
        const int part = awaited_from(m, r->peer, tag);
        if (part != RECORDED_OUTSIDE && r->bytes <= most_bytes)
            clump_kept_set_receive(m->writer, found.operation, (uint32_t)r->peer,
                                   tag_in(m, tag, part), r->bytes);
        else
            clump_kept_drop_receive(m->writer, found.operation);
    }
    wait_or_test(m, c, found.operation, tests);
}

/* ---- collectives */

/* Messages of a rank, and joints of steps with many of them: what it is in a schedule. */
typedef struct counted {
    uint64_t operations;
    uint32_t step, in_step;
} counted;

static int count(void *context, const clump_collective_message *message)
{
    counted *c = context;
    if (message->step != c->step)
        c->in_step = 0;
    c->step = message->step;
    c->operations += 1 + (c->in_step == MOST_TAILS);
    c->in_step++;
    return 0;
}

static uint32_t add_collective(maker *m, const chain *c, uint32_t communicator, uint64_t number,
                               uint32_t tag, const clump_collective_operation *o)
{
    recorded_communicator *of = &m->collectives.of[communicator];
    recorded_collective *one = &of->all[number];
    const clump_recording_members members =
        clump_recording_communicator(m->recording, communicator);
    if (of->kept == RECORDED_NO_INDEX)
        of->kept = clump_kept_communicator(m->writer, members.ranks, members.count);
    if (one->parts != NULL && one->kept < 0)
        one->kept = clump_kept_parts(m->writer, one->parts, members.count + 1);
    counted sum = {0, 0, 0};
    clump_collective_visit(o, of->index, count, &sum);
    m->operations += sum.operations;
    return follow(m, c,
                  clump_kept_add_collective(m->writer, cpu_of(c, m), of->kept, tag, o, one->kept));
}

static void take_part(maker *m, chain *c, const clump_recorded_call *call)
{
    clump_collective_operation o;
    uint64_t number;
    if (!recorded_collectives_find(&m->collectives, call, &o, &number)) {
        m->report->unknown += m->inside;
        return;
    }
    const recorded_collective *one = &m->collectives.of[call->communicator].all[number];
    if (part_of(m, one->begin) == RECORDED_OUTSIDE ||
        part_of(m, one->begin) != part_of(m, one->end))
        return; /* not all of them are in the same part */
    o.algorithm = clump_collective_choose(m->library, &o);
    if (clump_collective_check(&o, NULL) != CLUMP_OK || o.bytes > most_bytes ||
        (o.parts != NULL && o.parts[o.ranks] > most_bytes)) {
        m->report->unknown++;
        return;
    }
    const uint32_t tag =
        tag_of(m, call->communicator,
               call->nonblocking ? TAG_FIRST_NONBLOCKING - (int)(number % COLLECTIVE_TAGS)
                                 : TAG_COLLECTIVE);
    const uint32_t all = add_collective(m, c, call->communicator, number, tag, &o);
    if (!call->nonblocking)
        go_on(c, all);
    else if (call->requests > 0)
        start_request(m, &call->request[0], all, call->communicator, false);
}

/* ---- one-sided: a message, and one that comes back, which the next synchronization waits for */

static void write_to(maker *m, chain *c, const clump_recorded_call *call)
{
    if (!is_rank(m, call->peer) || (uint32_t)call->peer == m->rank ||
        m->begins_in == RECORDED_OUTSIDE || call->bytes > most_bytes ||
        call->bytes_received > most_bytes)
        return;
    const uint32_t sent = add_send(m, c, call->peer, tag_of(m, NONE, TAG_PUT), call->bytes);
    const uint32_t back = follow(
        m, c, add_receive(m, c, call->peer, tag_of(m, NONE, TAG_BACK), call->bytes_received));
    append(m, &m->back, &m->back_count, &m->back_room, back);
    if (call->requests > 0)
        start_request(m, &call->request[0], call->bytes_received > 0 ? back : sent,
                      call->communicator, false);
}

static void synchronize(maker *m, chain *c)
{
    for (size_t i = 0; i < m->back_count; i++)
        wait_for(m, c, m->back[i]);
    m->back_count = 0;
}

/* What others ask of the rank is answered whatever it does. */
static size_t answer(maker *m, size_t next)
{
    const uint8_t cpu = (uint8_t)(m->threads < MOST_THREADS ? m->threads : MOST_THREADS);
    for (; next < m->visit_count && m->visits[next].target == m->rank; next++) {
        const visit_of *v = &m->visits[next];
        const uint32_t comes =
            clump_kept_add_receive(m->writer, cpu, v->origin, tag_of(m, NONE, TAG_PUT), v->bytes);
        clump_kept_add_send(m->writer, cpu, v->origin, tag_of(m, NONE, TAG_BACK), v->back);
        clump_kept_require(m->writer, comes);
        m->operations += 2;
    }
    return next;
}

static int by_target(const void *a, const void *b)
{
    const visit_of *x = a, *y = b;
    return x->target != y->target ? (x->target < y->target ? -1 : 1)
                                  : (x->origin > y->origin) - (x->origin < y->origin);
}

/* ---- ranks */

static bool is_one_sided(clump_call_kind kind)
{
    return kind == CLUMP_CALL_PUT || kind == CLUMP_CALL_GET || kind == CLUMP_CALL_ACCUMULATE;
}

/* What is taken of a rank begins when MPI_Init has ended. */
static void begin_rank(maker *m, double now)
{
    for (size_t i = 0; i < MOST_THREADS; i++) {
        free(m->chains[i].tested);
        m->chains[i] = (chain){.end = now, .unpaid = NONE};
    }
    m->first = now;
}

static void end_rank(maker *m, chain *c)
{
    for (size_t i = 0; i < MOST_THREADS; i++)
        for (unsigned k = 0; &m->chains[i] != c && k < m->chains[i].tails; k++)
            wait_for(m, c, m->chains[i].tail[k]);
}

/* A call outside of all parts makes nothing, but leaves requests open, and takes messages that came. */
static void add_call(maker *m, const clump_recorded_call *call)
{
    chain *c = chain_of(m, call->thread);
    m->call++;
    if (call->kind == CLUMP_CALL_INIT) {
        begin_rank(m, call->end);
        return;
    }
    begin_thread(m, c);
    m->begins_in = part_of(m, call->begin);
    m->ends_in = part_of(m, call->end);
    m->inside = m->begins_in != RECORDED_OUTSIDE || m->ends_in != RECORDED_OUTSIDE;
    compute(m, c, call);
    if (call->kind == CLUMP_CALL_TEST && m->inside &&
        (call->requests == 0 || call->request[0].kind != CLUMP_REQUEST_OTHER))
        advance(m, c, 0); /* messages go on */
    else if (call->kind != CLUMP_CALL_TEST) {
        for (size_t i = 0; i < c->tested_count; i++)
            wait_for(m, c, c->tested[i]);
        c->tested_count = 0;
    }
    m->added += m->inside;
    c->end = fmax(c->end, call->end);
    m->last = fmax(m->last, call->kind == CLUMP_CALL_FINALIZE ? call->begin : call->end);
    if (recorded_collective_kind(call->kind) != CLUMP_COLLECTIVE_KINDS) {
        take_part(m, c, call);
        return;
    }
    switch (call->kind) {
    case CLUMP_CALL_ISEND: {
        const uint32_t sent = send_message(m, c, call);
        if (call->requests > 0)
            start_request(m, &call->request[0], sent, call->communicator, false);
        else if (sent != NONE)
            go_on(c, sent);
        break;
    }
    case CLUMP_CALL_SEND:
    case CLUMP_CALL_RECEIVE:
    case CLUMP_CALL_SENDRECV:
        exchange(m, c, call);
        break;
    case CLUMP_CALL_IRECEIVE:
        start_receive(m, c, call);
        break;
    case CLUMP_CALL_NEIGHBOUR:
        m->report->unknown += m->inside && clump_call_hides_messages(call);
        /* fall through */
    case CLUMP_CALL_WAIT:
    case CLUMP_CALL_TEST:
        for (uint32_t i = 0; clump_call_completes(call) && i < call->requests; i++)
            complete(m, c, &call->request[i], call->kind == CLUMP_CALL_TEST);
        break;
    case CLUMP_CALL_PUT:
    case CLUMP_CALL_GET:
    case CLUMP_CALL_ACCUMULATE:
        write_to(m, c, call);
        break;
    case CLUMP_CALL_SYNCHRONIZE:
        if (m->inside)
            synchronize(m, c);
        break;
    case CLUMP_CALL_FINALIZE:
        if (m->inside)
            end_rank(m, c);
        break;
    default:
        break;
    }
}

/* Receives that were never completed are none. */
static void drop_requests(maker *m)
{
    const open_request *all = m->requests.items;
    for (uint32_t i = 0; i < m->requests.count; i++)
        if (all[i].receives && all[i].operation != NONE)
            clump_kept_drop_receive(m->writer, all[i].operation);
    clump_pool_clear(&m->requests);
    clump_table_clear(&m->request_of);
}

/* ---- passes */

typedef void pass(maker *m, const clump_recorded_call *call);

/* When messages were sent tells which of them are there when a part begins. */
static void learn_sent(maker *m, const clump_recorded_call *call)
{
    const bool sends = call->kind == CLUMP_CALL_SEND || call->kind == CLUMP_CALL_ISEND ||
                       call->kind == CLUMP_CALL_SENDRECV;
    if (!sends || m->sample.wanted.all || !is_rank(m, call->peer))
        return;
    const uint32_t tag = tag_of(m, call->communicator, call->tag);
    m->no_memory =
        !recorded_sample_send(&m->sample, m->rank, (uint32_t)call->peer, tag, call->begin) ||
        m->no_memory;
}

static void learn(maker *m, const clump_recorded_call *call)
{
    m->report->calls++;
    m->report->any += call->any;
    m->report->fetched += call->kind == CLUMP_CALL_ACCUMULATE && call->bytes_received > 0;
    m->wanted +=
        part_of(m, call->begin) != RECORDED_OUTSIDE || part_of(m, call->end) != RECORDED_OUTSIDE;
    if (call->kind == CLUMP_CALL_INIT)
        m->report->begin = fmin(m->report->begin, call->end);
    if (call->thread + 1 > m->threads)
        m->threads = call->thread < MOST_THREADS ? call->thread + 1 : MOST_THREADS;
    m->no_memory = !recorded_collectives_learn(&m->collectives, call) || m->no_memory;
    learn_sent(m, call);
    if (part_of(m, call->begin) == RECORDED_OUTSIDE)
        return;
    if (!is_one_sided(call->kind) || !is_rank(m, call->peer) || (uint32_t)call->peer == m->rank ||
        call->bytes > most_bytes || call->bytes_received > most_bytes)
        return;
    visit_of *visits = clump_list_grow(m->visits, m->visit_count, &m->visit_room, sizeof *visits);
    if (visits == NULL) {
        m->no_memory = true;
        return;
    }
    m->visits = visits;
    m->visits[m->visit_count++] =
        (visit_of){(uint32_t)call->peer, m->rank, call->bytes, call->bytes_received};
}

static clump_recording_status complain(maker *m, clump_recording_status status, const char *why)
{
    if (m->message != why)
        snprintf(m->message, CLUMP_RECORDING_TEXT, "%s", why);
    return status;
}

/* What is computed before the first call that is not wanted any more. */
static void end_stretch(maker *m, const clump_recorded_call *call)
{
    chain *c = chain_of(m, call->thread);
    if (m->options->until > 0 && c->begun)
        compute(m, c, call);
}

/* How much of the calls that are to be read were, in the order of ranks. */
static double share_taken(const maker *m)
{
    return m->wanted > 0 ? (double)m->added / (double)m->wanted : 1;
}

/* All calls of a rank that begin before the traces of all ranks end. */
static clump_recording_status read_rank(maker *m, pass *what)
{
    clump_recording_calls *calls = NULL;
    clump_recorded_call call;
    int found = 0;
    if (clump_recording_rank_of(m->recording, m->rank).missing)
        return CLUMP_RECORDING_OK;
    clump_recording_status status = clump_recording_calls_open(m->recording, m->rank, &calls);
    if (status != CLUMP_RECORDING_OK)
        return complain(m, status, clump_recording_message(m->recording));
    while (!m->no_memory && !is_full(m) && (found = clump_recording_next(calls, &call)) > 0 &&
           !(m->report->cut && call.begin > m->report->until))
        what(m, &call);
    if (found > 0 && what == add_call && !m->no_memory && !m->too_many)
        end_stretch(m, &call);
    clump_recording_calls_close(calls);
    if (found < 0)
        return complain(m, CLUMP_RECORDING_INPUT, clump_recording_message(m->recording));
    if (m->too_many) {
        char text[160];
        m->report->taken = share_taken(m);
        snprintf(text, sizeof text,
                 "rank %u, call %u: the recording is more than %llu operations, expected fewer: "
                 "record less of it",
                 (unsigned)m->rank, (unsigned)m->call,
                 (unsigned long long)m->options->most_operations);
        return complain(m, CLUMP_RECORDING_INPUT, text);
    }
    return m->no_memory ? complain(m, CLUMP_RECORDING_NO_MEMORY, "out of memory for the calls")
                        : CLUMP_RECORDING_OK;
}

/* Until when all ranks have their calls. */
static void find_cut(maker *m)
{
    recorded_calls_report *report = m->report;
    report->until = INFINITY;
    for (size_t r = 0; r < m->ranks; r++) {
        const clump_recording_rank rank = clump_recording_rank_of(m->recording, r);
        if (rank.missing) {
            report->cut = true;
        } else if (rank.end == CLUMP_RECORDING_CUT ||
                   rank.account->traced_entries < rank.account->entries) {
            report->cut = true;
            report->until = fmin(report->until, rank.account->trace_end);
        }
    }
    if (report->until == INFINITY)
        report->until = clump_recording_describe(m->recording).seconds;
    if (m->options->until > 0 && m->options->until < report->until) {
        report->until = m->options->until;
        report->cut = true;
    }
}

/* @param end  until which all ranks have their calls */
static recorded_wanted wanted_of(const recorded_calls_options *o, double end)
{
    const int most = RECORDED_MOST_PARTS;
    const int parts = o->parts > 0 && o->parts < (unsigned)most ? (int)o->parts : most;
    const bool shares = o->share > 0 && o->share < 1;
    return (recorded_wanted){.all = !(o->from > 0 || o->until > 0 || o->share > 0),
                             .from = o->from,
                             .until = o->until > 0 ? o->until : end,
                             .share = shares ? o->share : 1,
                             .parts = shares ? parts : 1};
}

static clump_recording_status read_all(maker *m)
{
    size_t visits = 0;
    clump_recording_status status = CLUMP_RECORDING_OK;
    for (m->rank = 0; m->rank < m->ranks && status == CLUMP_RECORDING_OK; m->rank++) {
        recorded_collectives_rank(&m->collectives, m->rank);
        status = read_rank(m, learn);
    }
    if (status != CLUMP_RECORDING_OK)
        return status;
    recorded_collectives_sum(&m->collectives);
    if (m->visit_count > 0)
        qsort(m->visits, m->visit_count, sizeof *m->visits, by_target);
    for (m->rank = 0; m->rank < m->ranks && status == CLUMP_RECORDING_OK; m->rank++) {
        const clump_recording_rank rank = clump_recording_rank_of(m->recording, m->rank);
        recorded_collectives_rank(&m->collectives, m->rank);
        m->call = 0;
        m->back_count = 0;
        begin_rank(m, rank.missing ? 0 : rank.start);
        m->last = m->first;
        visits = answer(m, visits);
        status = read_rank(m, add_call);
        drop_requests(m);
        clump_kept_end_rank(m->writer);
        m->report->run = fmax(m->report->run, m->last - m->first);
        m->report->seconds =
            fmax(m->report->seconds, recorded_sample_time(&m->sample, m->first, m->last));
    }
    return status;
}

static void release(maker *m)
{
    for (size_t i = 0; i < MOST_THREADS; i++)
        free(m->chains[i].tested);
    clump_kept_writer_free(m->writer);
    recorded_collectives_release(&m->collectives);
    clump_table_clear(&m->tags);
    recorded_sample_release(&m->sample);
    clump_table_clear(&m->request_of);
    clump_pool_clear(&m->requests);
    free(m->visits);
    free(m->back);
}

clump_recording_status recorded_calls_read(clump_recording *recording,
                                           const recorded_calls_options *options, char **calls,
                                           recorded_calls_report *report,
                                           char message[CLUMP_RECORDING_TEXT])
{
    maker *m = calloc(1, sizeof *m);
    *calls = NULL;
    *report = (recorded_calls_report){.begin = INFINITY, .taken = 1};
    if (m == NULL) {
        snprintf(message, CLUMP_RECORDING_TEXT, "out of memory for the calls");
        return CLUMP_RECORDING_NO_MEMORY;
    }
    const clump_recording_about about = clump_recording_describe(recording);
    *m = (maker){.recording = recording,
                 .options = options,
                 .report = report,
                 .writer = clump_kept_writer_new(),
                 .library = clump_mpi_library_of(about.library),
                 .ranks = about.ranks,
                 .message = message,
                 .requests = {.size = sizeof(open_request)}};
    clump_recording_status status;
    if (m->writer == NULL || !recorded_collectives_make(&m->collectives, recording))
        status = complain(m, CLUMP_RECORDING_NO_MEMORY, "out of memory for the calls");
    else {
        find_cut(m);
        const recorded_wanted wanted = wanted_of(options, report->until);
        recorded_sample_make(&m->sample, &wanted, m->ranks);
        status = read_all(m);
    }
    if (status == CLUMP_RECORDING_OK) {
        *calls = clump_kept_finish(m->writer);
        m->writer = NULL;
        if (*calls == NULL)
            status = complain(m, CLUMP_RECORDING_NO_MEMORY, "out of memory for the calls");
    }
    release(m);
    free(m);
    return status;
}
