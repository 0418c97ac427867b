/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The network protocol over loopback beside its floor, plain UDP sockets that are polled: round
 * trips of 32 bytes, a stream of small datagrams, and bytes in datagrams of the protocol's size, of
 * which 16 times 8 kB are on their way, as the credits allow. In turns and pinned alike.
 * BENCH_ROUNDS=N (default 5); medians.
 */
#define _DEFAULT_SOURCE
#include "protocols/calibration/team.h"
#include "protocols/calibration/udp_client.h"
#include "protocols/calibration/udp_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TRIPS = 5000,
    SMALL = 96, /* with header, fragment and 8 arguments a request has as many bytes, about */
    MESSAGES = 20000,
    FRAGMENT = 1452,
    BLOCK = 8192,
    BLOCKS = 2000,
    WINDOW = 16,
    MOST = 50,
    TAG = 7
};

enum { TRIP, GAP, BANDWIDTH, FIGURES };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- plain sockets */

/** Polled, as the endpoint does; gives up after a second. */
static bool take(int file, unsigned char *bytes, size_t size)
{
    const double until = seconds() + 1;
    for (unsigned n = 1;; n++) {
        if (recv(file, bytes, size, MSG_DONTWAIT) >= 0)
            return true;
        if (n % 65536 == 0 && seconds() > until)
            return false;
    }
}

/** The first byte says: 'e' send it back, 'b' the end of a block, answer with one byte, else take.
 */
static void serve_plainly(int file)
{
    static unsigned char bytes[2048];
    for (;;) {
        const ssize_t size = recv(file, bytes, sizeof bytes, MSG_DONTWAIT);
        if (size > 0 && bytes[0] == 'e')
            send(file, bytes, (size_t)size, 0);
        else if (size > 0 && bytes[0] == 'b')
            send(file, bytes, 1, 0);
    }
}

static int bound(struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    const int file = socket(AF_INET, SOCK_DGRAM, 0), wanted = 4 << 20;
    *at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (file < 0 || bind(file, (struct sockaddr *)at, size) != 0 ||
        getsockname(file, (struct sockaddr *)at, &size) != 0)
        return -1;
    setsockopt(file, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted);
    return file;
}

static double plain_trip(int file)
{
    unsigned char bytes[SMALL] = {'e'};
    const double began = seconds();
    for (int n = 0; n < TRIPS; n++) {
        send(file, bytes, sizeof bytes, 0);
        if (!take(file, bytes, sizeof bytes))
            return NAN;
    }
    return (seconds() - began) / TRIPS * 1e6;
}

/** `parts` datagrams a message, of which the last is answered; 16 messages on their way. */
static double plain_stream(int file, unsigned messages, unsigned parts, size_t last)
{
    unsigned char bytes[FRAGMENT] = {0};
    unsigned answered = 0;
    const double began = seconds();
    for (unsigned n = 0; n < messages; n++) {
        for (; n - answered >= WINDOW; answered++)
            if (!take(file, bytes, sizeof bytes))
                return NAN;
        for (unsigned i = 0; i < parts; i++) {
            bytes[0] = i + 1 == parts ? 'b' : 't';
            send(file, bytes, i + 1 == parts ? last : sizeof bytes, 0);
        }
    }
    for (; answered < messages; answered++)
        if (!take(file, bytes, sizeof bytes))
            return NAN;
    return (seconds() - began) / messages * 1e6;
}

static pid_t child(void)
{
    const pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        clump_team_pin(1);
    }
    return process;
}

static void end(pid_t process)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

static void measure_plainly(double values[FIGURES])
{
    struct sockaddr_in here, there;
    const int mine = bound(&here), theirs = bound(&there);
    for (int f = 0; f < FIGURES; f++)
        values[f] = NAN;
    if (mine < 0 || theirs < 0 || connect(mine, (struct sockaddr *)&there, sizeof there) != 0 ||
        connect(theirs, (struct sockaddr *)&here, sizeof here) != 0)
        return;
    const pid_t server = child();
    if (server == 0)
        serve_plainly(theirs);
    clump_team_pin(0);
    plain_trip(mine); /* warm */
    values[TRIP] = plain_trip(mine);
    values[GAP] = plain_stream(mine, MESSAGES, 1, SMALL);
    values[BANDWIDTH] = BLOCK / plain_stream(mine, BLOCKS, 6, BLOCK - 5 * (FRAGMENT - 44) + 44);
    clump_team_unpin();
    end(server);
    close(mine);
    close(theirs);
}

/* ---- the protocol */

struct gathered {
    double sums[FIGURES];
    unsigned counts[FIGURES];
};

static bool gather(const clump_calibration_sample *s, void *context)
{
    struct gathered *g = context;
    const int figure = s->quantity == CLUMP_QUANTITY_HALF_ROUND_TRIP && s->size_bytes == 32 ? TRIP
                       : s->quantity == CLUMP_QUANTITY_MESSAGE_GAP                          ? GAP
                       : s->benchmark == CLUMP_BENCHMARK_WINDOW && s->size_bytes == BLOCK
                           ? BANDWIDTH
                           : FIGURES;
    if (figure < FIGURES) {
        g->sums[figure] += figure == TRIP ? 2 * s->value : s->value;
        g->counts[figure]++;
    }
    return false;
}

static void measure_protocol(const char *transport, double values[FIGURES])
{
    char address[CLUMP_ADDRESS_TEXT] = "", message[CLUMP_CALIBRATION_MESSAGE_BYTES];
    struct gathered g = {{0}, {0}};
    int ends[2];
    if (pipe(ends) != 0)
        return;
    const pid_t server = child();
    if (server == 0) {
        clump_service *service;
        const clump_service_options options = {.tag = TAG};
        if (clump_service_open(&options, &service, message) == CLUMP_PROTOCOL_OK)
            snprintf(address, sizeof address, "%s", clump_service_address(service));
        if (write(ends[1], address, sizeof address) < 0 || address[0] == '\0')
            _exit(1);
        for (;;)
            clump_service_turn(service, 1000000);
    }
    clump_udp_losses losses;
    clump_udp_plan plan = {.peer = address,
                           .transport = transport,
                           .tag = TAG,
                           .loggp = true,
                           .sizes = strcmp(transport, "ssam") != 0, /* 205 cells a block */
                           .runs = 2,
                           .effort = 1,
                           .sample = gather,
                           .context = &g};
    if (read(ends[0], address, sizeof address) != (ssize_t)sizeof address ||
        clump_udp_measure(&plan, &losses, message) != CLUMP_PROTOCOL_OK)
        fprintf(stderr, "bench: %s: %s\n", transport, message);
    for (int f = 0; f < FIGURES; f++)
        values[f] = g.counts[f] > 0 ? g.sums[f] / g.counts[f] : NAN;
    end(server);
    close(ends[0]);
    close(ends[1]);
}

/* ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double values[MOST][FIGURES], unsigned rounds, int figure)
{
    double some[MOST];
    size_t count = 0;
    for (unsigned r = 0; r < rounds; r++)
        if (!isnan(values[r][figure]))
            some[count++] = values[r][figure];
    qsort(some, count, sizeof *some, compare);
    return count > 0 ? some[count / 2] : NAN;
}

int main(void)
{
    static const char *const names[] = {"plain sockets", "am2", "l-hrx", "ssam"};
    enum { WAYS = 4 };
    static double values[WAYS][MOST][FIGURES];
    const char *wanted = getenv("BENCH_ROUNDS");
    const int asked = wanted != NULL ? atoi(wanted) : 5;
    const unsigned rounds = asked < 1 ? 1 : asked > MOST ? MOST : (unsigned)asked;
    clump_team_processors(); /* remembers those that both may use */
    for (unsigned r = 0; r < rounds; r++) {
        measure_plainly(values[0][r]);
        for (int way = 1; way < WAYS; way++)
            measure_protocol(names[way], values[way][r]);
    }
    printf(
        "Network over loopback beside plain sockets, medians of %u rounds; in brackets, times the "
        "floor\n",
        rounds);
    printf("%-16s%24s%24s%24s\n", "", "round trip 32 B, us", "gap 32 B, us", "8 kB blocks, MB/s");
    for (int way = 0; way < WAYS; way++) {
        printf("%-16s", names[way]);
        for (int f = 0; f < FIGURES; f++) {
            const double value = median(values[way], rounds, f);
            if (isnan(value))
                printf("%24s", "-");
            else
                printf("%16.2f (%5.2f)", value, value / median(values[0], rounds, f));
        }
        printf("\n");
    }
    return 0;
}
