/* SPDX-License-Identifier: GPL-3.0-or-later */
/** SHA-256 (FIPS 180-4), by which a log file is known again. Internal to data/. */
#ifndef CLUMP_DATA_SHA256_H
#define CLUMP_DATA_SHA256_H

#include <stddef.h>

enum { CLUMP_SHA256_TEXT = 65 };

/** The digest of `size` bytes as 64 lower-case hex digits and NUL. Cost: about 5 ns a byte. */
void clump_sha256(const void *bytes, size_t size, char text[CLUMP_SHA256_TEXT]);

#endif
