/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_CLUSTER_SAMPLES_H
#define CLUMP_FITTING_CLUSTERS_CLUSTER_SAMPLES_H

/*
 * Samples of the store in one array, and the rows made from them; shared by all kinds of predictions.
 *
 * All memory is the work's arena, and goes with it. What fails is kept in the work: the first failure stays, and whatever is
 * asked for after it is empty ("", NULL, no samples), so that only who would go on for long has to look.
 */

#include "data/arena.h"
#include "fitting/clusters/clusters.h"

#include <stdbool.h>

/** A sample; texts are never NULL. */
typedef struct clump_cluster_sample {
    const char *platform, *application, *transport, *variant, *quantity, *statistic, *benchmark,
        *source;
    int64_t window, processes, size_bytes, run;
    double value, half_width, std_dev, delay_us;
    bool doubtful;
} clump_cluster_sample;

typedef struct clump_cluster_samples {
    clump_cluster_sample *items;
    size_t count;
} clump_cluster_samples;

/** A judgement that is being made. */
typedef struct clump_cluster_work {
    clump_store *store;
    const clump_cluster_request *request;
    clump_arena *arena;
    clump_cluster_row *rows;
    size_t count;
    struct clump_nic_comparison *compared; /**< NICs that were compared so far (nic_rates.h) */
    clump_status status;                   /**< of the first failure, */
    clump_error *error;                    /**< which is here; may be NULL */
} clump_cluster_work;

/** Append all samples that pass the filter; a name that does not exist finds none.
 *  @return NOT_FOUND in that case; for whom that is a mistake */
clump_store_status clump_cluster_samples_load(clump_cluster_work *work,
                                              const clump_store_filter *filter,
                                              clump_cluster_samples *samples);

/** Leave those that are wanted. */
void clump_cluster_samples_keep(clump_cluster_samples *samples,
                                bool (*wanted)(const clump_cluster_sample *sample));

/** Leave one statistic of each measurement: of average, least and greatest the average. Memory of GPUs, which a benchmark's title
 *  tells, becomes part of the transport ("openmpi-gpu"). */
void clump_cluster_samples_leave_central(clump_cluster_work *work, clump_cluster_samples *samples);

/** Sort, and let samples that compare as equal (repeated runs) become their mean. */
void clump_cluster_samples_merge(clump_cluster_samples *samples,
                                 int (*compare)(const void *, const void *));

/** What all runs of a benchmark on a platform have in common: platform, transport, variant, benchmark, quantity,
 *  statistic, window. < 0, 0, > 0. */
int clump_cluster_compare_tables(const clump_cluster_sample *a, const clump_cluster_sample *b);

/** The same, then processes, then size; for qsort. */
int clump_cluster_compare(const void *first, const void *second);

/** How many of `count` samples from the first on have that in common, and their processes if wanted. */
size_t clump_cluster_table_length(const clump_cluster_sample *first, size_t count,
                                  bool of_processes);

/** The value of the one among samples sorted by clump_cluster_compare that is equal to `wanted`; NAN: there is none. */
double clump_cluster_find(const clump_cluster_sample *samples, size_t count,
                          const clump_cluster_sample *wanted);

/** Value at a size between those of two samples: its logarithm is linear in that of the size. */
double clump_cluster_between(const clump_cluster_sample *low, const clump_cluster_sample *high,
                             double size_bytes);

/** The time for messages of a size, from `count` samples sorted by size. Below the least size it is that of the least,
 *  above the greatest it takes as long for each byte. */
double clump_cluster_time_at(const clump_cluster_sample *samples, size_t count, double size_bytes);

/** Sort texts, and leave each once. @return how many are left */
size_t clump_cluster_unique(const char **texts, size_t count);

/** Zeroed memory of the work's arena; NULL without memory. */
void *clump_cluster_take(clump_cluster_work *work, size_t size);

/** A text in the work's arena, as printf makes it. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
const char *
clump_cluster_text(clump_cluster_work *work, const char *format, ...);

/** Append a row; its error follows from its values. */
void clump_cluster_add(clump_cluster_work *work, const clump_cluster_row *row);

/** Nodes of a platform; all 0 if there is none of that name. */
typedef struct clump_cluster_node {
    double processors, nics;
    bool is_static; /**< each process uses one of the NICs */
} clump_cluster_node;

clump_cluster_node clump_cluster_node_of(clump_cluster_work *work, const char *platform);

#endif
