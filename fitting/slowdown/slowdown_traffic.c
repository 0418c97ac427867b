/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/slowdown/slowdown_traffic.h"

#include <math.h>
#include <string.h>

typedef struct finder {
    clump_store *store;
    const char *application, *platform;
    clump_error *error;
} finder;

/* The value, of the layer that the thesis compares, or else of the only one; the mean over the
 * processors, or else a single number. */
static clump_status find(const finder *f, const char *application, const char *transport,
                         const char *quantity, double *value, bool *known)
{
    static const char *const statistics[] = {"mean", "single", NULL};
    static const char *const variants[] = {"multi-protocol", NULL};
    *known = false;
    for (size_t s = 0; s < 3; s++)
        for (size_t v = 0; v < 2; v++) {
            const clump_store_filter filter = {.platform = f->platform,
                                               .application = application,
                                               .transport = transport,
                                               .quantity = quantity,
                                               .statistic = statistics[s],
                                               .variant = variants[v]};
            clump_store_measurement measured;
            const clump_store_status status = clump_store_value(f->store, &filter, &measured);
            if (status == CLUMP_STORE_FAILED)
                return clump_fail(f->error, CLUMP_INCONSISTENT, "%.250s",
                                  clump_store_message(f->store));
            if (status == CLUMP_STORE_OK) {
                *value = measured.value;
                *known = true;
                return CLUMP_OK;
            }
        }
    return CLUMP_OK;
}

static clump_status find_loggp(const finder *f, const char *transport, clump_loggp *loggp,
                               bool *known)
{
    static const char *const names[] = {"latency", "send_overhead", "receive_overhead", "gap",
                                        "gap_per_byte"};
    double values[5];
    *known = true;
    for (size_t i = 0; i < 5 && *known; i++) {
        const clump_status status = find(f, "", transport, names[i], &values[i], known);
        if (status != CLUMP_OK)
            return status;
    }
    if (!*known)
        return CLUMP_OK;
    *loggp = (clump_loggp){values[0], values[1], values[2], values[3], values[4]};
    *known = clump_loggp_check(loggp, transport, NULL) == CLUMP_OK;
    return CLUMP_OK;
}

static clump_status find_traffic(const finder *f, const char *transport, clump_traffic *traffic,
                                 bool *any)
{
    bool some = false, bulk = false, sized = false;
    double size = 0;
    *traffic = (clump_traffic){0, 0, 0};
    clump_status status =
        find(f, f->application, transport, "short_messages", &traffic->short_messages, &some);
    if (status == CLUMP_OK)
        status =
            find(f, f->application, transport, "bulk_messages", &traffic->bulk_messages, &bulk);
    if (status == CLUMP_OK && traffic->bulk_messages > 0) {
        status = find(f, f->application, transport, "bulk_message_size", &size, &sized);
        traffic->bulk_bytes = traffic->bulk_messages * size;
        if (!sized)
            some = bulk = false; /* bytes are the most of it */
    }
    *any = *any || some || bulk;
    return status;
}

static clump_status find_waited(const finder *f, double *share)
{
    clump_store_application *a = NULL;
    const clump_store_status status = clump_store_find_application(f->store, f->application, &a);
    if (status == CLUMP_STORE_FAILED)
        return clump_fail(f->error, CLUMP_INCONSISTENT, "%.250s", clump_store_message(f->store));
    *share = a != NULL && a->style != NULL && strcmp(a->style, "blocking") == 0;
    clump_store_free(a);
    return CLUMP_OK;
}

/* What makes its transfers dearer: see clump_workload. */
static clump_status find_circumstances(const finder *f, clump_workload *workload)
{
    bool half_duplex = false, lockstep = false;
    clump_store_status status = clump_store_half_duplex(f->store, f->platform, &half_duplex);
    if (status == CLUMP_STORE_OK)
        status = clump_store_lockstep(f->store, f->application, &lockstep);
    if (status != CLUMP_STORE_OK)
        return clump_fail(f->error, CLUMP_INCONSISTENT, "%.250s", clump_store_message(f->store));
    workload->half_duplex = half_duplex;
    workload->lockstep = lockstep;
    return CLUMP_OK;
}

clump_status slowdown_traffic_find(clump_store *store, const char *application,
                                   const char *platform, double now_time_s,
                                   clump_demand_profile *profile, bool *known, clump_error *reason,
                                   clump_error *error)
{
    const finder f = {store, application, platform, error};
    clump_workload workload = {.memory_penalty = 1, .time_us = 1e6 * now_time_s};
    clump_loggp network, shared_memory;
    bool any = false, has_network = false, has_memory = false;
    *known = false;
    reason->message[0] = '\0';
    if (isnan(now_time_s))
        return CLUMP_OK;
    clump_status status = find_traffic(&f, "network", &workload.remote, &any);
    if (status == CLUMP_OK)
        status = find_traffic(&f, "shared-memory", &workload.local, &any);
    if (status == CLUMP_OK && any)
        status = find_loggp(&f, "network", &network, &has_network);
    if (status == CLUMP_OK && has_network)
        status = find_loggp(&f, "shared-memory", &shared_memory, &has_memory);
    if (status == CLUMP_OK && has_memory)
        status = find_waited(&f, &workload.waited_share);
    if (status == CLUMP_OK && has_memory)
        status = find_circumstances(&f, &workload);
    if (status != CLUMP_OK || !has_memory)
        return status;
    *known =
        clump_traffic_profile(&workload, &network, &shared_memory, profile, reason) == CLUMP_OK;
    return CLUMP_OK;
}
