/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log of GROMACS (md.log) from version 4.6 on: what a run was ("Running on 2 nodes", "There are: N
 * Atoms"), statistics of the domain decomposition, then the cycle accounting, a table with a row for
 * each phase
 *    Force                 48    2      50001     115.792      23343.432  34.4
 * with ranks, threads, calls, wall time (s), cycles and share (without the first three: all of them),
 * perhaps a breakdown of PME of the same form, "Time:" and "Performance:", "Finished mdrun". Ranks that
 * only do PME have an accounting of their own; their rows have a star. A log to which a restarted run
 * was appended has several runs. Of these the times come last: a run without them was stopped.
 */
#include "data/import/import_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PHASES = 200, LABEL = 64, NUMBERS = 6, STATISTICS = 16 };

typedef enum group { ALL, PP, PME, GROUPS } group;

/* Where in the accounting. */
typedef enum section { NONE, HEADING, ROWS } section;

typedef struct phase {
    size_t line;
    char label[LABEL];
    int64_t ranks, calls; /* 0: not said */
    bool starred;
    double wall_s;
} phase;

/* A number that a run says about itself. */
typedef struct statistic {
    size_t line;
    const char *quantity, *variant;
    double value;
} statistic;

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    size_t started; /* line on which the run began; 0: none did */
    size_t ended;   /* line on which the last one ended */
    bool command;   /* the next line is the command */
    int64_t ranks[GROUPS], threads[GROUPS];
    size_t ranks_line;
    int64_t atoms, nodes;
    int64_t grid[3]; /* of PME; 0: not said */
    size_t nodes_line, atoms_line, grid_line;
    statistic statistics[STATISTICS];
    size_t statistic_count;
    section section;
    bool accounting; /* of this run there is one */
    bool total;      /* and its main table has ended */
    double total_s;
    phase phases[PHASES];
    size_t phase_count;
    double wall_s, rate; /* NAN: not said */
    size_t wall_line, rate_line;
    int rate_column; /* of the last line with names of rates; -1: none */
} reader;

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "GROMACS version:", 500) ||
           clump_import_text_has(text, "Gromacs version:", 500);
}

/* ---- a run, when all of it is known */

static bool add(reader *r, size_t line, const char *quantity, const char *variant,
                int64_t processes, double value)
{
    const clump_import_key key = {.quantity = quantity,
                                  .benchmark = "mdrun",
                                  .variant = variant,
                                  .processes = processes,
                                  .of_application = true};
    clump_import_sample sample = clump_import_sample_of(value, -1, 0);
    sample.line = line;
    return isnan(value) || clump_import_log_add(r->log, &key, &sample);
}

static bool add_phase(reader *r, const phase *p)
{
    const int64_t rest = r->ranks[PP] > 0 ? r->ranks[PP] : r->ranks[ALL];
    const int64_t processes = p->ranks > 0 ? p->ranks : p->starred ? r->ranks[PME] : rest;
    return add(r, p->line, "phase_time", p->label, processes, p->wall_s) &&
           (p->calls == 0 || add(r, p->line, "phase_calls", p->label, processes, (double)p->calls));
}

static bool end_run(reader *r)
{
    static const char *const names[GROUPS] = {"", "PP", "PME"};
    const size_t line = r->text->line;
    if (isnan(r->wall_s))
        return clump_import_fail_at(r->log, line,
                                    "found the end of a run, expected its times ('Time:') before");
    if (r->accounting && !r->total)
        return clump_import_fail_at(r->log, line,
                                    "found the end of a run, expected the row 'Total' of its cycle "
                                    "accounting before");
    /* The same number, printed twice; the last digit may be rounded otherwise. */
    if (r->total && !(fabs(r->total_s - r->wall_s) <= 0.002 + 1e-6 * r->wall_s))
        return clump_import_fail_at(r->log, r->wall_line,
                                    "found a wall time of %g s beside phases of %g s in total, "
                                    "expected the same: lines may be mixed up",
                                    r->wall_s, r->total_s);
    if (!r->accounting && !clump_import_notice_at(
                              r->log, line,
                              "the run has no cycle accounting that can be read; only its time is "
                              "taken"))
        return false;
    if (r->ranks[PP] > 0)
        r->ranks[ALL] = r->ranks[PP] + r->ranks[PME];
    if (r->atoms > 0 && r->log->application[0] == '\0')
        snprintf(r->log->application, sizeof r->log->application, "GROMACS %lld atoms",
                 (long long)r->atoms);
    const int64_t all = r->ranks[ALL];
    clump_import_log_begin(r->log);
    bool good =
        add(r, r->wall_line, "execution_time", NULL, all, r->wall_s) &&
        add(r, r->rate_line, "simulation_rate", NULL, all, r->rate) &&
        (r->nodes == 0 || add(r, r->nodes_line, "nodes_used", NULL, all, (double)r->nodes)) &&
        (r->atoms == 0 || add(r, r->atoms_line, "atoms", NULL, all, (double)r->atoms));
    const double points = (double)r->grid[0] * (double)r->grid[1] * (double)r->grid[2];
    good = good && (points == 0 || add(r, r->grid_line, "grid_points", NULL, all, points));
    for (size_t i = 0; i < GROUPS && good; i++)
        good = r->threads[i] == 0 || add(r, r->ranks_line, "threads_per_process", names[i],
                                         r->ranks[i], (double)r->threads[i]);
    for (size_t i = 0; i < r->statistic_count && good; i++)
        good = add(r, r->statistics[i].line, r->statistics[i].quantity, r->statistics[i].variant,
                   all, r->statistics[i].value);
    for (size_t i = 0; i < r->phase_count && good; i++)
        good = add_phase(r, &r->phases[i]);
    r->ended = line;
    r->started = 0;
    r->nodes = r->atoms = r->grid[0] = 0;
    for (size_t i = 0; i < GROUPS; i++)
        r->ranks[i] = r->threads[i] = 0;
    return good;
}

static bool start_run(reader *r)
{
    if (r->started > 0 &&
        !clump_import_notice_at(
            r->log, r->started,
            "found no end of the run that starts here: it was stopped or crashed, "
            "and is left out"))
        return false;
    r->started = r->text->line;
    r->statistic_count = r->phase_count = 0;
    r->section = NONE;
    r->accounting = r->total = false;
    r->wall_s = r->rate = NAN;
    r->rate_column = -1;
    return true;
}

/* ---- lines */

/* The number that a word begins with, "16.0" of "16.0%."; false with a message. */
static bool read_leading(reader *r, const char *word, const char *what, double *value)
{
    char digits[40];
    size_t size = strspn(word, "0123456789.");
    while (size > 0 && word[size - 1] == '.')
        size--;
    if (size == 0 || size >= sizeof digits)
        return clump_import_fail(r->log, "found '%.60s', expected %s", word, what);
    memcpy(digits, word, size);
    digits[size] = '\0';
    return clump_import_amount(r->log, digits, what, value);
}

/* Counts that the program could have, so that their sums do too. */
static bool read_count(reader *r, const char *word, const char *what, int64_t *value)
{
    return clump_import_whole(r->log, word, what, value) &&
           (*value <= INT64_C(1) << 40 ||
            clump_import_fail(r->log, "found %.40s, expected %s that can be", word, what));
}

static bool add_statistic(reader *r, const char *quantity, const char *variant, const char *word,
                          double factor, double plus)
{
    double value = 0;
    if (!read_leading(r, word, "a number", &value))
        return false;
    if (r->statistic_count == STATISTICS)
        return clump_import_fail(r->log,
                                 "found statistics of one run several times, expected the end of "
                                 "the run ('Finished mdrun') between them");
    r->statistics[r->statistic_count++] =
        (statistic){r->text->line, quantity, variant, factor * value + plus};
    return true;
}

/* *found: the line was one of the statistics. */
static bool read_statistic(reader *r, const char *line, bool *found)
{
    static const struct {
        const char *prefix, *quantity, *variant;
        double factor, plus;
    } kinds[] = {
        /* Slowest over mean - 1. */
        {"Average load imbalance:", "slowest_over_mean", "force", 0.01, 1},
        {"Part of the total run time spent waiting due to load imbalance:", "waiting_share",
         "load imbalance", 0.01, 0},
        {"Part of the total run time spent waiting due to PP/PME imbalance:", "waiting_share",
         "PP/PME imbalance", 0.01, 0},
        /* Coordinates, then forces: 2 x. */
        {"av. #atoms communicated per step for force:  2 x", "communicated_atoms", "force", 2, 0},
        {"av. #atoms communicated per step for vsites:  2 x", "communicated_atoms", "vsites", 2, 0},
        {"av. #atoms communicated per step for LINCS:  2 x", "communicated_atoms", "LINCS", 2, 0},
    };
    line += strspn(line, " ");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *rest = clump_import_after(line, kinds[i].prefix);
        *found = rest != NULL;
        if (*found)
            return add_statistic(r, kinds[i].quantity, kinds[i].variant, rest, kinds[i].factor,
                                 kinds[i].plus);
    }
    return true;
}

/* "On 48 MPI ranks doing PP, each using 2 OpenMP threads, and", "on 16 MPI ranks doing PME" */
static bool read_ranks(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    const group g = strstr(line, "doing PME") != NULL  ? PME
                    : strstr(line, "doing PP") != NULL ? PP
                                                       : ALL;
    const size_t count = clump_import_words(line, words);
    r->threads[g] = 1;
    r->ranks_line = r->text->line;
    for (size_t i = 2; i + 1 < count; i++)
        if (strcmp(words[i], "using") == 0 &&
            !read_count(r, words[i + 1], "a number of threads", &r->threads[g]))
            return false;
    return read_count(r, words[1], "a number of ranks", &r->ranks[g]);
}

static bool is_number(const char *word)
{
    const size_t size = strlen(word);
    return size > 0 && strspn(word, "0123456789.") == size && strspn(word, ".") < size;
}

static bool read_row(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    char shown[61];
    clump_import_copy(shown, sizeof shown, line);
    const size_t count = clump_import_words(line, words);
    size_t numbers = 0;
    while (numbers < count && numbers < NUMBERS && is_number(words[count - 1 - numbers]))
        numbers++;
    if (numbers == count || (numbers != 3 && numbers != 4 && numbers != NUMBERS))
        return clump_import_fail(r->log,
                                 "found '%s', expected a phase with its wall time, cycles and "
                                 "share: lines may be mixed up",
                                 shown);
    if (r->phase_count == PHASES)
        return clump_import_fail(r->log, "found more than %d phases of a run, expected fewer",
                                 PHASES);
    phase made = {.line = r->text->line};
    char *const *number = words + count - numbers;
    for (size_t i = 0, used = 0; i < count - numbers; i++) {
        made.starred = strcmp(words[i], "*") == 0;
        if (!made.starred && used < sizeof made.label)
            used += (size_t)snprintf(made.label + used, sizeof made.label - used, "%s%s",
                                     used > 0 ? " " : "", words[i]);
    }
    clump_import_copy(made.label, sizeof made.label, made.label);
    if (numbers == NUMBERS && !read_count(r, number[0], "a number of ranks", &made.ranks))
        return false;
    if (numbers > 3 && !read_count(r, number[numbers - 4], "a number of calls", &made.calls))
        return false;
    if (!clump_import_amount(r->log, number[numbers - 3], "a time", &made.wall_s))
        return false;
    if (strcmp(made.label, "Total") == 0) {
        r->total = true;
        r->total_s = made.wall_s;
        return true;
    }
    r->phases[r->phase_count++] = made;
    return true;
}

static bool is_rule(const char *line)
{
    return *line == '-' && line[strspn(line, "-")] == '\0';
}

/* Of the accounting: rules, tables and what is said about them. */
static bool read_accounting(reader *r, char *line)
{
    if (strstr(line, "iga-Cycles") != NULL || strstr(line, "G-Cycles") != NULL) {
        /* 4.5 has the time last. */
        r->section = strstr(line, "Wall") != NULL ? HEADING : NONE;
        r->accounting = r->accounting || r->section == HEADING;
    } else if (strncmp(line + strspn(line, " "), "Breakdown of ", 13) == 0 && r->total) {
        r->section = HEADING;
    } else if (is_rule(line)) {
        /* After the heading, before the total, after it, and around a breakdown. */
        r->section = r->section == HEADING ? ROWS : r->section == ROWS && !r->total ? ROWS : NONE;
    } else if (r->section == ROWS && *line != '\0') {
        return read_row(r, line);
    }
    return true;
}

/* Which of "(ns/day)    (hour/ns)" is the rate. */
static void read_rate_names(reader *r, const char *line)
{
    char copy[200];
    char *words[CLUMP_IMPORT_WORDS];
    clump_import_copy(copy, sizeof copy, line);
    const size_t count = clump_import_words(copy, words);
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], "(ns/day)") == 0)
            r->rate_column = (int)i;
}

static bool read_times(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    const size_t count = clump_import_words(line, words);
    if (strcmp(words[0], "Time:") == 0) {
        if (count != 4)
            return clump_import_fail(r->log,
                                     "found another number of times, expected those of cores and "
                                     "wall, and their ratio");
        r->wall_line = r->text->line;
        return clump_import_amount(r->log, words[2], "a time", &r->wall_s);
    }
    if (r->rate_column < 0)
        return true; /* of a minimization, say */
    if ((size_t)r->rate_column + 1 >= count)
        return clump_import_fail(r->log, "found no rate in ns/day, expected one");
    r->rate_line = r->text->line;
    return clump_import_amount(r->log, words[r->rate_column + 1], "a rate", &r->rate);
}

/* "2" of "Running on 2 nodes". */
static bool read_first(reader *r, const char *text, const char *what, int64_t *value, size_t *line)
{
    char number[40];
    clump_import_copy(number, sizeof number, text);
    number[strcspn(number, " ")] = '\0';
    *line = r->text->line;
    return read_count(r, number, what, value);
}

/* "   fourier-nx                     = 80" */
static bool is_grid(const char *line, size_t *axis)
{
    const char *name = clump_import_after(line + strspn(line, " "), "fourier-n");
    *axis = name != NULL ? (size_t)(*name - 'x') : 3;
    return *axis < 3;
}

/* "72 72 64, coulomb cutoff 1.329", which the run was tuned to. */
static bool read_tuned_grid(reader *r, char *line)
{
    char *words[CLUMP_IMPORT_WORDS];
    if (clump_import_words(line, words) < 3)
        return clump_import_fail(r->log, "found no grid, expected three numbers");
    r->grid_line = r->text->line;
    words[2][strcspn(words[2], ",")] = '\0';
    for (size_t i = 0; i < 3; i++)
        if (!read_count(r, words[i], "points of a grid", &r->grid[i]))
            return false;
    return true;
}

/* What comes before the steps. */
static bool read_head(reader *r, char *line)
{
    const char *version = clump_import_after(line, "GROMACS version:");
    if (version == NULL)
        version = clump_import_after(line, "Gromacs version:");
    const char *nodes = clump_import_after(line, "Running on ");
    const char *ranks = clump_import_after(line, "Using ");
    const char *atoms = clump_import_after(line, "There are");
    const char *equals = strchr(line, '=');
    size_t axis = 0;
    if (version != NULL) {
        const char *word = clump_import_after(version, "VERSION");
        clump_import_copy(r->log->version, sizeof r->log->version, word != NULL ? word : version);
    } else if (r->command) {
        clump_import_copy(r->log->command, sizeof r->log->command, line);
        r->command = false;
    } else if (strcmp(line, "Command line:") == 0) {
        r->command = true;
    } else if (nodes != NULL && strstr(nodes, " node") != NULL) {
        return read_first(r, nodes, "a number of nodes", &r->nodes, &r->nodes_line);
    } else if (ranks != NULL &&
               (strstr(ranks, " MPI process") != NULL || strstr(ranks, " MPI thread") != NULL) &&
               strstr(ranks, "OpenMP") == NULL) {
        return read_first(r, ranks, "a number of ranks", &r->ranks[ALL], &r->ranks_line);
    } else if (atoms != NULL &&
               (strstr(atoms, " Atoms") != NULL || strstr(atoms, " atoms") != NULL)) {
        return read_first(r, atoms + strspn(atoms, ": "), "a number of atoms", &r->atoms,
                          &r->atoms_line);
    } else if (equals != NULL && is_grid(line, &axis)) {
        return read_first(r, equals + 1, "points of a grid", &r->grid[axis], &r->grid_line);
    }
    return true;
}

static bool read_line(reader *r, char *line)
{
    const char *first = line + strspn(line, " \t");
    bool found = false;
    if (strncmp(line, "Started mdrun", 13) == 0)
        return start_run(r);
    if (r->started == 0)
        return read_head(r, line);
    if (strncmp(line, "Finished mdrun", 14) == 0)
        return end_run(r);
    if ((strncmp(line, "On ", 3) == 0 || strncmp(line, "on ", 3) == 0) &&
        strstr(line, " MPI rank") != NULL)
        return read_ranks(r, line);
    if (strncmp(first, "Time:", 5) == 0 || strncmp(line, "Performance:", 12) == 0)
        return read_times(r, line);
    if (*first == '(')
        read_rate_names(r, line);
    static const char tuned[] = "optimal pme grid ";
    char *grid = strstr(line, tuned);
    if (grid != NULL)
        return read_tuned_grid(r, grid + sizeof tuned - 1);
    const bool good = read_statistic(r, line, &found);
    return good && !found ? read_accounting(r, line) : good;
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log, .rate_column = -1};
    for (char *line; (line = clump_import_text_next(text)) != NULL;)
        if (!read_line(&r, line))
            return false;
    if (r.started > 0 || r.ended == 0)
        return clump_import_fail(log,
                                 "found the end of the file, expected 'Finished mdrun': the run is "
                                 "not at its end, was stopped, or has crashed; or it is what mdrun "
                                 "prints, and not its log (md.log)");
    if (log->application[0] == '\0')
        clump_import_copy(log->application, sizeof log->application, "GROMACS");
    return clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_gromacs = {"gromacs", "GROMACS", recognize, parse};
