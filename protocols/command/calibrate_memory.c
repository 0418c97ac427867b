/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "protocols/calibration/memory_calibration.h"
#include "protocols/command/calibrate_memory_plot.h"
#include "protocols/command/calibrate_run.h"
#include "protocols/command/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    clump_memory_question question;
    unsigned processes, runs;
    option_wholes counts;
    bool quick, full;
    uint64_t size, cache;
    const char *platform;
    plot_request plot;
    unsigned chosen[CLUMP_MEMORY_PROCESSORS]; /* numbers of processes */
} settings;

/* ---- options */

static const option_entry entries[] = {
    {.name = "processes",
     .help = "largest number of processes (default: one for each\n"
             "processor that this program may use)",
     OPTION_OF(settings, processes),
     .from = 1,
     .to = CLUMP_MEMORY_PROCESSORS},
    {.name = "counts",
     .help = "numbers of processes to measure, such as 2,4:8; 1 always is\n"
             "(default: all up to 16, then 4 in each doubling)",
     OPTION_OF(settings, counts),
     .from = 1,
     .to = CLUMP_MEMORY_PROCESSORS},
    {.name = "kernels",
     .argument = "LIST",
     .help = "what processes do: read (sum), copy (a = b), triad\n"
             "(a = b + s c) (default: all)",
     .values = "read|copy|triad", /* CLUMP_MEMORY_READ... */
     OPTION_READ(calibrate_read_list, settings, question.kernels)},
    {.name = "size",
     .help = "size of each of a process's three arrays, with K, M or G\n"
             "(default: 4 times the largest cache)",
     OPTION_AS(BYTES, settings, size),
     .from = CLUMP_MEMORY_BLOCK,
     .to = UINT64_C(1) << 40},
    {.name = "cache",
     .help = "size of the largest cache (default: what the system says)",
     OPTION_AS(BYTES, settings, cache),
     .from = 1024,
     .to = UINT64_C(1) << 36},
    {.name = "spread",
     .argument = "scatter|compact",
     .help = "where a node has several memory nodes: put processes on one\n"
             "after the other in turn, or fill one before the next\n"
             "(default: {})",
     /* CLUMP_MEMORY_SCATTER... */
     OPTION_AS(CHOICE, settings, question.spread),
     .preset = "scatter"},
    {.name = "runs",
     .help = "number of samples of each kind, 2 to 1000 (default 30; 10\n"
             "with --quick, 100 with --full)",
     OPTION_OF(settings, runs),
     .from = 2,
     .to = 1000},
    {.name = "quick",
     .help = "10 short runs: takes seconds, wide intervals",
     OPTION_OF(settings, quick)},
    {.name = "full", .help = "100 long runs: takes minutes", OPTION_OF(settings, full)},
    PLATFORM_ENTRY(settings, PLATFORM_HELP),
    {0},
};

static const option_table tables[] = {{entries, 0}, {plot_options, offsetof(settings, plot)}, {0}};

/* All up to 16, and then 20, 24, 28, 32, 40...: four in each doubling. */
static size_t usual_counts(unsigned most, unsigned *counts)
{
    size_t count = 0;
    for (unsigned k = 1, step = 1; k <= most; k += step) {
        counts[count++] = k;
        if (k >= 16 && (k & (k - 1)) == 0)
            step = k / 4;
    }
    if (counts[count - 1] != most)
        counts[count++] = most;
    return count;
}

static int compare_counts(const void *a, const void *b)
{
    const unsigned first = *(const unsigned *)a, second = *(const unsigned *)b;
    return (first > second) - (first < second);
}

/* Those of a list, in order and once each, and 1. */
static size_t given_counts(const option_wholes *list, unsigned most, unsigned *counts)
{
    unsigned all[CLUMP_MEMORY_PROCESSORS + 1] = {1};
    size_t all_count = 1, count = 0;
    for (size_t i = 0; i < list->count && all_count <= CLUMP_MEMORY_PROCESSORS; i++)
        if (list->values[i] <= most)
            all[all_count++] = (unsigned)list->values[i];
    qsort(all, all_count, sizeof *all, compare_counts);
    for (size_t i = 0; i < all_count; i++)
        if (i == 0 || all[i] != all[i - 1])
            counts[count++] = all[i];
    return count;
}

static int choose_counts(const command_line *line, settings *s)
{
    clump_memory_question *q = &s->question;
    const unsigned there = q->system.count;
    if (s->processes > there)
        return error_usage(line->command,
                           "--processes: found %u, expected 1 to %u: the processors that this "
                           "program may use",
                           s->processes, there);
    for (size_t i = 0; i < s->counts.count; i++)
        if (s->counts.values[i] > there)
            return error_usage(line->command,
                               "--counts: found %zu, expected 1 to %u: the processors that this "
                               "program may use",
                               s->counts.values[i], there);
    const unsigned most = s->processes > 0 ? s->processes : there;
    q->count_count = s->counts.count > 0 ? given_counts(&s->counts, most, s->chosen)
                                         : usual_counts(most, s->chosen);
    q->counts = s->chosen;
    return EXIT_DONE;
}

/* ---- what came of it */

static void make_gigabytes(const table_column *column, const void *row, table_cell *cell)
{
    cell_real(cell, *(const double *)((const char *)row + column->offset) / 1000);
}

static void make_unit(const void *row, table_cell *cell)
{
    (void)row;
    cell_text(cell, clump_quantity_unit(CLUMP_QUANTITY_MEMORY_BANDWIDTH));
}

static bool has_nodes(const void *row)
{
    return ((const clump_memory_row *)row)->nodes > 1;
}

static bool has_doubtful(const void *row)
{
    return ((const clump_memory_row *)row)->doubtful > 0;
}

#define ROW(member) FIELD(clump_memory_row, member)
#define GIGABYTES(member) .offset = offsetof(clump_memory_row, member), .make_with = make_gigabytes

static const table_column columns[] = {
    {"kernel", "Kernel", ROW(kernel), .folding = FOLD_ROWS},
    {"processes", "Processes", ROW(processes)},
    {"nodes", "Memory nodes", ROW(nodes), .worth = has_nodes},
    {"bandwidth", NULL, ROW(total)},
    {"half_width", NULL, ROW(total_half_width)},
    {"std_dev", NULL, ROW(total_std_dev)},
    {"slowest", NULL, ROW(slowest)},
    {"slowest_half_width", NULL, ROW(slowest_half_width)},
    {"unit", NULL, .make = make_unit},
    {NULL, "GB/s", GIGABYTES(total)},
    {NULL, "95%", GIGABYTES(total_half_width)},
    {NULL, "Slowest", GIGABYTES(slowest)},
    {NULL, "95%", GIGABYTES(slowest_half_width)},
    {"ratio", "B(k)/B(1)", ROW(ratio)},
    {"ratio_half_width", "95%", ROW(ratio_half_width)},
    {"runs", "Runs", ROW(runs)},
    {"doubtful", "Doubtful", ROW(doubtful), .worth = has_doubtful},
};

static int print_table(clump_calibration *c, const table_rows *rows, const clump_memory_row *feeds)
{
    const clump_memory_question *q = c->own;
    const unsigned most = q->counts[q->count_count - 1];
    if (most > 1)
        printf("Memory bandwidth of 1 to %u processes", most);
    else
        printf("Memory bandwidth of 1 process");
    printf(", 3 arrays of %.4g MiB each\n", (double)q->array_bytes / (1 << 20));
    printf("Largest cache %.4g MiB, %u processor%s of %u socket%s and %u memory node%s\n",
           (double)q->cache_bytes / (1 << 20), q->system.count, q->system.count == 1 ? "" : "s",
           q->system.sockets, q->system.sockets == 1 ? "" : "s", q->system.nodes,
           q->system.nodes == 1 ? "" : "s");
    const int status = table_print(rows);
    if (status != EXIT_DONE)
        return status;
    if (feeds != NULL && isfinite(feeds->ratio) && isfinite(feeds->ratio_half_width))
        printf("\nThe memory feeds %.3g %s %.2g processes: B(%u)/B(1) of %s.\n", feeds->ratio,
               plus_minus(), feeds->ratio_half_width, feeds->processes, feeds->kernel);
    else if (feeds != NULL && isfinite(feeds->ratio))
        printf("\nThe memory feeds %.3g processes: B(%u)/B(1) of %s, from one run.\n", feeds->ratio,
               feeds->processes, feeds->kernel);
    else
        printf("\nHow many processes the memory feeds is not known.\n");
    calibrate_tell_stored(c, "");
    return EXIT_DONE;
}

static int show(const command_invocation *invocation, clump_calibration *c)
{
    const settings *s = invocation->settings;
    const clump_memory_question *q = c->own;
    const clump_memory_row *feeds = clump_memory_feeds(q);
    const table_rows rows = {.key = "results", COLUMNS(columns), RECORDS(q->rows, q->row_count)};
    const output_field fields[] = {
        field_text("platform", c->store.source.platform),
        field_text("source", c->store.name),
        field_text("machine", c->host.facts),
        field_real("array_bytes", (double)q->array_bytes),
        field_real("cache_bytes", (double)q->cache_bytes),
        field_size("processors", q->system.count),
        field_size("memory_nodes", q->system.nodes),
        field_size("sockets", q->system.sockets),
        field_text("spread", q->spread == CLUMP_MEMORY_COMPACT ? "compact" : "scatter"),
        field_text("feeds_kernel", feeds != NULL ? feeds->kernel : NULL),
        field_real("feeds", feeds != NULL ? feeds->ratio : NAN),
        field_real("feeds_half_width", feeds != NULL ? feeds->ratio_half_width : NAN),
        field_size("samples", c->samples.count),
        field_size("doubtful_samples", c->speed.doubtful),
        field_size("doubtful_runs", c->speed.other),
        field_real("line_transfer_us", c->speed.usual_us)};
    const int status =
        invocation->format == FORMAT_TABLE
            ? print_table(c, &rows, feeds)
            : output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
    return status == EXIT_DONE && plot_request_is_made(&s->plot)
               ? memory_plot(&s->plot, q, c->store.source.platform)
               : status;
}

static int run(const command_invocation *invocation)
{
    settings *s = invocation->settings;
    clump_memory_question *q = &s->question;
    const command_line *line = &invocation->arguments;
    int status = calibrate_check_effort(line, s->quick, s->full);
    if (status == EXIT_DONE && !clump_memory_look(&q->system))
        status = error_failed(line->command,
                              "the system does not say which processors this program may use");
    if (status == EXIT_DONE)
        status = choose_counts(line, s);
    if (status == EXIT_DONE)
        status = plot_request_try(&s->plot);
    if (status != EXIT_DONE)
        return status;
    if (option_is_given(line, "spread") && q->system.nodes == 1 && !invocation->quiet)
        note_print(line->command, "one memory node: --spread changes nothing");
    clump_memory_order(&q->system, q->spread);
    for (int i = 0; i < CLUMP_MEMORY_KERNELS && !option_is_given(line, "kernels"); i++)
        q->kernels[i] = true;
    q->array_bytes = s->size;
    q->cache_bytes = s->cache;
    q->window_ms = calibrate_choose(s->quick, s->full, 20, 100, 50);
    const unsigned usual = calibrate_choose(s->quick, s->full, 10, 100, 30);
    clump_calibration c = {.kind = &clump_calibration_memory,
                           .own = q,
                           .platform = s->platform,
                           .plan = {.runs = s->runs > 0 ? s->runs : usual}};
    return calibrate(invocation, &c, show);
}

const command_entry command_calibrate_memory = {
    .name = "calibrate memory",
    .operands = "",
    .summary = "Measure the memory bandwidth of 1 to P processes of this machine",
    .text =
        "Processors of a node share its memory as they share its NICs. This command starts one\n"
        "process on each processor, which streams through memory of its own, far larger than the\n"
        "caches, and measures the bytes a second of 1, 2, ... P of them together and of the one\n"
        "that gets least, while the others sleep. The curve B(k)/B(1) says how many processes the\n"
        "memory feeds; a scenario names the platform to have it. Every sample goes to the "
        "database\n"
        "of --db, or else to your own. ^C keeps the runs that are complete.",
    .examples = "clumpmodel calibrate memory\n"
                "clumpmodel calibrate memory --quick --platform node --plot curve.svg\n"
                "clumpmodel calibrate memory --counts 1,2,4,8 --kernels triad --spread compact",
    .tables = tables,
    .settings_size = sizeof(settings),
    .creates_database = true,
    .run = run,
};
