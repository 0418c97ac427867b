/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference database as bytes of the program. CLUMP_REFERENCE_DB is the path of the file, as a string; the object
 * depends on it. */
#include "data/store/handle.h"

#ifndef CLUMP_REFERENCE_DB
#error "define CLUMP_REFERENCE_DB as the quoted path of the database"
#endif

/* The assembler's own directives; an object that gcc or clang compiles from C already carries the
 * note that it needs no executable stack. SQLite wants the image aligned to 8 bytes. */
__asm__(".pushsection .rodata\n"
        ".balign 16\n"
        ".globl clump_reference_blob\n"
        ".hidden clump_reference_blob\n"
        ".type clump_reference_blob, %object\n"
        "clump_reference_blob:\n"
        ".incbin \"" CLUMP_REFERENCE_DB "\"\n"
        ".globl clump_reference_blob_end\n"
        ".hidden clump_reference_blob_end\n"
        "clump_reference_blob_end:\n"
        ".byte 0\n"
        ".size clump_reference_blob, clump_reference_blob_end - clump_reference_blob\n"
        ".popsection\n");
extern const unsigned char clump_reference_blob[] __attribute__((visibility("hidden")));
extern const unsigned char clump_reference_blob_end[] __attribute__((visibility("hidden")));

const unsigned char *clump_reference_image(size_t *size)
{
    *size = (size_t)((uintptr_t)clump_reference_blob_end - (uintptr_t)clump_reference_blob);
    return clump_reference_blob;
}
