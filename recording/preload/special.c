/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Entry points that calls.table cannot tell: sessions, which begin and end the recording otherwise, and marks. */
#include "recording/preload/actions.h"

#ifdef CLUMP_HAS_MPI_4
#pragma weak PMPI_Session_init
#pragma weak PMPI_Session_finalize
#pragma weak PMPI_Comm_create_from_group
#pragma weak PMPI_Pready_list

/*
 * A session is opened by one process alone: no other one need come, so that nothing can be agreed on with others. The recording begins
 * with the first communicator that has all processes, when all of them are there.
 */
CLUMP_ENTRY int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    clump_entry entry;
    const bool recorded = clump_entry_begin(&entry, CLUMP_CALL_OTHER);
    const int result = PMPI_Session_init(info, errhandler, session);
    if (result == MPI_SUCCESS)
        clump_session_opened(*session);
    if (recorded)
        clump_entry_end(&entry);
    return result;
}

CLUMP_ENTRY int MPI_Session_finalize(MPI_Session *session)
{
    clump_entry entry;
    const MPI_Session closed = *session;
    const bool recorded = clump_entry_begin_end(&entry);
    const int result = PMPI_Session_finalize(session);
    clump_session_closed(closed);
    if (recorded)
        clump_entry_finalized(&entry);
    return result;
}

CLUMP_ENTRY int MPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info,
                                           MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
    clump_entry entry;
    if (!clump_entry_begin(&entry, CLUMP_CALL_OTHER)) {
        const int made = PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
        clump_session_communicator(made == MPI_SUCCESS ? *newcomm : MPI_COMM_NULL);
        return made;
    }
    const int result = PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
    clump_entry_lock(&entry);
    clump_act_new_communicator(&entry, newcomm);
    clump_entry_unlock(&entry);
    clump_entry_end(&entry);
    return result;
}

/* Versions of the header differ in a `const`: under another name here. */
CLUMP_ENTRY int clump_pready_list(int count, int *parts,
                                  MPI_Request request) __asm__("MPI_Pready_list");
int clump_pready_list(int count, int *parts, MPI_Request request)
{
    clump_entry entry;
    const bool recorded = clump_entry_begin(&entry, CLUMP_CALL_OTHER);
    const int result = PMPI_Pready_list(count, parts, request);
    if (recorded)
        clump_entry_end(&entry);
    return result;
}
#endif

CLUMP_ENTRY int MPI_Pcontrol(const int level, ...)
{
    clump_entry entry;
    if (!clump_entry_begin(&entry, CLUMP_CALL_MARK))
        return MPI_SUCCESS;
    entry.call.tag = level;
    clump_entry_end(&entry);
    return MPI_SUCCESS;
}
