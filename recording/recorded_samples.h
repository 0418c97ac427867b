/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_RECORDED_SAMPLES_H
#define CLUMP_RECORDING_RECORDED_SAMPLES_H

/*
 * Internal to recording/. What of a recording a schedule is made of (MODEL.md 30, "A sample"): all, or a stretch of each of some equal
 * parts of its time. Which of them a call is in, and which messages are there when one begins, since they were under way.
 *
 *     recorded_sample_make -> recorded_sample_send, of all messages -> recorded_sample_receive, of each receiver in the order of its calls
 *     -> recorded_sample_release
 */

#include "recording/open_table.h"

/** Of no part. */
enum { RECORDED_OUTSIDE = -1 };

/** What is wanted. */
typedef struct recorded_wanted {
    bool all;           /* whenever it is: then nothing else is read */
    double from, until; /* s of the recording */
    double share;       /* of each part that is its stretch; 1: all of it, which is one part */
    int parts;
} recorded_wanted;

typedef struct recorded_sample {
    recorded_wanted wanted;
    size_t ranks;
    clump_table channel_of; /* sender and receiver, and tag, to a channel */
    clump_pool channels;
} recorded_sample;

/** Release it in any case. */
void recorded_sample_make(recorded_sample *sample, const recorded_wanted *wanted, size_t ranks);
void recorded_sample_release(recorded_sample *sample);

/** The part whose stretch the time is in, or RECORDED_OUTSIDE. */
int recorded_sample_part(const recorded_sample *sample, double time);

/** How much of the time between both is in stretches. Cost: O(parts). */
double recorded_sample_time(const recorded_sample *sample, double from, double to);

/** Messages of one part are not those of another: their tag in the schedule. */
uint32_t recorded_sample_tag(const recorded_sample *sample, uint32_t tag, int part);

/** A message whose send begins at `time`. false without memory. */
bool recorded_sample_send(recorded_sample *sample, uint32_t from, uint32_t to, uint32_t tag,
                          double time);

/**
 * The next message of the sender with that tag was received by a call that ends in `part`.
 * @param sent_in  receives the part in which it was sent, if it is to be waited for; RECORDED_OUTSIDE: it is there when the part begins, or
 *                 nobody waits for it
 * false without memory; then it is RECORDED_OUTSIDE.
 */
bool recorded_sample_receive(recorded_sample *sample, uint32_t from, uint32_t to, uint32_t tag,
                             int part, int *sent_in);

#endif
