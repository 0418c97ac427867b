/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SHARING_MEMORY_H
#define CLUMP_MODEL_SIMULATION_SHARING_MEMORY_H

/*
 * Internal to model/simulation. All stations of a node at once, event by event, where the customers that
 * compute share memory (memory.h): K of them go on at nu(K)/K each. sharing.h is the same for one station
 * without memory.
 *
 *   u   work that a customer has done who computes from the beginning: du/dt = nu(K)/K. Who begins at u
 *       is done when u has grown by his computation, so that these events, too, stand in a heap that is
 *       never changed
 *   v   of each station as in sharing.h. Between two events of a station its v, and its integrals, are
 *       left behind: they are brought up to date at its next event, and at the end
 */

#include "model/simulation/sharing.h"

/** What does not change. */
typedef struct simulation_node_setup {
    size_t customers, stations;          /* of the node */
    const simulation_rate *memory;       /* nu(K): rate, speed nu(K)/K, slow; K up to `customers` */
    const uint32_t *home;                /* station of each customer */
    const simulation_rate *const *rates; /* mu of each station */
    simulation_sharing_setup
        common; /* utilizations, lengths and so on, of all customers of the node */
} simulation_node_setup;

/** The stations of a node at a moment; `stations` and the heap have room for all of it. */
typedef struct simulation_node {
    simulation_sharing *stations; /* their own `computing` are not used */
    simulation_heap computing;    /* by u, with ids */
    double *ready;  /* when each station has the next one served; HUGE_VAL: nobody is there */
    double *behind; /* u when each station was brought up to date */
    double *drawn;  /* as in sharing.h, of all customers; or NULL */
    double time, virtual_time; /* t, u */
    uint64_t events;
} simulation_node;

/** Everybody begins a computation at time 0. */
void simulation_node_start(simulation_node *node, const simulation_node_setup *setup,
                           simulation_random *random);

/** Go on until `end`. Every station is up to date then: time, active_time, served and computed. */
void simulation_node_run(simulation_node *node, const simulation_node_setup *setup,
                         simulation_random *random, double end);

/** Go on until all customers together have done `work`, in time on the NOW. */
void simulation_node_reach(simulation_node *node, const simulation_node_setup *setup,
                           simulation_random *random, double work);

/** Work that each customer has done, in time on the NOW; needs `drawn`. */
void simulation_node_works(const simulation_node *node, const simulation_node_setup *setup,
                           double *works);

#endif
