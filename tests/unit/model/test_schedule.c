/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/simulation/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times by hand, with L = 5, o_s = 1, o_r = 1.5, g = 4, G = 0.01. */
static clump_cluster machine_of(size_t processors, size_t nics)
{
    return (clump_cluster){.nodes = 1,
                           .node = {.processors = processors, .nics = nics},
                           .network = {5, 1, 1.5, 4, 0.01},
                           .shared_memory = {1, 0.5, 0.5, 1, 0.001},
                           .memory_penalty = 1};
}

static clump_schedule *parse(const char *text, size_t size)
{
    clump_schedule *schedule;
    clump_error error = {CLUMP_OK, ""};
    if (clump_schedule_parse(text, size, &schedule, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    return schedule;
}

static clump_schedule_result result_of(const char *text, const clump_cluster *machine,
                                       const clump_schedule_rules *rules)
{
    clump_schedule_result result;
    clump_error error = {CLUMP_OK, ""};
    clump_schedule *schedule = parse(text, strlen(text));
    if (clump_schedule_run(schedule, machine, rules, &result, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    clump_schedule_free(schedule);
    return result;
}

static double time_of(const char *text, const clump_cluster *machine)
{
    return result_of(text, machine, NULL).time_us;
}

static void expect(const char *text, double time_us)
{
    const clump_cluster machine = machine_of(1, 1);
    const double found = time_of(text, &machine);
    if (fabs(found - time_us) > 1e-9 * (1 + time_us))
        fail_msg("found %.9g us, expected %.9g, in:\n%s", found, time_us, text);
}

/* Each of log2(R) rounds is a message and its handling. */
static char *dissemination(size_t ranks)
{
    const size_t room = 64 + ranks * 2000;
    char *text = malloc(room);
    size_t used = 0;
    assert_non_null(text);
    used += (size_t)snprintf(text + used, room - used, "num_ranks %zu\n", ranks);
    for (size_t r = 0; r < ranks; r++) {
        used += (size_t)snprintf(text + used, room - used, "rank %zu {\n", r);
        for (size_t d = 1; d < ranks; d *= 2) {
            used += (size_t)snprintf(text + used, room - used,
                                     "s%zu: send 1b to %zu tag 0\nr%zu: recv 1b from %zu tag 0\n",
                                     d, (r + d) % ranks, d, (r + ranks - d) % ranks);
            if (d > 1)
                used +=
                    (size_t)snprintf(text + used, room - used, "s%zu requires r%zu\n", d, d / 2);
        }
        used += (size_t)snprintf(text + used, room - used, "}\n");
    }
    return text;
}

TEST(test_dissemination)
{
    const clump_cluster now = machine_of(1, 1);
    size_t rounds = 4;
    for (size_t ranks = 16; ranks <= 1024; ranks *= 8, rounds += 3) {
        char *text = dissemination(ranks);
        assert_true(fabs(time_of(text, &now) - (double)rounds * 7.5) < 1e-9);
        free(text);
    }
}

TEST(test_linear_broadcast)
{
    const size_t ranks = 1024, room = 100000;
    const clump_cluster now = machine_of(1, 1);
    char *text = malloc(room);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, room, "num_ranks %zu\nrank 0 {\n", ranks);
    for (size_t r = 1; r < ranks; r++)
        used += (size_t)snprintf(text + used, room - used, "send 1b to %zu\n", r);
    used += (size_t)snprintf(text + used, room - used, "}\n");
    for (size_t r = 1; r < ranks; r++)
        used += (size_t)snprintf(text + used, room - used, "rank %zu { recv 1b from 0 }\n", r);
    /* o_s + (R-2) max(g, o_s) + L + o_r */
    assert_true(fabs(time_of(text, &now) - (1 + 1022 * 4 + 6.5)) < 1e-9);
    clump_cluster fast = now;
    fast.network.gap_us = 0.25; /* the processor is the bottleneck */
    assert_true(fabs(time_of(text, &fast) - (1 + 1022 * 1 + 6.5)) < 1e-9);
    free(text);
}

TEST(test_dependencies)
{
    expect("num_ranks 1\n", 0);
    expect("num_ranks 1 rank 0 {\n calc 1500\n}", 1.5);
    expect("num_ranks 1\nrank 0 {\ncalc 1000\ncalc 2000\n}", 3);
    expect("num_ranks 1\nrank 0 {\ncalc 1000\ncalc 2000 cpu 1\n}", 2);
    expect("num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 2000 cpu 1\nb requires a\n}", 3);
    expect("num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 2000 cpu 1\nb irequires a\n}", 2);
    /* Of c, which has to wait, and d, which has not, d comes first. */
    expect("num_ranks 1\nrank 0 {\nc: calc 1000\nd: calc 2000\ne: calc 4000 cpu 1\n"
           "c requires e\n}",
           5);
    expect("num_ranks 2\nrank 0 {\ns: send 101b to 1\nc: calc 9000\nc requires s\n}\n"
           "rank 1 { recv 101b from 0 }",
           10);
    /* The message is there at 7, the receive is ready at 20. */
    expect("num_ranks 2\nrank 0 { send 101b to 1 }\nrank 1 {\nc: calc 20000\n"
           "r: recv 101b from 0\nr requires c\n}",
           21.5);
    /* The processor is at work until 20, the receive waits for it. */
    expect("num_ranks 2\nrank 0 { send 1b to 1 }\nrank 1 {\ncalc 20000\nrecv 1b from 0\n}", 21.5);
}

TEST(test_matching)
{
    /* Tags tell messages apart: the second one, at 10, lets the calculation begin at 11.5. */
    expect("num_ranks 2\nrank 0 {\nsend 1b to 1 tag 1\nsend 1b to 1 tag 2\n}\n"
           "rank 1 {\na: recv 1b from 0 tag 2\nrecv 1b from 0 tag 1\nc: calc 50000\n"
           "c requires a\n}",
           61.5);
    /* Any source and any tag: the first to arrive, at 6, though it was not asked for first. */
    expect("num_ranks 3\nrank 0 {\nc: calc 30000\ns: send 1b to 2 tag 5\ns requires c\n}\n"
           "rank 1 { send 1b to 2 tag 9 }\n"
           "rank 2 {\na: recv 1b from -1 tag -1\nb: recv 1b from -1 tag 5\nc: calc 40000\n"
           "c requires a\n}",
           49);
    /* A message that nobody waits for is found later, by a receive from anybody. */
    expect("num_ranks 2\nrank 0 {\nsend 1b to 1 tag 5\nsend 1b to 1 tag 6\n}\nrank 1 {\n"
           "c: calc 20000\na: recv 1b from -1 tag 6\nb: recv 1b from 0 tag -1\n"
           "a requires c\nb requires a\n}",
           23);
    /* The receive that was posted first gets the message, be it for any source or for this one. */
    expect("num_ranks 2\nrank 0 {\nsend 1b to 1\nc: calc 100000\ns: send 1b to 1\ns requires c\n}\n"
           "rank 1 {\na: recv 1b from -1\nb: recv 1b from 0\nc: calc 30000\nc requires a\n}",
           108.5);
}

TEST(test_nodes)
{
    static const char pair[] = "num_ranks 4\nrank 0 { send 1b to 1 }\nrank 1 { recv 1b from 0 }\n";
    clump_cluster m = machine_of(2, 1);
    assert_true(fabs(time_of(pair, &m) - (0.5 + 1 + 0.5)) < 1e-12); /* within a node */
    /* Both ranks of a node send through its NIC, or through one each; and so they receive. */
    static const char cross[] = "num_ranks 4\nrank 0 { send 1b to 2 }\nrank 1 { send 1b to 3 }\n"
                                "rank 2 { recv 1b from 0 }\nrank 3 { recv 1b from 1 }\n";
    assert_true(fabs(time_of(cross, &m) - (7.5 + 4)) < 1e-12);
    m.node.nics = 2;
    assert_true(fabs(time_of(cross, &m) - 7.5) < 1e-12);
    m.node.mapping = CLUMP_MAPPING_STATIC;
    assert_true(fabs(time_of(cross, &m) - 7.5) < 1e-12);
}

/* A round of messages among 12 ranks that compute for different times, with the numbers that `number` gives them. */
static char *round_of(const uint32_t number[12])
{
    char *text = malloc(4000);
    size_t used = 0;
    assert_non_null(text);
    used += (size_t)snprintf(text + used, 4000 - used, "num_ranks 12\n");
    for (uint32_t i = 0; i < 12; i++)
        used += (size_t)snprintf(text + used, 4000 - used,
                                 "rank %u {\nc: calc %u\ns: send %ub to %u\nr: recv %ub from %u\n"
                                 "t: send 500b to %u tag 1\nu: recv 500b from %u tag 1\n"
                                 "s requires c\nt requires r\n}\n",
                                 number[i], 3000 + 977 * (i * 5 % 12), 800 + 100 * i,
                                 number[(i + 1) % 12], 800 + 100 * ((i + 11) % 12),
                                 number[(i + 11) % 12], number[(i + 4) % 12], number[(i + 8) % 12]);
    return text;
}

/* Ranks that nodes have in turn are ranks of other numbers in blocks: by hand for nodes of four, 0 4 8 | 1 5 9 | ... for nodes of three. */
TEST(test_rank_order)
{
    static const uint32_t same[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
                          fours[12] = {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11},
                          threes[12] = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
    char *text = round_of(same), *by_four = round_of(fours), *by_three = round_of(threes);
    for (int i = 0; i < 8; i++) {
        clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
        const size_t P = i % 2 ? 3 : 4;
        clump_cluster machine = machine_of(P, i & 2 ? 2 : 1);
        rules.conventions = i & 4 ? CLUMP_SCHEDULE_LOGGOPSIM : CLUMP_SCHEDULE_QUEUED;
        const clump_schedule_result blocks = result_of(text, &machine, &rules),
                                    wanted =
                                        result_of(P == 4 ? by_four : by_three, &machine, &rules);
        rules.order = CLUMP_RANKS_ROUND_ROBIN;
        const clump_schedule_result found = result_of(text, &machine, &rules);
        assert_true(fabs(found.time_us - wanted.time_us) < 1e-9);
        assert_true(fabs(found.mean_end_us - wanted.mean_end_us) < 1e-9);
        assert_true(fabs(found.nic_utilization - wanted.nic_utilization) < 1e-12);
        assert_true(fabs(found.mean_end_us - blocks.mean_end_us) > 0.1);
        machine.node.processors = machine.node.nics = 1;
        assert_true(fabs(result_of(text, &machine, &rules).time_us - time_of(text, &machine)) <
                        1e-9 ||
                    rules.conventions == CLUMP_SCHEDULE_LOGGOPSIM);
    }
    free(text);
    free(by_four);
    free(by_three);
    /* Nodes that are not full: of five ranks on nodes of two the last node has one. */
    assert_int_equal(clump_rank_place(CLUMP_RANKS_ROUND_ROBIN, 2, 5, 2), 4);
    assert_int_equal(clump_rank_place(CLUMP_RANKS_ROUND_ROBIN, 4, 5, 2), 3);
}

TEST(test_text)
{
    static const char text[] = "// a comment\r\n/* and\n one */ num_ranks 2 // two\n\n"
                               "rank 1\n{\n  x_1 : recv 8 b from 0 tag 3 cpu 0 nic 1 // here\n}\n"
                               "rank 0 { send 8b to 1 tag 3 nic 0 cpu 0 }";
    clump_schedule *schedule = parse(text, sizeof text - 1);
    assert_int_equal(clump_schedule_ranks(schedule), 2);
    assert_int_equal(clump_schedule_operations(schedule), 2);
    clump_schedule_free(schedule);
}

/* The end of the last rank, and the mean of the ends of all. */
static void expect_by(clump_schedule_rules rules, const char *text, double time_us, double mean_us)
{
    const clump_cluster machine = machine_of(1, 1);
    const clump_schedule_result found = result_of(text, &machine, &rules);
    if (fabs(found.time_us - time_us) > 1e-9 || fabs(found.mean_end_us - mean_us) > 1e-9)
        fail_msg("found %.9g us and a mean of %.9g, expected %.9g and %.9g, in:\n%.500s",
                 found.time_us, found.mean_end_us, time_us, mean_us, text);
}

static const char late_receive[] = "num_ranks 2\nrank 0 {\ns: send 101b to 1\nc: calc 1000\n"
                                   "c requires s\n}\n"
                                   "rank 1 {\nc: calc 20000\nr: recv 101b from 0\nr requires c\n}";
static const char early_receive[] = "num_ranks 2\nrank 0 {\ns: send 101b to 1\nc: calc 1000\n"
                                    "c requires s\n}\nrank 1 { recv 101b from 0 }";

TEST(test_rendezvous)
{
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    /* Eager: rank 0 has sent at 1 and calculated at 2; rank 1 receives from 20 to 21.5. */
    rules.rendezvous_above = 101;
    expect_by(rules, late_receive, 21.5, (2 + 21.5) / 2);
    /* One byte is too many: the send ends at 20. */
    rules.rendezvous_above = 100;
    expect_by(rules, late_receive, 21.5, (21 + 21.5) / 2);
    /* All of the message is there at o_s + L + 100 G = 7. */
    expect_by(rules, early_receive, 8.5, (8 + 8.5) / 2);
    /* Only what requires the send waits: its CPU is free at 1. */
    expect_by(rules,
              "num_ranks 2\nrank 0 {\nsend 101b to 1\ncalc 1000\n}\n"
              "rank 1 {\nc: calc 20000\nr: recv 101b from 0\nr requires c\n}",
              21.5, (20 + 21.5) / 2);
}

/* Rank by rank a send ends, which lets a receive begin, whose message is there and lets the send of
 * the next rank end, all of it at 20: more of them than a stack has room for. */
TEST(test_chain_of_rendezvous)
{
    enum { RANKS = 50000, LINE = 120 };
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    const clump_cluster machine = machine_of(1, 1);
    char *text = malloc((size_t)RANKS * LINE);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text,
                                  "num_ranks %d\nrank 0 {\nc: calc 20000\n"
                                  "r: recv 101b from 1\nr requires c\n}\n",
                                  RANKS);
    for (int r = 1; r < RANKS; r++) {
        used += (size_t)sprintf(text + used, "rank %d {\ns: send 101b to %d\n", r, r - 1);
        if (r + 1 < RANKS)
            used += (size_t)sprintf(text + used, "r: recv 101b from %d\nr requires s\n", r + 1);
        used += (size_t)sprintf(text + used, "}\n");
    }
    for (int i = 0; i < 2; i++) {
        rules.conventions = (clump_schedule_conventions)i;
        rules.rendezvous_above = 100;
        /* The CPUs have the messages taken in long before, or begin the receives at 20. */
        assert_true(fabs(result_of(text, &machine, &rules).time_us - (i == 0 ? 21.5 : 22.5)) <
                    1e-9);
    }
    free(text);
}

TEST(test_overhead_of_a_byte)
{
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    rules.overhead_us_per_byte = 0.02;
    /* o_s + 100 O = 3, then 1; there at 7, o_r + 100 O = 3.5. */
    expect_by(rules, early_receive, 10.5, (4 + 10.5) / 2);
    rules.conventions = CLUMP_SCHEDULE_LOGGOPSIM; /* at 6: o_r + 100 max(G, O) */
    expect_by(rules, early_receive, 9.5, (4 + 9.5) / 2);
    rules.overhead_us_per_byte = 0.005;
    expect_by(rules, early_receive, 8.5, (2.5 + 8.5) / 2);
}

/* L = 5, o_s = 1, o_r = 1.5, g = 4, G = 0.01, by the conventions of LogGOPSim. */
TEST(test_loggopsim)
{
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    rules.conventions = CLUMP_SCHEDULE_LOGGOPSIM;
    /* The first byte is there at 6; the CPU is busy for o_r + 100 G. */
    expect_by(rules, early_receive, 8.5, (2 + 8.5) / 2);
    /* It is at work until 20 and takes the message in then. */
    expect_by(rules, late_receive, 22.5, (2 + 22.5) / 2);
    /* A message that nobody waits for is taken in from 6 to 8.5; when the other receive ends, at
     * 30 + 1 + 5 + 1.5, this one costs nothing. */
    expect_by(rules,
              "num_ranks 3\nrank 0 { send 101b to 1 }\nrank 1 {\na: recv 1b from 2\n"
              "b: recv 101b from 0\nb requires a\n}\n"
              "rank 2 {\nc: calc 30000\ns: send 1b to 1\ns requires c\n}",
              37.5, (1 + 37.5 + 31) / 3);
    /* The second send begins when the NIC is free, at 4, and so the calculation at 5. */
    expect_by(rules,
              "num_ranks 2\nrank 0 {\nsend 1b to 1\nb: send 1b to 1\nc: calc 10000\n"
              "c requires b\n}\nrank 1 {\nrecv 1b from 0\nrecv 1b from 0\n}",
              15, (15 + 11.5) / 2);
    /* A calculation that does not require it comes before, from 1 to 3. */
    expect_by(rules,
              "num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 1b to 1\ncalc 2000\n}\n"
              "rank 1 {\nrecv 1b from 0\nrecv 1b from 0\n}",
              11.5, (5 + 11.5) / 2);
    /* Sends come before calculations: 0 to 1, 1 to 11. */
    expect_by(rules,
              "num_ranks 2\nrank 0 {\ncalc 10000\nsend 1b to 1\n}\nrank 1 { recv 1b from 0 }", 11,
              (11 + 7.5) / 2);
    /* A message to CPU 1, as it was sent by CPU 1. */
    expect_by(rules,
              "num_ranks 2\nrank 0 { send 1b to 1 cpu 1 }\n"
              "rank 1 {\ncalc 20000\nr: recv 1b from 0\nc: calc 30000 cpu 1\nc requires r\n}",
              37.5, (1 + 37.5) / 2);
    /* What is required ends first, on another CPU as well. */
    expect_by(rules, "num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 2000 cpu 1\nb requires a\n}", 3,
              3);
    expect_by(rules,
              "num_ranks 1\nrank 0 {\na: calc 5000\nb: calc 1000 cpu 1\nc: calc 2000 cpu 2\n"
              "c requires a\nc requires b\n}",
              7, 7);
    expect_by(rules, "num_ranks 1\nrank 0 {\na: calc 1000\nb: calc 2000 cpu 1\nb irequires a\n}", 2,
              2);
}

TEST(test_loggopsim_of_no_bytes)
{
    static const char two[] = "num_ranks 2\nrank 0 {\nsend 0b to 1\nsend 0b to 1\n}\n"
                              "rank 1 {\nrecv 0b from 0\nrecv 0b from 0\n}";
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    expect_by(rules, two, 11.5, (2 + 11.5) / 2); /* as of 1 byte: g after the first, 7.5 + 4 */
    rules.conventions = CLUMP_SCHEDULE_LOGGOPSIM;
    /* The NICs are busy for g - G, the receiver's CPU for o_r - G; the sender is done at 3.99 + 1. */
    expect_by(rules, two, 3.99 + 6 + 1.49, (4.99 + 11.48) / 2);
    /* o_s - O on the sender's CPU; the receiver's has the lesser of G and O less. */
    rules.overhead_us_per_byte = 0.02;
    expect_by(rules, two, 11.48, (4.97 + 11.48) / 2);
    rules.overhead_us_per_byte = 0.005;
    expect_by(rules, two, 11.485, (4.985 + 11.485) / 2);
}

TEST(test_loggopsim_rendezvous)
{
    clump_schedule_rules rules = {CLUMP_SCHEDULE_LOGGOPSIM, 0, 100, 0, UINT64_MAX,
                                  CLUMP_RANKS_IN_BLOCKS,    0, NULL};
    /* The receive is ready at 20, while the message is being taken in. */
    expect_by(rules, late_receive, 22.5, (21 + 22.5) / 2);
    /* It was ready when taking in began, at 6. */
    expect_by(rules, early_receive, 8.5, (7 + 8.5) / 2);
    rules.rendezvous_above = 101;
    expect_by(rules, late_receive, 22.5, (2 + 22.5) / 2);
}

/* Nodes share NICs: a send waits for one that is free, and so does what is taken in. */
TEST(test_loggopsim_nodes)
{
    static const char cross[] = "num_ranks 4\nrank 0 { send 1b to 2 }\nrank 1 { send 1b to 3 }\n"
                                "rank 2 { recv 1b from 0 }\nrank 3 { recv 1b from 1 }\n";
    const clump_schedule_rules rules = {CLUMP_SCHEDULE_LOGGOPSIM, 0, UINT64_MAX, 0, UINT64_MAX,
                                        CLUMP_RANKS_IN_BLOCKS,    0, NULL};
    clump_cluster m = machine_of(2, 1);
    clump_schedule_result result = result_of(cross, &m, &rules);
    assert_true(fabs(result.time_us - (7.5 + 4)) < 1e-12);
    /* Ends at 1, 4 + 1, 7.5 and 11.5. */
    assert_true(fabs(result.mean_end_us - (1 + 5 + 7.5 + 11.5) / 4) < 1e-12);
    for (int tied = 0; tied < 2; tied++) {
        m.node.nics = 2;
        m.node.mapping = tied ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED;
        result = result_of(cross, &m, &rules);
        assert_true(fabs(result.time_us - 7.5) < 1e-12);
        assert_true(fabs(result.mean_end_us - (1 + 1 + 7.5 + 7.5) / 4) < 1e-12);
    }
    /* Two messages to two CPUs of a rank: its NIC takes the second g after the first. Half as fast a
     * NIC is busy for 2 g. */
    static const char pair[] = "num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 1b to 1 cpu 1\n}\n"
                               "rank 1 {\nrecv 1b from 0\nrecv 1b from 0\n}";
    m = machine_of(1, 1);
    assert_true(fabs(result_of(pair, &m, &rules).time_us - 11.5) < 1e-12);
    m.node.placement.near = 0.5;
    assert_true(fabs(result_of(pair, &m, &rules).time_us - 15.5) < 1e-12);
    m = machine_of(2, 1);
    result =
        result_of("num_ranks 4\nrank 0 { send 1b to 1 }\nrank 1 { recv 1b from 0 }\n", &m, &rules);
    assert_true(fabs(result.time_us - (0.5 + 1 + 0.5)) < 1e-12); /* within a node */
}

/* Calculations take the machine's time, those of the NOW their own. */
TEST(test_memory_penalty)
{
    static const char text[] = "num_ranks 1 rank 0 {\n calc 2000\n}";
    const clump_schedule_rules rules = {CLUMP_SCHEDULE_LOGGOPSIM, 0, UINT64_MAX, 0, UINT64_MAX,
                                        CLUMP_RANKS_IN_BLOCKS,    0, NULL};
    clump_cluster m = machine_of(1, 1);
    m.memory_penalty = 1.5;
    assert_true(fabs(time_of(text, &m) - 3) < 1e-12);
    assert_true(fabs(result_of(text, &m, &rules).time_us - 3) < 1e-12);
}

typedef struct looks {
    int count, most;
    double last;
} looks;

static int look(double share, void *context)
{
    looks *l = context;
    assert_true(share >= l->last && share <= 1);
    l->last = share;
    return ++l->count >= l->most;
}

/* 8192 ranks, 13 rounds, three or more events a message: 4 looks at least. */
TEST(test_stopped)
{
    char *text = dissemination(8192);
    clump_schedule *schedule = parse(text, strlen(text));
    for (int i = 0; i < 4; i++) {
        looks seen = {0, i < 2 ? 2 : 1000, 0};
        const clump_watch watch = {.look = look, .context = &seen};
        const clump_schedule_rules rules = {(clump_schedule_conventions)(i % 2),
                                            0,
                                            UINT64_MAX,
                                            0,
                                            UINT64_MAX,
                                            CLUMP_RANKS_IN_BLOCKS,
                                            0,
                                            NULL};
        clump_cluster machine = machine_of(1, 1);
        clump_schedule_result result;
        clump_error error = {CLUMP_OK, ""};
        machine.node.watch = &watch;
        assert_int_equal(clump_schedule_run(schedule, &machine, &rules, &result, &error),
                         i < 2 ? CLUMP_STOPPED : CLUMP_OK);
        if (i < 2)
            assert_int_equal(seen.count, 2);
        assert_true(seen.count >= 2 && seen.last > 0.1);
    }
    clump_schedule_free(schedule);
    free(text);
}

TEST(test_wrong_text)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "line 1: found the end of the file, expected num_ranks"},
        {"num_ranks 0", "expected a number of ranks"},
        {"num_ranks 99999999999999999999", "expected a number of ranks"},
        {"num_ranks 2\nrank 2 {\n}", "line 2: found '2', expected a rank below num_ranks"},
        {"num_ranks 2\nrank 1 {\n}\nrank 1 {\n}", "line 4: found a second block of rank 1"},
        {"num_ranks 1\nrank 0 {\ncalc 5", "expected '}'"},
        {"num_ranks 2\nrank 0 {\nsend 5b to 2\n}", "line 3: found '2'"},
        {"num_ranks 2\nrank 0 {\nsend 5b to -1\n}", "line 3: found '-1'"},
        {"num_ranks 2\nrank 0 {\nsend 5 to 1\n}", "expected 'b' after the size"},
        {"num_ranks 2\nrank 0 {\nsend 5b from 1\n}", "expected 'to'"},
        {"num_ranks 2\nrank 0 {\nrecv 5b from 1 tag -2\n}", "found '-2'"},
        {"num_ranks 1\nrank 0 {\nfrob 5\n}", "expected ':', requires or irequires"},
        {"num_ranks 1\nrank 0 {\na: frob 5\n}", "found 'frob', expected send, recv or calc"},
        {"num_ranks 1\nrank 0 {\ncalc 5 calc 5\n}", "found 'calc', expected the end of the line"},
        {"num_ranks 1\nrank 0 {\ncalc 5 cpu 64\n}", "expected a CPU, 0 to 63"},
        {"num_ranks 1\nrank 0 {\na: calc 5\na: calc 6\n}", "line 4: label 'a' is found twice"},
        {"num_ranks 1\nrank 0 {\na: calc 5\na requires b\n}", "line 4: label 'b' is not found"},
        {"num_ranks 1 /* open", "found '/*'"},
        {"num_ranks 4194304\nrank 0 {\ncalc 1 cpu 63\n}", "2^24 CPUs at most"},
        {"num_ranks 1\nrank 0 {\ncalc 9999999999999999\n}", "0 to 10^15 nanoseconds"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        clump_schedule *schedule = NULL;
        clump_error error = {CLUMP_OK, ""};
        assert_int_equal(
            clump_schedule_parse(cases[i].text, strlen(cases[i].text), &schedule, &error),
            CLUMP_BAD_ARGUMENT);
        assert_null(schedule);
        if (strstr(error.message, cases[i].words) == NULL)
            fail_msg("'%s' does not say '%s'", error.message, cases[i].words);
    }
}

TEST(test_schedules_that_stop)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"num_ranks 2\nrank 0 {\ncalc 5\nrecv 1b from 1\n}",
         "1 of 2 operations left: the recv of rank 0 in line 4 waits for a message"},
        {"num_ranks 2\nrank 0 {\nrecv 1b from 1 tag 2\n}\nrank 1 {\nsend 1b to 0 tag 3\n}",
         "the recv of rank 0 in line 3"},
        {"num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb requires a\n}",
         "the calc of rank 0 in line 3 waits for operations that never end"},
        {"num_ranks 2\nrank 0 {\nrecv 1b from -1\nrecv 1b from -1\n}\nrank 1 {\nsend 1b to 0\n}",
         "the recv of rank 0 in line 4"},
        /* What came with another tag, or from somebody else, is named. */
        {"num_ranks 2\nrank 0 {\nrecv 1b from 1 tag 2\n}\nrank 1 {\nsend 1b to 0 tag 3\n}",
         "never sent; found tag 3 from rank 1 (line 6), expected tag 2 from rank "
         "1"},
        {"num_ranks 3\nrank 0 {\nrecv 1b from 1 tag -1\n}\nrank 2 {\nsend 1b to 0 tag 3\n}",
         "found tag 3 from rank 2 (line 6), expected any tag from rank 1"},
        /* Messages that nobody receives. */
        {"num_ranks 2\nrank 0 {\ncalc 5\nsend 1b to 1 tag 4\n}",
         "the send of rank 0 in line 4 is never received: expected one more recv of rank 1 with "
         "tag 4 from rank 0"},
        {"num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 1b to 1\nsend 1b to 1 tag 9\n}\n"
         "rank 1 {\nrecv 1b from 0\n}",
         "the send of rank 0 in line 4 is never received: expected one more recv of rank 1 with "
         "tag 0 from rank 0; 2 messages in all"},
        {"num_ranks 2\nrank 0 {\nsend 1b to 1 tag 1\nsend 1b to 1 tag 2\n}\n"
         "rank 1 {\nrecv 1b from -1 tag -1\n}",
         "the send of rank 0 in line 4 is never received"},
        /* Rendezvous: each waits for the other's receive. */
        {"num_ranks 2\nrank 0 {\na: send 2000b to 1\nb: recv 1b from 1\nb requires a\n}\n"
         "rank 1 {\na: send 1b to 0\nb: send 3000b to 0\nc: recv 2000b from 0\nc requires b\n}",
         "4 of 5 operations left: the send of rank 0 in line 3 waits for its recv (rendezvous: "
         "2000 "
         "bytes, more than 1999), which rank 1 never reaches"},
    };
    const clump_cluster machine = machine_of(1, 1);
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof cases[0]); i++) {
        const char *text = cases[i / 2].text, *words = cases[i / 2].words;
        const clump_schedule_rules rules = {(clump_schedule_conventions)(i % 2),
                                            0,
                                            1999,
                                            0,
                                            UINT64_MAX,
                                            CLUMP_RANKS_IN_BLOCKS,
                                            0,
                                            NULL};
        clump_schedule *schedule = parse(text, strlen(text));
        clump_schedule_result result;
        clump_error error = {CLUMP_OK, ""};
        assert_int_equal(clump_schedule_run(schedule, &machine, &rules, &result, &error),
                         CLUMP_BAD_ARGUMENT);
        if (strstr(error.message, words) == NULL)
            fail_msg("'%s' does not say '%s'", error.message, words);
        clump_schedule_free(schedule);
    }
}

TEST(time_beyond_numbers)
{
    static const char text[] =
        "num_ranks 2\nrank 0 {\na: send 8b to 1\n}\nrank 1 {\na: recv 8b from 0\n}\n";
    clump_cluster machine = machine_of(1, 1);
    machine.network.latency_us = 1.7e308;
    machine.network.send_overhead_us = 1.7e308;
    clump_schedule *schedule = parse(text, sizeof text - 1);
    clump_schedule_result result;
    clump_error error = {CLUMP_OK, ""};
    assert_int_equal(clump_schedule_run(schedule, &machine, NULL, &result, &error),
                     CLUMP_BAD_ARGUMENT);
    clump_schedule_free(schedule);
}

/* A message of 1001 bytes keeps a NIC for 4 + 10 us. Two of them leave at 1 and 2 us, or the second when the NIC is free. */
TEST(nics_in_turn)
{
    static const char *const
        one_partner = "num_ranks 2\nrank 0 {\na: send 1001b to 1\nb: send 1001b to 1\n}\n"
                      "rank 1 {\nc: recv 1001b from 0\nd: recv 1001b from 0\n}\n",
        *const two_partners = "num_ranks 3\nrank 0 {\na: send 1001b to 1\nb: send 1001b to 2\n}\n"
                              "rank 1 {\nc: recv 1001b from 0\n}\n"
                              "rank 2 {\nd: recv 1001b from 0\n}\n",
        *const longer = "num_ranks 2\nrank 0 {\na: send 2002b to 1\n}\n"
                        "rank 1 {\nc: recv 2002b from 0\n}\n";
    static const struct {
        const char *schedule;
        size_t nics;
        uint32_t turns;
        uint64_t stripe_above;
        double time_us;
    } cases[] = {
        {one_partner, 2, 0, UINT64_MAX, 19},
        {one_partner, 2, 1, UINT64_MAX, 19},
        {one_partner, 2, 2, UINT64_MAX, 31.5}, /* both take the second NIC */
        {one_partner, 3, 2, UINT64_MAX, 19},
        {one_partner, 4, 2, UINT64_MAX, 19},
        {two_partners, 4, 0, UINT64_MAX, 18.5},
        {two_partners, 4, 2, UINT64_MAX, 31.5}, /* each partner has its own turns */
        {longer, 2, 0, UINT64_MAX, 27.51},
        {longer, 2, 2, 2002, 27.51},
        {longer, 2, 2, 2001, 17.5}, /* over both */
        {one_partner, 1, 2, 1, 31.5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clump_cluster machine = machine_of(1, cases[i].nics);
        const clump_schedule_rules rules = {
            CLUMP_SCHEDULE_QUEUED, 0, UINT64_MAX, cases[i].turns, cases[i].stripe_above,
            CLUMP_RANKS_IN_BLOCKS, 0, NULL};
        const double found = result_of(cases[i].schedule, &machine, &rules).time_us;
        if (fabs(found - cases[i].time_us) > 1e-9)
            fail_msg("case %zu: found %.9g us, expected %.9g", i, found, cases[i].time_us);
    }
}

/* Messages at and above Open MPI's limit of 65,536: 4 us and 10 ns a byte at a NIC, over one of them or both; UCX's, one of 8,191, and of parts from 16 KiB on. */
TEST(as_library)
{
    static const struct {
        const char *library;
        bool nics;
        int bytes;
        double alone_us;
    } cases[] = {
        {"Open MPI", false, 65538, 662.87}, {"Open MPI", true, 65536, 662.85},
        {"Open MPI", true, 65538, 335.18},  {"MPICH", false, 16386, 171.35},
        {"MPICH", true, 16384, 171.33},     {"MPICH", true, 16386, 89.42},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clump_cluster machine = machine_of(1, 2);
        const clump_mpi_transports transports = clump_mpi_transports_of(cases[i].library);
        clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
        char alone[200];
        clump_schedule_as_library(&rules, &transports, cases[i].nics, false);
        snprintf(alone, sizeof alone,
                 "num_ranks 2\nrank 0 {\na: send %db to 1\n}\nrank 1 {\nb: recv %db from 0\n}\n",
                 cases[i].bytes, cases[i].bytes);
        const double alone_us = result_of(alone, &machine, &rules).time_us;
        if (fabs(alone_us - cases[i].alone_us) > 1e-9)
            fail_msg("case %zu: found %.9g us, expected %.9g", i, alone_us, cases[i].alone_us);
    }
}

/* A ring in step (MODEL.md 28): `steps` of c us, a message to the next rank, and one from the rank before. */
static double ring_time(const clump_cluster *machine, size_t ranks, int steps, double c, int bytes)
{
    const size_t room = 64 + ranks * (size_t)steps * 200;
    char *text = malloc(room);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, room, "num_ranks %zu\n", ranks);
    for (size_t r = 0; r < ranks; r++) {
        used += (size_t)snprintf(text + used, room - used, "rank %zu {\n", r);
        for (int k = 0; k < steps; k++) {
            used +=
                (size_t)snprintf(text + used, room - used,
                                 "c%d: calc %.0f\ns%d: send %db to %zu\nr%d: recv %db from %zu\n"
                                 "s%d requires c%d\nr%d requires c%d\n",
                                 k, c * 1000, k, bytes, (r + 1) % ranks, k, bytes,
                                 (r + ranks - 1) % ranks, k, k, k, k);
            if (k > 0)
                used +=
                    (size_t)snprintf(text + used, room - used,
                                     "c%d requires s%d\nc%d requires r%d\n", k, k - 1, k, k - 1);
        }
        used += (size_t)snprintf(text + used, room - used, "}\n");
    }
    const clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    const double time = result_of(text, machine, &rules).time_us;
    free(text);
    return time;
}

static double link_time(const clump_loggp *p, int bytes)
{
    return p->send_overhead_us + p->latency_us + (bytes - 1) * p->gap_us_per_byte +
           p->receive_overhead_us;
}

TEST(ring_in_step)
{
    static const struct {
        size_t ranks, processors, nics;
        double c;
        int bytes;
    } cases[] = {{8, 1, 1, 20, 5001},  {8, 2, 1, 20, 5001},  {8, 4, 1, 20, 5001},
                 {16, 8, 1, 20, 5001}, {16, 8, 2, 20, 5001}, {16, 4, 4, 20, 5001},
                 {12, 4, 1, 100, 501}, {12, 4, 1, 0, 5001},  {16, 8, 4, 30, 9001}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clump_cluster machine = machine_of(cases[i].processors, cases[i].nics);
        const size_t R = cases[i].ranks, P = cases[i].processors;
        const int bytes = cases[i].bytes, cycle = (int)(12 * R);
        machine.nodes = R / P;
        const double remote = link_time(&machine.network, bytes),
                     local = P > 1 ? link_time(&machine.shared_memory, bytes) : remote,
                     mean = (remote + (double)(P - 1) * local) / (double)P,
                     busy = machine.network.gap_us + (bytes - 1) * machine.network.gap_us_per_byte;
        const double expected =
            fmax(busy / (double)cases[i].nics, fmax(cases[i].c + mean, cases[i].c + 2.5));
        /* What begins and ends drops out of the difference; a whole number of rounds does away with periods. */
        const double found = (ring_time(&machine, R, 2 * cycle, cases[i].c, bytes) -
                              ring_time(&machine, R, cycle, cases[i].c, bytes)) /
                             cycle;
        if (fabs(found - expected) > 1e-9 * expected)
            fail_msg("case %zu: found %.9g us a step, expected %.9g", i, found, expected);
    }
}

/* A comment is stepped over more than once where a word might follow it; its lines count once. */
TEST(test_lines_of_comments)
{
    static const char text[] =
        "num_ranks 2\nrank 0 {\nsend 8b to 1 /* a\n b\n c */\nrecv 8b from 1\n}\n";
    const clump_cluster machine = machine_of(1, 1);
    clump_schedule *schedule = parse(text, strlen(text));
    clump_schedule_result result;
    clump_error error = {CLUMP_OK, ""};
    assert_int_equal(clump_schedule_run(schedule, &machine, NULL, &result, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "the recv of rank 0 in line 6 "));
    clump_schedule_free(schedule);
}

/* Numbers that need other widths than those before, and messages of a pair that differ by tag, or by nothing. */
TEST(test_widths)
{
    expect("num_ranks 2\nrank 0 {\n send 1b to 1\n send 257b to 1 tag 70000\n calc 5000000000\n}\n"
           "rank 1 {\n recv 1b from 0\n recv 257b from 0 tag 70000\n}\n",
           5000002);
    expect("num_ranks 2\nrank 0 {\n send 1b to 1\n send 101b to 1\n}\n"
           "rank 1 {\n recv 1b from 0\n recv 1b from 0\n}\n",
           12.5);
    expect("num_ranks 300\nrank 299 {\n send 101b to 257 tag 4294967294\n}\n"
           "rank 257 {\n recv 101b from 299 tag 4294967294\n}\n",
           8.5);
}

UNIT_MAIN(NULL, NULL)
