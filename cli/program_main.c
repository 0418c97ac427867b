/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/program_main.h"

#include "cli/companion.h"
#include "cli/help.h"
#include "cli/options/parse.h"
#include "cli/options/read.h"
#include "cli/output/errors.h"
#include "cli/output/standard_output.h"
#include "clumpmodel.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * A file that is opened while a standard stream is closed would take its place and receive what is
 * meant for the stream. Fill the gap; input stays unreadable and output unwritable.
 */
static void guard_standard_streams(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int descriptor = 0; descriptor < 3; descriptor++)
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
            open("/dev/null", modes[descriptor]); /* takes the lowest that is free */
}

/* A parent that ignores SIGCHLD hands that down: children then leave no status, as if what they did
 * had failed. */
static void await_children(void)
{
    signal(SIGCHLD, SIG_DFL);
}

/* The global options into the invocation. */
static int read_globals(command_line *globals, command_invocation *invocation)
{
    struct stat found;
    const int status = options_read(globals, invocation);
    if (status != EXIT_DONE)
        return status;
    invocation->format_given = option_is_given(globals, "format");
    if (invocation->json && invocation->format_given && invocation->format != FORMAT_JSON)
        return error_usage(invocation->command->name,
                           "--json: found --format %s beside it, expected one of them",
                           option_text(globals, "format"));
    if (invocation->json) {
        invocation->format = FORMAT_JSON;
        invocation->format_given = true;
    }
    if (invocation->format == FORMAT_MARKDOWN || invocation->format == FORMAT_LATEX) {
        table_print_as(invocation->format == FORMAT_MARKDOWN ? TABLE_MARKDOWN : TABLE_LATEX);
        invocation->format = FORMAT_TABLE;
    }
    if (invocation->database != NULL && !invocation->command->creates_database &&
        stat(invocation->database, &found) != 0)
        return error_input(NULL, "--db: cannot use '%.200s': %s", invocation->database,
                           strerror(errno));
    return EXIT_DONE;
}

/* The file of --output must be none that the command reads or writes itself. */
static int check_output(const command_line *globals, const command_invocation *invocation)
{
    const option_entry *option;
    if (invocation->output == NULL)
        return EXIT_DONE;
    for (size_t i = 0; (option = option_at(global_options, i)) != NULL; i++)
        if (strcmp(option->name, "output") == 0)
            break;
    if (*invocation->output == '\0')
        return error_usage(invocation->command->name,
                           "--output: found '', expected a file, or - for standard output");
    const int status = option_check_output(globals, option, invocation->output);
    return status == EXIT_DONE
               ? option_check_output(&invocation->arguments, option, invocation->output)
               : status;
}

/* One of those that documents and mails make of '-': U+2010 to U+2015, and the minus sign. */
static bool is_other_dash(const char *text)
{
    return (strncmp(text, "\xe2\x80", 2) == 0 && (unsigned char)text[2] >= 0x90 &&
            (unsigned char)text[2] <= 0x95) ||
           strncmp(text, "\xe2\x88\x92", 3) == 0;
}

static int check_operands(const command_invocation *invocation)
{
    const command_entry *command = invocation->command;
    const size_t count = invocation->arguments.operand_count;
    const char *const *operands = invocation->arguments.operands;
    for (size_t i = 0; i < count; i++)
        if (is_other_dash(operands[i]))
            return error_usage(command->name,
                               "found '%.80s', expected '-' or '--' before an option: this dash is "
                               "another character",
                               operands[i]);
    if (count < command->least_operands)
        return error_usage(command->name, "found %s, expected %s%s",
                           count == 0 ? "nothing to work on" : "too few names", command->operands,
                           count > 0 && strcmp(command->name, "import") == 0
                               ? ", such as 'import auto FILE'"
                               : "");
    if (count > command->most_operands) {
        const char *extra = operands[command->most_operands];
        const size_t length = strlen(extra);
        const bool script =
            command->most_operands == 0 && length > 4 && strcmp(extra + length - 4, ".lua") == 0;
        return error_usage(command->name, "found '%.80s', expected nothing more%s", extra,
                           script ? "; scenarios are for 'clumpmodel predict' and 'explore'" : "");
    }
    return EXIT_DONE;
}

/* Read the options of the command, and run it. */
static int start_command(command_invocation *invocation)
{
    const command_entry *command = invocation->command;
    output_redirection redirection;
    invocation->settings = calloc(1, command->settings_size + 1);
    if (invocation->settings == NULL)
        return error_memory(command->name);
    if (command->initial != NULL)
        memcpy(invocation->settings, command->initial, command->settings_size);
    int status = options_read(&invocation->arguments, invocation->settings);
    if (command->takes_command) {
        if (status == EXIT_DONE)
            status = command->run(invocation);
        free(invocation->settings);
        return status;
    }
    if (status == EXIT_DONE)
        status = standard_output_redirect(command->name, invocation->output, &redirection);
    if (status == EXIT_DONE)
        status = standard_output_return(&redirection, command->run(invocation));
    free(invocation->settings);
    return status;
}

/* The command line ends with this command. */
static int finish_line(command_invocation *invocation, command_line *globals)
{
    const command_entry *command = invocation->command;
    char operands[COMMAND_OPERANDS_SIZE];
    if (option_is_given(globals, "help")) {
        help_print(command);
        return EXIT_DONE;
    }
    if (option_is_given(globals, "version")) {
        puts("clumpmodel " CLUMPMODEL_VERSION);
        return EXIT_DONE;
    }
    if (command->run == NULL)
        return error_usage(command->name, "found no command, expected %s",
                           command_operands(command, operands));
    int status = check_operands(invocation);
    if (status == EXIT_DONE)
        status = options_require(&invocation->arguments);
    if (status == EXIT_DONE)
        status = read_globals(globals, invocation);
    if (status == EXIT_DONE)
        status = check_output(globals, invocation);
    return status == EXIT_DONE ? start_command(invocation) : status;
}

/* The command is known and its name is argv[0]. */
static int run_command(const command_entry *program, const command_entry *command,
                       command_line *globals, int argc, char **argv)
{
    if (command->companion != NULL)
        return companion_become(command);
    command_invocation invocation = {
        .command = command,
        .program = program,
        .arguments = {.command = command->name, .tables = command->tables},
    };
    const option_parser parser = {&invocation.arguments, globals,
                                  command->run == NULL || command->takes_command};
    int end;
    int status = options_parse(&parser, argc, argv, &end);
    globals->command = command->name;
    if (command->takes_command)
        while (status == EXIT_DONE && end < argc)
            invocation.arguments.operands[invocation.arguments.operand_count++] = argv[end++];
    if (status == EXIT_DONE && command->run == NULL && end < argc) {
        const command_entry *sub = command_find(command, argv[end]);
        status = sub != NULL ? run_command(program, sub, globals, argc - end, argv + end)
                             : command_unknown(command, argv[end]);
    } else if (status == EXIT_DONE) {
        status = finish_line(&invocation, globals);
    }
    command_line_free(&invocation.arguments);
    return status;
}

/* "clumpmodel-calibrate shm" is "clumpmodel calibrate shm": the second part of its name, where that is a command, and then
 * the others. `words` has room for them. Returns how many there are. */
static int whole_line(const command_entry *program, int argc, char **argv, char **words)
{
    const char *slash = strrchr(argv[0], '/');
    char *dash = strchr(slash != NULL ? slash : argv[0], '-');
    int count = 0;
    words[count++] = argv[0];
    if (dash != NULL && command_find(program, dash + 1) != NULL) {
        static char whole[] = "clumpmodel";
        words[0] = whole;
        words[count++] = dash + 1;
    }
    for (int i = 1; i < argc; i++)
        words[count++] = argv[i];
    return count;
}

int program_main(const command_entry *program, int argc, char **argv)
{
    /* Only how text is encoded: numbers are read and written with a point everywhere. */
    setlocale(LC_CTYPE, "");
    guard_standard_streams();
    await_children();
    signal(SIGXFSZ, SIG_IGN); /* a file that would grow too large is an error with a message */
    if (argc < 1)
        return EXIT_INPUT;
    char **words = calloc((size_t)argc + 2, sizeof *words);
    if (words == NULL)
        return error_memory(NULL);
    command_line globals = {.tables = global_options};
    const int count = whole_line(program, argc, argv, words);
    companion_take_line(words);
    const int status = run_command(program, program, &globals, count, words);
    command_line_free(&globals);
    free(words);
    return standard_output_close(status);
}
