/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Whether a database of others can be believed. Internal to data/. */
#ifndef CLUMP_DATA_STORE_CHECK_H
#define CLUMP_DATA_STORE_CHECK_H

#include "data/store/store.h"

/** As clump_store_check(), without what is measured: only pages, indexes, constraints, references and texts. */
clump_store_status clump_store_check_sound(clump_store *store, size_t *findings);

#endif
