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
    const int points = node->processors > 100000 || n->of->load->phase_cycles > 0 ? FEW : MANY;
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
static int draw_neighbours(neighbours *n, const plot_picture *distribution)
{
    const slowdown_pictures *of = n->of;
    const clump_result *r = of->results;
    const double X = r->slowdown;
    char what[2][40], names[2][80], demand[CLUMP_DEMAND_NAME_SIZE];
    plot_picture all[3];
    size_t count = 0;
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
    for (; count < plots.count && done == EXIT_DONE; count++) {
        done = result_plots_mark(&plots, count, names[count],
                                 count == 0 ? r->utilization : (double)r->nics, X);
        all[count] = plots.plots[count];
    }
    if (distribution != NULL)
        all[count++] = *distribution;
    done = done == EXIT_DONE ? plot_request_draw(of->request, all, count)
                             : error_memory(of->request->command);
    result_plots_free(&plots);
    return done;
}

/* A place for each processor, or each utilization. */
static int draw_processors(const slowdown_pictures *of, const plot_picture *distribution)
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
        plot_picture all[2] = {plots.plots[0]};
        all[0].title = title;
        if (distribution != NULL)
            all[1] = *distribution;
        status = plot_request_draw(of->request, all, distribution != NULL ? 2 : 1);
    }
    result_plots_free(&plots);
    return status;
}

int slowdown_plot(const slowdown_pictures *of)
{
    const size_t points = of->distribution != NULL ? of->node->processors + 1 : 0;
    if (points > PLOT_MOST_POINTS)
        return error_input(of->request->command,
                           "no picture: found %zu processors, expected fewer than %d for the "
                           "distribution",
                           of->node->processors, (int)PLOT_MOST_POINTS);
    neighbours *n = malloc(sizeof *n);
    double *x = malloc((points + 1) * sizeof *x);
    for (size_t q = 0; q < points && x != NULL; q++)
        x[q] = (double)q;
    const plot_series probabilities = {.mark = points <= MOST_NICS ? PLOT_LINE_POINTS : PLOT_LINE,
                                       .x = x,
                                       .y = of->distribution,
                                       .count = points};
    const plot_picture distribution = {
        .title = "How many processors communicate at the same time",
        .x = {.label = "Processors that communicate", .whole = true},
        .y = {.label = "Probability"},
        .series = &probabilities,
        .series_count = 1,
    };
    const plot_picture *beside = points > 0 ? &distribution : NULL;
    int status = EXIT_DONE;
    if (n == NULL || x == NULL) {
        status = error_memory(of->request->command);
    } else if (of->count > 1) {
        status = draw_processors(of, beside);
    } else {
        n->of = of;
        n->count = 0;
        status = draw_neighbours(n, beside);
    }
    free(n);
    free(x);
    return status;
}
