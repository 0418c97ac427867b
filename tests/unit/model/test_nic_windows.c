/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Schedules whose messages go by packets: connections have windows in the queues of NICs. */
#include "tests/unit/unit.h"

#include "model/random.h"
#include "model/simulation/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* L = 5, o_s = 1, o_r = 1.5, and a byte takes 0.01 us, the first one, too. */
static const clump_loggp network = {5, 1, 1.5, 0.01, 0.01};

static clump_cluster machine_of(size_t processors, size_t nics)
{
    return (clump_cluster){.nodes = 1,
                           .node = {.processors = processors, .nics = nics},
                           .network = network,
                           .shared_memory = {1, 0.5, 0.5, 1, 0.001},
                           .memory_penalty = 1};
}

static clump_schedule_rules window_of(uint64_t bytes)
{
    clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    rules.window_bytes = bytes;
    return rules;
}

static clump_schedule_result result_of(const char *text, const clump_cluster *machine,
                                       const clump_schedule_rules *rules)
{
    clump_schedule_result result = {0};
    clump_schedule *schedule;
    clump_error error = {CLUMP_OK, ""};
    if (clump_schedule_parse(text, strlen(text), &schedule, &error) != CLUMP_OK ||
        clump_schedule_run(schedule, machine, rules, &result, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    clump_schedule_free(schedule);
    return result;
}

static void is_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
        fail_msg("found %.12g, expected %.12g", found, expected);
}

#define PAIR(from, to, what)                                                                       \
    "rank " #from " {\n send " what " to " #to "\n}\nrank " #to " {\n recv " what " from " #from   \
    "\n}\n"

TEST(alone_it_takes_as_long_as_a_whole_one)
{
    clump_cluster machine = machine_of(1, 1);
    for (int k = 0; k < 3; k++) {
        machine.half_duplex = k == 1;
        machine.network.gap_us = k == 2 ? 7 : 0.01;
        for (uint64_t bytes = 1; bytes < 20000; bytes = 3 * bytes + 1) {
            const clump_schedule_rules rules = window_of(100), whole = window_of(0);
            char text[128];
            snprintf(text, sizeof text,
                     "num_ranks 2\nrank 0 {\nsend %db to 1\n}\nrank 1 {\nrecv %db from 0\n}\n",
                     (int)bytes, (int)bytes);
            const clump_schedule_result a = result_of(text, &machine, &rules),
                                        b = result_of(text, &machine, &whole);
            is_near(a.time_us, b.time_us);
            is_near(a.time_us, 1 + 5 + 0.01 * (double)(bytes - 1) + 1.5);
            is_near(a.nic_utilization, b.nic_utilization);
            is_near(a.receive_utilization, b.receive_utilization);
        }
    }
}

/* Two ranks of a node to two others: windows of 1 us by turns from 1 on; of either the last one is its 16th. */
TEST(two_that_share)
{
    const clump_cluster machine = machine_of(2, 1);
    const char *text =
        "num_ranks 6\n" PAIR(0, 2, "1600b") PAIR(1, 4, "1600b") "rank 3 {\n}\nrank 5 {\n}\n";
    clump_schedule_rules rules = window_of(100);
    clump_schedule_result r = result_of(text, &machine, &rules);
    is_near(r.time_us, 1 + 31 + 5 + 0.99 + 1.5);
    is_near(r.mean_end_us, (1 + 1 + 38.49 + 39.49) / 6);
    rules.window_bytes = 0;
    r = result_of(text, &machine, &rules);
    is_near(r.time_us, 39.49); /* the second one; the first one has not been delayed */
    is_near(r.mean_end_us, (1 + 1 + 23.49 + 39.49) / 6);
    rules.window_bytes = 1; /* the longest has 16 packets whatever is asked for */
    is_near(result_of(text, &machine, &rules).mean_end_us, (1 + 1 + 38.49 + 39.49) / 6);
}

/* A node of two gets from two nodes: its NIC takes the packets as they come. */
TEST(two_that_share_the_receiver)
{
    const clump_cluster machine = machine_of(2, 1);
    const char *text =
        "num_ranks 6\n" PAIR(2, 0, "1600b") PAIR(4, 1, "1600b") "rank 3 {\n}\nrank 5 {\n}\n";
    const clump_schedule_rules rules = window_of(100);
    const clump_schedule_result r = result_of(text, &machine, &rules);
    is_near(r.time_us, 39.49);
    is_near(r.mean_end_us, (1 + 1 + 38.49 + 39.49) / 6);
}

/* The short message of the pair comes after its long one, that of another pair comes soon. */
TEST(those_of_a_pair_keep_their_order)
{
    const clump_cluster machine = machine_of(1, 1);
    const clump_schedule_rules rules = window_of(100);
    const char *text = "num_ranks 3\n"
                       "rank 0 {\n a: send 1600b to 1\n b: send 100b to 1\n c: send 100b to 2\n"
                       " b requires a\n c requires b\n}\n"
                       "rank 1 {\n a: recv 1600b from 0\n b: recv 100b from 0\n b requires a\n}\n"
                       "rank 2 {\n recv 100b from 0\n}\n";
    const clump_schedule_result r = result_of(text, &machine, &rules);
    /* c is handed over at 3: its packet leaves after the one that does then, at 3 or 4. Both lists end 18 packets after 1. */
    const double rank_2 = r.mean_end_us * 3 - 3 - r.time_us;
    is_near(r.time_us,
            1 + 16 + 5 + 0.99 + 2 * 1.5); /* b is there a packet after a, and waits for the CPU */
    assert_true(rank_2 >= 3 + 5 + 0.99 + 1.5 - 1e-9 && rank_2 <= 4 + 5 + 0.99 + 1.5 + 1e-9);
}

TEST(each_its_own_nic)
{
    clump_cluster machine = machine_of(2, 2);
    const char *text =
        "num_ranks 6\n" PAIR(0, 2, "1600b") PAIR(1, 4, "1600b") "rank 3 {\n}\nrank 5 {\n}\n";
    const clump_schedule_rules rules = window_of(100);
    is_near(result_of(text, &machine, &rules).time_us, 23.49);
    machine.node.mapping = CLUMP_MAPPING_STATIC;
    is_near(result_of(text, &machine, &rules).time_us, 23.49);
}

/* Of NICs in turn a long message takes all, an equal share each. */
TEST(stripes)
{
    const clump_cluster machine = machine_of(2, 2);
    const char *text = "num_ranks 4\n" PAIR(0, 2, "3200b") "rank 1 {\n}\nrank 3 {\n}\n";
    clump_schedule_rules rules = window_of(100);
    is_near(result_of(text, &machine, &rules).time_us, 1 + 5 + 31.99 + 1.5);
    rules.nic_turns = 1;
    is_near(result_of(text, &machine, &rules).time_us, 1 + 5 + 31.99 + 1.5);
    rules.stripe_above = 1600;
    is_near(result_of(text, &machine, &rules).time_us, 1 + 5 + 15.99 + 1.5);
}

/* Both send and receive 1600 bytes: 32 us for each NIC, and no packet waits for more than one other and the way. */
TEST(half_duplex)
{
    clump_cluster machine = machine_of(1, 1);
    const char *text = "num_ranks 2\nrank 0 {\nsend 1600b to 1\nrecv 1600b from 1\n}\n"
                       "rank 1 {\nsend 1600b to 0\nrecv 1600b from 0\n}\n";
    const clump_schedule_rules rules = window_of(100);
    is_near(result_of(text, &machine, &rules).time_us, 1 + 5 + 15.99 + 1.5);
    machine.half_duplex = true;
    const double time = result_of(text, &machine, &rules).time_us;
    assert_true(time >= 1 + 32 + 1.49 && time <= 1 + 32 + 5 + 2 + 1.5);
}

/* ---- many, against packets that are counted out one by one */

enum { RANKS = 12, WINDOW = 400, PACKET = WINDOW / 4 };

/* When the message of each rank of a node is through, which goes to a node of its own: a list of packets by their ranks. */
static void count_out(const double *ready, const int *bytes, double *through)
{
    static int line[RANKS * 2000];
    int first = 0, end = 0, unqueued[RANKS], left[RANKS];
    bool came[RANKS] = {false};
    double now = 0;
    for (int done = 0; done < RANKS;) {
        for (int next = 0; next >= 0;) { /* who has come stands behind the others */
            next = -1;
            for (int i = 0; i < RANKS; i++)
                if (!came[i] && (ready[i] <= now || first == end) &&
                    (next < 0 || ready[i] < ready[next]))
                    next = i;
            if (next < 0)
                break;
            came[next] = true;
            unqueued[next] = left[next] = bytes[next];
            for (int k = 0; k < WINDOW / PACKET && unqueued[next] > 0; k++) {
                line[end++] = next;
                unqueued[next] -= PACKET;
            }
            now = fmax(now, ready[next]);
        }
        const int i = line[first++], packet = left[i] < PACKET ? left[i] : PACKET;
        left[i] -= packet;
        if (unqueued[i] > 0) {
            line[end++] = i;
            unqueued[i] -= PACKET;
        }
        now += 0.01 * packet;
        if (left[i] == 0) {
            through[i] = now;
            done++;
        }
    }
}

TEST(many_against_packets_by_hand)
{
    const clump_cluster machine = machine_of(RANKS, 1);
    const clump_schedule_rules rules = window_of(WINDOW);
    for (uint64_t run = 0; run < 100; run++) {
        char text[64 * RANKS * RANKS];
        int used = snprintf(text, sizeof text, "num_ranks %d\n", RANKS * (RANKS + 1)), bytes[RANKS];
        double ready[RANKS], through[RANKS] = {0}, last = 0, sum = 0;
        for (int i = 0; i < RANKS; i++) {
            const int late = (int)(20000 * clump_random_uniform(run, 0, (uint64_t)i));
            bytes[i] = 1 + (int)(16 * PACKET * clump_random_uniform(run, 1, (uint64_t)i));
            ready[i] = 1e-3 * late + 1;
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "rank %d {\na: calc %d\nb: send %db to %d\nb requires a\n}\n"
                             "rank %d {\nrecv %db from %d\n}\n",
                             i, late, bytes[i], RANKS * (i + 1), RANKS * (i + 1), bytes[i], i);
        }
        for (int i = RANKS; i < RANKS * (RANKS + 1); i++)
            if (i % RANKS != 0)
                used += snprintf(text + used, sizeof text - (size_t)used, "rank %d {\n}\n", i);
        count_out(ready, bytes, through);
        for (int i = 0; i < RANKS; i++) {
            const double end = through[i] + 5 - 0.01 + 1.5;
            last = fmax(last, end);
            sum += end + ready[i];
        }
        const clump_schedule_result r = result_of(text, &machine, &rules);
        is_near(r.time_us, last);
        is_near(r.mean_end_us, sum / (RANKS * (RANKS + 1)));
    }
}

TEST(not_by_the_conventions_of_loggopsim)
{
    const clump_cluster machine = machine_of(1, 1);
    clump_schedule_rules rules = window_of(4096);
    clump_schedule_result result;
    clump_schedule *schedule;
    clump_error error = {CLUMP_OK, ""};
    const char *text = "num_ranks 2\n" PAIR(0, 1, "8b");
    rules.conventions = CLUMP_SCHEDULE_LOGGOPSIM;
    assert_int_equal(clump_schedule_parse(text, strlen(text), &schedule, &error), CLUMP_OK);
    assert_int_equal(clump_schedule_run(schedule, &machine, &rules, &result, &error),
                     CLUMP_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "found 4096 bytes, expected 0"));
    clump_schedule_free(schedule);
}

UNIT_MAIN(NULL, NULL)
