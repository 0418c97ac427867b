/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/stretch.h"

#include "model/simulation/schedule_pack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often a shorter stretch is tried; calls are not spread evenly over the time of a run. */
enum { MOST_TRIES = 8 };

/* Of what would just fit. */
static const double margin = 0.8;

/* Operations that are kept with facts, some four megabytes of text, or more for many ranks; with fewer a rank there is no step to speak of. */
enum { KEPT = 524288, KEPT_OF_RANK = 256, MOST_RANKS = 4096, LEAST_OF_RANK = 32 };

static size_t most_kept(size_t ranks)
{
    return ranks * KEPT_OF_RANK > KEPT ? ranks * KEPT_OF_RANK : KEPT;
}

/* Operations of a rank in a part: fewer are its beginning and its end more than anything else. */
enum { LEAST_OF_PART = 128 };

static unsigned parts_for(uint64_t operations, size_t ranks)
{
    const uint64_t parts = operations / (LEAST_OF_PART * (uint64_t)ranks);
    return parts < 1                           ? 1
           : parts > CLUMP_RECORDED_MOST_PARTS ? CLUMP_RECORDED_MOST_PARTS
                                               : (unsigned)parts;
}

/* A smaller share of each part of the run. */
static void shorten(clump_recorded_schedule_options *options,
                    const clump_recorded_schedule_report *report)
{
    const double share = options->share > 0 ? options->share : 1;
    if (!(options->share > 0)) {
        options->from = fmax(options->from, isfinite(report->begin) ? report->begin : 0);
        options->until = report->until;
    }
    options->share = share * fmin(fmax(margin * report->taken, 1e-4), margin);
}

clump_recording_status clump_recorded_stretch(clump_recording *recording,
                                              clump_recorded_schedule_options *options,
                                              clump_schedule **schedule,
                                              clump_recorded_schedule_report *report, bool *whole,
                                              char message[CLUMP_RECORDING_TEXT])
{
    clump_recording_status status = CLUMP_RECORDING_OK;
    *whole = true;
    options->parts = parts_for(options->most_operations, clump_recording_describe(recording).ranks);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        status = clump_recorded_schedule(recording, options, schedule, report, message);
        if (status == CLUMP_RECORDING_OK && message != NULL)
            message[0] = '\0';
        if (status == CLUMP_RECORDING_OK || !(report->taken < 1))
            return status;
        shorten(options, report);
        *whole = false;
    }
    return status;
}

/* Bytes of a row: a database takes no longer texts (CLUMP_STORE_TEXT). */
enum { ROW = 4000 };

static bool add_text(clump_facts *facts, clump_facts_stretch row, const char *text)
{
    char part[ROW + 1];
    const size_t size = strlen(text);
    for (size_t at = 0; at < size; at += ROW) {
        snprintf(part, sizeof part, "%s", text + at);
        row.calls = part;
        if (!clump_facts_add(facts, CLUMP_FACTS_STRETCH, &row))
            return false;
    }
    return true;
}

static clump_facts_status add_ranks(const clump_schedule *schedule, double seconds, double run,
                                    clump_facts *facts, char message[CLUMP_FACTS_MESSAGE])
{
    clump_error error = {CLUMP_OK, ""};
    for (uint32_t r = 0; r < clump_schedule_ranks(schedule); r++) {
        char *text = NULL;
        const clump_facts_stretch row = {.rank = r, .seconds = seconds, .run = run};
        const clump_status packed = clump_schedule_pack(schedule, r, &text, &error);
        const bool added = packed == CLUMP_OK && add_text(facts, row, text);
        free(text);
        if (packed == CLUMP_BAD_ARGUMENT && r == 0) /* it is none that can be kept */
            return CLUMP_FACTS_OK;
        if (!added) {
            snprintf(message, CLUMP_FACTS_MESSAGE, "%s",
                     packed != CLUMP_OK ? error.message : "out of memory");
            return CLUMP_FACTS_FAILED;
        }
    }
    return CLUMP_FACTS_OK;
}

double clump_recorded_stretch_run(const clump_recording *recording,
                                  const clump_recorded_schedule_report *report)
{
    const clump_recording_about about = clump_recording_describe(recording);
    return report->cut && isfinite(report->begin) ? fmax(about.seconds - report->begin, report->run)
                                                  : report->run;
}

bool clump_recorded_stretch_is_remnant(const clump_schedule *schedule,
                                       const clump_recorded_schedule_report *report)
{
    return report->waiting + report->unreceived > clump_schedule_operations(schedule);
}

clump_facts_status clump_recorded_stretch_of_schedule(const clump_schedule *schedule,
                                                      clump_facts *facts,
                                                      char message[CLUMP_FACTS_MESSAGE])
{
    const size_t ranks = clump_schedule_ranks(schedule);
    if (ranks > MOST_RANKS || clump_schedule_operations(schedule) > most_kept(ranks))
        return CLUMP_FACTS_OK;
    return add_ranks(schedule, 0, 0, facts, message);
}

clump_facts_status clump_recorded_stretch_add(clump_recording *recording, clump_facts *facts,
                                              char message[CLUMP_FACTS_MESSAGE])
{
    clump_recorded_schedule_options options = {.library = clump_mpi_library_of(facts->library),
                                               .most_operations = most_kept(facts->rank_count)};
    clump_recorded_schedule_report report;
    clump_schedule *schedule = NULL;
    char why[CLUMP_RECORDING_TEXT] = "";
    bool whole;
    if (facts->rank_count > MOST_RANKS || facts->traffic_count == 0 ||
        (options.library == CLUMP_MPI_MPICH && facts->collective_count > 0))
        return CLUMP_FACTS_OK;
    const clump_recording_status status =
        clump_recorded_stretch(recording, &options, &schedule, &report, &whole, why);
    clump_facts_status added = CLUMP_FACTS_OK;
    if (status == CLUMP_RECORDING_OK &&
        clump_schedule_operations(schedule) >= LEAST_OF_RANK * facts->rank_count &&
        !clump_recorded_stretch_is_remnant(schedule, &report))
        added = add_ranks(schedule, report.seconds, clump_recorded_stretch_run(recording, &report),
                          facts, message);
    clump_schedule_free(schedule);
    if (status == CLUMP_RECORDING_NO_MEMORY) {
        snprintf(message, CLUMP_FACTS_MESSAGE, "%s", why);
        return CLUMP_FACTS_FAILED;
    }
    return added;
}
