/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `data remove` and `data rename`. */
#include "cli/command.h"
#include "cli/data/data_records.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "data/store/frozen.h"
#include "data/suggest.h"

#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *kind; /* NULL: whatever has the name */
    bool force, dry_run;
} settings;

#define KIND_OPTION(words)                                                                         \
    {                                                                                              \
        .name = "kind", .argument = words, .help = "what NAME is, where several have it",          \
        OPTION_AS(WORD, settings, kind)                                                            \
    }

/* ---- which record */

/* As in clump_store_kind; a data set, which is all the sources that were imported as one; and frozen
 * predictions. */
enum { DATASET = CLUMP_STORE_SOURCE + 1, FROZEN, KINDS };
static const record_kind kinds[DATASET] = {[CLUMP_STORE_PLATFORM] = RECORD_PLATFORM,
                                           [CLUMP_STORE_APPLICATION] = RECORD_APPLICATION,
                                           [CLUMP_STORE_SOURCE] = RECORD_SOURCE};
static const char *const kind_names[KINDS] = {"platform", "application", "source", "dataset",
                                              "frozen"};
static const char *const with_article[KINDS] = {"a platform", "an application", "a source",
                                                "a data set", "frozen predictions"};

static bool is_wanted(const settings *s, int kind)
{
    return s->kind == NULL || strcmp(s->kind, kind_names[kind]) == 0;
}

/* Whether a source of the user's belongs to a data set of that name. */
static bool is_of_dataset(const void *source, const char *name)
{
    const clump_store_source *o = source;
    return !o->reference && o->table_label != NULL && strcmp(o->table_label, name) == 0;
}

static int refuse_name(const char *command, clump_store *store, const settings *s, const char *name)
{
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    for (int k = 0; k < DATASET; k++)
        if (is_wanted(s, k))
            records_suggest(store, kinds[k], true, &suggestion);
    return error_input(command,
                       "the database has no %s '%.200s'%s; 'clumpmodel data list' and "
                       "'clumpmodel data list sources' list what there is",
                       s->kind != NULL ? s->kind : "platform, application or source", name,
                       clump_suggest_text(&suggestion, "", hint));
}

/* What of one kind has a name: *own, *shipped. */
static clump_store_status look_up(clump_store *store, int kind, const char *name, bool *own,
                                  bool *shipped)
{
    record_list records = {.items = NULL};
    clump_store_status status;
    *own = *shipped = false;
    if (kind == FROZEN) {
        status = records_read(store, RECORD_FROZEN, &records);
        for (size_t i = 0; i < records.count; i++)
            *own = *own || strcmp(((clump_store_frozen *)records.items[i])->name, name) == 0;
    } else if (kind == DATASET) {
        status = records_read(store, RECORD_SOURCE, &records);
        for (size_t i = 0; i < records.count; i++)
            *own = *own || is_of_dataset(records.items[i], name);
    } else {
        status = records_find(store, kinds[kind], name, &records);
        if (status == CLUMP_STORE_OK) {
            *shipped = record_head_of(records.kind, records.items[0]).reference;
            *own = !*shipped;
        }
    }
    records_free(&records);
    return status == CLUMP_STORE_NOT_FOUND ? CLUMP_STORE_OK : status;
}

/* The one kind (of the first `count`) that has the name among what is the user's; if there is none,
 * one of what ships. */
static int find_kind(const char *command, clump_store *store, const settings *s, const char *name,
                     int count, int *kind)
{
    int own = 0, shipped = 0, found[KINDS], reference = 0;
    for (int k = 0; k < count; k++) {
        bool is_own, is_shipped;
        if (!is_wanted(s, k))
            continue;
        const clump_store_status status = look_up(store, k, name, &is_own, &is_shipped);
        if (status != CLUMP_STORE_OK)
            return error_store(command, store, status);
        if (is_own)
            found[own++] = k;
        else if (is_shipped && shipped++ == 0)
            reference = k;
    }
    if (own > 1)
        return error_usage(command, "'%.200s' is the name of both %s and %s, expected --kind", name,
                           with_article[found[0]], with_article[found[1]]);
    if (own + shipped == 0)
        return refuse_name(command, store, s, name);
    *kind = own > 0 ? found[0] : reference;
    return EXIT_DONE;
}

/* ---- data remove */

typedef struct removed_item {
    const char *kind;
    char *name;
    int64_t samples;
    bool stays;
} removed_item;

typedef struct removed_list {
    removed_item *items;
    size_t count, room;
    bool no_memory;
} removed_list;

static int note_removed(removed_list *all, int kind, const char *what, int64_t samples, bool stays)
{
    if (all->count == all->room) {
        const size_t room = all->room > 0 ? 2 * all->room : 16;
        removed_item *items = realloc(all->items, room * sizeof *items);
        if (items == NULL) {
            all->no_memory = true;
            return 1;
        }
        all->items = items;
        all->room = room;
    }
    char *name = strdup(what);
    all->no_memory = name == NULL;
    if (name != NULL)
        all->items[all->count++] = (removed_item){
            .kind = kind_names[kind], .name = name, .samples = samples, .stays = stays};
    return all->no_memory;
}

static int add_removed(const clump_store_removed *removed, void *context)
{
    return note_removed(context, (int)removed->kind, removed->name, removed->samples,
                        removed->stays);
}

static clump_store_status remove_frozen(clump_store *store, const char *name, removed_list *all)
{
    const clump_store_status status = clump_store_remove_frozen(store, name);
    return status == CLUMP_STORE_OK && note_removed(all, FROZEN, name, 0, false) != 0
               ? CLUMP_STORE_STOPPED
               : status;
}

static void removed_free(removed_list *all)
{
    while (all->count > 0)
        free(all->items[--all->count].name);
    free(all->items);
}

#define REMOVED(member) FIELD(removed_item, member)

static void make_status(const void *item, table_cell *cell)
{
    cell_text(cell, ((const removed_item *)item)->stays ? "no longer refers to it" : "removed");
}

static const table_column removed_columns[] = {
    {"kind", "Kind", REMOVED(kind)},
    {"name", "Name", REMOVED(name)},
    {"samples", "Samples", REMOVED(samples)},
    {"status", "Status", .make = make_status, .layout = COLUMN_LEFT},
};

/* All its sources; those before one that is in use are gone then, until the transaction is undone. */
static clump_store_status remove_dataset(clump_store *store, const char *name, bool force,
                                         removed_list *all)
{
    record_list sources;
    clump_store_status status = records_read(store, RECORD_SOURCE, &sources);
    for (size_t i = 0; i < sources.count && status == CLUMP_STORE_OK; i++) {
        const char *source = record_head_of(RECORD_SOURCE, sources.items[i]).name;
        if (is_of_dataset(sources.items[i], name))
            status = clump_store_remove(store, CLUMP_STORE_SOURCE, source, force, add_removed, all);
        if (status ==
            CLUMP_STORE_NOT_FOUND) /* it went with a platform that an earlier one took along */
            status = CLUMP_STORE_OK;
    }
    records_free(&sources);
    return status;
}

/* *gone says whether it is. What is in use is complained about only if asked to. */
static int remove_one(const command_invocation *invocation, clump_store *store, const char *name,
                      int kind, bool insist, removed_list *all, bool *gone)
{
    const char *command = invocation->arguments.command;
    const settings *s = invocation->settings;
    const clump_store_status status =
        kind == FROZEN ? remove_frozen(store, name, all)
        : kind == DATASET
            ? remove_dataset(store, name, s->force, all)
            : clump_store_remove(store, (clump_store_kind)kind, name, s->force, add_removed, all);
    /* It was there: a source goes with the last that was from it. */
    *gone = status == CLUMP_STORE_OK || status == CLUMP_STORE_NOT_FOUND;
    if (!*gone && status != CLUMP_STORE_IN_USE)
        return error_store(command, store, status);
    return !*gone && insist
               ? error_input(command,
                             "%s; name that, too, or --force (--force --dry-run shows what would "
                             "go)",
                             clump_store_message(store))
               : EXIT_DONE;
}

/* Of names that refer to each other the one that is in use waits until the other is gone. */
static int remove_all(const command_invocation *invocation, clump_store *store, removed_list *all)
{
    const command_line *line = &invocation->arguments;
    const size_t count = line->operand_count;
    size_t left = count;
    bool insist = false;
    int *kinds_of = malloc(count * sizeof *kinds_of); /* KINDS: it is gone */
    int status = kinds_of != NULL ? EXIT_DONE : error_memory(line->command);
    for (size_t i = 0; i < count && status == EXIT_DONE; i++)
        status = find_kind(line->command, store, invocation->settings, line->operands[i], KINDS,
                           &kinds_of[i]);
    while (status == EXIT_DONE && left > 0) {
        const size_t before = left;
        for (size_t i = 0; i < count && status == EXIT_DONE; i++) {
            bool gone = false;
            if (kinds_of[i] == KINDS)
                continue;
            status =
                remove_one(invocation, store, line->operands[i], kinds_of[i], insist, all, &gone);
            if (gone) {
                kinds_of[i] = KINDS;
                left--;
            }
        }
        insist = left == before;
    }
    free(kinds_of);
    return status;
}

static int run_remove(const command_invocation *invocation)
{
    const settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    clump_store *store = NULL;
    removed_list all = {.items = NULL};
    int status = database_change(invocation, &store);
    clump_store_status changed = CLUMP_STORE_OK;
    if (status == EXIT_DONE)
        changed = clump_store_begin(store);
    if (status == EXIT_DONE && changed == CLUMP_STORE_OK)
        status = remove_all(invocation, store, &all);
    if (status == EXIT_DONE && changed == CLUMP_STORE_OK && !s->dry_run)
        changed = clump_store_commit(store);
    if (changed != CLUMP_STORE_OK)
        status = error_store(command, store, changed);
    clump_store_close(store); /* what was not committed did not happen */
    if (status == EXIT_DONE) {
        const table_rows rows = {
            .key = "removed", COLUMNS(removed_columns), RECORDS(all.items, all.count)};
        if (s->dry_run && !invocation->quiet)
            note_print(command, "--dry-run: nothing is removed; without it this would be");
        status = output_print(invocation->format, &rows, NULL, 0);
    }
    removed_free(&all);
    return status;
}

static const option_entry remove_options[] = {
    KIND_OPTION("platform|application|source|dataset|frozen"),
    {.name = "force",
     .help = "also what others refer to: samples of applications\n"
             "measured on a platform go with it, platforms that are\n"
             "part of it or compared with it stay without that",
     OPTION_OF(settings, force)},
    {.name = "dry-run", .help = "only show what would be removed", OPTION_OF(settings, dry_run)},
    {0},
};
static const option_table remove_tables[] = {{remove_options, 0}, {0}};

const command_entry command_data_remove = {
    .name = "data remove",
    .operands = "NAME...",
    .summary = "Remove platforms, applications or sources from the database, with their samples",
    .text = "A source is what was imported, measured or fitted at once, such as a log. It\n"
            "goes with the last platform or application whose samples it brought. A data set\n"
            "(import --dataset) goes with all its sources; frozen predictions (validate\n"
            "--freeze) go by their name. What ships with the program stays. Nothing is removed if "
            "one of the names cannot be.",
    .examples = "clumpmodel data remove lab --db lab.db\n"
                "clumpmodel data remove lab --force --dry-run --db lab.db",
    .tables = remove_tables,
    .settings_size = sizeof(settings),
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .own_names = true,
    .run = run_remove,
};

/* ---- data rename */

typedef struct renamed {
    const char *kind, *old_name, *name;
} renamed;

static const table_column renamed_columns[] = {
    {"kind", "Kind", FIELD(renamed, kind)},
    {"old_name", "Old name", FIELD(renamed, old_name)},
    {"name", "Name", FIELD(renamed, name)},
};

static int run_rename(const command_invocation *invocation)
{
    const command_line *line = &invocation->arguments;
    const char *name = line->operands[0], *new_name = line->operands[1];
    clump_store *store = NULL;
    int kind = CLUMP_STORE_PLATFORM;
    clump_store_status changed = CLUMP_STORE_OK;
    int status = database_change(invocation, &store);
    if (status == EXIT_DONE)
        status = find_kind(line->command, store, invocation->settings, name, DATASET, &kind);
    if (status == EXIT_DONE) {
        changed = clump_store_begin(store);
        if (changed == CLUMP_STORE_OK)
            changed = clump_store_rename(store, (clump_store_kind)kind, name, new_name);
        if (changed == CLUMP_STORE_OK)
            changed = clump_store_commit(store);
    }
    if (changed != CLUMP_STORE_OK)
        status = error_store(line->command, store, changed);
    clump_store_close(store);
    if (status != EXIT_DONE)
        return status;
    const renamed done = {kind_names[kind], name, new_name};
    const table_rows rows = {.key = "renamed", COLUMNS(renamed_columns), RECORDS(&done, 1)};
    return output_print(invocation->format, &rows, NULL, 0);
}

static const option_entry rename_options[] = {KIND_OPTION("platform|application|source"), {0}};
static const option_table rename_tables[] = {{rename_options, 0}, {0}};

const command_entry command_data_rename = {
    .name = "data rename",
    .operands = "NAME NEW-NAME",
    .summary = "Give a platform, application or source of the database another name",
    .text = "Samples, fits and platforms that refer to it follow. The new name must not be in use, "
            "nor be\n"
            "that of something that ships with the program.",
    .examples = "clumpmodel data rename lab lab-2025 --db lab.db\n"
                "clumpmodel data rename lab 'the lab' --kind platform --db lab.db",
    .tables = rename_tables,
    .settings_size = sizeof(settings),
    .least_operands = 2,
    .most_operands = 2,
    .own_names = true,
    .run = run_rename,
};
