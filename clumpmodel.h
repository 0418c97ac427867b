/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMPMODEL_H
#define CLUMPMODEL_H

/*
 * libclumpmodel: how much slower or faster an application runs when P processors of a node share
 * N network interfaces. Compile and link with `pkg-config --cflags --libs clumpmodel`.
 *
 * This is the list of what is promised to other programs: what the headers below declare, and those that
 * they include. They are installed, and the shared library exports what they declare; all other functions
 * are shared between the files of the library only.
 */

#define CLUMPMODEL_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* How much slower: the engine. Numbers in, numbers out. */
#include "model/closed_network.h" /* exact slowdowns for any mix of utilizations, any NIC service rate */
#include "model/demand.h"         /* use of the NICs that is correlated or scheduled, and gangs */
#include "model/erlang.h"         /* closed form, for equal processors and a constant rate */
#include "model/least_nics.h"  /* how many NICs for a given slowdown, and up to which utilization */
#include "model/limit.h"       /* is a computed slowdown within a limit? */
#include "model/model_error.h" /* how far predictions have been from measured slowdowns */
#include "model/prediction.h"  /* the facade: node and load in, slowdown out */
#include "model/result.h"      /* one row of an answer */
#include "model/slowest.h"     /* how much later the slowest processor is, where all wait for it */
#include "model/status.h"      /* what functions return */
#include "model/tight_coupling.h" /* programs that wait for their messages */
#include "model/transient.h"      /* phases too short for equilibrium */

/* What a node is made of. */
#include "model/classes.h"   /* processors that differ, grouped into classes that are alike */
#include "model/memory.h"    /* memory that the processors of a node share */
#include "model/needs.h"     /* computation and communication of a processor, as amounts of time */
#include "model/placement.h" /* NICs of another socket, slower to reach; ports that share a slot */
#include "model/station.h"   /* NICs as a station whose rate depends on how many use it */

/* What messages cost. */
#include "model/loggp.h"         /* LogGP parameters, and times that follow from them */
#include "model/lossy_network.h" /* networks that lose packets: what their protocol makes of LogGP */
#include "model/lossy_stream.h"  /* a stream of packets over such a network */
#include "model/polling.h"       /* polling shared memory and network in one endpoint */
#include "model/reliability.h"   /* rates and latencies of protocols with windows, of multicasts */

/* What a program asks of a node. */
#include "model/workload/answering.h"       /* round trips where all have requests to answer */
#include "model/workload/collective.h"      /* collective operations and their algorithms */
#include "model/workload/collective_time.h" /* how long they take */
#include "model/workload/misses.h"          /* computation that waits for cache misses */
#include "model/workload/nccl.h"            /* collective operations of NCCL */
#include "model/workload/traffic.h" /* messages and LogGP -> utilization, remote fraction, cost ratio */
#include "model/workload/training_step.h" /* a step of training a neural network */

/* Event by event, with confidence intervals. */
#include "model/simulation/messages.h"
#include "model/simulation/schedule.h"
#include "model/simulation/schedule_builder.h"
#include "model/simulation/schedule_collective.h"
#include "model/simulation/simulation.h"
#include "model/simulation/traffic_program.h"

/* Platforms, applications and samples, in SQLite. */
#include "data/store/memory_curve.h" /* measured memory bandwidth of 1 to P processes */
#include "data/store/store.h"

/* Parameters from what was measured. */
#include "fitting/slowdown/slowdown.h" /* utilization, gang size, efficiency, memory penalty from times */

/* Lua scenarios, and how many NICs to buy. */
#include "exploring/recommend.h"
#include "scenarios/scenario.h"

/* Descriptions of nodes. */
#include "topology/assignment.h"    /* which processor uses which NIC, over shared links */
#include "topology/fair_share.h"    /* shares of links */
#include "topology/nccl_node.h"     /* a node as NCCL sees it */
#include "topology/pcie.h"          /* what PCIe carries */
#include "topology/read_topology.h" /* files of hwloc, NCCL and nvidia-smi -> a tree */
#include "topology/run_time.h"      /* what an assignment costs */

/* Measuring: emulated Clumps, and microbenchmarks in virtual time. */
#include "protocols/emulation/emulation.h" /* a Clump and its NOW, on one machine */
#include "protocols/emulation/summary.h"   /* the figures measured there */
#include "reproductions/measure/measure.h"
#include "reproductions/measure/measure_cells.h"

/* Active Messages and the protocols under them. */
#include "clumpprotocols.h"

#ifdef __cplusplus
}
#endif

#endif
