/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef EMULATION_QUESTION_H
#define EMULATION_QUESTION_H

/*
 * What `calibrate clump` is asked: which Clumps to emulate, and how.
 */

#include "calibration/emulation/emulation.h"
#include "cli/command.h"
#include "cli/pictures/plot_options.h"
#include "model/prediction.h"
#include "model/simulation/service_time.h"

enum {
    EMULATION_PROCESSORS,
    EMULATION_NICS,
    EMULATION_UTILIZATION,
    CLUMP_EMULATION_MIX,
    EMULATION_DEMAND,
    EMULATION_MAPPING,
    CLUMP_EMULATION_GRID,
    EMULATION_QUEUE,
    EMULATION_COMPUTATION,
    EMULATION_COMMUNICATION,
    EMULATION_COMPUTE,
    EMULATION_MESSAGE,
    EMULATION_RATE,
    EMULATION_TIME,
    EMULATION_CYCLES,
    EMULATION_PRIORITY,
    EMULATION_SEED,
    EMULATION_PLATFORM,
    EMULATION_PLOT,
    EMULATION_PLOT_SCRIPT,
    EMULATION_OPTION_COUNT
};

/** A Clump to measure and to predict. */
typedef struct clump_emulation_point {
    unsigned processors, nics;
    double utilization;
    clump_demand demand; /**< independent or correlated */
} clump_emulation_point;

typedef struct clump_emulation_question {
    clump_emulation_point *points; /**< on the heap */
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
    plot_request plot;
} clump_emulation_question;

extern const option_entry emulation_options[EMULATION_OPTION_COUNT];

/** Read the options; complains itself and returns the exit code. Free in any case. */
int clump_emulation_question_read(const command_line *arguments,
                                  clump_emulation_question *question);
void clump_emulation_question_free(clump_emulation_question *question);

/** The options that matter for the figures, as they were given. */
void clump_emulation_question_show(const command_line *arguments, char *text, size_t size);

/** "8 processors, 4 NICs, U 0.5, correlated". */
#define CLUMP_EMULATION_POINT_NAME 80
const char *clump_emulation_point_name(const clump_emulation_point *point,
                                       char name[CLUMP_EMULATION_POINT_NAME]);

#endif
