/* SPDX-License-Identifier: GPL-3.0-or-later */
/** SHA-256 (FIPS 180-4), by which a log file is known again. Internal to data/. */
#ifndef CLUMP_DATA_SHA256_H
#define CLUMP_DATA_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { CLUMP_SHA256_TEXT = 65 };

/** A digest that is being made of pieces. */
typedef struct clump_sha256_state {
    uint32_t H[8];
    unsigned char tail[64]; /**< what has not filled a block yet */
    uint64_t size;          /**< bytes so far */
} clump_sha256_state;

void clump_sha256_begin(clump_sha256_state *state);
void clump_sha256_add(clump_sha256_state *state, const void *bytes, size_t size);
void clump_sha256_end(clump_sha256_state *state, char text[CLUMP_SHA256_TEXT]);

/** The digest of `size` bytes as 64 lower-case hex digits and NUL. Cost: 0.5 to 0.7 ns a
 *  byte where the processor has instructions for it (x86-64), else 3 to 5. */
void clump_sha256(const void *bytes, size_t size, char text[CLUMP_SHA256_TEXT]);

#endif
