/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of one end of an SSAM connection: its buffers, and which of them is whose. */
#ifndef CLUMP_PROTOCOLS_RELIABILITY_SSAM_PRIVATE_H
#define CLUMP_PROTOCOLS_RELIABILITY_SSAM_PRIVATE_H

#include "protocols/reliability/sequence.h"
#include "protocols/reliability/ssam.h"

/* One of the 4w buffers. The cell and what has to be known of it share a cache line. */
typedef struct clump_ssam_buffer {
    unsigned char cell[CLUMP_CELL_SIZE];
    uint64_t sent_ns;
    uint16_t sequence;
    uint8_t state;
    uint8_t epoch; /* of the cell, for requests */
    bool queued;   /* in the list of what is to be transmitted */
} clump_ssam_buffer;

_Static_assert(sizeof(clump_ssam_buffer) == CLUMP_SSAM_BUFFER,
               "a buffer is what the documents say");

enum { CLUMP_SSAM_FREE = 0, CLUMP_SSAM_NEW, CLUMP_SSAM_SENT, CLUMP_SSAM_ANSWERED };

struct clump_ssam {
    clump_ssam_options options;
    clump_ssam_counters counters;
    uint32_t peer; /* its incarnation, 0: not known */
    bool hello_due, hello_sent;
    bool agreed; /* the other end has named this incarnation: it is there, and knows who we are */
    uint64_t hello_ns;   /* when the last one was sent */
    uint64_t expires_ns; /* no request times out before */
    uint64_t next_number;
    /* Requests base to next - 1 are in the window; `outstanding` of them are not answered. */
    uint16_t base, next, base_place, in_window, outstanding;
    uint16_t top, top_place, answers_kept; /* answers: to the w requests before `top` */
    uint16_t arrived, first;               /* ring of arriving cells */
    uint16_t queue_first, queue_length;
    clump_ssam_buffer *requests, *answers, *arrivals; /* w, w and 2w */
    uint16_t *queue; /* 2w numbers: below w a request, from w on an answer */
};

static inline uint8_t clump_ssam_epoch(const clump_ssam *s)
{
    return (uint8_t)((s->options.incarnation + s->peer) & 7);
}

/* Request `sequence` of ours; it is in the window. Places turn by w, sequence numbers by 1024. */
static inline uint16_t clump_ssam_request_place(const clump_ssam *s, uint16_t sequence)
{
    const int32_t ahead = clump_sequence_difference_10(sequence, s->base);
    return (uint16_t)((s->base_place + ahead) % s->options.window);
}

/* Answer to the other end's request `sequence`, which is one of the last w. */
static inline uint16_t clump_ssam_answer_place(const clump_ssam *s, uint16_t sequence)
{
    const int32_t w = s->options.window;
    const int32_t ahead = clump_sequence_difference_10(sequence, s->top);
    return (uint16_t)((s->top_place + ahead + w) % w);
}

static inline clump_ssam_buffer *clump_ssam_queued(const clump_ssam *s, uint16_t number)
{
    const uint16_t w = s->options.window;
    return number < w ? &s->requests[number] : &s->answers[number - w];
}

/** To be transmitted, if it is not already. */
static inline void clump_ssam_enqueue(clump_ssam *s, uint16_t number)
{
    clump_ssam_buffer *b = clump_ssam_queued(s, number);
    const uint16_t size = (uint16_t)(2 * s->options.window);
    if (b->queued)
        return;
    b->queued = true;
    s->queue[(s->queue_first + s->queue_length++) % size] = number;
}

#endif
