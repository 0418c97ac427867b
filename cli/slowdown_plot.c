/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/slowdown_plot.h"

#include "cli/output/errors.h"
#include "cli/output/results.h"
#include "cli/pictures/result_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Points of a curve: many where each takes no time. */
enum { MANY = 101, FEW = 21, MOST_NICS = 64 };

/* A curve, the answer on it, and the picture of both. */
typedef struct curve {
    double *x, *y; /* on the heap, in one piece */
    size_t count;
    double answer[2];
    plot_series series[2];
    char title[160], name[64];
    plot_picture plot;
} curve;

/* ---- other questions of the same kind */

/* NAN where there is no answer, such as for fewer NICs than a mapping has groups. */
static clump_status ask(const slowdown_pictures *of, size_t nics, double utilization,
                        double *slowdown, clump_error *error)
{
    clump_node node = *of->node;
    clump_load load = *of->load;
    clump_prediction prediction;
    node.nics = nics;
    load.utilizations = &utilization;
    const clump_status status = clump_predict(&node, &load, &prediction, NULL, error);
    *slowdown = status == CLUMP_OK ? prediction.slowdown : NAN;
    return status == CLUMP_NO_MEMORY || status == CLUMP_STOPPED ? status : CLUMP_OK;
}

static bool make_room(curve *c, size_t count)
{
    c->x = calloc(2 * count, sizeof *c->x);
    c->y = c->x != NULL ? c->x + count : NULL;
    c->count = count;
    return c->x != NULL;
}

static clump_status over_utilization(const slowdown_pictures *of, curve *c, clump_error *error)
{
    const bool slow = of->node->processors > 100000 || of->load->phase_cycles > 0;
    clump_status status = CLUMP_OK;
    if (!make_room(c, slow ? FEW : MANY))
        return CLUMP_NO_MEMORY;
    for (size_t i = 0; i < c->count && status == CLUMP_OK; i++) {
        c->x[i] = (double)i / (double)(c->count - 1);
        status = ask(of, of->node->nics, c->x[i], &c->y[i], error);
    }
    c->answer[0] = of->load->utilizations[0];
    c->plot.x.label = result_column("utilization")->label;
    return status;
}

/* From 1 to as many as there are processors, or twice as many as were asked for. */
static clump_status over_nics(const slowdown_pictures *of, curve *c, clump_error *error)
{
    const size_t P = of->node->processors, N = of->node->nics;
    const size_t most = P <= MOST_NICS && P > N          ? P
                        : 2 * N > MOST_NICS || 2 * N > P ? N + 1
                                                         : 2 * N;
    const size_t step = (most - 1) / MOST_NICS + 1;
    clump_status status = CLUMP_OK;
    if (!make_room(c, (most - 1) / step + 1))
        return CLUMP_NO_MEMORY;
    for (size_t i = 0; i < c->count && status == CLUMP_OK; i++) {
        const size_t nics = 1 + i * step;
        c->x[i] = (double)nics;
        status = ask(of, nics, of->load->utilizations[0], &c->y[i], error);
    }
    c->answer[0] = (double)N;
    c->plot.x = (plot_axis){.label = result_column("nics")->label, .whole = true};
    return status;
}

/* ---- the pictures */

static bool is_wide(const curve *c)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < c->count; i++) {
        least = fmin(least, c->y[i]);
        most = fmax(most, c->y[i]);
    }
    return least > 0 && most > 10 * least;
}

/* @param what  stays the same in this picture; @param where the answer is */
static void finish(const slowdown_pictures *of, curve *c, const char *what, const char *where)
{
    const clump_result *r = of->results;
    char demand[CLUMP_DEMAND_NAME_SIZE];
    clump_demand_name(r->demand, r->gang_size, demand);
    snprintf(c->title, sizeof c->title, "%zu processors, %s, %s mapping, %s demand", r->processors,
             what, clump_mapping_name(r->mapping), demand);
    snprintf(c->name, sizeof c->name, r->slowdown < 1e6 ? "%s: X = %.4f" : "%s: X = %.6g", where,
             r->slowdown);
    c->answer[1] = r->slowdown;
    c->series[0] = (plot_series){.mark = c->plot.x.whole ? PLOT_LINE_POINTS : PLOT_LINE,
                                 .x = c->x,
                                 .y = c->y,
                                 .count = c->count};
    c->series[1] = (plot_series){.name = c->name,
                                 .mark = PLOT_POINTS,
                                 .measured = true, /* large: seen on the line */
                                 .colour = PLOT_BLACK,
                                 .x = &c->answer[0],
                                 .y = &c->answer[1],
                                 .count = 1};
    c->plot.title = c->title;
    c->plot.y = (plot_axis){.label = "Slowdown X (time on the Clump / on the NOW)",
                            .logarithmic = is_wide(c)};
    c->plot.level = 1;
    c->plot.level_name = "as fast as the NOW";
    c->plot.series = c->series;
    c->plot.series_count = 2;
}

static clump_status make_curves(const slowdown_pictures *of, curve curves[2], size_t *count,
                                clump_error *error)
{
    char nics[48], utilization[48];
    snprintf(nics, sizeof nics, "%zu NIC%s", of->node->nics, of->node->nics == 1 ? "" : "s");
    snprintf(utilization, sizeof utilization, "U = %.4g", of->load->utilizations[0]);
    clump_status status = over_utilization(of, &curves[0], error);
    finish(of, &curves[0], nics, utilization);
    *count = 1;
    if (status != CLUMP_OK || of->node->group_sizes != NULL) /* groups are those of this number */
        return status;
    status = over_nics(of, &curves[1], error);
    finish(of, &curves[1], utilization, nics);
    *count = 2;
    return status;
}

static bool make_distribution(const slowdown_pictures *of, curve *c)
{
    if (!make_room(c, of->node->processors + 1))
        return false;
    for (size_t q = 0; q < c->count; q++) {
        c->x[q] = (double)q;
        c->y[q] = of->distribution[q];
    }
    c->series[0] = (plot_series){.mark = c->count <= MOST_NICS ? PLOT_LINE_POINTS : PLOT_LINE,
                                 .x = c->x,
                                 .y = c->y,
                                 .count = c->count};
    c->plot = (plot_picture){
        .title = "How many processors communicate at the same time",
        .x = {.label = "Processors that communicate", .whole = true},
        .y = {.label = "Probability"},
        .series = c->series,
        .series_count = 1,
    };
    return true;
}

static int draw(const slowdown_pictures *of, const plot_picture *pictures, size_t count)
{
    curve distribution = {.count = 0};
    plot_picture all[3];
    size_t used = 0;
    for (; used < count && used < 2; used++)
        all[used] = pictures[used];
    if (of->distribution != NULL) {
        if (of->node->processors >= PLOT_MOST_POINTS)
            return error_input(of->request->command,
                               "no picture: found %zu processors, expected fewer than %d for the "
                               "distribution",
                               of->node->processors, (int)PLOT_MOST_POINTS);
        if (!make_distribution(of, &distribution))
            return error_memory(of->request->command);
        all[used++] = distribution.plot;
    }
    const int status = plot_request_draw(of->request, all, used);
    free(distribution.x);
    return status;
}

/* A place for each processor, or each utilization. */
static int plot_processors(const slowdown_pictures *of)
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
    for (size_t i = 0; i < plots.count; i++)
        plots.plots[i].title = title;
    if (status == EXIT_DONE)
        status = draw(of, plots.plots, plots.count);
    result_plots_free(&plots);
    return status;
}

int slowdown_plot(const slowdown_pictures *of)
{
    curve curves[2] = {{.count = 0}, {.count = 0}};
    size_t count = 0;
    clump_error error = {CLUMP_OK, ""};
    if (of->count > 1)
        return plot_processors(of);
    const clump_status computed = make_curves(of, curves, &count, &error);
    const plot_picture pictures[] = {curves[0].plot, curves[1].plot};
    int status = computed == CLUMP_OK ? draw(of, pictures, count)
                 : computed == CLUMP_NO_MEMORY
                     ? error_memory(of->request->command)
                     : error_failed(of->request->command, "%s", error.message);
    free(curves[0].x);
    free(curves[1].x);
    return status;
}
