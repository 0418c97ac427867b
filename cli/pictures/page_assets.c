/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of web/ as bytes of the program. CLUMP_WEB_DIR is their folder, as a string; the object
 * depends on them. */
#include "cli/pictures/page.h"

#include <stdint.h>

#ifndef CLUMP_WEB_DIR
#error "define CLUMP_WEB_DIR as the quoted path of web/"
#endif

#define ASSET(name, file)                                                                          \
    __asm__(".pushsection .rodata\n"                                                               \
            ".globl clump_web_" #name "\n.hidden clump_web_" #name "\nclump_web_" #name ":\n"      \
            ".incbin \"" CLUMP_WEB_DIR "/" file "\"\n"                                             \
            ".globl clump_web_" #name "_end\n.hidden clump_web_" #name "_end\n"                    \
            "clump_web_" #name "_end:\n.byte 0\n.popsection\n");                                   \
    extern const unsigned char clump_web_##name[] __attribute__((visibility("hidden")));           \
    extern const unsigned char clump_web_##name##_end[] __attribute__((visibility("hidden")));     \
    page_asset page_asset_##name(void)                                                             \
    {                                                                                              \
        return (page_asset){clump_web_##name, (size_t)((uintptr_t)clump_web_##name##_end -         \
                                                       (uintptr_t)clump_web_##name)};              \
    }

ASSET(style, "page.css")
ASSET(script, "page.js")
ASSET(controls, "controls.html")
ASSET(engine, "engine.wasm")
