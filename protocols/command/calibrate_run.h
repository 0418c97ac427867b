/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_PROTOCOLS_COMMAND_CALIBRATE_RUN_H
#define CLUMP_PROTOCOLS_COMMAND_CALIBRATE_RUN_H

/*
 * What the commands that calibrate have in common: they read what to measure, and show what came of
 * it; the rest is done here.
 */

#include "cli/command.h"
#include "protocols/calibration/calibration.h"

/**
 * Measure with progress until it is done or ^C, tell what was wrong, store what follows, and show
 * it. Set kind, own, platform and plan of the calibration; it is closed here.
 *
 * @param show  prints and draws; returns the exit code
 * @return the exit code
 */
int calibrate(const command_invocation *invocation, clump_calibration *calibration,
              int (*show)(const command_invocation *invocation, clump_calibration *calibration));

/** The last line of a table, behind `before`: what is stored where. */
void calibrate_tell_stored(const clump_calibration *calibration, const char *before);

/* ---- options */

/** --platform, into the field of that name in the settings of a command. */
#define PLATFORM_ENTRY(settings, what)                                                             \
    {                                                                                              \
        .name = "platform", .argument = "NAME", .help = what,                                      \
        OPTION_READ(calibrate_read_platform, settings, platform)                                   \
    }
#define PLATFORM_HELP                                                                              \
    "name for this machine in the database\n"                                                      \
    "(default: from its processors, such as amd-epyc-2)"

/** Refuses a name of the reference data. */
int calibrate_read_platform(command_line *line, const option_entry *option, const char *text,
                            void *field);

/** Complain about --quick with --full; returns the exit code. */
int calibrate_check_effort(const command_line *line, bool quick, bool full);

/** The processors of this machine, 2 to 64 of them. */
unsigned calibrate_processors(void);

/** A list of words with commas: sets a truth value for each of the entry's `values` that is in it. The `read` of
 *  an option whose field is as many truth values. */
int calibrate_read_list(command_line *line, const option_entry *option, const char *text,
                        void *field);

/** What of the three --quick, --full or neither of them asks for. */
static inline unsigned calibrate_choose(bool quick, bool full, unsigned few, unsigned many,
                                        unsigned usual)
{
    return quick ? few : full ? many : usual;
}

#endif
