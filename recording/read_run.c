/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/read_run.h"

#include "model/simulation/kept_calls.h"
#include "recording/recorded_calls.h"
#include "recording/run_files.h"
#include "recording/run_texts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES = 4000 };

/* A run while it is made. */
typedef struct maker {
    clump_recording *recording;
    const char *archive;
    const clump_run_choices *choices;
    recorded_calls_options options;
    recorded_calls_report report;
    char *calls;
    run_texts texts;
    char notes[NOTES], sha256[CLUMP_SHA256_TEXT];
    size_t noted;
    char *message;
} maker;

/* ---- calls, or a sample of them */

/* How often a shorter stretch is tried; calls are not spread evenly over the time of a run. */
enum { MOST_TRIES = 8 };

/* Of what would just fit. */
static const double margin = 0.8;

/* Operations of a rank in a part: fewer are its beginning and its end more than anything else. */
enum { LEAST_OF_PART = 128 };

static unsigned parts_for(uint64_t operations, size_t ranks)
{
    const uint64_t parts = operations / (LEAST_OF_PART * (uint64_t)ranks);
    return parts < 1 ? 1 : parts > RECORDED_MOST_PARTS ? RECORDED_MOST_PARTS : (unsigned)parts;
}

/* A smaller share of each part of the run. */
static void shorten(maker *m)
{
    recorded_calls_options *o = &m->options;
    const double share = o->share > 0 ? o->share : 1;
    if (!(o->share > 0)) {
        o->from = fmax(o->from, isfinite(m->report.begin) ? m->report.begin : 0);
        o->until = m->report.until;
    }
    o->share = share * fmin(fmax(margin * m->report.taken, 1e-4), margin);
}

static clump_recording_status read_calls(maker *m)
{
    const size_t ranks = clump_recording_describe(m->recording).ranks;
    const uint64_t most = ranks * CLUMP_RUN_KEPT_OF_RANK;
    clump_recording_status status = CLUMP_RECORDING_OK;
    /* An archive has no processor time. */
    m->options.gaps = m->archive != NULL ? CLUMP_GAPS_WALL : m->choices->gaps;
    m->options.most_operations = m->choices->most_operations > 0 ? m->choices->most_operations
                                 : most > CLUMP_RUN_KEPT         ? most
                                                                 : CLUMP_RUN_KEPT;
    m->options.parts = parts_for(m->options.most_operations, ranks);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        status = recorded_calls_read(m->recording, &m->options, &m->calls, &m->report, m->message);
        if (status == CLUMP_RECORDING_OK || m->choices->whole || !(m->report.taken < 1))
            break;
        shorten(m);
    }
    if (status == CLUMP_RECORDING_OK && m->report.calls == 0) {
        snprintf(m->message, CLUMP_RECORDING_TEXT,
                 "nothing was traced of its calls, expected them: record it again, with a "
                 "--trace-limit above 0");
        status = CLUMP_RECORDING_INPUT;
    }
    return status;
}

/* What is left where ranks are missing may be no more than what came before their first message. */
static clump_recording_status refuse_remnant(maker *m)
{
    const clump_recording_about about = clump_recording_describe(m->recording);
    const clump_kept_machine machine = {.library = clump_mpi_library_of(about.library),
                                        .most_operations = m->options.most_operations};
    clump_schedule *schedule = NULL;
    clump_schedule_left_out left = {0, 0, NULL};
    clump_error error;
    const clump_status status =
        clump_kept_schedule(m->calls, about.ranks, &machine, &schedule, &left, &error);
    const double lost = (double)left.operations + (double)left.messages,
                 played = status == CLUMP_OK ? (double)clump_schedule_operations(schedule) : 0;
    clump_schedule_free(schedule);
    if (status == CLUMP_OK && lost <= played)
        return CLUMP_RECORDING_OK;
    if (status == CLUMP_OK)
        snprintf(
            m->message, CLUMP_RECORDING_TEXT,
            "%.4g of %.4g operations wait for what is not in the recording: nothing was "
            "recorded of %zu of %zu ranks, and a part of %zu. Record the program again, or find "
            "the files that are missing",
            lost, lost + played, about.missing, about.ranks, about.cut);
    else
        snprintf(m->message, CLUMP_RECORDING_TEXT, "%s", error.message);
    return status == CLUMP_NO_MEMORY ? CLUMP_RECORDING_NO_MEMORY : CLUMP_RECORDING_INPUT;
}

/* Seconds between MPI_Init and MPI_Finalize of the rank that was longest in it; where traces end before, until the recording does. */
static double run_seconds(const maker *m)
{
    const recorded_calls_report *r = &m->report;
    const clump_recording_about about = clump_recording_describe(m->recording);
    return r->cut && isfinite(r->begin) ? fmax(about.seconds - r->begin, r->run) : r->run;
}

/* ---- what cannot be known of it */

__attribute__((format(printf, 2, 3))) static void note(maker *m, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    if (m->noted > 0 && m->noted < NOTES - 1)
        m->notes[m->noted++] = '\n';
    const int length = vsnprintf(m->notes + m->noted, NOTES - m->noted, format, values);
    va_end(values);
    if (length > 0)
        m->noted = m->noted + (size_t)length < NOTES ? m->noted + (size_t)length : NOTES - 1;
}

/* Less processor time than this between calls is not the program alone. */
static const double busy = 0.9;

static void note_all(maker *m)
{
    const recorded_calls_report *r = &m->report;
    const clump_recording_about about = clump_recording_describe(m->recording);
    size_t unended = 0;
    for (size_t i = 0; i < about.ranks; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(m->recording, i);
        unended += !rank.missing && rank.end != CLUMP_RECORDING_FINALIZED;
    }
    if (about.missing > 0)
        note(
            m,
            "Nothing was recorded of %zu of %zu ranks. What they compute and whom they wait for is "
            "not in these figures: record the program again, or find the files that are missing.",
            about.missing, about.ranks);
    if (unended > 0)
        note(
            m,
            "%zu of %zu ranks did not end properly (killed, aborted or without MPI_Finalize): what "
            "they did last may be missing.",
            unended, about.ranks);
    if (r->cut && !(m->options.share > 0) && r->until < about.seconds)
        note(
            m,
            "Not all traces go to the end of the program: its calls are those of the first %.6g s.",
            r->until);
    if (about.nodes == 1 && about.ranks > 1)
        note(m, "All ranks were on one node: of the network it knows nothing, which is all the "
                "platform's.");
    if (r->any > 0)
        note(m,
             "%llu receives were for messages of anybody: tasks of a master go to whoever comes "
             "first, all others "
             "come in the order of the recording, which was timing.",
             (unsigned long long)r->any);
    if (r->fetched > 0)
        note(m,
             "%llu operations fetched what others had put into windows: what the program made of "
             "that is "
             "played as recorded, and was timing.",
             (unsigned long long)r->fetched);
    if (r->tested > 0)
        note(m,
             "Tests found %llu messages complete, which depends on the machine: they are waited "
             "for where the "
             "next call is that is no test.",
             (unsigned long long)r->tested);
    if (r->unknown > 0)
        note(m,
             "%llu collective calls are left out: the recording does not tell who takes part in "
             "them.",
             (unsigned long long)r->unknown);
    if (m->archive != NULL)
        note(m, "The archive has no processor time: ranks compute whenever they are not in MPI. "
                "Bytes of collectives are as Score-P counts them; of operations in place they may "
                "be off by one part of as many as there are ranks.");
    else if (m->options.gaps == CLUMP_GAPS_PROCESSOR && r->processor < busy * r->gaps)
        note(m,
             "%.0f%% of the time outside MPI was processor time, which is what counts as "
             "computation: the rest was sleep, files, or other ranks on the same processors.",
             100 * r->processor / r->gaps);
}

/* ---- the run */

static clump_recording_status describe(maker *m, clump_recorded_run **run)
{
    const clump_recording_about about = clump_recording_describe(m->recording);
    clump_recorded_run made = {.origin = m->texts.origin,
                               .program = m->texts.program,
                               .command = m->texts.command,
                               .library = m->texts.library,
                               .started = m->texts.started,
                               .sha256 = m->choices->digest ? m->sha256 : NULL,
                               .notes = m->noted > 0 ? m->notes : NULL,
                               .ranks = (int64_t)about.ranks,
                               .nodes = (int64_t)about.nodes,
                               .mpi_calls = (int64_t)about.calls,
                               .seconds = m->report.seconds,
                               .run = run_seconds(m),
                               .calls = m->calls};
    for (size_t i = 0; i < about.ranks; i++) {
        const clump_recording_rank rank = clump_recording_rank_of(m->recording, i);
        if (!rank.missing)
            made.wall = fmax(made.wall, rank.account->end - rank.account->begin);
    }
    *run = clump_recorded_run_copy(&made);
    if (*run == NULL)
        snprintf(m->message, CLUMP_RECORDING_TEXT, "out of memory");
    return *run != NULL ? CLUMP_RECORDING_OK : CLUMP_RECORDING_NO_MEMORY;
}

clump_recording_status clump_run_read(const char *folder, const char *archive,
                                      const clump_run_choices *choices, clump_recorded_run **run,
                                      char message[CLUMP_RECORDING_TEXT])
{
    maker *m = calloc(1, sizeof *m);
    *run = NULL;
    message[0] = '\0';
    if (m == NULL) {
        snprintf(message, CLUMP_RECORDING_TEXT, "out of memory");
        return CLUMP_RECORDING_NO_MEMORY;
    }
    *m = (maker){.archive = archive, .choices = choices, .message = message};
    clump_recording_status status = clump_recording_open(folder, &m->recording);
    if (status != CLUMP_RECORDING_OK)
        snprintf(message, CLUMP_RECORDING_TEXT, "%s",
                 m->recording != NULL ? clump_recording_message(m->recording) : "out of memory");
    else
        status = read_calls(m);
    if (status == CLUMP_RECORDING_OK && m->report.cut && !choices->whole)
        status = refuse_remnant(m);
    if (status == CLUMP_RECORDING_OK && choices->digest)
        status = archive != NULL ? run_files_of_archive(archive, m->sha256, message)
                                 : run_files_of_folder(m->recording, m->sha256, message);
    if (status == CLUMP_RECORDING_OK) {
        run_texts_make(m->recording, archive, &m->texts);
        note_all(m);
        status = describe(m, run);
    }
    clump_recording_close(m->recording);
    free(m->calls);
    free(m);
    return status;
}
