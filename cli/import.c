/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data/import/import.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "cli/output/progress.h"
#include "cli/recording/import_recording.h"
#include "cli/recording/recording_open.h"
#include "data/import/import_format.h"
#include "data/suggest.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100000000

/* What the options are read into. */
typedef struct import_settings {
    clump_import_options log;
    const char *name, *budget;
} import_settings;

static const option_entry options[] = {
    {.name = "platform",
     .values = "@platforms",
     .help = "machine that was measured; it is added if it is new\n"
             "(required, except for files of 'data export')",
     OPTION_OF(import_settings, log.platform)},
    {.name = "transport",
     .values = "network|shared-memory|tcp",
     .help = "what carried the messages, such as tcp or shared-memory",
     OPTION_OF(import_settings, log.transport)},
    {.name = "application",
     .values = "@applications",
     .help = "program that a profile or CSV file describes\n"
             "(default for profiles: its command)",
     OPTION_OF(import_settings, log.application)},
    {.name = "note",
     .argument = "TEXT",
     .help = "remark to be stored with the sources",
     OPTION_OF(import_settings, log.note)},
    {.name = "dataset",
     .help = "data set that the files belong to, for 'validate'\n"
             "(default: each file is one)",
     OPTION_OF(import_settings, log.dataset)},
    {.name = "nodes",
     .help = "number of nodes of a new platform",
     OPTION_OF(import_settings, log.nodes),
     .from = 1,
     .to = MOST},
    {.name = "processors",
     .help = "number of processors in each of its nodes",
     OPTION_OF(import_settings, log.processors),
     .from = 1,
     .to = MOST},
    {.name = "nics",
     .help = "number of NICs in each of its nodes",
     OPTION_OF(import_settings, log.nics),
     .to = MOST},
    {.name = "mapping",
     .argument = "pooled|static",
     .help = "how the processors of a new platform reach its NICs",
     OPTION_AS(WORD, import_settings, log.mapping)},
    {.name = "counterpart",
     .help = "platform with a NIC for each processor (the NOW) with\n"
             "which a new platform is to be compared",
     OPTION_OF(import_settings, log.counterpart)},
    {.name = "part-of",
     .values = "@platforms",
     .help = "platform that a new one is part of, or the same machine as:\n"
             "what was measured there without an application holds, too",
     OPTION_OF(import_settings, log.part_of)},
    {.name = "style",
     .argument = "streaming|blocking|exchange",
     .help = "whether a new application waits for the answers to its\n"
             "messages (blocking) or not; exchange: all ask at once,\n"
             "and answer each other while they wait",
     OPTION_AS(WORD, import_settings, log.style)},
    {.name = "window",
     .help = "number of messages sent before the benchmark waits, where\n"
             "the log does not say (osu_bw, IMB Uniband, ucx_perftest)",
     OPTION_OF(import_settings, log.window),
     .from = 1,
     .to = MOST},
    {.name = "processes",
     .help = "number of processes that ran, where the log does not say\n"
             "(OSU collectives; default: as the job's script beside it says)",
     OPTION_OF(import_settings, log.processes),
     .from = 1,
     .to = MOST},
    {.name = "size",
     .help = "size of the messages, where the log does not say\n"
             "(ucx_perftest)",
     OPTION_AS(BYTES, import_settings, log.size_bytes),
     .to = UINT64_C(1) << 50,
     .expected = "a number of bytes, with K, M, G for powers of 1024"},
    {.name = "quantity",
     .values = "@quantities",
     .help = "what the values are, where the file does not say (CSV);\n"
             "see 'clumpmodel data list quantities'",
     OPTION_OF(import_settings, log.quantity)},
    {.name = "name",
     .help = "name of the application that a recording makes\n"
             "(default: its program)",
     OPTION_OF(import_settings, name)},
    {.name = "all-or-nothing",
     .help = "store nothing if one of the files is refused",
     OPTION_OF(import_settings, log.all_or_nothing)},
    {.name = "budget",
     .argument = "PARTS",
     .help = BUDGET_HELP,
     OPTION_OF(import_settings, budget)},
    {0},
};

static const option_table tables[] = {{options, 0}, {0}};
static const import_settings initial = {
    .log = {.nodes = -1, .processors = -1, .nics = -1, .size_bytes = -1}};

typedef struct request {
    const command_invocation *invocation;
    progress_bar progress;
    clump_import_options options;
    const char *name; /* of applications of recordings */
    clump_budget budget;
    clump_import *import;
    imported_runs runs;
    size_t refused; /* logs */
    int code;       /* of the first of these */
    clump_store *store;
    bool stored;
} request;

static int read_format(const command_line *line, const char **format)
{
    const char *wanted = line->operands[0], *name;
    char hint[CLUMP_SUGGEST_TEXT];
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, wanted);
    *format = wanted;
    if (recording_format_is_known(wanted))
        return EXIT_DONE;
    for (size_t i = 0; (name = clump_import_format_name(i)) != NULL; i++) {
        if (strcmp(name, wanted) == 0)
            return EXIT_DONE;
        clump_suggest_offer(&suggestion, name);
    }
    char all[300] = "";
    size_t used = 0;
    for (size_t i = 0; (name = clump_import_format_name(i)) != NULL && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", name);
    clump_suggest_offer(&suggestion, "recording");
    return error_usage(line->command, "format: found '%.80s', expected one of %s, %s%s", wanted,
                       all, IMPORT_RECORDING_NAMES, clump_suggest_text(&suggestion, "", hint));
}

static void show_progress(size_t done, size_t total, void *context)
{
    request *r = context;
    progress_update(&r->progress, done, total);
}

#define NAME_IS_FOR                                                                                \
    "--name is for recordings (" IMPORT_RECORDING_NAMES "); of other files --application says it"

/* What the format and the files have to do with the options. */
static int check(request *r)
{
    const command_line *line = &r->invocation->arguments;
    clump_import_options *o = &r->options;
    const int status = read_format(line, &o->format);
    if (status != EXIT_DONE)
        return status;
    const bool recorded = recording_format_is_known(o->format);
    const bool may_say = recorded || strcmp(o->format, "clumpmodel") == 0 ||
                         strcmp(o->format, "csv") == 0 || strcmp(o->format, "auto") == 0;
    size_t inputs = 0;
    for (size_t i = 1; i < line->operand_count; i++)
        inputs += strcmp(line->operands[i], "-") == 0;
    if (o->platform == NULL && !may_say)
        return error_usage(line->command, "--platform is missing, expected --platform NAME");
    if (r->name != NULL && !recorded && strcmp(o->format, "auto") != 0)
        return error_usage(line->command, NAME_IS_FOR);
    if (o->platform != NULL && recorded)
        return error_usage(
            line->command,
            "--platform is not for recordings: they say themselves what nodes there were");
    if (inputs > 1)
        return error_usage(line->command, "found '-' twice, expected standard input once");
    return EXIT_DONE;
}

static int fail(request *r, clump_store_status status)
{
    const char *command = r->invocation->arguments.command;
    const char *message = clump_import_message(r->import);
    progress_clear(&r->progress);
    return status != CLUMP_STORE_FAILED
               ? error_input(command, "%s", message)
               : memory_limit_told(command, strstr(message, "out of memory") != NULL, message);
}

static size_t refused_files(const request *r)
{
    return r->refused + r->runs.refused;
}

static size_t all_files(const request *r)
{
    return clump_import_count(r->import) + r->runs.count;
}

/* The exit code of the first that was refused. */
static int refused_code(const request *r)
{
    return r->refused > 0 ? r->code : r->runs.code;
}

/* What the user should know, a line each, with the name of the file. */
static void print_notices(const request *r, const clump_import_platform *platform)
{
    const char *command = r->invocation->arguments.command;
    if (r->invocation->quiet)
        return;
    imported_runs_tell(&r->runs, command);
    for (size_t i = 0; i < clump_import_count(r->import); i++) {
        const clump_import_result result = clump_import_result_of(r->import, i);
        if (result.refused != NULL)
            continue;
        if (r->options.platform == NULL && strcmp(result.format, "csv") == 0)
            note_print(command,
                       "%s: of application '%.100s' on whatever platform; what was measured on one "
                       "needs --platform",
                       result.path, r->options.application);
        if (result.repeated) {
            note_print(command, "%s: is there already as '%s': nothing to do", result.path,
                       result.source);
            continue;
        }
        note_lines(command, result.path, result.notices);
    }
    if (platform->made)
        note_print(
            command,
            "platform '%s' is new: %lld node(s) with %lld processor(s) and %lld NIC(s) each%s",
            r->options.platform, (long long)platform->nodes, (long long)platform->processors,
            (long long)platform->nics,
            platform->assumed ? "; 1 where it was not said: --nodes, --processors, --nics" : "");
}

#define RESULT(member) FIELD(clump_import_result, member)

static void make_status(const void *result, table_cell *cell)
{
    const clump_import_result *r = result;
    cell_text(cell, r->refused != NULL ? "refused" : r->repeated ? "already there" : "imported");
}

static const table_column columns[] = {
    {"file", "File", RESULT(path)},
    {"format", "Format", RESULT(format)},
    {"tool", "Tool", RESULT(tool)},
    {"tool_version", "Version", RESULT(version)},
    {"source", NULL, RESULT(source)},
    {"series", "Series", RESULT(series)},
    {"samples", "Samples", RESULT(samples)},
    {"status", "Status", .make = make_status, .layout = COLUMN_LEFT},
};

/* Logs and recordings say different things of themselves: a table of each. */
static int print(const request *r)
{
    const size_t count = clump_import_count(r->import);
    clump_import_result *results = malloc((count + 1) * sizeof *results);
    if (results == NULL)
        return error_memory(r->invocation->arguments.command);
    for (size_t i = 0; i < count; i++) {
        results[i] = clump_import_result_of(r->import, i);
        if (results[i].repeated || results[i].refused != NULL)
            results[i].series = results[i].samples = 0;
    }
    const output_format format = r->invocation->format;
    const table_rows logs = {.key = "files", COLUMNS(columns), RECORDS(results, count)};
    const table_rows runs = imported_runs_rows(&r->runs, count > 0 ? "recordings" : "files");
    int status = EXIT_DONE;
    if (count > 0 && r->runs.count > 0 && format == FORMAT_JSON) {
        status = json_print((const table_rows *const[]){&logs, &runs}, 2, NULL, 0);
    } else {
        if (count > 0)
            status = output_print(format, &logs, NULL, 0);
        if (status == EXIT_DONE && count > 0 && r->runs.count > 0)
            putchar('\n');
        if (status == EXIT_DONE && r->runs.count > 0)
            status = output_print(format, &runs, NULL, 0);
    }
    free(results);
    return status;
}

/* What cannot be read is refused, and the rest goes on, unless it is all or nothing. Returns the exit code of what ends it. */
static int read_all(request *r)
{
    const command_line *a = &r->invocation->arguments;
    const bool any = strcmp(r->options.format, "auto") == 0;
    const char *name = r->name != NULL ? r->name : r->options.application;
    for (size_t i = 1; i < a->operand_count; i++) {
        const char *path = a->operands[i];
        const char *recorded = any ? import_recording_format(path)
                               : recording_format_is_known(r->options.format) ? r->options.format
                                                                              : NULL;
        int code = EXIT_DONE;
        if (recorded != NULL) {
            code = imported_runs_read(&r->runs, a->command, recorded, path, name, &r->budget);
        } else {
            const clump_store_status status = clump_import_read(r->import, path);
            if (status != CLUMP_STORE_OK) {
                code = fail(r, status);
                r->code = r->refused++ == 0 ? code : r->code;
            }
        }
        if (code != EXIT_DONE && r->options.all_or_nothing)
            return code;
    }
    return EXIT_DONE;
}

/* Whether the options say what is needed of these files. */
static int check_files(const request *r)
{
    const char *command = r->invocation->arguments.command;
    for (size_t i = 0; i < clump_import_count(r->import); i++) {
        const clump_import_result result = clump_import_result_of(r->import, i);
        const bool program = r->options.application != NULL && strcmp(result.format, "csv") == 0;
        if (result.refused == NULL && r->options.platform == NULL &&
            strcmp(result.format, "clumpmodel") != 0 && !program)
            return error_usage(command, "--platform is missing, expected --platform NAME");
    }
    if (r->name != NULL && r->runs.count == 0)
        return error_usage(command, NAME_IS_FOR);
    return EXIT_DONE;
}

/* Those that the database does not go with. What could not be read has been told. */
static void tell_refused(request *r)
{
    for (size_t i = 0; i < clump_import_count(r->import); i++) {
        const clump_import_result result = clump_import_result_of(r->import, i);
        if (result.refused == NULL || !result.understood)
            continue;
        progress_clear(&r->progress);
        const int code = error_input(r->invocation->arguments.command, "%s", result.refused);
        r->code = r->refused++ == 0 ? code : r->code;
    }
}

/* All that was not refused, in one transaction. */
static int store_all(request *r, clump_import_platform *platform)
{
    const char *command = r->invocation->arguments.command;
    clump_store_status status = clump_store_begin(r->store);
    if (status != CLUMP_STORE_OK)
        return error_store(command, r->store, status);
    int code = EXIT_DONE;
    status = clump_import_add(r->import, r->store, platform);
    if (status != CLUMP_STORE_OK)
        code = fail(r, status);
    else
        tell_refused(r);
    if (code == EXIT_DONE)
        code = imported_runs_store(&r->runs, r->invocation, r->store, &r->options);
    if (code == EXIT_DONE && refused_files(r) == all_files(r))
        code = refused_code(r);
    if (code == EXIT_DONE) {
        status = clump_store_commit(r->store);
        r->stored = status == CLUMP_STORE_OK;
        code = r->stored ? EXIT_DONE : error_store(command, r->store, status);
    }
    if (code != EXIT_DONE)
        clump_store_rollback(r->store);
    return code;
}

static int import_all(request *r)
{
    clump_import_platform platform = {.made = false};
    int status = read_all(r);
    if (status == EXIT_DONE)
        status = check_files(r);
    if (status == EXIT_DONE && refused_files(r) == all_files(r))
        status = refused_code(r);
    progress_clear(&r->progress);
    if (status == EXIT_DONE)
        status = database_create(r->invocation, &r->store);
    if (status == EXIT_DONE)
        status = store_all(r, &platform);
    budget_end();
    progress_clear(&r->progress);
    if (status != EXIT_DONE)
        return status;
    print_notices(r, &platform);
    status = print(r);
    return status == EXIT_DONE && refused_files(r) > 0 ? refused_code(r) : status;
}

static int run(const command_invocation *invocation)
{
    const import_settings *settings = invocation->settings;
    request r = {.invocation = invocation, .options = settings->log, .name = settings->name};
    r.options.progress = show_progress;
    r.options.context = &r;
    int status = check(&r);
    if (status == EXIT_DONE)
        status = budget_begin(invocation->arguments.command, settings->budget, &r.budget);
    if (status == EXIT_DONE) {
        progress_start(&r.progress, invocation->quiet);
        r.import = clump_import_start(&r.options);
        status = r.import != NULL ? import_all(&r) : error_memory(invocation->arguments.command);
    }
    budget_end();
    database_close(invocation, r.store, r.stored ? EXIT_DONE : status);
    imported_runs_free(&r.runs);
    clump_import_free(r.import);
    return status;
}

#define HELP_LINE(name, help) "  " help "\n"
#define FORMAT_LINES CLUMP_IMPORT_FORMATS(HELP_LINE)

static const char help_text[] =
    "FORMAT is auto (recognize it), or\n" FORMAT_LINES IMPORT_RECORDING_LINES "\n"
    "FILE can be - for standard input, and compressed (gzip). All samples go to the database\n"
    "of --db, or else to your own; either is created if it does not exist. A file that cannot\n"
    "be understood completely is refused, which the exit code says, and the others are stored.\n"
    "A file that was imported before is left out.";

const command_entry command_import = {
    .name = "import",
    .operands = "FORMAT FILE...",
    .summary = "Import samples from the logs of benchmarks and profilers",
    .text = help_text,
    .examples = "clumpmodel import auto osu_latency.txt --platform lab --transport tcp\n"
                "clumpmodel import csv - --platform lab --quantity half_round_trip < times.csv\n"
                "clumpmodel import mpip fft3d.2.18628.1.mpiP --platform lab --db lab.db",
    .tables = tables,
    .settings_size = sizeof(import_settings),
    .initial = &initial,
    .least_operands = 2,
    .most_operands = SIZE_MAX,
    .creates_database = true,
    .run = run,
};
