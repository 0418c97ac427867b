/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_UNIT_SANITIZED_H
#define CLUMP_TESTS_UNIT_SANITIZED_H

/* Whether AddressSanitizer is in it (gcc and clang say so in different ways): tests that only take longer then are
 * shorter. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
