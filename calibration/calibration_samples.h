/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CALIBRATION_SAMPLES_H
#define CALIBRATION_SAMPLES_H

/*
 * The samples of a calibration on their way from the drivers to the store and the tables, and their
 * means in the thesis's way (section 5.1): mean, 95% interval, standard deviation over runs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One number. Texts are constants, or outlive it, but for `setting`. */
typedef struct clump_measured_sample {
    const char *variant;   /**< "lock-free": what was measured */
    const char *transport; /**< NULL: that of the source */
    const char *benchmark, *quantity;
    char setting[48]; /**< what differs from the defaults; "" for nothing */
    double value;     /**< in the unit of the quantity */
    double line_us;   /**< a bare cache line, just before; 0: not measured */
    double delay_us;
    int64_t size_bytes, run, iterations;
    unsigned window, processes;
    bool disturbed;    /**< the system took a processor away meanwhile */
    bool doubtful;     /**< disturbed, or taken while the machine had another speed */
    const char *doubt; /**< why it is doubtful, where it is neither of these; else NULL */
} clump_measured_sample;

typedef struct clump_calibration_samples {
    clump_measured_sample *items;
    size_t count, room;
} clump_calibration_samples;

/** False: out of memory. */
bool clump_calibration_add(clump_calibration_samples *samples, const clump_measured_sample *sample);
void clump_calibration_free(clump_calibration_samples *samples);

/** How often the machine changed its speed. */
typedef struct clump_calibration_speed {
    size_t disturbed;   /**< samples that were disturbed */
    size_t runs, other; /**< all, and those in which a line took half or twice as long as usual */
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

/** Mean of runs. */
typedef struct clump_calibration_mean {
    clump_measured_sample of;         /**< the first of them */
    double mean, half_width, std_dev; /**< half width of the 95% interval; NAN below 2 runs */
    size_t runs;                      /**< that are not doubtful; if all are, all of them */
} clump_calibration_mean;

/**
 * Median of the samples from `first` to before `end` of one variant, transport, benchmark and
 * quantity; of those that are not doubtful, if there are two at least. NAN: there are none.
 * @param values  room for as many numbers
 */
double clump_calibration_median(const clump_calibration_samples *samples, size_t first, size_t end,
                                const clump_measured_sample *of, double *values);

/** Whether two samples took the same way; NULL is one of its own. */
bool clump_calibration_same_transport(const char *a, const char *b);

/** One for each variant, transport, benchmark, quantity, setting, size, window and number of
 * processes, in the order of the samples; on the heap. NULL: out of memory, or no samples. */
clump_calibration_mean *clump_calibration_means(const clump_calibration_samples *samples,
                                                size_t *count);

#endif
