/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job's script says of ranks and nodes, and where it is looked for. */
#include "data/import/job_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

TEST(test_scripts)
{
    static const struct {
        const char *text;
        int64_t nodes, each, processes;
    } scripts[] = {
        {"#SBATCH --ntasks=112\n#SBATCH --ntasks-per-node=56\nsrun gmx_mpi mdrun\n", 2, 56, 112},
        {"#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=32\nmpirun ./a\n", 4, 32, 128},
        {"#SBATCH -N 2 -n 64\r\n", 2, 0, 64},
        {"#$-l rt_F=8\nNPPN=4\nmpirun -np $NMPIPROCS --map-by ppr:2:socket hostname\n", 8, 4, 32},
        {"#BSUB -nnodes 32\njsrun -a40 -n32 ./a\n", 32, 0, 0},
        {"mpirun -np 16 ./osu_alltoall\n", 0, 0, 16},
        {"# mpirun -np 16 ./osu_alltoall\n", 0, 0, 0},
        {"#SBATCH --ntasks=99999999999999999999\n", 0, 0, 0},
        {"#SBATCH --ntasks=-3\n#SBATCH --ntasks=4x\n", 0, 0, 0},
        {"", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        char text[400];
        clump_job_context job = {.nodes = 0};
        snprintf(text, sizeof text, "%s", scripts[i].text);
        clump_job_context_read(text, &job);
        assert_int_equal(job.nodes, scripts[i].nodes);
        assert_int_equal(job.each, scripts[i].each);
        assert_int_equal(job.processes, scripts[i].processes);
    }
}

static void write_script(const char *folder, const char *name, int processes)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "mpirun -np %d ./a\n", processes);
    assert_int_equal(fclose(file), 0);
}

static int64_t found(const char *folder, const char *log)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, log);
    return clump_job_context_find(path).processes;
}

TEST(test_places)
{
    char folder[] = "/tmp/clump-job-XXXXXX", path[400], name[80];
    assert_non_null(mkdtemp(folder));
    assert_int_equal(found(folder, "a.log"), 0);
    write_script(folder, "job.sh", 2);
    snprintf(name, sizeof name, "rfm_%s_job.sh", strrchr(folder, '/') + 1);
    assert_int_equal(found(folder, "a.log"), 2);
    write_script(folder, name, 3);
    assert_int_equal(found(folder, "a.log"), 3);
    write_script(folder, "run4.sh", 4);
    assert_int_equal(found(folder, "run4.sh.123.latency"), 4);
    assert_int_equal(found(folder, "run5.sh.123.latency"), 3);
    assert_int_equal(clump_job_context_find("-").processes, 0);
    assert_int_equal(clump_job_context_find("nowhere.log").processes, 0);
    /* Nobody writes into a pipe: it is not waited for. */
    snprintf(path, sizeof path, "%s/run6.sh", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(found(folder, "run6.sh.1"), 3);
    const char *const names[] = {"job.sh", name, "run4.sh", "run6.sh"};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

UNIT_MAIN(NULL, NULL)
