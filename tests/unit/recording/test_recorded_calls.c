/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings as schedules: small ones, written here, against schedules by hand; and times by hand. */
#include "recording/recorded_calls.h"

#include "model/simulation/kept_calls.h"
#include "recording/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#include "tests/unit/collected_text.h"
#include "tests/unit/recorded_ranks.h"

enum { MOST_RANKS = 8 };
static clump_recording_writer writers[MOST_RANKS];
static unsigned written;

static void begin(unsigned ranks, const char *library, uint64_t limit)
{
    make_folder();
    written = ranks;
    for (unsigned rank = 0; rank < ranks; rank++) {
        const clump_rank_header header = header_of(rank, ranks, library);
        open_rank(&writers[rank], &header, limit);
    }
}

static void end(void)
{
    for (unsigned rank = 0; rank < written; rank++)
        clump_writer_close(&writers[rank], CLUMP_RECORDING_FINALIZED);
}

/* The gap before it was computation. */
static void add(unsigned rank, clump_recorded_call call, double processor)
{
    call.processor = processor;
    clump_writer_add(&writers[rank], &call);
}

static clump_recorded_call message(clump_call_kind kind, double begins, double ends, int peer,
                                   int tag, uint64_t bytes)
{
    clump_recorded_call call = clump_call_of(kind, begins, ends);
    call.peer = peer;
    call.tag = tag;
    if (kind == CLUMP_CALL_RECEIVE)
        call.bytes_received = bytes;
    else
        call.bytes = bytes;
    return call;
}

static void init(unsigned rank)
{
    add(rank, clump_call_of(CLUMP_CALL_INIT, 0.25, 0.5), 0.25);
}

static void finalize(unsigned rank, double begins)
{
    add(rank, clump_call_of(CLUMP_CALL_FINALIZE, begins, begins + 1), 0);
}

typedef struct how {
    clump_recorded_gaps gaps;
    clump_mpi_library library;
    size_t processors;
} how;

static const how usual = {CLUMP_GAPS_PROCESSOR, CLUMP_MPI_OPEN_MPI, 1};

/* What was read, and what of it can never be run. */
typedef struct outcome {
    recorded_calls_report report;
    clump_schedule_left_out left;
} outcome;

static clump_schedule *make(how h, outcome *found)
{
    char why[CLUMP_RECORDING_TEXT] = "", *calls;
    clump_recording *recording = NULL;
    clump_schedule *schedule = NULL;
    clump_error error;
    const recorded_calls_options options = {.gaps = h.gaps, .most_operations = 1000000};
    const clump_kept_machine machine = {
        .library = h.library, .processors = h.processors, .most_operations = 1000000};
    *found = (outcome){.left = {0, 0, NULL}};
    if (clump_recording_open(folder, &recording) != CLUMP_RECORDING_OK)
        fail_msg("%s", clump_recording_message(recording));
    if (recorded_calls_read(recording, &options, &calls, &found->report, why) != CLUMP_RECORDING_OK)
        fail_msg("%s", why);
    if (clump_kept_schedule(calls, clump_recording_describe(recording).ranks, &machine, &schedule,
                            &found->left, &error) != CLUMP_OK)
        fail_msg("%s", error.message);
    clump_recording_close(recording);
    free(calls);
    return schedule;
}

static void expect(how h, const char *goal)
{
    static text t;
    outcome found;
    clump_schedule *schedule = make(h, &found);
    t.size = 0;
    assert_true(clump_schedule_write(schedule, collect, &t));
    assert_string_equal(t.bytes, goal);
    clump_schedule_free(schedule);
}

/* A send, a receive from anybody, and what waits for what. */
TEST(test_messages)
{
    clump_call_request request[2] = {
        {.number = 1, .kind = CLUMP_REQUEST_RECEIVE, .peer = -1, .tag = -1},
        {.number = 2, .kind = CLUMP_REQUEST_SEND, .peer = -1, .tag = -1}};
    clump_recorded_call call;
    begin(2, "Open MPI v4.1.4", 1 << 20);
    init(0);
    call = message(CLUMP_CALL_IRECEIVE, 1, 1, -1, -1, 0);
    call.requests = 1;
    call.request = &request[0];
    add(0, call, 0.375);
    call = message(CLUMP_CALL_ISEND, 2, 2, 1, 7, 100);
    call.requests = 1;
    call.request = &request[1];
    add(0, call, 0.25);
    call = clump_call_of(CLUMP_CALL_WAIT, 4, 5);
    request[0].peer = 1;
    request[0].tag = 9;
    request[0].bytes = 50;
    call.requests = 2;
    call.request = request;
    add(0, call, 1.5);
    finalize(0, 5.5);
    init(1);
    add(1, message(CLUMP_CALL_SEND, 0.5, 1, 0, 9, 50), 0);
    add(1, message(CLUMP_CALL_RECEIVE, 1, 3, 0, 7, 100), 0);
    finalize(1, 5.5);
    end();
    expect(usual, "num_ranks 2\n"
                  "\nrank 0 {\n"
                  "l1: calc 375000000\n"
                  "l2: recv 50b from 1 tag 1\n"
                  "l3: calc 250000000\n"
                  "l4: send 100b to 1\n"
                  "l5: calc 1500000000\n"
                  "l2 requires l1\nl3 requires l1\nl4 requires l3\nl5 requires l3\n"
                  "}\n"
                  "\nrank 1 {\n"
                  "l1: send 50b to 0 tag 1\n"
                  "l2: recv 100b from 0\n"
                  "l2 requires l1\n"
                  "}\n");
    outcome found;
    clump_schedule *schedule = make((how){CLUMP_GAPS_WALL, CLUMP_MPI_OPEN_MPI, 1}, &found);
    const recorded_calls_report *report = &found.report;
    assert_false(report->cut);
    assert_true(found.left.operations + found.left.messages + report->unknown == 0);
    assert_true(fabs(report->seconds - 5) < 1e-6);
    assert_true(fabs(report->gaps - (0.5 + 1 + 2 + 0.5 + 2.5)) < 1e-6);
    assert_true(fabs(report->processor - (0.375 + 0.25 + 1.5)) < 1e-6);
    assert_int_equal(report->calls, 9);
    clump_schedule_free(schedule);
    remove_folder(written);
}

/* A receive that is cancelled, nobody as partner, and a message to oneself. */
TEST(test_nobody)
{
    clump_call_request request = {
        .number = 1, .kind = CLUMP_REQUEST_RECEIVE, .peer = -1, .tag = -1};
    clump_recorded_call call;
    begin(1, "MPICH 4.0.2", 1 << 20);
    init(0);
    call = message(CLUMP_CALL_IRECEIVE, 1, 1.5, -1, -1, 0);
    call.requests = 1;
    call.request = &request;
    add(0, call, 0);
    call = clump_call_of(CLUMP_CALL_WAIT, 2, 2);
    call.requests = 1;
    call.request = &request;
    add(0, call, 0);
    request.number = 2; /* never completed */
    call = message(CLUMP_CALL_IRECEIVE, 2, 2.5, -1, -1, 0);
    call.requests = 1;
    call.request = &request;
    add(0, call, 0);
    add(0, message(CLUMP_CALL_SEND, 3, 3, -1, 1, 10), 0);
    call = message(CLUMP_CALL_SENDRECV, 4, 4, 0, 1, 10);
    call.peer_receive = 0;
    call.tag_receive = 1;
    call.bytes_received = 10;
    add(0, call, 0);
    finalize(0, 5);
    end();
    expect(usual,
           "num_ranks 1\n"
           "\nrank 0 {\nl1: calc 0\nl2: calc 0\nl3: send 10b to 0\nl4: recv 10b from 0\n}\n");
    remove_folder(written);
}

/* A send that is freed while it is under way holds nobody up. */
TEST(test_freed)
{
    clump_call_request request = {.number = 1, .kind = CLUMP_REQUEST_SEND, .peer = -1, .tag = -1};
    clump_recorded_call call = message(CLUMP_CALL_ISEND, 1, 1.25, 1, 7, 100);
    begin(2, "MPICH 4.0.2", 1 << 20);
    init(0);
    call.requests = 1;
    call.request = &request;
    add(0, call, 0);
    call = clump_call_of(CLUMP_CALL_TEST, 2, 2);
    request.kind = CLUMP_REQUEST_OTHER;
    call.requests = 1;
    call.request = &request;
    add(0, call, 0.75);
    add(0, message(CLUMP_CALL_SEND, 3, 3, 1, 8, 8), 0);
    finalize(0, 4);
    init(1);
    add(1, message(CLUMP_CALL_RECEIVE, 1, 2, 0, 7, 100), 0);
    add(1, message(CLUMP_CALL_RECEIVE, 2, 3, 0, 8, 8), 0);
    finalize(1, 4);
    end();
    expect(usual, "num_ranks 2\n"
                  "\nrank 0 {\n"
                  "l1: send 100b to 1\nl2: calc 750000000\nl3: send 8b to 1 tag 1\n"
                  "l3 requires l2\n}\n"
                  "\nrank 1 {\n"
                  "l1: recv 100b from 0\nl2: recv 8b from 0 tag 1\nl2 requires l1\n}\n");
    remove_folder(written);
}

/* Each rank posts its collectives at another time; what each sends is that of the algorithm. */
TEST(test_collectives)
{
    static text t;
    outcome report;
    begin(4, "Open MPI v4.1.4", 1 << 20);
    for (unsigned r = 0; r < 4; r++) {
        clump_recorded_call call = clump_call_of(CLUMP_CALL_ALLREDUCE, 1 + r, 5);
        init(r);
        call.bytes = call.bytes_received = 40;
        add(r, call, 0.5 + r);
        call = clump_call_of(CLUMP_CALL_GATHER, 6, 6);
        call.peer = 2;
        call.bytes = 100 * r; /* unequal: gatherv, which is linear */
        add(r, call, 0);
        finalize(r, 7);
    }
    end();
    clump_schedule *schedule = make(usual, &report);
    t.size = 0;
    assert_true(clump_schedule_write(schedule, collect, &t));
    /* recursive doubling with r ^ 1 and r ^ 2, then all to rank 2 at once */
    assert_non_null(strstr(t.bytes, "rank 0 {\n"
                                    "l1: calc 500000000\n"
                                    "l2: send 40b to 1\nl3: recv 40b from 1\n"
                                    "l4: send 40b to 2\nl5: recv 40b from 2\n"
                                    "l6: send 0b to 2\n"));
    assert_non_null(strstr(t.bytes, "l5 requires l2\nl4 requires l3\nl5 requires l3\n"));
    assert_non_null(strstr(t.bytes, "l6: recv 300b from 3\nl7: recv 0b from 0\n"
                                    "l8: recv 100b from 1\n"));
    clump_schedule_free(schedule);
    /* MPICH reduces in nodes of two first: 2 and 3 tell each other, then ranks 0 and 2 */
    schedule = make((how){CLUMP_GAPS_PROCESSOR, CLUMP_MPI_MPICH, 2}, &report);
    t.size = 0;
    assert_true(clump_schedule_write(schedule, collect, &t));
    assert_non_null(strstr(t.bytes, "rank 3 {\n"
                                    "l1: calc 3500000000\n"
                                    "l2: send 40b to 2\nl3: recv 40b from 2\n"));
    clump_schedule_free(schedule);
    remove_folder(written);
}

/* MPI_Startall of a receive and a send, as it was and as it is recorded: the processor time of the gap with the last of the calls that begin
 * together, or with the first. */
static void write_startall(bool first)
{
    begin(2, "Open MPI v4.1.4", 1 << 20);
    for (unsigned r = 0; r < 2; r++) {
        clump_call_request request[2] = {
            {.number = 1, .kind = CLUMP_REQUEST_RECEIVE, .peer = -1, .tag = -1},
            {.number = 2, .kind = CLUMP_REQUEST_SEND, .peer = -1, .tag = -1}};
        clump_recorded_call call = message(CLUMP_CALL_IRECEIVE, 1, 1, 1 - (int)r, 7, 0);
        init(r);
        call.requests = 1;
        call.request = &request[0];
        add(r, call, first ? 0.25 : 0);
        call = message(CLUMP_CALL_ISEND, 1, 1.25, 1 - (int)r, 7, 100);
        call.calls = 0;
        call.requests = 1;
        call.request = &request[1];
        add(r, call, first ? 0 : 0.25);
        call = clump_call_of(CLUMP_CALL_WAIT, 2, 3);
        request[0].peer = 1 - (int)r;
        request[0].tag = 7;
        request[0].bytes = 100;
        call.requests = 2;
        call.request = request;
        add(r, call, 0.5);
        finalize(r, 4);
    }
    end();
}

TEST(test_calls_that_begin_together)
{
    for (int first = 0; first < 2; first++) {
        outcome found;
        write_startall(first);
        expect(usual,
               "num_ranks 2\n"
               "\nrank 0 {\n"
               "l1: calc 250000000\nl2: recv 100b from 1\nl3: send 100b to 1\nl4: calc 500000000\n"
               "l2 requires l1\nl3 requires l1\nl4 requires l1\n}\n"
               "\nrank 1 {\n"
               "l1: calc 250000000\nl2: recv 100b from 0\nl3: send 100b to 0\nl4: calc 500000000\n"
               "l2 requires l1\nl3 requires l1\nl4 requires l1\n}\n");
        clump_schedule_free(make(usual, &found));
        assert_true(fabs(found.report.processor - 1.5) < 1e-6);
        assert_true(fabs(found.report.gaps - 2 * (0.5 + 0.75 + 1)) < 1e-6);
        remove_folder(written);
    }
}

/* A non-blocking barrier beside computation. */
TEST(test_nonblocking_collective)
{
    begin(2, "Open MPI v4.1.4", 1 << 20);
    for (unsigned r = 0; r < 2; r++) {
        const clump_call_request request = {
            .number = 1, .kind = CLUMP_REQUEST_COLLECTIVE, .peer = -1, .tag = -1};
        clump_recorded_call call = clump_call_of(CLUMP_CALL_BARRIER, 1, 1.25);
        init(r);
        call.nonblocking = true;
        call.requests = 1;
        call.request = &request;
        add(r, call, 0);
        call = clump_call_of(CLUMP_CALL_WAIT, 2, 2);
        call.requests = 1;
        call.request = &request;
        add(r, call, 0.75);
        add(r, message(r == 0 ? CLUMP_CALL_SEND : CLUMP_CALL_RECEIVE, 2.5, 2.5, 1 - (int)r, 5, 8),
            0);
        finalize(r, 3);
    }
    end();
    expect(usual, "num_ranks 2\n"
                  "\nrank 0 {\n"
                  "l1: send 0b to 1\nl2: recv 0b from 1\n"
                  "l3: calc 750000000\nl4: send 8b to 1 tag 1\n"
                  "l4 requires l1\nl4 requires l2\nl4 requires l3\n}\n"
                  "\nrank 1 {\n"
                  "l1: send 0b to 0\nl2: recv 0b from 0\n"
                  "l3: calc 750000000\nl4: recv 8b from 0 tag 1\n"
                  "l4 requires l1\nl4 requires l2\nl4 requires l3\n}\n");
    remove_folder(written);
}

/* A put is answered whatever its target does, and the fence waits for that. */
TEST(test_one_sided)
{
    begin(2, "Open MPI v4.1.4", 1 << 20);
    init(0);
    init(1);
    add(0, message(CLUMP_CALL_PUT, 1, 1, 1, -1, 64), 0);
    add(0, clump_call_of(CLUMP_CALL_SYNCHRONIZE, 2, 3), 0.5);
    finalize(0, 4);
    add(1, clump_call_of(CLUMP_CALL_SYNCHRONIZE, 2, 3), 1.5);
    finalize(1, 4);
    end();
    expect(usual, "num_ranks 2\n"
                  "\nrank 0 {\nl1: send 64b to 1\nl2: recv 0b from 1 tag 1\nl3: calc 500000000\n}\n"
                  "\nrank 1 {\nl1: recv 64b from 0 cpu 1\nl2: send 0b to 0 tag 1 cpu 1\n"
                  "l3: calc 1500000000\nl2 requires l1\n}\n");
    remove_folder(written);
}

/* A second thread begins where the first one is. */
TEST(test_threads)
{
    begin(2, "Open MPI v4.1.4", 1 << 20);
    for (unsigned r = 0; r < 2; r++) {
        const clump_call_kind kind = r == 0 ? CLUMP_CALL_SEND : CLUMP_CALL_RECEIVE;
        clump_recorded_call call = message(kind, 2, 2, 1 - (int)r, 6, 32);
        init(r);
        add(r, message(kind, 1, 1, 1 - (int)r, 5, 16), 0.5);
        call.thread = 1;
        add(r, call, 0.125);
        finalize(r, 4);
    }
    end();
    outcome report;
    clump_schedule *schedule = make(usual, &report);
    static text t;
    t.size = 0;
    assert_true(clump_schedule_write(schedule, collect, &t));
    assert_non_null(strstr(t.bytes, "rank 0 {\nl1: calc 500000000\nl2: send 16b to 1\n"
                                    "l3: calc 125000000 cpu 1\nl4: send 32b to 1 tag 1 cpu 1\n"
                                    "l2 requires l1\nl3 requires l2\nl4 requires l3\n}\n"));
    clump_schedule_free(schedule);
    remove_folder(written);
}

/* ---- traces that end early */

static void write_ping(double seconds, int calls)
{
    for (unsigned r = 0; r < 2; r++) {
        init(r);
        for (int i = 1; i < calls; i++) {
            const bool sends = (i + (int)r) % 2 == 0;
            add(r,
                message(sends ? CLUMP_CALL_SEND : CLUMP_CALL_RECEIVE, i * seconds, i * seconds,
                        1 - (int)r, 3, 10),
                1e-6);
        }
    }
}

TEST(test_cut)
{
    outcome report;
    begin(2, "Open MPI v4.1.4", 1 << 20);
    write_ping(1, 1000);
    clump_writer_close(&writers[0], CLUMP_RECORDING_FINALIZED);
    clump_writer_flush(&writers[1]);
    add(1, message(CLUMP_CALL_SEND, 5000, 5000, 0, 3, 10), 0); /* not flushed any more */
    clump_writer_drop(&writers[1]);
    clump_schedule *schedule = make(usual, &report);
    assert_true(report.report.cut);
    assert_true(report.report.until >= 999 && report.report.until < 1001);
    assert_int_equal(report.left.operations, 0);
    clump_schedule_free(schedule);
    /* without the file of one rank the other one stops at its first receive */
    char path[300];
    rank_path(path, 0);
    unlink(path);
    schedule = make(usual, &report);
    assert_true(report.report.cut);
    assert_true(report.left.operations > 1900);
    /* of rank 1: its first send, which nobody receives, and computation before and after it */
    assert_int_equal(clump_schedule_operations(schedule), 3);
    assert_int_equal(report.left.messages, 1);
    clump_schedule_free(schedule);
    remove_folder(written);
}

TEST(test_limit)
{
    outcome report, whole;
    clump_schedule *schedule;
    begin(2, "Open MPI v4.1.4", 1 << 20);
    write_ping(1, 40000);
    end();
    schedule = make(usual, &whole);
    const size_t all = clump_schedule_operations(schedule);
    clump_schedule_free(schedule);
    remove_folder(written);
    assert_false(whole.report.cut);
    begin(2, "Open MPI v4.1.4", 2000);
    write_ping(1, 40000);
    end();
    schedule = make(usual, &report);
    assert_true(report.report.cut);
    const size_t part = clump_schedule_operations(schedule);
    assert_true(part > 10 && part < all);
    assert_true(report.report.until < 39999);
    clump_schedule_free(schedule);
    remove_folder(written);
}

TEST(test_libraries)
{
    assert_int_equal(clump_mpi_library_of("Open MPI v4.1.4"), CLUMP_MPI_OPEN_MPI);
    assert_int_equal(clump_mpi_library_of("MPICH 4.0.2"), CLUMP_MPI_MPICH);
    assert_int_equal(clump_mpi_library_of("Intel(R) MPI Library 2021.9"), CLUMP_MPI_MPICH);
    assert_int_equal(clump_mpi_library_of(NULL), CLUMP_MPI_OPEN_MPI);
}

UNIT_MAIN(NULL, NULL)
