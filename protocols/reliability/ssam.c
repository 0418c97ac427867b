/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/ssam.h"

#include "protocols/reliability/sequence.h"

#include <stdlib.h>
#include <string.h>

/* ---- the inside of one end of a connection: its buffers, and which of them is whose */

/* One of the 4w buffers. The cell and what has to be known of it share a cache line. */
typedef struct buffer {
    unsigned char cell[CLUMP_CELL_SIZE];
    uint64_t sent_ns;
    uint16_t sequence;
    uint8_t state;
    uint8_t epoch; /* of the cell, for requests */
    bool queued;   /* in the list of what is to be transmitted */
} buffer;

_Static_assert(sizeof(buffer) == CLUMP_SSAM_BUFFER, "a buffer is what the documents say");

enum { FREE = 0, NEW, SENT, ANSWERED };

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
    buffer *requests, *answers, *arrivals; /* w, w and 2w */
    uint16_t *queue;                       /* 2w numbers: below w a request, from w on an answer */
};

static uint8_t epoch_of(const clump_ssam *s)
{
    return (uint8_t)((s->options.incarnation + s->peer) & 7);
}

/* Request `sequence` of ours; it is in the window. Places turn by w, sequence numbers by 1024. */
static uint16_t request_place(const clump_ssam *s, uint16_t sequence)
{
    const int32_t ahead = clump_sequence_difference_10(sequence, s->base);
    return (uint16_t)((s->base_place + ahead) % s->options.window);
}

/* Answer to the other end's request `sequence`, which is one of the last w. */
static uint16_t answer_place(const clump_ssam *s, uint16_t sequence)
{
    const int32_t w = s->options.window;
    const int32_t ahead = clump_sequence_difference_10(sequence, s->top);
    return (uint16_t)((s->top_place + ahead + w) % w);
}

static buffer *queued_buffer(const clump_ssam *s, uint16_t number)
{
    const uint16_t w = s->options.window;
    return number < w ? &s->requests[number] : &s->answers[number - w];
}

/** To be transmitted, if it is not already. */
static void enqueue(clump_ssam *s, uint16_t number)
{
    buffer *b = queued_buffer(s, number);
    const uint16_t size = (uint16_t)(2 * s->options.window);
    if (b->queued)
        return;
    b->queued = true;
    s->queue[(s->queue_first + s->queue_length++) % size] = number;
}

/* ---- opening and asking */

size_t clump_ssam_buffer_bytes(uint16_t window)
{
    return (size_t)4 * window * CLUMP_SSAM_BUFFER;
}

clump_protocol_status clump_ssam_open(const clump_ssam_options *options, clump_ssam **ssam)
{
    const uint16_t w = options->window;
    if (w < 1 || w > CLUMP_SSAM_WINDOW_MOST || options->timeout_ns == 0 ||
        options->incarnation == 0 || options->first_sequence > 0x3ff || options->request == NULL)
        return CLUMP_PROTOCOL_BAD_INPUT;
    clump_ssam *s = calloc(1, sizeof *s);
    buffer *buffers = calloc((size_t)4 * w, sizeof *buffers);
    uint16_t *queue = calloc((size_t)2 * w, sizeof *queue);
    if (s == NULL || buffers == NULL || queue == NULL) {
        free(s);
        free(buffers);
        free(queue);
        return CLUMP_PROTOCOL_FAILED;
    }
    s->options = *options;
    s->requests = buffers;
    s->answers = buffers + w;
    s->arrivals = buffers + 2 * w;
    s->queue = queue;
    s->base = s->next = s->top = options->first_sequence;
    s->expires_ns = CLUMP_TIME_NEVER;
    *ssam = s;
    return CLUMP_PROTOCOL_OK;
}

void clump_ssam_close(clump_ssam *ssam)
{
    if (ssam == NULL)
        return;
    free(ssam->requests);
    free(ssam->queue);
    free(ssam);
}

clump_protocol_status clump_ssam_request(clump_ssam *s, uint32_t handler, const void *data,
                                         size_t size, uint64_t *number)
{
    if (size > CLUMP_CELL_DATA || (size > 0 && data == NULL))
        return CLUMP_PROTOCOL_BAD_INPUT;
    if (s->in_window == s->options.window)
        return CLUMP_PROTOCOL_BLOCKED;
    const uint16_t place = (uint16_t)((s->base_place + s->in_window) % s->options.window);
    buffer *b = &s->requests[place];
    clump_cell cell = {
        .kind = CLUMP_CELL_REQUEST, .sequence = s->next, .handler = handler, .size = (uint8_t)size};
    if (size > 0)
        memcpy(cell.data, data, size);
    cell.epoch = epoch_of(s);
    clump_cell_encode(&cell, b->cell);
    b->sequence = s->next;
    b->state = NEW;
    b->epoch = cell.epoch;
    s->in_window++;
    s->outstanding++;
    s->next = (s->next + 1) & 0x3ff;
    enqueue(s, place);
    s->counters.requests++;
    if (number != NULL)
        *number = s->next_number;
    s->next_number++;
    return CLUMP_PROTOCOL_OK;
}

bool clump_ssam_idle(const clump_ssam *s)
{
    return s->outstanding == 0;
}

clump_ssam_counters clump_ssam_count(const clump_ssam *s)
{
    return s->counters;
}

/* ---- cells that arrive: who is there, what is asked, what is answered */

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
        buffer *old = &s->answers[s->top_place];
        s->answers_kept -= old->state == ANSWERED;
        old->state = FREE;
        s->top = (s->top + 1) & 0x3ff;
        s->top_place = (uint16_t)((s->top_place + 1) % w);
    }
    const uint16_t place = answer_place(s, cell->sequence);
    buffer *b = &s->answers[place];
    if (b->state == ANSWERED) { /* the answer was lost: send it again */
        s->counters.duplicates++;
        enqueue(s, (uint16_t)(w + place));
        return;
    }
    clump_cell answer = {.epoch = epoch_of(s), .sequence = cell->sequence};
    const bool reply = s->options.request(s->options.context, cell->handler, cell->data,
                                          &answer.handler, answer.data);
    answer.kind = reply ? CLUMP_CELL_REPLY : CLUMP_CELL_ACKNOWLEDGE;
    answer.size = reply ? CLUMP_CELL_DATA : 0;
    clump_cell_encode(&answer, b->cell);
    b->sequence = cell->sequence;
    b->state = ANSWERED;
    b->sent_ns = 0;
    s->answers_kept++;
    s->counters.handled++;
    enqueue(s, (uint16_t)(w + place));
}

/* Request `sequence` is answered. */
static void take_answer(clump_ssam *s, const clump_cell *cell, uint16_t sequence)
{
    const int32_t ahead = clump_sequence_difference_10(sequence, s->base);
    buffer *b = NULL;
    if (ahead >= 0 && ahead < s->in_window)
        b = &s->requests[request_place(s, sequence)];
    if (b == NULL || b->state != SENT) {
        s->counters.duplicates++;
        return;
    }
    const uint64_t number = s->next_number - (uint64_t)(s->in_window - ahead);
    b->state = ANSWERED;
    s->outstanding--;
    s->counters.answered++;
    while (s->in_window > 0 && s->requests[s->base_place].state == ANSWERED) {
        s->requests[s->base_place].state = FREE;
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
        else if (!good || !s->agreed || cell.epoch != epoch_of(s)) {
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

/* ---- cells that leave: for the first time, or because no answer came in time */

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
        const buffer *b = &s->requests[place];
        const uint64_t due = b->sent_ns + s->options.timeout_ns;
        if (b->state != SENT || b->queued)
            continue;
        if (due <= now_ns)
            enqueue(s, place);
        else if (due < soonest)
            soonest = due;
    }
    s->expires_ns = soonest;
}

/* A cell whose epoch was not known when it was made. */
static void set_epoch(clump_ssam *s, buffer *b)
{
    clump_cell cell;
    if (b->epoch == epoch_of(s) || !clump_cell_decode(b->cell, &cell))
        return;
    cell.epoch = b->epoch = epoch_of(s);
    clump_cell_encode(&cell, b->cell);
}

static bool is_acknowledgement(const clump_ssam *s, uint16_t number)
{
    const buffer *b = queued_buffer(s, number);
    return number >= s->options.window && b->state == ANSWERED &&
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
        buffer *b = queued_buffer(s, s->queue[s->queue_first]);
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
        buffer *b = queued_buffer(s, number);
        s->queue_first = (uint16_t)((s->queue_first + 1) % size);
        s->queue_length--;
        b->queued = false;
        if (number < w ? b->state != NEW && b->state != SENT : b->state != ANSWERED)
            continue; /* answered while it waited to be sent again */
        if (number < w) {
            set_epoch(s, b);
            s->counters.resent += b->state == SENT;
            b->state = SENT;
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

/* ---- the invariants of a connection, recounted from its buffers */

const char *clump_ssam_check(const clump_ssam *s)
{
    const uint16_t w = s->options.window;
    uint16_t open = 0, kept = 0, queued = 0;
    for (uint16_t i = 0; i < w; i++) {
        const buffer *r = &s->requests[i], *a = &s->answers[i];
        const bool inside = (uint16_t)((i + w - s->base_place) % w) < s->in_window;
        open += r->state == NEW || r->state == SENT;
        kept += a->state == ANSWERED;
        queued += r->queued + a->queued;
        if (inside == (r->state == FREE))
            return "a request is in the window exactly when its buffer is in use";
        if (inside && request_place(s, r->sequence) != i)
            return "a request is found by its sequence number";
        if (a->state == ANSWERED && answer_place(s, a->sequence) != i)
            return "an answer is found by its sequence number";
    }
    if (s->in_window > w || open != s->outstanding)
        return "the window holds at most w requests, and counts those without answer";
    if (kept != s->answers_kept || s->arrived > 2 * w)
        return "buffers of answers and arrivals are counted";
    if (queued != s->queue_length)
        return "what is to be transmitted is in the queue once";
    if (((uint16_t)(s->next - s->base) & 0x3ff) != s->in_window)
        return "sequence numbers and the window agree";
    return NULL;
}
