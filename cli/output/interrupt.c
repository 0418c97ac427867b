/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/interrupt.h"

#include "cli/output/errors.h"

#include <signal.h>
#include <stdio.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction usual[SIGNALS];
static volatile sig_atomic_t noted;

static void on_signal(int number)
{
    if (noted != 0) {
        interrupt_release();
        raise(number); /* comes as soon as this handler has returned */
    }
    noted = number;
}

void interrupt_catch(void)
{
    struct sigaction now = {.sa_handler = on_signal};
    sigemptyset(&now.sa_mask);
    noted = 0;
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], &now, &usual[i]);
        if (signals[i] == SIGHUP && usual[i].sa_handler == SIG_IGN)
            sigaction(signals[i], &usual[i], NULL);
    }
}

void interrupt_release(void)
{
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &usual[i], NULL);
}

bool interrupt_wanted(void)
{
    return noted != 0;
}

int interrupt_status(void)
{
    return 128 + (int)noted;
}

int interrupt_told(const char *command, const char *what)
{
    error_failed(command, "interrupted; %s", what);
    return interrupt_status();
}

int interrupt_told_part(const char *command, const char *things, size_t complete, size_t expected)
{
    char what[80];
    snprintf(what, sizeof what, "%zu of %zu %s %s there", complete, expected, things,
             complete == 1 ? "is" : "are");
    return interrupt_told(command, what);
}

void interrupt_mark_table(const char *things, size_t complete, size_t expected)
{
    printf("\nIncomplete: interrupted after %zu of %zu %s.\n", complete, expected, things);
}
