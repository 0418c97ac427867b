/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Radix (cluster-protocols.txt, section 7): a parallel radix sort over shared regions. Each processor
 * owns a contiguous part of the array, cut into regions of 1 kilobyte. A pass for each digit: count
 * the digits of one's keys; tell the others; and move each key to where it belongs, mostly in the
 * part of somebody else.
 */
#include "reproductions/applications/application.h"

#include "reproductions/systems/regions.h"
#include "reproductions/virtual/splitmix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS, RADIX, BITS };

enum { REGION_KEYS = 256 }; /* 1 kilobyte of keys of 4 bytes */

/* Adding up the histograms of all, beside counting or moving a key: one load and one addition. */
static const double ADDITION = 0.1;

static const clump_application_size sizes[] = {
    {"keys", "keys of all processors", 3e6, 1, 1e8, true},
    {"radix", "values of a digit, a power of 2", 128, 2, 4096, true},
    {"bits", "of a key", 32, 1, 32, true},
    {NULL, NULL, 0, 0, 0, false}};

typedef struct layout {
    uint32_t keys, workers, radix, digit_bits, passes, mask;
} layout;

static layout layout_of(const clump_application_input *input)
{
    layout l = {.keys = (uint32_t)input->sizes[KEYS],
                .workers = input->workers,
                .radix = (uint32_t)input->sizes[RADIX]};
    const uint32_t bits = (uint32_t)input->sizes[BITS];
    while (1u << l.digit_bits < l.radix)
        l.digit_bits++;
    l.passes = (bits + l.digit_bits - 1) / l.digit_bits;
    l.mask = bits < 32 ? (1u << bits) - 1 : UINT32_MAX;
    return l;
}

static uint32_t first_of(const layout *l, uint32_t worker)
{
    return (uint32_t)((uint64_t)l->keys * worker / l->workers);
}

static uint32_t owner_of(const layout *l, uint32_t index)
{
    uint32_t worker = (uint32_t)((uint64_t)index * l->workers / l->keys);
    while (first_of(l, worker) > index)
        worker--;
    while (first_of(l, worker + 1) <= index)
        worker++;
    return worker;
}

static uint32_t key_at(const clump_application_input *input, const layout *l, uint32_t index)
{
    uint64_t state = clump_application_seed(input->seed, 1, index);
    return (uint32_t)(clump_splitmix_next(&state) >> 32) & l->mask;
}

static bool check(const clump_application_input *input, char message[CLUMP_APPLICATION_MESSAGE])
{
    const layout l = layout_of(input);
    if (l.radix != 1u << l.digit_bits) {
        snprintf(message, CLUMP_APPLICATION_MESSAGE, "found a radix of %u, expected a power of 2",
                 l.radix);
        return false;
    }
    if (l.workers > 1024) {
        snprintf(message, CLUMP_APPLICATION_MESSAGE,
                 "found %u processors, expected at most 1024, which share regions", l.workers);
        return false;
    }
    if (l.keys >= l.workers)
        return true;
    snprintf(message, CLUMP_APPLICATION_MESSAGE,
             "found %u keys for %u processors, expected at least one each", l.keys, l.workers);
    return false;
}

static void add_key(clump_application_result *result, uint32_t index, uint32_t key)
{
    result->digest += clump_application_mix(index, key);
    result->items++;
}

/* ---- on all processors */

/* One's part in this pass and in the next one, and histograms: regions in the order of creation. */
typedef struct sorter {
    layout l;
    clump_worker *worker;
    clump_regions *regions;
    uint32_t first, count, blocks; /* of one's own part */
    uint32_t *counts, *places, *totals;
    /* By digit: the region where keys with that one go at present, and what it begins with. */
    clump_region **target;
    uint32_t *target_first, *target_end;
} sorter;

static uint32_t blocks_of(const layout *l, uint32_t worker)
{
    return (first_of(l, worker + 1) - first_of(l, worker) + REGION_KEYS - 1) / REGION_KEYS;
}

/* Region `block` of a worker's part of array `which`. */
static clump_region_name name_of(const layout *l, uint32_t worker, unsigned which, uint32_t block)
{
    return (clump_region_name){worker, 1 + which * blocks_of(l, worker) + block};
}

static clump_region *own_region(const sorter *s, unsigned which, uint32_t block)
{
    return clump_regions_map(s->regions, name_of(&s->l, s->worker->rank, which, block), 0);
}

/* The counts of a worker's digits. */
static clump_region *histogram_of(const sorter *s, uint32_t worker)
{
    return clump_regions_map(s->regions, (clump_region_name){worker, 0}, s->l.radix * 4);
}

static uint32_t keys_in(const sorter *s, uint32_t block)
{
    return block + 1 < s->blocks ? REGION_KEYS : s->count - block * REGION_KEYS;
}

static void make_regions(sorter *s, const clump_application_input *input)
{
    clump_regions_create(s->regions, s->l.radix * 4); /* the histogram comes first */
    for (unsigned which = 0; which < 2; which++)
        for (uint32_t b = 0; b < s->blocks; b++)
            clump_regions_create(s->regions, keys_in(s, b) * 4);
    for (uint32_t b = 0; b < s->blocks; b++) {
        clump_region *r = own_region(s, 0, b);
        uint32_t *keys = clump_region_start_write(r);
        for (uint32_t i = 0; i < keys_in(s, b); i++)
            keys[i] = key_at(input, &s->l, s->first + b * REGION_KEYS + i);
        clump_region_end_write(r);
    }
}

static uint32_t digit_of(const layout *l, uint32_t key, uint32_t pass)
{
    return key >> pass * l->digit_bits & (l->radix - 1);
}

static void count_digits(sorter *s, unsigned which, uint32_t pass)
{
    memset(s->counts, 0, s->l.radix * sizeof *s->counts);
    for (uint32_t b = 0; b < s->blocks; b++) {
        clump_region *r = own_region(s, which, b);
        const uint32_t *keys = clump_region_start_read(r);
        for (uint32_t i = 0; i < keys_in(s, b); i++)
            s->counts[digit_of(&s->l, keys[i], pass)]++;
        clump_worker_compute(s->worker, keys_in(s, b));
        clump_region_end_read(r);
    }
    clump_region *mine = histogram_of(s, s->worker->rank);
    memcpy(clump_region_start_write(mine), s->counts, s->l.radix * sizeof *s->counts);
    clump_region_end_write(mine);
}

/* Where one's first key of each digit goes: behind those of lower digits, and those of the same one
 * that lower ranks have. */
static void find_places(sorter *s)
{
    const layout *l = &s->l;
    memset(s->totals, 0, l->radix * sizeof *s->totals);
    for (uint32_t i = 0; i < l->workers; i++) {
        const uint32_t from = (s->worker->rank + i) % l->workers; /* not all from the same one */
        clump_region *r = histogram_of(s, from);
        const uint32_t *counts = clump_region_start_read(r);
        for (uint32_t d = 0; d < l->radix; d++) {
            s->totals[d] += counts[d];
            s->places[d] = (i == 0 ? 0 : s->places[d]) + (from < s->worker->rank ? counts[d] : 0);
        }
        clump_region_end_read(r);
        clump_worker_compute(s->worker, ADDITION * l->radix);
    }
    for (uint32_t d = 0, before = 0; d < l->radix; before += s->totals[d++])
        s->places[d] += before;
}

/* The region with that place of the array. */
static void aim(sorter *s, uint32_t digit, unsigned which, uint32_t place)
{
    const layout *l = &s->l;
    const uint32_t owner = owner_of(l, place), first = first_of(l, owner),
                   end = first_of(l, owner + 1), block = (place - first) / REGION_KEYS,
                   begin = first + block * REGION_KEYS;
    s->target_first[digit] = begin;
    s->target_end[digit] = begin + REGION_KEYS < end ? begin + REGION_KEYS : end;
    s->target[digit] = clump_regions_map(s->regions, name_of(l, owner, which, block),
                                         (s->target_end[digit] - begin) * 4);
}

static void move_keys(sorter *s, unsigned which, uint32_t pass)
{
    memset(s->target_end, 0, s->l.radix * sizeof *s->target_end);
    for (uint32_t b = 0; b < s->blocks; b++) {
        clump_region *r = own_region(s, which, b);
        const uint32_t *keys = clump_region_start_read(r);
        for (uint32_t i = 0; i < keys_in(s, b); i++) {
            const uint32_t digit = digit_of(&s->l, keys[i], pass), place = s->places[digit]++;
            if (place >= s->target_end[digit] || place < s->target_first[digit])
                aim(s, digit, 1 - which, place);
            uint32_t *there = clump_region_start_write(s->target[digit]);
            there[place - s->target_first[digit]] = keys[i];
            clump_worker_compute(s->worker, 1);
            clump_region_end_write(s->target[digit]);
        }
        clump_region_end_read(r);
    }
}

static void work(clump_worker *w, const clump_application_input *input,
                 clump_application_result *result)
{
    sorter s = {.l = layout_of(input), .worker = w, .regions = clump_regions_open(w)};
    s.first = first_of(&s.l, w->rank);
    s.count = first_of(&s.l, w->rank + 1) - s.first;
    s.blocks = blocks_of(&s.l, w->rank);
    s.counts = clump_worker_allocate(w, s.l.radix, sizeof *s.counts);
    s.places = clump_worker_allocate(w, s.l.radix, sizeof *s.places);
    s.totals = clump_worker_allocate(w, s.l.radix, sizeof *s.totals);
    s.target = clump_worker_allocate(w, s.l.radix, sizeof(clump_region *));
    s.target_first = clump_worker_allocate(w, s.l.radix, sizeof *s.target_first);
    s.target_end = clump_worker_allocate(w, s.l.radix, sizeof *s.target_end);
    make_regions(&s, input);
    clump_regions_barrier(s.regions);
    clump_worker_begin(w);
    clump_regions_barrier(s.regions);
    unsigned which = 0;
    for (uint32_t pass = 0; pass < s.l.passes; pass++, which = 1 - which) {
        count_digits(&s, which, pass);
        clump_regions_barrier(s.regions);
        find_places(&s);
        move_keys(&s, which, pass);
        clump_regions_barrier(s.regions);
        clump_worker_progress(w, (pass + 1.0) / s.l.passes);
    }
    clump_worker_end(w);
    for (uint32_t b = 0; b < s.blocks; b++) {
        clump_region *r = own_region(&s, which, b);
        const uint32_t *keys = clump_region_start_read(r);
        for (uint32_t i = 0; i < keys_in(&s, b); i++)
            add_key(result, s.first + b * REGION_KEYS + i, keys[i]);
        clump_region_end_read(r);
    }
    clump_regions_barrier(s.regions);
}

/* ---- on one */

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool expect(const clump_application_input *input, clump_application_result *result)
{
    const layout l = layout_of(input);
    uint32_t *keys = malloc(l.keys * sizeof *keys);
    *result = (clump_application_result){.items = 0};
    if (keys == NULL)
        return false;
    for (uint32_t i = 0; i < l.keys; i++)
        keys[i] = key_at(input, &l, i);
    qsort(keys, l.keys, sizeof *keys, compare);
    for (uint32_t i = 0; i < l.keys; i++)
        add_key(result, i, keys[i]);
    free(keys);
    return true;
}

/* Table VII's time on one processor, 4.6 and 1.0 s: 5 passes, in each of which 3,000,000 keys are counted
 * and moved. */
static const clump_application_cost costs[] = {
    {"ppro-myrinet", 4.6 / 30}, {"p3-myrinet", 1.0 / 30}, {.platform = NULL}};

const clump_application clump_application_radix = {
    .name = "radix",
    .run = "Radix",
    .title = "Radix sort of 32-bit integers over shared regions",
    .text =
        "Keys are sorted by one digit after the other. In each pass processors count the digits\n"
        "of their keys, read the counts of all others, and write each key to its place, in\n"
        "regions of 1 kilobyte of which most are at home elsewhere. Regions are read and\n"
        "written by whole misses: a request and an answer that is waited for.",
    .operation = "a key counted or moved",
    .operation_us = 4.6 / 30,
    .sizes = sizes,
    .system = "CRL",
    .threads = true,
    .costs = costs,
    .check = check,
    .work = work,
    .expect = expect,
};
