/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/emulation_samples.h"

#include <math.h>
#include <stdio.h>

/* Ten of each machine: mean times of a cycle, of all processors or of one of a mix, whose messages
 * are `share` of the mean. */
static bool add_samples(const clump_emulation_question *q, clump_calibration_samples *to,
                        const clump_emulation_result *r, const clump_emulation_ratio *ratio,
                        double share, const char *setting)
{
    const double bytes = share * q->message_us * q->rate_mbit / 8;
    for (int now = 0; now < 2; now++)
        for (size_t b = 0; b < CLUMP_EMULATION_BATCHES; b++) {
            clump_measured_sample sample = {.variant = now ? "NOW" : "Clump",
                                            .benchmark = "emulated Clump",
                                            .quantity = "cycle_time",
                                            .value = now ? ratio->now_us[b] : ratio->clump_us[b],
                                            .size_bytes = (int64_t)llround(bytes),
                                            .run = (int64_t)b + 1,
                                            .iterations = (int64_t)ratio->batch_cycles[b],
                                            .processes = r->point.processors,
                                            .doubtful = r->doubt[0] != '\0',
                                            .doubt = r->doubt[0] != '\0' ? r->doubt : NULL};
            snprintf(sample.setting, sizeof sample.setting, "%s", setting);
            if (!clump_calibration_add(to, &sample))
                return false;
        }
    return true;
}

bool clump_emulation_add(const clump_emulation_question *q, clump_calibration_samples *to,
                         const clump_emulation_result *r)
{
    char name[CLUMP_EMULATION_POINT_NAME], setting[48];
    const char *how = q->mapping == CLUMP_MAPPING_STATIC ? " tied" : "",
               *queue = q->fifo ? " fifo" : "";
    if (q->mix_count == 0) {
        snprintf(setting, sizeof setting, "%.36s%s%s", clump_emulation_point_name(&r->point, name),
                 how, queue);
        return add_samples(q, to, r, &r->summary.all, 1, setting);
    }
    for (size_t p = 0; p < q->mix_count; p++) {
        snprintf(setting, sizeof setting, "P=%u N=%u processor %u U=%.5g%s%s", r->point.processors,
                 r->point.nics, (unsigned)p + 1, q->mix[p], how, queue);
        if (!add_samples(q, to, r, &r->summary.each[p], q->mix[p] / r->point.utilization, setting))
            return false;
    }
    return true;
}
