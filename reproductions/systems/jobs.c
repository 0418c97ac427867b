/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/systems/jobs.h"

#include "protocols/reliability/tree.h"
#include "reproductions/systems/packets.h"

#include <string.h>

enum { BYTES_MOST = 512, COMBINE_MOST = 4096 };
enum kind { JOBS, ASK, TOLD, DONE };

/* Words of state touched, beyond those of the packets. */
enum {
    WORK_PACKET = 4, /* of jobs: count, their size, queue's end, room */
    WORK_JOB = 2,    /* into the queue: its end, and that it is longer */
    WORK_ROUND = 6   /* counters 2, sums 2, who has told, round */
};

typedef struct header {
    uint32_t kind;
    uint32_t count;          /* jobs behind this, or number of the round */
    uint64_t run;            /* JOBS: how many the sender has left before */
    uint64_t sent, received; /* TOLD: packets, of a whole subtree */
} header;

/* Jobs for one owner. */
typedef struct buffer {
    unsigned char *jobs;
    uint32_t count;
} buffer;

struct clump_jobs {
    clump_worker *worker;
    clump_packets *packets;
    clump_jobs_function *function;
    void *context;
    uint32_t bytes, combine, room; /* jobs that are sent together, and that fit in a packet */
    buffer *to;                    /* by owner */
    uint32_t filled;               /* buffers that are not empty */
    unsigned char *queue, *packet, *job;
    uint64_t queued, queue_room;
    uint64_t packets_sent, packets_received;
    clump_jobs_counters counters;
    /* The end. */
    uint32_t asked, told; /* rounds that were asked for, and answered */
    uint32_t children, heard;
    uint64_t sent_below, received_below; /* of the subtrees that have told */
    uint64_t received_before;            /* at worker 0: in all, by the round before */
    bool any_before;
    uint64_t ends, left; /* runs that are over, and that this worker has left */
    bool early;          /* what is queued belongs to the next run: this one is over, and only that
                            has not been heard yet */
};

/* ---- packets */

static void send_buffer(clump_jobs *j, uint32_t owner)
{
    buffer *b = &j->to[owner];
    const size_t size = (size_t)b->count * j->bytes;
    for (size_t at = 0; at < size;) {
        size_t part = (size_t)j->room * j->bytes;
        part = part < size - at ? part : size - at;
        const header h = {.kind = JOBS, .count = (uint32_t)(part / j->bytes), .run = j->left};
        memcpy(j->packet, &h, sizeof h);
        memcpy(j->packet + sizeof h, b->jobs + at, part);
        clump_packets_charge(j->packets, WORK_PACKET, 0);
        j->packets_sent++;
        j->counters.packets++;
        clump_packets_send(j->packets, false, owner, j->packet, sizeof h + part);
        at += part;
    }
    j->counters.sent += b->count;
    b->count = 0;
    j->filled--;
}

/* At the end of the queue. */
static unsigned char *append(clump_jobs *j, uint32_t count)
{
    if (count > j->queue_room - j->queued) {
        uint64_t room = j->queue_room > 0 ? 2 * j->queue_room : 256;
        while (room - j->queued < count)
            room *= 2;
        unsigned char *larger = clump_worker_borrow(j->worker, room * j->bytes);
        if (j->queued > 0)
            memcpy(larger, j->queue, j->queued * j->bytes);
        clump_worker_give_back(j->worker, j->queue);
        j->queue = larger;
        j->queue_room = room;
    }
    unsigned char *place = j->queue + j->queued * j->bytes;
    j->queued += count;
    if (j->queued > j->counters.most)
        j->counters.most = j->queued;
    return place;
}

static void on_jobs(clump_jobs *j, const header *h, const unsigned char *data, size_t size)
{
    if (h->count > j->room || size != (size_t)h->count * j->bytes || size == 0)
        clump_worker_fail(j->worker, "jobs of another size");
    if (h->run != j->left && h->run != j->left + 1)
        clump_worker_fail(j->worker, "jobs of another run");
    j->early = h->run != j->left;
    memcpy(append(j, h->count), data, size);
    clump_packets_charge(j->packets, WORK_PACKET + WORK_JOB * (double)h->count, size);
    j->packets_received++;
    j->counters.received += h->count;
}

/* ---- the end */

static void send_header(clump_jobs *j, bool all, uint32_t to, const header *h)
{
    clump_packets_charge(j->packets, WORK_ROUND, 0);
    clump_packets_send(j->packets, all, to, h, sizeof *h);
}

/* Worker 0 has the sums of all. Over: nothing was under way between the two rounds. */
static void judge(clump_jobs *j, uint64_t sent, uint64_t received)
{
    if (j->any_before && sent == j->received_before) {
        send_header(j, true, 0, &(header){.kind = DONE});
        j->any_before = false;
        j->ends++;
        return;
    }
    j->any_before = true;
    j->received_before = received;
    j->asked++;
    j->counters.rounds++;
    send_header(j, true, 0, &(header){.kind = ASK, .count = j->asked});
}

/* Nothing to do here: say so, if that was asked and all below have. @return whether it was said */
static bool tell(clump_jobs *j)
{
    const clump_worker *w = j->worker;
    if (j->told == j->asked || j->heard < j->children)
        return false;
    const uint64_t sent = j->sent_below + j->packets_sent,
                   received = j->received_below + j->packets_received;
    j->told = j->asked;
    j->heard = 0;
    j->sent_below = j->received_below = 0;
    if (w->rank == 0)
        judge(j, sent, received);
    else
        send_header(j, false,
                    clump_tree_parent(CLUMP_TREE_BINARY, (uint16_t)w->count, 0, (uint16_t)w->rank),
                    &(header){.kind = TOLD, .sent = sent, .received = received});
    return true;
}

static void take(clump_packets *packets, const clump_worker_packet *p, void *context)
{
    clump_jobs *j = context;
    header h;
    (void)packets;
    if (p->size < sizeof h)
        clump_worker_fail(j->worker, "a message that is too short");
    memcpy(&h, p->data, sizeof h);
    switch (h.kind) {
    case JOBS:
        on_jobs(j, &h, p->data + sizeof h, p->size - sizeof h);
        break;
    case ASK:
        j->asked = h.count;
        break;
    case TOLD:
        j->sent_below += h.sent;
        j->received_below += h.received;
        j->heard++;
        break;
    case DONE:
        j->ends++;
        break;
    default:
        clump_worker_fail(j->worker, "a message of another system");
    }
}

/* ---- for programs */

clump_jobs *clump_jobs_open(clump_worker *w, uint32_t bytes, uint32_t combine,
                            clump_jobs_function *function, void *context)
{
    uint16_t children[CLUMP_TREE_CHILDREN_MOST];
    if (bytes == 0 || bytes > BYTES_MOST || combine == 0 || combine > COMBINE_MOST ||
        w->count > UINT16_MAX)
        clump_worker_fail(w, "jobs of no bytes or of more than 512, none or more than 4096 "
                             "together, or more than 65535 workers");
    clump_jobs *j = clump_worker_allocate(w, 1, sizeof *j);
    j->worker = w;
    j->function = function;
    j->context = context;
    j->bytes = bytes;
    j->combine = combine;
    j->packets = clump_packets_open(w, take, j);
    const size_t most = clump_packets_most(j->packets);
    if (most < sizeof(header) + bytes)
        clump_worker_fail(w, "jobs that do not fit in a packet");
    j->room = (uint32_t)((most - sizeof(header)) / bytes);
    j->packet = clump_worker_allocate(w, 1, most);
    j->job = clump_worker_allocate(w, 1, bytes);
    j->to = clump_worker_allocate(w, w->count, sizeof *j->to);
    for (uint32_t i = 0; i < w->count; i++)
        j->to[i].jobs = i != w->rank ? clump_worker_allocate(w, combine, bytes) : NULL;
    j->children =
        clump_tree_children(CLUMP_TREE_BINARY, (uint16_t)w->count, 0, (uint16_t)w->rank, children);
    return j;
}

void clump_jobs_push(clump_jobs *j, uint32_t owner, const void *job)
{
    if (owner >= j->worker->count)
        clump_worker_fail(j->worker, "a job for nobody");
    if (owner == j->worker->rank) {
        memcpy(append(j, 1), job, j->bytes);
        return;
    }
    buffer *b = &j->to[owner];
    memcpy(b->jobs + (size_t)b->count * j->bytes, job, j->bytes);
    j->filled += b->count == 0;
    if (++b->count == j->combine)
        send_buffer(j, owner);
}

/* Of all buffers the one with most jobs; of equal ones that of the next rank. Then what has come in the
 * meantime is done before others are sent half empty. */
static void send_fullest(clump_jobs *j)
{
    const uint32_t count = j->worker->count;
    uint32_t fullest = j->worker->rank;
    for (uint32_t i = 1; i < count; i++) {
        const uint32_t owner = (j->worker->rank + i) % count;
        if (j->to[owner].count > j->to[fullest].count)
            fullest = owner;
    }
    send_buffer(j, fullest);
}

void clump_jobs_run(clump_jobs *j)
{
    if (j->worker->rank == 0) { /* the first question of this run */
        j->asked++;
        j->counters.rounds++;
        send_header(j, true, 0, &(header){.kind = ASK, .count = j->asked});
    }
    while (j->ends == j->left) {
        if (j->queued > 0 && !j->early) {
            memcpy(j->job, j->queue + --j->queued * j->bytes, j->bytes);
            j->counters.done++;
            j->function(j, j->job, j->context);
            clump_packets_poll(j->packets);
        } else if (j->filled > 0) {
            send_fullest(j);
            clump_packets_poll(j->packets);
        } else if (!tell(j)) {
            clump_packets_wait(j->packets);
        }
    }
    clump_packets_flush(j->packets); /* that it is over: others wait for this */
    j->left++;
    j->early = false;
}

clump_jobs_counters clump_jobs_count(const clump_jobs *j)
{
    return j->counters;
}
