/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/companion.h"

#include "cli/companion_files.h"
#include "cli/output/errors.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static char **line;

void companion_take_line(char **words)
{
    line = words;
}

int companion_become(const command_entry *command)
{
    char path[PATH_MAX];
    if (companion_find(command->companion, path))
        execv(path, line);
    return error_failed(command->name, "it is a command of %s, which cannot be started (%s): %s",
                        command->companion, path, strerror(errno));
}
