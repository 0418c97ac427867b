/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages and requests: what entry points tell of them. */
#include "recording/preload/actions.h"
#include "recording/preload/members.h"

static uint64_t bytes_of(MPI_Count n, MPI_Datatype type)
{
    int size = 0;
    if (n <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS ||
        size <= 0)
        return 0;
    return (uint64_t)n * (uint64_t)size;
}

static uint64_t bytes_in(const MPI_Status *status)
{
    MPI_Count bytes = 0;
    /* Elements of MPI_BYTE: more than an int holds. */
    if (PMPI_Get_elements_x((MPI_Status *)status, MPI_BYTE, &bytes) != MPI_SUCCESS || bytes < 0)
        return 0;
    return (uint64_t)bytes;
}

static int rank_in(const clump_members *members, int rank)
{
    return clump_members_rank(members, rank);
}

void clump_act_sent(clump_entry *entry, int dest, int tag, MPI_Count n, MPI_Datatype type,
                    MPI_Comm comm)
{
    clump_members *members = clump_members_of(comm);
    entry->call.communicator = clump_members_number(members);
    entry->call.peer = rank_in(members, dest);
    if (dest == MPI_PROC_NULL)
        return;
    entry->call.tag = tag;
    entry->call.bytes = bytes_of(n, type);
}

static _Thread_local bool probed_anybody;

void clump_act_probed(clump_entry *entry, int source)
{
    (void)entry;
    probed_anybody = source == MPI_ANY_SOURCE;
}

void clump_act_received(clump_entry *entry, int source, const MPI_Status *status, MPI_Comm comm)
{
    entry->call.any = probed_anybody || source == MPI_ANY_SOURCE;
    probed_anybody = false;
    clump_members *members = clump_members_of(comm);
    entry->call.communicator = clump_members_number(members);
    entry->call.peer = rank_in(members, status->MPI_SOURCE);
    if (status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    entry->call.tag = status->MPI_TAG;
    entry->call.bytes_received = bytes_in(status);
}

void clump_act_also_received(clump_entry *entry, const MPI_Status *status, MPI_Comm comm)
{
    entry->call.peer_receive = rank_in(clump_members_of(comm), status->MPI_SOURCE);
    if (status->MPI_SOURCE == MPI_PROC_NULL)
        return;
    entry->call.tag_receive = status->MPI_TAG;
    entry->call.bytes_received = bytes_in(status);
}

/* ---- requests that start */

/* Follow a request of that kind; NULL: there is nothing to follow, or no room. */
static clump_followed_request *follow(const MPI_Request *request, clump_request_kind kind)
{
    if (*request == MPI_REQUEST_NULL)
        return NULL;
    clump_requests *requests = clump_entry_requests();
    const uintptr_t handle = (uintptr_t)*request;
    bool behind = clump_entry_threads();
    if (!behind) {
        /* What is done at once may share a handle with others of its kind, but no receive; what else has the same one has ended without
         * our notice. */
        const clump_followed_request *same = clump_requests_find(requests, handle);
        behind = same != NULL && same->active && same->kind == kind && !same->persistent &&
                 kind != CLUMP_REQUEST_RECEIVE;
    }
    clump_followed_request *followed = clump_requests_add(requests, handle, behind);
    if (followed == NULL) {
        clump_entry_lost_request();
        return NULL;
    }
    followed->kind = kind;
    return followed;
}

static void start(clump_entry *entry, clump_followed_request *followed)
{
    followed->number = clump_entry_next_request();
    followed->active = true;
    entry->own[0] = (clump_call_request){followed->number, followed->kind, -1, -1, 0};
    entry->call.requests = 1;
    entry->call.request = entry->own;
}

void clump_act_started_send(clump_entry *entry, const MPI_Request *request)
{
    clump_followed_request *followed =
        entry->call.peer >= 0 ? follow(request, CLUMP_REQUEST_SEND) : NULL;
    if (followed != NULL)
        start(entry, followed);
}

void clump_act_started_receive(clump_entry *entry, int source, int tag, MPI_Comm comm,
                               const MPI_Request *request)
{
    clump_members *members = clump_members_of(comm);
    entry->call.communicator = clump_members_number(members);
    entry->call.peer = rank_in(members, source);
    if (source == MPI_PROC_NULL)
        return;
    entry->call.any = probed_anybody || source == MPI_ANY_SOURCE;
    probed_anybody = false;
    entry->call.tag = tag == MPI_ANY_TAG ? -1 : tag;
    clump_followed_request *followed = follow(request, CLUMP_REQUEST_RECEIVE);
    if (followed == NULL)
        return;
    followed->peer = entry->call.peer;
    followed->tag = entry->call.tag;
    followed->communicator = entry->call.communicator;
    followed->members = clump_members_keep(members);
    start(entry, followed);
}

/* Both begin together: the receive is a call of length zero beside the send. */
void clump_act_started_both(clump_entry *entry, int source, int tag, MPI_Count n, MPI_Datatype type,
                            MPI_Comm comm, const MPI_Request *request)
{
    clump_members *members = clump_members_of(comm);
    clump_followed_request *followed = follow(request, CLUMP_REQUEST_SEND);
    if (followed == NULL)
        return;
    followed->silent = entry->call.peer < 0;
    if (followed->silent) {
        followed->number = 0;
        followed->active = true;
    } else
        start(entry, followed);
    if (source == MPI_PROC_NULL)
        return;
    clump_recorded_call call = clump_call_of(CLUMP_CALL_IRECEIVE, 0, 0);
    call.calls = 0;
    call.communicator = clump_members_number(members);
    call.peer = rank_in(members, source);
    call.tag = tag == MPI_ANY_TAG ? -1 : tag;
    followed->peer = call.peer;
    followed->tag = call.tag;
    followed->bytes_received = bytes_of(n, type);
    followed->communicator = call.communicator;
    followed->members = clump_members_keep(members);
    followed->receive = clump_entry_next_request();
    clump_call_request one = {followed->receive, CLUMP_REQUEST_RECEIVE, -1, -1, 0};
    call.requests = 1;
    call.request = &one;
    clump_entry_more(entry, &call);
}

/* What a collective sends to neighbours and receives from them: calls of length zero beside it, with requests that are numbered from
 * `first` on. */
static void start_messages(clump_entry *entry, uint32_t communicator,
                           const clump_neighbour_messages *messages, uint64_t first)
{
    for (size_t i = 0; i < messages->sends + messages->receives; i++) {
        const bool sends = i < messages->sends;
        clump_recorded_call call =
            clump_call_of(sends ? CLUMP_CALL_ISEND : CLUMP_CALL_IRECEIVE, 0, 0);
        const clump_call_request one = {
            first + i, sends ? CLUMP_REQUEST_SEND : CLUMP_REQUEST_RECEIVE, -1, -1, 0};
        call.calls = 0;
        call.communicator = communicator;
        call.peer = messages->each[i].peer;
        call.tag = CLUMP_CALL_TAG_NEIGHBOUR;
        call.bytes = sends ? messages->each[i].bytes : 0;
        call.requests = 1;
        call.request = &one;
        clump_entry_more(entry, &call);
    }
}

static uint64_t number_messages(const clump_neighbour_messages *messages)
{
    const uint64_t first = clump_entry_next_request();
    for (size_t i = 1; i < messages->sends + messages->receives; i++)
        clump_entry_next_request();
    return first;
}

static void tell_complete(clump_entry *entry, clump_call_request request);

static void complete_messages(clump_entry *entry, const clump_neighbour_messages *messages,
                              uint64_t first)
{
    for (size_t i = 0; i < messages->sends + messages->receives; i++)
        tell_complete(entry, i < messages->sends
                                 ? (clump_call_request){first + i, CLUMP_REQUEST_SEND, -1, -1, 0}
                                 : (clump_call_request){
                                       first + i, CLUMP_REQUEST_RECEIVE, messages->each[i].peer,
                                       CLUMP_CALL_TAG_NEIGHBOUR, messages->each[i].bytes});
}

void clump_act_among_neighbours(clump_entry *entry)
{
    const clump_neighbour_messages *messages = &entry->neighbours;
    if (messages->each == NULL)
        return;
    const size_t count = messages->sends + messages->receives;
    clump_call_request *request =
        clump_entry_scratch(CLUMP_SCRATCH_REQUESTS, count + 1, sizeof *request);
    if (request == NULL)
        return;
    const uint64_t first = number_messages(messages);
    start_messages(entry, entry->call.communicator, messages, first);
    entry->call.tag = CLUMP_CALL_TAG_NEIGHBOUR;
    entry->call.request = request;
    entry->room = count;
    complete_messages(entry, messages, first);
}

void clump_act_started_collective(clump_entry *entry, const MPI_Request *request)
{
    clump_followed_request *followed = follow(request, CLUMP_REQUEST_COLLECTIVE);
    entry->call.nonblocking = true;
    if (followed == NULL)
        return;
    start(entry, followed);
    if (entry->neighbours.each == NULL ||
        !clump_requests_keep_messages(clump_entry_requests(), followed, &entry->neighbours))
        return;
    entry->call.requests = 0;
    entry->call.tag = CLUMP_CALL_TAG_NEIGHBOUR;
    start_messages(entry, entry->call.communicator, &followed->neighbours,
                   number_messages(&followed->neighbours));
}

void clump_act_started_other(clump_entry *entry, const MPI_Request *request)
{
    clump_followed_request *followed = follow(request, CLUMP_REQUEST_OTHER);
    if (followed != NULL)
        start(entry, followed);
}

/* A persistent request, which nothing is known of yet; NULL: none. */
static clump_followed_request *prepare(const MPI_Request *request, clump_request_kind kind,
                                       clump_call_kind call)
{
    if (*request == MPI_REQUEST_NULL)
        return NULL;
    clump_followed_request *followed =
        clump_requests_add(clump_entry_requests(), (uintptr_t)*request, clump_entry_threads());
    if (followed == NULL) {
        clump_entry_lost_request();
        return NULL;
    }
    followed->kind = kind;
    followed->call = call;
    followed->persistent = true;
    return followed;
}

void clump_act_prepared(clump_entry *entry, int peer, int tag, MPI_Count n, MPI_Datatype type,
                        MPI_Comm comm, bool receive, const MPI_Request *request)
{
    clump_members *members = clump_members_of(comm);
    entry->call.communicator = clump_members_number(members);
    clump_followed_request *followed =
        prepare(request, receive ? CLUMP_REQUEST_RECEIVE : CLUMP_REQUEST_SEND,
                receive ? CLUMP_CALL_IRECEIVE : CLUMP_CALL_ISEND);
    if (followed == NULL)
        return;
    followed->peer = rank_in(members, peer);
    followed->tag = tag == MPI_ANY_TAG ? -1 : tag;
    followed->bytes = receive ? 0 : bytes_of(n, type);
    followed->communicator = entry->call.communicator;
    followed->members = clump_members_keep(members);
}

void clump_act_prepared_parts(clump_entry *entry, int peer, int tag, int parts, MPI_Count n,
                              MPI_Datatype type, MPI_Comm comm, bool receive,
                              const MPI_Request *request)
{
    clump_act_prepared(entry, peer, tag, n, type, comm, receive, request);
    clump_followed_request *followed =
        *request != MPI_REQUEST_NULL
            ? clump_requests_last(clump_entry_requests(), (uintptr_t)*request)
            : NULL;
    if (followed == NULL || parts < 0)
        return;
    followed->in_parts = true;
    *(receive ? &followed->bytes_received : &followed->bytes) = bytes_of(n, type) * (uint64_t)parts;
}

void clump_act_prepared_collective(clump_entry *entry, clump_call_kind kind,
                                   const MPI_Request *request)
{
    clump_recorded_call *call = &entry->call;
    clump_followed_request *followed = prepare(request, CLUMP_REQUEST_COLLECTIVE, kind);
    if (followed != NULL) {
        followed->peer = call->peer;
        followed->communicator = call->communicator;
        followed->bytes = call->bytes;
        followed->bytes_received = call->bytes_received;
        if (entry->neighbours.each != NULL)
            clump_requests_keep_messages(clump_entry_requests(), followed, &entry->neighbours);
    }
    call->peer = -1;
    call->bytes = call->bytes_received = 0;
}

static clump_recorded_call started_again(clump_followed_request *followed)
{
    clump_recorded_call call = clump_call_of(followed->call, 0, 0);
    call.peer = followed->peer;
    call.tag = followed->tag;
    call.communicator = followed->communicator;
    call.bytes = followed->bytes;
    call.nonblocking = followed->kind == CLUMP_REQUEST_COLLECTIVE;
    if (call.nonblocking)
        call.bytes_received = followed->bytes_received;
    call.requests = 1;
    followed->number = clump_entry_next_request();
    followed->active = true;
    return call;
}

/* Persistent ones: the last is this call, each one before a call of length zero beside it, in the order of their starts. */
void clump_act_started(clump_entry *entry, int count)
{
    clump_recorded_call call;
    clump_call_request one = {.number = 0};
    for (int i = 0; i < count && i < entry->before_count; i++) {
        clump_followed_request *followed =
            clump_requests_last(clump_entry_requests(), entry->before[i]);
        if (followed == NULL || !followed->persistent) {
            clump_entry_lost_request();
            continue;
        }
        if (one.number != 0) {
            call.request = &one;
            clump_entry_more(entry, &call);
        }
        call = started_again(followed);
        if (followed->neighbours.each != NULL) {
            call.requests = 0;
            call.tag = CLUMP_CALL_TAG_NEIGHBOUR;
            start_messages(entry, call.communicator, &followed->neighbours,
                           number_messages(&followed->neighbours));
        }
        /* MPI_Startall is one call; of collectives it is as many operations. */
        if (one.number != 0 && !call.nonblocking)
            call.calls = 0;
        one = (clump_call_request){followed->number, followed->kind, -1, -1, 0};
    }
    if (one.number == 0)
        return;
    entry->own[0] = one;
    call.request = entry->own;
    call.begin = entry->call.begin;
    call.processor = entry->call.processor;
    call.thread = entry->call.thread;
    entry->call = call;
}

/* ---- requests that end */

/* Which requests the handles stand for now. */
static void note_numbers(clump_entry *entry)
{
    entry->numbers =
        clump_entry_scratch(CLUMP_SCRATCH_NUMBERS, (size_t)entry->before_count, sizeof(uint64_t));
    if (entry->numbers == NULL)
        return;
    clump_entry_lock(entry);
    for (int i = 0; i < entry->before_count; i++) {
        const clump_followed_request *followed =
            entry->before[i] != 0 ? clump_requests_last(clump_entry_requests(), entry->before[i])
                                  : NULL;
        entry->numbers[i] = followed != NULL ? followed->number : 0;
    }
    clump_entry_unlock(entry);
}

/* Request `index` of those before the call; NULL: it is not followed. */
static clump_followed_request *followed_before(const clump_entry *entry, int index)
{
    clump_requests *requests = clump_entry_requests();
    return entry->numbers != NULL
               ? clump_requests_numbered(requests, entry->before[index], entry->numbers[index])
               : clump_requests_find(requests, entry->before[index]);
}

void clump_act_before(clump_entry *entry, int count, const MPI_Request *requests)
{
    if (count <= 0 || requests == NULL)
        return;
    entry->before = clump_entry_scratch(CLUMP_SCRATCH_HANDLES, (size_t)count, sizeof(uintptr_t));
    if (entry->before == NULL)
        return;
    entry->before_count = count;
    for (int i = 0; i < count; i++)
        entry->before[i] = requests[i] == MPI_REQUEST_NULL ? (uintptr_t)0 : (uintptr_t)requests[i];
    if (clump_entry_threads())
        note_numbers(entry);
}

/* Of more requests than that at once sources and sizes are those that were asked for. */
enum { STATUSES_MOST = 1 << 16 };

MPI_Status *clump_act_statuses(int count, MPI_Status *statuses)
{
    if (statuses != MPI_STATUSES_IGNORE || count <= 0 || count > STATUSES_MOST)
        return statuses;
    MPI_Status *own =
        clump_entry_scratch(CLUMP_SCRATCH_STATUSES, (size_t)count, sizeof(MPI_Status));
    return own != NULL ? own : statuses;
}

static void tell_complete(clump_entry *entry, clump_call_request request)
{
    if (entry->call.requests < entry->room)
        ((clump_call_request *)entry->call.request)[entry->call.requests++] = request;
}

static clump_call_request what_came(uint64_t number, const clump_followed_request *followed,
                                    const MPI_Status *status)
{
    clump_call_request came = {number, CLUMP_REQUEST_RECEIVE, followed->peer, followed->tag, 0};
    if (followed->in_parts) {
        came.bytes = followed->bytes_received;
        return came;
    }
    if (status == NULL)
        return came;
    int cancelled = 0;
    if (PMPI_Test_cancelled(status, &cancelled) == MPI_SUCCESS && cancelled) {
        came.peer = came.tag = -1; /* MPICH leaves a size in its status */
        return came;
    }
    const clump_call_request told = {number, CLUMP_REQUEST_RECEIVE,
                                     rank_in(followed->members, status->MPI_SOURCE),
                                     status->MPI_TAG, bytes_in(status)};
    if (followed->receive == 0)
        return told;
    /* MPICH 4.0 does not fill the status of a send that is a receive, too: it is believed where nothing else is known. */
    const bool agrees = (came.peer < 0 || told.peer == came.peer) &&
                        (came.tag < 0 || told.tag == came.tag) &&
                        told.bytes <= followed->bytes_received;
    if (came.peer < 0)
        came.peer = told.peer;
    if (came.tag < 0)
        came.tag = told.tag;
    came.bytes = agrees ? told.bytes : followed->bytes_received;
    return came;
}

/* Request `index` of those before the call is complete. */
static void complete(clump_entry *entry, int index, const MPI_Status *status)
{
    if (index < 0 || index >= entry->before_count || entry->before[index] == 0)
        return;
    clump_followed_request *followed = followed_before(entry, index);
    if (followed == NULL) {
        /* That of a send to nobody; or too many at once. */
        return;
    }
    if (!followed->active)
        return;
    if (followed->neighbours.each != NULL)
        complete_messages(entry, &followed->neighbours, followed->number + 1);
    else if (followed->kind == CLUMP_REQUEST_RECEIVE)
        tell_complete(entry, what_came(followed->number, followed, status));
    else if (!followed->silent)
        tell_complete(entry, (clump_call_request){followed->number, followed->kind, -1, -1, 0});
    if (followed->receive != 0)
        tell_complete(entry, what_came(followed->receive, followed, status));
    if (followed->persistent)
        followed->active = false;
    else
        clump_requests_remove(clump_entry_requests(), followed);
}

/* A request may be a send and a receive, or as many as there are neighbours. */
static void make_room(clump_entry *entry, int count)
{
    const size_t most = clump_entry_requests()->most_messages;
    if (count <= 1 && most <= 2) {
        entry->call.request = entry->own;
        entry->room = 2;
        return;
    }
    const size_t room = (most > 2 ? most : 2) * (size_t)(count > 1 ? count : 1);
    clump_call_request *request =
        clump_entry_scratch(CLUMP_SCRATCH_REQUESTS, room, sizeof *request);
    entry->call.request = request;
    entry->room = request != NULL ? room : 0;
}

void clump_act_completed(clump_entry *entry, int index, const MPI_Status *status)
{
    make_room(entry, 1);
    complete(entry, index, status); /* MPI_UNDEFINED is none of them */
}

void clump_act_completed_all(clump_entry *entry, int count, const MPI_Status *statuses)
{
    make_room(entry, count);
    for (int i = 0; i < count; i++)
        complete(entry, i, statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[i]);
}

void clump_act_completed_some(clump_entry *entry, int outcount, const int *indices,
                              const MPI_Status *statuses)
{
    if (outcount == MPI_UNDEFINED || outcount <= 0 || indices == NULL)
        return;
    make_room(entry, outcount);
    for (int i = 0; i < outcount; i++)
        complete(entry, indices[i], statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[i]);
}

void clump_act_tested(clump_entry *entry, int flag, int index, const MPI_Status *status)
{
    if (flag)
        clump_act_completed(entry, index, status);
}

void clump_act_tested_all(clump_entry *entry, int flag, int count, const MPI_Status *statuses)
{
    if (flag)
        clump_act_completed_all(entry, count, statuses);
}

/* What is freed while it is under way ends some time, and nobody waits for it: the trace is told, so that it is not open for ever. */
void clump_act_freed(clump_entry *entry)
{
    clump_followed_request *followed = entry->before_count > 0 ? followed_before(entry, 0) : NULL;
    if (followed == NULL)
        return;
    if (followed->active) {
        entry->call.kind = CLUMP_CALL_TEST;
        make_room(entry, 1);
        if (!followed->silent)
            tell_complete(entry,
                          (clump_call_request){followed->number, CLUMP_REQUEST_OTHER, -1, -1, 0});
        if (followed->receive != 0)
            tell_complete(entry,
                          (clump_call_request){followed->receive, CLUMP_REQUEST_OTHER, -1, -1, 0});
    }
    clump_requests_remove(clump_entry_requests(), followed);
}

/* ---- matched probes: the message knows its communicator */

void clump_act_matched(clump_entry *entry, MPI_Comm comm, const MPI_Message *message)
{
    clump_members *members = clump_members_of(comm);
    entry->call.communicator = clump_members_number(members);
    if (*message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC)
        return;
    clump_followed_request *followed =
        clump_requests_add(clump_entry_messages(), (uintptr_t)*message, clump_entry_threads());
    if (followed == NULL)
        return;
    followed->number = clump_entry_threads() ? clump_entry_next_request() : 0;
    followed->members = clump_members_keep(members);
    followed->communicator = entry->call.communicator;
}

void clump_act_matched_if(clump_entry *entry, int flag, MPI_Comm comm, const MPI_Message *message)
{
    if (flag)
        clump_act_matched(entry, comm, message);
}

void clump_act_before_message(clump_entry *entry, const MPI_Message *message)
{
    entry->message = (uintptr_t)*message;
    if (!clump_entry_threads())
        return;
    clump_entry_lock(entry);
    const clump_followed_request *followed =
        clump_requests_last(clump_entry_messages(), entry->message);
    entry->message_number = followed != NULL ? followed->number : 0;
    clump_entry_unlock(entry);
}

void clump_act_received_message(clump_entry *entry, const MPI_Status *status)
{
    clump_requests *messages = clump_entry_messages();
    clump_followed_request *message =
        clump_requests_numbered(messages, entry->message, entry->message_number);
    if (message == NULL)
        return;
    entry->call.communicator = message->communicator;
    entry->call.peer = rank_in(message->members, status->MPI_SOURCE);
    entry->call.tag = status->MPI_TAG;
    entry->call.bytes_received = bytes_in(status);
    clump_requests_remove(messages, message);
}

void clump_act_started_message(clump_entry *entry, const MPI_Request *request)
{
    clump_requests *messages = clump_entry_messages();
    clump_followed_request *message =
        clump_requests_numbered(messages, entry->message, entry->message_number);
    if (message == NULL)
        return;
    clump_followed_request *followed = follow(request, CLUMP_REQUEST_RECEIVE);
    entry->call.communicator = message->communicator;
    if (followed != NULL) {
        followed->communicator = message->communicator;
        followed->members = clump_members_keep(message->members);
        start(entry, followed);
    }
    clump_requests_remove(messages, message);
}
