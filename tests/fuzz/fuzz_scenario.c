/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any bytes as a scenario: rows, or a message. Limits are low, so that a run is short. */

#include "scenarios/scenario.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each row has a slowdown, or says why not. */
static void check(const clump_scenario_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        const clump_result *row = &results->rows[i];
        if (row->refused != NULL ? row->refused[0] == '\0'
                                 : !isfinite(row->slowdown) || row->slowdown < 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static clump_store *store;
    static char path[64];
    if (store == NULL) {
        if (clump_store_open(NULL, CLUMP_STORE_READ, &store) != CLUMP_STORE_OK)
            abort();
        snprintf(path, sizeof path, "/tmp/clumpmodel-fuzz-%ld.lua", (long)getpid());
    }
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
    const clump_scenario_options options = {.path = path,
                                            .store = store,
                                            .seconds_limit = 0.05,
                                            .memory_limit = 4 << 20,
                                            .result_limit = 200};
    clump_scenario_results results;
    char message[512] = "";
    if (clump_scenario_run(&options, &results, message, sizeof message) == CLUMP_SCENARIO_OK) {
        check(&results);
        clump_scenario_results_free(&results);
    } else if (message[0] == '\0') {
        abort();
    }
    unlink(path);
    return 0;
}
