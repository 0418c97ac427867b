/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_OWNED_H
#define CLUMP_DATA_OWNED_H

/*
 * What a process has that must not outlive it: other processes, and temporary files and folders. All that the programs start is started
 * here, all that they write for a while only is made here.
 *
 *   Children get a signal when their parent ends, whatever ends it (PR_SET_PDEATHSIG).
 *   Temporary files go when SIGINT, SIGTERM or SIGHUP end the process, unless somebody else handles these signals or they are ignored.
 *   What kill -9 leaves is removed when the next one is made in the same place: who makes one holds a lock on it as long as it lives.
 *
 * Children and files are to be made and ended by one thread, the first.
 */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- children */

enum {
    CLUMP_STREAM_KEPT = -1,   /**< as that of the parent */
    CLUMP_STREAM_NOWHERE = -2 /**< /dev/null */
};

/** Another program. */
typedef struct clump_child_plan {
    const char *const *
        words; /**< its path (looked for in PATH if it has no slash) and arguments, ended by NULL */
    int streams[3]; /**< descriptors, or one of those above, for its standard streams */
    int signal;     /**< that it gets when we end; SIGKILL if it has nothing to tidy up */
} clump_child_plan;

/**
 * Starts it; from then on it is ours. What we handle has its usual effect there, what we ignore is ignored.
 * @return 0, or errno: it could not be started
 */
int clump_child_start(const clump_child_plan *plan, pid_t *child);

/**
 * As fork(): the child gets `signal` when the parent ends, and ends at once if that has happened already.
 * @return as fork() has it
 */
pid_t clump_child_fork(int signal_number);

/** In a child that has changed its user, by which the system forgets whose it is. `parent` as getpid() said it there. */
void clump_child_stay(pid_t parent, int signal_number);

/** Waits until it ends, for one of either. @return as waitpid() has it; -1: it is not there any more */
int clump_child_wait(pid_t child);

/* ---- one that is started for what it says */

typedef struct clump_heard {
    FILE *stream; /**< what it says */
    pid_t child;
} clump_heard;

/**
 * Starts it with nothing to read.
 * @param heard  1: its standard output is listened to, 2: its errors. The other one is in `plan->streams`; the rest of them is not used
 * @return 0, or errno; then clump_heard_end()
 */
int clump_heard_start(clump_heard *heard, const clump_child_plan *plan, int which);

/** The beginning and the end of what it says, up to its end; `...` between them where there is no room for all. */
void clump_heard_all(clump_heard *heard, char *text, size_t size);

/** @return as clump_child_wait() */
int clump_heard_end(clump_heard *heard);

/* ---- files and folders */

/**
 * A file beside others that replaces one of them later, `directory` with its last '/' ("": here). What dead processes left there is removed.
 * @param path  receives its name, of `room` bytes: those of the directory and 24
 * @return a descriptor; -1: errno tells why
 */
int clump_temporary_file(const char *directory, char *path, size_t room);

/** A folder for files in `directory`, in which what dead processes left is removed. 0, or errno. */
int clump_temporary_folder(const char *directory, char path[PATH_MAX]);

/** In a helper that writes into a folder of its parent, and gets SIGTERM when that ends: then what it has written goes. 0, or errno */
int clump_temporary_share(const char *path);

/** It has another name now, and is no longer temporary; or `path` was not. */
void clump_temporary_keep(const char *path);

/** Removes it, a folder with its files; "" is allowed. */
void clump_temporary_remove(const char *path);

/** Removes all that there is. For handlers of signals that end the process. */
void clump_owned_drop(void);

#endif
