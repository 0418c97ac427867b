/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_KEPT_CALLS_H
#define CLUMP_MODEL_SIMULATION_KEPT_CALLS_H

/*
 * What the ranks of a program computed, sent and received, as one text that can be kept and played on any nodes (MODEL.md 30): some 8
 * bytes an operation. Collectives stay what they are: which messages they are may depend on which ranks share a node.
 *
 *     clump_kept_writer_new -> _communicator, _add_..., _require, _end_rank of each rank -> _finish -> the text
 *     the text -> clump_kept_schedule, for nodes of so many processors -> a schedule
 *
 * Lines of the text, each ended by a newline: communicators and lists of parts, numbered from 0 in their order, then one line a rank.
 *
 *     mRANK[-RANK][.RANK[-RANK]...]    members of a communicator
 *     vBYTES.BYTES...                  where the parts of its members begin, and where the last one ends
 *     rOPERATIONS                      of a rank, one after the other:
 *
 *     cNS                              computes, in nanoseconds
 *     sBYTES.RANK[tTAG]                sends to a rank
 *     rBYTES.RANK[tTAG][n]             receives from one; n: it was for anybody's, and the message of this one came first
 *     aBYTES.COMMUNICATOR:KIND:[oROOT][vPARTS][tTAG]   takes part in a collective
 *
 * each followed by [pCPU] and, unless it waits for the end of the operation before it, wBACK[.BACK...]: it waits
 * for the ends of those so many operations before it; w0: of none. The first one waits for none.
 */

#include "model/simulation/schedule.h"
#include "model/simulation/schedule_builder.h"
#include "model/workload/collective.h"

/** Of a collective whose members all have as many bytes. */
enum { CLUMP_KEPT_NO_PARTS = -1 };

typedef struct clump_kept_writer clump_kept_writer;

/** NULL without memory. */
clump_kept_writer *clump_kept_writer_new(void);
void clump_kept_writer_free(clump_kept_writer *writer);

/** @return the number of a communicator of these ranks */
uint32_t clump_kept_communicator(clump_kept_writer *writer, const uint32_t *ranks, size_t count);

/** @return the number of a list: `count` sums, one more than there are members */
int32_t clump_kept_parts(clump_kept_writer *writer, const uint64_t *parts, size_t count);

/** @name Operations of the rank in hand, the first of which is 0
 * Each returns the number of a new operation, counted from 0 in its rank. @param cpu  0 to 63  @param tag  up to UINT32_MAX - 1
 * @{ */
uint32_t clump_kept_add_calc(clump_kept_writer *writer, uint8_t cpu, uint64_t nanoseconds);
uint32_t clump_kept_add_send(clump_kept_writer *writer, uint8_t cpu, uint32_t to, uint32_t tag,
                             uint64_t bytes);
uint32_t clump_kept_add_receive(clump_kept_writer *writer, uint8_t cpu, uint32_t from, uint32_t tag,
                                uint64_t bytes);
/** @param parts  CLUMP_KEPT_NO_PARTS: the operation's bytes are those of all */
uint32_t clump_kept_add_collective(clump_kept_writer *writer, uint8_t cpu, uint32_t communicator,
                                   uint32_t tag, const clump_collective_operation *operation,
                                   int32_t parts);
/** @} */

/** What a receive that was added before is for became known later. */
void clump_kept_set_receive(clump_kept_writer *writer, uint32_t receive, uint32_t from,
                            uint32_t tag, uint64_t bytes);
/** It is for a message of anybody. */
void clump_kept_any_source(clump_kept_writer *writer, uint32_t receive);
/** How long a calculation that was added before takes became known later. */
void clump_kept_set_calc(clump_kept_writer *writer, uint32_t calc, uint64_t nanoseconds);
/** It turned out to be no receive: a calculation of no time. */
void clump_kept_drop_receive(clump_kept_writer *writer, uint32_t receive);

/** The last operation that was added begins after the end of this one. */
void clump_kept_require(clump_kept_writer *writer, uint32_t earlier);

/** The operations that follow are of the next rank. */
void clump_kept_end_rank(clump_kept_writer *writer);

/** @return the text, to be freed; NULL without memory. Frees the writer. */
char *clump_kept_finish(clump_kept_writer *writer);

/** On which nodes its collectives are taken apart, and how. */
typedef struct clump_kept_machine {
    clump_mpi_library library; /**< whose algorithms they use */
    size_t processors;         /**< of a node; only MPICH's choices depend on it. 0 or 1: one */
    clump_rank_order order;    /**< which ranks are on a node */
    uint64_t most_operations;  /**< more are refused */
} clump_kept_machine;

/**
 * The schedule of a text, without what can never be run.
 * @param schedule  to be freed
 * @param left_out  may be NULL
 * Errors: CLUMP_BAD_ARGUMENT with rank, place in its text, found and expected; CLUMP_NO_MEMORY. Cost: that of
 * clump_schedule_builder_finish, and members of communicators times ranks.
 */
clump_status clump_kept_schedule(const char *text, size_t ranks, const clump_kept_machine *machine,
                                 clump_schedule **schedule, clump_schedule_left_out *left_out,
                                 clump_error *error);

#endif
