/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/completion.h"

#include "cli/command.h"
#include "cli/data_records.h"
#include "cli/database.h"
#include "cli/output/escape.h"
#include "cli/scenario_path.h"
#include "data/import/import.h"
#include "data/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The command line so far. */
typedef struct line {
    const command_entry *command; /* NULL: the program itself */
    bool lost;                    /* it names a command that does not exist */
    bool only_operands;           /* after "--" */
    size_t operands;              /* before the last word */
    const option_entry *awaiting; /* the option whose value the last word is */
    const char *const *words;
    size_t count;
    const char *last;
    const char *database; /* of --db */
} line;

static void offer(const line *l, const char *word, const char *meaning)
{
    if (strncmp(word, l->last, strlen(l->last)) != 0 || strpbrk(word, "\t\n\r") != NULL)
        return;
    escape_print(word, stdout);
    putchar('\t');
    for (const char *c = meaning; c != NULL && *c != '\0';)
        if (*c == '\n') /* help has several lines */
            putchar(' '), c++;
        else
            c += escape_print_one(c, stdout);
    putchar('\n');
}

/* ---- what kinds of words there are */

static void offer_records(const line *l, record_kind kind)
{
    clump_store *store = NULL;
    record_list records = {.items = NULL};
    if (database_open_quietly(l->database, &store) == CLUMP_STORE_OK &&
        records_read(store, kind, &records) == CLUMP_STORE_OK)
        for (size_t i = 0; i < records.count; i++)
            offer(l, record_name(kind, records.items[i]), record_title(kind, records.items[i]));
    records_free(&records);
    clump_store_close(store);
}

static void offer_scenario(const char *name, void *context)
{
    offer(context, name, "shipped scenario");
}

static void offer_commands(const line *l, const command_entry *const *commands)
{
    for (; commands != NULL && *commands != NULL; commands++) {
        const char *blank = strrchr((*commands)->name, ' ');
        offer(l, blank != NULL ? blank + 1 : (*commands)->name, (*commands)->summary);
    }
}

/* "table|json|csv", with or without brackets. */
static void offer_choices(const line *l, const char *choices)
{
    choices += strspn(choices, "[");
    while (*choices != '\0' && *choices != ']') {
        char word[64];
        const size_t length = strcspn(choices, "|]");
        snprintf(word, sizeof word, "%.*s", (int)length, choices);
        offer(l, word, "");
        choices += length + (choices[length] == '|');
    }
}

/* What stands for a value or operand in help: "FILE", "a|b", "NAME"; `values` says more. */
static void offer_kind(const line *l, const char *shown, const char *values)
{
    static const struct {
        const char *name;
        record_kind kind;
    } kinds[] = {{"@platforms", RECORD_PLATFORM},
                 {"@applications", RECORD_APPLICATION},
                 {"@quantities", RECORD_QUANTITY},
                 {"@sources", RECORD_SOURCE}};
    const char *const what = values != NULL ? values : shown;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(what, kinds[i].name) == 0 || strcmp(what, "@names") == 0)
            offer_records(l, kinds[i].kind);
    if (*what == '@')
        return;
    if (strchr(what, '|') != NULL) {
        offer_choices(l, what);
    } else if (strncmp(what, "SCENARIO", 8) == 0) {
        list_shipped_scenarios(offer_scenario, (void *)(uintptr_t)l);
        puts(":files .lua");
    } else if (strncmp(what, "FILE", 4) == 0) {
        puts(":files");
    } else if (strcmp(what, "FORMAT") == 0) {
        for (size_t i = 0; clump_import_format_name(i) != NULL; i++)
            offer(l, clump_import_format_name(i), "");
    }
}

/* ---- where on the line we are */

static const option_entry *find_option(const line *l, const char *word)
{
    const option_entry *tables[] = {l->command != NULL ? l->command->options : NULL,
                                    global_options};
    const size_t lengths[] = {l->command != NULL ? l->command->option_count : 0, GLOBAL_COUNT};
    const size_t length = strcspn(word, "=");
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < lengths[t]; i++) {
            const option_entry *option = &tables[t][i];
            if (word[1] != '-' ? option->letter == word[1]
                               : option->name != NULL && strlen(option->name) == length - 2 &&
                                     strncmp(option->name, word + 2, length - 2) == 0)
                return option;
        }
    return NULL;
}

/* One word that is complete. */
static void step(line *l, const char *word)
{
    if (l->awaiting != NULL) {
        if (strcmp(word, "=") == 0) /* bash takes "--name=value" apart */
            return;
        if (l->awaiting == &global_options[GLOBAL_DATABASE])
            l->database = word;
        l->awaiting = NULL;
        return;
    }
    if (!l->only_operands && strcmp(word, "--") == 0) {
        l->only_operands = true;
        return;
    }
    if (!l->only_operands && word[0] == '-' && word[1] != '\0') {
        const option_entry *option = find_option(l, word);
        const bool has_value = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
        if (option != NULL && option->argument != NULL && !has_value)
            l->awaiting = option;
        return;
    }
    const bool explains = l->command == &command_help;
    if (l->command == NULL || l->command->subcommands != NULL || explains) {
        const command_entry *within = explains ? NULL : l->command;
        const command_entry *found = command_find(within, word);
        if (explains && found != NULL && found->subcommands == NULL)
            l->lost = true; /* nothing follows */
        l->lost = l->lost || found == NULL;
        if (!explains || (found != NULL && found->subcommands != NULL))
            l->command = found;
        return;
    }
    l->operands++;
}

/* ---- what the last word can be */

static bool is_given(const line *l, const option_entry *option)
{
    for (size_t i = 0; i + 1 < l->count; i++)
        if (l->words[i][0] == '-' && find_option(l, l->words[i]) == option)
            return true;
    return false;
}

static void offer_options(const line *l, const option_entry *options, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char word[64];
        if (options[i].name == NULL || (is_given(l, &options[i]) && !options[i].repeated))
            continue;
        snprintf(word, sizeof word, "--%s", options[i].name);
        offer(l, word, options[i].help);
    }
}

/* The place in "FORMAT FILE..." of the operand that is typed. */
static void offer_operand(const line *l)
{
    const command_entry *command = l->command;
    const char *shown = command->operands;
    char word[128];
    if (shown == NULL || l->operands >= command->most_operands)
        return;
    for (size_t i = 0; i < l->operands; i++) {
        const char *blank = strchr(shown, ' ');
        if (blank == NULL)
            break;
        shown = blank + 1;
    }
    const bool optional = *shown == '[' && strchr(shown, '|') == NULL;
    shown += optional;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(shown, optional ? " ]" : " "), shown);
    offer_kind(l, word, strcmp(word, "NAME") == 0 ? "@names" : NULL);
}

/* "--format=js": the value, with the option before it, as the shell has it as one word. */
static void offer_joined(line *l, const option_entry *option)
{
    l->last = strchr(l->last, '=') + 1;
    offer_kind(l, option->argument, option->values);
}

static void offer_all(line *l)
{
    const option_entry *option = NULL;
    if (l->awaiting != NULL) {
        if (strcmp(l->last, "=") == 0)
            l->last = "";
        offer_kind(l, l->awaiting->argument, l->awaiting->values);
        return;
    }
    if (l->only_operands || *l->last != '-') {
        if (l->command == NULL || l->command->subcommands != NULL)
            offer_commands(l, l->command != NULL ? l->command->subcommands : command_table);
        else if (l->command == &command_help)
            offer_commands(l, command_table);
        else
            offer_operand(l);
        return;
    }
    if (l->last[1] == '-' && strchr(l->last, '=') != NULL)
        option = find_option(l, l->last);
    if (option != NULL && option->argument != NULL) {
        offer_joined(l, option);
        return;
    }
    if (l->command != NULL)
        offer_options(l, l->command->options, l->command->option_count);
    offer_options(l, global_options, GLOBAL_COUNT);
}

void completion_print(const char *const *words, size_t count)
{
    line l = {.words = words, .count = count, .last = count > 0 ? words[count - 1] : ""};
    for (size_t i = 0; i + 1 < count && !l.lost; i++)
        step(&l, words[i]);
    if (!l.lost)
        offer_all(&l);
}
