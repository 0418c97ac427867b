/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_options.h"

#include "cli/result_show.h"

enum { BEFORE = EXPLORE_PLOT - 1, SHOW_NAMES };

const option_entry explore_options[EXPLORE_OPTION_COUNT] = {
    [EXPLORE_DEFINE] = {.name = "define",
                        .letter = 'D',
                        .argument = "NAME=VALUE",
                        .help = "set a global variable of the scenario; may be repeated",
                        .repeated = true},
    [EXPLORE_SWEEP] = {.name = "sweep",
                       .letter = 's',
                       .argument = "NAME=VALUES",
                       .help = "vary a variable of the script, or else a field of its\n"
                               "scenarios (or P, N, U, f, V, m): A,B,... or FIRST:LAST[:STEP]\n"
                               "or FIRST:LAST/COUNT; may be repeated",
                       .repeated = true},
    [EXPLORE_WHERE] = {.name = "where",
                       .argument = "CONDITION",
                       .help = "only rows such as 'slowdown < 1 and nics <= 4'"},
    [EXPLORE_BEST] = {.name = "best",
                      .argument = "COUNT",
                      .help = "only so many, the best by --by"},
    [EXPLORE_BY] = {.name = "by",
                    .argument = "KEY,...",
                    .help = "sort by these columns or expressions, smallest first, and\n"
                            "what Pareto means (default: slowdown, then price or nics)"},
    [EXPLORE_PARETO] = {.name = "pareto",
                        .help = "only rows that no other row beats in both of the first\n"
                                "two keys of --by"},
    [EXPLORE_EACH] = {.name = "each", .help = "a row for each application, not one for their mix"},
    [EXPLORE_NODE_PRICE] = {.name = "node-price",
                            .argument = "PRICE",
                            .help = "of a node without NICs, in any currency"},
    [EXPLORE_NIC_PRICE] = {.name = "nic-price", .argument = "PRICE", .help = "of a NIC"},
    [EXPLORE_PORT_PRICE] = {.name = "port-price",
                            .argument = "PRICE",
                            .help = "of the switch port and cable of a NIC"},
    [EXPLORE_MAX_SLOWDOWN] = {.name = "max-slowdown",
                              .argument = "X",
                              .help = "also the least number of NICs with which the slowdown\n"
                                      "stays within this"},
    [EXPLORE_OF] = {.name = "of",
                    .argument = "worst|mean",
                    .help = "of which slowdown that is: of every application of the mix\n"
                            "(worst, default) or the weighted mean"},
    [EXPLORE_UNCERTAIN] = {.name = "uncertain",
                           .argument = "NAME=DISTRIBUTION",
                           .help = "FROM:TO, VALUE+-HALF (95%), normal(M,SD), lognormal(M,FACTOR)\n"
                                   "or triangular(A,C,B); \"measured\" alone: what the database\n"
                                   "has intervals of, and uncertain { } of the script",
                           .repeated = true},
    [EXPLORE_DRAWS] = {.name = "draws",
                       .argument = "COUNT",
                       .help = "of the Monte Carlo (default: 1000)"},
    [EXPLORE_PERCENTILE] = {.name = "percentile",
                            .argument = "P",
                            .help = "of the draws, 0 to 100, also for --max-slowdown\n"
                                    "(default: 95)"},
    [EXPLORE_SENSITIVITY] = {.name = "sensitivity",
                             .help = "on which uncertain number the slowdown hangs most:\n"
                                     "derivatives, and Sobol indices over the whole range"},
    [EXPLORE_BREAK_EVEN] = {.name = "break-even",
                            .argument = "NAME=A,B|now",
                            .help = "the utilizations at which A and B (or the NOW) are equally\n"
                                    "fast, such as mapping=pooled,static or nics=4,6"},
    [EXPLORE_SEED] = {.name = "seed", .argument = "NUMBER", .help = "of the draws (default: 1)"},
    [EXPLORE_THREADS] = {.name = "threads",
                         .argument = "COUNT",
                         .help = "(default: one a processor)"},
    [EXPLORE_MAX_STEPS] = {.name = "max-steps",
                           .argument = "STEPS",
                           .help = "that one run of the script, and one row, may take\n"
                                   "(default: 1e9)"},
    [EXPLORE_MAX_MEMORY] = {.name = "max-memory",
                            .argument = "SIZE",
                            .help = "that the script may use, such as 64M (default: 256M)"},
    SHOW_OPTIONS,
};
