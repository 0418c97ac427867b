/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

#include "cli/errors.h"
#include "data/suggest.h"

#include <string.h>

const clump_cli_command *const clump_cli_commands[] = {
    &clump_cli_command_slowdown,
    &clump_cli_command_recommend,
    &clump_cli_command_predict,
    &clump_cli_command_explore,
    &clump_cli_command_simulate,
    &clump_cli_command_import,
    &clump_cli_command_fit,
    &clump_cli_command_validate,
    &clump_cli_command_calibrate,
    &clump_cli_command_data,
    &clump_cli_command_completion,
    &clump_cli_command_help,
    NULL,
};

const clump_cli_option clump_cli_global_options[CLUMP_CLI_GLOBAL_COUNT] = {
    [CLUMP_CLI_FORMAT] = {.name = "format",
                          .argument = "table|json|csv",
                          .help = "how results are printed (default: table)"},
    [CLUMP_CLI_DATABASE] = {.name = "db",
                            .argument = "FILE",
                            .help = "data base of yours, beside the reference data"},
    [CLUMP_CLI_QUIET] = {.name = "quiet",
                         .letter = 'q',
                         .help = "no progress, and nothing that scenarios print"},
    [CLUMP_CLI_HELP] = {.name = "help", .letter = 'h', .help = "print help and exit"},
    [CLUMP_CLI_VERSION] = {.name = "version", .help = "print the version and exit"},
};

static const clump_cli_command *const *commands_within(const clump_cli_command *within)
{
    return within != NULL ? within->subcommands : clump_cli_commands;
}

/* "show" of "data show". */
static const char *last_word(const clump_cli_command *command)
{
    const char *blank = strrchr(command->name, ' ');
    return blank != NULL ? blank + 1 : command->name;
}

const clump_cli_command *clump_cli_command_find(const clump_cli_command *within, const char *name)
{
    const clump_cli_command *const *command = commands_within(within);
    for (; command != NULL && *command != NULL; command++)
        if (strcmp(last_word(*command), name) == 0)
            return *command;
    return NULL;
}

int clump_cli_command_unknown(const clump_cli_command *within, const char *name)
{
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    const clump_cli_command *const *command = commands_within(within);
    for (; command != NULL && *command != NULL; command++)
        clump_suggest_offer(&suggestion, last_word(*command));
    return clump_cli_error_usage(within != NULL ? within->name : NULL, "unknown command '%.80s'%s",
                                 name, clump_suggest_text(&suggestion, "", hint));
}
