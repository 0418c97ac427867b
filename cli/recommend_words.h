/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_WORDS_H
#define CLUMP_CLI_RECOMMEND_WORDS_H

/*
 * What `clumpmodel recommend` says of its answer, on standard output in lines of at most 80 places.
 */

#include "cli/recommend_application.h"
#include "exploring/recommend.h"

/** What was asked, and what was found. */
typedef struct recommend_report {
    const clump_recommend_question *question;
    const clump_recommend_answer *answer;
    const recommend_application *application; /**< NULL: none was named */
} recommend_report;

/** How many NICs are enough, in one sentence, and an empty line. */
void recommend_print_verdict(const recommend_report *report);
/** That the table, which is above, does not show all numbers, if so; and what is cheapest, if there are prices. */
void recommend_print_beside(const recommend_report *report);
/** How far to trust it: intervals, the least number, the utilization, the demand. */
void recommend_print_trust(const recommend_report *report);

#endif
