/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_RECORDING_OTF2_OTF2_FACTS_H
#define CLUMP_RECORDING_OTF2_OTF2_FACTS_H

#include "recording/facts.h"

/** How the helper program is called (otf2_main.c). */
#define CLUMP_OTF2_HELPER "clumpmodel-otf2"

/**
 * The facts of an OTF2 archive. Another process reads it, and writes its calls as a recording: what is wrong with an archive may end
 * that one.
 *
 * @param helper     path of clumpmodel-otf2
 * @param temporary  folder in which there is room for a recording meanwhile
 * @param archive    the anchor file, NAME.otf2
 * @param digests    also its files with their SHA-256
 */
clump_facts_status clump_facts_of_otf2(const char *helper, const char *temporary,
                                       const char *archive, bool digests, clump_facts **facts,
                                       char message[CLUMP_FACTS_MESSAGE]);

#endif
