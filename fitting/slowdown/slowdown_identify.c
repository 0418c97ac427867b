/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cannot be found from the runs there are, and what to measure to find it. */
#include "fitting/slowdown/slowdown_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4, MOST = 64 };

static void name_unknown(const slowdown_problem *p, size_t unknown, char *text, size_t size)
{
    if (unknown < CLUMP_SLOWDOWN_PARAMETERS)
        snprintf(text, size, "%s",
                 clump_slowdown_parameter_name((clump_slowdown_parameter)unknown));
    else if (p->question->base_count == 1)
        snprintf(text, size, "the time on the NOW");
    else
        snprintf(text, size, "the time on NOW %zu", unknown - CLUMP_SLOWDOWN_PARAMETERS + 1);
}

/* "U, s and the time on the NOW"; those with a weight, or all. */
static void name_all(const slowdown_problem *p, const double *weak, char *text, size_t size)
{
    size_t unknowns[CLUMP_SLOWDOWN_UNKNOWNS], count = 0, j = 0, used = 0;
    for (size_t k = 0; k < CLUMP_SLOWDOWN_PARAMETERS + p->question->base_count; k++) {
        const bool is_unknown = k < CLUMP_SLOWDOWN_PARAMETERS
                                    ? p->free[k]
                                    : isnan(p->log_base[k - CLUMP_SLOWDOWN_PARAMETERS]) != 0;
        if (is_unknown && (weak == NULL || fabs(weak[j]) > 0.05))
            unknowns[count++] = k;
        j += is_unknown;
    }
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        char name[40];
        name_unknown(p, unknowns[i], name, sizeof name);
        const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, name);
    }
}

static bool is_measured(const clump_slowdown_question *q, const clump_slowdown_run *run)
{
    for (size_t i = 0; i < q->run_count; i++) {
        const clump_slowdown_run *r = &q->runs[i];
        if (r->base == run->base && r->processors == run->processors && r->nics == run->nics &&
            (r->mapping == run->mapping || r->processors == 1))
            return true;
    }
    return false;
}

/* How well conditioned the problem is with one run more, over some points of the space. */
static double worth(const slowdown_problem *with, const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < POINTS; i++) {
        double value[CLUMP_SLOWDOWN_PARAMETERS], least = 0;
        slowdown_start(with, i, value);
        if (values != NULL)
            memcpy(value, values, sizeof value);
        if (slowdown_correlate(with, value, NULL, NULL, &least, NULL, NULL) != CLUMP_OK)
            return 0;
        sum += least;
    }
    return sum / POINTS;
}

typedef struct candidates {
    const clump_slowdown_question *question;
    slowdown_problem problem;
    clump_slowdown_question extended;
    clump_slowdown_run *runs; /* those there are, and one more */
    const double *values;
    double best;
    clump_slowdown_run choice;
} candidates;

static void try_run(candidates *c, size_t processors, size_t nics, clump_mapping mapping)
{
    const clump_slowdown_run run = {.processors = processors,
                                    .nics = nics,
                                    .mapping = mapping,
                                    .utilization = NAN,
                                    .remote_fraction = NAN,
                                    .cost_ratio = NAN,
                                    .waiting_fraction = NAN,
                                    .time_s = 1,
                                    .relative_error = NAN};
    if (is_measured(c->question, &run))
        return;
    c->runs[c->question->run_count] = run;
    /* A utilization that runs bring with them holds for the new one as well. */
    if (!c->extended.free[CLUMP_SLOWDOWN_UTILIZATION])
        c->runs[c->question->run_count].utilization = c->runs[0].utilization;
    const double found = worth(&c->problem, c->values);
    if (found > c->best * 1.1) {
        c->best = found;
        c->choice = run;
    }
}

static size_t greatest(const clump_slowdown_question *q, bool nics)
{
    size_t most = 1;
    for (size_t i = 0; i < q->run_count; i++) {
        const size_t n = nics ? q->runs[i].nics : q->runs[i].processors;
        most = n > most ? n : most;
    }
    return most;
}

static void try_all(candidates *c)
{
    const size_t most = greatest(c->question, false), nics = greatest(c->question, true);
    bool pooled = false, fixed = false;
    for (size_t i = 0; i < c->question->run_count; i++) {
        const clump_slowdown_run *run = &c->question->runs[i];
        pooled = pooled || (run->processors > 1 && run->mapping == CLUMP_MAPPING_POOLED);
        fixed = fixed || (run->processors > 1 && run->mapping == CLUMP_MAPPING_STATIC);
    }
    const size_t P = most > 1 ? (most < MOST ? most : MOST) : 8;
    try_run(c, 1, 1, CLUMP_MAPPING_POOLED);
    for (size_t p = P; p >= 2; p = p > 4 ? p / 2 : p - 1)
        for (size_t n = 1; n <= nics && n <= p && n <= 8; n++) {
            if (pooled || !fixed)
                try_run(c, p, n, CLUMP_MAPPING_POOLED);
            if (fixed)
                try_run(c, p, n, CLUMP_MAPPING_STATIC);
        }
}

static bool choose(const slowdown_problem *p, const double *values, clump_slowdown_run *run)
{
    const clump_slowdown_question *q = p->question;
    const size_t count = q->run_count + 1;
    candidates c = {.question = q, .problem = *p, .extended = *q, .values = values, .best = 0};
    c.runs = malloc(count * sizeof *c.runs);
    c.problem.sigma = malloc(count * sizeof *c.problem.sigma);
    bool found = false;
    if (c.runs != NULL && c.problem.sigma != NULL) {
        memcpy(c.runs, q->runs, q->run_count * sizeof *c.runs);
        for (size_t i = 0; i < count; i++)
            c.problem.sigma[i] = 1;
        c.extended.runs = c.runs;
        c.extended.run_count = count;
        c.problem.question = &c.extended;
        c.problem.largest_gang = (double)greatest(q, false);
        c.best = worth(p, values);
        const double before = c.best;
        try_all(&c);
        found = c.best > before * 1.02 + 1e-6;
    }
    free(c.runs);
    free(c.problem.sigma);
    if (found)
        *run = c.choice;
    return found;
}

static void describe(const clump_slowdown_run *run, char *text, size_t size)
{
    snprintf(text, size, "%zu processor%s with %zu NIC%s%s", run->processors,
             run->processors == 1 ? "" : "s", run->nics, run->nics == 1 ? "" : "s",
             run->processors == 1                   ? ""
             : run->mapping == CLUMP_MAPPING_STATIC ? ", static"
                                                    : ", pooled");
}

bool clump_slowdown_suggest(const clump_slowdown_question *question, const double *values,
                            clump_slowdown_run *run)
{
    slowdown_problem p = {.question = question, .largest_gang = (double)greatest(question, false)};
    memcpy(p.free, question->free, sizeof p.free);
    memcpy(p.value, question->value, sizeof p.value);
    for (size_t b = 0; b < question->base_count; b++)
        p.log_base[b] = question->base_times_s != NULL ? log(question->base_times_s[b]) : NAN;
    p.sigma = malloc(question->run_count * sizeof *p.sigma);
    if (p.sigma == NULL)
        return false;
    for (size_t i = 0; i < question->run_count; i++)
        p.sigma[i] = 1;
    const bool found = choose(&p, values, run);
    free(p.sigma);
    return found;
}

clump_status slowdown_identify(const slowdown_problem *p, clump_error *error)
{
    const size_t unknowns = slowdown_free_parameters(p) + slowdown_free_bases(p);
    const size_t runs = p->question->run_count;
    double weak[CLUMP_SLOWDOWN_UNKNOWNS];
    char names[120], what[80] = "another configuration";
    bool open = false;
    clump_slowdown_run run;
    if (unknowns == 0)
        return CLUMP_OK;
    if (unknowns <= runs) {
        const clump_status status = slowdown_open_direction(p, &open, weak, error);
        if (status != CLUMP_OK || !open)
            return status;
    }
    if (choose(p, NULL, &run))
        describe(&run, what, sizeof what);
    if (unknowns > runs) {
        name_all(p, NULL, names, sizeof names);
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "%zu unknowns (%s) but %zu configuration%s: measure %zu more, such as "
                          "%s, or leave something fixed",
                          unknowns, names, runs, runs == 1 ? "" : "s", unknowns - runs, what);
    }
    name_all(p, weak, names, sizeof names);
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "%s cannot be told from these configurations: measure %s as well, or leave "
                      "something fixed",
                      names, what);
}
