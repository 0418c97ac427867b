/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "recording/command/otf2_folder.h"

#include "cli/tool_output.h"
#include "data/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The last line of what the helper says: libotf2 may say something of its own before. */
static const char *last_line(char *said)
{
    size_t length = strlen(said);
    if (length > 0 && said[length - 1] == '\n')
        said[--length] = '\0';
    const char *before = strrchr(said, '\n');
    clump_text_clean(said, length);
    return before != NULL ? before + 1 : said;
}

static clump_recording_status convert(const char *helper, const char *archive, const char *folder,
                                      char message[CLUMP_RECORDING_TEXT])
{
    enum { BAD_INPUT = 2 };
    char text[4096];
    char *const words[] = {(char *)(uintptr_t)helper, (char *)(uintptr_t)archive,
                           (char *)(uintptr_t)folder, NULL};
    tool_output tool;
    if (tool_start(&tool, words, 2, 1) != 0) {
        snprintf(message, CLUMP_RECORDING_TEXT, "cannot run '%.300s'", helper);
        return CLUMP_RECORDING_FAILED;
    }
    tool_listen(&tool, text, sizeof text);
    const int status = tool_end(&tool);
    const char *said = last_line(text);
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
