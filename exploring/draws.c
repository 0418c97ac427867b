/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/draws.h"

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

bool clump_explore_drawn_make(clump_explore_drawn *d, size_t case_index, size_t rows, size_t draws,
                              bool least)
{
    const size_t values = rows * draws + 1;
    *d = (clump_explore_drawn){case_index,
                               rows,
                               draws,
                               malloc(values * sizeof *d->slowdowns),
                               least ? malloc(values * sizeof *d->least) : NULL,
                               false};
    return d->slowdowns != NULL && (d->least != NULL || !least);
}

void clump_explore_drawn_release(clump_explore_drawn *d)
{
    free(d->slowdowns);
    free(d->least);
}

/* NICs that are enough: none is more than any; refused is 0. */
static size_t least_of(const clump_explore_row *row)
{
    return row->result.refused != NULL ? 0 : row->least_nics > 0 ? row->least_nics : SIZE_MAX;
}

static clump_scenario_status compute(const clump_explorer *e, const clump_scenario *scenario,
                                     size_t place, const clump_explore_drawn *d,
                                     clump_result *scratch, clump_explore_row *rows, char *message)
{
    const size_t configurations = clump_scenario_configurations(scenario);
    clump_scenario_status status = CLUMP_SCENARIO_OK;
    size_t row = 0;
    for (size_t c = 0; c < configurations && status == CLUMP_SCENARIO_OK; c++) {
        size_t count = 0;
        if (!clump_explorer_has(e, d->case_index, c, configurations))
            continue;
        status =
            clump_explore_compute(e, scenario, c, d->least != NULL, scratch, rows, &count, message);
        for (size_t k = 0; k < count && status == CLUMP_SCENARIO_OK; k++, row++) {
            if (row < d->rows)
                d->slowdowns[row * d->draws + place] = clump_result_relative_time(&rows[k].result);
            if (row < d->rows && d->least != NULL)
                d->least[row * d->draws + place] = least_of(&rows[k]);
            if (d->predicted && rows[k].result.refused != NULL) {
                snprintf(message, CLUMP_EXPLORE_MESSAGE, "--sensitivity: %s",
                         rows[k].result.refused);
                status = CLUMP_SCENARIO_INVALID;
            }
        }
    }
    if (status != CLUMP_SCENARIO_OK || row == d->rows)
        return status;
    snprintf(message, CLUMP_EXPLORE_MESSAGE,
             "the scenario asks for %zu rows with one draw and %zu with another, expected as many "
             "for all",
             d->rows, row);
    return CLUMP_SCENARIO_BAD_INPUT;
}

clump_scenario_status clump_explore_draw_one(const clump_explorer *e,
                                             const clump_explore_draw *draw, size_t place,
                                             const clump_explore_drawn *drawn, char *message)
{
    clump_scenario *scenario = NULL;
    clump_scenario_status status =
        clump_explorer_prepare(e, drawn->case_index, draw, NULL, 0, &scenario, message);
    if (status != CLUMP_SCENARIO_OK)
        return status;
    const size_t most = clump_scenario_most_applications(scenario);
    clump_result *scratch = calloc(most, sizeof *scratch);
    clump_explore_row *rows = calloc(most, sizeof *rows);
    status = scratch != NULL && rows != NULL
                 ? compute(e, scenario, place, drawn, scratch, rows, message)
                 : clump_explore_no_memory(message);
    free(scratch);
    free(rows);
    clump_scenario_free(scenario);
    return status;
}

clump_explore_status clump_explore_draw_all(clump_explorer *e, const clump_explore_draw *like,
                                            const clump_explore_drawn *drawn, size_t done,
                                            size_t total)
{
    clump_explore_failure failed = {.status = CLUMP_SCENARIO_OK};
    bool stopped = false;
    /* In ascending order, since the draw in hand tells how far it is: threads may not take chunks from
     * each other. */
#pragma omp parallel for schedule(monotonic : dynamic, 8) num_threads(e->settings.threads)
    for (size_t k = 0; k < drawn->draws; k++) {
        char message[CLUMP_EXPLORE_MESSAGE];
        clump_explore_draw draw = *like;
        bool skip;
#pragma omp atomic read
        skip = stopped;
        if (skip)
            continue;
        draw.index = k;
        const clump_scenario_status found = clump_explore_draw_one(e, &draw, k, drawn, message);
        if (found != CLUMP_SCENARIO_OK) {
            clump_explore_note_failure(&failed, found, k, message);
#pragma omp atomic write
            stopped = true;
        }
        if (omp_get_thread_num() == 0)
            clump_explorer_progress(e, done + k, total);
    }
    return clump_explorer_explain(e, failed.status, failed.message);
}
