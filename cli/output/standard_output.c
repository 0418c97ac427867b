/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/standard_output.h"

#include "cli/output/errors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Everything printed has arrived: NULL, else why not. */
static const char *flush(void)
{
    const int reason = file_flush(stdout);
    return reason != 0 ? strerror(reason) : NULL;
}

int standard_output_redirect(const char *command, const char *path, output_redirection *redirection)
{
    output_redirection *r = redirection;
    *r = (output_redirection){.active = false};
    if (path == NULL || strcmp(path, "-") == 0)
        return EXIT_DONE;
    const char *lost = flush(); /* nothing is printed before a command begins */
    if (lost != NULL)
        return error_failed(command, "cannot write the results: %s", lost);
    const int status = file_begin(command, path, &r->file);
    if (status != EXIT_DONE)
        return status;
    r->before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (r->before < 0 || dup2(fileno(r->file.file), STDOUT_FILENO) < 0) {
        const int reason = errno;
        if (r->before >= 0)
            close(r->before);
        file_abandon(&r->file);
        return error_failed(command, "cannot write '%.200s': %s", path, strerror(reason));
    }
    r->active = true;
    return EXIT_DONE;
}

/* Whether the command has printed something, as far as one can tell: a pipe does not. */
static bool something_printed(void)
{
    struct stat file;
    return fstat(STDOUT_FILENO, &file) == 0 && (!S_ISREG(file.st_mode) || file.st_size > 0);
}

int standard_output_return(output_redirection *redirection, int status)
{
    output_redirection *r = redirection;
    if (!r->active)
        return status;
    r->active = false;
    const char *lost = flush();
    const bool worth = status == EXIT_DONE || (status != EXIT_INPUT && something_printed());
    if (dup2(r->before, STDOUT_FILENO) < 0 && lost == NULL)
        lost = strerror(errno);
    close(r->before);
    clearerr(stdout);
    if (worth && lost == NULL) {
        const int written = file_commit(&r->file);
        return status == EXIT_DONE ? written : status;
    }
    const char *command = r->file.command, *path = r->file.path;
    file_abandon(&r->file);
    return lost != NULL && status == EXIT_DONE
               ? error_failed(command, "cannot write '%.200s': %s", path, lost)
               : status;
}

int standard_output_close(int status)
{
    const char *lost = flush();
    if (lost != NULL && status == EXIT_DONE)
        status = error_failed(NULL, "cannot write the results: %s", lost);
    errno = 0;
    if (fclose(stdout) != 0 && status == EXIT_DONE)
        status = error_failed(NULL, "cannot write the results: %s", strerror(errno));
    return status;
}
