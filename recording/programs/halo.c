/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Halo exchange: Jacobi's iteration for a heated box, cut into blocks of size^3 cells, one a rank.
 * Each step exchanges the six faces of the block with those of its neighbours, then computes every
 * cell from the mean of the six around it.
 *
 * Check: u = x + 2y + 4z + t solves the equation with a heat source of 1 a step, exactly even in
 * floating point. A face that is missing, old or of another neighbour makes it wrong.
 */
#include "recording/programs/program.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct block {
    MPI_Comm grid;
    int ranks[3], place[3]; /* of the grid; of this rank in it */
    int neighbour[3][2];    /* below and above in each direction; MPI_PROC_NULL at the wall */
    long n;                 /* cells along an edge; with the faces of the neighbours n + 2 */
    double *now, *next;
    MPI_Datatype send_face[3][2], receive_face[3][2];
};

static long cell(const struct block *block, long x, long y, long z)
{
    const long m = block->n + 2;
    return (x * m + y) * m + z;
}

/* The solution at a cell, whose indices are 1 to n in this block and 0 and n + 1 just outside. */
static double solution(const struct block *block, long x, long y, long z, long t)
{
    const long n = block->n;
    const long where[3] = {block->place[0] * n + x, block->place[1] * n + y,
                           block->place[2] * n + z};
    return (double)(where[0] + 2 * where[1] + 4 * where[2] + t);
}

/* A face is one cell thick: inside the block when sent, outside it when received. */
static void make_faces(struct block *block)
{
    const int n = (int)block->n, all[3] = {n + 2, n + 2, n + 2};
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            int size[3] = {n, n, n}, start[3] = {1, 1, 1};
            size[d] = 1;
            start[d] = side ? n : 1;
            MPI_Type_create_subarray(3, all, size, start, MPI_ORDER_C, MPI_DOUBLE,
                                     &block->send_face[d][side]);
            start[d] = side ? n + 1 : 0;
            MPI_Type_create_subarray(3, all, size, start, MPI_ORDER_C, MPI_DOUBLE,
                                     &block->receive_face[d][side]);
            MPI_Type_commit(&block->send_face[d][side]);
            MPI_Type_commit(&block->receive_face[d][side]);
        }
}

static void make_block(struct block *block, long n)
{
    int ranks, rank, around[3] = {0, 0, 0};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *block = (struct block){.n = n};
    MPI_Dims_create(ranks, 3, block->ranks);
    MPI_Cart_create(MPI_COMM_WORLD, 3, block->ranks, around, 0, &block->grid);
    MPI_Comm_rank(block->grid, &rank);
    MPI_Cart_coords(block->grid, rank, 3, block->place);
    for (int d = 0; d < 3; d++)
        MPI_Cart_shift(block->grid, d, 1, &block->neighbour[d][0], &block->neighbour[d][1]);
    const size_t cells = (size_t)(n + 2) * (size_t)(n + 2) * (size_t)(n + 2);
    block->now = calloc(cells, sizeof(double));
    block->next = calloc(cells, sizeof(double));
    if (!block->now || !block->next) {
        fprintf(stderr, "halo: no memory for blocks of %ld cells\n", (long)cells);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    make_faces(block);
    for (long x = 1; x <= n; x++)
        for (long y = 1; y <= n; y++)
            for (long z = 1; z <= n; z++)
                block->now[cell(block, x, y, z)] = solution(block, x, y, z, 0);
}

static void exchange(struct block *block)
{
    MPI_Request requests[12];
    int count = 0;
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            const int with = block->neighbour[d][side];
            MPI_Irecv(block->now, 1, block->receive_face[d][side], with, 2 * d + 1 - side,
                      block->grid, &requests[count++]);
            MPI_Isend(block->now, 1, block->send_face[d][side], with, 2 * d + side, block->grid,
                      &requests[count++]);
        }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* The walls of the box have the solution's temperature. */
static void set_walls(struct block *block, long t)
{
    const long n = block->n;
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            if (block->neighbour[d][side] != MPI_PROC_NULL)
                continue;
            for (long a = 1; a <= n; a++)
                for (long b = 1; b <= n; b++) {
                    const long outside = side ? n + 1 : 0;
                    const long x = d == 0 ? outside : a,
                               y = d == 1   ? outside
                                   : d == 0 ? a
                                            : b,
                               z = d == 2 ? outside : b;
                    block->now[cell(block, x, y, z)] = solution(block, x, y, z, t);
                }
        }
}

static void relax(struct block *block)
{
    const long n = block->n, m = n + 2;
    for (long x = 1; x <= n; x++)
        for (long y = 1; y <= n; y++)
            for (long z = 1; z <= n; z++) {
                const double *u = &block->now[cell(block, x, y, z)];
                block->next[cell(block, x, y, z)] =
                    (u[-1] + u[1] + u[-m] + u[m] + u[-m * m] + u[m * m]) / 6 + 1;
            }
    double *now = block->now;
    block->now = block->next;
    block->next = now;
}

static bool is_solution(const struct block *block, long t)
{
    for (long x = 1; x <= block->n; x++)
        for (long y = 1; y <= block->n; y++)
            for (long z = 1; z <= block->n; z++)
                if (block->now[cell(block, x, y, z)] != solution(block, x, y, z, t))
                    return false;
    return true;
}

static void free_block(struct block *block)
{
    for (int d = 0; d < 3; d++)
        for (int side = 0; side < 2; side++) {
            MPI_Type_free(&block->send_face[d][side]);
            MPI_Type_free(&block->receive_face[d][side]);
        }
    MPI_Comm_free(&block->grid);
    free(block->now);
    free(block->next);
}

int main(int argc, char **argv)
{
    struct settings settings = {.size = 64, .most = 1000, .iterations = 20};
    program_begin(&argc, &argv,
                  "Halo exchange in a box of blocks, a rank each. SIZE is the number of cells "
                  "along the edge of a block.",
                  &settings);
    struct block block;
    make_block(&block, settings.size);

    double seconds = program_timer_start();
    for (long t = 0; t < settings.iterations; t++) {
        exchange(&block);
        set_walls(&block, t);
        relax(&block);
        program_compute(&settings);
    }
    seconds = program_timer_stop(seconds);

    const bool right = program_all(is_solution(&block, settings.iterations));
    free_block(&block);
    return program_end(seconds, right);
}
