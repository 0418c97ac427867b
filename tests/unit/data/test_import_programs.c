/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs of programs that account for their time themselves: numbers typed from them, and what is refused. */
#include "tests/unit/test_import.h"

/* What series of a quantity say, by variant: processes. */
static int64_t processes_of(const clump_import_log *log, const char *quantity, const char *variant)
{
    const clump_import_series *of = NULL;
    find_sample(log, (wanted){quantity, NULL, -1, 0, variant, 0}, &of);
    return of->key.processes;
}

#define MDRUN_HEAD                                                                                 \
    ":-) GROMACS - gmx mdrun, 2023.2 (-:\nGROMACS version:    2023.2\nCommand line:\n"             \
    "  gmx mdrun -s water.tpr\nThere are: 3000 Atoms\nUsing 2 MPI threads\n"                       \
    "Started mdrun on rank 0 Thu Oct 14 04:39:48 2021\n"
#define MDRUN_TIMES                                                                                \
    "               Core t (s)   Wall t (s)        (%)\n       Time:      41.000       20.500 "    \
    "     200.0\n                 (ns/day)    (hour/ns)\nPerformance:       16.976        1.414\n"
#define MDRUN_TABLE                                                                                \
    "      R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G\n\n"                        \
    "On 2 MPI ranks, each using 5 OpenMP threads\n\n"                                              \
    " Activity:              Num   Num      Call    Wall time         Giga-Cycles\n"               \
    "                        Ranks Threads  Count      (s)         total sum    %\n"               \
    "--------------------------------------------------------------------------------\n"           \
    " Force                     2    5      50001      14.290        356.268  18.0\n"              \
    " Rest                                              6.210          7.263   0.5\n"              \
    "--------------------------------------------------------------------------------\n"           \
    " Total                                            20.500       1367.994 100.0\n"              \
    "--------------------------------------------------------------------------------\n"
#define MDRUN_END "Finished mdrun on rank 0 Thu Oct 14 04:41:48 2021\n"

/* Numbers of Alaska, 2 nodes of 32 cores, RoCE (ukri-excalibur/excalibur-tests, before a1f66d46). */
TEST(reads_gromacs)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_log("gromacs", "gromacs_61k_2_nodes.log", &log);
    assert_string_equal(log.version, "2016.4");
    assert_string_equal(log.command, "gmx_mpi mdrun -s benchmark.tpr -g 61k-atoms.log -noconfout");
    assert_string_equal(log.application, "GROMACS 69866 atoms");
    has_value(&log, (wanted){"execution_time", "single", -1, 0, "", 1}, 252.950);
    has_value(&log, (wanted){"simulation_rate", "single", -1, 0, "", 1}, 34.158);
    has_value(&log, (wanted){"nodes_used", "single", -1, 0, "", 1}, 2);
    has_value(&log, (wanted){"atoms", "single", -1, 0, "", 1}, 69866);
    has_value(&log, (wanted){"grid_points", "single", -1, 0, "", 1}, 80 * 80 * 72);
    has_value(&log, (wanted){"threads_per_process", "single", -1, 0, "PME", 1}, 2);
    has_value(&log, (wanted){"communicated_atoms", "single", -1, 0, "force", 1}, 2 * 150710.3);
    has_value(&log, (wanted){"communicated_atoms", "single", -1, 0, "LINCS", 1}, 2 * 7358.2);
    has_value(&log, (wanted){"slowest_over_mean", "single", -1, 0, "force", 1}, 1.15);
    has_value(&log, (wanted){"waiting_share", "single", -1, 0, "load imbalance", 1}, 0.058);
    has_value(&log, (wanted){"waiting_share", "single", -1, 0, "PP/PME imbalance", 1}, 0.034);
    has_value(&log, (wanted){"phase_time", "single", -1, 0, "Wait + Comm. F", 1}, 26.373);
    has_value(&log, (wanted){"phase_calls", "single", -1, 0, "NB X/F buffer ops.", 1}, 145001);
    has_value(&log, (wanted){"phase_time", "single", -1, 0, "PME mesh", 1}, 126.164);
    has_value(&log, (wanted){"phase_time", "single", -1, 0, "PME wait for PP", 1}, 125.852);
    has_value(&log, (wanted){"phase_time", "single", -1, 0, "PME 3D-FFT Comm.", 1}, 32.272);
    has_value(&log, (wanted){"phase_calls", "single", -1, 0, "PME 3D-FFT Comm.", 1}, 200004);
    assert_int_equal(processes_of(&log, "execution_time", ""), 64);
    assert_int_equal(processes_of(&log, "phase_time", "Force"), 48);
    assert_int_equal(processes_of(&log, "phase_time", "Rest"), 48);
    assert_int_equal(processes_of(&log, "phase_time", "PME wait for PP"), 16);
    find_sample(&log, (wanted){"phase_time", NULL, -1, 0, "Force", 1}, &of);
    assert_true(of->key.of_application);
    /* Ranks of a kind account for all of their time, each to the millisecond. */
    double sum = 0;
    for (size_t i = 0; i < log.count; i++)
        if (strcmp(log.series[i]->key.quantity, "phase_time") == 0 &&
            log.series[i]->key.processes == 48)
            sum += log.series[i]->samples[0].value;
    assert_true(fabs(sum - 252.950) < 16 * 0.0005);
    clump_import_log_free(&log);

    /* Of today; a breakdown, GPUs, another form of percentages, and what is said about columns. */
    read_text(
        "gromacs",
        MDRUN_HEAD
        "              optimal pme grid 24 24 25, coulomb cutoff 1.138\n"
        " Average load imbalance: 16.0%.\n" MDRUN_TABLE " Breakdown of PME mesh activities\n"
        "--------------------------------------------------------------------------------\n"
        " PME spread                2    5      50001       4.625         45.479   3.3\n"
        "--------------------------------------------------------------------------------\n"
        " Note that the cycle count and % columns are weighted by the number of ranks,\n\n"
        " GPU timings\n--------------------------------------------------------------\n"
        " Computing:                         Count  Wall t (s)      ms/step       %\n"
        "--------------------------------------------------------------\n"
        " Pair list H2D                       626       0.123        0.196     1.2\n"
        "--------------------------------------------------------------\n\n" MDRUN_TIMES MDRUN_END,
        &log);
    assert_string_equal(log.command, "gmx mdrun -s water.tpr");
    assert_string_equal(log.version, "2023.2");
    assert_null(log.notices);
    assert_int_equal(log.count, 11);
    has_value(&log, (wanted){"grid_points", NULL, -1, 0, "", 1}, 14400);
    has_value(&log, (wanted){"slowest_over_mean", NULL, -1, 0, "force", 1}, 1.16);
    has_value(&log, (wanted){"phase_time", NULL, -1, 0, "PME spread", 1}, 4.625);
    has_value(&log, (wanted){"phase_time", NULL, -1, 0, "Rest", 1}, 6.21);
    has_value(&log, (wanted){"threads_per_process", NULL, -1, 0, "", 1}, 5);
    has_value(&log, (wanted){"execution_time", NULL, -1, 0, "", 1}, 20.5);
    assert_int_equal(processes_of(&log, "execution_time", ""), 2);
    clump_import_log_free(&log);

    /* Stopped, then restarted twice; no table, and no rate but of the last. */
    read_text("gromacs",
              MDRUN_HEAD MDRUN_HEAD
              "       Time:      20.500       10.250      200.0\n(ns/day) (hour/ns)\n"
              "Performance:       33.952        0.707\n" MDRUN_END MDRUN_HEAD MDRUN_TABLE
              "Core t (s)   Wall t (s)        (%)\n   Time:      41.000       20.500      200.0\n"
              "                   (steps/hour)\nPerformance:       16976.1\n" MDRUN_END,
              &log);
    assert_non_null(strstr(log.notices, "line 7: found no end of the run"));
    assert_non_null(strstr(log.notices, "line 18: the run has no cycle accounting"));
    has_value(&log, (wanted){"execution_time", NULL, -1, 0, "", 1}, 10.25);
    has_value(&log, (wanted){"execution_time", NULL, -1, 0, "", 2}, 20.5);
    assert_int_equal(processes_of(&log, "simulation_rate", ""), 2);
    find_sample(&log, (wanted){"simulation_rate", NULL, -1, 0, "", 0}, &of);
    assert_int_equal(of->count, 1);
    clump_import_log_free(&log);

    refuse_text(NULL, MDRUN_HEAD MDRUN_TABLE, 19, "expected 'Finished mdrun'");
    refuse_text(NULL, MDRUN_HEAD MDRUN_TABLE MDRUN_END, 20, "expected its times");
    refuse_text(NULL, MDRUN_HEAD MDRUN_TIMES "Finished mdrun on ra", 12, "truncated");
    refuse_text(NULL,
                MDRUN_HEAD MDRUN_TIMES " Computing: Wall time Giga-Cycles\n---\n"
                                       " Force 2 5 1 1.5 7.1 9.9\n---\n" MDRUN_END,
                16, "the row 'Total'");
    refuse_text(NULL,
                MDRUN_HEAD " Computing: Wall time Giga-Cycles\n---\n Force 2 5 1 1.5 7.1 9.9\n"
                           "---\n" MDRUN_TIMES MDRUN_END,
                12, "'Core t (s)   Wall t (s)        (%)', expected a phase");
    refuse_text(
        NULL, MDRUN_HEAD MDRUN_TABLE "       Time:      41.000       20.600      200.0\n" MDRUN_END,
        20, "20.6 s beside phases of 20.5 s in total");
    static const struct {
        const char *row, *part;
    } rows[] = {
        {" Force 2 5 50001 14.290 356.268", "expected a phase"},
        {" Force 2 5 50001 nan 356.268 18.0", "expected a phase"},
        {" 2 5 50001 14.290 356.268 18.0", "expected a phase"},
        {" slurmstepd: error: job 7 on node0 was cancelled", "expected a phase"},
        {" Force 2 5 50001 14.2.9 356.268 18.0", "'14.2.9', expected a time"},
        {" Force 2.5 5 50001 14.29 356.268 18.0", "'2.5', expected a number of ranks"},
        {" Force 2 5 9999999999999999 14.29 356.268 18.0", "that can be"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[600];
        snprintf(text, sizeof text, MDRUN_HEAD " Computing: Wall time Giga-Cycles\n---\n%s\n",
                 rows[i].row);
        refuse_text(NULL, text, 10, rows[i].part);
    }
    refuse_text(NULL, MDRUN_HEAD " Average load imbalance: much\n", 8, "'much'");
    refuse_text(NULL, MDRUN_HEAD "optimal pme grid 24 24\n", 8, "expected three numbers");
    refuse_text(NULL, MDRUN_HEAD "optimal pme grid 24 24 -1,\n", 8, "'-1'");
    refuse_text(NULL, MDRUN_HEAD "       Time:      41.000\n", 8, "another number of times");
    refuse_text(NULL, "Gromacs version: VERSION 5.1\nRunning on many nodes with\n", 2, "'many'");
}

#define CP2K_HEAD                                                                                  \
    "  **** **** ******  **  PROGRAM STARTED AT               2020-09-10 20:06:05.242\n"           \
    " CP2K| version string:                                          CP2K version 2.4\n"           \
    " GLOBAL| Total number of message passing processes                            16\n"
#define CP2K_CALLS                                                                                 \
    " -                         MESSAGE PASSING PERFORMANCE                         -\n"           \
    " ROUTINE             CALLS  TOT TIME [s]  AVE VOLUME [Bytes]  PERFORMANCE [MB/s]\n"           \
    " MP_Group                4         0.001\n"                                                   \
    " MP_Alltoall          2249        17.250              12000.               1.56\n"            \
    " -------------------------------------------------------------------------------\n"
#define CP2K_TIMINGS                                                                               \
    " SUBROUTINE                       CALLS  ASD         SELF TIME        TOTAL TIME  MAXRANK\n"  \
    "                                MAXIMUM       AVERAGE  MAXIMUM  AVERAGE  MAXIMUM\n"           \
    " CP2K                                 1  1.0    0.042    0.058  146.594  146.596   3\n"       \
    " -------------------------------------------------------------------------------\n"
#define CP2K_END                                                                                   \
    "  **** **** ******  **  PROGRAM ENDED AT                 2020-09-10 20:08:36.202\n"

/* Numbers of Alaska, 16 nodes of 32 cores, RoCE (ukri-excalibur/excalibur-tests, before a1f66d46). */
TEST(reads_cp2k)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_log("cp2k", "cp2k_h2o256_16_nodes.txt", &log);
    assert_string_equal(log.version, "7.1");
    assert_string_equal(log.application, "CP2K H2O-256");
    has_value(&log, (wanted){"execution_time", "single", -1, 0, "", 1}, 146.596);
    has_value(&log, (wanted){"threads_per_process", "single", -1, 0, "", 1}, 1);
    has_value(&log, (wanted){"message_count", "single", 8192, 0, "DBCSR", 1}, 22553760);
    has_value(&log, (wanted){"message_count", "single", 0, 0, "DBCSR", 1}, 507232);
    has_value(&log, (wanted){"message_count", "single", 415664, 0, "DBCSR", 1}, 25252352);
    has_value(&log, (wanted){"call_count", "single", -1, 0, "DBCSR MP_Alltoall", 1}, 9654);
    has_value(&log, (wanted){"call_count", "single", -1, 0, "MP_Wait", 1}, 275084);
    has_value(&log, (wanted){"call_bytes", "mean", -1, 0, "DBCSR MP_ISend", 1}, 75969);
    has_value(&log, (wanted){"call_bytes", "mean", -1, 0, "MP_ISendRecv", 1}, 5280);
    has_value(&log, (wanted){"phase_time", "mean", -1, 0, "qs_forces", 1}, 146.116);
    has_value(&log, (wanted){"phase_time", "max", -1, 0, "qs_forces", 1}, 146.118);
    has_value(&log, (wanted){"phase_self_time", "mean", -1, 0, "mp_waitall_1", 1}, 37.29);
    has_value(&log, (wanted){"phase_self_time", "max", -1, 0, "mp_waitall_1", 1}, 41.207);
    has_value(&log, (wanted){"phase_calls", "max", -1, 0, "mp_waitall_1", 1}, 787528);
    assert_int_equal(processes_of(&log, "execution_time", ""), 512);
    /* 742 MB a call, in 204 MiB. */
    assert_true(
        find_sample(&log, (wanted){"call_bytes", NULL, -1, 0, "MP_Alltoall", 1}, &of)->doubtful);
    assert_false(
        find_sample(&log, (wanted){"call_bytes", NULL, -1, 0, "MP_Bcast", 1}, &of)->doubtful);
    assert_true(of->key.of_application);
    assert_int_equal(of->samples[0].iterations, 3985);
    assert_non_null(strstr(log.notices, "more than the memory of a process"));
    clump_import_log_free(&log);

    read_text("cp2k", CP2K_HEAD CP2K_CALLS CP2K_TIMINGS CP2K_END, &log);
    has_value(&log, (wanted){"site_time", "single", -1, 0, "MP_Alltoall", 1}, 17.25);
    has_value(&log, (wanted){"call_bytes", "mean", -1, 0, "MP_Alltoall", 1}, 12000);
    has_value(&log, (wanted){"call_count", "single", -1, 0, "MP_Group", 1}, 4);
    assert_null(log.notices);
    clump_import_log_free(&log);
    read_text("cp2k", CP2K_HEAD CP2K_TIMINGS CP2K_END CP2K_HEAD CP2K_TIMINGS CP2K_END, &log);
    has_value(&log, (wanted){"execution_time", "single", -1, 0, "", 2}, 146.596);
    assert_non_null(strstr(log.notices, "no statistics of messages"));
    clump_import_log_free(&log);

    refuse_text(NULL, CP2K_HEAD CP2K_CALLS CP2K_TIMINGS, 12, "expected 'PROGRAM ENDED AT'");
    refuse_text(NULL, CP2K_HEAD CP2K_CALLS CP2K_END, 9, "expected its timings");
    refuse_text(NULL, CP2K_HEAD CP2K_CALLS CP2K_HEAD CP2K_TIMINGS CP2K_END, 9,
                "started on line 1: it has crashed");
    refuse_text(NULL, " CP2K| version string: 1\n" CP2K_END, 2, "expected its start");
    refuse_text(
        NULL, CP2K_HEAD " SUBROUTINE   SELF TIME\n qs 1 1.0 0.1 0.2 0.3 0.4\n ---------\n" CP2K_END,
        7, "a row 'CP2K'");
    refuse_text(NULL, CP2K_HEAD " SUBROUTINE   SELF TIME\n CP2K 1 1.0 0.1 0.2 0.3 0.4\n" CP2K_END,
                6, "the end of its last table");
    refuse_text(NULL, CP2K_HEAD " ROUTINE  CALLS\n MP_Wait\n", 5, "an MPI routine and its calls");
    refuse_text(NULL, CP2K_HEAD " ROUTINE  CALLS\n MP_Wait 1e99\n", 5, "'1e99'");
    refuse_text(NULL, CP2K_HEAD " SUBROUTINE   SELF TIME\n CP2K 1 1.0 0.1 0.2 0.3\n", 5,
                "four times");
    refuse_text(NULL, CP2K_HEAD " SUBROUTINE   SELF TIME\n CP2K 1 1.0 0.1 0.2 0.3 ****\n", 5,
                "'****', expected a time");
    refuse_text(NULL,
                CP2K_HEAD " MPI breakdown and total messages size (bytes):\n"
                          " size <= 128 5 700\n 128 < size <= 8192 5 100\n",
                6, "size 20 after size 140");
    refuse_text(NULL, CP2K_HEAD " GLOBAL| Number of threads for this process many\n", 4, "'many'");
}

UNIT_MAIN(NULL, NULL)
