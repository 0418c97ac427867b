/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_REPRODUCTIONS_COMMAND_RUN_CLUSTER_H
#define CLUMP_REPRODUCTIONS_COMMAND_RUN_CLUSTER_H

/* A platform of the database as a cluster in virtual time, whose packets an LCI protocol carries. */

#include "cli/options/options.h"
#include "reproductions/applications/application.h"
#include "reproductions/command/run_machine.h"

typedef struct run_protocol {
    const char *name; /* NULL: not given */
    clump_lci_protocol lci;
} run_protocol;

/** Of `--protocol`: an option's reader. */
int run_protocol_read(command_line *line, const option_entry *option, const char *text,
                      void *field);

/**
 * Whether the program's system needs packets only, and the platform has a description of hardware:
 * then `machine` becomes that cluster, with that protocol or l-sdma. Complains itself.
 * @return the exit code
 */
int run_cluster_find(const char *command, clump_store *store, const clump_application *application,
                     const char *platform, const run_protocol *protocol, run_machine *machine);

/** Complain that there is no protocol to be chosen. */
int run_cluster_refuse(const char *command, const clump_application *application,
                       const char *platform);

/** What an operation of the program costs on the platform: as the user wants it, or as the document has it. */
double run_price(const clump_application *application, const char *platform, double operation_us);

#endif
