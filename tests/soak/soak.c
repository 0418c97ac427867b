/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes that send each other requests over shared memory, over UDP, and over UDP through a link
 * that loses, repeats and reorders, while they are killed, stopped and started again at random.
 *
 *   soak SECONDS [SEED]
 *
 * What has to hold all the time, checked in memory that survives the kills:
 *   - no request is handled twice, and none is answered or returned twice
 *   - a request that was answered has been handled, every byte of both as it was sent
 *   - over the network each request ends: answered or returned, unless its sender was killed
 *   - without kills, everything is answered
 *   - memory, descriptors and mappings of a process that is never killed stay bounded
 *   - /dev/shm holds nothing of us in the end
 */
#define _DEFAULT_SOURCE
#include "protocols/endpoint/endpoint.h"
#include "tests/soak/lossy.h"

#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TAG UINT64_C(0x50AC)
enum { NODES = 6, SLOTS = 1 << 16, CALM_SECONDS = 3, END_SECONDS = 20, SILENCE_MS = 600 };

/* A request in the common memory: its number, then two counters. */
enum { HANDLED_ONE = 1, ENDED_ONE = 1 << 8, COUNTERS = 0xffff };

struct pair {
    _Atomic uint32_t next;
    _Atomic uint64_t slots[SLOTS]; /**< number << 16 | ended << 8 | handled */
};

struct board {
    struct pair pairs[NODES][NODES]; /**< from, to */
    struct lossy lossy;
    _Atomic uint32_t births[NODES];
    _Atomic uint16_t ports[NODES]; /**< 0: is not there now */
    _Atomic bool calm, finish;
    _Atomic uint64_t sent[3], answered[3], returned, refused_maps, handled;
    _Atomic uint32_t failures;
    char failure[400];
    long memory_early, memory_late, files_early, files_late, maps_early, maps_late;
};

static struct board *board;
static pid_t parent;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void failed(const char *format, ...)
{
    if (board->failures++ > 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(board->failure, sizeof board->failure, format, arguments);
    va_end(arguments);
}

/* ---- messages: everything follows from who asked whom, and the number */

static uint32_t mix(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t x = (a * 2654435761u) ^ (b * 2246822519u) ^ (c * 3266489917u);
    x ^= x >> 15;
    return x * 668265263u;
}

static size_t compose(uint32_t from, uint32_t to, uint32_t number, unsigned char *data)
{
    const uint32_t key = mix(from, to, number);
    const size_t size = key % 4 == 0 ? 1 + key / 4 % CLUMP_MESSAGE_BULK_BYTES : 0;
    for (size_t i = 0; i < size; i++)
        data[i] = (unsigned char)(key >> 8 * (i % 4)) ^ (unsigned char)i;
    return size;
}

static void check_content(const clump_message *m, const char *what)
{
    static unsigned char expected[CLUMP_MESSAGE_BULK_BYTES];
    const uint32_t *a = m->arguments;
    if (m->count != 4 || a[0] >= NODES || a[1] >= NODES || a[3] != mix(a[0] + 7, a[1], a[2])) {
        failed("%s: arguments that nobody sent", what);
        return;
    }
    const size_t size = compose(a[0], a[1], a[2], expected);
    if (m->size != size || (size > 0 && memcmp(m->data, expected, size) != 0))
        failed("%s %u of %u to %u: its data are spoilt", what, a[2], a[0], a[1]);
}

/** Count in the slot of a request. @return what was there before */
static uint64_t count(const uint32_t *a, uint64_t what, const char *name)
{
    _Atomic uint64_t *slot = &board->pairs[a[0]][a[1]].slots[a[2] % SLOTS];
    const uint64_t before = atomic_fetch_add(slot, what);
    if (before >> 16 != a[2])
        failed("request %u of %u to %u %s, but %llu is the one that is known", a[2], a[0], a[1],
               name, (unsigned long long)(before >> 16));
    else if ((before & (what * 0xff)) != 0)
        failed("request %u of %u to %u %s twice", a[2], a[0], a[1], name);
    return before;
}

/* ---- a node */

static struct node {
    uint32_t self;
    clump_endpoint *endpoint;
    bool mapped[NODES];
    uint32_t waiting[NODES]; /**< requests that have not ended */
    uint32_t born[NODES];    /**< which incarnation we mapped */
} node;

/** 0: shared memory, 1: UDP, 2: UDP through the lossy link. */
static unsigned way_of(uint32_t from, uint32_t to)
{
    return (from * 2 + to) % 3;
}

static void on_request(clump_token *token, const clump_message *m, void *context)
{
    (void)context;
    check_content(m, "request");
    if (m->count != 4 || m->arguments[1] != node.self) {
        failed("node %u got a request for another", node.self);
        return;
    }
    count(m->arguments, HANDLED_ONE, "was handled");
    board->handled++;
    if (m->size > 0)
        clump_endpoint_reply_bulk(token, 2, m->arguments, 4, m->data, m->size);
    else
        clump_endpoint_reply(token, 2, m->arguments, 4);
}

static void ended(const uint32_t *a)
{
    if (a[0] == node.self && node.waiting[a[1]] > 0)
        node.waiting[a[1]]--;
}

static void on_answer(clump_token *token, const clump_message *m, void *context)
{
    (void)token, (void)context;
    check_content(m, "answer");
    const uint64_t before = count(m->arguments, ENDED_ONE, "ended");
    if ((before & 0xff) != 1)
        failed("request %u of %u to %u was answered and never handled", m->arguments[2],
               m->arguments[0], m->arguments[1]);
    board->answered[way_of(m->arguments[0], m->arguments[1])]++;
    ended(m->arguments);
}

static void on_returned(clump_token *token, const clump_message *m, void *context)
{
    (void)token, (void)context;
    if (m->returned != CLUMP_PROTOCOL_PEER_DEAD && m->returned != CLUMP_PROTOCOL_BAD_TAG)
        failed("a request came back because of \"%s\"", clump_protocol_status_text(m->returned));
    count(m->arguments, ENDED_ONE, "ended");
    board->returned++;
    ended(m->arguments);
}

/** A new name every third time; the old one is left to whoever tidies up. */
static void name_of(uint32_t who, char name[60])
{
    snprintf(name, 60, "soak-%ld-%u-%u", (long)parent, who, board->births[who] / 3);
}

static void map(uint32_t to)
{
    char name[100];
    const unsigned way = way_of(node.self, to);
    const unsigned port = way == 1 ? board->ports[to] : board->lossy.entrance[to];
    if (board->ports[to] == 0)
        return;
    if (way == 0)
        name_of(to, name);
    else
        snprintf(name, sizeof name, "@127.0.0.1:%u", port);
    node.born[to] = board->births[to];
    const clump_protocol_status status = clump_endpoint_map(node.endpoint, to, name, TAG);
    node.mapped[to] = status == CLUMP_PROTOCOL_OK;
    if (!node.mapped[to])
        board->refused_maps++;
    if (!node.mapped[to] && status != CLUMP_PROTOCOL_NOT_FOUND &&
        status != CLUMP_PROTOCOL_PEER_DEAD && status != CLUMP_PROTOCOL_BAD_TAG)
        failed("map: %s", clump_endpoint_message(node.endpoint));
}

static void unmap(uint32_t to)
{
    clump_endpoint_unmap(node.endpoint, to);
    node.mapped[to] = false;
    if (way_of(node.self, to) == 0)
        node.waiting[to] = 0; /* what lay in the memory of the dead is lost, and nobody can tell */
}

static void ask(uint32_t to)
{
    static unsigned char data[CLUMP_MESSAGE_BULK_BYTES];
    struct pair *pair = &board->pairs[node.self][to];
    const unsigned way = way_of(node.self, to);
    const uint32_t number = atomic_fetch_add(&pair->next, 1);
    const size_t size = compose(node.self, to, number, data);
    const uint32_t arguments[4] = {node.self, to, number, mix(node.self + 7, to, number)};
    atomic_store(&pair->slots[number % SLOTS], (uint64_t)number << 16);
    node.waiting[to]++; /* the answer may come before the call returns */
    const clump_protocol_status status =
        size > 0 ? clump_endpoint_request_bulk(node.endpoint, to, 1, arguments, 4, data, size)
                 : clump_endpoint_request(node.endpoint, to, 1, arguments, 4);
    if (status == CLUMP_PROTOCOL_OK) {
        board->sent[way]++;
        return;
    }
    if (status != CLUMP_PROTOCOL_PEER_DEAD && status != CLUMP_PROTOCOL_TIMED_OUT)
        failed("request: %s", clump_endpoint_message(node.endpoint));
    if (node.waiting[to] > 0)
        node.waiting[to]--;
    if (status == CLUMP_PROTOCOL_PEER_DEAD)
        unmap(to);
}

static long number_after(const char *file, const char *key)
{
    char line[200];
    long value = -1;
    FILE *f = fopen(file, "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, key, strlen(key)) == 0)
            value = atol(line + strlen(key));
    if (f != NULL)
        fclose(f);
    return value;
}

static long count_lines(const char *file)
{
    long lines = 0;
    FILE *f = fopen(file, "r");
    for (int c; f != NULL && (c = fgetc(f)) != EOF;)
        lines += c == '\n';
    if (f != NULL)
        fclose(f);
    return lines;
}

static long count_files(void)
{
    long files = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder != NULL && readdir(folder) != NULL)
        files++;
    if (folder != NULL)
        closedir(folder);
    return files;
}

static void most(long *value, long now)
{
    *value = now > *value ? now : *value;
}

/** Node 0, which lives from beginning to end, looks at itself. */
static void look_at_ourselves(double share)
{
    const bool late = share > 0.5;
    if (share < 0.1)
        return;
    most(late ? &board->memory_late : &board->memory_early,
         number_after("/proc/self/status", "RssAnon:"));
    most(late ? &board->files_late : &board->files_early, count_files());
    most(late ? &board->maps_late : &board->maps_early, count_lines("/proc/self/maps"));
}

static void open_node(uint32_t self)
{
    static const char *const transports[] = {"am2", "l-hrx", "am2", "ssam", "l-hrx", "am2"};
    static const char *const polling[] = {"adaptive", "always", "fractional:8"};
    char name[60];
    const clump_endpoint_options options = {.listen = "127.0.0.1:0",
                                            .transport = transports[self],
                                            .polling = polling[self % 3],
                                            .silence_ms = SILENCE_MS,
                                            .send_timeout_ms = 3000,
                                            .length = 64,
                                            .events = self % 4 == 0};
    node = (struct node){.self = self};
    name_of(self, name);
    /* A process that is killed while it makes its segment leaves a name that nobody owns, for two
     * seconds. */
    const double until = seconds() + 4;
    clump_protocol_status status;
    while ((status = clump_endpoint_open(name, &options, &node.endpoint)) ==
               CLUMP_PROTOCOL_IN_USE &&
           seconds() < until) {
        clump_endpoint_close(node.endpoint);
        usleep(100000);
    }
    if (status != CLUMP_PROTOCOL_OK) {
        failed("open: %s", clump_endpoint_message(node.endpoint));
        _exit(1);
    }
    clump_endpoint_set_handler(node.endpoint, 0, on_returned, NULL);
    clump_endpoint_set_handler(node.endpoint, 1, on_request, NULL);
    clump_endpoint_set_handler(node.endpoint, 2, on_answer, NULL);
    clump_endpoint_set_tag(node.endpoint, TAG);
    const char *address = clump_endpoint_address(node.endpoint);
    const uint16_t port = (uint16_t)atoi(strrchr(address, ':') + 1);
    board->lossy.target[self] = port;
    board->ports[self] = port;
}

static uint32_t all_waiting(void)
{
    uint32_t sum = 0;
    for (int i = 0; i < NODES; i++)
        sum += node.waiting[i];
    return sum;
}

static void run_node(uint32_t self, double began, double lasts)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    srandom(mix(self, board->births[self], 99));
    open_node(self);
    double looked = seconds();
    while (!board->finish) {
        const uint32_t to = (uint32_t)random() % NODES;
        const bool enough = node.waiting[to] > 48 && way_of(self, to) == 0;
        if (enough && node.born[to] != board->births[to])
            unmap(to); /* only who sends through shared memory learns of a death */
        else if (to == self || enough)
            clump_endpoint_poll(node.endpoint, 8, NULL);
        else if (!node.mapped[to])
            map(to);
        else
            ask(to);
        if (random() % 8 == 0)
            clump_endpoint_wait(node.endpoint, (uint64_t)random() % 2000);
        if (self == 0 && seconds() > looked + 0.5) {
            looked = seconds();
            look_at_ourselves((looked - began) / lasts);
        }
    }
    /* Everybody answers everything that is still asked. */
    const double until = seconds() + END_SECONDS;
    for (double quiet = seconds() + 1;
         seconds() < quiet || (all_waiting() > 0 && seconds() < until);)
        clump_endpoint_wait(node.endpoint, 10000);
    for (uint32_t to = 0; to < NODES; to++)
        if (node.waiting[to] > 0)
            failed("%u requests of %u to %u have never ended (way %u)", node.waiting[to], self, to,
                   way_of(self, to));
    clump_endpoint_close(node.endpoint);
    _exit(0);
}

/* ---- the one who kills */

static pid_t start_node(uint32_t self, double began, double lasts)
{
    board->births[self]++;
    const pid_t process = fork();
    if (process == 0)
        run_node(self, began, lasts);
    return process;
}

static unsigned left_in_memory(void)
{
    char ours[40];
    unsigned left = 0;
    snprintf(ours, sizeof ours, "clump-soak-%ld-", (long)parent);
    DIR *folder = opendir("/dev/shm");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        left += strncmp(entry->d_name, ours, strlen(ours)) == 0;
    if (folder != NULL)
        closedir(folder);
    return left;
}

static void expect_bounded(const char *what, long early, long late, long allowance)
{
    printf("  %-42s%10ld%10ld\n", what, early, late);
    if (late > early + early / 4 + allowance)
        failed("%s grew from %ld to %ld", what, early, late);
}

int main(int argc, char **argv)
{
    const double lasts = argc > 1 ? atof(argv[1]) : 20;
    const unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : (unsigned)time(NULL);
    parent = getpid();
    board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED || lasts < 10) {
        fprintf(stderr, "usage: soak SECONDS [SEED], 10 seconds or more\n");
        return 2;
    }
    printf("soak: %.0f s, seed %u\n", lasts, seed);
    fflush(stdout);
    board->lossy.loss = 0.03;
    board->lossy.repeats = 0.02;
    board->lossy.delays = 0.02;
    const pid_t link = fork();
    if (link == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        lossy_run(&board->lossy, NODES);
        _exit(0);
    }
    while (board->lossy.entrance[NODES - 1] == 0)
        usleep(1000);
    const double began = seconds();
    pid_t nodes[NODES];
    for (uint32_t i = 0; i < NODES; i++)
        nodes[i] = start_node(i, began, lasts);
    srandom(seed);
    unsigned kills = 0, stops = 0;
    int status;
    while (seconds() < began + lasts - CALM_SECONDS && board->failures == 0) {
        usleep((useconds_t)(20000 + random() % 600000));
        const uint32_t victim = 1 + (uint32_t)random() % (NODES - 1);
        if (random() % 4 == 0) { /* away for a while; longer than the silence at times */
            kill(nodes[victim], SIGSTOP);
            usleep((useconds_t)(random() % (SILENCE_MS * 1500)));
            kill(nodes[victim], SIGCONT);
            stops++;
            continue;
        }
        board->ports[victim] = 0;
        kill(nodes[victim], SIGKILL);
        if (waitpid(nodes[victim], &status, 0) != nodes[victim] || !WIFSIGNALED(status))
            failed("node %u ended by itself", victim);
        if (random() % 3 == 0)
            usleep((useconds_t)(random() % 500000));
        nodes[victim] = start_node(victim, began, lasts);
        kills++;
    }
    board->calm = true;
    sleep(CALM_SECONDS); /* all learn who died */
    board->finish = true;
    for (int i = 0; i < NODES; i++)
        if (waitpid(nodes[i], &status, 0) != nodes[i] || !WIFEXITED(status) ||
            WEXITSTATUS(status) != 0)
            failed("node %d ended with status %x", i, (unsigned)status);
    board->lossy.stop = 1;
    waitpid(link, NULL, 0);
    clump_endpoint *last; /* tidies up, as whoever comes next does */
    clump_endpoint_open("soak-last", NULL, &last);
    clump_endpoint_close(last);
    if (left_in_memory() > 0)
        failed("%u segments are left in /dev/shm", left_in_memory());

    printf(
        "  %u kills, %u stops; the link lost %llu of %llu datagrams, repeated %llu, delayed %llu\n",
        kills, stops, (unsigned long long)board->lossy.lost,
        (unsigned long long)(board->lossy.passed + board->lossy.lost),
        (unsigned long long)board->lossy.repeated, (unsigned long long)board->lossy.delayed);
    static const char *const ways[] = {"shared memory", "UDP", "UDP with loss"};
    for (int w = 0; w < 3; w++)
        printf("  %-16s%12llu requests%12llu answered\n", ways[w],
               (unsigned long long)board->sent[w], (unsigned long long)board->answered[w]);
    printf("  %llu handled, %llu returned, %llu mappings in vain\n",
           (unsigned long long)board->handled, (unsigned long long)board->returned,
           (unsigned long long)board->refused_maps);
    printf("  %-42s%10s%10s\n", "the node that was never killed", "1st half", "2nd half");
    expect_bounded("memory, kB", board->memory_early, board->memory_late, 8192);
    expect_bounded("descriptors", board->files_early, board->files_late, 4);
    expect_bounded("mappings", board->maps_early, board->maps_late, 70); /* 64 ways of return */
    if (board->failures > 0) {
        printf("soak: FAILED, %u times, first: %s\n", board->failures, board->failure);
        return 1;
    }
    printf("soak: passed\n");
    return 0;
}
