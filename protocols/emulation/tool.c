/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memfd_create */
#include "protocols/emulation/tool.h"

#include "data/owned.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGE = 256 };

/* Users other than root often have no sbin in their PATH. */
#define FIND "PATH=\"$PATH:/usr/sbin:/sbin:/usr/bin:/bin\"; "

/* What a shell makes of it, reading `batch` if there is one; returns how it ended, -1 if it could not be started. `line`: the first
 * of its complaint. */
static int run(const char *command, int batch, char *line, size_t size)
{
    char redirected[200];
    const char *const words[] = {"/bin/sh", "-c", redirected, NULL};
    const clump_child_plan plan = {
        .words = words, .streams = {[1] = CLUMP_STREAM_NOWHERE}, .signal = SIGKILL};
    clump_heard tool;
    snprintf(redirected, sizeof redirected, "%s </proc/self/fd/%d", command, batch);
    if (batch < 0)
        redirected[strlen(command)] = '\0';
    if (clump_heard_start(&tool, &plan, 2) != 0)
        return -1;
    clump_heard_all(&tool, line, size);
    line[strcspn(line, "\n")] = '\0';
    return clump_heard_end(&tool);
}

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

bool clump_emulation_tool_exists(const char *tool)
{
    char command[100], nothing[16];
    snprintf(command, sizeof command, FIND "command -v %.20s", tool);
    return run(command, -1, nothing, sizeof nothing) == 0;
}

clump_protocol_status
clump_emulation_tool_run(const char *tool, const struct clump_emulation_batch *batch, char *message)
{
    char line[160] = "", command[100];
    if (batch->full) {
        snprintf(message, MESSAGE, "too many commands for %s", tool);
        return CLUMP_PROTOCOL_FAILED;
    }
    if (!clump_emulation_tool_exists(tool)) {
        snprintf(message, MESSAGE, "'%s' is missing: install iproute2", tool);
        return CLUMP_PROTOCOL_NOT_FOUND;
    }
    /* A file: a pipe may hold as little as a page, and nobody reads it yet. */
    const int file = memfd_create("clumpmodel", 0);
    errno = ENOSPC; /* if only a part is written */
    const bool written = file >= 0 && write(file, batch->text, batch->used) == (ssize_t)batch->used;
    snprintf(command, sizeof command, FIND "exec %.20s -batch -", tool);
    const int ended = written ? run(command, file, line, sizeof line) : -1;
    if (ended < 0)
        snprintf(message, MESSAGE, "%s cannot be run: %s", tool, strerror(errno));
    else if (ended != 0)
        snprintf(message, MESSAGE, "%s failed: %s", tool,
                 line[0] != '\0' ? line : "it did not say why; the kernel needs veth and HTB");
    if (file >= 0)
        close(file);
    return ended == 0 ? CLUMP_PROTOCOL_OK : CLUMP_PROTOCOL_FAILED;
}

bool clump_emulation_write(const char *path, const char *text)
{
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    return (close(file) == 0) & written;
}
