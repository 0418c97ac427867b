/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/help.h"

#include "cli/companion.h"
#include "cli/manual.h"
#include "cli/output/errors.h"
#include "cli/output/paragraph.h"
#include "cli/output/terminal.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN 32
#define USAGE_COLUMN 7

/* More in a line is hard to read. */
static int help_width(void)
{
    enum { MOST = 100 };
    const int width = terminal_width(stdout);
    return width < MOST ? width : MOST;
}

/* A paragraph, which ends with the text or before an empty line or a line that begins with a blank; the
 * first line has `column` characters already, the others are indented as far. Returns where it ended. */
static const char *print_paragraph(const char *text, int column)
{
    char line[2048];
    size_t used = 0;
    for (; *text != '\0' && !(*text == '\n' && (text[1] == '\n' || text[1] == ' ')); text++)
        if (used + 1 < sizeof line)
            line[used++] = (char)(*text == '\n' ? ' ' : *text);
    line[used] = '\0';
    paragraph_print(line, column, column, help_width());
    return text;
}

/* Paragraphs of a command, with the lines of lists as they are. */
static void print_text(const char *text)
{
    while (*text != '\0') {
        text += *text == '\n';
        if (*text == '\n' || *text == ' ') {
            const int length = (int)strcspn(text, "\n");
            printf("%.*s\n", length, text);
            text += length;
        } else {
            text = print_paragraph(text, 0);
        }
    }
}

/* The lines of `text`, all but the first one indented. */
static void print_indented(const char *text, int column)
{
    for (;;) {
        const int length = (int)strcspn(text, "\n");
        printf("%.*s\n", length, text);
        if (text[length] == '\0')
            break;
        text += length + 1;
        printf("%*s", column, "");
    }
}

static void print_heading(const char *before, const char *heading)
{
    fputs(before, stdout);
    terminal_begin(stdout, STYLE_BOLD);
    fputs(heading, stdout);
    terminal_begin(stdout, STYLE_PLAIN);
}

static void print_option(const option_entry *option)
{
    char letter[8] = "    ", left[128], help[OPTION_HELP_SIZE];
    if (option->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name,
             option_argument(option) != NULL ? " " : "",
             option_argument(option) != NULL ? option_argument(option) : "");
    printf("%-*s", HELP_COLUMN, left);
    if (strlen(left) >= HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    print_paragraph(option_help(option, help), HELP_COLUMN);
}

static void print_global_options(const char *heading)
{
    const option_entry *option;
    print_heading("\n", heading);
    for (size_t i = 0; (option = option_at(global_options, i)) != NULL; i++)
        print_option(option);
}

static void print_usage(const command_entry *command)
{
    const option_entry *option;
    char operands[COMMAND_OPERANDS_SIZE], usage[512];
    size_t count = 0;
    int used = snprintf(usage, sizeof usage, "clumpmodel %s", command->name);
    for (; (option = command_option(command, count)) != NULL; count++)
        if (option->required)
            used += snprintf(usage + used, sizeof usage - (size_t)used, " --%s %s", option->name,
                             option_argument(option));
    const char *shown = command_operands(command, operands);
    snprintf(usage + used, sizeof usage - (size_t)used, "%s%s%s", count > 0 ? " [OPTION]..." : "",
             *shown != '\0' ? " " : "", shown);
    print_heading("", "Usage:");
    putchar(' ');
    print_paragraph(usage, USAGE_COLUMN);
}

static void print_commands(const command_entry *const *commands)
{
    size_t longest = 0;
    for (const command_entry *const *c = commands; *c != NULL; c++)
        longest = strlen((*c)->name) > longest ? strlen((*c)->name) : longest;
    print_heading("\n", "Commands:\n");
    for (; *commands != NULL; commands++) {
        const int column = printf("  %-*s  ", (int)longest, (*commands)->name);
        print_paragraph((*commands)->summary, column);
    }
}

static void print_examples(const char *examples)
{
    print_heading("\n", "Examples:\n");
    fputs("  ", stdout);
    print_indented(examples, 2);
}

static void print_command_help(const command_entry *command)
{
    print_usage(command);
    char summary[128];
    snprintf(summary, sizeof summary, "%s.", command->summary);
    putchar('\n');
    print_paragraph(summary, 0);
    if (command->text != NULL)
        putchar('\n'), print_text(command->text);
    if (command->subcommands != NULL)
        print_commands(command->subcommands);
    const option_entry *option;
    for (size_t i = 0; (option = command_option(command, i)) != NULL; i++) {
        if (i == 0)
            print_heading("\n", "Options:\n");
        print_option(option);
    }
    print_global_options("Options of every command:\n");
    print_examples(command->examples);
}

static void print_program_help(const command_entry *program)
{
    print_heading("", "Usage:");
    puts(" clumpmodel [OPTION]... COMMAND [ARGUMENT]...\n");
    print_text(
        "If the P processors (cores, GPUs) of a cluster node share N network interfaces (NICs), "
        "how "
        "much faster or slower does a parallel program run than with a NIC for each processor? The "
        "cluster of such nodes is called a Clump (cluster of multiprocessors), the reference a NOW "
        "(network of workstations). The slowdown X is the time on the Clump over the time on the "
        "NOW: below 1 sharing wins. The utilization U is the share of its time that a processor "
        "communicates on the NOW.");
    print_commands(program->subcommands);
    print_global_options("Options:\n");
    print_examples("clumpmodel slowdown --processors 8 --nics 4 --utilization 0.48\n"
                   "clumpmodel predict clump-vs-now --format csv\n"
                   "clumpmodel data list platforms");
    puts("\nSee also 'clumpmodel help COMMAND'.\nExit status: 0 done, 1 failed, 2 wrong input.");
}

void help_print(const command_entry *command)
{
    if (command->name == NULL)
        print_program_help(command);
    else
        print_command_help(command);
}

static int run(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    const command_entry *command = invocation->program;
    if (arguments->operand_count > 0 && strcmp(arguments->operands[0], "man") == 0)
        return manual_print(command, arguments->operands + 1, arguments->operand_count - 1);
    for (size_t i = 0; i < arguments->operand_count; i++) {
        const char *name = arguments->operands[i];
        const command_entry *next = command_find(command, name);
        if (next == NULL)
            return command_unknown(command, name);
        if (next->companion != NULL)
            return companion_become(next);
        command = next;
    }
    help_print(command);
    return EXIT_DONE;
}

const command_entry command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "Explain the program or one of its commands",
    .examples = "clumpmodel help\n"
                "clumpmodel help slowdown\n"
                "clumpmodel help data show",
    .most_operands = 4,
    .run = run,
};
