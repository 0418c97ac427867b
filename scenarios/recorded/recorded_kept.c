/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_kept.h"

#include "model/simulation/kept_calls.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t MOST_OPERATIONS = 1 << 24;

clump_recorded_kept *clump_recorded_kept_add(clump_recorded_kept **list, clump_recorded_run *run)
{
    clump_recorded_kept *kept = malloc(sizeof *kept);
    if (kept == NULL) {
        free(run);
        return NULL;
    }
    *kept = (clump_recorded_kept){.next = *list, .run = run};
    *list = kept;
    return kept;
}

void clump_recorded_kept_free(clump_recorded_kept *list)
{
    while (list != NULL) {
        clump_recorded_kept *first = list;
        list = first->next;
        while (first->schedules != NULL) {
            clump_recorded_schedule *s = first->schedules;
            first->schedules = s->next;
            clump_schedule_free(s->schedule);
            free(s);
        }
        free(first->run);
        free(first);
    }
}

double clump_recorded_kept_bytes(const clump_recorded_run *run)
{
    static const double unpacked = 5; /* bytes for one of the text: some 8 are an operation */
    return (double)sizeof *run +
           (run->calls != NULL ? (1 + unpacked) * (double)strlen(run->calls) : 0);
}

/* A GOAL schedule is kept as it is. */
static clump_status make(const clump_recorded_run *run, uint64_t most, clump_recorded_schedule *s,
                         clump_error *error)
{
    const clump_kept_machine machine = {.library = clump_mpi_library_of(run->library),
                                        .processors = s->processors,
                                        .order = s->order,
                                        .most_operations = most > 0 ? most : MOST_OPERATIONS};
    clump_schedule_left_out left = {0, 0, NULL};
    if (run->calls == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "the recording was imported without its calls, expected them: import it "
                          "again");
    if (strcmp(run->origin, "goal") == 0)
        return clump_schedule_parse(run->calls, strlen(run->calls), &s->schedule, error);
    const clump_status status =
        clump_kept_schedule(run->calls, (size_t)run->ranks, &machine, &s->schedule, &left, error);
    s->left_out = (double)left.operations + (double)left.messages;
    return status;
}

clump_status clump_recorded_kept_schedule(clump_recorded_kept *kept, size_t processors,
                                          clump_rank_order order, uint64_t most_operations,
                                          const clump_recorded_schedule **schedule,
                                          clump_error *error)
{
    const bool looks = clump_mpi_library_of(kept->run->library) == CLUMP_MPI_MPICH &&
                       processors > 1 && strcmp(kept->run->origin, "goal") != 0;
    const clump_recorded_schedule wanted = {.processors = looks ? processors : 1,
                                            .order = looks ? order : CLUMP_RANKS_IN_BLOCKS};
    clump_recorded_schedule *s = kept->schedules;
    while (s != NULL && (s->processors != wanted.processors || s->order != wanted.order))
        s = s->next;
    if (s == NULL) {
        s = malloc(sizeof *s);
        if (s == NULL)
            return clump_fail_memory(error, "recorded calls");
        *s = wanted;
        const clump_status status = make(kept->run, most_operations, s, error);
        if (status != CLUMP_OK) {
            free(s);
            return status;
        }
        s->next = kept->schedules;
        kept->schedules = s;
    }
    *schedule = s;
    return CLUMP_OK;
}
