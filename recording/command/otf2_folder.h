/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_COMMAND_OTF2_FOLDER_H
#define CLUMP_RECORDING_COMMAND_OTF2_FOLDER_H

#include "recording/ending.h"

/** How the helper program is called (otf2_main.c). */
#define CLUMP_OTF2_HELPER "clumpmodel-otf2"

enum { CLUMP_OTF2_PATH = 4200 };

/**
 * The calls of an OTF2 archive as the folder of a recording. Another process reads it: what is wrong with an archive may end that one.
 *
 * @param helper     path of clumpmodel-otf2
 * @param temporary  folder in which there is room for a recording meanwhile
 * @param archive    the anchor file, NAME.otf2
 * @param folder     receives its path; remove it in any case
 */
clump_recording_status clump_otf2_folder_make(const char *helper, const char *temporary,
                                              const char *archive, char folder[CLUMP_OTF2_PATH],
                                              char message[CLUMP_RECORDING_TEXT]);

/** With its files; "" is allowed. */
void clump_otf2_folder_remove(const char *folder);

#endif
