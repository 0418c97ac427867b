/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/least_nics.h"

#include "model/erlang.h"
#include "model/node.h"
#include "model/root.h"

#include <math.h>

/* A question with one of its numbers open. */
typedef struct question {
    clump_node node;
    clump_load load;
    double limit;
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
           model_node_is_near(node);
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

/* Not monotonic: try all. */
static clump_status scan(question *q, size_t most, clump_least_nics *least, clump_error *error)
{
    for (size_t n = 1; n <= most; n++) {
        const clump_status status = slowdown_with(q, n, &least->slowdown, error);
        if (status != CLUMP_OK)
            return status;
        if (least->slowdown <= q->limit) {
            least->nics = n;
            return CLUMP_OK;
        }
    }
    return CLUMP_OK;
}

/* X(low) is above the limit (low 0: taken to be), X(high) within it. */
static clump_status bisect(question *q, size_t low, size_t high, clump_least_nics *least,
                           clump_error *error)
{
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        double X;
        const clump_status status = slowdown_with(q, middle, &X, error);
        if (status != CLUMP_OK)
            return status;
        if (X <= q->limit) {
            high = middle;
            least->slowdown = X;
        } else {
            low = middle;
        }
    }
    least->nics = high;
    return CLUMP_OK;
}

/* Upwards from the guess in growing steps until the limit is kept, then between the last two. */
static clump_status search(question *q, size_t guess, size_t most, clump_least_nics *least,
                           clump_error *error)
{
    size_t low = 0, n = guess, step = 1;
    for (;;) {
        double X;
        const clump_status status = slowdown_with(q, n, &X, error);
        if (status != CLUMP_OK)
            return status;
        least->slowdown = X;
        if (X <= q->limit)
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
    question q = {.node = *node, .load = *load, .limit = limit};
    clump_least_nics found = {0, NAN, NAN};
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
    double checked; /* complains of everything else that is wrong */
    clump_status status = slowdown_with(&q, 1, &checked, error);
    if (status == CLUMP_OK && is_closed(node, load))
        status = find_real(&q, &found.real, error);
    if (status != CLUMP_OK)
        return status;
    if (found.real > 2)
        guess = found.real < (double)most ? (size_t)floor(found.real) : most;
    status = model_node_is_near(node) ? search(&q, guess, most, &found, error)
                                      : scan(&q, most, &found, error);
    if (status == CLUMP_OK)
        *least = found;
    return status;
}

static clump_status excess_at(double U, double *value, void *context, clump_error *error)
{
    question *q = context;
    clump_prediction prediction;
    q->load.utilizations = &U;
    const clump_status status = clump_predict(&q->node, &q->load, &prediction, NULL, error);
    if (status == CLUMP_OK)
        *value = prediction.slowdown - q->limit;
    return status;
}

clump_status clump_highest_utilization(const clump_node *node, const clump_load *load, double limit,
                                       double from, double *highest, clump_error *error)
{
    enum { STEPS = 128 }; /* X has one minimum in U, and is smooth */
    question q = {.node = *node, .load = *load, .limit = limit};
    if (load->utilization_count != 1 || !(from >= 0 && from <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "utilization: %zu of them from %g, expected one, 0 to 1",
                          load->utilization_count, from);
    double below = from, excess;
    clump_status status = excess_at(from, &excess, &q, error);
    if (status == CLUMP_OK && excess > 0)
        status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                            "limit: the slowdown is %g already, expected at most %g",
                            excess + limit, limit);
    for (int i = 1; i <= STEPS && status == CLUMP_OK; i++) {
        const double U = i < STEPS ? from + (1 - from) * i / STEPS : 1;
        status = excess_at(U, &excess, &q, error);
        if (status == CLUMP_OK && excess > 0)
            return clump_root_find(excess_at, &q, below, U, 1e-13, highest, error);
        below = U;
    }
    if (status == CLUMP_OK)
        *highest = 1;
    return status;
}
