/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/memory_options.h"

#include "cli/output/errors.h"

#include <float.h>

const option_entry memory_options[] = {
    {.name = "memory-share",
     .argument = "M",
     .help = "share of its computation that a processor, alone in its\n"
             "node, is at memory, 0.5 or 50%: with --memory-feeds or\n"
             "--memory-curve memory is shared, too (default: it is not)",
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
    {.name = "memory-curve",
     .argument = "R1,R2,...",
     .help = "rate of memory with 1, 2, ... processors at it, the first\n"
             "being 1; the last holds for more ('calibrate memory')",
     .type = OPTION_REALS,
     OPTION_FIELD(memory_settings, curve),
     .least = 1e-50,
     .most = 1e50,
     .expected = "numbers above 0, such as 1,1.9,2.4"},
    {.name = "memory-law",
     .argument = CLUMP_MEMORY_LAW_WORDS,
     .help = "who is at memory waits for others (queue, default);\n"
             "nobody waits before it is used up (roofline); the curve is\n"
             "that of the computation as a whole (measured)",
     .type = OPTION_CHOICE,
     OPTION_FIELD(memory_settings, memory.law)},
    {0},
};

int memory_options_check(const command_line *line, memory_settings *s)
{
    const bool share = option_is_given(line, "memory-share");
    const bool feeds = option_is_given(line, "memory-feeds"), curve = s->curve.count > 0;
    const bool whole = s->memory.law == CLUMP_MEMORY_MEASURED;
    clump_error error;
    s->memory.curve = s->curve.values;
    s->memory.curve_length = s->curve.count;
    if (feeds && curve)
        return error_usage(line->command,
                           "--memory-curve: found --memory-feeds beside it, expected one of them");
    if (whole && share)
        return error_usage(line->command, "--memory-share: found --memory-law measured, expected "
                                          "none beside it: the curve is that of the computation");
    if (whole && !curve) /* of feeds the law knows nothing */
        return error_usage(line->command, "--memory-curve is missing, expected it beside "
                                          "--memory-law measured");
    if (share && !feeds && !curve)
        return error_usage(line->command, "--memory-feeds is missing, expected it or "
                                          "--memory-curve beside --memory-share");
    if ((feeds || curve || option_is_given(line, "memory-law")) && !share && !whole)
        return error_usage(line->command, "--memory-share is missing, expected it beside --%s",
                           feeds   ? "memory-feeds"
                           : curve ? "memory-curve"
                                   : "memory-law");
    if (!share && !feeds && !curve && !whole)
        return EXIT_DONE;
    if (clump_memory_check(&s->memory, &error) != CLUMP_OK)
        return error_usage(line->command, "--memory-%s: %s", curve ? "curve" : "share",
                           error.message);
    return EXIT_DONE;
}
