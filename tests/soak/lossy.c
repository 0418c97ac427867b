/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE
#include "tests/soak/lossy.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ROUTES = 512, HELD = 64, LARGEST = 9000 };

/** A caller at an entrance, with the socket that stands for it before the target. */
struct route {
    unsigned target;
    struct sockaddr_in caller;
    int file;
    uint64_t used;
};

struct held {
    uint64_t due_ns;
    int file;
    struct sockaddr_in to;
    size_t size;
    unsigned char bytes[LARGEST];
};

static struct route routes[ROUTES];
static unsigned route_count, held_count;
static struct held held[HELD];
static uint64_t turn;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static double chance(void)
{
    return (double)random() / 2147483648.0;
}

static struct sockaddr_in local(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static int open_socket(uint16_t *port)
{
    struct sockaddr_in address = local(0);
    socklen_t size = sizeof address;
    const int file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (file < 0 || bind(file, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(file, (struct sockaddr *)&address, &size) != 0)
        _exit(3);
    if (port != NULL)
        *port = ntohs(address.sin_port);
    return file;
}

static void pass(struct lossy *lossy, int file, const struct sockaddr_in *to,
                 const unsigned char *bytes, size_t size)
{
    if (chance() < lossy->loss) {
        lossy->lost++;
        return;
    }
    if (chance() < lossy->delays && held_count < HELD) {
        struct held *h = &held[held_count++];
        *h = (struct held){
            .due_ns = now_ns() + (uint64_t)(chance() * 3e6), .file = file, .to = *to, .size = size};
        memcpy(h->bytes, bytes, size);
        lossy->delayed++;
        return;
    }
    for (int copies = chance() < lossy->repeats ? 2 : 1; copies > 0; copies--) {
        sendto(file, bytes, size, 0, (const struct sockaddr *)to, sizeof *to);
        lossy->passed++;
        lossy->repeated += copies > 1;
    }
}

static struct route *route_of(unsigned target, const struct sockaddr_in *caller)
{
    struct route *oldest = &routes[0];
    for (unsigned i = 0; i < route_count; i++) {
        struct route *r = &routes[i];
        if (r->target == target && r->caller.sin_port == caller->sin_port)
            return r;
        if (r->used < oldest->used)
            oldest = r;
    }
    struct route *r = route_count < ROUTES ? &routes[route_count++] : oldest;
    if (r->used > 0)
        close(r->file);
    *r = (struct route){.target = target, .caller = *caller, .file = open_socket(NULL)};
    return r;
}

static void relay(struct lossy *lossy, const int *entrances, unsigned targets)
{
    static unsigned char bytes[LARGEST];
    struct sockaddr_in from;
    socklen_t from_size = sizeof from;
    ssize_t size;
    for (unsigned t = 0; t < targets; t++)
        while ((size = recvfrom(entrances[t], bytes, sizeof bytes, 0, (struct sockaddr *)&from,
                                &from_size)) >= 0) {
            struct route *r = route_of(t, &from);
            const struct sockaddr_in to = local(lossy->target[t]);
            r->used = ++turn;
            if (to.sin_port != 0)
                pass(lossy, r->file, &to, bytes, (size_t)size);
        }
    for (unsigned i = 0; i < route_count; i++) {
        struct route *r = &routes[i];
        while ((size = recv(r->file, bytes, sizeof bytes, 0)) >= 0) {
            r->used = ++turn;
            pass(lossy, entrances[r->target], &r->caller, bytes, (size_t)size);
        }
    }
    for (unsigned i = 0; i < held_count; i++)
        if (held[i].due_ns <= now_ns()) {
            sendto(held[i].file, held[i].bytes, held[i].size, 0, (struct sockaddr *)&held[i].to,
                   sizeof held[i].to);
            held[i--] = held[--held_count];
        }
}

void lossy_run(struct lossy *lossy, unsigned targets)
{
    int entrances[LOSSY_TARGETS];
    for (unsigned t = 0; t < targets; t++) {
        uint16_t port;
        entrances[t] = open_socket(&port);
        lossy->entrance[t] = port;
    }
    while (!lossy->stop) {
        static struct pollfd files[LOSSY_TARGETS + ROUTES];
        for (unsigned t = 0; t < targets; t++)
            files[t] = (struct pollfd){.fd = entrances[t], .events = POLLIN};
        for (unsigned i = 0; i < route_count; i++)
            files[targets + i] = (struct pollfd){.fd = routes[i].file, .events = POLLIN};
        poll(files, targets + route_count, held_count > 0 ? 1 : 20);
        relay(lossy, entrances, targets);
    }
}
