/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of recordings that are written here, so that all numbers are known. */
#include "recording/report.h"

#include "recording/read_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "tests/unit/recorded_ranks.h"

static void begin_rank(clump_recording_writer *w, unsigned rank, unsigned ranks, const char *host,
                       uint64_t limit)
{
    clump_rank_header header = header_of(rank, ranks, "Open MPI v4.1.4");
    header.host = host;
    header.boot = host[strlen(host) - 1];
    header.program = "/home/somebody/halo";
    header.command = "/home/somebody/halo 64";
    open_rank(w, &header, limit);
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

static const clump_report_time *time_row(const clump_report *r, const char *what)
{
    for (size_t i = 0; i < r->time_count; i++)
        if (strcmp(r->times[i].what, what) == 0)
            return &r->times[i];
    fail_msg("no %s", what);
    return NULL;
}

static double traffic(const clump_report *r, const char *kind, const char *where, bool bytes)
{
    double sum = 0;
    for (size_t i = 0; i < r->traffic_count; i++)
        if (strcmp(r->traffic[i].kind, kind) == 0 && strcmp(r->traffic[i].where, where) == 0)
            sum += bytes ? r->traffic[i].bytes : r->traffic[i].messages;
    return sum;
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static clump_report report_of_folder(void)
{
    char message[CLUMP_RECORDING_TEXT];
    clump_report report;
    if (clump_report_read(folder, NULL, &report, message) != CLUMP_RECORDING_OK)
        fail_msg("%s", message);
    return report;
}

TEST(test_pair)
{
    make_folder();
    write_pair(1 << 20);
    clump_report r = report_of_folder();
    assert_string_equal(r.origin, "recording");
    assert_string_equal(r.program, "halo");
    assert_string_equal(r.library, "Open MPI v4.1.4");
    assert_int_equal(r.rank_count, 2);
    assert_int_equal(r.node_count, 1);
    assert_string_equal(r.nodes[0].host, "node-a");
    NEAR(r.wall, 13.5);
    /* 0.5 + 10 * 0.125 + 0.25 + 0.5 inside */
    NEAR(r.ranks[0].in_mpi, 2.5);
    NEAR(r.ranks[0].computing, 11);
    NEAR(time_row(&r, "computing")->seconds, r.ranks[0].computing + r.ranks[1].computing);
    NEAR(time_row(&r, "send")->waiting, 0);
    NEAR(time_row(&r, "send")->transferring, 1.25);
    NEAR(time_row(&r, "receive")->seconds, 5);
    NEAR(time_row(&r, "receive")->waiting, 2.5);
    NEAR(time_row(&r, "receive")->transferring, 2.5);
    NEAR(time_row(&r, "receive")->bytes, 10000);
    assert_int_equal(time_row(&r, "receive")->calls, 10);
    NEAR(time_row(&r, "allreduce")->waiting, 0.5);
    NEAR(r.ranks[1].waiting, 3);
    assert_int_equal(r.ranks[1].traced, 13);
    assert_true(r.ranks[1].ended);
    NEAR(traffic(&r, "point-to-point", "the same node", false), 10);
    NEAR(traffic(&r, "point-to-point", "the same node", true), 10000);
    /* Two ranks exchange their vectors, by whatever algorithm. */
    NEAR(traffic(&r, "allreduce", "the same node", true), 16);
    assert_int_equal(r.collision_count, 3);
    NEAR(r.collisions[0].seconds, 8);
    NEAR(r.collisions[1].seconds, 2);
    NEAR(r.collisions[2].seconds, 2);
    NEAR(r.sends + r.receives + r.mismatched, 0);
    clump_report_release(&r);
    remove_folder(2);
}

static bool has_note(const clump_report *r, const char *words)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (strstr(r->notes[i].text, words) != NULL)
            return true;
    return false;
}

/* Two nodes, of which nobody knows how the clocks differ: the second one's start of day is 5 s off. Messages go both ways. */
TEST(test_nodes)
{
    make_folder();
    for (unsigned rank = 0; rank < 2; rank++) {
        clump_recording_writer w;
        begin_rank(&w, rank, 2, rank == 0 ? "node-a" : "node-b", 1 << 20);
        const double ahead = rank == 0 ? 0 : 5;
        add(&w, CLUMP_CALL_INIT, 0, 0.5 + ahead, -1, 0);
        for (int i = 1; i <= 10; i++) {
            const double t = i + ahead;
            if (rank == 0) { /* sends at 0 and gets an answer by 0.5 */
                add(&w, CLUMP_CALL_SEND, t, t + 0.0625, 1, 100);
                add(&w, CLUMP_CALL_RECEIVE, t + 0.125, t + 0.5, 1, 200);
            } else { /* which begins at 0.375 */
                add(&w, CLUMP_CALL_RECEIVE, t - 0.25, t + 0.25, 0, 100);
                add(&w, CLUMP_CALL_SEND, t + 0.375, t + 0.4375, 0, 200);
            }
        }
        clump_writer_close(&w, CLUMP_RECORDING_FINALIZED);
    }
    clump_report r = report_of_folder();
    assert_int_equal(r.node_count, 2);
    /* Sent at 0 and there by 0.25; sent at 0.375, there by 0.5: 5 s ahead by -0.125 to 0.25 more. */
    NEAR(r.nodes[1].clock_low, 4.875);
    NEAR(r.nodes[1].clock_high, 5.25);
    NEAR(r.nodes[1].clock_used, 5.0625);
    /* Truly 2.5 s: rank 0 waits from 0.125 to 0.375, ten times. */
    NEAR(r.ranks[0].waiting, 10 * (0.25 - 0.0625));
    assert_true(r.ranks[0].waiting_low <= 2.5 && r.ranks[0].waiting_high >= 2.5);
    assert_true(r.ranks[1].waiting_low <= 2.5 && r.ranks[1].waiting_high >= 2.5);
    NEAR(traffic(&r, "point-to-point", "another node", true), 3000);
    assert_true(has_note(&r, "clocks: offsets between nodes are known within 3.75e+05 us"));
    clump_report_release(&r);
    remove_folder(2);
}

/* Totals go on when the trace is full: what is divided is said to be a part. */
TEST(test_trace_limit)
{
    make_folder();
    write_pair(0);
    clump_report r = report_of_folder();
    NEAR(traffic(&r, "point-to-point", "the same node", false), 10);
    assert_true(r.ranks[0].traced < r.ranks[0].calls);
    assert_true(has_note(&r, "waiting and transferring are divided for those only"));
    assert_true(r.ranks[1].waiting + r.ranks[1].transferring < r.ranks[1].in_mpi);
    clump_report_release(&r);
    remove_folder(2);
}

/* A rank that was killed, and one that left no file. */
TEST(test_killed)
{
    char path[300];
    make_folder();
    write_pair(1 << 20);
    rank_path(path, 1);
    unlink(path);
    clump_recording_writer w;
    begin_rank(&w, 1, 2, "node-a", 1 << 20);
    add(&w, CLUMP_CALL_INIT, 0, 0.5, -1, 0);
    add(&w, CLUMP_CALL_RECEIVE, 0.75, 1.25, 0, 1000);
    clump_writer_flush(&w);
    clump_writer_drop(&w);
    clump_report r = report_of_folder();
    assert_false(r.ranks[1].ended);
    assert_true(has_note(&r, "1 of 2 did not end properly"));
    NEAR(time_row(&r, "receive")->waiting, 0.25);
    NEAR(r.sends, 9);
    NEAR(r.mismatched, 1);
    clump_report_release(&r);
    unlink(path);
    r = report_of_folder();
    assert_true(has_note(&r, "nothing was recorded of 1 of 2"));
    assert_int_equal(r.ranks[1].calls, 0);
    clump_report_release(&r);
    remove_folder(1);
}

/* Four ranks; all pairs exchange 100 bytes, and the root gives 64 to all: sums of bytes are those of any algorithm. */
TEST(test_collectives)
{
    make_folder();
    for (unsigned rank = 0; rank < 4; rank++) {
        clump_recording_writer w;
        begin_rank(&w, rank, 4, "node-a", 1 << 20);
        add(&w, CLUMP_CALL_INIT, 0, 0.5, -1, 0);
        clump_recorded_call call = clump_call_of(CLUMP_CALL_ALLTOALL, 1, 2);
        call.bytes = call.bytes_received = 4 * 100000;
        clump_writer_add(&w, &call);
        call = clump_call_of(CLUMP_CALL_SCATTER, 3, 4);
        call.peer = 2;
        call.bytes = rank == 2 ? 4 * 64 : 0;
        call.bytes_received = 64;
        clump_writer_add(&w, &call);
        clump_writer_close(&w, CLUMP_RECORDING_FINALIZED);
    }
    clump_report r = report_of_folder();
    NEAR(traffic(&r, "alltoall", "the same node", true), 12 * 100000.0); /* long ones go straight */
    /* By a binomial tree one rank gets two parts and hands one on. */
    NEAR(traffic(&r, "scatter", "the same node", true), 4 * 64.0);
    clump_report_release(&r);
    remove_folder(4);
}

/* Messages that are missing are told of by the report and by the run. */
TEST(test_missing_messages)
{
    char message[CLUMP_RECORDING_TEXT];
    const clump_run_choices choices = {.digest = true};
    clump_recorded_run *run;
    make_folder();
    for (unsigned rank = 0; rank < 2; rank++) {
        clump_recording_writer w;
        begin_rank(&w, rank, 2, "node-a", 1 << 20);
        add(&w, CLUMP_CALL_INIT, 0, 0.5, -1, 0);
        add(&w, CLUMP_CALL_NEIGHBOUR, 1, 2, -1, 100); /* without the messages of newer recordings */
        add(&w, CLUMP_CALL_FINALIZE, 3, 3.5, -1, 0);
        clump_writer_close(&w, CLUMP_RECORDING_FINALIZED);
    }
    clump_report r = report_of_folder();
    assert_true(has_note(&r, "2 calls of ranks are not taken apart into messages"));
    clump_report_release(&r);
    assert_int_equal(clump_run_read(folder, NULL, &choices, &run, message), CLUMP_RECORDING_OK);
    assert_non_null(strstr(run->notes, "2 collective calls are left out"));
    assert_int_equal(strlen(run->sha256), 64);
    free(run);
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
    return unit_run(NULL, NULL);
}
