/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user needs to measure a cluster with MPI: the files of protocols/mpi-bench/, which are part of
 * the program, so that they are there wherever it is. */
#include "cli/command.h"
#include "cli/output/embedded.h"
#include "cli/output/errors.h"
#include "protocols/command/commands.h"

#include <stdio.h>

EMBED(source, "protocols/mpi-bench/clumpmodel-mpi-bench.c")
EMBED(slurm, "protocols/mpi-bench/clumpmodel-mpi-bench.slurm")
EMBED(example, "protocols/mpi-bench/clumpmodel-mpi-bench.sh")

typedef struct settings {
    bool source, slurm, example;
} settings;

static const option_entry entries[] = {
    {.name = "source",
     .help = "print the C program, which any mpicc compiles",
     OPTION_OF(settings, source)},
    {.name = "slurm",
     .help = "print a batch script for Slurm that compiles and starts it",
     OPTION_OF(settings, slurm)},
    {.name = "example",
     .help = "print a script that does so with mpirun, without a batch\nsystem",
     OPTION_OF(settings, example)},
    {0},
};

static const option_table tables[] = {{entries, 0}, {0}};

static const char steps[] =
    "Messages between two nodes of a cluster, and inside one, are measured by a program of one\n"
    "C file, which your MPI's compiler translates and your batch system starts:\n"
    "\n"
    "1. On the cluster\n"
    "     clumpmodel calibrate mpi --source > clumpmodel-mpi-bench.c\n"
    "     mpicc -O2 clumpmodel-mpi-bench.c -o clumpmodel-mpi-bench\n"
    "   Where clumpmodel is not installed there, copy the C file.\n"
    "\n"
    "2. Start it on two nodes, with as many processes on each as your programs have\n"
    "     srun --nodes=2 --ntasks-per-node=16 ./clumpmodel-mpi-bench\n"
    "     mpirun --host node1:16,node2:16 -n 32 ./clumpmodel-mpi-bench\n"
    "   or submit the script that 'calibrate mpi --slurm' prints. It takes five minutes at most\n"
    "   (--time-limit), 20 seconds with --quick.\n"
    "\n"
    "3. What it wrote becomes samples of a platform\n"
    "     clumpmodel import auto clumpmodel-mpi-bench.txt --platform mine\n"
    "\n"
    "4. and these parameters: L, o_s, o_r, g and G between nodes and inside one; how many NICs\n"
    "   a node acts as if it had, and how many of them a process keeps busy\n"
    "     clumpmodel fit loggp --platform mine --transport network --name mine/fitted\n"
    "     clumpmodel fit loggp --platform mine --transport shared-memory --name mine/fitted\n"
    "     clumpmodel fit node --platform mine\n"
    "\n"
    "5. How many NICs a program needs there, of which one run was recorded\n"
    "     clumpmodel record -o run1 -- mpirun -n 64 ./app\n"
    "     clumpmodel recommend --recording run1 --platform mine/fitted --processors 16\n";

static int run(const command_invocation *invocation)
{
    const settings *s = invocation->settings;
    const command_line *line = &invocation->arguments;
    if (s->source + s->slurm + s->example > 1)
        return error_usage(line->command,
                           "found several of --source, --slurm and --example, expected one: each "
                           "prints a file");
    const embedded_file shown = s->source    ? source_file()
                                : s->slurm   ? slurm_file()
                                : s->example ? example_file()
                                             : (embedded_file){steps, sizeof steps - 1};
    /* What cannot be written is told at the end, as for every command. */
    fwrite(shown.bytes, 1, shown.size, stdout);
    return EXIT_DONE;
}

const command_entry command_calibrate_mpi = {
    .name = "calibrate mpi",
    .operands = "",
    .summary = "How to measure two nodes of a cluster with one MPI batch job",
    .text =
        "The NICs of a cluster are measured by MPI, in a batch job: a program of one C file, "
        "which\n"
        "any mpicc compiles, measures latency, overheads, gaps and rates of 1 to P pairs of\n"
        "processes between two nodes and inside one, one way and both ways, and the memory\n"
        "bandwidth of 1 to P processes. 'import' reads the file that it writes, 'fit loggp' finds\n"
        "the parameters. Without options this command says how, step by step; with one it prints\n"
        "the program or a script that starts it.",
    .examples = "clumpmodel calibrate mpi --source > clumpmodel-mpi-bench.c\n"
                "clumpmodel calibrate mpi --slurm > clumpmodel-mpi-bench.slurm",
    .tables = tables,
    .settings_size = sizeof(settings),
    .run = run,
};
