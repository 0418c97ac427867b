/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/options.h"

#include "cli/output/errors.h"
#include "cli/output/file_output.h"
#include "data/arena.h"
#include "data/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- entries */

const option_entry *option_at(const option_table *tables, size_t index)
{
    for (; tables != NULL && tables->entries != NULL; tables++) {
        const option_entry *entries = tables->entries;
        size_t count = 0;
        while (entries[count].name != NULL)
            count++;
        if (index < count)
            return &entries[index];
        index -= count;
    }
    return NULL;
}

const char *option_argument(const option_entry *option)
{
    static const char *const words[] = {
        [OPTION_TEXT] = "NAME",    [OPTION_TEXTS] = "NAME",   [OPTION_OUTPUT] = "FILE",
        [OPTION_REAL] = "NUMBER",  [OPTION_SHARE] = "NUMBER", [OPTION_REALS] = "LIST",
        [OPTION_WHOLE] = "NUMBER", [OPTION_WHOLES] = "LIST",  [OPTION_BYTES] = "BYTES",
        [OPTION_CUSTOM] = NULL,
    };
    return option->argument != NULL ? option->argument : words[option->type];
}

const char *option_help(const option_entry *option, char text[OPTION_HELP_SIZE])
{
    const char *place = option->preset != NULL ? strstr(option->help, "{}") : NULL;
    if (place == NULL)
        return option->help;
    snprintf(text, OPTION_HELP_SIZE, "%.*s%s%s", (int)(place - option->help), option->help,
             option->preset, place + 2);
    return text;
}

/* ---- what was given */

const char *option_text(const command_line *line, const char *name)
{
    for (size_t i = 0; i < line->given_count; i++)
        if (strcmp(line->given[i].entry->name, name) == 0)
            return line->given[i].value;
    return NULL;
}

bool option_is_given(const command_line *line, const char *name)
{
    return option_text(line, name) != NULL;
}

const option_entry *option_any_given(const command_line *line, const option_entry *entries)
{
    for (; entries->name != NULL; entries++)
        if (option_is_given(line, entries->name))
            return entries;
    return NULL;
}

int options_require(const command_line *line)
{
    const option_entry *option;
    for (size_t i = 0; (option = option_at(line->tables, i)) != NULL; i++)
        if (option->required && !option_is_given(line, option->name))
            return error_usage(line->command, "--%s is missing, expected --%s %s", option->name,
                               option->name, option_argument(option));
    return EXIT_DONE;
}

void *option_allocate_more(command_line *line, void *rows, size_t count, size_t size)
{
    if (line->memory == NULL)
        line->memory = clump_arena_new();
    void *more = line->memory != NULL ? clump_arena_more(line->memory, rows, count, size) : NULL;
    if (more == NULL)
        error_memory(line->command);
    return more;
}

void *option_allocate(command_line *line, size_t size)
{
    return option_allocate_more(line, NULL, 0, size);
}

void command_line_free(command_line *line)
{
    clump_arena_free(line->memory);
    free(line->given);
    free(line->operands);
    *line = (command_line){.command = line->command, .tables = line->tables};
}

/* ---- what is wrong */

/* What somebody probably meant, of the words that the option takes. */
static const char *suggest_value(const option_entry *option, const char *found,
                                 char hint[CLUMP_SUGGEST_TEXT])
{
    const char *choices = option->values != NULL ? option->values : option_argument(option);
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, found);
    hint[0] = '\0';
    if (choices == NULL || strchr(choices, '|') == NULL)
        return hint;
    for (size_t length; *choices != '\0'; choices += length + (choices[length] == '|')) {
        char word[CLUMP_SUGGEST_NAME];
        length = strcspn(choices, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, choices);
        if (strcmp(word, found) == 0) /* refused for another reason */
            return hint;
        if (length > 0 && word[strlen(word) - 1] != ':') /* more follows a colon */
            clump_suggest_offer(&suggestion, word);
    }
    return clump_suggest_text(&suggestion, "", hint);
}

static int wrong(const command_line *line, const option_entry *option, const char *found,
                 const char *expected)
{
    char hint[CLUMP_SUGGEST_TEXT];
    return error_usage(line->command, "--%s: found '%.80s', expected %s%s", option->name, found,
                       expected, suggest_value(option, found, hint));
}

int option_wrong(const command_line *line, const char *name, const char *found,
                 const char *expected)
{
    const option_entry *option;
    for (size_t i = 0; (option = option_at(line->tables, i)) != NULL; i++)
        if (strcmp(option->name, name) == 0)
            break;
    return wrong(line, option, found, expected);
}

/* ---- files that are written */

/* "-" is standard input to one option and the terminal to another, never a file. */
static bool is_same_file(const char *a, const char *b)
{
    return strcmp(a, "-") != 0 && strcmp(b, "-") != 0 && file_is_same(a, b);
}

/* A name that is no file yet is not read either: that of a shipped scenario, or of a platform. */
static bool is_operand(const command_line *line, const char *path)
{
    struct stat found;
    for (size_t i = 0; i < line->operand_count; i++)
        if (is_same_file(line->operands[i], path) && stat(path, &found) == 0)
            return true;
    return false;
}

int option_check_output(const command_line *line, const option_entry *option, const char *path)
{
    if (is_operand(line, path))
        return wrong(line, option, path, "another file than the one to be read");
    for (size_t i = 0; i < line->given_count; i++) {
        const option_entry *other = line->given[i].entry;
        char expected[96];
        if (other == option || option_argument(other) == NULL ||
            strcmp(option_argument(other), "FILE") != 0 ||
            !is_same_file(line->given[i].value, path))
            continue;
        snprintf(expected, sizeof expected, "another file than that of --%s", other->name);
        return wrong(line, option, path, expected);
    }
    return EXIT_DONE;
}
