/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/store/handle.h"

/* The one number about a machine or a program; *known says whether there is one. */
static clump_store_status number(clump_store *store, const char *platform, const char *application,
                                 const char *quantity, bool *known, double *value)
{
    const clump_store_filter filter = {.platform = platform,
                                       .application = application,
                                       .quantity = quantity,
                                       .statistic = "single"};
    clump_store_measurement measured;
    const clump_store_status status = clump_store_value(store, &filter, &measured);
    *known = status == CLUMP_STORE_OK && measured.value > 0;
    if (*known)
        *value = measured.value;
    return status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : status;
}

clump_store_status clump_store_memory_penalty(clump_store *store, const char *platform,
                                              const char *counterpart, double *penalty)
{
    const char *const names[2] = {platform, counterpart};
    double miss[2] = {1, 1}, clock[2] = {1, 1};
    bool has_miss[2] = {false, false}, has_clock[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        clump_store_status status =
            number(store, names[i], "", "l2_miss_memory_cycles", &has_miss[i], &miss[i]);
        if (status == CLUMP_STORE_OK)
            status = number(store, names[i], "", "clock", &has_clock[i], &clock[i]);
        if (status != CLUMP_STORE_OK)
            return status;
    }
    /* Cycles alone compare only where nothing is known of the clocks. */
    const bool known = has_miss[0] && has_miss[1] && has_clock[0] == has_clock[1];
    *penalty = known ? (miss[0] / clock[0]) / (miss[1] / clock[1]) : 1;
    return CLUMP_STORE_OK;
}

clump_store_status clump_store_half_duplex(clump_store *store, const char *platform,
                                           bool *half_duplex)
{
    double directions = 2;
    bool known;
    const clump_store_status status =
        number(store, platform, "", "io_bus_directions", &known, &directions);
    if (status == CLUMP_STORE_OK)
        *half_duplex = known && directions < 2;
    return status;
}

clump_store_status clump_store_lockstep(clump_store *store, const char *application, bool *lockstep)
{
    double value = 0;
    bool known;
    const clump_store_status status =
        number(store, "", application, "lockstep_exchange", &known, &value);
    if (status == CLUMP_STORE_OK)
        *lockstep = known;
    return status;
}
