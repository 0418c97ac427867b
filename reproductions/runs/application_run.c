/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reproductions/runs/application_run.h"

static uint32_t jobs_of(const clump_application_run *run)
{
    return run->jobs > 0 ? run->jobs : 1;
}

uint32_t clump_application_run_workers(const clump_application_run *run)
{
    return run->input->workers * jobs_of(run);
}

bool clump_application_run_add(clump_application_run *run)
{
    const uint32_t count = run->input->workers, jobs = jobs_of(run);
    bool same = true;
    run->time_us = 0;
    for (uint32_t j = 0; j < jobs; j++) {
        clump_application_result result = {.items = 0};
        double time_us = 0;
        for (uint32_t r = 0; r < count; r++) {
            const clump_application_worker *w = &run->workers[j * count + r];
            time_us = w->time_us > time_us ? w->time_us : time_us;
            result.digest += w->result.digest;
            result.items += w->result.items;
        }
        if (j == 0)
            run->result = result;
        same = same && result.digest == run->result.digest && result.items == run->result.items;
        run->time_us += time_us / jobs;
    }
    return same;
}
