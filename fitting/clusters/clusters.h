/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_CLUSTERS_H
#define CLUMP_FITTING_CLUSTERS_CLUSTERS_H

/*
 * What benchmarks and programs do on clusters of today, whose nodes have many processors behind one
 * NIC or a few, predicted from the store and judged by it (MODEL.md, "Clusters of today").
 *
 * The rule: what is predicted is never among what it is predicted from. Each kind says from which
 * samples its predictions are; the measured value is only read to be compared with. Where there is
 * none the prediction stands alone.
 */

#include "data/store/store.h"
#include "model/status.h"
#include "model/workload/nccl.h"

#include <stddef.h>
#include <stdint.h>

typedef enum clump_cluster_kind {
    /** Rates of k pairs of processes whose nodes share NICs: from one pair at all sizes, and from the
     *  most pairs at one size. */
    CLUMP_CLUSTER_PAIRS,
    /** Times of programs behind more, fewer or other NICs: from their runs on another platform, and from
     *  benchmarks of pairs on both, or descriptions of both. */
    CLUMP_CLUSTER_NICS,
    /** Times of programs that add up over all processes in each step, on more nodes: from one node, and
     *  from a benchmark of allreduce. */
    CLUMP_CLUSTER_TRAINING,
    /** Steps of training a transformer in parallel: from its sizes and parts, and steps on one node. */
    CLUMP_CLUSTER_STEPS,
    /** Times of collective operations: from LogGP within nodes, fitted to the other operations, and
     *  between them, and from benchmarks of pairs. */
    CLUMP_CLUSTER_COLLECTIVES,
    /** The same behind other NICs: from those on another platform, and from benchmarks of pairs on
     *  both. */
    CLUMP_CLUSTER_COLLECTIVES_OTHER_NICS,
    CLUMP_CLUSTER_KINDS
} clump_cluster_kind;

enum { CLUMP_CLUSTER_RIVALS = 2 };

/** A kind: its name, and what anybody would say instead. */
typedef struct clump_cluster_kind_entry {
    const char *name;                         /**< "pairs" */
    const char *rivals[CLUMP_CLUSTER_RIVALS]; /**< in a few words */
} clump_cluster_kind_entry;

extern const clump_cluster_kind_entry clump_cluster_kinds[CLUMP_CLUSTER_KINDS];

/** What to predict. NULL: any. */
typedef struct clump_cluster_request {
    clump_cluster_kind kind;
    const char *platform;  /**< only what is on this one */
    const char *from;      /**< platform to predict from, where that is another one */
    const char *transport; /**< of benchmarks, where the program's samples do not say it */
    /** What NCCL runs on: its collectives are predicted from that, whatever `nodes` says; NULL: from benchmarks. */
    const clump_nccl_node *nccl;
} clump_cluster_request;

/** One prediction. Texts live as long as the judgement. */
typedef struct clump_cluster_row {
    const char *set;  /**< whose errors are averaged: platform, transport and what was run */
    const char *part; /**< of the set: "4 pairs" */
    const char *platform;
    const char *transport; /**< "" if none */
    const char *variant;   /**< "" if none */
    const char *subject;   /**< benchmark or application */
    const char *quantity;  /**< what is predicted, in its canonical unit */
    const char *from;    /**< platform that it is predicted from, if that is another one, or NULL */
    const char *limit;   /**< what the prediction is limited by, or NULL */
    const char *note;    /**< what is to be known about this row, or NULL */
    const char *problem; /**< why there is no prediction, or NULL */
    int64_t nodes;       /**< 0: not known */
    int64_t processes;   /**< 0: not known */
    int64_t size_bytes;  /**< of messages; -1: none */
    double measured;     /**< NAN: it was not */
    double predicted;    /**< NAN: there is a problem */
    double error;        /**< predicted/measured - 1; NAN */
    double low, high;    /**< 90% interval, from the errors of the other sets; NAN: fewer than 9 */
    double rivals[CLUMP_CLUSTER_RIVALS]; /**< what they say; NAN: nothing */
} clump_cluster_row;

typedef struct clump_cluster_judgement {
    clump_cluster_kind kind;
    clump_cluster_row *rows; /**< those of a set, and of a part of it, stand together */
    size_t count;
    void *memory; /**< what all of it lives in */
} clump_cluster_judgement;

/** Errors over some rows that are predicted and measured. */
typedef struct clump_cluster_summary {
    const char *set, *part; /**< for who shows it */
    size_t count;           /**< of rows with an error; the rest is NAN if there are none */
    size_t alone;           /**< rows predicted, but not measured */
    double mean_absolute, greatest, bias;
    double covered; /**< share of them that are within their intervals; NAN if none has one */
    int64_t greatest_size; /**< of the row with the greatest error; -1 */
    double rival_mean_absolute[CLUMP_CLUSTER_RIVALS];
} clump_cluster_summary;

/**
 * Predict all that the store has the samples for.
 * Errors: CLUMP_BAD_ARGUMENT if there is no such platform or nothing to predict (the message says what
 *         that needs); CLUMP_INCONSISTENT if the store fails; CLUMP_NO_MEMORY.
 * Cost: proportional to the samples of the quantities it looks at.
 */
clump_status clump_clusters_judge(clump_store *store, const clump_cluster_request *request,
                                  clump_cluster_judgement *judgement, clump_error *error);

void clump_clusters_free(clump_cluster_judgement *judgement);

clump_cluster_summary clump_clusters_summarize(const clump_cluster_row *rows, size_t count);

/** Kind of that name, or CLUMP_CLUSTER_KINDS. */
clump_cluster_kind clump_cluster_kind_find(const char *name);

#endif
