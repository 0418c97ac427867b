/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recommend_plot.h"

#include "cli/output/errors.h"
#include "cli/output/results.h"
#include "cli/pictures/result_dimensions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Every arrangement, the one that decides with all processors at once, the recommendation. */
enum { LINES = CLUMP_RECOMMEND_ARRANGEMENTS + 1, SERIES = LINES + 1 };

typedef struct picture {
    const clump_recommend_question *question;
    const clump_recommend_answer *answer;
    size_t counts; /* numbers of NICs */
    double *x;     /* of all lines, then the y of each */
    double chosen[2];
    char limited[40], correlated[80], recommended[64], level[48], title[120];
    plot_series series[SERIES];
    size_t series_count;
} picture;

static const clump_recommend_option *option_of(const picture *p, size_t count, size_t arrangement)
{
    return &p->answer->options[count * CLUMP_RECOMMEND_ARRANGEMENTS + arrangement];
}

static void add(picture *p, const char *name, size_t colour, const double *y)
{
    p->series[p->series_count++] =
        (plot_series){.name = name,
                      .mark = p->counts > 32 ? PLOT_LINE : PLOT_LINE_POINTS,
                      .colour = colour,
                      .x = p->x,
                      .y = y,
                      .count = p->counts};
}

static void add_lines(picture *p)
{
    const char *const names[] = {"pooled", p->limited, "static"};
    const size_t verdict = p->answer->verdict;
    double *y = p->x + p->counts;
    snprintf(p->limited, sizeof p->limited, "at most %.3g each",
             p->question->max_nics_per_processor);
    snprintf(p->correlated, sizeof p->correlated, "%s, all at once", names[verdict]);
    for (size_t i = 0; i < p->counts; i++)
        p->x[i] = (double)option_of(p, i, 0)->nics;
    for (size_t k = 0; k < CLUMP_RECOMMEND_ARRANGEMENTS; k++, y += p->counts) {
        for (size_t i = 0; i < p->counts; i++)
            y[i] = option_of(p, i, k)->slowdown;
        if (p->question->recorded == NULL || p->question->limited || k != CLUMP_RECOMMEND_LIMITED)
            add(p, names[k], k, y);
    }
    for (size_t i = 0; i < p->counts; i++)
        y[i] = option_of(p, i, verdict)->correlated;
    if (p->question->demand != CLUMP_DEMAND_CORRELATED && p->question->recorded == NULL)
        add(p, p->correlated, CLUMP_RECOMMEND_ARRANGEMENTS, y);
}

static void add_recommended(picture *p)
{
    const clump_recommend_option *o = &p->answer->options[p->answer->chosen];
    if (!o->enough)
        return;
    p->chosen[0] = (double)o->nics;
    p->chosen[1] = o->slowdown;
    snprintf(p->recommended, sizeof p->recommended, "recommended: %zu NIC%s", o->nics,
             o->nics == 1 ? "" : "s");
    p->series[p->series_count++] = (plot_series){.name = p->recommended,
                                                 .mark = PLOT_POINTS,
                                                 .measured = true, /* large: seen on the line */
                                                 .colour = PLOT_BLACK,
                                                 .x = &p->chosen[0],
                                                 .y = &p->chosen[1],
                                                 .count = 1};
}

static plot_picture describe(picture *p)
{
    const clump_recommend_question *q = p->question;
    char demand[CLUMP_DEMAND_NAME_SIZE];
    double least = INFINITY, most = 0;
    for (size_t i = p->counts; i < (1 + LINES) * p->counts; i++) {
        least = fmin(least, p->x[i]);
        most = fmax(most, p->x[i]);
    }
    clump_demand_name(q->demand, q->gang_size, demand);
    if (q->recorded != NULL)
        snprintf(p->title, sizeof p->title, "%zu processors, recorded calls", q->processors);
    else
        snprintf(p->title, sizeof p->title, "%zu processors, U = %.4g, %s demand", q->processors,
                 q->utilization, demand);
    if (q->limit > 1 || q->limit < 1)
        snprintf(p->level, sizeof p->level, "allowed: %.6g", q->limit);
    else
        snprintf(p->level, sizeof p->level, "allowed: 1 (as the NOW)");
    return (plot_picture){
        .title = p->title,
        .x = {.label = result_column("nics")->label,
              .whole = true,
              .logarithmic = result_is_geometric(p->x, p->counts)},
        .y = {.label = "Slowdown X (time on the Clump / on the NOW)",
              .logarithmic = least > 0 && most > 10 * least},
        .level = q->limit,
        .level_name = p->level,
        .series = p->series,
        .series_count = p->series_count,
    };
}

int recommend_plot(const plot_request *request, const clump_recommend_question *question,
                   const clump_recommend_answer *answer, output_format format)
{
    picture p = {.question = question,
                 .answer = answer,
                 .counts = answer->count / CLUMP_RECOMMEND_ARRANGEMENTS};
    if (p.counts > PLOT_MOST_POINTS / LINES)
        return error_input(request->command,
                           "no picture: found %zu numbers of NICs, expected %d at most", p.counts,
                           (int)PLOT_MOST_POINTS / LINES);
    p.x = calloc((1 + LINES) * p.counts + 1, sizeof *p.x);
    if (p.x == NULL)
        return error_memory(request->command);
    add_lines(&p);
    add_recommended(&p);
    const plot_picture plot = describe(&p);
    const int status = plot_request_draw(request, &plot, 1, format);
    free(p.x);
    return status;
}
