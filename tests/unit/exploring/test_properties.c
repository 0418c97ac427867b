/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What has to hold whatever the question: on random nodes and programs, through every entrance of the library. No
 * expected values, and no second solver that could have the same wrong rule: a platform beside itself is 1, a NIC each is the NOW,
 * who all move together are correlated, more and faster NICs do not hurt, nothing is faster than one processor alone or than
 * a NIC that is busy, and units do not matter. A sample here, at length in `make check-long` (CLUMP_TEST_LONG=1).
 */
#include "tests/unit/test_scenario.h"

#include "exploring/recommend.h"
#include "model/least_nics.h"
#include "model/limit.h"
#include "model/simulation/simulation.h"
#include "tests/unit/golden.h"

/* The page's engine is the same C; its names stay its own, and `export_name` is for another compiler. */
#define __attribute__(ignored)
#define answer page_answer
#define error page_error
#include "web/engine.c"
#undef error
#undef answer
#undef __attribute__

static unsigned long long seed = 32;

static double uniform(double low, double high)
{
    return low + (high - low) * golden_random(&seed);
}

static size_t whole(size_t low, size_t high)
{
    return low + (size_t)(golden_random(&seed) * (double)(high - low + 1));
}

static bool chance(double probability)
{
    return golden_random(&seed) < probability;
}

static int times(int quick)
{
    return getenv("CLUMP_TEST_LONG") != NULL ? 40 * quick : quick;
}

/* ---- a node and what its processors do */

enum { MOST = 24 };

typedef struct question {
    clump_node node;
    clump_load load;
    double utilizations[MOST], table[MOST], curve[MOST];
    size_t groups[2 * MOST];
} question;

static void draw_node(question *x)
{
    clump_node *n = &x->node;
    const size_t P = whole(1, MOST);
    *n = (clump_node){.processors = P, .nics = chance(0.15) ? P : whole(1, P + 2)};
    n->mapping = chance(0.4) ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED;
    if (n->mapping == CLUMP_MAPPING_STATIC && chance(0.3)) {
        size_t left = P;
        for (size_t i = 0; i < n->nics; i++) {
            x->groups[i] = i + 1 == n->nics ? left : whole(0, left);
            left -= x->groups[i];
        }
        n->group_sizes = x->groups;
    }
    if (n->mapping == CLUMP_MAPPING_POOLED && chance(0.5))
        n->max_nics_per_processor = chance(0.5) ? 1 : uniform(1, 4);
    if (chance(0.2)) {
        n->efficiency = (clump_efficiency){.table = x->table, .table_length = whole(1, MOST)};
        x->table[0] = 1;
        for (size_t i = 1; i < n->efficiency.table_length; i++)
            x->table[i] = x->table[i - 1] * uniform(0.8, 1.02);
    }
    if (chance(0.15)) {
        n->placement.slots.ports = whole(1, 3);
        n->placement.slots.bandwidth = uniform(0.3, (double)n->placement.slots.ports);
        n->placement.slots.packed = chance(0.5);
    }
    if (chance(0.15)) {
        n->placement.domains = whole(1, 3);
        n->placement.far = uniform(0.2, 1);
    }
    if (chance(0.25))
        n->memory = (clump_memory){.law = chance(0.5) ? CLUMP_MEMORY_QUEUE : CLUMP_MEMORY_ROOFLINE,
                                   .share = uniform(0.05, 1),
                                   .feeds = uniform(1, 6)};
}

static void draw_load(question *x)
{
    clump_load *l = &x->load;
    const size_t P = x->node.processors;
    *l = (clump_load){.utilizations = x->utilizations,
                      .utilization_count = chance(0.7) ? 1 : P,
                      .demand = (clump_demand)whole(0, 3),
                      .gang_size = 1,
                      .coupling = CLUMP_COUPLING_NONE};
    for (size_t p = 0; p < P; p++)
        x->utilizations[p] = chance(0.1) ? (double)whole(0, 1) : uniform(0, 1);
    if (l->demand == CLUMP_DEMAND_GANG) {
        l->utilization_count = 1;
        l->gang_size = chance(0.3)   ? (double)P
                       : chance(0.5) ? (double)P / (double)whole(1, P)
                                     : uniform(1, (double)P);
    }
    if (l->demand == CLUMP_DEMAND_INDEPENDENT && l->utilization_count == 1 && chance(0.15))
        l->phase_cycles = exp(uniform(-3, 5));
    if (chance(0.5))
        l->coupling = (clump_coupling){.remote_fraction = uniform(0, 1),
                                       .cost_ratio = uniform(0, 1.5),
                                       .memory_penalty = uniform(0.5, 2),
                                       .waiting_fraction = chance(0.5) ? uniform(0, 0.9) : 0};
}

static void draw(question *x)
{
    draw_node(x);
    draw_load(x);
}

static void tell(const question *x, const char *what, double value, double expected)
{
    const clump_node *n = &x->node;
    const clump_coupling *c = &x->load.coupling;
    char demand[CLUMP_DEMAND_NAME_SIZE];
    clump_demand_name(x->load.demand, x->load.gang_size, demand);
    printf(
        "-P %zu -N %zu --mapping %s --demand %s -m %.17g -f %.17g -V %.17g c %.17g h %.17g T %.17g "
        "efficiency of %zu, slots %zu %.17g %d, domains %zu %.17g, memory %d %.17g %.17g -U",
        n->processors, n->nics, clump_mapping_name(n->mapping), demand, n->max_nics_per_processor,
        c->remote_fraction, c->cost_ratio, c->memory_penalty, c->waiting_fraction,
        x->load.phase_cycles, n->efficiency.table_length, n->placement.slots.ports,
        n->placement.slots.bandwidth, n->placement.slots.packed, n->placement.domains,
        n->placement.far, (int)n->memory.law, n->memory.share, n->memory.feeds);
    for (size_t p = 0; p < x->load.utilization_count; p++)
        printf("%c%.17g", p == 0 ? ' ' : ',', x->utilizations[p]);
    fail_msg("%s: %.15g, expected %.15g", what, value, expected);
}

/* What the model has no answer for is none; an answer that it does not believe itself is an error. */
static bool answer(const question *x, clump_prediction *prediction, double *each)
{
    const clump_prediction_details details = {.slowdowns = each};
    clump_error error = {CLUMP_OK, ""};
    const clump_status status = clump_predict(&x->node, &x->load, prediction, &details, &error);
    if (status != CLUMP_OK && status != CLUMP_BAD_ARGUMENT)
        tell(x, error.message, status, 0);
    return status == CLUMP_OK;
}

static void assert_same(const question *x, const char *what, double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * expected))
        tell(x, what, value, expected);
}

static void assert_at_most(const question *x, const char *what, double value, double most)
{
    if (!(value <= most * (1 + 1e-9)))
        tell(x, what, value, most);
}

TEST(a_nic_each_is_the_now)
{
    for (int i = 0; i < times(2000); i++) {
        question x;
        double each[MOST];
        clump_prediction found;
        draw(&x);
        const size_t P = x.node.processors;
        x.node =
            (clump_node){.processors = P,
                         .nics = P,
                         .mapping = x.node.mapping,
                         .max_nics_per_processor = x.node.mapping == CLUMP_MAPPING_POOLED ? 1 : 0};
        x.load.coupling = CLUMP_COUPLING_NONE;
        if (!answer(&x, &found, each))
            tell(&x, "refused", 0, 1);
        for (size_t p = 0; p < P; p++)
            assert_same(&x, "a processor with a NIC of its own", each[p], 1);
        assert_same(&x, "N = P, m = 1", found.slowdown, 1);
        assert_same(&x, "its slowest", found.slowest, 1);
    }
}

TEST(gangs_of_all_and_of_one)
{
    int compared = 0;
    for (int i = 0; i < times(4000); i++) {
        question x;
        clump_prediction gang, other;
        draw(&x);
        x.load.utilization_count = 1;
        x.load.phase_cycles = 0;
        x.load.demand = CLUMP_DEMAND_GANG;
        x.load.gang_size = chance(0.5) ? 1 : (double)x.node.processors;
        if (!answer(&x, &gang, NULL))
            continue;
        x.load.demand = x.load.gang_size > 1 || x.node.processors == 1 ? CLUMP_DEMAND_CORRELATED
                                                                       : CLUMP_DEMAND_INDEPENDENT;
        if (!answer(&x, &other, NULL))
            tell(&x, "gangs have an answer, this has none", 0, gang.slowdown);
        assert_same(&x, "of the gang", gang.slowdown, other.slowdown);
        assert_same(&x, "its NICs", 1 + gang.nic_utilization, 1 + other.nic_utilization);
        assert_same(&x, "its mean", 1 + gang.mean_active, 1 + other.mean_active);
        compared++;
    }
    assert_true(compared > times(2000));
}

TEST(more_nics_do_not_hurt)
{
    int compared = 0;
    for (int i = 0; i < times(4000); i++) {
        question x;
        clump_prediction fewer, more;
        draw(&x);
        if (x.node.group_sizes != NULL || !clump_least_nics_is_monotonic(&x.node, &x.load) ||
            !answer(&x, &fewer, NULL))
            continue;
        x.node.nics += whole(1, 3);
        if (!answer(&x, &more, NULL))
            continue;
        assert_at_most(&x, "with more NICs", more.slowdown, fewer.slowdown);
        compared++;
    }
    assert_true(compared > times(1000));
}

/* Times in place of shares: faster NICs, and other units. Memory that processors of different needs share gains from
 * slow NICs (MODEL.md 13). */
TEST(faster_nics_and_other_units)
{
    int compared = 0;
    for (int i = 0; i < times(4000); i++) {
        question x;
        clump_need needs[MOST];
        clump_prediction slow, fast, longer;
        const double unit = exp(uniform(-20, 20)), faster = uniform(0, 1);
        draw(&x);
        x.load.phase_cycles = 0;
        x.load.coupling = CLUMP_COUPLING_NONE;
        const size_t count = x.load.utilization_count;
        for (size_t p = 0; p < count; p++)
            needs[p] = (clump_need){uniform(0, 3), uniform(0.01, 3), 1};
        if (clump_predict_needs(&x.node, &x.load, needs, count, &slow, NULL, NULL) != CLUMP_OK)
            continue;
        for (size_t p = 0; p < count; p++)
            needs[p] = (clump_need){unit * needs[p].computation, unit * needs[p].communication, 1};
        assert_int_equal(clump_predict_needs(&x.node, &x.load, needs, count, &longer, NULL, NULL),
                         CLUMP_OK);
        assert_same(&x, "in other units", longer.slowdown / unit, slow.slowdown);
        for (size_t p = 0; p < count; p++)
            needs[p].communication *= faster;
        const bool differ = count > 1 || x.node.placement.domains > 1;
        if ((differ && x.node.memory.share > 0) ||
            clump_predict_needs(&x.node, &x.load, needs, count, &fast, NULL, NULL) != CLUMP_OK)
            continue;
        if (x.node.memory.share > 0 && x.node.mapping == CLUMP_MAPPING_STATIC)
            continue;
        assert_at_most(&x, "with faster NICs", fast.slowdown, longer.slowdown);
        compared++;
    }
    assert_true(compared > times(1500));
}

/* The least by hand: nothing that bounds.c has is used. In the worst case all are there all the time. */
TEST(nobody_is_faster_than_alone)
{
    int compared = 0;
    for (int i = 0; i < times(4000); i++) {
        question x;
        clump_prediction found;
        double each[MOST], busy = 0;
        draw(&x);
        x.load.phase_cycles = 0;
        x.node.efficiency = (clump_efficiency){.table = NULL};
        if (!answer(&x, &found, each))
            continue;
        const double N = (double)x.node.nics, m = x.node.max_nics_per_processor;
        const double most = x.node.mapping == CLUMP_MAPPING_STATIC ? 1 : m > 0 ? fmin(m, N) : N;
        for (size_t p = 0; p < x.node.processors; p++) {
            double C, D;
            const double U = x.utilizations[x.load.utilization_count > 1 ? p : 0];
            assert_int_equal(clump_coupling_needs(&x.load.coupling, U, &C, &D, NULL), CLUMP_OK);
            assert_at_most(&x, "a processor alone", C + D / most, each[p]);
            busy += D;
        }
        assert_at_most(&x, "the slowest beside the mean", found.slowdown, found.slowest);
        assert_at_most(&x, "NICs that are busy all the time", busy / N, found.slowest);
        assert_at_most(&x, "NICs in use", found.nic_utilization, 1);
        assert_at_most(&x, "the lower bound", found.bounds.least, found.slowdown);
        assert_at_most(&x, "beside the upper bound", found.slowdown, found.bounds.greatest);
        compared++;
    }
    assert_true(compared > times(2000));
}

/* Equal processors meet both ends: the best schedule is the lower bound, and who all start together are in the worst company. */
TEST(bounds_are_met)
{
    int compared = 0;
    for (int i = 0; i < times(2000); i++) {
        question x;
        clump_prediction found;
        draw(&x);
        x.load.utilization_count = 1;
        x.load.phase_cycles = 0;
        x.node.memory = (clump_memory){.share = 0};
        x.node.efficiency = (clump_efficiency){.table = NULL};
        x.node.placement = (clump_placement){.domains = 0};
        x.node.max_nics_per_processor = chance(0.5) ? 1 : 0;
        x.load.demand = chance(0.5) ? CLUMP_DEMAND_SCHEDULED : CLUMP_DEMAND_CORRELATED;
        if (!answer(&x, &found, NULL))
            continue;
        if (x.load.demand == CLUMP_DEMAND_SCHEDULED)
            assert_same(&x, "the lower bound", found.bounds.least, found.slowdown);
        else
            assert_same(&x, "the upper bound", found.bounds.greatest, found.slowdown);
        compared++;
    }
    assert_true(compared > times(1500));
}

/* ---- the same question through other doors */

static double of_page(const question *x)
{
    const clump_node *n = &x->node;
    const clump_coupling *c = &x->load.coupling;
    const int status = clump_page_predict(
        (double)n->processors, (double)n->nics, x->utilizations[0], x->load.demand,
        x->load.gang_size, n->mapping, n->max_nics_per_processor, c->remote_fraction, c->cost_ratio,
        c->waiting_fraction, c->memory_penalty, x->load.phase_cycles, n->memory.share,
        n->memory.feeds, n->memory.law);
    if (status != CLUMP_OK)
        tell(x, clump_page_message(), status, 0);
    return clump_page_answer()[SLOWDOWN];
}

/* NAN where nobody can ask so. */
static double of_recommend(const question *x)
{
    const bool tied = x->node.mapping == CLUMP_MAPPING_STATIC;
    clump_recommend_answer a = {.options = NULL};
    clump_error error = {CLUMP_OK, ""};
    const clump_recommend_question q = {.node = x->node,
                                        .load = x->load,
                                        .nics = &x->node.nics,
                                        .nic_counts = 1,
                                        .limit = 1,
                                        .limited = x->node.max_nics_per_processor > 0};
    double found = NAN;
    if (x->load.phase_cycles > 0 && tied)
        return NAN;
    if (clump_recommend(&q, &a, &error) == CLUMP_OK)
        found = a.options[tied        ? CLUMP_RECOMMEND_TIED
                          : q.limited ? CLUMP_RECOMMEND_LIMITED
                                      : CLUMP_RECOMMEND_POOLED]
                    .slowdown;
    clump_recommend_answer_release(&a);
    return found;
}

static void put_scenario(const question *x, char *text, size_t size)
{
    const clump_node *n = &x->node;
    const clump_coupling *c = &x->load.coupling;
    char demand[CLUMP_DEMAND_NAME_SIZE], more[600] = "";
    clump_demand_name(x->load.demand, x->load.gang_size, demand);
    if (n->max_nics_per_processor > 0)
        snprintf(more, sizeof more, "max_nics_per_processor = %.17g, ", n->max_nics_per_processor);
    if (n->memory.share > 0)
        snprintf(more + strlen(more), sizeof more - strlen(more), "memory_share = %.17g, ",
                 n->memory.share);
    if (x->load.phase_cycles > 0)
        snprintf(more + strlen(more), sizeof more - strlen(more), "phase_cycles = %.17g, ",
                 x->load.phase_cycles);
    const char *law = n->memory.law == CLUMP_MEMORY_ROOFLINE ? "roofline" : "queue";
    snprintf(text, size,
             "local p = platform { name = 'p', processors = %zu, nics = %zu, mapping = '%s',\n"
             "  memory = { feeds = %.17g, law = '%s' } }\n"
             "return scenario { platform = p, compare_with = compared and p, demand = '%s', %s\n"
             "  application = application { name = 'a', utilization = %.17g }, remote_fraction = "
             "%.17g,\n"
             "  cost_ratio = %.17g, memory_penalty = %.17g, waiting_fraction = %.17g }",
             n->processors, n->nics, clump_mapping_name(n->mapping),
             n->memory.share > 0 ? n->memory.feeds : 1, law, demand, more, x->utilizations[0],
             c->remote_fraction, c->cost_ratio, c->memory_penalty, c->waiting_fraction);
}

/* Equal processors, and what every entrance can be asked. */
static void draw_for_all(question *x)
{
    draw(x);
    x->load.utilization_count = 1;
    x->node.group_sizes = NULL;
    x->node.efficiency = (clump_efficiency){.table = NULL};
    x->node.placement = (clump_placement){.domains = 0};
    if (x->load.coupling.memory_penalty < 1 || x->load.coupling.memory_penalty > 1)
        x->load.coupling.remote_fraction = fmax(x->load.coupling.remote_fraction, 0.05);
}

TEST(all_entrances_say_the_same)
{
    int compared = 0, asked = 0;
    for (int i = 0; i < times(600); i++) {
        question x;
        clump_prediction found;
        outcome o;
        char text[3000];
        draw_for_all(&x);
        if (!answer(&x, &found, NULL))
            continue;
        assert_same(&x, "the page", of_page(&x), found.slowdown);
        const double told = of_recommend(&x);
        if (!isnan(told))
            assert_same(&x, "recommend", told, found.slowdown);
        asked += !isnan(told);
        put_scenario(&x, text, sizeof text);
        run_text(&o, (clump_scenario_options){0}, text);
        if (o.status != CLUMP_SCENARIO_OK)
            tell(&x, o.message, NAN, found.slowdown);
        const clump_result *r = &o.results.rows[0];
        assert_same(&x, "a scenario", clump_result_slowdown(r), found.slowdown);
        assert_at_most(&x, "the lower bound", r->lower_bound, found.slowdown);
        assert_at_most(&x, "beside the upper bound", found.slowdown, r->upper_bound);
        clump_scenario_results_free(&o.results);
        compared++;
    }
    assert_true(compared > times(300) && asked > times(200));
}

/* Nothing random is left, so that a few events are enough: all start together. */
TEST(simulated_gangs_of_all)
{
    for (int i = 0; i < times(60); i++) {
        question x;
        clump_prediction exact;
        clump_simulation found;
        clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
        options.computation.kind = options.communication.kind = CLUMP_SERVICE_CONSTANT;
        options.threads = 1;
        draw_for_all(&x);
        x.load.phase_cycles = 0;
        x.load.demand = chance(0.5) ? CLUMP_DEMAND_GANG : CLUMP_DEMAND_CORRELATED;
        x.load.gang_size = (double)x.node.processors;
        if (!answer(&x, &exact, NULL))
            continue;
        assert_int_equal(clump_simulate(&x.node, &x.load, &options, &found, NULL, NULL), CLUMP_OK);
        assert_same(&x, "simulated", found.prediction.slowdown, exact.slowdown);
        assert_same(&x, "simulated NICs", 1 + found.prediction.nic_utilization,
                    1 + exact.nic_utilization);
    }
}

/* ---- programs of every kind, as scripts */

enum program_kind { UTILIZATION, TRAFFIC, PHASES, COLLECTIVES, UNEVEN, KINDS };

typedef struct program {
    size_t processors, nics;
    enum program_kind kind;
    bool pooled, nic_each;
    char text
        [3000]; /* of globals `unit` (of all times), `more` (NICs), `beside` (another platform): see run_program */
} program;

/* One number for all, or where they may differ one each, or a mean with what is known of its spread. */
static void put_number(char *text, size_t size, const program *p, const char *name, double mean)
{
    const size_t used = strlen(text);
    if (p->kind != UNEVEN) {
        snprintf(text + used, size - used, "%s = %.17g, ", name, mean);
    } else if (chance(0.5)) {
        snprintf(text + used, size - used, "%s = { mean = %.17g, std_dev = %.17g }, ", name, mean,
                 mean * uniform(0, 0.5));
    } else {
        snprintf(text + used, size - used, "%s = {", name);
        for (size_t i = 0; i < p->processors; i++)
            snprintf(text + strlen(text), size - strlen(text), " %.17g,", mean * uniform(0.1, 2));
        snprintf(text + strlen(text), size - strlen(text), " }, ");
    }
}

static void put_application(program *p, char *text, size_t size)
{
    static const char *const kinds[] = {"allreduce", "reduce-scatter", "allgather", "broadcast",
                                        "alltoall"},
                             *const demands[] = {"independent", "correlated"},
                             *const styles[] = {"streaming", "blocking", "exchange"};
    const double f = p->nic_each ? 1 : uniform(0, 1);
    snprintf(text, size, "name = 'a', ");
    switch (p->kind) {
    case UTILIZATION:
        snprintf(
            text, size,
            "name = 'a', now_time = %.17g * unit, utilization = %.17g, remote_fraction = %.17g",
            uniform(1, 100), uniform(0, 1), f);
        break;
    case TRAFFIC:
    case UNEVEN:
        snprintf(text, size,
                 "name = 'a', computation = %.17g * unit, style = '%s', synchronized = %s, ",
                 uniform(0.01, 1), styles[p->kind == UNEVEN ? 0 : whole(0, 2)],
                 p->kind == UNEVEN ? "true" : "false");
        snprintf(text + strlen(text), size - strlen(text), "remote_traffic = { ");
        put_number(text, size, p, "short_messages", uniform(0, 1e5));
        put_number(text, size, p, "bulk_messages", uniform(0, 1e3));
        snprintf(text + strlen(text), size - strlen(text), "bulk_bytes = %.17g }",
                 uniform(1e6, 1e9));
        if (!p->nic_each && chance(0.5))
            snprintf(text + strlen(text), size - strlen(text),
                     ", local_traffic = { short_messages = %.17g }", uniform(0, 1e5));
        break;
    case PHASES:
        snprintf(text, size, "name = 'a', now_time = %.17g * unit, phases = {", uniform(1, 100));
        for (size_t i = whole(1, 3); i > 0; i--)
            snprintf(
                text + strlen(text), size - strlen(text),
                " { time = %.17g, utilization = %.17g, remote_fraction = %.17g, demand = '%s' },",
                uniform(0.1, 5), uniform(0, 1), f, demands[whole(0, 1)]);
        snprintf(text + strlen(text), size - strlen(text), " }");
        break;
    default:
        snprintf(text, size,
                 "name = 'a', computation = %.17g * unit, overlap = %.17g,\n  collectives = "
                 "collective { "
                 "kind = '%s', bytes = %.17g, count = %.17g }",
                 uniform(0, 1e-3), chance(0.5) ? 0 : uniform(0, 1), kinds[whole(0, 4)],
                 exp(uniform(0, 18)), uniform(1, 10));
    }
}

static void draw_program(program *p, enum program_kind kind, bool nic_each)
{
    char application[1200], demand[80] = "";
    *p = (program){.kind = kind, .nic_each = nic_each, .processors = whole(1, 12)};
    p->nics = nic_each ? p->processors : whole(1, p->processors + 1);
    p->pooled = chance(0.6);
    if (kind == UTILIZATION || kind == TRAFFIC || kind == UNEVEN)
        snprintf(demand, sizeof demand, "demand = '%s', ",
                 chance(0.5) ? "correlated" : "independent");
    put_application(p, application, sizeof application);
    snprintf(
        p->text, sizeof p->text,
        "local p = platform { name = 'p', processors = %zu, nodes = %zu, nics = %zu + more, "
        "mapping = '%s', %s\n"
        "  network = { L = %.17g * unit, o_s = %.17g * unit, o_r = %.17g * unit, g = %.17g * unit, "
        "G = %.17g * unit },\n"
        "  shared_memory = { L = 0.3 * unit, o_s = 0.2 * unit, o_r = 0.2 * unit, g = 0.2 * unit, G "
        "= 1e-4 * unit } }\n"
        "return scenario { platform = p, compare_with = beside and p, %s\n  application = "
        "application { %s } }\n",
        p->processors, whole(1, 4), p->nics, p->pooled ? "pooled" : "static",
        p->pooled && (nic_each || chance(0.5)) ? "max_nics_per_processor = 1," : "", uniform(0, 10),
        uniform(0.1, 3), uniform(0.1, 3), uniform(0.1, 20), uniform(0, 1e-2), demand, application);
}

/* false: refused, which is for other tests. */
static bool run_program(const program *p, double unit, size_t more, bool beside, clump_result *row)
{
    char text[3200];
    outcome o;
    snprintf(text, sizeof text, "local unit, more, beside = %.17g, %zu, %s\n%s", unit, more,
             beside ? "true" : "nil", p->text);
    run_text(&o, (clump_scenario_options){0}, text);
    const bool done = o.status == CLUMP_SCENARIO_OK;
    if (!done && o.status != CLUMP_SCENARIO_BAD_INPUT)
        fail_msg("%s\n%s", o.message, text);
    if (done)
        *row = o.results.rows[0];
    clump_scenario_results_free(&o.results);
    return done;
}

static void assert_program(const program *p, const char *what, double value, double least,
                           double most)
{
    if (!(value >= least * (1 - 1e-9) && value <= most * (1 + 1e-9)))
        fail_msg("%s: %.15g, expected %.15g to %.15g\n%s", what, value, least, most, p->text);
}

static void each_program(bool nic_each, int count, void (*test)(const program *p))
{
    for (int i = 0; i < count; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            program p;
            draw_program(&p, (enum program_kind)kind, nic_each);
            test(&p);
        }
}

static int tried; /* programs that were not refused */

static void compare_with_itself(const program *p)
{
    clump_result r;
    if (!run_program(p, 1, 0, true, &r))
        return;
    assert_program(p, "beside itself", r.ratio, 1, 1);
    assert_program(p, "its communication", r.communication_ratio, 1, 1);
    tried++;
}

TEST(a_platform_beside_itself)
{
    tried = 0;
    each_program(false, times(60), compare_with_itself);
    assert_true(tried > times(120));
}

/* What was measured, by the rules of `validate`. */
TEST(programs_of_the_database)
{
    outcome o;
    int compared = 0;
    good(&o, "local scenarios, programs = {}, {}\n"
             "for _, name in ipairs { 'SAMPLE', 'CON/comp', 'CON/comm', 'EM3D', '3-D FFT', "
             "'EM3D/good' } do\n"
             "  programs[#programs + 1] = application(name) end\n"
             "for _, name in ipairs { 'e5000-clump', 'e5000-smp', 'e5000-clump-4x4' } do\n"
             "  local p = platform(name)\n"
             "  scenarios[#scenarios + 1] = scenario { application = programs, platform = p, "
             "compare_with = p,\n"
             "    demand = { 'independent', 'correlated', 'scheduled' } } end\n"
             "return scenarios");
    for (size_t i = 0; i < o.results.count; i++) {
        const clump_result *r = &o.results.rows[i];
        if (r->refused != NULL)
            continue;
        assert_near(r->ratio, 1, 1e-9);
        assert_true(r->beside_itself);
        if (!isnan(r->lower_bound))
            assert_true(r->lower_bound <= clump_result_slowdown(r) * (1 + 1e-9) &&
                        clump_result_slowdown(r) <= r->upper_bound * (1 + 1e-9));
        compared++;
    }
    clump_scenario_results_free(&o.results);
    assert_true(compared >= 12);
}

static void compare_units(const program *p)
{
    clump_result one, other;
    const double unit = exp(uniform(-4, 4));
    if (!run_program(p, 1, 0, false, &one))
        return;
    if (!run_program(p, unit, 0, false, &other))
        fail_msg("refused in other units: %s", p->text);
    const double X = clump_result_slowdown(&one);
    assert_program(p, "in other units", clump_result_slowdown(&other), X, X);
    assert_program(p, "seconds in other units", other.predicted_time / unit, one.predicted_time,
                   one.predicted_time);
    tried++;
}

TEST(units_do_not_matter)
{
    tried = 0;
    each_program(false, times(60), compare_units);
    assert_true(tried > times(120));
}

/* With collectives also what stays in a node crosses the NICs of the NOW. */
static void compare_with_now(const program *p)
{
    clump_result r;
    if (p->kind == COLLECTIVES || !run_program(p, 1, 0, false, &r))
        return;
    assert_program(p, "a NIC each", clump_result_slowdown(&r), 1, 1);
    tried++;
}

TEST(programs_with_a_nic_each)
{
    tried = 0;
    each_program(true, times(60), compare_with_now);
    assert_true(tried > times(120));
}

/* NICs that are in use for longer than the program takes; more of them. */
static void compare_with_nics(const program *p)
{
    clump_result fewer, more;
    if (p->kind == COLLECTIVES || !run_program(p, 1, 0, false, &fewer))
        return;
    const double X = clump_result_slowdown(&fewer);
    assert_program(p, "NICs in use", fewer.nic_utilization, 0, 1);
    if (!isnan(fewer.lower_bound))
        assert_program(p, "between its bounds", X, fewer.lower_bound, fewer.upper_bound);
    if (!run_program(p, 1, 1, false, &more))
        return;
    assert_program(p, "with one NIC more", clump_result_slowdown(&more), 0, X);
    tried++;
}

TEST(programs_and_nics)
{
    tried = 0;
    each_program(false, times(60), compare_with_nics);
    assert_true(tried > times(90));
}

UNIT_MAIN(open_store, close_store)
