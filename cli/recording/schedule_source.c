/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/schedule_source.h"

#include "cli/memory_limit.h"
#include "cli/output/errors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Some 15 GB. A few calls of many ranks whose files are missing could be more than any memory. */
static const uint64_t MOST_OPERATIONS = 100000000;

bool recorded_schedules_is_folder(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

static int complain(const char *command, clump_recording_status status, const char *message)
{
    return status == CLUMP_RECORDING_INPUT
               ? error_input(command, "%s", message)
               : memory_limit_told(command, status == CLUMP_RECORDING_NO_MEMORY, message);
}

static clump_recording_status make(recorded_schedules *all, size_t processors, size_t place,
                                   char message[CLUMP_RECORDING_TEXT])
{
    clump_recorded_schedule_report report;
    clump_recorded_schedule_options options = all->options;
    options.processors = processors;
    clump_schedule_free(all->kept[place].schedule);
    all->kept[place].schedule = NULL;
    const clump_recording_status status = clump_recorded_schedule(
        all->recording, &options, &all->kept[place].schedule, &report, message);
    all->kept[place].processors = processors;
    if (all->made == 0 && status == CLUMP_RECORDING_OK)
        all->report = report;
    all->made++;
    return status;
}

int recorded_schedules_open(const char *command, const char *folder,
                            const recorded_choices *choices, recorded_schedules *all)
{
    char message[CLUMP_RECORDING_TEXT] = "";
    *all = (recorded_schedules){.options = {.most_operations = MOST_OPERATIONS}};
    clump_recording_status status = clump_recording_open(folder, &all->recording);
    if (status != CLUMP_RECORDING_OK)
        return complain(command, status,
                        all->recording != NULL ? clump_recording_message(all->recording)
                                               : "out of memory for the recording");
    all->options.gaps = (clump_recorded_gaps)choices->gaps;
    all->options.order = (clump_rank_order)choices->rank_order;
    all->options.library =
        choices->collectives == COLLECTIVES_OPEN_MPI ? CLUMP_MPI_OPEN_MPI
        : choices->collectives == COLLECTIVES_MPICH
            ? CLUMP_MPI_MPICH
            : clump_mpi_library_of(clump_recording_describe(all->recording).library);
    status = make(all, 1, 0, message);
    return status == CLUMP_RECORDING_OK ? EXIT_DONE : complain(command, status, message);
}

bool recorded_schedules_are_open_mpi(const recorded_schedules *all)
{
    return clump_mpi_library_of(clump_recording_describe(all->recording).library) ==
           CLUMP_MPI_OPEN_MPI;
}

void recorded_schedules_close(recorded_schedules *all)
{
    for (size_t i = 0; i < RECORDED_KEPT; i++)
        clump_schedule_free(all->kept[i].schedule);
    clump_recording_close(all->recording);
    *all = (recorded_schedules){0};
}

clump_status recorded_schedules_for(void *context, size_t processors,
                                    const clump_schedule **schedule, clump_error *error)
{
    recorded_schedules *all = context;
    char message[CLUMP_RECORDING_TEXT] = "";
    const size_t wanted = all->options.library == CLUMP_MPI_MPICH ? processors : 1;
    size_t place = 0;
    while (place < RECORDED_KEPT &&
           (all->kept[place].schedule == NULL || all->kept[place].processors != wanted))
        place++;
    if (place == RECORDED_KEPT) {
        place = 1 + all->made % (RECORDED_KEPT - 1); /* that of one rank a node stays */
        const clump_recording_status status = make(all, wanted, place, message);
        if (status != CLUMP_RECORDING_OK)
            return clump_fail(
                error, status == CLUMP_RECORDING_NO_MEMORY ? CLUMP_NO_MEMORY : CLUMP_BAD_ARGUMENT,
                "%s", message);
    }
    *schedule = all->kept[place].schedule;
    return CLUMP_OK;
}

void recorded_schedules_tell(const char *command, const char *folder, const recorded_schedules *all)
{
    const clump_recorded_schedule_report *r = &all->report;
    const size_t missing = clump_recording_describe(all->recording).missing;
    if (r->cut && missing > 0)
        note_print(command,
                   "%s: the files of %zu ranks are missing; what waits for them is left out",
                   folder, missing);
    if (r->cut)
        note_print(command,
                   "%s: not all traces go to the end of the program; simulated as far as all "
                   "ranks have their calls, %.6g s after the start",
                   folder, r->until);
    if (r->waiting > 0)
        note_print(command,
                   "%s: %" PRIu64 " operations are left out that wait for what is not in the "
                   "recording",
                   folder, r->waiting);
    if (r->unreceived > 0)
        note_print(command, "%s: %" PRIu64 " messages are left out that nobody receives", folder,
                   r->unreceived);
    if (r->unknown > 0)
        note_print(command,
                   "%s: %" PRIu64 " collective calls are left out: the recording does not tell who "
                   "takes part in them",
                   folder, r->unknown);
    if (all->options.gaps == CLUMP_GAPS_PROCESSOR && r->processor < 0.9 * r->gaps)
        note_print(command,
                   "%s: of %.4g s between calls (all ranks together) ranks computed for %.4g s; "
                   "those are simulated. --gaps wall takes all, if they did not share processors "
                   "but waited outside of MPI",
                   folder, r->gaps, r->processor);
}
