/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A calibration from its first stage to its last: samples into memory and, a complete stage at a
 * time, into the store; warnings, progress and interruption through callbacks.
 *
 *     clump_calibration c = {.kind = &clump_calibration_shm, .own = &what_to_measure, ...};
 *     status = clump_calibration_run(&c);
 *     if (clump_calibration_has_results(&c))
 *         status = clump_calibration_conclude(&c), and show what it found
 *     clump_calibration_close(&c);
 *
 * What is measured is a `kind`, a structure of functions in a file of its own: shm_calibration.c,
 * udp_calibration.c, multi_calibration.c, memory_calibration.c, clump_calibration.c,
 * virtual_calibration.c. Nothing is printed. One calibration at a time.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_CALIBRATION_H
#define CLUMP_PROTOCOLS_CALIBRATION_CALIBRATION_H

#include "protocols/calibration/host.h"
#include "protocols/calibration/loggp_results.h"
#include "protocols/calibration/sample_store.h"
#include "protocols/calibration/stage.h"

typedef enum clump_calibration_status {
    CLUMP_CALIBRATION_OK = 0,
    CLUMP_CALIBRATION_BAD_INPUT,  /**< what was asked for cannot be measured */
    CLUMP_CALIBRATION_FAILED,     /**< `message` says why; empty: a callback has said it */
    CLUMP_CALIBRATION_INTERRUPTED /**< `watch` said stop; complete stages are stored */
} clump_calibration_status;

typedef struct clump_calibration clump_calibration;

/** A kind of calibration. */
typedef struct clump_calibration_kind {
    const char *name;      /**< "calibrate shm": with the time it names the source of the samples */
    const char *title;     /**< of the source, with "on HOST" behind it: "Shared-memory protocol" */
    const char *transport; /**< of its samples in the store: "shared-memory" */
    bool keeps_parts;      /**< what is complete is worth keeping when it is interrupted */
    /** Measure everything that `own` asks for. Calls clump_calibration_open() before it measures. */
    clump_calibration_status (*run)(clump_calibration *calibration);
    /** What follows from the samples: LogGP, settings. Adds the parameters that are stored with
     *  them. May be NULL. */
    clump_calibration_status (*derive)(clump_calibration *calibration);
    void (*free)(void *own); /**< what run and derive have put there. May be NULL */
} clump_calibration_kind;

enum { CLUMP_CALIBRATION_TEXT = 600 };

struct clump_calibration {
    /* Set by the caller. */
    const clump_calibration_kind *kind;
    void *own;            /**< of the kind: what to measure, and what it finds beside samples */
    const char *platform; /**< under which samples are stored; NULL: named after the machine */
    const char *command;  /**< with which the same would be measured again */
    const char *version;  /**< of the program */
    /** Open the store for writing. False: failed, and the caller has been told why. */
    bool (*open)(clump_store **store, void *context);
    /** Asked some ten times a second with the share that is done, 0 to 1, and a few words ("" for
     *  none); true: stop. */
    bool (*watch)(double share, const char *note, void *context);
    /** What makes the figures doubtful. */
    void (*warn)(const char *text, void *context);
    void *context;

    /* What came of it. */
    clump_host host;
    clump_calibration_samples samples;
    clump_calibration_speed speed;
    clump_calibration_store store;
    clump_calibration_results results; /**< where the kind has LogGP */
    char message[CLUMP_CALIBRATION_TEXT];

    /* Private, but for kinds. */
    clump_calibration_plan plan; /**< its callbacks are set */
    double estimate;             /**< seconds of all stages */
    double done, weight;         /**< seconds: before this stage, and of it */
    size_t stages, stages_all;   /**< complete, and in all */
    size_t kept;                 /**< samples in the store */
    bool no_memory, store_failed;
    char note[48];                           /**< for the one who watches */
    char title[200], platform_title[300];    /**< texts of the source */
    clump_calibration_parameter *parameters; /**< on the heap */
    size_t parameter_count;
};

/** Measure. Set all that the caller sets, and zeros for the rest. */
clump_calibration_status clump_calibration_run(clump_calibration *calibration);

/** Whether there are samples in the store: also of a calibration that has failed. */
bool clump_calibration_has_results(const clump_calibration *calibration);

/** Derive what follows from the samples, and store it. */
clump_calibration_status clump_calibration_conclude(clump_calibration *calibration);

/** Warn about samples that were taken while the machine was busy or changed its speed. */
void clump_calibration_warn_samples(clump_calibration *calibration);

/** Close the store and release all; also before anything was measured. */
void clump_calibration_close(clump_calibration *calibration);

/* ---- for kinds */

/** Open the store; its source is described, but for what is special about the kind. */
clump_calibration_status clump_calibration_open(clump_calibration *calibration);

/** Warn about the machine, of which `wanted` processes are to be measured at once. */
void clump_calibration_warn_host(clump_calibration *calibration, unsigned wanted);

/** Measure one stage by calling `run` and keep what it gives. */
clump_calibration_status
clump_calibration_stage(clump_calibration *calibration, const char *name, double seconds,
                        clump_protocol_status (*run)(const clump_calibration_plan *plan,
                                                     const void *context, char *message),
                        const void *context);

/** Store the samples that are not there yet. */
clump_calibration_status clump_calibration_keep(clump_calibration *calibration);

/** Tell the one who watches. True: stop. */
bool clump_calibration_watch(double share_of_stage, void *calibration);

/** A derived number for the store. False: out of memory. */
bool clump_calibration_add_parameter(clump_calibration *calibration,
                                     clump_calibration_parameter parameter);

/** LogGP of one protocol: `results`, and its parameters. A kind's `derive`. */
clump_calibration_status clump_calibration_derive_loggp(clump_calibration *calibration);

/** @return `status`, after writing the message */
__attribute__((format(printf, 3, 4))) clump_calibration_status
clump_calibration_fail(clump_calibration *calibration, clump_calibration_status status,
                       const char *format, ...);

clump_calibration_status clump_calibration_fail_memory(clump_calibration *calibration);

/** For what the store could not do. */
clump_calibration_status clump_calibration_fail_store(clump_calibration *calibration,
                                                      clump_store_status status);

__attribute__((format(printf, 2, 3))) void clump_calibration_warn(clump_calibration *calibration,
                                                                  const char *format, ...);

#endif
