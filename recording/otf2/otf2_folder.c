/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "recording/otf2/otf2_folder.h"

#include "data/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAID = 300 };

/* ---- running the helper */

static pid_t start(const char *helper, const char *archive, const char *folder, int errors[2])
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    char *const arguments[] = {(char *)(uintptr_t)helper, (char *)(uintptr_t)archive,
                               (char *)(uintptr_t)folder, NULL};
    pid_t child = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
    posix_spawn_file_actions_addclose(&actions, errors[0]);
    posix_spawn_file_actions_addclose(&actions, errors[1]);
    if (posix_spawn(&child, helper, &actions, NULL, arguments, environ) != 0)
        child = -1;
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

/* The last line of what it says: libotf2 may say something of its own before. */
static void listen(int from, char said[SAID])
{
    char piece[512];
    size_t used = 0;
    ssize_t got;
    while ((got = read(from, piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR))
        for (ssize_t i = 0; i < got; i++) {
            if (used > 0 && said[used - 1] == '\n')
                used = 0;
            if (used < SAID - 1)
                said[used++] = piece[i];
        }
    if (used > 0 && said[used - 1] == '\n')
        used--;
    said[used] = '\0';
    clump_text_clean(said, used);
}

static clump_recording_status convert(const char *helper, const char *archive, const char *folder,
                                      char message[CLUMP_RECORDING_TEXT])
{
    enum { BAD_INPUT = 2 };
    char said[SAID] = "";
    int errors[2], status = 0;
    if (pipe(errors) != 0) {
        snprintf(message, CLUMP_RECORDING_TEXT, "%.300s: %s", archive, strerror(errno));
        return CLUMP_RECORDING_FAILED;
    }
    const pid_t child = start(helper, archive, folder, errors);
    close(errors[1]);
    if (child > 0)
        listen(errors[0], said);
    close(errors[0]);
    if (child < 0) {
        snprintf(message, CLUMP_RECORDING_TEXT, "cannot run '%.300s'", helper);
        return CLUMP_RECORDING_FAILED;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CLUMP_RECORDING_OK;
    if (WIFSIGNALED(status)) {
        snprintf(
            message, CLUMP_RECORDING_TEXT,
            "%.200s: libotf2 gave up on it (signal %d)%s%.100s, expected an archive that is whole",
            archive, WTERMSIG(status), said[0] != '\0' ? ": " : "", said);
        return CLUMP_RECORDING_INPUT;
    }
    snprintf(message, CLUMP_RECORDING_TEXT,
             "%.200s: %.200s, expected an OTF2 archive of an MPI program", archive, said);
    return WEXITSTATUS(status) == BAD_INPUT ? CLUMP_RECORDING_INPUT : CLUMP_RECORDING_FAILED;
}

/* ---- */

clump_recording_status clump_otf2_folder_make(const char *helper, const char *temporary,
                                              const char *archive, char folder[CLUMP_OTF2_PATH],
                                              char message[CLUMP_RECORDING_TEXT])
{
    folder[0] = '\0';
    if (access(archive, R_OK) != 0) {
        snprintf(message, CLUMP_RECORDING_TEXT, "%.300s: %s", archive, strerror(errno));
        return CLUMP_RECORDING_INPUT;
    }
    snprintf(folder, CLUMP_OTF2_PATH, "%.4000s/clumpmodel-otf2.XXXXXX", temporary);
    if (mkdtemp(folder) == NULL) {
        snprintf(message, CLUMP_RECORDING_TEXT, "%.300s: %s", folder, strerror(errno));
        folder[0] = '\0';
        return CLUMP_RECORDING_FAILED;
    }
    return convert(helper, archive, folder, message);
}

void clump_otf2_folder_remove(const char *folder)
{
    char path[CLUMP_OTF2_PATH + 300];
    DIR *directory = folder[0] != '\0' ? opendir(folder) : NULL;
    struct dirent *entry;
    if (directory == NULL)
        return;
    while ((entry = readdir(directory)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        unlink(path); /* not . and .. */
    }
    closedir(directory);
    rmdir(folder);
}
