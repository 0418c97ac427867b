/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All-to-all transposition of a square matrix, as between the steps of a parallel Fourier transform.
 * Each rank has the same number of rows; in each iteration it computes, and every rank sends a
 * square block to every other one.
 *
 * Check: a cell of the matrix holds its row and column, which change places each time.
 */
#include "recording/programs/program.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

struct matrix {
    int rank, ranks;
    long rows, columns; /* of this rank; columns = ranks * rows */
    double *cells;      /* row by row */
    double *out, *in;   /* blocks, in the order of the ranks */
};

static double value(const struct matrix *matrix, long row, long column)
{
    return (double)(row * matrix->columns + column);
}

static void make_matrix(struct matrix *matrix, long rows)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &matrix->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &matrix->ranks);
    matrix->rows = rows;
    matrix->columns = rows * matrix->ranks;
    const size_t bytes = (size_t)matrix->rows * (size_t)matrix->columns * sizeof(double);
    matrix->cells = malloc(bytes);
    matrix->out = malloc(bytes);
    matrix->in = malloc(bytes);
    if (!matrix->cells || !matrix->out || !matrix->in) {
        fprintf(stderr, "transpose: no memory for 3 x %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (long row = 0; row < rows; row++)
        for (long column = 0; column < matrix->columns; column++)
            matrix->cells[row * matrix->columns + column] =
                value(matrix, matrix->rank * rows + row, column);
}

static void transpose(struct matrix *matrix)
{
    const long rows = matrix->rows, columns = matrix->columns, block = rows * rows;
    for (long column = 0; column < columns;
         column++) /* a block is sent with rows and columns exchanged */
        for (long row = 0; row < rows; row++)
            matrix->out[column * rows + row] = matrix->cells[row * columns + column];
    MPI_Alltoall(matrix->out, (int)block, MPI_DOUBLE, matrix->in, (int)block, MPI_DOUBLE,
                 MPI_COMM_WORLD);
    for (long row = 0; row < rows; row++)
        for (long column = 0; column < columns; column++)
            matrix->cells[row * columns + column] =
                matrix->in[column / rows * block + row * rows + column % rows];
}

static bool is_transposed(const struct matrix *matrix, bool odd)
{
    for (long i = 0; i < matrix->rows; i++)
        for (long column = 0; column < matrix->columns; column++) {
            const long row = matrix->rank * matrix->rows + i;
            if (matrix->cells[i * matrix->columns + column] !=
                (odd ? value(matrix, column, row) : value(matrix, row, column)))
                return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    struct settings settings = {.size = 64, .most = 10000, .iterations = 20};
    program_begin(&argc, &argv,
                  "All-to-all transposition of a matrix. SIZE is the number of rows of each rank.",
                  &settings);
    struct matrix matrix;
    make_matrix(&matrix, settings.size);

    double seconds = program_timer_start();
    for (long i = 0; i < settings.iterations; i++) {
        program_compute(&settings);
        transpose(&matrix);
    }
    seconds = program_timer_stop(seconds);

    const bool right = program_all(is_transposed(&matrix, settings.iterations % 2));
    free(matrix.cells);
    free(matrix.out);
    free(matrix.in);
    return program_end(seconds, right);
}
