/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/needs.h"

#include "model/station.h"

#include <stdlib.h>

typedef struct member {
    double computation, communication;
    size_t processor;
} member;

static int compare_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->communication != y->communication)
        return (x->communication > y->communication) - (x->communication < y->communication);
    return (x->computation > y->computation) - (x->computation < y->computation);
}

clump_status model_needs_make(const double *computation, const double *communication,
                              size_t processors, clump_needs *needs, clump_error *error)
{
    if (processors < 1 || processors > CLUMP_MAX_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "processors: %zu, expected 1 to %zu",
                          processors, CLUMP_MAX_PROCESSORS);
    member *members = malloc(processors * sizeof *members);
    clump_needs made = {malloc(processors * sizeof *made.needs), 0,
                        malloc(processors * sizeof *made.need_of)};
    if (members == NULL || made.needs == NULL || made.need_of == NULL) {
        free(members);
        model_needs_free(&made);
        return clump_fail_memory(error, "the needs of the processors");
    }
    for (size_t p = 0; p < processors; p++)
        members[p] = (member){computation != NULL ? computation[p] : 1 - communication[p],
                              communication[p], p};
    qsort(members, processors, sizeof *members, compare_members);
    for (size_t i = 0; i < processors; i++) {
        const member *m = &members[i];
        if (i == 0 || compare_members(m, m - 1) != 0)
            made.needs[made.count++] = (clump_need){m->computation, m->communication, 0};
        made.needs[made.count - 1].processors++;
        made.need_of[m->processor] = made.count - 1;
    }
    free(members);
    size_t total;
    const clump_status status = model_needs_check(made.needs, made.count, &total, error);
    if (status != CLUMP_OK) {
        model_needs_free(&made);
        return status;
    }
    *needs = made;
    return CLUMP_OK;
}

void model_needs_free(clump_needs *needs)
{
    free(needs->needs);
    free(needs->need_of);
    *needs = (clump_needs){NULL, 0, NULL};
}

clump_status model_needs_check(const clump_need *needs, size_t count, size_t *processors,
                               clump_error *error)
{
    size_t total = 0;
    for (size_t k = 0; k < count; k++) {
        const double C = needs[k].computation, D = needs[k].communication;
        if (!(C >= 0 && C <= 1e30 && D >= 0 && D <= 1e30 && C + D > 0))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "needs: computation %g and communication %g, expected times of 0 to "
                              "1e30, one of them above 0",
                              C, D);
        if (k > 0 && D < needs[k - 1].communication)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "needs: communication %g after %g, expected ascending order", D,
                              needs[k - 1].communication);
        if (needs[k].processors > CLUMP_MAX_PROCESSORS - total)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "processors: more than %zu, expected 1 to %zu", CLUMP_MAX_PROCESSORS,
                              CLUMP_MAX_PROCESSORS);
        total += needs[k].processors;
    }
    if (total == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "processors: 0, expected at least 1");
    *processors = total;
    return CLUMP_OK;
}
