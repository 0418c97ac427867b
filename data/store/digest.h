/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_STORE_DIGEST_H
#define CLUMP_DATA_STORE_DIGEST_H

#include "data/store/store.h"

enum { CLUMP_STORE_DIGEST_TEXT = 65 };

/**
 * SHA-256 of all rows of the user's database, as hexadecimal digits: copies have the same one, and whatever is
 * added or removed gives another. Without a database that of none. Cost: reads all of it, a second for a million samples.
 */
clump_store_status clump_store_digest(clump_store *store, char text[CLUMP_STORE_DIGEST_TEXT]);

#endif
