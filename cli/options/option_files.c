/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/options.h"
#include "cli/output/errors.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
static bool is_operand(const command_line *arguments, const char *path)
{
    struct stat found;
    for (size_t i = 0; i < arguments->operand_count; i++)
        if (is_same_file(arguments->operands[i], path) && stat(path, &found) == 0)
            return true;
    return false;
}

int option_own_file(const command_line *arguments, size_t option)
{
    const char *path = option_value(arguments, option);
    if (path == NULL)
        return EXIT_DONE;
    if (is_operand(arguments, path))
        return option_refuse(arguments, option, path, "another file than the one to be read");
    for (size_t i = 0; i < arguments->given_count; i++) {
        const given_option *given = &arguments->given[i];
        const option_entry *other = &arguments->table[given->option];
        char label[OPTION_LABEL_SIZE];
        char expected[OPTION_LABEL_SIZE + 32];
        if (given->option == option || other->argument == NULL ||
            strcmp(other->argument, "FILE") != 0 || !is_same_file(given->value, path))
            continue;
        snprintf(expected, sizeof expected, "another file than that of %s",
                 option_label(other, label));
        return option_refuse(arguments, option, path, expected);
    }
    return EXIT_DONE;
}
