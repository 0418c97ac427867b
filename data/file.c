/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* As many of the next bytes as there are, and fit; fewer: it ends, or -1. */
typedef int read_fn(void *from, void *to, unsigned size);

static int read_plain(void *from, void *to, unsigned size)
{
    const size_t got = fread(to, 1, size, from);
    return ferror((FILE *)from) == 0 ? (int)got : -1;
}

/* What is not compressed comes as it is. */
static int read_gzip(void *from, void *to, unsigned size)
{
    return gzread(from, to, size);
}

static clump_file_status read_all(read_fn *more, void *from, size_t limit, char **bytes,
                                  size_t *size)
{
    enum { PIECE = 1 << 20 };
    size_t room = 0, used = 0;
    char *buffer = NULL;
    clump_file_status status = CLUMP_FILE_OK;
    for (int got = 1; status == CLUMP_FILE_OK && used <= limit && got > 0;) {
        if (used == room) {
            room = room == 0 ? 1 << 16 : 2 * room;
            if (room > limit) /* one byte more shows that it is too large */
                room = limit + 1;
            char *larger = realloc(buffer, room + 1);
            if (larger == NULL) {
                status = CLUMP_FILE_NO_MEMORY;
                break;
            }
            buffer = larger;
        }
        got = more(from, buffer + used, (unsigned)(room - used < PIECE ? room - used : PIECE));
        if (got < 0)
            status = CLUMP_FILE_UNREADABLE;
        else
            used += (size_t)got;
    }
    if (status == CLUMP_FILE_OK && used > limit)
        status = CLUMP_FILE_TOO_LARGE;
    if (status != CLUMP_FILE_OK) {
        const int reason = errno;
        free(buffer);
        errno = reason;
        return status;
    }
    buffer[used] = '\0';
    *bytes = buffer;
    *size = used;
    return CLUMP_FILE_OK;
}

clump_file_status clump_file_read_stream(FILE *file, size_t limit, char **bytes, size_t *size)
{
    return read_all(read_plain, file, limit, bytes, size);
}

/* The rest of a descriptor, which is closed; NO_MEMORY also stands for zlib's. */
static clump_file_status read_compressed(int fd, size_t limit, char **bytes, size_t *size)
{
    gzFile file = gzdopen(fd, "rb");
    if (file == NULL) {
        close(fd);
        return CLUMP_FILE_NO_MEMORY;
    }
    clump_file_status status = read_all(read_gzip, file, limit, bytes, size);
    int zlib = Z_OK;
    int reason = errno;
    gzerror(file, &zlib);
    if (status == CLUMP_FILE_UNREADABLE && zlib != Z_ERRNO)
        status = zlib == Z_MEM_ERROR ? CLUMP_FILE_NO_MEMORY : CLUMP_FILE_DAMAGED;
    if (gzclose(file) != Z_OK && status == CLUMP_FILE_OK) { /* its end is missing */
        free(*bytes);
        status = CLUMP_FILE_DAMAGED;
    }
    errno = reason;
    return status;
}

/* Whoever opens a pipe that has a name waits until somebody writes to it, which may be never. So it is opened
 * without waiting; a writer then has a minute to come. -1: errno tells why. */
static int open_file(const char *path)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -1;
    if (fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode))
        poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 60 * 1000);
    const int flags = fcntl(fd, F_GETFL);
    if (flags != -1 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0)
        return fd;
    const int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

clump_file_status clump_file_read(const char *path, size_t limit, char **bytes, size_t *size)
{
    struct stat info;
    const int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open_file(path);
    if (fd < 0)
        return CLUMP_FILE_NOT_OPENED;
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        close(fd);
        errno = EISDIR;
        return CLUMP_FILE_DIRECTORY;
    }
    return read_compressed(fd, limit, bytes, size);
}

size_t clump_file_begin(const char *path, char *bytes, size_t room)
{
    struct stat info;
    const int fd = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? open_file(path) : -1;
    gzFile file = fd >= 0 ? gzdopen(fd, "rb") : NULL;
    const int got = file != NULL ? gzread(file, bytes, (unsigned)room) : -1;
    if (file != NULL)
        gzclose(file);
    else if (fd >= 0)
        close(fd);
    return got > 0 ? (size_t)got : 0;
}

const char *clump_file_words(clump_file_status status, size_t limit, const char *expected,
                             char words[CLUMP_FILE_WORDS])
{
    const bool round = limit % (1 << 20) == 0;
    const char *reason = strerror(errno);
    if (status == CLUMP_FILE_NOT_OPENED || status == CLUMP_FILE_UNREADABLE)
        snprintf(words, CLUMP_FILE_WORDS, "cannot %s it: %s, expected %.100s",
                 status == CLUMP_FILE_NOT_OPENED ? "open" : "read", reason, expected);
    else if (status == CLUMP_FILE_DIRECTORY)
        snprintf(words, CLUMP_FILE_WORDS, "is a directory, expected %.100s", expected);
    else if (status == CLUMP_FILE_DAMAGED)
        snprintf(words, CLUMP_FILE_WORDS,
                 "found compressed data that are damaged or cut off, expected %.100s", expected);
    else if (status == CLUMP_FILE_TOO_LARGE)
        snprintf(words, CLUMP_FILE_WORDS, "larger than %zu %s, expected %.100s",
                 limit >> (round ? 20 : 10), round ? "MiB" : "KiB", expected);
    else
        snprintf(words, CLUMP_FILE_WORDS, "out of memory");
    return words;
}
