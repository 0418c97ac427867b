/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_COMMAND_OTF2_FOLDER_H
#define CLUMP_RECORDING_COMMAND_OTF2_FOLDER_H

#include "data/budget.h"
#include "recording/ending.h"

#include <limits.h>

/** How the helper program is called (otf2_main.c). */
#define CLUMP_OTF2_HELPER "clumpmodel-otf2"

/**
 * The calls of an OTF2 archive as the folder of a recording. Another process reads it: what is wrong with an archive may end that one.
 *
 * @param helper     path of clumpmodel-otf2
 * @param temporary  folder in which there is room for a recording meanwhile
 * @param archive    the anchor file, NAME.otf2
 * @param budget     of ranks, and of bytes in `temporary`; memory is what this process may have
 * @param folder     receives its path; clump_temporary_remove() it in any case
 */
clump_recording_status clump_otf2_folder_make(const char *helper, const char *temporary,
                                              const char *archive, const clump_budget *budget,
                                              char folder[PATH_MAX],
                                              char message[CLUMP_RECORDING_TEXT]);

#endif
