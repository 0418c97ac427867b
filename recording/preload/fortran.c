/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "recording/preload/fortran.h"
#include "recording/preload/members.h"

#include <dlfcn.h>

static bool is_held(void *const *variable, const MPI_Fint *given)
{
    return variable != NULL && given == *variable;
}

bool clump_fortran_is_ignored(const MPI_Fint *status)
{
    return is_held(clump_library.status_ignore, status) ||
           is_held(clump_library.f08_status_ignore, status);
}

void clump_fortran_status(const MPI_Fint *from, MPI_Status *to)
{
    PMPI_Status_f2c((MPI_Fint *)from, to);
}

static bool are_ignored(const MPI_Fint *statuses)
{
    return is_held(clump_library.statuses_ignore, statuses) ||
           is_held(clump_library.f08_statuses_ignore, statuses);
}

/* More than that are not looked at, as in C. */
enum { STATUSES_MOST = 1 << 16 };

MPI_Fint *clump_fortran_statuses(int count, MPI_Fint *statuses)
{
    if (!are_ignored(statuses) || count <= 0 || count > STATUSES_MOST)
        return statuses;
    MPI_Fint *own = clump_entry_scratch(CLUMP_SCRATCH_FORTRAN_STATUSES, (size_t)count,
                                        CLUMP_FORTRAN_STATUS * sizeof *own);
    return own != NULL ? own : statuses;
}

MPI_Status *clump_fortran_statuses_after(int count, const MPI_Fint *statuses)
{
    if (are_ignored(statuses) || count <= 0)
        return MPI_STATUSES_IGNORE;
    MPI_Status *to = clump_entry_scratch(CLUMP_SCRATCH_STATUSES, (size_t)count, sizeof(MPI_Status));
    for (int i = 0; i < count && to != NULL; i++)
        PMPI_Status_f2c((MPI_Fint *)statuses + (size_t)i * CLUMP_FORTRAN_STATUS, &to[i]);
    return to != NULL ? to : MPI_STATUSES_IGNORE;
}

MPI_Request *clump_fortran_requests(int count, const MPI_Fint *requests)
{
    if (count <= 0)
        return NULL;
    MPI_Request *to =
        clump_entry_scratch(CLUMP_SCRATCH_FORTRAN_REQUESTS, (size_t)count, sizeof *to);
    for (int i = 0; i < count && to != NULL; i++)
        to[i] = PMPI_Request_f2c(requests[i]);
    return to;
}

const MPI_Datatype *clump_fortran_types(int which, bool neighbours, MPI_Comm comm,
                                        const MPI_Fint *types)
{
    size_t count = clump_members_count(clump_members_of(comm)), in, out;
    if (neighbours) {
        clump_neighbour_degrees(comm, &in, &out);
        count = which == 0 ? out : in;
    }
    MPI_Datatype *to = clump_entry_scratch(CLUMP_SCRATCH_FORTRAN_TYPES + which, count, sizeof *to);
    for (size_t i = 0; i < count && to != NULL; i++)
        to[i] = PMPI_Type_f2c(types[i]);
    return to;
}

int clump_fortran_index(MPI_Fint index)
{
    return index == MPI_UNDEFINED ? MPI_UNDEFINED : (int)index - 1;
}

int *clump_fortran_indices(MPI_Fint outcount, const MPI_Fint *indices)
{
    if (outcount == MPI_UNDEFINED || outcount <= 0)
        return NULL;
    int *to = clump_entry_scratch(CLUMP_SCRATCH_INDICES, (size_t)outcount, sizeof *to);
    for (int i = 0; i < outcount && to != NULL; i++)
        to[i] = (int)indices[i] - 1;
    return to;
}

/* Open MPI compares with the address of a common block, which has the name that the compiler gives it; MPICH keeps the address. */
static const void *in_place(void)
{
    static const void *_Atomic found;
    static _Atomic bool looked;
    if (!looked) {
#ifdef OPEN_MPI
        found = dlsym(RTLD_DEFAULT, "mpi_fortran_in_place_");
#else
        void *const *address = dlsym(RTLD_DEFAULT, "MPIR_F_MPI_IN_PLACE");
        found = address != NULL ? *address : NULL;
#endif
        looked = true;
    }
    return found;
}

void *clump_fortran_buffer(const void *buffer)
{
    return buffer != NULL && buffer == in_place() ? MPI_IN_PLACE : (void *)buffer;
}

bool clump_fortran_is_running(void)
{
    int initialized = 0;
    PMPI_Initialized(&initialized);
    return initialized != 0;
}

/* ---- entry points as those of special.c */

static void mark(const MPI_Fint *level)
{
    clump_entry entry;
    if (!clump_entry_begin(&entry, CLUMP_CALL_MARK))
        return;
    entry.call.tag = (int)*level;
    clump_entry_end(&entry);
}

CLUMP_FORTRAN_NAMES(pcontrol, (MPI_Fint * level))
{
    mark(level);
}

#ifndef OPEN_MPI
#define F08(name, parameters)                                                                      \
    CLUMP_ENTRY void mpi_##name##_f08_ parameters;                                                 \
    void mpi_##name##_f08_ parameters
F08(pcontrol, (MPI_Fint * level))
{
    mark(level);
}
#endif

/* The module mpi_f08 of MPICH passes these on to PMPI; handles are INTEGERs there. */
#if !defined(OPEN_MPI) && MPI_VERSION >= 4
extern void pmpir_session_init_f08_(MPI_Fint *info, MPI_Fint *errhandler, MPI_Fint *session,
                                    MPI_Fint *error);
extern void pmpir_session_finalize_f08_(MPI_Fint *session, MPI_Fint *error);
extern void pmpir_comm_create_from_group_f08_(MPI_Fint *group, char *tag, MPI_Fint *info,
                                              MPI_Fint *errhandler, MPI_Fint *comm, MPI_Fint *error,
                                              size_t length);
extern void pmpir_pready_list_f08_(MPI_Fint *count, MPI_Fint *parts, MPI_Fint *request,
                                   MPI_Fint *error);

F08(session_init, (MPI_Fint * info, MPI_Fint *errhandler, MPI_Fint *session, MPI_Fint *error))
{
    clump_entry entry;
    const bool recorded = clump_entry_begin(&entry, CLUMP_CALL_OTHER);
    const MPI_Fint before = *session;
    pmpir_session_init_f08_(info, errhandler, session, error);
    if (*session != before && PMPI_Session_f2c(*session) != MPI_SESSION_NULL)
        clump_session_opened(PMPI_Session_f2c(*session));
    if (recorded)
        clump_entry_end(&entry);
}

F08(session_finalize, (MPI_Fint * session, MPI_Fint *error))
{
    clump_entry entry;
    const MPI_Session closed = PMPI_Session_f2c(*session);
    const bool recorded = clump_entry_begin_end(&entry);
    pmpir_session_finalize_f08_(session, error);
    clump_session_closed(closed);
    if (recorded)
        clump_entry_finalized(&entry);
}

F08(comm_create_from_group, (MPI_Fint * group, char *tag, MPI_Fint *info, MPI_Fint *errhandler,
                             MPI_Fint *newcomm, MPI_Fint *error, size_t length))
{
    clump_entry entry;
    const bool recorded = clump_entry_begin(&entry, CLUMP_CALL_OTHER);
    pmpir_comm_create_from_group_f08_(group, tag, info, errhandler, newcomm, error, length);
    const MPI_Comm comm = PMPI_Comm_f2c(*newcomm);
    if (!recorded) {
        clump_session_communicator(comm);
        return;
    }
    clump_entry_lock(&entry);
    clump_act_new_communicator(&entry, &comm);
    clump_entry_unlock(&entry);
    clump_entry_end(&entry);
}

F08(pready_list, (MPI_Fint * count, MPI_Fint *parts, MPI_Fint *request, MPI_Fint *error))
{
    clump_entry entry;
    const bool recorded = clump_entry_begin(&entry, CLUMP_CALL_OTHER);
    pmpir_pready_list_f08_(count, parts, request, error);
    if (recorded)
        clump_entry_end(&entry);
}
#endif
