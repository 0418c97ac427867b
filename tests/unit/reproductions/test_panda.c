/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Panda and the systems above it promise, whoever carries their packets: requests of processes
 * of this machine, requests in virtual time, or LCI protocols on modelled hardware, of which those
 * that send again may lose packets. And the documents' programs over them, on small inputs.
 */
#include "reproductions/runs/application_run.h"
#include "reproductions/systems/mpi.h"
#include "reproductions/systems/orca.h"
#include "reproductions/virtual/splitmix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { MOST = 64 };

static clump_application_worker workers[MOST];

/* Pentium Pro and its Myrinet, in round numbers: what is promised does not depend on them. */
static const clump_hardware hardware = {.host_word_us = 0.15,
                                        .host_miss_us = 0.24,
                                        .host_copy_us = 0.02,
                                        .host_fill_us = 0.0025,
                                        .pio_word_us = 0.04,
                                        .pio_byte_us = 0.014,
                                        .nic_word_us = 0.14,
                                        .dma_read_us = 2.2,
                                        .dma_write_us = 1.9,
                                        .dma_byte_us = 0.008,
                                        .link_byte_us = 0.006,
                                        .hop_us = 0.1,
                                        .hops = 5,
                                        .receive_buffer_bytes = 524288,
                                        .send_buffer_bytes = 524288,
                                        .watchdog_us = 70,
                                        .interrupt_us = 70,
                                        .pin_us = 20};

static const clump_virtual_team_options team = {.nics = 2,
                                                .network = {12.56, 3.463, 8.93, 14.51, 0.031208},
                                                .memory = {-0.52, 2.135, 1.73, 3.251, 0.0063}};

/* Who carries packets: "live", "team", or a protocol of LCI. */
typedef struct way {
    const char *transport;
    uint32_t workers, per_node;
    double loss;
} way;

static clump_protocol_status try_run(const way *how, clump_application_run *run, char *message)
{
    clump_virtual_cluster_options o = {
        .hardware = hardware, .faults = {.loss = how->loss, .seed = 3}, .timeout_us = 1000};
    if (strcmp(how->transport, "live") == 0)
        return clump_application_run_live(run, message);
    if (strcmp(how->transport, "team") == 0)
        return clump_application_run_virtual(run, &team, 0, message);
    assert_int_equal(clump_lci_protocol_parse(how->transport, &o.protocol, NULL),
                     CLUMP_PROTOCOL_OK);
    return clump_application_run_cluster(run, &o, run->input->application->operation_us, message);
}

typedef void work_function(clump_worker *, const clump_application_input *,
                           clump_application_result *);

static clump_application application_of(work_function *work)
{
    static const clump_application_size none[] = {{NULL, NULL, 0, 0, 0, false}};
    return (clump_application){.name = "test",
                               .run = "test",
                               .operation_us = 1,
                               .sizes = none,
                               .system = "Panda",
                               .work = work};
}

static clump_application_run run_input(const way *how, const clump_application_input *input)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_application_run run = {.input = input, .workers = workers};
    if (try_run(how, &run, message) != CLUMP_PROTOCOL_OK)
        fail_msg("%s on %u by %s: %s", input->application->name, how->workers, how->transport,
                 message);
    return run;
}

static clump_application_run run_work(const way *how, work_function *work, bool threads)
{
    static clump_application a;
    static clump_application_input input;
    a = application_of(work);
    a.threads = threads;
    input = (clump_application_input){
        .application = &a, .workers = how->workers, .per_node = how->per_node, .seed = 1};
    return run_input(how, &input);
}

static const way ways[] = {{"live", 2, 2, 0},
                           {"live", 4, 2, 0},
                           {"team", 1, 1, 0},
                           {"team", 8, 4, 0},
                           {"l-sdma", 2, 1, 0},
                           {"l-sdma", 9, 1, 0},
                           {"l-pio-1k", 5, 1, 0},
                           {"l-sdma-hmc", 7, 1, 0},
                           {"l-nirx", 6, 1, 0.02},
                           {"l-hrx", 6, 1, 0.02},
                           {"l-pio-4k-binomial", 16, 1, 0},
                           {"l-hrx-1k", 13, 1, 0.1}};
enum { WAYS = sizeof ways / sizeof *ways };

static void require(clump_worker *w, bool holds, const char *what)
{
    if (!holds)
        clump_worker_fail(w, what);
}

/* ---- Panda */

enum { TALK, SPREAD, ORDER, SERVE, MEET }; /* ports */
enum { ROUNDS = 12, LONGEST = 9000 };

typedef struct book {
    clump_worker *worker;
    clump_panda *panda;
    uint32_t talked[MOST], spread[MOST]; /* by sender */
    uint32_t ordered, served, met;
    uint64_t log; /* of ordered broadcasts, in their order */
    uint32_t in_order[MOST];
} book;

/* Around the sizes at which packets end, and none at all. */
static size_t size_of(uint32_t round)
{
    static const size_t sizes[] = {8,    1008, 1009, 2031,    2032, 2033,
                                   4076, 4077, 4081, LONGEST, 12,   9};
    return sizes[round % (sizeof sizes / sizeof *sizes)];
}

static void write_text(unsigned char *text, uint32_t from, uint32_t round)
{
    const size_t size = size_of(round);
    memcpy(text, &from, 4);
    memcpy(text + 4, &round, 4);
    for (size_t i = 8; i < size; i++)
        text[i] = (unsigned char)(from * 31 + round * 7 + i);
}

static void check_text(book *b, const clump_panda_message *m, uint32_t round)
{
    uint32_t words[2];
    unsigned char text[LONGEST];
    require(b->worker, m->size == size_of(round), "a message of another size");
    memcpy(words, m->data, sizeof words);
    require(b->worker, words[0] == m->from && words[1] == round, "a message out of its turn");
    write_text(text, m->from, round);
    require(b->worker, memcmp(m->data, text, m->size) == 0, "a message with other bytes");
}

static void on_talk(clump_panda *panda, const clump_panda_message *m, void *context)
{
    book *b = context;
    (void)panda;
    check_text(b, m, b->talked[m->from]++);
}

static void on_spread(clump_panda *panda, const clump_panda_message *m, void *context)
{
    book *b = context;
    (void)panda;
    require(b->worker, m->broadcast && m->from != b->worker->rank, "a broadcast to its sender");
    check_text(b, m, b->spread[m->from]++);
}

static void on_order(clump_panda *panda, const clump_panda_message *m, void *context)
{
    book *b = context;
    require(b->worker, m->place == b->ordered++, "a place was left out");
    require(b->worker, clump_panda_seen(panda) == b->ordered, "it is not counted");
    check_text(b, m, b->in_order[m->from]++);
    b->log = clump_application_mix(b->log, m->from);
}

/* The answer: the bytes asked with, backwards, and who answers. Sent from the port. */
static void on_serve(clump_panda *panda, const clump_panda_message *m, void *context)
{
    book *b = context;
    unsigned char back[LONGEST];
    require(b->worker, m->call != 0, "a call without a number");
    for (size_t i = 0; i < m->size; i++)
        back[i] = m->data[m->size - 1 - i];
    b->served++;
    clump_panda_answer(panda, m->from, m->call,
                       (const clump_panda_piece[]){{back, m->size}, {&b->worker->rank, 4}}, 2);
}

static void on_meet(clump_panda *panda, const clump_panda_message *m, void *context)
{
    book *b = context;
    (void)panda, (void)m;
    b->met++;
}

/* All are here, and have all that was sent before to all in order. */
static void meet(book *b, uint32_t times)
{
    clump_panda_ordered(b->panda, MEET, NULL, 0);
    while (b->met < times * b->worker->count)
        clump_panda_wait(b->panda);
}

static void exercise_panda(clump_worker *w, const clump_application_input *input,
                           clump_application_result *result)
{
    book b = {.worker = w};
    unsigned char text[LONGEST], back[LONGEST], answer[LONGEST + 8];
    uint64_t state = clump_application_seed(input->seed, 5, w->rank);
    uint32_t sent[MOST] = {0}, calls = 0;
    b.panda = clump_panda_open(w, input->application->threads);
    clump_panda_define(b.panda, TALK, on_talk, &b);
    clump_panda_define(b.panda, SPREAD, on_spread, &b);
    clump_panda_define(b.panda, SERVE, on_serve, &b);
    clump_panda_define(b.panda, MEET, on_meet, &b);
    clump_worker_begin(w);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t to = (uint32_t)(clump_splitmix_next(&state) % w->count);
        clump_worker_compute(w, (double)(clump_splitmix_next(&state) % 100));
        write_text(text, w->rank, round);
        for (uint32_t i = 0; i < w->count; i++) { /* in pieces, one of them empty */
            const size_t first = size_of(round) / 3;
            clump_panda_send(b.panda, i, TALK,
                             (const clump_panda_piece[]){
                                 {text, first}, {NULL, 0}, {text + first, size_of(round) - first}},
                             3);
            sent[i]++;
        }
        clump_panda_broadcast(b.panda, SPREAD, (const clump_panda_piece[]){{text, size_of(round)}},
                              1);
        const size_t got = clump_panda_call(b.panda, to, SERVE,
                                            (const clump_panda_piece[]){{text, size_of(round)}}, 1,
                                            answer, sizeof answer);
        require(w, got == size_of(round) + 4, "an answer of another size");
        for (size_t i = 0; i + 4 < got; i++)
            back[i] = text[got - 5 - i];
        require(w, memcmp(answer, back, got - 4) == 0, "another answer");
        require(w, memcmp(answer + got - 4, &to, 4) == 0, "somebody else's answer");
        calls++;
        if (round % 5 == 0)
            clump_panda_poll(b.panda);
    }
    /* Everything that everybody sent comes, once: more would be out of its turn. */
    bool all = false;
    while (!all) {
        all = true;
        for (uint32_t i = 0; i < w->count; i++)
            all = all && b.talked[i] >= ROUNDS && (i == w->rank || b.spread[i] >= ROUNDS);
        if (!all)
            clump_panda_wait(b.panda);
    }
    meet(&b, 1);
    result->items = b.served;
    clump_worker_end(w);
    result->digest = calls;
}

static void exercise_order(clump_worker *w, const clump_application_input *input,
                           clump_application_result *result)
{
    book b = {.worker = w};
    unsigned char text[LONGEST];
    uint64_t state = clump_application_seed(input->seed, 6, w->rank);
    b.panda = clump_panda_open(w, input->application->threads);
    clump_panda_define(b.panda, ORDER, on_order, &b);
    clump_worker_begin(w);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        clump_worker_compute(w, (double)(clump_splitmix_next(&state) % 200));
        write_text(text, w->rank, round);
        const uint32_t place = clump_panda_ordered(
            b.panda, ORDER, (const clump_panda_piece[]){{text, size_of(round)}}, 1);
        if (round % 2 == 0)
            while (clump_panda_seen(b.panda) <= place)
                clump_panda_wait(b.panda);
    }
    while (b.ordered < ROUNDS * w->count)
        clump_panda_wait(b.panda);
    clump_worker_end(w);
    for (uint32_t i = 0; i < w->count; i++)
        require(w, b.in_order[i] == ROUNDS, "one has more than another");
    result->digest = b.log;
    result->items = b.ordered;
}

TEST(test_panda)
{
    for (size_t i = 0; i < WAYS; i++) {
        const clump_application_run run = run_work(&ways[i], exercise_panda, i % 2 > 0);
        assert_int_equal(run.result.items, ROUNDS * ways[i].workers); /* each call served once */
        assert_int_equal(run.result.digest, ROUNDS * ways[i].workers);
        if (ways[i].loss > 0)
            assert_true(run.counters.resent > 0);
        else
            assert_int_equal(run.counters.resent, 0);
    }
}

/* The order is the same at all workers. */
TEST(test_order)
{
    for (size_t i = 0; i < WAYS; i++) {
        run_work(&ways[i], exercise_order, i % 3 == 0);
        for (uint32_t r = 0; r < ways[i].workers; r++) {
            assert_int_equal(workers[r].result.items, ROUNDS * ways[i].workers);
            assert_int_equal(workers[r].result.digest, workers[0].result.digest);
        }
    }
}

/* ---- MPI */

static void add_numbers(void *into, const void *with, size_t bytes)
{
    uint64_t *a = into;
    for (size_t i = 0; i < bytes / sizeof *a; i++) {
        uint64_t b;
        memcpy(&b, (const char *)with + i * sizeof b, sizeof b);
        a[i] += b;
    }
}

static void keep_latest(void *into, const void *with, size_t bytes)
{
    if (*(const uint64_t *)into < *(const uint64_t *)with)
        memcpy(into, with, bytes);
}

static void exercise_mpi(clump_worker *w, const clump_application_input *input,
                         clump_application_result *result)
{
    const uint32_t count = w->count, me = w->rank, next = (me + 1) % count,
                   before = (me + count - 1) % count;
    clump_mpi *m = clump_mpi_open(w, (clump_mpi_broadcasts)(input->seed % 3));
    uint32_t word[3], got;
    clump_worker_begin(w);
    /* By tag, in another order than they were sent; of the same tag, in theirs. */
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t tag = 1; tag <= 3; tag++) {
            word[0] = me * 100 + tag * 10 + i;
            clump_mpi_send(m, next, tag, word, 4);
        }
    for (uint32_t tag = 3; tag >= 1; tag--)
        for (uint32_t i = 0; i < 3; i++) {
            const clump_mpi_status s = clump_mpi_receive(m, before, tag, &got, 4);
            require(w, s.from == before && s.tag == tag && s.size == 4, "another status");
            require(w, got == before * 100 + tag * 10 + i, "another message");
        }
    /* From anybody. */
    if (me == 0) {
        uint64_t sum = 0;
        for (uint32_t i = 1; i < count; i++) {
            const clump_mpi_status s = clump_mpi_receive(m, CLUMP_MPI_ANY, CLUMP_MPI_ANY, &got, 4);
            require(w, s.tag == 7 + s.from && got == s.from * s.from, "not what its sender sent");
            sum += s.from;
        }
        require(w, sum == (uint64_t)count * (count - 1) / 2, "one is missing");
        require(w, !clump_mpi_probe(m, CLUMP_MPI_ANY, CLUMP_MPI_ANY), "one is left");
    } else {
        word[0] = me * me;
        clump_mpi_send(m, 0, 7 + me, word, 4);
    }
    /* Broadcasts from each, several at once; long ones. */
    static const size_t sizes[] = {0, 1, 2048, 7000};
    unsigned char *text = clump_worker_allocate(w, 7000, 1), expected[7000];
    for (uint32_t root = 0; root < count; root++)
        for (size_t k = 0; k < 4; k++) {
            for (size_t i = 0; i < sizes[k]; i++)
                expected[i] = (unsigned char)(root + 3 * k + i);
            if (root == me)
                memcpy(text, expected, sizes[k]);
            clump_mpi_broadcast(m, root, text, sizes[k]);
            require(w, memcmp(text, expected, sizes[k]) == 0, "another broadcast");
        }
    /* Reductions: sums that everybody can work out. */
    for (uint32_t root = 0; root < count; root++) {
        uint64_t numbers[3] = {me, 1, (uint64_t)me << 40};
        const uint64_t sum = (uint64_t)count * (count - 1) / 2;
        clump_mpi_reduce(m, root, numbers, sizeof numbers, add_numbers);
        if (me == root)
            require(w, numbers[0] == sum && numbers[1] == count && numbers[2] == sum << 40,
                    "another sum");
        numbers[0] = me * 3;
        clump_mpi_allreduce(m, numbers, 8, add_numbers);
        require(w, numbers[0] == 3 * sum, "another sum for all");
    }
    /* Nobody leaves a barrier before all have come. */
    clump_worker_compute(w, (double)(me % 5) * 100);
    const double came = w->ways->now_us(w);
    clump_mpi_barrier(m);
    const double left = w->ways->now_us(w);
    uint64_t ns = (uint64_t)(came * 1e3);
    clump_mpi_allreduce(m, &ns, sizeof ns, keep_latest);
    require(w, (double)ns / 1e3 <= left + 1e-3, "a barrier was left too early");
    clump_mpi_barrier(m);
    clump_worker_end(w);
    result->items = 1;
}

TEST(test_mpi)
{
    const clump_application a = application_of(exercise_mpi);
    for (size_t i = 0; i < WAYS; i++) {
        /* The seed is also how broadcasts go. */
        const clump_application_input input = {
            .application = &a, .workers = ways[i].workers, .per_node = ways[i].per_node, .seed = i};
        assert_int_equal(run_input(&ways[i], &input).result.items, ways[i].workers);
    }
}

/* ---- Orca */

/* A log, and how often each worker wrote. */
typedef struct ledger {
    uint64_t log, count, of[MOST];
} ledger;

/* Answers with how many there were before, and the log so far. */
static size_t write_down(void *state, uint32_t by, const void *arguments, size_t size, void *answer)
{
    ledger *l = state;
    uint32_t value = 0;
    if (size >= sizeof value)
        memcpy(&value, arguments, sizeof value);
    l->log = clump_application_mix(clump_application_mix(l->log, by), value);
    memcpy(answer, &l->count, sizeof l->count);
    l->count++;
    l->of[by]++;
    return sizeof l->count;
}

static size_t read_log(void *state, uint32_t by, const void *arguments, size_t size, void *answer)
{
    const ledger *l = state;
    (void)by, (void)arguments, (void)size;
    memcpy(answer, &l->log, sizeof l->log);
    return sizeof l->log;
}

static bool has_count(const void *state, void *context)
{
    return ((const ledger *)state)->count >= *(const uint64_t *)context;
}

static void exercise_orca(clump_worker *w, const clump_application_input *input,
                          clump_application_result *result)
{
    static clump_orca_operation *const operations[] = {write_down, read_log, NULL};
    enum { TIMES = 10 };
    clump_orca *o = clump_orca_open(w);
    ledger mine = {.count = 0}, single = {.count = 0};
    uint64_t state = clump_application_seed(input->seed, 9, w->rank), sum = 0,
             all = (uint64_t)TIMES * w->count, log = 0;
    const uint32_t home = w->count / 2;
    const unsigned replicated = clump_orca_object(o, CLUMP_ORCA_REPLICATED, &mine, operations),
                   alone = clump_orca_object(o, home, w->rank == home ? &single : NULL, operations);
    clump_worker_begin(w);
    for (uint32_t i = 0; i < TIMES; i++) {
        uint64_t before = 0, place = 0;
        clump_worker_compute(w, (double)(clump_splitmix_next(&state) % 300));
        const uint64_t seen = mine.count;
        require(w, clump_orca_invoke(o, replicated, 0, &i, sizeof i, &before, 8) == 8, "no answer");
        require(w, before >= seen && before < mine.count, "an operation that has not run here");
        require(w, clump_orca_invoke(o, alone, 0, &i, sizeof i, &place, 8) == 8, "no answer");
        sum += place;
    }
    clump_orca_await(o, replicated, has_count, &all);
    /* Once all have said that they are done with the single copy, nobody writes to it. */
    all += w->count;
    clump_orca_invoke(o, replicated, 0, NULL, 0, NULL, 0);
    clump_orca_await(o, replicated, has_count, &all);
    clump_orca_invoke(o, alone, 1, NULL, 0, &log, sizeof log);
    all += w->count;
    clump_orca_invoke(o, replicated, 0, NULL, 0, NULL, 0);
    clump_orca_await(o, replicated, has_count, &all);
    for (uint32_t i = 0; i < w->count; i++)
        require(w, mine.of[i] == TIMES + 2, "an operation ran twice, or not at all");
    clump_worker_end(w);
    result->digest = clump_application_mix(mine.log, log);
    result->items = sum;
}

TEST(test_orca)
{
    for (size_t i = 0; i < WAYS; i++) {
        const clump_application_run run = run_work(&ways[i], exercise_orca, true);
        const uint64_t all = 10 * (uint64_t)ways[i].workers;
        assert_int_equal(run.result.items, all * (all - 1) / 2); /* each place given once */
        for (uint32_t r = 1; r < ways[i].workers; r++)
            assert_int_equal(workers[r].result.digest, workers[0].result.digest);
    }
}

/* ---- what goes wrong */

static void send_nowhere(clump_worker *w, const clump_application_input *input,
                         clump_application_result *result)
{
    clump_panda *p = clump_panda_open(w, false);
    (void)input, (void)result;
    if (w->rank == 0)
        clump_panda_send(p, 1, 5, NULL, 0);
    clump_panda_wait(p);
}

static void wait_alone(clump_worker *w, const clump_application_input *input,
                       clump_application_result *result)
{
    clump_mpi *m = clump_mpi_open(w, CLUMP_MPI_OF_PANDA);
    (void)input, (void)result;
    clump_worker_compute(w, 1000);
    clump_mpi_receive(m, CLUMP_MPI_ANY, 1, NULL, 0);
}

static void on_wait(clump_panda *p, const clump_panda_message *m, void *context)
{
    (void)m, (void)context;
    clump_panda_call(p, 1, 0, NULL, 0, NULL, 0);
}

static void wait_in_port(clump_worker *w, const clump_application_input *input,
                         clump_application_result *result)
{
    clump_panda *p = clump_panda_open(w, false);
    (void)input, (void)result;
    clump_panda_define(p, 0, on_wait, NULL);
    if (w->rank == 0)
        clump_panda_send(p, 1, 0, NULL, 0);
    clump_panda_wait(p);
}

static void receive_short(clump_worker *w, const clump_application_input *input,
                          clump_application_result *result)
{
    clump_mpi *m = clump_mpi_open(w, CLUMP_MPI_OF_PANDA);
    char text[20] = "";
    (void)input, (void)result;
    if (w->rank == 0)
        clump_mpi_send(m, 1, 1, text, 20);
    else
        clump_mpi_receive(m, 0, 1, text, 19);
    clump_mpi_barrier(m);
}

TEST(test_mistakes)
{
    static const struct {
        work_function *work;
        way how;
        const char *says;
    } cases[] = {{send_nowhere, {"l-sdma", 2, 1, 0}, "not defined"},
                 {send_nowhere, {"live", 2, 2, 0}, "not defined"},
                 {wait_alone, {"l-sdma", 3, 1, 0}, "never ends"},
                 {wait_alone, {"team", 3, 1, 0}, "never ends"},
                 {wait_in_port, {"l-hrx", 2, 1, 0}, "must not wait"},
                 {receive_short, {"l-nirx", 2, 1, 0}, "longer than"},
                 {exercise_panda, {"l-sdma", 4, 1, 0.2}, "relies on links that lose nothing"},
                 {exercise_panda, {"l-sdma", 4, 2, 0}, "expected 2 to 1024 nodes of one"}};
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const clump_application a = application_of(cases[i].work);
        const clump_application_input input = {.application = &a,
                                               .workers = cases[i].how.workers,
                                               .per_node = cases[i].how.per_node,
                                               .seed = 1};
        clump_application_run run = {.input = &input, .workers = workers};
        assert_int_not_equal(try_run(&cases[i].how, &run, message), CLUMP_PROTOCOL_OK);
        if (strstr(message, cases[i].says) == NULL)
            fail_msg("found '%s', expected '%s'", message, cases[i].says);
    }
}

/* ---- data that have left the cache */

enum { FAR_BYTES = 1900 };
static size_t distance_of_test;

/* One message there, and an empty one back. */
static void send_far(clump_worker *w, const clump_application_input *input,
                     clump_application_result *result)
{
    static unsigned char data[FAR_BYTES];
    clump_mpi *mpi = clump_mpi_open(w, CLUMP_MPI_OF_PANDA);
    unsigned char into[FAR_BYTES];
    (void)input;
    clump_mpi_barrier(mpi);
    clump_worker_begin(w);
    clump_worker_set_reuse_distance(w, distance_of_test);
    if (w->rank == 0) {
        clump_mpi_send(mpi, 1, 0, data, sizeof data);
        clump_mpi_receive(mpi, 1, 0, into, sizeof into);
    } else {
        clump_mpi_receive(mpi, 0, 0, into, sizeof into);
        clump_worker_set_reuse_distance(w, 0);
        clump_mpi_send(mpi, 0, 0, data, 0);
    }
    clump_worker_end(w);
    result->items = 1;
}

static clump_application_run run_far(const char *protocol, size_t distance)
{
    const way how = {protocol, 2, 1, 0};
    distance_of_test = distance;
    return run_work(&how, send_far, false);
}

/* Copies cost their hosts more, by the difference of what a byte costs: with l-sdma into the packet that is
 * sent and out of the one that has come, with l-pio only the latter. Panda adds 16 bytes to a packet, MPI 4 to
 * the message. Up to 256 KB everything stays in the cache. */
TEST(test_far_data)
{
    const double more_us = hardware.host_copy_us - hardware.host_fill_us;
    for (unsigned i = 0; i < 2; i++) {
        const char *protocol = i == 0 ? "l-sdma" : "l-pio";
        double send_us[3], receive_us[3];
        for (unsigned k = 0; k < 3; k++) {
            static const size_t distances[] = {0, 256 * 1024, 256 * 1024 + 1};
            const clump_application_run run = run_far(protocol, distances[k]);
            send_us[k] = run.workers[0].parts.send_us;
            receive_us[k] = run.workers[1].parts.receive_us;
        }
        assert_true(fabs(send_us[1] - send_us[0]) < 1e-6);
        assert_true(fabs(receive_us[1] - receive_us[0]) < 1e-6);
        /* Times are whole picoseconds. */
        assert_true(fabs(send_us[2] - send_us[0] - (i == 0 ? FAR_BYTES + 20 : 0) * more_us) < 1e-4);
        assert_true(fabs(receive_us[2] - receive_us[0] - (FAR_BYTES + 4) * more_us) < 1e-4);
    }
}

/* ---- the documents' programs over packets */

static clump_application_input small_input(const clump_application *a, uint32_t count,
                                           uint32_t per_node)
{
    clump_application_input input = clump_application_input_of(a, count, per_node);
    input.seed = 7;
    if (strcmp(a->name, "levels") != 0)
        input.sizes[0] = strcmp(a->name, "retro") == 0 ? 700
                         : strcmp(a->name, "asp") == 0 ? 40
                                                       : 37;
    if (strcmp(a->name, "sor") == 0 || strcmp(a->name, "leq") == 0)
        input.sizes[1] = 4;
    return input;
}

TEST(test_results)
{
    /* As many as the article's, or half of them. */
    const way hows[] = {{"l-sdma", getenv("CLUMP_TEST_LONG") != NULL ? 64 : 32, 1, 0},
                        {"l-hrx", 5, 1, 0.05},
                        {"l-nirx-hmc", 9, 1, 0.05}};
    for (size_t k = 0; clump_application_at(k) != NULL; k++)
        for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
            const clump_application *a = clump_application_at(k);
            const clump_application_input input = small_input(a, hows[i].workers, hows[i].per_node);
            clump_application_result expected;
            if (a->system == NULL)
                continue;
            const clump_application_run run = run_input(&hows[i], &input);
            assert_true(a->expect(&input, &expected));
            assert_int_equal(run.result.items, expected.items);
            assert_int_equal(run.result.digest, expected.digest);
        }
}

/* Other choices change the way, not the result. */
TEST(test_choices)
{
    static const struct {
        const char *program;
        int size;
        double value;
    } cases[] = {{"asp", 1, 1}, {"asp", 1, 2}, {"asp", 2, 1}, {"sor", 2, 1}, {"qr", 1, 1}};
    static const way how = {"l-sdma-hmc", 6, 1, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clump_application_input input =
            small_input(clump_application_find(cases[i].program), how.workers, 1);
        clump_application_result expected;
        const double before = run_input(&how, &input).time_us;
        input.sizes[cases[i].size] = cases[i].value;
        const clump_application_run run = run_input(&how, &input);
        assert_true(input.application->expect(&input, &expected));
        assert_int_equal(run.result.digest, expected.digest);
        assert_true(run.time_us < before || run.time_us > before);
    }
}

/* ---- what messages cost at each level */

static double level_us(const way *how, int level, int what, double bytes)
{
    clump_application_input input =
        clump_application_input_of(clump_application_find("levels"), how->workers, how->per_node);
    char message[CLUMP_APPLICATION_MESSAGE];
    clump_application_result expected;
    input.sizes[0] = level;
    input.sizes[1] = what;
    input.sizes[2] = bytes;
    input.sizes[3] = 4;
    if (!input.application->check(&input, message))
        return -1;
    const clump_application_run run = run_input(how, &input);
    assert_true(input.application->expect(&input, &expected));
    assert_int_equal(run.result.items, expected.items);
    assert_int_equal(run.result.digest, expected.digest);
    return run.time_us / 4;
}

TEST(test_levels)
{
    enum { LCI, PANDA, MPI, THREADS, ORCA };
    static const way live = {"live", 2, 2, 0}, far = {"l-sdma", 8, 1, 0},
                     lossy = {"l-hrx", 4, 1, 0.1};
    for (int level = LCI; level <= ORCA; level++)
        for (int what = 0; what < 6; what++) {
            const bool there =
                what < 2 || (level != ORCA && level != MPI) || (level == ORCA) == (what > 3);
            assert_true((level_us(&far, level, what, 3000) > 0) == there);
            assert_true((level_us(&lossy, level, what, 10) > 0) == there);
            if (what < 2)
                assert_true(level_us(&live, level, what, 3000) > 0);
        }
    /* What stands upon another system costs more; a number in total order costs a round trip. */
    for (int what = 0; what < 4; what += 2) {
        assert_true(level_us(&far, LCI, what, 16) < level_us(&far, PANDA, what, 0));
        assert_true(level_us(&far, PANDA, what, 0) < level_us(&far, MPI, what, 0));
    }
    assert_true(level_us(&far, PANDA, 0, 0) < level_us(&far, THREADS, 0, 0));
    assert_true(level_us(&far, THREADS, 0, 0) < level_us(&far, ORCA, 0, 0));
    assert_true(level_us(&far, THREADS, 4, 0) < level_us(&far, ORCA, 4, 0));
    assert_true(level_us(&far, LCI, 2, 16) + 5 < level_us(&far, LCI, 4, 16));
    /* The layers' share grows with what the host's words cost, and that is all that they add. */
    assert_true(level_us(&far, MPI, 0, 0) - level_us(&far, LCI, 0, 16) <
                200 * hardware.host_word_us);
}

/* Twice the same, to the last bit, losses included. */
TEST(test_same_again)
{
    static clump_application_worker first[MOST];
    static const way how = {"l-hrx", 16, 1, 0.05};
    const clump_application_input input = small_input(clump_application_find("qr"), 16, 1);
    const clump_application_run a = run_input(&how, &input);
    memcpy(first, workers, sizeof first);
    const clump_application_run b = run_input(&how, &input);
    assert_memory_equal(first, workers, 16 * sizeof *first);
    assert_true(a.time_us > 0 && a.time_us == b.time_us);
    assert_int_equal(a.counters.resent, b.counters.resent);
    for (uint32_t r = 0; r < 16; r++) {
        const clump_time_parts *p = &workers[r].parts;
        const double sum = p->compute_us + p->send_us + p->receive_us + p->wait_us;
        assert_true(sum > workers[r].time_us * (1 - 1e-9) && sum < workers[r].time_us * (1 + 1e-9));
        assert_true(p->compute_us > 0 && p->send_us > 0 && p->receive_us > 0 && p->wait_us > -1);
    }
}

UNIT_MAIN(NULL, NULL)
