/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMPMODEL_H
#define CLUMPMODEL_H

/*
 * libclumpmodel: how much slower or faster an application runs when P processors of a node share
 * N network interfaces. Compile and link with `pkg-config --cflags --libs clumpmodel`.
 *
 *   model/prediction.h      the facade: node + load -> slowdown
 *   model/workload/answering.h  round trips where every processor has requests of others to answer
 *   model/closed_network.h  exact slowdowns for any mix of utilizations and any NIC service rate
 *   model/erlang.h          the same in closed form, for equal processors and a constant rate
 *   model/demand.h          use of the NICs that is not independent: correlated, scheduled, gangs
 *   model/needs.h           computation and communication of a processor, as amounts of time
 *   model/least_nics.h      how many NICs for a given slowdown, and up to which utilization
 *   model/limit.h           is a computed slowdown within a limit?
 *   model/memory.h          memory that the processors of a node share
 *   model/workload/misses.h  computation that waits for cache misses
 *   model/placement.h       NICs of another socket, slower to reach; ports that share a slot
 *   model/slowest.h         how much later the slowest processor is, where all wait for it
 *   model/transient.h       phases too short for equilibrium
 *   model/workload/traffic.h  messages and LogGP -> utilization, remote fraction, cost ratio
 *   model/polling.h         what polling shared memory and network in one endpoint costs
 *   exploring/recommend.h   how many NICs to buy, and how far to trust that answer
 *   fitting/slowdown/slowdown.h  measured times -> utilization, gang size, efficiency, memory penalty
 *   model/simulation/       simulation.h, messages.h, schedule.h: event by event, with
 *                           confidence intervals
 *   data/store/store.h      platforms, applications and samples in SQLite
 *   data/store/memory_curve.h  measured memory bandwidth of 1 to P processes
 *   scenarios/scenario.h    Lua scenarios
 *   topology/read_topology.h  descriptions of nodes (hwloc, NCCL, nvidia-smi) -> a tree
 *   topology/assignment.h   which processor uses which NIC, over shared links; run_time.h:
 *                           what that costs
 *   protocols/endpoint/endpoint.h  Active Messages between processes over shared memory (also alone, as
 *                           libclumpprotocols.a)
 *   calibration/emulation/emulation.h  a Clump and its NOW, emulated on one machine;
 *                           summary.h: the figures measured there
 *   protocols/endpoint/adaptive_polling.h  when an endpoint with two protocols looks at the network
 */

#define CLUMPMODEL_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

#include "calibration/emulation/emulation.h"
#include "calibration/emulation/summary.h"
#include "calibration/virtual/measure.h"
#include "calibration/virtual/measure_cells.h"
#include "data/store/memory_curve.h"
#include "data/store/store.h"
#include "exploring/recommend.h"
#include "fitting/gangs/gang_fit.h"
#include "fitting/slowdown/slowdown.h"
#include "model/classes.h"
#include "model/closed_network.h"
#include "model/demand.h"
#include "model/erlang.h"
#include "model/least_nics.h"
#include "model/limit.h"
#include "model/loggp.h"
#include "model/lossy_network.h"
#include "model/lossy_stream.h"
#include "model/memory.h"
#include "model/model_error.h"
#include "model/needs.h"
#include "model/placement.h"
#include "model/polling.h"
#include "model/prediction.h"
#include "model/reliability.h"
#include "model/result.h"
#include "model/root.h"
#include "model/simulation/messages.h"
#include "model/simulation/schedule.h"
#include "model/simulation/schedule_builder.h"
#include "model/simulation/schedule_collective.h"
#include "model/simulation/simulation.h"
#include "model/simulation/traffic_program.h"
#include "model/slowest.h"
#include "model/station.h"
#include "model/status.h"
#include "model/tight_coupling.h"
#include "model/transient.h"
#include "model/workload/answering.h"
#include "model/workload/collective.h"
#include "model/workload/collective_time.h"
#include "model/workload/misses.h"
#include "model/workload/nccl.h"
#include "model/workload/traffic.h"
#include "model/workload/training_step.h"
#include "protocols/endpoint/adaptive_polling.h"
#include "protocols/endpoint/endpoint.h"
#include "protocols/protocol_status.h"
#include "protocols/reliability/lci_protocol.h"
#include "protocols/reliability/ssam.h"
#include "scenarios/scenario.h"
#include "topology/assignment.h"
#include "topology/fair_share.h"
#include "topology/nccl_node.h"
#include "topology/pcie.h"
#include "topology/read_topology.h"
#include "topology/run_time.h"

#ifdef __cplusplus
}
#endif

#endif
