/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The server of calibrations between machines, and its client: hostile clients are counted and
 * dropped, and whoever comes afterwards is served; the other kinds of servers that a client can
 * meet are told apart.
 */
#define _DEFAULT_SOURCE
#include "protocols/calibration/udp_client.h"
#include "protocols/calibration/udp_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "tests/unit/children.h"

#define TAG UINT64_C(0x1234)

/* ---- requests and answers as messages */

static clump_message message_of(unsigned handler, const uint32_t *arguments, unsigned count,
                                const void *data, size_t size)
{
    return (clump_message){
        .handler = handler, .arguments = arguments, .count = count, .data = data, .size = size};
}

TEST(limits)
{
    static const unsigned char bytes[CLUMP_MESSAGE_BULK_BYTES];
    clump_calibration_request r, written;
    uint32_t a[CLUMP_MESSAGE_ARGUMENTS] = {0};
    static const struct {
        unsigned handler;
        uint32_t value;
        unsigned count;
        size_t size;
        bool good;
    } cases[] = {{CLUMP_CALIBRATION_GIVE, 1, 1, 0, true},
                 {CLUMP_CALIBRATION_GIVE, 8192, 1, 0, true},
                 {CLUMP_CALIBRATION_GIVE, 0, 1, 0, false},
                 {CLUMP_CALIBRATION_GIVE, 8193, 1, 0, false},
                 {CLUMP_CALIBRATION_GIVE, 8, 0, 0, false},
                 {CLUMP_CALIBRATION_GIVE, 8, 2, 0, false},
                 {CLUMP_CALIBRATION_GIVE, 8, 1, 4, false},
                 {CLUMP_CALIBRATION_GIVE, ~0u, 1, 0, false},
                 {CLUMP_CALIBRATION_HOLD, 1, 1, 0, true},
                 {CLUMP_CALIBRATION_HOLD, 4000, 1, 0, true},
                 {CLUMP_CALIBRATION_HOLD, 0, 1, 0, false},
                 {CLUMP_CALIBRATION_HOLD, 4001, 1, 0, false},
                 {CLUMP_CALIBRATION_COUNT, 0, 0, 0, true},
                 {CLUMP_CALIBRATION_COUNT, 0, 1, 0, false},
                 {CLUMP_CALIBRATION_END, 0, 0, 0, true},
                 {CLUMP_CALIBRATION_END, 0, 0, 1, false},
                 {CLUMP_CALIBRATION_ECHO, 9, 8, 8192, true},
                 {CLUMP_CALIBRATION_TAKE, 9, 0, 1, true},
                 {CLUMP_CALIBRATION_BEGIN, 9, 2, 0, false},
                 {CLUMP_CALIBRATION_BEGIN, 0, 0, 0, false},
                 {0, 0, 0, 0, false},
                 {CLUMP_CALIBRATION_HANDLERS, 0, 0, 0, false},
                 {255, 0, 0, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        a[0] = cases[i].value;
        const clump_message m =
            message_of(cases[i].handler, a, cases[i].count, bytes, cases[i].size);
        if (clump_calibration_request_read(&m, &r) != cases[i].good)
            fail_msg("request %u of %u, %u arguments, %zu bytes", cases[i].handler, cases[i].value,
                     cases[i].count, cases[i].size);
    }
    written = (clump_calibration_request){.kind = CLUMP_CALIBRATION_BEGIN, .version = 77};
    clump_message m = message_of(CLUMP_CALIBRATION_BEGIN, a,
                                 clump_calibration_request_write(&written, a), NULL, 0);
    assert_true(clump_calibration_request_read(&m, &r));
    assert_int_equal(r.version, 77);
    m.returned = CLUMP_PROTOCOL_BAD_TAG;
    assert_false(clump_calibration_request_read(&m, &r));
}

TEST(answers)
{
    uint32_t a[CLUMP_MESSAGE_ARGUMENTS];
    const clump_calibration_counts counts = {UINT64_C(0x123456789abcdef), 7, UINT64_MAX, 9};
    clump_calibration_counts back;
    clump_message m = message_of(2, a, clump_calibration_counts_write(&counts, a), NULL, 0);
    assert_true(clump_calibration_counts_read(&m, &back));
    assert_true(back.sent == counts.sent && back.arrived == counts.arrived);
    assert_true(back.resent == counts.resent && back.interruptions == counts.interruptions);
    m.count--;
    assert_false(clump_calibration_counts_read(&m, &back));
    clump_calibration_welcome welcome = {CLUMP_CALIBRATION_BUSY, 3, 64, ""}, seen;
    char text[300];
    memset(text, 'x', sizeof text);
    text[3] = '\033', text[4] = '\0', text[5] = (char)0xff;
    m = message_of(2, a, clump_calibration_welcome_write(&welcome, a), text, sizeof text);
    assert_true(clump_calibration_welcome_read(&m, &seen));
    assert_int_equal(seen.status, CLUMP_CALIBRATION_BUSY);
    assert_int_equal(seen.version, 3);
    assert_int_equal(seen.processors, 64);
    assert_int_equal(strlen(seen.machine), CLUMP_CALIBRATION_MACHINE_BYTES - 1);
    assert_memory_equal(seen.machine, "xxx???xx", 8);
    a[0] = 3;
    assert_false(clump_calibration_welcome_read(&m, &seen));
    m.count = 2;
    assert_false(clump_calibration_welcome_read(&m, &seen));
}

/* ---- a server in a process of its own; what it counts is shared */

static struct shared {
    char address[CLUMP_ADDRESS_TEXT];
    clump_service_view view;
    _Atomic int stop, ready;
} * shared;

static pid_t server;

static void start_server(uint32_t patience_ms)
{
    memset(shared, 0, sizeof *shared);
    server = fork_child();
    if (server == 0) {
        char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
        clump_service *s;
        const clump_service_options options = {
            .tag = TAG, .machine = "test", .patience_ms = patience_ms};
        if (clump_service_open(&options, &s, message) != CLUMP_PROTOCOL_OK)
            _exit(3);
        snprintf(shared->address, sizeof shared->address, "%s", clump_service_address(s));
        shared->ready = 1;
        while (!shared->stop) {
            clump_service_turn(s, 2000);
            clump_service_look(s, &shared->view);
        }
        clump_service_close(s);
        _exit(0);
    }
    AWAIT(shared->ready, pause_us(1000));
}

static void stop_server(void)
{
    shared->stop = 1;
    assert_success_of(server);
}

static bool keep(const clump_calibration_sample *sample, void *context)
{
    unsigned *count = context;
    assert_true(sample->value >= 0);
    ++*count;
    return false;
}

static clump_protocol_status calibrate(unsigned *samples, char *message)
{
    clump_udp_losses losses;
    const clump_udp_plan plan = {.peer = shared->address,
                                 .tag = TAG,
                                 .loggp = true,
                                 .runs = 2,
                                 .effort = 1,
                                 .patience_ms = 30000,
                                 .sample = keep,
                                 .context = samples};
    *samples = 0;
    return clump_udp_measure(&plan, &losses, message);
}

static void expect_served(void)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    unsigned samples;
    if (calibrate(&samples, message) != CLUMP_PROTOCOL_OK)
        fail_msg("%s", message);
    assert_true(samples >= 2 * 9);
}

struct heard {
    unsigned answers;
    uint32_t first;
};

static void on_answer(clump_token *token, const clump_message *m, void *context)
{
    struct heard *h = context;
    (void)token;
    h->answers++;
    h->first = m->count > 0 ? m->arguments[0] : 99;
}

static clump_endpoint *open_client(struct heard *heard, const char *suffix)
{
    char name[40], where[80];
    clump_endpoint *e;
    snprintf(name, sizeof name, "service-%ld%s", (long)getpid(), suffix);
    snprintf(where, sizeof where, "@%s", shared->address);
    const clump_endpoint_options options = {
        .listen = "127.0.0.1:0", .polling = "always", .length = 2, .bulk_length = 1};
    *heard = (struct heard){0};
    assert_int_equal(clump_endpoint_open(name, &options, &e), CLUMP_PROTOCOL_OK);
    clump_endpoint_set_handler(e, CLUMP_CALIBRATION_DONE, on_answer, heard);
    clump_endpoint_set_handler(e, CLUMP_CALIBRATION_ANSWER, on_answer, heard);
    clump_protocol_status status;
    AWAIT((status = clump_endpoint_map(e, 0, where, TAG)) != CLUMP_PROTOCOL_NOT_FOUND, (void)0);
    if (status != CLUMP_PROTOCOL_OK)
        fail_msg("%s", clump_endpoint_message(e));
    return e;
}

static void ask(clump_endpoint *e, clump_calibration_request request)
{
    uint32_t a[CLUMP_MESSAGE_ARGUMENTS];
    const unsigned count = clump_calibration_request_write(&request, a);
    assert_int_equal(clump_endpoint_request(e, 0, request.kind, a, count), CLUMP_PROTOCOL_OK);
}

static void hear(clump_endpoint *e, struct heard *heard, unsigned least)
{
    AWAIT(heard->answers >= least, clump_endpoint_poll(e, 16, NULL));
    assert_int_equal(heard->answers, least);
}

/* Everything at random through a good session, without and with an invitation. */
TEST(hostile_messages)
{
    static unsigned char bytes[CLUMP_MESSAGE_BULK_BYTES];
    struct heard heard;
    start_server(10000);
    clump_endpoint *e = open_client(&heard, "");
    srand(11);
    for (int invited = 0; invited < 2; invited++) {
        if (invited)
            ask(e, (clump_calibration_request){.kind = CLUMP_CALIBRATION_BEGIN,
                                               .version = CLUMP_CALIBRATION_VERSION});
        for (int i = 0; i < 3000; i++) {
            uint32_t a[CLUMP_MESSAGE_ARGUMENTS];
            unsigned handler = 1 + (unsigned)rand() % 10;
            const unsigned count = (unsigned)rand() % 9;
            const size_t size = (size_t)rand() % (CLUMP_MESSAGE_BULK_BYTES + 1);
            for (unsigned k = 0; k < count; k++)
                a[k] = rand() % 2 ? (uint32_t)rand() % 10000 : (uint32_t)rand() * 2654435761u;
            if (handler == CLUMP_CALIBRATION_END || (handler == CLUMP_CALIBRATION_HOLD && i % 64))
                handler = 255;
            if (size > 0 && i % 8 == 0)
                clump_endpoint_request_bulk(e, 0, handler, a, count, bytes, size);
            else
                clump_endpoint_request(e, 0, handler, a, count);
        }
        if (invited)
            AWAIT(heard.answers > 200, clump_endpoint_poll(e, 16, NULL))
        else
            assert_int_equal(heard.answers, 0);
    }
    clump_endpoint_close(e);
    expect_served();
    stop_server();
    assert_true(shared->view.refused > 1000);
    assert_true(shared->view.uninvited > 500);
    assert_int_equal(shared->view.begun, 2);
    assert_int_equal(shared->view.end, CLUMP_SERVICE_DONE);
}

/* Datagrams of nobody, in the middle of a calibration. */
TEST(hostile_datagrams)
{
    start_server(10000);
    const pid_t stranger = fork_child();
    if (stranger == 0) {
        struct sockaddr_in to = {.sin_family = AF_INET};
        unsigned port = 0;
        unsigned char bytes[1500];
        if (sscanf(shared->address, "127.0.0.1:%u", &port) != 1)
            _exit(1);
        to.sin_port = htons((uint16_t)port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int file = socket(AF_INET, SOCK_DGRAM, 0);
        for (unsigned n = 0;; n++) {
            const size_t size = (size_t)rand() % sizeof bytes;
            for (size_t i = 0; i < size; i++)
                bytes[i] = (unsigned char)rand();
            if (n % 2) /* a good beginning */
                memcpy(bytes, (const unsigned char[]){0xA2, 1, (unsigned char)(n / 2 % 10), 0}, 4);
            sendto(file, bytes, n % 2 ? 64 : size, 0, (struct sockaddr *)&to, sizeof to);
            pause_us(200);
        }
    }
    expect_served();
    kill_child(stranger);
    stop_server();
    assert_int_equal(shared->view.begun, 1);
    assert_int_equal(shared->view.refused + shared->view.uninvited, 0);
}

/* One client at a time: the second one waits until the first is gone, or gives up. */
TEST(one_after_the_other)
{
    struct heard first, second;
    const clump_calibration_request begin = {.kind = CLUMP_CALIBRATION_BEGIN,
                                             .version = CLUMP_CALIBRATION_VERSION};
    start_server(4000);
    clump_endpoint *a = open_client(&first, ".a"), *b = open_client(&second, ".b");
    ask(b, (clump_calibration_request){.kind = CLUMP_CALIBRATION_BEGIN, .version = 99});
    hear(b, &second, 1);
    assert_int_equal(second.first, CLUMP_CALIBRATION_OTHER_VERSION);
    ask(a, begin);
    hear(a, &first, 1);
    assert_int_equal(first.first, CLUMP_CALIBRATION_WELCOME);
    ask(b, begin);
    hear(b, &second, 2);
    assert_int_equal(second.first, CLUMP_CALIBRATION_BUSY);
    /* The first one is silent for longer than the patience, and its place is free. */
    AWAIT(shared->view.ended > 0, clump_endpoint_poll(b, 1, NULL));
    assert_int_equal(shared->view.end, CLUMP_SERVICE_GONE);
    ask(b, begin);
    hear(b, &second, 3);
    assert_int_equal(second.first, CLUMP_CALIBRATION_WELCOME);
    /* It goes without a word more than its session's. */
    clump_endpoint_close(b);
    AWAIT(shared->view.ended > 1, pause_us(1000));
    assert_int_equal(shared->view.end, CLUMP_SERVICE_GONE);
    clump_endpoint_close(a);
    stop_server();
    assert_int_equal(shared->view.turned_away, 2);
}

/* What a client says of those who are no such server. */
TEST(other_servers)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    unsigned samples;
    clump_endpoint *e;
    memset(shared, 0, sizeof *shared);
    const pid_t endpoint = fork_child();
    if (endpoint == 0) { /* an endpoint without such handlers */
        const clump_endpoint_options options = {.listen = "127.0.0.1:0", .length = 2};
        if (clump_endpoint_open(name_of_own("service-other"), &options, &e) != CLUMP_PROTOCOL_OK)
            _exit(1);
        clump_endpoint_set_tag(e, CLUMP_TAG_ACCEPT_ALL);
        snprintf(shared->address, sizeof shared->address, "%s", clump_endpoint_address(e));
        shared->ready = 1;
        while (!shared->stop)
            clump_endpoint_wait(e, 10000);
        clump_endpoint_close(e);
        _exit(0);
    }
    AWAIT(shared->ready, pause_us(1000));
    assert_int_equal(calibrate(&samples, message), CLUMP_PROTOCOL_FAILED);
    assert_non_null(strstr(message, "is no server of clumpmodel calibrate udp"));
    shared->stop = 1;
    end_of(endpoint);

    /* Something that answers whatever comes with something else. */
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    const int file = socket(AF_INET, SOCK_DGRAM, 0);
    assert_int_equal(bind(file, (struct sockaddr *)&at, size), 0);
    getsockname(file, (struct sockaddr *)&at, &size);
    snprintf(shared->address, sizeof shared->address, "127.0.0.1:%u", ntohs(at.sin_port));
    const pid_t echo = fork_child();
    if (echo == 0)
        for (char bytes[100];;) {
            struct sockaddr_in from;
            socklen_t length = sizeof from;
            if (recvfrom(file, bytes, sizeof bytes, 0, (struct sockaddr *)&from, &length) > 0)
                sendto(file, "HTTP/1.1 400", 12, 0, (struct sockaddr *)&from, length);
        }
    close(file);
    assert_int_equal(calibrate(&samples, message), CLUMP_PROTOCOL_NOT_FOUND);
    assert_non_null(strstr(message, "speaks another protocol"));
    kill_child(echo);
}

int main(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? 1 : unit_run(NULL, NULL);
}
