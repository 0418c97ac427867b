/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/slowdown_question.h"

const option_entry slowdown_options[SLOWDOWN_OPTION_COUNT] = {
    [SLOWDOWN_PROCESSORS] = {.name = "processors",
                             .letter = 'P',
                             .argument = "P",
                             .help = "processors of a node",
                             .required = true},
    [SLOWDOWN_NICS] = {.name = "nics",
                       .letter = 'N',
                       .argument = "N",
                       .help = "NICs of a node",
                       .required = true},
    [SLOWDOWN_UTILIZATION] = {.name = "utilization",
                              .letter = 'U',
                              .argument = "U",
                              .help = "share of its time that a processor communicates on the\n"
                                      "NOW, 0 to 1; or P of them with commas, one a processor",
                              .required = true},
    [SLOWDOWN_DEMAND] = {.name = "demand",
                         .argument = "DEMAND",
                         .values = "independent|correlated|scheduled|gang:",
                         .help = "independent (default), correlated: all communicate at the\n"
                                 "same time, scheduled: the best schedule, or gang:S: groups\n"
                                 "of S processors communicate at the same time"},
    [SLOWDOWN_MAPPING] = {.name = "mapping",
                          .argument = "pooled|static",
                          .help = "every processor uses all NICs (pooled, default) or is\n"
                                  "tied to one (static)"},
    [SLOWDOWN_GROUP_SIZES] = {.name = "group-sizes",
                              .argument = "A,B,...",
                              .help = "processors of each NIC, for a static mapping\n"
                                      "(default: as even as possible)"},
    [SLOWDOWN_MAX_NICS] = {.name = "max-nics-per-processor",
                           .argument = "M",
                           .help = "NICs that one processor can drive at once, 1 or more\n"
                                   "(default: no limit)"},
    [SLOWDOWN_EFFICIENCY] = {.name = "efficiency",
                             .argument = "E1,E2,...",
                             .help = "service efficiency of the NICs while 1, 2, ... processors\n"
                                     "communicate; the first is 1, the last holds for all beyond"},
    [SLOWDOWN_REMOTE_FRACTION] = {.name = "remote-fraction",
                                  .argument = "F",
                                  .help =
                                      "share of the communication that leaves the node, 0 to 1;\n"
                                      "needs --cost-ratio"},
    [SLOWDOWN_COST_RATIO] = {.name = "cost-ratio",
                             .argument = "V",
                             .help = "cost of communication within the node over that of\n"
                                     "remote communication; needs --remote-fraction"},
    [SLOWDOWN_WAITING_FRACTION] =
        {.name = "waiting-fraction",
         .argument = "H",
         .help = "share of the remote communication time that is waiting for\n"
                 "latency and uses no NIC, 0 to 1 (default: 0)"},
    [SLOWDOWN_MEMORY_PENALTY] = {.name = "memory-penalty",
                                 .argument = "C",
                                 .help =
                                     "time that computation takes in the node over that on the\n"
                                     "NOW (default: 1)"},
    [SLOWDOWN_PHASE_CYCLES] = {.name = "phase-cycles",
                               .argument = "T",
                               .help = "length of a phase between two barriers, in cycles of one\n"
                                       "computation and one communication (default: equilibrium)"},
    [SLOWDOWN_DISTRIBUTION] = {.name = "distribution",
                               .help = "also how likely it is that 0, 1, ... P processors\n"
                                       "communicate at a time"},
};
