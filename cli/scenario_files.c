/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/scenario_files.h"

#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "data/file.h"
#include "data/suggest.h"
#include "scenarios/scenario.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef CLUMP_SCENARIO_DIR
#define CLUMP_SCENARIO_DIR "/usr/local/share/clumpmodel/scenarios"
#endif

static const char suffix[] = ".lua";

static bool is_directory(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && S_ISDIR(found.st_mode);
}

/* Where the program lies tells where the scenarios are: installed below any prefix, or just built
 * in a source tree. NULL if neither is there. */
static const char *directory_beside_program(void)
{
    static const char *const places[] = {"/../share/clumpmodel/scenarios", "/../scenarios"};
    static char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    char *slash = NULL;
    if (length > 0) {
        path[length] = '\0';
        slash = strrchr(path, '/');
    }
    for (size_t i = 0; slash != NULL && i < sizeof places / sizeof *places; i++) {
        snprintf(slash, 64, "%s", places[i]);
        if (is_directory(path))
            return path;
    }
    return NULL;
}

static const char *shipped_directory(void)
{
    const char *directory = getenv("CLUMPMODEL_SCENARIOS");
    if (directory != NULL && *directory != '\0')
        return directory;
    if (is_directory(CLUMP_SCENARIO_DIR))
        return CLUMP_SCENARIO_DIR;
    directory = directory_beside_program();
    return directory != NULL ? directory : CLUMP_SCENARIO_DIR;
}

static bool has_suffix(const char *name)
{
    const size_t length = strlen(name);
    return length > sizeof suffix - 1 && strcmp(name + length - (sizeof suffix - 1), suffix) == 0;
}

char *scenario_shipped_path(const char *name)
{
    const char *directory = shipped_directory();
    const size_t size = strlen(directory) + strlen(name) + sizeof suffix + 1;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s%s", directory, name, has_suffix(name) ? "" : suffix);
    return path;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the shipped scenarios without suffix, sorted, as many as there are; 0 also on errors,
 * because this is only for a message. */
static size_t list_shipped(char *names[], size_t room)
{
    size_t count = 0;
    DIR *directory = opendir(shipped_directory());
    const struct dirent *entry;
    while (directory != NULL && count < room && (entry = readdir(directory)) != NULL) {
        if (!has_suffix(entry->d_name) || *entry->d_name == '.')
            continue;
        names[count] = strdup(entry->d_name);
        if (names[count] == NULL)
            break;
        names[count][strlen(names[count]) - (sizeof suffix - 1)] = '\0';
        count++;
    }
    if (directory != NULL)
        closedir(directory);
    if (count > 0)
        qsort(names, count, sizeof *names, compare_names);
    return count;
}

enum { ROOM = 64 }; /* for names of shipped scenarios */

void list_shipped_scenarios(void (*take)(const char *name, void *context), void *context)
{
    char *names[ROOM];
    const size_t count = list_shipped(names, ROOM);
    for (size_t i = 0; i < count; i++) {
        take(names[i], context);
        free(names[i]);
    }
}

int scenario_none_shipped(const char *command)
{
    return error_input(command,
                       "found no scenarios in '%.200s', expected those that ship with "
                       "the program there",
                       shipped_directory());
}

static int complain_of_name(const char *command, const char *name)
{
    char *names[ROOM], list[1024] = "", bare[CLUMP_SUGGEST_NAME];
    char hint[CLUMP_SUGGEST_TEXT];
    const size_t count = list_shipped(names, ROOM);
    const size_t length = strlen(name) - (has_suffix(name) ? sizeof suffix - 1 : 0);
    snprintf(bare, sizeof bare, "%.*s", length < sizeof bare ? (int)length : 0, name);
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, bare);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        clump_suggest_offer(&suggestion, names[i]);
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "",
                                     names[i]);
        free(names[i]);
    }
    const int status = error_input(
        command, "no scenario '%.200s': expected a file, '-', or the name of a shipped scenario%s",
        name, clump_suggest_text(&suggestion, "", hint));
    if (count > 0)
        note_print(command, "shipped scenarios: %s", list);
    else
        note_print(command, "no shipped scenarios in '%.200s'", shipped_directory());
    return status;
}

int scenario_find(const char *command, const char *name, char **path)
{
    struct stat found;
    const bool standard = strcmp(name, "-") == 0, bare = strchr(name, '/') == NULL;
    const bool there = !standard && stat(name, &found) == 0;
    if (!standard && !there && errno != ENOENT && errno != ENOTDIR)
        return error_input(command, "'%.200s': %s", name, strerror(errno));
    if (standard || (there && !S_ISDIR(found.st_mode))) {
        *path = strdup(name);
        return *path != NULL ? EXIT_DONE : error_memory(command);
    }
    if (there && !bare)
        return error_input(command, "'%.200s' is a directory, expected a scenario file", name);
    if (!bare || *name == '\0')
        return complain_of_name(command, name);
    char *shipped = scenario_shipped_path(name);
    if (shipped == NULL)
        return error_memory(command);
    if (stat(shipped, &found) == 0 && !S_ISDIR(found.st_mode)) {
        *path = shipped;
        return EXIT_DONE;
    }
    free(shipped);
    return complain_of_name(command, name);
}

/* ---- schedules */

/* What came of reading it. */
static int judge(const char *command, const char *path, clump_status status,
                 const clump_error *error)
{
    if (status == CLUMP_OK)
        return EXIT_DONE;
    if (status == CLUMP_BAD_ARGUMENT)
        return error_input(command, "%s: %s", path, error->message);
    char message[512];
    snprintf(message, sizeof message, "%.200s: %s", path, error->message);
    return memory_limit_told(command, status == CLUMP_NO_MEMORY, message);
}

int schedule_read(const char *command, const char *path, size_t most, clump_schedule **schedule)
{
    char *text = NULL;
    size_t size = 0;
    clump_error error;
    if (most == 0)
        most = CLUMP_SCENARIO_DEFAULT_MEMORY;
    /* "-" is a file like any other here: standard input is the scenario's. */
    const char *name = strcmp(path, "-") == 0 ? "./-" : path;
    switch (clump_file_read(name, most, &text, &size)) {
    case CLUMP_FILE_OK:
        break;
    case CLUMP_FILE_NOT_OPENED:
        return error_input(command, "%s: cannot open it: %s", path, strerror(errno));
    case CLUMP_FILE_DIRECTORY:
        return error_input(command, "%s: is a directory, expected a schedule", path);
    case CLUMP_FILE_UNREADABLE:
        return error_input(command, "%s: cannot read it: %s", path, strerror(errno));
    case CLUMP_FILE_TOO_LARGE:
        return error_input(command,
                           "%s: larger than the %zu bytes of memory allowed; expected a schedule "
                           "that fits, or raise the limit with --max-memory",
                           path, most);
    case CLUMP_FILE_NO_MEMORY:
        return memory_limit_told(command, true, "out of memory for the schedule");
    }
    const clump_status status = clump_schedule_parse(text, size, schedule, &error);
    free(text);
    return judge(command, path, status, &error);
}
