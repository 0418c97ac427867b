/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of a node: channels (one a peer), buffers, descriptors. */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_LCI_CHANNEL_H
#define CLUMP_PROTOCOLS_RELIABILITY_LCI_CHANNEL_H

#include "protocols/reliability/lci.h"

#define CLUMP_LCI_NONE UINT32_MAX

/**
 * Words of state that each step reads or writes: what a processor that does nothing else has to
 * load and store. They are counted from the fields named, not measured. Steps that only our lists
 * need are not counted: a packet that is not blocked goes straight through.
 */
enum {
    CLUMP_WORK_QUEUE = 3,     /* blocked: list tail, its link, count */
    CLUMP_WORK_TRANSMIT = 4,  /* window: sent and acknowledged; sequence of the header, advance */
    CLUMP_WORK_PIGGYBACK = 3, /* count owed, field of the header, count told */
    CLUMP_WORK_FREE = 3,      /* unlink, buffer to its free list 2 */
    CLUMP_WORK_HOLD = 1,      /* retransmit: link of what is held */
    CLUMP_WORK_RECEIVE = 4,   /* kind, content, source, its channel */
    CLUMP_WORK_ACCEPT = 5,    /* buffer from its free list 2, its owner, delivery list 2 */
    CLUMP_WORK_CHECK = 3,     /* retransmit: sequence, compare with what is expected, advance */
    CLUMP_WORK_ACKNOWLEDGED = 4, /* field of the header, compare, advance, anything blocked? */
    CLUMP_WORK_RELEASE = 3,      /* credits: count released, count told, half a window */
    CLUMP_WORK_EXPLICIT = 4,     /* header: kind, destination, count; count told */
    CLUMP_WORK_CHILD = 5,        /* table entry, descriptor from its free list 2, buffer, count */
    CLUMP_WORK_SHARED = 2,       /* a child whose descriptor the host has written: buffer, count */
    CLUMP_WORK_FETCH_ADD = 4     /* variable, its increment, answer's value and destination */
};

typedef struct clump_descriptor {
    uint32_t next, buffer;
    uint64_t sent_ns;
    uint16_t tag, size, origin;
    uint8_t content, flags;
} clump_descriptor;

typedef struct clump_buffer {
    uint32_t next;
    uint32_t references;
    uint32_t incarnation; /* of the sender of a received packet */
    uint16_t source, origin, tag, size;
    uint8_t content, flags;
} clump_buffer;

typedef struct clump_channel {
    uint32_t incarnation; /* of the peer, 0: not known */
    bool hello_due, hello_sent, broken;
    bool agreed; /* the peer has addressed this incarnation: it is there, and knows who we are */
    bool acknowledge_due, again_due, starving, ready;
    uint64_t hello_ns;

    /* Sending. Descriptors from head on are not yet acknowledged (credits: not yet transmitted);
     * cursor is the next to be transmitted. */
    uint32_t head, tail, cursor, queued;
    uint16_t acknowledged;    /* all before are acknowledged, or released */
    uint16_t cursor_sequence; /* of cursor */
    uint16_t highest;         /* one after the highest ever transmitted */
    uint64_t resend_ns;       /* deadline, CLUMP_LCI_NEVER: nothing in flight */
    uint64_t timeout_ns;      /* with its doublings */

    /* Receiving. */
    uint16_t expected;       /* next sequence */
    uint16_t released;       /* credits: all buffers before were released */
    uint16_t told;           /* the last acknowledgement that was sent */
    uint32_t held;           /* buffers that hold packets of this peer */
    uint64_t acknowledge_ns; /* deadline of the delayed acknowledgement, CLUMP_LCI_NEVER: none */

    uint32_t next_ready, next_starving;
} clump_channel;

typedef struct clump_list {
    uint32_t first, last;
} clump_list;

struct clump_lci {
    clump_lci_options options;
    clump_lci_counters counters;
    uint32_t work, later_work, timer_work, child_work; /* see clump_lci_work() */
    uint32_t variable;                                 /* of fetch-and-add */
    clump_channel *channels;
    uint64_t *deadlines; /* of each peer; CLUMP_LCI_NEVER: none */
    uint16_t soonest;    /* the first of those with the soonest */
    clump_descriptor *descriptors;
    clump_buffer *buffers; /* send buffers, then receive buffers */
    unsigned char *memory;
    uint32_t descriptor_count, buffer_count;
    uint32_t free_descriptors, free_descriptor_count;
    uint32_t free_send, free_send_count, free_receive, free_receive_count;
    uint32_t pending; /* descriptors in all channels */
    clump_list ready, starving, deliveries, deferred;
};

/* ---- buffers and descriptors */
bool clump_lci_pool_make(clump_lci *lci);
uint32_t clump_lci_descriptor_take(clump_lci *lci);
uint32_t clump_lci_buffer_take(clump_lci *lci, bool receive);
/** Drop one reference; the last gives the buffer back and tells its sender. */
void clump_lci_buffer_drop(clump_lci *lci, uint64_t now_ns, uint32_t buffer);
unsigned char *clump_lci_buffer_data(const clump_lci *lci, uint32_t buffer);
void clump_lci_list_add(clump_lci *lci, clump_list *list, uint32_t buffer);
uint32_t clump_lci_list_take(clump_lci *lci, clump_list *list);

/* ---- the window towards one peer */
void clump_channel_start(clump_lci *lci, clump_channel *channel);
void clump_channel_push(clump_lci *lci, uint16_t to, uint32_t descriptor);
bool clump_channel_transmit(clump_lci *lci, uint16_t to, uint64_t now_ns, unsigned char *bytes,
                            size_t *size);
/** Timers of one peer that have run out. */
void clump_channel_expire(clump_lci *lci, uint16_t peer, uint64_t now_ns);
void clump_channel_acknowledged(clump_lci *lci, uint16_t peer, uint64_t now_ns, uint16_t until);
void clump_channel_go_back(clump_lci *lci, uint16_t peer);
/** A packet of this peer was taken (retransmit), or its buffer released (credits). */
void clump_channel_owe(clump_lci *lci, uint16_t peer, uint64_t now_ns);
/** Put it in the ready list if it has something to transmit; set its deadline. */
void clump_channel_wake(clump_lci *lci, uint16_t peer);
/** Another process is there: forget what was on its way to the old one. */
void clump_channel_restart(clump_lci *lci, uint16_t peer, uint64_t now_ns, uint32_t incarnation);
bool clump_channel_has_work(const clump_lci *lci, uint16_t peer);

#endif
