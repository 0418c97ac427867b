/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_MODEL_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_MODEL_H

/* Internal to fitting/validation*.c: what a prediction is made from, and how. */

#include "fitting/validation/validation.h"
#include "model/prediction.h"
#include "model/traffic.h"

/** All that the model may know about a run. */
typedef struct validation_facts {
    clump_node node;
    size_t nodes;
    clump_loggp network, shared_memory;
    clump_traffic remote, local; /**< of one processor, mean */
    double waited_share;
    double memory_penalty;
    bool half_duplex, lockstep;
    double computation; /**< s of one processor, on the node; NAN if not known */
    double now_time, now_half_width;
    double measured; /**< only for the error */
    bool scaled_traffic;
} validation_facts;

/** One variant's outcome; errors as those of clump_traffic_profile and clump_predict. */
clump_status validation_predict(const validation_facts *facts, size_t variant,
                                clump_validation_outcome *outcome, double *remote_fraction,
                                clump_error *error);

/** How the store answered. */
typedef enum validation_answer {
    VALIDATION_KNOWN = 0,
    VALIDATION_UNKNOWN, /**< `error` says what is missing */
    VALIDATION_FAILED   /**< the store failed, memory ran out; `error` says it */
} validation_answer;

/**
 * A store that is asked the same questions again and again: what a look found is kept. Start with
 * only `store` set.
 */
enum { VALIDATION_NAME = 120 };
typedef struct validation_reader {
    clump_store *store;
    struct validation_look *looks;
    size_t count, room;
    char machine[VALIDATION_NAME]; /**< the last platform, and what it costs to compute there */
    double memory_penalty;
    bool half_duplex;
} validation_reader;

void validation_reader_free(validation_reader *reader);

/** Execution time of an application on a platform: a mean, or the mean of the single samples.
 *  @param layer   variant of the time, or NULL for the multi-protocol one, else the first there is
 *  @param source  or NULL for any
 *  @param found   receives the variant that was taken, or is NULL */
enum { VALIDATION_LAYER_SIZE = 120 };
validation_answer validation_time(validation_reader *reader, const char *platform,
                                  const char *application, const char *layer, const char *source,
                                  double *time, double *half_width,
                                  char found[VALIDATION_LAYER_SIZE], clump_error *error);

/** LogGP parameters of a platform and transport: of the layer, else of none, else if `any`
 *  multi-protocol or the only ones there are. */
validation_answer validation_loggp(validation_reader *reader, const char *platform,
                                   const char *transport, const char *layer, bool any,
                                   clump_loggp *loggp, clump_error *error);

/** What a processor sends through a transport; UNKNOWN if the store has nothing of it. */
validation_answer validation_traffic(validation_reader *reader, const char *platform,
                                     const char *application, const char *transport,
                                     clump_traffic *traffic, clump_error *error);

/** Share of the short messages that an application waits for, from its style. */
validation_answer validation_waited_share(validation_reader *reader, const char *application,
                                          double *waited_share, clump_error *error);

/** One number about an application on a platform, or about a platform (application ""). */
validation_answer validation_number(validation_reader *reader, const clump_store_filter *filter,
                                    double *value, clump_error *error);

/**
 * Read what a run on `platform` is predicted from, and its measured time. Also fills in the times
 * of `run`, as far as they are known.
 */
validation_answer validation_read_facts(validation_reader *reader, clump_validation_run *run,
                                        const clump_store_platform *platform,
                                        validation_facts *facts, clump_error *error);

/** The runs of the thesis: computation from the run on one SMP, traffic of 16 processors. */

/** @param computation  s a processor on the node; left alone where the thesis does not tell */
validation_answer validation_computation(validation_reader *reader,
                                         const clump_store_platform *platform,
                                         const char *application, double *computation,
                                         clump_error *error);
validation_answer validation_scaled_traffic(validation_reader *reader,
                                            const clump_store_platform *platform,
                                            const char *application, clump_traffic *remote,
                                            clump_traffic *local, clump_error *error);

#endif
