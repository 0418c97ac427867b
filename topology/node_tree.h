/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_TOPOLOGY_NODE_TREE_H
#define CLUMP_TOPOLOGY_NODE_TREE_H

/*
 * A node as a tree: sockets, PCIe bridges and switches, and at its leaves processors (GPUs, or cores)
 * and NICs. Every part but the root has a link to its parent, which carries as much up as down, both at
 * once. The readers (read_topology.h) make such trees; MODEL.md 31 says what is computed from them.
 */

#include "model/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum clump_part_kind {
    CLUMP_PART_MACHINE = 0, /**< the root */
    CLUMP_PART_SOCKET,      /**< a socket, or the NUMA domain of one: where memory is */
    CLUMP_PART_BRIDGE,      /**< host bridge or root port */
    CLUMP_PART_SWITCH,      /**< or its ports */
    CLUMP_PART_CARD,        /**< what several ports of one card share */
    CLUMP_PART_GPU,
    CLUMP_PART_CORE,
    CLUMP_PART_NIC
} clump_part_kind;

/** "machine", "socket"... */
const char *clump_part_kind_name(clump_part_kind kind);

enum { CLUMP_PART_NAME = 48, CLUMP_PART_ADDRESS = 24 };
#define CLUMP_NO_PART ((size_t)-1)

typedef struct clump_part {
    clump_part_kind kind;
    char name[CLUMP_PART_NAME];       /**< "GPU0", "mlx5_0"; printable ASCII */
    char address[CLUMP_PART_ADDRESS]; /**< on PCI; or "" */
    size_t parent;                    /**< CLUMP_NO_PART: the root */
    /** Bytes a second of the link as the file has it, before encoding; 0: it has none. */
    double said;
    bool slot;       /**< the link is PCIe: where the file has no rate the rules give one */
    double speed;    /**< of NICs: bits a second to the network, 0: not known */
    bool infiniband; /**< its packets have the headers of InfiniBand, not of Ethernet */
    bool rdma;       /**< of NICs: where some have RDMA the others are left out */
    bool unused;     /**< a NIC that is left out of all computing */
    double link;     /**< payload in bytes a second, each way; INFINITY: no limit is known */
    double port;     /**< of NICs: payload to the network likewise */
} clump_part;

/** Names come from strangers: '?' for each byte that is not printable ASCII; what is too long is cut. NULL: "". */
void clump_part_set_name(clump_part *part, const char *name);

/** A way from GPU to GPU inside the node. */
typedef struct clump_inside_link {
    size_t from;
    size_t to;    /**< CLUMP_NO_PART: a switch that joins many */
    size_t count; /**< links side by side */
    double rate;  /**< bytes a second of all of them, one way; 0: not known */
    bool xgmi;    /**< AMD's; else NVLink */
} clump_inside_link;

enum {
    CLUMP_TOPOLOGY_MOST_PARTS = 8192,
    CLUMP_TOPOLOGY_MOST_DEPTH = 100,
    CLUMP_TOPOLOGY_MOST_PROCESSORS = 1024,
    CLUMP_TOPOLOGY_MOST_NICS = 256,
    CLUMP_TOPOLOGY_MOST_INSIDE = 16384,
    CLUMP_TOPOLOGY_NOTES = 1024
};

typedef struct clump_topology {
    const char *format; /**< "hwloc", "NCCL", "RCCL", "nvidia-smi" */
    clump_part *parts;  /**< the root first, parents before children */
    size_t part_count, part_room;
    size_t *processors; /**< the parts that send, in the order of their names */
    size_t processor_count;
    bool gpus; /**< they are GPUs, else cores */
    /** Of NVIDIA's GPUs, times 10 ("80"), of the oldest; 0: not known. */
    unsigned compute_capability;
    bool amd_host; /**< its sockets are known to be AMD's */
    size_t *nics;  /**< those that are used, likewise */
    size_t nic_count;
    clump_inside_link *inside;
    size_t inside_count, inside_room;
    char notes[CLUMP_TOPOLOGY_NOTES]; /**< lines: what was left out or taken for granted */
} clump_topology;

/** What files do not say. All zero but the sizes: see CLUMP_TOPOLOGY_RULES. */
typedef struct clump_topology_rules {
    double max_payload; /**< bytes of data in a PCIe packet, 64 to 4096 */
    double packet;      /**< bytes of data in a packet of the network, 64 to 1e6 */
    /** Bits a second of NICs of unknown speed; 0: the slot is their only limit. */
    double nic_speed;
    double slot; /**< bytes a second, without encoding, of PCIe links that the file does not
                             tell (pcie.h); 0: no limit */
    double between_sockets; /**< bytes a second from a socket to the others; 0: no limit */
    bool through_memory;    /**< what a GPU sends goes to the memory of its socket first */
} clump_topology_rules;

#define CLUMP_TOPOLOGY_RULES ((clump_topology_rules){.max_payload = 256, .packet = 4096})

/** Which processors and NICs send. */
typedef struct clump_topology_choice {
    bool cores; /**< cores, although there are GPUs */
    const char *const
        *nics; /**< names of NICs, `count` of them; 0: those that a program would take */
    size_t count;
} clump_topology_choice;

void clump_topology_free(clump_topology *topology);

/** Another part; its index in `part`. Names are cut and cleaned. Errors: CLUMP_NO_MEMORY,
 *  CLUMP_BAD_ARGUMENT for too many. */
clump_status clump_topology_add(clump_topology *topology, clump_part_kind kind, size_t parent,
                                const char *name, const char *address, size_t *part,
                                clump_error *error);
clump_status clump_topology_add_inside(clump_topology *topology, clump_inside_link link,
                                       clump_error *error);

/** Add a line to the notes, as printf would; what does not fit is left out. */
__attribute__((format(printf, 2, 3))) void clump_topology_note(clump_topology *topology,
                                                               const char *format, ...);

/**
 * Finish a tree: cards for functions of one device, bridges that lead to nothing taken out, the lists
 * of processors and NICs, and payload rates by `rules`.
 *
 * Errors: CLUMP_BAD_ARGUMENT where there is no NIC or no processor, for a NIC name that it does not
 * have, for rules out of range.
 */
clump_status clump_topology_finish(clump_topology *topology, const clump_topology_rules *rules,
                                   const clump_topology_choice *choice, clump_error *error);

/** Payload rates of a finished tree by other rules. */
void clump_topology_rate(clump_topology *topology, const clump_topology_rules *rules);

/** Part `p` above `q`, or the same? */
bool clump_topology_is_above(const clump_topology *topology, size_t p, size_t q);

/** The nearest socket above a part; the root if there is none. */
size_t clump_topology_socket(const clump_topology *topology, size_t part);

/** The lowest part that is above both. Cost: O(depth). */
size_t clump_topology_meet(const clump_topology *topology, size_t a, size_t b);

/** Links from one part to another. */
size_t clump_topology_hops(const clump_topology *topology, size_t a, size_t b);

#endif
