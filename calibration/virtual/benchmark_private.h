/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program that runs on all hosts while measure.c measures, and its books. */
#ifndef CLUMP_CALIBRATION_VIRTUAL_BENCHMARK_PRIVATE_H
#define CLUMP_CALIBRATION_VIRTUAL_BENCHMARK_PRIVATE_H

#include "protocols/virtual/virtual_cluster.h"

enum benchmark_pattern { PING_PONG, STREAM, FETCH_ADD, MULTICAST, MULTICAST_STREAM, BUSY };

typedef struct benchmark {
    enum benchmark_pattern pattern;
    uint16_t nodes, size;
    uint32_t message; /* bytes of a message that is cut into packets */
    uint32_t left;    /* of the message that is being sent */
    uint32_t rounds;  /* to be measured */
    uint32_t pages;   /* remote copy: each node sends from so many, and receives into so many */
    uint64_t at[2];   /* bytes that nodes 0 and 1 have copied */
    uint64_t received;
    uint32_t outstanding;
    uint32_t turn; /* ping-pong: whose */
    uint64_t bytes, begun_ps, begin_ps, end_ps, total_ps;
    uint64_t begin_bytes;
    clump_virtual_cluster_copies copies; /* since measuring began, of both nodes */
    double compute_us;                   /* busy */
    uint64_t random;
    bool thought;      /* busy: node 0 has waited for its moment */
    uint64_t warm;     /* rounds before measuring */
    uint64_t buffered; /* stream: packets buffered at once by then */
    bool measured;
} benchmark;

/** Run one, on a machine of its own, until `rounds` are measured. `use` (of node 0; if busy of node
 * 1) may be NULL.  @return as measure.h */
clump_protocol_status clump_benchmark_run(const clump_virtual_cluster_options *options,
                                          benchmark *b, double copy_us_per_byte,
                                          clump_virtual_cluster_use *use);

#endif
