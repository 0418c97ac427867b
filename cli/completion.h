/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COMPLETION_H
#define COMPLETION_H

/*
 * What can follow on a command line: the same tables that are parsed and printed as help, the
 * shipped scenarios, and the names in the database. The shells' own parts ask for it and only
 * show it (command_completion.c).
 */

#include <stddef.h>

/**
 * Print what the last of the words can become, a candidate a line: "word<TAB>what it is". The line
 * ":files" stands for names of files, ":files .lua" for those with that ending. Nothing is printed
 * where nothing is known; what goes wrong goes unsaid, since somebody is typing.
 *
 * @param words  those after "clumpmodel"; the last one, perhaps empty, is being typed
 */
void completion_print(const char *const *words, size_t count);

#endif
