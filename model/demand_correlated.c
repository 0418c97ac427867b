/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/demand.h"

clump_status clump_correlated_slowdown(const clump_class *classes, size_t class_count,
                                       const clump_station *station, double *slowdowns,
                                       clump_error *error)
{
    size_t active;
    clump_status status = clump_classes_check(classes, class_count, &active, error);
    if (status == CLUMP_OK)
        status = clump_station_check(station, active, error);
    for (size_t k = 1; k < class_count && status == CLUMP_OK; k++)
        if (classes[k].utilization < classes[k - 1].utilization)
            status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                                "classes: utilization %g after %g, expected ascending order",
                                classes[k].utilization, classes[k - 1].utilization);
    if (status != CLUMP_OK)
        return status;
    double time = 0, sent = 0;
    for (size_t k = 0; k < class_count; k++) {
        const double U = classes[k].utilization;
        if (active > 0)
            time += (U - sent) * ((double)active / clump_station_rate(station, active));
        sent = U;
        slowdowns[k] = 1 - U + time;
        active -= classes[k].processors;
    }
    return CLUMP_OK;
}
