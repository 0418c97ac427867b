/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_WORKLOAD_COLLECTIVE_CHAIN_H
#define CLUMP_MODEL_WORKLOAD_COLLECTIVE_CHAIN_H

/*
 * Internal to model/workload: a chain of messages as it grows, message by message. R ranks, p of them on a node, n
 * nodes, block by block.
 */

#include "model/workload/collective_between.h"

#include <stddef.h>
#include <stdint.h>

typedef struct chain_builder {
    const clump_collective_between *between;
    double R, p, n, groups, segment;
    /* What is added now goes down a tree: no NIC receives while it sends; or who receives in a node is not who sends. */
    bool one_way, apart;
    bool arrive, halves; /* as in the layout, and so is: */
    double sender;
    clump_collective_chain chain;
    /* Who sends in the next hop has sent nothing before, as down a tree: its NIC is free. Else it is busy until rest_us after the last
     * message has arrived, where the gap is longer than a message's way. */
    bool fresh;
    double rest_us;
    /* Of the steps in `chain.us`: without anybody else, what the others cost at most once, the NICs' time, and the rest
     * of the last step. */
    double alone_us, most_wait_us, steps_busy_us, last_us;
} chain_builder;

/** What `flows` processors of a node send to other nodes at once: until it has arrived; that its NICs need. */
double chain_message_us(const chain_builder *b, double flows, double runs, double bytes);
double chain_busy_us(const chain_builder *b, double flows, double runs, double bytes);

/** Adds to what leaves a node, no time. */
void chain_count(chain_builder *b, double flows, double bytes, double times);
/** `flows` processors of each communicator send a message to other nodes, `times` after each other. */
void chain_remote(chain_builder *b, double flows, double bytes, double times);
/** `times` nodes, one after the other, pass a message on to the next one: NICs have one each. */
void chain_pass_on(chain_builder *b, double bytes, double times);
/** As the first once, behind `waits` other messages of the same processors, of `wait_bytes` each on average. Counts nothing. */
void chain_remote_behind(chain_builder *b, double flows, double waits, double wait_bytes,
                         double bytes);
void chain_local(chain_builder *b, double bytes, double times);
/** Each of which everybody sends. */
void chain_local_steps(chain_builder *b, double bytes, double times);
/** One, behind others of the same processor with so many bytes together. */
void chain_local_behind(chain_builder *b, double waits, double waits_bytes, double bytes);
/** Who has waited for the others at the NICs once is late, and finds them free in the next step, unless they are the
 * bottleneck. Ends the steps of which that is said. */
void chain_let_drift(chain_builder *b);

bool chain_divides(double a, double b);
/** The greatest power of two up to `ranks`. */
double chain_power_below(double ranks);

/* ---- trees, down (or up, which takes as long) */

/** A number has its lowest digit but zeros cleared in its parent, in base 2 or 4. Each number gets all bytes. */
void chain_tree(chain_builder *b, uint32_t radix, double bytes);
/** In base 2, to each number its part of the bytes. */
void chain_tree_of_parts(chain_builder *b, double bytes);
/** Up a tree of base 2 and down again, all bytes or the parts of each: of several communicators each comes down as soon as it is up. */
void chain_up_and_down(chain_builder *b, double bytes, bool parts_up, bool parts_down);
/** The parent has the highest bit cleared. */
void chain_doubling_tree(chain_builder *b, double bytes);
/* ---- partners at distances that double or halve; ranks beyond a power of two are folded */

/** Allreduce: whole vectors. */
void chain_doubling(chain_builder *b, double bytes);
/** Reduce-scatter: what is left is halved. */
void chain_halving(chain_builder *b, double bytes);
/** Allreduce: halves on the way there, and back. */
void chain_rabenseifner(chain_builder *b, double bytes);

#endif
