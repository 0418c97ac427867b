/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* recvmmsg, sendmmsg */
#include "protocols/network/udp.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(struct sockaddr_in6) <= sizeof((clump_address){0}.bytes),
               "an address fits into a clump_address");

enum {
    BATCH = 32,
    /* Looks that find something before one asks for several; more of them when that was in vain. */
    STREAK = 2,
    STREAK_MOST = 64,
    TRAIN_BYTES_MOST = 60000,
    TRAIN_PARTS_MOST = 48 /* the system takes 64 */
};

enum { WANTED_BUFFER = 4 << 20 };

struct clump_udp {
    int file;
    int family;
    clump_udp_counters counters;
    bool segments;   /**< trains may be sent */
    unsigned streak; /**< looks in a row that found something */
    unsigned needed; /**< of these before several datagrams are asked for */
    /* Through which datagrams leave, by turn. */
    unsigned interfaces[CLUMP_UDP_INTERFACES], interface_count, turn;
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
    if (bind(file, where->ai_addr, where->ai_addrlen) == 0)
        return file;
    const int error = errno;
    close(file);
    errno = error;
    return -1;
}

clump_protocol_status clump_udp_open(const char *where, clump_udp **udp,
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
    *u = (clump_udp){.file = file, .family = found->ai_family, .segments = true};
    freeaddrinfo(found);
    /* As much as the system allows: what the buffer cannot hold is lost and sent again. */
    const int wanted = WANTED_BUFFER;
    setsockopt(file, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted);
    setsockopt(file, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
    *udp = u;
    return CLUMP_PROTOCOL_OK;
}

bool clump_udp_spread(clump_udp *udp, const unsigned *interfaces, unsigned count)
{
    if (count > CLUMP_UDP_INTERFACES || (count > 0 && udp->family != AF_INET))
        return false;
    for (unsigned i = 0; i < count; i++)
        udp->interfaces[i] = interfaces[i];
    udp->interface_count = count;
    return true;
}

void clump_udp_close(clump_udp *udp)
{
    if (udp == NULL)
        return;
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

/* ---- errors, and receiving */

/** Whether to try again. Some systems tell once, instead of what they were asked for, that an earlier
 *  datagram was refused. */
static bool is_worth_another(int error, int *tries)
{
    return error == EINTR || (error == ECONNREFUSED && (*tries)++ == 0);
}

/** A datagram has come, or is dropped. @return whether it is kept */
static bool keep(clump_udp *u, clump_datagram *d, size_t size, uint32_t address_size)
{
    if (size > sizeof d->bytes) {
        u->counters.oversized++; /* larger than any of ours */
        return false;
    }
    if (size == 0) {
        u->counters.empty++;
        return false;
    }
    d->size = size;
    d->address.size =
        address_size < sizeof d->address.bytes ? address_size : sizeof d->address.bytes;
    memset(d->address.bytes + d->address.size, 0, sizeof d->address.bytes - d->address.size);
    return true;
}

/** The one that is next: with fewer words between us and the system than a batch.
 *  @return how many came, 0 or 1; `*kept` of them */
static int receive_one(clump_udp *u, clump_datagram *d, unsigned *kept)
{
    socklen_t address_size = sizeof d->address.bytes;
    ssize_t size;
    int tries = 0;
    do
        size = recvfrom(u->file, d->bytes, sizeof d->bytes, MSG_DONTWAIT | MSG_TRUNC,
                        (struct sockaddr *)(void *)d->address.bytes, &address_size);
    while (size < 0 && is_worth_another(errno, &tries));
    *kept = size >= 0 && keep(u, d, (size_t)size, address_size);
    return size >= 0;
}

static int receive_batch(clump_udp *u, clump_datagram *datagrams, unsigned most, unsigned *kept)
{
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
    int count, tries = 0;
    do
        count = recvmmsg(u->file, headers, most, MSG_DONTWAIT | MSG_TRUNC, NULL);
    while (count < 0 && is_worth_another(errno, &tries));
    *kept = 0;
    for (int i = 0; i < count; i++)
        if (keep(u, &datagrams[i], headers[i].msg_len, headers[i].msg_hdr.msg_namelen)) {
            if (*kept != (unsigned)i)
                datagrams[*kept] = datagrams[i];
            ++*kept;
        }
    return count;
}

static unsigned receive(void *context, clump_datagram *datagrams, unsigned most)
{
    clump_udp *u = context;
    unsigned kept = 0;
    const bool batch = u->streak >= STREAK && u->streak >= u->needed && most > 1;
    const int count =
        batch ? receive_batch(u, datagrams, most, &kept) : receive_one(u, datagrams, &kept);
    u->streak = count > 0 ? u->streak + 1 : 0;
    /* One by one as long as they come one by one: a batch asks for a next one in vain. */
    if (batch && count == 1) {
        u->needed = u->needed < STREAK_MOST / 2 ? 2 * u->needed + STREAK : STREAK_MOST;
        u->streak = 0;
    } else if (batch) {
        u->needed = STREAK;
    }
    return kept;
}

/* ---- sending */

/** Room for what the system is told beside a message. */
struct note {
    _Alignas(struct cmsghdr) unsigned char bytes[CMSG_SPACE(2 * sizeof(uint64_t))];
};

static void write_note(struct msghdr *header, struct note *note, int level, int type,
                       const void *content, size_t size)
{
    header->msg_control = note;
    header->msg_controllen = CMSG_SPACE(size);
    struct cmsghdr *c = CMSG_FIRSTHDR(header);
    c->cmsg_level = level;
    c->cmsg_type = type;
    c->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(c), content, size);
}

/** Through the interface whose turn it is. */
static void write_interface(clump_udp *u, struct msghdr *header, struct note *note)
{
    const struct in_pktinfo next = {.ipi_ifindex =
                                        (int)u->interfaces[u->turn++ % u->interface_count]};
    _Static_assert(sizeof next <= 2 * sizeof(uint64_t), "it fits into a note");
    write_note(header, note, IPPROTO_IP, IP_PKTINFO, &next, sizeof next);
}

static bool is_same_address(const clump_address *a, const clump_address *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Trains: datagrams of one size to one address, the last of which may be shorter, that pass the
 * system as one (segmentation offload). Where it or a device has none each datagram is a train. */

/** How many of these, of which there is one at least, make a train. */
static unsigned train_length(const clump_datagram *d, unsigned count)
{
    size_t bytes = d[0].size;
    unsigned n = 1;
    while (n < count && n < TRAIN_PARTS_MOST && d[n].size <= d[0].size && d[n].size > 0 &&
           d[n - 1].size == d[0].size && bytes + d[n].size <= TRAIN_BYTES_MOST &&
           is_same_address(&d[n].address, &d[0].address))
        bytes += d[n++].size;
    return n;
}

/** Errors that say that the system, or a device on the way, has no trains. */
static bool tells_of_trains(int error)
{
    return error == EIO || error == EINVAL || error == EMSGSIZE || error == EOPNOTSUPP ||
           error == ENOPROTOOPT;
}

enum { FLAGS = MSG_DONTWAIT | MSG_NOSIGNAL };

/** One train, by the call that has the system read least. @return 1, or -1 with errno */
static int send_one(int file, const struct msghdr *h)
{
    const ssize_t sent = h->msg_iovlen > 1 || h->msg_control != NULL
                             ? sendmsg(file, h, FLAGS)
                             : sendto(file, h->msg_iov->iov_base, h->msg_iov->iov_len, FLAGS,
                                      h->msg_name, h->msg_namelen);
    return sent < 0 ? -1 : 1;
}

/** Send the first of these, in one system call unless it fails. @return how many were sent or are
 *  lost */
static unsigned send_trains(clump_udp *u, const clump_datagram *datagrams, unsigned count)
{
    count = count < BATCH ? count : BATCH;
    struct mmsghdr headers[BATCH];
    struct iovec parts[BATCH];
    struct note notes[BATCH];
    unsigned lengths[BATCH], trains = 0;
    const unsigned turn = u->turn;
    for (unsigned i = 0; i < count; i += lengths[trains++]) {
        const clump_datagram *d = &datagrams[i];
        struct msghdr *h = &headers[trains].msg_hdr;
        lengths[trains] = u->segments && u->interface_count == 0 ? train_length(d, count - i) : 1;
        /* The system does not write through these. */
        for (unsigned k = 0; k < lengths[trains]; k++)
            parts[i + k] = (struct iovec){(void *)(uintptr_t)d[k].bytes, d[k].size};
        *h = (struct msghdr){.msg_name = (void *)(uintptr_t)d->address.bytes,
                             .msg_namelen = d->address.size,
                             .msg_iov = &parts[i],
                             .msg_iovlen = lengths[trains]};
        if (lengths[trains] > 1) {
            const uint16_t part = (uint16_t)d->size;
            write_note(h, &notes[trains], IPPROTO_UDP, UDP_SEGMENT, &part, sizeof part);
        }
        if (u->interface_count > 0)
            write_interface(u, h, &notes[trains]);
    }
    int sent, tries = 0;
    do
        sent = trains == 1 ? send_one(u->file, &headers[0].msg_hdr)
                           : sendmmsg(u->file, headers, trains, FLAGS);
    while (sent < 0 && is_worth_another(errno, &tries));
    unsigned done = 0;
    for (int i = 0; i < sent; i++)
        done += lengths[i];
    u->turn = turn + (done > 0 ? done : 1); /* of those that are sent now, or lost */
    if (sent > 0)
        return done;
    if (lengths[0] > 1 && tells_of_trains(errno)) {
        u->segments = false;
        return 0;
    }
    /* An error belongs to the first that was not sent (or to an earlier one that was refused); it
     * is lost, as any datagram may be. */
    return 1;
}

/** Most are single: with few words of ours, and of the system's. */
static void send_single(const clump_udp *u, const clump_datagram *d)
{
    const struct sockaddr *to = (const struct sockaddr *)(const void *)d->address.bytes;
    int tries = 0;
    while (sendto(u->file, d->bytes, d->size, FLAGS, to, d->address.size) < 0 &&
           is_worth_another(errno, &tries))
        continue;
}

static void send_batch(void *context, const clump_datagram *datagrams, unsigned count)
{
    const clump_udp *u = context;
    if (count == 1 && u->interface_count == 0) {
        send_single(u, datagrams);
        return;
    }
    while (count > 0) {
        const unsigned done = send_trains(context, datagrams, count);
        datagrams += done;
        count -= done;
    }
}

/* ---- */

clump_datagram_link clump_udp_link(clump_udp *udp)
{
    return (clump_datagram_link){udp, receive, send_batch};
}

clump_udp_counters clump_udp_count(const clump_udp *udp)
{
    return udp->counters;
}

bool clump_udp_wait(const clump_udp *udp, uint64_t timeout_ns)
{
    struct pollfd wanted = {.fd = udp->file, .events = POLLIN};
    const struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                                     .tv_nsec = (long)(timeout_ns % 1000000000u)};
    return ppoll(&wanted, 1, &timeout, NULL) > 0;
}
