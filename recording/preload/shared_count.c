/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/preload/shared_count.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A rank's own line: who it is, and whether it is inside. Only for those that look for dead ones. */
typedef struct rank_line {
    _Alignas(64) _Atomic uint64_t pid;
    _Atomic uint64_t inside; /* 0: outside, 1: inside, 2: dead and taken out */
} rank_line;

/* 12 bits of number, 52 bits of ns: 52 days. */
enum { COUNT_BITS = 12 };
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define TIME_MOST ((INT64_C(1) << (64 - COUNT_BITS)) - 1)
#define MAGIC UINT64_C(0x636c756d70714e31)

struct clump_shared_count {
    _Alignas(64) _Atomic uint64_t word;
    _Alignas(64) uint64_t magic;
    int64_t begin_ns;
    uint64_t ranks;
    rank_line line[];
};

static size_t size_for(uint32_t ranks)
{
    return sizeof(clump_shared_count) + ranks * sizeof(rank_line);
}

static int map(clump_node_count *count, int file, uint32_t ranks)
{
    count->size = size_for(ranks);
    void *memory = mmap(NULL, count->size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return errno;
    count->shared = memory;
    count->ranks = ranks;
    return 0;
}

int clump_node_count_create(clump_node_count *count, uint32_t ranks, int64_t now_ns,
                            char name[CLUMP_SHARED_NAME])
{
    struct timespec now;
    memset(count, 0, sizeof *count);
    if (ranks > CLUMP_NODE_RANKS_MOST)
        return E2BIG;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, CLUMP_SHARED_NAME, "/clumprecord-%ld-%llx", (long)getpid(),
             (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec);
    const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0)
        return errno;
    int reason = ftruncate(file, (off_t)size_for(ranks)) != 0 ? errno : 0;
    /* A file of memory that is full would end the program at the first touch. */
    if (reason == 0)
        reason = posix_fallocate(file, 0, (off_t)size_for(ranks));
    if (reason == 0)
        reason = map(count, file, ranks);
    close(file);
    if (reason != 0) {
        shm_unlink(name);
        return reason;
    }
    count->shared->begin_ns = now_ns;
    count->shared->ranks = ranks;
    atomic_store(&count->shared->word, 0);
    count->shared->magic = MAGIC;
    munmap(count->shared, count->size);
    count->shared = NULL;
    return 0;
}

int clump_node_count_join(clump_node_count *count, const char *name, uint32_t ranks, uint32_t own)
{
    struct stat found;
    memset(count, 0, sizeof *count);
    const int file = shm_open(name, O_RDWR, 0);
    if (file < 0)
        return errno;
    int reason = fstat(file, &found) != 0 ? errno : 0;
    if (reason == 0 && (found.st_size < 0 || (size_t)found.st_size < size_for(ranks) ||
                        found.st_uid != geteuid() || own >= ranks))
        reason = EINVAL;
    if (reason == 0)
        reason = map(count, file, ranks);
    close(file);
    if (reason != 0)
        return reason;
    if (count->shared->magic != MAGIC || count->shared->ranks != ranks) {
        munmap(count->shared, count->size);
        count->shared = NULL;
        return EINVAL;
    }
    count->own = own;
    count->begin_ns = count->shared->begin_ns;
    atomic_store(&count->shared->line[own].pid, (uint64_t)getpid());
    return 0;
}

void clump_node_count_unlink(const char *name)
{
    shm_unlink(name);
}

/* Change the number by `by` at a time. Sequential consistency is not needed: the word is all there is, and who changes it has read
 * what he replaces. */
static clump_counted_time move(clump_node_count *count, int by, int64_t now)
{
    uint64_t old = atomic_load_explicit(&count->shared->word, memory_order_relaxed);
    for (;;) {
        uint64_t q = old & COUNT_MASK;
        int64_t since = (int64_t)(old >> COUNT_BITS), at = now;
        /* Clocks of processors are the same but for the moment between reading and swapping. */
        if (at < since)
            at = since;
        if (at - now > 1000000000 || q > count->ranks) {
            /* Nobody honest wrote that. */
            since = at = now;
            q = q > count->ranks ? count->ranks : q;
            count->mistrusted++;
        }
        uint64_t next = q;
        if (by > 0 && q < count->ranks)
            next++;
        else if (by < 0 && q > 0)
            next--;
        else if (by != 0)
            count->mistrusted++;
        if (old == 0)
            since = at; /* the first of all starts the time */
        const uint64_t word = (uint64_t)at << COUNT_BITS | next;
        if (atomic_compare_exchange_weak_explicit(&count->shared->word, &old, word,
                                                  memory_order_relaxed, memory_order_relaxed))
            return (clump_counted_time){(uint32_t)q, at - since};
    }
}

clump_counted_time clump_node_count_move(clump_node_count *count, int by, int64_t now_ns)
{
    int64_t now = now_ns - count->begin_ns;
    if (now < 0 || now > TIME_MOST)
        now = now < 0 ? 0 : TIME_MOST;
    atomic_store_explicit(&count->shared->line[count->own].inside, by > 0, memory_order_relaxed);
    return move(count, by, now);
}

void clump_node_count_bury(clump_node_count *count)
{
    for (uint32_t i = 0; i < count->ranks; i++) {
        rank_line *line = &count->shared->line[i];
        const uint64_t pid = atomic_load_explicit(&line->pid, memory_order_relaxed);
        uint64_t inside = 1;
        if (i == count->own || pid == 0 || pid > INT32_MAX ||
            atomic_load_explicit(&line->inside, memory_order_relaxed) != inside)
            continue;
        if (kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            continue;
        /* Only one takes it out. The stretch of time goes on with one less: nothing to count here. */
        if (!atomic_compare_exchange_strong(&line->inside, &inside, 2))
            continue;
        uint64_t old = atomic_load(&count->shared->word);
        while ((old & COUNT_MASK) > 0 &&
               !atomic_compare_exchange_weak(&count->shared->word, &old, old - 1))
            ;
        count->dead++;
    }
}

void clump_node_count_leave(clump_node_count *count)
{
    if (count->shared == NULL)
        return;
    atomic_store(&count->shared->line[count->own].inside, 0);
    atomic_store(&count->shared->line[count->own].pid, 0);
    munmap(count->shared, count->size);
    count->shared = NULL;
}
