/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/simulation_options.h"

#include "cli/cells.h"
#include "cli/errors.h"
#include "cli/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "0.01" or "1%". */
static int read_share(const clump_cli_arguments *arguments, size_t option,
                      const clump_cli_range *range, double *share)
{
    const char *text = clump_cli_option_value(arguments, option);
    char number[CLUMP_CLI_ITEM_SIZE];
    double value;
    if (text == NULL)
        return CLUMP_CLI_DONE;
    const size_t length = strlen(text);
    const bool percent = length > 0 && text[length - 1] == '%';
    (void)snprintf(number, sizeof number, "%.*s", (int)(percent ? length - 1 : length), text);
    if (length >= sizeof number || !clump_cli_real_parse(number, &value) ||
        (percent ? value / 100 : value) < range->least ||
        (percent ? value / 100 : value) > range->most)
        return clump_cli_option_refuse(arguments, option, text, range->expected);
    *share = percent ? value / 100 : value;
    return CLUMP_CLI_DONE;
}

int clump_cli_simulation_options_read(const clump_cli_arguments *arguments, size_t first,
                                      bool simulate, clump_simulation_options *simulation)
{
    static const clump_cli_range precisions = {1e-6, 1, false, "0.0001% to 100%"};
    static const clump_cli_range confidences = {0.5, 0.999999, false, "50% to 99.9999%"};
    static const clump_cli_range event_counts = {1, 1e18, false, "a number of events, at least 1"};
    char label[CLUMP_CLI_OPTION_LABEL_SIZE];
    uint64_t threads = 0;
    for (size_t i = first; !simulate && i < first + CLUMP_CLI_SIMULATION_OPTION_COUNT; i++)
        if (clump_cli_option_given(arguments, i))
            return clump_cli_error_usage(arguments->command,
                                         "%s: the exact engine does not simulate; expected it with "
                                         "--engine simulation only",
                                         clump_cli_option_label(&arguments->table[i], label));
    int status = read_share(arguments, first + CLUMP_CLI_SIMULATION_PRECISION, &precisions,
                            &simulation->precision);
    if (status == CLUMP_CLI_DONE)
        status = read_share(arguments, first + CLUMP_CLI_SIMULATION_CONFIDENCE, &confidences,
                            &simulation->confidence);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_whole(arguments, first + CLUMP_CLI_SIMULATION_SEED, 0, UINT64_MAX,
                                        "a whole number", &simulation->seed);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_whole(arguments, first + CLUMP_CLI_SIMULATION_THREADS, 1, 1024,
                                        "a whole number, 1 to 1024", &threads);
    if (status == CLUMP_CLI_DONE)
        status = clump_cli_option_real(arguments, first + CLUMP_CLI_SIMULATION_MAX_EVENTS,
                                       &event_counts, &simulation->most_events);
    simulation->threads = (int)threads;
    return status;
}

int clump_cli_engine_read(const clump_cli_arguments *arguments, size_t option, bool *simulate)
{
    const char *engine = clump_cli_option_value(arguments, option);
    *simulate = engine != NULL && strcmp(engine, "simulation") == 0;
    if (engine != NULL && !*simulate && strcmp(engine, "exact") != 0)
        return clump_cli_option_refuse(arguments, option, engine, "exact or simulation");
    return CLUMP_CLI_DONE;
}

void clump_cli_simulation_progress(clump_cli_progress *bar,
                                   const clump_simulation_progress *progress, size_t done,
                                   size_t total)
{
    char text[CLUMP_CLI_PROGRESS_NOTE] = "";
    if (isfinite(progress->slowdown))
        (void)snprintf(text, sizeof text, "%.4f %s %.4f", progress->slowdown,
                       clump_cli_plus_minus(), progress->half_width);
    clump_cli_progress_note(bar, ((double)done + progress->share) / (double)total, text);
}
