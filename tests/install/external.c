/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A program of somebody who has only the installed library. */

#include <clumpmodel.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    const double utilization = 0.48;
    const clump_node node = {.processors = 8, .nics = 4};
    const clump_load load = {
        .utilizations = &utilization, .utilization_count = 1, .coupling = CLUMP_COUPLING_NONE};
    clump_prediction prediction;
    clump_error error;
    if (clump_predict(&node, &load, &prediction, NULL, &error) != CLUMP_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    clump_store *store;
    clump_store_platform *platform;
    if (clump_store_open(NULL, CLUMP_STORE_READ, &store) != CLUMP_STORE_OK ||
        clump_store_find_platform(store, "e5000-clump", &platform) != CLUMP_STORE_OK) {
        fprintf(stderr, "%s\n", clump_store_message(store));
        return 1;
    }
    printf("%.15g on %s\n", prediction.slowdown, platform->title);
    const int good = fabs(prediction.slowdown - 1.00193123733961) < 1e-12 && platform->nics == 4;
    clump_store_free(platform);
    clump_store_close(store);
    return good ? 0 : 1;
}
