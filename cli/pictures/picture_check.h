/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLUMP_CLI_PICTURES_PICTURE_CHECK_H
#define CLUMP_CLI_PICTURES_PICTURE_CHECK_H

/*
 * Whether a picture that another program drew is whole. gnuplot reports success also when not a byte
 * of its picture could be written.
 */

#include "cli/pictures/plot_script.h"

#include <stdbool.h>

/** It begins and ends as a file of its kind: SVG with </svg>, PDF with %%EOF, and of PNG all pieces
 *  up to the last, IEND. A hole in the middle of an SVG or PDF is not found. */
bool picture_is_whole(plot_kind kind, const char *bytes, size_t size);

#endif
