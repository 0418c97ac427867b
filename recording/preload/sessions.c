/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions of MPI 4: when a program without MPI_Init is recorded. */
#include "recording/preload/entry.h"

#if MPI_VERSION >= 4
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { SESSIONS_MOST = 16 };

/* Sessions that are open; those beyond the most are only counted. All threads may open some. */
static struct {
    pthread_mutex_t lock;
    MPI_Session open[SESSIONS_MOST];
    int count, ever;
    int64_t begin_ns; /* when the first one was opened */
    bool begun;       /* or given up */
} sessions = {.lock = PTHREAD_MUTEX_INITIALIZER};

void clump_session_opened(MPI_Session session)
{
    pthread_mutex_lock(&sessions.lock);
    if (sessions.count < SESSIONS_MOST)
        sessions.open[sessions.count++] = session;
    if (sessions.ever++ == 0)
        sessions.begin_ns = clump_entry_now();
    pthread_mutex_unlock(&sessions.lock);
    clump_entry_opened();
}

void clump_session_closed(MPI_Session session)
{
    pthread_mutex_lock(&sessions.lock);
    for (int i = 0; i < sessions.count; i++)
        if (sessions.open[i] == session) {
            sessions.open[i] = sessions.open[--sessions.count];
            break;
        }
    pthread_mutex_unlock(&sessions.lock);
    clump_entry_closed();
}

/* How many processes there are, and which one this is; 0: no session is left that knows. */
static int world_size(int *rank)
{
    MPI_Group group;
    int size = 0;
    if (sessions.count == 0 ||
        PMPI_Group_from_session_pset(sessions.open[0], "mpi://WORLD", &group) != MPI_SUCCESS)
        return 0;
    PMPI_Group_size(group, &size);
    PMPI_Group_rank(group, rank);
    PMPI_Group_free(&group);
    return size;
}

void clump_session_communicator(MPI_Comm comm)
{
    int size = 0, inter = 0, rank = 0;
    MPI_Comm all;
    if (comm == MPI_COMM_NULL || !clump_entry_is_off())
        return;
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &size);
    pthread_mutex_lock(&sessions.lock);
    const bool has_all = !inter && !sessions.begun && size == world_size(&rank);
    sessions.begun = sessions.begun || has_all;
    const int64_t begin_ns = sessions.begin_ns;
    pthread_mutex_unlock(&sessions.lock);
    if (!has_all)
        return;
    /* In the order of MPI_COMM_WORLD, whatever that of the group is. */
    clump_entry_before_init();
    const bool done = PMPI_Comm_split(comm, 0, rank, &all) == MPI_SUCCESS;
    clump_entry_after_init(begin_ns, done, done ? all : MPI_COMM_NULL);
    if (done)
        PMPI_Comm_free(&all);
}

/* Said once for each program: no communicator had all processes. */
__attribute__((destructor)) static void tell(void)
{
    if (sessions.ever > 0 && !sessions.begun && clump_entry_is_off())
        dprintf(STDERR_FILENO, "clumpmodel record: this process opened a session, but made no "
                               "communicator of all processes: "
                               "it is not recorded\n");
}
#endif
