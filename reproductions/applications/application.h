/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * The programs that the documents measured. Each is one code over a programming system
 * (reproductions/systems/), whoever runs it; its input is made from a seed, and its result is checked
 * against that of a sequential run.
 *
 * To add one: a clump_application in a file of its own, and a line in CLUMP_APPLICATIONS.
 */
#ifndef CLUMP_REPRODUCTIONS_APPLICATIONS_APPLICATION_H
#define CLUMP_REPRODUCTIONS_APPLICATIONS_APPLICATION_H

#include "reproductions/systems/worker.h"

enum { CLUMP_APPLICATION_SIZES = 8, CLUMP_APPLICATION_MESSAGE = 200 };

/** A number that the input of a program is made from. */
typedef struct clump_application_size {
    const char *name;    /**< one word */
    const char *meaning; /**< a few words, with the unit */
    double preset;       /**< as the document had it */
    double least, most;
    bool whole;
} clump_application_size;

typedef struct clump_application clump_application;

/** What an operation costs on a platform of the document; the last has none. */
typedef struct clump_application_cost {
    const char *platform;
    double us;
} clump_application_cost;

/** What a run is about: the same for all of its workers. */
typedef struct clump_application_input {
    const clump_application *application;
    double sizes[CLUMP_APPLICATION_SIZES];
    uint32_t workers;  /**< at least 1 */
    uint32_t per_node; /**< that share a node; divides `workers` */
    uint64_t seed;
} clump_application_input;

/** The result, in a form that can be put together from that of each worker: `digest` is a sum,
 *  modulo 2^64, over all items of the result, of clump_application_mix() of where they belong and
 *  what they are. */
typedef struct clump_application_result {
    uint64_t digest, items;
} clump_application_result;

struct clump_application {
    const char *name;  /**< for the command line: "em3d-good" */
    const char *run;   /**< the document's name of the run, as the database has it: "EM3D/good" */
    const char *title; /**< one line */
    const char *text;  /**< what it computes and how it communicates */
    const char *operation;   /**< what an operation is, of which a computation has so many */
    double operation_us;     /**< on the document's workstation: costs.h */
    double beside_memory_us; /**< the same where cache misses are charged apart; 0: operation_us */
    const char *cost_run;    /**< the document's run that it is from: "EM3D"; NULL: no single one */
    const clump_application_size *sizes; /**< at most 8; the last has no name */
    int variant;                         /**< tells runs of the same code apart */
    const char *system;                  /**< NULL: the global address space; else "MPI", "Orca": it
                                              needs packets only, and LCI can carry them */
    bool threads;                        /**< the system has threads: NICs interrupt */
    const clump_application_cost *costs; /**< NULL: operation_us everywhere */
    /** "streaming": messages follow each other; "blocking": each is waited for, unless a size
     *  "wait" is 0; NULL: not known. */
    const char *style;
    bool exchange; /**< all send at once, and answer each other while they wait */
    bool lockstep; /**< barriers separate the steps of an exchange */

    /** Whether it can run with this input; else why not, in `message`: "found ..., expected ...".
     *  NULL: with all whose sizes are in their ranges. */
    bool (*check)(const clump_application_input *input, char message[CLUMP_APPLICATION_MESSAGE]);
    /** What a worker does. `result` receives its part. */
    void (*work)(clump_worker *worker, const clump_application_input *input,
                 clump_application_result *result);
    /** The result as a single processor finds it, one step after the other. @return false if there
     *  is no memory */
    bool (*expect)(const clump_application_input *input, clump_application_result *result);
};

/* All programs, by name: applications.c. */

#define CLUMP_APPLICATIONS(EACH)                                                                   \
    EACH(sample)                                                                                   \
    EACH(em3d)                                                                                     \
    EACH(em3d_naive)                                                                               \
    EACH(em3d_good)                                                                                \
    EACH(con_comp)                                                                                 \
    EACH(con_comm)                                                                                 \
    EACH(fft)                                                                                      \
    EACH(asp)                                                                                      \
    EACH(sor)                                                                                      \
    EACH(qr)                                                                                       \
    EACH(leq)                                                                                      \
    EACH(retro)                                                                                    \
    EACH(levels)                                                                                   \
    EACH(radix)                                                                                    \
    EACH(barnes)                                                                                   \
    EACH(write_miss)                                                                               \
    EACH(puzzle_4)                                                                                 \
    EACH(puzzle_64)

#define CLUMP_APPLICATION_DECLARE(name) extern const clump_application clump_application_##name;
CLUMP_APPLICATIONS(CLUMP_APPLICATION_DECLARE)

/** Number `index`, from 0; NULL past the last. */
const clump_application *clump_application_at(size_t index);
/** By name; NULL: there is none. */
const clump_application *clump_application_find(const char *name);

/** How many sizes it has. */
size_t clump_application_count_sizes(const clump_application *application);

/** The document's input for so many workers. */
clump_application_input clump_application_input_of(const clump_application *application,
                                                   uint32_t workers, uint32_t per_node);

/** Two numbers into one that tells them apart, and their order. */
uint64_t clump_application_mix(uint64_t place, uint64_t value);

/** The first of `items` that worker `rank` has, if each has as many as the next, or one less. */
uint32_t clump_application_share(uint32_t items, uint32_t workers, uint32_t rank);

/** A state for splitmix.h that belongs to this place of an input: others have others. */
uint64_t clump_application_seed(uint64_t seed, uint64_t stream, uint64_t index);

#endif
