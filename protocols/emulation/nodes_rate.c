/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* setns */
#include "data/owned.h"
#include "protocols/emulation/nodes.h"
#include "protocols/queue/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 7077, PIECE = 16384, TRIES = 200, PATIENCE_SECONDS = 60 };

static struct sockaddr_in address_of(unsigned node)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons(PORT),
                                .sin_addr.s_addr = htonl(0x0a640001 + node)}; /* 10.100.0.1 */
}

static void send_for(size_t bytes)
{
    static const char piece[PIECE];
    const struct sockaddr_in to = address_of(1);
    const struct timespec moment = {.tv_nsec = 10000000};
    for (int i = 0; i < TRIES; i++) {
        const int line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (line >= 0 && connect(line, (const struct sockaddr *)&to, sizeof to) == 0) {
            ssize_t sent = 0;
            for (size_t done = 0; done < bytes && sent >= 0; done += (size_t)sent)
                sent = write(line, piece, PIECE);
            close(line);
            return;
        }
        if (line >= 0)
            close(line);
        nanosleep(&moment, NULL); /* nobody listens yet */
    }
}

/* The first tenth is not measured: the bucket was full, and TCP begins slowly. */
static double receive(size_t bytes)
{
    char piece[PIECE];
    const struct sockaddr_in at = address_of(1);
    const int door = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (door < 0 || bind(door, (const struct sockaddr *)&at, sizeof at) != 0 ||
        listen(door, 1) != 0)
        return 0;
    const int line = accept(door, NULL, NULL);
    size_t got = 0, from = 0;
    uint64_t begin = 0, end = 0;
    ssize_t length;
    while (line >= 0 && (length = read(line, piece, sizeof piece)) != 0) {
        if (length < 0 && errno != EINTR)
            break;
        got += length > 0 ? (size_t)length : 0;
        end = clump_time_ns();
        if (begin == 0 && got >= bytes / 10) {
            begin = end;
            from = got;
        }
    }
    return begin > 0 && end > begin ? 1e9 * (double)(got - from) / (double)(end - begin) : 0;
}

/* A child that ends with us, and in any case after a while: if nothing comes through, nobody else ends the one that listens. */
static pid_t fork_with_us(void)
{
    const pid_t child = clump_child_fork(SIGKILL);
    if (child == 0)
        alarm(PATIENCE_SECONDS);
    return child;
}

double clump_nodes_measure_rate(const struct clump_nodes *nodes,
                                const struct clump_nodes_plan *plan, double seconds)
{
    const size_t bytes = (size_t)(plan->bits_per_second / 8 * seconds);
    double *found =
        mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED)
        return 0;
    const pid_t receiver = fork_with_us();
    if (receiver == 0) {
        if (clump_nodes_enter(nodes, 1))
            *found = receive(bytes);
        _exit(0);
    }
    const pid_t sender = fork_with_us();
    if (sender == 0) {
        if (clump_nodes_enter(nodes, 0))
            send_for(bytes);
        _exit(0);
    }
    const pid_t both[] = {sender, receiver};
    for (int i = 0; i < 2; i++)
        if (both[i] > 0)
            clump_child_wait(both[i]);
    const double rate = *found;
    munmap(found, sizeof *found);
    return rate;
}
