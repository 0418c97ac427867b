/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/parse.h"

#include "cli/output/errors.h"
#include "data/suggest.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What getopt_long returns for the entry i of both command lines together: FIRST + i. */
enum { FIRST = 1000 };

/* The tables in the shape that getopt_long wants. */
typedef struct getopt_tables {
    struct option *longs;
    char *shorts;
} getopt_tables;

/* Entry `index` of both command lines, and which of them it belongs to. */
static const option_entry *entry_at(const option_parser *parser, size_t index, command_line **line)
{
    size_t own = 0;
    while (option_at(parser->own->tables, own) != NULL)
        own++;
    *line = index < own ? parser->own : parser->shared;
    return option_at((*line)->tables, index < own ? index : index - own);
}

static bool tables_make(const option_parser *parser, getopt_tables *tables)
{
    command_line *line;
    const option_entry *option;
    size_t count = 0, shorts = 0;
    while (entry_at(parser, count, &line) != NULL)
        count++;
    tables->longs = calloc(count + 1, sizeof *tables->longs);
    tables->shorts = calloc(2 * count + 3, 1);
    if (tables->longs == NULL || tables->shorts == NULL)
        return false;
    /* "+": stop at operands; "-": return them in order, whatever POSIXLY_CORRECT says.
     * ":": a missing argument is told apart from an unknown option. */
    tables->shorts[shorts++] = parser->stop_at_operand ? '+' : '-';
    tables->shorts[shorts++] = ':';
    for (size_t i = 0; (option = entry_at(parser, i, &line)) != NULL; i++) {
        tables->longs[i] = (struct option){
            .name = option->name,
            .has_arg = option_argument(option) != NULL ? required_argument : no_argument,
            .val = FIRST + (int)i};
        if (option->letter != 0) {
            tables->shorts[shorts++] = option->letter;
            if (option_argument(option) != NULL)
                tables->shorts[shorts++] = ':';
        }
    }
    return true;
}

/* The entry of what getopt_long returned, or left in optopt. */
static const option_entry *find_entry(const option_parser *parser, int value, command_line **line)
{
    const option_entry *option;
    if (value >= FIRST)
        return entry_at(parser, (size_t)(value - FIRST), line);
    for (size_t i = 0; (option = entry_at(parser, i, line)) != NULL; i++)
        if (option->letter == value)
            break;
    return option;
}

static int refuse_long(const option_parser *parser, const char *word)
{
    const option_entry *option;
    command_line *line;
    char name[CLUMP_SUGGEST_NAME], hint[CLUMP_SUGGEST_TEXT];
    const size_t length = strcspn(word + 2, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name),
             word + 2);
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    char candidates[256] = "";
    size_t begins = 0, used = 0;
    for (size_t i = 0; (option = entry_at(parser, i, &line)) != NULL; i++) {
        clump_suggest_offer(&suggestion, option->name);
        if (length > 0 && strncmp(option->name, name, length) == 0 && used < sizeof candidates) {
            used += (size_t)snprintf(candidates + used, sizeof candidates - used, "%s--%s",
                                     begins > 0 ? ", " : "", option->name);
            begins++;
        }
    }
    if (begins > 1)
        return error_usage(parser->own->command, "option '--%s' can mean %s", name, candidates);
    if (parser->stop_at_operand && suggestion.count == 0)
        return error_usage(NULL, "unknown option '--%s'; options of a command follow its name",
                           name);
    return error_usage(parser->own->command, "unknown option '--%s'%s", name,
                       clump_suggest_text(&suggestion, "--", hint));
}

/* getopt_long returned '?'. */
static int refuse(const option_parser *parser, const char *word)
{
    command_line *line;
    if (optopt == 0)
        return refuse_long(parser, word);
    const option_entry *option = find_entry(parser, optopt, &line);
    if (option == NULL)
        return error_usage(parser->own->command, "unknown option '-%c'", optopt);
    return error_usage(parser->own->command, "--%s: found a value, expected none", option->name);
}

static int add_given(const option_parser *parser, command_line *line, given_option new)
{
    if (!new.entry->repeated && option_is_given(line, new.entry->name))
        return error_usage(parser->own->command, "--%s: found twice, expected once at most",
                           new.entry->name);
    given_option *given = realloc(line->given, (line->given_count + 1) * sizeof *given);
    if (given == NULL)
        return error_memory(parser->own->command);
    line->given = given;
    given[line->given_count++] = new;
    return EXIT_DONE;
}

static int parse_one(const option_parser *parser, int found, const char *word)
{
    command_line *line;
    if (found == 1) {
        parser->own->operands[parser->own->operand_count++] = optarg;
        return EXIT_DONE;
    }
    if (found == '?')
        return refuse(parser, word);
    const option_entry *option = find_entry(parser, found == ':' ? optopt : found, &line);
    if (option == NULL)
        return error_usage(parser->own->command, "unknown option '%s'", word);
    if (found == ':')
        return error_usage(parser->own->command, "--%s: found nothing after it, expected %s",
                           option->name, option_argument(option));
    return add_given(parser, line, (given_option){option, optarg != NULL ? optarg : ""});
}

int options_parse(const option_parser *parser, int argc, char **argv, int *end)
{
    getopt_tables tables;
    int status = EXIT_DONE, found;
    const bool made = tables_make(parser, &tables);
    parser->own->operands = calloc((size_t)argc + 1, sizeof *parser->own->operands);
    if (!made || parser->own->operands == NULL) {
        status = error_memory(parser->own->command);
    } else {
        opterr = 0;
        optind = 0; /* starts getopt anew; 1 would keep its place inside a word */
        while (status == EXIT_DONE) {
            optopt = 0;
            found = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
            if (found == -1)
                break;
            status = parse_one(parser, found, argv[optind - 1]);
        }
        if (!parser->stop_at_operand) /* what follows "--" */
            while (optind < argc)
                parser->own->operands[parser->own->operand_count++] = argv[optind++];
        *end = optind;
    }
    free(tables.longs);
    free(tables.shorts);
    return status;
}
