/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_CLUSTERS_NIC_EXCHANGE_H
#define CLUMP_FITTING_CLUSTERS_NIC_EXCHANGE_H

/*
 * How long a program takes behind other NICs, from what it says of its communication (MODEL.md, "The same
 * program behind other NICs"). Time in an exchange is the NIC's, that of copies within the node, and
 * waiting for others. Only the first changes:
 *
 *     change = min(V/B, (t - local)^+) (B/B' - 1)
 *
 * with V bytes that leave a node, B and B' what NICs carry on both platforms when as many processes share
 * them and messages are of that size.
 */

#include "fitting/clusters/nic_rates.h"
#include "fitting/clusters/program_runs.h"

/** One kind of exchange of a run. */
typedef struct clump_nic_exchange {
    double seconds;       /**< t: that a process spends in it, of all kinds of reasons */
    double local_seconds; /**< of these for what stays in the node */
    double bytes; /**< V: that leave a node in the run; NAN: unknown, then all time that is not
                               local counts as the NIC's */
    double message_bytes; /**< of one message */
    double sharing;       /**< processes of a node that take part */
} clump_nic_exchange;

/** Both platforms' NICs. */
typedef struct clump_nic_change {
    const clump_nic_rates *from, *to;
    /** B/us of all NICs of a node in one direction, as they are described: on both; NAN: not known. */
    double described[2];
} clump_nic_change;

/** B/us that leave a node while so many of its processes exchange messages of a size: as clump_nic_rate() has it; where
 *  fewer pairs were measured they are as much faster as they are more, up to the best rate. */
double clump_nic_carried(const clump_nic_rates *rates, double processes, double size_bytes);

/** Seconds by which the exchange takes longer (less, if negative) with the other NICs. */
double clump_nic_exchange_change(const clump_nic_exchange *exchange, const clump_nic_change *nics);

/**
 * Share of messages that leave a node, between neighbours on a torus of two dimensions, as square as the
 * number of processes allows, whose rows are filled one after the other; half of them along a row.
 * @param processes  of all nodes
 * @param each       of a node
 */
double clump_nic_exchange_torus_share(double processes, double each);

/** E[D^+] of a normally distributed D. */
double clump_mean_positive_part(double mean, double std_dev);

/** The standard deviation of D with which E[D^+] is `part`; 0 if `part` is not more than max(mean, 0). */
double clump_std_dev_of_positive_part(double mean, double part);

/** What is known of a program's run, and of that on one node. */
typedef struct clump_program_account {
    const clump_program_run *run;
    const clump_program_run *alone; /**< on one node of the same platform; NULL: none */
} clump_program_account;

/** What becomes of a run. */
typedef struct clump_program_outcome {
    double change_s;        /**< of its time */
    double communication_s; /**< of the run that it communicates, waits for others included */
    const char *problem;    /**< why nothing is known, or NULL */
    const char *note;       /**< what it lacks to be known better, or NULL */
} clump_program_outcome;

/** Of a log of GROMACS, and of CP2K. */
clump_program_outcome clump_gromacs_predict(const clump_program_account *account,
                                            const clump_nic_change *nics);
clump_program_outcome clump_cp2k_predict(const clump_program_account *account,
                                         const clump_nic_change *nics);

/** Of a step of training whose processes add up their gradients; `alone` is a run of as many samples a process on one
 *  node like these. */
clump_program_outcome clump_training_predict(const clump_program_account *account,
                                             const clump_nic_change *nics);

#endif
