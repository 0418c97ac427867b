/* SPDX-License-Identifier: GPL-3.0-or-later */
/** SHA-256 (nettle's) as text, by which a log file is known again. Internal to data/. */
#ifndef CLUMP_DATA_SHA256_H
#define CLUMP_DATA_SHA256_H

#include <nettle/sha2.h>
#include <stddef.h>

enum { CLUMP_SHA256_TEXT = 2 * SHA256_DIGEST_SIZE + 1 };

/** Ends a digest that sha256_init() and sha256_update() made: 64 lower-case hex digits and NUL. */
void clump_sha256_end(struct sha256_ctx *state, char text[CLUMP_SHA256_TEXT]);

/** The digest of `size` bytes. */
void clump_sha256(const void *bytes, size_t size, char text[CLUMP_SHA256_TEXT]);

#endif
