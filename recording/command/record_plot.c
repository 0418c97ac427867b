/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a recording: what ranks did when. */
#include "recording/command/record_plot.h"

#include "cli/output/errors.h"
#include "cli/recording/recording_open.h"
#include "recording/command/recording_read.h"
#include "recording/timeline.h"

#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 600, MOST_RANKS = 64 };

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

static bool make_timeline(timeline_picture *p, const clump_report *report)
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
    const size_t ranks = report->rank_count;
    if (ranks > p->timeline.ranks)
        snprintf(p->title, sizeof p->title, "%.80s: ranks 0 to %zu of %zu",
                 report->program != NULL ? report->program : "recording", p->timeline.ranks - 1,
                 ranks);
    else
        snprintf(p->title, sizeof p->title, "%.80s: what its ranks did",
                 report->program != NULL ? report->program : "recording");
    p->plot = (plot_picture){.title = p->title,
                             .x = {.label = "Time since MPI_Init (s)"},
                             .y = {.label = "Rank", .whole = true},
                             .series = p->series,
                             .series_count = used};
    return true;
}

static int add_timeline(const command_invocation *invocation, const char *folder,
                        const clump_report *report, timeline_picture *p)
{
    const char *command = invocation->arguments.command;
    clump_recording *recording = NULL;
    int status = recording_open_folder(command, folder, &recording);
    if (status == EXIT_DONE)
        status = recording_told(command, recording,
                                clump_timeline_make(recording, COLUMNS, MOST_RANKS, &p->timeline));
    clump_recording_close(recording);
    if (status != EXIT_DONE)
        return status;
    return make_timeline(p, report) ? EXIT_DONE : error_memory(command);
}

int record_plot(const command_invocation *invocation, const plot_request *request,
                const char *folder, const clump_report *report)
{
    const char *command = invocation->arguments.command;
    timeline_picture timeline = {.memory = NULL};
    int status = EXIT_DONE;
    if (recording_is_folder(folder))
        status = add_timeline(invocation, folder, report, &timeline);
    if (status == EXIT_DONE && timeline.plot.series_count == 0)
        status = error_input(command, "--plot: found nothing to draw: the folder of a recording is "
                                      "expected");
    if (status == EXIT_DONE)
        status = plot_request_draw(request, &timeline.plot, 1);
    clump_timeline_free(&timeline.timeline);
    free(timeline.memory);
    return status;
}
