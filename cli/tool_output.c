/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/tool_output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int tool_start(tool_output *tool, char *const words[], int heard, int silent)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe(ends) != 0)
        return errno;
    int wrong = posix_spawn_file_actions_init(&actions);
    if (wrong == 0) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (silent)
            posix_spawn_file_actions_addopen(&actions, 3 - heard, "/dev/null", O_WRONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, ends[1], heard);
        for (int i = 0; i < 2; i++)
            posix_spawn_file_actions_addclose(&actions, ends[i]);
        wrong = posix_spawnp(&tool->child, words[0], &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    tool->stream = wrong == 0 ? fdopen(ends[0], "rb") : NULL;
    if (tool->stream == NULL) {
        wrong = wrong != 0 ? wrong : errno;
        close(ends[0]);
    }
    return wrong;
}

void tool_listen(tool_output *tool, char *text, size_t size)
{
    char rest[512];
    text[fread(text, 1, size - 1, tool->stream)] = '\0';
    while (fread(rest, 1, sizeof rest, tool->stream) > 0)
        continue;
}

int tool_end(tool_output *tool)
{
    int status = 0;
    fclose(tool->stream);
    while (waitpid(tool->child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}
