/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_PRELOAD_TRANSPORTS_H
#define CLUMP_RECORDING_PRELOAD_TRANSPORTS_H

#include <stddef.h>

/**
 * Append what the library sends by, in the words of model/simulation/mpi_transport.h: " (ob1: tcp 65536, vader 4096)", " (ucx: tcp, shm)", with the eager
 * limits that MPI_T tells. Nothing where it is not known. After MPI_Init.
 * @param told      MPI_Get_library_version's whole text
 * @param ucx, ofi  UCX_TLS and FI_PROVIDER; NULL: the user chose nothing
 */
void clump_transports_append(char *text, size_t room, const char *told, const char *ucx,
                             const char *ofi);

#endif
