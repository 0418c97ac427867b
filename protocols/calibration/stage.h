/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * A stage of a calibration: pinned processes (team.h) that measure something run after run. It
 * hands every number to a callback; the caller keeps or averages them. A stage is complete or it
 * leaves nothing: no samples, processes or shared memory, also when it is stopped or the caller is
 * killed. One stage at a time. The calling process only waits meanwhile.
 */
#ifndef CLUMP_PROTOCOLS_CALIBRATION_STAGE_H
#define CLUMP_PROTOCOLS_CALIBRATION_STAGE_H

#include "protocols/calibration/samples.h"
#include "protocols/calibration/team.h"
#include "protocols/protocol_status.h"

typedef struct clump_calibration_plan {
    const char *algorithm; /**< NULL: lock-free */
    unsigned processes;    /**< the most that take part, 2 to 64 */
    unsigned runs;         /**< samples of each kind, 2 to 1000 */
    unsigned effort;       /**< messages in a sample, 1 (a few ms) to 100 */
    /** Each number, after its stage was completed; true: stop. */
    bool (*sample)(const clump_calibration_sample *sample, void *context);
    /** Asked every 50 ms with the share of the stage that is done, 0 to 1; true: stop. May be NULL.
     */
    bool (*watch)(double share, void *context);
    void *context;
} clump_calibration_plan;

/** A short message of the calibration: eight arguments. */
enum { CLUMP_CALIBRATION_ARGUMENTS = 8, CLUMP_CALIBRATION_SHORT_BYTES = 32 };

/* ---- internal: for those who write stages */

/** A stage on its way. */
typedef struct clump_stage {
    const clump_calibration_plan *plan;
    char *message;
    bool stopped;        /**< by the callback that takes samples */
    double done, weight; /**< shares of the stage: before the team at work, and of that team */
} clump_stage;

/** Check what all stages need of a plan. False: `message` says what is wrong. */
bool clump_stage_is_good(const clump_calibration_plan *plan, char *message);

/** `status`, or TIMED_OUT if the callback said stop. */
clump_protocol_status clump_stage_end(clump_stage *stage, clump_protocol_status status);

/** Hand out one sample; after the callback has said stop, nothing happens. */
void clump_stage_give(clump_stage *stage, clump_calibration_sample sample);

/** The same sample with what most of them differ in. */
void clump_stage_give_as(clump_stage *stage, clump_calibration_sample sample,
                         clump_benchmark benchmark, clump_quantity quantity, double value,
                         int64_t iterations);

/** A team of a stage, and what it measures. */
typedef struct clump_stage_team {
    clump_endpoint_options endpoint;
    unsigned processes;
    size_t numbers;   /**< that a run gives */
    size_t shared;    /**< bytes that the members share, at the beginning of a cache line */
    const void *work; /**< for all functions; copied by fork */
    double share;     /**< of the stage, of which it may be a part; 0: all of it */
    void (*join)(struct clump_team_member *member, void *shared, const void *work);
    void (*give)(clump_stage *stage, const void *work, const double *numbers,
                 clump_calibration_sample sample);
} clump_stage_team;

/**
 * Run a team of the plan's algorithm. `join` is called in each process and calls clump_stage_runs();
 * afterwards `give` gets the numbers of each run, with a sample whose run, processes, line_us and
 * disturbed are filled in.
 */
clump_protocol_status clump_stage_run(clump_stage *stage, const clump_stage_team *team);

/**
 * Call `measure` once to warm up, and then for each run. The numbers of rank 0 are kept; they are 0
 * to begin with.
 */
void clump_stage_runs(struct clump_team_member *member, void *state,
                      void (*measure)(struct clump_team_member *member, void *state,
                                      double *numbers));

/** Effort of the plan, in a member. */
unsigned clump_stage_effort(const struct clump_team_member *member);

/** The numbers of another member, for ranks that have met it since. */
const double *clump_stage_numbers(const struct clump_team_member *member, unsigned rank);

/** Microseconds since `began_ns`, minus what reading the clock takes, a message. */
double clump_calibration_per_message(uint64_t began_ns, double clock_ns, uint64_t messages);
/** One reading of the clock, ns: what an empty measurement takes (5.3.1). */
double clump_calibration_clock_ns(void);
/** An empty loop of so many turns. */
void clump_calibration_delay(uint64_t turns);
/** The turns of such a loop that take about `us` microseconds. */
uint64_t clump_calibration_turns(double us);
#endif
