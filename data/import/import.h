/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Import of log files: what benchmarks and profilers wrote becomes samples of a store.
 *
 *     clump_import_start
 *     { clump_import_read }          each file is read and understood, nothing is stored
 *     [ clump_import_store ]         all of them, in one transaction; or clump_import_add: the good ones
 *     clump_import_free
 *
 * A file that cannot be understood as a whole is refused: nothing of it is stored.
 */
#ifndef CLUMP_DATA_IMPORT_IMPORT_H
#define CLUMP_DATA_IMPORT_IMPORT_H

#include "data/store/store.h"

typedef struct clump_import clump_import;

/** Receives how far storing has come. */
typedef void clump_import_progress_fn(size_t done, size_t total, void *context);

/** Texts must stay as long as the import. */
typedef struct clump_import_options {
    const char *format;      /**< a name of clump_import_format_name(); NULL or "auto": recognize */
    const char *platform;    /**< made if there is none of this name; NULL: what the log says,
                                  which only our own format does */
    const char *transport;   /**< NULL: none */
    const char *application; /**< of profiles and CSV; NULL: what the log says */
    const char *note;        /**< for the sources; may be NULL */
    const char *dataset;     /**< that all files belong to; NULL: each is one by itself */
    const char *quantity;    /**< of files that do not say; may be NULL */
    int64_t nodes, processors, nics; /**< of the platform; -1: not said, 1 if it is made */
    const char *mapping;             /**< of the platform: "pooled", "static"; NULL: not said */
    const char *counterpart; /**< of the platform: its NOW, which must be known; NULL: not said */
    const char *part_of;     /**< of the platform: the one it is part of, likewise */
    const char *style;       /**< of the application: "streaming", "blocking"; NULL: not said */
    int64_t window;          /**< of logs that do not say; 0: not known */
    int64_t processes;       /**< likewise: how many processes ran */
    int64_t size_bytes;      /**< of logs that do not say; -1: not known */
    bool all_or_nothing;     /**< clump_import_add() stores nothing if a file is refused */
    clump_import_progress_fn *progress; /**< may be NULL */
    void *context;
} clump_import_options;

/** What has become of a file. */
typedef struct clump_import_result {
    const char *path;    /**< as it was given */
    const char *format;  /**< as it was recognized */
    const char *tool;    /**< NULL: not known */
    const char *version; /**< "": not known */
    const char *source;  /**< in the store; NULL before clump_import_store() */
    size_t series;
    size_t samples;
    bool repeated;   /**< was imported before; nothing was stored */
    bool understood; /**< it could be read; if it was refused, it does not go with the database */
    const char *refused; /**< why nothing of it was stored: a message; NULL: it was not refused */
    const char *notices; /**< lines about what the user should know; "" for none */
} clump_import_result;

/** Names of formats, in order; NULL after the last. */
const char *clump_import_format_name(size_t index);

/** NULL: out of memory. */
clump_import *clump_import_start(const clump_import_options *options);

void clump_import_free(clump_import *import);

/** The message of the last failure; never NULL. */
const char *clump_import_message(const clump_import *import);

/**
 * Reads a file; "-" is standard input. What gzip has compressed is read as it was before.
 * @return BAD_INPUT if it cannot be understood, NOT_FOUND if it is not there, FAILED; then it is refused
 */
clump_store_status clump_import_read(clump_import *import, const char *path);

/** The platform that an import made. */
typedef struct clump_import_platform {
    bool made; /**< false: it was there, or the files brought their own; the rest is 0 then */
    int64_t nodes, processors, nics;
    bool assumed; /**< one of these is 1 because neither options nor files say it */
} clump_import_platform;

/** Stores what was read: all of it or, whatever happens, nothing. A file that was imported before
 *  for this platform, application (if one is given) and transport is left out, which its result says.
 *  @param platform  receives what has become of it; may be NULL
 *  @return BAD_INPUT also where options contradict what is known */
clump_store_status clump_import_store(clump_import *import, clump_store *store,
                                      clump_import_platform *platform);

/** The same within a transaction of the caller, to be rolled back if it is not OK. Unless it is all or nothing, a file that does not go
 *  with the database is refused, and the others are stored. */
clump_store_status clump_import_add(clump_import *import, clump_store *store,
                                    clump_import_platform *platform);

size_t clump_import_count(const clump_import *import);
clump_import_result clump_import_result_of(const clump_import *import, size_t index);

#endif
