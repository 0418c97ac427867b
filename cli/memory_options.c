/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/memory_options.h"

#include "cli/output/errors.h"

const option_entry memory_options[] = {
    {.name = "memory-share",
     .argument = "M",
     .help = "share of its computation that a processor, alone in its\n"
             "node, is at memory, 0.5 or 50%: with --memory-feeds\n"
             "memory is shared, too (default: it is not)",
     .type = OPTION_REAL,
     OPTION_FIELD(memory_settings, memory.share),
     .most = 1,
     .expected = "a number from 0 to 1"},
    {.name = "memory-feeds",
     .argument = "C",
     .help = "processors that memory serves at full speed at once, such\n"
             "as bandwidth of all over that of one",
     .type = OPTION_REAL,
     OPTION_FIELD(memory_settings, memory.feeds),
     .least = 1,
     .most = 1e9,
     .expected = "a number of processors, at least 1"},
    {0},
};

int memory_options_check(const command_line *line, memory_settings *s)
{
    const bool share = option_is_given(line, "memory-share");
    clump_error error;
    if (share != option_is_given(line, "memory-feeds"))
        return error_usage(line->command, "--memory-%s is missing, expected it beside --memory-%s",
                           share ? "feeds" : "share", share ? "share" : "feeds");
    if (share && clump_memory_check(&s->memory, &error) != CLUMP_OK)
        return error_usage(line->command, "--memory-share: %s", error.message);
    return EXIT_DONE;
}
