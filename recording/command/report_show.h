/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_COMMAND_REPORT_SHOW_H
#define CLUMP_RECORDING_COMMAND_REPORT_SHOW_H

#include "cli/output/output.h"
#include "recording/report.h"

/**
 * One screen for eyes: where the time goes, how ranks of a node meet in MPI, traffic, what cannot be known; all of it as JSON; the times as
 * CSV. @return the exit code
 */
int report_print(const clump_report *report, output_format format);

#endif
