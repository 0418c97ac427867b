/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/recording_open.h"

#include "cli/companion_files.h"
#include "cli/companions.h"
#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "cli/recording/goal_run.h"
#include "data/owned.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static run_status ask(const char *format, const char *path, const run_choices *choices,
                      char message[RUN_MESSAGE], clump_recorded_run **run)
{
    char program[PATH_MAX], most[24], budget[CLUMP_BUDGET_TEXT];
    const char *const words[RUN_STREAM_WORDS + 1] = {program,
                                                     RUN_STREAM_COMMAND,
                                                     format,
                                                     path,
                                                     choices->wall ? "wall" : "processor",
                                                     choices->whole ? "whole" : "sample",
                                                     choices->digest ? "digest" : "none",
                                                     most,
                                                     budget};
    clump_heard tool;
    /* Its temporary folder goes with it when it is asked to end. */
    const clump_child_plan plan = {
        .words = words, .streams = {[2] = CLUMP_STREAM_KEPT}, .signal = SIGTERM};
    clump_budget_print(
        choices->budget != NULL ? choices->budget : &(clump_budget)CLUMP_BUDGET_USUAL, budget);
    snprintf(most, sizeof most, "%" PRIu64, choices->most_operations);
    const int wrong =
        companion_find(RECORD_PROGRAM, program) ? clump_heard_start(&tool, &plan, 1) : ENOENT;
    if (wrong != 0) {
        snprintf(message, RUN_MESSAGE,
                 "%.200s: recordings are read by %s, which cannot be started (%.200s): %s", path,
                 RECORD_PROGRAM, program, strerror(wrong));
        return RUN_FAILED;
    }
    run_status status = run_stream_read(tool.stream, message, run);
    clump_heard_end(&tool);
    if (status == RUN_OK && choices->digest && (*run)->sha256 == NULL)
        status = RUN_FAILED;
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
    if (status == RUN_OK && choices->budget != NULL &&
        (uint64_t)(*run)->ranks > choices->budget->ranks) {
        free(*run);
        *run = NULL;
        return error_input(command, "%.200s: has more ranks than --budget has (ranks=NUMBER)",
                           path);
    }
    if (status == RUN_OK)
        return EXIT_DONE;
    return status == RUN_INPUT ? error_input(command, "%s", message)
                               : memory_limit_told(command, status == RUN_NO_MEMORY, message);
}

void recording_tell_notes(const char *command, const char *path, const clump_recorded_run *run)
{
    for (const char *at = run->notes; at != NULL && *at != '\0'; at += strspn(at, "\n")) {
        const int size = (int)strcspn(at, "\n");
        note_print(command, "%s: %.*s", path, size, at);
        at += size;
    }
}
