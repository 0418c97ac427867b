/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/slowdown_plot.h"

#include "cli/output/errors.h"
#include "cli/pictures/result_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Points of a curve: many where each takes no time. */
enum { MANY = 101, FEW = 21, MOST_NICS = 64 };

/* The answers to other questions of the same kind: of each curve those with its title. */
typedef struct neighbours {
    const slowdown_pictures *of;
    clump_result rows[MANY + MOST_NICS + 1];
    size_t count;
    char titles[2][200];
} neighbours;

/* NAN where there is no answer, such as for fewer NICs than a mapping has groups. */
static clump_status ask(neighbours *n, size_t curve, size_t nics, double utilization,
                        clump_error *error)
{
    clump_node node = *n->of->node;
    clump_load load = *n->of->load;
    clump_prediction prediction;
    clump_result *row = &n->rows[n->count];
    node.nics = nics;
    load.utilizations = &utilization;
    const clump_status status = clump_predict(&node, &load, &prediction, NULL, error);
    if (status == CLUMP_NO_MEMORY || status == CLUMP_STOPPED)
        return status;
    *row = n->of->results[0];
    row->scenario = n->titles[curve];
    row->nics = nics;
    row->utilization = utilization;
    row->slowdown = row->slowest_slowdown = status == CLUMP_OK ? prediction.slowdown : NAN;
    n->count++;
    return CLUMP_OK;
}

static clump_status over_utilization(neighbours *n, clump_error *error)
{
    const clump_node *node = n->of->node;
    const int points = node->processors > 100000 ? FEW : MANY;
    clump_status status = CLUMP_OK;
    for (int i = 0; i < points && status == CLUMP_OK; i++)
        status = ask(n, 0, node->nics, (double)i / (points - 1), error);
    return status;
}

/* From 1 to as many as there are processors, or twice as many as were asked for. */
static clump_status over_nics(neighbours *n, clump_error *error)
{
    const size_t P = n->of->node->processors, N = n->of->node->nics;
    const size_t most = P <= MOST_NICS && P > N          ? P
                        : 2 * N > MOST_NICS || 2 * N > P ? N + 1
                                                         : 2 * N;
    const size_t step = (most - 1) / MOST_NICS + 1;
    clump_status status = CLUMP_OK;
    for (size_t nics = 1; nics <= most && status == CLUMP_OK; nics += step)
        status = ask(n, 1, nics, n->of->load->utilizations[0], error);
    return status;
}

/* What stays the same in each picture; where the answer is in it. */
static int draw_neighbours(neighbours *n)
{
    const slowdown_pictures *of = n->of;
    const clump_result *r = of->results;
    const double X = r->slowdown;
    char what[2][40], names[2][80], demand[CLUMP_DEMAND_NAME_SIZE];
    result_plots plots;
    clump_error error = {CLUMP_OK, ""};
    clump_demand_name(r->demand, r->gang_size, demand);
    snprintf(what[0], sizeof what[0], "%zu NIC%s", r->nics, r->nics == 1 ? "" : "s");
    snprintf(what[1], sizeof what[1], "U = %.4g", r->utilization);
    for (size_t i = 0; i < 2; i++) {
        snprintf(n->titles[i], sizeof n->titles[i], "%zu processors, %s, %s mapping, %s demand",
                 r->processors, what[i], clump_mapping_name(r->mapping), demand);
        snprintf(names[i], sizeof names[i], X < 1e6 ? "%s: X = %.4f" : "%s: X = %.6g", what[1 - i],
                 X);
    }
    clump_status status = over_utilization(n, &error);
    if (status == CLUMP_OK && of->node->group_sizes == NULL) /* those are of this number */
        status = over_nics(n, &error);
    if (status != CLUMP_OK)
        return status == CLUMP_NO_MEMORY ? error_memory(of->request->command)
                                         : error_failed(of->request->command, "%s", error.message);
    int done = result_plots_make(n->rows, NULL, n->count, RESULT_PLOT_LINES, &plots);
    for (size_t i = 0; i < plots.count && done == EXIT_DONE; i++)
        done = result_plots_mark(&plots, i, names[i], i == 0 ? r->utilization : (double)r->nics, X);
    done = done == EXIT_DONE ? plot_request_draw(of->request, plots.plots, plots.count)
                             : error_memory(of->request->command);
    result_plots_free(&plots);
    return done;
}

/* A place for each processor, or each utilization. */
static int draw_processors(const slowdown_pictures *of)
{
    result_plots plots;
    char title[80];
    int status = result_plots_make(of->results, NULL, of->count, RESULT_PLOT_LINES, &plots);
    if (status == EXIT_FAILED)
        error_memory(of->request->command);
    if (status == EXIT_INPUT)
        error_input(of->request->command, "%s", plots.problem);
    snprintf(title, sizeof title, "%zu processors, %zu NIC%s", of->node->processors, of->node->nics,
             of->node->nics == 1 ? "" : "s");
    if (status == EXIT_DONE) { /* of one scenario */
        plots.plots->title = title;
        status = plot_request_draw(of->request, plots.plots, 1);
    }
    result_plots_free(&plots);
    return status;
}

int slowdown_plot(const slowdown_pictures *of)
{
    if (of->count > 1)
        return draw_processors(of);
    neighbours *n = malloc(sizeof *n);
    if (n == NULL)
        return error_memory(of->request->command);
    n->of = of;
    n->count = 0;
    const int status = draw_neighbours(n);
    free(n);
    return status;
}
