/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a fit reaches, and the rows beyond that. */
#include "scenarios/fitted.h"

#include <stdint.h>
#include <stdio.h>

typedef struct range {
    size_t least_processors, most_processors, least_nics, most_nics;
    bool pooled, fixed;
} range;

static range find_range(const scenario_fitted *f)
{
    range r = {.least_processors = SIZE_MAX, .least_nics = SIZE_MAX};
    for (size_t i = 0; i < f->run_count; i++) {
        const scenario_fitted_run *run = &f->runs[i];
        r.least_processors =
            run->processors < r.least_processors ? run->processors : r.least_processors;
        r.most_processors =
            run->processors > r.most_processors ? run->processors : r.most_processors;
        r.least_nics = run->nics < r.least_nics ? run->nics : r.least_nics;
        r.most_nics = run->nics > r.most_nics ? run->nics : r.most_nics;
        r.pooled = r.pooled || (run->processors > 1 && run->mapping == CLUMP_MAPPING_POOLED);
        r.fixed = r.fixed || (run->processors > 1 && run->mapping == CLUMP_MAPPING_STATIC);
    }
    return r;
}

static bool is_outside(const range *r, const clump_node *node, size_t nics)
{
    if (node->processors < r->least_processors || node->processors > r->most_processors ||
        nics < r->least_nics || nics > r->most_nics)
        return true;
    return node->processors > 1 && !(node->mapping == CLUMP_MAPPING_STATIC ? r->fixed : r->pooled);
}

void scenario_fitted_note(scenario_fitted_watch *watch, const scenario_point *point,
                          const scenario_setup *setup)
{
    const scenario_application *a = point->profile->application;
    size_t i = 0;
    if (a == NULL || a->kind != SCENARIO_BY_FIT)
        return;
    const range r = find_range(a->fitted);
    if (!is_outside(&r, &setup->node, setup->nics))
        return;
    /* The same application comes as a copy for each platform. */
    while (i < watch->count && watch->applications[i]->fitted != a->fitted)
        i++;
    if (i == SCENARIO_FITTED_WATCHED)
        return;
    if (i == watch->count) {
        watch->applications[watch->count++] = a;
        watch->outside[i] = 0;
    }
    watch->outside[i]++;
}

void scenario_fitted_tell(const scenario_fitted_watch *watch, size_t i,
                          char line[SCENARIO_FITTED_LINE])
{
    const scenario_application *a = watch->applications[i];
    const range r = find_range(a->fitted);
    const size_t count = watch->outside[i];
    snprintf(line, SCENARIO_FITTED_LINE,
             "application \"%.100s\" was fitted to %zu to %zu processors and %zu to %zu "
             "NICs%s; %zu row%s outside that range: expect larger errors",
             a->name, r.least_processors, r.most_processors, r.least_nics, r.most_nics,
             r.pooled && r.fixed ? ", pooled and static"
             : r.fixed           ? ", static"
             : r.pooled          ? ", pooled"
                                 : "",
             count, count == 1 ? " is" : "s are");
}
