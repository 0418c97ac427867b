/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Senders that are killed in the middle of a send, at chosen instructions (single steps) and at
 * random ones. What must hold: a send that had returned arrives, once and whole; one that was cut
 * off arrives once and whole or not at all; everybody else goes on.
 *
 * CLUMP_STRESS_SECONDS=N makes the random part last N seconds for each algorithm, and the single
 * steps stop at every instruction.
 */
#define _DEFAULT_SOURCE /* ptrace, MAP_ANONYMOUS */
#include "protocols/endpoint/endpoint.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <sys/mman.h>
#include <sys/ptrace.h>

#include "tests/unit/children.h"

#define TAG UINT64_C(7)
enum { BULK = 700, MAX_LIVES = 20000 };

static char name[3][40];
static double stress_seconds;

static int names(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        snprintf(name[i], sizeof name[i], "kill-%ld.%d", (long)getpid(), i);
    const char *text = getenv("CLUMP_STRESS_SECONDS");
    stress_seconds = text != NULL ? atof(text) : 0;
    return 0;
}

/* Message `number` of `life`: 8 arguments and BULK bytes that follow from the two. */
static uint32_t mix(uint32_t life, uint32_t number, uint32_t i)
{
    uint32_t x = life * 2654435761u ^ number * 2246822519u ^ i * 3266489917u;
    x ^= x >> 15;
    return x * 668265263u;
}

static void compose(uint32_t life, uint32_t number, uint32_t *arguments, unsigned char *data)
{
    arguments[0] = life;
    arguments[1] = number;
    for (uint32_t i = 2; i < 8; i++)
        arguments[i] = mix(life, number, i);
    for (uint32_t i = 0; i < BULK; i++)
        data[i] = (unsigned char)mix(life, number, 100 + i);
}

static clump_protocol_status send_one(clump_endpoint *e, uint32_t life, uint32_t number, bool bulk)
{
    uint32_t arguments[8];
    unsigned char data[BULK];
    compose(life, number, arguments, data);
    return bulk ? clump_endpoint_request_bulk(e, 0, 1, arguments, 8, data, BULK)
                : clump_endpoint_request(e, 0, 1, arguments, 8);
}

/* What the receiver has seen of each life: how many, and which (a window, for those out of order).
 */
struct seen {
    uint32_t count, past; /* all below `past` have come */
    uint64_t later;       /* bit i: past + 1 + i has come */
};

static struct seen lives[MAX_LIVES];
static unsigned damaged, repeated, disordered;
static bool expect_order;

static void on_message(clump_token *token, const clump_message *message, void *context)
{
    (void)token, (void)context;
    uint32_t expected[8];
    unsigned char data[BULK];
    uint32_t life = message->arguments[0], number = message->arguments[1];
    if (message->count != 8 || life >= MAX_LIVES || (message->size != 0 && message->size != BULK)) {
        damaged++;
        return;
    }
    compose(life, number, expected, data);
    if (memcmp(expected, message->arguments, sizeof expected) != 0 ||
        (message->size == BULK && memcmp(data, message->data, BULK) != 0))
        damaged++;
    struct seen *seen = &lives[life];
    seen->count++;
    if (number == seen->past) {
        do
            seen->past++;
        while ((seen->later & 1) != 0 ? (seen->later >>= 1, true) : (seen->later >>= 1, false));
    } else if (number < seen->past || number - seen->past > 64) {
        repeated++;
    } else {
        uint64_t bit = UINT64_C(1) << (number - seen->past - 1);
        repeated += (seen->later & bit) != 0;
        seen->later |= bit;
        disordered++;
    }
}

static clump_endpoint *open_as(const char *as, const clump_endpoint_options *options)
{
    clump_endpoint *e;
    if (clump_endpoint_open(as, options, &e) != CLUMP_PROTOCOL_OK)
        fail_msg("%s", clump_endpoint_message(e));
    clump_endpoint_set_tag(e, TAG);
    clump_endpoint_set_handler(e, 1, on_message, NULL);
    return e;
}

static void forget(void)
{
    memset(lives, 0, sizeof lives);
    damaged = repeated = disordered = 0;
}

/* ---- single steps */

static void stepped_sender(bool bulk, const clump_endpoint_options *options)
{
    clump_endpoint *e;
    uint32_t arguments[8];
    unsigned char data[BULK];
    compose(1, 1, arguments, data);
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    if (clump_endpoint_open(name[1], options, &e) != CLUMP_PROTOCOL_OK ||
        clump_endpoint_map(e, 0, name[0], TAG) != CLUMP_PROTOCOL_OK ||
        send_one(e, 1, 0, bulk) != CLUMP_PROTOCOL_OK) /* resolves symbols */
        _exit(3);
    raise(SIGSTOP);
    clump_protocol_status status =
        bulk ? clump_endpoint_request_bulk(e, 0, 1, arguments, 8, data, BULK)
             : clump_endpoint_request(e, 0, 1, arguments, 8);
    raise(SIGSTOP);
    _exit(status == CLUMP_PROTOCOL_OK ? 0 : 4);
}

/** Kill a sender after `steps` instructions; `*taken` receives how many it made. True if its send
 * had not ended by then. */
static bool kill_after(unsigned steps, bool bulk, const clump_endpoint_options *options,
                       clump_endpoint *server, bool *possible, unsigned *taken)
{
    const pid_t child = fork_child();
    if (child == 0)
        stepped_sender(bulk, options);
    int how;
    *possible = waitpid(child, &how, 0) == child && WIFSTOPPED(how) && WSTOPSIG(how) == SIGSTOP;
    bool inside = *possible;
    while (lives[1].count == 0 && *possible)
        clump_endpoint_poll(server, 1, NULL);
    for (unsigned i = 0; inside && i < steps; i++) {
        *possible =
            ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) == 0 && waitpid(child, &how, 0) == child;
        inside = *possible && WIFSTOPPED(how) && WSTOPSIG(how) == SIGTRAP;
        *taken = i + 1;
    }
    kill(child, SIGKILL);
    waitpid(child, &how, 0);
    return inside;
}

/** `stops`: at how many instructions of a send the sender is killed, spread over all of it and
 * begun at `phase` (0 to 1) of the way to the first; 0: at every one. */
static void step_by_step(const char *algorithm, bool bulk, unsigned stops, double phase)
{
    clump_endpoint_options options = {.algorithm = algorithm,
                                      .length = 4,
                                      .bulk_length = 2,
                                      .recovery_ms = 1,
                                      .send_timeout_ms = 100};
    clump_endpoint *server = open_as(name[0], &options), *other = open_as(name[2], &options);
    assert_int_equal(clump_endpoint_map(other, 0, name[0], TAG), CLUMP_PROTOCOL_OK);
    uint32_t number = 0;
    bool inside = true;
    forget();
    unsigned all = 0; /* instructions of the send; when it was not cut off, known from there on */
    for (unsigned stop = 0; inside; stop++) {
        bool possible;
        unsigned steps = stop;
        if (stops > 0 && stop == 0)
            steps = UINT_MAX;
        else if (stops > 0)
            steps = stop <= stops ? (unsigned)((stop - 1 + phase) * all / stops) : 2 * all + 1000;
        memset(&lives[1], 0, sizeof lives[1]);
        unsigned taken = 0;
        inside = kill_after(steps, bulk, &options, server, &possible, &taken);
        if (stops > 0 && stop == 0 && possible) {
            all = taken;
            inside = true;
        }
        if (!possible) {
            clump_endpoint_close(server);
            clump_endpoint_close(other);
            print_message("no single steps on this machine\n");
            skip();
        }
        /* Nine messages go all around the queue and the blocks. */
        for (unsigned i = 0; i < 9; i++) {
            /* It may have to wait until what the dead one held is recovered, which polls do. */
            clump_protocol_status status;
            AWAIT((status = send_one(other, 0, number, i >= 4)) != CLUMP_PROTOCOL_TIMED_OUT,
                  clump_endpoint_poll(server, 4, NULL));
            if (status != CLUMP_PROTOCOL_OK)
                fail_msg("%s, killed after %u steps, message %u: %s", algorithm, steps, i,
                         clump_endpoint_message(other));
            number++;
            AWAIT(lives[0].count >= number, clump_endpoint_poll(server, 4, NULL));
            for (const double least = i == 0 || i == 4 ? seconds() + 0.003 : 0; seconds() < least;)
                clump_endpoint_poll(server, 4, NULL);
            assert_int_equal(lives[0].count, number);
        }
        assert_true(lives[1].count >= 1 && lives[1].count <= 2);
    }
    assert_int_equal(lives[1].count, 2); /* the last one was not cut off */
    assert_int_equal(damaged, 0);
    assert_int_equal(repeated, 0);
    assert_int_equal(disordered, 0);
    clump_endpoint_statistics statistics;
    clump_endpoint_count(server, &statistics);
    assert_int_equal(statistics.rejected, 0);
    if (bulk)
        assert_true(statistics.recovered > 0);
    clump_endpoint_close(server);
    clump_endpoint_close(other);
    char path[60];
    snprintf(path, sizeof path, "/clump-%s", name[1]);
    shm_unlink(path);
}

TEST(killed_at_an_instruction)
{
    enum { STOPS = 4 };
    unsigned algorithms = 0;
    while (clump_endpoint_algorithm(algorithms) != NULL)
        algorithms++;
    for (unsigned i = 0; i < algorithms; i++) {
        /* Each algorithm stops at other places: together they cover what they share. */
        const double phase = (i + 0.5) / algorithms;
        const unsigned stops = stress_seconds > 0 ? 0 : STOPS;
        step_by_step(clump_endpoint_algorithm(i), false, stops, phase);
        step_by_step(clump_endpoint_algorithm(i), true, stops, 1 - phase);
    }
}

/* ---- random kills */

enum { SENDERS = 3 };

struct shared {
    volatile uint32_t completed[MAX_LIVES];
    volatile uint32_t failed;
    volatile bool stop;
    char message[200];
};

static unsigned run; /* makes names unlike those of the algorithm before */

static void sender_name(char own[60], uint32_t life)
{
    snprintf(own, 60, "%.30s.%u.%u", name[1], run, (unsigned)life);
}

static void random_sender(uint32_t life, struct shared *shared,
                          const clump_endpoint_options *options)
{
    char own[60];
    sender_name(own, life);
    clump_endpoint *e;
    clump_protocol_status status = clump_endpoint_open(own, options, &e);
    if (status == CLUMP_PROTOCOL_OK)
        status = clump_endpoint_map(e, 0, name[0], TAG);
    for (uint32_t n = 0; status == CLUMP_PROTOCOL_OK && !shared->stop; n++) {
        status = send_one(e, life, n, n % 5 == 3);
        if (status == CLUMP_PROTOCOL_OK)
            shared->completed[life] = n + 1;
    }
    if (status != CLUMP_PROTOCOL_OK) {
        shared->failed++;
        strncpy(shared->message, clump_endpoint_message(e), sizeof shared->message - 1);
    }
    clump_endpoint_close(e);
    _exit(0);
}

static bool all_arrived(const struct shared *shared, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (lives[i].past < shared->completed[i])
            return false;
    return true;
}

static void random_kills(const char *algorithm, double duration)
{
    clump_endpoint_options options = {.algorithm = algorithm,
                                      .length = 8,
                                      .bulk_length = 2,
                                      .recovery_ms = 5,
                                      .send_timeout_ms = PATIENCE_MS};
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    clump_endpoint *server = open_as(name[0], &options);
    pid_t children[SENDERS];
    uint32_t of[SENDERS], life = 0, kills = 0;
    int paused = -1;
    forget();
    run++;
    srand(1);
    for (unsigned i = 0; i < SENDERS; i++) {
        of[i] = life++;
        if ((children[i] = fork_child()) == 0)
            random_sender(of[i], shared, &options);
    }
    double end = seconds() + duration, next = seconds() + 0.01;
    while (seconds() < end) {
        clump_endpoint_poll(server, 16, NULL);
        if (seconds() < next || life >= MAX_LIVES)
            continue;
        /* Often soon after the start, when the victim is in its first sends. */
        next = seconds() + 0.0005 + 0.004 * rand() / RAND_MAX;
        unsigned victim = (unsigned)rand() % SENDERS;
        if (paused >= 0) {
            kill(children[paused], SIGCONT);
            paused = -1;
        } else if (rand() % 4 == 0) { /* stopped is not dead: nothing of its may be taken */
            kill(children[victim], SIGSTOP);
            paused = (int)victim;
            continue;
        }
        kill_child(children[victim]);
        kills++;
        of[victim] = life++;
        if ((children[victim] = fork_child()) == 0)
            random_sender(of[victim], shared, &options);
    }
    if (paused >= 0)
        kill(children[paused], SIGCONT);
    shared->stop = true;
    unsigned left = SENDERS;
    AWAIT(left == 0, {
        clump_endpoint_poll(server, 16, NULL);
        left -= waitpid(-1, NULL, WNOHANG) > 0;
    });
    AWAIT(all_arrived(shared, life), clump_endpoint_poll(server, 16, NULL));
    for (const double quiet = seconds() + 0.05; seconds() < quiet;) /* and nothing more */
        clump_endpoint_poll(server, 16, NULL);
    if (shared->failed > 0)
        fail_msg("%s: %u sends failed: %s", algorithm, shared->failed, shared->message);
    for (uint32_t i = 0; i < life; i++)
        if (lives[i].past < shared->completed[i] || lives[i].past > shared->completed[i] + 1 ||
            lives[i].later != 0 || lives[i].count != lives[i].past)
            fail_msg("%s: of %u messages that sender %u had sent, %u arrived, %u in a row",
                     algorithm, shared->completed[i], i, lives[i].count, lives[i].past);
    assert_int_equal(damaged, 0);
    assert_int_equal(repeated, 0);
    if (expect_order)
        assert_int_equal(disordered, 0);
    clump_endpoint_statistics statistics;
    clump_endpoint_count(server, &statistics);
    assert_int_equal(statistics.rejected, 0);
    print_message("%s: %u kills, %lu messages, %lu recovered, %u out of order\n", algorithm, kills,
                  (unsigned long)statistics.received, (unsigned long)statistics.recovered,
                  disordered);
    clump_endpoint_close(server);
    munmap(shared, sizeof *shared);
    for (uint32_t i = 0; i < life; i++) { /* also those that died while they made it */
        char own[60], path[80];
        sender_name(own, i);
        snprintf(path, sizeof path, "/clump-%s", own);
        shm_unlink(path);
    }
}

TEST(killed_at_random)
{
    for (unsigned i = 0; clump_endpoint_algorithm(i) != NULL; i++) {
        const char *algorithm = clump_endpoint_algorithm(i);
        expect_order = strcmp(algorithm, "lock-free") != 0 &&
                       strcmp(algorithm, "lock-free-test-set") != 0 &&
                       strcmp(algorithm, "swap-list") != 0;
        random_kills(algorithm, stress_seconds > 0 ? stress_seconds : 0.25);
    }
}

UNIT_MAIN(names, NULL)
