/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes with random combinations of every option, predicted by the engine and by the solver of
 * own_solver.h. A small sample here, thousands in `make check-long` (CLUMP_TEST_LONG=1).
 */
#include "tests/unit/unit.h"

#include "model/prediction.h"
#include "model/simulation/simulation.h"
#include "tests/unit/golden.h"
#include "tests/unit/own_memory.h"
#include "tests/unit/own_solver.h"

static unsigned long long seed = 20;

static double uniform(double low, double high)
{
    return low + (high - low) * golden_random(&seed);
}

static int whole(int low, int high)
{
    return low + (int)(golden_random(&seed) * (high - low + 1));
}

static bool chance(double probability)
{
    return golden_random(&seed) < probability;
}

/* Mostly between, sometimes at an end. */
static double share(void)
{
    const double kind = golden_random(&seed);
    return kind < 0.06 ? 0 : kind < 0.12 ? 1 : uniform(0, 1);
}

/* What a question consists of. */
typedef struct question {
    clump_node node;
    clump_load load;
    double utilizations[OWN_MOST], table[OWN_MOST + 2];
    size_t groups[16];
} question;

static void draw_placement(question *x)
{
    clump_placement *place = &x->node.placement;
    if (chance(0.4)) {
        place->domains = (size_t)whole(1, 4);
        place->near = chance(0.5) ? 0 : uniform(0.3, 1);
        place->far = chance(0.1) ? 0 : uniform(0.05, 1);
    }
    if (chance(0.3)) {
        place->slots.ports = (size_t)whole(1, 4);
        place->slots.bandwidth = chance(0.2) ? 0 : uniform(0.2, (double)place->slots.ports);
        place->slots.packed = chance(0.5);
    }
}

static void draw_groups(question *x)
{
    size_t left = x->node.processors;
    for (size_t i = 0; i < x->node.nics; i++) {
        x->groups[i] = i + 1 == x->node.nics ? left : (size_t)whole(0, (int)left);
        left -= x->groups[i];
    }
    x->node.group_sizes = x->groups;
}

/* Processors that are not equal have no gangs. */
static bool can_be_gangs(const clump_node *node)
{
    const clump_placement *p = &node->placement;
    return p->domains <= 1 || ((p->far == 0 || p->far == 1) && (p->near == 0 || p->near == 1));
}

static void draw(question *x, int largest, clump_demand demand)
{
    memset(x, 0, sizeof *x);
    const double size = golden_random(&seed);
    x->node.processors = (size_t)(1 + (int)(size * sqrt(size) * largest));
    x->node.nics = (size_t)whole(1, 1 + (int)x->node.processors);
    x->node.mapping = chance(0.25) ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED;
    if (x->node.mapping == CLUMP_MAPPING_STATIC && chance(0.4))
        draw_groups(x);
    if (chance(0.5))
        x->node.max_nics_per_processor = chance(0.5) ? whole(1, 4) : uniform(1, 4);
    if (chance(0.35)) {
        x->node.efficiency.table = x->table;
        x->node.efficiency.table_length = (size_t)whole(1, (int)x->node.processors + 2);
        x->table[0] = 1;
        const bool falling = chance(0.7);
        for (size_t i = 1; i < x->node.efficiency.table_length; i++)
            x->table[i] = falling ? x->table[i - 1] * uniform(0.7, 1) : uniform(0.3, 1.3);
    }
    draw_placement(x);
    x->load.demand = demand;
    x->load.coupling = CLUMP_COUPLING_NONE;
    if (chance(0.5))
        x->load.coupling.remote_fraction = uniform(0.05, 1);
    if (chance(0.5))
        x->load.coupling.cost_ratio = uniform(0, 1.5);
    if (chance(0.5))
        x->load.coupling.memory_penalty = uniform(0.2, 4);
    if (chance(0.3))
        x->load.coupling.waiting_fraction = uniform(0, 0.9);
    x->load.utilizations = x->utilizations;
    x->load.utilization_count = demand == CLUMP_DEMAND_GANG || chance(0.3) ? 1 : x->node.processors;
    for (size_t p = 0; p < x->load.utilization_count; p++)
        x->utilizations[p] = p > 0 && chance(0.25) ? x->utilizations[p - 1] : share();
    if (demand == CLUMP_DEMAND_GANG) {
        x->load.gang_size = uniform(1, (double)x->node.processors);
        if (chance(0.6))
            x->load.gang_size = (double)x->node.processors / whole(1, (int)x->node.processors);
        if (!can_be_gangs(&x->node))
            x->node.placement.domains = 0;
    }
}

static void tell(const question *x, const char *what, double value, double expected)
{
    const clump_node *n = &x->node;
    const clump_coupling *c = &x->load.coupling;
    printf("%s: %.12g, expected %.12g\n  -P %zu -N %zu --mapping %s --demand %d gang %.17g -U",
           what, value, expected, n->processors, n->nics, clump_mapping_name(n->mapping),
           (int)x->load.demand, x->load.gang_size);
    for (size_t p = 0; p < x->load.utilization_count; p++)
        printf("%c%.17g", p == 0 ? ' ' : ',', x->utilizations[p]);
    printf(" m %.17g f %.17g V %.17g c %.17g h %.17g domains %zu near %.17g far %.17g ports %zu "
           "bandwidth %.17g packed %d groups",
           n->max_nics_per_processor, c->remote_fraction, c->cost_ratio, c->memory_penalty,
           c->waiting_fraction, n->placement.domains, n->placement.near, n->placement.far,
           n->placement.slots.ports, n->placement.slots.bandwidth, n->placement.slots.packed);
    for (size_t i = 0; n->group_sizes != NULL && i < n->nics; i++)
        printf(" %zu", n->group_sizes[i]);
    printf(" efficiency");
    for (size_t i = 0; i < n->efficiency.table_length; i++)
        printf(" %.17g", x->table[i]);
    printf("\n");
}

/* ---- a question in the terms of own_solver.h */

static double fraction(double value)
{
    return value > 0 ? value : 1;
}

static int domain_of(const clump_node *node, int index, int count)
{
    const int domains = node->placement.domains > 0 ? (int)node->placement.domains : 1;
    return index * domains / count;
}

/* What NIC i moves while all NICs do. */
static double moves(const clump_node *node, int i)
{
    const clump_slots *slots = &node->placement.slots;
    const int ports = slots->ports > 0 ? (int)slots->ports : 1, first = i / ports * ports;
    int there = 0;
    for (int j = first; j < first + ports && j < (int)node->nics; j++)
        there++;
    return slots->bandwidth > 0 ? fmin(1, slots->bandwidth / there) : 1;
}

static double link_speed(const clump_node *node, int p, int i)
{
    const int own = domain_of(node, p, (int)node->processors);
    return fraction(own == domain_of(node, i, (int)node->nics) ? node->placement.near
                                                               : node->placement.far);
}

/* How many processors each NIC of a static mapping has. Where there are fewer than NICs they take
 * the first port of every slot, then the second ones; or, packed, one port after the other. */
static void members_of(const clump_node *node, int *members)
{
    const int P = (int)node->processors, N = (int)node->nics;
    const int ports = node->placement.slots.ports > 0 ? (int)node->placement.slots.ports : 1;
    int left = P;
    for (int i = 0; i < N; i++)
        members[i] = node->group_sizes != NULL ? (int)node->group_sizes[i] : P / N + (i < P % N);
    if (node->group_sizes != NULL || P >= N || node->placement.slots.packed)
        return;
    for (int i = 0; i < N; i++)
        members[i] = 0;
    for (int port = 0; port < ports; port++)
        for (int i = port; i < N && left > 0; i += ports, left--)
            members[i] = 1;
}

static int tied_to(const clump_node *node, int p)
{
    int members[64], first = 0, i = 0;
    members_of(node, members);
    for (first = members[0]; p >= first; first += members[i])
        i++;
    return i;
}

/* What a NIC moves while those of its slot do that have processors. */
static double tied_moves(const clump_node *node, int i)
{
    const clump_slots *slots = &node->placement.slots;
    const int ports = slots->ports > 0 ? (int)slots->ports : 1, first = i / ports * ports;
    int members[64], busy = 0;
    members_of(node, members);
    for (int j = first; j < first + ports && j < (int)node->nics; j++)
        busy += members[j] > 0;
    return slots->bandwidth > 0 && busy > 0 ? fmin(1, slots->bandwidth / busy) : 1;
}

static double pool_speed(const clump_node *node, int p)
{
    double sum = 0, all = 0;
    for (int i = 0; i < (int)node->nics; i++) {
        sum += moves(node, i) * link_speed(node, p, i);
        all += moves(node, i);
    }
    return sum / all;
}

/* Station `index`: the pool, or what is tied to a NIC. `members` receives who uses it. */
static own_station station_of(const question *x, int index, int *members)
{
    const clump_node *node = &x->node;
    const clump_coupling *c = &x->load.coupling;
    const bool pooled = node->mapping == CLUMP_MAPPING_POOLED;
    own_station s = {.nics = pooled ? (double)node->nics : tied_moves(node, index),
                     .m = pooled ? node->max_nics_per_processor : 0,
                     .table = x->table,
                     .table_length = (int)node->efficiency.table_length,
                     .ports = pooled ? (int)node->placement.slots.ports : 0,
                     .packed = node->placement.slots.packed,
                     .bandwidth = pooled ? node->placement.slots.bandwidth : 0};
    if (s.ports > 1 && s.bandwidth <= 0)
        s.bandwidth = s.ports;
    for (int p = 0; p < (int)node->processors; p++) {
        if (!pooled && tied_to(node, p) != index)
            continue;
        const double U = x->utilizations[x->load.utilization_count > 1 ? p : 0];
        const double f = c->remote_fraction, h = c->waiting_fraction;
        const double speed = pooled ? pool_speed(node, p) : link_speed(node, p, index);
        s.apart[s.n] = (1 - U) * c->memory_penalty + U * (1 - f) * c->cost_ratio + U * f * h;
        s.served[s.n] = U * f * (1 - h) / speed;
        members[s.n++] = p;
    }
    return s;
}

/* What all NICs of the node move together. */
static double capacity_of(const clump_node *node)
{
    double sum = 0;
    for (int i = 0; i < (int)node->nics; i++)
        sum += moves(node, i);
    return sum;
}

/* ---- gangs: `gangs` customers, each `size` processors that do the same */

static double own_gangs(const own_station *s, int gangs)
{
    const double size = (double)s->n / gangs;
    double idle = 0, service = 0, sum = 0;
    for (unsigned subset = 0; subset < 1U << gangs; subset++) {
        const int active = own_count(subset);
        double weight = 1;
        for (int p = 0; p < gangs; p++)
            weight *= subset >> p & 1 ? s->served[0] : s->apart[0];
        for (int q = 1; q <= active; q++)
            weight *= q * size / own_rate(s, q * size);
        sum += weight;
        if (subset & 1)
            service += weight * own_rate(s, active * size) / (active * size);
        else
            idle += weight;
    }
    return sum * (s->apart[0] > s->served[0] ? s->apart[0] / idle : s->served[0] / service);
}

/* log of Z_P = integral of exp(-t) (1 + c t)^P, for the real number of gangs P on a constant
 * station. With 1 + c t = exp(v) it is smooth. */
static double log_integral(double P, double c)
{
    const double top = log1p(c * (P + 15 * sqrt(P + 4) + 60)), step = top / 20000;
    double peak = -HUGE_VAL, sum = 0;
    for (int i = 0; i <= 20000; i++)
        peak = fmax(peak, (P + 1) * i * step - expm1(i * step) / c);
    for (int i = 0; i <= 20000; i++) {
        const double value = exp((P + 1) * i * step - expm1(i * step) / c - peak);
        sum += (i == 0 || i == 20000 ? 1 : i % 2 == 1 ? 4 : 2) * value;
    }
    return log(sum * step / 3 / c) + peak;
}

static double own_gang(const own_station *s, double size)
{
    const double gangs = s->n / fmin(size, s->n), near = rint(gangs);
    if (fabs(gangs - near) < 1e-9)
        return own_gangs(s, (int)near);
    bool constant = s->m <= 0 || s->m * size >= s->nics;
    for (int i = 0; i < s->table_length; i++)
        constant = constant && s->table[i] == 1;
    if (constant && s->served[0] > 0 && s->apart[0] > 0) {
        const double c = s->served[0] / s->apart[0] / (own_rate(s, size) / size);
        return s->apart[0] * exp(log_integral(gangs, c) - log_integral(gangs - 1, c));
    }
    if (constant)
        return s->served[0] > 0 ? s->served[0] * gangs / (own_rate(s, size) / size) : s->apart[0];
    /* Linear in s between whole numbers of gangs. */
    const double low = floor(gangs), large = s->n / low, small = s->n / (low + 1);
    const double a = own_gangs(s, (int)low), b = own_gangs(s, (int)low + 1);
    return b + (a - b) * (size - small) / (large - small);
}

/* ---- the comparison */

static struct {
    long cases, wrong;
    double worst;
} score[4];
static bool only_count; /* to say how many are wrong, and not stop at the first */

static void judge(const question *x, const char *what, double value, double expected,
                  double tolerance, bool *right)
{
    const double off = expected == 0 ? fabs(value) : fabs(value / expected - 1);
    score[x->load.demand].worst = fmax(score[x->load.demand].worst, isnan(off) ? HUGE_VAL : off);
    if (off <= tolerance)
        return;
    if (*right && !only_count)
        tell(x, what, value, expected);
    *right = false;
}

/* Independent demand is a schedule, and so is starting together as soon as the slowest is done. */
static void judge_order(const question *x, double scheduled, bool *right)
{
    clump_prediction other;
    clump_load load = x->load;
    load.demand = CLUMP_DEMAND_INDEPENDENT;
    assert_int_equal(clump_predict(&x->node, &load, &other, NULL, NULL), CLUMP_OK);
    judge(x, "above independent", fmax(scheduled / other.slowdown, 1), 1, 1e-8, right);
    load.demand = CLUMP_DEMAND_CORRELATED;
    assert_int_equal(clump_predict(&x->node, &load, &other, NULL, NULL), CLUMP_OK);
    judge(x, "above correlated", fmax(scheduled / other.slowdown, 1), 1, 1e-8, right);
}

/* Whether some number of processors is served more in all than any smaller one, and each at another rate. */
static bool has_several_rates(const question *x)
{
    bool several = false;
    for (int i = 0; i < (x->node.mapping == CLUMP_MAPPING_POOLED ? 1 : (int)x->node.nics); i++) {
        int members[OWN_MOST];
        const own_station s = station_of(x, i, members);
        double most = 0;
        for (int q = 1; q <= s.n; q++) {
            const double mu = own_rate(&s, q);
            for (int r = 1; r <= q && mu > most * (1 + 1e-13); r++)
                several = several || fabs(own_rate(&s, r) / r / own_rate(&s, q) * q - 1) > 1e-14;
            most = fmax(most, mu);
        }
    }
    return several;
}

/* Communication that is free and nothing else to do takes no time; schedules of processors that differ are known
 * where all rates are the same. */
static bool is_rightly_refused(const question *x, const char *message)
{
    return strstr(message, "takes no time") != NULL ||
           (x->load.demand == CLUMP_DEMAND_SCHEDULED && has_several_rates(x) &&
            strstr(message, "serve each at another rate") != NULL);
}

/* Who all move together are correlated. */
static clump_demand demand_of(const question *x)
{
    return x->load.demand == CLUMP_DEMAND_GANG && x->load.gang_size >= (double)x->node.processors
               ? CLUMP_DEMAND_CORRELATED
               : x->load.demand;
}

static void compare(const question *x)
{
    const bool together = demand_of(x) == CLUMP_DEMAND_CORRELATED;
    double X[OWN_MOST];
    clump_prediction found;
    const clump_prediction_details details = {X, NULL};
    clump_error error = {CLUMP_OK, ""};
    bool right = true;
    score[x->load.demand].cases++;
    if (clump_predict(&x->node, &x->load, &found, &details, &error) != CLUMP_OK) {
        right = is_rightly_refused(x, error.message);
        if (!right)
            tell(x, error.message, 0, 0);
        score[x->load.demand].wrong += !right;
        return;
    }
    const int P = (int)x->node.processors;
    const int stations = x->node.mapping == CLUMP_MAPPING_POOLED ? 1 : (int)x->node.nics;
    double active = 0, served = 0, sum = 0, slowest = 0, adjusted = 0;
    for (int i = 0; i < stations; i++) {
        int members[OWN_MOST];
        const own_station s = station_of(x, i, members);
        own_outcome o = {.active = NAN};
        double its[OWN_MOST], imbalance = NAN;
        if (s.n == 0)
            continue;
        for (int p = 0; p < s.n; p++)
            its[p] = X[members[p]];
        switch (demand_of(x)) {
        case CLUMP_DEMAND_INDEPENDENT:
            own_independent(&s, &o, &imbalance);
            if (!isnan(imbalance))
                assert_true(imbalance < 1e-9);
            break;
        case CLUMP_DEMAND_CORRELATED:
            own_correlated(&s, &o);
            break;
        case CLUMP_DEMAND_GANG:
            for (int p = 0; p < s.n; p++)
                o.X[p] = own_gang(&s, x->load.gang_size);
            o.active = 0;
            for (int p = 0; p < s.n; p++)
                o.active += 1 - s.apart[p] / o.X[p];
            break;
        case CLUMP_DEMAND_SCHEDULED:
            judge(x, "a schedule with these slowdowns, speed", fmin(own_feasible(&s, its), 1), 1,
                  1e-8, &right);
            judge(x, "the mean of the best schedule, 1 -", 1 + fmax(own_improvable(&s, its), 0), 1,
                  1e-8, &right);
            memcpy(o.X, its, sizeof its);
            break;
        }
        for (int p = 0; p < s.n; p++) {
            judge(x, "a processor's slowdown", its[p], o.X[p], 1e-9, &right);
            sum += o.X[p];
            slowest = fmax(slowest, o.X[p]);
            adjusted += s.served[p] / (s.apart[p] + s.served[p]) / P;
        }
        for (int p = 0; p < s.n; p++)
            served += s.served[p] / (together ? 1 : o.X[p]);
        active += o.active;
    }
    if (together) { /* all stations start again when the slowest is done */
        served /= slowest;
        active /= slowest;
        sum = slowest * P;
    }
    if (x->load.demand == CLUMP_DEMAND_SCHEDULED)
        judge_order(x, found.slowdown, &right);
    judge(x, "slowdown", found.slowdown, sum / P, 1e-9, &right);
    judge(x, "slowest", found.slowest, slowest, 1e-9, &right);
    judge(x, "adjusted utilization", found.adjusted_utilization, adjusted, 1e-9, &right);
    judge(x, "NIC utilization", found.nic_utilization, served / capacity_of(&x->node), 1e-9,
          &right);
    if (x->load.demand != CLUMP_DEMAND_SCHEDULED && active > 1e-6)
        judge(x, "mean communicating", found.mean_active, active, 1e-7, &right);
    score[x->load.demand].wrong += !right;
}

static void compare_many(clump_demand demand, int count, int largest)
{
    memset(score, 0, sizeof score);
    for (int i = 0; i < count; i++) {
        question x;
        draw(&x, largest, demand);
        compare(&x);
    }
    if (only_count)
        printf("%s: %ld wrong of %ld, by up to %.2g\n", clump_demand_kind_name(demand),
               score[demand].wrong, score[demand].cases, score[demand].worst);
    else
        assert_int_equal(score[demand].wrong, 0);
}

/* ---- memory */

/* Memory of a question; nothing else of it changes. */
static void draw_memory(question *x, double *curve)
{
    clump_memory *m = &x->node.memory;
    const double kind = golden_random(&seed);
    m->law = (clump_memory_law)whole(0, 2);
    m->share = chance(0.1) ? 1 : uniform(0.02, 1);
    m->feeds = chance(0.5) ? whole(1, 5) : uniform(1, 5);
    if (m->law != CLUMP_MEMORY_MEASURED && chance(0.5))
        return;
    m->curve = curve;
    m->curve_length = (size_t)whole(1, (int)x->node.processors + 2);
    curve[0] = 1;
    for (size_t j = 1; j < m->curve_length; j++)
        curve[j] = curve[j - 1] + (kind < 0.7 ? uniform(0, 1) : uniform(-0.3, 0.8) * curve[j - 1]);
}

static own_node node_of(const question *x)
{
    own_node node = {.processors = (int)x->node.processors};
    const int stations = x->node.mapping == CLUMP_MAPPING_POOLED ? 1 : (int)x->node.nics;
    const clump_coupling *c = &x->load.coupling;
    double waiting = 0, apart = 0;
    for (int i = 0; i < stations; i++) {
        int members[OWN_MOST];
        const own_station s = station_of(x, i, members);
        if (s.n == 0)
            continue;
        for (int p = 0; p < s.n; p++) {
            node.home[members[p]] = node.stations;
            node.seat[members[p]] = p;
        }
        node.station[node.stations++] = s;
    }
    for (size_t p = 0; p < x->load.utilization_count; p++) {
        const double U = x->utilizations[p];
        waiting += c->waiting_fraction * c->remote_fraction * U;
        apart += (1 - U) * c->memory_penalty + U * (1 - c->remote_fraction) * c->cost_ratio +
                 c->waiting_fraction * c->remote_fraction * U;
    }
    own_nu(&x->node.memory, apart > 0 ? waiting / apart : 0, node.processors, node.nu);
    return node;
}

/* Gangs at each station, between whole numbers of them linear. */
static void own_gangs_of(const question *x, const own_node *node, double *X, double *active)
{
    const double size = x->load.gang_size;
    const bool spanning = size > node->station[0].n;
    const double n = spanning ? node->processors : node->station[0].n;
    const int low = (int)floor(n / size + 1e-9);
    double coarse[OWN_MOST], fine[OWN_MOST], more;
    void (*const solve)(const own_node *, int, double *, double *) =
        spanning ? own_node_spanning : own_node_gangs;
    solve(node, low, coarse, active);
    double part = 1;
    if (fabs(n / size - low) > 1e-9) {
        solve(node, low + 1, fine, &more);
        part = (size - n / (low + 1)) / (n / low - n / (low + 1));
        *active = more + (*active - more) * part;
    }
    for (int i = 0; i < node->stations; i++) {
        const double its = part == 1 ? coarse[i] : fine[i] + (coarse[i] - fine[i]) * part;
        for (int p = 0; p < node->processors; p++)
            if (node->home[p] == i)
                X[p] = its;
    }
}

/* What memory cannot be answered with: the message. */
static const char *refused_with_memory(const question *x, const own_node *node)
{
    const bool gang = demand_of(x) == CLUMP_DEMAND_GANG;
    if (x->load.demand != CLUMP_DEMAND_SCHEDULED && !gang)
        return NULL;
    for (int i = 1; i < node->stations; i++)
        if (node->station[i].n != node->station[0].n)
            return "groups of";
    if (gang)
        return NULL;
    for (int i = 1; i < node->stations; i++)
        if (node->station[i].nics != node->station[0].nics)
            return "differ";
    if (x->load.utilization_count > 1)
        return node->stations > 1 ? "differ" : "kinds of";
    for (int p = 1; p < node->processors; p++)
        if (own_served(node, p) != own_served(node, 0))
            return node->stations > 1 ? "differ" : "kinds of";
    for (int q = 2; node->stations > 1 && q <= node->station[0].n; q++)
        if (own_rate(&node->station[0], q) > own_rate(&node->station[0], 1))
            return "efficiency above 1";
    return NULL;
}

static void compare_memory(const question *x)
{
    double X[OWN_MOST], own[OWN_MOST], spread[OWN_MOST + 1], its_spread[OWN_MOST + 1];
    clump_prediction found;
    const bool independent = x->load.demand == CLUMP_DEMAND_INDEPENDENT;
    const bool together = demand_of(x) == CLUMP_DEMAND_CORRELATED;
    const clump_prediction_details details = {X, independent ? spread : NULL};
    clump_error error = {CLUMP_OK, ""};
    bool right = true;
    const own_node node = node_of(x);
    const int P = node.processors;
    score[x->load.demand].cases++;
    if (clump_predict(&x->node, &x->load, &found, &details, &error) != CLUMP_OK) {
        const char *expected = refused_with_memory(x, &node);
        right = is_rightly_refused(x, error.message) ||
                (expected != NULL && strstr(error.message, expected) != NULL);
        if (!right)
            tell(x, error.message, 0, 0);
        score[x->load.demand].wrong += !right;
        return;
    }
    double active = 0, served = 0, sum = 0, slowest = 0, imbalance = NAN;
    switch (demand_of(x)) {
    case CLUMP_DEMAND_INDEPENDENT:
        own_node_independent(&node, own, its_spread, &imbalance);
        for (int q = 0; q <= P; q++)
            active += q * its_spread[q];
        if (!isnan(imbalance))
            assert_true(imbalance < 1e-9);
        for (int q = 0; q <= P; q++)
            judge(x, "a probability, 1 +", 1 + spread[q], 1 + its_spread[q], 1e-9, &right);
        break;
    case CLUMP_DEMAND_CORRELATED:
        own_node_correlated(&node, own, &active);
        break;
    case CLUMP_DEMAND_GANG:
        own_gangs_of(x, &node, own, &active);
        break;
    case CLUMP_DEMAND_SCHEDULED:
        judge(x, "the best schedule, speed", own_node_feasible(&node, X), 1, 1e-8, &right);
        memcpy(own, X, sizeof own);
        break;
    }
    for (int p = 0; p < P; p++) {
        judge(x, "a processor's slowdown", X[p], own[p], 1e-9, &right);
        sum += own[p];
        slowest = fmax(slowest, own[p]);
    }
    for (int p = 0; p < P; p++)
        served += own_served(&node, p) / (together ? slowest : own[p]);
    judge(x, "slowdown", found.slowdown, together ? slowest : sum / P, 1e-9, &right);
    judge(x, "slowest", found.slowest, slowest, 1e-9, &right);
    judge(x, "NIC utilization", found.nic_utilization, served / capacity_of(&x->node), 1e-9,
          &right);
    if (x->load.demand != CLUMP_DEMAND_SCHEDULED && active > 1e-6)
        judge(x, "mean communicating", found.mean_active, active, 1e-7, &right);
    score[x->load.demand].wrong += !right;
}

/* Memory that feeds all of them is as if there were none. */
static bool disturbs_nobody(const question *x)
{
    const own_node node = node_of(x);
    for (int k = 1; k <= node.processors; k++)
        if (fabs(node.nu[k] / k - 1) > 1e-13)
            return false;
    return true;
}

TEST(test_memory)
{
    static const int counts[] = {600, 2000, 300, 200}, many[] = {10000, 50000, 3000, 3000},
                     largest[] = {8, OWN_MOST, 4, 8};
    memset(score, 0, sizeof score);
    for (int demand = 0; demand < 4; demand++) {
        for (int i = 0; i < (getenv("CLUMP_TEST_LONG") != NULL ? many : counts)[demand]; i++) {
            question x;
            double curve[OWN_MOST + 2];
            draw(&x, largest[demand], (clump_demand)demand);
            if (demand == CLUMP_DEMAND_SCHEDULED && chance(0.9))
                x.load.utilization_count = 1;
            draw_memory(&x, curve);
            if (demand == CLUMP_DEMAND_GANG && disturbs_nobody(&x))
                compare(&x);
            else
                compare_memory(&x);
        }
        if (only_count)
            printf("memory, %s: %ld wrong of %ld, by up to %.2g\n",
                   clump_demand_kind_name((clump_demand)demand), score[demand].wrong,
                   score[demand].cases, score[demand].worst);
        else
            assert_int_equal(score[demand].wrong, 0);
    }
}

/* Without randomness the simulation of correlated demand has to be exact here, too. */
TEST(test_memory_simulated)
{
    long wrong = 0;
    double worst = 0;
    for (int i = 0; i < 60; i++) {
        question x;
        double X[OWN_MOST], own[OWN_MOST], curve[OWN_MOST + 2], active, served = 0, slowest = 0;
        clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
        options.computation.kind = options.communication.kind = CLUMP_SERVICE_CONSTANT;
        options.threads = 1;
        const clump_simulation_details details = {X, NULL};
        clump_simulation found;
        draw(&x, OWN_MOST, CLUMP_DEMAND_CORRELATED);
        draw_memory(&x, curve);
        if (clump_simulate(&x.node, &x.load, &options, &found, &details, NULL) != CLUMP_OK)
            continue; /* what the engine refuses, too */
        const own_node node = node_of(&x);
        own_node_correlated(&node, own, &active);
        double off = 0;
        for (int p = 0; p < node.processors; p++) {
            off = fmax(off, fabs(X[p] / own[p] - 1));
            slowest = fmax(slowest, own[p]);
            served += own_served(&node, p);
        }
        off = fmax(off, fabs(found.prediction.mean_active - active));
        off = fmax(
            off, fabs(found.prediction.nic_utilization - served / slowest / capacity_of(&x.node)));
        worst = fmax(worst, off);
        wrong += off > 1e-9;
        if (off > 1e-9 && !only_count)
            tell(&x, "simulated, off by", off, 0);
    }
    if (only_count)
        printf("memory, simulated: %ld wrong of 60, by up to %.2g\n", wrong, worst);
    else
        assert_int_equal(wrong, 0);
}

static bool is_long(void)
{
    return getenv("CLUMP_TEST_LONG") != NULL;
}

TEST(test_independent)
{
    compare_many(CLUMP_DEMAND_INDEPENDENT, is_long() ? 20000 : 1000, 8);
    if (is_long())
        compare_many(CLUMP_DEMAND_INDEPENDENT, 500, OWN_MOST);
}

TEST(test_correlated)
{
    compare_many(CLUMP_DEMAND_CORRELATED, is_long() ? 100000 : 4000, OWN_MOST);
}

TEST(test_scheduled)
{
    compare_many(CLUMP_DEMAND_SCHEDULED, is_long() ? 20000 : 500, 7);
    if (is_long())
        compare_many(CLUMP_DEMAND_SCHEDULED, 300, OWN_MOST);
}

/* Without randomness the simulation of correlated demand has to be exact. */
TEST(test_simulated_correlated)
{
    long wrong = 0;
    double worst = 0;
    const int count = is_long() ? 3000 : 60;
    for (int i = 0; i < count; i++) {
        question x;
        double X[OWN_MOST];
        clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
        options.computation.kind = options.communication.kind = CLUMP_SERVICE_CONSTANT;
        options.threads = 1;
        const clump_simulation_details details = {X, NULL};
        clump_simulation found;
        draw(&x, OWN_MOST, CLUMP_DEMAND_CORRELATED);
        if (clump_simulate(&x.node, &x.load, &options, &found, &details, NULL) != CLUMP_OK)
            continue; /* what the engine refuses, too */
        const bool pooled = x.node.mapping == CLUMP_MAPPING_POOLED;
        double off = 0;
        for (int j = 0; j < (pooled ? 1 : (int)x.node.nics); j++) {
            int members[OWN_MOST];
            own_outcome o;
            const own_station s = station_of(&x, j, members);
            own_correlated(&s, &o);
            for (int p = 0; p < s.n; p++)
                off = fmax(off, fabs(X[members[p]] / o.X[p] - 1));
        }
        worst = fmax(worst, off);
        wrong += off > 1e-9;
        if (off > 1e-9 && !only_count)
            tell(&x, "simulated, off by", off, 0);
    }
    if (only_count)
        printf("simulated: %ld wrong of %d, by up to %.2g\n", wrong, count, worst);
    else
        assert_int_equal(wrong, 0);
}

/* Independent demand where nothing is random: who meets whom hangs on the length of the cycles. Some
 * drift past each other so slowly that the time of a simulation, 40,000 cycles here, is too short for
 * a mean; they may not be more than one in fifty. */
TEST(test_simulated_constant)
{
    long wrong = 0, count = 0;
    double worst = 0;
    for (int i = 0; i < (is_long() ? 300 : 5); i++) {
        question x;
        double X[OWN_MOST];
        clump_simulation_options options = CLUMP_SIMULATION_DEFAULTS;
        options.computation.kind = options.communication.kind = CLUMP_SERVICE_CONSTANT;
        options.threads = 1;
        options.precision = is_long() ? 1e-4 : 1e-3;
        const clump_simulation_details details = {X, NULL};
        clump_simulation found;
        draw(&x, is_long() ? 5 : 3, CLUMP_DEMAND_INDEPENDENT);
        for (size_t p = 0; p < x.load.utilization_count; p++)
            x.utilizations[p] = 0.05 + 0.9 * x.utilizations[p];
        if (clump_simulate(&x.node, &x.load, &options, &found, &details, NULL) != CLUMP_OK)
            continue;
        const bool pooled = x.node.mapping == CLUMP_MAPPING_POOLED;
        double off = 0;
        count++;
        for (int j = 0; j < (pooled ? 1 : (int)x.node.nics); j++) {
            int members[OWN_MOST];
            double own[OWN_MOST];
            const own_station s = station_of(&x, j, members);
            own_constant(&s, 1000, is_long() ? 60000 : 10000, own);
            for (int p = 0; p < s.n; p++)
                off = fmax(off, fabs(X[members[p]] / own[p] - 1));
        }
        worst = fmax(worst, off);
        wrong += off > 0.01;
    }
    if (only_count)
        printf("constant: %ld wrong of %ld, by up to %.2g\n", wrong, count, worst);
    else
        assert_true(wrong * 50 <= count);
}

TEST(test_gangs)
{
    compare_many(CLUMP_DEMAND_GANG, is_long() ? 5000 : 200, 10);
}

int main(void)
{
    only_count = getenv("CLUMP_TEST_COUNT") != NULL;
    return unit_run(NULL, NULL);
}
