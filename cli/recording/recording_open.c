/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/recording_open.h"

#include "cli/companion_files.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "recording/otf2/otf2_facts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static clump_facts_status read_otf2(const char *path, bool digests, clump_facts **facts,
                                    char message[CLUMP_FACTS_MESSAGE])
{
    char helper[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    if (!companion_find(CLUMP_OTF2_HELPER, helper)) {
        snprintf(
            message, CLUMP_FACTS_MESSAGE,
            "%.300s: what reads OTF2 archives is not there (%.300s): it is built where libotf2 is, "
            "so install its package (Debian: libopen-trace-format2-dev) and build anew",
            path, helper);
        return CLUMP_FACTS_NO_LIBRARY;
    }
    return clump_facts_of_otf2(helper,
                               temporary != NULL && temporary[0] == '/' ? temporary : "/tmp", path,
                               digests, facts, message);
}

static clump_facts_status read_recording(const char *path, bool digests, clump_facts **facts,
                                         char message[CLUMP_FACTS_MESSAGE])
{
    return clump_facts_of_recording(path, digests, facts, message);
}

typedef clump_facts_status read_fn(const char *path, bool digests, clump_facts **facts,
                                   char message[CLUMP_FACTS_MESSAGE]);

static const struct {
    const char *name;
    read_fn *read;
} formats[] = {
    {"recording", read_recording},
    {"otf2", read_otf2},
    {"goal", clump_facts_of_goal},
};

enum { FORMATS = sizeof formats / sizeof *formats };

bool recording_format_is_known(const char *format)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, format) == 0)
            return true;
    return false;
}

int recording_read(const char *command, const char *format, const char *path, bool digests,
                   clump_facts **facts)
{
    char message[CLUMP_FACTS_MESSAGE] = "";
    *facts = NULL;
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, format) != 0)
            continue;
        const clump_facts_status status = formats[i].read(path, digests, facts, message);
        return status == CLUMP_FACTS_OK ? EXIT_DONE
                                        : error_told(command, status == CLUMP_FACTS_INPUT, message);
    }
    return error_usage(command, "format: found '%.80s', expected recording", format);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), tail = strlen(end);
    return size >= tail && strcmp(text + size - tail, end) == 0;
}

static int find_stored(const command_invocation *invocation, const char *name, clump_facts **facts)
{
    const char *command = invocation->arguments.command;
    clump_store *store = NULL;
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE) {
        const clump_store_status found = clump_store_find_facts(store, name, facts);
        if (found != CLUMP_STORE_OK)
            status = error_store(command, store, found);
        else if (*facts == NULL)
            status =
                error_input(command,
                            "found neither a folder '%.200s' nor a recording of an application "
                            "of that name, expected one of them ('clumpmodel data list "
                            "recordings' lists what is stored)",
                            name);
    }
    clump_store_close(store);
    return status;
}

int recording_find(const command_invocation *invocation, const char *name, clump_facts **facts)
{
    struct stat found;
    *facts = NULL;
    if (stat(name, &found) != 0)
        return find_stored(invocation, name, facts);
    const char *format = ends_with(name, ".otf2")   ? "otf2"
                         : ends_with(name, ".goal") ? "goal"
                                                    : "recording";
    return recording_read(invocation->arguments.command, format, name, false, facts);
}
