/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_DATA_BUDGET_H
#define CLUMP_DATA_BUDGET_H

/*
 * What reading somebody else's files may cost. A small archive may name as many ranks and events as it likes: importers, the helpers that
 * they start and the temporary folders of these are charged to one budget.
 */

#include <stdbool.h>
#include <stdint.h>

typedef struct clump_budget {
    uint64_t memory;  /**< bytes that each process takes, beside what it begins with */
    uint64_t disk;    /**< bytes of temporary files, all together */
    uint64_t seconds; /**< from its beginning to the end of the last process */
    uint64_t ranks;   /**< of a program, its trace or schedule */
} clump_budget;

/** Where nobody says more or less: 8 GiB, 16 GiB, an hour, 2^20 ranks. */
#define CLUMP_BUDGET_USUAL                                                                         \
    {                                                                                              \
        .memory = UINT64_C(8) << 30, .disk = UINT64_C(16) << 30, .seconds = 3600, .ranks = 1 << 20 \
    }
#define CLUMP_BUDGET_FORM "memory=BYTES,disk=BYTES,seconds=NUMBER,ranks=NUMBER"

enum { CLUMP_BUDGET_TEXT = 120, CLUMP_BUDGET_MESSAGE = 200 };

/** Parts of a budget, in any order, with K, M, G for powers of 1024; those that are not named stay. False with a message. */
bool clump_budget_parse(const char *text, clump_budget *budget, char message[CLUMP_BUDGET_MESSAGE]);

/** The same as a text. */
void clump_budget_print(const clump_budget *budget, char text[CLUMP_BUDGET_TEXT]);

/** Of the disk as much as may be written into `directory`: half of what is free there, if that is less. */
uint64_t clump_budget_disk(const clump_budget *budget, const char *directory);

#endif
