/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/explore_options.h"

#include "cli/result_show.h"

enum { BEFORE = CLUMP_CLI_EXPLORE_PLOT - 1, CLUMP_CLI_SHOW_NAMES };

const clump_cli_option clump_cli_explore_options[CLUMP_CLI_EXPLORE_OPTION_COUNT] = {
    [CLUMP_CLI_EXPLORE_DEFINE] = {.name = "define",
                                  .letter = 'D',
                                  .argument = "NAME=VALUE",
                                  .help = "set a global variable of the scenario; may be repeated",
                                  .repeated = true},
    [CLUMP_CLI_EXPLORE_SWEEP] =
        {.name = "sweep",
         .letter = 's',
         .argument = "NAME=VALUES",
         .help = "vary a variable of the script, or else a field of its\n"
                 "scenarios (or P, N, U, f, V, m): A,B,... or FIRST:LAST[:STEP]\n"
                 "or FIRST:LAST/COUNT; may be repeated",
         .repeated = true},
    [CLUMP_CLI_EXPLORE_WHERE] = {.name = "where",
                                 .argument = "CONDITION",
                                 .help = "only rows such as 'slowdown < 1 and nics <= 4'"},
    [CLUMP_CLI_EXPLORE_BEST] = {.name = "best",
                                .argument = "COUNT",
                                .help = "only so many, the best by --by"},
    [CLUMP_CLI_EXPLORE_BY] = {.name = "by",
                              .argument = "KEY,...",
                              .help = "sort by these columns or expressions, smallest first, and\n"
                                      "what Pareto means (default: slowdown, then price or nics)"},
    [CLUMP_CLI_EXPLORE_PARETO] = {.name = "pareto",
                                  .help = "only rows that no other row beats in both of the first\n"
                                          "two keys of --by"},
    [CLUMP_CLI_EXPLORE_EACH] = {.name = "each",
                                .help = "a row for each application, not one for their mix"},
    [CLUMP_CLI_EXPLORE_NODE_PRICE] = {.name = "node-price",
                                      .argument = "PRICE",
                                      .help = "of a node without NICs, in any currency"},
    [CLUMP_CLI_EXPLORE_NIC_PRICE] = {.name = "nic-price", .argument = "PRICE", .help = "of a NIC"},
    [CLUMP_CLI_EXPLORE_PORT_PRICE] = {.name = "port-price",
                                      .argument = "PRICE",
                                      .help = "of the switch port and cable of a NIC"},
    [CLUMP_CLI_EXPLORE_MAX_SLOWDOWN] =
        {.name = "max-slowdown",
         .argument = "X",
         .help = "also the least number of NICs with which the slowdown\n"
                 "stays within this"},
    [CLUMP_CLI_EXPLORE_OF] = {.name = "of",
                              .argument = "worst|mean",
                              .help = "of which slowdown that is: of every application of the mix\n"
                                      "(worst, default) or the weighted mean"},
    [CLUMP_CLI_EXPLORE_UNCERTAIN] =
        {.name = "uncertain",
         .argument = "NAME=DISTRIBUTION",
         .help = "FROM:TO, VALUE+-HALF (95%), normal(M,SD), lognormal(M,FACTOR)\n"
                 "or triangular(A,C,B); \"measured\" alone: what the data base\n"
                 "has intervals of, and uncertain { } of the script",
         .repeated = true},
    [CLUMP_CLI_EXPLORE_DRAWS] = {.name = "draws",
                                 .argument = "COUNT",
                                 .help = "of the Monte Carlo (default: 1000)"},
    [CLUMP_CLI_EXPLORE_PERCENTILE] = {.name = "percentile",
                                      .argument = "P",
                                      .help = "of the draws, 0 to 100, also for --max-slowdown\n"
                                              "(default: 95)"},
    [CLUMP_CLI_EXPLORE_SENSITIVITY] = {.name = "sensitivity",
                                       .help =
                                           "on which uncertain number the slowdown hangs most:\n"
                                           "derivatives, and Sobol indices over the whole range"},
    [CLUMP_CLI_EXPLORE_BREAK_EVEN] =
        {.name = "break-even",
         .argument = "NAME=A,B|now",
         .help = "the utilizations at which A and B (or the NOW) are equally\n"
                 "fast, such as mapping=pooled,static or nics=4,6"},
    [CLUMP_CLI_EXPLORE_SEED] = {.name = "seed",
                                .argument = "NUMBER",
                                .help = "of the draws (default: 1)"},
    [CLUMP_CLI_EXPLORE_THREADS] = {.name = "threads",
                                   .argument = "COUNT",
                                   .help = "(default: one a processor)"},
    [CLUMP_CLI_EXPLORE_MAX_STEPS] = {.name = "max-steps",
                                     .argument = "STEPS",
                                     .help = "that one run of the script, and one row, may take\n"
                                             "(default: 1e9)"},
    [CLUMP_CLI_EXPLORE_MAX_MEMORY] = {.name = "max-memory",
                                      .argument = "SIZE",
                                      .help =
                                          "that the script may use, such as 64M (default: 256M)"},
    CLUMP_CLI_SHOW_OPTIONS,
};
