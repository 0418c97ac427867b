/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/file_output.h"

#include "cli/errors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".XXXXXX";

static int refuse(const char *command, const char *path, int reason)
{
    return clump_cli_error_input(command, "cannot write '%.200s': %s", path, strerror(reason));
}

/* As the shell would make it: mkstemp lets nobody else read it. */
static void set_mode(int descriptor)
{
    const mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(descriptor, 0666 & ~mask);
}

int clump_cli_file_begin(const char *command, const char *path, clump_cli_file *output)
{
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return clump_cli_error_input(command, "cannot write '%.200s': found %s, expected a file",
                                     path, S_ISDIR(found.st_mode) ? "a directory" : "a device");
    char *temporary = malloc(strlen(path) + sizeof ending);
    if (temporary == NULL)
        return clump_cli_error_memory(command);
    (void)strcat(strcpy(temporary, path), ending);
    const int descriptor = mkstemp(temporary);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file == NULL) {
        const int reason = errno;
        if (descriptor >= 0) {
            (void)close(descriptor);
            (void)unlink(temporary);
        }
        free(temporary);
        return reason == ENOMEM ? clump_cli_error_memory(command) : refuse(command, path, reason);
    }
    set_mode(descriptor);
    *output = (clump_cli_file){command, path, file, temporary};
    return CLUMP_CLI_DONE;
}

int clump_cli_file_commit(clump_cli_file *output)
{
    const int before = ferror(output->file);
    errno = 0;
    int failed = fclose(output->file) != 0 || before;
    if (!failed)
        failed = rename(output->temporary, output->path) != 0;
    const int reason = errno != 0 ? errno : EIO;
    if (failed)
        (void)unlink(output->temporary);
    free(output->temporary);
    return failed ? clump_cli_error_failed(output->command, "cannot write '%.200s': %s",
                                           output->path, strerror(reason))
                  : CLUMP_CLI_DONE;
}

void clump_cli_file_abandon(clump_cli_file *output)
{
    (void)fclose(output->file);
    (void)unlink(output->temporary);
    free(output->temporary);
}
