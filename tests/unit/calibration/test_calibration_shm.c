/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibration: every stage hands out what it promises, what is measured cannot be faster than the
 * machine, and nothing stays behind, whoever is killed.
 */
#define _DEFAULT_SOURCE
#include "protocols/calibration/shm_calibration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include <dirent.h>
#include <math.h>

#include "tests/unit/children.h"

enum { RUNS = 2, MOST = 4000 };

struct kept {
    clump_calibration_sample samples[MOST];
    size_t count;
    bool stop;
    unsigned watched;
};

static struct kept kept;

static bool keep(const clump_calibration_sample *sample, void *context)
{
    struct kept *k = context;
    assert_true(k->count < MOST);
    k->samples[k->count++] = *sample;
    return k->stop;
}

static bool watch(double share, void *context)
{
    struct kept *k = context;
    assert_true(share >= 0 && share <= 1.0001);
    k->watched++;
    return k->stop;
}

static clump_calibration_plan plan_of(unsigned processes)
{
    memset(&kept, 0, sizeof kept);
    return (clump_calibration_plan){.processes = processes,
                                    .runs = RUNS,
                                    .effort = 1,
                                    .sample = keep,
                                    .watch = watch,
                                    .context = &kept};
}

static void run(const clump_calibration_plan *plan, clump_shm_stage stage)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    if (clump_shm_measure(plan, stage, message) != CLUMP_PROTOCOL_OK)
        fail_msg("stage %d: %s", (int)stage, message);
    for (size_t i = 0; i < kept.count; i++) {
        assert_true(isfinite(kept.samples[i].value) && kept.samples[i].value > 0);
        assert_in_range(kept.samples[i].run, 1, RUNS);
        assert_true(kept.samples[i].line_us > 0);
    }
}

/** How many values there are of a quantity, of one size or (-2) any. */
static unsigned count_of(clump_quantity quantity, int64_t size)
{
    unsigned count = 0;
    for (size_t i = 0; i < kept.count; i++)
        count += kept.samples[i].quantity == quantity &&
                 (size == -2 || kept.samples[i].size_bytes == size);
    return count;
}

/** Segments and children that a calibration of process `pid` left. */
static unsigned left_behind(long pid)
{
    char begin[40];
    unsigned count = 0;
    snprintf(begin, sizeof begin, "clump-calibrate-%ld.", pid);
    DIR *folder = opendir("/dev/shm");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        count += strncmp(entry->d_name, begin, strlen(begin)) == 0;
    if (folder != NULL)
        closedir(folder);
    return count;
}

TEST(loggp_of_every_algorithm)
{
    static const char *const algorithms[] = {"lock-free", "lock-free-fifo", "mutex", "swap-list"};
    for (unsigned a = 0; a < 4; a++) {
        clump_calibration_plan plan = plan_of(2);
        plan.algorithm = algorithms[a];
        run(&plan, CLUMP_SHM_LOGGP);
        /* What the values are to each other is for make bench. */
        assert_int_equal(count_of(CLUMP_QUANTITY_LINE_TRANSFER, -1), RUNS);
        assert_int_equal(count_of(CLUMP_QUANTITY_HALF_ROUND_TRIP, 32), RUNS);
        assert_int_equal(count_of(CLUMP_QUANTITY_POLL_COST, -1), RUNS);
        assert_int_equal(count_of(CLUMP_QUANTITY_MESSAGE_GAP, 32), RUNS);
        assert_int_equal(count_of(CLUMP_QUANTITY_SEND_TIME, 32), RUNS);
    }
    assert_int_equal(left_behind((long)getpid()), 0);
}

TEST(sizes_and_pieces)
{
    const clump_calibration_plan plan = plan_of(2);
    run(&plan, CLUMP_SHM_SIZES);
    unsigned pieces = 0;
    assert_int_equal(count_of(CLUMP_QUANTITY_HALF_ROUND_TRIP, 8), RUNS);
    assert_int_equal(count_of(CLUMP_QUANTITY_HALF_ROUND_TRIP, 8192), RUNS);
    for (size_t i = 0; i < kept.count; i++)
        pieces += kept.samples[i].size_bytes == 512 << 10 &&
                  strcmp(kept.samples[i].setting, "fragmented") == 0;
    assert_int_equal(pieces, RUNS);
}

TEST(breakdown_in_order)
{
    static const char *const order[] = {
        "call",     "queue tail", "packet from memory",      "fill packet", "cache-to-cache",
        "overflow", "poll",       "argument and tag checks", "concurrency"};
    const clump_calibration_plan plan = plan_of(2);
    run(&plan, CLUMP_SHM_BREAKDOWN);
    assert_int_equal(kept.count, 9 * RUNS);
    for (size_t i = 0; i < kept.count; i++)
        assert_string_equal(kept.samples[i].setting, order[i % 9]);
}

TEST(crowds)
{
    clump_calibration_plan plan = plan_of(4);
    run(&plan, CLUMP_SHM_STRESS);
    assert_int_equal(count_of(CLUMP_QUANTITY_STRESS_GAP, -2), 3 * RUNS);
    for (unsigned writers = 1; writers <= 3; writers++)
        assert_int_equal(kept.samples[(writers - 1) * RUNS].processes, writers + 1);
    plan = plan_of(2);
    plan.runs = 2;
    run(&plan, CLUMP_SHM_JOBS);
    assert_int_equal(kept.count, 5 * 2);
}

TEST(stopping)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    clump_calibration_plan plan = plan_of(2);
    plan.runs = 1000;
    plan.effort = 100;
    kept.stop = true;
    assert_int_equal(clump_shm_measure(&plan, CLUMP_SHM_LOGGP, message), CLUMP_PROTOCOL_TIMED_OUT);
    assert_int_equal(kept.count, 0);
    assert_int_equal(kept.watched, 1);
    assert_int_equal(left_behind((long)getpid()), 0);
    assert_true(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    /* The other callback: after the first sample. */
    plan = plan_of(2);
    plan.watch = NULL;
    kept.stop = true;
    assert_int_equal(clump_shm_measure(&plan, CLUMP_SHM_BREAKDOWN, message),
                     CLUMP_PROTOCOL_TIMED_OUT);
    assert_int_equal(kept.count, 1);
}

TEST(bad_plans)
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    for (unsigned i = 0; i < 8; i++) {
        clump_calibration_plan plan = plan_of(i == 0 ? 1 : i == 1 ? 65 : 2);
        plan.runs = i == 2 ? 1 : i == 3 ? 1001 : 2;
        plan.effort = i == 4 ? 0 : i == 5 ? 101 : 1;
        plan.sample = i == 6 ? NULL : keep;
        plan.algorithm = i == 7 ? "nonsense" : NULL;
        assert_int_equal(clump_shm_measure(&plan, CLUMP_SHM_LOGGP, message),
                         CLUMP_PROTOCOL_BAD_INPUT);
        assert_true(strlen(message) > 0);
    }
}

/* kill -9 of the caller at different moments: its processes and segments go with it. */
TEST(killed_caller)
{
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER,
          1); /* the dead come to us: not everywhere an init collects them */
#endif
    static const long after_ms[] = {1, 3, 10, 100};
    for (unsigned i = 0; i < 4; i++) {
        clump_calibration_plan plan = plan_of(3);
        plan.runs = 1000;
        plan.effort = 100;
        const pid_t caller = fork_child();
        if (caller == 0) {
            char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
            setpgid(0, 0);
            clump_shm_measure(&plan, CLUMP_SHM_STRESS, message);
            _exit(0);
        }
        setpgid(caller, caller);
        pause_us(1000 * after_ms[i]);
        kill_child(caller);
        AWAIT(kill(-caller, 0) != 0 && errno == ESRCH && left_behind(caller) == 0, {
            pause_us(20000);
            waitpid(-caller, NULL, WNOHANG);
        });
    }
}

UNIT_MAIN(NULL, NULL)
