/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/unit.h"

#include "model/closed_network.h"
#include "tests/unit/golden.h"

/* The self-checks of the solver must catch what they are for: a right solution, spoilt in turn. */

enum { P = 6 };

typedef struct spoilt {
    clump_class classes[2];
    clump_station station;
    double distribution[P + 1], slowdowns[2];
} spoilt;

static spoilt right_solution(void)
{
    spoilt s = {.classes = {{0.3, 4}, {0.8, 2}},
                .station = {.nics = 2, .max_nics_per_processor = 1}};
    assert_int_equal(clump_network_solve(s.classes, 2, &s.station, NULL, s.slowdowns,
                                         s.distribution, NULL, NULL),
                     CLUMP_OK);
    return s;
}

static clump_status check(const spoilt *s, const char *expected)
{
    const model_network_solution solution = {s->classes,      2,           &s->station, P,
                                             s->distribution, s->slowdowns};
    clump_network_totals totals = {-7, -7};
    clump_error error = {CLUMP_OK, ""};
    const clump_status status = model_network_check(&solution, &totals, &error);
    if (status != CLUMP_OK && strstr(error.message, expected) == NULL)
        fail_msg("'%s' does not speak of '%s'", error.message, expected);
    assert_true((status == CLUMP_OK) == (totals.throughput != -7));
    return status;
}

TEST(test_right_solution_passes)
{
    const spoilt s = right_solution();
    assert_int_equal(check(&s, ""), CLUMP_OK);
}

TEST(test_wrong_probabilities)
{
    spoilt s = right_solution();
    s.distribution[3] *= 1 + 1e-10;
    assert_int_equal(check(&s, "sum to"), CLUMP_INCONSISTENT);
    s = right_solution();
    s.distribution[3] = NAN;
    assert_int_equal(check(&s, "sum to"), CLUMP_INCONSISTENT);
    s = right_solution(); /* still a distribution, but another one */
    s.distribution[2] += 1e-9;
    s.distribution[4] -= 1e-9;
    assert_int_equal(check(&s, "idle"), CLUMP_INCONSISTENT);
}

TEST(test_wrong_slowdowns)
{
    spoilt s = right_solution();
    s.slowdowns[0] *= 1 + 1e-10;
    assert_int_equal(check(&s, "idle"), CLUMP_INCONSISTENT);
    s = right_solution(); /* idle time kept, flow balance not */
    const double idle = 4 * 0.7 / s.slowdowns[0] + 2 * 0.2 / s.slowdowns[1];
    s.slowdowns[0] *= 1 + 1e-6;
    s.slowdowns[1] = 2 * 0.2 / (idle - 4 * 0.7 / s.slowdowns[0]);
    assert_int_equal(check(&s, "flow balance"), CLUMP_INCONSISTENT);
    s = right_solution();
    s.slowdowns[1] = NAN;
    assert_int_equal(check(&s, "idle"), CLUMP_INCONSISTENT);
    s.slowdowns[1] = INFINITY;
    assert_int_equal(check(&s, "idle"), CLUMP_INCONSISTENT);
}

UNIT_MAIN(NULL, NULL)
