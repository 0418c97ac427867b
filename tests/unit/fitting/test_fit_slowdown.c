/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fits of applications to times. Expected values: by algebra and by brute force where demand is
 * correlated, X = 1 + (P-N)/N U of (8.9), which needs none of the engine; known truth where times
 * are made up.
 */
#include "fitting/slowdown/slowdown.h"
#include "fitting/slowdown/slowdown_runs.h"
#include "tests/unit/sanitized.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static clump_slowdown_run run_of(size_t processors, size_t nics, double time_s)
{
    return (clump_slowdown_run){.processors = processors,
                                .nics = nics,
                                .utilization = NAN,
                                .remote_fraction = NAN,
                                .cost_ratio = NAN,
                                .waiting_fraction = NAN,
                                .time_s = time_s,
                                .relative_error = NAN};
}

static clump_slowdown_question question_of(const clump_slowdown_run *runs, size_t count)
{
    clump_slowdown_question q = clump_slowdown_question_default();
    q.runs = runs;
    q.run_count = count;
    q.base_count = 1;
    q.free[CLUMP_SLOWDOWN_UTILIZATION] = true;
    return q;
}

static void compute(const clump_slowdown_question *q, clump_slowdown_fit *fit)
{
    clump_error error = {CLUMP_OK, ""};
    const clump_status status = clump_slowdown_fit_compute(q, fit, &error);
    if (status != CLUMP_OK)
        fail_msg("%s", error.message);
}

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
        fail_msg("found %.17g, expected %.17g within %g", found, expected, tolerance);
}

/* Two times and X = 1 + (P-N)/N U: U = (T2/T1 - 1) N/(P-N). */
TEST(solves_two_times)
{
    const clump_slowdown_run runs[] = {run_of(1, 1, 10), run_of(8, 2, 22)};
    clump_slowdown_question q = question_of(runs, 2);
    q.demand = CLUMP_DEMAND_CORRELATED;
    clump_slowdown_fit fit;
    compute(&q, &fit);
    assert_near(fit.parameters[CLUMP_SLOWDOWN_UTILIZATION].value, 1.2 / 3, 1e-9);
    assert_near(fit.base_times_s[0].value, 10, 1e-8);
    assert_near(fit.computation_s.value, 6, 1e-8);
    assert_near(fit.communication_s.value, 4, 1e-8);
    assert_true(isnan(fit.parameters[CLUMP_SLOWDOWN_UTILIZATION].low));
    assert_near(fit.fitted_s[1], 22, 1e-8);
    clump_slowdown_fit_free(&fit);
}

/* Seven processors tied to three NICs: the group of three is waited for, X = 1 + 2 U. */
/* One measured slowdown can have several utilizations: all of them, found by the sign on a fine grid, are the estimate or beside it. */
TEST(finds_all_roots)
{
    enum { GRID = 20000 };
    static const clump_demand demands[] = {CLUMP_DEMAND_INDEPENDENT, CLUMP_DEMAND_SCHEDULED};
    size_t several = 0;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus);
    for (int i = 0; i < 60; i++) {
        const size_t P = 3 + gsl_rng_uniform_int(rng, 8), N = 2 + gsl_rng_uniform_int(rng, P - 2);
        double U = 0.05 + 0.85 * gsl_rng_uniform(rng), before = 0;
        clump_load load = {.utilizations = &U,
                           .utilization_count = 1,
                           .coupling = CLUMP_COUPLING_NONE,
                           .demand = demands[i % 2]};
        const clump_node node = {.processors = P, .nics = N};
        clump_prediction measured, other;
        clump_slowdown_fit fit;
        size_t found = 0;
        assert_int_equal(clump_predict(&node, &load, &measured, NULL, NULL), CLUMP_OK);
        const clump_slowdown_run run = run_of(P, N, 10 * measured.slowdown);
        const double base = 10;
        clump_slowdown_question q = question_of(&run, 1);
        q.base_times_s = &base;
        q.demand = load.demand;
        compute(&q, &fit);
        for (int g = 0; g <= GRID; g++) {
            U = (double)g / GRID;
            assert_int_equal(clump_predict(&node, &load, &other, NULL, NULL), CLUMP_OK);
            const double off = other.slowdown - measured.slowdown;
            /* nearer to each other than 0.02 they are one */
            if (off * before < 0) {
                bool is_there = fabs(fit.parameters[CLUMP_SLOWDOWN_UTILIZATION].value - U) < 0.02;
                for (size_t k = 0; k < fit.other_optima; k++)
                    is_there = is_there ||
                               fabs(fit.other_values[k][CLUMP_SLOWDOWN_UTILIZATION] - U) < 0.02;
                if (!is_there)
                    fail_msg("P %zu, N %zu: U = %g is not found", P, N, U);
                found++;
            }
            before = off != 0 ? off : before;
        }
        several += found > 1;
        clump_slowdown_fit_free(&fit);
    }
    gsl_rng_free(rng);
    assert_true(several > 10);
}

TEST(waits_for_the_largest_group)
{
    clump_slowdown_run runs[] = {run_of(1, 1, 10), run_of(7, 3, 16)};
    runs[1].mapping = CLUMP_MAPPING_STATIC;
    clump_slowdown_question q = question_of(runs, 2);
    q.demand = CLUMP_DEMAND_CORRELATED;
    clump_slowdown_fit fit;
    compute(&q, &fit);
    assert_near(fit.parameters[CLUMP_SLOWDOWN_UTILIZATION].value, 0.3, 1e-9);
    clump_slowdown_fit_free(&fit);
}

static const double correlated_times[] = {10.1, 13.8, 22.3, 38.2, 15.9};
static const size_t correlated_sizes[][2] = {{1, 1}, {8, 4}, {8, 2}, {8, 1}, {4, 2}};

static double correlated_slowdown(size_t i, double utilization)
{
    const double P = (double)correlated_sizes[i][0], N = (double)correlated_sizes[i][1];
    return 1 + (P - N) / N * utilization;
}

/* chi_square at U, with the best time of the NOW. */
static double correlated_chi_square(double utilization, double error)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < 5; i++)
        mean += log(correlated_times[i] / correlated_slowdown(i, utilization)) / 5;
    for (size_t i = 0; i < 5; i++) {
        const double r = log(correlated_times[i] / correlated_slowdown(i, utilization)) - mean;
        sum += r * r / (error * error);
    }
    return sum;
}

/* Where chi_square crosses `limit` between two utilizations, by halving. */
static double crossing(double inside, double outside, double limit, double error)
{
    for (int i = 0; i < 100; i++) {
        const double middle = (inside + outside) / 2;
        if (correlated_chi_square(middle, error) <= limit)
            inside = middle;
        else
            outside = middle;
    }
    return inside;
}

static void set_correlated(clump_slowdown_run *runs, double error)
{
    for (size_t i = 0; i < 5; i++) {
        runs[i] = run_of(correlated_sizes[i][0], correlated_sizes[i][1], correlated_times[i]);
        runs[i].relative_error = error;
    }
}

static double least_chi_square(double error, double *where)
{
    double best = INFINITY;
    for (double u = 0; u <= 1; u += 1e-5)
        if (correlated_chi_square(u, error) < best) {
            best = correlated_chi_square(u, error);
            *where = u;
        }
    return best;
}

/* Known errors: 3.8414588 is the 95% point of chi-square with one degree of freedom. */
TEST(limits_by_likelihood)
{
    const double error = 0.06;
    double where = 0;
    clump_slowdown_run runs[5];
    set_correlated(runs, error);
    clump_slowdown_question q = question_of(runs, 5);
    q.demand = CLUMP_DEMAND_CORRELATED;
    clump_slowdown_fit fit;
    compute(&q, &fit);
    const double best = least_chi_square(error, &where);
    const clump_slowdown_estimate *u = &fit.parameters[CLUMP_SLOWDOWN_UTILIZATION];
    assert_near(u->value, where, 2e-5);
    assert_near(fit.chi_square, best, 1e-6);
    assert_true(fit.p_value > 0.01);
    assert_near(fit.widening, 1, 0);
    const double limit = fit.chi_square + 3.841458820694124;
    /* Ends are found to 1e-4 of their distance. */
    assert_near(u->low, crossing(where, 0, limit, error), 2e-4 * (u->value - u->low));
    assert_near(u->high, crossing(where, 1, limit, error), 2e-4 * (u->high - u->value));
    assert_false(u->low_is_bound || u->high_is_bound);
    clump_slowdown_fit_free(&fit);
}

/* Errors not known: 10.127964 is the 95% point of F with 1 and 3 degrees of freedom. */
TEST(limits_by_residuals)
{
    double where = 0;
    clump_slowdown_run runs[5];
    set_correlated(runs, NAN);
    clump_slowdown_question q = question_of(runs, 5);
    q.demand = CLUMP_DEMAND_CORRELATED;
    clump_slowdown_fit fit;
    compute(&q, &fit);
    const double best = least_chi_square(1, &where);
    const double limit = best * (1 + 10.127964486013928 / 3);
    const clump_slowdown_estimate *u = &fit.parameters[CLUMP_SLOWDOWN_UTILIZATION];
    assert_near(u->low, crossing(where, 0, limit, 1), 2e-5);
    assert_near(u->high, crossing(where, 1, limit, 1), 2e-5);
    clump_slowdown_fit_free(&fit);
}

/* Errors far too small for the model: intervals grow to what the residuals say. */
TEST(widens_for_a_bad_model)
{
    double where = 0;
    clump_slowdown_run runs[5];
    set_correlated(runs, 0.001);
    clump_slowdown_question q = question_of(runs, 5);
    q.demand = CLUMP_DEMAND_CORRELATED;
    clump_slowdown_fit fit;
    compute(&q, &fit);
    assert_true(fit.p_value < 0.01);
    assert_true(fit.widening > 10);
    const double limit = least_chi_square(0.001, &where) * (1 + 10.127964486013928 / 3);
    assert_near(fit.parameters[CLUMP_SLOWDOWN_UTILIZATION].low, crossing(where, 0, limit, 0.001),
                2e-5);
    clump_slowdown_fit_free(&fit);
}

/* Correlation of U and log T: for weights all equal, from the 2 by 2 normal equations. */
TEST(correlates)
{
    clump_slowdown_run runs[5];
    set_correlated(runs, 0.1);
    clump_slowdown_question q = question_of(runs, 5);
    q.demand = CLUMP_DEMAND_CORRELATED;
    clump_slowdown_fit fit;
    compute(&q, &fit);
    const double u = fit.parameters[CLUMP_SLOWDOWN_UTILIZATION].value;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < 5; i++) {
        const double P = (double)correlated_sizes[i][0], N = (double)correlated_sizes[i][1];
        const double slope = (P - N) / N / correlated_slowdown(i, u);
        sum += slope;
        squares += slope * slope;
    }
    assert_int_equal(fit.unknown_count, 2);
    assert_near(fit.correlation[0][1], -sum / sqrt(5 * squares), 1e-6);
    assert_near(fit.correlation[0][0], 1, 1e-12);
    assert_near(fit.parameters[CLUMP_SLOWDOWN_UTILIZATION].standard_error,
                0.1 * sqrt(5 / (5 * squares - sum * sum)), 1e-6);
    clump_slowdown_fit_free(&fit);
}

/* ---- made-up times ---- */

typedef struct truth {
    double value[CLUMP_SLOWDOWN_PARAMETERS];
    double time_s;
} truth;

static void make_times(const clump_slowdown_question *q, const truth *t, clump_slowdown_run *runs)
{
    for (size_t i = 0; i < q->run_count; i++) {
        double slowdown;
        clump_error error;
        assert_int_equal(clump_slowdown_run_predict(q, t->value, &runs[i], &slowdown, &error),
                         CLUMP_OK);
        runs[i].time_s = t->time_s * slowdown;
    }
}

static const size_t sizes[][3] = {{1, 1, 0}, {8, 4, 0}, {8, 2, 0}, {8, 1, 0}, {4, 1, 0},
                                  {4, 2, 0}, {2, 1, 0}, {8, 4, 1}, {2, 2, 0}, {8, 8, 0}};

static void set_sizes(clump_slowdown_run *runs)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        runs[i] = run_of(sizes[i][0], sizes[i][1], 1);
        runs[i].mapping = sizes[i][2] ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED;
    }
}

/* Whatever is free comes back from times without noise. */
TEST(recovers)
{
    static const struct {
        clump_slowdown_parameter free[3];
        double value[3];
        clump_efficiency_form form;
    } cases[] = {
        {{CLUMP_SLOWDOWN_UTILIZATION, CLUMP_SLOWDOWN_GANG, CLUMP_SLOWDOWN_PENALTY},
         {0.35, 2.5, 1.15},
         CLUMP_EFFICIENCY_INVERSE},
        {{CLUMP_SLOWDOWN_UTILIZATION, CLUMP_SLOWDOWN_EFFICIENCY, CLUMP_SLOWDOWN_PENALTY},
         {0.6, 0.08, 1.3},
         CLUMP_EFFICIENCY_INVERSE},
        {{CLUMP_SLOWDOWN_UTILIZATION, CLUMP_SLOWDOWN_EFFICIENCY, CLUMP_SLOWDOWN_GANG},
         {0.2, 0.15, 1.6},
         CLUMP_EFFICIENCY_POWER},
        {{CLUMP_SLOWDOWN_UTILIZATION, CLUMP_SLOWDOWN_EFFICIENCY, CLUMP_SLOWDOWN_REMOTE},
         {0.5, 0.05, 0.6},
         CLUMP_EFFICIENCY_EXPONENTIAL},
    };
    for (size_t c = 0; c < COUNT(cases); c++) {
        clump_slowdown_run runs[COUNT(sizes)];
        set_sizes(runs);
        clump_slowdown_question q = question_of(runs, COUNT(sizes));
        truth t = {.time_s = 12.5};
        q.form = cases[c].form;
        q.value[CLUMP_SLOWDOWN_COST_RATIO] = 0.3;
        memcpy(t.value, q.value, sizeof t.value);
        for (size_t k = 0; k < 3; k++) {
            t.value[cases[c].free[k]] = cases[c].value[k];
            q.free[cases[c].free[k]] = true;
        }
        make_times(&q, &t, runs);
        clump_slowdown_fit fit;
        compute(&q, &fit);
        for (size_t k = 0; k < 3; k++)
            assert_near(fit.parameters[cases[c].free[k]].value, cases[c].value[k], 1e-5);
        assert_near(fit.base_times_s[0].value, 12.5, 1e-4);
        assert_true(fit.rms_error < 1e-6);
        clump_slowdown_fit_free(&fit);
    }
}

/* Each base has its own time; runs bring their own f, V. */
TEST(keeps_bases_apart)
{
    clump_slowdown_run runs[] = {run_of(1, 1, 1), run_of(8, 4, 1), run_of(1, 1, 1), run_of(4, 2, 1),
                                 run_of(8, 0, 1)};
    runs[2].base = runs[3].base = 1;
    runs[1].remote_fraction = 0.8;
    runs[3].remote_fraction = 0.9;
    runs[4].cost_ratio = 0.25;
    clump_slowdown_question q = question_of(runs, COUNT(runs));
    q.base_count = 2;
    truth t = {.time_s = 3};
    memcpy(t.value, q.value, sizeof t.value);
    t.value[CLUMP_SLOWDOWN_UTILIZATION] = 0.45;
    t.value[CLUMP_SLOWDOWN_PENALTY] = 1.2;
    q.free[CLUMP_SLOWDOWN_PENALTY] = true;
    make_times(&q, &t, runs);
    runs[2].time_s *= 2;
    runs[3].time_s *= 2;
    clump_slowdown_fit fit;
    compute(&q, &fit);
    assert_near(fit.base_times_s[0].value, 3, 1e-6);
    assert_near(fit.base_times_s[1].value, 6, 1e-6);
    assert_near(fit.parameters[CLUMP_SLOWDOWN_PENALTY].value, 1.2, 1e-6);
    /* Without NIC nothing is remote: X = (1-U) c + V U. */
    assert_near(fit.slowdowns[4], 0.55 * 1.2 + 0.25 * 0.45, 1e-6);
    clump_slowdown_fit_free(&fit);
}

static const clump_slowdown_parameter covered_parameters[] = {
    CLUMP_SLOWDOWN_UTILIZATION, CLUMP_SLOWDOWN_GANG, CLUMP_SLOWDOWN_PENALTY};

/* One trial: which of the intervals hold the truth. */
static void try_once(const clump_slowdown_question *q, const truth *t, size_t *covered)
{
    clump_slowdown_fit fit;
    compute(q, &fit);
    for (size_t k = 0; k < COUNT(covered_parameters); k++) {
        const clump_slowdown_estimate *e = &fit.parameters[covered_parameters[k]];
        const double value = t->value[covered_parameters[k]];
        covered[k] += e->low <= value && value <= e->high;
    }
    covered[COUNT(covered_parameters)] +=
        fit.base_times_s[0].low <= t->time_s && t->time_s <= fit.base_times_s[0].high;
    clump_slowdown_fit_free(&fit);
}

/* How well times are known: exactly, not at all, or by the deviation of three runs each. */
typedef enum knowledge { KNOWN, UNKNOWN, THREE_RUNS } knowledge;

/* As a record of the mean of so many runs, with their deviation. */
static clump_slowdown_record mean_of_runs(const clump_slowdown_run *run, const double *times,
                                          size_t count)
{
    clump_slowdown_record record = clump_slowdown_record_default();
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += times[i];
    for (size_t i = 0; i < count; i++)
        squares += pow(times[i] - sum / (double)count, 2);
    record.run = *run;
    record.run.time_s = sum / (double)count;
    record.std_dev = sqrt(squares / (double)(count - 1));
    record.repetitions = (double)count;
    return record;
}

static void merge(clump_slowdown_runs *runs)
{
    clump_error error = {CLUMP_OK, ""};
    if (clump_slowdown_runs_merge(runs, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
}

static void draw_means(gsl_rng *rng, double noise, clump_slowdown_run *runs, size_t count,
                       double *freedom)
{
    clump_slowdown_runs all = {.records = NULL};
    for (size_t i = 0; i < count; i++) {
        double times[3];
        for (size_t k = 0; k < COUNT(times); k++)
            times[k] = runs[i].time_s * exp(noise * gsl_ran_ugaussian(rng));
        const clump_slowdown_record record = mean_of_runs(&runs[i], times, COUNT(times));
        assert_int_equal(clump_slowdown_runs_add(&all, &record, NULL), CLUMP_OK);
    }
    merge(&all);
    assert_int_equal(all.run_count, count);
    memcpy(runs, all.runs, count * sizeof *runs);
    *freedom = all.error_freedom;
    clump_slowdown_runs_free(&all);
}

/* 95% intervals cover the truth in 93 to 97% of 1,000 trials with log-normal noise: a binomial
 * with p = 0.95 has a standard deviation of 0.7%. */
static void cover(knowledge known)
{
    static const double noise = 0.02;
    const int trials = SANITIZED ? 20 : 1000; /* which are slow there, and say nothing more */
    size_t covered[COUNT(covered_parameters) + 1] = {0};
    clump_slowdown_run exact[COUNT(sizes)], runs[COUNT(sizes)];
    set_sizes(exact);
    clump_slowdown_question q = question_of(exact, COUNT(sizes));
    truth t = {.time_s = 10};
    memcpy(t.value, q.value, sizeof t.value);
    t.value[CLUMP_SLOWDOWN_UTILIZATION] = 0.4;
    t.value[CLUMP_SLOWDOWN_GANG] = 2.5;
    t.value[CLUMP_SLOWDOWN_PENALTY] = 1.1;
    for (size_t k = 0; k < COUNT(covered_parameters); k++)
        q.free[covered_parameters[k]] = true;
    make_times(&q, &t, exact);
    q.runs = runs;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, 20261121);
    for (int trial = 0; trial < trials; trial++) {
        memcpy(runs, exact, sizeof runs);
        for (size_t i = 0; i < COUNT(sizes); i++) {
            if (known != THREE_RUNS)
                runs[i].time_s *= exp(noise * gsl_ran_ugaussian(rng));
            runs[i].relative_error = known == KNOWN ? noise : NAN;
        }
        if (known == THREE_RUNS)
            draw_means(rng, noise, runs, COUNT(sizes), &q.error_freedom);
        try_once(&q, &t, covered);
    }
    gsl_rng_free(rng);
    for (size_t k = 0; k <= COUNT(covered_parameters); k++) {
        print_message("unknown %zu: covered in %zu of %d trials\n", k, covered[k], trials);
        if (!SANITIZED)
            assert_in_range(covered[k], 930, 970);
    }
}

TEST(covers_with_known_errors)
{
    cover(KNOWN);
}

TEST(covers_with_few_runs)
{
    cover(THREE_RUNS);
}

/* Five runs of each of four configurations, one by one, and as means with deviations: the same errors. If one configuration scatters
 * twenty times as much as the others each keeps its own. */
TEST(knows_as_much_of_means)
{
    static const double off[] = {-2e-5, 3e-5, 1e-5, -4e-5, 2e-5}; /* mean 0, deviation 2.915e-5 */
    for (int unlike = 0; unlike < 2; unlike++) {
        clump_slowdown_runs singles = {.records = NULL}, means = {.records = NULL};
        for (size_t i = 0; i < 4; i++) {
            const double wide = unlike && i == 2 ? 20 : 1 + 0.1 * (double)i;
            double times[COUNT(off)];
            clump_slowdown_record record = clump_slowdown_record_default();
            record.run = run_of(8, i + 1, 10 + (double)i);
            for (size_t k = 0; k < COUNT(off); k++) {
                record.run.time_s = times[k] = (10 + (double)i) * (1 + wide * off[k]);
                assert_int_equal(clump_slowdown_runs_add(&singles, &record, NULL), CLUMP_OK);
            }
            record = mean_of_runs(&record.run, times, COUNT(times));
            assert_int_equal(clump_slowdown_runs_add(&means, &record, NULL), CLUMP_OK);
        }
        merge(&singles);
        merge(&means);
        assert_near(singles.error_freedom, 16, 0);
        assert_near(means.error_freedom, unlike ? 4 : 16, 0);
        for (size_t i = 0; i < 4; i++) {
            const double own =
                sqrt(34.0 / 4) * 1e-5 / sqrt(5) * (i == 2 ? 20 : 1 + 0.1 * (double)i);
            assert_near(means.runs[i].relative_error /
                            (unlike ? own : singles.runs[i].relative_error),
                        1, 1e-3);
        }
        clump_slowdown_runs_free(&singles);
        clump_slowdown_runs_free(&means);
    }
}

TEST(covers_with_unknown_errors)
{
    if (getenv("CLUMP_TEST_LONG") == NULL)
        skip();
    cover(UNKNOWN);
}

/* ---- what cannot be found ---- */

static void assert_refused(const clump_slowdown_question *q, const char *words)
{
    clump_slowdown_fit fit;
    clump_error error = {CLUMP_OK, ""};
    assert_int_equal(clump_slowdown_fit_compute(q, &fit, &error), CLUMP_BAD_ARGUMENT);
    if (strstr(error.message, words) == NULL)
        fail_msg("found '%s', expected '%s' in it", error.message, words);
}

TEST(refuses_too_few)
{
    const clump_slowdown_run runs[] = {run_of(1, 1, 10), run_of(8, 4, 11)};
    clump_slowdown_question q = question_of(runs, 2);
    q.free[CLUMP_SLOWDOWN_GANG] = true;
    assert_refused(&q, "3 unknowns (U, s and the time on the NOW) but 2 configurations: measure 1 "
                       "more");
}

TEST(refuses_what_has_no_effect)
{
    /* Nobody shares a NIC: no gang can form. */
    clump_slowdown_run runs[] = {run_of(1, 1, 10), run_of(4, 4, 11), run_of(8, 8, 11.5)};
    runs[1].mapping = runs[2].mapping = CLUMP_MAPPING_STATIC;
    clump_slowdown_question q = question_of(runs, 3);
    q.free[CLUMP_SLOWDOWN_UTILIZATION] = false;
    q.value[CLUMP_SLOWDOWN_UTILIZATION] = 0.3;
    q.free[CLUMP_SLOWDOWN_GANG] = true;
    assert_refused(&q, "s cannot be told");
    /* One on each NIC and all remote: X = (1-U) c + U, so that U and c are one number. */
    q.free[CLUMP_SLOWDOWN_GANG] = false;
    q.free[CLUMP_SLOWDOWN_UTILIZATION] = true;
    q.free[CLUMP_SLOWDOWN_PENALTY] = true;
    assert_refused(&q, "U and penalty cannot be told");
}

TEST(refuses_nonsense)
{
    clump_slowdown_run runs[] = {run_of(1, 1, 10), run_of(8, 4, -1)};
    clump_slowdown_question q = question_of(runs, 2);
    assert_refused(&q, "time -1");
    runs[1].time_s = INFINITY;
    assert_refused(&q, "time inf");
    runs[1].time_s = 10;
    runs[1].relative_error = -0.1;
    assert_refused(&q, "relative error -0.1");
    runs[1] = run_of(0, 4, 10);
    assert_refused(&q, "no processors");
    q.run_count = 0;
    assert_refused(&q, "no runs");
    runs[1] = run_of(8, 4, 10);
    q = question_of(runs, 2);
    q.free[CLUMP_SLOWDOWN_UTILIZATION] = false;
    assert_refused(&q, "neither free nor known");
}

/* What is suggested, added with its true time, makes the question answerable. */
TEST(suggests_what_helps)
{
    clump_slowdown_run runs[4] = {run_of(1, 1, 1), run_of(8, 4, 1)};
    clump_slowdown_question q = question_of(runs, 2);
    truth t = {.time_s = 10};
    memcpy(t.value, q.value, sizeof t.value);
    t.value[CLUMP_SLOWDOWN_UTILIZATION] = 0.4;
    t.value[CLUMP_SLOWDOWN_GANG] = 2;
    q.free[CLUMP_SLOWDOWN_GANG] = true;
    assert_true(clump_slowdown_suggest(&q, NULL, &runs[2]));
    q.run_count = 3;
    make_times(&q, &t, runs);
    clump_slowdown_fit fit;
    compute(&q, &fit);
    assert_near(fit.parameters[CLUMP_SLOWDOWN_UTILIZATION].value, 0.4, 1e-5);
    assert_near(fit.parameters[CLUMP_SLOWDOWN_GANG].value, 2, 1e-4);
    clump_slowdown_fit_free(&fit);
}

/* Nothing but the time on the NOW is free: the weighted mean of log (T/X). */
TEST(finds_the_time_alone)
{
    clump_slowdown_run runs[] = {run_of(1, 1, 10), run_of(8, 4, 13)};
    runs[0].relative_error = 0.01;
    runs[1].relative_error = 0.02;
    clump_slowdown_question q = question_of(runs, 2);
    q.free[CLUMP_SLOWDOWN_UTILIZATION] = false;
    q.value[CLUMP_SLOWDOWN_UTILIZATION] = 0.25;
    q.demand = CLUMP_DEMAND_CORRELATED;
    clump_slowdown_fit fit;
    compute(&q, &fit);
    const double w = 1 / 0.0001, v = 1 / 0.0004;
    assert_near(log(fit.base_times_s[0].value), (w * log(10) + v * log(13 / 1.25)) / (w + v),
                1e-12);
    /* 1.959964 standard errors on each side. */
    assert_near(log(fit.base_times_s[0].high / fit.base_times_s[0].value),
                1.959963984540054 / sqrt(w + v), 1e-5);
    clump_slowdown_fit_free(&fit);
}

UNIT_MAIN(NULL, NULL)
