/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_OPTIONS_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_OPTIONS_H

/* The options of `clumpmodel run`, and which of them go together. */

#include "cli/options/options.h"
#include "protocols/endpoint/adaptive_polling.h"
#include "reproductions/command/run_machine.h"

#include <stdbool.h>
#include <stdint.h>

/** When the network is looked at. */
typedef struct run_polling {
    bool given;
    clump_polling_parameters parameters;
} run_polling;

/** Cache misses with costs of their own. */
typedef struct run_memory {
    bool given;
    double bytes_per_us; /**< that the processors of a node share; 0: as the platform has it */
} run_memory;

/** 0, NULL and false: not given, but for seed and loss, which have defaults. */
typedef struct run_settings {
    const char *platform; /**< NULL: live */
    unsigned nodes, processors;
    option_wholes nics;
    const char *mapping; /**< NULL: as the platform has it */
    option_texts sizes;
    uint64_t seed;
    double operation_us;
    run_protocol protocol;
    double loss;
    double fit_s; /**< time to which the cost is fitted; negative: the document's; 0: not fitted */
    bool half_duplex;
    run_polling polling;
    const char *layer; /**< whose LogGP parameters; NULL: the multi-protocol one's */
    const char *name;  /**< of the application that is stored */
    unsigned jobs, sequential;
    double yield_us, slice_ms;
    run_memory memory;
    unsigned queue;
    bool predict;
    bool describe, no_check;
    bool emulate;
    double rate_mbit, dilation, limit_seconds;
    size_t repetitions;
} run_settings;

/** For run_settings. */
extern const option_table run_option_tables[];

/** Complain about options that do not go together, whatever the program and the machine are.
 *  @return the exit code */
int run_settings_check(const command_line *line, const run_settings *settings);

/** Complain about options that have no meaning on a machine where an LCI protocol carries packets.
 *  @return the exit code */
int run_settings_check_packets(const command_line *line, const run_settings *settings);

/** Whether processes are to share processors. */
bool run_settings_share(const run_settings *settings);

#endif
