/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_FITTING_FITTED_RECORD_H
#define CLUMP_FITTING_FITTED_RECORD_H

/*
 * Internal to fitting/. How what was fitted to samples of a platform is kept: a source that names the samples'
 * own, a platform that is part of the measured one, and its parameters.
 */

#include "data/store/store.h"
#include "model/status.h"

/** Of names of sources and titles: what is longer is cut. */
enum { FITTED_NAME = 180 };

/** Hands the store's message on. Returns `status`. */
clump_store_status fitted_fail(const clump_store *store, clump_store_status status,
                               clump_error *error);

/** All that `write` adds, or nothing. Errors: those of the store, and what `write` returns. */
clump_store_status fitted_store(clump_store *store, clump_store_status (*write)(void *context),
                                void *context, clump_error *error);

/** What was fitted: name, title, tool, version and command of `source`; its note names the samples' own sources. */
clump_store_status fitted_add_source(clump_store *store, const clump_store_source *source,
                                     const char *const *samples, size_t count, clump_error *error);

/**
 * A platform as the measured one, and part of it: it has its LogGP parameters and its memory.
 *
 * @param own   its name and source; nics (0: as measured) and mapping (NULL: likewise)
 * @param what  its title says that this was fitted
 */
clump_store_status fitted_add_platform(clump_store *store, const char *measured,
                                       const clump_store_platform *own, const char *what,
                                       clump_error *error);

/** A parameter of `series->platform`, with half of its 95% interval: one that is wider than the store takes is kept as
 * not known. */
clump_store_status fitted_add(clump_store *store, const clump_store_series *series, double value,
                              double half_width, const char *note, clump_error *error);

#endif
