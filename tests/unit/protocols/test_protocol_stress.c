/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes that all send each other requests, short and bulk, and answer every one, through queues
 * so short that they are full most of the time. Every byte received is checked; every request is
 * answered exactly once; nobody gets stuck (theorem 3.6).
 *
 * CLUMP_STRESS_SECONDS=N makes it last N seconds for each algorithm.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "protocols/endpoint/endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <sys/mman.h>

#include "tests/unit/children.h"

#define TAG UINT64_C(0x5354)
enum { PROCESSES = 3 };

struct shared {
    _Atomic unsigned finished;
    volatile uint32_t sent[PROCESSES], answered[PROCESSES], served[PROCESSES];
    char message[PROCESSES][200];
};

struct process {
    unsigned self;
    uint32_t sent, answered, served, wrong;
    unsigned char pending[1 << 16]; /* answers that are due, by number modulo 65536 */
    uint64_t random;
};

static uint32_t mix(uint32_t a, uint32_t b, uint32_t i)
{
    uint32_t x = (a * 2654435761u) ^ (b * 2246822519u) ^ (i * 3266489917u);
    x ^= x >> 15;
    return x * 668265263u;
}

/* A message follows from who asked, the number of the request, and whether it is the answer. */
static unsigned compose(uint32_t asker, uint32_t number, bool answer, uint32_t *arguments,
                        unsigned char *data, size_t *size)
{
    uint32_t key = asker * 2 + answer;
    unsigned count = 2 + mix(key, number, 1) % 7;
    arguments[0] = asker;
    arguments[1] = number;
    for (unsigned i = 2; i < count; i++)
        arguments[i] = mix(key, number, i);
    *size = 0;
    if (mix(key, number, 50) % 4 == 0) {
        *size = 1 + mix(key, number, 51) % (mix(key, number, 52) % 8 == 0 ? 8192 : 600);
        for (size_t i = 0; i < *size; i++)
            data[i] = (unsigned char)(i * 31 + key + number);
    }
    return count;
}

static bool is_right(const clump_message *message, bool answer)
{
    uint32_t arguments[8];
    unsigned char data[8192];
    size_t size;
    if (message->count < 2 || message->arguments[0] >= PROCESSES)
        return false;
    unsigned count =
        compose(message->arguments[0], message->arguments[1], answer, arguments, data, &size);
    return count == message->count && size == message->size &&
           memcmp(arguments, message->arguments, count * sizeof *arguments) == 0 &&
           (size == 0 || memcmp(data, message->data, size) == 0);
}

static void on_request(clump_token *token, const clump_message *message, void *context)
{
    struct process *p = context;
    uint32_t arguments[8];
    unsigned char data[8192];
    size_t size;
    if (!is_right(message, false)) {
        p->wrong++;
        return;
    }
    unsigned count =
        compose(message->arguments[0], message->arguments[1], true, arguments, data, &size);
    clump_protocol_status status =
        size > 0 ? clump_endpoint_reply_bulk(token, 2, arguments, count, data, size)
                 : clump_endpoint_reply(token, 2, arguments, count);
    p->wrong += status != CLUMP_PROTOCOL_OK;
    p->served++;
}

static void on_answer(clump_token *token, const clump_message *message, void *context)
{
    struct process *p = context;
    (void)token;
    if (!is_right(message, true) || message->arguments[0] != p->self ||
        p->pending[message->arguments[1] & 0xffff] != 1)
        p->wrong++;
    else
        p->pending[message->arguments[1] & 0xffff] = 0;
    p->answered++;
}

static void name_of(char *text, size_t size, pid_t parent, unsigned self)
{
    snprintf(text, size, "stress-%ld.%u", (long)parent, self);
}

static void run_process(unsigned self, pid_t parent, const clump_endpoint_options *options,
                        double duration, struct shared *shared)
{
    static struct process p;
    char name[48];
    clump_endpoint *e;
    p.self = self;
    p.random = 88172645463325252u + self;
    name_of(name, sizeof name, parent, self);
    clump_protocol_status status = clump_endpoint_open(name, options, &e);
    clump_endpoint_set_handler(e, 1, on_request, &p);
    clump_endpoint_set_handler(e, 2, on_answer, &p);
    clump_endpoint_set_tag(e, TAG);
    for (unsigned other = 0; other < PROCESSES && status == CLUMP_PROTOCOL_OK; other++) {
        const double until = seconds() + PATIENCE;
        name_of(name, sizeof name, parent, other);
        do {
            status = clump_endpoint_map(e, other, name, TAG);
            clump_endpoint_poll(e, 4, NULL);
        } while ((status == CLUMP_PROTOCOL_NOT_FOUND || status == CLUMP_PROTOCOL_BAD_TAG) &&
                 seconds() < until);
    }
    double end = seconds() + duration;
    while (status == CLUMP_PROTOCOL_OK && (seconds() < end || p.sent == 0)) {
        uint32_t arguments[8];
        unsigned char data[8192];
        size_t size;
        unsigned count = compose(self, p.sent, false, arguments, data, &size);
        if (p.pending[p.sent & 0xffff] != 0) { /* 65536 are under way */
            clump_endpoint_poll(e, 4, NULL);
            continue;
        }
        p.pending[p.sent & 0xffff] = 1;
        p.random ^= p.random << 13, p.random ^= p.random >> 7, p.random ^= p.random << 17;
        unsigned to = (unsigned)(p.random % PROCESSES); /* itself, too */
        status = size > 0 ? clump_endpoint_request_bulk(e, to, 1, arguments, count, data, size)
                          : clump_endpoint_request(e, to, 1, arguments, count);
        p.sent += status == CLUMP_PROTOCOL_OK;
        if (p.random >> 40 == 0)
            pause_us(300); /* descheduled for a while */
    }
    bool counted = false;
    end = seconds() + PATIENCE;
    while (status == CLUMP_PROTOCOL_OK && shared->finished < PROCESSES && seconds() < end) {
        clump_endpoint_poll(e, 4, NULL);
        if (!counted && p.answered == p.sent) {
            counted = true;
            shared->finished++;
        }
    }
    clump_endpoint_statistics statistics;
    clump_endpoint_count(e, &statistics);
    if (status != CLUMP_PROTOCOL_OK)
        strncpy(shared->message[self], clump_endpoint_message(e), 199);
    else if (!counted || p.wrong > 0 || statistics.rejected > 0 || statistics.recovered > 0)
        snprintf(shared->message[self], 200,
                 "%u sent, %u answered, %u wrong, %lu rejected, %lu recovered", p.sent, p.answered,
                 p.wrong, (unsigned long)statistics.rejected, (unsigned long)statistics.recovered);
    shared->sent[self] = p.sent;
    shared->answered[self] = p.answered;
    shared->served[self] = p.served;
    clump_endpoint_close(e);
    _exit(0);
}

TEST(all_to_all)
{
    const char *text = getenv("CLUMP_STRESS_SECONDS");
    double duration = text != NULL ? atof(text) : 0.12;
    static const uint32_t lengths[][2] = {{2, 1}, {8, 2}};
    for (unsigned i = 0; clump_endpoint_algorithm(i) != NULL; i++)
        for (unsigned l = 0; l < 2; l++) {
            clump_endpoint_options options = {.algorithm = clump_endpoint_algorithm(i),
                                              .length = lengths[l][0],
                                              .bulk_length = lengths[l][1],
                                              .events = i % 2 == 1,
                                              .send_timeout_ms = PATIENCE_MS};
            struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            assert_true(shared != MAP_FAILED);
            pid_t parent = getpid();
            for (unsigned self = 0; self < PROCESSES; self++)
                if (fork_child() == 0)
                    run_process(self, parent, &options, duration, shared);
            int how;
            while (wait(&how) > 0)
                assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
            uint32_t sent = 0, served = 0;
            for (unsigned self = 0; self < PROCESSES; self++) {
                if (shared->message[self][0] != '\0')
                    fail_msg("%s, %u packets, process %u: %s", options.algorithm, options.length,
                             self, shared->message[self]);
                assert_int_equal(shared->sent[self], shared->answered[self]);
                sent += shared->sent[self];
                served += shared->served[self];
            }
            assert_int_equal(sent, served);
            assert_true(sent > 0);
            print_message("%s, %u packets: %u requests\n", options.algorithm, options.length, sent);
            munmap(shared, sizeof *shared);
        }
}

UNIT_MAIN(NULL, NULL)
