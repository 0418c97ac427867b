/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_TOPOLOGY_TOPOLOGY_TABLES_H
#define CLUMP_CLI_TOPOLOGY_TOPOLOGY_TABLES_H

/* What `clumpmodel topology` shows: the tree, the table of bandwidths, and the audit; the same as a picture. */

#include "cli/output/output.h"
#include "topology/assignment.h"
#include "topology/fewer_nics.h"
#include "topology/run_time.h"

/** One of the user's own beside those of clump_assignment_way. */
enum { TOPOLOGY_GIVEN = CLUMP_ASSIGN_WAYS, TOPOLOGY_ASSIGNMENTS };

typedef struct topology_answer {
    clump_topology topology;
    clump_topology_rules rules;
    clump_assignment assignments[TOPOLOGY_ASSIGNMENTS];
    bool there[TOPOLOGY_ASSIGNMENTS];
    clump_topology_run_time times[TOPOLOGY_ASSIGNMENTS];
    double utilization; /**< NAN: not asked for */
    double least_low[TOPOLOGY_ASSIGNMENTS], least_high[TOPOLOGY_ASSIGNMENTS];
    double total_low[TOPOLOGY_ASSIGNMENTS], total_high[TOPOLOGY_ASSIGNMENTS];
    clump_nic_count counts[CLUMP_MOST_COUNTED_NICS];
    size_t count_rows; /**< of counts; 0: there are too many NICs, or one */
    char range[128];   /**< of what these are the ends; "": packets are known */
} topology_answer;

void topology_answer_free(topology_answer *answer);

/** All of it in this format. Returns the exit code. */
int topology_print(const topology_answer *answer, output_format format);

/**
 * The node as an SVG picture: the tree from left to right, links as thick as what they carry when all
 * send by the best assignment, with that and their limit beside them. It follows the reader's wish for dark or
 * light. Complains itself. @return exit code
 */
int topology_draw(const char *command, const char *file, const topology_answer *answer);

/** "switch 0000:c5:00.0", "mlx5_0". */
const char *topology_part_text(const clump_part *part, char text[CLUMP_PART_NAME * 2]);

#endif
