/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/sha256.h"

#include <nettle/base16.h>

void clump_sha256_end(struct sha256_ctx *state, char text[CLUMP_SHA256_TEXT])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(state, sizeof digest, digest);
    base16_encode_update(text, sizeof digest, digest);
    text[CLUMP_SHA256_TEXT - 1] = '\0';
}

void clump_sha256(const void *bytes, size_t size, char text[CLUMP_SHA256_TEXT])
{
    struct sha256_ctx state;
    sha256_init(&state);
    sha256_update(&state, size, bytes);
    clump_sha256_end(&state, text);
}
