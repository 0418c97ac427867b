/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a cluster: nodes, what waits for their processors, and what each step costs. */
#ifndef CLUMP_REPRODUCTIONS_VIRTUAL_VIRTUAL_NODE_H
#define CLUMP_REPRODUCTIONS_VIRTUAL_VIRTUAL_NODE_H

#include "reproductions/virtual/translation.h"
#include "reproductions/virtual/virtual_cluster.h"
#include "reproductions/virtual/watchdog.h"

/** Words of state that host and NIC touch besides those of the protocol (lci_channel.h), in the
 *  order of section 4.1. docs/protocols.md explains each. */
enum {
    HOST_SEND = 7,       /* send buffer 2, fields of the header 4, place in the queue */
    HOST_CHILD = 3,      /* one more destination: which it is, its place in the queue 2 */
    HOST_COMPLETION = 2, /* DMA: which buffer the NIC has read, and that it is free again */
    HOST_RECEIVE = 12,   /* flag, header 3, handler and its arguments 6, back in the queue 2 */
    HOST_COPY_POLL = 2,  /* remote copy: queue looked at, the caller's own flag */
    HOST_TRANSLATE = 4,  /* remote copy: index, tag, state, entry of the host's table */
    PIO_SEND = 6,        /* header 4, descriptor 2 */
    PIO_DMA = 2,         /* address and size of what is to be fetched */
    PIO_COPY = 2,        /* remote copy: virtual addresses instead */
    PIO_CHILD = 2,       /* descriptor of one more destination */
    PIO_RELEASE = 1,     /* address of a free buffer, to the queue of receive completions */
    HOST_TAKE = 6,       /* a packet that the library keeps for itself: flag, header 3, back in the
                            queue 2 */
    LINES_RECEIVED = 1, /* cache lines that the NIC wrote: 32 bytes are the header and 16 of data */
    LINES_COPIED = 1,   /* remote copy: the caller's flag */
    NIC_FETCH = 5,      /* descriptor: flag, destination, buffer, size; advance */
    NIC_DMA = 3,        /* two addresses and a size, which starts it */
    NIC_DMA_DONE = 2,   /* status, next state */
    NIC_COMPLETION = 2, /* which buffer, and its place in the host's queue */
    NIC_LINK = 6,       /* route: entry of the destination, its length, the route; begin, end, go */
    NIC_LINK_DONE = 2,  /* status, buffer free */
    NIC_ARRIVE = 4,     /* status, checksum, buffer, the next buffer to receive into */
    NIC_POOL = 5, /* l-hrx: kind and source, to tell what it is; its buffer back to the pool 3 */
    NIC_HOST_BUFFER = 2, /* address of a free buffer in the host, advance */
    NIC_LOOP = 8,        /* a turn of the program's loop: is there anything from the host, the
                            link, the DMA engine, a timer, to the link, blocked before? */
    NIC_LOOP_TIMERS = 3, /* the same, with timers of the protocol: clock, deadline of the first
                            packet to be sent again, of the first acknowledgement */
    NIC_TIMER = 4, /* start or stop a timer: its deadline, its place in the queue 2, the first */
    HOST_TIMER =
        2, /* the processor's time stamp takes the place of a timer (5.1.1): read, stored */
    NIC_COPY_SEND = 10,   /* remote copy: virtual addresses of the descriptor 3, of the header 2;
                             translation: index, tag, state, transfers pending, physical address */
    NIC_COPY_RECEIVE = 8, /* virtual address 2, page limit; translation 5 */
    NIC_INSTALL = 4,      /* miss at the source: lock, page, frame, state */
    NIC_REDIRECT = 9,     /* miss at the destination: anonymous page 2, state, notice 5, advance */
    NOTICE_BYTES = 24,    /* address 8, anonymous page, size, what it is */
    HOST_NOTICE = 8,      /* flag, notice 5; the entry's hits and state */
    HOST_PINNED = 4,      /* page, frame, state; of the page before */
    PIO_MAPPING = 4,      /* page 2, frame, that it is a miss; or entry and lock */
    HEADER_BYTES = 16     /* of the header, as DMA brings it to the host */
};

enum { HOST_BUFFERS = 512 }; /* receive buffers in host memory */

enum event_kind {
    EVENT_ARRIVE,
    EVENT_HOST,
    EVENT_NIC,
    EVENT_DMA,
    EVENT_ALARM,
    EVENT_WATCHDOG,
    EVENT_TABLE
};
enum item_kind { ITEM_DELIVERY, ITEM_RAW, ITEM_ALARM, ITEM_POST, ITEM_COMPLETION };
/** What has happened when a DMA transfer has ended: the data of a post are on the NIC; they had
 * been before, but not those of posts in front of it; the host knows that they are; a packet is in
 * the host's queue; its data are somewhere, of which a notice follows. */
enum item_stage { STAGE_FETCHED, STAGE_PASSED, STAGE_REPORTED, STAGE_DELIVERED, STAGE_PLACED };

/** Something that waits for a processor. */
typedef struct virtual_item {
    uint32_t kind;
    uint32_t value; /* of a raw packet: in the wire; of a forward: the NIC's buffer */
    uint64_t ready_ps;
    enum item_stage stage;
    uint32_t transfer_bytes;
    clump_virtual_cluster_kind order;
    bool raw, forward, no_data, told;
    bool
        first_child; /* its descriptor is that of the first child; the host writes those of the others */
    uint16_t to, tag, size;
    unsigned char *bytes; /* owned */
    clump_lci_delivery delivery;
    bool copy, redirected; /* remote copy; its data are in an anonymous page */
    clump_copy_source source;
    clump_copy_completion completion;
    clump_copy_notice notice;
} virtual_item;

typedef struct virtual_fifo {
    virtual_item *items;
    size_t first, count, capacity;
} virtual_fifo;

typedef struct virtual_node {
    clump_lci *lci;
    virtual_fifo host, nic, blocked; /* blocked: posts for which the NIC has no send buffer */
    virtual_fifo dma;                /* transfers; the first one is being done */
    uint32_t fetching;               /* of them posts */
    uint64_t host_free_ps, nic_free_ps, link_free_ps, arrive_free_ps, alarm_ps;
    uint64_t host_due_ps, nic_due_ps; /* of the event in the queue, UINT64_MAX: none */
    bool host_alarm;
    bool transferred; /* the first transfer has ended, and the NIC's program has not seen it */
    uint32_t posts, arrivals; /* given to the NIC; packets that wait for it */
    uint32_t read;            /* children whose descriptors were read with their posts' */
    clump_virtual_cluster_use use;
    clump_watchdog watchdog;
    bool computing;          /* until host_free_ps, if nothing interrupts it */
    uint64_t interrupted_ps; /* what is left to compute */
    uint64_t charged_ps;     /* by the callback that runs */
    clump_host_table *host_table;
    clump_nic_table *nic_table;
    virtual_fifo waiting; /* remote copies that wait for anonymous pages */
    uint64_t pins;
} virtual_node;

struct clump_virtual_cluster {
    clump_virtual_cluster_options options;
    clump_virtual_cluster_program program;
    clump_calendar queue;
    clump_wire *wire;
    virtual_node *nodes;
    uint64_t now_ps;
    uint32_t posts_most, arrivals_most;
    bool stopped, failed;
};

/* ---- items that wait. Whether it was pushed: if not, memory ran out, and its bytes are freed. */
bool clump_virtual_push(virtual_fifo *fifo, const virtual_item *item);
bool clump_virtual_pop(virtual_fifo *fifo, virtual_item *item);
void clump_virtual_fifo_free(virtual_fifo *fifo);

/* ---- waking processors */
uint64_t clump_virtual_ps(double us);
void clump_virtual_trace(clump_virtual_cluster *c, uint64_t time_ps, uint16_t node,
                         const char *what, uint32_t value);
void clump_virtual_wake_host(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps);
void clump_virtual_wake_nic(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps);
void clump_virtual_give_nic(clump_virtual_cluster *c, uint16_t node, const virtual_item *item);
void clump_virtual_set_alarm(clump_virtual_cluster *c, uint16_t node);
/** Whether the state machine of this protocol is the host's. */
bool clump_virtual_on_host(const clump_virtual_cluster *c);

/* ---- the watchdog */
/** Something is in the host's queue from that time on: wake the host, start the watchdog. */
void clump_virtual_arrived(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps);
/** The host has looked at its queue at that time. */
void clump_virtual_polled(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps);
/** Begin to compute, or go on. @return when it ends, if nothing interrupts it */
uint64_t clump_virtual_compute(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps,
                               uint64_t long_ps);
void clump_virtual_watchdog_due(clump_virtual_cluster *c, uint16_t node);

/* ---- remote copy. What takes time is returned, to be charged by the processor. */
bool clump_virtual_copy_open(clump_virtual_cluster *c, uint16_t node);
void clump_virtual_copy_close(virtual_node *n);
/** Host: how the data of this post reach the NIC; writes the address in front of them. @return
 * pages pinned */
uint64_t clump_virtual_copy_post(virtual_node *n, const clump_virtual_cluster_order *order,
                                 virtual_item *post);
/** Host: the NIC is done with a post, or has redirected a packet whose data are now copied.
 *  @return pages pinned */
uint64_t clump_virtual_copy_told(virtual_node *n, const virtual_item *item);
/** Host: what it has found out is known to the NIC from that time on. */
void clump_virtual_copy_tell(clump_virtual_cluster *c, uint16_t node, uint64_t time_ps,
                             const virtual_item *item);
/** The NIC learns it. */
void clump_virtual_table_due(clump_virtual_cluster *c, uint16_t node, uint32_t anonymous);
/** NIC: where a packet belongs. False: nowhere now. */
enum copy_place { COPY_REFUSED, COPY_WAITS, COPY_REDIRECTED, COPY_IN_PLACE };
enum copy_place clump_virtual_copy_place(virtual_node *n, const clump_lci_delivery *d,
                                         clump_copy_notice *notice);

/* ---- one turn of a processor: virtual_host.c, virtual_nic.c */
void clump_virtual_host_turn(clump_virtual_cluster *c, uint16_t node);
void clump_virtual_nic_turn(clump_virtual_cluster *c, uint16_t node);
/* A DMA transfer of this node has ended. */
void clump_virtual_transferred(clump_virtual_cluster *c, uint16_t node);

#endif
