/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs that must be refused: where, and what was found. */
#include "tests/unit/test_import.h"

#define OSU "# OSU MPI Latency Test v5.3\n# Size          Latency (us)\n"

TEST(refuses_in_every_format)
{
    refuse_text(NULL, "", 0, "empty");
    refuse_text("osu", " \n\n", 0, "empty");
    refuse_text(NULL, "hello\nworld\n", 0, "nothing that is known");
    refuse_text("imb", OSU "0     0.13\n", 0,
                "found what looks like OSU Micro-Benchmarks, expected Intel MPI Benchmarks");
    refuse_bytes("osu", OSU "0\0    0.13\n", sizeof(OSU "0\0    0.13\n") - 1, 3, "NUL");
    refuse_text("osu", OSU "0     0.13\n8     0.1", 4, "truncated");
    refuse_text("osu", OSU "0     0.13\n8     0,16\n", 4, "decimal comma");
    refuse_text("osu", OSU "0     0.13\n8     1,234.16\n", 4, "commas between digits");
    refuse_text("osu", OSU "0     0.13\n8     1,234,567\n", 4, "commas between digits");
    refuse_text("osu", OSU "0     0.13\n8     nan\n", 4, "not a number");
    refuse_text("osu", OSU "0     0.13\n8     inf\n", 4, "'inf'");
    refuse_text("osu", OSU "0     0.13\n8     1e999\n", 4, "'1e999'");
    refuse_text("osu", OSU "0     0.13\n8     -0.16\n", 4, "-0.16");
    refuse_text("osu", OSU "8     0.13\n0     0.16\n", 4, "size 0 after size 8");
    refuse_text("osu", OSU "8     0.13\n8     0.16\n", 4, "size 8 after size 8");
    refuse_text("osu", OSU "-8     0.13\n", 3, "'-8");
    refuse_text("osu", OSU "8     0.13\r\n", 3, "ends with CR LF, expected LF alone");
    refuse_text("osu", "# OSU MPI Latency Test v7.4\r# Size          Latency (us)\r8     0.13\r", 1,
                "ends with CR, expected LF alone");
    refuse_text("csv", "size,value,unit\n8,1,us\r", 2, "ends with CR,");
    refuse_text("csv", "\xEF\xBB\xBFsize,value,unit\n8,1,us\n", 1, "found a byte order mark");
    refuse_text("osu", OSU, 2, "without rows");
}

TEST(refuses_long_lines)
{
    const size_t size = 10 << 20;
    char *bytes = malloc(size + sizeof OSU);
    assert_non_null(bytes);
    memcpy(bytes, OSU, sizeof OSU - 1);
    memset(bytes + sizeof OSU - 1, '8', size);
    refuse_bytes("osu", bytes, size + sizeof OSU - 1, 3, "more than 65536 bytes");
    refuse_bytes(NULL, bytes, size + sizeof OSU - 1, 3, "more than 65536 bytes");
    free(bytes);
}

TEST(refuses_osu)
{
    refuse_text("osu", OSU "[node0:16731] *** Process received signal ***\n", 3, "crashed");
    refuse_text("osu", OSU "0   0.13\n--------\nmpirun noticed that process rank 1 exited\n", 4,
                "crashed");
    refuse_text("osu", OSU "0   0.13   7\n", 3, "2 columns");
    refuse_text("osu",
                "# OSU MPI Latency Test v7.4\n# Size       Avg Latency(us)        Validation\n"
                "1                       0.43              Fail\n",
                3, "found Fail defects");
    refuse_text("osu", "# OSU MPI Latency\n", 1, "name of a test");
    refuse_text("osu", OSU OSU "8 0.16\n", 2, "without rows");
}

/* What a job prints between results, and what it prints when it crashes. */
TEST(skips_remarks)
{
    static const char rule[] = "-----------------------------------------------\n";
    static const char *const remarks[] = {
        "[1669123.12] [node01:1234 :0]  ucp_worker.c:1855 UCX  INFO    ep_cfg[1]: tag(rc_mlx5/0)\n",
        "=== 2 pairs\n",
        "real\t0m1.5s\n",
        "2026-11-23 10:22:05 next\n",
        "10:22:05 next\n",
        "WARNING: There was an error initializing an OpenFabrics device.\n",
        "[node01:1234] 3 more processes have sent help message help-mpi-btl-openib.txt\n",
    };
    static const char *const crashes[] = {
        "[node0:16731] *** Process received signal ***\n",
        "srun: error: node1: task 1: Killed\n",
        "slurmstepd: *** JOB 7 ON n1 CANCELLED AT 2026-11-23 ***\n",
        "[1.2] [n:1:0] ib_mlx5.c:1 UCX  ERROR Transport retry count exceeded\n",
    };
    char text[1000];
    clump_import_log log;
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; i++) {
        snprintf(text, sizeof text, OSU "0 0.13\n%s8 0.16\n%s" OSU "8 0.17\n%s", remarks[i],
                 remarks[i], remarks[i]);
        if (!parse_bytes("osu", text, strlen(text), &log))
            fail_msg("'%s': %s", remarks[i], log.message);
        size_t samples = 0;
        for (size_t k = 0; k < log.count; k++)
            samples += log.series[k]->count;
        assert_int_equal(samples, 3);
        assert_non_null(strstr(log.notices, "line 4: skipped"));
        clump_import_log_free(&log);
    }
    snprintf(text, sizeof text, OSU "0 0.13\n%s%sBy default it is so.\n%s8 0.16\n", rule,
             remarks[5], rule);
    assert_true(parse_bytes("osu", text, strlen(text), &log));
    clump_import_log_free(&log);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
        snprintf(text, sizeof text, OSU "0 0.13\n%s8 0.16\n", crashes[i]);
        refuse_text("osu", text, 4, "crashed");
    }
    refuse_text("osu", OSU "0 0.13\n1048576\n", 4, "2 columns");
    refuse_text("osu",
                "# OSU MPI Multiple Bandwidth / Message Rate Test v7.4\n"
                "# [ pairs: 99999999999 ] [ window size: 64 ]\n",
                2, "expected 1 to 100000000 pairs");
}

#define IMB                                                                                        \
    "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n"                                           \
    "# Benchmarking PingPong \n# #processes = 2 \n"                                                \
    "       #bytes #repetitions      t[usec]   Mbytes/sec\n"

TEST(refuses_imb)
{
    refuse_text("imb", IMB "            0          200         6.25         0.00\n", 5,
                "MPI_Finalize");
    refuse_text("imb", IMB "            0          200         6.25\n", 5, "4 columns");
    refuse_text("imb", IMB "            0          200         6,25         0,00\n", 5,
                "decimal comma");
    refuse_text("imb", IMB "mpirun noticed that process rank 1 exited\n", 5, "crashed");
    refuse_text("imb",
                IMB "            0          200         6.25         0.00\n"
                    "# All processes entering MPI_Finalize\n" IMB
                    "            0          200         6.25         0.00\n",
                11, "MPI_Finalize");
    refuse_text("imb", IMB "            0          200         6.25         0.00\n" IMB, 6,
                "found the title of another run");
    refuse_text("imb",
                IMB "            8          200         6.25         0.00\n"
                    "            4          200         6.25         0.00\n",
                6, "size 4 after size 8");
}

#define NETPIPE "Now starting the main loop\n"

TEST(refuses_netpipe)
{
    size_t size = 0;
    char *bytes = load_log("NP5mpi_shm_truncated_timeout.txt", &size);
    refuse_bytes("netpipe", bytes, size, 84, "truncated");
    free(bytes);
    refuse_text("netpipe",
                NETPIPE "  0:       1 bytes 363143 times -->     56.03 Mbps in       0.34 usec\n",
                2, "lines may be mixed up");
    refuse_text("netpipe", NETPIPE "  0:       1 bytes 363143 times -->     56.03 Mbps in\n", 2,
                "expected a rate and a time");
    refuse_text("netpipe",
                NETPIPE "  0:       1 bytes 363143 times -->     56.03 Mbps in       0.14 weeks\n",
                2, "units");
    refuse_text("netpipe", "       1 47.454785   0.00000016\n       2 -1.0 0.00000015\n", 2,
                "-1.0");
    refuse_text("netpipe", "       1 47.454785   0.00000016\n       2 103.9\n", 2, "columns");
}

#define NETGAUGE "# Info:   (0): Netgauge v2.4.6 MPI enabled (P=2) (./netgauge )\n"

TEST(refuses_others)
{
    refuse_text("netgauge", NETGAUGE "Testing 1 bytes 100 times:\n", 2, "truncated");
    refuse_text("netgauge", NETGAUGE "Testing 1 bytes 100 times:\n L=0.410568  s=1  o_s=0.04\n", 3,
                "truncated");
    refuse_text("netgauge",
                "# size n PRTT(1,0,s) PRTT(n,0,s)\n1 10 -nan 1.4 9.1 0.4 0.1 0.1 -nan -nan -nan\n",
                2, "not a number");
    refuse_text("netgauge", "# size n PRTT(1,0,s) PRTT(n,0,s)\n1 10 0.8 1.4 9.1 0.4 0.1\n", 2,
                "11");
    refuse_text("logp-mpi",
                "# LogP network performance data: x\n1795247316  0 0.0000000 0.0000000 0.00000\n",
                2, "9");
    refuse_text("fi-pingpong",
                "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
                "64      10k     =10k     1.2m        0.20s      6.54       7.79       0.10\n",
                2, "lines may be mixed up");
    refuse_text("fi-pingpong",
                "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
                "fi_cq_sread: Resource temporarily unavailable, 11\n",
                2, "crashed");
    refuse_text("mpip", "@ mpiP\n@ Command : a\n@--- MPI Time (seconds) ---\n------\n 0 1 1 100\n",
                5, "truncated");
}

#define UCX                                                                                        \
    "|              |              |        latency (usec)        |  message rate (msg/s) |\n"     \
    "|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |\n"

TEST(refuses_ucx_perftest)
{
    refuse_text("ucx-perftest",
                UCX "[thread 0]  7843  0.164  0.163  0.163  46.66  46.66  6116379 6116379\n", 3,
                "final row");
    refuse_text("ucx-perftest", UCX "Final:  7843  0.164  0.163\n", 3, "8");
    refuse_text("ucx-perftest",
                UCX "Final:  7843  0.164  0.163  0.163  46.66  46.66  3116379 3116379\n", 3,
                "contradict");
    refuse_text("ucx-perftest",
                "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,"
                "overall_mr\n500000,0.145,0.160,0.160,47.62,47.62,6242202,6242202\n",
                1, "--quantity");
    test_hints.size_bytes = 64;
    refuse_text("ucx-perftest",
                UCX "Final:  7843  0.153  0.163  0.163  46.66  46.66  6116379 6116379\n", 3,
                "expected the size 64");
    test_hints.size_bytes = -1;
}

TEST(refuses_csv)
{
    refuse_text("csv", "size,value\n8,1\n", 1, "no column 'unit'");
    refuse_text("csv", "size;value;unit\n8;1;us\n", 1, "semicolons");
    refuse_text("csv", "size,value,unit\n8,0,14,us\n", 2, "decimal comma");
    refuse_text("csv", "size,value,unit\n8,\"0,14\",us\n", 2, "decimal comma");
    refuse_text("csv", "size,value,unit\n8,1,us\n16,2,ms\n", 3, "unit 'ms' after 'us'");
    refuse_text("csv", "size,value,unit\n8,1,us\n4,2,us\n", 3, "size 4 after size 8");
    refuse_text("csv", "size,value,unit\n8,1,parsec\n", 2, "'parsec'");
    refuse_text("csv", "size,value,unit\n8,nan,us\n", 2, "not a number");
    refuse_text("csv", "size,value,unit\n8,,us\n", 2, "expected a number");
    refuse_text("csv", "size,value,unit\n8,-1,us\n", 2, "-1");
    refuse_text("csv", "size,value,unit\n8,1\n", 2, "cut off");
    refuse_text("csv", "size,value,unit\n8.5,1,us\n", 2, "'8.5'");
    refuse_text("csv", "size,value,unit\n1e3,1,us\n", 2, "'1e3'");
    refuse_text("csv", "value,unit\n1,cycles\n", 2, "--quantity");
    refuse_text("csv", "value,unit,platform\n1,us,x\n", 1, "--platform");
    refuse_text("csv", "value,unit,value\n1,us,2\n", 1, "two columns");
    refuse_text("csv", "value,unit\n", 2, "expected results");
}

UNIT_MAIN(NULL, NULL)
