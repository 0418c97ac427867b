/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/output/cells.h"

#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void cell_text(table_cell *cell, const char *text)
{
    cell->kind = text != NULL && *text != '\0' ? CELL_TEXT : CELL_NONE;
    cell->text = text;
}

void cell_real(table_cell *cell, double real)
{
    cell->kind = isfinite(real) ? CELL_REAL : CELL_NONE;
    cell->real = real == 0 ? 0 : real; /* no -0 */
}

void cell_whole(table_cell *cell, int64_t whole)
{
    cell->kind = CELL_WHOLE;
    cell->whole = whole;
}

void cell_size(table_cell *cell, size_t size)
{
    cell_whole(cell, size > INT64_MAX ? INT64_MAX : (int64_t)size);
}

void cell_truth(table_cell *cell, bool truth)
{
    cell->kind = CELL_TRUTH;
    cell->whole = truth;
}

static void show_real(double value, number_notation notation, char *text, size_t size)
{
    switch (notation) {
    case NUMBER_RATIO:
        snprintf(text, size, fabs(value) < 1e6 ? "%.4f" : "%.6g", value);
        break;
    case NUMBER_PERCENT:
        snprintf(text, size, fabs(value) < 1e6 ? "%.1f%%" : "%.4g%%", 100 * value);
        break;
    case NUMBER_SIGNED:
        snprintf(text, size, fabs(value) < 1e6 ? "%+.1f%%" : "%+.4g%%", 100 * value);
        break;
    case NUMBER_EXACT:
        snprintf(text, size, "%.9g", value);
        break;
    case NUMBER_GENERAL:
        snprintf(text, size, "%.4g", value);
        break;
    }
}

const char *cell_show(const table_cell *cell, number_notation notation, char text[SHOWN_SIZE])
{
    switch (cell->kind) {
    case CELL_TEXT:
        return cell->text;
    case CELL_REAL:
        show_real(cell->real, notation, text, SHOWN_SIZE);
        return text;
    case CELL_WHOLE:
        snprintf(text, SHOWN_SIZE, "%lld", (long long)cell->whole);
        return text;
    case CELL_TRUTH:
        return cell->whole ? "yes" : "no";
    case CELL_NONE:
        break;
    }
    return "-";
}

const char *plus_minus(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? "\xC2\xB1" : "+-";
}
