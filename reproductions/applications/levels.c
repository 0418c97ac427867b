/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What messages cost at the levels of tables V and VI of cluster-protocols.txt (section 6.3): packets as
 * LCI has them, Panda without and with threads, and on it MPI and Orca. Not one of the article's
 * programs, but what it measured their systems with.
 *
 * Round trips and streams go between workers 0 and 1. Broadcasts come from the last worker, so that
 * an ordered one has to ask another for its number; in a stream of them the next begins at once, else
 * 10 ms later, long after all have the one before. A worker's time is that of all rounds, each until
 * it has what it waits for.
 */
#include "reproductions/applications/application.h"
#include "reproductions/systems/mpi.h"
#include "reproductions/systems/orca.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL, WHAT, BYTES, ROUNDS }; /* sizes */
enum level { LCI, PANDA, MPI, PANDA_THREADS, ORCA, LEVELS };
enum what { ROUND_TRIP, STREAM, BROADCAST, BROADCASTS, ORDERED, ORDEREDS, WHATS };
enum { PORT = 1 };
static const double BEGIN_US = 1000, BETWEEN_US = 10000;

typedef struct bench {
    clump_worker *worker;
    enum level level;
    enum what what;
    clump_packets *packets;
    clump_panda *panda;
    clump_mpi *mpi;
    clump_orca *orca;
    unsigned object;        /* of Orca: at worker 1, or replicated */
    uint64_t got, expected; /* messages */
    unsigned char *data, *into;
    size_t size;
    bool right; /* all that came was what had been sent */
} bench;

static bool is_broadcast(enum what what)
{
    return what >= BROADCAST;
}

static bool is_ordered(enum what what)
{
    return what >= ORDERED;
}

/* One has come. */
static void count(bench *b, const void *data, size_t size)
{
    b->got++;
    b->right = b->right && size == b->size && (size == 0 || memcmp(data, b->data, size) == 0);
}

/* ---- what each level does with a message */

/* An echo is sent where it is received: its handler is all that there is. */
static void take_packet(clump_packets *packets, const clump_worker_packet *packet, void *context)
{
    bench *b = context;
    if (b->what == STREAM || b->what == BROADCASTS || b->what == ORDEREDS)
        clump_packets_charge_near(packets, 0, packet->size);
    count(b, packet->data, packet->size);
    if (b->what == ROUND_TRIP && b->worker->rank == 1)
        clump_packets_send(packets, false, 0, b->data, b->size);
}

static void take_panda(clump_panda *panda, const clump_panda_message *m, void *context)
{
    count(context, m->data, m->size);
    if (m->call != 0)
        clump_panda_answer(panda, m->from, m->call, NULL, 0);
}

static size_t take_orca(void *state, uint32_t by, const void *arguments, size_t size, void *answer)
{
    (void)by, (void)answer;
    count(state, arguments, size);
    return 0;
}

static void open_level(bench *b)
{
    static clump_orca_operation *const operations[] = {take_orca, NULL};
    clump_worker *w = b->worker;
    if (b->level == LCI) {
        b->packets = clump_packets_open(w, take_packet, b);
        b->size =
            b->size < clump_packets_most(b->packets) ? b->size : clump_packets_most(b->packets);
    } else if (b->level == MPI) {
        b->mpi = clump_mpi_open(w, CLUMP_MPI_OF_PANDA);
    } else if (b->level == ORCA) {
        b->orca = clump_orca_open(w);
        b->object = clump_orca_object(b->orca, is_broadcast(b->what) ? CLUMP_ORCA_REPLICATED : 1, b,
                                      operations);
    } else {
        b->panda = clump_panda_open(w, b->level == PANDA_THREADS);
        clump_panda_define(b->panda, PORT, take_panda, b);
    }
}

static bool has_got(const void *state, void *context)
{
    (void)context;
    return ((const bench *)state)->got >= ((const bench *)state)->expected;
}

/* Until so many have come. */
static void receive(bench *b, uint64_t expected, uint32_t root)
{
    b->expected = expected;
    if (b->level == ORCA) {
        clump_orca_await(b->orca, b->object, has_got, NULL);
        return;
    }
    while (b->got < expected)
        if (b->level == LCI) {
            clump_packets_wait(b->packets);
        } else if (b->level == MPI && is_broadcast(b->what)) {
            clump_mpi_broadcast(b->mpi, root, b->into, b->size);
            count(b, b->into, b->size);
        } else if (b->level == MPI) {
            const clump_mpi_status s = clump_mpi_receive(b->mpi, root, PORT, b->into, b->size);
            count(b, b->into, s.size);
            if (b->what == ROUND_TRIP)
                clump_mpi_send(b->mpi, root, PORT, b->data, b->size);
        } else {
            clump_panda_wait(b->panda);
        }
}

/* One message, and its answer if that is what is measured. */
static void send_one(bench *b)
{
    const clump_panda_piece piece = {b->data, b->size};
    const bool all = is_broadcast(b->what), echo = b->what == ROUND_TRIP;
    const uint64_t before = b->got;
    if (b->level == LCI) {
        if (is_ordered(b->what))
            clump_packets_fetch_add(b->packets, 0);
        clump_packets_send(b->packets, all, 1, b->data, b->size);
        clump_packets_flush(b->packets);
        if (echo)
            receive(b, before + 1, 0);
    } else if (b->level == ORCA) {
        clump_orca_invoke(b->orca, b->object, 0, b->data, b->size, NULL, 0);
    } else if (b->level == MPI && all) {
        clump_mpi_broadcast(b->mpi, b->worker->rank, b->data, b->size);
    } else if (b->level == MPI) {
        clump_mpi_send(b->mpi, 1, PORT, b->data, b->size);
        if (echo)
            clump_mpi_receive(b->mpi, 1, PORT, b->into, b->size);
    } else if (is_ordered(b->what)) {
        clump_panda_ordered(b->panda, PORT, &piece, 1);
    } else if (all) {
        clump_panda_broadcast(b->panda, PORT, &piece, 1);
    } else if (echo) {
        clump_panda_call(b->panda, 1, PORT, &piece, 1, NULL, 0);
    } else {
        clump_panda_send(b->panda, 1, PORT, &piece, 1);
    }
}

/* In virtual time all wait until then; live they begin at once. @return when they begin */
static double wait_until(clump_worker *w, double time_us)
{
    const double now = w->ways->now_us(w);
    if (now < time_us)
        clump_worker_compute(w, (time_us - now) / (w->operation_us > 0 ? w->operation_us : 1));
    return w->ways->now_us(w);
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    const uint32_t rounds = (uint32_t)input->sizes[ROUNDS];
    bench b = {.worker = w,
               .level = (enum level)input->sizes[LEVEL],
               .what = (enum what)input->sizes[WHAT],
               .size = (size_t)input->sizes[BYTES],
               .right = true};
    const uint32_t root = is_broadcast(b.what) ? w->count - 1 : 0;
    const bool sends = w->rank == root && w->count > 1,
               receives = w->rank != root && (is_broadcast(b.what) || w->rank == 1),
               apart = b.what == BROADCAST || b.what == ORDERED;
    double time_us = 0;
    b.data = clump_worker_allocate(w, b.size + 1, 1);
    b.into = clump_worker_allocate(w, b.size + 1, 1);
    for (size_t i = 0; i < b.size; i++)
        b.data[i] = (unsigned char)(input->seed + 7 * i);
    open_level(&b);
    const double begin = wait_until(w, BEGIN_US);
    clump_worker_begin(w);
    for (uint32_t i = 0; apart && i < rounds; i++) {
        const double since = i > 0 ? wait_until(w, begin + i * BETWEEN_US) : begin;
        if (sends)
            send_one(&b);
        if (receives)
            receive(&b, i + 1, root);
        time_us += w->ways->now_us(w) - since;
    }
    for (uint32_t i = 0; !apart && sends && i < rounds; i++)
        send_one(&b);
    if (!apart && receives)
        receive(&b, rounds, root);
    clump_worker_end(w);
    if (apart) /* without what is between */
        w->time_us = time_us;
    if (w->rank == root) {
        result->items = rounds;
        result->digest = clump_application_mix(input->seed, 0);
    } else if (receives && b.right) {
        result->items = b.got;
        result->digest = clump_application_mix(input->seed, w->rank + 1);
    }
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const enum what what = (enum what)input->sizes[WHAT];
    const uint32_t last = input->workers - 1, receivers = is_broadcast(what) ? last : last > 0;
    *result = (clump_application_result){.items = (uint64_t)input->sizes[ROUNDS] * (1 + receivers),
                                         .digest = clump_application_mix(input->seed, 0)};
    for (uint32_t i = 0; i < receivers; i++)
        result->digest += clump_application_mix(input->seed, is_broadcast(what) ? i + 1 : 2);
    return true;
}

static bool check(const clump_application_input *input, char message[CLUMP_APPLICATION_MESSAGE])
{
    const enum level level = (enum level)input->sizes[LEVEL];
    const enum what what = (enum what)input->sizes[WHAT];
    if (is_broadcast(what) &&
        (level == ORCA ? !is_ordered(what) : level == MPI && is_ordered(what))) {
        snprintf(message, CLUMP_APPLICATION_MESSAGE,
                 "found level=%d what=%d: Orca's broadcasts are in total order (what=4, 5), MPI's "
                 "are not (what=2, 3)",
                 (int)level, (int)what);
        return false;
    }
    return true;
}

static const clump_application_size sizes[] = {
    {"level", "0: LCI; 1: Panda-ST; 2: MPI; 3: Panda-MT; 4: Orca", MPI, 0, LEVELS - 1, true},
    {"what",
     "0: round trips; 1: a stream; 2, 3: broadcasts apart, and at once; 4, 5: the same in total "
     "order",
     ROUND_TRIP, 0, WHATS - 1, true},
    {"bytes", "of a message; of LCI at most a packet", 16, 0, 1048576, true},
    {"rounds", "messages", 20, 1, 1e6, true},
    {NULL, NULL, 0, 0, 0, false}};

const clump_application clump_application_levels = {
    .name = "levels",
    .run = "tables V, VI",
    .title = "Messages at the levels of LCI, Panda, MPI and Orca",
    .text = "Round trips and streams between two processors, and broadcasts to all, at the level\n"
            "of packets or of a programming system above them. The time is that of all rounds.",
    .operation = "a microsecond of waiting",
    .operation_us = 1,
    .sizes = sizes,
    .system = "all of these",
    .check = check,
    .work = work,
    .expect = expect,
};
