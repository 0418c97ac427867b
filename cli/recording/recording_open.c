/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/recording_open.h"

#include "cli/companion_files.h"
#include "cli/companions.h"
#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "cli/recording/goal_run.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool recording_format_is_known(const char *format)
{
    return strcmp(format, "recording") == 0 || strcmp(format, "otf2") == 0 ||
           strcmp(format, "goal") == 0;
}

bool recording_is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* ---- the other program */

/* Its standard output; errno tells why there is none. */
static FILE *start(char *const words[], pid_t *child)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe(ends) != 0)
        return NULL;
    int wrong = posix_spawn_file_actions_init(&actions);
    if (wrong == 0) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
        for (int i = 0; i < 2; i++)
            posix_spawn_file_actions_addclose(&actions, ends[i]);
        wrong = posix_spawn(child, words[0], &actions, NULL, words, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    FILE *answer = wrong == 0 ? fdopen(ends[0], "rb") : NULL;
    if (answer == NULL)
        close(ends[0]);
    errno = wrong != 0 ? wrong : errno;
    return answer;
}

static run_status ask(const char *format, const char *path, const run_choices *choices,
                      char message[RUN_MESSAGE], clump_recorded_run **run)
{
    char program[PATH_MAX], name[] = RUN_STREAM_COMMAND, text[RUN_CHOICES_TEXT];
    pid_t child = 0;
    run_choices_print(choices, text);
    char *const words[] = {program, name, (char *)(uintptr_t)format, (char *)(uintptr_t)path,
                           text,    NULL};
    errno = ENOENT;
    FILE *answer = companion_find(RECORD_PROGRAM, program) ? start(words, &child) : NULL;
    if (answer == NULL) {
        snprintf(message, RUN_MESSAGE,
                 "%.200s: recordings are read by %s, which cannot be started (%.200s): %s", path,
                 RECORD_PROGRAM, program, strerror(errno));
        return RUN_FAILED;
    }
    const run_status status = run_stream_read(answer, message, run);
    int ended = 0;
    fclose(answer);
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (status != RUN_OK && message[0] == '\0')
        snprintf(message, RUN_MESSAGE, "%.200s: %s ended before it was through", path,
                 RECORD_PROGRAM);
    return status;
}

int recording_read_run(const char *command, const char *format, const char *path,
                       const run_choices *choices, clump_recorded_run **run)
{
    char message[RUN_MESSAGE];
    *run = NULL;
    const run_status status = strcmp(format, "goal") == 0
                                  ? goal_run_read(path, choices->digest, run, message)
                                  : ask(format, path, choices, message, run);
    if (status == RUN_OK)
        return EXIT_DONE;
    return status == RUN_INPUT ? error_input(command, "%s", message)
                               : memory_limit_told(command, status == RUN_NO_MEMORY, message);
}
