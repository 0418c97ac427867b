/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/result_show.h"

#include "cli/output/errors.h"

#include <string.h>

static int read_html(command_line *line, const option_entry *option, const char *text, void *field)
{
    show_options *show = field;
    show->plot.command = line->command;
    show->html = text;
    if (*text == '\0' || strcmp(text, "-") == 0)
        return option_wrong(line, option->name, text, "the name of a file, such as page.html");
    return option_check_output(line, option, text);
}

const option_entry result_show_options[] = {
    PLOT_FILE_ENTRY(show_options, plot),
    {.name = "plot-kind",
     .argument = "lines|heat",
     .help = "slowdown over the quantity with most values (default), or a\n"
             "map of it over two quantities",
     .type = OPTION_CHOICE,
     OPTION_FIELD(show_options, kind)},
    PLOT_SCRIPT_ENTRY(show_options, plot),
    {.name = "html",
     .argument = "FILE",
     .help = "write a page that holds inputs, results, pictures and sliders,\n"
             "and needs no network",
     .type = OPTION_CUSTOM,
     .size = sizeof(show_options),
     .read = read_html},
    {0},
};

int show_check(const command_line *line)
{
    static const char *const beside[] = {"plot", "plot-script", "html"};
    bool found = !option_is_given(line, "plot-kind");
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        found = found || option_is_given(line, beside[i]);
    return found ? EXIT_DONE
                 : error_usage(line->command,
                               "--plot-kind: found no --plot or --html beside it, expected one");
}

/* Pictures of the command's own, then those of the results. */
static int draw(const show_options *show, output_format format, const result_page *page)
{
    enum { MOST = PLOT_MOST_PICTURES };
    plot_picture all[2 * MOST];
    result_plots plots;
    size_t count = 0;
    int status = result_plots_make(show->plot.command, page->results, page->bands, page->count,
                                   show->kind, &plots);
    if (status != EXIT_DONE)
        return status;
    for (size_t i = 0; i < page->plot_count && count < MOST; i++)
        all[count++] = page->plots[i];
    for (size_t i = 0; i < plots.count && count < 2 * MOST; i++)
        all[count++] = plots.plots[i];
    status = plot_request_draw(&show->plot, all, count, format);
    result_plots_free(&plots);
    return status;
}

int show_results(const show_options *show, output_format format, result_page page)
{
    int status = EXIT_DONE;
    page.command = show->plot.command;
    page.path = show->html;
    page.kind = show->kind;
    if (plot_request_is_made(&show->plot))
        status = draw(show, format, &page);
    if (page.path != NULL) { /* without gnuplot there is no picture, but a page */
        const int written = result_page_write(&page);
        status = status != EXIT_DONE ? status : written;
    }
    return status;
}
