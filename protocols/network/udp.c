/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* recvmmsg, sendmmsg */
#include "protocols/network/udp.h"
#include "protocols/network/bell.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct sockaddr_in6) <= sizeof((clump_address){0}.bytes),
               "an address fits into a clump_address");

enum { BATCH = 32, WANTED_BUFFER = 4 << 20, BIND_TRIES = 100, BIND_PAUSE_NS = 2000000 };

struct clump_udp {
    int file;
    int family;
    clump_bell *bell; /**< NULL: every look is a system call */
    clump_udp_counters counters;
};

/** Split HOST:PORT or [HOST]:PORT. */
static bool split(const char *where, char host[256], char port[8])
{
    const char *colon = strrchr(where, ':');
    if (colon == NULL || colon == where || strlen(colon + 1) == 0 || strlen(colon + 1) > 5)
        return false;
    size_t length = (size_t)(colon - where);
    if (where[0] == '[' && where[length - 1] == ']') {
        where++;
        length -= 2;
    } else if (memchr(where, ':', length) != NULL) {
        return false; /* an IPv6 address without brackets */
    }
    if (length == 0 || length >= 256 || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return false;
    memcpy(host, where, length);
    host[length] = '\0';
    strcpy(port, colon + 1);
    return atoi(port) <= 65535;
}

static clump_protocol_status look_up(const char *where, int family, bool listen,
                                     struct addrinfo **found, char *message)
{
    char host[256], port[8];
    if (!split(where, host, port) || (!listen && atoi(port) == 0)) {
        snprintf(
            message, CLUMP_UDP_MESSAGE,
            "address \"%.80s\": expected HOST:PORT, or [HOST]:PORT with an IPv6 address, and a "
            "port from %d to 65535",
            where, listen ? 0 : 1);
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    const struct addrinfo wanted = {
        .ai_family = family, .ai_socktype = SOCK_DGRAM, .ai_flags = listen ? AI_PASSIVE : 0};
    const int failed = getaddrinfo(host, port, &wanted, found);
    if (failed != 0) {
        snprintf(message, CLUMP_UDP_MESSAGE, "address \"%.80s\": %s", where, gai_strerror(failed));
        return CLUMP_PROTOCOL_BAD_INPUT;
    }
    return CLUMP_PROTOCOL_OK;
}

/** @return a socket that listens there; -1 with errno */
static int bound_socket(const struct addrinfo *where)
{
    const int file = socket(where->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0)
        return -1;
    /* The system holds the port of a process that was killed for some milliseconds more if that
     * had a bell. */
    for (int tries = 0; bind(file, where->ai_addr, where->ai_addrlen) != 0; tries++) {
        const int error = errno;
        if (error != EADDRINUSE || tries == BIND_TRIES) {
            close(file);
            errno = error;
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = BIND_PAUSE_NS}, NULL);
    }
    return file;
}

clump_protocol_status clump_udp_open(const char *where, bool bell, clump_udp **udp,
                                     char message[CLUMP_UDP_MESSAGE])
{
    where = where != NULL ? where : "127.0.0.1:0";
    struct addrinfo *found;
    clump_protocol_status status = look_up(where, AF_UNSPEC, true, &found, message);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    clump_udp *u = malloc(sizeof *u);
    const int file = u != NULL ? bound_socket(found) : -1;
    if (file < 0) {
        const int error = errno;
        status = error == EADDRINUSE ? CLUMP_PROTOCOL_IN_USE : CLUMP_PROTOCOL_FAILED;
        snprintf(message, CLUMP_UDP_MESSAGE, "cannot listen on %.80s: %s", where, strerror(error));
        free(u);
        freeaddrinfo(found);
        return status;
    }
    *u = (clump_udp){.file = file, .family = found->ai_family};
    freeaddrinfo(found);
    /* As much as the system allows: what the buffer cannot hold is lost and sent again. */
    const int wanted = WANTED_BUFFER;
    setsockopt(file, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted);
    setsockopt(file, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
    if (bell)
        u->bell = clump_bell_open(file);
    *udp = u;
    return CLUMP_PROTOCOL_OK;
}

void clump_udp_close(clump_udp *udp)
{
    if (udp == NULL)
        return;
    clump_bell_close(udp->bell);
    close(udp->file);
    free(udp);
}

/** As HOST:PORT, in digits. */
static void write_text(const struct sockaddr_storage *address, socklen_t size,
                       char text[CLUMP_UDP_TEXT])
{
    char host[46] = "?", port[8] = "0";
    getnameinfo((const struct sockaddr *)address, size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(text, CLUMP_UDP_TEXT, address->ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host,
             port);
}

void clump_udp_name(const clump_udp *udp, char text[CLUMP_UDP_TEXT])
{
    struct sockaddr_storage address = {.ss_family = (sa_family_t)udp->family};
    socklen_t size = sizeof address;
    getsockname(udp->file, (struct sockaddr *)&address, &size);
    write_text(&address, size, text);
}

void clump_udp_text(const clump_address *address, char text[CLUMP_UDP_TEXT])
{
    struct sockaddr_storage own = {0};
    memcpy(&own, address->bytes, address->size);
    write_text(&own, (socklen_t)address->size, text);
}

clump_protocol_status clump_udp_resolve(const clump_udp *udp, const char *where,
                                        clump_address *address, char message[CLUMP_UDP_MESSAGE])
{
    struct addrinfo *found;
    const clump_protocol_status status = look_up(where, udp->family, false, &found, message);
    if (status != CLUMP_PROTOCOL_OK)
        return status;
    memset(address, 0, sizeof *address);
    address->size = (uint32_t)found->ai_addrlen;
    memcpy(address->bytes, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return CLUMP_PROTOCOL_OK;
}

static unsigned receive(void *context, clump_datagram *datagrams, unsigned most)
{
    clump_udp *udp = context;
    if (!clump_bell_rings(udp->bell)) {
        udp->counters.silent++;
        return 0;
    }
    struct mmsghdr headers[BATCH];
    struct iovec parts[BATCH];
    most = most < BATCH ? most : BATCH;
    for (unsigned i = 0; i < most; i++) {
        parts[i] = (struct iovec){datagrams[i].bytes, sizeof datagrams[i].bytes};
        headers[i].msg_hdr = (struct msghdr){.msg_name = datagrams[i].address.bytes,
                                             .msg_namelen = sizeof datagrams[i].address.bytes,
                                             .msg_iov = &parts[i],
                                             .msg_iovlen = 1};
    }
    const int count = recvmmsg(udp->file, headers, most, MSG_DONTWAIT, NULL);
    clump_bell_answer(udp->bell, count > 0);
    unsigned kept = 0;
    for (int i = 0; i < count; i++) {
        if ((headers[i].msg_hdr.msg_flags & MSG_TRUNC) != 0) {
            udp->counters.oversized++; /* larger than any of ours */
            continue;
        }
        if (headers[i].msg_len == 0) {
            udp->counters.empty++;
            continue;
        }
        clump_datagram *d = &datagrams[kept++];
        if (d != &datagrams[i])
            *d = datagrams[i];
        const uint32_t size = headers[i].msg_hdr.msg_namelen;
        d->address.size = size < sizeof d->address.bytes ? size : sizeof d->address.bytes;
        memset(d->address.bytes + d->address.size, 0, sizeof d->address.bytes - d->address.size);
        d->size = headers[i].msg_len;
    }
    return kept;
}

static void send_batch(void *context, const clump_datagram *datagrams, unsigned count)
{
    const clump_udp *udp = context;
    while (count > 0) {
        struct mmsghdr headers[BATCH];
        struct iovec parts[BATCH];
        const unsigned batch = count < BATCH ? count : BATCH;
        for (unsigned i = 0; i < batch; i++) { /* the system does not write through these */
            parts[i] = (struct iovec){(void *)(uintptr_t)datagrams[i].bytes, datagrams[i].size};
            headers[i].msg_hdr =
                (struct msghdr){.msg_name = (void *)(uintptr_t)datagrams[i].address.bytes,
                                .msg_namelen = datagrams[i].address.size,
                                .msg_iov = &parts[i],
                                .msg_iovlen = 1};
        }
        const int sent = sendmmsg(udp->file, headers, batch, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        /* An error belongs to the first that was not sent (or to an earlier one that was refused);
         * it is lost, as any datagram may be. */
        const unsigned done = sent > 0 ? (unsigned)sent : 1;
        datagrams += done;
        count -= done;
    }
}

clump_datagram_link clump_udp_link(clump_udp *udp)
{
    return (clump_datagram_link){udp, receive, send_batch};
}

clump_udp_counters clump_udp_count(const clump_udp *udp)
{
    clump_udp_counters counters = udp->counters;
    counters.bell = clump_bell_works(udp->bell);
    return counters;
}

bool clump_udp_wait(const clump_udp *udp, uint64_t timeout_ns)
{
    struct pollfd wanted = {.fd = udp->file, .events = POLLIN};
    const struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                                     .tv_nsec = (long)(timeout_ns % 1000000000u)};
    return ppoll(&wanted, 1, &timeout, NULL) > 0;
}
