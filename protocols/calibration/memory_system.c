/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocols/calibration/memory_system.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 400, LINE = 300 };

/* ---- memory */

/* The whole number at the beginning of a file. */
static bool read_number(const char *path, uint64_t *value)
{
    char line[LINE];
    FILE *file = fopen(path, "r");
    const bool there = file != NULL && fgets(line, LINE, file) != NULL;
    if (file != NULL)
        fclose(file);
    errno = 0;
    const unsigned long long number = there ? strtoull(line, NULL, 10) : 0;
    if (!there || line[0] < '0' || line[0] > '9' || errno != 0)
        return false;
    *value = number;
    return true;
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

uint64_t clump_memory_available(const char *sys, const char *proc)
{
    char path[PATH], line[LINE];
    uint64_t limit = find_available(proc);
    /* "0::/user.slice" (version 2) or "7:memory:/user.slice" (version 1). */
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

/* ---- processors */

static int index_of(hwloc_topology_t machine, hwloc_obj_type_t type, hwloc_obj_t unit,
                    int otherwise)
{
    const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(machine, type, unit);
    return found != NULL ? (int)found->logical_index : otherwise;
}

void clump_memory_look_at(hwloc_topology_t machine, hwloc_const_cpuset_t cpus,
                          clump_memory_system *system)
{
    *system = (clump_memory_system){.count = 0};
    unsigned cpu;
    hwloc_bitmap_foreach_begin(cpu, cpus)
    {
        const hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(machine, cpu);
        if (unit == NULL || system->count == CLUMP_MEMORY_PROCESSORS)
            continue;
        const int node = hwloc_bitmap_first(unit->nodeset);
        system->processors[system->count++] =
            (clump_memory_processor){.cpu = (int)cpu,
                                     .node = node >= 0 ? node : 0,
                                     .socket = index_of(machine, HWLOC_OBJ_PACKAGE, unit, 0),
                                     .core = index_of(machine, HWLOC_OBJ_CORE, unit, -1)};
        for (hwloc_obj_t o = unit->parent; o != NULL; o = o->parent)
            if (hwloc_obj_type_is_dcache(o->type) && o->attr->cache.size > system->cache_bytes)
                system->cache_bytes = o->attr->cache.size;
    }
    hwloc_bitmap_foreach_end();
    clump_memory_places(system, system->count, &system->nodes, &system->sockets);
}

bool clump_memory_look(clump_memory_system *system)
{
    hwloc_topology_t machine;
    const hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    *system = (clump_memory_system){.count = 0};
    if (cpus != NULL && hwloc_topology_init(&machine) == 0) {
        if (hwloc_topology_load(machine) == 0 &&
            hwloc_get_cpubind(machine, cpus, HWLOC_CPUBIND_THREAD) == 0)
            clump_memory_look_at(machine, cpus, system);
        hwloc_topology_destroy(machine);
    }
    hwloc_bitmap_free(cpus);
    system->available_bytes = clump_memory_available("/sys", "/proc");
    return system->count > 0;
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
    return a->core >= 0 && a->core == b->core;
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
