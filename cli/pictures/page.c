/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/page.h"

#include "cli/output/embedded.h"
#include "cli/output/escape.h"
#include "cli/pictures/result_dimensions.h"
#include "model/model_error.h"

#include <jansson.h>
#include <math.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

/* More would make a page that browsers are slow with. */
enum { MOST_ROWS = 2000, MOST_BASES = 300 };

EMBED(style, "web/page.css")
EMBED(script, "web/page.js")
EMBED(controls, "web/controls.html")
EMBED(engine, "web/engine.wasm")

/* ---- text, tables */

/* Text between tags or in an attribute within double quotes: markup and what terminals do not show
 * either (escape.h) is escaped; ends of lines stay. NULL is no text. */
static void print_text(const char *text, FILE *file)
{
    while (text != NULL && *text != '\0') {
        const size_t length = escape_plain(text);
        const char *name = *text == '<'    ? "&lt;"
                           : *text == '>'  ? "&gt;"
                           : *text == '&'  ? "&amp;"
                           : *text == '"'  ? "&quot;"
                           : *text == '\'' ? "&#39;"
                                           : NULL;
        if (name != NULL)
            fputs(name, file);
        else if (*text == '\n' || *text == '\t')
            fputc(*text, file);
        else
            escape_print_one(text, file);
        text += length > 0 ? length : 1;
    }
}

static void print_base64(const void *bytes, size_t size, FILE *file)
{
    enum { PIECE = 3072 };
    char text[BASE64_ENCODE_RAW_LENGTH(PIECE)];
    for (size_t at = 0; at < size; at += PIECE) {
        const size_t part = size - at < PIECE ? size - at : PIECE;
        base64_encode_raw(text, part, (const uint8_t *)bytes + at);
        fwrite(text, 1, BASE64_ENCODE_RAW_LENGTH(part), file);
    }
}

static const char *show_cell(const table_rows *rows, size_t row, size_t column, table_cell *cell,
                             char number[SHOWN_SIZE])
{
    cell_read(rows, row, column, cell);
    return cell_show(cell, rows->columns[column].notation, number);
}

/* What all rows say the same, but for what stands above as the heading. */
static void print_folded(const table_rows *rows, const char *heading, FILE *file)
{
    const char *separator = "<p>";
    for (size_t c = 0; c < rows->column_count; c++) {
        char number[SHOWN_SIZE];
        table_cell cell;
        if (column_decide(rows, c) != FATE_FOLDED)
            continue;
        const char *text = show_cell(rows, 0, c, &cell, number);
        if (strcmp(text, heading) == 0)
            continue;
        fprintf(file, "%s%s: ", separator, rows->columns[c].heading);
        print_text(text, file);
        separator = ", ";
    }
    if (*separator == ',')
        fputs("</p>\n", file);
}

static const char *class_of(const table_column *column)
{
    const column_layout layout = column_layout_of(column);
    return layout == COLUMN_RIGHT   ? " class=\"right\""
           : layout == COLUMN_PROSE ? " class=\"prose\""
                                    : "";
}

/* The first `most` rows; what they all say the same stands above. */
static void print_rows(const table_rows *rows, size_t most, const char *label, FILE *file)
{
    enum { MOST_COLUMNS = 64 };
    size_t shown[MOST_COLUMNS], columns = 0;
    const size_t count = rows->row_count < most ? rows->row_count : most;
    print_folded(rows, label, file);
    fputs("<div class=\"frame\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"",
          file);
    print_text(label, file);
    fputs("\"><table>\n<thead><tr>", file);
    for (size_t c = 0; c < rows->column_count && columns < MOST_COLUMNS; c++)
        if (column_decide(rows, c) == FATE_IN_TABLE) {
            shown[columns++] = c;
            fprintf(file, "<th scope=\"col\"%s>%s</th>", class_of(&rows->columns[c]),
                    rows->columns[c].heading);
        }
    fputs("</tr></thead>\n<tbody>\n", file);
    for (size_t r = 0; r < count; r++) {
        fputs("<tr>", file);
        for (size_t i = 0; i < columns; i++) {
            char number[SHOWN_SIZE];
            table_cell cell;
            fprintf(file, "<td%s>", class_of(&rows->columns[shown[i]]));
            print_text(show_cell(rows, r, shown[i], &cell, number), file);
            fputs("</td>", file);
        }
        fputs("</tr>\n", file);
    }
    fputs("</tbody></table></div></div>\n", file);
    if (count < rows->row_count)
        fprintf(file, "<p class=\"quiet\">The first %zu of %zu rows.</p>\n", count,
                rows->row_count);
}

/* ---- the data of pictures and sliders, as web/page.js reads them */

static json_t *make_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Text of strangers, escaped as for a terminal. */
static json_t *make_text(const char *text)
{
    char *escaped = text != NULL ? escape_copy(text) : NULL;
    json_t *value = text == NULL ? json_null() : escaped != NULL ? json_string(escaped) : NULL;
    free(escaped);
    return value;
}

static json_t *make_numbers(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, make_number(values[i]));
    return list;
}

static json_t *make_axis(const plot_axis *axis)
{
    return json_pack("{s:o, s:b, s:b}", "label", make_text(axis->label), "log", axis->logarithmic,
                     "whole", axis->whole);
}

static json_t *make_series(const plot_series *s)
{
    const bool black = s->colour == PLOT_BLACK;
    json_t *series = json_pack("{s:o, s:i, s:i, s:b, s:b, s:o, s:o}", "name", make_text(s->name),
                               "mark", (int)s->mark, "colour", black ? 0 : (int)s->colour, "black",
                               black, "measured", s->measured, "x", make_numbers(s->x, s->count),
                               "y", make_numbers(s->y, s->count));
    if (s->low != NULL && s->high != NULL) {
        json_object_set_new(series, "low", make_numbers(s->low, s->count));
        json_object_set_new(series, "high", make_numbers(s->high, s->count));
    }
    return series;
}

static json_t *make_grid(const plot_grid *grid)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "label", make_text(grid->label), "centre",
                     make_number(grid->centre), "x", make_numbers(grid->x, grid->x_count), "y",
                     make_numbers(grid->y, grid->y_count), "z",
                     make_numbers(grid->z, grid->x_count * grid->y_count));
}

static json_t *make_plot(const plot_picture *p)
{
    json_t *series = json_array(), *categories = p->categories != NULL ? json_array() : json_null();
    for (size_t i = 0; i < p->series_count; i++)
        json_array_append_new(series, make_series(&p->series[i]));
    for (size_t i = 0; p->categories != NULL && i < p->category_count; i++)
        json_array_append_new(categories, make_text(p->categories[i]));
    json_t *plot =
        json_pack("{s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o}", "title", make_text(p->title),
                  "x", make_axis(&p->x), "y", make_axis(&p->y), "ordered", p->ordered, "diagonal",
                  p->diagonal, "level", make_number(p->level), "levelName",
                  make_text(p->level_name), "categories", categories, "series", series);
    if (p->grid != NULL)
        json_object_set_new(plot, "grid", make_grid(p->grid));
    return plot;
}

/* Where the sliders can start: rows about a whole node with NICs. */
static bool is_base(const clump_result *r)
{
    return r->nics > 0 && r->processor == 0 && r->compared_with == NULL;
}

/* What tells a row from the others. */
static json_t *make_base_name(const clump_result *r, const bool keys[DIMENSION_COUNT])
{
    char name[512];
    size_t used = 0;
    for (int d = DIMENSION_COUNT - 1; d >= 0 && used < sizeof name; d--) {
        if (!keys[d])
            continue;
        if (used > 0)
            used += (size_t)snprintf(name + used, sizeof name - used, ", ");
        if (used < sizeof name)
            used += (size_t)result_dimension_describe(r, (result_dimension)d, name + used,
                                                      sizeof name - used);
    }
    return make_text(used > 0 ? name : "the result");
}

static json_t *make_base(const clump_result *r, const bool keys[DIMENSION_COUNT])
{
    const struct {
        const char *key;
        double value, otherwise;
    } numbers[] = {
        {"P", (double)r->processors, 1},
        {"N", (double)r->nics, 1},
        {"U", r->utilization, 0},
        {"f", r->remote_fraction, 1},
        {"V", r->cost_ratio, 1},
        {"demand", (double)r->demand, 0},
        {"gang", r->demand == CLUMP_DEMAND_GANG ? r->gang_size : NAN, 2},
        {"mapping", (double)r->mapping, 0},
        {"m", r->max_nics_per_processor, 0},
        {"h", r->waiting_fraction, 0},
        {"c", r->memory_penalty, 1},
        {"T", r->phase_cycles, 0},
        {"ms", r->memory_law != NULL ? r->memory_share : NAN, 0},
        {"mf", r->memory_law != NULL ? r->memory_feeds : NAN, 1},
        {"ml", r->memory_law != NULL && strcmp(r->memory_law, "roofline") == 0, 0},
    };
    json_t *base = json_pack("{s:o}", "name", make_base_name(r, keys));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(
            base, numbers[i].key,
            json_real(isfinite(numbers[i].value) ? numbers[i].value : numbers[i].otherwise));
    json_object_set_new(base, "X", make_number(clump_result_slowdown(r)));
    /* Distances of the inputs' interval, as logarithms: they hold near where the sliders start. */
    const double pace = clump_result_relative_time(r);
    if (r->input_low > 0 && pace > 0)
        json_object_set_new(
            base, "inputs",
            json_pack("[f,f]", log(pace / r->input_low), log(r->input_high / pace)));
    return base;
}

/* Factors between which 90% of measured slowdowns lie, by the kind of node. */
static json_t *make_errors(void)
{
    static const struct {
        const char *key;
        clump_change change;
    } kinds[] = {{"one", CLUMP_CHANGE_ONE_NODE},
                 {"shared", CLUMP_CHANGE_SHARED_NICS},
                 {"each", CLUMP_CHANGE_NIC_EACH}};
    json_t *errors = json_object();
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        double low, high;
        if (clump_model_error_interval(clump_model_error_of(kinds[i].change), 1, NAN, NAN,
                                       CLUMP_MODEL_ERROR_LEVEL, &low, &high, NULL) == CLUMP_OK &&
            isfinite(low))
            json_object_set_new(errors, kinds[i].key, json_pack("[f,f]", low, high));
    }
    return errors;
}

static json_t *make_bases(const html_page *page)
{
    bool keys[DIMENSION_COUNT];
    json_t *bases = json_array();
    const size_t step = page->result_count / MOST_BASES + 1; /* of many, some of all kinds */
    result_dimensions_vary(page->results, page->result_count, keys);
    for (size_t i = 0; i < page->result_count; i += step)
        if (is_base(&page->results[i]))
            json_array_append_new(bases, make_base(&page->results[i], keys));
    if (json_array_size(bases) == 0) { /* nothing of that kind: a node to play with */
        const clump_result node = {.processors = 8,
                                   .nics = 4,
                                   .utilization = 0.3,
                                   .remote_fraction = 1,
                                   .cost_ratio = 1,
                                   .memory_penalty = 1,
                                   .slowdown = CLUMP_RESULT_NONE};
        json_t *base = make_base(&node, keys);
        json_object_set_new(base, "name", json_string("8 processors, 4 NICs"));
        json_array_append_new(bases, base);
    }
    return bases;
}

/* In a script element no markup may be left; in JSON it can stand in strings only. */
static int put_json(const char *text, size_t size, void *file)
{
    for (size_t i = 0; i < size; i++)
        if (strchr("<>&", text[i]) != NULL)
            fprintf(file, "\\u%04x", (unsigned)text[i]);
        else
            fputc(text[i], file);
    return 0;
}

/* Writes and releases; false: no memory. */
static bool print_json(json_t *value, size_t digits, FILE *file)
{
    const int status =
        value == NULL
            ? -1
            : json_dump_callback(value, put_json, file, JSON_COMPACT | JSON_REAL_PRECISION(digits));
    json_decref(value);
    return status == 0;
}

static bool print_data(const html_page *page, FILE *file)
{
    enum { SHOWN = 9, EXACT = 17 }; /* digits: a picture shows less, sliders start there */
    json_t *plots = json_array();
    for (size_t i = 0; i < page->plot_count; i++)
        json_array_append_new(plots, make_plot(&page->plots[i]));
    fputs("<script type=\"application/json\" id=\"data\">{\"plots\":", file);
    bool printed = print_json(plots, SHOWN, file);
    fputs(",\n\"bases\":", file);
    printed = print_json(make_bases(page), EXACT, file) && printed;
    fputs(",\"errors\":", file);
    printed = print_json(make_errors(), EXACT, file) && printed;
    fputs("}</script>\n", file);
    return printed;
}

/* ---- the page */

static void print_file(embedded_file shown, FILE *file)
{
    fwrite(shown.bytes, 1, shown.size, file);
}

/* 'sha256-...', as a policy wants it. */
static void print_digest(embedded_file of, FILE *file)
{
    struct sha256_ctx state;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&state);
    sha256_update(&state, of.size, (const uint8_t *)of.bytes);
    sha256_digest(&state, sizeof digest, digest);
    fputs("'sha256-", file);
    print_base64(digest, sizeof digest, file);
    fputc('\'', file);
}

static void print_paragraph(const char *class, const char *text, FILE *file)
{
    if (text == NULL || *text == '\0')
        return;
    fprintf(file, "<p%s>", class);
    print_text(text, file);
    fputs("</p>\n", file);
}

static void print_head(const html_page *page, FILE *file)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src ",
          file);
    print_digest(style_file(), file);
    fputs("; script-src 'wasm-unsafe-eval' ", file);
    print_digest(script_file(), file);
    fputs("; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\">\n<title>",
          file);
    print_text(page->title, file);
    fputs("</title>\n<style>", file);
    print_file(style_file(), file);
    fputs("</style>\n</head>\n<body>\n<header><h1>", file);
    print_text(page->title, file);
    fputs("</h1>\n", file);
    print_paragraph(" id=\"says\"", page->answer, file);
    if (page->draw != NULL) {
        fputs("</header>\n<main>\n", file);
        return;
    }
    fputs("<p class=\"quiet\">The Clump is a cluster whose nodes have P processors that share N "
          "network interfaces (NICs). The NOW is the reference: every processor has a NIC of its "
          "own. Slowdown X is execution time on the Clump over execution time on the NOW: below 1 "
          "sharing wins. Demand is independent if processors communicate at random times, "
          "correlated if all start together, scheduled if they take turns by the plan with the "
          "least mean slowdown.</p></header>\n<main>\n",
          file);
}

/* The title of the page stands above once; a table of the same name has no heading. */
static void print_tables(const html_page *page, const page_table *tables, size_t count, FILE *file)
{
    for (size_t i = 0; i < count; i++) {
        const page_table *t = &tables[i];
        const bool named = t->folded || strcmp(t->heading, page->title) != 0;
        fputs(t->folded ? "<details><summary>" : named ? "<h3>" : "", file);
        print_text(named ? t->heading : NULL, file);
        fputs(t->folded ? "</summary>\n" : named ? "</h3>\n" : "", file);
        print_paragraph("", t->answer, file);
        print_rows(t->rows, MOST_ROWS, t->heading, file);
        print_paragraph(" class=\"quiet\"", t->note, file);
        fputs(t->folded ? "</details>\n" : "", file);
    }
}

static void print_inputs(const html_page *page, FILE *file)
{
    if (page->input_count + page->text_count == 0)
        return;
    fputs("<section><h2>Inputs, and where they come from</h2>\n", file);
    print_tables(page, page->inputs, page->input_count, file);
    for (size_t i = 0; i < page->text_count; i++) {
        fputs("<h3>", file);
        print_text(page->texts[i].heading, file);
        fputs("</h3>\n<pre tabindex=\"0\">", file);
        print_text(page->texts[i].text, file);
        fputs("</pre>\n", file);
    }
    fputs("</section>\n", file);
}

/* What sliders need: what they start from, and the engine. */
static bool print_engine(const html_page *page, FILE *file)
{
    const embedded_file engine = engine_file();
    const bool printed = print_data(page, file);
    fputs("<script type=\"application/wasm-base64\" id=\"engine\">", file);
    print_base64(engine.bytes, engine.size, file);
    fputs("</script>\n<script>", file);
    print_file(script_file(), file);
    fputs("</script>\n", file);
    return printed;
}

bool page_print(const html_page *page, FILE *file)
{
    const bool live = page->draw == NULL;
    print_head(page, file);
    if (!live)
        page->draw(page->context, file);
    for (size_t i = 0; i < page->plot_count; i++)
        fprintf(file, "<figure id=\"picture-%zu\"></figure>\n", i);
    if (live)
        print_file(controls_file(), file);
    fputs("<section><h2>Results</h2>\n", file);
    print_tables(page, page->tables, page->table_count, file);
    fputs("</section>\n", file);
    print_inputs(page, file);
    fprintf(
        file, "</main>\n<footer><p>Made by clumpmodel %s.%s</p></footer>\n", page->version,
        live
            ? " The sliders ask the same engine, compiled to WebAssembly; nothing leaves this file."
            : "");
    const bool printed = !live || print_engine(page, file);
    fputs("</body>\n</html>\n", file);
    return printed;
}
