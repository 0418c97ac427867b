/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/database.h"

#include "cli/output/errors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char file_name[] = "/clumpmodel/clumpmodel.db";

/* Path of the default database on the heap, NULL if there is no home; false: no memory. */
static bool default_path(char **path)
{
    const char *base = getenv("XDG_DATA_HOME"), *below = "";
    *path = NULL;
    if (base == NULL || *base != '/') { /* relative ones are to be ignored (XDG) */
        base = getenv("HOME");
        below = "/.local/share";
    }
    if (base == NULL || *base == '\0')
        return true;
    const size_t size = strlen(base) + strlen(below) + sizeof file_name;
    *path = malloc(size);
    if (*path != NULL)
        snprintf(*path, size, "%s%s%s", base, below, file_name);
    return *path != NULL;
}

/* Missing is no error where the user names no file; anything else that is wrong is found by opening
 * it. `own` is to be freed. */
static bool find_path(const char *database, char **own, const char **path)
{
    struct stat found;
    *own = NULL;
    *path = database;
    if (database != NULL)
        return true;
    if (!default_path(own))
        return false;
    const bool missing =
        *own != NULL && stat(*own, &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
    *path = missing ? NULL : *own;
    return true;
}

clump_store_status database_open_quietly(const char *database, clump_store **store)
{
    const char *path;
    char *own;
    *store = NULL;
    if (!find_path(database, &own, &path))
        return CLUMP_STORE_STOPPED;
    clump_store_status status = clump_store_open(path, CLUMP_STORE_READ, store);
    if (status == CLUMP_STORE_NOT_FOUND && database == NULL) { /* removed since it was looked for */
        clump_store_close(*store);
        status = clump_store_open(NULL, CLUMP_STORE_READ, store);
    }
    free(own);
    return status;
}

int database_open(const command_invocation *invocation, clump_store **store)
{
    const char *command = invocation->arguments.command;
    const clump_store_status status = database_open_quietly(invocation->database, store);
    return status == CLUMP_STORE_OK ? EXIT_DONE : error_store(command, *store, status);
}

/* The directories that lead to a file, as XDG wants them: for the user alone. */
static int make_directories(const char *command, char *path)
{
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        const int failed = mkdir(path, 0700) != 0 && errno != EEXIST ? errno : 0;
        const int status = failed != 0 ? error_failed(command, "cannot make directory '%s': %s",
                                                      path, strerror(failed))
                                       : EXIT_DONE;
        *at = '/';
        if (status != EXIT_DONE)
            return status;
    }
    return EXIT_DONE;
}

/* Where somebody wants a database there is a directory already; or the name is mistyped. */
static int find_directory(const char *command, char *path)
{
    char *end = strrchr(path, '/');
    struct stat found;
    if (end == NULL || end == path)
        return EXIT_DONE;
    *end = '\0';
    const bool missing = stat(path, &found) != 0 && (errno == ENOENT || errno == ENOTDIR);
    const int status = missing
                           ? error_usage(command,
                                         "--db: there is no directory '%s', expected one: make it, "
                                         "or look at the name again",
                                         path)
                           : EXIT_DONE;
    *end = '/';
    return status;
}

int database_create(const command_invocation *invocation, clump_store **store)
{
    const char *command = invocation->arguments.command;
    char *path = NULL;
    *store = NULL;
    if (invocation->database != NULL)
        path = strdup(invocation->database);
    else if (!default_path(&path))
        return error_memory(command);
    else if (path == NULL)
        return error_input(command, "found neither XDG_DATA_HOME nor HOME in the "
                                    "environment, expected --db");
    if (path == NULL)
        return error_memory(command);
    int status = invocation->database != NULL ? find_directory(command, path)
                                              : make_directories(command, path);
    if (status == EXIT_DONE) {
        const clump_store_status opened = clump_store_open(path, CLUMP_STORE_WRITE, store);
        if (opened != CLUMP_STORE_OK)
            status = error_store(command, *store, opened);
    }
    free(path);
    return status;
}

void database_tell_new(const command_invocation *invocation, const clump_store *store)
{
    if (clump_store_made(store) != NULL && !invocation->quiet)
        note_print(invocation->arguments.command, "the database is new: '%s'%s",
                   clump_store_made(store),
                   invocation->database != NULL ? "" : "; --db FILE is for another one");
}

void database_close(const command_invocation *invocation, clump_store *store, int status)
{
    if (store == NULL)
        return;
    if (status != EXIT_DONE) {
        clump_store_close_unused(store);
        return;
    }
    database_tell_new(invocation, store);
    clump_store_close(store);
}

int database_change(const command_invocation *invocation, clump_store **store)
{
    const char *command = invocation->arguments.command;
    const char *path;
    char *own;
    *store = NULL;
    if (!find_path(invocation->database, &own, &path))
        return error_memory(command);
    /* For reading first: that does not make one that is missing. */
    clump_store_status opened = clump_store_open(path, CLUMP_STORE_READ, store);
    if (opened == CLUMP_STORE_OK && path != NULL) {
        clump_store_close(*store);
        opened = clump_store_open(path, CLUMP_STORE_WRITE, store);
    }
    int status = EXIT_DONE;
    if (opened != CLUMP_STORE_OK)
        status = error_store(command, *store, opened);
    else if (path == NULL)
        status = error_input(command, "you have no database yet, expected one, or --db");
    free(own);
    return status;
}
