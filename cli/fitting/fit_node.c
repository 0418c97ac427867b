/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/fitting/fit_report.h"
#include "cli/fitting/node_tables.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/output/paragraph.h"
#include "cli/pictures/plot_builder.h"
#include "clumpmodel.h"
#include "data/import/import.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
    clump_node_filter filter;
    clump_node_known known;
    size_t nics;      /* 0: not known */
    const char *save; /* name of the platform that is made, or NULL */
    plot_request plot;
} settings;

static const option_entry options[] = {
    {.name = "platform",
     .help = "machine whose samples are fitted (of FILE: its name here)",
     OPTION_OF(settings, filter.platform)},
    {.name = "transport",
     .help = "transport of the samples, if the platform has several",
     OPTION_OF(settings, filter.transport)},
    {.name = "variant",
     .help = "variant of the samples, such as a placement of processes\n"
             "(default: none, the only one, or \"spread\")",
     OPTION_OF(settings, filter.variant)},
    {.name = "benchmark",
     .help = "benchmark of one direction (default: the one with most\n"
             "numbers of pairs)",
     OPTION_OF(settings, filter.benchmark)},
    {.name = "nics",
     .help = "number of NICs of a node, if it is known: then the rate of\n"
             "one follows, and how many of them one process keeps busy",
     OPTION_OF(settings, nics),
     .from = 1,
     .to = 1000000},
    {.name = "nic-rate",
     .argument = "B/US",
     .help = "what the link of one NIC can carry, bytes a microsecond\n"
             "(100 Gb/s: 12500): then as many NICs as that needs",
     OPTION_OF(settings, known.nic_rate),
     .least = 0,
     .most = 1e12,
     .above = true,
     .expected = "bytes a microsecond, such as 12500 for 100 Gb/s"},
    {.name = "name",
     .help = "store the node as a new platform of this name, for\n"
             "scenarios: platform \"NAME\"",
     OPTION_OF(settings, save)},
    {0},
};

static const option_table tables[] = {{options, 0}, {plot_options, offsetof(settings, plot)}, {0}};

/* ---- the answer */

/* "One process fills", "2.4 processes fill" */
static const char *write_filling(double processes, const char *one, char text[64])
{
    if (processes < 1 / 0.95) /* as where its reason is told */
        snprintf(text, 64, "%s process fills", one);
    else
        snprintf(text, 64, "%.3g processes fill", processes);
    return text;
}

static void print_summary(const clump_node_fit *fit)
{
    const clump_node_value *v = fit->values;
    const clump_node_curve *c = &fit->curve, *m = &fit->messages;
    const double nics = v[CLUMP_NODE_NICS].value;
    const char *them = nics > 1 || fit->source == CLUMP_NODE_ACTING ? "them" : "it";
    char what[160], filling[64], with_short[160] = "";
    if (!c->full) {
        paragraph_say("%g pair%s reach%s %.4g GB/s. Whether more pairs would reach more is not "
                      "told.\n",
                      c->most_pairs, c->most_pairs > 1 ? "s" : "", c->most_pairs > 1 ? "" : "es",
                      c->best_rate.value / 1e3);
        return;
    }
    if (fit->source == CLUMP_NODE_ACTING)
        snprintf(what, sizeof what,
                 "NICs of %.4g GB/s together; how many, only --nics or --nic-rate can say",
                 c->total.value / 1e3);
    else
        snprintf(what, sizeof what, "%g NIC%s of %.4g GB/s", nics, nics > 1 ? "s" : "",
                 c->total.value / nics / 1e3);
    if (fit->has_messages && m->full)
        snprintf(with_short, sizeof with_short, "; with short ones %s %s: %.4g million a second",
                 write_filling(m->ratio.value, "one", filling), them, m->total.value);
    else if (fit->has_messages)
        snprintf(with_short, sizeof with_short,
                 "; with short ones %g pair%s do%s not: %.4g million a second", m->most_pairs,
                 m->most_pairs > 1 ? "s" : "", m->most_pairs > 1 ? "" : "es", m->best_rate.value);
    if (fit->source == CLUMP_NODE_BY_LINK && nics > CLUMP_NODE_MANY_NICS)
        paragraph_say("More NICs than nodes have: is --nic-rate in bytes a microsecond, 12500 for "
                      "100 Gb/s?\n");
    paragraph_say("%s. %s %s with long messages%s.\n", what,
                  write_filling(c->ratio.value, "One", filling), them, with_short);
}

static int print_for_eyes(const void *fit, const fit_tables *all)
{
    print_summary(fit);
    const int status = fit_print_tables(all, NODE_PARAMETERS, NODE_LAWS, false);
    if (status == EXIT_DONE)
        fit_print_lists(all);
    return status;
}

static int print(const command_invocation *invocation, const clump_node_fit *fit)
{
    static const char *const sources[] = {[CLUMP_NODE_BY_SHAPE] = "shape",
                                          [CLUMP_NODE_GIVEN] = "given",
                                          [CLUMP_NODE_BY_LINK] = "link",
                                          [CLUMP_NODE_BY_PLATFORM] = "platform",
                                          [CLUMP_NODE_ACTING] = "acting"};
    const settings *s = invocation->settings;
    fit_tables all = node_tables_make(fit, s->filter.platform);
    const output_field fields[] = {field_text("platform", s->filter.platform),
                                   field_text("transport", fit->samples.transport),
                                   field_text("variant", fit->samples.variant),
                                   field_text("benchmark", fit->samples.one_way.benchmark),
                                   field_text("nics_from", sources[fit->source]),
                                   field_real("deviation", fit->curve.deviation),
                                   field_real("freedom", fit->curve.freedom)};
    return fit_print(invocation, &all, fields, sizeof fields / sizeof *fields, print_for_eyes, fit);
}

/* ---- the picture: rates of all pairs together over their number */

enum { STEPS = 400 };

/* The law at every number of pairs, or at some of them. */
static void draw_law(plot_builder *b, const clump_node_fit *fit)
{
    const double most = fit->curve.most_pairs;
    const double step = fmax(1, floor(most / STEPS));
    for (double pairs = 1; pairs <= most; pairs += step) {
        double rate;
        if (clump_node_curve_rate(&fit->curve, fit->samples.one_way.account, pairs, &rate, NULL,
                                  NULL) != CLUMP_OK)
            break;
        plot_builder_add(b, pairs, rate / 1e3);
    }
}

static int draw(const plot_request *request, const clump_node_fit *fit, const char *platform)
{
    plot_builder b = plot_builder_start();
    plot_builder_series(&b,
                        &(plot_series){.name = "measured", .mark = PLOT_POINTS, .measured = true});
    for (size_t i = 0; i < fit->pair_count; i++) {
        const clump_node_pair_row *row = &fit->pairs[i];
        if (isfinite(fit->pairs[0].low))
            plot_builder_add_interval(&b, row->pairs, row->measured / 1e3, row->low / 1e3,
                                      row->high / 1e3);
        else
            plot_builder_add(&b, row->pairs, row->measured / 1e3);
    }
    plot_builder_series(&b, &(plot_series){.name = "fitted", .mark = PLOT_LINE, .colour = 1});
    draw_law(&b, fit);
    const plot_picture plot = {.title = platform,
                               .x = {.label = "Pairs of processes", .whole = true},
                               .y = {.label = "All together, long messages (GB/s)"},
                               .series = b.series,
                               .series_count = b.count};
    return plot_builder_draw(&b, request, &plot, 1);
}

/* ---- into the database */

/* What would give the same again. */
static void write_command(const settings *s, const clump_node_fit *fit, char *text, size_t size)
{
    snprintf(text, size, "clumpmodel fit node --platform '%.200s' --benchmark '%.100s'",
             s->filter.platform, fit->samples.one_way.benchmark);
    fit_command_add(text, size, "transport", fit->samples.transport);
    fit_command_add(text, size, "variant", fit->samples.variant);
    const size_t used = strlen(text);
    /* Of these two only one is given. */
    if (s->known.nics > 0)
        snprintf(text + used, size - used, " --nics %.0f", s->known.nics);
    if (s->known.nic_rate > 0)
        snprintf(text + used, size - used, " --nic-rate %.9g", s->known.nic_rate);
}

static int save(const command_invocation *invocation, const settings *s, const clump_node_fit *fit)
{
    char command[1200];
    const char *name = invocation->arguments.command;
    clump_store *store = NULL;
    clump_error error = {.message = ""};
    int status = database_create(invocation, &store);
    if (status == EXIT_DONE) {
        write_command(s, fit, command, sizeof command);
        const clump_fitted_record record = {.platform = s->filter.platform,
                                            .name = s->save,
                                            .command = command,
                                            .version = CLUMPMODEL_VERSION};
        const clump_store_status kept = clump_node_fit_store(store, fit, &record, &error);
        status = fit_check_stored(name, kept, &error);
        if (status == EXIT_DONE && !invocation->quiet)
            note_print(name, "kept as the new platform '%s', part of '%s'", s->save,
                       s->filter.platform);
    }
    database_close(invocation, store, status);
    return status;
}

/* ---- files that are not in the database */

/* NULL, or the file that cannot be read. `own`: all say by themselves of which platform they are. */
static const char *read_all(const command_line *line, clump_import *import, bool *own,
                            clump_store_status *status)
{
    *own = true;
    for (size_t i = 0; i < line->operand_count; i++) {
        *status = clump_import_read(import, line->operands[i]);
        if (*status != CLUMP_STORE_OK)
            return line->operands[i];
    }
    for (size_t i = 0; i < clump_import_count(import); i++)
        *own = *own && strcmp(clump_import_result_of(import, i).format, "clumpmodel") == 0;
    return NULL;
}

static int store_all(const command_invocation *invocation, clump_import *import,
                     clump_store **store)
{
    const char *command = invocation->arguments.command;
    if (clump_store_open(NULL, CLUMP_STORE_WRITE, store) != CLUMP_STORE_OK)
        return error_failed(command, "%s",
                            *store != NULL ? clump_store_message(*store) : "not enough memory");
    const clump_store_status status = clump_import_store(import, *store, NULL);
    if (status != CLUMP_STORE_OK)
        return error_told(command, status != CLUMP_STORE_FAILED, clump_import_message(import));
    for (size_t i = 0; i < clump_import_count(import) && !invocation->quiet; i++) {
        const clump_import_result result = clump_import_result_of(import, i);
        note_lines(command, result.path, result.notices);
    }
    return EXIT_DONE;
}

/* Of platforms that the files name, if they do and one of them is wanted; else all are of one node. */
static int import_files(const command_invocation *invocation, settings *s, bool by_name,
                        clump_store **store, bool *done)
{
    const command_line *line = &invocation->arguments;
    const clump_import_options wanted = {.platform = by_name ? NULL : s->filter.platform,
                                         .nodes = -1,
                                         .processors = -1,
                                         .nics = -1,
                                         .size_bytes = -1};
    clump_import *import = clump_import_start(&wanted);
    clump_store_status read = CLUMP_STORE_OK;
    bool own = false;
    int status = EXIT_DONE;
    *done = true;
    if (import == NULL)
        return error_memory(line->command);
    if (read_all(line, import, &own, &read) != NULL)
        status =
            error_told(line->command, read != CLUMP_STORE_FAILED, clump_import_message(import));
    else if (by_name && !own)
        *done = false;
    else
        status = store_all(invocation, import, store);
    s->known.unsaid = !own;
    clump_import_free(import);
    return status;
}

/* Into a database that is gone afterwards. */
static int read_files(const command_invocation *invocation, settings *s, clump_store **store)
{
    const char *command = invocation->arguments.command;
    int status = EXIT_DONE;
    bool done = false;
    if (s->save != NULL)
        return error_usage(command,
                           "--name: found it with a file, expected none: first 'clumpmodel "
                           "import auto FILE --platform NAME', which keeps its samples");
    if (s->filter.platform != NULL)
        status = import_files(invocation, s, true, store, &done);
    else
        s->filter.platform = "node";
    if (status == EXIT_DONE && !done)
        status = import_files(invocation, s, false, store, &done);
    return status;
}

/* ---- */

static int run(const command_invocation *invocation)
{
    settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    clump_store *store = NULL;
    clump_node_fit fit;
    clump_error error = {.message = ""};
    s->known.nics = (double)s->nics;
    if (s->known.nics > 0 && s->known.nic_rate > 0)
        return error_usage(command, "--nics and --nic-rate: found both, expected one of them");
    if (s->filter.platform == NULL && invocation->arguments.operand_count == 0)
        return error_usage(command, "--platform is missing, expected --platform NAME, or a FILE");
    int status = invocation->arguments.operand_count > 0 ? read_files(invocation, s, &store)
                                                         : database_open(invocation, &store);
    const clump_status fitted = status == EXIT_DONE
                                    ? clump_node_fit_run(store, &s->filter, &s->known, &fit, &error)
                                    : CLUMP_OK;
    clump_store_close(store);
    if (fitted != CLUMP_OK)
        return error_told(command, fitted == CLUMP_BAD_ARGUMENT, error.message);
    if (status != EXIT_DONE)
        return status;
    /* What cannot be kept is not printed either: the output of a failed command is nobody's. */
    if (s->save != NULL)
        status = save(invocation, s, &fit);
    if (status == EXIT_DONE)
        status = print(invocation, &fit);
    if (status == EXIT_DONE && plot_request_is_made(&s->plot))
        status = draw(&s->plot, &fit, s->filter.platform);
    clump_node_fit_free(&fit);
    return status;
}

const command_entry command_fit_node = {
    .name = "fit node",
    .operands = "[FILE...]",
    .summary = "Find what the NICs of a node do when several processes send",
    .text =
        "From the stored rates of 1, 2, ... pairs of processes of two nodes, or from those in "
        "FILE\n"
        "(what 'calibrate mpi', OSU or IMB wrote; nothing is stored): how many NICs a node\n"
        "has, or acts as if it had, and how many of them one process keeps busy; rates, messages "
        "a\n"
        "second, what is lost when many send, both directions; memory, where it was measured; "
        "each\n"
        "with an interval, and what the samples do not tell.",
    .examples = "clumpmodel fit node clumpmodel-mpi-bench.txt --plot node.svg\n"
                "clumpmodel fit node --platform mine --nic-rate 12500 --plot pairs.svg\n"
                "clumpmodel fit node --platform mine --nics 2 --name mine/node",
    .tables = tables,
    .settings_size = sizeof(settings),
    .most_operands = 64,
    .run = run,
};
