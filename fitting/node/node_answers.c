/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/node/node_answers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* A process that reaches this share of what its NICs carry counts as filling them: meanwhile they wait for it now and
 * then. */
#define FILLED 0.95

/* ---- values */

static const struct {
    const char *key, *heading, *unit;
} names[CLUMP_NODE_NAMES] = {
    [CLUMP_NODE_NICS] = {"nics", "NICs (N)", ""},
    [CLUMP_NODE_PER_PROCESS] = {"nics_per_process", "NICs a process (m)", ""},
    [CLUMP_NODE_NIC_RATE] = {"nic_bandwidth", "rate of a NIC", "B/us"},
    [CLUMP_NODE_BEST_RATE] = {"best_rate", "best of all pairs", "B/us"},
    [CLUMP_NODE_PROCESS_RATE] = {"process_rate", "one process", "B/us"},
    [CLUMP_NODE_FILLING] = {"filling", "processes that fill them", ""},
    [CLUMP_NODE_LOSS] = {"nic_efficiency_loss", "loss of efficiency (e)", ""},
    [CLUMP_NODE_DUPLEX] = {"nic_duplex", "both ways over one", ""},
    [CLUMP_NODE_PROCESS_MESSAGES] = {"process_message_rate", "messages of a process", "1/us"},
    [CLUMP_NODE_NIC_MESSAGES] = {"nic_message_rate", "messages of a NIC", "1/us"},
    [CLUMP_NODE_GAP] = {"gap", "g of a NIC", "us"},
    [CLUMP_NODE_GAP_PER_BYTE] = {"gap_per_byte", "G of a NIC", "us/B"},
    [CLUMP_NODE_MEMORY_ONE] = {"memory_one", "memory, one process", "B/us"},
    [CLUMP_NODE_MEMORY_ALL] = {"memory_all", "memory, greatest", "B/us"},
    [CLUMP_NODE_MEMORY_FEEDS] = {"memory_feeds", "processes memory feeds", ""},
};

const char *clump_node_key(clump_node_name name)
{
    return names[name].key;
}

const char *clump_node_heading(clump_node_name name)
{
    return names[name].heading;
}

const char *clump_node_unit(clump_node_name name)
{
    return names[name].unit;
}

void clump_node_say(clump_node_value *value, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value->reason, sizeof value->reason, format, arguments);
    va_end(arguments);
}

typedef struct answering {
    clump_node_fit *fit;
    const clump_node_known *known;
    const clump_store_platform *platform;
} answering;

static void set(clump_node_value *v, double value, double low, double high)
{
    v->known = true;
    v->value = value;
    v->low = low;
    v->high = high;
}

/* ---- N */

static bool is_static(const clump_node_curve *c)
{
    return c->hypotheses[c->best].sharing != CLUMP_NODE_POOLED;
}

/* NICs that the data allow if only few explain the curve. */
static void by_shape(answering *a, clump_node_value *v)
{
    const clump_node_curve *c = &a->fit->curve;
    const clump_node_hypothesis *h = &c->hypotheses[c->best];
    double low = h->nics, high = h->nics;
    for (size_t i = 1; i < c->hypothesis_count; i++)
        if (clump_node_curve_allows(c, i)) {
            low = fmin(low, c->hypotheses[i].nics);
            high = fmax(high, c->hypotheses[i].nics);
        }
    a->fit->source = CLUMP_NODE_BY_SHAPE;
    set(v, h->nics, low, high);
    clump_node_say(v, "the shape of the curve: each process uses one NIC, chosen %s",
                   clump_node_sharing_name(h->sharing));
}

static double most_nics(const clump_node_curve *c)
{
    const double r = isnan(c->ratio.high) ? c->ratio.value : c->ratio.high;
    return fmax(floor(r), 1);
}

/* Equal servers, of which a process fills one, that act like this. */
static void by_acting(answering *a, clump_node_value *v)
{
    const clump_node_curve *c = &a->fit->curve;
    /* However wide the interval, r itself has to be near that number. */
    const double r = c->ratio.value,
                 most = fmin(fmin(most_nics(c), floor(r / FILLED)), fmax(rint(r), 1));
    a->fit->source = CLUMP_NODE_ACTING;
    if (!c->full) {
        v->at_least = 1;
        if (c->numbers == 1)
            clump_node_say(v, "only %g pair%s measured: whether the NICs were full is not told",
                           c->most_pairs, c->most_pairs == 1 ? " was" : "s were");
        else
            clump_node_say(v, "whether %g pairs fill the NICs is not told: the rate may still grow",
                           c->most_pairs);
        return;
    }
    const double filled = most > 1 && most >= FILLED * r ? most : 1;
    set(v, filled, 1, HUGE_VAL);
    if (filled > 1)
        clump_node_say(v,
                       "%g NICs of which a process uses one act like this; the shape alone tells "
                       "only %.4g processes to fill them",
                       filled, r);
    else if (r <= 1 / FILLED)
        clump_node_say(v, "one process alone fills what there is: one, or several over which it "
                          "stripes (--nics, --nic-rate)");
    else
        clump_node_say(v,
                       "one process reaches %.0f%% of the total, no whole share of it: it is the "
                       "limit, not a NIC of its own",
                       100 / r);
}

static void find_nics(answering *a)
{
    const clump_node_curve *c = &a->fit->curve;
    clump_node_value *v = &a->fit->values[CLUMP_NODE_NICS];
    const double described = (double)a->platform->nics;
    if (a->known->nics > 0) {
        a->fit->source = CLUMP_NODE_GIVEN;
        set(v, a->known->nics, NAN, NAN);
        clump_node_say(v, "given");
    } else if (is_static(c)) {
        by_shape(a, v);
    } else if (a->known->nic_rate > 0 && c->full) {
        const double low = isnan(c->best_rate.low) ? c->best_rate.value : c->best_rate.low;
        const double nics = fmax(ceil(low / a->known->nic_rate), 1);
        a->fit->source = CLUMP_NODE_BY_LINK;
        set(v, nics, nics, HUGE_VAL);
        clump_node_say(v, "as many links of %.5g B/us are needed, and then %.0f%% of them used",
                       a->known->nic_rate, 100 * c->best_rate.value / a->known->nic_rate / nics);
    } else {
        by_acting(a, v);
        if (described >= 2 && c->full) {
            a->fit->source = CLUMP_NODE_BY_PLATFORM;
            v->value = described;
            clump_node_say(v, "the platform is described so, which the data allow; they act like "
                              "any number over which a process stripes");
        }
    }
}

/* ---- what follows from N */

static void scale(clump_node_value *v, const clump_node_interval *i, double factor)
{
    set(v, factor * i->value, factor * i->low, factor * i->high);
}

static void invert(clump_node_value *v, const clump_node_interval *i, double factor)
{
    set(v, factor / i->value, factor / i->high, factor / i->low);
}

static void answer_per_process(answering *a, double nics)
{
    const clump_node_curve *c = &a->fit->curve;
    clump_node_value *v = &a->fit->values[CLUMP_NODE_PER_PROCESS];
    if (isnan(nics)) {
        clump_node_say(v, "the number of NICs is not known");
        return;
    }
    if (!c->full) {
        v->at_most = nics / (isnan(c->ratio.low) ? c->ratio.value : c->ratio.low);
        clump_node_say(v, "the total was not reached");
        return;
    }
    invert(v, &c->ratio, nics);
    if (nics > 1 && v->value >= FILLED * nics)
        clump_node_say(v, "N over the processes that fill them: a process stripes over all");
    else if (nics > 1 && v->value < FILLED)
        clump_node_say(v, "N over the processes that fill them: a process does not fill one");
    else if (nics > 1 && v->value <= 1 / FILLED)
        clump_node_say(v, "N over the processes that fill them: one at a time");
    else if (nics > 1)
        clump_node_say(v, "N over the processes that fill them: a process stripes");
    else
        clump_node_say(v, "of the only one; how many a process could use is not told");
}

static void answer_rates(answering *a, double nics)
{
    clump_node_value *v = a->fit->values;
    const clump_node_curve *c = &a->fit->curve;
    const clump_node_range *l = &a->fit->long_sizes;
    scale(&v[CLUMP_NODE_BEST_RATE], &c->best_rate, 1);
    clump_node_say(&v[CLUMP_NODE_BEST_RATE], "%lld to %lld B, %g to %g pairs", (long long)l->from,
                   (long long)l->to, c->least_pairs, c->most_pairs);
    if (c->least_pairs == 1 || c->ratio.value > c->least_pairs) {
        scale(&v[CLUMP_NODE_PROCESS_RATE], &c->process, 1);
        clump_node_say(&v[CLUMP_NODE_PROCESS_RATE], "%s",
                       c->least_pairs == 1 ? "one pair alone" : "pairs that do not fill the NICs");
    } else {
        v[CLUMP_NODE_PROCESS_RATE].at_least = c->best_rate.value / c->least_pairs;
        clump_node_say(&v[CLUMP_NODE_PROCESS_RATE],
                       c->full ? "%g pairs fill the NICs, fewer were not measured"
                               : "of %g pairs; fewer were not measured",
                       c->least_pairs);
    }
    if (c->full) {
        scale(&v[CLUMP_NODE_FILLING], &c->ratio, 1);
        clump_node_say(&v[CLUMP_NODE_FILLING], "total over one process: N/m");
    } else {
        v[CLUMP_NODE_FILLING].at_least = isnan(c->ratio.low) ? c->ratio.value : c->ratio.low;
        clump_node_say(&v[CLUMP_NODE_FILLING], "the total was not reached");
    }
    if (c->loss_fitted) {
        set(&v[CLUMP_NODE_LOSS], c->loss.value, c->loss.low, c->loss.high);
        clump_node_say(&v[CLUMP_NODE_LOSS], "E(q) = 1/(1 + e (q-1))");
    } else {
        clump_node_say(&v[CLUMP_NODE_LOSS],
                       "four numbers of pairs are needed, there %s %zu: E is taken as 1",
                       c->numbers == 1 ? "is" : "are", c->numbers);
    }
    clump_node_value *rate = &v[CLUMP_NODE_NIC_RATE], *gap = &v[CLUMP_NODE_GAP_PER_BYTE];
    if (c->full && !isnan(nics)) {
        scale(rate, &c->total, 1 / nics);
        invert(gap, &c->total, nics);
        clump_node_say(rate, "total over N");
        clump_node_say(gap, "of long messages: N over the total");
    } else {
        clump_node_say(rate, "the total was not reached");
        clump_node_say(gap, "the total was not reached");
    }
}

static void answer_messages(answering *a, double nics)
{
    clump_node_value *v = a->fit->values;
    const clump_node_curve *c = &a->fit->messages;
    const clump_node_range *s = &a->fit->short_sizes;
    clump_node_value *process = &v[CLUMP_NODE_PROCESS_MESSAGES], *nic = &v[CLUMP_NODE_NIC_MESSAGES];
    clump_node_value *gap = &v[CLUMP_NODE_GAP];
    if (!a->fit->has_messages) {
        clump_node_say(process, "no messages of 8 to 256 B were measured");
        clump_node_say(nic, "no messages of 8 to 256 B were measured");
        clump_node_say(gap, "no messages of 8 to 256 B were measured");
        return;
    }
    if (c->least_pairs == 1 || c->ratio.value > c->least_pairs)
        scale(process, &c->process, 1);
    else
        process->at_least = c->best_rate.value / c->least_pairs;
    clump_node_say(process, "%lld to %lld B", (long long)s->from, (long long)s->to);
    if (isnan(nics)) {
        clump_node_say(nic, "the number of NICs is not known");
        clump_node_say(gap, "the number of NICs is not known");
    } else if (c->full) {
        scale(nic, &c->total, 1 / nics);
        invert(gap, &c->total, nics);
        clump_node_say(nic, "%lld to %lld B, total over N", (long long)s->from, (long long)s->to);
        clump_node_say(gap, "of short messages: N over the total");
    } else {
        const double low = isnan(c->best_rate.low) ? c->best_rate.value : c->best_rate.low;
        nic->at_least = low / nics;
        gap->at_most = nics / low;
        clump_node_say(nic, "%g pairs do not reach it", c->most_pairs);
        clump_node_say(gap, "%g pairs do not reach the limit of messages", c->most_pairs);
    }
}

static void answer_memory(answering *a)
{
    clump_node_value *v = a->fit->values;
    clump_node_value *one = &v[CLUMP_NODE_MEMORY_ONE], *all = &v[CLUMP_NODE_MEMORY_ALL];
    clump_node_value *feeds = &v[CLUMP_NODE_MEMORY_FEEDS];
    const clump_store_memory_curve *m = a->fit->memory;
    if (m == NULL) {
        static const char none[] = "not measured: calibrate memory or STREAM would tell";
        clump_node_say(one, "%s", none);
        clump_node_say(all, "%s", none);
        clump_node_say(feeds, "%s", none);
        return;
    }
    size_t best = 0;
    for (size_t i = 1; i < m->processes; i++)
        if (m->points[i].bandwidth > m->points[best].bandwidth)
            best = i;
    const clump_store_memory_point *p = &m->points[0], *q = &m->points[best];
    set(one, p->bandwidth, p->bandwidth - p->half_width, p->bandwidth + p->half_width);
    set(all, q->bandwidth, q->bandwidth - q->half_width, q->bandwidth + q->half_width);
    const double ratio = q->bandwidth / p->bandwidth;
    const double half = hypot(p->half_width / p->bandwidth, q->half_width / q->bandwidth);
    set(feeds, ratio, ratio * exp(-half), ratio * exp(half));
    clump_node_say(one, "%.60s", m->source);
    clump_node_say(all, "%.60s, with %zu of 1 to %zu processes", m->source, best + 1, m->processes);
    clump_node_say(feeds, "greatest over one process");
}

static void answer_sizes(answering *a, double nics)
{
    for (size_t i = 0; i < a->fit->size_count; i++)
        a->fit->sizes[i].per_process = nics / a->fit->sizes[i].filling;
}

/* ---- what the data cannot tell */

/* Whether some number of pairs is no multiple of that of the NICs, and above it. */
static bool has_odd_pairs(const clump_node_fit *fit, double nics)
{
    for (size_t i = 0; i < fit->pair_count; i++)
        if (fit->pairs[i].pairs > nics && fmod(fit->pairs[i].pairs, nics) != 0)
            return true;
    return false;
}

static void note_nics(answering *a, double nics)
{
    const clump_node_fit *fit = a->fit;
    const clump_node_curve *c = &fit->curve;
    const double most = most_nics(c);
    if (fit->source == CLUMP_NODE_ACTING && c->full) {
        if (most > 1)
            clump_note(
                &a->fit->notes,
                "N is not told: 1 NIC with processes that each reach 1/%.4g of it, up to %g NICs "
                "of which a process uses one, and any number over which processes stripe look "
                "alike; "
                "--nics or --nic-rate says which",
                c->ratio.value, most);
        else
            clump_note(
                &a->fit->notes,
                "N is not told: with one process that reaches %.0f%% of the total, 1 NIC and any "
                "number over which a process stripes look alike; --nics or --nic-rate says which",
                100 / c->ratio.value);
        if (most > 1 && !has_odd_pairs(fit, most))
            clump_note(
                &a->fit->notes,
                "no number of pairs above %g is measured that is no multiple of it: with one, NICs "
                "to which processes are tied would show",
                most);
    }
    if (!c->full && c->numbers > 1)
        clump_note(
            &a->fit->notes,
            "the rate may still grow with %g pairs: more of them would tell the total, N and m",
            c->most_pairs);
    if (c->numbers < 3)
        clump_note(
            &a->fit->notes,
            "%zu number%s of pairs: %s; 1, 2, 3, 4... up to all processes of a node would tell "
            "more",
            c->numbers, c->numbers == 1 ? "" : "s",
            c->numbers == 1 ? "one process and all of them cannot be told apart"
                            : "any law goes through two points");
    if (isnan(c->deviation))
        clump_note(
            &a->fit->notes,
            "no intervals: nothing was measured twice, and there are not more numbers of pairs "
            "than "
            "unknowns");
    else if (c->by_scatter)
        clump_note(
            &a->fit->notes,
            "intervals are those of the scatter over sizes of messages, and of %g%% by which runs "
            "are "
            "taken to differ: runs that are repeated would tell",
            100 * CLUMP_NODE_RUN_TO_RUN);
    if (a->known->nic_rate > 0 && c->full && !isnan(nics) &&
        c->total.value > 1.02 * nics * a->known->nic_rate)
        clump_note(&a->fit->notes, "the total is more than %g links of %.5g B/us carry", nics,
                   a->known->nic_rate);
    if (a->known->nic_rate > 0 && nics > CLUMP_NODE_MANY_NICS)
        clump_note(
            &a->fit->notes,
            "%g NICs are more than nodes have: --nic-rate is in bytes a microsecond, and %g Gb/s "
            "are %g of them",
            nics, a->known->nic_rate, 125 * a->known->nic_rate);
    if (!isnan(nics) && !a->known->unsaid && a->platform->nics > 0 &&
        (double)a->platform->nics != nics && fit->source != CLUMP_NODE_GIVEN)
        clump_note(&a->fit->notes, "the platform is described with %lld NIC%s",
                   (long long)a->platform->nics,
                   a->platform->nics == 1 ? ", as it is where nothing is said (--nics of import)"
                                          : "s");
}

/* Whether the run has sizes from `least` to `most` bytes. */
static bool has_size(const clump_node_run *run, int64_t least, int64_t most)
{
    for (size_t i = 0; i < run->count; i++)
        if (run->items[i].size_bytes >= least && run->items[i].size_bytes <= most)
            return true;
    return false;
}

/* The inputs of a node (fitting/clusters/node_rates.h): one pair at all sizes, the most pairs at three, both directions. Of those that
 * are missing the one that most else rests on. */
static void note_next(answering *a)
{
    const clump_node_runs *runs = &a->fit->samples.one_way;
    const clump_node_run *few = &runs->items[0], *most = &runs->items[runs->count - 1];
    const double all = a->known->unsaid ? 0 : (double)a->platform->processors;
    static const char begin[] = "what would narrow it most:";
    if (few->pairs > 1)
        clump_note(&a->fit->notes, "%s one pair at all sizes (osu_mbw_mr with 2 processes)", begin);
    else if (most->pairs < 2)
        clump_note(&a->fit->notes, "%s as many pairs as a node has processors (osu_mbw_mr)", begin);
    else if (!has_size(most, 1 << 20, INT64_MAX))
        clump_note(&a->fit->notes, "%s %g pairs with messages of 1 MiB or more", begin,
                   most->pairs);
    else if (!has_size(most, 8, 8) || !has_size(most, 128, 128))
        clump_note(&a->fit->notes, "%s %g pairs with messages of 8 and of 128 B", begin,
                   most->pairs);
    else if (all > most->pairs)
        clump_note(&a->fit->notes, "%s %g pairs, all processors of a node (%g were measured)",
                   begin, all, most->pairs);
    else if (a->fit->samples.both_ways.count == 0)
        clump_note(&a->fit->notes, "%s %g pairs in both directions (IMB Biband)", begin,
                   most->pairs);
    else if (runs->count < 3)
        clump_note(&a->fit->notes, "%s %g pairs, which tells how NICs are shared", begin,
                   floor(most->pairs / 2));
}

static void note_samples(answering *a)
{
    const clump_node_samples *s = &a->fit->samples;
    if (s->other_benchmark != NULL)
        clump_note(&a->fit->notes, "%.80s is used; there is %.80s as well (--benchmark)",
                   s->one_way.benchmark, s->other_benchmark);
    if (s->other_variant != NULL)
        clump_note(
            &a->fit->notes,
            "samples of variant '%.60s' are used; there are others, such as '%.60s' (--variant)",
            s->variant, s->other_variant);
    if (s->too_many > 0)
        clump_note(&a->fit->notes, "%zu samples of more than %d pairs are left out", s->too_many,
                   CLUMP_NODE_MOST_PAIRS);
}

/* One process at short and at long messages may use different numbers of NICs. */
static void note_sizes(answering *a, double nics)
{
    const clump_node_fit *fit = a->fit;
    const clump_node_value *m = &fit->values[CLUMP_NODE_PER_PROCESS];
    if (!m->known || !(nics > 1) || m->value < 1 / FILLED)
        return;
    int64_t size = 0;
    for (size_t i = 0; i < fit->size_count && !fit->sizes[i].is_long; i++)
        if (fit->sizes[i].per_process <= 1 / FILLED &&
            fit->sizes[i].best >= FILLED * fit->curve.best_rate.value)
            size = fit->sizes[i].size_bytes;
    if (size > 0)
        clump_note(&a->fit->notes, "messages of %lld B keep one NIC busy at most, longer ones more",
                   (long long)size);
}

clump_status clump_node_answer(clump_node_fit *fit, const clump_node_known *known,
                               const clump_store_platform *platform, clump_error *error)
{
    answering a = {.fit = fit, .known = known, .platform = platform};
    fit->notes.arena = fit->samples.arena;
    find_nics(&a);
    const double nics = fit->values[CLUMP_NODE_NICS].value;
    answer_per_process(&a, nics);
    answer_rates(&a, nics);
    answer_messages(&a, nics);
    answer_memory(&a);
    answer_sizes(&a, nics);
    note_nics(&a, nics);
    note_sizes(&a, nics);
    note_samples(&a);
    note_next(&a);
    return fit->notes.no_memory ? clump_fail_memory(error, "notes") : CLUMP_OK;
}
