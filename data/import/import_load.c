/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files into memory. */
#include "data/import/import_handle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIRST = 1 << 16 };
static const size_t largest = (size_t)1 << 30;

static clump_store_status read_all(clump_import *import, FILE *file, const char *path, char **bytes,
                                   size_t *size)
{
    size_t room = FIRST;
    size_t used = 0;
    char *buffer = malloc(room + 1);
    while (buffer != NULL) {
        used += fread(buffer + used, 1, room - used, file);
        if (used < room || room >= largest)
            break;
        room *= 2;
        char *larger = realloc(buffer, room + 1);
        if (larger == NULL)
            free(buffer);
        buffer = larger;
    }
    if (buffer == NULL)
        return clump_import_fail_with(import, CLUMP_STORE_FAILED, "out of memory");
    if (ferror(file) != 0) {
        free(buffer);
        return clump_import_fail_with(import, CLUMP_STORE_FAILED, "%.300s: cannot be read: %s",
                                      path, strerror(errno));
    }
    if (used >= largest) {
        free(buffer);
        return clump_import_fail_with(import, CLUMP_STORE_BAD_INPUT,
                                      "%.300s: found more than 1 GiB, expected a smaller file",
                                      path);
    }
    *bytes = buffer;
    *size = used;
    return CLUMP_STORE_OK;
}

clump_store_status clump_import_load(clump_import *import, const char *path, char **bytes,
                                     size_t *size)
{
    if (strcmp(path, "-") == 0)
        return read_all(import, stdin, "standard input", bytes, size);
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        return clump_import_fail_with(import, CLUMP_STORE_BAD_INPUT,
                                      "%.300s: found a directory, expected a file", path);
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return clump_import_fail_with(import, CLUMP_STORE_NOT_FOUND, "%.300s: cannot be opened: %s",
                                      path, strerror(errno));
    }
    const clump_store_status read = read_all(import, file, path, bytes, size);
    fclose(file);
    return read;
}
