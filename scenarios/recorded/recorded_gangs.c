/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_gangs.h"

#include "fitting/gangs/gang_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Windows of nodes of that size; fewer than two: there are none. */
static size_t windows_of(const clump_facts *facts, const char *doing, size_t processors,
                         clump_overlap_window *windows)
{
    size_t count = 0;
    for (size_t i = 0; i < facts->overlap_count; i++) {
        const clump_facts_overlap *o = &facts->overlaps[i];
        if ((size_t)o->processors != processors || strcmp(o->doing, doing) != 0)
            continue;
        if (windows != NULL)
            windows[count] = (clump_overlap_window){o->seconds, o->active, o->squared};
        count++;
    }
    return count;
}

/* The number of processors next to P for which it was counted; 0: none. */
static size_t nearest(const clump_facts *facts, const char *doing, size_t processors)
{
    size_t best = 0;
    double distance = HUGE_VAL;
    for (size_t i = 0; i < facts->overlap_count; i++) {
        const size_t at = (size_t)facts->overlaps[i].processors;
        const double away = fabs(log((double)at / (double)processors));
        if (strcmp(facts->overlaps[i].doing, doing) == 0 && away < distance) {
            distance = away;
            best = at;
        }
    }
    return best;
}

/* The variance is 1 + (P-1) r times that of independent processors, r the mean correlation of two of them: with another number
 * of processors r is taken to be the same. */
static double at_size(double ratio, size_t from, size_t to)
{
    return from == to || from < 2
               ? ratio
               : fmax(1 + (ratio - 1) * (double)(to - 1) / (double)(from - 1), 0);
}

static double within(double s, size_t processors)
{
    return fmin(fmax(s, 1), (double)processors);
}

/* Windows of the trace, or else the histogram of the largest node, which has no interval. NULL: none (count 0), or no
 * memory. */
static clump_overlap_window *find_windows(const clump_recorded *p, size_t processors,
                                          clump_recorded_gangs *gangs, size_t *count)
{
    static const char *const kinds[] = {"transferring", "in MPI"};
    const clump_facts *facts = p->facts;
    for (size_t i = 0; i < 2; i++) {
        const size_t at = nearest(facts, kinds[i], processors);
        *count = windows_of(facts, kinds[i], at, NULL);
        if (*count == 0)
            continue;
        clump_overlap_window *windows = malloc(*count * sizeof *windows);
        if (windows != NULL)
            windows_of(facts, kinds[i], at, windows);
        gangs->doing = kinds[i];
        gangs->recorded_processors = at;
        return windows;
    }
    size_t most = 0;
    clump_overlap_window all = {0, 0, 0};
    for (size_t i = 0; i < facts->collision_count; i++)
        most = (size_t)facts->collisions[i].q > most ? (size_t)facts->collisions[i].q : most;
    for (size_t i = 0; i < facts->collision_count; i++) {
        const double q = (double)facts->collisions[i].q, seconds = facts->collisions[i].seconds;
        all.seconds += seconds;
        all.active += q * seconds;
        all.squared += q * q * seconds;
    }
    *count = most >= 2 ? 1 : 0;
    clump_overlap_window *one = *count > 0 ? malloc(sizeof *one) : NULL;
    if (one == NULL)
        return NULL;
    *one = all;
    gangs->doing = "in MPI";
    gangs->recorded_processors = most;
    return one;
}

clump_status clump_recorded_gangs_fit(const clump_recorded *p, size_t processors,
                                      clump_recorded_gangs *gangs, clump_error *error)
{
    size_t count = 0;
    const double P = (double)processors;
    *gangs =
        (clump_recorded_gangs){.size = P, .low = 1, .high = P, .ratio = NAN, .observations = NAN};
    if (processors < 2 || p->scheduled_apart)
        return CLUMP_OK;
    clump_overlap_window *windows = find_windows(p, processors, gangs, &count);
    double *shares = malloc(p->ranks * sizeof *shares);
    if (windows == NULL || shares == NULL) {
        free(windows);
        free(shares);
        return shares == NULL || count > 0 ? clump_fail_memory(error, "the gangs of a recording")
                                           : CLUMP_OK;
    }
    const bool transferring = strcmp(gangs->doing, "transferring") == 0;
    for (size_t i = 0; i < p->ranks; i++) {
        const clump_facts_rank *r = &p->facts->ranks[i];
        shares[i] = r->wall > 0 ? (transferring ? r->transferring : r->in_mpi) / r->wall : 0;
    }
    const size_t at = gangs->recorded_processors;
    const clump_gang_question question = {.processors = at,
                                          .windows = windows,
                                          .window_count = count,
                                          .shares = shares,
                                          .share_count = p->ranks,
                                          .by_node = count > 1, /* else of the recorded nodes */
                                          .confidence = 0.9};
    clump_gang_fit fit;
    clump_error why;
    const clump_status status = clump_gang_fit_compute(&question, &fit, &why);
    free(windows);
    free(shares);
    if (status == CLUMP_NO_MEMORY)
        return clump_fail_memory(error, "the gangs of a recording");
    if (status != CLUMP_OK) /* nobody communicates, or all do always: s does not matter */
        return CLUMP_OK;
    const double low = at_size(fit.ratio_low, at, processors),
                 high = at_size(fit.ratio_high, at, processors);
    gangs->known = true;
    gangs->ratio = at_size(fit.ratio, at, processors);
    gangs->size = within(gangs->ratio, processors);
    gangs->observations = fit.observations;
    gangs->low = gangs->high = NAN;
    if (isnan(low))
        return CLUMP_OK;
    gangs->low = within(low, processors);
    gangs->high = within(high, processors);
    gangs->rejects_independent = low > 1 || high < 1;
    gangs->rejects_correlated = high < (double)processors;
    return CLUMP_OK;
}

clump_demand clump_recorded_demand(const clump_recorded_placed *placed, double *gang_size)
{
    const double P = (double)placed->processors, s = placed->gangs.size;
    *gang_size = 1;
    if (placed->processors < 2 || s <= 1 + 1e-9)
        return CLUMP_DEMAND_INDEPENDENT;
    if (s >= P * (1 - 1e-9))
        return CLUMP_DEMAND_CORRELATED;
    *gang_size = s;
    return CLUMP_DEMAND_GANG;
}
