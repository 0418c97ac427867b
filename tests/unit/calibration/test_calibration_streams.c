/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `calibrate memory`: where processes are put, what they are refused, and what follows from samples.
 * Never how fast. */
#include "tests/unit/unit.h"

#include "protocols/calibration/memory_calibration.h"
#include "protocols/calibration/memory_streams.h"
#include "protocols/calibration/memory_system.h"
#include "protocols/calibration/team.h"
#include "protocols/calibration/workers.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- processes */

static void end_somehow(unsigned rank, void *context)
{
    const int *signals = context;
    if (signals[rank] > 0)
        raise(signals[rank]);
    _exit(7);
}

/* How a process ended is a fact of its own, beside the words. */
TEST(workers_end)
{
    const int signals[] = {SIGKILL, SIGTERM, 0};
    for (unsigned i = 0; i < 3; i++) {
        int how = signals[i];
        pid_t child = 0;
        unsigned rank = 1;
        char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "", expected[80];
        clump_workers workers = {.count = 1, .children = &child, .signal = -1};
        assert_true(clump_workers_start(&workers, SIGKILL, end_somehow, &how, message));
        const struct timespec nap = {.tv_nsec = 1000000};
        while (clump_workers_look(&workers, &rank, message))
            nanosleep(&nap, NULL);
        assert_int_equal(rank, 0);
        assert_int_equal(workers.left, 0);
        assert_int_equal(workers.signal, how);
        if (how > 0)
            snprintf(expected, sizeof expected, "process 1 of 1 was ended by signal %d", how);
        else
            snprintf(expected, sizeof expected, "process 1 of 1 ended with exit code 7");
        assert_string_equal(message, expected);
        clump_workers_end(&workers);
    }
}

/* ---- a machine made of files */

static char root[64];

static void write_file(const char *path, const char *text)
{
    char whole[300];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *c = whole + strlen(root) + 1; *c != '\0'; c++)
        if (*c == '/') {
            *c = '\0';
            assert_true(mkdir(whole, 0700) == 0 || errno == EEXIST);
            *c = '/';
        }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/clump-streams-XXXXXX");
    return mkdtemp(root) == NULL;
}

static int remove_root(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command) != 0;
}

/* Of a machine that hwloc makes up. */
static void look(clump_memory_system *system, const char *machine, const char *cpus)
{
    hwloc_topology_t topology;
    const hwloc_bitmap_t set = hwloc_bitmap_alloc();
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, machine), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    assert_int_equal(hwloc_bitmap_list_sscanf(set, cpus), 0);
    clump_memory_look_at(topology, set, system);
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
}

static void ordered(clump_memory_system *system, clump_memory_spread spread, const int *cpus)
{
    clump_memory_order(system, spread);
    for (unsigned i = 0; i < system->count; i++)
        assert_int_equal(system->processors[i].cpu, cpus[i]);
}

/* Two sockets with a memory node each, two cores a socket, two threads a core; numbers as Linux
 * gives them: first threads first, sockets in turn. */
TEST(order_of_processors)
{
    static const char machine[] =
        "pack:2 [numa] l3:1(size=37748736) l2:2 core:1 pu:2(indexes=0,4,2,6,1,5,3,7)";
    clump_memory_system system;
    unsigned nodes, sockets;
    look(&system, machine, "0-7");
    assert_int_equal(system.count, 8);
    assert_int_equal(system.nodes, 2);
    assert_int_equal(system.sockets, 2);
    assert_int_equal(system.cache_bytes, 36 << 20);
    ordered(&system, CLUMP_MEMORY_SCATTER, (const int[]){0, 1, 2, 3, 4, 5, 6, 7});
    clump_memory_places(&system, 2, &nodes, &sockets);
    assert_int_equal(nodes, 2);
    ordered(&system, CLUMP_MEMORY_COMPACT, (const int[]){0, 2, 4, 6, 1, 3, 5, 7});
    clump_memory_places(&system, 4, &nodes, &sockets);
    assert_int_equal(nodes, 1);
    assert_int_equal(sockets, 1);
    /* Only some may be used: the second thread of a core is the first one then. */
    look(&system, machine, "2,4-6");
    ordered(&system, CLUMP_MEMORY_COMPACT, (const int[]){2, 4, 6, 5});
    ordered(&system, CLUMP_MEMORY_SCATTER, (const int[]){2, 5, 4, 6});
    /* Cores that are not known are not one core. */
    look(&system, "pu:2", "0-1");
    assert_int_equal(system.nodes, 1);
    assert_int_equal(system.sockets, 1);
    assert_int_equal(system.cache_bytes, 0);
    ordered(&system, CLUMP_MEMORY_SCATTER, (const int[]){0, 1});
}

static uint64_t available(void)
{
    char sys[80], proc[80];
    snprintf(sys, sizeof sys, "%s/sys", root);
    snprintf(proc, sizeof proc, "%s/proc", root);
    return clump_memory_available(sys, proc);
}

TEST_WITH(memory_that_can_be_had, make_root, remove_root)
{
    assert_int_equal(available(), 0); /* nothing is there */
    write_file("proc/meminfo", "MemAvailable: lots\n");
    write_file("proc/self/cgroup", "no colons\n0::/../../etc\n:::\n");
    assert_int_equal(available(), 0);
    write_file("proc/meminfo", "MemTotal:  9000 kB\nMemFree: 10 kB\nMemAvailable:    4096 kB\n");
    assert_int_equal(available(), 4096 << 10);
    write_file("proc/self/cgroup", "5:cpu:/\n4:memory:/job\n0::/user/mine\n");
    write_file("sys/fs/cgroup/user/mine/memory.max", "max\n");
    assert_int_equal(available(), 4096 << 10);
    write_file("sys/fs/cgroup/user/memory.max", "3000000\n");
    assert_int_equal(available(), 3000000);
    write_file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2000000\n");
    assert_int_equal(available(), 2000000);
}

TEST_WITH(time_of_others, make_root, remove_root)
{
    char proc[80];
    snprintf(proc, sizeof proc, "%s/proc", root);
    assert_true(isnan(clump_memory_others(proc, NULL, 0)));
    write_file("proc/stat", "cpu  9 9 9 9 9 9 9 9 9 9\n"
                            "cpu0 100 20 3 1000 5000 400 50 6 100 20\n"
                            "cpu1 7 0 0 1000\n"
                            "cpu2 nonsense\n"
                            "cpu10 1000 0 0 0 0 0 0 0 0 0\n"
                            "intr 1 2 3\ncpu3 9 9 9 9 9 9 9 9\n");
    /* User, nice, system, interrupts and what the host took; neither idle nor waiting for I/O, nor
     * guests, which are users. */
    const double second = (double)sysconf(_SC_CLK_TCK);
    assert_float_equal(clump_memory_others(proc, NULL, 0) * second, 579 + 7 + 1000, 1e-9);
    assert_float_equal(clump_memory_others(proc, (const int[]){10, 1}, 2) * second, 579, 1e-9);
    assert_float_equal(clump_memory_others(proc, (const int[]){0, 1, 10}, 3), 0, 0);
    write_file("proc/stat", "processes 5\n");
    assert_true(isnan(clump_memory_others(proc, NULL, 0)));
}

TEST(this_machine)
{
    clump_memory_system system;
    assert_true(clump_memory_look(&system));
    assert_int_equal(system.count, clump_team_processors());
    assert_true(system.nodes >= 1 && system.sockets >= 1);
}

/* ---- processes that stream */

static bool go_on(void *context)
{
    (void)context;
    return false;
}

static bool stop(void *context)
{
    ++*(int *)context;
    return true;
}

static char message[CLUMP_CALIBRATION_MESSAGE_BYTES];

static clump_memory_options options_for(const int *cpus, unsigned count)
{
    return (clump_memory_options){
        .count = count, .cpus = cpus, .array_bytes = 1, .window_ms = 2, .watch = go_on};
}

static void nobody_is_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

TEST(streams)
{
    clump_memory_system system;
    clump_protocol_status status;
    clump_memory_measured measured;
    int cpus[2];
    assert_true(clump_memory_look(&system));
    const unsigned count = system.count < 2 ? 1 : 2;
    for (unsigned i = 0; i < count; i++)
        cpus[i] = system.processors[i].cpu;
    const clump_memory_options options = options_for(cpus, count);
    clump_memory_streams *s = clump_memory_start(&options, &status, message);
    if (s == NULL)
        fail_msg("%s", message);
    for (int k = 0; k < CLUMP_MEMORY_KERNELS; k++)
        for (unsigned n = 1; n <= count; n++) {
            status = clump_memory_measure(s, (clump_memory_kernel)k, n, &measured, message);
            assert_int_equal(status, CLUMP_PROTOCOL_OK);
            assert_true(isfinite(measured.total) && measured.slowest > 0 && measured.blocks > 0);
            assert_true(measured.total >= n * measured.slowest * (1 - 1e-12));
        }
    double line_us = -1;
    assert_int_equal(clump_memory_line(s, &line_us, message), CLUMP_PROTOCOL_OK);
    assert_true(line_us >= 0 && (count == 2 || line_us == 0));
    clump_memory_end(s);
    nobody_is_left();
}

TEST(refused_starts)
{
    clump_memory_system system;
    clump_protocol_status status;
    int asked = 0;
    assert_true(clump_memory_look(&system));
    /* A processor that is not there. */
    const int cpus[2] = {system.processors[0].cpu, 1023};
    clump_memory_options options = options_for(cpus, 2);
    assert_null(clump_memory_start(&options, &status, message));
    assert_int_equal(status, CLUMP_PROTOCOL_FAILED);
    assert_non_null(strstr(message, "process 2 of 2 cannot be put on processor 1023: "));
    nobody_is_left();
    /* Memory that no machine has. */
    options = options_for(cpus, 1);
    options.array_bytes = UINT64_C(1) << 60;
    assert_null(clump_memory_start(&options, &status, message));
    assert_int_equal(status, CLUMP_PROTOCOL_FAILED);
    assert_non_null(strstr(message, "process 1 of 1 cannot have 3 arrays of"));
    nobody_is_left();
    /* Stopped: half a terabyte would take its time to be touched. */
    options.array_bytes = UINT64_C(1) << 37;
    options.watch = stop;
    options.context = &asked;
    clump_memory_streams *s = clump_memory_start(&options, &status, message);
    assert_null(s);
    assert_true(asked == 1 ? status == CLUMP_PROTOCOL_TIMED_OUT
                           : strstr(message, "cannot have 3 arrays") != NULL);
    nobody_is_left();
    clump_memory_end(NULL);
}

/* ---- what follows from samples */

static void add(clump_calibration *c, const char *kernel, unsigned processes, int run, double total,
                bool doubtful)
{
    assert_true(clump_calibration_add(
        &c->samples, &(clump_calibration_sample){.benchmark = CLUMP_BENCHMARK_MEMORY_STREAMS,
                                                 .quantity = CLUMP_QUANTITY_MEMORY_BANDWIDTH,
                                                 .variant = kernel,
                                                 .value = total,
                                                 .size_bytes = -1,
                                                 .run = run,
                                                 .processes = processes,
                                                 .doubtful = doubtful}));
}

TEST(ratios_are_of_one_run)
{
    static const unsigned counts[] = {1, 2};
    clump_memory_question q = {.counts = counts, .count_count = 2, .kernels = {true, false, true}};
    clump_calibration c = {.kind = &clump_calibration_memory, .own = &q};
    q.system.count = 2;
    add(&c, "read", 1, 1, 10, false);
    add(&c, "read", 2, 1, 11, true);
    /* The machine runs twice as fast in the second run: ratios 1.5, 1.6, 1.7; that of the fourth
     * has a doubtful half. */
    const double one[] = {10, 20, 10, 99}, two[] = {15, 32, 17, 16};
    for (int r = 0; r < 4; r++) {
        add(&c, "triad", 1, r + 1, one[r], r == 3);
        add(&c, "triad", 2, r + 1, two[r], false);
    }
    assert_int_equal(clump_calibration_memory.derive(&c), CLUMP_CALIBRATION_OK);
    assert_int_equal(q.row_count, 4);
    const clump_memory_row *feeds = clump_memory_feeds(&q);
    assert_ptr_equal(feeds, &q.rows[3]);
    assert_float_equal(feeds->ratio, 1.6, 1e-12);
    /* Student's 97.5% quantile for 2 degrees of freedom; standard deviation 0.1. */
    assert_float_equal(feeds->ratio_half_width, 4.3026527 * 0.1 / sqrt(3), 1e-7);
    assert_float_equal(feeds->total, 20, 1e-12);
    assert_int_equal(feeds->runs, 4);
    assert_float_equal(q.rows[2].ratio, 1, 0);
    assert_int_equal(q.rows[2].doubtful, 1);
    assert_true(isnan(q.rows[1].ratio) && isnan(q.rows[1].total)); /* doubt is inherited */
    assert_int_equal(c.parameter_count, 1);
    assert_string_equal(c.parameters[0].variant, "triad");
    assert_int_equal(c.parameters[0].quantity, CLUMP_QUANTITY_MEMORY_FEEDS);
    assert_float_equal(c.parameters[0].value, 1.6, 1e-12);
    clump_calibration_close(&c);
}

UNIT_MAIN(NULL, NULL)
