/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_VIRTUAL_STORE_H
#define CLUMP_CLI_VIRTUAL_STORE_H

#include "cli/virtual_measurements.h"

enum { CLUMP_CLI_VIRTUAL_SOURCE = 160 };

/** Keep the samples, all or none: transport "virtual", the protocol as variant, a source of their
 *  own (calibration_store.h), whose name is written to `source`. Complains itself and returns the
 * exit code. */
int clump_cli_virtual_store(const clump_cli_virtual_request *request,
                            const clump_cli_virtual_rows *rows, clump_store *store,
                            char source[CLUMP_CLI_VIRTUAL_SOURCE]);

#endif
