/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/result_show.h"

#include "cli/errors.h"

#include <string.h>

int clump_cli_show_read(const clump_cli_arguments *arguments, size_t first, clump_cli_show *show)
{
    enum { CLUMP_CLI_SHOW_NAMES };
    const char *kind = clump_cli_option_value(arguments, first + PLOT_KIND);
    *show = (clump_cli_show){.kind = CLUMP_CLI_RESULT_PLOT_LINES,
                             .html = clump_cli_option_value(arguments, first + HTML)};
    int status =
        clump_cli_plot_request_read(arguments, first + PLOT, first + PLOT_SCRIPT, &show->plot);
    if (status != CLUMP_CLI_DONE)
        return status;
    if (show->html != NULL && (*show->html == '\0' || strcmp(show->html, "-") == 0))
        return clump_cli_option_refuse(arguments, first + HTML, show->html,
                                       "the name of a file, such as page.html");
    status = clump_cli_option_own_file(arguments, first + HTML);
    if (status != CLUMP_CLI_DONE || kind == NULL)
        return status;
    if (strcmp(kind, "lines") != 0 && strcmp(kind, "heat") != 0)
        return clump_cli_option_refuse(arguments, first + PLOT_KIND, kind, "lines or heat");
    if (!clump_cli_plot_request_is_made(&show->plot) && show->html == NULL)
        return clump_cli_error_usage(
            arguments->command, "--plot-kind: found no --plot or --html beside it, expected one");
    show->kind = *kind == 'h' ? CLUMP_CLI_RESULT_PLOT_HEAT : CLUMP_CLI_RESULT_PLOT_LINES;
    return CLUMP_CLI_DONE;
}

/* Pictures of the command's own, then those of the results. */
static int draw(const clump_cli_show *show, clump_cli_format format,
                const clump_cli_result_page *page)
{
    enum { MOST = CLUMP_CLI_PLOT_MOST_PICTURES };
    clump_cli_plot all[2 * MOST];
    clump_cli_result_plots plots;
    size_t count = 0;
    int status = clump_cli_result_plots_make(show->plot.command, page->results, page->bands,
                                             page->count, show->kind, &plots);
    if (status != CLUMP_CLI_DONE)
        return status;
    for (size_t i = 0; i < page->plot_count && count < MOST; i++)
        all[count++] = page->plots[i];
    for (size_t i = 0; i < plots.count && count < 2 * MOST; i++)
        all[count++] = plots.plots[i];
    status = clump_cli_plot_request_draw(&show->plot, all, count, format);
    clump_cli_result_plots_free(&plots);
    return status;
}

int clump_cli_show_results(const clump_cli_show *show, clump_cli_format format,
                           clump_cli_result_page page)
{
    int status = CLUMP_CLI_DONE;
    page.command = show->plot.command;
    page.path = show->html;
    page.kind = show->kind;
    if (clump_cli_plot_request_is_made(&show->plot))
        status = draw(show, format, &page);
    if (page.path != NULL) { /* without gnuplot there is no picture, but a page */
        const int written = clump_cli_result_page_write(&page);
        status = status != CLUMP_CLI_DONE ? status : written;
    }
    return status;
}
