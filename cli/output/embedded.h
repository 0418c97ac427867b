/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_EMBEDDED_H
#define CLUMP_CLI_OUTPUT_EMBEDDED_H

/* Files of the source tree as bytes of the program, by their paths from its root. The Makefile says which objects depend on
 * them. */

#include <stddef.h>
#include <stdint.h>

typedef struct embedded_file {
    const char *bytes; /**< with a 0 behind them */
    size_t size;
} embedded_file;

/** Defines `embedded_file NAME_file(void)`. */
#define EMBED(name, path)                                                                          \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl clump_embedded_" #name "\n.hidden clump_embedded_" #name                       \
            "\nclump_embedded_" #name ":\n.incbin \"" path "\"\n"                                  \
            ".globl clump_embedded_" #name "_end\n.hidden clump_embedded_" #name                   \
            "_end\nclump_embedded_" #name "_end:\n.byte 0\n.popsection\n");                        \
    extern const char clump_embedded_##name[] __attribute__((visibility("hidden")));               \
    extern const char clump_embedded_##name##_end[] __attribute__((visibility("hidden")));         \
    static embedded_file name##_file(void)                                                         \
    {                                                                                              \
        return (embedded_file){                                                                    \
            clump_embedded_##name,                                                                 \
            (size_t)((uintptr_t)clump_embedded_##name##_end - (uintptr_t)clump_embedded_##name)};  \
    }

#endif
