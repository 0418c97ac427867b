/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/command/recording_read.h"

#include "cli/companion_files.h"
#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "data/owned.h"
#include "recording/command/otf2_folder.h"
#include "recording/read_run.h"

#include <stdlib.h>
#include <string.h>

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

static clump_recording_status make_folder(const char *archive, const clump_budget *budget,
                                          char folder[PATH_MAX], char message[CLUMP_RECORDING_TEXT])
{
    char helper[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    folder[0] = '\0';
    if (companion_find(CLUMP_OTF2_HELPER, helper))
        return clump_otf2_folder_make(helper,
                                      temporary != NULL && temporary[0] == '/' ? temporary : "/tmp",
                                      archive, budget, folder, message);
    snprintf(
        message, CLUMP_RECORDING_TEXT,
        "%.100s: what reads OTF2 archives is not there (%.150s): it is built where libotf2 is, "
        "so install its package (Debian: libopen-trace-format2-dev) and build anew",
        archive, helper);
    return CLUMP_RECORDING_FAILED;
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
