/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * What one run of a parallel program was recorded to do: the facts that predictions start from. They are made from
 * a recording, an OTF2 archive or a GOAL schedule (recording/facts.h), and kept in the store with the application
 * that they describe.
 *
 * Facts are a head and lists of rows ("parts"). Ranks are those of MPI_COMM_WORLD, from 0; nodes are numbered from 0
 * in the order of their first ranks. Times are in seconds. A real number that is not known is NAN, a whole one -1.
 */
#ifndef CLUMP_DATA_STORE_RECORDED_FACTS_H
#define CLUMP_DATA_STORE_RECORDED_FACTS_H

#include "data/store/store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A file that the facts are from. */
typedef struct clump_facts_file {
    const char *name;   /**< without its folder */
    const char *sha256; /**< 64 lower-case hex digits */
    int64_t bytes;
    int64_t cut_at; /**< byte at which it was cut off; -1: it is whole */
} clump_facts_file;

typedef struct clump_facts_node {
    const char *host;
    double clock_low,
        clock_high; /**< s that its clock is ahead of node 0's: bounds that follow from messages; NAN:
                                       there were none in that direction */
    double clock_used; /**< s that was subtracted from its times when calls were matched */
} clump_facts_node;

/**
 * A rank. Its wall time is computing + in_mpi; in_mpi is waiting for a late partner, transferring (all else inside
 * MPI while there is a partner), and what could not be divided, because the calls were not traced or matched.
 */
typedef struct clump_facts_rank {
    int64_t node;
    double wall;      /**< s, from the end of MPI_Init to the end of the recording */
    double computing; /**< s of it outside MPI */
    double processor; /**< s of processor time outside MPI; NAN: not known */
    double in_mpi;    /**< s */
    double waiting;   /**< s of in_mpi, of the calls that could be matched */
    double waiting_low,
        waiting_high;      /**< what it may be, as far as clocks of nodes can be compared */
    double transferring;   /**< s of in_mpi, likewise */
    int64_t calls;         /**< of MPI */
    int64_t traced;        /**< of them, with their times in the trace */
    double requests_mean;  /**< in flight, mean over time; NAN: not known */
    int64_t requests_most; /**< in flight at a time; -1: not known */
    bool ended;            /**< it called MPI_Finalize, or its recording was ended properly */
} clump_facts_rank;

/** All calls of a kind of a rank. */
typedef struct clump_facts_call {
    int64_t rank;
    const char *kind; /**< "send", "wait", "allreduce"...: as clump_call_name() has them */
    int64_t calls;
    double seconds;
    double bytes;                 /**< that the rank sent with them, or received with receives */
    double waiting, transferring; /**< s of `seconds`, as above */
} clump_facts_call;

/** Messages from a rank to another: of point-to-point calls, or of a collective taken apart. */
typedef struct clump_facts_traffic {
    int64_t sender, receiver; /**< ranks */
    const char *kind;   /**< "point-to-point", "put" and so on, or the collective: "allreduce"... */
    int64_t size_limit; /**< B, the greatest size of its class: 0, 1, 2, 4, 8... */
    double messages;    /**< real, as a collective's may be shared out */
    double bytes;       /**< of all of them */
} clump_facts_traffic;

/** Collectives as what they are. A rank is not told: all members take part in each. */
typedef struct clump_facts_collective {
    const char *kind;
    int64_t communicator; /**< 0: the world */
    int64_t members;
    int64_t root; /**< rank; -1: none */
    /** B, the greatest of its class; the class is of what a member sends or receives, whichever is
     *  more; of collectives with a root, of what the root does. */
    int64_t size_limit;
    double calls; /**< of the communicator as a whole: once for all members */
    /** Of all calls, as a clump_collective_operation has them: of the vector, or of the part of one
     *  rank; alltoall: from one rank to one other. Mean over the members. */
    double bytes;
} clump_facts_collective;

/** Time during which exactly `q` ranks of a node were inside MPI. */
typedef struct clump_facts_collision {
    int64_t node;
    int64_t q; /**< 0 to the ranks of the node */
    double seconds;
} clump_facts_collision;

/**
 * Who communicates together if the ranks stand on nodes of so many processors, in the order of their numbers: a window of the
 * run, over all nodes together (model/workload/overlap.h). From the trace, whatever nodes the ranks ran on.
 */
typedef struct clump_facts_overlap {
    /** "in MPI", or "transferring": in MPI, and not waiting for a late partner. */
    const char *doing;
    int64_t processors;     /**< of a node, at least 2 */
    double start, stop;     /**< s */
    double seconds;         /**< of all nodes */
    double active, squared; /**< integrals of q and q^2, s */
} clump_facts_overlap;

/**
 * Steps of a rank, in the class of what they compute before they send. A step begins when the rank has received something, and
 * ends when it has received the next; what is sent in it depends on what was received. Of messages between ranks only: what
 * ends with a collective counts if it sent some. Of the calls of the rank's first thread, as far as they were traced.
 */
typedef struct clump_facts_step {
    int64_t rank;
    int64_t gap_limit; /**< ns, the greatest of its class: 0, 1, 2, 4... */
    int64_t steps;
    double before;          /**< s outside MPI until its last message was sent */
    double after;           /**< s outside MPI from then on */
    double messages, bytes; /**< sent */
} clump_facts_step;

/** Calls of a rank, all or a sample, which can be played again on other nodes; the text of a rank goes on in its next row. */
typedef struct clump_facts_stretch {
    int64_t rank;
    double seconds; /**< of the sample */
    double run;     /**< s between MPI_Init and MPI_Finalize, of which it is a part */
    /** What it computed, sent and received: text of clump_schedule_pack() (model/simulation/schedule_pack.h). */
    const char *calls;
} clump_facts_stretch;

/** A stretch of the run in which it behaves alike; sums over all ranks. */
typedef struct clump_facts_phase {
    /** What the program called it (MPI_Pcontrol); NULL: found in the time series. */
    const char *mark;
    double start, stop;
    double computing, in_mpi; /**< s */
    double messages, bytes;   /**< sent point to point and by collectives, as they were called */
} clump_facts_phase;

/** What cannot be known from it, or should be known about it: a sentence each. */
typedef struct clump_facts_note {
    const char *text;
} clump_facts_note;

/** In a note, and in no other: it tells of collectives whose messages are missing. Stored data have it: it stays as
 *  it is. clump_facts_lack_messages() */
#define CLUMP_FACTS_NOT_TAKEN_APART "not taken apart into messages"

/** Whether the note tells of collectives whose messages are not among the facts. */
bool clump_facts_lack_messages(const clump_facts_note *note);

typedef struct clump_facts {
    const char *application; /**< that is described so: its name in the store; NULL: not stored */
    const char *origin;      /**< "recording", "otf2" or "goal" */
    const char *program;     /**< name of the executable; NULL: not known */
    const char *command;     /**< as it was run; NULL: not known */
    const char *library;     /**< of MPI, with its version; NULL: not known */
    const char *started;     /**< UTC, "2026-11-22T14:30:00Z"; NULL: not known */
    double wall;             /**< s, of the rank that took longest */
    double sends, receives;  /**< traced, that no partner was found for */
    double mismatched;       /**< traced calls of collectives whose members did not agree */
    const clump_facts_file *files;
    size_t file_count;
    const clump_facts_node *nodes;
    size_t node_count;
    const clump_facts_rank *ranks;
    size_t rank_count;
    const clump_facts_call *calls;
    size_t call_count;
    const clump_facts_traffic *traffic;
    size_t traffic_count;
    const clump_facts_collective *collectives;
    size_t collective_count;
    const clump_facts_collision *collisions;
    size_t collision_count;
    const clump_facts_overlap *overlaps;
    size_t overlap_count;
    const clump_facts_step *steps;
    size_t step_count;
    const clump_facts_stretch *stretches;
    size_t stretch_count;
    const clump_facts_phase *phases;
    size_t phase_count;
    const clump_facts_note *notes;
    size_t note_count;
    struct clump_facts_memory *memory; /**< of rows and texts */
} clump_facts;

/** Ranks of which nothing was recorded, as their files are missing: they have no time and no calls. */
size_t clump_facts_missing_ranks(const clump_facts *facts);

/* ---- building them */

typedef enum clump_facts_part {
    CLUMP_FACTS_HEAD = 0, /**< the members of clump_facts itself: one row */
    CLUMP_FACTS_FILE,
    CLUMP_FACTS_NODE,
    CLUMP_FACTS_RANK,
    CLUMP_FACTS_CALL,
    CLUMP_FACTS_TRAFFIC,
    CLUMP_FACTS_COLLECTIVE,
    CLUMP_FACTS_COLLISION,
    CLUMP_FACTS_OVERLAP,
    CLUMP_FACTS_STEP,
    CLUMP_FACTS_STRETCH,
    CLUMP_FACTS_PHASE,
    CLUMP_FACTS_NOTE,
    CLUMP_FACTS_PARTS
} clump_facts_part;

/** Most rows of all parts together: about what fits into 1 GB. */
enum { CLUMP_FACTS_MOST_ROWS = 8000000 };

/** Facts without rows; numbers of the head are not known. NULL without memory. */
clump_facts *clump_facts_new(void);

/** NULL is allowed. */
void clump_facts_free(clump_facts *facts);

/** Appends a copy of a row (a clump_facts_file for CLUMP_FACTS_FILE, and so on; of CLUMP_FACTS_HEAD: takes the
 *  texts and numbers of another clump_facts). Texts are copied. False: no memory, or too many rows. */
bool clump_facts_add(clump_facts *facts, clump_facts_part part, const void *row);

/** The row to be changed; NULL if there is none. */
void *clump_facts_row(clump_facts *facts, clump_facts_part part, size_t index);

size_t clump_facts_rows(const clump_facts *facts, clump_facts_part part);

/* ---- what a row consists of, for those who write, read and compare all of it */

typedef enum clump_facts_type {
    CLUMP_FACTS_TEXT,
    CLUMP_FACTS_WHOLE,
    CLUMP_FACTS_REAL,
    CLUMP_FACTS_TRUTH
} clump_facts_type;

typedef struct clump_facts_field {
    const char *name;
    clump_facts_type type;
    size_t offset;
    bool may_lack; /**< NULL, -1 or NAN: not known */
    bool below_0;  /**< may be negative */
} clump_facts_field;

typedef struct clump_facts_form {
    const char *table; /**< in the database: "recording_rank" */
    const clump_facts_field *fields;
    size_t field_count;
    size_t row_size;
} clump_facts_form;

/** Lives forever. */
const clump_facts_form *clump_facts_form_of(clump_facts_part part);

/** Any of the rows. */
typedef union clump_facts_any_row {
    clump_facts head;
    clump_facts_file file;
    clump_facts_node node;
    clump_facts_rank rank;
    clump_facts_call call;
    clump_facts_traffic traffic;
    clump_facts_collective collective;
    clump_facts_collision collision;
    clump_facts_overlap overlap;
    clump_facts_step step;
    clump_facts_stretch stretch;
    clump_facts_phase phase;
    clump_facts_note note;
} clump_facts_any_row;

/** Whether all rows are the same; of which application they are does not matter. */
bool clump_facts_are_same(const clump_facts *a, const clump_facts *b);

/* ---- in the store */

/** The facts of an application, to be freed with clump_facts_free(); OK and NULL if it has none. */
clump_store_status clump_store_find_facts(clump_store *store, const char *application,
                                          clump_facts **facts);

/** Keeps facts of facts->application, which must be in the user's database and have none yet: all of them or, whatever
 *  happens, none. Between begin and commit. */
clump_store_status clump_store_add_facts(clump_store *store, const clump_facts *facts);

/** An application that has facts. */
typedef struct clump_store_recording {
    const char *application, *origin, *program, *started;
    int64_t ranks, nodes;
    double wall;
} clump_store_recording;

/** Returns 0 to go on. */
typedef int clump_store_recording_fn(const clump_store_recording *recording, void *context);

/** All applications with facts, in order of name. */
clump_store_status clump_store_each_recording(clump_store *store, clump_store_recording_fn *fn,
                                              void *context);

#ifdef __cplusplus
}
#endif
#endif
