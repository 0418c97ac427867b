/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_STATUS_H
#define CLUMP_MODEL_STATUS_H

/*
 * The error convention of model/, stated once.
 *
 * Every function that can fail returns a clump_status. It writes its outputs only when it returns
 * CLUMP_OK; otherwise it leaves a sentence in the caller's clump_error, which may be NULL. Nothing
 * in model/ prints, exits, aborts or keeps state between calls.
 */

typedef enum clump_status {
    CLUMP_OK = 0,
    CLUMP_BAD_ARGUMENT,   /**< the message names the argument, its value and what was expected */
    CLUMP_NO_MEMORY,      /**< an allocation failed; everything acquired has been released */
    CLUMP_NO_CONVERGENCE, /**< an iteration did not reach its tolerance */
    CLUMP_INCONSISTENT,   /**< a solution failed its own checks and is withheld */
    CLUMP_STOPPED         /**< the caller's clump_watch said stop (watch.h) */
} clump_status;

typedef struct clump_error {
    clump_status status;
    char message[256];
} clump_error;

/**
 * Fill in `error` (if not NULL) as printf would, and return `status`, so that a function can end
 * with `return clump_fail(...)`.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
clump_status
clump_fail(clump_error *error, clump_status status, const char *format, ...);

/** Shorthand for a failed allocation of `what`. */
clump_status clump_fail_memory(clump_error *error, const char *what);

#endif
