/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What a log file said, in memory: the tool, and series of samples in canonical units. Nothing of
 * it is stored before the whole file has been understood. Internal to data/.
 */
#ifndef CLUMP_DATA_IMPORT_IMPORT_LOG_H
#define CLUMP_DATA_IMPORT_IMPORT_LOG_H

#include "data/store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CLUMP_IMPORT_SERIES = 20000, /**< most series of a file */
    CLUMP_IMPORT_MESSAGE = 600
};

/** What the samples of a series have in common; texts are copied. */
typedef struct clump_import_key {
    const char *quantity;
    const char *statistic; /**< of the series of the store; NULL: "single" */
    const char *benchmark;
    const char *variant; /**< NULL: none */
    const char *unit;    /**< of the values, see units.h; NULL: that of the quantity */
    int64_t window;      /**< 0: not known */
    int64_t processes;   /**< 0: not known */
    bool of_application; /**< the samples are of the application, not of the platform alone */
    /* Of a log that says so itself (see `own` below); NULL: none. In any other log `transport` is what the
     * messages of this series go by: "network", unless the user names it, or "shared-memory". */
    const char *platform, *application, *transport;
    size_t origin; /**< index of its source in the log's records */
} clump_import_key;

typedef struct clump_import_sample {
    double value;       /**< canonical unit */
    double delay_us;    /**< 0: none */
    double half_width;  /**< NAN: not known */
    double std_dev;     /**< NAN: not known */
    int64_t size_bytes; /**< -1: none */
    int64_t iterations; /**< 0: not known */
    int64_t run;        /**< filled in by clump_import_log_add() */
    int64_t task;       /**< of an MPI program; -1: none */
    char *note;         /**< on the heap, the log's own once added; NULL: none */
    bool doubtful;
    size_t line; /**< 0: the one that is being read, filled in by clump_import_log_add() */
} clump_import_sample;

typedef struct clump_import_series {
    clump_import_key key; /**< texts are the series's own */
    char *texts;
    uint64_t hash;
    clump_import_sample *samples;
    size_t count, room;
    size_t block;      /* in which the last sample was added */
    int64_t run;       /* how many blocks have added to it */
    int64_t last_size; /* of the last sample */
} clump_import_series;

/** What exported samples are of, or come from: a clump_store_source, clump_store_platform (numbers: -1 if not said) or
 *  clump_store_application; NULL in it for what was not said. */
typedef struct clump_import_record {
    void *record;
    size_t origin; /**< index of the source of the first row that names it */
} clump_import_record;

typedef struct clump_import_records {
    clump_import_record *items;
    size_t count;
} clump_import_records;

typedef struct clump_import_log {
    const char *format;
    const char *tool;
    char version[64];                /**< "": not known */
    char command[1024];              /**< "": not known */
    char application[201];           /**< what the log says ran; "": not known */
    int64_t processes;               /**< of series that do not say; 0: not known */
    int64_t nodes, processors, nics; /**< of the platform that it is of; 0: not said */
    bool any_order;                  /**< sizes may come in any order */
    bool repeats;                    /**< a size may come several times in a row */
    bool own; /**< of our export: series say what they are of and come from */
    clump_import_records records[CLUMP_STORE_SOURCE + 1]; /**< of each kind; of our export */
    clump_import_series **series;
    size_t count, room;
    clump_import_series *last; /* that was added to */
    size_t block;              /* see clump_import_log_begin() */
    size_t samples;
    char *notices; /**< one a line */
    size_t notices_size;
    size_t at;                          /**< the line that is being read */
    size_t line;                        /**< of the failure; 0: the file as a whole */
    char message[CLUMP_IMPORT_MESSAGE]; /**< of the failure */
    bool no_memory;
} clump_import_log;

void clump_import_log_free(clump_import_log *log);

/** Leaves a message about a line (0: about the file); always false, to be returned. */
bool clump_import_fail_at(clump_import_log *log, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The same about the line that is being read. */
#define clump_import_fail(log, ...) clump_import_fail_at(log, (log)->at, __VA_ARGS__)

/** The same for want of memory. */
bool clump_import_fail_memory(clump_import_log *log);

/** Something that the user should know, and that is no error; the lines as above. False without memory. */
bool clump_import_notice_at(clump_import_log *log, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define clump_import_notice(log, ...) clump_import_notice_at(log, (log)->at, __VA_ARGS__)

/** A table of results begins: sizes may start again, which is another run. */
void clump_import_log_begin(clump_import_log *log);

/** Adds a sample; false with a message if it is negative where it must not be, or its size does not follow the last
 *  one. */
bool clump_import_log_add(clump_import_log *log, const clump_import_key *key,
                          const clump_import_sample *sample);

/** Whether there is nothing in it to be stored. */
bool clump_import_log_is_empty(const clump_import_log *log);

/** A plain sample: value and size, NAN and none for the rest. */
clump_import_sample clump_import_sample_of(double value, int64_t size_bytes, int64_t iterations);

/** Adds a copy of a record, unless it is there: a source with all of the same texts, a platform or an application of its
 *  name; false if that has other numbers, or another style. @param index  receives where it is; may be NULL */
bool clump_import_log_record(clump_import_log *log, clump_store_kind kind, const void *record,
                             size_t origin, size_t *index);

/** Copies what a log says about itself: blanks at the ends go, bytes that the store would refuse
 *  become '?', what is too long is cut. */
void clump_import_copy(char *to, size_t room, const char *from);

#endif
