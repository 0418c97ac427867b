/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/errors.h"
#include "cli/pictures/plot_builder.h"
#include "protocols/calibration/clump_calibration.h"
#include "protocols/command/calibrate_run.h"
#include "protocols/command/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DISTRIBUTIONS "exponential|constant|erlang:K|hyperexponential:C"
#define FEW "whole numbers from 1 to 16"

enum { INDEPENDENT, CORRELATED, BOTH };
enum { MOST_VALUES = 64, MOST_POINTS = 1024 };

typedef struct settings {
    clump_emulation_question question;
    option_reals processors, nics, utilizations, mix;
    unsigned demand;
    bool grid, normal;
    double message_ms;
    const char *platform;
    plot_request plot;
} settings;

/* ---- options */

static int read_distribution(command_line *line, const option_entry *option, const char *text,
                             void *field)
{
    return clump_service_time_parse(text, field)
               ? EXIT_DONE
               : option_wrong(line, option->name, text,
                              "exponential, constant, erlang:K with K stages, or "
                              "hyperexponential:C with the squared coefficient of variation");
}

static const option_entry entries[] = {
    {.name = "processors",
     .letter = 'P',
     .help = "processors of a node, 1 to 16 (default 4)",
     OPTION_OF(settings, processors),
     .least = 1,
     .most = 16,
     .expected = FEW},
    {.name = "nics",
     .letter = 'N',
     .help = "NICs of the Clump's node, 1 to 16 (default 2)",
     OPTION_OF(settings, nics),
     .least = 1,
     .most = 16,
     .expected = FEW},
    {.name = "utilization",
     .letter = 'U',
     .help = "share of its time that a processor of the NOW communicates,\n"
             "0.01 to 0.99 (default 0.5); with lists, all combinations",
     OPTION_OF(settings, utilizations),
     .least = 0.01,
     .most = 0.99,
     .expected = "numbers from 0.01 to 0.99"},
    {.name = "mix",
     .help = "the utilization of each processor, instead of --processors\n"
             "and --utilization; a higher one means longer messages",
     OPTION_OF(settings, mix),
     .least = 0.01,
     .most = 0.99,
     .expected = "numbers from 0.01 to 0.99, one a processor"},
    {.name = "demand",
     .argument = "independent|correlated|both",
     .help = "correlated: a barrier before each message (default\n"
             "independent)",
     OPTION_AS(CHOICE, settings, demand)},
    {.name = "mapping",
     .argument = "pooled|static",
     .help = "messages are spread over all NICs, or each processor is\n"
             "tied to one (default {})",
     OPTION_AS(CHOICE, settings, question.mapping),
     .preset = "pooled"},
    {.name = "grid",
     .help = "36 Clumps: 2 to 8 processors with 1 to 4 NICs, U 0.1, 0.5\n"
             "and 0.9, both demands, unless these are given",
     OPTION_OF(settings, grid)},
    {.name = "queue",
     .argument = "fair|fifo",
     .help = "queues of a NIC: one for each processor, served in turn, or\n"
             "one for all (default {}, which the model assumes)",
     OPTION_AS(CHOICE, settings, question.fifo),
     .preset = "fair"},
    {.name = "computation-times",
     .argument = "NAME",
     .help = "exponential (default), constant, erlang:K,\n"
             "hyperexponential:C, as in clumpmodel-scenario(5)",
     .values = DISTRIBUTIONS,
     OPTION_READ(read_distribution, settings, question.computation)},
    {.name = "communication-times",
     .argument = "NAME",
     .help = "the same for the times (sizes) of messages",
     .values = DISTRIBUTIONS,
     OPTION_READ(read_distribution, settings, question.communication)},
    {.name = "compute",
     .argument = "sleep|spin",
     .help = "what processors do while they compute; spin needs a real\n"
             "processor for each of them (default {})",
     OPTION_AS(CHOICE, settings, question.spin),
     .preset = "sleep"},
    {.name = "message",
     .argument = "MILLISECONDS",
     .help = "mean time that a message takes alone on one NIC, 1 to 1000\n"
             "(default {})",
     OPTION_OF(settings, message_ms),
     .preset = "20",
     .least = 1,
     .most = 1000,
     .expected = "milliseconds from 1 to 1000"},
    {.name = "rate",
     .argument = "MBIT",
     .help = "rate of a NIC in megabits a second, 1 to 1000 (default {})",
     OPTION_OF(settings, question.rate_mbit),
     .preset = "50",
     .least = 1,
     .most = 1000,
     .expected = "megabits a second from 1 to 1000"},
    {.name = "time",
     .argument = "SECONDS",
     .help = "approximate time for each Clump, 0.1 to 3600 (default {})",
     OPTION_OF(settings, question.seconds),
     .preset = "5",
     .least = 0.1,
     .most = 3600,
     .expected = "seconds from 0.1 to 3600"},
    {.name = "cycles",
     .help = "cycles of each processor, instead of --time, 22 to 1000000",
     OPTION_OF(settings, question.cycles),
     .from = CLUMP_EMULATION_LEAST_CYCLES,
     .to = CLUMP_EMULATION_MOST_CYCLES},
    {.name = "priority",
     .argument = "real-time|normal",
     .help = "priority of the processes; without root it is normal\n"
             "(default real-time, but normal with --compute spin)",
     OPTION_AS(CHOICE, settings, normal)},
    {.name = "seed",
     .help = "seed of the random times (default {})",
     OPTION_OF(settings, question.seed),
     .preset = "1"},
    PLATFORM_ENTRY(settings, PLATFORM_HELP),
    {0},
};

static const option_table tables[] = {{entries, 0}, {plot_options, offsetof(settings, plot)}, {0}};

/* ---- which Clumps */

static int check_list(const command_line *line, const char *name, const option_reals *list,
                      bool whole)
{
    if (list->count > MOST_VALUES)
        return option_wrong(line, name, option_text(line, name), "a list of at most 64");
    for (size_t i = 0; i < list->count && whole; i++)
        if (list->values[i] != floor(list->values[i]))
            return option_wrong(line, name, option_text(line, name), FEW);
    return EXIT_DONE;
}

static int allocate_points(const command_line *line, clump_emulation_question *q, size_t count)
{
    if (count > MOST_POINTS)
        return error_usage(line->command, "found %zu combinations, expected at most %d", count,
                           (int)MOST_POINTS);
    q->points = malloc(count * sizeof *q->points);
    return q->points != NULL ? EXIT_DONE : error_memory(line->command);
}

static void add_point(clump_emulation_question *q, double processors, double nics,
                      double utilization, clump_demand demand)
{
    q->points[q->point_count++] = (clump_emulation_point){.processors = (unsigned)processors,
                                                          .nics = (unsigned)nics,
                                                          .utilization = utilization,
                                                          .demand = demand};
}

/* What was given, or else the usual. */
static option_reals or_else(const option_reals *given, const double *usual, size_t count)
{
    return given->count > 0 ? *given : (option_reals){(double *)(uintptr_t)usual, count};
}

/* All combinations. */
static int make_points(const command_line *line, settings *s)
{
    /* Shapes of the grid: those between which somebody who buys NICs decides. */
    static const double shapes[][2] = {{2, 1}, {4, 1}, {4, 2}, {6, 3}, {8, 2}, {8, 4}};
    static const double usual_processors = 4, usual_nics = 2, usual_share = 0.5,
                        grid_shares[] = {0.1, 0.5, 0.9};
    static const clump_demand demands[] = {CLUMP_DEMAND_INDEPENDENT, CLUMP_DEMAND_CORRELATED};
    const bool shaped = s->grid && s->processors.count == 0 && s->nics.count == 0;
    const option_reals processors = or_else(&s->processors, &usual_processors, 1),
                       nics = or_else(&s->nics, &usual_nics, 1),
                       shares = s->grid ? or_else(&s->utilizations, grid_shares, 3)
                                        : or_else(&s->utilizations, &usual_share, 1);
    const unsigned wanted = s->grid && !option_is_given(line, "demand") ? BOTH : s->demand;
    const size_t pairs = shaped ? sizeof shapes / sizeof *shapes : processors.count * nics.count;
    const int status = allocate_points(line, &s->question, 2 * pairs * shares.count);
    for (unsigned d = INDEPENDENT; d <= CORRELATED && status == EXIT_DONE; d++)
        for (size_t pair = 0; pair < pairs && (wanted == d || wanted == BOTH); pair++)
            for (size_t u = 0; u < shares.count; u++)
                add_point(&s->question,
                          shaped ? shapes[pair][0] : processors.values[pair / nics.count],
                          shaped ? shapes[pair][1] : nics.values[pair % nics.count],
                          shares.values[u], demands[d]);
    return status;
}

/* One Clump of processors that differ. */
static int make_mix(const command_line *line, settings *s)
{
    static const char *const others[] = {"processors", "utilization", "demand", "grid"};
    clump_emulation_question *q = &s->question;
    double sum = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (option_is_given(line, others[i]))
            return error_usage(line->command, "found --mix and --%s, expected one of them",
                               others[i]);
    if (s->nics.count > 1)
        return option_wrong(line, "nics", option_text(line, "nics"),
                            "one whole number from 1 to 16 with --mix");
    if (s->mix.count > CLUMP_EMULATION_MOST_PROCESSORS)
        return option_wrong(line, "mix", option_text(line, "mix"),
                            "utilizations of at most 16 processors");
    const int status = allocate_points(line, q, 1);
    if (status != EXIT_DONE)
        return status;
    for (q->mix_count = 0; q->mix_count < s->mix.count; q->mix_count++)
        sum += q->mix[q->mix_count] = s->mix.values[q->mix_count];
    add_point(q, (double)s->mix.count, s->nics.count > 0 ? s->nics.values[0] : 1,
              sum / (double)s->mix.count, CLUMP_DEMAND_INDEPENDENT);
    return EXIT_DONE;
}

static int complete_question(const command_line *line, settings *s)
{
    clump_emulation_question *q = &s->question;
    if (q->cycles > 0 && option_is_given(line, "time"))
        return error_usage(line->command, "found --time and --cycles, expected one of them");
    int status = plot_request_try(&s->plot);
    if (status == EXIT_DONE && q->spin && !s->normal && option_is_given(line, "priority"))
        status = error_usage(line->command,
                             "found --priority real-time and --compute spin, expected one of them: "
                             "nothing else on the machine would run");
    if (status == EXIT_DONE)
        status = check_list(line, "processors", &s->processors, true);
    if (status == EXIT_DONE)
        status = check_list(line, "nics", &s->nics, true);
    if (status == EXIT_DONE)
        status = check_list(line, "utilization", &s->utilizations, false);
    if (status == EXIT_DONE)
        status = check_list(line, "mix", &s->mix, false);
    if (status == EXIT_DONE)
        status = s->mix.count > 0 ? make_mix(line, s) : make_points(line, s);
    q->message_us = 1000 * s->message_ms;
    q->real_time = !s->normal && !q->spin;
    return status;
}

/* ---- rows: predicted and measured slowdowns */

/* A row: a result, or with a mix one processor of the only one. */
typedef struct row {
    const clump_emulation_question *question;
    const clump_emulation_result *result;
    const clump_emulation_ratio *ratio;
    size_t processor; /* from 1; 0: all of them */
    double utilization, predicted, half_width, error;
    double clump_cycle_us, now_cycle_us;
} row;

static size_t count_rows(const clump_emulation_question *q)
{
    return q->mix_count > 0 && q->count > 0 ? q->mix_count : q->count;
}

static double mean_of(const double *values, const size_t *weights)
{
    double sum = 0, all = 0;
    for (size_t b = 0; b < CLUMP_EMULATION_BATCHES; b++) {
        sum += values[b] * (double)weights[b];
        all += (double)weights[b];
    }
    return sum / all;
}

static row make_row(const clump_emulation_question *q, size_t i)
{
    const bool mixed = q->mix_count > 0;
    const clump_emulation_result *r = &q->results[mixed ? 0 : i];
    const clump_emulation_ratio *ratio = mixed ? &r->summary.each[i] : &r->summary.all;
    const double predicted = mixed ? r->each[i] : r->predicted;
    return (row){.question = q,
                 .result = r,
                 .ratio = ratio,
                 .processor = mixed ? i + 1 : 0,
                 .utilization = mixed ? q->mix[i] : r->point.utilization,
                 .predicted = predicted,
                 .half_width = clump_emulation_half_width(ratio),
                 .error = clump_emulation_error(predicted, ratio),
                 .clump_cycle_us = mean_of(ratio->clump_us, ratio->batch_cycles),
                 .now_cycle_us = mean_of(ratio->now_us, ratio->batch_cycles)};
}

static const void *result_of(const void *record)
{
    return ((const row *)record)->result;
}

static const void *ratio_of(const void *record)
{
    return ((const row *)record)->ratio;
}

static const void *question_of(const void *record)
{
    return ((const row *)record)->question;
}

static void make_demand(const void *result, table_cell *cell)
{
    cell_text(cell, clump_demand_kind_name(((const clump_emulation_result *)result)->point.demand));
}

static void make_mapping(const void *question, table_cell *cell)
{
    cell_text(cell, clump_mapping_name(((const clump_emulation_question *)question)->mapping));
}

static void make_queue(const void *question, table_cell *cell)
{
    cell_text(cell, ((const clump_emulation_question *)question)->fifo ? "fifo" : "fair");
}

static void make_times(const table_column *column, const void *question, table_cell *cell)
{
    char name[CLUMP_SERVICE_TIME_NAME_SIZE];
    clump_service_time_name(
        (const clump_service_time *)(const void *)((const char *)question + column->offset), name);
    cell_print(cell, "%s", name);
}

static void make_nic_bound(const void *result, table_cell *cell)
{
    cell_truth(cell, ((const clump_emulation_result *)result)->doubt[0] == '\0');
}

#define ROW(member) FIELD(row, member)
#define RATIO(member) FIELD(clump_emulation_ratio, member), .of = ratio_of
#define RESULT(member) FIELD(clump_emulation_result, member), .of = result_of
#define TIMES(member)                                                                              \
    .make_with = make_times, .of = question_of,                                                    \
    .offset = offsetof(clump_emulation_question, member), .layout = COLUMN_LEFT

static const table_column columns[] = {
    {"processors", "Processors", RESULT(point.processors), .folding = FOLD_ROWS},
    {"nics", "NICs", RESULT(point.nics), .folding = FOLD_ROWS},
    {"processor", "Processor", ROW(processor), .positive = true},
    {"utilization", "U", NUMBER_EXACT, FOLD_ROWS, ROW(utilization)},
    {"demand", "Demand", .make = make_demand, .of = result_of, .folding = FOLD_ROWS,
     .layout = COLUMN_LEFT},
    {"mapping", "Mapping", .make = make_mapping, .of = question_of, .folding = FOLD_ALWAYS,
     .layout = COLUMN_LEFT},
    {"queue", "Queue", .make = make_queue, .of = question_of, .folding = FOLD_ALWAYS,
     .layout = COLUMN_LEFT},
    {"computation_times", "Computations", TIMES(computation), .folding = FOLD_ALWAYS},
    {"communication_times", "Messages", TIMES(communication), .folding = FOLD_ALWAYS},
    {"now_utilization", "U of NOW", NUMBER_RATIO, RATIO(utilization)},
    {"predicted", "Predicted", NUMBER_RATIO, ROW(predicted)},
    {"measured", "Measured", NUMBER_RATIO, RATIO(slowdown)},
    {"half_width", "95%", NUMBER_RATIO, ROW(half_width)},
    {"error", "Error", NUMBER_SIGNED, ROW(error)},
    {"cycles", "Cycles", RESULT(cycles), .layout = COLUMN_DETAIL},
    {"clump_cycle_us", "Clump cycle us", ROW(clump_cycle_us), .layout = COLUMN_DETAIL},
    {"now_cycle_us", "NOW cycle us", ROW(now_cycle_us), .layout = COLUMN_DETAIL},
    {"message_ratio", "Message/set", RESULT(summary.message_ratio), .layout = COLUMN_DETAIL},
    {"link_rate", "NIC rate", NUMBER_RATIO, RESULT(summary.clump_rate)},
    {"late_us", "Late us", RESULT(summary.late_us)},
    {"latest_us", "Latest us", RESULT(summary.latest_us), .layout = COLUMN_DETAIL},
    {"starved", "Starved", RESULT(summary.starved), .layout = COLUMN_DETAIL},
    {"processor_use", "Processors used", RESULT(summary.processor_use), .layout = COLUMN_DETAIL},
    {"machine_busy", "Machine busy", RESULT(machine_busy), .layout = COLUMN_DETAIL},
    {"machine_taken", "Taken by host", RESULT(machine_taken), .layout = COLUMN_DETAIL},
    {"real_time", NULL, RESULT(real_time)},
    {"seconds", "Seconds", RESULT(seconds), .layout = COLUMN_DETAIL},
    {"nic_bound", "NIC-bound", .make = make_nic_bound, .of = result_of, .folding = FOLD_ROWS,
     .layout = COLUMN_LEFT},
    {"doubt", NULL, FIELD_ARRAY(clump_emulation_result, doubt), .of = result_of},
};

/** Over the rows that are not doubtful: mean and worst absolute error, and which the worst is. */
typedef struct errors {
    double mean, worst; /**< NAN if there is none */
    size_t count, worst_row;
    size_t within;   /**< rows whose interval contains the prediction */
    size_t doubtful; /**< rows whose NICs were not the bottleneck */
} errors;

static errors errors_of(const row *rows, size_t count)
{
    errors e = {.mean = NAN, .worst = NAN};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const double size = fabs(rows[i].error);
        if (rows[i].result->doubt[0] != '\0') {
            e.doubtful++;
            continue;
        }
        sum += size;
        e.mean = sum / (double)++e.count;
        e.within += fabs(rows[i].predicted - rows[i].ratio->slowdown) <= rows[i].half_width;
        if (!(size < e.worst)) {
            e.worst = size;
            e.worst_row = i;
        }
    }
    return e;
}

/* ---- a picture */

static void add_rows(plot_builder *b, const row *rows, size_t count, clump_demand demand)
{
    plot_builder_series(b, &(plot_series){.name = clump_demand_kind_name(demand),
                                          .mark = PLOT_POINTS,
                                          .colour = demand == CLUMP_DEMAND_CORRELATED});
    for (size_t i = 0; i < count; i++) {
        const double slowdown = rows[i].ratio->slowdown, half = rows[i].half_width;
        if (rows[i].result->point.demand == demand)
            plot_builder_add_interval(b, rows[i].predicted, slowdown, slowdown - half,
                                      slowdown + half);
    }
}

static int draw(const command_invocation *invocation, const row *rows, size_t count,
                const char *machine)
{
    const settings *s = invocation->settings;
    plot_builder b = plot_builder_start();
    add_rows(&b, rows, count, CLUMP_DEMAND_INDEPENDENT);
    add_rows(&b, rows, count, CLUMP_DEMAND_CORRELATED);
    const plot_picture plot = {
        .title = plot_builder_text(&b, "Slowdown of emulated Clumps, %.100s", machine),
        .x = {.label = "Predicted slowdown"},
        .y = {.label = "Measured slowdown"},
        .diagonal = true,
        .series = b.series,
        .series_count = b.count};
    return plot_builder_draw(&b, &s->plot, &plot, 1);
}

/* ---- the answer */

static void summarize(const clump_calibration *c, const errors *e)
{
    const clump_emulation_question *q = c->own;
    char name[CLUMP_EMULATION_POINT_NAME];
    const char *worst = name;
    if (q->mix_count > 0)
        snprintf(name, sizeof name, "processor %zu", e->worst_row + 1);
    else
        worst = clump_emulation_point_name(&q->results[e->worst_row].point, name);
    if (q->fifo)
        printf("\nOne queue a NIC: not what the model assumes.");
    if (e->count > 1)
        printf("\nMean absolute error of %zu predictions: %.1f%%; the worst %.1f%% (%s).\n"
               "%zu of them lie within the 95%% interval of what was measured.\n",
               e->count, 100 * e->mean, 100 * e->worst, worst, e->within);
    if (e->count + e->doubtful > 1 && e->doubtful > 0)
        printf("%s%zu of %zu %s doubtful, and not in the mean: the NICs were not the bottleneck.\n",
               e->count > 1 ? "" : "\n", e->doubtful, e->count + e->doubtful,
               e->doubtful == 1 ? "is" : "are");
    if (isfinite(q->check.least_share))
        printf("\nA NIC alone runs at %.1f%% of its rate; two processors get %.1f%% and "
               "%.1f%% of it.",
               100 * q->check.rate, 100 * q->check.least_share, 100 * q->check.most_share);
    calibrate_tell_stored(c, "\n");
}

static int show(const command_invocation *invocation, clump_calibration *c)
{
    const settings *s = invocation->settings;
    const clump_emulation_question *q = c->own;
    const size_t count = count_rows(q);
    row *list = malloc((count + 1) * sizeof *list);
    if (list == NULL)
        return error_memory(invocation->arguments.command);
    for (size_t i = 0; i < count; i++)
        list[i] = make_row(q, i);
    const errors e = errors_of(list, count);
    const table_rows rows = {.key = "results", COLUMNS(columns), RECORDS(list, count)};
    const output_field fields[] = {field_real("mean_absolute_error", e.mean),
                                   field_real("worst_error", e.worst),
                                   field_size("within_interval", e.within),
                                   field_real("rate_of_one", q->check.rate),
                                   field_real("least_share_of_two", q->check.least_share),
                                   field_real("most_share_of_two", q->check.most_share),
                                   field_real("rate_mbit", q->rate_mbit),
                                   field_real("message_us", q->message_us),
                                   field_text("platform", c->store.source.platform),
                                   field_text("source", c->store.name),
                                   field_text("machine", c->host.facts),
                                   field_size("samples", c->samples.count)};
    int status = output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
    if (status == EXIT_DONE && invocation->format == FORMAT_TABLE)
        summarize(c, &e);
    if (status == EXIT_DONE && plot_request_is_made(&s->plot))
        status = draw(invocation, list, count, c->store.source.platform);
    free(list);
    return status;
}

static int run(const command_invocation *invocation)
{
    settings *s = invocation->settings;
    const int status = complete_question(&invocation->arguments, s);
    if (status != EXIT_DONE) {
        free(s->question.points);
        return status;
    }
    clump_calibration c = {
        .kind = &clump_calibration_clump, .own = &s->question, .platform = s->platform};
    return calibrate(invocation, &c, show);
}

const command_entry command_calibrate_clump = {
    .name = "calibrate clump",
    .operands = "",
    .summary = "Build a Clump (NICs are shared) and its NOW (a NIC each), and compare",
    .text =
        "Builds a Clump (processors of a node share NICs) and its NOW (each has a NIC of its "
        "own).\n"
        "Network namespaces are the nodes, veth pairs with token buckets the NICs, and processes\n"
        "the processors: each computes, sends a message, waits until it has arrived, and begins\n"
        "again. Both run at the same time with the same random times. The slowdown that the exact\n"
        "engine predicts from the NOW's utilization stands beside the measured one. Checks show\n"
        "when the NICs were not the bottleneck. Needs Linux, iproute2, and root or user\n"
        "namespaces; nothing remains in the system. Every sample goes to the database of --db, or\n"
        "else to your own.",
    .examples = "clumpmodel calibrate clump --processors 8 --nics 4 --utilization 0.5\n"
                "clumpmodel calibrate clump --processors 4 --nics 1,2,4 --demand both --time 10\n"
                "clumpmodel calibrate clump --grid --plot grid.svg --db clumps.db",
    .tables = tables,
    .settings_size = sizeof(settings),
    .creates_database = true,
    .run = run,
};
