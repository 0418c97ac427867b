/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_EMULATION_QUESTION_H
#define CLUMP_CLI_EMULATION_QUESTION_H

/*
 * What `calibrate clump` is asked: which Clumps to emulate, and how.
 */

#include "cli/command.h"
#include "cli/plot_options.h"
#include "model/prediction.h"
#include "model/simulation/service_time.h"
#include "protocols/emulation/emulation.h"

enum {
    CLUMP_CLI_EMULATION_PROCESSORS,
    CLUMP_CLI_EMULATION_NICS,
    CLUMP_CLI_EMULATION_UTILIZATION,
    CLUMP_CLI_EMULATION_MIX,
    CLUMP_CLI_EMULATION_DEMAND,
    CLUMP_CLI_EMULATION_MAPPING,
    CLUMP_CLI_EMULATION_GRID,
    CLUMP_CLI_EMULATION_QUEUE,
    CLUMP_CLI_EMULATION_COMPUTATION,
    CLUMP_CLI_EMULATION_COMMUNICATION,
    CLUMP_CLI_EMULATION_COMPUTE,
    CLUMP_CLI_EMULATION_MESSAGE,
    CLUMP_CLI_EMULATION_RATE,
    CLUMP_CLI_EMULATION_TIME,
    CLUMP_CLI_EMULATION_CYCLES,
    CLUMP_CLI_EMULATION_PRIORITY,
    CLUMP_CLI_EMULATION_SEED,
    CLUMP_CLI_EMULATION_PLATFORM,
    CLUMP_CLI_EMULATION_PLOT,
    CLUMP_CLI_EMULATION_PLOT_SCRIPT,
    CLUMP_CLI_EMULATION_OPTION_COUNT
};

/** A Clump to measure and to predict. */
typedef struct clump_cli_emulation_point {
    unsigned processors, nics;
    double utilization;
    clump_demand demand; /**< independent or correlated */
} clump_cli_emulation_point;

typedef struct clump_cli_emulation_question {
    clump_cli_emulation_point *points; /**< on the heap */
    size_t count;
    double mix[CLUMP_EMULATION_MOST_PROCESSORS]; /**< utilization of each processor */
    size_t mix_count;                            /**< 0: all have that of the point */
    clump_mapping mapping;
    bool fifo, spin, real_time;
    clump_service_time computation, communication;
    double message_us; /**< mean S of all processors, alone on one NIC */
    double rate_mbit;  /**< of a NIC */
    double seconds;    /**< that a point may take, about */
    uint64_t cycles;   /**< of a processor; 0: what the seconds allow */
    uint64_t seed;
    const char *platform; /**< NULL: named after the machine */
    clump_cli_plot_request plot;
} clump_cli_emulation_question;

extern const clump_cli_option clump_cli_emulation_options[CLUMP_CLI_EMULATION_OPTION_COUNT];

/** Read the options; complains itself and returns the exit code. Free in any case. */
int clump_cli_emulation_question_read(const clump_cli_arguments *arguments,
                                      clump_cli_emulation_question *question);
void clump_cli_emulation_question_free(clump_cli_emulation_question *question);

/** The options that matter for the figures, as they were given. */
void clump_cli_emulation_question_show(const clump_cli_arguments *arguments, char *text,
                                       size_t size);

/** "8 processors, 4 NICs, U 0.5, correlated". */
#define CLUMP_CLI_EMULATION_POINT_NAME 80
const char *clump_cli_emulation_point_name(const clump_cli_emulation_point *point,
                                           char name[CLUMP_CLI_EMULATION_POINT_NAME]);

#endif
