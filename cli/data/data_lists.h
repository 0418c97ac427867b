/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_DATA_DATA_LISTS_H
#define CLUMP_CLI_DATA_DATA_LISTS_H

/*
 * Kinds of `data list` that have neither a source nor samples: recordings and frozen predictions.
 */

#include "cli/command.h"
#include "data/store/store.h"

typedef struct data_list_kind data_list_kind;

/** The kind with that name, singular or plural; NULL if there is none. */
const data_list_kind *data_list_find(const char *name);

/** The plural of the kind of that number; NULL after the last. */
const char *data_list_name(size_t kind);

/** Print all of the kind. Returns the exit code. */
int data_list_print(const data_list_kind *kind, const command_invocation *invocation,
                    clump_store *store);

#endif
