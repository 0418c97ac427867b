/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/plot_options.h"

#include "cli/errors.h"
#include "cli/file_output.h"
#include "cli/plot_gnuplot.h"
#include "cli/plot_terminal.h"

#include <string.h>

static bool find_kind(const char *name, clump_cli_plot_kind *kind)
{
    static const struct {
        const char *ending;
        clump_cli_plot_kind kind;
    } kinds[] = {
        {".svg", CLUMP_CLI_PLOT_SVG}, {".png", CLUMP_CLI_PLOT_PNG}, {".pdf", CLUMP_CLI_PLOT_PDF}};
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
    clump_cli_file output;
    if (path == NULL || strcmp(path, "-") == 0)
        return CLUMP_CLI_DONE;
    const int status = clump_cli_file_begin(command, path, &output);
    if (status == CLUMP_CLI_DONE)
        clump_cli_file_abandon(&output);
    return status;
}

int clump_cli_plot_request_read(const clump_cli_arguments *arguments, size_t plot_option,
                                size_t script_option, clump_cli_plot_request *request)
{
    clump_cli_plot_kind kind;
    *request = (clump_cli_plot_request){.command = arguments->command,
                                        .file = clump_cli_option_value(arguments, plot_option),
                                        .script = clump_cli_option_value(arguments, script_option)};
    if (request->file != NULL && strcmp(request->file, "-") != 0 &&
        !find_kind(request->file, &kind))
        return clump_cli_option_refuse(arguments, plot_option, request->file,
                                       "a name that ends in .svg, .png or .pdf, or '-' for the "
                                       "terminal");
    if (request->script != NULL && (*request->script == '\0' || strcmp(request->script, "-") == 0))
        return clump_cli_option_refuse(arguments, script_option, request->script,
                                       "the name of a file, such as figure.gp");
    const int status = clump_cli_option_own_file(arguments, plot_option);
    return status != CLUMP_CLI_DONE ? status : clump_cli_option_own_file(arguments, script_option);
}

int clump_cli_plot_request_try(const clump_cli_plot_request *request)
{
    const int status = try_file(request->command, request->file);
    return status != CLUMP_CLI_DONE ? status : try_file(request->command, request->script);
}

bool clump_cli_plot_request_is_made(const clump_cli_plot_request *request)
{
    return request->file != NULL || request->script != NULL;
}

static int write_script(const clump_cli_plot_request *request, const clump_cli_plot *plots,
                        size_t count, clump_cli_plot_kind kind)
{
    clump_cli_file output;
    const int status = clump_cli_file_begin(request->command, request->script, &output);
    if (status != CLUMP_CLI_DONE)
        return status;
    clump_cli_plot_script_print(plots, count, kind, output.file);
    return clump_cli_file_commit(&output);
}

static int draw_file(const clump_cli_plot_request *request, const clump_cli_plot *plots,
                     size_t count, clump_cli_plot_kind kind)
{
    clump_cli_file output;
    int status = clump_cli_file_begin(request->command, request->file, &output);
    if (status != CLUMP_CLI_DONE)
        return status;
    status = clump_cli_plot_gnuplot_run(request->command, plots, count, kind, fileno(output.file));
    if (status == CLUMP_CLI_DONE)
        return clump_cli_file_commit(&output);
    clump_cli_file_abandon(&output);
    return status;
}

int clump_cli_plot_request_draw(const clump_cli_plot_request *request, const clump_cli_plot *plots,
                                size_t count, clump_cli_format format)
{
    clump_cli_plot_kind kind = CLUMP_CLI_PLOT_SVG;
    int status = CLUMP_CLI_DONE;
    if (count > CLUMP_CLI_PLOT_MOST_PICTURES)
        return clump_cli_error_input(request->command,
                                     "no picture: found %zu of them, expected %d at most; ask for "
                                     "fewer scenarios at a time",
                                     count, (int)CLUMP_CLI_PLOT_MOST_PICTURES);
    const bool in_file = request->file != NULL && find_kind(request->file, &kind);
    if (request->script != NULL)
        status = write_script(request, plots, count, kind);
    if (status == CLUMP_CLI_DONE && in_file)
        status = draw_file(request, plots, count, kind);
    if (status == CLUMP_CLI_DONE && request->file != NULL && !in_file)
        status = clump_cli_plot_terminal_print(request->command, plots, count,
                                               format == CLUMP_CLI_TABLE ? stdout : stderr);
    return status;
}
