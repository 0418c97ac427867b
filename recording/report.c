/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/report.h"

#include "recording/matched_calls.h"
#include "recording/run_texts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *keep(clump_report *r, const char *text)
{
    char *copy = text != NULL ? clump_arena_take(r->memory, strlen(text) + 1) : NULL;
    return copy != NULL ? strcpy(copy, text) : NULL;
}

__attribute__((format(printf, 2, 3))) static void say(clump_report *r, const char *format, ...)
{
    char text[1000];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const char *kept = r->note_count < CLUMP_REPORT_NOTES ? keep(r, text) : NULL;
    if (kept != NULL)
        r->notes[r->note_count++].text = kept;
}

/* ---- the head, nodes and ranks */

static void add_head(clump_report *r, const clump_recording *recording, const char *archive)
{
    run_texts texts;
    run_texts_make(recording, archive, &texts);
    r->origin = texts.origin;
    r->program = keep(r, texts.program);
    r->command = keep(r, texts.command);
    r->library = keep(r, texts.library);
    r->started = keep(r, texts.started);
}

static bool add_nodes(clump_report *r, const clump_recording *recording,
                      const clump_matching *matching)
{
    r->node_count = clump_recording_describe(recording).nodes;
    r->nodes = clump_arena_take(r->memory, (r->node_count + 1) * sizeof *r->nodes);
    for (size_t i = 0; r->nodes != NULL && i < r->node_count; i++) {
        const char *host = clump_recording_host(recording, i);
        const clump_clock_offset clock = clump_matching_clock_of(matching, i);
        r->nodes[i] = (clump_report_node){.host = keep(r, host[0] != '\0' ? host : "?"),
                                          .clock_low = clock.low,
                                          .clock_high = clock.high,
                                          .clock_used = clock.used};
    }
    return r->nodes != NULL;
}

/* What was before MPI_Init is not the program's: its libraries were loaded then. */
static void leave_out_before(clump_report_rank *row, const clump_recorded_call *init, double start)
{
    const double before = fmin(fmax(init->begin - start, 0), row->computing);
    row->computing -= before;
    row->wall -= before;
    row->processor = fmax(row->processor - fmax(init->processor, 0), 0);
}

static clump_report_rank rank_of(clump_recording *recording, size_t i,
                                 const clump_matching *matching)
{
    const clump_recording_rank rank = clump_recording_rank_of(recording, i);
    clump_report_rank row = {.processor = NAN, .requests_mean = NAN, .requests_most = -1};
    clump_recorded_call init;
    if (rank.missing)
        return row;
    const clump_account *a = rank.account;
    row.node = (int64_t)rank.node;
    row.ended = rank.end == CLUMP_RECORDING_FINALIZED;
    row.wall = fmax(0, a->end - a->begin);
    row.in_mpi = fmin(a->inside, row.wall);
    row.computing = row.wall - row.in_mpi;
    row.processor = a->processor;
    row.calls = (int64_t)a->calls;
    row.requests_most = (int64_t)a->requests_most;
    row.requests_mean = row.wall > 0 ? a->requests_integral / row.wall : (double)NAN;
    if (clump_recording_find_init(recording, i, &init))
        leave_out_before(&row, &init, a->begin);
    for (int k = 0; k < CLUMP_CALL_KINDS; k++) {
        const clump_matched t = clump_matching_of(matching, i, (clump_call_kind)k);
        row.traced += (int64_t)t.calls;
        row.waiting += t.waiting;
        row.waiting_low += t.waiting_low;
        row.waiting_high += t.waiting_high;
        row.transferring += t.divided - t.waiting;
    }
    return row;
}

static bool add_ranks(clump_report *r, clump_recording *recording, const clump_matching *matching)
{
    r->rank_count = clump_recording_describe(recording).ranks;
    r->ranks = clump_arena_take(r->memory, (r->rank_count + 1) * sizeof *r->ranks);
    for (size_t i = 0; r->ranks != NULL && i < r->rank_count; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        r->ranks[i] = rank_of(recording, i, matching);
        if (!rank.missing)
            r->wall = fmax(r->wall, rank.account->end - rank.account->begin);
    }
    return r->ranks != NULL;
}

/* ---- where the time goes */

static int by_seconds(const void *a, const void *b)
{
    const clump_report_time *x = a, *y = b;
    return x->seconds != y->seconds ? (x->seconds < y->seconds) - (x->seconds > y->seconds)
                                    : strcmp(x->what, y->what);
}

/* Of collectives bytes are what a member gives; of receives what came. */
static clump_report_time time_of(const clump_recording *recording, const clump_matching *matching,
                                 clump_call_kind k)
{
    clump_report_time t = {.what = clump_call_name(k)};
    for (size_t i = 0; i < clump_recording_describe(recording).ranks; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        if (rank.missing)
            continue;
        const clump_account_kind *kind = &rank.account->kinds[k];
        const clump_matched matched = clump_matching_of(matching, i, k);
        t.calls += (int64_t)kind->calls;
        t.seconds += kind->seconds;
        t.waiting += matched.waiting;
        t.transferring += matched.divided - matched.waiting;
        t.bytes += (double)(kind->bytes > 0 || clump_call_is_collective(k) ? kind->bytes
                                                                           : kind->bytes_received);
    }
    t.undivided = t.seconds - t.waiting - t.transferring;
    if (t.undivided < 1e-6 * t.seconds) /* sums of the same numbers in another order */
        t.undivided = 0;
    return t;
}

static bool add_times(clump_report *r, const clump_recording *recording,
                      const clump_matching *matching)
{
    double total = 0;
    r->times = clump_arena_take(r->memory, (CLUMP_CALL_KINDS + 1) * sizeof *r->times);
    if (r->times == NULL)
        return false;
    r->times[r->time_count++] = (clump_report_time){
        .what = "computing", .waiting = NAN, .transferring = NAN, .undivided = NAN, .bytes = NAN};
    for (size_t i = 0; i < r->rank_count; i++) {
        r->times[0].seconds += r->ranks[i].computing;
        total += r->ranks[i].wall;
    }
    for (int k = 0; k < CLUMP_CALL_KINDS; k++) {
        const clump_report_time t = time_of(recording, matching, (clump_call_kind)k);
        if (t.calls > 0 || t.seconds > 0)
            r->times[r->time_count++] = t;
    }
    for (size_t i = 0; i < r->time_count; i++)
        r->times[i].share = total > 0 ? r->times[i].seconds / total : (double)NAN;
    qsort(r->times + 1, r->time_count - 1, sizeof *r->times, by_seconds);
    return true;
}

/* ---- how ranks of a node meet in MPI */

static bool add_collisions(clump_report *r, const clump_recording *recording)
{
    double total = 0;
    r->collisions = clump_arena_take(r->memory, (r->rank_count + 1) * sizeof *r->collisions);
    if (r->collisions == NULL)
        return false;
    for (size_t q = 0; q <= r->rank_count; q++)
        r->collisions[q] = (clump_report_collision){.q = (int64_t)q};
    for (size_t i = 0; i < r->rank_count; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        if (rank.missing || rank.account->q_seconds == NULL)
            continue;
        for (size_t q = 0; q < rank.account->q_count && q <= r->rank_count; q++) {
            r->collisions[q].seconds += rank.account->q_seconds[q];
            total += rank.account->q_seconds[q];
            r->collision_count = q >= r->collision_count ? q + 1 : r->collision_count;
        }
    }
    for (size_t q = 0; q < r->collision_count; q++)
        r->collisions[q].share = total > 0 ? r->collisions[q].seconds / total : (double)NAN;
    return true;
}

/* ---- what cannot be known */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void say_clocks(clump_report *r)
{
    double widest = 0;
    size_t unknown = 0, contradicting = 0;
    for (size_t n = 1; n < r->node_count; n++) {
        const clump_report_node *row = &r->nodes[n];
        if (isnan(row->clock_low) || isnan(row->clock_high))
            unknown++;
        else if (row->clock_high < row->clock_low)
            contradicting++;
        else
            widest = fmax(widest, row->clock_high - row->clock_low);
    }
    if (unknown > 0)
        say(r,
            "clocks: of %zu node%s no messages in both directions tell how far the clock is off; "
            "waiting of ranks there is known within wide bounds only",
            unknown, plural(unknown));
    if (contradicting > 0)
        say(r,
            "clocks: of %zu node%s messages contradict each other, so the clock was set or ran "
            "at another rate meanwhile",
            contradicting, plural(contradicting));
    if (r->node_count > 1 && unknown == 0 && contradicting == 0)
        say(r, "clocks: offsets between nodes are known within %.3g us", 1e6 * widest);
}

static void say_matching(clump_report *r, const clump_matching_summary sum)
{
    if (sum.sends + sum.receives > 0)
        say(r, "messages: %llu send%s and %llu receive%s in the trace found no partner",
            (unsigned long long)sum.sends, plural(sum.sends), (unsigned long long)sum.receives,
            plural(sum.receives));
    if (sum.collectives_open > 0)
        say(r, "collectives: %llu traced call%s had not all members in the trace",
            (unsigned long long)sum.collectives_open, plural(sum.collectives_open));
    if (sum.collectives_unlike > 0)
        say(r,
            "collectives: members of a communicator called different ones; %llu call%s from "
            "there on could not be matched",
            (unsigned long long)sum.collectives_unlike, plural(sum.collectives_unlike));
    if (sum.beyond > 0)
        say(r,
            "%llu traced call%s were not matched: too much was open at a time, or "
            "there was no more memory",
            (unsigned long long)sum.beyond, plural(sum.beyond));
}

static void say_accounts(clump_report *r, const clump_recording *recording)
{
    uint64_t calls = 0, traced = 0, lost = 0, requests = 0, dead = 0, mistrusted = 0;
    size_t unknown = 0, unended = 0, full = 0, uncounted = 0;
    double outside = 0, elsewhere = 0, delayed = 0;
    for (size_t i = 0; i < r->rank_count; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(recording, i);
        const clump_account *a = rank.account;
        unknown += rank.missing;
        unended += !rank.missing && !r->ranks[i].ended;
        if (rank.missing)
            continue;
        calls += a->calls;
        traced += (uint64_t)r->ranks[i].traced;
        lost += a->lost;
        requests += a->requests_lost;
        dead += a->q_dead;
        mistrusted += a->q_mistrusted;
        full += a->write_error != 0;
        uncounted += a->q_count == 0;
        outside += r->ranks[i].computing;
        elsewhere += a->elsewhere;
        delayed += a->delayed;
    }
    /* Waits for ranks that wait for a processor are no less the scheduler's, but nobody counts them. */
    if (delayed > 0.02 * outside)
        say(r,
            "processors: for %.3g s (%.0f%% of the time outside MPI) ranks were ready to run while "
            "others "
            "had the processors: shares of time, waits among them, are those of the scheduler",
            delayed, 100 * delayed / outside);
    if (elsewhere > 0.02 * outside)
        say(r,
            "processors: for %.3g s (%.0f%% of the time outside MPI) threads that do not call MPI "
            "computed "
            "while the one that does slept: that counts as computation",
            elsewhere, 100 * elsewhere / outside);
    if (unknown > 0)
        say(r, "ranks: nothing was recorded of %zu of %zu", unknown, r->rank_count);
    if (unended > 0)
        say(r,
            "ranks: %zu of %zu did not end properly (killed, aborted or without MPI_Finalize); "
            "what they did last may be missing",
            unended, r->rank_count);
    if (traced < calls)
        say(r,
            "trace: it has %.3g%% of the calls; waiting and transferring are divided for "
            "those only",
            100 * (double)traced / (double)calls);
    if (full > 0)
        say(r, "trace: of %zu rank%s it ends where it could not be written", full, plural(full));
    if (lost > 0)
        say(r, "traffic: %llu call%s are missing, for want of memory while it was recorded",
            (unsigned long long)lost, plural(lost));
    if (requests > 0)
        say(r, "requests: %llu could not be followed", (unsigned long long)requests);
    if (uncounted > 0 && uncounted + unknown < r->rank_count)
        say(r, "collisions: %zu rank%s did not count with the others", uncounted,
            plural(uncounted));
    if (dead + mistrusted > 0)
        say(r, "collisions: %llu rank%s died inside MPI, and %llu count%s could not be true",
            (unsigned long long)dead, plural(dead), (unsigned long long)mistrusted,
            plural(mistrusted));
}

static void say_unknown(clump_report *r, const clump_recording *recording,
                        const clump_matching *matching)
{
    if (r->node_count == 1 && r->rank_count > 1)
        say(r, "network: all ranks ran on one node, so nothing is known of a network");
    say_accounts(r, recording);
    say_clocks(r);
    say_matching(r, clump_matching_sum(matching));
}

/* ---- all of it */

static bool make(clump_report *r, clump_recording *recording, const char *archive,
                 const clump_matching *matching)
{
    const clump_matching_summary sum = clump_matching_sum(matching);
    add_head(r, recording, archive);
    r->sends = (double)sum.sends;
    r->receives = (double)sum.receives;
    r->mismatched = (double)(sum.collectives_open + sum.collectives_unlike);
    if (!add_nodes(r, recording, matching) || !add_ranks(r, recording, matching) ||
        !add_times(r, recording, matching) || !add_collisions(r, recording))
        return false;
    say_unknown(r, recording, matching);
    /* The archive has no processor time. */
    for (size_t i = 0; archive != NULL && i < r->rank_count; i++)
        r->ranks[i].processor = NAN;
    double left_out;
    if (!clump_report_traffic_make(recording, r->library, r->memory, &r->traffic, &r->traffic_count,
                                   &left_out))
        return false;
    if (left_out > 0)
        say(r,
            "collectives: %.6g call%s of ranks are not taken apart into messages: among "
            "neighbours, of communicators that are not known, or too many ranks",
            left_out, left_out > 1 ? "s" : "");
    if (archive != NULL)
        say(r, "collectives: bytes are as Score-P counts them; of operations in place "
               "they may be off by one part of as many as there are ranks");
    return true;
}

clump_recording_status clump_report_read(const char *folder, const char *archive,
                                         clump_report *report, char message[CLUMP_RECORDING_TEXT])
{
    clump_recording *recording = NULL;
    clump_matching *matching = NULL;
    *report = (clump_report){.memory = clump_arena_new()};
    message[0] = '\0';
    clump_recording_status status = clump_recording_open(folder, &recording);
    if (status == CLUMP_RECORDING_OK)
        status = clump_recording_match(recording, NULL, &matching);
    if (status == CLUMP_RECORDING_OK &&
        (report->memory == NULL || !make(report, recording, archive, matching)))
        status = CLUMP_RECORDING_NO_MEMORY;
    if (status == CLUMP_RECORDING_NO_MEMORY)
        snprintf(message, CLUMP_RECORDING_TEXT, "out of memory");
    else if (status != CLUMP_RECORDING_OK)
        snprintf(message, CLUMP_RECORDING_TEXT, "%s", clump_recording_message(recording));
    clump_matching_free(matching);
    clump_recording_close(recording);
    return status;
}

void clump_report_release(clump_report *report)
{
    clump_arena_free(report->memory);
    *report = (clump_report){.memory = NULL};
}
