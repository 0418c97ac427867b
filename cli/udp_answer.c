/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/calibration_results.h"
#include "cli/calibration_plot.h"
#include "cli/output/errors.h"
#include "cli/udp_calibration.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define MOST_LOSS 0.001 /* that can be in a mean without a warning */

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

void udp_warn(const udp_calibration *c)
{
    const clump_network_losses *l = &c->losses;
    const double lost = share(l->sent_lost + l->returned_lost, l->sent + l->returned);
    if (!c->session.invocation->quiet && lost > MOST_LOSS)
        note_print(c->session.command,
                   "%.2g%% of the datagrams were lost: the times are "
                   "means that contain waiting until packets were sent again",
                   100 * lost);
}

static int print(udp_calibration *c, const clump_calibration_results *results)
{
    const command_invocation *invocation = c->session.invocation;
    const clump_network_losses *l = &c->losses;
    output_field fields[] = {{.key = "platform"},
                             {.key = "source"},
                             {.key = "machine"},
                             {.key = "server"},
                             {.key = "samples"},
                             {.key = "disturbed_samples"},
                             {.key = "runs_complete"},
                             {.key = "datagrams_sent"},
                             {.key = "datagrams_sent_lost"},
                             {.key = "datagrams_back"},
                             {.key = "datagrams_back_lost"},
                             {.key = "packets_resent"}};
    cell_text(&fields[0].value, c->session.store.source.platform);
    cell_text(&fields[1].value, c->session.store.name);
    cell_text(&fields[2].value, c->session.machine.facts);
    cell_text(&fields[3].value, c->server.machine);
    const size_t numbers[] = {c->session.samples.count,
                              c->session.speed.disturbed,
                              c->runs,
                              l->sent,
                              l->sent_lost,
                              l->returned,
                              l->returned_lost,
                              l->resent};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        cell_size(&fields[4 + i].value, numbers[i]);
    const int status =
        calibration_print(invocation->format, results, fields, sizeof fields / sizeof *fields);
    if (status != EXIT_DONE || invocation->format != FORMAT_TABLE)
        return status;
    if (l->sent > 0)
        printf("\n%" PRIu64 " of %" PRIu64 " datagrams to the server were lost (%.3g%%), "
               "%" PRIu64 " of %" PRIu64 " on the way back (%.3g%%); %" PRIu64
               " packets were sent again.\n",
               l->sent_lost, l->sent, 100 * share(l->sent_lost, l->sent), l->returned_lost,
               l->returned, 100 * share(l->returned_lost, l->returned), l->resent);
    printf("%s%zu samples are stored as platform '%s', source '%s'.\n", l->sent > 0 ? "" : "\n",
           c->session.samples.count, c->session.store.source.platform, c->session.store.name);
    return status;
}

int udp_answer(udp_calibration *c)
{
    clump_calibration_results results;
    clump_calibration_parameter parameters[8];
    clump_calibration_summarize(&c->session.samples, &results);
    results.variant_key = "protocol";
    results.variant_title = "Protocol";
    int status = results.failed ? error_memory(c->session.command) : EXIT_DONE;
    if (status == EXIT_DONE) {
        const size_t count = clump_calibration_parameters(&results, parameters,
                                                          sizeof parameters / sizeof *parameters);
        const clump_store_status stored =
            clump_calibration_write_parameters(&c->session.store, parameters, count);
        if (stored != CLUMP_STORE_OK)
            status = error_store(c->session.command, c->session.store.store, stored);
    }
    if (status == EXIT_DONE && results.count > 0)
        status = print(c, &results);
    if (status == EXIT_DONE && results.count > 0 && plot_request_is_made(&c->plot))
        status = calibration_draw(&c->plot, c->session.invocation->format, &results,
                                  c->session.store.source.platform);
    clump_calibration_results_free(&results);
    return status;
}
