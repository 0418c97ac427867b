/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

#include "cli/output/errors.h"
#include "data/suggest.h"

#include <stdio.h>
#include <string.h>

static const option_entry global_entries[] = {
    {.name = "format",
     .argument = "table|json|csv|md|latex",
     .help = "how results are printed (default: {})",
     OPTION_AS(CHOICE, command_invocation, format),
     .preset = "table"},
    {.name = "json", .help = "results as JSON", OPTION_FIELD(command_invocation, json)},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     .help = "write results to this file, which is replaced when they are\n"
             "whole (-: standard output)",
     OPTION_OF(command_invocation, output)},
    {.name = "db",
     .argument = "FILE",
     .help = "your database, in addition to the reference data",
     OPTION_OF(command_invocation, database)},
    {.name = "quiet",
     .letter = 'q',
     .help = "no progress, and no output of scenarios",
     OPTION_OF(command_invocation, quiet)},
    {.name = "help", .letter = 'h', .help = "print help and exit"},
    {.name = "version", .letter = 'V', .help = "print the version and exit"},
    {0},
};

const option_table global_options[] = {{global_entries, 0}, {0}};

const option_entry *command_option(const command_entry *command, size_t index)
{
    return option_at(command->tables, index);
}

const char *command_last_word(const command_entry *command)
{
    const char *blank = strrchr(command->name, ' ');
    return blank != NULL ? blank + 1 : command->name;
}

const char *command_operands(const command_entry *command, char text[COMMAND_OPERANDS_SIZE])
{
    const command_entry *const *sub = command->subcommands;
    size_t used = 0;
    text[0] = '\0';
    if (command->operands != NULL)
        return command->operands;
    for (; sub != NULL && *sub != NULL && used < COMMAND_OPERANDS_SIZE; sub++)
        used += (size_t)snprintf(text + used, COMMAND_OPERANDS_SIZE - used, "%s%s",
                                 used > 0 ? "|" : "", command_last_word(*sub));
    return text;
}

const command_entry *command_find(const command_entry *within, const char *name)
{
    const command_entry *const *command = within->subcommands;
    for (; command != NULL && *command != NULL; command++)
        if (strcmp(command_last_word(*command), name) == 0)
            return *command;
    return NULL;
}

int command_unknown(const command_entry *within, const char *name)
{
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    const command_entry *const *command = within->subcommands;
    for (; command != NULL && *command != NULL; command++)
        clump_suggest_offer(&suggestion, command_last_word(*command));
    return error_usage(within->name, "unknown command '%.80s'%s", name,
                       clump_suggest_text(&suggestion, "", hint));
}
