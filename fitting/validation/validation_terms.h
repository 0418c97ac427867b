/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_VALIDATION_VALIDATION_TERMS_H
#define CLUMP_FITTING_VALIDATION_VALIDATION_TERMS_H

/* Internal to fitting/validation/: what the rules say of a run. */

#include "fitting/validation/validation_facts.h"

/**
 * What one variant says of a run; intervals and the error in sample are the caller's.
 * @param constants  CLUMP_RULE_CONSTANTS values
 * @param remote_fraction  receives f; may be NULL
 * Errors: those of clump_traffic_profile and clump_predict.
 */
clump_status validation_predict(const validation_facts *facts, size_t variant,
                                const double *constants, clump_validation_outcome *outcome,
                                double *remote_fraction, clump_error *error);

/** Only the time, s: a third of the work. */
clump_status validation_predict_time(const validation_facts *facts, size_t variant,
                                     const double *constants, double *predicted,
                                     clump_error *error);

/** c(k) of the node by these constants: computation there over that on the NOW. */
clump_status validation_penalty(const validation_facts *facts, size_t variant,
                                const double *constants, double *penalty, clump_error *error);

/** What a processor of the NOW computes, s, by a run in one node; NAN if there is none. */
clump_status validation_computation_now(const validation_facts *facts, size_t variant,
                                        const double *constants, double *computation,
                                        clump_error *error);

#endif
