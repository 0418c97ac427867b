/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program asks for, checked, and who sends to whom. */
#include "model/simulation/message_setup.h"

#include <math.h>
#include <stdlib.h>

static const double most_messages = 1e12, most_bytes = 1e15, most_time = 1e15;

static clump_status check_range(const char *name, double value, double least, double most,
                                clump_error *error)
{
    if (value >= least && value <= most)
        return CLUMP_OK;
    return clump_fail(error, CLUMP_BAD_ARGUMENT, "program: %s is %g, expected %g to %g", name,
                      value, least, most);
}

static clump_status check_program(const clump_program *p, clump_error *error)
{
    const struct {
        const char *name;
        double value, least, most;
    } ranges[] = {
        {"remote share", p->remote_share, 0, 1},
        {"messages", p->messages, 0, most_messages},
        {"bulk share", p->bulk_share, 0, 1},
        {"bulk bytes", p->bulk_share > 0 ? p->bulk_bytes : 1, 1, most_bytes},
        {"reply share", p->reply_share, 0, 1},
        {"blocking share", p->blocking_share, 0, 1},
        {"computation", p->computation_us, 0, most_time},
        {"poll interval", p->poll_us, 0, most_time},
        {"phases", p->phases, 1, most_messages},
        {"burst", p->burst, 1, most_messages},
        {"messages in a row", p->run, 0, most_messages},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        const clump_status status =
            check_range(ranges[i].name, ranges[i].value, ranges[i].least, ranges[i].most, error);
        if (status != CLUMP_OK)
            return status;
    }
    if (p->pattern < CLUMP_PATTERN_UNIFORM || p->pattern > CLUMP_PATTERN_MATRIX)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "program: %d is not a pattern",
                          (int)p->pattern);
    const clump_status status =
        clump_service_time_check(&p->computation_times, "computation times", error);
    return status != CLUMP_OK || !p->sizes_vary
               ? status
               : clump_service_time_check(&p->bulk_sizes, "sizes of messages", error);
}

static bool is_between(double share)
{
    return share > 0 && share < 1;
}

static bool is_random(const clump_program *p)
{
    const bool draws = p->pattern == CLUMP_PATTERN_UNIFORM || p->pattern == CLUMP_PATTERN_MATRIX;
    const bool sizes = p->sizes_vary && p->bulk_share > 0 && p->bulk_bytes > 1 &&
                       p->bulk_sizes.kind != CLUMP_SERVICE_CONSTANT;
    return draws || sizes || p->imbalance != NULL || is_between(p->bulk_share) ||
           is_between(p->reply_share) || is_between(p->blocking_share) ||
           p->messages != floor(p->messages) ||
           (p->computation_us > 0 && p->computation_times.kind != CLUMP_SERVICE_CONSTANT);
}

static clump_status sum_imbalance(message_setup *setup, clump_error *error)
{
    const double *work = setup->program->imbalance;
    double sum = 0;
    for (size_t i = 0; work != NULL && i < setup->node_size; i++) {
        if (!(work[i] >= 0 && work[i] <= 1e9))
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "program: processor %zu has %g of the work of others, expected 0 to "
                              "1e9",
                              i + 1, work[i]);
        sum += work[i];
    }
    if (work != NULL && !(sum > 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "program: no processor of a node has work, expected one at least");
    setup->work_factor = work != NULL ? (double)setup->node_size / sum : 1;
    return CLUMP_OK;
}

static clump_status sum_rows(message_setup *setup, clump_error *error)
{
    const size_t R = setup->ranks;
    const double *matrix = setup->program->matrix;
    if (matrix == NULL)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "program: a pattern by matrix without one");
    if (R > 16384)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "program: a matrix for %zu ranks, expected 16384 at most", R);
    setup->cumulative = malloc(R * R * sizeof *setup->cumulative);
    if (setup->cumulative == NULL)
        return clump_fail_memory(error, "the matrix");
    for (size_t i = 0; i < R; i++) {
        double sum = 0;
        for (size_t j = 0; j < R; j++) {
            const double weight = matrix[i * R + j];
            if (!(weight >= 0 && weight <= 1e100))
                return clump_fail(error, CLUMP_BAD_ARGUMENT,
                                  "program: weight %g from rank %zu to rank %zu, expected 0 to "
                                  "1e100",
                                  weight, i, j);
            sum += i == j ? 0 : weight;
            setup->cumulative[i * R + j] = sum;
        }
    }
    return CLUMP_OK;
}

clump_status message_setup_make(message_setup *setup, const clump_program *program,
                                const clump_cluster *machine, clump_error *error)
{
    *setup = (message_setup){.program = program,
                             .ranks = machine->nodes * machine->node.processors,
                             .node_size = program->node_size > 0 ? program->node_size
                                                                 : machine->node.processors};
    clump_status status = check_program(program, error);
    if (status == CLUMP_OK)
        status = sum_imbalance(setup, error);
    if (status == CLUMP_OK && program->pattern == CLUMP_PATTERN_MATRIX)
        status = sum_rows(setup, error);
    if (status != CLUMP_OK)
        return status;
    simulation_ziggurat_make(&setup->ziggurat);
    simulation_sampler_make(&setup->computation, &program->computation_times, &setup->ziggurat);
    simulation_sampler_make(&setup->sizes, &program->bulk_sizes, &setup->ziggurat);
    setup->random = is_random(program);
    return CLUMP_OK;
}

void message_setup_release(message_setup *setup)
{
    free(setup->cumulative);
    setup->cumulative = NULL;
}

double message_setup_work(const message_setup *setup, uint32_t rank)
{
    const double *work = setup->program->imbalance;
    return work != NULL ? work[rank % setup->node_size] * setup->work_factor : 1;
}

uint32_t message_setup_leader(const message_setup *setup, uint32_t rank)
{
    const size_t within = rank % setup->node_size;
    return (uint32_t)(rank - within % setup->program->together);
}

bool message_setup_sends(const message_setup *setup, uint32_t rank)
{
    const size_t R = setup->ranks;
    if (R < 2)
        return false;
    if (setup->program->pattern == CLUMP_PATTERN_MANY_TO_ONE)
        return rank != 0;
    return setup->program->pattern != CLUMP_PATTERN_MATRIX ||
           setup->cumulative[(size_t)rank * R + R - 1] > 0;
}

/* The first rank at which the sum of the weights is above `x`. */
static uint32_t by_weight(const double *cumulative, size_t count, double x)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (cumulative[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return (uint32_t)low;
}

static uint32_t uniform_target(const message_setup *setup, uint32_t rank, simulation_random *random)
{
    const clump_program *p = setup->program;
    const size_t R = setup->ranks, node = setup->node_size;
    const size_t first = rank / node * node, last = first + node < R ? first + node : R;
    const size_t inside = last - first - 1, outside = R - (last - first);
    bool remote = p->remote_share >= 1 ||
                  (p->remote_share > 0 && simulation_random_uniform(random) < p->remote_share);
    remote = (remote && outside > 0) || inside == 0;
    size_t target;
    if (remote) {
        target = simulation_random_below(random, outside);
        target += target >= first ? last - first : 0;
    } else {
        target = first + simulation_random_below(random, inside);
        target += target >= rank;
    }
    return (uint32_t)target;
}

uint32_t message_setup_target(const message_setup *setup, uint32_t rank, uint64_t number,
                              simulation_random *random)
{
    const size_t R = setup->ranks;
    if (setup->program->run > 1)
        number = (uint64_t)((double)number / setup->program->run);
    switch (setup->program->pattern) {
    case CLUMP_PATTERN_ALL_TO_ALL:
        return (uint32_t)((rank + 1 + number % (R - 1)) % R);
    case CLUMP_PATTERN_NEIGHBOURS:
        return (uint32_t)((rank + (number % 2 == 0 ? 1 : R - 1)) % R);
    case CLUMP_PATTERN_MANY_TO_ONE:
        return 0;
    case CLUMP_PATTERN_MATRIX: {
        const double *row = setup->cumulative + (size_t)rank * R;
        return by_weight(row, R, simulation_random_uniform(random) * row[R - 1]);
    }
    default:
        return uniform_target(setup, rank, random);
    }
}
