/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_CONSTANTS_H
#define CLUMP_MODEL_CONSTANTS_H

/*
 * Internal to model/ and model/workload/: the numbers that were chosen, each with where it comes from. Facts of other people's
 * programs stand with their sources in workload/collective_choice.c and workload/nccl.c, limits of arguments in the headers of the
 * functions that have them, what is fitted in model_error_table.h.
 *
 * "Measured": -O3, on one processor of an AMD EPYC (docs/performance.md has more).
 */

#include <float.h>

/* ---- nothing, beside 1 */

/** Probabilities that count as nothing in the closed network: well above 2e-308, below which doubles are denormal and slow. */
#define MODEL_NEGLIGIBLE_PROBABILITY 1e-300
/** A processor with less communication than this neither notices the NICs nor is noticed: U/(1-U) times any mu stays above the
 *  probability above. */
#define MODEL_LEAST_UTILIZATION 1e-290
/** The same of a transient, where 1/U appears beside rates of 1e-50 to 1e50: no quotient leaves the range of double. */
#define MODEL_LEAST_TRANSIENT_UTILIZATION 1e-280
/** Communication over computation that a schedule leaves out: its square, with X^2 of the objective, is below 1e-49. */
#define MODEL_LEAST_COMMUNICATION 1e-25
/** States so much less likely than the likeliest end a sum over likely states: with 10^8 of them the rest is below 1e-24. */
#define MODEL_UNLIKELY 1e-32
/** At least so many states around the peak are summed: next to U = 0 or 1 those that communicate, or compute, are in the states
 *  beside it, and 64 of a ratio below 1/2 are below 1e-19. */
#define MODEL_LEAST_STATES 64
/** States that a walk by jumps leaves out: a million jumps then lose 1e-18 of a probability. */
#define MODEL_UNLIKELY_JUMP 1e-24

/* ---- rounding */

/** Draws of a node (slowest.h) times P^2: some seconds for stages of 200 processors, less for fewer. */
#define MODEL_DRAWN_STATES 262144.0
/** Of these numbers are kept for the next question: 64 KiB a thread. */
#define MODEL_KEPT_DRAWS 8192
/** Rates that differ by less are the same: they are products and quotients of some eight numbers, each with a rounding. */
#define MODEL_SAME_RATE (1 + 16 * DBL_EPSILON)
/** Rounding that a jump may leave in the sum of |p - pi|: a twentieth of eps, measured over 10^6 jumps. */
#define MODEL_NOISE_PER_JUMP 1e-17
/** Distance from equilibrium at which a transient has arrived: half of the accuracy of its inversion. */
#define MODEL_ARRIVED 1e-12
/** Below this active share 1 - (1-U)/X has lost three of 16 digits, and is computed otherwise. */
#define MODEL_LEAST_ACTIVE 1e-3
/** Relative error allowed to a transient's inversion on P states: what two contours agree to over tests/golden/transient.csv,
 *  and a rounding for each state. */
#define MODEL_TRANSIENT_ACCURACY(P) (2e-12 + 1e-16 * (double)(P))

/* ---- where a quicker method takes over (measured) */

/** Processors from which only likely states are summed, in 0.01 ms; all states of fewer take 0.12 ms at most. */
#define MODEL_LIKELY_FROM ((size_t)4096)
/** The same of Erlang's recursion, a nanosecond a step: a millisecond, likely states 0.15. */
#define MODEL_LIKELY_FROM_CONSTANT 0x1p+20
/** Bytes up to which all rows of the closed network are kept, which saves a second pass: 2,500 distinct processors. */
#define MODEL_KEPT_ROWS ((size_t)48 << 20)
/** Processors from which one pass over all states takes 0.2 ms, a transient 30: callers are then asked in between, and fewer
 *  inversions tried. */
#define MODEL_MANY_STATES 10000
/** States, and ns, between two questions whether to go on: some milliseconds, 20 ms. */
#define MODEL_STATES_UNASKED 2e6
#define MODEL_NS_UNASKED 2e7
#define MODEL_NS_PER_STATE 3
/** Seconds that trying numbers of NICs may take, and what a prediction takes at most, ns: for each pair of processors with memory
 *  (3 measured), for each processor where all are alike (28), or mapped statically (16, more with slots), for each pair at different
 *  distances (1.4). */
#define MODEL_SECONDS_OF_TRIES 4
#define MODEL_NS_WITH_MEMORY 10
#define MODEL_NS_ALIKE 50
#define MODEL_NS_STATIC 300
#define MODEL_NS_DIFFERENT 2
/** Numbers of NICs above the least that is enough which are tried, too: one that is not enough after all mostly is the next one. */
#define MODEL_TRIED_BEYOND ((size_t)256)

/* ---- shapes of methods */

/** Nodes of Talbot's contour (Weideman, SIAM J. Numer. Anal. 44, 2006): the error is 3.89^-n, rounding grows with exp(n/4); 26
 *  has 5e-16 and some 1e-13, and 36 agrees with it where both are right. */
#define MODEL_FEW_NODES 26
#define MODEL_MORE_NODES 36
/** Inversions that Newton's method usually needs (doubling digits from 1e-1 on, twice), and after which it is given up. */
#define MODEL_USUAL_INVERSIONS 8
#define MODEL_MOST_INVERSIONS 60
#define MODEL_FEWER_INVERSIONS 16
/** Jumps of a piece, at least: a Poisson distribution of mean 245 ends within 400 but for 1e-16 (below). */
#define MODEL_LEAST_JUMPS 400
/** A Poisson distribution has less than 1e-16 beyond mean +- (8.5 sqrt(mean) + 30): Chernoff's bound. */
#define MODEL_POISSON_SPREAD 8.5
#define MODEL_POISSON_LEAST 30
/** Steps in which the utilization is sought at which a limit is left: X(U) has one minimum. */
#define MODEL_UTILIZATION_STEPS 128
/** Windows up to which the chain of selective repetition knows who was sent once and who twice, w^2/2 states: 7 ms. */
#define MODEL_BOTH_COUNTS 64
#define MODEL_CHAIN_STEPS 20000

/* ---- collective operations */

/** Ranks up to which ways down a tree, and crossings of folded ranks, are counted one by one: 1 ms. */
#define MODEL_MOST_COUNTED 256
/** Numbers of ranks and nodes are whole; half of one tells them apart. A relative 1e-9 is rounding of products of such. */
#define MODEL_ROUNDED 1e-9

#endif
