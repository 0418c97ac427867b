/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_DATABASE_H
#define CLUMP_CLI_DATABASE_H

/*
 * The database that a command reads: that of --db, else the user's own if it exists, else none;
 * the reference data are behind it in any case. Only database_create makes it, and only that and
 * database_change change it.
 */

#include "cli/command.h"
#include "data/store/store.h"

/** Open; complains itself and returns the exit code. Close with clump_store_close in any case. */
int database_open(const command_invocation *invocation, clump_store **store);

/** The same for writing: file and directory are made if need be. Close with database_close. */
int database_create(const command_invocation *invocation, clump_store **store);

/** Say so if database_create made the file. */
void database_tell_new(const command_invocation *invocation, const clump_store *store);

/** Close what database_create opened; NULL is allowed. A file that it made is told of, or removed again if the
 *  command fails (`status`, its exit code) and nothing was stored. */
void database_close(const command_invocation *invocation, clump_store *store, int status);

/** The same for changing what is there: it must exist. */
int database_change(const command_invocation *invocation, clump_store **store);

/** The same for reading, of the file of --db or NULL, without a word about what goes wrong. Close
 * the store in any case. */
clump_store_status database_open_quietly(const char *database, clump_store **store);

#endif
