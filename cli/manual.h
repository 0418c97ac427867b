/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_MANUAL_H
#define CLUMP_CLI_MANUAL_H

#include "cli/command.h"

/**
 * What tables know of a manual page, as troff for the macros of man(7): `make` puts it where a page in
 * docs/man has a line with .\"= and such words (`clumpmodel help man WORD...`).
 *
 *   usage [COMMAND]  the synopsis, of all commands without one
 *   options          those of every command
 *   COMMAND          its options
 *   results          keys of the rows of `predict`
 *
 * @return exit code
 */
int manual_print(const command_entry *program, const char *const *words, size_t count);

#endif
