/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/recording/played_recording.h"

#include "recording/stretch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void give_up(played_recording *p, const char *why)
{
    if (why != p->why)
        snprintf(p->why, sizeof p->why, "%s", why);
    p->play.processors = 0;
}

static bool read_recording(clump_recording *recording, const clump_recorded *program,
                           size_t processors, uint64_t most, played_recording *p)
{
    clump_recorded_schedule_options options = {
        .gaps = CLUMP_GAPS_PROCESSOR,
        .library = clump_mpi_library_of(clump_recording_describe(recording).library),
        .order = program->options.order,
        .most_operations = most};
    bool whole;
    if (clump_recorded_stretch(recording, &options, &p->now, &p->report, &whole, p->why) !=
        CLUMP_RECORDING_OK)
        return false;
    p->shortened = !whole;
    p->on_nodes = p->now;
    if (options.library == CLUMP_MPI_MPICH && processors > 1) { /* which looks at nodes */
        clump_recorded_schedule_report now;
        options.processors = processors;
        options.most_operations = 0;
        p->on_nodes = NULL;
        if (clump_recorded_schedule(recording, &options, &p->on_nodes, &now, p->why) !=
            CLUMP_RECORDING_OK)
            return false;
    }
    p->operations = (double)clump_schedule_operations(p->now);
    if (clump_recorded_stretch_is_remnant(p->now, &p->report)) {
        snprintf(p->why, sizeof p->why,
                 "%.4g of %.4g operations wait for what is not in the recording",
                 (double)(p->report.waiting + p->report.unreceived),
                 p->operations + (double)(p->report.waiting + p->report.unreceived));
        return false;
    }
    p->run_s = clump_recorded_stretch_run(recording, &p->report);
    return true;
}

void played_recording_open(const char *folder, const clump_recorded *program, size_t processors,
                           uint64_t most, const clump_watch *watch, played_recording *p)
{
    clump_recording *recording = NULL;
    clump_error error = {CLUMP_OK, ""};
    *p = (played_recording){.play = {.program = program}};
    if (clump_recording_open(folder, &recording) != CLUMP_RECORDING_OK)
        give_up(p, recording != NULL ? clump_recording_message(recording) : "out of memory");
    else if (!read_recording(recording, program, processors, most, p))
        give_up(p, p->why[0] != '\0' ? p->why : "out of memory");
    else {
        p->play.now = p->now;
        p->play.on_nodes = p->on_nodes;
        p->play.processors = processors;
        if (clump_recorded_play_begin(&p->play, watch, &error) != CLUMP_OK)
            give_up(p, error.message);
    }
    clump_recording_close(recording);
}

void played_recording_of_facts(const clump_recorded *program, size_t processors,
                               played_recording *p)
{
    clump_error error = {CLUMP_OK, ""};
    *p = (played_recording){.play = {.program = program}};
    if (clump_recorded_calls_schedule(program, &p->now, &error) != CLUMP_OK) {
        give_up(p, error.message);
        return;
    }
    p->on_nodes = p->now;
    p->play = (clump_recorded_play){.now = p->now,
                                    .on_nodes = p->now,
                                    .processors = processors,
                                    .program = program,
                                    .now_us = program->calls_now_us};
    p->operations = (double)clump_schedule_operations(p->now);
    p->report.seconds = program->facts->stretches[0].seconds;
    p->run_s = program->facts->stretches[0].run;
    p->shortened = true;
}

void played_recording_close(played_recording *p)
{
    if (p->on_nodes != p->now)
        clump_schedule_free(p->on_nodes);
    clump_schedule_free(p->now);
    *p = (played_recording){.now = NULL};
}

double played_recording_share(const played_recording *p)
{
    return p->run_s > 0 ? fmin(p->report.seconds / p->run_s, 1) : 1;
}
