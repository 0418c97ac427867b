/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/programs/program.h"

#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *name = "program";

static _Noreturn void leave(int status)
{
    MPI_Finalize();
    exit(status);
}

static void print_help(const char *about, const struct settings *settings)
{
    printf(
        "usage: mpirun -n RANKS %s [OPTIONS]\n%s\n\n"
        "  --size SIZE          (%ld)\n"
        "  --iterations NUMBER  (%ld)\n"
        "  --compute MS         milliseconds of computation in each step, besides its own (%g)\n"
        "  --random             these are drawn from an exponential distribution with that mean\n",
        name, about, settings->size, settings->iterations, settings->compute);
}

void program_begin(int *argc, char ***argv, const char *about, struct settings *settings)
{
    static const struct option options[] = {
        {"size", required_argument, NULL, 's'},    {"iterations", required_argument, NULL, 'i'},
        {"compute", required_argument, NULL, 'c'}, {"random", no_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    const struct settings defaults = *settings;
    MPI_Init(argc, argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *slash = strrchr((*argv)[0], '/');
    name = slash ? slash + 1 : (*argv)[0];
    opterr = rank == 0; /* one voice is enough */
    srand48(rank + 1);  /* the same times in every run */

    int option;
    while ((option = getopt_long(*argc, *argv, "", options, NULL)) != -1) {
        char *end = "";
        switch (option) {
        case 's':
            settings->size = strtol(optarg, &end, 10);
            break;
        case 'i':
            settings->iterations = strtol(optarg, &end, 10);
            break;
        case 'c':
            settings->compute = strtod(optarg, &end);
            break;
        case 'r':
            settings->random = true;
            break;
        case 'h':
            if (rank == 0)
                print_help(about, &defaults);
            leave(0);
        default:
            leave(2);
        }
        if (*end || settings->size < 1 || settings->size > settings->most ||
            settings->iterations < 1 || !(settings->compute >= 0)) {
            if (rank == 0)
                fprintf(stderr,
                        "%s: found '%s', expected a size from 1 to %ld, iterations from 1, or ms "
                        "from 0\n",
                        name, optarg, settings->most);
            leave(2);
        }
    }
    if (optind < *argc) {
        if (rank == 0)
            fprintf(stderr, "%s: found '%s', expected options; see --help\n", name,
                    (*argv)[optind]);
        leave(2);
    }
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Processor time and not a number of operations: it is the same however busy or fast the machine is. */
void program_compute(const struct settings *settings)
{
    double seconds = settings->compute / 1000;
    if (settings->random)
        seconds *= -log(1 - drand48());
    const double end = processor_seconds() + seconds;
    while (processor_seconds() < end)
        continue;
}

double program_timer_start(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    return MPI_Wtime();
}

double program_timer_stop(double start)
{
    double seconds = MPI_Wtime() - start;
    MPI_Pcontrol(0);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

bool program_all(bool condition)
{
    int all = condition;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

int program_end(double seconds, bool right)
{
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0)
        printf("%s: ranks %d, seconds %.6f, check %s\n", name, ranks, seconds,
               right ? "passed" : "FAILED");
    MPI_Finalize();
    return right ? 0 : 1;
}
