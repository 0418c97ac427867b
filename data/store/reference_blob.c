/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference database, and one without rows, as bytes of the program. CLUMP_REFERENCE_DB and CLUMP_EMPTY_DB are the
 * paths of the files, as strings; the object depends on these files. */
#include "data/store/handle.h"

#if !defined CLUMP_REFERENCE_DB || !defined CLUMP_EMPTY_DB
#error "define CLUMP_REFERENCE_DB and CLUMP_EMPTY_DB as the quoted paths of the databases"
#endif

/* The assembler's own directives; an object that gcc or clang compiles from C already carries the
 * note that it needs no executable stack. SQLite wants the image aligned to 8 bytes. */
#define BLOB(name, path)                                                                           \
    __asm__(".pushsection .rodata\n"                                                               \
            ".balign 16\n"                                                                         \
            ".globl " #name "\n"                                                                   \
            ".hidden " #name "\n"                                                                  \
            ".type " #name ", %object\n" #name ":\n"                                               \
            ".incbin \"" path "\"\n"                                                               \
            ".globl " #name "_end\n"                                                               \
            ".hidden " #name "_end\n" #name "_end:\n"                                              \
            ".byte 0\n"                                                                            \
            ".size " #name ", " #name "_end - " #name "\n"                                         \
            ".popsection\n");                                                                      \
    extern const unsigned char name[] __attribute__((visibility("hidden")));                       \
    extern const unsigned char name##_end[] __attribute__((visibility("hidden")))

BLOB(clump_reference_blob, CLUMP_REFERENCE_DB);
BLOB(clump_empty_blob, CLUMP_EMPTY_DB);

const unsigned char *clump_reference_image(size_t *size)
{
    *size = (size_t)((uintptr_t)clump_reference_blob_end - (uintptr_t)clump_reference_blob);
    return clump_reference_blob;
}

const unsigned char *clump_empty_image(size_t *size)
{
    *size = (size_t)((uintptr_t)clump_empty_blob_end - (uintptr_t)clump_empty_blob);
    return clump_empty_blob;
}
