/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"

#include "cli/output/errors.h"
#include "data/suggest.h"

#include <string.h>

const command_entry *const command_table[] = {
    &command_slowdown,
    &command_recommend,
    &command_predict,
    &command_explore,
    &command_simulate,
    &command_import,
    &command_fit,
    &command_validate,
    &command_calibrate,
    &command_data,
    &command_completion,
    &command_help,
    NULL,
};

const option_entry global_options[GLOBAL_COUNT] = {
    [GLOBAL_FORMAT] = {.name = "format",
                       .argument = "table|json|csv",
                       .help = "how results are printed (default: table)"},
    [GLOBAL_DATABASE] = {.name = "db",
                         .argument = "FILE",
                         .help = "database of yours, beside the reference data"},
    [GLOBAL_QUIET] = {.name = "quiet",
                      .letter = 'q',
                      .help = "no progress, and nothing that scenarios print"},
    [GLOBAL_HELP] = {.name = "help", .letter = 'h', .help = "print help and exit"},
    [GLOBAL_VERSION] = {.name = "version", .help = "print the version and exit"},
};

static const command_entry *const *commands_within(const command_entry *within)
{
    return within != NULL ? within->subcommands : command_table;
}

/* "show" of "data show". */
static const char *last_word(const command_entry *command)
{
    const char *blank = strrchr(command->name, ' ');
    return blank != NULL ? blank + 1 : command->name;
}

const command_entry *command_find(const command_entry *within, const char *name)
{
    const command_entry *const *command = commands_within(within);
    for (; command != NULL && *command != NULL; command++)
        if (strcmp(last_word(*command), name) == 0)
            return *command;
    return NULL;
}

int command_unknown(const command_entry *within, const char *name)
{
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    const command_entry *const *command = commands_within(within);
    for (; command != NULL && *command != NULL; command++)
        clump_suggest_offer(&suggestion, last_word(*command));
    return error_usage(within != NULL ? within->name : NULL, "unknown command '%.80s'%s", name,
                       clump_suggest_text(&suggestion, "", hint));
}
