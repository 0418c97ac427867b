/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_MACHINE_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_MACHINE_H

/* A platform of the database as a machine in virtual time. */

#include "cli/options/options.h"
#include "data/store/store.h"
#include "reproductions/applications/application.h"
#include "reproductions/virtual/virtual_cluster.h"
#include "reproductions/virtual/virtual_team.h"

#include <stdbool.h>

typedef struct run_machine {
    clump_virtual_team_options options; /**< but for what runs on it */
    bool packets;                       /**< of an LCI protocol, on this: */
    clump_virtual_cluster_options cluster;
    char loggp_of[80]; /**< the platform whose LogGP parameters these are, if it is another one */
    clump_virtual_sharing sharing; /**< of processors, if options.sharing says so */
    double cache_bytes;            /**< of a processor, whose misses options.misses costs */
    bool no_network; /**< the layer has none between nodes: what options.network says is void */
} run_machine;

/**
 * Read nodes, processors, NICs, their mapping, and what messages cost: the samples of latency to
 * gap_per_byte. A NOW without any has those of the Clump that it is the counterpart of. Complains itself.
 * @param layer  whose samples: their variant. NULL: those of the multi-protocol layer where there are several.
 *               With moved_lines (queue algorithms) each line costs l2_miss_other_l2_cycles more
 * @return the exit code
 */
int run_machine_read(const char *command, clump_store *store, const char *platform,
                     const char *layer, run_machine *machine);

/**
 * Read what polls cost, of the platform or of the one whose LogGP parameters it has: the samples poll_cost of shared
 * memory and network. Messages are taken to have been measured with the strategy of table 4.1. Complains itself.
 * @return the exit code
 */
int run_machine_read_polls(const char *command, clump_store *store, const char *platform,
                           run_machine *machine);

/**
 * Read what cache misses cost: l2_size, l2_line_size, l2_miss_memory_cycles and clock; and, if it is known,
 * sustained_memory_bandwidth of what the processors of a node share. Complains itself.
 * @param bytes_per_us  in place of the latter; 0: as the platform has it
 * @return the exit code
 */
int run_machine_read_misses(const char *command, clump_store *store, const char *platform,
                            double bytes_per_us, run_machine *machine);

/**
 * Processes are to share processors: `jobs`, `sequential`, `yield_us` and `slice_us` of `machine->sharing` stand
 * already. A change of processes is a ten-thousandth of a slice (thesis, 6.2); a cache is loaded in its lines, with a
 * miss each. Complains itself.
 * @return the exit code
 */
int run_machine_share(const char *command, clump_store *store, const char *platform,
                      run_machine *machine);

/* ---- a cluster whose packets an LCI protocol carries */

typedef struct run_protocol {
    const char *name; /* NULL: not given */
    clump_lci_protocol lci;
} run_protocol;

/** Of `--protocol`: an option's reader. */
int run_protocol_read(command_line *line, const option_entry *option, const char *text,
                      void *field);

/**
 * Whether the program's system needs packets only, and the platform has a description of hardware:
 * then `machine` becomes that cluster, with that protocol or l-sdma. Complains itself.
 * @return the exit code
 */
int run_cluster_find(const char *command, clump_store *store, const clump_application *application,
                     const char *platform, const run_protocol *protocol, run_machine *machine);

/** Complain that there is no protocol to be chosen. */
int run_cluster_refuse(const char *command, const clump_application *application,
                       const char *platform);

/** What an operation of the program costs on the platform: as the user wants it, or as the document has it. */
double run_price(const clump_application *application, const char *platform, double operation_us);

#endif
