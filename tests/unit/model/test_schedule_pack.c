/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedules as short texts: there and back they are the same; and what is no such text is refused. */
#include "model/simulation/schedule_pack.h"

#include "model/simulation/schedule_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct goal {
    char *bytes;
    size_t size;
} goal;

static bool collect(void *context, const char *bytes, size_t size)
{
    goal *g = context;
    char *larger = realloc(g->bytes, g->size + size + 1);
    assert_non_null(larger);
    memcpy(larger + g->size, bytes, size);
    g->bytes = larger;
    g->size += size;
    g->bytes[g->size] = '\0';
    return true;
}

static goal goal_of(const clump_schedule *schedule)
{
    goal g = {NULL, 0};
    assert_true(clump_schedule_write(schedule, collect, &g));
    return g;
}

static uint64_t drawn = 1;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(drawn >> 33) % below;
}

/* Ranks that exchange messages in rounds, with all kinds of waiting within a rank. */
static clump_schedule *make(size_t ranks, unsigned rounds)
{
    clump_schedule_builder *builder;
    clump_schedule *schedule;
    clump_error error = {CLUMP_OK, ""};
    assert_int_equal(clump_schedule_builder_make(ranks, &builder, &error), CLUMP_OK);
    for (uint32_t r = 0; r < ranks; r++) {
        uint32_t first = UINT32_MAX, last = 0;
        for (unsigned k = 0; k < rounds; k++) {
            const uint8_t cpu = (uint8_t)draw(3);
            const uint32_t kind = draw(3), next = (uint32_t)((r + 1) % ranks),
                           before = (uint32_t)((r + ranks - 1) % ranks);
            last = clump_schedule_add_calc(builder, r, cpu, k, draw(1000000));
            const uint32_t sent = clump_schedule_add_send(builder, r, 0, k, next, k, 8 * k);
            const uint32_t got = clump_schedule_add_receive(builder, r, 0, k, before, k, 8 * k);
            if (first == UINT32_MAX)
                first = last;
            if (kind > 0)
                clump_schedule_require(builder, sent, last);
            if (kind > 1) {
                clump_schedule_require(builder, got, sent);
                clump_schedule_require(builder, got, first);
            }
        }
    }
    if (clump_schedule_builder_finish(builder, &schedule, NULL, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return schedule;
}

static void there_and_back(void **state)
{
    (void)state;
    for (size_t ranks = 1; ranks <= 9; ranks++)
        for (unsigned rounds = 0; rounds <= 20; rounds += 5) {
            clump_schedule *schedule = make(ranks, rounds), *again = NULL;
            char *texts[9];
            clump_error error = {CLUMP_OK, ""};
            for (uint32_t r = 0; r < ranks; r++) {
                assert_int_equal(clump_schedule_pack(schedule, r, &texts[r], &error), CLUMP_OK);
                assert_null(strpbrk(texts[r], " \t\n,\"%"));
            }
            if (clump_schedule_unpack((const char *const *)texts, ranks, 1000, &again, &error) !=
                CLUMP_OK)
                fail_msg("%s", error.message);
            goal a = goal_of(schedule), b = goal_of(again);
            assert_string_equal(a.bytes, b.bytes);
            for (size_t r = 0; r < ranks; r++)
                free(texts[r]);
            free(a.bytes);
            free(b.bytes);
            clump_schedule_free(schedule);
            clump_schedule_free(again);
        }
}

static void by_hand(void **state)
{
    (void)state;
    static const char *const texts[] = {"c100s8.1t3c5p2w2r9.1w3.1", "r8.0t3s9.0"};
    clump_schedule *schedule = NULL;
    clump_error error = {CLUMP_OK, ""};
    if (clump_schedule_unpack(texts, 2, 6, &schedule, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    goal g = goal_of(schedule);
    assert_string_equal(g.bytes, "num_ranks 2\n"
                                 "\nrank 0 {\n"
                                 "l1: calc 100\n"
                                 "l2: send 8b to 1 tag 3\n"
                                 "l3: calc 5 cpu 2\n"
                                 "l4: recv 9b from 1\n"
                                 "l2 requires l1\n"
                                 "l3 requires l1\n"
                                 "l4 requires l1\n"
                                 "l4 requires l3\n"
                                 "}\n"
                                 "\nrank 1 {\n"
                                 "l1: recv 8b from 0 tag 3\n"
                                 "l2: send 9b to 0\n"
                                 "l2 requires l1\n"
                                 "}\n");
    free(g.bytes);
    clump_schedule_free(schedule);
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"x1", "byte 1: found 'x1', expected c, s or r"},
        {"c", "byte 2: found the end, expected nanoseconds"},
        {"c-1", "byte 2: found '-1'"},
        {"c99999999999999999999", "expected nanoseconds"},
        {"s8", "expected a '.' and a rank"},
        {"s8.1", "expected a '.' and a rank"},
        {"r8.0t4294967295", "expected a tag"},
        {"c1p64", "expected a CPU"},
        {"c1w1", "expected how many operations before it"},
        {"c1c1w2", "expected how many operations before it"},
        {"c1c1w1.x", "expected how many operations before it"},
        {"c1c1c1c1c1", "too many operations"},
        {"c1 c1", "byte 3: found ' c1'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        clump_schedule *schedule = NULL;
        clump_error error = {CLUMP_OK, ""};
        assert_int_equal(clump_schedule_unpack(&wrong[i].text, 1, 4, &schedule, &error),
                         CLUMP_BAD_ARGUMENT);
        assert_null(schedule);
        if (strstr(error.message, wrong[i].why) == NULL)
            fail_msg("'%s': '%s', expected '%s'", wrong[i].text, error.message, wrong[i].why);
    }
}

static void not_kept(void **state)
{
    (void)state;
    static const char wild[] = "num_ranks 2\nrank 0 { recv 8b from -1 }\nrank 1 { send 8b to 0 }\n";
    clump_schedule *schedule;
    clump_error error = {CLUMP_OK, ""};
    char *text;
    assert_int_equal(clump_schedule_parse(wild, sizeof wild - 1, &schedule, &error), CLUMP_OK);
    assert_int_equal(clump_schedule_pack(schedule, 0, &text, &error), CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "from anybody"));
    assert_null(text);
    clump_schedule_free(schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(refused),
        cmocka_unit_test(not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
