/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLATFORM_NAME_H
#define PLATFORM_NAME_H

/**
 * Whether --platform may have this name (NULL: it was not given). Samples of this machine must not
 * hide those of a machine that ships with the program: then nothing could be compared with them any
 * more. To be asked before hours are spent on measuring. Complains itself; returns the exit code.
 */
int platform_name_check(const char *command, const char *name);

#endif
