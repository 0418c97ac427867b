/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SCHEDULE_FILE_H
#define SCHEDULE_FILE_H

#include "model/simulation/schedule.h"

/**
 * Read a file with a schedule in GOAL.
 *
 * @param schedule  to be freed; set only on success
 * @return exit code; complains itself, with file and line
 */
int schedule_read(const char *command, const char *path, clump_schedule **schedule);

#endif
