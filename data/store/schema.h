/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The schema of a database. Internal to data/. */
#ifndef CLUMP_DATA_STORE_SCHEMA_H
#define CLUMP_DATA_STORE_SCHEMA_H

#include <sqlite3.h>
#include <stdint.h>

/** PRAGMA application_id of our databases: "Clmp". */
#define CLUMP_SCHEMA_APPLICATION_ID INT64_C(0x436c6d70)

/** PRAGMA user_version that this program writes. */
#define CLUMP_SCHEMA_VERSION 8

typedef enum clump_schema_state {
    CLUMP_SCHEMA_EMPTY,   /**< nothing in it yet */
    CLUMP_SCHEMA_CURRENT, /**< ours */
    CLUMP_SCHEMA_OTHER,   /**< ours, of another version than this program knows */
    CLUMP_SCHEMA_FOREIGN  /**< made by another program */
} clump_schema_state;

typedef struct clump_schema_finding {
    clump_schema_state state;
    int64_t application_id;
    int64_t version;
} clump_schema_finding;

/** What is in `main`? Looks at the header first, so that a foreign schema is not even parsed.
 *  @return an SQLite result code. */
int clump_schema_inspect(sqlite3 *db, clump_schema_finding *finding);

/** Makes all tables in `main`, which is EMPTY or CURRENT, in one transaction.
 *  @return an SQLite result code; if not SQLITE_OK, nothing has changed. */
int clump_schema_make(sqlite3 *db);

#endif
