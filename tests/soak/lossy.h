/* SPDX-License-Identifier: GPL-3.0-or-later */
/** A lossy link in user space: sockets before the real ones that lose, repeat and hold back. */
#ifndef CLUMP_TESTS_SOAK_LOSSY_H
#define CLUMP_TESTS_SOAK_LOSSY_H

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdint.h>

enum { LOSSY_TARGETS = 16 };

struct lossy {
    double loss, repeats, delays;             /**< shares of all datagrams */
    _Atomic uint16_t target[LOSSY_TARGETS];   /**< ports on 127.0.0.1; 0: nobody */
    _Atomic uint16_t entrance[LOSSY_TARGETS]; /**< ports before them */
    _Atomic uint64_t passed, lost, repeated, delayed;
    _Atomic int stop;
};

/** Relay until stop. Fills the entrances first. */
void lossy_run(struct lossy *lossy, unsigned targets);

#endif
