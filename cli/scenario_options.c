/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/scenario_options.h"

#include "cli/output/cells.h"
#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- -D */

static bool is_name(const char *text, size_t length)
{
    static const char digits_letters[] =
        "0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const char *const letters = digits_letters + 10;
    return length > 0 && strchr(letters, *text) != NULL && strspn(text, digits_letters) >= length;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* There can be many of them: sort the names, then look for equal neighbours. */
static int check_distinct(command_line *line, const clump_scenario_definition *list, size_t count)
{
    const char **names = option_allocate(line, (count + 1) * sizeof *names);
    if (names == NULL)
        return EXIT_FAILED;
    for (size_t i = 0; i < count; i++)
        names[i] = list[i].name;
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            return error_usage(line->command, "--define: found '%.80s' twice, expected once",
                               names[i]);
    return EXIT_DONE;
}

/* "NAME=VALUE", taken apart. */
static int read_definition(command_line *line, const option_entry *option, const char *text,
                           clump_scenario_definition *definition)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || !is_name(text, (size_t)(equals - text)))
        return option_wrong(line, option->name, text,
                            "NAME=VALUE with a name of letters, digits and _");
    char *name = option_allocate(line, strlen(text) + 1);
    if (name == NULL)
        return EXIT_FAILED;
    strcpy(name, text);
    name[equals - text] = '\0';
    *definition = (clump_scenario_definition){name, name + (equals - text) + 1};
    return EXIT_DONE;
}

/* All of them, when the first is read. */
static int read_definitions(command_line *line, const option_entry *option, const char *text,
                            void *field)
{
    clump_scenario_options *scenario = field;
    (void)text;
    if (scenario->definitions != NULL)
        return EXIT_DONE;
    clump_scenario_definition *list = option_allocate(line, line->given_count * sizeof *list);
    int status = list != NULL ? EXIT_DONE : EXIT_FAILED;
    size_t count = 0;
    for (size_t i = 0; i < line->given_count && status == EXIT_DONE; i++)
        if (line->given[i].entry == option)
            status = read_definition(line, option, line->given[i].value, &list[count++]);
    scenario->definitions = list;
    scenario->definition_count = count;
    return status == EXIT_DONE ? check_distinct(line, list, count) : status;
}

const option_entry definition_options[] = {
    {.name = "define",
     .letter = 'D',
     .argument = "NAME=VALUE",
     .help = "set a global variable of the scenario; may be repeated",
     .repeated = true,
     .type = OPTION_CUSTOM,
     .size = sizeof(clump_scenario_options),
     .read = read_definitions},
    {0},
};

/* ---- limits, whose defaults are the library's */

const option_entry limit_options[] = {
    {.name = "max-seconds",
     .argument = "S",
     .help = "processor time for the script and its rows (default: 60)",
     OPTION_OF(clump_scenario_options, seconds_limit),
     .above = true,
     .most = 1e9,
     .expected = "a number of seconds above 0"},
    {.name = "max-memory",
     .argument = "SIZE",
     .help = "memory that scenario and rows may use, such as 64M\n"
             "(default: 256M)",
     OPTION_AS(BYTES, clump_scenario_options, memory_limit),
     .from = 1,
     .to = SIZE_MAX,
     .expected = "a number of bytes, such as 64M"},
    {.name = "max-rows",
     .argument = "ROWS",
     .help = "results that the scenario may ask for (default: 1e7)",
     .power = true,
     OPTION_OF(clump_scenario_options, result_limit),
     .from = 1,
     .to = SIZE_MAX,
     .expected = "a whole number of rows, at least 1"},
    {0},
};

/* ---- intervals */

typedef struct inputs_choice {
    clump_inputs_choice choice;
} inputs_choice;

const option_entry inputs_options[] = {
    {.name = "inputs",
     .argument = "auto|all|none",
     .help = "intervals know how uncertain inputs are: if that does not\n"
             "take long, however long it takes, or not at all\n"
             "(default: {})",
     OPTION_AS(CHOICE, inputs_choice, choice),
     .preset = "auto"},
    {0},
};

/* ---- simulations */

const option_entry simulation_options[] = {
    {.name = "precision",
     .argument = "SHARE",
     .help = "simulate until the interval is +- this share of the\n"
             "slowdown, such as 0.5% (default: {})",
     OPTION_AS(SHARE, clump_simulation_options, precision),
     .preset = "1%",
     .least = 1e-6,
     .most = 1,
     .expected = "0.0001% to 100%"},
    {.name = "seed",
     .help = "seed of the random numbers; the same seed gives the same\n"
             "results (default: {})",
     OPTION_OF(clump_simulation_options, seed),
     .preset = "1"},
    {.name = "threads",
     .help = "number of threads; results do not depend on it (default:\n"
             "one for each processor)",
     OPTION_OF(clump_simulation_options, threads),
     .from = 1,
     .to = 1024,
     .expected = "a whole number, 1 to 1024"},
    {.name = "max-events",
     .argument = "EVENTS",
     .help = "events that a row may take, precise or not (default: {})",
     OPTION_OF(clump_simulation_options, most_events),
     .preset = "4e9",
     .least = 1,
     .most = 1e18,
     .expected = "a number of events, at least 1"},
    {0},
};

int simulation_options_refuse(const command_line *line)
{
    const option_entry *given = option_any_given(line, simulation_options);
    return given == NULL ? EXIT_DONE
                         : error_usage(line->command,
                                       "--%s: the exact engine does not simulate; expected it "
                                       "with --engine simulation only",
                                       given->name);
}

void simulation_progress(progress_bar *bar, const clump_simulation_progress *progress, size_t done,
                         size_t total)
{
    char text[PROGRESS_NOTE] = "";
    if (isfinite(progress->slowdown))
        snprintf(text, sizeof text, "%.4f %s %.4f", progress->slowdown, plus_minus(),
                 progress->half_width);
    progress_note(bar, ((double)done + progress->share) / (double)total, text);
}
