/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * SipHash-2-4 (Aumasson, Bernstein, 2012): a keyed 64-bit hash. Who does not know the key can
 * neither compute nor guess it; an endpoint makes and checks its cookies with it.
 */
#ifndef CLUMP_PROTOCOLS_NETWORK_SIPHASH_H
#define CLUMP_PROTOCOLS_NETWORK_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/** Hash of `size` bytes under a key of 16. */
uint64_t clump_siphash(const unsigned char key[16], const void *bytes, size_t size);

#endif
