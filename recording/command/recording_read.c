/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/command/recording_read.h"

#include "cli/companion_files.h"
#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "data/owned.h"
#include "data/text.h"
#include "recording/read_run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HELPER "clumpmodel-otf2" /* otf2_main.c */

int recording_told(const char *command, const clump_recording *recording,
                   clump_recording_status status)
{
    return status == CLUMP_RECORDING_OK ? EXIT_DONE
                                        : error_told(command, status == CLUMP_RECORDING_INPUT,
                                                     status == CLUMP_RECORDING_NO_MEMORY
                                                         ? "out of memory"
                                                         : clump_recording_message(recording));
}

int recording_open_folder(const char *command, const char *folder, clump_recording **recording)
{
    const clump_recording_status status = clump_recording_open(folder, recording);
    return recording_told(command, *recording, status);
}

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

/* The calls of an OTF2 archive as the folder of a recording, to be removed in any case. Another process reads it: what is wrong with an
 * archive may end that one. */
static clump_recording_status make_folder(const char *archive, const clump_budget *budget,
                                          char folder[PATH_MAX], char message[CLUMP_RECORDING_TEXT])
{
    char helper[PATH_MAX];
    const char *said = getenv("TMPDIR"),
               *temporary = said != NULL && said[0] == '/' ? said : "/tmp";
    folder[0] = '\0';
    if (!companion_find(HELPER, helper)) {
        snprintf(
            message, CLUMP_RECORDING_TEXT,
            "%.100s: what reads OTF2 archives is not there (%.150s): it is built where libotf2 is, "
            "so install its package (Debian: libopen-trace-format2-dev) and build anew",
            archive, helper);
        return CLUMP_RECORDING_FAILED;
    }
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

/* The message names a file of a folder that nobody knows. */
static clump_recording_status explain(clump_recording_status status, const char *archive,
                                      char message[CLUMP_RECORDING_TEXT])
{
    if (status == CLUMP_RECORDING_INPUT)
        snprintf(
            message, CLUMP_RECORDING_TEXT,
            "%.300s: found numbers of events that cannot be, expected an archive that is whole",
            archive);
    return status;
}

int recording_read_report(const char *command, const char *path, const clump_budget *budget,
                          clump_report *report)
{
    char message[CLUMP_RECORDING_TEXT] = "", folder[PATH_MAX] = "";
    const size_t size = strlen(path);
    const bool archive = size >= 5 && strcmp(path + size - 5, ".otf2") == 0;
    *report = (clump_report){.memory = NULL};
    clump_recording_status status =
        archive ? make_folder(path, budget, folder, message) : CLUMP_RECORDING_OK;
    if (status == CLUMP_RECORDING_OK && archive)
        status = explain(clump_report_read(folder, path, report, message), path, message);
    else if (status == CLUMP_RECORDING_OK)
        status = clump_report_read(path, NULL, report, message);
    clump_temporary_remove(folder);
    return status == CLUMP_RECORDING_OK ? EXIT_DONE
           : status == CLUMP_RECORDING_INPUT
               ? error_input(command, "%s", message)
               : memory_limit_told(command, status == CLUMP_RECORDING_NO_MEMORY, message);
}

int recording_give_run(char *const words[RUN_STREAM_WORDS])
{
    static const run_status answers[] = {[CLUMP_RECORDING_OK] = RUN_OK,
                                         [CLUMP_RECORDING_INPUT] = RUN_INPUT,
                                         [CLUMP_RECORDING_NO_MEMORY] = RUN_NO_MEMORY,
                                         [CLUMP_RECORDING_FAILED] = RUN_FAILED};
    char message[CLUMP_RECORDING_TEXT] = "", folder[PATH_MAX] = "";
    const char *format = words[2], *path = words[3];
    const clump_run_choices choices = {.gaps = strcmp(words[4], "wall") == 0 ? CLUMP_GAPS_WALL
                                                                             : CLUMP_GAPS_PROCESSOR,
                                       .whole = strcmp(words[5], "whole") == 0,
                                       .digest = strcmp(words[6], "digest") == 0,
                                       .most_operations = strtoull(words[7], NULL, 10)};
    clump_budget budget_read = CLUMP_BUDGET_USUAL;
    const clump_budget *const budget = &budget_read;
    char unused[CLUMP_BUDGET_MESSAGE];
    clump_recorded_run *run = NULL;
    const bool archive = strcmp(format, "otf2") == 0;
    clump_budget_parse(words[8], &budget_read, unused); /* `clumpmodel` has printed it */
    clump_recording_status status =
        archive ? make_folder(path, budget, folder, message) : CLUMP_RECORDING_OK;
    if (status == CLUMP_RECORDING_OK && archive)
        status = explain(clump_run_read(folder, path, &choices, &run, message), path, message);
    else if (status == CLUMP_RECORDING_OK)
        status = clump_run_read(path, NULL, &choices, &run, message);
    clump_temporary_remove(folder);
    const bool written = run_stream_write(stdout, answers[status], message, run);
    free(run);
    return written ? EXIT_DONE : EXIT_FAILED;
}
