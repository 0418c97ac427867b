/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/store_cache.h"

#include "data/hash.h"
#include "scenarios/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256, MOST = 20000 };

struct clump_scenario_cache {
    scenario_cached *buckets[BUCKETS];
    size_t count;
    double recording_bytes; /* about */
};

clump_scenario_cache *clump_scenario_cache_new(void)
{
    return calloc(1, sizeof(clump_scenario_cache));
}

void clump_scenario_cache_free(clump_scenario_cache *cache)
{
    for (size_t i = 0; cache != NULL && i < BUCKETS; i++)
        while (cache->buckets[i] != NULL) {
            scenario_cached *first = cache->buckets[i];
            cache->buckets[i] = first->next;
            clump_recorded_kept_free(first->recording);
            free(first->why);
            free(first);
        }
    free(cache);
}

/* Between parts there is a control character, which no name has; NULL and "" are different. */
static scenario_cache_key make_key(lua_State *L, const char *const *parts, size_t count)
{
    scenario_cache_key key = {.cache = scenario_sandbox_of(L)->options->cache};
    size_t used = 0;
    for (size_t i = 0; i < count && used < sizeof key.text; i++)
        used += (size_t)snprintf(key.text + used, sizeof key.text - used, "%s%s\x1f",
                                 parts[i] != NULL ? "=" : "", parts[i] != NULL ? parts[i] : "");
    if (used >= sizeof key.text)
        key.cache = NULL;
    return key;
}

scenario_cache_key scenario_cache_key_of(lua_State *L, const char *kind, const char *name,
                                         const char *other)
{
    return make_key(L, (const char *const[]){kind, name, other}, 3);
}

scenario_cache_key scenario_cache_key_of_measurement(lua_State *L, const clump_store_filter *f)
{
    const char *const parts[] = {f->platform, f->application, f->transport,
                                 f->quantity, f->statistic,   f->variant};
    return make_key(L, parts, sizeof parts / sizeof *parts);
}

static scenario_cached **bucket_of(const scenario_cache_key *key)
{
    return &key->cache->buckets[clump_hash_bytes(CLUMP_HASH_START, key->text, strlen(key->text)) %
                                BUCKETS];
}

const scenario_cached *scenario_cache_find(const scenario_cache_key *key)
{
    const scenario_cached *c = key->cache != NULL ? *bucket_of(key) : NULL;
    while (c != NULL && strcmp(c->key, key->text) != 0)
        c = c->next;
    return c;
}

scenario_cached *scenario_cache_add(const scenario_cache_key *key)
{
    if (key->cache == NULL || key->cache->count >= MOST)
        return NULL;
    scenario_cached *c = malloc(sizeof *c + strlen(key->text) + 1);
    if (c == NULL)
        return NULL;
    scenario_cached **bucket = bucket_of(key);
    *c = (scenario_cached){.next = *bucket, .status = CLUMP_STORE_OK};
    strcpy(c->key, key->text);
    *bucket = c;
    key->cache->count++;
    return c;
}

void scenario_cache_keep_measurement(const scenario_cache_key *key, clump_store_status status,
                                     const clump_store_measurement *measured, const char *why)
{
    scenario_cached *c = status == CLUMP_STORE_OK || status == CLUMP_STORE_NOT_FOUND
                             ? scenario_cache_add(key)
                             : NULL;
    if (c == NULL)
        return;
    c->status = status;
    if (status == CLUMP_STORE_OK)
        c->measured = *measured;
    c->measured.note = NULL;
    c->why = status == CLUMP_STORE_NOT_FOUND ? strdup(why) : NULL;
}

void scenario_cache_take_recording(const scenario_cache_key *key, clump_recorded_kept **list)
{
    clump_recorded_kept *first = *list;
    const double bytes = clump_recorded_kept_bytes(first->run);
    scenario_cached *c =
        key->cache != NULL && key->cache->recording_bytes + bytes <= SCENARIO_RECORDING_BYTES
            ? scenario_cache_add(key)
            : NULL;
    if (c == NULL)
        return;
    *list = first->next;
    first->next = NULL;
    c->recording = first;
    key->cache->recording_bytes += bytes;
}
