/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kinds of calls that programs seldom make, on 4 ranks: messages to nobody, of nothing, with holes; requests that are inactive, freed, or
 * done at once; what matched probes found; intercommunicators; MPI_IN_PLACE; one-sided calls in all kinds of epochs. Of all ranks together, counted
 * by hand (bytes: given; of waits and tests what came):
 *
 *   messages      calls   bytes      collectives     calls  bytes      one-sided     calls  bytes
 *   send             20   12800      barrier            60      0      put              16   1952
 *   receive          16     480      broadcast           4     32      get               8   2560
 *   isend          4064   97920      alltoall           16   1344      accumulate       28    928
 *   ireceive       4076       0      allgather          12    240      synchronize      60      0
 *   sendrecv         24    7892      gather              8    128
 *   wait              -  109600      scatter             8    144
 *   test              -     640      reduce_scatter      4    320
 *                                    reduce              8    272
 *                                    allreduce           4    224
 *   messages from rank to rank: 4147, 118612 bytes; of requests at most 10 are under way at a time
 */
#include <mpi.h>
#include <stddef.h>

enum { N = 100 };
static int rank, size, next, before;
static double in[4000], out[4000], buf[8000];
#define W MPI_COMM_WORLD

static void messages(void)
{
    MPI_Request r[8];
    MPI_Status s[8];
    int flag, index, n, idx[8];
    MPI_Buffer_attach(buf, sizeof buf);
    /* A: 4 irecv, 4 send(800), 4 wait, 4 barrier */
    for (int k = 0; k < 4; k++) {
        MPI_Irecv(in, N, MPI_DOUBLE, before, k, W, &r[0]);
        MPI_Barrier(W);
        if (k == 0)
            MPI_Send(out, N, MPI_DOUBLE, next, k, W);
        if (k == 1)
            MPI_Ssend(out, N, MPI_DOUBLE, next, k, W);
        if (k == 2)
            MPI_Bsend(out, N, MPI_DOUBLE, next, k, W);
        if (k == 3)
            MPI_Rsend(out, N, MPI_DOUBLE, next, k, W);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    /* B: 4 irecv, 4 isend(800), 4 waitall, 4 barrier */
    for (int k = 0; k < 4; k++) {
        MPI_Irecv(in, N, MPI_DOUBLE, before, k, W, &r[0]);
        MPI_Barrier(W);
        if (k == 0)
            MPI_Isend(out, N, MPI_DOUBLE, next, k, W, &r[1]);
        if (k == 1)
            MPI_Issend(out, N, MPI_DOUBLE, next, k, W, &r[1]);
        if (k == 2)
            MPI_Ibsend(out, N, MPI_DOUBLE, next, k, W, &r[1]);
        if (k == 3)
            MPI_Irsend(out, N, MPI_DOUBLE, next, k, W, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    /* C: 3 sendrecv: 800 each, then line: 3 ranks send 800, then zero size */
    MPI_Sendrecv_replace(out, N, MPI_DOUBLE, next, 1, before, 1, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, N, MPI_DOUBLE, rank == size - 1 ? MPI_PROC_NULL : next, 2, in, N, MPI_DOUBLE,
                 rank == 0 ? MPI_PROC_NULL : before, 2, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 0, MPI_DOUBLE, next, 3, in, N, MPI_DOUBLE, MPI_ANY_SOURCE, 3, W,
                 MPI_STATUS_IGNORE);
    /* nobody: send, receive, isend, irecv, waitall */
    MPI_Send(out, N, MPI_DOUBLE, MPI_PROC_NULL, 3, W);
    MPI_Recv(in, N, MPI_DOUBLE, MPI_PROC_NULL, 3, W, MPI_STATUS_IGNORE);
    MPI_Isend(out, N, MPI_DOUBLE, MPI_PROC_NULL, 3, W, &r[0]);
    MPI_Irecv(in, N, MPI_DOUBLE, MPI_PROC_NULL, 3, W, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    /* D: 2 isend(40), mrecv, imrecv, wait, waitall */
    MPI_Message m;
    MPI_Isend(out, 10, MPI_INT, next, 5, W, &r[0]);
    MPI_Mprobe(MPI_ANY_SOURCE, 5, W, &m, s);
    MPI_Mrecv(in, 10, MPI_INT, &m, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Isend(out, 10, MPI_INT, next, 6, W, &r[0]);
    for (flag = 0; !flag;)
        MPI_Improbe(before, 6, W, &flag, &m, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 10, MPI_INT, &m, &r[1]);
    MPI_Waitall(2, r, s);
    MPI_Mprobe(MPI_PROC_NULL, 5, W, &m, s);
    MPI_Mrecv(in, 10, MPI_INT, &m, MPI_STATUS_IGNORE); /* a receive from nobody */
    /* F: sendrecv 480 as vector, 45 as struct with holes */
    MPI_Datatype vec, st, types[2] = {MPI_CHAR, MPI_DOUBLE};
    int lens[2] = {1, 1};
    MPI_Aint at[2] = {0, 8};
    MPI_Type_vector(10, 2, 5, MPI_DOUBLE, &vec);
    MPI_Type_commit(&vec);
    MPI_Type_create_struct(2, lens, at, types, &st);
    MPI_Type_commit(&st);
    MPI_Sendrecv(out, 3, vec, next, 7, in, 60, MPI_DOUBLE, before, 7, W, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, 5, st, next, 7, in, 5, st, before, 7, W, MPI_STATUS_IGNORE);
    MPI_Type_free(&vec);
    MPI_Type_free(&st);
    /* G: inactive and null ones. 4 irecv 4 isend(80), 4 ways */
    MPI_Request idle;
    MPI_Send_init(out, 10, MPI_DOUBLE, next, 99, W, &idle);
    for (int way = 0; way < 4; way++) {
        r[0] = r[4] = MPI_REQUEST_NULL;
        r[1] = idle;
        MPI_Irecv(in, 1000, MPI_DOUBLE, MPI_ANY_SOURCE, 10 + way, W, &r[2]);
        MPI_Isend(out, 10, MPI_DOUBLE, next, 10 + way, W, &r[3]);
        if (way == 0)
            for (n = 0; n != MPI_UNDEFINED;)
                MPI_Waitsome(5, r, &n, idx, MPI_STATUSES_IGNORE);
        if (way == 1)
            for (n = 0; n != MPI_UNDEFINED;)
                MPI_Testsome(5, r, &n, idx, s);
        if (way == 2)
            for (index = 0; index != MPI_UNDEFINED;)
                MPI_Waitany(5, r, &index, MPI_STATUS_IGNORE);
        if (way == 3)
            for (index = 0, flag = 0; !(flag && index == MPI_UNDEFINED);)
                MPI_Testany(5, r, &index, &flag, s);
    }
    MPI_Request_free(&idle);
    /* H: persistent: 3 x (5 isend(800) 5 irecv, waitall); a start that is freed: 1 isend(800), irecv, wait */
    for (int k = 0; k < 5; k++)
        MPI_Recv_init(in + k * N, N, MPI_DOUBLE, before, 20 + k, W, &r[k]);
    MPI_Request p[5];
    MPI_Send_init(out, N, MPI_DOUBLE, next, 20, W, &p[0]);
    MPI_Ssend_init(out, N, MPI_DOUBLE, next, 21, W, &p[1]);
    MPI_Bsend_init(out, N, MPI_DOUBLE, next, 22, W, &p[2]);
    MPI_Rsend_init(out, N, MPI_DOUBLE, next, 23, W, &p[3]);
    MPI_Send_init(out, N, MPI_DOUBLE, next, 24, W, &p[4]);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(5, r);
        MPI_Barrier(W);
        MPI_Startall(5, p);
        MPI_Waitall(5, p, MPI_STATUSES_IGNORE);
        MPI_Waitall(5, r, s);
    }
    MPI_Start(&r[0]);
    MPI_Start(&p[0]);
    MPI_Request_free(&p[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    for (int k = 0; k < 5; k++) {
        MPI_Request_free(&r[k]);
        if (k)
            MPI_Request_free(&p[k]);
    }
    /* I: 1000 x freed sends of 8 bytes: irecv, isend, wait */
    for (int i = 0; i < 1000; i++) {
        MPI_Irecv(in, 1, MPI_DOUBLE, before, 30, W, &r[0]);
        MPI_Isend(out, 1, MPI_DOUBLE, next, 30, W, &r[1]);
        MPI_Request_free(&r[1]);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    /* J: cancelled receive */
    MPI_Irecv(in, 1, MPI_DOUBLE, before, 31, W, &r[0]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], s);
    /* K: pairs to itself, by isend/recv */
    MPI_Isend(out, 10, MPI_DOUBLE, 0, 40, MPI_COMM_SELF, &r[0]);
    MPI_Recv(in, 10, MPI_DOUBLE, 0, 40, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    void *b;
    int l;
    MPI_Buffer_detach(&b, &l);
}
static void collectives(void)
{
    MPI_Request r[4];
    MPI_Comm half, inter, dup;
    int n = size;
    int counts[8], displs[8], bd[8];
    MPI_Datatype types[8], hole;
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &hole);
    MPI_Type_commit(&hole); /* 16 bytes */
    for (int i = 0; i < n; i++) {
        counts[i] = i + 1;
        displs[i] = 8 * i;
        bd[i] = 64 * i * 8;
        types[i] = i % 2 ? hole : MPI_DOUBLE;
    }
    /* two collectives at once on SELF */
    MPI_Ibarrier(MPI_COMM_SELF, &r[0]);
    MPI_Ibarrier(MPI_COMM_SELF, &r[1]);
    MPI_Ibcast(out, 1, MPI_DOUBLE, 0, MPI_COMM_SELF, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    /* alltoallw: rank i sends counts[j] of types[j] to j: 8*1 + 16*2 + 8*3 + 16*4 = 128; from j it gets counts[i] of types[i] each */
    int rc[8];
    MPI_Datatype rt[8];
    for (int i = 0; i < n; i++) {
        rc[i] = rank + 1;
        rt[i] = types[rank];
    }
    MPI_Alltoallw(out, counts, bd, types, in, rc, bd, rt, W);
    MPI_Ialltoallw(out, counts, bd, types, in, rc, bd, rt, W, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, in, (int[]){2, 2, 2, 2}, bd,
                   (MPI_Datatype[]){MPI_INT, MPI_INT, MPI_INT, MPI_INT}, W, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    /* in place */
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_DOUBLE, W);
    MPI_Gather(rank == 1 ? MPI_IN_PLACE : out, 2, MPI_DOUBLE, in, 2, MPI_DOUBLE, 1, W);
    MPI_Scatterv(out, counts, displs, MPI_DOUBLE, rank == 1 ? MPI_IN_PLACE : in, counts[rank],
                 MPI_DOUBLE, 1, W);
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, displs, MPI_DOUBLE, W, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Ireduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, W, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Reduce(rank == 2 ? MPI_IN_PLACE : out, in, 5, MPI_DOUBLE, MPI_SUM, 2, W);
    /* intercommunicator 0,2 | 1,3 */
    MPI_Comm_split(W, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, W, (rank + 1) % 2, 9, &inter);
    MPI_Allgather(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, inter);
    MPI_Alltoall(out, 3, MPI_DOUBLE, in, 3, MPI_DOUBLE, inter);
    MPI_Allreduce(out, in, 7, MPI_DOUBLE, MPI_SUM, inter);
    MPI_Reduce(out, in, 7, MPI_DOUBLE, MPI_SUM,
               rank % 2    ? 0
               : rank == 0 ? MPI_ROOT
                           : MPI_PROC_NULL,
               inter);
    MPI_Gather(out, 4, MPI_DOUBLE, in, 4, MPI_DOUBLE,
               rank % 2    ? 0
               : rank == 0 ? MPI_ROOT
                           : MPI_PROC_NULL,
               inter);
    MPI_Scatter(out, 4, MPI_DOUBLE, in, 4, MPI_DOUBLE,
                rank % 2    ? 0
                : rank == 0 ? MPI_ROOT
                            : MPI_PROC_NULL,
                inter);
    /* 0 to the 1 of the other side: 0->3, 2->1.. by sendrecv */
    int own;
    MPI_Comm_rank(inter, &own);
    MPI_Sendrecv(out, 6, MPI_DOUBLE, 1 - own, 4, in, 6, MPI_DOUBLE, 1 - own, 4, inter,
                 MPI_STATUS_IGNORE);
    MPI_Comm_idup(half, &dup, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Barrier(dup);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Type_free(&hole);
}
static void one_sided(void)
{
    MPI_Win win;
    MPI_Group all, g;
    double one = 1, got;
    MPI_Request r[3];
    MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, W, &win);
    MPI_Comm_group(W, &all);
    MPI_Win_fence(0, win);
    MPI_Put(out, 10, MPI_DOUBLE, next, 0, 10, MPI_DOUBLE, win);          /* put 80 */
    MPI_Put(out, 10, MPI_DOUBLE, MPI_PROC_NULL, 0, 10, MPI_DOUBLE, win); /* nothing */
    MPI_Win_fence(0, win);
    /* PSCW */
    MPI_Group_incl(all, 1, &before, &g);
    MPI_Win_post(g, 0, win);
    MPI_Group_free(&g);
    MPI_Group_incl(all, 1, &next, &g);
    MPI_Win_start(g, 0, win);
    MPI_Group_free(&g);
    MPI_Accumulate(out, 20, MPI_DOUBLE, next, 0, 20, MPI_DOUBLE, MPI_SUM, win); /* acc 160 */
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    MPI_Win_lock_all(0, win);
    MPI_Get(out, 30, MPI_DOUBLE, next, 100, 30, MPI_DOUBLE, win); /* get 240 */
    MPI_Win_flush(next, win);
    MPI_Fetch_and_op(&one, &got, MPI_DOUBLE, next, 5, MPI_SUM, win); /* acc 8, back 8 */
    MPI_Win_flush_local(next, win);
    MPI_Fetch_and_op(NULL, &got, MPI_DOUBLE, next, 5, MPI_NO_OP, win); /* acc 0, back 8 */
    MPI_Compare_and_swap(&(long){1}, &(long){0}, &(long){0}, MPI_LONG, next, 50,
                         win); /* acc 16, back 8 */
    MPI_Win_flush_all(win);
    MPI_Get_accumulate(out, 4, MPI_DOUBLE, buf, 4, MPI_DOUBLE, next, 60, 4, MPI_DOUBLE, MPI_SUM,
                       win); /* 32, 32 */
    MPI_Get_accumulate(NULL, 4, MPI_DOUBLE, buf, 4, MPI_DOUBLE, next, 60, 4, MPI_DOUBLE, MPI_NO_OP,
                       win); /* 0, 32 */
    MPI_Win_flush_local_all(win);
    MPI_Rput(out, 50, MPI_DOUBLE, next, 200, 50, MPI_DOUBLE, win, &r[0]); /* put 400 */
    MPI_Rget(buf, 50, MPI_DOUBLE, next, 300, 50, MPI_DOUBLE, win, &r[1]); /* get 400 */
    MPI_Raccumulate(out, 2, MPI_DOUBLE, next, 400, 2, MPI_DOUBLE, MPI_SUM, win, &r[2]); /* acc 16 */
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, win);
    MPI_Put(out, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, win); /* put 8 */
    MPI_Win_unlock(next, win);
    MPI_Barrier(W);
    MPI_Win_free(&win);
    MPI_Group_free(&all);
}
int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(W, &rank);
    MPI_Comm_size(W, &size);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    messages();
    collectives();
    one_sided();
    MPI_Finalize();
    return 0;
}
