/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * `ip` and `tc` (iproute2), run with a batch of commands.
 */
#ifndef CLUMP_PROTOCOLS_EMULATION_TOOL_H
#define CLUMP_PROTOCOLS_EMULATION_TOOL_H

#include "protocols/protocol_status.h"

#include <stdbool.h>
#include <stddef.h>

/** Commands for one run of a tool, a line each. */
struct clump_emulation_batch {
    char text[48 << 10];
    size_t used;
    bool full; /**< something did not fit */
};

/** Add a line. */
__attribute__((format(printf, 2, 3))) void
clump_emulation_batch_add(struct clump_emulation_batch *batch, const char *format, ...);

/** Whether the system has the program, in PATH or where administrators' programs are. */
bool clump_emulation_tool_exists(const char *tool);

/**
 * Run the tool in the namespace of the calling process. `message` (256 bytes) receives the first
 * line of its complaint.
 */
clump_protocol_status clump_emulation_tool_run(const char *tool,
                                               const struct clump_emulation_batch *batch,
                                               char *message);

/** Write a text into a file that exists, of /proc for example. */
bool clump_emulation_write(const char *path, const char *text);

#endif
