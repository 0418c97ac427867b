/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/schedule_source.h"

#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "cli/recording/recording_open.h"
#include "model/workload/collective.h"

/* Some 15 GB. A few calls of many ranks whose files are missing could be more than any memory. */
static const uint64_t MOST_OPERATIONS = 100000000;

int recorded_schedules_open(const char *command, const char *folder,
                            const recorded_choices *choices, recorded_schedules *all)
{
    clump_recorded_run *run = NULL;
    clump_error error;
    const run_choices wanted = {.wall = choices->gaps == GAPS_WALL,
                                .most_operations = MOST_OPERATIONS,
                                .whole = true,
                                .digest = true};
    *all = (recorded_schedules){.order = (clump_rank_order)choices->rank_order};
    const int read = recording_read_run(command, "recording", folder, &wanted, &run);
    if (read != EXIT_DONE)
        return read;
    all->transports = clump_mpi_transports_of(run->library);
    if (choices->collectives != COLLECTIVES_RECORDED)
        run->library = choices->collectives == COLLECTIVES_MPICH ? "MPICH" : "Open MPI";
    if (clump_recorded_kept_add(&all->kept, run) == NULL)
        return error_memory(command);
    const clump_status status =
        clump_recorded_kept_schedule(all->kept, 1, all->order, MOST_OPERATIONS, &all->now, &error);
    return status == CLUMP_OK ? EXIT_DONE
           : status == CLUMP_BAD_ARGUMENT
               ? error_input(command, "%s", error.message)
               : memory_limit_told(command, status == CLUMP_NO_MEMORY, error.message);
}

void recorded_schedules_close(recorded_schedules *all)
{
    clump_recorded_kept_free(all->kept);
    *all = (recorded_schedules){.kept = NULL};
}

clump_status recorded_schedules_for(void *context, size_t processors,
                                    const clump_schedule **schedule, clump_error *error)
{
    recorded_schedules *all = context;
    const clump_recorded_schedule *made;
    const clump_status status = clump_recorded_kept_schedule(all->kept, processors, all->order,
                                                             MOST_OPERATIONS, &made, error);
    if (status == CLUMP_OK)
        *schedule = made->schedule;
    return status;
}

void recorded_schedules_tell(const char *command, const char *folder, const recorded_schedules *all)
{
    recording_tell_notes(command, folder, all->kept->run);
    if (all->now->left_out > 0)
        note_print(command,
                   "%s: %.0f operations are left out that wait for what is not in the recording",
                   folder, all->now->left_out);
}
