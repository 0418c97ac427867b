/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/least_nics.h"
#include "model/constants.h"

#include "model/erlang.h"
#include "model/limit.h"
#include "model/node.h"
#include "model/root.h"

#include <math.h>

/* A question with one of its numbers open. */
typedef struct question {
    clump_node node;
    clump_load load;
    double limit, accuracy;
    size_t unit;            /* numbers of NICs are multiples of it */
    double customers, size; /* gangs and their size, for the closed form */
    double adjusted, factor;
} question;

static clump_status slowdown_with(question *q, size_t nics, double *slowdown, clump_error *error)
{
    clump_prediction prediction;
    q->node.nics = nics;
    const clump_status status = clump_predict(&q->node, &q->load, &prediction, NULL, error);
    if (status == CLUMP_OK)
        *slowdown = prediction.slowdown;
    return status;
}

/* Has X(N) a closed form that is defined for real N? */
static int is_closed(const clump_node *node, const clump_load *load)
{
    return node->mapping == CLUMP_MAPPING_POOLED && load->utilization_count == 1 &&
           (load->demand == CLUMP_DEMAND_INDEPENDENT || load->demand == CLUMP_DEMAND_GANG) &&
           load->phase_cycles == 0 && node->max_nics_per_processor == 0 &&
           node->efficiency.function == NULL && node->efficiency.table_length == 0 &&
           node->placement.slots.ports <= 1 && node->placement.slots.bandwidth == 0 &&
           !clump_memory_is_station(&node->memory) && model_node_is_near(node);
}

/* ln X - ln limit over ln N. */
static clump_status closed_form(double log_nics, double *value, void *context, clump_error *error)
{
    const question *q = context;
    double X;
    const clump_status status =
        clump_erlang_slowdown(q->customers, exp(log_nics) / q->size, q->adjusted, &X, error);
    if (status == CLUMP_OK)
        *value = log(X * q->factor / q->limit);
    return status;
}

static clump_status find_real(question *q, double *real, clump_error *error)
{
    const double P = (double)q->node.processors;
    double low, high, lowest = log(10 * CLUMP_LEAST_NICS * P), highest = log(1e12);
    q->size = q->load.demand == CLUMP_DEMAND_GANG ? q->load.gang_size : 1;
    q->customers = P / q->size;
    *real = NAN;
    clump_status status = clump_coupling_apply(&q->load.coupling, q->load.utilizations[0],
                                               &q->adjusted, &q->factor, error);
    if (status == CLUMP_OK)
        status = closed_form(lowest, &low, q, error);
    if (status == CLUMP_OK)
        status = closed_form(highest, &high, q, error);
    if (status != CLUMP_OK || !(low > 0 && high < 0))
        return status; /* any number of NICs is enough, or none */
    double root;
    status = clump_root_find(closed_form, q, lowest, highest, 0, &root, error);
    if (status == CLUMP_OK)
        *real = exp(root);
    return status;
}

/* ---- where X does not rise with N */

static double or_one(double fraction)
{
    return fraction > 0 ? fraction : 1;
}

/* Are all NICs equally near to all processors, however many there are? */
static int is_alike(const clump_node *node)
{
    const clump_placement *p = &node->placement;
    return p->domains <= 1 || or_one(p->near) == or_one(p->far);
}

static int slots_are_shared(const clump_node *node)
{
    const clump_slots *slots = &node->placement.slots;
    return slots->ports > 1 && slots->bandwidth > 0 && slots->bandwidth < (double)slots->ports;
}

static double efficiency_of(const clump_node *node, size_t active)
{
    const clump_station station = {.nics = 1, .efficiency = node->efficiency};
    return clump_station_rate(&station, active);
}

/* Does nobody get more of one NIC when one more communicates? E(q)/q does not rise. */
static int sharing_costs(const clump_node *node)
{
    const clump_efficiency *e = &node->efficiency;
    const size_t P = node->processors;
    const size_t last = e->function == NULL && e->table_length < P ? e->table_length : P;
    for (size_t q = 1; q < last; q++)
        if (efficiency_of(node, q + 1) / (double)(q + 1) > efficiency_of(node, q) / (double)q)
            return 0;
    return 1;
}

static int has_efficiency(const clump_node *node)
{
    return node->efficiency.function != NULL || node->efficiency.table_length > 0;
}

/* Where there are no whole gangs and the rate depends on q, X is interpolated between numbers of gangs,
 * which is a little too much; where N makes it constant, it is not. With memory it always is. */
static int gangs_are_exact(const clump_node *node, const clump_load *load)
{
    const double gangs = (double)node->processors / load->gang_size;
    return gangs == floor(gangs) || (node->max_nics_per_processor == 0 && !has_efficiency(node) &&
                                     !clump_memory_is_station(&node->memory));
}

/* Does X of a pool still not rise with N if its processors share memory? Equal ones, which do no less together
 * the more of them compute. */
static int memory_allows(const clump_node *node, const clump_load *load)
{
    const clump_memory *memory = &node->memory;
    if (!clump_memory_is_station(memory))
        return 1;
    for (size_t j = 1; j < memory->curve_length; j++)
        if (memory->curve[j] < memory->curve[j - 1])
            return 0;
    return load->utilization_count == 1 && node->mapping == CLUMP_MAPPING_POOLED;
}

int clump_least_nics_is_monotonic(const clump_node *node, const clump_load *load)
{
    if (!is_alike(node) || !memory_allows(node, load))
        return 0;
    if (node->mapping == CLUMP_MAPPING_POOLED)
        return load->demand != CLUMP_DEMAND_GANG || gangs_are_exact(node, load);
    return node->group_sizes == NULL && load->utilization_count == 1 && load->phase_cycles == 0 &&
           !slots_are_shared(node) &&
           (load->demand != CLUMP_DEMAND_GANG || !has_efficiency(node)) && sharing_costs(node);
}

/* ---- searching */

static int is_enough(const question *q, double slowdown)
{
    return clump_is_within(slowdown, q->limit, q->accuracy);
}

/*
 * How many numbers can be tried in a few seconds, by what a prediction takes: O(P^2) for a pool in which
 * processors are not equally near, O(P) where they are tied.
 */
static size_t affordable_tries(const clump_node *node)
{
    const double P = (double)node->processors, seconds = MODEL_SECONDS_OF_TRIES;
    const double cost = clump_memory_is_station(&node->memory) ? 1e-9 * MODEL_NS_WITH_MEMORY * P * P
                        : is_alike(node)                       ? 1e-9 * MODEL_NS_ALIKE * P
                        : node->mapping == CLUMP_MAPPING_STATIC ? 1e-9 * MODEL_NS_STATIC * P
                                                                : 1e-9 * MODEL_NS_DIFFERENT * P * P;
    return (size_t)fmin(fmax(seconds / cost, 16), (double)CLUMP_LEAST_NICS_TRIED);
}

/*
 * One after the other, since X may rise; where they are too many, in steps of a sixteenth from there on.
 *
 * @param most  the greatest; all in units
 */
static clump_status try_all(question *q, size_t most, clump_least_nics *least, clump_error *error)
{
    const size_t tries = affordable_tries(&q->node), last = most < tries ? most : tries;
    const size_t P = q->node.processors;
    least->tried = last * q->unit;
    for (size_t n = 1; n <= most; n += n < last ? 1 : n / 16 + 1) {
        double X;
        const clump_status status = slowdown_with(q, n * q->unit, &X, error);
        if (status != CLUMP_OK)
            return status;
        const int enough = is_enough(q, X);
        if (least->nics == 0)
            least->slowdown = X; /* of that number, or of the last one */
        if (least->nics == 0 && enough)
            least->nics = n * q->unit;
        if (least->nics > 0 && !enough)
            least->but_not = n * q->unit;
        const size_t reach = least->nics + MODEL_TRIED_BEYOND * q->unit;
        if (least->but_not > 0 || (least->nics > 0 && n * q->unit >= (P < reach ? P : reach)))
            return CLUMP_OK;
    }
    return CLUMP_OK;
}

/* X(low) is above the limit (low 0: taken to be), X(high) within it; in units. */
static clump_status bisect(question *q, size_t low, size_t high, clump_least_nics *least,
                           clump_error *error)
{
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        double X;
        const clump_status status = slowdown_with(q, middle * q->unit, &X, error);
        if (status != CLUMP_OK)
            return status;
        if (is_enough(q, X)) {
            high = middle;
            least->slowdown = X;
        } else {
            low = middle;
        }
    }
    least->nics = high * q->unit;
    return CLUMP_OK;
}

/* Upwards from the guess in growing steps until the limit is kept, then between the last two. */
static clump_status search(question *q, size_t guess, size_t most, clump_least_nics *least,
                           clump_error *error)
{
    size_t low = 0, n = guess, step = 1;
    least->tried = most * q->unit;
    for (;;) {
        double X;
        const clump_status status = slowdown_with(q, n * q->unit, &X, error);
        if (status != CLUMP_OK)
            return status;
        least->slowdown = X;
        if (is_enough(q, X))
            return bisect(q, low, n, least, error);
        if (n == most)
            return CLUMP_OK;
        low = n;
        n = most - n > step ? n + step : most;
        step *= 2;
    }
}

clump_status clump_least_nics_find(const clump_node *node, const clump_load *load, double limit,
                                   size_t most, clump_least_nics *least, clump_error *error)
{
    question q = {.node = *node,
                  .load = *load,
                  .limit = limit,
                  .accuracy = clump_slowdown_accuracy(node->processors, load->phase_cycles),
                  .unit = clump_least_nics_unit(node)};
    clump_least_nics found = {.real = NAN, .slowdown = NAN};
    size_t guess = 1;
    if (!(limit > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "limit: %g, expected a slowdown above 0",
                          limit);
    if (most < 1 || most > CLUMP_MAX_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "most NICs: %zu, expected 1 to %zu", most,
                          CLUMP_MAX_PROCESSORS);
    if (node->group_sizes != NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "group sizes: given for %zu NICs, expected none where the number of NICs "
                          "is open",
                          node->nics);
    const size_t units = most / q.unit > 0 ? most / q.unit : 1;
    double checked, real = NAN; /* complains of everything else that is wrong */
    clump_status status = slowdown_with(&q, q.unit, &checked, error);
    if (status == CLUMP_OK && is_closed(node, load))
        status = find_real(&q, &real, error);
    if (status != CLUMP_OK)
        return status;
    if (real > 2)
        guess = real < (double)most ? (size_t)floor(real) : most;
    /* Evenly over the domains, all are equally far: X falls again. */
    const int even = node->mapping == CLUMP_MAPPING_POOLED && q.unit > 1;
    status = even || clump_least_nics_is_monotonic(node, load)
                 ? search(&q, guess, units, &found, error)
                 : try_all(&q, units, &found, error);
    found.real = real;
    if (status == CLUMP_OK)
        *least = found;
    return status;
}

size_t clump_least_nics_unit(const clump_node *node)
{
    return !is_alike(node) && node->processors > CLUMP_LEAST_NICS_TRIED ? node->placement.domains
                                                                        : 1;
}

static clump_status excess_at(double U, double *value, void *context, clump_error *error)
{
    question *q = context;
    clump_prediction prediction;
    q->load.utilizations = &U;
    const clump_status status = clump_predict(&q->node, &q->load, &prediction, NULL, error);
    if (status == CLUMP_OK)
        *value = prediction.slowdown - q->limit * (1 + q->accuracy);
    return status;
}

clump_status clump_utilizations_within(const clump_node *node, const clump_load *load, double limit,
                                       double ends[2 * CLUMP_MOST_RANGES], size_t *count,
                                       clump_error *error)
{
    question q = {.node = *node,
                  .load = *load,
                  .limit = limit,
                  .accuracy = clump_slowdown_accuracy(node->processors, load->phase_cycles)};
    clump_root roots[CLUMP_MOST_ROOTS];
    size_t crossings, known = 0;
    double at_none;
    if (load->utilization_count != 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "utilization: %zu of them, expected one",
                          load->utilization_count);
    clump_status status = excess_at(0, &at_none, &q, error);
    if (status == CLUMP_OK)
        status = clump_roots_find(excess_at, &q, 0, 1, MODEL_UTILIZATION_STEPS, 1e-13, roots,
                                  &crossings, error);
    if (status != CLUMP_OK)
        return status;
    if (at_none <= 0)
        ends[known++] = 0;
    for (size_t i = 0; i < crossings && known < 2 * CLUMP_MOST_RANGES - 1; i++)
        if (known % 2 == 1 ? roots[i].after > 0 : roots[i].after < 0)
            ends[known++] = roots[i].x;
    if (known % 2 == 1)
        ends[known++] = 1;
    *count = known / 2;
    return CLUMP_OK;
}
