/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/compare.h"

#include "model/limit.h"
#include "model/root.h"
#include "scenarios/kind.h"
#include "scenarios/slowest_group.h"

#include <math.h>
#include <string.h>

/* ---- the basis */

/* NICs, mapping and what else belongs to a platform are its own. One that has a single processor in its
 * node is a NOW, whatever the number of processors of the other. */
static scenario_point basis_point(const scenario_point *point, const scenario_profile *profile)
{
    scenario_point other = *point;
    double *values = other.values;
    other.plan = point->plan->basis;
    other.profile = profile;
    values[SCENARIO_NICS] = values[SCENARIO_MAPPING] = NAN;
    values[SCENARIO_MEMORY_FEEDS] = NAN;
    values[SCENARIO_MEMORY_PENALTY] = values[SCENARIO_COMMUNICATION_RATIO] = NAN;
    if (values[SCENARIO_MAX_NICS] != SCENARIO_AUTOMATIC)
        values[SCENARIO_MAX_NICS] = NAN;
    if (profile->platform->processors == 1) {
        values[SCENARIO_PROCESSORS] = 1;
        values[SCENARIO_REMOTE_FRACTION] = 1;
    }
    return other;
}

clump_status scenario_basis_predict(scenario_basis *b, clump_error *error)
{
    const clump_status status = scenario_setup_make(&b->point, &b->setup, error);
    if (status != CLUMP_OK)
        return status;
    b->setup.node.watch = b->watch;
    b->c->other_node = b->setup.node;
    const clump_status predicted =
        scenario_setup_predict(&b->setup, &b->point, &b->prediction, NULL, error);
    return predicted == CLUMP_OK
               ? scenario_slowest(&b->point, b->c->rest, &b->setup, &b->prediction, error)
               : predicted;
}

static double basis_slowdown(const scenario_basis *b)
{
    return scenario_pace(&b->point, &b->setup, &b->prediction);
}

/* Where processors differ: of the mean's time on the basis' NOW all but its communication. */
static clump_status set_rest(const scenario_point *point, scenario_comparison *c, double now_time,
                             clump_error *error)
{
    scenario_setup setup;
    double communication;
    scenario_setup_make(point, &setup, NULL);
    if (!scenario_has_slowest(point, &setup))
        return CLUMP_OK;
    const clump_status status = scenario_profile_communication(&c->other, &communication, error);
    if (status == CLUMP_OK)
        c->rest = fmax(now_time - communication, 0);
    return status;
}

/* Predicted minus measured time on the basis, s, for a time on its NOW; 0 where that is rounding. */
static clump_status excess(double now_time, double *difference, void *context, clump_error *error)
{
    scenario_basis *b = context;
    scenario_comparison *c = b->c;
    clump_status status = scenario_profile_time(&c->other, now_time, c->other.computation,
                                                &c->other_utilization, error);
    if (status == CLUMP_OK)
        status = set_rest(&b->point, c, now_time, error);
    if (status == CLUMP_OK)
        status = scenario_basis_predict(b, error);
    if (status != CLUMP_OK)
        return status;
    const double accuracy =
        clump_slowdown_accuracy(b->setup.node.processors, b->setup.load.phase_cycles);
    *difference = basis_slowdown(b) * b->setup.now_time - c->other_time;
    if (fabs(*difference) <= accuracy * c->other_time)
        *difference = 0;
    return CLUMP_OK;
}

/* Times on the NOW with which the basis takes as long as was measured: one of them, c->root. More computation shortens the time
 * where NICs, or memory, do less the more processors want them, so that there can be several. It is never less than the
 * computation. */
static clump_status find_now_time(scenario_basis *b, clump_error *error)
{
    enum { GRID = 128 };
    scenario_comparison *c = b->c;
    const double given = c->other.overlaps ? NAN : c->other.computation;
    double least = 0, at_least, at_most;
    clump_root roots[CLUMP_MOST_ROOTS];
    clump_status status = scenario_profile_communication(&c->other, &least, error);
    if (status != CLUMP_OK)
        return status;
    least = fmax(least + (isnan(given) ? 0 : given), 1e-12 * c->other_time) * (1 + 1e-12);
    status = excess(least, &at_least, b, error);
    double most = least + c->other_time / fmin(b->setup.load.coupling.memory_penalty, 1);
    if (status == CLUMP_OK)
        status = excess(most, &at_most, b, error);
    for (int i = 0; i < 200 && status == CLUMP_OK && !(at_most > 0); i++)
        status = excess(most *= 2, &at_most, b, error);
    if (status == CLUMP_OK)
        status =
            clump_roots_find(excess, b, least, most, GRID, 1e-13 * most, roots, &c->roots, error);
    if (status != CLUMP_OK)
        return status;
    if (c->roots == 0)
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "on \"%.60s\" its %s takes %.4g s, more than the %.4g s measured there, and "
            "more computation does not bring it down to that",
            c->other.platform->name,
            isnan(given) ? "communication" : "communication and computation",
            at_least + c->other_time, c->other_time);
    c->other.clean_time = roots[c->root < c->roots ? c->root : 0].x;
    return excess(c->other.clean_time, &at_least, b, error);
}

/* Whether a time was measured on the basis, and with the processors, NICs and mapping that it has here. */
static bool is_measured(const scenario_basis *b)
{
    return b->setup.as_measured && !isnan(b->c->other.measured_time);
}

static clump_status find_basis(scenario_basis *b, clump_error *error)
{
    scenario_comparison *c = b->c;
    const bool raw = !c->other.has_traffic || !isnan(b->point.values[SCENARIO_UTILIZATION]);
    clump_status status = CLUMP_OK;
    if (c->other.has_traffic && c->other.utilizations.values == NULL)
        c->other.utilizations = (scenario_numbers){&c->other_utilization, 1};
    status = scenario_setup_make(&b->point, &b->setup, error);
    if (status != CLUMP_OK)
        return status;
    c->measured = is_measured(b);
    if (c->measured)
        c->other_time = c->other.measured_time;
    if (c->measured && !raw)
        return find_now_time(b, error);
    if (!raw && isnan(c->other.now_time))
        return clump_fail(
            error, CLUMP_BAD_ARGUMENT,
            "its time on \"%.60s\" is known for %zu processors and %zu NICs only, and "
            "that on a NOW is not known",
            c->other.platform->name, c->other.platform->processors, c->other.platform->nics);
    status = scenario_basis_predict(b, error);
    if (status != CLUMP_OK)
        return status;
    if (c->measured) {
        c->other.clean_time = c->other_time / basis_slowdown(b);
        return CLUMP_OK;
    }
    c->unit = isnan(c->other.clean_time);
    if (c->unit) {
        c->other.clean_time = c->other.now_time = 1;
        status = scenario_setup_make(&b->point, &b->setup, error);
    }
    c->other_time = basis_slowdown(b) * b->setup.now_time;
    return status;
}

/* ---- the platform itself */

static bool is_same(double a, double b)
{
    return !(a < b) && !(a > b);
}

static bool has_same_network(const scenario_profile *a, const scenario_profile *b)
{
    const scenario_protocol *p = &a->platform->network, *q = &b->platform->network;
    if (!p->known || !q->known)
        return p->known == q->known;
    const clump_loggp *x = &p->loggp, *y = &q->loggp;
    return is_same(x->latency_us, y->latency_us) &&
           is_same(x->send_overhead_us, y->send_overhead_us) &&
           is_same(x->receive_overhead_us, y->receive_overhead_us) &&
           is_same(x->gap_us, y->gap_us) && is_same(x->gap_us_per_byte, y->gap_us_per_byte) &&
           a->platform->half_duplex == b->platform->half_duplex;
}

/* Communication with the NICs of the platform over that with those of the basis. */
static clump_status find_ratio(const scenario_comparison *c, double given, double *ratio,
                               clump_error *error)
{
    *ratio = 1;
    if (!isnan(given)) {
        *ratio = given;
        return CLUMP_OK;
    }
    if (c->other.has_traffic) {
        double own, others;
        clump_status status = scenario_profile_communication(&c->profile, &own, error);
        if (status == CLUMP_OK)
            status = scenario_profile_communication(&c->other, &others, error);
        if (status == CLUMP_OK && others > 0)
            *ratio = own / others;
        return status;
    }
    if (has_same_network(&c->profile, &c->other))
        return CLUMP_OK;
    return clump_fail(
        error, CLUMP_BAD_ARGUMENT,
        "the networks differ, and a utilization does not say what communication costs "
        "on the other one: give communication_ratio, or the traffic");
}

/* Utilization, and what else is known as shares of the time on the basis' NOW. The time that is not
 * communication stays, and so does communication within the node. */
static clump_status scale_utilization(scenario_comparison *c, double ratio, clump_error *error)
{
    double *values = c->point.values;
    const bool given = !isnan(values[SCENARIO_UTILIZATION]);
    const scenario_numbers own = c->other.utilizations;
    const double U = given ? values[SCENARIO_UTILIZATION] : own.values != NULL ? own.values[0] : 0;
    const bool many = scenario_plan_mix(c->point.plan, &c->other).count > 1;
    c->profile.utilizations = own;
    if (is_same(ratio, 1)) {
        c->profile.now_time = c->profile.clean_time = c->other.clean_time;
        return CLUMP_OK;
    }
    if (many || (c->profile.application != NULL && c->profile.application->phase_count > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "communication_ratio: expected one utilization with it, not one for each "
                          "%s",
                          many ? "processor" : "phase");
    const double stretch = 1 - U + ratio * U;
    c->utilization = ratio * U / stretch;
    c->profile.utilizations = (scenario_numbers){&c->utilization, 1};
    if (given)
        values[SCENARIO_UTILIZATION] = c->utilization;
    c->profile.now_time = c->profile.clean_time = c->other.clean_time * stretch;
    c->profile.cost_ratio /= ratio;
    values[SCENARIO_COST_RATIO] /= ratio;
    return CLUMP_OK;
}

/* From traffic: the rest of the time stays, in seconds. */
static clump_status exchange_traffic(scenario_comparison *c, clump_error *error)
{
    double before, now;
    clump_status status = scenario_profile_communication(&c->other, &before, error);
    if (status == CLUMP_OK)
        status = scenario_profile_communication(&c->profile, &now, error);
    if (status != CLUMP_OK)
        return status;
    c->ratio = before > 0 ? now / before : 1;
    const double rest = fmax(c->other.clean_time - before, 0);
    const double given = c->profile.computation;
    const bool waits = !isnan(given) && given < rest; /* for others: not all of it is computation */
    return scenario_profile_time(&c->profile, rest > 0 || now > 0 ? now + rest : NAN,
                                 waits ? given : NAN, &c->utilization, error);
}

/* A time on the NOW is that of its slowest processor; what is computed with from here on is that of the mean. */
static clump_status use_slowest(const scenario_point *point, scenario_comparison *c,
                                clump_error *error)
{
    scenario_setup setup;
    double rest, communication;
    scenario_setup_make(point, &setup, NULL);
    if (!scenario_has_slowest(point, &setup) || isnan(c->other.clean_time))
        return CLUMP_OK;
    clump_status status = scenario_slowest_rest(point, &setup, &rest, error);
    if (status == CLUMP_OK)
        status = scenario_profile_communication(&c->other, &communication, error);
    if (status != CLUMP_OK)
        return status;
    c->rest = rest;
    c->other.clean_time = rest + communication;
    return scenario_profile_time(&c->other, c->other.clean_time, c->other.computation,
                                 &c->other_utilization, error);
}

void scenario_compare_both(const scenario_basis *b, const scenario_setup *setup)
{
    scenario_comparison *c = b->c;
    c->both = true;
    c->other_slowdown = basis_slowdown(b);
    c->other_time = c->other_slowdown * b->setup.now_time;
    c->basis_utilization = b->setup.utilization;
    c->measured = is_measured(b);
    const double own = setup->utilization * setup->now_time,
                 others = b->setup.utilization * b->setup.now_time;
    c->ratio = others > 0 ? own / others : 1;
}

/* The basis of a point that is compared, and the point itself on its own NOW. */
static clump_status compare_platforms(const scenario_point *point, const clump_watch *watch,
                                      size_t root, scenario_comparison *c, clump_error *error)
{
    *c = (scenario_comparison){.profile = *point->profile,
                               .other = *point->profile->other,
                               .rest = NAN,
                               .root = root,
                               .roots = 1};
    c->point = *point;
    c->point.profile = &c->profile;
    if (c->profile.platform->processors == 1 && isnan(point->values[SCENARIO_PROCESSORS]))
        c->point.values[SCENARIO_REMOTE_FRACTION] = 1;
    if (c->profile.invalid != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "%s", c->profile.invalid);
    scenario_basis b = {.c = c, .point = basis_point(point, &c->other), .watch = watch};
    if (c->profile.application != NULL && c->profile.application->kind->compare != NULL)
        return c->profile.application->kind->compare(point, &b, error);
    clump_status status = use_slowest(&b.point, c, error);
    if (status == CLUMP_OK)
        status = find_basis(&b, error);
    if (status != CLUMP_OK)
        return status;
    c->other_slowdown = basis_slowdown(&b);
    c->basis_utilization = b.setup.phased != NULL || b.setup.utilizations.count > 1
                               ? CLUMP_RESULT_NONE
                               : b.setup.utilization;
    if (c->other.has_traffic && isnan(point->values[SCENARIO_UTILIZATION]))
        return exchange_traffic(c, error);
    status = find_ratio(c, point->values[SCENARIO_COMMUNICATION_RATIO], &c->ratio, error);
    return status == CLUMP_OK ? scale_utilization(c, c->ratio, error) : status;
}

clump_status scenario_compare_set_up(const scenario_point *point, const clump_watch *watch,
                                     size_t root, scenario_comparison *comparison,
                                     scenario_setup *setup, clump_error *error)
{
    const clump_status status = compare_platforms(point, watch, root, comparison, error);
    if (status == CLUMP_OK)
        return scenario_setup_make(&comparison->point, setup, error);
    scenario_setup_make(point, setup, NULL);
    return status;
}

/* A platform that is compared with itself has nothing to predict. */
static bool is_basis(const scenario_comparison *c)
{
    const char *a = c->profile.platform->name, *b = c->other.platform->name;
    return c->measured && a != NULL && b != NULL && strcmp(a, b) == 0;
}

/* Whatever its names are: there is nothing to be wrong about. */
static bool is_same_machine(const scenario_comparison *c, const scenario_setup *setup, double ratio)
{
    const clump_node *a = &setup->node, *b = &c->other_node;
    return fabs(ratio - 1) <= 1e-9 && a->processors == b->processors && a->nics == b->nics &&
           a->mapping == b->mapping &&
           is_same(a->max_nics_per_processor, b->max_nics_per_processor) &&
           has_same_network(&c->profile, &c->other);
}

void scenario_compare_row(const scenario_comparison *c, const scenario_setup *setup,
                          clump_result *row)
{
    const double measured = c->profile.measured_time;
    row->compared_with =
        c->other.platform->name != NULL ? c->other.platform->name : "another platform";
    row->compared_utilization = c->basis_utilization;
    row->communication_ratio = c->ratio;
    row->compared_slowdown = c->other_slowdown;
    row->compared_time = c->unit ? CLUMP_RESULT_NONE : c->other_time;
    row->ratio = row->predicted_time / c->other_time;
    row->beside_itself = is_same_machine(c, setup, row->ratio);
    if (row->beside_itself) /* 1 is no matter of rounding */
        row->ratio = 1;
    if (c->both && c->measured) { /* only the ratio is predicted */
        row->compared_time = c->other.measured_time;
        row->predicted_time = row->ratio * row->compared_time;
        row->now_time *= row->compared_time / c->other_time;
    }
    row->measured_slowdown = row->measured_half_width = row->error = CLUMP_RESULT_NONE;
    if (c->unit)
        row->now_time = row->predicted_time = CLUMP_RESULT_NONE;
    if (!setup->as_measured || isnan(measured) || row->processor > 0 || is_basis(c))
        return;
    row->measured_time = measured;
    if (c->measured) {
        row->measured_ratio = measured / row->compared_time;
        row->error = row->ratio / row->measured_ratio - 1;
    } else if (!c->unit) {
        row->error = row->predicted_time / measured - 1;
    }
}
