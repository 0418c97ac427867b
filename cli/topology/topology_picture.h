/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_TOPOLOGY_TOPOLOGY_PICTURE_H
#define CLUMP_CLI_TOPOLOGY_TOPOLOGY_PICTURE_H

#include "cli/topology/topology_tables.h"

/**
 * The node as an SVG picture: the tree from left to right, links as thick as what they carry when all
 * send by the best assignment, with that and their limit beside them. It follows the reader's wish for dark or
 * light. Complains itself. @return exit code
 */
int topology_draw(const char *command, const char *file, const topology_answer *answer);

#endif
