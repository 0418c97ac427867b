/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/scenario_files.h"

#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "data/file.h"
#include "data/provenance.h"
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

static int is_shipped(const struct dirent *entry)
{
    return has_suffix(entry->d_name) && *entry->d_name != '.';
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

void list_shipped_scenarios(void (*take)(const char *name, void *context), void *context)
{
    struct dirent **entries = NULL;
    const int count = scandir(shipped_directory(), &entries, is_shipped, compare_names);
    for (int i = 0; i < count; i++) {
        entries[i]->d_name[strlen(entries[i]->d_name) - (sizeof suffix - 1)] = '\0';
        take(entries[i]->d_name, context);
        free(entries[i]);
    }
    free(entries);
}

int scenario_none_shipped(const char *command)
{
    return error_input(command,
                       "found no scenarios in '%.200s', expected those that ship with "
                       "the program there",
                       shipped_directory());
}

/* The names that there are, and the one that is most like what was asked for. */
typedef struct shipped_names {
    clump_suggestion suggestion;
    char list[1024];
    size_t used;
} shipped_names;

static void add_name(const char *name, void *context)
{
    shipped_names *n = context;
    clump_suggest_offer(&n->suggestion, name);
    if (n->used < sizeof n->list)
        n->used += (size_t)snprintf(n->list + n->used, sizeof n->list - n->used, "%s%s",
                                    n->used > 0 ? ", " : "", name);
}

static int complain_of_name(const char *command, const char *name)
{
    char bare[CLUMP_SUGGEST_NAME], hint[CLUMP_SUGGEST_TEXT];
    const size_t length = strlen(name) - (has_suffix(name) ? sizeof suffix - 1 : 0);
    snprintf(bare, sizeof bare, "%.*s", length < sizeof bare ? (int)length : 0, name);
    shipped_names n = {.suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, bare)};
    list_shipped_scenarios(add_name, &n);
    const int status = error_input(
        command, "no scenario '%.200s': expected a file, '-', or the name of a shipped scenario%s",
        name, clump_suggest_text(&n.suggestion, "", hint));
    note_print(command,
               n.used > 0 ? "shipped scenarios: %.1023s" : "no shipped scenarios in '%.200s'",
               n.used > 0 ? n.list : shipped_directory());
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

int scenario_open(const char *command, const char *name, clump_scenario_options *options,
                  scenario_file *file)
{
    char message[1024];
    *file = (scenario_file){.path = NULL};
    const int status = scenario_find(command, name, &file->path);
    if (status != EXIT_DONE)
        return status;
    const clump_scenario_status found =
        scenario_source_read(file->path, &file->source, message, sizeof message);
    if (found == CLUMP_SCENARIO_BAD_INPUT)
        return error_input(command, "%s", message);
    if (found != CLUMP_SCENARIO_OK)
        return memory_limit_told(command, found == CLUMP_SCENARIO_NO_MEMORY, message);
    options->path = file->path;
    options->text = file->source.bytes + file->source.start;
    options->text_size = file->source.size - file->source.start;
    return EXIT_DONE;
}

void scenario_close(scenario_file *file)
{
    free(file->path);
    free(file->source.bytes);
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

int schedule_read(const char *command, const char *path, const clump_scenario_options *scenario,
                  clump_schedule **schedule)
{
    size_t most = scenario->memory_limit;
    char *text = NULL;
    size_t size = 0;
    clump_error error;
    if (most == 0)
        most = CLUMP_SCENARIO_DEFAULT_MEMORY;
    /* "-" is a file like any other here: standard input is the scenario's. */
    const char *name = strcmp(path, "-") == 0 ? "./-" : path;
    const clump_file_status read = clump_file_read(name, most, &text, &size);
    if (read == CLUMP_FILE_NO_MEMORY)
        return memory_limit_told(command, true, "out of memory for the schedule");
    if (read != CLUMP_FILE_OK) {
        char words[CLUMP_FILE_WORDS];
        return error_input(
            command, "%s: %s", path,
            clump_file_words(read, most, "a schedule that fits into --max-memory", words));
    }
    clump_provenance_add(scenario->provenance, "schedule", text, size);
    const clump_status status = clump_schedule_parse(text, size, schedule, &error);
    free(text);
    return judge(command, path, status, &error);
}
