/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* pipe2, getdents64, mkdtemp */
#include "data/owned.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what there is, for a handler: places are taken and given back as a whole */

enum { TEMPORARIES = 32 };
static struct temporary {
    char *volatile path; /* NULL: none */
    int lock;            /* -1: another process holds it */
} temporaries[TEMPORARIES];

static pid_t owner; /* children have the same handlers */

/* Another's files in it stay, and so does it then. Only what a handler may call. */
static void remove_files(int folder)
{
    char entries[4096] __attribute__((aligned(16)));
    bool found = true;
    while (found) {
        ssize_t size;
        found = false;
        lseek(folder, 0, SEEK_SET);
        while ((size = getdents64(folder, entries, sizeof entries)) > 0)
            for (ssize_t at = 0; at < size;) {
                const struct dirent64 *entry = (const void *)(entries + at);
                found = unlinkat(folder, entry->d_name, 0) == 0 || found; /* not . and .. */
                at += entry->d_reclen;
            }
    }
}

static void remove_now(const char *path)
{
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
        remove_files(folder);
        close(folder);
        rmdir(path);
    } else {
        unlink(path);
    }
}

void clump_owned_drop(void)
{
    for (int i = 0; i < TEMPORARIES && getpid() == owner; i++)
        if (temporaries[i].path != NULL)
            remove_now(temporaries[i].path);
}

static void on_end(int number)
{
    clump_owned_drop();
    signal(number, SIG_DFL);
    raise(number); /* comes as soon as this handler has returned */
}

/* A forked child begins with nothing. Signals that are ignored, or that somebody else handles, stay as they are. */
static void begin(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    if (owner != getpid()) {
        for (int i = 0; i < TEMPORARIES; i++)
            temporaries[i].path = NULL;
        owner = getpid();
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before, now = {.sa_handler = on_end};
        sigemptyset(&now.sa_mask);
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &now, NULL);
    }
}

/* ---- children */

void clump_child_stay(pid_t parent, int signal_number)
{
    prctl(PR_SET_PDEATHSIG, (unsigned long)signal_number, 0UL, 0UL, 0UL);
    const pid_t now = getppid(); /* 0: it is outside of our namespace of processes */
    if (now != parent && now != 0)
        _exit(1);
}

pid_t clump_child_fork(int signal_number)
{
    const pid_t parent = getpid(), child = fork();
    if (child == 0)
        clump_child_stay(parent, signal_number);
    return child;
}

static bool set_streams(const int streams[3])
{
    int from[3];
    for (int i = 0; i < 3; i++) { /* none of them is overwritten before it is used */
        const int file =
            streams[i] == CLUMP_STREAM_NOWHERE ? open("/dev/null", O_RDWR | O_CLOEXEC) : streams[i];
        from[i] = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, 3) : -1;
        if (streams[i] != CLUMP_STREAM_KEPT && from[i] < 0)
            return false;
    }
    for (int i = 0; i < 3; i++)
        if (from[i] >= 0 && dup2(from[i], i) < 0)
            return false;
    return true;
}

/* Does not return; why it did not become the program goes to `line`. */
static void become(const clump_child_plan *plan, int line)
{
    if (set_streams(plan->streams))
        execvp(plan->words[0], (char *const *)(uintptr_t)plan->words);
    const int reason = errno;
    _exit(write(line, &reason, sizeof reason) > 0 ? 127 : 126);
}

int clump_child_start(const clump_child_plan *plan, pid_t *child)
{
    int line[2], wrong = 0;
    if (pipe2(line, O_CLOEXEC) != 0)
        return errno;
    const pid_t made = clump_child_fork(plan->signal);
    if (made == 0)
        become(plan, line[1]);
    wrong = made < 0 ? errno : 0;
    close(line[1]);
    ssize_t got = 0;
    while (made > 0 && (got = read(line[0], &wrong, sizeof wrong)) < 0 && errno == EINTR)
        continue;
    close(line[0]);
    if (got == (ssize_t)sizeof wrong)
        clump_child_wait(made);
    if (wrong != 0)
        return wrong;
    *child = made;
    return 0;
}

int clump_child_wait(pid_t child)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

int clump_heard_start(clump_heard *heard, const clump_child_plan *plan, int which)
{
    clump_child_plan full = *plan;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    full.streams[0] = CLUMP_STREAM_NOWHERE;
    full.streams[which] = ends[1];
    int wrong = clump_child_start(&full, &heard->child);
    close(ends[1]);
    heard->stream = wrong == 0 ? fdopen(ends[0], "rb") : NULL;
    if (heard->stream == NULL) {
        if (wrong == 0) { /* it cannot write any more, and ends */
            wrong = errno;
            kill(heard->child, SIGKILL);
            clump_child_wait(heard->child);
        }
        close(ends[0]);
    }
    return wrong;
}

void clump_heard_all(clump_heard *heard, char *text, size_t size)
{
    static const char gap[] = "\n...\n";
    const size_t half = size / 2, room = size - 1 - half - (sizeof gap - 1);
    char piece[512];
    size_t used = fread(text, 1, size - 1, heard->stream), got;
    bool cut = false;
    while ((got = fread(piece, 1, sizeof piece, heard->stream)) > 0) {
        char *tail = text + half + sizeof gap - 1;
        if (!cut) {
            memmove(tail, text + used - room, room);
            memcpy(text + half, gap, sizeof gap - 1);
            cut = true;
        }
        const size_t new = got < room ? got : room;
        memmove(tail, tail + new, room - new);
        memcpy(tail + room - new, piece + got - new, new);
        used = size - 1;
    }
    text[used] = '\0';
}

int clump_heard_end(clump_heard *heard)
{
    fclose(heard->stream);
    return clump_child_wait(heard->child);
}

/* ---- files and folders */

/* Nobody else has files of this name. */
#define PREFIX ".clumpmodel-tmp-"
#define RANDOM "XXXXXX"

static bool is_ours(int file, bool folder)
{
    struct stat info;
    return fstat(file, &info) == 0 && info.st_uid == geteuid() &&
           (folder ? S_ISDIR(info.st_mode) : S_ISREG(info.st_mode)) && info.st_nlink > 0;
}

/* What nobody holds a lock on: whoever made it is dead. */
static void sweep(const char *directory, bool folders)
{
    DIR *all = opendir(directory[0] != '\0' ? directory : ".");
    const struct dirent *entry;
    while (all != NULL && (entry = readdir(all)) != NULL) {
        const char *name = entry->d_name;
        if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0 ||
            strlen(name) != sizeof PREFIX RANDOM - 1)
            continue;
        const int file = openat(dirfd(all), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file >= 0 && is_ours(file, folders) && flock(file, LOCK_EX | LOCK_NB) == 0) {
            if (folders)
                remove_files(file);
            unlinkat(dirfd(all), name, folders ? AT_REMOVEDIR : 0);
        }
        if (file >= 0)
            close(file);
    }
    if (all != NULL)
        closedir(all);
}

static bool remember(const char *path, int lock)
{
    begin();
    for (int i = 0; i < TEMPORARIES; i++)
        if (temporaries[i].path == NULL) {
            temporaries[i].lock = lock;
            temporaries[i].path = strdup(path);
            return temporaries[i].path != NULL;
        }
    errno = EMFILE;
    return false;
}

/* A descriptor of what was just made, which is locked; -1: it is not there any more (errno is EAGAIN), or it cannot be. */
static int lock(const char *path, bool folder)
{
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
        errno = errno == ENOENT ? EAGAIN : errno; /* somebody took it for one that the dead left */
    else if ((flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
             !is_ours(file, folder))
        errno = EAGAIN;
    else if (remember(path, file))
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

int clump_temporary_file(const char *directory, char *path, size_t room)
{
    errno = ENAMETOOLONG;
    sweep(directory, false);
    for (int i = 0; i < 10; i++) {
        if ((size_t)snprintf(path, room, "%s" PREFIX RANDOM, directory) >= room)
            return -1;
        const int file = mkstemp(path);
        if (file < 0)
            return -1;
        fcntl(file, F_SETFD, FD_CLOEXEC);
        if (lock(path, false) >= 0)
            return file;
        const int reason = errno;
        close(file);
        unlink(path);
        errno = reason;
        if (reason != EAGAIN)
            return -1;
    }
    return -1;
}

int clump_temporary_folder(const char *directory, char path[PATH_MAX])
{
    int reason = EAGAIN;
    sweep(directory, true);
    for (int i = 0; i < 10 && reason == EAGAIN; i++) {
        if (snprintf(path, PATH_MAX, "%s/" PREFIX RANDOM, directory) >= PATH_MAX)
            reason = ENAMETOOLONG;
        else if (mkdtemp(path) == NULL)
            reason = errno;
        else if (lock(path, true) >= 0)
            return 0;
        else {
            reason = errno;
            rmdir(path);
        }
    }
    path[0] = '\0';
    return reason;
}

int clump_temporary_share(const char *path)
{
    return remember(path, -1) ? 0 : errno;
}

void clump_temporary_keep(const char *path)
{
    for (int i = 0; i < TEMPORARIES; i++) {
        char *known = temporaries[i].path;
        if (known == NULL || strcmp(known, path) != 0)
            continue;
        temporaries[i].path = NULL;
        free(known);
        if (temporaries[i].lock >= 0)
            close(temporaries[i].lock);
        return;
    }
}

void clump_temporary_remove(const char *path)
{
    if (path[0] != '\0')
        remove_now(path);
    clump_temporary_keep(path);
}
