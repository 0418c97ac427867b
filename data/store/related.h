/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_STORE_RELATED_H
#define CLUMP_DATA_STORE_RELATED_H

/* Other runs that tell something about a program: what it computes, how its traffic grows. */

#include "data/store/store.h"

enum {
    CLUMP_STORE_RELATED_MOST = 8, /**< runs; what comes after them is left out */
    CLUMP_STORE_RELATED_NAME =
        120 /**< longest name, with its end; runs with longer ones are left out */
};

typedef struct clump_store_related {
    char platform[CLUMP_STORE_RELATED_NAME], application[CLUMP_STORE_RELATED_NAME];
} clump_store_related;

/**
 * The runs that samples of `quantity` of an application name (computation_from, traffic_from...): by
 * their platform, and by their variant if it is another application.
 *
 * @param count  receives how many; 0 if there are none, which is no error
 */
clump_store_status clump_store_find_related(clump_store *store, const char *application,
                                            const char *quantity,
                                            clump_store_related runs[CLUMP_STORE_RELATED_MOST],
                                            size_t *count);

/** Whether both platforms are the same machine: part of the same one, however deep. */
clump_store_status clump_store_same_machine(clump_store *store, const clump_store_platform *one,
                                            const clump_store_platform *other, bool *same);

#endif
