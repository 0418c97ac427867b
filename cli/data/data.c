/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `data list`, `show`, `export`, `merge` and `check`. */
#include "cli/command.h"
#include "cli/data/data_records.h"
#include "cli/data/data_samples.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/output.h"
#include "cli/output/paragraph.h"
#include "data/store/recorded_run.h"
#include "data/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names */

/* What a NAME stands for: a platform, an application, a quantity, a source, or several of these. */
typedef struct named_records {
    const char *name;
    record_list records[RECORD_KIND_COUNT]; /**< none or one of each kind */
} named_records;

static int refuse_name(const char *command, clump_store *store, const char *name)
{
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        records_suggest(store, (record_kind)k, false, &suggestion);
    return error_input(command,
                       "no platform, application, quantity or source '%.200s'%s; "
                       "'clumpmodel data list' lists them",
                       name, clump_suggest_text(&suggestion, "", hint));
}

/* Look `named->name` up; complains itself, with a suggestion. Free it in any case. */
static int named_records_find(const char *command, clump_store *store, named_records *named)
{
    size_t found = 0;
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++) {
        const clump_store_status status =
            records_find(store, (record_kind)k, named->name, &named->records[k]);
        if (status == CLUMP_STORE_OK)
            found++;
        else if (status != CLUMP_STORE_NOT_FOUND)
            return error_store(command, store, status);
    }
    return found > 0 ? EXIT_DONE : refuse_name(command, store, named->name);
}

static void named_records_free(named_records *named)
{
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        records_free(&named->records[k]);
}

static clump_store_filter named_records_filter(const named_records *named, record_kind kind)
{
    return (clump_store_filter){
        .platform = kind == RECORD_PLATFORM ? named->name : NULL,
        .application = kind == RECORD_APPLICATION ? named->name : NULL,
        .quantity = kind == RECORD_QUANTITY ? named->name : NULL,
        .source = kind == RECORD_SOURCE ? named->name : NULL,
    };
}

/* ---- data list */

static bool parse_kind(const char *name, record_kind *kind)
{
    for (size_t k = 0; k < RECORD_LISTS; k++)
        if (strcmp(name, record_kind_plurals[k]) == 0 || strcmp(name, record_kind_names[k]) == 0) {
            *kind = (record_kind)k;
            return true;
        }
    return false;
}

static int refuse_kind(const char *command, const char *name)
{
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, name);
    for (size_t k = 0; k < RECORD_LISTS; k++)
        clump_suggest_offer(&suggestion, record_kind_plurals[k]);
    return error_usage(command,
                       "found '%.80s', expected platforms, applications, quantities, sources, "
                       "recordings or frozen%s",
                       name, clump_suggest_text(&suggestion, "", hint));
}

static int list_kind(const command_invocation *invocation, clump_store *store, record_kind kind)
{
    record_list records;
    const clump_store_status read = records_read(store, kind, &records);
    int status;
    if (read != CLUMP_STORE_OK) {
        status = error_store(invocation->arguments.command, store, read);
    } else {
        const table_rows rows = record_rows(&records);
        status = output_print(invocation->format, &rows, NULL, 0);
        if (records.count == 0 && invocation->format == FORMAT_TABLE)
            printf("No %s%s.\n", record_kind_plurals[kind],
                   kind == RECORD_FROZEN ? " predictions" : "");
    }
    records_free(&records);
    return status;
}

/* ---- all kinds: names and titles only */

static const table_column head_columns[] = {
    {"kind", "Kind", FIELD(record_head, kind)},
    {"name", "Name", FIELD(record_head, name)},
    {"title", "Title", FIELD(record_head, title), .layout = COLUMN_PROSE},
    {"reference", "Reference data", FIELD(record_head, reference), .folding = FOLD_ROWS},
};

static int print_heads(const command_invocation *invocation, const record_list *lists, size_t kinds)
{
    size_t count = 0, used = 0;
    for (size_t k = 0; k < kinds; k++)
        count += lists[k].count;
    record_head *heads = malloc((count + 1) * sizeof *heads);
    if (heads == NULL)
        return error_memory(invocation->arguments.command);
    for (size_t k = 0; k < kinds; k++)
        for (size_t i = 0; i < lists[k].count; i++)
            heads[used++] = record_head_of(lists[k].kind, lists[k].items[i]);
    const table_rows rows = {.key = "entries", COLUMNS(head_columns), RECORDS(heads, count)};
    const int status = output_print(invocation->format, &rows, NULL, 0);
    free(heads);
    return status;
}

static int list_all(const command_invocation *invocation, clump_store *store)
{
    record_list all[RECORD_KIND_COUNT] = {{.items = NULL}};
    clump_store_status read = CLUMP_STORE_OK;
    int status;
    /* For eyes, what scenarios can name; quantities and sources would bury it. */
    const bool brief = invocation->format == FORMAT_TABLE;
    const size_t kinds = brief ? RECORD_APPLICATION + 1 : RECORD_KIND_COUNT;
    for (size_t k = 0; k < kinds && read == CLUMP_STORE_OK; k++)
        read = records_read(store, (record_kind)k, &all[k]);
    if (read != CLUMP_STORE_OK) {
        status = error_store(invocation->arguments.command, store, read);
    } else {
        status = print_heads(invocation, all, kinds);
        if (status == EXIT_DONE && brief)
            printf("\nSee also: clumpmodel data list quantities, clumpmodel data list sources\n");
    }
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        records_free(&all[k]);
    return status;
}

static int run_list(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    const bool one = arguments->operand_count > 0;
    record_kind kind = RECORD_PLATFORM;
    clump_store *store = NULL;
    if (one && !parse_kind(arguments->operands[0], &kind))
        return refuse_kind(arguments->command, arguments->operands[0]);
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = one ? list_kind(invocation, store, kind) : list_all(invocation, store);
    clump_store_close(store);
    return status;
}

const command_entry command_data_list = {
    .name = "data list",
    .operands = "[platforms|applications|quantities|sources|recordings|frozen]",
    .summary = "List known names, of one kind or of all",
    .text =
        "Without a kind the table has platforms and applications; JSON and CSV have quantities "
        "and\n"
        "sources, too. Recordings are runs of programs that 'import recording' stored, frozen the\n"
        "predictions that 'validate --freeze' kept.",
    .examples = "clumpmodel data list\n"
                "clumpmodel data list platforms\n"
                "clumpmodel data list sources --format csv",
    .most_operands = 1,
    .run = run_list,
};

/* ---- data show */

static int read_samples(const char *command, clump_store *store, const named_records *named,
                        sample_list *samples)
{
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++) {
        if (named->records[k].count == 0)
            continue;
        const clump_store_filter filter = named_records_filter(named, (record_kind)k);
        const clump_store_status read = sample_list_read(store, &filter, samples);
        if (read == CLUMP_STORE_STOPPED)
            return error_memory(command);
        if (read != CLUMP_STORE_OK)
            return error_store(command, store, read);
    }
    return EXIT_DONE;
}

static void print_sources(const sample_list *samples)
{
    puts("\nSources:");
    for (size_t i = 0; i < samples->all.source_count; i++) {
        char text[1024], line[1400];
        source_cite(samples->all.sources[i], text, sizeof text);
        snprintf(line, sizeof line, "%.300s: %s", samples->all.sources[i]->name, text);
        char *escaped = escape_copy(line);
        const int column = printf("[%zu] ", i + 1);
        paragraph_print(escaped != NULL ? escaped : "", column, column, paragraph_width());
        free(escaped);
    }
}

/* ---- what describes an application that was fitted; it has no samples of its own */

#define PARAMETER(member) FIELD(clump_store_fit_parameter, member)

static const table_column parameter_columns[] = {
    {"parameter", "Parameter", PARAMETER(name)},
    {"value", "Value", PARAMETER(value)},
    {"low", "Low", PARAMETER(low)},
    {"high", "High", PARAMETER(high)},
    {"free", "Fitted", PARAMETER(free)},
};

static bool is_shared(const void *run)
{
    return ((const clump_store_fit_run *)run)->processors > 1;
}

static void make_residual(const void *run, table_cell *cell)
{
    const clump_store_fit_run *r = run;
    cell_real(cell, r->fitted_s / r->time_s - 1);
}

#define RUN(member) FIELD(clump_store_fit_run, member)

static const table_column time_columns[] = {
    {"platform", "Platform", RUN(platform)},
    {"processors", "Processors", RUN(processors)},
    {"nics", "NICs", RUN(nics)},
    {"mapping", "Mapping", RUN(mapping), .applies = is_shared, .folding = FOLD_ROWS},
    {"measured_s", "Measured s", RUN(time_s)},
    {"relative_error", "Error of it", NUMBER_PERCENT, RUN(relative_error)},
    {"fitted_s", "Fitted s", RUN(fitted_s)},
    {"residual", "Residual", NUMBER_SIGNED, .make = make_residual},
    {"source", "Source", RUN(source), .folding = FOLD_ROWS},
};

#define RECORDED(member) FIELD(clump_recorded_run, member)

static const table_column recording_columns[] = {
    {"origin", "From", RECORDED(origin)},
    {"program", "Program", RECORDED(program)},
    {"command", "Command", RECORDED(command), .layout = COLUMN_PROSE},
    {"library", "MPI", RECORDED(library)},
    {"started", "Started", RECORDED(started)},
    {"ranks", "Ranks", RECORDED(ranks)},
    {"nodes", "Nodes", RECORDED(nodes)},
    {"calls", "Calls", RECORDED(mpi_calls), .positive = true},
    {"wall_s", "Wall time s", RECORDED(wall)},
    {"played_s", "Played s", RECORDED(seconds)},
    {"run_s", "of s", RECORDED(run)},
    {"notes", "To be known", RECORDED(notes), .layout = COLUMN_PROSE},
};

static table_rows recording_rows(const clump_recorded_run *run)
{
    return (table_rows){.key = "recording", COLUMNS(recording_columns), RECORDS(run, 1)};
}

static table_rows parameter_rows(const clump_store_fit *fit)
{
    return (table_rows){.key = "parameters",
                        COLUMNS(parameter_columns),
                        RECORDS(fit->parameters, fit->parameter_count)};
}

static table_rows time_rows(const clump_store_fit *fit)
{
    return (table_rows){
        .key = "fitted_times", COLUMNS(time_columns), RECORDS(fit->runs, fit->run_count)};
}

static int print_fit(const clump_store_fit *fit)
{
    const table_rows parameters = parameter_rows(fit);
    const table_rows times = time_rows(fit);
    printf("Demand: %s, Efficiency: %s, Confidence: %.4g%%\n\n", fit->demand, fit->efficiency,
           100 * fit->confidence);
    const int status = table_print(&parameters);
    putchar('\n');
    return status == EXIT_DONE ? table_print(&times) : status;
}

static int print_for_eyes(const named_records *named, const sample_list *samples,
                          const clump_store_fit *fit, const clump_recorded_run *recording)
{
    const table_rows rows = sample_rows(samples);
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        if (named->records[k].count > 0) {
            const table_rows record = record_rows(&named->records[k]);
            record_print(&record, 0);
            putchar('\n');
        }
    if (recording != NULL) {
        const table_rows record = recording_rows(recording);
        record_print(&record, 0);
        if (samples->count == 0)
            return EXIT_DONE;
        putchar('\n');
    }
    if (samples->count == 0 && fit != NULL)
        return print_fit(fit);
    if (samples->count == 0) {
        puts("No samples.");
        return EXIT_DONE;
    }
    const int status = table_print(&rows);
    if (status == EXIT_DONE)
        print_sources(samples);
    return status;
}

static int print_known(const command_invocation *invocation, const named_records *named,
                       const sample_list *samples, const clump_store_fit *fit,
                       const clump_recorded_run *recording)
{
    const table_rows rows = sample_rows(samples);
    table_rows records[RECORD_KIND_COUNT], parameters, times, recordings;
    const table_rows *sets[RECORD_KIND_COUNT + 4];
    size_t count = 0;
    if (invocation->format == FORMAT_TABLE)
        return print_for_eyes(named, samples, fit, recording);
    if (invocation->format == FORMAT_CSV)
        return csv_print(&rows);
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        if (named->records[k].count > 0) {
            records[k] = record_rows(&named->records[k]);
            sets[count++] = &records[k];
        }
    if (fit != NULL) {
        parameters = parameter_rows(fit);
        times = time_rows(fit);
        sets[count++] = &parameters;
        sets[count++] = &times;
    }
    if (recording != NULL) {
        recordings = recording_rows(recording);
        sets[count++] = &recordings;
    }
    sets[count++] = &rows;
    return json_print(sets, count, NULL, 0);
}

static int run_show(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    clump_store *store = NULL;
    named_records named = {.name = arguments->operands[0]};
    sample_list samples = {.items = NULL};
    clump_store_fit *fit = NULL;
    clump_recorded_run *recording = NULL;
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE)
        status = named_records_find(arguments->command, store, &named);
    if (status == EXIT_DONE)
        status = read_samples(arguments->command, store, &named, &samples);
    if (status == EXIT_DONE && named.records[RECORD_APPLICATION].count > 0) {
        clump_store_status found = clump_store_find_fit(store, named.name, &fit);
        if (found == CLUMP_STORE_OK)
            found = clump_store_find_run(store, named.name, &recording);
        if (found != CLUMP_STORE_OK)
            status = error_store(arguments->command, store, found);
    }
    if (status == EXIT_DONE)
        status = print_known(invocation, &named, &samples, fit, recording);
    free(recording);
    clump_store_free_fit(fit);
    sample_list_free(&samples);
    named_records_free(&named);
    clump_store_close(store);
    return status;
}

const command_entry command_data_show = {
    .name = "data show",
    .operands = "NAME",
    .summary = "Show all that is known about a platform, application, source or quantity",
    .text = "Each number comes with its unit, its 95% interval if known, and its source: the\n"
            "document, table and page, or the log file.",
    .examples = "clumpmodel data show e5000-clump\n"
                "clumpmodel data show thesis-table-7.6 --format json\n"
                "clumpmodel data show gap_per_byte --format csv",
    .least_operands = 1,
    .most_operands = 1,
    .run = run_show,
};

/* ---- data export */

/* A name that stands for two things is asked about: two exports would have two header lines. */
static int make_filter(const char *command, const named_records *named, clump_store_filter *filter)
{
    static const char *const with_article[] = {"a platform", "an application", "a quantity",
                                               "a source"};
    size_t found = 0;
    record_kind kinds[RECORD_KIND_COUNT] = {RECORD_PLATFORM};
    for (size_t k = 0; k < RECORD_KIND_COUNT; k++)
        if (named->records[k].count > 0)
            kinds[found++] = (record_kind)k;
    if (found > 1)
        return error_input(
            command, "'%.200s' is the name of both %s and %s; 'clumpmodel data show' has both",
            named->name, with_article[kinds[0]], with_article[kinds[1]]);
    *filter = named_records_filter(named, kinds[0]);
    return EXIT_DONE;
}

static int run_export(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    clump_store *store = NULL;
    clump_store_filter filter = {.platform = NULL};
    named_records named = {.name = NULL};
    if (invocation->format_given && invocation->format != FORMAT_CSV)
        return error_usage(arguments->command,
                           "--format: found table or json, expected csv; 'clumpmodel "
                           "data show' has the others");
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE && arguments->operand_count > 0) {
        named.name = arguments->operands[0];
        status = named_records_find(arguments->command, store, &named);
        if (status == EXIT_DONE)
            status = make_filter(arguments->command, &named, &filter);
    }
    if (status == EXIT_DONE) {
        const clump_store_status written = clump_store_export(store, &filter, stdout);
        /* What stops it is a failed write, which main reports. */
        if (written != CLUMP_STORE_OK && written != CLUMP_STORE_STOPPED)
            status = error_store(arguments->command, store, written);
    }
    named_records_free(&named);
    clump_store_close(store);
    return status;
}

const command_entry command_data_export = {
    .name = "data export",
    .operands = "[NAME]",
    .summary = "Write samples with their sources as CSV to standard output",
    .text =
        "NAME is a platform, application, source or quantity; without it everything is written.",
    .examples = "clumpmodel data export -o samples.csv\n"
                "clumpmodel data export e5000-clump\n"
                "clumpmodel data export --db lab.db -o lab.csv",
    .most_operands = 1,
    .run = run_export,
};

/* ---- data merge */

typedef struct merged_file {
    const char *path;
    clump_store_merged added;
} merged_file;

#define MERGED(member) FIELD(merged_file, member)

static void make_merged(const void *file, table_cell *cell)
{
    static const clump_store_merged nothing;
    const clump_store_merged *added = &((const merged_file *)file)->added;
    cell_text(cell, memcmp(added, &nothing, sizeof nothing) == 0 ? "already there" : "merged");
}

static const table_column merged_columns[] = {
    {"file", "File", MERGED(path)},
    {"sources", "Sources", MERGED(added.sources)},
    {"platforms", "Platforms", MERGED(added.platforms)},
    {"applications", "Applications", MERGED(added.applications)},
    {"descriptions", "Fits, recordings", MERGED(added.descriptions)},
    {"frozen", "Frozen", MERGED(added.frozen)},
    {"series", "Series", MERGED(added.series)},
    {"samples", "Samples", MERGED(added.samples)},
    {"status", "Status", .make = make_merged, .layout = COLUMN_LEFT},
};

static int run_merge(const command_invocation *invocation)
{
    const command_line *arguments = &invocation->arguments;
    const size_t count = arguments->operand_count;
    merged_file *files = calloc(count, sizeof *files);
    clump_store *store = NULL;
    int status =
        files != NULL ? database_create(invocation, &store) : error_memory(arguments->command);
    for (size_t i = 0; i < count && status == EXIT_DONE; i++) {
        files[i].path = arguments->operands[i];
        const clump_store_status merged = clump_store_merge(store, files[i].path, &files[i].added);
        if (merged != CLUMP_STORE_OK)
            status = error_store(arguments->command, store, merged);
    }
    database_close(invocation, store, status);
    if (status == EXIT_DONE) {
        const table_rows rows = {.key = "files", COLUMNS(merged_columns), RECORDS(files, count)};
        status = output_print(invocation->format, &rows, NULL, 0);
    }
    free(files);
    return status;
}

const command_entry command_data_merge = {
    .name = "data merge",
    .operands = "FILE...",
    .summary = "Add all that other databases have",
    .text = "Samples, platforms, applications with their fits and recordings, and frozen\n"
            "predictions go to the database of --db, or else to your own; either is created if\n"
            "it does not exist, which makes a copy. What is there already stays as it is; where a\n"
            "name stands for something else, nothing of that file is added.",
    .examples = "clumpmodel data merge lab.db --db copy.db\n"
                "clumpmodel data merge kept.db lab.db --db all.db",
    .least_operands = 1,
    .most_operands = SIZE_MAX,
    .creates_database = true,
    .run = run_merge,
};

/* ---- data check */

typedef struct findings {
    char **lines;
    size_t count;
    bool no_memory;
} findings;

static int add_finding(const char *finding, void *context)
{
    findings *all = context;
    char **lines = realloc(all->lines, (all->count + 1) * sizeof *lines);
    if (lines != NULL) {
        all->lines = lines;
        lines[all->count] = strdup(finding);
    }
    all->no_memory = lines == NULL || lines[all->count] == NULL;
    all->count += !all->no_memory;
    return all->no_memory;
}

static void make_finding(const void *line, table_cell *cell)
{
    cell_text(cell, line);
}

static const table_column finding_columns[] = {
    {"finding", "Finding", .make = make_finding, .layout = COLUMN_PROSE}};

static int report_findings(const command_invocation *invocation, const findings *all)
{
    const table_rows rows = {
        .key = "findings", COLUMNS(finding_columns), RECORD_POINTERS(all->lines, all->count)};
    const output_field count = field_size("count", all->count);
    const int status = output_print(invocation->format, &rows, &count, 1);
    if (status != EXIT_DONE)
        return status;
    if (all->count > 0)
        return error_failed(invocation->arguments.command, "%zu finding%s", all->count,
                            all->count == 1 ? "" : "s");
    if (invocation->format == FORMAT_TABLE)
        puts("Nothing wrong found.");
    return EXIT_DONE;
}

static int run_check(const command_invocation *invocation)
{
    const char *command = invocation->arguments.command;
    clump_store *store = NULL;
    findings all = {.lines = NULL};
    int status = database_open(invocation, &store);
    if (status == EXIT_DONE) {
        const clump_store_status checked = clump_store_check(store, add_finding, &all, NULL);
        if (all.no_memory)
            status = error_memory(command);
        else if (checked != CLUMP_STORE_OK)
            status = error_store(command, store, checked);
        else
            status = report_findings(invocation, &all);
    }
    for (size_t i = 0; i < all.count; i++)
        free(all.lines[i]);
    free(all.lines);
    clump_store_close(store);
    return status;
}

const command_entry command_data_check = {
    .name = "data check",
    .summary = "Check the database and the reference data",
    .text =
        "Looks for damage, for samples out of range, and for LogGP parameters (latency,\n"
        "overheads, gaps) that contradict each other. The exit status is 1 if anything is found.",
    .examples = "clumpmodel data check\n"
                "clumpmodel data check --db lab.db --format json",
    .run = run_check,
};
