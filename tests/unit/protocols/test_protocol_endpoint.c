/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Endpoints as a program uses them: two processes, tags, handlers, mistakes. */
#include "protocols/endpoint/endpoint.h"
#include "protocols/queue/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "tests/unit/children.h"

#define TAG UINT64_C(0xDEADBEEF)

static char server_name[40], client_name[40];

static int names(void **state)
{
    (void)state;
    snprintf(server_name, sizeof server_name, "unit-%ld.server", (long)getpid());
    snprintf(client_name, sizeof client_name, "unit-%ld.client", (long)getpid());
    return 0;
}

static clump_endpoint *open_as(const char *name, const clump_endpoint_options *options)
{
    clump_endpoint *endpoint;
    if (clump_endpoint_open(name, options, &endpoint) != CLUMP_PROTOCOL_OK)
        fail_msg("%s", clump_endpoint_message(endpoint));
    assert_int_equal(clump_endpoint_set_tag(endpoint, TAG), CLUMP_PROTOCOL_OK);
    return endpoint;
}

static void map_when_there(clump_endpoint *endpoint, const char *name)
{
    clump_protocol_status status;
    AWAIT((status = clump_endpoint_map(endpoint, 0, name, TAG)) != CLUMP_PROTOCOL_NOT_FOUND &&
              status != CLUMP_PROTOCOL_BAD_TAG,
          (void)0);
    if (status != CLUMP_PROTOCOL_OK)
        fail_msg("%s", clump_endpoint_message(endpoint));
}

/* The server adds up its arguments and reverses its data; handler 9 ends it. */
static bool server_done;

static void on_sum(clump_token *token, const clump_message *message, void *context)
{
    (void)context;
    uint32_t sum[2] = {0, message->count};
    for (unsigned i = 0; i < message->count; i++)
        sum[0] += message->arguments[i];
    unsigned char reversed[CLUMP_MESSAGE_BULK_BYTES];
    for (size_t i = 0; i < message->size; i++)
        reversed[i] = ((const unsigned char *)message->data)[message->size - 1 - i];
    if (message->size > 0)
        clump_endpoint_reply_bulk(token, 2, sum, 2, reversed, message->size);
    else
        clump_endpoint_reply(token, 1, sum, 2);
}

static void on_end(clump_token *token, const clump_message *message, void *context)
{
    (void)token, (void)message, (void)context;
    server_done = true;
}

static pid_t start_server(const clump_endpoint_options *options)
{
    const pid_t child = fork_child();
    if (child != 0)
        return child;
    clump_endpoint *endpoint;
    if (clump_endpoint_open(server_name, options, &endpoint) != CLUMP_PROTOCOL_OK)
        _exit(3);
    clump_endpoint_set_handler(endpoint, 3, on_sum, NULL);
    clump_endpoint_set_handler(endpoint, 9, on_end, NULL);
    clump_endpoint_set_tag(endpoint, TAG);
    while (!server_done)
        clump_endpoint_wait(endpoint, 100000);
    clump_endpoint_close(endpoint);
    _exit(0);
}

struct answer {
    unsigned count;
    uint32_t sum, arguments;
    size_t size;
    unsigned char data[CLUMP_MESSAGE_BULK_BYTES];
};

static void on_answer(clump_token *token, const clump_message *message, void *context)
{
    struct answer *answer = context;
    assert_null(token);
    answer->count++;
    answer->sum = message->arguments[0];
    answer->arguments = message->arguments[1];
    answer->size = message->size;
    if (message->size > 0)
        memcpy(answer->data, message->data, message->size);
}

static void ping_pong(const clump_endpoint_options *options)
{
    pid_t server = start_server(options);
    clump_endpoint *endpoint = open_as(client_name, options);
    struct answer answer = {0};
    clump_endpoint_set_handler(endpoint, 1, on_answer, &answer);
    clump_endpoint_set_handler(endpoint, 2, on_answer, &answer);
    map_when_there(endpoint, server_name);
    for (unsigned round = 0; round < 300; round++) {
        uint32_t arguments[8];
        unsigned char data[CLUMP_MESSAGE_BULK_BYTES];
        unsigned count = round % 9;
        size_t size = round % 3 == 0 ? 0 : 1 + (round * 37u) % CLUMP_MESSAGE_BULK_BYTES;
        uint32_t sum = 0;
        for (unsigned i = 0; i < count; i++)
            sum += arguments[i] = round * 1000003u + i;
        for (size_t i = 0; i < size; i++)
            data[i] = (unsigned char)(i * 7 + round);
        clump_protocol_status status =
            size == 0 ? clump_endpoint_request(endpoint, 0, 3, arguments, count)
                      : clump_endpoint_request_bulk(endpoint, 0, 3, arguments, count, data, size);
        if (status != CLUMP_PROTOCOL_OK)
            fail_msg("%s", clump_endpoint_message(endpoint));
        AWAIT(answer.count > round, clump_endpoint_wait(endpoint, 100000));
        assert_int_equal(answer.count, round + 1);
        assert_int_equal(answer.sum, sum);
        assert_int_equal(answer.arguments, count);
        assert_int_equal(answer.size, size);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(answer.data[i], data[size - 1 - i]);
    }
    assert_int_equal(clump_endpoint_request(endpoint, 0, 9, NULL, 0), CLUMP_PROTOCOL_OK);
    assert_success_of(server);
    clump_endpoint_statistics statistics;
    clump_endpoint_count(endpoint, &statistics);
    assert_int_equal(statistics.received, 300);
    assert_int_equal(statistics.rejected, 0);
    assert_int_equal(statistics.recovered, 0);
    /* The server has gone: that is said, whatever is in its queue. */
    clump_protocol_status status;
    AWAIT((status = clump_endpoint_request(endpoint, 0, 3, NULL, 0)) != CLUMP_PROTOCOL_OK,
          for (int i = 0; i < 64; i++) clump_endpoint_poll(endpoint, 1, NULL));
    assert_int_equal(status, CLUMP_PROTOCOL_PEER_DEAD);
    clump_endpoint_close(endpoint);
}

TEST(every_algorithm)
{
    unsigned count = 0;
    for (unsigned i = 0; clump_endpoint_algorithm(i) != NULL; i++, count++)
        for (uint32_t length = 4096; length >= 4; length /= 1024) {
            clump_endpoint_options options = {.algorithm = clump_endpoint_algorithm(i),
                                              .length = length,
                                              .bulk_length = length > 4 ? 16 : 1};
            ping_pong(&options);
        }
    assert_true(count >= 10); /* none was lost */
}

TEST(sleeping_receivers)
{
    ping_pong(&(clump_endpoint_options){.events = true, .backoff_limit_us = 3});
}

TEST(tags)
{
    clump_endpoint *server, *client = open_as(client_name, NULL);
    assert_int_equal(clump_endpoint_open(server_name, NULL, &server), CLUMP_PROTOCOL_OK);
    /* A new endpoint rejects all. */
    assert_int_equal(clump_endpoint_map(client, 5, server_name, TAG), CLUMP_PROTOCOL_BAD_TAG);
    assert_non_null(strstr(clump_endpoint_message(client), "rejects all"));
    clump_endpoint_set_tag(server, CLUMP_TAG_ACCEPT_ALL);
    assert_int_equal(clump_endpoint_map(client, 5, server_name, 77), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_endpoint_request(client, 5, 3, NULL, 0), CLUMP_PROTOCOL_OK);
    clump_endpoint_set_tag(server, 78);
    assert_int_equal(clump_endpoint_map(client, 6, server_name, 77), CLUMP_PROTOCOL_BAD_TAG);
    assert_int_equal(clump_endpoint_map(client, 6, server_name, 78), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_endpoint_request(client, 5, 3, NULL, 0), CLUMP_PROTOCOL_BAD_TAG);
    assert_int_equal(clump_endpoint_request(client, 6, 3, NULL, 0), CLUMP_PROTOCOL_OK);
    clump_endpoint_set_tag(server, CLUMP_TAG_REJECT_ALL);
    assert_int_equal(clump_endpoint_map(client, 7, server_name, 0), CLUMP_PROTOCOL_BAD_TAG);
    assert_int_equal(clump_endpoint_request(client, 6, 3, NULL, 0), CLUMP_PROTOCOL_BAD_TAG);
    clump_endpoint_close(server);
    clump_endpoint_close(client);
}

struct returned {
    unsigned count, handler, arguments;
    clump_protocol_status why;
};

static void on_returned(clump_token *token, const clump_message *message, void *context)
{
    struct returned *returned = context;
    assert_null(token);
    returned->count++;
    returned->handler = message->handler;
    returned->arguments = message->count > 0 ? message->arguments[0] : 0;
    returned->why = message->returned;
}

TEST(messages_come_back)
{
    clump_endpoint *server = open_as(server_name, NULL), *client = open_as(client_name, NULL);
    struct returned returned = {0};
    clump_endpoint_set_handler(client, 0, on_returned, &returned);
    assert_int_equal(clump_endpoint_map(client, 0, server_name, TAG), CLUMP_PROTOCOL_OK);
    uint32_t argument = 42;
    /* Refused where it is sent. */
    clump_endpoint_set_tag(server, 1);
    assert_int_equal(clump_endpoint_request(client, 0, 3, &argument, 1), CLUMP_PROTOCOL_BAD_TAG);
    assert_int_equal(returned.count, 1);
    assert_int_equal(returned.handler, 3);
    assert_int_equal(returned.arguments, 42);
    assert_int_equal(returned.why, CLUMP_PROTOCOL_BAD_TAG);
    /* Refused where it arrives: the tag changed in between. */
    clump_endpoint_set_tag(server, TAG);
    argument = 43;
    assert_int_equal(clump_endpoint_request(client, 0, 4, &argument, 1), CLUMP_PROTOCOL_OK);
    clump_endpoint_set_tag(server, 1);
    unsigned accepted = 0;
    assert_int_equal(clump_endpoint_poll(server, 5, &accepted), CLUMP_PROTOCOL_OK);
    assert_int_equal(accepted, 1);
    assert_int_equal(clump_endpoint_poll(client, 5, NULL), CLUMP_PROTOCOL_OK);
    assert_int_equal(returned.count, 2);
    assert_int_equal(returned.handler, 4);
    assert_int_equal(returned.arguments, 43);
    assert_int_equal(returned.why, CLUMP_PROTOCOL_BAD_TAG);
    /* Nobody there to handle it. */
    clump_endpoint_set_tag(server, TAG);
    argument = 44;
    assert_int_equal(clump_endpoint_request(client, 0, 255, &argument, 1), CLUMP_PROTOCOL_OK);
    clump_endpoint_poll(server, 1, NULL);
    clump_endpoint_poll(client, 1, NULL);
    assert_int_equal(returned.count, 3);
    assert_int_equal(returned.handler, 255);
    assert_int_equal(returned.why, CLUMP_PROTOCOL_NO_HANDLER);
    clump_endpoint_statistics statistics;
    clump_endpoint_count(server, &statistics);
    assert_int_equal(statistics.refused, 2);
    assert_int_equal(statistics.received, 0);
    clump_endpoint_close(client);
    clump_endpoint_close(server);
}

static unsigned handled;

static void on_count(clump_token *token, const clump_message *message, void *context)
{
    (void)token, (void)message, (void)context;
    handled++;
}

TEST(acceptance_count)
{
    clump_endpoint *server = open_as(server_name, NULL), *client = open_as(client_name, NULL);
    clump_endpoint_set_handler(server, 1, on_count, NULL);
    clump_endpoint_map(client, 0, server_name, TAG);
    handled = 0;
    for (int i = 0; i < 10; i++)
        assert_int_equal(clump_endpoint_request(client, 0, 1, NULL, 0), CLUMP_PROTOCOL_OK);
    unsigned accepted = 99;
    clump_endpoint_poll(server, 3, &accepted);
    assert_int_equal(accepted, 3);
    assert_int_equal(handled, 3);
    clump_endpoint_poll(server, 100, &accepted);
    assert_int_equal(accepted, 7);
    clump_endpoint_poll(server, 100, &accepted);
    assert_int_equal(accepted, 0);
    assert_int_equal(clump_endpoint_poll(server, 0, &accepted), CLUMP_PROTOCOL_BAD_INPUT);
    clump_endpoint_close(client);
    clump_endpoint_close(server);
}

TEST(full_queue_times_out)
{
    for (unsigned i = 0; clump_endpoint_algorithm(i) != NULL; i++) {
        clump_endpoint_options options = {.algorithm = clump_endpoint_algorithm(i),
                                          .length = 4,
                                          .bulk_length = 2,
                                          .send_timeout_ms = 50,
                                          .recovery_ms = 10};
        clump_endpoint *server = open_as(server_name, &options);
        clump_endpoint *client = open_as(client_name, &options);
        clump_endpoint_set_handler(server, 1, on_count, NULL);
        clump_endpoint_map(client, 0, server_name, TAG);
        unsigned sent = 0;
        handled = 0;
        double began = seconds();
        clump_protocol_status status;
        while ((status = clump_endpoint_request(client, 0, 1, NULL, 0)) == CLUMP_PROTOCOL_OK)
            sent++;
        assert_int_equal(status, CLUMP_PROTOCOL_TIMED_OUT);
        assert_true(sent == 4 || sent == 3); /* a list keeps one node as its sentinel */
        assert_true(seconds() - began >= 0.05);
        assert_non_null(strstr(clump_endpoint_message(client), server_name));
        /* What gave up leaves no hole: all arrives, and the queue works on. */
        for (int round = 0; round < 20; round++) {
            AWAIT(handled >= sent, clump_endpoint_poll(server, 1, NULL));
            assert_int_equal(handled, sent);
            unsigned char data[100] = {1};
            assert_int_equal(round % 2 == 0
                                 ? clump_endpoint_request(client, 0, 1, NULL, 0)
                                 : clump_endpoint_request_bulk(client, 0, 1, NULL, 0, data, 100),
                             CLUMP_PROTOCOL_OK);
            sent++;
        }
        clump_endpoint_close(client);
        clump_endpoint_close(server);
    }
}

/* Who has looked in vain for long may stop looking: a whole queue of messages goes out all the same. */
TEST(idle_receivers_free_all)
{
    for (unsigned i = 0; clump_endpoint_algorithm(i) != NULL; i++) {
        const clump_endpoint_options options = {.algorithm = clump_endpoint_algorithm(i),
                                                .length = 64,
                                                .send_timeout_ms = 50,
                                                .recovery_ms = 100000};
        clump_endpoint *server = open_as(server_name, &options);
        clump_endpoint *client = open_as(client_name, &options);
        clump_endpoint_set_handler(server, 1, on_count, NULL);
        clump_endpoint_map(client, 0, server_name, TAG);
        for (unsigned few = 1; few < 40; few += 7) {
            handled = 0;
            for (unsigned n = 0; n < few; n++)
                assert_int_equal(clump_endpoint_request(client, 0, 1, NULL, 0), CLUMP_PROTOCOL_OK);
            AWAIT(handled == few, clump_endpoint_poll(server, 1, NULL));
            for (unsigned n = 0; n < CLUMP_ENDPOINT_IDLE_POLLS; n++)
                clump_endpoint_poll(server, 1, NULL);
            for (unsigned n = 0; n < 63; n++) /* a list keeps one node as its sentinel */
                assert_int_equal(clump_endpoint_request(client, 0, 1, NULL, 0), CLUMP_PROTOCOL_OK);
            AWAIT(handled == few + 63, clump_endpoint_poll(server, 1, NULL));
        }
        clump_endpoint_close(client);
        clump_endpoint_close(server);
    }
}

static void on_forbidden(clump_token *token, const clump_message *message, void *context)
{
    (void)message;
    clump_endpoint *endpoint = context;
    assert_int_equal(clump_endpoint_request(endpoint, 0, 1, NULL, 0), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_poll(endpoint, 1, NULL), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_unmap(endpoint, 0), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_reply(NULL, 2, NULL, 0), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_reply(token, 2, NULL, 0), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_endpoint_reply(token, 2, NULL, 0), CLUMP_PROTOCOL_BAD_INPUT);
    handled++;
}

TEST(mistakes)
{
    clump_endpoint *e;
    static const char *const bad_names[] = {NULL, "", "a/b", "a b",
                                            "a234567890123456789012345678901234567890123456789"};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(clump_endpoint_open(bad_names[i], NULL, &e), CLUMP_PROTOCOL_BAD_INPUT);
        assert_non_null(strstr(clump_endpoint_message(e), "expected"));
        assert_int_equal(clump_endpoint_poll(e, 1, NULL), CLUMP_PROTOCOL_BAD_INPUT);
        clump_endpoint_close(e);
    }
    assert_int_equal(
        clump_endpoint_open(server_name, &(clump_endpoint_options){.algorithm = "lockfree"}, &e),
        CLUMP_PROTOCOL_BAD_INPUT);
    assert_non_null(strstr(clump_endpoint_message(e), "lock-free-fifo"));
    clump_endpoint_close(e);
    assert_int_equal(clump_endpoint_open(server_name, &(clump_endpoint_options){.length = 100}, &e),
                     CLUMP_PROTOCOL_BAD_INPUT);
    assert_non_null(strstr(clump_endpoint_message(e), "powers of two"));
    clump_endpoint_close(e);

    e = open_as(server_name, NULL);
    clump_endpoint *second;
    assert_int_equal(clump_endpoint_open(server_name, NULL, &second), CLUMP_PROTOCOL_IN_USE);
    char number[24];
    snprintf(number, sizeof number, "process %ld", (long)getpid());
    assert_non_null(strstr(clump_endpoint_message(second), number));
    clump_endpoint_close(second);
    assert_int_equal(clump_endpoint_map(e, 0, "unit-nobody", TAG), CLUMP_PROTOCOL_NOT_FOUND);
    assert_int_equal(clump_endpoint_map(e, 256, server_name, TAG), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_request(e, 0, 1, NULL, 0), CLUMP_PROTOCOL_BAD_INPUT);
    /* An endpoint can send to itself. */
    assert_int_equal(clump_endpoint_map(e, 0, server_name, TAG), CLUMP_PROTOCOL_OK);
    uint32_t a[8] = {0};
    assert_int_equal(clump_endpoint_request(e, 0, 0, a, 1), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_request(e, 0, 256, a, 1), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_request(e, 0, 1, a, 9), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_request(e, 0, 1, NULL, 1), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_request_bulk(e, 0, 1, a, 1, a, 0), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_request_bulk(e, 0, 1, a, 1, a, 8193), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_endpoint_request_bulk(e, 0, 1, a, 1, NULL, 5), CLUMP_PROTOCOL_BAD_INPUT);
    handled = 0;
    clump_endpoint_set_handler(e, 1, on_forbidden, e);
    clump_endpoint_set_handler(e, 2, on_count, e);
    assert_int_equal(clump_endpoint_request(e, 0, 1, a, 1), CLUMP_PROTOCOL_OK);
    clump_endpoint_poll(e, 2, NULL);
    assert_int_equal(handled, 2);
    assert_int_equal(clump_endpoint_wait(e, 1000), CLUMP_PROTOCOL_TIMED_OUT);
    clump_endpoint_close(e);
    clump_endpoint_close(NULL);
}

/* A process that dies leaves its segment; the same name can be used again. False: somebody else on this
 * machine, another test, say, had cleaned up before. */
static bool cleans_up(int round)
{
    clump_endpoint *e = open_as(client_name, NULL);
    const pid_t child = fork_child();
    if (child == 0) {
        clump_endpoint_open(server_name, NULL, &e);
        clump_endpoint_set_tag(e, TAG);
        raise(SIGKILL);
    }
    end_of(child);
    char path[64];
    snprintf(path, sizeof path, "/clump-%s", server_name);
    const int fd = shm_open(path, O_RDONLY, 0);
    bool mine = fd >= 0;
    if (mine)
        close(fd);
    if (round == 0) { /* a new endpoint of that name takes it over */
        clump_endpoint *again = open_as(server_name, NULL);
        clump_endpoint_close(again);
    } else if (round == 1) { /* a sender finds it and cleans up */
        const clump_protocol_status found = clump_endpoint_map(e, 0, server_name, TAG);
        mine = mine && found != CLUMP_PROTOCOL_NOT_FOUND;
        assert_true(!mine || found == CLUMP_PROTOCOL_PEER_DEAD);
    } else if (round == 2) {
        mine = clump_endpoint_remove_stale() >= 1 && mine;
    } else { /* whoever opens another one cleans up */
        char other[64];
        snprintf(other, sizeof other, "%s.other", client_name);
        clump_endpoint_close(open_as(other, NULL));
    }
    clump_endpoint_close(e);
    assert_true(shm_open(path, O_RDONLY, 0) < 0);
    return mine;
}

TEST(stale_segments)
{
    for (int round = 0; round < 4; round++)
        AWAIT(cleans_up(round), (void)0);
    /* The same of a process in another pid namespace: it may live. */
    clump_endpoint *e = open_as(server_name, NULL);
    char path[64];
    snprintf(path, sizeof path, "/clump-%s", server_name);
    int fd = shm_open(path, O_RDWR, 0);
    struct clump_block_header header;
    assert_int_equal(pread(fd, &header, sizeof header, 0), sizeof header);
    const struct clump_block_header before = header;
    header.space++;
    header.owner = UINT64_C(0x7fffffff00000001); /* and no such process here */
    assert_int_equal(pwrite(fd, &header, sizeof header, 0), sizeof header);
    clump_endpoint_remove_stale();
    clump_endpoint *client = open_as(client_name, NULL);
    assert_int_equal(clump_endpoint_map(client, 0, server_name, TAG), CLUMP_PROTOCOL_FAILED);
    assert_non_null(strstr(clump_endpoint_message(client), "pid namespace"));
    assert_int_equal(pwrite(fd, &before, sizeof before, 0), sizeof before);
    close(fd);
    assert_int_equal(clump_endpoint_map(client, 0, server_name, TAG), CLUMP_PROTOCOL_OK);
    clump_endpoint_close(client);
    clump_endpoint_close(e);
    /* One that never got beyond creating it: stale after a minute. */
    fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    const struct timespec later[2] = {{.tv_sec = time(NULL) + PATIENCE},
                                      {.tv_sec = time(NULL) + PATIENCE}};
    futimens(fd, later); /* as if it was made this moment, whatever that takes */
    assert_int_equal(clump_endpoint_open(server_name, NULL, &e), CLUMP_PROTOCOL_IN_USE);
    clump_endpoint_close(e);
    struct timespec past[2] = {{.tv_sec = time(NULL) - 100}, {.tv_sec = time(NULL) - 100}};
    futimens(fd, past);
    close(fd);
    e = open_as(server_name, NULL);
    clump_endpoint_close(e);
}

TEST(permissions_are_those_asked_for)
{
    const mode_t before = umask(0077);
    clump_endpoint *e = open_as(server_name, &(clump_endpoint_options){.mode = 0666});
    umask(before);
    char path[64];
    struct stat found;
    snprintf(path, sizeof path, "/clump-%s", server_name);
    const int fd = shm_open(path, O_RDONLY, 0);
    assert_int_equal(fstat(fd, &found), 0);
    close(fd);
    assert_int_equal(found.st_mode & 0777, 0666);
    clump_endpoint_close(e);
}

/* As a user who did not make what has that name: 0 if the message says so, and not that it will be over. */
static int told_whose(const char *expected)
{
    clump_endpoint *e;
    if (setgid(54321) != 0 || setuid(54321) != 0 ||
        clump_endpoint_open(server_name, NULL, &e) != CLUMP_PROTOCOL_IN_USE)
        return 1;
    const char *message = clump_endpoint_message(e);
    return strstr(message, expected) != NULL && strstr(message, "seconds") == NULL ? 0 : 2;
}

TEST(name_taken_by_another_user)
{
    if (geteuid() != 0)
        skip(); /* nobody else can be made up */
    static const struct {
        mode_t mode;
        const char *says;
    } cases[] = {{0600, "another user"}, {0644, "user 12345"}};
    char path[64];
    snprintf(path, sizeof path, "/clump-%s", server_name);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status;
        const int fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
        assert_int_equal(fchmod(fd, cases[i].mode), 0);
        assert_int_equal(fchown(fd, 12345, 12345), 0);
        const pid_t child = fork();
        if (child == 0)
            _exit(told_whose(cases[i].says));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
        shm_unlink(path);
        close(fd);
    }
}

UNIT_MAIN(names, NULL)
