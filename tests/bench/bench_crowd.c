/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many to one: 1, 3 and 7 writers, one receiver, on whatever processors there are, with each queue
 * algorithm in turn, and what the time of a message consists of: of a processor, by all processes
 * together; waits, yields and turns of locks; how often a process slept or lost its processor.
 *
 * BENCH_ROUNDS=N (default 5), BENCH_QUEUES="lock-free mutex" (default: all), BENCH_MESSAGES=N (20000),
 * BENCH_PROCESSES="2 4 8", BENCH_REPLIES=0: requests are not answered, BENCH_BULK=N: every N-th has 2 kB.
 */
#include "model/statistics.h"
#include "protocols/calibration/team.h"
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { MOST_ROUNDS = 100, MOST_QUEUES = 16, MOST_PROCESSES = 16, SECONDS_MOST = 5 };

enum { TIME, PROCESSOR, SYSTEM, WAITS, YIELDS, TURNS, SLEPT, LOST, FIGURES };

static const char *const headings[FIGURES] = {"us",     "cpu us", "sys us", "waits",
                                              "yields", "turns",  "slept",  "lost"};

struct work {
    unsigned messages;   /**< of all writers together */
    unsigned bulk_every; /**< request with 2 kB; 0: none */
    unsigned handler;
};

static const uint32_t arguments[8] = {1, 1, 2, 3, 5, 8, 13, 21};

static double of(const struct timeval *t)
{
    return (double)t->tv_sec * 1e6 + (double)t->tv_usec;
}

/** What this process has spent so far, in the order of the figures. */
static void look(const struct clump_team_member *m, double spent[FIGURES])
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    spent[TIME] = (double)clump_time_ns() / 1000;
    spent[SYSTEM] = of(&usage.ru_stime);
    spent[PROCESSOR] = of(&usage.ru_utime) + spent[SYSTEM];
    spent[WAITS] = (double)m->endpoint->waits.waits;
    spent[YIELDS] = (double)m->endpoint->waits.yields;
    spent[TURNS] = (double)m->endpoint->waits.turns;
    spent[SLEPT] = (double)usage.ru_nvcsw;
    spent[LOST] = (double)usage.ru_nivcsw;
}

static void wait_for(struct clump_team_member *m, const uint64_t *counter, uint64_t least)
{
    while (*counter < least) {
        clump_endpoint_wait(m->endpoint, 50000);
        if (atomic_load_explicit(&m->board->failed, memory_order_relaxed) != 0)
            clump_team_require(m, CLUMP_PROTOCOL_PEER_DEAD);
    }
}

/** All but rank 0 send to it. */
static void stress(struct clump_team_member *m)
{
    const struct work *work = m->work;
    const unsigned each = work->messages / (m->count - 1);
    double before[FIGURES], after[FIGURES];
    clump_team_meet(m, true);
    look(m, before);
    if (m->rank == 0) {
        m->due += (uint64_t)each * (m->count - 1);
        wait_for(m, &m->served, m->due);
    } else {
        const uint64_t replies = m->replies;
        for (unsigned n = 1; n <= each; n++)
            clump_team_require(
                m, work->bulk_every > 0 && n % work->bulk_every == 0
                       ? clump_endpoint_request_bulk(m->endpoint, 0, work->handler, arguments, 8,
                                                     m->memory, 2048)
                       : clump_endpoint_request(m->endpoint, 0, work->handler, arguments, 8));
        if (work->handler == CLUMP_TEAM_ACKNOWLEDGE)
            wait_for(m, &m->replies, replies + each);
    }
    look(m, after);
    for (int f = 0; f < FIGURES; f++)
        m->board->results[m->rank * FIGURES + (unsigned)f] =
            (after[f] - before[f]) / (each * (m->count - 1));
    clump_team_meet(m, true);
}

static double deadline;

static bool too_long(double share, void *context)
{
    (void)share, (void)context;
    return (double)clump_time_ns() * 1e-9 > deadline;
}

/** @return false: it took too long, or failed */
static bool measure(const char *queue, unsigned processes, const struct work *work,
                    double figures[FIGURES])
{
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    double results[MOST_PROCESSES * FIGURES];
    const struct clump_team_options options = {.endpoint = {.algorithm = queue},
                                               .count = processes,
                                               .work = work,
                                               .results = processes * FIGURES,
                                               .watch = too_long};
    deadline = (double)clump_time_ns() * 1e-9 + SECONDS_MOST;
    const clump_protocol_status status = clump_team_run(&options, stress, results, message);
    if (status != CLUMP_PROTOCOL_OK) {
        if (status != CLUMP_PROTOCOL_TIMED_OUT)
            fprintf(stderr, "bench: %s: %s\n", queue, message);
        return false;
    }
    for (int f = 0; f < FIGURES; f++) {
        figures[f] = results[f];
        for (unsigned r = 1; r < processes && f != TIME; r++)
            figures[f] += results[r * FIGURES + (unsigned)f];
    }
    return true;
}

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text != NULL && atol(text) >= 0 ? atol(text) : otherwise;
}

/** Whether a word is in a list of words; everything is in NULL. */
static bool is_in(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at != NULL && (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return list == NULL;
}

/** One number of processes: all rounds, in each of which every queue has its turn. */
static void compare_queues(unsigned processes, unsigned rounds, const struct work *work)
{
    static double values[MOST_QUEUES][FIGURES][MOST_ROUNDS], ratios[MOST_QUEUES][2][MOST_ROUNDS];
    const char *names[MOST_QUEUES], *name;
    unsigned queues = 0, complete[MOST_QUEUES] = {0}, stalled[MOST_QUEUES] = {0};
    for (unsigned i = 0; (name = clump_endpoint_algorithm(i)) != NULL && queues < MOST_QUEUES; i++)
        if (is_in(getenv("BENCH_QUEUES"), name))
            names[queues++] = name;
    for (unsigned round = 0; round < rounds; round++) {
        double first[2] = {NAN, NAN};
        for (unsigned k = 0; k < queues; k++) {
            /* Every other round backwards: what follows what must not matter. */
            const unsigned q = k == 0 ? 0 : round % 2 == 0 ? k : queues - k;
            double figures[FIGURES];
            if (stalled[q] >= 2 || !measure(names[q], processes, work, figures)) {
                stalled[q]++;
                continue;
            }
            if (q == 0)
                memcpy(first, figures, sizeof first);
            for (int f = 0; f < FIGURES; f++)
                values[q][f][complete[q]] = figures[f];
            ratios[q][0][complete[q]] = figures[TIME] / first[TIME];
            ratios[q][1][complete[q]] = figures[PROCESSOR] / first[PROCESSOR];
            complete[q]++;
        }
    }
    printf("\n%u %s, one receiver, on %u processors: a message; medians of %u rounds\n%-16s",
           processes - 1, processes == 2 ? "writer" : "writers", clump_team_processors(), rounds,
           "");
    for (int f = 0; f < FIGURES; f++)
        printf("%8s", headings[f]);
    printf("   x us  x cpu\n");
    for (unsigned q = 0; q < queues; q++) {
        printf("%-16s", names[q]);
        for (int f = 0; f < FIGURES && complete[q] > 0; f++)
            printf("%8.*f", f <= SYSTEM ? 3 : 4, clump_median(values[q][f], complete[q]));
        for (int i = 0; i < 2 && complete[q] > 0; i++)
            printf("%7.2f", clump_median(ratios[q][i], complete[q]));
        if (stalled[q] > 0)
            printf("%s%u stalled", complete[q] > 0 ? "  " : "", stalled[q] < 2 ? 1 : stalled[q]);
        printf("\n");
    }
    fflush(stdout);
}

int main(void)
{
    const long rounds = setting("BENCH_ROUNDS", 5);
    const struct work work = {.messages = (unsigned)setting("BENCH_MESSAGES", 20000),
                              .bulk_every = (unsigned)setting("BENCH_BULK", 0),
                              .handler = setting("BENCH_REPLIES", 1) != 0 ? CLUMP_TEAM_ACKNOWLEDGE
                                                                          : CLUMP_TEAM_SINK};
    printf("Many to one, %s\n",
           work.handler == CLUMP_TEAM_SINK ? "requests without reply" : "requests and replies");
    for (unsigned processes = 2; processes <= 8; processes *= 2) {
        char text[12];
        snprintf(text, sizeof text, "%u", processes);
        if (is_in(getenv("BENCH_PROCESSES"), text))
            compare_queues(processes, rounds < MOST_ROUNDS ? (unsigned)rounds : MOST_ROUNDS, &work);
    }
    return 0;
}
