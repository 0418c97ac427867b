/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sample sort (thesis, 5.3.3). All pick some of their keys and send them to the lead processor, which
 * sorts them, takes every so-manieth as a splitter, and sends the splitters to all; everybody sends
 * each of its keys to the processor between whose splitters it lies, six to a message, and collects
 * what is sent to it; everybody sorts what it has.
 *
 * The thesis does not say how many keys the sample has. 1,024 in all: the scatter of the messages of
 * processors in tables 5.6 and 5.7 is that of parts whose splitters are that far apart
 * (docs/reproductions.md).
 */
#include "reproductions/applications/application.h"
#include "reproductions/applications/costs.h"
#include "reproductions/systems/global_space.h"
#include "reproductions/virtual/splitmix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS, SAMPLES, POLLS };                   /* sizes */
enum { TAKE_SAMPLE, TAKE_SPLITTERS, TAKE_KEYS }; /* functions that are called */
enum { GROUP = CLUMP_SPACE_WORDS };

/* Keys as they are collected. */
typedef struct pile {
    uint32_t *keys;
    size_t count, room;
} pile;

/* ---- keys */

static void make_keys(const clump_application_input *input, uint32_t rank, uint32_t *keys)
{
    const size_t count = (size_t)input->sizes[KEYS];
    uint64_t state = clump_application_seed(input->seed, 0, rank);
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint32_t)(clump_splitmix_next(&state) >> 32);
}

/* Least significant digits first; `spare` has as much room. The sorted keys are in `keys`. */
static void sort_keys(uint32_t *keys, uint32_t *spare, size_t count)
{
    enum { DIGITS = 4, VALUES = 256 }; /* an even number of digits: back where they were */
    for (int digit = 0; digit < DIGITS; digit++) {
        size_t places[VALUES + 1] = {0};
        for (size_t i = 0; i < count; i++)
            places[(keys[i] >> 8 * digit & 255) + 1]++;
        for (int v = 0; v < VALUES; v++)
            places[v + 1] += places[v];
        for (size_t i = 0; i < count; i++)
            spare[places[keys[i] >> 8 * digit & 255]++] = keys[i];
        uint32_t *other = keys;
        keys = spare;
        spare = other;
    }
}

/* Comparisons of a sort, or of a binary search for each of `count` keys among so many. */
static double comparisons(double count, double among)
{
    return among > 1 ? count * log2(among) : 0;
}

static void on_keys(clump_space *space, const uint32_t *words, unsigned count, void *context)
{
    pile *p = context;
    if (count > p->room - p->count)
        clump_worker_fail(clump_space_worker(space),
                          "too many keys for one processor: a larger sample is needed");
    memcpy(p->keys + p->count, words, count * sizeof *words);
    p->count += count;
}

static pile make_pile(clump_worker *w, size_t room)
{
    return (pile){.keys = clump_worker_allocate(w, room, sizeof(uint32_t)), .room = room};
}

/* ---- phases */

static size_t samples_each(const clump_application_input *input)
{
    const size_t each = (size_t)input->sizes[SAMPLES] / input->workers;
    return each > 0 ? each : 1;
}

/* Some of my keys to the lead. */
static void send_sample(clump_space *space, const clump_application_input *input,
                        const uint32_t *keys)
{
    clump_worker *w = clump_space_worker(space);
    const size_t each = samples_each(input), count = (size_t)input->sizes[KEYS];
    uint64_t state = clump_application_seed(input->seed, 1, w->rank);
    uint32_t group[GROUP];
    for (size_t i = 0; i < each; i++) {
        group[i % GROUP] = keys[clump_splitmix_next(&state) % count];
        if (i % GROUP == GROUP - 1 || i + 1 == each)
            clump_space_call(space, 0, TAKE_SAMPLE, group, (unsigned)(i % GROUP + 1));
    }
    clump_worker_compute(w, (double)each);
}

/* The lead: splitters, to everybody. */
static void send_splitters(clump_space *space, const clump_application_input *input, pile *sample)
{
    clump_worker *w = clump_space_worker(space);
    const size_t each = samples_each(input), all = each * w->count;
    uint32_t *spare = clump_worker_allocate(w, all, sizeof *spare);
    uint32_t *splitters = clump_worker_allocate(w, w->count, sizeof *splitters);
    while (sample->count < all)
        clump_worker_wait(w);
    sort_keys(sample->keys, spare, all);
    clump_worker_compute(w, comparisons((double)all, (double)all));
    for (uint32_t i = 1; i < w->count; i++)
        splitters[i - 1] = sample->keys[i * each];
    for (uint32_t to = 0; to < w->count; to++)
        for (uint32_t i = 0; i + 1 < w->count; i += GROUP) {
            const uint32_t left = w->count - 1 - i;
            clump_space_call(space, to, TAKE_SPLITTERS, splitters + i, left < GROUP ? left : GROUP);
        }
}

/* To whom a key goes: splitter i is the least key of processor i + 1. */
static uint32_t owner_of(uint32_t key, const uint32_t *splitters, uint32_t count)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (key < splitters[middle])
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void send_keys(clump_space *space, const clump_application_input *input,
                      const uint32_t *keys, const uint32_t *splitters)
{
    enum { STEP = 64 }; /* keys between two charges of computation */
    clump_worker *w = clump_space_worker(space);
    const size_t count = (size_t)input->sizes[KEYS];
    uint32_t(*groups)[GROUP] = clump_worker_allocate(w, w->count, sizeof *groups);
    uint8_t *filled = clump_worker_allocate(w, w->count, 1);
    for (size_t i = 0; i < count; i++) {
        const uint32_t to = owner_of(keys[i], splitters, w->count - 1);
        groups[to][filled[to]++] = keys[i];
        if (i % STEP == 0) {
            const size_t step = count - i < STEP ? count - i : STEP;
            const double bytes = (double)step * sizeof *keys; /* as many come as go */
            clump_worker_walk(w, comparisons((double)step, (double)w->count), count * sizeof *keys,
                              2 * bytes, bytes);
        }
        if (input->sizes[POLLS] > 0)
            clump_worker_poll(w);
        if (i % 65536 == 0)
            clump_worker_progress(w, 0.8 * (double)i / (double)count);
        if (filled[to] == GROUP) {
            clump_space_call(space, to, TAKE_KEYS, groups[to], GROUP);
            filled[to] = 0;
        }
    }
    for (uint32_t to = 0; to < w->count; to++)
        if (filled[to] > 0)
            clump_space_call(space, to, TAKE_KEYS, groups[to], filled[to]);
    clump_space_all_store_sync(space);
}

/* Where my keys begin in the whole, and what they are: not part of what is timed. */
static void tell(clump_space *space, const pile *mine, clump_application_result *result)
{
    clump_worker *w = clump_space_worker(space);
    uint64_t before = 0;
    for (uint32_t r = 0; r + 1 < w->count; r++) {
        const uint64_t count =
            clump_space_reduce(space, w->rank == r ? mine->count : 0, CLUMP_SPACE_SUM);
        if (w->rank > r)
            before += count;
    }
    result->items = mine->count;
    for (size_t i = 0; i < mine->count; i++)
        result->digest += clump_application_mix(before + i, mine->keys[i]);
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    const size_t count = (size_t)input->sizes[KEYS];
    /* Nobody gets all keys, unless there are few. */
    const size_t room = w->count < 4 ? count * w->count : 4 * count + 1024;
    clump_space *space = clump_space_open(w, 64);
    uint32_t *keys = clump_worker_allocate(w, count, sizeof *keys);
    pile sample = make_pile(w, w->rank == 0 ? samples_each(input) * w->count : 0),
         splitters = make_pile(w, w->count - 1), mine = make_pile(w, room);
    clump_space_define(space, TAKE_SAMPLE, on_keys, &sample);
    clump_space_define(space, TAKE_SPLITTERS, on_keys, &splitters);
    clump_space_define(space, TAKE_KEYS, on_keys, &mine);
    make_keys(input, w->rank, keys);
    clump_space_barrier(space);

    clump_worker_begin(w);
    clump_space_barrier(space);
    send_sample(space, input, keys);
    if (w->rank == 0)
        send_splitters(space, input, &sample);
    while (splitters.count + 1 < w->count)
        clump_worker_wait(w);
    send_keys(space, input, keys, splitters.keys);
    sort_keys(mine.keys, clump_worker_allocate(w, mine.count, sizeof *keys), mine.count);
    const size_t bytes =
        mine.count * sizeof *keys; /* for each digit read twice and moved once, to lines
                                                       that are loaded first */
    clump_worker_walk(w, comparisons((double)mine.count, (double)mine.count), 2 * bytes,
                      4 * 3.0 * (double)bytes, 4.0 * (double)bytes);
    clump_space_barrier(space);
    clump_worker_end(w);
    tell(space, &mine, result);
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const size_t each = (size_t)input->sizes[KEYS], count = each * input->workers;
    uint32_t *keys = malloc((count + 1) * sizeof *keys);
    uint32_t *spare = malloc((count + 1) * sizeof *spare);
    for (uint32_t r = 0; keys != NULL && r < input->workers; r++)
        make_keys(input, r, keys + r * each);
    if (keys != NULL && spare != NULL) {
        sort_keys(keys, spare, count);
        *result = (clump_application_result){.items = count};
        for (size_t i = 0; i < count; i++)
            result->digest += clump_application_mix(i, keys[i]);
    }
    const bool done = keys != NULL && spare != NULL;
    free(keys);
    free(spare);
    return done;
}

static bool check(const clump_application_input *input, char message[CLUMP_APPLICATION_MESSAGE])
{
    if (input->sizes[KEYS] * input->workers <= 2147483648.0)
        return true;
    snprintf(message, CLUMP_APPLICATION_MESSAGE,
             "found %.0f keys on each of %u processors, expected at most 2^31 in all",
             input->sizes[KEYS], input->workers);
    return false;
}

static const clump_application_size sizes[] = {
    {"keys", "keys of a processor", 262144, 1, 1e8, true},
    {"samples", "keys that the sample has, of all processors together", 1024, 1, 1e7, true},
    {"polls", "1: poll for each key that is sent; 0: only with each message", 0, 0, 1, true},
    {.name = NULL}};

const clump_application clump_application_sample = {
    .name = "sample",
    .run = "SAMPLE",
    .title = "Sample sort of 32-bit integers",
    .text =
        "Each processor has as many random keys. A sample of them gives splitters; each key is\n"
        "sent to the processor between whose splitters it lies, six keys to a short message,\n"
        "from all to all; then each sorts what it has.",
    .operation = "a comparison",
    .operation_us = CLUMP_PRICE_SAMPLE_US,
    .beside_memory_us = CLUMP_PRICE_SAMPLE_BESIDE_MEMORY_US,
    .cost_run = "SAMPLE",
    .style = "streaming",
    .sizes = sizes,
    .check = check,
    .work = work,
    .expect = expect,
};
