/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* setns, recvmmsg, SO_TIMESTAMPNS */
#include "protocols/emulation/processor.h"
#include "protocols/queue/process.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- sockets */

enum {
    MESSAGE = CLUMP_EMULATION_MESSAGE_BYTES,
    FIRST_PORT = 2000,
    AT_ONCE = 8,          /* packets for each NIC before another process may have the processor */
    SEND_BUFFER = 212992, /* usual limit without root, which the system doubles: 180 packets */
    RECEIVE_BUFFER = 8 << 20,
    PACKET_COST = 4096,                   /* bytes of a buffer that a packet takes, at most */
    MARKER = CLUMP_EMULATION_HEADERS + 1, /* it carries the number of its message */
    KNOCK_MS = 20,       /* between tries to get through a NIC that may not be up yet */
    LOST_MS = 1000,      /* a marker that is not there by then, though nothing is queued, is lost */
    PATIENCE_MS = 120000 /* without anything happening */
};

/*
 * The sockets of one processor: near ends that it sends from, far ends where it sees what has
 * arrived. It holds both, and so needs nobody to tell it that its message is there.
 */
struct sockets {
    const clump_emulation_plan *plan;
    struct clump_emulation_nic *nics[CLUMP_EMULATION_MOST_NICS]; /**< those it uses */
    unsigned nic_count;
    struct pollfd near[CLUMP_EMULATION_MOST_NICS + 1]; /**< a socket a NIC, then the far markers */
    struct sockaddr_in data_to[CLUMP_EMULATION_MOST_NICS], marker_to[CLUMP_EMULATION_MOST_NICS];
    uint64_t left[CLUMP_EMULATION_MOST_NICS]; /**< bytes of the message that are still to be sent */
    bool marked[CLUMP_EMULATION_MOST_NICS];   /**< and the marker, too */
    bool arrived[CLUMP_EMULATION_MOST_NICS];  /**< the marker is there: all that NIC carried is */
    uint8_t number;                           /**< of the message, in its markers */
    int data;                                 /**< far socket where all but markers arrive */
    int drain_ms;                             /**< within which that one cannot overflow */
    uint64_t packets, received, bytes, starved, lost_markers;
};

static bool fail(char *message, const char *what)
{
    snprintf(message, MESSAGE, "%s: %s", what, strerror(errno));
    return false;
}

static int near_socket(int class)
{
    const int size = SEND_BUFFER,
              made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0)
        return -1;
    if (setsockopt(made, SOL_SOCKET, SO_PRIORITY, &class, sizeof class) == 0 &&
        setsockopt(made, SOL_SOCKET, SO_SNDBUF, &size, sizeof size) == 0)
        return made;
    close(made);
    return -1;
}

static int far_socket(uint16_t port, int *capacity)
{
    const int size = RECEIVE_BUFFER, on = 1;
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t length = sizeof *capacity;
    const int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0)
        return -1;
    /* Without root the size ends at net.core.rmem_max. */
    if (setsockopt(made, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        setsockopt(made, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (setsockopt(made, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) == 0 &&
        getsockopt(made, SOL_SOCKET, SO_RCVBUF, capacity, &length) == 0 &&
        bind(made, (const struct sockaddr *)&address, sizeof address) == 0)
        return made;
    close(made);
    return -1;
}

/** Leaves the process in the far namespace. */
static bool open_link(struct sockets *link, const struct clump_emulation_place *place,
                      char *message)
{
    const clump_emulation_plan *plan = place->plan;
    const bool clump = place->side == CLUMP_EMULATION_CLUMP;
    const unsigned node = clump ? 0 : place->processor + 1;
    const struct clump_emulation_nics nics = clump ? clump_emulation_nics_of(plan, place->processor)
                                                   : (struct clump_emulation_nics){0, 1};
    const uint16_t port =
        (uint16_t)(FIRST_PORT + 2 * (place->side * plan->processors + place->processor));
    struct clump_emulation_side_board *side = &place->board->sides[place->side];
    int capacity = 0;
    *link = (struct sockets){.plan = plan, .nic_count = nics.count};
    if (setns(place->testbed->nodes[node], CLONE_NEWNET) != 0)
        return fail(message, "setns");
    for (unsigned n = 0; n < nics.count; n++) {
        link->nics[n] = &side->nics[clump ? nics.first + n : place->processor];
        link->data_to[n] = clump_emulation_far_address(node, nics.first + n, port);
        link->marker_to[n] =
            clump_emulation_far_address(node, nics.first + n, (uint16_t)(port + 1));
        link->near[n].fd = near_socket(clump_emulation_class(plan, place->processor));
        if (link->near[n].fd < 0)
            return fail(message, "socket of a NIC");
    }
    if (setns(place->testbed->far, CLONE_NEWNET) != 0)
        return fail(message, "setns");
    link->near[nics.count] = (struct pollfd){.events = POLLIN};
    link->near[nics.count].fd = far_socket((uint16_t)(port + 1), &capacity);
    link->data = far_socket(port, &capacity);
    if (link->data < 0 || link->near[nics.count].fd < 0)
        return fail(message, "far socket");
    const double packets_per_ms = 1000 * nics.count * plan->bytes_per_us / plan->packet;
    link->drain_ms = (int)(capacity / PACKET_COST / 2 / packets_per_ms);
    link->drain_ms = link->drain_ms < 1 ? 1 : link->drain_ms > 1000 ? 1000 : link->drain_ms;
    return true;
}

/* ---- sending */

static const char payload[CLUMP_EMULATION_MOST_PACKET];

/* The next packet of what NIC `n` has to send. 1: sent; 0: nothing, or no room now; -1: failed. */
static int feed(struct sockets *link, unsigned n)
{
    const bool marker = link->left[n] == 0;
    const unsigned size =
        marker ? MARKER : clump_emulation_packet(link->left[n], link->plan->packet);
    const struct sockaddr_in *to = marker ? &link->marker_to[n] : &link->data_to[n];
    const void *content = marker ? (const void *)&link->number : payload;
    if (link->marked[n])
        return 0;
    if (sendto(link->near[n].fd, content, size - CLUMP_EMULATION_HEADERS, 0,
               (const struct sockaddr *)to, sizeof *to) < 0)
        return errno == EAGAIN || errno == ENOBUFS ? 0 : -1;
    link->packets += !marker;
    link->bytes += size;
    link->left[n] -= size < link->left[n] ? size : link->left[n];
    link->marked[n] = marker;
    return 1;
}

/* A packet for each NIC in turn, so that all begin at once, until none accepts more.
 * 1: all is sent; 0: not yet; -1: failed. */
static int feed_all(struct sockets *link)
{
    bool moved = true, all = false;
    for (unsigned turn = 1; moved && !all; turn++) {
        moved = false;
        all = true;
        for (unsigned n = 0; n < link->nic_count; n++) {
            const int fed = feed(link, n);
            if (fed < 0)
                return -1;
            moved |= fed == 1;
            all &= link->marked[n];
        }
        if (turn % AT_ONCE ==
            0) /* others that begin now shall not wait until our queues are full */
            sched_yield();
    }
    return all;
}

/* ---- arriving */

static void drain(struct sockets *link)
{
    enum { MANY = 64 };
    static char dust[MANY][4]; /* sizes do not matter, only that they came */
    struct mmsghdr messages[MANY];
    struct iovec parts[MANY];
    int got;
    do {
        for (unsigned i = 0; i < MANY; i++) {
            parts[i] = (struct iovec){.iov_base = dust[i], .iov_len = sizeof dust[i]};
            messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &parts[i], .msg_iovlen = 1}};
        }
        got = recvmmsg(link->data, messages, MANY, MSG_DONTWAIT, NULL);
        link->received += got > 0 ? (uint64_t)got : 0;
    } while (got == MANY);
}

/* When the system saw a marker, on the monotonic clock, which one and where it came from; 0: there
 * is none. */
static int64_t accept_marker(int from, struct sockaddr_in *sender, uint8_t *number)
{
    char control[64] = {0};
    struct iovec part = {.iov_base = number, .iov_len = sizeof *number};
    struct msghdr header = {.msg_name = sender,
                            .msg_namelen = sizeof *sender,
                            .msg_iov = &part,
                            .msg_iovlen = 1,
                            .msg_control = control,
                            .msg_controllen = sizeof control};
    struct timespec real, monotonic, stamp = {0};
    if (recvmsg(from, &header, MSG_DONTWAIT) < 0)
        return 0;
    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    int64_t ago = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&header); c != NULL; c = CMSG_NXTHDR(&header, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            ago = (int64_t)(real.tv_sec - stamp.tv_sec) * 1000000000 + real.tv_nsec - stamp.tv_nsec;
        }
    if (ago < 0 || ago > 100000000) /* somebody set the clock */
        ago = 0;
    return (int64_t)monotonic.tv_sec * 1000000000 + monotonic.tv_nsec - ago;
}

/* A NIC that has nothing left although more of the message is to come: then it was not the
 * bottleneck. */
static bool has_starved(const struct sockets *link)
{
    int queued = 1;
    for (unsigned n = 0; n < link->nic_count; n++)
        if (!link->marked[n] && ioctl(link->near[n].fd, SIOCOUTQ, &queued) == 0 && queued == 0)
            return true;
    return false;
}

/* The markers that are there. One of an earlier message was sent again though it was only late. */
static void accept_markers(struct sockets *link, int64_t *end_ns)
{
    struct sockaddr_in sender = {.sin_port = 0};
    uint8_t number = 0;
    for (int64_t at; (at = accept_marker(link->near[link->nic_count].fd, &sender, &number)) != 0;) {
        for (unsigned n = 0; n < link->nic_count; n++) {
            if (ntohl(sender.sin_addr.s_addr) + 1 != ntohl(link->marker_to[n].sin_addr.s_addr) ||
                link->arrived[n] || number != link->number)
                continue;
            *end_ns = at > *end_ns ? at : *end_ns;
            link->arrived[n] = true;
            atomic_store(&link->nics[n]->idle_since_ns, at);
            atomic_fetch_sub(&link->nics[n]->users, 1);
        }
    }
}

static bool all_arrived(const struct sockets *link)
{
    bool all = true;
    for (unsigned n = 0; n < link->nic_count; n++)
        all &= link->arrived[n];
    return all;
}

/* Nothing was heard for a while: what is neither queued nor there was lost, and is sent again. */
static void repeat_lost_markers(struct sockets *link)
{
    int queued = 1;
    for (unsigned n = 0; n < link->nic_count; n++)
        if (link->marked[n] && !link->arrived[n] &&
            ioctl(link->near[n].fd, SIOCOUTQ, &queued) == 0 && queued == 0) {
            link->marked[n] = false;
            link->lost_markers++;
        }
}

/* Nothing but a marker for each NIC, so far. */
static void begin_message(struct sockets *link)
{
    link->number++;
    for (unsigned n = 0; n < link->nic_count; n++) {
        link->marked[n] = link->arrived[n] = false;
        link->left[n] = 0;
    }
}

/* What each NIC is to carry. */
static void load(struct sockets *link, double message_us, int64_t begin_ns)
{
    begin_message(link);
    for (unsigned n = 0; n < link->nic_count; n++) {
        struct clump_emulation_nic *nic = link->nics[n];
        link->left[n] =
            clump_emulation_share(message_us, link->plan->bytes_per_us, link->nic_count, n);
        if (atomic_fetch_add(&nic->users, 1) == 0)
            link->left[n] +=
                clump_emulation_credit(link->plan, begin_ns - atomic_load(&nic->idle_since_ns));
    }
}

/** Send what the NICs are loaded with and wait until all of it is there, at `end_ns`. A marker that
 * is lost is repeated after `lost_ms`. */
static bool carry(struct sockets *link, int lost_ms, int64_t *end_ns, char *message)
{
    const int round_ms = link->drain_ms < lost_ms ? link->drain_ms : lost_ms;
    bool starved = false;
    int fed = feed_all(link), quiet_ms = 0, since_repeat_ms = 0;
    while (!all_arrived(link) && fed >= 0) {
        for (unsigned n = 0; n < link->nic_count; n++)
            link->near[n].events = link->marked[n] ? 0 : POLLOUT;
        const bool quiet = poll(link->near, link->nic_count + 1, round_ms) <= 0;
        drain(link);
        accept_markers(link, end_ns);
        quiet_ms = quiet ? quiet_ms + round_ms : 0;
        since_repeat_ms = quiet ? since_repeat_ms + round_ms : 0;
        if (quiet_ms > PATIENCE_MS) {
            snprintf(message, MESSAGE, "a message did not arrive within %d s", PATIENCE_MS / 1000);
            return false;
        }
        if (fed == 0)
            starved |= has_starved(link);
        if (since_repeat_ms >= lost_ms) {
            repeat_lost_markers(link);
            since_repeat_ms = 0;
            fed = 0;
        }
        if (fed == 0)
            fed = feed_all(link);
    }
    drain(link);
    link->starved += starved;
    return fed >= 0 || fail(message, "sending");
}

/** Send a message at `begin_ns` and wait; `end_ns` receives when all of it had arrived. */
static bool send_message(struct sockets *link, double message_us, int64_t begin_ns, int64_t *end_ns,
                         char *message)
{
    *end_ns = begin_ns;
    load(link, message_us, begin_ns);
    return carry(link, LOST_MS, end_ns, message);
}

/*
 * The system lets packets through an interface some time after somebody set it up, and drops them
 * without a word until then: knock at each NIC until something arrives. What that took does not
 * count.
 */
static bool knock(struct sockets *link, char *message)
{
    int64_t end_ns = 0;
    begin_message(link);
    for (unsigned n = 0; n < link->nic_count; n++)
        atomic_fetch_add(&link->nics[n]->users, 1);
    if (!carry(link, KNOCK_MS, &end_ns, message))
        return false;
    link->packets = link->received = link->bytes = link->starved = link->lost_markers = 0;
    return true;
}

/* ---- computing */

enum { PRIORITY = 40 /* we need little, and on time */ };

static int64_t now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t ns)
{
    const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        continue;
}

/* Uses processor time, however often somebody else has the processor meanwhile. */
static void spin(double us)
{
    const int64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID) + (int64_t)(1000 * us);
    while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        continue;
}

/* Compute for R; returns when that was to end. A sleep is counted from the arrival of the last
 * message, not from when the system let us see it: only one lateness a cycle. */
static int64_t compute(const clump_emulation_plan *plan, double us, int64_t since_ns)
{
    if (plan->spin) {
        spin(us);
        return now_ns(CLOCK_MONOTONIC);
    }
    const int64_t due = since_ns + (int64_t)(1000 * us);
    sleep_until(due);
    return due;
}

static void prepare(const struct clump_emulation_place *place)
{
    const struct sched_param priority = {.sched_priority = PRIORITY};
    if (!place->plan->real_time || place->plan->spin ||
        sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
        atomic_store(&place->board->ordinary, true);
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); /* the usual 50 us would be late */
}

void clump_emulation_processor(const struct clump_emulation_place *place, char *message)
{
    const clump_emulation_plan *plan = place->plan;
    struct clump_emulation_board *board = place->board;
    struct clump_emulation_side_board *side = &board->sides[place->side];
    struct clump_emulation_seat *seat = &side->seats[place->processor];
    const size_t offset = place->processor * plan->cycles;
    clump_emulation_record *records =
        board->records + (size_t)place->side * plan->processors * plan->cycles + offset;
    struct sockets link;
    if (!open_link(&link, place, message) || !knock(&link, message))
        return;
    prepare(place);
    atomic_fetch_add(&board->ready, 1);
    while (atomic_load(&board->start_ns) == 0)
        sleep_until(now_ns(CLOCK_MONOTONIC) + 1000000);
    const int64_t start = atomic_load(&board->start_ns);
    sleep_until(start);
    int64_t end = start;
    for (uint64_t cycle = 0;; cycle++) {
        const clump_emulation_cycle *work = &plan->work[offset + cycle % plan->cycles];
        const int64_t due = compute(plan, work->compute_us, end);
        const int64_t woke = now_ns(CLOCK_MONOTONIC);
        if (plan->barrier)
            pthread_barrier_wait(&side->barrier);
        const int64_t begin = now_ns(CLOCK_MONOTONIC);
        if (!send_message(&link, work->message_us, begin, &end, message))
            return;
        if (cycle < plan->cycles) {
            records[cycle] =
                (clump_emulation_record){due - start, woke - start, begin - start, end - start};
            seat->packets = link.packets;
            seat->received = link.received;
            seat->bytes = link.bytes;
            seat->starved = link.starved;
            seat->lost_markers = link.lost_markers;
            seat->processor_us = (double)now_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;
            atomic_store(&seat->done, cycle + 1);
        }
    }
}
