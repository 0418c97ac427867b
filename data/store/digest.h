/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_STORE_DIGEST_H
#define CLUMP_DATA_STORE_DIGEST_H

#include "data/provenance.h"
#include "data/store/store.h"

/** What the store answers from now on, row by row, is an input of a result; NULL: no more. Cost: a digest a row. */
void clump_store_trace(clump_store *store, clump_provenance *provenance);

#endif
