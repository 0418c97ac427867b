/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/numbers.h"

#include "cli/output/errors.h"
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
                               option->name, option->argument);
    return EXIT_DONE;
}

void *option_allocate(command_line *line, size_t size)
{
    if (line->memory == NULL)
        line->memory = clump_arena_new();
    void *taken = line->memory != NULL ? clump_arena_take(line->memory, size) : NULL;
    if (taken == NULL)
        error_memory(line->command);
    return taken;
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
    const char *choices = option->values != NULL ? option->values : option->argument;
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

/* ---- types */

/* Which word of "one|other|third" it is. */
static int read_choice(command_line *line, const option_entry *option, const char *text,
                       uint64_t *place)
{
    char expected[128] = "";
    size_t used = 0;
    *place = 0;
    for (const char *word = option->argument;; (*place)++) {
        const size_t length = strcspn(word, "|");
        const bool last = word[length] == '\0';
        if (length == strlen(text) && strncmp(word, text, length) == 0)
            return EXIT_DONE;
        if (used < sizeof expected)
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%.*s",
                                     *place == 0 ? ""
                                     : last      ? " or "
                                                 : ", ",
                                     (int)length, word);
        if (last)
            break;
        word += length + 1;
    }
    return wrong(line, option, text, option->expected != NULL ? option->expected : expected);
}

static int read_texts(command_line *line, const char *text, option_texts *list)
{
    if (list->items == NULL) /* they cannot be more than was given */
        list->items = option_allocate(line, (line->given_count + 1) * sizeof *list->items);
    if (list->items == NULL)
        return EXIT_FAILED;
    list->items[list->count++] = text;
    return EXIT_DONE;
}

static int read_output(command_line *line, const option_entry *option, const char *text)
{
    if (*text == '\0' || strcmp(text, "-") == 0)
        return wrong(line, option, text, option->expected);
    return option_check_output(line, option, text);
}

/* Into an integer of any size. */
static void store_whole(const option_entry *option, uint64_t value, void *field)
{
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    const void *from = option->size == 1   ? (const void *)&one
                       : option->size == 2 ? (const void *)&two
                       : option->size == 4 ? (const void *)&four
                                           : (const void *)&value;
    memcpy(field, from, option->size);
}

static int read_text(command_line *line, const option_entry *option, const char *text, void *field)
{
    uint64_t whole = 0;
    int status = EXIT_DONE;
    switch (option->type) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_TEXT:
        break;
    case OPTION_TEXTS:
        return read_texts(line, text, field);
    case OPTION_OUTPUT:
        status = read_output(line, option, text);
        break;
    case OPTION_REAL:
    case OPTION_SHARE:
        return number_read_real(line, option, text, field);
    case OPTION_REALS:
        return number_read_reals(line, option, text, field);
    case OPTION_WHOLE:
    case OPTION_BYTES:
        status = number_read_whole(line, option, text, &whole);
        break;
    case OPTION_WHOLES:
        return number_read_wholes(line, option, text, field);
    case OPTION_CHOICE:
    case OPTION_WORD:
        status = read_choice(line, option, text, &whole);
        break;
    case OPTION_CUSTOM:
        return option->read(line, option, text, field);
    }
    if (status != EXIT_DONE)
        return status;
    if (option->type == OPTION_TEXT || option->type == OPTION_OUTPUT || option->type == OPTION_WORD)
        *(const char **)field = text;
    else if (option->type != OPTION_FLAG)
        store_whole(option, whole, field);
    return EXIT_DONE;
}

static int read_option(command_line *line, const option_entry *option, void *field)
{
    int status = EXIT_DONE;
    bool given = false;
    for (size_t i = 0; i < line->given_count && status == EXIT_DONE; i++)
        if (line->given[i].entry == option) {
            status = read_text(line, option, line->given[i].value, field);
            given = true;
        }
    if (!given && option->preset != NULL)
        status = read_text(line, option, option->preset, field);
    return status;
}

int options_read(command_line *line, void *settings)
{
    int status = EXIT_DONE;
    for (const option_table *table = line->tables; table != NULL && table->entries != NULL; table++)
        for (const option_entry *option = table->entries;
             option->name != NULL && status == EXIT_DONE; option++)
            if (option->size > 0)
                status =
                    read_option(line, option, (char *)settings + table->offset + option->offset);
    return status;
}

/* ---- files that are written */

/* "-" is standard input to one option and the terminal to another, never a file. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    if (strcmp(a, "-") == 0 || strcmp(b, "-") == 0)
        return false;
    if (strcmp(a, b) == 0)
        return true;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
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
        if (other == option || other->argument == NULL || strcmp(other->argument, "FILE") != 0 ||
            !is_same_file(line->given[i].value, path))
            continue;
        snprintf(expected, sizeof expected, "another file than that of --%s", other->name);
        return wrong(line, option, path, expected);
    }
    return EXIT_DONE;
}
