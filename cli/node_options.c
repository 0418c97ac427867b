/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/node_options.h"

#include "cli/output/errors.h"

const option_entry node_options[] = {
    {.name = "half-width",
     .argument = "H",
     .help = "half of the 95% interval of the utilization; intervals of\n"
             "slowdowns get what it does to them (default: not known)",
     OPTION_OF(node_settings, half_width),
     .most = 1,
     .expected = "a number from 0 to 1"},
    {.name = "demand",
     .argument = "DEMAND",
     .values = CLUMP_DEMAND_WORDS,
     .help = "when processors communicate: independent (default),\n"
             "correlated (all start together, as in collectives),\n"
             "scheduled (by the plan with the least mean slowdown) or\n"
             "gang:S (groups of S together)",
     OPTION_OF(node_settings, demand)},
    {.name = "remote-fraction",
     .argument = "F",
     .help = "f: share of the communication that leaves the node,\n"
             "0 to 1; needs --cost-ratio",
     OPTION_OF(node_settings, load.coupling.remote_fraction),
     .most = 1,
     .expected = "a number from 0 to 1"},
    {.name = "cost-ratio",
     .argument = "V",
     .help = "V: cost of communication within the node over that of\n"
             "remote communication; needs --remote-fraction",
     OPTION_OF(node_settings, load.coupling.cost_ratio),
     .most = 1e9,
     .expected = "a number, 0 or more"},
    {.name = "memory-share",
     .argument = "M",
     .help = "share of its computation that a processor, alone in its\n"
             "node, is at memory, 0.5 or 50%: with --memory-feeds\n"
             "memory is shared, too (default: it is not)",
     OPTION_OF(node_settings, node.memory.share),
     .most = 1,
     .expected = "a number from 0 to 1"},
    {.name = "memory-feeds",
     .argument = "C",
     .help = "processors that memory serves at full speed at once, such\n"
             "as bandwidth of all over that of one",
     OPTION_OF(node_settings, node.memory.feeds),
     .least = 1,
     .most = 1e9,
     .expected = "a number of processors, at least 1"},
    {0},
};

int node_options_check(const command_line *line, node_settings *s)
{
    static const char *const pairs[][2] = {{"remote-fraction", "cost-ratio"},
                                           {"memory-share", "memory-feeds"}};
    clump_error error;
    for (size_t i = 0; i < 2; i++) {
        const bool first = option_is_given(line, pairs[i][0]);
        if (first != option_is_given(line, pairs[i][1]))
            return error_usage(line->command, "--%s is missing, expected it beside --%s",
                               pairs[i][first], pairs[i][!first]);
    }
    if (option_is_given(line, "memory-share") &&
        clump_memory_check(&s->node.memory, &error) != CLUMP_OK)
        return error_usage(line->command, "--memory-share: %s", error.message);
    return s->demand == NULL || clump_demand_parse(s->demand, &s->load.demand, &s->load.gang_size)
               ? EXIT_DONE
               : option_wrong(line, "demand", s->demand,
                              CLUMP_DEMAND_LIST " or gang:S, such as gang:2.5");
}
