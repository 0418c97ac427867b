/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/queue/copy.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Below, ordinary stores, which leave the data in a cache, bring them to the receiver sooner as
 * long as the two processors share one; from here on they are slower everywhere. */
enum { STREAM_FROM = 4096, LINE = 64 };

void clump_copy_to_block(void *block, const void *data, size_t size)
{
#ifdef __SSE2__
    if (size >= STREAM_FROM) { /* blocks begin on a line; the data may lie anywhere */
        char *to = block;
        const char *from = data;
        const size_t whole = size / LINE * LINE;
        for (size_t i = 0; i < whole; i += LINE) {
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
        return;
    }
#endif
    memcpy(block, data, size);
}
