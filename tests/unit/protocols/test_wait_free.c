/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The wait-free counter of figure 9.3 among processes: every value once, two tries at most, whoever
 * sleeps or dies. All interleavings of two and three: tests/spin/wait_free.pml. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "reproductions/systems/wait_free.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

#include "tests/unit/children.h"

#include <sched.h>
#include <sys/mman.h>

enum { MOST = 4, EACH = 4000 };
static const uint64_t FIRST = UINT64_C(1) << 40;

struct shared {
    _Alignas(64) unsigned char counter[16384];
    _Atomic uint32_t begun;
    _Atomic uint32_t count[MOST]; /* values that a process has returned */
    uint64_t values[MOST][EACH], tries[MOST], helped[MOST];
};

static struct shared *share(uint32_t processes)
{
    struct shared *s =
        mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(s != MAP_FAILED);
    assert_true(clump_wait_free_bytes(processes) <= sizeof s->counter);
    assert_int_equal(clump_wait_free_open(s->counter, processes, FIRST), CLUMP_PROTOCOL_OK);
    return s;
}

static void increment(struct shared *s, uint32_t processes, uint32_t place)
{
    struct clump_wait_free_user u;
    if (clump_wait_free_join(&u, s->counter, processes, place) != CLUMP_PROTOCOL_OK)
        _exit(1);
    atomic_fetch_add(&s->begun, 1);
    while (atomic_load(&s->begun) < processes)
        sched_yield();
    for (uint32_t i = 0; i < EACH; i++) {
        s->values[place][i] = clump_wait_free_increment(&u);
        atomic_store(&s->count[place], i + 1);
    }
    s->tries[place] = u.tries;
    s->helped[place] = u.helped;
    _exit(0);
}

static pid_t start(struct shared *s, uint32_t processes, uint32_t place)
{
    const pid_t child = fork_child();
    if (child == 0)
        increment(s, processes, place);
    return child;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* All values that were returned, in order: each once; `lost` may be missing, of those killed. */
static void expect_each_once(struct shared *s, uint32_t processes, uint32_t lost)
{
    static uint64_t all[MOST * EACH];
    uint32_t n = 0;
    for (uint32_t p = 0; p < processes; p++) {
        const uint32_t count = atomic_load(&s->count[p]);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(i == 0 || s->values[p][i] > s->values[p][i - 1]);
            all[n++] = s->values[p][i];
        }
    }
    qsort(all, n, sizeof *all, compare);
    for (uint32_t i = 1; i < n; i++)
        assert_true(all[i] > all[i - 1]);
    assert_true(all[0] >= FIRST && all[n - 1] < FIRST + n + lost);
}

TEST(test_every_value_once)
{
    for (uint32_t processes = 1; processes <= MOST; processes++) {
        struct shared *s = share(processes);
        pid_t pids[MOST];
        for (uint32_t p = 0; p < processes; p++)
            pids[p] = start(s, processes, p);
        for (uint32_t p = 0; p < processes; p++)
            assert_success_of(pids[p]);
        expect_each_once(s, processes, 0);
        for (uint32_t p = 0; p < processes; p++) {
            assert_int_equal(atomic_load(&s->count[p]), EACH);
            assert_true(s->tries[p] <= 2 * EACH && s->tries[p] + s->helped[p] >= EACH);
            assert_true(processes > 1 || (s->tries[p] == EACH && s->helped[p] == 0));
        }
        munmap(s, sizeof *s);
    }
}

/* One of them is killed or stopped anywhere: the others are done all the same, and what it has
 * announced is done once at most. */
TEST(test_others_go_on)
{
    for (uint32_t turn = 0; turn < 30; turn++) {
        const uint32_t processes = 3;
        const bool stopped = turn % 3 == 0;
        struct shared *s = share(processes);
        pid_t pids[MOST];
        for (uint32_t p = 0; p < processes; p++)
            pids[p] = start(s, processes, p);
        AWAIT(atomic_load(&s->count[0]) >= 10 + 97 * turn, sched_yield());
        assert_int_equal(kill(pids[0], stopped ? SIGSTOP : SIGKILL), 0);
        assert_success_of(pids[1]);
        assert_success_of(pids[2]);
        if (stopped) {
            assert_int_equal(kill(pids[0], SIGCONT), 0);
            assert_success_of(pids[0]);
        } else {
            end_of(pids[0]); /* it may have been done before */
        }
        expect_each_once(s, processes, stopped ? 0 : 1);
        munmap(s, sizeof *s);
    }
}

/* Places beside each other: what one announces the next one's increment does, and both know it. */
TEST(test_helping)
{
    static _Alignas(64) unsigned char memory[65536];
    struct clump_wait_free_user a, b;
    assert_true(clump_wait_free_bytes(64) <= sizeof memory);
    assert_int_equal(clump_wait_free_open(memory, 64, UINT64_MAX), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_wait_free_join(&a, memory, 64, 0), CLUMP_PROTOCOL_OK);
    assert_int_equal(clump_wait_free_join(&b, memory, 64, 63), CLUMP_PROTOCOL_OK);
    assert_true(clump_wait_free_increment(&a) == UINT64_MAX); /* and around */
    for (uint64_t i = 0; i < 1000; i += 2) {
        assert_true(clump_wait_free_increment(&b) == i);
        assert_true(clump_wait_free_increment(&a) == i + 1);
    }
    assert_true(a.helped == 0 && b.helped == 0 && a.tries == 501 && b.tries == 500);
}

TEST(test_input)
{
    static _Alignas(64) unsigned char memory[1024];
    struct clump_wait_free_user u;
    assert_true(clump_wait_free_bytes(0) == 0 && clump_wait_free_bytes(65) == 0);
    assert_true(clump_wait_free_bytes(1) <= sizeof memory);
    assert_int_equal(clump_wait_free_open(memory, 0, 0), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_wait_free_open(memory, 65, 0), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_wait_free_join(&u, memory, 1, 1), CLUMP_PROTOCOL_BAD_INPUT);
    assert_int_equal(clump_wait_free_join(&u, memory, 65, 1), CLUMP_PROTOCOL_BAD_INPUT);
    _Atomic uint64_t counter = 5;
    uint64_t failures = 0;
    assert_true(clump_compare_swap_increment(&counter, &failures) == 5 && counter == 6 &&
                failures == 0);
}

/* Who shares the memory may write anything there: nothing outside it is touched. */
TEST(test_scribbled)
{
    const size_t bytes = clump_wait_free_bytes(2);
    unsigned char *memory = aligned_alloc(64, bytes); /* sanitizers know where it ends */
    struct clump_wait_free_user u;
    assert_non_null(memory);
    for (uint64_t block = 0; block < 65536; block += 21) {
        assert_int_equal(clump_wait_free_open(memory, 2, 0), CLUMP_PROTOCOL_OK);
        assert_int_equal(clump_wait_free_join(&u, memory, 2, 1), CLUMP_PROTOCOL_OK);
        memcpy(memory, &block, sizeof block);
        for (int i = 0; i < 3; i++)
            clump_wait_free_increment(&u);
        assert_true(u.tries <= 6);
    }
    free(memory);
}

UNIT_MAIN(NULL, NULL)
