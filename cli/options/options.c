/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options/options.h"

#include "cli/output/errors.h"
#include "data/suggest.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What getopt_long returns for row i of a table: OWN + i, SHARED + i. */
enum { OWN = 1000, SHARED = 2000 };

/* The tables in the shape that getopt_long wants. */
typedef struct getopt_tables {
    struct option *longs;
    char *shorts;
} getopt_tables;

static void add_table(const command_line *arguments, int first, getopt_tables *tables,
                      size_t *longs, size_t *shorts)
{
    for (size_t i = 0; i < arguments->table_length; i++) {
        const option_entry *option = &arguments->table[i];
        if (option->name != NULL)
            tables->longs[(*longs)++] = (struct option){
                .name = option->name,
                .has_arg = option->argument != NULL ? required_argument : no_argument,
                .val = first + (int)i};
        if (option->letter != 0) {
            tables->shorts[(*shorts)++] = option->letter;
            if (option->argument != NULL)
                tables->shorts[(*shorts)++] = ':';
        }
    }
}

static bool tables_make(const option_parser *parser, getopt_tables *tables)
{
    const size_t rows = parser->own->table_length + parser->shared->table_length;
    tables->longs = calloc(rows + 1, sizeof *tables->longs);
    tables->shorts = calloc(2 * rows + 3, 1);
    if (tables->longs == NULL || tables->shorts == NULL)
        return false;
    /* "+": stop at operands; "-": return them in order, whatever POSIXLY_CORRECT says.
     * ":": a missing argument is told apart from an unknown option. */
    size_t longs = 0, shorts = 0;
    tables->shorts[shorts++] = parser->stop_at_operand ? '+' : '-';
    tables->shorts[shorts++] = ':';
    add_table(parser->own, OWN, tables, &longs, &shorts);
    add_table(parser->shared, SHARED, tables, &longs, &shorts);
    return true;
}

static command_line *find_letter(const option_parser *parser, int letter, size_t *index)
{
    command_line *both[] = {parser->own, parser->shared};
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < both[t]->table_length; i++)
            if (both[t]->table[i].letter == letter) {
                *index = i;
                return both[t];
            }
    return NULL;
}

/* The table and row of what getopt_long returned, or left in optopt. */
static command_line *find_row(const option_parser *parser, int value, size_t *index)
{
    if (value >= SHARED) {
        *index = (size_t)(value - SHARED);
        return parser->shared;
    }
    if (value >= OWN) {
        *index = (size_t)(value - OWN);
        return parser->own;
    }
    return find_letter(parser, value, index);
}

static int refuse_long(const option_parser *parser, const char *word)
{
    const command_line *both[] = {parser->own, parser->shared};
    char name[CLUMP_SUGGEST_NAME], hint[CLUMP_SUGGEST_TEXT];
    const size_t length = strcspn(word + 2, "=");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name),
             word + 2);
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    char candidates[256] = "";
    size_t begins = 0, used = 0;
    for (size_t t = 0; t < 2; t++)
        for (size_t i = 0; i < both[t]->table_length; i++) {
            const char *known = both[t]->table[i].name;
            if (known == NULL)
                continue;
            clump_suggest_offer(&suggestion, known);
            if (length > 0 && strncmp(known, name, length) == 0 && used < sizeof candidates) {
                used += (size_t)snprintf(candidates + used, sizeof candidates - used, "%s--%s",
                                         begins > 0 ? ", " : "", known);
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
    size_t index;
    if (optopt == 0)
        return refuse_long(parser, word);
    const command_line *table = find_row(parser, optopt, &index);
    if (table == NULL)
        return error_usage(parser->own->command, "unknown option '-%c'", optopt);
    return error_usage(parser->own->command, "--%s: found a value, expected none",
                       table->table[index].name);
}

static int add_given(const option_parser *parser, command_line *arguments, size_t index,
                     const char *value)
{
    const option_entry *option = &arguments->table[index];
    char label[OPTION_LABEL_SIZE];
    if (!option->repeated && option_given(arguments, index))
        return error_usage(parser->own->command, "%s: found twice, expected once at most",
                           option_label(option, label));
    given_option *given = realloc(arguments->given, (arguments->given_count + 1) * sizeof *given);
    if (given == NULL)
        return error_memory(parser->own->command);
    arguments->given = given;
    given[arguments->given_count++] =
        (given_option){.option = index, .value = value != NULL ? value : ""};
    return EXIT_DONE;
}

static int parse_one(const option_parser *parser, int found, const char *word)
{
    char label[OPTION_LABEL_SIZE];
    size_t index;
    if (found == 1) {
        parser->own->operands[parser->own->operand_count++] = optarg;
        return EXIT_DONE;
    }
    if (found == '?')
        return refuse(parser, word);
    command_line *table = find_row(parser, found == ':' ? optopt : found, &index);
    if (table == NULL)
        return error_usage(parser->own->command, "unknown option '%s'", word);
    if (found == ':')
        return error_usage(parser->own->command, "%s: found nothing after it, expected %s",
                           option_label(&table->table[index], label), table->table[index].argument);
    return add_given(parser, table, index, optarg);
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

void command_line_free(command_line *arguments)
{
    free(arguments->given);
    free(arguments->operands);
    arguments->given = NULL;
    arguments->operands = NULL;
    arguments->given_count = arguments->operand_count = 0;
}
