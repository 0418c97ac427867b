/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Shared regions, as CRL has them (cluster-protocols.txt, section 6.2), directly over packets. A
 * region is a piece of memory of any size that has one home: the worker that created it. Accesses
 * stand between calls that begin and end them, and the regions of all workers are kept coherent:
 *
 *   start_read .. end_read    any number of workers at once, with nobody who writes
 *   start_write .. end_write  one worker alone; it sees all that was written before
 *
 * All accesses together are sequentially consistent, if data are touched within them only.
 *
 * Each home keeps a directory of who has copies. A worker without one asks the home (a read or a
 * write miss), waits, and polls meanwhile; the home takes back the copies that stand against it and
 * answers, with data if the worker lacks them. Requests for a region are answered in the order in
 * which they came. Copies stay until they are taken back, which waits for the end of an access that
 * has begun. A worker serves what others ask while it is in a call of this interface, or wherever
 * whoever runs it interrupts its computation.
 *
 * Accesses of one worker to different regions may be nested: who waits for each other then is the
 * program's affair, and so are calls that make no pair: these end the run, as does whatever else goes
 * wrong (worker.h).
 */
#ifndef CLUMP_REPRODUCTIONS_SYSTEMS_REGIONS_H
#define CLUMP_REPRODUCTIONS_SYSTEMS_REGIONS_H

#include "reproductions/systems/worker.h"

typedef struct clump_regions clump_regions;
typedef struct clump_region clump_region;

/** A region's name: region `number` that worker `home` created, both from 0. */
typedef struct clump_region_name {
    uint32_t home, number;
} clump_region_name;

/** All workers begin with this. Freed with the worker. Up to 1024 workers. */
clump_regions *clump_regions_open(clump_worker *worker);
clump_worker *clump_regions_worker(const clump_regions *regions);

/** A new region of so many bytes, 1 to 2^24, of zeros; its home is this worker. */
clump_region_name clump_regions_create(clump_regions *regions, uint32_t bytes);

/** Get at a region that exists. It lasts until the worker's end. Cost: O(1) on average.
 *  @param bytes  its size; 0: the home is asked, the first time */
clump_region *clump_regions_map(clump_regions *regions, clump_region_name name, uint32_t bytes);

/** Its size, as it was created. */
uint32_t clump_region_bytes(const clump_region *region);

/** The data: valid until the end of the access. Reads may be nested, writes not. */
const void *clump_region_start_read(clump_region *region);
void clump_region_end_read(clump_region *region);
void *clump_region_start_write(clump_region *region);
void clump_region_end_write(clump_region *region);

/** Until all workers are here: each multicasts that it is, and waits for all others. About 10% of the packets of
 *  the article's Radix are multicasts, and these are those of its barriers (7.4): so many come of it if all
 *  multicast at each, 1 in 500 if one does. */
void clump_regions_barrier(clump_regions *regions);

typedef enum clump_region_reduction {
    CLUMP_REGION_ADD = 0,
    CLUMP_REGION_LEAST,
    CLUMP_REGION_GREATEST
} clump_region_reduction;

enum { CLUMP_REGION_REDUCED_MOST = 8 };

/** A barrier that makes of the numbers of all workers (1 to 8) one list: each adds, or the least or
 *  greatest. Sums are in an order that depends on the number of workers alone. */
void clump_regions_reduce(clump_regions *regions, clump_region_reduction reduction, double *numbers,
                          unsigned count);

/** For who computes long without any access: serve what has come. */
void clump_regions_poll(clump_regions *regions);

/** What has happened here since the beginning. */
typedef struct clump_regions_counters {
    uint64_t read_hits, write_hits;     /**< accesses without messages */
    uint64_t read_misses, write_misses; /**< with */
    uint64_t invalidations;             /**< copies that homes have taken from this worker */
    uint64_t served;                    /**< requests of others, answered by this home */
} clump_regions_counters;
clump_regions_counters clump_regions_count(const clump_regions *regions);

/** What must hold of this worker's part between any two accesses, for tests: NULL, or what does not. */
const char *clump_regions_check(const clump_regions *regions);

#endif
