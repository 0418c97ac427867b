/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel record`: run an MPI program with our library preloaded, and look at what it recorded. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/command.h"
#include "cli/companions.h"
#include "cli/memory_limit.h"
#include "cli/output/errors.h"
#include "cli/output/standard_output.h"
#include "data/owned.h"
#include "recording/command/mpi_program.h"
#include "recording/command/record_export.h"
#include "recording/command/record_plot.h"
#include "recording/command/recording_read.h"
#include "recording/command/report_show.h"
#include "recording/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIBRARY "libclumprecord"
#define DEFAULT_FOLDER "clumpmodel-recording"

typedef struct record_settings {
    const char *mpi;
    const char *report;
    uint64_t trace_limit;
    double flush;
    const char *export, *budget;
    recorded_choices choices;
    plot_request plot;
} record_settings;

static const option_entry options[] = {
    {.name = "mpi",
     .argument = "openmpi|mpich",
     .help = "MPI library of the program (default: found out from the program,\n"
             "or from mpirun)",
     OPTION_AS(WORD, record_settings, mpi)},
    {.name = "trace-limit",
     .help = "how much a rank writes of its single calls; totals go on to the\n"
             "end (0: totals only; default: {})",
     OPTION_AS(BYTES, record_settings, trace_limit),
     .to = UINT64_C(1) << 50,
     .preset = "64M",
     .expected = "a number of bytes, with K, M, G for powers of 1024"},
    {.name = "flush",
     .argument = "SECONDS",
     .help = "how often what was recorded is written: a program that is\n"
             "killed leaves that much less (default: {})",
     OPTION_OF(record_settings, flush),
     .least = 0.001,
     .most = 86400,
     .preset = "1"},
    {.name = "report",
     .argument = "DIR",
     .help = "run nothing: show where the time went in this recording",
     OPTION_OF(record_settings, report)},
    {.name = "budget",
     .argument = "PARTS",
     .help = "of --report: " BUDGET_HELP,
     OPTION_OF(record_settings, budget)},
    {.name = "export",
     .argument = "goal|perfetto",
     .help = "run nothing: write the recording whose folder follows for other\n"
             "programs, to the file of --output",
     OPTION_AS(WORD, record_settings, export)},
    {.name = "gaps",
     .argument = "processor|wall",
     .help = "of --export goal: what ranks do between calls of MPI is their\n"
             "processor time, or all of the time (default: {})",
     OPTION_AS(CHOICE, record_settings, choices.gaps),
     .preset = "processor"},
    {.name = "collectives",
     .argument = "recorded|openmpi|mpich",
     .help = "of --export goal: whose algorithms make messages of collectives\n"
             "(default: {})",
     OPTION_AS(CHOICE, record_settings, choices.collectives),
     .preset = "recorded"},
    {0},
};

static const option_table tables[] = {
    {options, 0}, {plot_options, offsetof(record_settings, plot)}, {0}};

/* ---- the folder */

static bool is_empty(DIR *directory)
{
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return false;
    return true;
}

/* The folder is empty, and nobody else is about to record into it: it stays locked, if its file system knows locks, until we end. */
static int own_folder(const char *command, const char *name, char folder[PATH_MAX])
{
    const int file = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = file >= 0 ? opendir(name) : NULL;
    if (directory == NULL || realpath(name, folder) == NULL) {
        const int reason = errno;
        if (directory != NULL)
            closedir(directory);
        if (file >= 0)
            close(file);
        return error_input(command, "--output: '%.200s': %s, expected a new folder", name,
                           strerror(reason));
    }
    const bool taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    const bool empty = is_empty(directory);
    closedir(directory);
    if (!taken && empty)
        return EXIT_DONE;
    close(file);
    return taken ? error_input(command,
                               "--output: another 'record' writes to '%.200s', expected a folder "
                               "of its own",
                               name)
                 : error_input(command,
                               "--output: '%.200s' is there and not empty, expected a new folder",
                               name);
}

/* A folder that no recording is in: the one that was asked for, or the first of the default names. */
static int make_folder(const command_invocation *invocation, char folder[PATH_MAX])
{
    const char *command = invocation->command->name;
    const char *wanted = invocation->output;
    char name[PATH_MAX];
    for (int i = 1; i < 10000; i++) {
        if (wanted != NULL || i == 1)
            snprintf(name, sizeof name, "%s", wanted != NULL ? wanted : DEFAULT_FOLDER);
        else
            snprintf(name, sizeof name, DEFAULT_FOLDER "-%d", i);
        if (mkdir(name, 0777) == 0)
            break;
        if (errno == EEXIST && wanted == NULL)
            continue;
        if (errno != EEXIST)
            return error_input(command, "cannot make the folder '%.200s': %s", name,
                               strerror(errno));
        break;
    }
    return own_folder(command, name, folder);
}

/* ---- running */

/* The words with "-x NAME" behind Open MPI's launcher, which takes no other variables to other nodes. Texts are shared. */
static const char **add_variables(const command_line *line, mpi_kind kind)
{
    static const char *const names[] = {"LD_PRELOAD", "CLUMPMODEL_RECORD",
                                        "CLUMPMODEL_RECORD_TRACE", "CLUMPMODEL_RECORD_FLUSH"};
    const size_t variables = sizeof names / sizeof *names;
    const char **words = calloc(line->operand_count + 2 * variables + 1, sizeof *words);
    size_t count = 0;
    bool added = kind != MPI_KIND_OPENMPI;
    if (words == NULL)
        return NULL;
    for (size_t i = 0; i < line->operand_count; i++) {
        words[count++] = line->operands[i];
        if (added || !mpi_is_launcher(line->operands[i]))
            continue;
        for (size_t k = 0; k < variables; k++) {
            words[count++] = "-x";
            words[count++] = names[k];
        }
        added = true;
    }
    return words;
}

static int set_variables(const command_invocation *invocation, const char *library,
                         const char *folder)
{
    const record_settings *s = invocation->settings;
    const char *before = getenv("LD_PRELOAD");
    char preload[2 * PATH_MAX], number[40];
    const bool more = before != NULL && *before != '\0';
    const int used =
        snprintf(preload, sizeof preload, "%s%s%s", library, more ? ":" : "", more ? before : "");
    if (used < 0 || (size_t)used >= sizeof preload || strpbrk(library, " :") != NULL)
        return error_failed(invocation->command->name,
                            "LD_PRELOAD cannot hold '%.200s': expected a shorter path without "
                            "blanks and colons",
                            library);
    bool set = setenv("LD_PRELOAD", preload, 1) == 0 && setenv("CLUMPMODEL_RECORD", folder, 1) == 0;
    snprintf(number, sizeof number, "%" PRIu64, s->trace_limit);
    set = set && setenv("CLUMPMODEL_RECORD_TRACE", number, 1) == 0;
    snprintf(number, sizeof number, "%g", s->flush);
    set = set && setenv("CLUMPMODEL_RECORD_FLUSH", number, 1) == 0;
    return set ? EXIT_DONE : error_memory(invocation->command->name);
}

static volatile sig_atomic_t running; /* process; 0: none */

static void pass_on(int signal_number)
{
    if (running > 0)
        kill(running, signal_number);
}

/* Run it to its end; ^C goes to it and not to us. Returns its exit code, 128 and the signal if it was killed. */
static int run_program(const char *command, const char **words, int *code)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on}, before[4];
    static const int signals[4] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    /* A launcher ends its ranks when it is asked to end. */
    const clump_child_plan plan = {
        .words = words,
        .streams = {CLUMP_STREAM_KEPT, CLUMP_STREAM_KEPT, CLUMP_STREAM_KEPT},
        .signal = SIGTERM};
    pid_t child;
    int status = 0;
    fflush(NULL);
    const int wrong = clump_child_start(&plan, &child);
    if (wrong == 0) {
        running = child;
        for (int i = 0; i < 4; i++) {
            sigaction(signals[i], i < 2 ? &ignore : NULL, &before[i]);
            if (i >= 2 && before[i].sa_handler != SIG_IGN)
                sigaction(signals[i], &pass, NULL);
        }
        status = clump_child_wait(child);
        running = 0;
        for (int i = 0; i < 4; i++)
            sigaction(signals[i], &before[i], NULL);
    }
    if (wrong != 0)
        return error_input(command, "cannot run '%.200s': %s", words[0], strerror(wrong));
    *code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return EXIT_DONE;
}

/* ---- what there is then */

/* A line about the recording; complains if there is none. */
static int summarize(const command_invocation *invocation, const char *folder, mpi_kind kind)
{
    const char *command = invocation->command->name;
    clump_recording *recording;
    const clump_recording_status status = clump_recording_open(folder, &recording);
    if (status != CLUMP_RECORDING_OK) {
        int result;
        if (rmdir(folder) == 0)
            result =
                error_failed(command,
                             "nothing was recorded: no process called MPI_Init of %s from a "
                             "shared library, or could write a file; see 'man clumpmodel-record'",
                             mpi_kind_title(kind));
        else
            result = error_told(command, status == CLUMP_RECORDING_INPUT,
                                clump_recording_message(recording));
        clump_recording_close(recording);
        return result == EXIT_DONE ? EXIT_FAILED : result;
    }
    const clump_recording_about about = clump_recording_describe(recording);
    if (!invocation->quiet) {
        char cut[80] = "";
        if (about.missing > 0 || about.cut > 0)
            snprintf(cut, sizeof cut, "; %zu of its ranks left no file, %zu were cut off",
                     about.missing, about.cut);
        note_print(command,
                   "%s: %zu rank(s) on %zu node(s), %s, %.3g s, %" PRIu64 " calls%s%s; "
                   "'clumpmodel record --report %s' shows where the time went",
                   folder, about.ranks, about.nodes, about.library, about.seconds, about.calls,
                   about.traced_all ? "" : " (not all of them traced)", cut, folder);
        for (size_t i = 0; i < about.ranks; i++) {
            const clump_recording_rank rank = clump_recording_rank_of(recording, i);
            if (!rank.missing && rank.account->write_error != 0) {
                note_print(command,
                           "%s: %s: from then on only totals were kept (first of such ranks)",
                           rank.file, strerror(rank.account->write_error));
                break;
            }
        }
    }
    clump_recording_close(recording);
    return EXIT_DONE;
}

static int record(const command_invocation *invocation)
{
    const record_settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    const char *command = invocation->command->name;
    char library[PATH_MAX], folder[PATH_MAX];
    mpi_kind kind;
    int code = 0;
    int status = mpi_program_find(command, s->mpi, line->operands, line->operand_count, &kind);
    if (status == EXIT_DONE)
        status = mpi_library_find(command, LIBRARY, kind, library);
    if (status == EXIT_DONE)
        status = make_folder(invocation, folder);
    if (status != EXIT_DONE)
        return status;
    const char **words = add_variables(line, kind);
    if (words == NULL)
        return error_memory(command);
    status = set_variables(invocation, library, folder);
    if (status == EXIT_DONE)
        status = run_program(command, words, &code);
    free(words);
    if (status != EXIT_DONE) {
        rmdir(folder);
        return status;
    }
    status = summarize(invocation, folder, kind);
    return code != 0 ? code : status;
}

static int show(const command_invocation *invocation, const clump_report *report)
{
    const record_settings *s = invocation->settings;
    const int status = report_print(report, invocation->format);
    return status == EXIT_DONE && plot_request_is_made(&s->plot)
               ? record_plot(invocation, &s->plot, s->report, report)
               : status;
}

static int report(const command_invocation *invocation)
{
    const record_settings *s = invocation->settings;
    output_redirection redirection;
    clump_report found = {.memory = NULL};
    clump_budget budget;
    int status = budget_begin(invocation->command->name, s->budget, &budget);
    if (status == EXIT_DONE)
        status = recording_read_report(invocation->command->name, s->report, &budget, &found);
    budget_end();
    if (status == EXIT_DONE)
        status =
            standard_output_redirect(invocation->command->name, invocation->output, &redirection);
    if (status == EXIT_DONE)
        status = standard_output_return(&redirection, show(invocation, &found));
    clump_report_release(&found);
    return status;
}

/* Operands are the folder, and perhaps --output: what follows an operand is not parsed as our option. */
static int export(const command_invocation *invocation)
{
    static const char *const formats[] = {"goal", "perfetto"};
    const record_settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    const char *output = invocation->output;
    int format = 0;
    while (strcmp(formats[format], s->export) != 0) /* the option is one of these words */
        format++;
    if (line->operand_count == 3 &&
        (strcmp(line->operands[1], "-o") == 0 || strcmp(line->operands[1], "--output") == 0))
        output = line->operands[2];
    else if (line->operand_count == 2 && strncmp(line->operands[1], "--output=", 9) == 0)
        output = line->operands[1] + 9;
    else if (line->operand_count != 1)
        return error_usage(line->command,
                           "--export: found %zu operands, expected the folder of a recording",
                           line->operand_count);
    return record_export(invocation, RECORD_EXPORT_GOAL + format, line->operands[0], output,
                         &s->choices);
}

static int run(const command_invocation *invocation)
{
    const record_settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    if (plot_request_is_made(&s->plot) && s->report == NULL)
        return error_usage(line->command, "--plot: found without --report, expected the recording "
                                          "to draw, such as --report DIR --plot FILE.svg");
    if (s->export != NULL)
        return export(invocation);
    if (s->report != NULL) {
        if (line->operand_count > 0)
            return error_usage(line->command,
                               "--report: found '%.80s' beside it, expected no program to run",
                               line->operands[0]);
        return report(invocation);
    }
    if (line->operand_count == 0)
        return error_usage(line->command, "found no program, expected the command that runs it, "
                                          "such as 'record -- mpirun -n 8 ./app'");
    return record(invocation);
}

const command_entry command_record = {
    .name = "record",
    .operands = "[--] COMMAND...",
    .summary = RECORD_SUMMARY,
    .text = "COMMAND is run as it is, with a library preloaded into the program that counts every\n"
            "call of MPI (Open MPI or MPICH; nothing is compiled anew). Each rank leaves a file\n"
            "in the folder of --output (default: " DEFAULT_FOLDER "). The exit code is\n"
            "that of COMMAND. In batch scripts the library can be preloaded without this\n"
            "command: see the manual.",
    .examples = "clumpmodel record -- mpirun -n 8 ./app\n"
                "clumpmodel record --report run1 --plot run1.svg\n"
                "clumpmodel record --export perfetto run1 -o run1.json",
    .tables = tables,
    .settings_size = sizeof(record_settings),
    .least_operands = 0,
    .most_operands = SIZE_MAX,
    .takes_command = true,
    .run = run,
};
