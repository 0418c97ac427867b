/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Shared objects as Orca has them, over multi-threaded Panda (cluster-protocols.txt, section 6.2). The
 * program's operations are shipped to where the object is: to its home by a remote procedure call,
 * or, if it is replicated, to all by a totally ordered broadcast, so that all copies go through the
 * same states. A replicated object is read where it is, without messages.
 *
 * An operation is indivisible. It runs wherever the object is, whoever invoked it, and must depend
 * on nothing but the state and its arguments; it invokes nothing.
 */
#ifndef CLUMP_REPRODUCTIONS_SYSTEMS_ORCA_H
#define CLUMP_REPRODUCTIONS_SYSTEMS_ORCA_H

#include "reproductions/systems/panda.h"

typedef struct clump_orca clump_orca;

enum { CLUMP_ORCA_OBJECTS = 8192, CLUMP_ORCA_ANSWER = 256 /**< bytes, the most */ };

#define CLUMP_ORCA_REPLICATED UINT32_MAX /**< in place of a home */

/** @param answer  room for CLUMP_ORCA_ANSWER bytes
 *  @return bytes of the answer */
typedef size_t clump_orca_operation(void *state, uint32_t by, const void *arguments, size_t size,
                                    void *answer);

/** All workers begin with this. Freed with the worker. */
clump_orca *clump_orca_open(clump_worker *worker);

/**
 * An object; all workers make the same ones, in the same order, before they invoke anything.
 *
 * @param home        the worker that has it, or CLUMP_ORCA_REPLICATED
 * @param state       this worker's copy (only its home needs one), the caller's
 * @param operations  the last is NULL; at most 255
 * @return its number
 */
unsigned clump_orca_object(clump_orca *orca, uint32_t home, void *state,
                           clump_orca_operation *const *operations);

/** Invoke an operation that changes the state, and wait until it has run: at the home, or here.
 *  @return bytes of the answer, of which `most` are written */
size_t clump_orca_invoke(clump_orca *orca, unsigned object, unsigned operation,
                         const void *arguments, size_t size, void *answer, size_t most);

/** Wait until the state of the copy here is as `guard` wants it. */
void clump_orca_await(clump_orca *orca, unsigned object,
                      bool (*guard)(const void *state, void *context), void *context);

#endif
