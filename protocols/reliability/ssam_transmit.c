/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells that leave: for the first time, or because no answer came in time. */
#include "protocols/reliability/ssam_private.h"

#include <string.h>

static void write_32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void encode_hello(clump_ssam *s, uint64_t now_ns, unsigned char bytes[CLUMP_CELL_SIZE])
{
    clump_cell hello = {.kind = CLUMP_CELL_HELLO, .size = 9};
    write_32(hello.data, s->options.incarnation);
    write_32(hello.data + 4, s->peer);
    hello.data[8] = !s->agreed;
    clump_cell_encode(&hello, bytes);
    s->hello_due = false;
    s->hello_ns = now_ns;
    s->hello_sent = true;
    s->counters.cells++;
}

/* Queue what was not answered in time, and find when the next one is due. */
static void check_timers(clump_ssam *s, uint64_t now_ns)
{
    const uint16_t w = s->options.window;
    uint64_t soonest = CLUMP_TIME_NEVER;
    for (uint16_t i = 0; i < s->in_window; i++) {
        const uint16_t place = (uint16_t)((s->base_place + i) % w);
        const clump_ssam_buffer *b = &s->requests[place];
        const uint64_t due = b->sent_ns + s->options.timeout_ns;
        if (b->state != CLUMP_SSAM_SENT || b->queued)
            continue;
        if (due <= now_ns)
            clump_ssam_enqueue(s, place);
        else if (due < soonest)
            soonest = due;
    }
    s->expires_ns = soonest;
}

/* A cell whose epoch was not known when it was made. */
static void set_epoch(clump_ssam *s, clump_ssam_buffer *b)
{
    clump_cell cell;
    if (b->epoch == clump_ssam_epoch(s) || !clump_cell_decode(b->cell, &cell))
        return;
    cell.epoch = b->epoch = clump_ssam_epoch(s);
    clump_cell_encode(&cell, b->cell);
}

static bool is_acknowledgement(const clump_ssam *s, uint16_t number)
{
    const clump_ssam_buffer *b = clump_ssam_queued(s, number);
    return number >= s->options.window && b->state == CLUMP_SSAM_ANSWERED &&
           b->cell[0] >> 5 == CLUMP_CELL_ACKNOWLEDGE;
}

/* Acknowledgements that wait behind one that is being sent go in the same cell. */
static void add_acknowledgements(clump_ssam *s, unsigned char bytes[CLUMP_CELL_SIZE])
{
    const uint16_t size = (uint16_t)(2 * s->options.window);
    clump_cell cell;
    if (s->queue_length == 0 || !is_acknowledgement(s, s->queue[s->queue_first]) ||
        !clump_cell_decode(bytes, &cell))
        return;
    while (s->queue_length > 0 && cell.size + 2 <= CLUMP_CELL_DATA &&
           is_acknowledgement(s, s->queue[s->queue_first])) {
        clump_ssam_buffer *b = clump_ssam_queued(s, s->queue[s->queue_first]);
        s->queue_first = (uint16_t)((s->queue_first + 1) % size);
        s->queue_length--;
        b->queued = false;
        s->counters.resent += b->sent_ns != 0;
        b->sent_ns = 1;
        cell.data[cell.size++] = (unsigned char)(b->sequence >> 8);
        cell.data[cell.size++] = (unsigned char)b->sequence;
    }
    clump_cell_encode(&cell, bytes);
}

static bool transmit_queued(clump_ssam *s, uint64_t now_ns, unsigned char bytes[CLUMP_CELL_SIZE])
{
    const uint16_t w = s->options.window, size = (uint16_t)(2 * w);
    while (s->queue_length > 0) {
        const uint16_t number = s->queue[s->queue_first];
        clump_ssam_buffer *b = clump_ssam_queued(s, number);
        s->queue_first = (uint16_t)((s->queue_first + 1) % size);
        s->queue_length--;
        b->queued = false;
        if (number < w ? b->state != CLUMP_SSAM_NEW && b->state != CLUMP_SSAM_SENT
                       : b->state != CLUMP_SSAM_ANSWERED)
            continue; /* answered while it waited to be sent again */
        if (number < w) {
            set_epoch(s, b);
            s->counters.resent += b->state == CLUMP_SSAM_SENT;
            b->state = CLUMP_SSAM_SENT;
            if (now_ns + s->options.timeout_ns < s->expires_ns)
                s->expires_ns = now_ns + s->options.timeout_ns;
        } else {
            s->counters.resent += b->sent_ns != 0;
        }
        b->sent_ns = number < w ? now_ns : 1;
        memcpy(bytes, b->cell, CLUMP_CELL_SIZE);
        if (is_acknowledgement(s, number))
            add_acknowledgements(s, bytes);
        s->counters.cells++;
        return true;
    }
    return false;
}

/* Without an answer the HELLO is repeated, but only while there is something to send. */
static uint64_t hello_deadline(const clump_ssam *s)
{
    if (s->hello_due)
        return 0;
    if (s->agreed || s->in_window == 0)
        return CLUMP_TIME_NEVER;
    return s->hello_sent ? s->hello_ns + s->options.timeout_ns : 0;
}

bool clump_ssam_transmit(clump_ssam *s, uint64_t now_ns, unsigned char bytes[CLUMP_CELL_SIZE])
{
    if (hello_deadline(s) <= now_ns) {
        encode_hello(s, now_ns, bytes);
        return true;
    }
    if (!s->agreed)
        return false;
    if (s->expires_ns <= now_ns)
        check_timers(s, now_ns);
    return transmit_queued(s, now_ns, bytes);
}

uint64_t clump_ssam_deadline(const clump_ssam *s)
{
    if (!s->agreed || s->hello_due)
        return hello_deadline(s);
    return s->queue_length > 0 ? 0 : s->expires_ns;
}
