/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TESTS_CHILDREN_H
#define CLUMP_TESTS_CHILDREN_H

/*
 * Processes of a test, which die with it, and waiting for what happens. On a machine that is busy
 * everything takes a hundred times as long, so no test says how soon: a deadline only ends a test
 * that hangs. Include after cmocka.h.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* What nothing takes on the slowest machine, in s, ms and us (as many as 32 bits hold). */
enum { PATIENCE = 600, PATIENCE_MS = PATIENCE * 1000, PATIENCE_US = PATIENCE_MS * 1000 };

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline void pause_us(long us)
{
    const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

/* Do `action` again and again until `condition` holds. */
#define AWAIT(condition, action)                                                                   \
    for (const double await_until = seconds() + PATIENCE;;) {                                      \
        if (condition)                                                                             \
            break;                                                                                 \
        if (seconds() > await_until)                                                               \
            fail_msg("in vain for %d s: %s", PATIENCE, #condition);                                \
        action;                                                                                    \
    }

/* A name for an endpoint that no other run on this machine uses; valid until the next one is asked for. */
static inline const char *name_of_own(const char *what)
{
    static char name[60];
    snprintf(name, sizeof name, "%s-%ld", what, (long)getpid());
    return name;
}

/* As fork(), and the child ends when we do, however we do. */
static inline pid_t fork_child(void)
{
    const pid_t parent = getpid(), child = fork();
    assert_true(child >= 0);
    if (child == 0) {
#ifdef __linux__
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        if (getppid() != parent)
            _exit(1);
    }
    return child;
}

/* How a child ended, as waitpid() says. */
static inline int end_of(pid_t child)
{
    int status = 0;
    pid_t ended;
    AWAIT((ended = waitpid(child, &status, WNOHANG)) != 0, pause_us(200));
    assert_int_equal(ended, child);
    return status;
}

static inline void assert_success_of(pid_t child)
{
    const int status = end_of(child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static inline void kill_child(pid_t child)
{
    kill(child, SIGKILL);
    end_of(child);
}

#endif
