/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare_with: two Clumps. Expected values are worked out by hand, or from the closed form of two
 * processors that share a NIC. */
#include "tests/unit/test_scenario.h"

#include "tests/unit/golden.h"

/* Messages take 20 us on the old platform and 10 us on the new one: 1000 of them. */
#define OLD                                                                                        \
    "local shared = { L = 1, o_s = 0.5, o_r = 0.5, g = 2, G = 0 }\n"                               \
    "local old = platform { name = 'old', processors = 2, nics = 1, shared_memory = shared,\n"     \
    "  network = { L = 10, o_s = 4, o_r = 4, g = 20, G = 0 } }\n"
#define NEW OLD "local new = platform { name = 'new', like = old, network = { g = 10 } }\n"
#define TRAFFIC "remote_traffic = { short_messages = 1000 }"

static const clump_result *one(outcome *o, const char *text)
{
    good(o, text);
    assert_int_equal(o->results.count, 1);
    return o->results.rows;
}

/* X of two processors that share a NIC and have U each: with w = U/(1-U) the states 0, 1, 2 weigh
 * 1, 2w, 2w^2, and X = 2U/(share of the time in which the NIC is busy). */
static double pair(double U)
{
    const double w = U / (1 - U), busy = 2 * w + 2 * w * w;
    return 2 * U * (1 + busy) / busy;
}

/* All at once each NIC serves P/N messages one after the other: t = C + M P/N. */
TEST(correlated_by_hand)
{
    outcome o;
    const clump_result *r =
        one(&o, NEW "return scenario { demand = 'correlated', platform = new, compare_with = old,\n"
                    "application = application { computation = 0.1, " TRAFFIC " } }");
    assert_string_equal(r->compared_with, "old");
    assert_near(r->compared_time, 0.1 + 0.02 * 2, 1e-13);
    assert_near(r->predicted_time, 0.1 + 0.01 * 2, 1e-13);
    assert_near(r->ratio, 0.12 / 0.14, 1e-12);
    assert_near(r->compared_slowdown, 0.14 / 0.12, 1e-12);
    assert_near(r->slowdown, 0.12 / 0.11, 1e-12);
    assert_near(r->now_time, 0.11, 1e-13);
    assert_near(r->compared_utilization, 0.02 / 0.12, 1e-12);
    assert_near(r->communication_ratio, 0.5, 1e-12);
    clump_scenario_results_free(&o.results);
    /* From the time that was measured on the old one, computation follows: 0.14 - 0.04; the number of
     * NICs is that of the platform. */
    r = one(&o,
            NEW "return scenario { demand = 'correlated', platform = new, compare_with = old,\n"
                "nics = 2, application = application { times = { old = 0.14, new = 0.12 }, " TRAFFIC
                " } }");
    assert_near(r->predicted_time, 0.1 + 0.01, 1e-12);
    assert_near(r->compared_time, 0.14, 0);
    assert_true(isnan(r->measured_time)); /* with one NIC, not with two */
    clump_scenario_results_free(&o.results);
    r = one(&o,
            NEW "return scenario { demand = 'correlated', platform = new, compare_with = old,\n"
                "application = application { times = { old = 0.14, new = 0.125 }, " TRAFFIC " } }");
    assert_near(r->measured_ratio, 0.125 / 0.14, 1e-12);
    assert_near(r->error, 0.12 / 0.125 - 1, 1e-11);
    clump_scenario_results_free(&o.results);
    /* Memory that is slower there, and a time of waiting for others, which is not. */
    r = one(&o,
            NEW "new = platform { name = 'new', like = new, memory_penalty = 1.5 }\n"
                "return scenario { demand = 'correlated', platform = new, compare_with = old,\n"
                "application = application { computation = 0.06, times = { old = 0.14 }, " TRAFFIC
                " } }");
    assert_near(r->predicted_time, 1.5 * 0.06 + 0.04 + 0.02, 1e-12);
    clump_scenario_results_free(&o.results);
}

TEST(independent_by_inversion)
{
    for (int i = 1; i < 8; i++) {
        outcome o;
        char text[1400];
        const double C = 0.013 * i, U = 0.02 / (C + 0.02), V = 0.01 / (C + 0.01);
        const double old = pair(U) * (C + 0.02), new = pair(V) * (C + 0.01);
        snprintf(text, sizeof text,
                 NEW "return scenario { platform = new, compare_with = old,\n"
                     "application = application { times = { old = %.17g }, " TRAFFIC " } }",
                 old);
        const clump_result *r = one(&o, text);
        assert_near(r->compared_slowdown, pair(U), 1e-11);
        assert_near(r->utilization, V, 1e-10);
        assert_near(r->predicted_time, new, 1e-10 * new);
        assert_near(r->ratio, new / old, 1e-10);
        clump_scenario_results_free(&o.results);
    }
}

/* Seconds of P processors that compute R s and need M s of a NIC each, where q that communicate get rate[q] of one together:
 * R times Z of all over Z of all but one (MODEL.md, section 4), added up as it stands there. */
static double cycle(size_t P, const double *rate, double R, double M)
{
    const double w = M / R;
    double all = 1, others = 1, weight = 1, choose = 1;
    for (size_t q = 1; q <= P; q++) {
        weight *= (double)q * w / rate[q];
        choose *= (double)(P + 1 - q) / (double)q;
        all += weight * choose;
        others += weight * choose * (double)(P - q) / (double)P;
    }
    return R * all / others;
}

/* NICs that lose in company: longer computation can take less time, so that several explain a time. All of them, by the sign on a
 * fine grid; and no more than a rule of Descartes allows. */
TEST(all_explanations)
{
    enum { P = 6, GRID = 20000 };
    unsigned long long random = 32;
    size_t several = 0;
    for (int i = 0; i < 150; i++) {
        const double M = 0.02; /* 1000 messages of 20 us */
        double rate[P + 1], twice[P + 1], u, least = HUGE_VAL, most = 0, before = 0, changes = 0;
        char table[200] = "1", text[1600];
        size_t count = 0;
        outcome o;
        rate[1] = 1;
        for (size_t q = 2; q <= P; q++) {
            u = golden_random(&random);
            rate[q] = rate[q - 1] * (i % 3 == 0 ? 0.3 + u : 0.4 + 0.6 * u);
            snprintf(table + strlen(table), sizeof table - strlen(table), ", %.17g", rate[q]);
        }
        for (size_t q = 1; q <= P; q++)
            twice[q] = 2 * rate[q];
        u = golden_random(&random);
        const double R = M * pow(10, 2.5 * u - 1), time = cycle(P, rate, R, M);
        for (int g = 0; g <= GRID; g++) { /* over the logarithm: the program goes evenly */
            const double C = time * pow(10, -7 * (1 - (double)g / GRID));
            const double off = cycle(P, rate, C, M) - time;
            if (g > 0 && off * before < 0) {
                const double ratio = cycle(P, twice, C, M) / time;
                least = fmin(least, ratio);
                most = fmax(most, ratio);
                count++;
            }
            before = off;
        }
        for (size_t q = 1; q <= P; q++)
            changes += (q == 1) ? M * P < time * rate[1]
                                : (M * P < time * rate[q]) != (M * P < time * rate[q - 1]);
        assert_true((double)count <= changes && count > 0);
        snprintf(
            text, sizeof text,
            "local old = platform { name = 'old', processors = 6, nics = 1, efficiency = { %s },\n"
            "  shared_memory = { L = 1, o_s = 0.5, o_r = 0.5, g = 2, G = 0 },\n"
            "  network = { L = 10, o_s = 4, o_r = 4, g = 20, G = 0 } }\n"
            "return scenario { platform = platform { name = 'new', like = old, nics = 2 },\n"
            "compare_with = old, application = application { times = { old = %.17g }, " TRAFFIC
            " } }",
            table, time);
        const clump_result *r = one(&o, text);
        assert_near(r->ratio, most, 2e-3 * most); /* a step of the grid */
        if (count > 1) {
            assert_int_equal(r->explanations, count);
            assert_near(r->least_ratio, least, 2e-3 * least);
            several++;
        } else {
            assert_int_equal(r->explanations, 0);
            assert_true(isnan(r->least_ratio));
        }
        clump_scenario_results_free(&o.results);
    }
    assert_true(several > 30);
}

/* A utilization and how much faster the NIC is: communication within the node stays as it is. */
TEST(utilization_by_ratio)
{
    outcome o;
    const clump_result *r = one(
        &o, "local a = platform { name = 'a', processors = 2, nics = 1 }\n"
            "return scenario { platform = a, compare_with = a, communication_ratio = 0.25,\n"
            "utilization = 0.4, demand = 'correlated', remote_fraction = 0.5, cost_ratio = 0.2 }");
    /* of a unit of time: 0.6 computation, 0.2 remote, 0.2 local that takes 0.04 */
    assert_near(r->compared_slowdown, 0.6 + 0.04 + 2 * 0.2, 1e-12);
    assert_near(r->ratio, (0.6 + 0.04 + 2 * 0.05) / 1.04, 1e-12);
    assert_true(isnan(r->predicted_time) && isnan(r->now_time) && isnan(r->compared_time));
    clump_scenario_results_free(&o.results);
    /* with a time on the old one */
    r = one(&o, NEW "return scenario { platform = new, compare_with = old, demand = 'correlated',\n"
                    "communication_ratio = 0.5, application = application { utilization = 0.2,\n"
                    "times = { old = 0.6 } } }");
    /* 0.5 s on the NOW: 0.4 and 0.1; then 0.4 + 2*0.05 */
    assert_near(r->predicted_time, 0.5, 1e-12);
    assert_near(r->now_time, 0.45, 1e-12);
    clump_scenario_results_free(&o.results);
    good(&o, NEW "return scenario { platform = { new, old }, compare_with = old,\n"
                 "application = application { utilization = 0.2 } }");
    assert_int_equal(o.results.count, 2);
    assert_has(o.results.rows[0].refused, "give communication_ratio");
    assert_near(o.results.rows[1].ratio, 1, 0);
    clump_scenario_results_free(&o.results);
}

/* Numbers of NICs, mapping and processors of either. */
TEST(nodes_differ)
{
    outcome o;
    good(&o, "local a = platform { name = 'a', processors = 8, nics = 4, mapping = 'static' }\n"
             "local now = platform { name = 'now', processors = 1, nics = 1 }\n"
             "return { scenario { platform = a, compare_with = { a, now }, nics = { 4, 8 },\n"
             "utilization = 0.5, demand = 'correlated', mapping = { 'pooled', 'static' },\n"
             "processors = 8, efficiency = { 1, 1 } },\n"
             "scenario { platform = a, utilization = 0.5, demand = 'correlated', nics = 8 } }");
    assert_int_equal(o.results.count, 9);
    /* X of 8 on 4 is 1 - U + 2U, on 8 it is 1; pooled NICs without a limit make no difference here */
    const double X[] = {1.5, 1, 1.5, 1};
    for (size_t i = 0; i < 8; i++) {
        const clump_result *r = &o.results.rows[i];
        assert_string_equal(r->compared_with, i < 4 ? "a" : "now");
        assert_near(r->compared_slowdown, i < 4 ? 1.5 : 1, 1e-12);
        if (r->mapping == CLUMP_MAPPING_STATIC)
            assert_near(r->ratio, X[i % 4] / (i < 4 ? 1.5 : 1), 1e-12);
    }
    assert_null(o.results.rows[8].compared_with);
    clump_scenario_results_free(&o.results);
    /* All traffic of a node with one processor is remote: 1500 messages of 20 us. */
    const clump_result *r =
        one(&o, OLD "local now = platform { like = old, name = 'now', processors = 1, nics = 1 }\n"
                    "return scenario { platform = old, compare_with = now, demand = 'correlated',\n"
                    "application = application { times = { now = 0.1 }, " TRAFFIC
                    ",\n local_traffic = { short_messages = 500 } } }");
    assert_near(r->compared_utilization, 0.3, 1e-12);
    assert_near(r->predicted_time, 0.07 + 2 * 0.02 + 500 * 2e-6, 1e-12);
    clump_scenario_results_free(&o.results);
}

TEST(stored_programs)
{
    outcome o;
    /* Itself: measured, so that the ratio is 1, and no prediction is judged. */
    good(&o, "local old = platform 'e5000-clump'\n"
             "local new = platform { name = 'new', like = old, network = { g = 7, G = 0.01 } }\n"
             "return scenario { application = application 'SAMPLE', platform = { old, new },\n"
             "compare_with = old, demand = { 'independent', 'correlated' } }");
    assert_int_equal(o.results.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const clump_result *r = &o.results.rows[i];
        assert_near(r->compared_time, 3.33, 1e-15);
        assert_true(isnan(r->error) && isnan(r->measured_slowdown));
        if (i < 2)
            assert_near(r->ratio, 1, 1e-11);
        else
            assert_true(r->ratio > 0.5 && r->ratio < 0.9);
        assert_near(r->predicted_time, 3.33 * r->ratio, 1e-9);
    }
    clump_scenario_results_free(&o.results);
    bad("local new = platform { name = 'new', "
        "processors = 8, nics = 4 }\n"
        "return scenario { application = application 'SAMPLE', platform = new }",
        2, "or compare_with");
    good(&o, "local old = platform 'e5000-clump'\n"
             "return scenario { application = application 'SAMPLE', compare_with = old,\n"
             "platform = { old, platform { name = 'small', like = old, processors = 4 } } }");
    assert_has(o.results.rows[1].refused, "known for 8 processors only");
    clump_scenario_results_free(&o.results);
}

TEST(mistakes)
{
    bad(OLD "return scenario { platform = old, utilization = 0.5, compare_with = 'x' }", 4,
        "compare_with is \"x\", expected platform");
    bad("return scenario { processors = 2, nics = 1, utilization = 0.5, communication_ratio = 2 }",
        1, "expected compare_with beside it");
    bad(OLD "return scenario { nics = 1, processors = 2, utilization = 0.5, compare_with = old }",
        4, "expected platform beside it");
    bad(NEW "return scenario { platform = new, compare_with = old,\n"
            "application = application { times = { old = 0.03 }, " TRAFFIC " } }",
        5, "its communication takes 0.04 s, more than the 0.03 s measured there");
    bad(NEW "return scenario { platform = new, compare_with = old,\n"
            "application = application { times = { new = 0.03 }, " TRAFFIC " } }",
        5, "its time on \"old\", with which it is compared, is not known");
    bad(NEW "return scenario { platform = new,\n"
            "application = application { times = { new = 0.03 }, " TRAFFIC " } }",
        5, "are for compare_with");
    bad(NEW "return scenario { platform = new, compare_with = old, communication_ratio = 2,\n"
            "application = application { utilization = { 0.1, 0.2 } } }",
        5, "not one for each processor");
    bad("platform { like = 'x' }", 1, "like is \"x\", expected platform");
    bad("application { utilization = 0.5, times = 3 }", 1, "times is 3, expected {");
    bad("application { utilization = 0.5, times = { 3 } }", 1, "times has the key 1");
    bad("application { utilization = 0.5, times = { x = 0 } }", 1, "x is 0, expected a number");
    bad("local p = platform { name = 'old', processors = 2, nics = 1 }\n"
        "return scenario { platform = p, application = application { utilization = 0.5, now_time = "
        "100, times = { odl = 95 } } }",
        0, "times has \"odl\", expected the name of a platform");
}

/* What a variant of a platform does not say is that of the other one. */
TEST(platforms_like_others)
{
    outcome o;
    good(&o,
         "local a = platform { name = 'a', processors = 8, nics = 4, mapping = 'static',\n"
         "  memory_penalty = 1.2, efficiency = function(q) return 1 / q end,\n"
         "  max_nics_per_processor = 1 }\n"
         "return scenario { platform = { a, platform { like = a }, platform { like = a, nics = 8 "
         "},\n  platform { like = a, efficiency = { 1 } } }, utilization = 0.5 }");
    const clump_result *r = o.results.rows;
    assert_int_equal(o.results.count, 4);
    assert_near(r[1].slowdown, r[0].slowdown, 0);
    assert_near(r[1].memory_penalty, 1.2, 0);
    assert_int_equal(r[1].mapping, CLUMP_MAPPING_STATIC);
    assert_null(r[1].platform);
    assert_int_equal(r[2].nics, 8);
    assert_true(r[3].slowdown < r[0].slowdown);
    clump_scenario_results_free(&o.results);
}

UNIT_MAIN(open_store, close_store)
