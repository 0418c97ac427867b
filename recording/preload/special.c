/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entry points that begin or end the recording, and marks. */
#include "recording/preload/actions.h"

#pragma weak PMPI_Init
#pragma weak PMPI_Init_thread
#pragma weak PMPI_Finalize
#pragma weak PMPI_Abort

CLUMP_ENTRY int MPI_Init(int *argc, char ***argv)
{
    const int64_t begin = clump_entry_before_init();
    const int result = PMPI_Init(argc, argv);
    clump_entry_after_init(begin, result == MPI_SUCCESS);
    return result;
}

CLUMP_ENTRY int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int64_t begin = clump_entry_before_init();
    const int result = PMPI_Init_thread(argc, argv, required, provided);
    clump_entry_after_init(begin, result == MPI_SUCCESS);
    return result;
}

CLUMP_ENTRY int MPI_Finalize(void)
{
    clump_entry entry;
    if (!clump_entry_begin(&entry, CLUMP_CALL_FINALIZE))
        return PMPI_Finalize();
    const int result = PMPI_Finalize();
    clump_entry_finalized(&entry);
    return result;
}

CLUMP_ENTRY int MPI_Abort(MPI_Comm comm, int code)
{
    clump_entry_abort();
    return PMPI_Abort(comm, code);
}

CLUMP_ENTRY int MPI_Pcontrol(const int level, ...)
{
    clump_entry entry;
    if (!clump_entry_begin(&entry, CLUMP_CALL_MARK))
        return MPI_SUCCESS;
    entry.call.tag = level;
    clump_entry_end(&entry);
    return MPI_SUCCESS;
}
