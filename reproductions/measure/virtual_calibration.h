/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Communication protocols in virtual time on modelled hardware: `calibrate virtual`. The hardware
 * is described by samples of a platform whose quantities begin with "hardware_"; its other
 * reference samples are what documents measured on it.
 */
#ifndef CLUMP_REPRODUCTIONS_MEASURE_VIRTUAL_CALIBRATION_H
#define CLUMP_REPRODUCTIONS_MEASURE_VIRTUAL_CALIBRATION_H

#include "protocols/calibration/calibration.h"
#include "reproductions/virtual/hardware.h"
#include "reproductions/virtual/virtual_cluster.h"

enum { CLUMP_VIRTUAL_PRINTED = 256 };

/** A figure of a document. */
typedef struct clump_virtual_printed {
    char variant[32], quantity[40];
    double value;
} clump_virtual_printed;

/** `own` of the calibration. Its samples are what was measured, each kind once. */
typedef struct clump_virtual_question {
    const char *hardware, *protocol;       /**< names */
    clump_virtual_cluster_options cluster; /**< nodes (0: those of the platform), window, faults,
                                                protocol of LCI */
    bool cells;                            /**< SSAM */
    bool calls;                            /**< and its cells go by system calls, not by traps */
    uint16_t size;                         /**< of short messages */
    uint32_t rounds;
    double compute_us; /**< 0: do not measure a host that computes */

    /* From the store. */
    clump_cell_hardware cell_hardware; /**< of SSAM; that of LCI is in `cluster` */
    int64_t nodes;                     /**< of the platform */
    clump_virtual_printed printed[CLUMP_VIRTUAL_PRINTED];
    size_t printed_count;
} clump_virtual_question;

extern const clump_calibration_kind clump_calibration_virtual;

/** What a document has for the conditions of a sample, NAN if nothing. */
double clump_virtual_find_printed(const clump_virtual_question *question,
                                  const clump_calibration_sample *sample);

#endif
