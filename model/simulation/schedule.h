/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_H

/*
 * Schedules in GOAL, the text format of LogGOPSim (Hoefler, Schneider, Lumsdaine, "LogGOPSim", HPDC
 * 2010; Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", ICPP 2009): what each
 * rank computes, sends and receives, and what has to wait for what.
 *
 *     clump_schedule_parse -> clump_schedule_run -> ... -> clump_schedule_free
 *
 *   file       num_ranks N, then rank blocks in any order, none twice
 *   rank R {   one statement a line, up to }
 *   [LABEL:] send SIZEb to RANK [tag T] [cpu C] [nic N]
 *   [LABEL:] recv SIZEb from RANK [tag T] [cpu C] [nic N]     RANK and T may be -1: any
 *   [LABEL:] calc TIME [cpu C]                                in nanoseconds
 *   LABEL requires LABEL                                      the first after the end of the other
 *   LABEL irequires LABEL                                     the first after its start
 *
 * with // and slash-star comments. Absent tags and CPUs are 0. Labels hold within a rank.
 */

#include "model/simulation/cluster.h"
#include "model/simulation/mpi_transport.h"
#include "model/workload/rank_order.h"

typedef struct clump_schedule clump_schedule;

/** At most 2^30 operations, 2^22 ranks, 64 CPUs a rank. */
#define CLUMP_SCHEDULE_MOST_RANKS ((size_t)1 << 22)

/**
 * @param text      need not end with a NUL; is not needed afterwards
 * @param schedule  to be freed
 * Errors: CLUMP_BAD_ARGUMENT with line, found and expected. Cost: O(n log n).
 * Memory: 32 bytes an operation; 16 a dependency, and 8 an operation more if there are any. While it finishes up to 11
 * bytes an operation more.
 */
clump_status clump_schedule_parse(const char *text, size_t size, clump_schedule **schedule,
                                  clump_error *error);

void clump_schedule_free(clump_schedule *schedule);

size_t clump_schedule_ranks(const clump_schedule *schedule);
size_t clump_schedule_operations(const clump_schedule *schedule);

typedef enum clump_schedule_kind {
    CLUMP_SCHEDULE_COMPUTES,
    CLUMP_SCHEDULE_SENDS,
    CLUMP_SCHEDULE_RECEIVES
} clump_schedule_kind;

/** An operation by itself. */
typedef struct clump_schedule_step {
    clump_schedule_kind what;
    uint32_t rank;
    uint32_t peer; /**< UINT32_MAX: any */
    uint64_t size; /**< ns of a computation, else bytes */
} clump_schedule_step;

/** Operation `index`, rank by rank, as they stand in the file. */
clump_schedule_step clump_schedule_step_of(const clump_schedule *schedule, size_t index);

typedef struct clump_schedule_result {
    double time_us;     /**< end of the last operation */
    double mean_end_us; /**< mean of the ends of the ranks */
    double nic_utilization, receive_utilization;
    double messages, events;
} clump_schedule_result;

/** Who pays for what, when: where LogGOPSim and this simulator differ. */
typedef enum clump_schedule_conventions {
    /**
     * A send keeps its CPU busy for o_s; the message then waits for the NIC. It passes the
     * receiver's NIC by itself, whatever the CPUs there do, and the receive keeps its CPU busy for
     * o_r once all of the message is there. A message of 0 bytes takes what one of 1 byte takes.
     * Of what is ready a CPU does first what became ready first.
     */
    CLUMP_SCHEDULE_QUEUED = 0,
    /**
     * As LogGOPSim has it. A send begins when the CPU and the NIC are free, and keeps both busy
     * from then on. A message is taken in when its first byte is there and the CPU and the NIC are
     * free, by the CPU of the number that sent it, whether or not anybody waits for it; that CPU is
     * busy for o_r + (b-1) G. Receives cost nothing. A message of 0 bytes takes G less than one of
     * 1 byte. Of what becomes ready at the same time sends come first, then receives, then
     * calculations; an operation that only one other keeps from its CPU is queued when that begins.
     */
    CLUMP_SCHEDULE_LOGGOPSIM
} clump_schedule_conventions;

typedef struct clump_schedule_rules {
    clump_schedule_conventions conventions;
    /** O of LogGOPS: a byte but the first keeps the CPUs busy for so long, on both sides, >= 0. By
     * LogGOPSim's conventions the receiver's for this or G, whichever is longer. */
    double overhead_us_per_byte;
    /** S of LogGOPS: of longer messages a send ends (as far as `requires` is concerned) when its
     * message has met its receive: the receive is ready and the message there, or (LogGOPSim)
     * taken in. UINT64_MAX: of none. The message does not wait for that. */
    uint64_t rendezvous_above;
    /** QUEUED, pooled NICs that are all alike: 0: a message takes the NIC that is free first. Else NICs are taken in
     * turn, whether or not they are free, by each pair of sender and receiver for itself, and every message goes on
     * by so many; its NIC is the last of them. The receiver's has the same number. */
    uint32_t nic_turns; /* or CLUMP_SCHEDULE_ONE_NIC */
    /** With turns: longer messages go over all NICs, an equal share each. UINT64_MAX: none do. */
    uint64_t stripe_above;
    clump_rank_order order; /**< which rank is on which node */
    /** QUEUED, NICs that are all alike: 0: a NIC sends one message after the other. Else its queue holds so many bytes at a time of
     * each connection, that of a sender and a receiver through it, or a 16th of the schedule's longest message, if that is
     * more; the rest follows as that leaves, behind what others have queued meanwhile. Messages of a connection go
     * one after the other. */
    uint64_t window_bytes;
    /** QUEUED: messages go as an MPI library hands them on (MODEL.md 30, "The library"), in place of rendezvous_above; NULL: as the rules say. */
    const clump_mpi_transports *transports;
} clump_schedule_rules;

#define CLUMP_SCHEDULE_RULES_DEFAULTS                                                              \
    ((clump_schedule_rules){CLUMP_SCHEDULE_QUEUED, 0, UINT64_MAX, 0, UINT64_MAX,                   \
                            CLUMP_RANKS_IN_BLOCKS, 0, NULL})

/** Turns of Open MPI over TCP, as its source has them (v4.1.4). Every send of MPI_Send and MPI_Isend takes the next
 * NIC of its partner's list to send at once (mca_pml_ob1_send_inline in pml_ob1_isend.c), finds that TCP cannot
 * (btl_tcp.c has no btl_sendi), and takes the one after (mca_pml_ob1_send_request_start_seq in pml_ob1_sendreq.h).
 * Above the eager limit (btl_tcp_component.c) it is announced there without data, and the receiver has it
 * put over all NICs, an equal share each (mca_pml_ob1_rdma_btls, mca_pml_ob1_calc_weighted_length); with three NICs
 * or more what is left below 64 KiB goes by one of them, which is left out here. So are synchronous and persistent
 * sends, which go on by one, and data that are not contiguous.
 * Of nic_turns ONE_NIC: always the same, as UCX does below its limit (lane 0 of an endpoint; UCX_MAX_EAGER_RAILS is 1). */
enum { CLUMP_SCHEDULE_OPEN_MPI_TURNS = 2 };
#define CLUMP_SCHEDULE_ONE_NIC UINT32_MAX

/**
 * Let messages go as a library sends them.
 * @param transports  must outlive the rules
 * @param nics        messages take NICs in its turns, those above its eager limit all of them
 * @param steps       they go in its steps, unless the rules have a limit for rendezvous already
 */
void clump_schedule_as_library(clump_schedule_rules *rules, const clump_mpi_transports *transports,
                               bool nics, bool steps);

/**
 * Run it. Messages match receives by source and tag, first come, first served. `nic` is read and
 * not used: the machine says which NIC a rank has. Queues have no limit here. Sizes of receives are
 * not looked at.
 *
 * @param machine  nodes are as many as the ranks need; machine->nodes is not read
 * @param rules    NULL: the defaults
 * machine->watch is asked now and then, with the share of the operations that have ended.
 * Errors: CLUMP_BAD_ARGUMENT also if operations are left that can never run, or messages that
 * nobody receives: the message names one.
 * Memory, besides the schedule's: 9 bytes an operation, 12 a channel (messages of one pair with one tag), some 100 a
 * rank, and 12 or 16 an event to come; with dependencies 4 an operation, with receives from anybody 4 more; as
 * LogGOPSim has it 32 bytes an operation and 48 a CPU more. Cost: three events a message.
 */
clump_status clump_schedule_run(const clump_schedule *schedule, const clump_cluster *machine,
                                const clump_schedule_rules *rules, clump_schedule_result *result,
                                clump_error *error);

#endif
