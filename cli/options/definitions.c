/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/definitions.h"

#include "cli/output/errors.h"

#include <stdlib.h>
#include <string.h>

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* There can be many of them: sort the names, then look for equal neighbours. */
static int check_distinct(const command_line *arguments, const clump_scenario_definition *list,
                          size_t count)
{
    const char **names = malloc((count + 1) * sizeof *names);
    if (names == NULL)
        return error_memory(arguments->command);
    for (size_t i = 0; i < count; i++)
        names[i] = list[i].name;
    qsort(names, count, sizeof *names, compare_names);
    int status = EXIT_DONE;
    for (size_t i = 1; i < count && status == EXIT_DONE; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = error_usage(arguments->command, "--define: found '%.80s' twice, expected once",
                                 names[i]);
    free(names);
    return status;
}

/* Names and values are in one block that follows the array. */
int read_definitions(const command_line *arguments, size_t option,
                     clump_scenario_definition **definitions, size_t *count)
{
    size_t size = 1, used = 0;
    for (size_t i = 0; i < arguments->given_count; i++)
        size += strlen(arguments->given[i].value) + 1;
    clump_scenario_definition *list = malloc((arguments->given_count + 1) * sizeof *list + size);
    if (list == NULL)
        return error_memory(arguments->command);
    char *text = (char *)(list + arguments->given_count + 1);
    for (size_t i = 0; i < arguments->given_count; i++) {
        const char *given = arguments->given[i].value;
        if (arguments->given[i].option != option)
            continue;
        const char *equals = strchr(given, '=');
        if (equals == NULL || !definition_is_name(given, (size_t)(equals - given))) {
            free(list);
            return option_refuse(arguments, option, given,
                                 "NAME=VALUE with a name of letters, digits and _");
        }
        strcpy(text, given);
        text[equals - given] = '\0';
        list[used++] = (clump_scenario_definition){text, text + (equals - given) + 1};
        text += strlen(given) + 1;
    }
    *definitions = list;
    *count = used;
    return check_distinct(arguments, list, used);
}
