/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls as texts: what is written is what is read; collectives are taken apart for any nodes; and what is no such text is refused. */
#include "model/simulation/kept_calls.h"

#include "model/simulation/schedule_builder.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

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

static const clump_kept_machine one_each = {.library = CLUMP_MPI_OPEN_MPI, .most_operations = 1000};

static clump_schedule *read_text(const char *text, size_t ranks, const clump_kept_machine *machine)
{
    clump_schedule *schedule = NULL;
    clump_error error = {CLUMP_OK, ""};
    if (clump_kept_schedule(text, ranks, machine, &schedule, NULL, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return schedule;
}

static void expect_goal(const clump_schedule *schedule, const char *expected)
{
    goal g = goal_of(schedule);
    assert_string_equal(g.bytes, expected);
    free(g.bytes);
}

/* Ranks that exchange messages in rounds, with all kinds of waiting within a rank: as a text, and as a schedule. */
TEST(there_and_back)
{
    for (size_t ranks = 1; ranks <= 9; ranks++)
        for (unsigned rounds = 0; rounds <= 20; rounds += 5) {
            clump_schedule_builder *builder;
            clump_schedule *schedule;
            clump_error error = {CLUMP_OK, ""};
            clump_kept_writer *writer = clump_kept_writer_new();
            assert_int_equal(clump_schedule_builder_make(ranks, &builder, &error), CLUMP_OK);
            for (uint32_t r = 0; r < ranks; r++) {
                uint32_t first = UINT32_MAX, last, sent, got;
                uint32_t kept_first = UINT32_MAX, kept_last, kept_sent, kept_got;
                for (unsigned k = 0; k < rounds; k++) {
                    const uint8_t cpu = (uint8_t)draw(3);
                    const uint32_t kind = draw(3), next = (uint32_t)((r + 1) % ranks),
                                   before = (uint32_t)((r + ranks - 1) % ranks),
                                   time = draw(1000000);
                    last = clump_schedule_add_calc(builder, r, cpu, k, time);
                    kept_last = clump_kept_add_calc(writer, cpu, time);
                    first = first == UINT32_MAX ? last : first;
                    kept_first = kept_first == UINT32_MAX ? kept_last : kept_first;
                    sent = clump_schedule_add_send(builder, r, 0, k, next, k, 8 * k);
                    kept_sent = clump_kept_add_send(writer, 0, next, k, 8 * k);
                    if (kind > 0) {
                        clump_schedule_require(builder, sent, last);
                        clump_kept_require(writer, kept_last);
                    }
                    got = clump_schedule_add_receive(builder, r, 0, k, before, k, 8 * k);
                    kept_got = clump_kept_add_receive(writer, 0, next, 0, 0);
                    if (kind > 1) {
                        clump_schedule_require(builder, got, sent);
                        clump_schedule_require(builder, got, first);
                        clump_kept_require(writer, kept_sent);
                        clump_kept_require(writer, kept_first);
                    }
                    clump_kept_set_receive(writer, kept_got, before, k, 8 * k);
                }
                clump_kept_end_rank(writer);
            }
            assert_int_equal(clump_schedule_builder_finish(builder, &schedule, NULL, &error),
                             CLUMP_OK);
            char *text = clump_kept_finish(writer);
            assert_non_null(text);
            clump_schedule *again = read_text(text, ranks, &one_each);
            goal g = goal_of(schedule);
            expect_goal(again, g.bytes);
            free(g.bytes);
            free(text);
            clump_schedule_free(schedule);
            clump_schedule_free(again);
        }
}

TEST(by_hand)
{
    clump_schedule *schedule = read_text("rc100s8.1t3c5p2w2r9.1w3.1\nrr8.0t3s9.0\n", 2, &one_each);
    expect_goal(schedule, "num_ranks 2\n"
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
    clump_schedule_free(schedule);
}

/* What waits for a collective waits for all that it ends with; for one that is no message, for what that waits for. */
TEST(collectives)
{
    static const char text[] =
        "m0-1\nm1\nrc5a0.0:barrier:t7c6\nrc5a0.0:barrier:t7a8.1:allreduce:c6\n";
    clump_schedule *schedule = read_text(text, 2, &one_each);
    expect_goal(schedule, "num_ranks 2\n"
                          "\nrank 0 {\n"
                          "l1: calc 5\n"
                          "l2: send 0b to 1 tag 7\n"
                          "l3: recv 0b from 1 tag 7\n"
                          "l4: calc 6\n"
                          "l2 requires l1\n"
                          "l3 requires l1\n"
                          "l4 requires l2\n"
                          "l4 requires l3\n"
                          "}\n"
                          "\nrank 1 {\n"
                          "l1: calc 5\n"
                          "l2: send 0b to 0 tag 7\n"
                          "l3: recv 0b from 0 tag 7\n"
                          "l4: calc 6\n"
                          "l2 requires l1\n"
                          "l3 requires l1\n"
                          "l4 requires l2\n"
                          "l4 requires l3\n"
                          "}\n");
    clump_schedule_free(schedule);
}

static size_t remote_messages(const clump_schedule *schedule, uint32_t processors)
{
    size_t count = 0;
    for (size_t i = 0; i < clump_schedule_operations(schedule); i++) {
        const clump_schedule_step step = clump_schedule_step_of(schedule, i);
        count +=
            step.what == CLUMP_SCHEDULE_SENDS && step.rank / processors != step.peer / processors;
    }
    return count;
}

/* MPICH's allreduce among ranks of nodes goes through one of each; Open MPI's does not look at nodes. */
TEST(nodes)
{
    static const char text[] = "m0-7\nra64.0:allreduce:\nra64.0:allreduce:\nra64.0:allreduce:\n"
                               "ra64.0:allreduce:\nra64.0:allreduce:\nra64.0:allreduce:\n"
                               "ra64.0:allreduce:\nra64.0:allreduce:\n";
    clump_kept_machine machine = {.library = CLUMP_MPI_MPICH, .most_operations = 1000};
    size_t remote[2];
    for (int library = 0; library < 2; library++) {
        machine.library = library == 0 ? CLUMP_MPI_OPEN_MPI : CLUMP_MPI_MPICH;
        machine.processors = 4;
        clump_schedule *schedule = read_text(text, 8, &machine);
        remote[library] = remote_messages(schedule, 4);
        clump_schedule_free(schedule);
    }
    assert_int_equal(remote[0], 8); /* of recursive doubling, its last step */
    assert_true(remote[1] < remote[0]);
}

TEST(unequal_parts)
{
    static const uint64_t parts[] = {0, 5, 5, 12};
    static const uint32_t all[] = {0, 1, 2};
    const clump_collective_operation gather = {
        .kind = CLUMP_COLLECTIVE_GATHER, .ranks = 3, .root = 1, .parts = parts};
    clump_kept_writer *writer = clump_kept_writer_new();
    const uint32_t world = clump_kept_communicator(writer, all, 3);
    const int32_t list = clump_kept_parts(writer, parts, 4);
    double received = 0;
    for (int r = 0; r < 3; r++) {
        clump_kept_add_collective(writer, 0, world, 0, &gather, list);
        clump_kept_end_rank(writer);
    }
    char *text = clump_kept_finish(writer);
    assert_string_equal(text, "m0-2\nv0.5.5.12\nra0.0:gather:o1v0\nra0.0:gather:o1v0\n"
                              "ra0.0:gather:o1v0\n");
    clump_schedule *schedule = read_text(text, 3, &one_each);
    for (size_t i = 0; i < clump_schedule_operations(schedule); i++) {
        const clump_schedule_step step = clump_schedule_step_of(schedule, i);
        received += step.what == CLUMP_SCHEDULE_RECEIVES && step.rank == 1 ? (double)step.size : 0;
    }
    assert_int_equal((int)received, 5 + 7);
    free(text);
    clump_schedule_free(schedule);
}

TEST(refused)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"rx1\n", "byte 2: found 'x1', expected c, s, r or a"},
        {"rc\n", "byte 3: found the end, expected nanoseconds"},
        {"rc-1\n", "byte 3: found '-1'"},
        {"rc99999999999999999999\n", "expected nanoseconds"},
        {"rs8\n", "expected a '.' and a rank"},
        {"rs8.1\n", "expected a '.' and a rank"},
        {"rr8.0t4294967295\n", "expected a tag"},
        {"rc1p64\n", "expected a CPU"},
        {"rc1w1\n", "expected how many operations before it"},
        {"rc1c1w2\n", "expected how many operations before it"},
        {"rc1c1w1.x\n", "expected how many operations before it"},
        {"rc1c1c1c1c1\n", "more than 4 operations"},
        {"rc1 c1\n", "byte 4: found ' c1'"},
        {"rc1", "found the end"},
        {"r\nr\n", "expected a line of a communicator, of parts, or of a rank"},
        {"", "found 0 ranks, expected 1"},
        {"m1\nr\n", "expected ranks of a communicator"},
        {"m0-\nr\n", "expected ranks of a communicator"},
        {"m0\nra8.1:barrier:\n", "expected a '.', a communicator"},
        {"m0\nra8.0:dance:\n", "expected a collective"},
        {"m0\nra8.0:gather:o1\n", "expected the root"},
        {"m0\nra8.0:gather:v0\n", "expected a list with a part"},
        {"m0\nv0\nra8.0:gather:v0\n", "expected a list with a part"},
        {"m0\nv0.x\nr\n", "expected bytes where parts begin"},
        {"m0\nv5.3\nr\n", "expected bytes where parts begin, ascending"},
        {"m0\nv0.5.3\nr\n", "expected bytes where parts begin, ascending"},
    };
    const clump_kept_machine few = {.library = CLUMP_MPI_OPEN_MPI, .most_operations = 4};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        clump_schedule *schedule = NULL;
        clump_error error = {CLUMP_OK, ""};
        if (clump_kept_schedule(wrong[i].text, 1, &few, &schedule, NULL, &error) !=
            CLUMP_BAD_ARGUMENT)
            fail_msg("'%s' is read", wrong[i].text);
        assert_null(schedule);
        if (strstr(error.message, wrong[i].why) == NULL)
            fail_msg("'%s': '%s', expected '%s'", wrong[i].text, error.message, wrong[i].why);
    }
}

UNIT_MAIN(NULL, NULL)
