/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/run_stream.h"

#include "data/file.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Fields: the status, the message, the numbers, and each text behind a '+', or a '-' for none */

#define TEXT(member) offsetof(clump_recorded_run, member)

static const size_t texts[] = {TEXT(origin),  TEXT(program), TEXT(command), TEXT(library),
                               TEXT(started), TEXT(sha256),  TEXT(notes),   TEXT(calls)};
enum { TEXTS = sizeof texts / sizeof *texts };

bool run_stream_write(FILE *file, run_status status, const char *message,
                      const clump_recorded_run *run)
{
    fprintf(file, "%d%c%s%c", (int)status, '\0', message, '\0');
    if (run != NULL)
        fprintf(file, "%" PRId64 " %" PRId64 " %" PRId64 " %a %a %a%c", run->ranks, run->nodes,
                run->mpi_calls, run->wall, run->seconds, run->run, '\0');
    for (int i = 0; run != NULL && i < TEXTS; i++) {
        const char *const *text = (const void *)((const char *)run + texts[i]);
        fputs(*text != NULL ? "+" : "-", file);
        fputs(*text != NULL ? *text : "", file);
        putc('\0', file);
    }
    return fflush(file) == 0 && ferror(file) == 0;
}

typedef struct cursor {
    const char *at, *end;
} cursor;

/* NULL: it ends before that. */
static const char *next_field(cursor *c)
{
    const char *field = c->at;
    const char *nul = memchr(field, '\0', (size_t)(c->end - field));
    c->at = nul != NULL ? nul + 1 : c->end;
    return nul != NULL ? field : NULL;
}

static bool take_run(cursor *c, clump_recorded_run *run)
{
    const char *field = next_field(c);
    if (field == NULL ||
        sscanf(field, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %la %la %la", &run->ranks, &run->nodes,
               &run->mpi_calls, &run->wall, &run->seconds, &run->run) != 6)
        return false;
    for (int i = 0; i < TEXTS; i++) {
        const char **text = (void *)((char *)run + texts[i]);
        if ((field = next_field(c)) == NULL)
            return false;
        *text = *field == '+' ? field + 1 : NULL;
    }
    return run->origin != NULL && run->ranks >= 1 && run->nodes >= 1;
}

run_status run_stream_read(FILE *file, char message[RUN_MESSAGE], clump_recorded_run **run)
{
    char *bytes = NULL;
    size_t size = 0;
    *run = NULL;
    message[0] = '\0';
    switch (clump_file_read_stream(file, SIZE_MAX / 4, &bytes, &size)) {
    case CLUMP_FILE_OK:
        break;
    case CLUMP_FILE_NO_MEMORY:
        snprintf(message, RUN_MESSAGE, "out of memory for the calls");
        return RUN_NO_MEMORY;
    default:
        return RUN_FAILED;
    }
    cursor c = {bytes, bytes + size};
    clump_recorded_run found = {.application = NULL};
    const char *status = next_field(&c), *said = next_field(&c);
    run_status result = said != NULL ? (run_status)atoi(status) : RUN_FAILED;
    if (said != NULL)
        snprintf(message, RUN_MESSAGE, "%s", said);
    if (result == RUN_OK && !take_run(&c, &found))
        result = RUN_FAILED;
    if (result == RUN_OK && (*run = clump_recorded_run_copy(&found)) == NULL) {
        snprintf(message, RUN_MESSAGE, "out of memory for the calls");
        result = RUN_NO_MEMORY;
    }
    free(bytes);
    return result;
}
