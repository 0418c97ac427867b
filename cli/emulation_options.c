/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "calibration/emulation_question.h"

#define DISTRIBUTIONS "exponential|constant|erlang:K|hyperexponential:C"

const option_entry emulation_options[EMULATION_OPTION_COUNT] = {
    [EMULATION_PROCESSORS] = {.name = "processors",
                              .letter = 'P',
                              .argument = "LIST",
                              .help = "processors of a node, 1 to 16 (default 4)"},
    [EMULATION_NICS] = {.name = "nics",
                        .letter = 'N',
                        .argument = "LIST",
                        .help = "NICs of the Clump's node, 1 to 16 (default 2)"},
    [EMULATION_UTILIZATION] = {.name = "utilization",
                               .letter = 'U',
                               .argument = "LIST",
                               .help =
                                   "share of its time that a processor of the NOW communicates,\n"
                                   "0.01 to 0.99 (default 0.5); with lists, all combinations"},
    [CLUMP_EMULATION_MIX] = {.name = "mix",
                             .argument = "LIST",
                             .help = "the utilization of each processor, instead of --processors\n"
                                     "and --utilization; a higher one means longer messages"},
    [EMULATION_DEMAND] = {.name = "demand",
                          .argument = "independent|correlated|both",
                          .help = "correlated: a barrier before each message (default\n"
                                  "independent)"},
    [EMULATION_MAPPING] = {.name = "mapping",
                           .argument = "pooled|static",
                           .help = "messages are spread over all NICs, or each processor is\n"
                                   "tied to one (default pooled)"},
    [CLUMP_EMULATION_GRID] = {.name = "grid",
                              .help = "36 Clumps: 2 to 8 processors with 1 to 4 NICs, U 0.1, 0.5\n"
                                      "and 0.9, both demands, unless these are given"},
    [EMULATION_QUEUE] = {.name = "queue",
                         .argument = "fair|fifo",
                         .help = "queues of a NIC: one for each processor, served in turn, or\n"
                                 "one for all (default fair, which the model assumes)"},
    [EMULATION_COMPUTATION] = {.name = "computation-times",
                               .argument = "NAME",
                               .help = "exponential (default), constant, erlang:K,\n"
                                       "hyperexponential:C, as in clumpmodel-scenario(5)",
                               .values = DISTRIBUTIONS},
    [EMULATION_COMMUNICATION] = {.name = "communication-times",
                                 .argument = "NAME",
                                 .help = "the same for the times (sizes) of messages",
                                 .values = DISTRIBUTIONS},
    [EMULATION_COMPUTE] = {.name = "compute",
                           .argument = "sleep|spin",
                           .help = "what processors do while they compute; spin needs a real\n"
                                   "processor for each of them (default sleep)"},
    [EMULATION_MESSAGE] = {.name = "message",
                           .argument = "MILLISECONDS",
                           .help = "mean time that a message takes alone on one NIC, 1 to 1000\n"
                                   "(default 20)"},
    [EMULATION_RATE] = {.name = "rate",
                        .argument = "MBIT",
                        .help = "rate of a NIC in megabits a second, 1 to 1000 (default 50)"},
    [EMULATION_TIME] = {.name = "time",
                        .argument = "SECONDS",
                        .help = "approximate time for each Clump, 0.1 to 3600 (default 5)"},
    [EMULATION_CYCLES] = {.name = "cycles",
                          .argument = "NUMBER",
                          .help = "cycles of each processor, instead of --time, 22 to 1000000"},
    [EMULATION_PRIORITY] = {.name = "priority",
                            .argument = "real-time|normal",
                            .help = "priority of the processes; without root it is normal\n"
                                    "(default real-time, but normal with --compute spin)"},
    [EMULATION_SEED] = {.name = "seed",
                        .argument = "NUMBER",
                        .help = "seed of the random times (default 1)"},
    [EMULATION_PLATFORM] = {.name = "platform",
                            .argument = "NAME",
                            .help = "name for this machine in the database\n"
                                    "(default: from its processors, such as amd-epyc-2)"},
    [EMULATION_PLOT] = PLOT_OPTION,
    [EMULATION_PLOT_SCRIPT] = PLOT_SCRIPT_OPTION,
};
