/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/recommend.h"

#include "exploring/inputs.h"
#include "model/limit.h"
#include "model/model_error.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A node of the question: its arrangement and number of NICs. */
static clump_node make_node(const clump_recommend_question *question, size_t arrangement,
                            size_t nics)
{
    clump_node node = question->node;
    node.nics = nics;
    node.mapping =
        arrangement == CLUMP_RECOMMEND_TIED ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED;
    if (arrangement != CLUMP_RECOMMEND_LIMITED)
        node.max_nics_per_processor = 0;
    return node;
}

static bool is_enough(const clump_recommend_question *question, double slowdown)
{
    /* What was recorded is not known to more digits. */
    const double recorded = 1e-4;
    return clump_is_within(slowdown, question->limit,
                           question->recorded != NULL
                               ? recorded
                               : clump_slowdown_accuracy(question->node.processors, 0));
}

typedef struct work {
    const clump_recommend_question *question;
    clump_recommend_answer *answer;
    clump_error *error;
} work;

static clump_status predict(work *w, const clump_node *node, clump_demand demand,
                            clump_prediction *prediction)
{
    const clump_recommend_question *question = w->question;
    clump_load load = question->load;
    load.demand = demand;
    return clump_predict(node, &load, prediction, NULL, w->error);
}

/* Memory that tied processors share has no solution for every demand and number of them. The other
 * arrangements are answered all the same. */
static bool is_refused(clump_status status, const clump_node *node)
{
    return status == CLUMP_BAD_ARGUMENT && node->mapping == CLUMP_MAPPING_STATIC &&
           clump_memory_is_station(&node->memory);
}

static void keep_refusal(work *w)
{
    if (w->answer->tied_refused.message[0] == 0)
        w->answer->tied_refused = *w->error;
}

typedef struct over_utilization {
    clump_node node;
    clump_load load;
} over_utilization;

static clump_status slowdown_at(double U, double *value, over_utilization *o, clump_error *error)
{
    clump_prediction prediction;
    o->load.utilizations = &U;
    const clump_status status = clump_predict(&o->node, &o->load, &prediction, NULL, error);
    if (status == CLUMP_OK)
        *value = prediction.slowdown;
    return status;
}

/* How far a replay is says nothing of how far all is. */
static int look(double share, void *watch)
{
    (void)share;
    return clump_watch_stops(watch, NAN);
}

/* The calls of a recording, played again. Without a limit of their own both pooled arrangements are the same. */
static clump_status replay_option(work *w, const clump_node *node,
                                  const clump_recommend_option *pooled, clump_recommend_option *o)
{
    clump_prediction prediction;
    if (o->arrangement == CLUMP_RECOMMEND_LIMITED && !w->question->limited) {
        o->slowdown = pooled->slowdown;
        o->nic_utilization = pooled->nic_utilization;
        o->most_nics = NAN;
        return CLUMP_OK;
    }
    const clump_watch watch = {.look = look, .context = (void *)(uintptr_t)w->question->node.watch};
    clump_node watched = *node;
    watched.watch = &watch;
    const clump_status status =
        clump_recorded_predict(w->question->recorded, &watched, 1, &prediction, w->error);
    if (status == CLUMP_OK) {
        o->slowdown = prediction.slowdown;
        o->nic_utilization = prediction.nic_utilization;
    }
    return status;
}

/* Equal processors, with the demand that was asked for and all others. */
static clump_status predict_option(work *w, const clump_node *node, clump_recommend_option *o)
{
    const clump_recommend_question *question = w->question;
    static const clump_demand demands[] = {CLUMP_DEMAND_INDEPENDENT, CLUMP_DEMAND_CORRELATED,
                                           CLUMP_DEMAND_SCHEDULED};
    double *const slowdowns[] = {&o->independent, &o->correlated, &o->scheduled};
    clump_prediction prediction;
    clump_status status = predict(w, node, question->load.demand, &prediction);
    if (is_refused(status, node)) {
        keep_refusal(w);
        status = CLUMP_OK;
    } else if (status == CLUMP_OK) {
        o->slowdown = prediction.slowdown;
        o->nic_utilization = prediction.nic_utilization;
        o->lower_bound = prediction.bounds.least;
        o->upper_bound = prediction.bounds.greatest;
    }
    for (size_t d = 0; d < 3 && status == CLUMP_OK; d++) {
        *slowdowns[d] = o->slowdown;
        if (demands[d] == question->load.demand)
            continue;
        status = predict(w, node, demands[d], &prediction);
        /* the best of all schedules is not known for all processors that differ */
        const bool no_schedule =
            demands[d] == CLUMP_DEMAND_SCHEDULED && status == CLUMP_BAD_ARGUMENT;
        if (no_schedule || is_refused(status, node)) {
            *slowdowns[d] = NAN;
            status = CLUMP_OK;
        } else if (status == CLUMP_OK)
            *slowdowns[d] = prediction.slowdown;
    }
    if (status == CLUMP_OK && o->slowdown > 0) {
        clump_result row = {.slowdown = o->slowdown, .input_low = NAN, .input_high = NAN};
        status = clump_inputs_of_utilization(node, &question->load,
                                             question->utilization_half_width, &row, w->error);
        o->input_low = row.input_low;
        o->input_high = row.input_high;
    }
    return status;
}

static clump_status fill_option(work *w, const clump_recommend_option *pooled,
                                clump_recommend_option *o)
{
    const clump_recommend_question *question = w->question;
    const clump_node node = make_node(question, o->arrangement, o->nics);
    o->lower_bound = o->upper_bound = NAN;
    o->slowdown = o->nic_utilization = o->independent = o->correlated = o->scheduled = NAN;
    o->price = o->work_price = o->low = o->high = o->input_low = o->input_high = NAN;
    clump_status status = question->recorded != NULL ? replay_option(w, &node, pooled, o)
                                                     : predict_option(w, &node, o);
    o->enough = isfinite(o->slowdown) && is_enough(question, o->slowdown);
    if (status == CLUMP_OK && question->node.processors > 1 && o->slowdown > 0 &&
        isfinite(o->slowdown))
        status = clump_model_error_interval(
            clump_model_error_of(clump_change_of(&node, question->load.coupling.remote_fraction)),
            o->slowdown, o->input_low, o->input_high, CLUMP_MODEL_ERROR_LEVEL, &o->low, &o->high,
            w->error);
    if (question->priced) {
        o->price = question->node_price + (double)o->nics * question->nic_price;
        o->work_price = o->price * o->slowdown / (double)question->node.processors;
    }
    return status;
}

/* Of the first counts only. */
static clump_status keep_complete(clump_recommend_answer *a, size_t counts)
{
    a->nics_asked = a->nic_counts;
    a->nic_counts = counts;
    a->count = counts * CLUMP_RECOMMEND_ARRANGEMENTS;
    return CLUMP_STOPPED;
}

static clump_status fill_options(work *w)
{
    clump_recommend_answer *a = w->answer;
    const clump_recommend_question *question = w->question;
    a->options = calloc(a->nic_counts * CLUMP_RECOMMEND_ARRANGEMENTS, sizeof *a->options);
    if (a->options == NULL)
        return clump_fail_memory(w->error, "options");
    for (size_t i = 0; i < a->nic_counts; i++) {
        if (clump_watch_ask(question->node.watch, 0.5 + 0.4 * (double)i / (double)a->nic_counts,
                            w->error) != CLUMP_OK)
            return keep_complete(a, i);
        for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++) {
            clump_recommend_option *o = &a->options[a->count++];
            o->nics = a->nics[i];
            o->arrangement = k;
            o->most_nics = k == CLUMP_RECOMMEND_LIMITED && question->node.max_nics_per_processor > 0
                               ? question->node.max_nics_per_processor
                               : NAN;
            const clump_status status =
                fill_option(w, &a->options[i * CLUMP_RECOMMEND_ARRANGEMENTS], o);
            if (status == CLUMP_STOPPED)
                return keep_complete(a, i);
            if (status != CLUMP_OK)
                return status;
            o->saved = NAN;
            if (i > 0) {
                const clump_recommend_option *before = o - CLUMP_RECOMMEND_ARRANGEMENTS;
                o->saved = (before->slowdown - o->slowdown) / before->slowdown /
                           (double)(o->nics - before->nics);
            }
            if (o->enough && a->enough[k] == 0)
                a->enough[k] = o->nics;
        }
    }
    return CLUMP_OK;
}

static clump_status find_least(work *w)
{
    const clump_recommend_question *question = w->question;
    const clump_load load = question->load;
    clump_status status = CLUMP_OK;
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS && status == CLUMP_OK; k++) {
        const clump_node node = make_node(question, k, 1);
        status = clump_watch_ask(question->node.watch, (double)k / 10, w->error);
        if (status != CLUMP_OK)
            return status;
        w->answer->can_rise |= !clump_least_nics_is_monotonic(&node, &load);
        status = clump_least_nics_find(&node, &load, question->limit, w->answer->greatest,
                                       &w->answer->least[k], w->error);
        if (is_refused(status, &node)) {
            keep_refusal(w);
            w->answer->least[k] = (clump_least_nics){.real = NAN};
            status = CLUMP_OK;
        }
    }
    if (status == CLUMP_OK) {
        clump_load together = load;
        clump_least_nics least;
        const clump_node node = make_node(question, w->answer->verdict, 1);
        together.demand = CLUMP_DEMAND_CORRELATED;
        status = clump_least_nics_find(&node, &together, question->limit, w->answer->greatest,
                                       &least, w->error);
        if (status == CLUMP_OK)
            w->answer->least_correlated = least.nics;
    }
    return status;
}

/* ---- the cautious number: one NIC a processor, which is its own or any, and all start together */

static const clump_mapping cautious_mappings[] = {CLUMP_MAPPING_POOLED, CLUMP_MAPPING_STATIC};

static clump_node cautious_node(const clump_recommend_question *question, size_t nics, size_t i)
{
    clump_node node = make_node(question, CLUMP_RECOMMEND_POOLED, nics);
    node.mapping = cautious_mappings[i];
    node.max_nics_per_processor = i == 0 ? 1 : 0;
    return node;
}

/* Whether so many are enough: `*found` is that number, then. */
static clump_status try_cautious(work *w, size_t nics, size_t *found)
{
    double slowdown = 0;
    for (size_t i = 0; i < 2; i++) {
        const clump_node node = cautious_node(w->question, nics, i);
        clump_prediction prediction;
        const clump_status status = predict(w, &node, CLUMP_DEMAND_CORRELATED, &prediction);
        if (status != CLUMP_OK)
            return status;
        slowdown = fmax(slowdown, prediction.slowdown);
    }
    if (is_enough(w->question, slowdown)) {
        *found = nics;
        w->answer->cautious_slowdown = slowdown;
    }
    return CLUMP_OK;
}

/* No fewer than each of the two mappings needs; more where X rises again. Then of the numbers that were asked for. */
static clump_status find_cautious(work *w)
{
    const clump_recommend_question *question = w->question;
    clump_recommend_answer *a = w->answer;
    clump_load load = question->load;
    clump_status status = CLUMP_OK;
    size_t n = 1;
    load.demand = CLUMP_DEMAND_CORRELATED;
    for (size_t i = 0; i < 2; i++) {
        const clump_node node = cautious_node(question, 1, i);
        clump_least_nics found;
        status =
            clump_least_nics_find(&node, &load, question->limit, a->greatest, &found, w->error);
        a->cautious_refused = is_refused(status, &node);
        if (a->cautious_refused)
            return CLUMP_OK;
        if (status != CLUMP_OK || found.nics == 0)
            return status; /* none */
        n = found.nics > n ? found.nics : n;
    }
    for (size_t tries = 0; status == CLUMP_OK && a->cautious == 0 && n <= a->greatest &&
                           tries < CLUMP_LEAST_NICS_TRIED;
         n += a->unit, tries++)
        status = try_cautious(w, n, &a->cautious);
    a->cautious_enough = a->nic_counts == 0 ? a->cautious : 0;
    for (size_t i = 0;
         i < a->nic_counts && status == CLUMP_OK && a->cautious > 0 && a->cautious_enough == 0; i++)
        if (a->nics[i] >= a->cautious)
            status = try_cautious(w, a->nics[i], &a->cautious_enough);
    return status;
}

/* ---- which numbers are compared */

static int compare_counts(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Put them in order, each once. */
static void keep_different(clump_recommend_answer *a)
{
    size_t used = 0;
    qsort(a->nics, a->nic_counts, sizeof *a->nics, compare_counts);
    for (size_t i = 0; i < a->nic_counts; i++)
        if (a->nics[i] > 0 && (used == 0 || a->nics[i] != a->nics[used - 1]))
            a->nics[used++] = a->nics[i];
    a->nic_counts = used;
}

/* Those that were asked for, if any. */
static clump_status take_asked(work *w)
{
    const clump_recommend_question *question = w->question;
    clump_recommend_answer *a = w->answer;
    const size_t P = question->node.processors;
    /* Beside them powers of two below 2^64, and those of the answer. */
    a->nics = calloc(question->nic_counts + CLUMP_RECOMMEND_ALL_UP_TO + 80, sizeof *a->nics);
    if (a->nics == NULL)
        return clump_fail_memory(w->error, "numbers of NICs");
    for (; a->nic_counts < question->nic_counts; a->nic_counts++)
        a->nics[a->nic_counts] = question->nics[a->nic_counts];
    keep_different(a);
    const size_t most = P > CLUMP_MAX_PROCESSORS / 4 ? CLUMP_MAX_PROCESSORS : 4 * P;
    const size_t asked = a->nic_counts > 0 ? a->nics[a->nic_counts - 1] : 1;
    a->greatest = asked > most ? asked : most;
    a->most = a->greatest / a->unit * a->unit;
    return CLUMP_OK;
}

/* Those that are worth a look. */
static void take_usual(work *w)
{
    clump_recommend_answer *a = w->answer;
    const size_t P = w->question->node.processors, unit = a->unit, best = a->least[a->verdict].nics;
    const bool all = P <= CLUMP_RECOMMEND_ALL_UP_TO;
    for (size_t n = all ? 1 : unit; all ? n <= P : n < P; n = all ? n + 1 : 2 * n)
        a->nics[a->nic_counts++] = n;
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++)
        a->nics[a->nic_counts++] = a->least[k].nics;
    a->nics[a->nic_counts++] = P / unit * unit;
    a->nics[a->nic_counts++] = a->cautious;
    a->nics[a->nic_counts++] = best > unit ? best - unit : 0;
    keep_different(a);
}

/* Calls are not played on numbers that nobody sees, and say themselves who communicates together. */
static void take_played(clump_recommend_answer *a)
{
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++)
        a->least[k] = (clump_least_nics){
            .nics = a->enough[k], .real = NAN, .tried = a->nics[a->nic_counts - 1]};
    a->most = a->nics[a->nic_counts - 1];
    a->cautious_refused = true;
}

static void choose(clump_recommend_answer *a)
{
    a->chosen = a->cheapest = a->verdict;
    for (size_t i = a->verdict; i < a->count; i += CLUMP_RECOMMEND_ARRANGEMENTS) {
        const clump_recommend_option *o = &a->options[i], *best = &a->options[a->chosen];
        if (!best->enough && (o->enough || o->slowdown < best->slowdown))
            a->chosen = i;
        if (o->work_price < a->options[a->cheapest].work_price)
            a->cheapest = i;
    }
}

/* What the answer hangs on. */
static clump_status find_trust(work *w)
{
    clump_recommend_answer *a = w->answer;
    const clump_recommend_question *question = w->question;
    const clump_recommend_option *o = &a->options[a->chosen];
    over_utilization over = {make_node(question, o->arrangement, o->nics), question->load};
    a->holds_up_to = a->slowdown_less = a->slowdown_more = NAN;
    if (question->recorded != NULL) /* of ranks that differ there is no one utilization */
        return CLUMP_OK;
    const double U = *question->load.utilizations, less = U - CLUMP_RECOMMEND_STEP,
                 more = U + CLUMP_RECOMMEND_STEP;
    clump_status status =
        less >= 0 ? slowdown_at(less, &a->slowdown_less, &over, w->error) : CLUMP_OK;
    if (status == CLUMP_OK && more <= 1)
        status = slowdown_at(more, &a->slowdown_more, &over, w->error);
    if (status == CLUMP_OK)
        status = clump_utilizations_within(&over.node, &over.load, question->limit, a->within,
                                           &a->ranges, w->error);
    for (size_t i = 0; status == CLUMP_OK && i < a->ranges; i++)
        if (U >= a->within[2 * i] && U <= a->within[2 * i + 1])
            a->holds_up_to = a->within[2 * i + 1];
    return status;
}

clump_status clump_recommend(const clump_recommend_question *question,
                             clump_recommend_answer *answer, clump_error *error)
{
    clump_error own;
    work w = {question, answer, error != NULL ? error : &own};
    *answer = (clump_recommend_answer){.verdict = question->limited ? CLUMP_RECOMMEND_LIMITED
                                                                    : CLUMP_RECOMMEND_POOLED};
    const clump_node node = make_node(question, CLUMP_RECOMMEND_POOLED, 1);
    answer->unit = clump_least_nics_unit(&node);
    clump_status status = take_asked(&w);
    if (status == CLUMP_OK && question->recorded == NULL)
        status = find_least(&w);
    if (status == CLUMP_OK && question->recorded == NULL)
        status = find_cautious(&w);
    if (status == CLUMP_OK && answer->nic_counts == 0)
        take_usual(&w);
    if (status == CLUMP_OK)
        status = fill_options(&w);
    if (status != CLUMP_OK)
        return status;
    if (question->recorded != NULL)
        take_played(answer);
    choose(answer);
    return find_trust(&w);
}

void clump_recommend_answer_release(clump_recommend_answer *answer)
{
    free(answer->options);
    free(answer->nics);
    answer->options = NULL;
    answer->nics = NULL;
}
