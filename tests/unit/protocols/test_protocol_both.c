/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One suite over every way that a message can take: shared memory, the network with each transport,
 * and both at once. What a program sees must be the same. */
#define _GNU_SOURCE /* setns */
#include "protocols/endpoint/endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <fcntl.h>
#include <sched.h>

#include "tests/unit/children.h"

#define TAG UINT64_C(0xC0FFEE)
/* Of a peer that is gone; of one that is there, nobody knows how long it has to wait for a processor. */
enum { SILENCE_MS = 5000 };

static const struct way {
    const char *name, *transport, *polling;
    bool listens, by_name, by_address, events;
} ways[] = {
    {"shared memory", NULL, NULL, false, true, false, false},
    {"shared memory, found by address", NULL, NULL, true, true, true, false},
    {"am2", "am2", NULL, true, false, true, false},
    {"am2, always polled", "am2", "always", true, false, true, false},
    {"l-hrx", "l-hrx", "fractional:8", true, false, true, false},
    {"ssam", "ssam", NULL, true, false, true, false},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

/** Where to listen. tests/namespaces/run.sh puts the two processes into network namespaces. Elsewhere each process has
 *  an address of its own: a port that a server comes back to has not been given to another test meanwhile. */
static const char *place(const char *variable)
{
    static char own[40];
    const char *set = getenv(variable);
    const unsigned process = (unsigned)getpid();
    snprintf(own, sizeof own, "127.%u.%u.%u:0", 1 + process % 250, 1 + process / 250 % 250,
             1 + process / 62500 % 250);
    return set != NULL ? set : own;
}

static clump_endpoint_options options_of(const struct way *way, const char *variable)
{
    return (clump_endpoint_options){.listen = way->listens ? place(variable) : NULL,
                                    .transport = way->transport,
                                    .polling = way->polling,
                                    .events = way->events,
                                    .silence_ms = SILENCE_MS};
}

/* ---- the server: a process of its own */

static bool done;

static void on_sum(clump_token *token, const clump_message *m, void *context)
{
    (void)context;
    uint32_t sum[2] = {0, m->count};
    for (unsigned i = 0; i < m->count; i++)
        sum[0] += m->arguments[i];
    unsigned char reversed[CLUMP_MESSAGE_BULK_BYTES];
    for (size_t i = 0; i < m->size; i++)
        reversed[i] = ((const unsigned char *)m->data)[m->size - 1 - i];
    if (m->size > 0)
        clump_endpoint_reply_bulk(token, 2, sum, 2, reversed, m->size);
    else
        clump_endpoint_reply(token, 1, sum, 2);
}

static void on_silence(clump_token *token, const clump_message *m, void *context)
{
    (void)token, (void)m, (void)context;
}

static clump_endpoint *served;

static void on_forbid(clump_token *token, const clump_message *m, void *context)
{
    (void)token, (void)m, (void)context;
    clump_endpoint_set_tag(served, TAG + 1);
}

static bool sleeps(pid_t process)
{
    char path[40], state = '?';
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)process);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true; /* not to be told here */
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = '?';
    fclose(file);
    return state == 'S';
}

/* Answers when the one who asks has gone to sleep. */
static void on_slow(clump_token *token, const clump_message *m, void *context)
{
    (void)m, (void)context;
    const uint32_t sum[2] = {0, 0};
    pause_us(8000);
    while (!sleeps(getppid()))
        pause_us(1000);
    clump_endpoint_reply(token, 1, sum, 2);
}

static void on_end(clump_token *token, const clump_message *m, void *context)
{
    (void)token, (void)m, (void)context;
    done = true;
}

struct server {
    pid_t process;
    char name[40], address[128];
};

/** @param before  the server whose name and address it takes over, or NULL */
static struct server start_server_again(const struct way *way, const struct server *before)
{
    static int number;
    struct server s = {0};
    int ends[2];
    if (before != NULL)
        memcpy(s.name, before->name, sizeof s.name);
    else
        snprintf(s.name, sizeof s.name, "both-%ld.%d", (long)getpid(), number++);
    assert_int_equal(pipe(ends), 0);
    s.process = fork_child();
    if (s.process == 0) {
        clump_endpoint_options options = options_of(way, "CLUMP_TEST_SERVER");
        if (before != NULL && way->listens)
            options.listen = strchr(before->address, '@') + 1;
        const char *space = getenv("CLUMP_TEST_NAMESPACE");
        if (space != NULL && setns(open(space, O_RDONLY), CLONE_NEWNET) != 0)
            _exit(6);
        clump_endpoint *e;
        if (clump_endpoint_open(s.name, &options, &e) != CLUMP_PROTOCOL_OK) {
            fprintf(stderr, "%s: %s\n", way->name, clump_endpoint_message(e));
            _exit(3);
        }
        clump_endpoint_set_handler(e, 3, on_sum, NULL);
        clump_endpoint_set_handler(e, 5, on_silence, NULL);
        clump_endpoint_set_handler(e, 6, on_forbid, NULL);
        clump_endpoint_set_handler(e, 7, on_slow, NULL);
        clump_endpoint_set_handler(e, 9, on_end, NULL);
        clump_endpoint_set_tag(e, TAG);
        served = e;
        char address[128] = "";
        snprintf(address, sizeof address, "%s%s%s", way->by_name ? s.name : "",
                 way->by_address ? "@" : "", way->by_address ? clump_endpoint_address(e) : "");
        if (write(ends[1], address, sizeof address) != sizeof address)
            _exit(4);
        while (!done)
            clump_endpoint_wait(e, 100000);
        clump_endpoint_close(e);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], s.address, sizeof s.address), sizeof s.address);
    close(ends[0]);
    return s;
}

static struct server start_server(const struct way *way)
{
    return start_server_again(way, NULL);
}

static void expect_success(const struct server *s, int status)
{
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("server at %s ended with status %x", s->address, (unsigned)status);
}

/** Tell the server behind a destination to end, and see it do so: what is lost is sent again. */
static void end_server(clump_endpoint *e, unsigned destination, const struct server *s)
{
    int status = 0;
    clump_protocol_status sent;
    AWAIT((sent = clump_endpoint_request(e, destination, 9, NULL, 0)) != CLUMP_PROTOCOL_TIMED_OUT,
          (void)0);
    assert_int_equal(sent, CLUMP_PROTOCOL_OK);
    AWAIT(waitpid(s->process, &status, WNOHANG) == s->process, clump_endpoint_wait(e, 2000));
    expect_success(s, status);
}

/* ---- the client */

struct seen {
    unsigned answers, returned;
    uint32_t sum, arguments;
    size_t size;
    unsigned char data[CLUMP_MESSAGE_BULK_BYTES];
    unsigned handler;
    uint32_t argument;
    clump_protocol_status why;
};

static void on_answer(clump_token *token, const clump_message *m, void *context)
{
    struct seen *seen = context;
    assert_null(token);
    seen->answers++;
    seen->sum = m->arguments[0];
    seen->arguments = m->arguments[1];
    seen->size = m->size;
    if (m->size > 0)
        memcpy(seen->data, m->data, m->size);
}

static void on_returned(clump_token *token, const clump_message *m, void *context)
{
    struct seen *seen = context;
    assert_null(token);
    seen->returned++;
    seen->handler = m->handler;
    seen->argument = m->count > 0 ? m->arguments[0] : 0;
    seen->why = m->returned;
}

static clump_endpoint *open_client(const struct way *way, struct seen *seen)
{
    static unsigned number;
    char name[40];
    snprintf(name, sizeof name, "both-%ld.client%u", (long)getpid(), number++);
    clump_endpoint_options options = options_of(way, "CLUMP_TEST_CLIENT");
    clump_endpoint *e;
    if (clump_endpoint_open(name, &options, &e) != CLUMP_PROTOCOL_OK)
        fail_msg("%s: %s", way->name, clump_endpoint_message(e));
    *seen = (struct seen){0};
    clump_endpoint_set_handler(e, 0, on_returned, seen);
    clump_endpoint_set_handler(e, 1, on_answer, seen);
    clump_endpoint_set_handler(e, 2, on_answer, seen);
    clump_endpoint_set_tag(e, TAG);
    return e;
}

/* What mapping a server that is there ends with: however long it takes it to answer. */
static clump_protocol_status map_as(clump_endpoint *e, unsigned destination, const char *address,
                                    uint64_t tag)
{
    clump_protocol_status status;
    AWAIT((status = clump_endpoint_map(e, destination, address, tag)) != CLUMP_PROTOCOL_NOT_FOUND,
          (void)0);
    return status;
}

static void map(clump_endpoint *e, unsigned destination, const struct server *s)
{
    if (map_as(e, destination, s->address, TAG) != CLUMP_PROTOCOL_OK)
        fail_msg("%s: %s", s->address, clump_endpoint_message(e));
}

static void ask(clump_endpoint *e, unsigned destination, unsigned round, struct seen *seen)
{
    uint32_t arguments[8];
    unsigned char data[CLUMP_MESSAGE_BULK_BYTES];
    const unsigned count = round % 9, before = seen->answers;
    const size_t size = round % 3 == 0   ? 0
                        : round % 7 == 0 ? CLUMP_MESSAGE_BULK_BYTES
                                         : 1 + (round * 37u) % CLUMP_MESSAGE_BULK_BYTES;
    uint32_t sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += arguments[i] = round * 1000003u + i;
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)(i * 7 + round);
    const clump_protocol_status status =
        size == 0 ? clump_endpoint_request(e, destination, 3, arguments, count)
                  : clump_endpoint_request_bulk(e, destination, 3, arguments, count, data, size);
    if (status != CLUMP_PROTOCOL_OK)
        fail_msg("%s", clump_endpoint_message(e));
    AWAIT(seen->answers > before, clump_endpoint_wait(e, 100000));
    assert_int_equal(seen->answers, before + 1);
    assert_int_equal(seen->sum, sum);
    assert_int_equal(seen->arguments, count);
    assert_int_equal(seen->size, size);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(seen->data[i], data[size - 1 - i]);
}

static void wait_for_return(clump_endpoint *e, const struct seen *seen, unsigned count)
{
    AWAIT(seen->returned >= count, clump_endpoint_wait(e, 100000));
    assert_int_equal(seen->returned, count);
}

/* Requests are refused in the end: whom they are for is dead. */
static void await_death(clump_endpoint *e, unsigned handler, const uint32_t *argument)
{
    clump_protocol_status status;
    AWAIT((status = clump_endpoint_request(e, 0, handler, argument, argument != NULL)) !=
              CLUMP_PROTOCOL_OK,
          clump_endpoint_wait(e, 20000));
    assert_int_equal(status, CLUMP_PROTOCOL_PEER_DEAD);
}

TEST(test_requests_and_replies)
{
    for (unsigned w = 0; w < WAYS; w++) {
        const struct server server = start_server(&ways[w]);
        struct seen seen;
        clump_endpoint *e = open_client(&ways[w], &seen);
        map(e, 0, &server);
        assert_int_equal(clump_endpoint_is_local(e, 0), ways[w].by_name);
        for (unsigned round = 0; round < 120; round++)
            ask(e, 0, round, &seen);
        /* A handler that gives no answer does not hold its sender up. */
        for (unsigned i = 0; i < 100; i++)
            assert_int_equal(clump_endpoint_request(e, 0, 5, NULL, 0), CLUMP_PROTOCOL_OK);
        /* Nobody there to handle it: it comes back. */
        const uint32_t argument = 44;
        assert_int_equal(clump_endpoint_request(e, 0, 200, &argument, 1), CLUMP_PROTOCOL_OK);
        wait_for_return(e, &seen, 1);
        assert_int_equal(seen.handler, 200);
        assert_int_equal(seen.argument, 44);
        assert_int_equal(seen.why, CLUMP_PROTOCOL_NO_HANDLER);
        assert_int_equal(clump_endpoint_request(e, 0, 9, NULL, 0), CLUMP_PROTOCOL_OK);
        await_death(e, 5, NULL);
        expect_success(&server, end_of(server.process));
        clump_endpoint_close(e);
    }
}

TEST(test_wrong_tag)
{
    for (unsigned w = 0; w < WAYS; w++) {
        const struct server server = start_server(&ways[w]);
        struct seen seen;
        clump_endpoint *e = open_client(&ways[w], &seen);
        assert_int_equal(map_as(e, 0, server.address, TAG + 1), CLUMP_PROTOCOL_BAD_TAG);
        assert_int_equal(clump_endpoint_request(e, 0, 3, NULL, 0), CLUMP_PROTOCOL_BAD_INPUT);
        map(e, 0, &server);
        ask(e, 0, 1, &seen);
        end_server(e, 0, &server);
        clump_endpoint_close(e);
    }
}

/* Killed: requests come back, or are refused, as PEER_DEAD. */
TEST(test_killed_server)
{
    struct server servers[WAYS];
    struct seen seen[WAYS];
    clump_endpoint *clients[WAYS];
    const uint32_t argument = 7;
    for (unsigned w = 0; w < WAYS; w++) { /* all fall silent together */
        servers[w] = start_server(&ways[w]);
        clients[w] = open_client(&ways[w], &seen[w]);
        map(clients[w], 0, &servers[w]);
        ask(clients[w], 0, 1, &seen[w]);
    }
    for (unsigned w = 0; w < WAYS; w++)
        kill_child(servers[w].process);
    for (unsigned w = 0; w < WAYS; w++)
        if (!ways[w].by_name)
            assert_int_equal(clump_endpoint_request(clients[w], 0, 3, &argument, 1),
                             CLUMP_PROTOCOL_OK);
    /* One learns of it while it has no credit to send on with; the others wait for it together. */
    unsigned first = 0;
    while (ways[first].by_name)
        first++;
    await_death(clients[first], 3, &argument);
    for (unsigned w = 0; w < WAYS; w++)
        if (!ways[w].by_name)
            AWAIT(seen[w].returned > 0, {
                for (unsigned other = 0; other < WAYS; other++)
                    clump_endpoint_wait(clients[other], 5000);
            });
    for (unsigned w = 0; w < WAYS; w++) {
        await_death(clients[w], 3, &argument);
        if (!ways[w].by_name) {
            assert_int_equal(seen[w].handler, 3);
            assert_int_equal(seen[w].argument, 7);
            assert_int_equal(seen[w].why, CLUMP_PROTOCOL_PEER_DEAD);
        }
        clump_endpoint_close(clients[w]);
    }
}

/* Killed, and started again under the same name and address: for those who knew the old one it is
 * dead, and whoever maps it again finds the new one. */
TEST(test_comes_back)
{
    for (unsigned w = 0; w < WAYS; w++) {
        struct server server = start_server(&ways[w]);
        struct seen seen;
        clump_endpoint *e = open_client(&ways[w], &seen);
        map(e, 0, &server);
        ask(e, 0, 5, &seen);
        kill_child(server.process);
        server = start_server_again(&ways[w], &server);
        await_death(e, 3, NULL);
        assert_int_equal(seen.answers, 1); /* the new one handled nothing that the old one got */
        map(e, 1, &server);
        for (unsigned round = 0; round < 10; round++)
            ask(e, 1, round, &seen);
        map(e, 0, &server);
        ask(e, 0, 3, &seen);
        end_server(e, 0, &server);
        clump_endpoint_close(e);
    }
}

/* More peers than a server has sockets for: all are served alike, in turn and at once, also when
 * some go without a word and others come. */
TEST(test_many_peers)
{
    enum { PEERS = 24 };
    for (unsigned w = 2; w < WAYS; w++) {
        static struct seen seen[PEERS];
        clump_endpoint *clients[PEERS];
        const struct server server = start_server(&ways[w]);
        for (unsigned i = 0; i < PEERS; i++) {
            clients[i] = open_client(&ways[w], &seen[i]);
            map(clients[i], 0, &server);
        }
        for (unsigned round = 0; round < 12; round++) {
            for (unsigned i = 0; i < PEERS; i++)
                ask(clients[i], 0, round + i, &seen[i]);
            for (unsigned i = 0; i < PEERS; i++) /* one and all at the same time */
                for (unsigned k = 0; k < 4; k++)
                    assert_int_equal(
                        clump_endpoint_request(clients[i], 0, 3, (uint32_t[]){i, k}, 2),
                        CLUMP_PROTOCOL_OK);
            for (unsigned i = 0; i < PEERS; i++) {
                const unsigned all = 5 * (round % 4 + 1);
                AWAIT(seen[i].answers >= all, clump_endpoint_wait(clients[i], 100000));
                assert_int_equal(seen[i].answers, all);
            }
            if (round % 4 == 3)
                for (unsigned i = round % 3; i < PEERS; i += 3) {
                    clump_endpoint_close(clients[i]);
                    clients[i] = open_client(&ways[w], &seen[i]);
                    map(clients[i], 0, &server);
                }
            if (round % 4 == 3)
                for (unsigned i = 0; i < PEERS; i++)
                    seen[i].answers = 0;
        }
        end_server(clients[0], 0, &server);
        for (unsigned i = 0; i < PEERS; i++)
            clump_endpoint_close(clients[i]);
    }
}

/* It no longer accepts our tag: what we send comes back to handler 0. */
TEST(test_forbids)
{
    for (unsigned w = 0; w < WAYS; w++) {
        const struct server server = start_server(&ways[w]);
        struct seen seen;
        clump_endpoint *e = open_client(&ways[w], &seen);
        map(e, 0, &server);
        ask(e, 0, 2, &seen);
        assert_int_equal(clump_endpoint_request(e, 0, 6, NULL, 0), CLUMP_PROTOCOL_OK);
        const uint32_t argument = 23;
        AWAIT(seen.returned > 0, {
            clump_endpoint_request(e, 0, 5, &argument, 1);
            clump_endpoint_wait(e, 10000);
        });
        assert_int_equal(seen.handler, 5);
        assert_int_equal(seen.argument, 23);
        assert_int_equal(seen.why, CLUMP_PROTOCOL_BAD_TAG);
        clump_endpoint_close(e);
        e = open_client(&ways[w], &seen);
        assert_int_equal(map_as(e, 0, server.address, TAG), CLUMP_PROTOCOL_BAD_TAG);
        assert_int_equal(map_as(e, 0, server.address, TAG + 1), CLUMP_PROTOCOL_OK);
        end_server(e, 0, &server);
        clump_endpoint_close(e);
    }
}

/* Two destinations of one endpoint, one by each protocol; replies come from both. */
TEST(test_mix)
{
    const struct way local = ways[0], remote = ways[2];
    const struct server servers[2] = {start_server(&local), start_server(&remote)};
    struct seen seen;
    clump_endpoint *e = open_client(&remote, &seen);
    for (unsigned i = 0; i < 2; i++)
        map(e, i, &servers[i]);
    assert_true(clump_endpoint_is_local(e, 0));
    assert_false(clump_endpoint_is_local(e, 1));
    for (unsigned round = 0; round < 200; round++)
        ask(e, (round >> 2) % 2, round, &seen);
    clump_endpoint_traffic traffic;
    clump_endpoint_count_traffic(e, &traffic);
    assert_in_range(traffic.arrived, 100, 1000000);
    assert_int_equal(traffic.dropped, 0);
    for (unsigned i = 0; i < 2; i++)
        end_server(e, i, &servers[i]);
    clump_endpoint_close(e);
}

/* With `events` both ends sleep while nothing comes, and what comes by either protocol wakes them:
 * senders of shared memory ring at the socket. */
TEST(test_sleeping)
{
    const struct way way = {
        .name = "asleep", .listens = true, .by_name = true, .by_address = true, .events = true};
    const double began = seconds();
    const struct server server = start_server(&way);
    struct seen seen;
    clump_endpoint *e = open_client(&way, &seen);
    map(e, 0, &server);
    assert_int_equal(map_as(e, 1, strchr(server.address, '@'), TAG), CLUMP_PROTOCOL_OK);
    assert_true(clump_endpoint_is_local(e, 0) && !clump_endpoint_is_local(e, 1));
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    for (unsigned round = 0; round < 20; round++) {
        const unsigned answers = seen.answers;
        assert_int_equal(clump_endpoint_request(e, round % 2, 7, NULL, 0), CLUMP_PROTOCOL_OK);
        AWAIT(seen.answers > answers, clump_endpoint_wait(e, 1000000));
    }
    assert_int_equal(clump_endpoint_wait(e, 300000), CLUMP_PROTOCOL_TIMED_OUT);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const double used =
        (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
    assert_true(used < 0.2 * (seconds() - began));
    clump_endpoint_traffic traffic;
    clump_endpoint_count_traffic(e, &traffic);
    if (getenv("CLUMP_TEST_NAMESPACE") == NULL) /* from one to the other no ring gets through */
        assert_in_range(traffic.rung, 5, 10);
    assert_int_equal(traffic.dropped, 0);
    end_server(e, 1, &server);
    clump_endpoint_close(e);
}

/* A server that is stopped answers nothing: credits run out, and waiting ends. */
TEST(test_credits_run_out)
{
    const struct server server = start_server(&ways[2]);
    char name[40];
    snprintf(name, sizeof name, "both-%ld.client", (long)getpid());
    const clump_endpoint_options options = {
        .listen = place("CLUMP_TEST_CLIENT"), .send_timeout_ms = 100, .silence_ms = PATIENCE_MS};
    clump_endpoint *e;
    assert_int_equal(clump_endpoint_open(name, &options, &e), CLUMP_PROTOCOL_OK);
    map(e, 0, &server);
    int status_of_server;
    kill(server.process, SIGSTOP);
    assert_int_equal(waitpid(server.process, &status_of_server, WUNTRACED), server.process);
    unsigned sent = 0;
    clump_protocol_status status;
    while ((status = clump_endpoint_request(e, 0, 5, NULL, 0)) == CLUMP_PROTOCOL_OK)
        sent++;
    assert_int_equal(status, CLUMP_PROTOCOL_TIMED_OUT);
    assert_int_equal(sent, 16);
    kill(server.process, SIGCONT);
    end_server(e, 0, &server);
    clump_endpoint_close(e);
}

TEST(test_mistakes)
{
    clump_endpoint *e;
    const clump_endpoint_options wrong[] = {
        {.listen = "nowhere"},
        {.listen = "127.0.0.1:99999"},
        {.listen = "::1:0"},
        {.listen = "127.0.0.1:0", .transport = "tcp"},
        {.listen = "127.0.0.1:0", .polling = "sometimes"},
        {.listen = "127.0.0.1:0", .polling_parameters = &(clump_polling_parameters){0}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(clump_endpoint_open(name_of_own("both-wrong"), &wrong[i], &e),
                         CLUMP_PROTOCOL_BAD_INPUT);
        assert_true(strlen(clump_endpoint_message(e)) > 20);
        clump_endpoint_close(e);
    }
    assert_int_equal(clump_endpoint_open(name_of_own("both-wrong"), NULL, &e), CLUMP_PROTOCOL_OK);
    assert_string_equal(clump_endpoint_address(e), "");
    assert_int_equal(clump_endpoint_map(e, 0, "@127.0.0.1:9", 1), CLUMP_PROTOCOL_BAD_INPUT);
    clump_endpoint_close(e);

    const clump_endpoint_options listening = {.listen = "127.0.0.1:0", .silence_ms = 100};
    assert_int_equal(clump_endpoint_open(name_of_own("both-wrong"), &listening, &e),
                     CLUMP_PROTOCOL_OK);
    const clump_endpoint_options same = {.listen = clump_endpoint_address(e)};
    clump_endpoint *second;
    assert_int_equal(clump_endpoint_open(name_of_own("both-second"), &same, &second),
                     CLUMP_PROTOCOL_IN_USE);
    clump_endpoint_close(second);
    assert_int_equal(clump_endpoint_map(e, 0, "@127.0.0.1", 1), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_map(e, 0, "@127.0.0.1:0", 1), CLUMP_PROTOCOL_BAD_INPUT);
    const double began = seconds();
    assert_int_equal(clump_endpoint_map(e, 0, "@127.0.0.1:9", 1), CLUMP_PROTOCOL_NOT_FOUND);
    assert_true(seconds() - began > 1.9); /* 2 s, whatever silence_ms is */
    clump_endpoint_close(e);
}

/* The wire is cut (by the command in CLUMP_TEST_UNPLUG; see tests/namespaces/run.sh): requests come
 * back after the silence, and no call takes longer than it may. */
static void test_unplugged(void **state)
{
    (void)state;
    for (unsigned w = 0; w < 2; w++) { /* in the middle of traffic, and idle */
        const struct server server = start_server(&ways[2]);
        struct seen seen;
        clump_endpoint *e = open_client(&ways[2], &seen);
        const uint32_t argument = 7;
        clump_protocol_status status = CLUMP_PROTOCOL_OK;
        if (w == 0) {
            map(e, 0, &server);
            ask(e, 0, 1, &seen);
            for (unsigned i = 0; i < 5; i++)
                assert_int_equal(clump_endpoint_request(e, 0, 7, NULL, 0), CLUMP_PROTOCOL_OK);
            assert_int_equal(system(getenv("CLUMP_TEST_UNPLUG")), 0);
            const double cut = seconds();
            for (unsigned i = 0; i < 5; i++)
                assert_int_equal(clump_endpoint_request(e, 0, 3, &argument, 1), CLUMP_PROTOCOL_OK);
            AWAIT(seen.returned >= 5, clump_endpoint_wait(e, 20000));
            assert_true(seconds() - cut > 0.9 * SILENCE_MS / 1000);
            assert_in_range(seen.returned, 5, 10);
            assert_int_equal(seen.why, CLUMP_PROTOCOL_PEER_DEAD);
            status = clump_endpoint_request(e, 0, 3, &argument, 1);
            assert_int_equal(status, CLUMP_PROTOCOL_PEER_DEAD);
        } else { /* nobody answers */
            assert_int_equal(clump_endpoint_map(e, 0, server.address, TAG),
                             CLUMP_PROTOCOL_NOT_FOUND);
        }
        kill_child(server.process);
        clump_endpoint_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest unplugged[] = {cmocka_unit_test(test_unplugged)};
    if (getenv("CLUMP_TEST_UNPLUG") != NULL)
        return cmocka_run_group_tests(unplugged, NULL, NULL);
    return unit_run(NULL, NULL);
}
