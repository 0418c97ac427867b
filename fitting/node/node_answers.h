/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_NODE_NODE_ANSWERS_H
#define CLUMP_FITTING_NODE_NODE_ANSWERS_H

/* From fitted curves to what they say of a node, and what they do not. */

#include "fitting/node/node_values.h"

/** N and all that follows from it, memory, and the notes. */
clump_status clump_node_answer(clump_node_fit *fit, const clump_node_known *known,
                               const clump_store_platform *platform, clump_error *error);

#endif
