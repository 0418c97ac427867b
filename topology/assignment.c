/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "topology/assignment.h"

#include "topology/fair_share.h"
#include "topology/unit_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *clump_assignment_way_name(clump_assignment_way way)
{
    static const char *const names[] = {"best", "nearest", "round-robin", "one"};
    return names[way];
}

void clump_assignment_free(clump_assignment *a)
{
    free(a->nics);
    free(a->rates);
    free(a->alone);
    *a = (clump_assignment){.nics = NULL};
}

/* ---- routes */

size_t clump_assignment_lane_count(const clump_topology *t)
{
    return 2 * t->part_count + t->nic_count;
}

void clump_assignment_capacities(const clump_topology *t, double *capacity)
{
    for (size_t i = 0; i < t->part_count; i++)
        capacity[2 * i] = capacity[2 * i + 1] = t->parts[i].link;
    for (size_t k = 0; k < t->nic_count; k++)
        capacity[2 * t->part_count + k] = t->parts[t->nics[k]].port;
}

size_t clump_assignment_route(const clump_topology *t, const clump_topology_rules *rules, size_t p,
                              size_t nic, size_t *lanes)
{
    const size_t from = t->processors[p], to = t->nics[nic];
    size_t n = 0, turn = clump_topology_meet(t, from, to);
    if (rules->through_memory && t->gpus) {
        const size_t socket = clump_topology_socket(t, from);
        if (clump_topology_is_above(t, socket, turn))
            turn = socket;
    }
    for (size_t i = from; i != turn; i = t->parts[i].parent)
        lanes[n++] = 2 * i;
    for (size_t i = to; i != turn; i = t->parts[i].parent)
        lanes[n++] = 2 * i + 1;
    lanes[n++] = 2 * t->part_count + nic;
    return n;
}

double clump_assignment_alone(const clump_topology *t, const clump_topology_rules *rules, size_t p,
                              size_t nic)
{
    size_t lanes[CLUMP_MOST_LANES];
    const size_t count = clump_assignment_route(t, rules, p, nic, lanes);
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const size_t lane = lanes[i];
        least = fmin(least, lane < 2 * t->part_count
                                ? t->parts[lane / 2].link
                                : t->parts[t->nics[lane - 2 * t->part_count]].port);
    }
    return least;
}

/* ---- what an assignment gives */

clump_status clump_lanes_make(const clump_topology *t, const clump_topology_rules *rules,
                              clump_lanes *lanes, clump_error *error)
{
    const size_t P = t->processor_count;
    *lanes = (clump_lanes){.topology = t, .rules = rules};
    lanes->capacity = malloc((clump_assignment_lane_count(t) + P) * sizeof *lanes->capacity);
    lanes->links = malloc((P * CLUMP_MOST_LANES + P + 1) * sizeof *lanes->links);
    if (lanes->capacity == NULL || lanes->links == NULL) {
        clump_lanes_free(lanes);
        return clump_fail_memory(error, "an assignment");
    }
    lanes->rates = lanes->capacity + clump_assignment_lane_count(t);
    lanes->start = lanes->links + P * CLUMP_MOST_LANES;
    clump_assignment_capacities(t, lanes->capacity);
    return CLUMP_OK;
}

void clump_lanes_free(clump_lanes *lanes)
{
    free(lanes->capacity);
    free(lanes->links);
    lanes->capacity = NULL;
    lanes->links = NULL;
}

clump_status clump_lanes_share(clump_lanes *lanes, const size_t *nics, const size_t *who,
                               size_t count, clump_error *error)
{
    const clump_topology *t = lanes->topology;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t p = who != NULL ? who[i] : i;
        lanes->start[i] = used;
        used += clump_assignment_route(t, lanes->rules, p, nics[p], lanes->links + used);
    }
    lanes->start[count] = used;
    const clump_routes routes = {lanes->capacity, clump_assignment_lane_count(t), lanes->links,
                                 lanes->start, count};
    return clump_fair_share(&routes, lanes->rates, error);
}

/* What assignments are compared by, in this order. */
typedef struct merit {
    double least, total;
    size_t distance;
} merit;

static bool is_better(merit new, merit old)
{
    if (new.least > old.least *(1 + 1e-9) || new.least < old.least *(1 - 1e-9))
        return new.least > old.least;
    if (new.total > old.total *(1 + 1e-9) || new.total < old.total *(1 - 1e-9))
        return new.total > old.total;
    return new.distance < old.distance;
}

bool clump_assignment_is_better(const clump_assignment *a, const clump_assignment *than)
{
    return is_better((merit){a->least, a->total, a->distance},
                     (merit){than->least, than->total, than->distance});
}

/* Of a link to the part above. */
static int length_of(const clump_part *part)
{
    return part->kind == CLUMP_PART_SOCKET ? CLUMP_SOCKET_LINKS : 1;
}

static size_t length_of_way(const clump_topology *t, const size_t *lanes, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += lanes[i] < 2 * t->part_count ? (size_t)length_of(&t->parts[lanes[i] / 2]) : 1;
    return sum;
}

static clump_status evaluate(clump_lanes *lanes, const size_t *nics, merit *m, clump_error *error)
{
    const size_t P = lanes->topology->processor_count;
    const clump_status status = clump_lanes_share(lanes, nics, NULL, P, error);
    *m = (merit){.least = INFINITY};
    if (status != CLUMP_OK)
        return status;
    for (size_t p = 0; p < P; p++) {
        m->least = fmin(m->least, lanes->rates[p]);
        m->total += lanes->rates[p];
    }
    m->distance = length_of_way(lanes->topology, lanes->links, lanes->start[P]);
    return CLUMP_OK;
}

/* ---- ways to choose */

static void nearest(const clump_topology *t, size_t *nics)
{
    for (size_t p = 0; p < t->processor_count; p++) {
        size_t least = (size_t)-1;
        for (size_t k = 0; k < t->nic_count; k++) {
            const size_t hops = clump_topology_hops(t, t->processors[p], t->nics[k]);
            if (hops < least) {
                least = hops;
                nics[p] = k;
            }
        }
    }
}

/*
 * What a NIC of unknown speed is taken to carry while one is chosen, bytes a second: more than the rules allow any
 * link. A finite number, so that two processors on one such NIC are slower than on two of them.
 */
static const double unknown_port = 1e21;

static double port_for_choice(const clump_topology *t, size_t nic)
{
    return fmin(t->parts[t->nics[nic]].port, unknown_port);
}

/* Whether what goes up to this part may go down again there. */
static bool may_turn(const clump_topology *t, const clump_topology_rules *rules, size_t part)
{
    return !(rules->through_memory && t->gpus) || part == 0 ||
           t->parts[part].kind == CLUMP_PART_SOCKET;
}

/*
 * All processors have the same rate t: then link l holds floor(C_l / t) of them, and whether all have
 * a NIC is a question of whole flows in a network with these capacities (MODEL.md 31). Nodes: every part
 * twice, on the way up and on the way down.
 */
static clump_status make_network(const clump_topology *t, const clump_topology_rules *rules,
                                 clump_unit_flow **flow, clump_error *error)
{
    const size_t n = t->part_count, sink = 2 * n;
    clump_unit_flow *f;
    clump_status status = clump_unit_flow_new(2 * n + 1, &f, error);
    /* Backwards, since arcs that were added last are tried first: of equal NICs the first is taken. */
    for (size_t i = n; i-- > 0 && status == CLUMP_OK;) {
        const bool turns = may_turn(t, rules, i);
        if (t->parts[i].parent != CLUMP_NO_PART)
            status = clump_unit_flow_add(f, i, t->parts[i].parent, t->parts[i].link,
                                         length_of(&t->parts[i]), error);
        if (status == CLUMP_OK && t->parts[i].parent != CLUMP_NO_PART)
            status = clump_unit_flow_add(f, n + t->parts[i].parent, n + i, t->parts[i].link,
                                         length_of(&t->parts[i]), error);
        if (status == CLUMP_OK && turns)
            status = clump_unit_flow_add(f, i, n + i, INFINITY, 0, error);
    }
    for (size_t k = t->nic_count; k-- > 0 && status == CLUMP_OK;)
        status = clump_unit_flow_add(f, n + t->nics[k], sink, port_for_choice(t, k), 1, error);
    if (status == CLUMP_OK)
        *flow = f;
    else
        clump_unit_flow_free(f);
    return status;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Rates that the slowest can have: a capacity over a whole number. Different ones, greatest first. */
static double *candidates(const clump_topology *t, size_t *count)
{
    const size_t lanes = 2 * t->part_count + t->nic_count, P = t->processor_count;
    double *capacity = malloc(lanes * sizeof *capacity);
    size_t different = 0;
    if (capacity == NULL)
        return NULL;
    clump_assignment_capacities(t, capacity);
    for (size_t k = 0; k < t->nic_count; k++)
        capacity[2 * t->part_count + k] = port_for_choice(t, k);
    qsort(capacity, lanes, sizeof *capacity, descending);
    for (size_t i = 0; i < lanes; i++)
        if (isfinite(capacity[i]) &&
            (different == 0 || capacity[i] < capacity[different - 1] * (1 - 1e-12)))
            capacity[different++] = capacity[i];
    double *values = malloc((different * P + 1) * sizeof *values);
    *count = 0;
    for (size_t i = 0; i < different && values != NULL; i++)
        for (size_t k = 1; k <= P; k++)
            values[(*count)++] = capacity[i] / (double)k;
    if (values != NULL)
        qsort(values, *count, sizeof *values, descending);
    free(capacity);
    return values;
}

/* The greatest rate at which all have a NIC, and these NICs. */
static clump_status greatest_least(const clump_topology *t, const clump_topology_rules *rules,
                                   size_t *nics, clump_error *error)
{
    clump_unit_flow *flow = NULL;
    size_t count;
    double *values = candidates(t, &count);
    if (values == NULL)
        return clump_fail_memory(error, "an assignment");
    clump_status status = make_network(t, rules, &flow, error);
    if (status == CLUMP_OK) {
        size_t low = 0, high = count; /* `count` stands for no limit at all */
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (clump_unit_flow_fits(flow, t->processors, t->processor_count, values[middle]))
                high = middle;
            else
                low = middle + 1;
        }
        const double rate = low < count ? values[low] : 1;
        status =
            clump_unit_flow_cheapest(flow, t->processors, t->processor_count, rate, nics, error);
        for (size_t p = 0; p < t->processor_count && status == CLUMP_OK; p++) {
            size_t k = 0;
            while (k < t->nic_count && t->part_count + t->nics[k] != nics[p])
                k++;
            nics[p] = k < t->nic_count ? k : 0;
        }
    }
    clump_unit_flow_free(flow);
    free(values);
    return status;
}

/*
 * The greatest flow from all processors to all NICs: no assignment has a greater total, even if processors could
 * spread what they send. From the leaves up, each part lets as much as possible of what its processors send go to
 * NICs below it, and hands the rest on. That is best: where a processor below sends to a NIC elsewhere, and one
 * elsewhere to a NIC below, the two can change partners. One flow then turns here, and the other has the lanes that
 * both had.
 */
static clump_status most_total(const clump_topology *t, const clump_topology_rules *rules,
                               double *most, clump_error *error)
{
    double *supply = calloc(2 * t->part_count, sizeof *supply);
    if (supply == NULL)
        return clump_fail_memory(error, "an assignment");
    double *demand = supply + t->part_count;
    for (size_t p = 0; p < t->processor_count; p++)
        for (size_t k = 0; k < t->nic_count; k++)
            supply[t->processors[p]] =
                fmax(supply[t->processors[p]], clump_assignment_alone(t, rules, p, k));
    for (size_t k = 0; k < t->nic_count; k++)
        demand[t->nics[k]] = t->parts[t->nics[k]].port;
    *most = 0;
    for (size_t i = t->part_count; i-- > 0;) { /* children stand behind their parents */
        const double here = may_turn(t, rules, i) ? fmin(supply[i], demand[i]) : 0;
        *most += here;
        if (t->parts[i].parent == CLUMP_NO_PART || !isfinite(here))
            continue;
        supply[t->parts[i].parent] += fmin(supply[i] - here, t->parts[i].link);
        demand[t->parts[i].parent] += fmin(demand[i] - here, t->parts[i].link);
    }
    free(supply);
    return CLUMP_OK;
}

/* Moves and exchanges while they help. */
enum { MOST_IMPROVED = 256, MOST_ROUNDS = 4 };

static clump_status improve(clump_lanes *b, size_t *nics, clump_error *error)
{
    const size_t P = b->topology->processor_count, N = b->topology->nic_count;
    merit best, found;
    clump_status status = evaluate(b, nics, &best, error);
    bool changed = status == CLUMP_OK && P * N <= MOST_IMPROVED && isfinite(best.total);
    for (size_t round = 0; changed && round < MOST_ROUNDS; round++) {
        changed = false;
        for (size_t p = 0; p < P; p++)
            for (size_t k = 0; k < N + P - p - 1; k++) { /* to each NIC, or with each one behind */
                const size_t q = k < N ? p : p + 1 + k - N, mine = nics[p], other = nics[q];
                if ((k < N ? k : other) == mine)
                    continue;
                nics[q] = mine;
                nics[p] = k < N ? k : other;
                status = evaluate(b, nics, &found, error);
                if (status != CLUMP_OK)
                    return status;
                if (is_better(found, best)) {
                    best = found;
                    changed = true;
                } else {
                    nics[q] = other;
                    nics[p] = mine;
                }
            }
    }
    return status;
}

/*
 * Try all assignments that leave the slowest processor as fast as it can be. If they are not too many the total that
 * is found is the greatest, and the distance with it the least. Processors are alike if they hang at the same part by the same kind of link, and so are
 * NICs; of assignments that differ only in names of what is alike one is tried: the one in which processors that
 * are alike have NICs in ascending order, and no NIC is used before those with lower numbers that are like it.
 */
enum {
    MOST_WORK = 65536,
    MOST_STEPS = 32768,
    MOST_HUNTED = 64
}; /* 1,024 of 8 processors and 8 NICs */

typedef struct hunt {
    clump_lanes *b;
    size_t now[MOST_HUNTED], used[MOST_HUNTED];                /* used: by how many */
    size_t same_processor[MOST_HUNTED], same_nic[MOST_HUNTED]; /* the one before it that is alike */
    size_t *load, *room;                                       /* of lanes */
    size_t *nics;                                              /* the best ones */
    merit best;
    double most; /* bound of the total */
    size_t ahead[MOST_HUNTED + 1],
        distance; /* the least of each processor and those behind it; of those before */
    size_t steps, tried, most_tried;
    bool gave_up;
} hunt;

static bool alike(const clump_topology *t, size_t a, size_t b)
{
    const clump_part *p = &t->parts[a], *q = &t->parts[b];
    return p->parent == q->parent && p->link == q->link && p->port == q->port;
}

static void find_alike(const clump_topology *t, const size_t *parts, size_t count, size_t *before)
{
    for (size_t i = 0; i < count; i++) {
        before[i] = CLUMP_NO_PART;
        for (size_t j = 0; j < i; j++)
            if (alike(t, parts[i], parts[j]))
                before[i] = j;
    }
}

static clump_status try_one(hunt *h, clump_error *error)
{
    merit found;
    const clump_status status = evaluate(h->b, h->now, &found, error);
    h->tried++;
    if (status == CLUMP_OK && is_better(found, h->best)) {
        h->best = found;
        memcpy(h->nics, h->now, h->b->topology->processor_count * sizeof *h->nics);
    }
    return status;
}

/* The NICs of processor p and of those behind it. */
static clump_status try_from(hunt *h, size_t p, clump_error *error)
{
    const clump_topology *t = h->b->topology;
    size_t lanes[CLUMP_MOST_LANES];
    clump_status status = CLUMP_OK;
    if (p == t->processor_count)
        return try_one(h, error);
    const size_t same = h->same_processor[p];
    for (size_t k = same != CLUMP_NO_PART ? h->now[same] : 0; k < t->nic_count; k++) {
        const size_t before = h->same_nic[k];
        if (before != CLUMP_NO_PART && h->used[before] == 0)
            continue;
        h->gave_up = h->gave_up || ++h->steps > MOST_STEPS || h->tried >= h->most_tried;
        if (h->gave_up)
            break;
        const size_t count = clump_assignment_route(t, h->b->rules, p, k, lanes);
        const size_t length = length_of_way(t, lanes, count);
        bool fits = h->best.total < h->most * (1 - 1e-9) ||
                    h->distance + length + h->ahead[p + 1] < h->best.distance;
        for (size_t i = 0; i < count; i++)
            fits = ++h->load[lanes[i]] <= h->room[lanes[i]] && fits;
        if (fits) {
            h->now[p] = k;
            h->used[k]++;
            h->distance += length;
            status = try_from(h, p + 1, error);
            h->distance -= length;
            h->used[k]--;
        }
        for (size_t i = 0; i < count; i++)
            h->load[lanes[i]]--;
        if (status != CLUMP_OK)
            return status;
    }
    return status;
}

/* `most`: receives the bound of the total that is known then; the total itself if all were tried. */
static clump_status try_all(clump_lanes *b, size_t *nics, double *most, clump_error *error)
{
    const clump_topology *t = b->topology;
    const size_t P = t->processor_count, N = t->nic_count, L = clump_assignment_lane_count(t);
    hunt h = {.b = b, .nics = nics, .most = *most, .most_tried = MOST_WORK / (P * N)};
    size_t lanes[CLUMP_MOST_LANES];
    clump_status status = evaluate(b, nics, &h.best, error);
    if (status != CLUMP_OK || !isfinite(h.best.total)) {
        *most = status == CLUMP_OK ? h.best.total : *most;
        return status;
    }
    if (h.best.total >= *most * (1 - 1e-9))
        *most = h.best.total;
    if (P > MOST_HUNTED || N > MOST_HUNTED)
        return CLUMP_OK;
    h.load = calloc(2 * L, sizeof *h.load);
    if (h.load == NULL)
        return clump_fail_memory(error, "an assignment");
    h.room = h.load + L;
    for (size_t l = 0; l < L; l++) /* each of them has the least rate */
        h.room[l] = (size_t)fmin(b->capacity[l] / h.best.least * (1 + 1e-9), (double)P);
    find_alike(t, t->processors, P, h.same_processor);
    find_alike(t, t->nics, N, h.same_nic);
    for (size_t p = P; p-- > 0;) {
        size_t least = (size_t)-1;
        for (size_t k = 0; k < N; k++) {
            const size_t count = clump_assignment_route(t, b->rules, p, k, lanes);
            const size_t length = length_of_way(t, lanes, count);
            least = length < least ? length : least;
        }
        h.ahead[p] = h.ahead[p + 1] + least;
    }
    status = try_from(&h, 0, error);
    if (!h.gave_up)
        *most = h.best.total;
    free(h.load);
    return status;
}

static clump_status choose(clump_lanes *b, clump_assignment_way way, clump_assignment *a,
                           clump_error *error)
{
    const clump_topology *t = b->topology;
    double most = INFINITY;
    if (way == CLUMP_ASSIGN_NEAREST)
        nearest(t, a->nics);
    for (size_t p = 0; p < t->processor_count && way != CLUMP_ASSIGN_NEAREST; p++)
        a->nics[p] = way == CLUMP_ASSIGN_ROUND_ROBIN ? p % t->nic_count : 0;
    if (way != CLUMP_ASSIGN_BEST) {
        a->most_total = INFINITY;
        return CLUMP_OK;
    }
    clump_status status = most_total(t, b->rules, &most, error);
    if (status == CLUMP_OK)
        status = greatest_least(t, b->rules, a->nics, error);
    if (status == CLUMP_OK)
        status = improve(b, a->nics, error);
    if (status == CLUMP_OK)
        status = try_all(b, a->nics, &most, error);
    a->most_total = most;
    return status;
}

/* @param nics  those of each processor; NULL: they are chosen */
static clump_status assign(const clump_topology *t, const clump_topology_rules *rules,
                           const size_t *nics, clump_assignment_way way, clump_assignment *a,
                           clump_error *error)
{
    const size_t P = t->processor_count;
    clump_lanes b;
    merit found;
    *a = (clump_assignment){.nics = calloc(P, sizeof *a->nics),
                            .rates = calloc(P, sizeof *a->rates),
                            .alone = calloc(P, sizeof *a->alone)};
    clump_status status = clump_lanes_make(t, rules, &b, error);
    if (status == CLUMP_OK && (a->nics == NULL || a->rates == NULL || a->alone == NULL))
        status = clump_fail_memory(error, "an assignment");
    if (status == CLUMP_OK && nics != NULL)
        memcpy(a->nics, nics, P * sizeof *nics);
    else if (status == CLUMP_OK)
        status = choose(&b, way, a, error);
    if (status == CLUMP_OK)
        status = evaluate(&b, a->nics, &found, error);
    if (status == CLUMP_OK) {
        a->least = found.least;
        a->total = found.total;
        a->distance = found.distance;
    }
    for (size_t p = 0; p < P && status == CLUMP_OK; p++) {
        a->rates[p] = b.rates[p];
        a->alone[p] = clump_assignment_alone(t, rules, p, a->nics[p]);
    }
    a->most_total = fmax(a->most_total, a->total);
    clump_lanes_free(&b);
    if (status != CLUMP_OK)
        clump_assignment_free(a);
    return status;
}

clump_status clump_assign(const clump_topology *t, const clump_topology_rules *rules,
                          clump_assignment_way way, clump_assignment *a, clump_error *error)
{
    return assign(t, rules, NULL, way, a, error);
}

clump_status clump_assign_given(const clump_topology *t, const clump_topology_rules *rules,
                                const size_t *nics, clump_assignment *a, clump_error *error)
{
    for (size_t p = 0; p < t->processor_count; p++)
        if (nics[p] >= t->nic_count)
            return clump_fail(error, CLUMP_BAD_ARGUMENT,
                              "processor %zu is given NIC %zu, expected 0 to %zu", p, nics[p],
                              t->nic_count - 1);
    return assign(t, rules, nics, CLUMP_ASSIGN_WAYS, a, error);
}
