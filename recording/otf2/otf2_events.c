/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/otf2/otf2_events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What happens in a call of MPI. */
typedef enum happening_kind {
    SENDS,
    RECEIVES,
    STARTS_SEND, /* these three start a request */
    STARTS_RECEIVE,
    STARTS_COLLECTIVE,
    ENDS_SEND,
    ENDS_RECEIVE,
    ENDS_COLLECTIVE,
    CANCELS,
    COLLECTIVE,
    PUTS,
    GETS,
    UPDATES
} happening_kind;

typedef struct happening {
    happening_kind kind;
    clump_call_kind collective;
    uint32_t communicator;
    int peer, tag;
    uint64_t bytes, received;
    uint64_t request; /* as the archive calls it */
} happening;

/* A non-blocking receive or collective, as it ended. */
typedef struct ending {
    bool known;
    happening of;
} ending;

typedef struct kept_call {
    clump_recorded_call call;
    size_t first_request;
    size_t order;
} kept_call;

typedef struct rank_reader {
    const otf2_definitions *d;
    uint32_t rank;
    bool scans;     /* the first time: only endings are looked for */
    bool calls_mpi; /* the location that is read does */
    uint32_t thread;
    size_t locations;   /* that call MPI */
    size_t depth;       /* of regions of MPI */
    otf2_region region; /* the outermost */
    double begin, last; /* of it; end of the call before */
    happening *happenings;
    size_t happening_count, happening_room;
    clump_call_request *requests;
    size_t request_room;
    ending *endings; /* of all receives and collectives that were started, in their order */
    size_t ending_count, ending_room, started;
    clump_table open; /* thread and request: of an ending, or a number of ours */
    uint64_t numbers;
    bool keeps; /* several locations: calls are sorted before they go on */
    kept_call *kept;
    size_t kept_count, kept_room;
    clump_call_request *kept_requests;
    size_t kept_request_count, kept_request_room;
    otf2_call_fn *fn;
    void *context;
    otf2_rank_report report;
    bool no_memory, stopped;
} rank_reader;

/* ---- memory */

static bool grow(rank_reader *r, void *list, size_t *room, size_t wanted, size_t size)
{
    void *old, *larger;
    if (wanted <= *room)
        return true;
    memcpy(&old, list, sizeof old);
    larger = realloc(old, (2 * wanted + 16) * size);
    if (larger == NULL) {
        r->no_memory = true;
        return false;
    }
    memcpy(list, &larger, sizeof larger);
    *room = 2 * wanted + 16;
    return true;
}

/* ---- calls go on, or are kept */

static void hand_on(rank_reader *r, const clump_recorded_call *call)
{
    r->stopped = r->stopped || !r->fn(call, r->context);
}

static void keep(rank_reader *r, const clump_recorded_call *call)
{
    if (!grow(r, &r->kept, &r->kept_room, r->kept_count + 1, sizeof *r->kept) ||
        !grow(r, &r->kept_requests, &r->kept_request_room, r->kept_request_count + call->requests,
              sizeof *r->kept_requests))
        return;
    r->kept[r->kept_count] = (kept_call){*call, r->kept_request_count, r->kept_count};
    r->kept_count++;
    for (uint32_t i = 0; i < call->requests; i++)
        r->kept_requests[r->kept_request_count++] = call->request[i];
}

static void emit(rank_reader *r, clump_recorded_call *call)
{
    call->thread = r->thread;
    call->processor = fmax(0, call->begin - r->last);
    r->last = call->end;
    if (r->keeps)
        keep(r, call);
    else
        hand_on(r, call);
}

/* ---- from happenings to a call */

static clump_recorded_call call_of(const rank_reader *r, clump_call_kind kind, double end,
                                   const happening *h)
{
    clump_recorded_call call = clump_call_of(kind, r->begin, end);
    if (h != NULL) {
        call.peer = h->peer;
        call.tag = h->tag;
        call.bytes = h->bytes;
        call.bytes_received = h->received;
        call.communicator = h->communicator;
    }
    return call;
}

/* A number of ours for a request of the archive, which may use its own again. */
static uint64_t number_of(rank_reader *r, uint64_t request)
{
    const uint32_t at = clump_table_get(&r->open, request, r->thread);
    return at != CLUMP_TABLE_NONE ? at : 0;
}

static clump_request_kind request_kind_of(const happening *h)
{
    return h->kind == STARTS_SEND || h->kind == ENDS_SEND               ? CLUMP_REQUEST_SEND
           : h->kind == STARTS_COLLECTIVE || h->kind == ENDS_COLLECTIVE ? CLUMP_REQUEST_COLLECTIVE
                                                                        : CLUMP_REQUEST_RECEIVE;
}

static void start(rank_reader *r, const happening *h, double end, bool first)
{
    const clump_request_kind kind = request_kind_of(h);
    const clump_call_kind call_kind = kind == CLUMP_REQUEST_SEND      ? CLUMP_CALL_ISEND
                                      : kind == CLUMP_REQUEST_RECEIVE ? CLUMP_CALL_IRECEIVE
                                                                      : h->collective;
    clump_recorded_call call = call_of(r, call_kind, end, h);
    clump_call_request request = {.number = ++r->numbers, .kind = kind, .peer = -1, .tag = -1};
    if (r->numbers >= CLUMP_TABLE_NONE ||
        !clump_table_put(&r->open, h->request, r->thread, (uint32_t)r->numbers))
        r->no_memory = true;
    call.nonblocking = clump_call_is_collective(call_kind);
    call.calls = first ? 1 : 0;
    call.requests = 1;
    call.request = &request;
    if (!first) /* one call, several requests: it took its time once */
        call.begin = end;
    emit(r, &call);
}

static const happening *find(const rank_reader *r, happening_kind kind)
{
    for (size_t i = 0; i < r->happening_count; i++)
        if (r->happenings[i].kind == kind)
            return &r->happenings[i];
    return NULL;
}

/* Requests that end in this call. Returns how many. */
static uint32_t end_requests(rank_reader *r)
{
    uint32_t count = 0;
    if (!grow(r, &r->requests, &r->request_room, r->happening_count, sizeof *r->requests))
        return 0;
    for (size_t i = 0; i < r->happening_count; i++) {
        const happening *h = &r->happenings[i];
        const bool receives = h->kind == ENDS_RECEIVE;
        if (!receives && h->kind != ENDS_SEND && h->kind != ENDS_COLLECTIVE && h->kind != CANCELS)
            continue;
        const uint64_t number = number_of(r, h->request);
        if (number == 0)
            continue;
        clump_table_remove(&r->open, h->request, r->thread);
        r->requests[count++] = (clump_call_request){.number = number,
                                                    .kind = request_kind_of(h),
                                                    .peer = receives ? h->peer : -1,
                                                    .tag = receives ? h->tag : -1,
                                                    .bytes = receives ? h->received : 0};
    }
    return count;
}

static bool start_all(rank_reader *r, double end)
{
    bool first = true;
    for (size_t i = 0; i < r->happening_count && !r->stopped; i++)
        if (r->happenings[i].kind >= STARTS_SEND && r->happenings[i].kind <= STARTS_COLLECTIVE) {
            start(r, &r->happenings[i], end, first);
            first = false;
        }
    return !first;
}

static void finish_call(rank_reader *r, double end)
{
    const happening *collective = find(r, COLLECTIVE), *sends = find(r, SENDS);
    const happening *receives = find(r, RECEIVES), *puts = find(r, PUTS), *gets = find(r, GETS);
    const happening *updates = find(r, UPDATES);
    clump_recorded_call call;
    if (collective != NULL)
        call = call_of(r, collective->collective, end, collective);
    else if (sends != NULL && receives != NULL) {
        call = call_of(r, CLUMP_CALL_SENDRECV, end, sends);
        call.peer_receive = receives->peer;
        call.tag_receive = receives->tag;
        call.bytes_received = receives->received;
    } else if (sends != NULL)
        call = call_of(r, CLUMP_CALL_SEND, end, sends);
    else if (receives != NULL)
        call = call_of(r, CLUMP_CALL_RECEIVE, end, receives);
    else if (puts != NULL || gets != NULL || updates != NULL)
        call = call_of(r,
                       puts != NULL   ? CLUMP_CALL_PUT
                       : gets != NULL ? CLUMP_CALL_GET
                                      : CLUMP_CALL_ACCUMULATE,
                       end,
                       puts != NULL   ? puts
                       : gets != NULL ? gets
                                      : updates);
    else if (start_all(r, end))
        return;
    else
        call = call_of(r, r->region.kind, end, NULL);
    const uint32_t ended = end_requests(r);
    if (ended > 0 || clump_call_completes(&call)) {
        if (!clump_call_completes(&call))
            call.kind = CLUMP_CALL_WAIT;
        call.requests = ended;
        call.request = r->requests;
    } else if (call.kind <= CLUMP_CALL_SENDRECV && sends == NULL && receives == NULL) {
        call.kind =
            CLUMP_CALL_OTHER; /* a message that is not told: to nobody, or the trace lacks it */
    }
    r->report.finalized = r->report.finalized || call.kind == CLUMP_CALL_FINALIZE;
    emit(r, &call);
}

/* ---- callbacks: `user` is the reader */

/* What all have, of which few look at more than the time. */
#define UNUSED __attribute__((unused))
#define EVENT(name, ...)                                                                           \
    static OTF2_CallbackCode name(OTF2_LocationRef location UNUSED, OTF2_TimeStamp time UNUSED,    \
                                  uint64_t position UNUSED, void *user,                            \
                                  OTF2_AttributeList *attributes UNUSED, __VA_ARGS__)

static double seconds(const rank_reader *r, OTF2_TimeStamp time)
{
    return time > r->d->first_tick ? (double)(time - r->d->first_tick) * r->d->seconds_per_tick : 0;
}

static OTF2_CallbackCode go_on(const rank_reader *r)
{
    return r->no_memory || r->stopped ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

EVENT(enter, OTF2_RegionRef region)
{
    rank_reader *r = user;
    const otf2_region *known = otf2_region_of(r->d, region);
    if (known == NULL || !known->is_mpi)
        return OTF2_CALLBACK_SUCCESS;
    r->calls_mpi = true;
    if (r->depth++ == 0) {
        r->region = *known;
        r->begin = fmax(seconds(r, time), r->last);
        r->happening_count = 0;
    }
    return OTF2_CALLBACK_SUCCESS;
}

EVENT(leave, OTF2_RegionRef region)
{
    rank_reader *r = user;
    const otf2_region *known = otf2_region_of(r->d, region);
    if (known == NULL || !known->is_mpi || r->depth == 0)
        return OTF2_CALLBACK_SUCCESS;
    if (--r->depth == 0 && !r->scans)
        finish_call(r, fmax(r->begin, seconds(r, time)));
    return go_on(r);
}

/* What happens outside of any region of MPI is a call of no length. */
static OTF2_CallbackCode take(rank_reader *r, OTF2_TimeStamp time, const happening *h)
{
    r->calls_mpi = true;
    if (r->scans)
        return OTF2_CALLBACK_SUCCESS;
    if (r->depth == 0) {
        r->region = (otf2_region){.kind = CLUMP_CALL_OTHER};
        r->begin = fmax(seconds(r, time), r->last);
        r->happening_count = 0;
    }
    if (!grow(r, &r->happenings, &r->happening_room, r->happening_count + 1, sizeof *h))
        return OTF2_CALLBACK_INTERRUPT;
    r->happenings[r->happening_count++] = *h;
    if (r->depth == 0)
        finish_call(r, r->begin);
    return go_on(r);
}

static int tag_of(uint32_t tag)
{
    return tag <= INT32_MAX ? (int)tag : -1;
}

static happening message(const rank_reader *r, happening_kind kind, OTF2_CommRef comm,
                         uint32_t partner, uint32_t tag, uint64_t length, uint64_t request)
{
    const uint32_t communicator = otf2_communicator_of(r->d, comm);
    const bool arrives = kind == RECEIVES || kind == ENDS_RECEIVE;
    return (happening){.kind = kind,
                       .communicator = communicator,
                       .peer = otf2_world_rank(r->d, communicator, r->rank, partner),
                       .tag = tag_of(tag),
                       .bytes = arrives ? 0 : length,
                       .received = arrives ? length : 0,
                       .request = request};
}

EVENT(send, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length)
{
    rank_reader *r = user;
    const happening h = message(r, SENDS, comm, receiver, tag, length, 0);
    return take(r, time, &h);
}

EVENT(isend, uint32_t receiver, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request)
{
    rank_reader *r = user;
    const happening h = message(r, STARTS_SEND, comm, receiver, tag, length, request);
    return take(r, time, &h);
}

EVENT(isend_complete, uint64_t request)
{
    rank_reader *r = user;
    const happening h = {.kind = ENDS_SEND, .peer = -1, .tag = -1, .request = request};
    return take(r, time, &h);
}

EVENT(receive, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length)
{
    rank_reader *r = user;
    const happening h = message(r, RECEIVES, comm, sender, tag, length, 0);
    return take(r, time, &h);
}

/* What begins here is known where it ends: found the first time, and told the second time. */
static OTF2_CallbackCode begin_request(rank_reader *r, OTF2_TimeStamp time, happening_kind kind,
                                       uint64_t request)
{
    happening h = {.kind = kind,
                   .collective = CLUMP_CALL_OTHER,
                   .communicator = CLUMP_COMMUNICATOR_UNKNOWN,
                   .peer = -1,
                   .tag = -1};
    if (r->scans) {
        const size_t at = r->ending_count;
        if (at >= CLUMP_TABLE_NONE - 1 ||
            !grow(r, &r->endings, &r->ending_room, at + 1, sizeof *r->endings) ||
            !clump_table_put(&r->open, request, r->thread, (uint32_t)at)) {
            r->no_memory = true;
            return OTF2_CALLBACK_INTERRUPT;
        }
        r->endings[r->ending_count++].known = false;
    } else if (r->started < r->ending_count) {
        const ending *e = &r->endings[r->started++];
        if (e->known)
            h = e->of;
    }
    h.kind = kind;
    h.request = request;
    if (kind == STARTS_RECEIVE) /* what came is told where it ends */
        h.received = 0;
    return take(r, time, &h);
}

static OTF2_CallbackCode end_request(rank_reader *r, OTF2_TimeStamp time, const happening *h)
{
    if (r->scans) {
        const uint32_t at = clump_table_get(&r->open, h->request, r->thread);
        if (at != CLUMP_TABLE_NONE && at < r->ending_count) {
            r->endings[at] = (ending){true, *h};
            clump_table_remove(&r->open, h->request, r->thread);
        }
    }
    return take(r, time, h);
}

EVENT(irecv_request, uint64_t request)
{
    return begin_request(user, time, STARTS_RECEIVE, request);
}

EVENT(irecv, uint32_t sender, OTF2_CommRef comm, uint32_t tag, uint64_t length, uint64_t request)
{
    rank_reader *r = user;
    const happening h = message(r, ENDS_RECEIVE, comm, sender, tag, length, request);
    return end_request(r, time, &h);
}

EVENT(cancelled, uint64_t request)
{
    rank_reader *r = user;
    const happening h = {.kind = CANCELS, .peer = -1, .tag = -1, .request = request};
    if (r->scans)
        clump_table_remove(&r->open, request, r->thread);
    return take(r, time, &h);
}

static clump_call_kind kind_of(OTF2_CollectiveOp operation)
{
    switch (operation) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return CLUMP_CALL_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
        return CLUMP_CALL_BROADCAST;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
        return CLUMP_CALL_GATHER;
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return CLUMP_CALL_SCATTER;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
        return CLUMP_CALL_ALLGATHER;
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
        return CLUMP_CALL_ALLTOALL;
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
        return CLUMP_CALL_ALLREDUCE;
    case OTF2_COLLECTIVE_OP_REDUCE:
        return CLUMP_CALL_REDUCE;
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return CLUMP_CALL_REDUCE_SCATTER;
    case OTF2_COLLECTIVE_OP_SCAN:
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return CLUMP_CALL_SCAN;
    default:
        return CLUMP_CALL_OTHER;
    }
}

/*
 * Score-P counts what goes to each member, whatever the algorithm: an allreduce of n bytes sends N n. Here it is what the call
 * gives and takes (call.h).
 */
static void set_bytes(happening *h, OTF2_CollectiveOp operation, uint64_t members, bool is_root,
                      uint64_t sent, uint64_t received)
{
    const uint64_t n = members > 0 ? members : 1;
    h->bytes = sent;
    h->received = received;
    switch (h->collective) {
    case CLUMP_CALL_BROADCAST:
        h->bytes = is_root ? sent / n : 0;
        h->received = is_root ? 0 : received;
        break;
    case CLUMP_CALL_REDUCE:
        if (is_root) { /* in place: from all others, and nothing sent */
            const uint64_t from = sent > 0 || n < 2 ? n : n - 1;
            h->bytes = h->received = received / from;
        }
        break;
    case CLUMP_CALL_ALLREDUCE:
        h->bytes = h->received = sent / n;
        break;
    case CLUMP_CALL_ALLGATHER:
        h->bytes = sent / n;
        break;
    case CLUMP_CALL_REDUCE_SCATTER:
        h->received = received / n;
        break;
    case CLUMP_CALL_SCAN: {
        const uint64_t parts = operation == OTF2_COLLECTIVE_OP_SCAN ? n + 1 : n > 1 ? n - 1 : 1;
        h->bytes = h->received = (sent + received) / parts;
        break;
    }
    default:
        break;
    }
}

static happening collective_of(const rank_reader *r, happening_kind kind,
                               OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root,
                               uint64_t sent, uint64_t received)
{
    happening h = {.kind = kind,
                   .collective = kind_of(operation),
                   .communicator = otf2_communicator_of(r->d, comm),
                   .tag = -1};
    const uint64_t members = h.communicator >= r->d->communicator_count ? 1
                             : r->d->communicators[h.communicator].self
                                 ? 1
                                 : r->d->communicators[h.communicator].count;
    h.peer = otf2_world_rank(r->d, h.communicator, r->rank, root);
    set_bytes(&h, operation, members, h.peer == (int)r->rank, sent, received);
    return h;
}

EVENT(collective, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root, uint64_t sent,
      uint64_t received)
{
    const happening h = collective_of(user, COLLECTIVE, operation, comm, root, sent, received);
    return take(user, time, &h);
}

#if OTF2_VERSION_MAJOR >= 3
EVENT(collective_request, uint64_t request)
{
    return begin_request(user, time, STARTS_COLLECTIVE, request);
}

EVENT(collective_complete, OTF2_CollectiveOp operation, OTF2_CommRef comm, uint32_t root,
      uint64_t sent, uint64_t received, uint64_t request)
{
    happening h = collective_of(user, ENDS_COLLECTIVE, operation, comm, root, sent, received);
    h.request = request;
    return end_request(user, time, &h);
}
#endif

static OTF2_CallbackCode one_sided(rank_reader *r, OTF2_TimeStamp time, happening_kind kind,
                                   OTF2_RmaWinRef window, uint32_t remote, uint64_t sent,
                                   uint64_t received)
{
    const uint32_t communicator = otf2_window_of(r->d, window);
    const happening h = {.kind = kind,
                         .communicator = communicator,
                         .peer = otf2_world_rank(r->d, communicator, r->rank, remote),
                         .tag = -1,
                         .bytes = sent,
                         .received = received};
    return take(r, time, &h);
}

EVENT(rma_put, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t matching)
{
    (void)matching;
    return one_sided(user, time, PUTS, window, remote, bytes, 0);
}

EVENT(rma_get, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes, uint64_t matching)
{
    (void)matching;
    return one_sided(user, time, GETS, window, remote, 0, bytes);
}

EVENT(rma_atomic, OTF2_RmaWinRef window, uint32_t remote, OTF2_RmaAtomicType type, uint64_t sent,
      uint64_t received, uint64_t matching)
{
    (void)matching, (void)type;
    return one_sided(user, time, UPDATES, window, remote, sent, received);
}

/* ---- locations */

static OTF2_EvtReaderCallbacks *make_callbacks(void)
{
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    if (c == NULL)
        return NULL;
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(c, leave);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, send);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(c, isend_complete);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, receive);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(c, irecv_request);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, irecv);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(c, cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, collective);
#if OTF2_VERSION_MAJOR >= 3
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(c, collective_request);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, collective_complete);
#endif
    OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, rma_put);
    OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, rma_get);
    OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, rma_atomic);
    return c;
}

static const char *read_location(OTF2_Reader *reader, rank_reader *r, const otf2_location *location)
{
    OTF2_EvtReaderCallbacks *callbacks = make_callbacks();
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, location->reference);
    uint64_t read = 0;
    bool good = events != NULL && callbacks != NULL;
    r->depth = 0;
    r->last = 0;
    r->happening_count = 0;
    r->calls_mpi = false;
    if (good)
        good = OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, r) == OTF2_SUCCESS &&
               OTF2_Reader_ReadAllLocalEvents(reader, events, &read) == OTF2_SUCCESS;
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    if (events != NULL)
        OTF2_Reader_CloseEvtReader(reader, events);
    return r->no_memory              ? "out of memory"
           : r->stopped              ? "it cannot be written down"
           : !good                   ? "its events cannot be read"
           : read < location->events ? "its events end too early"
                                     : NULL;
}

static int by_end(const void *a, const void *b)
{
    const kept_call *x = a, *y = b;
    return x->call.end != y->call.end ? (x->call.end > y->call.end) - (x->call.end < y->call.end)
                                      : (x->order > y->order) - (x->order < y->order);
}

static void hand_on_kept(rank_reader *r)
{
    if (r->kept_count > 0)
        qsort(r->kept, r->kept_count, sizeof *r->kept, by_end);
    for (size_t i = 0; i < r->kept_count && !r->stopped; i++) {
        r->kept[i].call.request = r->kept_requests + r->kept[i].first_request;
        hand_on(r, &r->kept[i].call);
    }
}

static const char *read_all(OTF2_Reader *reader, rank_reader *r)
{
    const char *wrong = NULL;
    r->thread = 0;
    for (size_t i = 0; i < r->d->location_count && wrong == NULL; i++) {
        if (r->d->locations[i].rank != r->rank)
            continue;
        wrong = read_location(reader, r, &r->d->locations[i]);
        r->locations += r->scans && r->calls_mpi;
        r->thread += r->calls_mpi;
    }
    return wrong;
}

const char *otf2_events_read(OTF2_Reader *reader, const otf2_definitions *definitions,
                             uint32_t rank, otf2_call_fn *fn, void *context,
                             otf2_rank_report *report)
{
    rank_reader r = {.d = definitions, .rank = rank, .fn = fn, .context = context, .scans = true};
    const char *wrong = read_all(reader, &r);
    if (wrong == NULL) {
        clump_table_clear(&r.open);
        r.scans = false;
        r.keeps = r.locations > 1;
        wrong = read_all(reader, &r);
    }
    if (wrong == NULL)
        hand_on_kept(&r);
    if (wrong == NULL && r.stopped)
        wrong = "it cannot be written down";
    clump_table_clear(&r.open);
    free(r.happenings);
    free(r.requests);
    free(r.endings);
    free(r.kept);
    free(r.kept_requests);
    *report = r.report;
    report->no_memory = r.no_memory;
    return wrong;
}
