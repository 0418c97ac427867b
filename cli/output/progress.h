/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_OUTPUT_PROGRESS_H
#define CLUMP_CLI_OUTPUT_PROGRESS_H

/*
 * A progress bar with the time left on stderr, if that is a terminal and the user did not ask for
 * quiet. It appears only when the work takes longer than a moment.
 */

#include "model/watch.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

typedef struct progress_bar {
    bool enabled;
    bool shown;
    struct timespec begin, drawn;
    pthread_t owner; /**< who draws it */
} progress_bar;

void progress_start(progress_bar *progress, bool quiet);

void progress_update(progress_bar *progress, size_t done, size_t total);

/** The same with a share, 0 to 1, and a few words that stand behind the bar. */
#define PROGRESS_NOTE 48
void progress_note(progress_bar *progress, double share, const char *note);

/** Forget how long it took so far: something else begins, and its time left follows from its own. */
void progress_restart(progress_bar *progress);

/** Shows the share of the work in hand that is done, if that is known and this is the thread that started
 *  the bar; stops after ^C (interrupt.h). */
clump_watch progress_watch(progress_bar *progress);

/** Wipe the bar, so that something else can be written; it comes back with the next update. */
void progress_clear(progress_bar *progress);

#endif
