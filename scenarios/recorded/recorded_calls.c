/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_calls.h"

#include "model/simulation/schedule_pack.h"

#include <stdlib.h>
#include <string.h>

/* Far more than are kept (recording/stretch.c): who wrote another database may have his own number. */
enum { MOST_OPERATIONS = 1 << 22 };

static bool are_cut(const clump_recorded *p)
{
    for (size_t i = 0; i < p->message_count && p->options.stripe_bytes > 0; i++)
        if (p->messages[i].bytes > p->messages[i].messages * p->options.stripe_bytes)
            return true;
    return false;
}

/* The texts of all ranks, each from all of its rows; to be freed, as is the list. */
static clump_status join_texts(const clump_recorded *p, char **texts, clump_error *error)
{
    const clump_facts *facts = p->facts;
    size_t *size = calloc(p->ranks, sizeof *size);
    clump_status status = size != NULL ? CLUMP_OK : clump_fail_memory(error, "recorded calls");
    for (size_t i = 0; i < facts->stretch_count && status == CLUMP_OK; i++) {
        const clump_facts_stretch *s = &facts->stretches[i];
        if (s->rank < 0 || (size_t)s->rank >= p->ranks)
            status = clump_fail(error, CLUMP_BAD_ARGUMENT,
                                "the recording has calls of rank %lld, expected one of its %zu "
                                "ranks",
                                (long long)s->rank, p->ranks);
        else
            size[s->rank] += strlen(s->calls);
    }
    for (size_t r = 0; r < p->ranks && status == CLUMP_OK; r++) {
        texts[r] = calloc(size[r] + 1, 1);
        size[r] = 0;
        if (texts[r] == NULL)
            status = clump_fail_memory(error, "recorded calls");
    }
    for (size_t i = 0; i < facts->stretch_count && status == CLUMP_OK; i++) {
        const clump_facts_stretch *s = &facts->stretches[i];
        strcpy(texts[s->rank] + size[s->rank], s->calls);
        size[s->rank] += strlen(s->calls);
    }
    free(size);
    return status;
}

clump_status clump_recorded_calls_schedule(const clump_recorded *p, clump_schedule **schedule,
                                           clump_error *error)
{
    char **texts = calloc(p->ranks, sizeof *texts);
    *schedule = NULL;
    if (texts == NULL)
        return clump_fail_memory(error, "recorded calls");
    clump_status status = join_texts(p, texts, error);
    if (status == CLUMP_OK)
        status = clump_schedule_unpack((const char *const *)texts, p->ranks, MOST_OPERATIONS,
                                       schedule, error);
    for (size_t r = 0; r < p->ranks; r++)
        free(texts[r]);
    free(texts);
    return status;
}

/* Those that are kept, or own ones, which are to be freed. */
static clump_status find_schedule(const clump_recorded *p, clump_schedule **own,
                                  const clump_schedule **schedule, clump_error *error)
{
    const clump_recorded_kept *kept = p->options.kept;
    clump_status status = CLUMP_OK;
    *own = NULL;
    if (kept == NULL || kept->calls == NULL)
        status = clump_recorded_calls_schedule(p, own, error);
    *schedule = *own != NULL ? *own : kept != NULL ? kept->calls : NULL;
    return status;
}

clump_status clump_recorded_calls_find(clump_recorded *p, clump_error *error)
{
    clump_schedule *own;
    const clump_schedule *schedule;
    p->calls_now_us = 0;
    if (p->facts->stretch_count == 0 || p->options.clock == CLUMP_RECORDED_WALL ||
        p->options.recorded_here || are_cut(p))
        return CLUMP_OK;
    clump_status status = find_schedule(p, &own, &schedule, error);
    if (status == CLUMP_OK && clump_schedule_operations(schedule) > 0) {
        clump_recorded_play play = {
            .now = schedule, .on_nodes = schedule, .processors = 1, .program = p};
        status = clump_recorded_play_begin(&play, NULL, error);
        p->calls_now_us = status == CLUMP_OK ? play.now_us : 0;
        p->calls_events = play.events;
    }
    if (own != NULL && p->options.kept != NULL)
        p->options.kept->calls = own;
    else
        clump_schedule_free(own);
    return status;
}

double clump_recorded_calls_now_s(const clump_recorded *p)
{
    const clump_facts_stretch *s = &p->facts->stretches[0];
    return 1e-6 * p->calls_now_us * (s->seconds > 0 ? s->run / s->seconds : 1);
}

bool clump_recorded_calls_are_for(const clump_recorded_placed *placed, const clump_node *node)
{
    return placed->calls != NULL && !clump_memory_is_station(&node->memory);
}

clump_status clump_recorded_calls_predict(const clump_recorded_placed *placed,
                                          const clump_node *node, double memory_penalty,
                                          clump_prediction *prediction, clump_error *error)
{
    const clump_recorded *p = placed->calls;
    clump_schedule *own;
    const clump_schedule *schedule;
    clump_status status = find_schedule(p, &own, &schedule, error);
    if (status == CLUMP_OK) {
        const clump_recorded_play play = {.now = schedule,
                                          .on_nodes = schedule,
                                          .processors = placed->processors,
                                          .program = p,
                                          .now_us = p->calls_now_us};
        status = clump_recorded_play_on(&play, node, memory_penalty, prediction, error);
    }
    clump_schedule_free(own);
    return status;
}
