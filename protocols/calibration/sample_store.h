/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Samples of a calibration into the store, a stage at a time: what is complete is kept, whatever
 * happens afterwards. Source and platform are made with the first stage.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_SAMPLE_STORE_H
#define CLUMP_PROTOCOLS_CALIBRATION_SAMPLE_STORE_H

#include "data/store/store.h"
#include "protocols/calibration/samples.h"

typedef struct clump_calibration_source {
    const char *platform;       /**< name; it is added if it is new */
    const char *platform_title; /**< of a new one */
    unsigned processors;        /**< of a new one */
    unsigned nodes;             /**< of a new one; 0: 1 */
    const char *transport;      /**< "shared-memory" */
    const char *title;          /**< of the source */
    const char *command;        /**< as the user could type it again */
    const char *note;           /**< facts of the machine */
    const char *version;        /**< of the program */
    const char *kind;           /**< "calibrate shm": with the time it becomes the source's name */
} clump_calibration_source;

typedef struct clump_calibration_store {
    clump_store *store;
    clump_calibration_source source;
    char name[120]; /**< of the source, "" before the first stage */
    struct {
        clump_calibration_sample of; /**< one of its samples */
        int64_t id;
    } * series; /**< made so far: stages add to those of others; free it */
    size_t series_count;
} clump_calibration_store;

/** Store the samples from `first` on, in one transaction. OK with none. */
clump_store_status clump_calibration_write(clump_calibration_store *to,
                                           const clump_calibration_samples *samples, size_t first);

/** A parameter that was derived from samples: statistic "mean". */
typedef struct clump_calibration_parameter {
    const char *variant;
    clump_quantity quantity;
    double value, half_width;
} clump_calibration_parameter;

clump_store_status clump_calibration_write_parameters(clump_calibration_store *to,
                                                      const clump_calibration_parameter *parameters,
                                                      size_t count);

#endif
