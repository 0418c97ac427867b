/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of recordings that are written here, so that all numbers are known. */
#include "data/store/recorded_facts.h"
#include "recording/facts.h"
#include "recording/writer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[200];

static void rank_path(char path[300], unsigned rank)
{
    snprintf(path, 300, "%s/rank-%06u.clumprec", folder, rank);
}

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/test_facts.XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static void remove_folder(unsigned ranks)
{
    char path[300];
    for (unsigned i = 0; i < ranks; i++) {
        rank_path(path, i);
        unlink(path);
    }
    rmdir(folder);
}

static void begin_rank(clump_recording_writer *w, unsigned rank, unsigned ranks, const char *host,
                       uint64_t limit)
{
    char path[300];
    const clump_rank_header header = {.rank = rank,
                                      .ranks = ranks,
                                      .host = host,
                                      .pid = 100 + rank,
                                      .library = "Open MPI v4.1.4",
                                      .program = "/home/somebody/halo",
                                      .command = "/home/somebody/halo 64",
                                      .start_ns = INT64_C(1700000000000000000),
                                      .steady_ns = 1000,
                                      .boot = host[strlen(host) - 1],
                                      .error_ns = UINT64_MAX,
                                      .node_ranks = ranks};
    rank_path(path, rank);
    memset(w, 0, sizeof *w);
    assert_int_equal(clump_writer_open(w, path, &header, limit), 0);
}

static clump_recorded_call call_of(clump_call_kind kind, double begin, double end, int peer,
                                   uint64_t bytes)
{
    clump_recorded_call call = clump_call_of(kind, begin, end);
    call.peer = peer;
    call.bytes = bytes;
    return call;
}

static void add(clump_recording_writer *w, clump_call_kind kind, double begin, double end, int peer,
                uint64_t bytes)
{
    clump_recorded_call call = call_of(kind, begin, end, peer, bytes);
    if (kind == CLUMP_CALL_SEND || kind == CLUMP_CALL_RECEIVE)
        call.tag = 3;
    if (kind == CLUMP_CALL_RECEIVE) {
        call.bytes = 0;
        call.bytes_received = bytes;
    }
    if (kind == CLUMP_CALL_ALLREDUCE)
        call.bytes_received = bytes;
    clump_writer_add(w, &call);
}

/* Rank 0 sends to 1 once a second, which waits for it from the middle of the second on; after 10 s all meet. */
static void write_pair(uint64_t limit)
{
    for (unsigned rank = 0; rank < 2; rank++) {
        clump_recording_writer w;
        begin_rank(&w, rank, 2, "node-a", limit);
        add(&w, CLUMP_CALL_INIT, 0, 0.5, -1, 0);
        for (int i = 1; i <= 10; i++)
            if (rank == 0)
                add(&w, CLUMP_CALL_SEND, i, i + 0.125, 1, 1000);
            else
                add(&w, CLUMP_CALL_RECEIVE, i - 0.25, i + 0.25, 0, 1000);
        add(&w, CLUMP_CALL_ALLREDUCE, rank == 0 ? 12 : 11.5, 12.25, -1, 8);
        add(&w, CLUMP_CALL_FINALIZE, 13, 13.5, -1, 0);
        assert_true(clump_account_count_q(&w.account, 2));
        clump_account_q(&w.account, 0, 4);
        clump_account_q(&w.account, rank + 1, 2);
        clump_writer_close(&w, CLUMP_RECORDING_FINALIZED);
    }
}

static const clump_facts_call *call_row(const clump_facts *f, int64_t rank, const char *kind)
{
    for (size_t i = 0; i < f->call_count; i++)
        if (f->calls[i].rank == rank && strcmp(f->calls[i].kind, kind) == 0)
            return &f->calls[i];
    fail_msg("no %s of rank %d", kind, (int)rank);
    return NULL;
}

static double traffic(const clump_facts *f, int64_t sender, int64_t receiver, const char *kind,
                      bool bytes)
{
    double sum = 0;
    for (size_t i = 0; i < f->traffic_count; i++)
        if (f->traffic[i].sender == sender && f->traffic[i].receiver == receiver &&
            strcmp(f->traffic[i].kind, kind) == 0)
            sum += bytes ? f->traffic[i].bytes : f->traffic[i].messages;
    return sum;
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static clump_facts *facts_of_folder(void)
{
    char message[CLUMP_FACTS_MESSAGE] = "";
    clump_facts *facts = NULL;
    const clump_facts_status status = clump_facts_of_recording(folder, true, &facts, message);
    if (status != CLUMP_FACTS_OK)
        fail_msg("%s", message);
    return facts;
}

static void test_pair(void **state)
{
    (void)state;
    make_folder();
    write_pair(1 << 20);
    clump_facts *f = facts_of_folder();
    assert_string_equal(f->origin, "recording");
    assert_string_equal(f->program, "halo");
    assert_string_equal(f->library, "Open MPI v4.1.4");
    assert_int_equal(f->rank_count, 2);
    assert_int_equal(f->node_count, 1);
    assert_string_equal(f->nodes[0].host, "node-a");
    assert_int_equal(f->file_count, 2);
    assert_int_equal(strlen(f->files[0].sha256), 64);
    assert_int_equal(f->files[0].cut_at, -1);
    NEAR(f->wall, 13.5);
    /* 0.5 + 10 * 0.125 + 0.25 + 0.5 inside */
    NEAR(f->ranks[0].in_mpi, 2.5);
    NEAR(f->ranks[0].computing, 11);
    NEAR(call_row(f, 0, "send")->waiting, 0);
    NEAR(call_row(f, 0, "send")->transferring, 1.25);
    NEAR(call_row(f, 1, "receive")->seconds, 5);
    NEAR(call_row(f, 1, "receive")->waiting, 2.5);
    NEAR(call_row(f, 1, "receive")->transferring, 2.5);
    NEAR(call_row(f, 1, "receive")->bytes, 10000);
    NEAR(call_row(f, 1, "allreduce")->waiting, 0.5);
    NEAR(f->ranks[1].waiting, 3);
    assert_int_equal(f->ranks[1].traced, 13);
    assert_true(f->ranks[1].ended);
    NEAR(traffic(f, 0, 1, "point-to-point", false), 10);
    NEAR(traffic(f, 0, 1, "point-to-point", true), 10000);
    NEAR(traffic(f, 1, 0, "point-to-point", false), 0);
    /* Two ranks exchange their vectors, by whatever algorithm. */
    NEAR(traffic(f, 0, 1, "allreduce", true), 8);
    NEAR(traffic(f, 1, 0, "allreduce", true), 8);
    assert_int_equal(f->collective_count, 1);
    NEAR(f->collectives[0].calls, 1);
    NEAR(f->collectives[0].bytes, 8);
    assert_int_equal(f->collectives[0].size_limit, 8);
    assert_int_equal(f->collision_count, 3);
    NEAR(f->collisions[0].seconds, 8);
    NEAR(f->collisions[1].seconds, 2);
    NEAR(f->collisions[2].seconds, 2);
    NEAR(f->sends + f->receives + f->mismatched, 0);
    assert_true(f->overlap_count > 0);
    clump_facts_free(f);
    remove_folder(2);
}

int main(void)
{
    const char *kept = getenv("CLUMP_TEST_RECORDING");
    if (kept != NULL) { /* leaves a recording for a look */
        snprintf(folder, sizeof folder, "%s", kept);
        mkdir(folder, 0700);
        write_pair(1 << 20);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
