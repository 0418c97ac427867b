/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A global address space, as the thesis's Split-C has it (5.3.3): every worker has memory that all
 * others can read and write by rank and place. Workers run the same program, and see to the order of
 * their accesses themselves.
 *
 * Most accesses are split: they begin here and are complete behind a later call.
 *
 *   put, get     complete at the caller's next clump_space_sync
 *   store        one way: complete where it arrives. The receiver counts (clump_space_store_sync), or
 *                all wait for all (clump_space_all_store_sync)
 *   call         a function of the program runs at the other end, and has ended there after the
 *                caller's next clump_space_sync
 *
 * Order: nothing is promised between accesses, not even to the same place, unless one of them is
 * complete before the other begins. Functions that are called, and stores, take effect only while the
 * receiver is in a call of this interface, so that a program never sees its memory change otherwise.
 *
 * Places are multiples of 4 bytes from the beginning of the memory, the same at each worker that
 * allocates in the same order. Short accesses move up to six words of 4 bytes in a message: of its
 * eight, this layer keeps two, as Split-C did. Bulk ones are cut into pieces of 8192 bytes.
 *
 * An access beyond the memory of its receiver ends the run. So does whatever else goes wrong: no
 * function returns an error (worker.h).
 */
#ifndef CLUMP_REPRODUCTIONS_SYSTEMS_GLOBAL_SPACE_H
#define CLUMP_REPRODUCTIONS_SYSTEMS_GLOBAL_SPACE_H

#include "reproductions/systems/worker.h"

typedef struct clump_space clump_space;

enum {
    CLUMP_SPACE_WORDS = 6,     /**< of 4 bytes, in a short access */
    CLUMP_SPACE_FUNCTIONS = 16 /**< that can be called */
};

/** At the other end of a call; may neither send nor wait. */
typedef void clump_space_function(clump_space *space, const uint32_t *words, unsigned count,
                                  void *context);

/** All workers begin with this, and with the same number of bytes. Freed with the worker. */
clump_space *clump_space_open(clump_worker *worker, size_t bytes);

clump_worker *clump_space_worker(const clump_space *space);

/** Room for so many bytes, aligned to 64; the place of the first. */
uint32_t clump_space_allocate(clump_space *space, size_t bytes);
/** What is at a place of one's own memory. */
void *clump_space_at(clump_space *space, uint32_t place);

/* ---- one to six words */

void clump_space_put(clump_space *space, uint32_t to, uint32_t place, const void *words,
                     unsigned count);
void clump_space_store(clump_space *space, uint32_t to, uint32_t place, const void *words,
                       unsigned count);
/** From there to a place of one's own memory. */
void clump_space_get(clump_space *space, uint32_t from, uint32_t place, uint32_t mine,
                     unsigned count);
void clump_space_call(clump_space *space, uint32_t to, unsigned function, const uint32_t *words,
                      unsigned count);
/** What function 0 to 15 is; before the first barrier. */
void clump_space_define(clump_space *space, unsigned index, clump_space_function *function,
                        void *context);

/* ---- any number of bytes that is a multiple of 4 */

void clump_space_store_bulk(clump_space *space, uint32_t to, uint32_t place, const void *data,
                            size_t bytes);
void clump_space_get_bulk(clump_space *space, uint32_t from, uint32_t place, uint32_t mine,
                          size_t bytes);

/* ---- completion */

/** My puts, gets and calls are complete. */
void clump_space_sync(clump_space *space);
/** So many bytes more than those that earlier calls waited for have arrived here by stores. Which
 *  stores they are it cannot tell: a barrier keeps those of the next phase away. */
void clump_space_store_sync(clump_space *space, uint64_t bytes);
/** My puts, gets, calls and stores are all answered: nothing that I sent is under way. */
void clump_space_quiet(clump_space *space);
/** All that all workers have sent has arrived. */
void clump_space_all_store_sync(clump_space *space);
/** All are here. Workers form a binary tree by rank, the parent of r being (r-1)/2: a message up and
 *  one down for each but the first. */
void clump_space_barrier(clump_space *space);

/* ---- all together; each is a barrier, too */

typedef enum clump_space_combine { CLUMP_SPACE_SUM = 0, CLUMP_SPACE_MAX } clump_space_combine;

/** Of everybody's value; everybody gets it. */
uint64_t clump_space_reduce(clump_space *space, uint64_t value, clump_space_combine combine);

#endif
