/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/plot_options.h"

#include "cli/output/errors.h"
#include "cli/output/file_output.h"
#include "cli/pictures/plot_script.h"
#include "data/file.h"
#include "data/owned.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- gnuplot as a child process, without a shell and without its user's settings */

/* Script and messages are files, not pipes: nothing can fill up while both sides wait. */
typedef struct child {
    FILE *script, *messages;
} child;

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

static int run(const char *command, const child *c, int descriptor)
{
    char message[256] = "it says nothing";
    static const char *const words[] = {"gnuplot", "-d", NULL};
    const clump_child_plan plan = {.words = words,
                                   .streams = {fileno(c->script), descriptor, fileno(c->messages)},
                                   .signal = SIGKILL};
    pid_t gnuplot;
    const int failed = clump_child_start(&plan, &gnuplot);
    if (failed == ENOENT)
        return error_failed(
            command, "no picture: found no gnuplot; install it (sudo apt-get install gnuplot-nox), "
                     "or write a script, --plot FILE.gp, for another machine");
    if (failed != 0)
        return error_failed(command, "no picture: cannot start gnuplot: %s", strerror(failed));
    const int status = clump_child_wait(gnuplot);
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return EXIT_DONE;
    if (status != -1 && WIFSIGNALED(status))
        snprintf(message, sizeof message, "killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    read_message(c->messages, message, sizeof message);
    return error_failed(command, "no picture: gnuplot failed: %s", message);
}

/* Draw the pictures into a file that is open for writing; complains itself, also when gnuplot is not
 * installed. */
static int run_gnuplot(const char *command, const plot_picture *plots, size_t count, plot_kind kind,
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

/* ---- options */

static bool find_kind(const char *name, plot_kind *kind)
{
    static const struct {
        const char *ending;
        plot_kind kind;
    } kinds[] = {{".svg", PLOT_SVG}, {".png", PLOT_PNG}, {".pdf", PLOT_PDF}};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (length > 4 && strcmp(name + length - 4, kinds[i].ending) == 0) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

static int try_file(const char *command, const char *path)
{
    return path == NULL ? EXIT_DONE : file_try(command, path);
}

int plot_read_file(command_line *line, const option_entry *option, const char *text, void *request)
{
    const size_t length = strlen(text);
    const bool script = length > 3 && strcmp(text + length - 3, ".gp") == 0;
    plot_request *r = request;
    const char **file = script ? &r->script : &r->file;
    plot_kind kind;
    if (!script && !find_kind(text, &kind))
        return option_wrong(line, option->name, text,
                            "a name that ends in .svg, .png, .pdf or .gp");
    if (*file != NULL)
        return option_wrong(line, option->name, text, "one picture and one script at most");
    r->command = line->command;
    *file = text;
    return option_check_output(line, option, text);
}

typedef struct plot_settings {
    plot_request plot;
} plot_settings;

const option_entry plot_options[] = {
    PLOT_FILE_ENTRY(plot_settings, plot),
    {0},
};

int plot_request_try(const plot_request *request)
{
    const int status = try_file(request->command, request->file);
    return status != EXIT_DONE ? status : try_file(request->command, request->script);
}

bool plot_request_is_made(const plot_request *request)
{
    return request->file != NULL || request->script != NULL;
}

static int write_script(const plot_request *request, const plot_picture *plots, size_t count,
                        plot_kind kind)
{
    output_file output;
    const int status = file_begin(request->command, request->script, &output);
    if (status != EXIT_DONE)
        return status;
    plot_script_print(plots, count, kind, output.file);
    return file_commit(&output);
}

/* gnuplot reports success also when not a byte of its picture could be written: how files of a kind end. */
static bool is_whole(plot_kind kind, const char *bytes, size_t size)
{
    static const char *const marks[] = {"</svg>", "IEND", "%%EOF"};
    const size_t length = strlen(marks[kind]), most = 10; /* a checksum, ends of lines */
    for (size_t at = 0; at <= most && at + length <= size; at++)
        if (memcmp(bytes + size - length - at, marks[kind], length) == 0)
            return true;
    return false;
}

/* What gnuplot drew into its own file, if it is a whole picture, into the user's. */
static int copy_picture(const plot_request *request, plot_kind kind, FILE *drawn)
{
    static const char *const names[] = {"SVG", "PNG", "PDF"};
    const size_t most = (size_t)1 << 30;
    output_file output;
    char *bytes;
    size_t size;
    rewind(drawn);
    if (clump_file_read_stream(drawn, most, &bytes, &size) != CLUMP_FILE_OK)
        return error_failed(request->command, "no picture: cannot read what gnuplot drew: %s",
                            strerror(errno));
    int status = EXIT_DONE;
    if (!is_whole(kind, bytes, size))
        status = error_failed(request->command,
                              "no picture: gnuplot reports success, but left %zu bytes that are "
                              "no whole %s file; is there room for temporary files?",
                              size, names[kind]);
    if (status == EXIT_DONE)
        status = file_begin(request->command, request->file, &output);
    if (status == EXIT_DONE) {
        fwrite(bytes, 1, size, output.file);
        status = file_commit(&output);
    }
    free(bytes);
    return status;
}

static int draw_file(const plot_request *request, const plot_picture *plots, size_t count,
                     plot_kind kind)
{
    int status = file_try(request->command, request->file);
    if (status != EXIT_DONE)
        return status;
    FILE *drawn = tmpfile();
    if (drawn == NULL)
        return error_failed(request->command, "no picture: temporary file: %s", strerror(errno));
    status = run_gnuplot(request->command, plots, count, kind, fileno(drawn));
    if (status == EXIT_DONE)
        status = copy_picture(request, kind, drawn);
    fclose(drawn);
    return status;
}

int plot_request_draw(const plot_request *request, const plot_picture *plots, size_t count)
{
    plot_kind kind = PLOT_SVG;
    int status = EXIT_DONE;
    if (count > PLOT_MOST_PICTURES)
        return error_input(request->command,
                           "no picture: found %zu of them, expected %d at most; ask for "
                           "fewer scenarios at a time",
                           count, (int)PLOT_MOST_PICTURES);
    if (request->file != NULL)
        find_kind(request->file, &kind);
    if (request->script != NULL)
        status = write_script(request, plots, count, kind);
    if (status == EXIT_DONE && request->file != NULL)
        status = draw_file(request, plots, count, kind);
    return status;
}
