/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* memfd_create */
#include "cli/command.h"
#include "cli/companion_files.h"
#include "cli/companions.h"
#include "cli/output/errors.h"
#include "cli/output/progress.h"
#include "recording/command/emulated_prediction.h"
#include "recording/command/mpi_program.h"
#include "recording/emulation/program_emulation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PRELOAD "libclumpdilate.so"
#define RECORDER "libclumprecord"

enum { LIBRARY_AUTO, LIBRARY_OPENMPI, LIBRARY_MPICH };
enum { MOST_LISTED = 16 };

typedef struct settings {
    unsigned nodes, processors;
    option_wholes nics;
    double rate_mbit, dilation, limit_seconds;
    unsigned mpi;
    bool check;
    const char *record;
    size_t repetitions;
    const char *log;
} settings;

static const option_entry entries[] = {
    {.name = "nodes",
     .help = "nodes of the Clump, 1 to 64 (default {})",
     OPTION_OF(settings, nodes),
     .from = 1,
     .to = CLUMP_NODES_MOST,
     .preset = "2"},
    {.name = "processors",
     .letter = 'P',
     .help = "processors of a node, each with a rank (default {}); its NOW\n"
             "has as many nodes as there are ranks, 64 at most",
     OPTION_OF(settings, processors),
     .from = 1,
     .to = CLUMP_NODES_MOST,
     .preset = "4"},
    {.name = "nics",
     .letter = 'N',
     .help = "NICs of a node: a Clump for each number, 1 to 16\n"
             "(default {})",
     OPTION_OF(settings, nics),
     .from = 1,
     .to = CLUMP_NODES_MOST_NICS,
     .preset = "1,2",
     .expected = "whole numbers from 1 to 16, such as 1,2,4"},
    {.name = "rate",
     .argument = "MBIT",
     .help = "rate of a NIC in each direction, in megabits a second of\n"
             "the program's time (default {})",
     OPTION_OF(settings, rate_mbit),
     .preset = "1000",
     .least = 1,
     .most = 100000,
     .expected = "megabits a second from 1 to 100000"},
    {.name = "dilation",
     .letter = 'D',
     .argument = "FACTOR",
     .help = "how many times slower time passes, 1 to 10000 (default:\n"
             "5 for each rank that a processor of this machine has to\n"
             "carry, at least 10)",
     OPTION_OF(settings, dilation),
     .least = 1,
     .most = 10000,
     .expected = "a number from 1 to 10000"},
    {.name = "mpi",
     .argument = "auto|openmpi|mpich",
     .help = "the library of the program (default {}: what its file asks\n"
             "for)",
     OPTION_AS(CHOICE, settings, mpi),
     .preset = "auto"},
    {.name = "repetitions",
     .letter = 'r',
     .help = "runs of each machine, 1 to 100 (default {})",
     OPTION_OF(settings, repetitions),
     .from = 1,
     .to = CLUMP_EMULATED_MOST_RUNS,
     .preset = "3"},
    {.name = "check",
     .help = "measure the rate of a NIC, run the NOW and the first Clump\n"
             "with twice the dilation, and two ranks without any",
     OPTION_OF(settings, check)},
    {.name = "record",
     .argument = "DIR",
     .help = "record a further run of each machine, in DIR/now, DIR/n1\n"
             "and so on, as clumpmodel record does",
     OPTION_OF(settings, record)},
    {.name = "time-limit",
     .argument = "SECONDS",
     .help = "real time that a run may take (default {})",
     OPTION_OF(settings, limit_seconds),
     .preset = "600",
     .least = 1,
     .most = 1e6,
     .expected = "seconds from 1 to 1000000"},
    {.name = "log",
     .help = "what the program prints, of all runs",
     OPTION_AS(OUTPUT, settings, log)},
    {0},
};

static const option_table tables[] = {{entries, 0}, {0}};

/* ---- what to run */

/** Texts that a plan points to. */
typedef struct places {
    char program[PATH_MAX], launcher[PATH_MAX], preload[PATH_MAX], recorder[PATH_MAX],
        folder[PATH_MAX];
    const char **command;
} places;

static int find_program(const command_invocation *invocation, places *p)
{
    const char *name = invocation->command->name, *program = invocation->arguments.operands[0];
    if (mpi_is_launcher(program) || strcmp(program, "srun") == 0)
        return error_usage(name,
                           "found '%s', expected the program alone: emulate starts it on its nodes",
                           program);
    if (!program_find(program, p->program))
        return error_usage(name, "found '%s', which is no program that can be run%s", program,
                           strchr(program, '/') == NULL && access(program, X_OK) == 0
                               ? "; one of this folder is written ./NAME"
                               : "");
    return EXIT_DONE;
}

/* LD_PRELOAD is divided at blanks and colons, and has no way to write them. */
static int check_preload(const char *command, const char *path)
{
    return strpbrk(path, " :") == NULL
               ? EXIT_DONE
               : error_failed(command,
                              "LD_PRELOAD cannot hold '%.200s': expected a path without blanks "
                              "and colons",
                              path);
}

static int find_library(const command_invocation *invocation, places *p, bool *mpich)
{
    const settings *s = invocation->settings;
    const char *name = invocation->command->name;
    const mpi_kind found = mpi_program_kind(p->program);
    const mpi_kind library = s->mpi == LIBRARY_MPICH     ? MPI_KIND_MPICH
                             : s->mpi == LIBRARY_OPENMPI ? MPI_KIND_OPENMPI
                                                         : found;
    if (library == MPI_KINDS)
        return error_usage(name,
                           "'%s' does not tell its MPI library: --mpi openmpi or --mpi mpich does",
                           invocation->arguments.operands[0]);
    if (found != MPI_KINDS && found != library)
        return error_usage(name, "--mpi: found %s, but '%s' is linked with %s",
                           mpi_kind_name(library), invocation->arguments.operands[0],
                           mpi_kind_title(found));
    *mpich = library == MPI_KIND_MPICH;
    if (!mpi_launcher_find(library, p->launcher))
        return error_failed(name, "%s",
                            *mpich ? "mpirun.mpich is missing: install mpich"
                                   : "mpirun.openmpi is missing: install openmpi-bin");
    if (!companion_find(PRELOAD, p->preload))
        return error_failed(name, PRELOAD " is missing: install clumpmodel anew");
    return check_preload(name, p->preload);
}

static int choose_dilation(const command_invocation *invocation, double *dilation)
{
    const settings *s = invocation->settings;
    const char *name = invocation->command->name;
    const double processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
    const double ranks = (double)s->nodes * s->processors, share = ranks / processors;
    *dilation = s->dilation > 0 ? s->dilation : fmax(10, ceil(5 * share));
    if (*dilation < share)
        return error_usage(
            name,
            "--dilation: found %.6g, expected at least %.0f: %.0f ranks that compute "
            "all the time need that on %.0f processors",
            *dilation, ceil(2 * share), ranks, processors);
    if (*dilation < 2 * share)
        note_print(name,
                   "if all %.0f ranks compute all the time they need %.0f%% of this machine's %.0f "
                   "processors; a --dilation of %.0f leaves room",
                   ranks, 100 * share / *dilation, processors, ceil(5 * share));
    return EXIT_DONE;
}

static int open_log(const command_invocation *invocation, int *log)
{
    const settings *s = invocation->settings;
    *log = s->log != NULL ? open(s->log, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666)
                          : memfd_create("output", MFD_CLOEXEC);
    if (*log >= 0)
        return EXIT_DONE;
    return error_failed(invocation->command->name, "--log: cannot write '%.200s': %s",
                        s->log != NULL ? s->log : "memory", strerror(errno));
}

/* Ranks may change their folder: it is named in full, and made. */
static int prepare_record(const command_invocation *invocation, places *p, bool mpich)
{
    const settings *s = invocation->settings;
    const char *name = invocation->command->name;
    char first[PATH_MAX + 8];
    int status =
        mpi_library_find(name, RECORDER, mpich ? MPI_KIND_MPICH : MPI_KIND_OPENMPI, p->recorder);
    if (status == EXIT_DONE)
        status = check_preload(name, p->recorder);
    if (status != EXIT_DONE)
        return status;
    if (mkdir(s->record, 0777) != 0 && errno != EEXIST)
        return error_failed(name, "--record: cannot make '%.200s': %s", s->record, strerror(errno));
    if (realpath(s->record, p->folder) == NULL)
        return error_failed(name, "--record: cannot use '%.200s': %s", s->record, strerror(errno));
    snprintf(first, sizeof first, "%s/now", p->folder);
    if (access(first, F_OK) == 0)
        return error_usage(name, "--record: found recordings in '%.200s', expected another folder",
                           s->record);
    return EXIT_DONE;
}

static int make_plan(const command_invocation *invocation, places *p,
                     clump_mpi_emulation_plan *plan)
{
    const settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    if (s->nodes * s->processors > CLUMP_NODES_MOST)
        return error_usage(invocation->command->name,
                           "found %u ranks, expected at most %d: each has a node of the NOW",
                           s->nodes * s->processors, (int)CLUMP_NODES_MOST);
    *plan = (clump_mpi_emulation_plan){.nodes = s->nodes,
                                       .processors = s->processors,
                                       .rate_mbit = s->rate_mbit,
                                       .launcher = p->launcher,
                                       .preloads = p->preload,
                                       .log = -1,
                                       .limit_seconds = s->limit_seconds};
    int status = find_program(invocation, p);
    if (status == EXIT_DONE)
        status = find_library(invocation, p, &plan->mpich);
    if (status == EXIT_DONE)
        status = choose_dilation(invocation, &plan->dilation);
    if (status != EXIT_DONE)
        return status;
    p->command = calloc(line->operand_count + 1, sizeof *p->command);
    if (p->command == NULL)
        return error_memory(invocation->command->name);
    if (s->record != NULL && (status = prepare_record(invocation, p, plan->mpich)) != EXIT_DONE)
        return status;
    memcpy(p->command, line->operands, line->operand_count * sizeof *p->command);
    plan->command = (char *const *)(uintptr_t)p->command;
    return open_log(invocation, &plan->log);
}

/* ---- the answer */

typedef struct row {
    const clump_emulated_result *result;
    const clump_mpi_emulation_question *question;
    double predicted, error; /**< NAN: not known */
} row;

static const void *result_of(const void *record)
{
    return ((const row *)record)->result;
}

static const void *question_of(const void *record)
{
    return ((const row *)record)->question;
}

static void make_ranks(const void *plan, table_cell *cell)
{
    const clump_mpi_emulation_question *q = plan;
    cell_whole(cell, (int64_t)q->plan.nodes * q->plan.processors);
}

static void make_library(const void *record, table_cell *cell)
{
    const clump_mpi_emulation_question *q = record;
    cell_text(cell, q->plan.mpich ? "MPICH" : "Open MPI");
}

static bool is_predicted(const void *record)
{
    return !isnan(((const row *)record)->predicted);
}

#define RESULT(member) FIELD(clump_emulated_result, member), .of = result_of
#define QUESTION(member) FIELD(clump_mpi_emulation_question, member), .of = question_of

static const table_column columns[] = {
    {"mpi", "MPI", .make = make_library, .of = question_of, .folding = FOLD_ALWAYS,
     .layout = COLUMN_LEFT},
    {"nodes", "Nodes", QUESTION(plan.nodes), .folding = FOLD_ALWAYS},
    {"processors", "Processors a node", QUESTION(plan.processors), .folding = FOLD_ALWAYS},
    {"ranks", NULL, .make = make_ranks, .of = question_of},
    {"rate_mbit", "Mbit/s of a NIC", QUESTION(plan.rate_mbit), .folding = FOLD_ALWAYS},
    {"dilation", "Time dilated by", QUESTION(plan.dilation), .folding = FOLD_ALWAYS},
    {"repetitions", "Repetitions", QUESTION(repetitions), .folding = FOLD_ALWAYS},
    {"nics", "NICs", RESULT(nics)},
    {"clump_s", "Clump s", RESULT(clump.mean)},
    {"now_s", "NOW s", QUESTION(now.mean)},
    {"slowdown", "Slowdown", NUMBER_RATIO, RESULT(slowdown)},
    {"half_width", "95%", NUMBER_RATIO, RESULT(half_width)},
    {"predicted", "Predicted", NUMBER_RATIO, FIELD(row, predicted), .worth = is_predicted},
    {"error", "Error", NUMBER_SIGNED, FIELD(row, error), .worth = is_predicted},
    {"nic_use", "NICs busy", NUMBER_PERCENT, RESULT(clump.worst.nic_use)},
    {"busiest_nic", "Busiest", NUMBER_PERCENT, RESULT(clump.worst.busiest_nic)},
    {"now_nic_use", "NOW's busy", NUMBER_PERCENT, QUESTION(now.worst.nic_use)},
    {"late", "Late", NUMBER_PERCENT, RESULT(clump.worst.late)},
    {"now_late", NULL, QUESTION(now.worst.late)},
    {"latest_s", NULL, RESULT(clump.worst.latest)},
    {"processor_use", "Processors used", RESULT(clump.worst.processor_use)},
    {"now_processor_use", NULL, QUESTION(now.worst.processor_use)},
    {"work_s", NULL, RESULT(clump.worst.work)},
    {"wait_s", NULL, RESULT(clump.worst.wait)},
    {"calls", NULL, RESULT(clump.worst.calls)},
    {"bytes", NULL, RESULT(clump.worst.bytes)},
    {"now_bytes", NULL, QUESTION(now.worst.bytes)},
    {"sent_again", NULL, RESULT(clump.worst.again)},
    {"machine_busy", "Machine busy", NUMBER_PERCENT, RESULT(clump.worst.machine_busy)},
    {"machine_taken", NULL, RESULT(clump.worst.machine_taken)},
    {"doubt", NULL, FIELD_ARRAY(clump_emulated_result, doubt), .of = result_of},
};

static void tell_doubts(const command_invocation *invocation, const clump_mpi_emulation_question *q)
{
    const char *name = invocation->command->name;
    for (size_t r = 0; r < q->result_count; r++)
        if (q->results[r].doubt[0] != '\0')
            note_print(name, "N=%u is doubtful: %s", q->results[r].nics, q->results[r].doubt);
    if (!q->now.worst.finalized)
        note_print(name, "not all ranks came to MPI_Finalize: times end where the ranks ended");
}

static void tell_checks(const clump_mpi_emulation_question *q)
{
    const clump_mpi_emulation_checks *c = &q->checks;
    printf(
        "\nA NIC alone runs at %.1f%% of its rate. With twice the dilation the NOW's time differs "
        "by %+.1f%%,\nthat of the Clump with N=%u by %+.1f%%.\n",
        100 * c->rate, 100 * c->now_twice, q->results[0].nics, 100 * c->clump_twice);
    if (isnan(c->two_dilated))
        printf("With two ranks the program does not run.\n");
    else if (c->two_late > CLUMP_EMULATED_MOST_LATE)
        printf(
            "Two ranks without dilation tell nothing: their computations ended late by %.1f%% of "
            "the time.\n",
            100 * c->two_late);
    else
        printf("Two ranks take %+.1f%% with dilation, against without.\n", 100 * c->two_dilated);
}

/* From the recording of the NOW, if there is one. */
static void predict(const command_invocation *invocation, const clump_mpi_emulation_question *q,
                    row *list)
{
    char now[PATH_MAX + 8], why[EMULATED_WHY_SIZE] = "";
    unsigned nics[MOST_LISTED];
    double predicted[MOST_LISTED];
    for (size_t r = 0; r < q->result_count; r++) {
        nics[r] = q->results[r].nics;
        predicted[r] = NAN;
    }
    snprintf(now, sizeof now, "%s/now", q->folder);
    if (q->recorder != NULL)
        emulated_predict(now, &q->plan, nics, q->result_count, predicted, why);
    for (size_t r = 0; r < q->result_count; r++)
        list[r] = (row){&q->results[r], q, predicted[r], predicted[r] / q->results[r].slowdown - 1};
    if (why[0] != '\0')
        note_print(invocation->command->name, "%s", why);
}

static int show(const command_invocation *invocation, const clump_mpi_emulation_question *q)
{
    row list[MOST_LISTED];
    predict(invocation, q, list);
    const table_rows rows = {.key = "results", COLUMNS(columns), RECORDS(list, q->result_count)};
    const clump_mpi_emulation_checks *c = &q->checks;
    const output_field fields[] = {
        field_real("nic_rate", c->rate), field_real("now_at_twice", c->now_twice),
        field_real("clump_at_twice", c->clump_twice),
        field_real("two_ranks_dilated", c->two_dilated), field_real("two_ranks_late", c->two_late)};
    const int status =
        output_print(invocation->format, &rows, fields, sizeof fields / sizeof *fields);
    if (status == EXIT_DONE && q->check && invocation->format == FORMAT_TABLE)
        tell_checks(q);
    tell_doubts(invocation, q);
    return status;
}

/* The last lines of what the program printed: they often say why it failed. */
static void show_tail(int log)
{
    char text[2048];
    const off_t size = lseek(log, 0, SEEK_END), from = size > 2000 ? size - 2000 : 0;
    const ssize_t length = pread(log, text, sizeof text - 1, from);
    if (length <= 0)
        return;
    text[length] = '\0';
    const char *begin = from > 0 && strchr(text, '\n') != NULL ? strchr(text, '\n') + 1 : text;
    for (char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' && *at != '\n' && *at != '\t')
            *at = '?';
    fprintf(stderr, "What the program printed last:\n%s%s", begin,
            text[length - 1] == '\n' ? "" : "\n");
}

static bool watch(size_t done, size_t total, const char *what, void *context)
{
    progress_note(context, (double)done / (double)total, what);
    return false;
}

static int emulate(const command_invocation *invocation, clump_mpi_emulation_question *q)
{
    char message[CLUMP_MPI_EMULATION_MESSAGE_BYTES];
    progress_bar bar;
    progress_start(&bar, invocation->quiet);
    q->watch = watch;
    q->context = &bar;
    const clump_protocol_status status = clump_mpi_emulate(q, message);
    progress_clear(&bar);
    if (status == CLUMP_PROTOCOL_OK)
        return show(invocation, q);
    error_failed(invocation->command->name, "%s", message);
    show_tail(q->plan.log);
    return EXIT_FAILED;
}

static int run(const command_invocation *invocation)
{
    const settings *s = invocation->settings;
    places p = {.command = NULL};
    clump_mpi_emulation_question q = {.repetitions = s->repetitions, .result_count = s->nics.count};
    if (s->nics.count > MOST_LISTED)
        return error_usage(invocation->command->name,
                           "--nics: found %zu numbers, expected at most %d", s->nics.count,
                           (int)MOST_LISTED);
    int status = make_plan(invocation, &p, &q.plan);
    if (status == EXIT_DONE) {
        q.results = calloc(q.result_count, sizeof *q.results);
        q.check = s->check;
        q.recorder = s->record != NULL ? p.recorder : NULL;
        q.folder = p.folder;
        for (size_t r = 0; q.results != NULL && r < q.result_count; r++)
            q.results[r].nics = (unsigned)s->nics.values[r];
        status =
            q.results != NULL ? emulate(invocation, &q) : error_memory(invocation->command->name);
    }
    if (q.plan.log >= 0)
        close(q.plan.log);
    free(q.results);
    free(p.command);
    return status;
}

const command_entry command_emulate = {
    .name = "emulate",
    .operands = "-- PROGRAM [ARGUMENT]...",
    .summary = EMULATE_SUMMARY,
    .text =
        "Runs an MPI program as it is, under Open MPI or MPICH, on an emulated Clump (processors "
        "of\n"
        "a node share its NICs) for each number of NICs, and on its NOW (every processor has a\n"
        "node and a NIC of its own). Nodes are network namespaces, NICs are veth pairs with token\n"
        "buckets. Time passes slower, so that few processors carry many ranks: a preloaded "
        "library\n"
        "stretches computation, waits sleep, and NICs are slower by the same factor. Times and\n"
        "rates are those that the program sees. Needs Linux, iproute2, and root or user\n"
        "namespaces; nothing remains in the system.",
    .examples = "clumpmodel emulate --nodes 2 --processors 4 --nics 1,2,4 -- ./app\n"
                "clumpmodel emulate --nics 1 --rate 200 --dilation 40 -- lmp -in melt.in",
    .tables = tables,
    .settings_size = sizeof(settings),
    .least_operands = 1,
    .most_operands = 4096,
    .run = run,
};
