/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_DEMAND_H
#define CLUMP_MODEL_DEMAND_H

/*
 * Demands that are not independent (8.3.3), and what lies between (new).
 *
 *   correlated   all processors start to communicate at the same moment          (8.9)
 *   scheduled    the schedule of the communication with the least mean slowdown  (8.10)
 *   gang         groups of s processors that move together; s = 1 is independent,
 *                s = P correlated                                               (new)
 */

typedef enum clump_demand {
    CLUMP_DEMAND_INDEPENDENT = 0,
    CLUMP_DEMAND_CORRELATED,
    CLUMP_DEMAND_SCHEDULED,
    CLUMP_DEMAND_GANG /**< stays last: only its name, "gang:S", has a number */
} clump_demand;

/** Names of the demands: all but gangs, as error messages list them; all, as the shell completes
 *  them. */
#define CLUMP_DEMAND_LIST "independent, correlated, scheduled"
#define CLUMP_DEMAND_WORDS "independent|correlated|scheduled|gang:"

/** "independent", "correlated", "scheduled" or "gang". */
const char *clump_demand_kind_name(clump_demand demand);

/** Parse such a name. @return 0 if it is none */
int clump_demand_kind_parse(const char *name, clump_demand *demand);

/** The name as the user writes it: that of the kind; of gangs with their size, "gang:2.5". */
#define CLUMP_DEMAND_NAME_SIZE 40
void clump_demand_name(clump_demand demand, double gang_size, char name[CLUMP_DEMAND_NAME_SIZE]);

/** Parse a name as clump_demand_name writes it. `gang_size` becomes 1 for other demands.
 *  @return 0 if it is none */
int clump_demand_parse(const char *name, clump_demand *demand, double *gang_size);

#endif
