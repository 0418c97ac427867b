/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/queue/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/** Field 22 of /proc/PID/stat; false when there is no such process or it is a zombie. */
static bool start_time(long pid, uint64_t *ticks)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0)
        return false;
    text[got] = '\0';
    /* The name in field 2 may hold blanks and parentheses: the last ')' ends it. */
    const char *at = strrchr(text, ')');
    if (at == NULL || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
        return false;
    at += 2;
    for (int field = 3; field < 22; field++) {
        at = strchr(at, ' ');
        if (at == NULL)
            return false;
        at++;
    }
    *ticks = strtoull(at, NULL, 10);
    return true;
}

uint64_t clump_process_self(void)
{
    static _Atomic uint64_t known;
    uint64_t pid = (uint64_t)getpid();
    /* Relaxed: the value is the whole message, and every thread would compute the same one. */
    uint64_t self = atomic_load_explicit(&known, memory_order_relaxed);
    if (self >> 32 == pid)
        return self;
    uint64_t ticks = 0;
    start_time((long)pid, &ticks);
    self = pid << 32 | (ticks & 0xffffffffu);
    atomic_store_explicit(&known, self, memory_order_relaxed);
    return self;
}

uint64_t clump_process_space(void)
{
    struct stat space;
    return stat("/proc/self/ns/pid", &space) == 0 ? (uint64_t)space.st_ino : 0;
}

bool clump_process_alive(uint64_t identity)
{
    long pid = clump_process_number(identity);
    if (pid <= 0 || pid > INT32_MAX)
        return false;
    if (kill((pid_t)pid, 0) != 0 && errno == ESRCH)
        return false;
    uint64_t ticks = 0;
    if (start_time(pid, &ticks))
        return (identity & 0xffffffffu) == 0 || (ticks & 0xffffffffu) == (identity & 0xffffffffu);
    /* Ended, a zombie, or /proc is not there: our own entry tells which. */
    return !start_time((long)getpid(), &ticks);
}

uint64_t clump_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void clump_machine_identity(unsigned char identity[16])
{
    char text[64] = "";
    memset(identity, 0, 16);
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, text, sizeof text - 1) < 36)
            text[0] = '\0';
        close(file);
    }
    /* 32 hexadecimal digits with dashes between; then the file system that the segments are in. */
    unsigned digits = 0;
    for (const char *c = text; *c != '\0' && digits < 32; c++) {
        const char *hex = "0123456789abcdef", *found = strchr(hex, *c);
        if (found == NULL)
            continue;
        identity[digits / 2] |= (unsigned char)((found - hex) << (digits % 2 == 0 ? 4 : 0));
        digits++;
    }
    struct stat place;
    if (stat("/dev/shm", &place) == 0) {
        identity[0] ^= (unsigned char)place.st_dev;
        identity[1] ^= (unsigned char)(place.st_dev >> 8);
    }
}
