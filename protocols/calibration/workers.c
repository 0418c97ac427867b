/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/workers.h"

#include "data/owned.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool clump_workers_start(clump_workers *workers, int end_signal,
                         void (*work)(unsigned rank, void *context), void *context,
                         char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    workers->left = 0;
    workers->signal = 0;
    for (unsigned i = 0; i < workers->count; i++) {
        workers->children[i] = clump_child_fork(end_signal);
        if (workers->children[i] == 0) {
            signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
            work(i, context);
            _exit(0);
        }
        if (workers->children[i] < 0) {
            snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "cannot start a process: %s",
                     strerror(errno));
            return false;
        }
        workers->left++;
    }
    return true;
}

bool clump_workers_look(clump_workers *workers, unsigned *rank,
                        char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    for (unsigned i = 0; i < workers->count; i++) {
        int how = 0;
        if (workers->children[i] <= 0 ||
            waitpid(workers->children[i], &how, WNOHANG) != workers->children[i])
            continue;
        workers->children[i] = 0;
        workers->left--;
        if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
            continue;
        *rank = i;
        workers->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
        if (workers->signal != 0)
            snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                     "process %u of %u was ended by signal %d", i + 1, workers->count,
                     workers->signal);
        else
            snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                     "process %u of %u ended with exit code %d", i + 1, workers->count,
                     WEXITSTATUS(how));
        return false;
    }
    return true;
}

void clump_workers_end(clump_workers *workers)
{
    for (unsigned i = 0; i < workers->count; i++)
        if (workers->children[i] > 0)
            kill(workers->children[i], SIGKILL);
    for (unsigned i = 0; i < workers->count; i++)
        if (workers->children[i] > 0)
            clump_child_wait(workers->children[i]);
    workers->left = 0;
}
