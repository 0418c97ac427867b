/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scenarios/recorded/recorded_chain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Links with fewer messages than this share of the busiest one's are not what the program is about. */
static const double least_share = 0.02;

/* Fewer steps between collective operations hide little. */
static const double least_steps = 4;

/* Links times ranks for which cycles are looked for. */
static const double most_work = 5e7;

/* ---- the chain */

static int by_pair(const void *a, const void *b)
{
    const clump_chain_link *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

size_t clump_chain_links(const clump_facts *facts, clump_chain_link *links)
{
    size_t count = 0, kept = 0;
    double most = 0;
    for (size_t i = 0; i < facts->traffic_count; i++) {
        const clump_facts_traffic *t = &facts->traffic[i];
        if (strcmp(t->kind, "point-to-point") == 0 && t->sender != t->receiver && t->messages > 0)
            links[count++] =
                (clump_chain_link){(size_t)t->sender, (size_t)t->receiver, t->messages, t->bytes};
    }
    if (count > 0)
        qsort(links, count, sizeof *links, by_pair);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && by_pair(&links[kept - 1], &links[i]) == 0) {
            links[kept - 1].messages += links[i].messages;
            links[kept - 1].bytes += links[i].bytes;
        } else {
            links[kept++] = links[i];
        }
        most = fmax(most, links[kept - 1].messages);
    }
    count = 0;
    for (size_t i = 0; i < kept; i++)
        if (links[i].messages >= least_share * most)
            links[count++] = links[i];
    return count;
}

static bool goes_one_way(const clump_chain_link *links, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const clump_chain_link back = {.from = links[i].to, .to = links[i].from};
        if (bsearch(&back, links, count, sizeof *links, by_pair) != NULL)
            return false;
    }
    return count > 0;
}

static bool is_blocking_collective(const char *kind)
{
    static const char *const kinds[] = {"barrier",   "broadcast", "reduce",         "allreduce",
                                        "gather",    "scatter",   "allgather",      "alltoall",
                                        "neighbour", "scan",      "reduce_scatter", "synchronize"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return false;
}

double clump_chain_runs(const clump_facts *facts)
{
    double calls = 0;
    for (size_t i = 0; i < facts->call_count; i++)
        if (is_blocking_collective(facts->calls[i].kind))
            calls += (double)facts->calls[i].calls;
    return 1 + calls / (double)facts->rank_count;
}

bool clump_chain_is_traced(const clump_facts *facts)
{
    for (size_t i = 0; i < facts->rank_count; i++)
        if (facts->ranks[i].traced < facts->ranks[i].calls)
            return false;
    return true;
}

static double steps_in(const clump_facts *facts)
{
    double steps = 0;
    for (size_t i = 0; i < facts->step_count; i++)
        steps += (double)facts->steps[i].steps;
    return steps / (double)facts->rank_count;
}

/* Rows of a rank share what it communicates by bytes; or by messages, or by steps if there are none. */
static double weight_of(const clump_facts_step *s, const double sums[3])
{
    return sums[0] > 0   ? s->bytes / sums[0]
           : sums[1] > 0 ? s->messages / sums[1]
                         : (double)s->steps / sums[2];
}

static void make_rows(const clump_facts *facts, const double *scale, const double (*sums)[3],
                      clump_chain_row *rows, size_t *first, double *computing)
{
    const size_t R = facts->rank_count;
    for (size_t i = 0; i < facts->step_count; i++)
        first[facts->steps[i].rank + 1]++;
    for (size_t r = 0; r < R; r++)
        first[r + 1] += first[r];
    for (size_t i = facts->step_count;
         i-- > 0;) { /* from the end: first[] are counted down to it */
        const clump_facts_step *s = &facts->steps[i];
        const size_t r = (size_t)s->rank;
        rows[--first[r + 1]] = (clump_chain_row){.steps = (double)s->steps,
                                                 .before = 1e6 * scale[r] * s->before,
                                                 .after = 1e6 * scale[r] * s->after,
                                                 .share = weight_of(s, sums[r])};
        computing[r] += 1e6 * scale[r] * (s->before + s->after);
    }
    for (size_t r = 0; r < R; r++) /* first[r + 1] is that of r now */
        first[r] = first[r + 1];
    first[R] = facts->step_count;
}

clump_status clump_chain_find(const clump_facts *facts, const double *scale, const double *late_us,
                              clump_arena *arena, const clump_chain **chain, clump_error *error)
{
    double late = HUGE_VAL;
    const size_t R = facts->rank_count;
    *chain = NULL;
    if (facts->step_count == 0 || !clump_chain_is_traced(facts))
        return CLUMP_OK;
    const double runs = clump_chain_runs(facts);
    if (steps_in(facts) < least_steps * runs)
        return CLUMP_OK;
    clump_chain *found = clump_arena_take(arena, sizeof *found);
    clump_chain_link *links = clump_arena_take(arena, (facts->traffic_count + 1) * sizeof *links);
    clump_chain_row *rows = clump_arena_take(arena, facts->step_count * sizeof *rows);
    size_t *first = clump_arena_take(arena, (R + 2) * sizeof *first);
    double *computing = clump_arena_take(arena, R * sizeof *computing);
    double(*sums)[3] = calloc(R, sizeof *sums);
    if (found == NULL || links == NULL || rows == NULL || first == NULL || computing == NULL ||
        sums == NULL) {
        free(sums);
        return clump_fail_memory(error, "the chains of a recording");
    }
    const size_t count = clump_chain_links(facts, links);
    if (goes_one_way(links, count)) {
        memset(first, 0, (R + 2) * sizeof *first);
        for (size_t r = 0; r < R; r++) {
            computing[r] = 0;
            late = fmin(late, late_us[r]);
        }
        for (size_t i = 0; i < facts->step_count; i++) {
            const clump_facts_step *s = &facts->steps[i];
            sums[s->rank][0] += s->bytes;
            sums[s->rank][1] += s->messages;
            sums[s->rank][2] += (double)s->steps;
        }
        make_rows(facts, scale, (const double(*)[3])sums, rows, first, computing);
        *found = (clump_chain){.ranks = R,
                               .rows = rows,
                               .first = first,
                               .links = links,
                               .link_count = count,
                               .runs = runs,
                               .computing_us = computing,
                               .late_us = late};
        *chain = found;
    }
    free(sums);
    return CLUMP_OK;
}

/* ---- on nodes */

/* Alone, from the begin of its send to the end of its receive. */
static double time_of(const clump_chain_link *l, const clump_loggp *p)
{
    return p->send_overhead_us + p->latency_us + p->receive_overhead_us +
           fmax(l->bytes / l->messages - 1, 0) * p->gap_us_per_byte;
}

static double occupancy_of(const clump_chain_link *l, const clump_loggp *p)
{
    return l->messages * p->gap_us + fmax(l->bytes - l->messages, 0) * p->gap_us_per_byte;
}

/* The greatest mean of a cycle of links (Karp, Discrete Mathematics 23, 1978); 0 where there is none, and what they take
 * at most where that would be too much work. */
static double longest_cycle(const clump_chain *c, const double *times, bool *cyclic, double *paths)
{
    const size_t R = c->ranks;
    double most = 0;
    for (size_t i = 0; i < c->link_count; i++)
        most = fmax(most, times[i]);
    *cyclic = true;
    if (paths == NULL)
        return most;
    for (size_t r = 0; r < R; r++) /* walks of 0 links, from anywhere */
        paths[r] = 0;
    for (size_t k = 1; k <= R; k++) {
        double *to = paths + k * R, *from = paths + (k - 1) * R;
        for (size_t r = 0; r < R; r++)
            to[r] = -HUGE_VAL;
        for (size_t i = 0; i < c->link_count; i++)
            to[c->links[i].to] = fmax(to[c->links[i].to], from[c->links[i].from] + times[i]);
    }
    double mean = -HUGE_VAL;
    for (size_t r = 0; r < R; r++) {
        double least = HUGE_VAL;
        for (size_t k = 0; k < R && isfinite(paths[R * R + r]); k++)
            if (isfinite(paths[k * R + r]))
                least = fmin(least, (paths[R * R + r] - paths[k * R + r]) / (double)(R - k));
        if (isfinite(least))
            mean = fmax(mean, least);
    }
    *cyclic = isfinite(mean);
    return *cyclic ? mean : 0;
}

/* The longest way through, with what each rank computes in a step on the way: of links without cycles. */
static double longest_path(const clump_chain *c, const double *times, const double *step_us,
                           double *at)
{
    double longest = 0;
    bool changed = true;
    for (size_t r = 0; r < c->ranks; r++)
        at[r] = 0;
    for (size_t round = 0; round < c->ranks && changed; round++) {
        changed = false;
        for (size_t i = 0; i < c->link_count; i++) {
            const clump_chain_link *l = &c->links[i];
            const double time = at[l->from] + step_us[l->from] + times[i];
            if (time > at[l->to]) {
                at[l->to] = time;
                longest = fmax(longest, time);
                changed = true;
            }
        }
    }
    return longest;
}

/* What it computes before a message; who only sends has one long step. */
static void find_steps(const clump_chain *c, double *sent, double *step_us)
{
    for (size_t r = 0; r < c->ranks; r++)
        sent[r] = step_us[r] = 0;
    for (size_t i = 0; i < c->link_count; i++)
        sent[c->links[i].from] += c->links[i].messages;
    for (size_t r = 0; r < c->ranks; r++) {
        double steps = sent[r], time = 0, own = 0;
        for (size_t i = c->first[r]; i < c->first[r + 1]; i++) {
            own += c->rows[i].steps;
            time += c->rows[i].before;
        }
        steps = fmax(steps, own);
        step_us[r] = steps > 0 ? time / steps : 0;
    }
}

static void add_loads(const clump_chain *c, size_t P, const clump_loggp *network,
                      const clump_loggp *shared_memory, bool half_duplex,
                      clump_chain_placed *placed, double *out, double *in, double *times)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < c->link_count; i++) {
        const clump_chain_link *l = &c->links[i];
        const bool remote = l->from / P != l->to / P;
        const clump_loggp *by = remote || shared_memory == NULL ? network : shared_memory;
        times[i] = time_of(l, by);
        placed->overhead_us[l->from] += l->messages * by->send_overhead_us;
        placed->overhead_us[l->to] += l->messages * by->receive_overhead_us;
        if (!remote)
            continue;
        out[l->from / P] += occupancy_of(l, network);
        in[l->to / P] += occupancy_of(l, network);
        placed->remote_links[l->from / P]++;
        placed->senders[l->from / P] += l->from != last; /* links are sorted by who sends */
        last = l->from;
    }
    for (size_t n = 0; n < placed->nodes; n++)
        placed->busy_us[n] = half_duplex ? out[n] + in[n] : fmax(out[n], in[n]);
}

clump_status clump_chain_renumber(const clump_chain *c, const uint32_t *place, clump_arena *arena,
                                  const clump_chain **renumbered, clump_error *error)
{
    const size_t R = c->ranks;
    clump_chain *other = clump_arena_take(arena, sizeof *other);
    clump_chain_row *rows = clump_arena_take(arena, (c->first[R] + 1) * sizeof *rows);
    size_t *first = clump_arena_take(arena, (R + 1) * sizeof *first);
    clump_chain_link *links = clump_arena_take(arena, (c->link_count + 1) * sizeof *links);
    double *computing = clump_arena_take(arena, (R + 1) * sizeof *computing);
    if (other == NULL || rows == NULL || first == NULL || links == NULL || computing == NULL)
        return clump_fail_memory(error, "the chains of a recording");
    first[0] = 0;
    for (size_t r = 0; r < R; r++) {
        first[place[r] + 1] = c->first[r + 1] - c->first[r];
        computing[place[r]] = c->computing_us[r];
    }
    for (size_t r = 0; r < R; r++)
        first[r + 1] += first[r];
    for (size_t r = 0; r < R; r++)
        for (size_t i = c->first[r]; i < c->first[r + 1]; i++)
            rows[first[place[r]] + i - c->first[r]] = c->rows[i];
    for (size_t i = 0; i < c->link_count; i++) {
        links[i] = c->links[i];
        links[i].from = place[links[i].from];
        links[i].to = place[links[i].to];
    }
    qsort(links, c->link_count, sizeof *links, by_pair);
    *other = *c;
    other->rows = rows;
    other->first = first;
    other->links = links;
    other->computing_us = computing;
    *renumbered = other;
    return CLUMP_OK;
}

clump_status clump_chain_place(const clump_chain *c, size_t processors, const clump_loggp *network,
                               const clump_loggp *shared_memory, bool half_duplex,
                               clump_arena *arena, clump_chain_placed *placed, clump_error *error)
{
    const size_t R = c->ranks, P = processors, nodes = (R + P - 1) / P;
    const bool searched = (double)R * (double)(c->link_count + R) <= most_work;
    double *lists = calloc(2 * nodes + c->link_count + 2 * R, sizeof *lists);
    double *paths = searched ? malloc((R + 1) * R * sizeof *paths) : NULL;
    *placed = (clump_chain_placed){
        .chain = c,
        .processors = P,
        .nodes = nodes,
        .busy_us = clump_arena_take(arena, nodes * sizeof(double)),
        .senders = clump_arena_take(arena, nodes * sizeof(size_t)),
        .remote_links = clump_arena_take(arena, nodes * sizeof(size_t)),
        .overhead_us = clump_arena_take(arena, R * sizeof(double)),
    };
    if (lists == NULL || (searched && paths == NULL) || placed->busy_us == NULL ||
        placed->senders == NULL || placed->remote_links == NULL || placed->overhead_us == NULL) {
        free(lists);
        free(paths);
        return clump_fail_memory(error, "the chains of a recording");
    }
    double *out = lists, *in = out + nodes, *times = in + nodes, *at = times + c->link_count,
           *step_us = at + R;
    for (size_t n = 0; n < nodes; n++)
        placed->senders[n] = placed->remote_links[n] = 0;
    for (size_t r = 0; r < R; r++)
        placed->overhead_us[r] = 0;
    find_steps(c, at, step_us);
    add_loads(c, P, network, shared_memory, half_duplex, placed, out, in, times);
    placed->link_us = longest_cycle(c, times, &placed->cyclic, paths);
    if (!placed->cyclic) {
        placed->fill_us = c->runs * longest_path(c, times, step_us, at);
    } else { /* a run does not end in the middle of a link */
        double most = 0;
        for (size_t i = 0; i < c->link_count; i++)
            most = fmax(most, times[i]);
        placed->fill_us = c->runs * (most - placed->link_us);
    }
    free(lists);
    free(paths);
    return CLUMP_OK;
}

static double steps_of(const clump_chain *c, size_t rank)
{
    double steps = 0;
    for (size_t i = c->first[rank]; i < c->first[rank + 1]; i++)
        steps += c->rows[i].steps;
    return fmax(steps, 1);
}

/* In the long run a step takes the greatest of what the NIC does for it, of the rank itself, and of the mean of a cycle. Who is
 * late in turns makes cycles longer, as computation does. */
double clump_chain_time_us(const clump_chain_placed *placed, double nics, double penalty)
{
    const clump_chain *c = placed->chain;
    double slowest = 0, cycle = 0;
    for (size_t r = 0; r < c->ranks; r++) {
        const double busy = placed->busy_us[r / placed->processors] / nics;
        const double link = placed->link_us + c->late_us / steps_of(c, r);
        double alone = 0, around = 0;
        for (size_t i = c->first[r]; i < c->first[r + 1]; i++) {
            const clump_chain_row *row = &c->rows[i];
            const double nic = row->share * busy, before = penalty * row->before;
            alone += fmax(nic, before + penalty * row->after + row->share * placed->overhead_us[r]);
            around += fmax(nic, before + row->steps * link);
        }
        slowest = fmax(slowest, alone);
        cycle += around / (double)c->ranks;
    }
    return (placed->cyclic ? fmax(slowest, cycle) : slowest) + placed->fill_us;
}
