/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* SO_REUSEPORT */
#include "protocols/network/ways.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/epoll.h>
#endif

enum {
    PROMOTED = 2, /* looks in a row that found something at a socket make it the favourite */
    IDLE = 8,     /* in vain: another may take its place */
    DEMOTED = 24, /* in vain: it is watched as the others are */
    MISSED = 2,   /* so, too, when others brought something instead so often */
    FAREWELL = 8  /* a socket that nobody needs is read so often at most before it is closed */
};

#ifdef __linux__

static int make_watch(void)
{
    return epoll_create1(EPOLL_CLOEXEC);
}

static bool watch(struct clump_ways *ways, unsigned way)
{
    struct clump_way *w = &ways->all[way];
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = way};
    w->watched = epoll_ctl(ways->watch, EPOLL_CTL_ADD, w->file, &event) == 0;
    return w->watched;
}

static void unwatch(struct clump_ways *ways, unsigned way)
{
    struct clump_way *w = &ways->all[way];
    if (w->watched)
        epoll_ctl(ways->watch, EPOLL_CTL_DEL, w->file, NULL);
    w->watched = false;
}

unsigned clump_ways_ask(const struct clump_ways *ways, unsigned ready[CLUMP_WAYS])
{
    struct epoll_event events[CLUMP_WAYS];
    const int count = epoll_wait(ways->watch, events, CLUMP_WAYS, 0);
    for (int i = 0; i < count; i++)
        ready[i] = events[i].data.u32;
    return count > 0 ? (unsigned)count : 0;
}

/** Others of this user may bind sockets to our address as long as all of ours are shared. */
static bool share(const struct clump_ways *ways, int shared)
{
    bool good = true;
    for (unsigned i = 0; i < ways->count; i++)
        if (ways->all[i].file >= 0)
            good &= setsockopt(ways->all[i].file, SOL_SOCKET, SO_REUSEPORT, &shared,
                               sizeof shared) == 0;
    return good;
}

static void copy_size(int from, int to, int option)
{
    int size = 0;
    socklen_t room = sizeof size;
    if (getsockopt(from, SOL_SOCKET, option, &size, &room) != 0)
        return;
    size /= 2; /* the system tells twice what it was asked for */
    setsockopt(to, SOL_SOCKET, option, &size, sizeof size);
}

/** A process may have changed to another network namespace since it opened the first: there is no way
 *  from there to our peers. */
static bool is_same_network(int first, int second)
{
    uint64_t networks[2] = {0, 0};
#ifdef SO_NETNS_COOKIE
    socklen_t size = sizeof networks[0];
    getsockopt(first, SOL_SOCKET, SO_NETNS_COOKIE, &networks[0], &size);
    getsockopt(second, SOL_SOCKET, SO_NETNS_COOKIE, &networks[1], &size);
#else
    (void)first, (void)second;
#endif
    return networks[0] == networks[1];
}

/** A socket at our address that is connected to the peer's; -1: none. */
static int connected_socket(const struct clump_ways *ways, const clump_address *peer)
{
    const int first = ways->all[0].file, shared = 1, alone = 0;
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    if (getsockname(first, (struct sockaddr *)&own, &size) != 0)
        return -1;
    const int file = socket(own.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (file < 0)
        return -1;
    copy_size(first, file, SO_RCVBUF);
    copy_size(first, file, SO_SNDBUF);
    bool good = is_same_network(first, file) && share(ways, 1) &&
                setsockopt(file, SOL_SOCKET, SO_REUSEPORT, &shared, sizeof shared) == 0 &&
                bind(file, (const struct sockaddr *)&own, size) == 0 &&
                connect(file, (const struct sockaddr *)(const void *)peer->bytes, peer->size) == 0;
    /* Nobody else may listen where we do. */
    good &= share(ways, 0) && setsockopt(file, SOL_SOCKET, SO_REUSEPORT, &alone, sizeof alone) == 0;
    if (good)
        return file;
    close(file);
    return -1;
}

#else

static int make_watch(void)
{
    return -1;
}

static bool watch(struct clump_ways *ways, unsigned way)
{
    (void)ways, (void)way;
    return false;
}

static void unwatch(struct clump_ways *ways, unsigned way)
{
    (void)ways, (void)way;
}

unsigned clump_ways_ask(const struct clump_ways *ways, unsigned ready[CLUMP_WAYS])
{
    (void)ways, (void)ready;
    return 0;
}

static int connected_socket(const struct clump_ways *ways, const clump_address *peer)
{
    (void)ways, (void)peer;
    return -1;
}

#endif

void clump_ways_open(struct clump_ways *ways, int file)
{
    *ways = (struct clump_ways){.count = 1, .watch = make_watch(), .favourite = CLUMP_WAYS};
    for (unsigned i = 0; i < CLUMP_WAYS; i++)
        ways->all[i].file = -1;
    ways->all[0].file = file;
    if (ways->watch >= 0 && !watch(ways, 0)) {
        close(ways->watch);
        ways->watch = -1;
    }
    if (ways->watch < 0)
        ways->favourite = 0; /* for ever */
}

/** A process that was forked may hold the socket when we have closed it, and it would go on to take
 *  what the peer sends: connect it to where nobody sends from. */
static void divert(const struct clump_way *w)
{
    enum { DISCARD = 9 };
    struct sockaddr_storage nobody = {0};
    memcpy(&nobody, w->peer.bytes, w->peer.size);
    if (nobody.ss_family == AF_INET6)
        ((struct sockaddr_in6 *)&nobody)->sin6_port = htons(DISCARD);
    else
        ((struct sockaddr_in *)&nobody)->sin_port = htons(DISCARD);
    connect(w->file, (const struct sockaddr *)&nobody, w->peer.size);
}

static void close_way(struct clump_ways *ways, unsigned way)
{
    if (ways->favourite == way)
        ways->favourite = CLUMP_WAYS;
    unwatch(ways, way);
    divert(&ways->all[way]);
    close(ways->all[way].file);
    ways->all[way] = (struct clump_way){.file = -1};
    while (ways->count > 1 && ways->all[ways->count - 1].file < 0)
        ways->count--;
}

void clump_ways_close(struct clump_ways *ways)
{
    for (unsigned i = ways->count; i-- > 0;)
        if (ways->all[i].file >= 0)
            close(ways->all[i].file);
    if (ways->watch >= 0)
        close(ways->watch);
}

bool clump_ways_leads(const struct clump_ways *ways, unsigned way, const clump_address *peer)
{
    return way > 0 && way < CLUMP_WAYS && ways->all[way].file >= 0 &&
           ways->all[way].peer.size == peer->size &&
           memcmp(ways->all[way].peer.bytes, peer->bytes, peer->size) == 0;
}

unsigned clump_ways_join(struct clump_ways *ways, const clump_address *peer)
{
    unsigned way = 0;
    for (unsigned i = CLUMP_WAYS; i-- > 1;) {
        if (clump_ways_leads(ways, i, peer)) {
            ways->leaving -= ways->all[i].uses++ == 0;
            return i;
        }
        if (ways->all[i].file < 0)
            way = i;
    }
    if (way == 0 || ways->watch < 0)
        return 0;
    const int file = connected_socket(ways, peer);
    if (file < 0)
        return 0;
    ways->all[way] = (struct clump_way){.file = file, .peer = *peer, .uses = 1, .young = true};
    ways->count = way >= ways->count ? way + 1 : ways->count;
    if (watch(ways, way))
        return way;
    close_way(ways, way);
    return 0;
}

void clump_ways_leave(struct clump_ways *ways, unsigned way)
{
    if (way == 0 || --ways->all[way].uses > 0)
        return;
    ways->all[way].farewell = 0;
    ways->leaving++;
}

static void promote(struct clump_ways *ways, unsigned way)
{
    if (ways->favourite < CLUMP_WAYS && !watch(ways, ways->favourite))
        return; /* no memory: it stays what it is */
    unwatch(ways, way);
    ways->favourite = way;
    ways->vain = ways->missed = 0;
}

static void demote(struct clump_ways *ways)
{
    if (watch(ways, ways->favourite))
        ways->favourite = CLUMP_WAYS;
}

void clump_ways_looked(struct clump_ways *ways, unsigned way, bool something)
{
    struct clump_way *w = &ways->all[way];
    w->young &= something;
    w->streak = something ? w->streak + 1 : 0;
    if (w->uses == 0 && way > 0 && (!something || ++w->farewell > FAREWELL)) {
        ways->leaving--;
        close_way(ways, way);
        return;
    }
    if (something) {
        ways->run = ways->last == way ? ways->run + 1 : 1;
        ways->last = way;
    }
    if (ways->watch < 0)
        return;
    if (way == ways->favourite) {
        ways->vain = something ? 0 : ways->vain + 1;
        ways->missed = something ? 0 : ways->missed;
        if (ways->vain >= DEMOTED)
            demote(ways);
    } else if (something && ways->run >= PROMOTED &&
               (ways->favourite == CLUMP_WAYS || ways->vain >= IDLE)) {
        promote(ways, way);
    } else if (something && ways->favourite < CLUMP_WAYS && ways->vain > 0 &&
               ++ways->missed >= MISSED) {
        demote(ways);
    }
}
