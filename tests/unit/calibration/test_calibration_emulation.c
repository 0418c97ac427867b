/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The arithmetic of an emulated Clump: who uses which NIC, how a message becomes packets, and what
 * the records say. Expected values are worked out by hand from the model: correlated messages of S
 * on N NICs take P S/N, X = 1 + (P-N)/N U (8.9). Emulations themselves are in
 * tests/cli/protocols/test_calibrate_clump.sh.
 */
#include "protocols/emulation/emulation.h"
#include "protocols/emulation/emulation_plan.h"
#include "protocols/emulation/summary.h"
#include "protocols/emulation/tool.h"
#include "recording/emulation/program_emulation.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static void nics_of(unsigned processors, unsigned nics, const char *expected)
{
    const clump_emulation_plan plan = {.processors = processors, .nics = nics, .is_static = true};
    for (unsigned p = 0; p < processors; p++) {
        const struct clump_emulation_nics n = clump_emulation_nics_of(&plan, p);
        assert_int_equal(n.count, 1);
        assert_int_equal(n.first, expected[p] - '0');
    }
}

TEST(static_groups_are_even_and_the_larger_come_first)
{
    nics_of(8, 3, "00011122");
    nics_of(8, 4, "00112233");
    nics_of(5, 2, "00011");
    nics_of(2, 4, "01");
    nics_of(3, 1, "000");
}

TEST(pooled_processors_use_all_nics)
{
    const clump_emulation_plan plan = {.processors = 3, .nics = 4};
    for (unsigned p = 0; p < 3; p++) {
        const struct clump_emulation_nics n = clump_emulation_nics_of(&plan, p);
        assert_int_equal(n.first, 0);
        assert_int_equal(n.count, 4);
    }
}

TEST(shares_are_even_and_add_up)
{
    for (unsigned count = 1; count <= 16; count++)
        for (double us = 0; us < 3000; us += 123.7) {
            uint64_t sum = 0, least = UINT64_MAX, most = 0;
            for (unsigned n = 0; n < count; n++) {
                const uint64_t share = clump_emulation_share(us, 6.25, count, n);
                sum += share;
                least = share < least ? share : least;
                most = share > most ? share : most;
            }
            assert_int_equal(sum, (uint64_t)floor(us * 6.25 + 0.5));
            assert_in_range(most - least, 0, 1);
        }
}

/* Every size that can be a datagram goes out byte by byte as it should. */
TEST(packets_add_up_to_the_message)
{
    static const unsigned full[] = {200, 1250, 1500};
    for (size_t f = 0; f < 3; f++)
        for (uint64_t bytes = CLUMP_EMULATION_LEAST_PACKET; bytes < 6000; bytes++) {
            uint64_t left = bytes;
            unsigned packets = 0;
            for (; left > 0; packets++) {
                const unsigned size = clump_emulation_packet(left, full[f]);
                assert_in_range(size, CLUMP_EMULATION_LEAST_PACKET, full[f]);
                assert_true(size <= left);
                left -= size;
            }
            assert_in_range(packets, (bytes + full[f] - 1) / full[f], bytes / full[f] + 2);
        }
    assert_int_equal(clump_emulation_packet(1, 1250), CLUMP_EMULATION_LEAST_PACKET);
}

TEST(credit_is_what_an_idle_bucket_saves)
{
    const clump_emulation_plan plan = {.bytes_per_us = 5, .burst = 6000};
    assert_int_equal(clump_emulation_credit(&plan, 0), 0);
    assert_int_equal(clump_emulation_credit(&plan, -1000), 0);
    assert_int_equal(clump_emulation_credit(&plan, 400000), 2000);
    assert_int_equal(clump_emulation_credit(&plan, 1200000), 6000);
    assert_int_equal(clump_emulation_credit(&plan, INT64_MAX), 6000);
}

/* ---- records made by hand */

enum { P = 4, CYCLES = 66 };

typedef struct made {
    clump_emulation_cycle work[P * CYCLES];
    clump_emulation_record clump[P * CYCLES], now[P * CYCLES];
    clump_emulation_plan plan;
    clump_emulation_outcome outcome;
} made;

/* All compute together and send together; batches have more or less to send. Computing ends
 * `late_us` late on both machines. */
static void make(made *m, unsigned nics, double late_us)
{
    memset(m, 0, sizeof *m);
    m->plan =
        (clump_emulation_plan){.processors = P, .nics = nics, .cycles = CYCLES, .work = m->work};
    for (unsigned p = 0; p < P; p++) {
        double clump_us = 0, now_us = 0;
        for (unsigned i = 0; i < CYCLES; i++) {
            const double R = 1000 + 17 * (i * 7 % 11), S = 500 + 41 * (i * 5 % 13);
            const unsigned at = p * CYCLES + i;
            double *times[] = {&clump_us, &now_us};
            clump_emulation_record *records[] = {&m->clump[at], &m->now[at]};
            m->work[at] = (clump_emulation_cycle){R, S};
            for (int side = 0; side < 2; side++) {
                double *t = times[side];
                *t += R;
                records[side]->due_ns = llround(1000 * *t);
                *t += late_us;
                records[side]->woke_ns = records[side]->begin_ns = llround(1000 * *t);
                *t += side == 0 ? S * P / nics : S;
                records[side]->end_ns = llround(1000 * *t);
            }
        }
    }
    m->outcome = (clump_emulation_outcome){
        .clump = {.records = m->clump, .packets = 1000, .processor_us = 2e5},
        .now = {.records = m->now, .packets = 1000, .lost = 20, .starved = 31, .processor_us = 1e5},
        .seconds = 2};
}

TEST(correlated_records_give_the_models_slowdown)
{
    static made m;
    clump_emulation_summary s;
    for (unsigned nics = 1; nics <= 8; nics *= 2) {
        make(&m, nics, 0);
        assert_true(clump_emulation_summarize(&m.plan, &m.outcome, &s));
        assert_true(s.all.utilization > 0.3 && s.all.utilization < 0.5);
        const double X = 1 + ((double)P - nics) / nics * s.all.utilization;
        assert_true(fabs(s.all.slowdown - X) < 1e-6);
        assert_true(fabs(s.each[2].slowdown - X) < 1e-6);
        /* The batches differ in nothing but how much they send, which is no error. */
        assert_true(s.all.standard_error < 1e-6);
        assert_true(fabs(s.message_ratio - 1) < 1e-6);
        assert_true(fabs(s.clump_rate - 1) < 1e-6);
        assert_true(fabs(s.now_rate - 1) < 1e-6);
        assert_true(fabs(s.late_us) < 1e-6);
        assert_true(fabs(s.lost - 0.01) < 1e-12);
        assert_true(fabs(s.starved - 31.0 / (2 * P * CYCLES)) < 1e-12);
        assert_true(fabs(s.processor_use - 0.15) < 1e-12);
    }
}

TEST(batches_cover_all_cycles_after_the_warm_up)
{
    static made m;
    clump_emulation_summary s;
    size_t cycles = 0;
    make(&m, 2, 0);
    assert_true(clump_emulation_summarize(&m.plan, &m.outcome, &s));
    for (int b = 0; b < CLUMP_EMULATION_BATCHES; b++)
        cycles += s.all.batch_cycles[b];
    assert_int_equal(cycles, P * (CYCLES - clump_emulation_warm_up(CYCLES)));
    assert_int_equal(clump_emulation_warm_up(CYCLES), 6);
    assert_int_equal(clump_emulation_warm_up(CLUMP_EMULATION_LEAST_CYCLES), 2);
}

TEST(lateness_is_seen)
{
    static made m;
    clump_emulation_summary s;
    make(&m, 2, 70);
    assert_true(clump_emulation_summarize(&m.plan, &m.outcome, &s));
    assert_true(fabs(s.late_us - 70) < 0.01);
    assert_true(fabs(s.latest_us - 70) < 0.01);
}

/* A NIC that runs at 80% of its rate: messages take 1.25 times as long. */
TEST(slow_nics_are_seen)
{
    static made m;
    clump_emulation_summary s;
    for (int is_static = 0; is_static < 2; is_static++) {
        make(&m, 2, 0);
        m.plan.is_static = is_static != 0; /* two processors on each: the same times */
        for (unsigned i = 0; i < P * CYCLES; i++)
            m.work[i].message_us *= 0.8;
        assert_true(clump_emulation_summarize(&m.plan, &m.outcome, &s));
        assert_true(fabs(s.message_ratio - 1.25) < 1e-6);
        assert_true(fabs(s.clump_rate - 0.8) < 1e-6);
        assert_true(fabs(s.now_rate - 0.8) < 1e-6);
    }
}

/* Every other batch one of the processors takes longer for no reason: that is an error. The
 * standard error of ten means that alternate by +-d around their mean is d/3. */
TEST(scatter_becomes_an_error)
{
    static made m;
    clump_emulation_summary s;
    make(&m, 4, 0); /* X = 1 */
    for (unsigned i = 0; i < P * CYCLES; i++) {
        m.work[i] = (clump_emulation_cycle){500, 500};
        m.now[i].end_ns = 1000000 * (int64_t)(i % CYCLES + 1);
        m.now[i].begin_ns = m.now[i].end_ns - 500000;
    }
    double at[P] = {0};
    for (unsigned p = 0; p < P; p++)
        for (unsigned i = 0; i < CYCLES; i++) {
            const unsigned batch = i < 6 ? 0 : (i - 6) / 6;
            at[p] += 1000 * (1 + (batch % 2 ? 0.03 : -0.03));
            clump_emulation_record *r = &m.clump[p * CYCLES + i];
            r->end_ns = llround(1000 * at[p]);
            r->begin_ns = r->end_ns - 500000;
        }
    assert_true(clump_emulation_summarize(&m.plan, &m.outcome, &s));
    assert_true(fabs(s.all.slowdown - 1) < 0.005);
    /* Eight degrees of freedom where one could do with nine: sqrt(9/8) more. */
    assert_true(fabs(s.all.standard_error - 0.03 / 3 * sqrt(9.0 / 8)) < 0.001);
}

/* ---- what is refused, whoever asks */

static void refuse(clump_emulation_plan plan, const char *expected)
{
    char message[CLUMP_EMULATION_MESSAGE_BYTES] = "";
    clump_emulation_outcome outcome = {.seconds = -1};
    assert_int_equal(clump_emulation_run(&plan, &outcome, message), CLUMP_PROTOCOL_BAD_INPUT);
    assert_non_null(strstr(message, expected));
    assert_true(outcome.seconds == -1);
}

TEST(plans_that_make_no_sense_are_refused)
{
    clump_emulation_cycle work[4] = {{1, 1}, {1, 1}, {1, 1}, {1, 1}};
    const clump_emulation_plan good = {.processors = 2,
                                       .nics = 1,
                                       .bytes_per_us = 6.25,
                                       .packet = 1250,
                                       .burst = 6250,
                                       .cycles = 2,
                                       .work = work};
    clump_emulation_plan plan = good;
    plan.processors = 17;
    refuse(plan, "processors");
    plan = good;
    plan.nics = 0;
    refuse(plan, "NICs");
    plan = good;
    plan.cycles = 1;
    refuse(plan, "cycles");
    plan = good;
    plan.bytes_per_us = (double)NAN;
    refuse(plan, "rate");
    plan = good;
    plan.packet = 1515;
    refuse(plan, "packet");
    plan = good;
    plan.burst = 1249;
    refuse(plan, "burst");
    work[3].message_us = -1;
    refuse(good, "work");
    work[3] = (clump_emulation_cycle){(double)NAN, 1};
    refuse(good, "work");
}

/* ---- programs */

TEST(the_first_reason_to_doubt_is_told)
{
    char doubt[CLUMP_EMULATED_DOUBT] = "";
    clump_emulated_outcome t = {
        .late = 0.0199, .again = 0.00099, .machine_busy = 0.5, .machine_taken = 0.25};
    clump_emulated_judge(&t, true, "NOW", 8, doubt);
    assert_string_equal(doubt, "");
    t.late = 0.031;
    clump_emulated_judge(&t, true, "NOW", 8, doubt);
    assert_string_equal(doubt,
                        "NOW: computations ended late by 3.1% of the time (other programs or "
                        "the host had the machine: 50% in use, 25% taken by the host): try "
                        "--dilation 16");
    const double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    t.processor_use = 0.8 * processors;
    clump_emulated_judge(&t, true, "Clump", 10, doubt);
    assert_memory_equal(doubt, "NOW: ", 5); /* the first one */
    doubt[0] = '\0';
    clump_emulated_judge(&t, true, "Clump", 10, doubt); /* 1.5 x 10 x 0.8 / 0.75 */
    assert_non_null(strstr(doubt, "Clump: the ranks used "));
    assert_non_null(strstr(doubt, "a --dilation above 16 leaves them room"));
    t.again = 0.0025;
    doubt[0] = '\0';
    clump_emulated_judge(&t, false, "Clump", 10, doubt);
    assert_string_equal(doubt, "Clump: 0.25% of the datagrams were sent again");
}

TEST(the_worst_of_several_runs_is_kept)
{
    clump_emulated_runs runs = {.count = 0};
    const clump_emulated_outcome all[] = {
        {.seconds = 3, .late = 0.5, .again = 0.1, .bytes = 7, .real_time = true, .finalized = true},
        {.seconds = 5, .late = 0.25, .again = 0.2, .bytes = 6, .finalized = true},
        {.seconds = 10, .late = 0.125, .bytes = 5, .real_time = true, .finalized = true}};
    for (size_t i = 0; i < 3; i++)
        clump_emulated_add(&runs, &all[i]);
    assert_int_equal(runs.count, 3);
    assert_true(runs.seconds[0] == 3 && runs.seconds[1] == 5 && runs.seconds[2] == 10);
    assert_float_equal(runs.mean, 6, 1e-12);
    assert_true(runs.worst.late == 0.5 && runs.worst.again == 0.2 && runs.worst.bytes == 5);
    assert_true(runs.worst.finalized && !runs.worst.real_time);
}

/* ---- ip and tc */

TEST(a_tool_takes_a_batch_of_any_length)
{
    static struct clump_emulation_batch batch;
    char message[256] = "";
    if (!clump_emulation_tool_exists("ip"))
        skip();
    while (batch.used + 100 < sizeof batch.text) /* more than the page that a pipe may hold */
        clump_emulation_batch_add(&batch, "link show lo");
    assert_int_equal(clump_emulation_tool_run("ip", &batch, message), CLUMP_PROTOCOL_OK);
    clump_emulation_batch_add(&batch, "link show no-such-nic");
    assert_int_equal(clump_emulation_tool_run("ip", &batch, message), CLUMP_PROTOCOL_FAILED);
    assert_non_null(strstr(message, "ip failed: "));
    assert_non_null(strstr(message, "no-such-nic"));
    while (!batch.full)
        clump_emulation_batch_add(&batch, "link show lo");
    assert_int_equal(clump_emulation_tool_run("ip", &batch, message), CLUMP_PROTOCOL_FAILED);
    assert_string_equal(message, "too many commands for ip");
}

UNIT_MAIN(NULL, NULL)
