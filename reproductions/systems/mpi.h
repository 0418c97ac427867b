/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Message passing as MPI has it, over single-threaded Panda (cluster-protocols.txt, section 6.2):
 * blocking sends and receives that are matched by sender and tag, and collective operations, which
 * all workers call in the same order. Reductions go up a binomial tree of messages; broadcasts are
 * Panda's, as the article's port has them, or go down a tree of messages, as MPICH's do: a worker
 * passes a message on when it has all of it.
 *
 * Messages of one worker to another with the same tag are received in the order in which they were
 * sent. A message that is longer than its receiver's room ends the run.
 */
#ifndef CLUMP_REPRODUCTIONS_SYSTEMS_MPI_H
#define CLUMP_REPRODUCTIONS_SYSTEMS_MPI_H

#include "reproductions/systems/panda.h"

typedef struct clump_mpi clump_mpi;

#define CLUMP_MPI_ANY UINT32_MAX /**< any sender, any tag */

/** How broadcasts go. */
typedef enum clump_mpi_broadcasts {
    CLUMP_MPI_OF_PANDA = 0,
    CLUMP_MPI_BINOMIAL, /**< MPICH's own */
    CLUMP_MPI_BINARY    /**< the article's change of it for ASP (7.4) */
} clump_mpi_broadcasts;

/** Combine `with` into `into`, `bytes` of each. */
typedef void clump_mpi_combine(void *into, const void *with, size_t bytes);

/** What has been received. */
typedef struct clump_mpi_status {
    uint32_t from, tag;
    size_t size;
} clump_mpi_status;

/** All workers begin with this. Freed with the worker. */
clump_mpi *clump_mpi_open(clump_worker *worker, clump_mpi_broadcasts broadcasts);

/** Returns when the data may change; tags below 2^31. */
void clump_mpi_send(clump_mpi *mpi, uint32_t to, uint32_t tag, const void *data, size_t size);
/** Waits for a message of up to `most` bytes. */
clump_mpi_status clump_mpi_receive(clump_mpi *mpi, uint32_t from, uint32_t tag, void *data,
                                   size_t most);
/** Handle what has come, without receiving it: whether such a message is there (MPI_Iprobe). */
bool clump_mpi_probe(clump_mpi *mpi, uint32_t from, uint32_t tag);

/* ---- collective operations */

/** From `root` to everybody's `data`. */
void clump_mpi_broadcast(clump_mpi *mpi, uint32_t root, void *data, size_t size);
/** Of everybody's `data`, into that of `root`; the others' are lost. At most 4096 bytes. */
void clump_mpi_reduce(clump_mpi *mpi, uint32_t root, void *data, size_t size,
                      clump_mpi_combine *combine);
/** Into everybody's: reduced at worker 0, then broadcast. */
void clump_mpi_allreduce(clump_mpi *mpi, void *data, size_t size, clump_mpi_combine *combine);
void clump_mpi_barrier(clump_mpi *mpi);

#endif
