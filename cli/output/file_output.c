/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/file_output.h"

#include "cli/output/errors.h"
#include "data/owned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const char *command, const char *path, int reason)
{
    return reason == ENOMEM
               ? error_memory(command)
               : error_input(command, "cannot write '%.200s': %s", path, strerror(reason));
}

/* ---- what is there */

typedef enum place {
    PLACE_EMPTY,
    PLACE_FILE,
    PLACE_STREAM /* a pipe or a device of characters */
} place;

/* A file is opened for writing, as a shell would do it, and left as it is: whoever may not write to
 * it may not replace it either, and the kernel judges links in directories that are everybody's. */
static int look_at_file(const char *command, const char *path, place *found)
{
    const int descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && errno != ENOENT)
        return refuse(command, path, errno);
    *found = descriptor < 0 ? PLACE_EMPTY : PLACE_FILE;
    if (descriptor >= 0)
        close(descriptor);
    return EXIT_DONE;
}

static int look(const char *command, const char *path, place *found, struct stat *info)
{
    if (stat(path, info) != 0 || S_ISREG(info->st_mode))
        return look_at_file(command, path, found);
    *found = PLACE_STREAM;
    if (S_ISCHR(info->st_mode) || S_ISFIFO(info->st_mode))
        return EXIT_DONE;
    return error_input(command, "cannot write '%.200s': found a %s, expected a file", path,
                       S_ISDIR(info->st_mode) ? "directory" : "device");
}

/* A copy of the directory of `path` with its last '/', and `name` behind it; NULL: no memory. */
static char *beside(const char *path, const char *name)
{
    const char *slash = *name == '/' ? NULL : strrchr(path, '/');
    const size_t directory = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *both = malloc(directory + strlen(name) + 1);
    if (both == NULL)
        return NULL;
    memcpy(both, path, directory);
    strcpy(both + directory, name);
    return both;
}

/* The file behind all links, also one that is not there yet. NULL: errno tells why. */
static char *follow(const char *path)
{
    enum { MOST_LINKS = 40, LONGEST = 4096 }; /* as the kernel has it */
    char *target = strdup(path);
    for (int links = 0; target != NULL; links++) {
        char name[LONGEST];
        const ssize_t length = readlink(target, name, sizeof name - 1);
        if (length < 0)
            return target;
        name[length] = '\0';
        char *next = links < MOST_LINKS ? beside(target, name) : NULL;
        if (links == MOST_LINKS)
            errno = ELOOP;
        free(target);
        target = next;
    }
    return NULL;
}

/* The same name in the same directory, behind all links. */
static bool will_be_same(const char *a, const char *b)
{
    struct stat first, second;
    char *const targets[] = {follow(a), follow(b)};
    char *const rooms[] = {targets[0] != NULL ? beside(targets[0], ".") : NULL,
                           targets[1] != NULL ? beside(targets[1], ".") : NULL};
    bool same = false;
    if (rooms[0] != NULL && rooms[1] != NULL && stat(rooms[0], &first) == 0 &&
        stat(rooms[1], &second) == 0) {
        const char *const slashes[] = {strrchr(targets[0], '/'), strrchr(targets[1], '/')};
        same = first.st_dev == second.st_dev && first.st_ino == second.st_ino &&
               strcmp(slashes[0] != NULL ? slashes[0] + 1 : targets[0],
                      slashes[1] != NULL ? slashes[1] + 1 : targets[1]) == 0;
    }
    for (size_t i = 0; i < 2; i++) {
        free(rooms[i]);
        free(targets[i]);
    }
    return same;
}

bool file_is_same(const char *a, const char *b)
{
    struct stat first, second;
    if (strcmp(a, b) == 0)
        return true;
    const bool one = stat(a, &first) == 0, other = stat(b, &second) == 0;
    if (one && other)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    return !one && !other && will_be_same(a, b);
}

/* ---- the new file */

/* As the shell would make it: mkstemp lets nobody else read it. */
static void set_usual_mode(int descriptor)
{
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
}

/* As what it replaces. A group that cannot be kept is given what all others have. */
static void copy_mode(int descriptor, const struct stat *old)
{
    struct stat new;
    mode_t mode = old->st_mode & 0777;
    if (fstat(descriptor, &new) != 0)
        return;
    const bool group_stays = new.st_gid == old->st_gid || fchown(descriptor, -1, old->st_gid) == 0;
    if (!group_stays)
        mode = (mode & ~(mode_t)070) | (mode & 07) << 3;
    if (new.st_uid != old->st_uid && fchown(descriptor, old->st_uid, -1) != 0)
        errno = 0; /* another's file in a directory of ours: ours from now on */
    fchmod(descriptor, mode);
}

static int open_stream(output_file *output)
{
    output->file = fopen(output->path, "w");
    return output->file != NULL ? EXIT_DONE : refuse(output->command, output->path, errno);
}

static int open_beside(output_file *output, const struct stat *old)
{
    output->target = follow(output->path);
    char *directory = output->target != NULL ? beside(output->target, "") : NULL;
    const size_t room = directory != NULL ? strlen(directory) + 24 : 0;
    output->temporary = directory != NULL ? malloc(room) : NULL;
    const int descriptor =
        output->temporary != NULL ? clump_temporary_file(directory, output->temporary, room) : -1;
    output->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    free(directory);
    if (output->file != NULL) {
        if (old != NULL)
            copy_mode(descriptor, old);
        else
            set_usual_mode(descriptor);
        return EXIT_DONE;
    }
    const int reason = errno;
    if (descriptor >= 0) {
        close(descriptor);
        clump_temporary_remove(output->temporary);
    }
    free(output->temporary);
    free(output->target);
    return refuse(output->command, output->path, reason);
}

int file_begin(const char *command, const char *path, output_file *output)
{
    struct stat info;
    place found;
    const int status = look(command, path, &found, &info);
    if (status != EXIT_DONE)
        return status;
    *output = (output_file){.command = command, .path = path};
    return found == PLACE_STREAM ? open_stream(output)
                                 : open_beside(output, found == PLACE_FILE ? &info : NULL);
}

/* ---- the end */

/* A stream does not keep the reason and may have nothing left to write: so write once more; what has
 * arrived is not whole anyway. */
int file_flush(FILE *file)
{
    const int before = ferror(file);
    errno = 0;
    if (fflush(file) == 0 && !before)
        return 0;
    if (errno == 0 && write(fileno(file), "\n", 1) >= 0)
        return EIO;
    return errno;
}

/* On the disk, where there is one: 0, else why not. */
static int synchronize(int descriptor)
{
    return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

/* So that a new name outlives a power failure as well; the file is whole in any case. */
static void synchronize_directory(const char *path)
{
    char *name = beside(path, ".");
    const int descriptor = name != NULL ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
        fsync(descriptor);
        close(descriptor);
    }
    free(name);
}

static void release(output_file *output)
{
    if (output->temporary != NULL)
        clump_temporary_keep(output->temporary);
    free(output->temporary);
    free(output->target);
}

int file_commit(output_file *output)
{
    int reason = file_flush(output->file);
    if (reason == 0 && output->temporary != NULL)
        reason = synchronize(fileno(output->file));
    errno = 0;
    if (fclose(output->file) != 0 && reason == 0)
        reason = errno;
    if (reason == 0 && output->temporary != NULL && rename(output->temporary, output->target) != 0)
        reason = errno;
    if (output->temporary != NULL && reason != 0)
        clump_temporary_remove(output->temporary);
    else if (output->temporary != NULL)
        synchronize_directory(output->target);
    release(output);
    return reason != 0 ? error_failed(output->command, "cannot write '%.200s': %s", output->path,
                                      strerror(reason))
                       : EXIT_DONE;
}

void file_abandon(output_file *output)
{
    fclose(output->file);
    if (output->temporary != NULL)
        clump_temporary_remove(output->temporary);
    release(output);
}

int file_try(const char *command, const char *path)
{
    struct stat info;
    place found;
    output_file output;
    int status = look(command, path, &found, &info);
    if (status == EXIT_DONE && found != PLACE_STREAM) {
        status = file_begin(command, path, &output);
        if (status == EXIT_DONE)
            file_abandon(&output);
    }
    return status;
}
