/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RECOMMEND_ANSWER_H
#define RECOMMEND_ANSWER_H

/*
 * What the model says to a question of `clumpmodel recommend`.
 */

#include "exploring/recommend_question.h"
#include "model/least_nics.h"

/** One number of NICs in one arrangement. */
typedef struct clump_recommend_option {
    size_t nics;
    size_t arrangement;
    double slowdown; /**< with the demand that was asked for */
    double independent, correlated, scheduled;
    double nic_utilization;
    bool enough;
    double saved;             /**< share of the time that each NIC more than in the count before
                                   saves; NAN for the first */
    double price, work_price; /**< of the node; for the work of one NOW machine. NAN: no prices */
} clump_recommend_option;

/** NAN and 0 where there is none. */
typedef struct clump_recommend_answer {
    clump_recommend_option *options; /**< all arrangements of the first count, of the second ... */
    size_t count;
    size_t enough[CLUMP_RECOMMEND_ARRANGEMENTS]; /**< least of the counts asked for */
    clump_least_nics
        least[CLUMP_RECOMMEND_ARRANGEMENTS]; /**< of all counts up to 4 P and those asked for */
    size_t verdict;     /**< arrangement that decides: pooled, or limited if m was given */
    size_t chosen;      /**< index of the option to take: the least that is enough, or the
                             best there is */
    double holds_up_to; /**< utilization at which `chosen` is just enough */
    double slope, slope_uncertainty; /**< dX/dU of `chosen` */
    size_t least_correlated;         /**< NICs that are enough if all communicate at once */
    size_t cheapest;                 /**< index of the option with the lowest work_price */
} clump_recommend_answer;

/** Compute; complains itself. Free the answer in any case. */
int clump_recommend_answer_make(const command_line *arguments,
                                const clump_recommend_question *question,
                                clump_recommend_answer *answer);
void clump_recommend_answer_free(clump_recommend_answer *answer);

#endif
