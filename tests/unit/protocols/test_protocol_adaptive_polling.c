/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/unit/unit.h"

#include "protocols/endpoint/adaptive_polling.h"

__extension__ typedef unsigned __int128 wide;

static clump_polling started(clump_polling_parameters parameters)
{
    clump_polling polling;
    assert_null(clump_polling_check(&parameters));
    clump_polling_start(&polling, &parameters);
    return polling;
}

/** One poll in which everything that may be accepted is there: `local` and `remote` messages. */
static uint32_t poll_once(clump_polling *p, uint32_t local, uint32_t remote)
{
    const uint32_t most = clump_polling_begin(p);
    const uint32_t taken = remote < most ? remote : most;
    clump_polling_end(p, local, taken);
    return taken;
}

/** Parameters of table 4.1 with another damping, and with so fine an accuracy that the floor of
 * (4.8) does not show. */
static clump_polling_parameters fine(uint32_t damping)
{
    clump_polling_parameters parameters = clump_polling_defaults();
    parameters.accuracy = 1u << 20;
    parameters.equality = 1u << 12;
    parameters.damping = damping;
    parameters.minimum_skip = 1;
    parameters.maximum_skip = 1;
    return parameters;
}

TEST(test_table_4_1)
{
    const clump_polling_parameters p = clump_polling_defaults();
    assert_int_equal(p.acceptance, 4);
    assert_int_equal(p.accuracy, 4096);
    assert_int_equal(p.damping, 256);
    assert_int_equal(p.equality, 4);
    assert_int_equal(p.minimum_skip, 4);
    assert_int_equal(p.maximum_skip, 64);
}

/* (4.3): the estimate settles near a n; from above at a n, from below less than d under it. */
TEST(test_local_estimate_settles)
{
    clump_polling_parameters parameters = clump_polling_defaults();
    parameters.equality = 1;
    clump_polling p = started(parameters);
    for (uint32_t n = 1; n <= 4; n++) {
        for (int i = 0; i < 20000; i++)
            poll_once(&p, n, 0);
        assert_int_equal(p.local, 4096u * n - 255); /* rising */
    }
    for (uint32_t n = 3; n >= 1; n--) {
        for (int i = 0; i < 20000; i++)
            poll_once(&p, n, 0);
        assert_int_equal(p.local, 4096u * n); /* falling */
    }
    for (int i = 0; i < 20000; i++)
        poll_once(&p, 0, 0);
    assert_int_equal(p.local, 0);
}

/* Section 4.3: at d = 16 the last 35 polls, at d = 128 the last 293, count at least 10%. */
TEST(test_memory_of_the_estimate)
{
    const struct {
        uint32_t damping;
        int polls;
    } cases[] = {{16, 35}, {128, 293}};
    for (size_t c = 0; c < 2; c++) {
        clump_polling p = started(fine(cases[c].damping));
        poll_once(&p, 1, 0);
        const uint64_t first = p.local;
        int polls = -1;
        for (; p.local * 10 >= first; polls++)
            poll_once(&p, 0, 0);
        assert_int_equal(polls, cases[c].polls);
    }
}

/* Section 4.3: at d = 1,024 it takes 2,357 polls to 90% of the arrival rate. */
TEST(test_rise_of_the_estimate)
{
    clump_polling p = started(fine(1024));
    const uint64_t aim = (UINT64_C(1) << 32) / 10 * 9;
    int polls = 0;
    for (; p.local < aim; polls++)
        poll_once(&p, 1, 0);
    assert_int_equal(polls, 2357);

    /* With the 12 bits of table 4.1 the floor stops the rise at a - d + 1, three quarters. */
    clump_polling_parameters coarse = clump_polling_defaults();
    coarse.damping = 1024;
    coarse.equality = 1;
    p = started(coarse);
    for (int i = 0; i < 100000; i++)
        poll_once(&p, 1, 0);
    assert_int_equal(p.local, 4096 - 1023);
}

/* (4.6): without messages the estimate converges to 1 and stays there, whatever the skip. */
TEST(test_remote_estimate_converges_to_one)
{
    for (uint32_t skip = 1; skip <= 256; skip *= 2) {
        clump_polling_parameters parameters = clump_polling_defaults();
        parameters.minimum_skip = parameters.maximum_skip = skip;
        clump_polling p = started(parameters);
        for (int i = 0; i < 5000; i++)
            poll_once(&p, 0, 1000000);
        assert_true(p.remote > 4096);
        for (int i = 0; i < 200000; i++) {
            poll_once(&p, 0, 0);
            assert_true(p.remote >= 1);
        }
        assert_int_equal(p.remote, 1);
    }
}

/* n messages in every s-th poll: t settles within 2d/s below 1 + a n/s. */
TEST(test_remote_estimate_settles)
{
    for (uint32_t skip = 1; skip <= 64; skip *= 4) {
        clump_polling_parameters parameters = clump_polling_defaults();
        parameters.minimum_skip = parameters.maximum_skip = skip;
        clump_polling p = started(parameters);
        for (int i = 0; i < 100000; i++)
            poll_once(&p, 0, 3);
        const double limit = 1 + 4096.0 * 3 / skip;
        assert_true((double)p.remote <= limit);
        assert_true((double)p.remote > limit - 2.0 * 256 / skip);
    }
}

TEST(test_skips)
{
    clump_polling p = started(clump_polling_defaults());
    for (int i = 0; i < 20000; i++)
        poll_once(&p, 1, 0);
    assert_int_equal(p.skip, 64); /* only local traffic */
    for (int i = 0; i < 20000; i++)
        poll_once(&p, 0, 0);
    assert_int_equal(p.skip, 4); /* silence */
    for (int i = 0; i < 20000; i++)
        poll_once(&p, 0, 1);
    assert_int_equal(p.skip, 4); /* only remote traffic */

    /* Per poll one local message, and one remote message in every `period` polls: s -> k period. */
    for (uint32_t period = 2; period <= 8; period *= 2) {
        clump_polling_parameters parameters = clump_polling_defaults();
        parameters.accuracy = 1u << 20;
        p = started(parameters);
        uint32_t waiting = 0;
        for (uint32_t i = 0; i < 200000; i++) {
            waiting += i % period == 0;
            waiting -= poll_once(&p, 1, waiting);
        }
        assert_in_range(p.skip, 4 * period - 1, 4 * period);
    }
}

/* Messages of both protocols at the highest rate that polls can accept are all accepted. */
TEST(test_skipping_starves_nobody)
{
    clump_polling p = started(clump_polling_defaults());
    srand(1);
    uint32_t waiting = 0, longest = 0;
    for (int i = 0; i < 1000000; i++) {
        waiting += (uint32_t)rand() % 7; /* 3 a poll; 4 can be accepted */
        waiting -= poll_once(&p, (uint32_t)rand() % 5, waiting);
        longest = waiting > longest ? waiting : longest;
    }
    assert_in_range(longest, 1, 2 * 64 * 7);
}

/* The closed forms of 4.2.1, for an accuracy so fine that no floor shows: after i polls with n
 * messages each the estimate is k a n (1 - ((d-1)/d)^i), and without any it keeps that power. */
TEST(test_closed_form_of_the_average)
{
    for (uint32_t d = 16; d <= 1024; d *= 4) {
        const clump_polling_parameters q = fine(d);
        const double full = (double)q.equality * q.accuracy, factor = 1 - 1.0 / d;
        clump_polling p = started(q);
        double power = 1;
        for (uint32_t i = 1; i <= 4 * d; i++) {
            poll_once(&p, 3, 0);
            power *= factor;
            const double expected = 3 * full * (1 - power);
            /* each floor loses less than 1, of which (d-1)/d stays: less than d in all */
            assert_true((double)p.local <= expected * (1 + 1e-12));
            assert_true((double)p.local > expected - d - expected * 1e-12);
        }
        const double top = (double)p.local;
        power = 1;
        for (uint32_t i = 1; i <= 4 * d; i++) {
            poll_once(&p, 0, 0);
            power *= factor;
            assert_true((double)p.local <= top * power * (1 + 1e-12));
            assert_true((double)p.local > top * power - d - top * 1e-12);
        }
    }
}

/* Section 4.2.2: with s polls between looks the remote estimate is damped by 1 - s/(2d) a look. */
TEST(test_memory_of_the_remote_estimate)
{
    for (uint32_t skip = 1; skip <= 64; skip *= 4) {
        clump_polling_parameters q = fine(256);
        q.minimum_skip = q.maximum_skip = skip;
        clump_polling p = started(q);
        double expected = 1;
        uint32_t s = 1; /* the first poll looks, and stands for itself */
        for (int i = 0; i < 3000; i++) {
            const uint32_t taken = poll_once(&p, 0, i < 1500 ? 2 : 0);
            if (p.left != p.skip)
                continue;
            expected = (1 - s / 512.0) * expected + s / 512.0 + taken * 1048576.0 / 512;
            assert_true(fabs((double)p.remote - expected) <= 512.0 / s + 1);
            s = p.skip;
        }
    }
}

/* A look before its turn counts for the polls that it stands for: with one in every 32, estimates
 * and acceptance are those of s = 32, although the strategy would wait for 1,024. */
static void check_hastened(bool hurried)
{
    clump_polling_parameters q = {4, 65536, 4096, 4, 1024, 1024};
    clump_polling hastened = started(q);
    q.minimum_skip = q.maximum_skip = 32;
    clump_polling regular = started(q);
    poll_once(&hastened, 1, 0);
    poll_once(&regular, 1, 0);
    for (int i = 1; i <= 32 * 500; i++) {
        const uint32_t most = clump_polling_begin(&regular);
        if (hurried && i % 32 == 0)
            clump_polling_hurry(&hastened);
        uint32_t allowed = clump_polling_begin(&hastened);
        assert_true(allowed == 0 || hurried);
        if (!hurried && i % 32 == 0)
            allowed = clump_polling_hasten(&hastened);
        assert_int_equal(allowed, most);
        assert_int_equal(most, i % 32 == 0 ? 128 : 0);
        clump_polling_end(&regular, 1, most / 16);
        clump_polling_end(&hastened, 1, allowed / 16);
        assert_true(regular.local == hastened.local && regular.remote == hastened.remote);
    }
    assert_int_equal(hastened.left, 1024);
}

TEST(test_hastened_looks)
{
    check_hastened(false);
    check_hastened(true);
}

/* Every parameter and count, also the extremes, against divisions in 128 bits. */
TEST(test_against_plain_arithmetic)
{
    srand(7);
    for (int trial = 0; trial < 200; trial++) {
        clump_polling_parameters q = clump_polling_defaults();
        q.accuracy = 1u << (1 + rand() % 20);
        q.damping = 1u << (rand() % 17);
        q.equality = 1u << (rand() % 13);
        q.acceptance = trial % 3 == 0 ? 1024 : 1 + (uint32_t)rand() % 1024;
        q.minimum_skip = 1 + (uint32_t)rand() % q.damping;
        q.maximum_skip = trial % 2 == 0 ? q.damping : q.minimum_skip;
        if (clump_polling_check(&q) != NULL)
            continue;
        clump_polling p = started(q);
        wide local = 0, remote = 1, skip = 1, left = 1;
        for (int i = 0; i < 3000; i++) {
            const uint32_t nl =
                trial % 5 == 0 ? q.acceptance : (uint32_t)rand() % (q.acceptance + 1);
            const uint32_t most = clump_polling_begin(&p);
            left--;
            assert_int_equal(most, (uint32_t)(left == 0 ? skip * q.acceptance : 0));
            const uint32_t nr = most == 0 || trial % 7 == 0 ? most : (uint32_t)rand() % most;
            clump_polling_end(&p, nl, nr);
            local = ((q.damping - 1) * local + (wide)q.equality * q.accuracy * nl) / q.damping;
            if (left == 0) {
                remote = ((2 * (wide)q.damping - skip) * remote + skip + (wide)q.accuracy * nr) /
                         (2 * (wide)q.damping);
                skip = local / remote;
                if (skip < q.minimum_skip)
                    skip = q.minimum_skip;
                if (skip > q.maximum_skip)
                    skip = q.maximum_skip;
                left = skip;
            }
            assert_true(p.local == local && p.remote == remote && p.skip == skip);
        }
    }
}

TEST(test_strategies)
{
    clump_polling_parameters q = clump_polling_defaults();
    assert_int_equal(clump_polling_parse("adaptive", &q), CLUMP_PROTOCOL_OK);
    assert_int_equal(q.maximum_skip, 64);
    assert_int_equal(clump_polling_parse("fractional:16", &q), CLUMP_PROTOCOL_OK);
    clump_polling p = started(q);
    int looked = 0;
    for (int i = 0; i < 1600; i++)
        looked += poll_once(&p, 1, 1) != 0;
    assert_in_range(looked, 100, 101); /* also in the first poll */
    assert_int_equal(clump_polling_parse("always", &q), CLUMP_PROTOCOL_OK);
    p = started(q);
    for (int i = 0; i < 100; i++)
        assert_int_equal(poll_once(&p, 4, 9), 4);

    q = clump_polling_defaults();
    assert_int_equal(clump_polling_parse("adaptive:s_max=2048,d=4096,a=65536", &q),
                     CLUMP_PROTOCOL_OK);
    assert_memory_equal(&q, (&(clump_polling_parameters){4, 65536, 4096, 4, 4, 2048}), sizeof q);
    char text[CLUMP_POLLING_TEXT];
    clump_polling_write(&(clump_polling_parameters){1, 2, 3, 4, 5, UINT32_MAX}, text);
    assert_string_equal(text, "adaptive:acceptance=1,a=2,d=3,k=4,s_min=5,s_max=4294967295");
    clump_polling_write(&(clump_polling_parameters){1024, 1048576, 65536, 4096, 65536, 65536},
                        text);
    assert_int_equal(clump_polling_parse(text, &q), CLUMP_PROTOCOL_OK);
    assert_int_equal(q.accuracy, 1048576);
    assert_int_equal(q.minimum_skip, 65536);

    const char *wrong[] = {"",
                           "adaptive:",
                           "adaptive: s_max=8",
                           "adaptive:s_max",
                           "adaptive:s_max=",
                           "adaptive:s_max=8,",
                           "adaptive:smax=8",
                           "adaptive:s_max=-8",
                           "adaptive:=8",
                           "adaptive:k=99999999999999999999",
                           "adaptive:k=4;d=8",
                           "always:1",
                           "often",
                           "fractional",
                           "fractional:",
                           "fractional:0",
                           "fractional:-1",
                           "fractional:257",
                           "fractional:4x",
                           "fractional:99999999999999999999",
                           "always "};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        clump_polling_parameters before = clump_polling_defaults(), after = before;
        assert_int_equal(clump_polling_parse(wrong[i], &after), CLUMP_PROTOCOL_BAD_INPUT);
        assert_memory_equal(&before, &after, sizeof before);
    }
}

TEST(test_parameters_that_cannot_be_used)
{
    const clump_polling_parameters wrong[] = {
        {0, 4096, 256, 4, 4, 64}, {1025, 4096, 256, 4, 4, 64},  {4, 0, 256, 4, 4, 64},
        {4, 4095, 256, 4, 4, 64}, {4, 1u << 21, 256, 4, 4, 64}, {4, 4096, 0, 4, 4, 64},
        {4, 4096, 255, 4, 4, 64}, {4, 4096, 4096, 4, 4, 64},    {4, 1u << 20, 1u << 17, 4, 4, 64},
        {4, 4096, 256, 0, 4, 64}, {4, 4096, 256, 3, 4, 64},     {4, 4096, 256, 8192, 4, 64},
        {4, 4096, 256, 4, 0, 64}, {4, 4096, 256, 4, 65, 64},    {4, 4096, 256, 4, 4, 257},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_non_null(clump_polling_check(&wrong[i]));
}

UNIT_MAIN(NULL, NULL)
