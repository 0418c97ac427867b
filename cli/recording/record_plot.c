/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures of a recording: what ranks did when, and how many of a node were in MPI at once. */
#include "cli/recording/record_plot.h"

#include "cli/output/errors.h"
#include "cli/recording/schedule_source.h"
#include "fitting/gangs/gang_fit.h"
#include "recording/overlap_facts.h"
#include "recording/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 600, MOST_RANKS = 64, MOST_PROCESSORS = 4096 };

/* ---- the timeline */

typedef struct stretches {
    double *begin, *end, *rank;
    size_t count;
} stretches;

typedef struct timeline_picture {
    clump_timeline timeline;
    stretches of[CLUMP_TIMELINE_STATES];
    double *memory;
    plot_series series[CLUMP_TIMELINE_STATES];
    char title[200];
    plot_picture plot;
} timeline_picture;

/* Columns in which a rank does the same make one stretch. */
static void find_stretches(timeline_picture *p)
{
    const clump_timeline *t = &p->timeline;
    const double width = (t->end - t->begin) / (double)t->columns;
    for (size_t r = 0; r < t->ranks; r++)
        for (size_t c = 0, next; c < t->columns; c = next) {
            const clump_timeline_state state = clump_timeline_at(t, r, c);
            for (next = c + 1; next < t->columns && clump_timeline_at(t, r, next) == state;)
                next++;
            stretches *s = &p->of[state];
            s->begin[s->count] = (double)c * width;
            s->end[s->count] = (double)next * width;
            s->rank[s->count++] = (double)r;
        }
}

static bool make_timeline(timeline_picture *p, const clump_facts *facts)
{
    static const char *const names[CLUMP_TIMELINE_STATES] = {
        "computing", "transferring", "waiting for a late partner", "in MPI, not told apart"};
    static const size_t colours[CLUMP_TIMELINE_STATES] = {2, 0, 1, 6};
    const size_t most = p->timeline.ranks * p->timeline.columns;
    p->memory = malloc((3 * CLUMP_TIMELINE_STATES * most + 1) * sizeof *p->memory);
    if (p->memory == NULL)
        return false;
    for (size_t s = 0; s < CLUMP_TIMELINE_STATES; s++) {
        double *first = p->memory + 3 * s * most;
        p->of[s] = (stretches){first, first + most, first + 2 * most, 0};
    }
    find_stretches(p);
    size_t used = 0;
    for (size_t s = 0; s < CLUMP_TIMELINE_STATES; s++)
        if (p->of[s].count > 0)
            p->series[used++] = (plot_series){.name = names[s],
                                              .mark = PLOT_SPANS,
                                              .colour = colours[s],
                                              .x = p->of[s].begin,
                                              .high = p->of[s].end,
                                              .y = p->of[s].rank,
                                              .count = p->of[s].count};
    const size_t ranks = facts->rank_count;
    if (ranks > p->timeline.ranks)
        snprintf(p->title, sizeof p->title, "%.80s: ranks 0 to %zu of %zu",
                 facts->program != NULL ? facts->program : "recording", p->timeline.ranks - 1,
                 ranks);
    else
        snprintf(p->title, sizeof p->title, "%.80s: what its ranks did",
                 facts->program != NULL ? facts->program : "recording");
    p->plot = (plot_picture){.title = p->title,
                             .x = {.label = "Time since MPI_Init (s)"},
                             .y = {.label = "Rank", .whole = true},
                             .series = p->series,
                             .series_count = used};
    return true;
}

static int add_timeline(const command_invocation *invocation, const char *folder,
                        const clump_facts *facts, timeline_picture *p)
{
    const char *command = invocation->arguments.command;
    char message[CLUMP_FACTS_MESSAGE] = "";
    clump_recording *recording = NULL;
    if (clump_recording_open(folder, &recording) != CLUMP_RECORDING_OK) {
        const int status = recording == NULL
                               ? error_memory(command)
                               : error_input(command, "%s", clump_recording_message(recording));
        clump_recording_close(recording);
        return status;
    }
    const clump_facts_status made =
        clump_timeline_make(recording, COLUMNS, MOST_RANKS, &p->timeline, message);
    clump_recording_close(recording);
    if (made != CLUMP_FACTS_OK)
        return error_told(command, made == CLUMP_FACTS_INPUT, message);
    return make_timeline(p, facts) ? EXIT_DONE : error_memory(command);
}

/* ---- the histogram of q */

typedef struct histogram_picture {
    size_t processors;
    double *q, *share, *independent, *gang, *correlated; /* in one piece, at q */
    plot_series series[4];
    char title[200], name[80];
    plot_picture plot;
} histogram_picture;

/* Of all nodes with the most ranks together. */
static bool sum_collisions(const clump_facts *facts, histogram_picture *h)
{
    size_t *ranks = calloc(facts->node_count + 1, sizeof *ranks);
    double sum = 0;
    size_t P = 0;
    if (ranks == NULL)
        return false;
    for (size_t i = 0; i < facts->collision_count; i++) {
        const clump_facts_collision *c = &facts->collisions[i];
        if ((size_t)c->node < facts->node_count && (size_t)c->q > ranks[c->node])
            ranks[c->node] = (size_t)c->q;
    }
    for (size_t n = 0; n < facts->node_count; n++)
        P = ranks[n] > P ? ranks[n] : P;
    P = P <= MOST_PROCESSORS ? P : 0;
    h->processors = P;
    h->q = calloc(5 * (P + 1), sizeof *h->q);
    if (h->q == NULL) {
        free(ranks);
        return false;
    }
    h->share = h->q + P + 1;
    h->independent = h->share + P + 1;
    h->gang = h->independent + P + 1;
    h->correlated = h->gang + P + 1;
    for (size_t i = 0; i < facts->collision_count; i++) {
        const clump_facts_collision *c = &facts->collisions[i];
        if ((size_t)c->node >= facts->node_count || ranks[c->node] != P || (size_t)c->q > P)
            continue;
        h->share[c->q] += c->seconds;
        sum += c->seconds;
    }
    for (size_t q = 0; q <= P; q++) {
        h->q[q] = (double)q;
        h->share[q] = sum > 0 ? h->share[q] / sum : 0;
    }
    if (!(sum > 0))
        h->processors = 0;
    free(ranks);
    return true;
}

/* s of those that were in MPI together, from the windows of nodes of P; NAN: it cannot be told. */
static double find_gang(const clump_facts *facts, size_t P)
{
    clump_overlap_window *windows = malloc((facts->overlap_count + 1) * sizeof *windows);
    clump_gang_fit fit = {.gang_size = NAN};
    size_t count = 0;
    for (size_t i = 0; windows != NULL && i < facts->overlap_count; i++) {
        const clump_facts_overlap *o = &facts->overlaps[i];
        if (o->processors == (int64_t)P && strcmp(o->doing, CLUMP_OVERLAP_IN_MPI) == 0)
            windows[count++] = (clump_overlap_window){o->seconds, o->active, o->squared};
    }
    const clump_gang_question question = {
        .processors = P, .windows = windows, .window_count = count, .confidence = 0.9};
    if (count == 0 || clump_gang_fit_compute(&question, &fit, NULL) != CLUMP_OK)
        fit.gang_size = NAN;
    free(windows);
    return fit.gang_size;
}

static void add_model(histogram_picture *h, const char *name, size_t colour, double mean,
                      double gang, double *shares)
{
    if (clump_gang_distribution(h->processors, 0, mean, gang, shares, NULL) != CLUMP_OK)
        return;
    h->series[h->plot.series_count++] = (plot_series){.name = name,
                                                      .mark = PLOT_LINE_POINTS,
                                                      .colour = colour,
                                                      .x = h->q,
                                                      .y = shares,
                                                      .count = h->processors + 1};
}

static bool make_histogram(const clump_facts *facts, histogram_picture *h)
{
    double mean = 0;
    if (!sum_collisions(facts, h))
        return false;
    const size_t P = h->processors;
    if (P < 2)
        return true;
    for (size_t q = 0; q <= P; q++)
        mean += (double)q * h->share[q];
    snprintf(h->title, sizeof h->title,
             "How many of the %zu ranks of a node are in MPI at once (%.2f on average)", P, mean);
    h->plot = (plot_picture){.title = h->title,
                             .x = {.label = "Ranks in MPI at once, q", .whole = true},
                             .y = {.label = "Share of the time"},
                             .series = h->series};
    add_model(h, "independent", 0, mean, 1, h->independent);
    const double s = find_gang(facts, P);
    if (isfinite(s) && s > 1 && s < (double)P) {
        snprintf(h->name, sizeof h->name, "gangs of %.3g", s);
        add_model(h, h->name, 2, mean, s, h->gang);
    }
    add_model(h, "correlated", 1, mean, (double)P, h->correlated);
    h->series[h->plot.series_count++] = (plot_series){.name = "recorded",
                                                      .mark = PLOT_POINTS,
                                                      .measured = true,
                                                      .colour = PLOT_BLACK,
                                                      .x = h->q,
                                                      .y = h->share,
                                                      .count = P + 1};
    return true;
}

/* ---- */

int record_plot(const command_invocation *invocation, const plot_request *request,
                const char *folder, const clump_facts *facts)
{
    const char *command = invocation->arguments.command;
    timeline_picture timeline = {.memory = NULL};
    histogram_picture histogram = {.q = NULL};
    plot_picture plots[2];
    size_t count = 0;
    int status = EXIT_DONE;
    if (folder != NULL && recorded_schedules_is_folder(folder))
        status = add_timeline(invocation, folder, facts, &timeline);
    if (status == EXIT_DONE && !make_histogram(facts, &histogram))
        status = error_memory(command);
    if (status == EXIT_DONE && timeline.plot.series_count > 0)
        plots[count++] = timeline.plot;
    if (status == EXIT_DONE && histogram.plot.series_count > 0)
        plots[count++] = histogram.plot;
    if (status == EXIT_DONE && count == 0)
        status = error_input(command, "--plot: found nothing to draw: a node with several ranks, "
                                      "or the folder of a recording, is expected");
    if (status == EXIT_DONE)
        status = plot_request_draw(request, plots, count);
    clump_timeline_free(&timeline.timeline);
    free(timeline.memory);
    free(histogram.q);
    return status;
}
