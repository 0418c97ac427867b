/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each format: numbers typed from the logs, in the store's units. */
#include "tests/unit/test_import.h"

TEST(reads_osu_latency)
{
    clump_import_log log;
    read_log("osu", "osu_latency_v74_tcp_r1.txt", &log);
    assert_string_equal(log.version, "7.4");
    assert_int_equal(log.count, 1);
    assert_int_equal(log.samples, 21);
    has_value(&log, (wanted){"half_round_trip", "mean", 524288, 0, "", 1}, 75.83);
    has_value(&log, (wanted){"half_round_trip", "mean", 1048576, 0, "", 1}, 222.58);
    has_key(&log, (wanted){"half_round_trip", NULL, -1, 0, NULL, 0}, "osu_latency", 0, 2);
    clump_import_log_free(&log);

    read_log("osu", "osu_latency_v53_shm_r1.txt", &log);
    assert_string_equal(log.version, "5.3");
    has_value(&log, (wanted){"half_round_trip", "mean", 0, 0, "", 1}, 0.13);
    has_value(&log, (wanted){"half_round_trip", "mean", 4194304, 0, "", 1}, 367.09);
    clump_import_log_free(&log);

    read_log("osu", "osu_latency_types.txt", &log);
    assert_int_equal(log.count, 3);
    has_value(&log, (wanted){"half_round_trip", "mean", 4, 0, "MPI_FLOAT", 1}, 0.36);
    has_value(&log, (wanted){"half_round_trip", "mean", 4096, 0, "MPI_INT", 1}, 2.91);
    has_value(&log, (wanted){"half_round_trip", "mean", 1, 0, "", 1}, 0.18);
    clump_import_log_free(&log);
}

TEST(reads_osu_bandwidth)
{
    clump_import_log log;
    read_log("osu", "osu_bibw_v74_tcp_r1.txt", &log);
    has_value(&log, (wanted){"transfer_rate_both_ways", "mean", 16, 0, "", 1}, 6.24);
    assert_non_null(strstr(log.notices, "--window"));
    has_key(&log, (wanted){"transfer_rate_both_ways", NULL, -1, 0, NULL, 0}, "osu_bibw", 0, 2);
    clump_import_log_free(&log);

    test_hints.window = 16;
    read_log("osu", "osu_bw_W16.txt", &log);
    assert_null(log.notices);
    has_value(&log, (wanted){"transfer_rate", "mean", 512, 16, "", 1}, 3025.21);
    clump_import_log_free(&log);
    test_hints.window = 0;

    read_log("osu", "osu_mbw_mr_4ranks.txt", &log);
    has_value(&log, (wanted){"transfer_rate", "mean", 4096, 64, "", 1}, 3908.90);
    has_value(&log, (wanted){"message_rate", "mean", 4096, 64, "", 1}, 0.95432231);
    has_key(&log, (wanted){"message_rate", NULL, -1, 0, NULL, 0}, "osu_mbw_mr", 64, 4);
    clump_import_log_free(&log);

    read_log("osu", "osu_mbw_mr_validate.txt", &log);
    has_value(&log, (wanted){"message_rate", "mean", 65536, 64, "", 1}, 0.15961514);
    clump_import_log_free(&log);

    read_log("osu", "osu_mbw_mr_vary.txt", &log);
    assert_int_equal(log.count, 16);
    has_value(&log, (wanted){"transfer_rate", "mean", 1, 1, "", 1}, 2.87);
    has_value(&log, (wanted){"transfer_rate", "mean", 128, 128, "", 1}, 773.72);
    has_value(&log, (wanted){"message_rate", "mean", 2, 64, "", 1}, 16.24901617);
    has_value(&log, (wanted){"message_rate", "mean", 65536, 128, "", 1}, 0.16148336);
    clump_import_log_free(&log);
}

TEST(reads_osu_collectives)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_log("osu", "osu_alltoall_full.txt", &log);
    has_value(&log, (wanted){"operation_time", "mean", 65536, 0, "", 1}, 9.30);
    has_value(&log, (wanted){"operation_time", "min", 65536, 0, "", 1}, 9.25);
    has_value(&log, (wanted){"operation_time", "max", 65536, 0, "", 1}, 9.35);
    assert_int_equal(
        find_sample(&log, (wanted){"operation_time", "max", 65536, 0, "", 1}, &of)->iterations,
        100);
    clump_import_log_free(&log);

    read_log("osu", "osu_barrier_full.txt", &log);
    const clump_import_sample *one =
        find_sample(&log, (wanted){"operation_time", "mean", -1, 0, "", 1}, &of);
    assert_int_equal(one->size_bytes, -1);
    assert_int_equal(one->iterations, 1000);
    has_value(&log, (wanted){"operation_time", "mean", -1, 0, "", 1}, 0.48);
    clump_import_log_free(&log);

    read_text("osu",
              "# OSU MPI Broadcast Latency Test v7.4\n"
              "# Size       Avg Latency(us)   P50 Tail Lat(us)   P99 Tail Lat(us)\n"
              "8                       1.50              1.25              9.75\n",
              &log);
    has_value(&log, (wanted){"operation_time", "mean", 8, 0, "", 1}, 1.5);
    has_value(&log, (wanted){"operation_time", "median", 8, 0, "", 1}, 1.25);
    has_value(&log, (wanted){"operation_time", "percentile", 8, 0, "P99", 1}, 9.75);
    clump_import_log_free(&log);
}

/* Titles of OSU 5.7 on ABCI: what is in the memory of GPUs is something else. */
TEST(tells_osu_memory_and_processes)
{
    static const struct {
        const char *text, *benchmark, *quantity, *variant;
        int64_t processes;
    } logs[] = {
        {"# OSU MPI Multi Latency Test v5.7\n"
         "# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n# Size    Latency (us)\n",
         "osu_multi_lat", "half_round_trip", "device to device", 0},
        {"# OSU MPI-CUDA Latency Test v7.4\n# Datatype: MPI_INT.\n"
         "# Send Buffer on HOST (H) and Receive Buffer on MANAGED (MD)\n# Size   Latency (us)\n",
         "osu_latency", "half_round_trip", "MPI_INT host to managed", 2},
        {"# OSU MPI-ROCM Latency Test v7.4\n"
         "# Send Buffer on HOST (H) and Receive Buffer on HOST (H)\n# Size   Latency (us)\n",
         "osu_latency", "half_round_trip", "", 2},
        {"# OSU MPI-CUDA Allreduce Latency Test v5.7\n# Size   Avg Latency(us)\n", "osu_allreduce",
         "operation_time", "CUDA", 0},
        {"# OSU MPI Allgather Latency Test v5.6.2\n# Size   Avg Latency(us)\n", "osu_allgather",
         "operation_time", "", 0},
        {"# OSU MPI Reduce_scatter Latency Test v5.6.2\n# Size   Avg Latency(us)\n",
         "osu_reduce_scatter", "operation_time", "", 0},
        {"# OSU MPI-CUDA Latency Test v7.4\n# Send Buffer on X\n# Size   Latency (us)\n",
         "osu_latency", "half_round_trip", "", 2},
    };
    for (size_t i = 0; i < 2 * (sizeof logs / sizeof *logs); i++) {
        const size_t k = i / 2;
        clump_import_log log;
        char text[400];
        test_hints.processes = i % 2 == 0 ? 0 : 64;
        snprintf(text, sizeof text, "%s8      2.50\n", logs[k].text);
        read_text("osu", text, &log);
        has_value(&log, (wanted){logs[k].quantity, "mean", 8, 0, logs[k].variant, 1}, 2.5);
        assert_string_equal(log.series[0]->key.benchmark, logs[k].benchmark);
        assert_int_equal(log.series[0]->key.processes,
                         logs[k].processes != 0 ? logs[k].processes : test_hints.processes);
        const bool asked = log.notices != NULL && strstr(log.notices, "--processes") != NULL;
        assert_int_equal(asked, i % 2 == 0 && logs[k].processes == 0);
        clump_import_log_free(&log);
    }
    test_hints.processes = 0;
}

/* Titles and columns as osu_latency_persistent.c, osu_bw_persistent.c and osu_multi_lat.c of 7.4
 * print them: the latency is t/(2 iterations), half a round trip; osu_multi_lat -z announces
 * percentiles in print_only_header() and prints none. */
TEST(reads_osu_persistent_and_tails)
{
    clump_import_log log;
    read_text("osu",
              "# OSU MPI Latency Persistent Test v7.4\n# Datatype: MPI_CHAR.\n"
              "# Size          Avg Latency(us)\n1                       0.21\n",
              &log);
    has_value(&log, (wanted){"half_round_trip", "mean", 1, 0, "", 1}, 0.21);
    assert_string_equal(log.series[0]->key.benchmark, "osu_latency_persistent");
    assert_int_equal(log.series[0]->key.processes, 2);
    clump_import_log_free(&log);
    read_text("osu",
              "# OSU MPI-CUDA Bi-Directional Bandwidth Persistent Test v7.4\n"
              "# Size      Bandwidth (MB/s)\n1                       3.25\n",
              &log);
    has_value(&log, (wanted){"transfer_rate_both_ways", "mean", 1, 0, "", 1}, 3.25);
    assert_string_equal(log.series[0]->key.benchmark, "osu_bibw_persistent");
    clump_import_log_free(&log);

    static const char tails[] =
        "# OSU MPI Multi Latency Test v7.4\n# Datatype: MPI_CHAR.\n"
        "# Size          Avg Latency(us)    P50 Tail Lat(us)    P90 Tail Lat(us)    P99 Tail "
        "Lat(us)\n"
        "1                       0.18\n2                       0.19\n";
    read_text("osu", tails, &log);
    assert_int_equal(log.count, 1);
    has_value(&log, (wanted){"half_round_trip", "mean", 2, 0, "", 1}, 0.19);
    assert_non_null(strstr(log.notices, "announces percentiles and prints none"));
    clump_import_log_free(&log);
    /* A row that lacks something later is a broken one. */
    char text[600];
    snprintf(text, sizeof text, "%s4                       0.20    0.20    0.20    0.21\n", tails);
    refuse_text("osu", text, 6, "expected 2 columns");
    refuse_text("osu",
                "# OSU MPI Latency Test v7.4\n# Size    Avg Latency(us)    P50 Tail Lat(us)\n"
                "1  0.18  0.18\n2  0.19\n",
                4, "expected 3 columns");
}

/* What mpirun and srun put before each line; what went to stderr is no result. */
TEST(reads_prefixed_lines)
{
    static const struct {
        const char *prefix, *other;
    } marks[] = {
        {"[1,0]<stdout>:", "[1,1]<stderr>:0.5 of something\n"},
        {"[prterun-node7-1234@1,0]<stdout>: ", "[prterun-node7-1234@1,1]<stderr>: oops\n"},
        {"[1,0][node7:4711]<stdout>:", "[1,0][node7:4711]<stddiag>:oops\n"},
        {"Sun Nov 22 10:39:45 2026<stdout>:", "Sun Nov  1 10:39:45 2026<stderr>:oops\n"},
        {"Sun Nov 22 10:39:45 2026[1,0]<stdout>:", "mpirun: a word of its own\n"},
        {"[0] ", "[12] \n"},
        {"0: ", "1:\n"},
    };
    size_t size = 0;
    char *plain = load_log("osu_latency_v74_tcp_r1.txt", &size);
    plain[size] = '\0';
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        clump_import_log log;
        char *text = calloc(size, 50), *to = text;
        assert_non_null(text);
        to += sprintf(to, "%s", marks[i].other);
        for (const char *line = plain; *line != '\0';) {
            const size_t length = strcspn(line, "\n");
            to += sprintf(to, "%s%.*s\n", marks[i].prefix, (int)length, line);
            line += length + 1;
        }
        if (i == 0) { /* a line that was cut in two as it was passed on */
            char *cut = strstr(text, "6.03");
            assert_non_null(cut);
            memmove(cut + 16, cut + 2, strlen(cut + 2) + 1);
            memcpy(cut + 2, marks[i].prefix, 14);
        }
        read_text("osu", text, &log);
        assert_int_equal(log.samples, 21);
        has_value(&log, (wanted){"half_round_trip", "mean", 1, 0, "", 1}, 6.03);
        clump_import_log_free(&log);
        free(text);
    }
    free(plain);
    /* Only where all lines have it: NetPIPE numbers its rows, and they stay. */
    clump_import_log log;
    read_log("netpipe", "NPtcp_lo_r1.txt", &log);
    clump_import_log_free(&log);
    refuse_text(NULL, "[0] # OSU MPI Latency Test v7.4\n0: # Size  Avg Latency(us)\n", 2,
                "expected");
}

/* The output of several runs in one file: runs 1, 2. */
TEST(counts_runs)
{
    clump_import_log log;
    read_text("osu",
              "# OSU MPI Latency Test v5.3\n# Size          Latency (us)\n0    0.13\n8   0.16\n"
              "# OSU MPI Latency Test v5.3\n# Size          Latency (us)\n0    0.14\n8   0.15\n",
              &log);
    assert_int_equal(log.count, 1);
    has_value(&log, (wanted){"half_round_trip", "mean", 8, 0, "", 1}, 0.16);
    has_value(&log, (wanted){"half_round_trip", "mean", 8, 0, "", 2}, 0.15);
    clump_import_log_free(&log);
}

#define IMB_HEAD(version)                                                                          \
    "#------------\n#    Intel(R) MPI Benchmarks " version ", MPI-1 part\n#------------\n"         \
    "# MPI Thread Environment: \n\n\n# Calling sequence was: \n\n"                                 \
    "# ./IMB-MPI1 Uniband -msglog 3:20 \n\n"
#define IMB_TABLE(name)                                                                            \
    "#------------\n# Benchmarking " name " \n# #processes = 2 \n#------------\n"
#define IMB_END "\n\n# All processes entering MPI_Finalize\n\n"

TEST(reads_imb)
{
    clump_import_log log;
    read_text(
        "imb",
        IMB_HEAD("2021.11") IMB_TABLE(
            "PingPong") "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
                        "            0          200         6.25         0.00\n"
                        "      1048576           40       150.14      6983.94\n\n" IMB_TABLE(
                            "Uniband") "       #bytes #repetitions   Mbytes/sec      Msg/sec\n"
                                       "            0          167         0.00       214820\n"
                                       "            8          164         1.67       208916\n"
                                       "          512 time-out.; Time limit (secs_per_sample * "
                                       "msg_sizes_list_len) is over; "
                                       "use \"-time X\"\n\n" IMB_TABLE(
                                           "Exchange") "       #bytes #repetitions  t_min[usec]  "
                                                       "t_max[usec]  t_avg[usec]   Mbytes/sec\n"
                                                       "      1048576           40       163.47    "
                                                       "   163.48       163.47     "
                                                       "25656.81\n" IMB_END,
        &log);
    assert_string_equal(log.version, "2021.11");
    assert_string_equal(log.command, "./IMB-MPI1 Uniband -msglog 3:20");
    has_value(&log, (wanted){"half_round_trip", "mean", 0, 0, "", 1}, 6.25);
    has_value(&log, (wanted){"half_round_trip", "mean", 1048576, 0, "", 1}, 150.14);
    has_key(&log, (wanted){"half_round_trip", NULL, -1, 0, NULL, 0}, "IMB PingPong", 0, 2);
    has_value(&log, (wanted){"transfer_rate", "mean", 8, 0, "", 1}, 1.67);
    has_value(&log, (wanted){"message_rate", "mean", 0, 0, "", 1}, 0.214820);
    has_value(&log, (wanted){"operation_time", "max", 1048576, 0, "", 1}, 163.48);
    assert_int_equal(log.samples, 2 + 1 + 2 + 3);
    assert_non_null(strstr(log.notices, "line 26: skipped '512 time-out."));
    clump_import_log_free(&log);

    /* Before 2018 a megabyte was 2^20 bytes. */
    read_text("imb",
              IMB_HEAD("4.1") IMB_TABLE(
                  "Biband") "       #bytes #repetitions   Mbytes/sec      Msg/sec\n"
                            "         4096         1000         2.00          512\n" IMB_END,
              &log);
    has_value(&log, (wanted){"transfer_rate_both_ways", "mean", 4096, 0, "", 1}, 2.097152);
    clump_import_log_free(&log);
}

TEST(reads_netpipe)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_log("netpipe", "NPtcp_lo_r1.txt", &log);
    assert_int_equal(log.samples, 106);
    /* 8 * 1048579 bits at 52289.83 * 2^20 bit/s; printed as 152.99 us */
    has_value(&log, (wanted){"half_round_trip", "mean", 1048579, 0, "", 1},
              8.0 * 1048579 / (52289.83 * 1.048576));
    assert_int_equal(
        find_sample(&log, (wanted){"half_round_trip", NULL, 1048579, 0, NULL, 0}, &of)->iterations,
        328);
    clump_import_log_free(&log);

    read_log("netpipe", "NPtcp_lo.np.out", &log);
    has_value(&log, (wanted){"half_round_trip", "mean", 2, 0, "", 1},
              8.0 * 2 / (0.491954 * 1.048576));
    clump_import_log_free(&log);

    read_log("netpipe", "NP5mpi_shm.np.out", &log);
    has_value(&log, (wanted){"half_round_trip", "mean", 3072, 0, "", 1},
              8.0 * 3072 / (49.023 * 1e3));
    clump_import_log_free(&log);

    /* The other process's lines come between. */
    read_text("netpipe",
              "Streaming in one direction only.\n1: node1\nNow starting the main loop\n"
              "  0:       1 bytes 363143 times --> Sending output to np.out\n1: node1\n"
              "    56.03 Mbps in       0.14 usec\n"
              "  1:       2 bytes 734335 times -->    111.43 Mbps in       0.14 usec\n",
              &log);
    has_value(&log, (wanted){"message_gap", "mean", 1, 0, "", 1}, 8 / (56.03 * 1.048576));
    has_key(&log, (wanted){"message_gap", NULL, -1, 0, NULL, 0}, "NetPIPE stream", 0, 2);
    assert_int_equal(log.samples, 2);
    clump_import_log_free(&log);

    /* NetPIPE 5: colours, powers of ten, sizes that are rounded */
    read_text("netpipe",
              "Start testing with 7 trials for each message size\n"
              "\033[0m 55: \033[36m  3.075 KB\033[0m    498686 times -->  \033[31m 51.348 Gbps\033["
              "0m  in  \033[33m479.087 nsecs\033[0m\033[31m\n"
              "\033[0m 56: \033[36m  1.049 MB\033[0m    100 times -->  \033[31m 10.000 Gbps\033[0m "
              " in  \033[33m838.861 usecs\033[0m\033[31m\n",
              &log);
    has_value(&log, (wanted){"half_round_trip", "mean", 3075, 0, "", 1}, 0.479087);
    assert_int_equal(log.samples, 1);
    assert_non_null(strstr(log.notices, "rounded"));
    clump_import_log_free(&log);
}

TEST(reads_netgauge)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_log("netgauge", "loggp_tcp_64k.out", &log);
    has_value(&log, (wanted){"burst_round_trip", "single", 1025, 1, "", 1}, 16.652677);
    has_value(&log, (wanted){"burst_round_trip", "single", 1025, 10, "", 1}, 78.556977);
    has_value(&log, (wanted){"burst_round_trip", "single", 1025, 10, "delayed", 1}, 230.804302);
    const clump_import_sample *delayed =
        find_sample(&log, (wanted){"burst_round_trip", "single", 1025, 10, "delayed", 1}, &of);
    assert_true(delayed->delay_us == 16.652677);
    has_value(&log, (wanted){"send_time", "single", 1025, 0, "", 1}, 7.141948);
    has_value(&log, (wanted){"receive_time", "single", 1025, 0, "", 1}, 6.810507);
    has_value(&log, (wanted){"fitted_gap", "single", 1025, 0, "", 1}, 6.740155);
    has_value(&log, (wanted){"fitted_gap_per_byte", "single", 1025, 0, "", 1}, 0.000135);
    assert_non_null(strstr(log.notices, "skipped 2 values"));
    clump_import_log_free(&log);

    read_log("netgauge", "one_one_shm.txt", &log);
    assert_string_equal(log.version, "2.4.6");
    assert_string_equal(log.command, "./netgauge -s 1-65536 -o one_one_shm.out -x one_one -m mpi");
    has_value(&log, (wanted){"half_round_trip", "min", 65536, 0, "", 1}, 14.10);
    clump_import_log_free(&log);

    read_text("netgauge",
              "# Info:   (0): Netgauge v2.4.6 MPI enabled (P=2, threadlevel=0) (./netgauge -x "
              "loggp )\nTesting 1 bytes 100 times:\n L=0.190265  s=1  o_s=0.041168  o_r=0.086788  "
              "g=-nan  G=-nan (-nan GiB/s) lsqu(g,G)=-nan \nTesting 4097 bytes 100 times:\n "
              "L=0.190265  s=4097  o_s=2.414469  o_r=2.345511  g=-0.213872  G=0.000464 (16.850216 "
              "GiB/s) lsqu(g,G)=0.644543 \n",
              &log);
    has_value(&log, (wanted){"half_round_trip", "min", 1, 0, "", 1}, 0.190265);
    has_value(&log, (wanted){"fitted_gap", "single", 4097, 0, "", 1}, -0.213872);
    has_value(&log, (wanted){"receive_time", "single", 4097, 0, "", 1}, 2.345511);
    clump_import_log_free(&log);

    read_text("netgauge",
              "# Nodename: node1\n## Netgauge v2.4.6 - mode mpi - 2 processes\n##\n"
              "1 - 0.09 0.59 0.39 20.48 (2.03 1) - 0.18 0.73 0.52 15.70 (1.58 1) - 0.51 10.94 "
              "15.36 44.38\n",
              &log);
    has_value(&log, (wanted){"send_time", "median", 1, 0, "", 1}, 0.39);
    has_value(&log, (wanted){"half_round_trip", "mean", 1, 0, "", 1}, 0.73);
    has_value(&log, (wanted){"half_round_trip", "max", 1, 0, "", 1}, 15.70);
    clump_import_log_free(&log);
}

TEST(reads_logp_mpi)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_log("logp-mpi", "logp_test_tcp.out", &log);
    has_value(&log, (wanted){"plogp_latency", "single", -1, 0, "", 1}, 0.8);
    has_value(&log, (wanted){"send_time", "mean", 0, 0, "", 1}, 4.4);
    has_value(&log, (wanted){"receive_time", "min", 65536, 0, "", 1}, 29.6);
    has_value(&log, (wanted){"message_gap", "mean", 65536, 0, "", 1}, 34.5);
    assert_float_equal(
        find_sample(&log, (wanted){"send_time", "mean", 65536, 0, "", 1}, &of)->half_width, 1.3,
        1e-9);
    clump_import_log_free(&log);

    read_text("logp-mpi",
              "0: measuring with peer 1\n1: mirroring peer 0\nClock overhead is 0.019 usec\n"
              "0: runs = 10: tot_time 57.2 incr 0.0% RTT 10.4 g_avg 4.7 diff 0.0%\n"
              "0:       0: os 0.0000044 [ 9] or 0.0000027 [ 3]  g 0.0000045 L =      0.00\n"
              "0:     512: os 0.0000010 [72] or 0.0000005 [ 3]  g 0.0000005 os > g! or > g!\n"
              "0:+    512: g  0.0000047 (-28.3%)\n"
              "0:     384: os 0.0000045 [ 3] or 0.0000027 [ 3]  g 0.0000046\n",
              &log);
    assert_int_equal(log.samples, 9);
    has_value(&log, (wanted){"receive_time", "mean", 512, 0, "", 1}, 0.5);
    has_value(&log, (wanted){"message_gap", "mean", 384, 0, "", 1}, 4.6);
    clump_import_log_free(&log);
}

TEST(reads_ucx_perftest)
{
    clump_import_log log;
    read_log("ucx-perftest", "tag_lat_posix_8B_r1.txt", &log);
    has_value(&log, (wanted){"half_round_trip", "median", 8, 0, "", 1}, 0.153);
    /* printed as 0.163 */
    has_value(&log, (wanted){"half_round_trip", "mean", 8, 0, "", 1}, 1 / 6.116379);
    assert_int_equal(log.samples, 2);
    clump_import_log_free(&log);

    read_log("ucx-perftest", "fmt_p99_ucp_am_lat_posix.txt", &log);
    has_value(&log, (wanted){"half_round_trip", "percentile", 8, 0, "P99.0", 1}, 0.180);
    clump_import_log_free(&log);

    read_log("ucx-perftest", "fmt_final_ucp_am_bw_posix.txt", &log);
    has_value(&log, (wanted){"message_gap", "median", 8, 0, "", 1}, 0.270);
    has_value(&log, (wanted){"transfer_rate", "mean", 8, 0, "", 1}, 30.04 * 1.048576);
    has_value(&log, (wanted){"message_rate", "mean", 8, 0, "", 1}, 3.937752);
    clump_import_log_free(&log);

    /* A megabyte, as bandwidth, rate and time tell to within some bytes. */
    read_log("ucx-perftest", "ucp_am_bw_posix_1048576B_r2.txt", &log);
    has_value(&log, (wanted){"transfer_rate", "mean", 1048576, 0, "", 1}, 2381.24 * 1.048576);
    has_value(&log, (wanted){"message_gap", "mean", 1048576, 0, "part of a run", 3}, 419.477);
    has_value(&log, (wanted){"message_gap", "mean", 1048576, 0, "part of a run", 5}, 499.580);
    clump_import_log_free(&log);

    read_log("ucx-perftest", "uct_am_bw_bcopy_posix_8K_r1.txt", &log);
    has_value(&log, (wanted){"message_rate", "mean", 8192, 0, "", 1}, 5.469565);
    clump_import_log_free(&log);

    test_hints.quantity = "half_round_trip";
    read_log("ucx-perftest", "fmt_csv_ucp_am_lat_posix.txt", &log);
    has_value(&log, (wanted){"half_round_trip", "median", 8, 0, "", 1}, 0.145);
    clump_import_log_free(&log);
    test_hints.quantity = NULL;
}

TEST(reads_fi_pingpong)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_log("fi-pingpong", "fi_pingpong_tcp_rdm_r1.txt", &log);
    assert_int_equal(log.samples, 6);
    has_value(&log, (wanted){"half_round_trip", "mean", 256, 0, "", 1}, 256 / 32.98);
    has_value(&log, (wanted){"half_round_trip", "mean", 65536, 0, "", 1}, 65536 / 1471.58);
    has_value(&log, (wanted){"half_round_trip", "mean", 1048576, 0, "", 1}, 1048576 / 5592.79);
    assert_int_equal(
        find_sample(&log, (wanted){"half_round_trip", NULL, 64, 0, NULL, 0}, &of)->iterations,
        10000);
    clump_import_log_free(&log);
}

/* Written by hand in the form of perftest_parameters.h; no machine with such a network was at hand. */
TEST(reads_perftest)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_log("perftest", "ib_send_lat.txt", &log);
    assert_int_equal(log.samples, 12);
    has_value(&log, (wanted){"half_round_trip", "mean", 65536, 0, "", 1}, 6.16);
    has_value(&log, (wanted){"half_round_trip", "median", 2, 0, "", 1}, 0.93);
    has_value(&log, (wanted){"half_round_trip", "percentile", 2, 0, "P99", 1}, 1.02);
    assert_int_equal(
        find_sample(&log, (wanted){"half_round_trip", NULL, 2, 0, NULL, 0}, &of)->iterations, 1000);
    clump_import_log_free(&log);

    read_log("perftest", "ib_write_bw_both_ways.txt", &log);
    assert_int_equal(log.samples, 4);
    has_value(&log, (wanted){"transfer_rate_both_ways", "mean", 65536, 128, "4 queues", 1},
              22870.32 * 1.048576);
    has_value(&log, (wanted){"message_rate", "mean", 2, 128, "4 queues", 1}, 7.811891);
    clump_import_log_free(&log);
}

static const char mpip_report[] =
    "@ mpiP\n@ Command : ../fft3d 64 20 \n@ Version                  : 3.5.0\n"
    "@ MPI Task Assignment      : 0 node0\n@ MPI Task Assignment      : 1 node1\n\n"
    "---------------\n@--- MPI Time (seconds) ------\n---------------\n"
    "Task    AppTime    MPITime     MPI%\n"
    "   0      0.518      0.024     4.65\n"
    "   1      0.519      0.033     6.31\n"
    "   *      1.037      0.057     5.48\n"
    "---------------\n@--- Callsites: 2 -------\n---------------\n"
    " ID Lev File/Address        Line Parent_Funct             MPI_Call\n"
    "  6   0 fft3d.c               30 main                     Allreduce\n"
    " 10   0 0x7f8505810561           [unknown]                Alltoall\n"
    "---------------\n@--- Aggregate Time (top twenty, descending, milliseconds) ------\n"
    "---------------\nCall                 Site       Time    App%    MPI%      Count    COV\n"
    "Alltoall               10     14.179    1.37   24.96         40   0.00\n"
    "---------------\n@--- Callsite Time statistics (all, milliseconds): 2 ------\n"
    "---------------\nName              Site Rank  Count      Max     Mean      Min   App%   MPI%\n"
    "Allreduce            6    0     40    0.031    0.009    0.003   0.07   1.51\n"
    "Allreduce            6    *     40    0.031    0.009    0.000   0.04   0.64\n\n"
    "Alltoall            10    1     40    4.440    0.354    0.126   2.73  43.29\n"
    "Alltoall            10    *     40    4.440    0.354    0.000   1.37  24.96\n\n"
    "---------------\n@--- Callsite Message Sent statistics (all, sent bytes) ------\n"
    "---------------\nName              Site Rank   Count       Max      Mean       Min       Sum\n"
    "Alltoall            10    1      40 1048576.0000 1048576.0000 1048576.0000 41943040.0000\n"
    "---------------\n@--- End of Report ------\n---------------\n";

TEST(reads_mpip)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_text("mpip", mpip_report, &log);
    assert_string_equal(log.version, "3.5.0");
    assert_string_equal(log.application, "fft3d 64 20");
    has_value(&log, (wanted){"application_time", "single", -1, 0, "", 1}, 0.518);
    has_value(&log, (wanted){"mpi_fraction", "single", -1, 0, "", 1}, 0.0465);
    has_key(&log, (wanted){"mpi_time", NULL, -1, 0, NULL, 0}, "mpiP", 0, 2);
    const clump_import_sample *second =
        find_sample(&log, (wanted){"mpi_time", NULL, -1, 0, NULL, 0}, &of) + 1;
    assert_int_equal(second->task, 1);
    assert_true(second->value == 0.033);
    assert_true(of->key.of_application);
    has_value(&log, (wanted){"call_time", "mean", -1, 0, "Allreduce 6 fft3d.c:30 main", 1}, 9);
    has_value(&log, (wanted){"call_time", "max", -1, 0, "Alltoall 10", 1}, 4440);
    has_value(&log, (wanted){"call_count", "single", -1, 0, "Alltoall 10", 1}, 40);
    has_value(&log, (wanted){"call_bytes", "min", -1, 0, "Alltoall 10", 1}, 1048576);
    has_value(&log, (wanted){"site_bytes", "single", -1, 0, "Alltoall 10", 1}, 41943040);
    clump_import_log_free(&log);

    read_log("mpip", "fft3d-concise.mpiP", &log);
    has_value(&log, (wanted){"application_time", "max", -1, 0, "", 1}, 0.515414);
    has_value(&log, (wanted){"mpi_time", "min", -1, 0, "", 1}, 0.025148);
    has_value(&log, (wanted){"mpi_fraction", "mean", -1, 0, "", 1}, 0.05);
    has_value(&log, (wanted){"site_time", "mean", -1, 0, "Alltoall 5 fft3d.c:25 main", 1}, 0.01593);
    has_value(&log, (wanted){"site_bytes", "max", -1, 0, "Isend 17", 1}, 20480);
    has_value(&log, (wanted){"site_calls", "single", -1, 0, "Waitall 12", 1}, 20);
    clump_import_log_free(&log);
}

TEST(reads_csv)
{
    clump_import_log log;
    const clump_import_series *of = NULL;
    read_text("csv",
              "# a comment\nsize,value,unit,quantity,window,run,delay_us,statistic\n"
              "8,150,ns,half_round_trip,,1,,single\n8,160,ns,half_round_trip,,1,,single\n"
              "16,170,ns,half_round_trip,,1,,single\n8,155,ns,half_round_trip,,2,,single\n"
              "8,2,us,burst_round_trip,10,2,0.5,mean\n",
              &log);
    assert_int_equal(log.count, 2);
    has_value(&log, (wanted){"half_round_trip", "single", 16, 0, "", 1}, 170);
    has_value(&log, (wanted){"half_round_trip", "single", 8, 0, "", 2}, 155);
    assert_true(
        find_sample(&log, (wanted){"burst_round_trip", "mean", 8, 10, "", 2}, &of)->delay_us ==
        0.5);
    assert_string_equal(log.series[0]->key.unit, "ns");
    clump_import_log_free(&log);

    /* An export may say anything. */
    read_text("clumpmodel",
              "platform,application,transport,quantity,value,unit,source,note\n"
              "lab,,net,gap,1.5,us,mine,\"# OSU MPI Latency Test v5.3, GROMACS version: 2016\"\n",
              &log);
    assert_int_equal(log.samples, 1);
    clump_import_log_free(&log);

    /* The quantity is what the unit suggests. */
    read_text("csv", "size,value,unit\n8,2.5,GB/s\n", &log);
    has_value(&log, (wanted){"transfer_rate", "single", 8, 0, "", 1}, 2.5);
    assert_non_null(strstr(log.notices, "transfer_rate"));
    clump_import_log_free(&log);
}

/* Numbers of ABCI, 2 nodes of 4 V100 (aistabci/abci2.0benchmark, f0aa27f). */
TEST(reads_nccl_tests)
{
    clump_import_log log;
    read_log("nccl-tests", "nccl_all_reduce_8.txt", &log);
    assert_int_equal(log.count, 2);
    has_value(&log, (wanted){"operation_time", "mean", 4, 0, "", 1}, 17.98);
    has_value(&log, (wanted){"operation_time", "mean", 4, 0, "in place", 1}, 18.00);
    has_value(&log, (wanted){"operation_time", "mean", 33554432, 0, "", 1}, 2970.9);
    has_value(&log, (wanted){"operation_time", "mean", 524288, 0, "in place", 1}, 149.2);
    assert_string_equal(log.series[0]->key.benchmark, "nccl all_reduce");
    assert_int_equal(log.series[0]->key.processes, 8);
    assert_int_equal(log.series[0]->samples[0].iterations, 100);
    clump_import_log_free(&log);

#define NCCL_HEAD                                                                                  \
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 16 step: 2(factor) warmup iters: 5 iters: 20 agg "    \
    "iters: 1 validation: 1 graph: 0\n#\n"                                                         \
    "#  Rank  0 Group  0 Pid 12 on node0 device  0 [0000:05:00] GPU\n"                             \
    "#  Rank  1 Group  0 Pid 13 on node0 device  1 [0000:15:00] GPU\n"                             \
    "#  Rank  2 Group  0 Pid 14 on node1 device  0 [0000:05:00] GPU\n"                             \
    "#  Rank  3 Group  0 Pid 15 on node1 device  1 [0000:15:00] GPU\n"
#define NCCL_NAMES                                                                                 \
    "#                                       out-of-place               in-place\n"                \
    "#  size  count  type redop root  time algbw busbw #wrong  time algbw busbw #wrong\n"          \
    "#   (B)  (elements)              (us) (GB/s) (GB/s)\n"
#define NCCL_END "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1.0\n"
    /* The collective by what a row tells, as far as that goes: n = 4 ranks. */
    static const struct {
        const char *says, *row, *benchmark;
    } rows[] = {
        {"", "1024 256 float sum -1 10.0 40.00 60.00 0 10.5 40.00 60.00 0", "nccl all_reduce"},
        {"", "1024 256 float sum -1 10.0 40.00 30.00 0 10.5 40.00 30.00 0", "nccl reduce_scatter"},
        {"", "1024 256 float sum 0 10.0 40.00 40.00 0 10.5 40.00 40.00 0", "nccl reduce"},
        {"", "1024 256 float none 0 10.0 40.00 40.00 0 10.5 40.00 40.00 0", "nccl broadcast"},
        {"", "1024 256 float none -1 10.0 40.00 40.00 0 10.5 40.00 40.00 N/A", "nccl sendrecv"},
        {"", "1024 256 float none -1 10.0 40.00 30.00 0 10.5 40.00 30.00 N/A",
         "nccl all_gather or alltoall"},
        {"# Collective test starting: alltoall_perf\n",
         "1024 256 float none -1 10.0 40.00 30.00 0 10.5 40.00 30.00 N/A", "nccl alltoall"},
        {"", "1024 256 float sum -1 10.0 0.01 0.02 0 10.5 0.01 0.01 0", "nccl collective"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "%s%s" NCCL_NAMES "node0:1:2 [0] NCCL INFO Init\n  %s\n" NCCL_END, rows[i].says,
                 NCCL_HEAD, rows[i].row);
        read_text("nccl-tests", text, &log);
        assert_string_equal(log.series[0]->key.benchmark, rows[i].benchmark);
        assert_int_equal(log.series[0]->key.processes, 4);
        assert_int_equal(log.series[0]->samples[0].iterations, 20);
        has_value(&log, (wanted){"operation_time", "mean", 1024, 0, "in place", 1}, 10.5);
        clump_import_log_free(&log);
    }
    read_text(
        "nccl-tests",
        "# nccl-tests version 2.17.1 nccl-headers=22807 nccl-library=22807\n" NCCL_HEAD NCCL_NAMES
        " 8 4 half max -1 10.0 40.00 60.00 0 N/A N/A N/A N/A\n" NCCL_END,
        &log);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.series[0]->key.variant, "half max");
    assert_string_equal(log.version, "2.17.1");
    clump_import_log_free(&log);
    refuse_text(NULL, NCCL_HEAD NCCL_NAMES " 8 2 float sum -1 10.0 40 60 0 10.5 40 60 0\n", 10,
                "expected '# Out of bounds values'");
    refuse_text(NULL, NCCL_HEAD NCCL_NAMES NCCL_END, 10, "table without rows");
    refuse_text(NULL, NCCL_HEAD NCCL_NAMES " 8 2 float sum -1 10.0 40 60 0 10.5\n" NCCL_END, 10,
                "expected 13 columns");
    refuse_text(NULL,
                NCCL_HEAD NCCL_NAMES " 8 2 float sum -1 10.0 40 60 3 10.5 40 60 0\n"
                                     "# Out of bounds values : 3 FAILED\n",
                11, "data arrived damaged");
}

/* Numbers of Alaska, four of 16 nodes, RoCE (ukri-excalibur/excalibur-tests, before a1f66d46). */
TEST(reads_nxnlatbw)
{
    clump_import_log log;
    read_log("nxnlatbw", "nxnlatbw_4.txt", &log);
    assert_int_equal(log.samples, 24);
    assert_int_equal(log.count, 8);
    /* In the order of the file: 1 to 0, 2 and 3. */
    const clump_import_series *of = NULL;
    const wanted times = {"half_round_trip", "mean", 0, 0, "from 1", 1};
    const clump_import_sample *first = find_sample(&log, times, &of);
    has_value(&log, times, 1.37);
    assert_int_equal(of->count, 3);
    assert_int_equal(first->task, 0);
    assert_true(first[2].value == 2.05 && first[2].task == 3);
    has_value(&log, (wanted){"transfer_rate", "mean", 4194304, 10, "from 3", 1}, 3039.220346);
    has_key(&log, (wanted){"transfer_rate", NULL, -1, 0, NULL, 0}, "nxnlatbw", 10, 2);
    clump_import_log_free(&log);
#define NXN "src,dst,lat(us),bandwidth((Mbytes/sec)\n"
    refuse_text(NULL, NXN "0,1,0.81,12042.8\n", 2, "found 1 pairs, expected 2 of 2 processes");
    refuse_text(NULL, "0,1,0.81,12042.8\n" NXN "0,1,0.81,12042.8\n", 3, "0 to 1 a second time");
    refuse_text(NULL, NXN "1,1,0.81,12042.8\n", 2, "found 1 to 1, expected each pair");
    refuse_text(NULL, NXN "1,2,0.81\n", 2, "expected two processes");
    refuse_text(NULL, NXN "1,2,0.81,12042.8,\n", 2, "expected two processes");
    refuse_text(NULL, NXN "1,2,0.81,nan\n", 2, "not a number");
    refuse_text(NULL, NXN "1,2048,0.81,12042.8\n", 2, "expected less than 2048");
    refuse_text(NULL, NXN "slurmstepd: error\n", 2, "'slurmstepd: error'");
    refuse_text(NULL, NXN "0,1,0.81,12042.8\n1,0,0.81,12042.8", 3, "truncated");
    refuse_text(NULL, NXN, 1, "expected results");
}

#define STREAM_HEAD "STREAM version $Revision: 5.9 $\n"
#define STREAM_NAMES "Function      Rate (MB/s)   Avg time     Min time     Max time\n"
#define STREAM_ROWS                                                                                \
    "Copy:        1000.5       0.0330       0.0320       0.0350\n"                                 \
    "Scale:       1001.5       0.0330       0.0320       0.0350\n"                                 \
    "Add:         1002.5       0.0490       0.0480       0.0520\n"                                 \
    "Triad:       1003.5       0.0490       0.0480       0.0520\n"

TEST(reads_stream)
{
    clump_import_log log;
    read_log("stream", "stream_1_2_threads.txt", &log);
    assert_int_equal(log.samples, 8);
    assert_int_equal(log.count, 8);
    assert_string_equal(log.version, "5.10");
    assert_null(log.notices);
    for (size_t i = 0; i < log.count; i++) {
        static const struct {
            const char *variant;
            double rate;
        } expected[8] = {{"copy", 17989.7},  {"scale", 23604.1}, {"add", 23810.7},
                         {"triad", 23272.6}, {"copy", 34854.5},  {"scale", 41321.9},
                         {"add", 44969.1},   {"triad", 42644}};
        const clump_import_series *of = log.series[i];
        assert_string_equal(of->key.variant, expected[i].variant);
        assert_string_equal(of->key.quantity, "memory_bandwidth");
        assert_string_equal(of->key.statistic, "max");
        assert_string_equal(of->key.benchmark, "stream");
        assert_int_equal(of->key.processes, i < 4 ? 1 : 2);
        assert_int_equal(of->count, 1);
        assert_true(of->samples[0].value == expected[i].rate);
        assert_int_equal(of->samples[0].iterations, 9); /* of 10 all but the first */
        assert_int_equal(of->samples[0].size_bytes, -1);
        assert_false(of->samples[0].doubtful);
    }
    clump_import_log_free(&log);

    /* Version 5.9, twice with three threads: two runs. The second one asked for four. */
    read_text("stream",
              STREAM_HEAD "Each test is run 20 times, but only\nthe *best* time for each is used.\n"
                          "Number of Threads requested = 3\n" STREAM_NAMES STREAM_ROWS
                          "Solution Validates\n" STREAM_HEAD "Number of Threads requested = 4\n"
                          "Number of Threads counted = 3\n" STREAM_NAMES STREAM_ROWS,
              &log);
    assert_int_equal(log.count, 4);
    assert_int_equal(log.series[3]->key.processes, 3);
    assert_int_equal(log.series[3]->count, 2);
    assert_int_equal(log.series[3]->samples[0].iterations, 19);
    assert_int_equal(log.series[3]->samples[1].run, 2);
    assert_true(log.series[3]->samples[1].value == 1003.5);
    clump_import_log_free(&log);

    /* In Fortran: blanks before texts. */
    read_text("stream",
              " ----------------------------------------------\n"
              " STREAM Version $Revision: 5.6 $\n You are running each test  10 times\n"
              " Number of Threads =            8\n"
              "Function     Rate (MB/s)  Avg time   Min time  Max time\n"
              "Copy:       1000.5    0.033000    0.032000    0.035000\n"
              "Scale:      1001.5    0.033000    0.032000    0.035000\n"
              "Add:        1002.5    0.049000    0.048000    0.052000\n"
              "Triad:      1003.5    0.049000    0.048000    0.052000\n"
              " ----------------------------------------------------\n Solution Validates!\n",
              &log);
    assert_string_equal(log.version, "5.6");
    assert_int_equal(log.series[0]->key.processes, 8);
    assert_int_equal(log.series[0]->samples[0].iterations, 9);
    clump_import_log_free(&log);
}

TEST(doubts_stream)
{
    clump_import_log log;
    read_text("stream",
              STREAM_HEAD STREAM_NAMES STREAM_ROWS
              "Failed Validation on array a[], AvgRelAbsErr > epsilon (1.000000e-13)\n",
              &log);
    assert_int_equal(log.series[0]->key.processes, 1);
    assert_true(log.series[0]->samples[0].doubtful && log.series[3]->samples[0].doubtful);
    assert_non_null(strstr(log.notices, "line 3: the log does not say how many threads"));
    assert_non_null(strstr(log.notices, "line 3: the run found wrong results"));
    clump_import_log_free(&log);
    test_hints.processes = 12;
    read_text("stream", STREAM_HEAD STREAM_NAMES STREAM_ROWS, &log);
    assert_int_equal(log.series[0]->key.processes, 12);
    assert_null(log.notices);
    clump_import_log_free(&log);
    read_text("stream",
              STREAM_HEAD
              "Data are on 4 MPI ranks\nNumber of Threads counted = 3\n" STREAM_NAMES STREAM_ROWS,
              &log);
    assert_int_equal(log.series[0]->key.processes, 12);
    clump_import_log_free(&log);
    test_hints.processes = 0;
    refuse_text(NULL, STREAM_HEAD "Data are on 4 MPI ranks\n" STREAM_NAMES STREAM_ROWS, 4,
                "several MPI ranks, expected --processes");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES "Copy: 10 2 1 3\n", 3, "ends before 'Scale:'");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES "Copy: 10 2 1 3\n-----\n", 4,
                "found '-----', expected 'Scale:'");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES "Copy: 10 2 1 3\nTriad: 10 2 1 3\n", 4,
                "expected 'Scale:'");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES "Copy: 10 2 1\n", 3, "expected 'Copy:', a rate");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES "Copy: 10,5 2 1 3\n", 3, "decimal comma");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES "Copy: inf 2 1 3\n", 3, "a rate");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES "Copy: -5 2 1 3\n", 3, "a rate");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES "Copy: 0 2 1 3\n", 3, "expected more than 0");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES "Copy: 10 1 2 3\n", 3, "the mean of times");
    refuse_text(NULL, STREAM_HEAD "Number of Threads counted = 0\n", 2, "expected 1 or more");
    refuse_text(NULL, STREAM_HEAD "Number of Threads counted = many\n", 2, "a number of threads");
    refuse_text(NULL, STREAM_HEAD "Each kernel will be executed -1 times.\n", 2,
                "a number of times");
    refuse_text(NULL, STREAM_HEAD STREAM_NAMES STREAM_ROWS "Solution", 7, "truncated");
    refuse_text(NULL, STREAM_HEAD, 1, "expected results");
}

UNIT_MAIN(NULL, NULL)
