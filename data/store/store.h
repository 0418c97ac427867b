/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The store: platforms, applications and measured samples, with where each number comes from.
 *
 * A store is one SQLite file of the user, or none, and behind it the reference data that ship with
 * the program. Reading sees both; a name that the user's database defines hides the reference row
 * of the same name together with its samples. Writing only ever touches the user's file.
 *
 * Errors: functions return a status; the message stays in the handle until the next call that
 * fails. Outputs are written only on CLUMP_STORE_OK, but for pointers that receive a record: NULL.
 * A handle serves one thread at a time. Text handed to a callback is valid until the callback
 * returns. Text is UTF-8 without control characters; where a record says "may be NULL", NULL means
 * that it is not known.
 */
#ifndef CLUMP_DATA_STORE_STORE_H
#define CLUMP_DATA_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct clump_store clump_store;

typedef enum clump_store_status {
    CLUMP_STORE_OK = 0,
    CLUMP_STORE_NOT_FOUND, /**< no such name, sample or file; the message suggests similar names */
    CLUMP_STORE_BAD_INPUT, /**< the caller's value or the user's file (damaged, say) is of no use */
    CLUMP_STORE_FAILED, /**< I/O error, out of memory (clump_store_lacked_memory()), no space, locked too long */
    CLUMP_STORE_STOPPED, /**< a callback asked to stop */
    CLUMP_STORE_IN_USE   /**< others refer to what was to be removed */
} clump_store_status;

enum {
    CLUMP_STORE_READ = 0, /**< the file must exist; it is never created or changed */
    CLUMP_STORE_WRITE = 1 /**< creates the file if need be */
};

/** Kinds of records; quantities cannot be removed or renamed. */
typedef enum clump_store_kind {
    CLUMP_STORE_PLATFORM,
    CLUMP_STORE_APPLICATION,
    CLUMP_STORE_SOURCE,
    CLUMP_STORE_QUANTITY
} clump_store_kind;

/** Where numbers come from. `table_label`, `section` and `page` are as printed. */
typedef struct clump_store_source {
    const char *name;         /**< unique, for example "thesis-table-7.6" */
    const char *kind;         /**< "document", "log", "calibration" or "inline" */
    const char *title;        /**< of the document, or what was measured */
    const char *table_label;  /**< may be NULL */
    const char *section;      /**< may be NULL */
    const char *page;         /**< may be NULL */
    const char *file;         /**< name of the log file; may be NULL */
    const char *sha256;       /**< of the log file, 64 lower-case hex digits; may be NULL */
    const char *tool;         /**< that wrote the log or ran the calibration; may be NULL */
    const char *tool_version; /**< may be NULL */
    const char *command;      /**< may be NULL */
    const char *note;         /**< may be NULL */
    bool reference;           /**< ships with the program (output only) */
} clump_store_source;

/** A machine, or a part of one that was measured by itself. */
typedef struct clump_store_platform {
    const char *name;        /**< unique */
    const char *title;       /**< one line */
    int64_t nodes;           /**< at least 1 */
    int64_t processors;      /**< in use in each node, at least 1 */
    int64_t nics;            /**< in use in each node, at least 0 */
    const char *mapping;     /**< "pooled" or "static"; NULL where there is nothing to map */
    const char *part_of;     /**< platform from which samples without application are inherited
                                  (latencies, LogGP); may be NULL */
    const char *counterpart; /**< the NOW of as many processors to compare with; may be NULL */
    const char *source;      /**< name of the source */
    const char *note;        /**< may be NULL */
    bool reference;          /**< ships with the program (output only) */
} clump_store_platform;

/** A program with one input. */
typedef struct clump_store_application {
    const char *name;   /**< unique, for example "CON/comm" */
    const char *title;  /**< one line */
    const char *style;  /**< "streaming": messages are pipelined; "blocking": it waits for what
                             messages bring; NULL: not known */
    const char *source; /**< name of the source */
    const char *note;   /**< may be NULL */
    bool reference;     /**< ships with the program (output only) */
} clump_store_application;

/** What can be measured. All samples of a quantity are stored in its one unit. */
typedef struct clump_store_quantity {
    const char *name;    /**< unique, for example "gap_per_byte" */
    const char *unit;    /**< canonical: see clump_unit_is_canonical() in units.h */
    const char *meaning; /**< one line */
    bool may_be_negative;
    bool reference; /**< ships with the program (output only) */
} clump_store_quantity;

/** The variant that is taken where a quantity has several and nobody says which: the layer that supports both protocols at
 *  once, as the thesis compares them. */
#define CLUMP_STORE_PREFERRED_VARIANT "multi-protocol"

/** What a run of samples has in common. */
typedef struct clump_store_series {
    const char *platform;    /**< may be NULL if application is not */
    const char *application; /**< may be NULL if platform is not */
    const char *quantity;
    const char *transport; /**< "network", "shared-memory"...; NULL or "" where none applies */
    const char *variant;   /**< "multi-protocol", "lock-free"...; NULL or "" for none */
    const char *statistic; /**< "single", "mean", "median", "min", "max" or "percentile" (then the
                                variant says which): what each sample is */
    const char *source;    /**< name of the source */
    const char *benchmark; /**< "osu_bw"...; NULL or "" where none applies */
    int64_t window;        /**< messages sent before one waits for an answer; 0: not known */
    int64_t processes;     /**< that took part; 0: not known */
} clump_store_series;

/** Greatest half width and standard deviation: above it there is no prediction at the ends of an interval,
 *  and the square is no number. */
#define CLUMP_STORE_MOST_SPREAD 1e150

/** One measured number, in the canonical unit of its quantity. */
typedef struct clump_store_measurement {
    double value; /**< finite; not negative unless the quantity may be */
    /** Of the 95% interval, at most CLUMP_STORE_MOST_SPREAD; NAN if not known. */
    double half_width;
    double std_dev;     /**< as large at most; NAN if not known */
    int64_t size_bytes; /**< message size; -1 if none applies */
    int64_t run;        /**< repetition within the source, from 1; 0 if there are none */
    int64_t iterations; /**< that the value was taken from; 0 if not known */
    double delay_us;    /**< pause between two sends; 0 for none */
    bool doubtful;      /**< the source is hard to read or contradicts itself; see note */
    const char *note;   /**< may be NULL */
} clump_store_measurement;

/** A sample as it is read: the measurement, its series and its provenance. */
typedef struct clump_store_sample {
    clump_store_measurement measured;
    const char *platform;    /**< "" if none */
    const char *application; /**< "" if none */
    const char *quantity;
    const char *unit;      /**< canonical unit of measured.value */
    const char *transport; /**< "" if none */
    const char *variant;   /**< "" if none */
    const char *statistic;
    const char *benchmark; /**< "" if none */
    int64_t window;        /**< 0 if not known */
    int64_t processes;     /**< 0 if not known */
    int64_t series;        /**< identifies the series within its database */
    int64_t ordinal;       /**< place in the series, from 1 */
    bool reference;        /**< ships with the program */
    const clump_store_source *source;
} clump_store_sample;

/** One number of a fit. */
typedef struct clump_store_fit_parameter {
    const char *name;
    double value;
    double low, high; /**< interval; NAN: none */
    bool free;        /**< false: it was given */
} clump_store_fit_parameter;

/** One time that a fit was made from. NAN: that of the fit. */
typedef struct clump_store_fit_run {
    const char *platform; /**< "" for none */
    const char *source;   /**< of the sample; "" for none */
    const char *base;     /**< the NOW it is compared with; "" if there is one only */
    const char *mapping;  /**< "pooled" or "static" */
    int64_t processors;   /**< of a node, at least 1 */
    int64_t nics;         /**< of a node */
    double max_nics;      /**< that a processor can drive; 0: no limit */
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    double base_time_s;    /**< on the NOW */
    double time_s;         /**< measured */
    double relative_error; /**< of it; NAN: not known */
    double fitted_s;
} clump_store_fit_run;

/** What describes an application, as it was fitted to times, with these times. */
typedef struct clump_store_fit {
    const char *application; /**< that is described so */
    const char *fitted_from; /**< the application whose times these were; may be NULL */
    const char *demand;      /**< "independent", "correlated", "scheduled" or "gang" */
    const char *efficiency;  /**< form of E(q): "inverse", "power" or "exponential" */
    double confidence;       /**< of the intervals */
    double chi_square, freedom, rms_error;
    const clump_store_fit_parameter *parameters;
    size_t parameter_count;
    const clump_store_fit_run *runs;
    size_t run_count;
} clump_store_fit;

/** Which samples. In each field NULL means any, "" means samples that have none. */
typedef struct clump_store_filter {
    const char *platform;
    const char *application;
    const char *transport;
    const char *quantity;
    const char *statistic;
    const char *variant;
    const char *source;
    const char *benchmark;
    bool inherit; /**< if the platform itself has no such sample, take those without application
                       of the platform it is part of, and so on upwards */
    bool sure;    /**< leave out what is doubtful */
} clump_store_filter;

/* ---- the handle ---- */

/**
 * Opens a store.
 * @param path  the user's database, taken literally; NULL: none, reference data only (with
 *              CLUMP_STORE_WRITE: a database in memory that is gone when closed). One without any table,
 *              such as an empty file, is read like none
 * @param flags CLUMP_STORE_READ or CLUMP_STORE_WRITE
 * @param store receives the handle even on failure, so that its message can be read; NULL only if
 *              memory for the handle ran out. Close it in either case.
 * @return NOT_FOUND if the file does not exist (reading), BAD_INPUT if it is not a database of
 *         this program, is of a newer version or was altered, FAILED otherwise.
 */
clump_store_status clump_store_open(const char *path, unsigned flags, clump_store **store);

/** Closes; an open transaction is rolled back. NULL is allowed. */
void clump_store_close(clump_store *store);

/** The path of the file if opening made it; NULL: it was there, or there is none. */
const char *clump_store_made(const clump_store *store);

/** Closes after a failure: a file that opening made, and that nothing was stored in, is removed. Whoever has it open
 *  meanwhile is told so by clump_store_begin(). */
void clump_store_close_unused(clump_store *store);

/** The message of the last failure; never NULL. Valid until the next call with this handle. */
const char *clump_store_message(const clump_store *store);

/** Whether what failed last did so for want of memory. True for NULL. */
bool clump_store_lacked_memory(const clump_store *store);

/** Frees a record from a clump_store_find_ function. NULL is allowed. */
void clump_store_free(void *record);

/* ---- reading ---- */

/** Finds by name; the record is the caller's, one block, to be freed with clump_store_free(). It is
 *  NULL unless the status is OK. Cost does not depend on the number of records. */
clump_store_status clump_store_find_platform(clump_store *store, const char *name,
                                             clump_store_platform **platform);
clump_store_status clump_store_find_application(clump_store *store, const char *name,
                                                clump_store_application **application);
clump_store_status clump_store_find_quantity(clump_store *store, const char *name,
                                             clump_store_quantity **quantity);
clump_store_status clump_store_find_source(clump_store *store, const char *name,
                                           clump_store_source **source);

/** The same of any kind, and a copy of what a callback lends (NULL: out of memory). */
clump_store_status clump_store_find_record(clump_store *store, clump_store_kind kind,
                                           const char *name, void **record);
void *clump_store_copy_record(clump_store_kind kind, const void *record);

/** The fit that describes an application; OK and NULL if it is not a fitted one. */
clump_store_status clump_store_find_fit(clump_store *store, const char *application,
                                        clump_store_fit **fit);
/** NULL is allowed. */
void clump_store_free_fit(clump_store_fit *fit);

/**
 * Whether a log was imported: is there a series of this platform (NULL: any), application (NULL: any)
 * and transport from a source in the user's database that has this SHA-256?
 * @param name receives the name of that source, to be freed with clump_store_free(); NULL if none
 */
clump_store_status clump_store_find_log(clump_store *store, const char *sha256,
                                        const char *platform, const char *application,
                                        const char *transport, char **name);

/** Callbacks return 0 to go on; anything else ends the iteration with CLUMP_STORE_STOPPED. They
 *  may call the reading functions of the same handle. NULL instead of one: all is read, which tells
 *  whether it can be. */
typedef int clump_store_sample_fn(const clump_store_sample *sample, void *context);

/** Records of any kind, in order of name: `record` is a clump_store_platform, and so on. Cost does not depend on the
 *  number of samples. */
typedef int clump_store_record_fn(const void *record, void *context);
clump_store_status clump_store_each_record(clump_store *store, clump_store_kind kind,
                                           clump_store_record_fn *fn, void *context);

/**
 * Calls `fn` for each sample that passes the filter: the user's before the reference ones, each in
 * order of series and ordinal. Finding none is OK. A name in the filter that no row has is
 * NOT_FOUND, with suggestions; a sample of which the file does not tell whether it passes, because
 * what it refers to does not exist, is BAD_INPUT.
 */
clump_store_status clump_store_each_sample(clump_store *store, const clump_store_filter *filter,
                                           clump_store_sample_fn *fn, void *context);

/**
 * The one number that passes the filter (inheriting as if filter->inherit were set). Samples that
 * repeat the same value and half-width, as when a document prints a number twice, count as one and
 * the first is given. measured->note is NULL.
 * @return NOT_FOUND if there is none (the message says what there is instead), BAD_INPUT if there
 *         are several (the message says in what the first two differ).
 */
clump_store_status clump_store_value(clump_store *store, const clump_store_filter *filter,
                                     clump_store_measurement *measured);

/* ---- what a node's samples say about the cost of computing and of moving data ---- */

/** What a second-level cache miss served by memory costs, and the memory that serves it. */
typedef struct clump_store_misses {
    double now_us,
        node_us;       /**< on the machine to compare with, and on the platform; both NAN where the
                                 store does not know both (l2_miss_memory_cycles over clock) */
    double line_bytes; /**< that a miss moves (l2_line_size); 0: not known */
    double bytes_per_us; /**< that memory sustains for all processors of a node together
                                 (sustained_memory_bandwidth, or else the greatest memory_bandwidth
                                 that was measured with 1, 2, ... processes); 0: not known */
    const char *lacks; /**< quantity without which sustained_memory_bandwidth, which is known, says
                                 nothing; NULL: none */
} clump_store_misses;

/** What the store knows of misses on a platform and on the machine to compare it with. What it does not know is no
 *  error. */
clump_store_status clump_store_find_misses(clump_store *store, const char *platform,
                                           const char *counterpart, clump_store_misses *misses);

/** Whether the I/O bus of a NIC moves data in one direction at a time (io_bus_directions is 1);
 *  false where the store does not know. */
clump_store_status clump_store_half_duplex(clump_store *store, const char *platform,
                                           bool *half_duplex);

/** Whether barriers separate the steps of an application's exchange (lockstep_exchange is 1); false
 *  where the store does not know. */
clump_store_status clump_store_lockstep(clump_store *store, const char *application,
                                        bool *lockstep);

/** Whether all processors send at once and answer each other while they wait (mutual_exchange is 1);
 *  false where the store does not know. */
clump_store_status clump_store_mutual_exchange(clump_store *store, const char *application,
                                               bool *mutual);

/* ---- writing: all between begin and commit ---- */

clump_store_status clump_store_begin(clump_store *store);
clump_store_status clump_store_commit(clump_store *store);
/** Undoes everything since clump_store_begin(); without a transaction it does nothing. */
void clump_store_rollback(clump_store *store);

/** Add a row. Names must be new in the user's database; rows that are referred to by name may be
 *  reference rows. `reference` is ignored. After a failure the transaction is still open and
 *  without the row. */
clump_store_status clump_store_add_source(clump_store *store, const clump_store_source *source);
clump_store_status clump_store_add_platform(clump_store *store,
                                            const clump_store_platform *platform);
clump_store_status clump_store_add_application(clump_store *store,
                                               const clump_store_application *application);
clump_store_status clump_store_add_quantity(clump_store *store,
                                            const clump_store_quantity *quantity);
/** The application must be in the user's database already, and without a fit. */
clump_store_status clump_store_add_fit(clump_store *store, const clump_store_fit *fit);
/** @param id receives the number to give to clump_store_add_sample(). */
clump_store_status clump_store_add_series(clump_store *store, const clump_store_series *series,
                                          int64_t *id);
/** Appends to a series. Runs of samples of the same series are fast (about 1 us each). */
clump_store_status clump_store_add_sample(clump_store *store, int64_t series,
                                          const clump_store_measurement *measured);

/* ---- removing and renaming what the user has stored: between begin and commit, too ---- */

/** What was removed, or what stays without a reference to it. */
typedef struct clump_store_removed {
    clump_store_kind kind;
    const char *name;
    int64_t samples; /**< that went with it */
    bool stays;      /**< a platform that was part of it or compared with it, and no longer is */
} clump_store_removed;

/** Called in the order in which things go; return 0 to go on. */
typedef int clump_store_removed_fn(const clump_store_removed *removed, void *context);

/**
 * Removes a record of the user's with its samples (and its fit), and the sources that nothing else is
 * from. What a source leaves behind: a platform or application that was added with it is from the next
 * source of its samples. Reference data stay.
 * @param force  also where others refer to it: platforms that are part of a platform or compared with it
 *               stay without that; samples of applications measured on a platform go; so do the platforms
 *               and applications that are from one source only
 * @param fn     may be NULL. It was called in vain if the status is not OK
 * @return IN_USE where force is needed, NOT_FOUND, BAD_INPUT for reference data, STOPPED by fn. The
 *         transaction is then open and as it was. Cost: proportional to what is removed, and to the number of sources.
 */
clump_store_status clump_store_remove(clump_store *store, clump_store_kind kind, const char *name,
                                      bool force, clump_store_removed_fn *fn, void *context);

/** Gives a record of the user's another name, also where fits name it. The name must be new, also among
 *  the reference data. */
clump_store_status clump_store_rename(clump_store *store, clump_store_kind kind, const char *name,
                                      const char *new_name);

/* ---- checking and exporting ---- */

/** One line for each thing that is wrong; return 0 to go on. */
typedef int clump_store_finding_fn(const char *finding, void *context);

/**
 * Checks the user's database and the reference data: pages and indexes, foreign keys, schema and
 * its CHECK constraints, every sample within its quantity's range, min <= mean <= max,
 * and for each LogGP set RTT = 2(o_s + L + o_r) and bandwidth = 1/G within what intervals and
 * printed digits allow. Cost: reads everything, and keeps a temporary copy on disk.
 * @param findings receives their number; OK also when there are some. May be NULL.
 */
clump_store_status clump_store_check(clump_store *store, clump_store_finding_fn *fn, void *context,
                                     size_t *findings);

/** Writes the samples that pass the filter as CSV (RFC 4180, UTF-8, a header line, numbers with
 *  17 significant digits, canonical units), each with its provenance. Reads everything twice: a
 *  database that turns out to be damaged fails before the first byte is written.
 *  @return STOPPED if the file takes no more (ferror()) */
clump_store_status clump_store_export(clump_store *store, const clump_store_filter *filter,
                                      FILE *file);

/** What a merge added. */
typedef struct clump_store_merged {
    int64_t sources, platforms, applications, series, samples, frozen;
    int64_t descriptions; /**< fits and recordings of applications */
} clump_store_merged;

/**
 * Adds all that another database has: samples, what describes platforms and applications, fits,
 * recordings and frozen predictions. What is there already stays as it is: series of the same source, and the
 * fit or recording of an application. All of it or, whatever happens, nothing; there must be no open transaction.
 * @param path  the other one, which is only read; of the same schema, and sound
 * @return BAD_INPUT also where the same name stands for something else in either; NOT_FOUND, FAILED
 */
clump_store_status clump_store_merge(clump_store *store, const char *path,
                                     clump_store_merged *merged);

#endif
