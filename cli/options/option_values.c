/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/options.h"

#include "cli/options/numbers.h"
#include "cli/output/errors.h"
#include "data/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *option_value(const command_line *arguments, size_t option)
{
    for (size_t i = 0; i < arguments->given_count; i++)
        if (arguments->given[i].option == option)
            return arguments->given[i].value;
    return NULL;
}

bool option_given(const command_line *arguments, size_t option)
{
    return option_value(arguments, option) != NULL;
}

const char *option_label(const option_entry *option, char label[OPTION_LABEL_SIZE])
{
    if (option->name != NULL)
        snprintf(label, OPTION_LABEL_SIZE, "--%s", option->name);
    else
        snprintf(label, OPTION_LABEL_SIZE, "-%c", option->letter);
    return label;
}

int options_require(const command_line *arguments)
{
    char label[OPTION_LABEL_SIZE];
    for (size_t i = 0; i < arguments->table_length; i++)
        if (arguments->table[i].required && !option_given(arguments, i))
            return error_usage(arguments->command, "%s is missing, expected %s %s",
                               option_label(&arguments->table[i], label), label,
                               arguments->table[i].argument);
    return EXIT_DONE;
}

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

int option_refuse(const command_line *arguments, size_t option, const char *found,
                  const char *expected)
{
    char label[OPTION_LABEL_SIZE], hint[CLUMP_SUGGEST_TEXT];
    const option_entry *refused = &arguments->table[option];
    return error_usage(arguments->command, "%s: found '%.80s', expected %s%s",
                       option_label(refused, label), found, expected,
                       suggest_value(refused, found, hint));
}

static bool real_in_range(const char *text, const number_range *range, double *value)
{
    double number;
    if (!real_parse(text, &number) || number < range->least || number > range->most ||
        (range->above && number <= range->least))
        return false;
    *value = number;
    return true;
}

/* "0,48", which other languages write for 0.48: its fraction, or NULL. */
static const char *decimal_comma(const char *text)
{
    static const char digits[] = "0123456789";
    const size_t length = text[0] == '0' && text[1] == ',' ? strspn(text + 2, digits) : 0;
    return length > 0 && text[2 + length] == '\0' ? text + 2 : NULL;
}

const char *option_meant(const char *text, const char *item, const number_range *range,
                         char hint[OPTION_HINT_SIZE])
{
    const char *fraction = decimal_comma(text);
    char number[ITEM_SIZE];
    double percent;
    hint[0] = '\0';
    if (fraction != NULL) {
        snprintf(hint, OPTION_HINT_SIZE, "; a decimal point, not a comma: 0.%.20s", fraction);
        return hint;
    }
    const size_t length = strcspn(item, "%");
    const bool sign = item[length] == '%' && item[length + 1] == '\0';
    const bool share = range->least >= 0 && range->most <= 1;
    if (!share || length >= sizeof number || (item[length] != '\0' && !sign))
        return hint;
    memcpy(number, item, length);
    number[length] = '\0';
    if (real_parse(number, &percent) && percent <= 100 && percent >= (sign ? 0 : 2))
        snprintf(hint, OPTION_HINT_SIZE, "; %.9g%% is %.9g", percent, percent / 100);
    return hint;
}

/* As option_refuse, with what was probably meant. */
static int refuse_real(const command_line *arguments, size_t option, const char *text,
                       const char *item, const number_range *range)
{
    char hint[OPTION_HINT_SIZE], expected[128 + OPTION_HINT_SIZE];
    snprintf(expected, sizeof expected, "%.127s%s", range->expected,
             option_meant(text, item, range, hint));
    return option_refuse(arguments, option, decimal_comma(text) != NULL ? text : item, expected);
}

int option_real(const command_line *arguments, size_t option, const number_range *range,
                double *value)
{
    const char *text = option_value(arguments, option);
    if (text == NULL || real_in_range(text, range, value))
        return EXIT_DONE;
    return refuse_real(arguments, option, text, text, range);
}

int option_whole(const command_line *arguments, size_t option, uint64_t least, uint64_t most,
                 const char *expected, uint64_t *value)
{
    const char *text = option_value(arguments, option);
    if (text == NULL || whole_parse(text, least, most, value))
        return EXIT_DONE;
    return option_refuse(arguments, option, text, expected);
}

int option_bytes(const command_line *arguments, size_t option, uint64_t least, uint64_t most,
                 const char *expected, uint64_t *value)
{
    const char *text = option_value(arguments, option);
    if (text == NULL || bytes_parse(text, least, most, value))
        return EXIT_DONE;
    return option_refuse(arguments, option, text, expected);
}

int option_reals(const command_line *arguments, size_t option, const number_range *range,
                 double **values, size_t *count)
{
    const char *const all = option_value(arguments, option), *text = all;
    if (text == NULL)
        return EXIT_DONE;
    const size_t length = list_length(text);
    double *list = calloc(length, sizeof *list);
    if (list == NULL)
        return error_memory(arguments->command);
    for (size_t i = 0; i < length; i++) {
        char item[ITEM_SIZE];
        text = list_next(text, item, sizeof item);
        if (!real_in_range(item, range, &list[i])) {
            free(list);
            return refuse_real(arguments, option, all, item, range);
        }
    }
    *values = list;
    *count = length;
    return EXIT_DONE;
}
