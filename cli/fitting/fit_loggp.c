/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/fitting/fit_report.h"
#include "cli/fitting/loggp_tables.h"
#include "cli/output/errors.h"
#include "cli/output/output.h"
#include "cli/pictures/plot_builder.h"
#include "clumpmodel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
    clump_loggp_filter filter;
    clump_fit_options fit;
    const char *save; /* name of the platform that gets the parameters, or NULL */
    const char *role; /* what they are to scenarios; NULL: as the transport says */
    plot_request plot;
} settings;

static const option_entry options[] = {
    {.name = "platform",
     .help = "machine whose samples are fitted",
     .required = true,
     OPTION_OF(settings, filter.platform)},
    {.name = "transport",
     .help = "transport of the samples, if the platform has several",
     OPTION_OF(settings, filter.transport)},
    {.name = "variant",
     .help = "variant of the samples (default: none, or the only one)",
     OPTION_OF(settings, filter.variant)},
    {.name = "window",
     .help = "number of messages sent before the benchmark waits, where\n"
             "the log does not say (default: 64 for osu_bw, IMB Uniband)",
     OPTION_OF(settings, filter.window),
     .from = 1,
     .to = 100000000},
    {.name = "resamples",
     .help = "number of bootstrap resamples (default: {})",
     OPTION_OF(settings, fit.resamples),
     .preset = "10000",
     .from = 100,
     .to = 1000000},
    {.name = "seed",
     .help = "seed of its random numbers (default: {})",
     OPTION_OF(settings, fit.seed),
     .preset = "1"},
    {.name = "name",
     .help = "store the parameters as those of this platform, for\n"
             "scenarios: platform \"NAME\"; it is added if it is new",
     OPTION_OF(settings, save)},
    {.name = "as",
     .argument = "network|shared-memory",
     .help = "which protocol they describe in scenarios (default: the\n"
             "name of the transport if it is one of these, else network)",
     OPTION_AS(WORD, settings, role)},
    {0},
};

static const option_table tables[] = {{options, 0}, {plot_options, offsetof(settings, plot)}, {0}};

/* ---- the answer */

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

static int print_for_eyes(const void *fit, const fit_tables *all)
{
    int status = fit_print_tables(all, LOGGP_PARAMETERS, LOGGP_CORRELATIONS, false);
    if (status == EXIT_DONE) {
        print_unknown(fit);
        status = fit_print_tables(all, LOGGP_PIECES, LOGGP_POINTS, true);
    }
    if (status == EXIT_DONE)
        fit_print_lists(all);
    return status;
}

static int print(const command_invocation *invocation, const clump_loggp_fit *fit)
{
    const settings *s = invocation->settings;
    fit_tables all = loggp_tables_make(fit, s->filter.platform);
    const output_field fields[] = {
        field_text("platform", s->filter.platform), field_text("transport", fit->samples.transport),
        field_size("resamples", s->fit.resamples), field_size("seed", (size_t)s->fit.seed)};
    return fit_print(invocation, &all, fields, sizeof fields / sizeof *fields, print_for_eyes, fit);
}

/* ---- the picture: measured times over message sizes, and the pieces of lines through them */

/* An axis of sizes by factors has no place for 0; LogGP takes such a message as one of 1 byte. */
static double place_of(const clump_curve_point *point)
{
    return fmax(point->size_bytes, 1);
}

/* The fit at the sizes of one run, the first of each piece; a gap between pieces. Runs may have
 * windows of their own, which the fit knows, and a line through all of them would jump. */
static void add_fitted(plot_builder *b, const clump_curve *curve)
{
    size_t run = 0;
    for (size_t i = 0; i < curve->count; i++) {
        const clump_curve_point *p = &curve->points[i];
        const bool begins = i == 0 || p->piece != p[-1].piece;
        if (begins)
            run = p->run;
        if (begins && i > 0)
            plot_builder_add(b, place_of(p), NAN);
        if (p->run == run && isfinite(p->fitted_us))
            plot_builder_add(b, place_of(p), p->fitted_us);
    }
}

static int draw(const plot_request *request, const clump_loggp_fit *fit, const char *platform)
{
    plot_builder b = plot_builder_start();
    size_t points = 0;
    for (size_t k = 0; k < CLUMP_CURVE_KINDS; k++) {
        const clump_curve *curve = &fit->samples.curves[k];
        const char *name = clump_curve_name(curve->kind);
        points += curve->count;
        if (curve->count == 0)
            continue;
        plot_builder_series(&b, &(plot_series){.name = plot_builder_text(&b, "%s, measured", name),
                                               .mark = PLOT_POINTS,
                                               .colour = k});
        for (size_t i = 0; i < curve->count; i++)
            plot_builder_add(&b, place_of(&curve->points[i]), curve->points[i].time_us);
        plot_builder_series(&b, &(plot_series){.name = plot_builder_text(&b, "%s, fitted", name),
                                               .mark = PLOT_LINE,
                                               .colour = k});
        add_fitted(&b, curve);
    }
    const plot_picture plot = {
        .title = platform,
        .x = {.label = "Message size (bytes)", .logarithmic = true, .whole = true},
        .y = {.label = "Time of a message (us)", .logarithmic = true},
        .series = b.series,
        .series_count = b.count};
    if (points > 0 && points <= PLOT_MOST_POINTS)
        return plot_builder_draw(&b, request, &plot, 1);
    clump_arena_free(b.arena);
    return error_input(request->command, "no picture: found %zu samples, expected 1 to %d", points,
                       (int)PLOT_MOST_POINTS);
}

/* ---- into the database */

/* What would give the same again. */
static void write_command(const settings *s, const clump_loggp_fit *fit, char *text, size_t size)
{
    snprintf(text, size,
             "clumpmodel fit loggp --platform '%.200s' --seed %llu "
             "--resamples %zu",
             s->filter.platform, (unsigned long long)s->fit.seed, s->fit.resamples);
    fit_command_add(text, size, "transport", fit->samples.transport);
    fit_command_add(text, size, "variant", fit->samples.variant);
    const size_t used = strlen(text);
    if (s->filter.window > 0)
        snprintf(text + used, size - used, " --window %lld", (long long)s->filter.window);
}

static void tell_saved(const char *command, const settings *s, const clump_loggp_fit *fit,
                       bool made)
{
    char lacking[80] = "";
    size_t used = 0;
    for (size_t i = 0; i < CLUMP_LOGGP_ONE_WAY; i++)
        if (!fit->values[i].known)
            used += (size_t)snprintf(lacking + used, sizeof lacking - used, "%s%s",
                                     used > 0 ? ", " : "", clump_loggp_symbol((clump_loggp_name)i));
    note_print(command, "kept with %s'%s', as its %s%s%s%s", made ? "the new platform " : "",
               s->save, s->role, used > 0 ? "; scenarios need " : "", lacking,
               used > 0 ? ", too" : "");
}

static int save(const command_invocation *invocation, settings *s, const clump_loggp_fit *fit)
{
    char command[1024];
    const char *name = invocation->arguments.command;
    clump_store *store = NULL;
    clump_error error = {.message = ""};
    bool made = false;
    if (s->role == NULL)
        s->role =
            strcmp(fit->samples.transport, "shared-memory") == 0 ? "shared-memory" : "network";
    int status = database_create(invocation, &store);
    if (status == EXIT_DONE) {
        write_command(s, fit, command, sizeof command);
        const clump_fitted_record record = {.platform = s->filter.platform,
                                            .name = s->save,
                                            .transport = s->role,
                                            .command = command,
                                            .version = CLUMPMODEL_VERSION};
        const clump_store_status kept = clump_loggp_fit_store(store, fit, &record, &made, &error);
        status = fit_check_stored(name, kept, &error);
        if (status == EXIT_DONE && !invocation->quiet)
            tell_saved(name, s, fit, made);
    }
    database_close(invocation, store, status);
    return status;
}

/* ---- */

static int run(const command_invocation *invocation)
{
    settings *s = invocation->settings;
    const char *command = invocation->arguments.command;
    clump_store *store = NULL;
    clump_loggp_fit fit;
    clump_error error = {.message = ""};
    if (s->role != NULL && s->save == NULL)
        return error_usage(command, "--as: found no --name, expected one with it");
    int status = database_open(invocation, &store);
    const clump_status fitted = status == EXIT_DONE
                                    ? clump_loggp_fit_run(store, &s->filter, &s->fit, &fit, &error)
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
    clump_loggp_fit_free(&fit);
    return status;
}

const command_entry command_fit_loggp = {
    .name = "fit loggp",
    .summary = "Find LogGP parameters (latency, overheads, gaps) from benchmarks",
    .text =
        "From the stored samples of a platform: latency L, overheads o_s and o_r of sending and\n"
        "receiving, gap g between messages and gap G per byte, with intervals; the message sizes\n"
        "at which the protocol changes; what the samples do not tell, and what to run to find it.\n"
        "Intervals come from a bootstrap over the runs.",
    .examples = "clumpmodel fit loggp --platform lab --transport tcp\n"
                "clumpmodel fit loggp --platform lab --format json > fit.json\n"
                "clumpmodel fit loggp --platform lab --transport tcp --name lab/fitted",
    .tables = tables,
    .settings_size = sizeof(settings),
    .run = run,
};
