/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The n-th allocation fails, for every n, while a recording is
 * read. Either it says that there is no memory, or the report says what is missing; nothing is leaked (as the sanitizers see it).
 */
#include "tests/unit/unit.h"

#include "tests/unit/failing_memory.h"

#include "recording/matching.h"
#include "recording/read_run.h"
#include "recording/report.h"
#include "recording/writer.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 4, STEPS = 40 };
static char folder[] = "/tmp/test_recording_memory.XXXXXX";

static void path_of(char path[100], unsigned rank)
{
    snprintf(path, 100, "%s/rank-%06u.clumprec", folder, rank);
}

static void add_message(clump_recording_writer *w, clump_call_kind kind, double begin, int peer,
                        uint64_t *request)
{
    clump_recorded_call call = clump_call_of(kind, begin, begin + 0.001);
    clump_call_request one = {++*request, CLUMP_REQUEST_SEND, -1, -1, 0};
    call.peer = peer;
    call.tag = 1 + (int)*request % 3;
    call.bytes = 1000;
    if (kind == CLUMP_CALL_SENDRECV) {
        call.peer_receive = peer;
        call.tag_receive = call.tag;
        call.bytes_received = 1000;
    } else {
        call.requests = 1;
        call.request = &one;
    }
    clump_writer_add(w, &call);
}

/* Ranks of two nodes: requests that stay open, exchanges with tags of their own, and collectives of the world and of halves. */
static void write_recording(void)
{
    for (unsigned rank = 0; rank < RANKS; rank++) {
        clump_recording_writer w = {.file = -1};
        char path[100];
        const uint32_t half[2] = {rank % 2, rank % 2 + 2};
        const clump_rank_header header = {.rank = rank,
                                          .ranks = RANKS,
                                          .host = rank < 2 ? "a" : "b",
                                          .pid = 100 + rank,
                                          .library = "Open MPI v4.1.4",
                                          .program = "ring",
                                          .command = "ring 64",
                                          .start_ns = INT64_C(1700000000000000000),
                                          .steady_ns = 1000,
                                          .boot = rank < 2 ? 1 : 2,
                                          .error_ns = UINT64_MAX,
                                          .node_ranks = 2};
        uint64_t request = 0;
        path_of(path, rank);
        assert_int_equal(clump_writer_open(&w, path, &header, 1 << 20), 0);
        clump_writer_communicator(&w, 1, 0, half, 2);
        clump_recorded_call call = clump_call_of(CLUMP_CALL_INIT, 0, 0.5);
        clump_writer_add(&w, &call);
        for (int i = 0; i < STEPS; i++) {
            const double begin = 1 + 0.1 * i + 0.001 * rank;
            add_message(&w, CLUMP_CALL_ISEND, begin, (int)(rank + 1) % RANKS, &request);
            add_message(&w, CLUMP_CALL_SENDRECV, begin + 0.01, (int)(rank ^ 2), &request);
            call = clump_call_of(CLUMP_CALL_ALLREDUCE, begin + 0.02, begin + 0.03);
            call.bytes = call.bytes_received = 64;
            call.communicator = i % 3 == 0;
            clump_writer_add(&w, &call);
        }
        call = clump_call_of(CLUMP_CALL_FINALIZE, 8, 8.5);
        clump_writer_add(&w, &call);
        assert_true(clump_account_count_q(&w.account, 2));
        clump_account_q(&w.account, 0, 4);
        clump_writer_close(&w, CLUMP_RECORDING_FINALIZED);
    }
}

static void remove_recording(void)
{
    char path[100];
    for (unsigned rank = 0; rank < RANKS; rank++) {
        path_of(path, rank);
        unlink(path);
    }
    rmdir(folder);
}

static bool says_memory(const clump_report *report)
{
    for (size_t i = 0; i < report->note_count; i++)
        if (strstr(report->notes[i].text, "memory") != NULL)
            return true;
    return false;
}

static uint64_t divided(const clump_report *report)
{
    double seconds = 0;
    for (size_t i = 1; i < report->time_count; i++)
        seconds += report->times[i].waiting + report->times[i].transferring;
    return (uint64_t)(seconds * 1e6 + 0.5);
}

/* With the n-th allocation failing: whether it was found out without that. */
static bool report_with(long n, uint64_t *whole)
{
    char message[CLUMP_RECORDING_TEXT];
    clump_report report;
    allocation_fails(n);
    const clump_recording_status status = clump_report_read(folder, NULL, &report, message);
    const bool failed = allocations_succeed() > 0;
    if (status != CLUMP_RECORDING_OK) {
        assert_true(failed);
        if (strstr(message, "memory") == NULL)
            fail_msg("allocation %ld: '%s'", n, message);
    } else if (failed && divided(&report) != *whole && !says_memory(&report)) {
        /* Less may be known, but then it is said. */
        fail_msg("allocation %ld: less is divided (%llu of %llu us), and nothing says why", n,
                 (unsigned long long)divided(&report), (unsigned long long)*whole);
    } else if (!failed) {
        *whole = divided(&report);
    }
    clump_report_release(&report);
    return status == CLUMP_RECORDING_OK && !failed;
}

TEST(report_without_memory)
{
    uint64_t whole = 0;
    long n = 0;
    assert_true(report_with(LONG_MAX, &whole));
    assert_true(whole > 0);
    while (!report_with(n, &whole))
        n++;
    assert_true(n > 30);
}

/* The calls that are kept are all of them, or none. */
TEST(run_without_memory)
{
    const clump_run_choices choices = {.digest = true};
    char message[CLUMP_RECORDING_TEXT];
    clump_recorded_run *whole, *run;
    assert_int_equal(clump_run_read(folder, NULL, &choices, &whole, message), CLUMP_RECORDING_OK);
    for (long n = 0;; n++) {
        allocation_fails(n);
        const clump_recording_status status = clump_run_read(folder, NULL, &choices, &run, message);
        const bool failed = allocations_succeed() > 0;
        if (status == CLUMP_RECORDING_OK)
            assert_string_equal(run->calls, whole->calls);
        else if (!failed || strstr(message, "memory") == NULL)
            fail_msg("allocation %ld: '%s'", n, message);
        free(run);
        if (!failed)
            break;
    }
    free(whole);
}

/* Matching alone: it says how many calls came when there was no memory any more, and all others are right. */
TEST(matching_without_memory)
{
    static const size_t node[RANKS] = {0, 0, 1, 1};
    const uint32_t half[2] = {0, 2};
    for (long n = 0;; n++) {
        allocation_fails(n);
        clump_matching *m = clump_matching_new(RANKS, node, 2);
        bool good = m != NULL && clump_matching_communicator(m, 1, half, 2);
        for (int i = 0; i < 400 && good; i++) {
            clump_recorded_call call = clump_call_of(CLUMP_CALL_SEND, i, i + 0.5);
            call.peer = 1;
            call.tag = i; /* a line of its own for each */
            call.bytes = 1;
            clump_matching_add(m, 0, &call);
            call = clump_call_of(i % 2 ? CLUMP_CALL_BARRIER : CLUMP_CALL_SCAN, i + 0.5, i + 0.75);
            call.communicator = i % 4 == 0;
            clump_matching_add(m, (size_t)(i % 4 == 0 ? 2 : i % RANKS), &call);
        }
        for (int i = 0; i < 400 && good; i++) {
            clump_recorded_call call = clump_call_of(CLUMP_CALL_RECEIVE, 1000 + i, 1000.5 + i);
            call.peer = 0;
            call.tag = i;
            call.bytes_received = 1;
            clump_matching_add(m, 1, &call);
        }
        if (m != NULL)
            clump_matching_finish(m);
        const bool failed = allocations_succeed() > 0;
        if (good) {
            const clump_matching_summary sum = clump_matching_sum(m);
            if (!failed) {
                assert_int_equal(sum.messages, 400);
                assert_int_equal(sum.beyond, 0);
            } else if (sum.messages + sum.collectives < 400)
                assert_true(sum.beyond > 0 || sum.sends > 0);
        } else
            assert_true(failed);
        clump_matching_free(m);
        if (!failed) {
            assert_true(n > 5);
            return;
        }
    }
}

static int prepare(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return 1;
    write_recording();
    return 0;
}

static int clean(void **state)
{
    (void)state;
    remove_recording();
    return 0;
}

UNIT_MAIN(prepare, clean)
