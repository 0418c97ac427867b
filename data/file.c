/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

clump_file_status clump_file_read_stream(FILE *file, size_t limit, char **bytes, size_t *size)
{
    size_t room = 0, used = 0;
    char *buffer = NULL;
    clump_file_status status = CLUMP_FILE_OK;
    while (status == CLUMP_FILE_OK && used <= limit && !feof(file)) {
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
        used += fread(buffer + used, 1, room - used, file);
        if (ferror(file) != 0)
            status = CLUMP_FILE_UNREADABLE;
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

/* Whoever opens a pipe that has a name waits until somebody writes to it, which may be never. So it is opened
 * without waiting; a writer then has a minute to come. @return its first byte, or EOF if that is not there */
static int wait_for_writer(int fd)
{
    const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
    unsigned char first;
    for (int i = 0; i < 60 * 50; i++) {
        const ssize_t got = read(fd, &first, 1);
        if (got != 0)
            return got > 0 ? first : EOF; /* somebody writes, but has not written yet */
        nanosleep(&pause, NULL);
    }
    return EOF;
}

static FILE *open_file(const char *path)
{
    struct stat info;
    int first = EOF;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &info) == 0 && S_ISFIFO(info.st_mode))
        first = wait_for_writer(fd);
    const int flags = fcntl(fd, F_GETFL);
    FILE *file =
        flags != -1 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0 ? fdopen(fd, "rb") : NULL;
    if (file == NULL) {
        const int reason = errno;
        close(fd);
        errno = reason;
        return NULL;
    }
    if (first != EOF)
        ungetc(first, file);
    return file;
}

clump_file_status clump_file_read(const char *path, size_t limit, char **bytes, size_t *size)
{
    struct stat info;
    const bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdin : open_file(path);
    if (file == NULL)
        return CLUMP_FILE_NOT_OPENED;
    const bool directory = fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode);
    const clump_file_status status =
        directory ? CLUMP_FILE_DIRECTORY : clump_file_read_stream(file, limit, bytes, size);
    const int reason = directory ? EISDIR : errno;
    if (!standard)
        fclose(file);
    errno = reason;
    return status;
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
    else if (status == CLUMP_FILE_TOO_LARGE)
        snprintf(words, CLUMP_FILE_WORDS, "larger than %zu %s, expected %.100s",
                 limit >> (round ? 20 : 10), round ? "MiB" : "KiB", expected);
    else
        snprintf(words, CLUMP_FILE_WORDS, "out of memory");
    return words;
}
