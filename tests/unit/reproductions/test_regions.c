/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared regions (reproductions/systems/regions.h): random programs of reads and writes, of which all
 * accesses together must be sequentially consistent: what each has seen is written down, and a
 * checker that knows nothing of the protocol looks for an order of all. Then how many messages
 * each kind of miss needs, barriers, and mistakes.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "reproductions/systems/regions.h"

#include "reproductions/virtual/splitmix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "tests/unit/system_run.h"

/* ---- random programs */

enum { REGIONS = 12, ACCESSES = 150, WORKERS_MOST = 24 };

/* One access: which version it has found or made. */
typedef struct access {
    uint16_t region;
    bool write;
    uint32_t version;
} access;

typedef struct history {
    access accesses[WORKERS_MOST][ACCESSES];
    clump_regions_counters counters[WORKERS_MOST];
} history;

static history *seen; /* shared by all processes */

/* Sizes of less than a packet, of one, and of several. */
static uint32_t words_of(uint32_t region)
{
    static const uint32_t words[] = {2, 3, 300, 508, 1300};
    return words[region % (sizeof words / sizeof *words)];
}

static void require(clump_regions *s, bool holds, const char *what)
{
    if (!holds)
        clump_worker_fail(clump_regions_worker(s), what);
}

static uint32_t word_of(uint32_t region, uint32_t version, uint32_t writer, uint32_t i)
{
    return version == 0 ? 0 : (region * 131 + version) * 2654435761u + writer * 977 + i;
}

/* All of its words are those of one version by one writer. @return the version */
static uint32_t look_at(clump_regions *s, uint32_t region, const uint32_t *words)
{
    for (uint32_t i = 2; i < words_of(region); i++)
        require(s, words[i] == word_of(region, words[0], words[1], i), "words of several versions");
    return words[0];
}

static void note(uint32_t me, uint32_t *count, uint32_t region, bool write, uint32_t version)
{
    seen->accesses[me][*count] =
        (access){.region = (uint16_t)region, .write = write, .version = version};
    ++*count;
}

static uint32_t write_one(clump_regions *s, clump_region **regions, uint32_t me, uint32_t region)
{
    uint32_t *words = clump_region_start_write(regions[region]);
    const uint32_t version = look_at(s, region, words) + 1;
    words[0] = version;
    words[1] = me;
    for (uint32_t i = 2; i < words_of(region); i++)
        words[i] = word_of(region, version, me, i);
    return version;
}

static void random_program(clump_worker *w, const clump_application_input *input,
                           clump_application_result *result)
{
    const uint32_t me = w->rank;
    uint64_t random = clump_application_seed(input->seed, 1, me);
    clump_region *regions[REGIONS];
    clump_regions *s = clump_regions_open(w);
    uint32_t count = 0;
    for (uint32_t r = 0; r < REGIONS; r++)
        if (r % w->count == me)
            clump_regions_create(s, words_of(r) * 4);
    clump_regions_barrier(s);
    for (uint32_t r = 0; r < REGIONS; r++) {
        regions[r] = clump_regions_map(s, (clump_region_name){r % w->count, r / w->count},
                                       r % 2 == 0 ? 0 : words_of(r) * 4);
        require(s, clump_region_bytes(regions[r]) == words_of(r) * 4, "another size");
    }
    while (count < ACCESSES) {
        /* Some regions are wanted by all. */
        const uint32_t draw = (uint32_t)clump_splitmix_next(&random),
                       one = draw % 3 == 0 ? draw / 3 % 3 : draw / 3 % REGIONS;
        if (draw >> 24 < 90) {
            note(me, &count, one, true, write_one(s, regions, me, one));
            clump_worker_compute(w, draw >> 8 & 255);
            clump_region_end_write(regions[one]);
        } else {
            const uint32_t *words = clump_region_start_read(regions[one]);
            note(me, &count, one, false, look_at(s, one, words));
            if (one + 1 < REGIONS && count < ACCESSES && draw >> 24 > 200) {
                const uint32_t *more = clump_region_start_read(regions[one + 1]);
                note(me, &count, one + 1, false, look_at(s, one + 1, more));
                clump_worker_compute(w, draw >> 8 & 255);
                clump_region_end_read(regions[one + 1]);
            }
            look_at(s, one, words);
            clump_region_end_read(regions[one]);
        }
        if (draw >> 28 == 3)
            clump_regions_poll(s);
    }
    clump_regions_barrier(s);
    seen->counters[me] = clump_regions_count(s);
    const char *wrong = clump_regions_check(s);
    require(s, wrong == NULL, wrong);
    clump_regions_barrier(s);
    result->items = count;
}

/* ---- the checker */

/* Every access is a node; an edge leads to what must come later: the next one of the same worker; from
 * the write of a version to its reads and the next write; from a read of a version to the write of the next
 * one. They are sequentially consistent if and only if that is no circle, as versions tell the
 * order of writes. */
static const char *wrong_with(uint32_t workers)
{
    enum { MOST = WORKERS_MOST * ACCESSES };
    static uint32_t write_of[REGIONS][MOST + 2]; /* node + 1 */
    static uint32_t pending[MOST];               /* edges that lead there */
    static uint32_t ready[MOST];
    uint32_t ready_count = 0, done = 0, writes[REGIONS] = {0}, greatest[REGIONS] = {0};
    const uint32_t nodes = workers * ACCESSES;
    memset(write_of, 0, sizeof write_of);
    for (uint32_t n = 0; n < nodes; n++) {
        const access *a = &seen->accesses[n / ACCESSES][n % ACCESSES];
        if (a->version > nodes)
            return "a version that nobody can have made";
        if (!a->write)
            continue;
        if (a->version == 0 || write_of[a->region][a->version] != 0)
            return "a version is made twice";
        write_of[a->region][a->version] = n + 1;
        writes[a->region]++;
        greatest[a->region] = a->version > greatest[a->region] ? a->version : greatest[a->region];
    }
    for (uint32_t r = 0; r < REGIONS; r++)
        if (writes[r] != greatest[r])
            return "a version is missing";
    /* Readers of each version, as a list through the nodes. */
    static uint32_t first_reader[REGIONS][MOST + 2], next_reader[MOST];
    memset(first_reader, 0, sizeof first_reader);
    for (uint32_t n = 0; n < nodes; n++) {
        const access *a = &seen->accesses[n / ACCESSES][n % ACCESSES];
        pending[n] = n % ACCESSES > 0;
        if (a->write)
            continue;
        if (a->version > greatest[a->region])
            return "a version is read that nobody wrote";
        pending[n] += a->version > 0;
        next_reader[n] = first_reader[a->region][a->version];
        first_reader[a->region][a->version] = n + 1;
    }
    for (uint32_t n = 0; n < nodes; n++) {
        const access *a = &seen->accesses[n / ACCESSES][n % ACCESSES];
        if (a->write) {
            pending[n] += a->version > 1;
            for (uint32_t r = first_reader[a->region][a->version - 1]; r != 0;
                 r = next_reader[r - 1])
                pending[n]++;
        }
    }
    for (uint32_t n = 0; n < nodes; n++)
        if (pending[n] == 0)
            ready[ready_count++] = n;
#define LEAD_TO(node)                                                                              \
    if (--pending[node] == 0)                                                                      \
    ready[ready_count++] = (node)
    while (done < ready_count) {
        const uint32_t n = ready[done++];
        const access *a = &seen->accesses[n / ACCESSES][n % ACCESSES];
        const uint32_t later = write_of[a->region][a->version + 1];
        if (n % ACCESSES + 1 < ACCESSES)
            LEAD_TO(n + 1);
        if (later != 0)
            LEAD_TO(later - 1);
        if (a->write)
            for (uint32_t r = first_reader[a->region][a->version]; r != 0; r = next_reader[r - 1])
                LEAD_TO(r - 1);
    }
#undef LEAD_TO
    return done == nodes ? NULL : "accesses that follow each other in a circle";
}

static void check_random(const system_way *way, uint64_t seed)
{
    memset(seen, 0, sizeof *seen);
    const clump_application_run run = system_run(way, random_program, seed);
    assert_int_equal(run.result.items, way->workers * ACCESSES);
    const char *wrong = wrong_with(way->workers);
    if (wrong != NULL)
        fail_msg("%s, %u workers: %s", way->live ? "live" : way->protocol, way->workers, wrong);
    uint64_t misses = 0, all = 0;
    for (uint32_t i = 0; i < way->workers; i++) {
        const clump_regions_counters *c = &seen->counters[i];
        all += c->read_hits + c->read_misses + c->write_hits + c->write_misses;
        misses += c->read_misses + c->write_misses;
    }
    assert_int_equal(all, way->workers * ACCESSES);
    assert_true(way->workers == 1 ? misses == 0 : misses > 0);
    if (way->loss > 0)
        assert_true(run.counters.resent > 0);
}

static const system_way ways[] = {
    {.protocol = "", .workers = 1, .per_node = 1},
    {.protocol = "", .workers = 8, .per_node = 4},
    {.protocol = "l-sdma", .workers = 2, .per_node = 1},
    {.protocol = "l-pio-1k", .workers = 5, .per_node = 1, .interrupts = true},
    {.protocol = "l-nirx", .workers = 7, .per_node = 1, .loss = 0.03, .interrupts = true},
    {.protocol = "l-hrx", .workers = 7, .per_node = 1, .loss = 0.03, .interrupts = true},
    {.protocol = "l-hrx", .workers = 24, .per_node = 1},
    {.protocol = "l-sdma-hmc-binomial", .workers = 24, .per_node = 1, .interrupts = true},
    {.live = true, .workers = 2, .per_node = 2},
    {.live = true, .workers = 4, .per_node = 4},
    {.live = true, .workers = 4, .per_node = 2},
};

TEST(test_sequential_consistency)
{
    const char *text = getenv("CLUMP_TEST_LONG");
    const uint64_t seeds = text != NULL ? 40 : 2;
    for (uint64_t seed = 1; seed <= seeds; seed++)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            check_random(&ways[i], seed);
}

/* The checker itself: two workers, each of which writes one region and has read the other one's
 * version 0 or 1 afterwards. */
static const char *read_after_write(uint32_t first, uint32_t second)
{
    memset(seen, 0, sizeof *seen);
    for (uint16_t w = 0; w < 2; w++) {
        seen->accesses[w][0] = (access){.region = w, .write = true, .version = 1};
        seen->accesses[w][1] =
            (access){.region = (uint16_t)(1 - w), .version = w == 0 ? first : second};
        for (uint32_t i = 2; i < ACCESSES; i++)
            seen->accesses[w][i] = (access){.region = w, .version = 1};
    }
    return wrong_with(2);
}

TEST(test_the_checker)
{
    assert_null(read_after_write(1, 1));
    assert_null(read_after_write(0, 1));
    assert_null(read_after_write(1, 0));
    assert_string_equal(read_after_write(0, 0), "accesses that follow each other in a circle");
    assert_string_equal(read_after_write(2, 1), "a version is read that nobody wrote");
    seen->accesses[1][ACCESSES - 1] = (access){.region = 0, .write = true, .version = 1};
    assert_string_equal(wrong_with(2), "a version is made twice");
    seen->accesses[1][ACCESSES - 1].version = 3;
    assert_string_equal(wrong_with(2), "a version is missing");
}

/* ---- messages of each kind of miss: section 6.2's "a small request to the home, zero or more
 * invalidations, and a reply" */

enum { STEPS = 9 };

static void count_messages(clump_worker *w, const clump_application_input *input,
                           clump_application_result *result)
{
    /* Who does what, one after the other; the region's home is worker 0. */
    static const struct {
        uint32_t who;
        bool write;
    } steps[STEPS] = {{1, true},  {1, false}, {2, false}, {3, false}, {2, true},
                      {0, false}, {2, true},  {3, true},  {0, true}};
    clump_regions *s = clump_regions_open(w);
    (void)input;
    if (w->rank == 0)
        clump_regions_create(s, 400);
    clump_regions_barrier(s);
    clump_region *r = clump_regions_map(s, (clump_region_name){0, 0}, 0);
    for (unsigned i = 0; i < STEPS; i++) {
        clump_regions_barrier(s);
        const clump_worker_traffic before = w->traffic;
        clump_regions_barrier(s);
        const clump_worker_traffic barrier = w->traffic;
        require(s, barrier.bulk_remote.messages == before.bulk_remote.messages + 1,
                "a barrier that is not one multicast of each");
        if (w->rank == steps[i].who) {
            if (steps[i].write) {
                clump_region_start_write(r);
                clump_region_end_write(r);
            } else {
                clump_region_start_read(r);
                clump_region_end_read(r);
            }
        }
        clump_regions_barrier(s); /* costs what the one before did */
        uint64_t *messages = (uint64_t *)seen;
        messages[(w->rank * STEPS + i) * 2] =
            (w->traffic.bulk_remote.messages - barrier.bulk_remote.messages) -
            (barrier.bulk_remote.messages - before.bulk_remote.messages);
        messages[(w->rank * STEPS + i) * 2 + 1] =
            (w->traffic.bulk_remote.bytes - barrier.bulk_remote.bytes) -
            (barrier.bulk_remote.bytes - before.bulk_remote.bytes);
    }
    result->items = 1;
}

TEST(test_messages_of_misses)
{
    /* Messages of all workers, and how many of them had the region's 400 bytes. */
    static const uint64_t expected[STEPS][2] = {
        {2, 1}, /* a write miss that finds it at home: request, data */
        {0, 0}, /* a hit */
        {4, 2}, /* a read miss, a writer elsewhere: request, downgrade, data back, data */
        {2, 1}, /* a read miss: the home has it */
        {6, 0}, /* a write miss of a reader, two other readers: request, 2 invalidations and their
                   answers, grant */
        {2, 1}, /* the home reads: downgrade, data back */
        {2, 0}, /* the same writer again, as the only reader: request, grant */
        {4, 2}, /* a writer after a writer */
        {2, 1}, /* the home takes it back */
    };
    const system_way way = {.protocol = "l-sdma", .workers = 4, .per_node = 1};
    memset(seen, 0, sizeof *seen);
    system_run(&way, count_messages, 1);
    const uint64_t *messages = (const uint64_t *)seen;
    for (unsigned i = 0; i < STEPS; i++) {
        uint64_t count = 0, bytes = 0;
        for (unsigned w = 0; w < 4; w++) {
            count += messages[(w * STEPS + i) * 2];
            bytes += messages[(w * STEPS + i) * 2 + 1];
        }
        if (count != expected[i][0] || bytes / 400 != expected[i][1])
            fail_msg("step %u: %u messages, %u bytes", i, (unsigned)count, (unsigned)bytes);
    }
}

/* ---- barriers and reductions */

static void reduce(clump_worker *w, const clump_application_input *input,
                   clump_application_result *result)
{
    clump_regions *s = clump_regions_open(w);
    const double me = w->rank, count = w->count;
    (void)input;
    for (unsigned round = 0; round < 20; round++) {
        double numbers[3] = {1, me, me * me};
        clump_worker_compute(w, (w->rank * 37 + round * 11) % 100 * 10.0);
        clump_regions_reduce(s, CLUMP_REGION_ADD, numbers, 3);
        require(s,
                numbers[0] == count && numbers[1] == count * (count - 1) / 2 &&
                    numbers[2] == (count - 1) * count * (2 * count - 1) / 6,
                "a wrong sum");
        numbers[0] = round - me;
        clump_regions_reduce(s, CLUMP_REGION_LEAST, numbers, 1);
        require(s, numbers[0] == round - (count - 1), "a wrong least number");
        numbers[0] = round - me;
        clump_regions_reduce(s, CLUMP_REGION_GREATEST, numbers, 1);
        require(s, numbers[0] == round, "a wrong greatest number");
        /* Nobody leaves a barrier before all are there. */
        uint32_t *there = (uint32_t *)seen;
        __atomic_store_n(&there[w->rank], round + 1, __ATOMIC_SEQ_CST);
        clump_regions_barrier(s);
        for (uint32_t i = 0; i < w->count; i++)
            require(s, __atomic_load_n(&there[i], __ATOMIC_SEQ_CST) >= round + 1,
                    "a barrier left before all were there");
    }
    result->items = 1;
}

TEST(test_reductions)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        memset(seen, 0, sizeof *seen);
        system_run(&ways[i], reduce, 3);
    }
}

/* ---- what a program must not do */

static void write_twice(clump_worker *w, const clump_application_input *input,
                        clump_application_result *result)
{
    clump_regions *s = clump_regions_open(w);
    (void)input, (void)result;
    clump_region *r = clump_regions_map(s, clump_regions_create(s, 8), 0);
    clump_region_start_write(r);
    clump_region_start_write(r);
}

static void end_what_has_not_begun(clump_worker *w, const clump_application_input *input,
                                   clump_application_result *result)
{
    clump_regions *s = clump_regions_open(w);
    (void)input, (void)result;
    clump_region_end_read(clump_regions_map(s, clump_regions_create(s, 8), 0));
}

static void map_nothing(clump_worker *w, const clump_application_input *input,
                        clump_application_result *result)
{
    clump_regions *s = clump_regions_open(w);
    (void)input, (void)result;
    clump_regions_map(s, (clump_region_name){1 - w->rank, 0}, 0);
}

static void map_another_size(clump_worker *w, const clump_application_input *input,
                             clump_application_result *result)
{
    clump_regions *s = clump_regions_open(w);
    (void)input, (void)result;
    clump_regions_create(s, 8);
    clump_regions_barrier(s);
    clump_region_start_read(clump_regions_map(s, (clump_region_name){1 - w->rank, 0}, 12));
}

static void create_too_much(clump_worker *w, const clump_application_input *input,
                            clump_application_result *result)
{
    clump_regions *s = clump_regions_open(w);
    (void)input, (void)result;
    clump_regions_create(s, (1 << 24) + 1);
}

TEST(test_mistakes)
{
    static const struct {
        system_work *work;
        const char *says;
    } mistakes[] = {{write_twice, "a region is written that is being read or written"},
                    {end_what_has_not_begun, "a read ends that has not begun"},
                    {map_nothing, "a region that does not exist"},
                    {map_another_size, "data beyond their region"},
                    {create_too_much, "a region of no bytes, or of more than 2^24"}};
    static const system_way both[] = {{.protocol = "l-sdma", .workers = 2, .per_node = 1},
                                      {.live = true, .workers = 2, .per_node = 2}};
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_application_run run;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(system_try(&both[k], mistakes[i].work, 1, &run, message),
                             CLUMP_PROTOCOL_FAILED);
            if (strstr(message, mistakes[i].says) == NULL)
                fail_msg("%s", message);
        }
}

int main(void)
{
    seen = system_share(sizeof *seen);
    return unit_run(NULL, NULL);
}
