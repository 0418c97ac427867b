/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedules that are made operation by operation, what of them can never be run, and how they are written. */
#include "tests/unit/unit.h"

#include "model/simulation/schedule_builder.h"
#include "tests/unit/collected_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clump_cluster machine_of(size_t processors)
{
    return (clump_cluster){.nodes = 1,
                           .node = {.processors = processors, .nics = 1},
                           .network = {5, 1, 1.5, 4, 0.01},
                           .shared_memory = {1, 0.5, 0.5, 1, 0.001},
                           .memory_penalty = 1};
}

static clump_schedule_builder *begin(size_t ranks)
{
    clump_schedule_builder *b = NULL;
    assert_int_equal(clump_schedule_builder_make(ranks, &b, NULL), CLUMP_OK);
    return b;
}

static clump_schedule *finish(clump_schedule_builder *b, clump_schedule_left_out *left_out)
{
    clump_schedule *schedule = NULL;
    clump_error error = {CLUMP_OK, ""};
    if (clump_schedule_builder_finish(b, &schedule, left_out, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return schedule;
}

TEST(test_written)
{
    static text t;
    clump_schedule_builder *b = begin(3);
    const uint32_t calc = clump_schedule_add_calc(b, 0, 0, 1, 700);
    const uint32_t send = clump_schedule_add_send(b, 0, 0, 2, 2, 9, 100);
    clump_schedule_add_receive(b, 2, 3, 1, 0, 9, 100);
    clump_schedule_add_calc(b, 2, 0, 2, 0);
    clump_schedule_require(b, send, calc);
    assert_int_equal(clump_schedule_builder_operations(b), 4);
    clump_schedule *schedule = finish(b, NULL);
    t.size = 0;
    assert_true(clump_schedule_write(schedule, collect, &t));
    assert_string_equal(t.bytes, "num_ranks 3\n"
                                 "\nrank 0 {\nl1: calc 700\nl2: send 100b to 2 tag 9\n"
                                 "l2 requires l1\n}\n"
                                 "\nrank 2 {\nl1: recv 100b from 0 tag 9 cpu 3\nl2: calc 0\n}\n");
    assert_false(clump_schedule_write(schedule, refuse, NULL));
    clump_schedule_free(schedule);
}

/* ---- random schedules: half of them cannot be run to the end */

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % n);
}

enum { RANKS = 4, MOST = 60 };

/* One operation of a rank, as statement of GOAL and by the builder. @return whether it receives */
static bool add(clump_schedule_builder *b, text *t, uint32_t rank, uint32_t number)
{
    char line[128];
    const uint32_t kind = random_below(3), peer = random_below(RANKS), tag = random_below(2);
    const uint32_t size = random_below(3000), cpu = random_below(2);
    if (kind == 0) {
        clump_schedule_add_calc(b, rank, (uint8_t)cpu, number, size);
        snprintf(line, sizeof line, "a%u: calc %u cpu %u\n", number, size, cpu);
    } else if (kind == 1) {
        clump_schedule_add_send(b, rank, (uint8_t)cpu, number, peer, tag, size);
        snprintf(line, sizeof line, "a%u: send %ub to %u tag %u cpu %u\n", number, size, peer, tag,
                 cpu);
    } else {
        clump_schedule_add_receive(b, rank, (uint8_t)cpu, number, peer, tag, size);
        snprintf(line, sizeof line, "a%u: recv %ub from %u tag %u cpu %u\n", number, size, peer,
                 tag, cpu);
    }
    collect(t, line, strlen(line));
    return kind == 2;
}

static void require(clump_schedule_builder *b, text *t, uint32_t first, uint32_t later,
                    uint32_t earlier)
{
    char line[128];
    clump_schedule_require(b, first + later, first + earlier);
    snprintf(line, sizeof line, "a%u requires a%u\n", later, earlier);
    collect(t, line, strlen(line));
}

/* Receives of a rank are ordered: else times would decide which of them gets a message. */
static size_t make(clump_schedule_builder *b, text *t)
{
    char line[128];
    size_t count = 0;
    t->size = 0;
    snprintf(line, sizeof line, "num_ranks %d\n", RANKS);
    collect(t, line, strlen(line));
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        const uint32_t own = random_below(random_below(2) == 0 ? MOST : 2), first = (uint32_t)count;
        uint32_t received = UINT32_MAX;
        snprintf(line, sizeof line, "rank %u {\n", rank);
        collect(t, line, strlen(line));
        for (uint32_t i = 0; i < own; i++, count++) {
            if (add(b, t, rank, i)) {
                if (received != UINT32_MAX)
                    require(b, t, first, i, received);
                received = i;
            }
            if (i > 0 && random_below(3) > 0)
                require(b, t, first, i, i - 1 - random_below(i < 4 ? i : 4));
        }
        collect(t, "}\n", 2);
    }
    return count;
}

static clump_schedule *parse(const text *t)
{
    clump_schedule *schedule = NULL;
    clump_error error = {CLUMP_OK, ""};
    if (clump_schedule_parse(t->bytes, t->size, &schedule, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return schedule;
}

static void same_run(const clump_schedule *a, const clump_schedule *b, clump_schedule_rules rules)
{
    clump_schedule_result x = {0}, y = {0};
    clump_error error = {CLUMP_OK, ""};
    for (size_t processors = 1; processors <= 4; processors *= 2) {
        const clump_cluster machine = machine_of(processors);
        if (clump_schedule_run(a, &machine, &rules, &x, &error) != CLUMP_OK ||
            clump_schedule_run(b, &machine, &rules, &y, &error) != CLUMP_OK)
            fail_msg("%s", error.message);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

/* What the simulator says about the whole: how much is left when nothing happens any more, or how many
 * messages nobody receives. */
static void check_left_out(const text *t, size_t count, const clump_schedule_left_out *left_out)
{
    const clump_cluster machine = machine_of(2);
    clump_schedule *whole = parse(t);
    clump_schedule_result result;
    clump_error error = {CLUMP_OK, ""};
    size_t left = 0, of = count;
    unsigned long long messages = 0;
    if (clump_schedule_run(whole, &machine, NULL, &result, &error) != CLUMP_OK) {
        const char *stops = strstr(error.message, "stops with ");
        if (stops != NULL) {
            assert_int_equal(sscanf(stops, "stops with %zu of %zu", &left, &of), 2);
        } else {
            const char *several = strstr(error.message, "; ");
            messages = several != NULL ? strtoull(several + 2, NULL, 10) : 1;
            assert_int_equal(left_out->messages, messages);
        }
    }
    assert_int_equal(of, count);
    assert_int_equal(left_out->operations, left);
    clump_schedule_free(whole);
}

TEST(test_random)
{
    static text t, written;
    size_t stopped = 0, whole = 0;
    for (seed = 1; seed <= 400; seed++) {
        const uint64_t own = seed;
        uint32_t first[RANKS];
        clump_schedule_left_out left_out = {.first_call = first};
        clump_schedule_builder *b = begin(RANKS);
        seed *= 977;
        const size_t count = make(b, &t);
        clump_schedule *schedule = finish(b, &left_out);
        check_left_out(&t, count, &left_out);
        assert_int_equal(clump_schedule_operations(schedule), count - left_out.operations);
        uint32_t cut = 0;
        for (size_t r = 0; r < RANKS; r++)
            cut += first[r] != UINT32_MAX;
        assert_int_equal(cut > 0, left_out.operations > 0);
        written.size = 0;
        assert_true(clump_schedule_write(schedule, collect, &written));
        clump_schedule *again = parse(&written);
        same_run(schedule, again,
                 (clump_schedule_rules){CLUMP_SCHEDULE_QUEUED, 0.001, UINT64_MAX, 0, UINT64_MAX,
                                        CLUMP_RANKS_IN_BLOCKS, 0, NULL});
        same_run(schedule, again,
                 (clump_schedule_rules){CLUMP_SCHEDULE_LOGGOPSIM, 0, UINT64_MAX, 0, UINT64_MAX,
                                        CLUMP_RANKS_IN_BLOCKS, 0, NULL});
        if (left_out.operations == 0 && left_out.messages == 0) {
            clump_schedule *original = parse(&t);
            same_run(schedule, original, CLUMP_SCHEDULE_RULES_DEFAULTS);
            clump_schedule_free(original);
            whole++;
        } else {
            stopped++;
        }
        clump_schedule_free(again);
        clump_schedule_free(schedule);
        seed = own;
    }
    assert_true(stopped > 100 && whole > 0);
}

/* ---- mistakes */

static void refused(clump_schedule_builder *b, const char *words)
{
    clump_schedule *schedule = NULL;
    clump_error error = {CLUMP_OK, ""};
    assert_int_equal(clump_schedule_builder_finish(b, &schedule, NULL, &error), CLUMP_BAD_ARGUMENT);
    assert_null(schedule);
    if (strstr(error.message, words) == NULL)
        fail_msg("found '%s', expected '%s'", error.message, words);
}

TEST(test_mistakes)
{
    clump_error error = {CLUMP_OK, ""};
    clump_schedule_builder *b = NULL;
    assert_int_equal(clump_schedule_builder_make(0, &b, &error), CLUMP_BAD_ARGUMENT);
    b = begin(2);
    clump_schedule_add_send(b, 0, 0, 5, 2, 0, 1);
    clump_schedule_add_calc(b, 7, 0, 6, 1); /* the first one counts */
    refused(b, "rank 0, call 5");
    b = begin(2);
    clump_schedule_add_calc(b, 1, 0, 1, 1);
    clump_schedule_add_calc(b, 0, 0, 2, 1);
    refused(b, "rank 0, call 2");
    b = begin(2);
    clump_schedule_add_calc(b, 0, 64, 3, 1);
    refused(b, "rank 0, call 3");
    b = begin(2);
    clump_schedule_add_calc(b, 0, 0, 1, 1);
    clump_schedule_add_calc(b, 1, 0, 1, 1);
    clump_schedule_require(b, 1, 0);
    refused(b, "expected two of one rank");
}

UNIT_MAIN(NULL, NULL)
