/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/result_show.h"

#include "cli/data/data_records.h"
#include "cli/data/data_samples.h"
#include "cli/output/errors.h"
#include "cli/output/file_output.h"
#include "cli/output/results.h"
#include "cli/pictures/result_answer.h"
#include "clumpmodel.h"
#include "data/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the page */

enum { MOST_TABLES = 60, MOST_NAMES = 30, MOST_SCENARIO = 1 << 20 };

/* A platform or application whose records become inputs. */
typedef struct known {
    record_kind kind;
    const char *name;
    record_list records;
    sample_list samples;
    table_rows rows[2]; /* of the record, and of its samples */
    char *sources;      /* what they cite, on the heap */
    char heading[160];
} known;

typedef struct builder {
    const result_page *request;
    html_page page;
    page_table tables[MOST_TABLES];
    table_rows rows[MOST_TABLES];
    page_table inputs[2 * MOST_NAMES];
    known known[MOST_NAMES];
    size_t known_count;
    page_text texts[3];
    plot_picture plots[PLOT_MOST_PICTURES];
    char *scenario; /* on the heap */
    result_origin origin;
    char *answers[MOST_TABLES];  /* of the scenarios, on the heap */
    char *refusals[MOST_TABLES]; /* why rows could not be predicted, on the heap */
} builder;

/* ---- results */

static void add_tables(builder *b)
{
    const result_page *r = b->request;
    for (size_t i = 0; i < r->table_count && b->page.table_count < MOST_TABLES; i++)
        b->tables[b->page.table_count++] = r->tables[i];
    for (size_t first = 0, length; r->table_count == 0 && first < r->count; first += length) {
        length = result_scenario_length(r->results + first, r->count - first);
        if (b->page.table_count == MOST_TABLES)
            break;
        table_rows *rows = &b->rows[b->page.table_count];
        *rows = result_rows(r->results + first, length);
        const char *title = r->results[first].scenario;
        char *why = result_refusals(r->results + first, sizeof *r->results, length);
        b->refusals[b->page.table_count] = why;
        b->tables[b->page.table_count++] = (page_table){
            .heading = title != NULL ? title : "Predictions",
            .note = why != NULL && *why != '\0' ? why : NULL,
            .rows = rows,
        };
    }
    b->page.tables = b->tables;
}

/* The page's question is that of the first scenario; the others' answers stand at their tables. */
static int answer_scenarios(builder *b)
{
    const result_page *r = b->request;
    size_t answered = 0;
    for (size_t first = 0, length; first < r->count && answered < MOST_TABLES; first += length) {
        length =
            r->chosen ? r->count : result_scenario_length(r->results + first, r->count - first);
        char *answer = result_answer(r->results + first, length, r->chosen);
        if (answer == NULL)
            return error_memory(r->command);
        b->answers[answered] = answer;
        if (answered > 0 && r->table_count == 0)
            b->tables[answered].answer = answer;
        answered++;
    }
    b->page.answer = b->answers[0];
    return EXIT_DONE;
}

static void add_plots(builder *b, const plot_picture *plots, size_t count)
{
    b->page.plots = b->plots;
    for (size_t i = 0; i < count && b->page.plot_count < PLOT_MOST_PICTURES; i++)
        b->plots[b->page.plot_count++] = plots[i];
}

/* ---- where the inputs come from */

static char *cite_sources(const sample_list *samples)
{
    enum { CITATION = 1200 };
    const size_t size = samples->all.source_count * CITATION + 16;
    char *text = malloc(size);
    size_t used = 0;
    if (text == NULL)
        return NULL;
    used += (size_t)snprintf(text, size, "Sources:");
    for (size_t i = 0; i < samples->all.source_count; i++) {
        char citation[CITATION - 100];
        source_cite(samples->all.sources[i], citation, sizeof citation);
        used += (size_t)snprintf(text + used, size - used, " [%zu] %s;", i + 1, citation);
        if (used >= size)
            break;
    }
    return text;
}

static int read_known(builder *b, known *k)
{
    const clump_store_filter filter = {.platform = k->kind == RECORD_PLATFORM ? k->name : NULL,
                                       .application =
                                           k->kind == RECORD_APPLICATION ? k->name : NULL};
    clump_store *store = b->request->store;
    clump_store_status status = sample_list_read(store, &filter, &k->samples);
    if (status != CLUMP_STORE_OK)
        return error_store(b->request->command, store, status);
    k->rows[0] = record_rows(&k->records);
    k->rows[1] = sample_rows(&k->samples);
    b->inputs[b->page.input_count++] = (page_table){.heading = k->name, .rows = &k->rows[0]};
    if (k->samples.count == 0)
        return EXIT_DONE;
    k->sources = cite_sources(&k->samples);
    if (k->sources == NULL)
        return error_memory(b->request->command);
    snprintf(k->heading, sizeof k->heading, "%.100s: %zu samples with their sources", k->name,
             k->samples.count);
    b->inputs[b->page.input_count++] = (page_table){
        .heading = k->heading, .rows = &k->rows[1], .note = k->sources, .folded = true};
    return EXIT_DONE;
}

/* A name of a result, once, if the database has it: others are those of the scenario. */
static int add_known(builder *b, record_kind kind, const char *name)
{
    if (name == NULL || b->known_count == MOST_NAMES)
        return EXIT_DONE;
    for (size_t i = 0; i < b->known_count; i++)
        if (b->known[i].kind == kind && strcmp(b->known[i].name, name) == 0)
            return EXIT_DONE;
    known *k = &b->known[b->known_count];
    *k = (known){.kind = kind, .name = name};
    const clump_store_status status = records_find(b->request->store, kind, name, &k->records);
    if (status == CLUMP_STORE_NOT_FOUND) {
        records_free(&k->records);
        return EXIT_DONE;
    }
    b->known_count++;
    if (status != CLUMP_STORE_OK)
        return error_store(b->request->command, b->request->store, status);
    return read_known(b, k);
}

static int add_inputs(builder *b)
{
    const result_page *r = b->request;
    int status = EXIT_DONE;
    const char *platform = NULL, *application = NULL; /* neighbours mostly have the same */
    b->page.inputs = b->inputs;
    for (size_t i = 0; i < r->count && status == EXIT_DONE; i++) {
        if (r->results[i].platform != platform)
            status = add_known(b, RECORD_PLATFORM, platform = r->results[i].platform);
        if (status == EXIT_DONE && r->results[i].application != application)
            status = add_known(b, RECORD_APPLICATION, application = r->results[i].application);
    }
    return status;
}

/* The scenario as it was run; one that came through standard input is gone. */
static void add_scenario(builder *b)
{
    const char *path = b->request->scenario->path;
    size_t size;
    if (strcmp(path, "-") != 0 &&
        clump_file_read(path, MOST_SCENARIO, &b->scenario, &size) == CLUMP_FILE_OK)
        b->texts[b->page.text_count++] = (page_text){"The scenario", b->scenario};
}

/* A word as a shell reads it, after what is there. */
static size_t quote_word(char *text, const char *word)
{
    size_t used = 0;
    text[used++] = ' ';
    text[used++] = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            used += (size_t)sprintf(text + used, "'\\'"); /* ends, escaped quote, begins */
        text[used++] = *word;
    }
    text[used++] = '\'';
    text[used] = '\0';
    return used;
}

/* Options by their long names. NULL: no memory. */
static char *make_command(const command_line *a)
{
    size_t size = strlen(a->command) + sizeof "clumpmodel ", used = 0;
    for (size_t i = 0; i < a->operand_count; i++)
        size += 4 * strlen(a->operands[i]) + 4;
    for (size_t i = 0; i < a->given_count; i++)
        size += strlen(a->given[i].entry->name) + 4 * strlen(a->given[i].value) + 8;
    char *text = malloc(size);
    if (text == NULL)
        return NULL;
    used += (size_t)snprintf(text, size, "clumpmodel %s", a->command);
    for (size_t i = 0; i < a->operand_count; i++)
        used += quote_word(text + used, a->operands[i]);
    for (size_t i = 0; i < a->given_count; i++) {
        const option_entry *option = a->given[i].entry;
        used += (size_t)snprintf(text + used, size - used, " --%s", option->name);
        if (option_argument(option) != NULL)
            used += quote_word(text + used, a->given[i].value);
    }
    return text;
}

int origin_begin(const char *command, clump_scenario_options *scenario)
{
    scenario->provenance = clump_provenance_new();
    if (scenario->provenance == NULL)
        return error_memory(command);
    clump_provenance_add(scenario->provenance, "program", CLUMPMODEL_VERSION,
                         sizeof CLUMPMODEL_VERSION - 1);
    return EXIT_DONE;
}

int origin_make(const command_line *arguments, const clump_scenario_options *scenario,
                result_origin *origin)
{
    origin->command = make_command(arguments);
    if (origin->command == NULL || !clump_provenance_digest(scenario->provenance, origin->inputs))
        return error_memory(arguments->command);
    const char *other = clump_provenance_conflict(scenario->provenance);
    return other == NULL
               ? EXIT_DONE
               : error_failed(arguments->command,
                              "%s changed while the results were computed: start again", other);
}

size_t origin_fields(const result_origin *origin, output_field fields[ORIGIN_FIELDS])
{
    fields[0] = field_text("version", CLUMPMODEL_VERSION);
    fields[1] = field_text("command", origin->command);
    fields[2] = field_text("inputs", origin->inputs);
    return ORIGIN_FIELDS;
}

static int add_origin(builder *b)
{
    const int status = origin_make(b->request->arguments, b->request->scenario, &b->origin);
    if (status != EXIT_DONE)
        return status;
    b->texts[b->page.text_count++] = (page_text){"The command", b->origin.command};
    return EXIT_DONE;
}

static void builder_free(builder *b)
{
    for (size_t i = 0; i < b->known_count; i++) {
        sample_list_free(&b->known[i].samples);
        records_free(&b->known[i].records);
        free(b->known[i].sources);
    }
    for (size_t i = 0; i < MOST_TABLES; i++) {
        free(b->answers[i]);
        free(b->refusals[i]);
    }
    free(b->scenario);
    free(b->origin.command);
    free(b);
}

static int write_page(builder *b)
{
    output_file output;
    const int status = file_begin(b->request->command, b->request->path, &output);
    if (status != EXIT_DONE)
        return status;
    if (!page_print(&b->page, output.file)) {
        file_abandon(&output);
        return error_memory(b->request->command);
    }
    return file_commit(&output);
}

static int write_result_page(const result_page *request, const result_page *drawn)
{
    result_plots plots = {.plots = NULL};
    builder *b = calloc(1, sizeof *b);
    if (b == NULL)
        return error_memory(request->command);
    b->request = request;
    int status = result_plots_make(drawn->results, drawn->bands, drawn->count, drawn->kind, &plots);
    if (status == EXIT_FAILED)
        error_memory(request->command);
    if (status == EXIT_INPUT) {
        note_print(request->command, "%s", plots.problem);
        plots.count = 0;
        status = EXIT_DONE;
    }
    add_tables(b);
    if (status == EXIT_DONE)
        status = answer_scenarios(b);
    if (status == EXIT_DONE)
        status = add_origin(b);
    add_scenario(b);
    b->texts[b->page.text_count++] =
        (page_text){"Digest of all that it was made from (SHA-256)", b->origin.inputs};
    if (status == EXIT_DONE)
        status = add_inputs(b);
    if (status == EXIT_DONE) {
        b->page.version = CLUMPMODEL_VERSION;
        b->page.title = request->title;
        b->page.results = drawn->results;
        b->page.result_count = drawn->count;
        add_plots(b, request->plots, request->plot_count);
        add_plots(b, plots.plots, plots.count);
        b->page.texts = b->texts;
        status = write_page(b);
    }
    result_plots_free(&plots);
    builder_free(b);
    return status;
}

/* ---- what was asked for */

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
     .help = "slowdown against the quantity with most values (default),\n"
             "or a map of it against two quantities",
     OPTION_AS(CHOICE, show_options, kind)},
    {.name = "html",
     .argument = "FILE",
     .help = "write a web page with inputs, results, pictures and sliders;\n"
             "it needs no network",
     .type = OPTION_CUSTOM,
     .size = sizeof(show_options),
     .read = read_html},
    {0},
};

int show_check(const command_line *line)
{
    static const char *const beside[] = {"plot", "html"};
    bool found = !option_is_given(line, "plot-kind");
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        found = found || option_is_given(line, beside[i]);
    return found ? EXIT_DONE
                 : error_usage(line->command,
                               "--plot-kind: found no --plot or --html beside it, expected one");
}

/* Pictures of the command's own, then those of the results. */
static int draw_pictures(const show_options *show, const result_page *page)
{
    enum { MOST = PLOT_MOST_PICTURES };
    plot_picture all[2 * MOST];
    result_plots plots;
    size_t count = 0;
    int status = result_plots_make(page->results, page->bands, page->count, show->kind, &plots);
    if (status == EXIT_FAILED)
        error_memory(show->plot.command);
    if (status == EXIT_INPUT)
        error_input(show->plot.command, "%s", plots.problem);
    for (size_t i = 0; i < page->plot_count && count < MOST; i++)
        all[count++] = page->plots[i];
    for (size_t i = 0; i < plots.count && count < 2 * MOST; i++)
        all[count++] = plots.plots[i];
    if (status == EXIT_DONE)
        status = plot_request_draw(&show->plot, all, count);
    result_plots_free(&plots);
    return status;
}

/* Put the rows that were predicted in place of all; false: no memory. They are freed. */
static bool choose_predicted(const result_page *page, result_page *drawn, clump_result **rows,
                             result_band **bands)
{
    *drawn = *page;
    *rows = calloc(page->count + 1, sizeof **rows);
    *bands = calloc(page->count + 1, sizeof **bands);
    if (*rows == NULL || *bands == NULL)
        return false;
    drawn->count = 0;
    for (size_t i = 0; i < page->count; i++) {
        if (page->results[i].refused != NULL)
            continue;
        if (page->bands != NULL)
            (*bands)[drawn->count] = page->bands[i];
        clump_result *row = &(*rows)[drawn->count++];
        *row = page->results[i];
        if (row->compared_with == NULL)
            continue;
        row->slowdown = row->ratio; /* pictures show that, over what is known of the other one */
        row->measured_slowdown = row->measured_ratio;
        row->utilization = row->compared_utilization;
        row->cost_ratio = CLUMP_RESULT_NONE;
    }
    drawn->results = *rows;
    drawn->bands = page->bands != NULL ? *bands : NULL;
    return true;
}

int show_results(const show_options *show, result_page page)
{
    int status = EXIT_DONE;
    clump_result *rows = NULL;
    result_band *bands = NULL;
    result_page drawn;
    page.command = show->plot.command;
    page.path = show->html;
    page.kind = show->kind;
    if (!plot_request_is_made(&show->plot) && page.path == NULL)
        return EXIT_DONE;
    if (!choose_predicted(&page, &drawn, &rows, &bands))
        status = error_memory(page.command);
    if (status == EXIT_DONE && plot_request_is_made(&show->plot))
        status = draw_pictures(show, &drawn);
    if (page.path != NULL && rows != NULL && bands != NULL) {
        /* without gnuplot there is no picture, but a page */
        const int written = write_result_page(&page, &drawn);
        status = status != EXIT_DONE ? status : written;
    }
    free(rows);
    free(bands);
    return status;
}
