/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The n-th allocation of an importer fails, and so do all after it or not. It says so, nothing is leaked (as the
 * sanitizers see it), and OK means that all samples are there: Lua, which reads most formats, collects garbage and asks
 * again.
 */
#include "tests/unit/unit.h"

#include "tests/unit/failing_memory.h"

#include "data/import/import_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *name, size_t *size)
{
    char path[500];
    const char *directory = getenv("CLUMP_TEST_DIR");
    snprintf(path, sizeof path, "%s/%s", directory != NULL ? directory : "tests", name);
    FILE *file = fopen(path, "rb");
    char *bytes = __real_malloc(1 << 20);
    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    assert_true(*size > 0 && *size < 1 << 20);
    return bytes;
}

/* One reading with the `fail_at`-th allocation failing (negative: none), and perhaps those after it; the samples of all that
 * went well, or `whole`. False: fewer are needed. */
static bool parse(const char *bytes, size_t size, const char *name, long fail_at, bool later,
                  size_t *whole)
{
    const clump_import_hints hints = {.window = 64, .size_bytes = -1, .name = name};
    clump_import_log log = {.format = NULL};
    char *copy = __real_malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    if (later)
        allocations_fail_from(fail_at);
    else
        allocation_fails(fail_at);
    const bool good = clump_import_parse(NULL, copy, size, &hints, &log);
    const bool failed = allocations_succeed() > 0;
    assert_true(good || (log.message[0] != '\0' && log.no_memory && failed));
    assert_false(good && failed && later);
    if (good && *whole > 0)
        assert_int_equal(log.samples, *whole);
    if (good)
        *whole = log.samples;
    clump_import_log_free(&log);
    free(copy);
    return failed;
}

TEST(any_allocation_may_fail)
{
    static const char *const names[] = {
        "logs/osu_mbw_mr_vary.txt",
        "logs/osu_latency_types.txt",
        "logs/NPtcp_lo_r1.txt",
        "logs/NPtcp_lo.np.out",
        "logs/loggp_tcp_64k.out",
        "logs/one_one_shm.txt",
        "logs/logp_test_tcp.out",
        "logs/ucp_am_bw_posix_1048576B_r2.txt",
        "logs/fmt_csv_ucp_am_lat_posix.txt",
        "logs/fi_pingpong_tcp_rdm_r1.txt",
        "logs/fft3d-concise.mpiP",
        "logs/nccl_all_reduce_8.txt",
        "logs/nxnlatbw_4.txt",
        "logs/stream_1_2_threads.txt",
        "logs/mpi_bench_small.txt",
        "logs/gromacs_61k_2_nodes.log",
        "logs/cp2k_h2o256_16_nodes.txt",
        "fuzz/import-seeds/imb.txt",
        "fuzz/import-seeds/plain.csv",
        "fuzz/import-seeds/export.csv",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t size = 0;
        char *bytes = read_file(names[i], &size);
        size_t whole = 0;
        parse(bytes, size, names[i], -1, false, &whole);
        assert_true(whole > 0);
        /* The first ones singly; then steps that no period of the code divides, each larger than the last. */
        long n = 0;
        while (parse(bytes, size, names[i], n, n % 2 == 0, &whole))
            n += n < 100 ? 1 : 17 + n / 64;
        assert_true(n > 1);
        free(bytes);
    }
}

UNIT_MAIN(NULL, NULL)
