/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/goal_run.h"

#include "data/file.h"
#include "data/sha256.h"
#include "data/text.h"
#include "model/simulation/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As many bytes as a value of the database may have. */
#define MOST_BYTES ((size_t)1 << 26)

static run_status fail(char message[RUN_MESSAGE], run_status status, const char *path,
                       const char *what)
{
    snprintf(message, RUN_MESSAGE, "%.200s: %.300s", path, what);
    return status;
}

static run_status read_text(const char *path, char **text, size_t *size, char message[RUN_MESSAGE])
{
    char words[CLUMP_FILE_WORDS];
    const clump_file_status status = clump_file_read(path, MOST_BYTES, text, size);
    if (status == CLUMP_FILE_OK)
        return RUN_OK;
    return fail(
        message,
        status == CLUMP_FILE_UNREADABLE || status == CLUMP_FILE_NO_MEMORY ? RUN_FAILED : RUN_INPUT,
        path,
        clump_file_words(status, MOST_BYTES,
                         "a GOAL schedule; 'simulate --schedule' takes larger ones", words));
}

/* As of the files of a recording: of their SHA-256 and names, a line each. */
static void digest_file(const char *path, const char *text, size_t size,
                        char sha256[CLUMP_SHA256_TEXT])
{
    char line[CLUMP_SHA256_TEXT + 304], *name = line + CLUMP_SHA256_TEXT + 1;
    const char *last = strrchr(path, '/');
    clump_sha256(text, size, line);
    snprintf(line + strlen(line), 303, "  %.299s", last != NULL ? last + 1 : path);
    clump_text_clean(name, strlen(name));
    if (*name == '\0' || !clump_text_is_printable(name, strlen(name)))
        strcpy(name, "?");
    strcat(line, "\n");
    clump_sha256(line, strlen(line), sha256);
}

/* As `simulate` and `recommend` play it: one that waits for ever, or leaves messages behind, is refused by name of the operation. */
static clump_status try_out(const clump_schedule *schedule, clump_error *error)
{
    const clump_loggp any = {1, 1, 1, 1, 0.001};
    const clump_cluster nodes = {.nodes = clump_schedule_ranks(schedule),
                                 .node = {.processors = 1, .nics = 1},
                                 .network = any,
                                 .shared_memory = any,
                                 .memory_penalty = 1};
    clump_schedule_result result;
    return clump_schedule_run(schedule, &nodes, NULL, &result, error);
}

run_status goal_run_read(const char *path, bool digest, clump_recorded_run **run,
                         char message[RUN_MESSAGE])
{
    char *text = NULL, sha256[CLUMP_SHA256_TEXT];
    size_t size = 0;
    clump_schedule *schedule = NULL;
    clump_error error;
    *run = NULL;
    run_status status = read_text(path, &text, &size, message);
    if (status == RUN_OK && memchr(text, '\0', size) != NULL)
        status = fail(message, RUN_INPUT, path, "found a NUL, expected text");
    if (status == RUN_OK && (clump_schedule_parse(text, size, &schedule, &error) != CLUMP_OK ||
                             try_out(schedule, &error) != CLUMP_OK))
        status = fail(message, error.status == CLUMP_NO_MEMORY ? RUN_NO_MEMORY : RUN_INPUT, path,
                      error.message);
    if (status == RUN_OK) {
        const int64_t ranks = (int64_t)clump_schedule_ranks(schedule);
        if (digest)
            digest_file(path, text, size, sha256);
        *run = clump_recorded_run_copy(&(clump_recorded_run){
            .origin = "goal",
            .sha256 = digest ? sha256 : NULL,
            .notes = "A schedule says how long is computed and what is sent, not when; each rank "
                     "is taken as a node of its own.",
            .ranks = ranks,
            .nodes = ranks,
            .wall = NAN,
            .seconds = NAN,
            .run = NAN,
            .calls = text});
        if (*run == NULL)
            status = fail(message, RUN_NO_MEMORY, path, "out of memory");
    }
    clump_schedule_free(schedule);
    free(text);
    return status;
}
