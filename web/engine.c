/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine as a page sees it: numbers in, numbers out. Compiled to WebAssembly (web/build.sh), it
 * becomes web/engine.wasm, which every page carries.
 *
 * A WebAssembly function takes numbers only. So the answer stays here until the next question; a
 * page asks one question at a time.
 */
#include "model/prediction.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { SLOWDOWN, SLOWEST, ADJUSTED_UTILIZATION, MEAN_ACTIVE, NIC_UTILIZATION, ANSWER_COUNT };

static double answer[ANSWER_COUNT];
static clump_error error;

const double *EXPORT(clump_page_answer)(void);
const char *EXPORT(clump_page_message)(void);
int EXPORT(clump_page_predict)(double processors, double nics, double utilization, double demand,
                               double gang_size, double mapping, double max_nics_per_processor,
                               double remote_fraction, double cost_ratio, double waiting_fraction,
                               double memory_penalty, double phase_cycles, double memory_share,
                               double memory_feeds, double memory_law);

/** The numbers of the last answer: X, the slowest processor's, U_adj, active processors, and the
 *  share of the NICs' capacity in use. */
const double *clump_page_answer(void)
{
    return answer;
}

/** Why the last question has no answer; ends with NUL. */
const char *clump_page_message(void)
{
    return error.message;
}

static int is_count(double value)
{
    return value >= 1 && value <= (double)CLUMP_MAX_PROCESSORS;
}

/**
 * One question; `demand` and `mapping` as clump_demand and clump_mapping number them, the rest as
 * clump_node, clump_load, clump_coupling and clump_memory have it; memory_share is 0 where memory is no
 * station. Cost: O(P), with memory O(P^1.5), or O(P^2) in a static mapping.
 *
 * @return 0, or another clump_status; then there is a message, and the answer is the one before
 */
int clump_page_predict(double processors, double nics, double utilization, double demand,
                       double gang_size, double mapping, double max_nics_per_processor,
                       double remote_fraction, double cost_ratio, double waiting_fraction,
                       double memory_penalty, double phase_cycles, double memory_share,
                       double memory_feeds, double memory_law)
{
    clump_prediction prediction;
    if (!is_count(processors) || !is_count(nics))
        return clump_fail(&error, CLUMP_BAD_ARGUMENT,
                          "processors and NICs: expected whole numbers, at least 1");
    if (!(demand >= CLUMP_DEMAND_INDEPENDENT && demand <= CLUMP_DEMAND_GANG) ||
        !(mapping >= CLUMP_MAPPING_POOLED && mapping <= CLUMP_MAPPING_STATIC))
        return clump_fail(&error, CLUMP_BAD_ARGUMENT, "demand or mapping: not a kind of these");
    if (!(memory_law >= CLUMP_MEMORY_QUEUE && memory_law <= CLUMP_MEMORY_ROOFLINE))
        return clump_fail(&error, CLUMP_BAD_ARGUMENT, "law of memory: not one of these");
    const clump_node node = {.processors = (size_t)processors,
                             .nics = (size_t)nics,
                             .mapping = (clump_mapping)mapping,
                             .max_nics_per_processor = max_nics_per_processor,
                             .memory = {.share = memory_share,
                                        .feeds = memory_feeds,
                                        .law = (clump_memory_law)memory_law}};
    const clump_load load = {.utilizations = &utilization,
                             .utilization_count = 1,
                             .demand = (clump_demand)demand,
                             .gang_size = gang_size,
                             .coupling = {.remote_fraction = remote_fraction,
                                          .cost_ratio = cost_ratio,
                                          .waiting_fraction = waiting_fraction,
                                          .memory_penalty = memory_penalty},
                             .phase_cycles = phase_cycles};
    const clump_status status = clump_predict(&node, &load, &prediction, NULL, &error);
    if (status != CLUMP_OK)
        return status;
    answer[SLOWDOWN] = prediction.slowdown;
    answer[SLOWEST] = prediction.slowest;
    answer[ADJUSTED_UTILIZATION] = prediction.adjusted_utilization;
    answer[MEAN_ACTIVE] = prediction.mean_active;
    answer[NIC_UTILIZATION] = prediction.nic_utilization;
    return CLUMP_OK;
}
