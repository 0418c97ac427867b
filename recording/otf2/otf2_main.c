/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clumpmodel-otf2 ARCHIVE FOLDER BUDGET: writes the calls of an OTF2 archive as a recording. A program of its own, because libotf2 may
 * end the process that reads a damaged archive, or want all of its memory, and so that nothing else depends on that library. Memory and
 * time are those of its parent, by limits that it inherits and by its end.
 */
#include "data/budget.h"
#include "data/owned.h"
#include "recording/otf2/otf2_events.h"
#include "recording/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { DONE = 0, FAILED = 1, BAD_INPUT = 2, NO_MEMORY = 3, OVER_BUDGET = 4 };

static char last_error[300];

static OTF2_ErrorCode keep_error(void *user, const char *file, uint64_t line, const char *function,
                                 OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)user, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    if (last_error[0] == '\0' && code != OTF2_SUCCESS)
        snprintf(last_error, sizeof last_error, "%s", OTF2_Error_GetDescription(code));
    return code;
}

static int complain(int status, const char *what)
{
    fprintf(stderr, "%s%s%s%s\n", what, last_error[0] != '\0' ? " (libotf2: " : "", last_error,
            last_error[0] != '\0' ? ")" : "");
    return status;
}

typedef struct rank_file {
    const otf2_definitions *d;
    uint32_t rank;
    clump_recording_writer writer;
    bool *defined; /* communicators */
    uint64_t disk; /* bytes that the file may have */
} rank_file;

static void define(rank_file *to, uint32_t communicator)
{
    if (communicator == 0 || communicator >= to->d->communicator_count || to->defined[communicator])
        return;
    const otf2_communicator *c = &to->d->communicators[communicator];
    if (c->self)
        clump_writer_communicator(&to->writer, communicator, c->ordinal, &to->rank, 1);
    else
        clump_writer_communicator(&to->writer, communicator, c->ordinal, c->ranks, c->count);
    to->defined[communicator] = true;
}

static bool write_call(const clump_recorded_call *call, void *context)
{
    rank_file *to = context;
    define(to, call->communicator);
    clump_writer_add(&to->writer, call);
    return to->writer.account.write_error == 0 && to->writer.end <= to->disk;
}

static int write_rank(OTF2_Reader *reader, const otf2_definitions *d, uint32_t rank,
                      const char *folder, uint64_t *disk)
{
    char path[4200];
    rank_file to = {.d = d, .rank = rank, .disk = *disk};
    const clump_rank_header header = {.rank = rank,
                                      .ranks = d->ranks,
                                      .host = d->hosts[rank],
                                      .library = "",
                                      .program = "",
                                      .command = "",
                                      .start_ns = (int64_t)d->start_ns,
                                      .error_ns = UINT64_MAX,
                                      .node_ranks = 1};
    otf2_rank_report report = {.finalized = false};
    to.defined = calloc(d->communicator_count + 1, sizeof *to.defined);
    if (to.defined == NULL)
        return complain(NO_MEMORY, "out of memory");
    snprintf(path, sizeof path, "%.4000s/rank-%06u.clumprec", folder, rank);
    errno = clump_writer_open(&to.writer, path, &header, UINT64_MAX);
    if (errno != 0) {
        free(to.defined);
        return complain(FAILED, strerror(errno));
    }
    const char *wrong = otf2_events_read(reader, d, rank, write_call, &to, &report);
    clump_writer_close(&to.writer, report.finalized ? 0 : 1); /* MPI_Finalize, or none */
    free(to.defined);
    if (to.writer.end > *disk)
        return complain(OVER_BUDGET,
                        "its calls take more disk than a temporary folder may have (half "
                        "of what is free, or less: --budget disk=BYTES)");
    *disk -= to.writer.end;
    if (wrong == NULL)
        return DONE;
    char text[400];
    snprintf(text, sizeof text, "rank %u: %s", rank, wrong);
    return complain(report.no_memory ? NO_MEMORY : BAD_INPUT, text);
}

/* Numbers of a location are its own: its definitions tell what they are in the whole archive, and how its clock ran. */
static void read_local_definitions(OTF2_Reader *reader, const otf2_definitions *d)
{
    const bool opened = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
    for (size_t i = 0; i < d->location_count && opened; i++) {
        OTF2_DefReader *local = OTF2_Reader_GetDefReader(reader, d->locations[i].reference);
        uint64_t read = 0;
        if (local == NULL)
            continue;
        OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
        OTF2_Reader_CloseDefReader(reader, local);
    }
    if (opened)
        OTF2_Reader_CloseDefFiles(reader);
    last_error[0] = '\0'; /* there need not be any */
}

static int convert(OTF2_Reader *reader, const char *folder, const clump_budget *budget)
{
    otf2_definitions d;
    uint64_t disk = budget->disk;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    const char *wrong = otf2_definitions_read(reader, &d);
    int status = wrong != NULL ? complain(d.no_memory ? NO_MEMORY : BAD_INPUT, wrong) : DONE;
    if (status == DONE && d.ranks > budget->ranks)
        status = complain(OVER_BUDGET, "it has more ranks than --budget has (ranks=NUMBER)");
    for (size_t i = 0; i < d.location_count && status == DONE; i++)
        if (OTF2_Reader_SelectLocation(reader, d.locations[i].reference) != OTF2_SUCCESS)
            status = complain(BAD_INPUT, "a location is not there");
    if (status == DONE) {
        read_local_definitions(reader, &d);
        if (OTF2_Reader_OpenEvtFiles(reader) != OTF2_SUCCESS)
            status = complain(BAD_INPUT, "it has no events");
    }
    for (uint32_t r = 0; r < d.ranks && status == DONE; r++)
        status = write_rank(reader, &d, r, folder, &disk);
    otf2_definitions_free(&d);
    return status;
}

int main(int count, char **arguments)
{
    char message[CLUMP_BUDGET_MESSAGE];
    clump_budget budget = CLUMP_BUDGET_USUAL;
    if (count != 4 || !clump_budget_parse(arguments[3], &budget, message)) {
        fputs("usage: clumpmodel-otf2 ARCHIVE.otf2 FOLDER " CLUMP_BUDGET_FORM "\n", stderr);
        return BAD_INPUT;
    }
    if (clump_temporary_share(arguments[2]) != 0)
        return complain(NO_MEMORY, "out of memory");
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* libotf2 may abort() */
    OTF2_Error_RegisterCallback(keep_error, NULL);
    OTF2_Reader *reader = OTF2_Reader_Open(arguments[1]);
    if (reader == NULL)
        return complain(BAD_INPUT, "it cannot be opened as an OTF2 archive");
    const int status = convert(reader, arguments[2], &budget);
    OTF2_Reader_Close(reader);
    return status;
}
