/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Where processes that stream through memory can be put: processors, caches and memory nodes, as
 * hwloc finds them, and how much memory can be had.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_MEMORY_SYSTEM_H
#define CLUMP_PROTOCOLS_CALIBRATION_MEMORY_SYSTEM_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

enum { CLUMP_MEMORY_PROCESSORS = 1024 /**< the most that are used */ };

typedef struct clump_memory_processor {
    int cpu;          /**< number of the system */
    int node, socket; /**< 0 where the system does not say */
    int core;         /**< of the machine; -1: not known, a core of its own */
} clump_memory_processor;

/** In which order processors get processes. */
typedef enum clump_memory_spread {
    CLUMP_MEMORY_SCATTER, /**< from one memory node after the other in turn */
    CLUMP_MEMORY_COMPACT  /**< all of one memory node before the next */
} clump_memory_spread;

typedef struct clump_memory_system {
    clump_memory_processor processors[CLUMP_MEMORY_PROCESSORS]; /**< that may be used, in order */
    unsigned count;
    unsigned nodes, sockets;  /**< that these are on */
    uint64_t cache_bytes;     /**< the largest cache that one of them reaches; 0: not known */
    uint64_t available_bytes; /**< memory that is free or can be had; 0: not known */
} clump_memory_system;

/** Look at the processors that this process may use. @return false: none is known */
bool clump_memory_look(clump_memory_system *system);

/** Look at these processors of a machine; without its memory. */
void clump_memory_look_at(hwloc_topology_t machine, hwloc_const_cpuset_t cpus,
                          clump_memory_system *system);

/** Memory that is free or can be had, and that control groups allow, bytes; 0: not known.
 *  @param sys, proc  "/sys" and "/proc" */
uint64_t clump_memory_available(const char *sys, const char *proc);

/** Put the processors in order; of a core each hardware thread but the first comes after the first
 *  ones of all cores of the node. */
void clump_memory_order(clump_memory_system *system, clump_memory_spread spread);

/** Memory nodes and sockets that the first `count` processors are on. */
void clump_memory_places(const clump_memory_system *system, unsigned count, unsigned *nodes,
                         unsigned *sockets);

/**
 * For how long all processors of the machine but those in `cpus` have been in use since it started,
 * s, by programs, the system or its host: in steps of some 0.01 s. NAN: the system does not say.
 */
double clump_memory_others(const char *proc, const int *cpus, unsigned count);

#endif
