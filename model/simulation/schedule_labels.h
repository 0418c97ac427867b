/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_MODEL_SIMULATION_SCHEDULE_LABELS_H
#define CLUMP_MODEL_SIMULATION_SCHEDULE_LABELS_H

/* Internal to model/simulation. Labels of the operations of a rank, and what requires what: kept
 * until the rank ends, because a label may be used before it stands anywhere. */

#include "model/simulation/schedule_operations.h"
#include "model/simulation/schedule_reader.h"

typedef struct schedule_labels {
    schedule_list names, requirements; /* of the rank in hand */
    schedule_list dependencies;        /* of all ranks */
} schedule_labels;

/** The operation has this label. false: the reader's error says why. */
bool schedule_labels_name(schedule_reader *r, schedule_labels *s, schedule_word name,
                          uint32_t operation);

/** The one requires the other, its start only if `at_start`. */
bool schedule_labels_require(schedule_reader *r, schedule_labels *s, schedule_word later,
                             schedule_word earlier, bool at_start);

/** The rank ends: all its labels are known. `*at_start` becomes true if any start is required. */
bool schedule_labels_resolve(schedule_reader *r, schedule_labels *s, uint32_t rank,
                             const schedule_operation *operations, bool *at_start);

/** Dependents of each operation, one after the other, in the schedule; false without memory. */
bool schedule_labels_connect(const schedule_labels *labels, clump_schedule *s);

void schedule_labels_free(schedule_labels *s);

#endif
