/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/node/node_curve.h"
#include "model/station.h"

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdlib.h>

/* No program prints more digits, and no clock deserves more: two rates that agree may still differ by it. */
#define LEAST_DEVIATION 1e-4
/* E(q) of the most pairs is at least exp(-3), 5%. */
#define MOST_LOSS 3.0
/* As long as the NICs are not full, processes that send together lose two thirds of their rates at most. Without
 * this limit a rate that stays the same from one process on could also be that of NICs which are never full, and of
 * processes that slow each other down. */
#define LEAST_BEFORE_FULL (1.0 / 3)
/* Where that loss cannot be told from a limit, the NICs count as the limit only if so many times the pairs that
 * fill them were measured. */
#define SURELY_FULL 1.25
/* Of the steps of a grid over r and e: of a law that is one of many, and of the one that is used. */
enum { COARSE = 16, FINE = 48, ROUNDS = 8 };

/* Points of one number of pairs. */
typedef struct group {
    double pairs, mean, count;
} group;

typedef struct groups {
    group *items;
    size_t count;
    double points;
    double squares; /* of points around the means of their groups */
} groups;

static int compare(const void *first, const void *second)
{
    const clump_node_point *a = first, *b = second;
    const int order = (a->pairs > b->pairs) - (a->pairs < b->pairs);
    return order != 0 ? order : (a->log_rate > b->log_rate) - (a->log_rate < b->log_rate);
}

static clump_status make_groups(const clump_node_point *points, size_t count, groups *g,
                                clump_error *error)
{
    clump_node_point *sorted = malloc(count * sizeof *sorted);
    g->items = calloc(count, sizeof *g->items);
    if (sorted == NULL || g->items == NULL) {
        free(sorted);
        return clump_fail_memory(error, "rates");
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = points[i];
    qsort(sorted, count, sizeof *sorted, compare);
    g->points = (double)count;
    for (size_t first = 0, end = 0; first < count; first = end) {
        group *now = &g->items[g->count++];
        while (end < count && sorted[end].pairs == sorted[first].pairs)
            now->mean += sorted[end++].log_rate;
        now->pairs = sorted[first].pairs;
        now->count = (double)(end - first);
        now->mean /= now->count;
        for (size_t i = first; i < end; i++)
            g->squares += pow(sorted[i].log_rate - now->mean, 2);
    }
    free(sorted);
    return CLUMP_OK;
}

/* ---- one law: r and e on a grid, which closes in on what the data allow */

/* log of r; and of 1 + e (K-1), K the most pairs: E there is its inverse. */
typedef struct box {
    double ratio[2], loss[2];
} box;

/* What the cells of a grid that are allowed say: of logarithms. */
typedef struct span {
    double low, high;
} span;

typedef struct spans {
    span ratio, loss, total, process, best;
} spans;

typedef struct search {
    const groups *groups;
    const clump_node_crowd *crowds; /* of each group */
    double most;                    /* pairs */
    double *laws;                   /* logarithms, of each group at one r */
    double *efficiencies;           /* logarithms, of each group at each e */
    bool loss_fitted;
    double limit;   /* sum of squares that is still allowed */
    double squares; /* the least so far */
    double at[2];   /* where */
    double total;   /* there: logarithm of the rate of all NICs */
    double best;    /* there: of the greatest fitted rate */
    bool wanted;    /* the spans are */
    spans *spans;
} search;

static void widen(span *s, double low, double high)
{
    s->low = fmin(s->low, low);
    s->high = fmax(s->high, high);
}

static double loss_of(const search *s, double log_loss)
{
    /* Next to nothing is nothing. */
    return s->most > 1 && log_loss > 1e-9 ? expm1(log_loss) / (s->most - 1) : 0;
}

/* The total that fits a cell best, and the sum of squares with it. */
static double look(const search *s, const double *efficiencies, double *total, double *top)
{
    double sum = 0, square = 0, greatest = -HUGE_VAL;
    for (size_t i = 0; i < s->groups->count; i++) {
        const group *g = &s->groups->items[i];
        const double law = s->laws[i] + efficiencies[i];
        const double d = g->mean - law;
        sum += g->count * d;
        square += g->count * d * d;
        greatest = fmax(greatest, law);
    }
    *total = sum / s->groups->points;
    *top = *total + greatest;
    return fmax(square - sum * *total, 0) + s->groups->squares;
}

static void accept_cell(search *s, double log_ratio, double log_loss, double squares, double total,
                        double top)
{
    const double half = sqrt((s->limit - squares) / s->groups->points);
    widen(&s->spans->ratio, log_ratio, log_ratio);
    widen(&s->spans->loss, log_loss, log_loss);
    widen(&s->spans->total, total - half, total + half);
    widen(&s->spans->process, total - log_ratio - half, total - log_ratio + half);
    widen(&s->spans->best, top - half, top + half);
}

static double place(const double ends[2], size_t i, size_t steps)
{
    return ends[0] + (ends[1] - ends[0]) * (double)i / (double)steps;
}

static bool is_sensible(const search *s, double log_ratio, double log_loss)
{
    const double full = fmin(exp(log_ratio), s->most);
    return loss_of(s, log_loss) * (full - 1) <= 1 / LEAST_BEFORE_FULL - 1;
}

/* All cells; the least of them is remembered, and what is allowed if that is wanted. */
static void walk(search *s, const box *b, size_t steps)
{
    const size_t losses = s->loss_fitted ? steps : 0, n = s->groups->count;
    for (size_t k = 0; k <= losses; k++)
        for (size_t i = 0; i < n; i++)
            s->efficiencies[k * n + i] = log(clump_efficiency_at(
                CLUMP_EFFICIENCY_INVERSE, loss_of(s, losses > 0 ? place(b->loss, k, losses) : 0),
                s->groups->items[i].pairs));
    for (size_t i = 0; i <= steps; i++) {
        const double r = place(b->ratio, i, steps);
        for (size_t g = 0; g < n; g++)
            s->laws[g] = log(clump_node_law(&s->crowds[g], exp(r)));
        for (size_t k = 0; k <= losses; k++) {
            const double e = losses > 0 ? place(b->loss, k, losses) : 0;
            double total, top;
            if (!is_sensible(s, r, e))
                break; /* nor are those of more loss */
            const double squares = look(s, s->efficiencies + k * n, &total, &top);
            if (squares < s->squares) {
                s->squares = squares;
                s->at[0] = r;
                s->at[1] = e;
                s->total = total;
                s->best = top;
            }
            if (s->wanted && squares <= s->limit)
                accept_cell(s, r, e, squares, total, top);
        }
    }
}

static void close_in(double ends[2], double low, double high, size_t steps)
{
    const double step = (ends[1] - ends[0]) / (double)steps;
    ends[0] = fmax(ends[0], low - step);
    ends[1] = fmin(ends[1], high + step);
}

static const span nothing = {HUGE_VAL, -HUGE_VAL};

/* The least sum of squares. */
static void find_least(search *s, box b, size_t steps)
{
    s->squares = HUGE_VAL;
    s->wanted = false;
    for (int i = 0; i < ROUNDS; i++) { /* each to a quarter */
        walk(s, &b, steps);
        close_in(b.ratio, s->at[0], s->at[0], 8);
        close_in(b.loss, s->at[1], s->at[1], 8);
    }
}

/* All that is allowed: the box shrinks around it. */
static void find_spans(search *s, box b, spans *found)
{
    s->wanted = true;
    s->spans = found;
    for (int i = 0; i < ROUNDS; i++) {
        *found = (spans){nothing, nothing, nothing, nothing, nothing};
        /* The least is allowed, however narrow what is allowed is between cells. */
        accept_cell(s, s->at[0], s->at[1], s->squares, s->total, s->best);
        walk(s, &b, FINE);
        const double before =
            (b.ratio[1] - b.ratio[0]) * (s->loss_fitted ? b.loss[1] - b.loss[0] : 1);
        close_in(b.ratio, found->ratio.low, found->ratio.high, FINE);
        close_in(b.loss, found->loss.low, found->loss.high, FINE);
        const double after =
            (b.ratio[1] - b.ratio[0]) * (s->loss_fitted ? b.loss[1] - b.loss[0] : 1);
        if (after > 0.8 * before)
            break;
    }
}

/* ---- all laws */

typedef struct fitting {
    groups groups;
    clump_node_crowd *crowds;
    double *workspace; /* of a search */
    clump_node_curve *curve;
    const clump_node_curve_options *options;
    clump_error *error;
} fitting;

static clump_status make_crowds(fitting *f, clump_node_sharing sharing, double nics)
{
    clump_status status = CLUMP_OK;
    for (size_t i = 0; i < f->groups.count && status == CLUMP_OK; i++)
        status = clump_node_crowd_make(sharing, f->options->account, nics, f->groups.items[i].pairs,
                                       &f->crowds[i], f->error);
    return status;
}

static search search_of(const fitting *f)
{
    return (search){.groups = &f->groups,
                    .crowds = f->crowds,
                    .laws = f->workspace,
                    .efficiencies = f->workspace + f->groups.count,
                    .most = f->curve->most_pairs,
                    .loss_fitted = f->curve->loss_fitted};
}

/* Up to the r beyond which only the total changes, which no measurement has reached. */
static box box_of(const fitting *f, double nics)
{
    const double most = log(4 * fmax(f->curve->most_pairs, nics));
    return (box){{log(nics), most}, {0, MOST_LOSS}};
}

static clump_status try_law(fitting *f, clump_node_sharing sharing, double nics, size_t steps)
{
    clump_node_curve *c = f->curve;
    const clump_status status = make_crowds(f, sharing, nics);
    if (status != CLUMP_OK)
        return status;
    search s = search_of(f);
    find_least(&s, box_of(f, nics), steps);
    c->hypotheses[c->hypothesis_count++] = (clump_node_hypothesis){.sharing = sharing,
                                                                   .nics = nics,
                                                                   .squares = s.squares,
                                                                   .ratio = exp(s.at[0]),
                                                                   .loss = loss_of(&s, s.at[1])};
    return CLUMP_OK;
}

/* Static laws differ from the pooled one only beyond so many pairs. */
static clump_status try_all(fitting *f)
{
    const double most = f->curve->most_pairs;
    const clump_node_curve_options *o = f->options;
    if (o->only)
        return try_law(f, o->sharing, o->nics, FINE);
    clump_status status = try_law(f, CLUMP_NODE_POOLED, 1, FINE);
    const bool few = f->groups.count < 3; /* two numbers of pairs are what any law makes of them */
    for (double n = 2; n < most && n <= CLUMP_NODE_MOST_NICS && !few && status == CLUMP_OK; n++)
        status = try_law(f, CLUMP_NODE_IN_TURNS, n, COARSE);
    for (double n = 2;
         n <= CLUMP_NODE_MOST_RANDOM && most <= CLUMP_NODE_MOST_DRAWN && !few && status == CLUMP_OK;
         n++)
        status = try_law(f, CLUMP_NODE_AT_RANDOM, n, COARSE);
    return status;
}

static double quantile(double share, double freedom)
{
    return gsl_cdf_tdist_Pinv(share, freedom);
}

/* The standard deviation of a point if a law is right: the scatter of repeated runs. But where numbers of pairs are
 * further off the law than that explains (F at 95%), as on machines that follow no law to the last percent: how far
 * they are off. */
static void find_deviation(fitting *f, double squares, bool loss)
{
    clump_node_curve *c = f->curve;
    const double unknown = fmin((double)f->groups.count, loss ? 3 : 2);
    const double repeated = f->groups.points - (double)f->groups.count;
    const double different = (double)f->groups.count - unknown;
    const double of_runs = f->groups.squares / repeated;
    const double of_law = (squares - f->groups.squares) / different;
    double variance = squares / (repeated + different);
    c->freedom = repeated + different;
    if (repeated > 0 && different > 1 &&
        of_law > of_runs * gsl_cdf_fdist_Pinv(0.95, different, repeated)) {
        c->freedom = different;
        variance = of_law;
    }
    c->by_scatter = c->freedom < 1;
    c->deviation =
        c->by_scatter ? hypot(f->options->scatter, CLUMP_NODE_RUN_TO_RUN) : sqrt(variance);
    if (c->by_scatter)
        c->freedom = f->options->scatter_freedom;
    if (!(c->freedom >= 1) || isnan(c->deviation))
        c->deviation = NAN;
    else
        c->deviation = fmax(c->deviation, LEAST_DEVIATION);
}

/*
 * The pooled law is the simplest one. Another one is taken only if it fits better by more than what chance gives the
 * best of so many laws (Bonferroni).
 */
static void choose(fitting *f)
{
    clump_node_curve *c = f->curve;
    size_t least = 0;
    for (size_t i = 1; i < c->hypothesis_count; i++)
        if (c->hypotheses[i].squares < c->hypotheses[least].squares)
            least = i;
    find_deviation(f, c->hypotheses[least].squares, c->loss_fitted);
    c->best = 0;
    if (least == 0 || c->by_scatter || isnan(c->deviation))
        return;
    const double t = quantile(1 - 0.025 / (double)c->hypothesis_count, c->freedom);
    const double allowed = c->hypotheses[least].squares + pow(t * c->deviation, 2);
    if (c->hypotheses[0].squares > allowed)
        c->best = least;
    else
        find_deviation(f, c->hypotheses[0].squares, c->loss_fitted);
}

static clump_node_interval interval_of(double value, const span *s)
{
    return (clump_node_interval){exp(value), exp(s->low), exp(s->high)};
}

/*
 * Whether the data tell that company costs something: F at 95%, of what the law leaves without that and with it, against the
 * scatter of points, and against how far numbers of pairs are off. For what makes a single number of pairs slow is no loss, but
 * would be taken for one, and for NICs that are full later: before they are, a loss acts like that.
 */
static bool tells_loss(const fitting *f, double without, double with)
{
    const double different = (double)f->groups.count - 3;
    const double freedom = f->groups.points - 3, gained = without - with;
    const double least = LEAST_DEVIATION * LEAST_DEVIATION;
    const double of_points = fmax(with / freedom, least);
    const double of_law = fmax((with - f->groups.squares) / different, least);
    return gained > of_points * gsl_cdf_fdist_Pinv(0.95, 1, freedom) &&
           gained > of_law * gsl_cdf_fdist_Pinv(0.95, 1, different);
}

static double quantile_of(const clump_node_curve *c)
{
    return isnan(c->deviation) ? 0 : quantile(0.975, c->freedom);
}

/* The least sum of squares, and all that is allowed beside it. */
static void find_allowed(search *s, box b, const clump_node_curve *c, spans *found)
{
    s->limit = s->squares + (isnan(c->deviation) ? 0 : pow(quantile_of(c) * c->deviation, 2));
    find_spans(s, b, found);
}

static void join(span *s, const span *other)
{
    widen(s, other->low, other->high);
}

/* What is allowed with a loss stays so. */
static void leave_loss(fitting *f, search *s, const search *without, box b, spans *found)
{
    clump_node_curve *c = f->curve;
    const clump_node_curve with_loss = *c;
    spans more;
    *s = *without;
    find_deviation(f, s->squares, false);
    find_allowed(s, b, c, &more);
    join(&found->ratio, &more.ratio);
    join(&found->loss, &more.loss);
    join(&found->total, &more.total);
    join(&found->process, &more.process);
    join(&found->best, &more.best);
    c->deviation = with_loss.deviation;
    c->freedom = with_loss.freedom;
    c->by_scatter = with_loss.by_scatter;
}

/*
 * What a process reaches is what one pair alone did, where that was measured: if two of them do not reach twice that, the law that is
 * best for both would give it less. Returns its logarithm; r follows.
 */
static double take_alone(const fitting *f, search *s, double least_ratio, spans *found)
{
    const clump_node_curve *c = f->curve;
    const group *alone = &f->groups.items[0];
    if (c->least_pairs > 1)
        return s->total - s->at[0];
    const double half =
        isnan(c->deviation) ? 0 : quantile(0.975, c->freedom) * c->deviation / sqrt(alone->count);
    s->at[0] = fmax(s->total - alone->mean, log(least_ratio));
    widen(&found->ratio, s->at[0], s->at[0]);
    widen(&found->process, alone->mean - half, alone->mean + half);
    return alone->mean;
}

static clump_status find_intervals(fitting *f)
{
    clump_node_curve *c = f->curve;
    const clump_node_hypothesis *h = &c->hypotheses[c->best];
    const clump_status status = make_crowds(f, h->sharing, h->nics);
    if (status != CLUMP_OK)
        return status;
    search s = search_of(f), without = s;
    const box b = box_of(f, h->nics);
    spans found;
    find_least(&s, b, FINE);
    find_allowed(&s, b, c, &found);
    without.loss_fitted = false;
    find_least(&without, b, FINE);
    if (c->loss_fitted && !tells_loss(f, without.squares, s.squares))
        leave_loss(f, &s, &without, b, &found);
    const double process = take_alone(f, &s, h->nics, &found);
    c->ratio = interval_of(s.at[0], &found.ratio);
    c->total = interval_of(s.total, &found.total);
    c->process = interval_of(process, &found.process);
    c->best_rate = interval_of(s.best, &found.best);
    c->loss = (clump_node_interval){loss_of(&s, s.loss_fitted ? s.at[1] : 0),
                                    loss_of(&s, found.loss.low), loss_of(&s, found.loss.high)};
    const double filled = isnan(c->deviation) ? c->ratio.value : c->ratio.high;
    c->full = filled * (c->loss_fitted ? 1 : SURELY_FULL) < c->most_pairs;
    if (!c->full) { /* the grid ends, not what is possible */
        c->ratio.high = HUGE_VAL;
        c->total.high = HUGE_VAL;
    }
    if (c->ratio.low < c->least_pairs && c->least_pairs > 1)
        c->process.high = c->total.high;
    if (isnan(c->deviation)) {
        clump_node_interval *const all[] = {&c->ratio, &c->total, &c->process, &c->best_rate,
                                            &c->loss};
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            all[i]->low = all[i]->high = NAN;
    }
    if (!c->loss_fitted)
        c->loss = (clump_node_interval){0, NAN, NAN};
    return CLUMP_OK;
}

static clump_status fit(fitting *f)
{
    clump_node_curve *c = f->curve;
    c->numbers = f->groups.count;
    c->least_pairs = f->groups.items[0].pairs;
    c->most_pairs = f->groups.items[f->groups.count - 1].pairs;
    c->loss_fitted = f->groups.count >= 4;
    f->crowds = calloc(f->groups.count, sizeof *f->crowds);
    f->workspace = malloc((FINE + 2) * f->groups.count * sizeof *f->workspace);
    if (f->crowds == NULL || f->workspace == NULL)
        return clump_fail_memory(f->error, "assignments");
    clump_status status = try_all(f);
    if (status == CLUMP_OK) {
        choose(f);
        status = find_intervals(f);
    }
    return status;
}

clump_status clump_node_curve_fit(const clump_node_point *points, size_t count,
                                  const clump_node_curve_options *options, clump_node_curve *curve,
                                  clump_error *error)
{
    clump_node_curve made = {.best = 0};
    fitting f = {.curve = &made, .options = options, .error = error};
    if (count == 0)
        return clump_fail(error, CLUMP_BAD_ARGUMENT, "found no rates of pairs, expected some");
    clump_status status = make_groups(points, count, &f.groups, error);
    if (status == CLUMP_OK)
        status = fit(&f);
    free(f.crowds);
    free(f.workspace);
    free(f.groups.items);
    if (status == CLUMP_OK)
        *curve = made;
    return status;
}

bool clump_node_curve_allows(const clump_node_curve *curve, size_t i)
{
    if (i == curve->best || isnan(curve->deviation))
        return true;
    const double t = quantile(0.975, curve->freedom);
    return curve->hypotheses[i].squares <=
           curve->hypotheses[curve->best].squares + pow(t * curve->deviation, 2);
}

clump_status clump_node_curve_rate(const clump_node_curve *curve, clump_node_account account,
                                   double pairs, double *rate, double *efficiency,
                                   clump_error *error)
{
    const clump_node_hypothesis *h = &curve->hypotheses[curve->best];
    clump_node_crowd crowd;
    const clump_status status =
        clump_node_crowd_make(h->sharing, account, h->nics, pairs, &crowd, error);
    if (status != CLUMP_OK)
        return status;
    const double e = clump_efficiency_at(CLUMP_EFFICIENCY_INVERSE, curve->loss.value, pairs);
    *rate = curve->total.value * clump_node_law(&crowd, curve->ratio.value) * e;
    if (efficiency != NULL)
        *efficiency = e;
    return CLUMP_OK;
}

double clump_node_curve_half_width(const clump_node_curve *curve, double count)
{
    return isnan(curve->deviation)
               ? NAN
               : quantile(0.975, curve->freedom) * curve->deviation / sqrt(count);
}
