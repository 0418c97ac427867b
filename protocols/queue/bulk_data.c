/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/queue/bulk_data.h"
#include "protocols/queue/process.h"

#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

/* Below, ordinary stores, which leave the data in a cache, bring them to the receiver sooner as
 * long as the two processors share one; the other ways take a while to begin or to end. */
enum { CHOICE_FROM = 4096, PART = 64 };
/* Bytes that take about as long as a line from the other processor. */
enum { LAST = 512 };
/* A round: once around the blocks, and so many at least, for senders pause when all are full. */
enum { ROUND_LEAST = 64 };

static uint64_t blocks_in_round(const struct clump_queue *q)
{
    const uint64_t all = (uint64_t)q->bulk_mask + 1;
    return all > ROUND_LEAST ? all : ROUND_LEAST;
}

static bool is_tried(const struct clump_queue *q, size_t size)
{
#ifdef __x86_64__
    return size >= CHOICE_FROM && q->ways.left == 0;
#else
    (void)q, (void)size;
    return false; /* there is one way */
#endif
}

void clump_bulk_begin(struct clump_queue *q, size_t size)
{
    if (is_tried(q, size) && q->ways.sent == 0)
        q->ways.since_ns = clump_time_ns();
}

void clump_bulk_end(struct clump_queue *q, size_t size)
{
    struct clump_bulk_ways *w = &q->ways;
    if (!is_tried(q, size)) {
        w->left -= w->left > 0 && size >= CHOICE_FROM;
        return;
    }
    w->bytes += size;
    if (++w->sent < blocks_in_round(q))
        return;
    clump_bulk_round(w, w->sent, clump_time_ns() - w->since_ns, w->bytes);
    w->bytes = w->sent = 0;
}

#ifdef __x86_64__
/** Blocks begin on a line; the data may lie anywhere. */
static void write_past_caches(unsigned char *to, const unsigned char *from, size_t size,
                              const struct clump_packet *packet)
{
    const size_t whole = size / PART * PART;
    for (size_t i = 0; i < whole; i += PART) {
        if (i + LAST == whole)
            clump_prefetch_for_write(packet);
        const __m128i a = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
        const __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 16));
        const __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 32));
        const __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + i + 48));
        _mm_stream_si128((__m128i *)(void *)(to + i), a);
        _mm_stream_si128((__m128i *)(void *)(to + i + 16), b);
        _mm_stream_si128((__m128i *)(void *)(to + i + 32), c);
        _mm_stream_si128((__m128i *)(void *)(to + i + 48), d);
    }
    memcpy(to + whole, from + whole, size - whole);
    _mm_sfence(); /* streaming stores are not ordered by the release that publishes them */
}
#endif

void clump_bulk_write(struct clump_queue *q, uint32_t index, uint32_t packet, const void *data,
                      size_t size)
{
    unsigned char *to = clump_bulk_data(q, index);
#ifdef __x86_64__
    if (q->ways.way == CLUMP_BULK_PAST && size >= CHOICE_FROM) {
        write_past_caches(to, data, size, &q->packets[packet]);
        return;
    }
    if (q->ways.way == CLUMP_BULK_STRING && size >= CHOICE_FROM) {
        /* Its stores are in any order among themselves, but before a later store. */
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(data), "+c"(size) : : "memory");
        return;
    }
#endif
    (void)packet;
    memcpy(to, data, size);
}
