/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/systems/mpi.h"

#include "protocols/reliability/tree.h"

#include <string.h>

enum { PORT = 0, REDUCED_BYTES = 4096 };

/* Tags of collective operations, above those of programs. */
enum tag { TREE, REDUCE };
static const uint32_t COLLECTIVE = UINT32_C(1) << 31;
/* A broadcast of Panda: not matched with messages. */
static const uint32_t BROADCAST = UINT32_MAX - 1;

/* Words of state (panda.c). */
enum {
    WORK_SEND = 16,    /* arguments 6; communicator, rank, type 4; envelope 2; request 4 */
    WORK_RECEIVE = 18, /* arguments 7; communicator 3; request 4; status 4 */
    WORK_ARRIVE = 8,   /* envelope 2; request 3; state 3 */
    WORK_MATCH = 3     /* sender, tag, next: of each entry of a queue that is looked at */
};

/* A message that nobody has asked for yet. */
typedef struct unexpected {
    struct unexpected *next;
    uint32_t from, tag;
    size_t size;
    unsigned char data[];
} unexpected;

/* What the program waits for: one thing at a time. */
typedef struct posted {
    bool open;
    uint32_t from, tag;
    void *data;
    size_t most;
    clump_mpi_status status;
} posted;

struct clump_mpi {
    clump_panda *panda;
    clump_worker *worker;
    clump_mpi_broadcasts broadcasts;
    unexpected *first, **last;
    posted posted;
};

static void fail(clump_mpi *m, const char *reason)
{
    clump_worker_fail(m->worker, reason);
}

/* ---- matching */

/* Nobody's own tag is taken for one of a collective operation. */
static bool matches(uint32_t asked_from, uint32_t asked_tag, uint32_t from, uint32_t tag)
{
    return (asked_from == CLUMP_MPI_ANY || asked_from == from) &&
           (asked_tag == tag || (asked_tag == CLUMP_MPI_ANY && tag < COLLECTIVE));
}

static void receive_into(clump_mpi *m, uint32_t from, uint32_t tag, const void *data, size_t size)
{
    posted *p = &m->posted;
    if (size > p->most)
        fail(m, "a message that is longer than its receiver's room");
    if (size > 0)
        memcpy(p->data, data, size);
    p->status = (clump_mpi_status){from, tag, size};
    p->open = false;
}

/* Panda has charged the copy to where it belongs. */
static void on_message(clump_panda *panda, const clump_panda_message *message, void *context)
{
    enum { ENVELOPE = 4 };
    clump_mpi *m = context;
    uint32_t tag;
    if (message->size < ENVELOPE)
        fail(m, "a message without an envelope");
    memcpy(&tag, message->data, sizeof tag);
    const unsigned char *data = message->data + ENVELOPE;
    const size_t size = message->size - ENVELOPE;
    clump_panda_charge(panda, WORK_ARRIVE + WORK_MATCH, 0);
    if (m->posted.open && matches(m->posted.from, m->posted.tag, message->from, tag)) {
        receive_into(m, message->from, tag, data, size);
        return;
    }
    unexpected *u = clump_worker_borrow(m->worker, sizeof *u + size);
    *u = (unexpected){.from = message->from, .tag = tag, .size = size};
    if (size > 0)
        memcpy(u->data, data, size);
    *m->last = u;
    m->last = &u->next;
}

static unexpected **find(clump_mpi *m, uint32_t from, uint32_t tag)
{
    unexpected **at = &m->first;
    unsigned looked = 0;
    while (*at != NULL && !matches(from, tag, (*at)->from, (*at)->tag)) {
        at = &(*at)->next;
        looked++;
    }
    clump_panda_charge(m->panda, WORK_MATCH * looked, 0);
    return at;
}

/* ---- messages */

clump_mpi *clump_mpi_open(clump_worker *w, clump_mpi_broadcasts broadcasts)
{
    clump_mpi *m = clump_worker_allocate(w, 1, sizeof *m);
    m->worker = w;
    m->broadcasts = broadcasts;
    m->last = &m->first;
    m->panda = clump_panda_open(w, false);
    clump_panda_define(m->panda, PORT, on_message, m);
    return m;
}

static void send(clump_mpi *m, uint32_t to, uint32_t tag, const void *data, size_t size)
{
    const clump_panda_piece pieces[] = {{&tag, sizeof tag}, {data, size}};
    clump_panda_charge(m->panda, WORK_SEND, 0);
    clump_panda_send(m->panda, to, PORT, pieces, 2);
}

static clump_mpi_status receive(clump_mpi *m, uint32_t from, uint32_t tag, void *data, size_t most)
{
    clump_panda_charge(m->panda, WORK_RECEIVE, 0);
    m->posted = (posted){.open = true, .from = from, .tag = tag, .data = data, .most = most};
    unexpected **at = find(m, from, tag), *u = *at;
    if (u != NULL) {
        *at = u->next;
        if (u->next == NULL)
            m->last = at;
        receive_into(m, u->from, u->tag, u->data, u->size);
        clump_worker_give_back(m->worker, u);
    }
    while (m->posted.open)
        clump_panda_wait(m->panda);
    return m->posted.status;
}

void clump_mpi_send(clump_mpi *m, uint32_t to, uint32_t tag, const void *data, size_t size)
{
    if (tag >= COLLECTIVE)
        fail(m, "a tag of 2^31 or more");
    send(m, to, tag, data, size);
}

clump_mpi_status clump_mpi_receive(clump_mpi *m, uint32_t from, uint32_t tag, void *data,
                                   size_t most)
{
    if (tag >= COLLECTIVE && tag != CLUMP_MPI_ANY)
        fail(m, "a tag of 2^31 or more");
    return receive(m, from, tag, data, most);
}

bool clump_mpi_probe(clump_mpi *m, uint32_t from, uint32_t tag)
{
    clump_panda_poll(m->panda);
    return *find(m, from, tag) != NULL;
}

/* ---- collective operations */

/* A broadcast by messages: from the parent, then to the children. */
static void broadcast_tree(clump_mpi *m, clump_tree tree, uint32_t root, void *data, size_t size)
{
    uint16_t children[CLUMP_TREE_CHILDREN_MOST];
    const uint16_t nodes = (uint16_t)m->worker->count, self = (uint16_t)m->worker->rank;
    const unsigned count = clump_tree_children(tree, nodes, (uint16_t)root, self, children);
    if (self != root && receive(m, clump_tree_parent(tree, nodes, (uint16_t)root, self),
                                COLLECTIVE + TREE, data, size)
                                .size != size)
        fail(m, "a broadcast of another size");
    for (unsigned i = 0; i < count; i++)
        send(m, children[i], COLLECTIVE + TREE, data, size);
}

void clump_mpi_broadcast(clump_mpi *m, uint32_t root, void *data, size_t size)
{
    if (root >= m->worker->count)
        fail(m, "a broadcast from nobody");
    if (m->broadcasts != CLUMP_MPI_OF_PANDA) {
        broadcast_tree(m,
                       m->broadcasts == CLUMP_MPI_BINARY ? CLUMP_TREE_BINARY : CLUMP_TREE_BINOMIAL,
                       root, data, size);
    } else if (m->worker->rank == root) {
        const clump_panda_piece pieces[] = {{&BROADCAST, sizeof BROADCAST}, {data, size}};
        clump_panda_charge(m->panda, WORK_SEND, 0);
        clump_panda_broadcast(m->panda, PORT, pieces, 2);
    } else if (receive(m, root, BROADCAST, data, size).size != size) {
        fail(m, "a broadcast of another size");
    }
}

/* Up a binomial tree: at step s a worker has the values of 2^s ranks from its own, as seen from the
 * root. */
void clump_mpi_reduce(clump_mpi *m, uint32_t root, void *data, size_t size,
                      clump_mpi_combine *combine)
{
    const uint32_t count = m->worker->count, place = (m->worker->rank + count - root) % count;
    unsigned char with[REDUCED_BYTES];
    if (root >= count || size > sizeof with)
        fail(m, "a reduction at nobody, or of more than 4096 bytes");
    for (uint32_t bit = 1; bit < count; bit <<= 1) {
        if (place & bit) {
            send(m, (place - bit + root) % count, COLLECTIVE + REDUCE, data, size);
            return;
        }
        if (place + bit >= count)
            continue;
        if (receive(m, (place + bit + root) % count, COLLECTIVE + REDUCE, with, sizeof with).size !=
            size)
            fail(m, "a reduction of another size");
        if (combine != NULL)
            combine(data, with, size);
    }
}

void clump_mpi_allreduce(clump_mpi *m, void *data, size_t size, clump_mpi_combine *combine)
{
    clump_mpi_reduce(m, 0, data, size, combine);
    clump_mpi_broadcast(m, 0, data, size);
}

void clump_mpi_barrier(clump_mpi *m)
{
    clump_mpi_allreduce(m, NULL, 0, NULL);
}
