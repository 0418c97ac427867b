/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/simulation_options.h"

#include "cli/options/numbers.h"
#include "cli/output/cells.h"
#include "cli/output/errors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "0.01" or "1%". */
static int read_share(const command_line *arguments, size_t option, const number_range *range,
                      double *share)
{
    const char *text = option_value(arguments, option);
    char number[ITEM_SIZE];
    double value;
    if (text == NULL)
        return EXIT_DONE;
    const size_t length = strlen(text);
    const bool percent = length > 0 && text[length - 1] == '%';
    snprintf(number, sizeof number, "%.*s", (int)(percent ? length - 1 : length), text);
    if (length >= sizeof number || !real_parse(number, &value) ||
        (percent ? value / 100 : value) < range->least ||
        (percent ? value / 100 : value) > range->most)
        return option_refuse(arguments, option, text, range->expected);
    *share = percent ? value / 100 : value;
    return EXIT_DONE;
}

int simulation_options_read(const command_line *arguments, size_t first, bool simulate,
                            clump_simulation_options *simulation)
{
    static const number_range precisions = {1e-6, 1, false, "0.0001% to 100%"};
    static const number_range confidences = {0.5, 0.999999, false, "50% to 99.9999%"};
    static const number_range event_counts = {1, 1e18, false, "a number of events, at least 1"};
    char label[OPTION_LABEL_SIZE];
    uint64_t threads = 0;
    for (size_t i = first; !simulate && i < first + SIMULATION_OPTION_COUNT; i++)
        if (option_given(arguments, i))
            return error_usage(arguments->command,
                               "%s: the exact engine does not simulate; expected it with "
                               "--engine simulation only",
                               option_label(option_at(arguments->tables, i), label));
    int status =
        read_share(arguments, first + SIMULATION_PRECISION, &precisions, &simulation->precision);
    if (status == EXIT_DONE)
        status = read_share(arguments, first + SIMULATION_CONFIDENCE, &confidences,
                            &simulation->confidence);
    if (status == EXIT_DONE)
        status = option_whole(arguments, first + SIMULATION_SEED, 0, UINT64_MAX, "a whole number",
                              &simulation->seed);
    if (status == EXIT_DONE)
        status = option_whole(arguments, first + SIMULATION_THREADS, 1, 1024,
                              "a whole number, 1 to 1024", &threads);
    if (status == EXIT_DONE)
        status = option_real(arguments, first + SIMULATION_MAX_EVENTS, &event_counts,
                             &simulation->most_events);
    simulation->threads = (int)threads;
    return status;
}

int engine_read(const command_line *arguments, size_t option, bool *simulate)
{
    const char *engine = option_value(arguments, option);
    *simulate = engine != NULL && strcmp(engine, "simulation") == 0;
    if (engine != NULL && !*simulate && strcmp(engine, "exact") != 0)
        return option_refuse(arguments, option, engine, "exact or simulation");
    return EXIT_DONE;
}

void simulation_progress(progress_bar *bar, const clump_simulation_progress *progress, size_t done,
                         size_t total)
{
    char text[PROGRESS_NOTE] = "";
    if (isfinite(progress->slowdown))
        snprintf(text, sizeof text, "%.4f %s %.4f", progress->slowdown, plus_minus(),
                 progress->half_width);
    progress_note(bar, ((double)done + progress->share) / (double)total, text);
}
