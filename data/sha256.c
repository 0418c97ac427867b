/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FIPS 180-4; letters and section numbers are those of the standard. */
#include "data/sha256.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

enum { BLOCK = 64 };

/* 4.2.2: first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* 6.2.2: one block into the hash value H. */
static void process(uint32_t H[8], const unsigned char *block)
{
    uint32_t W[64];
    for (int t = 0; t < 16; t++) {
        W[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    }
    for (int t = 16; t < 64; t++) {
        const uint32_t x = W[t - 15];
        const uint32_t y = W[t - 2];
        W[t] = W[t - 16] + (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + W[t - 7] +
               (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
    }
    uint32_t a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
    for (int t = 0; t < 64; t++) {
        const uint32_t T1 =
            h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + W[t];
        const uint32_t T2 =
            (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + T1;
        d = c;
        c = b;
        b = a;
        a = T1 + T2;
    }
    const uint32_t add[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        H[i] += add[i];
}

#ifdef __x86_64__

/* Whether the processor has the instructions. Asking it takes microseconds in a virtual machine: once. */
static bool has_instructions(void)
{
    enum { UNKNOWN, NO, YES };
    static _Atomic int known = UNKNOWN;
    if (known == UNKNOWN) {
        unsigned a, b = 0, c, d;
        const bool has = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_SHA) != 0 &&
                         __builtin_cpu_supports("sse4.1");
        known = has ? YES : NO;
    }
    return known == YES;
}

/* 6.2.2 by the processor's own instructions, each of which does two rounds: seven times as fast. They
 * take the working variables as A B E F and C D G H, and the sum K + W of two rounds. */
__attribute__((target("sha,sse4.1"))) static void
process_by_instructions(uint32_t H[8], const unsigned char *block, size_t count)
{
    const __m128i bytes = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i abef = _mm_set_epi32((int)H[0], (int)H[1], (int)H[4], (int)H[5]);
    __m128i cdgh = _mm_set_epi32((int)H[2], (int)H[3], (int)H[6], (int)H[7]);
    for (; count > 0; count--, block += BLOCK) {
        const __m128i abef_before = abef, cdgh_before = cdgh;
        __m128i W[4]; /* the last 16 words of the message schedule, in turn */
        for (int i = 0; i < 4; i++) {
            const __m128i *words = (const __m128i *)(const void *)(block + 16 * i);
            W[i] = _mm_shuffle_epi8(_mm_loadu_si128(words), bytes);
        }
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            const __m128i *k = (const __m128i *)(const void *)(K + 4 * i);
            const __m128i sum = _mm_add_epi32(W[i % 4], _mm_loadu_si128(k));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0E));
            if (i < 12) {
                const __m128i last = W[(i + 3) % 4];
                const __m128i t_7 = _mm_alignr_epi8(last, W[(i + 2) % 4], 4);
                const __m128i t_16 = _mm_sha256msg1_epu32(W[i % 4], W[(i + 1) % 4]);
                W[i % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(t_16, t_7), last);
            }
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    uint32_t first[4], second[4]; /* F E B A, H G D C */
    memcpy(first, &abef, sizeof first);
    memcpy(second, &cdgh, sizeof second);
    const uint32_t made[8] = {first[3], first[2], second[3], second[2],
                              first[1], first[0], second[1], second[0]};
    memcpy(H, made, sizeof made);
}

#endif

/* Many blocks at once. What comes in pieces of less than a block goes through process(). */
static void process_all(uint32_t H[8], const unsigned char *block, size_t count)
{
#ifdef __x86_64__
    if (count > 0 && has_instructions()) {
        process_by_instructions(H, block, count);
        return;
    }
#endif
    for (; count > 0; count--, block += BLOCK)
        process(H, block);
}

void clump_sha256_begin(clump_sha256_state *state)
{
    /* 5.3.3: the same of the square roots of the first 8 primes. */
    *state = (clump_sha256_state){.H = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                        0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void clump_sha256_add(clump_sha256_state *state, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    size_t left = size;
    const size_t used = (size_t)(state->size % BLOCK);
    state->size += size;
    if (used > 0) {
        const size_t part = left < BLOCK - used ? left : BLOCK - used;
        memcpy(state->tail + used, at, part);
        if (used + part < BLOCK)
            return;
        process(state->H, state->tail);
        at += part;
        left -= part;
    }
    process_all(state->H, at, left / BLOCK);
    at += left / BLOCK * BLOCK;
    left %= BLOCK;
    if (left > 0)
        memcpy(state->tail, at, left);
}

void clump_sha256_end(clump_sha256_state *state, char text[CLUMP_SHA256_TEXT])
{
    /* 5.1.1: a one bit, zeros, and the length in bits in the last 8 bytes. */
    const size_t left = (size_t)(state->size % BLOCK);
    unsigned char tail[2 * BLOCK] = {0};
    memcpy(tail, state->tail, left);
    tail[left] = 0x80;
    const size_t end = left < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    const uint64_t bits = state->size * 8;
    for (unsigned i = 0; i < 8; i++)
        tail[end - 1 - i] = (unsigned char)(bits >> (8 * i));
    for (size_t i = 0; i < end; i += BLOCK)
        process(state->H, tail + i);
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < CLUMP_SHA256_TEXT - 1; i++)
        text[i] = hex[state->H[i / 8] >> (28 - 4 * (i % 8)) & 15];
    text[CLUMP_SHA256_TEXT - 1] = '\0';
}

void clump_sha256(const void *bytes, size_t size, char text[CLUMP_SHA256_TEXT])
{
    clump_sha256_state state;
    clump_sha256_begin(&state);
    if (size > 0)
        clump_sha256_add(&state, bytes, size);
    clump_sha256_end(&state, text);
}
