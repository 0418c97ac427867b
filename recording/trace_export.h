/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_TRACE_EXPORT_H
#define CLUMP_RECORDING_TRACE_EXPORT_H

/* A recording for programs that show timelines. */

#include "recording/recording.h"

#include <stdbool.h>
#include <stddef.h>

/** @return whether to go on */
typedef bool clump_trace_writer(void *context, const char *text, size_t size);

/**
 * The trace event format of Chrome, which Perfetto and chrome://tracing read ("Trace Event Format", Google): JSON with a process for each
 * node, a track for each rank (and for each further thread of one), a slice for each call and a flow for each message, from the call
 * that sent it to the one that received it, or completed its receive. Times are microseconds.
 *
 * Reads the traces twice (three times if there are several nodes). Memory: what is open while calls are matched (matching.h).
 * @return CLUMP_RECORDING_FAILED also if the writer stopped it; clump_recording_message says the rest
 */
clump_recording_status clump_trace_export_perfetto(clump_recording *recording,
                                                   clump_trace_writer *writer, void *context);

#endif
