/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include "recording/otf2/otf2_facts.h"

#include "data/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 4200, SAID = 600 };

/* ---- folders */

typedef bool file_fn(const char *path, void *context);

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of the files in a folder, in their order; NULL: none, or no memory. */
static char **list_folder(const char *folder, size_t *count)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    char **names = NULL;
    *count = 0;
    if (directory == NULL)
        return NULL;
    while ((entry = readdir(directory)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        char **larger = realloc(names, (*count + 1) * sizeof *names);
        if (larger == NULL)
            break;
        names = larger;
        names[*count] = strdup(entry->d_name);
        if (names[*count] == NULL)
            break;
        ++*count;
    }
    closedir(directory);
    if (names != NULL)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

static bool each_file(const char *folder, file_fn *fn, void *context)
{
    size_t count;
    char **names = list_folder(folder, &count);
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        char path[PATH];
        snprintf(path, sizeof path, "%.3900s/%.255s", folder, names[i]);
        good = good && fn(path, context);
        free(names[i]);
    }
    free(names);
    return good;
}

static bool remove_file(const char *path, void *context)
{
    (void)context;
    unlink(path);
    return true;
}

/* ---- running the helper */

static pid_t start(const char *helper, const char *archive, const char *folder, int errors[2])
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    char *const arguments[] = {(char *)(uintptr_t)helper, (char *)(uintptr_t)archive,
                               (char *)(uintptr_t)folder, NULL};
    pid_t child = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
    posix_spawn_file_actions_addclose(&actions, errors[0]);
    posix_spawn_file_actions_addclose(&actions, errors[1]);
    if (posix_spawn(&child, helper, &actions, NULL, arguments, environ) != 0)
        child = -1;
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

/* The last line of what it says: libotf2 may say something of its own before. */
static void listen(int from, char said[SAID])
{
    char piece[512];
    size_t used = 0;
    ssize_t got;
    while ((got = read(from, piece, sizeof piece)) > 0 || (got < 0 && errno == EINTR))
        for (ssize_t i = 0; i < got; i++) {
            if (used > 0 && said[used - 1] == '\n')
                used = 0;
            if (used < SAID - 1)
                said[used++] = piece[i];
        }
    if (used > 0 && said[used - 1] == '\n')
        used--;
    said[used] = '\0';
    clump_text_clean(said, used);
}

static clump_facts_status convert(const char *helper, const char *archive, const char *folder,
                                  char message[CLUMP_FACTS_MESSAGE])
{
    enum { BAD_INPUT = 2 };
    char said[SAID] = "";
    int errors[2], status = 0;
    if (pipe(errors) != 0) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "%.500s: %s", archive, strerror(errno));
        return CLUMP_FACTS_FAILED;
    }
    const pid_t child = start(helper, archive, folder, errors);
    close(errors[1]);
    if (child > 0)
        listen(errors[0], said);
    close(errors[0]);
    if (child < 0) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "cannot run '%.500s'", helper);
        return CLUMP_FACTS_FAILED;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CLUMP_FACTS_OK;
    if (WIFSIGNALED(status)) {
        snprintf(
            message, CLUMP_FACTS_MESSAGE,
            "%.300s: libotf2 gave up on it (signal %d)%s%.200s, expected an archive that is whole",
            archive, WTERMSIG(status), said[0] != '\0' ? ": " : "", said);
        return CLUMP_FACTS_INPUT;
    }
    snprintf(message, CLUMP_FACTS_MESSAGE, "%.300s: %.500s, expected an OTF2 archive of an MPI program",
             archive, said);
    return WEXITSTATUS(status) == BAD_INPUT ? CLUMP_FACTS_INPUT : CLUMP_FACTS_FAILED;
}

/* ---- its facts */

typedef struct adding {
    clump_facts *facts;
    clump_facts_status status;
    char *message;
} adding;

static bool add_file(const char *path, void *context)
{
    adding *a = context;
    struct stat found;
    if (stat(path, &found) == 0 && S_ISREG(found.st_mode))
        a->status = clump_facts_add_file(a->facts, path, -1, a->message);
    return a->status == CLUMP_FACTS_OK;
}

/* NAME.otf2, NAME.def and the files in NAME. */
static clump_facts_status add_files(const char *archive, clump_facts *facts,
                                    char message[CLUMP_FACTS_MESSAGE])
{
    char path[PATH];
    adding a = {.facts = facts, .status = CLUMP_FACTS_OK, .message = message};
    const size_t length = strlen(archive);
    const size_t stem =
        length > 5 && strcmp(archive + length - 5, ".otf2") == 0 ? length - 5 : length;
    if (!add_file(archive, &a) || stem == length || stem > 3900)
        return a.status;
    snprintf(path, sizeof path, "%.*s.def", (int)stem, archive);
    if (!add_file(path, &a))
        return a.status;
    snprintf(path, sizeof path, "%.*s", (int)stem, archive);
    each_file(path, add_file, &a);
    return a.status;
}

static void describe(clump_facts *facts, const char *archive)
{
    char name[260];
    const char *last = strrchr(archive, '/');
    snprintf(name, sizeof name, "%.255s", last != NULL ? last + 1 : archive);
    char *end = strstr(name, ".otf2");
    if (end != NULL)
        *end = '\0';
    clump_text_clean(name, strlen(name));
    clump_facts head = *facts;
    head.origin = "otf2";
    head.program = name[0] != '\0' ? name : NULL;
    clump_facts_add(facts, CLUMP_FACTS_HEAD, &head);
    /* The archive has no processor time. */
    for (size_t i = 0; i < facts->rank_count; i++)
        ((clump_facts_rank *)clump_facts_row(facts, CLUMP_FACTS_RANK, i))->processor = NAN;
    clump_facts_say(facts, "collectives: bytes are as Score-P counts them; of operations in place "
                           "they may be off by one "
                           "part of as many as there are ranks");
}

clump_facts_status clump_facts_of_otf2(const char *helper, const char *temporary,
                                       const char *archive, bool digests, clump_facts **facts,
                                       char message[CLUMP_FACTS_MESSAGE])
{
    char folder[PATH];
    *facts = NULL;
    snprintf(folder, sizeof folder, "%.4000s/clumpmodel-otf2.XXXXXX", temporary);
    if (access(archive, R_OK) != 0) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "%.500s: %s", archive, strerror(errno));
        return CLUMP_FACTS_INPUT;
    }
    if (mkdtemp(folder) == NULL) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "%.500s: %s", folder, strerror(errno));
        return CLUMP_FACTS_FAILED;
    }
    clump_facts_status status = convert(helper, archive, folder, message);
    if (status == CLUMP_FACTS_OK) {
        status = clump_facts_of_recording(folder, false, facts, message);
        if (status == CLUMP_FACTS_INPUT) /* its message names a file that nobody knows */
            snprintf(message, CLUMP_FACTS_MESSAGE,
                     "%.500s: found numbers of events that cannot be, expected an archive that is "
                     "whole",
                     archive);
    }
    if (status == CLUMP_FACTS_OK) {
        describe(*facts, archive);
        if (digests)
            status = add_files(archive, *facts, message);
    }
    if (status != CLUMP_FACTS_OK) {
        clump_facts_free(*facts);
        *facts = NULL;
    }
    each_file(folder, remove_file, NULL);
    rmdir(folder);
    return status;
}
