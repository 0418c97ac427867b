/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/recording_open.h"

#include "cli/companion_files.h"
#include "cli/output/errors.h"
#include "recording/otf2/otf2_folder.h"
#include "recording/read_run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {"recording", "otf2", "goal"};

enum { RECORDING, OTF2, GOAL, FORMATS };

static size_t find_format(const char *format)
{
    size_t i = 0;
    while (i < FORMATS && strcmp(formats[i], format) != 0)
        i++;
    return i;
}

bool recording_format_is_known(const char *format)
{
    return find_format(format) < FORMATS;
}

static clump_recording_status make_folder(const char *archive, char folder[CLUMP_OTF2_PATH],
                                          char message[CLUMP_RECORDING_TEXT])
{
    char helper[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    folder[0] = '\0';
    if (companion_find(CLUMP_OTF2_HELPER, helper))
        return clump_otf2_folder_make(helper,
                                      temporary != NULL && temporary[0] == '/' ? temporary : "/tmp",
                                      archive, folder, message);
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

static int told(const char *command, clump_recording_status status, const char *message)
{
    return status == CLUMP_RECORDING_OK
               ? EXIT_DONE
               : error_told(command, status == CLUMP_RECORDING_INPUT, message);
}

int recording_read_run(const char *command, const char *format, const char *path,
                       clump_recorded_run **run)
{
    char message[CLUMP_RECORDING_TEXT] = "", folder[CLUMP_OTF2_PATH];
    const clump_run_choices choices = {.digest = true};
    clump_recording_status status;
    *run = NULL;
    switch (find_format(format)) {
    case RECORDING:
        status = clump_run_read(path, NULL, &choices, run, message);
        break;
    case OTF2:
        status = make_folder(path, folder, message);
        if (status == CLUMP_RECORDING_OK)
            status = explain(clump_run_read(folder, path, &choices, run, message), path, message);
        clump_otf2_folder_remove(folder);
        break;
    case GOAL:
        status = clump_run_read_goal(path, true, run, message);
        break;
    default:
        return error_usage(command, "format: found '%.80s', expected recording", format);
    }
    return told(command, status, message);
}

int recording_read_report(const char *command, const char *path, clump_report *report)
{
    char message[CLUMP_RECORDING_TEXT] = "", folder[CLUMP_OTF2_PATH];
    const size_t size = strlen(path);
    *report = (clump_report){.memory = NULL};
    if (size < 5 || strcmp(path + size - 5, ".otf2") != 0)
        return told(command, clump_report_read(path, NULL, report, message), message);
    clump_recording_status status = make_folder(path, folder, message);
    if (status == CLUMP_RECORDING_OK)
        status = explain(clump_report_read(folder, path, report, message), path, message);
    clump_otf2_folder_remove(folder);
    return told(command, status, message);
}
