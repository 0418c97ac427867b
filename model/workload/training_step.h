/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_TRAINING_STEP_H
#define CLUMP_MODEL_WORKLOAD_TRAINING_STEP_H

/*
 * What a step of training a neural network in parallel asks of a processor (GPU): computation, and collective
 * operations (new; MODEL.md 34). Arithmetic on published volumes, no measurement.
 *
 *   tensor    t: each layer is split over t processors (Shoeybi and others, Megatron-LM, arXiv 1909.08053, section 3)
 *   pipeline  p: stages of layers, through which micro-batches go (Narayanan and others, SC 2021, section 2.2)
 *   data      d: copies, whose gradients are added (ring: Patarasu and Yuan, JPDC 69, 2009), or whose states are
 *             shared out (Rajbhandari and others, ZeRO, SC 2020, section 7)
 *   expert    e: experts of layers of several are on e of the d copies (Lepikhin and others, GShard, 2020; Fedus and
 *             others, Switch Transformers, JMLR 23, 2022)
 *
 * Ranks are numbered as Megatron-LM does: t runs fastest, then d, then p.
 */

#include "model/status.h"
#include "model/workload/collective.h"

/** Numbers that are not whole by nature may be real. */
typedef struct clump_training_step {
    double parameters;        /**< of the model, > 0 */
    double expert_parameters; /**< of these those of experts, 0 to parameters */
    double active_parameters; /**< that a token goes through; NAN: all */
    double layers, hidden;    /**< l, h; needed where t, p or e > 1, or no computation is given */
    double sequence;          /**< s: tokens of a sequence */
    double batch;             /**< B: sequences of a step, of all copies together */
    double microbatches;      /**< m: of a copy in a step */
    double chunks;            /**< v: pieces of the pipeline that a processor has, >= 1 */
    double tensor, pipeline, data, expert;
    double expert_layers;    /**< that have experts, 0 to layers */
    double choices;          /**< experts a token is sent to, with what capacities add; > 0 */
    double gradient_bytes;   /**< of a parameter's gradient, and of a parameter that is gathered */
    double activation_bytes; /**< of a number between layers */
    double flops;            /**< that a processor reaches, 1/s; or NAN */
    double computation_s; /**< of a step and a processor that waits for nobody; NAN: from flops */
    double buckets;       /**< in which gradients are added, one call each; >= 1 */
    /** What else computation takes, as one machine's constants (MODEL.md 34); 0: not counted. Heads of a layer's attention, words of the
     *  vocabulary; bytes of activations a second that pass through memory, and those of the optimizer; the least time of a
     *  layer forward, in which its kernels start. */
    double heads, vocabulary, activation_rate, memory_rate, layer_s;
    int sharded;     /**< ZeRO's stage: 0 none, 1 states, 2 and gradients, 3 and parameters */
    bool recomputes; /**< activations are computed again on the way back */
} clump_training_step;

typedef enum clump_training_part {
    CLUMP_TRAINING_TENSOR,
    CLUMP_TRAINING_PIPELINE,
    CLUMP_TRAINING_EXPERT,
    CLUMP_TRAINING_DATA
} clump_training_part;

typedef struct clump_training_collective {
    clump_training_part part;
    clump_collective_kind kind;
    bool sends;   /**< to the next rank of the communicator; `kind` is not read */
    double bytes; /**< as in clump_collective_operation */
    /** Calls that its processors wait for, those of the pipeline's bubble included. */
    double count;
    double size, stride;
} clump_training_collective;

enum { CLUMP_TRAINING_MOST = 8 };

typedef struct clump_training_work {
    double ranks;         /**< t p d */
    double computation_s; /**< of a processor, waiting in the pipeline's bubble included */
    double bubble;        /**< (p-1)/(v m): that waiting over what it computes */
    clump_training_collective collectives[CLUMP_TRAINING_MOST];
    size_t count;
} clump_training_work;

/**
 * Errors: CLUMP_BAD_ARGUMENT names the number that is out of range, missing, or does not divide another.
 * Cost: O(1).
 */
clump_status clump_training_step_work(const clump_training_step *step, clump_training_work *work,
                                      clump_error *error);

#endif
