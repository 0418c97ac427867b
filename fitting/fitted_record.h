/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_FITTED_RECORD_H
#define CLUMP_FITTING_FITTED_RECORD_H

/*
 * Internal to fitting/. How what was fitted to samples of a platform is kept: a source that names the samples'
 * own, a platform that is part of the measured one, and its parameters.
 */

#include "data/store/store.h"
#include "model/status.h"

enum { FITTED_NAME = 180, FITTED_NOTE = 3600 };

/** Hands the store's message on. Returns `status`. */
clump_store_status fitted_fail(const clump_store *store, clump_store_status status,
                               clump_error *error);

/** "from a; b; c and 12 more" */
void fitted_list_sources(const char *const *sources, size_t count, char note[FITTED_NOTE]);

/** A parameter of `series->platform`, with half of its 95% interval: one that is wider than the store takes is kept as
 * not known. */
clump_store_status fitted_add(clump_store *store, const clump_store_series *series, double value,
                              double half_width, const char *note, clump_error *error);

#endif
