/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/schedule_file.h"

#include "cli/output/errors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t largest = (size_t)4 << 30;

/* The whole file. */
static int read_all(const char *command, const char *path, FILE *file, char **text, size_t *size)
{
    size_t room = 0;
    while (!feof(file)) {
        if (*size == room) {
            if (room >= largest)
                return error_input(command, "%s: larger than 4 GiB, expected a schedule that fits",
                                   path);
            room = room > 0 ? 2 * room : (size_t)1 << 16;
            char *larger = realloc(*text, room);
            if (larger == NULL)
                return error_memory(command);
            *text = larger;
        }
        *size += fread(*text + *size, 1, room - *size, file);
        if (ferror(file))
            return error_input(command, "%s: cannot read it: %s", path, strerror(errno));
    }
    return EXIT_DONE;
}

static int parse(const char *command, const char *path, const char *text, size_t size,
                 clump_schedule **schedule)
{
    clump_error error;
    const clump_status status = clump_schedule_parse(text, size, schedule, &error);
    if (status == CLUMP_OK)
        return EXIT_DONE;
    if (status == CLUMP_BAD_ARGUMENT)
        return error_input(command, "%s: %s", path, error.message);
    return error_failed(command, "%s: %s", path, error.message);
}

int schedule_read(const char *command, const char *path, clump_schedule **schedule)
{
    struct stat info;
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return error_input(command, "%s: cannot open it: %s", path, strerror(errno));
    int status;
    if (fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode))
        status = error_input(command, "%s: is a directory, expected a schedule", path);
    else
        status = read_all(command, path, file, &text, &size);
    fclose(file);
    if (status == EXIT_DONE)
        status = parse(command, path, text, size, schedule);
    free(text);
    return status;
}
