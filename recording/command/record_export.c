/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `clumpmodel record --export`: recordings for other programs. */
#include "recording/command/record_export.h"

#include "cli/output/errors.h"
#include "cli/output/standard_output.h"
#include "model/simulation/schedule_builder.h"
#include "recording/command/recording_read.h"
#include "recording/trace_export.h"

#include <stdio.h>
#include <stdlib.h>

static bool write_text(void *context, const char *text, size_t size)
{
    return fwrite(text, 1, size, context) == size;
}

static int export_goal(const command_invocation *invocation, const char *folder,
                       const recorded_choices *choices)
{
    const char *command = invocation->arguments.command;
    recorded_schedules all;
    const int status = recorded_schedules_open(command, folder, choices, &all);
    if (status == EXIT_DONE) {
        if (!invocation->quiet)
            recorded_schedules_tell(command, folder, &all);
        clump_schedule_write(all.now->schedule, write_text, stdout);
    }
    recorded_schedules_close(&all);
    return status;
}

static void tell_of_parts(const command_invocation *invocation, const char *folder,
                          const clump_recording *recording)
{
    const clump_recording_about about = clump_recording_describe(recording);
    if (!invocation->quiet && (!about.traced_all || about.missing > 0))
        note_print(invocation->arguments.command,
                   "%s: not all calls are in the traces; what is there is exported", folder);
}

static int export_perfetto(const command_invocation *invocation, const char *folder)
{
    const char *command = invocation->arguments.command;
    clump_recording *recording = NULL;
    int status = recording_open_folder(command, folder, &recording);
    if (status == EXIT_DONE) {
        tell_of_parts(invocation, folder, recording);
        const clump_recording_status written =
            clump_trace_export_perfetto(recording, write_text, stdout);
        if (!ferror(stdout)) /* what is written to says why itself */
            status = recording_told(command, recording, written);
    }
    clump_recording_close(recording);
    return status;
}

int record_export(const command_invocation *invocation, int format, const char *folder,
                  const char *output, const recorded_choices *choices)
{
    output_redirection redirection;
    int status = standard_output_redirect(invocation->arguments.command, output, &redirection);
    if (status != EXIT_DONE)
        return status;
    status = format == RECORD_EXPORT_GOAL ? export_goal(invocation, folder, choices)
                                          : export_perfetto(invocation, folder);
    return standard_output_return(&redirection, status);
}
