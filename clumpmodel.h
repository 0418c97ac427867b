/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMPMODEL_H
#define CLUMPMODEL_H

/*
 * libclumpmodel: how much slower or faster an application runs when P processors of a node share
 * N network interfaces. Compile and link with `pkg-config --cflags --libs clumpmodel`.
 *
 * This is the list of what is promised to other programs: what the headers below declare, and those that
 * they include. They are installed, and the shared library exports what they declare; all other functions
 * are shared between the files of the library only. Protocols are a library of their own (clumpprotocols.h).
 */

#define CLUMPMODEL_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

#include "model/status.h" /* what functions return */

/* How much slower: numbers in, numbers out. */
#include "model/least_nics.h"  /* how many NICs for a given slowdown, and up to which utilization */
#include "model/limit.h"       /* is a computed slowdown within a limit? */
#include "model/model_error.h" /* how far predictions have been from measured slowdowns */
#include "model/prediction.h"  /* node and load in, slowdown out */

/* What messages cost, and what a program asks of a node. */
#include "model/loggp.h"            /* LogGP parameters, and times that follow from them */
#include "model/workload/traffic.h" /* messages and LogGP -> utilization, remote fraction, cost ratio */

/* Platforms, applications and samples, in SQLite. */
#include "data/store/store.h"

/* Lua scenarios, and their rows. */
#include "model/result.h"
#include "scenarios/scenario.h"

#ifdef __cplusplus
}
#endif

#endif
