/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often an endpoint looks at its network: what it is told, what it finds out, and that whoever
 * calls over the network is answered in time; and the calibration of all that. */
#include "protocols/calibration/two_protocols.h"
#include "protocols/endpoint/endpoint_private.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <math.h>
#include <pthread.h>

#include "tests/unit/children.h"

#define TAG UINT64_C(0xC0FFEE)

static clump_endpoint *open_as(const char *suffix, clump_endpoint_options options)
{
    char name[40];
    snprintf(name, sizeof name, "polling-%ld.%s", (long)getpid(), suffix);
    clump_endpoint *e;
    options.listen = "127.0.0.1:0";
    if (clump_endpoint_open(name, &options, &e) != CLUMP_PROTOCOL_OK)
        fail_msg("%s", clump_endpoint_message(e));
    clump_endpoint_set_tag(e, TAG);
    return e;
}

static clump_endpoint_traffic traffic_of(const clump_endpoint *e)
{
    clump_endpoint_traffic traffic;
    clump_endpoint_count_traffic(e, &traffic);
    return traffic;
}

/* ---- what it is told */

static uint64_t maximum_skip(clump_endpoint_options options)
{
    clump_endpoint *e = open_as("one", options);
    const uint64_t skip = traffic_of(e).maximum_skip;
    clump_endpoint_close(e);
    return skip;
}

TEST(test_strategies)
{
    const clump_polling_parameters own = {4, 4096, 256, 4, 4, 128};
    assert_int_equal(maximum_skip((clump_endpoint_options){.polling = "adaptive"}), 64);
    assert_int_equal(maximum_skip((clump_endpoint_options){.polling = "always"}), 1);
    assert_int_equal(maximum_skip((clump_endpoint_options){.polling = "fractional:8"}), 8);
    assert_int_equal(maximum_skip((clump_endpoint_options){.polling_parameters = &own}), 128);
    assert_int_equal(maximum_skip((clump_endpoint_options){.polling = "adaptive:s_max=32",
                                                           .polling_parameters = &own}),
                     32);
    const uint64_t measured = maximum_skip((clump_endpoint_options){0});
    assert_in_range(measured, 16, 4096);
    assert_int_equal(measured & (measured - 1), 0);

    assert_in_range(maximum_skip((clump_endpoint_options){.polling = "measured"}), 16, 4096);
    assert_int_equal(
        maximum_skip((clump_endpoint_options){.polling = "adaptive:d=2048,a=32768,s_max=2048"}),
        2048);
}

static void assert_refused(clump_protocol_status status, clump_endpoint *e, const char *why)
{
    assert_int_equal(status, CLUMP_PROTOCOL_BAD_INPUT);
    if (strstr(clump_endpoint_message(e), why) == NULL)
        fail_msg("'%s' lacks '%s'", clump_endpoint_message(e), why);
}

TEST(test_mistakes)
{
    clump_endpoint_options listening = {.listen = "127.0.0.1:0", .polling = "adaptive:smax=9"};
    clump_protocol_status status;
    clump_endpoint *e;
    status = clump_endpoint_open(name_of_own("polling-mistakes"), &listening, &e);
    assert_refused(status, e, "polling \"adaptive:smax=9\": expected measured, adaptive, always");
    clump_endpoint_close(e);
    listening.polling = "adaptive:s_max=512";
    status = clump_endpoint_open(name_of_own("polling-mistakes"), &listening, &e);
    assert_refused(status, e, "polling: the maximum skip must not exceed the damping d");
    clump_endpoint_close(e);
    e = open_as("mistakes", (clump_endpoint_options){.polling = "fractional:16"});
    assert_refused(clump_endpoint_set_polling(e, "often", NULL), e, "polling \"often\"");
    assert_refused(clump_endpoint_set_polling(e, "adaptive:k=3", NULL), e, "equality k");
    const clump_polling_parameters wrong = {0, 4096, 256, 4, 4, 64};
    assert_refused(clump_endpoint_set_polling(e, NULL, &wrong), e, "acceptance count");
    assert_int_equal(traffic_of(e).maximum_skip, 16); /* nothing was changed */
    assert_int_equal(clump_endpoint_set_polling(e, "adaptive", NULL), CLUMP_PROTOCOL_OK);
    assert_int_equal(traffic_of(e).maximum_skip, 64);
    clump_endpoint_close(e);

    assert_int_equal(clump_endpoint_open(name_of_own("polling-mistakes"), NULL, &e),
                     CLUMP_PROTOCOL_OK);
    assert_refused(clump_endpoint_set_polling(e, "always", NULL), e, "without `listen`");
    clump_endpoint_close(e);
}

/* s_max = 64 look/8.51, the nearest power of two: 8.51 is 2.604 us to 0.306 us (table 7.1). */
TEST(test_settings_for_a_look)
{
    const struct {
        double look;
        uint32_t skip, damping, accuracy;
    } cases[] = {{8.51, 64, 256, 4096},    {2, 16, 256, 4096},       {0.01, 16, 256, 4096},
                 {17.02, 128, 256, 4096},  {90, 512, 512, 8192},     {97, 1024, 1024, 16384},
                 {1e6, 4096, 4096, 65536}, {0, 64, 256, 4096},       {-1, 64, 256, 4096},
                 {NAN, 64, 256, 4096},     {INFINITY, 64, 256, 4096}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const clump_polling_parameters p = clump_polling_for(cases[i].look);
        assert_null(clump_polling_check(&p));
        assert_int_equal(p.maximum_skip, cases[i].skip);
        assert_int_equal(p.damping, cases[i].damping);
        assert_int_equal(p.accuracy, cases[i].accuracy);
        assert_int_equal(p.minimum_skip, 4);
        assert_int_equal(p.equality, 4);
        assert_int_equal(p.acceptance, 4);
    }
}

/* ---- that it looks in time */

static const clump_polling_parameters seldom = {4, 1 << 20, 1 << 16, 4, 1 << 16, 1 << 16};

/* After 64 polls the clock decides: every 64th poll looks if that is late, none if it is not. */
TEST(test_looks_by_the_clock)
{
    const uint32_t patience[] = {1, PATIENCE_US};
    for (int i = 0; i < 2; i++) {
        clump_endpoint *e = open_as("clock", (clump_endpoint_options){.polling_parameters = &seldom,
                                                                      .patience_us = patience[i]});
        for (int poll = 0; poll < 1 + 16 * 64; poll++) {
            clump_endpoint_poll(e, 1, NULL);
            if (poll % 32 == 0)
                pause_us(10);
        }
        assert_int_equal(traffic_of(e).looks, i == 0 ? 17 : 1); /* the first poll looks */
        clump_endpoint_close(e);
    }
}

struct server {
    clump_endpoint *endpoint;
    _Atomic bool ready, done;
    _Atomic unsigned polls;
};

static void on_ask(clump_token *token, const clump_message *m, void *context)
{
    (void)context;
    clump_endpoint_reply(token, 2, m->arguments, m->count);
}

static void on_answer(clump_token *token, const clump_message *m, void *context)
{
    (void)token, (void)m;
    ++*(unsigned *)context;
}

/** Computes most of the time; messages of its own through shared memory keep its estimate high. */
static void *serve(void *of)
{
    struct server *s = of;
    char self[40];
    snprintf(self, sizeof self, "polling-%ld.server", (long)getpid());
    unsigned answers = 0;
    s->endpoint = open_as(
        "server", (clump_endpoint_options){.polling_parameters = &seldom, .patience_us = 1000});
    clump_endpoint_set_handler(s->endpoint, 1, on_ask, NULL);
    clump_endpoint_set_handler(s->endpoint, 2, on_answer, &answers);
    clump_protocol_status status = clump_endpoint_map(s->endpoint, 0, self, TAG);
    s->ready = true;
    while (!s->done && status == CLUMP_PROTOCOL_OK) {
        status = clump_endpoint_request(s->endpoint, 0, 1, NULL, 0);
        clump_endpoint_poll(s->endpoint, 1, NULL);
        s->polls++;
        pause_us(20);
    }
    clump_endpoint_close(s->endpoint);
    return status == CLUMP_PROTOCOL_OK && answers > 0 ? s : NULL;
}

/* A process that computes between polls and hears of shared memory only: without the clock a
 * request over the network would wait for 65,536 polls. */
TEST(test_answers_beside_local_traffic)
{
    struct server server = {.endpoint = NULL};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, serve, &server), 0);
    AWAIT(server.ready, pause_us(100));
    unsigned answers = 0, least_polls = UINT32_MAX;
    clump_endpoint *e = open_as("client", (clump_endpoint_options){.polling = "always"});
    clump_endpoint_set_handler(e, 2, on_answer, &answers);
    char where[80];
    snprintf(where, sizeof where, "@%s", clump_endpoint_address(server.endpoint));
    clump_protocol_status status;
    AWAIT((status = clump_endpoint_map(e, 0, where, TAG)) != CLUMP_PROTOCOL_NOT_FOUND, (void)0);
    assert_int_equal(status, CLUMP_PROTOCOL_OK);
    /* We may lose the processor between two lines here, but not every time. */
    for (unsigned i = 0; i < 3 || (least_polls > 16384 && i < 100); i++) {
        const unsigned before = server.polls;
        assert_int_equal(clump_endpoint_request(e, 0, 1, NULL, 0), CLUMP_PROTOCOL_OK);
        AWAIT(answers > i, clump_endpoint_poll(e, 1, NULL));
        const unsigned polls = server.polls - before;
        least_polls = polls < least_polls ? polls : least_polls;
    }
    assert_in_range(least_polls, 0, 16384);
    server.done = true;
    void *fine;
    assert_int_equal(pthread_join(thread, &fine), 0);
    assert_ptr_equal(fine, &server);
    clump_endpoint_close(e);
}

/* Each protocol alone: the other one is not looked at. */
TEST(test_isolation)
{
    clump_endpoint *e = open_as("alone", (clump_endpoint_options){.polling = "fractional:4"});
    clump_endpoint_isolate(e, true, false);
    for (int i = 0; i < 100; i++)
        clump_endpoint_poll(e, 1, NULL);
    clump_endpoint_isolate(e, false, true);
    assert_int_equal(traffic_of(e).looks, 0);
    for (int i = 0; i < 100; i++)
        clump_endpoint_poll(e, 1, NULL);
    assert_int_equal(traffic_of(e).looks, 100);
    clump_endpoint_isolate(e, true, true);
    for (int i = 0; i < 101; i++)
        clump_endpoint_poll(e, 1, NULL);
    assert_int_equal(traffic_of(e).looks, 126);
    clump_endpoint_isolate(e, true, false); /* nothing is lost when it is closed so */
    clump_endpoint_close(e);
}

/* ---- calibration */

struct counted {
    unsigned all, network, wrong;
    int64_t last_run;
    bool stop;
};

static bool count(const clump_calibration_sample *s, void *context)
{
    struct counted *c = context;
    c->all++;
    c->network += s->network;
    c->wrong += !(s->value > 0) || !isfinite(s->value) || s->variant == NULL || !(s->line_us > 0);
    c->last_run = s->run;
    return c->stop;
}

TEST(test_calibration)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    struct counted c = {0};
    const clump_calibration_plan plan = {
        .processes = 2, .runs = 2, .effort = 1, .sample = count, .context = &c};
    clump_multi_strategy strategies[2] = {{.name = "always"}, {.name = "adaptive"}};
    for (int i = 0; i < 2; i++) {
        strategies[i].parameters = clump_polling_defaults();
        clump_polling_parse(strategies[i].name, &strategies[i].parameters);
    }
    if (clump_multi_polls(&plan, message) != CLUMP_PROTOCOL_OK)
        fail_msg("%s", message);
    assert_int_equal(c.all, 2 * 7);
    assert_int_equal(c.network, 2 * 3);
    assert_int_equal(c.last_run, 2);

    c = (struct counted){0};
    if (clump_multi_loggp(&plan, strategies, 1, message) != CLUMP_PROTOCOL_OK)
        fail_msg("%s", message);
    /* Of each protocol alone a poll, too; o_r may be too small to be told. */
    assert_in_range(c.all, 2 * (4 * 4 + 2), 2 * (4 * 5 + 2));
    assert_in_range(c.network, 2 * (2 * 4 + 1), 2 * (2 * 5 + 1));

    assert_string_equal(clump_benchmark_name(CLUMP_BENCHMARK_ALL_TO_ALL_SHORT), "all-to-all short");
    assert_int_equal(CLUMP_MULTI_PATTERNS, 6);
    c.wrong = c.all = 0;
    if (clump_multi_scan(&plan, strategies, 2, message) != CLUMP_PROTOCOL_OK)
        fail_msg("%s", message);
    assert_int_equal(c.all, 2 * 2 * CLUMP_MULTI_PATTERNS);
    assert_int_equal(c.wrong, 0);

    c = (struct counted){.stop = true};
    assert_int_equal(clump_multi_polls(&plan, message), CLUMP_PROTOCOL_TIMED_OUT);
    assert_int_equal(c.all, 1);
    clump_calibration_plan wrong = plan;
    wrong.runs = 1;
    assert_int_equal(clump_multi_polls(&wrong, message), CLUMP_PROTOCOL_BAD_INPUT);
    assert_non_null(strstr(message, "expected 2 to"));
    assert_int_equal(clump_multi_scan(&plan, strategies, CLUMP_MULTI_STRATEGIES + 1, message),
                     CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_multi_loggp(&plan, strategies, CLUMP_MULTI_STRATEGIES + 1, message),
                     CLUMP_PROTOCOL_BAD_INPUT);
}

UNIT_MAIN(NULL, NULL)
