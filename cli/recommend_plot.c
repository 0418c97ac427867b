/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recommend_plot.h"

#include "cli/output/errors.h"
#include "cli/pictures/result_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Every arrangement, and the one that decides with all processors at once. */
enum { LINES = CLUMP_RECOMMEND_ARRANGEMENTS + 1 };

/* Where both pooled arrangements are the same, and where calls say when they communicate, there are fewer. */
static bool has_line(const clump_recommend_question *q, size_t line)
{
    return line == CLUMP_RECOMMEND_LIMITED ? q->recorded == NULL || q->limited
           : line == LINES - 1 ? q->recorded == NULL && q->load.demand != CLUMP_DEMAND_CORRELATED
                               : true;
}

/* As results of a scenario with that title; returns how many. */
static size_t make_rows(const clump_recommend_question *q, const clump_recommend_answer *a,
                        const char *title, clump_result *rows)
{
    size_t count = 0;
    for (size_t line = 0; line < LINES; line++) {
        const bool together = line == LINES - 1;
        for (size_t i = together ? a->verdict : line; i < a->count && has_line(q, line);
             i += CLUMP_RECOMMEND_ARRANGEMENTS) {
            const clump_recommend_option *o = &a->options[i];
            const double X = together ? o->correlated : o->slowdown;
            rows[count++] = (clump_result){
                .scenario = title,
                .processors = q->node.processors,
                .nics = o->nics,
                .demand = together ? CLUMP_DEMAND_CORRELATED : q->load.demand,
                .gang_size = q->load.gang_size,
                .mapping = o->arrangement == CLUMP_RECOMMEND_TIED ? CLUMP_MAPPING_STATIC
                                                                  : CLUMP_MAPPING_POOLED,
                .max_nics_per_processor = isnan(o->most_nics) ? 0 : o->most_nics,
                .slowdown = X,
                .slowest_slowdown = X,
                .measured_slowdown = CLUMP_RESULT_NONE};
        }
    }
    return count;
}

int recommend_plot(const plot_request *request, const clump_recommend_question *q,
                   const clump_recommend_answer *a)
{
    const clump_recommend_option *chosen = &a->options[a->chosen];
    char title[120], level[48], recommended[64], demand[CLUMP_DEMAND_NAME_SIZE];
    clump_result *rows = calloc(LINES * a->count + 1, sizeof *rows);
    result_plots plots;
    if (rows == NULL)
        return error_memory(request->command);
    clump_demand_name(q->load.demand, q->load.gang_size, demand);
    snprintf(title, sizeof title, "%zu processors, recorded calls", q->node.processors);
    if (q->recorded == NULL)
        snprintf(title, sizeof title, "%zu processors, U = %.4g, %s demand", q->node.processors,
                 *q->load.utilizations, demand);
    snprintf(level, sizeof level, "allowed: %.6g%s", q->limit,
             q->limit > 1 || q->limit < 1 ? "" : " (as the NOW)");
    snprintf(recommended, sizeof recommended, "recommended: %zu NIC%s", chosen->nics,
             chosen->nics == 1 ? "" : "s");
    int status =
        result_plots_make(rows, NULL, make_rows(q, a, title, rows), RESULT_PLOT_LINES, &plots);
    if (status == EXIT_DONE && chosen->enough)
        status = result_plots_mark(&plots, 0, recommended, (double)chosen->nics, chosen->slowdown);
    if (status == EXIT_DONE) {
        plots.plots->level = q->limit;
        plots.plots->level_name = level;
        status = plot_request_draw(request, plots.plots, 1);
    } else {
        status = status == EXIT_FAILED ? error_memory(request->command)
                                       : error_input(request->command, "%s", plots.problem);
    }
    result_plots_free(&plots);
    free(rows);
    return status;
}
