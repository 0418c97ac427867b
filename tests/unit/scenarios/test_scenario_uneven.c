/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traffic that differs from processor to processor. Correlated demand is linear, so that expected values
 * are worked out by hand: a group of n processors on one NIC takes C + n (mean of the group). Messages
 * take 20 us. */
#include "tests/unit/test_scenario.h"

/* Expected maxima of normal numbers (H. L. Harter, Biometrika 48, 1961, table 1). */
static const double most_of_8 = 1.42360, most_of_16 = 1.76599, most_of_4 = 1.02938;

#define NODE                                                                                       \
    "local p = platform { name = 'p', nodes = 4, processors = 4, nics = 2, mapping = 'static',\n"  \
    "  network = { L = 10, o_s = 4, o_r = 4, g = 20, G = 0 },\n"                                   \
    "  shared_memory = { L = 1, o_s = 0.5, o_r = 0.5, g = 2, G = 0 } }\n"

static const clump_result *one(outcome *o, const char *application, const char *fields)
{
    char text[1500];
    snprintf(text, sizeof text,
             NODE "return scenario { platform = p, application = application { %s }, %s }",
             application, fields);
    good(o, text);
    assert_int_equal(o->results.count, 1);
    return o->results.rows;
}

TEST(lists)
{
    outcome o;
    /* Pairs have 1000 and 1100 on average, the slowest processor 1500. */
    const clump_result *r = one(
        &o, "computation = 0.1, remote_traffic = { short_messages = { 500, 1500, 1200, 1000 } }",
        "demand = 'correlated'");
    assert_int_equal(r->slowest_group, 2);
    assert_near(r->now_time, 0.1 + 0.03, 1e-12);
    assert_near(r->predicted_time, 0.1 + 2 * 0.022, 1e-12);
    assert_near(r->slowest_slowdown, 0.144 / 0.13, 1e-12);
    assert_near(r->slowdown, (0.1 + 2 * 0.021) / 0.121, 1e-12); /* of the mean, 1050 */
    clump_scenario_results_free(&o.results);
    /* pooled: all of the node, 1050 on average, two at a time */
    r = one(&o,
            "computation = 0.1, remote_traffic = { short_messages = { 500, 1500, 1200, 1000 } }",
            "demand = 'correlated', mapping = 'pooled'");
    assert_int_equal(r->slowest_group, 4);
    assert_near(r->predicted_time, 0.1 + 2 * 0.021, 1e-12);
    clump_scenario_results_free(&o.results);
    /* one for each of 16 processors: the last node has most to do */
    r = one(
        &o,
        "now_time = 0.2, remote_traffic = { short_messages = { 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, "
        "100, 1000, 900, 500 } }",
        "demand = 'correlated'");
    assert_near(r->now_time, 0.2, 1e-12);
    assert_near(r->predicted_time, 0.2 - 0.02 + 2 * 0.014, 1e-12);
    clump_scenario_results_free(&o.results);
}

/* Groups of several sizes, and NICs that one processor cannot fill: who has how much counts then. */
TEST(lists_one_by_one)
{
    outcome o;
    const char *last =
        "computation = 0.1, remote_traffic = { short_messages = { 100, 100, 100, 2000 } }";
    /* 2, 1 and 1 on three NICs: the last one is alone on its NIC */
    const clump_result *r = one(&o, last, "demand = 'correlated', nics = 3");
    assert_int_equal(r->slowest_group, 1);
    assert_near(r->now_time, 0.14, 1e-12);
    assert_near(r->predicted_time, 0.14, 1e-12);
    clump_scenario_results_free(&o.results);
    r = one(&o, last, "demand = 'correlated', nics = 3, group_sizes = { 1, 1, 2 }");
    assert_int_equal(r->slowest_group, 2);
    assert_near(r->predicted_time, 0.1 + 0.042, 1e-12);
    clump_scenario_results_free(&o.results);
    /* two pooled NICs, of which a processor fills one: 100 messages of all, two at a time, and the rest by one NIC */
    r = one(&o, last, "demand = 'correlated', mapping = 'pooled', max_nics_per_processor = 1");
    assert_near(r->predicted_time, 0.1 + 2 * 0.002 + 0.038, 1e-12);
    clump_scenario_results_free(&o.results);
    /* who waits for the answers, 18 us each beyond the gap of 2, waits for its own */
    r = one(
        &o,
        "computation = 0.1, style = 'blocking', remote_traffic = { short_messages = { 1000, 0, 0, "
        "0 } }",
        "demand = 'correlated', platform = platform { like = p, name = 'q', network = { g = 2 } }");
    assert_near(r->predicted_time, 0.1 + 0.002 + 0.016, 1e-12);
    clump_scenario_results_free(&o.results);
    /* independent: of two with U = 1/6 on a NIC X = 37/36; the third and the fourth have one each */
    r = one(&o,
            "computation = 0.1, synchronized = true, "
            "remote_traffic = { short_messages = { 1000, 1000, 0, 1100 } }",
            "nics = 3");
    assert_int_equal(r->slowest_group, 2);
    assert_near(r->predicted_time, 0.12 * 37 / 36, 1e-12);
    clump_scenario_results_free(&o.results);
}

/* ---- event by event */

enum { MOST = 9 };

static double random_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* All of `count` begin to send together, what takes `left` of one NIC each; k of them have min(k m, nics). */
static double last_of(double *left, size_t count, double nics, double most)
{
    double time = 0;
    for (;;) {
        double least = HUGE_VAL;
        size_t k = 0;
        for (size_t i = 0; i < count; i++)
            if (left[i] > 0) {
                least = fmin(least, left[i]);
                k++;
            }
        if (k == 0)
            return time;
        time += least * (double)k / fmin((double)k * most, nics);
        for (size_t i = 0; i < count; i++)
            left[i] = left[i] > least ? left[i] - least : 0;
    }
}

/* Groups of any sizes on a NIC each, or pooled NICs that one processor cannot fill. */
TEST(random_lists)
{
    uint64_t seed = 7;
    for (int trial = 0; trial < 40; trial++) {
        const size_t P = 2 + (size_t)(random_number(&seed) * (MOST - 1));
        const size_t N = 1 + (size_t)(random_number(&seed) * (double)P);
        const bool pooled = random_number(&seed) < 0.5;
        const double most = pooled ? 1 + random_number(&seed) * 2 : 1;
        double left[MOST], slowest = 0, greatest = 0;
        size_t sizes[MOST] = {0}, group_of[MOST];
        char list[400] = "", groups[200] = "", text[1500];
        for (size_t i = 0; i < P; i++) {
            const double messages = floor(random_number(&seed) * 5000);
            left[i] = 20e-6 * messages;
            greatest = fmax(greatest, left[i]);
            snprintf(list + strlen(list), sizeof list - strlen(list), "%.0f,", messages);
            group_of[i] = (size_t)(random_number(&seed) * (double)N);
            sizes[group_of[i]]++;
        }
        for (size_t g = 0; g < N; g++)
            snprintf(groups + strlen(groups), sizeof groups - strlen(groups), "%zu,", sizes[g]);
        for (size_t g = 0, first = 0; !pooled && g < N; first += sizes[g++])
            slowest = fmax(slowest, last_of(left + first, sizes[g], 1, 1));
        if (pooled)
            slowest = last_of(left, P, (double)N, most);
        snprintf(
            text, sizeof text,
            "return scenario { platform = platform { name = 'p', nodes = 1, processors = %zu, nics "
            "= %zu,\n"
            "mapping = '%s', network = { L = 10, o_s = 4, o_r = 4, g = 20, G = 0 }, shared_memory "
            "= { L = 1,\n"
            "o_s = 0.5, o_r = 0.5, g = 2, G = 0 } }, demand = 'correlated', %s = %s%s%s, "
            "application =\n"
            "application { computation = 0.1, remote_traffic = { short_messages = { %s } } } }",
            P, N, pooled ? "pooled" : "static", pooled ? "max_nics_per_processor" : "group_sizes",
            pooled ? "" : "{ ", pooled ? "MOST" : groups, pooled ? "" : " }", list);
        char *place = strstr(text, "MOST");
        char whole[1600];
        if (place != NULL)
            snprintf(whole, sizeof whole, "%.*s%.17g%s", (int)(place - text), text, most,
                     place + 4);
        outcome o;
        good(&o, place != NULL ? whole : text);
        assert_near(o.results.rows->predicted_time, 0.1 + slowest, 1e-12);
        assert_near(o.results.rows->slowest_slowdown, (0.1 + slowest) / (0.1 + greatest), 1e-12);
        clump_scenario_results_free(&o.results);
    }
}

TEST(spreads)
{
    outcome o;
    const double d = 200;
    const clump_result *r = one(
        &o,
        "computation = 0.1, remote_traffic = { short_messages = { mean = 1000, std_dev = 200 } }",
        "demand = 'correlated'");
    /* the slowest of 16 processors, and of 8 pairs */
    const double alone = 1000 + most_of_16 * d, pair = 1000 + most_of_8 * d / sqrt(2);
    assert_near(r->now_time, 0.1 + 20e-6 * alone, 1e-5);
    assert_near(r->predicted_time, 0.1 + 2 * 20e-6 * pair, 2e-4);
    clump_scenario_results_free(&o.results);
    /* the greatest is a bound of each processor: 5 of 16 have it, and 1 of 8 pairs twice */
    r = one(&o,
            "computation = 0.1, remote_traffic = { short_messages = { mean = 1000, std_dev = 200, "
            "greatest = 1100 } }",
            "demand = 'correlated'");
    assert_near(r->now_time, 0.1 + 20e-6 * 1100, 1e-5);
    assert_true(r->predicted_time > 0.1 + 2 * 20e-6 * 1060 &&
                r->predicted_time < 0.1 + 2 * 20e-6 * 1100);
    clump_scenario_results_free(&o.results);
    /* least and greatest of 16: their distance is 2 E_max(16) d on average; node by node if pooled */
    r = one(&o,
            "computation = 0.1, remote_traffic = { short_messages = { mean = 1000, least = 700, "
            "greatest = 1300 } }",
            "demand = 'correlated', mapping = 'pooled'");
    const double found = 600 / (2 * most_of_16), node = 1000 + most_of_4 * found / 2;
    assert_near(r->predicted_time, 0.1 + 2 * 20e-6 * node, 1e-4);
    clump_scenario_results_free(&o.results);
}

/* Waiting of the others is not computation, and stays as it is; with a time on the NOW the slowest
 * processor's traffic is part of it. */
TEST(times_and_barriers)
{
    outcome o;
    const char *lists = "remote_traffic = { short_messages = { 500, 1500, 1200, 1000 } }";
    char text[400];
    snprintf(text, sizeof text, "now_time = 0.14, computation = 0.08, memory_penalty = 1.5, %s",
             lists);
    const clump_result *r = one(&o, text, "demand = 'correlated'");
    /* 0.03 s of messages on the NOW leave 0.03 s of waiting */
    assert_near(r->predicted_time, 1.5 * 0.08 + 0.03 + 2 * 0.022, 1e-12);
    assert_near(r->now_time, 0.14, 1e-15);
    clump_scenario_results_free(&o.results);
    /* independent demand: only if the program says that it has barriers */
    snprintf(text, sizeof text, "computation = 0.1, %s", lists);
    r = one(&o, text, "nics = 4");
    assert_int_equal(r->slowest_group, 0);
    assert_near(r->predicted_time, 0.121, 1e-12);
    clump_scenario_results_free(&o.results);
    snprintf(text, sizeof text, "computation = 0.1, synchronized = true, %s", lists);
    r = one(&o, text, "nics = 4");
    assert_int_equal(r->slowest_group, 1);
    assert_near(r->slowest_slowdown, 1, 1e-12);
    assert_near(r->predicted_time, 0.13, 1e-12);
    clump_scenario_results_free(&o.results);
    /* measured times are compared with the slowest */
    snprintf(text, sizeof text, "computation = 0.1, times = { p = 0.15 }, %s", lists);
    r = one(&o, text, "demand = 'correlated'");
    assert_near(r->error, 0.144 / 0.15 - 1, 1e-12);
    clump_scenario_results_free(&o.results);
    /* groups that are not equal pace a program without uneven traffic, too: 3 on one NIC, 1 on the other; correlated
       processors wait for them by themselves, others where there are barriers */
    r = one(&o, "computation = 0.1, remote_traffic = { short_messages = 1000 }",
            "demand = 'correlated', group_sizes = { 3, 1 }");
    assert_near(r->slowdown, (0.1 + 3 * 0.02) / 0.12, 1e-12);
    assert_near(r->predicted_time, 0.1 + 3 * 0.02, 1e-12);
    clump_scenario_results_free(&o.results);
    r = one(&o,
            "computation = 0.1, synchronized = true, remote_traffic = { short_messages = 1000 }",
            "group_sizes = { 3, 1 }");
    assert_int_equal(r->slowest_group, 3);
    assert_true(r->slowdown < r->slowest_slowdown);
    assert_near(r->predicted_time, r->slowest_slowdown * 0.12, 1e-12);
    clump_scenario_results_free(&o.results);
}

/* Compared with another platform: the slowest groups of both. */
TEST(compared)
{
    outcome o;
    const char *lists = "remote_traffic = { short_messages = { 500, 1500, 1200, 1000 } }";
    char text[400];
    snprintf(text, sizeof text, "computation = 0.1, %s", lists);
    const clump_result *r = one(&o, text, "demand = 'correlated', nics = 4, compare_with = p");
    assert_near(r->compared_time, 0.144, 1e-12);
    assert_near(r->predicted_time, 0.13, 1e-12);
    assert_near(r->ratio, 0.13 / 0.144, 1e-12);
    clump_scenario_results_free(&o.results);
    snprintf(text, sizeof text, "times = { p = 0.144 }, %s", lists);
    r = one(&o, text, "demand = 'correlated', nics = 4, compare_with = p");
    assert_near(r->predicted_time, 0.13, 1e-12);
    clump_scenario_results_free(&o.results);
    snprintf(text, sizeof text, "now_time = 0.13, %s", lists);
    r = one(&o, text, "demand = 'correlated', nics = 4, compare_with = p");
    assert_near(r->predicted_time, 0.13, 1e-12);
    assert_near(r->compared_time, 0.144, 1e-12);
    clump_scenario_results_free(&o.results);
}

/* A platform compared with itself: exactly 1, also where spreads, barriers and groups of two sizes meet. */
TEST(compared_with_itself)
{
    outcome o;
    const clump_result *r = one(&o,
                                "computation = 0.1, synchronized = true, remote_traffic = { "
                                "short_messages = { mean = 4000, std_dev = 1000 } }",
                                "nics = 1");
    assert_true(r->slowest_slowdown > 1);
    clump_scenario_results_free(&o.results);
    r = one(&o,
            "computation = 0.1, synchronized = true, remote_traffic = { short_messages = { mean = "
            "4000, std_dev = 1000 } }",
            "compare_with = p");
    assert_true(r->ratio == 1 && r->beside_itself);
    assert_near(r->predicted_time, r->compared_time, 1e-12);
    clump_scenario_results_free(&o.results);
}

TEST(mistakes)
{
    bad(NODE "return scenario { platform = p, demand = 'correlated', application = application {\n"
             "now_time = 1, remote_traffic = { short_messages = { 1, 2, 3 } } } }",
        4,
        "a list has 3 numbers, expected one for each of the 4 processors of a node, or of the 16");
    bad("application { now_time = 1, remote_traffic = { short_messages = { mean = 1 } } }", 1,
        "expected least and greatest beside mean, or std_dev");
    bad("application { now_time = 1, remote_traffic = { short_messages = { mean = 1, least = 2, "
        "greatest = 3 } } }",
        1, "expected one between least and greatest");
    bad("application { now_time = 1, remote_traffic = { short_messages = { mean = 1, sd = 2 } } }",
        1, "there is no field \"sd\"");
    bad("application { now_time = 1, remote_traffic = { short_messages = { 1, 'x' } } }", 1,
        "expected a number");
    bad(NODE
        "return scenario { platform = p, demand = 'correlated', application = application {\n"
        "now_time = 0.025, remote_traffic = { short_messages = { 500, 1500, 1200, 1000 } } } }",
        4, "takes 0.03 s on the NOW by its LogGP parameters, more than the 0.025 s");
}

UNIT_MAIN(open_store, close_store)
