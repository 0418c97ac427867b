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

/* ---- entry points that begin or end the recording, and marks */

static bool is_running(void)
{
    int initialized = 0;
    PMPI_Initialized(&initialized);
    return initialized != 0;
}

/* NAME is how the entry point begins (CLUMP_FORTRAN_NAMES, or a name alone), REAL what it passes on to. */
#define SPECIAL(kind, name, real, parameters, arguments)                                           \
    extern void real parameters;                                                                   \
    name(parameters)                                                                               \
    {                                                                                              \
        SPECIAL_##kind(real arguments)                                                             \
    }

#define SPECIAL_INIT(call)                                                                         \
    const int64_t begin = clump_entry_before_init();                                               \
    call;                                                                                          \
    clump_entry_after_init(begin, is_running(), MPI_COMM_WORLD);

#define SPECIAL_FINALIZE(call)                                                                     \
    clump_entry entry;                                                                             \
    const bool recorded = clump_entry_begin_end(&entry);                                           \
    call;                                                                                          \
    if (recorded) {                                                                                \
        clump_entry_closed();                                                                      \
        clump_entry_finalized(&entry);                                                             \
    }

#define SPECIAL_ABORT(call)                                                                        \
    clump_entry_abort();                                                                           \
    call;

#define NAME_INIT(parameters) CLUMP_FORTRAN_NAMES(init, parameters)
#define NAME_INIT_THREAD(parameters) CLUMP_FORTRAN_NAMES(init_thread, parameters)
#define NAME_FINALIZE(parameters) CLUMP_FORTRAN_NAMES(finalize, parameters)
#define NAME_ABORT(parameters) CLUMP_FORTRAN_NAMES(abort, parameters)

SPECIAL(INIT, NAME_INIT, pmpi_init_, (MPI_Fint * error), (error))
SPECIAL(INIT, NAME_INIT_THREAD, pmpi_init_thread_,
        (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *error), (required, provided, error))
SPECIAL(FINALIZE, NAME_FINALIZE, pmpi_finalize_, (MPI_Fint * error), (error))
SPECIAL(ABORT, NAME_ABORT, pmpi_abort_, (MPI_Fint * comm, MPI_Fint *code, MPI_Fint *error),
        (comm, code, error))

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
#define F08_INIT(parameters) F08(init, parameters)
#define F08_INIT_THREAD(parameters) F08(init_thread, parameters)
#define F08_FINALIZE(parameters) F08(finalize, parameters)
#define F08_ABORT(parameters) F08(abort, parameters)

SPECIAL(INIT, F08_INIT, pmpir_init_f08_, (MPI_Fint * error), (error))
SPECIAL(INIT, F08_INIT_THREAD, pmpir_init_thread_f08_,
        (MPI_Fint * required, MPI_Fint *provided, MPI_Fint *error), (required, provided, error))
SPECIAL(FINALIZE, F08_FINALIZE, pmpir_finalize_f08_, (MPI_Fint * error), (error))
SPECIAL(ABORT, F08_ABORT, pmpir_abort_f08_, (MPI_Fint * comm, MPI_Fint *code, MPI_Fint *error),
        (comm, code, error))

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
