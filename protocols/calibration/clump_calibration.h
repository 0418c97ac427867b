/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Emulated Clumps: `calibrate clump`. Random times are drawn, a Clump and its NOW are emulated with
 * them, and the exact engine predicts what was measured from the utilization of the NOW.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_CLUMP_CALIBRATION_H
#define CLUMP_PROTOCOLS_CALIBRATION_CLUMP_CALIBRATION_H

#include "model/prediction.h"
#include "model/simulation/service_time.h"
#include "protocols/calibration/calibration.h"
#include "protocols/emulation/emulation.h"
#include "protocols/emulation/summary.h"

/**
 * Up to these limits the NICs count as the bottleneck: at a limit a slowdown is off by about that share.
 */
#define CLUMP_EMULATION_MOST_LATE 0.02      /**< of the mean message */
#define CLUMP_EMULATION_MOST_DEVIATION 0.01 /**< of messages alone */
#define CLUMP_EMULATION_MOST_SLOW 0.02      /**< of the rate of NICs in use */
#define CLUMP_EMULATION_MOST_STARVED 0.01   /**< of all messages */

/** A Clump to measure and to predict. */
typedef struct clump_emulation_point {
    unsigned processors, nics;
    double utilization;
    clump_demand demand; /**< independent or correlated */
} clump_emulation_point;

/** "P=8 N=4 U=0.5 correlated". */
#define CLUMP_EMULATION_POINT_NAME 80
const char *clump_emulation_point_name(const clump_emulation_point *point,
                                       char name[CLUMP_EMULATION_POINT_NAME]);

/** What one processor alone and two together do with a NIC. */
typedef struct clump_emulation_check {
    double rate;                    /**< of one, share of what was set */
    double least_share, most_share; /**< of two that begin at the same moment; NAN with fifo */
} clump_emulation_check;

typedef struct clump_emulation_result {
    clump_emulation_point point;
    clump_emulation_summary summary;
    size_t cycles; /**< of each processor, warm-up included */
    double predicted;
    double each[CLUMP_EMULATION_MOST_PROCESSORS]; /**< predicted */
    double seconds, machine_busy, machine_taken;
    bool real_time;
    char doubt[200]; /**< why the NICs were not the bottleneck; "": they were */
} clump_emulation_result;

/** `own` of the calibration. */
typedef struct clump_emulation_question {
    clump_emulation_point *points; /**< on the heap; released with the calibration */
    size_t point_count;
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

    /* What came of it. */
    clump_emulation_check check;
    clump_emulation_result *results; /**< of the first points, on the heap */
    size_t count;
    char note[400]; /**< text of the source */
} clump_emulation_question;

extern const clump_calibration_kind clump_calibration_clump;

/** Half width of the 95% interval; the prediction's error, relative to what was measured. */
double clump_emulation_half_width(const clump_emulation_ratio *ratio);
double clump_emulation_error(double predicted, const clump_emulation_ratio *ratio);

#endif
