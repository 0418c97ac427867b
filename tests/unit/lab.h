/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_UNIT_LAB_H
#define CLUMP_TESTS_UNIT_LAB_H

/*
 * A store with the data of a user: platforms "lab" (16 processors and 4 NICs a node, g = 2 us) and "lab-now", its NOW, of
 * the source "mine". Tests that are one file and include cmocka first.
 */

#include "data/store/store.h"

#include <math.h>

static clump_store *store;

static void ok(clump_store_status status)
{
    if (status != CLUMP_STORE_OK)
        fail_msg("%s", clump_store_message(store));
}

/* A sample of statistic "mean" or "single", one a series. */
static void add(const char *platform, const char *application, const char *transport,
                const char *quantity, const char *statistic, double value)
{
    int64_t id = 0;
    ok(clump_store_add_series(store,
                              &(clump_store_series){.platform = platform,
                                                    .application = application,
                                                    .quantity = quantity,
                                                    .transport = transport,
                                                    .statistic = statistic,
                                                    .source = "mine"},
                              &id));
    ok(clump_store_add_sample(
        store, id,
        &(clump_store_measurement){
            .value = value, .half_width = NAN, .std_dev = NAN, .size_bytes = -1}));
}

static void add_platform(const char *name, int64_t processors, int64_t nics,
                         const char *counterpart)
{
    ok(clump_store_add_platform(store,
                                &(clump_store_platform){.name = name,
                                                        .title = name,
                                                        .nodes = 4,
                                                        .processors = processors,
                                                        .nics = nics,
                                                        .mapping = nics > 1 ? "pooled" : NULL,
                                                        .counterpart = counterpart,
                                                        .source = "mine"}));
}

static void add_application(const char *name, const char *style)
{
    ok(clump_store_add_application(
        store,
        &(clump_store_application){.name = name, .title = name, .style = style, .source = "mine"}));
}

/* Source, platforms and LogGP parameters, within a transaction of the caller. */
static void add_machines(void)
{
    static const char *const loggp[] = {"latency", "send_overhead", "receive_overhead", "gap",
                                        "gap_per_byte"};
    static const double network[] = {5, 1, 1, 2, 0.001}, memory[] = {0.1, 0.2, 0.2, 0.5, 0.0002};
    ok(clump_store_add_source(
        store, &(clump_store_source){.name = "mine", .kind = "calibration", .title = "Lab"}));
    add_platform("lab-now", 1, 1, NULL);
    add_platform("lab", 16, 4, "lab-now");
    for (size_t i = 0; i < 5; i++) {
        add("lab", NULL, "network", loggp[i], "mean", network[i]);
        add("lab", NULL, "shared-memory", loggp[i], "mean", memory[i]);
    }
}

#endif
