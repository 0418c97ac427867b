/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Any bytes as a data base: refused with a message, or read without harm. */

#include "data/store.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count_sample(const clump_store_sample *sample, void *context)
{
    size_t *count = context;
    (void)sample;
    return ++*count > 10000;
}

static int count_platform(const clump_store_platform *platform, void *context)
{
    size_t *count = context;
    (void)platform;
    return ++*count > 1000;
}

static int ignore_finding(const char *finding, void *context)
{
    (void)finding;
    (void)context;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    if (path[0] == '\0')
        snprintf(path, sizeof path, "/tmp/clumpmodel-fuzz-%ld.db", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        abort();
    clump_store *store;
    if (clump_store_open(path, CLUMP_STORE_READ, &store) == CLUMP_STORE_OK) {
        const clump_store_filter all = {.platform = NULL};
        size_t samples = 0, platforms = 0, findings = 0;
        clump_store_each_platform(store, count_platform, &platforms);
        clump_store_each_sample(store, &all, count_sample, &samples);
        clump_store_check(store, ignore_finding, NULL, &findings);
    } else if (store != NULL && clump_store_message(store)[0] == '\0') {
        abort();
    }
    clump_store_close(store);
    unlink(path);
    return 0;
}
