/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_COMPANION_FILES_H
#define CLUMP_CLI_COMPANION_FILES_H

/* What is built and installed with this program: libraries that are preloaded, helpers that are run. */

#include <limits.h>
#include <stdbool.h>

/** Where `name` lies: beside this program if it has not been installed, else below its ../lib or where all was
 *  installed. false: nowhere; `path` is then where it would be installed. */
bool companion_find(const char *name, char path[PATH_MAX]);

/** The program that a shell would run for a word: the word itself if it has a slash, else found in PATH. false: none
 *  that can be run. */
bool program_find(const char *word, char path[PATH_MAX]);

#endif
