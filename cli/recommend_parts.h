/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_RECOMMEND_PARTS_H
#define CLUMP_CLI_RECOMMEND_PARTS_H

/* The parts of `clumpmodel recommend`. */

#include "cli/command.h"
#include "exploring/recommend.h"
#include "model/result.h"
#include "scenarios/recorded/recorded.h"

/* `recommend --application`: a program whose messages were counted, such as by `run --name`. */

/** What scenarios take it for, on the NOW of that platform. */
typedef struct recommend_application {
    const char *name, *platform; /**< as they were given */
    size_t processors;           /**< of a node */
    bool as_platform;            /**< as many as those of the platform have: nobody said */
    double now_s;                /**< on the NOW */
    double utilization, remote_fraction, cost_ratio, waiting_fraction;
    double memory_penalty; /**< of its computation in the node */
} recommend_application;

/**
 * @param name        of an application of the store
 * @param platform    on which its messages were counted
 * @param processors  of a node; 0: those of the platform
 * Complains itself. @return exit code
 */
int recommend_application_read(const command_invocation *invocation, const char *name,
                               const char *platform, size_t processors, recommend_application *a);

/** Paragraphs: what is known of it, and what is assumed. */
void recommend_application_print(const recommend_application *a, bool demand_given);

/* `recommend --recording`: a program that was recorded, and the network that is to carry its messages. */

typedef struct recommend_recording_question {
    const char *name;     /**< a folder that was recorded into, or an application of the store */
    const char *platform; /**< whose network it is */
    double stripe_bytes;  /**< as in clump_recorded_options */
    size_t processors;    /**< of a node; 0: those of the platform */
    uint64_t most_operations; /**< of a play */
} recommend_recording_question;

typedef struct recommend_recording {
    clump_recorded_kept *kept;
    clump_arena *arena;
    clump_recorded program;
    clump_recorded_placed placed;
} recommend_recording;

/** Complains itself. @return exit code; close in any case */
int recommend_recording_open(const command_invocation *invocation,
                             const recommend_recording_question *question, recommend_recording *r);
void recommend_recording_close(recommend_recording *r);

/** Paragraphs: what was recorded, and what cannot be known. */
void recommend_recording_print(const recommend_recording *r);

/*
 * What `clumpmodel recommend` says of its answer, on standard output in lines of at most 80 places.
 */

/** What was asked, and what was found. */
typedef struct recommend_report {
    const clump_recommend_question *question;
    const clump_recommend_answer *answer;
    const recommend_application *application; /**< NULL: none was named */
    double nic_speed;                         /**< line rate, bytes a microsecond; 0: not known */
} recommend_report;

/** Room for the text of recommend_ranges. */
enum { RECOMMEND_RANGES = 32 * CLUMP_MOST_RANGES };

/** "0.1 to 0.4 and 0.8 to 1": the utilizations at which the recommended NICs are enough. @return text */
const char *recommend_ranges(const clump_recommend_answer *answer, char *text);

/** How many NICs are enough, in one sentence, and an empty line. */
void recommend_print_verdict(const recommend_report *report);
/** That the table, which is above, does not show all numbers, if so; and what is cheapest, if there are prices. */
void recommend_print_beside(const recommend_report *report);
/** How far to trust it: intervals, the least number, the utilization, the demand. */
void recommend_print_trust(const recommend_report *report);

#endif
