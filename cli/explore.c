/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel explore`: its options, and how rows are printed. exploring/ computes. */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/explore_command.h"
#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/paragraph.h"
#include "cli/output/progress.h"
#include "cli/output/results.h"
#include "cli/result_tables.h"
#include "cli/scenario_files.h"
#include "cli/scenario_options.h"
#include "cli/shipped_scenarios.h"
#include "exploring/sweep.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* More rows than anybody reads. */
enum { MOST_SHOWN = 60 };

typedef struct explore_options {
    clump_explore_settings settings;
    clump_selection_settings selection;
    option_texts sweeps, uncertain;
    const char *break_even; /* NAME=A,B or "now"; NULL: not asked */
    bool sensitivity;
    part_options parts;
    show_options show;
} explore_options;

static const explore_options initial = {.settings.prices = {NAN, NAN, NAN}};

#define PRICE_ENTRY(price, what)                                                                   \
    {                                                                                              \
        .name = #price "-price", .argument = "PRICE", .help = what,                                \
        OPTION_OF(explore_options, settings.prices.price), .least = 0, .most = 1e15,               \
        .expected = "a price, 0 to 1e15, such as 1500"                                             \
    }

static const option_entry entries[] = {
    {.name = "sweep",
     .letter = 's',
     .argument = "NAME=VALUES",
     .help = "vary a variable of the script, or otherwise a field of its\n"
             "scenarios (also P, N, U, f, V, m): A,B,... or\n"
             "FIRST:LAST[:STEP] or FIRST:LAST/COUNT; may be repeated",
     .repeated = true,
     OPTION_OF(explore_options, sweeps)},
    {.name = "where",
     .argument = "CONDITION",
     .help = "keep only rows that satisfy it, such as\n"
             "'slowdown < 1 and nics <= 4'",
     OPTION_OF(explore_options, selection.where)},
    {.name = "best",
     .argument = "COUNT",
     .help = "keep only this number of rows, the best by --by",
     OPTION_OF(explore_options, selection.best),
     .from = 1,
     .to = 1000000,
     .expected = "a whole number of rows, 1 to 1000000"},
    {.name = "by",
     .argument = "KEY,...",
     .help = "sort by these columns or expressions, smallest first; the\n"
             "first two are those of --pareto (default: pace, by which\n"
             "--max-slowdown judges, then price or nics)",
     OPTION_OF(explore_options, selection.by)},
    {.name = "pareto",
     .help = "keep only the Pareto set: rows that no other row beats in\n"
             "one of the first two keys of --by without being worse in\n"
             "the other",
     OPTION_OF(explore_options, selection.pareto)},
    {.name = "each",
     .help = "print a row for each application, not one for their mix",
     OPTION_OF(explore_options, settings.each)},
    PRICE_ENTRY(node, "price of a node without NICs, in any currency"),
    PRICE_ENTRY(nic, "price of a NIC"),
    PRICE_ENTRY(port, "price of the switch port and cable of a NIC"),
    {.name = "max-slowdown",
     .argument = "X",
     .help = "also find the least number of NICs with which the slowdown\n"
             "(with compare_with the ratio) stays within this",
     OPTION_OF(explore_options, settings.limit),
     .above = true,
     .most = HUGE_VAL,
     .expected = "a slowdown above 0, such as 1.1 for 10% more time"},
    {.name = "of",
     .argument = "worst|mean",
     .help = "which slowdown --max-slowdown limits: that of every\n"
             "application of the mix (worst, default) or their mean",
     OPTION_AS(CHOICE, explore_options, settings.of_mean)},
    {.name = "uncertain",
     .argument = "NAME=DISTRIBUTION",
     .help = "a number not known exactly: FROM:TO, VALUE+-HALF (95%),\n"
             "normal(M,SD), lognormal(M,FACTOR) or triangular(A,C,B);\n"
             "\"measured\" alone: all numbers with intervals in the\n"
             "database, and uncertain { } of the script",
     .repeated = true,
     OPTION_OF(explore_options, uncertain)},
    {.name = "draws",
     .argument = "COUNT",
     .help = "number of Monte Carlo draws (default: {})",
     .power = true,
     OPTION_OF(explore_options, settings.draws),
     .preset = "1000",
     .from = 2,
     .to = 10000000,
     .expected = "a whole number of draws, 2 to 1e7"},
    {.name = "percentile",
     .argument = "P",
     .help = "percentile of the draws, 0 to 100, also for\n"
             "--max-slowdown (default: {})",
     OPTION_OF(explore_options, settings.percentile),
     .preset = "95",
     .most = 100,
     .expected = "a percentage, 0 to 100"},
    {.name = "sensitivity",
     .help = "show which uncertain number matters most for the slowdown:\n"
             "derivatives, and Sobol indices (shares of the variance)\n"
             "over the whole range",
     OPTION_OF(explore_options, sensitivity)},
    {.name = "break-even",
     .argument = "NAME=A,B|now",
     .help = "find the utilizations at which A and B are equally fast,\n"
             "such as mapping=pooled,static or nics=4,6; now: the Clump\n"
             "(processors share NICs) and the NOW (each has its own)",
     OPTION_OF(explore_options, break_even)},
    {.name = "seed",
     .help = "seed of the draws (default: {})",
     OPTION_OF(explore_options, settings.seed),
     .preset = "1"},
    {.name = "threads",
     .argument = "COUNT",
     .help = "number of threads (default: one for each processor)",
     OPTION_OF(explore_options, settings.threads),
     .from = 1,
     .to = 1024,
     .expected = "a whole number of threads, 1 to 1024"},
    {0},
};

static const option_table tables[] = {
    {definition_options, offsetof(explore_options, settings.scenario)},
    {entries, 0},
    {inputs_options, offsetof(explore_options, settings.inputs)},
    {limit_options, offsetof(explore_options, settings.scenario)},
    {part_entries, offsetof(explore_options, parts)},
    {result_show_options, offsetof(explore_options, show)},
    {0},
};

/* ---- from options to settings */

static int complain(const command_invocation *invocation, clump_explore_status status,
                    const clump_explorer *e)
{
    return explore_complain(invocation, status, e, "there are no results yet");
}

typedef bool variable_reader(const char *text, clump_explore_variable *variable,
                             const char **expected);

static int read_variable(const command_line *line, const char *option, const char *text,
                         variable_reader *reader, clump_explore_variable *variable)
{
    const char *expected;
    if (reader(text, variable, &expected))
        return EXIT_DONE;
    return expected != NULL ? option_wrong(line, option, text, expected)
                            : error_memory(line->command);
}

static int read_uncertain(const command_line *line, const char *text,
                          clump_explore_variable *variable)
{
    clump_error error = {CLUMP_OK, ""};
    const int status =
        read_variable(line, "uncertain", text, clump_explore_read_distribution, variable);
    if (status == EXIT_DONE && clump_uncertain_check(&variable->distribution, &error) != CLUMP_OK)
        return error_usage(line->command, "--uncertain: %s: %s", variable->name, error.message);
    return status;
}

static int read_variables(const command_line *line, explore_options *o)
{
    clump_explore_settings *s = &o->settings;
    int status = EXIT_DONE;
    s->sweeps = calloc(o->sweeps.count + 1, sizeof *s->sweeps);
    s->uncertain = calloc(o->uncertain.count + 1, sizeof *s->uncertain);
    s->drawn = o->uncertain.count > 0;
    if (s->sweeps == NULL || s->uncertain == NULL)
        return error_memory(line->command);
    for (size_t i = 0; i < o->sweeps.count && status == EXIT_DONE; i++)
        status = read_variable(line, "sweep", o->sweeps.items[i], clump_explore_read_values,
                               &s->sweeps[s->sweep_count++]);
    for (size_t i = 0; i < o->uncertain.count && status == EXIT_DONE; i++)
        if (strcmp(o->uncertain.items[i], "measured") != 0)
            status =
                read_uncertain(line, o->uncertain.items[i], &s->uncertain[s->uncertain_count++]);
    return status;
}

/* What goes together only. */
static int check(const command_line *line, explore_options *o)
{
    const bool wanted = plot_request_is_made(&o->show.plot) || o->show.html != NULL;
    int status = part_options_check(line, &o->parts);
    if (status == EXIT_DONE)
        status = show_check(line);
    if (status != EXIT_DONE)
        return status;
    /* A few numbers: there is nothing to draw. */
    if (wanted && (o->break_even != NULL || o->sensitivity))
        return error_usage(line->command,
                           "--%s: found --plot or --html beside it, "
                           "expected none of them",
                           o->break_even != NULL ? "break-even" : "sensitivity");
    if (option_is_given(line, "of") && o->settings.limit == 0)
        return error_usage(line->command, "--max-slowdown is missing, expected it beside --of");
    if (o->settings.drawn && option_is_given(line, "inputs"))
        note_print(line->command, "--inputs has no effect: --uncertain draws all of them");
    if (o->settings.drawn)
        return EXIT_DONE;
    o->settings.draws = 0;
    if (option_is_given(line, "draws") || option_is_given(line, "percentile"))
        note_print(line->command,
                   "--%s has no effect: nothing is drawn without --uncertain "
                   "NAME=DISTRIBUTION or --uncertain measured",
                   option_is_given(line, "draws") ? "draws" : "percentile");
    return EXIT_DONE;
}

static int open_stores(const command_invocation *invocation, clump_explore_settings *s)
{
    int status = EXIT_DONE;
    if (s->threads == 0)
        s->threads = omp_get_max_threads();
    s->stores = calloc((size_t)s->threads, sizeof *s->stores);
    if (s->stores == NULL)
        return error_memory(invocation->command->name);
    for (int i = 0; i < s->threads && status == EXIT_DONE; i++)
        status = database_open(invocation, &s->stores[i]);
    return status;
}

static void release(clump_explore_settings *s)
{
    for (size_t i = 0; i < s->sweep_count; i++)
        clump_explore_variable_release(&s->sweeps[i]);
    for (size_t i = 0; i < s->uncertain_count; i++)
        clump_explore_variable_release(&s->uncertain[i]);
    for (int i = 0; i < s->threads && s->stores != NULL; i++)
        clump_store_close(s->stores[i]);
    free(s->sweeps);
    free(s->uncertain);
    free(s->stores);
}

/* ---- rows */

typedef struct output {
    const explore_columns *columns;
    const clump_selection *selection;
    output_format format;
    bool first;
    int status; /* exit code */
} output;

/* One row of the second round: all rows are wanted, and they are too many to be kept. */
static clump_explore_status print_row(const clump_explore_row *row, void *context)
{
    output *o = context;
    clump_explore_row marked = *row;
    if (!clump_selection_has(o->selection, &marked))
        return CLUMP_EXPLORE_OK;
    const table_rows rows = explore_rows(o->columns, &marked, 1);
    if (o->format == FORMAT_CSV)
        csv_print_records(&rows);
    else if (!json_records(&rows, &o->first))
        o->status = error_memory("explore");
    /* What cannot be written main tells, at the end. */
    return ferror(stdout) || o->status != EXIT_DONE ? CLUMP_EXPLORE_STOPPED : CLUMP_EXPLORE_OK;
}

enum { MOST_FIELDS = 6 + ORIGIN_FIELDS };

/* Returns how many. */
static size_t set_fields(const clump_explorer *e, const clump_selection *s, bool stopped,
                         const result_origin *origin, output_field fields[MOST_FIELDS])
{
    size_t count = 0;
    fields[count++] = field_size("rows", (size_t)s->tally.passed);
    if (s->tally.refused > 0)
        fields[count++] = field_size("refused", (size_t)s->tally.refused);
    if (e->settings.draws > 0) {
        fields[count++] = field_size("draws", e->settings.draws);
        fields[count++] = field_size("seed", (size_t)e->settings.seed);
    }
    if (stopped) {
        fields[count++] = field_text("incomplete", "interrupted");
        fields[count++] = field_size("rows_expected", (size_t)e->rows_expected);
    }
    return count + origin_fields(origin, fields + count);
}

static int print_again(const command_invocation *invocation, clump_explorer *e,
                       const explore_columns *columns, const clump_selection *s)
{
    output o = {columns, s, invocation->format, true, EXIT_DONE};
    const table_rows none = explore_rows(columns, NULL, 0);
    output_field fields[MOST_FIELDS];
    if (o.format == FORMAT_CSV)
        csv_print_header(&none);
    else
        json_begin(none.key);
    const clump_explore_status status =
        clump_explore_sweep(e, &(clump_explore_taker){.take = print_row, .context = &o});
    if (status == CLUMP_EXPLORE_STOPPED)
        return o.status;
    const bool interrupted = status == CLUMP_EXPLORE_INTERRUPTED;
    if (o.format == FORMAT_JSON && (status == CLUMP_EXPLORE_OK || interrupted)) {
        result_origin origin;
        o.status = origin_make(&invocation->arguments, &e->settings.scenario, &origin);
        if (o.status == EXIT_DONE)
            o.status = json_end(o.first, fields, set_fields(e, s, interrupted, &origin, fields));
        free(origin.command);
    }
    if (interrupted)
        return interrupt_told(invocation->command->name, "not all rows are printed");
    return status != CLUMP_EXPLORE_OK ? complain(invocation, status, e) : o.status;
}

static void explain_intervals(const clump_selection *s, size_t shown)
{
    const clump_explore_settings *asked = &s->explorer->settings;
    result_inputs inputs = {.drawn = asked->draws > 0,
                            .exact = asked->draws == 0 && asked->inputs == CLUMP_INPUTS_NONE};
    size_t known = 0;
    for (size_t i = 0; i < shown; i++) {
        const clump_explore_row *row = &s->rows[i];
        inputs.told.count = row->inputs > inputs.told.count ? row->inputs : inputs.told.count;
        inputs.told.limited = inputs.told.limited || row->inputs_limited;
        if (row->result.refused == NULL && row->inputs - row->inputs_missing > known)
            known = row->inputs - row->inputs_missing;
    }
    inputs.told.missing = inputs.told.limited ? 0 : inputs.told.count - known;
    result_interval_explain(s->rows, sizeof *s->rows, shown, &inputs);
}

static int print_table(const explore_columns *columns, const clump_selection *s)
{
    const bool best = s->settings.best > 0;
    const size_t shown = !best && s->count > MOST_SHOWN ? MOST_SHOWN : s->count;
    const table_rows rows = explore_rows(columns, s->rows, shown);
    if (shown == 0) {
        puts(s->tally.passed == 0
                 ? "No row satisfies --where."
                 : "No row is in the Pareto set: none has a number for both keys; a "
                   "price needs --node-price, --nic-price or --port-price.");
        return EXIT_DONE;
    }
    int status = table_print(&rows);
    if (status == EXIT_DONE)
        status = result_refusals_print("explore", s->rows, sizeof *s->rows, shown);
    if (status == EXIT_DONE)
        explain_intervals(s, shown);
    const uint64_t all = best || s->settings.pareto ? s->count : s->tally.passed;
    if (status != EXIT_DONE || all <= shown)
        return status;
    putchar('\n');
    paragraph_say("%llu more rows: --format csv has them all; --best, --pareto and --where choose "
                  "among them.",
                  (unsigned long long)(all - shown));
    return EXIT_DONE;
}

static int print(const command_invocation *invocation, clump_explorer *e,
                 const explore_columns *columns, const clump_selection *s, bool stopped)
{
    output_field fields[MOST_FIELDS];
    if (invocation->format == FORMAT_TABLE)
        return print_table(columns, s);
    if (s->overflow && !stopped)
        return print_again(invocation, e, columns, s);
    const table_rows rows = explore_rows(columns, s->rows, s->count);
    result_origin origin;
    int status = origin_make(&invocation->arguments, &e->settings.scenario, &origin);
    if (status == EXIT_DONE)
        status = output_print(invocation->format, &rows, fields,
                              set_fields(e, s, stopped, &origin, fields));
    free(origin.command);
    return status;
}

/* After ^C: what is chosen among the rows so far, without pictures. */
static int answer_stopped(const command_invocation *invocation, clump_explorer *e,
                          const explore_columns *columns, clump_selection *s)
{
    const size_t computed = (size_t)s->tally.all, expected = (size_t)e->rows_expected;
    if (s->count > 0) {
        int status = complain(invocation, clump_selection_finish(s), e);
        if (status == EXIT_DONE)
            status = print(invocation, e, columns, s, true);
        if (status != EXIT_DONE)
            return status;
        if (invocation->format == FORMAT_TABLE)
            interrupt_mark_table("rows", computed, expected);
    }
    return interrupt_told_part(invocation->command->name, "rows", computed, expected);
}

/* Rows that a condition or a choice leaves out without having looked at them. */
static void tell_refused(const clump_selection *s)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        kept += s->rows[i].result.refused != NULL;
    if (s->tally.refused > kept && s->tally.refused < s->tally.all && !s->overflow)
        note_print("explore",
                   "%llu of %llu rows could not be predicted and are left out; 'refused' of "
                   "--format csv or json, without --where, --best and --pareto, says why",
                   (unsigned long long)(s->tally.refused - kept), (unsigned long long)s->tally.all);
}

/* The bar is wiped before anything is printed. */
static int answer_chosen(const command_invocation *invocation, clump_explorer *e, progress_bar *bar,
                         const explore_columns *columns)
{
    const explore_options *o = invocation->settings;
    clump_selection_settings wanted = o->selection;
    clump_selection selection;
    wanted.columns = explore_conditions(columns);
    const clump_explore_taker taker = clump_selection_taker(&selection);
    clump_explore_status found = clump_selection_open(e, &wanted, &selection);
    if (found == CLUMP_EXPLORE_OK)
        found = clump_explore_sweep(e, &taker);
    if (found == CLUMP_EXPLORE_OK)
        found = clump_selection_finish(&selection);
    progress_clear(bar);
    int status = found == CLUMP_EXPLORE_OK ? print(invocation, e, columns, &selection, false)
                 : found == CLUMP_EXPLORE_INTERRUPTED
                     ? answer_stopped(invocation, e, columns, &selection)
                     : complain(invocation, found, e);
    progress_clear(bar); /* rows that are too many to be kept are computed twice */
    if (status == EXIT_DONE && !invocation->quiet)
        tell_refused(&selection);
    memory_limit_end(); /* gnuplot is another program */
    if (status == EXIT_DONE)
        status = explore_show(invocation, columns, &selection, &o->show);
    clump_selection_release(&selection);
    return status;
}

static int answer_rows(const command_invocation *invocation, clump_explorer *e, progress_bar *bar)
{
    explore_columns columns;
    const int status = explore_columns_make(e, &columns)
                           ? answer_chosen(invocation, e, bar, &columns)
                           : error_memory(invocation->command->name);
    explore_columns_release(&columns);
    return status;
}

/* ---- the other answers */

static int break_even_stopped(const command_invocation *invocation, const clump_break_even *answer)
{
    if (invocation->format == FORMAT_TABLE)
        interrupt_mark_table("configurations", answer->complete, answer->expected);
    return interrupt_told_part(invocation->command->name, "configurations", answer->complete,
                               answer->expected);
}

static int answer_break_even(const command_invocation *invocation, clump_explorer *e,
                             progress_bar *bar)
{
    const command_line *line = &invocation->arguments;
    const char *text = ((const explore_options *)invocation->settings)->break_even;
    clump_explore_variable variable = {.values = NULL};
    clump_break_even answer = {.points = NULL};
    clump_explore_variable *compared = strcmp(text, "now") != 0 ? &variable : NULL;
    int status = EXIT_DONE;
    if (compared != NULL)
        status = read_variable(line, "break-even", text, clump_explore_read_values, compared);
    if (status == EXIT_DONE && compared != NULL && compared->count != 2)
        status = option_wrong(line, "break-even", text, "two to compare, NAME=A,B, or now");
    if (status == EXIT_DONE) {
        const clump_explore_status found = clump_break_even_find(e, compared, &answer);
        const bool some = found == CLUMP_EXPLORE_INTERRUPTED && answer.complete > 0;
        progress_clear(bar);
        status = found == CLUMP_EXPLORE_OK || some
                     ? explore_print_break_even(invocation->format, &answer, compared)
                     : complain(invocation, found, e);
        if (some && status == EXIT_DONE)
            status = break_even_stopped(invocation, &answer);
    }
    clump_break_even_release(&answer);
    clump_explore_variable_release(&variable);
    return status;
}

static int answer_sensitivity(const command_invocation *invocation, clump_explorer *e)
{
    clump_sensitivity answer;
    const clump_explore_status found = clump_sensitivity_find(e, &answer);
    progress_clear(e->settings.progress_context);
    int status = complain(invocation, found, e);
    if (status == EXIT_DONE)
        status = explore_print_sensitivity(invocation->format, e, &answer);
    clump_sensitivity_release(&answer);
    return status;
}

static void update_progress(size_t done, size_t total, void *context)
{
    progress_update(context, done, total);
}

static int explore(const command_invocation *invocation)
{
    const explore_options *o = invocation->settings;
    progress_bar bar;
    clump_explorer explorer;
    clump_explore_settings settings = o->settings;
    settings.progress = update_progress;
    settings.progress_context = &bar;
    settings.share = o->parts.share;
    progress_start(&bar, invocation->quiet);
    const clump_watch guard = progress_watch(&bar);
    settings.scenario.watch = &guard;
    memory_limit_begin(settings.scenario.memory_limit, settings.threads);
    interrupt_catch();
    int status = complain(invocation, clump_explorer_open(&settings, &explorer), &explorer);
    if (status == EXIT_DONE)
        status = parts_open(&invocation->arguments, &o->parts, settings.scenario.provenance,
                            &explorer.settings.parts);
    if (status == EXIT_DONE)
        status = o->break_even != NULL      ? answer_break_even(invocation, &explorer, &bar)
                 : o->sensitivity           ? answer_sensitivity(invocation, &explorer)
                 : o->parts.share.count > 0 ? part_compute(invocation, &o->parts, &explorer, &bar)
                                            : answer_rows(invocation, &explorer, &bar);
    clump_explore_parts_close(explorer.settings.parts);
    clump_explorer_close(&explorer);
    interrupt_release();
    memory_limit_end();
    return status;
}

static int run(const command_invocation *invocation)
{
    const command_line *line = &invocation->arguments;
    explore_options *o = invocation->settings;
    scenario_file file = {.path = NULL};
    if (line->operand_count == 0)
        return shipped_scenarios_answer(invocation);
    int status = read_variables(line, o);
    if (status == EXIT_DONE)
        status = check(line, o);
    if (status == EXIT_DONE)
        status = scenario_open(line->command, line->operands[0], &o->settings.scenario, &file);
    if (status == EXIT_DONE)
        status = open_stores(invocation, &o->settings);
    if (status == EXIT_DONE)
        status = origin_begin(line->command, &o->settings.scenario);
    if (status == EXIT_DONE)
        status = explore(invocation);
    clump_provenance_free(o->settings.scenario.provenance);
    release(&o->settings);
    scenario_close(&file);
    return status;
}

const command_entry command_explore = {
    .name = "explore",
    .operands = "[SCENARIO.lua [PART]...]",
    .summary = "Sweep a scenario: what is best, cheapest, enough, and how sure that is",
    .text =
        "Computes, in parallel, everything that a scenario varies, and varies more variables and\n"
        "fields if asked to. Keeps the rows that you want out of millions. With uncertain numbers\n"
        "the slowdown has a median and a 90% band.",
    .examples = "clumpmodel explore nics-per-node --sweep most=4,16 --best 5\n"
                "clumpmodel explore figure-8.2 -s N=1:8 -s U=0:1/501 --where 'slowdown < 0.8'\n"
                "clumpmodel explore figure-8.2 --uncertain U=0.40:0.55 --max-slowdown 1.1",
    .tables = tables,
    .settings_size = sizeof(explore_options),
    .initial = &initial,
    .most_operands = 1 + CLUMP_EXPLORE_MOST_PARTS,
    .run = run,
};
