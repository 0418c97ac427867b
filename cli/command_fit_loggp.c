/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/loggp_plot.h"
#include "cli/loggp_tables.h"
#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/output.h"
#include "clumpmodel.h"

#include <stdio.h>
#include <string.h>

enum {
    PLATFORM,
    TRANSPORT,
    VARIANT,
    WINDOW,
    RESAMPLES,
    SEED,
    NAME,
    AS,
    PLOT,
    PLOT_SCRIPT,
    OPTION_COUNT
};

enum { RESAMPLES_DEFAULT = 10000, RESAMPLES_LEAST = 100, RESAMPLES_MOST = 1000000 };

static const option_entry options[OPTION_COUNT] = {
    [PLATFORM] = {.name = "platform",
                  .argument = "NAME",
                  .help = "machine whose samples are fitted",
                  .required = true},
    [TRANSPORT] = {.name = "transport",
                   .argument = "NAME",
                   .help = "of the samples, if the platform has those of several"},
    [VARIANT] = {.name = "variant",
                 .argument = "NAME",
                 .help = "of the samples (default: those of none, or of the only one)"},
    [WINDOW] = {.name = "window",
                .argument = "NUMBER",
                .help = "messages on their way, of benchmarks that do not say\n"
                        "(default: 64 for osu_bw and IMB Uniband)"},
    [RESAMPLES] = {.name = "resamples",
                   .argument = "NUMBER",
                   .help = "of the bootstrap (default: 10000)"},
    [SEED] = {.name = "seed", .argument = "NUMBER", .help = "of its random numbers (default: 1)"},
    [NAME] = {.name = "name",
              .argument = "NAME",
              .help = "keep the parameters as those of this platform, for\n"
                      "scenarios: platform \"NAME\"; it is added if it is new"},
    [AS] = {.name = "as",
            .argument = "network|shared-memory",
            .help = "what they are to scenarios (default: the transport's\n"
                    "own name if it is one of these, else network)"},
    [PLOT] = PLOT_OPTION,
    [PLOT_SCRIPT] = PLOT_SCRIPT_OPTION,
};

typedef struct request {
    const command_invocation *invocation;
    clump_loggp_filter filter;
    clump_fit_options fit;
    const char *save, *role;
    plot_request plot;
} request;

static int read_options(request *r)
{
    const command_line *a = &r->invocation->arguments;
    uint64_t window = 0, resamples = RESAMPLES_DEFAULT, seed = 1;
    r->filter = (clump_loggp_filter){.platform = option_value(a, PLATFORM),
                                     .transport = option_value(a, TRANSPORT),
                                     .variant = option_value(a, VARIANT)};
    r->save = option_value(a, NAME);
    r->role = option_value(a, AS);
    int status = plot_request_read(a, PLOT, PLOT_SCRIPT, &r->plot);
    if (status == EXIT_DONE)
        status =
            option_whole(a, WINDOW, 1, 100000000, "a whole number from 1 to 100000000", &window);
    if (status == EXIT_DONE)
        status = option_whole(a, RESAMPLES, RESAMPLES_LEAST, RESAMPLES_MOST,
                              "a whole number from 100 to 1000000", &resamples);
    if (status == EXIT_DONE)
        status = option_whole(a, SEED, 0, UINT64_MAX, "a whole number", &seed);
    if (status == EXIT_DONE && r->role != NULL && strcmp(r->role, "network") != 0 &&
        strcmp(r->role, "shared-memory") != 0)
        return option_refuse(a, AS, r->role, "network or shared-memory");
    if (status == EXIT_DONE && r->role != NULL && r->save == NULL)
        return error_usage(a->command, "--as: found no --name, expected one with it");
    r->filter.window = (int64_t)window;
    r->fit = (clump_fit_options){.resamples = (size_t)resamples, .seed = seed};
    return status;
}

static void print_unknown(const clump_loggp_fit *fit)
{
    bool any = false;
    for (size_t i = 0; i < CLUMP_LOGGP_NAMES; i++) {
        const clump_loggp_value *v = &fit->values[i];
        if (v->known || (i == CLUMP_LOGGP_ONE_WAY && fit->values[CLUMP_LOGGP_L].known))
            continue;
        printf("%sNot known: %s (%s); %s.\n", any ? "" : "\n",
               clump_loggp_symbol((clump_loggp_name)i), v->reason, v->remedy);
        any = true;
    }
}

static void print_lines(const char *title, const table_rows *rows)
{
    if (rows->row_count > 0)
        printf("\n%s:\n", title);
    for (size_t i = 0; i < rows->row_count; i++) {
        table_cell cell = {0};
        cell_read(rows, i, 0, &cell);
        fputs("- ", stdout);
        escape_print(cell.text != NULL ? cell.text : "", stdout);
        putchar('\n');
    }
}

static int print_table(const loggp_answer *fit)
{
    const table_rows sets[] = {loggp_parameters(fit), loggp_pieces(fit), loggp_breaks(fit)};
    const table_rows notes = loggp_notes(fit), sources = loggp_sources(fit);
    int status = EXIT_DONE;
    for (size_t i = 0; i < sizeof sets / sizeof *sets && status == EXIT_DONE; i++) {
        if (sets[i].row_count == 0)
            continue;
        if (i > 0)
            putchar('\n');
        status = table_print(&sets[i]);
        if (i == 0)
            print_unknown(fit->fit);
    }
    if (status != EXIT_DONE)
        return status;
    print_lines("Beware", &notes);
    print_lines("Sources", &sources);
    return status;
}

static int print_json(const loggp_answer *fit, const request *r)
{
    const table_rows rows[] = {loggp_parameters(fit), loggp_correlations(fit), loggp_pieces(fit),
                               loggp_breaks(fit),     loggp_points(fit),       loggp_sources(fit),
                               loggp_notes(fit)};
    enum { COUNT = sizeof rows / sizeof *rows };
    const table_rows *sets[COUNT];
    output_field fields[] = {
        {.key = "platform"}, {.key = "transport"}, {.key = "resamples"}, {.key = "seed"}};
    for (size_t i = 0; i < COUNT; i++)
        sets[i] = &rows[i];
    cell_text(&fields[0].value, fit->platform);
    cell_text(&fields[1].value, fit->fit->samples.transport);
    cell_size(&fields[2].value, r->fit.resamples);
    cell_size(&fields[3].value, (size_t)r->fit.seed);
    return json_print(sets, COUNT, fields, sizeof fields / sizeof *fields);
}

static int print(const request *r, const clump_loggp_fit *fit)
{
    const loggp_answer shown = {fit, r->filter.platform};
    const table_rows parameters = loggp_parameters(&shown);
    switch (r->invocation->format) {
    case FORMAT_JSON:
        return print_json(&shown, r);
    case FORMAT_CSV:
        return csv_print(&parameters);
    case FORMAT_TABLE:
        break;
    }
    return print_table(&shown);
}

/* What would give the same again. */
static void write_command(const request *r, const clump_loggp_fit *fit, char *text, size_t size)
{
    int used = snprintf(text, size,
                        "clumpmodel fit loggp --platform '%.200s' --seed %llu "
                        "--resamples %zu",
                        r->filter.platform, (unsigned long long)r->fit.seed, r->fit.resamples);
    if (fit->samples.transport[0] != '\0')
        used += snprintf(text + used, size - (size_t)used, " --transport '%.200s'",
                         fit->samples.transport);
    if (fit->samples.variant[0] != '\0')
        used +=
            snprintf(text + used, size - (size_t)used, " --variant '%.200s'", fit->samples.variant);
    if (r->filter.window > 0)
        snprintf(text + used, size - (size_t)used, " --window %lld", (long long)r->filter.window);
}

static void tell_saved(const request *r, const clump_loggp_fit *fit, bool made)
{
    char lacking[80] = "";
    size_t used = 0;
    for (size_t i = 0; i < CLUMP_LOGGP_ONE_WAY; i++)
        if (!fit->values[i].known)
            used += (size_t)snprintf(lacking + used, sizeof lacking - used, "%s%s",
                                     used > 0 ? ", " : "", clump_loggp_symbol((clump_loggp_name)i));
    note_print(r->invocation->arguments.command, "kept with %s'%s', as its %s%s%s%s",
               made ? "the new platform " : "", r->save, r->role,
               used > 0 ? "; scenarios need " : "", lacking, used > 0 ? ", too" : "");
}

static int save(request *r, const clump_loggp_fit *fit)
{
    char command[1024];
    const char *name = r->invocation->arguments.command;
    clump_store *store = NULL;
    clump_error error = {.message = ""};
    bool made = false;
    if (r->role == NULL)
        r->role =
            strcmp(fit->samples.transport, "shared-memory") == 0 ? "shared-memory" : "network";
    int status = database_create(r->invocation, &store);
    if (status == EXIT_DONE) {
        write_command(r, fit, command, sizeof command);
        const clump_loggp_record record = {.platform = r->filter.platform,
                                           .name = r->save,
                                           .transport = r->role,
                                           .command = command,
                                           .version = CLUMPMODEL_VERSION};
        const clump_store_status kept = clump_loggp_fit_store(store, fit, &record, &made, &error);
        if (kept == CLUMP_STORE_FAILED)
            status = error_failed(name, "%s", error.message);
        else if (kept != CLUMP_STORE_OK)
            status = error_input(name, "--name: %s", error.message);
        else if (!r->invocation->quiet)
            tell_saved(r, fit, made);
    }
    clump_store_close(store);
    return status;
}

static int fail(const char *command, clump_status status, const clump_error *error)
{
    if (status == CLUMP_BAD_ARGUMENT)
        return error_input(command, "%s", error->message);
    return error_failed(command, "%s", error->message);
}

static int run(const command_invocation *invocation)
{
    request r = {.invocation = invocation};
    const char *command = invocation->arguments.command;
    clump_store *store = NULL;
    clump_loggp_fit fit;
    clump_error error = {.message = ""};
    int status = read_options(&r);
    if (status == EXIT_DONE)
        status = database_open(invocation, &store);
    if (status != EXIT_DONE) {
        clump_store_close(store);
        return status;
    }
    const clump_status fitted = clump_loggp_fit_run(store, &r.filter, &r.fit, &fit, &error);
    clump_store_close(store);
    if (fitted != CLUMP_OK)
        return fail(command, fitted, &error);
    /* What cannot be kept is not printed either: the output of a failed command is nobody's. */
    if (r.save != NULL)
        status = save(&r, &fit);
    if (status == EXIT_DONE)
        status = print(&r, &fit);
    if (status == EXIT_DONE && plot_request_is_made(&r.plot))
        status = loggp_draw(&r.plot, invocation->format, &fit, r.filter.platform);
    clump_loggp_fit_free(&fit);
    return status;
}

const command_entry command_fit_loggp = {
    .name = "fit loggp",
    .summary = "LogGP parameters from half round trips, rates and overheads",
    .text =
        "From what is stored of a platform: L, o_s, o_r, g and G with intervals, the message\n"
        "sizes at which the protocol changes, and what the samples do not tell and what to run\n"
        "in order to know it. Intervals are by bootstrap over the runs.",
    .examples = "clumpmodel fit loggp --platform lab --transport tcp\n"
                "clumpmodel fit loggp --platform lab --format json > fit.json\n"
                "clumpmodel fit loggp --platform lab --transport tcp --name lab/fitted",
    .options = options,
    .option_count = OPTION_COUNT,
    .run = run,
};
