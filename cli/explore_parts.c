/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_command.h"

#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "cli/output/file_output.h"
#include "cli/output/interrupt.h"
#include "exploring/sweep.h"

#include <stdlib.h>
#include <string.h>

/* ---- which share */

static bool read_environment(const char *name, uint64_t *number)
{
    const char *text = getenv(name);
    return text != NULL && whole_parse(text, 0, UINT32_MAX, number);
}

/* Who started this process among others: names of its number from 0, and of how many there are. */
static const char *const launchers[][2] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
    /* Of a step: a batch script itself is task 0 of as many as it may start. */
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
};

/* The number of this process from 0, and how many there are; 0 of 1 if nobody says so. */
static void find_process(uint64_t *number, uint64_t *count)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (read_environment(launchers[i][0], number) && read_environment(launchers[i][1], count))
            return;
    *number = 0;
    *count = 1;
}

/* The same of the jobs of a Slurm array. */
static void find_job(uint64_t *number, uint64_t *count)
{
    uint64_t id, least, step;
    const bool found = read_environment("SLURM_ARRAY_TASK_ID", &id) &&
                       read_environment("SLURM_ARRAY_TASK_MIN", &least) &&
                       read_environment("SLURM_ARRAY_TASK_COUNT", count);
    if (!read_environment("SLURM_ARRAY_TASK_STEP", &step) || step == 0)
        step = 1;
    *number = found && id >= least ? (id - least) / step : 0;
    if (!found)
        *count = 1;
}

static int read_launched(command_line *line, clump_explore_share *share)
{
    uint64_t process, processes, job, jobs;
    find_process(&process, &processes);
    find_job(&job, &jobs);
    const uint64_t count = jobs * processes, number = job * processes + process + 1;
    if (count <= 1)
        return error_usage(line->command,
                           "--shard auto: found no numbers of srun, mpirun or a Slurm array in the "
                           "environment, expected to be started by one of them, or --shard K/N");
    if (process >= processes || job >= jobs || count > CLUMP_EXPLORE_MOST_PARTS)
        return error_usage(
            line->command,
            "--shard auto: found part %llu of %llu in the environment, expected 1 to "
            "%d parts that are numbered without gaps",
            (unsigned long long)number, (unsigned long long)count, CLUMP_EXPLORE_MOST_PARTS);
    *share = (clump_explore_share){(uint32_t)number, (uint32_t)count};
    return EXIT_DONE;
}

static int read_share(command_line *line, const option_entry *option, const char *text, void *field)
{
    clump_explore_share *share = field;
    char first[ITEM_SIZE] = "";
    uint64_t number, count;
    const char *slash = strchr(text, '/');
    if (strcmp(text, "auto") == 0)
        return read_launched(line, share);
    if (slash != NULL && (size_t)(slash - text) < sizeof first)
        memcpy(first, text, (size_t)(slash - text));
    if (slash == NULL || !whole_parse(slash + 1, 1, CLUMP_EXPLORE_MOST_PARTS, &count) ||
        !whole_parse(first, 1, count, &number))
        return option_wrong(line, option->name, text,
                            "K/N, part K of N, such as 1/7 to 7/7, at most 1000; or auto");
    *share = (clump_explore_share){(uint32_t)number, (uint32_t)count};
    return EXIT_DONE;
}

const option_entry part_entries[] = {
    {.name = "shard",
     .argument = "K/N|auto",
     .help = "compute only part K of N and write it to a file; auto: the\n"
             "number of this process among those of srun, mpirun or a\n"
             "Slurm array. What chooses and shows rows is left to --merge",
     OPTION_READ(read_share, part_options, share)},
    {.name = "part",
     .help = "the file of --shard (default: SCENARIO.K-of-N.part)",
     OPTION_AS(OUTPUT, part_options, file)},
    {.name = "merge",
     .help = "take the rows from all parts, which follow the scenario,\n"
             "instead of computing them; with the same options",
     OPTION_OF(part_options, merge)},
    {0},
};

int part_options_check(const command_line *line, const part_options *o)
{
    static const char *const other_answers[] = {"sensitivity", "break-even"};
    const char *given = o->merge ? "merge" : "shard";
    if (!o->merge && line->operand_count > 1)
        return error_usage(line->command, "found '%.80s', expected nothing more",
                           line->operands[1]);
    if (!o->merge && o->share.count == 0)
        return o->file != NULL
                   ? error_usage(line->command, "--shard is missing, expected it beside --part")
                   : EXIT_DONE;
    if (o->merge && o->share.count > 0)
        return error_usage(line->command, "--merge: found --shard beside it, expected one of them");
    if (o->merge && line->operand_count < 2)
        return error_usage(line->command,
                           "--merge: found no parts, expected the files of --shard after the "
                           "scenario");
    for (size_t i = 0; i < sizeof other_answers / sizeof *other_answers; i++)
        if (option_is_given(line, other_answers[i]))
            return error_usage(line->command,
                               "--%s: found --%s beside it, expected a sweep: only its rows can be "
                               "computed in parts",
                               given, other_answers[i]);
    return EXIT_DONE;
}

int explore_complain(const command_invocation *invocation, clump_explore_status status,
                     const clump_explorer *e, const char *stopped)
{
    const char *command = invocation->command->name;
    switch (status) {
    case CLUMP_EXPLORE_OK:
        return EXIT_DONE;
    case CLUMP_EXPLORE_INTERRUPTED:
        return interrupt_told(command, stopped);
    case CLUMP_EXPLORE_BAD_SETTING:
        return error_usage(command, "%s", e->message);
    case CLUMP_EXPLORE_BAD_INPUT:
        return error_input(command, "%s", e->message);
    default:
        return memory_limit_told(command, status == CLUMP_EXPLORE_NO_MEMORY, e->message);
    }
}

/* ---- the question that all parts and who joins them have in common */

/* Options that say what a row is, and which rows there are. The others choose, show or limit. */
static bool is_of_question(const char *name)
{
    static const char *const all[] = {
        "define",       "sweep",     "each",  "node-price", "nic-price", "port-price", "of",
        "max-slowdown", "uncertain", "draws", "percentile", "seed",      "inputs"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    return false;
}

/* On the heap; NULL: no memory. In the order of the table: only that of equal options matters. */
static char *make_question(const command_line *line)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    const option_entry *option;
    if (stream == NULL)
        return NULL;
    fputs("clumpmodel explore\n", stream);
    for (size_t i = 0; (option = option_at(line->tables, i)) != NULL; i++)
        for (size_t k = 0; k < line->given_count; k++)
            if (line->given[k].entry == option && is_of_question(option->name))
                fprintf(stream, "--%s %s\n", option->name, line->given[k].value);
    const bool failed = ferror(stream);
    if (fclose(stream) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

int parts_open(const command_line *line, const part_options *o, clump_provenance *inputs,
               clump_explore_parts **parts)
{
    char message[CLUMP_EXPLORE_MESSAGE];
    *parts = NULL;
    if (!o->merge)
        return EXIT_DONE;
    char *question = make_question(line);
    if (question == NULL)
        return error_memory(line->command);
    const clump_explore_status status = clump_explore_parts_open(
        line->operands + 1, line->operand_count - 1, question, inputs, parts, message);
    free(question);
    return status == CLUMP_EXPLORE_OK
               ? EXIT_DONE
               : error_told(line->command, status == CLUMP_EXPLORE_BAD_INPUT, message);
}

/* ---- a part */

/* "nics-per-node.3-of-7.part", in the current folder; on the heap. */
static char *name_part(const char *scenario, clump_explore_share share)
{
    const char *slash = strrchr(scenario, '/'), *name = slash != NULL ? slash + 1 : scenario;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".lua") == 0)
        length -= 4;
    if (strcmp(name, "-") == 0) {
        name = "explore";
        length = strlen(name);
    }
    char *path = malloc(length + 40);
    if (path != NULL)
        snprintf(path, length + 40, "%.*s.%u-of-%u.part", (int)length, name, share.number,
                 share.count);
    return path;
}

typedef struct part_record {
    size_t number, count, records;
    const char *file;
} part_record;

static const table_column columns[] = {
    {"part", "Part", FIELD(part_record, number)},
    {"parts", "of", FIELD(part_record, count)},
    {"records", "Records", FIELD(part_record, records)},
    {"file", "File", FIELD(part_record, file)},
};

/* Into the file of that name. */
static int compute(const command_invocation *invocation, const part_options *o, clump_explorer *e,
                   progress_bar *bar, const char *path, uint64_t *records)
{
    const char *command = invocation->command->name;
    clump_explore_part *part = NULL;
    char *question = make_question(&invocation->arguments);
    if (question == NULL)
        return error_memory(command);
    clump_explore_status status = clump_explore_part_begin(
        path, o->share, question, e->settings.scenario.provenance, &part, e->message);
    free(question);
    if (status == CLUMP_EXPLORE_OK)
        status = clump_explore_sweep(
            e, &(clump_explore_taker){.take = clump_explore_part_row, .context = part});
    progress_clear(bar);
    char message[CLUMP_EXPLORE_MESSAGE];
    const clump_explore_status ended =
        clump_explore_part_end(part, status == CLUMP_EXPLORE_OK, records, message);
    if (ended != CLUMP_EXPLORE_OK)
        return ended == CLUMP_EXPLORE_NO_MEMORY ? error_memory(command)
                                                : error_failed(command, "%s", message);
    return explore_complain(invocation, status, e, "the part is not written");
}

int part_compute(const command_invocation *invocation, const part_options *o, clump_explorer *e,
                 progress_bar *bar)
{
    const char *command = invocation->command->name;
    char *named = o->file == NULL ? name_part(invocation->arguments.operands[0], o->share) : NULL;
    const char *path = o->file != NULL ? o->file : named;
    uint64_t records = 0;
    output_file file;
    int status = path == NULL ? error_memory(command) : file_begin(command, path, &file);
    if (status == EXIT_DONE) {
        status = file.temporary != NULL
                     ? compute(invocation, o, e, bar, file.temporary, &records)
                     : error_input(command, "--part: found '%.200s', expected a file", path);
        if (status == EXIT_DONE)
            status = file_commit(&file);
        else
            file_abandon(&file);
    }
    if (status == EXIT_DONE) {
        const part_record record = {o->share.number, o->share.count, (size_t)records, path};
        const table_rows rows = {.key = "parts", COLUMNS(columns), RECORDS(&record, 1)};
        status = output_print(invocation->format, &rows, NULL, 0);
    }
    free(named);
    return status;
}
