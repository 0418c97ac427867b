/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/pictures/page.h"

#include "cli/pictures/html.h"
#include "cli/pictures/result_dimensions.h"
#include "clumpmodel.h"
#include "data/sha256.h"

#include <math.h>

/* More would make a page that browsers are slow with. */
enum { MOST_ROWS = 2000, MOST_BASES = 300 };

static void print_asset(page_asset asset, FILE *file)
{
    fwrite(asset.bytes, 1, asset.size, file);
}

/* 'sha256-...' in base64, as a policy wants it. */
static void print_digest(page_asset asset, FILE *file)
{
    enum { BYTES = (CLUMP_SHA256_TEXT - 1) / 2 };
    static const char hex[] = "0123456789abcdef";
    char text[CLUMP_SHA256_TEXT];
    unsigned char bytes[BYTES] = {0};
    clump_sha256(asset.bytes, asset.size, text);
    for (size_t i = 0; i < CLUMP_SHA256_TEXT - 1; i++)
        for (unsigned digit = 0; digit < 16; digit++)
            if (hex[digit] == text[i])
                bytes[i / 2] = (unsigned char)(bytes[i / 2] << 4 | digit);
    fputs("'sha256-", file);
    html_base64(bytes, BYTES, file);
    fputc('\'', file);
}

static void print_head(const html_page *page, FILE *file)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src ",
          file);
    print_digest(page_asset_style(), file);
    fputs("; script-src 'wasm-unsafe-eval' ", file);
    print_digest(page_asset_script(), file);
    fputs("; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
          "content=\"width=device-width, initial-scale=1\">\n<title>",
          file);
    html_text(page->title, file);
    fputs("</title>\n<style>", file);
    print_asset(page_asset_style(), file);
    fputs("</style>\n</head>\n<body>\n<header><h1>", file);
    html_text(page->title, file);
    fputs("</h1>\n", file);
    if (page->answer != NULL) {
        fputs("<p>", file);
        html_text(page->answer, file);
        fputs("</p>\n", file);
    }
    fputs("<p class=\"quiet\">Slowdown X is execution time on nodes whose P processors share "
          "N NICs (the Clump) over execution time on machines with a NIC each (the NOW). "
          "Below 1 sharing wins.</p></header>\n<main>\n",
          file);
}

static void print_tables(const page_table *tables, size_t count, FILE *file)
{
    for (size_t i = 0; i < count; i++) {
        fputs(tables[i].folded ? "<details><summary>" : "<h3>", file);
        html_text(tables[i].heading, file);
        fputs(tables[i].folded ? "</summary>\n" : "</h3>\n", file);
        html_table(tables[i].rows, MOST_ROWS, tables[i].heading, file);
        if (tables[i].note != NULL) {
            fputs("<p class=\"quiet\">", file);
            html_text(tables[i].note, file);
            fputs("</p>\n", file);
        }
        fputs(tables[i].folded ? "</details>\n" : "", file);
    }
}

static void print_inputs(const html_page *page, FILE *file)
{
    if (page->input_count + page->text_count == 0)
        return;
    fputs("<section><h2>Inputs, and where they come from</h2>\n", file);
    print_tables(page->inputs, page->input_count, file);
    for (size_t i = 0; i < page->text_count; i++) {
        fputs("<h3>", file);
        html_text(page->texts[i].heading, file);
        fputs("</h3>\n<pre tabindex=\"0\">", file);
        html_text(page->texts[i].text, file);
        fputs("</pre>\n", file);
    }
    fputs("</section>\n", file);
}

/* Where the sliders can start: rows about a whole node with NICs. */
static bool is_base(const clump_result *r)
{
    return r->nics > 0 && r->processor == 0;
}

/* What tells a row from the others. */
static void print_base_name(const clump_result *r, const bool keys[DIMENSION_COUNT], FILE *file)
{
    char name[512];
    size_t used = 0;
    name[0] = '\0';
    for (int d = DIMENSION_COUNT - 1; d >= 0 && used < sizeof name; d--) {
        if (!keys[d])
            continue;
        if (used > 0)
            used += (size_t)snprintf(name + used, sizeof name - used, ", ");
        if (used < sizeof name)
            used += (size_t)result_dimension_describe(r, (result_dimension)d, name + used,
                                                      sizeof name - used);
    }
    html_json_text(used > 0 ? name : "the result", file);
}

static void print_base(const clump_result *r, const bool keys[DIMENSION_COUNT], FILE *file)
{
    enum { EXACT = 17 };
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
    };
    fputs("{\"name\":", file);
    print_base_name(r, keys, file);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const double value = isfinite(numbers[i].value) ? numbers[i].value : numbers[i].otherwise;
        fprintf(file, ",\"%s\":", numbers[i].key);
        html_json_number(value, EXACT, file);
    }
    fputs(",\"X\":", file);
    html_json_number(r->slowdown, EXACT, file);
    fputs("}", file);
}

static void print_data(const html_page *page, FILE *file)
{
    bool keys[DIMENSION_COUNT];
    size_t bases = 0;
    result_dimensions_vary(page->results, page->result_count, keys);
    fputs("<script type=\"application/json\" id=\"data\">{\"plots\":[", file);
    for (size_t i = 0; i < page->plot_count; i++) {
        fputs(i > 0 ? ",\n" : "", file);
        html_json_plot(&page->plots[i], file);
    }
    fputs("],\n\"bases\":[", file);
    const size_t step = page->result_count / MOST_BASES + 1; /* of many, some of all kinds */
    for (size_t i = 0; i < page->result_count; i += step)
        if (is_base(&page->results[i])) {
            fputs(bases++ > 0 ? ",\n" : "", file);
            print_base(&page->results[i], keys, file);
        }
    if (bases == 0) /* nothing of that kind: a node to play with */
        fputs("{\"name\":\"8 processors, 4 NICs\",\"P\":8,\"N\":4,\"U\":0.3,\"f\":1,\"V\":1,"
              "\"demand\":0,\"gang\":2,\"mapping\":0,\"m\":0,\"h\":0,\"c\":1,\"T\":0,"
              "\"X\":null}",
              file);
    fputs("]}</script>\n", file);
}

void page_print(const html_page *page, FILE *file)
{
    const page_asset engine = page_asset_engine();
    print_head(page, file);
    for (size_t i = 0; i < page->plot_count; i++)
        fprintf(file, "<figure id=\"picture-%zu\"></figure>\n", i);
    print_asset(page_asset_controls(), file);
    fputs("<section><h2>Results</h2>\n", file);
    print_tables(page->tables, page->table_count, file);
    fputs("</section>\n", file);
    print_inputs(page, file);
    fputs("</main>\n<footer><p>Made by clumpmodel " CLUMPMODEL_VERSION
          ". The sliders ask the same engine, compiled to WebAssembly; nothing leaves this "
          "file.</p></footer>\n",
          file);
    print_data(page, file);
    fputs("<script type=\"application/wasm-base64\" id=\"engine\">", file);
    html_base64(engine.bytes, engine.size, file);
    fputs("</script>\n<script>", file);
    print_asset(page_asset_script(), file);
    fputs("</script>\n</body>\n</html>\n", file);
}
