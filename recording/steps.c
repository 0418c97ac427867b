/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/steps.h"

#include "recording/open_table.h"

#include <math.h>
#include <stdlib.h>

/* The step of a rank that has not ended. */
typedef struct state {
    double end; /* of the call before; NAN: none */
    double before, after;
    double messages, bytes;
} state;

typedef struct row {
    uint32_t rank, gap_class;
    uint64_t steps;
    double before, after, messages, bytes;
} row;

struct clump_steps {
    size_t ranks;
    state *state;
    clump_pool rows;
    clump_table by_class;
    bool no_memory;
};

clump_steps *clump_steps_new(size_t ranks)
{
    clump_steps *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->ranks = ranks;
    s->rows.size = sizeof(row);
    s->state = calloc(ranks + 1, sizeof *s->state);
    if (s->state == NULL) {
        free(s);
        return NULL;
    }
    for (size_t i = 0; i < ranks; i++)
        s->state[i].end = NAN;
    return s;
}

void clump_steps_free(clump_steps *s)
{
    if (s == NULL)
        return;
    clump_pool_clear(&s->rows);
    clump_table_clear(&s->by_class);
    free(s->state);
    free(s);
}

static unsigned class_of(double seconds)
{
    const double ns = 1e9 * seconds;
    return clump_size_class(ns >= 9e18 ? (uint64_t)INT64_MAX : ns > 0 ? (uint64_t)ns : 0);
}

static int64_t limit_of(unsigned gap_class)
{
    const uint64_t limit = clump_size_class_limit(gap_class);
    return limit > INT64_MAX ? INT64_MAX : (int64_t)limit;
}

static row *row_of(clump_steps *s, size_t rank, unsigned gap_class)
{
    uint32_t at = clump_table_get(&s->by_class, rank, gap_class);
    if (at == CLUMP_TABLE_NONE) {
        at = clump_pool_take(&s->rows);
        if (at == CLUMP_TABLE_NONE || !clump_table_put(&s->by_class, rank, gap_class, at)) {
            s->no_memory = true;
            return NULL;
        }
        ((row *)s->rows.items)[at] = (row){.rank = (uint32_t)rank, .gap_class = gap_class};
    }
    return (row *)s->rows.items + at;
}

static void end_step(clump_steps *s, size_t rank, bool counts)
{
    state *at = &s->state[rank];
    row *to = counts ? row_of(s, rank, class_of(at->before)) : NULL;
    if (to != NULL) {
        to->steps++;
        to->before += at->before;
        to->after += at->after;
        to->messages += at->messages;
        to->bytes += at->bytes;
    }
    *at = (state){.end = at->end};
}

static bool sends(const clump_recorded_call *call)
{
    return (call->kind == CLUMP_CALL_SEND || call->kind == CLUMP_CALL_ISEND ||
            call->kind == CLUMP_CALL_SENDRECV) &&
           call->peer >= 0;
}

static bool receives(const clump_recorded_call *call)
{
    if (call->kind == CLUMP_CALL_RECEIVE)
        return call->peer >= 0;
    if (call->kind == CLUMP_CALL_SENDRECV)
        return call->peer_receive >= 0;
    for (uint32_t i = 0; clump_call_completes(call) && i < call->requests; i++)
        if (call->request[i].kind == CLUMP_REQUEST_RECEIVE && call->request[i].peer >= 0)
            return true;
    return false;
}

void clump_steps_add(clump_steps *s, size_t rank, const clump_recorded_call *call)
{
    if (rank >= s->ranks || call->thread != 0 || !isfinite(call->begin) || !isfinite(call->end))
        return;
    state *at = &s->state[rank];
    if (call->kind == CLUMP_CALL_INIT) {
        *at = (state){.end = call->end};
        return;
    }
    if (!isnan(at->end))
        at->after += fmax(call->begin - at->end, 0);
    at->end = fmax(call->end, call->begin);
    if (sends(call)) {
        at->before += at->after;
        at->after = 0;
        at->messages++;
        at->bytes += (double)call->bytes;
    }
    if (receives(call))
        end_step(s, rank, true);
    else if ((clump_call_is_collective(call->kind) && !call->nonblocking) ||
             call->kind == CLUMP_CALL_FINALIZE)
        end_step(s, rank, at->messages > 0);
}

/* ---- rows */

static int compare_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->gap_class > y->gap_class) - (x->gap_class < y->gap_class);
}

bool clump_steps_add_facts(clump_steps *s, clump_facts *facts)
{
    if (s->no_memory)
        return false;
    for (size_t i = 0; i < s->ranks; i++) /* of those that never came to MPI_Finalize */
        end_step(s, i, s->state[i].messages > 0);
    /* Places mean nothing from here on: what comes later finds no row of its own. */
    clump_table_clear(&s->by_class);
    row *rows = s->rows.items;
    if (s->rows.count > 0)
        qsort(rows, s->rows.count, sizeof *rows, compare_rows);
    for (size_t i = 0; i < s->rows.count; i++)
        if (!clump_facts_add(facts, CLUMP_FACTS_STEP,
                             &(clump_facts_step){.rank = rows[i].rank,
                                                 .gap_limit = limit_of(rows[i].gap_class),
                                                 .steps = (int64_t)rows[i].steps,
                                                 .before = rows[i].before,
                                                 .after = rows[i].after,
                                                 .messages = rows[i].messages,
                                                 .bytes = rows[i].bytes}))
            return false;
    return !s->no_memory;
}
