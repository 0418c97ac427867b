/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The invariants of a connection, recounted from its buffers. */
#include "protocols/reliability/ssam_private.h"

const char *clump_ssam_check(const clump_ssam *s)
{
    const uint16_t w = s->options.window;
    uint16_t open = 0, kept = 0, queued = 0;
    for (uint16_t i = 0; i < w; i++) {
        const clump_ssam_buffer *r = &s->requests[i], *a = &s->answers[i];
        const bool inside = (uint16_t)((i + w - s->base_place) % w) < s->in_window;
        open += r->state == CLUMP_SSAM_NEW || r->state == CLUMP_SSAM_SENT;
        kept += a->state == CLUMP_SSAM_ANSWERED;
        queued += r->queued + a->queued;
        if (inside == (r->state == CLUMP_SSAM_FREE))
            return "a request is in the window exactly when its buffer is in use";
        if (inside && clump_ssam_request_place(s, r->sequence) != i)
            return "a request is found by its sequence number";
        if (a->state == CLUMP_SSAM_ANSWERED && clump_ssam_answer_place(s, a->sequence) != i)
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
