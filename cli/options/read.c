/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/read.h"

#include "cli/options/numbers.h"
#include "cli/output/errors.h"

#include <stdio.h>
#include <string.h>

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
    return option_wrong(line, option->name, text,
                        option->expected != NULL ? option->expected : expected);
}

static int read_texts(command_line *line, const char *text, option_texts *list)
{
    const char **items = option_allocate_more(line, list->items, list->count, sizeof *items);
    if (items == NULL)
        return EXIT_FAILED;
    list->items = items;
    items[list->count++] = text;
    return EXIT_DONE;
}

static int read_output(command_line *line, const option_entry *option, const char *text)
{
    if (*text == '\0' || strcmp(text, "-") == 0)
        return option_wrong(line, option->name, text, option->expected);
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
