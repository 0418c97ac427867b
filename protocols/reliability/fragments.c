/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/reliability/fragments.h"

#include <string.h>

/* Take note of a part. @return whether it fits to those before */
static bool note(clump_assembly *a, uint32_t offset, uint32_t size)
{
    if (offset + size == a->whole) {
        if (a->last != 0 || (a->part != 0 && (offset % a->part != 0 || size > a->part)))
            return false;
        a->last = offset;
        return true;
    }
    if (a->part == 0 && a->last != 0 && (a->last % size != 0 || a->whole - a->last > size))
        return false;
    const uint32_t place = offset / size;
    if ((a->part != 0 && size != a->part) || offset % size != 0 || place >= CLUMP_FRAGMENTS_MOST ||
        (a->seen[place / 64] >> place % 64 & 1) != 0)
        return false;
    a->part = size;
    a->seen[place / 64] |= UINT64_C(1) << place % 64;
    return true;
}

clump_assembly_step clump_assembly_add(clump_assembly *assembly, unsigned char *bytes,
                                       uint32_t room, uint32_t offset, uint32_t whole,
                                       const unsigned char *part, uint32_t size)
{
    if (whole > room || size == 0 || offset >= whole || size > whole - offset)
        return CLUMP_ASSEMBLY_REFUSED;
    if (assembly->done == 0 || assembly->done == assembly->whole) { /* a new message */
        memset(assembly, 0, sizeof *assembly);
        assembly->whole = whole;
    } else if (whole != assembly->whole) {
        return CLUMP_ASSEMBLY_REFUSED;
    }
    /* Alone it is the whole message. */
    if (size < whole ? !note(assembly, offset, size) : assembly->done > 0)
        return CLUMP_ASSEMBLY_REFUSED;
    memcpy(bytes + offset, part, size);
    assembly->done += size;
    return assembly->done == whole ? CLUMP_ASSEMBLY_WHOLE : CLUMP_ASSEMBLY_MORE;
}
