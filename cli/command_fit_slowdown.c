/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command.h"
#include "cli/database.h"
#include "cli/fit_slowdown_output.h"
#include "cli/fit_slowdown_store.h"
#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int compute(const command_invocation *invocation, const fit_slowdown_question *asked,
                   clump_slowdown_fit *fit)
{
    const char *command = invocation->arguments.command;
    clump_error error = {CLUMP_OK, ""};
    const clump_status status = clump_slowdown_fit_compute(&asked->question, fit, &error);
    if (status == CLUMP_BAD_ARGUMENT)
        return error_input(command, "%s", error.message);
    return status == CLUMP_OK ? EXIT_DONE : error_failed(command, "%s", error.message);
}

static int answer(const command_invocation *invocation, const fit_slowdown_question *asked,
                  const plot_request *plot)
{
    clump_slowdown_fit fit;
    int status = compute(invocation, asked, &fit);
    if (status != EXIT_DONE)
        return status;
    const fit_slowdown_answer given = {.asked = asked,
                                       .fit = &fit,
                                       .application =
                                           option_value(&invocation->arguments, FIT_APPLICATION)};
    status = fit_slowdown_keep(invocation, &given);
    if (status != EXIT_DONE) {
        clump_slowdown_fit_free(&fit);
        return status;
    }
    if (!invocation->quiet) {
        note_lines(invocation->arguments.command, NULL, asked->runs.notices);
        fit_slowdown_warn(invocation->arguments.command, &given);
    }
    status = fit_slowdown_print(invocation->format, &given);
    if (status == EXIT_DONE && plot_request_is_made(plot))
        status = fit_slowdown_draw(plot, invocation->format, &given);
    clump_slowdown_fit_free(&fit);
    return status;
}

/* One that is still to be made by --name has no times. */
static int open_database(const command_invocation *invocation, clump_store **store)
{
    const bool makes = option_given(&invocation->arguments, FIT_NAME);
    if (makes && invocation->database != NULL && access(invocation->database, F_OK) != 0) {
        const clump_store_status status = clump_store_open(NULL, CLUMP_STORE_READ, store);
        return status == CLUMP_STORE_OK
                   ? EXIT_DONE
                   : error_store(invocation->arguments.command, *store, status);
    }
    return database_open(invocation, store);
}

static int run(const command_invocation *invocation)
{
    fit_slowdown_question asked = {.file_sha256 = ""};
    clump_store *store = NULL;
    plot_request plot;
    int status = plot_request_read(&invocation->arguments, FIT_PLOT, FIT_PLOT_SCRIPT, &plot);
    if (status == EXIT_DONE && option_given(&invocation->arguments, FIT_APPLICATION))
        status = open_database(invocation, &store);
    if (status == EXIT_DONE)
        status = fit_slowdown_question_read(invocation, store, &asked);
    if (status == EXIT_DONE)
        status = answer(invocation, &asked, &plot);
    fit_slowdown_question_free(&asked);
    clump_store_close(store);
    return status;
}

const command_entry command_fit_slowdown = {
    .name = "fit slowdown",
    .summary = "Find an application's parameters from its times on several configurations",
    .text = "From the times of one application with different numbers of "
            "processors and NICs in a\n"
            "node, or mappings, finds its utilization U (share of its time "
            "that a processor\n"
            "communicates where it has its own NIC), gang size s (processors "
            "that communicate\n"
            "together), loss of efficiency e, memory penalty and more. They "
            "come with intervals by\n"
            "profile likelihood, and with the correlations of parameters "
            "that trade off. A run of 1\n"
            "processor with 1 NIC is the reference, the NOW. Times come from "
            "the database\n"
            "(--application), a CSV file (--file) or the command line (--run).",
    .examples = "clumpmodel fit slowdown --run 1,1,10.0 --run 8,4,10.5 --run 8,2,15.9 --free U,s\n"
                "clumpmodel fit slowdown --file runs.csv --free U,s,penalty\n"
                "clumpmodel fit slowdown --application SAMPLE --free U,s,penalty",
    .options = fit_slowdown_options,
    .option_count = FIT_SLOWDOWN_OPTION_COUNT,
    .creates_database = true,
    .run = run,
};
