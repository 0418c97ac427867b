/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/progress.h"

#include "cli/output/interrupt.h"
#include "cli/output/terminal.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define BAR_WIDTH 30
#define NOTE_WIDTH 24
#define PATIENCE_S 0.5 /* before the bar appears */
#define LEFT_WIDTH 15
#define REDRAW_S 0.1

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

void progress_start(progress_bar *progress, bool quiet)
{
    *progress = (progress_bar){.enabled = !quiet && isatty(STDERR_FILENO), .owner = pthread_self()};
    progress_restart(progress);
}

void progress_restart(progress_bar *progress)
{
    if (progress->enabled && clock_gettime(CLOCK_MONOTONIC, &progress->begin) != 0)
        progress->enabled = false;
}

static int look(double share, void *context)
{
    progress_bar *progress = context;
    if (!isnan(share) && pthread_equal(pthread_self(), progress->owner))
        progress_note(progress, share, "");
    return interrupt_wanted();
}

clump_watch progress_watch(progress_bar *progress)
{
    return (clump_watch){.look = look, .context = progress};
}

/* The time that is left, roughly: half a minute more or less makes no difference to an hour. */
static void show_left(double seconds, char *text, size_t size)
{
    if (seconds < 100)
        snprintf(text, size, "  %.0f s left", seconds);
    else
        snprintf(text, size, "  %.0f min left", seconds / 60);
}

void progress_update(progress_bar *progress, size_t done, size_t total)
{
    if (total > 0)
        progress_note(progress, done < total ? (double)done / (double)total : 1, "");
}

void progress_note(progress_bar *progress, double share, const char *note)
{
    if (!progress->enabled || seconds_since(&progress->begin) < PATIENCE_S ||
        (progress->shown && seconds_since(&progress->drawn) < REDRAW_S))
        return;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    const int filled = (int)(share * BAR_WIDTH);
    char bar[BAR_WIDTH + 1];
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    char left[24] = "";
    const double elapsed = seconds_since(&progress->begin);
    if (share > 0.02)
        show_left(elapsed * (1 - share) / share, left, sizeof left);
    char line[BAR_WIDTH + 10 + LEFT_WIDTH + NOTE_WIDTH + 1];
    const int length = snprintf(line, sizeof line, "[%s] %3.0f%%%-*s  %-*s", bar, 100 * share,
                                LEFT_WIDTH, left, NOTE_WIDTH, note);
    if (length > 0)
        fprintf(stderr, "\r%.*s", terminal_width(stderr) - 1, line);
    fflush(stderr);
    clock_gettime(CLOCK_MONOTONIC, &progress->drawn);
    progress->shown = true;
}

void progress_clear(progress_bar *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r%*s\r", terminal_width(stderr) - 1, "");
    progress->shown = false;
}
