/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_GRADIENTS_H
#define CLUMP_MODEL_WORKLOAD_GRADIENTS_H

/*
 * A step of training in parallel, at whose end all P processes add up gradients of S bytes. Whatever the algorithm, the
 * NICs of a node carry 2 (P-1)/P S bytes each way: rings go through all processes and pass each node once (Patarasu and
 * Yuan, JPDC 69, 2009), pairs of trees send as much up and down together (NCCL). Of that time what computation hides is
 * none of the step's (MODEL.md 34).
 *
 * Times in one unit, and bandwidths in bytes by it.
 */

/** Time that the NICs of a node, all together of this bandwidth, take for gradients of `bytes` of `processes` (> 0). */
double clump_gradients_time(double bytes, double processes, double bandwidth);

/** What a step consists of. */
typedef struct clump_gradients_step {
    double alone;   /**< the step without what is not hidden of the exchange */
    double exposed; /**< what is not hidden */
    double hidden;  /**< share of the exchange that is */
} clump_gradients_step;

/**
 * From a step that was measured.
 *
 * @param exchange  clump_gradients_time with the NICs that were measured
 * @param hidden    share of the exchange that computation hides, 0 to 1; not hidden is `step` at most
 * @param longer    what the step takes longer than on one node, which bounds what is not hidden; INFINITY: not known
 */
clump_gradients_step clump_gradients_measured(double step, double exchange, double hidden,
                                              double longer);

/** The step where the exchange takes so long. Computation hides the same share of it, and no more than it takes itself. */
double clump_gradients_predict(const clump_gradients_step *step, double exchange);

#endif
