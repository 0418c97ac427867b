/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256, MOST = 20000, KEY = 400 };

typedef struct entry {
    struct entry *next;
    clump_store_status status;
    clump_store_measurement measured;
    char key[];
} entry;

struct clump_scenario_memory {
    entry *buckets[BUCKETS];
    size_t count;
};

/* What a filter of stored.c tells apart; false if it does not fit. */
static bool make_key(const clump_store_filter *f, char key[KEY])
{
    const char *parts[] = {f->platform, f->application, f->transport,
                           f->quantity, f->statistic,   f->variant};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        /* NULL and "" differ; no name has the separator. */
        const int size = snprintf(key + used, KEY - used, "%s%s\x1f", parts[i] != NULL ? "=" : "",
                                  parts[i] != NULL ? parts[i] : "");
        if (size < 0 || used + (size_t)size >= KEY)
            return false;
        used += (size_t)size;
    }
    return f->source == NULL && f->benchmark == NULL;
}

static size_t bucket_of(const char *key)
{
    uint64_t h = UINT64_C(1469598103934665603); /* FNV-1a */
    for (; *key != '\0'; key++)
        h = (h ^ (unsigned char)*key) * UINT64_C(1099511628211);
    return (size_t)(h % BUCKETS);
}

clump_scenario_memory *clump_scenario_memory_new(void)
{
    return calloc(1, sizeof(clump_scenario_memory));
}

void clump_scenario_memory_free(clump_scenario_memory *memory)
{
    for (size_t i = 0; memory != NULL && i < BUCKETS; i++)
        while (memory->buckets[i] != NULL) {
            entry *first = memory->buckets[i];
            memory->buckets[i] = first->next;
            free(first);
        }
    free(memory);
}

bool scenario_memory_recall(const clump_scenario_memory *memory, const clump_store_filter *filter,
                            clump_store_status *status, clump_store_measurement *measured)
{
    char key[KEY];
    if (memory == NULL || !make_key(filter, key))
        return false;
    for (const entry *e = memory->buckets[bucket_of(key)]; e != NULL; e = e->next)
        if (strcmp(e->key, key) == 0) {
            *status = e->status;
            *measured = e->measured;
            return true;
        }
    return false;
}

void scenario_memory_keep(clump_scenario_memory *memory, const clump_store_filter *filter,
                          clump_store_status status, const clump_store_measurement *measured)
{
    char key[KEY];
    if (memory == NULL || memory->count == MOST || !make_key(filter, key) ||
        (status != CLUMP_STORE_OK && status != CLUMP_STORE_NOT_FOUND))
        return;
    entry *e = malloc(sizeof *e + strlen(key) + 1);
    if (e == NULL)
        return;
    const size_t bucket = bucket_of(key);
    e->next = memory->buckets[bucket];
    e->status = status;
    e->measured = status == CLUMP_STORE_OK ? *measured : (clump_store_measurement){0};
    e->measured.note = NULL;
    strcpy(e->key, key);
    memory->buckets[bucket] = e;
    memory->count++;
}
