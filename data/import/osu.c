/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OSU Micro-Benchmarks, versions 5 to 7. A title "# OSU MPI Latency Test v7.4", comments, a line
 * with the names of the columns, rows. MB are 10^6 bytes. With -T there is a table for each type of
 * data, with osu_mbw_mr -V a matrix: a row for each size, a column for each window. Where memory of
 * GPUs is used, between two processes a line says from which memory to which, else the title: "MPI-CUDA".
 */
#include "data/import/import_format.h"
#include "data/import/import_remarks.h"
#include "data/import/import_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 24 };

typedef struct benchmark {
    const char *title; /* between "OSU MPI " and " Test" */
    const char *name;
    const char *latency;   /* quantity of columns in us */
    const char *bandwidth; /* quantity of columns in MB/s */
    int64_t processes;
} benchmark;

static const benchmark benchmarks[] = {
    {"Latency", "osu_latency", "half_round_trip", NULL, 2},
    {"Latency Persistent", "osu_latency_persistent", "half_round_trip", NULL, 2},
    {"Multi Latency", "osu_multi_lat", "half_round_trip", NULL, 0},
    {"Multi-threaded Latency", "osu_latency_mt", "half_round_trip", NULL, 2},
    {"Multi-process Latency", "osu_latency_mp", "half_round_trip", NULL, 0},
    {"Bandwidth", "osu_bw", NULL, "transfer_rate", 2},
    {"Bi-Directional Bandwidth", "osu_bibw", NULL, "transfer_rate_both_ways", 2},
    {"Bandwidth Persistent", "osu_bw_persistent", NULL, "transfer_rate", 2},
    {"Bi-Directional Bandwidth Persistent", "osu_bibw_persistent", NULL, "transfer_rate_both_ways",
     2},
    {"Multiple Bandwidth / Message Rate", "osu_mbw_mr", NULL, "transfer_rate", 0},
    {"Allgather Latency", "osu_allgather", "operation_time", NULL, 0},
    {"Allgatherv Latency", "osu_allgatherv", "operation_time", NULL, 0},
    {"All-to-All Personalized Exchange Latency", "osu_alltoall", "operation_time", NULL, 0},
    {"All-to-Allv Personalized Exchange Latency", "osu_alltoallv", "operation_time", NULL, 0},
    {"All-to-Allw Personalized Exchange Latency", "osu_alltoallw", "operation_time", NULL, 0},
    {"Barrier Latency", "osu_barrier", "operation_time", NULL, 0},
    {"Allreduce Latency", "osu_allreduce", "operation_time", NULL, 0},
    {"Broadcast Latency", "osu_bcast", "operation_time", NULL, 0},
    {"Gather Latency", "osu_gather", "operation_time", NULL, 0},
    {"Gatherv Latency", "osu_gatherv", "operation_time", NULL, 0},
    {"Reduce Latency", "osu_reduce", "operation_time", NULL, 0},
    {"Reduce_scatter Latency", "osu_reduce_scatter", "operation_time", NULL, 0},
    {"Reduce_scatter_block Latency", "osu_reduce_scatter_block", "operation_time", NULL, 0},
    {"Scatter Latency", "osu_scatter", "operation_time", NULL, 0},
    {"Scatterv Latency", "osu_scatterv", "operation_time", NULL, 0},
    {"MPI_Put Latency", "osu_put_latency", "operation_time", NULL, 2},
    {"MPI_Get latency", "osu_get_latency", "operation_time", NULL, 2},
    {"MPI_Put Bandwidth", "osu_put_bw", NULL, "transfer_rate", 2},
    {"MPI_Get Bandwidth", "osu_get_bw", NULL, "transfer_rate", 2},
    {"MPI_Put Bi-directional Bandwidth", "osu_put_bibw", NULL, "transfer_rate_both_ways", 2},
    {"MPI_Fetch_and_op latency", "osu_fop_latency", "operation_time", NULL, 2},
};

typedef struct reader {
    clump_import_text *text;
    clump_import_log *log;
    char name[100];
    const char *latency, *bandwidth;
    int64_t processes, window;
    char type[40];      /* of the data, if it is not the default */
    char memory[40];    /* from where to where, if it is not the host's: "device to device" */
    const char *matrix; /* quantity of a matrix, or NULL */
    double matrix_factor;
    clump_import_column columns[COLUMNS];
    char variants[COLUMNS][128];
    size_t count;      /* 0: no table yet */
    size_t tails;      /* columns of percentiles that -z announced */
    size_t table_line; /* where it began */
    size_t rows;       /* of it */
    bool told;         /* that the window is not known */
    bool told_processes, told_remark;
} reader;

static bool recognize(const clump_import_text *text)
{
    return clump_import_text_has(text, "# OSU ", 200);
}

static bool end_table(reader *r)
{
    if (r->count > 0 && r->rows == 0) {
        return clump_import_fail_at(
            r->log, r->table_line,
            "found a table without rows, expected results: the run may have "
            "crashed");
    }
    r->count = 0;
    r->rows = 0;
    return true;
}

/* "# OSU MPI-CUDA Bandwidth Test v5.3": title is what follows "# OSU ". */
static bool read_title(reader *r, const char *title)
{
    const char *end = strstr(title, " Test");
    end = end != NULL ? end : strstr(title, " test");
    const char *version = strstr(title, " v");
    if (end == NULL || version == NULL) {
        return clump_import_fail(
            r->log, "found '%.80s', expected the name of a test and its version", title);
    }
    clump_import_copy(r->log->version, sizeof r->log->version, version + 2);
    r->log->version[strcspn(r->log->version, " ")] = '\0';
    char accelerator[sizeof r->memory] = "";
    if (strncmp(title, "MPI", 3) == 0 && title[3] != '_') {
        const size_t size = strcspn(title, " "); /* "MPI", "MPI-CUDA", "MPI-ROCM" */
        if (title[3] == '-')
            snprintf(accelerator, sizeof accelerator, "%.*s", (int)(size < 39 ? size - 4 : 35),
                     title + 4);
        title += size;
        title += *title == ' ';
    }
    char words[80];
    const size_t length = end > title ? (size_t)(end - title) : 0;
    snprintf(words, sizeof words, "%.*s", (int)(length < 79 ? length : 79), title);
    char name[96];
    snprintf(name, sizeof name, "OSU %s", words);
    clump_import_copy(r->name, sizeof r->name, name);
    r->latency = "operation_time";
    r->bandwidth =
        strstr(words, "irectional") != NULL ? "transfer_rate_both_ways" : "transfer_rate";
    r->processes = 0;
    for (size_t i = 0; i < sizeof benchmarks / sizeof *benchmarks; i++) {
        if (strcmp(benchmarks[i].title, words) == 0) {
            clump_import_copy(r->name, sizeof r->name, benchmarks[i].name);
            r->latency = benchmarks[i].latency != NULL ? benchmarks[i].latency : r->latency;
            r->bandwidth = benchmarks[i].bandwidth != NULL ? benchmarks[i].bandwidth : r->bandwidth;
            r->processes = benchmarks[i].processes;
        }
    }
    r->window = 0;
    r->matrix = NULL;
    r->type[0] = '\0';
    r->memory[0] = '\0';
    if (r->processes == 0 && strcmp(r->latency, "operation_time") == 0)
        memcpy(r->memory, accelerator, sizeof r->memory);
    return end_table(r);
}

/* "DEVICE (D) and Receive Buffer on HOST (H)" */
static void read_memory(reader *r, const char *sender)
{
    static const char receive[] = " and Receive Buffer on ";
    const char *receiver = strstr(sender, receive);
    if (receiver == NULL)
        return;
    receiver += sizeof receive - 1;
    snprintf(r->memory, sizeof r->memory, "%.*s to %.*s", (int)strcspn(sender, " "), sender,
             (int)strcspn(receiver, " "), receiver);
    for (char *at = r->memory; *at != '\0'; at++)
        *at = *at >= 'A' && *at <= 'Z' ? (char)(*at + 'a' - 'A') : *at;
    if (strcmp(r->memory, "host to host") == 0)
        r->memory[0] = '\0';
    clump_import_copy(r->memory, sizeof r->memory, r->memory);
}

/* "[ pairs: 2 ] [ window size: 64 ]" */
static bool read_brackets(reader *r, const char *line)
{
    enum { MOST_PAIRS = 100000000 };
    const char *pairs = strstr(line, "pairs:");
    const char *window = strstr(line, "window size:");
    if (pairs != NULL) {
        const long number = strtol(pairs + 6, NULL, 10);
        if (number < 1 || number > MOST_PAIRS)
            return clump_import_fail(r->log, "found '%.60s', expected 1 to %d pairs", line,
                                     MOST_PAIRS);
        r->processes = 2 * number;
    }
    if (window != NULL) {
        const long number = strtol(window + 12, NULL, 10);
        r->window = number > 0 ? number : 0;
    }
    return true;
}

/* "P99" of a column's name, what data there are, and where they are. */
static const char *make_variant(reader *r, size_t column, const char *percentile)
{
    const char *const words[] = {r->type, r->memory, percentile};
    char *variant = r->variants[column];
    size_t used = 0;
    variant[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i][0] != '\0')
            used += (size_t)snprintf(variant + used, sizeof r->variants[column] - used, "%s%.*s",
                                     used > 0 ? " " : "", (int)strcspn(words[i], i < 2 ? "" : " "),
                                     words[i]);
    return variant;
}

static bool is_percentile(const char *name)
{
    return name[0] == 'P' && name[1] >= '0' && name[1] <= '9';
}

static void read_column(reader *r, const char *name, size_t column)
{
    const bool rate = strstr(name, "MB/s") != NULL, median = strncmp(name, "P50 ", 4) == 0;
    const bool time = strstr(name, "Lat") != NULL && strstr(name, "(us)") != NULL;
    const bool number = rate || time, tail = number && is_percentile(name);
    clump_import_column *c = &r->columns[column];
    *c = (clump_import_column){.window = r->window};
    r->tails += tail;
    if (strcmp(name, "Size") == 0) {
        c->kind = CLUMP_COLUMN_SIZE;
    } else if (strcmp(name, "Iterations") == 0) {
        c->kind = CLUMP_COLUMN_TIMES;
    } else if (strcmp(name, "Validation") == 0) {
        c->kind = CLUMP_COLUMN_DEFECTS;
    } else if (strcmp(name, "Messages/s") == 0 || number) {
        c->kind = CLUMP_COLUMN_VALUE;
        c->quantity = !number ? "message_rate" : rate ? r->bandwidth : r->latency;
        c->factor = number ? 1 : 1e-6;
        c->statistic = !number                        ? "mean"
                       : strncmp(name, "Min", 3) == 0 ? "min"
                       : strncmp(name, "Max", 3) == 0 ? "max"
                       : median                       ? "median"
                       : tail                         ? "percentile"
                                                      : "mean";
        c->variant = make_variant(r, column, tail && !median ? name : "");
    }
}

static bool begin_table(reader *r)
{
    r->table_line = r->text->line;
    clump_import_log_begin(r->log);
    bool unknown = false;
    for (size_t i = 0; i < r->count; i++) {
        clump_import_column *c = &r->columns[i];
        const bool rate = c->kind == CLUMP_COLUMN_VALUE && strstr(c->quantity, "rate") != NULL;
        if (rate && c->window == 0) {
            c->window = r->text->hints.window;
            unknown = unknown || c->window == 0;
        }
    }
    if (unknown && !r->told) {
        r->told = true;
        if (!clump_import_notice_at(r->log, r->table_line,
                                    "%s does not say its window (64 unless it was run with -W): "
                                    "give it with --window",
                                    r->name))
            return false;
    }
    if (r->processes == 0 && r->text->hints.processes == 0 && !r->told_processes) {
        r->told_processes = true;
        return clump_import_notice_at(r->log, r->table_line,
                                      "%s does not say how many processes there were: give it with "
                                      "--processes",
                                      r->name);
    }
    return true;
}

/* Names are at least two blanks apart; they may have one inside. */
static bool read_names(reader *r, char *line)
{
    if (!end_table(r))
        return false;
    size_t count = 0;
    r->tails = 0;
    for (char *at = line + strspn(line, " "); *at != '\0' && count < COLUMNS;) {
        char *end = strstr(at, "  ");
        if (end != NULL)
            *end++ = '\0';
        read_column(r, at, count);
        if (r->columns[count++].kind == CLUMP_COLUMN_IGNORED &&
            !clump_import_notice(r->log, "column '%.40s' is not imported", at))
            return false;
        at = end != NULL ? end + strspn(end, " ") : at + strlen(at);
    }
    r->count = count;
    return begin_table(r);
}

/* The line with the windows of a matrix. */
static bool read_windows(reader *r, char *line)
{
    if (!end_table(r))
        return false;
    char *words[CLUMP_IMPORT_WORDS];
    const size_t count = clump_import_words(line, words);
    if (count + 1 > COLUMNS)
        return clump_import_fail(r->log, "found %zu windows, expected fewer", count);
    r->columns[0] = (clump_import_column){.kind = CLUMP_COLUMN_SIZE};
    for (size_t i = 1; i <= count; i++) {
        r->columns[i] = (clump_import_column){.kind = CLUMP_COLUMN_VALUE,
                                              .quantity = r->matrix,
                                              .factor = r->matrix_factor,
                                              .variant = make_variant(r, i, "")};
        if (!clump_import_whole(r->log, words[i - 1], "a window", &r->columns[i].window))
            return false;
    }
    r->tails = 0;
    r->count = count + 1;
    return begin_table(r);
}

static bool read_comment(reader *r, char *line)
{
    const char *after = clump_import_after(line, "# OSU ");
    if (after != NULL)
        return read_title(r, after);
    if (r->name[0] == '\0')
        return true;
    after = clump_import_after(line, "# Datatype:");
    if (after != NULL) {
        clump_import_copy(r->type, sizeof r->type, strcmp(after, "MPI_CHAR.") == 0 ? "" : after);
        r->type[strcspn(r->type, ".")] = '\0';
        return true;
    }
    after = clump_import_after(line, "# Send Buffer on");
    if (after != NULL) {
        read_memory(r, after);
        return true;
    }
    if (strncmp(line, "# [", 3) == 0)
        return read_brackets(r, line);
    if (clump_import_after(line, "# Uni-directional Bandwidth (MB/s") != NULL) {
        r->matrix = "transfer_rate";
        r->matrix_factor = 1;
        return end_table(r);
    }
    if (clump_import_after(line, "# Message Rate Profile") != NULL) {
        r->matrix = "message_rate";
        r->matrix_factor = 1e-6;
        return end_table(r);
    }
    char *rest = line + 1 + strspn(line + 1, " ");
    if (r->matrix != NULL && *rest != '\0' && rest[strspn(rest, "0123456789 ")] == '\0')
        return read_windows(r, rest);
    if (clump_import_after(line, "# Size ") != NULL ||
        (strstr(line, "(us)") != NULL && strstr(line, "Lat") != NULL))
        return read_names(r, rest);
    return true;
}

/* osu_multi_lat -z announces percentiles and prints none (7.4). */
static bool drop_tails(reader *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->columns[i].kind != CLUMP_COLUMN_VALUE ||
            strcmp(r->columns[i].statistic, "mean") == 0)
            r->columns[kept++] = r->columns[i];
    r->count = kept;
    r->tails = 0;
    return clump_import_notice(
        r->log, "%s announces percentiles and prints none: there are only its means", r->name);
}

static bool read_row(reader *r, char *line)
{
    char shown[61];
    clump_import_copy(shown, sizeof shown, line);
    if (clump_import_is_remark(r->text, line))
        return clump_import_skip_remark(r->log, shown, &r->told_remark);
    const char *first = line + strspn(line, " \t");
    if (r->count == 0 || *first < '0' || *first > '9')
        return clump_import_fail(
            r->log, "found '%s', expected a row of results: the run may have crashed", shown);
    if (r->rows == 0 && r->tails > 0 && clump_import_count_words(line) + r->tails == r->count &&
        !drop_tails(r))
        return false;
    const clump_import_key key = {.benchmark = r->name, .processes = r->processes};
    r->rows++;
    return clump_import_row(r->log, line, r->columns, r->count, &key, NULL);
}

static bool parse(clump_import_text *text, clump_import_log *log)
{
    reader r = {.text = text, .log = log};
    char *line;
    while ((line = clump_import_text_next(text)) != NULL) {
        bool good = true;
        if (*line == '#')
            good = read_comment(&r, line);
        else if (*line != '\0' && r.name[0] != '\0') /* before: what mpirun has to say */
            good = read_row(&r, line);
        if (!good)
            return false;
    }
    if (r.name[0] == '\0') {
        return clump_import_fail(log, "found no line that begins '# OSU ', expected the "
                                      "title of a test");
    }
    return end_table(&r) && clump_import_text_is_whole(text, log);
}

const clump_import_format clump_import_osu = {"osu", "OSU Micro-Benchmarks", recognize, parse};
