/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Honest endpoints go on while somebody sends them whatever he can think of, as fast as he can. */
#define _DEFAULT_SOURCE /* getrusage, MAP_ANONYMOUS */
#include "protocols/endpoint/endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "tests/unit/children.h"

#define TAG UINT64_C(0xF100D)
/* He sends AHEAD datagrams between two turns of whom he floods, more than a socket holds: without a
 * limit it would be for the scheduler to say whether anybody else comes to work. */
enum { REQUESTS = 60, FORGED_LEAST = 8000, FLOODED = 2, AHEAD = 500 };

/** Shared by all processes. */
static struct board {
    _Atomic uint64_t forged, forged_bytes, answered_bytes; /**< of the flood */
    _Atomic uint64_t turns[FLOODED];                       /**< of server and client */
    _Atomic bool stop;
    char address[2][100]; /**< of server and client */
    _Atomic bool ready[2];
    clump_endpoint_statistics statistics; /**< of the server */
    clump_endpoint_traffic traffic;
    long kilobytes_before, kilobytes_after; /**< most that it had in memory */
} * board;

static long most_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void answer(clump_token *token, const clump_message *m, void *context)
{
    (void)context;
    if (m->size > 0)
        clump_endpoint_reply_bulk(token, 1, m->arguments, m->count, m->data, m->size);
    else
        clump_endpoint_reply(token, 1, m->arguments, m->count);
}

static void serve(void)
{
    char name[40];
    const clump_endpoint_options options = {.listen = "127.0.0.1:0", .silence_ms = PATIENCE_MS};
    clump_endpoint *e;
    snprintf(name, sizeof name, "flooded-%ld", (long)getpid());
    if (clump_endpoint_open(name, &options, &e) != CLUMP_PROTOCOL_OK)
        _exit(2);
    clump_endpoint_set_handler(e, 1, answer, NULL);
    clump_endpoint_set_tag(e, TAG);
    snprintf(board->address[0], sizeof board->address[0], "@%s", clump_endpoint_address(e));
    board->ready[0] = true;
    bool warm = false;
    while (!board->stop) {
        clump_endpoint_wait(e, 10000);
        board->turns[0]++;
        clump_endpoint_count(e, &board->statistics);
        if (!warm && board->statistics.received >= REQUESTS / 4) { /* its buffers are in memory */
            board->kilobytes_before = most_kilobytes();
            warm = true;
        }
    }
    clump_endpoint_count(e, &board->statistics);
    clump_endpoint_count_traffic(e, &board->traffic);
    board->kilobytes_after = most_kilobytes();
    clump_endpoint_close(e);
    _exit(0);
}

static uint64_t random_state = 88172645463325252u;

static unsigned chance(unsigned below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % below;
}

/** A datagram that means harm. @return its size */
static size_t forge(unsigned char *bytes)
{
    static const size_t right_size[] = {0, 64, 20, 44, 0, 12, 12, 12, 12};
    const unsigned kind = 1 + chance(8);
    size_t size = chance(3) == 0 ? chance(1500) : right_size[kind];
    if (kind == 4)
        size = 13 + chance(1400);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)chance(256);
    switch (chance(10)) {
    case 0: /* noise */
        return size;
    case 1: /* nothing */
        return 0;
    case 2: /* more than anybody sends */
        return 4353 + chance(4000);
    case 3: /* a version to come */
        bytes[0] = 0xA2, bytes[1] = 2;
        break;
    default: /* all right but for the key */
        bytes[0] = 0xA2, bytes[1] = 1;
    }
    bytes[2] = (unsigned char)kind;
    bytes[3] = 0;
    bytes[11] = (unsigned char)chance(3); /* the places of sessions that are open */
    if (kind == 1) {
        memset(bytes + 4, 0, 8);
        for (int i = 0; i < 8; i++) /* the tag that is wanted, what is asked for, and no cookie */
            bytes[28 + i] = (unsigned char)(TAG >> (56 - 8 * i));
        bytes[36] = (unsigned char)chance(4);
    }
    return size;
}

static void flood(void)
{
    static unsigned char bytes[9000], answer_bytes[9000];
    struct sockaddr_in to[FLOODED];
    const int file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
    for (int i = 0; i < FLOODED; i++) {
        const char *colon = strchr(board->address[i], ':');
        to[i] = (struct sockaddr_in){.sin_family = AF_INET,
                                     .sin_port = htons((uint16_t)atoi(colon + 1)),
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    }
    uint64_t turn[FLOODED] = {0};
    unsigned since[FLOODED] = {0};
    while (!board->stop) {
        const size_t size = forge(bytes);
        const unsigned at = chance(FLOODED);
        if (turn[at] != board->turns[at]) {
            turn[at] = board->turns[at];
            since[at] = 0;
        } else if (since[at]++ > AHEAD) {
            sched_yield();
            continue;
        }
        if (sendto(file, bytes, size, 0, (struct sockaddr *)&to[at], sizeof to[at]) >= 0) {
            board->forged++;
            board->forged_bytes += size;
        }
        ssize_t got;
        while ((got = recv(file, answer_bytes, sizeof answer_bytes, 0)) >= 0)
            board->answered_bytes += (uint64_t)got;
    }
    _exit(0);
}

static pid_t start(void (*work)(void))
{
    const pid_t process = fork_child();
    if (process == 0)
        work();
    return process;
}

static unsigned answers, returned;

static void on_answer(clump_token *token, const clump_message *m, void *context)
{
    const unsigned char *data = m->data;
    (void)token, (void)context;
    assert_int_equal(m->arguments[0], answers++); /* each once, one after the other */
    assert_int_equal(m->size, m->arguments[0] % 4 == 3 ? CLUMP_MESSAGE_BULK_BYTES : 0);
    for (size_t i = 0; i < m->size; i++)
        assert_int_equal(data[i], (unsigned char)(m->arguments[0] + i));
}

static void on_returned(clump_token *token, const clump_message *m, void *context)
{
    (void)token, (void)m, (void)context;
    returned++;
}

TEST(test_flood)
{
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(board != MAP_FAILED);
    const pid_t server = start(serve);
    char name[40];
    const clump_endpoint_options options = {
        .listen = "127.0.0.1:0", .silence_ms = PATIENCE_MS, .send_timeout_ms = PATIENCE_MS};
    clump_endpoint *e;
    snprintf(name, sizeof name, "flooded-%ld", (long)getpid());
    assert_int_equal(clump_endpoint_open(name, &options, &e), CLUMP_PROTOCOL_OK);
    clump_endpoint_set_handler(e, 0, on_returned, NULL);
    clump_endpoint_set_handler(e, 1, on_answer, NULL);
    clump_endpoint_set_tag(e, TAG);
    snprintf(board->address[1], sizeof board->address[1], "@%s", clump_endpoint_address(e));
    AWAIT(board->ready[0], pause_us(1000));
    const pid_t flooder = start(flood);
    AWAIT(board->forged >= 1000, pause_us(1000)); /* the session begins in bad weather, too */
    clump_protocol_status mapped;
    AWAIT((mapped = clump_endpoint_map(e, 0, board->address[0], TAG)) != CLUMP_PROTOCOL_NOT_FOUND,
          board->turns[1]++);
    if (mapped != CLUMP_PROTOCOL_OK)
        fail_msg("%s", clump_endpoint_message(e));
    answers = returned = 0;
    unsigned sent = 0;
    for (; answers < REQUESTS || board->forged < FORGED_LEAST; sent++) {
        unsigned char data[CLUMP_MESSAGE_BULK_BYTES];
        const uint32_t argument = sent;
        for (size_t i = 0; i < sizeof data; i++)
            data[i] = (unsigned char)(sent + i);
        const clump_protocol_status status =
            sent % 4 == 3 ? clump_endpoint_request_bulk(e, 0, 1, &argument, 1, data, sizeof data)
                          : clump_endpoint_request(e, 0, 1, &argument, 1);
        if (status != CLUMP_PROTOCOL_OK)
            fail_msg("request %u: %s", sent, clump_endpoint_message(e));
        AWAIT(answers > sent, (clump_endpoint_wait(e, 10000), board->turns[1]++));
    }
    board->stop = true;
    end_of(flooder);
    assert_success_of(server);
    clump_endpoint_traffic here;
    clump_endpoint_count_traffic(e, &here);
    clump_endpoint_close(e);

    assert_int_equal(answers, sent);
    assert_int_equal(returned, 0);
    assert_int_equal(board->statistics.received, sent); /* nothing but what we sent, and once */
    assert_int_equal(board->statistics.refused + board->statistics.rejected, 0);
    assert_true(board->traffic.dropped > 1000 && here.dropped > 1000);
    assert_true(board->answered_bytes <= board->forged_bytes);
    assert_true(board->answered_bytes > 0); /* cookies and resets: the flood did arrive */
    assert_in_range(board->kilobytes_after, 0, board->kilobytes_before + 4096);
    if (getenv("CLUMP_TEST_TELL") != NULL)
        printf("%u answered, %llu forged, dropped %llu and %llu, answered %.2f of the bytes, "
               "resent %llu\n",
               answers, (unsigned long long)board->forged,
               (unsigned long long)board->traffic.dropped, (unsigned long long)here.dropped,
               (double)board->answered_bytes / (double)board->forged_bytes,
               (unsigned long long)here.resent);
    munmap(board, sizeof *board);
}

UNIT_MAIN(NULL, NULL)
