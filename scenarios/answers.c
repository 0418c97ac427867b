/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/answers.h"

#include "data/hash.h"
#include "scenarios/sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256, MOST = 20000 };

struct clump_scenario_answers {
    scenario_answer *buckets[BUCKETS];
    size_t count;
    double recording_bytes; /* about */
};

clump_scenario_answers *clump_scenario_answers_new(void)
{
    return calloc(1, sizeof(clump_scenario_answers));
}

void clump_scenario_answers_free(clump_scenario_answers *answers)
{
    for (size_t i = 0; answers != NULL && i < BUCKETS; i++)
        while (answers->buckets[i] != NULL) {
            scenario_answer *first = answers->buckets[i];
            answers->buckets[i] = first->next;
            clump_store_free(first->platform);
            clump_store_free(first->curve);
            clump_recorded_kept_free(first->recording);
            free(first->why);
            free(first);
        }
    free(answers);
}

/* Separators in keys are control characters, which no name has. */
scenario_question scenario_question_of(lua_State *L, const char *kind, const char *name,
                                       const char *other)
{
    scenario_question q = {.answers = scenario_sandbox_of(L)->options->answers};
    if (snprintf(q.key, sizeof q.key, "%s\x1e%s\x1e%s", kind, name, other) >= (int)sizeof q.key)
        q.answers = NULL;
    return q;
}

scenario_question scenario_question_of_measurement(lua_State *L, const clump_store_filter *f)
{
    scenario_question q = {.answers = scenario_sandbox_of(L)->options->answers};
    const char *parts[] = {f->platform, f->application, f->transport,
                           f->quantity, f->statistic,   f->variant};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        /* NULL and "" are different questions. */
        const int size = snprintf(q.key + used, sizeof q.key - used, "%s%s\x1f",
                                  parts[i] != NULL ? "=" : "", parts[i] != NULL ? parts[i] : "");
        if (size < 0 || used + (size_t)size >= sizeof q.key) {
            q.answers = NULL;
            break;
        }
        used += (size_t)size;
    }
    if (f->source != NULL || f->benchmark != NULL)
        q.answers = NULL;
    return q;
}

static size_t bucket_of(const char *key)
{
    return (size_t)(clump_hash_bytes(CLUMP_HASH_START, key, strlen(key)) % BUCKETS);
}

const scenario_answer *scenario_answer_find(lua_State *L, const scenario_question *q)
{
    const scenario_answer *a = q->answers != NULL ? q->answers->buckets[bucket_of(q->key)] : NULL;
    while (a != NULL && strcmp(a->key, q->key) != 0)
        a = a->next;
    if (a != NULL)
        scenario_charge(L, 100);
    return a;
}

scenario_answer *scenario_answer_add(const scenario_question *q)
{
    if (q->answers == NULL || q->answers->count >= MOST)
        return NULL;
    scenario_answer *a = malloc(sizeof *a + strlen(q->key) + 1);
    if (a == NULL)
        return NULL;
    scenario_answer **bucket = &q->answers->buckets[bucket_of(q->key)];
    *a = (scenario_answer){.next = *bucket, .status = CLUMP_STORE_OK};
    strcpy(a->key, q->key);
    *bucket = a;
    q->answers->count++;
    return a;
}

void scenario_answer_keep_measurement(const scenario_question *q, clump_store_status status,
                                      const clump_store_measurement *measured, const char *why)
{
    if (status != CLUMP_STORE_OK && status != CLUMP_STORE_NOT_FOUND)
        return;
    scenario_answer *a = scenario_answer_add(q);
    if (a == NULL)
        return;
    a->status = status;
    if (status == CLUMP_STORE_OK)
        a->measured = *measured;
    a->measured.note = NULL;
    a->why = status == CLUMP_STORE_NOT_FOUND ? strdup(why) : NULL;
}

void scenario_answer_take_recording(const scenario_question *q, clump_recorded_kept **list)
{
    clump_recorded_kept *first = *list;
    const double bytes = clump_recorded_kept_bytes(first->run);
    scenario_answer *a =
        q->answers != NULL && q->answers->recording_bytes + bytes <= SCENARIO_RECORDING_BYTES
            ? scenario_answer_add(q)
            : NULL;
    if (a == NULL)
        return;
    *list = first->next;
    first->next = NULL;
    a->recording = first;
    q->answers->recording_bytes += bytes;
}
