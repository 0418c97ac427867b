/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memfd_create, pipe2 */
#include "protocols/emulation/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGE = 256, PATH_BYTES = 256 };

void clump_emulation_batch_add(struct clump_emulation_batch *batch, const char *format, ...)
{
    const size_t room = sizeof batch->text - batch->used;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(batch->text + batch->used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length + 1 >= room) {
        batch->full = true;
        return;
    }
    batch->used += (size_t)length;
    batch->text[batch->used++] = '\n';
    batch->text[batch->used] = '\0';
}

/* Users other than root often have no sbin in their PATH. */
static bool find(const char *tool, char path[PATH_BYTES])
{
    static const char *const folders[] = {"/usr/sbin", "/sbin", "/usr/bin", "/bin"};
    const char *at = getenv("PATH");
    while (at != NULL && *at != '\0') {
        const size_t length = strcspn(at, ":");
        const int used = snprintf(path, PATH_BYTES, "%.*s/%s", (int)length, at, tool);
        if (length > 0 && used > 0 && used < PATH_BYTES && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, PATH_BYTES, "%s/%s", folders[i], tool);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

bool clump_emulation_tool_exists(const char *tool)
{
    char path[PATH_BYTES];
    return find(tool, path);
}

/* Start it with the batch behind its stdin; stderr goes to where `complaint` reads. */
static int start(const char *path, const char *tool, int input, int complaint, pid_t *child)
{
    extern char **environ;
    char name[16], batch[] = "-batch", from[] = "-";
    char *arguments[] = {name, batch, from, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    snprintf(name, sizeof name, "%s", tool);
    int wrong = posix_spawn_file_actions_init(&actions);
    if (wrong != 0)
        return wrong;
    wrong = posix_spawnattr_init(&attributes);
    if (wrong == 0) {
        sigemptyset(&none);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        wrong = posix_spawn_file_actions_adddup2(&actions, input, 0);
        if (wrong == 0)
            wrong = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
        if (wrong == 0)
            wrong = posix_spawn_file_actions_adddup2(&actions, complaint, 2);
        if (wrong == 0)
            wrong = posix_spawn(child, path, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return wrong;
}

/* All of stderr, of which the first line that says something is kept. */
static void listen_to(int complaint, char *line, size_t size)
{
    char text[1024];
    size_t used = 0;
    ssize_t got;
    while ((got = read(complaint, text + used, sizeof text - 1 - used)) != 0) {
        if (got < 0 && errno != EINTR)
            break;
        used += got > 0 ? (size_t)got : 0;
        if (used == sizeof text - 1)
            used--; /* the rest goes over the last character */
    }
    text[used] = '\0';
    snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
}

/* A file with the batch, at its beginning; -1: see errno. A pipe may hold as little as a page, and nobody reads it yet. */
static int open_batch(const struct clump_emulation_batch *batch)
{
    const int file = memfd_create("clumpmodel", MFD_CLOEXEC);
    if (file < 0)
        return -1;
    const ssize_t written = write(file, batch->text, batch->used);
    if (written == (ssize_t)batch->used && lseek(file, 0, SEEK_SET) == 0)
        return file;
    const int reason = written < 0 ? errno : ENOSPC;
    close(file);
    errno = reason;
    return -1;
}

static clump_protocol_status run(const char *path, const char *tool,
                                 const struct clump_emulation_batch *batch, char *message)
{
    int complaint[2] = {-1, -1}, ended = 0, wrong;
    char line[160] = "";
    pid_t child = -1;
    const int input = open_batch(batch);
    if (input < 0 || pipe2(complaint, O_CLOEXEC) != 0)
        wrong = errno;
    else
        wrong = start(path, tool, input, complaint[1], &child);
    if (input >= 0)
        close(input);
    if (complaint[1] >= 0)
        close(complaint[1]);
    if (wrong == 0)
        listen_to(complaint[0], line, sizeof line);
    if (complaint[0] >= 0)
        close(complaint[0]);
    if (wrong != 0) {
        snprintf(message, MESSAGE, "%s cannot be run: %s", tool, strerror(wrong));
        return CLUMP_PROTOCOL_FAILED;
    }
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return CLUMP_PROTOCOL_OK;
    snprintf(message, MESSAGE, "%s failed: %s", tool,
             line[0] != '\0' ? line : "it did not say why; the kernel needs veth and HTB");
    return CLUMP_PROTOCOL_FAILED;
}

clump_protocol_status
clump_emulation_tool_run(const char *tool, const struct clump_emulation_batch *batch, char *message)
{
    char path[PATH_BYTES];
    if (batch->full) {
        snprintf(message, MESSAGE, "too many commands for %s", tool);
        return CLUMP_PROTOCOL_FAILED;
    }
    if (!find(tool, path)) {
        snprintf(message, MESSAGE, "'%s' is missing: install iproute2", tool);
        return CLUMP_PROTOCOL_NOT_FOUND;
    }
    return run(path, tool, batch, message);
}
