/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* sched_getaffinity */
#include "protocols/calibration/memory_system.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 400, LINE = 300 };

/* ---- files of the system */

/* First line of a file; false: there is none. */
static bool read_first(const char *path, char line[LINE])
{
    FILE *file = fopen(path, "r");
    const bool there = file != NULL && fgets(line, LINE, file) != NULL;
    if (file != NULL)
        fclose(file);
    return there;
}

/* A whole number, also with K, M or G behind it, as in sizes of caches. */
static bool read_number(const char *path, uint64_t *value)
{
    char line[LINE], *end;
    if (!read_first(path, line) || line[0] < '0' || line[0] > '9')
        return false;
    errno = 0;
    const unsigned long long number = strtoull(line, &end, 10);
    const int shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (errno != 0 || number > UINT64_MAX >> shift)
        return false;
    *value = (uint64_t)number << shift;
    return true;
}

static int read_id(const char *sys, int cpu, const char *name, int otherwise)
{
    char path[PATH];
    uint64_t value;
    snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/topology/%s", sys, cpu, name);
    return read_number(path, &value) && value <= INT32_MAX ? (int)value : otherwise;
}

/* A processor's folder has a link to its memory node: "node1". */
static int find_node(const char *sys, int cpu)
{
    char path[PATH];
    int node = 0;
    snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d", sys, cpu);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        const char *number = entry->d_name + 4;
        if (strncmp(entry->d_name, "node", 4) == 0 && strlen(number) < 6 && *number != '\0' &&
            strspn(number, "0123456789") == strlen(number))
            node = atoi(number);
    }
    if (folder != NULL)
        closedir(folder);
    return node;
}

static uint64_t find_cache(const char *sys, int cpu)
{
    uint64_t largest = 0, size;
    for (int i = 0; i < 10; i++) {
        char path[PATH];
        snprintf(path, sizeof path, "%s/devices/system/cpu/cpu%d/cache/index%d/size", sys, cpu, i);
        if (read_number(path, &size) && size > largest)
            largest = size;
    }
    return largest;
}

/* What a line "MemAvailable:   1234 kB" says, bytes; 0: not known. */
static uint64_t find_available(const char *proc)
{
    char path[PATH], line[LINE];
    unsigned long long kilobytes = 0;
    snprintf(path, sizeof path, "%s/meminfo", proc);
    FILE *file = fopen(path, "r");
    while (file != NULL && kilobytes == 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %15llu kB", &kilobytes) != 1)
            kilobytes = 0;
    if (file != NULL)
        fclose(file);
    return (uint64_t)kilobytes * 1024;
}

/* The least of `limit` and what the control groups of `path` and above allow; 0: no limit. */
static uint64_t least_limit(const char *sys, const char *where, const char *file, char *group,
                            uint64_t limit)
{
    for (;;) {
        char path[2 * PATH];
        uint64_t value;
        snprintf(path, sizeof path, "%s/fs/cgroup%s%s/%s", sys, where, group, file);
        if (read_number(path, &value) && (limit == 0 || value < limit))
            limit = value;
        char *last = strrchr(group, '/');
        if (last == NULL)
            return limit;
        *last = '\0';
    }
}

/* "0::/user.slice" (version 2) or "7:memory:/user.slice" (version 1). */
static uint64_t find_limit(const char *sys, const char *proc, uint64_t limit)
{
    char path[PATH], line[LINE];
    snprintf(path, sizeof path, "%s/self/cgroup", proc);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *name = strchr(line, ':'), *group = name != NULL ? strchr(name + 1, ':') : NULL;
        if (group == NULL || strstr(group, "..") != NULL)
            continue;
        *group++ = '\0';
        if (name[1] == '\0')
            limit = least_limit(sys, "", "memory.max", group, limit);
        else if (strcmp(name + 1, "memory") == 0)
            limit = least_limit(sys, "/memory", "memory.limit_in_bytes", group, limit);
    }
    if (file != NULL)
        fclose(file);
    return limit;
}

/* ---- all of it */

void clump_memory_look_at(const char *sys, const char *proc, const int *cpus, unsigned count,
                          clump_memory_system *system)
{
    *system = (clump_memory_system){
        .count = count < CLUMP_MEMORY_PROCESSORS ? count : CLUMP_MEMORY_PROCESSORS};
    for (unsigned i = 0; i < system->count; i++) {
        const uint64_t cache = find_cache(sys, cpus[i]);
        system->processors[i] =
            (clump_memory_processor){.cpu = cpus[i],
                                     .node = find_node(sys, cpus[i]),
                                     .socket = read_id(sys, cpus[i], "physical_package_id", 0),
                                     .core = read_id(sys, cpus[i], "core_id", -1)};
        if (cache > system->cache_bytes)
            system->cache_bytes = cache;
    }
    clump_memory_places(system, system->count, &system->nodes, &system->sockets);
    system->available_bytes = find_limit(sys, proc, find_available(proc));
}

bool clump_memory_look(const char *sys, const char *proc, clump_memory_system *system)
{
    *system = (clump_memory_system){.count = 0};
    cpu_set_t allowed;
    int cpus[CLUMP_MEMORY_PROCESSORS];
    unsigned count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return false;
    for (int cpu = 0; cpu < CPU_SETSIZE && count < CLUMP_MEMORY_PROCESSORS; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            cpus[count++] = cpu;
    clump_memory_look_at(sys, proc, cpus, count, system);
    return count > 0;
}

/* ---- order */

/* A processor on its way to its place. */
typedef struct seat {
    clump_memory_processor processor;
    int thread; /* of its core, from 0 */
    int place;  /* in its node, from 0 */
} seat;

#define BEFORE(a, b)                                                                               \
    if ((a) != (b))                                                                                \
    return (a) < (b) ? -1 : 1

/* Node by node, and in each one thread of each core before the next. */
static int compare_compact(const void *first, const void *second)
{
    const seat *a = first, *b = second;
    BEFORE(a->processor.node, b->processor.node);
    BEFORE(a->thread, b->thread);
    BEFORE(a->processor.cpu, b->processor.cpu);
    return 0;
}

static int compare_scatter(const void *first, const void *second)
{
    const seat *a = first, *b = second;
    BEFORE(a->place, b->place);
    BEFORE(a->processor.node, b->processor.node);
    return 0;
}

static bool same_core(const clump_memory_processor *a, const clump_memory_processor *b)
{
    return a->core >= 0 && a->core == b->core && a->socket == b->socket && a->node == b->node;
}

void clump_memory_order(clump_memory_system *system, clump_memory_spread spread)
{
    seat seats[CLUMP_MEMORY_PROCESSORS];
    const unsigned count = system->count;
    for (unsigned i = 0; i < count; i++) {
        seats[i] = (seat){.processor = system->processors[i]};
        for (unsigned j = 0; j < count; j++)
            seats[i].thread += system->processors[j].cpu < system->processors[i].cpu &&
                               same_core(&system->processors[j], &system->processors[i]);
    }
    qsort(seats, count, sizeof *seats, compare_compact);
    for (unsigned i = 1; i < count; i++)
        if (seats[i].processor.node == seats[i - 1].processor.node)
            seats[i].place = seats[i - 1].place + 1;
    if (spread == CLUMP_MEMORY_SCATTER)
        qsort(seats, count, sizeof *seats, compare_scatter);
    for (unsigned i = 0; i < count; i++)
        system->processors[i] = seats[i].processor;
}

void clump_memory_places(const clump_memory_system *system, unsigned count, unsigned *nodes,
                         unsigned *sockets)
{
    *nodes = *sockets = 0;
    for (unsigned i = 0; i < count && i < system->count; i++) {
        bool node = true, socket = true;
        for (unsigned j = 0; j < i; j++) {
            node &= system->processors[j].node != system->processors[i].node;
            socket &= system->processors[j].socket != system->processors[i].socket;
        }
        *nodes += node;
        *sockets += socket;
    }
}

/* ---- what others use */

double clump_memory_others(const char *proc, const int *cpus, unsigned count)
{
    char path[PATH], line[LINE];
    double ticks = NAN;
    const double second = (double)sysconf(_SC_CLK_TCK);
    snprintf(path, sizeof path, "%s/stat", proc);
    FILE *file = fopen(path, "r");
    /* "cpu1 user nice system idle iowait irq softirq steal ...": the first lines. */
    while (file != NULL && fgets(line, sizeof line, file) != NULL && strncmp(line, "cpu", 3) == 0) {
        unsigned long long t[8] = {0};
        unsigned cpu;
        if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &t[0], &t[1], &t[2],
                   &t[3], &t[4], &t[5], &t[6], &t[7]) < 5 ||
            strncmp(line, "cpu ", 4) == 0)
            continue;
        bool own = false;
        for (unsigned i = 0; i < count; i++)
            own |= cpus[i] == (int)cpu;
        if (isnan(ticks))
            ticks = 0;
        if (!own)
            ticks += (double)t[0] + (double)t[1] + (double)t[2] + (double)t[5] + (double)t[6] +
                     (double)t[7];
    }
    if (file != NULL)
        fclose(file);
    return second > 0 ? ticks / second : NAN;
}
