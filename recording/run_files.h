/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_RUN_FILES_H
#define CLUMP_RECORDING_RUN_FILES_H

/*
 * Internal to recording/. By which files a run is known again: one SHA-256 of their digests and names, as sha256sum prints them. Reads
 * all of them. A failure leaves its message.
 */

#include "data/sha256.h"
#include "recording/recording.h"

clump_recording_status run_files_of_folder(const clump_recording *recording,
                                           char sha256[CLUMP_SHA256_TEXT],
                                           char message[CLUMP_RECORDING_TEXT]);

/** @param archive  NAME.otf2; with NAME.def and the files in NAME */
clump_recording_status run_files_of_archive(const char *archive, char sha256[CLUMP_SHA256_TEXT],
                                            char message[CLUMP_RECORDING_TEXT]);

#endif
