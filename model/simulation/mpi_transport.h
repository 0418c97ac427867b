/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_MPI_TRANSPORT_H
#define CLUMP_MODEL_SIMULATION_MPI_TRANSPORT_H

/*
 * How MPI libraries hand messages on (MODEL.md 30, "The library"): one table for all of them, with where each row is from.
 */

#include <stdbool.h>
#include <stdint.h>

/** One way from rank to rank. */
typedef struct clump_mpi_transport {
    const char *pml;     /**< what the library sends by: "ob1", "ucx", "ofi" */
    const char *name;    /**< "tcp", "vader", ... */
    bool local;          /**< between ranks of a node */
    uint64_t eager_most; /**< bytes: longer messages are announced, and wait for their receive */
    uint64_t
        whole_most; /**< bytes: of longer messages each NIC takes a share, as long as so many are left */
    /** Of an announced message: the sender sends it once it is asked to, inside of a call; else the receiver fetches it, whatever the sender
     *  does. */
    bool sender_moves;
    /** Its send ends when the receiver says that all is there; else when no more than `buffer` bytes have not left (sender_moves), or
     *  when the receiver says so. */
    bool confirms;
    uint64_t buffer; /**< bytes that the operating system takes at once */
    bool hardware;   /**< NICs match messages and answer: nobody has to be inside of a call */
    uint64_t window; /**< bytes of a connection that wait at a NIC (schedule.h) */
    bool
        turns; /**< NICs in turn for each partner (Open MPI over TCP); else short messages take one NIC */
} clump_mpi_transport;

/** Between nodes, and within one. */
typedef struct clump_mpi_transports {
    clump_mpi_transport remote, local;
    bool noted; /**< as the recording says; else as such a library does by default over TCP */
    bool known; /**< the library is, so that its messages take NICs as it has them */
} clump_mpi_transports;

/**
 * @param library  as recorded: "Open MPI v4.1.4", or with what it used, "MPICH 4.0.2 (ucx: tcp)", "Open MPI v4.1.4 (ob1: tcp 65536, vader 4096)",
 *                 whose numbers are eager limits; NULL: not known
 */
clump_mpi_transports clump_mpi_transports_of(const char *library);

#endif
