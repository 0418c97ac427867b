/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/calibration.h"
#include "calibration/calibration_store.h"
#include "calibration/emulation_run.h"
#include "calibration/emulation_samples.h"
#include "calibration/machine.h"
#include "cli/command.h"
#include "cli/database.h"
#include "cli/emulation_rows.h"
#include "cli/output/errors.h"
#include "cli/output/progress.h"
#include "cli/platform_name.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE 0.49 /* of a NIC, for one of two that send at once */

typedef struct calibration {
    const command_invocation *invocation;
    const char *command;
    clump_emulation_question question;
    clump_emulation_watcher watcher;
    clump_emulation_check check;
    clump_emulation_result *results;
    size_t count;
    measured_machine machine;
    progress_bar progress;
    double estimate, done, weight; /* seconds: all, before this point, this point */
    clump_calibration_samples samples;
    clump_calibration_store store;
} calibration;

static volatile sig_atomic_t stop_wanted;

static void on_signal(int number)
{
    (void)number;
    stop_wanted = 1;
}

static bool watch(double share, void *context)
{
    calibration *c = context;
    char note[PROGRESS_NOTE];
    snprintf(note, sizeof note, "%zu of %zu Clumps", c->count, c->question.count);
    progress_note(&c->progress, (c->done + share * c->weight) / c->estimate, note);
    return stop_wanted != 0;
}

/* ---- into the store */

static int store(calibration *c, const clump_emulation_result *r)
{
    const size_t first = c->samples.count;
    const clump_store_status status = clump_emulation_add(&c->question, &c->samples, r)
                                          ? clump_calibration_write(&c->store, &c->samples, first)
                                          : CLUMP_STORE_STOPPED;
    if (status == CLUMP_STORE_OK)
        return EXIT_DONE;
    progress_clear(&c->progress);
    return status == CLUMP_STORE_STOPPED ? error_memory(c->command)
                                         : error_store(c->command, c->store.store, status);
}

/* ---- measuring */

static void warn_about_check(calibration *c)
{
    const clump_emulation_check *check = &c->check;
    const bool good = fabs(check->rate - 1) <= CLUMP_EMULATION_MOST_DEVIATION;
    progress_clear(&c->progress);
    if (!good)
        note_print(c->command,
                   "a NIC alone runs at %.1f%% of its rate, not within "
                   "1%%: a lower --rate may help",
                   100 * check->rate);
    if (check->least_share < LEAST_SHARE || check->most_share > 1 - LEAST_SHARE)
        note_print(c->command,
                   "two processors that send at once get %.1f%% and "
                   "%.1f%% of a NIC, not half of it each",
                   100 * check->least_share, 100 * check->most_share);
}

static int measure(calibration *c)
{
    c->weight = clump_emulation_check_estimate();
    int status = clump_emulation_run_check(c->command, &c->question, &c->watcher, &c->check);
    c->done += c->weight;
    if (status == EXIT_DONE && !c->invocation->quiet)
        warn_about_check(c);
    while (c->count < c->question.count && status == EXIT_DONE) {
        const clump_emulation_point *point = &c->question.points[c->count];
        clump_emulation_result *r = &c->results[c->count];
        c->weight = clump_emulation_estimate(&c->question, point);
        status = clump_emulation_measure(c->command, &c->question, point, &c->watcher, r);
        c->done += c->weight;
        if (status == EXIT_DONE)
            status = store(c, r);
        c->count += status == EXIT_DONE;
    }
    progress_clear(&c->progress);
    if (stop_wanted)
        error_failed(c->command, "stopped; %zu of %zu Clumps are measured%s", c->count,
                     c->question.count, c->count > 0 ? " and stored" : "");
    return status;
}

/* ^C ends the point that is being measured; those before it are kept. */
static int measure_guarded(calibration *c)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction old[3], now = {.sa_handler = on_signal};
    sigemptyset(&now.sa_mask);
    stop_wanted = 0;
    for (size_t i = 0; i < 3; i++)
        sigaction(signals[i], &now, &old[i]);
    progress_start(&c->progress, c->invocation->quiet);
    c->estimate = clump_emulation_check_estimate();
    for (size_t i = 0; i < c->question.count; i++)
        c->estimate += clump_emulation_estimate(&c->question, &c->question.points[i]);
    const int status = measure(c);
    for (size_t i = 0; i < 3; i++)
        sigaction(signals[i], &old[i], NULL);
    return status;
}

/* ---- the answer */

static void warn_about_results(const calibration *c)
{
    char name[CLUMP_EMULATION_POINT_NAME];
    if (c->invocation->quiet)
        return;
    if (c->count > 0 && c->question.real_time && !c->results[0].real_time)
        note_print(c->command,
                   "the system gave the processes no real-time priority; other programs "
                   "can make them late");
    for (size_t i = 0; i < c->count; i++)
        if (c->results[i].doubt[0] != '\0')
            note_print(c->command, "%s: %s; stored as doubtful",
                       clump_emulation_point_name(&c->results[i].point, name), c->results[i].doubt);
}

static void summarize(const calibration *c, const clump_emulation_errors *e)
{
    char name[CLUMP_EMULATION_POINT_NAME];
    const char *worst = name;
    if (c->question.mix_count > 0)
        snprintf(name, sizeof name, "processor %zu", e->worst_row + 1);
    else
        worst = clump_emulation_point_name(&c->results[e->worst_row].point, name);
    if (c->question.fifo)
        printf("\nOne queue a NIC: not what the model assumes.");
    if (e->count > 1)
        printf("\nMean absolute error of %zu predictions: %.1f%%; the worst %.1f%% (%s).\n"
               "%zu of them lie within the 95%% interval of what was measured.\n",
               e->count, 100 * e->mean, 100 * e->worst, worst, e->within);
    if (e->count > 1 && e->doubtful > 0)
        printf("%zu of them are doubtful: the NICs were not the bottleneck.\n", e->doubtful);
    if (isfinite(c->check.least_share))
        printf("\nA NIC alone runs at %.1f%% of its rate; two processors get %.1f%% and "
               "%.1f%% of it.",
               100 * c->check.rate, 100 * c->check.least_share, 100 * c->check.most_share);
    printf("\n%zu samples are stored as platform '%s', source '%s'.\n", c->samples.count,
           c->store.source.platform, c->store.name);
}

static int answer(const calibration *c)
{
    const clump_emulation_results results = {&c->question, c->results, c->count};
    const clump_emulation_errors e = clump_emulation_errors_of(&results);
    output_field fields[] = {{.key = "mean_absolute_error"},
                             {.key = "worst_error"},
                             {.key = "within_interval"},
                             {.key = "rate_of_one"},
                             {.key = "least_share_of_two"},
                             {.key = "most_share_of_two"},
                             {.key = "rate_mbit"},
                             {.key = "message_us"},
                             {.key = "platform"},
                             {.key = "source"},
                             {.key = "machine"},
                             {.key = "samples"}};
    cell_real(&fields[0].value, e.mean);
    cell_real(&fields[1].value, e.worst);
    cell_size(&fields[2].value, e.within);
    cell_real(&fields[3].value, c->check.rate);
    cell_real(&fields[4].value, c->check.least_share);
    cell_real(&fields[5].value, c->check.most_share);
    cell_real(&fields[6].value, c->question.rate_mbit);
    cell_real(&fields[7].value, c->question.message_us);
    cell_text(&fields[8].value, c->store.source.platform);
    cell_text(&fields[9].value, c->store.name);
    cell_text(&fields[10].value, c->machine.facts);
    cell_size(&fields[11].value, c->samples.count);
    int status =
        emulation_print(c->invocation->format, &results, fields, sizeof fields / sizeof *fields);
    if (status == EXIT_DONE && c->invocation->format == FORMAT_TABLE)
        summarize(c, &e);
    if (status == EXIT_DONE && plot_request_is_made(&c->question.plot))
        status = emulation_draw(c->invocation->format, &results, c->store.source.platform);
    return status;
}

static int run(const command_invocation *invocation)
{
    calibration c = {.invocation = invocation, .command = invocation->arguments.command};
    const clump_emulation_question *q = &c.question;
    char shown[400], title[160], platform_title[160], note[400], why[CLUMP_EMULATION_MESSAGE_BYTES];
    int status = clump_emulation_question_read(&invocation->arguments, &c.question);
    if (status == EXIT_DONE)
        status = platform_name_check(c.command, q->platform);
    if (status == EXIT_DONE && clump_emulation_probe(why) != CLUMP_PROTOCOL_OK)
        status = error_failed(c.command, "%s", why);
    if (status == EXIT_DONE && (c.results = malloc(q->count * sizeof *c.results)) == NULL)
        status = error_memory(c.command);
    if (status == EXIT_DONE)
        status = database_create(invocation, &c.store.store);
    if (status == EXIT_DONE) {
        machine_look(&c.machine, clump_calibration_processors());
        clump_emulation_question_show(&invocation->arguments, shown, sizeof shown);
        snprintf(title, sizeof title, "Emulated Clumps on %.80s", c.machine.slug);
        snprintf(platform_title, sizeof platform_title, "%.100s, %u processors",
                 c.machine.model[0] != '\0' ? c.machine.model : "One machine",
                 c.machine.processors);
        snprintf(note, sizeof note, "NICs of %.6g Mbit/s, messages of %.6g ms; %.300s",
                 q->rate_mbit, q->message_us / 1000, c.machine.facts);
        c.store.source = (clump_calibration_source){
            .platform = q->platform != NULL ? q->platform : c.machine.slug,
            .platform_title = platform_title,
            .processors = c.machine.processors,
            .transport = "emulated",
            .title = title,
            .command = shown,
            .note = note,
            .kind = "calibrate clump"};
        c.watcher = (clump_emulation_watcher){watch, &c};
        status = measure_guarded(&c);
        warn_about_results(&c);
        const int answered = c.count > 0 ? answer(&c) : EXIT_DONE;
        status = status != EXIT_DONE ? status : answered;
    }
    clump_store_close(c.store.store);
    free(c.store.series);
    free(c.results);
    clump_calibration_free(&c.samples);
    clump_emulation_question_free(&c.question);
    return status;
}

const command_entry command_calibrate_clump = {
    .name = "calibrate clump",
    .operands = "",
    .summary = "Build a Clump and its NOW on this machine, and measure the slowdown",
    .text = "Builds a Clump (processors of a node share NICs) and its NOW "
            "(each has a NIC of its own).\n"
            "Network namespaces are the nodes, veth pairs with token buckets "
            "the NICs, and processes\n"
            "the processors: each computes, sends a message, waits until it "
            "has arrived, and begins\n"
            "again. Both run at the same time with the same random times. "
            "The slowdown that the exact\n"
            "engine predicts from the NOW's utilization stands beside the "
            "measured one. Checks show\n"
            "when the NICs were not the bottleneck. Needs Linux, iproute2, "
            "and root or user\n"
            "namespaces; nothing remains in the system. Every sample goes to "
            "the database of --db, or\n"
            "else to your own.",
    .examples = "clumpmodel calibrate clump --processors 8 --nics 4 --utilization 0.5\n"
                "clumpmodel calibrate clump --processors 4 --nics 1,2,4 --demand both --time 10\n"
                "clumpmodel calibrate clump --grid --plot grid.svg --db clumps.db",
    .options = emulation_options,
    .option_count = EMULATION_OPTION_COUNT,
    .creates_database = true,
    .run = run,
};
