/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_gnuplot.h"

#include "cli/output/errors.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Script and messages are files, not pipes: nothing can fill up while both sides wait. */
typedef struct child {
    FILE *script, *messages;
    pid_t pid;
} child;

static int start(child *c, int descriptor)
{
    char name[] = "gnuplot", defaults[] = "-d";
    char *const arguments[] = {name, defaults, NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed != 0)
        return failed;
    failed = posix_spawn_file_actions_adddup2(&actions, fileno(c->script), STDIN_FILENO);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO);
    if (failed == 0)
        failed = posix_spawn_file_actions_adddup2(&actions, fileno(c->messages), STDERR_FILENO);
    if (failed == 0)
        failed = posix_spawnp(&c->pid, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* How it ended; -1: not known. */
static int wait_for(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) == -1)
        if (errno != EINTR)
            return -1;
    return status;
}

/* What gnuplot complained about: the line after the one that it points into, or the last. */
static void read_message(FILE *messages, char *text, size_t size)
{
    char line[256];
    rewind(messages);
    while (fgets(line, sizeof line, messages) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strspn(line, " \t^") < strlen(line))
            snprintf(text, size, "%s", line + strspn(line, " \t"));
    }
}

static int run(const char *command, child *c, int descriptor)
{
    char message[256] = "it says nothing";
    const int failed = start(c, descriptor);
    if (failed == ENOENT)
        return error_failed(
            command, "no picture: found no gnuplot; install it (sudo apt-get install gnuplot-nox), "
                     "or write --plot-script for another machine");
    if (failed != 0)
        return error_failed(command, "no picture: cannot start gnuplot: %s", strerror(failed));
    const int status = wait_for(c->pid);
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_DONE;
    read_message(c->messages, message, sizeof message);
    return error_failed(command, "no picture: gnuplot failed: %s", message);
}

int plot_gnuplot_run(const char *command, const plot_picture *plots, size_t count, plot_kind kind,
                     int descriptor)
{
    child c = {.script = tmpfile(), .messages = tmpfile()};
    int status = EXIT_DONE;
    if (c.script == NULL || c.messages == NULL) {
        status = error_failed(command, "no picture: temporary file: %s", strerror(errno));
    } else {
        plot_script_print(plots, count, kind, c.script);
        if (fflush(c.script) != 0 || ferror(c.script))
            status = error_failed(command, "no picture: temporary file: %s", strerror(errno));
        rewind(c.script);
    }
    if (status == EXIT_DONE)
        status = run(command, &c, descriptor);
    if (c.script != NULL)
        fclose(c.script);
    if (c.messages != NULL)
        fclose(c.messages);
    return status;
}
