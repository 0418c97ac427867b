/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shared-memory protocol beside its floor and its peers, in the same run and interleaved: on a
 * virtual machine the time of a cache line can change from second to second.
 *
 * BENCH_ROUNDS=N (default 10). With BENCH_REAL_TIME=1 under `chrt
 * -f 20`, the peers run so, too.
 */
#include "protocols/calibration/team.h"
#include "protocols/endpoint/endpoint.h"
#include "tests/bench/layer.h"
#include "tests/bench/pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 100 };

enum {
    FLOOR,
    LINE,
    LATENCY,
    LATENCY_FIFO,
    AM_SHORT,
    UCP_AM,
    OPEN_MPI,
    PAIRS,
    ONE_WAY,
    ONE_WAY_FIFO,
    BULK,
    COPY,
    FIGURES
};

static const struct {
    const char *name, *unit;
    double scale;
} figures[FIGURES] = {
    [FLOOR] = {"floor: one cache line, one way", "ns", 1},
    [LINE] = {"flag and 56 bytes in one line, one way", "ns", 1},
    [LATENCY] = {"lock-free: request, handler, reply; one way", "ns", 1},
    [LATENCY_FIFO] = {"lock-free-fifo: the same", "ns", 1},
    [AM_SHORT] = {"UCX uct am_short, 8 bytes, one way", "ns", 1},
    [UCP_AM] = {"UCX ucp_am, 8 bytes, one way", "ns", 1},
    [OPEN_MPI] = {"Open MPI, 8 bytes, one way", "ns", 1},
    [PAIRS] = {"lock-free: request and reply pairs", "M/s", 1e-6},
    [ONE_WAY] = {"lock-free: requests without reply", "M/s", 1e-6},
    [ONE_WAY_FIFO] = {"lock-free-fifo: requests without reply", "M/s", 1e-6},
    [BULK] = {"lock-free: 8 kB, copied out by the handler", "GB/s", 1e-9},
    [COPY] = {"copy in, copy out through 16 blocks of 8 kB", "GB/s", 1e-9},
};

static const char *peer_script, *mpi_program;
static bool peer_is_there[FIGURES];

static double peer(int figure, const char *name)
{
    char command[500];
    double value = NAN;
    if (!peer_is_there[figure] || peer_script == NULL)
        return NAN;
    snprintf(command, sizeof command, "%s %s %s", peer_script, name,
             mpi_program != NULL ? mpi_program : "");
    fflush(stdout);
    FILE *answer = popen(command, "r");
    if (answer == NULL || fscanf(answer, "%lf", &value) != 1) {
        value = NAN;
        peer_is_there[figure] = false;
    }
    if (answer != NULL)
        pclose(answer);
    return value;
}

static double figure(int which, bool swap)
{
    switch (which) {
    case FLOOR:
        return pair_floor(swap);
    case LINE:
        return pair_payload_line(swap);
    case LATENCY:
        return layer_latency("lock-free", 8, swap);
    case LATENCY_FIFO:
        return layer_latency("lock-free-fifo", 8, swap);
    case AM_SHORT:
        return peer(AM_SHORT, "am_short");
    case UCP_AM:
        return peer(UCP_AM, "ucp_am");
    case OPEN_MPI:
        return peer(OPEN_MPI, "open_mpi");
    case PAIRS:
        return layer_pairs("lock-free", swap);
    case ONE_WAY:
        return layer_one_way("lock-free", swap);
    case ONE_WAY_FIFO:
        return layer_one_way("lock-free-fifo", swap);
    case BULK:
        return layer_bulk("lock-free", swap);
    default:
        return pair_copy(16, swap);
    }
}

struct measured {
    double value, floor; /**< NAN if the speed changed meanwhile */
};

/** Each figure between two looks at the floor. */
static void measure_round(struct measured values[FIGURES], bool swap)
{
    double before = pair_floor(swap);
    for (int f = 0; f < FIGURES; f++) {
        const double value = figure(f, swap), after = pair_floor(swap);
        const bool steady = after < 1.5 * before && before < 1.5 * after;
        values[f] = (struct measured){steady ? value : NAN, (before + after) / 2};
        before = after;
    }
}

/** Median of a figure while the floor lay between the two; NAN if it never did. */
static double median_of(struct measured values[MOST][FIGURES], int rounds, int which, double from,
                        double to)
{
    double some[MOST];
    size_t count = 0;
    for (int r = 0; r < rounds; r++)
        if (!isnan(values[r][which].value) && values[r][which].floor >= from &&
            values[r][which].floor < to)
            some[count++] = values[r][which].value;
    return pair_median(some, count);
}

/* The two speeds of a virtual machine lie a factor of 3 to 7 apart. */
static const double speeds[][2] = {{0, 100}, {100, INFINITY}};

static void print_figures(struct measured values[MOST][FIGURES], int rounds)
{
    printf("\nMedians while a line takes less than 100 ns, and while it takes more\n");
    for (int f = 0; f < FIGURES; f++) {
        if (isnan(median_of(values, rounds, f, 0, INFINITY)))
            continue;
        printf("%-46s", figures[f].name);
        for (int i = 0; i < 2; i++) {
            const double value = median_of(values, rounds, f, speeds[i][0], speeds[i][1]);
            if (isnan(value))
                printf("%9s", "-");
            else
                printf("%9.*f", figures[f].scale == 1 ? 1 : 2, value * figures[f].scale);
        }
        printf("  %s\n", figures[f].unit);
    }
    static const struct {
        const char *name;
        int above, below;
    } ratios[] = {{"lock-free over floor (goal: at most 4.5)", LATENCY, FLOOR},
                  {"lock-free over flag and 56 bytes", LATENCY, LINE},
                  {"lock-free over am_short (goal: below 1)", LATENCY, AM_SHORT},
                  {"bulk over copy (goal: at least 0.95)", BULK, COPY}};
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++) {
        printf("%-46s", ratios[k].name);
        for (int i = 0; i < 2; i++) {
            const double ratio =
                median_of(values, rounds, ratios[k].above, speeds[i][0], speeds[i][1]) /
                median_of(values, rounds, ratios[k].below, speeds[i][0], speeds[i][1]);
            if (isnan(ratio))
                printf("%9s", "-");
            else
                printf("%9.2f", ratio);
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    static struct measured values[MOST][FIGURES];
    const char *wanted = getenv("BENCH_ROUNDS");
    int rounds = wanted != NULL ? atoi(wanted) : 10;
    rounds = rounds < 1 ? 1 : rounds > MOST ? MOST : rounds;
    peer_script = argc > 1 ? argv[1] : NULL;
    mpi_program = argc > 2 ? argv[2] : NULL;
    if (clump_team_processors() < 2)
        printf("One processor: what follows is the scheduler of the system.\n");
    for (int f = 0; f < FIGURES; f++)
        peer_is_there[f] = true;
    for (int r = 0; r < rounds; r++) {
        measure_round(values[r], r % 2 != 0);
        printf("round %2d: floor %6.1f  lock-free %6.1f  am_short %6.1f ns\n", r + 1,
               values[r][FLOOR].value, values[r][LATENCY].value, values[r][AM_SHORT].value);
        fflush(stdout);
    }
    print_figures(values, rounds);
    return 0;
}
