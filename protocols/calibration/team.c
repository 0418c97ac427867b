/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* sched_setaffinity, MAP_ANONYMOUS */
#include "protocols/calibration/team.h"
#include "protocols/endpoint/endpoint_private.h"
#include "protocols/queue/backoff.h"
#include "protocols/queue/process.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LINE_TURNS = 3000 };

/* ---- processors */

static const cpu_set_t *allowed(void)
{
    static cpu_set_t set; /* before the first pinning: children inherit it by fork */
    static bool known;
    if (!known)
        known = sched_getaffinity(0, sizeof set, &set) == 0;
    return &set;
}

unsigned clump_team_processors(void)
{
    const int count = CPU_COUNT(allowed());
    return count > 0 ? (unsigned)count : 1;
}

bool clump_team_pin(unsigned index)
{
    index %= clump_team_processors();
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, allowed()) && index-- == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            return sched_setaffinity(0, sizeof one, &one) == 0;
        }
    return false;
}

void clump_team_unpin(void)
{
    sched_setaffinity(0, sizeof *allowed(), allowed());
}

/* ---- a member */

void clump_team_fail(struct clump_team_member *m, const char *what)
{
    uint32_t nobody = 0;
    if (atomic_compare_exchange_strong(&m->board->failed, &nobody, m->rank + 1))
        snprintf(m->board->message, sizeof m->board->message, "process %u of %u: %s", m->rank + 1,
                 m->count, what);
    clump_endpoint_close(m->endpoint); /* removes the name if it is there still */
    _exit(1);
}

void clump_team_require(struct clump_team_member *m, clump_protocol_status status)
{
    if (status != CLUMP_PROTOCOL_OK)
        clump_team_fail(m, clump_endpoint_message(m->endpoint));
}

/**
 * Let others have the processor. Where strangers keep it busy, a yield lasts a time slice of each of
 * them, a round trip several yields, and a calibration hours; who has slept is let in at once.
 */
static void step_aside(struct clump_team_member *m)
{
    enum { CROWDED_NS = 8000000, NAP_NS = 10000 };
    if (m->crowded) {
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
        return;
    }
    const uint64_t began = clump_time_ns();
    sched_yield();
    /* Who has a processor of its own never sleeps: it would be late for the measurement it waits for. */
    if (m->count > clump_team_processors())
        m->crowded = clump_time_ns() - began > CROWDED_NS;
}

/** Polls in vain before stepping aside: on a single processor nothing comes before. */
static uint32_t patience(const struct clump_team_member *m)
{
    return m->crowded || clump_team_processors() == 1 ? 64 : 4096;
}

void clump_team_meet(struct clump_team_member *m, bool serve)
{
    struct clump_team_board *b = m->board;
    const uint32_t turn = atomic_load(&b->turn);
    if (atomic_fetch_add(&b->arrived, 1) + 1 == m->count) {
        atomic_store(&b->arrived, 0);
        atomic_store(&b->turn, turn + 1);
        return;
    }
    for (uint32_t spins = 0; atomic_load_explicit(&b->turn, memory_order_acquire) == turn;) {
        if (serve)
            clump_endpoint_poll(m->endpoint, 16, NULL);
        clump_relax();
        if (++spins % 1024 == 0) {
            if (atomic_load(&b->failed) != 0)
                clump_team_fail(m, "another process failed");
            step_aside(m); /* more processes than processors: let the others come */
        }
    }
}

void clump_team_poll_until(struct clump_team_member *m, const uint64_t *counter, uint64_t least)
{
    for (uint32_t idle = 0; *counter < least;) {
        unsigned accepted = 0;
        clump_endpoint_poll(m->endpoint, 16, &accepted);
        if (accepted > 0) {
            idle = 0;
        } else if (++idle % patience(m) == 0) {
            if (atomic_load(&m->board->failed) != 0)
                clump_team_fail(m, "another process failed");
            if (m->count > clump_team_processors())
                step_aside(m);
        }
    }
}

void clump_team_await_replies(struct clump_team_member *m, uint64_t least)
{
    for (uint32_t idle = 0; m->replies < least;) {
        clump_endpoint_poll(m->endpoint, 1, NULL);
        if (++idle % patience(m) == 0 && m->count > clump_team_processors())
            step_aside(m);
    }
}

void clump_team_serve(struct clump_team_member *m, uint64_t requests)
{
    m->due += requests;
    clump_team_poll_until(m, &m->served, m->due);
}

/** How often the system has taken the processor from this process. */
static long interruptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

double clump_team_steady(struct clump_team_member *m, clump_team_measurement *measure,
                         const void *setup)
{
    enum { TRIES = 4 };
    double result = 0;
    const unsigned tries = TRIES - m->in_vain;
    for (unsigned i = 0; i < tries; i++) {
        const long before = interruptions();
        result = measure(m, setup);
        if (interruptions() != before)
            atomic_store(&m->board->disturbed, 1);
        clump_team_meet(m, true);
        const bool disturbed = atomic_load(&m->board->disturbed) != 0;
        clump_team_meet(m, true);
        if (m->rank == 0)
            atomic_store(&m->board->disturbed, 0);
        clump_team_meet(m, true);
        if (!disturbed) {
            m->in_vain = 0;
            return result;
        }
    }
    /* Who is always disturbed gains nothing by trying each measurement four times. */
    if (m->in_vain < TRIES - 1)
        m->in_vain++;
    m->disturbed = true;
    return result;
}

double clump_team_line(struct clump_team_member *m)
{
    struct clump_team_board *b = m->board;
    if (m->rank == 0)
        atomic_store(&b->line, 0);
    clump_team_meet(m, false);
    if (m->rank > 1)
        return 0;
    /* Spins in vain before stepping aside: few where both share a processor. */
    const uint32_t most = m->count > clump_team_processors() ? 0x100 : 0x10000;
    uint64_t began = 0;
    for (uint64_t n = 0; n < 2 * LINE_TURNS; n += 2) {
        if (n == LINE_TURNS / 2)
            began = clump_time_ns();
        const uint64_t expected = n + m->rank;
        /* Bounded, in case the other one died or both share a processor. */
        for (uint32_t spins = 0; atomic_load_explicit(&b->line, memory_order_acquire) != expected;)
            if (++spins % most == 0) {
                if (atomic_load(&b->failed) != 0)
                    clump_team_fail(m, "another process failed");
                step_aside(m);
            }
        atomic_store_explicit(&b->line, expected + 1, memory_order_release);
    }
    return (double)(clump_time_ns() - began) / (LINE_TURNS * 0.75) / 2 / 1000;
}

/* ---- handlers */

static void on_echo(clump_token *token, const clump_message *message, void *context)
{
    struct clump_team_member *m = context;
    m->served++;
    clump_team_require(
        m, message->data != NULL
               ? clump_endpoint_reply_bulk(token, CLUMP_TEAM_REPLY, message->arguments,
                                           message->count, message->data, message->size)
               : clump_endpoint_reply(token, CLUMP_TEAM_REPLY, message->arguments, message->count));
}

static void on_acknowledge(clump_token *token, const clump_message *message, void *context)
{
    struct clump_team_member *m = context;
    if (message->data != NULL)
        memcpy(m->memory + m->served % 64 * 8192, message->data, message->size);
    m->served++;
    clump_team_require(m, clump_endpoint_reply(token, CLUMP_TEAM_REPLY, NULL, 0));
}

static void on_sink(clump_token *token, const clump_message *message, void *context)
{
    struct clump_team_member *m = context;
    (void)token, (void)message;
    m->served++;
}

static void on_reply(clump_token *token, const clump_message *message, void *context)
{
    struct clump_team_member *m = context;
    (void)token, (void)message;
    m->replies++;
}

/** A request that nobody will answer. */
static void on_returned(clump_token *token, const clump_message *message, void *context)
{
    struct clump_team_member *m = context;
    char what[100];
    (void)token;
    snprintf(what, sizeof what, "a request for handler %u came back: %s", message->handler,
             clump_protocol_status_text(message->returned));
    if (!m->leaving)
        clump_team_fail(m, what);
}

static void name_of(char name[CLUMP_NAME_BYTES], long parent, uint32_t team, unsigned rank)
{
    snprintf(name, CLUMP_NAME_BYTES, "calibrate-%ld.%u.%u", parent, (unsigned)team, rank);
}

static char signal_path[CLUMP_NAME_BYTES + 8];

/* The parent has died, or wants us to end, before our name was removed. */
static void on_signal(int number)
{
    (void)number;
    shm_unlink(signal_path); /* a system call on Linux: safe here */
    _exit(1);
}

/** The options of one member; what it writes there is its own. */
static clump_endpoint_options settle(struct clump_team_member *m,
                                     const struct clump_team_options *options)
{
    clump_endpoint_options mine = options->endpoint;
    char message[CLUMP_CALIBRATION_MESSAGE_BYTES] = "it could not be settled";
    if (options->per_machine > 0 && mine.listen == NULL)
        mine.listen = "127.0.0.1:0";
    /* Who is dead, our parent knows: here one is only held up, on a busy machine for long. */
    if (mine.silence_ms == 0)
        mine.silence_ms = 600000;
    if (mine.send_timeout_ms == 0)
        mine.send_timeout_ms = 600000;
    if (options->settle != NULL && !options->settle(m->rank, &mine, options->work, message))
        clump_team_fail(m, message);
    return mine;
}

/** Destination r is rank r, by the way that the options ask for. */
static void map_rank(struct clump_team_member *m, const struct clump_team_options *options,
                     unsigned rank, long parent, uint32_t team)
{
    enum { TRIES = 60 }; /* of two seconds: on a busy machine a process is not there for long */
    char where[CLUMP_NAME_BYTES + CLUMP_TEAM_ADDRESS];
    const unsigned together = options->per_machine;
    if (together == 0 || rank / together == m->rank / together)
        name_of(where, parent, team, rank);
    else
        snprintf(where, sizeof where, "@%s", m->board->addresses[rank]);
    clump_protocol_status status = CLUMP_PROTOCOL_NOT_FOUND;
    for (unsigned i = 0; i < TRIES && status == CLUMP_PROTOCOL_NOT_FOUND; i++) {
        if (atomic_load(&m->board->failed) != 0)
            clump_team_fail(m, "another process failed");
        status = clump_endpoint_map(m->endpoint, rank, where, CLUMP_TEAM_TAG);
    }
    clump_team_require(m, status);
}

/** Open, map all, exchange a message with each, so that ways of return are mapped, too. */
static void join_team(struct clump_team_member *m, const struct clump_team_options *options,
                      long parent, uint32_t team)
{
    char name[CLUMP_NAME_BYTES], path[sizeof signal_path];
    name_of(name, parent, team, m->rank);
    snprintf(path, sizeof path, "/clump-%s", name);
    memcpy(signal_path, path, sizeof path);
    const clump_endpoint_options mine = settle(m, options);
    clump_team_require(m, clump_endpoint_open(name, &mine, &m->endpoint));
    snprintf(m->board->addresses[m->rank], CLUMP_TEAM_ADDRESS, "%s",
             clump_endpoint_address(m->endpoint));
    clump_endpoint_set_tag(m->endpoint, CLUMP_TEAM_TAG);
    clump_endpoint_set_handler(m->endpoint, 0, on_returned, m);
    clump_endpoint_set_handler(m->endpoint, CLUMP_TEAM_ECHO, on_echo, m);
    clump_endpoint_set_handler(m->endpoint, CLUMP_TEAM_ACKNOWLEDGE, on_acknowledge, m);
    clump_endpoint_set_handler(m->endpoint, CLUMP_TEAM_SINK, on_sink, m);
    clump_endpoint_set_handler(m->endpoint, CLUMP_TEAM_REPLY, on_reply, m);
    clump_team_meet(m, false);
    for (unsigned r = 0; r < m->count; r++)
        if (r != m->rank)
            map_rank(m, options, r, parent, team);
    clump_team_meet(m, true);
    for (unsigned r = 0; r < m->count; r++)
        if (r != m->rank)
            clump_team_require(m, clump_endpoint_request(m->endpoint, r, CLUMP_TEAM_ECHO, NULL, 0));
    clump_team_poll_until(m, &m->replies, m->count - 1);
    clump_team_meet(m, true);
    shm_unlink(path);
}

/** What a process needs to know to be a member. */
typedef struct membership {
    struct clump_team_board *board;
    const struct clump_team_options *options;
    void (*work)(struct clump_team_member *member);
    long parent;
    uint32_t team;
} membership;

static void be_member(unsigned rank, void *context)
{
    const membership *of = context;
    struct clump_team_member m = {.rank = rank,
                                  .count = of->options->count,
                                  .board = of->board,
                                  .work = of->options->work,
                                  .due = of->options->count - 1};
    clump_team_pin(rank);
    signal(SIGTERM, on_signal); /* of a parent that has died, too: it removes the name */
    m.memory = malloc(CLUMP_TEAM_MEMORY);
    if (m.memory == NULL)
        clump_team_fail(&m, "no memory");
    memset(m.memory, (int)rank + 1, CLUMP_TEAM_MEMORY);
    join_team(&m, of->options, of->parent, of->team);
    of->work(&m);
    m.leaving = true;
    clump_team_meet(&m, true); /* nobody leaves while another may want an answer */
    clump_endpoint_close(m.endpoint);
    free(m.memory);
}

/* ---- the team as a whole */

/** Wait for the end of all. */
static clump_protocol_status oversee(const struct clump_team_options *options,
                                     struct clump_team_board *board, clump_workers *workers,
                                     char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    const struct timespec nap = {.tv_nsec = 50000000};
    while (workers->left > 0) {
        unsigned rank;
        if (!clump_workers_look(workers, &rank, message)) {
            if (atomic_load(&board->failed) != 0)
                snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "%.255s", board->message);
            return CLUMP_PROTOCOL_FAILED;
        }
        const double share =
            options->steps > 0 ? (double)atomic_load(&board->steps) / (double)options->steps : 0;
        if (workers->left > 0 && options->watch != NULL &&
            options->watch(share, options->context)) {
            snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "stopped");
            return CLUMP_PROTOCOL_TIMED_OUT;
        }
        if (workers->left > 0)
            nanosleep(&nap, NULL);
    }
    return CLUMP_PROTOCOL_OK;
}

clump_protocol_status clump_team_run(const struct clump_team_options *options,
                                     void (*work)(struct clump_team_member *member),
                                     double *results, char message[CLUMP_CALIBRATION_MESSAGE_BYTES])
{
    static _Atomic uint32_t teams;
    pid_t children[CLUMP_TEAM_MOST] = {0};
    clump_workers workers = {.count = options->count, .children = children};
    const size_t size = sizeof(struct clump_team_board) + options->results * sizeof(double);
    struct clump_team_board *board =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED) {
        snprintf(message, CLUMP_CALIBRATION_MESSAGE_BYTES, "no memory for results: %s",
                 strerror(errno));
        return CLUMP_PROTOCOL_FAILED;
    }
    membership of = {.board = board,
                     .options = options,
                     .work = work,
                     .parent = (long)getpid(),
                     .team = atomic_fetch_add(&teams, 1)};
    clump_team_processors(); /* remembers the affinity that children inherit */
    clump_protocol_status status = CLUMP_PROTOCOL_FAILED;
    if (clump_workers_start(&workers, SIGTERM, be_member, &of, message))
        status = oversee(options, board, &workers, message);
    clump_workers_end(&workers);
    if (status == CLUMP_PROTOCOL_OK)
        memcpy(results, board->results, options->results * sizeof(double));
    else /* killed before its name was removed, perhaps before the segment named its owner */
        for (unsigned i = 0; i < options->count; i++) {
            char name[CLUMP_NAME_BYTES], path[CLUMP_NAME_BYTES + 8];
            name_of(name, of.parent, of.team, i);
            snprintf(path, sizeof path, "/clump-%s", name);
            shm_unlink(path);
        }
    munmap(board, size);
    return status;
}
