/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/stored.h"
#include "scenarios/uneven.h"

#include "data/store/related.h"
#include "data/store/repeated.h"
#include "model/workload/answering.h"
#include "model/workload/scaled_traffic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- traffic and times of a run */

/* The mean over the processors; false if the store has none. */
static bool find_mean(lua_State *L, const char *application, const char *platform,
                      const char *transport, const char *quantity, double *value)
{
    static const char *const statistics[] = {"mean", "single"};
    for (size_t i = 0; i < 2; i++) {
        const clump_store_filter filter = {.platform = platform,
                                           .application = application,
                                           .transport = transport,
                                           .quantity = quantity,
                                           .statistic = statistics[i]};
        clump_store_measurement measured;
        const clump_store_status status = scenario_store_value(L, &filter, NULL, &measured);
        if (status == CLUMP_STORE_OK) {
            /* Only an interval: a deviation is that of processors, not of their mean. */
            *value = scenario_draw_measured(L, measured.value, measured.half_width,
                                            "%.50s %.50s %.20s %.30s", platform, application,
                                            transport, quantity);
            return true;
        }
        if (status != CLUMP_STORE_NOT_FOUND)
            scenario_store_fail(L, status, "application");
    }
    return false;
}

static bool find_traffic(lua_State *L, const char *application, const char *platform,
                         const char *transport, clump_traffic *traffic)
{
    double size = 0;
    *traffic = (clump_traffic){0, 0, 0};
    const bool some =
        find_mean(L, application, platform, transport, "short_messages", &traffic->short_messages);
    const bool bulk =
        find_mean(L, application, platform, transport, "bulk_messages", &traffic->bulk_messages);
    if (traffic->bulk_messages > 0) {
        if (!find_mean(L, application, platform, transport, "bulk_message_size", &size))
            scenario_store_fail(L, CLUMP_STORE_NOT_FOUND, "application");
        traffic->bulk_bytes = traffic->bulk_messages * size;
    }
    return some || bulk;
}

bool scenario_stored_traffic(lua_State *L, const char *application, const char *platform,
                             clump_traffic *remote, clump_traffic *local)
{
    const bool has_local = find_traffic(L, application, platform, "shared-memory", local);
    const bool has_remote = find_traffic(L, application, platform, "network", remote);
    return has_local || has_remote;
}

typedef struct times {
    char variant[80];
    clump_store_repeated single;
} times;

static int take_time(const clump_store_sample *sample, void *context)
{
    times *t = context;
    if (t->single.count == 0)
        snprintf(t->variant, sizeof t->variant, "%s", sample->variant);
    if (strcmp(sample->variant, t->variant) == 0)
        clump_store_repeated_add(&t->single, &sample->measured);
    return 0;
}

/* Of single times the mean counts, as where predictions are validated. */
static clump_store_status find_single_times(lua_State *L, const clump_store_filter *filter,
                                            clump_store_measurement *measured)
{
    scenario_answer *a = scenario_answer_to(L, filter);
    if (!a->known) {
        clump_store_filter wanted = *filter;
        times t = {.single = {.count = 0}};
        wanted.variant = CLUMP_STORE_PREFERRED_VARIANT;
        wanted.sure = true;
        a->status = clump_store_each_sample(scenario_store_of(L), &wanted, take_time, &t);
        if (a->status == CLUMP_STORE_NOT_FOUND ||
            (a->status == CLUMP_STORE_OK && t.single.count == 0)) {
            wanted.variant = NULL;
            a->status = clump_store_each_sample(scenario_store_of(L), &wanted, take_time, &t);
        }
        if (a->status == CLUMP_STORE_FAILED)
            scenario_store_fail(L, a->status, "store");
        if (a->status == CLUMP_STORE_OK && t.single.count == 0)
            a->status = CLUMP_STORE_NOT_FOUND;
        a->measured = (clump_store_measurement){.std_dev = NAN};
        a->measured.value = clump_store_repeated_mean(&t.single, &a->measured.half_width);
        a->known = a->status == CLUMP_STORE_OK || a->status == CLUMP_STORE_NOT_FOUND;
    }
    *measured = a->measured;
    return a->status;
}

bool scenario_stored_time(lua_State *L, const char *application, const char *platform, double *time,
                          double *half_width)
{
    clump_store_filter filter = {.platform = platform,
                                 .application = application,
                                 .quantity = "execution_time",
                                 .statistic = "mean"};
    clump_store_measurement measured;
    clump_store_status status = scenario_store_value(L, &filter, NULL, &measured);
    if (status == CLUMP_STORE_NOT_FOUND) {
        filter.statistic = "single";
        status = find_single_times(L, &filter, &measured);
    }
    if (status == CLUMP_STORE_BAD_INPUT)
        scenario_store_fail(L, status, "application");
    if (status != CLUMP_STORE_OK || !(measured.value > 0))
        return false;
    *half_width = scenario_half_width(&measured);
    *time = scenario_draw_measured(L, measured.value, *half_width, "%.80s %.60s", platform,
                                   application);
    return true;
}

const scenario_uneven *scenario_stored_uneven(lua_State *L, const char *application,
                                              const scenario_platform *p,
                                              const clump_traffic *remote,
                                              const clump_traffic *local)
{
    const clump_traffic *const traffic[] = {remote, local};
    clump_store_filter filter = {.platform = p->name,
                                 .application = application,
                                 .transport = "network",
                                 .quantity = "short_messages",
                                 .statistic = "min"};
    const double mean = remote->short_messages;
    double least, greatest;
    bool known = scenario_store_number(L, &filter, &least);
    filter.statistic = "max";
    known = known && scenario_store_number(L, &filter, &greatest);
    if (!known || !(least <= mean && mean <= greatest))
        return NULL;
    scenario_uneven *u = scenario_allocate(L, 1, sizeof *u);
    *u = (scenario_uneven){.processors = p->nodes * p->processors};
    for (size_t i = 0; i < 2; i++) {
        const double means[] = {traffic[i]->short_messages, traffic[i]->bulk_messages,
                                traffic[i]->bulk_bytes};
        for (size_t k = 0; k < 3; k++)
            (i == 0 ? u->remote : u->local)[k].of =
                (clump_spread){.mean = means[k], .least = NAN, .greatest = NAN};
    }
    u->remote[0].of =
        (clump_spread){.mean = mean, .deviation = NAN, .least = least, .greatest = greatest};
    return u;
}

/* ---- traffic of a run that was not counted, from others that were */

/* Runs that the store names, of which the samples of `quantity` say so. */
static size_t find_related(lua_State *L, const char *application, const char *quantity,
                           clump_store_related runs[CLUMP_STORE_RELATED_MOST])
{
    size_t count = 0;
    const clump_store_status status =
        clump_store_find_related(scenario_store_of(L), application, quantity, runs, &count);
    if (status == CLUMP_STORE_FAILED)
        scenario_store_fail(L, status, "store");
    return status == CLUMP_STORE_OK ? count : 0;
}

/* Another platform of the same machine: a run is not predicted from itself. */
static bool is_relative(lua_State *L, const char *relative, const char *platform)
{
    bool same = false;
    if (strcmp(relative, platform) == 0)
        return false;
    clump_store *store = scenario_store_of(L);
    clump_store_platform *one = NULL, *other = NULL;
    clump_store_status status = clump_store_find_platform(store, relative, &one);
    if (status == CLUMP_STORE_OK)
        status = clump_store_find_platform(store, platform, &other);
    if (status == CLUMP_STORE_OK)
        status = clump_store_same_machine(store, one, other, &same);
    clump_store_free(one);
    clump_store_free(other);
    if (status != CLUMP_STORE_OK)
        scenario_store_fail(L, status, "platform");
    return same;
}

static bool has_property(lua_State *L, const char *application, const char *quantity)
{
    const clump_store_filter filter = {
        .platform = "", .application = application, .quantity = quantity};
    double value;
    return scenario_store_number(L, &filter, &value) && value > 0;
}

static bool read_counted(lua_State *L, const clump_store_related *run, clump_counted_traffic *found)
{
    if (!scenario_stored_traffic(L, run->application, run->platform, &found->remote, &found->local))
        return false;
    clump_store_platform *record = scenario_store_platform(L, run->platform);
    found->processors = (double)record->nodes * (double)record->processors;
    clump_store_free(record);
    return true;
}

/* Of the shape that a run of another input has: in proportion to the times on both NOWs. */
static bool find_proportional(lua_State *L, const char *application, const scenario_platform *p,
                              const clump_store_related *run, clump_traffic *remote,
                              clump_traffic *local)
{
    clump_counted_traffic there;
    double now, now_there, half_width;
    char counterpart[CLUMP_STORE_RELATED_NAME] = "";
    if (p->counterpart == NULL || !read_counted(L, run, &there))
        return false;
    clump_store_platform *record = scenario_store_platform(L, run->platform);
    if (record->counterpart != NULL)
        snprintf(counterpart, sizeof counterpart, "%s", record->counterpart);
    clump_store_free(record);
    if (counterpart[0] == '\0' ||
        !scenario_stored_time(L, run->application, counterpart, &now_there, &half_width) ||
        !scenario_stored_time(L, application, p->counterpart, &now, &half_width))
        return false;
    *remote = clump_traffic_times(there.remote, now / now_there);
    *local = clump_traffic_times(there.local, now / now_there);
    return true;
}

bool scenario_stored_scaled_traffic(lua_State *L, const char *application,
                                    const scenario_platform *p, clump_traffic *remote,
                                    clump_traffic *local)
{
    clump_store_related runs[CLUMP_STORE_RELATED_MOST];
    clump_counted_traffic fewest = {.processors = 0}, most = {.processors = 0}, one;
    size_t count = find_related(L, application, "traffic_per_time_from", runs);
    if (count > 0)
        return find_proportional(L, application, p, &runs[0], remote, local);
    count = find_related(L, application, "traffic_from", runs);
    for (size_t i = 0; i < count; i++) {
        if (!is_relative(L, runs[i].platform, p->name) || !read_counted(L, &runs[i], &one))
            continue;
        if (most.processors == 0 || one.processors > most.processors)
            most = one;
        if (fewest.processors == 0 || one.processors < fewest.processors)
            fewest = one;
    }
    if (most.processors == 0)
        return false;
    const clump_scaled_nodes wanted = {(double)p->nodes, (double)p->processors,
                                       has_property(L, application, "all_to_all_exchange"),
                                       has_property(L, application, "fixed_problem")};
    clump_traffic_scale(&fewest, &most, &wanted, remote, local);
    return true;
}

/* ---- what a program computes, from a run in one node */

/* The first run that the store names, of one node of the same machine, but not this run itself. */
static scenario_computation_source find_source(lua_State *L, const char *application,
                                               const scenario_platform *p)
{
    clump_store_related runs[CLUMP_STORE_RELATED_MOST];
    const size_t count = find_related(L, application, "computation_from", runs);
    for (size_t i = 0; i < count; i++) {
        if (!is_relative(L, runs[i].platform, p->name))
            continue;
        clump_store_platform *node = scenario_store_platform(L, runs[i].platform);
        const bool one = node->nodes == 1;
        const double processors = (double)node->processors;
        clump_store_free(node);
        if (!one)
            break;
        scenario_computation_source found = {.share = 1};
        strcpy(found.platform, runs[i].platform);
        strcpy(found.application, runs[i].application);
        if (has_property(L, application, "fixed_problem"))
            found.share = processors / ((double)p->nodes * (double)p->processors);
        return found;
    }
    return (scenario_computation_source){.platform = ""};
}

double scenario_stored_computation(lua_State *L, const scenario_application *a,
                                   const scenario_platform *p)
{
    const clump_store_filter filter = {
        .platform = p->name, .application = a->name, .quantity = "computation_time"};
    scenario_platform node = *p;
    clump_traffic remote, local = {0, 0, 0};
    double time, half_width, share = 1, cost = 0, penalty = 1;
    if (!scenario_store_number(L, &filter, &time)) {
        scenario_answer *answer = scenario_answer_of(L, "computation", a->name, p->name);
        if (!answer->known)
            answer->computation = find_source(L, a->name, p);
        answer->known = true;
        const scenario_computation_source from = answer->computation;
        if (from.platform[0] == '\0')
            return NAN;
        scenario_stored_platform(L, from.platform, &node);
        if (node.counterpart == NULL)
            node.misses = p->misses;
        if (!node.shared_memory.known ||
            !scenario_stored_time(L, from.application, from.platform, &time, &half_width) ||
            !scenario_stored_traffic(L, from.application, from.platform, &remote, &local))
            return NAN;
        share = from.share;
        const bool answers = a->exchange && a->waited_share > 0;
        const clump_loggp met = answers ? clump_answering_protocol(&node.shared_memory.loggp)
                                        : node.shared_memory.loggp;
        const clump_communication_time t = clump_traffic_time(&local, &met, a->waited_share);
        cost = (t.occupancy_us + t.waiting_us) / 1e6;
    }
    if (!isnan(node.misses.now_us) && !isnan(node.misses.node_us) &&
        clump_misses_penalty(&node.misses, node.processors, &penalty, NULL) != CLUMP_OK)
        return NAN;
    const double computation = (time - cost) * share / penalty;
    return computation > 0 ? computation : NAN;
}
