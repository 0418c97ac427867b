/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/picture_check.h"

#include <stdint.h>
#include <string.h>

static bool begins(const char *bytes, size_t size, const char *with, size_t length)
{
    return size >= length && memcmp(bytes, with, length) == 0;
}

/* But for ends of lines behind it. */
static bool ends(const char *bytes, size_t size, const char *with)
{
    const size_t length = strlen(with);
    while (size > 0 && strchr("\r\n", bytes[size - 1]) != NULL && bytes[size - 1] != '\0')
        size--;
    return size >= length && memcmp(bytes + size - length, with, length) == 0;
}

/* A signature, then pieces: length (4 bytes, the highest first), name (4), contents, checksum (4). */
static bool is_whole_png(const char *bytes, size_t size)
{
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    enum { SIGNATURE = sizeof signature - 1, FRAME = 12 };
    if (!begins(bytes, size, signature, SIGNATURE))
        return false;
    for (size_t at = SIGNATURE; size - at >= FRAME;) {
        const unsigned char *piece = (const unsigned char *)bytes + at;
        const size_t length = (size_t)piece[0] << 24 | (size_t)piece[1] << 16 |
                              (size_t)piece[2] << 8 | (size_t)piece[3];
        if (length > size - at - FRAME)
            return false;
        at += FRAME + length;
        if (memcmp(piece + 4, "IEND", 4) == 0)
            return at == size;
    }
    return false;
}

bool picture_is_whole(plot_kind kind, const char *bytes, size_t size)
{
    switch (kind) {
    case PLOT_SVG:
        return begins(bytes, size, "<?xml", 5) && ends(bytes, size, "</svg>");
    case PLOT_PDF:
        return begins(bytes, size, "%PDF-", 5) && ends(bytes, size, "%%EOF");
    case PLOT_PNG:
        break;
    }
    return is_whole_png(bytes, size);
}
