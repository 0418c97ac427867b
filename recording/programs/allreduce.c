/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ring allreduce, as in data-parallel training: every rank has a gradient, and all need the mean. The
 * vector is cut into a part a rank. In R - 1 steps each part goes once around the ring of R ranks and
 * is summed on its way; in R - 1 more the sums go around. Each rank sends 2 (R - 1) / R of the vector,
 * which is the least possible.
 *
 * Check: all gradients are multiples of whole numbers, so the mean of every iteration is known.
 */
#include "recording/programs/program.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Where part i of a vector begins; parts differ by one at most. */
static long part_start(long size, int ranks, int i)
{
    return size / ranks * i + (size % ranks < i ? size % ranks : i);
}

static void sum_over_ring(float *vector, float *arrived, long size, int rank, int ranks)
{
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int step = 0; step < 2 * (ranks - 1); step++) {
        const int out = (rank - step + 2 * ranks) % ranks, in = (out + ranks - 1) % ranks;
        const long out_start = part_start(size, ranks, out), in_start = part_start(size, ranks, in);
        const int sent = (int)(part_start(size, ranks, out + 1) - out_start);
        const int received = (int)(part_start(size, ranks, in + 1) - in_start);
        MPI_Sendrecv(vector + out_start, sent, MPI_FLOAT, next, 0, arrived, received, MPI_FLOAT,
                     before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const bool summing = step < ranks - 1;
        for (long i = 0; i < received; i++)
            vector[in_start + i] = summing ? vector[in_start + i] + arrived[i] : arrived[i];
    }
}

/* Rank r's gradient is (r + 1) (i mod 8) t in iteration t from 1, at element i. */
static void compute_gradient(float *vector, long size, int rank, long t)
{
    for (long i = 0; i < size; i++)
        vector[i] = (float)((rank + 1) * (i % 8) * (t % 16));
}

static bool is_sum(const float *vector, long size, int ranks, long t)
{
    const long all_ranks = (long)ranks * (ranks + 1) / 2;
    for (long i = 0; i < size; i++)
        if (vector[i] != (float)(all_ranks * (i % 8) * (t % 16)))
            return false;
    return true;
}

int main(int argc, char **argv)
{
    struct settings settings = {.size = 65536, .most = 100000000, .iterations = 20};
    program_begin(&argc, &argv,
                  "Ring allreduce of a vector of floats. SIZE is its number of elements.",
                  &settings);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    float *vector = malloc((size_t)settings.size * sizeof(float));
    float *arrived = malloc((size_t)(settings.size / ranks + 1) * sizeof(float));
    if (!vector || !arrived) {
        fprintf(stderr, "allreduce: no memory for %ld elements\n", settings.size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    double seconds = program_timer_start();
    bool right = true;
    for (long t = 1; t <= settings.iterations; t++) {
        program_compute(&settings);
        compute_gradient(vector, settings.size, rank, t);
        sum_over_ring(vector, arrived, settings.size, rank, ranks);
        right = right && is_sum(vector, settings.size, ranks, t);
    }
    seconds = program_timer_stop(seconds);

    free(vector);
    free(arrived);
    return program_end(seconds, program_all(right));
}
