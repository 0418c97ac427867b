/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/command/otf2_folder.h"

#include "data/owned.h"
#include "data/text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
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

static clump_recording_status convert(const char *helper, const char *archive,
                                      const clump_budget *budget, const char *folder,
                                      char message[CLUMP_RECORDING_TEXT])
{
    enum { BAD_INPUT = 2, NO_MEMORY = 3, OVER_BUDGET = 4 }; /* otf2_main.c */
    char text[4096], said_budget[CLUMP_BUDGET_TEXT];
    const char *const words[] = {helper, archive, folder, said_budget, NULL};
    /* When we end it tidies up, too: it may yet write into a folder that we leave. */
    const clump_child_plan plan = {
        .words = words, .streams = {[1] = CLUMP_STREAM_NOWHERE}, .signal = SIGTERM};
    clump_heard tool;
    clump_budget_print(budget, said_budget);
    if (clump_heard_start(&tool, &plan, 2) != 0) {
        snprintf(message, CLUMP_RECORDING_TEXT, "cannot run '%.300s'", helper);
        return CLUMP_RECORDING_FAILED;
    }
    clump_heard_all(&tool, text, sizeof text);
    const int status = clump_heard_end(&tool);
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
    const int code = WEXITSTATUS(status);
    snprintf(message, CLUMP_RECORDING_TEXT, "%.200s: %.200s%s", archive, said,
             code == BAD_INPUT ? ", expected an OTF2 archive of an MPI program" : "");
    return code == BAD_INPUT || code == OVER_BUDGET ? CLUMP_RECORDING_INPUT
           : code == NO_MEMORY                      ? CLUMP_RECORDING_NO_MEMORY
                                                    : CLUMP_RECORDING_FAILED;
}

clump_recording_status clump_otf2_folder_make(const char *helper, const char *temporary,
                                              const char *archive, const clump_budget *budget,
                                              char folder[PATH_MAX],
                                              char message[CLUMP_RECORDING_TEXT])
{
    folder[0] = '\0';
    if (access(archive, R_OK) != 0) {
        snprintf(message, CLUMP_RECORDING_TEXT, "%.300s: %s", archive, strerror(errno));
        return CLUMP_RECORDING_INPUT;
    }
    const int wrong = clump_temporary_folder(temporary, folder);
    if (wrong != 0) {
        snprintf(message, CLUMP_RECORDING_TEXT, "no folder in %.300s: %s", temporary,
                 strerror(wrong));
        return CLUMP_RECORDING_FAILED;
    }
    clump_budget left = *budget;
    left.disk = clump_budget_disk(budget, temporary);
    return convert(helper, archive, &left, folder, message);
}
