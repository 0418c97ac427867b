/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables for eyes. */
#include "cli/output/table.h"

#include "cli/output/errors.h"
#include "cli/output/escape.h"
#include "cli/output/paragraph.h"
#include "cli/output/terminal.h"

#include <errno.h>
#include <libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rows that are laid out at a time; more would only cost memory. */
#define CHUNK_ROWS 10000
enum { FOLDED_WIDTH = 78 };

/* "heading: value, heading: value", in lines of some width; prose has lines of its own. */
static void print_folded(const table_rows *rows, const column_fate *fates)
{
    const size_t terminal = isatty(STDOUT_FILENO) ? (size_t)terminal_width(stdout) : FOLDED_WIDTH;
    const size_t most = terminal < FOLDED_WIDTH ? terminal : FOLDED_WIDTH;
    size_t used = 0;
    bool any = false;
    for (size_t c = 0; c < rows->column_count; c++) {
        const table_column *column = &rows->columns[c];
        const bool prose = column->layout == COLUMN_PROSE;
        char number[SHOWN_SIZE];
        table_cell cell;
        if (fates[c] != FATE_FOLDED)
            continue;
        cell_read(rows, 0, c, &cell);
        const char *shown = cell_show(&cell, column->notation, number);
        const size_t width = strlen(column->heading) + strlen(shown) + 2;
        const bool fits = !prose && used + width + 2 <= most;
        if (used > 0)
            fputs(fits ? ", " : "\n", stdout);
        used = prose ? 0 : used > 0 && fits ? used + width + 2 : width;
        any = true;
        const int place = printf("%s: ", column->heading);
        if (prose) {
            char *escaped = escape_copy(shown);
            paragraph_print(escaped != NULL ? escaped : "", place, 2, paragraph_width());
            free(escaped);
        } else {
            escape_print(shown, stdout);
        }
    }
    if (any)
        fputs(used > 0 ? "\n\n" : "\n", stdout);
}

/* How a table is laid out: which columns stand beside each other, how wide. A table that is wider than
 * the terminal becomes several blocks below each other, which repeat the columns that name a row. */
typedef struct layout {
    const table_rows *rows;
    size_t *columns; /* those of the table, in order; all below are places among these */
    size_t count;
    int *widths;    /* of cells and headings */
    bool *repeated; /* at the begin of each further block */
    bool narrow;    /* prose is broken into lines */
    size_t *begin;  /* block b has the places begin[b] to begin[b + 1] - 1, and what is repeated */
    size_t blocks;
} layout;

enum { GAP = 2, LEAST_PROSE = 24 };

static const table_column *column_of(const layout *l, size_t place)
{
    return &l->rows->columns[l->columns[place]];
}

static bool is_prose(const layout *l, size_t place)
{
    return column_of(l, place)->layout == COLUMN_PROSE;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static int widest_cell(const layout *l, size_t place)
{
    int widest = 0;
    for (size_t r = 0; r < l->rows->row_count; r++) {
        char number[SHOWN_SIZE];
        table_cell cell;
        cell_read(l->rows, r, l->columns[place], &cell);
        const char *shown = cell_show(&cell, column_of(l, place)->notation, number);
        widest = max_int(widest, text_places(shown, strlen(shown)));
    }
    return widest;
}

/* Of the first block, whose end is known, texts at the left name a row; the first column does in any
 * case. Returns their width. */
static int choose_repeated(layout *l, int width)
{
    int used = l->widths[0];
    l->repeated[0] = true;
    for (size_t i = 1; i < l->begin[1]; i++)
        if (column_layout_of(column_of(l, i)) == COLUMN_LEFT &&
            used + GAP + l->widths[i] <= width / 2) {
            l->repeated[i] = true;
            used += GAP + l->widths[i];
        }
    return used;
}

static void make_blocks(layout *l, int width)
{
    int used = l->widths[0], repeated = 0;
    l->blocks = 1;
    for (size_t i = 1; i < l->count; i++) {
        if (i > l->begin[l->blocks - 1] && used + GAP + l->widths[i] > width) {
            l->begin[l->blocks++] = i;
            if (l->blocks == 2)
                repeated = choose_repeated(l, width);
            used = repeated;
        }
        used += GAP + l->widths[i];
    }
    l->begin[l->blocks] = l->count;
}

static bool stands_in(const layout *l, size_t place, size_t block)
{
    const bool own = place >= l->begin[block] && place < l->begin[block + 1];
    return own || (place < l->begin[block] && l->repeated[place]);
}

/* Prose takes the room that the others leave. */
static void widen_prose(layout *l, int width, const int *natural)
{
    for (size_t b = 0; b < l->blocks; b++) {
        int left = width + GAP;
        size_t proses = 0;
        for (size_t i = 0; i < l->count; i++)
            if (stands_in(l, i, b)) {
                left -= GAP + l->widths[i];
                proses += is_prose(l, i);
            }
        for (size_t i = l->begin[b]; i < l->begin[b + 1] && left > 0; i++)
            if (is_prose(l, i)) {
                const int room = l->widths[i] + left / (int)proses;
                l->widths[i] = natural[i] < room ? natural[i] : room;
            }
    }
}

/* Only a terminal has a width: in a file, or for another program, a row is a line. */
static bool fit_terminal(layout *l)
{
    const int width = terminal_width(stdout);
    int whole = -GAP, narrow = -GAP;
    if (!isatty(STDOUT_FILENO))
        return true;
    int *natural = calloc(l->count + 1, sizeof *natural);
    if (natural == NULL)
        return false;
    for (size_t i = 0; i < l->count; i++) {
        const char *heading = column_of(l, i)->heading;
        const int least = text_places(heading, strlen(heading));
        natural[i] = max_int(widest_cell(l, i), least);
        l->widths[i] =
            is_prose(l, i) && natural[i] > LEAST_PROSE ? max_int(LEAST_PROSE, least) : natural[i];
        whole += GAP + natural[i];
        narrow += GAP + l->widths[i];
    }
    l->narrow = whole > width;
    if (narrow > width)
        make_blocks(l, width);
    if (l->narrow)
        widen_prose(l, width, natural);
    free(natural);
    return true;
}

static bool layout_make(layout *l, const table_rows *rows, const column_fate *fates)
{
    *l = (layout){.rows = rows};
    l->columns = calloc(rows->column_count + 1, sizeof *l->columns);
    l->widths = calloc(rows->column_count + 1, sizeof *l->widths);
    l->repeated = calloc(rows->column_count + 1, sizeof *l->repeated);
    l->begin = calloc(rows->column_count + 2, sizeof *l->begin);
    if (l->columns == NULL || l->widths == NULL || l->repeated == NULL || l->begin == NULL)
        return false;
    for (size_t c = 0; c < rows->column_count; c++)
        if (fates[c] == FATE_IN_TABLE)
            l->columns[l->count++] = c;
    l->blocks = 1;
    l->begin[1] = l->count;
    return l->count == 0 || fit_terminal(l);
}

static void layout_release(layout *l)
{
    free(l->columns);
    free(l->widths);
    free(l->repeated);
    free(l->begin);
}

static int add_column(struct libscols_table *table, const layout *l, size_t place)
{
    const column_layout kind = column_layout_of(column_of(l, place));
    const bool lines = kind == COLUMN_PROSE && l->narrow;
    const int flags = kind == COLUMN_RIGHT ? SCOLS_FL_RIGHT : lines ? SCOLS_FL_WRAP : 0;
    struct libscols_column *column =
        scols_table_new_column(table, column_of(l, place)->heading, 0, flags);
    /* Cells come escaped; the library shall not escape the escapes. */
    if (column == NULL || scols_column_set_safechars(column, lines ? "\\\n" : "\\") != 0 ||
        (lines && scols_column_set_wrapfunc(column, scols_wrapnl_chunksize, scols_wrapnl_nextchunk,
                                            NULL) != 0))
        return -ENOMEM;
    if (terminal_has_colours(stdout) &&
        (scols_table_enable_colors(table, 1) != 0 ||
         scols_cell_set_color(scols_column_get_header(column), "bold") != 0))
        return -ENOMEM;
    return 0;
}

static int add_columns(struct libscols_table *table, const layout *l, size_t block)
{
    int status = 0;
    for (size_t i = 0; i < l->count && status == 0; i++)
        if (stands_in(l, i, block))
            status = add_column(table, l, i);
    return status;
}

/* The text on the heap, with ends of line where it does not fit. */
static char *break_prose(const char *text, int width)
{
    char *broken = malloc(2 * strlen(text) + 1), *to = broken;
    while (broken != NULL && *text != '\0') {
        const size_t length = text_line(text, width, TEXT_CUT);
        memcpy(to, text, length);
        to += length;
        text += length;
        text += strspn(text, " ");
        if (*text != '\0')
            *to++ = '\n';
    }
    if (broken != NULL)
        *to = '\0';
    return broken;
}

static char *show_cell(const layout *l, size_t place, size_t row)
{
    char number[SHOWN_SIZE];
    table_cell cell;
    cell_read(l->rows, row, l->columns[place], &cell);
    char *escaped = escape_copy(cell_show(&cell, column_of(l, place)->notation, number));
    if (escaped == NULL || !l->narrow || !is_prose(l, place))
        return escaped;
    char *broken = break_prose(escaped, l->widths[place]);
    free(escaped);
    return broken;
}

static int add_row(struct libscols_table *table, const layout *l, size_t block, size_t row)
{
    struct libscols_line *line = scols_table_new_line(table, NULL);
    size_t cell = 0;
    if (line == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < l->count; i++) {
        if (!stands_in(l, i, block))
            continue;
        char *shown = show_cell(l, i, row);
        if (shown == NULL || scols_line_refer_data(line, cell++, shown) != 0) {
            free(shown);
            return -ENOMEM;
        }
    }
    return 0;
}

static int print_chunk(const layout *l, size_t block, size_t first, size_t last)
{
    struct libscols_table *table = scols_new_table();
    if (table == NULL)
        return -ENOMEM;
    int status = scols_table_enable_noheadings(table, first > 0);
    if (status == 0)
        status = scols_table_set_column_separator(table, "  ");
    if (status == 0)
        status = add_columns(table, l, block);
    for (size_t r = first; status == 0 && r < last; r++)
        status = add_row(table, l, block, r);
    if (status == 0)
        status = scols_print_table(table);
    if (ferror(stdout))
        status = 0; /* a failed write is found by main */
    scols_unref_table(table);
    return status;
}

/* ---- in documents of others: one line a row, whatever their width */

static table_markup markup = TABLE_PLAIN;

void table_print_as(table_markup kind)
{
    markup = kind;
}

/* With a backslash, or the command of it, where a character means something: in LaTeX also a bracket, which after the end
 * of a row begins its option; in Markdown also what begins HTML, links and emphasis. */
static void print_marked(const char *text)
{
    static const char *const commands[][2] = {{"\\", "\\textbackslash{}"},
                                              {"~", "\\textasciitilde{}"},
                                              {"^", "\\textasciicircum{}"},
                                              {"<", "\\textless{}"},
                                              {">", "\\textgreater{}"},
                                              {"|", "\\textbar{}"},
                                              {"[", "{[}"}};
    enum { COMMANDS = sizeof commands / sizeof *commands };
    char *escaped = escape_copy(text);
    for (const char *c = escaped != NULL ? escaped : ""; *c != '\0'; c++) {
        size_t k = 0;
        while (k < COMMANDS && (markup == TABLE_MARKDOWN || *c != *commands[k][0]))
            k++;
        if (k < COMMANDS)
            fputs(commands[k][1], stdout);
        else
            printf(strchr(markup == TABLE_MARKDOWN ? "|\\<&[`*_" : "&%$#_{}", *c) != NULL ? "\\%c"
                                                                                          : "%c",
                   *c);
    }
    free(escaped);
}

static void print_row_end(void)
{
    puts(markup == TABLE_MARKDOWN ? " |" : " \\\\");
}

static void print_marked_headings(const layout *l)
{
    if (markup == TABLE_LATEX) {
        fputs("\\begin{tabular}{", stdout);
        for (size_t i = 0; i < l->count; i++)
            putchar(column_layout_of(column_of(l, i)) == COLUMN_RIGHT ? 'r' : 'l');
        puts("}\n\\hline");
    }
    for (size_t i = 0; i < l->count; i++) {
        fputs(markup == TABLE_MARKDOWN ? (i == 0 ? "| " : " | ") : i == 0 ? "" : " & ", stdout);
        print_marked(column_of(l, i)->heading);
    }
    print_row_end();
    for (size_t i = 0; i < l->count && markup == TABLE_MARKDOWN; i++)
        fputs(column_layout_of(column_of(l, i)) == COLUMN_RIGHT ? "|---:" : "|:---", stdout);
    puts(markup == TABLE_MARKDOWN ? "|" : "\\hline");
}

static void print_marked_table(const layout *l)
{
    if (l->count == 0)
        return;
    print_marked_headings(l);
    for (size_t r = 0; r < l->rows->row_count && !ferror(stdout); r++) {
        for (size_t i = 0; i < l->count; i++) {
            char number[SHOWN_SIZE];
            table_cell cell;
            cell_read(l->rows, r, l->columns[i], &cell);
            fputs(markup == TABLE_MARKDOWN ? (i == 0 ? "| " : " | ") : i == 0 ? "" : " & ", stdout);
            print_marked(cell_show(&cell, column_of(l, i)->notation, number));
        }
        print_row_end();
    }
    if (markup == TABLE_LATEX)
        puts("\\hline\n\\end{tabular}");
}

int table_print(const table_rows *rows)
{
    int status = 0;
    column_fate *fates = calloc(rows->column_count, sizeof *fates);
    layout l = {.columns = NULL};
    if (fates != NULL)
        for (size_t c = 0; c < rows->column_count; c++)
            fates[c] = column_decide(rows, c);
    if (fates == NULL || !layout_make(&l, rows, fates)) {
        free(fates);
        layout_release(&l);
        return error_memory(NULL);
    }
    print_folded(rows, fates);
    if (markup != TABLE_PLAIN)
        print_marked_table(&l);
    for (size_t block = 0; block < l.blocks && markup == TABLE_PLAIN; block++) {
        if (block > 0)
            putchar('\n');
        for (size_t first = 0; first < rows->row_count && status == 0 && !ferror(stdout);
             first += CHUNK_ROWS) {
            const size_t left = rows->row_count - first;
            status = print_chunk(&l, block, first, first + (left < CHUNK_ROWS ? left : CHUNK_ROWS));
        }
    }
    free(fates);
    layout_release(&l);
    return status == 0 ? EXIT_DONE : error_memory(NULL);
}
