/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_exchange.h"

#include "model/random.h"
#include "model/simulation/schedule_builder.h"
#include "scenarios/recorded/recorded_chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of steps and of messages a step may be off by this much: the first and the last step, and what is sent now and then. */
static const double tolerance = 0.1;

/* Messages to a partner in a step; steps that are played, and those of them that are left out where a run has more; operations of all. */
enum { MOST_MESSAGES = 16, MOST_STEPS = 40, LEAD_STEPS = 10, MOST_OPERATIONS = 100000 };

/* Places among the messages of ranks, of all ranks. */
static const double most_places = 2e7;

/* ---- which */

/* Steps of a rank: the same for all, or else they do not go in step. 0: they do not. */
static double steps_of_all(const clump_facts *facts, const clump_chain_link *all, size_t count,
                           double *steps)
{
    double least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < facts->step_count; i++)
        steps[facts->steps[i].rank] += (double)facts->steps[i].steps;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, fmin(steps[all[i].from], steps[all[i].to]));
        most = fmax(most, fmax(steps[all[i].from], steps[all[i].to]));
    }
    return count > 0 && most - least <= tolerance * most ? most : 0;
}

/* In each step so many messages on each link, the same number in all. */
static bool goes_in_step(const clump_chain_link *all, size_t count, double steps,
                         clump_exchanging_link *links)
{
    for (size_t i = 0; i < count; i++) {
        const clump_chain_link *l = &all[i];
        const double each = l->messages / steps, whole = floor(each + 0.5);
        if (whole < 1 || whole > MOST_MESSAGES || !(l->bytes < 0x1p53) ||
            fabs(each - whole) > tolerance * whole)
            return false;
        links[i] =
            (clump_exchanging_link){l->from, l->to, (size_t)whole, l->bytes / l->messages, 0};
    }
    return true;
}

/* ---- in which order */

static int by_offset(const void *a, const void *b)
{
    const clump_exchanging_link *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static int by_place(const void *a, const void *b)
{
    const clump_exchanging_link *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Programs send to one side after the other, so that a rank hears from one partner at a time: partners get the first place in which neither of
 * both has another one (a colouring of the links). False without memory. */
static bool put_in_order(clump_exchanging_link *links, size_t count, size_t ranks)
{
    size_t *sent = calloc(2 * ranks, sizeof *sent), most = 1;
    if (sent == NULL)
        return false;
    size_t *received = sent + ranks;
    for (size_t i = 0; i < count; i++) {
        links[i].place = (links[i].to + ranks - links[i].from) % ranks;
        most = ++sent[links[i].from] > most ? sent[links[i].from] : most;
        most = ++received[links[i].to] > most ? received[links[i].to] : most;
    }
    free(sent);
    const size_t places = 2 * most; /* those of both are fewer */
    if ((double)places * (double)ranks > most_places)
        return true; /* by their numbers, then */
    unsigned char *taken = calloc(2 * ranks, places);
    if (taken == NULL)
        return false;
    qsort(links, count, sizeof *links, by_offset);
    for (size_t i = 0; i < count; i++) {
        unsigned char *from = taken + links[i].from * places,
                      *to = taken + (ranks + links[i].to) * places;
        size_t k = 0;
        while (from[k] || to[k])
            k++;
        from[k] = to[k] = 1;
        links[i].place = k;
    }
    free(taken);
    qsort(links, count, sizeof *links, by_place);
    return true;
}

static void make_rows(const clump_facts *facts, const double *scale, const double *steps,
                      clump_exchanging_row *rows, size_t *first, double *computing)
{
    const size_t R = facts->rank_count;
    for (size_t i = 0; i < facts->step_count; i++)
        first[facts->steps[i].rank + 1]++;
    for (size_t r = 0; r < R; r++)
        first[r + 1] += first[r];
    for (size_t i = facts->step_count; i-- > 0;) { /* first[] are counted down, and then moved */
        const clump_facts_step *s = &facts->steps[i];
        const size_t r = (size_t)s->rank;
        const double number = (double)s->steps, us = number > 0 ? 1e6 * scale[r] / number : 0;
        rows[--first[r + 1]] =
            (clump_exchanging_row){number / steps[r], us * s->before, us * s->after};
        computing[r] += 1e6 * scale[r] * (s->before + s->after);
    }
    for (size_t r = 0; r < R; r++)
        first[r] = first[r + 1];
    first[R] = facts->step_count;
}

/* ---- how long */

/* The rows that the steps of a rank have, as often as they come on average, up to chance. Ranks draw by themselves, or all the same. */
static void draw(const clump_exchanging *e, size_t rank, bool alike, size_t steps, double *before,
                 double *after)
{
    const clump_exchanging_row *rows = e->rows + e->first[rank];
    const size_t count = e->first[rank + 1] - e->first[rank];
    double mean = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        mean += rows[i].share * (rows[i].before + rows[i].after);
    for (size_t k = 0; k < steps; k++) {
        double u = clump_random_uniform(0, alike ? e->ranks : rank, k);
        size_t i = 0;
        while (i + 1 < count && u >= rows[i].share)
            u -= rows[i++].share;
        before[k] = count > 0 ? rows[i].before : 0;
        after[k] = count > 0 ? rows[i].after : 0;
        sum += before[k] + after[k];
    }
    const double factor = sum > 0 ? mean * (double)steps / sum : 0;
    for (size_t k = 0; k < steps; k++) {
        before[k] *= factor;
        after[k] *= factor;
    }
}

typedef struct playing {
    const clump_exchanging *exchange;
    const clump_cluster *machine;
    const clump_schedule_rules *rules;
    double penalty;
    size_t *come, *first_come; /* numbers of the links to each rank, one after the other */
    size_t *first_gone;        /* the links of each rank, which are sorted by it */
    double *before, *after;
    double busy_us; /* of NICs in a step, over all NICs on average */
} playing;

static uint64_t nanoseconds(double us)
{
    return us > 0 ? (uint64_t)fmin(floor(1000 * us + 0.5), 0x1p60) : 0;
}

static void add_rank(const playing *p, clump_schedule_builder *b, uint32_t r, size_t from,
                     size_t steps)
{
    const clump_exchanging *e = p->exchange;
    uint32_t chain = UINT32_MAX; /* the end of the step before */
    for (size_t k = from; k < from + steps; k++) {
        const uint32_t start =
            clump_schedule_add_calc(b, r, 0, 0, nanoseconds(p->penalty * p->before[k]));
        if (chain != UINT32_MAX)
            clump_schedule_require(b, start, chain);
        chain = start;
        for (size_t i = p->first_gone[r]; i < p->first_gone[r + 1]; i++)
            for (size_t n = 0; n < e->links[i].messages; n++) {
                const uint32_t sent = clump_schedule_add_send(b, r, 0, 0, (uint32_t)e->links[i].to,
                                                              0, (uint64_t)e->links[i].bytes);
                clump_schedule_require(b, sent, chain);
                chain = sent;
            }
        if (p->after[k] > 0) {
            const uint32_t beside =
                clump_schedule_add_calc(b, r, 0, 0, nanoseconds(p->penalty * p->after[k]));
            clump_schedule_require(b, beside, chain);
            chain = beside;
        }
        const uint32_t before = chain;
        uint32_t first = UINT32_MAX, last = 0;
        for (size_t i = p->first_come[r]; i < p->first_come[r + 1]; i++) {
            const clump_exchanging_link *l = &e->links[p->come[i]];
            for (size_t n = 0; n < l->messages; n++) {
                last = clump_schedule_add_receive(b, r, 0, 0, (uint32_t)l->from, 0,
                                                  (uint64_t)l->bytes);
                clump_schedule_require(b, last, before);
                first = first == UINT32_MAX ? last : first;
            }
        }
        if (first == UINT32_MAX)
            continue;
        chain = clump_schedule_add_calc(b, r, 0, 0, 0);
        for (uint32_t o = first; o <= last; o++)
            clump_schedule_require(b, chain, o);
    }
}

/* Until the last rank has done so many steps, of the `drawn` ones those from `first` on, us. */
static clump_status play(playing *p, bool alike, size_t drawn, size_t from, size_t steps,
                         double *us, clump_error *error)
{
    const clump_exchanging *e = p->exchange;
    clump_schedule_builder *builder;
    clump_schedule *schedule;
    clump_schedule_result result;
    clump_status status = clump_schedule_builder_make(e->ranks, &builder, error);
    if (status != CLUMP_OK)
        return status;
    for (size_t r = 0; r < e->ranks; r++) {
        draw(e, r, alike, drawn, p->before, p->after);
        if (p->first_gone[r + 1] > p->first_gone[r] || p->first_come[r + 1] > p->first_come[r])
            add_rank(p, builder, (uint32_t)r, from, steps);
    }
    status = clump_schedule_builder_finish(builder, &schedule, NULL, error);
    if (status != CLUMP_OK)
        return status;
    status = clump_schedule_run(schedule, p->machine, p->rules, &result, error);
    clump_schedule_free(schedule);
    *us = result.time_us;
    p->busy_us = *us * fmax(result.nic_utilization, result.receive_utilization) / (double)steps;
    return status;
}

/* A run: the mean of as many as are played; where it is longer than what is played, it goes on as the last steps of that. */
static clump_status play_run(playing *p, bool alike, double *us, clump_error *error)
{
    const clump_exchanging *e = p->exchange;
    const size_t played = (size_t)e->played, steps = (size_t)floor(e->steps + 0.5);
    double one, lead = 0;
    *us = 0;
    if (steps > played) {
        clump_status status = play(p, alike, played, 0, played, us, error);
        if (status == CLUMP_OK)
            status = play(p, alike, played, 0, LEAD_STEPS, &lead, error);
        *us += (e->steps - e->played) * (*us - lead) / (double)(played - LEAD_STEPS);
        return status;
    }
    const size_t runs = played / steps;
    for (size_t i = 0; i < runs; i++) {
        const clump_status status = play(p, alike, runs * steps, i * steps, steps, &one, error);
        if (status != CLUMP_OK)
            return status;
        *us += one / (double)runs * e->steps / (double)steps;
    }
    return CLUMP_OK;
}

static bool has_classes(const clump_exchanging *e)
{
    for (size_t r = 0; r < e->ranks; r++)
        if (e->first[r + 1] > e->first[r] + 1)
            return true;
    return false;
}

static const clump_loggp nothing = {.latency_us = 1e-6, .gap_us = 1e-6, .gap_us_per_byte = 1e-9};

/* False without memory; the caller frees `before` and `come` in any case. */
static bool make_lists(playing *p)
{
    const clump_exchanging *e = p->exchange;
    const size_t R = e->ranks;
    p->come = calloc(e->link_count + 2 * R + 4, sizeof *p->come);
    p->before = malloc(2 * MOST_STEPS * sizeof *p->before);
    if (p->come == NULL || p->before == NULL)
        return false;
    p->after = p->before + MOST_STEPS;
    p->first_come = p->come + e->link_count;
    p->first_gone = p->first_come + R + 2;
    for (size_t i = 0; i < e->link_count; i++) {
        p->first_come[e->links[i].to + 2]++;
        p->first_gone[e->links[i].from + 1]++;
    }
    for (size_t r = 0; r < R; r++) {
        p->first_come[r + 2] += p->first_come[r + 1];
        p->first_gone[r + 1] += p->first_gone[r];
    }
    for (size_t i = 0; i < e->link_count; i++)
        p->come[p->first_come[e->links[i].to + 1]++] = i;
    return true;
}

/* Ranks that draw by themselves wait for each other; those that draw the same do not. How many of them do is told by what was waited. */
static clump_status find_share_alike(clump_exchanging *e, clump_error *error)
{
    const clump_schedule_rules rules = CLUMP_SCHEDULE_RULES_DEFAULTS;
    const clump_cluster free_of_charge = {.nodes = e->ranks,
                                          .processors = 1,
                                          .nics = 1,
                                          .network = nothing,
                                          .shared_memory = nothing,
                                          .memory_penalty = 1};
    playing p = {.exchange = e, .machine = &free_of_charge, .rules = &rules, .penalty = 1};
    double alike = 0, apart = 0, computing = 0, ranks = 0;
    clump_status status = make_lists(&p) ? play_run(&p, false, &apart, error)
                                         : clump_fail_memory(error, "the exchanges of a recording");
    alike = apart;
    if (status == CLUMP_OK && has_classes(e))
        status = play_run(&p, true, &alike, error);
    for (size_t r = 0; status == CLUMP_OK && r < e->ranks; r++)
        if (p.first_gone[r + 1] > p.first_gone[r]) {
            ranks++;
            computing += e->computing_us[r] / e->runs;
        }
    free(p.before);
    free(p.come);
    computing /= fmax(ranks, 1);
    const double waited = e->late_us * e->steps, least = fmax(alike - computing, 0),
                 most = fmax(apart - computing, least);
    e->share_alike = !has_classes(e) ? 0
                     : most > least  ? fmin(fmax((most - waited) / (most - least), 0), 1)
                                     : 1;
    e->rest_us = fmax(waited - most, 0);
    return status;
}

clump_status clump_exchanging_find(const clump_facts *facts, const double *scale,
                                   const double *late_us, clump_arena *arena,
                                   const clump_exchanging **exchange, clump_error *error)
{
    const size_t R = facts->rank_count;
    *exchange = NULL;
    if (facts->step_count == 0 || !clump_chain_is_traced(facts))
        return CLUMP_OK;
    clump_exchanging *found = clump_arena_take(arena, sizeof *found);
    clump_exchanging_link *links =
        clump_arena_take(arena, (facts->traffic_count + 1) * sizeof *links);
    clump_exchanging_row *rows = clump_arena_take(arena, facts->step_count * sizeof *rows);
    size_t *first = clump_arena_take(arena, (R + 2) * sizeof *first);
    double *computing = clump_arena_take(arena, R * sizeof *computing);
    clump_chain_link *all = calloc(facts->traffic_count + 1, sizeof *all);
    double *steps = calloc(R, sizeof *steps);
    if (found == NULL || links == NULL || rows == NULL || first == NULL || computing == NULL ||
        all == NULL || steps == NULL) {
        free(all);
        free(steps);
        return clump_fail_memory(error, "the exchanges of a recording");
    }
    double operations = 2 * (double)R, late = 0;
    const size_t count = clump_chain_links(facts, all);
    const double number = steps_of_all(facts, all, count, steps), runs = clump_chain_runs(facts);
    if (number > 0 && goes_in_step(all, count, number, links)) {
        for (size_t i = 0; i < count; i++)
            operations += 2 * (double)links[i].messages;
        const double played = fmin(MOST_STEPS, floor(MOST_OPERATIONS / operations));
        memset(first, 0, (R + 2) * sizeof *first);
        for (size_t r = 0; r < R; r++) {
            computing[r] = 0;
            late += late_us[r] / (double)R;
        }
        make_rows(facts, scale, steps, rows, first, computing);
        *found = (clump_exchanging){.ranks = R,
                                    .rows = rows,
                                    .first = first,
                                    .links = links,
                                    .link_count = count,
                                    .runs = runs,
                                    .steps = fmax(number / runs, 1),
                                    .computing_us = computing,
                                    .late_us = late / number,
                                    .played = played};
        if (played >= fmin(floor(found->steps + 0.5), 2.0 * LEAD_STEPS))
            *exchange = found;
    }
    free(all);
    free(steps);
    if (*exchange == NULL)
        return CLUMP_OK;
    return put_in_order(links, count, R) ? find_share_alike(found, error)
                                         : clump_fail_memory(error, "the exchanges of a recording");
}

clump_status clump_exchanging_play(const clump_exchanging *e, const clump_together_machine *m,
                                   double penalty, clump_together_time *time, clump_error *error)
{
    clump_schedule_rules rules;
    const clump_cluster machine = clump_together_cluster(m, e->ranks, &rules);
    playing p = {.exchange = e, .machine = &machine, .rules = &rules, .penalty = penalty};
    double alike = 0, apart = 0;
    const double share = e->share_alike;
    clump_status status =
        make_lists(&p) ? CLUMP_OK : clump_fail_memory(error, "the exchanges of a recording");
    *time = (clump_together_time){0, 0};
    if (status == CLUMP_OK && share < 1)
        status = play_run(&p, false, &apart, error);
    if (status == CLUMP_OK && share > 0)
        status = play_run(&p, true, &alike, error);
    if (status == CLUMP_OK) {
        time->us = e->runs * ((1 - share) * apart + share * alike + e->rest_us);
        time->nic_utilization =
            time->us > 0 ? fmin(e->runs * e->steps * p.busy_us / time->us, 1) : 0;
    }
    free(p.before);
    free(p.come);
    return status;
}
