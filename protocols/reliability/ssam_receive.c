/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells that arrive: who is there, what is asked, what is answered. */
#include "protocols/reliability/ssam_private.h"

#include <string.h>

clump_protocol_status clump_ssam_arrive(clump_ssam *s, const unsigned char bytes[CLUMP_CELL_SIZE])
{
    const uint16_t size = (uint16_t)(2 * s->options.window);
    if (s->arrived == size) { /* the process has not run for long; the sender will try again */
        s->counters.refused++;
        return CLUMP_PROTOCOL_BAD_PACKET;
    }
    memcpy(s->arrivals[(s->first + s->arrived++) % size].cell, bytes, CLUMP_CELL_SIZE);
    const uint64_t used = (uint64_t)s->in_window + s->answers_kept + s->arrived;
    if (used > s->counters.most_buffers)
        s->counters.most_buffers = used;
    return CLUMP_PROTOCOL_OK;
}

static uint32_t read_32(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void forget_other_end(clump_ssam *s)
{
    const uint16_t w = s->options.window;
    s->counters.lost += s->outstanding;
    memset(s->requests, 0, (size_t)4 * w * sizeof *s->requests);
    s->base = s->next = s->top = s->options.first_sequence;
    s->base_place = s->top_place = s->outstanding = s->in_window = s->answers_kept = 0;
    s->queue_length = s->arrived = 0;
    s->expires_ns = CLUMP_TIME_NEVER;
}

/* HELLO: who I am, who I think you are (0: no idea), and whether I want an answer. */
static void take_hello(clump_ssam *s, const clump_cell *cell)
{
    const uint32_t from = read_32(cell->data), to = read_32(cell->data + 4);
    if (cell->size != 9 || from == 0 ||
        (from != s->peer && !clump_incarnation_later(from, s->peer)))
        return;
    if (from != s->peer) {
        if (s->agreed) {
            s->counters.restarts++;
            forget_other_end(s);
            s->agreed = false;
        }
        s->peer = from;
    }
    s->agreed |= to == s->options.incarnation;
    s->hello_due |= to != s->options.incarnation || cell->data[8] != 0;
}

static void take_request(clump_ssam *s, const clump_cell *cell)
{
    const uint16_t w = s->options.window;
    const int32_t ahead = clump_sequence_difference_10(cell->sequence, s->top);
    if (ahead >= w || ahead < -(int32_t)w) { /* beyond any window, or answered long ago */
        s->counters.duplicates += ahead < 0;
        s->counters.refused += ahead >= 0;
        return;
    }
    for (int32_t i = 0; i <= ahead; i++) { /* the sender has the answers that these places held */
        clump_ssam_buffer *old = &s->answers[s->top_place];
        s->answers_kept -= old->state == CLUMP_SSAM_ANSWERED;
        old->state = CLUMP_SSAM_FREE;
        s->top = (s->top + 1) & 0x3ff;
        s->top_place = (uint16_t)((s->top_place + 1) % w);
    }
    const uint16_t place = clump_ssam_answer_place(s, cell->sequence);
    clump_ssam_buffer *b = &s->answers[place];
    if (b->state == CLUMP_SSAM_ANSWERED) { /* the answer was lost: send it again */
        s->counters.duplicates++;
        clump_ssam_enqueue(s, (uint16_t)(w + place));
        return;
    }
    clump_cell answer = {.epoch = clump_ssam_epoch(s), .sequence = cell->sequence};
    const bool reply = s->options.request(s->options.context, cell->handler, cell->data,
                                          &answer.handler, answer.data);
    answer.kind = reply ? CLUMP_CELL_REPLY : CLUMP_CELL_ACKNOWLEDGE;
    answer.size = reply ? CLUMP_CELL_DATA : 0;
    clump_cell_encode(&answer, b->cell);
    b->sequence = cell->sequence;
    b->state = CLUMP_SSAM_ANSWERED;
    b->sent_ns = 0;
    s->answers_kept++;
    s->counters.handled++;
    clump_ssam_enqueue(s, (uint16_t)(w + place));
}

/* Request `sequence` is answered. */
static void take_answer(clump_ssam *s, const clump_cell *cell, uint16_t sequence)
{
    const int32_t ahead = clump_sequence_difference_10(sequence, s->base);
    clump_ssam_buffer *b = NULL;
    if (ahead >= 0 && ahead < s->in_window)
        b = &s->requests[clump_ssam_request_place(s, sequence)];
    if (b == NULL || b->state != CLUMP_SSAM_SENT) {
        s->counters.duplicates++;
        return;
    }
    const uint64_t number = s->next_number - (uint64_t)(s->in_window - ahead);
    b->state = CLUMP_SSAM_ANSWERED;
    s->outstanding--;
    s->counters.answered++;
    while (s->in_window > 0 && s->requests[s->base_place].state == CLUMP_SSAM_ANSWERED) {
        s->requests[s->base_place].state = CLUMP_SSAM_FREE;
        s->base = (s->base + 1) & 0x3ff;
        s->base_place = (uint16_t)((s->base_place + 1) % s->options.window);
        s->in_window--;
    }
    if (s->options.reply != NULL)
        s->options.reply(s->options.context, number, cell->kind == CLUMP_CELL_REPLY, cell->handler,
                         cell->kind == CLUMP_CELL_REPLY ? cell->data : NULL);
}

/* The request of the cell's sequence, and those that its data name. */
static void take_acknowledgements(clump_ssam *s, const clump_cell *cell)
{
    take_answer(s, cell, cell->sequence);
    for (unsigned i = 0; i + 2 <= cell->size; i += 2)
        take_answer(s, cell, (uint16_t)((cell->data[i] & 3u) << 8 | cell->data[i + 1]));
}

size_t clump_ssam_poll(clump_ssam *s)
{
    const uint16_t size = (uint16_t)(2 * s->options.window);
    size_t handled = 0;
    while (s->arrived > 0) {
        clump_cell cell;
        const bool good = clump_cell_decode(s->arrivals[s->first].cell, &cell);
        s->first = (uint16_t)((s->first + 1) % size);
        s->arrived--;
        handled++;
        if (good && cell.kind == CLUMP_CELL_HELLO)
            take_hello(s, &cell);
        else if (!good || !s->agreed || cell.epoch != clump_ssam_epoch(s)) {
            s->counters.refused++;
            s->hello_due |= good;
        } else if (cell.kind == CLUMP_CELL_REQUEST)
            take_request(s, &cell);
        else if (cell.kind == CLUMP_CELL_REPLY)
            take_answer(s, &cell, cell.sequence);
        else
            take_acknowledgements(s, &cell);
    }
    return handled;
}
