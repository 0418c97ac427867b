/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* syscall */
#include "protocols/network/bell.h"

#include <linux/io_uring.h>
#include <stddef.h>

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    /* A look that finds nothing costs about a third of letting the bell ring (docs), and an answer
     * over loopback takes ten to twenty looks: so long it is worth asking the system itself. */
    EAGER_LOOKS = 32,
    /* Whatever the system does with the bell, something that came is seen. */
    SILENT_LOOKS_MOST = 1024,
    COMPLETIONS = 8
};

struct clump_bell {
    _Atomic uint32_t *flags, *head, *tail; /**< of completions; the system writes flags and tail */
    _Atomic uint32_t *submitted;
    const struct io_uring_cqe *completions;
    uint32_t mask;
    uint32_t eager;  /**< looks to come that do not ask the bell */
    uint32_t silent; /**< times that it did not ring, since it did */
    bool armed;      /**< it will ring once, or has */
    bool broken;
    int socket;
    int file;
    void *rings, *entries;
    size_t ring_bytes, entry_bytes;
};

static int enter(const clump_bell *b, unsigned submit)
{
    return (int)syscall(SYS_io_uring_enter, b->file, submit, 0, IORING_ENTER_GETEVENTS, NULL, 0);
}

/** Hand over the one entry. */
static bool submit(clump_bell *b, struct io_uring_sqe entry)
{
    memcpy(b->entries, &entry, sizeof entry);
    /* Release: the entry before the tail that shows it. */
    atomic_fetch_add_explicit(b->submitted, 1, memory_order_release);
    return enter(b, 1) == 1;
}

/** Where the rings have what. */
static void find(clump_bell *b, const struct io_uring_params *p)
{
    unsigned char *rings = b->rings;
    b->flags = (_Atomic uint32_t *)(void *)(rings + p->sq_off.flags);
    b->head = (_Atomic uint32_t *)(void *)(rings + p->cq_off.head);
    b->tail = (_Atomic uint32_t *)(void *)(rings + p->cq_off.tail);
    b->completions = (const struct io_uring_cqe *)(void *)(rings + p->cq_off.cqes);
    b->mask = p->cq_entries - 1;
    b->submitted = (_Atomic uint32_t *)(void *)(rings + p->sq_off.tail);
    *(uint32_t *)(void *)(rings + p->sq_off.array) = 0; /* the only entry, always */
}

/** Ask for a completion when something comes, or is there. Once: each ring costs more than a look,
 *  and while datagrams keep coming nobody waits for it. */
static bool arm(clump_bell *b)
{
    struct io_uring_sqe entry = {.opcode = IORING_OP_POLL_ADD, .fd = b->socket};
    /* The system reads the halves of the word in this order everywhere. */
    const uint32_t events = POLLIN;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    entry.poll32_events = events << 16;
#else
    entry.poll32_events = events;
#endif
    b->armed = submit(b, entry);
    return b->armed;
}

clump_bell *clump_bell_open(int socket)
{
    struct io_uring_params p = {.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                                         IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_CQSIZE,
                                .cq_entries = COMPLETIONS};
    clump_bell *b = calloc(1, sizeof *b);
    if (b == NULL)
        return NULL;
    b->rings = b->entries = MAP_FAILED;
    b->file = (int)syscall(SYS_io_uring_setup, 1, &p);
    if (b->file < 0)
        goto failed;
    const size_t submissions = p.sq_off.array + p.sq_entries * sizeof(uint32_t);
    b->ring_bytes = p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe);
    b->ring_bytes = b->ring_bytes > submissions ? b->ring_bytes : submissions;
    b->entry_bytes = p.sq_entries * sizeof(struct io_uring_sqe);
    b->rings =
        mmap(NULL, b->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, b->file, IORING_OFF_SQ_RING);
    b->entries =
        mmap(NULL, b->entry_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, b->file, IORING_OFF_SQES);
    if (b->rings == MAP_FAILED || b->entries == MAP_FAILED)
        goto failed;
    find(b, &p);
    b->socket = socket;
    if (!arm(b)) /* now: whether the system allows it */
        goto failed;
    b->eager = EAGER_LOOKS;
    return b;
failed:
    clump_bell_close(b);
    return NULL;
}

void clump_bell_close(clump_bell *b)
{
    if (b == NULL)
        return;
    /* The system takes a ring down later, and holds the socket until then: let go of it now. */
    if (b->submitted != NULL)
        submit(b, (struct io_uring_sqe){.opcode = IORING_OP_POLL_REMOVE});
    if (b->rings != MAP_FAILED)
        munmap(b->rings, b->ring_bytes);
    if (b->entries != MAP_FAILED)
        munmap(b->entries, b->entry_bytes);
    if (b->file >= 0)
        close(b->file);
    free(b);
}

bool clump_bell_rings(clump_bell *b)
{
    if (b == NULL || b->broken || b->eager > 0)
        return true;
    /* Relaxed: what came is read by a system call. */
    if ((atomic_load_explicit(b->flags, memory_order_relaxed) != 0 ||
         atomic_load_explicit(b->tail, memory_order_relaxed) !=
             atomic_load_explicit(b->head, memory_order_relaxed)) ||
        ++b->silent == SILENT_LOOKS_MOST) {
        b->silent = 0;
        return true;
    }
    return false;
}

/** Let it be silent until something comes. */
static void quieten(clump_bell *b)
{
    if (atomic_load_explicit(b->flags, memory_order_relaxed) != 0)
        b->broken = enter(b, 0) < 0; /* another thread, for one */
    /* Acquire: the completions before the tail that shows them; release: they have been read. */
    const uint32_t tail = atomic_load_explicit(b->tail, memory_order_acquire);
    uint32_t head = atomic_load_explicit(b->head, memory_order_relaxed);
    for (; head != tail; head++) {
        b->armed = false;
        if (b->completions[head & b->mask].res < 0)
            b->broken = true;
    }
    atomic_store_explicit(b->head, tail, memory_order_release);
    if (!b->broken && !b->armed && !arm(b))
        b->broken = true;
}

void clump_bell_answer(clump_bell *b, bool something)
{
    if (b == NULL || b->broken)
        return;
    if (something)
        b->eager = EAGER_LOOKS;
    else if (b->eager > 1)
        b->eager--;
    else { /* what came since the last look rings at once */
        b->eager = 0;
        quieten(b);
    }
}

bool clump_bell_works(const clump_bell *b)
{
    return b != NULL && !b->broken;
}
