/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Samples of a calibration, from the processes that measure to the store and the tables, and their
 * means as the thesis takes them (section 5.1): mean, 95% interval, standard deviation over runs.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_SAMPLES_H
#define CLUMP_PROTOCOLS_CALIBRATION_SAMPLES_H

#include "protocols/calibration/quantity.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One measured number. Texts are constants, or outlive it. */
typedef struct clump_calibration_sample {
    clump_benchmark benchmark;
    clump_quantity quantity;
    const char *variant; /**< queue, protocol or strategy; NULL: the queue of the plan, if any */
    bool network;        /**< over UDP; else by the transport of the source */
    char setting[48];    /**< what differs from the defaults: "packets 256"; "" for nothing */
    double value;        /**< in the unit of the quantity */
    int64_t size_bytes;  /**< of the message; -1 where there is none */
    int64_t run;         /**< from 1 */
    int64_t iterations;  /**< messages that the value is the mean of */
    unsigned window;     /**< messages sent before one waits; 0: does not apply */
    unsigned processes;  /**< that took part */
    double delay_us;     /**< pause between send and poll; 0: none */
    double line_us;      /**< one way of a bare cache line, just before; 0: not measured */
    bool disturbed;      /**< the system took a processor away, each time it was tried */
    bool other_speed;    /**< taken while the machine had another speed */
    bool doubtful;       /**< one of these, or for the reason that follows */
    const char *doubt;   /**< why it is doubtful, where it is neither of these; else NULL */
} clump_calibration_sample;

typedef struct clump_calibration_samples {
    clump_calibration_sample *items;
    size_t count, room;
} clump_calibration_samples;

/** False: out of memory. */
bool clump_calibration_add(clump_calibration_samples *samples,
                           const clump_calibration_sample *sample);
void clump_calibration_free(clump_calibration_samples *samples);

/** How often the machine changed its speed. */
typedef struct clump_calibration_speed {
    size_t disturbed;   /**< samples that were disturbed */
    size_t doubtful;    /**< samples that are doubtful, for this or another reason */
    size_t runs, other; /**< all, and those that were marked for their speed */
    double usual_us;    /**< median of a line's time */
    double other_us;    /**< median among the others; NAN if there are none */
} clump_calibration_speed;

/**
 * Mark the samples from `first` on that were taken while a bare cache line took less than half or
 * more than twice its median time over all samples: the host of a virtual machine had moved its
 * processors, or another program had one of them.
 */
void clump_calibration_doubt(clump_calibration_samples *samples, size_t first,
                             clump_calibration_speed *speed);

/** Mean of runs. Doubtful ones are in no mean: where all are, there is none. */
typedef struct clump_calibration_mean {
    clump_calibration_sample of; /**< the first of them */
    double mean;                 /**< NAN: there is none */
    double half_width, std_dev;  /**< half width of the 95% interval; NAN below 2 runs */
    size_t runs;                 /**< that the mean is of */
    size_t doubtful;             /**< that are left out */
} clump_calibration_mean;

/** One for each series (see below) and size, in the order of the samples; on the heap. NULL: out of
 *  memory, or no samples. */
clump_calibration_mean *clump_calibration_means(const clump_calibration_samples *samples,
                                                size_t *count);

/** The first of that kind, which may have no mean; NULL: none. */
const clump_calibration_mean *clump_calibration_find(const clump_calibration_mean *means,
                                                     size_t count, const char *variant,
                                                     bool network, clump_benchmark benchmark,
                                                     clump_quantity quantity);

/**
 * Median of the samples from `first` to before `end` of one variant, way, benchmark and quantity
 * that are not doubtful. NAN: there are none.
 * @param values  room for as many numbers
 * @param half_width  receives half of the median's 95% interval, from the median distance of the
 *                samples from it; NAN below 2 samples. May be NULL
 */
double clump_calibration_median(const clump_calibration_samples *samples, size_t first, size_t end,
                                const clump_calibration_sample *of, double *values,
                                double *half_width);

/** Whether two samples belong to one series: they differ in size, run and value at most. */
bool clump_calibration_same_series(const clump_calibration_sample *a,
                                   const clump_calibration_sample *b);

#endif
