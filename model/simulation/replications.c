/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/simulation/replications.h"

#include <gsl/gsl_cdf.h>
#include <omp.h>

#include <math.h>
#include <stdlib.h>

static size_t replications_for(size_t processors)
{
    return processors > 100000 ? 8 : processors > 10000 ? 16 : 32;
}

clump_status simulation_options_check(const clump_simulation_options *o, clump_error *error)
{
    if (!(o->precision >= 1e-6 && o->precision <= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "precision: %g, expected 1e-6 to 1",
                          o->precision);
    if (!(o->confidence >= 0.5 && o->confidence <= 0.999999))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "confidence: %g, expected 0.5 to 0.999999",
                          o->confidence);
    if (!(o->most_events >= 1))
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "events: %g, expected at least 1",
                          o->most_events);
    if (o->threads < 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "threads: %d, expected 0 or more", o->threads);
    const clump_status status =
        clump_service_time_check(&o->computation, "computation times", error);
    return status != CLUMP_OK
               ? status
               : clump_service_time_check(&o->communication, "communication times", error);
}

static clump_status check_load(const clump_node *node, const clump_load *load, clump_error *error)
{
    const size_t count = load->utilization_count;
    if (node->processors > CLUMP_SIMULATION_MOST_PROCESSORS)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "processors: %zu, expected %zu at most in a simulation", node->processors,
                          CLUMP_SIMULATION_MOST_PROCESSORS);
    if (load->utilizations == NULL || (count != 1 && count != node->processors))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "utilization: %zu values, expected 1 or one for each of the %zu "
                          "processors",
                          load->utilizations != NULL ? count : 0, node->processors);
    switch (load->demand) { /* without default: the compiler asks about a new kind */
    case CLUMP_DEMAND_INDEPENDENT:
    case CLUMP_DEMAND_CORRELATED:
    case CLUMP_DEMAND_GANG:
        break;
    case CLUMP_DEMAND_SCHEDULED:
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "scheduled demand is the best of all schedules and is not simulated; "
                          "expected independent, correlated or gang demand");
    }
    if (load->demand < CLUMP_DEMAND_INDEPENDENT || load->demand > CLUMP_DEMAND_GANG)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "demand: %d is not a kind of demand",
                          (int)load->demand);
    if (load->demand == CLUMP_DEMAND_GANG &&
        (count != 1 || !(load->gang_size >= 1 && load->gang_size <= (double)node->processors)))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "gang size: %g, expected 1 to the %zu processors of a node, and one "
                          "utilization for all of them",
                          load->gang_size, node->processors);
    if (load->phase_cycles != 0 && (load->demand != CLUMP_DEMAND_INDEPENDENT || count != 1 ||
                                    !(load->phase_cycles >= 1e-6 && load->phase_cycles <= 1e9)))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "phase length: %g cycles; a transient needs 1e-6 to 1e9 of them, "
                          "independent demand, and one utilization for all processors",
                          load->phase_cycles);
    return CLUMP_OK;
}

/* U_adj and k of every processor, or of all. */
static clump_status apply_coupling(simulation_run *run, clump_error *error)
{
    const clump_load *load = run->load;
    const bool near = model_node_is_near(run->node);
    const size_t count = near ? load->utilization_count : run->node->processors;
    bool equal = true;
    run->adjusted = malloc(count * sizeof *run->adjusted);
    run->factor = malloc(count * sizeof *run->factor);
    if (run->adjusted == NULL || run->factor == NULL)
        return clump_fail_memory(error, "the simulation");
    for (size_t i = 0; i < count; i++) {
        const double given = load->utilizations[load->utilization_count > 1 ? i : 0];
        const clump_status status =
            clump_coupling_apply(&load->coupling, given, &run->adjusted[i], &run->factor[i], error);
        if (status != CLUMP_OK)
            return status;
    }
    model_apply_placement(run->node, count, run->adjusted, run->factor, NULL);
    for (size_t i = 1; i < count; i++)
        equal = equal && run->adjusted[i] == run->adjusted[0] && run->factor[i] == run->factor[0];
    run->distinct = load->utilization_count > 1 || !equal;
    if (run->distinct && (load->demand == CLUMP_DEMAND_GANG || load->phase_cycles != 0))
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "placement: not all processors are equally near to the NICs, expected "
                          "independent (in equilibrium) or correlated demand");
    return CLUMP_OK;
}

/* Where nothing is random it matters how long cycles are beside each other. */
static clump_status set_lengths(simulation_run *run, clump_error *error)
{
    const clump_simulation_options *o = run->options;
    double longest = 0;
    if (!run->distinct || run->load->demand != CLUMP_DEMAND_INDEPENDENT ||
        o->computation.kind != CLUMP_SERVICE_CONSTANT ||
        o->communication.kind != CLUMP_SERVICE_CONSTANT)
        return CLUMP_OK;
    run->lengths = malloc(run->node->processors * sizeof *run->lengths);
    if (run->lengths == NULL)
        return clump_fail_memory(error, "the simulation");
    for (size_t p = 0; p < run->node->processors; p++)
        longest = fmax(longest, run->factor[p]);
    for (size_t p = 0; p < run->node->processors; p++)
        run->lengths[p] = run->factor[p] / longest;
    return CLUMP_OK;
}

/* How many processors move together, in groups of this size. */
static clump_status set_gang(const simulation_run *run, simulation_part *part, clump_error *error)
{
    const size_t n = part->groups.processors;
    part->gang = 1;
    part->customers = n;
    if (run->load->demand != CLUMP_DEMAND_GANG || n == 0)
        return CLUMP_OK;
    const double s = fmin(run->load->gang_size, (double)n), gangs = (double)n / s;
    if (fabs(gangs - rint(gangs)) > 1e-9 * gangs)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "gang size: %g does not divide the %zu processors that share NICs; a "
                          "simulation needs whole gangs",
                          s, n);
    part->customers = (size_t)rint(gangs);
    part->gang = (double)n / (double)part->customers;
    return CLUMP_OK;
}

static clump_status make_parts(simulation_run *run, clump_error *error)
{
    model_groups g = {.first = 0};
    size_t count = 0;
    for (size_t next = 0; model_node_next_groups(run->node, &next, &g);)
        count++;
    run->parts = calloc(count, sizeof *run->parts);
    if (run->parts == NULL)
        return clump_fail_memory(error, "the simulation");
    g = (model_groups){.first = 0};
    for (size_t next = 0; model_node_next_groups(run->node, &next, &g);) {
        simulation_part *part = &run->parts[run->part_count];
        part->groups = g;
        if (g.processors == 0)
            continue;
        clump_status status = set_gang(run, part, error);
        clump_station station = model_node_station(run->node, &g);
        station.gang_size = part->gang;
        if (status == CLUMP_OK)
            status = clump_station_check(&station, part->customers, error);
        if (status != CLUMP_OK)
            return status;
        part->rates = malloc((part->customers + 1) * sizeof *part->rates);
        if (part->rates == NULL)
            return clump_fail_memory(error, "the service rates");
        part->rates[0] = (simulation_rate){0, 0, 0};
        for (size_t q = 1; q <= part->customers; q++)
            part->rates[q] = simulation_rate_of(clump_station_rate(&station, q), q);
        part->account = run->account_count;
        part->station = run->group_count;
        run->account_count += run->distinct ? g.count * g.processors : 1;
        run->group_count += g.count;
        run->part_count++;
    }
    return CLUMP_OK;
}

static clump_status check_memory(const simulation_run *run, clump_error *error)
{
    for (size_t i = 1; i < run->part_count; i++)
        if (run->parts[i].gang != run->parts[0].gang)
            return clump_fail(
                error, CLUMP_BAD_ARGUMENT,
                "gangs: of %g and of %g processors that share memory, expected groups of "
                "one size (or pooled NICs)",
                run->parts[0].gang, run->parts[i].gang);
    if (run->load->phase_cycles != 0 && run->group_count > 1)
        return clump_fail(error, CLUMP_BAD_ARGUMENT,
                          "phase length: processors that are tied to NICs and share memory have no "
                          "transient here, expected pooled NICs or equilibrium (phase length 0)");
    return CLUMP_OK;
}

static clump_status make_nu(simulation_run *run, clump_error *error)
{
    const clump_load *load = run->load;
    const size_t P = run->node->processors;
    run->nu = malloc((P + 1) * sizeof *run->nu);
    if (run->nu == NULL)
        return clump_fail_memory(error, "the memory");
    const double waiting =
        clump_coupling_waiting(&load->coupling, load->utilizations, load->utilization_count);
    return clump_memory_rates(&run->node->memory, waiting, P, run->nu, error);
}

/* Memory is that of the whole node: who computes where, and at what rates. */
static clump_status make_memory(simulation_run *run, clump_error *error)
{
    if (!clump_memory_is_station(&run->node->memory))
        return CLUMP_OK;
    clump_status status = check_memory(run, error);
    if (status == CLUMP_OK)
        status = make_nu(run, error);
    if (status != CLUMP_OK)
        return status;
    const size_t customers = (size_t)simulation_run_customers(run, false);
    const clump_station station = {.nics = 1,
                                   .gang_size = run->parts[0].gang,
                                   .computing = run->nu,
                                   .computing_count = run->node->processors + 1};
    run->memory = malloc((customers + 1) * sizeof *run->memory);
    run->home = malloc(customers * sizeof *run->home);
    if (run->memory == NULL || run->home == NULL)
        return clump_fail_memory(error, "the memory");
    run->memory[0] = (simulation_rate){0, 0, 0};
    for (size_t k = 1; k <= customers; k++)
        run->memory[k] = simulation_rate_of(clump_station_computing(&station, k), k);
    for (size_t i = 0, id = 0; i < run->part_count; i++)
        for (size_t g = 0; g < run->parts[i].groups.count; g++)
            for (size_t k = 0; k < run->parts[i].customers; k++)
                run->home[id++] = (uint32_t)(run->parts[i].station + g);
    return CLUMP_OK;
}

/* What runs together: all stations, or each by itself. */
static clump_status make_setups(simulation_run *run, clump_error *error)
{
    const bool together = run->memory != NULL;
    run->sharing_count = together ? 1 : run->group_count;
    run->setups = malloc(run->sharing_count * sizeof *run->setups);
    run->station_rates = malloc(run->group_count * sizeof *run->station_rates);
    if (run->setups == NULL || run->station_rates == NULL)
        return clump_fail_memory(error, "the stations");
    for (size_t i = 0; i < run->part_count; i++)
        for (size_t g = 0; g < run->parts[i].groups.count; g++) {
            const simulation_part *part = &run->parts[i];
            const size_t station = part->station + g;
            const size_t first =
                run->distinct && !together ? part->account + g * part->customers : 0;
            run->station_rates[station] = part->rates;
            run->setups[together ? 0 : station] = (simulation_sharing_setup){
                .customers =
                    together ? (size_t)simulation_run_customers(run, false) : part->customers,
                .stations = together ? run->group_count : 1,
                .memory = run->memory,
                .home = run->home,
                .rates = run->station_rates + (together ? 0 : station),
                .utilizations = run->adjusted + first,
                .lengths = run->lengths != NULL ? run->lengths + first : NULL,
                .distinct = run->distinct,
                .computation = &run->computation,
                .communication = &run->communication,
                .spread = run->options->spread_start,
                .watch = run->node->watch,
            };
        }
    return CLUMP_OK;
}

static bool make_replication(simulation_run *run, simulation_replication *r, size_t number)
{
    const size_t accounts = run->account_count;
    r->stations = calloc(run->group_count, sizeof *r->stations);
    r->sharings = calloc(run->sharing_count, sizeof *r->sharings);
    r->base = calloc(5 * accounts + SIMULATION_PILOT, sizeof(double));
    bool made = r->stations != NULL && r->sharings != NULL && r->base != NULL;
    if (!made)
        return false;
    r->work = r->base + accounts;
    r->time = r->work + accounts;
    r->speed = r->time + accounts;
    r->pilot = r->speed + 2 * accounts;
    double *drawn = r->speed + accounts;
    for (size_t i = 0; i < run->part_count; i++)
        for (size_t g = 0; g < run->parts[i].groups.count && made; g++)
            made = simulation_heap_make(&r->stations[run->parts[i].station + g].active,
                                        run->parts[i].customers);
    for (size_t i = 0; i < run->sharing_count && made; i++) {
        const simulation_sharing_setup *setup = &run->setups[i];
        simulation_sharing *s = &r->sharings[i];
        s->stations = r->stations + i;
        s->drawn = run->distinct ? drawn + (setup->utilizations - run->adjusted) : NULL;
        made = simulation_heap_make(&s->computing, setup->customers);
    }
    simulation_random_start(&r->random, run->options->seed, run->options->stream * 64 + number);
    return made;
}

static void release_replication(const simulation_run *run, simulation_replication *r)
{
    for (size_t i = 0; r->stations != NULL && i < run->group_count; i++)
        simulation_heap_release(&r->stations[i].active);
    for (size_t i = 0; r->sharings != NULL && i < run->sharing_count; i++)
        simulation_heap_release(&r->sharings[i].computing);
    free(r->stations);
    free(r->sharings);
    free(r->arrivals);
    free(r->ends);
    free(r->base);
}

static clump_status make_replications(simulation_run *run, clump_error *error)
{
    run->replication_count = replications_for(run->node->processors);
    run->replications = calloc(run->replication_count, sizeof *run->replications);
    run->slowdowns = calloc(2 * run->account_count, sizeof *run->slowdowns);
    bool done = run->replications != NULL && run->slowdowns != NULL;
    if (done)
        run->half_widths = run->slowdowns + run->account_count;
    for (size_t i = 0; done && i < run->replication_count; i++)
        done = make_replication(run, &run->replications[i], i);
    return done ? CLUMP_OK : clump_fail_memory(error, "the replications");
}

clump_status simulation_run_prepare(simulation_run *run, clump_error *error)
{
    clump_status status = model_node_check(run->node, error);
    if (status == CLUMP_OK)
        status = check_load(run->node, run->load, error);
    if (status == CLUMP_OK)
        status = simulation_options_check(run->options, error);
    if (status == CLUMP_OK)
        status = apply_coupling(run, error);
    if (status == CLUMP_OK)
        status = set_lengths(run, error);
    if (status != CLUMP_OK)
        return status;
    simulation_ziggurat_make(&run->ziggurat);
    simulation_sampler_make(&run->computation, &run->options->computation, &run->ziggurat);
    simulation_sampler_make(&run->communication, &run->options->communication, &run->ziggurat);
    status = make_parts(run, error);
    if (status == CLUMP_OK)
        status = make_memory(run, error);
    if (status == CLUMP_OK)
        status = make_setups(run, error);
    if (status == CLUMP_OK)
        status = make_replications(run, error);
    if (status != CLUMP_OK)
        return status;
    const int most = run->options->threads > 0 ? run->options->threads : omp_get_max_threads();
    run->threads = (size_t)most < run->replication_count ? most : (int)run->replication_count;
    run->quantile =
        gsl_cdf_tdist_Pinv((1 + run->options->confidence) / 2, (double)run->replication_count - 1);
    return CLUMP_OK;
}

void simulation_run_release(simulation_run *run)
{
    for (size_t i = 0; run->replications != NULL && i < run->replication_count; i++)
        release_replication(run, &run->replications[i]);
    for (size_t i = 0; i < run->part_count; i++)
        free(run->parts[i].rates);
    free(run->replications);
    free(run->slowdowns);
    free(run->parts);
    free(run->adjusted);
    free(run->factor);
    free(run->lengths);
    free(run->order);
    free(run->memory);
    free(run->nu);
    free(run->senders);
    free(run->home);
    free(run->station_rates);
    free(run->setups);
}

double simulation_run_work(const simulation_run *run, const simulation_station *station,
                           size_t customers)
{
    return run->memory != NULL
               ? station->computed + station->served
               : (double)customers * station->time - station->active_time + station->served;
}

/* ---- From work and time of the replications to slowdowns.
 *
 * With w the mean, over the replications, of work per time of a processor, X = 1/w. With accounts a
 * of n_a processors and factors k_a, X = sum n_a k_a X_a/P is a smooth function of the means, and
 * its interval that of the mean of its linearization (the delta method), by Student's t with as
 * many degrees of freedom as there are replications less one. All replications take the same time,
 * so that the bias of 1/w falls like 1/time.
 *
 * In a transient w is the work done at a moment `reach` close to T', and T' = reach + (T - w)/r to
 * first order, r the work done per time at that moment.
 */

double simulation_run_weight(const simulation_run *run, size_t account)
{
    if (run->distinct)
        return 1;
    const model_groups *g = &simulation_run_part(run, account)->groups;
    return (double)g->count * (double)g->processors;
}

/* Factor k of an account. */
static double factor_of(const simulation_run *run, size_t account)
{
    return run->factor[run->distinct ? account : 0];
}

const simulation_part *simulation_run_part(const simulation_run *run, size_t account)
{
    return &run->parts[run->distinct ? 0 : account];
}

double simulation_run_events(const simulation_run *run)
{
    double events = 0;
    for (size_t i = 0; i < run->replication_count; i++)
        events += (double)run->replications[i].events;
    return events;
}

static double work_per_time(const simulation_replication *r, size_t account)
{
    return r->time[account] > 0 ? r->work[account] / r->time[account] : 1;
}

typedef struct line {
    double value, slope; /* X of an account, and how it changes with w */
} line;

static line slowdown_of(const simulation_run *run, size_t account, double mean)
{
    const double T = run->load->phase_cycles;
    if (T == 0)
        return (line){1 / mean, -1 / (mean * mean)};
    const simulation_part *part = simulation_run_part(run, account);
    return (line){(part->reach + (T - mean) / part->speed) / T, -1 / (part->speed * T)};
}

/* Slowdowns with their intervals from work and time of all replications. */
static void estimate(simulation_run *run)
{
    const size_t n = run->replication_count;
    const double per_mean = run->quantile / sqrt((double)n * ((double)n - 1));
    double deviation[32] = {0}, sum = 0;
    for (size_t a = 0; a < run->account_count; a++) {
        const double k = factor_of(run, a);
        const double share = simulation_run_weight(run, a) / (double)run->node->processors;
        double mean = 0, squares = 0;
        for (size_t i = 0; i < n; i++)
            mean += work_per_time(&run->replications[i], a) / (double)n;
        const line X = slowdown_of(run, a, mean);
        for (size_t i = 0; i < n; i++) {
            const double d = k * X.slope * (work_per_time(&run->replications[i], a) - mean);
            squares += d * d;
            deviation[i] += share * d;
        }
        run->slowdowns[a] = k * X.value;
        run->half_widths[a] = per_mean * sqrt(squares);
        sum += share * run->slowdowns[a];
    }
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        squares += deviation[i] * deviation[i];
    run->slowdown = sum;
    run->half_width = per_mean * sqrt(squares);
    for (size_t a = 0; a < run->account_count && run->load->demand == CLUMP_DEMAND_CORRELATED; a++)
        if (a == 0 || run->slowdowns[a] > run->slowdown) { /* for whom all wait */
            run->slowdown = run->slowdowns[a];
            run->half_width = run->half_widths[a];
        }
}

double simulation_run_customers(const simulation_run *run, bool alike)
{
    double sum = 0;
    for (size_t i = 0; i < run->part_count; i++)
        sum += (double)run->parts[i].customers * (alike ? 1 : (double)run->parts[i].groups.count);
    return sum;
}

bool simulation_run_stopped(simulation_run *run)
{
    run->stopped = run->stopped || clump_watch_stops(run->node->watch, NAN);
    return run->stopped;
}

double simulation_run_allowed(simulation_run *run, double events, double least)
{
    const double share = run->options->most_events / events;
    run->cut = share < 1;
    run->starved = share < least;
    return fmin(share, 1);
}

double simulation_run_more(simulation_run *run, bool *reached)
{
    const clump_simulation_options *o = run->options;
    *reached = false;
    if (simulation_run_stopped(run))
        return 0;
    estimate(run);
    run->estimated = true;
    const double events = simulation_run_events(run);
    const double wanted = o->precision * run->slowdown;
    const double ratio = run->half_width / wanted;
    *reached = ratio <= 1 && !run->cut;
    if (o->progress != NULL) {
        const clump_simulation_progress progress = {
            .share = *reached ? 1 : fmax(1 / (ratio * ratio), events / o->most_events),
            .slowdown = run->slowdown,
            .half_width = run->half_width,
            .events = events,
        };
        o->progress(&progress, o->context);
    }
    if (*reached || run->cut || events >= o->most_events)
        return 0;
    /* Half as much again at least, four times as much at most: variances are estimates, too. */
    const double more = fmin(fmax(1.1 * ratio * ratio - 1, 0.5), 4);
    const double measured = fmax(events - run->measured_from, 1);
    return fmin(more, fmax((o->most_events - events) / measured, 1e-3));
}
