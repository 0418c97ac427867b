/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/errors.h"
#include "data/suggest.h"
#include "protocols/calibration/shm_calibration.h"
#include "protocols/command/calibrate_run.h"
#include "protocols/command/calibrate_tables.h"
#include "protocols/command/commands.h"
#include "protocols/endpoint/endpoint.h"

#include <stdio.h>
#include <string.h>

typedef struct settings {
    clump_shm_question question;
    unsigned processes;
    bool quick, full;
    const char *platform, *compare;
} settings;

/* One queue, or all. */
static int read_queue(command_line *line, const option_entry *option, const char *text, void *field)
{
    clump_shm_question *q = field;
    const char *name;
    char hint[CLUMP_SUGGEST_TEXT], all[300] = "all";
    clump_suggestion suggestion = clump_suggest_start(CLUMP_SUGGEST_WORD, text);
    (void)option;
    clump_suggest_offer(&suggestion, "all");
    for (unsigned i = 0; (name = clump_endpoint_algorithm(i)) != NULL && i < CLUMP_SHM_QUEUES;
         i++) {
        if (strcmp(text, "all") == 0 || strcmp(text, name) == 0)
            q->queues[q->queue_count++] = name;
        clump_suggest_offer(&suggestion, name);
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, ", %s", name);
    }
    if (q->queue_count > 0)
        return EXIT_DONE;
    return error_usage(line->command, "--queue: found '%.60s', expected one of %s%s", text, all,
                       clump_suggest_text(&suggestion, "", hint));
}

static const option_entry entries[] = {
    {.name = "queue",
     .argument = "NAME",
     .value_at = clump_endpoint_algorithm,
     .help = "queue algorithm, or all of them (default {})",
     OPTION_READ(read_queue, settings, question),
     .preset = "lock-free"},
    {.name = "processes",
     .help = "largest number of processes, 2 to 64\n"
             "(default: one for each processor)",
     OPTION_OF(settings, processes),
     .from = 2,
     .to = 64},
    {.name = "quick",
     .help = "10 short runs of everything: takes seconds, wide intervals",
     OPTION_OF(settings, quick)},
    {.name = "full",
     .help = "100 long runs, and all stages: takes minutes for each queue",
     OPTION_OF(settings, full)},
    {.name = "stages",
     .argument = "LIST",
     .help = "what to measure: loggp, sizes, breakdown, stress, lengths,\n"
             "backoff, jobs (default: the first four; with --full all)",
     .values = "loggp|sizes|breakdown|stress|lengths|backoff|jobs",
     OPTION_READ(calibrate_read_list, settings, question.stages)},
    PLATFORM_ENTRY(settings, PLATFORM_HELP),
    {.name = "compare",
     .argument = "thesis",
     .help = "show the thesis's figures beside those of this machine",
     OPTION_AS(WORD, settings, compare)},
    {0},
};

static const option_table tables[] = {{entries, 0}, {0}};

static int show(const command_invocation *invocation, clump_calibration *c)
{
    if (c->results.count == 0)
        return EXIT_DONE;
    const output_field fields[] = {field_text("platform", c->store.source.platform),
                                   field_text("source", c->store.name),
                                   field_text("machine", c->host.facts),
                                   field_size("samples", c->samples.count),
                                   field_size("doubtful_samples", c->speed.doubtful),
                                   field_size("doubtful_runs", c->speed.other),
                                   field_real("line_transfer_us", c->speed.usual_us)};
    const int status =
        calibrate_print(invocation->format, &c->results, (calibrate_variant){"queue", "Queue"},
                        fields, sizeof fields / sizeof *fields);
    if (status != EXIT_DONE)
        return status;
    if (invocation->format == FORMAT_TABLE)
        calibrate_tell_stored(c, "\n");
    return EXIT_DONE;
}

static int run(const command_invocation *invocation)
{
    settings *s = invocation->settings;
    clump_shm_question *q = &s->question;
    int status = calibrate_check_effort(&invocation->arguments, s->quick, s->full);
    if (status != EXIT_DONE)
        return status;
    for (unsigned i = 0; i < CLUMP_SHM_STAGES && !option_is_given(&invocation->arguments, "stages");
         i++)
        q->stages[i] = s->full || i <= CLUMP_SHM_STRESS;
    q->compare = s->compare != NULL;
    clump_calibration c = {
        .kind = &clump_calibration_shm,
        .own = q,
        .platform = s->platform,
        .plan = {.processes = s->processes > 0 ? s->processes : calibrate_processors(),
                 .runs = calibrate_choose(s->quick, s->full, 10, 100, 30),
                 .effort = calibrate_choose(s->quick, s->full, 1, 10, 4)}};
    return calibrate(invocation, &c, show);
}

const command_entry command_calibrate_shm = {
    .name = "calibrate shm",
    .operands = "",
    .summary = "Measure the shared-memory protocol between processes of this machine",
    .text =
        "Starts pinned processes that send each other Active Messages (which name their handler)\n"
        "through queues in shared memory. Measures LogGP by the method of S. S. Lumetta's thesis\n"
        "(1998): latency L from round trips in both directions, overhead o_s from bursts with the\n"
        "receiver held back, o_r through a known delay, gap g over long bursts, gap per byte G\n"
        "from 512 kB in pieces of 8 kB. Then bandwidth against message size, the components of a\n"
        "send, and a stress test with up to N-1 writers. Every sample goes to the database of\n"
        "--db, or else to your own. ^C keeps the stages that are complete.",
    .examples = "clumpmodel calibrate shm\n"
                "clumpmodel calibrate shm --queue all --quick --compare thesis\n"
                "clumpmodel calibrate shm --full --platform lab --db lab.db --format json",
    .tables = tables,
    .settings_size = sizeof(settings),
    .creates_database = true,
    .run = run,
};
