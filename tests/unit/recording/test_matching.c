/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sends and receives that belong together, and who came late: times worked out by hand. */
#include "recording/matching.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

static const size_t one_node[8] = {0};

static clump_recorded_call call_at(clump_call_kind kind, double begin, double end, int peer,
                                   int tag)
{
    clump_recorded_call call = clump_call_of(kind, begin, end);
    call.peer = peer;
    call.tag = tag;
    call.bytes = 100;
    return call;
}

static void add(clump_matching *m, size_t rank, clump_call_kind kind, double begin, double end,
                int peer, int tag)
{
    const clump_recorded_call call = call_at(kind, begin, end, peer, tag);
    clump_matching_add(m, rank, &call);
}

static void start(clump_matching *m, size_t rank, clump_call_kind kind, double begin, int peer,
                  int tag, uint64_t number)
{
    const clump_call_request request = {.number = number, .peer = -1, .tag = -1};
    clump_recorded_call call = call_at(kind, begin, begin, peer, tag);
    call.nonblocking = clump_call_is_collective(kind);
    call.requests = 1;
    call.request = &request;
    clump_matching_add(m, rank, &call);
}

static void wait_all(clump_matching *m, size_t rank, double begin, double end,
                     const clump_call_request *requests, uint32_t count)
{
    clump_recorded_call call = call_at(CLUMP_CALL_WAIT, begin, end, -1, -1);
    call.requests = count;
    call.request = requests;
    clump_matching_add(m, rank, &call);
}

static clump_call_request received(uint64_t number, int peer, int tag)
{
    return (clump_call_request){number, CLUMP_REQUEST_RECEIVE, peer, tag, 100};
}

static clump_call_request sent(uint64_t number)
{
    return (clump_call_request){number, CLUMP_REQUEST_SEND, -1, -1, 0};
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static void expect(const clump_matching *m, size_t rank, clump_call_kind kind, double divided,
                   double waiting)
{
    const clump_matched found = clump_matching_of(m, rank, kind);
    NEAR(found.divided, divided);
    NEAR(found.waiting, waiting);
}

TEST(test_late_sender)
{
    clump_matching *m = clump_matching_new(2, one_node, 1);
    assert_non_null(m);
    /* 1 waits from 1 to 4, when 0 begins to send; then the message takes 2 s. */
    add(m, 1, CLUMP_CALL_RECEIVE, 1, 6, 0, 7);
    add(m, 0, CLUMP_CALL_SEND, 4, 5, 1, 7);
    clump_matching_finish(m);
    expect(m, 1, CLUMP_CALL_RECEIVE, 5, 3);
    expect(m, 0, CLUMP_CALL_SEND, 1, 0);
    assert_int_equal(clump_matching_sum(m).messages, 1);
    clump_matching_free(m);
}

TEST(test_late_receiver)
{
    clump_matching *m = clump_matching_new(2, one_node, 1);
    /* A send that lasts until the receive has begun waits for it; one that is over before was buffered. */
    add(m, 0, CLUMP_CALL_SEND, 1, 5, 1, 1);
    add(m, 0, CLUMP_CALL_SEND, 6, 6.5, 1, 2);
    add(m, 1, CLUMP_CALL_RECEIVE, 3, 5, 0, 1);
    add(m, 1, CLUMP_CALL_RECEIVE, 9, 9.25, 0, 2);
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_SEND, 4.5, 2);
    expect(m, 1, CLUMP_CALL_RECEIVE, 2.25, 0);
    clump_matching_free(m);
}

/* The latest of several partners counts; what arrived while computing is not waited for. */
TEST(test_waitall)
{
    clump_matching *m = clump_matching_new(3, one_node, 1);
    start(m, 0, CLUMP_CALL_IRECEIVE, 0, 1, 5, 1);
    start(m, 0, CLUMP_CALL_IRECEIVE, 0, 2, 5, 2);
    start(m, 0, CLUMP_CALL_ISEND, 0, 1, 6, 3);
    const clump_call_request all[] = {received(1, 1, 5), received(2, 2, 5), sent(3)};
    wait_all(m, 0, 10, 20, all, 3);
    add(m, 1, CLUMP_CALL_SEND, 2, 3, 0, 5);
    add(m, 1, CLUMP_CALL_RECEIVE, 13, 14, 0, 6);
    add(m, 2, CLUMP_CALL_SEND, 17, 18, 0, 5);
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_WAIT, 10, 7);
    expect(m, 1, CLUMP_CALL_RECEIVE, 1, 0);
    assert_int_equal(clump_matching_sum(m).messages, 3);
    clump_matching_free(m);
}

/* Messages of the same ranks and tag do not overtake each other, whatever order calls are added in. */
TEST(test_order)
{
    for (int turn = 0; turn < 2; turn++) {
        clump_matching *m = clump_matching_new(2, one_node, 1);
        for (size_t half = 0; half < 2; half++) {
            if ((int)half == turn)
                for (int i = 0; i < 10; i++)
                    add(m, 0, CLUMP_CALL_SEND, 2 * i + 1, 2 * i + 1.5, 1, 3);
            else
                for (int i = 0; i < 10; i++)
                    add(m, 1, CLUMP_CALL_RECEIVE, 2 * i, 2 * i + 2, 0, 3);
        }
        clump_matching_finish(m);
        expect(m, 1, CLUMP_CALL_RECEIVE, 20, 10);
        clump_matching_free(m);
    }
}

/* A receive of any source stands in line with what it got. */
TEST(test_any_source)
{
    clump_matching *m = clump_matching_new(3, one_node, 1);
    start(m, 0, CLUMP_CALL_IRECEIVE, 0, -1, -1, 1);
    const clump_call_request from_2 = received(1, 2, 9);
    add(m, 1, CLUMP_CALL_SEND, 1, 2, 0, 9);
    add(m, 2, CLUMP_CALL_SEND, 6, 7, 0, 9);
    wait_all(m, 0, 5, 8, &from_2, 1);
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_WAIT, 3, 1);
    assert_int_equal(clump_matching_sum(m).sends, 1);
    assert_int_equal(clump_matching_sum(m).receives, 0);
    clump_matching_free(m);
}

/* A receive that was cancelled takes no message from the next one. */
TEST(test_cancelled)
{
    clump_matching *m = clump_matching_new(2, one_node, 1);
    start(m, 0, CLUMP_CALL_IRECEIVE, 0, 1, 4, 1);
    const clump_call_request none = received(1, -1, -1);
    wait_all(m, 0, 1, 1.5, &none, 1);
    add(m, 0, CLUMP_CALL_RECEIVE, 2, 8, 1, 4);
    add(m, 1, CLUMP_CALL_SEND, 5, 6, 0, 4);
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_RECEIVE, 6, 3);
    clump_matching_free(m);
}

/* Sends that are freed while they are under way: nobody waits for them, and none of them stays open. */
TEST(test_freed)
{
    enum { SENDS = 1000 };
    clump_matching *m = clump_matching_new(2, one_node, 1);
    for (int i = 0; i < SENDS; i++) {
        const uint64_t number = (uint64_t)i + 1;
        const clump_call_request freed = {number, CLUMP_REQUEST_OTHER, -1, -1, 0};
        clump_recorded_call call = call_at(CLUMP_CALL_TEST, 4 * i + 1, 4 * i + 1.5, -1, -1);
        call.requests = 1;
        call.request = &freed;
        if (i % 2 == 1) /* the receive comes first */
            add(m, 1, CLUMP_CALL_RECEIVE, 4 * i - 1, 4 * i + 2, 0, 4);
        start(m, 0, CLUMP_CALL_ISEND, 4 * i, 1, 4, number);
        clump_matching_add(m, 0, &call);
        if (i % 2 == 0)
            add(m, 1, CLUMP_CALL_RECEIVE, 4 * i + 2, 4 * i + 3, 0, 4);
    }
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_TEST, SENDS * 0.5, 0);
    expect(m, 1, CLUMP_CALL_RECEIVE, SENDS / 2 * (1 + 3), SENDS / 2 * 1);
    assert_int_equal(clump_matching_sum(m).messages, SENDS);
    assert_int_equal(clump_matching_sum(m).sends, 0);
    clump_matching_free(m);
}

TEST(test_collectives)
{
    clump_matching *m = clump_matching_new(3, one_node, 1);
    const double begins[] = {1, 4, 2};
    for (size_t r = 0; r < 3; r++)
        add(m, r, CLUMP_CALL_ALLREDUCE, begins[r], 5, -1, -1);
    for (size_t r = 0; r < 3; r++)
        add(m, r, CLUMP_CALL_BROADCAST, 10 + begins[r], 16, 2, -1);
    for (size_t r = 0; r < 3; r++)
        add(m, r, CLUMP_CALL_REDUCE, 20 + begins[r], 26, 0, -1);
    for (size_t r = 0; r < 3; r++)
        add(m, r, CLUMP_CALL_SCAN, 30 + begins[2 - r], 36, -1, -1);
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_ALLREDUCE, 4, 3);
    expect(m, 1, CLUMP_CALL_ALLREDUCE, 1, 0);
    expect(m, 2, CLUMP_CALL_ALLREDUCE, 3, 2);
    expect(m, 0, CLUMP_CALL_BROADCAST, 5, 1); /* for the root, which came at 12 */
    expect(m, 1, CLUMP_CALL_BROADCAST, 2, 0);
    expect(m, 2, CLUMP_CALL_BROADCAST, 4, 0);
    expect(m, 0, CLUMP_CALL_REDUCE, 5, 3);
    expect(m, 1, CLUMP_CALL_REDUCE, 2, 0);
    expect(m, 2, CLUMP_CALL_REDUCE, 4, 0);
    expect(m, 0, CLUMP_CALL_SCAN, 4, 0);
    expect(m, 1, CLUMP_CALL_SCAN, 2, 0); /* began at 34, rank 0 at 32 */
    expect(m, 2, CLUMP_CALL_SCAN, 5, 3); /* began at 31, rank 1 at 34 */
    assert_int_equal(clump_matching_sum(m).collectives, 4);
    clump_matching_free(m);
}

TEST(test_nonblocking_collective)
{
    clump_matching *m = clump_matching_new(2, one_node, 1);
    const clump_call_request done = {1, CLUMP_REQUEST_COLLECTIVE, -1, -1, 0};
    start(m, 0, CLUMP_CALL_ALLREDUCE, 1, -1, -1, 1);
    wait_all(m, 0, 3, 9, &done, 1);
    start(m, 1, CLUMP_CALL_ALLREDUCE, 8, -1, -1, 1);
    wait_all(m, 1, 8, 9, &done, 1);
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_WAIT, 6, 5);
    expect(m, 1, CLUMP_CALL_WAIT, 1, 0);
    clump_matching_free(m);
}

TEST(test_communicator)
{
    static const uint32_t members[] = {2, 0};
    clump_matching *m = clump_matching_new(3, one_node, 1);
    assert_true(clump_matching_communicator(m, 5, members, 2));
    clump_recorded_call call = call_at(CLUMP_CALL_BARRIER, 1, 3, -1, -1);
    call.communicator = 5;
    clump_matching_add(m, 0, &call);
    call.begin = 2;
    clump_matching_add(m, 2, &call);
    clump_matching_add(m, 1, &call); /* is no member */
    call.communicator = 77;
    clump_matching_add(m, 1, &call); /* is none */
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_BARRIER, 2, 1);
    expect(m, 2, CLUMP_CALL_BARRIER, 1, 0);
    expect(m, 1, CLUMP_CALL_BARRIER, 0, 0);
    clump_matching_free(m);
}

/* Node 1's clock is 100 s ahead. Messages in both directions tell it within 0.3 s. */
TEST(test_clocks)
{
    static const size_t node[] = {0, 1};
    clump_matching *m = clump_matching_new(2, node, 2);
    for (int pass = 0; pass < 2; pass++) {
        add(m, 0, CLUMP_CALL_SEND, 1, 1.1, 1, 1);
        add(m, 1, CLUMP_CALL_RECEIVE, 100.5, 101.2, 0, 1); /* truly 0.5 to 1.2: waits 0.5 s */
        add(m, 1, CLUMP_CALL_SEND, 103, 103.1, 0, 1);
        add(m, 0, CLUMP_CALL_RECEIVE, 2.5, 3.1, 1, 1);
        clump_matching_finish(m);
        if (pass == 0)
            clump_matching_again(m);
    }
    const clump_clock_offset clock = clump_matching_clock_of(m, 1);
    /* It left at 1 and arrived by 101.2: at most 100.2 ahead. It left at 103, arrived by 3.1: at least 99.9. */
    NEAR(clock.low, 99.9);
    NEAR(clock.high, 100.2);
    NEAR(clock.used, 100.05);
    const clump_matched r = clump_matching_of(m, 1, CLUMP_CALL_RECEIVE);
    NEAR(r.waiting, 0.55);
    NEAR(r.waiting_low, 0.4);
    NEAR(r.waiting_high, 0.7);
    assert_true(r.waiting_low <= 0.5 && r.waiting_high >= 0.5);
    clump_matching_free(m);
}

/* A barrier bounds the clocks of all its nodes; three nodes in a row. */
TEST(test_clocks_of_barrier)
{
    static const size_t node[] = {0, 1, 2};
    clump_matching *m = clump_matching_new(3, node, 3);
    add(m, 0, CLUMP_CALL_BARRIER, 1, 2, -1, -1);
    add(m, 1, CLUMP_CALL_BARRIER, 51.5, 52, -1, -1);
    add(m, 2, CLUMP_CALL_BARRIER, -8.25, -8, -1, -1);
    clump_matching_finish(m);
    NEAR(clump_matching_clock_of(m, 1).low, 49.5);
    NEAR(clump_matching_clock_of(m, 1).high, 51);
    NEAR(clump_matching_clock_of(m, 2).low, -10.25);
    NEAR(clump_matching_clock_of(m, 2).high, -9);
    clump_matching_free(m);
}

/* Without a way back the one bound is all there is, and without any message none. */
TEST(test_clocks_unknown)
{
    static const size_t node[] = {0, 1, 2};
    clump_matching *m = clump_matching_new(3, node, 3);
    for (int pass = 0; pass < 2; pass++) {
        add(m, 0, CLUMP_CALL_SEND, 10, 11, 1, 1);
        add(m, 1, CLUMP_CALL_RECEIVE, 4, 6, 0, 1);
        clump_matching_finish(m);
        if (pass == 0)
            clump_matching_again(m);
    }
    NEAR(clump_matching_clock_of(m, 1).high, -4);
    assert_true(isnan(clump_matching_clock_of(m, 1).low));
    NEAR(clump_matching_clock_of(m, 1).used, -4);
    assert_true(isnan(clump_matching_clock_of(m, 2).low));
    const clump_matched r = clump_matching_of(m, 1, CLUMP_CALL_RECEIVE);
    NEAR(r.waiting, 2);
    NEAR(r.waiting_low, 0);
    clump_matching_free(m);
}

/* ---- calls that do not fit together */

TEST(test_unlike)
{
    clump_matching *m = clump_matching_new(2, one_node, 1);
    add(m, 0, CLUMP_CALL_BARRIER, 1, 2, -1, -1);
    add(m, 1, CLUMP_CALL_ALLREDUCE, 1, 2, -1, -1);
    add(m, 0, CLUMP_CALL_BARRIER, 3, 4, -1, -1);
    add(m, 1, CLUMP_CALL_BARRIER, 3, 4, -1, -1);
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_BARRIER, 0, 0);
    assert_int_equal(clump_matching_sum(m).collectives_unlike, 3);
    assert_int_equal(clump_matching_sum(m).collectives_open, 1);
    clump_matching_free(m);
}

TEST(test_without_partner)
{
    clump_matching *m = clump_matching_new(2, one_node, 1);
    add(m, 0, CLUMP_CALL_SEND, 1, 2, 1, 1);
    add(m, 0, CLUMP_CALL_RECEIVE, 3, 4, 1, 2);
    add(m, 0, CLUMP_CALL_SEND, 5, 6, -1, 1); /* to nobody: over at once */
    add(m, 0, CLUMP_CALL_SEND, 5, 6, 99, 1);
    add(m, 0, CLUMP_CALL_SEND, NAN, 6, 1, 1);
    add(m, 7, CLUMP_CALL_SEND, 5, 6, 1, 1);
    clump_matching_finish(m);
    expect(m, 0, CLUMP_CALL_SEND, 2, 0);
    expect(m, 0, CLUMP_CALL_RECEIVE, 0, 0);
    assert_int_equal(clump_matching_sum(m).sends, 1);
    assert_int_equal(clump_matching_sum(m).receives, 1);
    clump_matching_free(m);
}

/* Everything is open, with a tag of its own each: no time that grows with its square, and a bound of memory. */
TEST(test_much_open)
{
    enum { CALLS = 100000 };
    clump_matching *m = clump_matching_new(2, one_node, 1);
    for (int i = 0; i < CALLS; i++) {
        add(m, 0, CLUMP_CALL_SEND, i, i + 1, 1, i);
        add(m, 1, CLUMP_CALL_RECEIVE, i, i + 1, 0, -2 - i);
        start(m, 0, CLUMP_CALL_IRECEIVE, i + 1, -1, -1, (uint64_t)i + 1);
        start(m, 1, CLUMP_CALL_BARRIER, i + 1, -1, -1, (uint64_t)i + 1);
    }
    clump_matching_finish(m);
    const clump_matching_summary sum = clump_matching_sum(m);
    assert_int_equal(sum.messages, 0);
    assert_int_equal(sum.sends, CALLS);
    assert_int_equal(sum.receives, 2 * CALLS);
    assert_int_equal(sum.collectives_open, CALLS);
    assert_int_equal(sum.beyond, 0);
    clump_matching_free(m);
}

/* ---- against a matching by sorting, of random programs */

enum { RANKS = 4, MESSAGES = 2000 };

typedef struct message {
    int from, to, tag;
    double sent, received;
} message;

static int by_received(const void *a, const void *b)
{
    const message *x = a, *y = b;
    return (x->received > y->received) - (x->received < y->received);
}

/* Messages with random times, received in the order in which they were sent (of each pair and tag): what each receive waits
 * follows from the two times. */
TEST(test_random)
{
    static message messages[MESSAGES];
    static double last[RANKS][RANKS][3];
    double expected[RANKS] = {0};
    srand(7);
    for (int i = 0; i < MESSAGES; i++) {
        message *x = &messages[i];
        x->from = rand() % RANKS;
        x->to = rand() % RANKS;
        x->tag = rand() % 3;
        x->sent = i + rand() / (double)RAND_MAX;
        double *after = &last[x->from][x->to][x->tag];
        x->received = fmax(*after, x->sent - 20 + 40 * (rand() / (double)RAND_MAX));
        *after = x->received + 1e-6;
        const double end = fmax(x->received, x->sent) + 0.5;
        expected[x->to] += fmin(fmax(0, x->sent - x->received), end - x->received);
    }
    clump_matching *m = clump_matching_new(RANKS, one_node, 1);
    for (int i = 0; i < MESSAGES; i++)
        add(m, (size_t)messages[i].from, CLUMP_CALL_SEND, messages[i].sent, messages[i].sent,
            messages[i].to, messages[i].tag);
    qsort(messages, MESSAGES, sizeof *messages, by_received);
    for (int i = 0; i < MESSAGES; i++)
        add(m, (size_t)messages[i].to, CLUMP_CALL_RECEIVE, messages[i].received,
            fmax(messages[i].received, messages[i].sent) + 0.5, messages[i].from, messages[i].tag);
    clump_matching_finish(m);
    assert_int_equal(clump_matching_sum(m).messages, MESSAGES);
    for (size_t r = 0; r < RANKS; r++)
        assert_true(fabs(clump_matching_of(m, r, CLUMP_CALL_RECEIVE).waiting - expected[r]) < 1e-6);
    clump_matching_free(m);
}

UNIT_MAIN(NULL, NULL)
