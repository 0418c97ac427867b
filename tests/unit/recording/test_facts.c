/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of recordings that are written here, so that all numbers are known. */
#include "data/store/recorded_facts.h"
#include "recording/facts.h"
#include "recording/phases.h"
#include "scenarios/recorded/recorded.h"

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

static bool has_note(const clump_facts *f, const char *words)
{
    for (size_t i = 0; i < f->note_count; i++)
        if (strstr(f->notes[i].text, words) != NULL)
            return true;
    return false;
}

/* Two nodes, of which nobody knows how the clocks differ: the second one's start of day is 5 s off. Messages go both ways. */
static void test_nodes(void **state)
{
    (void)state;
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
    clump_facts *f = facts_of_folder();
    assert_int_equal(f->node_count, 2);
    /* Sent at 0 and there by 0.25; sent at 0.375, there by 0.5: 5 s ahead by -0.125 to 0.25 more. */
    NEAR(f->nodes[1].clock_low, 4.875);
    NEAR(f->nodes[1].clock_high, 5.25);
    NEAR(f->nodes[1].clock_used, 5.0625);
    /* Truly 2.5 s: rank 0 waits from 0.125 to 0.375, ten times. */
    NEAR(call_row(f, 0, "receive")->waiting, 10 * (0.25 - 0.0625));
    assert_true(f->ranks[0].waiting_low <= 2.5 && f->ranks[0].waiting_high >= 2.5);
    assert_true(f->ranks[1].waiting_low <= 2.5 && f->ranks[1].waiting_high >= 2.5);
    NEAR(traffic(f, 1, 0, "point-to-point", true), 2000);
    assert_true(has_note(f, "clocks: offsets between nodes are known within 3.75e+05 us"));
    assert_true(has_note(f, "collisions") || f->collision_count > 0);
    clump_facts_free(f);
    remove_folder(2);
}

/* Totals go on when the trace is full: what is divided is said to be a part. */
static void test_trace_limit(void **state)
{
    (void)state;
    make_folder();
    write_pair(0);
    clump_facts *f = facts_of_folder();
    NEAR(traffic(f, 0, 1, "point-to-point", false), 10);
    assert_true(f->ranks[0].traced < f->ranks[0].calls);
    assert_true(has_note(f, "waiting and transferring are divided for those only"));
    assert_true(f->ranks[1].waiting + f->ranks[1].transferring < f->ranks[1].in_mpi);
    clump_facts_free(f);
    remove_folder(2);
}

/* A rank that was killed, and one that left no file. */
static void test_killed(void **state)
{
    (void)state;
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
    clump_facts *f = facts_of_folder();
    assert_false(f->ranks[1].ended);
    assert_true(f->files[1].cut_at > 0);
    assert_true(has_note(f, "1 of 2 did not end properly"));
    NEAR(call_row(f, 1, "receive")->waiting, 0.25);
    NEAR(f->sends, 9);
    NEAR(f->mismatched, 1);
    clump_facts_free(f);
    unlink(path);
    f = facts_of_folder();
    assert_true(has_note(f, "nothing was recorded of 1 of 2"));
    assert_int_equal(f->ranks[1].calls, 0);
    clump_facts_free(f);
    remove_folder(1);
}

/* Four ranks; all pairs exchange 100 bytes, and the root gives 64 to all: sums of bytes are those of any algorithm. */
static void test_collectives(void **state)
{
    (void)state;
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
    clump_facts *f = facts_of_folder();
    double all = 0, given[4] = {0};
    for (int64_t s = 0; s < 4; s++)
        for (int64_t r = 0; r < 4; r++) {
            all += traffic(f, s, r, "alltoall", true);
            given[r] += traffic(f, s, r, "scatter", true) - traffic(f, r, s, "scatter", true);
        }
    NEAR(all, 12 * 100000.0);   /* long ones go straight */
    for (int r = 0; r < 4; r++) /* what comes in and does not go out is what a rank keeps */
        NEAR(given[r], r == 2 ? -3 * 64.0 : 64.0);
    assert_int_equal(f->collective_count, 2);
    for (size_t i = 0; i < 2; i++) {
        NEAR(f->collectives[i].calls, 1);
        assert_int_equal(f->collectives[i].members, 4);
        const bool scatter = strcmp(f->collectives[i].kind, "scatter") == 0;
        NEAR(f->collectives[i].bytes, scatter ? 64 : 100000);
        assert_int_equal(f->collectives[i].root, scatter ? 2 : -1);
    }
    clump_facts_free(f);
    remove_folder(4);
}

/* Whoever predicts from facts is to say that messages are missing: what is written now and what older data bases hold
 * both tell of it. */
static void test_missing_messages(void **state)
{
    (void)state;
    make_folder();
    for (unsigned rank = 0; rank < 2; rank++) {
        clump_recording_writer w;
        begin_rank(&w, rank, 2, "node-a", 1 << 20);
        add(&w, CLUMP_CALL_INIT, 0, 0.5, -1, 0);
        add(&w, CLUMP_CALL_NEIGHBOUR, 1, 2, -1, 100); /* without the messages of newer recordings */
        add(&w, CLUMP_CALL_FINALIZE, 3, 3.5, -1, 0);
        clump_writer_close(&w, CLUMP_RECORDING_FINALIZED);
    }
    clump_facts *f = facts_of_folder();
    clump_arena *arena = clump_arena_new();
    const clump_loggp network = {.latency_us = 10, .gap_us = 2, .gap_us_per_byte = 0.001};
    clump_recorded program;
    assert_int_equal(clump_recorded_make(f, &(clump_recorded_options){.network = &network}, arena,
                                         &program, NULL),
                     CLUMP_OK);
    size_t told = 0;
    for (size_t i = 0; i < program.note_count; i++)
        told += strncmp(program.notes[i], "Of the collectives: ", 20) == 0;
    assert_int_equal(told, 1);
    told = 0;
    for (size_t i = 0; i < f->note_count; i++)
        told += clump_facts_lack_messages(&f->notes[i]);
    assert_int_equal(told, 1);
    const clump_facts_note stored = {"collectives: 3 calls are not taken apart into messages: of "
                                     "communicators that are not known, or too many ranks"},
                           other = {"requests: 3 could not be followed"};
    assert_true(clump_facts_lack_messages(&stored));
    assert_false(clump_facts_lack_messages(&other));
    clump_arena_free(arena);
    clump_facts_free(f);
    remove_folder(2);
}

/* Half of the run computes, the other half talks; and marks are borders. */
static void test_phases(void **state)
{
    (void)state;
    make_folder();
    clump_recording_writer w;
    begin_rank(&w, 0, 1, "node-a", 1 << 20);
    add(&w, CLUMP_CALL_INIT, 0, 0.001, -1, 0);
    for (int i = 0; i < 2000; i++) {
        const double t = 0.01 + 0.01 * i;
        add(&w, CLUMP_CALL_PUT, t, t + (i < 1000 ? 0.001 : 0.008), 0, 100);
        if (i == 1500) {
            clump_recorded_call mark = clump_call_of(CLUMP_CALL_MARK, t + 0.0085, t + 0.0085);
            mark.tag = 7;
            clump_writer_add(&w, &mark);
        }
    }
    clump_writer_close(&w, CLUMP_RECORDING_FINALIZED);
    clump_facts *f = facts_of_folder();
    assert_int_equal(f->phase_count, 3);
    assert_true(fabs(f->phases[0].stop - 10) < 0.1);
    assert_true(fabs(f->phases[1].stop - 15) < 0.1);
    assert_null(f->phases[1].mark);
    assert_string_equal(f->phases[2].mark, "MPI_Pcontrol 7");
    assert_true(fabs(f->phases[0].in_mpi / 10 - 0.1) < 0.02);
    assert_true(fabs(f->phases[2].in_mpi / 5 - 0.8) < 0.02);
    clump_facts_free(f);
    remove_folder(1);
}

/* A wave of ten periods is a repetition, one of one step two phases; noise alone is none. */
static void test_cuts(void **state)
{
    (void)state;
    double points[256];
    size_t cuts[256];
    srand(5);
    for (int i = 0; i < 256; i++)
        points[i] = rand() / (double)RAND_MAX;
    assert_int_equal(clump_phases_cut(points, 256, 1, cuts), 0);
    for (int i = 0; i < 256; i++)
        points[i] += i < 100 ? 0 : 2;
    assert_int_equal(clump_phases_cut(points, 256, 1, cuts), 1);
    assert_true(cuts[0] >= 99 && cuts[0] <= 101);
    for (int i = 0; i < 256; i++)
        points[i] = 1;
    assert_int_equal(clump_phases_cut(points, 256, 1, cuts), 0);
    assert_int_equal(clump_phases_cut(points, 1, 1, cuts), 0);
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
        cmocka_unit_test(test_pair),        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_trace_limit), cmocka_unit_test(test_killed),
        cmocka_unit_test(test_collectives), cmocka_unit_test(test_missing_messages),
        cmocka_unit_test(test_phases),      cmocka_unit_test(test_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
