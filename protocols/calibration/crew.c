/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "protocols/calibration/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool clump_crew_start(clump_crew *crew, int end_signal, void (*work)(unsigned rank, void *context),
                      void *context, char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const pid_t parent = getpid();
    crew->left = 0;
    crew->signal = 0;
    for (unsigned i = 0; i < crew->count; i++) {
        crew->children[i] = fork();
        if (crew->children[i] == 0) {
            signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
            prctl(PR_SET_PDEATHSIG, end_signal);
            if (getppid() != parent)
                _exit(1);
            work(i, context);
            _exit(0);
        }
        if (crew->children[i] < 0) {
            snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "cannot start a process: %s",
                     strerror(errno));
            return false;
        }
        crew->left++;
    }
    return true;
}

bool clump_crew_look(clump_crew *crew, unsigned *rank,
                     char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    for (unsigned i = 0; i < crew->count; i++) {
        int how = 0;
        if (crew->children[i] <= 0 ||
            waitpid(crew->children[i], &how, WNOHANG) != crew->children[i])
            continue;
        crew->children[i] = 0;
        crew->left--;
        if (WIFEXITED(how) && WEXITSTATUS(how) == 0)
            continue;
        *rank = i;
        crew->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
        if (crew->signal != 0)
            snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                     "process %u of %u was ended by signal %d", i + 1, crew->count, crew->signal);
        else
            snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES,
                     "process %u of %u ended with exit code %d", i + 1, crew->count,
                     WEXITSTATUS(how));
        return false;
    }
    return true;
}

void clump_crew_end(clump_crew *crew)
{
    for (unsigned i = 0; i < crew->count; i++)
        if (crew->children[i] > 0)
            kill(crew->children[i], SIGKILL);
    for (unsigned i = 0; i < crew->count; i++)
        if (crew->children[i] > 0)
            while (waitpid(crew->children[i], NULL, 0) < 0 && errno == EINTR)
                ;
    crew->left = 0;
}
