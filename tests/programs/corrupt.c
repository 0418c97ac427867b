/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Preloaded into the programs of recording/programs/: their messages arrive with zeros in them, which the
 * programs' own checks have to notice.
 */
#include <mpi.h>

static double zeros[1 << 20];

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator)
{
    return PMPI_Send(data ? zeros : data, count, type, to, tag, communicator);
}

int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm communicator, MPI_Request *request)
{
    return PMPI_Isend(data ? zeros : data, count, type, to, tag, communicator, request);
}

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *in,
                 int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm communicator,
                 MPI_Status *status)
{
    return PMPI_Sendrecv(data ? zeros : data, count, type, to, tag, in, in_count, in_type, from,
                         in_tag, communicator, status);
}

int MPI_Alltoall(const void *data, int count, MPI_Datatype type, void *in, int in_count,
                 MPI_Datatype in_type, MPI_Comm communicator)
{
    return PMPI_Alltoall(data ? zeros : data, count, type, in, in_count, in_type, communicator);
}
