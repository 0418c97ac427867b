/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_PLOT_H
#define CLUMP_CLI_RECOMMEND_PLOT_H

/* The picture of `recommend`: the slowdown over the numbers of NICs, a line for each way to use them. */

#include "cli/pictures/plot_options.h"
#include "exploring/recommend.h"

/** Complains itself. @return exit code */
int recommend_plot(const plot_request *request, const clump_recommend_question *question,
                   const clump_recommend_answer *answer);

#endif
