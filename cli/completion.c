/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can follow on a command line: the same tables that are parsed and printed as help, the
 * shipped scenarios, and the names in the database. The shells' own parts ask for it and only
 * show it.
 */
#include "cli/command.h"
#include "cli/companion.h"
#include "cli/data/data_records.h"
#include "cli/database.h"
#include "cli/output/embedded.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/scenario_files.h"
#include "data/import/import.h"
#include "data/store/store.h"
#include "data/suggest.h"

#include <stdio.h>
#include <string.h>

/* The command line so far. */
typedef struct line {
    const command_entry *program;
    const command_entry *command; /* or the program itself */
    bool lost;                    /* it names a command that does not exist */
    bool only_operands;           /* after "--" */
    size_t operands;              /* before the last word */
    const option_entry *awaiting; /* the option whose value the last word is */
    const char *const *words;
    size_t count;
    const char *last;
    const char *database; /* of --db */
} line;

static void offer(const line *l, const char *word, const char *meaning)
{
    if (strncmp(word, l->last, strlen(l->last)) != 0 || strpbrk(word, "\t\n\r") != NULL)
        return;
    escape_print(word, stdout);
    putchar('\t');
    for (const char *c = meaning; c != NULL && *c != '\0';)
        if (*c == '\n') /* help has several lines */
            putchar(' '), c++;
        else
            c += escape_print_one(c, stdout);
    putchar('\n');
}

/* ---- what kinds of words there are */

static void offer_records(const line *l, record_kind kind)
{
    clump_store *store = NULL;
    record_list records = {.items = NULL};
    if (database_open_quietly(l->database, &store) == CLUMP_STORE_OK &&
        records_read(store, kind, &records) == CLUMP_STORE_OK)
        for (size_t i = 0; i < records.count; i++) {
            const record_head head = record_head_of(kind, records.items[i]);
            if (!l->command->own_names || (!head.reference && kind != RECORD_QUANTITY))
                offer(l, head.name, head.title);
        }
    records_free(&records);
    clump_store_close(store);
}

static void offer_scenario(const char *name, void *context)
{
    offer(context, name, "shipped scenario");
}

static void offer_commands(const line *l, const command_entry *const *commands)
{
    for (; commands != NULL && *commands != NULL; commands++)
        offer(l, command_last_word(*commands), (*commands)->summary);
}

/* "table|json|csv", with or without brackets. */
static void offer_choices(const line *l, const char *choices)
{
    choices += strspn(choices, "[");
    while (*choices != '\0' && *choices != ']') {
        char word[64];
        const size_t length = strcspn(choices, "|]");
        snprintf(word, sizeof word, "%.*s", (int)length, choices);
        offer(l, word, "");
        choices += length + (choices[length] == '|');
    }
}

/* What stands for a value or operand in help: "FILE", "a|b", "NAME"; `values` says more. */
static void offer_kind(const line *l, const char *shown, const char *values)
{
    static const struct {
        const char *name;
        record_kind kind;
    } kinds[] = {{"@platforms", RECORD_PLATFORM},
                 {"@applications", RECORD_APPLICATION},
                 {"@quantities", RECORD_QUANTITY},
                 {"@sources", RECORD_SOURCE}};
    const char *const what = values != NULL ? values : shown;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(what, kinds[i].name) == 0 || strcmp(what, "@names") == 0)
            offer_records(l, kinds[i].kind);
    if (*what == '@')
        return;
    if (strchr(what, '|') != NULL) {
        offer_choices(l, what);
    } else if (strncmp(what, "SCENARIO", 8) == 0) {
        list_shipped_scenarios(offer_scenario, (void *)(uintptr_t)l);
        puts(":files .lua");
    } else if (strncmp(what, "FILE", 4) == 0) {
        puts(":files");
    } else if (strcmp(what, "FORMAT") == 0) {
        for (size_t i = 0; clump_import_format_name(i) != NULL; i++)
            offer(l, clump_import_format_name(i), "");
    }
}

static void offer_value(const line *l, const option_entry *option)
{
    const char *word;
    for (unsigned i = 0; option->value_at != NULL && (word = option->value_at(i)) != NULL; i++)
        offer(l, word, "");
    offer_kind(l, option_argument(option), option->values);
}

/* ---- where on the line we are */

/* Option `index` of the command and of the program. */
static const option_entry *known_option(const line *l, size_t index)
{
    size_t own = 0;
    const option_entry *option = command_option(l->command, index);
    if (option != NULL)
        return option;
    while (command_option(l->command, own) != NULL)
        own++;
    return option_at(global_options, index - own);
}

static const option_entry *find_option(const line *l, const char *word)
{
    const option_entry *option;
    const size_t length = strcspn(word, "=");
    for (size_t i = 0; (option = known_option(l, i)) != NULL; i++)
        if (word[1] != '-' ? option->letter == word[1]
                           : strlen(option->name) == length - 2 &&
                                 strncmp(option->name, word + 2, length - 2) == 0)
            break;
    return option;
}

/* One word that is complete. */
static void step(line *l, const char *word)
{
    if (l->awaiting != NULL) {
        if (strcmp(word, "=") == 0) /* bash takes "--name=value" apart */
            return;
        if (strcmp(l->awaiting->name, "db") == 0)
            l->database = word;
        l->awaiting = NULL;
        return;
    }
    if (!l->only_operands && strcmp(word, "--") == 0) {
        l->only_operands = true;
        return;
    }
    if (!l->only_operands && word[0] == '-' && word[1] != '\0') {
        const option_entry *option = find_option(l, word);
        const bool has_value = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
        if (option != NULL && option_argument(option) != NULL && !has_value)
            l->awaiting = option;
        return;
    }
    const bool explains = l->command == &command_help;
    if (l->command->subcommands != NULL || explains) {
        const command_entry *within = explains ? l->program : l->command;
        const command_entry *found = command_find(within, word);
        if (explains && found != NULL && found->subcommands == NULL)
            l->lost = true; /* nothing follows */
        l->lost = l->lost || found == NULL;
        if (found != NULL && found->companion != NULL)
            companion_become(found);
        if (found != NULL && (!explains || found->subcommands != NULL))
            l->command = found;
        return;
    }
    l->operands++;
}

/* ---- what the last word can be */

static bool is_given(const line *l, const option_entry *option)
{
    for (size_t i = 0; i + 1 < l->count; i++)
        if (l->words[i][0] == '-' && l->words[i][1] != '\0' &&
            find_option(l, l->words[i]) == option)
            return true;
    return false;
}

static void offer_options(const line *l)
{
    const option_entry *option;
    for (size_t i = 0; (option = known_option(l, i)) != NULL; i++) {
        char word[64], help[OPTION_HELP_SIZE];
        if (is_given(l, option) && !option->repeated)
            continue;
        snprintf(word, sizeof word, "--%s", option->name);
        offer(l, word, option_help(option, help));
    }
}

/* The place in "FORMAT FILE..." of the operand that is typed. */
static void offer_operand(const line *l)
{
    const command_entry *command = l->command;
    const char *shown = command->operands;
    char word[128];
    if (shown == NULL || l->operands >= command->most_operands)
        return;
    for (size_t i = 0; i < l->operands; i++) {
        const char *blank = strchr(shown, ' ');
        if (blank == NULL)
            break;
        shown = blank + 1;
    }
    const bool optional = *shown == '[' && strchr(shown, '|') == NULL;
    shown += optional;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(shown, optional ? " ]" : " "), shown);
    offer_kind(l, word,
               strcmp(word, "NAME") == 0 || strcmp(word, "NAME...") == 0 ? "@names" : NULL);
}

/* "--format=js": the value, with the option before it, as the shell has it as one word. */
static void offer_joined(line *l, const option_entry *option)
{
    l->last = strchr(l->last, '=') + 1;
    offer_value(l, option);
}

static void offer_all(line *l)
{
    const option_entry *option = NULL;
    if (l->awaiting != NULL) {
        if (strcmp(l->last, "=") == 0)
            l->last = "";
        offer_value(l, l->awaiting);
        return;
    }
    if (l->only_operands || *l->last != '-') {
        if (l->command->subcommands != NULL)
            offer_commands(l, l->command->subcommands);
        else if (l->command == &command_help)
            offer_commands(l, l->program->subcommands);
        else
            offer_operand(l);
        return;
    }
    if (l->last[1] == '-' && strchr(l->last, '=') != NULL)
        option = find_option(l, l->last);
    if (option != NULL && option_argument(option) != NULL) {
        offer_joined(l, option);
        return;
    }
    offer_options(l);
}

/* What the last of the words after "clumpmodel", perhaps empty, can become, a candidate a line:
 * "word<TAB>what it is". The line ":files" stands for names of files, ":files .lua" for those with
 * that ending. Nothing is printed where nothing is known; what goes wrong goes unsaid, since
 * somebody is typing. */
static void print_words(const command_entry *program, const char *const *words, size_t count)
{
    line l = {.program = program,
              .command = program,
              .words = words,
              .count = count,
              .last = count > 0 ? words[count - 1] : ""};
    for (size_t i = 0; i + 1 < count && !l.lost; i++)
        step(&l, words[i]);
    if (!l.lost)
        offer_all(&l);
}

/* ---- for the shells */

EMBED(bash, "cli/completion/clumpmodel.bash")
EMBED(zsh, "cli/completion/clumpmodel.zsh")
EMBED(fish, "cli/completion/clumpmodel.fish")

static int run(const command_invocation *invocation)
{
    const struct {
        const char *shell;
        embedded_file script;
    } shells[] = {{"bash", bash_file()}, {"zsh", zsh_file()}, {"fish", fish_file()}};
    const command_line *arguments = &invocation->arguments;
    const char *wanted = arguments->operands[0];
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, wanted);
    if (strcmp(wanted, "words") == 0) {
        print_words(invocation->program, arguments->operands + 1, arguments->operand_count - 1);
        return EXIT_DONE;
    }
    if (arguments->operand_count > 1)
        return error_usage(arguments->command, "found '%.80s', expected nothing more",
                           arguments->operands[1]);
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(wanted, shells[i].shell) == 0) {
            fputs(shells[i].script.bytes, stdout);
            return EXIT_DONE;
        }
        clump_suggest_offer(&suggestion, shells[i].shell);
    }
    return error_usage(arguments->command, "found '%.80s', expected bash, zsh or fish%s", wanted,
                       clump_suggest_text(&suggestion, "", hint));
}

const command_entry command_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "Print a script that completes command lines in a shell",
    .text = "'make install' puts all three where the shells look for them. The scripts ask\n"
            "'clumpmodel completion words -- WORD...' what the last word can become.",
    .examples = "clumpmodel completion bash\n"
                "clumpmodel completion words -- predict --plot-kind h",
    .least_operands = 1,
    .most_operands = 10000,
    .run = run,
};
