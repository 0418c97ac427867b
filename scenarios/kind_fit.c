/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applications that were fitted to times ('clumpmodel fit slowdown'); the store has what was found. */
#include "scenarios/kind.h"
#include "scenarios/setup.h"

#include "model/uncertain.h"
#include "scenarios/stored.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- as the store has it */

/* Between `least` and `most`, whatever is drawn. */
static double find_parameter(lua_State *L, const clump_store_fit *fit, const char *name,
                             double least, double most)
{
    for (size_t i = 0; i < fit->parameter_count; i++) {
        const clump_store_fit_parameter *p = &fit->parameters[i];
        if (strcmp(p->name, name) != 0)
            continue;
        const double width = (p->high - p->low) / 2;
        const double z = fit->confidence > 0 && fit->confidence < 1
                             ? gsl_cdf_ugaussian_Pinv((1 + fit->confidence) / 2)
                             : CLUMP_UNCERTAIN_95;
        return scenario_draw_normal(L, p->value, width / z, least, most, "%.80s %.60s",
                                    fit->application, name);
    }
    return NAN;
}

/* The store promises ranges by its constraints; a damaged file is found here. */
static bool is_share(double value)
{
    return isnan(value) || (value >= 0 && value <= 1);
}

static bool read_demand(lua_State *L, const clump_store_fit *fit, scenario_demand *demand)
{
    *demand = (scenario_demand){.gang_size = 1};
    if (!clump_demand_kind_parse(fit->demand, &demand->demand))
        return false;
    if (demand->demand == CLUMP_DEMAND_GANG)
        demand->gang_size = find_parameter(L, fit, "s", 1, HUGE_VAL);
    return demand->gang_size >= 1;
}

static bool read_numbers(lua_State *L, const clump_store_fit *fit, scenario_fitted *f,
                         double *penalty)
{
    const double e = find_parameter(L, fit, "e", 0, HUGE_VAL);
    *penalty = find_parameter(L, fit, "penalty", 0.01, HUGE_VAL);
    f->utilization = find_parameter(L, fit, "U", 0, 1);
    f->remote_fraction = find_parameter(L, fit, "f", 0, 1);
    f->cost_ratio = find_parameter(L, fit, "V", 0, HUGE_VAL);
    f->waiting_fraction = find_parameter(L, fit, "h", 0, 1);
    f->law.coefficient = isnan(e) ? 0 : e;
    return clump_efficiency_form_parse(fit->efficiency, &f->law.form) != 0 &&
           read_demand(L, fit, &f->demand) && is_share(f->utilization) &&
           is_share(f->remote_fraction) && is_share(f->waiting_fraction) &&
           (isnan(*penalty) || *penalty > 0) && !(f->cost_ratio < 0) && f->law.coefficient >= 0 &&
           fit->run_count > 0;
}

static bool read_run(lua_State *L, const clump_store_fit_run *from, scenario_fitted_run *to)
{
    clump_mapping mapping = CLUMP_MAPPING_POOLED;
    const bool mapped = clump_mapping_parse(from->mapping, &mapping);
    *to = (scenario_fitted_run){
        .platform = scenario_copy_quietly(L, from->platform),
        .processors = (size_t)from->processors,
        .nics = (size_t)from->nics,
        .mapping = mapping,
        .utilization = from->utilization,
        .remote_fraction = from->remote_fraction,
        .cost_ratio = from->cost_ratio,
        .waiting_fraction = from->waiting_fraction,
        .now_time = from->base_time_s,
        .measured_time = from->time_s,
        .relative_error = from->relative_error,
    };
    return mapped && to->platform != NULL && from->processors >= 1 && from->nics >= 0 &&
           from->base_time_s > 0 && from->time_s > 0;
}

/* Copies of it; NULL for want of memory or if it is damaged. Lua must not jump out of here: the
 * record is not its own. */
static scenario_fitted *copy_fit(lua_State *L, const clump_store_fit *fit, double *penalty)
{
    scenario_fitted *f = scenario_allocate_quietly(L, 1, sizeof *f);
    scenario_fitted_run *runs = scenario_allocate_quietly(L, fit->run_count, sizeof *runs);
    if (f == NULL || runs == NULL || !read_numbers(L, fit, f, penalty))
        return NULL;
    for (size_t i = 0; i < fit->run_count; i++)
        if (!read_run(L, &fit->runs[i], &runs[i]))
            return NULL;
    f->runs = runs;
    f->run_count = fit->run_count;
    return f;
}

void scenario_fit_find(lua_State *L, scenario_application *application)
{
    clump_store_fit *record = NULL;
    const clump_store_status status =
        clump_store_find_fit(scenario_store_of(L), application->name, &record);
    double penalty = NAN;
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "application");
    if (record == NULL)
        return;
    const scenario_fitted *fitted = copy_fit(L, record, &penalty);
    clump_store_free_fit(record);
    if (fitted == NULL)
        scenario_fail(L,
                      "application \"%s\": what was fitted to it cannot be used: the database is "
                      "damaged, or memory is short",
                      application->name);
    application->kind = &scenario_by_fit;
    application->fitted = fitted;
    application->memory_penalty = penalty;
}

/* ---- on a platform */

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || !(fabs(a - b) > 0 || isnan(a) || isnan(b));
}

/* The value that all runs on shared nodes have in common; NAN if they differ. */
static double common_value(const scenario_fitted *f, size_t offset, double of_fit)
{
    double found = NAN;
    bool any = false;
    for (size_t i = 0; i < f->run_count; i++) {
        double value;
        memcpy(&value, (const char *)&f->runs[i] + offset, sizeof value);
        value = isnan(value) ? of_fit : value;
        if (f->runs[i].processors == 1 || f->runs[i].nics == 0)
            continue;
        if (any && !same(value, found))
            return NAN;
        found = value;
        any = true;
    }
    return any ? found : of_fit;
}

static double or_fit(double of_run, double of_fit)
{
    return isnan(of_run) ? of_fit : of_run;
}

static void use_run(const scenario_fitted *f, const scenario_fitted_run *run, scenario_profile *p,
                    double *utilization)
{
    *utilization = or_fit(run->utilization, f->utilization);
    p->remote_fraction = run->nics == 0 ? 0 : or_fit(run->remote_fraction, f->remote_fraction);
    p->cost_ratio = or_fit(run->cost_ratio, f->cost_ratio);
    p->waiting_fraction = or_fit(run->waiting_fraction, f->waiting_fraction);
    p->now_time = run->now_time;
    p->measured_time = run->measured_time;
    p->measured_slowdown = run->measured_time / run->now_time;
    p->measured_half_width = p->measured_slowdown * CLUMP_UNCERTAIN_95 * run->relative_error;
    if (!isnan(run->remote_fraction))
        p->split_processors = run->processors;
}

static void use_common(const scenario_fitted *f, scenario_profile *p, double *utilization)
{
    *utilization = common_value(f, offsetof(scenario_fitted_run, utilization), f->utilization);
    p->remote_fraction =
        common_value(f, offsetof(scenario_fitted_run, remote_fraction), f->remote_fraction);
    p->cost_ratio = common_value(f, offsetof(scenario_fitted_run, cost_ratio), f->cost_ratio);
    p->waiting_fraction =
        common_value(f, offsetof(scenario_fitted_run, waiting_fraction), f->waiting_fraction);
    p->now_time = f->runs[0].now_time;
    for (size_t i = 1; i < f->run_count; i++)
        if (!same(f->runs[i].now_time, p->now_time))
            p->now_time = NAN;
}

static void use_fit(lua_State *L, scenario_profile *p)
{
    const scenario_fitted *f = p->application->fitted;
    const scenario_fitted_run *run = NULL;
    double *utilization = scenario_allocate(L, 1, sizeof *utilization);
    for (size_t i = 0; i < f->run_count && run == NULL; i++)
        if (p->platform != NULL && p->platform->stored &&
            strcmp(f->runs[i].platform, p->platform->name) == 0)
            run = &f->runs[i];
    if (run != NULL)
        use_run(f, run, p, utilization);
    else
        use_common(f, p, utilization);
    p->utilizations = (scenario_numbers){utilization, 1};
}

/* ---- in a row */

static clump_status need(const scenario_point *point, double value, const char *key,
                         clump_error *error)
{
    if (!isnan(value))
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT,
                      "the times that \"%.60s\" was fitted to differ in %s, and none is of this "
                      "platform: give %s, or a platform of the fit",
                      point->profile->application->name, key, key);
}

/* A processor that is alone in its node, and a node without NIC: as in the fit, unless the script
 * says otherwise. */
static void set_exceptions(const scenario_point *point, scenario_setup *setup)
{
    const double *values = point->values;
    clump_coupling *c = &setup->load.coupling;
    if (setup->node.processors == 1) {
        if (isnan(values[SCENARIO_REMOTE_FRACTION]))
            c->remote_fraction = 1;
        if (isnan(values[SCENARIO_COST_RATIO]))
            c->cost_ratio = 1;
        if (isnan(values[SCENARIO_MEMORY_PENALTY]))
            c->memory_penalty = 1;
    } else if (setup->nics == 0 && isnan(values[SCENARIO_REMOTE_FRACTION])) {
        c->remote_fraction = 0;
    }
}

static clump_status set_up_fit(const scenario_point *point, scenario_setup *setup,
                               clump_error *error)
{
    const scenario_fitted *f = point->profile->application->fitted;
    clump_load *load = &setup->load;
    set_exceptions(point, setup);
    if (point->demand.absent) {
        load->demand = f->demand.demand;
        load->gang_size = fmin(f->demand.gang_size, (double)setup->node.processors);
    }
    if (point->plan->efficiency.length == 0 && f->law.coefficient > 0) {
        setup->law = f->law;
        setup->node.efficiency = clump_efficiency_by_law(&setup->law);
    }
    clump_status status = need(point, setup->utilizations.values[0], "utilization", error);
    if (status == CLUMP_OK)
        status = need(point, load->coupling.remote_fraction, "remote_fraction", error);
    if (status == CLUMP_OK)
        status = need(point, load->coupling.cost_ratio, "cost_ratio", error);
    return status == CLUMP_OK
               ? need(point, load->coupling.waiting_fraction, "waiting_fraction", error)
               : status;
}

/* ---- rows beyond what their application was fitted to */

enum { LINE = 400 };

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

void scenario_fitted_note(scenario_fitted_rows *seen, const scenario_point *point,
                          const scenario_setup *setup)
{
    const scenario_application *a = point->profile->application;
    size_t i = 0;
    const range r = find_range(a->fitted);
    if (!is_outside(&r, &setup->node, setup->nics))
        return;
    /* The same application comes as a copy for each platform. */
    while (i < seen->count && seen->applications[i]->fitted != a->fitted)
        i++;
    if (i == SCENARIO_MOST_FITTED)
        return;
    if (i == seen->count) {
        seen->applications[seen->count++] = a;
        seen->outside[i] = 0;
    }
    seen->outside[i]++;
}

static void write_outside(const scenario_fitted_rows *seen, size_t i, char line[LINE])
{
    const scenario_application *a = seen->applications[i];
    const range r = find_range(a->fitted);
    const size_t count = seen->outside[i];
    snprintf(line, LINE,
             "application \"%.100s\" was fitted to %zu to %zu processors and %zu to %zu "
             "NICs%s; %zu row%s outside that range: expect larger errors",
             a->name, r.least_processors, r.most_processors, r.least_nics, r.most_nics,
             r.pooled && r.fixed ? ", pooled and static"
             : r.fixed           ? ", static"
             : r.pooled          ? ", pooled"
                                 : "",
             count, count == 1 ? " is" : "s are");
}

void scenario_fitted_tell(const scenario_fitted_rows *seen, const scenario_sandbox *sandbox)
{
    const clump_scenario_options *options = sandbox->options;
    const locale_t ours = uselocale(sandbox->caller_locale);
    for (size_t i = 0; options->print != NULL && i < seen->count; i++) {
        char line[LINE];
        write_outside(seen, i, line);
        options->print(line, options->context);
    }
    uselocale(ours);
}

const scenario_kind scenario_by_fit = {.profile = use_fit, .set_up = set_up_fit};
