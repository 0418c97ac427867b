/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/ssam_private.h"

#include <stdlib.h>
#include <string.h>

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
    clump_ssam_buffer *buffers = calloc((size_t)4 * w, sizeof *buffers);
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
    clump_ssam_buffer *b = &s->requests[place];
    clump_cell cell = {
        .kind = CLUMP_CELL_REQUEST, .sequence = s->next, .handler = handler, .size = (uint8_t)size};
    if (size > 0)
        memcpy(cell.data, data, size);
    cell.epoch = clump_ssam_epoch(s);
    clump_cell_encode(&cell, b->cell);
    b->sequence = s->next;
    b->state = CLUMP_SSAM_NEW;
    b->epoch = cell.epoch;
    s->in_window++;
    s->outstanding++;
    s->next = (s->next + 1) & 0x3ff;
    clump_ssam_enqueue(s, place);
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
