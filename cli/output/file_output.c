/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/file_output.h"

#include "cli/output/errors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".XXXXXX";

static int refuse(const char *command, const char *path, int reason)
{
    return error_input(command, "cannot write '%.200s': %s", path, strerror(reason));
}

/* As the shell would make it: mkstemp lets nobody else read it. */
static void set_mode(int descriptor)
{
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
}

int file_begin(const char *command, const char *path, output_file *output)
{
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
        return error_input(command, "cannot write '%.200s': found %s, expected a file", path,
                           S_ISDIR(found.st_mode) ? "a directory" : "a device");
    char *temporary = malloc(strlen(path) + sizeof ending);
    if (temporary == NULL)
        return error_memory(command);
    strcat(strcpy(temporary, path), ending);
    const int descriptor = mkstemp(temporary);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (file == NULL) {
        const int reason = errno;
        if (descriptor >= 0) {
            close(descriptor);
            unlink(temporary);
        }
        free(temporary);
        return reason == ENOMEM ? error_memory(command) : refuse(command, path, reason);
    }
    set_mode(descriptor);
    *output = (output_file){command, path, file, temporary};
    return EXIT_DONE;
}

int file_commit(output_file *output)
{
    const int before = ferror(output->file);
    errno = 0;
    int failed = fclose(output->file) != 0 || before;
    if (!failed)
        failed = rename(output->temporary, output->path) != 0;
    const int reason = errno != 0 ? errno : EIO;
    if (failed)
        unlink(output->temporary);
    free(output->temporary);
    return failed ? error_failed(output->command, "cannot write '%.200s': %s", output->path,
                                 strerror(reason))
                  : EXIT_DONE;
}

void file_abandon(output_file *output)
{
    fclose(output->file);
    unlink(output->temporary);
    free(output->temporary);
}
