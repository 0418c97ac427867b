/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random schedules against the times that LogGOPSim found for them (tests/golden/loggopsim.csv).
 * Called with the name of a folder the program writes the schedules there, for
 * tests/golden/loggopsim.sh.
 *
 * They keep away from what LogGOPSim does differently (clumpmodel-simulate(1)): what is required is
 * on the same CPU, at most 16 operations of a rank become ready at once, all messages to a rank are
 * on the same side of S, and o and g are at least G.
 */
#include "tests/unit/unit.h"

#include "model/simulation/schedule.h"
#include "tests/unit/golden.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCHEDULES = 400,
    MOST_RANKS = 8,
    MOST_OF_A_RANK = 160,
    AT_ONCE = 8,
    NEAR = 5,
    TEXT = 100000
};

/* Whole nanoseconds, as LogGOPSim takes them. */
typedef struct parameters {
    unsigned L, o, g, G, O, S;
} parameters;

typedef struct operation {
    char text[64];
    unsigned cpu;
    int requires[2];
    bool at_start[2];
} operation;

typedef struct program {
    unsigned ranks, cpus;
    operation operations[MOST_RANKS][MOST_OF_A_RANK];
    unsigned counts[MOST_RANKS];
    uint64_t random;
    unsigned dependent; /* percent of the operations */
} program;

static unsigned draw(program *p, unsigned below)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)((p->random >> 33) % below);
}

static bool happens(program *p, unsigned percent)
{
    return draw(p, 100) < percent;
}

static operation *add(program *p, unsigned rank, unsigned cpu)
{
    const unsigned i = p->counts[rank]++;
    operation *o = &p->operations[rank][i];
    *o = (operation){.cpu = cpu, .requires = {-1, -1}};
    int near[NEAR], count = 0;
    for (unsigned k = i; k-- > 0 && count < NEAR;)
        if (p->operations[rank][k].cpu == cpu)
            near[count++] = (int)k;
    for (int k = 0; k < 2; k++)
        if (count > 0 && (i >= AT_ONCE || happens(p, p->dependent)) && (k == 0 || happens(p, 30))) {
            o->requires[k] = near[draw(p, (unsigned)count)];
            o->at_start[k] = happens(p, 15);
        }
    return o;
}

static void add_message(program *p, const parameters *q, unsigned tags, bool any, bool empty)
{
    const unsigned from = draw(p, p->ranks), cpu = draw(p, p->cpus);
    const unsigned to = (from + 1 + draw(p, p->ranks - 1)) % p->ranks;
    const unsigned tag = draw(p, tags) + 1000 * cpu;
    unsigned bytes = happens(p, 30) ? 1 : 1 + draw(p, happens(p, 50) ? 64 : q->S);
    if (empty && happens(p, 25))
        bytes = 0;
    if (to % 2 == 1 && q->S < 10000)
        bytes += q->S + 1;
    operation *send = add(p, from, cpu);
    snprintf(send->text, sizeof send->text, "send %ub to %u tag %u cpu %u", bytes, to, tag, cpu);
    operation *receive = add(p, to, cpu);
    char source[16] = "-1", label[16] = "-1";
    if (!any || happens(p, 85))
        snprintf(source, sizeof source, "%u", from);
    if (!any || p->cpus > 1 || happens(p, 90))
        snprintf(label, sizeof label, "%u", tag);
    snprintf(receive->text, sizeof receive->text, "recv %ub from %s tag %s cpu %u", bytes, source,
             label, cpu);
}

static size_t print(const program *p, char text[TEXT])
{
    size_t used = (size_t)snprintf(text, TEXT, "num_ranks %u\n", p->ranks);
    for (unsigned r = 0; r < p->ranks; r++) {
        used += (size_t)snprintf(text + used, TEXT - used, "rank %u {\n", r);
        for (unsigned i = 0; i < p->counts[r]; i++)
            used += (size_t)snprintf(text + used, TEXT - used, "l%u: %s\n", i,
                                     p->operations[r][i].text);
        for (unsigned i = 0; i < p->counts[r]; i++)
            for (int k = 0; k < 2; k++)
                if (p->operations[r][i].requires[k] >= 0)
                    used += (size_t)snprintf(text + used, TEXT - used, "l%u %srequires l%d\n", i,
                                             p->operations[r][i].at_start[k] ? "i" : "",
                                             p->operations[r][i].requires[k]);
        used += (size_t)snprintf(text + used, TEXT - used, "}\n");
        assert_true(used < TEXT);
    }
    return used;
}

/* Schedule number `number`: its text and the parameters for it. */
static size_t make(unsigned number, char text[TEXT], parameters *q)
{
    static program p;
    memset(&p, 0, sizeof p);
    p.random = number + 1;
    for (int i = 0; i < 4; i++)
        draw(&p, 2);
    p.ranks = 2 + draw(&p, MOST_RANKS - 1);
    p.cpus = number % 5 == 4 ? 2 : 1;
    p.dependent = 20 + draw(&p, 75);
    static const unsigned gaps[] = {0, 1, 2, 6, 10};
    q->G = gaps[draw(&p, 5)];
    q->L = happens(&p, 30) ? 100 * draw(&p, 3) : draw(&p, 5000);
    q->o = 10 + (happens(&p, 30) ? 0 : draw(&p, 3000));
    q->g = 10 + (happens(&p, 30) ? 0 : draw(&p, 4000));
    q->O = happens(&p, 30) ? 1 + draw(&p, 3) : 0;
    q->S = happens(&p, 40) ? 100 + draw(&p, 4000) : 65535;
    const unsigned tags = happens(&p, 50) ? 1 + draw(&p, 4) : 500;
    const bool any = happens(&p, 40), empty = happens(&p, 40);
    for (unsigned left = 3 + draw(&p, 60); left > 0; left--) {
        if (happens(&p, 25)) {
            const unsigned rank = draw(&p, p.ranks), cpu = draw(&p, p.cpus);
            operation *o = add(&p, rank, cpu);
            snprintf(o->text, sizeof o->text, "calc %u cpu %u",
                     happens(&p, 20) ? 0 : draw(&p, happens(&p, 50) ? 200 : 20000), cpu);
        } else {
            add_message(&p, q, tags, any, empty);
        }
    }
    return print(&p, text);
}

static char text[TEXT];

/* The ends of the last rank and of all ranks together, ns; false if it stops before its end. */
static bool run(unsigned number, clump_schedule_conventions conventions, double *last, double *sum)
{
    parameters q;
    clump_schedule *schedule;
    clump_schedule_result result;
    clump_error error = {CLUMP_OK, ""};
    const size_t size = make(number, text, &q);
    const clump_cluster machine = {
        .nodes = 1,
        .node = {.processors = 1, .nics = 1},
        .network = {q.L / 1e3, q.o / 1e3, q.o / 1e3, q.g / 1e3, q.G / 1e3},
        .shared_memory = {1, 1, 1, 1, 1},
        .memory_penalty = 1};
    const clump_schedule_rules rules = {conventions,           q.O / 1e3, q.S, 0, UINT64_MAX,
                                        CLUMP_RANKS_IN_BLOCKS, 0, NULL};
    if (clump_schedule_parse(text, size, &schedule, &error) != CLUMP_OK)
        fail_msg("schedule %u: %s", number, error.message);
    const clump_status status = clump_schedule_run(schedule, &machine, &rules, &result, &error);
    *last = result.time_us * 1e3;
    *sum = result.mean_end_us * 1e3 * (double)clump_schedule_ranks(schedule);
    clump_schedule_free(schedule);
    assert_true(status == CLUMP_OK || status == CLUMP_BAD_ARGUMENT);
    return status == CLUMP_OK;
}

TEST(test_times)
{
    golden_table table = golden_read("loggopsim.csv"); /* schedule, last, sum; -1: it stops */
    unsigned stopped = 0;
    for (size_t i = 0; i < table.count; i++) {
        const unsigned number = (unsigned)table.rows[i][0];
        const double last = table.rows[i][1], sum = table.rows[i][2];
        double found, found_sum;
        const bool ends = run(number, CLUMP_SCHEDULE_LOGGOPSIM, &found, &found_sum);
        if (ends != (last >= 0))
            fail_msg("schedule %u: %s", number, ends ? "ends, expected it to stop" : "stops");
        /* Whole nanoseconds, but that they were divided by 1000 and by the number of ranks. */
        if (ends && (fabs(found - last) > 1e-3 || fabs(found_sum - sum) > 1e-3))
            fail_msg("schedule %u: found %.3f ns and %.3f in all, expected %.0f and %.0f", number,
                     found, found_sum, last, sum);
        stopped += !ends;
    }
    assert_int_equal(table.count, SCHEDULES);
    assert_true(stopped > 10 && stopped < SCHEDULES / 2);
    free(table.rows);
}

/* Files 0.goal, 1.goal, ..., and on standard output a line for each: its number, L, o, g, G, O, S. */
static int write_all(const char *folder)
{
    for (unsigned number = 0; number < SCHEDULES; number++) {
        parameters q;
        char path[512];
        const size_t size = make(number, text, &q);
        snprintf(path, sizeof path, "%s/%u.goal", folder, number);
        FILE *file = fopen(path, "w");
        if (file == NULL || fwrite(text, 1, size, file) != size || fclose(file) != 0)
            return 1;
        printf("%u %u %u %u %u %u %u\n", number, q.L, q.o, q.g, q.G, q.O, q.S);
    }
    return 0;
}

int main(int argc, char **argv)
{
    return argc > 1 ? write_all(argv[1]) : unit_run(NULL, NULL);
}
