/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PROGRESS_H
#define CLUMP_CLI_PROGRESS_H

/*
 * A progress bar with the time left on stderr, if that is a terminal and the user did not ask for
 * quiet. It appears only when the work takes longer than a moment.
 */

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

typedef struct clump_cli_progress {
    bool enabled;
    bool shown;
    struct timespec begin, drawn;
} clump_cli_progress;

void clump_cli_progress_start(clump_cli_progress *progress, bool quiet);
/** The same with a share, 0 to 1, and a few words that stand behind the bar. */
#define CLUMP_CLI_PROGRESS_NOTE 48
void clump_cli_progress_note(clump_cli_progress *progress, double share, const char *note);

void clump_cli_progress_update(clump_cli_progress *progress, size_t done, size_t total);

/** Wipe the bar, so that something else can be written; it comes back with the next update. */
void clump_cli_progress_clear(clump_cli_progress *progress);

#endif
