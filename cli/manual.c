/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/manual.h"

#include "cli/companion.h"
#include "cli/output/errors.h"
#include "cli/output/results.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- text */

/* One character of running text. */
static void put(char c)
{
    if (c == '-')
        fputs("\\-", stdout);
    else if (c == '\\')
        fputs("\\e", stdout);
    else
        putchar(c);
}

/* A sentence or more, which begins with a capital and ends with a full stop; options in it are bold. */
static void print_sentence(const char *text)
{
    const bool word =
        isalpha((unsigned char)text[0]) && (isalpha((unsigned char)text[1]) || text[1] == ' ');
    const char *c = text;
    fputs(isalpha((unsigned char)*c) ? "" : "\\&", stdout);
    while (*c != '\0') {
        const bool option =
            strncmp(c, "--", 2) == 0 && (c == text || strchr(" \n('", c[-1]) != NULL);
        const char *const end = c + (option ? 2 + strspn(c + 2, "abcdefghijklmnopqrstuvwxyz-") : 1);
        fputs(option ? "\\fB" : "", stdout);
        for (; c < end; c++)
            put(c == text && word ? (char)toupper((unsigned char)*c) : *c);
        fputs(option ? "\\fP" : "", stdout);
        if (c[-1] == '\n')
            fputs("\\&", stdout); /* no request */
    }
    puts(c > text && c[-1] == '.' ? "" : ".");
}

/* Of a word, but for "..." behind it. */
static bool is_of_word(const char *c)
{
    return isalnum((unsigned char)*c) || *c == '-' || *c == '_' ||
           (*c == '.' && isalnum((unsigned char)c[1]));
}

/* What stands for a value, or on a command line: words in capitals are to be replaced, others are meant. */
static void print_argument(const char *text)
{
    while (*text != '\0') {
        const bool replaced = isupper((unsigned char)*text) != 0;
        size_t length = 0;
        while (is_of_word(text + length))
            length++;
        fputs(length == 0 ? "" : replaced ? "\\fI" : "\\fB", stdout);
        for (const char *const end = text + (length > 0 ? length : 1); text < end; text++)
            put(*text);
        fputs(length > 0 ? "\\fP" : text[-1] == '|' ? "\\:" : "", stdout);
    }
}

/* ---- options */

static void print_name(const option_entry *option)
{
    fputs("\\fB\\-\\-\\fP", stdout);
    print_argument(option->name);
}

static void print_option(const option_entry *option)
{
    char help[OPTION_HELP_SIZE], range[OPTION_RANGE_SIZE], takes[2 * OPTION_RANGE_SIZE];
    if (option->letter != 0)
        printf(".TP\n\\fB\\-%c\\fP, ", option->letter);
    else
        puts(".TP");
    print_name(option);
    putchar(option_argument(option) != NULL ? ' ' : '\n');
    if (option_argument(option) != NULL) {
        print_argument(option_argument(option));
        putchar('\n');
    }
    print_sentence(option_help(option, help));
    snprintf(takes, sizeof takes, "takes %s", option_range(option, range));
    if (strcmp(takes, "takes ") != 0)
        print_sentence(takes);
    if (option->required)
        puts("Required.");
    if (option->repeated && strstr(option->help, "repeated") == NULL)
        puts("May be repeated.");
}

static void print_options(const option_table *tables)
{
    const option_entry *option;
    for (size_t i = 0; (option = option_at(tables, i)) != NULL; i++)
        print_option(option);
}

/* ---- the synopsis */

static void print_usage(const command_entry *command)
{
    const option_entry *option;
    char operands[COMMAND_OPERANDS_SIZE];
    size_t count = 0;
    printf(".SY \"clumpmodel %s\"\n", command->name);
    for (; (option = command_option(command, count)) != NULL; count++)
        if (option->required) {
            print_name(option);
            printf(" \\fI%s\\fP\n", option_argument(option));
        }
    fputs(count > 0 || command->companion != NULL ? "[\\fIOPTION\\fP]...\\& " : "\\&", stdout);
    print_argument(command_operands(command, operands));
    puts("\\&");
}

static void print_usages(const command_entry *const *commands)
{
    for (; *commands != NULL; commands++)
        if ((*commands)->subcommands != NULL)
            print_usages((*commands)->subcommands);
        else
            print_usage(*commands);
}

/* ---- keys of results */

static void print_results(void)
{
    const table_rows rows = result_rows(NULL, 0);
    for (size_t i = 0; i < rows.column_count; i++) {
        const table_column *column = &rows.columns[i];
        if (column->key == NULL)
            continue;
        printf(".TP\n.B %s\n", column->key);
        print_sentence(column->meaning != NULL ? column->meaning
                       : column->label != NULL ? column->label
                                               : column->heading);
    }
}

int manual_print(const command_entry *program, const char *const *words, size_t count)
{
    const command_entry *command = program;
    const bool usage = count > 0 && strcmp(words[0], "usage") == 0;
    if (count == 1 && strcmp(words[0], "results") == 0) {
        print_results();
        return EXIT_DONE;
    }
    if (count == 1 && strcmp(words[0], "options") == 0) {
        print_options(global_options);
        return EXIT_DONE;
    }
    for (size_t i = usage; i < count; i++) {
        const command_entry *next = command_find(command, words[i]);
        if (next == NULL)
            return command_unknown(command, words[i]);
        if (next->companion != NULL)
            return companion_become(next);
        command = next;
    }
    if (!usage)
        print_options(command->tables);
    else if (command->subcommands != NULL)
        print_usages(command->subcommands);
    else
        print_usage(command);
    return EXIT_DONE;
}
