/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The picture of a recording: what ranks did when. */
#include "recording/command/record_plot.h"

#include "cli/output/errors.h"
#include "cli/pictures/plot_builder.h"
#include "cli/recording/recording_open.h"
#include "recording/command/recording_read.h"
#include "recording/timeline.h"

enum { COLUMNS = 600, MOST_RANKS = 64 };

/* Columns in which a rank does the same make one stretch. */
static void add_stretches(plot_builder *b, const clump_timeline *t, clump_timeline_state state)
{
    const double width = (t->end - t->begin) / (double)t->columns;
    for (size_t r = 0; r < t->ranks; r++)
        for (size_t c = 0, next; c < t->columns; c = next) {
            const clump_timeline_state is = clump_timeline_at(t, r, c);
            for (next = c + 1; next < t->columns && clump_timeline_at(t, r, next) == is;)
                next++;
            const double begin = (double)c * width, end = (double)next * width;
            if (is == state)
                plot_builder_add_interval(b, begin, (double)r, begin, end);
        }
}

static bool is_there(const clump_timeline *t, clump_timeline_state state)
{
    for (size_t r = 0; r < t->ranks; r++)
        for (size_t c = 0; c < t->columns; c++)
            if (clump_timeline_at(t, r, c) == state)
                return true;
    return false;
}

static plot_picture describe(plot_builder *b, const clump_timeline *t, const clump_report *report)
{
    static const char *const names[CLUMP_TIMELINE_STATES] = {
        "computing", "transferring", "waiting for a late partner", "in MPI, not told apart"};
    static const size_t colours[CLUMP_TIMELINE_STATES] = {2, 0, 1, 6};
    const char *program = report->program != NULL ? report->program : "recording";
    const char *title = report->rank_count > t->ranks
                            ? plot_builder_text(b, "%.80s: ranks 0 to %zu of %zu", program,
                                                t->ranks - 1, report->rank_count)
                            : plot_builder_text(b, "%.80s: what its ranks did", program);
    for (int s = 0; s < CLUMP_TIMELINE_STATES; s++)
        if (is_there(t, (clump_timeline_state)s)) {
            plot_builder_series(
                b, &(plot_series){.name = names[s], .mark = PLOT_SPANS, .colour = colours[s]});
            add_stretches(b, t, (clump_timeline_state)s);
        }
    return (plot_picture){.title = title,
                          .x = {.label = "Time since MPI_Init (s)"},
                          .y = {.label = "Rank", .whole = true},
                          .series = b->series,
                          .series_count = b->count};
}

static int add_timeline(const command_invocation *invocation, const char *folder,
                        const clump_report *report, plot_builder *b, plot_picture *plot)
{
    const char *command = invocation->arguments.command;
    clump_recording *recording = NULL;
    clump_timeline timeline = {.ranks = 0};
    int status = recording_open_folder(command, folder, &recording);
    if (status == EXIT_DONE)
        status = recording_told(command, recording,
                                clump_timeline_make(recording, COLUMNS, MOST_RANKS, &timeline));
    clump_recording_close(recording);
    if (status == EXIT_DONE)
        *plot = describe(b, &timeline, report);
    clump_timeline_free(&timeline);
    return status;
}

int record_plot(const command_invocation *invocation, const plot_request *request,
                const char *folder, const clump_report *report)
{
    plot_builder b = plot_builder_start();
    plot_picture plot = {.title = NULL};
    int status = EXIT_DONE;
    if (recording_is_folder(folder))
        status = add_timeline(invocation, folder, report, &b, &plot);
    if (status == EXIT_DONE && !b.no_memory && b.count == 0)
        status = error_input(invocation->arguments.command,
                             "--plot: found nothing to draw: the folder of a recording is "
                             "expected");
    if (status == EXIT_DONE)
        return plot_builder_draw(&b, request, &plot, 1);
    clump_arena_free(b.arena);
    return status;
}
