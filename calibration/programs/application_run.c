/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/programs/application_run.h"

void clump_application_run_add(clump_application_run *run)
{
    run->time_us = 0;
    run->result = (clump_application_result){.items = 0};
    for (uint32_t r = 0; r < run->input->workers; r++) {
        const clump_application_worker *w = &run->workers[r];
        run->time_us = w->time_us > run->time_us ? w->time_us : run->time_us;
        run->result.digest += w->result.digest;
        run->result.items += w->result.items;
    }
}
