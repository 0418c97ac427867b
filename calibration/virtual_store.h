/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VIRTUAL_STORE_H
#define VIRTUAL_STORE_H

#include "calibration/virtual_measurements.h"

enum { VIRTUAL_SOURCE = 160 };

/** Keep the samples, all or none: transport "virtual", the protocol as variant, a source of their
 *  own (calibration_store.h), whose name is written to `source`. Complains itself and returns the
 * exit code. */
int clump_virtual_store(const virtual_request *request, const clump_virtual_rows *rows,
                        clump_store *store, char source[VIRTUAL_SOURCE]);

#endif
