/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel collective`: how long the collectives of a scenario take, by size and algorithm. */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/output/errors.h"
#include "cli/output/file_output.h"
#include "cli/scenario_files.h"
#include "cli/scenario_options.h"
#include "cli/shipped_scenarios.h"
#include "model/simulation/schedule_builder.h"
#include "model/simulation/schedule_collective.h"
#include "scenarios/collective_calls.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who says which algorithm it is; the first one is whatever the scenario says. */
enum { AS_GIVEN, FASTEST, OPEN_MPI, MPICH, NCCL, CHOOSERS };
enum { MOST_ROWS = 100000, MOST_CHANGES = 12 };

typedef struct settings {
    clump_scenario_options scenario;
    option_reals sizes;
    const char *goal;
} settings;

static const option_entry options[] = {
    {.name = "sizes",
     .argument = "BYTES,...",
     .help = "bytes of a call (default: from 8 to 1 GiB, and those of the\n"
             "scenario)",
     OPTION_OF(settings, sizes),
     .least = 0,
     .most = 1e15,
     .expected = "numbers of bytes, 0 to 1e15, such as 8,1024,1e6"},
    {.name = "goal",
     .help = "write the first collective, as the scenario calls it, as a\n"
             "schedule for 'simulate --schedule'",
     OPTION_AS(OUTPUT, settings, goal)},
    {0},
};

/* ---- rows */

typedef struct row {
    const char *application, *platform, *kind, *mapping;
    size_t processors, nics, ranks, size, stride;
    double bytes, count;
    bool called; /* with these bytes, by the scenario */
    const char *algorithms[CHOOSERS];
    double us[CHOOSERS];
} row;

/* From this size on a chooser takes another algorithm. */
typedef struct change {
    row of; /* the first size of that call */
    const char *by, *algorithm;
    double from;
} change;

typedef struct answer {
    row *rows;
    size_t count;
    change *changes;
    size_t change_count;
} answer;

static const char *const choosers[] = {"scenario", "fastest", "open-mpi", "mpich", "nccl"};

static void make_algorithm(const table_column *c, const void *record, table_cell *cell)
{
    cell_text(cell, ((const row *)record)->algorithms[c->offset]);
}

static void make_us(const table_column *c, const void *record, table_cell *cell)
{
    cell_real(cell, ((const row *)record)->us[c->offset]);
}

static void make_bytes(const void *record, table_cell *cell)
{
    cell_rounded(cell, ((const row *)record)->bytes);
}

static const table_column columns[] = {
    {"application", "Application", FIELD(row, application), .folding = FOLD_ROWS},
    {"platform", "Platform", FIELD(row, platform), .folding = FOLD_ROWS},
    {"processors", "Processors", FIELD(row, processors), .folding = FOLD_ROWS},
    {"nics", "NICs", FIELD(row, nics), .folding = FOLD_ROWS},
    {"mapping", "Mapping", FIELD(row, mapping), .folding = FOLD_ROWS},
    {"kind", "Kind", FIELD(row, kind), .folding = FOLD_ROWS},
    {"ranks", "Ranks", FIELD(row, ranks), .folding = FOLD_ROWS},
    {"size", "Communicator", FIELD(row, size), .folding = FOLD_ROWS},
    {"stride", "Stride", FIELD(row, stride), .folding = FOLD_ROWS},
    {"bytes", "Bytes", .make = make_bytes},
    {"called", NULL, FIELD(row, called)},
    {"algorithm", "Algorithm", .make_with = make_algorithm, .offset = AS_GIVEN},
    {"time_us", "Time us", .make_with = make_us, .offset = AS_GIVEN, .layout = COLUMN_RIGHT},
    {"fastest", "Fastest", .make_with = make_algorithm, .offset = FASTEST},
    {"fastest_us", "us", .make_with = make_us, .offset = FASTEST, .layout = COLUMN_RIGHT},
    {"open_mpi", "Open MPI's", .make_with = make_algorithm, .offset = OPEN_MPI},
    {"open_mpi_us", "us", .make_with = make_us, .offset = OPEN_MPI, .layout = COLUMN_RIGHT},
    {"mpich", "MPICH's", .make_with = make_algorithm, .offset = MPICH},
    {"mpich_us", "us", .make_with = make_us, .offset = MPICH, .layout = COLUMN_RIGHT},
    {"nccl", "NCCL's", .make_with = make_algorithm, .offset = NCCL}, /* the last two: OF_NCCL */
    {"nccl_us", "us", .make_with = make_us, .offset = NCCL, .layout = COLUMN_RIGHT},
};
enum { OF_NCCL = 2 };

static void make_change_from(const void *record, table_cell *cell)
{
    cell_rounded(cell, ((const change *)record)->from);
}

static const table_column change_columns[] = {
    {"application", "Application", FIELD(change, of.application), .folding = FOLD_ROWS,
     .layout = COLUMN_RIGHT},
    {"platform", "Platform", FIELD(change, of.platform), .folding = FOLD_ROWS,
     .layout = COLUMN_RIGHT},
    {"processors", "Processors", FIELD(change, of.processors), .folding = FOLD_ROWS},
    {"nics", "NICs", FIELD(change, of.nics), .folding = FOLD_ROWS},
    {"mapping", "Mapping", FIELD(change, of.mapping), .folding = FOLD_ROWS, .layout = COLUMN_RIGHT},
    {"kind", "Kind", FIELD(change, of.kind), .folding = FOLD_ROWS, .layout = COLUMN_RIGHT},
    {"size", "Communicator", FIELD(change, of.size), .folding = FOLD_ROWS},
    {"stride", "Stride", FIELD(change, of.stride), .folding = FOLD_ROWS},
    {"by", "Chosen by", FIELD(change, by)},
    {"algorithm", "Algorithm", FIELD(change, algorithm)},
    {"from_bytes", "From bytes", .make = make_change_from, .layout = COLUMN_RIGHT},
};

/* ---- times */

static scenario_collective as_chosen(const clump_scenario_call *call, int chooser, double bytes)
{
    scenario_collective c = call->collective;
    c.bytes = bytes;
    if (chooser != AS_GIVEN && !c.sends)
        c.chosen = chooser == FASTEST    ? SCENARIO_ALGORITHM_FASTEST
                   : chooser == OPEN_MPI ? SCENARIO_ALGORITHM_OPEN_MPI
                   : chooser == MPICH    ? SCENARIO_ALGORITHM_MPICH
                                         : SCENARIO_ALGORITHM_NCCL;
    return c;
}

/* Whether that one can say something of it: NCCL needs links of GPUs, and has no alltoall. */
static bool can_choose(const clump_scenario_call *call, int chooser)
{
    return chooser != NCCL ||
           (call->clump.nccl != NULL && call->collective.kind != CLUMP_COLLECTIVE_ALLTOALL);
}

/* A call of so many bytes: which algorithm, and how long. `way` receives the name of the algorithm. */
static clump_status time_of(const clump_scenario_call *call, int chooser, double bytes,
                            clump_collective_request *request, const char **way, double *us,
                            clump_error *error)
{
    const scenario_collective c = as_chosen(call, chooser, bytes);
    clump_collective_clump clump = call->clump;
    clump_collective_cost cost;
    clump.node = &call->node;
    clump_status status = scenario_collective_choose(&c, &clump, call->ranks, request, error);
    if (status == CLUMP_OK)
        status = scenario_collective_time(&c, &clump, request, &cost, error);
    if (status != CLUMP_OK)
        return status;
    *way = cost.way != NULL ? cost.way : clump_collective_algorithm_name(request->algorithm);
    *us = c.sends && request->size > 1 ? cost.us / (request->size - 1) : cost.us;
    return CLUMP_OK;
}

static clump_status fill(const clump_scenario_call *call, double bytes, row *r, clump_error *error)
{
    clump_collective_request request;
    clump_status status = CLUMP_OK;
    r->us[NCCL] = NAN;
    for (int k = CHOOSERS - 1; k >= 0 && status == CLUMP_OK; k--) { /* the given one is last */
        const char *way = NULL;
        if ((k > 0 && call->collective.sends) || !can_choose(call, k))
            continue;
        status = time_of(call, k, bytes, &request, &way, &r->us[k], error);
        r->algorithms[k] = call->collective.sends ? NULL : way;
    }
    for (int k = 1; k < CHOOSERS && call->collective.sends; k++)
        r->us[k] = NAN;
    if (status == CLUMP_OK) {
        r->size = request.size;
        r->stride = request.stride;
    }
    return status;
}

/* The same name is the same text. NULL: none. */
static const char *chosen_at(const clump_scenario_call *call, int chooser, double bytes)
{
    clump_collective_request request;
    const char *way = NULL;
    double us;
    return time_of(call, chooser, bytes, &request, &way, &us, NULL) == CLUMP_OK ? way : NULL;
}

/* Changes above `low` up to `high`, whole bytes, ascending; no more than some. */
static void find_changes(const clump_scenario_call *call, int chooser, double low, double high,
                         change *found, size_t *count)
{
    const char *const a = chosen_at(call, chooser, low), *const b = chosen_at(call, chooser, high);
    if (a == b || *count == MOST_CHANGES)
        return;
    if (high - low < 1.5) {
        found[*count].by = choosers[chooser];
        found[*count].algorithm = b;
        found[(*count)++].from = high;
        return;
    }
    const double middle = floor(low + (high - low) / 2);
    find_changes(call, chooser, low, middle, found, count);
    find_changes(call, chooser, middle, high, found, count);
}

static int add_changes(answer *a, const clump_scenario_call *call, const row *first, size_t rows)
{
    change found[MOST_CHANGES];
    for (int k = 0; k < CHOOSERS && !call->collective.sends; k++) {
        size_t count = 0;
        if (k == AS_GIVEN || rows == 0 || !can_choose(call, k)) /* named, or as one of the others */
            continue;
        found[count++] = (change){*first, choosers[k], first->algorithms[k], first->bytes};
        for (size_t i = 1; i < rows; i++)
            find_changes(call, k, first[i - 1].bytes, first[i].bytes, found, &count);
        change *more = realloc(a->changes, (a->change_count + count) * sizeof *more);
        if (more == NULL)
            return error_memory("collective");
        a->changes = more;
        for (size_t i = 0; i < count; i++) {
            found[i].of = *first;
            a->changes[a->change_count++] = found[i];
        }
    }
    return EXIT_DONE;
}

/* Ascending, each once; those of the call are among them. */
static size_t list_sizes(const settings *s, double own, double **sizes)
{
    const size_t given = s->sizes.count, most = (given > 0 ? given : 10) + 1;
    double *list = *sizes = malloc(most * sizeof *list);
    size_t count = given, kept = 0;
    if (list == NULL)
        return 0;
    for (size_t i = 0; i < given; i++)
        list[i] = s->sizes.values[i];
    for (double bytes = 8; given == 0 && bytes <= 0x1p30; bytes *= 8)
        list[count++] = bytes;
    if (given == 0)
        list[count++] = own;
    gsl_sort(list, 1, count);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || list[i] > list[kept - 1])
            list[kept++] = list[i];
    return kept;
}

static int add_call(const settings *s, answer *a, const clump_scenario_call *call)
{
    double *sizes;
    const size_t count = list_sizes(s, call->collective.bytes, &sizes);
    if (sizes == NULL)
        return error_memory("collective");
    int status = EXIT_DONE;
    for (size_t i = 0; i < count && status == EXIT_DONE; i++) {
        clump_error error;
        row *r = &a->rows[a->count++];
        *r = (row){
            .application = call->application,
            .platform = call->platform,
            .kind =
                call->collective.sends ? "send" : clump_collective_kind_name(call->collective.kind),
            .mapping = clump_mapping_name(call->node.mapping),
            .processors = call->node.processors,
            .nics = call->node.nics,
            .ranks = (size_t)call->ranks,
            .bytes = sizes[i],
            .count = call->collective.count,
            .called = !(sizes[i] < call->collective.bytes) && !(sizes[i] > call->collective.bytes)};
        const clump_status found = fill(call, sizes[i], r, &error);
        if (found != CLUMP_OK)
            status = found == CLUMP_BAD_ARGUMENT ? error_input("collective", "%s", error.message)
                                                 : error_failed("collective", "%s", error.message);
    }
    free(sizes);
    return status;
}

/* ---- all of a scenario */

static int complain(clump_scenario_status status, const char *message)
{
    return status == CLUMP_SCENARIO_BAD_INPUT ? error_input("collective", "%s", message)
                                              : error_failed("collective", "%s", message);
}

/* What is refused is told, and left out; nothing left is a mistake. */
static int add_all(const command_invocation *invocation, const settings *s,
                   const clump_scenario *scenario, answer *a)
{
    const size_t configurations = clump_scenario_configurations(scenario);
    const size_t each = (s->sizes.count > 0 ? s->sizes.count : 10) + 1;
    char message[1024] = "";
    size_t calls = 0, refused = 0;
    for (size_t i = 0; i < configurations && calls * each <= MOST_ROWS; i++)
        calls += clump_scenario_call_count(scenario, i);
    if (calls == 0)
        return error_input("collective", "the scenario has no application with collectives, "
                                         "expected one, as in application { collectives = "
                                         "collective { kind = \"allreduce\", bytes = 1e6 } }");
    if (calls * each > MOST_ROWS)
        return error_input("collective",
                           "the scenario has more than %d sizes of collectives on nodes, expected "
                           "fewer",
                           MOST_ROWS);
    a->rows = calloc(calls * each, sizeof *a->rows);
    if (a->rows == NULL)
        return error_memory("collective");
    int status = EXIT_DONE;
    for (size_t i = 0; i < configurations && status == EXIT_DONE; i++)
        for (size_t k = 0; k < clump_scenario_call_count(scenario, i) && status == EXIT_DONE; k++) {
            clump_scenario_call call;
            const size_t first = a->count;
            const clump_scenario_status found =
                clump_scenario_call_of(scenario, i, k, &call, message, sizeof message);
            if (found == CLUMP_SCENARIO_BAD_INPUT) {
                refused++;
                continue;
            }
            status = found == CLUMP_SCENARIO_OK ? add_call(s, a, &call) : complain(found, message);
            if (status == EXIT_DONE)
                status = add_changes(a, &call, &a->rows[first], a->count - first);
        }
    if (status == EXIT_DONE && a->count == 0)
        return error_input("collective", "%s", message);
    if (status == EXIT_DONE && refused > 0 && !invocation->quiet)
        note_print("collective", "%zu of %zu are left out: %s", refused, calls, message);
    return status;
}

static int print(const command_invocation *invocation, const clump_scenario *scenario,
                 const answer *a)
{
    bool nccl = invocation->format != FORMAT_TABLE;
    for (size_t i = 0; i < a->count; i++)
        nccl = nccl || a->rows[i].algorithms[NCCL] != NULL;
    table_rows times = {.key = "times", COLUMNS(columns), RECORDS(a->rows, a->count)};
    if (!nccl)
        times.column_count -= OF_NCCL;
    const table_rows changes = {
        .key = "crossovers", COLUMNS(change_columns), RECORDS(a->changes, a->change_count)};
    const output_field fields[] = {field_text("title", clump_scenario_title(scenario))};
    if (invocation->format == FORMAT_JSON) {
        const table_rows *const sets[] = {&times, &changes};
        return json_print(sets, 2, fields, 1);
    }
    if (invocation->format == FORMAT_CSV)
        return csv_print(&times);
    int status = table_print(&times);
    if (status == EXIT_DONE && a->change_count > 0) {
        puts("\nCrossovers: from which size on which algorithm is taken");
        status = table_print(&changes);
    }
    return status;
}

/* ---- as a schedule */

static bool write_text(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size;
}

static int write_goal(const command_invocation *invocation, const settings *s,
                      const clump_scenario *scenario)
{
    enum { MOST_OPERATIONS = 20000000 };
    clump_scenario_call call;
    clump_collective_request request;
    clump_schedule *schedule = NULL;
    output_file file;
    clump_error error;
    char message[1024];
    const char *way;
    double us;
    size_t i = 0;
    while (clump_scenario_call_count(scenario, i) == 0)
        i++;
    const clump_scenario_status found =
        clump_scenario_call_of(scenario, i, 0, &call, message, sizeof message);
    if (found != CLUMP_SCENARIO_OK)
        return complain(found, message);
    clump_status made =
        time_of(&call, AS_GIVEN, call.collective.bytes, &request, &way, &us, &error);
    if (made == CLUMP_OK)
        made = clump_schedule_collective(&request, call.node.processors, MOST_OPERATIONS, &schedule,
                                         &error);
    if (made != CLUMP_OK)
        return made == CLUMP_BAD_ARGUMENT ? error_input("collective", "%s", error.message)
                                          : error_failed("collective", "%s", error.message);
    int status = file_begin(invocation->arguments.command, s->goal, &file);
    if (status == EXIT_DONE) {
        clump_schedule_write(schedule, write_text, file.file);
        status = file_commit(&file);
    }
    clump_schedule_free(schedule);
    if (status == EXIT_DONE && !invocation->quiet)
        note_print("collective", "%s: %s of %.15g bytes, %s, %lu ranks on nodes of %zu", s->goal,
                   call.collective.sends ? "send" : clump_collective_kind_name(request.kind),
                   request.bytes, clump_collective_algorithm_name(request.algorithm),
                   (unsigned long)request.ranks, call.node.processors);
    return status;
}

/* ---- */

static int answer_scenario(const command_invocation *invocation, settings *s)
{
    clump_scenario *scenario = NULL;
    answer a = {.rows = NULL};
    char message[2048] = "";
    const clump_scenario_status prepared =
        clump_scenario_prepare(&s->scenario, &scenario, message, sizeof message);
    if (prepared != CLUMP_SCENARIO_OK)
        return complain(prepared, message);
    int status = add_all(invocation, s, scenario, &a);
    if (status == EXIT_DONE)
        status = print(invocation, scenario, &a);
    if (status == EXIT_DONE && s->goal != NULL)
        status = write_goal(invocation, s, scenario);
    free(a.rows);
    free(a.changes);
    clump_scenario_free(scenario);
    return status;
}

static int run(const command_invocation *invocation)
{
    const command_line *line = &invocation->arguments;
    settings *s = invocation->settings;
    char *path = NULL;
    if (line->operand_count == 0)
        return shipped_scenarios_answer(invocation);
    int status = scenario_find(line->command, line->operands[0], &path);
    if (status == EXIT_DONE)
        status = database_open(invocation, &s->scenario.store);
    if (status == EXIT_DONE) {
        s->scenario.path = path;
        status = answer_scenario(invocation, s);
    }
    clump_store_close(s->scenario.store);
    free(path);
    return status;
}

const command_entry command_collective = {
    .name = "collective",
    .operands = "[SCENARIO.lua]",
    .summary = "Times of a scenario's collectives by size: which algorithm, and crossovers",
    .text =
        "For each collective { ... } of the scenario's applications, on each of its nodes: how\n"
        "long a call takes, by size; with the algorithm of the scenario, the fastest one, and\n"
        "those that Open MPI, MPICH and (of GPUs, with a topology of the node) NCCL choose; and\n"
        "from which size on another one is taken.",
    .examples = "clumpmodel collective training-step\n"
                "clumpmodel collective training-step --sizes 1e6,1e8 --goal ring.goal",
    .tables =
        (const option_table[]){
            {definition_options, offsetof(settings, scenario)},
            {options, 0},
            {0},
        },
    .settings_size = sizeof(settings),
    .most_operands = 1,
    .run = run,
};
