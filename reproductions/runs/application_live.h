/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Live processes that run a program: where they are, and what computing is to them. For those that run
 * programs live; the others know application_run.h.
 */
#ifndef CLUMP_REPRODUCTIONS_RUNS_APPLICATION_LIVE_H
#define CLUMP_REPRODUCTIONS_RUNS_APPLICATION_LIVE_H

#include "protocols/calibration/team.h"
#include "reproductions/runs/application_pace.h"
#include "reproductions/runs/application_run.h"

enum { CLUMP_APPLICATION_NICS = 16 };

/** What a process hands back. */
typedef struct clump_application_told {
    clump_application_worker worker;
    /* The rest by those who emulate; while it was timed. */
    uint64_t nic_bytes[CLUMP_APPLICATION_NICS]; /**< that the NICs of its node sent */
    uint64_t nic_packets[CLUMP_APPLICATION_NICS];
    uint64_t sent, resent; /**< datagrams, since it was made */
    double processor_s, late_s, latest_s;
    bool real_time;
} clump_application_told;

/** The same in numbers of a team's results. */
enum { CLUMP_APPLICATION_TOLD = sizeof(clump_application_told) / sizeof(double) };
_Static_assert(sizeof(clump_application_told) % sizeof(double) == 0, "whole numbers of a team");

typedef struct clump_application_site clump_application_site;
struct clump_application_site {
    const clump_application_input *input;
    clump_endpoint_options endpoint; /**< with `events` whoever waits sleeps */
    unsigned per_machine;            /**< as of a team: how many share memory */
    double operation_us;             /**< what an operation costs, with `dilation` */
    /** 0: computation takes the time that it takes. Else whoever computes sleeps, for the cost of its
     *  operations times this, and times are divided by it. */
    double dilation;
    const void *own; /**< for those below, each of which may be NULL */
    /** As of a team, with the site as its work. */
    bool (*settle)(unsigned rank, clump_endpoint_options *endpoint, const void *site,
                   char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);
    void (*enter)(const clump_application_site *site);
    /** What is timed begins, or ends; how late its computations were so far. */
    void (*mark)(const clump_application_site *site, uint32_t rank, uint64_t late_ns);
    void (*leave)(const clump_application_site *site, const struct clump_team_member *member,
                  const struct clump_application_pace *pace, clump_application_told *told);
};

/** @param told  room for input->workers @return as clump_team_run() */
clump_protocol_status clump_application_run_team(const clump_application_site *site,
                                                 clump_application_told *told,
                                                 bool (*watch)(double share, void *context),
                                                 void *context,
                                                 char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

/** Whether so many workers can be processes. */
clump_protocol_status clump_application_check_live(const clump_application_input *input,
                                                   char message[CLUMP_CALIBRATION_MESSAGE_BYTES]);

#endif
