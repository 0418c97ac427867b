/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/classes.h"

#include "model/station.h"

#include <stdlib.h>

typedef struct member {
    double utilization;
    size_t processor;
} member;

static int compare_members(const void *a, const void *b)
{
    const double x = ((const member *)a)->utilization, y = ((const member *)b)->utilization;
    return (x > y) - (x < y);
}

static clump_status check_utilizations(const double *utilizations, size_t processors,
                                       clump_error *error)
{
    if (processors < 1 || processors > CLUMP_MAX_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "processors: %zu, expected 1 to %zu",
                          processors, CLUMP_MAX_PROCESSORS);
    for (size_t p = 0; p < processors; p++)
        if (!(utilizations[p] >= 0 && utilizations[p] <= 1))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "utilization of processor %zu: %g, expected 0 to 1", p + 1,
                              utilizations[p]);
    return CLUMP_OK;
}

clump_status clump_classes_make(const double *utilizations, size_t processors,
                                clump_classes *classes, clump_error *error)
{
    const clump_status status = check_utilizations(utilizations, processors, error);
    if (status != CLUMP_OK)
        return status;
    member *members = malloc(processors * sizeof *members);
    clump_classes made = {malloc(processors * sizeof *made.classes), 0,
                          malloc(processors * sizeof *made.class_of)};
    if (members == NULL || made.classes == NULL || made.class_of == NULL) {
        free(members);
        clump_classes_free(&made);
        return clump_fail_memory(error, "the classes of processors");
    }
    for (size_t p = 0; p < processors; p++)
        members[p] = (member){utilizations[p], p};
    qsort(members, processors, sizeof *members, compare_members);
    for (size_t i = 0; i < processors; i++) {
        const double U = members[i].utilization;
        if (made.count == 0 || U != made.classes[made.count - 1].utilization)
            made.classes[made.count++] = (clump_class){U, 0};
        made.classes[made.count - 1].processors++;
        made.class_of[members[i].processor] = made.count - 1;
    }
    free(members);
    *classes = made;
    return CLUMP_OK;
}

void clump_classes_free(clump_classes *classes)
{
    free(classes->classes);
    free(classes->class_of);
    *classes = (clump_classes){NULL, 0, NULL};
}

clump_status clump_classes_check(const clump_class *classes, size_t count, size_t *processors,
                                 clump_error *error)
{
    size_t total = 0;
    for (size_t k = 0; k < count; k++) {
        if (!(classes[k].utilization >= 0 && classes[k].utilization <= 1))
            return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization: %g, expected 0 to 1",
                              classes[k].utilization);
        if (classes[k].processors > CLUMP_MAX_PROCESSORS - total)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "processors: more than %zu, expected 1 to "
                              "%zu",
                              CLUMP_MAX_PROCESSORS, CLUMP_MAX_PROCESSORS);
        total += classes[k].processors;
    }
    if (total == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "processors: 0, expected at least 1");
    *processors = total;
    return CLUMP_OK;
}
