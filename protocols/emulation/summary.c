/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/emulation/summary.h"

#include <math.h>
#include <stdlib.h>

size_t clump_emulation_warm_up(size_t cycles)
{
    return cycles / 10 < 2 ? 2 : cycles / 10;
}

/* ---- slowdown */

/* Processors `first` to `first`+`count`-1. */
typedef struct group {
    const clump_emulation_plan *plan;
    unsigned first, count;
} group;

/* Their time from the end of cycle `from`-1 to that of cycle `to`-1, us. */
static double time_of(const group *g, const clump_emulation_side *side, size_t from, size_t to)
{
    double ns = 0;
    for (unsigned p = g->first; p < g->first + g->count; p++) {
        const clump_emulation_record *r = side->records + p * g->plan->cycles;
        ns += (double)(r[to - 1].end_ns - (from > 0 ? r[from - 1].end_ns : 0));
    }
    return ns / 1000;
}

/* That in which they communicate, us. */
static double messages_of(const group *g, const clump_emulation_side *side, size_t from, size_t to)
{
    double ns = 0;
    for (unsigned p = g->first; p < g->first + g->count; p++) {
        const clump_emulation_record *r = side->records + p * g->plan->cycles;
        for (size_t i = from; i < to; i++)
            ns += (double)(r[i].end_ns - r[i].begin_ns);
    }
    return ns / 1000;
}

/*
 * X = sum T / sum T' over the batches, T on the Clump and T' on the NOW. Batches vary for two
 * reasons: because of who happened to meet whom, and because of how much there was to communicate.
 * The latter is no error of a slowdown at the utilization U = sum S / sum T' that the NOW had, and
 * is taken out by regression of T - X T' on S - U T', which both add up to 0.
 */
static void divide(const group *g, const clump_emulation_outcome *outcome, clump_emulation_ratio *r)
{
    enum { BATCHES = CLUMP_EMULATION_BATCHES };
    const size_t warm = clump_emulation_warm_up(g->plan->cycles), rest = g->plan->cycles - warm;
    double T[BATCHES], T_now[BATCHES], S[BATCHES], sum_T = 0, sum_now = 0, sum_S = 0;
    for (size_t b = 0; b < BATCHES; b++) {
        const size_t from = warm + b * rest / BATCHES, to = warm + (b + 1) * rest / BATCHES;
        const size_t count = (to - from) * g->count;
        sum_T += T[b] = time_of(g, &outcome->clump, from, to);
        sum_now += T_now[b] = time_of(g, &outcome->now, from, to);
        sum_S += S[b] = messages_of(g, &outcome->now, from, to);
        r->batch_cycles[b] = count;
        r->clump_us[b] = T[b] / (double)count;
        r->now_us[b] = T_now[b] / (double)count;
    }
    r->slowdown = sum_T / sum_now;
    r->utilization = sum_S / sum_now;
    double xx = 0, xy = 0, yy = 0;
    for (size_t b = 0; b < BATCHES; b++) {
        const double x = S[b] - r->utilization * T_now[b], y = T[b] - r->slowdown * T_now[b];
        xx += x * x;
        xy += x * y;
        yy += y * y;
    }
    /* All batches alike: what is left of x is the rounding of numbers. */
    const bool differ = xx > 1e-18 * sum_now * sum_now;
    const double squares = fmax(yy - (differ ? xy * xy / xx : 0), 0);
    r->standard_error = sqrt(squares * BATCHES / CLUMP_EMULATION_DEGREES) / sum_now;
}

/* ---- did the NICs set the pace? */

typedef struct span {
    int64_t begin, end;
} span;

static int compare(const void *a, const void *b)
{
    const int64_t x = ((const span *)a)->begin, y = ((const span *)b)->begin;
    return (x > y) - (x < y);
}

/* Time in which at least one of them lasts. */
static double united(span *spans, size_t count)
{
    double all = 0;
    int64_t until = INT64_MIN;
    qsort(spans, count, sizeof *spans, compare);
    for (size_t i = 0; i < count; i++) {
        const int64_t from = spans[i].begin > until ? spans[i].begin : until;
        if (spans[i].end <= from)
            continue;
        all += (double)(spans[i].end - from);
        until = spans[i].end;
    }
    return all;
}

/*
 * NICs that are used by the same processors: what those were to send over the time in which any of
 * them sent. Only until the first of the machine's processors has ended its last cycle.
 */
static void add_station(const clump_emulation_plan *plan, const clump_emulation_side *side,
                        unsigned first, unsigned count, int64_t until, span *spans, double *sent_ns,
                        double *busy_ns)
{
    size_t used = 0;
    for (unsigned p = first; p < first + count; p++)
        for (size_t i = p * plan->cycles; i < (p + 1) * plan->cycles; i++) {
            const clump_emulation_record *r = &side->records[i];
            const int64_t end = r->end_ns < until ? r->end_ns : until;
            if (r->begin_ns >= until || r->end_ns <= r->begin_ns)
                continue;
            spans[used++] = (span){r->begin_ns, end};
            *sent_ns += 1000 * plan->work[i].message_us * (double)(end - r->begin_ns) /
                        (double)(r->end_ns - r->begin_ns);
        }
    *busy_ns += united(spans, used);
}

static double rate(const clump_emulation_plan *plan, const clump_emulation_side *side, bool clump,
                   span *spans)
{
    double sent_ns = 0, busy_ns = 0;
    int64_t until = INT64_MAX;
    for (unsigned p = 0; p < plan->processors; p++) {
        const int64_t end = side->records[(p + 1) * plan->cycles - 1].end_ns;
        until = end < until ? end : until;
    }
    const bool pooled = clump && !plan->is_static;
    for (unsigned p = 0, count; p < plan->processors; p += count) {
        count = pooled ? plan->processors : 1;
        while (clump && plan->is_static && p + count < plan->processors &&
               clump_emulation_nics_of(plan, p + count).first ==
                   clump_emulation_nics_of(plan, p).first)
            count++;
        add_station(plan, side, p, count, until, spans, &sent_ns, &busy_ns);
    }
    return sent_ns / busy_ns / (pooled ? plan->nics : 1);
}

static void check_processors(const clump_emulation_plan *plan,
                             const clump_emulation_outcome *outcome, clump_emulation_summary *s)
{
    const clump_emulation_side *sides[] = {&outcome->clump, &outcome->now};
    const size_t warm = clump_emulation_warm_up(plan->cycles);
    double late = 0, communicating = 0, set = 0, all = 0;
    for (int side = 0; side < 2; side++)
        for (unsigned p = 0; p < plan->processors; p++)
            for (size_t i = warm; i < plan->cycles; i++) {
                const size_t at = p * plan->cycles + i;
                const clump_emulation_record *r = &sides[side]->records[at];
                const double us = (double)(r->woke_ns - r->due_ns) / 1000;
                late += us;
                s->latest_us = us > s->latest_us ? us : s->latest_us;
                if (side == 1) {
                    communicating += (double)(r->end_ns - r->begin_ns) / 1000;
                    set += plan->work[at].message_us;
                }
                all++;
            }
    s->late_us = late / all;
    s->message_ratio = communicating / set;
}

bool clump_emulation_summarize(const clump_emulation_plan *plan,
                               const clump_emulation_outcome *outcome,
                               clump_emulation_summary *summary)
{
    const size_t messages = plan->processors * plan->cycles;
    const clump_emulation_side *clump = &outcome->clump, *now = &outcome->now;
    clump_emulation_summary s = {.late_us = 0};
    span *spans = malloc(messages * sizeof *spans);
    if (spans == NULL)
        return false;
    divide(&(group){plan, 0, plan->processors}, outcome, &s.all);
    for (unsigned p = 0; p < plan->processors; p++)
        divide(&(group){plan, p, 1}, outcome, &s.each[p]);
    check_processors(plan, outcome, &s);
    s.clump_rate = rate(plan, clump, true, spans);
    s.now_rate = rate(plan, now, false, spans);
    s.starved = (double)(clump->starved + now->starved) / (double)(2 * messages);
    s.lost = (double)(clump->lost + now->lost) / (double)(clump->packets + now->packets);
    s.processor_use = (clump->processor_us + now->processor_us) / (1e6 * outcome->seconds);
    *summary = s;
    free(spans);
    return true;
}
