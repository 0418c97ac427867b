/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exploring/recommend.h"

#include "model/limit.h"
#include "model/root.h"

#include <math.h>
#include <stdlib.h>

/* A node of the question: its arrangement and number of NICs. */
static clump_node make_node(const clump_recommend_question *question, size_t arrangement,
                            size_t nics)
{
    return (clump_node){
        .processors = question->processors,
        .nics = nics,
        .mapping =
            arrangement == CLUMP_RECOMMEND_TIED ? CLUMP_MAPPING_STATIC : CLUMP_MAPPING_POOLED,
        .max_nics_per_processor =
            arrangement == CLUMP_RECOMMEND_LIMITED ? question->max_nics_per_processor : 0,
        .placement = question->placement,
    };
}

/* What its processors do. */
static clump_load make_load(const clump_recommend_question *question)
{
    return (clump_load){
        .utilizations = &question->utilization,
        .utilization_count = 1,
        .demand = question->demand,
        .gang_size = question->gang_size,
        .coupling = question->coupling,
    };
}

typedef struct work {
    const clump_recommend_question *question;
    clump_recommend_answer *answer;
    clump_error *error;
} work;

static clump_status predict(work *w, const clump_node *node, clump_demand demand,
                            clump_prediction *prediction)
{
    clump_load load = make_load(w->question);
    load.demand = demand;
    return clump_predict(node, &load, prediction, NULL, w->error);
}

static clump_status fill_option(work *w, clump_recommend_option *o)
{
    const clump_recommend_question *question = w->question;
    const clump_node node = make_node(question, o->arrangement, o->nics);
    static const clump_demand demands[] = {CLUMP_DEMAND_INDEPENDENT, CLUMP_DEMAND_CORRELATED,
                                           CLUMP_DEMAND_SCHEDULED};
    double *const slowdowns[] = {&o->independent, &o->correlated, &o->scheduled};
    clump_prediction prediction;
    clump_status status = predict(w, &node, question->demand, &prediction);
    if (status != CLUMP_OK)
        return status;
    o->slowdown = clump_prediction_pace(&prediction, question->demand);
    o->nic_utilization = prediction.nic_utilization;
    o->enough = clump_is_within(o->slowdown, question->limit,
                                clump_slowdown_accuracy(question->processors, 0));
    for (size_t d = 0; d < 3 && status == CLUMP_OK; d++) {
        status = predict(w, &node, demands[d], &prediction);
        if (status == CLUMP_OK)
            *slowdowns[d] = clump_prediction_pace(&prediction, demands[d]);
    }
    o->price = o->work_price = NAN;
    if (question->priced) {
        o->price = question->node_price + (double)o->nics * question->nic_price;
        o->work_price = o->price * o->slowdown / (double)question->processors;
    }
    return status;
}

static clump_status fill_options(work *w)
{
    clump_recommend_answer *a = w->answer;
    const clump_recommend_question *question = w->question;
    for (size_t i = 0; i < question->nic_counts; i++)
        for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++) {
            clump_recommend_option *o = &a->options[a->count++];
            o->nics = question->nics[i];
            o->arrangement = k;
            o->most_nics = k == CLUMP_RECOMMEND_LIMITED ? question->max_nics_per_processor : NAN;
            const clump_status status = fill_option(w, o);
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
    return CLUMP_OK;
}

static clump_status find_least(work *w)
{
    const clump_recommend_question *question = w->question;
    const clump_load load = make_load(question);
    const size_t greatest = question->nics[question->nic_counts - 1];
    size_t most = question->processors > CLUMP_MAX_PROCESSORS / 4 ? CLUMP_MAX_PROCESSORS
                                                                  : 4 * question->processors;
    if (greatest > most)
        most = greatest;
    if (question->placement.domains > 1 && most > 4096)
        most = 4096; /* there every number has to be tried */
    clump_status status = CLUMP_OK;
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS && status == CLUMP_OK; k++) {
        const clump_node node = make_node(question, k, 1);
        status = clump_least_nics_find(&node, &load, question->limit, most, &w->answer->least[k],
                                       w->error);
    }
    if (status == CLUMP_OK) {
        clump_load together = load;
        clump_least_nics least;
        const clump_node node = make_node(question, w->answer->verdict, 1);
        together.demand = CLUMP_DEMAND_CORRELATED;
        status = clump_least_nics_find(&node, &together, question->limit, most, &least, w->error);
        if (status == CLUMP_OK)
            w->answer->least_correlated = least.nics;
    }
    return status;
}

static void choose(const clump_recommend_question *question, clump_recommend_answer *a)
{
    a->verdict = question->limited ? CLUMP_RECOMMEND_LIMITED : CLUMP_RECOMMEND_POOLED;
    a->chosen = a->cheapest = a->verdict;
    for (size_t i = a->verdict; i < a->count; i += CLUMP_RECOMMEND_ARRANGEMENTS) {
        const clump_recommend_option *o = &a->options[i], *best = &a->options[a->chosen];
        if (!best->enough && (o->enough || o->slowdown < best->slowdown))
            a->chosen = i;
        if (o->work_price < a->options[a->cheapest].work_price)
            a->cheapest = i;
    }
}

typedef struct over_utilization {
    clump_node node;
    clump_load load;
} over_utilization;

static clump_status slowdown_at(double U, double *value, void *context, clump_error *error)
{
    over_utilization *o = context;
    clump_prediction prediction;
    o->load.utilizations = &U;
    const clump_status status = clump_predict(&o->node, &o->load, &prediction, NULL, error);
    if (status == CLUMP_OK)
        *value = clump_prediction_pace(&prediction, o->load.demand);
    return status;
}

/* What the answer hangs on. */
static clump_status find_trust(work *w)
{
    clump_recommend_answer *a = w->answer;
    const clump_recommend_question *question = w->question;
    const clump_recommend_option *o = &a->options[a->chosen];
    over_utilization over = {make_node(question, o->arrangement, o->nics), make_load(question)};
    clump_status status = clump_derivative(slowdown_at, &over, question->utilization, 0, 1, 0.02,
                                           &a->slope, &a->slope_uncertainty, w->error);
    a->holds_up_to = NAN;
    if (status == CLUMP_OK && o->enough)
        status = clump_highest_utilization(&over.node, &over.load, question->limit,
                                           question->utilization, &a->holds_up_to, w->error);
    return status;
}

clump_status clump_recommend(const clump_recommend_question *question,
                             clump_recommend_answer *answer, clump_error *error)
{
    work w = {question, answer, error};
    *answer = (clump_recommend_answer){.options = NULL};
    answer->options =
        calloc(question->nic_counts * CLUMP_RECOMMEND_ARRANGEMENTS, sizeof *answer->options);
    if (answer->options == NULL)
        return clump_fail_memory(error, "options");
    clump_status status = fill_options(&w);
    if (status == CLUMP_OK) {
        choose(question, answer);
        status = find_least(&w);
    }
    return status == CLUMP_OK ? find_trust(&w) : status;
}

void clump_recommend_answer_release(clump_recommend_answer *answer)
{
    free(answer->options);
    answer->options = NULL;
}
