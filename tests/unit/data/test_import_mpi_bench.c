/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of clumpmodel-mpi-bench: numbers typed from one, which samples are doubtful, what is left of a job
 * that was killed, and what is refused. */
#include "tests/unit/test_import.h"

static int64_t processes_of(const clump_import_log *log, wanted w, const char *transport)
{
    const clump_import_series *of = NULL;
    find_sample(log, w, &of);
    assert_string_equal(of->key.transport, transport);
    return of->key.processes;
}

TEST(reads_a_file)
{
    clump_import_log log;
    read_log("mpi-bench", "mpi_bench_small.txt", &log);
    assert_string_equal(log.version, "1, Open MPI v4.1.4");
    assert_string_equal(log.command, "./clumpmodel-mpi-bench --quick --nodes-of 2 --largest 131072 "
                                     "--time-limit 3");
    assert_int_equal(log.nodes, 2);
    assert_int_equal(log.processors, 2);
    const wanted first = {"half_round_trip", "single", 8, 0, "", 1};
    has_value(&log, first, 7.090757);
    has_value(&log, (wanted){"half_round_trip", "single", 8, 0, "", 2}, 5.642547);
    has_key(&log, first, "mpi-bench round-trip", 0, 2);
    assert_int_equal(processes_of(&log, first, "network"), 2);
    /* Sizes of several windows; of two pairs. */
    size_t found = 0;
    for (size_t i = 0; i < log.count; i++) {
        const clump_import_key *key = &log.series[i]->key;
        if (strcmp(key->benchmark, "mpi-bench one-way") != 0 || key->processes != 4 ||
            key->window != 32)
            continue;
        found++;
        const bool messages = strcmp(key->quantity, "message_rate") == 0;
        assert_string_equal(key->transport, "network");
        assert_true(fabs(log.series[i]->samples[0].value -
                         (messages ? 941.8485 / 131072 : 941.8485)) < 1e-9);
        assert_int_equal(log.series[i]->samples[0].iterations, 4);
    }
    assert_int_equal(found, 2);
    has_value(&log, (wanted){"memory_bandwidth", "single", -1, 0, "triad", 1}, 8052.156);
    assert_int_equal(processes_of(&log, (wanted){"memory_bandwidth", NULL, -1, 0, "copy", 0}, ""),
                     1);
    has_value(&log, (wanted){"slowest_memory_bandwidth", NULL, -1, 0, "copy", 1}, 7712.264);
    assert_non_null(strstr(log.notices, "was not measured: 1 of 96 points"));
    clump_import_log_free(&log);
}

#define HEAD "# clumpmodel-mpi-bench 1\n# round 1\n"
#define TRIP(round, value, switches, probe)                                                        \
    "# round " #round "\nround-trip inside spread 2 64 0 9 " #value " - " #switches " " #probe "\n"

static bool is_doubtful(const clump_import_log *log, int64_t run)
{
    const clump_import_series *of = NULL;
    return find_sample(log, (wanted){"half_round_trip", NULL, 64, 0, "spread", run}, &of)->doubtful;
}

TEST(doubts)
{
    clump_import_log log;
    /* Another speed, either way: 4 x 1.5 is 6, 4/1.5 is 2.667. */
    read_text("mpi-bench",
              "# clumpmodel-mpi-bench 1\n" TRIP(1, 5, 0, 4) TRIP(2, 5, 0, 6.01) TRIP(3, 5, 0, 4)
                  TRIP(4, 5, 0, 2.66) TRIP(5, 5, 0, 5.99) "# end\n",
              &log);
    assert_true(is_doubtful(&log, 2) && is_doubtful(&log, 4));
    assert_true(!is_doubtful(&log, 1) && !is_doubtful(&log, 3) && !is_doubtful(&log, 5));
    assert_non_null(strstr(log.notices, "2 of its 5 samples are stored as doubtful"));
    assert_int_equal(
        processes_of(&log, (wanted){"half_round_trip", NULL, 64, 0, NULL, 1}, "shared-memory"), 2);
    clump_import_log_free(&log);
    /* A processor was taken away: that counts where three others were left alone. */
    read_text("mpi-bench",
              "# clumpmodel-mpi-bench 1\n" TRIP(1, 5, 0, 4) TRIP(2, 5, 7, 4) TRIP(3, 5, 0, 4)
                  TRIP(4, 5, 0, 4) "# end\n",
              &log);
    assert_true(is_doubtful(&log, 2) && !is_doubtful(&log, 1) && !is_doubtful(&log, 4));
    clump_import_log_free(&log);
    read_text("mpi-bench",
              "# clumpmodel-mpi-bench 1\n" TRIP(1, 5, 0, 4) TRIP(2, 5, 7, 4) TRIP(3, 5, 0, 4)
                  TRIP(4, 5, 1, 4) "# end\n",
              &log);
    for (int run = 1; run <= 4; run++)
        assert_false(is_doubtful(&log, run));
    assert_null(log.notices);
    clump_import_log_free(&log);
}

/* What a killed job leaves is taken, but for a row that was being written. */
TEST(takes_what_is_there)
{
    clump_import_log log;
    size_t size = 0;
    read_text("mpi-bench", HEAD "send between blocked 2 8 0 9 0.5 - 0 4\n", &log);
    assert_int_equal(log.samples, 1);
    assert_non_null(strstr(log.notices, "line 3: found the end of the file, expected '# end': the "
                                        "run was stopped in round 1; what is there is taken"));
    clump_import_log_free(&log);
    read_text("mpi-bench",
              HEAD "send between blocked 2 8 0 9 0.5 - 0 4\nreceive between blocked 2 8 0 9 0.5",
              &log);
    assert_int_equal(log.samples, 1);
    assert_non_null(strstr(log.notices, "but for the last line"));
    clump_import_log_free(&log);
    /* Wherever it is cut: there are samples, or it is said that there are none. */
    char *bytes = load_log("mpi_bench_small.txt", &size);
    size_t last = 0;
    for (size_t length = 1; length <= size; length += 97) {
        const bool good = parse_bytes("mpi-bench", bytes, length, &log);
        assert_true(good ? log.samples >= last && log.samples > 0
                         : last == 0 && log.message[0] != '\0');
        last = good ? log.samples : 0;
        clump_import_log_free(&log);
    }
    free(bytes);
    assert_true(last > 150);
}

TEST(refuses)
{
#define ROW(text) HEAD text "\n# end\n"
    static const struct {
        const char *text, *message;
        size_t line;
    } wrong[] = {
        {"# clumpmodel-mpi-bench 2\n# end\n", "found version '2', expected 1", 1},
        {"# clumpmodel-mpi-bench x\n# end\n", "a version", 1},
        {HEAD "# clumpmodel-mpi-bench 1\n", "beginning of another file", 3},
        {HEAD "# end\n", "found no samples", 3},
        {"# clumpmodel-mpi-bench 1\nsend between blocked 2 8 0 9 0.5 - 0 4\n", "'# round 1'", 2},
        {"# clumpmodel-mpi-bench 1\n# round 2\n", "found round 2, expected 1", 2},
        {"# clumpmodel-mpi-bench 1\n# nodes 0\n", "a number of nodes", 2},
        {"# clumpmodel-mpi-bench 1\n# processes 99999999999\n", "a number of processes", 2},
        {ROW("sends between blocked 2 8 0 9 0.5 - 0 4"), "expected what was measured", 3},
        {ROW("send between blocked 2 8 0 9 0.5 - 0"), "10 columns more", 3},
        {ROW("send between blocked 2 8 0 9 0.5 - 0 4 5"), "10 columns more", 3},
        {ROW("send beside blocked 2 8 0 9 0.5 - 0 4"), "expected between or inside", 3},
        {ROW("send between packed 2 8 0 9 0.5 - 0 4"), "expected blocked or spread", 3},
        {ROW("send between blocked 4 8 0 9 0.5 - 0 4"), "found 4 processes, expected 2", 3},
        {ROW("one-way between blocked 3 8 64 9 0.5 - 0 4"), "expected pairs", 3},
        {ROW("one-way between blocked 0 8 64 9 0.5 - 0 4"), "a number of processes", 3},
        {ROW("one-way between blocked 2 8 0 9 0.5 - 0 4"), "found window 0", 3},
        {ROW("send between blocked 2 8 64 9 0.5 - 0 4"), "found window 64", 3},
        {ROW("send between blocked 2 -8 0 9 0.5 - 0 4"), "a size", 3},
        {ROW("send between blocked 2 - 0 9 0.5 - 0 4"), "a size", 3},
        {ROW("send between blocked 2 8 0 9 -0.5 - 0 4"), "a time or a rate", 3},
        {ROW("send between blocked 2 8 0 9 nan - 0 4"), "a time or a rate", 3},
        {ROW("send between blocked 2 8 0 9 0,5 - 0 4"), "decimal comma", 3},
        {ROW("send between blocked 2 8 0 9 0.5 - 0 0"), "found a probe of 0", 3},
        {ROW("send between blocked 2 8 0 9 0.5 - x 4"), "a number of times", 3},
        {ROW("srun: error: node failed"), "found 'srun: error: node failed'", 3},
        {ROW("send between blocked 2 8 0 9 0.5 - 0 4\nsend between blocked 2 8 0 9 0.5 - 0 4"),
         "larger and larger sizes", 4},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refuse_text(NULL, wrong[i].text, wrong[i].line, wrong[i].message);
    /* What it says of itself is told a few times only. */
    clump_import_log log;
    char many[4000] = HEAD "send between blocked 2 8 0 9 0.5 - 0 4\n";
    for (int i = 0; i < 100; i++)
        strcat(many, "# missing one\n");
    strcat(many, "# end\n");
    read_text("mpi-bench", many, &log);
    size_t told = 0;
    for (const char *at = log.notices; (at = strstr(at, "missing")) != NULL; at++)
        told++;
    for (const char *at = log.notices; (at = strstr(at, "was not measured")) != NULL; at++)
        told++;
    assert_int_equal(told, 8);
    clump_import_log_free(&log);
}

UNIT_MAIN(NULL, NULL)
